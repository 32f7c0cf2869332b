"""What the data folder holds, in bytes: models, indexes, runs and the rest, for the Guide's page on places."""

from pathlib import Path

from engine.core.folders import data_folder, size_of

# The first part of a file's path, or the name of a database, whose journals lie beside it.
KINDS = {
    "models": "Models",
    "indexes": "Indexes",
    "corpora": "Corpora",
    "uploads": "Uploads",
    "traces": "Traces",
    "calls.sqlite": "Cache",
    "runs.sqlite": "Runs",
    "studies.sqlite": "Studies",
    "annotations.sqlite": "Labels",
}


def stored_sizes(folder: Path | None = None) -> dict[str, int]:
    """Return how many bytes each kind takes in the data folder, the largest first; what is not there is left out."""
    place = folder or data_folder()
    sizes = {title: sum(map(size_of, place.glob(f"{name}*"))) for name, title in KINDS.items()}
    return dict(sorted(((title, size) for title, size in sizes.items() if size), key=lambda pair: -pair[1]))
