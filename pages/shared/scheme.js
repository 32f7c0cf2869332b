// Asks for a new run of the page when the browser's colour scheme changes: figures are drawn in the scheme's colours.
// Before the page is printed, tells each figure how far it must shrink: it was drawn as wide as the screen.
const PAPER = 660; // pixels, inside a card on A4
// Streamlit takes the new theme over first, and the next message to the server names it. A busy browser takes longer
// than the first wait, so the page is asked for again until it is drawn in the new colours.
const WAITS_MS = [100, 1000, 2000, 4000];
let stop = null;
let latest = null;
let waiting = 0;

const query = matchMedia('(prefers-color-scheme: dark)');
const scheme = () => (query.matches ? 'dark' : 'light');

function follow(waits) {
  clearTimeout(waiting);
  if (!waits.length) return;
  waiting = setTimeout(() => {
    if (waits !== WAITS_MS && latest.data.drawn === scheme()) return;
    latest.setTriggerValue('scheme', scheme());
    follow(waits.slice(1));
  }, waits[0]);
}

export default function (component) {
  stop?.abort();
  const mine = (stop = new AbortController());
  latest = component;
  query.addEventListener('change', () => follow(WAITS_MS), { signal: mine.signal })
  const shrink = () => {
    for (const figure of document.querySelectorAll('[data-testid="stPlotlyChart"]')) {
      figure.style.setProperty('--paper', Math.min(1, PAPER / figure.getBoundingClientRect().width))
    }
  }
  addEventListener('beforeprint', shrink, { signal: mine.signal })
  hearPictures(mine.signal)
  return () => mine.abort()
}
