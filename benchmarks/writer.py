"""Does the writer conclude, read, and still doubt where it is wrong? Step by step, over five passages and from memory.

Questions: HotpotQA (several hops) and the test questions of Natural Questions (one hop), none of them learnt from. Each
is asked over five passages of 70 words, those that answer it among them, and from memory, greedily, in the loop's own
prompt. Measured are the share that reaches "So the answer is …", the answers that hold a correct one, exact matches and
token F1 of the conclusion (of a forced one where none came), and from memory the AUROC of the entropy at the first
token of the answer, where the text first names it, against a wrong answer.

    python -m benchmarks.writer --multihop multihop.jsonl.gz --nq nq-open-oracle.jsonl.gz     writes results/writer.json
    python -m benchmarks.writer ... --adapter RUN/adapter --limit 20 --results FILE           an adapter, some questions
"""

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing_results import rate
from engine.backends.language_models import load_language_model, writer_name
from engine.backends.language_models.base import LanguageModel, Request
from engine.backends.language_models.reader import open_reader
from engine.backends.number_types import number_type
from engine.backends.text import load_text_tools
from engine.core.progress import silent
from engine.core.records import Generation, Passage
from engine.measures.answer_match import contains, exact_match, token_f1
from engine.measures.ranking import auroc, auroc_interval
from engine.methods.conclusion import concluded_answer, forced_request, scored
from engine.methods.profiles import EMBEDDED, step_by_step_prompt
from engine.methods.step_by_step import STEP_BY_STEP_STOP
from training.multihop import TEST_SET, MultihopRow, read_multihop
from training.nq_open import OracleRow, read_oracle
from training.reader_examples import Neighbours, shortened

RESULTS = Path(__file__).resolve().parent / "results" / "writer.json"
PASSAGES, BATCH = 5, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its correct answers and five passages that answer it, in a random order."""

    question: str
    golds: tuple[str, ...]
    passages: tuple[Passage, ...]


def several_hops(rows: Sequence[MultihopRow], seed: int = 0) -> list[Asked]:
    """Return HotpotQA's questions over their supporting passages and others of the same question."""
    draw, found = random.Random(seed), []
    for row in rows:
        if row.set_name != TEST_SET:
            continue
        held = [shortened(row.passages[place], row.answers) for place in row.supporting[:PASSAGES]]
        rest = [passage for place, passage in enumerate(row.passages) if place not in row.supporting]
        others = [shortened(passage, ("",)) for passage in draw.sample(rest, min(len(rest), PASSAGES - len(held)))]
        passages = [*held, *others]
        draw.shuffle(passages)
        found.append(Asked(question=row.question, golds=row.answers, passages=tuple(passages)))
    return found


def one_hop(rows: Sequence[OracleRow], seed: int = 0) -> list[Asked]:
    """Return the test questions of Natural Questions over their passage and four near ones without the answer."""
    draw, neighbours, found = random.Random(seed), Neighbours(rows), []
    for place, row in enumerate(rows):
        if row.test:
            near = neighbours.drawn(draw, place, PASSAGES - 1, row.answers)
            passages = [neighbours.passages[place], *(neighbours.passages[other] for other in near)]
            draw.shuffle(passages)
            found.append(Asked(question=row.question, golds=row.answers, passages=tuple(passages)))
    return found


def written(model: LanguageModel, requests: Sequence[Request]) -> list[Generation]:
    """Return one greedy generation a request."""
    parts = (requests[at : at + BATCH] for at in range(0, len(requests), BATCH))
    return [generation for part in parts for generation in model.generate(part, silent)]


def step_request(asked: Asked, passages: Sequence[Passage]) -> Request:
    """Return the loop's own request for a whole answer over these passages."""
    prompt = step_by_step_prompt(asked.question, EMBEDDED, passages)
    return Request(prompt=prompt, max_tokens=EMBEDDED.step_tokens, stop=STEP_BY_STEP_STOP)


