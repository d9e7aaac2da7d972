"""Mastra's messages, built and read: those of AI SDK 4, in format 2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abstract import Ask, Message, Seen, Turn
from builders import ai_sdk, ai_sdk_v4

CANNOT = ai_sdk_v4.CANNOT


def _own(messages: list[Message]) -> list[Message]:
    return [{"format": 2, **message} for message in messages]


def build(turns: list[Turn]) -> list[Message]:
    return _own(ai_sdk_v4.build(turns))


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    told = [
        part["toolInvocation"]
        for message in history
        for part in message.get("parts", [])
        if part["type"] == "tool-invocation" and "toolInvocation" in part
    ]
    for call, seen in zip(told, ai_sdk.calls(history), strict=True):
        seen.error = call.get("isError") is True
        yield seen


def result_ids(history: list[Message]) -> list[Any]:
    return []


def system(words: str) -> list[Message]:
    return _own(ai_sdk_v4.system(words))


def user(words: str) -> list[Message]:
    return _own(ai_sdk_v4.user(words))


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    return _own(ai_sdk_v4.assistant(words, thought, calls))
