"""Does the model say that the passages suffice? Self-evaluation of DENSE (section 5.2, appendix B.3).

The paper reads the generated word. Here the probabilities of "yes" and "no" as the answer are compared, each with both
of its spellings, capital and small: a model that was trained on one spelling may still put its mass on the other.
"""

import math
from collections.abc import Sequence

import numpy as np

from engine.core.errors import ModelError, NotMeasured
from engine.core.progress import Stage
from engine.core.records import Passage
from engine.methods.base import Backends
from engine.methods.dense_rag_records import SelfEvaluation
from engine.methods.profiles import Profile, sufficiency_prompt

SPELLINGS = ("yes", "Yes", "no", "No")
# Each spelling is asked for by itself, and a server's half precision moves each a little: a sum may pass 1 by as much.
PAST_ONE = math.log(1.05)


def evaluate_sufficiency(
    profile: Profile, question: str, passages: tuple[Passage, ...], least: float, backends: Backends
) -> SelfEvaluation:
    """Return whether the model says that the passages suffice to answer: "yes" has a share of at least ``least``.

    Raises as ``refuse_without_share``, and CapabilityError where the model weighs no given words.
    """
    model, report = backends.model, backends.report
    prompt = sufficiency_prompt(profile, question, passages)
    report(Stage(method="dense_rag", name="judging whether the context suffices", total=1))
    spelled = tuple(float(value) for value in model.label_logprobs([prompt], SPELLINGS, report)[0])
    refuse_without_share(spelled, model.identity.name)
    yes, no = yes_and_no(spelled)
    share = float(np.exp(yes - np.logaddexp(yes, no)))
    return SelfEvaluation(
        prompt=prompt,
        yes_logprob=yes,
        no_logprob=no,
        yes=share,
        no=1.0 - share,
        sufficient=is_enough(share, least),
        spelled_logprobs=spelled,
    )


def refuse_without_share(logprobs: Sequence[float], name: str) -> None:
    """Raise ModelError where a log-probability of "yes" or "no" is NaN or their spellings pass 1 together.

    Raises NotMeasured where all are -inf: no share is.
    """
    if any(math.isnan(value) for value in logprobs):
        raise ModelError(f'{name} gave NaN as the log-probability of "yes" or "no".')
    if max(yes_and_no(tuple(logprobs))) > PAST_ONE:
        raise ModelError(f"{name} gives two spellings of one word more than a probability of 1 together.")
    if max(logprobs) == -math.inf:
        raise NotMeasured(f"{name} gives neither “yes” nor “no” any probability.")


def yes_and_no(spelled: tuple[float, ...]) -> tuple[float, float]:
    """Return the log-probabilities of yes and no, each over its spellings, in nats; ``spelled`` as ``SPELLINGS``.

    >>> yes, no = yes_and_no((math.log(0.2), math.log(0.1), math.log(0.25), math.log(0.25)))
    >>> round(math.exp(yes), 6), round(math.exp(no), 6)
    (0.3, 0.5)
    """
    small_yes, capital_yes, small_no, capital_no = spelled
    return float(np.logaddexp(small_yes, capital_yes)), float(np.logaddexp(small_no, capital_no))


def is_enough(yes: float, least: float | None) -> bool:
    """Return whether the share of "yes" is enough; an older record, with None, asked for more than half.

    >>> is_enough(0.7, 0.8), is_enough(0.7, None)
    (False, True)
    """
    return yes > 0.5 if least is None else yes >= least
