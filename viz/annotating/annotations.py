"""What people's labels say, in words, tables and figures: Table 6, agreement, methods, where triggers fall.

Every number has its number of items, and its 95 % interval where there are enough of them. What was not measured gives
its reason and is not drawn. The paper's own Table 6 (100 questions of 2WikiMultihopQA, three experts) is beside ours
for comparison: another model wrote those answers.
"""

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from engine.annotations.agreement import Estimate, FieldAgreement
from engine.annotations.results import MethodScore, TimingRow, TriggerPlace
from engine.methods import METHODS
from engine.methods.timing.trace import REFERENCE
from viz.annotating.annotation_card import KIND_WORDS
from viz.methods.timing import policy_title
from viz.parts.figure_parts import add_marks, empty_figure, error_bars, rows_axis
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import WORDS, counted, listing, signed, wrapped

# ETC, Table 6: delayed and redundant retrieval ratio.
PAPER_TABLE_6 = {"dragin": (0.33, 0.95), "entropy_trend": (0.22, 0.79), "entropy_trend_raw": (0.22, 0.91)}
PAPER_NAME = "the paper's (2WikiMultihopQA)"
FIELD_WORDS = WORDS["labelled fields"]
OTHER_METHODS = {"answer_match": "correct answer in the text", "judge": "entailment judge"}
TIMING_WORDS = {"timely": "timely", "delayed": "delayed", "": "not settled"}
# Fewer retrievals than this make no headline: one more label would change it.
ENOUGH = 5
NO_LABELS = "No retrieval is labelled yet."
NO_AGREEMENT = "No labels of two people yet."
NO_SCORES = "No item with a method's label yet."
NO_TRIGGERS = "These items hold no retrieval."
ROW_HEIGHT, FRAME, APART = 64, 190, 0.22
LARGEST_MARK = 17.0
# Name, symbol, colour, and an estimate a row.
Series = tuple[str, str, str, Sequence[Estimate]]


def number_words(estimate: Estimate, digits: int = 2) -> str:
    """Return an estimate in words: value, interval and n; or that it was not measured, and why.

    >>> number_words(Estimate(value=None, interval=None, n=0, reason="Nobody looked."))
    'not measured: Nobody looked.'
    >>> number_words(Estimate(value=0.5, interval=None, n=1))
    '0.50, n = 1'
    """
    if estimate.value is None:
        return f"not measured: {estimate.reason}"
    interval = estimate.interval
    bounds = f" ({unsigned(interval.low, digits)} to {unsigned(interval.high, digits)})" if interval else ""
    return f"{unsigned(estimate.value, digits)}{bounds}, n = {estimate.n}"


def method_title(word: str) -> str:
    """Return a method's or a policy's name; a word that is neither stays as it is.

    >>> method_title("answer_match"), method_title("sugar"), method_title("elsewhere")
    ('correct answer in the text', 'SUGAR', 'elsewhere')
    """
    if word in METHODS:
        return METHODS[word].title
    return OTHER_METHODS.get(word) or policy_title(word)


def table_six_sentence(rows: Sequence[TimingRow]) -> str:
    """Return what Table 6 says: delayed ratio of each policy that was labelled, and who fires after ETC."""
    labelled = [row for row in rows if row.delayed.value is not None]
    if not labelled:
        return NO_LABELS
    parts = [f"{policy_title(row.policy)} {share_words(row.delayed)}" for row in labelled]
    late = [
        f"{policy_title(row.policy)} {signed(row.after_etc.value, 1)}"
        for row in rows
        if row.after_etc.value is not None and row.policy != REFERENCE
    ]
    after = f" Mean delay after ETC, in tokens: {listing(late)}." if late else ""
    return f"Labelled delayed: {listing(parts)}.{after}"


def share_words(estimate: Estimate) -> str:
    """Return a share in percent with what it is a share of.

    >>> share_words(Estimate(value=2 / 3, interval=None, n=3))
    '67 % of 3'
    """
    return "not measured" if estimate.value is None else f"{100 * estimate.value:.0f} % of {estimate.n}"


