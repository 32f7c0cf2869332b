"""Who may import what: the architecture as a table that runs.

Every import counts, also those inside functions and behind ``TYPE_CHECKING``. A rule names the modules of ours that a
folder may import (``x.*`` = x and everything in it) and the libraries beside the standard one.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
OURS = ("engine", "viz", "pages", "app")
FACTS = (
    "engine.records",
    "engine.number_types",
    "engine.errors",
    "engine.progress",
    "engine.seeds",
    "engine.seals",
    "engine.folders",
    "engine.profiles",
    "engine.call_cache",  # bytes under keys: what backends have said, on disk
    "engine.fingerprints",  # what makes two computations the same
)
BASES = tuple(
    f"engine.{package}.base" for package in ("language_models", "entailment", "retrieval", "corpus_stats", "text")
)
LOADERS = ("engine.language_models", "engine.entailment", "engine.retrieval", "engine.corpus_stats", "engine.text")
MEASURED = "engine.entailment.measured"  # records of the judge's benchmark: no model in it
JUDGING = "engine.entailment.matrix"  # all ordered pairs through any Judge: no backend in it
CONVERSION = "engine.language_models.embedded"  # converting the shipped weights is a command of its own
METHODS = ("engine.methods.*", "engine.timing.*")
FITTED = "engine.fitted.*"  # records of fitted thresholds, and where their files lie
TRACES = "engine.traces.*"  # another pipeline's answer, read without asking its model
VERIFY = "engine.verify.*"  # derived numbers computed again from a record: measures alone, no model
BUNDLE = "engine.runs.bundle"  # a record inside a page, and its seal: text in, text out
REPLAY = "engine.thresholds.*"  # thresholds replayed on stored numbers: no model in it
DESK = ("engine.pace", "engine.queueing", "engine.warm_up")  # what the job desk and the estimate stand on
KNOWN_TRUTH = ("engine.known_truth", "engine.sample_questions")  # planted defects, and what was seen of them
VARIANTS = (
    "engine.variants",
    "engine.variant_runs",
    "engine.variant_noise",
)  # what was changed in a run, and what noise says of it
ATLAS = "engine.atlas.*"  # kinds of failure, and what a stored run shows of them: no model in it
GROWTH = "engine.growth"  # records of how cost grows with the corpus: no model in it
ANNOTATIONS = "engine.annotations.*"  # people's labels
LABELLED = tuple(f"engine.annotations.{module}" for module in ("records", "fields", "agreement", "results"))
RESULTS = ("engine.diagnosis", "engine.provenance", TRACES, *METHODS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What the files that match ``files`` may import: modules of ours, and libraries (None = any but ``never``)."""

    files: str
    ours: tuple[str, ...]
    libraries: tuple[str, ...] | None = ()
    never: tuple[str, ...] = ()


def backend(package: str, *libraries: str, loads: tuple[str, ...] = ()) -> tuple[Rule, Rule]:
    """Return the rules of a backend package: its files see protocols only, its ``__init__`` may load anything of it."""
    own = f"engine.{package}.*"
    return (
        Rule(files=f"engine/{package}/__init__.py", ours=(*FACTS, *BASES, own, *loads), libraries=()),
        Rule(files=f"engine/{package}/*.py", ours=(*FACTS, *BASES, own), libraries=("numpy", *libraries)),
    )


