"""The next-message format: a table of histories, and the laws over damaged ones."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from endmark import Policy, check, errors, is_synthesized, repair, rules
from endmark.formats.anthropic import FORMAT
from endmark.history import examine
from endmark.model import Owner, Turn
from endmark.policy import DEFAULT_TEXTS

History = list[dict[str, Any]]
MARKER = "No result was recorded for this tool call: the turn ended before one arrived. "
TABLE = [
    pytest.param(row, id=f"{path.stem}: {row['why']}")
    for path in sorted((Path(__file__).parent / "formats" / "anthropic").glob("*.json"))
    for row in json.loads(path.read_text())
]


@pytest.mark.parametrize("row", TABLE)
def test_table(row: dict[str, Any]) -> None:
    history, turn = row["history"], row.get("turn", "over")
    policy = Policy(**row.get("policy", {}))

    found = check(history, "anthropic", policy=policy, turn=turn)
    repaired = repair(history, "anthropic", policy=policy, turn=turn)

    assert [str(finding.kind) for finding in found] == row["findings"]
    if "expect" in row:
        assert _shortened(repaired) == row["expect"]
        assert repair(repaired, "anthropic", policy=policy, turn=turn) is repaired
    else:
        assert repaired is history
    assert rules.validate(repaired, "anthropic", turn=turn) == ()


def _shortened(history: History) -> History:
    """Stand `MARKER` for the text of a result that was made up, so that a table stays short."""
    text = json.dumps(history)
    for marker in sorted(DEFAULT_TEXTS, key=len, reverse=True):
        text = text.replace(json.dumps(marker)[1:-1], "MARKER")
    return json.loads(text)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "message",
    [
        "text",
        {"role": "user"},
        {"role": "user", "content": None},
        {"role": "user", "content": {"type": "text"}},
        {"role": "user", "content": ["text"]},
        {"role": "tool", "content": "ok"},
        {"role": "user", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
    ],
)
def test_what_is_not_of_the_format_is_refused(message: Any) -> None:
    history = [{"role": "user", "content": "hello"}, message]
    with pytest.raises(errors.UnreadableError):
        check(history, "anthropic")


@pytest.mark.parametrize(
    ("message", "score"),
    [
        ({"role": "user", "content": "hello"}, 0),
        ({"role": "user", "content": [{"type": "text", "text": "hello"}]}, 0),
        ({"role": "assistant", "content": [{"type": "tool_use"}]}, 1),
        ({"role": "user", "content": [{"type": "tool_result"}]}, 1),
        ({"role": "assistant", "content": [{"type": "web_search_tool_result"}]}, 1),
        ({"role": "assistant", "content": [{"type": "redacted_thinking"}]}, 1),
        ({"role": "tool", "content": "ok"}, -1),
        ({"role": "assistant", "content": None, "tool_calls": []}, -1),
        ({"role": "user", "content": [{"type": "image_url"}]}, -1),
        ({"role": "user", "content": "hello", "parts": []}, -1),
    ],
)
def test_fits(message: dict[str, Any], score: int) -> None:
    assert FORMAT.fits(message) == score


def test_a_synthesized_result_is_recognised() -> None:
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    closed = repair([{"role": "assistant", "content": [call]}], "anthropic")
    assert is_synthesized(closed[1], "anthropic")
    real = {"type": "tool_result", "tool_use_id": "a", "content": "ok"}
    assert not is_synthesized({"role": "user", "content": [real]}, "anthropic")


# --- laws -------------------------------------------------------------------------------------


def _call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "f", "input": {"n": name}}


def _result(name: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": f"result {name}"}


def _words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


@st.composite
def sound(draw: st.DrawFn) -> History:
    """Make a history that has nothing wrong with it."""
    history: History = []
    for turn in range(draw(st.integers(1, 3))):
        history.append({"role": "user", "content": f"question {turn}"})
        for step in range(draw(st.integers(0, 2))):
            history += draw(_step(f"toolu_{turn}_{step}"))
        if draw(st.booleans()):
            history.append({"role": "assistant", "content": [_words(f"answer {turn}")]})
    return history


@st.composite
def _step(draw: st.DrawFn, name: str) -> History:
    names = [f"{name}_{k}" for k in range(draw(st.integers(1, 3)))]
    asked: list[Any] = [_call(name) for name in names]
    if draw(st.booleans()):
        asked.insert(0, {"type": "thinking", "thinking": "hm", "signature": name})
    if draw(st.booleans()):
        search = f"srv{name}"
        asked[-1:-1] = [
            {"type": "server_tool_use", "id": search, "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": search, "content": []},
        ]
    answers: list[Any] = [_result(name) for name in draw(st.permutations(names))]
    if draw(st.booleans()):
        answers.append(_words(f"note {name}"))
    return [*draw(_split("assistant", asked)), *draw(_split("user", answers))]


@st.composite
def _split(draw: st.DrawFn, role: str, blocks: list[Any]) -> History:
    """One message, or two of the same role in a row."""
    at = draw(st.integers(0, len(blocks) - 1)) if draw(st.booleans()) else 0
    halves = [blocks[:at], blocks[at:]] if at else [blocks]
    return [{"role": role, "content": half} for half in halves]


Damage = Callable[[st.DrawFn, History], None]


def _place(draw: st.DrawFn, history: History, *kinds: str) -> tuple[list[Any], int] | None:
    places = [
        (message["content"], k)
        for message in history
        if isinstance(message["content"], list)
        for k, block in enumerate(message["content"])
        if not kinds or block["type"] in kinds
    ]
    return draw(st.sampled_from(places)) if places else None


def _cut(draw: st.DrawFn, history: History) -> None:
    del history[draw(st.integers(1, len(history))) :]


def _drop_message(draw: st.DrawFn, history: History) -> None:
    if len(history) > 1:
        del history[draw(st.integers(0, len(history) - 1))]


def _drop_block(draw: st.DrawFn, history: History) -> None:
    if place := _place(draw, history):
        del place[0][place[1]]


def _duplicate_message(draw: st.DrawFn, history: History) -> None:
    k = draw(st.integers(0, len(history) - 1))
    history.insert(draw(st.integers(0, len(history))), copy.deepcopy(history[k]))


def _duplicate_block(draw: st.DrawFn, history: History) -> None:
    if place := _place(draw, history):
        place[0].append(copy.deepcopy(place[0][place[1]]))


def _move_block(draw: st.DrawFn, history: History) -> None:
    source = _place(draw, history, "tool_result", "text", "web_search_tool_result")
    target = _place(draw, history)
    if source and target:
        block = source[0].pop(source[1])
        target[0].insert(draw(st.integers(0, len(target[0]))), block)


def _move_message(draw: st.DrawFn, history: History) -> None:
    message = history.pop(draw(st.integers(0, len(history) - 1)))
    history.insert(draw(st.integers(0, len(history))), message)


def _spoil_id(draw: st.DrawFn, history: History) -> None:
    if place := _place(draw, history, "tool_use", "tool_result", "server_tool_use"):
        block = place[0][place[1]]
        key = "tool_use_id" if block["type"] == "tool_result" else "id"
        block[key] = draw(st.sampled_from(["", None, "a:b", "srvtoolu_x", "toolu_0_0_0"]))


def _spoil_input(draw: st.DrawFn, history: History) -> None:
    if place := _place(draw, history, "tool_use", "server_tool_use"):
        block = place[0][place[1]]
        block["input"] = draw(st.sampled_from([None, "", "[]", '{"n": 1}', '{"n": "', [], {}]))
        block["name"] = draw(st.sampled_from(["f", "f", ""]))


def _spoil_result(draw: st.DrawFn, history: History) -> None:
    if place := _place(draw, history, "tool_result"):
        block = place[0][place[1]]
        block["is_error"] = draw(st.booleans())
        block["content"] = draw(st.sampled_from(["", [], None, [_words(" ")], MARKER]))


def _blank(draw: st.DrawFn, history: History) -> None:
    message = {
        "role": draw(st.sampled_from(["user", "assistant"])),
        "content": draw(st.sampled_from(["", " ", [], [_words("")]])),
    }
    history.insert(draw(st.integers(0, len(history))), copy.deepcopy(message))


def _blank_block(draw: st.DrawFn, history: History) -> None:
    if place := _place(draw, history):
        place[0].insert(place[1], _words(" "))


def _interject(draw: st.DrawFn, history: History) -> None:
    message = {"role": draw(st.sampled_from(["user", "assistant"])), "content": "by the way"}
    history.insert(draw(st.integers(0, len(history))), message)


DAMAGE: list[Damage] = [
    _cut, _drop_message, _drop_block, _duplicate_message, _duplicate_block, _move_block,
    _move_message, _spoil_id, _spoil_input, _spoil_result, _blank, _blank_block, _interject,
]  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn) -> History:
    history = draw(sound())
    for damage in draw(st.lists(st.sampled_from(DAMAGE), max_size=4)):
        damage(draw, history)
    return history or [{"role": "user", "content": "hello"}]


POLICIES = st.builds(
    Policy, orphans=st.sampled_from(["drop", "text"]), late=st.sampled_from(["replace", "keep"])
)
TURNS = st.sampled_from(["over", "open"])


@given(sound())
def test_a_sound_history_is_left_alone(history: History) -> None:
    assert check(history, "anthropic") == ()
    assert repair(history, "anthropic") is history


@given(damaged(), POLICIES, TURNS)
def test_a_repair_is_done_once_and_changes_no_input(
    history: History, policy: Policy, turn: Turn
) -> None:
    # A call that a policy leaves open with more of the assistant's calls behind it joins their run
    # when what stood between is dropped: such a history cannot be sent either way.
    last = max((i for i, m in enumerate(history) if m["role"] == "assistant"), default=-1)
    open_ = examine(history, FORMAT, policy, turn).pending
    assume(all(call.slot == last for call in open_ if call.owner is not Owner.PROVIDER))
    before = copy.deepcopy(history)
    repaired = repair(history, "anthropic", policy=policy, turn=turn)
    assert history == before
    assert repair(repaired, "anthropic", policy=policy, turn=turn) is repaired
    assert check(repaired, "anthropic", policy=policy, turn=turn) == ()


@given(damaged(), POLICIES)
def test_the_repaired_history_can_be_sent(history: History, policy: Policy) -> None:
    repaired = repair(history, "anthropic", policy=policy)
    assert rules.validate(repaired, "anthropic") == ()


@given(damaged(), POLICIES)
def test_no_real_result_is_lost(history: History, policy: Policy) -> None:
    found = check(history, "anthropic", policy=policy)
    repaired = json.dumps(repair(history, "anthropic", policy=policy))
    results, calls = _count(history, "tool_result"), _count(history, "tool_use")
    dropped = [finding.dropped for finding in found]
    for block in _blocks(history, "tool_result"):
        value, name = block["content"], block["tool_use_id"]
        if not isinstance(value, str) or not value.startswith("result"):
            continue
        assert value in repaired or value in dropped
        unkeyed = results[""] + results[None]  # one of those may have the better claim
        if name and results[name] == calls[name] == 1 and not unkeyed:
            assert value in repaired


@given(damaged())
def test_thinking_is_never_touched(history: History) -> None:
    gone = Counter(json.dumps(block) for block in _blocks(history, "thinking"))
    gone -= Counter(
        json.dumps(block) for block in _blocks(repair(history, "anthropic"), "thinking")
    )
    assert not gone


@given(damaged(), POLICIES, TURNS)
def test_the_first_look_leaves_nothing_out(history: History, policy: Policy, turn: Turn) -> None:
    class Thorough(type(FORMAT)):  # type: ignore[misc]
        def skim(self, history: History) -> list[int]:
            return list(range(len(history)))

    quick = examine(history, FORMAT, policy, turn)
    thorough = examine(history, Thorough(), policy, turn)
    assert quick.findings == thorough.findings
    assert quick.rebuild().messages == thorough.rebuild().messages


def _blocks(history: History, kind: str) -> list[dict[str, Any]]:
    return [
        block
        for message in history
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == kind
    ]


def _count(history: History, kind: str) -> Counter[Any]:
    return Counter(
        block["id" if kind == "tool_use" else "tool_use_id"] for block in _blocks(history, kind)
    )
