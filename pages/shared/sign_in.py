"""What stands before the pages where the owner asks for a sign-in: the way in, or why somebody is not let in.

Whoever is not let in sees this alone: no list of pages, no run, whatever address was asked for.
"""

from pathlib import Path
from typing import Literal

import streamlit as st

from engine.core.allowed import NOBODY
from engine.core.hosting import Refusal, SignIn, hosting
from pages.shared import session
from pages.shared.browser_part import browser_part
from pages.shared.links import VOTE
from pages.shared.theme import ICON, as_text, follow_scheme
from pages.shared.visitors import end_sign_in, note_let_in, signed_in_claims, signed_in_name
from viz.parts.qr_code import picture_source

OUTCOMES = {
    "silent": "The sign-in service does not answer. Try again in a minute.",
    "failed": "The sign-in was not finished. Try again.",
    "denied": "The sign-in service did not let you in. Try again, or use another account.",
    "refused": "The sign-in service refuses this workbench. Its owner can see why in the log.",
    "moved": "You came by another address. Sign in at this one.",
}
"""What went wrong on the way to the provider and back, by its word in the address (``pages.sign_in_routes``)."""

# A rule for all pages would need ":has()" at the top of the page: a browser then restyles it whole at every change.
ALONE = """<style>[data-testid="stSidebar"] {display:none;}
[data-testid="stAppViewContainer"] {padding-left:0 !important;}</style>"""


def asked_sign_in() -> SignIn | None:
    """Return the sign-in that the owner asks for, None where nobody signs in."""
    stated = hosting()
    return None if stated is None else stated.sign_in


def page_list_place() -> Literal["sidebar", "hidden"]:
    """Return where the list of pages stands: nowhere before somebody who is not let in, nor on a phone that votes."""
    if session.is_asked_for(VOTE):
        return "hidden"
    sign_in = asked_sign_in()
    return "hidden" if sign_in is not None and signed_in_name(sign_in) == NOBODY else "sidebar"


def let_in() -> None:
    """End the page with the way to sign in, unless whoever looks at it may come in."""
    sign_in = asked_sign_in()
    if sign_in is None:
        return
    if signed_in_name(sign_in) != NOBODY:
        note_let_in()
        session.set_address(session.SIGN_IN_PARAMETER, "")
        return
    claims = signed_in_claims()
    st.html(ALONE)
    with st.container(key="sign_in_page"):
        draw_icon()
        st.title("Retrieval Microscope", anchor=False)
        if claims and (refusal := sign_in.refusal(claims)):
            draw_refusal(refusal, str(claims.get("email") or ""))
        else:
            draw_way_in()
    follow_scheme()
    focus_button()
    st.stop()


def draw_icon() -> None:
    """Draw the workbench's icon above its name, which says the same: readers of the screen pass it over."""
    icon = Path(ICON).read_text(encoding="utf-8")
    st.html(f'<img src="{picture_source(icon)}" alt="" width="48" height="48">')


def focus_button() -> None:
    """Let Enter press the page's one button."""
    mount = browser_part("sign_in", "shared/sign_in.js")
    mount(key="sign_in_focus", height=0)


def draw_way_in() -> None:
    """Draw the button that leads to the provider, and what went wrong there the last time."""
    st.caption("Sign in to see your work.")
    if outcome := OUTCOMES.get(session.address_parameter(session.SIGN_IN_PARAMETER)):
        st.warning(outcome, icon=":material/info:")
    st.button("Sign in", key="sign_in", type="primary", icon=":material/login:", width="stretch", on_click=st.login)


def draw_refusal(refusal: Refusal, address: str) -> None:
    """Draw why somebody who has signed in is not let in, and the way to another account."""
    why, advice = {
        "no address": ("Your account gives no e-mail address.", "Use another account."),
        "not confirmed": (
            f"The address {address} is not confirmed.",
            "Confirm it with your sign-in service, or use another account.",
        ),
        "not listed": (
            f"{address} is not on the list.",
            "Ask the owner of this workbench to add you, or use another account.",
        ),
    }[refusal]
    st.error(as_text(why), icon=":material/block:")
    st.caption(advice)
    st.button(
        "Use another account",
        key="sign_out",
        type="primary",
        icon=":material/switch_account:",
        width="stretch",
        on_click=end_sign_in,
    )


def draw_signed_in() -> None:
    """Draw who has signed in, with the way out; nothing where nobody signs in."""
    if asked_sign_in() is None:
        return
    claims = signed_in_claims()
    st.caption(as_text(f"Signed in: {claims.get('name') or claims.get('email') or 'yes'}"))
    st.button("Sign out", key="sign_out", type="tertiary", icon=":material/logout:", on_click=end_sign_in)
