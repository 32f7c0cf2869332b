"""A lesson cut into slides, one idea a screen: vote, reveal and sums of each step, with a title and a recap around.

A slide is named by its step (from 1) and its place in that step (from 1), so that a link to a step keeps its meaning.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.learning.lessons.base import Step

Kind = Literal["title", "idea", "vote", "reveal", "sums", "recap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slide:
    """One screen of a lesson: what it is, its step and its place in that step, both from 1; ``last`` ends the step."""

    kind: Kind
    step: int
    place: int
    last: bool = False

    @property
    def after_vote(self) -> bool:
        """Whether the slide tells what the step's question asks."""
        return self.kind in ("reveal", "sums")


def slides_of(steps: Sequence[Step]) -> tuple[Slide, ...]:
    """Return a lesson's slides in the order they are shown: its title, those of each step, the recap.

    >>> [slide.kind for slide in slides_of([Step(title="One", text=("An idea.",))])]
    ['title', 'idea', 'recap']
    """
    found: list[Slide] = []
    for number, step in enumerate(steps, 1):
        kinds: list[Kind] = ["title"] if number == 1 else []
        kinds += kinds_of(step)
        last = len(kinds)
        kinds += ["recap"] if number == len(steps) else []
        found += [Slide(kind=kind, step=number, place=place, last=place == last) for place, kind in enumerate(kinds, 1)]
    return tuple(found)


def kinds_of(step: Step) -> list[Kind]:
    """Return what the slides of one step are: its idea alone, or the vote, the reveal and, apart from it, the sums."""
    if step.question is None:
        return ["idea"]
    return ["vote", "reveal", "sums"] if has_own_sums(step) else ["vote", "reveal"]


def has_own_sums(step: Step) -> bool:
    """Return whether a step's arithmetic has a slide of its own: where the reveal shows a picture."""
    return bool(step.working) and bool(step.then)


def slide_at(slides: Sequence[Slide], step: int, place: int) -> int:
    """Return the index of a step's slide; of its nearest where the place is beyond it."""
    own = [index for index, slide in enumerate(slides) if slide.step == step]
    return own[min(max(place, 1), len(own)) - 1]


def vote_before(slides: Sequence[Slide], index: int) -> int:
    """Return the index of the vote a slide's step asks for, the slide's own where its step has none."""
    step = slides[index].step
    return next((at for at, slide in enumerate(slides) if (slide.step, slide.kind) == (step, "vote")), index)


def after_step(slides: Sequence[Slide], index: int) -> int:
    """Return the index of the first slide behind a slide's step, the last of all where there is none."""
    step = slides[index].step
    later = (at for at, slide in enumerate(slides) if slide.step > step or slide.kind == "recap")
    return next((at for at in later if at > index), len(slides) - 1)
