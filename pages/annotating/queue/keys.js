// What each key does. A choice has a key of its own (the guidelines' letter, or one the person chose) and, by its place,
// a digit; commands have keys that no choice uses.

const COMMANDS = [
  { name: "submit", title: "Submit, and on to the next", key: "Enter" },
  { name: "discard", title: "Discard, and on to the next", key: "x" },
  { name: "undo", title: "Undo the last key", key: "z" },
  { name: "redo", title: "Bring back what was undone", key: "y" },
  { name: "next", title: "Next item", key: "j" },
  { name: "previous", title: "Previous item", key: "k" },
  { name: "open", title: "Next item without a label", key: "." },
  { name: "left", title: "Token before", key: "ArrowLeft" },
  { name: "right", title: "Token after", key: "ArrowRight" },
  { name: "mark", title: "Mark the first wrong token, or take the mark away", key: " " },
  { name: "clear", title: "Clear all answers of this item", key: "Backspace" },
  { name: "note", title: "Write a note (Escape leaves it)", key: "a" },
  { name: "forward", title: "Submit by itself once every question is answered: on or off", key: "f" },
  { name: "suggest", title: "Show or hide what the run suggests", key: "s" },
  { name: "theirs", title: "Two versions: keep the one from elsewhere", key: "[" },
  { name: "mine", title: "Two versions: keep this one", key: "]" },
  { name: "help", title: "Show or hide these keys", key: "?" },
];
const REPEATED = ["left", "right", "next", "previous"];
const KEY_NAMES = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Backspace: "⌫" };
const REFUSED_KEYS = ["Tab", "Escape", "Shift", "Control", "Alt", "Meta", "CapsLock", "Dead", "Process", "Unidentified"];

function keyName(key) {
  return KEY_NAMES[key] || (key.length === 1 ? key : key.replace("Arrow", ""));
}

function choiceName(kind, field, value) {
  return `${kind}.${field}.${value}`;
}

function choicesOf(core) {
  return core.fields.flatMap((field) => field.choices.map((choice) => ({ field: field.name, ...choice })));
}

// Returns the field and value that a choice's name stands for.
function answerOf(core, name) {
  const { field, value } = choicesOf(core).find((one) => choiceName(core.kind, one.field, one.value) === name);
  return [field, value];
}

// Returns [name, title, key] of everything a key can do on an item, choices first.
function keysOn(core, own) {
  const choices = core
    ? choicesOf(core).map(({ field, value, title, key }) => [choiceName(core.kind, field, value), title, key])
    : [];
  const commands = COMMANDS.map(({ name, title, key }) => [name, title, key]);
  return [...choices, ...commands].map(([name, title, key]) => [name, title, own[name] || key]);
}

function sameKey(one, other) {
  return one.toLowerCase() === other.toLowerCase();
}

// Returns what a key does on an item: the name of a choice or command, "" where it does nothing.
function meaning(core, own, key) {
  const found = keysOn(core, own).find(([, , bound]) => sameKey(bound, key));
  if (found) return found[0];
  const place = core && /^[1-9]$/.test(key) ? Number(key) - 1 : -1;
  const choice = core && choicesOf(core)[place];
  return choice ? choiceName(core.kind, choice.field, choice.value) : "";
}

// Returns why a key cannot be given to a name, "" where it can. ``kinds``: choices of every kind of the project.
function keyRefusal(kinds, own, name, key) {
  if (REFUSED_KEYS.includes(key)) return `${key} cannot be used.`;
  const kind = name.includes(".") ? name.split(".")[0] : "";
  for (const core of kinds) {
    if (kind && core.kind !== kind) continue;
    const taken = keysOn(core, own).find(([other, , bound]) => other !== name && sameKey(bound, key));
    if (taken) return `${keyName(key)} already means “${taken[1]}”.`;
  }
  return "";
}

// Keys belong to the item unless the person types somewhere, a dialog is open or the key is a control's own.
function isOurs(event, root) {
  if (!root.isConnected || !root.checkVisibility() || !isPlain(event)) return false;
  const path = event.composedPath();
  const inside = path.includes(root);
  const control = path.find((node) => node instanceof Element && node.matches("button, a, summary, [role=tab], [role=radio]"));
  if (!control) return inside || document.activeElement === document.body || !takesKeys(path);
  if ([" ", "Enter"].includes(event.key)) return false;
  return inside || !event.key.startsWith("Arrow");
}
