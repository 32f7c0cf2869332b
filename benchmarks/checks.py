"""How often are the three checks right: no answer in the passages, contradictions, question parts?

Sufficiency: Natural Questions (open) with oracle passages (``training/nq_open.py`` names the source). For each question
the model says whether the text contains the answer over the right passage, over neighbours by BM25 or random passages
without the answer, each alone, and over five together with and without the right one. All are test questions: the
reader was trained on the others and knows their answers. The threshold is chosen on every second of them; sensitivity
(contexts without an answer that are noticed) and false alarms (contexts with one that are called empty) are counted on
the rest. Questions of several hops (HotpotQA) are measured at that threshold, with one of two passages missing or both.

Contradictions: the passages of every sample question, by what is planted in them; and of the test questions above the
right passage with four others ("natural"), and beside its own copy with another answer ("answer replaced"). The rules
were mended on false alarms of these and of HotpotQA (``--multihop``: all ten passages of a question). No rule was read
off MuSiQue (twenty passages) and ``--wikipedia`` (passages with four neighbours by BM25), but for that on brackets in
titles, which changed no count of either. The questions of
``--multihop`` are asked with titles and without. Question parts: the
hand-written questions and answers of ``tests/reference/question_parts.jsonl``.

    python -m benchmarks.checks [nq-open-oracle.jsonl.gz]   writes results/checks.json; goes on where it was stopped

Rows of the sufficiency of another model are refused: move ``checks.rows.jsonl`` away to measure all anew. Without a
path, MICROSCOPE_BENCHMARK_DATA names a folder that contains the file as nq_open_oracle_dev.jsonl.gz.
"""

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.question_keys import key_of
from benchmarks.results_file import model_words
from engine.backends.entailment import load_judge, load_sentence_judge
from engine.backends.language_models import load_language_model
from engine.backends.retrieval import load_corpus, load_embedder
from engine.backends.retrieval.bm25_index import build_bm25
from engine.backends.text import load_text_tools
from engine.core.progress import silent
from engine.core.records import Passage
from engine.measures.decision_threshold import youden_threshold
from engine.measures.ranking import auroc
from engine.measures.sufficiency import sufficiency_score
from engine.methods import contradictions, question_parts, sufficiency
from engine.methods.base import Backends, Case, answer_request
from engine.methods.profiles import EMBEDDED
from engine.runs.sample_questions import sample_questions
from training.json_lines import read_json_lines
from training.multihop import TEST_SET as HOTPOT
from training.multihop import MultihopRow, read_multihop
from training.nq_open import OracleRow, oracle_path, read_oracle
from training.reader_examples import Neighbours, shown_passage

FOLDER = Path(__file__).parent / "results"
RESULTS, ROWS = FOLDER / "checks.json", FOLDER / "checks.rows.jsonl"
ROOT = Path(__file__).parents[1]
OTHERS = 4
# Of the passages that a question of several hops needs.
MISSING = {1: "one missing", 2: "none there"}
# Passages drawn with their neighbours, and how many characters of each are the query.
DRAWN, BEGINNING = 300, 300
UNTITLED = ", no titles"


def main() -> None:
    """Read the arguments, measure what is missing and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--questions", type=int, default=10_000, help="test questions at most")
    parser.add_argument("--only", choices=("sufficiency", "contradictions", "question_parts"))
    parser.add_argument("--multihop", type=Path, help="multihop.jsonl.gz (see training/multihop.py)")
    parser.add_argument("--wikipedia", type=Path, help="passages as JSON Lines with title and text, plain or gzipped")
    given = parser.parse_args()
    found: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    backends = loaded_backends()
    if given.only in (None, "sufficiency"):
        found["sufficiency"] = sufficiency_results(given.data, given.questions, backends)
        if given.multihop:
            found["sufficiency_hops"] = hops_results(given.multihop, backends)
    if given.only in (None, "contradictions"):
        found["contradictions"] = contradiction_results(
            given.data, multihop_cases(given.multihop) | wikipedia_cases(given.wikipedia), backends
        )
    if given.only in (None, "question_parts"):
        found["question_parts"] = parts_results(backends)
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    print(json.dumps(found, indent=1))


def loaded_backends() -> Backends:
    """Return the embedded backends; nothing is counted in a corpus."""
    model = load_language_model("embedded")
    return Backends(
        model=model,
        writer=model,
        rewriter=model,
        judge=load_judge(),
        sentence_judge=load_sentence_judge(),
        text=load_text_tools(),
        embedder=load_embedder(),
        counter=None,  # type: ignore[arg-type]
        report=silent,
    )


def case_of(question: str, passages: Sequence[Passage], backends: Backends, text: str = "") -> Case:
    """Return the case of a question over passages, with a given answer in the place of the model's."""
    answer = backends.model.generate([answer_request(EMBEDDED, "Is it?", ())], silent)[0]
    answer = replace(answer, text=text)
    return Case(question=question, passages=tuple(passages), golds=(), answer=answer, profile=EMBEDDED, seed=0)


