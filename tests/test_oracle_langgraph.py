"""LangGraph itself goes on with the threads that it left cut off, once they are healed.

The dumps are what it wrote; `stores/real/with_langgraph.py` says one more thing in every thread,
to a model that refuses half pairs. On first use the library is installed, as for the oracles.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import heal
from fix_databases import Database
from fix_oracles import environment
from healing import dump
from test_known_stores import CASES, FOLDER, FORCED, LATER, detected, fill

PROGRAM = FOLDER / "real" / "with_langgraph.py"
MARKER = "No result was recorded for this tool call"


def go_on(database: Database, threads: list[str]) -> dict[str, Any]:
    url = sa.make_url(database.url).render_as_string(hide_password=False)
    done = subprocess.run(
        [environment("langgraph.txt"), "-W", "ignore", PROGRAM, "go-on", url],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"THREADS": " ".join(threads), "PATH": ""},
    )
    assert not done.returncode, done.stderr[-800:]
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return {one.pop("thread"): one for one in told}


def threads(name: str) -> list[str]:
    return [found.partition("/")[0] for found in CASES[name]["found"]]


def filled(database: Database, group: str) -> str:
    name = f"langgraph{'-postgres' if database.name == 'postgresql' else ''}{group}"
    fill(database, name)
    return name


@pytest.mark.oracle
@pytest.mark.parametrize("group", ["", "-graphs", "-refused"])
def test_it_refuses_what_was_cut_off(database: Database, group: str) -> None:
    cut_off = [name for name in threads(filled(database, group)) if name != "paused"]
    told = go_on(database, cut_off)
    assert all(one.get("refused") for one in told.values()), told


@pytest.mark.oracle
@pytest.mark.parametrize("group", ["", "-graphs"])
def test_it_goes_on_with_what_is_healed(database: Database, group: str) -> None:
    names = threads(filled(database, group))
    before = dump(database)
    heal.apply(database.engine, detected(database), options=FORCED)
    heal.undo(database.engine)
    assert dump(database) == before
    heal.apply(database.engine, detected(database), options=FORCED)
    for name, one in go_on(database, names).items():
        assert "refused" not in one, (name, one)
        assert one["ran"] == []
        if name == "inner":  # the messages are of the graph inside
            continue
        assert one["next"] == (["agent"] if name == "next" else [])
        assert any(MARKER in said for said in one["said"])
        assert ("21 degrees" in one["said"]) is (name in {"batch", "next", "paused"})
        assert one["said"][-1] == f"Answer to {name}."


@pytest.mark.oracle
def test_a_pause_can_still_be_answered(database: Database) -> None:
    filled(database, "")
    applied = heal.apply(database.engine, detected(database), options=LATER)
    assert (applied.healed, applied.pending) == (2, 1)
    told = go_on(database, ["paused"])["paused"]
    assert told["next"] == ["tools"]
    assert told["said"][2:] == ["21 degrees", "yes", "Answer to paused."]
    assert told["ran"] == ["weather City c9"]
