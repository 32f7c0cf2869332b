"""Guesses at what a row writes next: what followed when its last tokens stood side by side before.

A rewriting, or an answer from passages, copies much of what was read. Where it does, several tokens can be checked in
one pass, which on a processor costs little more than one (prompt lookup: Saxena 2023; checked as in Leviathan et al.
2023, "Fast Inference from Transformers via Speculative Decoding"). A guess is kept only where it is the token that the
row chooses anyway, so no text changes.
"""

from collections.abc import Sequence

FIRST_GUESSES, FEWEST_GUESSES, MOST_GUESSES = 3, 2, 12
MORE = 4  # tokens guessed beyond as many as were right the last time
ALIKE = (3, 2, 1)  # last tokens that are looked for, the most telling first


class Echo:
    """One row's guesses. ``trust`` is how many tokens are guessed: more after right guesses, fewer after wrong ones."""

    def __init__(self, prompt: Sequence[int]) -> None:
        self.trust = FIRST_GUESSES
        self._tokens: list[int] = []
        self._after: dict[tuple[int, ...], int] = {}
        self.read(prompt)

    def read(self, tokens: Sequence[int]) -> None:
        """Take in what was written since."""
        for token in tokens:
            self._after.update(dict.fromkeys(self._lately(), len(self._tokens)))
            self._tokens.append(token)

    def guess(self) -> tuple[int, ...]:
        """Return the tokens that may come next; () where the last one never stood before.

        >>> Echo([1, 2, 3, 4, 5, 9, 2, 7, 1, 2]).guess()
        (3, 4, 5)
        """
        place = next((self._after[last] for last in self._lately() if last in self._after), None)
        return () if place is None else tuple(self._tokens[place : place + self.trust])

    def learn(self, guessed: int, right: int) -> None:
        """Take in how many of the guessed tokens were right."""
        if guessed:
            self.trust = min(right + MORE, MOST_GUESSES) if right else max(self.trust // 2, FEWEST_GUESSES)

    def _lately(self) -> list[tuple[int, ...]]:
        return [tuple(self._tokens[-length:]) for length in ALIKE if len(self._tokens) >= length]
