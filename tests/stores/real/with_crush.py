"""crush: `CRUSH=PROGRAM python with_crush.py write|go-on|dump HOME`, by the program itself.

PROGRAM is the file of a crush (0.90.0 wrote the dump). No package brings it, so this is run by hand:
write a home, heal `HOME/app/.crush/crush.db`, go on. Crashes are real: it is killed while a tool runs,
or while the arguments of a call come; and a second one goes on in a session that the first still
works on, so that a result comes late.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import fake_openai
import talk

OPTIONS = {
    "disable_provider_auto_update": True,
    "disable_default_providers": True,
    "disable_metrics": True,
}
OWN = {"DO_NOT_TRACK": "1", "CRUSH_DISABLE_METRICS": "1", "CRUSH_DISABLE_PROVIDER_AUTO_UPDATE": "1"}
ECHO = 'call bash {"command":"echo one","description":"one"}'
SLEEP = 'call bash {"command":"sleep %s","description":"sleeps"}'
CUT = 'cut bash {"command":"echo one","description":"one"}'
OF_TABLES = re.compile(
    r'(CREATE TABLE|INSERT INTO|CREATE (INDEX|TRIGGER) \w+\s(.*\s)?ON) "?(sessions|messages)\b'
)
OF_SESSION = "SELECT count(*) FROM messages WHERE session_id = ?"
WITH = f"{OF_SESSION} AND parts LIKE ?"
NEWEST = "SELECT id FROM sessions ORDER BY rowid DESC LIMIT 1"
ALL = "SELECT id, title FROM sessions ORDER BY rowid"
WINDOW = 100000  # of the model, in tokens


class Crush:
    """The program with a home of its own, in a folder, and a fake model at a port."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder.resolve()
        self.work = self.folder / "app"
        self.work.mkdir(parents=True, exist_ok=True)
        self.database = self.work / ".crush" / "crush.db"
        self.port = port
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)} | OWN
        self.configure(WINDOW)

    def configure(self, window: int) -> None:
        model = {"id": "fake", "name": "Fake", "context_window": window, "default_max_tokens": 4000}
        provider = {
            "type": "openai-compat",
            "base_url": f"http://127.0.0.1:{self.port}/v1",
            "api_key": "x",
            "models": [model],
        }
        chosen = {"provider": "fake", "model": "fake"}
        config = {
            "options": OPTIONS,
            "providers": {"fake": provider},
            "models": {"large": chosen, "small": chosen},
        }
        (self.work / "crush.json").write_text(json.dumps(config))

    def start(self, session: str | None, says: str) -> subprocess.Popen[str]:
        same = ["--session", session] if session else []
        return subprocess.Popen(
            [os.environ["CRUSH"], "run", "--quiet", *same, says],
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def say(self, session: str | None, says: str) -> str:
        said, _ = self.start(session, says).communicate(timeout=120)
        return said.strip()

    def begin(self, says: str) -> tuple[str, subprocess.Popen[str]]:
        """Say it in a new session; come back once its calls are stored, all but the last ended."""
        before = len(self.query(ALL))
        process = self.start(None, says)
        for _ in range(600):
            if len(self.query(ALL)) > before and self._stands(says):
                break
            time.sleep(0.05)
        return str(self.query(NEWEST)[0][0]), process

    def _stands(self, says: str) -> bool:
        session = str(self.query(NEWEST)[0][0])
        state = '%"finished":false%' if says == CUT else '%"finished":true%'
        [(stored,)] = self.query(WITH, session, state)
        [(ended,)] = self.query(WITH, session, '%"tool_result"%')
        return stored == 1 and ended == len(says.splitlines()) - 1

    def crash(self, says: str) -> str:
        """Kill the program at that point; what it started goes with it."""
        session, process = self.begin(says)
        for pid in self._started(process.pid):
            os.kill(pid, signal.SIGKILL)
        process.communicate()
        return session

    def _started(self, pid: int) -> list[int]:
        """Give the program and all that works in its folder, which no other program does."""
        found = {pid}
        for place in Path("/proc").glob("[0-9]*/cwd"):
            try:
                if place.resolve() == self.work:
                    found.add(int(place.parent.name))
            except OSError:
                continue
        return sorted(found)

    def query(self, sql: str, *values: str) -> list[tuple[object, ...]]:
        if not self.database.exists():
            return []
        with closing(sqlite3.connect(self.database, timeout=30)) as connection:
            try:
                return connection.execute(sql, values).fetchall()
            except sqlite3.OperationalError:  # its tables are not there yet
                return []


def write(folder: str) -> None:
    with fake_openai.serving() as port:
        own = Crush(Path(folder), port)
        own.say(None, ECHO)
        middle = own.crash(f"{ECHO}\n{SLEEP % 100}")
        own.say(middle, "Hello?")
        own.crash(SLEEP % 100)
        late, first = own.begin(SLEEP % 8)
        own.say(late, "Hello?")
        first.communicate(timeout=120)
        own.say(own.crash(CUT), "Hello?")
        # A call before the summary, which the model does not see.
        summed = own.crash(SLEEP % 100)
        own.configure(20)
        own.say(summed, "Hello?")


def go_on(folder: str) -> None:
    with fake_openai.serving() as port:
        own = Crush(Path(folder), port)
        for session, _ in own.query(ALL):
            fake_openai.SENT.clear()
            said = own.say(str(session), "Go on.")
            sent = next(asked for asked in fake_openai.SENT if asked.get("tools"))
            answer = re.sub(r"\s+", " ", said)
            print(json.dumps({"name": session, "said": answer, "sent": sent["messages"][1:]}))


def dump(own: Crush) -> None:
    with closing(sqlite3.connect(own.database)) as connection:
        for statement in connection.iterdump():
            if OF_TABLES.match(statement):
                print(statement.replace(str(own.work), "/srv/app"))


if __name__ == "__main__":
    if sys.argv[1] == "dump":
        dump(Crush(Path(sys.argv[2]), 0))
    else:
        talk.main(write, go_on)
