"""The rules of Bedrock Converse, as the service states them when a request breaks one.

The user message directly behind an assistant message holds one `toolResult` for each of its
`toolUse` blocks, at its beginning, and user and assistant take turns. What the provider runs itself
(`type` on its blocks) is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from endmark.rules import Message, Rule, Turn, Violation, dicts

__all__ = ["RULES", "violations"]

_ISSUES: Final = "https://github.com/{}/issues/{}"
_ID: Final = "[a-zA-Z0-9_.:-]+"
_LIMIT: Final = 64

MISSING_RESULT: Final = Rule(
    "missing-result",
    "Expected toolResult blocks at messages.{next}.content for the following Ids: {ids}",
    _ISSUES.format("camel-ai/camel", 3954),
)
TOO_MANY: Final = Rule(
    "orphan-result",
    "The number of toolResult blocks at messages.{at}.content exceeds the number of toolUse blocks"
    " of previous turn.",
    _ISSUES.format("strands-agents/harness-sdk", 1435),
)
DUPLICATE_RESULT: Final = Rule(
    "duplicate-result",
    "The toolResult blocks at messages.{at}.content contain duplicate Ids: {id}",
    _ISSUES.format("BerriAI/litellm", 20048),
)
DUPLICATE_ID: Final = Rule(
    "duplicate-id",
    "The toolUse blocks at messages.{at}.content contain duplicate Ids: {id}",
    _ISSUES.format("double16/Cyber-AutoAgent-ng", 27),
)
LATE_IN_MESSAGE: Final = Rule(  # from the model behind the service
    "misplaced-result",
    "messages.{at}: Did not find {count} `tool_result` block(s) at the beginning of this message."
    " Messages following `tool_use` blocks must begin with a matching number of `tool_result`"
    " blocks.",
    _ISSUES.format("Amazon-Q-Developer/language-servers", 1235),
)
TURN_ORDER: Final = Rule(
    "turn-order",
    "A conversation must alternate between user and assistant roles. Make sure the conversation"
    " alternates between user and assistant roles and try again.",
    _ISSUES.format("langchain-ai/langchain-aws", 192),
)
FIRST_ROLE: Final = Rule(
    "turn-order",
    "A conversation must start with a user message. Try again with a conversation that starts with"
    " a user message.",
    _ISSUES.format("langgenius/dify", 12340),
)
EMPTY_MESSAGE: Final = Rule(
    "empty-message",
    "The content field in the Message object at messages.{at} is empty. Add a ContentBlock object"
    " to the content field and try again.",
    _ISSUES.format("earendil-works/pi", 3443),
)
BLANK_TEXT: Final = Rule(
    "empty-text",
    "The text field in the ContentBlock object at messages.{at}.content.{n} is blank. Add text to"
    " the text field, and try again.",
    _ISSUES.format("langchain-ai/langchain-aws", 403),
)
BLANK_RESULT: Final = Rule(
    "empty-text",
    "The text field in the ContentBlock object at messages.{at}.content.{n} is blank. Add text to"
    " the text field, and try again.",
    _ISSUES.format("NousResearch/hermes-agent", 55092),
)
EMPTY_ERROR: Final = Rule(
    "empty-error",
    "The content field at messages.{at}.content.{n}.toolResult cannot be empty when status value is"
    " error.",
    _ISSUES.format("aws-samples/sample-multi-agent-orchestration-chat-on-agentcore", 15),
)
INPUT_TYPE: Final = Rule(
    "bad-input",
    "The format of the value at messages.{at}.content.{n}.toolUse.input is invalid. Provide a json"
    " object for the field and try again.",
    _ISSUES.format("vercel/ai", 19023),
)
JSON_TYPE: Final = Rule(
    "bad-result",
    "The format of the value at messages.{at}.content.{n}.toolResult.content.{k}.json is invalid."
    " Provide a json object for the field and try again.",
    _ISSUES.format("aws/aws-sdk-js-v3", 7330),
)
BAD_ID: Final = Rule(
    "bad-id",
    "Value at 'messages.{at}.content.{n}.{kind}.toolUseId' failed to satisfy constraint: Member"
    f" must satisfy regular expression pattern: {_ID}, with a length of 1 to {_LIMIT}",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html",
)
EMPTY_NAME: Final = Rule(
    "empty-name",
    "Value at 'messages.{at}.content.{n}.toolUse.name' failed to satisfy constraint: Member must"
    " have length greater than or equal to 1",
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html",
)
RULES: Final = tuple(rule for rule in list(globals().values()) if isinstance(rule, Rule))


def violations(history: list[Message], provider: str, turn: Turn) -> Iterator[Violation]:
    """Yield what Bedrock Converse refuses; source: the reports linked by the rules.

    >>> [found.code for found in violations([{"role": "user", "content": []}], "bedrock", "over")]
    ['empty-message']
    """
    del provider
    asked: list[Any] = []
    role: object = None
    for at, message in enumerate(history):
        content = _content(at, message)
        yield from _faults(at, content)
        if message.get("role") == role:
            yield TURN_ORDER.broken(at)
        elif role is None and message.get("role") == "assistant":
            yield FIRST_ROLE.broken(at)
        role = message.get("role")
        answers = _bodies(content, "toolResult")
        if role == "user":
            waits = turn == "open" and at == len(history) - 1 and _only_answers(content)
            yield from _answered(at, asked, answers, waits=waits)
            yield from _leading(at, content, len(answers))
        else:
            yield from _answered(at, asked, [])
            yield from _answered(at, [], answers)
        asked = [use.get("toolUseId") for use in _bodies(content, "toolUse")]
    if turn == "over":
        yield from _answered(len(history), asked, [])


def _content(at: int, message: Message) -> list[Message]:
    content = message.get("content")
    return dicts([] if content is None else content, f"the content of message {at}")


def _bodies(content: list[Message], kind: str) -> list[Message]:
    hosted = _hosted(content)
    bodies = dicts([block[kind] for block in content if kind in block], f"the {kind} blocks")
    return [body for body in bodies if body.get("toolUseId") not in hosted]


def _hosted(content: list[Message]) -> list[Any]:
    """The ids of what the provider runs itself."""
    uses = dicts(
        [block["toolUse"] for block in content if "toolUse" in block], "the toolUse blocks"
    )
    return [use.get("toolUseId") for use in uses if use.get("type") == "server_tool_use"]


def _only_answers(content: list[Message]) -> bool:
    return all("toolResult" in block or "cachePoint" in block for block in content)


def _answered(
    at: int, asked: list[Any], answers: list[Message], *, waits: bool = False
) -> Iterator[Violation]:
    waiting, seen = list(asked), []
    for answer in answers:
        name = answer.get("toolUseId")
        if name in waiting:
            waiting.remove(name)
        elif name in seen:
            yield DUPLICATE_RESULT.broken(at, name)
        else:
            yield TOO_MANY.broken(at, name)
        seen.append(name)
    for name in () if waits else waiting:
        ids = ", ".join(map(str, waiting))
        yield MISSING_RESULT.broken(at - 1, name, next=at, ids=ids)


def _leading(at: int, content: list[Message], count: int) -> Iterator[Violation]:
    led = [block for block in content if "cachePoint" not in block][:count]
    if not all("toolResult" in block for block in led):
        yield LATE_IN_MESSAGE.broken(at, count=count)


def _faults(at: int, content: list[Message]) -> Iterator[Violation]:
    seen: list[Any] = []
    hosted = _hosted(content)
    if not content:
        yield EMPTY_MESSAGE.broken(at)
    for n, block in enumerate(content):
        if _blank(block):
            yield BLANK_TEXT.broken(at, n=n)
        for kind in ("toolUse", "toolResult"):
            name = block.get(kind, {}).get("toolUseId") if kind in block else "-"
            if not isinstance(name, str) or not re.fullmatch(_ID, name) or len(name) > _LIMIT:
                yield BAD_ID.broken(at, name, n=n, kind=kind)
        if "toolUse" in block:
            yield from _call_faults(at, n, block["toolUse"], seen)
        if "toolResult" in block and block["toolResult"].get("toolUseId") not in hosted:
            yield from _result_faults(at, n, block["toolResult"])


def _blank(block: Message) -> bool:
    text = block.get("text")
    return isinstance(text, str) and not text.strip()


def _call_faults(at: int, n: int, use: Message, seen: list[Any]) -> Iterator[Violation]:
    name = use.get("toolUseId")
    if name in seen:
        yield DUPLICATE_ID.broken(at, name)
    seen.append(name)
    if not use.get("name"):
        yield EMPTY_NAME.broken(at, name, n=n)
    if not isinstance(use.get("input"), dict):
        yield INPUT_TYPE.broken(at, name, n=n)


def _result_faults(at: int, n: int, result: Message) -> Iterator[Violation]:
    given, name = result.get("content"), result.get("toolUseId")
    content = dicts([] if given is None else given, "the content of a toolResult")
    if not content and result.get("status") == "error":
        yield EMPTY_ERROR.broken(at, name, n=n)
    for k, block in enumerate(content):
        if _blank(block):
            yield BLANK_RESULT.broken(at, name, n=n)
        if "json" in block and not isinstance(block["json"], dict):
            yield JSON_TYPE.broken(at, name, n=n, k=k)
