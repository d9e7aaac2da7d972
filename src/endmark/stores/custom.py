"""A user's own table as a store, from flags or from a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from endmark.errors import StoreError
from endmark.stores._store import LISTS, Store


def from_flags(
    *,
    table: str,
    conversation: str,
    format: str,
    order: str | None = None,
    payload: str | None = None,
    role: str | None = None,
    key: str | None = None,
    schema: str | None = None,
    layout: str | None = None,
    path: str | None = None,
    order_kind: str | None = None,
    age: str | None = None,
) -> Store:
    """Make a store from the mapping flags; several columns are given with commas between them.

    `path` names where in the payload a whole list lies (`thread.messages`), and makes the layout
    `list`. Raises `StoreError` for a mapping that cannot be.

    >>> from_flags(table="chat", conversation="thread", order="id", payload="body",
    ...            format="openai-chat").layout
    'rows'
    """
    given = {name: value for name, value in locals().items() if value is not None}
    return _store(given, "the mapping")


def from_toml(path: str | Path) -> list[Store]:
    """Read stores from a TOML file: a table `[stores.NAME]` for each, its keys those of `Store`.

    Raises `StoreError` for a file that is not there, is not TOML or holds a wrong mapping.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "stores.toml")
    >>> _ = file.write_text('''
    ... [stores.chat]
    ... format = "openai-chat"
    ... table = "chat"
    ... conversation = "thread"
    ... order = "id"
    ... payload = "body"
    ... ''')
    >>> from_toml(file)[0].name
    'chat'
    """
    try:
        content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} is not TOML: {error}") from None
    described = content.get("stores")
    if not isinstance(described, dict) or not described:
        raise StoreError(f"{path} describes no store; add a table [stores.NAME] for each")
    return [
        _store({"name": name} | given, f"{path}, [stores.{name}]")
        for name, given in described.items()
        if isinstance(given, dict)
    ]


def _store(given: dict[str, Any], where: str) -> Store:
    if given.get("path"):
        given = {"layout": "nested" if "*" in given["path"] else "list", **given}
    try:
        store = Store(**given)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"])
        raise StoreError(f"{where}: {place}: {first['msg']}") from None
    if store.path and store.layout not in LISTS:
        raise StoreError(f"{where}: a path is for layout 'list', not for {store.layout!r}")
    if store.layout == "nested" and not (store.path or store.lists):
        raise StoreError(f"{where}: layout 'nested' needs the path to its lists (runs.*.messages)")
    if store.layout == "rows" and not store.payload and not store.fields:
        raise StoreError(f"{where}: layout 'rows' needs the column with the payload (--payload)")
    return store
