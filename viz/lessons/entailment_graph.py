"""Lesson: reading the entailment graph. Edges, degrees, and the entropy of degrees by hand (DENSE, eq. 3 to 6)."""

import math

from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.base import Lesson, Need, Option, Part, Question, Slip, Step, amount
from engine.learning.lessons.facts import dense_of, needed, posed
from engine.measures.response_graph import degrees, is_uncertain
from engine.methods.dense import DenseResult
from viz.words import counted, quoted


def degrees_of(result: DenseResult) -> list[float]:
    """Return the degree of every answer, self loop included."""
    return [float(value) for value in degrees(result.weights)]


def names_of(result: DenseResult) -> list[str]:
    """Return what each answer of the graph is the answer to."""
    return ["original passages" if m < 0 else f"passage {m + 1} reworded" for m in result.members]


def answers_of(result: DenseResult) -> list[str]:
    """Return the texts of the answers in the graph."""
    texts = {chunk.index: chunk.answer.text.strip() for chunk in result.chunks if chunk.answer is not None}
    return [result.original.text.strip() if member < 0 else texts.get(member, "") for member in result.members]


def apart(result: DenseResult) -> int | None:
    """Return the one answer that agrees least with the others, None where several agree as little or all agree."""
    found = degrees_of(result)
    least = min(found)
    return found.index(least) if found.count(least) == 1 and least < len(found) else None


def stands_apart(run: Diagnosis) -> bool:
    """Return whether one answer of the run's graph agrees with the others less than any other does."""
    result = dense_of(run)
    return result is not None and len(result.members) > 2 and apart(result) is not None


def build(run: Diagnosis) -> tuple[Step, ...]:
    """Return the steps of the lesson on a run."""
    result = needed(dense_of(run))
    odd = needed(apart(result))
    return (
        nodes(run, result, odd),
        edges(result, odd),
        term(result, odd),
        average(result),
        threshold(result),
        beyond(result),
    )


def nodes(run: Diagnosis, result: DenseResult, odd: int) -> Step:
    """Return the step that shows the answers and asks which one stands apart."""
    names, texts, found = names_of(result), answers_of(result), degrees_of(result)
    options = tuple(
        Option(
            text=f"{name}: {quoted(text)}",
            why=f"Yes: its degree, {found[place]:g}, is the smallest."
            if place == odd
            else f"Its degree is {found[place]:g}; there is one that fewer answers agree with.",
        )
        for place, (name, text) in enumerate(zip(names, texts, strict=True))
    )
    return Step(
        title="The nodes are answers",
        text=(
            f"{posed(run)} The model answered it over the original passages, and again each time "
            "with "
            "one passage put in other words. A model that understood should give the same answer every time.",
        ),
        question=Question(kind="choice", text="Which answer stands apart from the others?", options=options, right=odd),
        reveal=("In the graph every answer is a node; a line means that two answers agree.",),
        then=("dense-graph",),
        mistake="The nodes are not passages. Each node is an answer, named by the passage that was reworded for it.",
        notes="Ask first: if only the wording of a passage changes, may the answer change?",
    )


def edges(result: DenseResult, odd: int) -> Step:
    """Return the step that sums one row of weights."""
    row, degree = result.weights[odd], degrees_of(result)[odd]
    return Step(
        title="Lines have weights, nodes have degrees",
        text=(
            "The judge is asked both ways. Both say yes: weight 1. Only one: 0.5. None: 0. An answer always agrees "
            "with itself: 1, the self loop.",
            f"Here is the row of the answer that stands apart, {quoted(answers_of(result)[odd])}.",
        ),
        equation=r"w_{ij} = \tfrac12\,[\,r_i \Rightarrow r_j\,] + \tfrac12\,[\,r_j \Rightarrow r_i\,] \qquad D_i = "
        r"\sum_j w_{ij}",
        table={"agreement with the answer to": names_of(result), "weight": [f"{w:g}" for w in row]},
        question=Question(
            kind="number",
            text="What is its degree D?",
            value=degree,
            tolerance=0.01,
            slips=(
                Slip(value=degree - 1, why="The self loop is missing: an answer agrees with itself, which adds 1."),
                Slip(value=float(len(row)), why="That is the number of answers. The degree adds up the weights."),
            ),
        ),
        reveal=("Add the row:",),
        working=(f"D = {' + '.join(f'{w:g}' for w in row)} = {degree:g}",),
        then=("dense-agreement",),
        mistake="Leaving out the self loop. An answer nobody agrees with would have degree 0, and ln 0 is infinite.",
        notes="The paper leaves the self loop open; without it the formula fails on the most telling case.",
    )


