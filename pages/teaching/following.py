"""Which lesson is taught after which."""

from engine.learning.lessons import LESSONS
from engine.learning.lessons.base import Lesson


def next_lesson(lesson: Lesson) -> Lesson | None:
    """Return the lesson taught after this one, None after the last."""
    words = [*LESSONS]
    place = words.index(lesson.word) + 1
    return LESSONS[words[place]] if place < len(words) else None
