"""How a mapped class holds messages: its attributes, read and written as messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Integer,
    Numeric,
    PrimaryKeyConstraint,
    String,
    TypeDecorator,
    UniqueConstraint,
    Uuid,
    inspect,
)
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.orm import Mapper, QueryableAttribute, RelationshipDirection, attributes
from sqlalchemy.orm.exc import UnmappedClassError

from endmark import formats
from endmark.errors import StoreError, UnreadableError, meant
from endmark.formats._base import Message
from endmark.guard._beside import require_in_sight
from endmark.guard._payload import packed, unpacked
from endmark.model import Shape
from endmark.stores import json_text
from endmark.stores._store import Store
from endmark.stores.guess import sequence_of
from endmark.stores.new_rows import LONG

__all__ = ["NAMES", "Mapping", "collections_of", "mapping_of", "store_of_class"]


PLAIN = (dict, list, str, bytes, type(None))
DIALECT = DefaultDialect()
NAMES = ("conversation", "order", "role", "payload", "format")  # what a mapped class is told by


def _table_of(mapper: Mapper[Any], store: Store) -> Any:
    """Find the store's table among those that a class is mapped over; None for no such."""
    tables: Any = mapper.tables
    named = (t for t in tables if getattr(t, "name", None) == store.table)
    return next((t for t in named if t.schema == store.schema), None)


def _mapper(cls: Any) -> Mapper[Any]:
    found = inspect(cls, raiseerr=False)
    if not isinstance(found, Mapper):
        msg = f"{cls!r} is not a mapped class, nor a Store"
        raise StoreError(msg)
    return found


def _names(given: Any) -> tuple[str, ...]:
    """Give the names of attributes; what is given are names, or the attributes themselves."""
    several = given if isinstance(given, list | tuple) else (given,)
    names = [one.key if isinstance(one, QueryableAttribute) else one for one in several]
    return tuple(name for name in names if name)


def store_of_class(
    cls: Any,
    *,
    conversation: Any = (),
    payload: Any = (),
    format: str = "",
    order: Any = (),
    role: Any = None,
) -> Store:
    """Describe the table of a mapped class as a store by its attributes: their names, or they.

    Raises `StoreError` for an attribute that is missing or not a column, `FormatError`.
    """
    mapper = _mapper(cls)
    told = {"conversation": conversation, "order": order, "role": role, "payload": payload}
    names = {what: _names(given) for what, given in told.items()}
    needed = {**names, "format": format}
    missing = [what for what in ("conversation", "payload", "format") if not needed[what]]
    if missing:
        raise StoreError(
            f"guarding {mapper.class_.__name__} needs {', '.join(missing)} too: the attributes that "
            "name a conversation and hold the message, and the message's format"
        )
    formats.get(format)

    columns = {what: _columns(mapper, given) for what, given in names.items()}
    table: Any = mapper.local_table
    store = Store(
        name=mapper.class_.__name__,
        format=format,
        table=table.name,
        schema=table.schema,
        conversation=columns["conversation"],
        order=columns["order"],
        payload=columns["payload"][0],
        role=next(iter(columns["role"]), None),
        key=tuple(column.name for column in mapper.primary_key),
    )
    _require_rows(store, table)
    _require_order(store, table)
    held = [column.name for column in table.columns]
    named = {name for given in names.values() for name in given}
    require_in_sight(store, [*held, *(a.key for a in mapper.attrs if a.key not in named)])
    return store


def _columns(mapper: Mapper[Any], names: Sequence[str]) -> tuple[str, ...]:
    """Give the columns behind attributes. Raises `StoreError` for what is none."""
    known = mapper.column_attrs.keys()
    for name in names:
        if name not in known:
            raise StoreError(
                f"{mapper.class_.__name__} has no column {name}{meant(str(name), known)}; "
                f"its columns are {', '.join(known)}"
            )
    return tuple(mapper.column_attrs[name].columns[0].name for name in names)


