"""What SePer's and ETC's views say of their numbers: signs, kinds of passages, places and findings, worked by hand."""

import numpy as np
import pytest

from engine.runs.studies.views.seper import CHANGES, ONE_SIDED
from tests.engine.runs.studies.test_views import made_table, values, view_named

NAN = float("nan")


def changed(soft: list[float], hard: list[float], useful: list[float], without: list[float]) -> dict[str, list[float]]:
    """Return the columns of questions whose beliefs change by this much, from a soft belief of 0."""
    after = [one + change for one, change in zip(without, hard, strict=True)]
    return {
        "seper__delta_soft": soft,
        "seper__delta_hard": hard,
        "seper__without__soft": [0.0] * len(soft),
        "seper__with_passages__soft": soft,
        "seper__without__hard": without,
        "seper__with_passages__hard": after,
        "passages__hold": [1.0] * len(soft),
        "passages__utility": useful,
    }


def test_perplexity_and_entropy_fall_where_passages_are_useful_and_all_else_rises() -> None:
    falling = {f"seper.with_passages.{name}" for name in ("samples.perplexity", "samples.entropy", "entropy")}
    assert {after for _, after, _, sign in CHANGES if sign == -1} == falling
    assert {sign for _, after, _, sign in CHANGES if after not in falling} == {1}


def test_the_finding_on_utility_is_of_unknown_questions_and_names_a_change_that_follows_closer() -> None:
    # Unknown: the first three. Soft over utilities 0, ½, 1: 0.15 / sqrt(0.5 · 0.12667) = 0.60; hard: r = 1.
    columns = changed([0.0, 0.5, 0.3, 0.0], [0.0, 0.25, 0.5, -0.5], [0.0, 0.5, 1.0, 1.0], [0.0, 0.25, 0.49, 0.5])
    found = view_named("seper_utility").measure(made_table(**columns))
    assert values(found, "unknown questions")["ΔSePer, soft"] == pytest.approx(0.59604, abs=1e-5)
    assert found.finding.startswith("ΔSePer, soft: r = 0.60 (") and "n = 3) of unknown questions." in found.finding
    assert " Highest: ΔSePer, hard, 1.00 (" in found.finding
    assert {one.n for one in found.marks if one.series == "all questions"} == {4}
    told = "Known utility: what the file of questions marks as useful; above 0 in 2 of 3 unknown questions."
    assert found.notes[0] == told and ONE_SIDED not in found.notes


@pytest.mark.parametrize(("alike", "sided"), [(4, False), (5, True)])
def test_r_is_called_one_sided_where_more_than_four_in_five_utilities_are_alike(alike: int, sided: bool) -> None:
    size = alike + 1
    rising = [0.1 * at for at in range(size)]
    columns = changed(rising, rising, [1.0] * alike + [0.0], [0.0] * size)
    found = view_named("seper_utility").measure(made_table(**columns))
    assert (found.notes[0] == ONE_SIDED) == sided and "Highest" not in found.finding


def test_an_r_of_soft_change_that_is_not_defined_is_called_that_whatever_others_have() -> None:
    columns = changed([0.2] * 3, [0.1, 0.2, 0.3], [0.0, 0.5, 1.0], [0.0] * 3)
    found = view_named("seper_utility").measure(made_table(**columns))
    assert found.finding.startswith("r of ΔSePer, soft, is not defined: ")
    assert values(found, "unknown questions") == {"ΔSePer, soft": None, "ΔSePer, hard": 1.0}
    assert found.notes[1].startswith("Unknown: ") and found.notes[2].startswith("The paper's passages ")


def test_each_belief_is_a_point_by_what_its_passages_are_known_to_be() -> None:
    columns = changed([0.4, 0.5, 0.1, 0.0, NAN], [0.0] * 5, [1.0, 0.5, 0.0, NAN, 1.0], [0.0] * 5)
    found = view_named("seper_belief").measure(made_table(**columns))
    kinds = ["useful passages", "partly useful", "no useful passage", "not known"]
    assert [(one.series, one.x, one.value, one.n, one.run) for one in found.marks] == [
        (kind, 0.0, value, 1, f"r{at}")
        for at, (kind, value) in enumerate(zip(kinds, (0.4, 0.5, 0.1, 0.0), strict=True))
    ]
    assert found.finding == "Belief in the correct answer rises with the passages in 3 of 4."


