"""A gate before the first word: look up the question once if sampled short answers are unlikely to the model.

Predictive entropy as SUGAR's table III compares it: minus the mean, over closed-book samples, of their mean token
log-probability. The model that writes the loop is sampled, in the loop's own format: what it puts behind "So the answer
is" when nothing was reasoned yet. The threshold is SUGAR's for TriviaQA, set for a 7B model.
"""

from dataclasses import replace

from engine.core.errors import CapabilityError
from engine.core.progress import Stage
from engine.core.records import Generation
from engine.core.seeds import derive_seed
from engine.measures.semantic_entropy import predictive_entropy
from engine.methods.base import with_numbers
from engine.methods.conclusion import forced_request
from engine.methods.threshold import Threshold
from engine.methods.timing.base import Policy, PolicyContext, Signal, at_the_start


def before(scene: PolicyContext) -> tuple[Signal, ...]:
    """Return the predictive entropy of the question. Raises CapabilityError where the model gives no probabilities."""
    if not scene.backends.writer.capabilities.continued_logprobs:
        raise CapabilityError("Predictive entropy reads the tokens' probabilities, which this model does not give.")
    samples = drawn_answers(scene)
    scene.checks.read += sum(sample.prompt_tokens for sample in samples)
    scene.checks.written += sum(len(sample.tokens) for sample in samples)
    return (at_the_start(scene, predictive_entropy([sample.mean_logprob for sample in samples])),)


def drawn_answers(scene: PolicyContext) -> tuple[Generation, ...]:
    """Return the closed-book samples, drawn once for the trace and all loops; sample i depends on seed and i only."""
    if not scene.samples:
        case, writer = scene.case, scene.backends.writer
        asked = replace(forced_request(case.question, case.profile, ""), temperature=1.0)
        seeds = [derive_seed(case.seed, "gate", index) for index in range(case.profile.samples)]
        scene.backends.report(Stage(method="timing", name="sampling answers for the gate", total=len(seeds)))
        requests = [replace(asked, seed=seed) for seed in seeds]
        scene.samples.extend(with_numbers(writer.generate(requests, scene.backends.report), writer))
    return tuple(scene.samples)


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
    after="once",
    threshold=GATE,
    rule="above",
    before=before,
    reads="probabilities",
)