def table_six_table(rows: Sequence[TimingRow]) -> pd.DataFrame:
    """Return Table 6 as text, the paper's numbers last; "not measured" with its reason where there is none."""
    return pd.DataFrame(
        [
            {
                "policy": policy_title(row.policy),
                "retrievals": row.retrievals,
                "delayed": number_words(row.delayed),
                "redundant: right without it": number_words(row.redundant_without),
                "redundant: no gain from it": number_words(row.redundant_gain),
                "missing, of whole answers": number_words(row.missing),
                "tokens after the first wrong one": number_words(row.delay, 1),
                "first trigger after ETC's (tokens)": number_words(row.after_etc, 1),
                "paper: delayed, redundant": paper_words(row.policy),
            }
            for row in rows
        ]
    )


def paper_words(policy: str) -> str:
    """Return the paper's two ratios of a policy, a dash where it names none.

    >>> paper_words("dragin"), paper_words("flare")
    ('0.33, 0.95', '—')
    """
    found = PAPER_TABLE_6.get(policy)
    return f"{found[0]:.2f}, {found[1]:.2f}" if found else "—"


def table_six_figure(rows: Sequence[TimingRow], theme: Theme) -> go.Figure:
    """Return the ratios of each policy as points with their intervals; x is a share of retrievals in [0, 1]."""
    drawn = [row for row in rows if row.delayed.value is not None]
    if not drawn:
        return empty_figure("Table 6: no labels yet", NO_LABELS, theme, 220)
    series: tuple[Series, ...] = (
        ("delayed", "diamond", theme.bad, [row.delayed for row in drawn]),
        ("redundant: right without it", "circle", theme.middle, [row.redundant_without for row in drawn]),
        ("redundant: no gain from it", "square", theme.accent, [row.redundant_gain for row in drawn]),
    )
    names, axis = [policy_title(row.policy) for row in drawn], "Share of retrievals (lower is better)"
    figure = _estimates_figure(table_six_title(drawn), names, series, axis, theme)
    _draw_paper(figure, drawn, theme)
    figure.update_xaxes(range=[-0.03, 1.05], tickformat=".1f")
    return figure


def table_six_title(rows: Sequence[TimingRow]) -> str:
    """Return the finding of Table 6 in one line: who is delayed least and who most, of those with enough retrievals."""
    enough = [row for row in rows if row.delayed.n >= ENOUGH]
    ordered = sorted(enough or rows, key=lambda row: row.delayed.value or 0.0)
    least, most = ordered[0], ordered[-1]
    first = f"{policy_title(least.policy)} delayed in {share_words(least.delayed)}"
    if least is most:
        return first
    if least.delayed.value == most.delayed.value:
        everyone = "All" if len(ordered) == len(rows) else f"All with {ENOUGH} labels or more"
        return f"{everyone} delayed equally: {100 * (least.delayed.value or 0.0):.0f} %"
    return f"{first}, {policy_title(most.policy)} in {share_words(most.delayed)}"


def _draw_paper(figure: go.Figure, rows: Sequence[TimingRow], theme: Theme) -> None:
    """Draw the paper's two numbers of a policy as crosses on its row."""
    points = [
        (value, number + shift, f"{policy_title(row.policy)}, the paper: {word} {value:.2f}")
        for number, row in enumerate(rows)
        if row.policy in PAPER_TABLE_6
        for word, shift, value in zip(("delayed", "redundant"), (-0.22, 0.22), PAPER_TABLE_6[row.policy], strict=True)
    ]
    if points:
        xs, ys, hover = zip(*points, strict=True)
        marker = {"symbol": "x-thin", "size": 11, "line": {"width": 2, "color": theme.muted}}
        add_marks(figure, xs, ys, hovertext=hover, name=PAPER_NAME, marker=marker)


def agreement_sentence(rows: Sequence[FieldAgreement]) -> str:
    """Return how well people agree on each field, over all policies."""
    measured = [row for row in overall(rows) if row.alpha.value is not None]
    same = [row for row in overall(rows) if row.alpha.value is None and row.alpha.n]
    parts = [f"{field_name(row)} {number_words(row.alpha)}" for row in measured]
    alike = f" Always agreed: {listing([field_name(row) for row in same])}." if same else ""
    if not parts:
        return alike.strip() or NO_AGREEMENT
    return f"Krippendorff's α: {listing(parts)}.{alike}"


