"""The example that heals on a Dask cluster: one of this machine, and a real scheduler's address."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
import sqlalchemy as sa

from endmark import heal
from endmark.heal import Options
from fix_cli import Cli
from fix_databases import Database, fresh_url, text_of
from fix_oracles import SOURCE, environment
from healing import dump
from test_known_stores import detected, fill

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
COPIES = 50
COPY = (
    "INSERT INTO message_store (session_id, message) SELECT session_id || '-' || n, message "
    f"FROM message_store CROSS JOIN generate_series(2, {COPIES}) AS n ORDER BY n, id"
)
TWICE = (
    "SELECT count(*) - count(DISTINCT conversation), count(DISTINCT run) FROM "
    "(SELECT DISTINCT run, conversation FROM endmark.change) AS c"
)
OWN = """
[stores.own]
format = "openai-chat"
table = "own"
conversation = "thread"
order = "id"
payload = "body"
"""
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
HISTORY = [
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "user", "content": "so?"},
]


class Said(NamedTuple):
    """What the example counted, and what it told beside that."""

    counts: dict[str, int]
    told: str


def on_dask(url: str, *actions: str) -> list[Said]:
    """Run the example with each action on one cluster."""
    done = subprocess.run(
        [environment("dask.txt"), SOURCE / "driver_dask.py", url, *actions],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{EXAMPLES}"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [Said(**json.loads(line)) for line in done.stdout.splitlines()]


def undo_all(database: Database, told: str, cli: Cli) -> None:
    """Do what the line for a shell that undoes the runs would do, in another order."""
    line = re.fullmatch(r'to undo: for run in (.*); do (heal-db .*) "\$run" (.*); done\n', told)
    assert line is not None, told
    for run in reversed(line[1].split()):
        words = [*line[2].split(), run, *line[3].split()]
        ended = cli(*(database.url if word == "URL" else word for word in words))
        assert ended.code == 0, ended.err


@pytest.mark.oracle
def test_shards_as_tasks(request: pytest.FixtureRequest, tmp_path: Path, cli: Cli) -> None:
    with fresh_url("postgresql", request, tmp_path) as url:
        database = Database("postgresql", text_of(url), sa.create_engine(url))
        fill(database, "langchain")
        with database.engine.begin() as connection:
            connection.exec_driver_sql(COPY)
        before = dump(database)
        scan, apply, again = on_dask(database.url, "scan", "apply", "apply")
        scanned, applied = scan.counts, apply.counts
        assert (scanned["conversations"], scanned["poisoned"]) == (4 * COPIES, 2 * COPIES)
        assert (applied["healed"], applied["pending"]) == (2 * COPIES, COPIES)
        assert applied["rows_inserted"] == COPIES  # what came late has a row already
        assert again.counts["healed"] == 0
        assert scan.told == again.told == ""
        with database.engine.connect() as connection:
            repeated, runs = connection.exec_driver_sql(TWICE).one()
        assert repeated == 0
        assert runs > 1
        [store] = detected(database)
        assert heal.scan(database.engine, [store], options=Options()).poisoned == 0

        undo_all(database, apply.told, cli)
        assert dump(database) == before
        database.engine.dispose()


@pytest.mark.oracle
def test_tables_that_are_described(
    request: pytest.FixtureRequest, tmp_path: Path, cli: Cli
) -> None:
    config = tmp_path / "own.toml"
    config.write_text(OWN)
    with fresh_url("postgresql", request, tmp_path) as url:
        database = Database("postgresql", text_of(url), sa.create_engine(url))
        with database.engine.begin() as connection:
            connection.exec_driver_sql(
                "CREATE TABLE own (id SERIAL PRIMARY KEY, thread TEXT, body TEXT)"
            )
            rows = [{"t": f"t{n}", "m": json.dumps(m)} for n in range(20) for m in HISTORY]
            connection.execute(sa.text("INSERT INTO own (thread, body) VALUES (:t, :m)"), rows)
        before = dump(database)
        with_it = f"--config {config}"
        none, scan, apply = on_dask(database.url, "scan", f"scan {with_it}", f"apply {with_it}")
        assert none.counts == {}
        assert "no known store is in" in none.told
        assert "seen: own (body, id, thread)" in none.told
        assert (scan.counts["conversations"], scan.counts["poisoned"]) == (20, 20)
        assert apply.counts["healed"] == 20
        undo_all(database, apply.told, cli)
        assert dump(database) == before
        database.engine.dispose()
