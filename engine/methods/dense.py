"""DENSE: does the model give the same answer when one passage is put in other words?

Degree-based Semantic Entropy over the entailment graph of k+1 greedy answers (DENSE, section 4, eq. 3-6), and the chunk
labels of section 5.2 and algorithm 3. Differences from the printed algorithm: r_0, which it never generates, is the
answer over the unchanged passages; an answer always entails itself; a rewrite counts only when it passes checks.
"""

from dataclasses import dataclass
from typing import Literal

from engine.methods.rewrites import RewriteAttempt
from engine.records import Generation, Judgement, Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseConfig:
    """How DENSE runs. ``rewrites`` maps a chunk's position (from 0) to a rewrite written by hand."""

    threshold: float = 0.2
    rule: Literal["algorithm3", "equation10"] = "algorithm3"
    similarity_bound: float = 0.7
    rewrites: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseChunk:
    """What DENSE says of one chunk.

    ``index`` is its position from 0. ``rewrite`` is the accepted attempt, None where none passed. ``answer`` is the
    greedy answer with this chunk rewritten, ``weight`` its agreement with the original answer in {0, 0.5, 1};
    ``ablation`` the answer without the chunk and ``ablation_weight`` its agreement, run for uncertain chunks only.
    """

    index: int
    passage: Passage
    attempts: tuple[RewriteAttempt, ...]
    rewrite: RewriteAttempt | None
    answer: Generation | None
    weight: float | None
    ablation: Generation | None
    ablation_weight: float | None
    label: Literal["certain", "necessary", "unnecessary", "not measured"]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseResult:
    """The entailment graph of one question and what follows from it.

    ``members`` names the rows of ``weights``: -1 is the original answer, i the answer with chunk i rewritten.
    ``entropy`` (DSE) in nats, [0, ln(valid + 1)], higher = less understood; ``share`` is entropy / ln(valid + 1).
    Both are None, with a reason in ``not_measured``, where no rewrite passed.
    """

    method: Literal["dense"] = "dense"
    variant: Literal["paper"] = "paper"
    original: Generation
    chunks: tuple[DenseChunk, ...]
    members: tuple[int, ...]
    weights: tuple[tuple[float, ...], ...]
    judgements: tuple[Judgement, ...]
    entropy: float | None
    share: float | None
    uncertain: bool | None
    valid_rewrites: int
    threshold: float
    threshold_source: Literal["paper", "fitted"]
    rule: Literal["algorithm3", "equation10"]
    not_measured: str = ""
