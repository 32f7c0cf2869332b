"""What a step-by-step answer concludes, and the one way in which all policies' answers are scored.

The few-shot format closes with "So the answer is …". The released programs of DRAGIN and ETC score what follows it.
Where an answer never gets there they have it continued after "So the answer is", over no passages
(``regenerate_answer``, 20 new tokens). Here too, for every policy alike, and the record keeps that continuation: it was
forced, not concluded. They cut the answer at the next "Question:"; here it also ends with its sentence, since a model
may go on behind it.
"""

import re
from dataclasses import dataclass, replace

from engine.backends.language_models.base import Request
from engine.backends.text.base import TextTools
from engine.core.records import Generation
from engine.measures.answer_marks import CONCLUDED, is_right
from engine.methods.base import Backends, Case
from engine.methods.profiles import Profile, step_by_step_prompt
from engine.methods.step_by_step import NEXT_QUESTION, step_by_step_request

CONCLUSION = re.compile(rf"{CONCLUDED.pattern}(.*)", re.IGNORECASE | re.DOTALL)
FORCED_START = "So the answer is"
FORCED_TOKENS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An answer as it is scored: what is concluded, or what was forced; ``right`` None without a correct answer."""

    answer: str
    right: bool | None


def final_answer(text: str) -> str:
    """Return what follows the first "the answer is", without the final stop; "" where the answer never gets there.

    A policy's loop ends with that sentence, as those of DRAGIN and ETC do; what is written behind it is not scored.

    >>> final_answer("Paris is in France. So the answer is France.")
    'France'
    """
    found = CONCLUSION.search(text)
    return found.group(1).strip().rstrip(".").strip() if found else ""


def answer_end(text: str) -> int:
    """Return how much of a continuation is the answer: characters before the format's next question.

    >>> answer_end(" It is Rome. Question: Who?"), answer_end(" It is Rome.")
    (12, 12)
    """
    place = text.find(NEXT_QUESTION)
    return len(text) if place < 0 else len(text[:place].rstrip())


def conclusion_end(text: str, tools: TextTools) -> int | None:
    """Return where the sentence that says "the answer is …" ends, in characters; None where none names an answer."""
    whole = text[: answer_end(text)]
    found = CONCLUSION.search(whole)
    if found is None or not found.group(1).strip():
        return None
    said = found.start(1)
    return next((span.end for span in tools.sentences(whole) if span.end > said), len(whole))


def concluded_answer(text: str, tools: TextTools) -> str:
    """Return what an answer concludes; "" where it never does."""
    end = conclusion_end(text, tools)
    return "" if end is None else final_answer(text[:end])


def forced_request(question: str, profile: Profile, text: str) -> Request:
    """Return the request that has an answer concluded: the same format over no passages, after "So the answer is"."""
    said = text[: answer_end(text)].strip()
    prompt = step_by_step_prompt(question, profile, begun=f" {said} {FORCED_START}" if said else f" {FORCED_START}")
    return replace(step_by_step_request(question, profile), prompt=prompt, max_tokens=FORCED_TOKENS)


def forced_conclusion(text: str, case: Case, backends: Backends) -> Generation | None:
    """Return what the writer concludes when it is made to, None where the text concludes by itself."""
    if concluded_answer(text, backends.text):
        return None
    return backends.writer.generate([forced_request(case.question, case.profile, text)], backends.report)[0]


def scored(text: str, forced: Generation | None, golds: tuple[str, ...], tools: TextTools) -> Scored:
    """Return what an answer says and whether that is right (``answer_marks``): its conclusion, else what was forced."""
    answer = concluded_answer(text, tools)
    if not answer and forced is not None:
        # A chat server begins without the space that a continuation begins with, and may say the phrase again.
        answer = concluded_answer(forced.text, tools) or concluded_answer(f"{FORCED_START} {forced.text}", tools)
    return Scored(answer=answer, right=is_right(answer, golds) if golds else None)
