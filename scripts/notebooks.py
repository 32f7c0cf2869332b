"""Write the notebooks of ``docs/notebooks``: one for each method, all alike, without outputs.

    python scripts/notebooks.py

Each opens a recorded run, shows its verdict, its figures and tables, works out the method's equation on numbers small
enough to check by hand, and lists the run's numbers. No model is loaded. Run them anywhere that
``import retrieval_microscope`` works.
"""

import json
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from engine.methods import METHODS  # noqa: E402

FOLDER = PROJECT / "docs" / "notebooks"
CHECKS = "checks_run.json"
# The recorded run of each method, or the file beside the notebooks.
RUNS = {
    "dense": "statue-engineer-birthplace",
    "dense_rag": "atlas-wording",
    "seper": "suez-opening-date",
    "entropy_trend": "suez-opening-date",
    "timing": "timing-author-of-hamlet",
    "quco_rag": "statue-engineer-birthplace",
    "sugar": "atlas-confidently-wrong",
    "uncertainty": "atlas-confidently-wrong",
    "chunk_utility": "atlas-contradiction",
    "sufficiency": CHECKS,
    "contradictions": CHECKS,
    "question_parts": CHECKS,
}
# What to compute by hand, in words, and the same with the function that the method calls.
BY_HAND = {
    "dense": (
        "Two answers that half agree ($w_{12} = 0.5$): both degrees are 1.5, so the entropy is "
        "$-\\ln(1.5 / 2) = 0.2877$ nats (eq. 6).",
        "from engine.measures.response_graph import degree_entropy\n\n"
        "entropy = degree_entropy([[1, 0.5], [0.5, 1]])\nassert abs(entropy - 0.287682) < 1e-6\nentropy",
    ),
    "dense_rag": (
        "DENSE-RAG refines the passages while the entropy is above its threshold, 0.2 nats; 0.2 itself is not above.",
        "from engine.measures.response_graph import is_uncertain\n\n"
        "decided = is_uncertain(0.2), is_uncertain(0.21)\nassert decided == (False, True)\ndecided",
    ),
    "seper": (
        "Two samples, equally likely. One entails the correct answer with 0.6, the other with 0.05: the belief is "
        "$0.5 \\cdot 0.6 + 0.5 \\cdot 0.05 = 0.325$.",
        "from engine.measures.semantic_perplexity import seper_soft\n\n"
        "belief = seper_soft([0.5, 0.5], [[0.6], [0.05]])\nassert abs(belief - 0.325) < 1e-12\nbelief",
    ),
    "entropy_trend": (
        "Entropies 1, 2, 2 and 5 change by 1, 0 and 3. The change changes by −1, then by 3: "
        "the jump is at the last word.",
        "from engine.measures.entropy_trend import second_differences\n\n"
        "jumps = second_differences([1.0, 2.0, 2.0, 5.0], [True] * 4)\nassert jumps == [(2, -1.0), (3, 3.0)]\njumps",
    ),
    "timing": (
        "Every policy reads the same answer from memory. Where each would look something up, "
        "in characters of that answer:",
        "places = {lane.policy: [lane.signals[place].start for place in lane.triggers] for lane in result.lanes}\n"
        "assert len(places) == len(result.lanes)\nplaces",
    ),
    "quco_rag": (
        "A question names two things. One is named 10 times, the other 1,500 times: the mean is 755, below the paper's "
        "threshold of 1,000, so the model has seen too little of them (eq. 2).",
        "from engine.measures.co_occurrence import mean_entity_count, needs_initial_retrieval\n\n"
        "mean = mean_entity_count([10, 1500])\nassert mean == 755.0 and needs_initial_retrieval([10, 1500])\nmean",
    ),
    "sugar": (
        "Two meanings with probabilities 0.9 and 0.1: $-0.9 \\ln 0.9 - 0.1 \\ln 0.1 = 0.3251$ nats.",
        "from engine.measures.semantic_entropy import semantic_entropy\n\n"
        "entropy = semantic_entropy([0.9, 0.1])\nassert abs(entropy - 0.325083) < 1e-6\nentropy",
    ),
    "uncertainty": (
        "Two answers that have nothing in common fall into two groups: the sum of eigenvalues counts them.",
        "from engine.measures.graph_uncertainty import eigenvalue\n\n"
        "groups = eigenvalue([[1, 0], [0, 1]])\nassert abs(groups - 2.0) < 1e-9\ngroups",
    ),
    "chunk_utility": (
        "With the passage the belief in the correct answer is 0.699, without it 0.02: the passage is worth 0.679.",
        "from engine.measures.semantic_perplexity import delta_seper\n\n"
        "worth = delta_seper(0.699, 0.02)\nassert abs(worth - 0.679) < 1e-9\nworth",
    ),
    "sufficiency": (
        "“Yes” in two spellings has log-probabilities −1 and −3, “no” has −2 and −4. The share of “yes” is "
        "$1 / (1 + e^{-1}) = 0.7311$.",
        "from engine.measures.sufficiency import yes_share\n\n"
        "share = yes_share([-1.0, -3.0], [-2.0, -4.0])\nassert abs(share - 0.731059) < 1e-6\nshare",
    ),
    "contradictions": (
        "The judge gives a contradiction 0.9 in one direction and 0.7 in the other: together 0.8.",
        "from engine.measures.contradictions import mutual_contradiction\n\n"
        "both = mutual_contradiction(0.9, 0.7)\nassert abs(both - 0.8) < 1e-12\nboth",
    ),
    "question_parts": (
        "A question asks for two things, and the answer has one of them: half is answered.",
        "from engine.measures.question_parts import answered_share\n\n"
        "share = answered_share([True, False])\nassert share == 0.5\nshare",
    ),
}


