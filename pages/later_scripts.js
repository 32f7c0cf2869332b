// Fetches scripts a moment after the page has loaded, and runs them once nobody types, points or scrolls. What draws
// figures takes a slow machine most of a second to run: the first page with a figure would wait for that.
(scripts, without, fetchAfter, quiet) => {
  if (location.pathname.split('/').includes(without)) return
  const addresses = scripts.map((one) => new URL(one, document.baseURI).href)
  let last = 0
  const heard = () => { last = performance.now() }
  const kinds = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'touchstart']
  const fetchNow = () => addresses.forEach((href) => {
    const link = document.createElement('link')
    Object.assign(link, { rel: 'modulepreload', crossOrigin: '', href })
    document.head.append(link)
  })
  const run = () => {
    kinds.forEach((kind) => removeEventListener(kind, heard, true))
    // One that fails here fails again, with its message, where it is needed.
    addresses.forEach((href) => import(href).catch(() => {}))
  }
  const runWhenQuiet = () => {
    const left = last + quiet - performance.now()
    if (left > 0 || document.hidden) setTimeout(runWhenQuiet, Math.max(left, 100))
    else (window.requestIdleCallback ?? setTimeout)(run)
  }
  addEventListener('load', () => setTimeout(() => {
    kinds.forEach((kind) => addEventListener(kind, heard, { capture: true, passive: true }))
    heard()
    fetchNow()
    runWhenQuiet()
  }, fetchAfter))
}
