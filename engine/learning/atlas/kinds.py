"""The kinds of failure, one record each: what it is, who described it, when a run shows it, which method can notice it.

The order is the path of an answer: what was retrieved, what was read, what memory did, what the instruments made of it.
Papers are named by authors and year; none of them is followed equation by equation here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from engine.diagnosis.record import Diagnosis
from engine.learning.atlas import looks, predicates
from engine.learning.atlas.looks import Look
from engine.runs.sample_questions import SampleQuestion

Predicate = Callable[[Diagnosis, SampleQuestion], bool]
Stage = Literal["retrieval", "reading", "memory", "timing", "instruments"]
Change = Literal["only the answer", "without the wrong", "right first", "no copies", "as it was"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clue:
    """How one method can notice a kind of failure, in words and as a look at the record."""

    method: str
    words: str
    look: Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of failure. ``predicate`` says in words what ``shows`` computes; ``literature`` names who described it.

    ``change`` is what to try next: which passages the form is filled with, and ``trial`` what to look for then.
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
    method="dense", words="DENSE calls the answer not understood: other words, other answer", look=looks.not_understood
)
NO_GAIN = Clue(
    method="seper",
    words="ΔSePer is not above 0 beyond noise: reading did not clearly help",
    look=looks.belief_did_not_rise,
)
FELL = Clue(method="seper", words="ΔSePer is below 0 beyond noise: reading took belief away", look=looks.belief_fell)
SPREAD = Clue(
    method="uncertainty",
    words="most measures call the samples over the passages uncertain",
    look=looks.samples_disagree,
)
NEVER_MEET = Clue(
    method="quco_rag", words="the two ends of a claim of the short answer never meet", look=looks.no_evidence
)
HARMFUL = Clue(
    method="chunk_utility",
    words="a passage that the answer was taken from is called harmful",
    look=looks.harmful_passage,
)
MENDED = Clue(method="dense_rag", words="DENSE-RAG ends with a right answer", look=looks.mended)
DOUBTED = Clue(
    method="dense_rag",
    words="DENSE-RAG neither accepts the passages nor settles on a refined context",
    look=looks.not_accepted,
)
STAY_IN = Clue(method="sugar", words="SUGAR asks for no lookup, as memory is sure", look=looks.needs_no_lookup)
GO_OUT = Clue(method="sugar", words="SUGAR asks for a lookup before anything is written", look=looks.needs_lookup)
TREND_CALM = Clue(
    method="entropy_trend", words="ETC would look nothing up, as memory needs no help", look=looks.would_not_look_up
)
TREND_ALARM = Clue(
    method="entropy_trend",
    words="ETC would look something up while the answer is written from memory",
    look=looks.would_look_up,
)

RETRIEVAL_KINDS = (
    Kind(
        word="made_up",
        title="The answer is nowhere, and one is given",
        stage="retrieval",
        definition="Nothing that was read or could have been read holds the answer. A good reader says so; this one "
        "names something.",
        predicate="the answer was taken out of the passages or never stood in the corpus, no passage holds it, and "
        "what is answered is wrong",
        literature=(
            "Chen et al. 2024, Benchmarking Large Language Models in Retrieval-Augmented Generation (“negative "
            "rejection”)",
            "Barnett et al. 2024, Seven Failure Points When Engineering a RAG System (FP1, missing content)",
        ),
        shows=predicates.made_up,
        clues=(UNSTABLE, NO_GAIN, TREND_ALARM, NEVER_MEET, SPREAD, DOUBTED),
        change="as it was",
        trial="Ask again over the corpus, or paste a passage that holds the answer: does the model take it?",
    ),
    Kind(
        word="retriever_miss",
        title="The retriever missed the passage",
        stage="retrieval",
        definition="The corpus holds the answer, the passages that were found do not. The reader never had a chance.",
        predicate="the passages were searched for, the answer stands in an article, no passage that was found holds "
        "it, and what is answered is wrong",
        literature=(
            "Barnett et al. 2024 (FP2, missed the top ranked documents)",
            "Trivedi et al. 2023, IRCoT: questions of several hops need a search for each hop",
        ),
        shows=predicates.retriever_miss,
        clues=(UNSTABLE, NO_GAIN, NEVER_MEET, GO_OUT, SPREAD),
        change="as it was",
        trial="Choose more passages or another retriever: at how many does the answer come into view?",
    ),
    Kind(
        word="duplicate",
        title="A copy makes the only source look dispensable",
        stage="retrieval",
        definition="The passage with the answer comes twice. Take one away and the other still answers, so neither "
        "seems to be needed, although nothing else holds the answer.",
        predicate="all passages that hold the answer are copies of each other, and DENSE calls none of them necessary",
        literature=(
            "Carbonell and Goldstein 1998, Maximal Marginal Relevance: a copy adds nothing new",
            "DENSE, section 5.2: chunks are tested one at a time",
        ),
        shows=predicates.duplicate,
        clues=(
            Clue(
                method="dense",
                words="DENSE calls a passage with the answer necessary",
                look=looks.only_source_necessary,
            ),
            Clue(
                method="seper",
                words="ΔSePer is above 0 beyond noise: all passages together are seen to help",
                look=looks.belief_held,
            ),
            Clue(
                method="chunk_utility",
                words="a copy is called useful, because it is also tried alone",
                look=looks.copy_useful_alone,
            ),
        ),
        change="no copies",
        trial="Ask without the copy: does DENSE now call the passage that is left necessary?",
    ),
)
READING_KINDS = (
    Kind(
        word="distractor",
        title="A distractor outvotes the right passage",
        stage="reading",
        definition="The right passage was read, and so was one that is like it. The answer comes from the other one.",
        predicate="a passage holds the answer, and the wrong answer that was given stands only in passages that do not",
        literature=(
            "Shi et al. 2023, Large Language Models Can Be Easily Distracted by Irrelevant Context",
            "Cuconasu et al. 2024, The Power of Noise: related passages without the answer do the most harm",
        ),
        shows=predicates.distractor,
        clues=(UNSTABLE, NO_GAIN, HARMFUL, NEVER_MEET, SPREAD),
        change="without the wrong",
        trial="Ask without the distractor: is the answer right at once?",
    ),
    Kind(
        word="contradiction",
        title="Two passages contradict each other",
        stage="reading",
        definition="One passage says one thing, another one the opposite. The answer takes the wrong side and does not "
        "mention that there are two.",
        predicate="one passage holds the right answer, another one the planted wrong one, and the wrong one is given",
        literature=(
            "Chen, Zhang and Choi 2022, Rich Knowledge Sources Bring Complex Knowledge Conflicts",
            "Xu et al. 2024, Knowledge Conflicts for LLMs: A Survey (“inter-context conflict”)",
        ),
        shows=predicates.contradiction,
        clues=(
            UNSTABLE,
            Clue(
                method="seper",
                words="both answers turn up among the samples over the passages",
                look=looks.both_sides_drawn,
            ),
            HARMFUL,
            SPREAD,
        ),
        change="right first",
        trial="Ask with the right passage first: does the answer change sides with the order?",
    ),
    Kind(
        word="misread",
        title="Right passage, wrong number",
        stage="reading",
        definition="The passage holds the right number or date, and others. The answer is one of the others.",
        predicate="the wrong answer is a number or date that stands in the very passage that holds the right one",
        literature=(
            "Barnett et al. 2024 (FP4, not extracted)",
            "Niu et al. 2024, RAGTruth: answers in conflict with the passage they were taken from",
        ),
        shows=predicates.misread,
        clues=(UNSTABLE, NO_GAIN, NEVER_MEET, SPREAD),
        change="only the answer",
        trial="Ask over that passage alone, then delete the sentence with the other number: which of them misled it?",
    ),
    Kind(
        word="not_extracted",
        title="The answer was there, and something else was written",
        stage="reading",
        definition="A passage with the answer was read, and what is answered stands in no passage at all.",
        predicate="a passage holds the answer, and the wrong answer that was given stands in none",
        literature=(
            "Barnett et al. 2024 (FP4, not extracted)",
            "Ji et al. 2023, Survey of Hallucination in Natural Language Generation (“extrinsic”)",
        ),
        shows=predicates.not_extracted,
        clues=(UNSTABLE, NO_GAIN, NEVER_MEET, SPREAD),
        change="only the answer",
        trial="Ask over the right passage alone: is it the crowd, or the passage itself?",
    ),
    Kind(
        word="split_answer",
        title="The answer is split over two passages",
        stage="reading",
        definition="Each half of the answer stands in a passage of its own. Both were read and not put together.",
        predicate="both passages that hold a half were read, and the answer is wrong",
        literature=(
            "Yang et al. 2018, HotpotQA; Press et al. 2023, Measuring and Narrowing the Compositionality Gap",
            "Chen et al. 2024 (“information integration”)",
        ),
        shows=predicates.split_answer,
        clues=(UNSTABLE, NO_GAIN, TREND_ALARM, NEVER_MEET, SPREAD),
        change="as it was",
        trial="Ask for each half by itself. If both are right, the joint is what is missing.",
    ),
    Kind(
        word="wording",
        title="Another wording, another answer",
        stage="reading",
        definition="Nothing changes but the words of one passage, and the answer goes from right to wrong or back.",
        predicate="DENSE calls the answer not understood, and over a reworded passage it is right where the first "
        "answer is wrong, or the other way round",
        literature=(
            "DENSE, section 4",
            "Sclar et al. 2024, Quantifying Language Models’ Sensitivity to Spurious Features in Prompt Design",
        ),
        shows=predicates.wording,
        clues=(UNSTABLE, SPREAD, MENDED),
        change="as it was",
        trial="Write a rewording of your own on the DENSE page: which word turns the answer?",
    ),
)
MEMORY_KINDS = (
    Kind(
        word="memory_against_context",
        title="Memory was right, the passages are not",
        stage="memory",
        definition="The model knows the answer by heart. The passages say otherwise, and it follows them.",
        predicate="the answer from memory is right, no passage holds a right answer, and the wrong one that was given "
        "stands in a passage",
        literature=(
            "Longpre et al. 2021, Entity-Based Knowledge Conflicts in Question Answering",
            "Xie et al. 2024, Adaptive Chameleon or Stubborn Sloth",
        ),
        shows=predicates.memory_against_context,
        clues=(UNSTABLE, FELL, TREND_CALM, STAY_IN, SPREAD),
        change="as it was",
        trial="Change the name in the passage to one the model has never seen: does it still follow?",
    ),
    Kind(
        word="talked_out",
        title="Reading talked it out of the right answer",
        stage="memory",
        definition="The model knows the answer by heart and a passage confirms it. After reading, the answer is wrong.",
        predicate="the answer from memory is right, a passage holds it too, the answer over the passages is wrong, and "
        "SePer’s soft and hard kernel, where measured, do not contradict each other",
        literature=(
            "Yoran et al. 2024, Making Retrieval-Augmented Language Models Robust to Irrelevant Context",
            "Mallen et al. 2023, When Not to Trust Language Models",
        ),
        shows=predicates.talked_out,
        clues=(UNSTABLE, FELL, TREND_CALM, STAY_IN, HARMFUL, SPREAD),
        change="only the answer",
        trial="Ask over the passages that hold the answer, and no others: is it back?",
    ),
)
TIMING_KINDS = (
    Kind(
        word="delayed",
        title="The lookup comes too late",
        stage="timing",
        definition="Where the uncertainty first bends, the wrong conclusion is already written: the lookup mends "
        "nothing that stands before it.",
        predicate="the step-by-step answer from memory concludes wrongly, and its conclusion stands in the text that "
        "ETC’s first lookup keeps",
        literature=(
            "ETC, section 6.3 and table 6 (“delayed retrieval”)",
            "Jiang et al. 2023, FLARE; Su et al. 2024, DRAGIN: when to look something up",
        ),
        shows=predicates.delayed,
        clues=(
            Clue(
                method="entropy_trend",
                words="ETC’s first lookup comes before the wrong conclusion",
                look=looks.looked_up_in_time,
            ),
            Clue(
                method="timing",
                words="another policy that watches the model would have looked something up before ETC",
                look=looks.earlier_policy,
            ),
            GO_OUT,
        ),
        change="as it was",
        trial="Lower α on the ETC page: at which threshold does the lookup come in time?",
    ),
    Kind(
        word="redundant",
        title="A lookup that was not needed",
        stage="timing",
        definition="The answer written from memory is right. A policy looked something up all the same.",
        predicate="the short answer and the step-by-step one from memory are right, and a policy that decides for "
        "itself looked something up in its own run",
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
                look=looks.steps_within_noise,
            ),
        ),
        change="as it was",
        trial="Raise a policy’s threshold on the timing page: from where on does it leave memory alone?",
    ),
)
INSTRUMENT_KINDS = (
    Kind(
        word="confidently_wrong",
        title="Sure, stable and wrong",
        stage="instruments",
        definition="The samples agree, no rewording changes the answer, and it is wrong. Whoever asks only how sure "
        "the model is sees nothing.",
        predicate="the answer is wrong, DENSE calls it understood whatever the rewording, and the samples over the "
        "passages have a semantic entropy below 0.4",
        literature=(
            "Farquhar et al. 2024: semantic entropy finds what is arbitrary, not what is consistently wrong",
            "Simhi et al. 2025, Trust Me, I’m Wrong: High-Certainty Hallucinations in LLMs",
        ),
        shows=predicates.confidently_wrong,
        clues=(UNSTABLE, NO_GAIN, NEVER_MEET, SPREAD),
        change="as it was",
        trial="Take the right answer away from the form: which number on the page still tells you that it is wrong?",
    ),
    Kind(
        word="true_without_evidence",
        title="True, and no co-occurrence says so",
        stage="instruments",
        definition="The answer is right, and the two ends of its claim never meet in the corpus in these words. No "
        "evidence is not the same as false.",
        predicate="the answer is right, and a claim of it has two ends that never meet",
        literature=(
            "QuCo-RAG, limitations (1): an alias or another spelling is not found",
            "Kandpal et al. 2023, Large Language Models Struggle to Learn Long-Tail Knowledge",
        ),
        shows=predicates.true_without_evidence,
        clues=(
            Clue(method="quco_rag", words="the two ends of every judged claim meet", look=looks.evidence),
            Clue(
                method="seper",
                words="ΔSePer is above 0 beyond noise: reading is seen to help",
                look=looks.belief_held,
            ),
        ),
        change="as it was",
        trial="Write the gold answer as the corpus does: does the claim find its evidence?",
    ),
    Kind(
        word="false_with_evidence",
        title="False, and it has evidence",
        stage="instruments",
        definition="The answer is wrong, and yet its two ends meet in the corpus: next to each other is not the same "
        "as related.",
        predicate="the answer is wrong, and the two ends of every judged claim of it meet",
        literature=(
            "QuCo-RAG, section 3.3 and appendix A.10: co-occurrence does not guarantee that the relation holds",
        ),
        shows=predicates.false_with_evidence,
        clues=(NEVER_MEET, NO_GAIN, UNSTABLE, SPREAD),
        change="as it was",
        trial="Read the places where both ends meet on the co-occurrence page: what do they say of each other?",
    ),
    Kind(
        word="too_kind",
        title="“This suffices”, and it does not",
        stage="instruments",
        definition="Asked whether the passages suffice, the model says yes. None of them holds the answer.",
        predicate="a context without a right answer is called sufficient by the model, and its answer over it is wrong",
        literature=(
            "Joren et al. 2025, Sufficient Context: A New Lens on Retrieval Augmented Generation Systems",
            "DENSE, appendix B.3 (self-evaluation)",
        ),
        shows=predicates.too_kind,
        clues=(DOUBTED, UNSTABLE, NO_GAIN),
        change="as it was",
        trial="Run DENSE-RAG without self-evaluation: does it end elsewhere?",
    ),
    Kind(
        word="judge_mistake",
        title="The judge is wrong",
        stage="instruments",
        definition="Everything here rests on a judge of whether two answers say the same. Here its letters prove it "
        "wrong.",
        predicate="a gold answer counts as wrong word for word, or two answers count as one or as right that hold "
        "numbers and share none",
        literature=(
            "Bulian et al. 2022, Tomayto, Tomahto: beyond token-level answer equivalence",
            "Wang et al. 2023, Evaluating Open-QA Evaluation",
        ),
        shows=predicates.judge_mistake,
        clues=(
            Clue(
                method="seper",
                words="SePer counts no sample against what its letters prove",
                look=looks.judged_by_letters,
            ),
        ),
        change="as it was",
        trial="Ask again with the judge “similarity”: does it err in the same place?",
    ),
)


KINDS: dict[str, Kind] = {
    kind.word: kind for kind in (*RETRIEVAL_KINDS, *READING_KINDS, *MEMORY_KINDS, *TIMING_KINDS, *INSTRUMENT_KINDS)
}
