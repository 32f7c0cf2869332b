"""The address of ``load_judge`` for programs outside: see ``engine.backends.entailment``."""

from engine.backends.entailment import load_judge

__all__ = ["load_judge"]
