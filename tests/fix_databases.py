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
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import psycopg
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

EMPTY = (
    """SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()""",
    """DO $$ DECLARE name text; BEGIN
         FOR name IN SELECT quote_ident(nspname) FROM pg_namespace
           WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
         LOOP EXECUTE 'DROP SCHEMA ' || name || ' CASCADE'; END LOOP;
       END $$""",
    "CREATE SCHEMA public AUTHORIZATION pg_database_owner",
    "GRANT USAGE ON SCHEMA public TO PUBLIC",
)
# 16384 is the first number that PostgreSQL gives to what is not its own.
AS_NEW = """SELECT NOT EXISTS (SELECT FROM pg_class WHERE oid >= 16384)
    AND datacl IS NULL AND NOT EXISTS (SELECT FROM pg_db_role_setting WHERE setdatabase = d.oid)
    FROM pg_database d WHERE datname = current_database()"""


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
    databases: Databases = request.getfixturevalue("databases")
    with databases.fresh() as url:
        yield url


@pytest.fixture(scope="session")
def databases(postgres: Server) -> Iterator[Databases]:
    """The databases that the tests of this session use on the server, one after the other."""
    with psycopg.connect(dsn(postgres.url), autocommit=True) as admin:
        databases = Databases(postgres.url, admin)
        yield databases
        for name in databases.free:
            databases.drop(name)


@dataclass
class Databases:
    """Databases of a server. To make and drop one takes longer than most tests.

    So each is emptied and given to another test, under a name that nobody has known before.
    """

    url: sa.URL
    admin: psycopg.Connection
    free: list[str] = field(default_factory=list)

    @contextmanager
    def fresh(self) -> Iterator[sa.URL]:
        """Yield the URL of an empty database and take it back, whoever is still connected."""
        name = next(NAMES)
        if self.free:
            self.admin.execute(f"ALTER DATABASE {self.free.pop()} RENAME TO {name}")
        else:
            self.admin.execute(f"CREATE DATABASE {name}")
        url = self.url.set(database=name)
        try:
            yield url
        finally:
            if emptied(url):
                self.free.append(name)
            else:
                self.drop(name)

    def drop(self, name: str) -> None:
        self.admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


def emptied(url: sa.URL) -> bool:
    """End all other connections, drop every schema and say whether the database is as new."""
    try:
        with psycopg.connect(dsn(url), autocommit=True) as connection:
            for sql in EMPTY:
                connection.execute(sql)
            return connection.execute(AS_NEW).fetchone() == (True,)
    except psycopg.Error:
        return False


def dsn(url: sa.URL) -> str:
    return text_of(url.set(drivername="postgresql"))


def text_of(url: sa.URL) -> str:
    return url.render_as_string(hide_password=False)
