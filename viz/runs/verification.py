"""The check of a record in words and as a table: every derived number beside what its raw part gives."""

import pandas as pd

from engine.catalogue.verify import Check, Verification
from engine.runs.bundle import Seal
from viz.methods.verdicts import Verdict
from viz.parts.words import WORDS, counted

SEALS = WORDS["file seals"]
COLUMNS = ["number", "stored", "computed again", "same", "why not"]


def verdict(found: Verification, seal: Seal | None = None) -> Verdict:
    """Return the word on a record: consistent, or not, with how many numbers were computed again.

    ``seal`` is what a file's content hash says, None for a record that comes from no file.
    """
    if seal == "broken" or not found.whole:
        return Verdict(word="does not hold", tone="bad", sentence=sentence(found, seal))
    if not found.checks:
        return Verdict(word="nothing to check", tone="unknown", sentence=sentence(found, seal))
    return Verdict(word="holds", tone="good", sentence=sentence(found, seal))


def sentence(found: Verification, seal: Seal | None = None) -> str:
    """Return the check in words: how many derived values follow from the raw part, which do not, what the hash says."""
    size = counted(len(found.checks), "derived value")
    if not found.checks:
        told = "This record holds no derived value that this version computes."
    elif found.whole:
        told = f"{size} computed again from the raw part: all the same."
    else:
        first = found.differing[0]
        apart = f"{len(found.differing)} of {size} do not follow from the raw part"
        told = f"{apart}; the first is {first.place}: {first.why}."
    parts = len(found.unchecked)
    left = f"{counted(parts, 'part')} {'is' if parts == 1 else 'are'} taken as recorded."
    return " ".join(part for part in (told, left if parts else "", SEALS[seal] if seal else "") if part)


def written_sentence(found: Verification) -> str:
    """Return what a bundle says of itself when it is written: which part is derived, and whether it follows."""
    state = "all of them follow" if found.whole else f"{len(found.differing)} of them do NOT follow"
    return (
        f"The record holds {counted(len(found.checks), 'value')} derived from its raw part. When "
        f"this file was written, {state} by the papers' equations."
    )


def checks_table(found: Verification) -> pd.DataFrame:
    """Return the text twin: one row per derived value, differing ones first."""
    ordered = sorted(found.checks, key=lambda check: check.equal)
    return pd.DataFrame(
        [(one.place, one.stored, one.recomputed, "yes" if one.equal else "NO", one.why) for one in ordered],
        columns=COLUMNS,
    )


def unchecked_table(found: Verification) -> pd.DataFrame:
    """Return what is taken as it stands, and why."""
    return pd.DataFrame([(one.place, one.reason) for one in found.unchecked], columns=["part", "why it is raw"])


def report(found: Verification, seal: Seal | None) -> str:
    """Return the whole check as lines for a terminal: each value, what is raw, and what it comes to.

    ``seal`` is as in ``verdict``.
    """
    lines = [check_line(check) for check in found.checks]
    lines += [f"raw      {one.place}: {one.reason}" for one in found.unchecked]
    word = verdict(found, seal)
    lines.append(f"{word.word[:1].upper()}{word.word[1:]}. {word.sentence}")
    return "\n".join(lines)


def check_line(check: Check) -> str:
    """Return one check as a line."""
    if check.equal:
        return f"same     {check.place}  stored {check.stored}  recomputed {check.recomputed}"
    return f"DIFFERS  {check.place}  stored {check.stored}  recomputed {check.recomputed}  ({check.why})"
