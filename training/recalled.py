"""What a writer says from memory before it learns more, to be learnt again beside the new: so less is forgotten.

Known as pseudo-rehearsal (Robins 1995, "Catastrophic Forgetting, Rehearsal and Pseudorehearsal"). Each training
question is answered once greedily and once drawn at temperature 1, since the greedy answers alone would make the writer
surer than it was.

    python -m training.recalled FILE --adapter RUN/adapter --nq nq-open-oracle.jsonl.gz --questions 100
"""

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path

from engine.backends.language_models.adapters import open_adapted
from engine.backends.language_models.base import LanguageModel, Request
from engine.backends.number_types import number_type
from engine.backends.text import load_text_tools
from engine.core.progress import silent
from engine.methods.conclusion import concluded_answer
from engine.methods.profiles import EMBEDDED, step_by_step_prompt
from engine.methods.step_by_step import STEP_BY_STEP_STOP
from training.json_lines import read_json_lines
from training.nq_open import oracle_path, read_oracle
from training.train_reader import training_rows

BATCH, TEMPERATURES = 16, (0.0, 1.0)
Said = tuple[str, str]


def replies_of(model: LanguageModel, questions: Sequence[str], temperature: float, seed: int) -> list[Said]:
    """Return (question, reply) of each question that the model concludes from memory."""
    tools, found = load_text_tools(), []
    for at in range(0, len(questions), BATCH):
        asked = questions[at : at + BATCH]
        requests = [
            Request(
                prompt=step_by_step_prompt(one, EMBEDDED, ()),
                max_tokens=EMBEDDED.step_tokens,
                stop=STEP_BY_STEP_STOP,
                temperature=temperature,
                seed=seed + at + place,
            )
            for place, one in enumerate(asked)
        ]
        texts = [answer.text.strip() for answer in model.generate(requests, silent)]
        found += [(one, text) for one, text in zip(asked, texts, strict=True) if concluded_answer(text, tools)]
        print(f"{at + len(asked)} of {len(questions)}", flush=True)
    return found


def read_replies(path: Path) -> tuple[Said, ...]:
    """Return the (question, reply) pairs of a file that ``main`` wrote."""
    return tuple((str(one["question"]), str(one["reply"])) for one in read_json_lines(path))


def main() -> None:
    """Read the arguments and write the replies, one a line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="where the replies go")
    parser.add_argument("--adapter", type=Path, required=True, help="folder of the writer's adapter")
    parser.add_argument("--nq", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--held-out", type=int, default=100, help="as in training")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rows = training_rows(read_oracle(oracle_path(given.nq)), given.held_out)
    questions = [row.question for row in random.Random(given.seed).sample(rows, given.questions)]
    model = open_adapted("adapter", number_type(), given.adapter, blocks=True)
    said = [pair for warmth in TEMPERATURES for pair in replies_of(model, questions, warmth, given.seed)]
    lines = (json.dumps({"question": question, "reply": reply}, ensure_ascii=False) for question, reply in said)
    given.file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{given.file}: {len(said)} replies")


if __name__ == "__main__":
    main()
