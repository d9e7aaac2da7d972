"""Guess how a table that has a column for each field of a message is to be read: as TOML.

As with other guesses nothing is healed by it: it is printed, for a user who then checks it.
"""
# ruff: noqa: S608  (names are quoted by the dialect)

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from endmark import formats
from endmark.errors import StoreError
from endmark.formats import Format
from endmark.stores import sample
from endmark.stores.guess import TEXTS, age_of, conversation_of, is_role, order_of, plain
from endmark.stores.table import Table, rows_of

__all__ = ["guesses_of_fields"]

# What such columns are called, without what their spelling adds, by the key of a message.
KEYS = {
    "content": ("content", "text", "body", "message"),
    "tool_call_id": ("toolcallid", "callid"),
}
PREFERRED = "openai-chat"  # of formats that share these fields


def guesses_of_fields(
    connection: Connection, tables: Mapping[str, set[str]], schema: str | None
) -> dict[str, str]:
    """Give for each table that looks like it what a TOML file for it holds, by its name."""
    found: dict[str, str] = {}
    for name in sorted(tables):
        try:
            table = Table(connection, name, schema)
        except StoreError:
            continue
        if (toml := _guess(connection, table)) is not None:
            found[name] = f"heal-db scan URL --config FILE.toml, with this line in it: {toml}"
    return found


def _guess(connection: Connection, table: Table) -> str | None:
    role = next((name for name in table.columns if is_role(connection, table, name)), None)
    texts = [name for name, column in table.columns.items() if _is_text(column.type)]
    if role is None:
        return None
    for format_ in sorted(map(formats.get, formats.names()), key=lambda f: f.name != PREFERRED):
        for column in texts:
            key = _calls_in(connection, table, column, format_)
            fields = _fields(texts, column, key, format_) if key else {}
            if format_.body in fields.values():
                given = _described(table, role, fields, column, format_)
                given["age"] = age_of(connection, table, {role, *fields}, given["order"])
                return f"stores.{_key(table.name)} = {_value(_told(given))}"
    return None


def _is_text(type_: str) -> bool:
    return not type_ or any(word in type_.lower() for word in TEXTS)


def _calls_in(connection: Connection, table: Table, name: str, format_: Format) -> str | None:
    """Give the key of the calls that a column holds, and nothing else; not that of the body."""
    cell = f"CAST({table.quote(name)} AS TEXT)"
    sql = f"SELECT {table.read(name)} FROM {table.ref} WHERE {cell} <> '' LIMIT {sample.SIZE}"
    values = [sample.value(row[0]) for row in rows_of(connection, sql, {})]
    keys = {sample.calls_key(format_, value) for value in values if value}
    return keys.pop() if len(keys) == 1 and keys <= set(sample.CALLS_KEYS) else None


def _fields(texts: list[str], calls: str, key: str, format_: Format) -> dict[str, str]:
    """Map the columns that are called like fields of a message to their keys."""
    fields: dict[str, str] = {}
    for known, names in KEYS.items():
        column = next((c for said in names for c in texts if plain(c) == said != calls), None)
        if column is not None:
            fields[column] = known
    return {**fields, calls: key}


def _described(
    table: Table, role: str, fields: dict[str, str], calls: str, format_: Format
) -> dict[str, Any]:
    taken: set[str | None] = {role, *fields}
    conversation = conversation_of(table, taken)
    return {
        "format": format_.name,
        "table": table.name,
        "schema": table.schema,
        "conversation": conversation or "COLUMN",
        "order": order_of(table, taken, conversation) or "COLUMN",
        "role": role,
        "fields": fields,
        "json": [calls],
    }


def _told(given: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in given.items() if value}


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _value(value: Any) -> str:
    """Write TOML on one line; its texts and lists are those of JSON."""
    if not isinstance(value, dict):
        return json.dumps(value)
    return f"{{ {', '.join(f'{_key(key)} = {_value(one)}' for key, one in value.items())} }}"
