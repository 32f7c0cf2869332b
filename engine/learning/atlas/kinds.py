"""The kinds of failure: what each is, who described it, when a run shows it, which methods can notice it.

The order follows an answer: retrieval, reading, memory, timing, instruments. Papers are named by authors and year; none
of them is followed equation by equation here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from engine.diagnosis.record import Diagnosis
from engine.learning.atlas import detectors, predicates
from engine.learning.atlas.detectors import Detector
from engine.runs.sample_questions import SampleQuestion

Predicate = Callable[[Diagnosis, SampleQuestion], bool]
Stage = Literal["retrieval", "reading", "memory", "timing", "instruments"]
Change = Literal["only the answer", "without the wrong", "right first", "no copies", "as it was"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clue:
    """How one method can notice a kind of failure, in words and as a detector over the record."""

    method: str
    words: str
    detector: Detector


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of failure. ``predicate`` describes ``shows`` in words; ``literature`` names who described the kind.

    ``change`` is what to try next: which passages the form starts with. ``trial`` says what to look for then.
    """

    word: str
    title: str
    stage: Stage
    definition: str
    predicate: str
    literature: tuple[str, ...]
    shows: Predicate
    clues: tuple[Clue, ...]
    change: Change
    trial: str

    @property
    def run_id(self) -> str:
        """The id of the stored run that shows this kind."""
        return f"atlas-{self.word.replace('_', '-')}"


UNSTABLE = Clue(
    method="dense",
    words="DENSE calls the answer not stable: another wording, another answer",
    detector=detectors.not_stable,
)
NO_GAIN = Clue(
    method="seper",
    words="ΔSePer is not above 0 beyond noise: the passages did not clearly help",
    detector=detectors.belief_did_not_rise,
)
FELL = Clue(
    method="seper", words="ΔSePer is below 0 beyond noise: the passages lowered belief", detector=detectors.belief_fell
)
SPREAD = Clue(
    method="uncertainty",
    words="most measures call the samples over the passages uncertain",
    detector=detectors.samples_disagree,
)
NEVER_MEET = Clue(
    method="quco_rag", words="the two ends of a claim of the short answer never meet", detector=detectors.no_evidence
)
HARMFUL = Clue(
    method="chunk_utility",
    words="a passage that contains the answer is called harmful",
    detector=detectors.harmful_passage,
)
MENDED = Clue(method="dense_rag", words="DENSE-RAG ends with a right answer", detector=detectors.refined_answer_right)
DOUBTED = Clue(
    method="dense_rag",
    words="DENSE-RAG neither accepts the passages nor settles on a refined context",
    detector=detectors.not_accepted,
)
STAY_IN = Clue(
    method="sugar", words="SUGAR asks for no lookup, because memory is certain", detector=detectors.needs_no_lookup
)
GO_OUT = Clue(
    method="sugar", words="SUGAR asks for a lookup before anything is written", detector=detectors.needs_lookup
)
TREND_CALM = Clue(
    method="entropy_trend",
    words="ETC would look nothing up, because memory suffices",
    detector=detectors.would_not_look_up,
)
TREND_ALARM = Clue(
    method="entropy_trend",
    words="ETC would look something up while the model answers from memory",
    detector=detectors.would_look_up,
)

