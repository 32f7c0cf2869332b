"""Which policy answers more questions at the same number of lookups? Every policy, on real questions, with the writer.

Questions: HotpotQA, the test questions of MuSiQue (both several hops) and of Natural Questions (one hop), none of which
the writer or the reader learnt from. They are asked over one corpus: all their passages and, on request, thousands of
Wikipedia passages beside them, cut to 100 words and searched with BM25, as in the papers.

Thresholds that are fitted are never fitted to the question they are compared on: one half of the questions gives those
for the other half (a hash of the question decides). Each policy runs at its paper's threshold and at thresholds that
ask for several mean numbers of lookups, so that policies are compared along a curve. SUGAR, which is no policy of the
program but decides before the first word, enters beside them (``benchmarks.timing_sugar``).

    python -m benchmarks.timing FOLDER --multihop multihop.jsonl.gz --nq nq-open-oracle.jsonl.gz --wikipedia wiki.jsonl
    python -m benchmarks.timing FOLDER ... --limit 6 --levels 1 --least 2        a few questions, to see that it works

FOLDER keeps a row as soon as a question is done; the same command resumes, and other settings are refused. Results go
to ``benchmarks/results/timing.json``, or beside the rows where a limit was given. ``--minutes`` stops early; questions
are asked in an order that mixes both kinds, so that what is done by then is a sample of the whole. ``--rows`` names the
published rows, which hold no text of the data: what they have is not asked again, and what is new is added to them.
``--part 1/2`` asks every second question and writes no results: parts run side by side, each with a core of its own,
and the command without it puts them together. Thresholds need the traces of all parts, so each part runs twice.
"""

import argparse
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.timing_results import (
    LoopRow,
    at_equal_lookups,
    by_question,
    curve,
    delays,
    paired,
    summary,
)
from benchmarks.timing_rows import WHOLE, keep, kept, of_part, part_of, publish, rows_so_far, same_settings
from benchmarks.timing_sugar import SUGAR, doubt, sugar_rows
from engine.backends.corpus_stats import count_documents
from engine.backends.corpus_stats.base import CorpusCounter
from engine.backends.entailment import load_judge, load_sentence_judge
from engine.backends.language_models import load_language_model, writer_name
from engine.backends.language_models.base import LanguageModel, ModelIdentity
from engine.backends.retrieval import load_embedder
from engine.backends.retrieval.bm25_index import build_bm25
from engine.backends.text import load_text_tools
from engine.core.errors import CorpusError
from engine.core.progress import silent
from engine.core.records import Document, Generation, Hit, Passage, Prompt
from engine.measures.answer_marks import is_right
from engine.measures.answer_match import exact_match, token_f1
from engine.measures.decision_threshold import threshold_for_count
from engine.methods.base import Backends, Case
from engine.methods.profiles import EMBEDDED
from engine.methods.step_by_step import step_by_step_request
from engine.methods.timing.base import (
    DraftView,
    Policy,
    PolicyContext,
    PolicyRun,
    PolicyTrace,
    TimingConfig,
    reaches,
)
from engine.methods.timing.entropy_trend import judge as trend_judge
from engine.methods.timing.loop import run_loops
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.trace import lane_of
from engine.thresholds.calibration import is_for_fitting, peaks_of
from training.json_lines import read_json_lines
from training.multihop import read_multihop
from training.nq_open import read_oracle

RESULTS = Path(__file__).resolve().parent / "results" / "timing.json"
PASSAGE_WORDS = 100
LEVELS = (0.5, 1.0, 1.5, 2.0)
LEAST = 20
PAPER, SCHEDULE = "paper", ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A policy as it is compared: which, in which variant, and the setting its threshold stands in ("" = none)."""

    word: str
    policy: Policy
    config: TimingConfig = TimingConfig()
    field: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with its answers, the documents that answer it, and whether it needs one hop or several."""

    question: str
    golds: tuple[str, ...]
    sources: tuple[Passage, ...]
    hops: str


