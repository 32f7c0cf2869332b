"""Folders of tiny causal models, whole with tokenizer and chat template: what a person brings along."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

END = "<|end|>"
TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|> {{ message['content'] }}<|end|> {% endfor %}"
    "{% if add_generation_prompt %}<|assistant|> {% endif %}"
)


def byte_tokenizer(template: str = TEMPLATE) -> PreTrainedTokenizerFast:
    """Return a tokenizer of single bytes, 256 of them and one that ends a text."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(models.BPE(vocab={letter: place for place, letter in enumerate(letters)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token=END)
    tokenizer.chat_template = template or None
    return tokenizer


def saved(folder: Path, model: torch.nn.Module, template: str = TEMPLATE) -> Path:
    """Return the folder after a model and the tokenizer of bytes were saved in it."""
    byte_tokenizer(template).save_pretrained(folder)
    model.generation_config.eos_token_id = 256
    model.save_pretrained(folder)
    return folder


def tiny_gpt2(folder: Path, template: str = TEMPLATE) -> Path:
    """Return a folder with a GPT-2 of 2 layers and 50,080 numbers that knows nothing."""
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=257, n_embd=32, n_layer=2, n_head=2, n_positions=512, eos_token_id=256)
    return saved(folder, GPT2LMHeadModel(config), template)
