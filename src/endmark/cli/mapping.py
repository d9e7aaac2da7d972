"""Which tables a command works on: a known store, one described by flags or TOML, or detected."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any

import sqlalchemy as sa
import typer

from endmark import stores
from endmark.errors import StoreError
from endmark.stores import Store, custom
from endmark.stores.table import require_schema

__all__ = ["Mapping"]


def _option(*names: str, help: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel="Where the messages are", **more)


@dataclass(frozen=True)
class Mapping:
    """Where the messages are; without any of these the known stores are looked for."""

    store: Annotated[
        str | None,
        _option("--store", help="A known store (see heal-db stores), or one of --config."),
    ] = None
    config: Annotated[
        Path | None, _option("--config", metavar="FILE.toml", help="Stores described in TOML.")
    ] = None
    table: Annotated[str | None, _option("--table", help="A table of your own.")] = None
    conversation: Annotated[
        str | None, _option("--conversation", help="Its column(s) that name the conversation.")
    ] = None
    order: Annotated[
        str | None, _option("--order", help="Its column(s) that order the messages.")
    ] = None
    payload: Annotated[str | None, _option("--payload", help="Its column with the JSON.")] = None
    format: Annotated[str | None, _option("--format", help="Format of the messages.")] = None
    role: Annotated[
        str | None, _option("--role", help="Its column with the role, if it is not in the JSON.")
    ] = None
    key: Annotated[
        str | None, _option("--key", help="Its unique column(s); default: the primary key.")
    ] = None
    schema: Annotated[str | None, _option("--schema", help="Schema of the tables.")] = None
    layout: Annotated[
        str | None,
        _option("--layout", metavar="rows|list", help="A message a row, or a whole list a row."),
    ] = None
    path: Annotated[
        str | None,
        _option(
            "--path",
            metavar="a.b",
            help="Where in the JSON a whole list lies (thread.messages); makes the layout list.",
        ),
    ] = None
    order_kind: Annotated[
        str | None,
        _option(
            "--order-kind",
            metavar="sequence|time|shared",
            help="What orders: numbers of each conversation, a time, or an id that all share.",
        ),
    ] = None
    age: Annotated[
        str | None, _option("--age", help="Its column that tells when a row was written.")
    ] = None

    @property
    def is_detected(self) -> bool:
        """Say whether the known stores are looked for."""
        return self._chosen() is None

    def stores(self, connection: sa.Connection) -> list[Store]:
        """Give the stores meant. Raises `StoreError`, `FormatError`."""
        chosen = self._chosen()
        if chosen is not None:
            return [one for store in chosen for one in _placed(connection, store)]
        found: list[Store] = stores.detect(connection, self.schema)
        if found:
            return found
        raise _nothing(connection, self.schema)

    def _chosen(self) -> list[Store] | None:
        flags = {
            field.name: value
            for field in fields(self)
            if field.name not in {"store", "config", "schema"}
            and (value := getattr(self, field.name)) is not None
        }
        if flags and (self.store is not None or self.config is not None):
            raise StoreError("give either --store, or --config, or --table with its columns")
        if self.config is not None:
            return self._placed_in(self._described(custom.from_toml(self.config)))
        if self.store is not None:
            return self._placed_in([stores.get(self.store)])
        if not flags:
            return None
        if self.table is None:
            raise StoreError(
                f"--{next(iter(flags)).replace('_', '-')} needs --table: name the table"
            )
        missing = [f"--{name}" for name in ("conversation", "format") if name not in flags]
        if missing:
            raise StoreError(f"--table {self.table} needs {' and '.join(missing)} too")
        return [custom.from_flags(**flags, schema=self.schema)]

    def _placed_in(self, chosen: list[Store]) -> list[Store]:
        """Look for stores in the schema that --schema names, where it names one."""
        if self.schema is None:
            return chosen
        return [replace(store, schema=self.schema) for store in chosen]

    def _described(self, described: list[Store]) -> list[Store]:
        """Give the stores of a TOML file, or the one that --store names."""
        chosen = [store for store in described if self.store in (None, store.name)]
        if not chosen:
            names = ", ".join(store.name for store in described)
            raise StoreError(f"{self.config} describes no store {self.store!r}; it has {names}")
        return chosen


def _placed(connection: sa.Connection, store: Store) -> list[Store]:
    """Find a known store whose schema or columns have several names; else give it as it is."""
    if not (store.schemas or store.names) or store.table not in store.fingerprint:
        return [store]
    found: list[Store] = stores.detect(connection, store.schema)
    return [one for one in found if one.name == store.name] or [store]


def _nothing(connection: sa.Connection, schema: str | None) -> StoreError:
    """Say that no known store is here, what is, and in notes with which flags it may be read."""
    require_schema(connection, schema)
    likely = [*stores.guessed(connection, schema), *stores.elsewhere(connection, schema)]
    where = f"in schema {schema}" if schema else "here"
    said = f"no known store is {where}; seen: {stores.seen(connection, schema)}. Describe yours with --table, "
    said += (
        "--conversation, --order, --payload and --format (and --role, --key, --schema); where the "
    )
    said += "fields of a message have columns of their own, with `fields` in a --config (docs/stores.md)"
    error = StoreError(f"{said}; by the looks of it, but check these:" if likely else said)
    for flags in likely:
        error.add_note(flags)
    return error
