"""Lossless JSON as laws: random documents in every style, random edits that share the rest."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from endmark.stores.json_spans import is_telling, scan_level
from endmark.stores.json_text import Sources, read, splice, write

BLANK = st.sampled_from(["", "", " ", "\n  ", "\t", " \r\n "])
NUMBERS = st.sampled_from(["0", "-0", "1", "7", "300", "9007199254740993"]) | st.sampled_from(
    ["1.10", "1.1", "1.0", "-0.0", "0.0", "1E5", "1e400", "-1E999", "NaN", "-Infinity"]
)
LONG = st.sampled_from(
    ["0.1234567890123456789012", "123456789012345678901234567890", "18446744073709551616"]
)
STRINGS = st.one_of(
    st.builds(json.dumps, st.text(max_size=6), ensure_ascii=st.booleans()),
    st.sampled_from(['"\\/"', '"\\u00e9x"', '"\\ud800"', '"\\u0000,"', '"],}\\""', '"é: ü"', '""']),
)
KEYS = st.sampled_from(['"a"', '"b"', '"\\u0061"', '"c d"', '""', '"ü"', '"\\"{"'])
LEAVES = NUMBERS | LONG | STRINGS | st.sampled_from(["null", "true", "false"])


@st.composite
def _container(draw: Any, inner: st.SearchStrategy[str]) -> str:
    """A container with one separator style of its own, or a blank drawn at every place."""
    fixed = draw(st.none() | BLANK)
    blank: Callable[[], str] = (lambda: draw(BLANK)) if fixed is None else lambda: fixed
    children = draw(st.lists(inner, max_size=5))
    if keyed := draw(st.booleans()):
        children = [f"{draw(KEYS)}{blank()}:{blank()}{child}" for child in children]
    body = f",{blank()}".join(child + (blank() if fixed is None else "") for child in children)
    return ("{%s%s%s}" if keyed else "[%s%s%s]") % (blank(), body, blank())


TEXTS = st.recursive(LEAVES, _container, max_leaves=25)
DOCUMENTS = st.builds("".join, st.tuples(BLANK, _container(TEXTS), BLANK))
NEW_LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
NEW_VALUES = st.recursive(
    NEW_LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def _containers(payload: Any) -> list[Any]:
    found = [payload] if isinstance(payload, dict | list) else []
    for node in found:
        found += [child for child in _children(node).values() if isinstance(child, dict | list)]
    return found


def _children(node: Any) -> dict[Any, Any]:
    return node if isinstance(node, dict) else dict(enumerate(node))


def _values(payload: Any) -> list[Any]:
    """Every value of `payload` whose identity can be told."""
    inside = [child for node in _containers(payload) for child in _children(node).values()]
    return [value for value in (payload, *inside) if is_telling(value)]


@st.composite
def _edited(draw: Any, node: Any, everything: list[Any]) -> Any:
    """A persistent edit: what it does not touch is shared by identity."""
    value = NEW_VALUES | st.sampled_from(everything)
    if not isinstance(node, dict | list) or draw(st.integers(0, 9)) == 0:
        return draw(value)
    new = copy.copy(node)
    for _ in range(draw(st.integers(1, 3))):
        places = list(_children(new))
        act = draw(st.sampled_from(["set", "delete", "add", "move", "deeper", "deeper"]))
        if act == "add" or not places:
            if isinstance(new, dict):
                new[draw(st.text(max_size=2))] = draw(value)
            else:
                new.insert(draw(st.integers(0, len(new))), draw(value))
            continue
        place = draw(st.sampled_from(places))
        if act == "set":
            new[place] = draw(value)
        elif act == "deeper":
            new[place] = draw(_edited(new[place], everything))
        elif act == "delete" or isinstance(new, dict):
            del new[place]
        else:
            new.insert(draw(st.integers(0, len(new) - 1)), new.pop(place))
    return new


def _texts(text: str, payload: Any, start: int, end: int, found: dict[int, set[str]]) -> None:
    """Collect the exact text of every value whose identity can be told."""
    if is_telling(payload):
        found.setdefault(id(payload), set()).add(text[start:end])
    if isinstance(payload, dict | list):
        level = scan_level(text, start)
        for place, child in _children(payload).items():
            index = level.last[place] if level.keys else place
            _texts(text, child, level.values[index], level.ends[index], found)


def _exact(text: str, payload: Any) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    body = text.strip(" \t\n\r")
    _texts(body, payload, 0, len(body), found)
    return found


def _canonical(payload: Any) -> str:
    return json.dumps(payload, sort_keys=True)


@given(st.data(), DOCUMENTS)
def test_an_edit_reads_back_and_untouched_values_keep_their_text(data: Any, text: str) -> None:
    old = read(text)
    new = data.draw(_edited(old, [old, *_values(old)]))
    result = splice(text, old, new)
    assert _canonical(read(result)) == _canonical(_as_read(new))
    before, after = _exact(text, old), _exact(result, new)
    for value in before.keys() & after.keys():
        assert after[value] == before[value]


def _as_read(value: Any) -> Any:
    """The value as its text would be read: integers beyond 64 bits become floats."""
    if isinstance(value, dict):
        return {key: _as_read(child) for key, child in value.items()}
    if isinstance(value, list):
        return [_as_read(child) for child in value]
    if type(value) is int and not -(2**63) <= value < 2**64:
        return float(value)
    return value


@given(DOCUMENTS)
def test_without_an_edit_the_same_object_comes_back(text: str) -> None:
    old = read(text)
    assert splice(text, old, old) is text
    assert splice(text, old, copy.deepcopy(old)) is text
    assert splice(text, old, read(text)) is text


@given(st.data(), DOCUMENTS)
def test_only_the_edited_span_changes(data: Any, text: str) -> None:
    old = read(text)
    new, start, path = copy.copy(old), len(text) - len(text.lstrip(" \t\n\r")), _path(data, old)
    assume(path)
    node = new
    for place in path[:-1]:
        level = scan_level(text, start)
        start = level.values[level.last[place] if level.keys else place]
        node[place] = copy.copy(node[place])
        node = node[place]
    level = scan_level(text, start)
    index = level.last[path[-1]] if level.keys else path[-1]
    node[path[-1]] = 424242
    wanted = text[: level.values[index]] + "424242" + text[level.ends[index] :]
    assert splice(text, old, new) == wanted


def _path(data: Any, node: Any) -> list[Any]:
    path: list[Any] = []
    while isinstance(node, dict | list) and node:
        path.append(data.draw(st.sampled_from(list(_children(node)))))
        node = node[path[-1]]
        if data.draw(st.booleans()):
            break
    return path


@given(st.data(), DOCUMENTS, NEW_VALUES)
def test_what_is_added_and_taken_away_leaves_no_trace(data: Any, text: str, value: Any) -> None:
    old = read(text)
    assume(old)
    if isinstance(old, dict):
        longer = splice(text, old, {**old, "fresh": value})
        payload = read(longer)
        shorter = {key: payload[key] for key in old}
    else:
        place = data.draw(st.integers(1, len(old)))
        longer = splice(text, old, [*old[:place], {"fresh": value}, *old[place:]])
        payload = read(longer)
        shorter = payload[:place] + payload[place + 1 :]
    result = splice(longer, payload, shorter)
    assert _canonical(read(result)) == _canonical(old)
    if len(old) == 1 or isinstance(old, dict):
        assert result == text


@given(st.data(), DOCUMENTS, DOCUMENTS)
def test_values_of_other_documents_keep_their_text(data: Any, here: str, there: str) -> None:
    old, other = read(here), read(there)
    new = data.draw(_edited(old, [other, *_values(other)]))
    sources = Sources()
    sources.add(there, other)
    before = _exact(there, other)
    for result in (splice(here, old, new, sources), write(new, here, sources)):
        assert _canonical(read(result)) == _canonical(_as_read(new))
        after = _exact(result, new)
        for value in before.keys() & after.keys():
            assert after[value] == before[value]
