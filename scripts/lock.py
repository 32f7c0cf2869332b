"""Write the hashes of the locked packages, and the page about them.

    python scripts/lock.py            hashes and page; needs ``uv`` on the path and the network
    python scripts/lock.py page       only docs/dependencies.md, from the installed packages

``requirements.lock`` pins every package and is kept by hand. ``requirements.hashes.txt`` has, for what the workbench
needs, the SHA-256 of every file on PyPI, ``requirements-test.hashes.txt`` for what only tests need. torch is in
neither: each of its builds is another file.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from scripts.setup import HASHED, HASHED_FOR_TESTS, MODEL_PACKAGES  # noqa: E402

PAGE = PROJECT / "docs" / "dependencies.md"
PURPOSES = PROJECT / "scripts" / "dependencies.toml"
LEFT_TO_TORCH = {"torch"}
MIB = 2**20


def locked() -> dict[str, str]:
    """Return the version of each locked package by its canonical name, the packages with models among them."""
    lines = (PROJECT / "requirements.lock").read_text(encoding="utf-8").split()
    pairs = (line.split("==") for line in (*lines, *MODEL_PACKAGES))
    return {canonicalize_name(name): version for name, version in pairs}


def project() -> dict[str, list[str]]:
    """Return what the project asks for by itself (""), and for each of its extras."""
    told = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"": told["dependencies"], **told["optional-dependencies"]}


def needed_by(name: str, extras: frozenset[str] = frozenset()) -> list[Requirement]:
    """Return what an installed package needs on this machine."""
    found = map(Requirement, distribution(name).requires or ())
    environments: list[dict[str, Any]] = [{**default_environment(), "extra": extra} for extra in ("", *extras)]
    return [one for one in found if one.marker is None or any(one.marker.evaluate(env) for env in environments)]


def closure(wanted: list[str]) -> set[str]:
    """Return the canonical names of everything that requirements need, themselves included."""
    seen: set[tuple[str, frozenset[str]]] = set()
    waiting = [Requirement(one) for one in wanted]
    while waiting:
        one = waiting.pop()
        key = (canonicalize_name(one.name), frozenset(one.extras))
        if key in seen:
            continue
        seen.add(key)
        try:
            waiting += needed_by(*key)
        except PackageNotFoundError:
            continue
    return {name for name, _ in seen}


def groups() -> tuple[set[str], set[str]]:
    """Return the locked packages that the workbench needs, and those that only tests need; the rest are extras'."""
    told, pins = project(), set(locked())
    models = {canonicalize_name(one.split("==")[0]) for one in MODEL_PACKAGES}
    runs = (closure(told[""]) | models) & pins
    return runs, (closure(told["test"]) & pins) - runs


def hashed(names: set[str]) -> str:
    """Return the pins of these packages with the hashes of all their files, as pip reads them; uv asks the registry."""
    pins = "\n".join(f"{name}=={version}" for name, version in sorted(locked().items()) if name in names)
    command = ["uv", "pip", "compile", "-", "--no-deps", "--generate-hashes", "--no-header", "--no-annotate", "--quiet"]
    told = subprocess.run(
        [*command, "--universal", "--python-version", "3.11"], input=pins, capture_output=True, text=True, check=True
    )
    return told.stdout


def write_hashes() -> None:
    """Write both files of hashes."""
    for file, names in zip((HASHED, HASHED_FOR_TESTS), groups(), strict=True):
        (PROJECT / file).write_text(hashed(names - LEFT_TO_TORCH), encoding="utf-8")


@cache
def found(name: str) -> Distribution | None:
    """Return an installed package, None where it is not installed."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def licence_of(name: str) -> str:
    """Return a package's licence as it names it: expression, short text, or classifiers."""
    package = found(name)
    if package is None:
        return "not installed here"
    told = package.metadata
    expression = "".join(told.get_all("License-Expression") or ())
    classifiers = [
        one.split("::")[-1].strip() for one in told.get_all("Classifier") or () if one.startswith("License ::")
    ]
    text = "".join(told.get_all("License") or ()).strip().split("\n")[0]
    short = text if text and len(text) <= 60 else ""
    return expression or " or ".join(one for one in classifiers if one != "OSI Approved") or short or "see its files"