RULES: tuple[Rule, ...] = (
    Rule(files="engine/measures/*.py", ours=("engine.measures.*",), libraries=("numpy", "scipy")),
    # A server gives its likeliest tokens only: their bounds are an equation of measures, as everywhere else.
    Rule(
        files="engine/language_models/openai_compatible.py",
        ours=(*FACTS, *BASES, "engine.language_models.*", "engine.measures.token_entropy"),
        libraries=("numpy",),
    ),
    Rule(
        files="engine/language_models/server_*.py",
        ours=(*FACTS, *BASES, "engine.language_models.*"),
        libraries=("httpx", "tenacity", "pydantic"),
    ),
    *backend(
        "language_models",
        "torch",
        "transformers",
        "accelerate",
        "gguf",
        "safetensors",
        "sqlalchemy",
        "pydantic",
        "pydantic_core",
    ),
    *backend("entailment", "torch", "transformers", "safetensors", "pydantic", "pydantic_core", loads=LOADERS),
    *backend(
        "retrieval",
        "faiss",
        "bm25s",
        "filelock",
        "torch",
        "transformers",
        "sentence_transformers",
        "tokenizers",
        "langchain_text_splitters",
        "charset_normalizer",
        "pydantic",
        "typing_extensions",  # pydantic needs its TypedDict before Python 3.12
        loads=LOADERS,
    ),
    *backend("corpus_stats", "sqlalchemy", "httpx", "tenacity", loads=LOADERS),
    *backend("text", "spacy", "lemminflect", "pydantic", "pydantic_core"),
    Rule(files="engine/fitted/*.py", ours=(*FACTS, FITTED), libraries=("pydantic", "pydantic_core")),
    # The method "timing" is the engine.timing package seen as a method; its policies use other methods in turn.
    Rule(
        files="engine/methods/timing.py",
        ours=(*FACTS, *BASES, "engine.measures.*", *METHODS),
    ),
    Rule(
        files="engine/methods/*.py",
        ours=(*FACTS, *BASES, JUDGING, "engine.measures.*", "engine.methods.*"),
        libraries=("numpy",),
    ),
    Rule(files="engine/timing/*.py", ours=(*FACTS, *BASES, "engine.measures.*", *METHODS), libraries=("numpy",)),
    Rule(
        files="engine/traces/*.py",
        ours=(*FACTS, *BASES, TRACES, "engine.measures.*", *METHODS),
        libraries=("pydantic", "pydantic_core"),
    ),
    Rule(
        files="engine/verify/*.py",
        ours=(*FACTS, *RESULTS, JUDGING, "engine.measures.*", VERIFY),
        libraries=("numpy",),
    ),
    Rule(
        files="engine/runs/*.py",
        ours=(*FACTS, *RESULTS, VERIFY, "engine.runs.*"),
        libraries=("pydantic", "pydantic_core", "sqlalchemy", "tenacity"),
    ),
    Rule(files="engine/lessons/*.py", ours=FACTS),
    # Labels are kept in a database of their own, by a migration tool; agreement is counted by three libraries.
    Rule(
        files="engine/annotations/*.py",
        ours=(*FACTS, *RESULTS, *KNOWN_TRUTH, ANNOTATIONS, "engine.measures.*", "engine.runs.*"),
        libraries=(
            "numpy",
            "scipy",
            "sqlalchemy",
            "alembic",
            "pydantic",
            "pydantic_core",
            "sklearn",
            "statsmodels",
            "nltk",
        ),
    ),
    Rule(
        files="engine/cli.py",
        ours=(
            "engine",
            ANNOTATIONS,
            *FACTS,
            *RESULTS,
            *LOADERS,
            CONVERSION,
            "engine.runs.*",
            VERIFY,
            "engine.read_trace",
            "engine.jobs",
            "engine.estimate",
            "engine.calibrate",
            FITTED,
            "viz.*",
        ),
        libraries=("typer", "rich", "click"),
    ),
    # A variant is edited by a person, aligned by ``compare``, and held against noise by equations of measures.
    Rule(
        files="engine/variant*.py",
        ours=(
            *FACTS,
            *RESULTS,
            *VARIANTS,
            "engine.compare",
            "engine.measures.*",
            "engine.retrieval.*",
            "engine.runs.*",
        ),
        libraries=("numpy",),
    ),
    Rule(files="engine/call_cache.py", ours=FACTS, libraries=("numpy", "sqlalchemy", "tenacity")),
    Rule(files="engine/fingerprints.py", ours=(*FACTS, "engine.provenance")),
    Rule(files="engine/number_types.py", ours=("engine.errors",), libraries=("torch",)),
    Rule(files="engine/thresholds/*.py", ours=(*FACTS, *RESULTS, REPLAY, "engine.measures.*")),
    Rule(files="engine/known_truth.py", ours=(*FACTS, *RESULTS, *KNOWN_TRUTH, "engine.measures.*")),
    Rule(
        files="engine/atlas/*.py",
        ours=(*FACTS, *RESULTS, *KNOWN_TRUTH, ATLAS, "engine.measures.*", "engine.runs.serialize"),
    ),
    Rule(
        files="engine/calibrat*.py",
        ours=(*FACTS, *RESULTS, *KNOWN_TRUTH, FITTED, "engine.calibration", "engine.measures.*"),
        libraries=("numpy",),
    ),
    Rule(
        files="engine/*.py",
        ours=("engine", *FACTS, *RESULTS, *BASES, *LOADERS, *DESK, FITTED, "engine.runs.*"),
        libraries=("numpy", "platformdirs"),
    ),
    Rule(
        files="viz/*.py",
        ours=(
            *FACTS,
            *BASES,
            *RESULTS,
            *KNOWN_TRUTH,
            ATLAS,
            *LABELLED,
            "engine.fitted.records",
            MEASURED,
            JUDGING,
            REPLAY,
            GROWTH,
            *VARIANTS,
            VERIFY,
            BUNDLE,
            "engine.compare",
            "engine.lessons.*",
            "engine.measures.*",
            "viz.*",
        ),
        libraries=("numpy", "pandas", "plotly", "networkx"),
    ),
    Rule(
        files="pages/*.py",
        ours=("engine.*", "viz.*", "pages.*"),
        libraries=None,
        never=("torch", "transformers", "faiss"),
    ),
    Rule(files="app.py", ours=("engine.*", "viz.*", "pages.*"), libraries=("streamlit", "torch")),
)

