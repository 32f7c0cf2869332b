"""A study as one table: a row a point, a column for every setting that varies, verdict and number.

Columns of numbers carry their address (``dense.entropy``), verdicts ``verdict.METHOD``, settings that vary their own
name (``k``). A setting that is a number too (``dense.temperature``) has one column: the value asked for, as a number.
What is missing was *not measured*: it is NaN, never 0. ``point`` numbers the rows as the store has them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pydantic_core

from engine.measures.checks import Floats
from engine.runs.studies.records import Number, Study, Variant
from engine.runs.studies.store import KeptPoint, StudyStore

VERDICT = "verdict."
TONE = "tone."
FACTS = ("number", "key", "question", "correct_answers", "answer", "memory", "state", "reason", "run", "seconds")


@dataclass(frozen=True, slots=True, eq=False)
class StudyTable:
    """A study, its points as a table, what the columns of numbers are called, and what stands in no column.

    ``entropies`` are the token entropies of each answer in nats, ``stepwise`` those of the step-by-step answer from
    memory; ``triggers`` by policy where in that each would look up. ``variants`` are the places of each row's settings
    in the plan, () where nothing varies.
    """

    study: Study
    frame: pd.DataFrame
    numbers: tuple[Number, ...]
    entropies: tuple[tuple[float, ...], ...]
    triggers: tuple[dict[str, tuple[float, ...]], ...]
    stepwise: tuple[tuple[float, ...], ...] = ()
    variants: tuple[int, ...] = ()

    @property
    def settings(self) -> tuple[str, ...]:
        """The names of the settings that vary."""
        return setting_names(self.study)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods asked for."""
        return self.study.plan.request.methods

    def has(self, *addresses: str) -> bool:
        """Return whether every one of these numbers was measured in at least one point."""
        return all(address in self.frame and self.frame[address].notna().any() for address in addresses)

    def values(self, address: str) -> Floats:
        """Return a column of numbers, NaN where not measured; all NaN for one that no point has."""
        if address not in self.frame:
            return np.full(len(self.frame), np.nan)
        column: Floats = self.frame[address].to_numpy(dtype=float)
        return column

    def of_variant(self, place: int) -> "StudyTable":
        """Return the points of one choice of settings, as a study in which nothing varies."""
        places = np.flatnonzero(np.array(self.variants or (place,) * len(self.frame)) == place)
        return StudyTable(
            replace(self.study, plan=replace(self.study.plan, variants=(Variant(),))),
            self.frame.iloc[places],
            self.numbers,
            tuple(self.entropies[at] for at in places),
            tuple(self.triggers[at] for at in places),
            tuple(self.stepwise[at] for at in places) if self.stepwise else (),
        )

    def number(self, address: str) -> Number:
        """Return what a column of numbers is called."""
        return next((one for one in self.numbers if one.address == address), Number(address=address, title=address))


def setting_names(study: Study) -> tuple[str, ...]:
    """Return the names of the settings that vary in a study."""
    options = study.plan.variants[0].options
    return tuple(option.partition("=")[0] for option in options)


def read_table(study: str, store: StudyStore | None = None) -> StudyTable:
    """Return a study as a table, by its id; ``store`` None is the one in the data folder. Raises RecordError."""
    opened = store or StudyStore()
    return table_of(opened.get(study), opened.kept_points(study), opened.numbers(study))


def table_of(study: Study, points: Sequence[KeptPoint], numbers: tuple[Number, ...]) -> StudyTable:
    """Return points as a table, in their order."""
    facts = pd.DataFrame([point_facts(one) for one in points], columns=list(FACTS))
    rows = [one.row for one in points]
    methods = study.plan.request.methods
    words = {
        f"{kind}{method}": [row.verdicts.get(method, ("", ""))[at] if row else "" for row in rows]
        for at, kind in enumerate((VERDICT, TONE))
        for method in methods
    }
    columns = {
        one.address: np.array(
            [np.nan if row is None or (v := row.numbers.get(one.address)) is None else v for row in rows], dtype=float
        )
        for one in numbers
    }
    settings = setting_columns(study, points, columns)
    frame = pd.concat([facts, pd.DataFrame({**settings, **words, **columns, **settings}, index=facts.index)], axis=1)
    return StudyTable(
        study,
        frame,
        numbers,
        tuple(row.entropies if row else () for row in rows),
        tuple(row.triggers if row else {} for row in rows),
        tuple(row.stepwise if row else () for row in rows),
        tuple(one.point.variant for one in points),
    )


def setting_columns(
    study: Study, points: Sequence[KeptPoint], numbers: Mapping[str, Floats]
) -> dict[str, list[str] | Floats]:
    """Return what each point was asked with, by setting: as a number where ``numbers`` has the setting, else as text.

    The value asked for, not the one found in the run: a point that failed or waits has the former alone.
    """
    options = [study.plan.variants[one.point.variant].options for one in points]
    found: dict[str, list[str] | Floats] = {}
    for at, name in enumerate(setting_names(study)):
        values = [option[at].partition("=")[2] for option in options]
        found[name] = np.array([float(value) for value in values]) if name in numbers else values
    return found


def point_facts(one: KeptPoint) -> dict[str, object]:
    """Return what is known of a point before any number."""
    return {
        "number": one.question.number,
        "key": one.question.key,
        "question": one.question.question,
        "correct_answers": " | ".join(one.question.golds),
        "answer": one.row.answer if one.row else "",
        "memory": one.row.memory if one.row else "",
        "state": one.point.state,
        "reason": one.point.reason,
        "run": one.point.run,
        "seconds": one.point.seconds,
    }


def setting_frame(table: StudyTable) -> pd.DataFrame:
    """Return the table as it is exported: every column but the tones of verdicts, which only a page needs."""
    return table.frame[[name for name in table.frame if not str(name).startswith(TONE)]]


def without_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return an exported table without questions and answers: for data whose texts may not be passed on."""
    return frame.drop(columns=["question", "correct_answers", "answer", "memory", "reason"])


def parquet_bytes(frame: pd.DataFrame) -> bytes:
    """Return a table as Parquet; ``pandas.read_parquet`` reads it with its types."""
    made: bytes = frame.to_parquet(index=False)
    return made


def json_lines(frame: pd.DataFrame) -> str:
    """Return a table as JSON, an object a row with every decimal; what was not measured is null.

    Infinity, which JSON has no number for, is the text "Infinity" or "-Infinity".
    """
    measured = frame.astype(object).where(frame.notna(), None)
    return pydantic_core.to_json(measured.to_dict("records"), indent=1, inf_nan_mode="strings").decode() + "\n"


def file_form(path: Path) -> str:
    """Return the form of an export by its name: "csv", "json", "parquet" or "html"; "" for another."""
    form = path.suffix.lower().removeprefix(".")
    return form if form in ("csv", "json", "parquet", "html") else ""
