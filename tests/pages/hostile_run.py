"""A run whose every text is an attack, and what of it a browser would draw as more than text.

``Hostile`` pieces are what Streamlit's Markdown (its documentation of ``st.markdown``) makes into something else: an
image, a link, raw HTML, a formula, coloured text, an icon, an emoji, bold letters, code; and a right-to-left override.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_type_hints

import pandas as pd
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

HOST = "stranger.invalid"
PIECES = (
    f"![p](http://{HOST}/i.png)",
    f"[q](http://{HOST}/l)",
    f"http://{HOST}/a",
    "www.stranger.invalid",
    "someone@stranger.invalid",
    "<img src=x>",
    f"<a href='http://{HOST}'>z</a>",
    "$x^2$",
    ":red[r]",
    ":material/home:",
    ":material_home:",
    ":streamlit:",
    ":smile:",
    "**b**",
    "`c`",
    "\u202ediar",
)
READ_LATER = (
    f"http://{HOST}",
    "www.stranger",
    "@stranger",
    ":material/home",
    ":material_home",
    ":streamlit:",
    ":smile:",
    "-> ",
)
TURN = "\u202e"
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
HOSTILE = " ".join(PIECES) + " -> "
# Words by which the program finds its way in a record, not text that a page shows: (record, field).
NAMES = {"method", "status", "policy", "retriever", "corpus_hash", "started_at", "parent", "id", "seal", "version"}
# Text that Streamlit draws letter by letter: (message, field) of its protocol. Everything else counts as Markdown.
LETTER_BY_LETTER = {
    "PlotlyChart.alt",
    "Dataframe.alt",
    "Html.body",  # our own templates, which escape HTML
    "Code.code_text",
    "Json.body",
    "PlotlyChart.spec",  # Plotly's own markup: ``tagged``
    "TextArea.default",
    "TextArea.value",
    "TextInput.default",
    "TextInput.value",
    "TextInput.placeholder",
    "Selectbox.options",
    "Selectbox.raw_value",
    "MultiSelect.options",
    "BidiComponent.json",  # our own script, which writes text nodes
    "MultiSelect.raw_values",
}


def unescaped(text: str) -> str:
    """Return Markdown without the backslashes that make a character one."""
    return ESCAPED.sub(r"\1", text)


def hostile_copy(record: Any) -> Any:
    """Return a record with an attack behind each of its texts; words that name something else are left."""
    if isinstance(record, tuple):
        return tuple(hostile_copy(one) for one in record)
    if not is_dataclass(record):
        return record
    kinds = get_type_hints(type(record))
    changed: dict[str, Any] = {}
    for field in fields(record):
        value = getattr(record, field.name)
        if field.name in NAMES:
            continue
        if kinds[field.name] is str and value:
            changed[field.name] = f"{HOSTILE}{value}"
        elif isinstance(value, tuple) and kinds[field.name] == tuple[str, ...]:
            changed[field.name] = tuple(f"{HOSTILE}{one}" for one in value)
        else:
            changed[field.name] = hostile_copy(value)
    return replace(record, **changed)


def texts_of(message: Message, way: str = "") -> Iterator[tuple[str, str]]:
    """Yield ("Message.field", text) for every text in a message and what it holds."""
    for field, value in message.ListFields():
        name = f"{message.DESCRIPTOR.name}.{field.name}"
        values = value if field.is_repeated else [value]
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            continue
        for one in values:
            if isinstance(one, Message):
                yield from texts_of(one, name)
            elif isinstance(one, str):
                yield name, one


def nodes(node: Any) -> Iterator[Any]:
    """Yield a node of a drawn page and everything below it."""
    yield node
    for child in getattr(node, "children", {}).values():
        yield from nodes(child)


def table_texts(page: AppTest) -> Iterator[tuple[str, str]]:
    """Yield every text of the page's static tables, whose cells and headings are Markdown."""
    for table in page.table:
        frame: pd.DataFrame = table.value
        for part in (frame.index, frame.columns, *(frame[name] for name in frame.columns)):
            yield from (("Table.cell", str(one)) for one in part)


def tagged(text: str) -> bool:
    """Return whether a text holds a tag of the attack that HTML or a figure would draw."""
    return "<img src=x" in text or "<a href='http" in text


def strings_in(value: Any) -> Iterator[str]:
    """Yield every text in parsed JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings_in(one)


def drawn_as_more(page: AppTest) -> list[tuple[str, str]]:
    """Return (where, text) of every piece of an attack that a browser would not draw letter by letter."""
    protos = (getattr(node, "proto", None) for node in nodes(page._tree))
    found = [pair for proto in protos if isinstance(proto, Message) for pair in texts_of(proto)]
    texts = [*(pair for pair in found if pair[0] not in LETTER_BY_LETTER), *table_texts(page)]
    texts = [(where, text) for where, text in texts if not where.endswith((".id", ".form_id", ".element_id"))]
    # Icons, emoji and bare addresses are looked for in text whose backslashes have been read.
    faults = [pair for pair in texts if any(one in pair[1] or one in unescaped(pair[1]) for one in READ_LATER)]
    faults += [pair for pair in texts if any(piece in pair[1] for piece in PIECES)]
    faults += [(where, text) for where, text in found if where == "Html.body" and tagged(text)]
    figures = (json.loads(text) for where, text in found if where == "PlotlyChart.spec")
    faults += [("PlotlyChart.spec", one) for figure in figures for one in strings_in(figure) if tagged(one)]
    seen = ("Html.body", "Code.code_text", "PlotlyChart.spec")
    faults += [pair for pair in found if pair[0] in seen and TURN in pair[1].replace("\\u202e", TURN)]
    return sorted({(where, text[:160]) for where, text in faults})
