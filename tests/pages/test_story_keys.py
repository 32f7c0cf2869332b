"""The keys of a run's page: the script presses only what the page draws."""

import re

from engine.runs.store import RunStore
from pages.shared.browser_part import browser_text
from tests.pages.asking import ASK
from tests.pages.page_fixtures import kept, opened, whole_diagnosis

SCRIPT = browser_text("workspace/story/story.js")


def test_every_button_that_a_key_presses_is_on_the_page_of_a_run(store: RunStore) -> None:
    page = opened(ASK, kept(store, whole_diagnosis(), "shown"))
    pressed = re.findall(r'\b([a-z]): "(\w+)"', re.search(r"BUTTONS = \{(.*?)\}", SCRIPT).group(1))  # type: ignore[union-attr]
    drawn = [button.key for button in page.button]
    assert [key for key, _ in pressed] == ["n", "w"]
    assert all(any(str(one).startswith(name) for one in drawn) for _, name in pressed)
