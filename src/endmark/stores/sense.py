"""What a description of a store cannot mean, seen from the description alone."""

from __future__ import annotations

from collections.abc import Iterator

from endmark import formats
from endmark.stores._store import Store

__all__ = ["nonsense"]


def nonsense(store: Store) -> str | None:
    """Say in one sentence why a description cannot be meant so; None where it may be."""
    return next(_all(store), None)


def _all(store: Store) -> Iterator[str]:
    named = set(store.conversation)
    if len(named) < len(store.conversation):
        yield f"--conversation names {', '.join(store.conversation)}: each but once"
    if store.payload and store.payload in {*named, *store.order, *store.key}:
        yield f"{store.payload} is the payload: it names and orders nothing"
    yield from _twice(store)
    if store.fields:
        yield from _fields(store)
    for what, described in (("fields", store), ("parts.fields", store.parts)):
        if described is not None and (odd := sorted(described.json - set(described.fields))):
            have = ", ".join(described.fields) or "none"
            yield f"json names {', '.join(odd)}, no column of {what} ({have})"


def _twice(store: Store) -> Iterator[str]:
    """Find a column that is to be two things."""
    body = formats.get(store.format).body
    roles = {
        "conversation": store.conversation,
        "order": store.order,
        "role": (store.role,) if store.role else (),
        "payload": (store.payload,) if store.payload else (),
        "body": tuple(column for column, key in store.fields.items() if key == body),
    }
    seen: dict[str, str] = {}
    for role, columns in roles.items():
        for column in columns:
            if column in seen and seen[column] != role:
                yield f"{column} cannot be both the {seen[column]} and the {role} of messages"
            seen[column] = role
    if store.role in store.fields:
        yield f"{store.role} is the role: fields need not name it"


def _fields(store: Store) -> Iterator[str]:
    if store.payload:
        yield (
            f"payload ({store.payload}) and fields exclude each other: a message is in one column, "
            "or each of its fields in one of its own; fields may name that column too"
        )
    if store.layout != "rows":
        yield f"fields are for layout 'rows', not for {store.layout!r}"
    keys = list(store.fields.values())
    if again := sorted({key for key in keys if keys.count(key) > 1}):
        yield f"fields names {', '.join(again)} for more than one column"
    body = formats.get(store.format).body
    if not {body, "content"} & set(keys):
        yield f"fields names no column for {body}: what messages say would be taken for nothing"
