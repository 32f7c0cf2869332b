"""Prompts of QuCo-RAG: the step-by-step answer over what was retrieved (table 6), the extraction of claims (table 8).

Without passages and without a beginning the answer's prompt is the closed-book one that ETC reads too. The paper puts
what was retrieved between examples and question; a model of 135M parameters then goes on with the headline instead of
the answer, so the embedded profile puts it before the examples and leaves the paper's instruction out.

The extraction prompts open with the released prompts' sentence and follow their output format; their examples are those
of table 8, where a conclusion claims nothing.
"""

from engine.core.records import Passage, Prompt
from engine.methods.profiles import STEP_BY_STEP_EXAMPLES, Profile, fill_template

BACKGROUND = "Background information that may be potentially useful in addressing your question:"
INSTRUCTION = (
    "Please answer the following questions. The format of the answers should be the same as the examples given before. "
    "Specifically, you need to think through the answer to this question step by step. Each sentence should only "
    "present a fact statement. Avoid using pronouns like He/She/It or possessive pronouns like His/Her/Its, but "
    'instead use specific names. At the end of your answer, use "So the answer is" to provide your answer.'
)
CLAIMS = """Extract the knowledge triples that convey core semantic information from the given sentence, strictly \
following the output format used in the examples. The sentence may be a question or a declarative sentence.
If the sentence is a question, the output is [[entity, relation]], without entities that it does not mention. If it \
states something, the output is [[head, relation, tail]], one list for each statement. If it states nothing, the \
output is [].
---
Sentence:
Kumbasaram was released in 2017.
entities:
[["Kumbasaram", "released in", "2017"]]

Sentence:
Beowulf & Grendel was directed by Sturla Gunnarsson.
entities:
[["Beowulf & Grendel", "directed by", "Sturla Gunnarsson"]]

Sentence:
Coulson Wallop's father, Nigel Wallop, studied at Eton College.
entities:
[["Coulson Wallop", "father", "Nigel Wallop"], ["Nigel Wallop", "studied at", "Eton College"]]

Sentence:
Which film came out first, Kumbasaram or Mystery Of The 13th Guest?
entities:
[["Kumbasaram", "came out"], ["Mystery Of The 13th Guest", "came out"]]

Sentence:
Where did Diane Meyer Simon's husband graduate from?
entities:
[["Diane Meyer Simon", "husband"]]

Sentence:
Thus, Kumbasaram came out first.
entities:
[]

Your Task:
Sentence:
{sentence}
entities:
"""
ENTITIES = """Extract the key entities that convey core semantic information from the given question, strictly \
following the output format used in the examples.
---
Sentence:
Which film came out first, Kumbasaram or Mystery Of The 13th Guest?
entities:
[["Kumbasaram"], ["Mystery Of The 13th Guest"]]

Sentence:
Where did Diane Meyer Simon's husband graduate from?
entities:
[["Diane Meyer Simon"]]

Your Task:
Sentence:
{sentence}
entities:
"""


def loop_prompt(profile: Profile, question: str, passages: tuple[Passage, ...], begun: str) -> Prompt:
    """Return the prompt of a step-by-step answer over the passages that goes on from what was ``begun``.

    A passage is put on one line, so that nothing in it looks like another example of the format.
    """
    shown = "\n".join(f"Question: {asked}\nAnswer: {answered}" for asked, answered in STEP_BY_STEP_EXAMPLES)
    parts = [shown]
    if passages:
        ordered = tuple(reversed(passages)) if profile.best_last else passages
        lines = [f"[{number}] {_line(passage)}" for number, passage in enumerate(ordered, start=1)]
        between = [shown, "", BACKGROUND, *lines, "", INSTRUCTION, ""]
        parts = between if profile.name == "paper" else [BACKGROUND, *lines, "", shown]
    answer = f"Answer: {begun}" if begun else "Answer:"
    return Prompt(text="\n".join([*parts, f"Question: {question}", answer]), chat=False)


def _line(passage: Passage) -> str:
    """Return a passage on one line, its title first where it has one."""
    return " ".join((f"{passage.title}: {passage.text}" if passage.title else passage.text).split())


def claims_prompt(sentence: str) -> Prompt:
    """Return the prompt that asks for the claims of one sentence."""
    return Prompt(text=fill_template(CLAIMS, sentence=" ".join(sentence.split())))


def entities_prompt(question: str) -> Prompt:
    """Return the prompt that asks for the entities of a question."""
    return Prompt(text=fill_template(ENTITIES, sentence=" ".join(question.split())))
