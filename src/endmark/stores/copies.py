"""Fields of a payload that repeat a column of the key or of the order: they follow the column.

Behind the placing of rows, since only there it is known which key and which time a row gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from endmark.stores import json_text
from endmark.stores.changes import Change
from endmark.stores.conversation import Conversation, Row
from endmark.stores.order import moment
from endmark.stores.source import Source
from endmark.stores.table import Cell, Cells


def agreed(source: Source, conversation: Conversation, made: Sequence[Change]) -> list[Change]:
    """Give the changes with payloads that say what the columns of their rows say."""
    rows = {tuple(row.key.values()): row for row in conversation.rows}
    last = {tuple(change.key.values()): k for k, change in enumerate(made)}
    return [
        _agreed(source, rows, change) if last[tuple(change.key.values())] == k else change
        for k, change in enumerate(made)
    ]


def _agreed(source: Source, rows: dict[tuple[Cell, ...], Row], change: Change) -> Change:
    if change.after is None:
        return change
    row = rows.get(tuple((change.like or change.key).values()))
    if row is None:
        return change
    column = source.store.payload
    old = change.after.get(column, row.cells[column])
    payload = json_text.read(str(old) if not isinstance(old, bytes) else old)
    new = _with_columns(source, payload, row, change)
    text = json_text.splice(old.decode() if isinstance(old, bytes) else str(old), payload, new)
    if new == payload:
        return change
    after: Cells = {**change.after, column: text.encode() if isinstance(old, bytes) else text}
    before = change.before
    if before is not None:
        before = {**before, column: row.cells[column]}
    return replace(change, before=before, after=after)


def _with_columns(source: Source, payload: Any, row: Row, change: Change) -> Any:
    own = {**row.key, **dict(zip(source.order, row.order, strict=True))}
    given = {**(change.key if change.before is None else {}), **(change.after or {})}
    new = dict(payload)
    for column, name in source.store.copies.items():
        if column in source.copies or name not in payload or column not in given:
            continue
        new[name] = _like(row.payload.get(name), own[column], given[column])
    return new


def _like(said: Any, own: Cell, cell: Cell) -> Any:
    """Say a cell as the payload of its neighbour says the neighbour's own.

    A time in local hours stays as far from the payload's as it is, which is whole seconds.
    """
    at, there = moment(own), moment(cell)
    if isinstance(said, int | float) and at is not None and there is not None:
        return there + round(said - at)
    return cell
