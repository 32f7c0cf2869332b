"""How often does co-occurrence call a true claim unsupported, and a false one? By window, and with the relation check.

True claims are those that the sample encyclopaedia's own sentences state. False ones join a true head with a tail of
the same kind: from another sentence of the same article, or from another article. A good window flags no true claim and
as many false ones as it can. QuCo-RAG's 1,000 tokens are longer than any article, so that window flags no false claim
of one article. The relation check (QuCo-RAG, appendix A.10) looks for "head relation tail" as one phrase.

    python -m benchmarks.evidence          writes results/evidence.json; a minute, no language model
"""

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.backends.corpus_stats import count_documents
from engine.backends.corpus_stats.base import CorpusCounter
from engine.backends.text import load_text_tools
from engine.backends.text.base import TextTools, Triplet, sentence_kind
from engine.core.folders import sample_data
from engine.core.records import Document
from engine.methods.quco_claims import QucoConfig

RESULTS = Path(__file__).resolve().parent / "results" / "evidence.json"
SHARES = (None, 1.0, 0.75, 0.5, 0.35, 0.25, 0.15, 0.1)
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRow:
    """What one window flags, as shares in [0, 1]: of true claims (less is better), of both kinds of false (more is).

    ``share`` None is QuCo-RAG's window in words.
    """

    share: float | None
    true: float
    false_same_article: float
    false_other_article: float


def sample_documents() -> tuple[Document, ...]:
    """Return the articles of the sample encyclopaedia."""
    lines = (sample_data() / "articles.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return tuple(
        Document(document_id=str(place), title=row.get("title", ""), text=row["text"]) for place, row in enumerate(rows)
    )


def stated_claims(document: Document, tools: TextTools) -> list[tuple[int, Triplet]]:
    """Return (number of the sentence, claim) of every whole claim that an article states."""
    spans = [span for span in tools.sentences(document.text) if sentence_kind(span.text) == "fact"]
    found = [(number, claim) for number, span in enumerate(spans) for claim in tools.triplets(span.text)]
    return [(number, claim) for number, claim in found if claim.tail is not None]


def text_pair(claim: Triplet) -> Pair:
    """Return the two ends of a whole claim as texts."""
    return claim.head.text, claim.tail.text if claim.tail else ""


def false_pairs(claims: Sequence[Sequence[tuple[int, Triplet]]], same: bool, seed: int = 0) -> list[Pair]:
    """Return each head with a tail of the same kind from another sentence of its article, or of another article."""
    draw, pairs = random.Random(seed), []
    for place, own in enumerate(claims):
        pool = [one for other, rows in enumerate(claims) if (other == place) is same for one in rows]
        for number, claim in own:
            kind, tail = claim.tail.label if claim.tail else "", text_pair(claim)[1]
            fits = [
                text_pair(other)[1]
                for sentence, other in pool
                if other.tail is not None and other.tail.label == kind and not (same and sentence == number)
            ]
            fits = [text for text in fits if text != tail]
            if fits:
                pairs.append((claim.head.text, draw.choice(fits)))
    return pairs


def flagged(pairs: Sequence[Pair], counter: CorpusCounter, share: float | None) -> float:
    """Return the share of pairs that never meet within a window, in [0, 1]."""
    window = QucoConfig().window
    never = [counter.co_occurrence(head, tail, window, share).documents == 0 for head, tail in pairs]
    return round(sum(never) / len(never), 4)


def measure() -> dict[str, object]:
    """Return what every window flags, and what the relation check flags of the true claims."""
    documents, tools = sample_documents(), load_text_tools()
    counter = count_documents(documents, "sample encyclopaedia")
    claims = [stated_claims(document, tools) for document in documents]
    true = [text_pair(claim) for own in claims for _, claim in own]
    near, far = false_pairs(claims, same=True), false_pairs(claims, same=False)
    every = [claim for own in claims for _, claim in own]
    phrases = [" ".join((text_pair(claim)[0], claim.relation, text_pair(claim)[1])) for claim in every]
    missing = sum(counter.count(phrase) == 0 for phrase in phrases)
    rows = [
        WindowRow(
            share=share,
            true=flagged(true, counter, share),
            false_same_article=flagged(near, counter, share),
            false_other_article=flagged(far, counter, share),
        )
        for share in SHARES
    ]
    return {
        "articles": len(documents),
        "true_claims": len(true),
        "false_same_article": len(near),
        "false_other_article": len(far),
        "windows": [asdict(row) for row in rows],
        "relation_check": {"flagged": missing, "of": len(phrases), "share": round(missing / len(phrases), 4)},
    }


def main() -> None:
    """Measure, store and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=RESULTS, help="where to write")
    chosen = parser.parse_args()
    found = measure()
    chosen.results.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
