"""The rules of the AI SDK's UI messages, majors 4 to 7, and of the providers behind it.

Three judges meet here: `validateUIMessages` (the table of states), the conversion and the walk that
throws `MissingToolResultsError`, and what providers answer to a part that the SDK lets through.
Plain `ai-sdk` asks for what 6 and 7 both accept and tells version 4 by the part; `ai-sdk-v4` to
`ai-sdk-v7` judge as the newest release of that major.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from endmark.rules import Message, Rule, Turn, Violation, dicts
from endmark.rules.ai_sdk_calls import (
    DUPLICATE_ID,
    EMPTY_ERROR,
    EMPTY_ID,
    EMPTY_NAME,
    INPUT_TYPE,
    MISSING_RESULT,
    OPEN_PROVIDER_CALL,
)
from endmark.rules.ai_sdk_parts import INVALID_PART, shape_faults

__all__ = ["RULES", "violations"]

_NPM: Final = "https://www.npmjs.com/package/ai/v/"
_ISSUES: Final = "https://github.com/{}/issues/{}"
_ANTHROPIC: Final = "messages.{at}.content.{n}"
_MISSING_DOC: Final = "https://ai-sdk.dev/docs/troubleshooting/missing-tool-results-error"

PRELIMINARY_OUTPUT: Final = Rule(  # sent as if it were final; the SDK calls it incomplete
    "preliminary-output",
    "Tool result is missing for tool call {id}.",
    _ISSUES.format("vercel/ai", 19080),
)
INCOMPLETE_INPUT: Final = Rule(  # thrown up to 5.0.23; later releases leave the call out
    "incomplete-input",
    "incomplete tool input is not supported: {id}",
    _ISSUES.format("vercel/ai", 7097),
)
UNSUPPORTED_STATE: Final = Rule(  # thrown up to 5.0.23; later 5.x send the call unanswered
    "missing-result", "Unsupported tool part state: {state}", _ISSUES.format("vercel/ai", 7260)
)
NO_RESULT_KEY: Final = Rule(
    "missing-result",
    'ToolInvocation must have a result: {{"state":"{state}","toolCallId":"{id}","args":…}}',
    _ISSUES.format("vercel/ai", 4584),
)
EMPTY_MESSAGE: Final = Rule(
    "empty-message",
    "Type validation failed: Value: …. Error message:"
    ' [{{"path":[{at},"parts"],"message":"Message must contain at least one part"}}]',
    _NPM + "7.0.173",
)
RULES: Final = (
    INVALID_PART,
    MISSING_RESULT,
    PRELIMINARY_OUTPUT,
    INCOMPLETE_INPUT,
    UNSUPPORTED_STATE,
    NO_RESULT_KEY,
    OPEN_PROVIDER_CALL,
    EMPTY_MESSAGE,
    EMPTY_ID,
    DUPLICATE_ID,
    EMPTY_NAME,
    INPUT_TYPE,
    EMPTY_ERROR,
)


# tuples, not sets: what is looked up may be any JSON value
_ANSWERED: Final = ("output-available", "output-error", "output-denied")
_V5_ANSWERED: Final = ("output-available", "output-error")
_PAUSED: Final = ("approval-requested", "approval-responded")


class _Open(NamedTuple):
    """A call without a final result, and the rule it breaks once nobody can answer it any more."""

    at: int
    name: str
    part: dict[str, Any]
    rule: Rule


def violations(history: list[Message], provider: str, turn: Turn) -> Iterator[Violation]:
    """Yield what the AI SDK, or a provider behind it, refuses; source: the rules' links.

    An approval, asked or answered, in the last assistant message is a pause that the next request
    resumes: no violation until a user message stands behind it, in either `turn`.

    >>> part = {"type": "tool-f", "toolCallId": "c1", "state": "input-available", "input": {}}
    >>> asked = {"role": "assistant", "parts": [part]}
    >>> said = {"role": "user", "parts": [{"type": "text", "text": "go on"}]}
    >>> [found.message for found in violations([asked, said], "ai-sdk", "over")]
    ['Tool result is missing for tool call c1.']
    """
    major = int(provider[-1]) if provider[-1].isdigit() else None
    for at, message in enumerate(history):
        parts = _parts(at, message, major)
        if message.get("role") == "assistant":
            yield from _part_faults(at, parts, major)
        elif message.get("parts") == [] and "content" not in message:
            yield EMPTY_MESSAGE.broken(at)
    yield from _walk(history, major, turn)


def _parts(at: int, message: Message, major: int | None) -> list[Message]:
    """The parts; a version 4 message without any keeps its calls in `toolInvocations`."""
    if message.get("parts") is not None:
        parts = dicts(message["parts"], f"the parts of message {at}")
        if major == 4:  # it passes over the tool parts of later majors
            return [part for part in parts if not _is_tool(part) or _v4_call(part, major)]
        return parts
    calls = message.get("toolInvocations") if major in {None, 4} else None
    return [
        {"type": "tool-invocation", "toolInvocation": call}
        for call in dicts([] if calls is None else calls, f"the toolInvocations of message {at}")
    ]


def _is_tool(part: Message) -> bool:
    kind = part.get("type")
    return isinstance(kind, str) and (kind == "dynamic-tool" or kind.startswith("tool-"))


def _v4_call(part: Message, major: int | None) -> Message | None:
    call = part.get("toolInvocation")
    if part.get("type") == "tool-invocation" and isinstance(call, dict) and major in {None, 4}:
        return call
    return None


def _walk(history: list[Message], major: int | None, turn: Turn) -> Iterator[Violation]:
    """The SDK's own walk: calls open, results close by id, a user or system message finds the rest.

    A part carries its call and its result; the results of a step come after all its calls.
    """
    waiting: dict[tuple[str, str], _Open] = {}
    last = max((i for i, m in enumerate(history) if m.get("role") == "assistant"), default=-1)
    last_user = max((i for i, m in enumerate(history) if m.get("role") == "user"), default=-1)
    for at, message in enumerate(history):
        if message.get("role") in ("user", "system"):
            yield from _thrown(waiting)
            waiting = {}
            continue
        parts = _parts(at, message, major)
        if major == 7 and at < last_user:  # newest 7.x drops a request a user message overtook
            parts = [part for part in parts if part.get("state") != "approval-requested"]
        for step in _steps(parts):
            if step and step[0].get("type") == "steering-message":
                yield from _thrown(waiting)
                waiting = {}
            _take_step(waiting, at, step, major)
    pausing = [key for key, call in waiting.items() if _pauses(key[0], call, last, turn)]
    for key in pausing:
        del waiting[key]
    yield from _thrown(waiting)


def _steps(parts: list[Message]) -> Iterator[list[Message]]:
    step: list[Message] = []
    for part in parts:
        if part.get("type") in ("step-start", "steering-message"):
            yield step
            step = []
        step.append(part)
    yield step


def _take_step(
    waiting: dict[tuple[str, str], _Open], at: int, step: list[Message], major: int | None
) -> None:
    answered = []
    for part in filter(_is_tool, step):
        call = _v4_call(part, major)
        name = (call or part).get("toolCallId")
        if not isinstance(name, str):
            continue
        key = (_answerer(part), name)
        rule = _unanswered(part, call, major)
        if rule is None:
            answered.append(key)
        else:
            waiting[key] = _Open(at, name, call or part, rule)
    for key in answered:
        waiting.pop(key, None)


def _answerer(part: Message) -> str:
    """Who could answer the call of a part: a result closes only what its own side left open."""
    if part.get("state") == "input-streaming":
        return "nobody"
    return "provider" if part.get("providerExecuted") is True else "client"


def _unanswered(part: Message, call: Message | None, major: int | None) -> Rule | None:
    """The rule a part breaks when nobody can answer it any more; none if it has its result."""
    state = part.get("state")
    if call is not None:
        return None if "result" in call else NO_RESULT_KEY
    if state == "output-available" and part.get("preliminary") is True:
        return PRELIMINARY_OUTPUT
    if state in (_V5_ANSWERED if major == 5 else _ANSWERED):
        return None
    if major == 7 and state == "approval-responded" and _denied(part):
        return None  # newest 7.x writes the result of a denial itself
    if state == "input-streaming":
        return INCOMPLETE_INPUT
    if part.get("providerExecuted") is True:
        return OPEN_PROVIDER_CALL
    return UNSUPPORTED_STATE if major == 5 else MISSING_RESULT


def _denied(part: Message) -> bool:
    approval = part.get("approval")
    return isinstance(approval, dict) and approval.get("approved") is False


def _pauses(answerer: str, call: _Open, last: int, turn: Turn) -> bool:
    """At the end of history: a live turn, a deferred call of the provider, an approval."""
    return (
        turn == "open"
        or answerer == "provider"
        or (call.at == last and call.part.get("state") in _PAUSED)
    )


def _thrown(waiting: dict[tuple[str, str], _Open]) -> Iterator[Violation]:
    missing = [call.name for call in waiting.values() if call.rule is MISSING_RESULT]
    plural = len(missing) > 1
    for at, name, part, rule in waiting.values():
        yield rule.broken(
            at,
            name,
            s_are="s are" if plural else " is",
            s="s" if plural else "",
            ids=", ".join(missing),
            state=part.get("state"),
            name=_tool_name(part),
        )


def _tool_name(part: Message) -> object:
    kind = str(part.get("type"))
    return kind[5:] if kind.startswith("tool-") else part.get("toolName")


def _part_faults(at: int, parts: list[Message], major: int | None) -> Iterator[Violation]:
    seen: set[str] = set()
    for n, part in enumerate(parts):
        if not _is_tool(part):
            continue
        call = _v4_call(part, major)
        if call is None:
            yield from shape_faults(at, n, part, major)
        name = (call or part).get("toolCallId")
        if name == "" or (call is not None and not isinstance(name, str)):
            yield EMPTY_ID.broken(at, name, n=n)
        elif isinstance(name, str):
            if name in seen:
                yield DUPLICATE_ID.broken(at, name, n=n)
            seen.add(name)
        yield from _provider_faults(at, n, part, call)


def _provider_faults(at: int, n: int, part: Message, call: Message | None) -> Iterator[Violation]:
    """What the SDK passes on and a provider refuses."""
    name, state = (call or part).get("toolCallId"), part.get("state")
    if not _tool_name(call or part):
        yield EMPTY_NAME.broken(at, name, n=n)
    given = part.get("input") if call is None else call.get("args")
    if given is None and state == "output-error":
        given = part.get("rawInput")
    if not isinstance(given, dict) and state != "input-streaming":
        yield INPUT_TYPE.broken(at, name, n=n)
    said = part.get("errorText") if state == "output-error" else None
    if state == "output-denied" and isinstance(part.get("approval"), dict):
        said = part["approval"].get("reason")
    if isinstance(said, str) and not said.strip():
        yield EMPTY_ERROR.broken(at, name, n=n)
