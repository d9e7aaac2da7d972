"""Find the conversations that may be poisoned: the database looks, the core decides later.

A format whose calls hold their own results is found by words in its text. For the others every
row is streamed in order, as little of it as the first look needs. Where more are found than is
good to remember, the search goes on behind the last one when those are done.
"""
# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from endmark.heal import slim, stream
from endmark.heal.report import USUAL, Options, label
from endmark.model import Shape
from endmark.stores.select import of_conversations, only
from endmark.stores.source import WHOLE, Source
from endmark.stores.table import Cell, rows_of

Id = tuple[Cell, ...]
Asked = tuple[str, str, dict[str, Any]]  # columns, condition, values to bind
ROUND = 100_000  # found in one go
LOADED = 100  # conversations read at a time
MOST_KEYS = 1_000  # beyond these a conversation is read whole


class Candidate(NamedTuple):
    """A conversation that may be poisoned, and the rows that may be; no keys: look at all.

    `rows`: about how many it has.
    """

    id: Id
    keys: tuple[Id, ...] = ()
    rows: int = 100


def find(
    source: Source, connection: Connection, options: Options, after: Id | None
) -> tuple[list[Candidate], Id | None]:
    """Find candidates behind conversation `after`, in order; and where to go on, None at the end."""
    if source.store.refusal or source.store.linked is not None:
        return _every(source, connection, options, after)
    if source.is_opaque:
        return _by_load(source, connection, options, after)
    if not is_streamed(source):
        if source.table.dialect == "sqlite" and source.store.layout == "rows":
            return _by_rows(source, connection, options), None
        return _by_words(source, connection, options, after)
    with closing(streamed(source, connection, options, after)) as coming:
        candidates = list(islice(coming, ROUND))
    return candidates, candidates[-1].id if len(candidates) == ROUND else None


def is_streamed(source: Source) -> bool:
    """Say whether candidates come one by one, while the database looks for more."""
    store, format_ = source.store, source.format
    if store.refusal or store.linked is not None or source.is_opaque:
        return False
    if format_.shape is not Shape.INLINE:
        return True
    alone = source.table.dialect == "sqlite" and store.layout == "rows"
    return not alone and not (format_.needles and store.layout not in WHOLE)


def count(source: Source, connection: Connection, options: Options) -> int:
    """Count the conversations of a store, those of this shard alone where there are shards."""
    columns, condition, values = _conversations(source, options, None)
    sql = f"SELECT DISTINCT {columns} FROM {source.table.ref} WHERE {condition}"
    if options.shard is None or connection.dialect.name == "postgresql":
        return int(
            connection.execute(text(f"SELECT count(*) FROM ({sql}) AS c"), values).scalar_one()
        )
    rows = connection.execute(text(sql), values)
    return sum(_in_shard(tuple(row), options) for row in rows)


def unnamed(source: Source, connection: Connection, options: Options) -> int:
    """Count the rows of which no column says what conversation they are of."""
    if options.shard is not None and options.shard[0] % options.shard[1]:
        return 0  # they are of the first shard
    nulls = " OR ".join(f"{source.table.quote(c)} IS NULL" for c in source.store.conversation)
    more, values = only(source)
    sql = f"SELECT count(*) FROM {source.table.ref} WHERE ({nulls}){more}"
    return int(connection.execute(text(sql), values).scalar_one())


def _conversations(source: Source, options: Options, after: Id | None) -> Asked:
    """Give the columns that name a conversation, and the condition for rows that are to be seen."""
    table, names = source.table, source.store.conversation
    columns = ", ".join(table.read(name) for name in names)
    condition = " AND ".join(f"{table.quote(name)} IS NOT NULL" for name in names)
    more, values = only(source)
    condition += more
    if after is not None:
        left = ", ".join(map(table.quote, names))
        right = ", ".join(table.bind(name, f"after{k}") for k, name in enumerate(names))
        condition += f" AND ({left}) > ({right})"
        values |= {f"after{k}": cell for k, cell in enumerate(after)}
    if options.shard is not None and table.dialect == "postgresql":
        named = ", ".join(table.read(name) for name in names)
        condition += f" AND (hashtext(concat_ws('/', {named})) & 2147483647) % :shards = :shard"
        values |= {"shards": options.shard[1], "shard": options.shard[0] % options.shard[1]}
    return columns, condition, values


