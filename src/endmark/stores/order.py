"""Put messages between rows without harm to keys or to other conversations.

Two ways, by what the order column is. A conversation's own numbers, or times, are *respaced*: new
and moved rows get values between their neighbours, and a row behind is pushed on only where there
is no room. An id that all conversations share is never shifted: payloads are *rotated* down the
conversation's own rows, and new rows go to the end.
"""

from __future__ import annotations

import math
import re
import struct
import uuid
from bisect import bisect_left
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from endmark.errors import UnreadableError
from endmark.stores.table import Cell

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WHOLE = re.compile(r"-?[0-9]+")
_DIGITS = re.compile(r":[0-9]{2}(?:[.,]([0-9]+))?(?:Z|[+-][0-9:]+)$")  # before a zone
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TENS = re.compile(r"(?:numeric|decimal)\([0-9]+,-([0-9]+)\)")
_PRECISION = re.compile(r"(?:timestamp|numeric\([0-9]+,|decimal\([0-9]+,)\(?([0-9])\)")
_UUID_7 = re.compile(
    r"[0-9a-f]{8}-?[0-9a-f]{4}-?7[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE
)
_BASE_32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID = re.compile(f"[0-7][{_BASE_32}]{{25}}")
HIGHEST = 2**63 - 1
_DAY_LONG = 86_400_000_000
Write = Callable[[int], Cell]
Place = tuple[int, Write]