def sufficiency_results(data: str | None, most: int, backends: Backends) -> dict[str, Any]:
    """Return AUROC, base rate and the rates at the threshold, of single passages and of five together."""
    rows = read_oracle(oracle_path(data))
    test = [place for place, row in enumerate(rows) if row.test][:most]
    made = list(measured_rows(rows, test, backends))
    fitted, held = made[::2], made[1::2]
    threshold = round(chosen_threshold(fitted), 2)
    return {
        "questions_to_choose": len(fitted),
        "questions_to_measure": len(held),
        "threshold": threshold,
        "single_passages": {kind: single_auroc(made, kind) for kind in ("neighbour", "random")},
        "five_passages": {name: five_auroc(made, name) for name in SCORES},
        "at_threshold": rates(held, threshold),
        "at_half": rates(held, 0.5),
        "chosen_on": rates(fitted, threshold),
    }


def hops_results(path: Path, backends: Backends) -> dict[str, Any]:
    """Return how the check fares on HotpotQA: five passages with both that answer it, with one of them, with neither.

    Nothing was fitted on these questions. AUROC tells the first kind from each of the others.
    """
    scores = []
    for number, row in enumerate(row for row in read_multihop(path) if row.set_name == HOTPOT):
        contexts = hop_contexts(row, random.Random(number))
        case = case_of(row.question, contexts[0], backends)
        asked = [sufficiency.ask_contexts(case, [*((one,) for one in five), five], backends) for five in contexts]
        scores.append([sufficiency_score([one.yes for one in said[:-1]], said[-1].yes) for said in asked])
    found = np.asarray(scores)
    return {
        "questions": len(scores),
        "threshold": sufficiency.FITTED,
        "sensitivity": {name: float(np.mean(found[:, at] < sufficiency.FITTED)) for at, name in MISSING.items()},
        "false_alarms": float(np.mean(found[:, 0] < sufficiency.FITTED)),
        "auroc": {
            name: round(auroc([0] * len(scores) + [1] * len(scores), [*-found[:, 0], *-found[:, at]]), 4)
            for at, name in MISSING.items()
        },
    }


def hop_contexts(row: MultihopRow, draw: random.Random) -> list[tuple[Passage, ...]]:
    """Return five passages with all that answer a question, with one of these, and with none, in a drawn order."""
    needed = list(row.supporting)
    others = [place for place in range(len(row.passages)) if place not in needed]
    draw.shuffle(others)
    made = []
    for kept in (needed, None, []):
        chosen = (needed[:1] if draw.random() < 0.5 else needed[1:]) if kept is None else kept
        places = (chosen + others)[: OTHERS + 1]
        draw.shuffle(places)
        made.append(tuple(row.passages[place] for place in places))
    return made


def measured_rows(rows: Sequence[OracleRow], places: Sequence[int], backends: Backends) -> Iterator[dict[str, Any]]:
    """Yield P(yes) of every question's contexts, from the file of an earlier run where it has them.

    Exits where that was a run of another model.
    """
    known = {row["question"]: row for row in map(json.loads, ROWS.read_text().splitlines())} if ROWS.is_file() else {}
    model = model_words(backends.model.identity)
    if any(row.get("model") != model for row in known.values()):
        raise SystemExit(f"{ROWS} holds rows of another model, or does not say of which: move it away.")
    neighbours = Neighbours(rows)
    for number, place in enumerate(places):
        row = rows[place]
        name = key_of(row.question)
        if name not in known:
            known[name] = measured_row(row, place, len(rows), neighbours, backends) | {"model": model}
            with ROWS.open("a") as file:
                file.write(json.dumps(known[name], ensure_ascii=False) + "\n")
        if number % 20 == 0:
            print(number, "of", len(places), flush=True)
        yield known[name]


