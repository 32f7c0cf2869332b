"""Co-occurrence evidence (QuCo-RAG, section 3): which claims' two ends ever meet in a named corpus, and where.

Every count is exact for the spelling it looks for, unless its source says that it only estimates. A pair that never
meets means "no evidence in this corpus", never "false"; what could not be counted is grey and says so.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from engine.core.words import shown
from engine.methods.quco_rag import CheckedSentence, CountedClaim, CountedEntity, QucoResult, window_words
from viz.methods.check_rates import CHECK_RATES
from viz.methods.verdicts import TONES, Tone, Verdict
from viz.parts.words import closed, counted, first_of, listing, quoted

ARTICLE = re.compile(r"^(the|an?)\s+")
NO_EVIDENCE = "no evidence in this corpus"
MOST_PAIRS = 4
CLAIM_COLUMNS = "sentence|kind|head|head count|relation|tail|tail count|documents together|verdict".split("|")
SENTENCE_TONES = TONES["evidence"]


def claim_verdict(claim: CountedClaim) -> str:
    """Return a claim's verdict in words; a partial claim and one that could not be counted are not measured."""
    if claim.supported is None:
        return "not measured"
    return "supported" if claim.supported else NO_EVIDENCE


def sentence_verdict(checked: CheckedSentence) -> str:
    """Return a sentence's verdict in words: one claim without evidence decides, as the minimum in eq. 4 does."""
    verdicts = {claim_verdict(claim) for claim in checked.claims if claim.tail is not None}
    if not verdicts:
        return "nothing to check"
    if NO_EVIDENCE in verdicts:
        return NO_EVIDENCE
    if len(verdicts) == 2:
        return "partly measured"
    return verdicts.pop()


def claims_with_sentences(result: QucoResult) -> tuple[tuple[CheckedSentence, CountedClaim], ...]:
    """Return every claim with the sentence it stands in, in the order of the claims table."""
    return tuple((checked, claim) for checked in result.sentences for claim in checked.claims)


def first_with_meetings(result: QucoResult) -> list[int]:
    """Return the row of the first claim whose evidence can be read, as a list of one; empty where there is none."""
    return [row for row, (_, claim) in enumerate(claims_with_sentences(result)) if claim.meetings][:1]


def claims_table(result: QucoResult) -> pd.DataFrame:
    """Return the text twin: one row per claim, partial ones included; counts are empty where there is none."""
    rows = [
        (
            checked.text,
            checked.kind,
            *claim_cells(claim),
            claim_verdict(claim) if claim.tail else "nothing to pair",
        )
        for checked, claim in claims_with_sentences(result)
    ]
    table = pd.DataFrame(rows, columns=CLAIM_COLUMNS)
    return table.astype(dict.fromkeys(("head count", "tail count", "documents together"), "Int64"))


def claim_cells(claim: CountedClaim) -> tuple[object, ...]:
    """Return a claim's head and its count, its relation, its tail and its count, and the documents with both."""
    tail = ("", None) if claim.tail is None else (claim.tail.entity.text, claim.tail.count)
    return (claim.head.entity.text, claim.head.count, claim.relation, *tail, claim.documents)


