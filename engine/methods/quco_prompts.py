"""Prompts of QuCo-RAG: the step-by-step answer over what was retrieved (table 6), the extraction of claims (table 8).

Without passages and without a beginning the answer's prompt is the closed-book one that ETC reads too. The paper puts
what was retrieved between examples and question; a model of 135M parameters then goes on with the headline instead of
the answer, so the embedded profile puts it before the examples and leaves the paper's instruction out.

The extraction prompts open with the released prompts' sentence and follow their output format; their examples are those
of table 8, where a conclusion claims nothing.
"""

from engine.core.records import Passage, Prompt
from engine.methods.profiles import PROMPTS, STEP_BY_STEP_EXAMPLES, Profile, fill_template, numbered_lines

BACKGROUND, INSTRUCTION = PROMPTS["quco_rag"]["background"], PROMPTS["quco_rag"]["instruction"]


def loop_prompt(profile: Profile, question: str, passages: tuple[Passage, ...], begun: str) -> Prompt:
    """Return the prompt of a step-by-step answer over the passages that goes on from what was ``begun``."""
    parts = [STEP_BY_STEP_EXAMPLES]
    if passages:
        lines = numbered_lines(passages[::-1] if profile.best_last else passages)
        between = [STEP_BY_STEP_EXAMPLES, "", BACKGROUND, *lines, "", INSTRUCTION, ""]
        parts = between if profile.name == "paper" else [BACKGROUND, *lines, "", STEP_BY_STEP_EXAMPLES]
    answer = f"Answer: {begun}" if begun else "Answer:"
    return Prompt(text="\n".join([*parts, f"Question: {question}", answer]), chat=False)


def claims_prompt(sentence: str) -> Prompt:
    """Return the prompt that asks for the claims of one sentence."""
    return Prompt(text=fill_template(PROMPTS["quco_rag"]["claims"], sentence=" ".join(sentence.split())))


def entities_prompt(question: str) -> Prompt:
    """Return the prompt that asks for the entities of a question."""
    return Prompt(text=fill_template(PROMPTS["quco_rag"]["entities"], sentence=" ".join(question.split())))
