"""Heal a database that has more rows than one machine should read: the shards as tasks of Dask.

`python heal_on_dask.py scan|apply URL [SCHEDULER]`, with `dask[distributed]` and `endmark[postgres]` on
every worker. Without a scheduler's address a cluster of this machine's cores is used. `scan` writes
nothing. A task that is run again, since its worker was lost, goes on where the first one ended: what
is healed is clean. Every shard is a run of its own in the journal; `heal-db undo` takes it back.
"""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from dask.distributed import Client, as_completed

from endmark import heal, stores
from endmark.heal import Options
from endmark.stores.database import opened

SHARDS_A_WORKER = 4  # so that a slow shard holds nobody up


def heal_shard(action: str, url: str, shard: int, shards: int) -> dict[str, Any]:
    """Look at one shard of every known store, on a worker; heal it for `apply`."""
    with opened(url) as engine:
        with engine.connect() as connection:
            found = stores.detect(connection)
        work: Any = heal.apply if action == "apply" else heal.scan
        counts: dict[str, Any] = work(
            engine, found, options=Options(shard=(shard, shards))
        ).as_json()
    return counts


def run(client: Client, action: str, url: str) -> Counter[str]:
    """Share the shards out, and add up what they say as they end."""
    threads = sum(worker["nthreads"] for worker in client.scheduler_info(-1)["workers"].values())
    shards = SHARDS_A_WORKER * max(threads, 1)
    tasks = [client.submit(heal_shard, action, url, k, shards, pure=False) for k in range(shards)]
    total: Counter[str] = Counter()
    for task in as_completed(tasks):
        counts = task.result()
        total.update({k: v for k, v in counts.items() if type(v) is int})
    return total


def main() -> None:
    """Connect to the cluster, or make one, and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["scan", "apply"])
    parser.add_argument("url", help="postgresql://user@host/database, as the workers reach it")
    parser.add_argument("scheduler", nargs="?", help="tcp://host:8786")
    given = parser.parse_args()
    options = {} if given.scheduler else {"threads_per_worker": 1, "dashboard_address": ":0"}
    with Client(given.scheduler, **options) as client:
        for name, count in sorted(run(client, given.action, given.url).items()):
            print(f"{name}: {count}")  # noqa: T201


if __name__ == "__main__":
    main()
