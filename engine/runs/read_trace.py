"""A trace looked at with the parser and the counts of this program, and the request that asks the rest of a model."""

from collections.abc import Sequence
from dataclasses import replace

from engine.backends.corpus_stats import count_documents
from engine.backends.entailment import load_judge
from engine.backends.text import load_text_tools
from engine.core.records import Document
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.traces.reading import ImportedAnswer, read_answer
from engine.diagnosis.traces.schema import Trace, passages_of
from engine.methods.meaning import judged_answers

GIVEN = "the given passages"


def imported_answer(trace: Trace) -> ImportedAnswer:
    """Return what can be measured of a trace's answer without a language model.

    Raises RecordError, with the place in the file, where a token's numbers belong to no distribution.
    """
    documents = tuple(
        Document(document_id=f"passage-{place}", title=passage.title, text=passage.text, source="trace")
        for place, passage in enumerate(trace.passages, 1)
    )
    answer = read_answer(trace, load_text_tools(), count_documents(documents, GIVEN))
    judged = judged_answers(load_judge(), trace.question, trace.golds, (answer.generation.text,))
    return replace(answer, judged=judged)


def trace_request(
    trace: Trace, answer: ImportedAnswer, methods: Sequence[str], model: str = "embedded"
) -> DiagnosisRequest:
    """Return the request that asks a local model the trace's question over the trace's passages.

    The imported answer goes along in its own place: the run's answers are the model's.
    """
    return DiagnosisRequest(
        question=trace.question,
        passages=passages_of(trace),
        golds=trace.golds,
        methods=tuple(methods),
        model=model,
        imported=answer,
    )
