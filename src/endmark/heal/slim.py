"""What the database is asked of a payload: the words that give a poisoned one away, or its bones.

Text is searched as text: a cast of foreign text to JSON fails on the first row that is none. What
the words and the bones of a format are, the format declares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from endmark.errors import UnreadableError
from endmark.stores import json_text
from endmark.stores.source import Row, Source

PLAIN = {"role": "user", "content": "-"}  # what the first look is told of a message without a call


@dataclass(frozen=True, slots=True)
class Reader:
    """The columns that a stream reads of a row, and the first look at a conversation's rows."""

    columns: str
    skim: Callable[[Iterable[Any]], bool]


def _type(source: Source, column: str) -> str:
    return source.table.columns[column].type.lower()


def has_words(source: Source) -> tuple[str, dict[str, Any]]:
    """Make the condition that a payload may be poisoned."""
    column, jsonpath = source.store.payload, source.format.jsonpath
    if jsonpath and _type(source, column) == "jsonb":
        return f"{source.table.quote(column)} @? CAST(:path AS jsonpath)", {"path": jsonpath}
    return _any_word(source.table.read(column), source.format.needles, source.table.dialect)


def _any_word(text: str, words: Iterable[str], dialect: str) -> tuple[str, dict[str, Any]]:
    values = {f"w{n}": word for n, word in enumerate(words)}
    if dialect == "postgresql":
        found = [f"position(CAST(:{name} AS TEXT) IN {text}) > 0" for name in values]
    else:
        found = [f"instr({text}, :{name}) > 0" for name in values]
    return f"({' OR '.join(found)})", values


def part_has_words(source: Source) -> tuple[str, dict[str, Any]]:
    """Make the condition that a message has a part which may be poisoned, told by its columns.

    A part's short columns are put together as its JSON would read, for the same words.
    """
    table, spec = source.part_table, source.store.parts
    assert table is not None
    assert spec is not None
    pieces = []
    for column, key in spec.fields.items():
        if column in spec.json:
            empty = f"CASE WHEN {table.read(column)} = 'null' THEN '\"{key}\":null,' ELSE '' END"
            pieces.append(empty)
        elif column not in spec.of_type:
            pieces.append(f"coalesce('\"{key}\":\"' || {table.read(column)} || '\",', '')")
    words, values = _any_word(f"({' || '.join(pieces)})", source.format.needles, table.dialect)
    messages = source.table
    condition = (
        f"{messages.quote(source.key[0])} IN "
        f"(SELECT {table.quote(spec.message)} FROM {table.ref} WHERE {words})"  # noqa: S608
    )
    return condition.replace(":null", "\\:null").replace('":"', '"\\:"'), values


def reader(source: Source) -> Reader:
    """Choose what a stream reads of each row: as little as the first look needs."""
    table, store, format_ = source.table, source.store, source.format
    payload = table.read(store.payload)
    if store.layout == "list":
        return Reader(payload, lambda rows: any(_skim_list(source, row[0]) for row in rows))
    if store.role is not None:
        columns = f"{payload}, {table.read(store.role)}"
        return Reader(columns, lambda rows: _skim(source, (_wrapped(source, row) for row in rows)))
    if table.dialect == "postgresql" and format_.slim and _type(source, store.payload) == "jsonb":
        payload = format_.slim.format(table.quote(store.payload))
    words = format_.stirring if table.dialect == "sqlite" else ()
    body = f'"{format_.body}"'

    def messages(rows: Iterable[Any]) -> Iterable[Any]:
        loads = json_text.read
        for (cell,) in rows:
            if cell == "" or (words and _is_plain(cell, words, body)):
                yield PLAIN
            else:
                yield loads(cell)

    return Reader(payload, lambda rows: _skim(source, messages(rows)))


def _is_plain(cell: Any, words: Iterable[str], body: str) -> bool:
    if cell.__class__ is not str or body not in cell:
        return False
    return not any(word in cell for word in words)


def _skim(source: Source, messages: Iterable[Any]) -> bool:
    """Say whether a conversation wants a second look; what cannot be read does."""
    try:
        return bool(source.format.skim(list(messages)))
    except (UnreadableError, AttributeError, IndexError, KeyError, TypeError):
        return True


def _skim_list(source: Source, cell: Any) -> bool:
    try:
        payload = json_text.read(cell)
        for name in source.store.path:
            payload = payload[name]
    except (UnreadableError, KeyError, TypeError):
        return True
    return not isinstance(payload, list) or _skim(source, payload)


def _wrapped(source: Source, row: Any) -> Any:
    cells = {source.store.payload: row[0], source.store.role or "": row[1]}
    read = Row(key=dict.fromkeys(source.key, ""), order=(), cells=cells)
    source.decode(read)
    return read.message
