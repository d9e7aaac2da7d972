"""What every driver shares: questions in, answers out, one JSON object a line.

stdin:  {way, history}
stdout: {error, said, sent}: the name of the error the library refused with (or null), its words,
        and the requests the provider got, as [API, history].
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

os.environ |= {  # before any library is imported
    "OPENAI_API_KEY": "x",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "ANTHROPIC_API_KEY": "x",
    "GOOGLE_API_KEY": "x",
    "AWS_ACCESS_KEY_ID": "x",
    "AWS_SECRET_ACCESS_KEY": "x",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LANGSMITH_TRACING": "false",
    "OTEL_SDK_DISABLED": "true",
    "NO_PROXY": "127.0.0.1",
}

import provider

Way = Callable[[list[dict[str, Any]]], None]
ADDRESS = provider.start()
MORE = "And now?"


def answer(ways: Mapping[str, Way]) -> None:
    """Answer questions until stdin ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries print: stdout is for answers only
    for line in sys.stdin:
        question = json.loads(line)
        provider.sent.clear()
        error = said = None
        try:
            ways[question["way"]](question["history"])
        except Exception as problem:  # noqa: BLE001 - every refusal is an answer
            error, said = type(problem).__name__, str(problem)[:400]
        answers.write(json.dumps({"error": error, "said": said, "sent": provider.sent}) + "\n")
        answers.flush()
    os._exit(0)  # some wait long for threads of their own
