"""The end of a conversation, as far as the next message depends on it: no database here.

`weigh` says whether a message may simply be appended; everything else is for the repair of the
stored rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from endmark import formats
from endmark.errors import UnreadableError
from endmark.formats._base import Format, History, Message
from endmark.formats._next_message import NextMessage
from endmark.formats._own_message import OwnMessage
from endmark.history import ODD, Examination, examine
from endmark.model import Drop, Finding, Kind, Owner, Result, SetId, Shape
from endmark.policy import DEFAULT, Policy
from endmark.stores.table import Cell

__all__ = [
    "Tail",
    "Verdict",
    "answers",
    "block_of",
    "block_start",
    "doubtful",
    "leads",
    "leaves_pending",
    "real_results",
    "require_readable",
    "settled",
    "waits",
    "weigh",
]

# What cannot be decided from the last rows alone.
DISTANT = frozenset({Kind.ORPHAN, Kind.DUPLICATE, Kind.NO_ID, Kind.BAD_ID, Kind.REUSED_ID})

NEAR = frozenset({Kind.DANGLING, Kind.EMPTY})  # what needs nothing but the last block


@dataclass(slots=True)
class Tail:
    """The last block as messages, and the order value of the last row.

    `open`: a call of the block may be open; `left`: calls may be pending further back; `stray`: a
    result waits for its call at the end.
    """

    last: Cell = None
    epoch: int | None = None
    block: list[Message] = field(default_factory=list)
    open: bool = False
    left: bool = False
    stray: bool = False

    def take(self, verdict: Verdict) -> None:
        """Move on behind the message that was weighed."""
        self.block, self.open = verdict.block, verdict.open

    def passes(self, messages: Sequence[Message], format_: Format) -> bool:
        """Move on behind messages that stand well here as they are; False: they are to be weighed.

        One look at all of them, which is a third of the cost of one at each.
        """
        history = [*self.block, *messages]
        try:
            if self.left or self.stray or format_.skim(history):
                return False
            self.block = block_of(history, block_start(history, format_), format_)
        except ODD:
            return False
        self.open = bool(self.block)
        return True

    def is_open(self, format_: Format, policy: Policy) -> bool:
        """Tell whether something here is to be closed when the turn is over."""
        if self.stray or self.left:
            return True
        return self.open and bool(examine(self.block, format_, policy).findings)


@dataclass(slots=True)  # not frozen: one is made for every row, at half the cost
class Verdict:
    """What a message means for the rows: append it, close what is open first, look after it.

    `message`: what is appended, None for nothing; it is not the given message where that had to be
    repaired, which `findings` tells of.
    """

    block: list[Message]
    message: Message | None
    open: bool = False
    closes: bool = False
    disturbs: bool = False
    findings: tuple[Finding, ...] = ()


def weigh(tail: Tail, message: Message, format_: Format, policy: Policy) -> Verdict:
    """Say what has to happen for this message to stand at this end. Raises `UnreadableError`."""
    try:
        return _weigh(tail, message, format_, policy)
    except ODD as error:
        msg = f"a message is none of {format_.name} ({type(error).__name__} while reading it)"
        raise UnreadableError(f"{msg}; nothing was written") from error


def _weigh(tail: Tail, message: Message, format_: Format, policy: Policy) -> Verdict:
    if not (tail.open or tail.left or tail.stray) and not answers(format_, message):
        if format_.call_ids(message):
            return Verdict([message], message, open=True)
        if not format_.skim([message]):
            return Verdict([], message)
    block = [*tail.block, message]
    found = examine(block, format_, policy, "open")
    here = len(block) - 1
    answer = answers(format_, message)
    far = answer and format_.optional_ids and _names_another(format_, tail.block, message)
    if answer and not (found.findings or found.pending or tail.stray or far):
        return Verdict(block, message)
    alone = _alone(tail, found, message, policy) if found.edits and not tail.stray else None
    if alone is not None:
        return alone
    earlier = [call for call in found.pending if call.at.message < here]
    goes_on = bool(format_.call_ids(message)) or leads(format_, message)
    continues = bool(earlier) and (goes_on or any(call.slot == here for call in earlier))
    behind = not goes_on and any(call.slot < here for call in earlier)
    brings = answer or (format_.shape is Shape.NEXT_MESSAGE and _results(format_, message))
    led = bool(tail.block) and leads(format_, tail.block[-1])  # to be judged with what follows it
    passes = behind or (Kind.DANGLING in _kinds(found.findings) and not led)
    # A result that leads the user's message is put there when that is written.
    led_by = isinstance(format_, NextMessage) and "user" in format_.alternates
    led_by = led_by and format_.is_user(message)
    closes = passes and not (brings or tail.stray or led_by)
    disturbs = bool(found.findings) or tail.stray or (tail.left and format_.is_user(message))
    if answer and found.pending and format_.shape is Shape.NEXT_MESSAGE:
        # More results of this run of messages may come: their place is known when all are there.
        disturbs = tail.stray or not _kinds(found.findings) <= {Kind.MISPLACED}
    hollow = not (goes_on or answer) and bool(
        format_.skim([message])
    )  # an empty answer may stand last alone
    if not (answer or continues):
        block = [message] if goes_on or hollow else []
    is_open = bool(block) and (bool(found.pending) or hollow or leads(format_, message))
    return Verdict(block, message, is_open, closes, disturbs or far)


def _alone(tail: Tail, found: Examination, message: Message, policy: Policy) -> Verdict | None:
    """Say so if the repair touches nothing but the new message: it is written repaired, or not."""
    if not _kinds(found.findings) <= NEAR:
        return None
    itself = examine([message], found.format, policy, "open")
    if _kinds(itself.findings) == {Kind.EMPTY} and not itself.rebuild().messages:
        return Verdict(tail.block, None, tail.open, findings=itself.findings)
    rebuilt = found.rebuild()
    before = len(tail.block)
    kept = rebuilt.origins[:before] == list(range(before)) and all(
        new is old for new, old in zip(rebuilt.messages, tail.block, strict=False)
    )
    if kept and rebuilt.origins[before:] == [before] and not found.pending:
        return Verdict([], rebuilt.messages[-1], findings=found.findings)
    return None


def _names_another(format_: Format, block: Sequence[Message], message: Message) -> bool:
    """Tell whether a result has the id of no call here, though it may pass for one without an id."""
    ids = {id_ for before in block for id_ in format_.call_ids(before)} | {None}
    return any(
        isinstance(event, Result) and event.id not in ids
        for event in format_.events([message], [0], DEFAULT)
    )


def _kinds(findings: Sequence[Finding]) -> set[Kind]:
    return {finding.kind for finding in findings}


def answers(format_: Format, message: Message) -> bool:
    """Tell whether a message only brings results."""
    if format_.shape is Shape.OWN_MESSAGE:
        return cast(OwnMessage, format_).is_result(message)
    if format_.shape is Shape.INLINE or format_.is_user(message) or format_.call_ids(message):
        return False
    return _results(format_, message)


def _results(format_: Format, message: Message) -> bool:
    """Tell whether a message brings results that are not the provider's own."""
    return any(
        isinstance(event, Result) and event.owner is not Owner.PROVIDER
        for event in format_.events([message], [0], DEFAULT)
    )


