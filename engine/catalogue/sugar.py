"""SUGAR's numbers: four readings of the doubt in sampled answers, what is compared with the thresholds, and those."""

from engine.catalogue.base import Entry, Fact, Input, Place, Working, derived, stored_source, tex, total
from engine.catalogue.seper import entropy_working, mean_logprobs
from engine.measures.semantic_clusters import cluster_probabilities
from engine.measures.semantic_entropy import (
    discrete_semantic_entropy,
    equation_1,
    predictive_entropy,
    retrieval_need,
)
from engine.methods.sugar import PAPER_THRESHOLDS, Doubt, SugarResult

SE = r"\mathrm{SE} = -\sum_C p(C) \ln p(C), \qquad p(C) = \frac{\sum_{i \in C} e^{m_i}}{\sum_j e^{m_j}}"
PRINTED = r"-\frac{1}{|C|} \sum_C \ln p(C)"
DECIDES = (
    r"\mathrm{SE} \le \tau_{low}: \text{none}, \quad "
    r"\mathrm{SE} \le \tau_{high}: \text{once}, \quad \text{else several}"
)
PREDICTIVE = r"-\frac{1}{N} \sum_i \tfrac{1}{T_i} \sum_t \ln p(t \mid \ldots)"


def decision_again(place: Place) -> str:
    """Return how often to look something up, from the measured number and both thresholds."""
    result = place.the(SugarResult)
    return retrieval_need(result.measured, result.low, result.high)


def answer_again(place: Place) -> str:
    """Return the answer of the last round that wrote one, else the closed-book answer."""
    result = place.the(SugarResult)
    answers = [one.answer.text for one in result.rounds if one.answer is not None]
    return answers[-1] if answers else result.closed_book_answer.text


def entropy_work(place: Place) -> Working:
    """Return semantic entropy of the draws."""
    return entropy_working(place.the(Doubt).belief)


def printed_work(place: Place) -> Working:
    """Return the paper's eq. 1 as printed."""
    belief = place.the(Doubt).belief
    found = cluster_probabilities(belief.weights, belief.ids)
    if not found.all():
        return Working(filled=r"-\ln 0 = \infty", again=float("inf"), note="A meaning's share is rounded to 0.")
    again = equation_1(found)
    terms = total([rf"\ln {tex(float(p), 4)}" for p in found])
    return Working(
        filled=rf"-\tfrac{{1}}{{{len(found)}}}\left({terms}\right) = {tex(again)}",
        inputs=tuple(Input(name=f"p(C), meaning {n}", value=float(p)) for n, p in enumerate(found, 1)),
        again=again,
    )


def discrete_work(place: Place) -> Working:
    """Return semantic entropy of the frequencies."""
    ids = place.the(Doubt).belief.ids
    again = discrete_semantic_entropy(ids)
    counts = [ids.count(number) for number in dict.fromkeys(ids)]
    terms = total([rf"\tfrac{{{count}}}{{{len(ids)}}} \ln \tfrac{{{count}}}{{{len(ids)}}}" for count in counts])
    return Working(
        filled=rf"-\left({terms}\right) = {tex(again)}",
        inputs=tuple(Input(name=f"draws of meaning {n}", value=count) for n, count in enumerate(counts, 1)),
        again=again,
    )


def predictive_work(place: Place) -> Working:
    """Return predictive entropy of the draws."""
    samples = place.the(Doubt).belief.samples
    means = mean_logprobs(samples)
    again = predictive_entropy(means)
    return Working(
        filled=rf"-\tfrac{{1}}{{{len(means)}}}\left({total([tex(mean, 4) for mean in means])}\right) = {tex(again)}",
        inputs=tuple(
            Input(name=f"m, draw {n}", of=sample.text, value=mean)
            for n, (sample, mean) in enumerate(zip(samples, means, strict=True), 1)
        ),
        again=again,
    )


