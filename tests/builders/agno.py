"""agno's messages, built and read: OpenAI's with fields of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abstract import Ask, Message, Seen, Turn
from builders import openai_chat

CANNOT = openai_chat.CANNOT
OWN = {"from_history": False, "stop_after_tool_call": False}


def _own(messages: list[Message]) -> list[Message]:
    """Leave out what is None, as agno does."""
    return [{k: v for k, v in {**OWN, **m}.items() if v is not None} for m in messages]


def build(turns: list[Turn]) -> list[Message]:
    return _own(openai_chat.build(turns))


def calls(history: list[dict[str, Any]]) -> Iterator[Seen]:
    return openai_chat.calls(history)


def result_ids(history: list[Message]) -> list[Any]:
    return openai_chat.result_ids(history)


def system(words: str) -> list[Message]:
    return _own(openai_chat.system(words))


def user(words: str) -> list[Message]:
    return _own(openai_chat.user(words))


def media(picture: str) -> list[Message]:
    image = {"content": picture, "mime_type": "image/png"}
    return _own([{"role": "user", "content": "Look.", "images": [image]}])


def assistant(words: str, thought: str = "", calls: tuple[Ask, ...] = ()) -> list[Message]:
    return _own(openai_chat.assistant(words, thought, calls))


def answers(given: tuple[tuple[Ask, Any], ...]) -> list[Message]:
    named = [ask.name for ask, _ in given]
    made = openai_chat.answers(given)
    return _own([{**m, "tool_name": name} for m, name in zip(made, named, strict=True)])
