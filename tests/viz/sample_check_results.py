"""Results of the three checks, made by hand: sufficiency, contradictions, question parts."""

from engine.core.records import Judgement, Passage, Prompt
from engine.methods.contradictions import ContradictionsConfig, ContradictionsResult, PassageSentence, SentencePair
from engine.methods.question_parts import QuestionPart, QuestionPartsResult
from engine.methods.sufficiency import PassageReply, Reply, SufficiencyResult


def reply(yes: float) -> Reply:
    """Return what a model says with P(yes) = ``yes``."""
    return Reply(prompt=Prompt(text="Is it there?"), yes_logprobs=(-1.0, -2.0), no_logprobs=(-1.0, -2.0), yes=yes)


def sufficiency(*shares: float, together: float = 0.3, threshold: float = 0.5) -> SufficiencyResult:
    """Return the result with P(yes) of each passage."""
    passages = tuple(
        PassageReply(
            index=place, passage=Passage(text="A text."), reply=reply(share), words=("clock",) if place else ()
        )
        for place, share in enumerate(shares)
    )
    score = max(*shares, together)
    return SufficiencyResult(
        passages=passages,
        together=reply(together),
        words=("built", "clock"),
        nearest=shares.index(max(shares)),
        score=score,
        threshold=threshold,
        sufficient=score >= threshold,
        trained=False,
    )


def contradictions(*values: float, text: str = "Joren Halden built it.") -> ContradictionsResult:
    """Return the result with a pair for each contradiction, both directions alike."""
    pairs = tuple(
        SentencePair(
            first=PassageSentence(index=0, start=0, end=23, text="Mira Halden built it."),
            second=PassageSentence(index=2, start=0, end=22, text=text),
            names=("Harbour Clock",),
            differs="name",
            there=judgement(value),
            back=judgement(value),
            contradiction=value,
        )
        for value in values
    )
    return ContradictionsResult(
        pairs=pairs,
        sentences=9,
        candidates=len(pairs),
        strongest=max(values, default=None),
        config=ContradictionsConfig(),
        judge="sentences",
    )


def judgement(contradiction: float) -> Judgement:
    """Return a judgement with this probability of contradiction."""
    return Judgement(premise="a", hypothesis="b", contradiction=contradiction, neutral=1 - contradiction, entailment=0)


def question_parts(*answered: bool, answer: str = "Mira Halden", stated: bool = True) -> QuestionPartsResult:
    """Return the result with a part for each flag."""
    parts = tuple(
        QuestionPart(text=f"who built it {place}", asked="person", answered=flag, by=answer if flag else "")
        for place, flag in enumerate(answered)
    )
    return QuestionPartsResult(answer=answer, stated=stated, parts=parts, share=sum(answered) / len(answered))
