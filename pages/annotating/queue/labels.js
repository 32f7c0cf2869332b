// The labels as the person sees them: what the store said last, and on top of it what was pressed since.
//
// A key press carries the whole label after it and the id of the action that made the label before it. What is built on
// a press that the store refused is therefore refused as well, and the person is shown both versions.

const UNTOUCHED = { values: {}, state: "untouched", note: "", seconds: 0, action: "" };
const CLOSED = ["submitted", "discarded"];
const MOST_UNDO = 500;

function labelOf(sitting, item) {
  return sitting.labels.get(item) || UNTOUCHED;
}

function isClosed(label) {
  return CLOSED.includes(label.state);
}

function isNeeded(field, values) {
  return !field.with || values[field.with[0]] === field.with[1];
}

function missingFields(core, values) {
  return core.fields.filter((field) => isNeeded(field, values) && !(field.name in values));
}

// A field that is needed only with another one's value brings that value, and goes when it goes.
function withValue(core, values, name, value) {
  const said = { ...values };
  delete said[name];
  if (value !== null) {
    said[name] = value;
    const needed = core.fields.find((field) => field.name === name).with;
    if (needed) said[needed[0]] = needed[1];
  }
  for (const field of core.fields) if (field.with && !isNeeded(field, said)) delete said[field.name];
  return said;
}

function enqueue(sitting, item, verb, of, after) {
  const label = { ...after, action: newId() };
  addEntry(sitting.queue, {
    id: label.action,
    project: sitting.project,
    annotator: sitting.annotator,
    item,
    base: labelOf(sitting, item).action,
    verb,
    of,
    values: label.values,
    state: label.state,
    note: label.note,
    seconds: label.seconds,
  });
  sitting.labels.set(item, label);
  return label;
}

// Keeps what a key made of a label: ``change`` holds the parts of it that are new.
function record(sitting, item, change) {
  const before = labelOf(sitting, item);
  const seconds = before.seconds + takeSeconds(sitting);
  const after = enqueue(sitting, item, "set", "", { ...before, ...change, seconds });
  sitting.undo.push({ id: after.action, item, before, after });
  if (sitting.undo.length > MOST_UNDO) sitting.undo.shift();
  sitting.redo = [];
  send(sitting);
}

// The state of a label whose values become these: a closed one stays closed while it is whole.
function stateWith(core, label, values) {
  if (label.state === "discarded") return "discarded";
  return label.state === "submitted" && missingFields(core, values).length === 0 ? "submitted" : "draft";
}

function sameSaid(one, other) {
  const said = ({ values, state, note }) => JSON.stringify([Object.entries(values).sort(), state, note]);
  return said(one) === said(other);
}

// Returns the item whose last key was taken back (``back``) or brought again; "" where its label was changed since.
function turn(sitting, back) {
  const press = (back ? sitting.undo : sitting.redo).pop();
  const now = labelOf(sitting, press.item);
  const [from, to] = back ? [press.after, press.before] : [press.before, press.after];
  if (!sameSaid(now, from)) return "";
  const seconds = Math.max(now.seconds, to.seconds);
  enqueue(sitting, press.item, back ? "undo" : "redo", press.id, { ...to, seconds });
  (back ? sitting.redo : sitting.undo).push(press);
  send(sitting);
  return press.item;
}

function takeReceipts(sitting, receipts) {
  for (const [id, receipt] of Object.entries(receipts)) {
    const entry = sitting.queue.entries.find((one) => one.id === id);
    const left = sitting.queue.left.find((one) => one.id === id);
    const refused = ["conflict", "refused"].includes(receipt.status);
    if (left) dropLeft(sitting.queue, left, refused);
    if (!entry) continue;
    dropEntry(sitting.queue, id);
    if (refused) takeRefusal(sitting, entry, receipt);
  }
}

// What stands on a refused entry goes with it; the person is shown both versions and decides.
function takeRefusal(sitting, entry, receipt) {
  if (entry.verb === "keys") return;
  const mine = labelOf(sitting, entry.item);
  const theirs = receipt.label || UNTOUCHED;
  for (const one of sitting.queue.entries.filter(({ item }) => item === entry.item)) dropEntry(sitting.queue, one.id);
  sitting.labels.set(entry.item, theirs);
  sitting.undo = sitting.undo.filter(({ item }) => item !== entry.item);
  sitting.redo = sitting.redo.filter(({ item }) => item !== entry.item);
  sitting.conflicts = sitting.conflicts.filter(({ item }) => item !== entry.item);
  if (sameSaid(mine, theirs)) return;
  sitting.conflicts.push({ item: entry.item, sentence: receipt.sentence, mine, theirs });
}

// Only where nothing of ours is under way is the store's word the newest.
function takeLabels(sitting, labels) {
  for (const [item, label] of Object.entries(labels)) {
    sitting.counted.set(item, isClosed(label));
    if (!lastOn(sitting.queue, item)) sitting.labels.set(item, label);
  }
}

// What an earlier page left in the queue lies on top of the store's labels where it still fits.
function overlay(sitting) {
  for (const entry of sitting.queue.entries) {
    if (entry.verb === "keys") sitting.own = JSON.parse(entry.note);
    else if (labelOf(sitting, entry.item).action === entry.base) {
      const { values, state, note, seconds, id: action } = entry;
      sitting.labels.set(entry.item, { values, state, note, seconds, action });
    }
  }
}
