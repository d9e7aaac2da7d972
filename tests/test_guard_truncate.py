"""truncate: what is behind a message goes, and of the calls that stay no real result does."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from abstract import Step, Turn
from building import BUILDERS
from endmark import StoreError, UnreadableError, check, formats, repair
from endmark.guard import AsyncChatRepository, ChatRepository, tables
from endmark.model import Result
from endmark.policy import DEFAULT
from fix_databases import AsyncDatabase, Run
from fix_guard import TALKS, is_sound
from guard_messages import ANTHROPIC, CHAT, Message, Talk, stored, text_part, ui
from test_guard_async import prepared, rows_of


def put(session: Session, history: list[Message]) -> None:
    """Store rows as they are, as somebody else would."""
    session.add(tables.Conversation(id="c"))
    session.flush()
    session.execute(
        sa.insert(tables.Message),
        [{"conversation_id": "c", "seq": k, "payload": m} for k, m in enumerate(history, 1)],
    )


def both(*ids: str, text: str = "") -> Message:
    """Make one message of Anthropic's with several results, and words of a user behind them."""
    blocks = [ANTHROPIC.result(id_)["content"][0] for id_ in ids]
    return {"role": "user", "content": blocks + ([{"type": "text", "text": text}] if text else [])}


C, A = CHAT, ANTHROPIC
# What is stored, the last message that stays, and what is stored then, by index or as a message.
CUT: dict[str, tuple[Talk, list[Message], int, list[Any]]] = {
    "a call and its result": (
        C, [C.user("go"), C.calls("a"), C.result("a"), C.text("x")], 1, [0, 1, 2]),
    "one of two results": (
        C, [C.calls("a", "b"), C.result("a"), C.result("b"), C.text("x")], 1, [0, 1, 2]),
    "two results": (
        C, [C.calls("a", "b"), C.result("a"), C.result("b"), C.user("x")], 0, [0, 1, 2]),
    "a real one and none": (
        C, [C.calls("a", "b"), C.result("a"), C.user("x")], 0, [0, 1, None]),
    "a result that is far off": (
        C, [C.calls("a"), C.user("x"), C.text("y"), C.result("a"), C.user("z")], 1, [0, 3, 1]),
    "a result after its marker": (
        C, [*repair([C.calls("a")], "openai-chat"), C.user("x"), C.result("a")], 0, [0, 3]),
    "a result and an id that comes again": (
        C, [C.calls("a"), C.result("a", "1"), C.user("x"), C.calls("a"), C.result("a", "2")],
        0, [0, 1]),
    "the second of one id": (
        C, [C.calls("a"), C.result("a", "1"), C.user("x"), C.calls("a"), C.result("a", "2")],
        3, [0, 1, 2, 3, 4]),
    "an empty result": (
        C, [C.calls("a"), C.result("a", ""), C.user("x")], 0, [0, 1]),
    "a call without a result": (
        C, [C.calls("a"), C.user("x")], 0, [0, None]),
    "nothing stays": (
        C, [C.calls("a"), C.result("a")], -1, []),
    "results in one message": (
        A, [A.user("go"), A.calls("a", "b"), both("a", "b"), A.text("x")], 1, [0, 1, 2]),
    "words behind a result": (
        A, [A.user("go"), A.calls("a"), both("a", text="x"), A.text("y")], 1, [0, 1, both("a")]),
    "results in two messages": (
        A, [A.calls("a", "b"), both("a"), both("b", text="x")], 0, [0, 1, both("b")]),
}  # fmt: skip


def expected(talk: Talk, history: list[Message], left: list[Any]) -> list[Message]:
    """None stands for a marker, which says truly that there was no result."""
    whole = [m for m in left if m is not None]
    said = [history[m] if isinstance(m, int) else m for m in whole]
    closed = list(repair(said, talk.format))
    assert (len(closed) > len(said)) == (None in left)
    return closed


@pytest.mark.parametrize("name", CUT)
def test_a_real_result_stays_with_its_call(session: Session, name: str) -> None:
    talk, history, after, left = CUT[name]
    put(session, history)
    repository = ChatRepository(session, talk.format)
    repository.truncate("c", after=after)
    assert stored(session) == expected(talk, history, left)
    repository.add_message("c", talk.user("again"))
    assert is_sound(stored(session), talk.format)


def test_the_asynchronous_one_keeps_it_too(async_database: AsyncDatabase, run: Run[Any]) -> None:
    _, history, after, left = CUT["a call and its result"]

    async def work() -> None:
        repository = AsyncChatRepository(prepared(async_database), "openai-chat")
        await repository.persist("c", history)
        await repository.truncate("c", after=after)

    run(work())
    assert rows_of(async_database) == [history[k] for k in left]


STEPS = (Step((("a", "look", "r1"), ("b", "save", "r2")), "s1"), Step((("c", "look", "r3"),), ""))
TURNS = [Turn("u1", STEPS, "x1"), Turn("u2", (Step((("d", "look", "r4"),), "s2"),), "x2")]


@pytest.mark.parametrize("format", sorted(BUILDERS))
def test_every_cut_of_every_format(session: Session, format: str) -> None:
    """What stays is as it was, nothing is said to have had no result, and it can be sent."""
    history = BUILDERS[format].build(TURNS)
    format_ = formats.get(format)
    for after in range(-1, len(history)):
        put(session, history)
        ChatRepository(session, format).truncate("c", after=after)
        left = stored(session)
        session.rollback()
        # Reasoning that nothing follows any more is refused, and goes.
        kept = [m for m in history[: after + 1] if m in left or m.get("type") != "reasoning"]
        assert left[: len(kept)] == kept
        assert check(left, format) == ()
        events = format_.events(left, range(len(left)), DEFAULT)
        assert not [e for e in events if isinstance(e, Result) and e.synthesized]
        assert len(left) - len(kept) <= 2, "no more than the results of a step"


UNKNOWN: dict[str, Any] = {
    "truncate": lambda chat: chat.truncate("u", after=-1),
    "truncate, no such position": lambda chat: chat.truncate("u", after=0),
    "truncate, no such id": lambda chat: chat.truncate("u", after="m1"),
    "truncate, no position": lambda chat: chat.truncate("u", after=None),
    "finalize": lambda chat: chat.finalize("u"),
    "persist nothing": lambda chat: chat.persist("u", []),
    "add nothing": lambda chat: chat.add_messages("u", []),
    "add what is no message": lambda chat: chat.add_message("u", 3),
    "history": lambda chat: chat.history("u"),
    "delete": lambda chat: chat.delete("u"),
}


@pytest.mark.parametrize("format", ["openai-chat", "ai-sdk"])
@pytest.mark.parametrize("name", UNKNOWN)
def test_no_conversation_comes_to_be(session: Session, name: str, format: str) -> None:
    repository = ChatRepository(session, format)
    with suppress(StoreError, TypeError, UnreadableError):  # each raises its own, or nothing
        UNKNOWN[name](repository)
    assert repository.conversations() == []
    said = ui("m", text_part("hi"), role="user") if format == "ai-sdk" else CHAT.user("hi")
    repository.add_message("u", said)  # in the same transaction
    assert repository.history("u") == [said]
    assert repository.conversations() == ["u"]


@TALKS
def test_a_known_conversation_stays_known(session: Session, talk: Talk) -> None:
    repository = ChatRepository(session, talk.format)
    repository.add_message("c", talk.user("hi"))
    repository.truncate("c", after=-1)
    repository.finalize("c")
    assert (repository.conversations(), stored(session)) == (["c"], [])
