"""What another package announces by an entry point, loaded and seen to be what its group holds.

Stands where `formats` and `stores` look beyond their own files.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import TypeVar

from endmark.errors import EndmarkError

__all__ = ["load"]

T = TypeVar("T")


def load(entry: EntryPoint, kind: type[T], error: type[EndmarkError]) -> T:
    """Load an entry point. Raises `error` where it fails, or gives anything but a `kind`."""
    of = f" of package {entry.dist.name}" if entry.dist is not None else ""
    said = f"the entry point {entry.name} = {entry.value!r}{of} in group {entry.group}"
    word = kind.__name__
    try:
        given = entry.load()
    except Exception as failure:
        raise error(f"{said} cannot be loaded: {type(failure).__name__}: {failure}") from failure
    if not isinstance(given, kind):
        value = entry.value.partition(":")[0] + f":{word.upper()}"
        raise error(
            f"{said} gives a {type(given).__name__}, not a {word}; "
            f"let it name one, as {value!r} would, or uninstall the package"
        )
    return given