RETRIEVAL_KINDS = (
    Kind(
        word="made_up",
        title="No passage has the answer, and the model gives one",
        stage="retrieval",
        definition="Neither the passages nor the corpus contain the answer. A good reader says so. This one names "
        "something.",
        predicate="the answer was removed from the passages or was never in the corpus, no passage contains it, and "
        "the model answers wrongly",
        literature=(
            "Chen et al. 2024, Benchmarking Large Language Models in Retrieval-Augmented Generation (“negative "
            "rejection”)",
            "Barnett et al. 2024, Seven Failure Points When Engineering a RAG System (FP1, missing content)",
        ),
        shows=predicates.made_up,
        clues=(UNSTABLE, NO_GAIN, TREND_ALARM, NEVER_MEET, SPREAD, DOUBTED),
        change="as it was",
        trial="Ask again over the corpus, or paste a passage with the answer. Does the model use it?",
    ),
    Kind(
        word="retriever_miss",
        title="The retriever missed the passage",
        stage="retrieval",
        definition="The corpus contains the answer, the retrieved passages do not. The reader had no chance.",
        predicate="the passages come from a search, an article contains the answer, no retrieved passage does, and "
        "the model answers wrongly",
        literature=(
            "Barnett et al. 2024 (FP2, missed the top ranked documents)",
            "Trivedi et al. 2023, IRCoT: questions of several hops need a search for each hop",
        ),
        shows=predicates.retriever_miss,
        clues=(UNSTABLE, NO_GAIN, NEVER_MEET, GO_OUT, SPREAD),
        change="as it was",
        trial="Choose more passages or another retriever. How many passages does it take to find the answer?",
    ),
    Kind(
        word="duplicate",
        title="A copy makes the only source look unnecessary",
        stage="retrieval",
        definition="The passage with the answer occurs twice. Without one copy the other still answers. So neither "
        "seems necessary, although nothing else contains the answer.",
        predicate="all passages with the answer are copies of each other, and DENSE calls none of them necessary",
        literature=(
            "Carbonell and Goldstein 1998, Maximal Marginal Relevance: a copy adds nothing new",
            "DENSE, section 5.2: chunks are tested one at a time",
        ),
        shows=predicates.duplicate,
        clues=(
            Clue(
                method="dense",
                words="DENSE calls a passage with the answer necessary",
                detector=detectors.only_source_necessary,
            ),
            Clue(
                method="seper",
                words="ΔSePer is above 0 beyond noise: all passages together help",
                detector=detectors.belief_rose,
            ),
            Clue(
                method="chunk_utility",
                words="a copy is called useful, because it is also tested alone",
                detector=detectors.copy_useful_alone,
            ),
        ),
        change="no copies",
        trial="Ask without the copy. Does DENSE now call the remaining passage necessary?",
    ),
)
READING_KINDS = (
    Kind(
        word="distractor",
        title="A distractor outvotes the right passage",
        stage="reading",
        definition="The model read the right passage and a similar one. The answer comes from the similar one.",
        predicate="a passage contains the correct answer, and the given wrong answer is only in passages without it",
        literature=(
            "Shi et al. 2023, Large Language Models Can Be Easily Distracted by Irrelevant Context",
            "Cuconasu et al. 2024, The Power of Noise: related passages without the answer do the most harm",
        ),
        shows=predicates.distractor,
        clues=(UNSTABLE, NO_GAIN, HARMFUL, NEVER_MEET, SPREAD),
        change="without the wrong",
        trial="Ask without the distractor. Is the answer right then?",
    ),
    Kind(
        word="contradiction",
        title="Two passages contradict each other",
        stage="reading",
        definition="One passage says one thing, another says the opposite. The answer takes the wrong side and does "
        "not mention the conflict.",
        predicate="one passage contains the correct answer, another the planted wrong one, and the model gives the "
        "wrong one",
        literature=(
            "Chen, Zhang and Choi 2022, Rich Knowledge Sources Bring Complex Knowledge Conflicts",
            "Xu et al. 2024, Knowledge Conflicts for LLMs: A Survey (“inter-context conflict”)",
        ),
        shows=predicates.contradiction,
        clues=(
            UNSTABLE,
            Clue(
                method="seper",
                words="both answers are among the samples over the passages",
                detector=detectors.both_sides_drawn,
            ),
            HARMFUL,
            SPREAD,
        ),
        change="right first",
        trial="Ask with the right passage first. Does the answer depend on the order?",
    ),
    Kind(
        word="misread",
        title="Right passage, wrong number",
        stage="reading",
        definition="The passage contains the correct number or date and others. The answer is one of the others.",
        predicate="the wrong answer is a number or date from a passage that also contains the correct one",
        literature=(
            "Barnett et al. 2024 (FP4, not extracted)",
            "Niu et al. 2024, RAGTruth: answers in conflict with the passage they were taken from",
        ),
        shows=predicates.misread,
        clues=(UNSTABLE, NO_GAIN, NEVER_MEET, SPREAD),
        change="only the answer",
        trial="Ask over that passage alone, then delete the sentence with the other number. What misled the model?",
    ),
    Kind(
        word="not_extracted",
        title="The answer was there, and the model wrote something else",
        stage="reading",
        definition="The model read a passage with the answer, but its own answer is in no passage.",
        predicate="a passage contains the correct answer, and no passage contains the given wrong one",
        literature=(
            "Barnett et al. 2024 (FP4, not extracted)",
            "Ji et al. 2023, Survey of Hallucination in Natural Language Generation (“extrinsic”)",
        ),
        shows=predicates.not_extracted,
        clues=(UNSTABLE, NO_GAIN, NEVER_MEET, SPREAD),
        change="only the answer",
        trial="Ask over the right passage alone. Is the number of passages the problem, or the passage itself?",
    ),
    Kind(
        word="split_answer",
        title="The answer is split over two passages",
        stage="reading",
        definition="Two passages contain one half of the answer each. The model read both and did not combine them.",
        predicate="both passages with a half were read, and the answer is wrong",
        literature=(
            "Yang et al. 2018, HotpotQA; Press et al. 2023, Measuring and Narrowing the Compositionality Gap",
            "Chen et al. 2024 (“information integration”)",
        ),
        shows=predicates.split_answer,
        clues=(UNSTABLE, NO_GAIN, TREND_ALARM, NEVER_MEET, SPREAD),
        change="as it was",
        trial="Ask for each half separately. If both are right, the combination is missing.",
    ),
    Kind(
        word="wording",
        title="Another wording, another answer",
        stage="reading",
        definition="Only the wording of one passage changes, and the answer changes between right and wrong.",
        predicate="DENSE calls the answer not stable, and rewording a passage turns a wrong answer into a right one, "
        "or a right one into a wrong one",
        literature=(
            "DENSE, section 4",
            "Sclar et al. 2024, Quantifying Language Models’ Sensitivity to Spurious Features in Prompt Design",
        ),
        shows=predicates.wording,
        clues=(UNSTABLE, SPREAD, MENDED),
        change="as it was",
        trial="Write your own rewording on the DENSE page. Which word changes the answer?",
    ),
)
MEMORY_KINDS = (
    Kind(
        word="memory_against_context",
        title="Memory was right, the passages are wrong",
        stage="memory",
        definition="The model knows the answer from memory. The passages contradict it, and the model follows them.",
        predicate="the closed-book answer is right, no passage contains a correct answer, and a passage contains the "
        "given wrong one",
        literature=(
            "Longpre et al. 2021, Entity-Based Knowledge Conflicts in Question Answering",
            "Xie et al. 2024, Adaptive Chameleon or Stubborn Sloth",
        ),
        shows=predicates.memory_against_context,
        clues=(UNSTABLE, FELL, TREND_CALM, STAY_IN, SPREAD),
        change="as it was",
        trial="Change the name in the passage to an invented one. Does the model still follow the passage?",
    ),
    Kind(
        word="talked_out",
        title="The passages replaced a right answer",
        stage="memory",
        definition="The model knows the answer from memory, and a passage confirms it. With the passages, the answer "
        "is wrong.",
        predicate="the closed-book answer is right, a passage contains it, the answer over the passages is wrong, and "
        "SePer’s soft and hard versions, if measured, agree",
        literature=(
            "Yoran et al. 2024, Making Retrieval-Augmented Language Models Robust to Irrelevant Context",
            "Mallen et al. 2023, When Not to Trust Language Models",
        ),
        shows=predicates.talked_out,
        clues=(UNSTABLE, FELL, TREND_CALM, STAY_IN, HARMFUL, SPREAD),
        change="only the answer",
        trial="Ask only over the passages with the answer. Is the right answer back?",
    ),
)
TIMING_KINDS = (
    Kind(
        word="delayed",
        title="The lookup comes too late",
        stage="timing",
        definition="At the first sign of uncertainty, the wrong conclusion is already written. A lookup changes "
        "nothing before it.",
        predicate="the step-by-step answer has a wrong conclusion, and this conclusion is in the text that ETC’s "
        "first lookup keeps",
        literature=(
            "ETC, section 6.3 and table 6 (“delayed retrieval”)",
            "Jiang et al. 2023, FLARE; Su et al. 2024, DRAGIN: when to look something up",
        ),
        shows=predicates.delayed,
        clues=(
            Clue(
                method="entropy_trend",
                words="ETC’s first lookup comes before the wrong conclusion",
                detector=detectors.looked_up_in_time,
            ),
            Clue(
                method="timing",
                words="another policy that watches the model would have looked something up before ETC",
                detector=detectors.earlier_policy,
            ),
            GO_OUT,
        ),
        change="as it was",
        trial="Lower α on the ETC page. At which threshold is the lookup in time?",
    ),
    Kind(
        word="redundant",
        title="A lookup that was not needed",
        stage="timing",
        definition="The closed-book answer is right. A policy still looked something up.",
        predicate="the closed-book answer and the step-by-step answer are right, and a policy that decides for itself "
        "looked something up in its own run",
        literature=(
            "ETC, table 6 (“redundant retrieval”)",
            "Mallen et al. 2023; SUGAR, section II: retrieval only where it is needed",
        ),
        shows=predicates.redundant,
        clues=(
            TREND_CALM,
            STAY_IN,
            Clue(
                method="timing",
                words="every measured lookup leaves belief within noise",
                detector=detectors.steps_within_noise,
            ),
        ),
        change="as it was",
        trial="Raise a policy’s threshold on the timing page. At which value does it look nothing up?",
    ),
)
INSTRUMENT_KINDS = (
    Kind(
        word="confidently_wrong",
        title="Confident, stable and wrong",
        stage="instruments",
        definition="The samples agree, no rewording changes the answer, and it is wrong. Uncertainty alone shows "
        "nothing.",
        predicate="the answer is wrong, DENSE calls it stable for all rewordings, and the samples over the passages "
        "have a semantic entropy below 0.4",
        literature=(
            "Farquhar et al. 2024: semantic entropy finds what is arbitrary, not what is consistently wrong",
            "Simhi et al. 2025, Trust Me, I’m Wrong: High-Certainty Hallucinations in LLMs",
        ),
        shows=predicates.confidently_wrong,
        clues=(UNSTABLE, NO_GAIN, NEVER_MEET, SPREAD),
        change="as it was",
        trial="Ask without a correct answer. Which number on the page still shows that the answer is wrong?",
    ),
    Kind(
        word="true_without_evidence",
        title="True, but without co-occurrence",
        stage="instruments",
        definition="The answer is right, but the two ends of its claim never meet in the corpus in these words. "
        "Without evidence is not false.",
        predicate="the answer is right, and the two ends of one of its claims never meet",
        literature=(
            "QuCo-RAG, limitations (1): an alias or another spelling is not found",
            "Kandpal et al. 2023, Large Language Models Struggle to Learn Long-Tail Knowledge",
        ),
        shows=predicates.true_without_evidence,
        clues=(
            Clue(method="quco_rag", words="the two ends of every judged claim meet", detector=detectors.evidence),
            Clue(
                method="seper",
                words="ΔSePer is above 0 beyond noise: the passages help",
                detector=detectors.belief_rose,
            ),
        ),
        change="as it was",
        trial="Write the correct answer as the corpus does. Does the claim get evidence?",
    ),
    Kind(
        word="false_with_evidence",
        title="False, but with co-occurrence",
        stage="instruments",
        definition="The answer is wrong, but its two ends meet in the corpus. Words that are near each other are not "
        "always related.",
        predicate="the answer is wrong, and the two ends of all its judged claims meet",
        literature=(
            "QuCo-RAG, section 3.3 and appendix A.10: co-occurrence does not guarantee that the relation holds",
        ),
        shows=predicates.false_with_evidence,
        clues=(NEVER_MEET, NO_GAIN, UNSTABLE, SPREAD),
        change="as it was",
        trial="Read the places where both ends meet on the co-occurrence page. What do they say?",
    ),
    Kind(
        word="too_kind",
        title="“This suffices”, and it does not",
        stage="instruments",
        definition="The model says that the passages suffice. None of them contains the answer.",
        predicate="the model calls a context without a correct answer sufficient, and answers wrongly over it",
        literature=(
            "Joren et al. 2025, Sufficient Context: A New Lens on Retrieval Augmented Generation Systems",
            "DENSE, appendix B.3 (self-evaluation)",
        ),
        shows=predicates.too_kind,
        clues=(DOUBTED, UNSTABLE, NO_GAIN),
        change="as it was",
        trial="Run DENSE-RAG without self-evaluation. Does it end with another answer?",
    ),
    Kind(
        word="judge_mistake",
        title="The judge is wrong",
        stage="instruments",
        definition="Many methods rely on a judge of whether two answers mean the same. Here the texts prove it wrong.",
        predicate="a correct answer counts as wrong word for word, or answers with entirely different numbers count "
        "as the same or as right",
        literature=(
            "Bulian et al. 2022, Tomayto, Tomahto: beyond token-level answer equivalence",
            "Wang et al. 2023, Evaluating Open-QA Evaluation",
        ),
        shows=predicates.judge_mistake,
        clues=(
            Clue(
                method="seper",
                words="no judgement of a sample contradicts its text",
                detector=detectors.judge_without_errors,
            ),
        ),
        change="as it was",
        trial="Ask again with the judge “similarity”. Does it make the same error?",
    ),
)


KINDS: dict[str, Kind] = {
    kind.word: kind for kind in (*RETRIEVAL_KINDS, *READING_KINDS, *MEMORY_KINDS, *TIMING_KINDS, *INSTRUMENT_KINDS)
}
