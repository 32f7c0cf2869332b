"""Importing torch whole, and opening one model at a time, whichever thread asks first.

scipy looks at ``torch.Tensor`` as soon as torch is listed as imported, and fails where another thread is still at it.
"""

import threading
from importlib import import_module

# Held by whoever builds a model with transformers. It changes settings of the whole process meanwhile: the default
# number type, whether tied weights are tied, how much is logged. Two threads at it would each restore what the other
# had set, and every model opened later would have random or empty weights.
OPENING = threading.RLock()


def import_torch() -> None:
    """Import torch, or wait until the thread that imports it has done so."""
    import_module("torch")
