"""What the database is asked finds what the core finds: on any history, in every column type."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from building import BUILDERS, damaged
from endmark import check, formats, heal
from endmark.heal import Item, Options
from fix_databases import Database
from healing import PAYLOADS, Chat

pytestmark = pytest.mark.slow

LATER = Options(now=1e10)
LAWS = settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
TYPES = [(name, type_) for name, types in PAYLOADS.items() for type_ in types]
# What a search that looks at pieces of a message could pass over.
EMPTIES: dict[str, list[dict[str, Any]]] = {
    "openai-chat": [
        {"role": "assistant", "content": content} for content in ("", None, [], "words")
    ],
}


@pytest.mark.parametrize("format", sorted(BUILDERS))
@pytest.mark.parametrize(("database", "type_"), TYPES, indirect=["database"])
@given(data=st.data())
@LAWS
def test_a_scan_finds_what_a_check_finds(
    database: Database, type_: str, format: str, data: st.DataObject
) -> None:
    known = formats.get(format).name
    drawn = data.draw(st.lists(damaged(format), min_size=20, max_size=20))
    drawn += [[{"role": "user", "content": "hi"}, message] for message in EMPTIES.get(known, [])]
    histories = {f"c{k}": history for k, history in enumerate(drawn) if history}
    with database.engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE IF EXISTS chat"))
    chat = Chat(database, "time", type_, known)
    chat.fill(histories)
    items: list[Item] = []
    heal.scan(database.engine, [chat.store], options=LATER, on_item=items.append)

    found = {item.conversation: sorted(f.kind for f in item.findings) for item in items}
    assert {name: kinds for name, kinds in found.items() if kinds} == {
        name: sorted(finding.kind for finding in check(history, known))
        for name, history in histories.items()
        if check(history, known)
    }
