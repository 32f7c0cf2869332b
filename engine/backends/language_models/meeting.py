"""Runs that go side by side and meet at the model: what all of them ask for is computed as one batch.

Each run has a thread of its own, and one moves at a time: a run holds the turn until it asks the model, and gives it up
while it waits. When all wait, their requests are joined. So nothing but the model sees several questions at once, and
no other backend need be safe for threads. A batch costs less than its parts where the parts are small: steps of few
rows wait for the weights, and a server has room for more. The numbers of a joined batch may differ from those of its
parts in the last bits, as those of any other batch do.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from engine.backends.language_models.base import Capabilities, LanguageModel, ModelIdentity, Request
from engine.core.errors import Cancelled
from engine.core.progress import Event, Report, TokensDecoded
from engine.core.records import Generation, Prompt

Outcome = TypeVar("Outcome")
Input = TypeVar("Input")
Compute = Callable[[list[Input], Report], Sequence[Outcome]]


@dataclass(slots=True, eq=False)
class Call(Generic[Input, Outcome]):
    """What one run asks for. ``key`` names what may be joined with it; ``found`` is None until it was computed.

    ``alone``: it could not be computed with the others, so its own run computes it, and meets its own error.
    """

    place: int
    key: tuple[object, ...]
    inputs: list[Input]
    compute: Compute[Input, Outcome]
    report: Report
    found: list[Outcome] | None = None
    alone: bool = False


@dataclass(eq=False)
class Meeting:
    """The place where runs meet: ``inside`` of them go side by side; ``joined`` has the calls of each batch."""

    inside: int = 0
    joined: list[int] = field(default_factory=list)
    waiting: list[Call[Any, Any]] = field(default_factory=list)
    turn: threading.Condition = field(default_factory=threading.Condition)

    def run(self, work: Callable[[], Outcome]) -> Outcome:
        """Return what a run that was counted in comes to; ``inside`` is one less then."""
        with self.turn:
            try:
                return work()
            finally:
                self.inside -= 1
                self.turn.notify_all()

    def ask(
        self,
        place: int,
        key: tuple[object, ...],
        inputs: Sequence[Input],
        compute: Compute[Input, Outcome],
        report: Report,
    ) -> list[Outcome]:
        """Return what ``compute`` makes of each input, computed with what others ask for under the same key.

        Raises what ``compute`` raises for these inputs alone.
        """
        call = Call(place, key, list(inputs), compute, report)
        self.waiting.append(call)
        while call.found is None and not call.alone:
            if len(self.waiting) == self.inside:
                self.answer()
            else:
                self.turn.wait()
        if call.found is not None:
            return call.found
        return list(compute(call.inputs, report))

    def answer(self) -> None:
        """Compute all that is waited for; who stands first in order names the batch."""
        calls = sorted(self.waiting, key=lambda call: call.place)
        self.waiting = []
        for key in dict.fromkeys(call.key for call in calls):
            answer_together([call for call in calls if call.key == key])
            self.joined.append(sum(call.key == key for call in calls))
        self.turn.notify_all()


def answer_together(calls: Sequence[Call[Any, Any]]) -> None:
    """Answer calls with one batch; where it cannot be computed, or one call stands alone, each computes its own."""
    try:
        if len(calls) > 1:
            with suppress(Exception):  # whose fault it is shows when each is computed alone, whatever it raised
                found = iter(calls[0].compute([one for call in calls for one in call.inputs], to_all(calls)))
                for call in calls:
                    call.found = [next(found) for _ in call.inputs]
    finally:
        for call in calls:
            call.alone = call.found is None


def to_all(calls: Sequence[Call[Any, Any]]) -> Report:
    """Return a reporter that passes events on to every run; it stops only where all of them stop.

    Tokens of a joined batch belong to nobody in particular, so none are counted here.
    """

    def report(event: Event) -> None:
        told = TokensDecoded(count=0) if isinstance(event, TokensDecoded) else event
        stopped = 0
        for call in calls:
            stopped += 1
            with suppress(Cancelled):
                call.report(told)
                stopped -= 1
        if stopped == len(calls):
            raise Cancelled("Every run of this batch was stopped.")

    return report


class MeetingModel:
    """A model as one run of a meeting sees it; ``place`` is the run's place in the order of the batch."""

    def __init__(self, model: LanguageModel, meeting: Meeting, place: int) -> None:
        self.model, self.meeting, self.place = model, meeting, place
        self.identity: ModelIdentity = model.identity
        self.capabilities: Capabilities = model.capabilities

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, in order; see ``LanguageModel.generate``."""
        key = ("generate", id(self.model))
        found = self.meeting.ask(self.place, key, requests, self.model.generate, report)
        report(TokensDecoded(count=sum(len(one.tokens) for one in found)))
        return tuple(found)

    def attention(self, generation: Generation) -> np.ndarray:
        """Return last-layer attention; see ``LanguageModel.attention``."""
        return self.model.attention(generation)

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Return the characters of each prompt token; see ``LanguageModel.prompt_spans``."""
        return self.model.prompt_spans(generation)

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return each label's mean log-probability; see ``LanguageModel.label_logprobs``."""

        def compute(asked: list[Prompt], told: Report) -> list[np.ndarray]:
            return list(self.model.label_logprobs(asked, labels, told))

        rows = self.meeting.ask(self.place, ("labels", id(self.model), *labels), prompts, compute, report)
        return np.array(rows).reshape(len(prompts), len(labels))

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has."""
        return self.model.count_tokens(text)
