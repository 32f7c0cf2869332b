"""Importing torch whole, whichever thread asks first.

scipy looks at ``torch.Tensor`` as soon as torch is listed as imported, and fails where another thread is still at it.
"""

from importlib import import_module


def import_torch() -> None:
    """Import torch, or wait until the thread that imports it has done so."""
    import_module("torch")