def entrants() -> tuple[Entrant, ...]:
    """Return every policy of the program, ETC in its three published forms, FLARE in its two."""
    etc, code = POLICIES["entropy_trend"], TimingConfig(variant="code")
    # Released smoothing 0.9 + 0.1 w, without the attention that the released trigger multiplies with.
    smoothed = replace(etc, judge=partial(trend_judge, smoothing="code"))
    forms = {
        "etc": Entrant(word="etc", policy=etc, field="alpha"),
        "etc_released_smoothing": Entrant(word="etc_released_smoothing", policy=smoothed, field="alpha"),
        "etc_released": Entrant(word="etc_released", policy=etc, config=code, field="alpha"),
        "flare_released": Entrant(word="flare_released", policy=POLICIES["flare"], config=code, field="flare_doubt"),
    }
    own = {
        word: Entrant(word=word, policy=one, field=one.threshold.field_of("timing") if one.threshold else "")
        for word, one in POLICIES.items()
        if word != "entropy_trend"
    }
    return tuple({**forms, **own}.values())


class Bm25Corpus:
    """Passages of 100 words with BM25 alone, as the papers search; nothing is embedded."""

    content_hash = ""

    def __init__(self, name: str, documents: Sequence[Document]) -> None:
        self.name, self.documents = name, tuple(documents)
        self.passages = [passage for document in documents for passage in cut_passages(document)]
        self._index = build_bm25([f"{passage.title} {passage.text}" for passage in self.passages])

    def search(self, query: str, k: int, retriever: str = "bm25") -> tuple[Hit, ...]:
        """Return the k best passages. Raises CorpusError where none shares a word with the query."""
        scores = self._index.scores(query)
        order = sorted((place for place, score in enumerate(scores) if score > 0), key=lambda place: -scores[place])
        if not order:
            raise CorpusError("No passage shares a word with the question.")
        return tuple(
            Hit(passage=self.passages[place], rank=rank, score=float(scores[place]), retriever="bm25")
            for rank, place in enumerate(order[:k], 1)
        )


def cut_passages(document: Document) -> Iterator[Passage]:
    """Yield a document in pieces of 100 words."""
    words = document.text.split()
    for start in range(0, max(1, len(words)), PASSAGE_WORDS):
        text = " ".join(words[start : start + PASSAGE_WORDS])
        yield Passage(text=text, title=document.title, document_id=document.document_id, end=len(text))


def read_questions(multihop: Path | None, nq: Path | None) -> list[Asked]:
    """Return the test questions of the files that were given."""
    found: list[Asked] = []
    for row in read_multihop(multihop) if multihop else ():
        if row.test:
            sources = tuple(row.passages[place] for place in row.supporting)
            found.append(Asked(question=row.question, golds=row.answers, sources=sources, hops="several"))
    for one in read_oracle(nq) if nq else ():
        if one.test:
            found.append(Asked(question=one.question, golds=one.answers, sources=(one.passage,), hops="one"))
    return list({one.question: one for one in found}.values())


def read_corpus(multihop: Path | None, nq: Path | None, wikipedia: Path | None) -> tuple[Document, ...]:
    """Return all passages of all test questions, and the Wikipedia passages, each text once."""
    passages = [
        passage for row in (read_multihop(multihop) if multihop else ()) if row.test for passage in row.passages
    ]
    passages += [row.passage for row in (read_oracle(nq) if nq else ()) if row.test]
    texts = [(passage.title, passage.text) for passage in passages]
    if wikipedia:
        texts += [(row["title"], row["text"]) for row in read_json_lines(wikipedia)]
    return tuple(
        Document(document_id=document_id(title, text), title=title, text=text) for title, text in dict.fromkeys(texts)
    )


def document_id(title: str, text: str) -> str:
    """Return a name of a document that its question's sources share."""
    return f"{title}\n{text[:200]}"


