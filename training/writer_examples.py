"""What the writer learns from: questions answered step by step in the few-shot format, over passages and from memory.

A reply states one fact a sentence, with names in the place of pronouns, and closes with "So the answer is X." It is
made of three kinds of questions: MuSiQue's, whose single questions become statements (``training.statements``);
IRCoT's, with the chains that people wrote; Natural Questions', with the sentence of the passage that holds the answer,
made to stand alone. None of HotpotQA's and no test question is among them.

Of each epoch a share is written over other passages that do not hold the answer ("The passages do not say …"), a share
from memory, a share goes on from a beginning, as a loop asks for after a lookup, and in a share another answer of the
same type stands in passage and reply, so that answers are read. The examples of the prompt are the program's own or
drawn from other questions, so that none is learnt by heart. Only the seed decides what an epoch holds.
"""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.backends.text import load_text_tools
from engine.core.records import Passage, Prompt
from engine.measures.answer_match import contains
from engine.methods.conclusion import FORCED_START
from engine.methods.profiles import EMBEDDED, STEP_BY_STEP_EXAMPLES, step_by_step_prompt
from training.cloze import MadeQuestion
from training.multihop import MultihopRow
from training.nq_open import OracleRow
from training.reader_examples import Example, Neighbours, short, shortened, shown_passage
from training.statements import closed, statement