def measured(model: LanguageModel, questions: Sequence[Asked], over: bool) -> dict[str, Any]:
    """Return everything that is measured of one group of questions, over passages or from memory."""
    tools = load_text_tools()
    answers = written(model, [step_request(one, one.passages if over else ()) for one in questions])
    texts = [answer.text for answer in answers]
    open_ones = [place for place, text in enumerate(texts) if not concluded_answer(text, tools)]
    asked = [forced_request(questions[place].question, EMBEDDED, texts[place]) for place in open_ones]
    forced = dict(zip(open_ones, written(model, asked), strict=True))
    said = [scored(text, forced.get(place), questions[place].golds, tools) for place, text in enumerate(texts)]
    pairs = [(one.answer, asked.golds) for one, asked in zip(said, questions, strict=True)]
    right = [bool(one.right) for one in said]
    found: dict[str, Any] = {
        "questions": len(questions),
        "concludes": rate([float(place not in forced) for place in range(len(texts))]),
        "contains_gold": rate([float(one) for one in right]),
        "exact_match": rate([float(exact_match(text, golds)) for text, golds in pairs]),
        "token_f1": rate([float(token_f1(text, golds)) for text, golds in pairs]),
        "answer_anywhere": rate([float(contains(text, one.golds)) for text, one in zip(texts, questions, strict=True)]),
        "tokens": round(float(np.mean([len(answer.tokens) for answer in answers])), 1),
        "examples": [
            {"question": one.question, "answers": one.golds, "said": text.strip()}
            for one, text in zip(questions[:20], texts, strict=False)
        ],
    }
    if not over:
        found["entropy_of_names"] = separates(answers, [one.answer for one in said], right)
    return found


def separates(answers: Sequence[Generation], said: Sequence[str], right: Sequence[bool]) -> dict[str, Any]:
    """Return how well the entropy at the first token of a named answer ranks wrong answers above right ones."""
    rows = [
        (entropy, not is_right)
        for generation, text, is_right in zip(answers, said, right, strict=True)
        if (entropy := name_entropy(generation, text)) is not None
    ]
    wrong, values = [one for _, one in rows], [one for one, _ in rows]
    if len(set(wrong)) < 2:
        return {"answers": len(rows), "wrong": sum(wrong), "auroc": None, "low": None, "high": None}
    low, high = auroc_interval(wrong, values)
    shown = {"auroc": round(auroc(wrong, values), 3), "low": round(low, 3), "high": round(high, 3)}
    return {"answers": len(rows), "wrong": sum(wrong), **shown}


def name_entropy(generation: Generation, answer: str) -> float | None:
    """Return the entropy, in nats, of the token at which a text first says its answer; None where it names nothing."""
    place = generation.text.find(answer) if answer[:1].isupper() else -1
    if place < 0:
        return None
    return next((token.entropy for token in generation.tokens if token.end > place), None)


def main() -> None:
    """Measure, store and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--multihop", type=Path, required=True)
    parser.add_argument("--nq", type=Path, required=True)
    parser.add_argument("--model", default="embedded", help="its writer is measured; a name or folder")
    parser.add_argument("--adapter", type=Path, help="a folder with another adapter, in peft's format")
    parser.add_argument("--limit", type=int, help="only so many questions of each kind")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    if (given.limit or given.adapter) and given.results == RESULTS:
        parser.error("name another file with --results: this is no benchmark of what ships")
    opened = open_reader("adapter", number_type(), given.adapter) if given.adapter else None
    model = opened or load_language_model(writer_name(given.model))
    groups = {"hotpotqa": several_hops(read_multihop(given.multihop)), "nq_open": one_hop(read_oracle(given.nq))}
    identity = model.identity
    found: dict[str, Any] = {"writer": f"{identity.name} ({identity.revision}, {identity.dtype})"}
    for name, questions in groups.items():
        chosen = questions[: given.limit] if given.limit else questions
        found[name] = {"five_passages": measured(model, chosen, True), "memory": measured(model, chosen, False)}
        for where, one in found[name].items():
            shown = {key: one[key] for key in ("concludes", "contains_gold", "exact_match")}
            print(name, where, {key: value["mean"] for key, value in shown.items()}, one.get("entropy_of_names", ""))
    given.results.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
