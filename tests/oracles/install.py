"""Install all that the oracles ask, before they ask it: `PYTHONPATH=tests python tests/oracles/install.py`."""

from __future__ import annotations

import fix_node
import fix_oracles


def main() -> None:
    for pins in sorted(fix_oracles.SOURCE.glob("*.txt")):
        fix_oracles.installed(pins.name)
    for folder in [fix_node.SOURCE, *sorted((fix_node.ORACLES / "node").iterdir())]:
        fix_node.installed(folder)


if __name__ == "__main__":
    main()
