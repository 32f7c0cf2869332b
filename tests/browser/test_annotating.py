"""A sitting at the labels in a real browser: no key lost, none on the wrong item, whatever is killed in between."""

import json
import re
import signal
import sqlite3
import time
from contextlib import closing
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from engine.annotations.database import VERSION_TABLE
from engine.annotations.exchange import export_text, import_text
from engine.annotations.store import AnnotationStore
from tests.browser.conftest import Server, by_key, close_tab, faded, new_tab, settled
from tests.pages.annotation_fixtures import HOSTILE, lookup_item, project_with, said

pytestmark = pytest.mark.browser

THREE_A_SECOND = 1 / 3
KEYS = {"right": "r", "wrong": "w"}
RESTART_MS = 60_000


@pytest.fixture
def bench(server: Server) -> Server:
    """Return the workbench without any label or project, running even where the test before left it dead or hung."""
    if server.process.poll() is None:
        server.process.send_signal(signal.SIGCONT)
    else:
        server.start_again()
    labels_in(server).close()
    with closing(sqlite3.connect(server.home / "annotations.sqlite", timeout=30)) as database, database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            if table != VERSION_TABLE and not table.startswith("sqlite_"):
                database.execute(f'DELETE FROM "{table}"')
    return server


def labels_in(server: Server) -> AnnotationStore:
    """Return the workbench's store of labels, opened from outside."""
    return AnnotationStore(f"sqlite:///{server.home / 'annotations.sqlite'}")


def sit_down(page: Page, server: Server, person: str, **address: str) -> None:
    """Open the sitting of one person and wait for its first item."""
    link = "".join(f"&{name}={value}" for name, value in address.items())
    page.goto(f"{server.url}/annotate?project=towers&as={person}{link}")
    item_comes(page)


def item_comes(page: Page) -> None:
    """Wait until an item is on the screen and takes keys."""
    expect(page.locator(".bar strong")).to_be_visible(timeout=RESTART_MS)
    painted(page)


def painted(page: Page) -> None:
    """Wait until what is drawn is on the screen: a key pressed before is refused, and that is said."""
    page.evaluate("() => new Promise(requestAnimationFrame)")


def shown_number(page: Page) -> int:
    """Return the number of the item on the screen, 0 where there is none."""
    return int(
        page.evaluate(
            """() => {
              const hosts = [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')];
              const bold = hosts.map((host) => host.shadowRoot.querySelector('.bar strong')).find(Boolean);
              return bold ? Number(bold.textContent.replace('Item ', '')) : 0;
            }"""
        )
    )


def saved(page: Page, timeout: float = 30_000) -> None:
    """Wait until the store has acknowledged every key."""
    expect(page.locator(".chip.saved").first).to_be_visible(timeout=timeout)


def label_in_time(page: Page, count: int, seconds: float = THREE_A_SECOND) -> dict[int, str]:
    """Press so many keys, one every ``seconds``; return what was pressed on which item, by its number on the screen.

    Where no item is on the screen, for the server lags behind, nobody presses a key either.
    """
    pressed: dict[int, str] = {}
    due = time.monotonic()
    for _ in range(count):
        while not (number := shown_number(page)):
            assert time.monotonic() < due + 20, f"no item comes after {len(pressed)} labels"
            time.sleep(0.02)
        value = "right" if number % 3 else "wrong"
        painted(page)
        page.keyboard.press(KEYS[value])
        pressed[number] = value
        due += seconds
        time.sleep(max(0.0, due - time.monotonic()))
    return pressed


def answers_kept(server: Server, person: str) -> dict[int, str]:
    """Return what the store holds of one person's submitted answers, by the item's number."""
    store = labels_in(server)
    numbers = {item.id: item.number for item in store.items("towers")}
    kept = {
        numbers[label.item]: str(label.value("correct"))
        for label in store.labels("towers", person)
        if label.state == "submitted"
    }
    store.close()
    return kept


def presses_kept(server: Server, person: str) -> int:
    """Return how many actions the store's history holds of one person."""
    store = labels_in(server)
    events = store.history("towers", person, limit=10_000)
    store.close()
    assert len({event.action for event in events}) == len(events)
    return len(events)


