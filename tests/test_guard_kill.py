"""kill -9 at many moments: nothing committed is lost, and the next read and write are sound."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from endmark import check
from endmark.guard import ChatRepository
from fix_databases import Database
from guard_messages import CHAT, create, stored

PROGRAM = Path(__file__).parent / "guard" / "killed.py"
MOMENTS = [0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 18, 23]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_killed_at_many_moments(database: Database) -> None:
    create(database.engine)
    command = [sys.executable, str(PROGRAM), database.url, *map(str, MOMENTS)]
    told = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    reports = [json.loads(line) for line in told.splitlines()]
    assert len(reports) == len(MOMENTS)
    open_ends = 0
    with Session(database.engine) as session:
        for report in reports:
            name = report["conversation"]
            rows = stored(session, name)
            assert [row for row in rows if row in report["committed"]] == report["committed"]
            open_ends += check(rows, "openai-chat") != ()
            repository = ChatRepository(session, "openai-chat")
            assert check(repository.history(name), "openai-chat") == ()
            with repository.turn(name):
                assert check(stored(session, name), "openai-chat") == ()
                repository.add_message(name, CHAT.user("are you there?"))
            session.commit()
            assert check(stored(session, name), "openai-chat") == ()
    assert open_ends > 0  # some were killed in the midst of a block
