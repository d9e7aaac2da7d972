"""LangGraph: SqliteSaver, PostgresSaver (by a URL); graphs that are really cut off in their tools.

`write` leaves what an error in a tool, a killed process, a cancelled task, a pause and a message
after such an end leave; `go-on` answers one more message in every thread that can be.
"""

from __future__ import annotations

import asyncio
import json
import operator
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypedDict

import talk
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph, add_messages
from langgraph.prebuilt import ToolNode, create_react_agent, tools_condition
from langgraph.types import Command, interrupt

RUNS: list[str] = []  # the tools that ran
KILLS: list[bool] = []  # whether a tool may end the process


@tool
def weather(city: str, how: str = "fine") -> str:
    """Tell the weather, or end as `how` says."""
    RUNS.append(f"weather {city}")
    if how == "raises":
        raise RuntimeError("no route to host")
    if how == "is killed" and KILLS:
        time.sleep(0.5)  # the checkpoint is written in the background
        os._exit(9)
    if how == "asks":
        return str(interrupt("May I?"))
    return "21 degrees"


class Model(BaseChatModel):
    """Answers from a list, and refuses half pairs as providers do."""

    answers: list[Any]

    @property
    def _llm_type(self) -> str:
        return "fake"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        talk.require_pairs(
            [[c["id"] for c in getattr(m, "tool_calls", [])] for m in messages],
            [[m.tool_call_id] if isinstance(m, ToolMessage) else [] for m in messages],
        )
        return ChatResult(generations=[ChatGeneration(message=self.answers.pop(0))])


def calls(*given: tuple[str, str]) -> AIMessage:
    """Ask for the weather: each an id, and how the tool ends."""
    args = [(id_, {"city": f"City {id_}"} | ({"how": how} if how else {})) for id_, how in given]
    return AIMessage("", tool_calls=[{"name": "weather", "args": a, "id": i} for i, a in args])


def agent(saver: Any, *answers: Any) -> Any:
    tools = ToolNode([weather], handle_tool_errors=False)
    return create_react_agent(Model(answers=[*answers]), tools, checkpointer=saver)


class Chat(TypedDict):
    chat: Annotated[list[AnyMessage], add_messages]
    read: list[AnyMessage]  # a copy of what the model is given
    steps: Annotated[int, operator.add]


def own(saver: Any, *answers: Any) -> Any:
    """Make a graph of one's own, with channels of other names and one node for all tools."""
    model = Model(answers=[*answers])

    def think(state: Chat) -> Any:
        return {"chat": [model.invoke(state["chat"])], "read": state["chat"], "steps": 1}

    graph = StateGraph(Chat)
    graph.add_node("think", think)
    graph.add_node("act", ToolNode([weather], messages_key="chat", handle_tool_errors=False))
    graph.add_edge(START, "think")
    graph.add_conditional_edges(
        "think", lambda s: tools_condition(s, "chat"), {"tools": "act", "__end__": "__end__"}
    )
    graph.add_edge("act", "think")
    return graph.compile(checkpointer=saver)


def delta(saver: Any, *answers: Any) -> Any:
    from langgraph.channels import DeltaChannel
    from langgraph.graph.message import _messages_delta_reducer

    chain = DeltaChannel(_messages_delta_reducer)
    model = Model(answers=[*answers])
    graph = StateGraph(TypedDict("Delta", {"messages": Annotated[list[AnyMessage], chain]}))
    graph.add_node("think", lambda s: {"messages": [model.invoke(s["messages"])]})
    graph.add_node("act", ToolNode([weather], handle_tool_errors=False))
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", tools_condition, {"tools": "act", "__end__": "__end__"})
    graph.add_edge("act", "think")
    return graph.compile(checkpointer=saver)


class Outer(TypedDict):
    ask: str


def outer(saver: Any, *answers: Any) -> Any:
    """Make a graph around an agent that remembers: its checkpoints have a name space of their own."""
    inner = create_react_agent(Model(answers=[*answers]), [weather], checkpointer=True)

    def run(state: Outer) -> Outer:
        inner.invoke({"messages": [HumanMessage(state["ask"])]})
        return state

    graph = StateGraph(Outer)
    graph.add_node("inner", run)
    graph.add_edge(START, "inner")
    return graph.compile(checkpointer=saver)


