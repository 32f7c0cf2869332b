"""What commands print: every line of it, and a diagnosis as its answer and one line per method."""

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

import typer

from engine.core.errors import StorageError
from engine.core.progress import BatchHalved, Event, FilesRead, Stage
from engine.core.words import left_text, reveal
from engine.diagnosis.record import Diagnosis, Outcome
from engine.measures.answer_marks import JudgedMark
from engine.methods import method_title
from engine.runs.corpora.indexing import Pace

EVERY_SECONDS = 5.0


def say(text: str, *, err: bool = False) -> None:
    """Print lines. What a model, a passage or a file's name could do to a terminal stands there as a sign.

    Raises StorageError where the output cannot be written; a reader that has left ends the command, as in any pipe.
    """
    try:
        typer.echo(reveal(text), err=err)
    except BrokenPipeError:
        raise
    except OSError as exc:
        forget_rest(sys.stderr if err else sys.stdout)
        raise StorageError(f"The output could not be written: {exc.strerror}.") from exc


def forget_rest(stream: TextIO) -> None:
    """Let what a stream could not write go nowhere: the end of the program would try again and end with its own status.

    A stream that is no file is left as it is.
    """
    with suppress(OSError, ValueError), open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), stream.fileno())


def summary(diagnosis: Diagnosis) -> str:
    """Return the answer and one line per method."""
    from viz.runs.headline import headline
    from viz.runs.summary import matches_of

    reading, memory = matches_of(diagnosis)
    lines = [
        f"Question      {diagnosis.question}",
        f"What happened {headline(diagnosis).sentence}",
        f"Answer        {answer_line(diagnosis.answer.text, reading)}",
        f"Closed-book   {answer_line(diagnosis.closed_book.text, memory)}",
    ]
    lines += [f"{method_title(outcome.method):<13} {verdict_line(outcome)}" for outcome in diagnosis.outcomes]
    lines += [f"{method_title(word)}: {why}" for word, why in diagnosis.provenance.papers_kept]
    lines += [note] if (note := diagnosis.provenance.memory_note) else []
    return "\n".join(lines)


def answer_line(text: str, match: JudgedMark | None) -> str:
    """Return an answer, and where a correct one is known whether it is right, as the pages judge it."""
    from viz.runs.summary import MATCH_WORDS

    said = text.strip() or "(empty)"
    return said if match is None else f"{said}\n{'':<13} {MATCH_WORDS[match][0]}"


def verdict_line(outcome: Outcome) -> str:
    """Return a method's verdict in words, or why there is none."""
    from viz.runs.summary import verdict_of

    verdict = verdict_of(outcome)
    return f"{verdict.word}. {verdict.sentence}"


class StageLines:
    """A reporter that prints a stage when it begins, and every few seconds of a long one how far it is."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._stage = ("", "")
        self._pace = Pace(clock)
        self._said_at = 0.0

    def __call__(self, event: Event) -> None:
        """Print what an event tells."""
        if isinstance(event, Stage):
            self._tell_stage(event)
        if isinstance(event, BatchHalved):
            most = f"at most {event.rows} {event.unit} at once from now on"
            say(f"  {event.model}: memory ran out; {most}", err=True)
        if isinstance(event, FilesRead):
            for file in event.files:
                for note in file.notes:
                    say(f"  {file.name}: {note}" if file.read else f"  skipped: {note}", err=True)

    def _tell_stage(self, stage: Stage) -> None:
        named = f"  {method_title(stage.method)}: {stage.name}"
        if stage.done == 0:
            say(named, err=True)
        if stage.done == 0 or self._stage != (stage.method, stage.name):
            self._stage, self._pace, self._said_at = (stage.method, stage.name), Pace(self._clock), self._clock()
        self._pace.see(stage.name, stage.done)
        if 0 < stage.done < stage.total and self._clock() - self._said_at >= EVERY_SECONDS:
            self._said_at = self._clock()
            left = self._pace.seconds_left(stage.total)
            rest = "" if left is None else f", {left_text(left)}"
            say(f"{named}, {stage.done:,} of {stage.total:,}{rest}", err=True)


tell = StageLines()
