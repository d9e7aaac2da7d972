"""What a repair of an ADK log writes: events keep their place, their id and what they did.

A response that leaves an event which stays becomes an event of its own; ids and times of new events
are those of the event that calls, so that they sort right behind it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from endmark.formats._adk_places import MARK, OWN_ID, parts_of, responses_in
from endmark.formats._base import ORPHAN_TEXT, Edits, History, Message, as_object, event_of
from endmark.formats._gemini_ids import CALLS, NO_NAME, RESPONSES
from endmark.model import Arrange, Call, Close, Drop, Edit, Mend, Result, SetId, ToText, Within

EFFECTS = ("state_delta", "artifact_delta", "stateDelta", "artifactDelta")
SCOPE = ("invocation_id", "invocationId", "author", "branch", "isolation_scope", "isolationScope")
Away = dict[int, dict[int, int | None]]
Rebuild = tuple[Message, int | None]


def with_own_ids(edits: Sequence[Edit]) -> list[Edit]:
    """Begin the ids that are made as ADK's own, which it keeps from the models."""
    made = {edit.id for edit in edits if isinstance(edit, SetId) and isinstance(edit.event, Call)}
    return [
        SetId(edit.event, OWN_ID + edit.id) if isinstance(edit, SetId) and edit.id in made else edit
        for edit in edits
    ]


def away_of(work: Edits) -> Away:
    """Give, by event, the parts that do not stay in it, and where they go: None if nowhere."""
    texts = [e.event for index in work.by_message for e in work.at(index) if isinstance(e, ToText)]
    split = {event.after for event in texts if isinstance(event, Result)}  # words come between
    away: Away = {}
    for after, arrange in work.arranged.items():
        for answer in arrange.answers:
            if isinstance(answer, Result) and (answer.after != after or after in split):
                away.setdefault(answer.at.message, {})[answer.at.part] = after
    for index in work.by_message:
        for edit in work.at(index):
            if isinstance(edit, Drop):
                away.setdefault(index, {})[edit.event.at.part] = None
    return away


def _goes_whole(event: Message, away: dict[int, int | None]) -> bool:
    """Tell whether an event moves as it is: nothing of it stays, and it goes to one place."""
    return len(away) == len(parts_of(event)) and len({*away.values()} - {None}) == 1


def kept(event: Message, edits: Sequence[Edit], away: dict[int, int | None]) -> Message | None:
    """Give what stays of an event in its place; None for nothing."""
    left = [k for k in range(len(parts_of(event))) if k not in away]
    if left or not away:
        return edited(event, edits, left) if edits or away else event
    if _goes_whole(event, away):
        return None
    actions = event.get("actions")
    if isinstance(actions, dict) and any(actions.get(effect) for effect in EFFECTS):
        return {key: value for key, value in event.items() if key != "content"}
    return None


def edited(event: Message, edits: Sequence[Edit], stay: Sequence[int]) -> Message:
    """Give an event with these of its parts, as the edits want them."""
    content = event["content"]
    parts = []
    for k in stay:
        part = content["parts"][k]
        for edit in edits:
            if (
                not isinstance(edit, Close | Arrange | Drop | Within)
                and event_of(edit).at.part == k
            ):
                part = _part(part, edit)
        parts.append(part)
    changed = {**event, "content": {**content, "parts": parts}}
    return changed if len(parts) == len(content["parts"]) else _remarked(changed)


def _remarked(event: Message) -> Message:
    """Let the mark of an event tell of the calls that it still answers, and of no others."""
    for key in ("custom_metadata", "customMetadata"):
        metadata = event.get(key)
        if isinstance(metadata, dict) and isinstance(metadata.get(MARK), dict):
            ids = [body.get("id") or "" for body in responses_in(event)]
            mark = {id_: metadata[MARK][id_] for id_ in metadata[MARK] if id_ in ids}
            return {**event, key: {**metadata, MARK: mark}}
    return event


def _part(part: Message, edit: SetId | Mend | ToText) -> Message:
    key = next(key for key in (*CALLS, *RESPONSES) if part.get(key) is not None)
    body = part[key]
    if isinstance(edit, SetId):
        return {**part, key: {**body, "id": edit.id}}
    if isinstance(edit, ToText):
        return as_text(body)
    name = body.get("name") or edit.call.name or NO_NAME
    if isinstance(edit.call, Call):
        return {**part, key: {**body, "name": name, "args": as_object(body.get("args")) or {}}}
    response = body.get("response")
    if not isinstance(response, dict):
        response = {} if response is None else {"result": response}
    return {**part, key: {**body, "name": name, "response": response}}


def answers(history: History, after: int, work: Edits, away: Away) -> Iterator[Rebuild]:
    """Give the events that come in behind a call event, with the index that they had before."""
    event = history[after]
    given = work.arranged[after].answers
    closes = [answer for answer in given if isinstance(answer, Close)]
    if closes:
        yield closing(event, [(close, work.id_of(close.call)) for close in closes]), None
    for index in dict.fromkeys(a.at.message for a in given if isinstance(a, Result)):
        moved = [k for k, to in away.get(index, {}).items() if to == after]
        if not moved:
            continue
        made = edited(history[index], work.at(index), sorted(moved))
        if _goes_whole(history[index], away[index]):
            yield made, index
        else:
            yield _apart(made, index, event), None


def closing(event: Message, closes: Sequence[tuple[Close, str | None]]) -> Message:
    """Make the event that answers what this one asked, as ADK does for what it ends itself."""
    asked = {id(part): part for part in parts_of(event)}
    camel = any(CALLS[0] in part for part in asked.values())
    spelled = RESPONSES[0] if camel else RESPONSES[1]
    parts = []
    for close, call_id in closes:
        body = {"name": close.call.name or NO_NAME, "response": {"error": close.text}}
        parts.append({spelled: body if call_id is None else {"id": call_id, **body}})
    outcomes = {call_id or "": close.outcome.value for close, call_id in closes}
    metadata = "customMetadata" if "invocationId" in event else "custom_metadata"
    made = {"content": {"parts": parts, "role": "user"}}
    made |= {key: event[key] for key in SCOPE if key in event}
    return {**made, metadata: {MARK: outcomes}, **_stamp(event, "endmark")}


def _apart(made: Message, index: int, event: Message) -> Message:
    """Make a response that leaves its event an event of its own, without what that one did."""
    kept = {key: value for key, value in made.items() if key != "actions"}
    return {**kept, **_stamp(event, f"endmark-{index}")}


def _stamp(event: Message, mark: str) -> Message:
    """Give the id and time right behind an event: ADK orders by time, then by id."""
    stamp = {}
    if isinstance(event.get("id"), str):
        stamp["id"] = f"{event['id']}-{mark}"
    if event.get("timestamp") is not None:
        stamp["timestamp"] = event["timestamp"]
    return stamp


def as_text(answered: Message) -> Message:
    response = answered.get("response")
    words = response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)
    return {"text": f"{ORPHAN_TEXT}\n{words}"}
