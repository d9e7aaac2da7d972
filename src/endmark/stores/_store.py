"""A store described as data: where a chat application keeps its messages, and in what order.

Store = layout x format x codec. A known store is a file that holds one `Store`; a user's own
table is the same thing from flags, TOML or Python, checked by pydantic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict
from pydantic.dataclasses import dataclass

from endmark import formats

Layout = Literal["rows", "parts", "list", "nested", "linked", "gathered", "tree", "checkpoints"]
LISTS = frozenset({"list", "nested"})  # layouts whose payload holds whole lists
OrderKind = Literal["sequence", "time", "shared"]


def _names(given: Any) -> Any:
    if isinstance(given, str):
        return tuple(part.strip() for part in given.split(","))
    return _list(given, "a column's name or a list of them")


def _steps(given: Any) -> Any:
    if isinstance(given, str):
        return tuple(given.split("."))
    return _list(given, "names with dots between them or a list of names")


def _list(given: Any, else_: str) -> Any:
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise ValueError(else_)  # noqa: TRY004  (pydantic takes no other)
    return given


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
    is read as null to the (column, value) that make it so. `payload` names the column that holds
    a whole part as JSON, where there is one; then there are no `fields`.
    """

    table: str
    message: str
    order: str
    fields: Mapping[str, str] = field(default_factory=dict)
    payload: str = ""
    json: frozenset[str] = frozenset()
    of_type: Mapping[str, str] = field(default_factory=dict)
    optional: Columns = ()
    null_if: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    key: Columns = ()
    schema: str | None = None


@dataclass(frozen=True, config=_CONFIG)
class LinkedTable:
    """The table of the messages, where the rows that order them are in another one.

    `by` is the column there that points at `key` here. `told` maps a column there to the keys of a
    message: a new row says the first that its message has. `blank` names columns that a new row
    leaves empty, `follows` those that are the same for all of a turn: a new row, or one that comes
    to stand behind another, says what that one says. All other columns are those of a neighbour.
    """

    table: str
    by: str
    key: str = "id"
    told: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    blank: Columns = ()
    follows: Columns = ()


@dataclass(frozen=True, config=_CONFIG)
class Tree:
    """The messages of a store that keeps them as a tree, by their ids, in one payload.

    `parent` is the key of a message that names the one before it; `lists` are keys of the payload
    whose lists repeat some of the messages. `table` holds the messages a second time, a row each:
    `conversation` is its column that names one, `fields` maps a column to the key of the message
    that it holds, `json` names the columns among them that hold JSON; its key is the message's id,
    behind that of the conversation and a dash where it is `prefixed`.
    """

    parent: str
    lists: Columns = ()
    table: str | None = None
    conversation: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    json: frozenset[str] = frozenset()
    prefixed: bool = False


@dataclass(frozen=True, config=_CONFIG)
class Answers:
    """How a store with layout `gathered` says what answers a call.

    In the table of messages, whose payload holds the calls: `content` (the column with the
    words, of that name in the message too), `parent` (names the message that asked), `thread`
    (what stands beside the main line), `blank` (what a new result does not copy from its call).
    `table` has a row for each result, by the same key: `call_id`, `waits` (JSON that tells whether
    a person is waited for), `fields` (a column to the key of `told` that it repeats) and `shared`
    (columns that the message has too). `calls`, `answers`, `waiting` and `told` are the keys of a
    message for the calls, the call that is answered, `waits` and `fields`.
    """

    table: str
    call_id: str
    content: str
    parent: str
    thread: str
    calls: str
    answers: str
    told: str
    waits: str = ""
    waiting: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    shared: Columns = ()
    blank: Columns = ()


@dataclass(frozen=True, config=_CONFIG)
class ConversationTable:
    """The table with a row for each conversation, where that row goes with the messages.

    `key` is its column that names the conversation. `counts` maps a column to what it counts of
    the model's history, where no trigger of the database counts. `start` is the column with the
    key of the message that the model's history begins with; NULL, or no such message: all of it.
    """

    table: str
    key: str
    counts: Mapping[str, Literal["messages", "calls"]] = field(default_factory=dict)
    start: str | None = None


@dataclass(frozen=True, config=_CONFIG)
class Store:
    """Describe where messages are kept.

    Messages: `table`, `schema`, `conversation` (the columns that name one), `order` (the columns
    that order its messages), `order_kind` (`sequence`: numbers of each conversation's own; `time`:
    a timestamp; `shared`: an id that all conversations share; None: seen from the column), `ties`
    (rows with one order value come in no order: calls first, then results, then words), `payload`
    (the column with the JSON), `role` (the column with the role, where the payload does not hold
    it), `key` (default: the primary key), `any_format` (the format is only a default: the payloads
    tell which it is), `calls_gone` (results whose calls no message holds are true orphans). Where there is no payload: `fields` (column to the key of the message that it
    holds; a NULL column is a key that the message does not have) and `json` (those that hold JSON).

    Other layouts: `parts` (the table of parts), `linked` (the table of messages), `tree` (the tree
    of messages), `answers` (the results, for `gathered`), `path` (where in the payload a whole list
    lies: `thread.messages`, or the names as a list), `aside` (the keys, one of which may hold the
    list, where the payload is more than a history: the first that does is meant, and a row without
    any has no messages), `beside` (the other tables that the layout reads). Of `nested`: `lists`
    (paths that may be missing), and keys of what holds a list: `pauses` (to the values that say
    that it waits for a person), `ended` (to those that say that its turn is over), `recorded`
    (where a result may stand that the list lacks).

    Which rows: `only` (column to the values that rows of the model's history have), `without`
    (column to the text that only rows outside of it hold) and `signs` (column to the text of such
    rows that are read all the same, since they tell that a call waits), `optional` (the columns
    among these that older versions do not have), `age` (the column that tells when a row was
    written; default: the order, when it is a time; "": none tells).

    What else is written: `copies` (columns that repeat a field of the payload; the payload follows
    those of the key and of the order, the others follow the payload), `new` (column to what a new
    row holds in it, where that is not what the row before it does: `{id}` in a text is an id of its
    own, `{conversation}` the conversation's), `head` (the table of the conversations), `before`
    (columns of a row to those of the row that it comes after, where no foreign key says so: that
    one is not taken from under it).

    To tell a store: `fingerprint` (tables to their columns), `types` (columns to what their types
    may begin with), `names` (columns to other names that they may have), `unless` (columns of a
    table that stands for a newer version), `schemas` (where on PostgreSQL it is by default). What is
    left alone: `refuses` (keys of a payload to the reason), `refusal` (the reason, where it is the
    whole store). `window` says where a reader cuts the history.

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
    aside: Columns = ()
    lists: tuple[Path, ...] = ()
    pauses: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ended: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    recorded: tuple[Recorded, ...] = ()
    parts: PartTable | None = None
    linked: LinkedTable | None = None
    tree: Tree | None = None
    answers: Answers | None = None
    beside: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    json: frozenset[str] = frozenset()
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)
    signs: Mapping[str, str] = field(default_factory=dict)
    optional: Columns = ()
    new: Mapping[str, str | int | None] = field(default_factory=dict)
    head: ConversationTable | None = None
    age: str | None = None
    any_format: bool = False
    calls_gone: bool = False
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
