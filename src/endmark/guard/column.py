"""GuardedJSON: a column type that finalizes each payload as it is bound.

It sees every typed value of every path (ORM, Core, bulk, upsert), one payload at a time and
nothing around it, so it is for inline formats only.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Dialect
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator, TypeEngine

from endmark import formats
from endmark.errors import FormatError
from endmark.guard._payload import finalized
from endmark.model import Shape
from endmark.policy import DEFAULT, Policy

__all__ = ["GuardedJSON"]


class GuardedJSON(TypeDecorator[Any]):
    """Keep unfinished calls out of a JSON column (JSONB on PostgreSQL) of an inline format.

    The value is a whole message, or only its list of parts where the role is in another column.
    The object in memory keeps the value that it was given until it is refreshed. Values compared
    in WHERE pass too. A finished row only: do not use it where unfinished streaming checkpoints
    or open approvals of another process must be kept. Raises `FormatError` for a format whose
    results stand outside the message.

    >>> GuardedJSON("ai-sdk").format
    'ai-sdk'
    """

    impl = JSON
    cache_ok = True

    def __init__(
        self,
        format: str,
        policy: Policy | None = None,
        none_as_null: bool = False,
    ) -> None:
        found = formats.get(format)
        if found.shape is not Shape.INLINE:
            raise FormatError(
                f"{found.name} keeps a result outside the message of its call, which a column "
                "cannot see; use guard() or a ChatRepository"
            )
        super().__init__(none_as_null=none_as_null)
        self.format = found.name
        self.none_as_null = none_as_null
        self.policy = _Shared(policy) if policy else _DEFAULT

    def __repr__(self) -> str:  # as a migration that creates the column is to say it
        more = ", none_as_null=True" if self.none_as_null else ""
        return f"GuardedJSON({self.format!r}{more})"

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name == "postgresql":
            return dialect.type_descriptor(JSONB(none_as_null=self.none_as_null))
        return dialect.type_descriptor(JSON(none_as_null=self.none_as_null))

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        return finalized(value, formats.get(self.format), self.policy.policy)

    def coerce_compared_value(self, op: Any, value: Any) -> Any:
        if isinstance(value, dict | list):
            return self  # a payload; anything else is a path into one
        return self.impl_instance.coerce_compared_value(op, value)


class _Shared:
    """A policy as part of a cache key: by identity, since it may hold a callable."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy


_DEFAULT = _Shared(DEFAULT)
