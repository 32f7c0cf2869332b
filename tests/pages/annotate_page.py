"""What tests of the Annotate page share: the page at an address, its words, and people who label."""

import json
from dataclasses import replace

from streamlit.testing.v1 import AppTest

from engine.annotations.records import Project
from engine.annotations.store import AnnotationStore
from tests.pages.annotation_fixtures import said
from tests.pages.page_fixtures import (
    PROJECT,
    SECONDS,
    words_on,
)

PAGE = "pages/workspace/annotate.py"


def shown(**address: str) -> AppTest:
    """Return the page opened with this address; ``person`` is the annotator."""
    page = AppTest.from_file(str(PROJECT / PAGE), default_timeout=SECONDS)
    for name, value in address.items():
        page.query_params["as" if name == "person" else name] = value
    page.run()
    assert not page.exception, page.exception[0].message
    return page


def text_of(page: AppTest) -> str:
    """Return every word on the page, without Markdown's escapes."""
    return words_on(page).replace("\\", "")


def labelled(store: AnnotationStore, project: Project, **timing: str) -> None:
    """Have people label the first lookups: Ada and Grace differ on the first one's timing and agree on the second's."""
    for person, value in timing.items():
        for number in (1, 2):
            late = value if number == 1 else "timely"
            more = {"first_wrong": 4} if late == "delayed" else {}
            name = f"{project.id}-retrieval-{number}"
            action = said(name, number, note=f"{person} says so", timing=late, without="useful", gain="useful", **more)
            (receipt,) = store.apply(project.id, person, [replace(action, id=f"{action.id}-{person}")])
            assert receipt.status == "kept", receipt.sentence


def sitting_data(page: AppTest) -> dict[str, object]:
    """Return what the browser is sent."""
    (component,) = page.get("bidi_component")
    return dict(json.loads(component.proto.json))
