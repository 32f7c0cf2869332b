// One sitting at the labels: keys in, the next item at once, everything pressed into the queue.
//
// The item that is drawn is the item a key labels: Python sends items ahead, the browser moves on by itself, and every
// entry names its item. A key pressed before its item was on the screen is refused aloud instead of used.

const IDLE_MS = 60_000;
const NOTE_MS = 600;
const sittings = new Map();

function openSitting(project, annotator) {
  const owner = ownerName(project, annotator);
  if (!sittings.has(owner)) {
    sittings.set(owner, {
      owner,
      project,
      annotator,
      queue: openQueue(owner),
      box: openOutbox(),
      cores: new Map(),
      blind: null,
      labels: new Map(),
      order: [],
      orderTurn: "",
      cursor: "",
      token: 0,
      undo: [],
      redo: [],
      conflicts: keptConflicts(owner),
      own: {},
      kinds: [],
      unspent: new Map(),
      counted: new Map(),
      tokenOf: "",
      progress: { done: 0, open: 0 },
      trouble: "",
      nothing: "",
      ready: false,
      session: "",
      went: "",
    });
  }
  return sittings.get(owner);
}

function conflictsKey(owner) {
  return `${STORAGE}.conflicts/${owner}`;
}

function keptConflicts(owner) {
  try {
    return JSON.parse(localStorage.getItem(conflictsKey(owner))) || [];
  } catch {
    return [];
  }
}

function keepConflicts(sitting) {
  try {
    localStorage.setItem(conflictsKey(sitting.owner), JSON.stringify(sitting.conflicts));
  } catch {
    sitting.queue.durable = false;
  }
}

function secondsOn(sitting) {
  return labelOf(sitting, sitting.cursor).seconds + (sitting.unspent.get(sitting.cursor) || 0);
}

function takeSeconds(sitting) {
  const spent = sitting.unspent.get(sitting.cursor) || 0;
  sitting.unspent.delete(sitting.cursor);
  return spent;
}

// Python's count, corrected by what has been pressed since it was made.
function progressOf(sitting) {
  let more = 0;
  for (const [item, label] of sitting.labels) more += Number(isClosed(label)) - Number(sitting.counted.get(item) || false);
  const { done, open } = sitting.progress;
  return { done: done + more, open: Math.max(0, open - more) };
}

function goTo(view, sitting, item) {
  if (item === sitting.cursor) return;
  keepNote(view, sitting);
  sitting.cursor = item;
  send(sitting);
  showQuestion(view);
}

// A new item is read from its question on: where that stands above the window, the page goes up to it.
function showQuestion(view) {
  if (view.parts.body.getBoundingClientRect().top < 0) view.root.scrollIntoView({ block: "start" });
}

// Where the token cursor stands when an item comes on the screen: on the marked token, or just before the lookup.
function placeToken(sitting, core) {
  if (sitting.tokenOf === core.id) return;
  const label = labelOf(sitting, core.id);
  const marked = core.fields.filter((field) => !field.choices.length).map((field) => label.values[field.name]);
  sitting.tokenOf = core.id;
  const before = core.tokens.map((_, place) => place).filter((place) => place < core.last && isVisible(core, place));
  sitting.token = marked.find((place) => place !== undefined) ?? before.at(-1) ?? 0;
}

// The next item in the list that is neither submitted nor discarded, from a place on and round to its beginning.
function nextOpen(sitting, from) {
  const start = sitting.order.indexOf(from) + 1;
  const round = [...sitting.order.slice(start), ...sitting.order.slice(0, start)];
  return round.find((item) => item !== from && !isClosed(labelOf(sitting, item))) || "";
}

function onward(view, sitting) {
  const next = nextOpen(sitting, sitting.cursor);
  if (!next && !isClosed(labelOf(sitting, sitting.cursor))) say(view, "No other item of this list is open.");
  else goTo(view, sitting, next);
}

function step(view, sitting, by) {
  const item = sitting.order[sitting.order.indexOf(sitting.cursor) + by];
  const end = by > 0 ? "This is the last item of the list." : "This is the first item of the list.";
  say(view, item ? "" : end);
  if (item) goTo(view, sitting, item);
}

function say(view, sentence) {
  view.parts.said.textContent = sentence;
}

function submit(view, sitting, core) {
  const label = labelOf(sitting, core.id);
  const missing = missingFields(core, label.values);
  if (missing.length) {
    say(view, `Still to answer: ${missing.map((field) => field.title).join("; ")}.`);
    return;
  }
  close(view, sitting, core, label, { state: "submitted" });
}

