"""What the phones of a class show: what is asked now, and after the reveal what is right. In no list of pages."""

import streamlit as st

from pages.shared.resources import sentences
from pages.shared.theme import current_theme, follow_scheme
from pages.teaching.phone import draw_phone
from viz.learning.votes import phone_rules


def main() -> None:
    """Draw the vote of the class that the address names, or the field for its code."""
    st.html(f"<style>{phone_rules(current_theme())}</style>")
    with st.container(key="vote-page"), sentences():
        draw_phone()
    follow_scheme()


main()
