"""A store described as data: where a chat application keeps its messages, and in what order.

Store = layout x format x codec. A known store is a file that holds one `Store`; a user's own
table is the same thing from flags, TOML or Python, checked by pydantic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict
from pydantic.dataclasses import dataclass

from endmark import formats

Layout = Literal["rows", "parts", "list", "nested"]
LISTS = frozenset({"list", "nested"})  # layouts whose payload holds whole lists
OrderKind = Literal["sequence", "time", "shared"]


def _names(given: Any) -> Any:
    return tuple(part.strip() for part in given.split(",")) if isinstance(given, str) else given


def _steps(given: Any) -> Any:
    return tuple(given.split(".")) if isinstance(given, str) else given


def _known_format(name: str) -> str:
    return formats.get(name).name


Columns = Annotated[tuple[str, ...], BeforeValidator(_names)]
Path = Annotated[tuple[str, ...], BeforeValidator(_steps)]
FormatName = Annotated[str, AfterValidator(_known_format)]
_CONFIG = ConfigDict(extra="forbid")


@dataclass(frozen=True, config=_CONFIG)
class Recorded:
    """Where real results stand beside the list: `list` of entries, in what holds the messages.

    In an entry: the `id` of the call, the `value`, and what says that it is an `error`.
    """

    list: str
    id: Path
    value: Path
    error: Path = ()


@dataclass(frozen=True, config=_CONFIG)
class PartTable:
    """The table of a store that keeps one part a row, its fields in columns.

    `fields` maps a column to the key of the part that it holds; `json` names the columns among
    them that hold JSON. A NULL column is a key that the part does not have. `of_type` maps a
    column to the only type of part that it serves, where two columns hold the same key.
    `optional` names columns that older versions do not have. `null_if` maps a column whose NULL
    is read as null to the (column, value) that make it so.
    """

    table: str
    message: str
    order: str
    fields: Mapping[str, str]
    json: frozenset[str] = frozenset()
    of_type: Mapping[str, str] = field(default_factory=dict)
    optional: Columns = ()
    null_if: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    key: Columns = ()
    schema: str | None = None


@dataclass(frozen=True, config=_CONFIG)
class Store:
    """Describe where messages are kept.

        Fields: `table`, `schema`, `conversation` (the columns that name one), `order` (the columns
        that order its messages), `order_kind` (`sequence`: numbers of each conversation's own;
        `time`: a timestamp; `shared`: an id that all conversations share; None: seen from the
        column), `payload` (the column with the JSON), `role` (the column with the role, where the
        payload does not hold it), `key` (default: the primary key), `path` (where in the payload a
    XX (the table of parts, for layout `parts`), `only` (column to the
        values that rows of the model's history have), `optional` (the columns among these that older
        versions do not have), `age` (the column that tells when a row was
        written; default: the order, when it is a time), `any_format` (the format is only a default:
        the payloads tell which it is), `ties` (rows with one order value come in no order: calls first,
    then results, then words), `copies` (columns that repeat a field of the payload; the
        payload follows those of the key and of the order, the others follow the payload).

        Of layout `nested`, keys of what holds a list: `pauses` (to the values that say that it waits for
        a person), `ended` (to those that say that its turn is over), `recorded` (where a result may
        stand that the list lacks).

        To tell a store: `fingerprint` (tables to their columns), `types` (columns to what their types
        may begin with), `names` (columns to other names that they may have), `unless` (columns of a table that stands for a newer version), `schemas` (where
        on PostgreSQL it is by default). What is left alone: `refuses` (keys of a payload to the reason), `refusal`
        (the reason, where it is the whole store). `window` says where a reader cuts the history.

        >>> Store(format="openai-chat", table="chat", conversation="thread_id", order="id",
        ...       payload="message").conversation
        ('thread_id',)
    """

    format: FormatName
    table: str
    conversation: Columns
    payload: str = ""
    order: Columns = ()
    name: str = "custom"
    layout: Layout = "rows"
    schema: str | None = None
    order_kind: OrderKind | None = None
    role: str | None = None
    key: Columns = ()
    path: Path = ()
    lists: tuple[Path, ...] = ()
    pauses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ended: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    recorded: tuple[Recorded, ...] = ()
    parts: PartTable | None = None
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    optional: Columns = ()
    age: str | None = None
    any_format: bool = False
    ties: bool = False
    pending_tools: frozenset[str] = frozenset()
    copies: Mapping[str, str] = field(default_factory=dict)
    fingerprint: Mapping[str, frozenset[str]] = field(default_factory=dict)
    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unless: frozenset[str] = frozenset()
    schemas: tuple[str, ...] = ()
    refuses: Mapping[str, str] = field(default_factory=dict)
    refusal: str = ""
    window: str = ""
    versions: str = ""
    databases: tuple[str, ...] = ("sqlite", "postgresql")
    source: str = ""
    note: str = ""
