"""What DENSE costs, counted before it runs."""

import math
from typing import Protocol

from engine.methods.cost import SENTENCE_TOKENS, Load, Plan, tokens_of
from engine.methods.dense_records import Reading
from engine.methods.sentence_rewordings import MOST_ASKED


class Drawn(Protocol):
    """What of DENSE's settings its cost depends on."""

    @property
    def draws(self) -> int:
        """How many rewordings of each chunk are answered over."""

    @property
    def temperature(self) -> float:
        """At which the answers are drawn; 0 is greedy."""

    @property
    def reading(self) -> Reading:
        """How reworded passages are read."""

    @property
    def rewrites(self) -> tuple[tuple[int, str], ...]:
        """The rewordings written by hand, by their chunk."""


def load(config: Drawn, plan: Plan) -> Load:
    """Return DENSE's load: rewrites, an answer over each of d of them per chunk, at most k ablations.

    Rewritten is each chunk as a whole where the profile says so, and at most two of its sentences in each wording.
    Judged are the ordered pairs of the 1 + dk answers, and both directions of each ablation. Rewrites by hand cost no
    call and come once.

    At a temperature above 0 the answer over the unchanged passages is one more. By quick reading an answer reads one
    chunk and the question; those that are asked for once more in full are not counted.

    With k = 1 passage of 25 tokens (one sentence), one draw and two sentence wordings: 2 + 1 + 1 calls, 2 + 2 pairs.
    """
    k, profile = plan.passages, plan.profile
    asked = k - len({index for index, _ in config.rewrites if index < k})
    chunk = math.ceil(plan.passage_tokens / k)
    sentences, wordings = min(MOST_ASKED, math.ceil(chunk / SENTENCE_TOKENS)), len(profile.sentence_rewrites)
    asked_tokens = min(chunk, sentences * SENTENCE_TOKENS)
    wording_tokens = sum(tokens_of(wording) for wording, _ in profile.sentence_rewrites)
    rewritten, by_parts = (math.ceil(profile.rewrite_growth * tokens) for tokens in (chunk, asked_tokens))
    by_sentence = asked * sentences * wordings
    whole = asked if profile.rewrite_whole else 0
    answers = (k - asked) + asked * config.draws
    drawn = int(config.temperature > 0)
    read = chunk + plan.closed_book if config.reading == "quick" and not drawn else plan.over_passages
    return Load(
        model_calls=whole + by_sentence + answers + drawn + k,
        judge_pairs=answers * (answers + 1) + 2 * k,
        prompt_tokens=whole * (chunk + tokens_of(profile.rewrite))
        + asked * (sentences * wording_tokens + wordings * asked_tokens)
        + answers * read
        + drawn * plan.over_passages
        + k * (plan.over_passages - chunk),
        new_tokens=rewritten * whole + by_parts * asked * wordings + (answers + drawn + k) * profile.answer_tokens,
    )
