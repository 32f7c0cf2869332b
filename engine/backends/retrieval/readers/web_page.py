"""Web pages: the readable text of an HTML file, by lxml and inscriptis.

Scripts, styles, navigation, footers and forms are left out; where the page marks its main part, only that is read.
Nothing is fetched: pictures, frames and links of the page are not followed.
"""

import logging
import re

from engine.backends.retrieval.readers.base import FileContent, clean_text, decoded, one_document
from engine.core.errors import CorpusError

LEFT_OUT = ("script", "style", "noscript", "template", "nav", "footer", "form", "svg", "iframe", "object", "head")
DECLARED = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{1,40})""", re.IGNORECASE)
XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
SPACES_AT_END = re.compile(r"[ \t\xa0]+$", re.MULTILINE)


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
        main = page.xpath("//main")
        text = Inscriptis(main[0] if len(main) == 1 else page).get_text()
    except (LxmlError, ValueError, AssertionError, AttributeError, RecursionError) as exc:
        raise CorpusError(f"{name} is no HTML that can be read.") from exc
    text = BLANK_LINES.sub("\n\n", SPACES_AT_END.sub("", clean_text(text)))
    return title, text.strip("\n")
