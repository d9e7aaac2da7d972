"""goose: `PACKAGES=FOLDER python with_goose.py write|go-on|dump HOME`, by the program itself.

PACKAGES is where npm installed @aaif/goose-binary-linux-x64. goose stores a call once its tool has
ended, and the result in a row of its own right behind: crashes are real, between these two writes.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import fake_openai
import talk

PROGRAM = "node_modules/@aaif/goose-binary-linux-x64/bin/goose"
OWN = {
    "GOOSE_PROVIDER": "openai",
    "GOOSE_MODEL": "fake",
    "GOOSE_MODE": "auto",
    "GOOSE_DISABLE_KEYRING": "1",
    "GOOSE_TELEMETRY_ENABLED": "false",
    "OPENAI_API_KEY": "x",
}
ECHO = 'call shell {"command":"echo %s"}'
SLEEP = 'call shell {"command":"sleep 100"}'
TABLES = ("schema_version", "sessions", "messages")
# The write of a result is held up, so that the program dies before it is through.
HELD = """
CREATE TRIGGER held BEFORE INSERT ON messages
WHEN new.content_json LIKE '%"toolResponse","id":"{call}"%' BEGIN
    SELECT count(*) FROM (
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000000000)
        SELECT i FROM n
    );
END
"""
OF_NAME = "session_id = (SELECT id FROM sessions WHERE name = ?)"


class Goose:
    """The program with a home of its own, in a folder, and a fake model at a port."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder.resolve()
        self.work = self.folder / "app"
        self.work.mkdir(parents=True, exist_ok=True)
        self.database = self.folder / "data" / "goose" / "sessions" / "sessions.db"
        places = {f"XDG_{n}_HOME": n.lower() for n in ("DATA", "CONFIG", "CACHE", "STATE")}
        own = {name: str(self.folder / place) for name, place in places.items()}
        own |= {"HOME": str(self.folder), "OPENAI_HOST": f"http://127.0.0.1:{port}"}
        self.environment = {"PATH": os.environ["PATH"]} | OWN | own

    def start(self, name: str, says: str, *more: str) -> subprocess.Popen[str]:
        program = Path(os.environ["PACKAGES"]) / PROGRAM
        return subprocess.Popen(
            [
                program,
                "run",
                "--quiet",
                "--with-builtin",
                "developer",
                "-n",
                name,
                *more,
                "-t",
                says,
            ],
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def say(self, name: str, says: str, *more: str) -> str:
        said, _ = self.start(name, says, *more).communicate(timeout=60)
        return said.strip()

    def crash(self, name: str, says: str, *, at: str) -> None:
        """Kill the program once the call `at` is stored, while its result is being written."""
        self.query(HELD.format(call=at))
        process = self.start(name, says)
        self.kill(process, f"SELECT id FROM messages WHERE {OF_NAME} AND content_json LIKE ?", name,
                  f'%"toolRequest","id":"{at}"%')  # fmt: skip
        self.query("DROP TRIGGER held")

    def kill(self, process: subprocess.Popen[str], sql: str, *values: str) -> None:
        for _ in range(600):
            if process.poll() is not None or self.query(sql, *values):
                break
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def query(self, sql: str, *values: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.database)) as connection, connection:
            return connection.execute(sql, values).fetchall()


def write(folder: str) -> None:
    with fake_openai.serving() as port:
        own = Goose(Path(folder), port)
        own.say("sound", ECHO % "one")
        own.crash("middle", f"{ECHO % 'one'}\n{ECHO % 'two'}", at="call_1")
        own.say("middle", "Hello?", "--resume")
        own.crash("end", ECHO % "one", at="call_0")
        # Killed while a tool runs: nothing of its call is stored.
        running = own.start("running", SLEEP)
        own.kill(running, f"SELECT id FROM messages WHERE {OF_NAME} AND metadata_json LIKE ?",
                 "running", '%"turnContext":true%')  # fmt: skip
        own.crash("compacted", ECHO % "one", at="call_0")
        own.say("compacted", "/compact", "--resume")


def go_on(folder: str) -> None:
    with fake_openai.serving() as port:
        own = Goose(Path(folder), port)
        for (name,) in own.query("SELECT name FROM sessions ORDER BY created_at, id"):
            fake_openai.SENT.clear()
            said = own.say(str(name), "Go on.", "--resume").splitlines()[-1]
            sent = next(asked for asked in fake_openai.SENT if asked.get("tools"))
            print(json.dumps({"name": name, "said": said, "sent": sent["messages"][1:]}))


def dump(own: Goose) -> None:
    with closing(sqlite3.connect(own.database)) as connection:
        for name in TABLES:
            sql = "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql NOT NULL"
            for (ddl,) in connection.execute(sql, (name,)).fetchall():
                print(" ".join(ddl.split()) + ";")
        for line in connection.iterdump():
            if line.startswith(tuple(f'INSERT INTO "{name}"' for name in TABLES)):
                print(line.replace(str(own.work), "/srv/app"))


if __name__ == "__main__":
    if sys.argv[1] == "dump":
        dump(Goose(Path(sys.argv[2]), 0))
    else:
        talk.main(write, go_on)
