"""Web pages: the readable text of an HTML file, by lxml and inscriptis.

Scripts, styles, navigation, footers and forms are left out; where the page marks its main part, only that is read.
Nothing is fetched: pictures, frames and links of the page are not followed. Lines are not indented, and the columns of
a table are lined up only where that takes few spaces: a page of 20 KB could else be read as 200 MB of them.
"""

import logging
import re
from copy import copy
from typing import Any

from engine.backends.retrieval.readers.base import FileContent, clean_text, decoded, one_document
from engine.core.errors import CorpusError

LEFT_OUT = ("script", "style", "noscript", "template", "nav", "footer", "form", "svg", "iframe", "object", "head")
DECLARED = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})""", re.IGNORECASE)
XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
# What a style may say to Inscriptis: all else is lengths, and an indent of 100,000 letters stands before every line.
PLAIN_STYLE = re.compile(r"(?:display|white-space)\s*:\s*[\w-]+")
PADDED_BY, PADDED_FREELY = 20, 20_000
BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


def read_web_page(name: str, content: bytes) -> FileContent:
    """Return an HTML file as one document, titled by its title or first heading; raises CorpusError without text."""
    declared = DECLARED.search(content[:4096])
    markup = decoded(name, content, declared.group(1).decode("ascii") if declared else "")
    title, text = page_text(name, XML_DECLARATION.sub("", markup))
    if not text:
        raise CorpusError(f"{name} holds no text outside of scripts and menus.")
    return one_document(name, title, text)


def page_text(name: str, markup: str) -> tuple[str, str]:
    """Return a page's title and its readable text; raises CorpusError where the markup cannot be parsed."""
    from inscriptis import Inscriptis  # slow to import, as is lxml
    from lxml import html
    from lxml.etree import LxmlError

    logging.getLogger("inscriptis").setLevel(logging.ERROR)
    try:
        page = html.document_fromstring(markup, parser=html.HTMLParser(no_network=True, huge_tree=False))
        title = " ".join(page.xpath("string((//title)[1])").split())
        title = title or " ".join(page.xpath("string((//h1)[1])").split())
        for element in page.xpath("|".join(f"//{tag}" for tag in LEFT_OUT)):
            element.drop_tree()
        for element in page.xpath("//*[count(@*) > 100]"):  # to list n of them, lxml takes n * n steps
            element.attrib.clear()
        for element in page.xpath("//*[@style]"):
            element.set("style", ";".join(PLAIN_STYLE.findall(element.get("style").lower())))
        main = page.xpath("//main")
        text = Inscriptis(main[0] if len(main) == 1 else page, layout()).get_text()
    except (LxmlError, ValueError, AssertionError, AttributeError, RecursionError) as exc:
        raise CorpusError(f"{name} is not HTML that can be read.") from exc
    lines = (line.rstrip(" \t\xa0") for line in clean_text(text).split("\n"))
    return title, BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n")


def layout() -> Any:
    """Return how Inscriptis writes a page: no line indented, tables as ``end_table`` says.

    One for each page: Inscriptis keeps where it writes in it, and two threads would write into one another's page.
    """
    from inscriptis.css_profiles import RELAXED_CSS_PROFILE
    from inscriptis.model.config import ParserConfig
    from inscriptis.model.tag import CustomHtmlTagHandlerMapping

    css = {tag: copy(element) for tag, element in RELAXED_CSS_PROFILE.items()}
    for element in css.values():
        element.padding_inline = 0
    tables = CustomHtmlTagHandlerMapping(start_tag_mapping={}, end_tag_mapping={"table": end_table})
    return ParserConfig(css=css, custom_html_tag_handler_mapping=tables)


def end_table(state: Any) -> None:
    """Write the table that Inscriptis has read, row by row without lining up where the spaces would swamp the text."""
    from inscriptis.model.tag.table_tag import table_end_handler

    table = state.current_table[-1]
    heights = [max((cell.normalize_blocks() for cell in row.columns), default=0) for row in table.rows]
    cells = [(column, line) for row in table.rows for column, cell in enumerate(row.columns) for line in cell.blocks]
    widths: dict[int, int] = {}
    for column, line in cells:
        widths[column] = max(widths.get(column, 0), len(line))
    letters = sum(len(line) - line.count(" ") for _, line in cells)
    if sum(heights) * (sum(widths.values()) + 2 * len(widths)) > PADDED_BY * letters + PADDED_FREELY:
        rows = [table.cell_separator.join(" ".join(cell.blocks) for cell in row.columns) for row in table.rows]
        state.tags[-2].write_verbatim_text("\n".join(rows) + "\n")
        table.rows = []
    table_end_handler(state)
