"""Law 11 behind the guard of an engine: each statement leaves what `repair` would leave."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import assume, given
from hypothesis import strategies as st

from abstract import Ask
from building import BUILDERS, builder, damaged
from endmark import formats
from endmark.guard import guard
from endmark.guard._tail import settled
from endmark.history import examine
from endmark.model import Shape
from endmark.stores import Store
from guard_messages import Message
from judging import violations
from test_guard_laws import FAR, LAWS, NUMBERS, after, is_told, kinds

pytestmark = pytest.mark.slow

FORMATS = [name for name in sorted(BUILDERS) if formats.get(name).shape is not Shape.INLINE]
WITH_SYSTEM = [name for name in FORMATS if hasattr(builder(name), "system")]
CHAT = sa.Table(
    "chat",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("thread", sa.String, index=True),
    sa.Column("body", sa.JSON),
)


@pytest.fixture(scope="module", params=FORMATS)
def guarded(request: pytest.FixtureRequest) -> Iterator[tuple[sa.Engine, str]]:
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    CHAT.metadata.create_all(engine)
    guard(
        engine,
        Store(
            format=request.param, table="chat", conversation="thread", order="id", payload="body"
        ),
    )
    yield engine, request.param
    engine.dispose()


def stored(connection: sa.Connection, thread: str) -> list[Message]:
    query = sa.select(sa.cast(CHAT.c.body, sa.Text)).where(CHAT.c.thread == thread)
    return [json.loads(text) for text in connection.scalars(query.order_by(CHAT.c.id))]


def rows(thread: str, messages: list[Message]) -> list[dict[str, Any]]:
    return [{"thread": thread, "body": message} for message in messages]


@given(data=st.data())
@LAWS
def test_each_statement_leaves_what_repair_would(
    guarded: tuple[sa.Engine, str], data: st.DataObject
) -> None:
    engine, name = guarded
    history = data.draw(damaged(name))
    assume(is_told(history) and not FAR & kinds(history, name))
    thread = str(next(NUMBERS))
    expected: list[Message] = []
    for message in history:
        expected = after(expected, message, name)
        assume(not FAR & kinds(expected, name))
        with engine.begin() as connection:
            connection.execute(sa.insert(CHAT), rows(thread, [message]))
            assert stored(connection, thread) == expected


@given(data=st.data())
@LAWS
def test_many_rows_at_once_leave_nothing_to_repair(
    guarded: tuple[sa.Engine, str], data: st.DataObject
) -> None:
    engine, name = guarded
    history = data.draw(damaged(name))
    if name in WITH_SYSTEM and data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(history)))
        history = [*history[:at], *builder(name).system("be brief"), *history[at:]]
    assume(is_told(history) and not FAR & kinds(history, name))
    parts = []
    while history:
        count = data.draw(st.integers(1, 4))
        parts.append(history[:count])
        history = history[count:]
    assert_nothing_is_left(engine, name, parts)


def assert_nothing_is_left(
    engine: sa.Engine, name: str, parts: list[list[Message]]
) -> list[Message]:
    """Write each part by one statement, and see that it leaves nothing to repair; give the rows."""
    thread, found = str(next(NUMBERS)), []
    with engine.begin() as connection:
        for part in parts:
            connection.execute(sa.insert(CHAT).values(rows(thread, part)))
            found = stored(connection, thread)
            left = examine(found, formats.get(name), turn="open")
            assert settled(left, "open")[0].edits == ()
    return found


# -- what is easily missed: a message of nobody's turn, a result of an earlier turn ---------------

PARTS = {  # c, d, ? and 2 (twice) call, 1 is the result of c, s a system message, u the user, a the assistant
    "the user in the next statement": ["cs", "u"],
    "the assistant in the next statement": ["cs", "a"],
    "a call in the next statement": ["cs", "d"],
    "another in between": ["cs", "s", "a"],
    "two in one": ["ucs", "sa"],
    "a result behind it": ["cs1", "a"],
    "a result in the next statement": ["cs", "1", "a"],
    "a call without an id": ["?s", "a"],
    "a call without an id, then the user": ["u", "?", "u"],
    "a late result behind a call without an id": ["c", "u", "?", "1"],
    "a second result behind two calls without an id": ["uc1", "u", "2", "1"],
}
CASES = [
    (name, case)
    for name in FORMATS
    for case, parts in PARTS.items()
    if name in WITH_SYSTEM or "s" not in "".join(parts)
]


@pytest.mark.parametrize(("guarded", "case"), CASES, indirect=["guarded"])
def test_what_is_easily_missed_leaves_nothing_to_repair(
    guarded: tuple[sa.Engine, str], case: str
) -> None:
    engine, name = guarded
    made = builder(name)
    says = {
        "c": lambda: made.assistant("", calls=(Ask("call_1"),)),
        "d": lambda: made.assistant("", calls=(Ask("call_2"),)),
        "?": lambda: made.assistant("", calls=(Ask(""),)),
        "2": lambda: made.assistant("", calls=(Ask(""), Ask("", "save"))),
        "1": lambda: made.answers(((Ask("call_1"), "found"),)),
        "s": lambda: made.system("be brief"),
        "u": lambda: made.user("hi"),
        "a": lambda: made.assistant("done"),
    }
    parts = [[m for sign in part for m in says[sign]()] for part in PARTS[case]]
    found = assert_nothing_is_left(engine, name, parts)
    if PARTS[case][-1] == "u":  # behind which nothing waits
        assert violations(found, name) == ()
