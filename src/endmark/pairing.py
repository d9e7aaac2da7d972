"""Match calls and results by occurrence and position, in one ordered walk.

Events come in, `Pairing` goes out: blocks with one answer a call, rivals that lost, results
whose call is gone. Invariants:

1. Adjacent pairs are reserved first; only what is left over is matched at a distance.
2. A result answers one call, a call has at most one answer.
3. No set of ids spans the history: an id that repeats belongs to the occurrence it stands by.
4. A missing id is bridged only where the choice is forced.
5. Real beats synthesized, final beats interim, the call's own id beats none, a success beats an
   error handler's second answer, else the first stands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from endmark.model import Call, Event, Owner, Result


@dataclass(slots=True, eq=False)
class Block:
    """The calls of one message and, call by call, the result that answers each."""

    slot: int
    calls: list[Call]
    answers: list[Result | None] = field(default_factory=list)
    zone: list[Result] = field(default_factory=list)  # results that stand where they should
    end: int = -1  # the message behind which results are put

    def __post_init__(self) -> None:
        self.answers = [None] * len(self.calls)
        if self.calls:
            self.end = self.calls[-1].at.message

    @property
    def start(self) -> int:
        return self.calls[0].at.message

    def open(self) -> list[int]:
        return [k for k, answer in enumerate(self.answers) if answer is None]


@dataclass(slots=True, eq=False)
class Pairing:
    """What belongs together, and what is left over."""

    blocks: list[Block] = field(default_factory=list)
    rivals: list[tuple[Result, Call]] = field(default_factory=list)  # (loser, the call it answers)
    orphans: list[Result] = field(default_factory=list)


def pair(
    events: Iterable[Event], *, keep_markers: bool = False, joint: bool = False, live: int = -1
) -> Pairing:
    """Pair these events, which are in the order of their positions.

    `keep_markers`: a late real result does not take the place of a synthesized one. `joint`:
    calls whose results belong in one place are one block, also where some have none; `live`: at
    this place they are, since its turn goes on.
    """
    calls = [event for event in events if isinstance(event, Call)]
    results = [event for event in events if isinstance(event, Result)]
    pairing = Pairing()
    strays: list[Result] = []
    _pair_provider(pairing, calls, results)
    _pair_inline(pairing, calls, results)
    walk = _Walk(pairing, keep_markers)
    own = [call for call in calls if not call.inline and call.owner is not Owner.PROVIDER]
    rest = [r for r in results if r.owner is not Owner.PROVIDER and r.after != r.at.message]
    by_slot: dict[int, list[Result]] = defaultdict(list)
    for result in rest:
        by_slot[-1 if result.after is None else result.after].append(result)
    for group in _groups(own):
        slot = group[0].slot
        for block in _blocks(group, by_slot.get(slot, []), joint=joint or slot == live):
            pairing.blocks.append(block)
            strays += walk.reserve(block)
            if block.zone:
                by_slot.pop(block.slot, None)
    strays += [result for left in by_slot.values() for result in left]
    walk.attach(sorted(strays, key=_position))
    pairing.blocks.sort(key=lambda block: block.calls[0].at)
    return pairing


def _groups(calls: list[Call]) -> list[list[Call]]:
    """Put together the calls whose results belong in one place."""
    by_slot: dict[int, list[Call]] = {}
    for call in calls:
        by_slot.setdefault(call.slot, []).append(call)
    return list(by_slot.values())


def _blocks(calls: list[Call], zone: list[Result], *, joint: bool) -> list[Block]:
    """Make a group one block if its results are all in place, else one block a message."""
    slot = calls[0].slot
    messages = {call.at.message for call in calls}
    if joint or len(messages) == 1 or _are_whole(calls, zone):
        block = Block(slot, calls)
        block.zone = list(zone)
        if joint:
            block.end = slot
        return [block]
    blocks = []
    for message in sorted(messages):
        block = Block(message, [call for call in calls if call.at.message == message])
        block.zone = list(zone) if message == slot else []
        blocks.append(block)
    return blocks


def _are_whole(calls: list[Call], zone: list[Result]) -> bool:
    ids = [call.id for call in calls]
    complete = sorted(map(str, ids)) == sorted(str(result.id) for result in zone)
    return complete and None not in ids and len(set(ids)) == len(ids)


def _pair_inline(pairing: Pairing, calls: list[Call], results: list[Result]) -> None:
    """Pair calls whose result lives in the same part: by position alone."""
    at = {result.at: result for result in results if result.after == result.at.message}
    by_message: dict[int, list[Call]] = {}
    for call in calls:
        if call.inline:
            by_message.setdefault(call.at.message, []).append(call)
    for message, group in by_message.items():
        block = Block(message, group)
        block.answers = [at.get(call.at) for call in group]
        pairing.blocks.append(block)


def _pair_provider(pairing: Pairing, calls: list[Call], results: list[Result]) -> None:
    """Pair what the provider runs itself: the result follows within the assistant's turn."""
    block_of: dict[int, Block] = {}
    waiting: dict[object, list[tuple[Block, int]]] = defaultdict(list)
    for call in calls:
        if call.owner is Owner.PROVIDER and not call.inline:
            block = block_of.setdefault(call.at.message, Block(call.at.message, []))
            block.calls.append(call)
            block.answers.append(None)
            waiting[call.id, call.slot].append((block, len(block.calls) - 1))
    pairing.blocks += block_of.values()
    for result in results:
        if result.owner is not Owner.PROVIDER:
            continue
        places = waiting.get((result.id, result.after), [])
        place = next((p for p in places if p[0].calls[p[1]].at < result.at), None)
        if place is None:
            pairing.orphans.append(result)
        else:
            places.remove(place)
            place[0].answers[place[1]] = result


