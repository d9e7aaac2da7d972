"""What no JSON, or no column of this database, takes: said before a statement meets it.

PostgreSQL keeps no NUL in any text, and neither that nor half of a surrogate pair in jsonb; no
driver sends half of a pair as it is. What is escaped in a JSON or TEXT column is no more than ASCII.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from endmark.errors import UnreadableError
from endmark.stores.table import Table

__all__ = ["UnwritableError", "odd_in", "require_taken"]

NUL = "a NUL character, '\\x00': take it out, text.replace('\\x00', '')"
HALF = "half of a surrogate pair: text.encode('utf-8', 'replace').decode() makes it a question mark"
HALVES = re.compile("[\ud800-\udfff]")


class UnwritableError(UnreadableError):
    """A message that cannot be written as it is; its place is yet to be told."""


def require_taken(table: Table, cells: Mapping[str, Any]) -> None:
    """Raises `UnwritableError` for a character that the column of a cell does not take."""
    strict = table.dialect == "postgresql"
    for name, cell in cells.items():
        if not isinstance(cell, str):
            continue
        type_ = table.columns[name].type.lower()
        odd = _in_json(cell) if strict and type_ == "jsonb" else odd_in(cell, nul=not strict)
        if odd:
            raise UnwritableError(f"column {name} ({type_}) takes no such text: it holds {odd}")


def odd_in(text: str, *, nul: bool) -> str:
    """Name what is in a text that a database does not take; `nul`: it does take NUL."""
    if "\0" in text and not nul:
        return NUL
    return "" if text.isascii() or not HALVES.search(text) else HALF


def _in_json(text: str) -> str:
    if "\\u" not in text:  # json.dumps escapes both, and much else
        return ""
    pending: list[Any] = [json.loads(text)]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            if odd := odd_in(value, nul=False):
                return odd
        elif isinstance(value, dict):
            pending += [*value, *value.values()]
        elif isinstance(value, list):
            pending += value
    return ""