function close(view, sitting, core, label, change) {
  if (!sameSaid(label, { ...label, ...change })) record(sitting, core.id, change);
  say(view, `Item ${core.number} ${change.state}.`);
  onward(view, sitting);
}

// Sets a field; where that answers everything of an open item, submits it and goes on.
function answer(view, sitting, core, field, value) {
  const label = labelOf(sitting, core.id);
  if (isImpossible(core, field, value)) {
    say(view, "Nothing stands before this lookup, so it cannot be late.");
    return;
  }
  const values = withValue(core, label.values, field, value);
  const whole = missingFields(core, values).length === 0;
  if (whole && !isClosed(label) && !sitting.own.by_hand) {
    close(view, sitting, core, label, { values, state: "submitted" });
    return;
  }
  if (label.values[field] !== value) record(sitting, core.id, { values, state: stateWith(core, label, values) });
  remind(view, core, values);
}

// A value that needs a marked token has none where no token may be marked.
function isImpossible(core, field, value) {
  const needs = core.fields.some((one) => !one.choices.length && one.with && one.with[0] === field && one.with[1] === value);
  return needs && core.delayed && core.last === 0;
}

function remind(view, core, values) {
  const missing = missingFields(core, values);
  const token = missing.find((field) => !field.choices.length);
  if (token) say(view, "Now mark the first wrong token: move with ← and →, then press Space, or click it.");
  else say(view, missing.length ? `Still to answer: ${missing.map((field) => field.title).join("; ")}.` : "");
}

function mark(view, sitting, core, place) {
  const field = core.fields.find((one) => !one.choices.length);
  if (!field) return;
  const label = labelOf(sitting, core.id);
  sitting.token = place;
  if (!isVisible(core, place)) {
    say(view, "This token has no letters. Mark the one before or after it.");
  } else if (core.delayed && place >= core.last) {
    say(view, "A wrong token that makes this lookup late must stand before it.");
  } else if (label.values[field.name] === place) {
    const values = withValue(core, label.values, field.name, null);
    record(sitting, core.id, { values, state: stateWith(core, label, values) });
    say(view, "The mark is taken away.");
  } else {
    answer(view, sitting, core, field.name, place);
  }
}

// Tokens without a letter, such as the end of the text, are passed over: nobody sees where the cursor is.
function moveToken(sitting, core, by) {
  let place = sitting.token + by;
  while (core.tokens[place] !== undefined && !isVisible(core, place)) place += by;
  if (core.tokens[place] !== undefined) sitting.token = place;
}

function isVisible(core, place) {
  return Boolean(core.tokens[place]?.trim());
}

function clearAll(sitting, core) {
  const label = labelOf(sitting, core.id);
  if (Object.keys(label.values).length) record(sitting, core.id, { values: {}, state: stateWith(core, label, {}) });
}

function keepNote(view, sitting) {
  clearTimeout(view.typing);
  const { note } = view.parts;
  const label = labelOf(sitting, view.noteOf);
  if (!note || !view.noteOf || note.value === label.note) return;
  record(sitting, view.noteOf, { note: note.value, state: label.state === "untouched" ? "draft" : label.state });
}

// What came in with a file was no key press: to take such labels away one by one would be a loss that nobody sees.
function nothingToUndo(view, sitting) {
  if (labelOf(sitting, sitting.cursor).state === "untouched") return "There is nothing to undo.";
  return `No key press is left to undo. This label stays; ${keyName(view.keyOf("clear"))} clears it.`;
}

function turnBack(view, sitting, back) {
  if (!(back ? sitting.undo : sitting.redo).length) {
    say(view, back ? nothingToUndo(view, sitting) : "There is nothing to bring back.");
    return;
  }
  const item = turn(sitting, back);
  say(view, item ? (back ? "Undone." : "Brought back.") : "That label was changed since; it stays as it is.");
  if (item) goTo(view, sitting, item);
}

function settle(view, sitting, mine) {
  const conflict = shownConflict(sitting);
  if (!conflict) return;
  sitting.conflicts = sitting.conflicts.filter((one) => one !== conflict);
  keepConflicts(sitting);
  goTo(view, sitting, conflict.item);
  const { values, state, note } = conflict.mine;
  if (mine) record(sitting, conflict.item, { values, state: state === "untouched" ? "draft" : state, note });
  say(view, mine ? "Your version is the one that counts now." : "The version from elsewhere stays.");
}

