"""Bulk statements of a guarded session: INSERT and UPDATE that pass by the unit of work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from sqlalchemy.orm import ORMExecuteState
from sqlalchemy.sql import visitors

from endmark.guard._mapping import Mapping
from endmark.guard._payload import finalized
from endmark.guard.report import OnRepair
from endmark.policy import Policy

__all__ = ["conversations_in", "finalized_statement"]


def finalized_statement(
    state: ORMExecuteState, mapping: Mapping, policy: Policy, on_repair: OnRepair | None
) -> None:
    """Finalize every payload of an INSERT or UPDATE: parameters, VALUES and ON CONFLICT."""
    column: Any = mapping.mapper.column_attrs[mapping.payload].columns[0]
    names = {mapping.payload, column.key, column.name}

    def closed(value: Any) -> Any:
        return finalized(value, mapping.format, policy)

    def visit(bind: Any) -> None:
        if bind.type is column.type and isinstance(bind.value, dict | list):
            bind.value = closed(bind.value)

    statement: Any = visitors.cloned_traverse(cast("Any", state.statement), {}, {"bindparam": visit})
    many = getattr(statement, "_multi_values", ())
    if many:
        statement._multi_values = tuple(  # noqa: SLF001
            [
                {key: closed(value) if _is(key, column, names) else value for key, value in row.items()}
                for row in rows
            ]
            for rows in many
        )
    state.statement = statement
    for row in _rows(state.parameters):
        for name in names & row.keys():
            row[name] = closed(row[name])


def _is(key: Any, column: Any, names: set[str]) -> bool:
    return key is column or key in names if isinstance(key, str) else key is column


def _rows(parameters: Any) -> Sequence[dict[str, Any]]:
    if parameters is None:
        return ()
    return (parameters,) if isinstance(parameters, dict) else parameters


def conversations_in(state: ORMExecuteState, mapping: Mapping) -> list[tuple[Any, ...]]:
    """Name the conversations that an INSERT says it writes to; an UPDATE or DELETE does not say."""
    names = [mapping.mapper.column_attrs[name].columns[0] for name in mapping.conversation]
    found: dict[tuple[Any, ...], None] = {}
    for row in _said(state):
        by_name = {getattr(key, "key", key): value for key, value in row.items()}
        named = tuple(
            by_name.get(attribute, by_name.get(column.key))
            for attribute, column in zip(mapping.conversation, names, strict=True)
        )
        if None not in named:
            found[named] = None
    return list(found)


def _said(state: ORMExecuteState) -> Iterator[dict[Any, Any]]:
    yield from _rows(state.parameters)
    statement: Any = state.statement
    for rows in getattr(statement, "_multi_values", ()):
        yield from rows
    values = getattr(statement, "_values", None) or {}
    if values:
        yield {key: getattr(value, "value", None) for key, value in values.items()}