def term(result: DenseResult, odd: int) -> Step:
    """Return the step that turns one degree into its term of the entropy."""
    n, degree = len(result.members), degrees_of(result)[odd]
    value = -math.log(degree / n)
    return Step(
        title="From a degree to surprise",
        text=(
            f"Divide the degree by the number of answers, {n}: the share of answers that agree with this one. Its "
            "surprise is minus the natural logarithm of that share: 0 where all agree, larger where few do.",
        ),
        equation=r"s_i = -\ln \frac{D_i}{n}",
        question=Question(
            kind="number",
            text=f"How large is the surprise of the answer with D = {degree:g} among n = {n}?",
            value=value,
            tolerance=0.02,
            unit="nats",
            slips=(
                Slip(value=degree / n, why="That is the share D/n. Take minus its natural logarithm."),
                Slip(
                    value=-value,
                    why="The sign is turned round: the logarithm of a share is negative, minus it positive.",
                ),
                Slip(value=value / math.log(2), why="That is in bits, with logarithms to base 2. Nats use base e."),
                Slip(value=value / math.log(10), why="That logarithm has base 10. Nats use base e."),
            ),
        ),
        reveal=("Share first, logarithm second:",),
        working=(
            f"D / n = {degree:g} / {n} = {degree / n:.4f}",
            f"−ln {degree / n:.4f} = {amount(value, 'nats', 4)}",
        ),
        mistake="Using base 2 or base 10. The threshold of 0.2 is in nats.",
        notes="Useful by heart: ln 2 ≈ 0.69, ln 3 ≈ 1.10, ln 6 ≈ 1.79.",
    )


def average(result: DenseResult) -> Step:
    """Return the step that averages all terms to DSE."""
    n, found, entropy = len(result.members), degrees_of(result), needed(result.entropy)
    terms = [-math.log(degree / n) for degree in found]
    return Step(
        title="The entropy of the graph",
        text=("Degree-based semantic entropy, DSE, is the mean of the surprises of all answers.",),
        equation=r"\mathrm{DSE} = -\frac1n \sum_i \ln \frac{D_i}{n}",
        table={
            "answer to": names_of(result),
            "degree D": [f"{degree:g}" for degree in found],
            "−ln(D/n)": [f"{abs(value):.4f}" for value in terms],
        },
        question=Question(
            kind="number",
            text="What is DSE?",
            value=entropy,
            tolerance=0.01,
            unit="nats",
            slips=(Slip(value=sum(terms), why=f"That is the sum. Divide it by the number of answers, {n}."),),
        ),
        reveal=("Every term, their sum, and the mean:",),
        working=(
            *(
                f"{name}: −ln({degree:g}/{n}) = {abs(value):.4f}"
                for name, degree, value in zip(names_of(result), found, terms, strict=True)
            ),
            f"sum = {sum(terms):.4f}; divided by {n}: DSE = {amount(entropy, 'nats', 4)}",
        ),
        mistake="Summing over pairs. The mean runs over answers; pairs are already inside the degrees.",
        notes="Let one row of the class compute one term each and add up at the board.",
    )


def threshold(result: DenseResult) -> Step:
    """Return the step that holds DSE against its threshold."""
    entropy = needed(result.entropy)
    over = is_uncertain(entropy, result.threshold)
    compared = f"{entropy:.4f} {'>' if over else '≤'} {result.threshold:g}"
    options = (
        Option(text="Uncertain: above the threshold", why=f"{'Yes' if over else 'Not quite'}: {compared}."),
        Option(text="Certain: not above the threshold", why=f"{'Not quite' if over else 'Yes'}: {compared}."),
    )
    return Step(
        title="Is that much?",
        text=(
            f"The paper calls a question uncertain where DSE is above {result.threshold:g} nats, set for five "
            "passages and models of 1.5 to 70 billion parameters.",
            f"The most that {counted(len(result.members), 'answer')} can reach is ln {len(result.members)} = "
            f"{math.log(len(result.members)):.3f} nats: no two agree.",
        ),
        question=Question(
            kind="choice", text="What does DENSE say of this question?", options=options, right=0 if over else 1
        ),
        reveal=(
            f"DSE is {amount(entropy, 'nats')}, which is {entropy / math.log(len(result.members)):.0%} of the most it "
            "can be.",
        ),
        then=("dense-entropy",),
        mistake="Comparing DSE across questions with different numbers of passages: its ceiling is ln(k + 1).",
        notes="A band beside the number shows what other rewordings of the same passages would have given.",
    )


def beyond(result: DenseResult) -> Step:
    """Return the closing step: what the graph does not say."""
    interval = result.entropy_interval
    band = (
        f"Taking other rewordings of the same passages moves DSE between {interval.low:.3f} and {interval.high:.3f} "
        "nats."
        if interval is not None
        else "Each passage was reworded once only, so this run has no band for DSE."
    )
    return Step(
        title="What the graph does not say",
        text=(
            "A tight graph says that the model reads the passages alike however they are worded. It does not say that "
            "it reads them rightly: five equal answers can be equally wrong.",
            band,
            "On a graph that falls into groups which agree fully inside and not at all between, DSE equals the entropy "
            "of the group sizes. That is a check anybody can do by hand.",
        ),
        notes="Lead over to the lesson on low entropy that is wrong.",
    )


LESSON = Lesson(
    word="entailment-graph",
    title="Reading the entailment graph",
    asks="How does one number come out of answers and lines between them?",
    papers="DENSE, section 4, eq. 3 to 6",
    parts=(
        Part(
            needs=(Need(words="one answer that agrees with the others less than any other does", holds=stands_apart),),
            prefers=("suez-opening-date", "capital-of-turkey"),
        ),
    ),
    build=build,
    steps=6,
)
