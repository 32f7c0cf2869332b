"""Settings outside the limits of their types are refused with field, limits and value."""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import pytest
from pydantic import Field

from engine.core.errors import InputError
from engine.core.settings import FiniteFloat, Positive, UpTo20, check_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One field of each kind."""

    rounds: UpTo20 = 3
    most_tokens: Positive | None = None
    alpha: FiniteFloat = 1.0
    level: Annotated[float, Field(gt=0, lt=1)] = 0.5
    rule: Literal["all", "none"] = "all"


def test_settings_within_their_limits_pass() -> None:
    for settings in (Settings(), Settings(rounds=20, most_tokens=1, alpha=-7.5, level=0.99, rule="none")):
        check_settings(settings, "ETC")


def test_a_breach_names_owner_field_limits_and_value() -> None:
    breaches = {
        "rounds": (21, "1.* 20.* 21"),
        "most_tokens": (0, "1.* 0"),
        "alpha": (math.nan, "finite.* nan"),
        "level": (math.nan, "0.* 1.* nan"),
        "rule": ("some", "all.*none.*some"),
    }
    for name, (value, words) in breaches.items():
        with pytest.raises(InputError, match=f"ETC: {name.replace('_', ' ')} .*{words}"):
            check_settings(replace(Settings(), **{name: value}), "ETC")  # type: ignore[arg-type]