def _require_rows(store: Store, table: Any) -> None:
    """Raise `StoreError` where there is one row a conversation: it holds a whole history."""
    unique = [
        c for c in table.constraints if isinstance(c, PrimaryKeyConstraint | UniqueConstraint)
    ]
    if any(
        {c.name for c in each.columns} <= {*store.conversation} for each in unique if each.columns
    ):
        raise StoreError(
            f"{store.name} has one row for each {', '.join(store.conversation)}, so "
            f"{store.payload} holds whole histories, and a guard takes a class with a row for each "
            "message: pass each history to endmark.repair before it is written, or give "
            "conversation= what all messages of a conversation share"
        )


def _require_order(store: Store, table: Any) -> None:
    """Raise `StoreError` where the key would order the messages, and a column is there that does.

    So it does where random ids would: a row that is made then stands anywhere.
    """
    inline = formats.get(store.format).shape is Shape.INLINE
    ordering = next((c for c in table.columns if c.name in (store.order or store.key)[:1]), None)
    if ordering is not None and not inline and _is_random(ordering):
        msg = (
            f"{ordering.name} of {store.name} holds random ids (UUIDs of version 4), which order "
            "nothing; name a number or a time with order="
        )
        raise StoreError(msg)
    numbers = [c.name for c in table.columns if isinstance(c.type, Integer | Numeric)]
    likely = sequence_of(name for name in numbers if name not in store.key)
    if likely and not store.order and not inline:
        msg = (
            f"no column of {store.name} is named that orders its messages: by the looks of it, "
            f"order={likely!r}; else name its key, order={store.key[0]!r}"
        )
        raise StoreError(msg)


def _is_random(column: Any) -> bool:
    """Tell whether new values of a column are drawn, by its default."""
    default = getattr(getattr(column.default, "arg", None), "__name__", "")
    server = str(getattr(column.server_default, "arg", ""))
    return default == "uuid4" or any(
        name in server for name in ("gen_random_uuid", "uuid_generate_v4")
    )


def _is_unique(column: Any) -> bool:
    """Tell whether a column is unique by itself."""
    if not isinstance(column, Column):
        return False
    table = column.table
    several: list[Any] = [c for c in table.constraints if isinstance(c, UniqueConstraint)]
    several += [index for index in table.indexes if index.unique]
    return any([*one.columns] == [column] for one in several)


