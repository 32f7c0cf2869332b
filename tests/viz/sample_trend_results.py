"""Hand-made results of ETC and QuCo-RAG: a realistic one each, and the small ones whose numbers are worked by hand."""

import math
from typing import Literal

from engine.backends.corpus_stats.base import Meeting
from engine.backends.text.base import Entity, TextSpan
from engine.core.records import Generation, Prompt, Token
from engine.measures.entropy_trend import attention_weighted, first_differences, second_differences, smooth, triggers
from engine.methods.entropy_trend import EntropyTrendResult, TrendPoint, TrendWord, Trigger
from engine.methods.quco_rag import CheckedSentence, CountedClaim, CountedEntity, QucoResult

CONTENT = ("NOUN", "ADJ", "VERB", "PROPN", "NUM")

# Word/tag/entropy in nats. A sentence ends with a word that ends in a full stop.
VOYAGE = """
The/DET/0.4 question/NOUN/0.9 asks/VERB/1.1 where/SCONJ/0.3 the/DET/0.1 leader/NOUN/1.6 of/ADP/0.2 the/DET/0.1
first/ADJ/1.2 Portuguese/ADJ/0.8 voyage/NOUN/1.0 to/ADP/0.3 India/PROPN/0.6 was/AUX/0.2 buried./VERB/1.4
The/DET/0.5 voyage/NOUN/1.1 left/VERB/1.9 Lisbon/PROPN/4.7 in/ADP/0.4 July/PROPN/2.2 1497/NUM/1.3 under/ADP/0.9
Vasco/PROPN/0.8 da/PROPN/0.1 Gama,/PROPN/0.1 who/PRON/0.7 had/AUX/0.9 been/AUX/0.4 born/VERB/0.7 in/ADP/0.2
Sines/PROPN/2.9 in/ADP/0.6 1460/NUM/2.7 or/CCONJ/1.5 1469./NUM/1.2 He/PRON/0.6 reached/VERB/1.5 Calicut/PROPN/1.8
in/ADP/0.3 May/PROPN/1.4 1498/NUM/0.5 and/CCONJ/0.6 returned/VERB/0.9 to/ADP/0.2 Portugal/PROPN/0.8 with/ADP/1.1
two/NUM/1.9 ships./NUM/0.4 He/PRON/0.5 died/VERB/0.8 in/ADP/0.2 Cochin/PROPN/2.4 on/ADP/1.2 Christmas/PROPN/1.6
Eve/PROPN/0.2 1524/NUM/0.9 and/CCONJ/0.6 his/PRON/0.5 remains/NOUN/1.3 now/ADV/1.9 lie/VERB/0.9 in/ADP/0.2 the/DET/0.4
Jerónimos/PROPN/3.4 Monastery./PROPN/0.3 So/ADV/0.6 the/DET/0.1 answer/NOUN/0.1 is/AUX/0.1 Belém./PROPN/2.6
"""


def generation_of(text: str, tokens: tuple[Token, ...]) -> Generation:
    """Return a greedy generation that wrote ``text``."""
    prompt = Prompt(text="Question: Where was the leader of the first Portuguese voyage to India buried?\nAnswer:")
    return Generation(
        prompt=prompt,
        rendered=prompt.text,
        prompt_tokens=24,
        text=text,
        tokens=tokens,
        stop_reason="end",
        temperature=0.0,
        seed=0,
    )


def trend_words(tagged: list[tuple[str, str, float]]) -> tuple[str, tuple[TrendWord, ...], tuple[Token, ...]]:
    """Return the text, its words, and its tokens: a word longer than six letters is two tokens, the first surer."""
    text, words, tokens, sentence = "", [], [], 0
    for place, (word, pos, entropy) in enumerate(tagged):
        text += " " if text else ""
        start, first_token = len(text), len(tokens)
        text += word
        pieces = [word] if len(word) <= 6 else [word[:4], word[4:]]
        for number, piece in enumerate(pieces):
            begin = start + sum(len(before) for before in pieces[:number])
            sureness = entropy if number == len(pieces) - 1 else entropy / 2
            lead = " " if place and number == 0 else ""
            tokens.append(
                Token(
                    id=len(tokens),
                    text=lead + piece,
                    start=begin - len(lead),
                    end=begin + len(piece),
                    logprob=-sureness / 2,
                    entropy=sureness,
                )
            )
        words.append(
            TrendWord(
                text=word,
                start=start,
                end=len(text),
                first_token=first_token,
                last_token=len(tokens) - 1,
                entropy=entropy,
                pos=pos,
                is_content=pos in CONTENT,
                sentence=sentence,
                max_attention=0.1 + 0.02 * (place % 7),
                query=f"leader voyage India {word.strip('.,')}",
            )
        )
        sentence += word.endswith(".")
    return text, tuple(words), tuple(tokens)


