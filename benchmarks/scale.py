"""Every store with a message a row, large, on PostgreSQL: one process beside four shards.

A table is filled from the dump that its own library wrote (`tests/stores/NAME/postgresql.sql`): one
sound conversation many times, and in every hundredth place a poisoned one.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, inspect, text

from benchmarks import chats
from benchmarks.measure import Row
from endmark import heal, stores
from endmark.heal import Options
from endmark.stores import Source, Store
from endmark.stores.table import Table

SHARDS = 4
FORMATS = ("ai-sdk", "openai-chat")  # tables of one's own: inline, and a result a message
DUMPS = Path(__file__).parents[1] / "tests" / "stores"


@dataclass(frozen=True)
class Made:
    """A table to heal: its name in the report, how it is filled with so many rows."""

    name: str
    fill: Callable[[Engine, int], None]


def rows(engine: Engine, size: int) -> Iterator[Row]:
    """Measure every store, at a tenth of the size and at the size."""
    for made in [*map(_own, FORMATS), *_known()]:
        yield from _measured(engine, made, size)


def _own(format: str) -> Made:
    return Made(format, lambda engine, size: chats.load(engine, format, size, "jsonb"))


def _known() -> Iterator[Made]:
    for path in sorted(DUMPS.glob("*/postgresql.sql")):
        case = json.loads((path.parent / "case.json").read_text())
        if case["store"] in stores.names() and stores.get(case["store"]).layout == "rows":
            yield Made(path.parent.name, _filled_from(path, case))


def _filled_from(path: Path, case: dict[str, Any]) -> Callable[[Engine, int], None]:
    dead = next(
        name
        for name, what in case["found"].items()
        if what == "poisoned dangling" and name not in case["open"]
    )

    def fill(engine: Engine, size: int) -> None:
        driver: Any = engine.raw_connection()
        driver.execute(path.read_text())
        driver.commit()
        driver.detach()  # a dump sets the search path of its session
        driver.close()
        with engine.begin() as connection:
            [store] = stores.detect(connection)
            _multiply(connection, store, tuple(dead.split("/")), size)
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE"))

    return fill


def _multiply(connection: Connection, store: Store, dead: tuple[str, ...], size: int) -> None:
    """Copy a sound conversation, and in every hundredth place the dead one, under new names."""
    table = Table(connection, store.table, store.schema)
    for name in inspect(connection).get_table_names():
        for key in inspect(connection).get_foreign_keys(name):
            quoted = table.quote(str(key["name"]))
            connection.execute(text(f"ALTER TABLE {table.quote(name)} DROP CONSTRAINT {quoted}"))
    named = ", ".join(map(table.read, store.conversation))
    order = ", ".join(map(table.quote, store.order))
    found: dict[tuple[str, ...], int] = {}
    for row in connection.execute(text(f"SELECT {named} FROM {table.ref}")):
        found[tuple(row)] = found.get(tuple(row), 0) + 1
    sound = next(id_ for id_ in found if id_[-1] in {"sound", _uuid("sound")})
    columns = [c.name for c in table.columns.values() if not (c.numbered or c.generated)]
    new = ", ".join(_renewed(table, name, store) for name in columns)
    into = ", ".join(map(table.quote, columns))
    is_ = " AND ".join(
        table.equals(name, "{0}" + str(n)) for n, name in enumerate(store.conversation)
    )
    sql = (
        f"INSERT INTO {table.ref} ({into}) SELECT {new} FROM {table.ref} "
        "CROSS JOIN generate_series(1, :count) AS n WHERE "
        f"n % 100 <> 0 AND {is_.format('s')} OR n % 100 = 0 AND {is_.format('d')} "
        f"ORDER BY n, {order}"
    )
    values = {f"s{n}": cell for n, cell in enumerate(sound)}
    values |= {f"d{n}": cell for n, cell in enumerate(dead)}
    connection.execute(text(sql), {"count": size // found[sound], **values})


def _uuid(word: str) -> str:
    """Name a session as `tests/stores/real/with_langchain.py` does."""
    import uuid

    return str(uuid.uuid5(uuid.NAMESPACE_URL, word))


def _renewed(table: Table, name: str, store: Store) -> str:
    """Give SQL for a column of a copy: what names a conversation or a row is made anew."""
    column = table.quote(name)
    if name != store.conversation[-1] and not (
        name in table.primary_key and name not in store.conversation
    ):
        return column
    if table.columns[name].type == "uuid":
        return f"CAST(md5(CAST({column} AS text) || n) AS uuid)"
    return f"{column} || '-' || n"


def _measured(engine: Engine, made: Made, size: int) -> Iterator[Row]:
    _fresh(engine, made, size // 10)
    few = _ended(_started(engine, made.name, None))
    store = _fresh(engine, made, size)
    before = _content(engine, store)
    many = _ended(_started(engine, made.name, None))
    whole = _content(engine, store)
    if whole == before:
        raise AssertionError(f"{made.name}: nothing was healed")
    heal.undo(engine)
    if _content(engine, store) != before:
        raise AssertionError(f"{made.name}: undone, but not as it was")
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))
    parts = _sharded(engine, made.name)
    taken = max(part["seconds"] for part in parts)
    twice = _healed_twice(engine)
    differing = abs(sum(part["healed"] for part in parts) - many["healed"]) + twice
    differing += _content(engine, store) != whole
    detail = f"{many['healed']} healed by one, {[part['healed'] for part in parts]} by {SHARDS}"
    yield Row(
        f"{SHARDS} shards beside one process: what differs, {made.name}",
        differing,
        0,
        0,
        "",
        detail,
    )
    slower = many["seconds"] / few["seconds"] * few["rows"] / many["rows"]
    each = [1e6 * one["seconds"] / one["rows"] for one in (few, many)]
    sizes = f"{few['rows']:,} / {many['rows']:,} rows"
    detail = f"{each[0]:.2f} µs / {each[1]:.2f} µs"
    yield Row(f"time a row, {sizes}, {made.name}", slower, 1.25, 1.1, "x", detail)
    detail = f"{taken:.2f} s / {many['seconds']:.2f} s"
    yield Row(
        f"{SHARDS} shards / one process, {made.name}",
        taken / many["seconds"],
        1.5,
        0.75,
        "x",
        detail,
    )
    more = (many["peak"] - few["peak"]) / 1024
    detail = f"{few['peak'] / 1024:.0f} MB / {many['peak'] / 1024:.0f} MB"
    yield Row(f"memory, {sizes}, {made.name}", more, 64, 8, " MB", detail)


def _fresh(engine: Engine, made: Made, size: int) -> Store:
    """Fill an empty database."""
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA IF EXISTS endmark CASCADE"))
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    made.fill(engine, size)
    with engine.connect() as connection:
        return _store(connection, made.name)


def _store(connection: Connection, name: str) -> Store:
    if name in FORMATS:
        return chats.store(name)
    [found] = stores.detect(connection)
    return found


def _content(engine: Engine, store: Store) -> tuple[Any, ...]:
    """Give a sum of every message at its place; keys that the database numbers are left out."""
    with engine.connect() as connection:
        table, order = (source := Source(connection, store)).table, source.order
        named = ", ".join(map(table.quote, store.conversation))
        place = f"row_number() OVER (PARTITION BY {named} ORDER BY {', '.join(map(table.quote, order))})"
        said = f"concat_ws('|', {named}, {place}, {table.read(store.payload)})"
        one = f"SELECT CAST(hashtextextended({said}, 0) AS numeric) AS h FROM {table.ref}"
        return tuple(connection.execute(text(f"SELECT count(*), sum(h) FROM ({one}) AS o")).one())


def _healed_twice(engine: Engine) -> int:
    """Count conversations that more than one of the last runs healed."""
    sql = (
        "SELECT count(*) FROM (SELECT conversation FROM endmark.change JOIN endmark.run USING (run) "
        "WHERE undone IS NULL GROUP BY conversation HAVING count(DISTINCT run) > 1) AS t"
    )
    with engine.connect() as connection:
        return int(connection.execute(text(sql)).scalar_one())


def _sharded(engine: Engine, name: str) -> list[dict[str, Any]]:
    running = [_started(engine, name, shard) for shard in range(SHARDS)]
    return [_ended(one) for one in running]


def _started(engine: Engine, name: str, shard: int | None) -> subprocess.Popen[str]:
    url = engine.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "benchmarks.scale", url, name, str(shard)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, _ = process.communicate()
    if process.returncode:
        raise AssertionError(f"a process ended with {process.returncode}")
    said: dict[str, Any] = json.loads(out)
    return said


def _child(url: str, name: str, shard: str) -> None:
    """Heal one shard, or all, and print the seconds, the peak of memory in KB and the counts."""
    engine = create_engine(url)
    with engine.connect() as connection:
        store = _store(connection, name)
        count = connection.execute(text(f'SELECT count(*) FROM "{store.table}"')).scalar_one()
    options = Options(shard=None if shard == "None" else (int(shard), SHARDS))
    start = time.perf_counter()
    applied = heal.apply(engine, [store], options=options)
    seconds = time.perf_counter() - start
    status = Path("/proc/self/status").read_text()  # getrusage tells of before exec, too
    peak = int(next(line for line in status.splitlines() if "VmHWM" in line).split()[1])
    told = {"seconds": seconds, "peak": peak, "rows": count, "healed": applied.healed}
    if applied.skipped:
        raise AssertionError(applied)
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    _child(*sys.argv[1:])
