"""Guess how a table that no known store fits is to be read, for flags that a user then checks.

The format is told by the payloads, as ever; the columns by what they hold, their type and their
name. Nothing is healed by a guess: it is only printed.
"""

# ruff: noqa: S608  (names are quoted by the dialect)

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from endmark import formats
from endmark.errors import StoreError, UnreadableError
from endmark.formats import Format
from endmark.stores import json_text
from endmark.stores.order import moment
from endmark.stores.source import AGE_COLUMNS
from endmark.stores.table import Table, rows_of
from endmark.stores.words import is_plain

MOST_BROKEN = 4  # sound payloads for each that cannot be read
# A column of this name holds a piece of a message, whatever its JSON looks like.
PIECES = frozenset(
    {
        "toolcalls", "toolcall", "toolcallsjson", "callsjson", "functioncall", "functioncalls",
        "toolinvocations", "tooluse", "tooluses", "tools",
    }
)  # fmt: skip
SAMPLE = 50  # rows whose payloads are looked at
MANY = 5_000  # rows in which a conversation's name would be there twice
MOST = 3  # guesses
DEEP = 4  # steps to a list in a payload
TEXTS = ("json", "text", "char", "clob")
ROLES = frozenset(
    {"user", "assistant", "system", "tool", "human", "ai", "model", "developer", "function"}
)
CONVERSATIONS = ("conversation", "thread", "chat", "session", "dialog", "channel", "ticket", "room")
SEQUENCES = ("seq", "sequence", "position", "ordinal", "orderindex", "idx", "index", "number")
MOMENTS = ("createdat", "timestamp", "created", "sentat", "insertedat", "time", "date")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a column: the layout that it would be, and the messages so read."""

    format: Format
    path: tuple[str, ...] = ()
    whole: bool = False  # a list of messages, not one
    role: str | None = None
    messages: int = 0
    others: tuple[str, ...] = ()  # formats that fit as well


def guesses(
    connection: Connection, tables: Mapping[str, set[str]], schema: str | None
) -> list[str]:
    """Give the flags of likely mappings, the likeliest first; or why a heal refuses them."""
    found: list[tuple[int, str]] = []
    for name in sorted(tables):
        try:
            table = Table(connection, name, schema)
        except StoreError:
            continue
        for payload, reading in _readings(connection, table):
            told = _refused(connection, table, payload, reading)
            told = told or _flags(connection, table, payload, reading)
            found.append((reading.messages, told))
    likeliest = sorted(found, key=lambda one: -one[0])
    return list(dict.fromkeys(told for _, told in likeliest))[:MOST]


def _readings(connection: Connection, table: Table) -> Iterator[tuple[str, Reading]]:
    roles = [name for name in table.columns if is_role(connection, table, name)]
    for name, column in table.columns.items():
        if plain(name) in PIECES and roles:
            continue
        if not column.type or any(word in column.type.lower() for word in TEXTS):
            told = _payloads(connection, table, name, roles[:1])
            best = max(_all(told, roles[:1]), key=lambda one: one.messages, default=None)
            if best is not None:
                yield name, best


def _payloads(
    connection: Connection, table: Table, name: str, roles: Sequence[str]
) -> list[tuple[Any, str | None]]:
    """Read a few payloads, each with its role; [] where many of them are no JSON."""
    columns = ", ".join(table.read(column) for column in (name, *roles))
    mixed = bool(roles) and "json" not in table.columns[name].type.lower()
    sql = f"SELECT {columns} FROM {table.ref} WHERE {table.quote(name)} IS NOT NULL LIMIT {SAMPLE}"
    told: list[tuple[Any, str | None]] = []
    broken = 0
    for cell, *role in rows_of(connection, sql, {}):
        if mixed and isinstance(cell, str) and is_plain(cell):
            told.append((cell, str(role[0])))
            continue
        try:
            value = json_text.read(cell) if isinstance(cell, str | bytes) else None
            value = json_text.read(value) if isinstance(value, str) and value[:1] in "[{" else value
        except UnreadableError:  # what a crash leaves behind
            broken += 1
            continue
        told.append((value, str(role[0]) if role else None))
    return told if broken * MOST_BROKEN <= len(told) else []


def _all(told: Sequence[tuple[Any, str | None]], roles: Sequence[str]) -> Iterator[Reading]:
    """Try every way to read these payloads as messages."""
    values = [value for value, _ in told]
    if not any(isinstance(value, dict | list) for value in values):
        return
    if not roles or not any(isinstance(value, str) for value in values):  # else lists are of parts
        yield from _fitting(values)
        for path, messages in lists_in(values).items():
            yield from _fitting(messages, path=path, whole=True)
    for role in roles:
        for format_ in _formats():
            messages = [_with_role(value, said, format_) for value, said in told]
            yield from _fitting(messages, only=format_, role=role)


def _formats() -> list[Format]:
    return [formats.get(name) for name in formats.names()]


def _with_role(value: Any, role: str | None, format_: Format) -> Any:
    return (
        {**value, "role": role} if isinstance(value, dict) else {"role": role, format_.body: value}
    )


def _fitting(
    messages: Sequence[Any],
    *,
    only: Format | None = None,
    path: tuple[str, ...] = (),
    whole: bool = False,
    role: str | None = None,
) -> Iterator[Reading]:
    """Give the format that most of these messages surely are of, if there is one."""
    odd: dict[Format, int] = {}  # to how many messages it cannot be the format of
    for format_ in [only] if only else _formats():
        scores = [format_.told(m) if isinstance(m, dict) else -1 for m in messages]
        if 1 in scores and scores.count(-1) * MOST_BROKEN <= len(scores) - scores.count(-1):
            odd[format_] = scores.count(-1)
    sure = [format_ for format_ in odd if odd[format_] == min(odd.values())]
    if sure:
        others = tuple(format_.name for format_ in sure[1:])
        yield Reading(sure[0], path, whole, role, len(messages), others)


def lists_in(values: Sequence[Any]) -> dict[tuple[str, ...], list[Any]]:
    """Find the lists of objects in payloads, by their path."""
    found: dict[tuple[str, ...], list[Any]] = {}

    def walk(value: Any, path: tuple[str, ...]) -> None:
        if isinstance(value, list):
            if value and all(isinstance(item, dict) for item in value):
                found.setdefault(path, []).extend(value)
            path = (*path, "*")
        items = value.items() if isinstance(value, dict) else (("", v) for v in value)
        for key, item in items:
            if isinstance(item, dict | list) and len(path) < DEEP:
                walk(item, (*path, key) if isinstance(value, dict) else path)

    for value in values:
        if isinstance(value, dict | list):
            walk(value, ())
    return found


def is_role(connection: Connection, table: Table, name: str) -> bool:
    """Tell whether a column says who speaks, as far as a few rows tell."""
    sql = f"SELECT {table.read(name)} FROM {table.ref} LIMIT {SAMPLE}"
    said = {row[0] for row in rows_of(connection, sql, {})}
    return bool(said) and said <= ROLES


def _flags(connection: Connection, table: Table, payload: str, reading: Reading) -> str:
    taken = {payload, reading.role}
    conversation = conversation_of(table, taken) or (_own_key(table) if reading.whole else None)
    several = not reading.whole or _repeats(connection, table, conversation)
    order = order_of(table, taken, conversation) if several else None
    nested = "*" in reading.path
    given = {
        "table": table.name,
        "schema": table.schema,
        "conversation": conversation or "COLUMN",
        "order": None if nested and not several else order,
        "payload": payload,
        "role": reading.role,
        "path": ".".join(reading.path) or None,
        "layout": "list" if reading.whole and not reading.path else None,
        "format": reading.format.name,
        "age": age_of(connection, table, taken, order),
    }
    flags = " ".join(f"--{name} {shlex.quote(said)}" for name, said in given.items() if said)
    more = f" (or {', '.join(reading.others)})" if reading.others else ""
    return f"heal-db scan URL {flags}{more}"


def _refused(connection: Connection, table: Table, payload: str, reading: Reading) -> str | None:
    """Say where calls are kept that this reading would leave out: a heal says so too."""
    from endmark.stores._store import Store
    from endmark.stores.calls_elsewhere import calls_elsewhere
    from endmark.stores.left_out import left_out
    from endmark.stores.source import Source

    named = conversation_of(table, {payload, reading.role})
    conversation = named or _own_key(table)
    if conversation is None or reading.path:
        return None
    store = Store(
        format=reading.format.name,
        table=table.name,
        schema=table.schema,
        conversation=(conversation,),
        payload=payload,
        role=reading.role,
        layout="list" if reading.whole else "rows",
    )
    try:
        source = Source(connection, store)
        return left_out(source, connection) or (named and calls_elsewhere(source, connection))
    except StoreError:
        return None


def conversation_of(table: Table, taken: Collection[str | None]) -> str | None:
    """Find the column that by its name says what all messages of one conversation share."""
    columns = table.columns.items()
    return named_like_one(n for n, column in columns if n not in taken and not column.is_time)


def named_like_one(columns: Iterable[str]) -> str | None:
    """Find the one of these columns that is called like a conversation, its id before others."""
    names = list(columns)
    for ends in (("id", "uuid", "key"), ("",)):
        for word in CONVERSATIONS:
            for name in names:
                if plain(name) in {word + end for end in ends}:
                    return name
    return None


def _own_key(table: Table) -> str | None:
    return next((n for n in (*table.primary_key[:1], "rowid") if n in table.columns), None)


def order_of(table: Table, taken: Collection[str | None], *conversation: str | None) -> str | None:
    """Find the column that most likely orders messages: a number, a time, SQLite's rowid.

    What is unique together with the conversation alone is its order, whatever it is called.
    """
    names = [name for name in table.columns if name not in {*taken, *conversation}]
    numbers = [name for name in names if table.columns[name].is_number]
    placed = [
        name
        for unique in (table.primary_key, *table.unique)
        for name in names
        if {*unique} == {name, *conversation} and (name in numbers or table.columns[name].is_time)
    ]
    if sequence := sequence_of(placed) or next(iter(placed), None) or sequence_of(numbers):
        return sequence
    key = [name for name in table.primary_key if name in numbers]
    rowid = ["rowid"] if "rowid" in table.columns and not key else []
    return next(iter([*key, *_times(table, names), *rowid]), None)


def _times(table: Table, names: Sequence[str]) -> list[str]:
    """Give the columns that are called like the time of a row, then all others of times."""
    moments = [name for word in MOMENTS for name in names if plain(name) == word]
    return list(dict.fromkeys([*moments, *(n for n in names if table.columns[n].is_time)]))


def age_of(
    connection: Connection, table: Table, taken: Collection[str | None], order: str | None
) -> str | None:
    """Find the column that tells when a row was written, where a heal would not look there itself."""
    names = [name for name in table.columns if name not in taken]
    times = _times(table, names)
    if {*AGE_COLUMNS} & {*names} or (order in times and not table.columns[order].is_number):
        return None
    return next((name for name in times if _tells_time(connection, table, name)), None)


def _tells_time(connection: Connection, table: Table, name: str) -> bool:
    """Tell whether every row, as far as a few tell, has a time there: one of reading may be NULL."""
    sql = f"SELECT {table.read(name)} FROM {table.ref} LIMIT {SAMPLE}"
    return all(moment(row[0]) is not None for row in rows_of(connection, sql, {}))


def sequence_of(numbers: Iterable[str]) -> str | None:
    """Find the one of these columns of numbers whose name says that it orders."""
    ranks = {plain(name): name for name in numbers}
    return next((ranks[word] for word in SEQUENCES if word in ranks), None)


def plain(name: str) -> str:
    """Give a column's name without what its spelling adds: `tool_calls` and `toolCalls` are one."""
    return name.lower().replace("_", "").replace("-", "")


def _repeats(connection: Connection, table: Table, name: str | None) -> bool:
    if name is None or name == "rowid" or (name,) == table.primary_key:
        return False
    cell = table.quote(name)
    some = f"SELECT {cell} FROM {table.ref} LIMIT {MANY}"
    sql = f"SELECT 1 FROM ({some}) AS s GROUP BY {cell} HAVING count(*) > 1 LIMIT 1"
    return bool(rows_of(connection, sql, {}))
