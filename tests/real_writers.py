"""Which program works on which store, by the name of its case and the kind of its database."""

from __future__ import annotations

from dataclasses import replace

from fix_real import Real

LIBRARIES, LLAMA_INDEX = "libraries.txt", "llama_index.txt"
OLDER_PINS, APPLICATIONS = "older.txt", "applications.txt"

SQLITE, POSTGRESQL = "sqlite:///{path}", "postgresql+psycopg{server}"
ASYNC = {"sqlite": "sqlite+aiosqlite:///{path}", "postgresql": "postgresql+asyncpg{server}"}
SYNC = {"sqlite": SQLITE, "postgresql": POSTGRESQL}

AGENTS, ADK = ("with_openai_agents.py", LIBRARIES), ("with_adk.py", LIBRARIES)
LANGCHAIN, LLAMA = ("with_langchain.py", LIBRARIES), ("with_llama_index.py", LLAMA_INDEX)
PYDANTIC_AI, AGNO = ("with_pydantic_ai.py", LIBRARIES), ("with_agno.py", LIBRARIES)
CHAINLIT, HERMES = ("with_chainlit.py", APPLICATIONS), ("with_hermes.py", APPLICATIONS)
OPEN_WEBUI = ("with_open_webui.py", APPLICATIONS)
LATE = frozenset({"late"})  # a result anywhere behind its call
PAUSED, CANCELLED = frozenset({"combined", "paused"}), frozenset({"combined", "cancelled"})
LISTS = {"pydantic-ai": "chat:", "pydantic-ai-rows": "message:", "pydantic-ai-runs": "run:"}

WRITERS: dict[tuple[str, str], Real] = {
    ("adk", "sqlite"): Real(*ADK, ASYNC["sqlite"]),
    ("adk", "postgresql"): Real(*ADK, ASYNC["postgresql"]),
    ("adk-sqlite", "sqlite"): Real(*ADK, "sqlite-service:{path}"),
    ("agno", "sqlite"): Real(*AGNO, SQLITE, PAUSED),
    ("agno", "postgresql"): Real(*AGNO, POSTGRESQL, PAUSED),
    ("chainlit", "sqlite"): Real(*CHAINLIT, ASYNC["sqlite"]),
    ("chainlit", "postgresql"): Real(*CHAINLIT, ASYNC["postgresql"]),
    ("chainlit-prisma", "postgresql"): Real(*CHAINLIT, "postgresql{server}"),
    ("hermes", "sqlite"): Real(*HERMES, "{path}", frozenset({"compacted", "back"})),
    ("langchain", "sqlite"): Real(*LANGCHAIN, SQLITE),
    ("langchain", "postgresql"): Real(*LANGCHAIN, POSTGRESQL),
    ("langchain-postgres", "postgresql"): Real(*LANGCHAIN, "uuid:postgresql{server}"),
    ("llama-index", "sqlite"): Real(*LLAMA, ASYNC["sqlite"]),
    ("llama-index", "postgresql"): Real(*LLAMA, ASYNC["postgresql"]),
    ("llama-index-sqlite", "sqlite"): Real(*LLAMA, "sqlite-store:{path}"),
    ("llama-index-postgres", "postgresql"): Real(*LLAMA, "array:postgresql{server}"),
    ("open-webui", "sqlite"): Real(*OPEN_WEBUI, SQLITE, frozenset({"differs"})),
    ("open-webui", "postgresql"): Real(*OPEN_WEBUI, POSTGRESQL, frozenset({"differs"})),
    ("openai-agents", "sqlite"): Real(*AGENTS, "sqlite-session:{path}", takes=LATE),
    ("openai-agents-advanced", "sqlite"): Real(*AGENTS, "advanced:{path}", takes=LATE),
    ("openai-agents-sqlalchemy", "sqlite"): Real(*AGENTS, ASYNC["sqlite"], takes=LATE),
    ("openai-agents-sqlalchemy", "postgresql"): Real(*AGENTS, ASYNC["postgresql"], takes=LATE),
    **{
        (name, kind): Real(*PYDANTIC_AI, table + SYNC[kind])
        for name, table in LISTS.items()
        for kind in SYNC
    },
}
GUARDED = [
    case for case in WRITERS
    if case[0] in {"adk", "langchain", "llama-index", "openai-agents-sqlalchemy"}
]  # fmt: skip


def older(case: tuple[str, str]) -> Real:
    """Give the same program with the version before the library had a guard when it reads."""
    # A late result had its place then already, or needs none.
    return replace(WRITERS[case], pins=OLDER_PINS, takes=LATE, alone=True)


OLDER: dict[tuple[str, str], Real] = {
    **{
        case: older(case)
        for case in WRITERS
        if case[0].startswith(("adk", "openai-agents", *LISTS))
    },
    # On PostgreSQL its migrations want another driver.
    ("open-webui", "sqlite"): older(("open-webui", "sqlite")),
    # The tables of agno 2, which stumbles over its own metrics when it goes on from a pause.
    ("agno-2", "sqlite"): Real(AGNO[0], OLDER_PINS, SQLITE, CANCELLED),
    ("agno-2", "postgresql"): Real(AGNO[0], OLDER_PINS, POSTGRESQL, CANCELLED),
}
