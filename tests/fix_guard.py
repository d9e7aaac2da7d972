"""A session on the reference tables, and what the tests of the repository ask of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from endmark import (
    check,
)
from endmark.guard import ChatRepository
from fix_databases import Database
from guard_messages import (
    ANTHROPIC,
    CHAT,
    Message,
    create,
    stored,
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
