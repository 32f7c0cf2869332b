"""The address of ``POLICIES`` for programs outside: see ``engine.methods.timing``."""

from engine.methods.timing import POLICIES

__all__ = ["POLICIES"]
