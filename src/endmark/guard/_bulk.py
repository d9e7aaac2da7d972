"""Bulk statements of a guarded session: INSERT and UPDATE that pass by the unit of work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

from sqlalchemy import (
    Connection,
    Date,
    DateTime,
    Integer,
    Numeric,
    and_,
    func,
    null,
    or_,
    select,
)
from sqlalchemy.orm import ORMExecuteState
from sqlalchemy.sql import visitors

from endmark.formats._base import Format
from endmark.guard._core import Since, earlier, starting_at
from endmark.guard._mapping import Mapping
from endmark.guard._payload import finalized, respelt
from endmark.guard.report import OnRepair, report
from endmark.history import examine
from endmark.policy import Policy
from endmark.stores import json_text

__all__ = [
    "Later",
    "Named",
    "conversations_in",
    "finalized_statement",
    "name_of",
    "read_touched",
    "rewritten",
    "said_in",
    "tell",
    "touched",
]

Named = tuple[Any, ...]
Later = dict[Named, Since]  # conversations to be repaired, and from what place on


def finalized_statement(
    state: ORMExecuteState, mapping: Mapping, policy: Policy, on_repair: OnRepair | None
) -> None:
    """Finalize every payload of an INSERT or UPDATE: parameters, VALUES and ON CONFLICT."""
    column: Any = mapping.mapper.column_attrs[mapping.payload].columns[0]
    names = {mapping.payload, column.key, column.name}

    def closed(value: Any) -> Any:
        plain = mapping.plain(value)
        is_text = isinstance(plain, str | bytes)
        read = json_text.read(plain) if is_text else plain
        new = finalized(read, mapping.format, policy)
        if new is read:
            return value
        tell(read, mapping.format, policy, on_repair)
        return mapping.typed(respelt(plain, read, new) if is_text else new, value)

    state.statement = rewritten(state.statement, names, closed)
    for row in _rows(state.parameters):
        for name in names & row.keys():
            row[name] = closed(row[name])


def tell(value: Any, format_: Format, policy: Policy, on_repair: OnRepair | None) -> None:
    """Tell of the calls of one payload; a statement does not say whose conversation it is."""
    message = value if isinstance(value, dict) else {"role": "assistant", format_.body: value}
    report(None, examine([message], format_, policy).findings, on_repair)


def rewritten(statement: Any, names: set[str], closed: Callable[[Any], Any]) -> Any:
    """Give the statement with its own values finalized: VALUES, SET and ON CONFLICT."""
    for key, bind in (getattr(statement, "_values", None) or {}).items():
        old = getattr(bind, "value", None)
        if name_of(key) in names and (new := closed(old)) is not old:
            statement = statement.values({key: new})
    many = getattr(statement, "_multi_values", ())
    clause = getattr(statement, "_post_values_clause", None)
    if not many and clause is None:
        return statement
    statement = visitors.cloned_traverse(statement, {}, {})
    statement._multi_values = tuple(  # noqa: SLF001
        [
            {key: closed(value) if name_of(key) in names else value for key, value in row.items()}
            for row in rows
        ]
        for rows in many
    )
    sets = getattr(statement._post_values_clause, "update_values_to_set", None)  # noqa: SLF001
    if isinstance(sets, dict):  # SQLAlchemy 2.1
        for key, bind in sets.items():
            if name_of(key) in names and isinstance(getattr(bind, "value", None), dict | list):
                bind.value = closed(bind.value)
    elif sets:  # SQLAlchemy 2.0: pairs of a column and a value, not traversed
        clause = statement._post_values_clause = copy(statement._post_values_clause)  # noqa: SLF001
        clause.update_values_to_set = [
            (key, closed(value) if name_of(key) in names else value) for key, value in sets
        ]
    return statement


def name_of(key: Any) -> Any:
    return getattr(key, "key", key)


def _rows(parameters: Any) -> Sequence[dict[str, Any]]:
    if parameters is None:
        return ()
    return (parameters,) if isinstance(parameters, dict) else parameters


def conversations_in(state: ORMExecuteState, mapping: Mapping) -> Later:
    """Name the conversations that a statement writes to; asked before it is executed."""
    if not state.is_insert:
        return _found(state, mapping)
    replaces = getattr(state.statement, "_post_values_clause", None) is not None
    found: Later = {}
    for row in said_in(state.statement, _rows(state.parameters)):
        by_name = {name_of(key): value for key, value in row.items()}
        named = tuple(_said_of(by_name, mapping, name) for name in mapping.conversation)
        order = _said_of(by_name, mapping, mapping.order)
        since = None if order is None and not replaces else starting_at(order)
        if None not in named:
            found[named] = earlier(found.get(named), since)
    return found


def _said_of(by_name: dict[Any, Any], mapping: Mapping, attribute: str) -> Any:
    """Give the value of an attribute in a row of a statement, which may name its column."""
    column = mapping.mapper.column_attrs[attribute].columns[0]
    return by_name.get(attribute, by_name.get(column.key))


def _found(state: ORMExecuteState, mapping: Mapping) -> Later:
    """Look for the conversations of the rows that an UPDATE or DELETE is about."""
    columns = mapping.mapper.column_attrs
    named = [columns[name].columns[0] for name in mapping.conversation]
    query = touched(named, columns[mapping.order].columns[0], state.statement)
    given = [row for row in _rows(state.parameters) if row.keys() >= set(mapping.key)]
    connection = state.session.connection(bind_arguments=state.bind_arguments)
    if given:
        keys = list(zip(mapping.mapper.primary_key, mapping.key, strict=True))
        by_key = [[column == row[name] for column, name in keys] for row in given]
        return read_touched(connection, query.where(or_(*(and_(*same) for same in by_key))), {})
    parameters = state.parameters if isinstance(state.parameters, dict) else {}
    return read_touched(connection, query, parameters)


def touched(named: Sequence[Any], order: Any, statement: Any) -> Any:
    """Ask for the conversations of the rows that a statement is about, and where the first stands."""
    ranked = isinstance(getattr(order, "type", None), Integer | Numeric | DateTime | Date)
    query = select(*named, func.min(order) if ranked else null()).group_by(*named)
    return query if statement.whereclause is None else query.where(statement.whereclause)


def read_touched(connection: Connection, query: Any, parameters: dict[str, Any]) -> Later:
    """Read what `touched` asks for."""
    found = connection.execute(query, parameters)
    return {tuple(named): starting_at(first) for *named, first in found}


def said_in(statement: Any, parameters: Sequence[dict[str, Any]]) -> Iterator[dict[Any, Any]]:
    """Give the values of each row that a statement is to write."""
    for rows in getattr(statement, "_multi_values", ()):
        yield from rows
    values = getattr(statement, "_values", None) or {}
    fixed = {key: getattr(value, "value", None) for key, value in values.items()}
    if parameters:
        yield from ({**fixed, **row} for row in parameters)
    elif fixed:
        yield fixed
