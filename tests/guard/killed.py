"""Fork writers and kill each with SIGKILL at another moment; print what each had committed.

Usage: killed.py URL MOMENT...   A moment is how many writes are acknowledged before the kill.
"""

from __future__ import annotations

import json
import os
import signal
import sys

import sqlalchemy as sa
from sqlalchemy.orm import Session

from endmark.guard import ChatRepository


def turns(url: str, name: str, told: int) -> None:
    """Write turns without end, each message in a transaction of its own; tell of each commit."""
    engine = sa.create_engine(url)
    function = {"name": "look", "arguments": "{}"}
    number = 0
    while True:
        ids = [f"a{number}", f"b{number}"]
        calls = [{"id": id_, "type": "function", "function": function} for id_ in ids]
        messages = [
            {"role": "user", "content": f"go {number}"},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *({"role": "tool", "tool_call_id": id_, "content": "found"} for id_ in ids),
        ]
        number += 1
        with Session(engine) as session:
            repository = ChatRepository(session, "openai-chat")
            with repository.turn(name):
                for message in messages:
                    repository.add_message(name, message)
                    session.commit()
                    os.write(told, json.dumps(message).encode() + b"\n")


def main(url: str, *moments: str) -> None:
    for moment in moments:
        heard, told = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(heard)
            turns(url, f"c{moment}", told)
        os.close(told)
        with os.fdopen(heard) as lines:
            seen = [lines.readline() for _ in range(int(moment))]
            os.kill(child, signal.SIGKILL)
            seen += lines.readlines()
        os.waitpid(child, 0)
        whole = [json.loads(line) for line in seen if line.endswith("\n")]
        print(json.dumps({"conversation": f"c{moment}", "committed": whole}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
