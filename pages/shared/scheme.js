// Asks for a new run of the page when Streamlit changes its colours: figures are drawn in them.
// Before the page is printed, tells each figure how far it must shrink: it was drawn as wide as the screen.
const PAPER = 660; // pixels, inside a card on A4
// The next message to the server names Streamlit's new colours; a busy browser may send it too early, or lose it.
const WAITS_MS = [100, 1000, 2000, 4000];
let stop = null;
let latest = null;
let waiting = 0;
let asked = null;

const app = () => document.querySelector('[data-testid="stApp"]');
const shown = () => getComputedStyle(app()).colorScheme;

function ask(waits) {
  clearTimeout(waiting);
  if (!waits.length) return;
  waiting = setTimeout(() => {
    if (latest.data.drawn === shown()) return;
    latest.setTriggerValue('scheme', shown());
    ask(waits.slice(1));
  }, waits[0]);
}

// Once for a change: a server that draws in other colours all the same would be asked for ever.
function follow() {
  if (latest.data.drawn === shown()) { asked = null; return; }
  if (asked === shown()) return;
  asked = shown();
  ask(WAITS_MS);
}

export default function (component) {
  stop?.abort();
  const mine = (stop = new AbortController());
  latest = component;
  follow(); // the colours may have changed before this script came
  const changes = new MutationObserver(follow); // Streamlit puts each theme into a class of its own
  changes.observe(app(), { attributes: true, attributeFilter: ['class'] });
  mine.signal.addEventListener('abort', () => changes.disconnect());
  const shrink = () => {
    for (const figure of document.querySelectorAll('[data-testid="stPlotlyChart"]')) {
      figure.style.setProperty('--paper', Math.min(1, PAPER / figure.getBoundingClientRect().width))
    }
  }
  addEventListener('beforeprint', shrink, { signal: mine.signal })
  hearPictures(mine.signal)
  return () => mine.abort()
}
