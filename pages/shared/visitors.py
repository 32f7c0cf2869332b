"""Who looks at a page that is open to others.

Without sign-in a person is a browser: the token that Streamlit gives it against forged requests is a secret that no
other browser has. With sign-in a person is what the provider calls them. Either way the name that is kept is a hash,
which says nothing of the token or the person.
"""

from collections.abc import Mapping
from hashlib import sha256

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from engine.core.allowed import NOBODY, is_restricted, restrict_visitors
from engine.core.hosting import Hosting, SignIn, hosting
from pages.shared import session

# Sign-ins that were ended while other tabs are open, oldest first. What is opened later has no cookie any more.
ENDED: dict[str, None] = {}
MOST_ENDED = 10_000
# Tabs whose person was let in, oldest first: only these may send files (``pages.upload_guard``).
LET_IN: dict[str, None] = {}
MOST_TABS = 10_000


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
    claims = signed_in_claims()
    if not claims or sign_in.refusal(claims):
        return NOBODY
    return f"person-{sha256(repr((claims.get('iss'), str(claims['sub']))).encode()).hexdigest()[:24]}"


def signed_in_claims() -> dict[str, object]:
    """Return what the provider says of who has signed in; nothing where nobody has, or has signed out since."""
    claims: dict[str, object] = {**st.user.to_dict()}
    named = claims.get("is_logged_in") and str(claims.get("sub", ""))
    return claims if named and sign_in_mark(claims) not in ENDED else {}


def sign_in_mark(claims: Mapping[str, object]) -> str:
    """Return what tells one sign-in from every other, the same person's too; it says nothing of the person."""
    return sha256(repr([claims.get(name) for name in ("iss", "sub", "iat", "nonce")]).encode()).hexdigest()


def end_sign_in() -> None:
    """End this sign-in in every tab; alone, Streamlit leaves other open tabs signed in."""
    context = get_script_run_ctx(suppress_warning=True)
    LET_IN.pop(context.session_id if context is not None else "", None)
    ENDED[sign_in_mark(st.user.to_dict())] = None
    while len(ENDED) > MOST_ENDED:
        del ENDED[next(iter(ENDED))]
    st.logout()


def note_let_in() -> None:
    """Note that the person of this tab has signed in and may come in."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        LET_IN.pop(context.session_id, None)
        LET_IN[context.session_id] = None
        while len(LET_IN) > MOST_TABS:
            del LET_IN[next(iter(LET_IN))]


def is_let_in(tab: str) -> bool:
    """Return whether the person of a tab has signed in and may come in."""
    return tab in LET_IN


def closed_to_visitors(what: str) -> None:
    """End the page with a sentence that says ``what`` is the owner's, where others than the owner may reach it."""
    if is_restricted():
        st.info(f"Only the owner of this shared workbench can {what}.", icon=":material/lock:")
        st.stop()
