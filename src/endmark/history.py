"""Check, repair and finalize: a format's events through pairing and repair and back.

The public functions are thin; `examine` is what guard and heal share with them, so that all
three write the same payload for the same history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, get_args

from endmark import formats
from endmark.errors import UnreadableError
from endmark.formats import Format, Rebuilt
from endmark.formats._nested import Nested
from endmark.model import (
    At,
    Blank,
    Call,
    Drop,
    Edit,
    Event,
    Finding,
    Owner,
    Result,
    Shape,
    ToText,
    Turn,
    Within,
)
from endmark.new_ids import id_maker
from endmark.pairing import pair
from endmark.policy import DEFAULT, Policy
from endmark.repair import Plan, Scene, plan

__all__ = ["ODD", "Examination", "check", "examine", "finalize", "is_synthesized", "repair"]

H = TypeVar("H", bound=Sequence[Any])


# What reading a message raises that is none of its format.
ODD = (AttributeError, IndexError, KeyError, TypeError, UnicodeError)


def _unlike(format_: Format, error: Exception) -> UnreadableError:
    return UnreadableError(
        f"this is no history of {format_.name} ({type(error).__name__} while reading it); "
        "nothing was changed. Check the format that was named."
    )


@dataclass(frozen=True, slots=True)
class Examination:
    """What is wrong with a history, what would be written, and what is open on purpose."""

    history: Sequence[Any]
    format: Format
    findings: tuple[Finding, ...] = ()
    edits: tuple[Edit, ...] = ()
    pending: tuple[Call, ...] = ()

    def rebuild(self) -> Rebuilt:
        """Give the repaired messages, each with the index that it had before.

        Raises `UnreadableError` where a message that is to be edited is none of this format.
        """
        try:
            return self.format.apply(self.history, self.edits)
        except ODD as error:
            raise _unlike(self.format, error) from error


def examine(
    history: Sequence[Any],
    format_: Format,
    policy: Policy = DEFAULT,
    turn: Turn = "over",
    *,
    passed: bool = False,
) -> Examination:
    """Find what is wrong with a history and decide the edits; nothing is changed.

    `passed` sees it as if a user had spoken since: nothing counts as pending any more.
    Raises `UnreadableError` for a payload that is not a history of this format.
    """
    if history.__class__ is not list:
        _require_list(history)
    try:
        seen = [*history, format_.said] if passed else history
        suspects = format_.skim(seen)
        if not suspects:
            return Examination(history, format_)
        made = _decide(seen, format_, suspects, policy, turn)
    except ODD as error:
        raise _unlike(format_, error) from error
    if any(isinstance(edit, Drop | ToText) for edit in made.edits):
        formats.require_own(history, format_)  # here alone: it would cost a sound history its time
    return Examination(
        history, format_, tuple(made.findings), tuple(made.edits), tuple(made.pending)
    )


def _require_list(history: object) -> None:
    """Raise `UnreadableError` for what is no list of messages: a generator would be read but once."""
    if isinstance(history, Sequence) and not isinstance(history, str | bytes):
        return
    if isinstance(history, Mapping) and "messages" not in history:
        return  # a request of another shape, or one message: its format says what it is
    way = "give its messages" if isinstance(history, Mapping) else "give list(messages)"
    raise UnreadableError(
        f"a history is a list of messages, and this is of type {type(history).__name__}; {way}"
    )


def _decide(
    history: Sequence[Any], format_: Format, suspects: list[int], policy: Policy, turn: Turn
) -> Plan:
    if isinstance(format_, Nested):
        return _decide_within(history, format_, suspects, policy, turn)
    events = format_.events(history, suspects, policy)
    more = _same_ids(history, format_, events, suspects)
    if more:
        events = format_.events(history, sorted({*suspects, *more}), policy)
    if callable(policy.marker):
        events = _recognised(events, policy)
    scene = Scene(
        last_user=format_.last(history, format_.is_user),
        last_assistant=format_.last(history, format_.is_assistant),
        is_user=lambda index: format_.is_user(history[index]),
        new_id=id_maker(history, format_),
        unique_ids=format_.unique_ids,
        optional_ids=format_.optional_ids,
        inline=format_.shape is Shape.INLINE,
    )
    live = turn == "open" and scene.last_user < scene.last_assistant
    pairing = pair(
        events,
        keep_markers=policy.late == "keep",
        joint=format_.joint,
        live=scene.last_assistant if live else -1,
    )
    return plan(pairing, [e for e in events if isinstance(e, Blank)], scene, policy, turn)


def _decide_within(
    history: Sequence[Any], format_: Nested, suspects: list[int], policy: Policy, turn: Turn
) -> Plan:
    """Decide of messages that each hold a history: a call of one is answered in that one alone."""
    inner, made = format_.inner, Plan()
    last_user = format_.last(history, format_.is_user)
    last_assistant = format_.last(history, format_.is_assistant)
    for index in suspects:
        held: list[Any] = format_.held(history[index]) or []
        held = [*held, inner.said] if index < last_user else held
        suspect = inner.skim(held)
        if not suspect:
            continue
        one = _decide(held, inner, suspect, policy, turn if index >= last_assistant else "over")
        made.findings += [replace(f, message=index, part=f.message) for f in one.findings]
        made.pending += [replace(c, at=At(index, c.at.message), slot=index) for c in one.pending]
        if one.edits:
            made.edits.append(Within(index, tuple(one.edits)))
    return made


def _same_ids(
    history: Sequence[Any], format_: Format, events: list[Event], suspects: list[int]
) -> set[int]:
    """Find the sound blocks that a suspect could still have to do with: those that share an id.

    A result that stands behind its own call is no other's. A call without one may be told again
    within its turn; further off only where an id may not come again, or where results stray.
    """
    if format_.shape is Shape.INLINE:
        return set()
    calls = [event for event in events if isinstance(event, Call) and event.id is not None]
    results = [event for event in events if isinstance(event, Result) and event.id is not None]
    strays, open_ = set(), calls
    if results:
        asked = {(call.at.message, call.id) for call in calls}
        answered = {(result.after, result.id) for result in results}
        strays = {r.id for r in results if (r.after, r.id) not in asked}
        open_ = [call for call in calls if (call.at.message, call.id) not in answered]
    if format_.unique_ids:
        strays.update(call.id for call in calls)
    else:
        strays.update(call.id for call in open_ if call.owner is Owner.PROVIDER)
    known = set(suspects)
    found = format_.calling(history, strays) if strays else []
    ids = {call.id for call in open_}
    found += [
        index
        for index in _turns(history, format_, [call.at.message for call in open_])
        if index not in known and not ids.isdisjoint(format_.call_ids(history[index]))
    ]
    more: set[int] = set()
    for index in found:
        if index not in known:
            more.update(format_.block(history, index))
    return more - known


def _turns(history: Sequence[Any], format_: Format, indexes: list[int]) -> Iterator[int]:
    """Give the messages of the turns that these messages, in order, are in; each message once."""
    done = 0
    for index in indexes:
        if index < done:
            continue
        start, stop = index, index + 1
        while start > done and not format_.is_user(history[start - 1]):
            start -= 1
        while stop < len(history) and not format_.is_user(history[stop]):
            stop += 1
        yield from range(start, stop)
        done = stop


def _recognised(events: list[Event], policy: Policy) -> list[Event]:
    """Know the words of a callable that named the tool, where a result itself does not."""
    names: dict[str | None, list[str | None]] = {}
    for event in events:
        if isinstance(event, Call):
            names.setdefault(event.id, []).append(event.name)

    def is_ours(result: Result) -> bool:
        said = result.value
        if isinstance(said, list) and len(said) == 1 and isinstance(said[0], dict):
            said = said[0].get("text")
        asked = names.get(result.id, ()) if result.name is None else ()
        return any(policy.is_marker(said, result.id, name) for name in asked)

    return [
        replace(event, synthesized=True) if isinstance(event, Result) and is_ours(event) else event
        for event in events
    ]


def check(
    history: Sequence[Any],
    format: str | Format,
    *,
    policy: Policy | None = None,
    turn: Turn = "over",
) -> tuple[Finding, ...]:
    """Find what is wrong with a history; an empty tuple when it can be sent as it is.

    Raises `FormatError` for an unknown format, `UnreadableError` for a payload that is not one.

    >>> call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    >>> check([{"role": "assistant", "content": None, "tool_calls": [call]}], "openai-chat")[0].kind
    <Kind.DANGLING: 'dangling'>
    """
    return examine(history, formats.get(format), policy or DEFAULT, _turn(turn)).findings


def repair(
    history: H, format: str | Format, *, policy: Policy | None = None, turn: Turn = "over"
) -> H | list[Any]:
    """Give a history that can be sent: the same object when nothing is wrong with it.

    `turn="open"` leaves the calls of the last turn open. The input is never changed; untouched
    messages are shared with it. Raises as `check` does.

    >>> history = [{"role": "user", "content": "hello"}]
    >>> repair(history, "openai-chat") is history
    True
    """
    examination = examine(history, formats.get(format), policy or DEFAULT, _turn(turn))
    return examination.rebuild().messages if examination.edits else history


def finalize(
    message: dict[str, Any], format: str | Format, *, policy: Policy | None = None
) -> dict[str, Any]:
    """Close what is open in one message of an inline format; others need their neighbours.

    Gives the same object when nothing is open. Raises `FormatError` for a format whose results
    do not live in the message itself: use `repair` for those.

    >>> part = {"type": "tool-f", "toolCallId": "a", "state": "input-available", "input": {}}
    >>> finalize({"id": "m", "role": "assistant", "parts": [part]}, "ai-sdk")["parts"][0]["state"]
    'output-error'
    """
    format_ = formats.get(format)
    if format_.shape is not Shape.INLINE:
        from endmark.errors import FormatError

        msg = (
            f"{format_.name} keeps a result outside the message of its call, so one message "
            "cannot be finalized alone; use repair() on the history, or a ChatRepository"
        )
        raise FormatError(msg)
    repaired = repair([message], format_, policy=policy)
    return repaired[0] if repaired else {**message, format_.body: []}


def is_synthesized(
    message: dict[str, Any],
    format: str | Format,
    *,
    call_id: str | None = None,
    policy: Policy | None = None,
) -> bool:
    """Tell whether a message's result (or the one for `call_id`) was made by Endmark.

    Give the policy that wrote it when its marker is not one of the presets.

    >>> is_synthesized({"role": "tool", "tool_call_id": "a", "content": "ok"}, "openai-chat")
    False
    """
    format_ = formats.get(format)
    results = [
        event
        for event in format_.events([message], [0], policy or DEFAULT)
        if isinstance(event, Result) and (call_id is None or event.id == call_id)
    ]
    return bool(results) and all(result.synthesized for result in results)


def _turn(turn: Turn) -> Turn:
    if turn not in get_args(Turn):
        msg = f"turn must be 'over' or 'open', not {turn!r}"
        raise ValueError(msg)
    return turn