def measured_row(row: OracleRow, place: int, size: int, neighbours: Neighbours, backends: Backends) -> dict[str, Any]:
    """Return P(yes) over the right passage, five others and a random one alone, and over five with and without it."""
    draw = random.Random(place)
    others = [neighbours.passages[other] for other in neighbours.drawn(draw, place, OTHERS + 1, row.answers)]
    gold, stranger = neighbours.passages[place], neighbours.passages[draw.randrange(size)]
    mixed = list(others[:OTHERS])
    mixed.insert(draw.randrange(OTHERS + 1), gold)
    contexts = [(one,) for one in (gold, *others, stranger)] + [tuple(mixed), tuple(others)]
    case = case_of(row.question, mixed, backends)
    said = [round(reply.yes, 5) for reply in sufficiency.ask_contexts(case, contexts, backends)]
    return {
        "question": key_of(row.question),
        "gold": said[0],
        "others": said[1 : OTHERS + 2],
        "random": said[OTHERS + 2],
        "with": said[-2],
        "without": said[-1],
    }


def alone(row: dict[str, Any], held: bool) -> list[float]:
    """Return P(yes) of the five single passages of a context with or without the right one."""
    return [row["gold"], *row["others"][:OTHERS]] if held else list(row["others"])


def together(row: dict[str, Any], held: bool) -> float:
    """Return P(yes) over five passages together, with or without the right one."""
    return float(row["with" if held else "without"])


SCORES: dict[str, Callable[[dict[str, Any], bool], float]] = {
    "likeliest of all": lambda row, held: sufficiency_score(alone(row, held), together(row, held)),
    "likeliest single": lambda row, held: max(alone(row, held)),
    "all together": together,
    "mean of both": lambda row, held: (max(alone(row, held)) + together(row, held)) / 2,
}


def five_auroc(rows: Sequence[dict[str, Any]], name: str) -> float:
    """Return how well a score tells contexts without the right passage from those with it; half of them are without."""
    scores = [SCORES[name](row, held) for row in rows for held in (True, False)]
    return round(auroc([int(not held) for _ in rows for held in (True, False)], [-score for score in scores]), 4)


def single_auroc(rows: Sequence[dict[str, Any]], kind: str) -> float:
    """Return how well P(yes) tells the right passage from a neighbour or a random one, one for one."""
    wrong = [row["others"][0] if kind == "neighbour" else row["random"] for row in rows]
    scores = [row["gold"] for row in rows] + wrong
    return round(auroc([0] * len(rows) + [1] * len(rows), [-score for score in scores]), 4)


def chosen_threshold(rows: Sequence[dict[str, Any]]) -> float:
    """Return the threshold with the highest balanced accuracy on these questions, for the score that methods use."""
    pairs = [(SCORES["likeliest of all"](row, held), held) for row in rows for held in (True, False)]
    return float(youden_threshold([-score for score, _ in pairs], [int(not held) for _, held in pairs])) * -1


def rates(rows: Sequence[dict[str, Any]], threshold: float) -> dict[str, float]:
    """Return sensitivity and false alarms over five passages, and of contexts of one passage, at a threshold."""
    score = SCORES["likeliest of all"]
    return {
        "sensitivity": float(np.mean([score(row, False) < threshold for row in rows])),
        "false_alarms": float(np.mean([score(row, True) < threshold for row in rows])),
        "sensitivity_neighbour_alone": float(np.mean([row["others"][0] < threshold for row in rows])),
        "sensitivity_random_alone": float(np.mean([row["random"] < threshold for row in rows])),
        "false_alarms_alone": float(np.mean([row["gold"] < threshold for row in rows])),
    }


Cases = dict[str, list[tuple[str, list[Passage]]]]


def contradiction_results(data: str | None, unseen: Cases, backends: Backends) -> dict[str, Any]:
    """Return by planted defect how many questions have a contradiction among their passages, and what it costs."""
    corpus = load_corpus(
        "sample",
        chunk_tokens=EMBEDDED.chunk_tokens,
        chunk_overlap=EMBEDDED.chunk_overlap,
        embedder=backends.embedder,
        report=silent,
    )
    cases: Cases = {}
    for one in sample_questions():
        passages = list(one.passages) or [hit.passage for hit in corpus.search(one.question, EMBEDDED.passages)]
        if len(passages) > 1:
            kind = one.defects[0].kind if one.defects else "corpus"
            cases.setdefault(kind, []).append((one.question, passages))
    planted = {kind: flagged(found, backends) for kind, found in cases.items()}
    # Of other people's passages the counts are kept, not the sentences.
    real = {kind: flagged(found, backends) for kind, found in (natural_cases(data) | unseen).items()}
    return planted | {kind: {**made, "said": []} for kind, made in real.items()}


