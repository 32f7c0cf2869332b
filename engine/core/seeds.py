"""One seed per draw, derived from names, so that order, batching and the number of draws change nothing.

``derive_seed(root, "seper", "with", 3)`` is the same number whether three or thirty samples are drawn, so twenty
samples keep the first ten. There is no global seeding anywhere in this package.
"""

import hashlib

import numpy as np


def derive_seed(root: int, *labels: str | int) -> int:
    """Return the seed of one draw: a number in [0, 2**63), a function of the root seed and the draw's name only.

    >>> derive_seed(0, "seper", "with", 3) == derive_seed(0, "seper", "with", 3)
    True
    >>> derive_seed(0, "seper", "with", 3) == derive_seed(0, "seper", "without", 3)
    False
    """
    name = "\x1f".join([str(int(root)), *(f"{type(label).__name__}:{label}" for label in labels)])
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") >> 1


def uniform_at(seed: int, position: int) -> float:
    """Return the draw in [0, 1) that belongs to one (seed, position), whatever was drawn before.

    Philox is counter-based: position is the counter, so a batch of one and a batch of ten see the same numbers.

    >>> uniform_at(7, 5) == uniform_at(7, 5)
    True
    """
    return float(np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, position])).random())