def block_start(history: History, format_: Format) -> int:
    """Find where the last block begins: results, and before them the messages with calls."""
    at = len(history)
    while format_.leading and at and leads(format_, history[at - 1]):
        at -= 1
    if format_.shape is Shape.OWN_MESSAGE:
        return _first_calls(history, cast(OwnMessage, format_), at)
    while at and answers(format_, history[at - 1]):
        at -= 1
    while at and not (format_.is_user(history[at - 1]) or answers(format_, history[at - 1])):
        at -= 1
    return at


def _first_calls(history: History, format_: OwnMessage, at: int) -> int:
    """Go back over results and their calls, on until a message that passes the calls before it."""
    passed = False
    while at and not passed:
        end = at
        while at and format_.is_result(history[at - 1]):
            at -= 1
        while at and (
            format_.call_ids(history[at - 1])
            or (format_.leading and leads(format_, history[at - 1]))
        ):
            at -= 1
        passed = at == end or any(map(format_.is_assistant, history[at:end]))
    return at


def block_of(history: History, start: int, format_: Format) -> list[Message]:
    """Give the last block, which begins there; none where nothing in it is of a call."""
    if start == len(history):
        return []
    block = list(history[start:])
    told = any(format_.call_ids(m) or answers(format_, m) or leads(format_, m) for m in block)
    return block if told or format_.skim(block) else []


