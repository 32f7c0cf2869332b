"""Guesses at what a row writes next: what followed when its last two tokens stood side by side before.

A rewriting, or an answer from passages, copies much of what was read. Where it does, several tokens can be checked in
one pass, which on a processor costs little more than one (prompt lookup: Saxena 2023; checked as in Leviathan et al.
2023, "Fast Inference from Transformers via Speculative Decoding"). A guess is kept only where it is the token that the
row chooses anyway, so no text changes.
"""

from collections.abc import Sequence

MOST_GUESSES = 7
FIRST_GUESSES = 3


class Echo:
    """One row's guesses. ``trust`` is how many tokens are guessed: more after right guesses, fewer after wrong ones."""

    def __init__(self, prompt: Sequence[int]) -> None:
        self.trust = FIRST_GUESSES
        self._tokens: list[int] = []
        self._after: dict[tuple[int, int], int] = {}
        self.read(prompt)

    def read(self, tokens: Sequence[int]) -> None:
        """Take in what was written since."""
        for token in tokens:
            if len(self._tokens) >= 2:
                self._after[self._tokens[-2], self._tokens[-1]] = len(self._tokens)
            self._tokens.append(token)

    def guess(self) -> tuple[int, ...]:
        """Return the tokens that may come next; () where the last two never stood side by side before.

        >>> Echo([1, 2, 3, 4, 5, 1, 2]).guess()
        (3, 4, 5)
        """
        place = self._after.get((self._tokens[-2], self._tokens[-1])) if len(self._tokens) >= 2 else None
        return () if place is None else tuple(self._tokens[place : place + self.trust])

    def learn(self, guessed: int, right: int) -> None:
        """Take in how many of the guessed tokens were right."""
        if guessed:
            self.trust = min(right + 2, MOST_GUESSES) if right else max(self.trust // 2, 1)