class Bench:
    """The models and the corpus, opened once; ``part`` of the questions are asked, and rows are kept in a folder."""

    def __init__(
        self, folder: Path, corpus: Bm25Corpus, counter: CorpusCounter, writer: LanguageModel, part: tuple[int, int]
    ) -> None:
        self.folder, self.corpus, self.writer, self.part = folder, corpus, writer, part
        judge = load_judge()
        self.backends = Backends(
            model=writer, writer=writer, rewriter=writer, judge=judge, sentence_judge=load_sentence_judge(),
            text=load_text_tools(), embedder=load_embedder(), counter=counter, report=silent, retriever="bm25",
            corpus=corpus,  # type: ignore[arg-type]  # no policy cuts it anew
        )  # fmt: skip

    def file(self, name: str) -> Path:
        """Return the file that this part keeps its rows in: parts that run side by side share none."""
        return self.folder / (f"{name}.jsonl" if self.part == WHOLE else f"{name}.{self.part[0]}.jsonl")

    def own(self, questions: Sequence[Asked]) -> list[Asked]:
        """Return the questions of this part, in an order that mixes both kinds."""
        named = {asked.question: asked for asked in questions}
        return [named[question] for question in of_part(list(named), self.part)]

    def scene(self, asked: Asked, config: TimingConfig) -> PolicyContext:
        """Return what a policy may use for one question. A policy sees no short answer, so there is none."""
        empty = Generation(
            prompt=Prompt(text=""), rendered="", prompt_tokens=0, text="", tokens=(), stop_reason="end",
            temperature=0.0, seed=0,
        )  # fmt: skip
        case = Case(question=asked.question, passages=(), golds=asked.golds, answer=empty, profile=EMBEDDED, seed=0)
        return PolicyContext(case=case, config=config, backends=self.backends)

    def trace(self, asked: Asked) -> tuple[dict[str, PolicyTrace], list[Generation]]:
        """Return each entrant's lane over the answer from memory, and the gate's samples."""
        request = step_by_step_request(asked.question, EMBEDDED)
        (generation,) = self.writer.generate([request], silent)
        shared: list[Generation] = []
        lanes = {}
        for one in entrants():
            scene = replace(self.scene(asked, one.config), samples=shared)
            lanes[one.word] = lane_of(one.policy, DraftView(scene, "", generation), scene)
        return lanes, shared

    def signals(self, asked: Asked) -> dict[str, Any]:
        """Return what is kept of a question before any loop: its lanes, and how unsure its samples are."""
        lanes, samples = self.trace(asked)
        drawn = [sum(one.prompt_tokens for one in samples), sum(len(one.tokens) for one in samples)]
        unsure = doubt(asked.question, samples, self.backends.judge, self.backends.text)
        return {**signals_row(asked, lanes), "doubt": unsure, "drawn": drawn}


def signals_row(asked: Asked, lanes: dict[str, PolicyTrace]) -> dict[str, Any]:
    """Return what is kept of a question's lanes: the peak of each sentence, and the ladder of first triggers."""
    cuts = sorted({signal.cut for signal in lanes["flare"].signals})
    peaks = {word: list(peaks_of(lane, cuts).peaks) for word, lane in lanes.items() if lane.bar.threshold is not None}
    ladders = {
        word: [[signal.value, signal.token] for signal in lane.signals if signal.value is not None]
        for word, lane in lanes.items()
        if lane.bar.threshold is not None
    }
    return {"question": asked.question, "peaks": peaks, "values": ladders}


def fitted_thresholds(
    signals: Sequence[dict[str, Any]], levels: Sequence[float], most: int, least: int
) -> dict[bool, dict[str, dict[str, float]]]:
    """Return {half: {entrant: {level: threshold}}}: for the questions of one half, fitted on those of the other."""
    out: dict[bool, dict[str, dict[str, float]]] = {}
    for half in (True, False):
        others = [row for row in signals if is_for_fitting(row["question"]) is not half]
        out[half] = {}
        for one in entrants():
            peaks = [row["peaks"][one.word] for row in others if one.word in row["peaks"]]
            if not one.field or one.word == "quco_rag" or len(peaks) < least:
                continue  # QuCo-RAG counts documents: its τ of 1 is the only one that says "never"
            below = one.policy.bar(one.config).rule == "below"
            fits = {level: threshold_for_count(peaks, level, most, below) for level in levels}
            # A level that no threshold comes near is left out, and one threshold stands for one level.
            near = {level: cut for level, (cut, count) in fits.items() if abs(count - level) <= 0.25}
            out[half][one.word] = {f"{level:g}": cut for level, cut in near.items() if math.isfinite(cut)}
    return out


def wanted_runs(asked: Asked, fits: dict[bool, dict[str, dict[str, float]]]) -> list[tuple[Entrant, str, TimingConfig]]:
    """Return (entrant, level, settings) of every run a question is asked for."""
    runs = []
    for one in entrants():
        runs.append((one, PAPER if one.field else SCHEDULE, one.config))
        for level, cut in fits[is_for_fitting(asked.question)].get(one.word, {}).items():
            config = replace(one.config, **{one.field: cut})  # type: ignore[arg-type]
            runs.append((one, level, config))
    return runs


