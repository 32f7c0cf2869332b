"""Result records made by hand, so that figures and pages are tested with numbers worked out beforehand.

The question is when the Eiffel Tower was opened; five passages. In ``dense_full`` two answers are alike but for their
wording, one is vaguer (0.5 with the others) and one is wrong, so that every label occurs.
"""

import math
from dataclasses import replace

from engine.core.records import Generation, Hit, Interval, Judgement, Passage, Prompt, Token
from engine.methods.dense_records import DenseChunk, DenseResult, RewordedAnswer
from engine.methods.rewrites import RewriteAttempt, RewriteCheck
from engine.methods.seper_records import Belief, Meaning, SeperResult

QUESTION = "When was the Eiffel Tower opened to the public?"
PASSAGES = (
    "The Eiffel Tower in Paris was built from 1887 to 1889 by the company of Gustave Eiffel for the World's Fair.",
    "The tower was inaugurated on 31 March 1889, and it opened to the public on 15 May 1889, when the lifts ran.",
    "It stayed the tallest structure in the world for 41 years, until the Chrysler Building was topped out in 1930.",
    "Nearly two million people climbed the tower while the World's Fair of 1889 was held in Paris.",
    "The city had the right to take the tower down in 1909, but it was kept as a mast for radio telegraphy.",
)
REWRITES = (
    "Built by Gustave Eiffel's company between 1887 and 1889, the Eiffel Tower in Paris was made for the World's Fair.",
    "Inaugurated on 31 March 1889, the tower opened to visitors on 15 May 1889, once its lifts were running.",
    "For 41 years, until the Chrysler Building was topped out in 1930, no structure in the world was taller.",
    "While Paris held the World's Fair of 1889, close to two million people went up the tower.",
    "Paris was entitled to dismantle the tower in 1909, yet it was kept to carry radio telegraph aerials.",
)
HOSTILE = '<script>alert("x")</script> <b>31 March & "May"</b>'


def generation(text: str, logprob: float = -0.2, temperature: float = 0.0, seed: int = 0) -> Generation:
    """Return a generation with one token per word, entropies 0.3, 0.8, 1.3 … nats, and an end token."""
    tokens: list[Token] = []
    place = 0
    for number, word in enumerate(text.split(" ") if text else []):
        piece = word if number == 0 else " " + word
        entropy = 0.3 + 0.5 * number
        tokens.append(
            Token(id=number, text=piece, start=place, end=place + len(piece), logprob=logprob, entropy=entropy)
        )
        place += len(piece)
    tokens.append(Token(id=2, text="<|im_end|>", start=place, end=place, logprob=logprob, entropy=0.05))
    body = "\n".join(PASSAGES) + f"\n\nBased on the text above, answer in a few words: {QUESTION}"
    return Generation(
        prompt=Prompt(text=body),
        rendered=f"<|im_start|>user\n{body}<|im_end|>\n<|im_start|>assistant\n",
        prompt_tokens=198,
        text=text,
        tokens=tuple(tokens),
        stop_reason="end",
        temperature=temperature,
        seed=seed,
    )


def hits() -> tuple[Hit, ...]:
    """Return the five passages as retrieved."""
    return tuple(
        Hit(passage=Passage(text=text, title="Eiffel Tower"), rank=place + 1, score=9.0 - place, retriever="bm25")
        for place, text in enumerate(PASSAGES)
    )


def attempt(text: str, *, failed: str = "", source: str = "whole") -> RewriteAttempt:
    """Return a rewrite that passed every check, or failed the "numbers" check with the detail given."""
    checks = (
        RewriteCheck(name="changed", passed=True, detail="0.41 of its words differ"),
        RewriteCheck(name="complete", passed=True, detail="ends with a full stop"),
        RewriteCheck(name="names", passed=True, detail="kept: Paris"),
        RewriteCheck(name="numbers", passed=not failed, detail=failed or "kept: 1889"),
        RewriteCheck(name="meaning", passed=True, detail="similarity 0.93, bound 0.70"),
    )
    return RewriteAttempt(source=source, text=text, checks=checks, generations=(generation(text),))  # type: ignore[arg-type]


