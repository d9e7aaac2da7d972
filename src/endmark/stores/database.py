"""The URL as people have it, turned into an engine; the driver's errors, turned into a way out.

The first step of every command that takes a URL, and the last of every one that fails. What is
said of a URL or an error holds no password and no content of a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from endmark.errors import DatabaseError

__all__ = ["explain", "normalise", "open_engine", "opened", "safe_url"]

# However a scheme is spelt, the driver that Endmark depends on.
SCHEMES = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "sqlite": "sqlite",
    "file": "sqlite",
}
# What other drivers read from a URL and libpq does not know.
FOREIGN_OPTIONS = frozenset(
    {
        "async_fallback",
        "connection_limit",
        "pgbouncer",
        "pool_timeout",
        "prepared_statement_cache_size",
        "socket_timeout",
        "statement_cache_size",
    }
)
BUSY_TIMEOUT = 5.0  # seconds that a command waits for SQLite's lock
CONNECT_TIMEOUT = 10  # seconds, unless the URL says otherwise
DRIVERS = {
    "postgresql": "the PostgreSQL driver is not installed: pip install 'endmark[postgres]'",
    "sqlite": "this Python was built without SQLite",
}

# A piece of the driver's own message, in lower case, and what to say of it.
MESSAGES = {
    "database is locked": (
        "is locked by another program: try again when its write is over, or stop that program"
    ),
    "readonly database": "can only be read: give write permission on the file and its folder",
    "unable to open database file": "cannot be opened: check the path and its permissions",
    "file is not a database": "is not a SQLite database: check the path",
    "disk image is malformed": "is damaged: restore a backup, or run SQLite's .recover on it",
    "disk is full": "has no room left on its disk: free some, then run the command again",
    "connection refused": "cannot be reached, nothing listens there: check host and port",
    "resolve host": "cannot be reached, the host name is unknown: check the host",
    "translate host name": "cannot be reached, the host name is unknown: check the host",
    "name or service": "cannot be reached, the host name is unknown: check the host",
    "name resolution": "cannot be reached, the host name is unknown: check the host",
    "nodename nor servname": "cannot be reached, the host name is unknown: check the host",
    "getaddrinfo": "cannot be reached, the host name is unknown: check the host",
    "timeout expired": "does not answer in time: check host, port and firewall",
    "timed out": "does not answer in time: check host, port and firewall",
    "no route to host": "cannot be reached: check host and network",
    "network is unreachable": "cannot be reached: check host and network",
    "password authentication failed": "refuses this user or password: check both",
    "no password supplied": "wants a password: put it in the URL, or in PGPASSWORD",
    "no pg_hba.conf entry": "lets nobody in from here: add an entry to pg_hba.conf",
    "role ": "refuses this user: check the name",
    "ssl": "wants another way to connect: try ?sslmode=require or ?sslmode=disable",
    "too many clients": "has no connection left: try again later",
    "server closed the connection": "ended the connection: see its log, then run the command again",
    "connection option": "does not understand an option of the URL: take out what is after the ?",
    "uri query parameter": "does not understand an option of the URL: take out what is after the ?",
    "no such table": "has no such table: check --table and --schema",
    "no such column": "has no such column: check the mapping",
    "it is a view": "does not let rows of a view change: name the table behind it with --table",
    "constraint failed": "refuses the change by one of its constraints; nothing was written",
}
# https://www.postgresql.org/docs/current/errcodes-appendix.html; the longest prefix counts.
STATES = {
    "23": "refuses the change by one of its constraints; nothing was written",
    "25006": "can only be read: connect to the primary, or as a user who may write",
    "28": "refuses this user or password: check both",
    "3D000": "does not exist: check the name behind the last /",
    "3F000": "has no such schema: check --schema",
    "40": "was changed by others at the same moment: run the command again",
    "42501": "does not allow this user to do that: GRANT it, or connect as the tables' owner",
    "42P01": "has no such table: check --table and --schema",
    "42703": "has no such column: check the mapping",
    "53": "has no room left (disk, memory or connections): see its log",
    "55P03": "has these rows locked by another session: try again when that is over",
    "57014": "stopped the query (statement_timeout?): raise the limit, or use a smaller --batch",
    "57P": "is shutting down or starting: try again when it is up",
    "08": "ended the connection: see its log, then run the command again",
}
# What somebody lacks a right on is named in the sentence alone: permission denied for table chat.
_OWNED = re.compile(r"\b(?:permission denied for|must be owner of) (\w+ \S+)$")


def normalise(url: str) -> sa.URL:
    """Give the URL that opens this database with the driver Endmark depends on.

    Raises `DatabaseError` for what is no URL, or one of another kind of database.

    >>> normalise("postgres://me@db/chat").drivername
    'postgresql+psycopg'
    >>> normalise("sqlite+aiosqlite:///chat.db").database
    'chat.db'
    """
    scheme, mark, rest = url.strip().partition(":")
    kind = SCHEMES.get(scheme.lower().partition("+")[0])
    if kind is None and Path(url).is_file():
        return sa.URL.create("sqlite", database=url)
    if kind is None or not mark:
        msg = (
            f"{safe_url(url)} is not the URL of a database Endmark knows; "
            "write sqlite:///chat.db or postgresql://user:password@host/database"
        )
        raise DatabaseError(msg)
    if kind == "sqlite" and not rest.startswith("//"):
        return sa.URL.create("sqlite", database=rest.partition("?")[0])
    try:
        made = sa.make_url(f"{kind}:{rest}")
    except (ArgumentError, ValueError):
        made = None
    if made is None or "@" in (made.host or ""):
        msg = (
            f"{safe_url(url)} cannot be read; write special characters of the password "
            "as %40 (@), %2F (/), %3A (:) or %23 (#)"
        )
        raise DatabaseError(msg)
    return _postgresql(made) if made.get_backend_name() == "postgresql" else _sqlite(made)


def _sqlite(url: sa.URL) -> sa.URL:
    if url.host:
        msg = (
            f"{safe_url(str(url))} names a host; a SQLite file has three slashes: sqlite:///chat.db"
        )
        raise DatabaseError(msg)
    return url


def _postgresql(url: sa.URL) -> sa.URL:
    query: dict[str, Any] = {k: v for k, v in url.query.items() if k not in FOREIGN_OPTIONS}
    if "ssl" in query:  # asyncpg's word for sslmode
        query.setdefault(
            "sslmode", {"true": "require", "false": "disable"}.get(query["ssl"], query["ssl"])
        )
        del query["ssl"]
    if "schema" in query:  # Prisma's word for the search path
        query.setdefault("options", f"-csearch_path={query['schema']}")
        del query["schema"]
    query.setdefault("connect_timeout", str(CONNECT_TIMEOUT))
    return url.set(query=query)


def safe_url(url: str) -> str:
    """Give the URL without its password and its options, whatever state it is in.

    >>> safe_url("postgres://me:p@ss@db.example/chat?sslpassword=x")
    'postgres://me:***@db.example/chat'
    """
    scheme, mark, rest = url.partition("://")
    if not mark:
        return "this text" if {"@", "="} & {*url} else url.partition("?")[0]
    head, _, options = rest.partition("?")
    account, at, place = head.rpartition("@")
    if at and "@" not in options:
        user, secret, _ = account.partition(":")
        return f"{scheme}://{user}{':***' if secret else ''}@{place}"
    # What looks like a port and is none, or an @ that came too late, may be a password.
    _, port, number = head.partition("/")[0].partition(":")
    plain = not at and "@" not in options and (not port or number.isdigit())
    return f"{scheme}://{head if plain else '…'}"


def open_engine(url: str) -> sa.Engine:
    """Open an engine on this URL; nothing is connected yet, no file is made.

    Its errors never show parameters. Raises `DatabaseError` for a URL that cannot be used, a
    missing driver or a missing SQLite file.
    """
    made = normalise(url)
    backend = made.get_backend_name()
    path = made.database
    plain = path and path != ":memory:" and not path.startswith("file:")
    if backend == "sqlite" and plain and not Path(path or "").is_file():
        msg = f"there is no SQLite file {path}; check the path (sqlite:////… is an absolute one)"
        raise DatabaseError(msg)
    arguments = {"timeout": BUSY_TIMEOUT} if backend == "sqlite" else {}
    try:
        return sa.create_engine(made, hide_parameters=True, connect_args=arguments)
    except ImportError:
        raise DatabaseError(DRIVERS[backend]) from None


@contextmanager
def opened(url: str) -> Iterator[sa.Engine]:
    """Open an engine for a block, with the database's errors explained. Raises `DatabaseError`."""
    engine = open_engine(url)
    try:
        yield engine
    except SQLAlchemyError as error:
        raise explain(error, url) from None
    finally:
        engine.dispose()


