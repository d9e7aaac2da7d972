"""ChatRepository: whatever is written, in whatever pieces, is what `repair` gives, in the rows."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from endmark import (
    ContradictionError,
    Policy,
    StaleTurnError,
    StepLimitError,
    StoreError,
    UnreadableError,
    check,
    repair,
)
from endmark.guard import ChatRepository, Repair, tables
from endmark.stores._store import Store
from fix_databases import Database
from guard_messages import (
    ANTHROPIC,
    CASES,
    CHAT,
    Message,
    Talk,
    create,
    stored,
    text_part,
    tool_part,
    ui,
)

TALKS = pytest.mark.parametrize("talk", [CHAT, ANTHROPIC], ids=lambda talk: talk.format)


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    create(database.engine)
    with Session(database.engine) as session:
        yield session


def written(repository: ChatRepository, messages: list[Message]) -> list[Message]:
    for message in messages:
        repository.add_message("c", message)
    return stored(repository.session)


def is_sound(history: list[Message], format: str) -> bool:
    return check(history, format) == ()


# -- law 11: guard, view and memory give the same payload --------------------------------------


@pytest.mark.parametrize("how", ["one by one", "at once", "turn", "persist"])
def test_cases_are_stored_as_repair_gives_them(session: Session, how: str) -> None:
    for case in CASES:
        name, history = case["id"], case["history"]
        repository = ChatRepository(session, case["format"])
        if how == "one by one":
            for message in history:
                repository.add_message(name, message)
            repository.finalize(name)
        elif how == "at once":
            repository.add_messages(name, history)
            repository.finalize(name)
        elif how == "persist":
            repository.persist(name, history)
        else:
            with repository.turn(name):
                for message in history:
                    repository.add_message(name, message)
        expected = repair(history, case["format"])
        assert stored(session, name) == expected, name
        assert repository.history(name) == expected, name


def test_cases_reread_between_every_two_messages(session: Session) -> None:
    for case in CASES:
        name = case["id"]
        for message in case["history"]:
            repository = ChatRepository(session, case["format"])
            repository.add_message(name, message)
            assert is_sound(repository.history(name), case["format"]), name
            session.commit()
        ChatRepository(session, case["format"]).finalize(name)
        assert stored(session, name) == repair(case["history"], case["format"]), name


def talk_of(dice: random.Random, talk: Talk) -> list[Message]:
    """Make a talk in which everything comes at the wrong time."""
    history: list[Message] = []
    asked: list[str] = []
    for n in range(dice.randint(2, 9)):
        kind = dice.choice(["user", "text", "calls", "result", "result"])
        if kind == "calls":
            ids = [f"c{n}_{k}" for k in range(dice.randint(1, 3))]
            asked += ids
            history.append(talk.calls(*ids))
        elif kind == "result" and asked:
            history.append(talk.result(dice.choice(asked[-4:]), f"r{n}"))
        else:
            history.append((talk.text if kind == "text" else talk.user)(f"m{n}"))
    return history


@TALKS
def test_talks_in_any_order(session: Session, talk: Talk) -> None:
    for seed in range(100):
        dice = random.Random(seed)
        history = talk_of(dice, talk)
        repository = ChatRepository(session, talk.format)
        for message in history:
            repository.add_message(seed, message)
            if dice.random() < 0.3:  # the next one finds out for itself
                session.info.clear()
                repository = ChatRepository(session, talk.format)
        repository.finalize(seed)
        assert stored(session, str(seed)) == repair(history, talk.format), seed


# -- own message and next message formats ------------------------------------------------------


@TALKS
def test_a_message_behind_open_calls_closes_them_first(session: Session, talk: Talk) -> None:
    rows = written(
        ChatRepository(session, talk.format),
        [talk.calls("a", "b"), talk.result("a"), talk.user("hi")],
    )
    assert is_sound(rows, talk.format)
    assert rows == repair([talk.calls("a", "b"), talk.result("a"), talk.user("hi")], talk.format)


@TALKS
def test_a_late_result_takes_the_place_of_its_marker(session: Session, talk: Talk) -> None:
    rows = written(
        ChatRepository(session, talk.format),
        [talk.calls("a"), talk.user("still there?"), talk.result("a", "late")],
    )
    assert rows == [talk.calls("a"), talk.result("a", "late"), talk.user("still there?")]


def test_media_may_come_between_results(session: Session) -> None:
    image = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}
    rows = written(
        ChatRepository(session, "openai-chat"),
        [CHAT.calls("a", "b"), CHAT.result("a"), image, CHAT.result("b", "two")],
    )
    assert rows == [CHAT.calls("a", "b"), CHAT.result("a"), CHAT.result("b", "two"), image]


@TALKS
def test_open_calls_of_a_running_turn_stay_open(session: Session, talk: Talk) -> None:
    assert written(
        ChatRepository(session, talk.format), [talk.calls("a", "b"), talk.result("a")]
    ) == [
        talk.calls("a", "b"),
        talk.result("a"),
    ]


def test_what_the_policy_leaves_pending_stays_until_a_user_speaks(session: Session) -> None:
    policy = Policy(pending_tools={"look"})
    repository = ChatRepository(session, "openai-chat", policy=policy)
    with repository.turn("c"):
        repository.add_message("c", CHAT.calls("a"))
    assert stored(session) == [CHAT.calls("a")]
    session.commit()
    rows = written(ChatRepository(session, "openai-chat", policy=policy), [CHAT.user("go on")])
    assert len(rows) == 3
    assert is_sound(rows, "openai-chat")


def test_many_rows_stay_in_order(session: Session) -> None:
    repository = ChatRepository(session, "openai-chat")
    expected = []
    for k in range(30):
        turn = [CHAT.user(str(k)), CHAT.calls(f"c{k}"), CHAT.result(f"c{k}"), CHAT.text("ok")]
        expected += turn
        repository.add_messages("c", turn)
    late = [CHAT.calls("x", "y"), CHAT.user("stop"), CHAT.result("y", "late")]
    for message in late:
        ChatRepository(session, "openai-chat").add_message("c", message)
    expected = repair(expected + late, "openai-chat")
    assert stored(session) == expected == repository.history("c")


# -- inline formats ----------------------------------------------------------------------------


def test_an_inline_message_is_finalized_before_it_is_written(session: Session) -> None:
    rows = written(ChatRepository(session, "ai-sdk"), [ui("m", tool_part("a"))])
    assert rows[0]["parts"][0]["state"] == "output-error"


def test_a_streaming_checkpoint_is_rewritten_in_its_row(session: Session) -> None:
    repository = ChatRepository(session, "ai-sdk")
    with repository.turn("c"):
        for text in ("a", "ab", "abc"):
            message = ui("m", text_part(text), tool_part("t", "input-streaming"))
            repository.add_message("c", message, turn="open")
            assert stored(session) == [message]
    [row] = stored(session)
    assert row["parts"][0]["text"] == "abc"
    assert row["parts"][1]["state"] == "output-error"


def test_inline_writes_read_nothing(session: Session) -> None:
    repository = ChatRepository(session, "ai-sdk")
    repository.add_message("c", ui("m0", text_part("hi"), role="user"))
    with statements(session) as seen:
        repository.add_message("c", ui("m1", tool_part("a")))
        repository.add_message("c", ui("m2", text_part("hi"), role="user"))
    assert not [sql for sql in seen if "payload" in sql and not sql.startswith("INSERT")]


class statements:  # noqa: N801
    """Collect the statements that a session sends."""

    def __init__(self, session: Session) -> None:
        self.engine = session.get_bind()
        self.seen: list[str] = []

    def __enter__(self) -> list[str]:
        sa.event.listen(self.engine, "before_cursor_execute", self._hear)
        return self.seen

    def _hear(self, _c: Any, _cursor: Any, sql: str, *_: Any) -> None:
        self.seen.append(sql)

    def __exit__(self, *_: object) -> None:
        sa.event.remove(self.engine, "before_cursor_execute", self._hear)


@TALKS
def test_a_healthy_turn_reads_one_tail(session: Session, talk: Talk) -> None:
    ChatRepository(session, talk.format).add_message("c", talk.text("before"))
    session.commit()
    repository = ChatRepository(session, talk.format)
    with statements(session) as seen, repository.turn("c"):
        for k in range(5):
            repository.add_message("c", talk.user("go"))
            repository.add_message("c", talk.calls(f"a{k}", f"b{k}"))
            repository.add_message("c", talk.result(f"a{k}") if talk is CHAT else both(k))
            if talk is CHAT:
                repository.add_message("c", talk.result(f"b{k}"))
            session.commit()
    reads = [sql for sql in seen if sql.startswith("SELECT") and "payload" in sql]
    assert len(reads) <= 1, reads


def both(k: int) -> Message:
    a, b = ANTHROPIC.result(f"a{k}"), ANTHROPIC.result(f"b{k}")
    return {"role": "user", "content": a["content"] + b["content"]}


# -- turns -------------------------------------------------------------------------------------


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


# -- the session is the caller's ---------------------------------------------------------------


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


@pytest.mark.parametrize(
    "message",
    ["text", None, [], 5, {}, {"role": "user", "content": object()},
     {"role": "assistant", "tool_calls": 5}, {"role": "user", "content": float("nan")}],
    ids=str,
)  # fmt: skip
def test_what_is_no_message_is_not_written(session: Session, message: Any) -> None:
    repository = ChatRepository(session, "openai-chat")
    for write in (repository.add_message, lambda c, m: repository.persist(c, [m])):
        with pytest.raises(UnreadableError):
            write("c", message)
    assert stored(session) == []


# -- persist -----------------------------------------------------------------------------------


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


# -- truncate, delete, views -------------------------------------------------------------------


@TALKS
@pytest.mark.parametrize("after", range(-1, 4))
def test_truncate_leaves_no_half_pair(session: Session, talk: Talk, after: int) -> None:
    history = [talk.user("go"), talk.calls("a"), talk.result("a"), talk.text("done")]
    repository = ChatRepository(session, talk.format)
    repository.persist("c", history)
    repository.truncate("c", after=after)
    assert stored(session) == repair(history[: after + 1], talk.format)
    repository.add_message("c", talk.user("again"))
    assert is_sound(stored(session), talk.format)


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


@TALKS
def test_the_view_may_start_at_a_user(session: Session, talk: Talk) -> None:
    repository = ChatRepository(session, talk.format)
    rows = [talk.calls("a"), talk.result("a"), talk.user("hi"), talk.calls("b")]
    for row in rows:
        repository.add_message("c", row)
    assert repository.history("c", start_at_user=True) == repair(rows[2:], talk.format)
    assert stored(session) == rows


# -- reports -----------------------------------------------------------------------------------


def test_each_repaired_call_is_told_once(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[Repair] = []
    repository = ChatRepository(session, "openai-chat", on_repair=told.append)
    with caplog.at_level(logging.INFO, "endmark"):
        repository.add_messages("c", [CHAT.calls("a", "b"), CHAT.user("my secret")])
    assert [(r.conversation_id, r.kind.value, r.call_id, r.tool_name) for r in told] == [
        ("c", "dangling", "a", "look"),
        ("c", "dangling", "b", "look"),
    ]
    assert [record.levelname for record in caplog.records] == ["INFO", "INFO"]
    assert "secret" not in caplog.text


# -- writers side by side ----------------------------------------------------------------------


def in_threads(work: Callable[[int], None], count: int) -> None:
    errors: list[BaseException] = []

    def run(k: int) -> None:
        try:
            work(k)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@TALKS
@pytest.mark.parametrize("writers", [2, 16])
def test_writers_side_by_side_lose_nothing(database: Database, talk: Talk, writers: int) -> None:
    create(database.engine)
    engine = sa.create_engine(
        database.url,
        pool_size=writers,
        connect_args={"timeout": 60} if database.name == "sqlite" else {},
    )

    def work(k: int) -> None:
        for n in range(3):
            for message in (
                talk.user(f"{k}/{n}"),
                talk.calls(f"a{k}_{n}"),
                talk.result(f"a{k}_{n}"),
            ):
                with Session(engine) as session, session.begin():
                    ChatRepository(session, talk.format).add_message("c", message)

    in_threads(work, writers)
    with Session(engine) as session:
        rows = stored(session)
        assert is_sound(rows, talk.format)
        for k in range(writers):
            for n in range(3):
                assert talk.user(f"{k}/{n}") in rows
                assert sum(f"a{k}_{n}'" in str(row) and "found" in str(row) for row in rows) == 1
        numbers = session.scalars(sa.select(tables.Message.seq)).all()
        assert len(set(numbers)) == len(numbers)
    engine.dispose()


# -- people's own tables -----------------------------------------------------------------------

OWN = {
    "shared id": ("id INTEGER PRIMARY KEY{auto}, thread TEXT, body TEXT", "id"),
    "sequence": ("id TEXT PRIMARY KEY, thread TEXT, n INTEGER, body {json}", "n"),
    "time": ("id TEXT PRIMARY KEY, thread TEXT, at TIMESTAMP, body TEXT", "at"),
}


@pytest.mark.parametrize("kind", OWN)
def test_peoples_own_tables(database: Database, kind: str) -> None:
    columns, order = OWN[kind]
    postgresql = database.name == "postgresql"
    auto = " GENERATED BY DEFAULT AS IDENTITY" if postgresql else ""
    ddl = columns.format(auto=auto, json="JSONB" if postgresql else "JSON")
    with database.engine.begin() as connection:
        connection.execute(sa.text(f"CREATE TABLE line ({ddl})"))
    store = Store(
        format="openai-chat", table="line", conversation="thread", order=order, payload="body"
    )
    messages = [CHAT.user("go"), CHAT.calls("a"), CHAT.user("hm"), CHAT.result("a", "late")]
    with Session(database.engine) as session:
        repository = ChatRepository(session, store)
        for message in messages:
            repository.add_message("t", message)
            session.commit()
        with repository.turn("t"):
            repository.add_message("t", CHAT.calls("b"))
        assert repository.history("t") == repair([*messages, CHAT.calls("b")], "openai-chat")
        assert repository.conversations() == ["t"]
        found = session.execute(sa.text(f"SELECT body FROM line ORDER BY {order}")).all()
        assert len(found) == 6


def test_a_wrong_store_is_refused(session: Session) -> None:
    with pytest.raises(StoreError, match="openai-chat"):
        ChatRepository(session, "no-such-format")
    store = Store(format="openai-chat", table="nowhere", conversation="c", order="o", payload="p")
    with pytest.raises(StoreError, match="nowhere"):
        ChatRepository(session, store).history("c")
