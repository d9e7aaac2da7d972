"""persist, truncate, delete: whole histories written again, and pieces of them taken away."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from endmark import (
    ContradictionError,
    StaleTurnError,
    StoreError,
    repair,
)
from endmark.guard import ChatRepository
from fix_guard import TALKS
from guard_messages import (
    CHAT,
    Talk,
    stored,
    text_part,
    tool_part,
    ui,
)


@TALKS
def test_persist_again_and_again(session: Session, talk: Talk) -> None:
    repository = ChatRepository(session, talk.format)
    history = [talk.user("go"), talk.calls("a", "b"), talk.result("a")]
    repository.persist("c", history)
    closed = repair(history, talk.format)
    assert stored(session) == closed
    repository.persist("c", history)
    repository.persist("c", closed)
    assert stored(session) == closed
    history += [talk.user("more"), talk.text("yes")]
    repository.persist("c", history)
    assert stored(session) == repair(history, talk.format)
    repository.persist("c", history[:2])  # an old copy has nothing to add
    assert stored(session) == repair(history, talk.format)


@TALKS
def test_persist_knows_a_marker_and_its_real_result_for_one(session: Session, talk: Talk) -> None:
    repository = ChatRepository(session, talk.format)
    repository.persist("c", [talk.calls("a"), talk.user("hi")])
    real = [talk.calls("a"), talk.result("a", "late"), talk.user("hi")]
    repository.persist("c", real)
    assert stored(session) == real
    repository.persist("c", [talk.calls("a"), talk.user("hi"), talk.text("more")])
    assert stored(session) == [*real, talk.text("more")]


@TALKS
@pytest.mark.parametrize("position", [0, 1, 2, 3])
def test_persist_refuses_a_contradiction(session: Session, talk: Talk, position: int) -> None:
    repository = ChatRepository(session, talk.format)
    history = [talk.user("go"), talk.calls("a"), talk.result("a", "1"), talk.text("done")]
    repository.persist("c", history)
    other = [talk.user("no"), talk.calls("b"), talk.result("a", "2"), talk.text("other")]
    given = [*history[:position], other[position], *history[position + 1 :], talk.user("new")]
    with pytest.raises(ContradictionError, match=f"message {position} "):
        repository.persist("c", given)
    assert stored(session) == history


def test_persist_puts_by_id(session: Session) -> None:
    repository = ChatRepository(session, "ai-sdk")
    asked, open_ = ui("u", text_part("hi"), role="user"), ui("m", tool_part("a"))
    repository.persist("c", [asked, open_])
    done = ui("m", tool_part("a", "output-available", output=0), text_part("done"))
    repository.persist("c", [asked, done])
    assert stored(session) == [asked, done]
    repository.persist("c", [asked, open_])  # the app does not know the result yet
    assert stored(session) == [asked, done]
    repository.persist("c", [asked, done, ui("u2", text_part("more"), role="user")])
    assert [row["id"] for row in stored(session)] == ["u", "m", "u2"]
    with pytest.raises(ContradictionError, match="message 1 "):
        repository.persist("c", [asked, ui("m", tool_part("z"))])


def test_truncate_by_id(session: Session) -> None:
    repository = ChatRepository(session, "ai-sdk")
    messages = [ui(f"m{k}", text_part(str(k))) for k in range(3)]
    repository.persist("c", messages)
    repository.truncate("c", after="m1")
    assert stored(session) == messages[:2]
    for wrong in ("m2", 7, -2):
        with pytest.raises(StoreError):
            repository.truncate("c", after=wrong)


def test_truncate_makes_running_turns_stale(session: Session) -> None:
    running, other = ChatRepository(session, "openai-chat"), ChatRepository(session, "openai-chat")
    with running.turn("c"):
        running.add_message("c", CHAT.user("hi"))
        other.truncate("c", after=-1)
        session.commit()
        with pytest.raises(StaleTurnError):
            running.add_message("c", CHAT.text("hello"))


def test_delete_and_conversations(session: Session) -> None:
    repository = ChatRepository(session, "openai-chat")
    for name in ("c", "d"):
        repository.add_message(name, CHAT.user("hi"))
    assert sorted(repository.conversations()) == ["c", "d"]
    repository.delete("c")
    repository.delete("never was")
    assert repository.conversations() == ["d"]
    assert repository.history("c") == []
