"""Open WebUI before it had the table `chat_message`: the tree of a chat in `chat.chat` alone.

https://github.com/open-webui/open-webui/tree/main/backend/open_webui/models
"""

from __future__ import annotations

from dataclasses import replace

from endmark.stores._store import Tree
from endmark.stores.open_webui import CHAT
from endmark.stores.open_webui import STORE as OPEN_WEBUI

STORE = replace(
    OPEN_WEBUI,
    name="open-webui-json",
    tree=Tree(parent="parentId", lists=("messages",)),
    fingerprint={"chat": CHAT},
    versions="open-webui before February 2026",
)
