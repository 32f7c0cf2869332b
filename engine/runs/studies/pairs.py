"""Two studies side by side, or two variants of one: the same questions in pairs, and what the differences are.

Pairs stand on the same entry of the same file of questions. Of two files they stand on the same question with the same
correct answers; there, a question asked over several passages counts once. A mean difference carries its bootstrap
interval over questions; right against wrong carries the exact two-sided sign test of the questions that changed, and
an interval that agrees with it (``engine.measures.paired_shares``).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from engine.measures.levels import changes
from engine.measures.paired_shares import paired_share_interval, sign_test
from engine.measures.resampling import bootstrap_interval
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import REPEATS, mean

JOIN = ["question", "correct_answers"]
# Six pairs that all differ one way are rare enough to be beyond noise at 5%, five are not.
FEWEST_PAIRS = 6
HEADLINES = (
    "answer.right",
    "answer.exact",
    "answer.f1",
    "memory.right",
    "answer.logprob",
    "dense.entropy",
    "dense.share",
    "seper.delta_soft",
    "seper.with_passages.soft",
    "seper.with_passages.entropy",
    "sugar.steps",
    "sugar.answer.right",
    "quco_rag.unsupported",
    "run.seconds",
)


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One side of a comparison: a study and the place of its variant, None for all of its points."""

    table: StudyTable
    variant: int | None = None

    @property
    def frame(self) -> pd.DataFrame:
        """The rows of this side."""
        return (self.table if self.variant is None else self.table.of_variant(self.variant)).frame

    @property
    def label(self) -> str:
        """What this side is called."""
        variants = self.table.study.plan.variants
        chosen = variants[self.variant].label if self.variant is not None else ""
        return f"{self.table.study.plan.name}{f' · {chosen}' if chosen else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One number on both sides: means, the mean of B minus A with its 95 % interval, and the number of pairs.

    The interval is None below six pairs, or for a share below two. ``spread`` is the standard deviation of the
    differences over questions, None for one pair. ``p`` is that of the exact sign test where both sides are 0 or 1,
    None for other numbers.
    """

    address: str
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    n: int
    spread: float | None = None
    p: float | None = None

    @property
    def beyond_noise(self) -> bool:
        """Whether there is an interval and it leaves out 0; that of a share does where the sign test says so at 5 %."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """How many answers are right on both sides, on one, on none; ``p`` of the sign test, 1 where none changed."""

    both: int
    only_first: int
    only_second: int
    neither: int
    p: float


def paired(first: Side, second: Side) -> pd.DataFrame:
    """Return the questions that both sides asked, a row each, with columns "… A" and "… B"; first occurrence each.

    A number that one side lacks altogether, since every point of it failed, is NaN there.
    """
    join = joined_on(first, second)
    columns = list(dict.fromkeys((*first.frame, *second.frame)))
    frames = [
        side.frame[side.frame["state"] != "waiting"].drop_duplicates(join).reindex(columns=columns)
        for side in (first, second)
    ]
    return frames[0].merge(frames[1], on=join, suffixes=(" A", " B"), how="inner", validate="one_to_one")


def joined_on(first: Side, second: Side) -> list[str]:
    """Return the columns that are alike in both rows of a pair."""
    one_file = first.table.study.plan.questions_hash == second.table.study.plan.questions_hash
    return ["number", *JOIN] if one_file else JOIN


def share_questions(first: Side, second: Side) -> bool:
    """Return whether two sides have a question in common, asked by now or not."""
    join = joined_on(first, second)
    return not first.frame[join].merge(second.frame[join], on=join).empty


def differences(pairs: pd.DataFrame) -> tuple[Difference, ...]:
    """Return the paired difference of each headline number that both sides measured."""
    found = []
    for address in HEADLINES:
        if f"{address} A" in pairs:
            a, b = (pairs[f"{address} {name}"].to_numpy(dtype=float) for name in "AB")
            whole = np.isfinite(a) & np.isfinite(b)
            if whole.any():
                found.append(difference(address, a[whole], b[whole]))
    return tuple(found)


def difference(address: str, a: np.ndarray, b: np.ndarray) -> Difference:
    """Return the paired difference of one number, given its values on both sides, at least one.

    Values that differ by rounding do not differ: a sum over the same passages in another order is the same sum.
    """
    change, n = changes(a, b), len(a)
    shares = bool(np.isin([a, b], (0, 1)).all())
    up, down = int((change > 0).sum()), int((change < 0).sum())
    low = high = None
    if shares and n > 1:
        low, high = paired_share_interval(up, down, n)
    elif not shares and n >= FEWEST_PAIRS:
        low, high = bootstrap_interval(mean, change, repeats=REPEATS)
    return Difference(
        address=address,
        first=float(a.mean()),
        second=float(b.mean()),
        difference=float(change.mean()),
        low=low,
        high=high,
        n=n,
        spread=float(change.std(ddof=1)) if n > 1 else None,
        p=sign_test(up, down) if shares else None,
    )


def changed(pairs: pd.DataFrame) -> Changed | None:
    """Return how right and wrong changed; None where no question has a judged answer on both sides."""
    if "answer.right A" not in pairs:
        return None
    judged = pairs[["answer.right A", "answer.right B"]].dropna()
    if judged.empty:
        return None
    a, b = judged["answer.right A"] == 1, judged["answer.right B"] == 1
    only_first, only_second = int((a & ~b).sum()), int((~a & b).sum())
    return Changed(
        both=int((a & b).sum()),
        only_first=only_first,
        only_second=only_second,
        neither=int((~a & ~b).sum()),
        p=sign_test(only_second, only_first),
    )