def test_thirty_labels_at_three_a_second_are_all_kept_each_on_its_item(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=30)
    page = new_tab(browser)
    sit_down(page, bench, "Ada")
    pressed = label_in_time(page, 30)
    saved(page)
    expect(page.locator(".bar strong")).to_have_count(0)

    assert len(pressed) == 30
    assert answers_kept(bench, "Ada") == pressed
    assert presses_kept(bench, "Ada") == 30
    close_tab(page)


def test_the_question_mark_and_its_button_open_the_keys_and_escape_closes_them(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=2)
    page = new_tab(browser)
    sit_down(page, bench, "Ada")
    keys = page.locator(".help")
    expect(keys).to_be_hidden()
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    page.get_by_role("button", name="Keys").click()
    expect(keys).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    assert presses_kept(bench, "Ada") == 0
    close_tab(page)


def test_the_next_item_shows_its_question_and_no_sentence_about_the_last_one(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), lookups=3)
    page = new_tab(browser, height=420)
    sit_down(page, bench, "Ada")
    page.keyboard.press("k")
    expect(page.locator(".said")).to_have_text("This is the first item of the list.")
    page.keyboard.press("a")  # the note stands far below
    page.keyboard.type("unsure")
    page.keyboard.press("Escape")
    expect(page.locator(".ask")).not_to_be_in_viewport()
    page.keyboard.press("j")
    expect(page.locator(".bar strong")).to_have_text("Item 2")
    expect(page.locator(".said")).to_have_text("")
    expect(page.locator(".ask")).to_be_in_viewport()
    saved(page)
    assert [label.note for label in labels_in(bench).labels("towers", "Ada")] == ["unsure"]
    close_tab(page)


def test_lookups_take_several_keys_each_and_the_marked_token(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), lookups=6)
    page = new_tab(browser)
    sit_down(page, bench, "Ada")
    for number in range(1, 7):
        expect(page.locator(".bar strong")).to_have_text(f"Item {number}")
        painted(page)
        for key in ("d", "ArrowLeft", "Space", "u", "n"):
            page.keyboard.press(key)
            time.sleep(THREE_A_SECOND / 2)
    saved(page)

    said = (("timing", "delayed"), ("first_wrong", 4), ("without", "useful"), ("gain", "redundant"))
    kept = labels_in(bench).labels("towers", "Ada")
    assert [(label.values, label.state) for label in kept] == [(said, "submitted")] * 6
    close_tab(page)


def test_two_people_at_once_label_the_same_items_and_neither_loses_one(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=15, overlap=2)
    pages = {}
    for person in ("Ada", "Grace"):
        pages[person] = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        sit_down(pages[person], bench, person)
    pressed: dict[str, dict[int, str]] = {"Ada": {}, "Grace": {}}
    for _ in range(15):
        for person, page in pages.items():
            pressed[person] |= label_in_time(page, 1, THREE_A_SECOND / 2)
    for person, page in pages.items():
        saved(page)
        assert len(pressed[person]) == 15
        assert answers_kept(bench, person) == pressed[person]
        page.context.close()


def test_with_one_person_an_item_two_people_are_given_different_ones(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=60, overlap=1)
    kept = {}
    for person in ("Ada", "Grace"):
        page = new_tab(browser)
        sit_down(page, bench, person)
        label_in_time(page, 5)
        saved(page)
        kept[person] = set(answers_kept(bench, person))
        close_tab(page)
    assert len(kept["Ada"]) == len(kept["Grace"]) == 5
    assert not kept["Ada"] & kept["Grace"]


def test_a_server_killed_in_the_middle_loses_nothing_that_was_pressed(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=40)
    page = new_tab(browser)
    sit_down(page, bench, "Ada")
    pressed = label_in_time(page, 10)
    bench.kill()
    pressed |= label_in_time(page, 3)
    assert len(pressed) == 13
    bench.start_again()
    saved(page, RESTART_MS)
    assert answers_kept(bench, "Ada") == pressed
    pressed |= label_in_time(page, 10)
    saved(page)
    assert len(pressed) == 23
    assert answers_kept(bench, "Ada") == pressed
    assert presses_kept(bench, "Ada") == 23
    close_tab(page)


