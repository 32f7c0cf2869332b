"""An address as a QR code: dark on white in light and dark mode alike, with the quiet zone that cameras need."""

from base64 import b64encode

from viz.parts.html import render

QUIET_ZONE = 4  # modules of white around it, as ISO/IEC 18004 asks for


def qr_code(text: str) -> str:
    """Return the QR code of a text as an SVG picture.

    Level M: it is read even where about 15 % of it cannot be seen.
    """
    import segno  # a tenth of a second, for which the Ask form need not wait

    rows = [bytes(row) for row in segno.make(text, error="m", micro=False).matrix]
    return str(render("qr_code.svg.j2", side=len(rows) + 2 * QUIET_ZONE, path=modules_path(rows)))


def picture_source(svg: str) -> str:
    """Return what an ``img`` shows a picture from without another request; Streamlit takes SVG elements out of HTML.

    >>> picture_source("<svg/>")
    'data:image/svg+xml;base64,PHN2Zy8+'
    """
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def modules_path(rows: list[bytes]) -> str:
    """Return the dark modules as an SVG path: per row a box for each run of them.

    >>> modules_path([bytes([1, 1, 0, 1])])
    'M4 4h2v1h-2zM7 4h1v1h-1z'
    """
    parts = []
    for y, row in enumerate(rows, QUIET_ZONE):
        start = None
        for x, dark in enumerate((*row, 0)):
            if dark and start is None:
                start = x
            elif not dark and start is not None:
                parts.append(f"M{start + QUIET_ZONE} {y}h{x - start}v1h-{x - start}z")
                start = None
    return "".join(parts)
