"""Chat tables for the heal's tests: filled with histories, read back, dumped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from endmark.stores import Store, custom
from fix_databases import Database

LAYOUTS: dict[str, Any] = json.loads((Path(__file__).parent / "heal" / "layouts.json").read_text())
PAYLOADS = {"sqlite": ("TEXT",), "postgresql": ("TEXT", "JSON", "JSONB")}
NUMBERS = {
    "sqlite": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "postgresql": "BIGSERIAL PRIMARY KEY",
}
SEGMENTS = ("data", "idx")
START = datetime.fromisoformat("2026-01-01 12:00:00.000005")
History = list[dict[str, Any]]


class Chat:
    """One table of one layout in a database."""

    def __init__(self, database: Database, layout: str, payload: str, format: str) -> None:
        self.database = database
        self.layout = layout
        self.columns = LAYOUTS[layout]["columns"]
        self.store: Store = custom.from_flags(format=format, **LAYOUTS[layout]["store"])
        names = {"payload": payload, "number": NUMBERS[database.name]}
        with database.engine.begin() as connection:
            connection.execute(sa.text(LAYOUTS[layout]["ddl"].format_map(names)))

    def fill(self, histories: Mapping[str, History]) -> None:
        """Write conversations so that their rows stand between one another."""
        if self.layout == "list":
            rows = [self._row(name, 0, {"data": {"messages": h}}) for name, h in histories.items()]
        else:
            numbered = [
                [(name, k, message) for k, message in enumerate(history)]
                for name, history in histories.items()
            ]
            rows = [self._row(*cell) for turn in zip_longest(*numbered) for cell in turn if cell]
        self.insert(rows)

    def insert(self, rows: list[dict[str, Any]]) -> None:
        binds = ", ".join(
            f"CAST(:{name} AS {self._types[name]})" if self._is_pg else f":{name}"
            for name in self.columns
        )
        sql = f"INSERT INTO chat ({', '.join(self.columns)}) VALUES ({binds})"
        with self.database.engine.begin() as connection:
            if rows:
                connection.execute(sa.text(sql), rows)

    @property
    def _is_pg(self) -> bool:
        return self.database.name == "postgresql"

    @cached_property
    def _types(self) -> dict[str, str]:
        columns = sa.inspect(self.database.engine).get_columns("chat")
        return {column["name"]: str(column["type"]) for column in columns}

    def _row(self, name: str, index: int, message: Any) -> dict[str, Any]:
        known = {
            "id": f"{name}-{index:03}",
            "tenant": "acme",
            "thread": name,
            "seq": index,
            "at": str(START + timedelta(seconds=index)),
            "body": message if isinstance(message, str) else json.dumps(message),
            "note": f"note {index}",
        }
        return {name: known[name] for name in self.columns}

    def histories(self) -> dict[str, History]:
        """Read all conversations, by the test's own eyes."""
        order = {"sequence": "seq", "time": "at", "shared": "id", "list": "thread"}
        by = order.get(self.layout, "seq")
        body = "CAST(body AS TEXT)" if self._is_pg else "body"
        found: dict[str, History] = {}
        with self.database.engine.connect() as connection:
            rows = connection.execute(sa.text(f"SELECT thread, {body} FROM chat ORDER BY {by}"))
            for name, text in rows:
                payload = json.loads(text)
                found.setdefault(name, []).extend(
                    payload["data"]["messages"] if self.layout == "list" else [payload]
                )
        return found

    def dump(self) -> list[str]:
        return dump(self.database)


def dump(database: Database) -> list[str]:
    """Give every byte of the user's tables; the journal is not theirs."""
    with database.engine.connect() as connection:
        if database.name == "sqlite":
            driver: Any = connection.connection.driver_connection
            sql = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%fts5%'"
            # How an index for search is cut into segments tells of the writes, not of the words:
            # those stand in its tables of content and of sizes.
            cut = [f'INSERT INTO "{n}_{part}"' for (n,) in driver.execute(sql) for part in SEGMENTS]
            lines = [line for line in driver.iterdump() if "endmark_heal_" not in line]
            return sorted(line for line in lines if not line.startswith(tuple(cut)))
        lines = []
        inspector = sa.inspect(connection)
        for schema in inspector.get_schema_names():
            if schema.startswith(("endmark", "information_schema", "pg_")):
                continue
            for table in inspector.get_table_names(schema):
                names = (word.replace('"', '""').replace(":", "\\:") for word in (schema, table))
                place = ".".join(f'"{name}"' for name in names)
                rows = connection.execute(sa.text(f"SELECT CAST(t AS TEXT) FROM {place} AS t"))
                lines += [f"{table}: {row[0]}" for row in rows]
        return sorted(lines)
