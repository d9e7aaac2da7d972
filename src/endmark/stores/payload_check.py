"""The CHECK that refuses unfinished parts of an inline format, in the words of each database.

Stands behind all doors, for the writers that are not ours: it refuses, it repairs nothing. The
operation that puts it on a column is `op.guard_payload`.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from endmark import formats
from endmark.errors import StoreError
from endmark.model import Shape
from endmark.stores.table import Table

__all__ = ["REACH", "UNFINISHED", "Unfinished", "expression"]

REACH = 16  # the last parts that a SQLite CHECK looks at: json_extract takes 126 paths at most


@dataclass(frozen=True)
class Unfinished:
    """Where a format says that a part is unfinished.

    `jsonpath`: for PostgreSQL, exact. `leaves` and `marks`: for SQLite, whose CHECK can walk no
    array: the paths below a list of parts, and what of their values says it.
    """

    jsonpath: tuple[str, ...]
    leaves: dict[str, tuple[str, ...]]
    marks: tuple[str, ...]


_PART = (
    '{parts} ? ((@.type starts with "tool-" || @.type == "dynamic-tool") && '
    '(@.state == "input-streaming" || @.state == "input-available" || '
    '(@.state == "output-available" && @.preliminary == true) || '
    '@.toolInvocation.state == "partial-call" || @.toolInvocation.state == "call"))'
)

# An open approval is not among them: it waits for a person, and the guard leaves it as it is.
UNFINISHED = {
    "ai-sdk": Unfinished(
        jsonpath=(
            _PART.format(parts="$[*]"),
            _PART.format(parts="$.parts[*]"),
            '$.toolInvocations[*] ? (@.state == "partial-call" || @.state == "call")',
        ),
        leaves={
            "$": ("state", "preliminary", "toolInvocation.state"),
            "$.parts": ("state", "preliminary", "toolInvocation.state"),
            "$.toolInvocations": ("state",),
        },
        marks=('"input-', 'call"', "true"),
    )
}


def expression(connection: sa.Connection, table: Table, column: str, format: str) -> str:
    """Give the SQL of the CHECK for this column, which holds a message or its parts.

    What is no JSON, or NULL, passes. Raises `StoreError` for a format that is not inline, no such
    column, or a server that cannot tell whether a text is JSON.
    """
    format_ = formats.get(format)
    if format_.shape is not Shape.INLINE or format_.name not in UNFINISHED:
        raise StoreError(
            f"{format_.name} keeps a result outside the message of its call, so no CHECK on one "
            f"row can judge it; this is for {', '.join(UNFINISHED)}"
        )
    table.require([column])
    rule, name = UNFINISHED[format_.name], table.quote(column)
    if table.dialect == "sqlite":
        return _sqlite(rule, name)
    return _postgresql(connection, rule, name, table.columns[column].type)


def _sqlite(rule: Unfinished, name: str) -> str:
    paths = ", ".join(
        f"'{parts}[#-{back}].{leaf}'"
        for parts, leaves in rule.leaves.items()
        for leaf in leaves
        for back in range(1, REACH + 1)
    )
    first, *others = rule.marks
    said = f"json_extract({name}, {paths})"
    for mark in others:
        said = f"replace({said}, '{mark}', '{first}')"
    return f"CASE WHEN json_valid({name}) THEN instr({said}, '{first}') = 0 ELSE 1 END"


def _postgresql(connection: sa.Connection, rule: Unfinished, name: str, kind: str) -> str:
    value = name if kind == "jsonb" else f"CAST(CAST({name} AS text) AS jsonb)"
    none = " AND ".join(
        f"NOT jsonb_path_exists({value}, '{path}', '{{}}', true)" for path in rule.jsonpath
    )
    if kind == "jsonb":
        return none
    # What jsonb refuses (a NUL, a lone surrogate, no JSON at all) must not be refused by its cast.
    version = connection.dialect.server_version_info or (0,)
    if int(version[0]) < 16:
        raise StoreError(
            f"a CHECK on a column of type {kind} needs PostgreSQL 16; use jsonb, or GuardedJSON"
        )
    return f"CASE WHEN pg_input_is_valid(CAST({name} AS text), 'jsonb') THEN {none} ELSE true END"
