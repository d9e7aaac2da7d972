"""opencode: `PACKAGES=FOLDER python with_opencode.py write|go-on|dump HOME`, by the program itself.

PACKAGES is where npm installed opencode-linux-x64. Crashes are real: its server is killed while tools
run.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import fake_openai
import talk

PROGRAM = "node_modules/opencode-linux-x64/bin/opencode"
MODEL = {"name": "Fake", "tool_call": True, "limit": {"context": 100000, "output": 4000}}
PROVIDER = {
    "npm": "@ai-sdk/openai-compatible",
    "name": "Fake",
    "models": {"fake": MODEL},
}
CONFIG = {
    "autoupdate": False,
    "share": "disabled",
    "model": "fake/fake",
    "small_model": "fake/fake",
    "permission": "allow",
}
OWN = {
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "npm_config_offline": "true",
}
ECHO = 'call bash {"command":"echo one","description":"one"}'
SLEEP = 'call bash {"command":"sleep 100","description":"sleeps"}'
TABLES = ("project", "session", "message", "part")


class OpenCode:
    """The program with a home of its own, in a folder, and a fake model at a port."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder.resolve()
        self.work = self.folder / "app"
        self.work.mkdir(parents=True, exist_ok=True)
        self.database = self.folder / "data" / "opencode" / "opencode.db"
        places = {f"XDG_{n}_HOME": n.lower() for n in ("DATA", "CONFIG", "CACHE", "STATE")}
        own = {name: str(self.folder / place) for name, place in places.items()}
        self.environment = os.environ | OWN | own | {"HOME": str(self.folder)}
        config = self.folder / "config" / "opencode" / "opencode.json"
        config.parent.mkdir(parents=True, exist_ok=True)
        options = {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "x"}
        config.write_text(
            json.dumps(CONFIG | {"provider": {"fake": PROVIDER | {"options": options}}})
        )
        self.url = ""

    @contextmanager
    def running(self) -> Iterator[None]:
        """Start its server; it is killed at the end, with its tools."""
        with subprocess.Popen(
            [Path(os.environ["PACKAGES"]) / PROGRAM, "serve", "--port", "0"],
            cwd=self.work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                if "listening on" in line:
                    self.url = line.split()[-1]
                    break
            try:
                yield
            finally:
                for pid in {process.pid, *self._tools()}:
                    os.kill(pid, signal.SIGKILL)

    def ask(self, path: str, body: Any) -> Any:
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())

    def session(self) -> str:
        return str(self.ask("/session", {})["id"])

    def say(self, session: str, says: str) -> str:
        answer = self.ask(
            f"/session/{session}/message", {"parts": [{"type": "text", "text": says}]}
        )
        return "".join(part.get("text", "") for part in answer["parts"])

    def crash(self, session: str, says: str) -> None:
        """Say it, and come back once its last tool runs and the others have ended."""

        def say() -> None:
            with contextlib.suppress(OSError):  # it is killed before it answers
                self.say(session, says)

        threading.Thread(target=say, daemon=True).start()
        sql = "SELECT count(*) FROM part WHERE session_id = ? AND data LIKE ?"
        wanted = {"completed": says.count("call") - 1, "running": 1}
        for _ in range(600):
            found = {n: self.query(sql, session, f'%"status":"{n}"%')[0][0] for n in wanted}
            if found == wanted:
                break
            time.sleep(0.05)

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

    def query(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(sql, values).fetchall()


def write(folder: str) -> None:
    with fake_openai.serving() as port:
        own = OpenCode(Path(folder), port)
        with own.running():
            own.say(own.session(), ECHO)
            middle = own.session()
            own.crash(middle, f"{ECHO}\n{SLEEP}")
        with own.running():
            own.say(middle, "Hello?")
            own.crash(own.session(), SLEEP)


def go_on(folder: str) -> None:
    with fake_openai.serving() as port:
        own = OpenCode(Path(folder), port)
        with own.running():
            for (session,) in own.query("SELECT id FROM session ORDER BY time_created"):
                fake_openai.SENT.clear()
                said = own.say(session, "Go on.")
                sent = next(asked for asked in fake_openai.SENT if asked.get("tools"))
                told = {"name": session, "said": said, "sent": sent["messages"][1:]}
                print(json.dumps(told))


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
    if sys.argv[1] == "dump":
        dump(OpenCode(Path(sys.argv[2]), 0))
    else:
        talk.main(write, go_on)
