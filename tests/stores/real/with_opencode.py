"""opencode 1.18.33: `python with_opencode.py write|go-on|dump FOLDER`, by the program itself.

OPENCODE names its binary (`npm install opencode-ai`, in `opencode-linux-x64/bin`). Crashes are
real: the program is killed while a tool runs.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PORT = 8472
MODEL = {"name": "Fake", "tool_call": True, "limit": {"context": 100000, "output": 4000}}
PROVIDER = {
    "npm": "@ai-sdk/openai-compatible",
    "name": "Fake",
    "options": {"baseURL": f"http://127.0.0.1:{PORT}/v1", "apiKey": "x"},
    "models": {"fake": MODEL},
}
CONFIG = {
    "autoupdate": False,
    "share": "disabled",
    "model": "fake/fake",
    "small_model": "fake/fake",
    "permission": "allow",
    "provider": {"fake": PROVIDER},
}
ECHO = 'call bash {"command":"echo one","description":"one"}'
SLEEP = 'call bash {"command":"sleep 100","description":"sleeps"}'
TABLES = ("project", "session", "message", "part")


class OpenCode:
    """The program with a home of its own, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.work = self.folder / "app"
        self.work.mkdir(parents=True, exist_ok=True)
        self.database = self.folder / "data" / "opencode" / "opencode.db"
        places = {f"XDG_{n}_HOME": n.lower() for n in ("DATA", "CONFIG", "CACHE", "STATE")}
        own = {name: str(self.folder / place) for name, place in places.items()}
        own |= {"HOME": str(self.folder), "PWD": str(self.work)}
        own["OPENCODE_DISABLE_MODELS_FETCH"] = "1"
        self.environment = os.environ | own
        config = self.folder / "config" / "opencode" / "opencode.json"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(json.dumps(CONFIG))

    def start(self, says: str, session: str = "") -> subprocess.Popen[str]:
        of = ["--session", session] if session else []
        process = subprocess.Popen(
            [os.environ["OPENCODE"], "run", *of],
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(says)
        process.stdin.close()
        return process

    def say(self, says: str, session: str = "") -> None:
        process = self.start(says, session)
        assert process.stdout is not None
        print(" ".join(process.stdout.read().split()))
        process.wait(100)

    def crash(self, says: str) -> None:
        """Kill the program, and its tools, once a tool runs."""
        before = self.sessions()
        process = self.start(says)
        for _ in range(120):
            time.sleep(0.5)
            if self.sessions() != before and self._runs(says.count("call")):
                break
        time.sleep(1)
        for pid in {process.pid, *self._tools()}:
            os.kill(pid, signal.SIGKILL)
        process.wait()

    def _tools(self) -> list[int]:
        """Give the processes that the tools of this very folder started."""
        found = []
        for place in Path("/proc").glob("[0-9]*/cwd"):
            try:
                if place.resolve() == self.work:
                    found.append(int(place.parent.name))
            except OSError:
                continue
        return found

    def _runs(self, calls: int) -> bool:
        sql = (
            'SELECT count(*) FROM part WHERE data LIKE \'%"status":"running"%\' AND session_id = ?'
        )
        with sqlite3.connect(self.database) as connection:
            return bool(connection.execute(sql, (self.sessions()[-1],)).fetchone()[0] >= calls)

    def sessions(self) -> list[str]:
        """Give the sessions, the oldest first."""
        sql = "SELECT id FROM session ORDER BY time_created"
        try:
            with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as connection:
                return [row[0] for row in connection.execute(sql)]
        except sqlite3.OperationalError:  # its tables are still to be made
            return []


def write(own: OpenCode) -> None:
    own.crash(f"{ECHO}\n{SLEEP}")
    own.say("Hello?", own.sessions()[-1])
    own.crash(SLEEP)
    own.say(ECHO)


def go_on(own: OpenCode) -> None:
    for session in own.sessions():
        own.say("Go on.", session)


def dump(own: OpenCode) -> None:
    with sqlite3.connect(own.database) as connection:
        for name in TABLES:
            sql = "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql NOT NULL"
            for (ddl,) in connection.execute(sql, (name,)).fetchall():
                print(" ".join(ddl.split()) + ";")
        for line in connection.iterdump():
            if line.startswith(tuple(f'INSERT INTO "{name}"' for name in TABLES)):
                print(line.replace(str(own.work), "/srv/app").replace(str(own.work)[1:], "app"))


if __name__ == "__main__":
    model = [sys.executable, str(HERE / "fake_openai.py"), str(PORT)]
    with subprocess.Popen(model, stdout=sys.stderr) as fake:
        try:
            {"write": write, "go-on": go_on, "dump": dump}[sys.argv[1]](OpenCode(Path(sys.argv[2])))
        finally:
            fake.terminate()
