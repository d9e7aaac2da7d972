"""The items of the OpenAI Responses API: which answers which, what is wrong in one, how it is mended.

What an item means among its neighbours (runs, reasoning, names) is decided in `openai_responses`.
Shapes checked against openai 3.57.0 and openai-agents 0.24.0.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from endmark.formats._base import ORPHAN_TEXT, Message, known_id, parses, text_of_orphan
from endmark.model import Call, Kind, Mend, Owner, Result, SetId, ToText

LONGEST_ID = 64  # "string too long. Expected a string with maximum length 64"
NO_NAME = "unknown_tool"
NO_ITEM_ID = "__fake_id__"  # what openai-agents stores for no id at all, and leaves out again
# A computer call takes a picture and nothing else: one transparent pixel stands for "none".
NO_SCREEN = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR42mNgAAIAAAUAAen6"
    "3NgAAAAASUVORK5CYII="
)


class Pair(NamedTuple):
    """A kind of call: the item that answers it, and what is special in the call."""

    output: str
    asked: str  # the field that holds what was asked
    tool: str | None = None  # the tool's name where the item has none
    id: str = "call_id"  # the field that names the call
    by: str = "call_id"  # the field in which the output names it
    prefix: str = ""  # what the item's own id must begin with
    needs_id: bool = False
    owner: Owner = Owner.SERVER


PAIRS = {
    "function_call": Pair("function_call_output", "arguments", prefix="fc"),
    "custom_tool_call": Pair("custom_tool_call_output", "input", prefix="ctc"),
    "computer_call": Pair("computer_call_output", "action", "computer", needs_id=True),
    "shell_call": Pair("shell_call_output", "action", "shell"),
    "local_shell_call": Pair("local_shell_call_output", "action", "local_shell", needs_id=True),
    "apply_patch_call": Pair("apply_patch_call_output", "operation", "apply_patch"),
    "tool_search_call": Pair("tool_search_output", "arguments", "tool_search"),
    "program": Pair("program_output", "code", "program", owner=Owner.PROVIDER),
    "mcp_approval_request": Pair(
        "mcp_approval_response",
        "arguments",
        id="id",
        by="approval_request_id",
        prefix="mcpr",
        owner=Owner.HUMAN,
    ),
}
OUTPUTS = {pair.output: pair for pair in PAIRS.values()}
# Outputs that take words as they are: one of another kind is turned into these.
WORDS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
LISTS = frozenset({"function_call_output", "custom_tool_call_output"})  # or a list of contents
# Calls that the provider runs and that carry their own result.
HOSTED = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
    }
)


PEOPLE = frozenset({"user", "system", "developer"})


@dataclass(slots=True, eq=False)
class OtherKind(Result):
    """A result to a call of another kind, which wants it as this kind of output."""

    wanted: str = ""


def thinks(item: Message) -> bool:
    return item.get("type") == "reasoning"


def is_provider_s(item: Message) -> bool:
    """Tell whether the provider runs this call, or gave this output, in an item of its own."""
    kind = item.get("type")
    if kind in {"tool_search_call", "tool_search_output"}:
        return item.get("execution") == "server" or item.get("call_id") is None
    return kind in {"program", "program_output"}


def is_call(item: Message) -> bool:
    return item.get("type") in PAIRS and not is_provider_s(item)


def is_result(item: Message) -> bool:
    return item.get("type") in OUTPUTS and not is_provider_s(item)


def item_id(item: Message) -> Any:
    """Give the item's own id where it has one that is not the name of the call."""
    given = item.get("id")
    pair = PAIRS.get(str(item.get("type")))
    return None if given == NO_ITEM_ID or (pair and pair.id == "id") else given


def call_name(item: Message) -> str | None:
    """Give the id by which results name this call; its own where it has no other."""
    name = known_id(item.get(PAIRS[item["type"]].id))
    return name or known_id(item_id(item))


def answered_name(item: Message) -> str | None:
    """Give the id by which this output names its call."""
    kind = item["type"]
    name = known_id(item.get(OUTPUTS[kind].by))
    # openai's types know `id` alone here, the API reads `call_id`.
    return name or (known_id(item.get("id")) if kind == "local_shell_call_output" else None)


def has_bad_id(item: Message) -> bool:
    """Tell whether the API refuses the item's own id."""
    given = item_id(item)
    if given is None:
        return False
    prefix = PAIRS[item["type"]].prefix
    return (
        not isinstance(given, str)
        or not given.startswith(prefix or given[:1] or "?")
        or (len(given) > LONGEST_ID)
    )


def lacks(item: Message) -> bool:
    """Tell whether a call lacks what the API wants of it: its name, its arguments, its ids."""
    kind = item["type"]
    pair = PAIRS[kind]
    if kind == "function_call":
        lacking = not item.get("name") or not parses(item.get("arguments"))
    elif kind == "custom_tool_call":
        lacking = not item.get("name") or not isinstance(item.get("input"), str)
    else:
        lacking = False
    nameless = not known_id(item.get(pair.id)) and known_id(item_id(item)) is not None
    return lacking or nameless or has_bad_id(item)


def is_cut(item: Message) -> bool:
    text = item.get("arguments")
    return (
        item["type"] == "function_call"
        and isinstance(text, str)
        and text.strip() != ""
        and not parses(text)
    )


