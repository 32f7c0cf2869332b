// The item on the screen. Everything that comes from a run or a person is set as text, never as markup.

function make(tag, props = {}, ...children) {
  const { dataset = {}, ...rest } = props;
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(rest)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  Object.assign(node.dataset, dataset);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function keyCap(key) {
  return make("kbd", { "aria-hidden": "true" }, keyName(key));
}

function button(view, name, label, props = {}) {
  const act = (event) => {
    view.act(name);
    // A mouse click leaves the keys to the item; a click by keyboard keeps its place among the buttons.
    if (event.detail > 0) view.root.focus({ preventScroll: true });
  };
  return make("button", { type: "button", onclick: act, ...props }, label, keyCap(view.keyOf(name)));
}

function buildView(parent) {
  const parts = {};
  for (const [name, tag, props] of [
    ["bar", "div", { class: "bar" }],
    ["conflict", "div", { class: "conflict", role: "alert", hidden: "" }],
    ["trouble", "p", { class: "trouble", role: "alert", hidden: "" }],
    ["body", "div", { class: "body" }],
    ["fields", "div", { class: "fields" }],
    ["commands", "div", { class: "commands" }],
    ["noted", "div", { class: "noted" }],
    ["said", "p", { class: "said", role: "status" }],
    ["help", "div", { class: "help", role: "region", "aria-label": "Keys", hidden: "" }],
    ["proof", "div", { class: "proof" }],
  ]) parts[name] = make(tag, props);
  const order = ["bar", "conflict", "trouble", "help", "body", "fields", "said", "commands", "noted", "proof"];
  const root = make("section", { class: "sitting", tabindex: "0", "aria-label": "The item to label" });
  root.append(...order.map((name) => parts[name]));
  parent.append(root);
  return { root, parts, shown: "", shownAt: Infinity, hush: false, resting: false };
}

// Draws the item anew where it is another one; then only what a key can change.
function draw(view, sitting) {
  const core = sitting.cores.get(sitting.cursor);
  if (!core) view.parts.note = null;
  const shown = core ? JSON.stringify([core, sitting.own]) : `nothing:${sitting.cursor}:${sitting.ready}`;
  if (shown !== view.shown) {
    view.shown = shown;
    drawItem(view, sitting, core);
    markAsShown(view);
  }
  drawBar(view, sitting, core);
  drawConflict(view, sitting);
  if (core) drawAnswers(view, sitting, core);
}

// A key counts for an item only once it has been painted: one pressed before was meant for the item before it.
function markAsShown(view) {
  const mine = (view.painting = {});
  view.shownAt = Infinity;
  const seen = () => {
    if (view.painting !== mine) return;
    view.painting = null;
    view.shownAt = performance.now();
  };
  requestAnimationFrame(seen);
  setTimeout(seen, 250);
}

function drawItem(view, sitting, core) {
  const { body, fields, commands, noted, proof } = view.parts;
  for (const part of [body, fields, commands, noted, proof]) part.replaceChildren();
  view.root.setAttribute("aria-label", core ? `Item ${core.number}` : "No item");
  if (!core) {
    body.append(emptiness(view, sitting));
    return;
  }
  body.append(make("p", { class: "ask" }, core.ask), facts(core.facts), tokenBox(view, core));
  if (core.below.length) body.append(facts(core.below));
  fields.append(...core.fields.map((field) => fieldBox(view, core, field)));
  commands.append(...commandButtons(view), itemLink(sitting, core));
  noted.append(...noteBox(view, core));
  proof.append(...core.sections.map(section), ...(core.stairs ? [stairs(core.stairs)] : []));
  view.parts.suggested = suggestions(core);
  if (view.parts.suggested) fields.append(view.parts.suggested);
}

function emptiness(view, sitting) {
  const sentence = sitting.cursor
    ? "Loading this item…"
    : sitting.ready
      ? sitting.nothing
      : "Loading…";
  const undo = sitting.undo.length ? button(view, "undo", "Undo") : null;
  return make("div", { class: "empty" }, make("p", {}, sentence), ...(undo ? [undo] : []));
}

function facts(rows) {
  const list = make("dl", { class: "facts" });
  for (const { title, text } of rows) {
    list.append(make("dt", {}, title), make("dd", { dir: "auto" }, text));
  }
  return list;
}

function tokenBox(view, core) {
  const title = make("p", { class: "title", id: "text-title" }, core.text_title);
  if (!core.tokens.length) return make("div", {}, title, make("div", { class: "text", dir: "auto" }, core.text));
  const markable = core.fields.some((field) => !field.choices.length);
  const box = make("div", {
    class: "tokens",
    dir: "auto",
    ...(markable ? { role: "listbox", tabindex: "0", "aria-labelledby": "text-title" } : {}),
  });
  core.tokens.forEach((text, place) => {
    box.append(...marksAt(core, place), token(view, text, place, markable));
  });
  box.append(...marksAt(core, core.tokens.length));
  const count = make("p", { class: "delay" });
  view.parts.tokens = box;
  view.parts.delay = count;
  return make("div", {}, title, box, count);
}

function token(view, text, place, markable) {
  if (!markable) return make("span", {}, text);
  return make(
    "span",
    {
      role: "option",
      id: `token-${place}`,
      "aria-selected": "false",
      onclick: () => {
        view.act("token", place);
        view.root.focus({ preventScroll: true });
      },
    },
    text,
  );
}

function marksAt(core, place) {
  return core.marks
    .filter((mark) => Math.min(mark.token, core.tokens.length) === place)
    .map((mark) => make("span", { class: mark.here ? "mark here" : "mark", title: mark.hover, role: "presentation" }, mark.title));
}

function fieldBox(view, core, field) {
  const id = `field-${field.name}`;
  const title = make("span", { class: "legend", id }, field.title);
  const box = make("div", { class: "field", role: "group", "aria-labelledby": id, dataset: { field: field.name } }, title);
  if (!field.choices.length) {
    box.append(make("span", { class: "marked" }), button(view, "mark", "Mark here"));
    return box;
  }
  for (const choice of field.choices) {
    const name = choiceName(core.kind, field.name, choice.value);
    box.append(button(view, name, choice.title, { "aria-pressed": "false", dataset: { choice: name } }));
  }
  return box;
}

function commandButtons(view) {
  return [
    button(view, "submit", "Submit", { class: "first" }),
    button(view, "discard", "Discard"),
    button(view, "undo", "Undo"),
    button(view, "redo", "Redo"),
    button(view, "previous", "Previous"),
    button(view, "next", "Next"),
    button(view, "open", "Next open"),
    button(view, "help", "Keys"),
  ];
}

// The address of this item without the name of whoever looks at it.
function itemLink(sitting, core) {
  const wanted = new URLSearchParams({ project: sitting.project, item: core.id });
  return make("a", { href: `?${wanted}`, target: "_blank", rel: "noopener" }, "Link to this item");
}

function noteBox(view, core) {
  const area = make("textarea", {
    id: "note",
    rows: "2",
    maxlength: "4000",
    oninput: () => {
      clearTimeout(view.typing);
      view.typing = setTimeout(() => view.act("noted"), NOTE_MS);
    },
    onblur: () => view.act("noted"),
    onkeydown: (event) => {
      if (event.key === "Escape" || (event.key === "Enter" && event.ctrlKey)) view.root.focus();
    },
  });
  view.parts.note = area;
  view.noteOf = core.id;
  return [make("label", { for: "note" }, "Note ", keyCap(view.keyOf("note"))), area];
}

function section({ title, passages }) {
  const box = make("details", { open: "" }, make("summary", {}, title));
  for (const passage of passages) {
    const head = passage.title ? make("p", { class: "source", dir: "auto" }, passage.title) : null;
    box.append(make("div", { class: "passage" }, head, make("p", { dir: "auto" }, passage.text)));
  }
  return box;
}

function stairs({ title, columns, rows }) {
  const head = make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)));
  const lines = rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell))));
  return make("details", { open: "" }, make("summary", {}, title), make("table", {}, make("thead", {}, head), make("tbody", {}, ...lines)));
}

