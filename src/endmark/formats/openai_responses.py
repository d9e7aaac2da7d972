"""OpenAI Responses: a list of items, in which a call and what answers it are an item each.

Calls in a row (reasoning and calls that the provider runs may stand between them) are one run;
their outputs follow it. The API takes an output anywhere behind its call, other readers of the
same items do not. A reasoning item may not be parted from the item that it led to.

https://platform.openai.com/docs/api-reference/responses/create
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from endmark.errors import UnreadableError
from endmark.formats._base import History, Message, Rebuilt, unreadable
from endmark.formats._openai_responses_items import (
    HOSTED,
    LISTS,
    OUTPUTS,
    PAIRS,
    PEOPLE,
    WORDS,
    OtherKind,
    answered_name,
    call_as_text,
    call_name,
    edit_call,
    edit_result,
    flaws_of,
    is_call,
    is_cut,
    is_provider_s,
    is_result,
    is_unmade,
    item_id,
    output_of,
    renamed,
    text_of,
    thinks,
)
from endmark.formats._openai_responses_look import Look, Names, run_end, runs
from endmark.formats._own_message import OwnMessage
from endmark.model import (
    At,
    Blank,
    Call,
    Close,
    Drop,
    Edit,
    Event,
    Kind,
    Mend,
    Owner,
    Result,
    SetId,
    ToText,
)
from endmark.policy import Policy

OTHERS = frozenset({"reasoning", "item_reference", "compaction", *HOSTED})
CONTENTS = ("input_", "output_text", "refusal")
CHAT_S = frozenset({"input_audio", "refusal"})  # contents that look the same in chat messages
HELD = (
    "this is a request, not its list of items: the calls before it are held by the provider "
    "(previous_response_id, conversation), so an output without its call is right there. Nothing "
    "was changed; check the items of the whole conversation, if you keep them."
)


class OpenAIResponses(OwnMessage):
    """Input items of the Responses API, as openai-agents and others store them."""

    name = "openai-responses"
    source = "https://platform.openai.com/docs/api-reference/responses/create"
    refusal = "No tool output found for function call {ids}."
    body = "content"
    unique_ids = True
    joint = True
    leading = True

    def skim(self, history: History) -> list[int]:
        if isinstance(history, Mapping):
            raise UnreadableError(HELD)
        look = Look()
        index = -1
        for index, item in enumerate(history):
            try:
                kind = item.get("type")
                if kind is None and "role" not in item:
                    if "id" not in item:
                        raise unreadable(index, "it has neither a role nor a type")
                    look.end(index, follows=True)  # a reference may go without its type
                elif kind is None or kind == "message":
                    if look.start >= 0 or look.led >= 0:
                        look.end(index, follows=item.get("role") not in PEOPLE)
                elif kind in OUTPUTS:
                    look.answered(index, kind, item)
                elif kind in PAIRS:
                    look.asked(index, kind, item)
                elif kind == "reasoning":
                    look.thought(index, item)
                elif kind in HOSTED:
                    look.went_on(index)
                else:
                    look.end(index, follows=True)
            except (AttributeError, TypeError):
                raise unreadable(index, "it is not an item of the Responses API") from None
        look.end(index + 1, follows=False)
        return sorted(look.suspects)

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        events: list[Event] = []
        indexes = list(indexes)
        names = Names(history, indexes)
        slot, last, after = -1, -2, None
        for index in indexes:
            item = history[index]
            if is_result(item):
                if index != last + 1 or not is_result(history[last]):
                    after = self._holder(history, index)
                last = index
                events += _answer(history, index, after, names, policy)
                continue
            last, after = index, index
            if is_call(item):
                slot = slot if index <= slot else run_end(history, index)
                events += _asked(history, index, slot, names)
            elif is_provider_s(item):
                events += _provided(history, index, names) if index in names.lone else []
            elif thinks(item) and names.is_blank(index):
                events.append(Blank(At(index), waits=names.waits(index)))
        return events

    def read(self, message: Message, index: int, after: int | None, policy: Policy) -> list[Event]:
        return self.events([message], [0], policy)

    def block(self, history: History, index: int) -> range:
        start = index
        while start > 0 and (runs(history[start - 1]) or thinks(history[start - 1])):
            start -= 1
        stop = (run_end(history, index) if runs(history[index]) else index) + 1
        while stop < len(history) and is_result(history[stop]):
            stop += 1
        return range(start, stop)

    def apply(self, history: History, edits: Sequence[Edit]) -> Rebuilt:
        rebuilt = super().apply(history, edits)
        texts = {
            edit.event.at.message
            for edit in edits
            if isinstance(edit, ToText) and isinstance(edit.event, Result)
        }
        for k, origin in enumerate(rebuilt.origins):
            if origin in texts:
                _put_before_reasoning(rebuilt, k)
        return rebuilt

    def is_result(self, message: Message) -> bool:
        return is_result(message)

    def is_user(self, message: Message) -> bool:
        return message.get("role") == "user"

    def is_assistant(self, message: Message) -> bool:
        return message.get("role") == "assistant" or message.get("type") in PAIRS

    def call_ids(self, message: Message) -> Sequence[str | None]:
        return (call_name(message),) if is_call(message) else ()

    def calling(self, history: History, ids: AbstractSet[str | None]) -> list[int]:
        return [
            index
            for index, item in enumerate(history)
            if item.get("type") in PAIRS
            and (name := item.get("call_id") or item.get("id")).__class__ is str
            and name in ids
        ]

    def result(self, close: Close, call_id: str | None) -> Message:
        return output_of({"type": "function_call"}, call_id, close.text)

    def result_to(self, message: Message, close: Close, call_id: str | None) -> Message:
        if call_id is not None and call_id != close.call.id:
            call_id = renamed(PAIRS[message["type"]], call_id)
        return output_of(message, call_id, close.text)

    def edit(self, message: Message, edits: Sequence[Edit]) -> Message | None:
        is_output = message.get("type") in OUTPUTS
        if is_output:  # what is mended names its call by the old id
            edits = sorted(edits, key=lambda edit: isinstance(edit, SetId))
        for edit in edits:
            if isinstance(edit, Drop):
                return None
            if isinstance(edit, ToText) and isinstance(edit.event, Call):
                return call_as_text(edit.event)
            if is_output and isinstance(edit, SetId | Mend | ToText):
                message = edit_result(message, edit)
            elif isinstance(edit, SetId | Mend):
                message = edit_call(message, edit)
        return message

    def fits(self, message: Message) -> int:
        kind, role, content = message.get("type"), message.get("role"), message.get("content")
        if kind in PAIRS or kind in OUTPUTS or kind in OTHERS:
            return 1
        if kind not in (None, "message") or role not in PEOPLE | {"assistant"}:
            return -1
        if {"tool_calls", "parts", "toolInvocations"} & message.keys():
            return -1
        if isinstance(content, str):
            return 0 if kind is None else 1
        if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
            return -1
        kinds = {str(part.get("type")) for part in content}
        if not all(part.startswith(CONTENTS) for part in kinds):
            return -1
        return 0 if kind is None and kinds <= CHAT_S else 1


def _asked(history: History, index: int, slot: int, names: Names) -> list[Event]:
    """Read a call that is answered from outside the provider."""
    item = history[index]
    pair, name, own = PAIRS[item["type"]], call_name(item), item_id(item)
    if pair.owner is Owner.HUMAN and name in names.approved:
        return []
    owner = names.owners.get(own) if isinstance(own, str) else None
    return [
        Call(
            At(index),
            name,
            item.get("name") or pair.tool,
            complete=not is_cut(item),
            owner=pair.owner,
            arguments=item.get(pair.asked),
            slot=slot,
            # The same call again shares both ids: that is a copy, or its id is reused.
            flaws=flaws_of(item, shared=owner is not None and owner[1] != name),
            led=_is_led(history, index, names),
        )
    ]


def _is_led(history: History, index: int, names: Names) -> bool:
    """Tell whether the item before this one is reasoning that stays, results left aside."""
    before = index - 1
    while before >= 0:
        item = history[before]
        if thinks(item) and not names.is_blank(before):
            return True
        if not (thinks(item) or is_result(item)):
            return False
        before -= 1
    return False


def _provided(history: History, index: int, names: Names) -> list[Event]:
    """Read what the provider called and never answered, or answered to no call."""
    item = history[index]
    name, at = item.get("call_id"), At(index)
    if item["type"] in OUTPUTS:
        return [Result(at, name, owner=Owner.PROVIDER, value=item)]
    pair, led = PAIRS[item["type"]], _is_led(history, index, names)
    return [Call(at, name, pair.tool, owner=Owner.PROVIDER, slot=index, led=led)]


def _answer(
    history: History, index: int, after: int | None, names: Names, policy: Policy
) -> list[Event]:
    """Read an output: which call it names, by whichever of its ids, and whether it is its kind."""
    item = history[index]
    kind, name = item["type"], answered_name(item)
    flaw: bool | Kind = kind in LISTS and item.get("output") is None
    if name is not None and name not in names.wanted and name in names.other:
        name = names.other[name]
        flaw = flaw if kind == "local_shell_call_output" else Kind.BAD_ID
    wanted = names.wanted.get(name) if name else _wanted_before(history, after)
    if wanted is None and names.referenced:
        return []  # its call is held by the provider
    other = ""
    if wanted is not None and kind not in wanted:
        other = next(iter(sorted(wanted & WORDS)), "")
        flaw = Kind.MALFORMED
        name = name if other else f"{kind} {name}"  # of a call that cannot be answered so
    elif name is None and (wanted is None or len(wanted) > 1):
        name = kind  # nothing tells which call of which kind it answers
    said = text_of(item)
    given = item.get("name")
    made = partial(OtherKind, wanted=other) if other else Result
    return [
        made(
            At(index),
            name,
            given if isinstance(given, str) else None,
            synthesized=policy.is_marker(said, name, None) or is_unmade(item),
            error=item.get("status") == "failed",
            after=after,
            value=item.get("output", item),
            flaw=flaw,
        )
    ]


def _wanted_before(history: History, after: int | None) -> set[str] | None:
    """Give the kinds of output that the run which ends here wants."""
    wanted = set()
    while after is not None and after >= 0 and (runs(history[after]) or thinks(history[after])):
        if is_call(history[after]):
            wanted.add(PAIRS[history[after]["type"]].output)
        after -= 1
    return wanted or None


def _put_before_reasoning(rebuilt: Rebuilt, k: int) -> None:
    """Let a text not come between reasoning and what it led to."""
    to = k
    while to > 0 and thinks(rebuilt.messages[to - 1]):
        to -= 1
    rebuilt.messages.insert(to, rebuilt.messages.pop(k))
    rebuilt.origins.insert(to, rebuilt.origins.pop(k))


FORMAT = OpenAIResponses()
