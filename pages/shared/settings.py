"""A method's settings as boxes to fill in. Kind, choices and bounds of a box are those of its field in the config.

Its words stand in ``pages/text/settings``: a JSON file for each method, with groups of boxes under their headings.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

import streamlit as st
from pydantic import TypeAdapter

from pages.shared import session
from pages.shared.sent_values import one_of
from pages.shared.texts import FOLDER
from pages.shared.theme import as_text

Config = TypeVar("Config", bound=Any)
Choice = TypeVar("Choice")
Place = TypeVar("Place", float, tuple[float, float])


@dataclass(frozen=True, slots=True)
class Box:
    """One setting: its name in the config, its label, what its choices are called.

    ``limits`` are narrower than the config's. A number may be a ``slider``, a text may have ``suggestions``. ``key``
    ends the widget's key, "" is the setting's name. ``needs`` names a switch above without which the box is greyed out.
    """

    setting: str
    label: str
    help: str | None = None
    names: dict[str, str] = field(default_factory=dict)
    limits: tuple[float, float] | None = None
    step: float | None = None
    slider: bool = False
    key: str = ""
    needs: str = ""
    suggestions: tuple[str, ...] = ()
    placeholder: str | None = None


@cache
def settings_of(method: str) -> dict[str, tuple[Box, ...]]:
    """Return the boxes of a method's settings by their heading."""
    text = (FOLDER / "settings" / f"{method}.json").read_bytes()
    return TypeAdapter(dict[str, tuple[Box, ...]]).validate_json(text)


def schema_of(config: Any) -> dict[str, dict[str, Any]]:
    """Return the JSON schema of each field of a config; of one that may be None, that of its other type and "empty"."""
    return fields_of(type(config))  # type: ignore[arg-type]  # a class is hashable, which mypy does not see


@cache
def fields_of(kind: type) -> dict[str, dict[str, Any]]:
    """Return ``schema_of`` a kind of config, worked out once: it takes up to a tenth of a second, on every drawing."""
    fields = TypeAdapter(kind).json_schema()["properties"]
    return {name: {**one.get("anyOf", [one])[0], "empty": "anyOf" in one} for name, one in fields.items()}


def draw_settings(
    config: Config,
    boxes: Sequence[Box],
    key: Callable[[str], str],
    names: Mapping[str, Mapping[Any, str]] | None = None,
) -> Config:
    """Draw the boxes, filled from the config; return the config as the reader left it.

    ``key`` makes a widget's key of a name. ``names`` are what the choices of a field are called where the page knows.
    """
    schema = schema_of(config)
    for box in boxes:
        called = (names or {}).get(box.setting, box.names)
        off = bool(box.needs) and not getattr(config, box.needs)
        value = drawn_value(box, getattr(config, box.setting), schema[box.setting], called, key, off)
        config = replace(config, **{box.setting: value})
    return config


def drawn_value(
    box: Box, now: Any, schema: Mapping[str, Any], names: Mapping[Any, str], key: Callable[[str], str], off: bool
) -> object:
    """Return what stands in a box after drawing it; ``now`` fills it at first."""
    bounds = box.limits or (schema.get("minimum"), schema.get("maximum"))
    number = int if schema["type"] == "integer" else float
    low, high = (None if limit is None else number(limit) for limit in bounds)
    if schema["type"] in ("integer", "number") and now is not None:
        now = number(now if low is None or high is None else min(max(now, low), high))
    common: dict[str, Any] = {"key": session.widget_key(key(box.key or box.setting), now), "disabled": off}
    common["help"] = box.help
    if schema["type"] == "boolean":
        return st.checkbox(box.label, **common)
    if "enum" in schema:
        picked = st.selectbox(box.label, schema["enum"], format_func=lambda name: names.get(name, name), **common)
        return one_of(picked, schema["enum"], now)
    if box.suggestions:
        choices = tuple(dict.fromkeys((*box.suggestions, now)))
        common["format_func"] = lambda name: names.get(name, name)
        return (st.selectbox(box.label, choices, accept_new_options=True, **common) or box.suggestions[0]).strip()
    if schema["type"] == "string":
        return st.text_input(box.label, placeholder=box.placeholder, **common).strip()
    step = None if box.step is None else number(box.step)
    if box.slider:
        return st.slider(box.label, low, high, step=step, **common)
    # None as the default: an emptied box would come back as any other.
    typed = st.number_input(box.label, low, high, None, step, **common)
    return now if typed is None and not schema["empty"] else typed


def draw_choice(label: str, names: Mapping[Choice, str], key: str, first: Choice, **options: Any) -> Choice:
    """Return which of the names is chosen, after drawing them as buttons in a row; ``first`` is chosen at first."""
    picked = st.segmented_control(
        label,
        list(names),
        format_func=lambda name: names.get(name, str(name)),
        key=session.widget_key(key, first),
        required=True,
        **options,
    )
    return one_of(picked, tuple(names), first)


def draw_threshold_slider(label: str, span: tuple[float, float], start: Place, key: str) -> Place:
    """Return where one threshold or a pair of them stands on its slider, which replays what is stored."""
    words = "Replays the stored numbers; no model runs."
    return st.slider(as_text(label), *span, start, step=0.05, format="%.2f", key=key, help=words)  # type: ignore[no-any-return]
