"""Lossless JSON: an edit changes its own characters and no other, whatever the text looks like."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endmark.errors import UnreadableError
from endmark.stores.json_text import Sources, read, splice, write

# --- hostile input ---------------------------------------------------------------------------

SECRET = "sk-content"
DEEP = "[" * 5000 + "]" * 5000
REFUSED = {
    "empty": ("", "not JSON"),
    "empty bytes": (b"", "not JSON"),
    "blank": (" \n", "not JSON"),
    "trailing garbage": ('{"a": 1} ' + SECRET, "not JSON"),
    "cut off": ('{"a": "' + SECRET, "not JSON"),
    "bad escape": (f'["\\x{SECRET}"]', "not JSON"),
    "control character": (f'["\x01{SECRET}"]', "not JSON"),
    "single quotes": (f"['{SECRET}']", "not JSON"),
    "byte order mark": ("\ufeff[]", "not JSON"),
    "byte order mark in bytes": (b"\xef\xbb\xbf[]", "not JSON"),
    "latin-1 bytes": (b'["caf\xe9"]', "not UTF-8"),
    "utf-16 bytes": ("[]".encode("utf-16"), "not UTF-8"),
    "deep": (DEEP, "too deep"),
    "deep objects": ('{"a":' * 5000 + "1" + "}" * 5000, "too deep"),
    "deep with NaN": ("[NaN," + DEEP + "]", "too deep"),
    "deep and cut off": ("[" * 5000, "JSON"),
    "sqlite jsonb object": (bytes.fromhex("7c1761132b133200"), "JSONB"),
    "sqlite jsonb array": (bytes.fromhex("2b1331"), "JSONB"),
    "sqlite jsonb, sized header": (b"\xcc\x10\x17a\xc7\x0c" + b"x" * 12, "JSONB"),
    "none": (None, "NoneType"),
    "int": (7, "int"),
    "dict": ({"a": SECRET}, "dict"),
}


@pytest.mark.parametrize(("text", "says"), REFUSED.values(), ids=REFUSED)
def test_unreadable(text: Any, says: str) -> None:
    with pytest.raises(UnreadableError, match=says) as caught:
        read(text)
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None


READABLE = {
    "nan": ("[NaN]", "[NaN]"),
    "infinity": ("[-Infinity, 1E400]", "[-Infinity, Infinity]"),
    "nul escape": (r'["a\u0000b"]', r'["a\u0000b"]'),
    "lone surrogate": (r'["\ud800"]', r'["\ud800"]'),
    "lone surrogate, raw": ('["\ud800"]', r'["\ud800"]'),
    "duplicate keys": ('{"a": 1, "a": 2}', '{"a": 2}'),
    "bytes": (b'{"a": 1}', '{"a": 1}'),
    "memoryview": (memoryview(b"[NaN]"), "[NaN]"),
    "bytearray": (bytearray(b"[1]"), "[1]"),
    "64 bits": ("[18446744073709551615, NaN]", "[18446744073709551615, NaN]"),
    "huge integer": ("[" + "9" * 5000 + "]", "[Infinity]"),
    "scalar": (' "x" ', '"x"'),
    "null": ("null", "null"),
}


@pytest.mark.parametrize(("text", "dumped"), READABLE.values(), ids=READABLE)
def test_readable(text: Any, dumped: str) -> None:
    assert json.dumps(read(text)) == dumped


@pytest.mark.parametrize("number", ["1.10", "9" * 30, "-" + "9" * 19, "1E5", "-0", "2" * 20])
def test_both_parsers_read_a_number_alike(number: str) -> None:
    fast, standard = read(f"[{number}]")[0], read(f"[{number}, NaN]")[0]
    assert (type(fast), fast) == (type(standard), standard)


@given(st.text() | st.binary())
def test_read_raises_nothing_else(text: str | bytes) -> None:
    with contextlib.suppress(UnreadableError):
        read(text)


# --- exact examples --------------------------------------------------------------------------

ODD = [
    "1.10", "0.1234567890123456789012345", "1E400", "-1e999", "1E5", "-0", "-0.0", "9" * 30,
    "NaN", "Infinity", '"\\ud800"', '"\\u0000"', '"\\u00e9\\/"', '"é"', "{ }", "[\n]",
    '{"a":1,"a": 2}', '"\\"},{[:, "', "true", "null",
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("form", ['{"o": %s, "s": "x"}', '{"s":"x","o":%s}', ' [ %s , {"s":1} ]\n'])
def test_odd_neighbours_survive(odd: str, form: str) -> None:
    text = form % odd
    old = read(text)
    if isinstance(old, dict):
        assert splice(text, old, {**old, "s": 7}) == text.replace('"x"', "7")
    else:
        assert splice(text, old, [old[0], {"s": 2}]) == text.replace('{"s":1}', '{"s":2}')


EXAMPLES = {
    "key added": ('{"a":1}', lambda o: {**o, "b": [1, {"c": 2}]}, '{"a":1,"b":[1,{"c":2}]}'),
    "key added, spaced": ('{"a": 1}', lambda o: {**o, "b": 2}, '{"a": 1, "b": 2}'),
    "key added, indented": (
        '{\n  "a": 1\n}',
        lambda o: {**o, "b": {"c": [1]}},
        '{\n  "a": 1,\n  "b": {"c": [1]}\n}',
    ),
    "key added to empty": ('{"a":{ }}', lambda o: {"a": {"b": 1}}, '{"a":{"b":1}}'),
    "first key removed": ('{ "a": 1, "b": 2 }', lambda o: {"b": o["b"]}, '{ "b": 2 }'),
    "last key removed": ('{ "a": 1 ,"b": 2 }', lambda o: {"a": o["a"]}, '{ "a": 1 }'),
    "all keys removed": ('{ "a": 1 }', lambda o: {}, "{}"),
    "duplicates: last edited": ('{"a":1,"b":0,"a":2}', lambda o: {**o, "a": 3},
                                '{"a":1,"b":0,"a":3}'),
    "duplicates: all removed": ('{"a":1,"b":0,"a":2}', lambda o: {"b": 0}, '{"b":0}'),
    "escaped key": ('{"\\u0061":1}', lambda o: {"a": 2}, '{"\\u0061":2}'),
    "true is not 1": ("[1]", lambda o: [True], "[true]"),
    "1.0 is not 1": ('{"a":1.0}', lambda o: {"a": 1}, '{"a":1}'),
    "ascii as seen": ('{"a":1}', lambda o: {"a": "é"}, '{"a":"\\u00e9"}'),
    "raw as seen": ('{"ü":1}', lambda o: {"ü": "é"}, '{"ü":"é"}'),
    "surrogate beside raw": ('{"ü":1}', lambda o: {"ü": "\ud800"}, '{"ü":"\\ud800"}'),
    "infinity is valid JSON": ("[1]", lambda o: [1, float("-inf")], "[1, -1e999]"),
    "insert": ("[1.10,2.0]", lambda o: [o[0], 7, o[1]], "[1.10,7,2.0]"),
    "insert first": ("[1.10 , 2]", lambda o: [7, *o], "[7 , 1.10 , 2]"),
    "remove middle": ("[1.10, 2.0,3.00]", lambda o: [o[0], o[2]], "[1.10, 3.00]"),
    "equal neighbours": ("[1.10, 1.1]", lambda o: [o[1]], "[1.1]"),
    "reorder": ('[{"a":1.10}, [2.0]]', lambda o: [o[1], o[0]], '[[2.0], {"a":1.10}]'),
    "swap in dict": ('{"a":[1.10],"b":[2.0]}', lambda o: {"a": o["b"], "b": o["a"]},
                     '{"a":[2.0],"b":[1.10]}'),
    "edited and moved": (
        '[{"id": "x1", "n":1.10}, 5]',
        lambda o: [5, {**o[0], "s": 1}],
        '[5, {"id": "x1", "n":1.10, "s": 1}]',
    ),
    "wrapped": ('[{"a":1.10}]', lambda o: [{"b": {"c": o[0]}}], '[{"b":{"c":{"a":1.10}}}]'),
    "odd scalars wrapped": ('["\\/x",1E400]', lambda o: [[o[0], o[1]]], '[["\\/x",1E400]]'),
    "wrapped beside its like": ("[NaN,[1,NaN],-0]", lambda o: [1, o], "[1,[NaN,[1,NaN],-0]]"),
    "type changed": (' {"a":1}\n', lambda o: [o], ' [{"a":1}]\n'),
    "tuple": ("[1]", lambda o: [1, (2, 3)], "[1, [2, 3]]"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "edit", "wanted"), EXAMPLES.values(), ids=EXAMPLES)
def test_examples(text: str, edit: Any, wanted: str) -> None:
    old = read(text)
    assert splice(text, old, edit(old)) == wanted


def test_a_moved_container_keeps_its_text() -> None:
    texts = ['{"n":1.10, "deep":[{"x" : 1E400}]}', '["\\u00e9\\/", NaN]', '{"here": 1}']
    rows = [read(text) for text in texts]
    sources = Sources()
    for text, row in zip(texts, rows, strict=True):
        sources.add(text, row)
    new = {**rows[2], "all": rows[0], "part": [rows[0]["deep"][0], rows[1][0]], "list": rows[1]}
    assert splice(texts[2], rows[2], new, sources) == (
        f'{{"here": 1, "all": {texts[0]}, "part": [{{"x" : 1E400}}, "\\u00e9\\/"], '
        f'"list": {texts[1]}}}'
    )
    assert write([rows[0]], like="[1,2]", sources=sources) == f"[{texts[0]}]"


@pytest.mark.parametrize(
    ("value", "like", "wanted"),
    [
        ({"a": [1, "é"]}, "", '{"a": [1, "\\u00e9"]}'),
        ({"a": [1, "é"]}, '{"k":"a:, b"}', '{"a":[1,"\\u00e9"]}'),
        ({"a": [1, 2]}, '{"k" : [1 , "ü"]}', '{"a" : [1 , 2]}'),
        ({"a": [1, 2]}, '{\n "k": 1,\n "l": 2}', '{"a": [1, 2]}'),
        ([None, True, -1, 0.5], "[1,2]", "[null,true,-1,0.5]"),
    ],
)
def test_write_in_the_style_of(value: Any, like: str, wanted: str) -> None:
    assert write(value, like) == wanted


def test_refusals_of_splice_and_write() -> None:
    shallow = read("[1]")
    for text in ("[1, 2]", '{"a": 1}', "[1", '{"0": 1}'):
        with pytest.raises(UnreadableError, match="not the text"):
            splice(text, shallow, [2])
    nested: Any = []
    for _ in range(5000):
        nested = [nested]
    with pytest.raises(UnreadableError, match="too deep"):
        write(nested)
    with pytest.raises(UnreadableError, match="too deep"):
        splice("[1]", shallow, nested)
    with pytest.raises(TypeError):
        write({"a": {1, 2}})


def test_a_deep_text_that_can_be_read_is_edited_or_refused() -> None:
    for depth in (500, 1000, 1020):
        text = '{"a":' + "[" * depth + "]" * depth + ',"s":1}'
        old = read(text)
        try:
            assert splice(text, old, {**old, "s": 2}) == text.replace("1", "2")
        except UnreadableError:
            assert depth > 500
