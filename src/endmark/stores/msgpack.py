"""MessagePack, as little of it as healing needs: values read and written, parts kept as their bytes.

What an application's own type is (`Ext`) stays the bytes that it is: no class is ever imported or
called for it.

https://github.com/msgpack/msgpack/blob/master/spec.md
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from endmark.errors import UnreadableError


class Ext(NamedTuple):
    """A value of an application's own type, unread."""

    code: int
    data: bytes


class Raw(bytes):
    """The bytes of a whole value: written as they are."""

    __slots__ = ()


_NUMBERS = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_SIZES = {1: ">B", 2: ">H", 4: ">I"}
_STRINGS = {0xD9: 1, 0xDA: 2, 0xDB: 4}
_BINARIES = {0xC4: 1, 0xC5: 2, 0xC6: 4}
_LISTS = {0xDC: 2, 0xDD: 4}
_MAPS = {0xDE: 2, 0xDF: 4}
_FIXED_EXTS = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}
_EXTS = {0xC7: 1, 0xC8: 2, 0xC9: 4}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_UNREAD = (IndexError, RecursionError, TypeError, UnicodeDecodeError, ValueError, struct.error)


def read(data: bytes) -> Any:
    """Read one value. Raises `UnreadableError` for what is none, or has more behind it."""
    value, end = _guarded(lambda: _read(data, 0))
    return _whole(data, value, end)


def split_list(data: bytes) -> list[Raw] | None:
    """Give the items of a list, each as its bytes; None for another value."""

    def split() -> tuple[list[Raw] | None, int]:
        count, at = _count(data, 0, 0x90, 0x9F, _LISTS)
        if count is None:
            return None, len(data)
        items = []
        for _ in range(count):
            _, end = _read(data, at)
            items.append(Raw(data[at:end]))
            at = end
        return items, at

    items, end = _guarded(split)
    checked: list[Raw] | None = _whole(data, items, end)
    return checked


def split_map(data: bytes) -> dict[str, Raw]:
    """Give the fields of a map, each as its bytes. Raises `UnreadableError` for another value."""

    def split() -> tuple[dict[str, Raw], int]:
        count, at = _count(data, 0, 0x80, 0x8F, _MAPS)
        fields: dict[str, Raw] = {}
        if count is None:
            raise ValueError
        for _ in range(count):
            key, start = _read(data, at)
            _, at = _read(data, start)
            fields[key] = Raw(data[start:at])
        return fields, at

    fields, end = _guarded(split)
    checked: dict[str, Raw] = _whole(data, fields, end)
    return checked


def _guarded(step: Callable[[], tuple[Any, int]]) -> tuple[Any, int]:
    try:
        return step()
    except _UNREAD:
        msg = "it is not MessagePack"
        raise UnreadableError(msg) from None


def _whole(data: bytes, value: Any, end: int) -> Any:
    if end != len(data):
        msg = "it is not one MessagePack value"
        raise UnreadableError(msg)
    return value


def _count(
    data: bytes, at: int, low: int, high: int, sizes: dict[int, int]
) -> tuple[int | None, int]:
    """Read how many items a list or a map has, and where they begin; None for another value."""
    first = data[at]
    if low <= first <= high:
        return first - low, at + 1
    if first in sizes:
        return _size(data, at + 1, sizes[first])
    return None, at


def _size(data: bytes, at: int, width: int) -> tuple[int, int]:
    (size,) = struct.unpack_from(_SIZES[width], data, at)
    return size, at + width


def _take(data: bytes, size: int, at: int) -> tuple[bytes, int]:
    if at + size > len(data):
        raise IndexError
    return data[at : at + size], at + size


def _read(data: bytes, at: int) -> tuple[Any, int]:
    return _READERS[data[at]](data, at)


def _read_small(data: bytes, at: int) -> tuple[int, int]:
    first = data[at]
    return first if first < 0x80 else first - 0x100, at + 1


def _read_short(data: bytes, at: int) -> tuple[str, int]:
    end = at + 1 + data[at] - 0xA0
    if end > len(data):
        raise IndexError
    return data[at + 1 : end].decode(), end


def _read_constant(data: bytes, at: int) -> tuple[bool | None, int]:
    return _CONSTANTS[data[at]], at + 1


def _read_number(data: bytes, at: int) -> tuple[int | float, int]:
    kind = _NUMBERS[data[at]]
    (number,) = struct.unpack_from(kind, data, at + 1)
    return number, at + 1 + struct.calcsize(kind)


def _read_string(data: bytes, at: int) -> tuple[str, int]:
    taken, at = _take(data, *_size(data, at + 1, _STRINGS[data[at]]))
    return taken.decode(), at