def test_the_mean_change_is_told_of_useful_and_of_other_passages() -> None:
    columns = changed([0.4, 0.2, -0.1, 0.7], [0.5, 0.5, 0.0, 0.7], [1.0, 0.5, 0.0, NAN], [0.0] * 4)
    found = view_named("seper_change").measure(made_table(**columns))
    assert values(found, "soft") == {"useful passages": 0.3, "no useful passage": -0.1}
    assert values(found, "hard") == {"useful passages": 0.5, "no useful passage": 0.0}
    # Of two values the bootstrap's ends are the values themselves; one value has none.
    assert found.finding == (
        "ΔSePer, soft: useful passages 0.30 (0.20 to 0.40, n = 2), no useful passage −0.10 (n = 1)."
    )


def test_the_two_settings_least_alike_are_named() -> None:
    # seed=0 rises by 0.1, seed=1 by 0.3 and 0.1, seed=2 falls by 0.1; a fourth is constant, so that no r is defined.
    beliefs = [0.1, 0.1, 0.3, 0.5, 0.2, 0.4, 0.2, 0.5, 0.3, 0.5, 0.1, 0.5]
    found = view_named("seper_agreement").measure(made_table(("seed=0,1,2,3",), seper__with_passages__soft=beliefs))
    assert found.finding.startswith("Least alike: seed=0 and seed=2, r = −1.00 (n = 3).")
    known = {(one.series, one.label): (one.value, one.x) for one in found.marks}
    # r of seed=0 and seed=1: 0.04 / sqrt(0.02 · 0.08667).
    assert known["seed=0", "seed=3"] == (None, 3.0) and known["seed=1", "seed=0"][0] == 0.960769
    alone = view_named("seper_agreement").measure(made_table(("seed=0,1",), seper__with_passages__soft=[0.1] * 6))
    assert alone.marks == () and alone.missing


@pytest.mark.parametrize(("settings", "ready"), [(1, False), (2, True), (12, True), (13, False)])
def test_two_to_twelve_settings_are_compared(settings: int, ready: bool) -> None:
    vary = (f"seed={','.join(map(str, range(settings)))}",)
    table = made_table(vary, seper__with_passages__soft=[0.5] * settings)
    assert view_named("seper_agreement").ready(table) is ready


def test_first_lookups_are_counted_by_tenths_of_the_answer_policies_first_and_others_behind() -> None:
    triggers = [
        {"own": (0.3,), "entropy_trend": (0.29,), "dragin": ()},
        {"own": (), "entropy_trend": (0.5, 0.1), "dragin": (1.0,)},
        {"entropy_trend": ()},
    ]
    found = view_named("timing_places").measure(made_table(answer__tokens=[3, 3, 3], triggers=triggers))
    told = [(one.series, one.label, one.value, one.n) for one in found.marks if one.value]
    third = pytest.approx(1 / 3)
    assert told == [
        ("ETC", "10–20", third, 3),
        ("ETC", "20–30", third, 3),
        ("ETC", "never", third, 3),
        ("DRAGIN", "90–100", 0.5, 2),
        ("DRAGIN", "never", 0.5, 2),
        ("own", "30–40", 0.5, 2),
        ("own", "never", 0.5, 2),
    ]
    assert [one.x for one in found.marks if one.series == "own"] == [float(at) for at in range(11)]
    # ETC: the middle of 0.29 and 0.1; DRAGIN looks up at the last token.
    assert found.finding == "Median place of the first lookup: ETC at 20 % (n = 2), DRAGIN at 100 % (n = 1)."


def test_the_finding_on_entropy_names_the_highest_position_of_each_kind_of_answer() -> None:
    rows = [(0.5, 2.0), (0.5, 2.0), (0.5, 2.0), (0.5, 2.0), (0.5, 2.0)]
    found = view_named("entropy_positions").measure(made_table(answer__tokens=[2] * 5, entropies=rows))
    assert [(one.label, one.x, one.value) for one in found.marks] == [("token 1", 1.0, 0.5), ("token 2", 2.0, 2.0)]
    assert found.finding.startswith("Highest mean entropy: short answer over the passages, token 2, 2.00 (")


def test_lookups_of_the_paper_stand_beside_those_of_the_same_policies() -> None:
    runs = {f"timing__runs__entropy_trend__{name}": [1.0, 0.0] for name in ("exact", "right", "lookups")}
    found = view_named("timing_policies").measure(made_table(**runs))
    papers = [(one.series, one.label, one.value) for one in found.marks if one.paper]
    assert papers == [("lookups", "ETC", 1.29), ("lookups", "DRAGIN", 3.31), ("lookups", "FLARE", 1.59)]
    silent = made_table(timing__runs__entropy_trend__exact=[1.0], timing__runs__entropy_trend__right=[np.nan])
    assert view_named("timing_policies").measure(silent).finding == "No policy wrote an answer."
