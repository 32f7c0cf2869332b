// After an item is settled the next one is read from its top: where that stands above the window, the page goes up to it.
let last = null

export default function (component) {
  const { settled } = component.data
  const place = component.parentElement.host ?? component.parentElement
  if (last !== null && settled > last && place.getBoundingClientRect().top < 0) {
    place.style.scrollMarginTop = '5rem'
    place.scrollIntoView({ block: 'start' })
  }
  last = settled
}
