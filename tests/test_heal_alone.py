"""Rows of inline formats are judged many at once, and each as if it were judged by itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from building import BUILDERS, damaged
from endmark import Policy, formats
from endmark.heal import Options
from endmark.heal.judge import Judge, Verdict
from endmark.model import Shape
from endmark.stores import Source, Store
from endmark.stores.conversation import Row

pytestmark = pytest.mark.slow

INLINE = sorted(name for name in BUILDERS if formats.get(name).shape is Shape.INLINE)
LAWS = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
POLICIES = st.sampled_from([Policy(), Policy(orphans="text"), Policy(pending_tools={"look"})])


def judge(format: str, policy: Policy, options: Options) -> Judge:
    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE TABLE chat (id INTEGER PRIMARY KEY, thread, body)")
        mapping: dict[str, Any] = {"conversation": "thread", "order": "id", "payload": "body"}
        source = Source(connection, Store(format=format, table="chat", **mapping))
    engine.dispose()
    return Judge(source, policy, options)


def row(number: int, message: dict[str, Any]) -> Row:
    return Row({"id": number}, (number,), {"body": json.dumps(message)}, written=0.0)


def seen(verdict: Verdict) -> Any:
    return [(f.kind, f.call_id, f.tool_name, f.part) for f in verdict.findings], verdict.changes


@pytest.mark.parametrize("format", INLINE)
@given(data=st.data(), policy=POLICIES, force=st.booleans())
@LAWS
def test_many_rows_are_judged_as_each_alone(
    format: str, data: st.DataObject, policy: Policy, force: bool
) -> None:
    messages = [m for _ in range(3) for m in data.draw(damaged(format))]
    cuts = data.draw(st.lists(st.integers(1, 3), min_size=len(messages), max_size=len(messages)))
    found, rows = {}, [row(number, message) for number, message in enumerate(messages)]
    for number, size in enumerate(cuts):
        found[(number,)], rows = rows[:size], rows[size:]
    one = judge(format, policy, Options(include_frontier=force))

    together = one.alone(found)
    each = {id_: verdict for id_ in found for verdict in one.alone({id_: found[id_]}).values()}

    assert {id_: seen(v) for id_, v in together.items()} == {
        id_: seen(v) for id_, v in each.items()
    }


def test_an_unreadable_row_hides_no_other() -> None:
    one = judge("ai-sdk", Policy(), Options())
    part = {"type": "tool-f", "toolCallId": "a", "state": "input-available", "input": {}}
    found = {
        (1,): [row(1, {"role": "assistant", "parts": [part]})],
        (2,): [Row({"id": 2}, (2,), {"body": "no JSON"}, written=0.0)],
        (3,): [row(3, {"role": "user", "parts": [part]})],
    }
    assert [(id_, len(v.changes)) for id_, v in one.alone(found).items()] == [((1,), 1)]