def trend_result(
    tagged: list[tuple[str, str, float]],
    alpha: float = 1.0,
    variant: Literal["paper", "code"] = "paper",
    not_measured: str = "",
) -> EntropyTrendResult:
    """Return the result of ETC on words with tags and entropies, as the method would record it."""
    text, words, tokens = trend_words(tagged)
    points = trend_points(words, variant)
    mode: Literal["abs", "signed"] = "abs" if variant == "paper" else "signed"
    values = [math.nan if point.value is None else point.value for point in points]
    fired = triggers(values, alpha, mode, strict=mode == "signed")
    return EntropyTrendResult(
        variant=variant,
        mode=mode,
        alpha=alpha,
        alpha_source="paper",
        generation=generation_of(text, tokens),
        answer=words[-1].text.strip(".") if words else "",
        words=words,
        points=points,
        triggers=tuple(
            Trigger(word=point.word, value=value, kept=text[: words[point.word].start], query=words[point.word].query)
            for point, value, hit in zip(points, values, fired, strict=True)
            if hit
        ),
        not_measured=not_measured,
    )


def trend_points(words: tuple[TrendWord, ...], variant: Literal["paper", "code"]) -> tuple[TrendPoint, ...]:
    """Return the points of the trend, through the measures that have tests of their own."""
    if not words:
        return ()
    entropies, content = [word.entropy for word in words], [word.is_content for word in words]
    placed = second_differences(entropies, content, variant)
    first = dict(first_differences(entropies, content))
    smoothed = smooth([value for _, value in placed], variant)
    indices = [index for index, _ in placed]
    values = smoothed
    if variant == "code" and indices:
        attention = [word.max_attention or 0.0 for word in words]
        values = attention_weighted(smoothed, indices, attention, [word.sentence for word in words])
    return tuple(
        TrendPoint(
            word=index,
            first_difference=first[index],
            second_difference=second,
            smoothed=None if math.isnan(level) else float(level),
            value=None if math.isnan(value) else float(value),
        )
        for (index, second), level, value in zip(placed, smoothed, values, strict=True)
    )


def tagged(text: str) -> list[tuple[str, str, float]]:
    """Return (word, tag, entropy) of a text written as word/tag/entropy."""
    return [(word, pos, float(entropy)) for word, pos, entropy in (item.rsplit("/", 2) for item in text.split())]


def voyage_result(alpha: float = 1.0, variant: Literal["paper", "code"] = "paper") -> EntropyTrendResult:
    """Return ETC on an answer of 73 words in five sentences; at 1.0 nats it looks up before word 19, "Lisbon"."""
    return trend_result(tagged(VOYAGE), alpha, variant)


def five_words_result(alpha: float = 1.0, variant: Literal["paper", "code"] = "paper") -> EntropyTrendResult:
    """Return ETC on entropies 1, 2, 4, 3, 3.5: differences 1, −3, 1.5, smoothed 1, −1, −1/6 (worked by hand)."""
    return trend_result(tagged("Alpha/NOUN/1 beta/NOUN/2 gamma/NOUN/4 delta/NOUN/3 eps/NOUN/3.5"), alpha, variant)


def one_word_result() -> EntropyTrendResult:
    """Return ETC on a single word: nothing can be measured."""
    return trend_result([("Lisbon.", "PROPN", 2.1)], not_measured="The answer has 1 content word; the trend needs 3.")


def empty_trend_result() -> EntropyTrendResult:
    """Return ETC on an empty answer."""
    return trend_result([], not_measured="The answer is empty.")


def hostile_trend_result() -> EntropyTrendResult:
    """Return ETC on words that are markup, emoji and right-to-left text."""
    words = "<script>alert(1)</script>/NOUN/0.5 <b>bold</b>/NOUN/0.4 🧭/NOUN/3.9 לשבונה/PROPN/0.3 %{x}/NOUN/3.1"
    return trend_result(tagged(words))


def counted(text: str, count: int | None, label: str = "PROPN") -> CountedEntity:
    """Return an entity at the start of nowhere with its count."""
    return CountedEntity(entity=Entity(text=text, start=0, end=len(text), label=label), count=count)


def meeting(title: str, excerpt: str, head: str, tail: str, distance: int) -> Meeting:
    """Return a place where two names meet, found by their first occurrence in the excerpt."""
    at_head, at_tail = excerpt.index(head), excerpt.index(tail)
    return Meeting(
        document_id=title.lower(),
        title=title,
        excerpt=excerpt,
        head=TextSpan(text=head, start=at_head, end=at_head + len(head)),
        tail=TextSpan(text=tail, start=at_tail, end=at_tail + len(tail)),
        distance=distance,
    )