def loop_row(
    asked: Asked, one: Entrant, level: str, config: TimingConfig, run: PolicyRun, row: dict[str, Any]
) -> LoopRow:
    """Return what is kept of one run."""
    bar = one.policy.bar(config)
    found = {hit.passage.document_id for lookup in run.retrievals for hit in lookup.hits}
    sources = {document_id(source.title, source.text) for source in asked.sources}
    fires = [token for value, token in row["values"].get(one.word, ()) if reaches(value, bar)]
    return LoopRow(
        question=asked.question,
        hops=asked.hops,
        policy=one.word,
        level=level,
        threshold=bar.threshold,
        answer=run.answer,
        forced=run.forced is not None,
        ended=run.ended,
        right=is_right(run.answer, asked.golds),
        exact=bool(exact_match(run.answer, asked.golds)),
        f1=round(float(token_f1(run.answer, asked.golds)), 4),
        lookups=len(run.retrievals),
        read=run.prompt_tokens,
        written=run.tokens_written,
        gold=sources <= found if run.retrievals else None,
        first=fires[0] if fires else None,
        reason=run.not_measured,
    )


def all_signals(bench: Bench, questions: Sequence[Asked]) -> dict[str, dict[str, Any]]:
    """Return the signals of every question, measuring those of the part that are not kept yet.

    Exits where those of other parts are missing: no threshold can be fitted without them.
    """
    signals = {row["question"]: row for file in sorted(bench.folder.glob("signals*.jsonl")) for row in kept(file)}
    own = bench.own(questions)
    for number, asked in enumerate(own, 1):
        if asked.question not in signals:
            signals[asked.question] = bench.signals(asked)
            keep(bench.file("signals"), [signals[asked.question]])
            print(f"trace {number}/{len(own)} {asked.question[:70]}", flush=True)
    if missing := sum(asked.question not in signals for asked in questions):
        raise SystemExit(f"{missing} questions of other parts have no traces yet: run those parts, then this again.")
    return {asked.question: signals[asked.question] for asked in questions}


def ask(bench: Bench, questions: Sequence[Asked], given: argparse.Namespace) -> list[LoopRow]:
    """Return every row, asking what is not kept yet for as many minutes as were given."""
    started = time.monotonic()
    signals = all_signals(bench, questions)
    chosen = list(signals.values())
    fits = fitted_thresholds(chosen, given.levels, TimingConfig().most_retrievals, given.least)
    rows = rows_so_far(bench.folder, given.rows, [asked.question for asked in questions])
    done = {(row.question, row.policy, row.level) for row in rows}
    own = bench.own(questions)
    for number, asked in enumerate(own, 1):
        runs = [one for one in wanted_runs(asked, fits) if (asked.question, one[0].word, one[1]) not in done]
        if not runs:
            continue
        if given.minutes and time.monotonic() - started > 60 * given.minutes:
            break
        scenes = [(one.policy, bench.scene(asked, config)) for one, _, config in runs]
        first = scenes[0][1]
        made = run_loops([(policy, replace(scene, samples=first.samples)) for policy, scene in scenes])
        new = [
            loop_row(asked, one, level, config, run, signals[asked.question])
            for (one, level, config), run in zip(runs, made, strict=True)
        ]
        keep(bench.file("rows"), [asdict(row) for row in new])
        rows += new
        right = sum(row.right for row in new)
        print(f"{number}/{len(own)} {right} of {len(new)} runs right: {asked.question[:60]}", flush=True)
    wanted = {asked.question for asked in questions}
    asked_rows = [row for row in rows if row.question in wanted]
    if given.rows and bench.part == WHOLE:
        publish(given.rows, asked_rows)
    return [*asked_rows, *sugar_rows({row["question"]: row for row in chosen}, asked_rows, given.levels, given.least)]


def results(rows: Sequence[LoopRow], given: argparse.Namespace, bench: Bench) -> dict[str, object]:
    """Return everything that is stored."""
    out: dict[str, object] = {
        "writer": name_of(bench.writer.identity),
        "corpus": f"{len(bench.corpus.documents)} documents, {len(bench.corpus.passages)} passages of 100 words, BM25",
        "levels": list(given.levels),
        "questions": {hops: len({row.question for row in rows if row.hops == hops}) for hops in ("one", "several")},
    }
    for hops in ("all", "one", "several"):
        chosen = [row for row in rows if hops in ("all", row.hops)]
        if chosen:
            out[hops] = compared(chosen, given.levels)
    return out


