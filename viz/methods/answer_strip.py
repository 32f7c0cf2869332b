"""The step-by-step answer of ETC as running text: tinted by entropy, triggers marked, grey behind the first one."""

from engine.methods.entropy_trend import EntropyTrendResult
from viz.methods.entropy_trend import FIRST, not_measured_sentence, trigger_roles, word_sentence
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.token_strip import ramp_html, tint


def answer_strip_html(
    result: EntropyTrendResult, theme: Theme, alpha: float | None = None, chosen: int | None = None
) -> str:
    """Return the step-by-step answer as HTML: tinted by entropy, triggers marked, grey behind the first one.

    The ``chosen`` word is outlined.
    """
    if not result.words:
        return render("note.html.j2", text=not_measured_sentence(result), colour=theme.muted)
    roles = trigger_roles(result, alpha)
    text, words, place = result.generation.text, [], 0
    for index, word in enumerate(result.words):
        words.append(
            {
                "gap": text[place : word.start],
                "text": word.text,
                "role": roles.get(index, ""),
                "is_content": word.is_content,
                "tint": tint(theme, word.entropy_middle) if word.is_content else "transparent",
                "hover": f"{word_sentence(result, index)} {roles.get(index, '')}".strip(),
            }
        )
        place = max(place, word.end)
    values = {"words": words, "rest": text[place:], "first": FIRST, "triggered": bool(roles), "chosen": chosen}
    return render("answer_strip.html.j2", ramp=ramp_html(theme), theme=theme, **values)
