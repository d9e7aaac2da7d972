"""The example that heals on a Dask cluster: one of this machine, and a real scheduler's address."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
import sqlalchemy as sa

from endmark import heal
from endmark.heal import Options
from fix_databases import Database, fresh_url, text_of
from fix_oracles import SOURCE, environment
from healing import dump
from test_known_stores import detected, fill

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
COPIES = 50
COPY = (
    "INSERT INTO message_store (session_id, message) SELECT session_id || '-' || n, message "
    f"FROM message_store CROSS JOIN generate_series(2, {COPIES}) AS n ORDER BY n, id"
)
TWICE = (
    "SELECT count(*) - count(DISTINCT conversation), count(DISTINCT run) FROM "
    "(SELECT DISTINCT run, conversation FROM endmark.change) AS c"
)


def on_dask(url: str, *actions: str) -> list[dict[str, int]]:
    """Run the example with each action on one cluster, and give what it counted."""
    done = subprocess.run(
        [environment("dask.txt"), SOURCE / "driver_dask.py", url, *actions],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{EXAMPLES}"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.oracle
def test_shards_as_tasks(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    with fresh_url("postgresql", request, tmp_path) as url:
        database = Database("postgresql", text_of(url), sa.create_engine(url))
        fill(database, "langchain")
        with database.engine.begin() as connection:
            connection.exec_driver_sql(COPY)
        before = dump(database)
        scanned, applied, again = on_dask(database.url, "scan", "apply", "apply")
        assert (scanned["conversations"], scanned["poisoned"]) == (4 * COPIES, 2 * COPIES)
        assert (applied["healed"], applied["pending"]) == (2 * COPIES, COPIES)
        assert applied["rows_inserted"] == COPIES  # what came late has a row already
        assert again["healed"] == 0
        with database.engine.connect() as connection:
            repeated, runs = connection.exec_driver_sql(TWICE).one()
        assert repeated == 0
        assert runs > 1
        [store] = detected(database)
        assert heal.scan(database.engine, [store], options=Options()).poisoned == 0

        for run in reversed(heal.runs(database.engine)):
            heal.undo(database.engine, run.run)
        assert dump(database) == before
        database.engine.dispose()
