"""What the docs name is there: each link leads somewhere, each command and option exists, and none is left out."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer.main

from engine.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?:^|[`/ ])microscope ((?:[a-z-]+ ?)[^`\n]*)", re.MULTILINE)
OPTION = re.compile(r"--[a-z][a-z-]*")


def anchors(text: str) -> set[str]:
    """Return the names by which the headings of a page are linked to, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def commands(command: click.Command, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command below one, with the words that call it."""
    below = getattr(command, "commands", {})
    if not below:
        yield names, command
    for name, one in below.items():
        yield from commands(one, *names, name)


COMMANDS = dict(commands(typer.main.get_command(app)))


def options(command: click.Command) -> set[str]:
    """Return the long options of a command."""
    every = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
    return {option for option in every if option.startswith("--")}


def called(line: str) -> tuple[str, ...]:
    """Return the words of the command that a line calls, () where it calls none."""
    words = tuple(line.split()[:2])
    return next((words[:length] for length in (2, 1) if words[:length] in COMMANDS), ())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(page: Path) -> None:
    lost = []
    for link in LINK.findall(TEXTS[page.name]):
        path, _, heading = link.partition("#")
        target = page.parent / path if path else page
        if link.startswith(("http://", "https://")):
            continue
        if not target.exists() or (heading and heading not in anchors(target.read_text(encoding="utf-8"))):
            lost.append(link)
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_option_in_a_command_of_a_page_is_one_of_that_command(page: Path) -> None:
    unknown = []
    for line in COMMAND.findall(TEXTS[page.name]):
        words = called(line)
        # What follows ``open`` is Streamlit's.
        if words and words != ("open",):
            given = {found[0] for word in shlex.split(line, comments=True) if (found := OPTION.match(word))}
            unknown += [f"{line}: {option}" for option in given - options(COMMANDS[words])]
    assert unknown == []


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_and_each_of_its_options_is_named_in_the_docs(words: tuple[str, ...]) -> None:
    text = "\n".join(TEXTS.values())
    assert f"microscope {' '.join(words)}" in text or (len(words) == 2 and f"`{words[1]}`" in text)
    named = set(OPTION.findall(text)) | {"--help"}
    # An option that can be turned off is named by either word.
    one_of = [{*one.opts, *one.secondary_opts} for one in COMMANDS[words].params]
    assert [sorted(each) for each in one_of if any(o.startswith("--") for o in each) and not each & named] == []
