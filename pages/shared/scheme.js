// Asks for a new run of the page when the browser's colour scheme changes: figures are drawn in the scheme's colours.
let stop = null;

export default function (component) {
  stop?.abort();
  const mine = (stop = new AbortController());
  const query = matchMedia('(prefers-color-scheme: dark)')
  // Streamlit takes the new theme over first; the next message to the server names it.
  const follow = () => setTimeout(() => component.setTriggerValue('scheme', query.matches ? 'dark' : 'light'), 100)
  query.addEventListener('change', follow, { signal: mine.signal })
  return () => mine.abort()
}
