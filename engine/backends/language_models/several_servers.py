"""One model on several servers: requests are shared out among them, each asked with its own bounded concurrency.

It is named by the addresses with commas between: "http://one:8000/v1#model, http://two:8000/v1#model". All must serve
the same model and give the same. The share of a server that fails is asked of the others. Draws depend on their seeds
only, so it does not matter who answers, as far as the servers compute alike.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

import numpy as np

from engine.backends.language_models.base import LanguageModel, Request
from engine.backends.language_models.server_address import is_server
from engine.core.errors import CapabilityError, ModelError
from engine.core.progress import Report
from engine.core.records import Generation, Prompt

Input = TypeVar("Input")
Output = TypeVar("Output")


def server_names(name: str) -> tuple[str, ...]:
    """Return the addresses that a model's name lists; a name that is no server's is one name.

    >>> server_names("http://a/v1#m, http://b/v1#m"), server_names("models/a,b")
    (('http://a/v1#m', 'http://b/v1#m'), ('models/a,b',))
    """
    if not is_server(name):
        return (name,)
    return tuple(part.strip() for part in name.split(",") if part.strip())


class SeveralServers:
    """The same model behind several servers; ``models`` are those of each, at least one."""

    def __init__(self, models: Sequence[LanguageModel]) -> None:
        """Share out among these. Raises ModelError where they do not give the same."""
        first = models[0]
        kinds = {(one.identity.revision, one.identity.name.partition("#")[2], one.capabilities) for one in models}
        if len(kinds) > 1:
            raise ModelError("The servers do not serve the same model, or do not give the same with every text.")
        self.models = tuple(models)
        note = f"{first.identity.note} Shared out among {len(models)} servers.".strip()
        self.identity = replace(
            first.identity, name=", ".join(dict.fromkeys(one.identity.name for one in models)), note=note
        )
        self.capabilities = first.capabilities

    def generate(self, requests: Sequence[Request], report: Report) -> tuple[Generation, ...]:
        """Return one generation per request, in order; see ``LanguageModel.generate``."""
        return tuple(self.shared_out(requests, lambda model, some: model.generate(some, report)))

    def label_logprobs(self, prompts: Sequence[Prompt], labels: Sequence[str], report: Report) -> np.ndarray:
        """Return each label's mean log-probability; see ``LanguageModel.label_logprobs``."""
        rows = self.shared_out(prompts, lambda model, some: list(model.label_logprobs(some, labels, report)))
        return np.array(rows).reshape(len(prompts), len(labels))

    def attention(self, generation: Generation) -> np.ndarray:
        """Raise CapabilityError: no server shows attention."""
        return self.models[0].attention(generation)

    def prompt_spans(self, generation: Generation) -> tuple[tuple[int, int], ...]:
        """Raise CapabilityError: no server shows the tokens of the prompt."""
        return self.models[0].prompt_spans(generation)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens by the first server's count."""
        return self.models[0].count_tokens(text)

    def shared_out(
        self, inputs: Sequence[Input], ask: Callable[[LanguageModel, list[Input]], Sequence[Output]]
    ) -> list[Output]:
        """Return what the servers answer to each input, in order, those of a failing one asked of the others.

        Raises what the last server raised where all fail.
        """
        found: dict[int, Output] = {}
        working = list(self.models)
        while (left := [at for at in range(len(inputs)) if at not in found]) and working:
            shares = [(model, left[turn :: len(working)]) for turn, model in enumerate(working)]
            with ThreadPoolExecutor(len(working)) as pool:
                answers = [pool.submit(ask, model, [inputs[at] for at in some]) for model, some in shares if some]
            for (model, some), answer in zip(shares, answers, strict=False):
                try:
                    found.update(zip(some, answer.result(), strict=True))
                except CapabilityError:
                    raise
                except ModelError:
                    working.remove(model)
                    if not working:
                        raise
        return [found[at] for at in range(len(inputs))]
