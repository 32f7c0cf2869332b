// Fetches scripts a moment after the page has loaded, and runs them one by one while nobody types, points or scrolls.
// What draws figures takes a slow machine most of a second to run, what colours code a quarter: the first page with one
// would wait for that. Letters of other shapes are fetched last.
(scripts, fonts, without, fetchAfter, quiet) => {
  if (location.pathname.split('/').includes(without)) return
  const addresses = scripts.map((one) => new URL(one, document.baseURI).href)
  let last = 0
  const heard = () => { last = performance.now() }
  const kinds = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'touchstart']
  const preload = (rel, href, more) => {
    const link = document.createElement('link')
    Object.assign(link, { rel, crossOrigin: '', href, ...more })
    document.head.append(link)
  }
  const finish = () => {
    kinds.forEach((kind) => removeEventListener(kind, heard, true))
    fonts.forEach((one) => preload('preload', new URL(one, document.baseURI).href, { as: 'font', type: 'font/woff2' }))
  }
  // One that fails here fails again, with its message, where it is needed.
  const run = () => import(addresses.shift()).catch(() => {}).then(addresses.length ? runWhenQuiet : finish)
  const runWhenQuiet = () => {
    const left = last + quiet - performance.now()
    if (left > 0 || document.hidden) setTimeout(runWhenQuiet, Math.max(left, 100))
    else (window.requestIdleCallback ?? setTimeout)(run)
  }
  addEventListener('load', () => setTimeout(() => {
    kinds.forEach((kind) => addEventListener(kind, heard, { capture: true, passive: true }))
    heard()
    addresses.forEach((href) => preload('modulepreload', href))
    runWhenQuiet()
  }, fetchAfter))
}
