"""A chunk in other words, and whether the rewrite may count.

DENSE (section 4.1, appendix B.1) trusts its rewriter; a small model copies, cuts, loops or drops names. So a rewrite
counts only when it passes every check here; otherwise it is tried again sentence by sentence, and then the chunk is
*not measured*.
"""

from dataclasses import dataclass
from typing import Literal

from engine.records import Generation


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteCheck:
    """One check of a rewrite: its name, whether it passed, and what was seen ("lost: 1889, Paris")."""

    name: Literal["changed", "complete", "names", "numbers", "meaning"]
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteAttempt:
    """One try at rewriting a chunk: as a whole, sentence by sentence, or by a person's hand."""

    source: Literal["whole", "sentences", "hand"]
    text: str
    checks: tuple[RewriteCheck, ...]
    generations: tuple[Generation, ...]

    @property
    def valid(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)
