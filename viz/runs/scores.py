"""Verdicts as scores for the tool that a trace came from: annotations of its span, scores, and a table as Ragas has it.

An annotation has the form of OpenInference's tools (Phoenix, ``POST /v1/span_annotations``): a name, who annotates, and
a label, a score and an explanation. What was measured on the imported answer itself and what a local model answered
when it was asked again are told apart in ``metadata.about``. What was not measured has no score, and says why.
Langfuse's scores (``POST /api/public/scores``) are the same: a verdict and, where there is one, its number.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd
from pydantic import TypeAdapter

from engine.catalogue.headlines import headlines
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.methods.meaning import only_means
from viz.methods import entropy_trend
from viz.parts.words import WORDS
from viz.runs import trace
from viz.runs.summary import verdict_of

Annotation = dict[str, object]
Score = dict[str, object]
Mapped = TypeAdapter(dict[str, object])
ANNOTATOR, IDENTIFIER = "CODE", "retrieval-microscope"
SHORT_MATCHES = WORDS["short matches"]
TABLE_COLUMNS = ["user_input", "retrieved_contexts", "response", "reference"]


def annotations(answer: ImportedAnswer, diagnosis: Diagnosis | None = None) -> list[Annotation]:
    """Return the scores of a trace: of its answer as it came and, where its question was asked again, of each method.

    Direction as of each number: see ``metadata.address`` and the Numbers page. Right is 1, wrong 0, right by the judge
    alone between them. FLARE's and ETC's score is how many places they would look something up at; claims' is the share
    that the passages support, in [0, 1].
    """
    found = [
        annotation(answer, "right", *right_of(answer)),
        annotation(answer, "etc", *trend_of(answer)),
        annotation(answer, "flare", *flare_of(answer)),
        annotation(answer, "claims", *claims_of(answer)),
    ]
    return found if diagnosis is None else [*found, *method_annotations(answer, diagnosis)]


def annotation(
    answer: ImportedAnswer, name: str, label: str, score: float | None, explanation: str, **metadata: object
) -> Annotation:
    """Return one annotation of the trace's span; a score that is not there is left out."""
    result: dict[str, object] = {"label": label, "explanation": explanation}
    return {
        "span_id": answer.span_id,
        "name": f"microscope.{name}",
        "annotator_kind": ANNOTATOR,
        "identifier": IDENTIFIER,
        "result": result if score is None else result | {"score": score},
        "metadata": {"trace_id": answer.trace_id, "about": f"the answer of {answer.written_by}", **metadata},
    }


def annotations_json(given: Sequence[Annotation]) -> str:
    """Return annotations as the JSON that Phoenix takes."""
    return json.dumps({"data": list(given)}, ensure_ascii=False, indent=1)


def langfuse_lines(given: Iterable[Annotation]) -> str:
    """Return annotations as the scores of Langfuse, a line each."""
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in langfuse_scores(given))


def langfuse_scores(given: Iterable[Annotation]) -> list[Score]:
    """Return annotations as the scores of Langfuse: a category with the verdict, and a number where one was measured.

    An id follows from trace and name, so that a score sent again takes the place of the first.
    """
    return [score for one in given for score in scores_of(one)]


def scores_of(one: Annotation) -> Iterator[Score]:
    """Yield the scores of one annotation; the trace's own span is no observation."""
    result, metadata = Mapped.validate_python(one["result"]), Mapped.validate_python(one["metadata"])
    trace_id, span_id, name = metadata["trace_id"], one["span_id"], one["name"]
    about = {key: value for key, value in metadata.items() if key != "trace_id"}
    place = {"traceId": trace_id} | ({"observationId": span_id} if span_id not in ("", trace_id) else {})
    shared = place | {"comment": result["explanation"], "metadata": about}
    yield shared | {"id": f"{trace_id}-{name}", "name": name, "value": result["label"], "dataType": "CATEGORICAL"}
    if "score" in result:
        named = f"{name}.number"
        yield shared | {"id": f"{trace_id}-{named}", "name": named, "value": result["score"], "dataType": "NUMERIC"}


