"""The four clothes of a LangChain message: what it is and holds, and another one in the same.

The library is imported only to make a message where objects are given.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, cast

from endmark.formats._base import Message

KINDS = {
    "human": "human",
    "HumanMessage": "human",
    "HumanMessageChunk": "human",
    "ai": "ai",
    "AIMessage": "ai",
    "AIMessageChunk": "ai",
    "tool": "tool",
    "ToolMessage": "tool",
    "ToolMessageChunk": "tool",
    "system": "system",
    "SystemMessage": "system",
    "SystemMessageChunk": "system",
    "developer": "system",
    "function": "function",
    "FunctionMessage": "function",
    "FunctionMessageChunk": "function",
    "chat": "chat",
    "ChatMessage": "chat",
    "ChatMessageChunk": "chat",
    "generic": "chat",
    "remove": "remove",
    "RemoveMessage": "remove",
}
CLASSES = {"tool": "ToolMessage", "human": "HumanMessage"}


def class_named(name: str) -> Any:
    """Give a class of the library, which is there where its objects are; None for objects like them."""
    return getattr(sys.modules.get("langchain_core.messages"), name, None)


def undress(message: Any) -> tuple[str | None, Mapping[str, Any]]:
    """Give the kind of a message and its fields, whichever of the four it is."""
    if not isinstance(message, dict):
        fields: Mapping[str, Any] = message.__dict__
        return KINDS.get(fields["type"]), fields
    kind = message["type"]
    if kind == "constructor":
        return KINDS.get(message["id"][-1]), message["kwargs"]
    return KINDS.get(kind), message.get("data") or message


def with_fields(message: Any, changed: Message) -> Message:
    """Give a copy of a message with these fields."""
    if not changed:
        return cast("Message", message)
    if not isinstance(message, dict):
        return cast("Message", message.model_copy(update=changed))
    for key in ("kwargs", "data"):
        if isinstance(message.get(key), dict):
            return {**message, key: {**message[key], **changed}}
    return {**message, **changed}


def make(kind: str, content: Any, kwargs: Message, **more: Any) -> Message:
    """Make an object of the library."""
    made = getattr(import_module("langchain_core.messages"), CLASSES[kind])
    return cast("Message", made(content=content, additional_kwargs=kwargs, **more))


def dress(like: Any, kind: str, content: Any, kwargs: Message, **more: Any) -> Message:
    """Make a message of the same sort as another."""
    given = {key: value for key, value in more.items() if value is not None}
    if not isinstance(like, dict):
        return make(kind, content, kwargs, **given)
    fields = {"content": content, "additional_kwargs": kwargs, "response_metadata": {}}
    if like.get("type") == "constructor":
        # As LangChain itself writes it: without what is empty, `type` in Python alone.
        told = {"type": kind} if "type" in like["kwargs"] else {}
        extra = {"additional_kwargs": kwargs} if kwargs else {}
        body = {"content": content, **extra, **told, **given}
        return {**like, "id": [*like["id"][:-1], CLASSES[kind]], "kwargs": body}
    if isinstance(like.get("data"), dict):
        name = more.pop("name", None)
        return {"type": kind, "data": {**fields, "type": kind, "name": name, "id": None, **more}}
    return {"type": kind, **fields, **given}