def explain(error: SQLAlchemyError, url: str) -> DatabaseError:
    """Say in one sentence what the database refused and what to do, without any content."""
    original = error.orig if isinstance(error, DBAPIError) else error
    state = str(getattr(original, "sqlstate", None) or "")
    place = safe_url(url)
    for length in range(len(state), 1, -1):
        if state[:length] in STATES:
            return DatabaseError(f"the database {place} {STATES[state[:length]]}{_named(original)}")
    message = str(original).lower()
    if "database " in message and "does not exist" in message:
        return DatabaseError(f"the database {place} {STATES['3D000']}")
    for piece, said in MESSAGES.items():
        if piece in message:
            return DatabaseError(f"the database {place} {said}")
    kind = type(original).__name__ + (f", SQLSTATE {state}" if state else "")
    return DatabaseError(f"the database {place} refused ({kind}); see its log for the reason")


def _named(original: object) -> str:
    """Name the table, column or constraint, where the server says which; never a value."""
    said = getattr(original, "diag", None)
    names = {
        what: getattr(said, f"{what}_name", None) for what in ("table", "column", "constraint")
    }
    found = ", ".join(f"{what} {name}" for what, name in names.items() if name)
    if not found and (owned := _OWNED.search(getattr(said, "message_primary", None) or "")):
        found = owned[1]
    return f" ({found})" if found else ""
