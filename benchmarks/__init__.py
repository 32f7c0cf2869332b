"""What is measured on real data, one script each; ``results`` holds what they found."""

import engine  # noqa: F401  (says how threads wait, which counts only before torch is imported)
