"""A language model with scripted answers: for tests of what a method requests, never for results."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from engine.backends.language_models.base import Capabilities, ModelIdentity, Request
from engine.core.progress import Report, TokensDecoded
from engine.core.records import Generation, Prompt, Token

Spoken = str | Sequence[tuple[str, float, float]]


class ScriptedModel:
    """Answers each request with ``speak(request)``: a text, or (token text, log-probability, entropy) per token.

    A plain text is cut into words, each with log-probability -0.1 and entropy 0.2. ``attend(generation)`` gives the
    attention matrix; by default every token looks at all before it equally. ``requests`` keeps the requests.
    """

    def __init__(
        self,
        speak: Callable[[Request], Spoken],
        *,
        attend: Callable[[Generation], np.ndarray] | None = None,
        attentions: bool = True,
        full_distribution: bool = True,
        keeps_readings: bool = False,
        labels: Callable[[Prompt, Sequence[str]], Sequence[float]] | None = None,
    ) -> None:
        self._speak, self._attend, self._labels = speak, attend, labels
        self.requests: list[Request] = []
        self.identity = ModelIdentity(name="scripted", revision="scripted", dtype="none", parameters=0)
        self.capabilities = Capabilities(
            token_logprobs=True,
            full_distribution=full_distribution,
            attentions=attentions,
            seeded=True,
            keeps_readings=keeps_readings,
        )

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return the scripted answers, reported one by one."""
        answers = []
        for request in requests:
            self.requests.append(request)
            answers.append(scripted_generation(request, self._speak(request)))
            report(TokensDecoded(count=max(1, len(answers[-1].tokens))))
        return tuple(answers)

    def attention(self, generation: Generation) -> np.ndarray:
        """Return the scripted attention, or a uniform causal one."""
        if self._attend is not None:
            return self._attend(generation)
        total = generation.prompt_tokens + len(generation.tokens)
        rows = np.tril(np.ones((total, total)))[generation.prompt_tokens :]
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Return the characters of each space-separated word of the prompt."""
        return tuple((start, start + len(text)) for text, start in pieces(generation.rendered))

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return the scripted label log-probabilities, equal ones where none were scripted."""
        if self._labels is None:
            return np.full((len(prompts), len(labels)), -1.0)
        return np.array([self._labels(prompt, labels) for prompt in prompts])

    def count_tokens(self, text: str) -> int:
        """Return the number of space-separated words."""
        return len(text.split())


def pieces(text: str) -> list[tuple[str, int]]:
    """Return the text's words, each with the spaces before it, and where each piece starts.

    >>> pieces("a  b")
    [('a', 0), ('  b', 1)]
    """
    return [(found.group(), found.start()) for found in re.finditer(r"\s*\S+|\s+", text)]


def scripted_generation(request: Request, spoken: Spoken) -> Generation:
    """Return a generation that says what was spoken; an empty text has only its stop token."""
    parts = [(text, -0.1, 0.2) for text, _ in pieces(spoken)] if isinstance(spoken, str) else list(spoken)
    cut = len(parts) > request.max_tokens
    tokens: list[Token] = []
    for text, logprob, entropy in parts[: request.max_tokens]:
        start = tokens[-1].end if tokens else 0
        tokens.append(Token(id=0, text=text, start=start, end=start + len(text), logprob=logprob, entropy=entropy))
    text = "".join(token.text for token in tokens)
    return Generation(
        prompt=request.prompt,
        rendered=request.prompt.text,
        prompt_tokens=len(pieces(request.prompt.text)),
        text=text,
        tokens=tuple(tokens),
        stop_reason="length" if cut else "end",
        temperature=request.temperature,
        seed=request.seed,
        stop_token=None if cut else Token(id=1, text="", start=len(text), end=len(text), logprob=-0.5, entropy=0.1),
        kept=request.kept is not None,
    )