def right_of(answer: ImportedAnswer) -> tuple[str, float | None, str]:
    """Return label, score and sentence on whether the answer is right, as on every page.

    The score of an answer that only the judge calls right is the judge's probability.
    """
    if answer.right is None:
        return "not measured", None, "The trace has no correct answer."
    if answer.right:
        return "right", 1.0, "It states a correct answer."
    meaning = only_means(answer.generation.text, answer.right, answer.judged)
    if meaning is not None:
        return SHORT_MATCHES["meant"], meaning, "The judge finds a correct answer in other words."
    return "wrong", 0.0, "Its words state none."


def trend_of(answer: ImportedAnswer) -> tuple[str, float | None, str]:
    """Return label, score and sentence of ETC on the answer."""
    if answer.trend is None:
        return "not measured", None, answer.trend_reason
    verdict, said = entropy_trend.verdict(answer.trend), trace.trend_sentence(answer)
    if verdict.tone == "unknown":
        return verdict.word, None, said
    fires = len(answer.trend.triggers)
    return "look something up" if fires else "nothing to look up", float(fires), said


def flare_of(answer: ImportedAnswer) -> tuple[str, float | None, str]:
    """Return label, score and sentence of FLARE on the answer."""
    if answer.flare is None:
        return "not measured", None, answer.flare_reason
    fires = len(answer.flare.triggers)
    return "look something up" if fires else "nothing to look up", float(fires), trace.flare_sentence(answer)


def claims_of(answer: ImportedAnswer) -> tuple[str, float | None, str]:
    """Return label, score and sentence on the answer's claims in its passages."""
    judged = [c.supported for checked in answer.claims for c in checked.claims if c.supported is not None]
    said = trace.claims_sentence(answer)
    if not judged:
        return "not measured", None, said
    label = "supported" if all(judged) else "partly supported" if any(judged) else "no evidence"
    return label, sum(judged) / len(judged), said


def method_annotations(answer: ImportedAnswer, diagnosis: Diagnosis) -> list[Annotation]:
    """Return each method's verdict and the number its page is about, on the local model's answers."""
    asked = f"the answers of {diagnosis.provenance.model}, asked again"
    found = []
    for outcome in diagnosis.outcomes:
        verdict, (address, value) = verdict_of(outcome), headline(diagnosis, outcome)
        more = {"about": asked, "address": address}
        found.append(annotation(answer, outcome.method, verdict.word, value, verdict.sentence, **more))
    return found


def headline(diagnosis: Diagnosis, outcome: Outcome) -> tuple[str, float | None]:
    """Return the address and value of the first number a method's page is about, ("", None) where there is none."""
    found = headlines(diagnosis, outcome.method) if outcome.status == "done" else ()
    return (found[0].address, found[0].value) if found else ("", None)


def scores_table(diagnoses: Iterable[Diagnosis]) -> pd.DataFrame:
    """Return one row a run as Ragas has it, then a verdict and a number for each method; not measured is empty.

    ``response`` is the imported answer where there is one, and the numbers are then those of the model asked again.
    """
    rows = [row_of(diagnosis) for diagnosis in diagnoses]
    more = dict.fromkeys(name for row in rows for name in row if name not in TABLE_COLUMNS)
    return pd.DataFrame(rows, columns=[*TABLE_COLUMNS, *more])


def row_of(diagnosis: Diagnosis) -> Mapping[str, object]:
    """Return one run as a row."""
    imported = diagnosis.imported
    row: dict[str, object] = {
        "user_input": diagnosis.question,
        "retrieved_contexts": [hit.passage.text for hit in diagnosis.hits],
        "response": (diagnosis.answer if imported is None else imported.generation).text.strip(),
        "reference": diagnosis.golds[0] if diagnosis.golds else None,
        "answered_by": diagnosis.provenance.model,
    }
    for outcome in diagnosis.outcomes:
        address, value = headline(diagnosis, outcome)
        row[f"{outcome.method}.verdict"] = verdict_of(outcome).word
        if address:
            row[address] = value
    return row
