"""Open WebUI: chats with branches, written and read on by its own models and functions.

The tables are made by its own migrations. Half pairs are what a server leaves that ends while a tool
runs, or what its own `pause_for_tool_approval` stores.
"""

from __future__ import annotations

import asyncio
import copy
import os
import tempfile
from itertools import pairwise
from typing import Any

import talk

os.environ.setdefault("DATA_DIR", tempfile.mkdtemp())
os.environ.setdefault("WEBUI_SECRET_KEY", "secret")
# Without the packages for documents and pictures, which nothing here needs.
os.environ |= {"FROM_INIT_PY": "true", "USE_SLIM": "true", "VECTOR_DB": "none"}

from alembic import command
from alembic.config import Config
from open_webui import env
from open_webui.internal import db
from open_webui.models.chat_messages import ChatMessages
from open_webui.models.chats import ChatForm, Chats
from open_webui.models.users import Users
from open_webui.utils.misc import convert_output_to_messages, get_message_list
from sqlalchemy import NullPool

WORDS = {"id": "msg_1", "type": "message", "role": "assistant"}


def says(words: str, status: str = "completed") -> dict[str, Any]:
    return {**WORDS, "status": status, "content": [{"type": "output_text", "text": words}]}


def call(id_: str, status: str, name: str = "weather") -> dict[str, Any]:
    asked = {"type": "function_call", "id": id_, "call_id": id_, "name": name}
    return {**asked, "arguments": '{"city": "Zürich"}', "status": status}


def result(id_: str) -> dict[str, Any]:
    output = [{"type": "input_text", "text": '{"degrees": 21}'}]
    given = {"type": "function_call_output", "id": f"fco_{id_}", "call_id": id_, "output": output}
    return {**given, "status": "completed"}


# Each chat: (id, parent, role, output, done), parents before children; the last one is current.
CHATS: dict[str, list[tuple[str, str | None, str, list[dict[str, Any]] | None, bool]]] = {
    # the server ended between two tools; the person went on, and asked once more on a branch
    "branches": [
        ("u1", None, "user", None, True),
        (
            "a1",
            "u1",
            "assistant",
            [says("Let me look."), call("c1", "completed"), call("c2", "in_progress"),
             result("c1")],
            False,
        ),
        ("u2", "a1", "user", None, True),
        ("a2", "u2", "assistant", [says("It is warm.")], True),
        ("u3", "a1", "user", None, True),
    ],
    # stopped: two answers side by side, the first of them with an open call
    "stopped": [
        ("u1", None, "user", None, True),
        ("a1", "u1", "assistant", [call("c3", "incomplete")], True),
        ("a2", "u1", "assistant", [call("c4", "completed"), result("c4"), says("Warm.")], True),
    ],
    "end": [
        ("u1", None, "user", None, True),
        ("a1", "u1", "assistant", [call("c5", "in_progress")], False),
    ],
    "approval": [
        ("u1", None, "user", None, True),
        ("a1", "u1", "assistant", [call("c6", "pending"), call("c7", "queued")], False),
    ],
    "question": [
        ("u1", None, "user", None, True),
        ("a1", "u1", "assistant", [call("c8", "pending", "ask_user")], False),
    ],
    "sound": [
        ("u1", None, "user", None, True),
        ("a1", "u1", "assistant", [call("c9", "completed"), result("c9"), says("Warm.")], True),
        ("u2", "a1", "user", None, True),
    ],
    "differs": [
        ("u1", None, "user", None, True),
        ("a1", "u1", "assistant", [call("c11", "in_progress")], True),
        ("u2", "a1", "user", None, True),
    ],
    "stripped": [
        ("u1", None, "user", None, True),
        ("a1", "u1", "assistant", [call("c12", "in_progress")], True),
        ("u2", "a1", "user", None, True),
    ],
    # written by a release that had no table of messages
    "old": [
        ("u1", None, "user", None, True),
        ("a1", "u1", "assistant", [call("c10", "in_progress")], False),
        ("u2", "a1", "user", None, True),
    ],
}  # fmt: skip


WAITS = {"approval", "question"}  # nobody goes on before they are answered


def opened(url: str) -> None:
    """Put the application on this database; it takes one, at its start."""
    env.DATABASE_URL = url
    make = getattr(db, "_create_async_engine", db.create_async_engine)  # later with its JSON
    engine = make(db._make_async_url(url), poolclass=NullPool)
    db.AsyncSessionLocal.configure(bind=engine)


def migrate() -> None:
    settings = Config(env.OPEN_WEBUI_DIR / "alembic.ini")
    settings.set_main_option("script_location", str(env.OPEN_WEBUI_DIR / "migrations"))
    command.upgrade(settings, "head")


