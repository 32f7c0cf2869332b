"""Does DSE rank wrong answers above right ones? DENSE beside semantic entropy, predictive entropy and log-probability.

Data: Natural Questions (open) with oracle passages (``training/nq_open.py`` names the source), the test questions: the
reader was neither trained nor tuned on them. Each is asked over five passages, the one with the answer and its four
BM25 neighbours among all passages of the file, in an order drawn by the question. Right is the greedy answer where the
embedded judge finds that it entails a correct answer; exact match and "contains" stand beside it.

Each score is compared by AUROC, the chance that a wrong answer scores higher than a right one, with the middle 95 % of
2,000 bootstrap draws of the questions. "paper" takes one wording of each chunk and greedy answers (DENSE, eq. 3 to 6);
"mean" is the mean of DSE over its maximum over every way of choosing one of the drawn wordings, "all" that of the graph
of all answers. The same wordings are answered at three temperatures too (section 4.1 compares temperatures). Semantic
entropy (Farquhar et al. 2024) and predictive entropy come from ten samples at temperature 1.

    python -m benchmarks.dense_correctness nq-open-oracle.jsonl.gz               writes results/dense_correctness.json
    python -m benchmarks.dense_correctness --held-out --questions 30 --into FILE   the reader's held-out train questions

Without a path, MICROSCOPE_BENCHMARK_DATA names a folder that contains the file as nq_open_oracle_dev.jsonl.gz. A row is
written after each question; a stopped run goes on where it ended, and a file with rows of another model, judge, number
type or setting is refused. Rows that other rules reworded stay, and ``rules`` counts the rows of each version; without
the file all are measured anew. A question takes about 15 seconds of one processor.
"""

import argparse
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.question_keys import key_of
from benchmarks.results_file import model_words, refuse_other_settings
from engine.backends.entailment.base import ENTAILMENT
from engine.backends.entailment.matrix import judge_against, judge_pairs
from engine.backends.language_models.base import Request
from engine.backends.number_types import number_type
from engine.backends.retrieval.bm25_index import Bm25Index, build_bm25
from engine.core.progress import silent
from engine.core.provenance import library_versions, machine
from engine.core.records import Generation, Passage
from engine.core.seeds import derive_seed
from engine.diagnosis.request import DiagnosisRequest
from engine.measures.answer_match import contains, exact_match
from engine.measures.checks import Floats
from engine.measures.ranking import auroc
from engine.measures.resampling import bootstrap_interval
from engine.measures.response_graph import degree_entropy, degree_entropy_share, response_weights
from engine.measures.rewording_interval import reworded_entropies
from engine.measures.semantic_clusters import cluster
from engine.measures.semantic_entropy import discrete_semantic_entropy, predictive_entropy
from engine.methods.base import Backends, Case, answer_request
from engine.methods.copies import replace_passage
from engine.methods.dense import run as run_dense
from engine.methods.dense_records import DenseConfig, DenseResult
from engine.methods.profiles import EMBEDDED
from engine.runs.run import load_backends
from training.nq_open import OracleRow, oracle_path, read_oracle
from training.train_reader import Settings, held_out_rows

RESULTS = Path(__file__).parent / "results" / "dense_correctness.json"
NEIGHBOURS, SAMPLES, REPEATS, COMPARED_EVERY = 4, 10, 2000, 25
TEMPERATURES = (0.5, 0.7, 1.0)
JUDGES = ("judge", "exact", "contains")
DRAWN, GREEDY, ENTROPY = "DSE paper, temperature 1", "DSE paper", "semantic entropy"
PAIRS = ((DRAWN, GREEDY), (DRAWN, ENTROPY), (GREEDY, ENTROPY))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One question: the greedy answer, whether it is right by each of ``JUDGES``, and its scores (higher = unsurer).

    ``question`` is its key (``key_of``). ``rules``: the version of the rules that reworded, ""
    where it was measured before versions were stored.
    """

    question: str
    answer: str
    right: dict[str, bool]
    scores: dict[str, float | None]
    wordings: int
    seconds: float
    rules: str = ""


def five_passages(rows: Sequence[OracleRow], index: Bm25Index, row: OracleRow) -> tuple[Passage, ...]:
    """Return the passage with the answer and its nearest others by BM25, in an order that the question draws."""
    scores = index.scores(row.question)
    order = sorted(range(len(rows)), key=lambda place: -scores[place])
    near = [rows[place].passage for place in order if rows[place].passage.text != row.passage.text]
    passages = [row.passage, *dict.fromkeys(near)][: 1 + NEIGHBOURS]
    random.Random(row.question).shuffle(passages)
    return tuple(passages)


def measured(row: OracleRow, passages: tuple[Passage, ...], backends: Backends, draws: int) -> Row:
    """Return one question's row: DENSE at each temperature, and samples over the unchanged passages."""
    began = time.perf_counter()
    (answer,) = backends.model.generate([answer_request(EMBEDDED, row.question, passages)], silent)
    # DENSE is not told the correct answers, from which it would learn which sentences have to be reworded.
    case = Case(question=row.question, passages=passages, golds=(), answer=answer, profile=EMBEDDED, seed=0)
    result = run_dense(case, DenseConfig(draws=draws), backends)
    scores = {"negative mean log-probability": -mean_logprob(answer), **sample_scores(case, backends)}
    if result.entropy is not None:
        weights = np.array(result.further_weights or result.weights)
        scores |= {f"DSE {name}": value for name, value in dense_scores(weights, result.rows).items()}
        scores |= tempered_scores(case, result, backends)
    return Row(
        question=key_of(row.question),
        answer=answer.text.strip(),
        right=right_by(answer.text.strip(), row, backends),
        # Adding 0.0 turns the -0.0 of a sum of logarithms into 0.0.
        scores={name: None if value is None else round(value, 6) + 0.0 for name, value in scores.items()},
        wordings=len(result.rows) - 1,
        seconds=round(time.perf_counter() - began, 2),
        rules=rules_version(),
    )