MOST_PASSAGES, SENTENCE_WORDS = 5, 34
ABSENT, MEMORY, BEGUN, OTHER_EXAMPLES, CHANGED = 0.02, 0.15, 0.3, 0.5, 0.25
REPEATED = 4  # how often a question of several hops stands in an epoch: there are few
PRONOUN = re.compile(r"^(?:He|She|It|They|This|These|His|Her|Its|Their)\b")
OWNED = re.compile(r"^(?:His|Her|Its|Their)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """A question with a step-by-step reply and the passages that hold it; ``others`` distract."""

    question: str
    reply: str
    passages: tuple[Passage, ...]
    others: tuple[Passage, ...]
    answers: tuple[str, ...]


def concluded(sentences: Sequence[str], answer: str) -> str:
    """Return a reply: the facts, each once, and the conclusion.

    >>> concluded(["Ann founded it.", "Ann founded it."], "Ann.")
    'Ann founded it. So the answer is Ann.'
    """
    return " ".join([*dict.fromkeys(sentences), f"{FORCED_START} {answer.strip().rstrip('.')}."])


def own_sentence(passage: Passage, answers: Sequence[str]) -> str | None:
    """Return the passage's sentence that holds an answer, made to stand alone; None where none can be.

    A pronoun at its start becomes the passage's title; a sentence too long for one fact is not taken.
    """
    for span in load_text_tools().sentences(passage.text):
        text = " ".join(span.text.split())
        if contains(text, answers) and 4 <= len(text.split()) <= SENTENCE_WORDS and text[-1] in ".!\"'":
            title = re.sub(r"\s*\([^()]*\)$", "", passage.title)
            return closed(PRONOUN.sub(f"{title}'s" if OWNED.match(text) else title, text) if title else text)
    return None


def cased(text: str, passages: Sequence[Passage]) -> str:
    """Return a text with the words in capitals that the passages never write without: MuSiQue's questions do not.

    A word is a name where a passage writes it with a capital inside a sentence, and none writes it in lower case.

    >>> cased("hong kong was taken by the british.", [Passage(text="Then Hong Kong was taken by the British.")])
    'Hong Kong was taken by the British.'
    """
    whole = " ".join(passage.text for passage in passages)
    lower = set(re.findall(r"\b[a-z][\w'-]*", whole))
    names = {name.lower(): name for name in re.findall(r"(?<=[\w,;] )[A-Z][\w'-]*", whole)}
    return re.sub(
        r"\b[a-z][\w'-]*",
        lambda match: names.get(match[0], match[0]) if match[0] not in lower else match[0],
        text,
    )


def whole_statement(question: str, answer: str, known: Sequence[str]) -> str | None:
    """Return the question and its answer as a statement; None where it breaks a name that it should hold.

    A wrong parse puts the verb into a name ("Pearl was Jam formed in Seattle.").
    """
    said = statement(question, answer)
    names = [answer, *(name for name in known if name in question)]
    return said if said is not None and all(name.strip().casefold() in said.casefold() for name in names) else None


def musique_chain(row: MultihopRow) -> Chain | None:
    """Return MuSiQue's question with its single questions as statements, None where one cannot be made.

    Where no rule makes a statement, the supporting passage's own sentence with that answer stands in its place.
    """
    known: list[str] = []
    sentences: list[str] = []
    supporting = [row.passages[place] for place in row.supporting]
    for hop in row.hops:
        asked = hop.question
        for number, answer in enumerate(known, 1):
            asked = asked.replace(f"#{number}", answer)
        held = (own_sentence(passage, (hop.answer,)) for passage in supporting)
        said = whole_statement(asked, hop.answer, known) or next((text for text in held if text), None)
        if said is None:
            return None
        sentences.append(cased(said, row.passages))
        known.append(hop.answer)
    shown = tuple(shortened(passage, tuple(known)) for passage in supporting)
    others = tuple(
        shortened(passage, ("",)) for place, passage in enumerate(row.passages) if place not in row.supporting
    )
    reply = concluded(sentences, row.answers[0])
    return Chain(question=row.question, reply=reply, passages=shown, others=others, answers=row.answers)


def written_chain(row: MultihopRow) -> Chain | None:
    """Return a question with the chain a person wrote; its passages that share a title with the chain hold it."""
    facts, _, answer = row.chain.partition("So the answer is")
    if not answer.strip(" :."):
        return None
    reply = concluded([facts.strip()], answer.strip(" :."))
    named = [passage for passage in row.passages if passage.title and passage.title.casefold() in facts.casefold()]
    held = tuple(shortened(passage, row.answers) for passage in named[:MOST_PASSAGES])
    others = tuple(shortened(passage, ("",)) for passage in row.passages if passage not in named)
    return (
        Chain(question=row.question, reply=reply, passages=held, others=others, answers=row.answers) if held else None
    )


def chains_of(rows: Sequence[MultihopRow]) -> tuple[Chain, ...]:
    """Return the chains of the questions that may be learnt from. Raises ValueError on a test question."""
    if any(row.test for row in rows):
        raise ValueError("a test question is never learnt from")
    made = (musique_chain(row) if row.hops else written_chain(row) for row in rows)
    return tuple(chain for chain in made if chain is not None)


def oracle_chain(
    draw: random.Random, rows: Sequence[OracleRow], neighbours: Neighbours, place: int, changed: float = CHANGED
) -> Chain | None:
    """Return a Natural Question with its passage's own sentence as the fact, sometimes with another answer in both."""
    passage, golds = shown_passage(draw, rows, neighbours, place, changed)
    answer = " ".join(short(golds).split())
    made = whole_statement(rows[place].question, answer, ())
    said = cased(made, (passage,)) if made else own_sentence(passage, golds)
    if said is None:
        return None
    if not made:
        answer = short([one for one in golds if contains(said, (one,))] or golds)
    others = tuple(neighbours.passages[other] for other in neighbours.drawn(draw, place, 4, rows[place].answers))
    reply = concluded([said], answer)
    return Chain(question=rows[place].question, reply=reply, passages=(passage,), others=others, answers=golds)


def cloze_chains(
    draw: random.Random, sentences: Mapping[int, Sequence[MadeQuestion]], neighbours: Neighbours, count: int
) -> list[Chain]:
    """Return so many questions made from single sentences of passages, or fewer; the sentence is the fact."""
    asked = [(place, one) for place, made in sentences.items() for one in made]
    found: list[Chain] = []
    for place, one in draw.sample(asked, len(asked)):
        passage, golds = neighbours.passages[place], (one.answer,)
        said = own_sentence(passage, golds) if len(found) < count else None
        if said is not None:
            others = tuple(neighbours.passages[other] for other in neighbours.drawn(draw, place, 4, golds))
            reply = concluded([said], one.answer)
            shown = (shortened(passage, golds),)
            found.append(Chain(question=one.question, reply=reply, passages=shown, others=others, answers=golds))
    return found


def absent_reply(question: str) -> str:
    """Return what is said where the passages do not hold the answer.

    >>> absent_reply("Who won?")
    'The passages do not say who won. So the answer is unknown.'
    """
    asked = question.strip().rstrip("?. ")
    first = asked.split()[0].lower()
    clause = (
        f"{asked[0].lower()}{asked[1:]}" if first in {"who", "what", "when", "where", "which", "how", "why"} else ""
    )
    return concluded([f"The passages do not say {clause}." if clause else "The passages do not say it."], "unknown")


def writer_prompt(question: str, passages: Sequence[Passage], begun: str, examples: Sequence[Chain]) -> Prompt:
    """Return the loop's own prompt, with other examples in the place of the program's where there are some."""
    prompt = step_by_step_prompt(question, EMBEDDED, passages, begun)
    if not examples:
        return prompt
    lines = "\n".join(f"Question: {chain.question}\nAnswer: {chain.reply}" for chain in examples)
    return replace(prompt, text=prompt.text.replace(STEP_BY_STEP_EXAMPLES, lines))


def begun_at(draw: random.Random, reply: str) -> int:
    """Return a place between two words of a reply at which a loop could have cut it; 0 = not begun."""
    if draw.random() > BEGUN:
        return 0
    places = [match.start() for match in re.finditer(r"\s(?=\S)", reply)]
    return draw.choice(places[:-1]) if len(places) > 1 else 0


def writer_example(draw: random.Random, chain: Chain, pool: Sequence[Chain], memory: float = MEMORY) -> Example:
    """Return one example of a chain: over passages that hold it, over others, or from memory."""
    kind = draw.choices(("chain", "absent", "memory"), weights=(1 - ABSENT - memory, ABSENT, memory))[0]
    reply, shown = chain.reply, list(chain.passages)
    most = max(len(shown), draw.randint(1, MOST_PASSAGES))
    others = draw.sample(chain.others, min(len(chain.others), most - (len(shown) if kind == "chain" else 0)))
    if kind == "absent":
        free = [one for one in others if not contains(f"{one.title} {one.text}", chain.answers)]
        shown, reply = free, absent_reply(chain.question)
    elif kind == "chain":
        shown += others
    else:
        shown = []
    if kind == "absent" and not shown:
        kind, shown, reply = "memory", [], chain.reply
    draw.shuffle(shown)
    wanted = [one for one in draw.sample(list(pool), 8) if one.question != chain.question and len(one.reply) < 300]
    examples = wanted[: draw.randint(3, 4)] if draw.random() < OTHER_EXAMPLES else []
    cut = begun_at(draw, reply) if kind == "chain" else 0
    begun = f" {reply[:cut]}" if cut else ""
    prompt = writer_prompt(chain.question, tuple(shown), begun, examples)
    return Example(prompt=prompt, reply=reply[cut:] if cut else f" {reply}", kind=kind)


def epoch_examples(
    rows: Sequence[OracleRow],
    chains: Sequence[Chain],
    neighbours: Neighbours,
    seed: int,
    changed: float = CHANGED,
    made: Sequence[Chain] = (),
    most_rows: int = 0,
    repeated: int = REPEATED,
) -> list[Example]:
    """Return one epoch in random order: every chain several times, a Natural Question once where it gives a fact.

    ``made`` are questions made from passages, each once and never from memory: their facts are known to few.
    ``most_rows`` = 0 takes every Natural Question.
    """
    draw = random.Random(seed)
    places = draw.sample(range(len(rows)), min(most_rows or len(rows), len(rows)))
    own = [oracle_chain(draw, rows, neighbours, place, changed) for place in sorted(places)]
    asked = [chain for chain in own if chain is not None]
    pool = [*chains, *asked, *made]
    examples = [writer_example(draw, chain, pool) for chain in [*list(chains) * repeated, *asked]]
    examples += [writer_example(draw, chain, pool, memory=0.0) for chain in made]
    draw.shuffle(examples)
    return examples