async def writing() -> None:
    await Users.insert_new_user("u", "Ada", "ada@example.org", role="admin")
    for name, told in CHATS.items():
        history: dict[str, Any] = {"messages": {}, "currentId": None}
        body = {"title": name, "models": ["fake"], "history": history, "messages": []}
        if name == "old":
            history["messages"] = {id_: message(told, id_) for id_, *_ in told}
            history["currentId"] = told[-1][0]
            body["messages"] = [copy.deepcopy(message(told, id_)) for id_, *_ in told]
        await Chats.insert_new_chat(name, "u", ChatForm(chat=body))
        for id_, *_ in told if name != "old" else ():
            await Chats.upsert_message_to_chat_by_id_and_message_id(name, id_, message(told, id_))
    await ChatMessages.delete_messages_by_chat_id("old")
    # the table knows more than the tree; the tree was sent back by a page without the items
    known = [call("c11", "completed"), result("c11")]
    await ChatMessages.upsert_message("a1", "differs", "u", {"output": known})
    seen = message(CHATS["stripped"], "a1") | {"output": None}
    asked = {"currentId": "u2", "messages": {"a1": seen}}
    await Chats.update_chat_by_id("stripped", {"history": asked})
    stale = message(CHATS["stripped"], "a1")
    await ChatMessages.upsert_message("a1", "stripped", "u", {"output": stale["output"]})


def message(told: list[Any], id_: str) -> dict[str, Any]:
    _, parent, role, output, done = next(one for one in told if one[0] == id_)
    children = [other for other, of, *_ in told if of == id_]
    made: dict[str, Any] = {"id": id_, "parentId": parent, "childrenIds": children, "role": role}
    made |= {"content": f"{role} {id_}", "timestamp": 1_790_000_000}
    if output is not None:
        made |= {"output": output, "done": done, "model": "fake"}
    return made


async def going_on() -> None:
    """Send each branch as the application does, then let it go on to an answer that is stored."""
    for name, told in CHATS.items():
        if name in WAITS:
            continue
        chat = await Chats.get_chat_by_id(name)
        assert chat.chat["history"]["currentId"] == told[-1][0], (name, chat)
        parents = {of for _, of, *_ in told}
        for last in [id_ for id_, *_ in told if id_ not in parents]:
            line = get_message_list(await Chats.get_messages_map_by_chat_id(name), last)
            try:
                if talk.others_read():
                    require_pairs([item for one in line for item in one.get("output") or ()])
                sent = [m for one in line for m in as_sent(one)]
                asked = [[c["id"] for c in m.get("tool_calls", ())] for m in sent]
                given = [[m["tool_call_id"]] if m["role"] == "tool" else [] for m in sent]
                talk.require_pairs(asked, given)
                print(name, last, len(sent), "messages are sent:", await answered(name, last))
            except talk.RefusedError as error:
                print(name, last, "REFUSED", error)


def require_pairs(items: list[dict[str, Any]]) -> None:
    """Refuse half pairs as the Responses API does, whose items a message holds."""
    calls = {item["call_id"] for item in items if item["type"] == "function_call"}
    results = {item["call_id"] for item in items if item["type"] == "function_call_output"}
    if calls != results:
        raise talk.RefusedError(f"No tool output found for function call {calls ^ results}.")


async def answered(name: str, last: str) -> str:
    """Store an answer behind a branch, and give its words as they are read back."""
    answer = {"id": f"{last}-on", "parentId": last, "role": "assistant", "done": True}
    said = {**answer, "childrenIds": [], "output": [says("Sunny.")], "content": "Sunny."}
    await Chats.upsert_message_to_chat_by_id_and_message_id(name, said["id"], said)
    line = get_message_list(await Chats.get_messages_map_by_chat_id(name), said["id"])
    assert all(a["id"] == b["parentId"] for a, b in pairwise(line))
    words: str = line[-1]["content"]
    return words


def as_sent(one: dict[str, Any]) -> list[dict[str, Any]]:
    if one["role"] == "assistant" and one.get("output"):
        return list(convert_output_to_messages(one["output"], raw=True))
    return [{"role": one["role"], "content": one["content"]}]


def write(url: str) -> None:
    opened(url)
    if hasattr(db, "handle_peewee_migration"):  # 0.9: what those of alembic begin with
        db.handle_peewee_migration(url)
    migrate()
    asyncio.run(writing())


def go_on(url: str) -> None:
    opened(url)
    asyncio.run(going_on())


talk.main(write, go_on)