class Mapping:
    """The attributes of one mapped class that a store's columns stand behind."""

    def __init__(self, mapper: Mapper[Any], store: Store) -> None:
        by_column = {a.columns[0].name: a.key for a in mapper.column_attrs}
        self.mapper = mapper
        self.table: Any = _table_of(mapper, store)
        self.store = store
        self.format = formats.get(store.format)
        self.conversation = tuple(by_column[name] for name in store.conversation)
        self.named = self.conversation[0] if len(self.conversation) == 1 else None
        self.payload = by_column[store.payload]
        self.type: Any = mapper.column_attrs[self.payload].columns[0].type
        self.is_json = isinstance(getattr(self.type, "impl", self.type), JSON)
        self.role = by_column[store.role] if store.role else None
        # The application's objects hold the messages themselves.
        self.is_bare = self.role is None and not isinstance(self.type, TypeDecorator)
        self.key = tuple(mapper.get_property_by_column(c).key for c in mapper.primary_key)
        order = store.order or tuple(column.name for column in mapper.primary_key)
        self.order = by_column[order[0]]
        default = mapper.column_attrs[self.order].columns[0].default
        self.has_clock = default is not None and default.is_callable  # the application's own
        # What is stored, and where it is read, hangs on these.
        told = (*self.conversation, self.order, self.payload, *self.key)
        self.telling = tuple(dict.fromkeys((*told, self.role) if self.role else told))
        self.number = next((by_column[n] for n in ("message_id",) if n in by_column), None)
        alone = {a.key: a.columns[0] for a in mapper.column_attrs if _is_unique(a.columns[0])}
        self.unshared = tuple(alone)
        # No two rows may share these, and nobody else gives a closing row its own.
        self.drawn = {
            key: column.type.python_type
            for key, column in alone.items()
            if key not in self.telling and isinstance(column.type, String | Uuid)
            if (getattr(column.type, "length", None) or LONG) >= LONG
            if not column.nullable and column.default is column.server_default is None
        }
        self.parents = [
            relation
            for relation in mapper.relationships
            if {column.name for column in relation.local_columns} == set(store.conversation)
        ]

    def message(self, values: dict[str, Any]) -> Message | None:
        """Read the message in a row's values, None where there is none. Raises `UnreadableError`."""
        given = values.get(self.payload)
        if self.is_bare and given.__class__ is dict:
            return given
        try:
            return unpacked(
                self.plain(given),
                values.get(self.role) if self.role else None,
                self.format,
                column=self.role is not None,
                typed=self._is_typed(given),
            )
        except UnreadableError as error:
            where = f"{self.mapper.class_.__name__}.{self.payload}"
            way = (
                "" if self.role else "; where the role has a column of its own, give guard() role="
            )
            raise UnreadableError(f"{where}: {str(error).rstrip('.')}{way}") from None

    def put(self, message: Message, values: dict[str, Any]) -> dict[str, Any]:
        """Give the attributes that hold a message, in the form that they have now."""
        given = values.get(self.payload)
        value = packed(
            message,
            self.plain(given),
            self.format,
            column=self.role is not None,
            typed=self._is_typed(given),
        )
        new: dict[str, Any] = {self.payload: self.typed(value, given)}
        if self.role:
            new[self.role] = message["role"]
        return new

    def _is_typed(self, value: Any) -> bool:
        """Tell whether the type itself makes JSON of a text, so that the text is words."""
        if self.is_json or not (isinstance(value, str) and isinstance(self.type, TypeDecorator)):
            return self.is_json
        bound = self.type.process_bind_param(value, DIALECT)
        try:
            return bound != value and isinstance(bound, str) and json_text.read(bound) == value
        except UnreadableError:
            return False

    def plain(self, value: Any) -> Any:
        """Give a value of the application's own type as the column keeps it."""
        if isinstance(value, PLAIN) or not isinstance(self.type, TypeDecorator):
            return value
        return self.type.process_bind_param(value, DIALECT)

    def typed(self, value: Any, like: Any) -> Any:
        """Give a value as the application has it, which is like another."""
        if isinstance(like, PLAIN) or not isinstance(self.type, TypeDecorator):
            return value
        return self.type.process_result_value(value, DIALECT)

    def conversation_of(self, values: dict[str, Any]) -> tuple[Any, ...] | None:
        """Give what names a row's conversation; None where its parent is not written yet."""
        named = tuple(map(values.get, self.conversation))
        if None not in named:
            return named
        for relation in self.parents:
            parent = values.get(relation.key)
            if parent is not None:
                theirs = {local.name: remote for local, remote in relation.local_remote_pairs or ()}
                mapper: Any = relation.mapper
                written = attributes.instance_dict(parent)
                named = tuple(
                    written.get(mapper.get_property_by_column(theirs[name]).key)
                    for name in self.store.conversation
                )
                return None if None in named else named
        return None

    def group_of(self, values: dict[str, Any]) -> Any:
        """Give what tells conversations apart within one flush."""
        if self.named is not None and (cell := values.get(self.named)) is not None:
            return (cell,)
        found = self.conversation_of(values)
        if found is not None:
            return found
        return next((id(values[r.key]) for r in self.parents if values.get(r.key)), None)


def collections_of(cls: type, store: Store) -> tuple[str, ...]:
    """Name the collections of a class that hold objects whose rows are in the store's table."""
    mapper: Any = inspect(cls, raiseerr=False)
    return tuple(
        relation.key
        for relation in (mapper.relationships if isinstance(mapper, Mapper) else ())
        if relation.direction is RelationshipDirection.ONETOMANY
        and not relation.viewonly
        and _table_of(relation.mapper, store) is not None
    )


def mapping_of(cls: type, store: Store) -> Mapping | None:
    """Give the mapping of a class whose rows are in the store's table, None for any other."""
    try:
        mapper: Any = inspect(cls)
    except UnmappedClassError:
        return None
    if _table_of(mapper, store) is None:
        return None
    if len(mapper.tables) > 1 and formats.get(store.format).shape is not Shape.INLINE:
        msg = (
            f"{cls.__name__} is mapped over several tables, and a row that closes a call would "
            f"be in {store.table} alone; guard a class of one table, or use a ChatRepository"
        )
        raise StoreError(msg)
    return Mapping(mapper, store)