def overall(rows: Sequence[FieldAgreement]) -> list[FieldAgreement]:
    """Return the rows over all policies."""
    return [row for row in rows if not row.policy]


def field_name(row: FieldAgreement | MethodScore) -> str:
    """Return a field in words with what it is about."""
    return FIELD_WORDS.get(row.field, f"{row.field} of {{items}}").format(items=KIND_WORDS[row.kind].items)


def agreement_table(rows: Sequence[FieldAgreement]) -> pd.DataFrame:
    """Return agreement as text: a line per field and policy, Cohen's kappa per pair of people."""
    return pd.DataFrame(
        [
            {
                "field": field_name(row),
                "policy": policy_title(row.policy) if row.policy else "all",
                "items": row.items,
                "people": row.people,
                "Krippendorff's α": number_words(row.alpha),
                "Fleiss' κ": number_words(row.fleiss),
                "Cohen's κ": "; ".join(f"{one.first} & {one.second}: {number_words(one.kappa)}" for one in row.pairs),
                "say the same": "; ".join(f"{one.first} & {one.second}: {share_words(one.share)}" for one in row.pairs),
            }
            for row in rows
        ]
    )


def agreement_figure(rows: Sequence[FieldAgreement], theme: Theme) -> go.Figure:
    """Return alpha and Fleiss' kappa per field with intervals; x at most 1, 0 is chance."""
    drawn = [row for row in overall(rows) if row.alpha.value is not None or row.fleiss.value is not None]
    if not drawn:
        alike = any(row.alpha.n for row in overall(rows))
        found = "People always agreed" if alike else "Nothing to measure yet"
        return empty_figure(found, agreement_sentence(rows), theme, 220)
    series: tuple[Series, ...] = (
        ("Krippendorff's α", "circle", theme.model, [row.alpha for row in drawn]),
        ("Fleiss' κ", "square", theme.accent, [row.fleiss for row in drawn]),
    )
    names, axis = [field_name(row) for row in drawn], "Agreement (1 perfect, 0 chance)"
    figure = _estimates_figure(agreement_title(drawn), names, series, axis, theme, apart=0.24)
    _draw_chance(figure, series, theme)
    return figure


def agreement_title(rows: Sequence[FieldAgreement]) -> str:
    """Return the finding of the agreement in one line: on what people agree least."""
    measured = [row for row in rows if row.alpha.value is not None]
    if not measured:
        return "No agreement beyond chance yet"
    least = min(measured, key=lambda row: row.alpha.value or 0.0)
    value = f"α {unsigned(least.alpha.value or 0.0)} over {counted(least.alpha.n, 'item')}"
    return f"{'People agree least' if len(measured) > 1 else 'Agreement'} on {field_name(least)}: {value}"


def unsigned(value: float, digits: int = 2) -> str:
    """Return a number with a true minus and without a plus.

    >>> unsigned(-0.5), unsigned(0.5), unsigned(-0.001)
    ('−0.50', '0.50', '0.00')
    """
    return signed(value, digits).removeprefix("+")


def methods_sentence(rows: Sequence[MethodScore]) -> str:
    """Return each method's agreement with people in words, best first."""
    measured = sorted((row for row in rows if row.kappa.value is not None), key=lambda row: -(row.kappa.value or 0.0))
    parts = [
        f"{method_title(row.method)} on {field_name(row)} {unsigned(row.kappa.value or 0.0)} (n = {row.n})"
        for row in {(row.method, row.kind, row.field): row for row in reversed(measured)}.values()
    ]
    if parts:
        return f"Cohen's κ with people: {listing(parts[::-1])}."
    said = [row for row in rows if row.n]
    return "No method's κ is defined yet." if said else NO_SCORES


def methods_table(rows: Sequence[MethodScore]) -> pd.DataFrame:
    """Return the methods' scores as text."""
    return pd.DataFrame(
        [
            {
                "method": method_title(row.method),
                "field": field_name(row),
                "finds": str(row.value),
                "items": row.n,
                "precision": number_words(row.precision),
                "recall": number_words(row.recall),
                "Cohen's κ": number_words(row.kappa),
            }
            for row in rows
        ]
    )


