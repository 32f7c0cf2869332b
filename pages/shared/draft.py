"""What stands in the Ask form, apart from its widgets: a draft of a question with its settings."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from engine.backends.devices import DeviceChoice
from engine.core.settings import MOST_PASSAGES
from engine.diagnosis.request import DiagnosisRequest, Retriever
from engine.methods import DEFAULT_METHODS
from engine.methods.dense_records import Reading

SAMPLE, PASTED, FILES = "Sample encyclopaedia", "My passages", "A folder or files"
ThresholdsName = Literal["paper", "fitted"]
MOST_REWORDINGS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What stands in the Ask form. ``base`` carries the methods' settings of the run this form was filled from."""

    question: str = ""
    golds: str = ""
    pasted: str = ""
    source: str = SAMPLE
    corpus_path: str = ""
    k: Annotated[int, Field(ge=1, le=MOST_PASSAGES)] = 5
    retriever: Retriever = "hybrid"
    methods: tuple[str, ...] = DEFAULT_METHODS
    model: str = "embedded"
    judge: str = "embedded"
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0
    device: DeviceChoice = "auto"
    profile: Literal["embedded", "paper"] = "embedded"
    rewordings: Annotated[int, Field(ge=1, le=MOST_REWORDINGS)] = 3
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.0
    reading: Reading = "full"
    similarity: Annotated[float, Field(ge=0, le=1)] = 0.6
    thresholds: ThresholdsName = "paper"
    base: DiagnosisRequest | None = None
    parent: str = ""
