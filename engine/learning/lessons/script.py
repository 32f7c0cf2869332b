"""A lesson's Markdown file as steps: prose and questions are written there, the run's numbers come from its facts.

A file opens with the lesson's title, question, papers and runs. Each ``##`` is a step: its sentences, a YAML block with
equation, exhibits, table and question, then ``###`` sections (Reveal, Working, Mistake, Notes). Texts are Jinja2
templates over the facts; ``value``, ``tolerance``, ``right``, ``also``, table columns and ``each`` are expressions.
A line ``for x in xs: template`` of Working stands for one line per item. The result is plain text: escape it.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from engine.core.words import closed, counted, listing, quoted, signed
from engine.diagnosis.record import Diagnosis
from engine.learning.content import PLAIN, render_plain
from engine.learning.lessons.base import Lesson, Need, Option, Part, Question, Slip, Step, amount


def decimals(values: Iterable[float], digits: int) -> list[str]:
    """Return numbers with so many decimals, for a column of a table."""
    return [f"{value:.{digits}f}" for value in values]


FOLDER = Path(__file__).parent / "texts"
TOOLS: dict[str, Any] = {
    "quoted": quoted, "closed": closed, "counted": counted, "signed": signed, "amount": amount, "listing": listing,
    "fmt": format, "ln": math.log, "abs": abs, "len": len, "sum": sum, "max": max,
    "decimals": decimals, "zip": zip,
}  # fmt: skip
REPEATED = re.compile(r"for (\w+) in (.+?): (.*)")
Facts = Mapping[str, Any]
Predicate = Callable[[Diagnosis], bool | None]


def lesson_from(word: str, facts: Callable[..., Facts], *shows: Sequence[Predicate], **numbers: float) -> Lesson:
    """Return the lesson of a file; ``facts`` is what is computed from its runs.

    ``shows`` are the predicates behind the needs of each part, in the order of the file; ``numbers`` are named in the
    words of the needs.
    """
    head, bodies = read_script(word)
    parts = tuple(part_from(part, predicates, numbers) for part, predicates in zip(head["parts"], shows, strict=True))
    texts = {name: head[name] for name in ("title", "asks", "papers", "minutes")}

    def build(*runs: Diagnosis) -> tuple[Step, ...]:
        values = {**TOOLS, **facts(*runs)}
        return tuple(step_from(body, values) for body in bodies)

    return Lesson(word=word, **texts, parts=parts, build=build, steps=len(bodies), recap=tuple(head.get("recap", ())))


def part_from(part: Facts, predicates: Sequence[Predicate], numbers: Facts) -> Part:
    """Return one part of a lesson: the runs it prefers, and what a run must show."""
    words = [render_plain(need, **numbers) for need in part["needs"]]
    needs = tuple(Need(words=one, holds=holds) for one, holds in zip(words, predicates, strict=True))
    return Part(needs=needs, prefers=tuple(part["runs"]))


@cache
def read_script(word: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the front matter of a lesson's file and the text of each step."""
    _, front, body = (FOLDER / f"{word}.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(front), tuple(re.split(r"^## ", body, flags=re.MULTILINE)[1:])


def step_from(body: str, values: Facts) -> Step:
    """Return one step of a file with its numbers filled in."""
    main, *sections = re.split(r"^### ", body, flags=re.MULTILINE)
    named = {name: text for name, _, text in (section.partition("\n") for section in sections)}
    block = re.search(r"```yaml\n(.*?)```\n", main, flags=re.DOTALL)
    settings = yaml.safe_load(block[1]) if block else {}
    title, _, text = main.replace(block[0] if block else "", "").partition("\n")
    return Step(
        title=title.strip(),
        text=paragraphs(text, values),
        part=settings.get("part", 0),
        equation=settings.get("equation", ""),
        shows=tuple(settings.get("shows", ())),
        then=tuple(settings.get("then", ())),
        table=table_from(settings, values),
        question=question_from(settings, values),
        reveal=paragraphs(named.get("Reveal", ""), values),
        working=working_lines(named.get("Working", ""), values),
        mistake=" ".join(paragraphs(named.get("Mistake", ""), values)),
        notes=" ".join(paragraphs(named.get("Notes", ""), values)),
    )


def table_from(settings: Facts, values: Facts) -> dict[str, list[Any]] | None:
    """Return a step's table, a list for each column; None where the step has none."""
    columns = settings.get("table")
    return columns and {name: list(evaluated(column, values)) for name, column in columns.items()}


def question_from(settings: Facts, values: Facts) -> Question | None:
    """Return the question of a step, None where it asks for no prediction."""
    for kind in ("number", "choice", "words"):
        if kind in settings:
            break
    else:
        return None
    text = render_plain(settings[kind], **values)
    if kind == "number":
        slips = tuple(
            Slip(value=float(evaluated(one["value"], values)), why=render_plain(one["why"], **values))
            for one in settings.get("slips", ())
        )
        value, tolerance = (float(evaluated(settings.get(name, 0.0), values)) for name in ("value", "tolerance"))
        unit = settings.get("unit", "")
        return Question(kind="number", text=text, value=value, tolerance=tolerance, unit=unit, slips=slips)
    items = evaluated(settings["each"], values) if "each" in settings else [None]
    options = tuple(
        Option(**{name: render_plain(one[name], **values, one=item, place=place) for name in ("text", "why")})
        for place, item in enumerate(items)
        for one in settings["options"]
    )
    right, also = evaluated(settings["right"], values), tuple(evaluated(settings.get("also", ()), values))
    return Question(kind="choice" if kind == "choice" else "words", text=text, options=options, right=right, also=also)


def evaluated(expression: Any, values: Facts) -> Any:
    """Return the value of an expression over the facts; what is no text is its own value."""
    if not isinstance(expression, str):
        return expression
    return PLAIN.compile_expression(expression, undefined_to_none=False)(**values)


def paragraphs(text: str, values: Facts) -> tuple[str, ...]:
    """Return each paragraph as one line with its numbers filled in; one that comes out empty is left out."""
    rendered = (render_plain(" ".join(one.split()), **values) for one in re.split(r"\n\s*\n", text.strip()))
    return tuple(one for one in rendered if one)


def working_lines(text: str, values: Facts) -> tuple[str, ...]:
    """Return the lines of arithmetic, a repeated one once for each item; an empty one is left out."""
    lines: list[str] = []
    for line in text.strip().splitlines():
        repeated = REPEATED.fullmatch(line)
        if repeated is None:
            lines.append(render_plain(line, **values))
        else:
            name, items, template = repeated.groups()
            lines += [render_plain(template, **{**values, name: item}) for item in evaluated(items, values)]
    return tuple(line for line in lines if line)
