"""The card of a run, made from its record; those of the recorded examples are kept beside the records.

``sample_data/cards.json`` has them, so that the first page draws them without reading a record. It is written anew by

    .venv/bin/python -m viz.runs.run_cards
"""

import json
from dataclasses import asdict

from engine.core.folders import sample_data
from engine.diagnosis.record import Diagnosis
from engine.runs.sample_runs import RECORDED, list_sample_runs, recorded_run
from engine.runs.store import sample_summary
from viz.runs.case_card import CARDS, CaseCard, ShippedCard
from viz.runs.headline import headline
from viz.runs.story import answer_box
from viz.runs.summary import matches_of

ANSWER_LETTERS = 34


def case_card(run_id: str, diagnosis: Diagnosis) -> CaseCard:
    """Return the card of a run that has both answers."""
    found, (reading, memory) = headline(diagnosis), matches_of(diagnosis)
    return CaseCard(
        run_id=run_id,
        question=diagnosis.question,
        case=found.case,
        tone=found.tone,
        sentence=found.sentence,
        memory=answer_box("From memory", diagnosis.closed_book.text, memory, ANSWER_LETTERS),
        answer=answer_box("After reading", diagnosis.answer.text, reading, ANSWER_LETTERS),
        passages=len(diagnosis.hits),
    )


def shipped_lines() -> list[ShippedCard]:
    """Return the lines of ``cards.json`` as the records give them."""
    runs = [run for run in list_sample_runs(sample_data()).values() if run.file.startswith(f"{RECORDED}/")]
    return [
        ShippedCard(recorded=sample_summary(run).finished_at, card=case_card(run.id, recorded_run(run.id)))
        for run in sorted(runs, key=lambda run: run.id)
    ]


def write_cards() -> None:
    """Write the cards of the recorded examples, one a line."""
    lines = [json.dumps(asdict(line), ensure_ascii=False) for line in shipped_lines()]
    (sample_data() / CARDS).write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    write_cards()
