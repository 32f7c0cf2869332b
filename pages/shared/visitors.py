"""Who looks at a page that is open to others, and the sign-in where its owner asks for one.

Without sign-in a person is a browser: the token that Streamlit gives it against forged requests is a secret that no
other browser has. With sign-in a person is what the provider calls them. Either way the name that is kept is a hash,
which says nothing of the token or the person.
"""

from hashlib import sha256

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine.core.allowed import NOBODY, is_restricted, restrict_visitors
from engine.core.hosting import Hosting, SignIn, hosting
from pages.shared import session
from pages.shared.theme import as_text


def watch_visitors() -> None:
    """Say, before anything is asked or read, who may reach the pages and how to tell who looks at one."""
    restrict_visitors(st.get_option("server.address"), visitor_name)


def visitor_name() -> str:
    """Return the person whose page this thread draws, or whose click it answers; NOBODY where there is none."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return NOBODY
    stated = hosting() or Hosting()
    return signed_in_name(stated.sign_in) if stated.sign_in else f"browser-{session.browser_person()}"


def signed_in_name(sign_in: SignIn) -> str:
    """Return a name for who has signed in and may come in, NOBODY for anybody else."""
    claims = st.user.to_dict()
    subject = str(claims.get("sub", ""))
    if not claims.get("is_logged_in") or not subject or not sign_in.admits(claims):
        return NOBODY
    return f"person-{sha256(repr((claims.get('iss'), subject)).encode()).hexdigest()[:24]}"


def let_in() -> None:
    """End the page with the way to sign in, unless whoever looks at it may come in."""
    stated = hosting()
    if stated is None or stated.sign_in is None:
        return
    if not st.user.is_logged_in:
        st.title("Retrieval Microscope")
        st.caption("Sign in to see your work.")
        st.button("Sign in", key="sign_in", type="primary", icon=":material/login:", on_click=st.login)
        st.stop()
    if visitor_name() == NOBODY:
        st.title("Retrieval Microscope")
        st.error("The owner has not admitted your address.", icon=":material/block:")
        st.button("Sign out", key="sign_out", icon=":material/logout:", on_click=st.logout)
        st.stop()


def draw_signed_in() -> None:
    """Draw who has signed in, with the way out; nothing where nobody signs in."""
    stated = hosting()
    if stated is None or stated.sign_in is None:
        return
    claims = st.user.to_dict()
    st.caption(as_text(f"Signed in: {claims.get('name') or claims.get('email') or 'yes'}"))
    st.button("Sign out", key="sign_out", type="tertiary", icon=":material/logout:", on_click=st.logout)


def closed_to_visitors(what: str) -> None:
    """End the page with a sentence that begins with ``what``, where others than the owner may reach it."""
    if is_restricted():
        st.info(f"In a shared workbench {what} belongs to the owner.", icon=":material/lock:")
        st.stop()
