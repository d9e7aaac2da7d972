"""MessagePack by the examples of its specification, and whatever else is thrown at it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endmark.errors import UnreadableError
from endmark.stores import msgpack
from endmark.stores.msgpack import Ext, Raw

# https://github.com/msgpack/msgpack/blob/master/spec.md
FORMATS: list[tuple[Any, str]] = [
    (None, "c0"), (False, "c2"), (True, "c3"), (0, "00"), (127, "7f"), (128, "cc80"),
    (256, "cd0100"), (65536, "ce00010000"), (2**32, "cf0000000100000000"), (-1, "ff"),
    (-32, "e0"), (-33, "d0df"), (-129, "d1ff7f"), (-32769, "d2ffff7fff"),
    (-(2**31) - 1, "d3ffffffff7fffffff"), (1.5, "cb3ff8000000000000"), ("", "a0"), ("ü", "a2c3bc"),
    (b"\x01", "c40101"), ([], "90"), ([1, "a"], "9201a161"), ({"a": 1}, "81a16101"), ({1: []}, "810190"),
    (Ext(5, b"x"), "d40578"), (Ext(5, b"xy"), "d5057879"), (Ext(5, b"x" * 4), "d60578787878"),
    (Ext(7, b"xyz"), "c7030778797a"), (Ext(-1, b""), "c700ff"),
]  # fmt: skip
LONG = [
    ("x" * 32, "d920"), ("x" * 256, "da0100"), ("x" * 65536, "db00010000"),
    (b"x" * 256, "c50100"), (b"x" * 65536, "c600010000"), ([0] * 16, "dc0010"),
    ([0] * 65536, "dd00010000"), (dict.fromkeys(range(16)), "de0010"),
    (dict.fromkeys(range(65536)), "df00010000"), (Ext(5, b"x" * 8), "d705"),
    (Ext(5, b"x" * 16), "d805"), (Ext(5, b"x" * 256), "c8010005"), (Ext(5, b"x" * 65536), "c90001000005"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "written"), FORMATS)
def test_every_format(value: Any, written: str) -> None:
    assert msgpack.write(value).hex() == written
    assert msgpack.read(bytes.fromhex(written)) == value


@pytest.mark.parametrize(("value", "begins"), LONG, ids=lambda one: str(one)[:12])
def test_every_format_of_what_is_long(value: Any, begins: str) -> None:
    written = msgpack.write(value)
    assert written.hex().startswith(begins)
    assert msgpack.read(written) == value


def test_a_short_float_is_read() -> None:
    assert msgpack.read(bytes.fromhex("ca3fc00000")) == 1.5


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8"))
    | st.binary()
    | st.builds(Ext, st.integers(-128, 127), st.binary(max_size=20)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
)


@given(VALUES)
def test_what_is_written_is_read(value: Any) -> None:
    written = msgpack.write(value)
    assert msgpack.read(written) == value
    assert msgpack.write(Raw(written)) == written
    items = msgpack.split_list(written)
    assert (items is None) is not isinstance(value, list)
    if items is not None:
        assert msgpack.write(items) == written
    if isinstance(value, dict):
        assert msgpack.write(msgpack.split_map(written)) == written


@given(st.binary())
def test_anything_else_is_unreadable(data: bytes) -> None:
    for step in (msgpack.read, msgpack.split_list, msgpack.split_map):
        try:
            step(data)
        except UnreadableError:
            continue


@pytest.mark.parametrize(
    "data", ["", "c1", "92", "a2c3", "a1ff", "0101", "d94061", "8190", "91" * 100_000]
)
def test_what_is_none(data: str) -> None:
    with pytest.raises(UnreadableError):
        msgpack.read(bytes.fromhex(data))


def test_a_greater_number_cannot_be_written() -> None:
    with pytest.raises(UnreadableError):
        msgpack.write(2**64)
