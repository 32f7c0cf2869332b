"""A gate before the first word: look up the question once if sampled short answers are unlikely to the model.

Predictive entropy as SUGAR's table III compares it: minus the mean, over closed-book samples, of their mean token
log-probability. The samples are SePer's without passages, the same draws, so that a run with SePer has them already.
The threshold is SUGAR's for TriviaQA, set for a 7B model.
"""

from engine.core.errors import CapabilityError
from engine.measures.retrieval_timing import predictive_entropy
from engine.methods.seper import SeperConfig, sampled
from engine.methods.timing.base import Bar, Policy, Scene, Signal, TimingConfig, at_the_start


def bar(config: TimingConfig) -> Bar:
    """Return τ in nats; the entropy must be above it, as the cheaper option keeps ties."""
    return Bar(rule="above", threshold=config.gate_entropy, unit="nats")


def before(scene: Scene) -> tuple[Signal, ...]:
    """Return the predictive entropy of the question. Raises CapabilityError where the model gives no probabilities."""
    if not scene.backends.model.capabilities.token_logprobs:
        raise CapabilityError("Predictive entropy reads the tokens' probabilities, which this model does not give.")
    samples = sampled(scene.case, (), "without", SeperConfig(), scene.backends)
    return (at_the_start(scene, predictive_entropy([sample.mean_logprob for sample in samples])),)


POLICY = Policy(
    word="predictive_entropy",
    title="Predictive entropy",
    asks="Before writing: how unlikely are the model's own short answers?",
    paper="SUGAR, section III.D, table III",
    after="all",
    bar=bar,
    before=before,
)
