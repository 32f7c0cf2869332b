"""Thresholds fitted to a model by ``microscope calibrate``: where their files lie, and which one belongs to a run.

Fits are found in the user's data folder (``fitted/``) first, then among those shipped here. A fit belongs to one
revision of one model, with its writer, rewriter, judge and profile: for any other there is none. With another writer
alone, what was not fitted to step-by-step answers still holds.
"""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from engine.core.errors import RecordError
from engine.core.folders import data_folder
from engine.thresholds.fitted.records import FittedThresholds, fit_from_json
from engine.thresholds.table import THRESHOLDS

SHIPPED = Path(__file__).resolve().parent
FOLDER = "fitted"
LARGEST_FILE = 16 * 2**20


def fit_folders() -> tuple[Path, ...]:
    """Return where fits are looked for, the user's own folder first."""
    return data_folder() / FOLDER, SHIPPED


def fits_for(
    model: str, judge: str, profile: str, folders: tuple[Path, ...] | None = None
) -> tuple[FittedThresholds, ...]:
    """Return every fit for a model of this name with this judge and profile, of whatever revision; () = none.

    ``model`` may be a folder: its last part is its name, as in a record. Raises RecordError on a damaged file.
    """
    names = {model, Path(model).name}
    return tuple(
        fit
        for folder in (fit_folders() if folders is None else folders)
        for path in sorted(folder.glob("*.json"))
        if (fit := read_fit(path)).origin.model in names and (fit.origin.judge, fit.origin.profile) == (judge, profile)
    )


def fit_of(
    model: str,
    revisions: tuple[str, str, str],
    judge: str,
    profile: str,
    folders: tuple[Path, ...] | None = None,
) -> FittedThresholds | None:
    """Return the fit for these weights, None where there is none.

    ``revisions`` are those of model, writer and rewriter ("" = the model). Where only the writer is another, the
    thresholds of step-by-step answers are left out, with the reason.
    """
    found = fits_for(model, judge, profile, folders)
    exact = next((fit for fit in found if fit.origin.revisions == revisions), None)
    near = (fit for fit in found if fit.origin.revisions[::2] == revisions[::2])
    return exact or next(map(of_another_writer, near), None)


def of_another_writer(fit: FittedThresholds) -> FittedThresholds:
    """Return a fit without what was fitted to step-by-step answers: another model writes them."""
    reason = f"Its fit was made on answers of another writer, {fit.origin.writer or fit.origin.model}."
    others = {word for word, one in THRESHOLDS.items() if one.policy}
    kept = tuple(
        replace(one, value=None, reason=reason) if one.name in others and one.value is not None else one
        for one in fit.thresholds
    )
    return replace(fit, thresholds=kept, policies=())


def read_fit(path: Path) -> FittedThresholds:
    """Return the fit in a file. Raises RecordError where it cannot be read."""
    try:
        state = path.stat()
        if state.st_size > LARGEST_FILE:
            raise RecordError(f"{path.name} is no file of fitted thresholds: it is larger than 16 MiB.")
        return _read(path, state.st_mtime_ns, state.st_size)
    except OSError as exc:
        raise RecordError(f"The fitted thresholds in {path.name} cannot be read: {exc.strerror}.") from exc


@lru_cache(maxsize=16)
def _read(path: Path, _changed: int, _size: int) -> FittedThresholds:
    try:
        return fit_from_json(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as exc:
        raise RecordError(f"The fitted thresholds in {path.name} are no text.") from exc
    except RecordError as exc:
        raise RecordError(f"{path.name} in the folder {path.parent.name}: {exc}") from exc
