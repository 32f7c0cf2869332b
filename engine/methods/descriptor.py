"""What a method is: one frozen record beside its code, from which every list, form and reader is derived."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.backends.language_models.base import Capabilities
from engine.methods.base import Foreseen, nothing_foreseen
from engine.methods.cost import Load, Plan
from engine.methods.reach import Reach
from engine.methods.threshold import Threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One method: its names, its record types, and its functions.

    ``word`` names its module, its page, its outcome, and the field of its ``config`` in ``DiagnosisRequest``.
    ``run(case, config, backends)`` returns a ``result``, whose field ``method`` holds the word.
    ``foresees`` returns the requests it is sure to make, ``needs`` how far it goes with a model, ``load`` its cost.
    ``fits`` says whether what a stored result points to is there. ``settings`` reads the config off a result, None
    where it names none; ``sampling`` does so for SePer's settings, where a method uses its samples. ``headlines``
    returns the addresses, inside the result, of the numbers its page is about, most telling first. ``icon`` is a
    Material name.
    """

    word: str
    title: str
    question: str
    paper: str
    icon: str
    config: type
    result: type
    run: Callable[..., Any]
    needs: Callable[[Capabilities], Reach]
    load: Callable[[Any, Plan], Load]
    headlines: Callable[[Any], tuple[str, ...]]
    thresholds: tuple[Threshold, ...] = ()
    foresees: Callable[..., Foreseen] = nothing_foreseen
    fits: Callable[[Any], bool] = lambda result: True
    settings: Callable[[Any], object | None] = lambda result: None
    sampling: Callable[[Any], object | None] = lambda result: None
