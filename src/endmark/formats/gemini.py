"""Gemini contents: calls are `functionCall` parts, all their responses are in the next content.

Ids are optional, so responses without one are told apart by name and order (`_gemini_ids`). Both
spellings are read, `functionCall` and `function_call`, and written as the call is spelled. Shapes
as in google-genai 3.6.1. https://ai.google.dev/api/caching#Content
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from endmark.formats._base import (
    ORPHAN_TEXT,
    History,
    Message,
    as_object,
    call_flaws,
    known_id,
    not_a_role,
    unreadable,
)
from endmark.formats._gemini_ids import (
    CALLS,
    MARK,
    NO_NAME,
    RESPONSES,
    Ids,
    body_of,
    is_made,
    known_name,
)
from endmark.formats._next_message import NextMessage
from endmark.model import At, Blank, Call, Close, Edit, Event, Kind, Mend, Result, SetId, ToText
from endmark.policy import Policy

NO_TEXT = "[no text]"
KEYS = frozenset(
    {
        *CALLS, *RESPONSES, "text", "inlineData", "inline_data", "fileData", "file_data",
        "executableCode", "executable_code", "codeExecutionResult", "code_execution_result",
    }
)  # fmt: skip
USERS = frozenset({"user", "function", "tool", None})  # what python-genai and the API let through
FOREIGN = frozenset({"content", "type"})  # keys of messages that are of other formats


class Gemini(NextMessage):
    """Contents of the Gemini API and Vertex AI."""

    name = "gemini"
    source = "https://ai.google.dev/gemini-api/docs/function-calling"
    refusal = (
        "Please ensure that the number of function response parts is equal to the number of "
        "function call parts of the function call turn."
    )
    optional_ids = True
    body = "parts"
    said: ClassVar[Message] = {"role": "user", "parts": [{"text": "."}]}
    # "function call turn comes immediately after a user turn or after a function response turn"
    alternates = frozenset({"model"})

    def skim(self, history: History) -> list[int]:
        suspects: list[int] = []
        due: list[Any] = []
        taken: list[Any] = []
        start, dirty, lead, index = 0, False, False, -1
        try:
            for index, message in enumerate(history):
                asks = message.get("role") == "model"
                parts = message.get("parts")
                if asks:
                    if dirty or due:
                        suspects += range(start, index)
                        due = []
                    start, lead, dirty, taken = index, True, not parts, []
                else:
                    lead = lead and index == start + 1
                    dirty = dirty or not parts
                for part in parts or ():
                    if part.get("text"):
                        lead = lead and asks
                        continue
                    called, answered = body_of(part, CALLS), body_of(part, RESPONSES)
                    if called is not None:
                        if not asks:
                            raise unreadable(index, "it holds a call, but it is not the model's")
                        call_id, name = key = (called.get("id"), called.get("name"))
                        if call_id in taken or call_flaws(name, called.get("args", {})):
                            dirty = True
                        due.append(key)
                        if call_id is not None:
                            taken.append(call_id)
                    elif answered is not None:
                        key = (answered.get("id"), answered.get("name"))
                        if lead and not asks and key in due and _is_said(answered):
                            due.remove(key)
                        else:
                            dirty = True
                    elif _is_blank(part):
                        dirty = True
                    else:
                        lead = lead and asks
                if not asks and message.get("role") not in USERS:
                    raise not_a_role(index, message.get("role"))
                if not parts and not FOREIGN.isdisjoint(message):
                    raise unreadable(index, "it is no content of parts")
        except (AttributeError, TypeError):
            raise unreadable(index, "it is no content of parts") from None
        if dirty or due:
            suspects += range(start, len(history))
        return suspects

    def events(self, history: History, indexes: Iterable[int], policy: Policy) -> list[Event]:
        ids = Ids(history)
        return [event for index in indexes for event in _read(history, index, ids, policy)]

    def call_ids(self, message: Message) -> Sequence[str | None]:
        bodies = (body_of(part, CALLS) for part in self.parts(message))
        return [known_id(called.get("id")) for called in bodies if called is not None]

    def block(self, history: History, index: int) -> range:
        stop = index + 1
        while stop < len(history) and history[stop].get("role") != "model":
            stop += 1
        return range(index, stop)

    def is_user(self, message: Message) -> bool:
        return message.get("role") != "model" and any(map(_is_speech, self.parts(message)))

    def is_assistant(self, message: Message) -> bool:
        return message.get("role") == "model"

    def side(self, message: Message) -> str:
        return "model" if message.get("role") == "model" else "user"

    def answers_in(self, message: Message) -> bool:
        return message.get("role") != "model"

    def note(self) -> list[Any]:
        return [{"text": NO_TEXT}]

    def parts(self, message: Message) -> list[Any]:
        return message.get("parts") or []

    def with_parts(self, message: Message, parts: list[Any]) -> Message:
        return {**message, "parts": parts}

    def message_of(self, parts: list[Any], old: Message) -> Message:
        role = old.get("role")
        return {**old, "role": "user" if role in ("model", None) else role, "parts": parts}

    def result_part(self, close: Close, call_id: str | None, asked: Any) -> Any:
        spelled = RESPONSES[CALLS.index(next(key for key in CALLS if asked.get(key) is not None))]
        response = {
            "error": close.text,
            MARK: {"synthesized": True, "outcome": close.outcome.value},
        }
        body = {"name": close.call.name or NO_NAME, "response": response}
        return {spelled: body if call_id is None else {"id": call_id, **body}}

    def edit_part(self, message: Message, part: Any, edits: Sequence[Edit]) -> list[Any]:
        for edit in edits:
            key = next(key for key in (*CALLS, *RESPONSES) if part.get(key) is not None)
            body = part[key]
            if isinstance(edit, SetId):
                part = {**part, key: {**body, "id": edit.id}}
            elif isinstance(edit, Mend):
                part = {**part, key: _mended(edit.call, body)}
            elif isinstance(edit, ToText):
                return _as_text(body)
        return [part]

    def settle(self, message: Message, parts: list[Any], edits: Sequence[Edit]) -> list[Any]:
        return parts

    def fits(self, message: Message) -> int:
        parts, role = message.get("parts"), message.get("role")
        if not isinstance(parts, list) or (role != "model" and role not in USERS):
            return -1
        if not all(isinstance(part, dict) and "type" not in part for part in parts):
            return -1
        return 1 if role == "model" or any(KEYS & part.keys() for part in parts) else 0


def _is_said(answered: Message) -> bool:
    """Tell whether a response is the object that it has to be, under a name."""
    return bool(isinstance(answered.get("response"), dict) and answered.get("name"))


def _is_blank(part: Message) -> bool:
    """Tell of a part without any data: an empty text counts as none, unless it is signed."""
    return not any(value for key, value in part.items() if key != "thought")


def _is_speech(part: Message) -> bool:
    said = body_of(part, RESPONSES) is None and not _is_blank(part)
    return said and part.get("text") != NO_TEXT


def _read(history: History, index: int, ids: Ids, policy: Policy) -> Iterator[Event]:
    """Read one content: its calls, its responses and where they stand, and blanks."""
    message = history[index]
    asks = message.get("role") == "model"
    before = index > 0 and not asks and history[index - 1].get("role") == "model"
    after = index - 1 if before else None
    parts = message.get("parts") or []
    if not parts:
        yield Blank(At(index))
    for k, part in enumerate(parts):
        at = At(index, k)
        called, answered = body_of(part, CALLS), body_of(part, RESPONSES)
        if called is not None:
            yield _call(called, at)
        elif answered is not None:
            yield _result(answered, at, after, ids, policy)
        elif _is_blank(part):
            yield Blank(at)
        else:
            after = None


def _call(called: Message, at: At) -> Call:
    given = called.get("args")
    flaws = call_flaws(called.get("name"), {} if given is None else given)
    return Call(
        at,
        known_id(called.get("id")),
        known_name(called),
        complete=Kind.INCOMPLETE not in flaws,
        arguments=given,
        slot=at.message,
        flaws=flaws,
    )


def _result(answered: Message, at: At, after: int | None, ids: Ids, policy: Policy) -> Result:
    call_id, name = ids.of(at)
    response = answered.get("response")
    said = response if isinstance(response, dict) else {}
    return Result(
        at,
        call_id,
        name,
        final=answered.get("willContinue", answered.get("will_continue")) is not True,
        synthesized=is_made(answered) or policy.is_marker(said.get("error"), call_id, name),
        error="error" in said,
        after=after,
        value=response,
        flaw=not _is_said(answered),
    )


def _mended(event: Call | Result, body: Message) -> Message:
    name = body.get("name") or event.name or NO_NAME
    if isinstance(event, Call):
        given = body.get("args")
        return {**body, "name": name, "args": as_object(given) or {}}
    response = body.get("response")
    if not isinstance(response, dict):
        response = {} if response is None else {"output": response}
    return {**body, "name": name, "response": response}


def _as_text(body: Message) -> list[Any]:
    response = body.get("response")
    words = response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)
    return [{"text": f"{ORPHAN_TEXT}\n{words}"}]


FORMAT = Gemini()