def methods_figure(rows: Sequence[MethodScore], theme: Theme) -> go.Figure:
    """Return precision, recall and kappa of each method's automatic label against people, with intervals."""
    drawn = [row for row in rows if row.n]
    if not drawn:
        return empty_figure("Nothing yet", NO_SCORES, theme, 220)
    series: tuple[Series, ...] = (
        ("precision", "circle", theme.model, [row.precision for row in drawn]),
        ("recall", "diamond", theme.middle, [row.recall for row in drawn]),
        ("Cohen's κ", "square", theme.accent, [row.kappa for row in drawn]),
    )
    names = [f"{method_title(row.method)}: {row.value}<br>({field_name(row)})" for row in drawn]
    axis = "Precision, recall and κ (1 perfect; line at 0: chance for κ)"
    figure = _estimates_figure(methods_title(drawn), names, series, axis, theme)
    _draw_chance(figure, series, theme, rows=[row + APART for row in range(len(drawn))])
    return figure


def methods_title(rows: Sequence[MethodScore]) -> str:
    """Return the finding in one line: which method agrees with people most, of those compared on the most items.

    Each method is compared on its own items, so one with fewer is not ranked, and that is said.
    """
    measured = [row for row in rows if row.kappa.value is not None]
    if not measured:
        return f"Methods against people, {counted(sum(row.n for row in rows), 'comparison')}"
    most = max(row.n for row in measured)
    best = max((row for row in measured if row.n == most), key=lambda row: row.kappa.value or 0.0)
    value = f"κ {unsigned(best.kappa.value or 0.0)}, n = {best.n}"
    fewer = {(row.method, row.kind, row.field) for row in measured if row.n < most}
    left_out = f"; not ranked, with fewer items: {len(fewer)}" if fewer else ""
    return f"Highest agreement with people: {method_title(best.method)} on {field_name(best)} ({value}){left_out}"


def triggers_sentence(places: Sequence[TriggerPlace]) -> str:
    """Return where each policy's retrievals fall on average, in tokens."""
    if not places:
        return NO_TRIGGERS
    parts = []
    for policy in ordered_policies(places):
        tokens = [place.token for place in places if place.policy == policy]
        mean = sum(tokens) / len(tokens)
        parts.append(f"{policy_title(policy)} after {mean:.1f} tokens ({counted(len(tokens), 'retrieval')})")
    return f"Mean place: {listing(parts)}."


def ordered_policies(places: Sequence[TriggerPlace]) -> list[str]:
    """Return the policies, ETC first, then in alphabetical order."""
    return sorted({place.policy for place in places}, key=lambda word: (word != REFERENCE, word))


def triggers_table(places: Sequence[TriggerPlace]) -> pd.DataFrame:
    """Return every retrieval with its place and its settled label."""
    return pd.DataFrame(
        [
            {
                "policy": policy_title(place.policy),
                "after token": place.token,
                "tokens of the answer": place.tokens,
                "timing": TIMING_WORDS.get(place.timing, place.timing),
            }
            for place in places
        ]
    )


def triggers_figure(places: Sequence[TriggerPlace], theme: Theme) -> go.Figure:
    """Return where each policy's retrievals fall in tokens; a mark's area is how many, its shape the label."""
    policies = ordered_policies(places)
    if not places:
        return empty_figure("No retrieval yet", NO_TRIGGERS, theme, 220)
    figure = go.Figure(layout=layout(theme, triggers_title(places), FRAME + ROW_HEIGHT * len(policies)))
    kinds = (
        ("timely", "circle", theme.good, -0.25),
        ("delayed", "diamond", theme.bad, 0.0),
        ("", "circle-open", theme.muted, 0.25),
    )
    most = max(Counter((place.policy, place.token, place.timing) for place in places).values())
    unit = min(10.0, LARGEST_MARK / most**0.5)
    for timing, symbol, colour, shift in kinds:
        many = Counter((place.policy, place.token) for place in places if place.timing == timing)
        marker = {
            "symbol": symbol,
            "size": [max(5.0, unit * number**0.5) for number in many.values()],
            "color": rgba(colour, 0.85) if timing else colour,
            "line": {"width": 1.5, "color": colour},
        }
        hover = [
            plain(f"{policy_title(policy)}: {counted(number, 'retrieval')} after {counted(token, 'token')}")
            for (policy, token), number in many.items()
        ]
        rows = [policies.index(policy) + shift for policy, _ in many]
        add_marks(figure, [token for _, token in many], rows, name=TIMING_WORDS[timing], marker=marker, hovertext=hover)
    _dress(figure, [policy_title(policy) for policy in policies], theme, "Tokens before the retrieval")
    figure.update_xaxes(range=[-1, max(place.token for place in places) * 1.08 + 1])
    return figure


