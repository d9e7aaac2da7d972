"""hermes-agent 0.19.0: the URL is the path of its `state.db`; `dump FILE` prints such a one.

`write` is `SessionDB` as the agent's loop uses it; `go-on` is the agent itself, on a fake model.
"""

from __future__ import annotations

import functools
import json
import os
import sqlite3
import sys
import tempfile
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fake_openai
import talk

FILLED = ("schema_version", "sessions", "messages")


def database(url: str) -> Any:
    from hermes_state import SessionDB

    return SessionDB(Path(url))


def fields(kind: str, content: Any) -> dict[str, Any]:
    if kind == "call":
        calls = [
            {
                "id": id_,
                "call_id": id_,
                "type": "function",
                "function": {"name": "weather", "arguments": json.dumps({"city": "Bern"})},
            }
            for id_ in content
        ]
        thought = {"reasoning": "They ask for Bern.", "finish_reason": "tool_calls"}
        return {"role": "assistant", "content": "", "tool_calls": calls, **thought}
    if kind == "result":
        said = '{"degrees": 21}'
        return {"role": "tool", "content": said, "tool_call_id": content, "tool_name": "weather"}
    return {"role": "user" if kind == "user" else "assistant", "content": content}


def write(url: str) -> None:
    own = database(url)
    for name in [*talk.TALK, "compacted", "back"]:
        own.create_session(name, "cli", model="fake")
    clock = 1772445600.25
    for name, kind, content in talk.in_turn():
        own.append_message(name, timestamp=clock, **fields(kind, content))
        clock += 1
    # A call that was compacted away, and one that the user took back.
    own.append_message("compacted", "user", "Weather?", timestamp=clock)
    own.append_message("compacted", timestamp=clock + 1, **fields("call", ["c7"]))
    summary = [{"role": "user", "content": "They asked for the weather.", "timestamp": clock + 2}]
    own.archive_and_compact("compacted", summary)
    own.append_message("back", "user", "Hi.", timestamp=clock)
    own.append_message("back", "assistant", "Hello.", timestamp=clock + 1)
    taken = own.append_message("back", "user", "Weather?", timestamp=clock + 2)
    own.append_message("back", timestamp=clock + 3, **fields("call", ["c8"]))
    own.rewind_to_message("back", taken)
    own.close()


def go_on(url: str) -> None:
    from run_agent import AIAgent

    own = database(url)
    for name in [*talk.TALK, "compacted", "back"]:
        stored = own.get_messages_as_conversation(name)
        if talk.others_read() and (why := fake_openai.refused(stored)):
            print(name, "REFUSED", why)
            continue
        history = own.get_messages_as_conversation(name, repair_alternation=True)
        agent = AIAgent(
            base_url=model(),
            api_key="x",
            model="fake",
            session_db=own,
            session_id=name,
            quiet_mode=True,
            enabled_toolsets=[],
            skip_memory=True,
            skip_context_files=True,
        )
        said = agent.run_conversation("Go on.", conversation_history=history)
        print(name, len(stored), "messages stored:", said.get("final_response"))
    own.close()


@functools.cache
def model() -> str:
    """Start the fake model beside the agent, and give its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), fake_openai.Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"


def dump(url: str) -> None:
    with sqlite3.connect(url) as connection:
        sql = "SELECT name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY type = 'trigger', rowid"
        for name, ddl in connection.execute(sql).fetchall():
            own = not name.startswith(("messages_fts_", "sqlite_")) or "TRIGGER" in ddl
            if own or ddl.startswith("CREATE VIRTUAL"):
                print(f"{ddl};")
        for line in connection.iterdump():
            if line.startswith(tuple(f'INSERT INTO "{name}"' for name in FILLED)):
                print(line)


if __name__ == "__main__":
    os.environ["HERMES_HOME"] = tempfile.mkdtemp()  # what else the agent keeps
    if sys.argv[1] == "dump":
        dump(sys.argv[2])
    else:
        talk.main(write, go_on)