@lru_cache(maxsize=1)
def rules_version() -> str:
    """Return eight hexadecimal digits that stand for the rules and checks of rewordings as they are now."""
    root = Path(__file__).parents[1] / "engine"
    folder = root / "backends" / "text"
    read = [*sorted(folder.glob("*.py")), folder / "word_lists.json", *sorted((root / "methods").glob("*rew*.py"))]
    return hashlib.sha256(b"".join(one.read_bytes() for one in read)).hexdigest()[:8]


def right_by(text: str, row: OracleRow, backends: Backends) -> dict[str, bool]:
    """Return whether an answer is right by the judge, by exact match and by containing a correct answer."""
    to_gold, _, _ = judge_against(backends.judge, row.question, [text], row.answers)
    judged = bool((to_gold[0].argmax(axis=1) == ENTAILMENT).any())
    return {"judge": judged, "exact": exact_match(text, row.answers), "contains": contains(text, row.answers)}


def dense_scores(weights: Floats, rows: Sequence[int]) -> dict[str, float]:
    """Return DSE of the first wordings (paper), its share, and the shares over all wordings."""
    owners = list(rows)
    first = [owners.index(chunk) for chunk in dict.fromkeys(owners)]
    of_first = weights[np.ix_(first, first)]
    return {
        "paper": degree_entropy(of_first),
        "share": degree_entropy_share(of_first),
        "mean": float(reworded_entropies(weights, owners).mean() / np.log(len(first))),
        "all": degree_entropy_share(weights),
        "changed": float((weights[0, 1:] < 1).mean()),
    }


def tempered_scores(case: Case, result: DenseResult, backends: Backends) -> dict[str, float]:
    """Return the scores of DENSE with every answer drawn, at each temperature; one batch, as the prompts are shared."""
    texts = {chunk.index: chunk.rewrite.text for chunk in result.chunks if chunk.rewrite is not None}
    reworded = [(chunk, texts[chunk]) for chunk in result.members[1:]]
    reworded += [(one.index, one.rewrite.text) for one in result.further]
    contexts = [case.passages, *(replace_passage(case.passages, at, text) for at, text in reworded)]
    plain = [answer_request(case.profile, case.question, context) for context in contexts]
    drawn = [drawn_request(case, request, heat) for request in plain for heat in TEMPERATURES]
    answers = backends.model.generate(drawn, silent)
    scores: dict[str, float] = {}
    for place, heat in enumerate(TEMPERATURES):
        said = [answer.text.strip() for answer in answers[place :: len(TEMPERATURES)]]
        classes, _ = judge_pairs(backends.judge, case.question, said, silent)
        found = dense_scores(response_weights(classes == ENTAILMENT), result.rows)
        scores |= {f"DSE {name}, temperature {heat:g}": value for name, value in found.items()}
    return scores


def drawn_request(case: Case, request: Request, heat: float) -> Request:
    """Return a greedy request as a draw, with the seed that DENSE at a temperature gives it."""
    return replace(request, temperature=heat, seed=derive_seed(case.seed, "tempered", request.prompt.text))


def sample_scores(case: Case, backends: Backends) -> dict[str, float | None]:
    """Return discrete semantic entropy and predictive entropy of ten samples at temperature 1, in nats."""
    plain = answer_request(case.profile, case.question, case.passages)
    # Seeds of the question: with the same ten for all, one unlucky seed would make every question look unsure.
    seeds = [derive_seed(case.seed, "sample", case.question, place) for place in range(SAMPLES)]
    drawn = [replace(plain, temperature=1.0, seed=seed) for seed in seeds]
    samples = backends.model.generate(drawn, silent)
    classes, _ = judge_pairs(backends.judge, case.question, [one.text.strip() for one in samples], silent)
    return {
        "semantic entropy": discrete_semantic_entropy(cluster(classes)),
        "predictive entropy": predictive_entropy([mean_logprob(one) for one in samples]),
    }


