"""A made-up diagnosis with a result of every kind, for tests of what keeps, moves and counts records."""

import math

import pytest

from engine.backends.corpus_stats.base import Meeting
from engine.backends.text.base import Entity, TextSpan
from engine.core.provenance import Provenance, machine
from engine.core.records import Generation, Hit, Interval, Judgement, Passage, Prompt, Token
from engine.diagnosis.record import Diagnosis, Outcome
from engine.methods.dense_records import DenseChunk, DenseResult
from engine.methods.entropy_trend import EntropyTrendResult, TrendPoint, TrendWord, Trigger
from engine.methods.quco_rag import CheckedSentence, CountedClaim, CountedEntity, QucoResult
from engine.methods.rewrites import RewriteAttempt, RewriteCheck
from engine.methods.seper_records import Belief, Meaning, SeperResult

PASSAGE = Passage(text="Lyra Quill rebuilt the Vesper Clock.", title="Vesper Clock", document_id="d1", end=36)


def generation(text: str, prompt: str = "Who?", logprob: float = -0.25, temperature: float = 0.0) -> Generation:
    """Return a generation of one token."""
    token = Token(id=7, text=text, start=0, end=len(text), logprob=logprob, entropy=0.5)
    return Generation(
        prompt=Prompt(text=prompt),
        rendered=prompt,
        prompt_tokens=12,
        text=text,
        tokens=(token,),
        stop_reason="end",
        temperature=temperature,
        seed=2**62,
    )


def dense_result() -> DenseResult:
    """Return DENSE over one chunk whose rewrite passed and was judged neutral one way."""
    attempt = RewriteAttempt(
        source="whole",
        text="The Vesper Clock was rebuilt by Lyra Quill.",
        checks=(RewriteCheck(name="names", passed=True, detail=""),),
        generations=(generation("The Vesper Clock was rebuilt by Lyra Quill."),),
    )
    chunk = DenseChunk(
        index=0,
        passage=PASSAGE,
        attempts=(attempt,),
        rewrite=attempt,
        answer=generation("Quill"),
        weight=0.5,
        ablation=generation(""),
        ablation_weight=0.0,
        label="necessary",
        reason="The answer changes without it.",
    )
    judgement = Judgement(premise="Lyra Quill", hypothesis="Quill", contradiction=0.1, neutral=0.2, entailment=0.7)
    return DenseResult(
        original=generation("Lyra Quill"),
        chunks=(chunk,),
        members=(-1, 0),
        weights=((1.0, 0.5), (0.5, 1.0)),
        judgements=(judgement,),
        entropy=math.log(2),
        share=1.0,
        uncertain=True,
        valid_rewrites=1,
        threshold=0.2,
        threshold_source="paper",
        rule="algorithm3",
    )


def belief() -> Belief:
    """Return a belief of two samples, one of them impossible to the model (log-probability −∞)."""
    return Belief(
        samples=(generation("Quill", temperature=1.0), generation("Moss", logprob=-math.inf, temperature=1.0)),
        weights=(1.0, 0.0),
        ids=(0, 1),
        meanings=(Meaning(text="Quill", probability=1.0, members=(0,), matches_gold=True),),
        kernel=((0.1 + 0.2,), (0.0,)),
        soft=0.3,
        hard=1.0,
        soft_interval=Interval(low=0.1, high=0.4),
        hard_interval=None,
        entropy=0.0,
    )


def seper_result() -> SeperResult:
    """Return SePer with a gold answer."""
    return SeperResult(
        variant="code",
        golds=("Lyra Quill",),
        without=belief(),
        with_passages=belief(),
        judgements=(),
        delta_soft=0.0,
        delta_hard=None,
        delta_soft_interval=Interval(low=-0.1, high=0.1),
        delta_hard_interval=None,
    )


def entropy_trend_result() -> EntropyTrendResult:
    """Return ETC over one word with one trigger."""
    word = TrendWord(
        text="Quill",
        start=0,
        end=5,
        first_token=0,
        last_token=0,
        entropy=1.25,
        pos="PROPN",
        is_content=True,
        sentence=0,
        max_attention=None,
        query="Vesper Clock",
    )
    return EntropyTrendResult(
        variant="code",
        mode="signed",
        alpha=1.0,
        alpha_source="paper",
        generation=generation("Quill"),
        answer="Quill",
        words=(word,),
        points=(TrendPoint(word=0, first_difference=0.5, second_difference=1.5, smoothed=None, value=None),),
        triggers=(Trigger(word=0, value=1.5, kept="", query="Vesper Clock"),),
    )


def quco_result() -> QucoResult:
    """Return one claim whose ends meet once in the corpus, and one that was not measured."""
    head = CountedEntity(entity=Entity(text="Lyra Quill", start=0, end=10, label="PERSON"), count=3)
    tail = CountedEntity(entity=Entity(text="Vesper Clock", start=19, end=31, label="FAC"), count=None)
    meeting = Meeting(
        document_id="d1",
        title="Vesper Clock",
        excerpt="Lyra Quill rebuilt the Vesper Clock.",
        head=TextSpan(text="Lyra Quill", start=0, end=10),
        tail=TextSpan(text="Vesper Clock", start=23, end=35),
        distance=4,
    )
    claims = (
        CountedClaim(head=head, relation="rebuilt", tail=tail, documents=1, meetings=(meeting,), supported=True),
        CountedClaim(head=head, relation="is", tail=None, documents=None, meetings=(), supported=None),
    )
    return QucoResult(
        corpus="sample",
        corpus_note="The shipped encyclopaedia.",
        corpus_documents=30,
        window=1000,
        cooccurrence_threshold=1,
        entities=(head,),
        mean_count=3.0,
        generation=generation("Lyra Quill rebuilt the Vesper Clock."),
        sentences=(CheckedSentence(text="Lyra Quill rebuilt the Vesper Clock.", kind="fact", claims=claims),),
        supported=1,
        unsupported=0,
    )


def provenance() -> Provenance:
    """Return an origin on this machine."""
    return Provenance(
        package_version="0.1.0",
        libraries=(("torch", "2.13.0"),),
        python="3.11.9",
        machine=machine(),
        model="embedded",
        model_revision="abc",
        model_dtype="bfloat16",
        judge="embedded",
        judge_note="",
        retriever="hybrid",
        corpus="sample",
        corpus_hash="def",
        seed=0,
        profile="embedded",
        started_at="2026-01-01T00:00:00+00:00",
    )


@pytest.fixture
def example_diagnosis() -> Diagnosis:
    """Return a diagnosis with a result of every kind, a NaN score, an infinite log-probability and non-ASCII text."""
    outcomes = (
        Outcome(method="dense", status="done", seconds=20.0, result=dense_result()),
        Outcome(method="seper", status="done", seconds=10.0, result=seper_result()),
        Outcome(method="entropy_trend", status="done", seconds=4.0, result=entropy_trend_result()),
        Outcome(method="quco_rag", status="done", seconds=1.0, result=quco_result()),
        Outcome(method="sugar", status="failed", reason="The judge gave no labels."),
    )
    return Diagnosis(
        question="Who rebuilt the Vesper Clock? «É»\u2028",
        golds=("Lyra Quill",),
        hits=(Hit(passage=PASSAGE, rank=1, score=math.nan, retriever="given"),),
        answer=generation("Lyra Quill"),
        closed_book=generation("Nobody"),
        outcomes=outcomes,
        provenance=provenance(),
        seconds=36.0,
    )
