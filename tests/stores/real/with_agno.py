"""agno 2.x and 3.x: the runs of `SqliteDb` and `PostgresDb`, by a fake model that refuses half pairs.

`crashed` runs are stored as the library stores them, with the status that a dead process leaves;
`cancelled` and `paused` are what a run of the library itself leaves.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import talk
from agno.agent import Agent
from agno.models.base import Model
from agno.models.message import Message
from agno.models.response import ModelResponse, ToolExecution
from agno.run.agent import RunOutput
from agno.run.base import RunStatus
from agno.session import AgentSession
from agno.tools import tool

try:
    from agno.exceptions import RunCancelledException
except ImportError:
    from agno.run.cancel import RunCancelledException


def call(id_: str, name: str = "weather") -> dict[str, Any]:
    function = {"name": name, "arguments": '{"city": "Bern"}'}
    return {"id": id_, "type": "function", "function": function}


class Fake(Model):
    """Asks for the tools that it was made with, then says one thing; refuses half pairs."""

    asks: list[dict[str, Any]]

    def invoke(self, messages: list[Message], *_: Any, **given: Any) -> ModelResponse:
        talk.require_pairs(*ids(messages))
        assistant = given.get("assistant_message")
        if assistant is not None and hasattr(assistant, "metrics") and assistant.metrics:
            assistant.metrics.start_timer()
            assistant.metrics.stop_timer()
        asked, self.asks = self.asks, []
        if asked:
            return ModelResponse(role="assistant", content="", tool_calls=asked)
        return ModelResponse(role="assistant", content="Sunny.")

    async def ainvoke(self, *given: Any, **more: Any) -> ModelResponse:
        return self.invoke(*given, **more)

    def invoke_stream(self, *given: Any, **more: Any) -> Iterator[ModelResponse]:
        yield self.invoke(*given, **more)

    async def ainvoke_stream(self, *given: Any, **more: Any) -> AsyncIterator[ModelResponse]:
        yield self.invoke(*given, **more)

    def _parse_provider_response(self, response: Any, **_: Any) -> ModelResponse:
        return response

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        return response


def ids(messages: list[Message]) -> tuple[list[list[str]], list[list[str]]]:
    calls = [
        [c["id"] for c in m.tool_calls or []] if m.role == "assistant" else [] for m in messages
    ]
    results: list[list[str]] = []
    for k, m in enumerate(messages):
        several = m.role == "tool" and not m.tool_call_id and m.tool_calls
        own = [m.tool_call_id] if m.role == "tool" and m.tool_call_id else []
        results.append(calls[k - 1] if several else own)
    return calls, results


@tool
def weather(city: str) -> str:
    """Tell the weather."""
    return "21 degrees"


@tool
def stop(city: str) -> str:
    """Be stopped by the user."""
    raise RunCancelledException("stopped")


@tool(requires_confirmation=True)
def book(city: str) -> str:
    """Book a trip."""
    return "booked"


def agent(db: Any, *asks: dict[str, Any], **more: Any) -> Agent:
    model = Fake(id="fake")
    model.asks = list(asks)
    return Agent(
        id="bot",
        model=model,
        db=db,
        tools=[weather, stop, book],
        add_history_to_context=True,
        telemetry=False,
        **more,
    )


def database(url: str) -> Any:
    if url.startswith("sqlite"):
        from agno.db.sqlite import SqliteDb

        return SqliteDb(db_url=url)
    from agno.db.postgres import PostgresDb

    return PostgresDb(db_url=url)


def made(kind: str, content: Any, **more: Any) -> Message:
    if kind == "user":
        return Message(role="user", content=content, **more)
    if kind == "says":
        return Message(role="assistant", content=content, **more)
    if kind == "result":
        about = {"tool_call_id": content, "tool_name": "weather", "tool_args": {"city": "Bern"}}
        return Message(role="tool", content="21 degrees", **about, **more)
    return Message(role="assistant", tool_calls=[call(id_) for id_ in content], **more)


def runs_of(steps: list[tuple[str, Any]]) -> list[list[Message]]:
    """Cut what is told where the user speaks: that is a run."""
    runs: list[list[Message]] = []
    for kind, content in steps:
        if kind == "user":
            runs.append([])
        runs[-1].append(made(kind, content))
    return runs


def stored(name: str, number: int, messages: list[Message], **more: Any) -> RunOutput:
    given = {"status": RunStatus.running, **more}
    made_ = RunOutput(run_id=f"{name}-{number}", agent_id="bot", session_id=name, **given)
    made_.messages = messages
    return made_


def save(db: Any, name: str, runs: list[RunOutput]) -> None:
    session = AgentSession(
        session_id=name, agent_id="bot", user_id="u", runs=runs, created_at=1767225600
    )
    db.upsert_session(session)
    if hasattr(db, "upsert_run"):
        for index, run in enumerate(runs):
            db.upsert_run(run, name, "u", index)


def write(url: str) -> None:
    db = database(url)
    for name, steps in talk.TALK.items():
        runs = runs_of(steps)
        save(db, name, [stored(name, k, messages) for k, messages in enumerate(runs)])
    more = [made("user", "Weather?"), made("call", ["c6", "c7"]), made("result", "c7")]
    known = ToolExecution(tool_call_id="c6", tool_name="weather", result="20 degrees")
    save(db, "known", [stored("known", 0, more, tools=[known])])
    first = [made("user", "Weather?"), made("call", ["c8"])]
    copies = [message.model_copy(update={"from_history": True}) for message in first]
    again = [*copies, made("user", "And now?"), made("says", "Sunny.")]
    done = stored("copies", 1, again, status=RunStatus.completed)
    save(db, "copies", [stored("copies", 0, first), done])
    both = ["20 degrees", "21 degrees"]
    parts = [{"tool_name": "weather", "content": said} for said in both]
    combined = Message(role="tool", content=both, tool_calls=parts)
    gemini = [made("user", "Weather?"), made("call", ["g1", "g2"]), combined, made("says", "So.")]
    save(db, "combined", [stored("combined", 0, gemini, status=RunStatus.completed)])
    agent(db, call("c9"), call("c10", "stop")).run("Stop!", session_id="cancelled", user_id="u")
    agent(db, call("c11", "book")).run("Book!", session_id="paused", user_id="u")


def go_on(url: str) -> None:
    db = database(url)
    for name in [*talk.TALK, "known", "copies", "combined", "cancelled"]:
        try:
            bot = agent(db)
            found = bot.get_session(session_id=name)
            if talk.others_read():  # as one that passes over no status
                if hasattr(found, "get_messages"):
                    talk.require_pairs(*ids(found.get_messages(skip_statuses=[])))
                for run in found.runs:
                    talk.require_pairs(*ids(run.messages or []))
            answer = bot.run("Go on.", session_id=name, user_id="u")
            print(name, answer.status.value, answer.content)
        except talk.RefusedError as error:
            print(name, "REFUSED", error)
    bot = agent(db)
    [run] = bot.get_session(session_id="paused").runs
    for one in run.tools or []:
        one.confirmed = True
    try:
        given = {"updated_tools": run.tools, "session_id": "paused", "user_id": "u"}
        answer = bot.continue_run(run_id=run.run_id, **given)
        print("paused", answer.status.value, [t.result for t in answer.tools], answer.content)
    except AttributeError as error:  # 2.0.11 stumbles over metrics that it read back
        print("paused", "not continued:", error)


if __name__ == "__main__":
    print(__import__("importlib.metadata").metadata.version("agno"), file=sys.stderr)
    logging.disable(logging.ERROR)  # a tool that stops its run is told of as an error
    talk.main(write, go_on)
