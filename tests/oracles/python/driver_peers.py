"""The functions that published libraries repair a history with, timed beside Endmark and tried.

argv:   the folder of Endmark's source
stdin:  one JSON object: {peer, format, objects, tries: [[messages, more messages]], clean, broken,
        rounds}; `objects`: Endmark reads the library's objects too
stdout: one JSON object: {tries: [history or null], theirs: [clean, broken], ours}: CPU time a
        message, medians of rounds in turn; a null where the function failed.
"""

from __future__ import annotations

import copy
import gc
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

History = list[dict[str, Any]]


class Peer(NamedTuple):
    """Read plain messages, repair what was read (timed), give plain messages again."""

    read: Callable[[History], Any]
    repair: Callable[[Any], Any]
    write: Callable[[Any], History]


def plain(repair: Callable[[Any], Any]) -> Peer:
    return Peer(lambda history: history, repair, lambda history: history)


def litellm() -> Peer:
    import litellm as library
    from litellm.litellm_core_utils.prompt_templates.factory import (
        sanitize_messages_for_tool_calling,
    )

    library.modify_params = True
    return plain(sanitize_messages_for_tool_calling)


def litellm_anthropic() -> Peer:
    """Repair chat messages on the way to Anthropic: what is written is Anthropic's."""
    import litellm as library
    from litellm.litellm_core_utils.prompt_templates.factory import anthropic_messages_pt

    library.modify_params = True
    return plain(
        lambda history: anthropic_messages_pt(
            history, model="claude-sonnet-4-5", llm_provider="anthropic"
        )
    )


def tool_call_repair() -> Peer:
    from toolrepair import repair

    return plain(lambda history: repair(history, strategy="synthesize"))


def strands() -> Peer:
    from strands.session.repository_session_manager import RepositorySessionManager as Manager

    return plain(lambda history: Manager._fix_broken_tool_use(None, history))  # type: ignore[arg-type]


def openai_agents() -> Peer:
    from agents.run_internal import items

    return plain(
        lambda history: items.deduplicate_input_items_preferring_latest(
            items.normalize_input_items_for_api(items.drop_orphan_function_calls(history))
        )
    )


def deepagents() -> Peer:
    from deepagents.middleware.patch_tool_calls import PatchToolCallsMiddleware
    from langchain_core.messages import messages_from_dict, messages_to_dict

    middleware = PatchToolCallsMiddleware()

    def repair(messages: Any) -> Any:
        patched = middleware.before_agent({"messages": messages}, None)  # type: ignore[arg-type]
        return patched["messages"][1:] if patched else messages

    return Peer(
        lambda history: messages_from_dict(
            [row if "data" in row else {"type": row["type"], "data": row} for row in history]
        ),
        repair,
        messages_to_dict,
    )


def pydantic_ai() -> Peer:
    from pydantic_ai.messages import ModelMessagesTypeAdapter as Adapter
    from pydantic_ai.messages import repair_messages

    return Peer(
        Adapter.validate_python,
        repair_messages,
        lambda messages: Adapter.dump_python(messages, mode="json"),
    )


def google_adk() -> Peer:
    from google.adk.events import Event
    from google.adk.flows.llm_flows.tools import _rearranger as tools

    def repair(events: Any) -> Any:
        """Do what the building of a request does, in its order."""
        events = tools.drop_orphaned_function_responses(events)
        events = tools.rearrange_events_for_latest_function_response(events)
        events = tools.rearrange_events_for_async_function_responses_in_history(events)
        return tools.drop_orphaned_function_calls(events)

    return Peer(
        lambda history: [Event.model_validate(event) for event in history],
        repair,
        lambda events: [event.model_dump(mode="json", exclude_none=True) for event in events],
    )


PEERS = {
    peer.__name__: peer
    for peer in (
        litellm,
        litellm_anthropic,
        tool_call_repair,
        strands,
        openai_agents,
        deepagents,
        pydantic_ai,
        google_adk,
    )
}


def tried(peer: Peer, told: list[History]) -> History | None:
    """Repair what was told so far before each piece that is told after it, and at the end."""
    history: History = []
    try:
        for more in told:
            history = peer.write(peer.repair(peer.read([*history, *more])))
    except Exception:  # noqa: BLE001 - a history that it cannot take is one it did not repair
        return None
    return history


def micros(
    peer: Peer, ours: Callable[[Any], Any], history: History, question: dict[str, Any]
) -> tuple[float, float]:
    """Give what repairing takes them, and us, on the same messages in turn."""
    taken: list[list[float]] = [[], []]
    for number in range(question["rounds"]):
        for k in (0, 1) if number % 2 else (1, 0):
            given = copy.deepcopy(history)  # some repair in place
            if k == 0 or question["objects"]:
                given = peer.read(given)
            work = ours if k else peer.repair
            gc.collect()
            start = time.process_time()
            work(given)
            taken[k].append(time.process_time() - start)
    theirs, mine = (statistics.median(times) / len(history) * 1e6 for times in taken)
    return theirs, mine


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # libraries print: stdout is for the answer only
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    question = json.load(sys.stdin)
    peer, name = PEERS[question["peer"]](), question["format"]
    sys.path.insert(0, sys.argv[1])
    import endmark

    clean = micros(peer, lambda h: endmark.check(h, name), question["clean"], question)
    broken = micros(peer, lambda h: endmark.repair(h, name), question["broken"], question)
    answer = {
        "tries": [tried(peer, told) for told in question["tries"]],
        "theirs": [clean[0], broken[0]],
        "ours": [clean[1], broken[1]],
    }
    json.dump(answer, answers)
    answers.flush()
    os._exit(0)  # some wait long for threads of their own


main()
