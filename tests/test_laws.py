"""The laws of the design, over every format, on histories with anything wrong with them."""

from __future__ import annotations

import copy
import json
import re
from collections import Counter
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abstract import OPEN, Message, Seen
from building import BUILDERS, builder, conversations, damaged
from endmark import Policy, check, formats, is_synthesized, repair
from endmark.history import examine
from endmark.model import Arrange, Close, Edit, Mend, Result, Turn, Within
from judging import violations

pytestmark = pytest.mark.slow

FORMATS = sorted(BUILDERS)
LAWS = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TURNS: st.SearchStrategy[Turn] = st.sampled_from(["over", "open"])


def calls(history: list[Message], format: str) -> list[Seen]:
    return list(builder(format).calls(history))


def tokens(history: list[Message], kind: str) -> Counter[str]:
    return Counter(re.findall(rf"{kind}-\d+", json.dumps(history)))


def still_refused(repaired: list[Message], history: list[Message], format: str) -> list[Any]:
    """Give what is refused after a repair; whose turn it is, is not ours: no more than before."""
    found = violations(repaired, format)
    order = [violation for violation in found if violation.code == "turn-order"]
    before = [v for v in violations(history, format) if v.code == "turn-order"]
    return [v for v in found if v not in order or len(order) > len(before)]


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@LAWS
def test_1_a_clean_input_comes_back_as_itself(format: str, data: st.DataObject) -> None:
    history = builder(format).build(data.draw(conversations(sound=True)))

    assert repair(history, format) is history
    assert check(history, format) == ()
    assert violations(history, format) == ()


def law_2_repair_is_idempotent_and_pure(history: list[Message], format: str, turn: Turn) -> None:
    before = copy.deepcopy(history)

    repaired = repair(history, format, turn=turn)

    assert history == before
    assert repair(repaired, format, turn=turn) is repaired


def law_3_the_rules_accept_what_was_repaired(history: list[Message], format: str) -> None:
    repaired = repair(history, format)

    assert still_refused(repaired, history, format) == []
    assert [call for call in calls(repaired, format) if call.result is OPEN] == []
    if not violations(history, format) and repaired is not history:
        # What the provider takes is changed only for what a stricter reader refuses.
        assert {finding.kind for finding in check(history, format)} <= {
            "misplaced", "malformed", "incomplete", "copy", "no_id", "bad_id", "reused_id",
            "duplicate", "orphan", "dangling", "empty",
        }  # fmt: skip


def law_4_no_real_result_is_lost_unseen(history: list[Message], format: str) -> None:
    repaired = repair(history, format)

    lost = tokens(history, "result").keys() - tokens(repaired, "result").keys()
    dropped = json.dumps([finding.dropped for finding in check(history, format)])
    assert [token for token in lost if token not in dropped] == []
    assert [token for token in lost if _had_a_place(token, history, format)] == []


def _had_a_place(token: str, history: list[Message], format: str) -> bool:
    """Tell whether a call of this result's own id is there, and no other result for it is."""
    results = _results(history, format)
    owners = [id_ for id_, value in results if token in json.dumps(value)]
    ids = [call.id for call in calls(history, format)]
    return any(
        id_
        and ids.count(id_) >= sum(other == id_ for other, _ in results)
        and (ids.count(id_) == 1)
        for id_ in owners
    )


def _results(history: list[Message], format: str) -> list[tuple[Any, Any]]:
    own = getattr(builder(format), "results", None)
    if own is not None:
        return list(own(history))
    found = [(m.get("tool_call_id"), m.get("content")) for m in history if m["role"] == "tool"]
    for message in history:
        for part in message.get("parts") or message.get("content") or []:
            if isinstance(part, dict) and part.get("type") == "tool_result":
                found.append((part.get("tool_use_id"), part.get("content")))
            if isinstance(part, dict) and "output" in part:
                found.append((part.get("toolCallId"), part["output"]))
    return found


def law_5_calls_and_words_are_kept(history: list[Message], format: str) -> None:
    repaired = repair(history, format)

    copies = sum(finding.kind == "copy" for finding in check(history, format))
    assert len(calls(repaired, format)) == len(calls(history, format)) - copies
    for kind in ("user", "step", "answer"):
        assert tokens(history, kind).keys() == tokens(repaired, kind).keys()


def law_6_the_quick_look_changes_nothing(history: list[Message], format: str, turn: Turn) -> None:
    form = formats.get(format)

    quick = examine(history, form, turn=turn)
    with mock.patch.object(type(form), "skim", lambda _, messages: list(range(len(messages)))):
        full = examine(history, form, turn=turn)

    assert quick.findings == full.findings
    assert quick.rebuild().messages == full.rebuild().messages