def flaws_of(item: Message, *, shared: bool) -> tuple[Kind, ...]:
    """Give what the API refuses in a call; `shared`: another call has its item's id."""
    name = call_name(item)
    flaws = [
        (Kind.INCOMPLETE, is_cut(item)),
        (Kind.MALFORMED, not is_cut(item) and lacks(item)),
        (Kind.REUSED_ID, shared),
        (Kind.BAD_ID, name is not None and len(name) > LONGEST_ID),
    ]
    return tuple(kind for kind, found in flaws if found)


def text_of(item: Message) -> Any:
    """Give the words of an output, or what stands for them."""
    kind = item["type"]
    if kind == "mcp_approval_response":
        return item.get("reason")
    output = item.get("output")
    if kind == "computer_call_output":
        return output.get("image_url") if isinstance(output, dict) else None
    if isinstance(output, list) and len(output) == 1 and isinstance(output[0], dict):
        return output[0].get("text" if "text" in output[0] else "stderr")
    return output


def is_unmade(item: Message) -> bool:
    """Tell whether an output is one that is written here and has no room for words."""
    return text_of(item) == NO_SCREEN or (
        item["type"] == "tool_search_output"
        and item.get("tools") == []
        and item.get("status") == "incomplete"
    )


def output_of(call: Message, call_id: str | None, text: str) -> Message:
    """Make the output that says `text` in answer to this call."""
    pair = PAIRS[call["type"]]
    made: Message = {"type": pair.output, pair.by: call_id}
    if pair.output == "mcp_approval_response":
        return {**made, "approve": False, "reason": text}
    if "caller" in call:
        made["caller"] = call["caller"]
    if pair.output == "computer_call_output":
        made["output"] = {"type": "computer_screenshot", "image_url": NO_SCREEN}
    elif pair.output == "tool_search_output":
        made |= {"execution": "client", "tools": [], "status": "incomplete"}
    elif pair.output == "shell_call_output":
        said = {"stdout": "", "stderr": text, "outcome": {"type": "exit", "exit_code": 1}}
        made["output"] = [said]
    elif pair.output == "apply_patch_call_output":
        made |= {"status": "failed", "output": text}
    else:
        made["output"] = text
    return made


def edit_call(item: Message, edit: SetId | Mend) -> Message:
    pair = PAIRS[item["type"]]
    if isinstance(edit, SetId):
        made = renamed(pair, edit.id)
        event = edit.event
        again = isinstance(event, Call) and event.id is not None and Kind.BAD_ID not in event.flaws
        return _with_new_id({**item, pair.id: made}) if again else {**item, pair.id: made}
    assert isinstance(edit.call, Call)
    fixed = dict(item)
    if not known_id(item.get(pair.id)):
        fixed[pair.id] = edit.call.id
    if has_bad_id(item) or Kind.REUSED_ID in edit.call.flaws:
        fixed = _with_new_id(fixed)
    if pair.tool is None and not item.get("name"):
        fixed["name"] = NO_NAME
    given = item.get(pair.asked)
    if item["type"] == "function_call" and not parses(given):
        whole = isinstance(given, dict)
        fixed["arguments"] = json.dumps(given, separators=(",", ":")) if whole else "{}"
    elif item["type"] == "custom_tool_call" and not isinstance(given, str):
        fixed["input"] = "" if given is None else json.dumps(given, separators=(",", ":"))
    return fixed


def _with_new_id(item: Message) -> Message:
    """Give a call an id of its item that no other has, or none where it may go without."""
    pair = PAIRS[item["type"]]
    if pair.id == "id" or item_id(item) is None:
        return item
    if pair.needs_id:
        return {**item, "id": _own_id(pair, str(item["call_id"]))}
    return {key: value for key, value in item.items() if key != "id"}


def renamed(pair: Pair, made: str) -> str:
    """Give the id that a call gets for one that was made: with a prefix where it is the item's."""
    return _own_id(pair, made) if pair.id == "id" else made


def _own_id(pair: Pair, made: str) -> str:
    return f"{pair.prefix or 'item'}_{made}"[:LONGEST_ID]


def edit_result(item: Message, edit: SetId | Mend | ToText) -> Message:
    pair = OUTPUTS[item["type"]]
    if isinstance(edit, SetId):
        return {**item, pair.by: renamed(pair, edit.id)}
    if isinstance(edit, ToText):
        return _as_text(item)
    result = edit.call
    assert isinstance(result, Result)
    if isinstance(result, OtherKind):
        output = item.get("output")
        if not {item["type"], result.wanted} <= LISTS:
            said = text_of(item)
            output = said if isinstance(said, str) else json.dumps(output, ensure_ascii=False)
        return {"type": result.wanted, "call_id": result.id, "output": output or ""}
    fixed = {**item, pair.by: result.id}
    if item["type"] in LISTS and item.get("output") is None:
        fixed["output"] = ""
    return fixed


def _as_text(item: Message) -> Message:
    output = item.get("output")
    if isinstance(output, list) and all(
        isinstance(part, dict) and str(part.get("type")).startswith("input_") for part in output
    ):
        parts = [_input_text(ORPHAN_TEXT), *output]
    else:
        said = text_of(item)
        if not isinstance(said, str):
            known = {key: value for key, value in item.items() if key not in {"type", "id"}}
            said = json.dumps(known, ensure_ascii=False)
        parts = [_input_text(f"{ORPHAN_TEXT}\n{said}")]
    return {"type": "message", "role": "user", "content": parts}


def _input_text(words: str) -> Message:
    return {"type": "input_text", "text": words}


def call_as_text(call: Call) -> Message:
    return {"type": "message", "role": "assistant", "content": text_of_orphan(call)}
