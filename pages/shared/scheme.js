// Asks for a new run of the page when the browser's colour scheme changes: figures are drawn in the scheme's colours.
// Before the page is printed, tells each figure how far it must shrink: it was drawn as wide as the screen.
const PAPER = 660; // pixels, inside a card on A4
let stop = null;

export default function (component) {
  stop?.abort();
  const mine = (stop = new AbortController());
  const query = matchMedia('(prefers-color-scheme: dark)')
  // Streamlit takes the new theme over first; the next message to the server names it.
  const follow = () => setTimeout(() => component.setTriggerValue('scheme', query.matches ? 'dark' : 'light'), 100)
  query.addEventListener('change', follow, { signal: mine.signal })
  const shrink = () => {
    for (const figure of document.querySelectorAll('[data-testid="stPlotlyChart"]')) {
      figure.style.setProperty('--paper', Math.min(1, PAPER / figure.getBoundingClientRect().width))
    }
  }
  addEventListener('beforeprint', shrink, { signal: mine.signal })
  hearPictures(mine.signal)
  return () => mine.abort()
}