def triggers_title(places: Sequence[TriggerPlace]) -> str:
    """Return the finding in one line: who retrieves earliest on average and who latest."""
    means = {
        policy: sum(tokens) / len(tokens)
        for policy in ordered_policies(places)
        if (tokens := [place.token for place in places if place.policy == policy])
    }
    first, last = min(means, key=lambda policy: means[policy]), max(means, key=lambda policy: means[policy])
    start = f"{policy_title(first)}: after {means[first]:.1f} tokens on average"
    return start if first == last else f"{start}, {policy_title(last)} after {means[last]:.1f}"


def _estimates_figure(
    title: str, names: Sequence[str], series: Sequence[Series], axis: str, theme: Theme, apart: float = APART
) -> go.Figure:
    """Return estimates as marks with their intervals, a row a name, series ``apart`` of each other."""
    figure = go.Figure(layout=layout(theme, title, FRAME + ROW_HEIGHT * len(names)))
    for place, (name, symbol, colour, estimates) in enumerate(series):
        shift = apart * (place - (len(series) - 1) / 2)
        # What was not measured is left out.
        known = [(row + shift, one, one.value) for row, one in enumerate(estimates) if one.value is not None]
        values = [value for _, _, value in known]
        look = {
            "name": name,
            "marker": {"symbol": symbol, "size": 12, "color": colour},
            "error_x": error_bars(values, [one.interval for _, one, _ in known], color=colour, thickness=2, width=5),
            "hovertext": [wrapped(f"{name}: {number_words(one)}") for _, one, _ in known],
        }
        add_marks(figure, values, [row for row, _, _ in known], **look)
    _dress(figure, names, theme, axis)
    return figure


def _draw_chance(
    figure: go.Figure, series: Sequence[Series], theme: Theme, rows: Sequence[float] | None = None
) -> None:
    """Draw a line where agreement is chance, at 0; the axis begins a little below the lowest bound.

    ``rows`` are the heights at which it is drawn where not every mark is an agreement beyond chance.
    """
    known = [one for _, _, _, estimates in series for one in estimates if one.value is not None]
    lowest = min(0.0, *(one.interval.low if one.interval else one.value or 0.0 for one in known), 0.0)
    if rows is None:
        figure.add_vline(x=0, line={"color": theme.muted, "width": 1.5, "dash": "dash"})
    for row in rows or ():
        line = {"color": theme.muted, "width": 2.5}
        figure.add_shape(type="line", x0=0, x1=0, y0=row - 0.9 * APART, y1=row + 0.9 * APART, line=line)
    figure.update_xaxes(range=[lowest - 0.06, 1.06])


def _dress(figure: go.Figure, names: Sequence[str], theme: Theme, axis: str) -> None:
    """Name the rows, first on top, and the axis with its unit; the legend stands below it."""
    height = float(figure.layout.height)
    common = {"gridcolor": rgba(theme.line, 0.6), "zeroline": False, "fixedrange": True}
    labels = ["<br>".join(plain(line) for line in name.split("<br>")) for name in names]
    figure.update_yaxes(rows_axis(labels, automargin=True, ticklabelstandoff=8, **common))
    figure.update_yaxes(range=[len(names) - 0.4, -0.6])
    figure.update_xaxes(title_text=axis, linecolor=theme.line, **common)
    figure.update_layout(margin_b=110, legend_y=-78 / (height - 174), legend_yanchor="top")
