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
from endmark.guard import ChatRepository, Repair
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


FULL = "u c(1) r(1) t"
POISONED = "u c(1,2) r(2) u r(1) u r(9) t"
TOLD = {  # what is persisted, one after the other, and what each write tells
    "an old copy that ends in a call": [(FULL, []), ("u c(1)", [])],
    "the same again": [(FULL, []), (FULL, [])],
    "a call that nobody answered, again and again": [
        ("u c(1)", [("dangling", "1")]), ("u c(1)", []), ("u c(1) u", [])],
    "its result after all": [
        ("u c(1)", [("dangling", "1")]), ("u c(1) r(1)", []), ("u c(1) u r(1)", [])],
    "a poisoned one, again and again": [
        (POISONED, [("misplaced", "1"), ("orphan", "9")]), (POISONED, []), (POISONED, [])],
    "a poisoned one that goes on": [
        (POISONED, [("misplaced", "1"), ("orphan", "9")]),
        (POISONED + " c(3) u", [("dangling", "3")]),
        (POISONED + " c(3) u r(8) t", [("orphan", "8")])],
    "an orphan at the end": [("u", []), ("u r(9)", []), ("u r(9) t", [("orphan", "9")])],
    "an open call in the rows": [("+u c(1)", []), ("u", [("dangling", "1")])],
    "one that is answered now": [("+u c(1)", []), ("u c(1) r(1)", [])],
    "one that another is said behind": [("+u c(1)", []), ("u c(1) u", [("dangling", "1")])],
}  # fmt: skip


@TALKS
@pytest.mark.parametrize("name", TOLD)
def test_persist_tells_what_it_writes(session: Session, talk: Talk, name: str) -> None:
    told: list[Repair] = []
    repository = ChatRepository(session, talk.format, on_repair=told.append)
    ways = {"u": talk.user, "t": talk.text, "c": talk.calls, "r": talk.result}
    for words, expected in TOLD[name]:
        history = [
            ways[word[0]](*(word[2:-1].split(",") if word[1:] else word))
            for word in words.lstrip("+").split()
        ]
        write = repository.add_messages if words[0] == "+" else repository.persist
        write("c", history)
        assert [(one.kind.value, one.call_id) for one in told] == expected, words
        told.clear()


def test_persist_by_id_tells_what_it_writes(session: Session) -> None:
    told: list[Repair] = []
    repository = ChatRepository(session, "ai-sdk", on_repair=told.append)
    first, second = ui("m", tool_part("a")), ui("m", tool_part("a"), tool_part("b"))
    for history, expected in (
        ([first], ["a"]), ([first], []), ([second], ["a", "b"]), ([second], []),
        ([second, ui("n", tool_part("c"))], ["c"]),
    ):  # fmt: skip
        repository.persist("c", history)
        assert [one.call_id for one in told] == expected
        told.clear()


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
