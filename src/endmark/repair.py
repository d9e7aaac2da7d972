"""Turn a pairing into findings and edits: the one place that decides what is written.

Call and result are decided together, in one pass, so that no result is ever written for a call
that something else takes out. The edits are all that memory, row writes, reports, the journal
and undo know of a repair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import accumulate

from endmark.model import (
    Arrange,
    At,
    Blank,
    Call,
    Close,
    Drop,
    Edit,
    Finding,
    Kind,
    Mend,
    Outcome,
    Owner,
    Result,
    SetId,
    ToText,
    Turn,
)
from endmark.pairing import Block, Pairing
from endmark.policy import Policy


@dataclass(frozen=True, slots=True)
class Scene:
    """What the decision needs to know of the history around the events."""

    last_user: int  # index of the last message that a user wrote, -1 for none
    last_assistant: int  # index of the last message of the assistant, -1 for none
    is_user: Callable[[int], bool]
    new_id: Callable[[Call], str]
    unique_ids: bool = False  # the provider refuses an id that any earlier call has
    optional_ids: bool = False  # calls and results may go without one
    inline: bool = False


@dataclass(slots=True)
class Plan:
    """What is wrong, what is to be written, and what is left open on purpose."""

    findings: list[Finding] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    pending: list[Call] = field(default_factory=list)


def plan(
    pairing: Pairing, blanks: Iterable[Blank], scene: Scene, policy: Policy, turn: Turn
) -> Plan:
    """Decide every edit for this pairing."""
    return _Decision(pairing, scene, policy, turn).decide(blanks)


class _Decision:
    def __init__(self, pairing: Pairing, scene: Scene, policy: Policy, turn: Turn) -> None:
        self.pairing = pairing
        self.scene = scene
        self.policy = policy
        self.turn = turn
        self.made = Plan()
        self.texts = self._kept_as_text()
        self.kept = {id(result) for result in self.texts}
        self.split = {result.after for result in self.texts}
        # A result that becomes a user's text counts as one at once, or a second repair would
        # see a user message behind what the first one left pending.
        self.last_user = max([scene.last_user, *(result.at.message for result in self.texts)])
        self.copies = _copies(pairing.blocks, scene, self._is_pending)
        self.seen: set[str] = set()

    def decide(self, blanks: Iterable[Blank]) -> Plan:
        for block in self.pairing.blocks:
            self._block(block)
        for loser, call in self.pairing.rivals:
            self._take_out(Kind.DUPLICATE, loser, call.name)
        for orphan in self.pairing.orphans:
            self._take_out(Kind.ORPHAN, orphan, orphan.name)
        for blank in blanks:
            if blank.waits and self.turn == "open" and blank.at.message > self.last_user:
                continue
            self._find(Kind.EMPTY, None, None, blank.at)
            self.made.edits.append(Drop(blank))
        self.made.findings.sort(key=lambda finding: (finding.message, finding.part))
        return self.made

    def _kept_as_text(self) -> list[Result]:
        kept = list(self.pairing.orphans) if self.policy.orphans == "text" else []
        if self.policy.late == "keep":
            kept += [
                loser for loser, _ in self.pairing.rivals if not loser.synthesized and loser.final
            ]
        # A text would end the turn in which the provider goes on with a call of its own.
        spans = [
            (call.at, answer.at)
            for block in self.pairing.blocks
            for call, answer in zip(block.calls, block.answers, strict=True)
            if answer is not None and call.owner is Owner.PROVIDER and not call.inline
        ]
        return [
            result
            for result in kept
            if result.owner is not Owner.PROVIDER
            and not any(first < result.at < last for first, last in spans)
        ]

    def _find(
        self, kind: Kind, call_id: str | None, name: str | None, at: At, dropped: object = None
    ) -> None:
        self.made.findings.append(Finding(kind, call_id, name, at.message, at.part, dropped))

    def _take_out(self, kind: Kind, result: Result, name: str | None) -> None:
        keep = id(result) in self.kept
        self._find(kind, result.id, name, result.at, None if keep else result.value)
        self.made.edits.append(ToText(result) if keep else Drop(result))

    def _block(self, block: Block) -> None:
        if not self.scene.unique_ids:
            self.seen.clear()  # ids may repeat from one message to the next
        answers: list[Close | Result] = []
        for call, answer in zip(block.calls, block.answers, strict=True):
            if id(call) in self.copies:
                self._find(Kind.COPY, call.id, call.name, call.at)
                self.made.edits.append(Drop(call))
                if answer is not None and not call.inline:
                    self._take_out(Kind.DUPLICATE, answer, call.name)
                continue
            if answer is None and self._is_pending(call):
                self.made.pending.append(call)
                if call.id is not None:
                    self.seen.add(call.id)
                continue
            if answer is None and call.owner is Owner.PROVIDER:
                self._lone(call)
                continue
            self._mend(call, answer)
            answers.append(answer or self._close(call))
        if not self.scene.inline:
            self._arrange(block, answers)

    def _is_pending(self, call: Call) -> bool:
        """Tell whether a call may still be answered: nothing has been said beyond it.

        One that waits on purpose, or that the provider goes on with, is passed only by a user.
        """
        if call.held:
            return True
        if self.last_user > call.at.message:
            return False
        if call.owner is Owner.HUMAN or call.asked or self.policy.is_pending(call):
            return True
        beyond = call.owner is not Owner.PROVIDER and self.scene.last_assistant > call.slot
        return self.turn == "open" and not beyond

    def _lone(self, call: Call) -> None:
        self._find(Kind.LONE, call.id, call.name, call.at)
        keep = call.led or self.policy.orphans == "text"
        self.made.edits.append(ToText(call) if keep else Drop(call))

    def _close(self, call: Call) -> Close:
        self._find(Kind.DANGLING, call.id, call.name, call.at)
        outcome = (
            Outcome.DENIED if call.denied else Outcome.UNKNOWN if call.complete else Outcome.NOT_RUN
        )
        close = Close(call, outcome, self.policy.text(call, outcome))
        if call.inline:
            self.made.edits.append(close)
        return close

    def _mend(self, call: Call, answer: Result | None) -> None:
        """Give the call an id of its own and whatever else it lacks, and its answer that id."""
        self._rekey(call, answer)
        flaws = [flaw for flaw in call.flaws if flaw is not Kind.BAD_ID] if call.flaws else ()
        for flaw in flaws:
            self._find(flaw, call.id, call.name, call.at)
        if flaws:
            self.made.edits.append(Mend(call))
        if answer is not None and answer.flaw:
            kind = answer.flaw if isinstance(answer.flaw, Kind) else Kind.EMPTY
            self._find(kind, call.id, call.name, answer.at)
            self.made.edits.append(Mend(answer))

    def _rekey(self, call: Call, answer: Result | None) -> None:
        reason = self._why_rekey(call)
        if reason is not None:
            self._find(reason, call.id, call.name, call.at)
            new = self.scene.new_id(call)
            self.made.edits.append(SetId(call, new))
        elif call.id is None:
            return
        else:
            new = call.id
        self.seen.add(new)
        if answer is None or answer.id == new or call.inline:
            return
        if reason is None and self.scene.optional_ids:
            # Where it stands tells whose answer it is; what moves there is told by the id.
            if answer.id is None and answer.after == call.slot:
                return
        elif reason is None:
            self._find(Kind.NO_ID, call.id, call.name, answer.at)
        self.made.edits.append(SetId(answer, new))

    def _why_rekey(self, call: Call) -> Kind | None:
        if call.id is None:
            return None if self.scene.optional_ids else Kind.NO_ID
        if Kind.BAD_ID in call.flaws:
            return Kind.BAD_ID
        if call.owner is Owner.PROVIDER:
            return None
        return Kind.REUSED_ID if call.id in self.seen else None

    def _arrange(self, block: Block, answers: list[Close | Result]) -> None:
        """Put the answers behind the calls, in the order of the calls, unless they are there."""
        if not answers or block.calls[0].owner is Owner.PROVIDER:
            return
        due = block.slot in self.split
        for answer in answers:
            if isinstance(answer, Close):
                due = True
            elif answer.after != block.slot:
                due = True
                self._find(Kind.MISPLACED, answer.id, answer.name, answer.at)
        if due:
            self.made.edits.append(Arrange(block.end, tuple(answers)))


def _copies(blocks: list[Block], scene: Scene, is_pending: Callable[[Call], bool]) -> set[int]:
    """Find the second copies of one call: same turn, id, name and arguments, one answer at most.

    A call that waits is none: closing its twin could make their arguments equal after the fact.
    """
    by_id: dict[str, list[tuple[Call, Result | None]]] = {}
    for block in blocks:
        for call, answer in zip(block.calls, block.answers, strict=True):
            if call.id is not None:
                by_id.setdefault(call.id, []).append((call, answer))
    copies: set[int] = set()
    for group in _same_turns([group for group in by_id.values() if len(group) > 1], scene):
        for call, answer in group:
            if call.led or (answer is not None and not call.inline):
                continue
            if answer is None and is_pending(call):
                continue
            if any(
                twin is not call
                and id(twin) not in copies
                and _is_copy(
                    call,
                    answer,
                    twin,
                    twin_answer,
                    stays=twin.at < call.at or (twin_answer is None and is_pending(twin)),
                )
                for twin, twin_answer in group
            ):
                copies.add(id(call))
    return copies


def _same_turns(
    groups: list[list[tuple[Call, Result | None]]], scene: Scene
) -> Iterable[list[tuple[Call, Result | None]]]:
    """Part groups of calls by turn: by message where a call and its result are one part."""
    last = max((call.at.message for group in groups for call, _ in group), default=-1)
    turns = list(accumulate(int(scene.is_user(index)) for index in range(last + 1)))
    for group in groups:
        parted: dict[tuple[bool, int], list[tuple[Call, Result | None]]] = {}
        for call, answer in group:
            place = call.at.message if call.inline else turns[call.at.message]
            parted.setdefault((call.inline, place), []).append((call, answer))
        yield from parted.values()


def _is_copy(
    call: Call, answer: Result | None, twin: Call, twin_answer: Result | None, *, stays: bool
) -> bool:
    """Tell whether a call is told again by its twin, which stays: the first, or one that waits."""
    if (call.name, call.arguments) != (twin.name, twin.arguments):
        return False
    if answer is None:
        return twin_answer is not None or stays
    # Two parts of one inline message that hold the very same answer are one call told twice.
    return call.inline and stays and twin_answer is not None and answer.value == twin_answer.value
