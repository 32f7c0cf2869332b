"""The theme's colours can be read in both modes, on a projector, and with any colour vision."""

from itertools import combinations

import pytest

from tests.viz.colour_vision import VISIONS, contrast, distance
from viz.parts.theme import THEMES, hatched

MEANINGFUL = ("good", "middle", "bad", "unknown", "gold", "model", "accent")


def test_the_formulas_give_what_is_published() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert distance("#ffffff", "#000000", "typical") == pytest.approx(100.0, abs=0.01)
    assert distance("#ff0000", "#00ff00", "typical") == pytest.approx(170.6, abs=0.2)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_colour_reads_as_text_on_the_page_and_on_a_panel(mode: str) -> None:
    theme = THEMES[mode]
    ratios = {
        f"{name} on {ground}": contrast(getattr(theme, name), getattr(theme, ground))
        for name in ("text", "muted", *MEANINGFUL)
        for ground in ("page", "panel")
    }
    assert {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_edge_of_a_box_to_type_in_is_seen_on_a_projector(mode: str) -> None:
    theme = THEMES[mode]
    assert min(contrast(theme.edge, theme.page), contrast(theme.edge, theme.panel)) >= 3.0


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_no_two_colours_with_a_meaning_fall_together_for_any_colour_vision(mode: str, vision: str) -> None:
    theme = THEMES[mode]
    apart = {
        (one, other): distance(getattr(theme, one), getattr(theme, other), vision)
        for one, other in combinations(MEANINGFUL, 2)
    }
    # Six times what is just seen side by side: these stand apart from each other, one in a legend.
    assert {pair: round(far, 1) for pair, far in apart.items() if far < 13.8} == {}


def test_two_hatches_of_one_colour_differ() -> None:
    theme = THEMES["light"]
    assert hatched(theme.model, "/", theme)["pattern"] != hatched(theme.model, "", theme)["pattern"]
    assert hatched(theme.model, "/", theme)["color"] == theme.model
