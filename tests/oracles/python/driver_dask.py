"""Run the example on a cluster of two processes: `python driver_dask.py URL ACTION...`."""

from __future__ import annotations

import contextlib
import io
import json
import sys

import heal_on_dask
from dask.distributed import LocalCluster


def main() -> None:
    url, *actions = sys.argv[1:]
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        for action in actions:
            sys.argv[1:] = [action, url, cluster.scheduler_address]
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                heal_on_dask.main()
            counts = dict(line.split(": ") for line in said.getvalue().splitlines())
            print(json.dumps({name: int(count) for name, count in counts.items()}), flush=True)


if __name__ == "__main__":
    main()
