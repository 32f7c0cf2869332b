"""What a click in a figure said. No page of its own."""

from collections.abc import Mapping

from pages.shared import session


def clicked_numbers(key: str) -> tuple[int, ...]:
    """Return the numbers that the clicked points of a figure carry as ``customdata``; () where nothing is selected.

    A browser may send anything: what is not a whole number is left out.
    """
    held = session.widget_state(key)
    selection = held.get("selection") if isinstance(held, Mapping) else None
    points = selection.get("points") if isinstance(selection, Mapping) else None
    found: list[int] = []
    for point in points or ():
        carried = point.get("customdata") if isinstance(point, Mapping) else None
        values = carried.values() if isinstance(carried, Mapping) else carried or ()
        found += [int(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    return tuple(found)