function suggestions(core) {
  if (!core.suggestions.length) return null;
  const lines = core.suggestions.map(({ text }) => make("li", {}, text));
  return make("div", { class: "suggested" }, make("p", {}, "What the run suggests (never stored as a label)"), make("ul", {}, ...lines));
}

const STATE_WORDS = { untouched: "not labelled", draft: "draft", submitted: "submitted", discarded: "discarded" };

function drawBar(view, sitting, core) {
  const label = core ? labelOf(sitting, core.id) : null;
  const chips = [
    core ? make("strong", {}, `Item ${core.number}`) : null,
    label ? make("span", { class: `chip ${label.state}`, dataset: { state: label.state } }, STATE_WORDS[label.state]) : null,
    make("span", { class: "done" }, progressWords(sitting)),
    core ? make("span", { class: "clock", "aria-hidden": "true" }, clockText(secondsOn(sitting))) : null,
    savedChip(sitting),
    make("span", { class: view.resting ? "chip resting" : "chip" }, view.resting ? "keys rest while you type or choose elsewhere" : "keys on"),
    make("span", { class: "chip" }, sitting.own.by_hand ? "submit by hand" : "submits by itself"),
  ];
  view.parts.bar.replaceChildren(...chips.filter(Boolean));
  view.parts.trouble.hidden = !sitting.trouble;
  view.parts.trouble.textContent = sitting.trouble;
}

function savedChip(sitting) {
  const waiting = waitingIn(sitting.queue);
  const words = waiting ? `${waiting} ${waiting === 1 ? "key" : "keys"} on the way` : "all saved";
  const warning = sitting.queue.durable ? "" : "; this browser keeps nothing, so leave the page open until all is saved";
  return make("span", { class: waiting ? "chip waiting" : "chip saved", dataset: { waiting: String(waiting) } }, words + warning);
}

