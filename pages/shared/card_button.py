"""The button that saves an SVG as PNG: the browser draws it."""

from pages.shared.browser_part import browser_part


def draw_png_button(svg: str, name: str, label: str) -> None:
    """Draw the button that saves an SVG of its own size as a PNG of twice that, ``name``.png."""
    mount = browser_part("card", "shared/card/card.js", "shared/card/card.css")
    mount(key=f"png.{name}", data={"svg": svg, "name": f"{name}.png", "label": label}, width="content")
