"""The lock, its hashes and the page about it say the same; every package that the project names is used."""

import importlib.util
import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import lock

PROJECT = Path(__file__).resolve().parent.parent
PIN = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)(?: ; [^\\]+)? \\$", re.MULTILINE)
IMPORT = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
# What another package imports for us: its reader of GGUF files, its database driver, its sign-in.
BY_OTHERS = {"gguf": "transformers", "accelerate": "transformers", "psycopg": "sqlalchemy", "authlib": "streamlit"}


def pins_of(file: str) -> dict[str, str]:
    """Return the version of each package in a file of hashes."""
    return {canonicalize_name(name): version for name, version in PIN.findall((PROJECT / file).read_text("utf-8"))}


def test_the_hashes_are_those_of_the_lock_and_every_package_has_some() -> None:
    runs, tests = lock.groups()
    found = pins_of(lock.HASHED), pins_of(lock.HASHED_FOR_TESTS)
    for pins, names in zip(found, (runs, tests), strict=True):
        assert pins == {name: lock.locked()[name] for name in names - lock.LEFT_TO_TORCH}
    for file in (lock.HASHED, lock.HASHED_FOR_TESTS):
        text = (PROJECT / file).read_text("utf-8")
        blocks = re.split(r"\n(?=\S)", text.strip())
        assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", block) for block in blocks)


def test_everything_the_workbench_and_its_tests_need_is_locked() -> None:
    told = lock.project()
    assert lock.closure(told[""]) | lock.closure(told["test"]) <= set(lock.locked())


def test_the_page_names_every_locked_package_with_its_version() -> None:
    page = lock.PAGE.read_text("utf-8")
    missing = [f"{name} {version}" for name, version in lock.locked().items() if f"| {name} {version} |" not in page]
    assert missing == []


def test_every_package_that_the_project_names_has_a_purpose_and_none_is_left_from_before() -> None:
    told = lock.project()
    named = {canonicalize_name(Requirement(one).name) for name in ("", "test") for one in told[name]}
    models = {canonicalize_name(one.split("==")[0]) for one in lock.MODEL_PACKAGES}
    extras = set(told) - {"", "test"}
    assert set(tomllib.loads(lock.PURPOSES.read_text("utf-8"))["purposes"]) == named | models | extras


def test_every_package_of_the_workbench_is_imported_by_it_or_by_the_one_that_needs_it() -> None:
    imported: set[str] = set()
    for path in [
        PROJECT / "app.py",
        *(one for top in ("engine", "viz", "pages") for one in (PROJECT / top).rglob("*.py")),
    ]:
        imported |= set(IMPORT.findall(path.read_text("utf-8")))
    owners = packages_distributions()
    used = {canonicalize_name(owner) for name in imported for owner in owners.get(name, ())}
    named = {canonicalize_name(Requirement(one).name) for one in lock.project()[""]}
    assert named - used == set(BY_OTHERS)
    assert set(BY_OTHERS.values()) <= used


def test_the_licence_and_size_of_an_unknown_package_are_not_made_up() -> None:
    assert lock.licence_of("no-such-package") == "not installed here"
    assert lock.size_of("no-such-package") == 0.0
    assert importlib.util.find_spec("torch") is None or lock.size_of("torch") > 100


@pytest.mark.parametrize("name", ["numpy", "streamlit", "pypdf"])
def test_a_licence_is_read_from_the_package(name: str) -> None:
    assert re.search("BSD|Apache|MIT", lock.licence_of(name))