def test_what_was_pressed_while_the_server_hung_survives_a_reload(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=20)
    page = new_tab(browser)
    sit_down(page, bench, "Ada")
    bench.process.send_signal(signal.SIGSTOP)
    pressed = label_in_time(page, 5)
    expect(page.locator(".chip.waiting")).to_have_attribute("data-waiting", "5")
    page.evaluate("setTimeout(() => location.reload())")
    time.sleep(1)
    assert answers_kept(bench, "Ada") == {}
    bench.process.send_signal(signal.SIGCONT)
    expect(page.locator(".bar strong")).to_be_visible(timeout=RESTART_MS)
    saved(page)

    assert answers_kept(bench, "Ada") == pressed
    assert presses_kept(bench, "Ada") == 5
    close_tab(page)


def test_a_second_tab_never_overwrites_the_first_and_shows_both_versions(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=5)
    first, second = new_tab(browser), new_tab(browser)
    sit_down(first, bench, "Ada")
    sit_down(second, bench, "Ada")
    first.keyboard.press("r")
    saved(first)
    assert shown_number(second) == 1
    second.keyboard.press("w")
    conflict = second.locator(".conflict")
    expect(conflict).to_be_visible(timeout=15_000)
    expect(conflict).to_contain_text("right")
    assert answers_kept(bench, "Ada") == {1: "right"}

    painted(second)
    second.keyboard.press("]")
    expect(conflict).to_be_hidden()
    saved(second)
    assert answers_kept(bench, "Ada") == {1: "wrong"}
    close_tab(first)
    close_tab(second)


def test_a_key_pressed_before_its_item_was_on_the_screen_is_refused_aloud(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=3)
    page = new_tab(browser)
    sit_down(page, bench, "Ada")
    page.evaluate("""() => {
      const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'r', bubbles: true}));
      press();
      press();
    }""")
    expect(page.get_by_text(re.compile(r"\br\b.*not used"))).to_be_visible()
    saved(page)
    assert answers_kept(bench, "Ada") == {1: "right"}
    close_tab(page)


def test_undo_goes_back_to_the_item_also_after_a_reload(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=6)
    page = new_tab(browser)
    sit_down(page, bench, "Ada")
    label_in_time(page, 3)
    painted(page)
    page.keyboard.press("z")
    assert shown_number(page) == 3
    saved(page)
    assert set(answers_kept(bench, "Ada")) == {1, 2}

    sit_down(page, bench, "Ada")
    page.keyboard.press("z")
    assert shown_number(page) == 2
    for _ in range(2):
        painted(page)
        page.keyboard.press("y")
    assert shown_number(page) == 3
    saved(page)
    assert answers_kept(bench, "Ada") == {1: "right", 2: "right", 3: "wrong"}
    close_tab(page)


def test_undo_says_that_an_imported_label_stays(bench: Server, browser: Browser) -> None:
    store = labels_in(bench)
    project_with(store, answers=2)
    first = store.items("towers")[0].id
    store.apply("towers", "Ada", [said(first, 1, correct="right")])
    copy = import_text(store, export_text(store, "towers", "jsonl"), "jsonl").project
    page = new_tab(browser)
    page.goto(f"{bench.url}/annotate?project={copy}&as=Ada&list=All")
    item_comes(page)
    page.keyboard.press("z")
    expect(page.get_by_text("There is nothing to undo.")).to_be_visible()
    page.keyboard.press("k")
    # The item may still be on its way, and a key on one that is not there does nothing.
    expect(page.get_by_role("button", name="✓ right")).to_be_visible()
    painted(page)
    page.keyboard.press("z")
    expect(page.get_by_text("No key press is left to undo. This label stays; ⌫ clears it.")).to_be_visible()
    page.keyboard.press("Backspace")
    saved(page)
    page.keyboard.press("z")
    expect(page.get_by_text("Undone.")).to_be_visible()
    saved(page)
    assert [label.state for label in store.labels(copy, "Ada")] == ["submitted"]
    store.close()
    close_tab(page)


