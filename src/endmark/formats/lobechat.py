"""Messages of LobeChat: calls in `tools` of the assistant's message, each result a tool message.

A call is `{id, identifier, apiName, arguments}`; on the wire its tool is named by identifier and
apiName. Everything else is as in OpenAI's chat messages, which LobeChat makes of these. It finds
the results of a history by their ids alone, so an id may be used once. A tool message whose
`pluginIntervention` is pending waits for a person, and has nothing to say yet.

Shapes checked against @lobehub/chat 1.143.3; interventions are of its second major.

https://github.com/lobehub/lobe-chat/tree/main/packages/context-engine
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from endmark.formats._base import History, Message, Rebuilt, known_id, unreadable
from endmark.formats.openai_chat import OpenAIChat
from endmark.model import Blank, Call, Close, Drop, Edit, Event, Mend, Owner, SetId
from endmark.policy import Policy

SEPARATOR = "____"
WAITS = "pluginIntervention"
PLUGIN = ("identifier", "apiName", "arguments", "type")  # of a tool, told with its result again
OWN = frozenset({"tools", "plugin", WAITS, "sessionId", "topicId", "updatedAt"})
_NOT_OURS = frozenset({"tool_calls", "parts", "toolInvocations", "output"})


class LobeChat(OpenAIChat):
    """Messages as LobeChat's `UIChatMessage` has them."""

    name = "lobechat"
    source = "https://github.com/lobehub/lobe-chat/tree/main/packages/context-engine"
    unique_ids = True
    slim = None  # type: ignore[assignment]
    plain: ClassVar[Mapping[str, str]] = {}
    gate = '"apiName"'

    def skim(self, history: History) -> list[int]:
        suspects = set(super().skim(list(map(_as_chat, history))))
        seen: set[str | None] = set()
        for index, message in enumerate(history):
            ids = self.call_ids(message)
            if not seen.isdisjoint(ids) or waits(message):
                suspects.update(self.block(history, max(self._holder(history, index) or 0, 0)))
                suspects.update(self.block(history, index))
            seen.update(ids)
        return sorted(suspects)

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        waiting = {id_ for m in history if waits(m) and (id_ := known_id(m.get("tool_call_id")))}
        events = [e for e in super().events(history, indexes, policy) if not isinstance(e, Blank)]
        return [
            replace(event, owner=Owner.HUMAN)
            if isinstance(event, Call) and event.id in waiting
            else event
            for event in events
        ]

    def read(self, message: Message, index: int, after: int | None, policy: Policy) -> list[Event]:
        return [] if waits(message) else super().read(_as_chat(message), index, after, policy)

    def call_ids(self, message: Message) -> Sequence[str | None]:
        return super().call_ids(_as_chat(message))

    def result_to(self, message: Message, close: Close, call_id: str | None) -> Message:
        tool = message["tools"][close.call.at.part]
        told = {key: tool[key] for key in PLUGIN if key in tool}
        return {**self.result(close, call_id), "plugin": told}

    def edit(self, message: Message, edits: Sequence[Edit]) -> Message | None:
        if message.get("role") == "tool":
            return super().edit(message, edits)
        tools: list[Any] = list(message.get("tools") or ())
        dropped = set()
        for edit in edits:
            if isinstance(edit, Drop):
                dropped.add(edit.event.at.part)
            elif isinstance(edit, SetId | Mend):
                part = (edit.call if isinstance(edit, Mend) else edit.event).at.part
                given = _as_call(tools[part])
                made = super().edit({"role": "assistant", "tool_calls": [given]}, [_first(edit)])
                tools[part] = _as_tool(tools[part], (made or {})["tool_calls"][0])
        return {**message, "tools": [t for k, t in enumerate(tools) if k not in dropped]}

    def apply(self, history: History, edits: Sequence[Edit]) -> Rebuilt:
        """Write the edits; what waited for a person says the result that is made up for it."""
        rebuilt = super().apply(history, edits)
        waiting = {m.get("tool_call_id"): k for k, m in enumerate(history) if waits(m)}
        made = Rebuilt()
        filled = set()
        for message, origin in zip(rebuilt.messages, rebuilt.origins, strict=True):
            at = waiting.get(message.get("tool_call_id")) if origin is None else None
            if at is None:
                made.add(message, origin)
                continue
            over = {**history[at][WAITS], "status": "aborted"}
            made.add({**history[at], "content": message["content"], WAITS: over}, at)
            filled.add(at)
        stay = [
            k
            for k, origin in enumerate(made.origins)
            if origin not in filled or made.messages[k] is not history[origin]
        ]
        return Rebuilt.of([made.messages[k] for k in stay], [made.origins[k] for k in stay])

    def fits(self, message: Message) -> int:
        if _NOT_OURS & message.keys():
            return -1
        tools = message.get("tools")
        if tools:
            typed = isinstance(tools, list) and all(
                isinstance(tool, dict) and "apiName" in tool for tool in tools
            )
            return 1 if typed else -1
        if not OWN & message.keys() or not isinstance(message.get("content"), str | None):
            return -1
        surely = message.get("role") == "tool" and "plugin" in message
        return min(super().fits({k: v for k, v in message.items() if k not in OWN}), int(surely))


def waits(message: Message) -> bool:
    """Tell whether this is the place of a result that waits for a person."""
    asked = message.get(WAITS)
    return isinstance(asked, dict) and asked.get("status") == "pending"


def _first(edit: SetId | Mend) -> SetId | Mend:
    """Give the edit as one of the first call of its message."""
    if isinstance(edit, SetId):
        return edit._replace(event=replace(edit.event, at=edit.event.at._replace(part=0)))
    return edit._replace(call=replace(edit.call, at=edit.call.at._replace(part=0)))


def _as_chat(message: Any) -> Message:
    if not isinstance(message, dict) or _NOT_OURS & message.keys():
        raise unreadable(0, "it is no message of LobeChat")
    tools = message.get("tools")
    if not tools:
        said = message.get("content") or "…" if message.get("role") == "assistant" else None
        return message if said is None else {**message, "content": said}
    if not isinstance(tools, list):
        raise unreadable(0, "its tools are no list of calls")
    return {
        "role": message.get("role"),
        "content": message.get("content"),
        "tool_calls": [_as_call(tool) for tool in tools],
    }


def _as_call(tool: Any) -> Message:
    api = known_id(tool.get("apiName"))
    of = known_id(tool.get("identifier"))
    name = f"{of}{SEPARATOR}{api}" if of and api else api
    function = {"name": name, "arguments": tool.get("arguments")}
    return {"id": tool.get("id"), "type": "function", "function": function}


def _as_tool(tool: Message, call: Message) -> Message:
    """Put what was edited in a call back into the tool that it was made of."""
    function, was = call["function"], _as_call(tool)["function"]
    changed: Message = {} if call["id"] == tool.get("id") else {"id": call["id"]}
    if function["arguments"] != was["arguments"]:
        changed["arguments"] = function["arguments"]
    if function["name"] != was["name"]:
        changed["apiName"] = function["name"]
    return {**tool, **changed}


FORMAT = LobeChat()
