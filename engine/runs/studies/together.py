"""Questions asked side by side in one program: they share models, corpus, index and cache, and meet in one batch.

A round begins when as many runs as fit have come, or when no further one comes. It ends with its last run, so which
questions share a batch follows from their order, and a study asked twice is asked in the same batches. In a program
that others ask too, a round takes its turn among them (``engine.runs.jobs.turns``).
"""

import threading
import time
from dataclasses import dataclass, field, replace

from engine.backends.devices import DeviceChoice
from engine.backends.language_models import load_language_model
from engine.backends.language_models.base import LanguageModel
from engine.backends.language_models.meeting import Meeting, MeetingModel
from engine.backends.language_models.reading import one_run
from engine.core.progress import Report, silent
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.turns import Turns
from engine.runs.run import LoadModel, run_request

# How long a round waits for one more run that may come.
GATHER_SECONDS = 1.0


@dataclass(eq=False)
class Round:
    """The runs of one round: how many came and are over, whether it has begun, and where they meet."""

    meeting: Meeting = field(default_factory=Meeting)
    questions: list[str] = field(default_factory=list)
    begun: bool = False
    over: int = 0


class Together:
    """Runs of up to ``size`` questions side by side; ``run`` is called from a thread for each."""

    def __init__(
        self,
        size: int,
        load: LoadModel = load_language_model,
        gather: float = GATHER_SECONDS,
        turns: Turns | None = None,
    ) -> None:
        """Go side by side with the models that ``load`` opens; ``turns`` where others compute in this program too."""
        self.size, self.load, self.gather, self.turns = size, load, gather, turns or Turns()
        self.changed = threading.Condition()
        self.round: Round | None = None
        self.rounds: list[Round] = []

    def run(self, request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
        """Return the diagnosis a request asks for; its seconds are its share of those of the whole round.

        Raises what ``run_request`` raises for this request alone.
        """
        here = self.join(request.question)
        place = sorted(here.questions).index(request.question)

        seen: dict[int, MeetingModel] = {}  # what is one model to the run stays one

        def load(name: str, report: Report, device: DeviceChoice) -> LanguageModel:
            model = self.load(name, report, device)
            return seen.setdefault(id(model), MeetingModel(model, here.meeting, place))

        def compute() -> Diagnosis:
            self.turns.wait_for(here, report)
            with one_run(here):
                return run_request(request, report, kept, load=load)

        try:
            return shared_seconds(here.meeting.run(compute), len(here.questions))
        finally:
            self.leave(here)

    def leave(self, here: Round) -> None:
        """Count a run of a round as over; the last one gives the turn back."""
        with self.changed:
            here.over += 1
            if here.over == len(here.questions):
                self.turns.leave(here)

    def join(self, question: str) -> Round:
        """Return the round this question belongs to, once it begins."""
        with self.changed:
            while self.round is not None and self.round.begun and self.round.meeting.inside:
                self.changed.wait(0.05)  # the round before is not over
            if self.round is None or self.round.begun:
                self.round = Round()
                self.rounds.append(self.round)
            here = self.round
            here.questions.append(question)
            here.meeting.inside += 1
            here.begun = len(here.questions) >= self.size
            self.changed.notify_all()
            ends = time.monotonic() + self.gather
            while not here.begun:
                known = len(here.questions)
                self.changed.wait(self.gather)
                if len(here.questions) > known:
                    ends = time.monotonic() + self.gather
                here.begun = here.begun or time.monotonic() >= ends
            self.changed.notify_all()
        return here


def shared_seconds(diagnosis: Diagnosis, runs: int) -> Diagnosis:
    """Return the diagnosis with its seconds, and those of its methods, divided by the runs that shared them."""
    if runs == 1:
        return diagnosis
    outcomes = tuple(replace(one, seconds=one.seconds / runs) for one in diagnosis.outcomes)
    return replace(diagnosis, outcomes=outcomes, seconds=diagnosis.seconds / runs)
