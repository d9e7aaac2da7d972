"""The journal: every row that a heal changed, as it was and as it became.

It stands in the user's database, written in the very transaction that changes the rows; undo reads
nothing else. It is a schema of its own on PostgreSQL and tables with a prefix on SQLite.
"""
# ruff: noqa: S608  (the table names are ours, values are bound)

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import orjson
from sqlalchemy import Connection, inspect, text

from endmark.errors import HealError
from endmark.heal.report import Options, Run
from endmark.stores._store import Store
from endmark.stores.changes import COUNTER, Change
from endmark.stores.table import Cells

VERSION = 1
SCHEMA = "endmark"
PREFIX = "endmark_heal_"

_RUN = """
CREATE TABLE IF NOT EXISTS {run} (
    run TEXT PRIMARY KEY, version INTEGER NOT NULL, store TEXT NOT NULL, scope TEXT NOT NULL,
    started TEXT NOT NULL, finished TEXT, healed INTEGER NOT NULL, changed INTEGER NOT NULL,
    undone TEXT, undone_to BIGINT
)
"""
_CHANGE = """
CREATE TABLE IF NOT EXISTS {change} (
    id {serial}, run TEXT NOT NULL, conversation TEXT NOT NULL, alone INTEGER NOT NULL,
    table_schema TEXT, table_name TEXT NOT NULL, row_key TEXT NOT NULL,
    before TEXT, after TEXT
){storage}
"""
# The changes of a run that an undo left alone, so that the next one tries these and no others.
_REMAINING = """
CREATE TABLE IF NOT EXISTS {remaining} (change BIGINT PRIMARY KEY, run TEXT NOT NULL)
"""
# PostgreSQL would press each row over 2 KB, which takes longer than all the rest of a heal.
_PLAIN = " WITH (toast_tuple_target = 8160)"


def include_name(name: str | None, type_: str, parent_names: Any = None) -> bool:
    """Keep alembic's autogenerate from proposing to drop our tables; for `include_name`.

    >>> include_name("endmark_heal_run", "table")
    False
    """
    if type_ == "schema":
        return name != SCHEMA
    return not (type_ == "table" and (name or "").startswith((PREFIX, "endmark_version")))


def include_object(
    object_: Any, name: str | None, type_: str, reflected: bool, compare_to: Any
) -> bool:
    """Do as `include_name`, for alembic's `include_object`."""
    schema = getattr(object_, "schema", None)
    return include_name(name, type_) and not (type_ == "table" and schema == SCHEMA)


def now() -> str:
    """Give the time as the journal writes it: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True)
class Entry:
    """One change as the journal has it."""

    id: int
    conversation: str
    alone: bool
    schema: str | None
    name: str
    change: Change

    @property
    def is_number(self) -> bool:
        """Say whether this is no row of the user's, but the last number that a table gave out."""
        return self.name == COUNTER