def entities_table(result: QucoResult) -> pd.DataFrame:
    """Return the text twin of the bars: the question's entities and their counts, empty where not measured."""
    rows = [(entity.entity.text, entity.entity.label, entity.count, count_words(entity)) for entity in result.entities]
    table = pd.DataFrame(rows, columns=["entity", "type", "occurrences", "in words"])
    return table.astype({"occurrences": "Int64"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """The distinct pairs of ends that some sentences claim, in quotation marks: those that meet, and those that do not.

    ``open`` says whether a claim with two ends has no count.
    """

    met: tuple[str, ...]
    missing: tuple[str, ...]
    open: bool

    @property
    def judged(self) -> int:
        """How many pairs were judged."""
        return len(self.met) + len(self.missing)


def pairs_of(sentences: Iterable[CheckedSentence]) -> Pairs:
    """Return the pairs that the sentences claim, each once; a pair without evidence for one claim has none.

    Which sentence makes a claim, with what relation and in which direction does not change whether its two ends meet.
    """
    verdicts: dict[frozenset[str], bool] = {}
    names: dict[frozenset[str], str] = {}
    beyond: dict[frozenset[str], str] = {}
    missed = False
    for claim in (claim for checked in sentences for claim in checked.claims if claim.tail is not None):
        if claim.supported is None or claim.tail is None:
            missed = True
            continue
        ends = frozenset((entity_key(claim.head), entity_key(claim.tail)))
        names.setdefault(ends, f"{quoted(claim.head.entity.text, 40)} with {quoted(claim.tail.entity.text, 40)}")
        verdicts[ends] = verdicts.get(ends, True) and claim.supported
        if claim.nearest is not None:
            beyond[ends] = f" ({apart_words(claim.nearest)})"
    met = tuple(names[ends] for ends, supported in verdicts.items() if supported)
    missing = tuple(f"{names[ends]}{beyond.get(ends, '')}" for ends, supported in verdicts.items() if not supported)
    return Pairs(met=met, missing=missing, open=missed)


def entity_key(entity: CountedEntity) -> str:
    """Return what one thing goes by: its name without case and article, with its count, which tells two apart."""
    return f"{ARTICLE.sub('', entity.entity.text.casefold())}\x1f{entity.count}"


def apart_words(nearest: int) -> str:
    """Return how far apart two things stand that share a document, yet not its window.

    >>> apart_words(61)
    'in one document, 61 words apart'
    """
    return f"in one document, {counted(nearest, 'word')} apart"


def short_pairs(result: QucoResult) -> Pairs | None:
    """Return the pairs that the short answer claims, None where there is no short answer."""
    short = [checked for checked in result.sentences if checked.kind == "short answer"]
    return pairs_of(short) if short else None


def longer_pairs(result: QucoResult) -> Pairs:
    """Return the pairs that the longer text from memory claims."""
    return pairs_of(checked for checked in result.sentences if checked.kind != "short answer")


def sentence(result: QucoResult) -> str:
    """Return the evidence in words: of the short answer, then of the longer text from memory, pair by pair."""
    corpus = f"{quoted(result.corpus)} ({size_words(result)})"
    if not result.supported + result.unsupported:
        return f"{unmeasured_reason(result)} Corpus: {corpus}."
    short, longer = short_pairs(result), longer_pairs(result)
    parts = [f"Short answer: {_pairs_words(short)}."] if short is not None else []
    parts += [f"Longer text: {_pairs_words(longer)}."] if longer.judged or longer.open else []
    often = f", in {result.cooccurrence_threshold} {unit(result)}s or more" if result.cooccurrence_threshold > 1 else ""
    parts.append(f"Counted in {corpus}, within {window_words(result)}{often}.")
    return " ".join([*parts, limits(result)]).strip()


def limits(result: QucoResult) -> str:
    """Return what the counts do not say, in words: of claims without evidence, and of those not measured."""
    parts = ["No evidence does not mean false."] if result.unsupported else []
    missing = uncounted(result)
    parts += [f"{counted(len(missing), 'claim')} not measured."] if missing else []
    guessed = sum(claim.estimated for _, claim in claims_with_sentences(result))
    parts += [f"The index only estimates {counted(guessed, 'count')}."] if guessed else []
    return " ".join(parts)


def _pairs_words(pairs: Pairs) -> str:
    """Return in words which of the claimed pairs meet.

    >>> _pairs_words(Pairs(met=("A with B",), missing=("A with C",), open=False))
    '1 of 2 claimed pairs meet, not A with C'
    """
    if not pairs.judged:
        return "not measured" if pairs.open else "no claim with two ends"
    met = f"{len(pairs.met)} of {counted(pairs.judged, 'claimed pair')} {'meets' if pairs.judged == 1 else 'meet'}"
    return f"{met}, not {first_of(pairs.missing, MOST_PAIRS)}" if pairs.missing else met


def met_words(pairs: Pairs) -> str:
    """Return how many of the judged pairs meet, or why none was judged.

    >>> met_words(Pairs(met=("A with B",), missing=(), open=False)), met_words(Pairs(met=(), missing=(), open=False))
    ('1 of 1', 'none claimed')
    """
    if pairs.judged:
        return f"{len(pairs.met)} of {pairs.judged}"
    return "not measured" if pairs.open else "none claimed"


def verdict(result: QucoResult) -> Verdict:
    """Return QuCo-RAG's word on the short answer, with how often a correct one has no evidence.

    Never green or red: most correct answers to real questions have none, and a wrong one may have some.
    """
    word, tone = _word(result)
    short, longer = short_pairs(result), longer_pairs(result)
    named = [("short answer", short)] if short is not None else []
    parts = [f"{met_words(pairs)} ({name})" for name, pairs in (*named, ("longer text", longer))]
    pairs_found = "Pairs with evidence" if result.cooccurrence_threshold > 1 else "Pairs that meet"
    said = f"{pairs_found} in {quoted(result.corpus, 40)}: {listing(parts)}."
    judged = result.supported + result.unsupported
    return Verdict(
        word=word,
        tone=tone,
        sentence=said if judged else unmeasured_reason(result),
        detail=f"{limits(result)} {base_rate(result)}".strip() if judged else "",
        brief=f"{pairs_found}: {listing(parts)}." if judged else "",
    )


def base_rate(result: QucoResult) -> str:
    """Return how often a correct answer has no evidence in few documents, as measured.

    "" for pre-training texts, and at another threshold than the one document that was measured.
    """
    if result.counts_from != "corpus" or result.cooccurrence_threshold != 1:
        return ""
    short = short_pairs(result)
    either = " either" if short is not None and short.missing else ""
    found = {name: int(number) for name, number in CHECK_RATES["co_occurrence"].items()}
    return (
        f"On real questions {found['right_without']} of {found['right']} correct answers had no evidence{either}. "
        f"With another question's answer in their place {found['exchanged_without']} of {found['exchanged']} had none."
    )


def _word(result: QucoResult) -> tuple[str, Tone]:
    """Return the verdict's word and tone."""
    short, longer = short_pairs(result), longer_pairs(result)
    if not result.supported + result.unsupported:
        return ("not measured" if result.not_measured or uncounted(result) else "nothing to check"), "unknown"
    if short is None:
        lacking = f"{counted(len(longer.missing), 'claimed pair')} without evidence"
        return (lacking, "middle") if longer.missing else ("evidence found", "model")
    if short.missing:
        return f"short answer {'partly ' if short.met else ''}without evidence", "middle"
    if short.judged and short.open:
        return "short answer partly measured", "middle" if longer.missing else "unknown"
    if short.judged and longer.missing:
        return "short answer supported, other claims not", "middle"
    if short.judged:
        return "short answer supported", "model"
    word = "short answer not measured" if short.open else "short answer without claim"
    return word, "middle" if longer.missing else "unknown"


def claim_sentence(claim: CountedClaim, result: QucoResult) -> str:
    """Return one claim and its evidence in words."""
    head = quoted(claim.head.entity.text)
    if claim.tail is None:
        return f"{head} has no second end. Occurrences: {count_words(claim.head)}."
    tail = quoted(claim.tail.entity.text)
    claimed = f"{head} – {shown(claim.relation)} – {tail}"
    ends = f"Occurrences: {head} {count_words(claim.head)}; {tail} {count_words(claim.tail)}."
    if claim.documents is None:
        return f"{claimed}: not measured. {claim.reason} {ends}".replace("  ", " ")
    if not claim.documents:
        where = "" if claim.nearest is None else f" They stand {apart_words(claim.nearest)}."
        return f"{claimed}: never within {window_words(result)}, so no evidence.{where} {ends}"
    phrase = ""
    if result.relation_check:
        times = "not measured" if claim.phrase_count is None else f"{claim.phrase_count:,}"
        phrase = f" As one phrase: {times}."
    found = f"both in {meetings_words(claim, unit(result))} within {window_words(result)}"
    return f"{claimed}: {found} ({claim_verdict(claim)}). {ends}{phrase}"


def meetings_words(claim: CountedClaim, of: str) -> str:
    """Return in how many documents or places the two ends of a counted claim meet, in words."""
    number = counted(claim.documents or 0, of)
    return f"about {number} (an estimate)" if claim.estimated else number


def unit(result: QucoResult) -> str:
    """Return what a pair is counted in: documents of a user's corpus, places of an index of pre-training texts."""
    return "document" if result.counts_from == "corpus" else "place"


def size_words(result: QucoResult) -> str:
    """Return how large the corpus is, in words."""
    if result.corpus_documents is None:
        return "an index of pre-training texts" if result.counts_from == "infini-gram" else "of unknown size"
    return counted(result.corpus_documents, "document")


def corpus_words(result: QucoResult) -> str:
    """Return the corpus's name, and its size where what is told of the counts does not say it."""
    size = size_words(result)
    said = size.replace(",", "") in result.corpus_note.replace(",", "")
    return result.corpus if said else f"{result.corpus}, {size}"


def failing_words(claims_made: Sequence[CountedClaim]) -> str:
    """Return what fails in a sentence's claims, in words; "" where nothing does."""
    told = []
    for claim in claims_made:
        if not claim.fails:
            continue
        head = quoted(claim.head.entity.text, 40)
        if claim.tail is None:
            told.append(f"{head} is too rare ({count_words(claim.head)})")
        elif claim.supported:
            whole = f"{claim.head.entity.text} {claim.relation} {claim.tail.entity.text}"
            told.append(f"nothing says {quoted(whole, 90)}")
        elif claim.documents:
            rarely = f"{'about ' if claim.estimated else ''}{claim.documents:,}"
            told.append(f"{head} meets {quoted(claim.tail.entity.text, 40)} too rarely ({rarely})")
        else:
            where = "" if claim.nearest is None else f" ({apart_words(claim.nearest)})"
            told.append(f"{head} never meets {quoted(claim.tail.entity.text, 40)}{where}")
    return closed(f"Fails: {listing(told)}") if told else ""


def unmeasured_reason(result: QucoResult) -> str:
    """Return why no claim was judged, in words."""
    if result.not_measured:
        return closed(f"Not measured: {result.not_measured}")
    if missing := uncounted(result):
        reasons = [closed(claim.reason) for claim in missing if claim.reason]
        return " ".join([f"Not measured: {counted(len(missing), 'claim')} could not be counted.", *reasons[:1]])
    return "No claim with two ends."


def uncounted(result: QucoResult) -> tuple[CountedClaim, ...]:
    """Return the claims with two ends that could not be counted."""
    claims = (claim for _, claim in claims_with_sentences(result))
    return tuple(claim for claim in claims if claim.tail is not None and claim.supported is None)


def count_words(entity: CountedEntity) -> str:
    """Return an entity's number of occurrences in words; not measured is not 0."""
    if entity.count is None:
        return "not measured"
    return "0, never named" if entity.count == 0 else f"{entity.count:,}"
