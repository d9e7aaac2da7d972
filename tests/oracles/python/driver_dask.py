"""Run the example on a cluster of two processes: `python driver_dask.py URL 'ACTION OPTIONS'...`."""

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
            sys.argv[1:] = [*action.split(), url, cluster.scheduler_address]
            said, told = io.StringIO(), io.StringIO()
            try:
                with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
                    heal_on_dask.main()
            except SystemExit as stop:
                told.write(str(stop))
            lines = (line.split(": ") for line in said.getvalue().splitlines())
            counts = {name: int(count) for name, count in lines}
            print(json.dumps({"counts": counts, "told": told.getvalue()}), flush=True)


if __name__ == "__main__":
    main()
