"""Heal, then the library that wrote the store goes on with it; and guard, then it cannot be broken.

Its programs are `stores/real/with_*.py`, its model a fake that refuses what providers refuse. What
reads on its own terms (openai-agents since 0.8, say) is not refused: there the history is first read
as it is stored, as other readers do. Older versions are asked alone.
"""

from __future__ import annotations

import json
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import check, heal
from endmark.heal import Item, Options
from fix_databases import Database, fresh_url, text_of
from fix_real import Real, Work
from healing import dump
from real_writers import GUARDED, OLDER, WRITERS
from test_known_stores import CASES, FORCED, LATER, detected, found, histories, store_of

NAMES = {str(uuid.uuid5(uuid.NAMESPACE_URL, name)): name for name in ("middle", "late", "end")}
ALL = [
    *(pytest.param(*case, real, id="-".join(case)) for case, real in WRITERS.items()),
    *(pytest.param(*case, real, id="-".join([*case, "older"])) for case, real in OLDER.items()),
]


class Bases:
    """Fresh databases of one kind, as Endmark and as the library open them."""

    def __init__(self, kind: str, request: pytest.FixtureRequest, folder: Path) -> None:
        self.kind, self.request, self.folder = kind, request, folder
        self.closing = ExitStack()
        self.count = 0

    def fresh(self) -> Database:
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        url = self.closing.enter_context(fresh_url(self.kind, self.request, folder))
        engine = sa.create_engine(url)
        self.closing.callback(engine.dispose)
        return Database(self.kind, text_of(url), engine)

    def spelt(self, database: Database, real: Real) -> str:
        url = sa.make_url(database.url)
        server = database.url.partition("+psycopg")[2] or database.url.partition("postgresql")[2]
        return real.url.format(path=url.database, server=server)


def refused(said: list[str]) -> set[str]:
    return {line.split()[0] for line in said if "REFUSED" in line}


def answered(said: list[str]) -> set[str]:
    """Name the conversations that came to an answer."""
    words = [line.rpartition(";")[2].split() for line in said if "REFUSED" not in line]
    return {line[0] for line in words if line[-1:] in (["Sunny."], *([str(n)] for n in range(9)))}


def plain(conversation: str) -> str:
    """Name a conversation as the programs do."""
    parts = conversation.split("/")
    name = conversation if parts[0] == "forked" else parts[-1 if parts[-1] != "main" else 0]
    return NAMES.get(name, name)


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "kind", "writer"), ALL)
def test_the_library_goes_on_with_what_was_healed(
    real: Work, name: str, kind: str, writer: Real, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    case = CASES[name]
    waits = set(case.get("waits", ()))  # for a person, who may answer yet
    dead = {plain(c) for c, what in case["found"].items() if c not in waits and "poisoned" in what}
    options = LATER if case["aged"] else FORCED
    bases = Bases(kind, request, tmp_path)
    with bases.closing:
        broken, healed = bases.fresh(), bases.fresh()
        for database in (broken, healed):
            real(writer, "write", bases.spelt(database, writer))
        told = real(writer, "go-on", bases.spelt(broken, writer))
        assert refused(told) == dead - writer.takes, told
        assert "sound" in answered(told)

        store = store_of(healed, name)
        assert found(healed, store, FORCED) == case["found"]
        before = dump(healed)
        applied = heal.apply(healed.engine, [store], options=options)
        assert (applied.healed, applied.pending) == (len(dead), len(waits))
        heal.undo(healed.engine)
        assert dump(healed) == before
        heal.apply(healed.engine, [store], options=options)
        told = real(writer, "go-on", bases.spelt(healed, writer))
        assert refused(told) == set(), told
        assert answered(told) == {"sound", *dead, *writer.also}, told


@pytest.mark.oracle
@pytest.mark.parametrize("case", GUARDED, ids="-".join)
def test_what_the_library_writes_behind_a_guard_is_sound(
    real: Work, case: tuple[str, str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    name, kind = case
    bases = Bases(kind, request, tmp_path)
    with bases.closing:
        database, writer = bases.fresh(), WRITERS[case]
        url = bases.spelt(database, writer)
        real(writer, "write", url, guard=True)
        assert wrong(database) == {"end": "pending"} | dict.fromkeys(waiting(name), "pending")
        assert_kept(database, name)
        before = waiting_rows(database, name)
        told = real(writer, "go-on", url, guard=True)
        assert refused(told) == set(), told
        asks = {"asks"} if waiting(name) else set()  # a tool that a person allowed meanwhile
        assert answered(told) == {"middle", "late", "end", "sound", *asks}, told
        repaired = [line for line in told if line.startswith("repaired")]
        assert [line for line in repaired if "end" not in line] == []
        assert repaired
        assert wrong(database) == dict.fromkeys(waiting(name), "pending")
        assert waiting_rows(database, name) == before


def waiting(name: str) -> set[str]:
    """Name the conversations that wait for a person, or for a tool that takes long."""
    return {"waits"} if name in {"adk", "openai-agents-sqlalchemy"} else set()


def wrong(database: Database) -> dict[str, str]:
    items: list[Item] = []
    found = detected(database)
    heal.scan(database.engine, found, options=Options(now=0), on_item=items.append)
    return {plain(item.conversation): item.status for item in items}


def told_of(database: Database, name: str) -> Any:
    [store] = detected(database)
    prefix = "app/u/" if store.name == "adk" else ""
    return histories(database, store, [prefix + name])[prefix + name]


def assert_kept(database: Database, name: str) -> None:
    """What was written is there: both real results, and one result that nobody gave."""
    [store] = detected(database)
    late, middle = (json.dumps(told_of(database, one)) for one in ("late", "middle"))
    real_result = '"degrees": 21' if store.format == "adk" else "21 degrees"
    assert (late.count(real_result), late.count("No result was recorded")) == (1, 0)
    assert (middle.count(real_result), middle.count("No result was recorded")) == (1, 1)
    for told in (late, middle):
        assert check(json.loads(told), store.format) == ()


def waiting_rows(database: Database, name: str) -> Any:
    return [told_of(database, one) for one in sorted(waiting(name))]
