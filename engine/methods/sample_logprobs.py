"""What drawn samples are weighed by, and when nothing can be said of them."""

from collections.abc import Sequence

import numpy as np

from engine.core.errors import NotMeasured
from engine.core.records import Generation
from engine.measures.checks import Floats


def sample_logprobs(samples: Sequence[Generation], *, resampled: bool) -> Floats:
    """Return the samples' mean log-probabilities [n], in nats per token.

    A sample with a token of probability 0 weighs nothing. Raises NotMeasured where all are such, and where one is and
    the draws are resampled: nothing says how often it would be drawn.
    """
    logprobs = np.array([sample.mean_logprob for sample in samples])
    impossible = int(np.isneginf(logprobs).sum())
    if impossible == logprobs.size or (impossible and resampled):
        raise NotMeasured(f"{impossible} of {logprobs.size} samples have a token of probability 0, by its server.")
    return logprobs
