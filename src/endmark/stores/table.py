"""One table as the database has it: its columns, its key, and how its cells are read and bound.

On PostgreSQL every cell is read as its text and bound through a cast to the column's own type, so
that what was read can be written back exactly. On SQLite cells are the driver's own values.
"""

# ruff: noqa: S608  (names are quoted by the dialect, values are bound)

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError, NoSuchTableError, OperationalError

from endmark.errors import StoreError

Cell = str | int | float | bytes | None
Cells = dict[str, Cell]

_PG_COLUMNS = """
SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attgenerated <> '',
       a.attidentity <> '' OR pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%',
       NOT a.attnotnull OR a.atthasdef
FROM pg_attribute a
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid = CAST(:name AS regclass) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
"""


JOURNAL = "endmark"  # the schema of our own
MOST_SCHEMAS = 20  # that are looked into where a table is not found
_NUMBERS = ("int", "real", "num", "double")
_NO_EQUALITY = {"json", "xml", "point", "polygon", "box", "path"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its type as the database spells it, and whether the database fills it."""

    name: str
    type: str
    generated: bool = False
    numbered: bool = False  # the database gives the next number

    @property
    def is_number(self) -> bool:
        return self.numbered or any(word in self.type.lower() for word in _NUMBERS)

    @property
    def is_time(self) -> bool:
        return self.type.lower().startswith(("timestamp", "date", "time"))

    free: bool = False  # a new row may go without it


class Table:
    """A table that was looked at. Raises `StoreError` when it, or a column, is not there."""

    def __init__(self, connection: Connection, name: str, schema: str | None = None) -> None:
        self.name = name
        self.schema = schema
        self.dialect = connection.dialect.name
        version = connection.dialect.server_version_info or (0,)
        self.tells_json = self.dialect == "postgresql" and version >= (16,)  # `IS JSON`
        self._quote = connection.dialect.identifier_preparer.quote
        self.ref = (
            self.quote(name) if schema is None else f"{self.quote(schema)}.{self.quote(name)}"
        )
        inspector = inspect(connection)
        if self.dialect == "sqlite":  # there it is an error of its own
            require_schema(connection, schema)
        try:
            self.primary_key = tuple(
                inspector.get_pk_constraint(name, schema)["constrained_columns"]
            )
        except NoSuchTableError:
            raise _no_table(connection, name, schema) from None
        self.columns = {column.name: column for column in self._columns(connection)}
        if self._is_key_null(connection):
            self.primary_key = ()
        indexes = inspector.get_indexes(name, schema)
        self.unique = [
            tuple(c for c in index["column_names"] if c is not None)
            for index in indexes
            if index["unique"]
        ] + self._constraints(connection)
        named = [self.primary_key, *self.unique, *(index["column_names"] for index in indexes)]
        self.sought = {names[0] for names in named if names}  # an index finds rows by these

    def _is_key_null(self, connection: Connection) -> bool:
        """Tell whether rows have no primary key, which SQLite lets be: `id INT PRIMARY KEY`."""
        if self.dialect != "sqlite" or "rowid" not in self.columns:
            return False
        free = [self.quote(name) for name in self.primary_key if self.columns[name].free]
        none = " OR ".join(f"{name} IS NULL" for name in free)
        sql = f"SELECT 1 FROM {self.ref} WHERE {none} LIMIT 1"
        return bool(free and rows_of(connection, sql, {}))

    @property
    def label(self) -> str:
        return self.name if self.schema is None else f"{self.schema}.{self.name}"

    def quote(self, name: str) -> str:
        """Quote a name for `text`: a colon would begin a parameter, and it doubles % itself."""
        quoted = self._quote(name.replace("%", "\0")).replace("\0", "%")
        return quoted.replace(":", "\\:")

    @property
    def regclass(self) -> str:
        """The table as PostgreSQL's catalogue is asked for it, in a bound value."""
        return self.ref.replace("\\:", ":")

    def _constraints(self, connection: Connection) -> list[tuple[str, ...]]:
        """Give the columns of each UNIQUE constraint; SQLAlchemy misses some of SQLite's."""
        if self.dialect == "postgresql":
            found = inspect(connection).get_unique_constraints(self.name, self.schema)
            return [tuple(constraint["column_names"]) for constraint in found]
        sql = (
            "SELECT i.name, c.name FROM pragma_index_list(:name, :schema) AS i, "
            "pragma_index_info(i.name, :schema) AS c WHERE i.origin = 'u' ORDER BY i.seq, c.seqno"
        )
        values = {"name": self.name, "schema": self.schema or "main"}
        rows = rows_of(connection, sql, values)
        return [tuple(c for _, c in group) for _, group in groupby(rows, key=itemgetter(0))]

    def _columns(self, connection: Connection) -> list[Column]:
        if self.dialect == "postgresql":
            rows = connection.execute(text(_PG_COLUMNS), {"name": self.regclass})
            return [Column(*row) for row in rows]
        pragma = f"PRAGMA {'' if self.schema is None else self.quote(self.schema) + '.'}"
        rows = connection.execute(text(f"{pragma}table_xinfo({self.quote(self.name)})"))
        alone, has_rowid = len(self.primary_key) == 1, _has_rowid(connection, self.ref)
        # Not of the rowid, and not numbered, if an index keeps it: INTEGER PRIMARY KEY DESC.
        apart = connection.scalar(
            text("SELECT 1 FROM pragma_index_list(:name, :schema) WHERE origin = 'pk'"),
            {"name": self.name, "schema": self.schema or "main"},
        )
        columns = [
            Column(
                name,
                type_,
                generated=hidden > 1,
                numbered=bool(
                    pk and alone and has_rowid and not apart and type_.upper() == "INTEGER"
                ),
                free=not needed or default is not None,
            )
            for _, name, type_, needed, default, pk, hidden in rows
        ]
        # A table without an INTEGER PRIMARY KEY has a rowid of its own, which an undone delete
        # must give back too.
        if has_rowid and not any(column.numbered for column in columns):
            columns = [Column("rowid", "INTEGER", numbered=True), *columns]
        return columns

    def require(self, names: Iterable[str]) -> None:
        missing = [name for name in names if name not in self.columns]
        if missing:
            msg = (
                f"table {self.label} has no column {', '.join(missing)}; "
                f"its columns are {', '.join(self.columns)}"
            )
            raise StoreError(msg)

    def key(self, named: Sequence[str]) -> tuple[str, ...]:
        """Give the key columns: those named, else the primary key, else SQLite's rowid."""
        key = tuple(named) or self.primary_key
        if not key and "rowid" in self.columns:
            key = ("rowid",)
        if not key:
            msg = f"table {self.label} has no primary key; name unique columns with --key"
            raise StoreError(msg)
        self.require(key)
        return key

    def sort(self, names: Iterable[str]) -> str:
        """List columns to sort by: qualified, or the text that is read of them would be meant."""
        return ", ".join(f"{self.ref}.{self.quote(name)}" for name in names)

    def read(self, name: str) -> str:
        column = self.quote(name)
        if self._is_array(name):
            column = f"array_to_json({column})"
        return f"CAST({column} AS TEXT)" if self.dialect == "postgresql" else column

    def _is_array(self, name: str) -> bool:
        """Tell an array of JSON values, which is read and written as one JSON list."""
        return self.columns[name].type in ("json[]", "jsonb[]")

    def cast(self, name: str, value: str) -> str:
        """Give SQL that makes a cell of this column from the text that was read of one."""
        if self.dialect != "postgresql":
            return value
        type_ = self.columns[name].type
        if self._is_array(name):
            item = type_.removesuffix("[]")
            items = f"ARRAY(SELECT e FROM {item}_array_elements(CAST({value} AS {item})) AS e)"
            return f"CASE WHEN CAST({value} AS {item}) IS NOT NULL THEN {items} END"
        return f"CAST({value} AS {type_})"

    def bind(self, name: str, parameter: str) -> str:
        return self.cast(name, f":{parameter}")

    def same(self, name: str, parameter: str) -> str:
        return self.same_as(name, f":{parameter}")

    def same_as(self, name: str, value: str, prefix: str = "") -> str:
        """Compare a cell as it was read; NULL is the same as NULL.

        By value where the type has one, since jsonb and times do not keep the text they are given.
        """
        column = prefix + self.quote(name)
        if self.dialect != "postgresql":
            return f"{column} IS {value}"
        if self._is_array(name):
            told = f"CAST(array_to_json({column}) AS TEXT)"
            return f"{told} IS NOT DISTINCT FROM CAST({value} AS TEXT)"
        if self.columns[name].type in _NO_EQUALITY:
            return f"CAST({column} AS TEXT) IS NOT DISTINCT FROM CAST({value} AS TEXT)"
        return f"{column} IS NOT DISTINCT FROM {self.cast(name, value)}"

    def equals(self, name: str, parameter: str) -> str:
        """Compare a column with a value in a way that an index serves."""
        return f"{self.quote(name)} = {self.bind(name, parameter)}"

    def where(self, key: Iterable[str], same: Iterable[str] = ()) -> str:
        """Make the condition for the row of a key, `:k0` and on, that holds the same, `:b0` on."""
        parts = [self.equals(name, f"k{n}") for n, name in enumerate(key)]
        parts += [self.same(name, f"b{n}") for n, name in enumerate(same)]
        return " AND ".join(parts)


def _has_rowid(connection: Connection, ref: str) -> bool:
    try:
        connection.execute(text(f"SELECT rowid FROM {ref} LIMIT 0"))
    except OperationalError:
        return False
    return True


def require_schema(connection: Connection, schema: str | None) -> None:
    """Raise `StoreError` for a schema that is not there."""
    if schema is None or schema in (names := inspect(connection).get_schema_names()):
        return
    if connection.dialect.name == "sqlite":
        raise StoreError(
            f"there is no schema {schema}: on SQLite a schema is a database attached to the "
            f"connection, here {', '.join(names)}; leave --schema out, and open a file by its own URL"
        )
    raise StoreError(f"there is no schema {schema}; the schemas are {', '.join(sorted(names))}")


def other_schemas(connection: Connection, schema: str | None) -> list[str]:
    """Give the schemas beside this one (None: the connection's own) in which tables may be."""
    inspector = inspect(connection)
    here = {schema or inspector.default_schema_name, "information_schema", JOURNAL}
    return sorted(set(inspector.get_schema_names()) - here)


def _no_table(connection: Connection, name: str, schema: str | None) -> StoreError:
    require_schema(connection, schema)
    inspector = inspect(connection)
    where = f" in schema {schema}" if schema else ""
    seen = ", ".join(sorted(inspector.get_table_names(schema))[:12]) or "none"
    way = ""
    others = other_schemas(connection, schema)[:MOST_SCHEMAS]
    if name.startswith("endmark_"):
        way = (
            "; make Endmark's own with endmark.guard.tables.metadata.create_all, or heal-db migrate"
        )
    elif having := [other for other in others if inspector.has_table(name, other)]:
        way = f"; there is one in schema {', '.join(having)}: name it with --schema"
    return StoreError(f"there is no table {name}{where}; the tables there are: {seen}{way}")


def numbered(prefix: str, values: Iterable[Any]) -> dict[str, Any]:
    """Name values to bind.

    >>> numbered("k", ["a", 7])
    {'k0': 'a', 'k1': 7}
    """
    return {f"{prefix}{k}": value for k, value in enumerate(values)}


def as_json(records: Any) -> str:
    """Give many values as one JSON text to bind; half a surrogate pair stays, for the driver."""
    try:
        return orjson.dumps(records).decode()
    except TypeError:  # that, or a number over 64 bits
        return json.dumps(records, ensure_ascii=False)


def rows_of(connection: Connection, sql: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Run a query and give its rows as plain tuples."""
    return [tuple(row) for row in connection.execute(text(sql), values)]


@contextmanager
def without_content() -> Iterator[None]:
    """Keep the values of a statement, and the lines where a server quotes a row, out of its error."""
    try:
        yield
    except DBAPIError as error:
        error.hide_parameters = True
        said = str(error.orig).partition("\n")[0]  # DETAIL and CONTEXT are the lines behind
        error.args = (f"({type(error.orig).__name__}) {said}",)
        raise error from None  # the driver's own error would be printed above it
