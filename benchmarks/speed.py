"""How much faster is one diagnosis than the papers' algorithms taken literally, on the same machine?

The literal way makes every call of the papers' algorithms through transformers' ``generate`` with its own cache, one
after another. The engine makes the same calls: five passages of about 78 words, five rewordings of up to 160 tokens,
six answers (C_0 … C_5) and five ablations of up to 32, a language model as the judge of all ordered pairs of the six
answers, ten samples with and ten without passages of up to 32, and 96 tokens step by step with attention. A second row
uses the embedded judge on both sides: one pair after another, against each distinct pair once in one batch. Each side
answers over its own rewordings and draws its own samples, so texts differ a little. The result gives tokens of both.

    python -m benchmarks.speed                              writes results/speed.json (about 25 minutes on two cores)
    python -m benchmarks.speed --only float32 --results benchmarks/results/speed_float32.json

A processor without bfloat16 in hardware emulates it several times slower. For such a machine, use the second command.

Both sides run in one process with two threads, question by question. Nothing is kept between questions.
"""

import argparse
import ctypes
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import torch

from benchmarks.results_file import origin
from engine.backends.entailment import load_judge
from engine.backends.entailment.base import Judge
from engine.backends.entailment.llm_judge import LlmJudge, judge_prompt
from engine.backends.entailment.matrix import judge_pairs
from engine.backends.language_models.base import Request
from engine.backends.language_models.embedded import converted_folder
from engine.backends.language_models.transformers_model import TransformersModel, open_folder
from engine.backends.number_types import NumberType, fast_number_type
from engine.backends.retrieval import load_corpus, load_embedder
from engine.backends.retrieval.base import Corpus
from engine.core.progress import Event, TokensDecoded, silent
from engine.core.records import Passage, Prompt
from engine.core.seeds import derive_seed
from engine.methods.profiles import EMBEDDED, answer_prompt, rewrite_prompt, sample_prompt, step_by_step_prompt

RESULTS = Path(__file__).resolve().parent / "results" / "speed.json"
QUESTIONS = (
    "When was the Suez Canal opened?",
    "Who was the first person in space?",
    "Where was the leader of the team that developed penicillin born?",
    "Who bought London Bridge?",
    "What is the capital of Turkey?",
)
THREADS = 2
PASSAGES, WORDS, SAMPLES = 5, 78, 10
REWRITE_TOKENS, ANSWER_TOKENS, JUDGE_TOKENS, STEP_TOKENS = 160, 32, 4, 96
JUDGES = ("language model as judge", "embedded judge")
DTYPES: tuple[NumberType, ...] = ("bfloat16", "float32")


@dataclass(slots=True, kw_only=True)
class Side:
    """One side's seconds per stage by ``clock``, tokens read, reused and written, and decoding steps."""

    clock: ClassVar[Callable[[], float]] = time.perf_counter

    seconds: dict[str, float] = field(default_factory=dict)
    read: int = 0
    reused: int = 0
    written: int = 0
    steps: int = 0
    peak_bytes: int = 0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time the block."""
        began = Side.clock()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + Side.clock() - began

    def total(self, judge: str) -> float:
        """Return the total seconds with one of the two judges."""
        return total_of(asdict(self), judge)


def total_of(side: Mapping[str, Any], judge: str) -> float:
    """Return a stored side's total seconds with one of the two judges."""
    return float(sum(seconds for name, seconds in side["seconds"].items() if name not in JUDGES or name == judge))


def passages_of(question: str, corpus: Corpus) -> tuple[Passage, ...]:
    """Return five passages of 78 words; each starts at the same place as a retrieved one."""
    texts = {document.document_id: document.text for document in corpus.documents}
    found = (hit.passage for hit in corpus.search(question, PASSAGES))
    return tuple(
        Passage(title=hit.title, text=" ".join(texts[hit.document_id][hit.start :].split()[:WORDS])) for hit in found
    )


def replaced(passages: tuple[Passage, ...], at: int, text: str) -> tuple[Passage, ...]:
    """Return the passages with another text at one place."""
    return (*passages[:at], Passage(title=passages[at].title, text=text), *passages[at + 1 :])


def without(passages: tuple[Passage, ...], at: int) -> tuple[Passage, ...]:
    """Return the passages without one."""
    return (*passages[:at], *passages[at + 1 :])