// Keeps the person's own keys: in this sitting at once, and in the store by the same queue as the labels.
function keepKeys(sitting, own) {
  sitting.own = own;
  addEntry(sitting.queue, {
    id: newId(),
    project: sitting.project,
    annotator: sitting.annotator,
    item: "",
    base: "",
    verb: "keys",
    of: "",
    values: {},
    state: "draft",
    note: JSON.stringify(own),
    seconds: 0,
  });
  send(sitting);
}

function recordKey(view, sitting, key) {
  const name = view.recording;
  if (key === "Escape") {
    view.recording = "";
    return;
  }
  const refusal = keyRefusal(sitting.kinds, sitting.own, name, key);
  if (refusal) {
    say(view, refusal);
    return;
  }
  view.recording = "";
  keepKeys(sitting, { ...sitting.own, [name]: key });
  say(view, `${keyName(key)} it is.`);
}

function toggleForward(view, sitting) {
  const { by_hand: byHand, ...rest } = sitting.own;
  keepKeys(sitting, byHand ? rest : { ...rest, by_hand: "yes" });
  say(view, byHand ? "An item is submitted once every question is answered." : "An item is submitted by hand.");
}

function forgetKeys(sitting) {
  keepKeys(sitting, sitting.own.by_hand ? { by_hand: "yes" } : {});
}

function perform(view, sitting, name, detail) {
  const core = sitting.cores.get(sitting.cursor);
  const free = {
    undo: () => turnBack(view, sitting, true),
    redo: () => turnBack(view, sitting, false),
    next: () => step(view, sitting, 1),
    previous: () => step(view, sitting, -1),
    open: () => {
      say(view, "");
      onward(view, sitting);
    },
    forward: () => toggleForward(view, sitting),
    theirs: () => settle(view, sitting, false),
    mine: () => settle(view, sitting, true),
    help: () => (view.parts.help.hidden = !view.parts.help.hidden),
    suggest: () => (view.hush = !view.hush),
    keys: () => forgetKeys(sitting),
    change: () => (view.recording = detail),
    noted: () => keepNote(view, sitting),
  };
  const onItem = {
    submit: () => submit(view, sitting, core),
    discard: () => close(view, sitting, core, labelOf(sitting, core.id), { state: "discarded" }),
    left: () => moveToken(sitting, core, -1),
    right: () => moveToken(sitting, core, 1),
    mark: () => mark(view, sitting, core, sitting.token),
    token: () => mark(view, sitting, core, detail),
    clear: () => clearAll(sitting, core),
    note: () => view.parts.note.focus(),
  };
  if (free[name]) free[name]();
  else if (!core) say(view, "This item is not here yet; the key was not used.");
  else if (onItem[name]) onItem[name]();
  else answer(view, sitting, core, ...answerOf(core, name));
}

function onKey(view, event) {
  const sitting = view.sitting;
  if (!sitting) return;
  view.touched = performance.now();
  if (view.recording && isOurs(event, view.root)) {
    swallow(event);
    recordKey(view, sitting, event.key);
    refresh(view);
    return;
  }
  if (!isOurs(event, view.root)) return;
  if (event.key === "Escape" && !view.parts.help.hidden) {
    swallow(event);
    view.act("help");
    return;
  }
  const name = meaning(sitting.cores.get(sitting.cursor), sitting.own, event.key);
  if (!name) return;
  swallow(event);
  if (event.repeat && !REPEATED.includes(name)) return;
  if (event.timeStamp < view.shownAt && !REPEATED.includes(name)) {
    say(view, `Too fast: ${keyName(event.key)} came before this item was on the screen and was not used.`);
    return;
  }
  view.act(name);
}

