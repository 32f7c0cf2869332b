"""The page list and the frame around every page; no logic. Start it with ``streamlit run app.py``."""

import streamlit as st

from pages.shared.frame import ICON, draw_frame
from pages.shared.links import METHOD_ICONS, METHOD_TITLES, PAGES

st.set_page_config(page_title="Retrieval Microscope", page_icon=ICON, layout="wide")

page = st.navigation(
    {
        "Workspace": [
            st.Page(PAGES["ask"], title="Ask", icon=":material/search:", default=True),
            st.Page(PAGES["runs"], title="Runs", icon=":material/history:"),
            st.Page(PAGES["annotate"], title="Annotate", icon=":material/edit_note:"),
            st.Page(PAGES["guide"], title="Guide", icon=":material/menu_book:"),
        ],
        "Methods": [
            st.Page(PAGES[method], title=title, icon=METHOD_ICONS[method]) for method, title in METHOD_TITLES.items()
        ],
    }
)
draw_frame()
page.run()
