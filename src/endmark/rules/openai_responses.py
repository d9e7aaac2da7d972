"""The rules of the OpenAI Responses API, as it states them when a request breaks one.

An output may stand anywhere behind its call, and has to be of the call's kind. Reasoning has to be
followed by what the model went on with. Some servers of the same format (vLLM and gateways among
them) also parse old arguments and want every call to have an id of its own: a history has to pass
there too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from endmark.rules import Message, Rule, Turn, Violation

__all__ = ["RULES", "violations"]

_ISSUES: Final = "https://github.com/{}/issues/{}"
_PULLS: Final = "https://github.com/{}/pull/{}"
_ID_LIMIT: Final = 64

MISSING_OUTPUT: Final = Rule(
    "missing-result",
    "No tool output found for {kind} {id}.",
    _ISSUES.format("diegosouzapw/OmniRoute", 8946),
)
UNKNOWN_CALL: Final = Rule(
    "orphan-result",
    "No tool call found for {kind} with call_id {id}.",
    _ISSUES.format("continuedev/continue", 10092),
)
LONE_REASONING: Final = Rule(
    "lone-reasoning",
    "Item '{item}' of type 'reasoning' was provided without its required following item.",
    _ISSUES.format("continuedev/continue", 8933),
)
SAME_ITEM: Final = Rule(
    "duplicate-item",
    "Duplicate item found with id {item}",
    _PULLS.format("vercel/ai", 13383),
)
SAME_CALL: Final = Rule(
    "duplicate-id",
    "Duplicate 'call_id': {id}",
    _ISSUES.format("earendil-works/pi", 9057),
)
EMPTY_ID: Final = Rule(
    "empty-id",
    "Invalid 'input[{at}].call_id': empty string. Expected a string with minimum length 1, but got"
    " an empty string instead.",
    _ISSUES.format("earendil-works/pi", 2917),
)
LONG_ID: Final = Rule(
    "long-id",
    f"Invalid 'input[{{at}}].call_id': string too long. Expected a string with maximum length"
    f" {_ID_LIMIT}, but got a string with length {{length}} instead.",
    _ISSUES.format("AnswerDotAI/fastllm", 45),
)
WRONG_PREFIX: Final = Rule(
    "bad-item-id",
    "Invalid 'input[{at}].id': '{item}'. Expected an ID that begins with '{prefix}'.",
    _ISSUES.format("can1357/oh-my-pi", 977),
)
EMPTY_NAME: Final = Rule(
    "empty-name",
    "Invalid 'input[{at}].name': empty string. Expected a string with minimum length 1, but got an"
    " empty string instead.",
    _ISSUES.format("diegosouzapw/OmniRoute", 346),
)
ARGUMENTS_JSON: Final = Rule(
    "bad-arguments",
    "Responses function_call arguments are invalid JSON: {reason}",
    _ISSUES.format("Alishahryar1/free-claude-code", 911),
)
RULES: Final = tuple(rule for rule in list(globals().values()) if isinstance(rule, Rule))

_OUTPUT: Final = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "computer_call": "computer_call_output",
    "shell_call": "shell_call_output",
    "local_shell_call": "local_shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "tool_search_call": "tool_search_output",
}
_CALL: Final = {output: call for call, output in _OUTPUT.items()}
_PREFIX: Final = {"function_call": "fc", "custom_tool_call": "ctc"}
_SAID_TO_THE_MODEL: Final = ("user", "system", "developer")
_NO_ITEM_ID: Final = "__fake_id__"  # openai-agents' placeholder, which it leaves out again


def violations(history: list[Message], provider: str, turn: Turn) -> Iterator[Violation]:
    """Yield what the Responses API refuses; source: the reports linked by the rules.

    >>> output = {"type": "function_call_output", "call_id": "call_1", "output": "ok"}
    >>> [found.message for found in violations([output], "openai-responses", "over")]
    ['No tool call found for function call output with call_id call_1.']
    """
    del provider
    yield from _pairs(history, turn)
    yield from _reasoning(history, turn)
    seen: set[str] = set()
    called: set[str] = set()
    for at, item in enumerate(history):
        kind = str(item.get("type"))
        if kind in _OUTPUT or kind == "reasoning":
            yield from _item_id(at, kind, item, seen)
        if kind in _OUTPUT and not _is_the_server_s(item):
            yield from _call_id(at, item, called)
            yield from _asked(at, kind, item)


def _is_the_server_s(item: Message) -> bool:
    """Tell whether the server searched for tools itself, which it answers itself."""
    kind = item.get("type")
    return kind in ("tool_search_call", "tool_search_output") and (
        item.get("execution") == "server" or item.get("call_id") is None
    )


def _call_names(item: Message) -> set[str]:
    """Give the names by which outputs may name a call; openai's types have local shells use `id`."""
    own = {str(item.get("id"))} if item.get("type") == "local_shell_call" else set()
    return own | {str(item.get("call_id"))}


