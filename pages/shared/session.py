"""The only reader and writer of ``st.session_state``: which run is shown, and what stands in the Ask form.

The run lives twice: in the page's address (``?run=ID``), which survives a reload and can be sent to somebody, and in
a key of our own, which survives a page change. The address wins. Widgets lose their state on a page change, so what
they hold is copied into a draft. What an address says is checked here before it is believed, what a widget returns in
``sent_values``.
"""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import cast, get_args
from urllib.parse import urlencode, urlsplit

import streamlit as st

from engine.core.allowed import acting_person
from engine.core.records import Passage
from engine.core.words import tidy_name
from engine.diagnosis.request import Retriever
from pages.shared.draft import Draft

RUN_PARAMETER = "run"
PRESENT_PARAMETER, LEARNER_PARAMETER, SIGN_IN_PARAMETER = "present", "learner", "sign_in"
CLASS_PARAMETER = "class"
LONGEST_NAME = 60
TOKEN_COOKIE = "_streamlit_xsrf"
PAIR_PARAMETERS = ("a", "b")
CHOSEN_PARAMETERS = ("chunk", "answer", "token", "meaning", "trigger", "claim")
RUN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
RETRIEVERS: tuple[Retriever, ...] = get_args(Retriever)

_PERSON, _PRESENT, _LEARNER = "microscope.person", "microscope.present", "microscope.learner"
_LED, _CODE_SHOWN = "microscope.led_class", "microscope.code_shown"
_CHOSEN, _SHOWN, _ENTERED = "microscope.chosen", "microscope.shown_run", "microscope.entered"
PICKED_ROWS, TABLE_PAGES = "microscope.picked_rows", "microscope.table_pages"
_RUN, _LAST, _NOTICE = "microscope.run", "microscope.last_run", "microscope.notice"
DRAFT, _GENERATION = "microscope.draft", "microscope.draft_generation"
_TOLD, TELLINGS = "microscope.told", 3
ROWS, NEXT_ROW, ROW_TEXTS = "microscope.passage_rows", "microscope.next_row", ("title", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRow:
    """One passage in the editor. ``row`` names its widgets and stays with it when it is moved."""

    row: int
    title: str
    text: str


def current_run() -> str | None:
    """Return the id of the run that is shown, from the address or else from this session; None where there is none.

    The address is written as well, so that every page can be reloaded and sent on.
    """
    asked = st.query_params.get(RUN_PARAMETER, "")
    if RUN_ID.fullmatch(asked):
        st.session_state[_RUN] = asked
        st.session_state[_LAST] = asked
        return asked
    kept: str | None = st.session_state.get(_RUN)
    if kept:
        st.query_params[RUN_PARAMETER] = kept
    elif asked:
        del st.query_params[RUN_PARAMETER]
    return kept


def enter_page(page: str) -> None:
    """Note which page begins to be drawn, before anything else reads the address.

    An address that named a run, and on the same page names none any more, was gone back from: then no run is shown. On
    another page the run is only carried along, and ``current_run`` writes it into the address. What is chosen in a run
    goes in the same way.
    """
    told = {name: st.query_params[name] for name in (RUN_PARAMETER, *CHOSEN_PARAMETERS) if name in st.query_params}
    before_page, before = cast("tuple[str, dict[str, str]]", st.session_state.get(_ENTERED, ("", {})))
    st.session_state[_ENTERED] = (page, told)
    if page != before_page:
        forget_tables()
    if page != before_page or RUN_PARAMETER not in before:
        return
    if RUN_PARAMETER not in told and before[RUN_PARAMETER] == st.session_state.get(_RUN):
        close_run()
    elif told == {RUN_PARAMETER: before[RUN_PARAMETER]} and st.session_state.get(_CHOSEN) == (
        before[RUN_PARAMETER],
        {name: text for name, text in before.items() if name != RUN_PARAMETER},
    ):
        drop_chosen()


def forget_tables() -> None:
    """Forget what was chosen in tables, and which of their pages was shown."""
    for name in (PICKED_ROWS, TABLE_PAGES):
        st.session_state.pop(name, None)


def open_run(run_id: str) -> None:
    """Make a run the one that every page shows, in this session and in the address; another's choices are dropped."""
    if st.session_state.get(_RUN) not in (None, run_id):
        drop_chosen()
    st.session_state[_RUN] = run_id
    st.session_state[_LAST] = run_id
    st.query_params[RUN_PARAMETER] = run_id


def close_run() -> None:
    """Show no run: the Ask page shows its form. The run stays stored, and ``last_run`` still names it."""
    drop_chosen()
    st.session_state.pop(_RUN, None)
    st.query_params.pop(RUN_PARAMETER, None)


def forget_run(run_id: str) -> None:
    """Stop showing a run that is no longer there."""
    if st.session_state.get(_LAST) == run_id:
        st.session_state.pop(_LAST, None)
    if st.session_state.get(_RUN) == run_id or st.query_params.get(RUN_PARAMETER) == run_id:
        close_run()


def person_name() -> str:
    """Return who asks, as far as fairness between people who wait is concerned: one name for all tabs of a browser.

    In a workbench that is open to others it is the person whose runs they are.
    """
    return acting_person() or browser_person()


def browser_person() -> str:
    """Return a name for this browser, the same in all of its tabs.

    A session of Streamlit's ends with every reload, so the name comes from the token that it gives a browser against
    forged requests; where there is none, it is made up for this session.
    """
    return browser_name(st.context.cookies.get(TOKEN_COOKIE, "")) or cast(
        str, st.session_state.setdefault(_PERSON, secrets.token_hex(8))
    )


def browser_name(cookie: str) -> str:
    """Return a name for the browser that sent the cookie, "" where it holds no token; it says nothing of the token.

    The token is sent as "2|mask|token under the mask|time", with another mask each time.

    >>> browser_name("2|29ae0783|f02605a1|1") == browser_name("2|da522c6d|03da2e4f|1"), browser_name("2|xy|zz|1")
    (True, '')
    """
    try:
        _, mask, masked, time = cookie.split("|")
        cover, hidden = bytes.fromhex(mask), bytes.fromhex(masked)
        token = bytes(byte ^ cover[place % len(cover)] for place, byte in enumerate(hidden))
    except (ValueError, ZeroDivisionError):
        return ""
    return sha256(token + time.encode()).hexdigest()[:16]


def is_presenting() -> bool:
    """Return whether pages are drawn for the last row: from the address (``?present=1``), or else as it was before.

    The address is written as well, so that it survives a reload.
    """
    asked = st.query_params.get(PRESENT_PARAMETER, "")
    if asked in ("0", "1"):
        st.session_state[_PRESENT] = asked == "1"
    on = bool(st.session_state.get(_PRESENT, False))
    set_address(PRESENT_PARAMETER, "1" if on else "")
    return on


def set_presenting(on: bool) -> None:
    """Draw pages for the last row from now on, or as usual again."""
    st.session_state[_PRESENT] = on
    set_address(PRESENT_PARAMETER, "1" if on else "")


def learner_name() -> str:
    """Return the name under which somebody learns, from the address or as it was before; "" where none was given."""
    name = tidy_name(st.query_params.get(LEARNER_PARAMETER, ""), LONGEST_NAME)
    if name:
        st.session_state[_LEARNER] = name
    kept = cast(str, st.session_state.get(_LEARNER, ""))
    set_address(LEARNER_PARAMETER, kept)
    return kept


def name_learner(name: str) -> None:
    """Learn under a name from now on; "" learns as this browser again."""
    st.session_state[_LEARNER] = tidy_name(name, LONGEST_NAME)
    set_address(LEARNER_PARAMETER, st.session_state[_LEARNER])


def learning_person() -> str:
    """Return whose place in the lessons is kept: the name given, whatever its case, or else this browser."""
    name, person = learner_name(), acting_person()
    if person is not None:  # a name in the address opens nobody else's place
        return f"{person}:{name.casefold()}"
    return f"name:{name.casefold()}" if name else person_name()


def led_class() -> str:
    """Return the code of the class whose phones follow this tab, from the address or as it was before; "" for none."""
    asked = st.query_params.get(CLASS_PARAMETER, "")
    if asked:
        st.session_state[_LED] = asked
    kept = cast(str, st.session_state.get(_LED, ""))
    set_address(CLASS_PARAMETER, kept)
    return kept


def lead_class(code: str) -> None:
    """Let a class's phones follow this tab from now on; "" lets them go."""
    st.session_state[_LED] = code
    set_address(CLASS_PARAMETER, code)


def shows_code() -> bool:
    """Return whether the way into the class stands in the slide's place."""
    return bool(st.session_state.get(_CODE_SHOWN, False))


def show_code(on: bool) -> None:
    """Put the way into the class in the slide's place, or the slide again."""
    st.session_state[_CODE_SHOWN] = on


def asked_origin() -> tuple[str, str, int | None]:
    """Return scheme, host and port of the address that the browser shows; "http", "" and None without a browser."""
    parts = urlsplit(st.context.url or "")
    try:
        return parts.scheme or "http", parts.hostname or "", parts.port
    except ValueError:
        return "http", "", None


def is_asked_for(page: str) -> bool:
    """Return whether the browser's address is that of a page, by its word: known before the page list is."""
    return urlsplit(st.context.url or "").path.rstrip("/").rpartition("/")[2] == page


def last_run() -> str | None:
    """Return the id of the run that was shown last in this session, None where there was none."""
    return cast("str | None", st.session_state.get(_LAST))


def run_link(run_id: str) -> dict[str, str]:
    """Return the address parameters that carry a run to another page, with what is chosen in it."""
    of, texts = cast("tuple[str, dict[str, str]]", st.session_state.get(_CHOSEN, ("", {})))
    return {RUN_PARAMETER: run_id, **(texts if of == run_id else {})}


def run_address(run_id: str) -> str:
    """Return the whole address of a run on this server, with what is chosen in it; without a browser only its end."""
    return whole_address(**run_link(run_id))


def whole_address(**parameters: str) -> str:
    """Return the whole address of the page that is shown, with these parameters; without a browser only its end."""
    place = (st.context.url or "").partition("?")[0]
    end = place.rstrip("/") if urlsplit(place).path.strip("/") else f"{place.rstrip('/')}/"
    return f"{end}?{urlencode(parameters)}"


def page_address(page: str, **parameters: str) -> str:
    """Return the whole address of the page of that word on this server; without a browser only its end."""
    parts = urlsplit((st.context.url or "").partition("?")[0])
    server = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
    folder = "/".join(filter(None, (server, st.get_option("server.baseUrlPath").strip("/"))))
    return f"{folder}/{page}?{urlencode(parameters)}"


def show_run(run_id: str) -> None:
    """Note which run a page draws: another than every page shows becomes that one once something is chosen in it."""
    st.session_state[_SHOWN] = run_id


def last_drawn_run() -> str | None:
    """Return the run that a page drew last, None where none was drawn in this session."""
    return cast("str | None", st.session_state.get(_SHOWN))


def chosen_texts() -> dict[str, str]:
    """Return what the address says is chosen in the run that is shown, else what this session kept for it.

    What was kept is written into the address, so that a choice stays on another page and can be sent on.
    """
    run = last_drawn_run() or current_run() or ""
    told = {kind: st.query_params[kind] for kind in CHOSEN_PARAMETERS if kind in st.query_params}
    if told:
        st.session_state[_CHOSEN] = (run, told)
        return told
    of, kept = cast("tuple[str, dict[str, str]]", st.session_state.get(_CHOSEN, ("", {})))
    if of != run:
        return {}
    st.query_params.update(kept)
    return kept


def keep_chosen(texts: Mapping[str, str]) -> None:
    """Make this what is chosen in the run that is shown, in this session and in the address."""
    run = last_drawn_run() or current_run()
    if run and texts and run != current_run():
        open_run(run)
    st.session_state[_CHOSEN] = (run or "", dict(texts))
    for kind in CHOSEN_PARAMETERS:
        set_address(kind, texts.get(kind, ""))


def drop_chosen() -> None:
    """Choose nothing any more, in this session and in the address."""
    st.session_state.pop(_CHOSEN, None)
    for kind in CHOSEN_PARAMETERS:
        st.query_params.pop(kind, None)


def compared_runs() -> tuple[str, str]:
    """Return the ids of the two runs to compare that the address names, "" for one that it does not or that is none."""
    first, second = (st.query_params.get(name, "") for name in PAIR_PARAMETERS)
    return (first if RUN_ID.fullmatch(first) else "", second if RUN_ID.fullmatch(second) else "")


def compare_runs(first: str, second: str) -> None:
    """Name the two runs to compare in the address, so that the comparison can be reloaded and sent on."""
    st.query_params.update(pair_link(first, second))


def pair_link(first: str, second: str) -> dict[str, str]:
    """Return the address parameters that carry two runs to the page that compares them."""
    return dict(zip(PAIR_PARAMETERS, (first, second), strict=True))


def ask_draft() -> Draft:
    """Return what stands in the Ask form: the defaults on a first visit."""
    return cast(Draft, st.session_state.get(DRAFT, Draft()))


def typed_form() -> tuple[Draft, tuple[PassageRow, ...]]:
    """Return all that stands in the Ask form and its editor, with what was typed since the page was drawn."""
    draft = ask_draft()
    question, golds, pasted = (
        str(st.session_state.get(form_name(name), getattr(draft, name))) for name in ("question", "golds", "pasted")
    )
    rows = (
        replace(row, **{name: st.session_state.get(f"row.{name}.{row.row}", getattr(row, name)) for name in ROW_TEXTS})
        for row in passage_rows()
    )
    return replace(draft, question=question, golds=golds, pasted=pasted), tuple(rows)


def keep_draft(filled: Draft) -> None:
    """Keep what the widgets returned, so that it is still there after a page change."""
    st.session_state[DRAFT] = filled


def fill_form(filled: Draft, passages: Sequence[Passage] | None = None) -> None:
    """Put other content into the Ask form; its widgets start anew with it. ``passages`` None leaves the editor."""
    keep_draft(filled)
    st.session_state[_GENERATION] = st.session_state.get(_GENERATION, 0) + 1
    if passages is not None:
        st.session_state[ROWS] = ()
        add_passages(passages)


def form_key(name: str, value: object) -> str:
    """Return the key of a form widget, with the value put in where the widget does not exist yet.

    Pass no value to the widget itself: a widget that has been away starts from the draft, one that is there keeps its
    own state.
    """
    return widget_key(form_name(name), value)


def tell(key: str, value: object, typed: str) -> None:
    """Make a widget hold a value; the browser is told three times, and not again until the value is another.

    Of two runs in quick succession, as a page's first are, it may never hear of a value that only the first of them
    set. Told in every run, it would undo what is clicked meanwhile: so never once what is ``typed`` beside it changed,
    since whoever leaves that box may do so by a click on this widget.
    """
    told = st.session_state.setdefault(_TOLD, {})
    times, first = told.get(key, (0, typed))
    if st.session_state.get(key) != value or (times < TELLINGS and typed == first):
        told[key] = (times + 1, first)
        st.session_state[key] = value


def form_name(name: str) -> str:
    """Return the key of a form widget: another one after the form was filled anew."""
    return f"ask.{st.session_state.get(_GENERATION, 0)}.{name}"


def widget_key(key: str, value: object) -> str:
    """Return the key, with the value put in where no widget of that key has one yet."""
    if key not in st.session_state:
        st.session_state[key] = value
    return key


def reset_widget(key: str) -> None:
    """Forget what a widget holds; it starts anew when it is drawn next."""
    st.session_state.pop(key, None)


def passage_rows() -> tuple[PassageRow, ...]:
    """Return the rows of the passage editor, in the order the model reads them."""
    return cast("tuple[PassageRow, ...]", st.session_state.get(ROWS, ()))


def add_passages(passages: Sequence[Passage]) -> None:
    """Append passages as new rows, each with a number no row has had before."""
    first = st.session_state.get(NEXT_ROW, 0)
    added = tuple(
        PassageRow(row=first + place, title=passage.title, text=passage.text) for place, passage in enumerate(passages)
    )
    st.session_state[NEXT_ROW] = first + len(added)
    st.session_state[ROWS] = (*passage_rows(), *added)


def remove_row(row: int) -> None:
    """Take one row out of the editor."""
    st.session_state[ROWS] = tuple(kept for kept in passage_rows() if kept.row != row)


def put_rows(rows: tuple[PassageRow, ...]) -> None:
    """Put rows that stood in the editor back into it."""
    st.session_state[ROWS] = rows


def move_row(row: int, step: int) -> None:
    """Move a row up (-1) or down (+1); at either end it stays."""
    rows = list(passage_rows())
    place = next((index for index, kept in enumerate(rows) if kept.row == row), None)
    if place is None or not 0 <= place + step < len(rows):
        return
    rows[place], rows[place + step] = rows[place + step], rows[place]
    st.session_state[ROWS] = tuple(rows)


def edit_row(row: int, title: str, text: str) -> None:
    """Keep what was typed into a row."""
    st.session_state[ROWS] = tuple(
        replace(kept, title=title, text=text) if kept.row == row else kept for kept in passage_rows()
    )


def leave_notice(sentence: str) -> None:
    """Leave a sentence for the next time a page is drawn."""
    st.session_state[_NOTICE] = sentence


def pop_notice() -> str:
    """Return the sentence that was left, and forget it; "" where there is none."""
    return cast(str, st.session_state.pop(_NOTICE, ""))


def widget_state(key: str) -> object:
    """Return what a widget holds now, None where it has not been drawn yet: for a callback, which is given nothing."""
    return st.session_state.get(key)


def widget_number(key: str) -> float:
    """Return the number kept under a key, 0 where there is none."""
    held = st.session_state.get(key)
    return float(held) if isinstance(held, int | float) else 0.0


def held(beginnings: tuple[str, ...]) -> dict[str, object]:
    """Return what is kept under the keys that begin so."""
    return {str(key): value for key, value in st.session_state.items() if str(key).startswith(beginnings)}


def set_widget(key: str, value: object) -> None:
    """Make a widget hold a value when it is drawn next; not after it was drawn in this run."""
    st.session_state[key] = value


def address_parameter(name: str) -> str:
    """Return what the page's address says under a name, "" where it says nothing."""
    return st.query_params.get(name, "")


def set_address(name: str, value: str) -> None:
    """Write a value into the page's address, "" takes it out; a value that stands there already is left alone."""
    if not value:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value
