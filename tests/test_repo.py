"""What the repository must not hold, and what every error must say."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from endmark import errors

ROOT = Path(__file__).parents[1]
LOCK = re.compile(r"(\.lock|lock\.(json|ya?ml|toml)|\.lockb|npm-shrinkwrap\.json)$")
# Written so that no pattern matches itself.
FOREIGN = {
    "a path of one machine": re.compile(r"(?<![\w.~<-])/(root|home/\w+|work|Users/\w+)/"),
    "a package registry": re.compile(
        r"pypi[.]org/simple|python[h]osted\.|registry[.]npmjs|proxy[.]golang|index[-_]url\b"
    ),
}
SKIPPED = {"__pycache__", "node_modules", "dist", "build"}


def tracked() -> list[Path]:
    """Return what git tracks; without git, as in an sdist, every file that is not hidden."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if listed.returncode == 0:
            names = listed.stdout.rstrip("\0").split("\0")
            return [ROOT / name for name in names if (ROOT / name).exists()]
    files = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in SKIPPED and not f.startswith(".")]
        files += [Path(folder, name) for name in names]
    return files


FILES = sorted(tracked())


def test_there_are_files() -> None:
    assert ROOT / "pyproject.toml" in FILES


def test_no_lock_file() -> None:
    assert [path.name for path in FILES if LOCK.search(path.name)] == []


@pytest.mark.parametrize("what", FOREIGN)
def test_no_text_names(what: str) -> None:
    found = []
    for path in FILES:
        lines = path.read_bytes().decode("utf-8", "replace").splitlines()
        found += [
            f"{path.relative_to(ROOT)}:{number}"
            for number, line in enumerate(lines, 1)
            if FOREIGN[what].search(line)
        ]
    assert not found, f"{what}: {found}"


def test_every_error_is_public_and_documented() -> None:
    found = {
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    }
    assert sorted(found) == sorted(errors.__all__)
    assert all(issubclass(kind, errors.EndmarkError) for kind in found.values())
    assert [name for name, kind in found.items() if not inspect.getdoc(kind)] == []
    own = [kind.__doc__ for kind in found.values()]
    assert len(set(own)) == len(own)