def mean_logprob(answer: Generation) -> float:
    """Return the mean log-probability of an answer's tokens, in nats, with the token that ends it."""
    tokens = (*answer.tokens, *((answer.stop_token,) if answer.stop_token else ()))
    return float(np.mean([token.logprob for token in tokens]))


def compared(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return the AUROC of each score by each judge of right and wrong, with its interval."""
    names = list(dict.fromkeys(name for row in rows for name in row.scores))
    return {name: {judge: of_score(rows, name, judge) for judge in JUDGES} for name in names}


def of_score(rows: Sequence[Row], name: str, judge: str) -> dict[str, float | int]:
    """Return one score's AUROC with the middle 95 % of bootstrap draws, and how many answers it rests on."""
    known = [(not row.right[judge], score) for row in rows if (score := row.scores.get(name)) is not None]
    wrong, scores = np.array([one for one, _ in known]), np.array([score for _, score in known])
    counted: dict[str, float | int] = {"questions": len(known), "wrong": int(wrong.sum())}
    if not 0 < counted["wrong"] < len(known):
        return counted
    low, high = bootstrap_interval(auroc, wrong, scores, repeats=REPEATS)
    return {**counted, "auroc": round(auroc(wrong, scores), 4), "low": round(low, 4), "high": round(high, 4)}


def paired_difference(rows: Sequence[Row], first: str, second: str, judge: str) -> dict[str, float | int]:
    """Return the AUROC of one score minus that of another on the same questions, with the middle 95 % of the draws."""
    known = [row for row in rows if None not in (row.scores.get(first), row.scores.get(second))]
    wrong = np.array([not row.right[judge] for row in known])
    counted: dict[str, float | int] = {"questions": len(known), "wrong": int(wrong.sum())}
    if not 0 < counted["wrong"] < len(known):
        return counted
    columns = wrong, *(np.array([row.scores[name] for row in known], dtype=np.float64) for name in (first, second))

    def apart(wrong: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
        return auroc(wrong, one) - auroc(wrong, other)

    low, high = bootstrap_interval(apart, *columns, repeats=REPEATS)
    return {**counted, "difference": round(apart(*columns), 4), "low": round(low, 4), "high": round(high, 4)}


def write_results(into: Path, rows: Sequence[Row], about: Mapping[str, Any], ended: bool) -> None:
    """Write what is known so far; the comparison, which takes seconds, after every 25 questions and at the end."""
    content: dict[str, Any] = {**about, "measured": len(rows)}
    content["rules"] = dict(Counter(row.rules or "before versions were stored" for row in rows))
    content["right"] = {judge: sum(row.right[judge] for row in rows) for judge in JUDGES}
    if ended or len(rows) % COMPARED_EVERY == 0:
        content["scores"] = compared(rows)
        content["differences"] = {
            f"{first} - {second}": {judge: paired_difference(rows, first, second, judge) for judge in JUDGES}
            for first, second in PAIRS
        }
    content["rows"] = [asdict(row) for row in rows]
    into.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def stored_rows(into: Path) -> list[Row]:
    """Return the rows of an earlier run, none where there was none."""
    if not into.is_file():
        return []
    found = json.loads(into.read_text(encoding="utf-8"))["rows"]
    return [Row(**row) for row in found]


def main() -> None:
    """Measure the questions that are not in the results yet, and write after each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--held-out", action="store_true", help="the reader's held-out train questions, to try things")
    parser.add_argument("--draws", type=int, default=DenseConfig().draws)
    parser.add_argument("--into", type=Path, default=RESULTS)
    given = parser.parse_args()
    every = read_oracle(oracle_path(given.data))
    asked = held_out_rows(every, Settings().held_out) if given.held_out else [row for row in every if row.test]
    index = build_bm25([f"{row.passage.title} {row.passage.text}" for row in every])
    rows = stored_rows(given.into)
    known = {row.question for row in rows}
    about = {
        "machine": machine(),
        "libraries": library_versions(),
        "dtype": number_type(),
        "passages": 1 + NEIGHBOURS,
        "draws": given.draws,
        "held_out": given.held_out,
        "questions": len(asked),
    }
    asking = DiagnosisRequest(question="?", passages=(every[0].passage,))
    backends, _ = load_backends(asking, EMBEDDED, silent)
    about |= {"judge": backends.judge.note, "model": model_words(backends.model.identity)}
    refuse_other_settings(given.into, about)
    for row in asked[: given.questions]:
        if key_of(row.question) in known:
            continue
        rows.append(measured(row, five_passages(every, index, row), backends, given.draws))
        write_results(given.into, rows, about, ended=False)
        print(f"{len(rows)}: {rows[-1].seconds:.0f} s, {row.question} -> {rows[-1].answer}", flush=True)
    write_results(given.into, rows, about, ended=True)


if __name__ == "__main__":
    main()
