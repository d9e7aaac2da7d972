"""The rules of Gemini, as the Gemini API and Vertex AI state them when a request breaks one.

A content of the model with calls is followed by one content with as many responses. Ids are
optional, and neither they nor the names of responses are compared: the API goes by count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from endmark.rules import Message, Rule, Turn, Violation, dicts

__all__ = ["RULES", "violations"]

_ISSUES: Final = "https://github.com/{}/issues/{}"
_PART: Final = "* GenerateContentRequest.contents[{at}].parts[{n}]"

COUNT: Final = Rule(
    "missing-result",
    "Please ensure that the number of function response parts is equal to the number of function"
    " call parts of the function call turn.",
    _ISSUES.format("google-gemini/gemini-cli", 16543),
)
NO_CALLS_BEFORE: Final = Rule(
    "orphan-result",
    "Please ensure that function response turn comes immediately after a function call turn.",
    _ISSUES.format("langchain-ai/langchain", 27799),
)
MIXED: Final = Rule(
    "result-role",
    "Please ensure that function call turn contains at least one function_call part which can not"
    " be mixed with function_response parts.",
    _ISSUES.format("googleapis/python-genai", 81),
)
TURN_ORDER: Final = Rule(
    "turn-order",
    "Please ensure that function call turn comes immediately after a user turn or after a function"
    " response turn.",
    _ISSUES.format("google-gemini/gemini-cli", 11814),
)
EMPTY_CONTENT: Final = Rule(
    "empty-message",
    "* GenerateContentRequest.contents[{at}].parts: contents.parts must not be empty.",
    _ISSUES.format("vercel/ai", 3775),
)
EMPTY_PART: Final = Rule(
    "empty-text",
    f"{_PART}.data: required oneof field 'data' must have one initialized field",
    _ISSUES.format("router-for-me/CLIProxyAPI", 1292),
)
EMPTY_NAME: Final = Rule(
    "empty-name",
    f"{_PART}.{{kind}}.name: Name cannot be empty.",
    _ISSUES.format("router-for-me/CLIProxyAPI", 2104),
)
NO_OBJECT: Final = Rule(
    "bad-input",
    "Invalid value at 'contents[{at}].parts[{n}].{kind}.{key}' (type.googleapis.com/"
    "google.protobuf.Struct)",
    _ISSUES.format("google-gemini/deprecated-generative-ai-js", 301),
)
RULES: Final = tuple(rule for rule in list(globals().values()) if isinstance(rule, Rule))

# both spellings of a part, the API's name of it, the key of its object and whether it must be there
_KINDS: Final = (
    ("functionCall", "function_call", "function_call", "args", False),
    ("functionResponse", "function_response", "function_response", "response", True),
)


def violations(history: list[Message], provider: str, turn: Turn) -> Iterator[Violation]:
    """Yield what Gemini refuses; source: the reports linked by the rules.

    >>> [found.code for found in violations([{"role": "user", "parts": []}], "gemini", "over")]
    ['empty-message']
    """
    del provider
    before: Message | None = None
    for at, message in enumerate(history):
        yield from _faults(at, message)
        calls, answers = _bodies(at, message, 0), _bodies(at, message, 1)
        asked = _bodies(at - 1, before, 0) if before is not None and _asks(before) else []
        if calls and answers:
            yield MIXED.broken(at, _id(answers))
        elif answers:
            last = turn == "open" and at == len(history) - 1
            yield from _answered(at, asked, answers, waits=last and _only_answers(at, message))
        elif asked:
            yield COUNT.broken(at - 1, _id(asked))
        if calls and (before is None or _asks(before)):
            yield TURN_ORDER.broken(at, _id(calls))
        before = message
    if before is not None and _asks(before) and turn == "over":
        asked = _bodies(len(history) - 1, before, 0)
        if asked:
            yield COUNT.broken(len(history) - 1, _id(asked))


def _only_answers(at: int, message: Message) -> bool:
    return len(_bodies(at, message, 1)) == len(_parts(at, message))


def _answered(
    at: int, asked: list[Message], answers: list[Message], *, waits: bool
) -> Iterator[Violation]:
    if not asked:
        yield NO_CALLS_BEFORE.broken(at, _id(answers))
    elif len(asked) < len(answers) or (len(asked) > len(answers) and not waits):
        yield COUNT.broken(at, _id(answers))


def _asks(message: Message) -> bool:
    return message.get("role") == "model"


def _parts(at: int, message: Message) -> list[Message]:
    parts = message.get("parts")
    return dicts([] if parts is None else parts, f"the parts of content {at}")


def _bodies(at: int, message: Message, kind: int) -> list[Message]:
    camel, snake, *_ = _KINDS[kind]
    found = [part.get(camel) or part.get(snake) for part in _parts(at, message)]
    return dicts([body for body in found if body], f"the {camel} parts of content {at}")


def _id(bodies: list[Message]) -> object:
    return bodies[0].get("id")


def _faults(at: int, message: Message) -> Iterator[Violation]:
    parts = _parts(at, message)
    if not parts:
        yield EMPTY_CONTENT.broken(at)
    for n, part in enumerate(parts):
        if not any(value for key, value in part.items() if key != "thought"):
            yield EMPTY_PART.broken(at, n=n)
        for camel, snake, kind, key, required in _KINDS:
            body = part.get(camel) or part.get(snake)
            if isinstance(body, dict):
                yield from _body_faults(at, n, kind, body, key, required)


def _body_faults(
    at: int, n: int, kind: str, body: dict[str, Any], key: str, required: bool
) -> Iterator[Violation]:
    if not body.get("name"):
        yield EMPTY_NAME.broken(at, body.get("id"), n=n, kind=kind)
    given = body.get(key)
    if not isinstance(given, dict) and (required or given is not None):
        yield NO_OBJECT.broken(at, body.get("id"), n=n, kind=kind, key=key)
