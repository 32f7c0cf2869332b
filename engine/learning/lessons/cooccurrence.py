"""Lesson: co-occurrence and its blind spot. Two names that meet prove no claim, and a true claim may never meet.

QuCo-RAG, section 3, eq. 2 to 4, on the counts of two stored runs.
"""

from engine.core.words import counted, quoted
from engine.diagnosis.record import Diagnosis
from engine.learning.lessons.base import Lesson, Need, Option, Part, Question, Slip, Step, amount
from engine.learning.lessons.facts import READ_RIGHT, READ_WRONG, asked, golds_words, needed, posed, quco_of
from engine.methods.quco_claims import CountedClaim
from engine.methods.quco_rag import QucoResult

NARROW = 10


def answer_claims(run: Diagnosis) -> tuple[CountedClaim, ...]:
    """Return the measured claims of the short answer, each with a head and a tail."""
    result = quco_of(run)
    sentences = result.sentences if result is not None else ()
    claims = (claim for one in sentences if one.kind == "short answer" for claim in one.claims)
    return tuple(claim for claim in claims if claim.tail is not None and claim.supported is not None)


def met(run: Diagnosis) -> CountedClaim | None:
    """Return the first claim of the short answer whose ends meet in a place that is kept, None where there is none."""
    return next((claim for claim in answer_claims(run) if claim.supported and claim.meetings), None)


def missed(run: Diagnosis) -> CountedClaim | None:
    """Return the first claim of the short answer whose ends never meet, None where there is none."""
    return next((claim for claim in answer_claims(run) if claim.supported is False), None)


def counts_of(result: QucoResult) -> list[int]:
    """Return how often each countable entity of the question is named."""
    return [entity.count for entity in result.entities if entity.count is not None]


def two_counts(run: Diagnosis) -> bool:
    """Return whether two entities of the question were counted, not both alike."""
    result = quco_of(run)
    return result is not None and len(set(counts_of(result))) > 1


def ends(claim: CountedClaim) -> tuple[str, str]:
    """Return head and tail of a claim in quotation marks."""
    return quoted(claim.head.entity.text), quoted(needed(claim.tail).entity.text)


def build(wrong: Diagnosis, right: Diagnosis) -> tuple[Step, ...]:
    """Return the steps of the lesson: on a wrong answer whose names meet, then on a right one whose names do not."""
    first, other = needed(quco_of(wrong)), needed(quco_of(right))
    there, absent = needed(met(wrong)), needed(missed(right))
    return (
        familiar(wrong, first),
        meeting(wrong, first, there),
        rule(first, there),
        blind_spot(wrong, there),
        window(first, there),
        never_met(right, other, absent),
        use(),
    )


def familiar(run: Diagnosis, result: QucoResult) -> Step:
    """Return the step that averages the counts of the question's entities."""
    counts = counts_of(result)
    mean = sum(counts) / len(counts)
    return Step(
        title="How familiar are the names?",
        text=(
            f"{posed(run)} QuCo-RAG counts how often a corpus ({result.corpus}) names the "
            "things it asks about. What is rarely named was rarely learnt.",
        ),
        equation=r"\bar c = \frac1{|E|}\sum_{e \in E} c(e)",
        table={
            "named in the question": [e.entity.text for e in result.entities if e.count is not None],
            "times named": counts,
        },
        question=Question(
            kind="number",
            text="What is the mean count?",
            value=mean,
            tolerance=0.1,
            slips=(Slip(value=float(sum(counts)), why="That is the sum. Divide it by the number of names."),),
        ),
        reveal=("Add up and divide:",),
        working=(f"({' + '.join(map(str, counts))}) / {len(counts)} = {amount(mean)}",),
        then=("quco-entities",),
        mistake="The paper's threshold of 1000 is for billions of texts. In a small corpus it means nothing.",
        notes="Ask which name in the question is the rare one, before showing the counts.",
    )


def meeting(run: Diagnosis, result: QucoResult, claim: CountedClaim) -> Step:
    """Return the step that asks whether the ends of a claim meet."""
    head, tail = ends(claim)
    documents = claim.documents or 0
    options = (
        Option(text="Never", why=f"They do: in {counted(documents, 'document')} of this corpus."),
        Option(text="At least once", why=f"Yes: in {counted(documents, 'document')}."),
    )
    return Step(
        title="Do the two ends ever meet?",
        text=(
            f"Over the passages the model answered {quoted(run.answer.text)}. As a claim that pairs {head} with "
            f"{tail}.",
            f"QuCo-RAG asks whether both stand in one document, at most {result.window} words apart.",
        ),
        question=Question(kind="choice", text=f"Do {head} and {tail} meet in this corpus?", options=options, right=1),
        reveal=("Every pair of the answers, with its count:",),
        then=("quco-network",),
        mistake="Taking the count for a probability. It only says: somewhere, both are named.",
        notes="Let the class guess for their own home town and a famous person.",
    )


def rule(result: QucoResult, claim: CountedClaim) -> Step:
    """Return the step that applies the rule."""
    head, tail = ends(claim)
    options = (
        Option(text="Accept it", why="Yes: a pair that meets at least once passes."),
        Option(
            text="Look something up", why="Only a pair that meets less often than the threshold calls for a lookup."
        ),
    )
    return Step(
        title="What the rule does with it",
        text=(
            f"The rule: a claim whose ends meet in fewer than {counted(result.cooccurrence_threshold, 'document')} is "
            f"unsupported, and something is looked up. {head} and {tail} meet in {claim.documents or 0}.",
        ),
        equation=r"\text{look up} \iff \min_{(h,\,t)} \; \mathrm{cooc}(h, t) < \tau",
        question=Question(kind="choice", text="What does QuCo-RAG do with this claim?", options=options, right=0),
        reveal=("Compare with the threshold:",),
        working=(f"{claim.documents or 0} ≥ {result.cooccurrence_threshold}: supported",),
        mistake="Reading “supported” as “true”. It is the absence of one kind of warning.",
        notes="Ask for a false sentence whose two names meet everywhere. That is the next step.",
    )


