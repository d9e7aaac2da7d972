"""What is wrong with a value in a file or a flag, in one sentence: never the value itself.

pydantic finds it; its own words are for who knows the types of Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from endmark.errors import kind_of

__all__ = ["wrong_value"]

# What a kind of error says that is expected; where a validator of ours says it, its own words.
EXPECTED = {
    "string_type": "text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "tuple_type": "a list",
    "frozen_set_type": "a list",
    "mapping_type": "a table",
    "dict_type": "a table",
    "dataclass_type": "a table",
    "too_long": "a shorter list",
    "greater_than_equal": "{ge:g} or more",
    "literal_error": "{expected}",
    "enum": "{expected}",
    "value_error": "{error}",
}


def wrong_value(error: ValidationError, given: Mapping[str, Any]) -> str:
    """Say which key is wrong, of what kind its value is, and what it takes."""
    wrong = error.errors(include_url=False)
    place = _place(wrong[0]["loc"], given)
    name = ".".join(map(str, place))
    if wrong[0]["type"].startswith("missing"):
        return f"{'.'.join(map(str, wrong[0]['loc']))} is missing"
    same = [one for one in wrong if _place(one["loc"], given) == place]
    expected = [
        EXPECTED[one["type"]].format(**one.get("ctx", {}))
        for one in same
        if one["type"] in EXPECTED
    ]
    takes = " or ".join(dict.fromkeys(expected)) or "another value"
    return f"{name} takes {takes}; {_kind(wrong[0]['input'], takes)} was given"


def _place(steps: Sequence[int | str], given: Any) -> tuple[int | str, ...]:
    """Give the steps that lead to a value: behind them pydantic names what it tried."""
    place: list[int | str] = []
    for step in steps:
        try:
            given = given[step]
        except (KeyError, IndexError, TypeError):
            break
        place.append(step)
    return tuple(place)


def _kind(value: Any, takes: str) -> str:
    kind = "a table" if isinstance(value, dict) else kind_of(value)
    alike = kind in takes or (kind == "text" and "'" in takes)
    alike = alike or (kind == "a number" and ("number" in takes or "more" in takes))
    return f"other {kind}".replace("other a ", "another ") if alike else kind