def measured_work(place: Place) -> Working:
    """Return the number that was compared with the thresholds."""
    result = place.the(SugarResult)
    again = result.closed_book.entropy if result.form == "entropy" else result.closed_book.equation_1
    return Working(
        filled=rf"{tex(again)} \text{{ against }} {tex(result.low)} \text{{ and }} {tex(result.high)}",
        inputs=(
            Input(name="form", of="semantic entropy" if result.form == "entropy" else "eq. 1 as printed"),
            Input(name="lower threshold", value=result.low),
            Input(name="upper threshold", value=result.high),
            Input(name="decision", of=result.decision),
        ),
        again=again,
    )


def threshold_work(place: Place) -> Working:
    """Return what a threshold is compared with."""
    result = place.the(SugarResult)
    return Working(inputs=(Input(name="measured", value=result.measured), Input(name="decision", of=result.decision)))


def doubt(field: str, title: str, equation: str, paper: str, function: str, **said: object) -> Entry:
    """Return the entry of one reading of the doubt in a set of draws."""
    return Entry(
        record=Doubt,
        field=field,
        title=title,
        unit="nats a token" if field == "predictive" else "nats",
        range=str(said.pop("range", "0 to ln(number of draws)")),
        direction="higher = more unsure",
        equation=equation,
        source=paper,
        function=f"engine.measures.semantic_entropy.{function}",
        **said,  # type: ignore[arg-type]
    )


def threshold(field: str, title: str, decides: str, papers: str) -> Entry:
    """Return the entry of one of SUGAR's two thresholds."""
    return Entry(
        short=title.removeprefix("SUGAR's "),
        record=SugarResult,
        field=field,
        title=title,
        unit="nats",
        range="at least 0, lower not above upper",
        direction=decides,
        equation=DECIDES,
        source="SUGAR, section II.C; values of section III.D",
        function="engine.measures.semantic_entropy.retrieval_need",
        kind="setting",
        work=threshold_work,
        threshold=stored_source(SugarResult),
        papers=papers,
    )


ENTRIES: tuple[Entry, ...] = (
    derived(
        SugarResult,
        "round_count",
        "Rounds of retrieval",
        "count",
        "higher = costs more",
        "SUGAR, section II.C",
        lambda result: float(len(result.rounds)),
    ),
    doubt(
        "entropy",
        "Semantic entropy",
        SE,
        "SUGAR, section II.B; Farquhar et al. 2024",
        "semantic_entropy",
        work=entropy_work,
    ),
    doubt(
        "equation_1",
        "SUGAR's eq. 1 as printed",
        PRINTED,
        "SUGAR, eq. 1 (no entropy: it rises as one meaning wins)",
        "equation_1",
        range="at least ln(number of meanings)",
        work=printed_work,
    ),
    doubt(
        "discrete",
        "Discrete semantic entropy",
        r"-\sum_C \frac{|C|}{N} \ln \frac{|C|}{N}",
        "Farquhar et al. 2024",
        "discrete_semantic_entropy",
        work=discrete_work,
    ),
    doubt(
        "predictive",
        "Predictive entropy",
        PREDICTIVE,
        "SUGAR, section III.D (a baseline)",
        "predictive_entropy",
        range="at least 0",
        work=predictive_work,
    ),
    Entry(
        record=SugarResult,
        field="measured",
        title="What is compared with SUGAR's thresholds",
        short="closed-book entropy",
        compared_in=SugarResult,
        unit="nats",
        range="at least 0",
        direction="higher = more unsure: look up more often",
        equation=SE,
        source="SUGAR, section II.C",
        function="engine.measures.semantic_entropy.retrieval_need",
        work=measured_work,
    ),
    threshold(
        "low",
        "SUGAR's lower threshold",
        "up to it nothing is looked up",
        f"{PAPER_THRESHOLDS[0]:g} nats (TriviaQA, a 7B model)",
    ),
    threshold(
        "high",
        "SUGAR's upper threshold",
        "above it several lookups",
        f"{PAPER_THRESHOLDS[1]:g} nats (SQuAD, a 7B model)",
    ),
)
FACTS: tuple[Fact, ...] = (
    Fact(SugarResult, "decision", decision_again),
    Fact(SugarResult, "answer", answer_again, lambda own: own.answer.text),
)
RAW_PARTS = (("rounds.hits", "what a search finds rests on the corpus"),)
