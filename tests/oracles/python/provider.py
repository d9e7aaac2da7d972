"""A provider on loopback that says "fine" to everything and keeps what it was asked.

The libraries' own clients talk to it, so that what is judged is the request they really send.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CHAT = {
    "id": "chat_1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "fine"}}
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "status": "completed",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "fine", "annotations": []}],
        }
    ],
    "usage": {
        "input_tokens": 1,
        "output_tokens": 1,
        "total_tokens": 2,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    },
}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "fine"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
CONTENT = {
    "candidates": [
        {
            "index": 0,
            "finishReason": "STOP",
            "content": {"role": "model", "parts": [{"text": "fine"}]},
        }
    ],
    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
}
CONVERSE = {
    "output": {"message": {"role": "assistant", "content": [{"text": "fine"}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
    "metrics": {"latencyMs": 1},
}

# end of the path → whose API it is, where the history stands in the body, the answer
APIS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "/chat/completions": ("openai-chat", "messages", CHAT),
    "/responses": ("openai-responses", "input", RESPONSE),
    "/messages": ("anthropic", "messages", MESSAGE),
    ":generateContent": ("gemini", "contents", CONTENT),
    "/converse": ("bedrock", "messages", CONVERSE),
}

sent: list[tuple[str, Any]] = []  # (whose API, the history in the request), oldest first


class _Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.partition("?")[0]
        api, field, answer = next(APIS[end] for end in APIS if path.endswith(end))
        history = body[field]
        alone = isinstance(history, str)  # the Responses API takes words for a message
        sent.append((api, [{"role": "user", "content": history}] if alone else history))
        text = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def start() -> str:
    """Start it on a free port and give its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Door)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"
