"""The packaged MiniLM as a classifier of pairs into three classes: what the trained judge is made of.

all-MiniLM-L6-v2 (Wang et al. 2020; sentence-transformers): 6 layers of width 384 and a pooler, from an installed
package; no download at run time. The layer that classifies is not part of it and starts at random.
"""

from typing import Any

import torch
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification
from transformers.utils import logging

from engine.backends.entailment import ENCODER, encoder_folder
from engine.core.errors import ModelError

LABELS = {0: "contradiction", 1: "neutral", 2: "entailment"}


def load_backbone() -> tuple[Any, Any]:
    """Return the model in float32 and its tokenizer; raises ModelError where the package is missing or damaged."""
    folder = encoder_folder()
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # that the classifying layer is new is no news
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        config = BertConfig.from_pretrained(
            folder, local_files_only=True, id2label=LABELS, label2id={label: place for place, label in LABELS.items()}
        )
        model = BertForSequenceClassification.from_pretrained(
            folder, config=config, local_files_only=True, use_safetensors=True, dtype=torch.float32
        )
    except Exception as exc:  # whatever a broken folder makes the library raise
        raise ModelError(f"The encoder in {ENCODER} cannot be loaded; install it again.") from exc
    finally:
        logging.set_verbosity(verbosity)
    return model, tokenizer
