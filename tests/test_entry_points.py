"""Formats and stores of other packages, and what is said of an entry point that is neither."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest

from endmark import formats, stores
from endmark.errors import EndmarkError, FormatError, StoreError

GROUPS: dict[str, tuple[Any, type[EndmarkError], str]] = {
    "formats": (formats, FormatError, "Format"),
    "stores": (stores, StoreError, "Store"),
}
WRONG = {
    "a module": ("json", "gives a module, not a {kind}; .*'json:{constant}'"),
    "something else": ("json:dumps", "gives a function, not a {kind}"),
    "no such module": ("endmark_nowhere:X", "cannot be loaded: ModuleNotFoundError"),
    "no such name": ("json:NOTHING", "cannot be loaded: AttributeError"),
}
SOUND = {
    "formats": "endmark.formats.anthropic:FORMAT",
    "stores": "endmark.stores.vercel_chatbot:STORE",
}


def announce(patch: pytest.MonkeyPatch, group: str, value: str) -> None:
    entry = EntryPoint("theirs", value, f"endmark.{group}")
    patch.setattr(GROUPS[group][0], "_others", lambda: {"theirs": entry})


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_entry_point_is_named(
    group: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, error, kind = GROUPS[group]
    value, said = WRONG[name]
    announce(monkeypatch, group, value)
    said = said.format(kind=kind, constant=kind.upper())
    with pytest.raises(
        error, match=f"entry point theirs = '{value}'.* in group endmark.{group} {said}"
    ):
        package.get("theirs")


@pytest.mark.parametrize("group", GROUPS)
def test_a_sound_entry_point_is_used(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package = GROUPS[group][0]
    announce(monkeypatch, group, SOUND[group])
    assert "theirs" in package.names()
    assert package.get("theirs").name in {"anthropic", "vercel-chatbot"}
    formats._load.cache_clear()