def chunk(
    index: int,
    answer: str | None,
    weight: float | None,
    label: str,
    ablation: str | None = None,
    ablation_weight: float | None = None,
) -> DenseChunk:
    """Return one chunk; ``answer`` None makes it a chunk whose two rewrites were rejected."""
    measured = answer is not None
    accepted = attempt(REWRITES[index]) if measured else None
    tried = (accepted,) if accepted else (attempt("The tower.", failed="lost: 1889"),) * 2
    return DenseChunk(
        index=index,
        passage=Passage(text=PASSAGES[index], title="Eiffel Tower"),
        attempts=tried,
        rewrite=accepted,
        answer=generation(answer) if answer is not None else None,
        weight=weight,
        ablation=generation(ablation) if ablation is not None else None,
        ablation_weight=ablation_weight,
        label=label,  # type: ignore[arg-type]
        reason="" if measured else "No rewording passed the checks: numbers.",
    )


def dense_result(original: str, chunks: tuple[DenseChunk, ...], weights: tuple[tuple[float, ...], ...]) -> DenseResult:
    """Return the result with DSE worked out from the weights as eq. 6 says: −mean ln(D_i / n)."""
    members = (-1, *(item.index for item in chunks if item.answer is not None))
    size = len(members)
    entropy = sum(math.log(size / sum(row)) for row in weights) / size
    answers = {-1: original} | {item.index: item.answer.text for item in chunks if item.answer is not None}
    judgements = tuple(
        Judgement(premise=answers[a], hypothesis=answers[b], contradiction=0.1, neutral=0.2, entailment=0.7)
        for a in members
        for b in members
        if a != b
    )
    return DenseResult(
        original=generation(original),
        chunks=chunks,
        members=members,
        weights=weights,
        judgements=judgements,
        entropy=entropy,
        share=entropy / math.log(size),
        uncertain=entropy > 0.2,
        valid_rewrites=size - 1,
        threshold=0.2,
        threshold_source="paper",
        rule="algorithm3",
    )


def dense_full() -> DenseResult:
    """Five valid rewrites, DSE = −(4 ln 4.5/6 + ln 1.5/6 + ln 3.5/6) / 6 = 0.512670 nats, not understood."""
    chunks = (
        chunk(0, "31 March 1889", 1.0, "certain"),
        chunk(1, "15 May 1889", 0.0, "necessary", ablation="In 1889 or 1890, during the Fair", ablation_weight=0.0),
        chunk(2, "In the year 1889", 0.5, "unnecessary", ablation="31 March 1889", ablation_weight=1.0),
        chunk(3, "31 March 1889.", 1.0, "certain"),
        chunk(4, "March 31, 1889", 1.0, "certain"),
    )
    same, wrong, vague = (1, 1, 0, 0.5, 1, 1), (0, 0, 1, 0.5, 0, 0), (0.5, 0.5, 0.5, 1, 0.5, 0.5)
    return dense_result("31 March 1889", chunks, (same, same, wrong, vague, same, same))


def dense_understood() -> DenseResult:
    """Five valid rewrites, one vaguer answer: D = (5.5 five times, 3.5), DSE 0.162342, 9% of its maximum."""
    chunks = (
        chunk(0, "31 March 1889", 1.0, "certain"),
        chunk(1, "In 1889", 0.5, "necessary", ablation="1909", ablation_weight=0.0),
        chunk(2, "31 March 1889", 1.0, "certain"),
        chunk(3, "31 March 1889.", 1.0, "certain"),
        chunk(4, "March 31, 1889", 1.0, "certain"),
    )
    same, vague = (1, 1, 0.5, 1, 1, 1), (0.5, 0.5, 1, 0.5, 0.5, 0.5)
    return dense_result("31 March 1889", chunks, (same, same, vague, same, same, same))


def dense_all_certain() -> DenseResult:
    """Five valid rewrites that all keep the answer: DSE 0."""
    chunks = tuple(chunk(place, "31 March 1889", 1.0, "certain") for place in range(5))
    return dense_result("31 March 1889", chunks, ((1,) * 6,) * 6)


