"""Conversations with branches: each way from the first message to a last one is a history.

A message that several branches share is judged on each of them, and written once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from endmark.formats import Format, Rebuilt
from endmark.formats._base import Message
from endmark.history import Examination, examine
from endmark.model import Call, Edit, Finding, Turn
from endmark.policy import Policy
from endmark.stores.conversation import Conversation


@dataclass(frozen=True, slots=True)
class _Branched(Examination):
    made: Rebuilt = field(default_factory=Rebuilt)

    def rebuild(self) -> Rebuilt:
        return self.made


def examine_all(
    conversation: Conversation,
    format_: Format,
    policy: Policy,
    turn: Turn,
    *,
    passed: bool = False,
) -> Examination:
    """Examine a conversation, on each of its branches where it has some.

    What is said beyond a message on one branch is said: a call that waits on another is closed.
    """
    history = conversation.history
    if not conversation.branches:
        return examine(history, format_, policy, turn, passed=passed)
    found: dict[object, Finding] = {}
    edits: list[Edit] = []
    pending: dict[object, Call] = {}
    new: dict[int, Message] = {}
    behind: dict[int, list[Message]] = {}
    for branch in conversation.branches:
        one = examine([history[k] for k in branch], format_, policy, turn, passed=passed)
        for finding in one.findings:
            at = replace(finding, message=branch[finding.message])
            found.setdefault((at.kind, at.call_id, at.message, at.part), at)
        for call in one.pending:
            at_call = call.at._replace(message=branch[call.at.message])
            pending.setdefault(at_call, replace(call, at=at_call))
        edits += one.edits
        rebuilt = one.rebuild() if one.edits else Rebuilt()
        last, added = -1, dict[int, list[Message]]()
        for message, origin in zip(rebuilt.messages, rebuilt.origins, strict=True):
            if origin is None:
                added.setdefault(last, []).append(message)
                continue
            last = branch[origin]
            if message is not history[last]:
                new.setdefault(last, message)
        behind = {**added, **behind}
    made = Rebuilt()
    for k, message in enumerate(history):
        made.add(new.get(k, message), k)
        for added_here in behind.get(k, ()):
            made.add(added_here, None)
    told = sorted(found.values(), key=lambda finding: (finding.message, finding.part))
    closed = {(at.call_id, at.message) for at in told}
    open_ = [call for call in pending.values() if (call.id, call.at.message) not in closed]
    return _Branched(history, format_, tuple(told), tuple(edits), tuple(open_), made)
