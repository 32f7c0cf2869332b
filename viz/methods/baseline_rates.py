"""How often each uncertainty measure called right and wrong answers uncertain, as ``baseline_rates.yaml`` has it."""

from dataclasses import dataclass

from engine.methods.uncertainty import AnswerSet, Reading, SetWord
from viz.parts.data_files import read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineRate:
    """How many of the right and of the wrong answers a measure called uncertain."""

    right: int
    right_uncertain: int
    wrong: int
    wrong_uncertain: int

    @property
    def of_right(self) -> float:
        """The share of right answers that it called uncertain, in [0, 1]."""
        return self.right_uncertain / self.right

    @property
    def of_wrong(self) -> float:
        """The share of wrong answers that it called uncertain, in [0, 1]."""
        return self.wrong_uncertain / self.wrong


BASELINE_RATES: dict[SetWord, dict[str, BaselineRate]] = {
    word: {measure: BaselineRate(**rate) for measure, rate in measures.items()}
    for word, measures in read_table("methods/baseline_rates.yaml", dict[str, dict[str, dict[str, int]]]).items()
}


def rate_of(answers: AnswerSet, one: Reading) -> BaselineRate | None:
    """Return the rate of a reading's measure on such answers, None where it says nothing or was not measured."""
    if one.uncertain is None:
        return None
    return BASELINE_RATES.get(answers.word, {}).get(f"{one.measure}/{one.edges}")


def questions() -> str:
    """Return on how many questions the rates rest, in words: fewest and most of the sets of answers."""
    counts = sorted({max(one.right + one.wrong for one in rates.values()) for rates in BASELINE_RATES.values()})
    return f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