def _read_binary(data: bytes, at: int) -> tuple[bytes, int]:
    return _take(data, *_size(data, at + 1, _BINARIES[data[at]]))


def _read_ext(data: bytes, at: int) -> tuple[Ext, int]:
    first = data[at]
    if first in _FIXED_EXTS:
        size, at = _FIXED_EXTS[first], at + 1
    else:
        size, at = _size(data, at + 1, _EXTS[first])
    (code,) = struct.unpack_from(">b", data, at)
    taken, at = _take(data, size, at + 1)
    return Ext(code, taken), at


def _read_list(data: bytes, at: int) -> tuple[list[Any], int]:
    count, at = _count(data, at, 0x90, 0x9F, _LISTS)
    items = []
    for _ in range(count or 0):
        item, at = _READERS[data[at]](data, at)
        items.append(item)
    return items, at


def _read_map(data: bytes, at: int) -> tuple[dict[Any, Any], int]:
    count, at = _count(data, at, 0x80, 0x8F, _MAPS)
    fields = {}
    for _ in range(count or 0):
        key, at = _READERS[data[at]](data, at)
        fields[key], at = _READERS[data[at]](data, at)
    return fields, at


def _read_unknown(data: bytes, at: int) -> tuple[Any, int]:
    raise ValueError


_KINDS: list[tuple[Iterable[int], Callable[[bytes, int], tuple[Any, int]]]] = [
    ([*range(0x80), *range(0xE0, 0x100)], _read_small),
    (range(0xA0, 0xC0), _read_short),
    (_CONSTANTS, _read_constant),
    (_NUMBERS, _read_number),
    (_STRINGS, _read_string),
    (_BINARIES, _read_binary),
    ([*_FIXED_EXTS, *_EXTS], _read_ext),
    ([*range(0x90, 0xA0), *_LISTS], _read_list),
    ([*range(0x80, 0x90), *_MAPS], _read_map),
    ([0xC1], _read_unknown),
]
_BY_FIRST = {first: reader for firsts, reader in _KINDS for first in firsts}
_READERS = [_BY_FIRST[first] for first in range(0x100)]


def write(value: Any) -> Raw:
    """Write one value, in its shortest form."""
    out = bytearray()
    _write(value, out)
    return Raw(out)


def _write(value: Any, out: bytearray) -> None:
    if isinstance(value, Raw):
        out += value
    elif value is None or value is True or value is False:
        out.append({None: 0xC0, False: 0xC2, True: 0xC3}[value])
    elif isinstance(value, Ext):
        _write_ext(value, out)
    elif isinstance(value, int):
        _write_int(value, out)
    elif isinstance(value, float):
        out += b"\xcb" + struct.pack(">d", value)
    elif isinstance(value, str):
        data = value.encode()
        _head(len(data), out, (0xA0, 31), _STRINGS)
        out += data
    elif isinstance(value, bytes):
        _head(len(value), out, None, _BINARIES)
        out += value
    elif isinstance(value, dict):
        _head(len(value), out, (0x80, 15), _MAPS)
        for key, item in value.items():
            _write(key, out)
            _write(item, out)
    else:
        _head(len(value), out, (0x90, 15), _LISTS)
        for item in value:
            _write(item, out)


def _head(size: int, out: bytearray, short: tuple[int, int] | None, sizes: dict[int, int]) -> None:
    """Write the kind and size of what follows."""
    if short is not None and size <= short[1]:
        out.append(short[0] + size)
        return
    first = next(first for first, width in sizes.items() if size < 1 << 8 * width)
    out.append(first)
    out += struct.pack(_SIZES[sizes[first]], size)


def _write_ext(value: Ext, out: bytearray) -> None:
    fixed = next((first for first, size in _FIXED_EXTS.items() if size == len(value.data)), None)
    if fixed is None:
        _head(len(value.data), out, None, _EXTS)
    else:
        out.append(fixed)
    out += struct.pack(">b", value.code) + value.data


def _write_int(value: int, out: bytearray) -> None:
    if -32 <= value < 0x80:
        out += struct.pack(">b" if value < 0 else ">B", value)
        return
    marks = (0xCC, 0xCD, 0xCE, 0xCF) if value > 0 else (0xD0, 0xD1, 0xD2, 0xD3)
    for mark in marks:
        try:
            packed = struct.pack(_NUMBERS[mark], value)
        except struct.error:
            continue
        out.append(mark)
        out += packed
        return
    msg = "a number of more than 64 bits"
    raise UnreadableError(msg)
