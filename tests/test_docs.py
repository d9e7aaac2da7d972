"""The documentation is run: its Python, its commands, its examples in docstrings."""

from __future__ import annotations

import doctest
import gc
import pkgutil
import re
import shlex
import tomllib
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from typer.main import get_command

import endmark
from endmark import Policy, formats, rules, stores
from endmark.cli import heal_db
from endmark.cli.endmark import app as endmark_app
from endmark.cli.policy_options import PolicyOptions
from endmark.model import Kind
from endmark.stores import custom

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAMS = {"endmark": get_command(endmark_app), "heal-db": get_command(heal_db.app)}
MODULES = [info.name for info in pkgutil.walk_packages(endmark.__path__, "endmark.")]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )


def page_name(page: Path) -> str:
    return page.name


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page, one after the other, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": page.stem}
    made: dict[int, Any] = {}
    for number, block in enumerate(blocks(page, "python"), 1):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)
        made |= {id(value): value for value in names.values()}  # another may take its name
    closed(made)


def closed(names: dict[Any, Any]) -> None:
    """Close the databases that an example has left open."""
    for value in names.values():
        if isinstance(value, sa.Engine):
            value.dispose()


def commands(page: Path) -> list[list[str]]:
    """Give every call of a program: those in `code` and those in blocks."""
    text = page.read_text("utf-8")
    shell = "\n".join(blocks(page, "sh"))
    found = re.findall(
        r"`((?:heal-db|endmark) [^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    )
    found += re.findall(r"^(?:.*/)?((?:heal-db|endmark) .*)$", shell, re.MULTILINE)
    found += re.findall(r"&& \S*/((?:heal-db|endmark) .*)$", shell, re.MULTILINE)
    return [
        shlex.split(line.partition(" #")[0].partition(" |")[0], comments=True) for line in found
    ]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_exist(page: Path) -> None:
    for program, *words in commands(page):
        known: Any = PROGRAMS[program]
        names = words[0].split("|")
        for name in names:
            assert name in known.commands, f"{page.name}: {program} {name}"
            options = {o for p in known.commands[name].params for o in p.opts}
            used = {
                word.partition("=")[0] for word in words if word.startswith("-") and word != "-"
            }
            assert used <= options, f"{page.name}: {program} {words}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_options_exist(page: Path) -> None:
    """An option named alone is one of some command (or of pip and git, which are not ours)."""
    every = {
        option
        for program in PROGRAMS.values()
        for command in vars(program)["commands"].values()
        for parameter in command.params
        for option in parameter.opts
    }
    text = page.read_text("utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) - {"--sql", "--autogenerate"}
    assert named <= every


def test_every_command_and_option_has_help() -> None:
    for name, program in PROGRAMS.items():
        for command in vars(program)["commands"].values():
            assert command.help, f"{name} {command.name}"
            bare = [p.name for p in command.params if not getattr(p, "help", None)]
            assert bare == [], f"{name} {command.name}: {bare}"


def test_every_command_is_documented() -> None:
    documented = {tuple(words[:2]) for page in PAGES for words in commands(page)}
    names = {
        (program, command)
        for program, known in PROGRAMS.items()
        for command in vars(known)["commands"]
    }
    assert {f"{p} {c}" for p, c in names - documented} <= {"heal-db stores"}


def test_the_readme_names_what_there_is() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    named = set(re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE))
    assert {"openai-chat", "anthropic", "ai-sdk", "vercel-chatbot", "twenty"} <= named
    assert named <= {*formats.names(), *stores.names()}


def test_the_readme_quotes_the_providers() -> None:
    """The error strings at the top are those of the rules, which carry their sources."""
    [quoted] = blocks(ROOT / "README.md", "text")
    said = " ".join(
        value.template
        for provider in set(rules.PROVIDERS.values())
        for value in vars(import_module(f"endmark.rules.{provider}")).values()
        if isinstance(value, rules.Rule)
    )
    plain = re.sub(r"\{s_are\}", " is", re.sub(r"\{s\}", "", said))
    for line in quoted.strip().splitlines():
        assert line in plain, line


def test_the_commands_of_the_setup_are_there() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    for command in (
        "python3 -m venv .venv && .venv/bin/pip install -q -e . && .venv/bin/heal-db demo\n",
        "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/pytest\n",
    ):
        assert command in text


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_toml_is_read(page: Path, tmp_path: Path) -> None:
    for block in blocks(page, "toml"):
        given = tomllib.loads(block)
        (tmp_path / "given.toml").write_text(block)
        if "stores" in given:
            assert custom.from_toml(tmp_path / "given.toml")
        elif "project" not in given:
            assert PolicyOptions(policy_file=tmp_path / "given.toml").build() != Policy()


def test_every_key_of_the_policy_is_documented() -> None:
    [block] = [b for b in blocks(ROOT / "docs" / "runbook.md", "toml") if "[policy]" in b]
    assert set(tomllib.loads(block)["policy"]) == set(Policy.model_fields) - {"pending"}


def test_every_key_of_a_store_is_documented() -> None:
    page = (ROOT / "docs" / "stores.md").read_text("utf-8")
    keys = dict(re.findall(r"^\| `(\[+stores[^`]*)` \| (.*) \|$", page, re.MULTILINE))
    kinds = {
        "[stores.NAME]": stores.Store,
        "[stores.NAME.parts]": stores.PartTable,
        "[stores.NAME.head]": stores.ConversationTable,
        "[[stores.NAME.recorded]]": stores.Recorded,
        "[stores.NAME.linked]": stores.LinkedTable,
        "[stores.NAME.tree]": stores.Tree,
        "[stores.NAME.answers]": stores.Answers,
    }
    assert {place: set(re.findall("`([^`]*)`", said)) for place, said in keys.items()} == {
        place: {field.name for field in fields(kind)} for place, kind in kinds.items()
    }


def test_every_finding_is_documented() -> None:
    text = (ROOT / "docs" / "runbook.md").read_text("utf-8")
    cells = re.findall(r"^\| ([a-z_, ]+) \| [^|]+ \|$", text, re.MULTILINE)
    assert set(Kind) <= {kind for cell in cells for kind in cell.split(", ")}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings(module: str) -> None:
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    found = doctest.DocTestFinder(exclude_empty=True).find(import_module(module))
    for test in (one for one in found if one.examples):
        gc.collect()  # else classes that SQLAlchemy made may go while the runner reads their lines
        assert runner.run(test, clear_globs=False).failed == 0
        closed(test.globs)
