"""URLs as people have them, and what is said of a database that refuses."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from endmark.errors import DatabaseError
from endmark.stores import database as urls
from fix_databases import fresh_url, text_of

PG = "postgresql+psycopg://me@db/chat?connect_timeout=10"

KNOWN = {
    "postgres://me@db/chat": PG,
    "postgresql://me@db/chat": PG,
    "postgresql+psycopg://me@db/chat": PG,
    "postgresql+psycopg2://me@db/chat": PG,
    "postgresql+asyncpg://me@db/chat": PG,
    "POSTGRES://me@db/chat": PG,
    "  postgres://me@db/chat\n": PG,
    "postgres://me@db/chat?connect_timeout=3": "postgresql+psycopg://me@db/chat?connect_timeout=3",
    "postgresql+asyncpg://me@db/chat?ssl=require": f"{PG}&sslmode=require",
    "postgresql+asyncpg://me@db/chat?ssl=true": f"{PG}&sslmode=require",
    "postgres://me@db/chat?sslmode=disable": f"{PG}&sslmode=disable",
    "postgres://me@db/chat?schema=core&pgbouncer=true&connection_limit=1": f"{PG}&options=-csearch_path%3Dcore",
    "postgresql+asyncpg://me@db/chat?prepared_statement_cache_size=0": PG,
    "postgres:///chat": "postgresql+psycopg:///chat?connect_timeout=10",
    "postgres://me@[::1]:5433/chat": "postgresql+psycopg://me@[::1]:5433/chat?connect_timeout=10",
    "sqlite:///chat.db": "sqlite:///chat.db",
    "sqlite:////var/chat.db": "sqlite:////var/chat.db",
    "sqlite+aiosqlite:///chat.db": "sqlite:///chat.db",
    "sqlite+pysqlite:///chat.db": "sqlite:///chat.db",
    "sqlite://": "sqlite://",
    "file:./chat.db": "sqlite:///./chat.db",
}


def sorted_query(url: sa.URL) -> sa.URL:
    return url.set(query=dict(sorted(url.query.items())))


@pytest.mark.parametrize("url", KNOWN)
def test_the_driver_is_ours(url: str) -> None:
    assert sorted_query(urls.normalise(url)) == sorted_query(sa.make_url(KNOWN[url]))


def test_the_path_of_a_file_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "chat.db"
    path.touch()
    assert urls.normalise(str(path)).database == str(path)


REFUSED = {
    "": "is not the URL",
    "chat": "is not the URL",
    "mysql+pymysql://me:SECRET@db/chat": "is not the URL",
    "mssql://me:SECRET@db/chat": "is not the URL",
    "postgres": "is not the URL",
    "postgres:chat": "cannot be read",
    "postgres://me:SEC@SECRET@db/chat": "%40",
    "postgres://me:SECRET/chat": "cannot be read",
    "postgres://me:SECRET@db:port/chat": "cannot be read",
    "sqlite://chat.db": "three slashes",
    "sqlite:///no/such/folder/chat.db": "no SQLite file",
    "file:nowhere.db": "no SQLite file",
}


@pytest.mark.parametrize("url", REFUSED)
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(DatabaseError, match=REFUSED[url]) as caught:
        urls.open_engine(url)
    assert "SECRET" not in str(caught.value)


SAFE = {
    "postgres://me:SECRET@db:5432/chat": "postgres://me:***@db:5432/chat",
    "postgres://me@db/chat?password=SECRET": "postgres://me@db/chat",
    "postgres://db:5432/chat": "postgres://db:5432/chat",
    "postgres://:SECRET@db/chat": "postgres://:***@db/chat",
    "postgres://me:SECRET": "postgres://…",
    "postgres://me:?SECRET@db/chat": "postgres://…",
    "me:SECRET@db": "this text",
    "sqlite:////var/chat.db": "sqlite:////var/chat.db",
    "sqlite:///me@home.db": "sqlite:///me@home.db",
}


@pytest.mark.parametrize("url", SAFE)
def test_a_url_is_shown_without_its_password(url: str) -> None:
    assert urls.safe_url(url) == SAFE[url]


@given(before=st.text("@:/?#%&= [].é", max_size=4), after=st.text("@:/?#%&= [].é", max_size=4))
def test_no_password_is_ever_shown(before: str, after: str) -> None:
    url = f"postgres://me:{before}SECRET{after}@db.example:5432/chat"
    assert "SECRET" not in urls.safe_url(url)
    said = ""
    try:
        urls.normalise(url)
    except DatabaseError as error:
        said = str(error)
    assert "SECRET" not in said


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DatabaseError, match=r"pip install 'endmark\[postgres\]'"):
        urls.open_engine("postgres://me@db/chat")


def fails(url: str, act: Callable[[sa.Connection], Any]) -> str:
    with (
        pytest.raises(DatabaseError) as caught,
        urls.opened(url) as engine,
        engine.begin() as connection,
    ):
        act(connection)
    assert "SECRET" not in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def sql(text: str) -> Callable[[sa.Connection], Any]:
    values = {"secret": "SECRET"} if ":secret" in text else {}
    return lambda connection: connection.execute(sa.text(text), values)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE chat (id INTEGER PRIMARY KEY, body TEXT UNIQUE NOT NULL)"
        )
        connection.execute("INSERT INTO chat VALUES (1, 'SECRET')")
        connection.commit()
    return path


SQLITE = {
    "SELECT * FROM chats": "no such table: check --table",
    "SELECT bodies FROM chat": "no such column: check the mapping",
    "INSERT INTO chat VALUES (2, :secret)": "by one of its constraints; nothing was written",
    "SELECT json_extract('SECRET', '$')": "refused \\(OperationalError\\); see its log",
}


@pytest.mark.parametrize("statement", SQLITE)
def test_sqlite_refuses(statement: str, chat: Path) -> None:
    assert re.search(SQLITE[statement], fails(f"sqlite:///{chat}", sql(statement)))


def test_no_database_at_all(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("SECRET " * 200)
    assert "is not a SQLite database: check the path" in fails(
        f"sqlite:///{path}", sql("SELECT 1 FROM chat")
    )


POSTGRESQL = {
    "SELECT * FROM chats": "no such table: check --table",
    "SELECT bodies FROM chat": "no such column: check the mapping",
    "INSERT INTO chat VALUES (2, :secret)": r"constraints; nothing was written \(table chat, constraint chat_body_key\)",
    "SELECT CAST(:secret AS integer)": r"refused \(InvalidTextRepresentation, SQLSTATE 22P02\)",
    "SET default_transaction_read_only = on; COMMIT; BEGIN; DELETE FROM chat": "can only be read: connect to the primary",
    "SET LOCAL statement_timeout = 20; SELECT pg_sleep(5)": "stopped the query .*raise the limit",
    "SET LOCAL ROLE pg_monitor; DELETE FROM chat": "does not allow this user to do that: GRANT it.* \\(table chat\\)",
    "SET LOCAL ROLE pg_monitor; CREATE TABLE public.x (y int)": r"does not allow .*\(schema public\)",
    "SET LOCAL ROLE pg_monitor; ALTER TABLE chat ADD x int": r"does not allow .*\(table chat\)",
}


@pytest.fixture
def postgresql(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with fresh_url("postgresql", request, tmp_path) as url:
        engine = sa.create_engine(url)
        with engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE chat (id int PRIMARY KEY, body text UNIQUE)")
            connection.exec_driver_sql("INSERT INTO chat VALUES (1, 'SECRET')")
        engine.dispose()
        yield text_of(url)


@pytest.mark.parametrize("statement", POSTGRESQL)
def test_postgresql_refuses(statement: str, postgresql: str) -> None:
    def act(connection: sa.Connection) -> None:
        for piece in statement.split("; "):
            sql(piece)(connection)

    assert re.search(POSTGRESQL[statement], fails(postgresql, act))


def test_postgresql_is_not_there(postgresql: str) -> None:
    there = sa.make_url(postgresql)
    elsewhere = {
        "does not exist: check the name": there.set(database="nobody", password="SECRET"),
        "refuses this user": there.set(username="nobody", password="SECRET"),
        "nothing listens there": there.set(port=1, password="SECRET"),
        "host name is unknown": there.set(host="nowhere.invalid", password="SECRET"),
        "does not understand an option": there.set(query={"colour": "SECRET"}),
    }
    for said, url in elsewhere.items():
        assert said in fails(text_of(url), sql("SELECT 1"))