def places(cells: Sequence[Cell], type_: str) -> list[Place]:
    """Read the order values of one conversation in the finest step that their column can tell.

    Raises `UnreadableError` for a value that is neither a number nor a time.
    """
    if all(map(_is_whole, cells)):
        tens = _TENS.match(type_.lower())  # it keeps no digits below
        size = 10 ** int(tens[1]) if tens else 1
        texts, numbers = _stepped(str, size), _stepped(lambda number: number, size)
        writes = [texts if isinstance(cell, str) else numbers for cell in cells]
        return [(int(cell or 0) // size, w) for cell, w in zip(cells, writes, strict=True)]
    if any(_is_fraction(cell) for cell in cells):  # whole numbers among them count alike
        stamps = [_fraction(_single(cell) if _is_single(cell, type_) else cell) for cell in cells]
    else:
        stamps = [stamp(cell) for cell in cells]
    step = max((_step(cell, type_) for cell in cells), default=1)
    step = _DAY_LONG if are_days(cells) else step
    return [(value // step, _stepped(write, step)) for value, write in stamps]


def no_room(column: str) -> str:
    """Say why no row can be added where neighbours take all values of the order's column."""
    return f"between two rows there is no free value of {column}; no row can be added"


def _stepped(write: Write, step: int) -> Write:
    def stepped(number: int) -> Cell:
        try:
            made = write(number * step)
        except (OverflowError, ValueError):
            made = HIGHEST + 1
        if isinstance(made, int) and made > HIGHEST:
            msg = "behind the last row there is no higher order value; no row can be added"
            raise UnreadableError(msg)
        return made

    return stepped


def _step(cell: Cell, type_: str) -> int:
    """Give the finest step of a value: of its type, its zoned text (the zone sorts), its size."""
    declared = _PRECISION.match(type_.lower())
    if declared:
        return int(10 ** (6 - int(declared[1]))) if declared[1] < "6" else 1
    if type_.lower().startswith("timestamp with"):  # as PostgreSQL spells it; it tells them all
        return 1
    if isinstance(cell, str) and (zoned := _DIGITS.search(cell)):
        return int(10 ** (6 - min(6, len(zoned[1] or ""))))
    if _is_fraction(cell):
        finest = math.ulp(float(cell or 0)) * (2**29 if _is_single(cell, type_) else 1)
        return max(1, math.ceil(finest * 1e6))
    return 1


def are_days(cells: Sequence[Cell]) -> bool:
    """Tell times that are days alone."""
    return all(isinstance(cell, str) and _DAY.fullmatch(cell) for cell in cells)


def _is_single(cell: Cell, type_: str) -> bool:
    """Tell a number of single precision: on PostgreSQL, where cells are text."""
    return type_ == "real" and isinstance(cell, str)


def _single(cell: Cell) -> Cell:
    """Read a number as a `real` holds it: its shortest text is some other number."""
    try:
        return repr(struct.unpack("f", struct.pack("f", float(cell or 0)))[0])
    except (OverflowError, ValueError):
        return cell


def _is_whole(cell: Cell) -> bool:
    return isinstance(cell, int) or (isinstance(cell, str) and bool(_WHOLE.fullmatch(cell)))


def _is_fraction(cell: Cell) -> bool:
    if isinstance(cell, str):
        return not _WHOLE.fullmatch(cell) and _number(cell) is not None
    return isinstance(cell, float)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _fraction(cell: Cell) -> Place:
    """Read a number in millionths."""
    if cell is None or isinstance(cell, bytes):
        return stamp(cell)
    try:
        value = round(float(cell) * 1e6)
    except (OverflowError, ValueError):
        raise UnreadableError("an order value is not a finite number") from None
    if isinstance(cell, str):
        return value, lambda number: repr(number / 1e6)
    return value, lambda number: number / 1e6


def stamp(value: Cell) -> tuple[int, Write]:
    """Read an order value as a whole number, and give the way to write such a number like it.

    Times count in microseconds. Raises `UnreadableError` for a value that is neither.
    """
    if isinstance(value, int):
        return value, lambda number: number
    if _is_fraction(value):
        return _fraction(value)
    if isinstance(value, str):
        if _WHOLE.fullmatch(value):
            return int(value), str
        try:
            when = datetime.fromisoformat(value)
        except ValueError:
            pass
        else:
            return _micros(when), lambda number: _like(value, number, when)
    msg = f"an order value of type {type(value).__name__} is neither a number nor a time"
    raise UnreadableError(msg)


def following(cell: Cell, steps: int) -> str | None:
    """Give the id so many steps behind one that begins with its time; None for any other.

    A UUID of version 7 (RFC 9562) or a ULID: its last digits are drawn, so the next are free.
    """
    text = cell if isinstance(cell, str) else ""
    if _UUID_7.fullmatch(text):
        made = uuid.UUID(int=uuid.UUID(text).int + steps)
        spelt = str(made) if "-" in text else made.hex
        return spelt.upper() if text.isupper() else spelt
    if _ULID.fullmatch(text):
        number = sum(_BASE_32.index(c) << 5 * k for k, c in enumerate(reversed(text))) + steps
        return "".join(_BASE_32[number >> 5 * k & 31] for k in reversed(range(len(text))))
    return None


def place(value: Any) -> int | Fraction | None:
    """Read any order value, of a row or of an object, so that it can be compared; None: it cannot.

    Numbers of every kind count alike, and times in microseconds.
    """
    if isinstance(value, int):
        return value
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    try:
        return Fraction(value if isinstance(value, float | Decimal) else str(value))
    except (OverflowError, ValueError):
        pass
    try:
        return _micros(datetime.fromisoformat(str(value)))
    except ValueError:
        return None


def _micros(when: datetime) -> int:
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def _like(sample: str, number: int, when: datetime) -> str:
    moment = _EPOCH + timedelta(microseconds=number)
    if are_days([sample]) and number % _DAY_LONG == 0:
        return moment.date().isoformat()
    moment = moment.astimezone(when.tzinfo) if when.tzinfo else moment.replace(tzinfo=None)
    text = moment.isoformat(sep="T" if "T" in sample else " ", timespec="microseconds")
    if zoned := _DIGITS.search(sample):  # as many digits, or the zone would sort among them
        head, _, rest = text.partition(".")
        size = len(zoned[1] or "")
        digits = rest[:6].rstrip("0").ljust(size, "0")
        text = head + ("." + digits if digits else "") + rest[6:]
    return text.replace("+00:00", "Z") if sample.endswith("Z") else text


def kept(origins: Sequence[int | None]) -> set[int]:
    """Choose the slots whose rows stay where they are: a longest rising run of old positions."""
    tails: list[int] = []  # old positions that end the best runs of each length
    ends: list[int] = []
    back: dict[int, int | None] = {}
    for slot, origin in enumerate(origins):
        if origin is None:
            continue
        at = bisect_left(tails, origin)
        back[slot] = ends[at - 1] if at else None
        tails[at:] = [origin, *tails[at + 1 :]]
        ends[at:] = [slot, *ends[at + 1 :]]
    chosen: set[int] = set()
    last = ends[-1] if ends else None
    while last is not None:
        chosen.add(last)
        last = back[last]
    return chosen


def respace(origins: Sequence[int | None], values: Sequence[int]) -> list[int]:
    """Give an order value for each slot, strictly rising; kept rows change only if they must."""
    stay = kept(origins)
    wanted: list[int | None] = [
        values[origin] if origin is not None and slot in stay else None
        for slot, origin in enumerate(origins)
    ]
    given: list[int] = []
    for slot, own in enumerate(wanted):
        last = given[-1] if given else None
        value = _between(last, wanted, slot) if own is None else own
        tied = value == last and {slot - 1, slot} <= stay and wanted[slot - 1] == last
        given.append(last + 1 if last is not None and value <= last and not tied else value)
    return given


def pushes(origins: Sequence[int | None], values: Sequence[int], given: Sequence[int]) -> bool:
    """Tell whether rows that could stay were pushed on, or others put behind the last one."""
    stay = kept(origins)
    return max(given) > max(values) or any(
        origin is not None and slot in stay and given[slot] != values[origin]
        for slot, origin in enumerate(origins)
    )


def _between(last: int | None, wanted: Sequence[int | None], slot: int) -> int:
    following = next((value for value in wanted[slot:] if value is not None), None)
    run = 1
    while slot + run < len(wanted) and wanted[slot + run] is None:
        run += 1
    if following is None:
        return (last or 0) + 1
    if last is None:
        return following - run
    return last + max(1, (following - last) // (run + 1))


def rotate(origins: Sequence[int | None], rows: int) -> list[int | None]:
    """Give each slot the row that will hold it: its own where it can, None for a row at the end.

    Rows that no slot gets are to be deleted.
    """
    remaining: set[int | None] = {origin for origin in origins if origin is not None}
    free = 0
    given: list[int | None] = []
    for origin in origins:
        remaining.discard(origin)
        stays = (
            origin is not None
            and origin >= free
            and not any(row in remaining for row in range(free, origin))
        )
        row: Any = origin if stays else free
        given.append(row if row < rows else None)
        free = row + 1
    return given


def moment(value: Cell) -> float | None:
    """Read a time as seconds since the epoch, whatever its unit; None if it is not a time."""
    if isinstance(value, str) and not value.replace(".", "", 1).isdigit():
        try:
            when = datetime.fromisoformat(value)
        except ValueError:
            return None
        return ((when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH).total_seconds()
    if value is None or isinstance(value, bytes):
        return None
    number = float(value)
    for unit in (1e9, 1e6, 1e3):  # nanoseconds, microseconds, milliseconds
        if number >= 1e8 * unit:
            return number / unit
    return number if number >= 1e8 else None