# Each wraps one library, so that its failures become ours in one place.
ONE_FILE = (
    "spacy",
    "faiss",
    "bm25s",
    "sentence_transformers",
    "langchain_text_splitters",
    "gguf",
    "typer",
    "platformdirs",
)


def source_files() -> list[Path]:
    """Return every file of ours that runs, relative to the project."""
    found = [path for folder in ("engine", "viz", "pages") for path in (PROJECT / folder).rglob("*.py")]
    return sorted(path.relative_to(PROJECT) for path in (*found, PROJECT / "app.py") if path.is_file())


@cache
def is_module(name: str) -> bool:
    """Return whether a dotted name is a file or folder of ours."""
    place = PROJECT.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()


def imports_of(tree: ast.AST) -> Iterator[str]:
    """Yield every imported module as a dotted name; ``from package import module`` names the module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parent = "." * node.level + (node.module or "")
            for alias in node.names:
                child = f"{parent}.{alias.name}"
                yield child if parent.split(".")[0] in OURS and is_module(child) else parent


def rule_of(path: Path) -> Rule:
    """Return the first rule whose pattern the file matches; ``*`` does not stop at a folder."""
    return next(rule for rule in RULES if fnmatchcase(path.as_posix(), rule.files))


def allowed(module: str, rule: Rule) -> bool:
    """Return whether a rule allows an import."""
    library = module.split(".")[0]
    if library in OURS:
        return any(module == name or (name.endswith(".*") and f"{module}.".startswith(name[:-1])) for name in rule.ours)
    if library in sys.stdlib_module_names:
        return True
    return library not in rule.never if rule.libraries is None else library in rule.libraries


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a file of ours as a syntax tree."""
    return ast.parse((PROJECT / path).read_text(encoding="utf-8"))


@cache
def libraries_of(path: Path) -> frozenset[str]:
    """Return the top names of everything a file imports."""
    return frozenset(module.split(".")[0] for module in imports_of(tree_of(path)))


@pytest.mark.parametrize("path", source_files(), ids=str)
def test_a_file_imports_only_what_its_folder_may(path: Path) -> None:
    rule = rule_of(path)
    broken = sorted({module for module in imports_of(tree_of(path)) if not allowed(module, rule)})
    assert not broken, f"{path} may not import {', '.join(broken)} (rule for {rule.files})"


@pytest.mark.parametrize("path", source_files(), ids=str)
def test_no_file_imports_a_private_name_or_by_a_relative_path(path: Path) -> None:
    private = [
        f"{node.module}.{alias.name}"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if node.level or (node.module != "__future__" and alias.name.startswith("_"))
    ]
    assert not private


def test_each_service_that_is_reached_over_the_network_has_one_file_for_it() -> None:
    files = {str(path) for path in source_files() if "httpx" in libraries_of(path)}
    assert files == {"engine/corpus_stats/infini_gram.py", "engine/language_models/server_connection.py"}


@pytest.mark.parametrize("library", ONE_FILE)
def test_a_wrapped_library_is_imported_by_one_file(library: str) -> None:
    files = {str(path) for path in source_files() if library in libraries_of(path)}
    assert len(files) <= 1, f"{library} is imported by {', '.join(sorted(files))}"


@pytest.mark.parametrize(
    ("path", "module", "verdict"),
    [
        ("engine/measures/a.py", "engine.records", False),
        ("engine/measures/a.py", "scipy.linalg", True),
        ("engine/methods/a.py", "engine.language_models.base", True),
        ("engine/methods/a.py", "engine.language_models.transformers_model", False),
        ("engine/methods/a.py", "engine.language_models", False),
        ("engine/methods/a.py", "torch", False),
        ("engine/text/a.py", "engine.retrieval.corpus", False),
        ("engine/jobs.py", "streamlit", False),
        ("engine/jobs.py", "viz.theme", False),
        ("engine/cli.py", "viz.summary", True),
        ("viz/a.py", "streamlit", False),
        ("viz/a.py", "pages.shared.session", False),
        ("pages/methods/a.py", "torch.nn", False),
        ("pages/methods/a.py", "streamlit", True),
    ],
)
def test_the_table_says_what_the_design_says(path: str, module: str, verdict: bool) -> None:
    assert allowed(module, rule_of(Path(path))) is verdict


def test_an_import_inside_a_function_is_seen() -> None:
    tree = ast.parse("def f():\n    from engine.language_models import embedded\n    import torch.nn\n")
    assert list(imports_of(tree)) == ["engine.language_models.embedded", "torch.nn"]
