"""The numbers of a record that are no scores, each with the reason why it needs no formula."""

from engine.backends.text.base import Entity, TextSpan
from engine.core.provenance import Provenance
from engine.core.records import Generation, Hit, Passage, Token
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.methods.chunk_utility import ChunkUse, ChunkUtilityResult
from engine.methods.dense import DenseChunk, DenseResult, RewordedAnswer
from engine.methods.dense_rag import (
    Arrival,
    Cutting,
    DenseRagConfig,
    DenseRagResult,
    Departure,
    RefinementStep,
)
from engine.methods.entropy_trend import TrendPoint, TrendWord, Trigger
from engine.methods.quco_loop import Lookup, LoopStep
from engine.methods.quco_precheck import PreCheck
from engine.methods.quco_rag import QucoResult
from engine.methods.rewrites import RewordedSentence
from engine.methods.seper import Belief, Meaning, SeperResult
from engine.methods.sugar import SugarResult, SugarRound
from engine.methods.timing.base import Lane, PolicyRun, Retrieval, Signal, Stair, TimingConfig, Written
from engine.methods.timing.method import TimingResult
from engine.methods.uncertainty import AnswerSet

OFFSET = "an offset: where a text stands, in characters"
PLACE = "a place: which item of a list is meant"
SEED = "a seed: it names the draws and measures nothing"
COUNT = "a plain count of things that are listed beside it"
BUDGET = "a budget: the most that was allowed"

EXEMPT: dict[tuple[type, str], str] = {
    (Diagnosis, "schema_version"): "the format of the record",
    (Provenance, "seed"): SEED,
    (Generation, "seed"): SEED,
    (Generation, "prompt_tokens"): COUNT,
    (Generation, "max_tokens"): BUDGET,
    (Token, "id"): "a token's number in the vocabulary",
    (Token, "start"): OFFSET,
    (Token, "end"): OFFSET,
    (Passage, "start"): OFFSET,
    (Passage, "end"): OFFSET,
    (Entity, "start"): OFFSET,
    (Entity, "end"): OFFSET,
    (TextSpan, "start"): OFFSET,
    (TextSpan, "end"): OFFSET,
    (Hit, "rank"): PLACE,
    (DenseResult, "members"): PLACE,
    (DenseResult, "valid_rewrites"): COUNT,
    (DenseChunk, "index"): PLACE,
    (RewordedAnswer, "index"): PLACE,
    (RewordedSentence, "candidates"): COUNT,
    (RewordedSentence, "valid"): COUNT,
    (DenseRagResult, "final"): PLACE,
    (DenseRagConfig, "most_tokens"): BUDGET,
    (DenseRagConfig, "k"): BUDGET,
    (DenseRagConfig, "most_contexts"): BUDGET,
    (DenseRagConfig, "most_chunks"): BUDGET,
    (Cutting, "chunks"): COUNT,
    (RefinementStep, "context"): PLACE,
    (RefinementStep, "best"): PLACE,
    (Arrival, "chunk"): PLACE,
    (Arrival, "rank"): PLACE,
    (Arrival, "guide"): PLACE,
    (Departure, "chunk"): PLACE,
    (Belief, "ids"): "the name of the meaning a draw belongs to",
    (Meaning, "members"): PLACE,
    (TrendWord, "start"): OFFSET,
    (TrendWord, "end"): OFFSET,
    (TrendWord, "first_token"): PLACE,
    (TrendWord, "last_token"): PLACE,
    (TrendWord, "sentence"): PLACE,
    (TrendPoint, "word"): PLACE,
    (Trigger, "word"): PLACE,
    (QucoResult, "corpus_documents"): COUNT,
    (PreCheck, "names"): COUNT,
    (LoopStep, "generation"): PLACE,
    (LoopStep, "rewritten_in"): PLACE,
    (Lookup, "claim"): PLACE,
    (SugarResult, "most_rounds"): BUDGET,
    (SeperResult, "resamples"): BUDGET,
    (ChunkUtilityResult, "resamples"): BUDGET,
    (ImportedAnswer, "vocabulary"): "how many tokens the other model knows, as its trace says",
    (SugarResult, "passages_a_round"): BUDGET,
    (SugarRound, "number"): PLACE,
    (
        AnswerSet,
        "classes",
    ): "a class, no score: 0 contradiction, 1 neutral, 2 entailment; judgements hold its probabilities",
    (AnswerSet, "ids"): "the name of the meaning an answer belongs to",
    (ChunkUse, "index"): PLACE,
    (TimingResult, "most_tokens"): BUDGET,
    (TimingConfig, "passages"): BUDGET,
    (TimingConfig, "most_retrievals"): BUDGET,
    (TimingConfig, "most_tokens"): BUDGET,
    (TimingConfig, "fixed_length"): "a schedule: after how many tokens is looked up",
    (TimingConfig, "query_words"): BUDGET,
    (Lane, "triggers"): PLACE,
    (Signal, "token"): PLACE,
    (Signal, "start"): OFFSET,
    (Signal, "end"): OFFSET,
    (Signal, "cut"): OFFSET,
    (PolicyRun, "tokens_kept"): COUNT,
    (PolicyRun, "tokens_written"): COUNT,
    (PolicyRun, "prompt_tokens"): COUNT,
    (Retrieval, "characters"): OFFSET,
    (Retrieval, "tokens"): PLACE,
    (Written, "kept"): OFFSET,
    (Written, "over"): PLACE,
    (Stair, "retrieval"): PLACE,
    (Stair, "passages"): COUNT,
}