@pytest.mark.parametrize(
    "format",
    [
        *("openai-chat", "openai-responses", "langchain", "anthropic"),
        *("adk", "llamaindex", "pydantic-ai"),
    ],
)
@given(data=st.data())
@LAWS
def test_7_a_real_result_takes_its_marker_s_place(format: str, data: st.DataObject) -> None:
    turns = data.draw(conversations(sound=True))
    history = builder(format).build(turns)
    at = [k for k, m in enumerate(history) if tokens([m], "result")]
    if not at:
        return
    gone = data.draw(st.sampled_from(at))
    closed = repair(history[:gone] + history[gone + 1 :], format)
    if len(closed) != len(history):
        return  # one of several results, all in one message

    healed = repair([*closed, history[gone]], format)

    assert [m for m in healed if is_synthesized(m, format)] == []
    assert tokens(healed, "result") == tokens(history, "result")


def law_8_what_is_pending_on_the_frontier_stays(history: list[Message], format: str) -> None:
    policy = Policy(pending=lambda call: True)
    form = formats.get(format)
    last_user = form.last(history, form.is_user)

    repaired = repair(history, format, policy=policy)

    pending = examine(history, form, policy).pending
    open_ = [call for call in calls(repaired, format) if call.result is OPEN]
    assert len(open_) == len(pending)
    assert all(call.at.message > last_user for call in pending)
    assert repair(repaired, format, policy=policy) is repaired


def law_10_nothing_before_the_first_edit_changes(history: list[Message], format: str) -> None:
    repaired = repair(history, format)

    edits = examine(history, formats.get(format)).edits
    first = min([len(history), *(_place(edit) for edit in edits)])
    assert all(old is new for old, new in zip(history[:first], repaired[:first], strict=True))


def _place(edit: Edit) -> int:
    if isinstance(edit, Arrange):
        moved = [a.at.message for a in edit.answers if isinstance(a, Result)]
        return min([edit.after + 1, *moved])
    if isinstance(edit, Within):
        return edit.message
    return (edit.call if isinstance(edit, Close | Mend) else edit.event).at.message


POLICIES = st.builds(
    Policy,
    orphans=st.sampled_from(["drop", "text"]),
    late=st.sampled_from(["replace", "keep"]),
    marker=st.sampled_from(["default", "interrompu", "gone away", lambda m: f"no {m.outcome}"]),
    cause=st.sampled_from(["unknown", "stopped", "crashed"]),
    pending_tools=st.sampled_from([frozenset(), frozenset({"save"})]),
    tools=st.sampled_from([{}, {"save": ["destructive"], "look": {"readOnlyHint": True}}]),
)


def law_of_every_policy(history: list[Message], format: str, turn: Turn, policy: Policy) -> None:
    repaired = repair(history, format, policy=policy, turn=turn)

    assert repair(repaired, format, policy=policy, turn=turn) is repaired
    closed = Policy(**{**policy.model_dump(), "pending_tools": frozenset()})
    assert still_refused(repair(repaired, format, policy=closed), history, format) == []
    if policy.orphans == "text" and policy.late == "keep":
        for token in tokens(history, "result"):
            seen = token in json.dumps(repaired)
            assert seen or any(
                token in json.dumps(f.dropped)
                for f in check(history, format, policy=policy, turn=turn)
            )


def law_8_nothing_is_pending_once_it_counts_as_passed(history: list[Message], format: str) -> None:
    form = formats.get(format)
    policy = Policy(pending=lambda call: True)

    examination = examine(history, form, policy, "open", passed=True)

    assert form.is_user(form.said)
    assert examination.pending == ()
    assert repair(examination.rebuild().messages, form) == examination.rebuild().messages


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data(), policy=POLICIES, turn=TURNS)
@LAWS
def test_every_law_holds_whatever_is_wrong(
    format: str, data: st.DataObject, policy: Policy, turn: Turn
) -> None:
    """To draw a history takes longer than all laws together, so that it is drawn once for all."""
    history = data.draw(damaged(format))
    law_2_repair_is_idempotent_and_pure(history, format, turn)
    law_3_the_rules_accept_what_was_repaired(history, format)
    law_4_no_real_result_is_lost_unseen(history, format)
    law_5_calls_and_words_are_kept(history, format)
    law_6_the_quick_look_changes_nothing(history, format, turn)
    law_8_what_is_pending_on_the_frontier_stays(history, format)
    law_8_nothing_is_pending_once_it_counts_as_passed(history, format)
    law_10_nothing_before_the_first_edit_changes(history, format)
    law_of_every_policy(history, format, turn, policy)