def claim(
    head: CountedEntity,
    relation: str,
    tail: CountedEntity | None,
    documents: int | None = None,
    meetings: tuple[Meeting, ...] = (),
) -> CountedClaim:
    """Return a claim, supported from one document on; not judged without a tail or a count."""
    supported = None if documents is None or tail is None else documents >= 1
    return CountedClaim(
        head=head, relation=relation, tail=tail, documents=documents, meetings=meetings, supported=supported
    )


GAMA = counted("Vasco da Gama", 41, "PERSON")
SINES = counted("Sines", 6, "GPE")
LISBON = counted("Lisbon", 212, "GPE")
INDIA = counted("India", 640, "GPE")
COCHIN = counted("Cochin", 3, "GPE")
ZAMORIN = counted("Zamorin of Quilon", 0, "PERSON")
YEAR = counted("1524", 9, "DATE")
UNCOUNTED = counted("the sea route", None, "NOUN")


def sample_quco_result() -> QucoResult:
    """Return evidence for eight claims: five supported, two that never meet, one not measured, one partial besides."""
    birth = meeting(
        "Vasco da Gama", "Vasco da Gama was born in Sines, where his father kept the fort.", "Vasco da Gama",
        "Sines", 6,
    )  # fmt: skip
    departure = meeting(
        "Age of Discovery", "On 8 July 1497 the ships of Vasco da Gama left Lisbon for India.", "Vasco da Gama",
        "Lisbon", 4,
    )  # fmt: skip
    question = CheckedSentence(
        text="Where was the leader of the first Portuguese voyage to India buried?",
        kind="question",
        claims=(claim(INDIA, "voyage to", None),),
    )
    first = CheckedSentence(
        text="Vasco da Gama, born in Sines, sailed from Lisbon to India.",
        kind="fact",
        claims=(
            claim(GAMA, "born in", SINES, 2, (birth,)),
            claim(GAMA, "sailed from", LISBON, 7, (departure,)),
            claim(GAMA, "sailed to", INDIA, 12),
        ),
    )
    second = CheckedSentence(
        text="He met the Zamorin of Quilon and opened the sea route.",
        kind="fact",
        claims=(claim(GAMA, "met", ZAMORIN, 0), claim(GAMA, "opened", UNCOUNTED, None)),
    )
    third = CheckedSentence(
        text="Vasco da Gama died in Cochin in 1524.",
        kind="fact",
        claims=(claim(GAMA, "died in", COCHIN, 1), claim(COCHIN, "in", YEAR, 1)),
    )
    conclusion = CheckedSentence(text="So the answer is Lisbon.", kind="conclusion", claims=())
    short = CheckedSentence(text="Cochin", kind="short answer", claims=(claim(INDIA, "answered with", ZAMORIN, 0),))
    return quco_result((INDIA, UNCOUNTED, ZAMORIN), (question, first, second, third, conclusion, short))


def quco_result(
    entities: tuple[CountedEntity, ...], sentences: tuple[CheckedSentence, ...], not_measured: str = ""
) -> QucoResult:
    """Return a result that counts its own claims, in a corpus called "Small encyclopaedia"."""
    claims = [claim for sentence in sentences for claim in sentence.claims]
    counts = [entity.count for entity in entities if entity.count is not None]
    return QucoResult(
        corpus="Small encyclopaedia",
        corpus_note="120 articles, exact spelling",
        corpus_documents=120,
        window=1000,
        cooccurrence_threshold=1,
        entities=entities,
        mean_count=sum(counts) / len(counts) if counts else None,
        generation=generation_of(" ".join(sentence.text for sentence in sentences), ()),
        sentences=sentences,
        supported=sum(claim.supported is True for claim in claims),
        unsupported=sum(claim.supported is False for claim in claims),
        not_measured=not_measured,
    )


def empty_quco_result() -> QucoResult:
    """Return a result without an entity, a sentence or a claim."""
    return quco_result((), (), "The answer names nothing that could be counted.")


def hostile_quco_result() -> QucoResult:
    """Return one claim whose every text is markup, with a meeting whose head and tail overlap."""
    head, tail = counted("<b>Lisbon</b> 🧭", 0), counted("לשבונה", 2)
    place = Meeting(
        document_id="x",
        title="<i>Title</i>",
        excerpt="the <u>University of Lisbon</u> stands",
        head=TextSpan(text="University of Lisbon", start=7, end=27),
        tail=TextSpan(text="Lisbon", start=21, end=27),
        distance=2,
    )
    sentence = CheckedSentence(
        text="<img src=x onerror=alert(1)>", kind="fact", claims=(claim(head, "<script>", tail, 1, (place,)),)
    )
    return quco_result((head,), (sentence,))
