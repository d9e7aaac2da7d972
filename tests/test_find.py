"""What the database is asked finds what the core finds: on any history, in every column type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from building import BUILDERS, damaged
from endmark import check, formats, heal
from endmark.heal import Item, Options
from endmark.model import Finding
from fix_databases import Database
from healing import PAYLOADS, Chat, History

pytestmark = pytest.mark.slow

LATER = Options(now=1e10)
LAWS = settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
# What a search that looks at pieces of a message could pass over.
EMPTIES: dict[str, list[dict[str, Any]]] = {
    "openai-chat": [
        {"role": "assistant", "content": content} for content in ("", None, [], "words")
    ],
}


@pytest.mark.parametrize("format", sorted(BUILDERS))
@given(data=st.data())
@LAWS
def test_a_scan_finds_what_a_check_finds(
    database: Database, format: str, data: st.DataObject
) -> None:
    known = formats.get(format).name
    drawn = data.draw(st.lists(damaged(format), min_size=20, max_size=20))
    drawn += [[{"role": "user", "content": "hi"}, message] for message in EMPTIES.get(known, [])]
    histories = {f"c{k}": history for k, history in enumerate(drawn) if history}
    wanted = {name: kinds(check(history, known)) for name, history in histories.items()}

    for type_ in PAYLOADS[database.name]:
        found = scanned(database, type_, known, histories)

        assert {name: said for name, said in found.items() if said} == {
            name: said for name, said in wanted.items() if said
        }


def kinds(findings: Iterable[Finding]) -> list[str]:
    return sorted(finding.kind for finding in findings)


def scanned(
    database: Database, type_: str, format: str, histories: dict[str, History]
) -> dict[str, list[str]]:
    """Give what a scan finds of these histories in a column of this type."""
    with database.engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE IF EXISTS chat"))
    chat = Chat(database, "time", type_, format)
    chat.fill(histories)
    items: list[Item] = []
    heal.scan(database.engine, [chat.store], options=LATER, on_item=items.append)
    return {item.conversation: kinds(item.findings) for item in items}
