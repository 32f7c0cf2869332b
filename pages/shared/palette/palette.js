// The command palette: Ctrl-K opens it on every page, letters filter, arrows choose, Enter goes there, Escape closes.
// The dialog hangs on the document itself, so that it also opens where the sidebar is hidden. Every name is put in as
// text, never as markup. Where to go is told to Python, which checks it.

const MOST = 12;
// Pages come before numbers, numbers before runs; within a kind, names that begin with what is typed come first.
const KINDS = ["page", "number", "run"];
const COLOURS = ["background-color", "secondary-background-color", "text-color", "primary-color", "border-color", "font"];

function make(tag, attributes = {}, text = "") {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text) node.textContent = text;
  return node;
}

function found(entries, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const all = entries.filter((one) => words.every((word) => one.search.includes(word)));
  const first = words[0] ?? "";
  const rank = (one) => 2 * KINDS.indexOf(one.kind) + (one.label.toLowerCase().startsWith(first) ? 0 : 1);
  return all.sort((a, b) => rank(a) - rank(b)).slice(0, MOST);
}

function openPalette(state) {
  const { dialog, input } = state;
  const style = getComputedStyle(state.parent);
  for (const name of COLOURS) dialog.style.setProperty(`--st-${name}`, style.getPropertyValue(`--st-${name}`));
  if (!dialog.open) dialog.showModal();
  input.value = "";
  show(state);
  input.focus();
}

function show(state) {
  const { list, input, note } = state;
  state.shown = found(state.entries, input.value);
  state.at = 0;
  list.replaceChildren(
    ...state.shown.map((one, place) => {
      const row = make("li", { role: "option", id: `rm-palette-${place}`, title: one.label });
      row.append(make("span", { class: "kind" }, one.kind), make("span", { class: "label" }, one.label));
      if (one.hint) row.append(make("span", { class: "hint" }, one.hint));
      row.addEventListener("click", () => go(state, place));
      return row;
    }),
  );
  note.textContent = state.shown.length ? `${state.shown.length} found` : "Nothing found. Try fewer letters.";
  mark(state);
}

function mark({ list, input, at, shown }) {
  [...list.children].forEach((row, place) => row.setAttribute("aria-selected", String(place === at)));
  list.children[at]?.scrollIntoView({ block: "nearest" });
  if (shown.length) input.setAttribute("aria-activedescendant", `rm-palette-${at}`);
  else input.removeAttribute("aria-activedescendant");
}

function go(state, place) {
  const one = state.shown[place];
  if (!one) return;
  state.dialog.close();
  state.tell(one.id);
}

function typed(state, event) {
  // Streamlit's own keys stay quiet while something is looked for.
  event.stopPropagation();
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  if (event.key in steps && state.shown.length) {
    state.at = (state.at + steps[event.key] + state.shown.length) % state.shown.length;
    mark(state);
  } else if (event.key === "Enter") go(state, state.at);
  else return;
  event.preventDefault();
}

function build(css) {
  const dialog = make("dialog", { class: "rm-palette", "aria-label": "Go to a page, run or number" });
  const input = make("input", {
    type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "rm-palette-list", "aria-autocomplete": "list",
    "aria-label": "Page, run or number", placeholder: "Page, run or number", autocomplete: "off", spellcheck: "false",
  });
  const list = make("ul", { id: "rm-palette-list", role: "listbox", "aria-label": "Found" });
  const note = make("p", { role: "status", class: "note" });
  const style = make("style", {}, css);
  dialog.append(style, input, list, note);
  document.body.append(dialog);
  return { dialog, input, list, note, shown: [], at: 0, entries: [] };
}

let state;

export default function ({ data, parentElement, setTriggerValue }) {
  if (!state?.dialog.isConnected) {
    state = build(data.css);
    state.input.addEventListener("input", () => show(state));
    state.dialog.addEventListener("keydown", (event) => typed(state, event));
    state.dialog.addEventListener("click", (event) => event.target === state.dialog && state.dialog.close());
    document.addEventListener(
      "keydown",
      (event) => {
        if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
        event.preventDefault();
        event.stopPropagation();
        openPalette(state);
      },
      true,
    );
  }
  state.parent = parentElement.host ?? parentElement;
  state.tell = (id) => setTriggerValue("go", id);
  state.entries = data.entries.map((one) => ({ ...one, search: `${one.kind} ${one.label} ${one.hint}`.toLowerCase() }));
  let button = parentElement.querySelector("button");
  if (!button) {
    button = make("button", { type: "button", "aria-keyshortcuts": "Control+K" });
    button.append(make("span", {}, "Go to …"), make("kbd", {}, "Ctrl K"));
    parentElement.append(button);
  }
  button.onclick = () => openPalette(state);
}
