"""The address of ``load_language_model`` for programs outside: see ``engine.backends.language_models``."""

from engine.backends.language_models import load_language_model

__all__ = ["load_language_model"]
