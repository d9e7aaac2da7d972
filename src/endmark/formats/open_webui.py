"""Messages of Open WebUI: calls and results are items of the assistant's message, in `output`.

The application sends each message's items as chat messages, so a pair is never in two messages.
Up to 0.9.5 it sent a call without a result on, since 0.9.6 it leaves both out. A call is sent only
once its status is `completed`, `failed` or `rejected`. Older messages tell of their tools in the
HTML of their content, which is text and cannot be broken.

Shapes and statuses checked against open-webui 0.12.4.

https://github.com/open-webui/open-webui/blob/main/backend/open_webui/utils/misc.py
"""

from __future__ import annotations

from endmark.formats._base import Message
from endmark.formats._nested import Nested
from endmark.formats._open_webui_items import CALL, RESULT, Items

ROLES = frozenset({"system", "user", "assistant"})
OWN = frozenset({"parentId", "childrenIds"})
_OTHERS = frozenset({"tool_calls", "parts", "toolInvocations"})


class OpenWebUI(Nested):
    """Messages as the tree of a chat, or the table of its messages, holds them."""

    name = "open-webui"
    source = "https://github.com/open-webui/open-webui/blob/main/backend/open_webui/utils/misc.py"
    refusal = (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"
    )
    body = "output"
    id_field = "id"
    inner = Items()
    gate = f'"{CALL}'

    def held(self, message: Message) -> list[Message] | None:
        output = message.get("output")
        if message.get("role") not in ROLES or _OTHERS & message.keys():
            raise TypeError(message.get("role"))
        if output is not None and not isinstance(output, list):
            raise TypeError(type(output))
        return output

    def holding(self, message: Message, held: list[Message]) -> Message:
        """Give the message with these items; with none of them open it is done."""
        made = {**message, "output": held}
        answered = {item.get("call_id") for item in held if item.get("type") == RESULT}
        if message.get("done") is False and all(
            item.get("call_id") in answered for item in held if item.get("type") == CALL
        ):
            made["done"] = True
        return made

    def is_user(self, message: Message) -> bool:
        return message.get("role") == "user"

    def fits(self, message: Message) -> int:
        output = message.get("output")
        if message.get("role") not in ROLES or _OTHERS & message.keys():
            return -1
        if isinstance(output, list) and output:
            typed = all(isinstance(i, dict) and isinstance(i.get("type"), str) for i in output)
            return 1 if typed else -1
        return 0 if output in (None, []) and OWN & message.keys() else -1


FORMAT = OpenWebUI()
