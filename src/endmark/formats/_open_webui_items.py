"""The items of an Open WebUI message: its calls, what answers them, and how they are mended.

Calls up to the next result are one round, whatever is said or thought between them: they are sent
as one assistant message. Its results are those that stand in a row behind it. Nothing else about
the items is judged: they look like those of the Responses API, but are sent as chat messages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from endmark.formats._base import ORPHAN_TEXT, History, Message, known_id, parses
from endmark.formats._own_message import OwnMessage
from endmark.model import (
    Arrange,
    At,
    Call,
    Close,
    Drop,
    Edit,
    Event,
    Kind,
    Mend,
    Outcome,
    Owner,
    Result,
    SetId,
    ToText,
)
from endmark.policy import Policy

CALL, RESULT = "function_call", "function_call_output"
NO_NAME = "unknown_tool"
ASKS = "ask_user"  # the tool that asks the person; it is open until they answer
# A person has to approve: the first is shown to them, the others wait for their turn.
WAITING = frozenset({"pending", "queued", "requires_approval"})
# Stopped, or refused: nobody waits for an answer to these.
ENDED = frozenset({"completed", "failed", "incomplete", "rejected"})


class Items(OwnMessage):
    """The list `output` of one message."""

    name = "open-webui"
    source = "https://github.com/open-webui/open-webui/blob/main/backend/open_webui/utils/misc.py"
    refusal = ""
    body = "content"
    joint = True
    said: ClassVar[Message] = {"type": "message", "role": "user", "content": []}

    def skim(self, history: History) -> list[int]:
        """Look at all of the items where one of them is not plainly sound: they are few."""
        due: list[Any] = []
        answers = False
        try:
            for item in history:
                kind = item.get("type")
                if kind == RESULT:
                    due.remove(item.get("call_id"))
                    answers = True
                    if item.get("output").__class__ is not list:
                        break
                    continue
                if answers and due:
                    break
                answers = False
                if kind == CALL:
                    due.append(item.get("call_id"))
                    if not known_id(due[-1]) or due[-1] in due[:-1] or _flaws(item):
                        break
            else:
                return list(range(len(history))) if due else []
        except ValueError:  # a result that answers no call of its round
            pass
        return list(range(len(history)))

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        slots = _slots(history)
        events: list[Event] = []
        for index in indexes:
            item = history[index]
            if item.get("type") == CALL:
                events.append(_call(item, index, slots[index]))
            elif self.is_result(item):
                events.append(_result(item, index, slots[index], policy))
        return events

    def read(self, message: Message, index: int, after: int | None, policy: Policy) -> list[Event]:
        return self.events([message], [0], policy)

    def is_result(self, message: Message) -> bool:
        return message.get("type") == RESULT

    def is_user(self, message: Message) -> bool:
        return message is self.said

    def is_assistant(self, message: Message) -> bool:
        return message.get("type") == CALL

    def call_ids(self, message: Message) -> Sequence[str | None]:
        return (_id(message),) if message.get("type") == CALL else ()

    def fits(self, message: Message) -> int:
        return 1 if message.get("type") in (CALL, RESULT) else 0 if "type" in message else -1

    def result(self, close: Close, call_id: str | None) -> Message:
        return {
            "type": RESULT,
            "id": f"fco_{call_id}",
            "call_id": call_id,
            "output": [{"type": "input_text", "text": close.text}],
            "status": "incomplete",
        }

    def apply(self, history: History, edits: Sequence[Edit]) -> Any:
        """Write the edits; a call that is closed has come to its end too, or it is not sent."""
        closed = {
            answer.call.at.message: answer.outcome
            for edit in edits
            if isinstance(edit, Arrange)
            for answer in edit.answers
            if isinstance(answer, Close)
        }
        rebuilt = super().apply(history, edits)
        for k, origin in enumerate(rebuilt.origins):
            if origin in closed:
                ended = "rejected" if closed[origin] is Outcome.DENIED else "failed"
                rebuilt.messages[k] = _ended(rebuilt.messages[k], ended)
        return rebuilt

    def edit(self, message: Message, edits: Sequence[Edit]) -> Message | None:
        for edit in edits:
            if isinstance(edit, Drop):
                return None
            if isinstance(edit, ToText):
                return _text(message)
            if isinstance(edit, SetId):
                message = {**message, "call_id": edit.id}
            elif isinstance(edit, Mend):
                mend = _mended_call if message["type"] == CALL else _mended_result
                message = mend(message, edit.call.id)
        return message


def _slots(items: History) -> dict[int, int]:
    """Give for each call and result the item behind which the results of its round stand."""
    slots: dict[int, int] = {}
    calls: list[int] = []
    holder: int | None = None  # the item before the results, once they have begun
    for index, item in enumerate(items):
        kind = item.get("type")
        if kind == RESULT:
            holder = index - 1 if holder is None else holder
            slots[index] = holder
            continue
        if holder is not None:
            slots |= dict.fromkeys(calls, holder)
            calls, holder = [], None
        if kind == CALL:
            calls.append(index)
    end = calls[-1] if calls else -1
    return slots | dict.fromkeys(calls, end if holder is None else holder)


def _id(item: Message) -> str | None:
    """Give the id of a call; that of its item where it has no other, as the application does."""
    return known_id(item.get("call_id")) or known_id(item.get("id"))


def _sent(item: Message) -> tuple[str, Message]:
    """Give what is sent as the function: what the model called, where that was put aside."""
    function = item.get("provider_function")
    return ("provider_function", function) if isinstance(function, dict) else ("", item)


def _flaws(item: Message) -> tuple[Kind, ...]:
    function = _sent(item)[1]
    given = function.get("arguments", "{}")
    if isinstance(given, str) and not parses(given):
        return (Kind.INCOMPLETE if given.strip() else Kind.MALFORMED,)
    whole = isinstance(given, str | dict) and known_id(function.get("name"))
    return () if whole and known_id(item.get("call_id")) else (Kind.MALFORMED,)


def _call(item: Message, index: int, slot: int) -> Call:
    function, flaws, status = _sent(item)[1], _flaws(item), item.get("status")
    name = known_id(item.get("name")) or known_id(function.get("name"))
    asks = name == ASKS and status not in ENDED
    waits = status in WAITING and item.get("approved") is not True
    if not _id(item):  # without any id, it gets one: nothing else need be wrong
        flaws = _flaws({**item, "call_id": "?"})
    return Call(
        At(index),
        _id(item),
        name,
        complete=Kind.INCOMPLETE not in flaws,
        owner=Owner.HUMAN if asks or waits else Owner.SERVER,
        arguments=function.get("arguments"),
        denied=status == "rejected",
        slot=slot,
        flaws=flaws,
    )


def _result(item: Message, index: int, after: int, policy: Policy) -> Result:
    call_id, output = known_id(item.get("call_id")), item.get("output")
    said = output
    if isinstance(output, list) and len(output) == 1 and isinstance(output[0], dict):
        said = output[0].get("text")
    return Result(
        At(index),
        call_id,
        synthesized=policy.is_marker(said, call_id, None),
        error=item.get("status") == "failed",
        after=after if after >= 0 else None,  # nothing stands before it
        value=output,
        flaw=False if isinstance(output, list) else Kind.MALFORMED,
    )


def _ended(item: Message, status: str) -> Message:
    return {**{k: v for k, v in item.items() if k != "approved"}, "status": status}


def _mended_call(item: Message, call_id: str | None) -> Message:
    key, function = _sent(item)
    made = dict(function)
    if not known_id(made.get("name")):
        made["name"] = NO_NAME
    given = made.get("arguments", "{}")
    if not isinstance(given, dict) and not parses(given):
        made["arguments"] = "{}" if isinstance(given, str | None) else json.dumps(given)
    item = {**item, key: made} if key else made
    return item if known_id(item.get("call_id")) else {**item, "call_id": call_id}


def _mended_result(item: Message, call_id: str | None) -> Message:
    output = item.get("output")
    said = output if isinstance(output, str) else "" if output is None else json.dumps(output)
    return {**item, "output": [{"type": "input_text", "text": said}]}


def _text(item: Message) -> Message:
    """Keep the words of a result that answers no call."""
    output = item.get("output")
    parts = output if isinstance(output, list) else [{"type": "input_text", "text": output or ""}]
    words = "\n".join(
        str(part.get("text"))
        if isinstance(part, dict) and "text" in part
        else json.dumps(part, ensure_ascii=False)
        for part in parts
    )
    said = {"type": "output_text", "text": f"{ORPHAN_TEXT}\n{words}"}
    return {"type": "message", "role": "assistant", "status": "completed", "content": [said]}