def size_of(name: str) -> float:
    """Return the size of a package's installed files in MiB, 0.0 where it is not installed."""
    package = found(name)
    files = (package.files or ()) if package is not None else ()
    return sum(one.size or 0 for one in files) / MIB


def cell(text: str) -> str:
    """Return a text for a cell of a Markdown table."""
    return re.sub(r"\s+", " ", text).replace("|", "/")


def page() -> str:
    """Return docs/dependencies.md."""
    told, pins = project(), locked()
    purposes: dict[str, str] = tomllib.loads(PURPOSES.read_text(encoding="utf-8"))["purposes"]
    runs, tests = groups()
    models = [canonicalize_name(one.split("==")[0]) for one in MODEL_PACKAGES]
    direct = [canonicalize_name(Requirement(one).name) for one in told[""]] + models
    for_tests = [canonicalize_name(Requirement(one).name) for one in told["test"]]
    extras = {name: told[name] for name in told if name not in ("", "test")}
    parts = [PAGE_HEAD.format(runs=len(runs), tests=len(tests), size=sum(map(size_of, runs))).strip()]
    parts.append("## What the workbench asks for\n\n" + direct_table(direct, pins, purposes))
    parts.append("## What only tests ask for\n\n" + direct_table(for_tests, pins, purposes))
    parts.append("## Extras\n\n" + extras_table(extras, purposes))
    parts.append(tomllib.loads(PURPOSES.read_text(encoding="utf-8"))["review"].strip())
    rest = sorted((runs | tests) - set(direct) - set(for_tests) | (set(pins) - runs - tests))
    parts.append("## What these bring along\n\n" + rest_table(rest, pins, runs, tests))
    return "\n\n".join(parts) + "\n"


PAGE_HEAD = """# Dependencies

`python scripts/lock.py page` writes this page from the installed packages: version, licence as the package names it,
size of its installed files, without compiled copies, on Linux x86-64.

The workbench needs {runs} packages ({size:,.0f} MiB with the build of torch for the CPU), tests {tests} more.
`requirements.lock` pins all but the three with models, which `scripts/setup.py` pins. On Linux, set-up checks every
file but torch's against its SHA-256 (`requirements.hashes.txt`, `requirements-test.hashes.txt`). Without an NVIDIA GPU
it takes torch's build for the CPU.
"""


def direct_table(names: Sequence[str], pins: dict[str, str], purposes: dict[str, str]) -> str:
    """Return the table of packages that the project names."""
    rows = [
        f"| {name} {pins.get(name, '')} | {cell(purposes[name])} | {cell(licence_of(name))} | {size_of(name):,.1f} |"
        for name in dict.fromkeys(names)
    ]
    return "\n".join(["| package | for | licence | MiB |", "| --- | --- | --- | --- |", *rows])


def extras_table(extras: dict[str, list[str]], purposes: dict[str, str]) -> str:
    """Return the table of extras."""
    rows = [f"| `{name}` | {', '.join(wanted)} | {cell(purposes[name])} |" for name, wanted in extras.items()]
    return "\n".join(["| extra | packages | for |", "| --- | --- | --- |", *rows])


def rest_table(names: list[str], pins: dict[str, str], runs: set[str], tests: set[str]) -> str:
    """Return the table of packages that others need."""
    rows = [
        f"| {name} {pins[name]} | {'workbench' if name in runs else 'tests' if name in tests else 'an extra'} "
        f"| {cell(licence_of(name))} | {size_of(name):,.1f} |"
        for name in names
    ]
    return "\n".join(["| package | needed by | licence | MiB |", "| --- | --- | --- | --- |", *rows])


def main(arguments: list[str]) -> None:
    """Write what is asked for."""
    if arguments != ["page"]:
        if shutil.which("uv") is None:
            sys.exit("This needs uv on the path: pip install uv.")
        write_hashes()
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
