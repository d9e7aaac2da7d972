"""The reference tables: mixins to build on, and ready models for whoever has none of their own.

A conversation row carries the epoch of its running turn and is what writers lock; messages are
numbered within their conversation.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    ForeignKey,
    Integer,
    MetaData,
    Text,
    UniqueConstraint,
    func,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column

from endmark.stores.endmark_tables import CONVERSATIONS, MESSAGES

__all__ = ["Base", "Conversation", "ConversationMixin", "Message", "MessageMixin", "metadata"]

NUMBER = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers INTEGER keys only
PAYLOAD = JSON().with_variant(JSONB(), "postgresql")


class ConversationMixin:
    """Give a model the columns of a conversation: `id`, `epoch`, `created_at`."""

    id: Mapped[str] = mapped_column(Text, primary_key=True)
    epoch: Mapped[int] = mapped_column(NUMBER, default=0, server_default="0")
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class MessageMixin:
    """Give a model the columns of a message; set `__conversation_table__` to its conversations.

    Source of the order: `seq`, counted from 1 in each conversation, where numbers may be missing.
    `message_id` is the format's own id of the message, where it has one.

    >>> class Own(DeclarativeBase):
    ...     pass
    >>> class Line(Own, MessageMixin):
    ...     __tablename__, __conversation_table__ = "line", "talk"
    >>> sorted(Line.__table__.c.keys())
    ['conversation_id', 'created_at', 'id', 'message_id', 'payload', 'seq']
    """

    __conversation_table__ = CONVERSATIONS

    id: Mapped[int] = mapped_column(NUMBER, primary_key=True, autoincrement=True)

    @declared_attr
    def conversation_id(cls) -> Mapped[str]:  # noqa: N805
        return mapped_column(
            ForeignKey(f"{cls.__conversation_table__}.id", ondelete="CASCADE"), type_=Text
        )

    seq: Mapped[int] = mapped_column(NUMBER)
    message_id: Mapped[str | None] = mapped_column(Text)
    payload: Mapped[Any] = mapped_column(PAYLOAD)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())

    @declared_attr.directive
    def __table_args__(cls) -> tuple[Any, ...]:  # noqa: N805
        return (
            UniqueConstraint("conversation_id", "seq"),
            UniqueConstraint("conversation_id", "message_id"),
        )


class Base(DeclarativeBase):
    """The declarative base of the ready models; its metadata holds nothing else."""

    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        }
    )


class Conversation(Base, ConversationMixin):
    """A conversation of the ready tables."""

    __tablename__ = CONVERSATIONS


class Message(Base, MessageMixin):
    """A message of the ready tables."""

    __tablename__ = MESSAGES


metadata = Base.metadata
