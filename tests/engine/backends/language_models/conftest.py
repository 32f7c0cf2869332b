"""The embedded language model in float32, opened once for all tests of real weights."""

import os
from collections.abc import Iterator

import pytest

from engine.backends.language_models.embedded import converted_folder
from engine.backends.language_models.transformers_model import TransformersModel, open_folder


@pytest.fixture(scope="session")
def embedded() -> Iterator[TransformersModel]:
    """Return SmolLM2-135M-Instruct in float32, without a memory of earlier requests."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    yield open_folder(converted_folder(), "embedded", "float32")
