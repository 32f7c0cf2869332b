"""A gate before the first word: look up the question once if sampled short answers are unlikely to the model.

Predictive entropy as SUGAR's table III compares it: minus the mean, over closed-book samples, of their mean token
log-probability. The samples are SePer's without passages, the same draws, so that a run with SePer has them already.
The threshold is SUGAR's for TriviaQA, set for a 7B model.
"""

from engine.core.errors import CapabilityError
from engine.measures.semantic_entropy import predictive_entropy
from engine.methods.seper import SeperConfig, sample_answers
from engine.methods.threshold import Threshold
from engine.methods.timing.base import Policy, PolicyContext, Signal, at_the_start


def before(scene: PolicyContext) -> tuple[Signal, ...]:
    """Return the predictive entropy of the question. Raises CapabilityError where the model gives no probabilities."""
    if not scene.backends.model.capabilities.token_logprobs:
        raise CapabilityError("Predictive entropy reads the tokens' probabilities, which this model does not give.")
    samples = sample_answers(scene.case, (), "without", SeperConfig(), scene.backends)
    return (at_the_start(scene, predictive_entropy([sample.mean_logprob for sample in samples])),)


GATE = Threshold(
    word="gate",
    title="Threshold of predictive entropy",
    unit="nats",
    decides="Above it the question is looked up before writing.",
    paper="SUGAR, section III.D",
    group="Need of a lookup",
    fields=(("timing", "gate_entropy"),),
    policy="predictive_entropy",
)
POLICY = Policy(
    word="predictive_entropy",
    title="Predictive entropy",
    summary="Before writing: how unlikely are the model's own short answers?",
    paper="SUGAR, section III.D, table III",
    after="all",
    threshold=GATE,
    rule="above",
    before=before,
    reads="probabilities",
)
