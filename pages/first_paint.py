"""The page's own style in the first bytes that a browser gets: nothing jumps when Streamlit's parts come one by one.

Streamlit sends a page's style as one of its elements, drawn after its script has come, and its sidebar after the page.
So the workbench serves Streamlit's files from a folder of links to them, whose ``index.html`` holds that style, for
light and for dark browsers. It also fetches the scripts of the form's parts while the server still draws the form:
Streamlit would fetch one after the other, each when it is first drawn. What draws figures (5 MB) and colours code
(1.5 MB) comes and runs while a person reads the first page: the first page with one would wait for that. Streamlit 1.67
takes that folder from ``file_util.get_static_dir`` and follows links.

A rule that asks with ``:has()`` what stands below the whole page, or for a bare tag, makes a browser restyle the page
at every change. A figure measures each of its labels: on a page with several figures that took 17 ms a label.
"""

import atexit
import json
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from streamlit import file_util

from engine.learning.content import render_plain
from viz.parts.html import style_sheet
from viz.parts.theme import THEMES

OWN = Path(__file__).with_name("first_paint.css")
# Streamlit's own scripts behind the parts of the form, by the beginnings of their names, in the order they are drawn.
FIRST_SCRIPTS = (
    *("BidiComponent", "Html", "Button", "TextArea", "FileUploader", "ButtonGroup", "Slider", "Selectbox", "Checkbox"),
    *("NumberInput", "PageLink"),
)
IMPORT = re.compile(r"""(?:from|import)\s*["']\./([\w.-]+\.js)["']""")
# Streamlit's own scripts behind parts of other pages, by the beginnings of their names, the largest first: fetched so
# long after the page has loaded, run once nobody has used the page for so long. Tables are plain HTML, but for one.
LATER_SCRIPTS = (
    *("PlotlyChart", "StreamlitSyntaxHighlighter", "Table", "TextInput", "Multiselect", "Radio", "DownloadButton"),
    *("Progress", "rehype-katex"),
)
LATER_FONTS = ("SourceCodeVF-Upright", "SourceSansVF-Italic")
LATER_MS, QUIET_MS = 1500, 2000
LATER = Path(__file__).with_name("later_scripts.js")
NO_FIGURES = "vote"  # the page that phones open; its own name for it is in ``links``, which takes a second to import
CONTRAST = Path(__file__).parent / "shared" / "contrast.css.j2"


def first_style() -> str:
    """Return what holds before the first script has run: where the parts stand, and all rules of a page by scheme."""
    contrast = CONTRAST.read_text(encoding="utf-8")
    schemes = (
        f"@media (prefers-color-scheme:{mode}) {{{style_sheet(theme)}{render_plain(contrast, theme=theme)}}}"
        for mode, theme in THEMES.items()
    )
    return "\n".join((OWN.read_text(encoding="utf-8"), *schemes))


def with_style(page: str, style: str) -> str:
    """Return an HTML page with a style at its end, where it outdoes what Streamlit adds to the head later.

    >>> with_style("<body></body>", "p {margin:0;}")
    '<body><style>p {margin:0;}</style></body>'
    """
    return page.replace("</body>", f"<style>{style}</style></body>", 1)


def with_scripts_now(page: str, scripts: Sequence[str]) -> str:
    """Return an HTML page that fetches these scripts of its own server at once.

    >>> with_scripts_now("<head></head>", ["./a.js"])
    '<head><link rel="modulepreload" crossorigin href="./a.js"></head>'
    """
    links = "".join(f'<link rel="modulepreload" crossorigin href="{one}">' for one in scripts)
    return page.replace("</head>", f"{links}</head>", 1)


def with_scripts_later(page: str, scripts: Sequence[str], fonts: Sequence[str] = ()) -> str:
    """Return an HTML page that fetches these files of its own server later, and runs scripts when nobody uses it.

    >>> with_scripts_later("<body></body>", ["./a.js"]).count("./a.js")
    1
    """
    given = json.dumps([list(scripts), list(fonts), NO_FIGURES, LATER_MS, QUIET_MS])
    return page.replace("</body>", f"<script>({LATER.read_text(encoding='utf-8')})(...{given})</script></body>", 1)


def scripts_named(source: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Return the files of Streamlit's scripts of these names, () where it names them otherwise."""
    return tuple(file.name for name in names for file in sorted((source / "static" / "js").glob(f"{name}.*.js")))


def fonts_named(source: Path, names: Sequence[str]) -> tuple[str, ...]:
    """Return where a browser finds Streamlit's fonts of these names, () where it names them otherwise."""
    found = (file.name for name in names for file in sorted((source / "static" / "media").glob(f"{name}.*.woff2")))
    return tuple(f"./static/media/{one}" for one in found)


def with_imported(source: Path, scripts: Sequence[str]) -> tuple[str, ...]:
    """Return these script files and all that they import, each once: a browser would learn of those one by one."""
    found: dict[str, None] = dict.fromkeys(scripts)
    left = list(scripts)
    while left:
        file = source / "static" / "js" / left.pop(0)
        named = IMPORT.findall(file.read_text(encoding="utf-8")) if file.is_file() else []
        left += [one for one in dict.fromkeys(named) if one not in found]
        found |= dict.fromkeys(named)
    return tuple(found)


def addresses(scripts: Sequence[str]) -> tuple[str, ...]:
    """Return where a browser finds these script files."""
    return tuple(f"./static/js/{one}" for one in scripts)


def linked_files(source: Path, folder: Path) -> Path:
    """Return the folder after filling it with links to Streamlit's files, beside a first page of its own.

    Raises OSError where this machine lets nobody make links.
    """
    for one in source.iterdir():
        if one.name != "index.html":
            (folder / one.name).symlink_to(one, target_is_directory=one.is_dir())
    page = (source / "index.html").read_text(encoding="utf-8")
    page = with_scripts_now(page, addresses(with_imported(source, scripts_named(source, FIRST_SCRIPTS))))
    later = addresses(scripts_named(source, LATER_SCRIPTS))
    page = with_scripts_later(with_style(page, first_style()), later, fonts_named(source, LATER_FONTS))
    (folder / "index.html").write_text(page, encoding="utf-8")
    return folder


def serve_first_style() -> None:
    """Let Streamlit serve the first page with its style; where links cannot be made, without it, as it always did."""
    folder = Path(tempfile.mkdtemp(prefix="microscope-page-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        served = str(linked_files(Path(file_util.get_static_dir()), folder))
    except OSError:
        return
    file_util.get_static_dir = lambda: served
