"""Chainlit's `ChainlitDataLayer`, whose tables Prisma makes: the session is in `"Thread".metadata`.

https://github.com/Chainlit/chainlit-datalayer
"""

from __future__ import annotations

from dataclasses import replace

from endmark.stores.chainlit import STORE as CHAINLIT

STORE = replace(
    CHAINLIT,
    name="chainlit-prisma",
    table="Thread",
    databases=("postgresql",),
    fingerprint={
        "Thread": frozenset({"id", "createdAt", "updatedAt", "deletedAt", "userId", "metadata"}),
        "Step": frozenset({"id", "type", "threadId", "parentId", "input", "output", "startTime"}),
    },
    versions="chainlit 2.12.0 (ChainlitDataLayer)",
    note=CHAINLIT.note.replace("--table threads", "--table Thread"),
)
