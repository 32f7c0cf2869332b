"""The page list and the frame around every page; no logic. Start it with ``streamlit run app.py``."""

import streamlit as st

import engine  # noqa: F401  (says how threads wait, which counts only before torch is imported)
from pages.shared.frame import draw_frame
from pages.shared.links import METHOD_ICONS, METHOD_TITLES, PAGES, VOTE, VOTE_PAGE, open_first_page
from pages.shared.readiness import comes_first, get_ready_behind, wait_for_libraries
from pages.shared.resources import sentences
from pages.shared.sign_in import page_list_place
from pages.shared.theme import ICON
from pages.shared.unsent import keep_unsent

SIDEBAR = 250  # pixels: as wide as the longest page title needs

st.set_page_config(page_title="Retrieval Microscope", page_icon=ICON, layout="wide", initial_sidebar_state=SIDEBAR)

page = st.navigation(
    position=page_list_place(),
    expanded=True,
    pages={
        "Workspace": [
            # The first page is served at the root. Who types its name finds it too: the name is the second page's.
            st.Page(PAGES["ask"], title="Ask", icon=":material/search:", url_path="first", default=True),
            st.Page(open_first_page, title="Ask", url_path="ask", visibility="hidden"),
            st.Page(PAGES["documents"], title="Documents", icon=":material/folder_open:"),
            st.Page(PAGES["models"], title="Models", icon=":material/memory:"),
            st.Page(PAGES["runs"], title="Runs", icon=":material/history:"),
            st.Page(PAGES["studies"], title="Studies", icon=":material/dataset:"),
            st.Page(PAGES["compare"], title="Compare", icon=":material/compare_arrows:"),
            st.Page(PAGES["what_if"], title="What if", icon=":material/science:"),
            st.Page(PAGES["trace"], title="Trace", icon=":material/input:"),
            st.Page(PAGES["annotate"], title="Annotate", icon=":material/edit_note:"),
            st.Page(PAGES["guide"], title="Guide", icon=":material/menu_book:"),
        ],
        "Learn": [
            st.Page(PAGES["lessons"], title="Lessons", icon=":material/school:"),
            st.Page(PAGES["atlas"], title="Failure atlas", icon=":material/bug_report:"),
            st.Page(PAGES["measured"], title="Measured", icon=":material/monitoring:"),
            st.Page(VOTE_PAGE, title="Vote", url_path=VOTE, visibility="hidden"),
        ],
        "Methods": [
            st.Page(PAGES[method], title=title, icon=METHOD_ICONS[method]) for method, title in METHOD_TITLES.items()
        ],
        "Look closer": [
            st.Page(PAGES["numbers"], title="Numbers", icon=":material/calculate:"),
            st.Page(PAGES["prompts"], title="Prompts", icon=":material/terminal:"),
            st.Page(PAGES["thresholds"], title="Threshold lab", icon=":material/tune:"),
        ],
    },
)
with comes_first():
    draw_frame(page.url_path)
    wait_for_libraries(page.url_path)
    try:
        with sentences():
            page.run()
    finally:
        keep_unsent()
        get_ready_behind()
