"""What servers tell of tokens: log-probabilities that mean *never*, and texts that do not spell half characters.

An emoji is often several tokens, and a part of it is no text. Servers then show "\\ufffd" (Ollama), nothing (older
vLLM) or one character for each byte (SGLang). With the answer at hand, each part is found again.
"""

import codecs
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Any

# A probability of 0 as vLLM writes it, where llama.cpp has the lowest number there is. Its exponential is 0 exactly.
NEVER = -9999.0
# The sign in place of what is no text by itself.
PART = "\ufffd"
LONGEST_FITTED, MOST_TRIES = 20_000, 200_000
# A character of a token, with the place of the token; "" for a token without text.
Sign = tuple[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A run of parts of characters and the characters behind it, with their ``text``.

    ``is_end``: those are the last token's, or there are none.
    """

    run: Sequence[Sign]
    others: Sequence[Sign]
    text: str
    is_end: bool

    def places(self, answer: str, at: int) -> Iterator[int]:
        """Yield where the run may end if it begins at ``at``.

        It stands for at most as many characters as it has parts, none of them ASCII, as such a character has no parts.
        It stands for none only where it is tokens without text.
        """
        if not any(sign for _, sign in self.run):
            yield at
        for end in range(at + 1, min(at + len(self.run), len(answer)) + 1):
            if answer[end - 1].isascii():
                return
            yield end

    def fits(self, answer: str, start: int, first: bool) -> bool:
        """Return whether the characters behind the run stand in the answer at ``start``; it may end inside them.

        A run alone is no answer where more than an end token follows: hidden thoughts could begin with it.
        """
        if first and start and start == len(answer) and not self.is_end:
            return False
        if len(answer) - start <= len(self.text):
            return self.text.startswith(answer[start:])
        return bool(self.text) and answer.startswith(self.text, start)


def never_below(logprob: Any) -> Any:
    """Return a log-probability, at least ``NEVER``; what is no number, and NaN, unchanged for its reader to refuse.

    >>> never_below(-3.4028234663852886e38), never_below(-0.5), never_below("much")
    (-9999.0, -0.5, 'much')
    """
    return NEVER if isinstance(logprob, int | float) and logprob < NEVER else logprob


def decoded(parts: Sequence[bytes]) -> list[str]:
    """Return the text that each token completes, "" for one that ends inside a character.

    >>> decoded([b"\\xc3", b"\\xa9t"])
    ['', 'ét']
    """
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    return [decoder.decode(part, final=place == len(parts) - 1) for place, part in enumerate(parts)]


def place_of(answer: str, spelled: str) -> int | None:
    """Return where an answer begins in the text of its tokens, None where they spell another.

    White space around the answer does not count. Nothing but white space may stand before it.

    >>> place_of("Yes ", " Yes<end>"), place_of("Yes", "Hm. Yes")
    (1, None)
    """
    at = spelled.find(answer.strip())
    return None if at < 0 or spelled[:at].strip() else at


def fitted_texts(texts: Sequence[str], answer: str) -> list[str]:
    """Return the tokens' texts as they spell the answer; unchanged where they do so by themselves or cannot be fitted.

    >>> fitted_texts(["Hi ", "\\ufffd", "\\ufffd", "!"], "Hi 😊!"), fitted_texts(["\\xc3", "\\xa9t"], "ét")
    (['Hi ', '', '😊', '!'], ['', 'ét'])
    """
    told = list(texts)
    if not answer.strip() or len(answer) > LONGEST_FITTED or place_of(answer, "".join(told)) is not None:
        return told
    for found in (decoded([as_bytes(text) for text in told]), aligned_texts(told, answer.strip())):
        if found is not None and place_of(answer, "".join(found)) is not None:
            return found
    return told


def as_bytes(text: str) -> bytes:
    """Return the bytes of a token whose characters below U+0100 stand for one byte each."""
    return b"".join(sign.encode("latin-1" if sign <= "\xff" else "utf-8", errors="replace") for sign in text)


def aligned_texts(texts: Sequence[str], answer: str) -> list[str] | None:
    """Return the texts with the characters of the answer in place of runs of parts; None where others do not match.

    A run of "\\ufffd" and of tokens without text stands for the characters between its neighbours, which must match
    exactly; its last token carries them. What follows the answer, as an end token does, stays as it is.
    """
    signs: list[Sign] = [(place, sign) for place, text in enumerate(texts) for sign in text or ("",)]
    begin = next((number for number, (_, sign) in enumerate(signs) if not sign.isspace()), len(signs))
    stretches = tuple(stretches_of(signs[begin:], len(texts) - 1))
    starts = starts_in(answer, stretches)
    if starts is None:
        return None
    made = [""] * len(texts)
    at, spelled = 0, list(signs[:begin])
    for stretch, start in zip_longest(stretches, starts):
        if start is None:  # behind the answer
            spelled += stretch.run
        elif stretch.run:
            spelled.append((stretch.run[-1][0], answer[at:start]))
        spelled += stretch.others
        at = (start or 0) + len(stretch.others)
    for place, sign in spelled:
        made[place] += sign
    return made


def stretches_of(signs: Iterable[Sign], last: int) -> Iterator[Stretch]:
    """Yield each run of parts with the characters up to the next one; ``last`` is the place of the last token."""
    run: list[Sign] = []
    for is_run, group in groupby(signs, key=lambda one: one[1] in ("", PART)):
        if is_run:
            run = list(group)
        else:
            others = list(group)
            text = "".join(sign for _, sign in others)
            yield Stretch(run=run, others=others, text=text, is_end=others[0][0] == last)
            run = []
    if run:
        yield Stretch(run=run, others=[], text="", is_end=True)


def starts_in(answer: str, stretches: Sequence[Stretch]) -> list[int] | None:
    """Return where the characters behind each run begin in the answer, up to its end; None where they do not match.

    The first way that matches is taken. Where none does within ``MOST_TRIES`` steps, none is.
    """
    begun: list[Iterator[int]] = [stretches[0].places(answer, 0)] if stretches else []
    starts: list[int] = []
    seen: set[tuple[int, int]] = set()
    for _ in range(MOST_TRIES):
        if not begun:
            break
        start = next(begun[-1], None)
        if start is None:
            begun.pop()
            del starts[-1:]
        elif stretches[len(starts)].fits(answer, start, first=not starts):
            end = start + len(stretches[len(starts)].others)
            if end >= len(answer):
                return [*starts, start]
            if len(begun) < len(stretches) and (len(begun), end) not in seen:
                seen.add((len(begun), end))
                starts.append(start)
                begun.append(stretches[len(starts)].places(answer, end))
    return None