function swallow(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function refresh(view) {
  const core = view.sitting.cores.get(view.sitting.cursor);
  if (core) placeToken(view.sitting, core);
  draw(view, view.sitting);
  drawHelp(view, view.sitting, core);
}

// Takes what Python says: receipts first, so that what it keeps no longer counts as under way.
function take(view, sitting, data) {
  sitting.box.heard = Math.max(sitting.box.heard, data.heard);
  for (const name of ["trouble", "nothing", "kinds", "progress"]) sitting[name] = data[name];
  if (data.order) [sitting.order, sitting.orderTurn] = [data.order, data.turn];
  // What an open project told of an item is not shown once it is blind.
  if (sitting.blind !== data.blind) sitting.cores.clear();
  sitting.blind = data.blind;
  for (const core of data.items) sitting.cores.set(core.id, core);
  const before = labelOf(sitting, sitting.cursor);
  takeReceipts(sitting, data.receipts);
  // A long queue goes in several messages; each that was answered is followed by the next.
  if (waitingIn(sitting.queue) && Object.keys(data.receipts).length) sitting.box.unsent = true;
  takeLabels(sitting, data.labels);
  if (sitting.ready && !sameSaid(before, labelOf(sitting, sitting.cursor))) {
    say(view, "This label was changed elsewhere; it is shown as it is now.");
    markAsShown(view);
  }
  keepConflicts(sitting);
  if (sitting.session !== data.session) takeSession(sitting, data);
  const jump = sitting.went !== data.goto.turn && !(data.goto.opening && sitting.cursor);
  sitting.went = data.goto.turn;
  if (jump) {
    say(view, "");
    goTo(view, sitting, data.goto.item || nextOpen(sitting, ""));
  } else if (!sitting.cursor) goTo(view, sitting, nextOpen(sitting, ""));
  sitting.ready = true;
}

// A new session: the page was opened, or the server started again.
function takeSession(sitting, data) {
  sitting.session = data.session;
  sitting.own = data.keys;
  if (!sitting.ready) {
    sitting.undo = data.undo;
    sitting.redo = data.redo;
  }
  overlay(sitting);
  sitting.box.unsent = true;
}

function tick(view) {
  const sitting = view.sitting;
  if (!sitting) return;
  retry(sitting);
  rest(view);
  const attentive = !document.hidden && performance.now() - view.touched < IDLE_MS;
  if (attentive && sitting.cores.has(sitting.cursor)) {
    sitting.unspent.set(sitting.cursor, (sitting.unspent.get(sitting.cursor) || 0) + 1);
  }
  drawBar(view, sitting, sitting.cores.get(sitting.cursor));
}

function openView(parent) {
  const view = buildView(parent);
  view.touched = performance.now();
  view.recording = "";
  view.keyOf = (name) => {
    const core = view.sitting.cores.get(view.sitting.cursor);
    return (keysOn(core, view.sitting.own).find(([other]) => other === name) || ["", "", ""])[2];
  };
  view.act = (name, detail) => {
    perform(view, view.sitting, name, detail);
    refresh(view);
  };
  const stop = new AbortController();
  const listen = { signal: stop.signal, capture: true };
  window.addEventListener("keydown", (event) => onKey(view, event), listen);
  window.addEventListener("pointerdown", () => (view.touched = performance.now()), listen);
  // The window hears nothing of a focus that moves within the component, the component nothing of one outside.
  for (const target of [window, view.root]) {
    for (const kind of ["focusin", "focusout"]) target.addEventListener(kind, () => setTimeout(() => rest(view)), listen);
  }
  window.addEventListener("pagehide", () => leave(view), listen);
  const clock = setInterval(() => tick(view), 1000);
  view.close = () => {
    stop.abort();
    clearInterval(clock);
    if (view.sitting) view.sitting.post = null;
  };
  return view;
}

// What is being typed when the page goes is kept like a note that was left.
function leave(view) {
  if (view.sitting) keepNote(view, view.sitting);
}

function rest(view) {
  const within = view.root.getRootNode().activeElement;
  const resting = isDialogOpen() || isEditable(document.activeElement) || isEditable(within);
  if (resting === view.resting || !view.sitting) return;
  view.resting = resting;
  drawBar(view, view.sitting, view.sitting.cores.get(view.sitting.cursor));
}

const views = new WeakMap();

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const fresh = !views.has(parentElement);
  if (fresh) views.set(parentElement, openView(parentElement));
  const view = views.get(parentElement);
  const sitting = openSitting(data.project, data.annotator);
  // Python may not know what is on the screen here: the page was left for another part and is drawn again.
  if (fresh) sitting.box.unsent = true;
  sitting.post = (message) => setStateValue("sitting", message);
  view.sitting = sitting;
  take(view, sitting, data);
  refresh(view);
  // What has not been sent yet goes at once; what was sent and has no receipt waits for its retry.
  if (sitting.box.unsent) flush(sitting);
  if (fresh && document.activeElement === document.body) view.root.focus({ preventScroll: true });
  return () => {
    view.close();
    views.delete(parentElement);
  };
}