def _in_shard(id_: Id, options: Options) -> bool:
    """Say on SQLite whether a conversation is of this shard; PostgreSQL sees to it itself."""
    if options.shard is None:
        return True
    index, shards = options.shard
    return zlib.crc32(label(id_).encode("utf-8", "surrogatepass")) % shards == index % shards


def _every(
    source: Source, connection: Connection, options: Options, after: Id | None
) -> tuple[list[Candidate], Id | None]:
    """Give all conversations: of a store that is refused, so that each is reported."""
    columns, condition, values = _conversations(source, options, after)
    names = source.table.sort(source.store.conversation)
    sql = f"SELECT {columns} FROM {source.table.ref} WHERE {condition} "
    sql += f"GROUP BY {names} ORDER BY {names} LIMIT {ROUND}"
    ids = [tuple(row) for row in rows_of(connection, sql, values)]
    here = source.table.dialect == "postgresql"
    found = [Candidate(id_) for id_ in ids if here or _in_shard(id_, options)]
    return found, ids[-1] if len(ids) == ROUND else None


def _by_load(
    source: Source, connection: Connection, options: Options, after: Id | None
) -> tuple[list[Candidate], Id | None]:
    """Read every conversation as it is judged: of a payload the database itself sees nothing."""
    every, after = _every(source, connection, options, after)
    found = []
    for start in range(0, len(every), LOADED):
        ids = [candidate.id for candidate in every[start : start + LOADED]]
        for read in source.load(connection, ids):
            histories = (read.history, *(other.history for other in read.others))
            if read.problem is not None or any(map(source.format.skim, histories)):
                found.append(Candidate(read.id))
    return found, after


def _by_words(
    source: Source, connection: Connection, options: Options, after: Id | None
) -> tuple[list[Candidate], Id | None]:
    columns, condition, values = _conversations(source, options, after)
    table, names = source.table, len(source.store.conversation)
    if source.second is None:
        sql, values = slim.rows_with_words(source, condition, values)
    else:
        words, more = slim.part_has_words(source)
        sorting, values = table.sort(source.store.conversation), values | more
        sql = f"SELECT {columns} FROM {table.ref} WHERE {condition} AND {words} "
        sql += f"GROUP BY {sorting} ORDER BY {sorting}"
    # Not streamed: a cursor would keep PostgreSQL from looking with several workers.
    rows = rows_of(connection, f"{sql} LIMIT {ROUND}", values)
    groups = [(id_, list(group)) for id_, group in groupby(rows, key=lambda row: row[:names])]
    after = groups[-1][0] if len(rows) == ROUND else None
    if after is not None and len(groups) > 1:  # the last one may have more rows
        del groups[-1]
        after = groups[-1][0]
    here = table.dialect == "postgresql"
    return [
        _candidate(id_, [row[names:] for row in group if row[names:]])
        for id_, group in groups
        if here or _in_shard(id_, options)
    ], after


def _candidate(id_: Id, keys: Sequence[Id]) -> Candidate:
    return Candidate(id_, tuple(keys) if len(keys) <= MOST_KEYS else ())


