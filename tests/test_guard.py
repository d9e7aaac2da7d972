"""ChatRepository: whatever is written, in whatever pieces, is what `repair` gives, in the rows."""

from __future__ import annotations

import json
import logging
import random
import traceback
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from endmark import (
    Policy,
    StoreError,
    UnreadableError,
    repair,
)
from endmark.guard import ChatRepository, Repair
from endmark.stores._store import Store
from fix_databases import Database
from fix_guard import TALKS, is_sound, statements, written
from guard_messages import (
    ANTHROPIC,
    CASES,
    CHAT,
    Message,
    Talk,
    stored,
    text_part,
    tool_part,
    ui,
)

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


@pytest.mark.parametrize(
    "message",
    ["text", None, [], 5, {}, {"role": "user", "content": object()},
     {"role": "assistant", "tool_calls": 5}, {"role": "user", "content": float("nan")}],
    ids=lambda message: str(message).partition(" at 0x")[0],  # the same in every process
)  # fmt: skip
def test_what_is_no_message_is_not_written(session: Session, message: Any) -> None:
    repository = ChatRepository(session, "openai-chat")
    for write in (repository.add_message, lambda c, m: repository.persist(c, [m])):
        with pytest.raises(UnreadableError):
            write("c", message)
    assert stored(session) == []


UNWRITABLE = {
    "NUL": "SECRET\0",
    "half a pair": "SECRET\ud800",
    "the other half": {"\udc00": "SECRET"},
}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_jsonb_does_not_take_is_said_before_it_is_asked(session: Session, name: str) -> None:
    """A TEXT or JSON column has it escaped, and gives it back."""
    odd = CHAT.result("a", UNWRITABLE[name])
    strict = session.get_bind().dialect.name == "postgresql"
    repository = ChatRepository(session, "openai-chat")
    for conversation, write in {
        "one": lambda c: repository.add_message(c, odd),
        "many": lambda c: repository.add_messages(c, [CHAT.user("more"), odd]),
        "whole": lambda c: repository.persist(c, [CHAT.user("go"), CHAT.calls("a"), odd]),
    }.items():
        with repository.turn(conversation):
            repository.add_messages(conversation, [CHAT.user("go"), CHAT.calls("a")])
            if not strict:
                write(conversation)
                continue
            place = {"one": 0, "many": 1, "whole": 2}[conversation]
            with pytest.raises(UnreadableError, match=f"message {place} .*replace") as caught:
                write(conversation)
            assert "SECRET" not in str(caught.value)
        assert is_sound(
            stored(session, conversation), "openai-chat"
        )  # the turn is whole, and closed
    whole = [CHAT.user("go"), CHAT.calls("a"), odd]
    assert (stored(session, "whole") == whole) is not strict


TAKES = [  # a column, its type, what it is to hold, and whether PostgreSQL takes it, and SQLite
    ("body", "TEXT", "\0", True, True),
    ("body", "TEXT", "\ud83d", True, True),
    ("body", "JSON", "\0", True, True),
    ("body", "JSON", "\ud83d", True, True),
    ("body", "JSONB", "\0", False, True),
    ("body", "JSONB", "\ud83d", False, True),
    ("body", "JSONB", "\ud83d\ude00", True, True),  # two halves in a row are a pair in JSON
    ("body", "JSONB", "\\u0000", True, True),  # the words for it
    ("thread", "JSONB", "\0", False, True),
    ("thread", "JSONB", "\ud83d", False, False),
]


@pytest.mark.parametrize(("column", "type_", "odd", "postgresql", "sqlite"), TAKES)
def test_each_column_takes_what_it_takes(
    database: Database, column: str, type_: str, odd: str, postgresql: bool, sqlite: bool
) -> None:
    auto = " GENERATED BY DEFAULT AS IDENTITY" if database.name == "postgresql" else ""
    ddl = f"CREATE TABLE line (id INTEGER PRIMARY KEY{auto}, thread TEXT, body {type_})"
    with database.engine.begin() as connection:
        connection.execute(sa.text(ddl))
    store = Store(
        format="openai-chat", table="line", conversation="thread", order="id", payload="body"
    )
    given = {"thread": "t", "body": "words"}
    given[column] += odd
    message = CHAT.user(given["body"])
    with Session(database.engine) as session:
        repository = ChatRepository(session, store)
        if postgresql if database.name == "postgresql" else sqlite:
            repository.add_message(given["thread"], message)
            assert repository.history(given["thread"]) == [json.loads(json.dumps(message))]
        else:
            with pytest.raises((UnreadableError, StoreError), match="it holds"):
                repository.add_message(given["thread"], message)
        repository.add_message("u", CHAT.user("sound"))  # the transaction is whole


def test_what_the_database_refuses_tells_no_content(session: Session) -> None:
    session.execute(sa.text("CREATE UNIQUE INDEX one ON endmark_message (payload)"))
    repository = ChatRepository(session, "openai-chat")
    secret = CHAT.user("mysecret")
    repository.add_message("c", secret)
    with pytest.raises(sa.exc.IntegrityError) as caught, session.begin_nested():
        repository.add_message("d", secret)
    told = "".join(traceback.format_exception(caught.value))
    assert "one" in told or "payload" in told
    assert "mysecret" not in told


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


TAKEN: dict[str, tuple[list[Message], list[tuple[str, tuple[str, ...]]]]] = {
    "an orphan": ([CHAT.result("x", "1")], [("orphan", ("1",))]),
    "orphans of one id": (
        [CHAT.result("x", "1"), CHAT.result("x", "2")], [("orphan", ("1", "2"))]),
    "a second result": (
        [CHAT.calls("a"), CHAT.result("a", "1"), CHAT.result("a", "2")], [("duplicate", ("2",))]),
    "an open call": ([CHAT.calls("a")], [("dangling", ())]),
}  # fmt: skip
KEPT = Policy(orphans="text", late="keep")


@pytest.mark.parametrize("policy", [Policy(), KEPT], ids=["dropped", "kept as text"])
@pytest.mark.parametrize("name", TAKEN)
def test_what_is_taken_out_is_told(session: Session, name: str, policy: Policy) -> None:
    history, expected = TAKEN[name]
    if policy is KEPT:
        expected = [(kind, ()) for kind, _ in expected]
    told: list[Repair] = []
    repository = ChatRepository(session, "openai-chat", on_repair=told.append, policy=policy)
    written(repository, [CHAT.user("hi"), *history, CHAT.user("more")])
    kinds = list(dict.fromkeys((one.kind.value, one.dropped) for one in told))
    assert kinds == expected  # words that are kept are told as each is written
    assert "dropped" not in repr(told)


def test_an_orphan_stays_as_long_as_its_call_may_come(session: Session) -> None:
    repository = ChatRepository(session, "openai-chat")
    orphan = CHAT.result("x", "its words")
    assert written(repository, [CHAT.user("hi"), orphan]) == [CHAT.user("hi"), orphan]
    assert written(repository, [CHAT.user("more")]) == [CHAT.user("hi"), CHAT.user("more")]


def test_the_words_of_an_orphan_may_stay(session: Session) -> None:
    repository = ChatRepository(session, "openai-chat", policy=Policy(orphans="text"))
    left = written(repository, [CHAT.user("hi"), CHAT.result("x", "its words"), CHAT.user("more")])
    assert [m["role"] for m in left] == ["user"] * 3
    assert "its words" in left[1]["content"]
