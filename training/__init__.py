"""How the shipped weights were made: data readers, pairs, resumable training scripts. Nothing in the workbench imports
it.
"""

import engine  # noqa: F401  (says how threads wait, which counts only before torch is imported)
