"""Endmark's own reference tables as a store: one message a row, numbered within its conversation.

The tables themselves are in `endmark.guard.tables`; here is only how they are read and written.
"""

from __future__ import annotations

from endmark.stores._store import Store

NAME = "endmark"
CONVERSATIONS = "endmark_conversation"
MESSAGES = "endmark_message"


def store(format: str) -> Store:
    """Describe the reference tables holding messages of one format.

    Raises pydantic's `ValidationError` for an unknown format.

    >>> store("openai-chat").table
    'endmark_message'
    """
    return Store(
        name=NAME,
        format=format,
        table=MESSAGES,
        conversation=("conversation_id",),
        order=("seq",),
        order_kind="sequence",
        payload="payload",
        key=("id",),
        age="created_at",
        fingerprint={
            CONVERSATIONS: frozenset({"id", "epoch", "created_at"}),
            MESSAGES: frozenset(
                {"id", "conversation_id", "seq", "message_id", "payload", "created_at"}
            ),
        },
    )
