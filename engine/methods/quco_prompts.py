"""Prompts of QuCo-RAG: the step-by-step answer over what was retrieved (table 6), the extraction of claims (table 8).

Without passages and without a beginning the answer's prompt is the closed-book one that ETC reads too. The embedded
profile puts passages before the examples, as all policies do there, and leaves the paper's instruction out.

The extraction prompts open with the released prompts' sentence and follow their output format; their examples are those
of table 8, where a conclusion claims nothing.
"""

from engine.core.records import Passage, Prompt
from engine.methods.profiles import (
    BACKGROUND,
    PROMPTS,
    STEP_BY_STEP_EXAMPLES,
    Profile,
    fill_template,
    numbered_lines,
    step_by_step_prompt,
)

INSTRUCTION = PROMPTS["quco_rag"]["instruction"]


def loop_prompt(profile: Profile, question: str, passages: tuple[Passage, ...], begun: str) -> Prompt:
    """Return the prompt of a step-by-step answer over the passages that goes on from what was ``begun``.

    Over passages the paper's profile has the paper's own header and instruction; else all policies share one prompt.
    """
    answer = f" {begun}" if begun else ""
    if not passages or profile.passages_first:
        return step_by_step_prompt(question, profile, passages, answer)
    parts = [STEP_BY_STEP_EXAMPLES, "", BACKGROUND, *numbered_lines(passages), "", INSTRUCTION, ""]
    return Prompt(text="\n".join([*parts, f"Question: {question}", f"Answer:{answer}"]), chat=False)


def claims_prompt(sentence: str) -> Prompt:
    """Return the prompt that asks for the claims of one sentence."""
    return Prompt(text=fill_template(PROMPTS["quco_rag"]["claims"], sentence=" ".join(sentence.split())))


def entities_prompt(question: str) -> Prompt:
    """Return the prompt that asks for the entities of a question."""
    return Prompt(text=fill_template(PROMPTS["quco_rag"]["entities"], sentence=" ".join(question.split())))
