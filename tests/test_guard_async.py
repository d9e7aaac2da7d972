"""AsyncChatRepository: the sync one's surface, and a closing write that no cancellation stops."""

from __future__ import annotations

import asyncio
import gc
import inspect
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from endmark import DatabaseError, StaleTurnError, check, repair
from endmark.guard import AsyncChatRepository, ChatRepository, tables
from fix_databases import AsyncDatabase, Run
from guard_messages import CASES, CHAT, Message, create, text_part, tool_part, ui

MOMENTS = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377]  # turns of the event loop


def prepared(database: AsyncDatabase) -> async_sessionmaker[AsyncSession]:
    engine = sa.create_engine(database.sync_url)
    create(engine)
    engine.dispose()
    return async_sessionmaker(database.engine)


def rows_of(database: AsyncDatabase, conversation: str = "c") -> list[Message]:
    from guard_messages import stored

    engine = sa.create_engine(database.sync_url)
    with engine.connect() as connection:
        found = stored(connection, conversation)
    engine.dispose()
    return found


def surface(cls: type) -> dict[str, tuple[list[Any], str | None]]:
    return {
        name: (
            [(p.name, p.kind, p.default) for p in inspect.signature(member).parameters.values()],
            member.__doc__,
        )
        for name, member in vars(cls).items()
        if inspect.isfunction(member) and not name.startswith("_")
    }


def test_what_asyncio_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "greenlet", None)
    with pytest.raises(DatabaseError, match=r"greenlet.*pip install 'endmark\[aiosqlite\]'"):
        AsyncChatRepository(async_sessionmaker(), "openai-chat")


def test_the_surfaces_are_the_same() -> None:
    sync, aio = surface(ChatRepository), surface(AsyncChatRepository)
    assert sync == aio
    assert all(doc for _, doc in sync.values())
    assert set(sync) == {
        "add_message", "add_messages", "persist", "turn", "finalize", "history",
        "conversations", "truncate", "delete",
    }  # fmt: skip


def test_every_operation(async_database: AsyncDatabase, run: Run[Any]) -> None:
    factory = prepared(async_database)

    async def work() -> None:
        for case in CASES:
            repository = AsyncChatRepository(factory, case["format"])
            for message in case["history"]:
                await repository.add_message(case["id"], message)
            await repository.finalize(case["id"])
            assert await repository.history(case["id"]) == repair(case["history"], case["format"])
        repository = AsyncChatRepository(factory, "openai-chat")
        await repository.persist("p", [CHAT.user("hi"), CHAT.calls("a")])
        await repository.add_messages("p", [CHAT.result("a", "late"), CHAT.text("done")])
        await repository.truncate("p", after=1)
        assert len(await repository.history("p", start_at_user=True)) == 3
        await repository.delete("p")
        assert "p" not in await repository.conversations()

    run(work())


def test_a_turn_goes_over_many_transactions(async_database: AsyncDatabase, run: Run[Any]) -> None:
    factory = prepared(async_database)
    repository = AsyncChatRepository(factory, "openai-chat")
    seen: list[str] = []

    def hear(_c: Any, _cursor: Any, sql: str, *_: Any) -> None:
        seen.append(sql)

    async def work() -> None:
        await repository.add_message("c", CHAT.text("before"))
        async with repository.turn("c") as turn:
            assert turn.epoch == 1
            sa.event.listen(async_database.engine.sync_engine, "before_cursor_execute", hear)
            for k in range(4):
                await repository.add_message("c", CHAT.calls(f"a{k}"))
                await repository.add_message("c", CHAT.result(f"a{k}"))
            await repository.add_message("c", CHAT.calls("open"))

    run(work())
    reads = [sql for sql in seen if sql.startswith("SELECT") and "ORDER BY" in sql]
    assert len(reads) <= 2, reads  # closing reads what it repairs, and nothing else does
    rows = rows_of(async_database)
    assert len(rows) == 11
    assert check(rows, "openai-chat") == ()


