"""The table of states by which `validateUIMessages` judges a stored tool part.

One row a state, as the schemas of the AI SDK 5, 6 and 7 have them: a key that has to be there, one
that may not (where `null` counts as there), and the approval that fits. The words are those of 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from endmark.rules import Message, Rule, Violation

__all__ = ["INVALID_PART", "shape_faults"]

INVALID_PART: Final = Rule(
    "invalid-part",
    "Type validation failed: Value: …. Error message:"
    ' [{{"path":[{at},"parts",{path}],"message":"{issue}"}}]',
    "https://www.npmjs.com/package/ai/v/7.0.173",
)


class _Shape(NamedTuple):
    """What `validateUIMessages` asks of a state: keys that must be, and that must not be, there.

    `approval` says which one fits: none, a `pending`, an `answered`, a `granted` or a `denied` one;
    a trailing `?` lets it be absent.
    """

    needs: tuple[str, ...]
    bars: tuple[str, ...]
    approval: str


_NO_OUTCOME: Final = ("output", "errorText")
_SHAPES: Final = {
    "input-streaming": _Shape((), _NO_OUTCOME, "none"),
    "input-available": _Shape(("input",), _NO_OUTCOME, "none"),
    "approval-requested": _Shape(("input",), _NO_OUTCOME, "pending"),
    "approval-responded": _Shape(("input",), _NO_OUTCOME, "answered"),
    "output-available": _Shape(("input", "output"), ("errorText",), "granted?"),
    "output-error": _Shape((), ("output",), "granted?"),
    "output-denied": _Shape(("input",), _NO_OUTCOME, "denied"),
}
# the states of dynamic parts in version 5
_V5_STATES: Final = frozenset(
    {"input-streaming", "input-available", "output-available", "output-error"}
)
# optional key → its type, the first major whose schema knows it, the states it belongs to
_STREAMING: Final = frozenset({"input-streaming"})
_STREAMED: Final = _SHAPES.keys() - _STREAMING
_OPTIONAL: Final = (
    ("providerExecuted", "boolean", 5, _SHAPES.keys()),
    ("callProviderMetadata", "record", 5, _STREAMED),
    ("callProviderMetadata", "record", 6, _STREAMING),
    ("preliminary", "boolean", 5, {"output-available"}),
    ("rawInput", "string", 5, _STREAMING),
    ("resultProviderMetadata", "record", 6, {"output-available", "output-error"}),
    ("toolMetadata", "record", 6, _SHAPES.keys()),
    ("title", "string", 7, _SHAPES.keys()),
)
_VALID: Final = {
    "pending": ("never", "never"),
    "answered": ("boolean", "string?"),
    "granted": ("true", "string?"),
    "denied": ("false", "string?"),
}
_ABSENT: Final = object()


def shape_faults(at: int, n: int, part: Message, major: int | None) -> Iterator[Violation]:
    """Yield what `validateUIMessages` finds in part `n` of message `at`, as major 5, 6 or 7.

    Without a major as version 7 does. Source: the schemas in the npm package `ai`.

    >>> part = {"type": "tool-f", "toolCallId": "c", "state": "output-error", "errorText": None}
    >>> [found.message[-59:] for found in shape_faults(1, 0, part, 7)]
    ['"message":"Invalid input: expected string, received null"}]']
    """

    def fault(path: str, issue: str) -> Violation:
        return INVALID_PART.broken(at, part.get("toolCallId"), path=path, issue=issue)

    dynamic, state = part.get("type") == "dynamic-tool", part.get("state")
    old = major == 5 and dynamic
    shape = _SHAPES.get(state) if isinstance(state, str) else None
    if shape is None or (old and state not in _V5_STATES):
        yield fault(f'{n},"state"', "Invalid input")
        return
    for key, issue in _key_issues(part, shape, dynamic=dynamic, major=major):
        yield fault(f'{n},"{key}"', issue)
    if not old:
        for key, issue in _approval_issues(part.get("approval", _ABSENT), shape.approval):
            yield fault(f'{n},"approval"{key}', issue)


def _key_issues(
    part: Message, shape: _Shape, *, dynamic: bool, major: int | None
) -> Iterator[tuple[str, str]]:
    strings = ["toolCallId"] + ["toolName"] * dynamic
    strings += ["errorText"] * (part["state"] == "output-error")
    for key in strings:
        yield from ((key, issue) for issue in _issues(part.get(key, _ABSENT), "string"))
    for key in shape.needs:
        if key not in part:
            yield key, "Invalid input: expected nonoptional, received undefined"
    for key in shape.bars:
        yield from ((key, issue) for issue in _issues(part.get(key, _ABSENT), "never"))
    for key, kind, since, states in _OPTIONAL:
        if (major or 7) >= since and part["state"] in states:
            yield from ((key, issue) for issue in _issues(part.get(key, _ABSENT), f"{kind}?"))


def _approval_issues(approval: Any, wanted: str) -> Iterator[tuple[str, str]]:
    if wanted == "none" or (wanted.endswith("?") and approval is _ABSENT):
        yield from (("", issue) for issue in _issues(approval, "never"))
        return
    if not isinstance(approval, dict):
        yield from (("", issue) for issue in _issues(approval, "object"))
        return
    approved, reason = _VALID[wanted.rstrip("?")]
    for key, kind in (("id", "string"), ("approved", approved), ("reason", reason)):
        for issue in _issues(approval.get(key, _ABSENT), kind):
            yield f',"{key}"', issue


def _issues(value: object, kind: str) -> Iterator[str]:
    """Zod's words for a value that is not of `kind`; `?` and `never` let it be absent."""
    got = _zod_type(value)
    if got == "undefined" and (kind.endswith("?") or kind == "never"):
        return
    kind = kind.rstrip("?")
    if kind in {"true", "false"}:
        if value is not (kind == "true"):
            yield f"Invalid input: expected {kind}"
    elif got != ("object" if kind == "record" else kind):
        yield f"Invalid input: expected {kind}, received {got}"


def _zod_type(value: object) -> str:
    if value is _ABSENT:
        return "undefined"
    names = {type(None): "null", bool: "boolean", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "number")