def compared(rows: Sequence[LoopRow], levels: Sequence[float]) -> dict[str, object]:
    """Return one group of questions: each policy at each level, its curve, and what stands against what."""
    words = [*(one.word for one in entrants()), SUGAR]
    of = {word: [row for row in rows if row.policy == word] for word in words}
    never = by_question(of["never"], lambda row: float(row.right))
    once = by_question(of["once"], lambda row: float(row.right))
    table: dict[str, object] = {}
    for word, own in of.items():
        for level in dict.fromkeys(row.level for row in own):
            at = [row for row in own if row.level == level]
            right = by_question(at, lambda row: float(row.right))
            etc = [row for row in of["etc"] if row.level == level]
            table[f"{word} {level}".strip()] = {
                **summary(at),
                "threshold": sorted({row.threshold for row in at if row.threshold is not None}),
                "against_never": paired(right, never),
                "against_once": paired(right, once),
                "delay_after_etc": delays(at, etc),
            }
    equal = {
        f"etc - {word} at {level:g} lookups": {
            metric: at_equal_lookups(of["etc"], own, level, metric) for metric in ("right", "exact", "f1")
        }
        for word, own in of.items()
        for level in levels
        if word != "etc" and any(row.level not in (PAPER, SCHEDULE) for row in own)
    }
    return {"policies": table, "curves": {word: curve(own) for word, own in of.items()}, "equal_lookups": equal}


def name_of(identity: ModelIdentity) -> str:
    """Return a writer's name in the results: its weights and number type too."""
    return f"{identity.name} ({identity.revision}, {identity.dtype})"


def shown_by(file: Path, writer: str) -> bool:
    """Return whether the results of this file are this writer's: published rows do not name theirs."""
    return bool(json.loads(file.read_text(encoding="utf-8"))["writer"] == writer)


def spread(questions: Sequence[Asked], limit: int | None) -> list[Asked]:
    """Return the first questions, both kinds of hops in turn; all without a limit."""
    if limit is None:
        return list(questions)
    kinds = [[one for one in questions if one.hops == hops] for hops in ("one", "several")]
    mixed = [one for pair in zip(*kinds, strict=False) for one in pair] if all(kinds) else list(questions)
    return mixed[:limit]


def main() -> None:
    """Ask, store and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where rows are kept")
    for name in ("multihop", "nq", "wikipedia"):
        parser.add_argument(f"--{name}", type=Path, help="a JSON Lines file, plain or gzipped")
    parser.add_argument("--model", default="embedded", help="its writer writes; a name or folder")
    parser.add_argument("--levels", type=float, nargs="+", default=LEVELS, help="mean lookups a question")
    parser.add_argument("--limit", type=int, help="only so many questions")
    parser.add_argument("--minutes", type=float, help="begin no question after so many minutes")
    parser.add_argument("--part", type=part_of, default=WHOLE, help="1/2: ask the first of two parts, without results")
    parser.add_argument("--rows", type=Path, help="the published rows: read first, written last")
    parser.add_argument("--least", type=int, default=LEAST, help="questions that a threshold is fitted on at least")
    parser.add_argument("--results", type=Path)
    given = parser.parse_args()
    documents = read_corpus(given.multihop, given.nq, given.wikipedia)
    if not documents:
        parser.error("name --multihop or --nq")
    writer = load_language_model(writer_name(given.model))
    corpus, counter = Bm25Corpus("test passages", documents), count_documents(documents, "test passages")
    bench = Bench(given.folder, corpus, counter, writer, given.part)
    identity = writer.identity
    if given.rows and given.rows.exists() and not shown_by(RESULTS, name_of(identity)):
        parser.error(f"{given.rows} holds rows of another writer: name no rows, or others")
    same_settings(
        given.folder,
        {
            "writer": [identity.name, identity.revision, identity.dtype],
            "documents": len(documents),
            "levels": list(given.levels),
            "limit": given.limit,
            "least": given.least,
        },
    )
    rows = ask(bench, spread(read_questions(given.multihop, given.nq), given.limit), given)
    if given.part != WHOLE:
        return
    target = given.results or (given.folder / "results.json" if given.limit else RESULTS)
    target.write_text(json.dumps(results(rows, given, bench), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"written to {target.name}")


if __name__ == "__main__":
    main()
