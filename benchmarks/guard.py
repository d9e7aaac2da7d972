"""An ORM insert with the guard on its session beside the same insert without it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import JSON, BigInteger, Engine, Integer, MetaData, UniqueConstraint, event
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, sessionmaker

from benchmarks import core
from benchmarks.measure import Row
from endmark.guard import guard

ROUNDS = 1_500  # a ratio of 1.05 is less than the noise of few
TURN = 20
NUMBER = BigInteger().with_variant(Integer, "sqlite")


class Base(DeclarativeBase):
    """The models of this benchmark."""

    metadata = MetaData()


class Line(Base):
    """A message of an application's own table."""

    __tablename__ = "line"
    __table_args__ = (UniqueConstraint("conversation", "position"),)

    id: Mapped[int] = mapped_column(NUMBER, primary_key=True)
    conversation: Mapped[int] = mapped_column(NUMBER)
    position: Mapped[int] = mapped_column(NUMBER)
    payload: Mapped[Any] = mapped_column(JSON().with_variant(JSONB(), "postgresql"))


class Writer:
    """Writes whole turns, or single messages, to conversations of its own."""

    def __init__(self, engine: Engine, format: str, *, guarded: bool, conversation: int) -> None:
        self.sessions = sessionmaker(engine, class_=type("Own", (Session,), {}))
        self.conversation = conversation
        self.position = 0
        self.handle = None
        if guarded:
            mapping = {"conversation": "conversation", "order": "position", "payload": "payload"}
            self.handle = guard(self.sessions, Line, **mapping, format=format)

    def write(self, messages: list[dict[str, Any]], batch: int) -> float:
        """Write the messages, so many a transaction; give the seconds."""
        start = time.perf_counter()
        for at in range(0, len(messages), batch):
            with self.sessions.begin() as session:
                for message in messages[at : at + batch]:
                    self.position += 1
                    session.add(
                        Line(
                            conversation=self.conversation,
                            position=self.position,
                            payload=message,
                        )
                    )
        return time.perf_counter() - start


def rows(engines: dict[str, Engine]) -> Iterator[Row]:
    """Measure every database."""
    for name, engine in engines.items():
        if name == "sqlite":
            event.listen(engine, "connect", _wal)
        Base.metadata.drop_all(engine)
        Base.metadata.create_all(engine)
        measure = _Beside(engine, name)
        yield measure.ratio("ai-sdk", 2, 1, "inline, one row", (1.05, 1.01))
        yield measure.ratio(
            "openai-chat", TURN, TURN, "own message, a turn of 20 rows", (1.15, 1.05)
        )
        yield measure.ratio("openai-chat", 4, 1, "own message, single rows", (1.4, 1.25))
        yield measure.length()
        Base.metadata.drop_all(engine)


def _wal(connection: Any, _: Any) -> None:
    connection.execute("PRAGMA journal_mode=WAL")


def _messages(format: str, count: int) -> list[dict[str, Any]]:
    """Make messages of about 2 KB."""
    made = core.BUILDERS[format](-(-count // 4), 0)[:count]
    return [_filled(message) for message in made]


def _filled(message: dict[str, Any]) -> dict[str, Any]:
    text = core.TEXT * 7
    if "parts" in message:
        return {**message, "parts": [*message["parts"], {"type": "text", "text": text}]}
    return {**message, "content": text}


class _Beside:
    """Two writers side by side, round by round."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine = engine
        self.name = name
        self.conversation = 0

    def writer(self, format: str, *, guarded: bool) -> Writer:
        self.conversation += 1
        return Writer(self.engine, format, guarded=guarded, conversation=self.conversation)

    def ratio(
        self, format: str, count: int, batch: int, what: str, goal: tuple[float, float]
    ) -> Row:
        messages = _messages(format, count)
        plain, guarded = (self.writer(format, guarded=g) for g in (False, True))
        base, took = _interleaved(
            lambda: plain.write(messages, batch), lambda: guarded.write(messages, batch)
        )
        if guarded.handle is not None:
            guarded.handle.remove()
        detail = f"{took / count * 1e6:.0f} µs / {base / count * 1e6:.0f} µs a row"
        return Row(f"guarded / unguarded, {what}, {self.name}", took / base, *goal, "x", detail)

    def length(self) -> Row:
        """Write to a conversation of 10,000 messages and to one of 10."""
        messages = _messages("openai-chat", 4)
        long, short = (self.writer("openai-chat", guarded=True) for _ in range(2))
        for writer, size in ((long, 10_000), (short, 10)):
            handle, writer.handle = writer.handle, None
            writer.write(_messages("openai-chat", size // 4 * 4), 1_000)
            writer.handle = handle
        base, took = _interleaved(lambda: short.write(messages, 1), lambda: long.write(messages, 1))
        for writer in (long, short):
            if writer.handle is not None:
                writer.handle.remove()
        what = f"in a conversation of 10,000 / of 10, {self.name}"
        return Row(what, took / base, 1.1, 1.0, "x")


def _interleaved(*works: Callable[[], float]) -> list[float]:
    taken: list[list[float]] = [[] for _ in works]
    for number in range(ROUNDS):
        order = range(len(works)) if number % 2 else reversed(range(len(works)))
        for k in order:
            taken[k].append(works[k]())
    return [statistics.median(times[ROUNDS // 10 :]) for times in taken]
