"""Look ahead: a thread goes on searching while the caller writes what it has found.

Search and heal each wait for a server process of their own, so two cores have work at once. Only
what was found is handed over: the connection is the thread's alone until it has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from queue import Empty, Queue
from threading import Event, Thread
from typing import TypeVar

MOST = 10_000  # found and not yet taken

T = TypeVar("T")

__all__ = ["ahead"]


@contextmanager
def ahead(items: Generator[T], cancel: Callable[[], None]) -> Iterator[Iterator[T]]:
    """Let a thread go through these items; they come out here, and so does what it raises.

    Where the caller leaves before the end, `cancel` is to make a search that waits return.
    """
    found: Queue[T | _End] = Queue(MOST)
    left = Event()
    thread = Thread(target=_look, args=(items, found, left), name="endmark-search", daemon=True)
    thread.start()
    try:
        yield _taken(found)
    finally:
        left.set()
        while thread.is_alive():  # again and again: a search that has yet to begin is not ended
            with suppress(Exception):  # the connection may be lost, which ends the search too
                cancel()
            _empty(found)  # it may wait for room
            thread.join(0.1)


class _End:
    """The last that comes: with what ended the search, where it was no end."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


def _look(items: Generator[T], found: Queue[T | _End], left: Event) -> None:
    end = _End()
    try:
        with closing(items):
            for item in items:
                found.put(item)
                if left.is_set():
                    return
    except BaseException as error:  # noqa: BLE001  (it is raised where the items are taken)
        end = _End(error)
    finally:
        found.put(end)


def _taken(found: Queue[T | _End]) -> Iterator[T]:
    while not isinstance(one := found.get(), _End):
        yield one
    if one.error is not None:
        raise one.error


def _empty(found: Queue[T | _End]) -> None:
    while True:
        try:
            found.get_nowait()
        except Empty:
            return
