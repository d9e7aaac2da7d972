"""A model behind OpenAI's chat API, for agents that run as programs: `python fake_openai.py PORT`.

Refuses half pairs as OpenAI does. A user's `call NAME JSON`, one a line and none before a "Go on.",
is answered by those calls, anything else by one sentence; `cut NAME JSON` by a stream that stands
still within the arguments until the program has gone. It prints how each request was answered. A
program may have it in its own process, by `serving`, and read what was `SENT`.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

REFUSAL = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
    "'tool_call_id'. The following tool_call_ids did not have response messages: "
)
WORDS = ("call ", "cut ")
SENT: list[dict[str, Any]] = []


def refused(messages: list[dict[str, Any]]) -> str | None:
    """Give the refusal of a history in which a call or a result stands alone."""
    due: list[str] = []
    for message in [*messages, {"role": "end"}]:
        if message["role"] == "tool":
            if message["tool_call_id"] not in due:
                return "messages with role 'tool' must be a response to 'tool_calls'"
            due.remove(message["tool_call_id"])
        elif due:
            return REFUSAL + ", ".join(due)
        else:
            due = [call["id"] for call in message.get("tool_calls") or []]
    return None


def words(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


def answer(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Ask for what the user's last words name, or say one sentence."""
    last = messages[-1]
    said = words(last).rpartition("Go on.")[2].splitlines() if last["role"] == "user" else []
    asked = [line.strip().strip('"').split(" ", 2) for line in said if line.startswith(WORDS)]
    number = sum(len(message.get("tool_calls") or []) for message in messages)
    calls = [
        {
            "index": k,
            "id": f"call_{number + k}",
            "type": "function",
            "function": {"name": name, "arguments": given if word == "call" else given[:9]},
        }
        for k, (word, name, given) in enumerate(asked)
    ]
    return {"tool_calls": calls} if calls else {"content": "Sunny."}


def cut(call: dict[str, Any]) -> bool:
    """Say whether the arguments of a call are not whole."""
    return not call["function"]["arguments"].endswith("}")


class Handler(BaseHTTPRequestHandler):
    """Answers one path, as a stream or whole."""

    def log_message(self, *_: Any) -> None:
        """Say nothing of its own."""

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": "fake", "object": "model"}]})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if (messages := request.get("messages")) is None:
            self._send(404, {"error": {"message": "no such path"}})
            return
        SENT.append(request)
        if (why := refused(messages)) is not None:
            print("refused:", why, flush=True)
            self._send(400, {"error": {"message": why, "type": "invalid_request_error"}})
            return
        said = answer(messages)
        roles = " ".join(message["role"] for message in messages)
        print("answered", next(iter(said)), "to:", roles, flush=True)
        if not request.get("stream"):
            finish = "tool_calls" if "tool_calls" in said else "stop"
            choice = {"index": 0, "message": {"role": "assistant", **said}, "finish_reason": finish}
            self._send(200, {**_head("chat.completion"), "choices": [choice]})
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for chunk in _chunks(said):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            if any(cut(call) for call in said.get("tool_calls", ())):
                self.connection.recv(1)  # nothing, once the program has gone
                return
        self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _head(kind: str) -> dict[str, Any]:
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    return {
        "id": f"fake-{len(SENT)}",
        "object": kind,
        "created": 1,
        "model": "fake",
        "usage": usage,
    }


def _chunks(said: dict[str, Any]) -> Iterator[dict[str, Any]]:
    finish = "tool_calls" if "tool_calls" in said else "stop"
    for delta, reason in (({"role": "assistant", **said}, None), ({}, finish)):
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        yield {**_head("chat.completion.chunk"), "choices": [choice]}


@contextmanager
def serving(port: int = 0) -> Iterator[int]:
    """Serve on a thread, and yield the port."""
    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
