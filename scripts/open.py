"""Open the workbench as ``streamlit run app.py`` does, with its page list known from the first address on.

Streamlit takes a folder ``pages/`` beside the script for its older kind of page list until the first script has run: on
a fresh server the first link to a page then shows a box "Page not found" over the right page. There is no setting for
it in Streamlit 1.67, only this flag, which ``st.navigation`` itself sets a moment later.
"""

import sys
from pathlib import Path

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web import cli


def main() -> None:
    """Run the workbench; options after the name are Streamlit's."""
    PagesManager.uses_pages_directory = False
    sys.argv = ["streamlit", "run", str(Path(__file__).resolve().parent.parent / "app.py"), *sys.argv[1:]]
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
