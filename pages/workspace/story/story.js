// The page of a run by keyboard. A key does nothing of its own: it presses a button, follows a link or opens a passage
// that is drawn, so a key whose part is not on the page does nothing. Words of the answer lead to where they stand: their
// passage opens, and where the passages stand beside the story it comes into view there too.

const FIGURES = '[class*="st-key-story-figure-"] [data-testid="stPageLink"] a';
const ACTIONS = '[class*="st-key-story-actions"]';
const BUTTONS = { n: "new_question", w: "to_what_if" };
const NAMES = { n: "New question", w: "What if", j: "Next passage", k: "Passage before" };

// The row that a key or a link opened last: the next one closes it.
let opened = null;
let dialog = null;

const rowsOf = () => [...document.querySelectorAll(".st-key-story .rm-row")];
const figuresOf = () => [...document.querySelectorAll(FIGURES)].filter((link) => link.checkVisibility());

function buttonOf(key) {
  const button = document.querySelector(`${ACTIONS} [class*="st-key-${BUTTONS[key]}"] button`);
  return button?.checkVisibility() ? button : null;
}

function openRow(row, mark) {
  if (opened && opened !== row) opened.open = false;
  if (!row.open) opened = row;
  row.open = true;
  row.querySelector("summary").focus({ preventScroll: true });
  const twin = twinOf(row, mark);
  for (const one of document.querySelectorAll(".rm-here")) one.classList.remove("rm-here");
  for (const one of [mark, twin]) if (one?.matches("mark")) one.classList.add("rm-here");
  twin?.scrollIntoView({ block: "nearest" });
  row.scrollIntoView({ block: "nearest" });
}

// The same passage beside the story, or the mark in it with the same words; nothing where the passages stand below.
function twinOf(row, mark) {
  const column = document.querySelector(".st-key-story-passages");
  if (!column || getComputedStyle(column).overflowY !== "auto") return null;
  const rank = row.querySelector(".rm-rank").textContent;
  const passage = column.querySelector(`[data-rank="${CSS.escape(rank)}"]`);
  const marks = mark && passage ? [...passage.querySelectorAll("mark")] : [];
  return marks.find((one) => one.textContent === mark.textContent) ?? passage;
}

// A link of the answer: the passage opens and has the focus, so that Tab goes on from there.
function followWords(event) {
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target.closest?.('.rm-flow a[href^="#rm-"]');
  const target = link && document.getElementById(link.getAttribute("href").slice(1));
  const row = target?.closest(".rm-row");
  if (!row) return;
  event.preventDefault();
  openRow(row, target.closest("mark"));
}

// Goes on from the row that has the focus, else from the one opened last; at either end it stays.
function stepRow(by) {
  const rows = rowsOf();
  const here = document.activeElement?.closest(".rm-row") ?? opened;
  const place = rows.indexOf(here);
  const next = rows[place < 0 ? (by > 0 ? 0 : rows.length - 1) : place + by];
  if (next) openRow(next);
}

// Returns what a key does now, nothing where its part is not drawn.
function deedOf(key) {
  if (key in BUTTONS) {
    const button = buttonOf(key);
    return button && (() => button.click());
  }
  if (key === "j" || key === "k") return rowsOf().length ? () => stepRow(key === "j" ? 1 : -1) : null;
  if (key === "?") return openHelp;
  const link = /^[1-4]$/.test(key) ? figuresOf()[Number(key) - 1] : null;
  return link && (() => link.click());
}

function make(tag, text = "", attributes = {}) {
  const node = document.createElement(tag);
  node.textContent = text;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function keysNow() {
  const figures = figuresOf().slice(0, 4).map((link, place) => [String(place + 1), (link.querySelector("p") ?? link).textContent.trim()]);
  const own = Object.entries(NAMES).filter(([key]) => deedOf(key));
  return [...own, ...figures, ["?", "These keys"], ["Ctrl K", "Any page, run or number"], ["Esc", "Close"]];
}

// The list hangs on the document, so that it also opens in presenter mode. Names are put in as text.
function openHelp() {
  dialog ??= make("dialog", "", { class: "rm-keys", "aria-label": "Keys of this page" });
  const list = make("dl");
  for (const [key, name] of keysNow()) {
    const [term, meaning] = [make("dt"), make("dd", name)];
    term.append(make("kbd", key));
    list.append(term, meaning);
  }
  const close = make("button", "Close", { type: "button" });
  close.addEventListener("click", () => dialog.close());
  dialog.replaceChildren(make("h2", "Keys of this page"), list, close);
  document.body.append(dialog);
  dialog.showModal();
}

// Streamlit calls again without the way back of the call before, as when the theme changes: the last call alone listens.
let stop = null;

export default function ({ parentElement }) {
  stop?.abort();
  const mine = (stop = new AbortController());
  const onKey = (event) => {
    if (event.repeat && !["j", "k"].includes(event.key)) return;
    if (!isPlain(event) || takesKeys(event.composedPath())) return;
    const deed = deedOf(event.key);
    if (!deed) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    deed();
  };
  let button = parentElement.querySelector("button");
  if (!button) {
    button = make("button", "?", { type: "button", title: "Keys: ?", "aria-label": "Keys of this page", "aria-keyshortcuts": "?" });
    parentElement.append(button);
  }
  button.onclick = openHelp;
  window.addEventListener("keydown", onKey, { capture: true, signal: mine.signal });
  window.addEventListener("click", followWords, { capture: true, signal: mine.signal });
  return () => {
    mine.abort();
    dialog?.remove();
    dialog = null;
  };
}
