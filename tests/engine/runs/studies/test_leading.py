"""Who leads in a view: only on common questions, and only by more than noise. Numbers are worked by hand."""

import numpy as np
import pytest

from engine.runs.studies.views.base import share, wrong_found
from engine.runs.studies.views.leading import Entrant, above_sentence, is_ahead, most_often_right, ranked, unranked
from tests.engine.runs.studies.test_views import made_table, view_named

NAN = float("nan")


def right(label: str, *values: float) -> Entrant:
    return Entrant(label=label, columns=(np.array(values),))


def policies(**rights: list[float]) -> dict[str, list[float]]:
    columns = {f"timing__runs__{word}__right": values for word, values in rights.items()}
    return columns | {name.replace("right", "exact"): values for name, values in columns.items()}


def test_a_policy_one_question_ahead_of_thirty_is_only_the_highest() -> None:
    table = made_table(**policies(once=[1, 0] + [0] * 28, dragin=[1, 1] + [0] * 28))
    found = view_named("timing_policies").measure(table).finding
    assert found.startswith("Highest share right: DRAGIN, 0.07") and found.endswith(
        "within noise of Once at the start."
    )


def test_a_policy_ahead_on_six_questions_and_behind_on_none_is_most_often_right() -> None:
    # Exact sign test of 6 against 0: p = 2 / 64 = 0.031. Of 5 against 0: 0.0625, which is noise.
    ahead = made_table(**policies(once=[0] * 10, dragin=[1] * 6 + [0] * 4))
    assert view_named("timing_policies").measure(ahead).finding.startswith("Most often right: DRAGIN, 0.60")
    noise = made_table(**policies(once=[0] * 10, dragin=[1] * 5 + [0] * 5))
    assert view_named("timing_policies").measure(noise).finding.startswith("Highest share right: DRAGIN, 0.50")


def test_policies_of_as_many_but_other_questions_are_ranked_on_those_they_share() -> None:
    table = made_table(**policies(once=[1, 1, 0, 0, NAN, NAN], dragin=[NAN, NAN, 0, 1, 1, 1]))
    found = view_named("timing_policies").measure(table)
    # Over all its four DRAGIN has 0.75, over the two that both answered 0.5.
    assert found.finding.startswith("Highest share right: DRAGIN, 0.50") and "n = 2)" in found.finding
    assert "Ranked on the 2 questions that all of them were measured on." in found.notes


def test_without_a_shared_question_nobody_leads() -> None:
    assert most_often_right([right("a", 1, NAN), right("b", NAN, 0)]) == ""
    assert ranked([]) == [] and most_often_right([]) == ""


@pytest.mark.parametrize(("other", "ahead"), [([0.0] * 6, True), ([0.0] * 5 + [1.0], False)])
def test_a_lead_of_shares_is_the_paired_one(other: list[float], ahead: bool) -> None:
    assert is_ahead(right("a", *[1.0] * 6), right("b", *other), share) is ahead


def test_a_measure_of_fewer_questions_is_not_called_the_highest() -> None:
    answers = np.array([1, 0] * 20, dtype=float)
    own = Entrant(label="DSE", columns=(answers, np.tile([0.1, 0.1, 0.5, 0.5], 10)))
    # Perfect where it was measured: on half of the questions.
    half = Entrant(label="U", columns=(answers, np.where(np.arange(40) < 20, 1 - answers, NAN)))
    assert above_sentence(own, [half], wrong_found) == ""
    assert unranked(own, [half]) == ("Not ranked, measured on fewer than 40 questions: U (20).",)


def test_a_higher_measure_is_said_to_be_above_only_beyond_noise() -> None:
    answers = np.array([1, 0] * 20, dtype=float)
    own = Entrant(label="DSE", columns=(answers, np.tile([0.1, 0.1, 0.5, 0.5], 10)))
    perfect = Entrant(label="U", columns=(answers, 1 - answers))
    assert above_sentence(own, [perfect], wrong_found).endswith("; above DSE by more than noise.")
    # One of 20 wrong answers moves from below half of the right ones into their upper half: AUROC 0.5 + 0.5 / 20.
    nearly = own.columns[1].copy()
    nearly[1] = 0.5
    told = above_sentence(own, [Entrant(label="V", columns=(answers, nearly))], wrong_found)
    assert told.startswith(" Highest: V, 0.53") and told.endswith("; within noise of DSE.")


def test_settings_are_ranked_on_the_questions_that_all_answered() -> None:
    assert [one.columns[0].tolist() for one in ranked([right("a", 1, 0, NAN), right("b", NAN, 1, 1)])] == [[0], [1]]