def markdown(text: str) -> dict[str, object]:
    """Return a cell of text."""
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code(text: str) -> dict[str, object]:
    """Return a cell of code, not run yet."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": text.splitlines(keepends=True),
    }


def lead_of(word: str) -> str:
    """Return the first paragraph of a method's page."""
    text = (PROJECT / "pages" / "text" / "methods" / f"{word}.md").read_text(encoding="utf-8")
    return text.split("\n\n", 1)[0].strip()


def cells_of(word: str) -> list[dict[str, object]]:
    """Return the cells of a method's notebook, in order."""
    method, run, (said, worked) = METHODS[word], RUNS[word], BY_HAND[word]
    opened = f'rm.open_run("{run}")' if run == CHECKS else f'rm.sample("{run}")'
    # A run shows itself with four figures: once is enough.
    shown = "run" if word == "dense" else "rm.verdicts(run)"
    whence = (
        "A run recorded for these notebooks." if run == CHECKS else "A recorded run that is shipped with the program."
    )
    return [
        markdown(f"# {method.title}\n\n*{method.question}*\n\n{lead_of(word)}\n\nPaper: {method.paper}"),
        markdown(f"## A run\n\n{whence} No model is loaded."),
        code(f'import retrieval_microscope as rm\n\nrun = {opened}\nresult = run.result_of("{word}")\n{shown}'),
        code(f'rm.verdict(run, "{word}")'),
        markdown('## Its figures\n\nAny of them by its name. `theme="dark"` draws for a dark page.'),
        code(f'names = rm.figure_names(run, "{word}")\nnames'),
        code("for name in names[:2]:\n    print(rm.sentence(run, name))\n    display(rm.figure(run, name))"),
        markdown("## Its tables"),
        code(f'rm.table(run, rm.table_names(run, "{word}")[0])'),
        markdown(f"## The equation, by hand\n\n{said}"),
        code(worked),
        markdown("## Every number\n\nEach with its address, and whether it follows again from what is stored."),
        code(f'frame = run.to_frame()\nframe[frame["address"].str.startswith("{word}.")].head(10)'),
        markdown(
            "## Your own question\n\nThis loads a model, so it is not run here:\n\n```python\n"
            'run = rm.diagnose(\n    "Your question?", corpus="your-folder", answers=("a correct answer",), '
            f'methods=("{word}",)\n)\n'
            "```"
        ),
    ]


def notebook_of(word: str) -> str:
    """Return a method's notebook as a file."""
    cells = [cell | {"id": f"{word.replace('_', '-')}-{place}"} for place, cell in enumerate(cells_of(word))]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    whole = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def main() -> None:
    """Write every notebook."""
    FOLDER.mkdir(exist_ok=True)
    for word in METHODS:
        (FOLDER / f"{word}.ipynb").write_text(notebook_of(word), encoding="utf-8")
        print(f"docs/notebooks/{word}.ipynb")


if __name__ == "__main__":
    main()