def dense_two_not_measured() -> DenseResult:
    """Three of five rewrites valid, all answers alike: DSE 0."""
    chunks = (
        chunk(0, "31 March 1889", 1.0, "certain"),
        chunk(1, None, None, "not measured"),
        chunk(2, "31 March 1889", 1.0, "certain"),
        chunk(3, None, None, "not measured"),
        chunk(4, "March 31, 1889", 1.0, "certain"),
    )
    return dense_result("31 March 1889", chunks, ((1,) * 4,) * 4)


def dense_mostly_not_measured() -> DenseResult:
    """Two of five rewrites valid, all answers alike: too few to say anything."""
    chunks = (
        chunk(0, "31 March 1889", 1.0, "certain"),
        *(chunk(place, None, None, "not measured") for place in (1, 2, 3)),
        chunk(4, "March 31, 1889", 1.0, "certain"),
    )
    return dense_result("31 March 1889", chunks, ((1,) * 3,) * 3)


def dense_none_measured() -> DenseResult:
    """No rewrite passed: no graph, no entropy, a reason."""
    return DenseResult(
        original=generation("31 March 1889"),
        chunks=tuple(chunk(place, None, None, "not measured") for place in range(5)),
        members=(-1,),
        weights=((1.0,),),
        judgements=(),
        entropy=None,
        share=None,
        uncertain=None,
        valid_rewrites=0,
        threshold=0.2,
        threshold_source="paper",
        rule="algorithm3",
        not_measured="None of the 5 chunks could be reworded: no rewrite kept its numbers.",
    )


def dense_one_chunk() -> DenseResult:
    """One chunk only, whose rewording changes the answer: DSE = ln 2."""
    only = chunk(0, "In 1930", 0.0, "necessary", ablation="1909", ablation_weight=0.0)
    return dense_result("31 March 1889", (only,), ((1, 0), (0, 1)))


def dense_hostile() -> DenseResult:
    """Markup, right-to-left script, an empty answer and a very long one, none of them agreeing."""
    long = "It was opened to the public on the thirty-first of March in the year 1889 with a ceremony " * 4
    chunks = (
        chunk(0, HOSTILE, 0.0, "necessary", ablation="", ablation_weight=0.0),
        chunk(1, "31 במרץ 1889, פריז", 0.0, "unnecessary", ablation=HOSTILE, ablation_weight=1.0),
        chunk(2, "", 0.0, "necessary", ablation="1889", ablation_weight=0.5),
        chunk(3, long, 1.0, "certain"),
        chunk(4, None, None, "not measured"),
    )
    rows = tuple(tuple(1.0 if a == b or {a, b} == {0, 4} else 0.0 for b in range(5)) for a in range(5))
    return dense_result(HOSTILE, chunks, rows)


def belief(
    groups: tuple[tuple[str, int, bool | None], ...],
    kernel: dict[str, float],
    soft: float | None,
    interval: tuple[float, float] | None,
) -> Belief:
    """Return a belief of equally weighted samples: ``groups`` are (text, how many samples, matches gold)."""
    texts = [text for text, count, _ in groups for _ in range(count)]
    total = len(texts)
    meanings: list[Meaning] = []
    for text, count, matches in groups:
        first = sum(len(meaning.members) for meaning in meanings)
        members = tuple(range(first, first + count))
        meanings.append(Meaning(text=text, probability=count / total, members=members, matches_gold=matches))
    hard = None if soft is None else sum(meaning.probability for meaning in meanings if meaning.matches_gold)
    spread = None if interval is None else Interval(low=interval[0], high=interval[1], method="imagined draw")
    ids = tuple(place for place, (_, count, _) in enumerate(groups) for _ in range(count))
    return Belief(
        samples=tuple(generation(text, -0.3, 1.0, seed) for seed, text in enumerate(texts)),
        weights=(1 / total,) * total,
        ids=ids,
        meanings=tuple(meanings),
        kernel=tuple((kernel.get(text, 0.02),) for text in texts) if soft is not None else ((),) * total,
        soft=soft,
        hard=hard,
        soft_interval=spread,
        hard_interval=spread,
        entropy=-sum(meaning.probability * math.log(meaning.probability) for meaning in meanings),
    )


