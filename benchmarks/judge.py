"""How often does a judge agree with people that an answer means the same as a correct answer?

Data: test questions of EVOUNA, Natural Questions part (``training/evouna.py`` names the source). No system was trained
or tuned on them. An answer counts as right if entailment is the largest of the three classes for one of the aliases.

The embedded judge is compared with the similarity judge, lexical match (the answer contains an alias, plain letters
compared), the cosine of MiniLM embeddings with a threshold fitted on the train questions, the LLM judge on a part of
the answers (it is slow), and any NLI classifier you name.

    python -m benchmarks.judge NQ.json                       writes results/judge.json
    python -m benchmarks.judge NQ.json --nli FOLDER          also measures your own classifier
    python -m benchmarks.judge NQ.json --left-out FOLDER...  also measures judges trained without a system and a type
    python -m benchmarks.judge NQ.json --only-embedded       keeps stored rows of all else and speeds, and lists them

Without a path, MICROSCOPE_BENCHMARK_DATA names a folder that contains the file as evouna_nq.json.gz.
"""

import argparse
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.results_file import origin
from engine.backends.entailment import load_judge, load_sentence_judge
from engine.backends.entailment.answers import content, words
from engine.backends.entailment.base import ENTAILMENT, LABELS, Judge
from engine.backends.entailment.embedded_judge import EmbeddedJudge, load_embedded_judge
from engine.backends.retrieval import load_embedder
from engine.measures.answer_marks import SAME_MEANING, SHORT_WORDS, can_mean, mark
from training.evouna import ANSWER_TYPES, SYSTEM_NAMES, SYSTEMS, Row, answer_type, data_path, read_rows

