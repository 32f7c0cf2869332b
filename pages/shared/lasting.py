"""Choices on a page that are still there when it is drawn again: Streamlit forgets what a widget out of sight held."""

from collections.abc import Sequence

from pages.shared import session

LASTING = "microscope.lasting."


def lasting_key(key: str, first: object, choices: Sequence[object] | None = None) -> str:
    """Return the key of a widget whose value outlives its page; at first it is ``first``.

    A value that is no longer among the ``choices`` gives way to ``first``. Pass no value to the widget itself.
    """
    kept = f"{LASTING}{key}"
    now = session.widget_state(key)
    if now is not None:
        session.set_widget(kept, now)
    value = session.widget_state(kept)
    lost = value is None or (choices is not None and value not in choices)
    return session.widget_key(key, first if lost else value)
