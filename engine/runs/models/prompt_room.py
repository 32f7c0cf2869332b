"""Whether pasted passages are too long for a model on this machine, said before anything runs."""

from functools import lru_cache

from engine.core.errors import MicroscopeError
from engine.core.libraries import import_torch
from engine.core.records import Prompt
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.base import answer_request
from engine.methods.profiles import PROFILES
from engine.runs.models.card import card_of

# Shorter passages are not looked at: the libraries of a model are not loaded for them.
LEAST_CHARACTERS = 4096


def too_long(request: DiagnosisRequest) -> str:
    """Return why a run of pasted passages can only fail, "" where it may fit or that cannot be told without loading.

    Told by the model's own tokenizer, on the prompt of the run's first answer. A corpus finds its passages in the run,
    and an imported answer is not written.
    """
    written = sum(len(passage.text) for passage in request.passages)
    if request.imported is not None or written < LEAST_CHARACTERS:
        return ""
    import_torch()  # the tokenizer's library fails where it meets a torch that another thread has half imported
    asked = answer_request(PROFILES[request.profile], request.question, request.passages)
    try:
        card = card_of(request.model)
        if card is None or card.context is None:
            return ""
        tokens = counted_tokens(request.model, asked.prompt)
    except MicroscopeError:
        return ""
    if tokens + asked.max_tokens <= card.context:
        return ""
    return (
        f"The passages are too long: {tokens:,} tokens with the question, and {asked.max_tokens} for the answer. "
        f"The model reads at most {card.context:,}. Use fewer or shorter passages."
    )


@lru_cache(maxsize=4)
def counted_tokens(model: str, prompt: Prompt) -> int:
    """Return how many tokens a prompt has for a model. Raises ModelError where its tokenizer is not on this machine."""
    from engine.backends.language_models.prompt_tokens import PromptTokenizer, tokenizer_of

    return len(PromptTokenizer(tokenizer_of(model), model).ids(prompt))
