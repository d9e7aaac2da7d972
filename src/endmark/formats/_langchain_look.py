"""The first look at LangChain messages: which blocks are not plainly sound.

A message that holds all that LangChain writes today is looked at key by key; one that lacks some
of it, is worn as a constructor or has its calls elsewhere too, is read with more care.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from endmark.errors import UnreadableError
from endmark.formats._base import History, known_id, unlike, unreadable
from endmark.formats._langchain_calls import calls_of, content_calls, flaws_of, hosted_calls
from endmark.formats._langchain_clothes import class_named, undress

ODD = (AttributeError, LookupError, TypeError)
NO_MESSAGE = "it is not a LangChain message"
SHORT = f"{NO_MESSAGE} but short for one, which langchain_core.messages.convert_to_messages makes"
SPEAKERS = frozenset({"human", "ai"})  # behind a call they leave it open


def suspects_in(history: History) -> list[int]:
    """Give the indexes of messages that are not plainly sound."""
    first: Any = next(iter(history), None)
    if isinstance(first, dict):
        return _in_rows(history, nested="data" in first)
    return _in_objects(history)


def _in_rows(history: History, *, nested: bool) -> list[int]:
    suspects: list[int] = []
    start = stop = 0  # of the last block: what stands before its end has been looked at
    each = enumerate(history)
    for index, message in each:
        if index < stop:
            continue
        try:
            if (kind := message["type"]) == "human":
                continue
            fields = message["data"] if nested else message
            if kind == "ai" and not (
                (
                    fields["additional_kwargs"]
                    or fields["invalid_tool_calls"]
                    or fields["content"].__class__ is list
                )
                and hides(fields)
            ):
                if not (calls := fields["tool_calls"]):
                    continue
                if len(calls) > 1:
                    results: list[Any] = list(history[index + 1 : index + 1 + len(calls)])
                    kinds = [result["type"] for result in results]
                    results = [result["data"] for result in results] if nested else results
                    if _are_answered(calls, kinds, results):
                        start, stop = index, index + 1 + len(calls)
                        continue
                else:  # by far the most: spelt out, without a loop
                    call, result = calls[0], history[index + 1]
                    kind = result["type"]
                    result = result["data"] if nested else result
                    if (
                        kind == "tool"
                        and result["tool_call_id"] == (call_id := call["id"])
                        and call_id
                        and call_id.__class__ is str
                        and call["args"].__class__ is dict
                        and call["name"]
                        and result["content"] is not None
                        and result.get("status") != "error"
                    ):
                        start, stop = index, index + 2
                        next(each)
                        continue
                    if kind in SPEAKERS and call.__class__ is dict:
                        suspects.append(index)
                        start = stop = index + 1
                        continue
        except ODD:
            pass
        start, stop, unsound = _with_care(history, index, start, stop)
        suspects += unsound
    return suspects


def _in_objects(history: History) -> list[int]:
    """Look at the library's own objects: by their class, since each field costs a look of its own."""
    suspects: list[int] = []
    start = stop = 0
    human, ai, tool = map(class_named, ("HumanMessage", "AIMessage", "ToolMessage"))
    message: Any
    each = enumerate(history)
    for index, message in each:
        if (worn := type(message)) is human or index < stop:
            continue
        try:
            if worn is ai and not (
                (
                    (fields := message.__dict__)["additional_kwargs"]
                    or fields["invalid_tool_calls"]
                    or fields["content"].__class__ is list
                )
                and hides(fields)
            ):
                if not (calls := fields["tool_calls"]):
                    continue
                if len(calls) > 1:
                    results: list[Any] = list(history[index + 1 : index + 1 + len(calls)])
                    kinds = [result.type for result in results]
                    if _are_answered(calls, kinds, [result.__dict__ for result in results]):
                        start, stop = index, index + 1 + len(calls)
                        continue
                else:
                    call, answer = calls[0], history[index + 1]
                    if (worn := type(answer)) is tool:
                        result = answer.__dict__
                        if (
                            result["tool_call_id"] == (call_id := call["id"])
                            and call_id
                            and call_id.__class__ is str
                            and call["args"].__class__ is dict
                            and call["name"]
                            and result["content"] is not None
                            and result["status"] != "error"
                        ):
                            start, stop = index, index + 2
                            next(each)
                            continue
                    elif (worn is human or worn is ai) and call.__class__ is dict:
                        suspects.append(index)
                        start = stop = index + 1
                        continue
        except ODD:
            pass
        start, stop, unsound = _with_care(history, index, start, stop)
        suspects += unsound
    return suspects