RESULTS = Path(__file__).parent / "results" / "judge.json"
REFERENCE = Path(__file__).parents[1] / "tests" / "reference"
PAPER = {"fid": 95.3, "gpt35": 90.1, "chatgpt": 87.8, "gpt4": 89.7, "newbing": 87.0}
BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What a judge says of rows: right or not [n], P(entailment) of the likeliest alias [n], pairs, seconds.

    ``meaning`` is P(entailment) of the likeliest alias that a run would ask about [n], 0 without one.
    """

    says: np.ndarray
    entailment: np.ndarray
    meaning: np.ndarray
    pairs: int
    seconds: float


def verdicts(judge: Judge, rows: Sequence[Row]) -> Verdicts:
    """Return a judge's verdicts question by question: all systems' answers against all aliases in one call."""
    says, entailment, meaning = np.zeros(len(rows), dtype=bool), np.zeros(len(rows)), np.zeros(len(rows))
    judge.entailment("warm", ["up"], ["first"])
    pairs, began = 0, time.perf_counter()
    for places in by_question(rows):
        asked = [(place, gold) for place in places for gold in rows[place].golds]
        question = rows[places[0]].question
        judged = judge.entailment(question, [rows[place].answer for place, _ in asked], [gold for _, gold in asked])
        pairs += len(asked)
        for (place, gold), scores in zip(asked, judged, strict=True):
            says[place] |= int(scores.argmax()) == ENTAILMENT
            entailment[place] = max(entailment[place], scores[ENTAILMENT])
            if can_mean(rows[place].answer, gold):
                meaning[place] = max(meaning[place], scores[ENTAILMENT])
    seconds = time.perf_counter() - began
    return Verdicts(says=says, entailment=entailment, meaning=meaning, pairs=pairs, seconds=seconds)


def by_question(rows: Sequence[Row]) -> list[list[int]]:
    """Return the places of the rows of each question."""
    found: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        found.setdefault(row.question, []).append(place)
    return list(found.values())


def lexical(rows: Sequence[Row]) -> np.ndarray:
    """Return [n] whether the answer contains an alias; letters and digits are compared in lower case."""

    def plain(text: str) -> str:
        return re.sub(r"\W+", " ", text.casefold()).strip()

    return np.array([any(plain(gold) in plain(row.answer) for gold in row.golds) for row in rows])


def difficulty(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Return, per fifth of the questions (0 is test), how hard it is and how consistent people are.

    ``lexical`` is the mean agreement of lexical match over systems in percent. ``same_words_judged_apart`` is the share
    of pairs of answers to one question with the same content words, of which people call one right and one wrong.
    """
    out: list[dict[str, object]] = []
    for split in sorted({row.split for row in rows}):
        inside = [row for row in rows if row.split == split]
        groups: dict[tuple[str, tuple[str, ...]], list[bool]] = {}
        for row in inside:
            bearing = tuple(sorted(content(words(row.answer), words(row.question))))
            groups.setdefault((row.question, bearing), []).append(row.right)
        pairs = sum(len(said) * (len(said) - 1) // 2 for said in groups.values())
        apart = sum(sum(said) * (len(said) - sum(said)) for said in groups.values())
        out.append(
            {
                "fifth": split,
                "lexical": accuracies(lexical(inside), inside)["mean"],
                "pairs_with_same_words": pairs,
                "same_words_judged_apart": round(apart / pairs, 4) if pairs else None,
            }
        )
    return out


def cosines(rows: Sequence[Row]) -> np.ndarray:
    """Return [n] the highest cosine of "question answer" and "question alias"."""
    embedder = load_embedder()
    texts = sorted({f"{row.question} {text}"[:1200] for row in rows for text in (row.answer, *row.golds)})
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    return np.array(
        [
            max(
                vectors[f"{row.question} {row.answer}"[:1200]] @ vectors[f"{row.question} {gold}"[:1200]]
                for gold in row.golds
            )
            for row in rows
        ]
    )


def best_threshold(scores: np.ndarray, right: np.ndarray) -> float:
    """Return the threshold with the highest accuracy, the lowest one in a tie."""
    candidates = np.unique(scores)
    return float(candidates[np.argmax([((scores >= value) == right).mean() for value in candidates])])


def accuracies(says: np.ndarray, rows: Sequence[Row]) -> dict[str, object]:
    """Return agreement with people in percent: per system, their mean, per type of answer, and of all answers."""
    agrees = says == np.array([row.right for row in rows])
    types = np.array([answer_type(row.question, row.golds) for row in rows])
    systems = np.array([row.system for row in rows])
    per_system = {name: percent(agrees[systems == name]) for name in SYSTEMS if (systems == name).any()}
    return {
        **per_system,
        "mean": round(float(np.mean(list(per_system.values()))), 2),
        "types": {name: percent(agrees[types == name]) for name in ANSWER_TYPES if (types == name).any()},
        "answers": len(rows),
    }


def percent(agrees: np.ndarray) -> float:
    """Return the share of True in percent."""
    return round(100 * float(agrees.mean()), 2)


def reliability(entailment: np.ndarray, right: np.ndarray) -> dict[str, object]:
    """Return the reliability diagram, expected calibration error and Brier score of P(entailment)."""
    places = np.minimum((entailment * BINS).astype(int), BINS - 1)
    bins = []
    for place in range(BINS):
        inside = places == place
        if inside.any():
            bins.append(
                {
                    "from": place / BINS,
                    "to": (place + 1) / BINS,
                    "answers": int(inside.sum()),
                    "said": round(float(entailment[inside].mean()), 4),
                    "right": round(float(right[inside].mean()), 4),
                }
            )
    gaps = [abs(float(part["said"]) - float(part["right"])) * int(part["answers"]) for part in bins]
    return {
        "bins": bins,
        "expected_calibration_error": round(sum(gaps) / len(right), 4),
        "brier": round(float(((entailment - right) ** 2).mean()), 4),
    }


def other_words(found: Verdicts, rows: Sequence[Row]) -> dict[str, object]:
    """Return of the answers that words call wrong how many people call right: of those that mean a correct answer to
    the judge, with P(entailment) of at least ``SAME_MEANING`` and no denial between them, and of the others; of short
    answers too.
    """
    wrong = np.array([mark(row.answer, row.golds) == "no" for row in rows])
    right = np.array([row.right for row in rows])
    meant = found.meaning >= SAME_MEANING
    short = np.array([len(row.answer.split()) <= SHORT_WORDS for row in rows])
    return {
        name: {
            "answers": int(kind.sum()),
            "wrong_by_words": share_of(right, wrong & kind),
            "meant": share_of(right, wrong & kind & meant),
            "not_meant": share_of(right, wrong & kind & ~meant),
        }
        for name, kind in {f"at most {SHORT_WORDS} words": short, "all": np.ones(len(rows), dtype=bool)}.items()
    }


def confusions(found: Verdicts, rows: Sequence[Row], count: int = 40) -> list[dict[str, object]]:
    """Return the answers on which people disagree most with a confident judge."""
    right = np.array([row.right for row in rows])
    order = [place for place in np.argsort(-np.abs(found.entailment - right)) if found.says[place] != right[place]]
    return [
        {
            "system": rows[place].system,
            "question": rows[place].question,
            "answer": rows[place].answer[:300],
            "golds": rows[place].golds,
            "people": "right" if rows[place].right else "wrong",
            "entailment": round(float(found.entailment[place]), 3),
        }
        for place in order[:count]
    ]


def speed(judge: EmbeddedJudge, rows: Sequence[Row]) -> dict[str, float]:
    """Return pairs per second: all pairs of one question in one call (as in a run), and one pair at a time."""
    pairs = [(row.question, row.answer, row.golds[0]) for row in rows[:200]]
    began = time.perf_counter()
    for question, answer, gold in pairs:
        judge.entailment(question, [answer], [gold])
    alone = time.perf_counter() - began
    short = ["Paris", "It is Paris.", "Lyon", "The capital is Paris.", "I don't know.", "Marseille", "paris, in France"]
    several = [(one, other) for one in short for other in short]
    began = time.perf_counter()
    for repeat in range(5):
        question = f"What is the capital of the country number {repeat}?"
        judge.entailment(question, [one for one, _ in several], [other for _, other in several])
    together = time.perf_counter() - began
    return {
        "seconds_per_pair_alone": round(alone / len(pairs), 4),
        "short_answers_pairs_per_second": round(5 * len(several) / together, 1),
    }


def written(judge: Judge, sentences: Judge) -> dict[str, object]:
    """Return the share of hand-written pairs that are right, per split: hard pairs of answers both ways, and by family;
    pairs of sentences one way.
    """
    pairs = json.loads((REFERENCE / "judge_pairs_hard.json").read_text(encoding="utf-8"))
    right = [both_right(judge, pair) for pair in pairs]
    rows = json.loads((REFERENCE / "sentence_pairs.json").read_text(encoding="utf-8"))
    judged = sentences.entailment("", [row["premise"] for row in rows], [row["hypothesis"] for row in rows])
    said = [LABELS[int(scores.argmax())] == row["expected"] for scores, row in zip(judged, rows, strict=True)]
    return {
        split: {
            "hard_answers": share_of(right, [pair["split"] == split for pair in pairs]),
            "families": {
                family: share_of(right, [pair["split"] == split and pair["family"] == family for pair in pairs])
                for family in dict.fromkeys(pair["family"] for pair in pairs)
            },
            "sentences": share_of(said, [row["split"] == split for row in rows]),
        }
        for split in ("fit", "fresh", "last")
    }


def both_right(judge: Judge, pair: dict[str, str]) -> bool:
    """Return whether a pair of answers is judged as labelled in both directions."""
    rows = judge.entailment(pair["question"], [pair["one"], pair["other"]], [pair["other"], pair["one"]])
    said = [LABELS[int(row.argmax())] for row in rows]
    return all(
        one == label or (label == "not contradiction" and one != "contradiction")
        for one, label in zip(said, (pair["forward"], pair["back"]), strict=True)
    )


def share_of(right: Sequence[bool] | np.ndarray, inside: Sequence[bool] | np.ndarray) -> dict[str, int]:
    """Return how many of the chosen pairs are right."""
    chosen = [bool(one) for one, place in zip(right, inside, strict=True) if place]
    return {"right": sum(chosen), "pairs": len(chosen)}


def left_out(folder: Path, rows: Sequence[Row], whole: np.ndarray) -> dict[str, object]:
    """Return the scores of a judge trained without a system and a type on those, beside the full judge."""
    settings = json.loads((folder / "settings.json").read_text())
    system, kind = settings["leave_out_system"], settings["leave_out_type"]
    judge = load_embedded_judge(folder / "shipped.safetensors")
    types = np.array([answer_type(row.question, row.golds) for row in rows])
    systems = np.array([row.system for row in rows])
    right = np.array([row.right for row in rows])
    parts = {"system": systems == system, "type": types == kind, "either": (systems == system) | (types == kind)}
    asked = [place for place in range(len(rows)) if parts["either"][place]]
    says = whole.copy()
    says[asked] = verdicts(judge, [rows[place] for place in asked]).says
    scores = {
        part: {
            "answers": int(inside.sum()),
            "left_out": percent((says == right)[inside]),
            "trained_on": percent((whole == right)[inside]),
        }
        for part, inside in parts.items()
        if inside.any()
    }
    return {"left_out_system": system, "left_out_type": kind, **scores}


def embedded(rows: Sequence[Row]) -> tuple[EmbeddedJudge, Verdicts, dict[str, Any]]:
    """Return the embedded judge, its verdicts, and everything that is stored of it alone."""
    right = np.array([row.right for row in rows])
    began = time.perf_counter()
    judge = load_embedded_judge()
    loaded = time.perf_counter() - began
    found = verdicts(judge, rows)
    return (
        judge,
        found,
        {
            "accuracy": {"embedded": accuracies(found.says, rows)},
            "reliability": reliability(found.entailment, right),
            "other_words": other_words(found, rows),
            "pairs_per_second": {"embedded": round(found.pairs / found.seconds, 1)},
            "speed": {"load_seconds": round(loaded, 3), "threads": torch.get_num_threads(), **speed(judge, rows)},
            "written_by_hand": written(judge, load_sentence_judge()),
            "confusions": confusions(found, rows),
            "judge": judge.note,
        },
    )


def beside_stored(stored: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return stored results with the embedded judge's verdicts measured anew; ``kept`` names what an earlier run found.

    Speeds are kept too: this is what a machine with other work to do can measure.
    """
    kept = [f"accuracy: {row}" for row in stored["accuracy"] if row not in found["accuracy"]]
    timed = ("pairs_per_second", "speed")
    return {
        **stored,
        **{name: value for name, value in found.items() if name not in timed},
        "accuracy": {**stored["accuracy"], **found["accuracy"]},
        "kept": [*kept, *timed, "left_out", "difficulty"],
    }


def measured(
    rows: Sequence[Row], train: Sequence[Row], nli: Sequence[str], every: int, folders: Sequence[Path]
) -> dict[str, Any]:
    """Return everything that is stored."""
    judge, found, own = embedded(rows)
    table: dict[str, Any] = dict(own["accuracy"])
    rates: dict[str, Any] = dict(own["pairs_per_second"])
    for name in ("similarity", *nli):
        other = verdicts(load_judge(name), rows)
        table[name], rates[name] = accuracies(other.says, rows), round(other.pairs / other.seconds, 1)
    fitting = [row for row in train if row.split == 1]
    threshold = best_threshold(cosines(fitting), np.array([row.right for row in fitting]))
    table["embedding cosine"] = {**accuracies(cosines(rows) >= threshold, rows), "threshold": round(threshold, 4)}
    table["lexical match"] = accuracies(lexical(rows), rows)
    if every:
        some = [rows[place] for places in by_question(rows)[::every] for place in places]
        asked = verdicts(load_judge("llm"), some)
        table["llm"], rates["llm"] = accuracies(asked.says, some), round(asked.pairs / asked.seconds, 1)
        table["embedded, on the answers asked of llm"] = accuracies(verdicts(judge, some).says, some)
    return {
        **own,
        "accuracy": table,
        "paper": {"deberta-v2-xlarge-mnli in SePer, all questions": PAPER},
        "systems": SYSTEM_NAMES,
        "pairs_per_second": rates,
        "left_out": [left_out(folder, rows, found.says) for folder in folders],
        "difficulty": difficulty([*rows, *train]),
    }


def main() -> None:
    """Measure on the test questions, store the result and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", help="EVOUNA's NQ.json, plain or gzipped")
    parser.add_argument("--nli", action="append", default=[], help="an NLI classifier's folder or name; repeatable")
    parser.add_argument(
        "--llm-every", type=int, default=12, help="ask the LLM judge every so many questions; 0 = never"
    )
    parser.add_argument(
        "--left-out", nargs="*", type=Path, default=[], help="folders of judges trained with --leave-out-…"
    )
    parser.add_argument("--only-embedded", action="store_true", help="keep the stored rows of everything else")
    chosen = parser.parse_args()
    rows = read_rows(data_path(chosen.path))
    test, train = [row for row in rows if row.test], [row for row in rows if not row.test]
    asked = {"data": "EVOUNA NQ, test questions: sha1(question) % 5 == 0"}
    if chosen.only_embedded:
        found = beside_stored(json.loads(RESULTS.read_text(encoding="utf-8")), embedded(test)[2])
    else:
        found = measured(test, train, chosen.nli, chosen.llm_every, chosen.left_out)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({**found, **asked, **origin()}, indent=2) + "\n")
    print(json.dumps({key: found[key] for key in ("accuracy", "pairs_per_second", "speed", "left_out")}, indent=2))


if __name__ == "__main__":
    main()
