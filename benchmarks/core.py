"""CPU of `repair` on a history of 10,000 messages, clean and with 1 % of its blocks broken."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.measure import Row, medians
from endmark import repair

Message = dict[str, Any]
SIZE = 10_000
TEXT = "The quick brown fox jumps over the lazy dog and comes back for more. " * 4


def openai_chat(blocks: int, broken: int) -> list[Message]:
    """Make a history of four messages a block; every `broken`-th block lacks its result."""
    history: list[Message] = []
    for k in range(blocks):
        function = {"name": "look", "arguments": json.dumps({"at": k})}
        history += [
            {"role": "user", "content": TEXT},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"call_{k}", "type": "function", "function": function}],
            },
            {"role": "tool", "tool_call_id": f"call_{k}", "content": TEXT},
            {"role": "assistant", "content": TEXT},
        ]
        if broken and k % broken == 0:
            del history[-2]
    return history


def anthropic(blocks: int, broken: int) -> list[Message]:
    """The same as Anthropic messages."""
    history: list[Message] = []
    for k in range(blocks):
        use = {"type": "tool_use", "id": f"toolu_{k}", "name": "look", "input": {"at": k}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{k}", "content": TEXT}
        history += [
            {"role": "user", "content": [{"type": "text", "text": TEXT}]},
            {"role": "assistant", "content": [{"type": "text", "text": "So."}, use]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": [{"type": "text", "text": TEXT}]},
        ]
        if broken and k % broken == 0:
            del history[-2]
    return history


def ai_sdk(blocks: int, broken: int) -> list[Message]:
    """The same as UI messages: two a block, a call inside the second."""
    history: list[Message] = []
    for k in range(blocks * 2):
        done = {"state": "output-available", "input": {"at": k}, "output": {"text": TEXT}}
        if broken and k % broken == 0:
            done = {"state": "input-available", "input": {"at": k}}
        part = {"type": "tool-look", "toolCallId": f"call_{k}", **done}
        parts = [{"type": "step-start"}, part, {"type": "text", "text": TEXT}]
        history += [
            {"id": f"u{k}", "role": "user", "parts": [{"type": "text", "text": TEXT}]},
            {"id": f"a{k}", "role": "assistant", "parts": parts},
        ]
    return history


BUILDERS = {"openai-chat": openai_chat, "anthropic": anthropic, "ai-sdk": ai_sdk}


def rows() -> Iterator[Row]:
    """Measure every format."""
    for name, build in BUILDERS.items():
        clean, broken = build(SIZE // 4, 0), build(SIZE // 4, 100)
        if repair(clean, name) is not clean or repair(broken, name) is broken:
            raise AssertionError(name)
        times = medians(
            lambda h=clean, n=name: repair(h, n),
            lambda h=broken, n=name: repair(h, n),
            rounds=9,
            clock=time.process_time,
        )
        micros = [taken / SIZE * 1e6 for taken in times]
        yield Row(f"`repair`, clean, {name}, µs a message", micros[0], 1.5, 0.4)
        yield Row(f"`repair`, 1 % broken, {name}, µs a message", micros[1], 2.5, 0.8)