def literally(ours: TransformersModel, judge: Judge, question: str, passages: tuple[Passage, ...]) -> Side:
    """Return the cost of the literal way."""
    side, model = Side(), ours._model

    def write(prompt: Prompt, most: int, **options: Any) -> str:
        ids = torch.tensor([ours.prompts.ids(prompt)])
        out = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=most, **options)
        new = (out.sequences if options.get("return_dict_in_generate") else out)[0, ids.shape[1] :].tolist()
        side.read += ids.shape[1]
        side.written += len(new)
        side.steps += len(new)
        return str(ours._tokenizer.decode(new, skip_special_tokens=True)).strip()

    greedy = {"do_sample": False}
    with side.stage("rewrites"):
        rewrites = [write(rewrite_prompt(EMBEDDED, passage.text), REWRITE_TOKENS, **greedy) for passage in passages]
    with side.stage("answers"):
        contexts = [passages, *(replaced(passages, at, text) for at, text in enumerate(rewrites))]
        answers = [write(answer_prompt(EMBEDDED, question, context), ANSWER_TOKENS, **greedy) for context in contexts]
        for at in range(PASSAGES):
            write(answer_prompt(EMBEDDED, question, without(passages, at)), ANSWER_TOKENS, **greedy)
    with side.stage("language model as judge"):
        for one, other in pairs_of(answers):
            write(judge_prompt(question, one, other), JUDGE_TOKENS, **greedy)
    with side.stage("embedded judge"):
        for one, other in pairs_of(answers):
            judge.entailment(question, [one], [other])
    with side.stage("samples"):
        for context in (passages, ()):
            for _ in range(SAMPLES):
                write(sample_prompt(EMBEDDED, question, context), ANSWER_TOKENS, do_sample=True, top_k=0, top_p=1.0)
    with side.stage("step by step"):
        model.set_attn_implementation("eager")  # the other kernels give no attention
        options = {"output_attentions": True, "output_scores": True, "return_dict_in_generate": True}
        write(step_by_step_prompt(question), STEP_TOKENS, **greedy, **options)
        model.set_attn_implementation("sdpa")
    return side


def by_engine(ours: TransformersModel, judge: Judge, question: str, passages: tuple[Passage, ...]) -> Side:
    """Return the cost of the engine, which writes in one batch what it can."""
    side = Side()
    ours.forget()

    def count(event: Event) -> None:
        side.steps += isinstance(event, TokensDecoded) and event.count > 0

    def greedy(prompt: Prompt, most: int = ANSWER_TOKENS) -> Request:
        return Request(prompt=prompt, max_tokens=most)

    contexts = [passages, *(without(passages, at) for at in range(PASSAGES))]
    rewriting = [greedy(rewrite_prompt(EMBEDDED, passage.text), REWRITE_TOKENS) for passage in passages]
    samples = [
        Request(
            prompt=sample_prompt(EMBEDDED, question, context),
            max_tokens=ANSWER_TOKENS,
            temperature=1.0,
            seed=derive_seed(0, name, number),
        )
        for name, context in (("with", passages), ("without", ()))
        for number in range(SAMPLES)
    ]
    steps = greedy(step_by_step_prompt(question), STEP_TOKENS)
    with side.stage("written at once"):
        answering = [greedy(answer_prompt(EMBEDDED, question, context)) for context in contexts]
        first = ours.generate([*answering, *samples, *rewriting, steps], count)
        rewrites, trend = first[-1 - PASSAGES : -1], first[-1]
    with side.stage("answers over rewrites"):
        rewritten = [replaced(passages, at, rewrite.text.strip()) for at, rewrite in enumerate(rewrites)]
        second = ours.generate([greedy(answer_prompt(EMBEDDED, question, context)) for context in rewritten], count)
    answers = [first[0].text, *(one.text for one in second)]
    with side.stage("attention"):
        ours.attention(trend)
    side.written = sum(len(one.tokens) + (one.stop_token is not None) for one in (*first, *second))
    with side.stage("language model as judge"):
        judge_pairs(LlmJudge(ours), question, answers, silent)
    with side.stage("embedded judge"):
        judge_pairs(judge, question, answers, silent)
    side.read, side.reused = ours.known.computed, ours.known.reused
    return side


def pairs_of(answers: Sequence[str]) -> list[tuple[str, str]]:
    """Return all ordered pairs."""
    return [(one, other) for i, one in enumerate(answers) for j, other in enumerate(answers) if i != j]


def machine_rates(kind: torch.dtype) -> dict[str, float]:
    """Return this machine's current rates: operations per second in matrix products, bytes per second read."""
    one, other = (torch.randn(2048, 2048).to(kind) for _ in range(2))
    products = fastest(lambda: one @ other)
    block = torch.ones(2**27, dtype=torch.float32)
    return {"operations": 2 * 2048**3 / products, "bytes": block.nbytes / fastest(lambda: block.sum())}


