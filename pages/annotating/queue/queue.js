// What was pressed and is not yet known to be kept.
//
// Every entry lies under a key of its own in the browser's storage until the store has acknowledged it: it survives a
// reload, a closed tab and a killed server, and two tabs of one person never write over each other's. Entries are sent
// in the order they were made, all that wait at once, and again until each has its receipt; the store counts an entry's
// id once, however often it comes.

const STORAGE = "microscope.annotations";
const RETRY_MS = 3000;
const MOST_AT_ONCE = 200;
const MOST_NAMED = 60;

let made = 0;

function newId() {
  // crypto.randomUUID is missing where the page comes from another machine without https, as in a class.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [8, 12, 16, 20, 32].map((end, place, ends) => hex.slice(place ? ends[place - 1] : 0, end)).join("-");
}

function ownerName(project, annotator) {
  return `${encodeURIComponent(project)}/${encodeURIComponent(annotator)}`;
}

// ``left`` are entries of other sittings in this browser: another name, another project. They are sent along.
function openQueue(owner) {
  const prefix = `${STORAGE}/${owner}/`;
  const queue = { prefix, entries: [], left: [], durable: true };
  try {
    for (const key of Object.keys(localStorage).filter((one) => one.startsWith(`${STORAGE}/`))) {
      const entry = parsed(localStorage.getItem(key));
      if (entry) (key.startsWith(prefix) ? queue.entries : queue.left).push(entry);
    }
  } catch {
    queue.durable = false;
  }
  for (const entries of [queue.entries, queue.left]) {
    entries.sort((one, other) => one.at - other.at || one.turn - other.turn);
  }
  return queue;
}

// Another version of this program may have left something that cannot be read; it stays where it is.
function parsed(text) {
  try {
    const entry = JSON.parse(text);
    return entry && typeof entry.id === "string" ? entry : null;
  } catch {
    return null;
  }
}

function addEntry(queue, entry) {
  const kept = { ...entry, at: Date.now(), turn: made++ };
  queue.entries.push(kept);
  try {
    localStorage.setItem(queue.prefix + kept.id, JSON.stringify(kept));
  } catch {
    queue.durable = false;
  }
}

function dropEntry(queue, id) {
  queue.entries = queue.entries.filter((entry) => entry.id !== id);
  try {
    localStorage.removeItem(queue.prefix + id);
  } catch {
    queue.durable = false;
  }
}

// What another sitting left and the store refused is put aside, where nothing sends it again.
function dropLeft(queue, entry, refused) {
  queue.left = queue.left.filter((one) => one.id !== entry.id);
  const key = `${STORAGE}/${ownerName(entry.project, entry.annotator)}/${entry.id}`;
  try {
    if (refused) localStorage.setItem(`${STORAGE}.refused/${entry.id}`, JSON.stringify(entry));
    localStorage.removeItem(key);
  } catch {
    queue.durable = false;
  }
}

function waitingIn(queue) {
  return queue.entries.length + queue.left.length;
}

function lastOn(queue, item) {
  return queue.entries.findLast((entry) => entry.item === item);
}

function openOutbox() {
  // Numbers go on rising over a reload, so that an answer to an earlier page is never taken for one to this.
  return { number: Date.now(), heard: 0, at: -Infinity, unsent: true };
}

function isWaiting(box) {
  return box.heard < box.number && performance.now() - box.at < RETRY_MS;
}

// One message is under way at a time; what is pressed meanwhile goes with the next.
function flush(sitting) {
  const box = sitting.box;
  if (isWaiting(box) || !sitting.post) return;
  box.number += 1;
  box.at = performance.now();
  box.unsent = false;
  sitting.post({
    number: box.number,
    item: sitting.cursor,
    order: sitting.orderTurn,
    have: [...sitting.cores.keys()].slice(-MOST_NAMED),
    blind: sitting.blind,
    entries: [...sitting.queue.entries, ...sitting.queue.left].slice(0, MOST_AT_ONCE),
  });
}

function send(sitting) {
  sitting.box.unsent = true;
  flush(sitting);
}

// A message without an answer, or an answer that says the store failed, is followed by the same again.
function retry(sitting) {
  const quiet = performance.now() - sitting.box.at >= RETRY_MS;
  if (quiet && (waitingIn(sitting.queue) || sitting.box.unsent)) flush(sitting);
}
