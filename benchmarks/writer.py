"""Does the writer conclude, read, and still doubt where it is wrong? Step by step, over five passages and from memory.

Questions: HotpotQA (several hops) and the test questions of Natural Questions (one hop), none of them learnt from; of
each a random part, the same for every model. Each is asked over five passages of 70 words, those that answer it among
them, and from memory, greedily, in the loop's own prompt. Measured are the share that reaches "So the answer is …", the
answers that hold a correct one, those that say "the passages do not say", exact matches and token F1 of the conclusion
(of a forced one where none came). From memory there is the AUROC of the entropy at the first token of the answer, where
the text first names it, against a wrong answer.

    python -m benchmarks.writer FOLDER --multihop multihop.jsonl.gz --nq nq-open-oracle.jsonl.gz
    python -m benchmarks.writer FOLDER ... --adapter RUN/adapter --limit 20 --results FILE    an adapter, some questions

FOLDER keeps a row as soon as a question is done; the same command resumes. Results go to ``results/writer.json``.
"""

import argparse
import json
import random
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing_results import paired, rate
from benchmarks.timing_rows import keep, kept
from engine.backends.language_models import load_language_model
from engine.backends.language_models.adapters import open_adapted
from engine.backends.language_models.base import LanguageModel, Request
from engine.backends.number_types import number_type
from engine.backends.text import load_text_tools
from engine.core.progress import silent
from engine.core.records import Generation, Passage
from engine.measures.answer_match import contains, exact_match, token_f1
from engine.measures.ranking import auroc, auroc_interval
from engine.methods.conclusion import Scored, concluded_answer, forced_request, scored
from engine.methods.profiles import EMBEDDED, step_by_step_prompt
from engine.methods.step_by_step import STEP_BY_STEP_STOP
from training.multihop import TEST_SET, MultihopRow, read_multihop
from training.nq_open import OracleRow, read_oracle
from training.reader_examples import Neighbours, shortened

RESULTS = Path(__file__).resolve().parent / "results" / "writer.json"
MODELS = ("embedded-base", "embedded-writer")
PASSAGES, BATCH, QUESTIONS = 5, 8, 100
FIVE, MEMORY = "five_passages", "memory"
SHARES = ("concludes", "contains_gold", "exact_match", "token_f1", "answer_anywhere", "abstains")
ABSTAINING = re.compile(r"\bthe passages do not say\b", re.IGNORECASE)


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


