"""List the recorded runs that show what each lesson needs: ``python -m scripts.lesson_runs``.

Run it after recording runs again. Change ``prefers`` in a lesson if another run teaches better.
"""

from engine.learning.lessons import LESSONS
from engine.learning.lessons.base import candidates, chosen_run
from engine.runs.sample_runs import recorded_ids, recorded_run


def main() -> None:
    """Print for each part of each lesson what it needs, the run it shows, and all runs that would fit."""
    runs = {run_id: recorded_run(run_id) for run_id in recorded_ids()}
    for lesson in LESSONS.values():
        print(f"\n{lesson.word}: {lesson.title}")
        for part, fitting in zip(lesson.parts, candidates(lesson, runs), strict=True):
            for need in part.needs:
                holding = sum(bool(need.holds(run)) for run in runs.values())
                print(f"    needs {need.words} ({holding} of {len(runs)} runs)")
            shown = chosen_run(lesson, part, recorded_run, recorded_ids()) if fitting else "NONE"
            print(f"    shown: {shown}    fitting: {', '.join(fitting) or 'none'}")


if __name__ == "__main__":
    main()