class Journal:
    """The journal of one database, on one connection; nothing is made before it is needed."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.is_pg = connection.dialect.name == "postgresql"
        self.run = f"{SCHEMA}.run" if self.is_pg else f"{PREFIX}run"
        self.change = f"{SCHEMA}.change" if self.is_pg else f"{PREFIX}change"
        self.remaining = f"{SCHEMA}.remaining" if self.is_pg else f"{PREFIX}remaining"

    def exists(self) -> bool:
        """Say whether there is a journal. Raises `HealError` for one of a newer version."""
        if not self._has(self.run):
            return False
        newest = self.connection.scalar(text(f"SELECT max(version) FROM {self.run}"))
        if newest is not None and newest > VERSION:
            msg = (
                f"the journal in {self.run} was written by a newer version of Endmark "
                f"(journal {newest}, this one knows {VERSION}); upgrade Endmark"
            )
            raise HealError(msg)
        return True

    def _has(self, table: str) -> bool:
        schema, _, name = table.rpartition(".")
        return inspect(self.connection).has_table(name, schema=schema or None)

    def create(self) -> None:
        """Make the tables where they are not."""
        self._lock_names()
        if self.is_pg:
            self.connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
        serial = (
            "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
            if self.is_pg
            else "INTEGER PRIMARY KEY"
        )
        for ddl in (_RUN, _CHANGE):
            storage = _PLAIN if self.is_pg else ""
            sql = ddl.format(run=self.run, change=self.change, serial=serial, storage=storage)
            self.connection.execute(text(sql))
        index = f"CREATE INDEX IF NOT EXISTS {PREFIX}by_run ON {self.change} (run, id)"
        self.connection.execute(text(index))

    def _lock_names(self) -> None:
        """Keep two from making a schema or a table at once, which both would find missing."""
        if self.is_pg:
            self.connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('endmark.heal'))"))

    def unfinished(self, scope: str) -> str | None:
        """Find the run of these stores that was cut off."""
        sql = (
            f"SELECT run FROM {self.run} WHERE scope = :scope AND finished IS NULL "
            "AND undone IS NULL AND undone_to IS NULL ORDER BY started DESC LIMIT 1"
        )
        found: str | None = self.connection.scalar(text(sql), {"scope": scope})
        return found

    def begin(self, stores: Sequence[Store], scope: str) -> str:
        self.create()
        run = uuid.uuid4().hex[:12]
        values = {"run": run, "version": VERSION, "started": now(), "scope": scope}
        values["store"] = ", ".join(store.name for store in stores)
        sql = (
            f"INSERT INTO {self.run} (run, version, store, scope, started, healed, changed) "
            "VALUES (:run, :version, :store, :scope, :started, 0, 0)"
        )
        self.connection.execute(text(sql), values)
        return run

    def record(
        self, run: str, healed: int, made: Iterable[tuple[str, bool, str | None, Change]]
    ) -> None:
        """Write what was changed: conversation, whether each row stands alone, schema, change."""
        rows = [
            {
                "run": run, "conversation": conversation, "alone": int(alone), "schema": schema,
                "name": change.table if schema is None else change.table.removeprefix(f"{schema}."),
                "key": _dump(change.key), "before": _dump(change.before),
                "after": _dump(change.after),
            }
            for conversation, alone, schema, change in made
        ]  # fmt: skip
        if not rows:
            return
        columns = "run, conversation, alone, table_schema, table_name, row_key, before, after"
        binds = ":run, :conversation, :alone, :schema, :name, :key, :before, :after"
        if self.connection.dialect.name == "postgresql":  # one statement: a quarter of the time
            names = "run, conversation, alone, schema, name, key, before, after"
            typed = ", ".join(f"{n} {'int' if n == 'alone' else 'text'}" for n in names.split(", "))
            insert = (
                f"INSERT INTO {self.change} ({columns}) SELECT {names} "
                f"FROM json_to_recordset(CAST(:rows AS json)) AS v({typed})"
            )
            self.connection.execute(text(insert), {"rows": orjson.dumps(rows).decode()})
        else:
            insert = f"INSERT INTO {self.change} ({columns}) VALUES ({binds})"
            self.connection.execute(text(insert), rows)
        changed = sum(row["name"] != COUNTER for row in rows)
        update = (
            f"UPDATE {self.run} SET healed = healed + :healed, changed = changed + :changed "
            "WHERE run = :run"
        )
        self.connection.execute(text(update), {"run": run, "healed": healed, "changed": changed})

    def finish(self, run: str) -> None:
        sql = f"UPDATE {self.run} SET finished = :now WHERE run = :run"
        self.connection.execute(text(sql), {"run": run, "now": now()})

    def runs(self) -> list[Run]:
        """Give every run, newest first."""
        if not self.exists():
            return []
        columns = "run, store, started, finished, healed, changed, undone"
        rows = self.connection.execute(
            text(f"SELECT {columns} FROM {self.run} ORDER BY started DESC, run")
        )
        return [replace(Run(*row), rows_left=self._rows_left(row[0])) for row in rows]

    def held(self, run: str) -> tuple[bool, int | None]:
        """Keep other undos of a run out until the transaction ends.

        Say whether it is undone, and down to which change; 0: what remains was left alone.
        """
        lock = " FOR UPDATE" if self.is_pg else ""  # a transaction on SQLite has the write lock
        sql = f"SELECT undone IS NOT NULL, undone_to FROM {self.run} WHERE run = :run{lock}"
        is_undone, come_to = self.connection.execute(text(sql), {"run": run}).one()
        return bool(is_undone), come_to

    def entries(self, run: str, before: int | None, limit: int, *, again: bool) -> list[Entry]:
        """Give changes of a run, last first, those before an id; `again`: of those left alone."""
        columns = "id, conversation, alone, table_schema, table_name, row_key, before, after"
        sql = f"SELECT {columns} FROM {self.change} WHERE run = :run"
        if again:
            sql += f" AND id IN (SELECT change FROM {self.remaining} WHERE run = :run)"
        if before is not None:
            sql += " AND id < :before"
        sql += " ORDER BY id DESC LIMIT :limit"
        values = {"run": run, "before": before, "limit": limit}
        return [_entry(*row) for row in self.connection.execute(text(sql), values)]

    def mark_tried(self, run: str, tried: Sequence[Entry], kept: Sequence[Entry]) -> None:
        """Note that an undo came to these changes, and which of them it left alone."""
        if kept:
            self._lock_names()
            self.connection.execute(text(_REMAINING.format(remaining=self.remaining)))
        if self._has(self.remaining):
            gone = (
                f"DELETE FROM {self.remaining} WHERE run = :run AND change BETWEEN :low AND :high"
            )
            span = {"low": tried[-1].id, "high": tried[0].id}
            self.connection.execute(text(gone), {"run": run, **span})
        if kept:
            sql = f"INSERT INTO {self.remaining} (change, run) VALUES (:change, :run)"
            self.connection.execute(text(sql), [{"change": e.id, "run": run} for e in kept])

    def mark_undone_to(self, run: str, to: int | None) -> None:
        """Note how far an undo has come."""
        sql = f"UPDATE {self.run} SET undone_to = :to WHERE run = :run"
        self.connection.execute(text(sql), {"run": run, "to": to})

    def mark_end(self, run: str) -> None:
        """Note that an undo has tried every change: the run is undone, in part, or not at all."""
        left = self._rows_left(run)
        if not left:
            sql = f"UPDATE {self.run} SET undone = :now WHERE run = :run"
            self.connection.execute(text(sql), {"run": run, "now": now()})
        whole = bool(left) and left == self._count(f"{self.change} WHERE run = :run", run)
        if not left or whole:
            sql = f"DELETE FROM {self.remaining} WHERE run = :run"
            if self._has(self.remaining):
                self.connection.execute(text(sql), {"run": run})
        self.mark_undone_to(run, None if whole else 0)

    def _rows_left(self, run: str) -> int:
        if not self._has(self.remaining):
            return 0
        joined = f"{self.remaining} AS r JOIN {self.change} AS c ON c.id = r.change"
        return self._count(f"{joined} WHERE r.run = :run", run)

    def _count(self, where: str, run: str) -> int:
        sql = f"SELECT count(*) FROM {where} AND table_name <> '{COUNTER}'"
        return int(self.connection.scalar(text(sql), {"run": run}) or 0)


def scope(stores: Sequence[Store], options: Options) -> str:
    """Name what a run is of: an apply goes on with an unfinished run of the same."""
    names = [f"{s.name}:{s.schema or ''}.{s.table}:{s.payload}" for s in stores]
    shard = "" if options.shard is None else " {}/{}".format(*options.shard)
    return ", ".join(names) + shard


def _entry(id_: int, conversation: str, alone: int, schema: str | None, name: str,
           key: str, before: str | None, after: str | None) -> Entry:  # fmt: skip
    table = name if schema is None else f"{schema}.{name}"
    change = Change(table, _load(key) or {}, _load(before), _load(after))
    return Entry(id_, conversation, bool(alone), schema, name, change)


def _dump(cells: Cells | None) -> str | None:
    if cells is None:
        return None
    if not any(isinstance(cell, float) for cell in cells.values()):  # orjson: infinity is null
        try:
            return orjson.dumps(cells, default=_bytes).decode()
        except TypeError:  # a lone surrogate, or a number over 64 bits
            pass
    return json.dumps(cells, default=_bytes)


def _bytes(value: Any) -> Any:
    return {"base64": base64.b64encode(bytes(value)).decode()}


def _load(cells: str | None) -> Cells | None:
    if cells is None:
        return None
    return {
        name: base64.b64decode(cell["base64"]) if isinstance(cell, dict) else cell
        for name, cell in json.loads(cells).items()
    }
