"""A conversation of several histories: each is examined alone, and all are rebuilt together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from endmark.formats import Format, Rebuilt
from endmark.history import Examination
from endmark.model import Kind
from endmark.stores.conversation import Conversation, Section

Look = Callable[[list[Any], Section], Examination]


@dataclass(frozen=True, slots=True)
class Joined(Examination):
    """What is wrong with the sections of a conversation, in the indexes of the whole."""

    sections: tuple[tuple[Section, Examination], ...] = ()

    def rebuild(self) -> Rebuilt:
        whole = Rebuilt()
        strays = self._strays()
        for section, one in self.sections:
            made = one.rebuild() if one.edits else Rebuilt()
            if not one.edits:
                made.keep(one.history, 0, len(one.history))
            for message, origin in zip(made.messages, made.origins, strict=True):
                if origin is None:
                    whole.add(self._real(message, section, strays), None)
                else:
                    whole.add(message, origin + section.start)
        return whole

    def _strays(self) -> dict[str | None, tuple[int, Any]]:
        """Find the orphans, by the call that they answer: it may be in a section before."""
        return {
            self.format.answered(message): (finding.message, message)
            for finding in reversed(self.findings)
            if finding.kind is Kind.ORPHAN and (message := self.history[finding.message])
        }

    def _real(self, made: Any, section: Section, strays: dict[str | None, tuple[int, Any]]) -> Any:
        """Put a real result from elsewhere in the place of a synthesized one."""
        id_ = self.format.answered(made)
        if id_ is not None and id_ in section.recorded:
            return self.format.recorded(made, *section.recorded[id_])
        index, message = strays.get(id_, (-1, made)) if id_ is not None else (-1, made)
        return self.format.moved(message, made) if index >= section.stop else made


def joined(conversation: Conversation, format_: Format, look: Look) -> Joined:
    """Examine every section by `look`.

    What has to do with a call that is left open in a section before is left alone too: it may be
    its result, or a copy of it, and copies change together.
    """
    done = []
    open_: set[str | None] = set()
    for section in conversation.sections:
        one = look(conversation.history[section.start : section.stop], section)
        if any(finding.call_id in open_ for finding in one.findings):
            one = replace(one, findings=(), edits=())
        if not section.waits:
            open_ |= {call.id for call in one.pending} - {None}
        done.append((section, one))
    return Joined(
        conversation.history,
        format_,
        tuple(
            replace(finding, message=finding.message + section.start)
            for section, one in done
            for finding in one.findings
        ),
        tuple(edit for _, one in done for edit in one.edits),
        tuple(call for _, one in done for call in one.pending),
        tuple(done),
    )
