"""The message formats: one file each, found by name, loaded when asked for.

Others may add formats through the entry-point group `endmark.formats` (a name and a `FORMAT`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module, metadata
from typing import Any, cast

from endmark.errors import FormatError, UnreadableError, unknown
from endmark.formats._base import Format, Rebuilt
from endmark.formats._entry import load
from endmark.model import Call, Result
from endmark.policy import DEFAULT

__all__ = [
    "Format",
    "Rebuilt",
    "candidates",
    "detect",
    "foreign",
    "get",
    "ids",
    "keys_of_calls",
    "names",
    "others",
    "require_own",
    "stranger",
]

_MODULES = {
    "adk": "endmark.formats.adk",
    "agno": "endmark.formats.agno",
    "ai-sdk": "endmark.formats.ai_sdk",
    "ai-sdk-model": "endmark.formats.ai_sdk_model",
    "anthropic": "endmark.formats.anthropic",
    "bedrock": "endmark.formats.bedrock",
    "crush": "endmark.formats.crush",
    "gemini": "endmark.formats.gemini",
    "goose": "endmark.formats.goose",
    "langchain": "endmark.formats.langchain",
    "llamaindex": "endmark.formats.llamaindex",
    "lobechat": "endmark.formats.lobechat",
    "mastra": "endmark.formats.mastra",
    "open-webui": "endmark.formats.open_webui",
    "openai-chat": "endmark.formats.openai_chat",
    "openai-responses": "endmark.formats.openai_responses",
    "opencode": "endmark.formats.opencode",
    "pydantic-ai": "endmark.formats.pydantic_ai",
}
_ALIASES = {f"ai-sdk-v{major}": "ai-sdk" for major in (4, 5, 6, 7)}


@cache
def _others() -> dict[str, metadata.EntryPoint]:
    return {entry.name: entry for entry in metadata.entry_points(group="endmark.formats")}


def names() -> tuple[str, ...]:
    """Name every format, sorted.

    >>> "anthropic" in names()
    True
    """
    return tuple(sorted({*_MODULES, *_others()}))


@cache
def _load(name: str) -> Format:
    if name in _MODULES:
        return cast("Format", import_module(_MODULES[name]).FORMAT)
    return load(_others()[name], Format, FormatError)  # type: ignore[type-abstract]


@cache
def keys_of_calls() -> frozenset[str]:
    """Name the keys by which messages of any format have calls, or results.

    >>> "tool_calls" in keys_of_calls()
    True
    """
    return frozenset(key for name in names() for key in get(name).told_by)


def get(name: str | Format) -> Format:
    """Give the format of that name, or alias.

    Raises `FormatError` for a name that no format has, or an entry point that is none.

    >>> get("ai-sdk-v5").name
    'ai-sdk'
    """
    if isinstance(name, Format):
        return name
    name = _ALIASES.get(name, name)
    if name not in names():
        raise FormatError(unknown("format", name, names()))
    return _load(name)


def detect(history: Sequence[Any]) -> Format:
    """Tell the format of a history from its messages, never by guess.

    Raises `FormatError` when no format fits or more than one does; it lists the candidates.

    >>> detect([{"role": "tool", "tool_call_id": "a", "content": "ok"}]).name
    'openai-chat'
    """
    found = candidates(history)
    if len(found) == 1:
        return found[0]
    msg = (
        f"the format is not plain from these messages: it could be "
        f"{', '.join(format_.name for format_ in found)}; name it with --format"
    )
    raise FormatError(msg)


def others(history: Sequence[Any], format_: Format) -> tuple[str, ...]:
    """Name the formats that messages show instead of this one; none where they may be of it.

    >>> others([{"role": "tool", "tool_call_id": "a", "content": "ok"}], get("anthropic"))
    ('openai-chat',)
    """
    if all(format_.told(message) >= 0 for message in history):
        return ()
    scores = {
        name: [_load(name).told(message) for message in history]
        for name in names()
        if name != format_.name
    }
    return tuple(name for name, told in scores.items() if 1 in told and -1 not in told)


def require_own(history: Sequence[Any], format_: Format) -> None:
    """Refuse messages that are plainly of another format. Raises `UnreadableError`."""
    if likely := foreign(history, format_):
        raise UnreadableError(
            f"these messages are not of {format_.name}: by the looks of them they are of "
            f"{', '.join(likely)}. Nothing was changed; check the format that was named."
        )


def foreign(history: Sequence[Any], format_: Format) -> tuple[str, ...]:
    """Name the formats that messages are of by their calls and results, not by their looks alone.

    Applications put keys of their own on their messages, which other formats have too: where this
    format reads a call, the messages are of it, unless another reads a result of it that this one
    does not; where it reads results alone, unless another reads calls.

    >>> call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    >>> foreign([{"role": "assistant", "tool_calls": [call], "blocks": []}], get("openai-chat"))
    ()
    """
    likely = others(history, format_)
    if not likely:
        return ()
    calls, results = (ids(history, format_, kind) for kind in (Call, Result))
    if calls:
        return tuple(name for name in likely if ids(history, _load(name), Result) & calls - results)
    return tuple(name for name in likely if not results or ids(history, _load(name), Call))


def stranger(message: Any, format_: Format) -> tuple[str, ...]:
    """Name the formats that a message is of by a call or result which this format does not see.

    >>> stranger({"role": "tool", "tool_call_id": "a", "content": "ok"}, get("anthropic"))
    ('openai-chat',)
    """
    return tuple(
        name
        for name in foreign([message], format_)
        if any(ids([message], _load(name), kind) for kind in (Call, Result))
    )


def ids(history: Sequence[Any], format_: Format, kind: type[Call | Result]) -> set[str | None]:
    """Give the ids of the calls, or the results, that a format reads from any messages.

    >>> ids([{"role": "tool", "tool_call_id": "a", "content": "ok"}], get("openai-chat"), Result)
    {'a'}
    """
    try:
        events = format_.events(history, range(len(history)), DEFAULT)
        found = {event.id for event in events if isinstance(event, kind)}
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, UnreadableError):
        return set()
    return found if format_.optional_ids else found - {None}


def candidates(history: Sequence[Any]) -> tuple[Format, ...]:
    """Give the formats that the messages may be of: the one they show, or all that fit.

    Raises `FormatError` when no format fits.

    >>> [format_.name for format_ in candidates([{"type": "function_call", "call_id": "a",
    ...     "name": "look", "arguments": "{}"}])]
    ['openai-responses']
    """
    fitting: dict[str, int] = {}
    for name in names():
        scores = [_load(name).told(message) for message in history]
        if -1 not in scores:
            fitting[name] = max(scores, default=0)
    if not fitting:
        msg = f"these messages are of no known format ({', '.join(names())}); name it with --format"
        raise FormatError(msg)
    sure = [name for name, score in fitting.items() if score == 1]
    return tuple(map(_load, sure or fitting))