def _position(result: Result) -> tuple[int, int]:
    return result.at


def _rank(result: Result, call: Call) -> tuple[bool, ...]:
    return (result.synthesized, not result.final, result.id != call.id, result.error)


def _may_answer(call: Call, result: Result) -> bool:
    return not result.name or not call.name or result.name == call.name


class _Walk:
    """The matching itself, over blocks in order."""

    def __init__(self, pairing: Pairing, keep_markers: bool) -> None:
        self.pairing = pairing
        self.keep_markers = keep_markers

    def reserve(self, block: Block) -> list[Result]:
        """Answer a block's calls from the results that stand behind it; give back the others."""
        if not block.zone:
            return []
        left = [
            result for result in block.zone if result.id is None or not self._by_id(block, result)
        ]
        left = self._without_result_id(block, left)
        return self._without_call_id(block, left)

    def _by_id(self, block: Block, result: Result) -> bool:
        same = [k for k, call in enumerate(block.calls) if call.id == result.id]
        if not same:
            return False
        free = [k for k in same if block.answers[k] is None]
        if free:
            named = [k for k in free if _may_answer(block.calls[k], result)]
            block.answers[(named or free)[0]] = result
        else:
            self._contend(block, same[-1], result)
        return True

    def _without_result_id(self, block: Block, results: list[Result]) -> list[Result]:
        """Results without an id: in order to calls without one, else where just one is left."""
        left = []
        nameless = [result for result in results if result.id is None]
        for result in results:
            if result.id is not None:
                left.append(result)
                continue
            fits = [k for k in block.open() if _may_answer(block.calls[k], result)]
            unkeyed = [k for k in fits if block.calls[k].id is None]
            named = [k for k in fits if result.name and block.calls[k].name == result.name]
            forced = fits if len(fits) == 1 and len(nameless) == 1 else []
            forced = forced or (named if len(named) == 1 else [])
            choice = unkeyed or forced
            if choice:
                block.answers[choice[0]] = result
            else:
                left.append(result)
        return left

    def _without_call_id(self, block: Block, results: list[Result]) -> list[Result]:
        """One call without an id and one result with an id of no call: they can only be a pair."""
        unkeyed = [k for k in block.open() if block.calls[k].id is None]
        if len(unkeyed) == 1 and len(results) == 1 and results[0].id is not None:
            call = block.calls[unkeyed[0]]
            owned = any(other.id == results[0].id for b in self.pairing.blocks for other in b.calls)
            if not owned and _may_answer(call, results[0]):
                block.answers[unkeyed[0]] = results[0]
                return []
        return results

    def attach(self, strays: list[Result]) -> None:
        """Match what is left over at a distance."""
        by_id: dict[str, list[Result]] = defaultdict(list)
        for result in strays:
            if result.id is not None:
                by_id[result.id].append(result)
        places = self._places(by_id.keys())
        for call_id, results in by_id.items():
            self._attach_id(places.get(call_id, []), results)
        self._attach_unkeyed([result for result in strays if result.id is None])
        self.pairing.orphans.sort(key=_position)

    def _places(self, ids: Collection[str]) -> dict[str | None, list[tuple[Block, int]]]:
        """Find the calls of these ids, in order."""
        places: dict[str | None, list[tuple[Block, int]]] = defaultdict(list)
        for block in self.pairing.blocks if ids else ():
            for k, call in enumerate(block.calls):
                if call.id in ids and call.owner is not Owner.PROVIDER and not call.inline:
                    places[call.id].append((block, k))
        return places

    def _attach_id(self, places: list[tuple[Block, int]], results: list[Result]) -> None:
        free = [p for p in places if p[0].answers[p[1]] is None]
        in_order = len(free) == len(results) and all(
            block.calls[k].at < result.at and _may_answer(block.calls[k], result)
            for (block, k), result in zip(free, results, strict=True)
        )
        if in_order:
            for (block, k), result in zip(free, results, strict=True):
                block.answers[k] = result
            return
        for result in results:
            named = [p for p in places if _may_answer(p[0].calls[p[1]], result)]
            place = _nearest(named or places, result)
            if place is None:
                self.pairing.orphans.append(result)
            elif place[0].answers[place[1]] is None:
                place[0].answers[place[1]] = result
            else:
                self._contend(*place, result)

    def _attach_unkeyed(self, results: list[Result]) -> None:
        """A result without an id, away from its block: only where counts leave no choice."""
        by_block: dict[int, list[Result]] = defaultdict(list)
        blocks = [
            block
            for block in self.pairing.blocks
            if block.calls[0].owner is not Owner.PROVIDER and not block.calls[0].inline
        ]
        for result in results:
            before = [b for b in blocks if b.calls[0].at < result.at and b.open()]
            after = [b for b in blocks if b.start == result.at.message + 1]
            if before:
                by_block[id(before[-1])].append(result)
            elif after and after[0].open():
                by_block[id(after[0])].append(result)
            else:
                self.pairing.orphans.append(result)
        for block in blocks:
            mine = by_block.get(id(block), [])
            if not mine:
                continue
            unkeyed = [k for k in block.open() if block.calls[k].id is None] or block.open()
            fits = len(unkeyed) == len(mine) and all(
                _may_answer(block.calls[k], result) for k, result in zip(unkeyed, mine, strict=True)
            )
            forced = fits and (len(mine) == 1 or block.calls[unkeyed[0]].id is None)
            if forced:
                for k, result in zip(unkeyed, mine, strict=True):
                    block.answers[k] = result
            else:
                self.pairing.orphans += mine

    def _contend(self, block: Block, k: int, rival: Result) -> None:
        """Two results for one call: let the better one stand, the earlier one if they are equal."""
        holder = block.answers[k]
        assert holder is not None
        better = _rank(rival, block.calls[k]) < _rank(holder, block.calls[k])
        if self.keep_markers and holder.synthesized and not rival.synthesized:
            better = rival.after == block.slot
        if better:
            block.answers[k] = rival
            rival, holder = holder, rival
        self.pairing.rivals.append((rival, block.calls[k]))


def _nearest(places: list[tuple[Block, int]], result: Result) -> tuple[Block, int] | None:
    """The call that this late, or early, result most plainly belongs to.

    Of the open calls before it the nearest block's first; else an open call behind it, if it is
    the only one of that id or stands right behind; else the answered call that it repeats.
    """
    before = [p for p in places if p[0].calls[p[1]].at < result.at]
    free = [p for p in before if p[0].answers[p[1]] is None]
    if free:
        return next(p for p in free if p[0] is free[-1][0])
    behind = [p for p in places if p not in before and p[0].answers[p[1]] is None]
    adjacent = [p for p in behind if p[0].start == result.at.message + 1]
    if adjacent or (len(places) == 1 and behind):
        return (adjacent or behind)[0]
    if before:
        return before[-1]
    return places[0] if len(places) == 1 else None