def _named(item: Message) -> Any:
    """Give the name by which an output names its call."""
    own = item.get("id") if item.get("type") == "local_shell_call_output" else None
    return item.get("call_id") or own


def _pairs(history: list[Message], turn: Turn) -> Iterator[Violation]:
    """Take each output for the nearest open call of its kind and id before it."""
    open_: dict[tuple[str, str], list[int]] = {}
    held = any(item.get("type") == "item_reference" for item in history)
    last_user = max((at for at, i in enumerate(history) if i.get("role") == "user"), default=-1)
    for at, item in enumerate(history):
        kind = str(item.get("type"))
        if _is_the_server_s(item):
            continue
        if kind in _OUTPUT:
            for name in _call_names(item):
                open_.setdefault((kind, name), []).append(at)
        elif kind in _CALL:
            waiting = open_.get((_CALL[kind], str(_named(item))))
            if waiting:
                call = waiting[-1]
                for name in _call_names(history[call]):
                    open_[_CALL[kind], name].remove(call)
            elif not held:
                words = kind.replace("_", " ")
                yield UNKNOWN_CALL.broken(at, _named(item), kind=words)
    for at, kind in sorted({(at, kind) for (kind, _), left in open_.items() for at in left}):
        if turn == "over" or at < last_user:
            words = kind.replace("_", " ")
            yield MISSING_OUTPUT.broken(at, history[at].get("call_id"), kind=words)


def _reasoning(history: list[Message], turn: Turn) -> Iterator[Violation]:
    thought: list[int] = []
    for at, item in enumerate(history):
        kind = str(item.get("type"))
        if kind == "reasoning":
            thought.append(at)
            continue
        if kind in _CALL or item.get("role") in _SAID_TO_THE_MODEL:
            for before in thought:
                yield LONE_REASONING.broken(before, item=history[before].get("id"))
        thought = []
    for before in thought if turn == "over" else ():
        yield LONE_REASONING.broken(before, item=history[before].get("id"))


def _item_id(at: int, kind: str, item: Message, seen: set[str]) -> Iterator[Violation]:
    own = item.get("id")
    if own is None or own == _NO_ITEM_ID:
        return
    prefix = _PREFIX.get(kind)
    if prefix and not str(own).startswith(prefix):
        yield WRONG_PREFIX.broken(at, item.get("call_id"), item=own, prefix=prefix)
    if str(own) in seen:
        yield SAME_ITEM.broken(at, item.get("call_id"), item=own)
    seen.add(str(own))


def _call_id(at: int, item: Message, called: set[str]) -> Iterator[Violation]:
    name = item.get("call_id")
    if not isinstance(name, str) or not name:
        yield EMPTY_ID.broken(at, name)
        return
    if len(name) > _ID_LIMIT:
        yield LONG_ID.broken(at, name, length=len(name))
    if name in called:
        yield SAME_CALL.broken(at, name)
    called.add(name)


def _asked(at: int, kind: str, item: Message) -> Iterator[Violation]:
    if kind in _PREFIX and not item.get("name"):
        yield EMPTY_NAME.broken(at, item.get("call_id"))
    if kind != "function_call":
        return
    try:
        json.loads(item.get("arguments") or "")
    except (TypeError, ValueError) as error:
        reason = getattr(error, "msg", "not a text")
        yield ARGUMENTS_JSON.broken(at, item.get("call_id"), reason=reason)
    except RecursionError:  # too deep for this parser says nothing about the provider's
        return
