"""Heal a database that has more rows than one machine should read: the shards as tasks of Dask.

`python heal_on_dask.py scan|apply URL [SCHEDULER] [--config FILE.toml]`, with `dask[distributed]`
and `endmark[postgres]` on every worker. Without a scheduler's address a cluster of this machine's cores
is used; without a file that describes your tables (docs/stores.md) the known stores are looked for.
`scan` writes nothing. A task that is run again, since its worker was lost, goes on where the first one
ended: what is healed is clean. Every shard is a run of its own in the journal; at the end `apply` says
which these are, and the line for a shell that undoes them all.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import Any

from dask.distributed import Client, as_completed

from endmark import heal, stores
from endmark.errors import EndmarkError, StoreError
from endmark.heal import Options, Run
from endmark.stores import Store, custom
from endmark.stores.database import opened, safe_url

SHARDS_A_WORKER = 4  # so that a slow shard holds nobody up


def known_stores(url: str) -> list[Store]:
    """Find the known stores, on a worker: the database need not be in reach from here."""
    with opened(url) as engine, engine.connect() as connection:
        found = stores.detect(connection)
        if not found:
            raise StoreError(
                f"no known store is in {safe_url(url)}; seen: {stores.seen(connection)}. Describe "
                "your tables in TOML (docs/stores.md), and give the file with --config"
            )
    return found


def heal_shard(action: str, url: str, chosen: list[Store], options: Options) -> dict[str, Any]:
    """Look at one shard of these stores, on a worker; heal it for `apply`."""
    work: Any = heal.apply if action == "apply" else heal.scan
    with opened(url) as engine:
        counts: dict[str, Any] = work(engine, chosen, options=options).as_json()
    return counts


def journal(url: str) -> list[Run]:
    """Give the runs that the journal knows, on a worker."""
    with opened(url) as engine:
        return heal.runs(engine)


def run(
    client: Client, action: str, url: str, config: str | None
) -> tuple[Counter[str], list[str]]:
    """Share the shards out, add up what they say as they end, and name the runs that they made."""

    def ask(work: Any) -> Any:
        return client.submit(work, url, pure=False).result()

    chosen = custom.from_toml(config) if config else ask(known_stores)
    before = ask(journal)
    threads = sum(worker["nthreads"] for worker in client.scheduler_info(-1)["workers"].values())
    shards = SHARDS_A_WORKER * max(threads, 1)
    tasks = [
        client.submit(heal_shard, action, url, chosen, Options(shard=(k, shards)), pure=False)
        for k in range(shards)
    ]
    total: Counter[str] = Counter()
    for task in as_completed(tasks):
        total.update({k: v for k, v in task.result().items() if type(v) is int})
    # From the journal: a task that was run again knows nothing of what it had written before.
    return total, [one.run for one in ask(journal) if one not in before]


def main() -> None:
    """Connect to the cluster, or make one; print the counts, and how to undo what was written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["scan", "apply"])
    parser.add_argument("url", help="postgresql://user@host/database, as the workers reach it")
    parser.add_argument("scheduler", nargs="?", help="tcp://host:8786")
    parser.add_argument("--config", metavar="FILE.toml", help="stores described in TOML")
    given = parser.parse_args()
    options = {} if given.scheduler else {"threads_per_worker": 1, "dashboard_address": ":0"}
    try:
        with Client(given.scheduler, **options) as client:
            total, runs = run(client, given.action, given.url, given.config)
    except EndmarkError as error:
        sys.exit(str(error))
    for name, count in sorted(total.items()):
        print(f"{name}: {count}")  # noqa: T201
    if runs:
        undo = f'for run in {" ".join(runs)}; do heal-db undo URL "$run" --yes; done'
        print(f"to undo: {undo}", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
