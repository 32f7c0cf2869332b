// Lets a tab find again what it had not sent: the server keeps that under a name, which stays in the tab when its page
// is loaded anew. A box that is still typed in is left first, and its text stays in the tab, should the server not hear.
const NAME = 'microscope.tab'
const TYPED = 'microscope.typed'
let stop = null

function typedNow() {
  const box = document.activeElement
  const place = box?.closest('[class*="st-key-"]')
  if (!place || !['INPUT', 'TEXTAREA'].includes(box.tagName)) return {}
  return { box: place.className.match(/st-key-\S+/)[0], text: box.value }
}

export default function (component) {
  stop?.abort()
  const mine = (stop = new AbortController())
  const { tab, before } = component.data
  const held = sessionStorage.getItem(NAME)
  if (held && held !== tab && held !== before) {
    component.setTriggerValue('before', { tab: held, ...JSON.parse(sessionStorage.getItem(TYPED) ?? '{}') })
  } else {
    sessionStorage.setItem(NAME, tab)
    sessionStorage.removeItem(TYPED)
  }
  const leave = () => {
    sessionStorage.setItem(TYPED, JSON.stringify(typedNow()))
    document.activeElement?.blur()
  }
  addEventListener('beforeunload', leave, { signal: mine.signal })
  return () => mine.abort()
}