GOLD_KERNEL = {"31 March 1889": 0.99, "March 31, 1889": 0.98}
BEFORE = (("1887", 4, False), ("31 March 1889", 2, True), ("In 1900", 2, False), ("1925", 1, False), ("1789", 1, False))
AFTER = (("31 March 1889", 7, True), ("15 May 1889", 2, False), ("1887", 1, False))


def unmarked(groups: tuple[tuple[str, int, bool | None], ...]) -> tuple[tuple[str, int, bool | None], ...]:
    """Return the groups as they are where no gold answer is known."""
    return tuple((text, count, None) for text, count, _ in groups)


def seper_result(
    without: Belief, with_passages: Belief, delta: float | None, interval: tuple[float, float] | None
) -> SeperResult:
    """Return the result with the soft delta given; the hard one from the beliefs."""
    spread = None if interval is None else Interval(low=interval[0], high=interval[1], method="imagined draw")
    hard = None if delta is None else (with_passages.hard or 0.0) - (without.hard or 0.0)
    return SeperResult(
        variant="code",
        golds=("31 March 1889",) if delta is not None else (),
        without=without,
        with_passages=with_passages,
        judgements=(),
        delta_soft=delta,
        delta_hard=hard,
        delta_soft_interval=spread,
        delta_hard_interval=spread,
        not_measured="" if delta is not None else "SePer needs a reference answer; none was given.",
    )


def seper_helped() -> SeperResult:
    """Soft belief 0.21 before, 0.70 after: Δ 0.49 with interval [0.18, 0.76]; hard 0.2 → 0.7."""
    before = belief(BEFORE, GOLD_KERNEL, 0.21, (0.03, 0.47))
    return seper_result(before, belief(AFTER, GOLD_KERNEL, 0.70, (0.41, 0.9)), 0.49, (0.18, 0.76))


def seper_hurt() -> SeperResult:
    """The same two beliefs the other way round: Δ −0.49 with interval [−0.76, −0.18]."""
    before = belief(AFTER, GOLD_KERNEL, 0.70, (0.41, 0.9))
    return seper_result(before, belief(BEFORE, GOLD_KERNEL, 0.21, (0.03, 0.47)), -0.49, (-0.76, -0.18))


def seper_noise() -> SeperResult:
    """Soft belief 0.21 before, 0.31 after: Δ 0.10, but its interval [−0.25, 0.43] includes 0."""
    before = belief(BEFORE, GOLD_KERNEL, 0.21, (0.03, 0.47))
    groups = (("1887", 5, False), ("31 March 1889", 3, True), ("In 1900", 2, False))
    return seper_result(before, belief(groups, GOLD_KERNEL, 0.31, (0.08, 0.6)), 0.10, (-0.25, 0.43))


def seper_no_gold() -> SeperResult:
    """No reference answer: beliefs over meanings only."""
    before = belief(unmarked(BEFORE), {}, None, None)
    return seper_result(before, belief(unmarked(AFTER), {}, None, None), None, None)


def seper_hostile() -> SeperResult:
    """Eleven meanings, among them markup, right-to-left script, an empty answer and a long one."""
    long = "the tower was opened on the thirty-first of March in the year 1889 with a ceremony and a flag " * 3
    names = (HOSTILE, "31 במרץ 1889", "", long, "1881", "1882", "1883", "1884", "1885", "1886")
    before = belief(tuple((name, 1, False) for name in names), {}, 0.02, (0.02, 0.02))
    after = belief((("31 March 1889", 6, True), (HOSTILE, 4, False)), GOLD_KERNEL, 0.602, (0.3, 0.9))
    return seper_result(before, after, 0.582, (0.28, 0.88))


def dense_depending_on_wording() -> DenseResult:
    """The understood result with one further rewording of passage 1: DSE 0.10 to 0.45 over the ways of choosing."""
    first = dense_understood()
    further = RewordedAnswer(index=1, rewrite=attempt("Another way to say it."), answer=generation("1909 <b>"))
    rows = tuple((*line, 0.0) for line in first.weights)
    return replace(
        first,
        further=(further,),
        further_weights=(*rows, (0.0,) * len(rows) + (1.0,)),
        entropy_interval=Interval(low=0.1, high=0.45),
    )