def require_readable(format_: Format, messages: Sequence[Any]) -> None:
    """Raises `UnreadableError` for what is no message of this format."""
    for index, message in enumerate(messages):
        try:
            format_.call_ids(message)
            format_.is_user(message)
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            format_.skim(messages)  # says it in its own words
            msg = f"message {index} is none of {format_.name}; nothing was written"
            raise UnreadableError(msg) from error
        if _is_plain(format_, message) or format_.told(message) >= 0:
            continue
        if names := formats.stranger(message, format_):
            raise UnreadableError(
                f"message {index} is of {', '.join(names)} by its calls or results, not of "
                f"{format_.name}; nothing was written. Give it in that format, or name its own"
            )


def _is_plain(format_: Format, message: Any) -> bool:
    """Tell whether a message says who speaks, and a text; or is a library's object."""
    if not isinstance(message, dict):
        return True
    return len(message) == 2 and message.get(format_.body).__class__ is str


def leads(format_: Format, message: Message) -> bool:
    """Tell whether a message is refused without what should follow it: reasoning is."""
    if not format_.leading or not format_.skim([message]):
        return False
    if format_.call_ids(message) or answers(format_, message):
        return False
    return not examine([message], format_, turn="open").findings and Kind.EMPTY in _kinds(
        examine([message], format_).findings
    )


def leaves_pending(policy: Policy) -> bool:
    """Tell whether a policy can leave calls open that stand further back."""
    return bool(policy.pending or policy.pending_tools or policy.pending_ids)


def doubtful(found: Examination) -> bool:
    """Tell whether the last rows alone are too little to decide by."""
    return bool(DISTANT & _kinds(found.findings)) or any(
        isinstance(edit, SetId) for edit in found.edits
    )


def waits(found: Examination) -> bool:
    """Tell whether a call may still be answered: nothing that passes it stands behind it."""
    format_, history = found.format, found.history
    if not found.pending:
        return False
    end = len(history)
    while end and (
        answers(format_, history[end - 1])
        or format_.call_ids(history[end - 1])
        or leads(format_, history[end - 1])
    ):
        end -= 1
    return any(call.slot >= end for call in found.pending)


def settled(found: Examination, turn: str) -> tuple[Examination, bool]:
    """Leave results at the very end, whose call may still come, out of an open turn's repair.

    Gives what is to be written, and whether such a result stays.
    """
    if turn == "over":
        return found, False
    end = len(found.history)
    while end and answers(found.format, found.history[end - 1]):
        end -= 1
    dropped = {tuple(edit.event.at) for edit in found.edits if isinstance(edit, Drop)}
    strays = dropped & {  # the words that are kept as text wait for no call
        (finding.message, finding.part)
        for finding in found.findings
        if finding.kind is Kind.ORPHAN and finding.message >= end
    }
    if not strays:
        return found, False
    edits = tuple(
        edit
        for edit in found.edits
        if not (isinstance(edit, Drop) and tuple(edit.event.at) in strays)
    )
    findings = tuple(f for f in found.findings if (f.message, f.part) not in strays)
    return replace(found, edits=edits, findings=findings), True


def real_results(message: Message, format_: Format, policy: Policy) -> dict[str | None, Any]:
    """Give the real, final results that a message brings, by call id."""
    return {
        event.id: event.value
        for event in format_.events([message], [0], policy)
        if isinstance(event, Result) and event.final and not event.synthesized
    }
