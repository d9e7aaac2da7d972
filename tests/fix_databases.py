"""Fresh, empty databases: SQLite and PostgreSQL, for sync and async code.

`database` and `async_database` run a test once for each kind; the server behind the PostgreSQL
kinds is the one of `fix_postgres`. `run` runs coroutines, all of a test on one event loop.
"""

from __future__ import annotations

import asyncio
import itertools
import platform
import secrets
import sqlite3
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from fix_leaks import assert_all_returned
from fix_postgres import Server

T = TypeVar("T")
Run = Callable[[Coroutine[Any, Any, T]], T]

LIBRARIES = ("sqlalchemy", "alembic", "pydantic", "psycopg", "asyncpg", "aiosqlite", "hypothesis")
# Of this session alone: others may use the same server at the same time.
NAMES = (f"endmark_{secrets.token_hex(4)}_{number}" for number in itertools.count(1))


@dataclass(frozen=True)
class Database:
    """An empty database: `name` is sqlite or postgresql, `url` opens it with a sync driver."""

    name: str
    url: str
    engine: sa.Engine


@dataclass(frozen=True)
class AsyncDatabase:
    """An empty database: `name` is the async driver, `sync_url` opens the same one without it."""

    name: str
    url: str
    sync_url: str
    engine: AsyncEngine


def pytest_report_header() -> str:
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {libraries}"


@pytest.fixture
def run() -> Iterator[Run[Any]]:
    """Run a coroutine; all coroutines of a test share one event loop."""
    with asyncio.Runner() as runner:
        yield runner.run


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A fresh, empty database, once on SQLite and once on PostgreSQL."""
    with fresh_url(request.param, request, tmp_path) as url:
        engine = sa.create_engine(url)
        try:
            yield Database(request.param, text_of(url), engine)
            assert_all_returned(engine)
        finally:
            engine.dispose()


@pytest.fixture(params=["aiosqlite", "psycopg", "asyncpg"])
def async_database(
    request: pytest.FixtureRequest, tmp_path: Path, run: Run[None]
) -> Iterator[AsyncDatabase]:
    """A fresh, empty database, once for each async driver; use it inside `run`."""
    kind = "sqlite" if request.param == "aiosqlite" else "postgresql"
    with fresh_url(kind, request, tmp_path) as sync_url:
        url = sync_url.set(drivername=f"{kind}+{request.param}")
        engine = create_async_engine(url)
        try:
            yield AsyncDatabase(request.param, text_of(url), text_of(sync_url), engine)
            assert_all_returned(engine.sync_engine)
        finally:
            run(engine.dispose())


@contextmanager
def fresh_url(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[sa.URL]:
    if kind == "sqlite":
        yield sa.make_url(f"sqlite:///{folder / 'test.db'}")
        return
    # Asked for by name, so that tests on SQLite do not start a server.
    server: Server = request.getfixturevalue("postgres")
    with created(server) as url:
        yield url


@contextmanager
def created(server: Server) -> Iterator[sa.URL]:
    """Create a database on `server`, yield its URL and drop it, whoever is still connected."""
    name = next(NAMES)
    admin = sa.create_engine(server.url, poolclass=sa.NullPool, isolation_level="AUTOCOMMIT")
    drop = sa.text(f"DROP DATABASE {name} WITH (FORCE)")
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    try:
        yield server.url.set(database=name)
    finally:
        with admin.connect() as connection:
            connection.execute(drop)


def text_of(url: sa.URL) -> str:
    return url.render_as_string(hide_password=False)