def _by_rows(source: Source, connection: Connection, options: Options) -> list[Candidate]:
    """Look at every row that may hold a call: on SQLite reading one costs less than any search."""
    columns, condition, values = _conversations(source, options, None)
    gate, more = slim.may_hold_calls(source)
    keys = ", ".join(source.table.read(name) for name in source.key)
    reader, names = slim.reader(source), len(source.store.conversation)
    size = names + len(source.key)
    sql = f"SELECT {columns}, {keys}, {reader.columns} FROM {source.table.ref} "
    sql += f"WHERE {condition} AND {gate}"
    found: dict[Id, list[Id]] = {}
    with closing(stream.chunks(connection, sql, values | more)) as coming:
        for rows in coming:
            for index in reader.suspects(rows, size):
                row = tuple(rows[index])
                if _in_shard(row[:names], options):
                    found.setdefault(row[:names], []).append(row[names:size])
    return [_candidate(id_, keys) for id_, keys in sorted(found.items(), key=_by_label)]


def _by_label(item: tuple[Id, Any]) -> str:
    return label(item[0])


def streamed(
    source: Source, connection: Connection, options: Options, after: Id | None
) -> Generator[Candidate]:
    """Give candidates behind conversation `after` as they come, in order."""
    columns, condition, values = _conversations(source, options, after)
    gate, more = slim.may_hold_calls(source)
    if source.store.layout != "rows":
        condition, values = f"{condition} AND {gate}", values | more
    asked = columns, condition, values
    with closing(_looked(source, connection, asked, options)) as coming:
        for is_odd, candidate in coming:
            if is_odd:
                yield candidate


def suspects(source: Source, connection: Connection, due: Mapping[Id, int | None]) -> list[Id]:
    """Give those of these conversations that want a second look, or have not the rows that are due."""
    store = source.store
    as_read = not (store.ties or store.head)
    if not due or not is_streamed(source) or store.layout != "rows" or not as_read:
        return list(due)
    columns, condition, values = _conversations(source, USUAL, None)
    named, more = of_conversations(source, list(due))
    asked = columns, f"{condition} AND {named}", values | more
    with closing(_looked(source, connection, asked, USUAL)) as coming:
        sound = {one.id for is_odd, one in coming if not is_odd and one.rows == due.get(one.id)}
    return [id_ for id_ in due if id_ not in sound]


def _looked(
    source: Source, connection: Connection, asked: Asked, options: Options
) -> Generator[tuple[bool, Candidate]]:
    """Take the first look at the conversations under a condition: say of each whether it is odd."""
    if slim.can_join(source):
        yield from _by_conversation(source, connection, asked)
        return
    columns, condition, values = asked
    table, names, reader = source.table, len(source.store.conversation), slim.reader(source)
    sorting = [*source.store.conversation, *source.order, *source.key]
    sql = f"SELECT {columns}, {reader.columns} FROM {table.ref} WHERE {condition} "
    sql += f"ORDER BY {table.sort(sorting)}"
    skim, name_of = reader.skim, itemgetter(*range(names))
    here = table.dialect == "postgresql"
    # Closed at once: an exception keeps it from being collected, and it keeps the connection.
    with closing(stream.chunks(connection, sql, values)) as coming:
        for id_, group in groupby(chain.from_iterable(coming), key=name_of):
            named = (id_,) if names == 1 else id_
            rows = list(group)
            if here or _in_shard(named, options):
                yield skim(rows, names), Candidate(named, rows=len(rows))


def _by_conversation(
    source: Source, connection: Connection, asked: Asked
) -> Iterator[tuple[bool, Candidate]]:
    """Let PostgreSQL put each conversation together: a row costs more to send than to read."""
    table, (columns, condition, values) = source.table, asked
    names = table.sort(source.store.conversation)
    joined = slim.joined(source, table.sort([*source.order, *source.key]))
    sql = f"SELECT {columns}, count(*), {joined} FROM {table.ref} WHERE {condition} "
    sql += f"GROUP BY {names} ORDER BY {names}"
    with closing(stream.chunks(connection, sql, values)) as coming:
        for *id_, count, text_ in chain.from_iterable(coming):
            yield slim.skim_joined(source, count, text_), Candidate(tuple(id_), rows=count)
