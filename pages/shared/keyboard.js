// When a key belongs to nobody else: nobody types, no modifier is held, no dialog is open, no control takes it for itself.

const TAKES_KEYS =
  "[role=slider], [role=listbox], [role=grid], [role=menu], [role=tablist], [role=radiogroup], [data-grid], canvas";

function isEditable(node) {
  if (!(node instanceof Element)) return false;
  return node.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(node.tagName);
}

function takesKeys(path) {
  return path.some((node) => node instanceof Element && node.matches(TAKES_KEYS));
}

function isDialogOpen() {
  return Boolean(document.querySelector('dialog[open], [role="dialog"]'));
}

// Whether a key comes without a modifier, outside of every dialog and of every field that is typed in.
function isPlain(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isDialogOpen()) return false;
  return !event.composedPath().some(isEditable);
}
