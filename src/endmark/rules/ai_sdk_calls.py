"""The rules that a call of the AI SDK breaks in UI messages and in model messages alike.

>>> EMPTY_NAME.code, MISSING_RESULT.code
('empty-name', 'missing-result')
"""

from __future__ import annotations

from typing import Final

from endmark.rules import Rule

__all__ = [
    "DUPLICATE_ID",
    "EMPTY_ERROR",
    "EMPTY_ID",
    "EMPTY_NAME",
    "INPUT_TYPE",
    "MISSING_RESULT",
    "OPEN_PROVIDER_CALL",
]

_ISSUES: Final = "https://github.com/{}/issues/{}"
_ANTHROPIC: Final = "messages.{at}.content.{n}"

MISSING_RESULT: Final = Rule(
    "missing-result",
    "Tool result{s_are} missing for tool call{s} {ids}.",
    "https://ai-sdk.dev/docs/troubleshooting/missing-tool-results-error",
)
OPEN_PROVIDER_CALL: Final = Rule(
    "open-provider-call",
    "messages.{at}: `{name}` tool use with id `{id}` was found without a corresponding"
    " `{name}_tool_result` block",
    "https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons",
)
EMPTY_ID: Final = Rule(
    "empty-id",
    f"{_ANTHROPIC}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    _ISSUES.format("vercel/ai", 7834),
)
DUPLICATE_ID: Final = Rule(
    "duplicate-id",
    f"{_ANTHROPIC}: `tool_use` ids must be unique",
    _ISSUES.format("vercel/ai", 13307),
)
EMPTY_NAME: Final = Rule(
    "empty-name",
    f"{_ANTHROPIC}.tool_use.name: String should have at least 1 character",
    _ISSUES.format("sipeed/picoclaw", 1658),
)
INPUT_TYPE: Final = Rule(
    "bad-input",
    f"{_ANTHROPIC}.tool_use.input: Input should be a valid dictionary",
    _ISSUES.format("twentyhq/twenty", 21695),
)
EMPTY_ERROR: Final = Rule(
    "empty-error",
    f"{_ANTHROPIC}.tool_result: content cannot be empty if `is_error` is true",
    _ISSUES.format("jlevy/markform", 153),
)
