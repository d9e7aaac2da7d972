"""Which columns of a table hold pieces of its messages that a described mapping does not read."""
# ruff: noqa: S608  (names are quoted by the dialect)

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection

from endmark import formats
from endmark.formats import Format
from endmark.model import Call, Result
from endmark.stores import sample
from endmark.stores._store import LISTS
from endmark.stores.conversation import Row
from endmark.stores.guess import PIECES, TEXTS, plain
from endmark.stores.select import of_conversations
from endmark.stores.source import Source
from endmark.stores.table import Cell, rows_of

__all__ = ["CALLS", "Id", "left_out", "telling"]

# What columns of calls, or of the ids of calls, are called; tools are what is on offer.
CALLS = PIECES - {"tools"} | {"toolcallid", "callid", "tooluseid"}
COUNTED = "calls"  # where they are JSON; else it may be anything
NONE = "('', '[]', '{}', 'null', '\"\"')"  # what a column holds that holds nothing
TELLING = ("tool", "call", "function")  # one of them is in whatever asks for a tool
Id = tuple[Cell, ...]


def left_out(source: Source, connection: Connection, id_: Id | None = None) -> str | None:
    """Say which pieces of messages a mapping leaves out, or reads as what they are not.

    A few rows are looked at, of one conversation where it is named.
    """
    store = source.store
    if store.layout not in ("rows", *LISTS):
        return None
    placing = {*store.conversation, *source.order, *source.key}
    known = {*placing, *source.content, *store.only, *store.without, *store.signs}
    names = [name for name in source.table.columns if name not in known]
    looked = _Rows(source, connection, id_)
    left = [name for name in names if plain(name) in {*CALLS, COUNTED} and looked.hold_apart(name)]
    columns = [*names, *(name for name in source.fields if name not in placing)]
    found = {name: key for name in columns if name not in left and (key := looked.unread(name))}
    left += [name for name in found if name not in store.fields]
    if left:
        return _sentence(source, left)
    for name, key in found.items():
        return _misread(source, name, key)
    return None


def _sentence(source: Source, left: list[str]) -> str:
    named, table = ", ".join(left), source.table.label
    if source.store.fields:
        columns = "a column" if len(left) == 1 else "columns"
        return (
            f"table {table} has {columns} {named} that fields leaves out: add to fields "
            "which key of a message it holds, and to json where it holds JSON (docs/stores.md)"
        )
    if source.store.role is None:
        return (
            f"table {table} keeps {named} beside the messages in {source.store.payload}: nothing "
            "reads both, and real results would be taken for orphans; write the calls into the "
            "messages first (docs/stores.md)"
        )
    return (
        f"table {table} keeps {named} in columns of their own, which these "
        "flags leave out; describe them as `fields` in a --config (docs/stores.md)"
    )


def _misread(source: Source, name: str, key: str) -> str:
    where = f"{source.table.label}.{name}"
    if source.store.fields[name] != key:
        return f'{where} holds calls, which fields calls otherwise: {name} = "{key}"'
    return f"{where} holds calls as JSON, which are read as words: name it in json"


class _Rows:
    """The rows of a table, or of one conversation, and what stands in them beside the messages."""

    def __init__(self, source: Source, connection: Connection, id_: Id | None) -> None:
        self.source, self.connection = source, connection
        self.scope, self.values = of_conversations(source, [id_]) if id_ else ("1 = 1", {})

    def hold_apart(self, name: str) -> bool:
        """Tell whether a column called like calls holds some where the message names none.

        One that repeats what its messages hold does no harm. Rows are looked at first to last, and
        then those whose messages have no word of a call: it may be the old ones that lack them.
        """
        source = self.source
        column = source.table.columns[name]
        if column.is_number and not plain(name).endswith("id"):  # how many there are
            return False
        held = f"CAST({source.table.quote(name)} AS TEXT) NOT IN {NONE}"
        if plain(name) == COUNTED:
            held += f" AND {self._like_json(name)}"
        wordless = f"{held} AND NOT coalesce({telling(source)}, false)"
        return any(
            not _names_call(source, row)
            for condition in dict.fromkeys((held, wordless))
            for _, row in self._with(name, condition)
        )

    def unread(self, name: str) -> str | None:
        """Give the key of the calls that a column holds, where no message as it is read has any."""
        source = self.source
        type_ = source.table.columns[name].type.lower()
        if type_ and not any(word in type_ for word in TEXTS):
            return None
        deep = name not in source.store.fields
        asked: dict[str, bool] = {}
        for held, row in self._with(name, self._like_json(name)):
            if key := _calls_in(source.format, sample.value(held), deep=deep):
                read = any(sample.calls(source.format, one) for one in sample.read(source, row))
                asked[key] = asked.get(key, False) or read
        return next((key for key, is_read in asked.items() if not is_read), None)

    def _like_json(self, name: str) -> str:
        cell = f"CAST({self.source.table.quote(name)} AS TEXT)"
        return f"({cell} LIKE '[%' OR {cell} LIKE '{{%')"

    def _with(self, name: str, condition: str) -> Iterator[tuple[Any, Row]]:
        """Give what a column holds under a condition, each with its row as it is mapped."""
        table, names = self.source.table, list(self.source.content)
        columns = ", ".join(table.read(column) for column in (name, *names))
        sql = f"SELECT {columns} FROM {table.ref} WHERE {self.scope} AND {condition} "
        for held, *cells in rows_of(self.connection, f"{sql} LIMIT {sample.SIZE}", self.values):
            yield held, Row(key={}, order=(), cells=dict(zip(names, cells, strict=True)))


def telling(source: Source) -> str:
    """Make the condition that a row has a word of a call in what it holds of messages."""
    cells = [f"lower(CAST({source.table.quote(name)} AS TEXT))" for name in source.content]
    likely = [f"{cell} LIKE '%{word}%'" for cell in cells for word in TELLING]
    return f"({' OR '.join(likely)})"


def _names_call(source: Source, row: Row) -> bool:
    """Tell whether a row's messages hold a call, or name the one that they answer."""
    read = [one for one in sample.read(source, row) if isinstance(one, dict)]
    return any(formats.ids(read, source.format, kind) for kind in (Call, Result))


def _calls_in(format_: Format, value: Any, *, deep: bool) -> str | None:
    """Give the key under which a value is calls; `deep`: or a key of it, if it is an object."""
    if key := sample.calls_key(format_, value):
        return key
    if not (deep and isinstance(value, dict)):
        return None
    whole = {**value, "role": "assistant"}
    below = (sample.calls_key(format_, one) for one in value.values())
    return next(filter(None, below), "calls" if sample.calls(format_, whole) else None)