def blind_spot(run: Diagnosis, claim: CountedClaim) -> Step:
    """Return the step that shows the blind spot: the supported claim is wrong."""
    head, tail = ends(claim)
    options = (
        Option(text="The corpus holds an error", why="It need not: read the place below. It says something else."),
        Option(
            text="They meet for another reason",
            why="Yes: both are named near each other, and the relation between them is not checked.",
        ),
        Option(text="The counts are wrong", why="The counts are exact for this corpus; a test counts them again."),
    )
    places = claim.meetings
    return Step(
        title="The blind spot",
        text=(
            f"The answer {quoted(run.answer.text)} is wrong: right is {golds_words(run)}. Yet {head} and {tail} do "
            "meet.",
        ),
        question=Question(kind="choice", text="How can a wrong claim have evidence?", options=options, right=1),
        reveal=(f"Where {head} and {tail} meet:",),
        working=tuple(
            f"{one.title or one.document_id}, {counted(one.distance, 'word')} apart: {quoted(one.excerpt, 400)}"
            for one in places
        ),
        mistake="Co-occurrence sees pairs. The verb between them, and the word “not”, are invisible to it.",
        notes="The optional relation-aware check looks for head, relation and tail as one phrase, and misses "
        "paraphrases.",
    )


def window(result: QucoResult, claim: CountedClaim) -> Step:
    """Return the step on the window."""
    nearest = min(one.distance for one in claim.meetings)
    inside = nearest <= NARROW
    options = (
        Option(
            text="Yes, they would still meet",
            why=f"{'Yes' if inside else 'No'}: the nearest place is {counted(nearest, 'word')} wide.",
        ),
        Option(
            text="No, they would not",
            why=f"{'No' if inside else 'Yes'}: the nearest place is {counted(nearest, 'word')} wide.",
        ),
    )
    return Step(
        title="The window",
        text=(f"Both ends may stand {result.window} words apart, start to start. Suppose only {NARROW} were allowed.",),
        question=Question(kind="choice", text="Would this pair still meet?", options=options, right=0 if inside else 1),
        reveal=("Compare the nearest place with the window:",),
        working=(f"{nearest} {'≤' if inside else '>'} {NARROW}, and {nearest} ≤ {result.window}",),
        mistake="A narrow window removes chance meetings, and true ones in long sentences as well.",
        notes="There is no right window. It trades false support against missing support.",
    )


def never_met(run: Diagnosis, result: QucoResult, claim: CountedClaim) -> Step:
    """Return the step on the other side: a right answer without evidence."""
    head, tail = ends(claim)
    options = (
        Option(text="Then the answer is wrong", why=f"It is right: {golds_words(run)}."),
        Option(
            text="Names are counted as they are written",
            why="Yes: other words for the same thing, or another cut of the name, count as never met.",
        ),
        Option(
            text="The corpus does not know it", why="It does: the model read the answer in a passage of this corpus."
        ),
    )
    return Step(
        title="The other side: true, and never met",
        part=1,
        text=(
            f"Another run: {asked(run)} The model answered {quoted(run.answer.text)}, which is right. The claim pairs "
            f"{head} with {tail}, and in {result.corpus} they never meet.",
        ),
        question=Question(kind="choice", text="How can a right answer have no evidence?", options=options, right=1),
        reveal=("What was counted, letter by letter:",),
        working=(
            f"{head}: named {counted(claim.head.count or 0, 'time')}",
            f"{tail}: named {counted(needed(claim.tail).count or 0, 'time')}",
            f"both together: {counted(claim.documents or 0, 'document')}",
        ),
        then=("quco-network",),
        mistake="“No evidence in this corpus” is not “false”. It is a reason to look, not a verdict.",
        notes="Have them reword the tail until it would be found. Plurals and units are enough.",
    )


def use() -> Step:
    """Return the closing step: what the count is good for."""
    return Step(
        title="What it is good for",
        text=(
            "A pair that never meets is a cheap and fast warning, which needs no model at all, and it is often right "
            "about invented names.",
            "It cannot confirm. What meets may be false, what never meets may be true, and both happen in these runs.",
            "So use it as an alarm, and let something that reads the sentence decide.",
        ),
        notes="Compare with the entropy lessons: the model's doubt and the corpus's silence are two alarms.",
    )


LESSON = Lesson(
    word="co-occurrence",
    title="Co-occurrence and its blind spot",
    asks="If two names meet in many texts, is the claim true?",
    papers="QuCo-RAG, section 3, eq. 2 to 4, and appendix A.10",
    parts=(
        Part(
            needs=(
                READ_WRONG,
                Need(
                    words="a claim of the answer whose ends meet all the same", holds=lambda run: met(run) is not None
                ),
                Need(words="two counted names in the question", holds=two_counts),
            ),
            prefers=("moon-landing-date",),
        ),
        Part(
            needs=(
                READ_RIGHT,
                Need(words="a claim of the answer whose ends never meet", holds=lambda run: missed(run) is not None),
            ),
            prefers=("eiffel-tower-height", "mercury-freezing"),
        ),
    ),
    build=build,
    steps=7,
)
