"""Single keys on the page of a run: the browser presses the page's own buttons and links, nothing is told to Python."""

from pages.shared.browser_part import browser_part


def draw_story_keys() -> None:
    """Draw the button that lists the keys of this page, and hear them."""
    mount = browser_part("story", "shared/keyboard.js", "workspace/story/story.js", "workspace/story/story.css")
    mount(key="story-keys", width=42, height=44)
