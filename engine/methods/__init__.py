"""The methods, one module each, and the one list of them.

A method is a word, a title, the paper it follows and a ``run(case, config, backends)`` that returns its result record.
Its config is the field of that word in ``DiagnosisRequest``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.methods import (
    chunk_utility,
    dense,
    dense_rag,
    entropy_trend,
    quco_rag,
    seper,
    sugar,
    uncertainty,
)
from engine.methods.base import Foreseen, nothing_foreseen
from engine.methods.step_by_step import step_by_step_foreseen
from engine.methods.timing import (
    method as timing,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """What a method is called, what it asks in one sentence, where it comes from, and how to run it.

    ``foresees(case, config, backends)`` returns the requests it is sure to make; without it none is known beforehand.
    """

    word: str
    title: str
    asks: str
    paper: str
    run: Callable[..., Any]
    foresees: Callable[..., Foreseen] = nothing_foreseen


METHODS: dict[str, Method] = {
    method.word: method
    for method in (
        Method(
            word="dense",
            title="DENSE",
            asks="Does the model understand the passages, or does another wording change its answer?",
            paper="DENSE, sections 4 and 5.2",
            run=dense.run,
            foresees=dense.foreseen,
        ),
        Method(
            word="dense_rag",
            title="DENSE-RAG",
            asks="Where the passages are not understood, does another cut and a refined context help?",
            paper="DENSE, section 5",
            run=dense_rag.run,
        ),
        Method(
            word="seper",
            title="SePer",
            asks="How far do the passages move the model's belief towards the right answer?",
            paper="SePer, section 3",
            run=seper.run,
            foresees=seper.foreseen,
        ),
        Method(
            word="entropy_trend",
            title="ETC",
            asks="While answering from memory, where should the model have looked something up?",
            paper="ETC, section 4",
            run=entropy_trend.run,
            foresees=step_by_step_foreseen,
        ),
        Method(
            word="quco_rag",
            title="Co-occurrence",
            asks="Do the things each claim connects ever meet in the corpus?",
            paper="QuCo-RAG, section 3",
            run=quco_rag.run,
            foresees=step_by_step_foreseen,
        ),
        Method(
            word="sugar",
            title="SUGAR",
            asks="Did the question need a lookup at all, one, or several?",
            paper="SUGAR, section II",
            run=sugar.run,
        ),
        Method(
            word="uncertainty",
            title="Uncertainty baselines",
            asks="Do other measures of uncertainty, on the same answers, say the same as DENSE's?",
            paper="DENSE, section 6; Farquhar et al. 2024; Lin et al. 2023; Nikitin et al. 2024",
            run=uncertainty.run,
        ),
        Method(
            word="chunk_utility",
            title="Utility of single chunks",
            asks="Which chunk moves belief towards the right answer, which does nothing, which misleads?",
            paper="SePer, section 3, chunk by chunk",
            run=chunk_utility.run,
        ),
        Method(
            word="timing",
            title="Retrieval timing",
            asks="When would each policy have looked something up, and what does it write that way?",
            paper="ETC, sections 4 and 6.3; DRAGIN; FLARE; IRCoT; QuCo-RAG",
            run=timing.run,
            foresees=step_by_step_foreseen,
        ),
    )
}
DEFAULT_METHODS = ("dense", "seper", "entropy_trend", "quco_rag")
