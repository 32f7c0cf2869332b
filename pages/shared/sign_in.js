// Puts the focus on the one button of the sign-in page once it is there, so that Enter presses it.
const EVERY_MS = 50
const LONGEST_MS = 3000

export default function () {
  const since = Date.now()
  const look = setInterval(() => {
    const button = document.querySelector('.st-key-sign_in_page button')
    if (!button && Date.now() - since < LONGEST_MS) return
    clearInterval(look)
    // What somebody has reached already keeps the focus.
    if (document.activeElement === document.body) button?.focus()
  }, EVERY_MS)
  return () => clearInterval(look)
}
