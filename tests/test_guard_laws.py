"""Law 11 at the write, for every format: each row that is added leaves what `repair` would leave.

Histories with anything wrong with them are written in pieces of any size, with commits, savepoints
that are rolled back and repositories that know nothing in between.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from building import BUILDERS, damaged
from endmark import check, formats, repair
from endmark.formats._own_message import OwnMessage
from endmark.guard import ChatRepository
from endmark.guard._tail import settled
from endmark.history import examine
from endmark.model import Shape
from guard_messages import Message, create, stored

pytestmark = pytest.mark.slow

FORMATS = sorted(BUILDERS)
LAWS = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
FAR = {"reused_id", "copy"}  # depends on what was there before the end was repaired
NUMBERS = itertools.count(1)
WAYS = ["on", "committed", "new process", "rolled back", "savepoint", "savepoint rolled back"]


def kinds(history: list[Message], format: str) -> set[str]:
    return {finding.kind.value for finding in check(history, format)}


def after(history: list[Message], message: Message, format: str) -> list[Message]:
    """Give what is to be stored once a message is added to a stored history."""
    assume(not FAR & kinds([*history, message], format))
    format_ = formats.get(format)
    if format_.shape is Shape.INLINE:
        return history + list(repair([message], format))
    if isinstance(format_, OwnMessage) and closes(history, message, format_):
        history = list(repair(history, format))
    found = examine([*history, message], format_, turn="open")
    if not found.pending and "reasoning" not in kind(message):
        found = examine([*history, message], format_)
    found, _ = settled(found, "open")
    return found.rebuild().messages if found.edits else [*history, message]


def closes(history: list[Message], message: Message, format_: OwnMessage) -> bool:
    """Tell whether a message may not stand behind open calls: anything but results and calls."""
    beside = format_.is_result(message) or format_.call_ids(message) or "reasoning" in kind(message)
    led = bool(history) and "reasoning" in kind(history[-1])  # goes on with this message
    found, stray = settled(examine(history, format_, turn="open"), "open")
    return not (beside or led or stray) and bool(found.pending)


def kind(message: Message) -> str:
    return str(message.get("type"))


def is_told(history: list[Message]) -> bool:
    """Leave out what the guard does not look for at each write: ids of rows far back, twice."""
    thoughts = [m.get("id") for m in history if "reasoning" in kind(m)]
    empty = ('"parts": []', '"parts": [{"type": "finish"')  # the latter as crush ends a message
    bare = [m for m in history if any(nothing in json.dumps(m) for nothing in empty)]
    return len(set(thoughts)) == len(thoughts) and not bare


@pytest.fixture(scope="module")
def engine() -> Iterator[sa.Engine]:
    """One database for all: each history is a conversation of its own."""
    engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool)
    create(engine)
    yield engine
    engine.dispose()


def written(session: Session, format: str, history: list[Message], ways: Any) -> None:
    name = str(next(NUMBERS))
    expected: list[Message] = []
    repository = ChatRepository(session, format)
    while history:
        way, count = next(ways)
        part, history = history[:count], history[count:]
        if way != "on":
            session.commit()
        if way == "new process":
            session.info.clear()
            repository = ChatRepository(session, format)
        if way.endswith("rolled back"):
            undo = session.begin_nested() if way.startswith("savepoint") else session
            repository.add_messages(name, part)
            undo.rollback()
        if way == "savepoint":
            with session.begin_nested():
                repository.add_messages(name, part)
        else:
            repository.add_messages(name, part)
        for message in part:
            expected = after(expected, message, format)
            assume(not FAR & kinds(expected, format))
        assert stored(session, name) == expected
    repository.finalize(name)
    assert stored(session, name) == repair(expected, format)
    assert repository.history(name) == repair(expected, format)


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@LAWS
def test_each_write_leaves_what_repair_would(
    engine: sa.Engine, format: str, data: st.DataObject
) -> None:
    history = data.draw(damaged(format))
    if formats.get(format).shape is Shape.INLINE:  # one id is one row
        history = [{**message, "id": f"m{k}"} for k, message in enumerate(history)]
    assume(is_told(history) and not FAR & kinds(history, format))
    ways = iter(lambda: data.draw(st.tuples(st.sampled_from(WAYS), st.integers(1, 3))), None)
    with Session(engine) as session:
        written(session, format, history, ways)


# -- what is easily missed: rows of Responses, each of which a new process adds ------------------


def item(kind: str, id_: str = "") -> Message:
    more: dict[str, Message] = {
        "user": {"role": "user", "content": "hi"},
        "says": {"role": "assistant", "content": "hi"},
        "thinks": {"type": "reasoning", "id": f"rs_{id_}", "summary": []},
        "calls": {"type": "function_call", "call_id": id_, "name": "look", "arguments": "{}"},
        "result": {"type": "function_call_output", "call_id": id_, "output": "found"},
    }
    return more[kind]


ITEMS = {
    "the last of two calls is answered": "user, calls a, calls b, result b, user",
    "of three": "user, calls a, calls b, calls c, result b, result c, user",
    "a thought at the end": "user, thinks 1, user",
    "thoughts at the end": "user, calls a, result a, thinks 1, thinks 2",
    "a thought between calls": "user, thinks 1, calls a, thinks 2, calls b, result a, result b",
    "the same, cut": "user, thinks 1, calls a, thinks 2, calls b, result b, user",
    "a thought behind open calls": "user, calls a, thinks 1, user",
    "a thought that goes on behind open calls": "user, calls a, thinks 1, says",
    "a result before its call, behind an open one": "user, calls a, result b, calls b, result a",
    "a thought and a stray result behind an open call": "user, calls a, thinks 1, result b, says",
}


@pytest.mark.parametrize("remembers", [True, False], ids=["one process", "a new one each"])
@pytest.mark.parametrize("line", ITEMS.values(), ids=ITEMS.keys())
def test_items_of_responses(engine: sa.Engine, line: str, remembers: bool) -> None:
    history = [item(*words.split()) for words in line.split(", ")]
    name = str(next(NUMBERS))
    with Session(engine) as session:
        repository = ChatRepository(session, "openai-responses")
        for message in history:
            if not remembers:
                session.info.clear()
                repository = ChatRepository(session, "openai-responses")
            repository.add_message(name, message)
            session.commit()
        with repository.turn(name):
            pass
        assert stored(session, name) == repair(history, "openai-responses")
