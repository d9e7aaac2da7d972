"""Tables whose calls lie beside the payload: a guard would lose their results, so it refuses them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session, declarative_base, registry, relationship, sessionmaker

from endmark import StoreError
from endmark.guard import ChatRepository, guard
from endmark.stores import Store, get
from fix_databases import Database

MAPPING: dict[str, Any] = {
    "conversation": "thread_id", "order": "id", "role": "role", "payload": "content",
    "format": "openai-chat",
}  # fmt: skip
STORE = Store(**{**MAPPING, "table": "line"})
TURN: list[dict[str, Any]] = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "a"}]},
    {"role": "tool", "content": "42", "tool_call_id": "a"},
    {"role": "user", "content": "more"},
]


def model(*names: str) -> Any:
    """Make a mapped class with these attributes beside the usual ones; `a=b`: its column is b."""
    more = {
        name.partition("=")[0]: sa.Column(name.partition("=")[2] or name, sa.JSON) for name in names
    }
    usual = {name: sa.Column(sa.Text) for name in ("thread_id", "role", "content")}
    key = {"id": sa.Column(sa.Integer, primary_key=True)}
    return type("Line", (declarative_base(),), {"__tablename__": "line"} | key | usual | more)


BESIDE = [
    (("tool_calls", "tool_call_id"), "tool_calls, tool_call_id"),
    (("tool_calls",), "tool_calls"),
    (("tool_call_id",), "tool_call_id"),
    (("toolCalls", "toolCallId"), "toolCalls, toolCallId"),
    (("function_call",), "function_call"),
    (("tool_invocations",), "tool_invocations"),
    (("calls=tool_calls",), "tool_calls"),
    (("tool_calls=c1",), "tool_calls"),
]


@pytest.mark.parametrize("format", ["openai-chat", "anthropic", "ai-sdk"])
@pytest.mark.parametrize(("names", "told"), BESIDE, ids=str)
def test_calls_in_columns_are_refused_at_once(
    names: tuple[str, ...], told: str, format: str
) -> None:
    with pytest.raises(StoreError, match=f"keeps {told} beside content") as caught:
        guard(sessionmaker(), model(*names), **{**MAPPING, "format": format})
    assert all(way in str(caught.value) for way in ("heal-db", "`fields`", "ChatRepository"))


def test_calls_in_a_table_of_their_own_are_refused() -> None:
    base = registry().generate_base()

    class Line(base):  # type: ignore[valid-type, misc]
        __tablename__ = "line"
        id = sa.Column(sa.Integer, primary_key=True)
        thread_id, role, content = sa.Column(sa.Text), sa.Column(sa.Text), sa.Column(sa.Text)
        tool_calls = relationship("Asked")

    class Asked(base):  # type: ignore[valid-type, misc]
        __tablename__ = "asked"
        id = sa.Column(sa.Integer, primary_key=True)
        line = sa.Column(sa.ForeignKey(Line.id))

    with pytest.raises(StoreError, match="keeps tool_calls beside content"):
        guard(sessionmaker(), Line, **MAPPING)


ACCEPTED = [
    pytest.param(model("tokens", "tools"), {}, id="columns that hold no calls"),
    pytest.param(model("tool_call_id"), {"role": None}, id="whole messages, a part repeated"),
    pytest.param(model("tool_calls"), {"payload": "tool_calls", "format": "ai-sdk"}, id="payload"),
]


def test_attributes_say_what_their_names_say() -> None:
    cls = model("calls=body")
    told = {"conversation": "thread_id", "order": ["id"], "payload": "calls", "role": "role"}
    themselves = {
        what: [cls.id] if name == ["id"] else getattr(cls, str(name)) for what, name in told.items()
    }
    for given in (told, themselves, {**themselves, "order": cls.id}):
        handle = guard(sessionmaker(), cls, format="openai-chat", **given)
        assert handle.store == replace(STORE, name="Line", payload="body", key=("id",))
        handle.remove()


@pytest.mark.parametrize(("cls", "more"), ACCEPTED)
def test_what_holds_nothing_beside_is_guarded(cls: Any, more: dict[str, Any]) -> None:
    guard(sessionmaker(), cls, **{**MAPPING, **more}).remove()


FIELDS = replace(STORE, payload="", fields={"content": "content", "tool_calls": "tool_calls"})
ONE_ROW = {"conversation": "id", "payload": "content", "format": "openai-chat"}
TWICE = type(
    "Twice",
    (declarative_base(),),
    {"__tablename__": "twice", "id": sa.Column(sa.Integer, primary_key=True)}
    | {"thread_id": sa.Column(sa.Text, unique=True), "content": sa.Column(sa.JSON)},
)
REFUSED: list[Any] = [
    pytest.param(FIELDS, {}, "several columns", id="fields"),
    pytest.param(get("hermes"), {}, "several columns", id="a known store of fields"),
    pytest.param(get("opencode"), {}, "one message a row", id="parts"),
    pytest.param(replace(STORE, layout="list"), {}, "one message a row", id="list"),
    pytest.param(get("adk-v0"), {}, "schema v0", id="left alone"),
    pytest.param(
        model(), {**MAPPING, "fields": {"content": "content"}}, "takes no fields", id="kw"
    ),
    pytest.param(model(), {**MAPPING, "json": ["content"]}, "takes no json", id="json"),
    pytest.param(
        model(),
        {**MAPPING, "order": "idd"},
        r"column idd \(id\?\); its columns are .*role",
        id="odd",
    ),
    pytest.param(model(), {**MAPPING, "payload": "zzz"}, "zzz; its columns are", id="none like it"),
    pytest.param(
        model(), {"format": "ai-sdk"}, "needs conversation, payload too", id="nothing told"
    ),
    pytest.param(model(), ONE_ROW, "one row for each id, so content holds whole", id="list column"),
    pytest.param(
        model(), {**ONE_ROW, "format": "ai-sdk"}, "give conversation= what", id="inline list"
    ),
    pytest.param(
        TWICE,
        {**ONE_ROW, "conversation": ("thread_id",)},
        "one row for each thread_id",
        id="unique",
    ),
    pytest.param(
        model(), {**ONE_ROW, "conversation": ["thread_id", "id"]}, "one row", id="key and more"
    ),
    pytest.param(model(), {**MAPPING, "payloads": "content"}, r"payload\?", id="misspelt"),
]


@pytest.mark.parametrize("on_engine", [False, True], ids=["sessions", "engine"])
@pytest.mark.parametrize(("store", "more", "told"), REFUSED)
def test_what_cannot_be_guarded_is_said_at_once(
    store: Any, more: dict[str, Any], told: str, on_engine: bool
) -> None:
    engine = sa.create_engine("sqlite://")
    with pytest.raises(StoreError, match=told):
        guard(engine if on_engine else sessionmaker(engine), store, **more)
    engine.dispose()


@pytest.mark.parametrize("names", [("tool_calls", "tool_call_id"), ("asked", "answers")], ids=str)
@pytest.mark.parametrize("target", ["sessions", "engine", "repository"])
def test_no_real_result_is_lost_of_a_described_table(
    database: Database, names: tuple[str, str], target: str
) -> None:
    """A store is described without its columns: the first write that would lose a row raises."""
    cls = model(*names)
    cls.metadata.create_all(database.engine)
    with Session(database.engine) as session, session.begin():
        session.add_all([row_of(cls, names, message) for message in TURN[:3]])
    factory = sessionmaker(database.engine)
    if target != "repository":
        guard(factory if target == "sessions" else database.engine, STORE)
    with factory() as session:
        with pytest.raises(StoreError, match="heal-db heals such a table"):
            write(session, cls, names, target)
        session.rollback()
        found = session.connection().exec_driver_sql("SELECT content FROM line ORDER BY id")
        assert list(found.scalars()) == ["go", "", "42"]


def write(session: Session, cls: Any, names: tuple[str, str], target: str) -> None:
    """Write another result and go on, as an application would."""
    if target == "repository":
        ChatRepository(session, STORE).finalize("t")
        return
    for message in (TURN[2] | {"content": "43"}, TURN[3]):
        session.add(row_of(cls, names, message))
        session.flush()


def row_of(cls: Any, names: tuple[str, str], message: dict[str, Any]) -> Any:
    given = dict(zip(names, map(message.get, ("tool_calls", "tool_call_id")), strict=True))
    return cls(thread_id="t", role=message["role"], content=message["content"], **given)


# Whole messages, their role in them: what lies beside each, by the column; what a result lacks.
ASKED = [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
ANSWER = {"role": "tool", "tool_call_id": "a", "content": "42"}
WHOLE: list[Any] = [
    pytest.param({"tool_calls": ASKED}, ANSWER, "keeps tool_calls beside", id="by name"),
    pytest.param({"calls": ASKED}, ANSWER, "keeps calls beside", id="calls"),
    pytest.param({"asks": ASKED}, ANSWER, "keeps asks beside", id="by what it holds"),
    pytest.param({"meta": {"tool_calls": ASKED}}, ANSWER, "keeps meta beside", id="further down"),
    pytest.param({}, ANSWER, "not one of the calls", id="in no column of the table"),
    pytest.param(
        {"tool_call_id": "a"}, {**ANSWER, "tool_call_id": None}, "keeps tool_call_id", id="its id"
    ),
]


@pytest.mark.parametrize("target", ["sessions", "engine", "repository"])
@pytest.mark.parametrize(("beside", "answer", "told"), WHOLE)
def test_no_real_result_is_lost_beside_whole_messages(
    database: Database, beside: dict[str, Any], answer: dict[str, Any], told: str, target: str
) -> None:
    base = declarative_base()
    columns = {name: sa.Column(sa.JSON) for name in ("body", *beside)}
    key = {"id": sa.Column(sa.Integer, primary_key=True), "thread_id": sa.Column(sa.Text)}
    cls = type("Line", (base,), {"__tablename__": "line"} | key | columns)
    base.metadata.create_all(database.engine)
    history = [{"role": "user", "content": "go"}, {"role": "assistant", "content": "so"}, answer]
    more: list[dict[str, Any]] = [{}, beside, {}]
    if "tool_call_id" in beside:
        more.reverse()
    with Session(database.engine) as session, session.begin():
        for message, given in zip(history, more, strict=True):
            session.add(cls(thread_id="t", body=message, **given))
            session.flush()
    store = Store(**{**MAPPING, "role": None, "payload": "body", "table": "line"})
    factory = sessionmaker(database.engine)
    if target != "repository":
        guard(factory if target == "sessions" else database.engine, store)
    with factory() as session:
        with pytest.raises(StoreError, match=f"{told}.*Nothing was taken out"):
            go_on(session, cls, store if target == "repository" else None)
        session.rollback()
        kept = session.execute(sa.select(cls.__table__.c.body).order_by(cls.__table__.c.id))
        assert list(kept.scalars()) == history


def go_on(session: Session, cls: Any, store: Store | None) -> None:
    if store is not None:
        ChatRepository(session, store).add_message("t", TURN[3])
        return
    session.add(cls(thread_id="t", body=TURN[3]))
    session.flush()


def test_a_true_orphan_goes_where_calls_are_seen_or_said_to_be_gone(database: Database) -> None:
    with database.engine.begin() as connection:
        key = "SERIAL" if database.name == "postgresql" else "INTEGER"
        connection.exec_driver_sql(f"CREATE TABLE line (id {key} PRIMARY KEY, t TEXT, body JSON)")
    described: dict[str, Any] = {"format": "openai-chat", "table": "line", "conversation": "t"}
    store = Store(**described, order="id", payload="body")
    words = {"role": "assistant", "content": "so"}
    seen: list[Any] = []
    with Session(database.engine) as session, session.begin():
        chat = ChatRepository(session, replace(store, calls_gone=True), on_repair=seen.append)
        chat.add_messages("gone", [TURN[0], words, ANSWER, TURN[3]])
        assert chat.history("gone") == [TURN[0], words, TURN[3]]
        chat = ChatRepository(session, store, on_repair=seen.append)
        asked = {"role": "assistant", "content": None, "tool_calls": ASKED}
        chat.add_messages("sound", [TURN[0], asked, ANSWER])
        chat.add_messages("seen", [TURN[0], words, ANSWER, TURN[3]])
        assert chat.history("seen") == [TURN[0], words, TURN[3]]
    assert [repair.dropped for repair in seen] == [("42",), ("42",)]
