"""Judge a repaired history by what its case file demands."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

from abstract import OPEN, Seen
from building import builder
from endmark import rules
from endmark.model import Turn
from endmark.policy import DEFAULT_TEXTS, FRAGMENT

CASES = Path(__file__).parent / "cases"


def load() -> list[dict[str, Any]]:
    """Give every case, in the order of its number."""
    paths = sorted(CASES.glob("*/*.json"), key=lambda path: path.name)
    return [json.loads(path.read_text()) for path in paths]


def violations(
    history: list[dict[str, Any]], format: str, *, turn: Turn = "over"
) -> tuple[rules.Violation, ...]:
    """Give what the rules refuse; nothing for a format of a library, which no provider reads."""
    return rules.validate(history, format, turn=turn) if format in rules.PROVIDERS else ()


def judge(case: dict[str, Any], after: list[dict[str, Any]]) -> None:
    """Assert all that the case expects of its repaired history."""
    expect, format_ = case["expect"], case["format"]
    was, now = _aligned(case, after)
    named = dict(zip(_names(was), now, strict=True))
    for id_, text in expect["must_keep_results"].items():
        seen = named[id_]
        assert seen is not None, f"call {id_} is gone"
        assert seen.result is not OPEN, f"call {id_} lost its result"
        assert text in _text(seen.result), f"call {id_} is answered by something else"
    for id_ in expect["interrupted_after"]:
        seen = named[id_]
        assert seen is not None, f"call {id_} is gone"
        assert is_marker(seen), f"call {id_} is not closed"
    for id_ in expect.get("must_not_be_interrupted", []):
        assert named[id_] is not None
        assert not is_marker(named[id_])
    for id_ in expect["dropped_after"]:
        assert id_ not in builder(format_).result_ids(after), f"result {id_} is still there"
    for text in expect.get("must_keep_text", []):
        assert text in json.dumps(after, ensure_ascii=False), f"{text!r} is lost"
    if case["turn_over"]:
        left = [name for name, seen in named.items() if seen is not None and seen.result is OPEN]
        assert not left, f"calls {left} are still open"


def is_marker(seen: Seen) -> bool:
    """Tell whether a result is one that was made up, and says so as an error."""
    value = seen.result
    if isinstance(value, dict):
        value = value.get("error")
    if isinstance(value, list) and len(value) == 1:
        value = value[0].get("text")
    return isinstance(value, str) and value.partition(FRAGMENT)[0] in DEFAULT_TEXTS


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _names(seen: list[Seen]) -> list[str]:
    """Name calls as the case files do: id, id#n where it repeats, #n where there is none."""
    ids = [call.id for call in seen]
    counts: dict[str, int] = {}
    names = []
    for id_ in ids:
        key = id_ or ""
        counts[key] = counts.get(key, 0) + 1
        plain = bool(id_) and ids.count(id_) == 1
        names.append(key if plain else f"{key}#{counts[key]}")
    return names


def _aligned(case: dict[str, Any], after: list[Any]) -> tuple[list[Seen], list[Seen | None]]:
    """Match the calls before and after; only those that may be removed are gone."""
    read = builder(case["format"]).calls
    was, now = list(read(case["history"])), list(read(after))
    removable = set(case["expect"].get("calls_may_be_removed", []))
    may_go = [k for k, name in enumerate(_names(was)) if name in removable]
    for gone in combinations(may_go, len(was) - len(now)) if len(now) <= len(was) else ():
        stay = [k for k in range(len(was)) if k not in gone]
        if all(was[k].name in (seen.name, "", None) for k, seen in zip(stay, now, strict=True)):
            placed = dict(zip(stay, now, strict=True))
            return was, [placed.get(k) for k in range(len(was))]
    raise AssertionError(f"{len(was)} calls became {len(now)}")
