"""The shipped configuration keeps to this machine and can be read in both modes."""

import tomllib
from pathlib import Path

import pytest

from viz.parts.theme import THEMES

CONFIG = tomllib.loads(
    (Path(__file__).resolve().parent.parent / ".streamlit" / "config.toml").read_text(encoding="utf-8")
)
CAPTION_OPACITY = 0.6  # how Streamlit 1.67 fades a caption


def channels(colour: str) -> tuple[float, ...]:
    """Return red, green and blue of a hex colour in [0, 1]."""
    return tuple(int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))


def faded(front: str, ground: str, opacity: float) -> tuple[float, ...]:
    """Return a colour drawn with an opacity on a ground."""
    return tuple(opacity * f + (1 - opacity) * g for f, g in zip(channels(front), channels(ground), strict=True))


def luminance(colour: tuple[float, ...]) -> float:
    """Return the relative luminance of WCAG 2, in [0, 1]."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Return the contrast of WCAG 2: 1 (none) to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_black_on_white_has_the_greatest_contrast() -> None:
    assert contrast(channels("#000000"), channels("#ffffff")) == pytest.approx(21.0)


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("ground", ["backgroundColor", "secondaryBackgroundColor"])
def test_every_text_colour_and_captions_reach_four_and_a_half_to_one(mode: str, ground: str) -> None:
    colours = CONFIG["theme"][mode]
    on = colours[ground]
    texts = {
        name: colours[name] for name in colours if name in ("textColor", "linkColor") or name.endswith("TextColor")
    }
    ratios = {name: contrast(channels(colour), channels(on)) for name, colour in texts.items()}
    ratios["caption"] = contrast(faded(colours["textColor"], on, CAPTION_OPACITY), channels(on))
    assert {name: ratio for name, ratio in ratios.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_figures_and_pages_share_their_ground_and_their_blue(mode: str) -> None:
    colours, theme = CONFIG["theme"][mode], THEMES[mode]
    assert (colours["backgroundColor"], colours["secondaryBackgroundColor"]) == (theme.page, theme.panel)
    assert colours["primaryColor"] == theme.model


def test_nothing_is_sent_and_nobody_else_is_let_in_by_default() -> None:
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["server"]["address"] == "localhost"
    assert CONFIG["client"]["showErrorLinks"] is False
    assert "http" not in str(CONFIG["theme"])