def _are_answered(calls: list[Any], kinds: list[Any], results: list[Any]) -> bool:
    """Tell whether these results, in order, plainly answer several calls."""
    for call, kind, result in zip(calls, kinds, results, strict=False):
        if (
            kind != "tool"
            or result["tool_call_id"] != (call_id := call["id"])
            or not call_id
            or call_id.__class__ is not str
            or call["args"].__class__ is not dict
            or not call["name"]
            or result["content"] is None
            or result.get("status") == "error"
        ):
            return False
    return len({call["id"] for call in calls}) == len(calls) == len(results)


def _with_care(history: History, index: int, start: int, stop: int) -> tuple[int, int, range]:
    """Look at a message of any sort: the block it is of, or the one before, and what is not sound."""
    try:
        kind, fields = undress(history[index])
    except ODD:
        raise _unlike(index, history[index]) from None
    if kind == "tool":  # one too many behind the last block, or behind none
        return index + 1, index + 1, range(start if index == stop else index, index + 1)
    if kind != "ai":
        return start, stop, range(0)
    end, sound = _block(history, index, fields)
    return (index, end, range(0)) if sound else (end, end, range(index, end))


def _block(history: History, index: int, fields: Mapping[str, Any]) -> tuple[int, bool]:
    """Give the end of the block of this message, and tell whether all is well in it."""
    at = index
    try:
        due, sound = _due(fields)
        for at in range(index + 1, len(history)):
            kind, result = undress(history[at])
            if kind != "tool":
                return at, sound and not due
            if (call_id := result.get("tool_call_id")) in due and not is_flawed(result):
                due.remove(call_id)
            else:
                sound = False
    except ODD:
        raise _unlike(at, history[at]) from None
    return len(history), sound and not due


def _due(fields: Mapping[str, Any]) -> tuple[list[Any], bool]:
    """Give the ids that are due behind an AI message, and tell whether its calls are well."""
    if hides(fields):
        calls = calls_of(fields)
        ids = [call.id for call in calls]
        flawed = any(flaws_of(call, fields) for call in calls) or bool(hosted_calls(fields))
    else:
        plain = fields.get("tool_calls") or ()
        ids = [known_id(call.get("id")) for call in plain]
        flawed = any(
            call.get("args").__class__ is not dict or not call.get("name") for call in plain
        )
    return ids, not flawed and all(ids) and len(set(ids)) == len(ids)


def hides(fields: Mapping[str, Any]) -> bool:
    """Tell whether calls stand elsewhere than in `tool_calls`."""
    return bool(
        fields.get("invalid_tool_calls")
        or ((kwargs := fields.get("additional_kwargs")) and kwargs.get("tool_calls"))
        or (
            (content := fields.get("content")).__class__ is list
            and (content_calls(content) or hosted_calls(fields))
        )
    )


def is_flawed(fields: Mapping[str, Any]) -> bool:
    """Tell whether a provider refuses what a result says."""
    content = fields.get("content")
    return content is None or (
        fields.get("status") == "error" and (not content or str(content).isspace())
    )


def _unlike(index: int, message: Any) -> UnreadableError:
    """Make the error for no message; LangChain itself takes tuples, texts and roles for one."""
    if isinstance(message, dict):
        short = "role" in message and "type" not in message
    else:
        short = isinstance(message, str | tuple | list)
    if short:
        return unreadable(index, SHORT)
    return unlike(index, message, NO_MESSAGE, "type")
