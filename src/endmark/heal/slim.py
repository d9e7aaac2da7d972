"""What the database is asked of a payload: the words that give a poisoned one away, or its bones.

Text is searched as text: a cast of foreign text to JSON fails on the first row that is none. What
the words and the bones of a format are, the format declares.
"""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from endmark.errors import UnreadableError
from endmark.formats import Format
from endmark.stores._store import LISTS
from endmark.stores.conversation import Row
from endmark.stores.source import Source

# Bytes of a text that PostgreSQL is asked about: too few for JSON deeper than is read here.
SHORT = 2_000
GREAT = 1_000_000  # bytes; PostgreSQL puts no more than 1 GB together

_UNREAD = (UnreadableError, AttributeError, IndexError, KeyError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Reader:
    """The columns that a stream reads of a row, and the first look at what they hold.

    The columns stand from `at` on in each row; `messages` reads some, `skim` looks at a
    conversation.
    """

    source: Source
    columns: str
    messages: Callable[[Iterable[Any], int], list[Any]]

    def skim(self, rows: Iterable[Any], at: int) -> bool:
        """Say whether a conversation wants a second look; what cannot be read does."""
        try:
            return bool(_look(self.source, self.messages(rows, at)))
        except _UNREAD:
            return True

    def suspects(self, rows: Sequence[Any], at: int) -> list[int]:
        """Give the rows of an inline format that want a second look, each on its own."""
        try:
            return _look(self.source, self.messages(rows, at))
        except _UNREAD:
            return [index for index, row in enumerate(rows) if self.skim((row,), at)]


def _look(source: Source, messages: list[Any]) -> list[int]:
    """Take the format's first look. Raises `UnreadableError` for what the store refuses."""
    for sign, reason in source.store.refuses.items():
        if any(sign in message for message in messages):
            raise UnreadableError(reason)
    found = source.format.skim(messages)
    return found if found or source.mixed is None else source.mixed.quick(messages)


def _of_count(text: str, count: int) -> list[Any]:
    """Parse a list; the count tells a row that is NULL, or whose text is not one value."""
    history: list[Any] = orjson.loads(text)
    if len(history) != count:
        msg = "a row does not hold one value"
        raise ValueError(msg)
    return history


def _type(source: Source, column: str) -> str:
    return source.table.columns[column].type.lower()


def has_words(source: Source) -> tuple[str, dict[str, Any]]:
    """Make the condition that a payload may be poisoned."""
    words, values = _words(source)
    twice = _id_twice(source)
    if twice is None:
        return words, values
    told = f"CASE WHEN {twice.several} THEN {twice.differ(twice.ids)} ELSE false END"
    return f"({words} OR {told})", values | twice.values


def rows_with_words(
    source: Source, condition: str, values: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Make the query for the rows that `has_words` finds: their conversations, in order, and keys.

    PostgreSQL takes a third of the rows for poisoned, and would rather walk an index than look
    through the table with several workers; of an equation it expects few. It asks no workers where
    a subquery stands among the words, so that is asked of what they found.
    """
    table, conversation = source.table, source.store.conversation
    cells = [table.read(name) for name in (*conversation, *source.key)]
    named = ", ".join(f"found.c{n}" for n, _ in enumerate(cells))
    columns = [f"{cell} AS c{n}" for n, cell in enumerate(cells)]
    columns += [f"{table.quote(name)} AS o{n}" for n, name in enumerate(conversation)]
    order = ", ".join(f"found.o{n}" for n, _ in enumerate(conversation))
    words, more = _words(source)
    rest, behind = "", ""
    if (twice := _id_twice(source)) is not None:
        columns.append(f"CASE WHEN NOT {words} THEN {twice.ids} END AS ids")
        words, more = f"({words} OR {twice.several})", more | twice.values
        rest = f" WHERE found.ids IS NULL OR {twice.differ('found.ids')}"
        behind = " OFFSET 0"
    inner = f"SELECT {', '.join(columns)} FROM {table.ref} WHERE {condition}"
    inner += f" AND CASE WHEN {words} THEN 1 ELSE 0 END = 1{behind}"
    return f"SELECT {named} FROM ({inner}) AS found{rest} ORDER BY {order}", values | more


def _words(source: Source) -> tuple[str, dict[str, Any]]:
    column, format_ = source.store.payload, source.format
    if not format_.jsonpaths or _type(source, column) != "jsonb":
        return _any_word(source.table.read(column), format_, source.table.dialect)
    paths = {f"path{n}": p for n, p in enumerate(_below(source, format_.jsonpaths))}
    cell = source.table.quote(column)
    found = " OR ".join(f"{cell} @? CAST(:{name} AS jsonpath)" for name in paths)
    return f"({found})", dict(paths)


@dataclass(frozen=True, slots=True)
class _Twice:
    """How PostgreSQL finds an id twice in a message: `several` is quick, `each` of `ids` is not."""

    several: str
    ids: str
    each: str
    values: dict[str, Any]

    def differ(self, ids: str) -> str:
        return f"(SELECT count(*) > count(DISTINCT e) FROM {self.each.format(ids)} AS e)"


def _id_twice(source: Source) -> _Twice | None:
    """Make the condition that a message holds the id of a call twice, where a format asks it."""
    format_, column, table = source.format, source.store.payload, source.table
    if not format_.ids_key or table.dialect != "postgresql":
        return None
    values: dict[str, Any]
    if _type(source, column) == "jsonb":
        cell = table.quote(column)
        values = {f"ids{n}": p for n, p in enumerate(_below(source, (format_.ids_path,)))}
        ids = " || ".join(
            f"jsonb_path_query_array({cell}, CAST(:{name} AS jsonpath))" for name in values
        )
        return _Twice(f"jsonb_array_length({ids}) > 1", ids, "jsonb_array_elements({0})", values)
    cell, word = table.read(column), f'"{format_.ids_key}"'
    values = {"word": word, "value": f'{word}\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"'}
    rest = f"substr({cell}, strpos({cell}, :word) + length(:word))"
    return _Twice(f"strpos({rest}, :word) > 0", cell, "regexp_matches({0}, :value, 'g')", values)


def _below(source: Source, paths: Iterable[str]) -> list[str]:
    """Let paths below a message begin where the message lies in the payload."""
    root = "$"
    if source.store.layout == "list":
        root = "".join(["$", *(f'."{name}"' for name in source.store.path), "[*]"])
    below = [path.format(root) for path in paths]
    if source.store.role is not None:  # the payload may be the body alone
        below += [path.replace(f"$.{source.format.body}[*]", "$[*]") for path in below]
    return list(dict.fromkeys(below))


def _any_word(text: str, format_: Format, dialect: str) -> tuple[str, dict[str, Any]]:
    """Make the condition that a text has one of a format's words, or is out of balance."""
    values: dict[str, Any] = {}

    def bound(word: str) -> str:
        values[f"w{len(values)}"] = word
        return f":w{len(values) - 1}" if sqlite else f"CAST(:w{len(values) - 1} AS TEXT)"

    def has(word: str) -> str:
        return f"{'instr' if sqlite else 'strpos'}({text}, {bound(word)}) > 0"

    def count(words: tuple[str, ...]) -> str:
        size = "length" if sqlite else "octet_length"
        return " + ".join(
            f"({size}({text}) - {size}(replace({text}, {bound(word)}, ''))) / {len(word.encode())}"
            for word in words
        )

    sqlite = dialect == "sqlite"
    found = [has(word) for word in (format_.besides if format_.balanced else format_.needles)]
    counts = [count(words) for words in format_.balanced]
    found += [f"{counts[0]} <> {other}" for other in counts[1:]]
    gate = f"{has(format_.gate)} AND " if format_.gate else ""
    return f"({gate}({' OR '.join(found)}))", values


def may_hold_calls(source: Source) -> tuple[str, dict[str, Any]]:
    """Make the condition that a payload is worth reading at all."""
    if own := getattr(source.layout, "may_hold_calls", None):
        condition, values = own(source)
        return str(condition), values
    gate = source.format.gate
    if not gate or not source.store.payload:
        return "1 = 1", {}
    column = source.table.read(source.store.payload)
    if source.table.dialect == "sqlite":
        return f"instr({column}, :gate) > 0", {"gate": gate}
    return "1 = 1", {}


def part_has_words(source: Source) -> tuple[str, dict[str, Any]]:
    """Make the condition that a message has a part which may be poisoned, told by its columns.

    A part's short columns are put together as its JSON would read, for the same words.
    """
    table, spec = source.second, source.store.parts
    assert table is not None
    assert spec is not None
    pieces = [table.read(spec.payload)] if spec.payload else []
    for column, key in spec.fields.items():
        cell = table.read(column)
        if column in spec.json:
            none = f"'\"{key}\"\\:'" if column in spec.null_if else "''"
            start = f"'\"{key}\"\\:' || substr({cell}, 1, 4)"
            pieces.append(f"CASE WHEN {cell} IS NULL THEN {none} ELSE {start} END")
        elif column not in spec.of_type:
            pieces.append(f"coalesce('\"{key}\"\\:\"' || {cell} || '\",', '')")
    words, values = _any_word("t", source.format, table.dialect)
    messages, text = source.table, " || ".join(pieces)
    message, key = table.quote(spec.message), messages.quote(source.key[0])
    inner = f"SELECT {message} AS m, {text} AS t FROM {table.ref}"
    found = f"SELECT m FROM ({inner}) AS p WHERE {words}"
    for column, name in spec.fields.items():
        if name == source.format.ids_key:
            id_ = table.quote(column)
            found += f" UNION SELECT {message} FROM {table.ref} WHERE {id_} IS NOT NULL"
            found += f" GROUP BY {message}, {id_} HAVING count(*) > 1"
    return f"{key} IN ({found})", values


def reader(source: Source) -> Reader:
    """Choose what a stream reads of each row: as little as the first look needs."""
    table, store, loads = source.table, source.store, orjson.loads
    if source.fields:
        columns = ", ".join(table.read(name) for name in source.content)
        return Reader(source, columns, lambda rows, at: [_by_columns(source, r[at:]) for r in rows])
    payload = table.read(store.payload)
    if hasattr(source.layout, "may_hold_calls"):
        return _Found(source, payload, lambda rows, at: [])
    if store.layout in LISTS:
        return _ListReader(source, payload, lambda rows, at: [row[at] for row in rows])
    if store.role is not None:
        columns = f"{payload}, {table.read(store.role)}"
        return Reader(
            source, columns, lambda rows, at: [_wrapped(source, row[at:]) for row in rows]
        )
    return Reader(source, payload, lambda rows, at: [loads(row[at]) for row in rows])


class _Found(Reader):
    """A reader of rows that the database has found already: each is looked at whole."""

    def skim(self, rows: Iterable[Any], at: int) -> bool:
        return True


class _ListReader(Reader):
    """A reader of rows that each hold a whole list."""

    def skim(self, rows: Iterable[Any], at: int) -> bool:
        return any(_skim_list(self.source, row[at]) for row in rows)


def can_join(source: Source) -> bool:
    """Say whether the database can put the messages of a conversation together as one list."""
    store = source.store
    plain = store.layout == "rows" and store.role is None and not source.fields
    return source.table.dialect == "postgresql" and plain


def joined(source: Source, sorting: str) -> str:
    """Make one list of a conversation's messages; a great one is left out, to be looked at alone."""
    table, column = source.table, source.store.payload
    text = _slim(source)
    great = f"pg_column_size({table.quote(column)}) > {GREAT}"
    piece = f"CASE WHEN {great} THEN 'null' ELSE {text} END"
    return f"'[' || string_agg({piece}, ',' ORDER BY {sorting}) || ']'"


def _slim(source: Source) -> str:
    """Make the text of a message, or of a smaller one that the first look sees the same in."""
    table, column, format_ = source.table, source.store.payload, source.format
    text = table.read(column)
    if source.store.refuses:  # a sign may stand in what would be left out
        return text
    if format_.slim and _type(source, column) == "jsonb":
        return format_.slim.format(table.quote(column))
    if not format_.plain or not table.tells_json:
        return text
    # A long text may be nested deeper than the server's stack, which would end the search.
    sound = f"octet_length({text}) < {SHORT} AND {text} IS JSON OBJECT WITH UNIQUE KEYS"
    cases = "".join(
        f" WHEN {_begins(text, start)} AND {sound} THEN '{plain}'"
        for start, plain in format_.plain.items()
    )
    return f"CASE{cases} ELSE {text} END"


def _begins(text: str, start: str) -> str:
    """Make the condition that a JSON text begins so, in either of the ways that are usual."""
    spaced = start.replace(":", ": ").replace(",", ", ").rstrip()
    said = f'{text} COLLATE "C"'  # not every collation can tell
    return f"(starts_with({said}, '{spaced}') OR starts_with({said}, '{start}'))"


def skim_joined(source: Source, count: int, text: str | None) -> bool:
    """Say whether a conversation wants a second look; what cannot be read does."""
    try:
        return bool(_look(source, _of_count(text or "", count)))
    except _UNREAD:
        return True


def _skim_list(source: Source, cell: Any) -> bool:
    try:
        return any(_look(source, one) for one in source.lists(cell))
    except _UNREAD:
        return True


def _by_columns(source: Source, row: Any) -> Any:
    cells = dict(zip(source.content, row, strict=True))
    read = Row(key=dict.fromkeys(source.key, ""), order=(), cells=cells)
    source.decode(read)
    return read.message


def _wrapped(source: Source, row: Any) -> Any:
    cells = {source.store.payload: row[0], source.store.role or "": row[1]}
    read = Row(key=dict.fromkeys(source.key, ""), order=(), cells=cells)
    source.decode(read)
    return read.message