@pytest.mark.parametrize("inline", [False, True], ids=["own message", "inline"])
def test_cancelled_at_many_moments(
    async_database: AsyncDatabase, run: Run[Any], inline: bool
) -> None:
    """What was answered stays, what was open is closed, and the database can be written."""
    factory = prepared(async_database)
    repository = AsyncChatRepository(factory, "ai-sdk" if inline else "openai-chat")
    opened = ui("m", tool_part("t")) if inline else CHAT.calls("a")
    written: dict[str, int] = {}

    async def turn(name: str) -> None:
        async with repository.turn(name):
            await repository.add_message(
                name, CHAT.user("hi") if not inline else ui("u", text_part("hi"), role="user")
            )
            written[name] = 1
            await repository.add_message(name, opened, turn="open")
            written[name] = 2
            await asyncio.sleep(0.05)

    async def work() -> None:
        for moment in MOMENTS:
            name = f"c{moment}"
            task = asyncio.create_task(turn(name))
            for _ in range(moment):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            rows = await asyncio.to_thread(rows_of, async_database, name)
            assert check(rows, repository.store.format) == (), moment
            assert len(rows) >= written.get(name, 0)
            if written.get(name) == 2:
                assert len(rows) == (2 if inline else 3), moment
            await repository.add_message(name, opened)  # the database is not locked
        assert repository._tasks == set()

    run(asyncio.wait_for(work(), 60))
    gc.collect()


@pytest.mark.parametrize("writers", [2, 16])
def test_tasks_side_by_side(async_database: AsyncDatabase, run: Run[Any], writers: int) -> None:
    factory = prepared(async_database)
    repository = AsyncChatRepository(factory, "openai-chat")

    async def write(k: int) -> None:
        for message in (CHAT.user(str(k)), CHAT.calls(f"a{k}"), CHAT.result(f"a{k}")):
            await repository.add_message("c", message)

    async def work() -> None:
        await asyncio.gather(*(write(k) for k in range(writers)))

    run(asyncio.wait_for(work(), 60))
    rows = rows_of(async_database)
    assert check(rows, "openai-chat") == ()
    assert len(rows) == writers * 3
    assert all(CHAT.user(str(k)) in rows and CHAT.result(f"a{k}") in rows for k in range(writers))


def test_turns_of_two_tasks_on_one_repository(async_database: AsyncDatabase, run: Run[Any]) -> None:
    factory = prepared(async_database)
    repository = AsyncChatRepository(factory, "openai-chat")

    async def work() -> None:
        begun, taken = asyncio.Event(), asyncio.Event()

        async def old() -> None:
            async with repository.turn("c"):
                await repository.add_message("c", CHAT.calls("a"))
                begun.set()
                await taken.wait()
                with pytest.raises(StaleTurnError):
                    await repository.add_message("c", CHAT.text("x"))
                await repository.add_message("c", CHAT.result("a", "late"))

        async def new() -> None:
            await begun.wait()
            async with repository.turn("c"):
                await repository.add_message("c", CHAT.user("again"))
                taken.set()

        await asyncio.gather(old(), new())

    run(asyncio.wait_for(work(), 60))
    assert rows_of(async_database) == [
        CHAT.calls("a"), CHAT.result("a", "late"), CHAT.user("again"),
    ]  # fmt: skip


def test_a_turn_in_a_turn(async_database: AsyncDatabase, run: Run[Any]) -> None:
    factory = prepared(async_database)
    repository = AsyncChatRepository(factory, "openai-chat")

    async def work() -> None:
        async with repository.turn("c"):
            await repository.add_message("c", CHAT.calls("a"))
            async with repository.turn("c"), repository.turn("d"):
                await repository.add_message("d", CHAT.calls("a"))
                await repository.add_message("c", CHAT.calls("b"))
            with pytest.raises(StaleTurnError):
                await repository.add_message("c", CHAT.text("x"))
            await repository.add_message("c", CHAT.result("a"))
        await repository.add_message("c", CHAT.user("hi"))

    run(asyncio.wait_for(work(), 60))
    history = [CHAT.calls("a"), CHAT.result("a"), CHAT.calls("b"), CHAT.user("hi")]
    assert rows_of(async_database) == repair(history, "openai-chat")
    assert check(rows_of(async_database, "d"), "openai-chat") == ()


@pytest.mark.parametrize("closes", [True, False], ids=["closed", "left to the loop"])
def test_a_generator_that_is_left_in_its_turn(
    async_database: AsyncDatabase, run: Run[Any], closes: bool
) -> None:
    factory = prepared(async_database)
    repository = AsyncChatRepository(factory, "openai-chat")

    async def stream() -> AsyncIterator[int]:
        async with repository.turn("c"):
            await repository.add_message("c", CHAT.calls("a"))
            yield 1
            yield 2

    async def work() -> None:
        generator = stream()
        async for _ in generator:
            break
        if closes:
            await generator.aclose()
        else:
            await asyncio.get_running_loop().shutdown_asyncgens()

    run(asyncio.wait_for(work(), 60))
    assert rows_of(async_database) == repair([CHAT.calls("a")], "openai-chat")


def test_the_reference_tables_are_all(async_database: AsyncDatabase) -> None:
    prepared(async_database)
    assert set(tables.metadata.tables) == {"endmark_conversation", "endmark_message"}
