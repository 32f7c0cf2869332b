"""What a model on this machine can do, from its settings and tokenizer alone: no weights are read.

The architecture is built without memory (torch's device "meta"), so a card takes a fraction of a second whatever the
size of the model. Pace and memory in use are what a test shows (``engine.runs.models.trial``).
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from engine.backends.added_models import Changes, changes_of
from engine.backends.devices import Device
from engine.backends.hub_cache import cached_folder
from engine.backends.language_models import EMBEDDED_NAMES, computing_place
from engine.backends.language_models.base import Capabilities
from engine.backends.language_models.embedded import FOLDER
from engine.backends.language_models.gguf_file import conversion_of, gguf_in
from engine.backends.language_models.memory_need import numbers_in, row_bytes, weights_bytes
from engine.backends.number_types import number_type
from engine.core.allowed import refuse_unlisted
from engine.core.errors import ModelError
from engine.core.folders import data_folder
from engine.core.libraries import OPENING
from engine.core.records import Prompt
from engine.core.words import reason_of

Way = Literal["own decoder", "one batch", "one text at a time"]
EXAMPLE = "Who wrote Hamlet?"
ROW_TOKENS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """A model as its settings describe it.

    ``family`` is transformers' word for the architecture. ``context`` None = it does not say. ``template`` is the chat
    template in use, ``own_template`` the one that came with it, "" = none: questions are then plain text. ``rendered``
    is a question as the model reads it. ``ends`` are the tokens that end an answer. ``memory`` are the bytes of its
    weights once opened, ``text_memory`` those of one text of 1,000 tokens beside them. ``way`` is how it decodes.
    """

    family: str
    parameters: int
    vocabulary: int | None
    context: int | None
    template: str
    own_template: str
    rendered: str
    ends: tuple[str, ...]
    capabilities: Capabilities
    way: Way
    dtype: str
    memory: int
    text_memory: int


def folder_of(source: str) -> Path | None:
    """Return the folder with the settings and weights of a model as they are now, None where there is none here.

    Nothing is converted: a GGUF file has a folder once it was.
    """
    if source in EMBEDDED_NAMES:
        folder = data_folder() / "models" / FOLDER
    elif (file := gguf_in(Path(source).expanduser())) is not None:
        folder = conversion_of(file)
    elif Path(source).expanduser().is_dir():
        folder = Path(source).expanduser()
    else:
        return cached_folder(source)
    return folder if (folder / "config.json").is_file() else None


def card_of(source: str) -> ModelCard | None:
    """Return the card of a model where a run would compute, None where its files are not here or not converted yet.

    Raises ModelError where they are no model that can be used, InputError where visitors may not name it.
    """
    refuse_unlisted(source)
    try:
        folder = folder_of(source)
        changed = (folder / "config.json").stat().st_mtime_ns if folder is not None else 0
    except (OSError, ValueError, RuntimeError) as exc:
        raise ModelError(f"The model {source[:200]!r} cannot be looked at: {reason_of(exc)}.") from exc
    place = computing_place(source)
    if folder is None or place == "server":
        return None
    return read_card(folder, source, changes_of(source), place, changed)


@lru_cache(maxsize=64)
def read_card(folder: Path, source: str, changes: Changes, device: Device, _changed: int) -> ModelCard:
    """Return the card of a folder. Raises ModelError where it holds no language model that can be used."""
    from engine.backends.language_models.decoder.llama import has_lean_pass
    from engine.backends.language_models.prompt_tokens import PromptTokenizer
    from engine.backends.language_models.transformers_model import context_of

    model, tokenizer = empty_model(folder, source)
    own = tokenizer.chat_template or ""
    tokenizer.chat_template = changes.template or tokenizer.chat_template
    config, dtype = model.config, number_type(device)
    lean = device == "cpu" and has_lean_pass(config)
    return ModelCard(
        family=str(config.model_type),
        parameters=sum(map(numbers_in, folder.glob("*.safetensors"))) or sum(p.numel() for p in model.parameters()),
        vocabulary=getattr(config, "vocab_size", None),
        context=min(filter(None, (context_of(config), changes.context)), default=None),
        template=tokenizer.chat_template or "",
        own_template=own,
        rendered=PromptTokenizer(tokenizer, source).render(Prompt(text=EXAMPLE)),
        ends=end_words(model, tokenizer),
        capabilities=capabilities_of(model),
        way="own decoder" if lean else way_of(model),
        dtype=dtype,
        memory=weights_bytes(folder, dtype),
        text_memory=row_bytes(config, dtype, ROW_TOKENS),
    )


def empty_model(folder: Path, source: str) -> tuple[Any, Any]:
    """Return the architecture of a folder without weights, and its tokenizer. Raises ModelError with the reason."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        with OPENING, torch.device("meta"):
            model = AutoModelForCausalLM.from_config(config, trust_remote_code=False)
        return model, AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as exc:  # transformers raises many kinds, from a missing file to an unknown architecture
        needs_code = "custom code" in str(exc)
        reason = "it needs code of its own, which is never run here." if needs_code else reason_of(exc)
        raise ModelError(f"{source[:200]!r} is not a language model that can be used here: {reason}") from exc


def capabilities_of(model: Any) -> Capabilities:
    """Return what methods may count on with a model that is held open here."""
    from engine.backends.language_models.decoder.llama import has_lean_pass
    from engine.backends.language_models.decoder.whole_passes import attention_layer

    return Capabilities(
        token_logprobs=True,
        full_distribution=True,
        attentions=attention_layer(model) is not None,
        seeded=True,
        keeps_readings=has_lean_pass(model.config),
    )


def way_of(model: Any) -> Way:
    """Return how transformers decodes a model: in one batch where every layer keeps its whole past."""
    from engine.backends.language_models.decoder.padded_batch import can_merge, new_cache

    return "one batch" if can_merge(new_cache(model)) else "one text at a time"


def end_words(model: Any, tokenizer: Any) -> tuple[str, ...]:
    """Return the tokens that end an answer, as text."""
    from engine.backends.language_models.transformers_model import end_ids

    return tuple(str(tokenizer.convert_ids_to_tokens(number)) for number in sorted(end_ids(model, tokenizer)))


def check_template(source: str, template: str) -> str:
    """Return an example question as a chat template renders it.

    Raises ModelError where the template cannot be filled, or does not hold the question once.
    """
    from engine.backends.language_models.prompt_tokens import PromptTokenizer, tokenizer_with

    folder = folder_of(source)
    if folder is None:
        raise ModelError("The model's files are not on this machine, so its chat template cannot be tried.")
    tokenizer = tokenizer_with(str(folder), template)
    return PromptTokenizer(tokenizer, source).render(Prompt(text=EXAMPLE))
