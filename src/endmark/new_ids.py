"""Make ids for calls that have none, or one that may not come again: the same on every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from endmark.formats import Format
from endmark.model import Call

__all__ = ["id_maker"]

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def id_maker(history: Sequence[Any], format_: Format) -> Callable[[Call], str]:
    """Make ids of nine letters and digits from the position of a call.

    The position is the ordinal of its block, which stays when results are put in before it.
    """
    taken: set[str | None] = set()
    ordinal: dict[int, int] = {}

    def number() -> None:
        for index, message in enumerate(history):
            ids = format_.call_ids(message)
            if ids:
                ordinal[index] = len(ordinal)
                taken.update(ids)

    def make(call: Call) -> str:
        if not ordinal:
            number()
        place = ordinal.get(call.at.message, 0) * 1296 + call.at.part % 1296
        for salt in range(len(_DIGITS) ** 2):
            made = "e" + _DIGITS[salt % 36] + _base36(place, 7)
            if made not in taken:
                break
        taken.add(made)
        return made

    return make


def _base36(number: int, width: int) -> str:
    digits = ""
    for _ in range(width):
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits
