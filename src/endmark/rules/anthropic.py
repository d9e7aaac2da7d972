"""The rules of Anthropic Messages, as its API states them when a request breaks one.

Messages of one role in a row are one turn there, so all is judged on merged turns: the results of
an assistant turn lead the user turn right behind it, one a call, in any order. Blocks that the
provider executes itself are answered inside the assistant's turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from endmark.rules import Message, Rule, Turn, Violation, dicts

__all__ = ["RULES", "violations"]

_DOCS: Final = "https://platform.claude.com/docs/en/"
_HANDLING: Final = _DOCS + "agents-and-tools/tool-use/handle-tool-calls"
_ISSUES: Final = "https://github.com/{}/issues/{}"
_BLOCK: Final = "messages.{at}.content.{n}"
_UNANSWERED: Final = (
    "messages.{call}: `tool_use` ids were found without `tool_result` blocks immediately after:"
    " {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next"
    " message."
)

MISSING_RESULT: Final = Rule(
    "missing-result", _UNANSWERED, _ISSUES.format("anthropics/claude-code", 1237)
)
MISPLACED_RESULT: Final = Rule("misplaced-result", _UNANSWERED, _HANDLING)
ORPHAN_RESULT: Final = Rule(
    "orphan-result",
    f"{_BLOCK}: unexpected `tool_use_id` found in `tool_result` blocks: {{id}}. Each `tool_result`"
    " block must have a corresponding `tool_use` block in the previous message.",
    _ISSUES.format("anthropics/claude-code", 13460),
)
DUPLICATE_RESULT: Final = Rule(
    "duplicate-result",
    f"{_BLOCK}: each tool_use must have a single result. Found multiple `tool_result` blocks with"
    " id: {id}",
    _ISSUES.format("RooCodeInc/Roo-Code", 9248),
)
DUPLICATE_ID: Final = Rule(
    "duplicate-id",
    f"{_BLOCK}: `tool_use` ids must be unique",
    _ISSUES.format("anthropics/claude-code", 20901),
)
ID_PATTERN: Final = Rule(
    "bad-id",
    f"{_BLOCK}.{{key}}: String should match pattern '{{pattern}}'",
    _ISSUES.format("BlockRunAI/ClawRouter", 17),
)
ID_MISSING: Final = Rule("empty-id", f"{_BLOCK}.{{key}}: {{fault}}", _HANDLING)
EMPTY_NAME: Final = Rule(
    "empty-name",
    f"{_BLOCK}.{{kind}}.name: String should have at least 1 character",
    _ISSUES.format("sipeed/picoclaw", 1658),
)
INPUT_TYPE: Final = Rule(
    "bad-input",
    f"{_BLOCK}.{{kind}}.input: Input should be a valid dictionary",
    _ISSUES.format("prism-php/prism", 659),
)
RESULT_ROLE: Final = Rule(
    "result-role",
    "messages.{at}: `tool_result` blocks can only be in `user` messages",
    _ISSUES.format("librefang/librefang", 2475),
)
CALL_ROLE: Final = Rule(
    "call-role", "messages.{at}: `tool_use` blocks can only be in `assistant` messages", _HANDLING
)
EMPTY_ERROR: Final = Rule(
    "empty-error",
    f"{_BLOCK}.tool_result: content cannot be empty if `is_error` is true",
    _ISSUES.format("jlevy/markform", 153),
)
OPEN_PROVIDER_CALL: Final = Rule(
    "open-provider-call",
    "messages.{at}: `{name}` tool use with id `{id}` was found without a corresponding `{result}`"
    " block",
    _DOCS + "build-with-claude/handling-stop-reasons",
)
ORPHAN_PROVIDER_RESULT: Final = Rule(
    "orphan-provider-result",
    f"{_BLOCK}: unexpected `tool_use_id` found in `{{kind}}` blocks: {{id}}. Each `{{kind}}` block"
    " must have a corresponding `server_tool_use` block before it.",
    _ISSUES.format("anthropics/claude-code", 80439),
)
EMPTY_MESSAGE: Final = Rule(
    "empty-message",
    "messages.{at}: all messages must have non-empty content except for the optional final"
    " assistant message",
    _ISSUES.format("anthropics/claude-code", 6774),
)
EMPTY_TEXT: Final = Rule(
    "blank-text",
    "messages: text content blocks must be non-empty",
    _ISSUES.format("anthropics/claude-code", 59812),
)
BLANK_TEXT: Final = Rule(
    "blank-text",
    "messages: text content blocks must contain non-whitespace text",
    _ISSUES.format("home-assistant/core", 175637),
)
RULES: Final = tuple(rule for rule in list(globals().values()) if isinstance(rule, Rule))

# call block → the pattern of its id (none is published for MCP)
_ID_PATTERNS: Final = {
    "tool_use": "^[a-zA-Z0-9_-]+$",
    "server_tool_use": "^srvtoolu_[a-zA-Z0-9_]+$",
    "mcp_tool_use": "",
}


class _Place(NamedTuple):
    at: int
    n: int
    block: dict[str, Any]

    @property
    def kind(self) -> str:
        kind = self.block.get("type")
        return kind if isinstance(kind, str) else ""


@dataclass(slots=True)
class _MergedTurn:
    role: object
    places: list[_Place] = field(default_factory=list)

    @property
    def only_results(self) -> bool:
        return all(place.kind == "tool_result" for place in self.places)


def violations(history: list[Message], provider: str, turn: Turn) -> Iterator[Violation]:
    """Yield what Anthropic Messages refuses; source: the pages and reports linked by the rules.

    >>> blank = [{"role": "user", "content": " "}]
    >>> [found.message for found in violations(blank, "anthropic", "over")]
    ['messages: text content blocks must contain non-whitespace text']
    """
    del provider
    yield from _empty_messages(history)
    turns = _merged(history)
    taken: set[str] = set()
    for merged in turns:
        for place in merged.places:
            yield from _block_faults(place, merged.role, taken)
    yield from _client_pairs(turns, turn)
    yield from _provider_pairs(turns)


def _merged(history: list[Message]) -> list[_MergedTurn]:
    """Source of the merging: platform.claude.com/docs/en/api/messages, parameter `messages`."""
    turns: list[_MergedTurn] = []
    for at, message in enumerate(history):
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}] if content else []
        if not turns or turns[-1].role != message.get("role"):
            turns.append(_MergedTurn(message.get("role")))
        blocks = dicts([] if content is None else content, f"the content of message {at}")
        turns[-1].places += [_Place(at, n, block) for n, block in enumerate(blocks)]
    return turns


def _empty_messages(history: list[Message]) -> Iterator[Violation]:
    for at, message in enumerate(history):
        final = at == len(history) - 1 and message.get("role") == "assistant"
        if not message.get("content") and not final:
            yield EMPTY_MESSAGE.broken(at)


def _block_faults(place: _Place, role: object, taken: set[str]) -> Iterator[Violation]:
    at, n, block = place
    if place.kind == "text":
        text = block.get("text")
        if isinstance(text, str) and not text.strip():
            yield (BLANK_TEXT if text else EMPTY_TEXT).broken(at)
    elif place.kind in _ID_PATTERNS:
        yield from _call_faults(place, role, taken)
    elif place.kind == "tool_result":
        name = block.get("tool_use_id")
        if not name or not isinstance(name, str):
            fault = _id_fault(block, "tool_use_id")
            yield ID_MISSING.broken(at, n=n, key="tool_result.tool_use_id", fault=fault)
        if role != "user":
            yield RESULT_ROLE.broken(at, name)
        if block.get("is_error") is True and _blank(block.get("content")):
            yield EMPTY_ERROR.broken(at, name, n=n)


def _call_faults(place: _Place, role: object, taken: set[str]) -> Iterator[Violation]:
    at, n, block = place
    name, kind, pattern = block.get("id"), place.kind, _ID_PATTERNS[place.kind]
    if not name or not isinstance(name, str):
        yield ID_MISSING.broken(at, name, n=n, key=f"{kind}.id", fault=_id_fault(block, "id"))
    elif not re.fullmatch(pattern or ".*", name, re.DOTALL):
        yield ID_PATTERN.broken(at, name, n=n, key=f"{kind}.id", pattern=pattern)
    if kind == "tool_use" and isinstance(name, str):
        if name in taken:
            yield DUPLICATE_ID.broken(at, name, n=n)
        taken.add(name)
    if role != "assistant":
        yield CALL_ROLE.broken(at, name)
    if not block.get("name"):
        yield EMPTY_NAME.broken(at, name, n=n, kind=kind)
    if not isinstance(block.get("input"), dict):
        yield INPUT_TYPE.broken(at, name, n=n, kind=kind)


def _id_fault(block: dict[str, Any], key: str) -> str:
    if key not in block:
        return "Field required"
    if isinstance(block[key], str):
        return f"String should match pattern '{_ID_PATTERNS['tool_use']}'"
    return "Input should be a valid string"


def _blank(content: object) -> bool:
    if isinstance(content, list):
        return all(
            b.get("type") == "text" and _blank(b.get("text")) for b in dicts(content, "a result")
        )
    return content is None or (isinstance(content, str) and not content.strip())


def _client_pairs(turns: list[_MergedTurn], turn: Turn) -> Iterator[Violation]:
    asked: list[_Place] = []
    for merged in turns:
        if merged.role == "user":
            yield from _answers(merged, asked, open_turn=turn == "open" and merged is turns[-1])
            asked = []
            continue
        yield from _missing(asked)
        asked = [
            place
            for place in merged.places
            if place.kind == "tool_use" and merged.role == "assistant"
        ]
    if turn == "over":
        yield from _missing(asked)


def _answers(merged: _MergedTurn, asked: list[_Place], *, open_turn: bool) -> Iterator[Violation]:
    waiting, leading = list(asked), True
    for at, n, block in merged.places:
        if block.get("type") != "tool_result":
            leading = False
            continue
        name = block.get("tool_use_id")
        call = next((place for place in waiting if place.block.get("id") == name), None)
        if call is not None:
            waiting.remove(call)
            if not leading:
                yield MISPLACED_RESULT.broken(at, name, call=call.at, ids=name)
        elif any(place.block.get("id") == name for place in asked):
            yield DUPLICATE_RESULT.broken(at, name, n=n)
        else:
            yield ORPHAN_RESULT.broken(at, name, n=n)
    if not (open_turn and merged.only_results):
        yield from _missing(waiting)


def _missing(waiting: list[_Place]) -> Iterator[Violation]:
    ids = ", ".join(str(place.block.get("id")) for place in waiting)
    for at, _, block in waiting:
        yield MISSING_RESULT.broken(at, block.get("id"), call=at, ids=ids)


def _provider_pairs(turns: list[_MergedTurn]) -> Iterator[Violation]:
    """A user turn of nothing but results leaves the assistant's turn open: the provider resumes
    its own calls with it. Anything else a user says ends that turn; the end of history does not.
    """
    waiting: list[_Place] = []
    known: set[object] = set()
    for merged in turns:
        if merged.role != "assistant":
            if not merged.only_results:
                yield from (_open_provider_call(place) for place in waiting)
                waiting, known = [], set()
            continue
        for place in merged.places:
            name = str(place.block.get("id"))
            if place.kind in {"server_tool_use", "mcp_tool_use"}:
                waiting.append(place)
                known.add(name)
            elif place.kind.endswith("_tool_result"):
                name = str(place.block.get("tool_use_id"))
                waiting = [other for other in waiting if str(other.block.get("id")) != name]
                if name not in known:
                    yield ORPHAN_PROVIDER_RESULT.broken(place.at, name, n=place.n, kind=place.kind)


def _open_provider_call(place: _Place) -> Violation:
    name = str(place.block.get("name"))
    result = "tool_search" if name.startswith("tool_search") else name
    result = "mcp" if place.kind == "mcp_tool_use" else result
    return OPEN_PROVIDER_CALL.broken(
        place.at, place.block.get("id"), name=name, result=f"{result}_tool_result"
    )
