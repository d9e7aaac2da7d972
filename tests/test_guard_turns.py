"""Turns: who may write when, what a dead, stale or broken one leaves behind."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from endmark import (
    Policy,
    StaleTurnError,
    StepLimitError,
    repair,
)
from endmark.guard import ChatRepository
from fix_databases import Database
from fix_guard import TALKS, is_sound
from guard_messages import (
    CHAT,
    Talk,
    create,
    stored,
)


class Stop(BaseException):
    """Whatever ends a turn from outside."""


@TALKS
@pytest.mark.parametrize("end", [None, ValueError, Stop], ids=["return", "error", "cancelled"])
def test_leaving_a_turn_closes_it(
    session: Session, talk: Talk, end: type[BaseException] | None
) -> None:
    repository = ChatRepository(session, talk.format)
    try:
        with repository.turn("c"):
            repository.add_message("c", talk.calls("a"))
            if end is not None:
                raise end
    except (ValueError, Stop):
        pass
    rows = stored(session)
    assert rows == repair([talk.calls("a")], talk.format)
    assert len(rows) == 2


@TALKS
def test_a_new_turn_closes_the_wreckage_of_a_dead_one(session: Session, talk: Talk) -> None:
    ChatRepository(session, talk.format).add_message("c", talk.calls("a"))
    session.commit()
    with ChatRepository(session, talk.format).turn("c"):
        assert stored(session) == repair([talk.calls("a")], talk.format)


@TALKS
def test_a_stale_turn_brings_real_results_of_its_own_calls_only(
    database: Database, talk: Talk
) -> None:
    create(database.engine)
    with Session(database.engine) as one, Session(database.engine) as two:
        old, new = ChatRepository(one, talk.format), ChatRepository(two, talk.format)
        with old.turn("c") as turn:
            old.add_message("c", talk.calls("a"))
            one.commit()
            with new.turn("c") as newer:
                assert (newer.epoch or 0) > (turn.epoch or 0)
                new.add_message("c", talk.user("again"))
                new.add_message("c", talk.calls("b"))
                two.commit()
                for message in (talk.text("x"), talk.calls("d"), talk.result("b"), talk.user("y")):
                    with pytest.raises(StaleTurnError):
                        old.add_message("c", message)
                with pytest.raises(StaleTurnError):
                    old.finalize("c")
                with pytest.raises(StaleTurnError):
                    old.persist("c", [talk.text("x")])
                old.add_message("c", talk.result("a", "late"))
                one.commit()
                new.add_message("c", talk.result("b", "mine"))
                two.commit()
        one.commit()
        expected = [
            talk.calls("a"), talk.result("a", "late"), talk.user("again"),
            talk.calls("b"), talk.result("b", "mine"),
        ]  # fmt: skip
        assert stored(two) == expected


def test_a_turn_of_a_deleted_conversation_is_stale(session: Session) -> None:
    repository = ChatRepository(session, "openai-chat")
    with repository.turn("c"):
        ChatRepository(session, "openai-chat").delete("c")
        with pytest.raises(StaleTurnError):
            repository.add_message("c", CHAT.user("hi"))
    assert repository.conversations() == []


def test_a_turn_in_a_turn_of_one_conversation_makes_it_stale(session: Session) -> None:
    repository = ChatRepository(session, "openai-chat")
    with repository.turn("c"):
        repository.add_message("c", CHAT.calls("a"))
        with repository.turn("c"), repository.turn("d"):
            repository.add_message("c", CHAT.calls("b"))
            repository.add_message("d", CHAT.calls("a"))
        with pytest.raises(StaleTurnError):
            repository.add_message("c", CHAT.text("x"))
        repository.add_message("c", CHAT.result("a"))
    assert stored(session) == repair(
        [CHAT.calls("a"), CHAT.result("a"), CHAT.calls("b")], "openai-chat"
    )
    assert is_sound(stored(session, "d"), "openai-chat")
    repository.add_message("c", CHAT.user("hi"))


def test_step_limit(session: Session) -> None:
    repository = ChatRepository(session, "openai-chat", policy=Policy(step_limit=2))
    with repository.turn("c"):
        for k in range(2):
            repository.add_messages("c", [CHAT.calls(f"a{k}"), CHAT.result(f"a{k}")])
        with pytest.raises(StepLimitError, match="step_limit"):
            repository.add_message("c", CHAT.calls("z"))
        repository.add_message("c", CHAT.text("enough"))
    assert len(stored(session)) == 5


def test_a_broken_transaction_is_told_and_the_next_write_heals(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    create(database.engine)
    with Session(database.engine) as session:
        repository = ChatRepository(session, "openai-chat")
        with pytest.raises(sa.exc.DBAPIError):  # noqa: PT012, SIM117
            with repository.turn("c"):
                repository.add_message("c", CHAT.calls("a"))
                session.commit()
                session.execute(sa.text("SELECT nothing FROM nowhere"))
        assert ("could not be closed" in caplog.text) == (database.name == "postgresql")
        session.rollback()
        assert is_sound(repository.history("c"), "openai-chat")
        repository.add_message("c", CHAT.user("hi"))
        assert is_sound(stored(session), "openai-chat")


def test_nothing_is_committed(database: Database) -> None:
    create(database.engine)
    with Session(database.engine) as session:
        repository = ChatRepository(session, "openai-chat")
        with repository.turn("c"):
            repository.add_messages("c", [CHAT.calls("a"), CHAT.user("hi")])
        repository.persist("d", [CHAT.user("hi")])
        session.rollback()
        assert stored(session) == stored(session, "d") == []
        repository.add_message("c", CHAT.user("hi"))
        assert stored(session) == [CHAT.user("hi")]


def test_what_was_rolled_back_is_not_remembered(session: Session) -> None:
    repository = ChatRepository(session, "openai-chat")
    repository.add_message("c", CHAT.user("hi"))
    session.commit()
    repository.add_message("c", CHAT.calls("a"))
    session.rollback()
    repository.add_message("c", CHAT.text("x"))
    nested = session.begin_nested()
    repository.add_message("c", CHAT.calls("b"))
    nested.rollback()
    repository.add_message("c", CHAT.text("y"))
    assert stored(session) == [CHAT.user("hi"), CHAT.text("x"), CHAT.text("y")]


@pytest.mark.parametrize("ends", ["rollback", "close"])
def test_a_turn_whose_beginning_was_undone_begins_again(session: Session, ends: str) -> None:
    repository = ChatRepository(session, "openai-chat")
    with repository.turn("c"):
        repository.add_message("c", CHAT.calls("a"))
        getattr(session, ends)()
        repository.add_message("c", CHAT.user("hi"))
        repository.add_message("c", CHAT.calls("b"))
        with session.begin_nested() as nested:
            repository.add_message("c", CHAT.result("b"))
            nested.rollback()
    assert stored(session) == repair([CHAT.user("hi"), CHAT.calls("b")], "openai-chat")


@pytest.mark.parametrize("ends", ["rollback", "close"])
def test_another_turn_may_have_the_number_of_one_that_was_undone(
    database: Database, ends: str
) -> None:
    create(database.engine)
    with Session(database.engine) as one, Session(database.engine) as two:
        old, new = ChatRepository(one, "openai-chat"), ChatRepository(two, "openai-chat")
        with old.turn("c") as turn:
            getattr(one, ends)()
            with new.turn("c") as newer:
                assert newer.epoch == turn.epoch
                new.add_message("c", CHAT.user("hi"))
                two.commit()
                with pytest.raises(StaleTurnError):
                    old.add_message("c", CHAT.user("late"))
                one.rollback()
        assert stored(two) == [CHAT.user("hi")]


def test_what_a_released_savepoint_wrote_goes_with_the_transaction(database: Database) -> None:
    create(database.engine)
    with Session(database.engine) as session, Session(database.engine) as other:
        repository = ChatRepository(session, "openai-chat")
        repository.add_message("c", CHAT.user("hi"))
        session.commit()
        repository.add_message("c", CHAT.user("and"))
        with session.begin_nested():
            repository.add_message("c", CHAT.calls("a"))
        session.close()
        ChatRepository(other, "openai-chat").add_messages("c", [CHAT.text("1"), CHAT.text("2")])
        other.commit()
        repository.add_message("c", CHAT.user("so?"))
        assert [row["content"] for row in stored(session)] == ["hi", "1", "2", "so?"]
