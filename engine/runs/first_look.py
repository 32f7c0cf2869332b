"""The passages that share words with a question: what there is to look at while the models are still being opened.

BM25 needs no model, so it answers in a tenth of a second where the search by meaning has seconds to wait. What the run
itself finds takes the place of this first look; nothing else reads it, and it is in no record.
"""

from engine.backends.retrieval import load_embedder
from engine.backends.retrieval.corpus import passages_with_words
from engine.core.records import Hit
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.profiles import PROFILES


def look_by_words(request: DiagnosisRequest) -> tuple[Hit, ...]:
    """Return the passages of the request's corpus that share words with the question, best first; () without any.

    () also where passages are given, and where a corpus that is not indexed yet is too large to wait for. Raises
    InputError where the corpus cannot be read, as the run itself will.
    """
    if request.corpus is None or request.passages or not request.question.strip():
        return ()
    profile = PROFILES[request.profile]
    return passages_with_words(
        request.corpus,
        request.question,
        request.k or profile.passages,
        chunk_tokens=profile.chunk_tokens,
        chunk_overlap=profile.chunk_overlap,
        embedder=load_embedder(request.device),
    )