def natural_cases(data: str | None) -> Cases:
    """Return questions with real passages, as they are, and with a copy of the right one with another answer."""
    rows = read_oracle(oracle_path(data))
    neighbours = Neighbours(rows)
    plain, replaced = [], []
    for place in [place for place, row in enumerate(rows) if row.test]:
        draw, row = random.Random(place), rows[place]
        gold = neighbours.passages[place]
        near = [neighbours.passages[other] for other in neighbours.drawn(draw, place, OTHERS, row.answers)]
        plain.append((row.question, [gold, *near]))
        changed, _ = shown_passage(draw, rows, neighbours, place, changed=1.0)
        if changed.text != gold.text:
            replaced.append((row.question, [gold, *near[:3], changed]))
    return {"natural": plain, "answer replaced": replaced}


def multihop_cases(path: Path | None) -> Cases:
    """Return the questions of HotpotQA and MuSiQue with all their passages; nothing contradicts on purpose there.

    Both are there without titles too, as passages are that somebody pastes.
    """
    rows = read_multihop(path) if path else ()
    sets = {"HotpotQA": HOTPOT, "MuSiQue": "musique_train"}
    cases = {
        name: [(row.question, list(row.passages)) for row in rows if row.set_name == word]
        for name, word in sets.items()
    }
    bare = {f"{name}{UNTITLED}": [without_titles(one) for one in found] for name, found in cases.items()}
    return {name: found for name, found in (cases | bare).items() if found}


def without_titles(asked: tuple[str, list[Passage]]) -> tuple[str, list[Passage]]:
    """Return a question with its passages, none of which has a title."""
    return asked[0], [replace(one, title="") for one in asked[1]]


def wikipedia_cases(path: Path | None) -> Cases:
    """Return passages drawn from a file, each with its four neighbours by BM25."""
    if path is None:
        return {}
    passages = [Passage(text=row["text"], title=row["title"]) for row in read_json_lines(path)]
    index = build_bm25([f"{one.title} {one.text}" for one in passages])
    found = []
    for place in random.Random(0).sample(range(len(passages)), min(DRAWN, len(passages))):
        scores = np.asarray(index.scores(f"{passages[place].title} {passages[place].text[:BEGINNING]}"))
        near = [int(other) for other in np.argsort(-scores)[: OTHERS + 1] if other != place][:OTHERS]
        found.append((passages[place].title, [passages[other] for other in (place, *near)]))
    return {"Wikipedia": found}


def flagged(cases: Sequence[tuple[str, list[Passage]]], backends: Backends) -> dict[str, Any]:
    """Return how many cases have a contradiction, how many pairs were judged, seconds a case, and what was flagged."""
    began, seen, compared, texts = time.perf_counter(), 0, 0, []
    for question, passages in cases:
        case = case_of(question, passages, backends)
        result = contradictions.run(case, contradictions.ContradictionsConfig(), backends)
        seen, compared = seen + bool(result.contradicting), compared + len(result.pairs)
        texts += [{"first": pair.first.text, "second": pair.second.text} for pair in result.contradicting]
    seconds = (time.perf_counter() - began) / max(len(cases), 1)
    return {"cases": len(cases), "flagged": seen, "pairs": compared, "seconds_a_case": round(seconds, 3), "said": texts}


def parts_results(backends: Backends) -> dict[str, Any]:
    """Return the accuracy on the hand-written questions and answers: of all parts of one, by the part of the set."""
    file = ROOT / "tests" / "reference" / "question_parts.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    right: dict[bool, list[bool]] = {False: [], True: []}
    for row in rows:
        case = case_of(row["question"], (), backends, row["answer"])
        result = question_parts.run(case, question_parts.QuestionPartsConfig(), backends)
        right[row["held_out"]].append(list(result.answered) == row["answered"])
    return {
        name: {"pairs": len(right[held]), "right": sum(right[held])}
        for name, held in (("written_against", False), ("held_out", True))
    }


if __name__ == "__main__":
    main()
