"""Lists of LangChain messages as LangGraph serialises them: read without a class being imported.

In MessagePack a message is its module, its class and its fields (ext 4 or 5); they are read as a
flat message, and an untouched one is written as the bytes that it was. In JSON, of LangGraph.js and
of old rows, it is LangChain's `constructor`. Shapes as in langgraph-checkpoint 4.3.2.

https://github.com/langchain-ai/langgraph/tree/main/libs/checkpoint
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace
from typing import Any

from endmark.errors import UnreadableError
from endmark.formats import Rebuilt
from endmark.formats._base import Message
from endmark.formats._langchain_clothes import KINDS
from endmark.stores import json_text, msgpack
from endmark.stores.msgpack import Ext, Raw

PYDANTIC = (4, 5)  # pydantic 1 and 2
CLASSES = {
    "ai": "AIMessage", "human": "HumanMessage", "system": "SystemMessage", "tool": "ToolMessage",
}  # fmt: skip
_ORDER = ("content", "additional_kwargs", "response_metadata", "type", "name", "id")
_OF_TOOLS = ("tool_call_id", "artifact", "status")
LEFT_ALONE = {
    "pickle": "it holds pickles, which are never loaded",
    "+": "it is encrypted, and read by its own key only",
}
WAY_OUT = (
    "heal it through its graph: endmark.repair what get_state(config) has, and let update_state "
    "replace all messages by that"
)


@dataclass(slots=True)
class MessageList:
    """One list of messages: as they are read, and the bytes of each where they have some."""

    messages: list[Message]
    raws: list[Raw] = field(default_factory=list)  # none in JSON
    text: str = ""  # of a list in JSON that is a value of its own

    def packed(self, items: list[Any]) -> bytes:
        """Give the value of a list that is one of its own."""
        if self.raws:
            return bytes(msgpack.write(items))
        return json_text.splice(self.text, self.messages, items).encode()

    def written(self, rebuilt: Rebuilt, beside: dict[int, Raw], seed: str) -> list[Any]:
        """Give the items of the rebuilt list; `beside` has bytes of messages that are not of it."""
        known = {id(message): raw for message, raw in zip(self.messages, self.raws, strict=False)}
        items: list[Any] = []
        for k, (message, origin) in enumerate(zip(rebuilt.messages, rebuilt.origins, strict=True)):
            if id(message) in known:
                items.append(known[id(message)])
            elif origin is not None:
                items.append(self._edited(message, origin))
            else:
                made = str(uuid.uuid5(uuid.NAMESPACE_URL, f"endmark:{seed}:{k}"))
                items.append(self._new(message, beside.get(id(message)), made))
        return items

    def _new(self, message: Message, raw: Raw | None, made: str) -> Any:
        """Put in a message, with an id: whoever adds messages later tells them by it."""
        if not self.raws:
            return _constructor(message, made)
        fields = {**message, "id": message.get("id") or made}
        return _packed(fields) if raw is None else _again(raw, fields)

    def _edited(self, message: Message, origin: int) -> Any:
        if not self.raws:
            return message
        if KINDS.get(message["type"]) != KINDS.get(self.messages[origin]["type"]):
            return _packed(message)
        return _again(self.raws[origin], message)


def _again(raw: Raw, fields: Message) -> Ext:
    """Write a message with other fields, and of the class that it has."""
    outer = msgpack.read(raw)
    module, name, _, *rest = msgpack.read(outer.data)
    return Ext(outer.code, msgpack.write([module, name, fields, *rest]))


def _packed(message: Message) -> Ext:
    """Make a message of LangChain's own class, its fields in the order in which they are dumped."""
    kind = KINDS[message["type"]]
    names = (*_ORDER, *(_OF_TOOLS if kind == "tool" else ()))
    fields = {name: message.get(name) for name in names}
    fields |= {name: value for name, value in message.items() if name not in fields}
    module = f"langchain_core.messages.{kind}"
    return Ext(5, msgpack.write([module, CLASSES[kind], fields, "model_validate_json"]))


def _constructor(message: Message, made: str) -> Message:
    """Name the class of a new message as Python does where its neighbours are of Python."""
    *path, name = message["id"]
    if len(path) == 3:  # langchain_core.messages.tool
        path[2] = name.removesuffix("Message").lower()
    kwargs = message["kwargs"]
    return {**message, "id": [*path, name], "kwargs": {**kwargs, "id": kwargs.get("id") or made}}


def refusal(kind: str) -> str | None:
    """Say why a value of this kind is left alone, and the way out; None for one to be read."""
    why = next((said for sign, said in LEFT_ALONE.items() if sign in kind), None)
    return why and f"{why}; {WAY_OUT}"


def read(kind: str, data: bytes) -> MessageList | None:
    """Read a stored value; None where it is no list of messages.

    Raises `UnreadableError` for one that is no value of its kind.
    """
    if kind == "json":
        found = of_json(json_text.read(data))
        return found and replace(found, text=data.decode())
    if kind != "msgpack":
        return None
    items = msgpack.split_list(data)
    if not items:
        return None
    messages = [_message(item) for item in items]
    if any(message is None for message in messages):
        return None
    return MessageList([message for message in messages if message is not None], items)


def of_json(value: Any) -> MessageList | None:
    """Take a value of JSON for a list of messages, if it is one."""
    if not isinstance(value, list) or not value or not all(map(_is_message, value)):
        return None
    return MessageList(value)


def read_some(kind: str, data: bytes) -> MessageList:
    """Read what was written to a channel: a message, or a list with messages among others."""
    if kind == "json":
        value = json_text.read(data)
        given = value if isinstance(value, list) else [value]
        return MessageList([item for item in given if _is_message(item)])
    if kind != "msgpack":
        return MessageList([])
    items = msgpack.split_list(data)
    if items is None:
        items = [Raw(data)]
    found = [(message, item) for item in items if (message := _message(item)) is not None]
    return MessageList([message for message, _ in found], [item for _, item in found])


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("type") != "constructor":
        return False
    names = value.get("id")
    return (
        isinstance(names, list)
        and bool(names)
        and names[-1] in KINDS
        and isinstance(value.get("kwargs"), dict)
    )


def _message(item: Raw) -> Message | None:
    """Read a message of MessagePack as its fields; None for another value."""
    value = msgpack.read(item)
    if not isinstance(value, Ext) or value.code not in PYDANTIC:
        return None
    try:
        fields: Any = msgpack.read(value.data)[2]
    except (IndexError, KeyError, TypeError, UnreadableError):
        return None
    if not isinstance(fields, dict) or "content" not in fields or fields.get("type") not in KINDS:
        return None
    return fields


def answered(message: Message) -> str | None:
    """Give the id of the call that a message answers; None for another message."""
    fields = message.get("kwargs", message)
    kind = message["id"][-1] if fields is not message else message["type"]
    return fields.get("tool_call_id") if KINDS.get(kind) == "tool" else None


def plain(value: Any) -> list[Any] | None:
    """Give the items of a list, or of a set as either way of serialising spells it."""
    if isinstance(value, Ext):
        value = msgpack.read(value.data)[2]
    elif isinstance(value, dict) and value.get("type") == "constructor":
        value = next(iter(value.get("args") or [None]))
    return value if isinstance(value, list) else None