THREADS: dict[str, Any] = {
    "error": (agent, [calls(("c1", "raises"))]),
    "batch": (agent, [calls(("c2", ""), ("c3", "raises"))]),
    "killed": (agent, [calls(("c4", "is killed"))]),
    "cancelled": (agent, [calls(("c5", "is cancelled"))]),
    "next": (agent, [calls(("c6", ""), ("c7", "raises"))]),
    "paused": (agent, [calls(("c8", ""), ("c9", "asks"))]),
    "sound": (agent, [calls(("d1", "")), AIMessage("Sunny.")]),
    "own": (own, [calls(("d2", ""), ("d3", "raises"))]),
    "inner": (outer, [calls(("d4", "raises"))]),
    "encrypted": (agent, [calls(("d5", "raises"))]),
    "pickled": (own, [calls(("d6", "raises"))]),
    "delta": (delta, [calls(("d7", "raises"))]),
}


class Pickled(JsonPlusSerializer):
    """A serializer that pickles all: what `pickle_fallback` does with what msgpack has no way for."""

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        import pickle

        return "pickle", pickle.dumps(obj)


def encrypted() -> Any:
    from langgraph.checkpoint.serde.encrypted import EncryptedSerializer

    return EncryptedSerializer.from_pycryptodome_aes(key=b"0123456789abcdef")


SERDES = {"encrypted": encrypted, "pickled": lambda: Pickled(pickle_fallback=True)}


@contextmanager
def saver(url: str, name: str = "") -> Iterator[Any]:
    serde = SERDES[name]() if name in SERDES else None
    if url.startswith("sqlite:///"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"), check_same_thread=False)
        yield SqliteSaver(connection, serde=serde)
        connection.close()
    else:
        from langgraph.checkpoint.postgres import PostgresSaver

        with PostgresSaver.from_conn_string(url.replace("+psycopg", "")) as made:
            made.setup()
            if serde is not None:
                made.serde = serde
            yield made


def config(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


def said(name: str, words: str) -> Any:
    if name == "inner":
        return {"ask": words}
    return {"chat" if name in {"own", "pickled"} else "messages": [HumanMessage(words)]}


def run(url: str, name: str) -> None:
    make, answers = THREADS[name]
    with saver(url, name) as made:
        graph = make(made, *answers)
        for words in ("Weather?", "Hello?") if name == "next" else ("Weather?",):
            try:
                graph.invoke(said(name, words), config(name))
            except (RuntimeError, ValueError) as error:
                print(name, type(error).__name__, str(error)[:60])


async def cancel(url: str) -> None:
    """Cancel a run while its tool waits, as a server does when the browser is closed."""

    @tool
    async def weather(city: str, how: str = "") -> str:
        """Take long."""
        await asyncio.sleep(60)
        return ""

    model = Model(answers=[*THREADS["cancelled"][1]])
    inputs = said("cancelled", "Weather?")
    if url.startswith("sqlite:///"):
        from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

        savers: Any = AsyncSqliteSaver.from_conn_string(url.removeprefix("sqlite:///"))
    else:
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

        savers = AsyncPostgresSaver.from_conn_string(url.replace("+psycopg", ""))
    async with savers as made:
        await made.setup()
        graph = create_react_agent(model, [weather], checkpointer=made)
        task = asyncio.create_task(graph.ainvoke(inputs, config("cancelled")))
        await asyncio.sleep(1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def write(url: str) -> None:
    KILLS.append(True)
    for name in os.environ.get("THREADS", "").split() or THREADS:
        if name == "cancelled":
            asyncio.run(cancel(url))
        elif child := os.fork():  # each in a process of its own: one is killed
            os.waitpid(child, 0)
        else:
            run(url, name)
            os._exit(0)


def go_on(url: str) -> None:
    """Say one more thing in every thread, or answer what it waits for; tell as JSON what came."""
    for name in os.environ.get("THREADS", "").split() or THREADS:
        RUNS.clear()
        with saver(url, name) as made:
            graph = THREADS[name][0](made, AIMessage(f"Answer to {name}."))
            state = graph.get_state(config(name))
            told: dict[str, Any] = {"thread": name, "next": state.next}
            asks = any(task.interrupts for task in state.tasks)
            more = Command(resume="yes") if asks else said(name, "Go on.")
            try:
                values = graph.invoke(more, config(name))
                told["said"] = [m.content for m in messages(values)]
            except (RuntimeError, ValueError) as error:
                told["refused"] = str(error)[:80]
            print(json.dumps(told | {"ran": RUNS}))


def messages(values: Any) -> list[Any]:
    return values.get("messages") or values.get("chat") or []


talk.main(write, go_on)
