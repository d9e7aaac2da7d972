"""The tree is the way of the data: imports point left only, and the core stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "endmark"

# From left to right. A layer's parts may import what stands left of it, and `errors, model,
# policy` and the doors, which are written for one another, also their own layer.
LAYERS = (
    {"errors", "model", "policy"},
    {"pairing"},
    {"repair"},
    {"formats"},
    {"new_ids"},
    {"history"},
    {"stores"},
    {"guard", "heal"},
    {"integrations"},
    {"alembic_ops", "cli", "testing"},
)
RANK = {part: rank for rank, layer in enumerate(LAYERS) for part in layer}
DOORS = len(LAYERS) - 1
NAMES_OF_THE_ROOT = "history"  # `from endmark import check` gives what history.py defines

PURE = {
    "errors", "model", "policy", "pairing", "repair", "formats", "new_ids", "history", "rules",
}  # fmt: skip
HEAVY = ("sqlalchemy", "alembic", "typer", "rich")


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


FILES = sorted(path for path in SOURCE.rglob("*.py") if part_of(path) != "__init__")


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of everything that the file at `path` imports."""
    package = ("endmark", *path.relative_to(SOURCE).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join((*base, *filter(None, [node.module])))
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)


def allowed(importer: str, target: str) -> bool:
    if target in {importer, "errors"}:
        return True
    if importer == "rules":
        return False
    if target == "rules":  # independent: it may judge the core, the core may not lean on it
        return RANK[importer] == DOORS
    if RANK[importer] == RANK[target]:
        return RANK[importer] in {0, DOORS}
    return RANK[target] < RANK[importer]


@pytest.mark.parametrize("path", FILES, ids=name)
def test_imports_point_left(path: Path) -> None:
    importer = part_of(path)
    assert importer in RANK or importer == "rules", f"{importer} has no place in LAYERS"
    for line, target in imported(path):
        words = target.split(".")
        if words[0] != "endmark":
            continue
        part = words[1] if words[1] in RANK or words[1] == "rules" else NAMES_OF_THE_ROOT
        assert allowed(importer, part), f"{name(path)}:{line} imports {target}"


@pytest.mark.parametrize("path", [p for p in FILES if part_of(p) in PURE], ids=name)
def test_the_core_knows_no_database(path: Path) -> None:
    heavy = [target for _, target in imported(path) if target.split(".")[0] in HEAVY]
    assert not heavy, f"{name(path)} imports {heavy}"


@pytest.mark.parametrize("module", ["endmark", "endmark.formats", "endmark.rules"])
def test_importing_the_core_loads_no_database(module: str) -> None:
    program = f"import sys, {module}; print(*[m for m in {HEAVY} if m in sys.modules])"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert loaded == []


def test_the_guard_needs_no_greenlet() -> None:
    """SQLAlchemy 2.1 brings none; who writes without asyncio has no use for it."""
    program = "import sys; sys.modules['greenlet'] = None; import endmark.guard"
    subprocess.run([sys.executable, "-c", program], check=True)
