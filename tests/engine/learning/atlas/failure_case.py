"""Runs made by hand of one question, how high Mount Ildan is: enough to hold or to lack each kind of failure."""

from dataclasses import replace

from engine.core.records import Hit, Passage
from engine.diagnosis.record import Diagnosis, MethodResult
from engine.learning.atlas.kinds import KINDS
from engine.learning.atlas.shelf import Specimen
from engine.runs.sample_questions import PlantedDefect, SampleQuestion
from tests.pages.page_fixtures import done, whole_diagnosis
from tests.viz.sample_results import generation

QUESTION = "How high is Mount Ildan?"
RIGHT = "Mount Ildan is 1,914 metres high and was first climbed in 1866."
OTHER = "Mount Sorrel is 1,768 metres high."
ELSEWHERE = "The Dorle flows into Tarn Bay."


def question(
    kind: str = "number", *defects: PlantedDefect, golds: tuple[str, ...] = ("1,914 metres",)
) -> SampleQuestion:
    """Return the sample question with the defects given."""
    return SampleQuestion(id="ildan", question=QUESTION, golds=golds, kind=kind, note="", defects=defects)


def planted(kind: str, documents: tuple[str, ...] = (), tempting: str = "") -> PlantedDefect:
    """Return a planted defect."""
    return PlantedDefect(kind=kind, documents=documents, tempting=tempting)  # type: ignore[arg-type]


def run(
    answer: str,
    *texts: str,
    memory: str = "900 metres",
    results: tuple[MethodResult, ...] = (),
    retriever: str = "given",
) -> Diagnosis:
    """Return a run over these passages, document d1, d2 … each, with the methods' results given."""
    hits = tuple(
        Hit(
            passage=Passage(text=text, title=f"Text {rank}", document_id=f"d{rank}"),
            rank=rank,
            score=float("nan"),
            retriever=retriever,
        )
        for rank, text in enumerate(texts, 1)
    )
    return replace(
        whole_diagnosis(QUESTION, ("1,914 metres",)),
        hits=hits,
        answer=generation(answer),
        closed_book=generation(memory),
        outcomes=tuple(done(result.method, result) for result in results),
    )


def specimen(kind: str, made: Diagnosis, about: SampleQuestion | None = None) -> Specimen:
    """Return a run as the specimen of a kind."""
    return Specimen(kind=KINDS[kind], run=made, question=about or question())