def fastest(call: Callable[[], object], times: int = 7) -> float:
    """Return the shortest time of several calls, in seconds."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return min(found)


def share_of_ceiling(side: Side, ours: TransformersModel, rates: dict[str, float]) -> float:
    """Return the share of the engine's seconds that matrix products and reading weights alone would take.

    A token costs two operations per weight outside the embeddings. A decoding step reads all weights once, and its
    computing is hidden behind that reading.
    """
    weights = list(ours._model.parameters())
    embeddings = ours._model.get_input_embeddings().weight.numel()
    operations = 2 * (ours.identity.parameters - embeddings) * side.read
    read = side.steps * sum(weight.nbytes for weight in weights)
    return float(operations / rates["operations"] + read / rates["bytes"]) / side.total(JUDGES[0])


def peak_of(call: Callable[[], Side]) -> Side:
    """Return a side with the peak memory of the process, in bytes.

    Memory that the previous side released goes back to the system first, if the C library can do that (glibc).
    """
    gc.collect()
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark begins anew
    side = call()
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    side.peak_bytes = int(lines["VmHWM"].split()[0]) * 1024
    return side


def measured(dtype: NumberType, questions: Sequence[str]) -> dict[str, Any]:
    """Return all measurements in one number type."""
    judge, corpus = (
        load_judge("embedded"),
        load_corpus(
            "sample", chunk_tokens=EMBEDDED.chunk_tokens, chunk_overlap=EMBEDDED.chunk_overlap, embedder=load_embedder()
        ),
    )
    model = open_folder(converted_folder(), "embedded-base", dtype)
    rates = machine_rates(getattr(torch, dtype))
    model.generate([Request(prompt=Prompt(text="Hello"), max_tokens=4)], silent)  # both sides find the code warm
    judge.entailment("Who?", ["she"], ["he"])
    rows = []
    for question in questions:
        passages = passages_of(question, corpus)
        engine = peak_of(partial(by_engine, model, judge, question, passages))
        literal = peak_of(partial(literally, model, judge, question, passages))
        row = {
            "question": question,
            "ratio": literal.total(JUDGES[0]) / engine.total(JUDGES[0]),
            "ratio_embedded_judge": literal.total(JUDGES[1]) / engine.total(JUDGES[1]),
            "share_of_ceiling": share_of_ceiling(engine, model, rates),
            "literal": asdict(literal) | {"total": literal.total(JUDGES[0])},
            "engine": asdict(engine) | {"total": engine.total(JUDGES[0])},
        }
        rows.append(row)
        print(
            f"{dtype} {question} literal {literal.total(JUDGES[0]):.1f} s, engine {engine.total(JUDGES[0]):.1f} s: "
            f"{row['ratio']:.1f} times; with the embedded judge {row['ratio_embedded_judge']:.1f} times\n"
            f"    literal {shown(literal)}\n    engine {shown(engine)}",
            flush=True,
        )
    return {"machine_rates": rates, "questions": rows}


def shown(side: Side) -> str:
    """Return a side on one line."""
    stages = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in side.seconds.items())
    return (
        f"{stages}; {side.read:,} tokens read, {side.reused:,} taken over, {side.written:,} written in {side.steps:,} "
        f"steps; peak {side.peak_bytes / 1e9:.2f} GB"
    )


def ratios_of(found: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Return the medians over the questions, for the number types that were measured.

    The engine uses bfloat16 if the processor computes it fast, so each literal way is compared with that.
    ``ratio_float32_on_both_sides`` compares float32 with float32.
    """
    ratios: dict[str, float] = {}
    ours = found.get("bfloat16", {}).get("questions")
    for name, judge in (("", JUDGES[0]), ("_embedded_judge", JUDGES[1])):
        for dtype, part in found.items():
            both = statistics.median(
                total_of(row["literal"], judge) / total_of(row["engine"], judge) for row in part["questions"]
            )
            if dtype == "bfloat16":
                ratios[f"ratio_bfloat16{name}"] = both
                continue
            ratios[f"ratio_float32_on_both_sides{name}"] = both
            if ours:
                ratios[f"ratio_float32{name}"] = statistics.median(
                    total_of(row["literal"], judge) / total_of(own["engine"], judge)
                    for row, own in zip(part["questions"], ours, strict=True)
                )
    return ratios


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=DTYPES, help="one number type")
    parser.add_argument("--questions", type=int, default=len(QUESTIONS))
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument("--results", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    found: dict[str, Any] = {
        dtype: measured(dtype, QUESTIONS[: chosen.questions]) for dtype in DTYPES if chosen.only in (None, dtype)
    }
    ratios = ratios_of(found)
    results = {
        **ratios,
        "threads": chosen.threads,
        **origin(),
        "bfloat16_in_hardware": fast_number_type() == "bfloat16",
        **found,
    }
    chosen.results.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(ratios, indent=1))


if __name__ == "__main__":
    main()