def step_request(asked: Asked, passages: Sequence[Passage]) -> Request:
    """Return the loop's own request for a whole answer over these passages."""
    prompt = step_by_step_prompt(asked.question, EMBEDDED, passages)
    return Request(prompt=prompt, max_tokens=EMBEDDED.step_tokens, stop=STEP_BY_STEP_STOP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One answer of one model: ``said``, what it concludes (or, where it does not, what was forced), and the measures.

    ``entropy`` is that of the token at which it first names its answer, in nats; None where it names none.
    """

    model: str
    group: str
    where: str
    question: str
    golds: tuple[str, ...]
    said: str
    answer: str
    concludes: float
    contains_gold: float
    exact_match: float
    token_f1: float
    answer_anywhere: float
    tokens: int
    entropy: float | None

    @property
    def abstains(self) -> float:
        """1 where it says that the passages do not say it, else 0."""
        return float(bool(ABSTAINING.search(self.said)))


def answered(model: LanguageModel, name: str, group: str, where: str, questions: Sequence[Asked]) -> list[Row]:
    """Return one row a question; what did not conclude is made to."""
    tools = load_text_tools()
    requests = [step_request(one, one.passages if where == FIVE else ()) for one in questions]
    answers = model.generate(requests, silent)
    texts = [answer.text for answer in answers]
    open_ones = [place for place, text in enumerate(texts) if not concluded_answer(text, tools)]
    asked = [forced_request(questions[place].question, EMBEDDED, texts[place]) for place in open_ones]
    forced = dict(zip(open_ones, model.generate(asked, silent) if asked else (), strict=True))
    return [
        row_of(name, group, where, one, answer, scored(answer.text, forced.get(place), one.golds, tools))
        for place, (one, answer) in enumerate(zip(questions, answers, strict=True))
    ]


def row_of(name: str, group: str, where: str, asked: Asked, written: Generation, said: Scored) -> Row:
    """Return what is kept of one answer."""
    return Row(
        model=name,
        group=group,
        where=where,
        question=asked.question,
        golds=asked.golds,
        said=written.text.strip(),
        answer=said.answer,
        concludes=float(bool(concluded_answer(written.text, load_text_tools()))),
        contains_gold=float(bool(said.right)),
        exact_match=float(exact_match(said.answer, asked.golds)),
        token_f1=round(float(token_f1(said.answer, asked.golds)), 4),
        answer_anywhere=float(contains(written.text, asked.golds)),
        tokens=len(written.tokens),
        entropy=name_entropy(written, said.answer),
    )


def ask(folder: Path, models: dict[str, LanguageModel], groups: dict[str, list[Asked]]) -> list[Row]:
    """Return every row, asking what is not kept yet."""
    file = folder / "rows.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    rows = [Row(**{**row, "golds": tuple(row["golds"])}) for row in kept(file)]
    done = {(row.model, row.group, row.where, row.question) for row in rows}
    for name, model in models.items():
        for group, questions in groups.items():
            for where in (FIVE, MEMORY):
                left = [one for one in questions if (name, group, where, one.question) not in done]
                for at in range(0, len(left), BATCH):
                    new = answered(model, name, group, where, left[at : at + BATCH])
                    keep(file, [asdict(row) for row in new])
                    rows += new
                    print(f"{name} {group} {where}: {at + len(new)} of {len(left)}", flush=True)
    wanted = {(name, group, one.question) for name in models for group in groups for one in groups[group]}
    return [row for row in rows if (row.model, row.group, row.question) in wanted]


def measured(rows: Sequence[Row]) -> dict[str, Any]:
    """Return everything that is measured of one model's answers to one group of questions, in one place."""
    found: dict[str, Any] = {share: rate([getattr(row, share) for row in rows]) for share in SHARES}
    found["tokens"] = round(float(np.mean([row.tokens for row in rows])), 1)
    if rows[0].where == MEMORY:
        found["entropy_of_names"] = separates(rows)
    return found


def compared(rows: Sequence[Row], first: str, other: str) -> dict[str, Any]:
    """Return other − first over the same questions, with intervals."""
    sides = [{row.question: row for row in rows if row.model == name} for name in (other, first)]
    return {
        share: paired(*({question: getattr(row, share) for question, row in side.items()} for side in sides))
        for share in SHARES
    }


def results(rows: Sequence[Row], models: Sequence[str]) -> dict[str, Any]:
    """Return each model's table, and the last model against the first."""
    out: dict[str, Any] = {}
    for group in dict.fromkeys(row.group for row in rows):
        for where in (FIVE, MEMORY):
            chosen = [row for row in rows if (row.group, row.where) == (group, where)]
            table = {name: measured([row for row in chosen if row.model == name]) for name in models}
            out.setdefault(group, {})[where] = table
            if len(models) > 1:
                table["difference"] = compared(chosen, models[0], models[-1])
    return out


def separates(rows: Sequence[Row]) -> dict[str, Any]:
    """Return how well the entropy at the first token of a named answer ranks wrong answers above right ones."""
    named = [(row.entropy, not row.contains_gold) for row in rows if row.entropy is not None]
    wrong, values = [one for _, one in named], [one for one, _ in named]
    if len(set(wrong)) < 2:
        return {"answers": len(named), "wrong": sum(wrong), "auroc": None, "low": None, "high": None}
    low, high = auroc_interval(wrong, values)
    shown = {"auroc": round(auroc(wrong, values), 3), "low": round(low, 3), "high": round(high, 3)}
    return {"answers": len(named), "wrong": sum(wrong), **shown}


def name_entropy(generation: Generation, answer: str) -> float | None:
    """Return the entropy, in nats, of the token at which a text first says its answer; None where it names nothing."""
    place = generation.text.find(answer) if answer[:1].isupper() else -1
    if place < 0:
        return None
    return next((token.entropy for token in generation.tokens if token.end > place), None)


def drawn(questions: Sequence[Asked], count: int) -> list[Asked]:
    """Return so many random questions, always the same; fewer are the first of more."""
    mixed = list(questions)
    random.Random(0).shuffle(mixed)
    return mixed[:count]


def main() -> None:
    """Ask, store and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where rows are kept")
    parser.add_argument("--multihop", type=Path, required=True)
    parser.add_argument("--nq", type=Path, required=True)
    parser.add_argument("--models", nargs="*", default=MODELS, help="names or folders; the last against the first")
    parser.add_argument("--adapter", type=Path, help="a folder with another adapter, in peft's format: the last model")
    parser.add_argument("--limit", type=int, default=QUESTIONS, help="questions of each kind")
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    if (given.limit < QUESTIONS or given.adapter) and given.results == RESULTS:
        parser.error("name another file with --results: this is no benchmark of what ships")
    opened = {name: load_language_model(name) for name in given.models}
    if given.adapter:
        opened["adapter"] = open_adapted("adapter", number_type(), given.adapter, blocks=True)
    ids = {name: f"{name} ({one.identity.revision}, {one.identity.dtype})" for name, one in opened.items()}
    groups = {
        "hotpotqa": drawn(several_hops(read_multihop(given.multihop)), given.limit),
        "nq_open": drawn(one_hop(read_oracle(given.nq)), given.limit),
    }
    rows = ask(given.folder, {ids[name]: one for name, one in opened.items()}, groups)
    found = {"models": list(ids.values()), **results(rows, list(ids.values()))}
    for group, where, name in ((g, w, n) for g in groups for w in found[g] for n in found[g][w]):
        one = found[group][where][name]
        shown = {share: (one[share]["mean"], one[share]["low"], one[share]["high"]) for share in SHARES}
        print(group, where, name, shown, one.get("entropy_of_names", ""))
    given.results.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
