"""A user's own table as a store, from flags or from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

from pydantic import ValidationError

from endmark.errors import FormatError, StoreError, unknown
from endmark.policy import Policy
from endmark.stores._store import LISTS, Store
from endmark.stores.sense import nonsense
from endmark.stores.wrong_values import wrong_value

FLAGS = {
    name: f"--{name.replace('_', '-')}"
    for name in ("marker", "cause", "orphans", "late", "min_age")
}
FLAGS |= {"pending_tools": "--pending-tool", "pending_ids": "--pending-id"}
TABLES = frozenset({"stores", "policy"})  # a policy may stand in the same file


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
    if odd := [f"[{name}]" for name in content if name not in TABLES]:
        raise StoreError(f"{path}: {odd[0]} is not known; there are [stores.NAME] and [policy]")
    if odd := [name for name, given in described.items() if not isinstance(given, dict)]:
        raise StoreError(f"{path}: stores.{odd[0]} is no store; its keys go below [stores.NAME]")
    return [
        _store({"name": name} | given, f"{path}, [stores.{name}]")
        for name, given in described.items()
    ]


def _store(given: dict[str, Any], where: str) -> Store:
    if given.get("path"):
        given = {"layout": "nested" if "*" in str(given["path"]) else "list", **given}
    try:
        store = Store(**given)
    except ValidationError as error:
        raise StoreError(f"{where}: {_what_is_wrong(error, given)}") from None
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from None
    if store.path and store.layout not in LISTS:
        raise StoreError(f"{where}: a path is for layout 'list', not for {store.layout!r}")
    if store.layout == "nested" and not (store.path or store.lists):
        raise StoreError(f"{where}: layout 'nested' needs the path to its lists (runs.*.messages)")
    if store.layout == "rows" and not store.payload and not store.fields:
        raise StoreError(f"{where}: layout 'rows' needs the column with the payload (--payload)")
    if why := nonsense(store):
        raise StoreError(f"{where}: {why}")
    return store


def _what_is_wrong(error: ValidationError, given: dict[str, Any]) -> str:
    """Say what is wrong in one sentence; a misspelt key first, which is why another is missing."""
    for one in error.errors(include_input=False, include_url=False):
        if one["type"] == "unexpected_keyword_argument":
            place = ".".join(str(step) for step in one["loc"])
            if place in Policy.model_fields:
                flag = f", or say {FLAGS[place]}" if place in FLAGS else ""
                return f"{place} is no key of a store but of the policy: put it below [policy] in the file of --policy{flag}"
            return unknown("key", place, _keys(one["loc"][:-1]), page="docs/stores.md")
    return wrong_value(error, given)


def _keys(above: Sequence[int | str]) -> list[str]:
    """Give the keys that may stand below this place of a store."""
    kind: Any = Store
    for step in above:
        if isinstance(step, str):
            types = get_type_hints(kind)[step]
            kind = next(one for one in (*get_args(types), types) if is_dataclass(one))
    return [one.name for one in fields(kind)]