function progressWords(sitting) {
  const { done, open } = progressOf(sitting);
  return `${done} of ${done + open} done`;
}

function clockText(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;
}

function shownConflict(sitting) {
  return sitting.conflicts.find((one) => one.item === sitting.cursor) || sitting.conflicts[0];
}

function drawConflict(view, sitting) {
  const conflict = shownConflict(sitting);
  const { conflict: box } = view.parts;
  const drawn = conflict ? JSON.stringify(conflict) : "";
  if (drawn === view.conflict) return;
  view.conflict = drawn;
  box.hidden = !conflict;
  box.replaceChildren();
  if (!conflict) return;
  const core = sitting.cores.get(conflict.item);
  const number = core ? `Item ${core.number}. ` : "";
  box.append(
    make("p", {}, number + conflict.sentence),
    make("p", {}, `Elsewhere: ${labelWords(core, conflict.theirs)}. Here: ${labelWords(core, conflict.mine)}.`),
    button(view, "theirs", "Keep theirs"),
    button(view, "mine", "Keep mine"),
  );
}

function labelWords(core, label) {
  const words = Object.entries(label.values).map(([name, value]) => valueWords(core, name, value));
  return [...words, STATE_WORDS[label.state] || label.state, label.note ? `note “${label.note}”` : ""].filter(Boolean).join(", ");
}

function valueWords(core, name, value) {
  const field = core && core.fields.find((one) => one.name === name);
  const choice = field && field.choices.find((one) => one.value === value);
  if (choice) return `${field.title}: ${choice.title}`;
  return field && core.tokens[value] !== undefined ? `${field.title}: “${core.tokens[value].trim()}”` : `${name}: ${value}`;
}

function drawAnswers(view, sitting, core) {
  const label = labelOf(sitting, core.id);
  for (const field of core.fields) {
    for (const choice of field.choices) {
      const name = choiceName(core.kind, field.name, choice.value);
      const pressed = label.values[field.name] === choice.value;
      view.parts.fields.querySelector(`[data-choice="${CSS.escape(name)}"]`).setAttribute("aria-pressed", String(pressed));
    }
    const box = view.parts.fields.querySelector(`[data-field="${CSS.escape(field.name)}"]`);
    box.classList.toggle("needed", isNeeded(field, label.values) && !(field.name in label.values));
    if (!field.choices.length) box.querySelector(".marked").textContent = markedWords(core, label.values[field.name]);
  }
  drawTokens(view, sitting, core, label);
  if (view.parts.suggested) view.parts.suggested.hidden = view.hush;
  const { note } = view.parts;
  if (view.root.getRootNode().activeElement !== note && note.value !== label.note) note.value = label.note;
}

function markedWords(core, place) {
  return place === undefined ? "none marked" : `“${core.tokens[place].trim()}”, token ${place + 1}`;
}

function drawTokens(view, sitting, core, label) {
  const box = view.parts.tokens;
  const field = core.fields.find((one) => !one.choices.length);
  if (!core.tokens.length || !field || !box) return;
  const wrong = label.values[field.name];
  const cursor = sitting.token;
  [...box.querySelectorAll("[role=option]")].forEach((node, place) => {
    node.classList.toggle("cursor", place === cursor);
    node.classList.toggle("wrong", place === wrong);
    node.classList.toggle("late", wrong !== undefined && place > wrong && place < core.last);
    node.setAttribute("aria-selected", String(place === wrong));
  });
  box.setAttribute("aria-activedescendant", `token-${cursor}`);
  const late = wrong === undefined ? 0 : core.last - wrong;
  view.parts.delay.textContent = core.delayed && late > 0 ? `The lookup comes ${late} ${late === 1 ? "token" : "tokens"} after the first wrong one.` : "";
}

function drawHelp(view, sitting, core) {
  const { help } = view.parts;
  help.replaceChildren();
  if (help.hidden) return;
  const rows = keysOn(core, sitting.own).map(([name, title, key]) =>
    make("tr", {}, make("td", {}, keyCap(key), make("span", { class: "unseen" }, keyName(key))), make("td", {}, title), make("td", {}, changer(view, name, title))),
  );
  help.append(
    make("p", {}, "A digit presses the choice of that place. Keys rest while you type. Choose a key of your own:"),
    make("table", {}, make("tbody", {}, ...rows)),
    make("button", { type: "button", onclick: () => view.act("keys") }, "All keys as they were"),
  );
}

function changer(view, name, title) {
  const waiting = view.recording === name;
  return make(
    "button",
    { type: "button", "aria-label": `Change the key of: ${title}`, onclick: () => view.act("change", name) },
    waiting ? "press the new key" : "Change",
  );
}