def test_no_key_is_taken_while_a_note_is_written_and_the_note_is_kept(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=4)
    page = new_tab(browser)
    sit_down(page, bench, "Ada")
    page.keyboard.press("a")
    page.keyboard.type("rw? x z", delay=20)
    expect(page.locator(".chip.resting")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    saved(page)

    (label,) = labels_in(bench).labels("towers", "Ada")
    assert (label.note, label.state, label.value("correct")) == ("rw? x z", "submitted", "right")
    close_tab(page)


def test_a_key_of_ones_own_is_kept_and_an_item_is_opened_by_its_link(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=4)
    page = new_tab(browser, height=1400)
    sit_down(page, bench, "Ada")
    page.keyboard.press("?")
    page.get_by_role("button", name="Change the key of: right", exact=True).click()
    page.keyboard.press("w")
    page.keyboard.press("q")
    saved(page)
    assert json.loads(labels_in(bench).preference("Ada", "keys")) == {"correctness.correct.right": "q"}

    sit_down(page, bench, "Ada", item="towers-correctness-3")
    assert shown_number(page) == 3
    page.keyboard.press("r")
    page.keyboard.press("q")
    saved(page)
    assert answers_kept(bench, "Ada") == {3: "right"}
    close_tab(page)


def test_a_name_is_typed_once_and_a_reload_keeps_it(bench: Server, browser: Browser) -> None:
    project_with(labels_in(bench), answers=2)
    page = new_tab(browser)
    page.goto(bench.url)
    settled(page)
    page.get_by_test_id("stSidebarNav").get_by_text("Annotate").click()
    name = by_key(page, "annotate.person.", "input")
    name.fill("Ada Lovelace")
    name.press("Enter")
    expect(page.locator(".bar strong")).to_be_visible(timeout=RESTART_MS)
    page.reload()
    item_comes(page)
    page.keyboard.press("r")
    saved(page)
    assert answers_kept(bench, "Ada Lovelace") == {1: "right"}
    close_tab(page)


def test_hostile_text_is_drawn_as_text(bench: Server, browser: Browser) -> None:
    made = project_with(labels_in(bench), lookups=1)
    labels_in(bench).add_items(made.id, [lookup_item(made.id, 9, f"{HOSTILE} " * 4 + "a b c d e f")])
    page = new_tab(browser)
    sit_down(page, bench, "Ada", item="towers-retrieval-9")
    assert shown_number(page) == 2
    assert page.evaluate("window.hacked") is None
    expect(page.locator(".tokens")).to_contain_text("onerror")
    close_tab(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_sitting_passes_wcag_aa_by_axe(bench: Server, browser: Browser, scheme: str) -> None:
    project_with(labels_in(bench), lookups=2)
    page = new_tab(browser, height=1800, scheme=scheme)
    sit_down(page, bench, "Ada")
    for key in ("d", "ArrowLeft", "Space", "u", "?"):
        page.keyboard.press(key)
    saved(page)
    faded(page)
    result = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]})
    ours = [
        (violation["id"], node["html"][:160])
        for violation in result.response["violations"]
        for node in violation["nodes"]
        if any(isinstance(part, list) for part in node["target"])
    ]
    close_tab(page)
    assert ours == []


def test_after_an_item_was_settled_the_next_one_is_read_from_its_top(bench: Server, browser: Browser) -> None:
    store = labels_in(bench)
    made = project_with(store, lookups=2)
    for person, timing in (("Ada", {"timing": "timely"}), ("Grace", {"timing": "delayed", "first_wrong": 4})):
        for number in (1, 2):
            action = said(f"towers-retrieval-{number}", number, **timing, without="useful", gain="useful")
            (receipt,) = store.apply(made.id, person, [replace(action, id=f"{person}-{number}")])
            assert receipt.status == "kept", receipt.sentence
    store.close()
    page = new_tab(browser, height=600)
    page.goto(f"{bench.url}/annotate?project=towers&as=Vera&view=adjudicate")
    settle = page.get_by_role("button", name="Settle it")
    expect(settle).to_be_visible(timeout=RESTART_MS)
    settled(page)
    page.get_by_role("radiogroup").filter(has_text="Timely").get_by_text("Timely").click()
    settled(page)
    settle.click()
    expect(page.get_by_role("heading", name="Item 2")).to_be_in_viewport(timeout=30_000)
    expect(page.get_by_text("Item 1 is resolved.")).to_be_in_viewport()
    close_tab(page)
