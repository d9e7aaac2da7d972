"""What libraries in JavaScript and agents left half done, healed; then they go on with their own rows.

Their programs are in `stores/real`, their model a fake that refuses what providers refuse.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from endmark import heal, rules
from fix_databases import Database
from fix_node import ORACLES
from fix_real import Real, Work
from healing import dump
from test_known_stores import CASES, FORCED, detected, found
from test_real_libraries import Bases


@dataclass(frozen=True)
class Writer:
    """A library and the conversations that it left half done.

    Of these it `refuses` some; with others it goes on and `omits` a call, so that the model never
    hears of it; some it can `finish` by itself.
    """

    real: Real
    refuses: frozenset[str]
    omits: frozenset[str] = frozenset()
    finishes: frozenset[str] = frozenset()


def names(text: str) -> frozenset[str]:
    return frozenset(text.split(", "))


CHATBOT = Real("with_chatbot.mjs", "chatbot", "postgresql{server}")
LANGGRAPH = Real("with_langgraph_js.mjs", "langchain", "postgresql{server}")
LOBECHAT = Real("with_lobechat.mjs", "lobechat", "postgresql{server}")
LANGCHAIN, MASTRA = ("with_langchain_js.mjs", "langchain"), ("with_mastra.mjs", "mastra")
OMITTED = names("end, middle, copies, cut, asked")
WRITERS: dict[tuple[str, str], Writer] = {
    ("langchain-js", "postgresql"): Writer(
        Real(*LANGCHAIN, "langchain_chat_histories:postgresql{server}"), names("middle, late, end")
    ),
    ("langgraph-js", "postgresql"): Writer(
        LANGGRAPH, names("js error, js batch, js next"), finishes=names("js paused")
    ),
    ("lobechat", "postgresql"): Writer(LOBECHAT, names("middle, end, thread-thread, again")),
    ("mastra", "postgresql"): Writer(
        Real(*MASTRA, "postgresql{server}"), frozenset(), OMITTED, names("paused")
    ),
    ("mastra", "sqlite"): Writer(
        Real(*MASTRA, "file:{path}"), frozenset(), OMITTED, names("paused")
    ),
    ("n8n", "postgresql"): Writer(
        Real(*LANGCHAIN, "n8n_chat_histories:postgresql{server}"), names("middle, late, end")
    ),
    ("vercel-chatbot", "postgresql"): Writer(
        CHATBOT, frozenset(f"{name} {major}" for name in ("middle", "end") for major in (5, 6, 7))
    ),
}


def told(said: list[str]) -> dict[str, str]:
    """Give the answer in each conversation, and the calls that the model heard of."""
    return {name: rest for name, _, rest in (line.partition(": ") for line in said)}


@pytest.mark.oracle
@pytest.mark.parametrize("case", WRITERS, ids="-".join)
def test_the_library_goes_on_with_what_was_healed(
    real: Work, case: tuple[str, str], request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    name, kind = case
    writer, bases = WRITERS[case], Bases(kind, request, tmp_path)
    with bases.closing:
        broken, healed = bases.fresh(), bases.fresh()
        urls = [bases.spelt(database, writer.real) for database in (broken, healed)]
        for url in urls:
            real(writer.real, "write", url)
        before = told(real(writer.real, "go-on", urls[0]))
        assert {n for n, answer in before.items() if "REFUSED" in answer} == writer.refuses

        [store] = detected(healed)
        assert store.name == CASES[name]["store"]
        dead = found(healed, store, FORCED)
        assert dead == CASES[name]["found"]
        assert len(dead) == len(writer.refuses | writer.omits | writer.finishes)
        written = dump(healed)
        heal.apply(healed.engine, [store], options=FORCED)
        heal.undo(healed.engine)
        assert dump(healed) == written
        heal.apply(healed.engine, [store], options=FORCED)
        after = told(real(writer.real, "go-on", urls[1]))
        assert after.keys() == before.keys()
        assert {answer.split()[0] for answer in after.values()} == {"Sunny."}, after
        for n in writer.omits:
            assert set(before[n].split()) < set(after[n].split()), (n, before[n], after[n])
        assert found(healed, store, FORCED) == {}


@dataclass(frozen=True)
class Agent:
    """An agent with a home of its own, where its database is, and whether it omits open calls.

    One that does not gives them a result of its own in what it sends, and nowhere else.
    """

    real: Real
    database: str
    omits: bool


AGENTS: dict[str, Agent] = {
    "goose": Agent(
        Real("with_goose.py", "goose", ""), "data/goose/sessions/sessions.db", omits=True
    ),
    "opencode": Agent(
        Real("with_opencode.py", "opencode", ""), "data/opencode/opencode.db", omits=False
    ),
}
MARKER = "No result was recorded"


@pytest.mark.oracle
@pytest.mark.parametrize("name", AGENTS)
def test_the_agent_goes_on_with_what_was_healed(real: Work, name: str, tmp_path: Path) -> None:
    agent, broken, healed = AGENTS[name], tmp_path / "broken", tmp_path / "healed"
    real(agent.real, "write", str(healed))
    shutil.copytree(healed, broken, symlinks=True)
    url = f"sqlite:///{healed / agent.database}"
    database = Database("sqlite", url, sa.create_engine(url))
    written = dump(database)
    [store] = detected(database)
    dead = found(database, store, FORCED)
    assert sorted(dead.values()) == sorted(CASES[name]["found"].values())
    heal.apply(database.engine, [store], options=FORCED)
    heal.undo(database.engine)
    assert dump(database) == written
    heal.apply(database.engine, [store], options=FORCED)
    database.engine.dispose()  # it is the agent's again

    after = asked(real(agent.real, "go-on", str(healed)))
    cut_off = {n for n, sent in after.items() if MARKER in json.dumps(sent)}
    assert len(cut_off) == len(dead)
    for sent in after.values():
        assert rules.validate(sent, "openai-chat") == ()
    assert found(database, store, FORCED) == {}
    database.engine.dispose()
    if agent.omits:
        before = asked(real(agent.real, "go-on", str(broken)))
        assert {n for n, sent in after.items() if calls(sent) > calls(before[n])} == cut_off


def asked(said: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Give the messages that were sent in each conversation; each came to its answer."""
    told = [json.loads(line) for line in said if line.startswith("{")]
    assert {one["said"] for one in told} == {"Sunny."}, told
    return {one["name"]: one["sent"] for one in told}


def calls(sent: list[dict[str, Any]]) -> set[str]:
    return {call["id"] for message in sent for call in message.get("tool_calls", [])}


def test_the_page_names_the_versions_that_are_installed() -> None:
    pins = "".join(path.read_text() for path in sorted(ORACLES.glob("node/*/package.json")))
    page = (ORACLES.parents[1] / "docs" / "oracles.md").read_text()
    section = page.partition("## Stores read on by their programs")[2].partition("<!--")[0]
    named = re.findall(r"(@[\w/-]+|opencode-linux-x64) (\d+\.\d+\.\d+)", section)
    assert len(named) >= 7
    for name, version in named:
        assert f'"{name}": "{version}"' in pins or f"{name}@{version}" in pins, name
