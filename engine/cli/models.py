"""The commands about models: ``microscope models list``, ``show``, ``test``, ``add``, ``remove``, ``restore``.

``add`` alone may fetch something, and only after it has said what, and was told to.
"""

from typing import Annotated

import typer

from engine.backends import added_models
from engine.backends.devices import place_or_cpu
from engine.backends.hub_cache import cached_folder
from engine.cli.printed import say
from engine.core.errors import ModelError
from engine.core.naming import all_named
from engine.core.progress import Event, Stage
from engine.runs.models import hub, listing

models = typer.Typer(no_args_is_help=True, help="List, test, add and remove language models.")
NamedModel = Annotated[str, typer.Argument(help="A model's id or name on the list, or what --model takes.")]


@models.command("list")
def list_models(
    deleted: Annotated[bool, typer.Option("--deleted", help="List the removed models instead.")] = False,
) -> None:
    """List every model that this machine can use."""
    from viz.workspace.models import model_line

    found = listing.removed_models() if deleted else listing.usable_models()
    say("\n".join(map(model_line, found)) or "No model was removed.")


@models.command("show")
def show_model(model: NamedModel) -> None:
    """Say what a model is and what every method can measure with it; no weights are read."""
    from engine.runs.jobs.pace import stored_pace
    from engine.runs.models.card import card_of
    from viz.workspace.models import card_sentence, facts_table, reach_table

    source = source_of(model)
    card = card_of(source)
    if card is None:
        raise ModelError(
            "Its files are not on this machine, or it is a GGUF file not converted yet: test it once. "
            "For a server: microscope server ADDRESS."
        )
    entry = added_models.entry_for(source)
    say(card_sentence(card))
    for table in (reach_table(card), facts_table(card, entry.trial if entry else None, stored_pace(source))):
        say("\n" + table.to_string(index=False))


@models.command("test")
def test_model(
    model: NamedModel,
    device: Annotated[str, typer.Option(help="Where it computes: auto, cpu, cuda or mps.")] = "auto",
) -> None:
    """Open a model, ask it one question and measure its pace."""
    from engine.runs.models.trial import try_model
    from viz.workspace.models import trial_sentence

    say(trial_sentence(try_model(source_of(model), device, tell)))


@models.command("add")
def add_model(
    model: Annotated[str, typer.Argument(help="A folder, a .gguf file, a server's address, or a name on a hub.")],
    name: Annotated[str, typer.Option(help="Its name; default: the folder's or the model's, or the one it has.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Fetch it without asking first.")] = False,
) -> None:
    """Put a model on the list; one that only a hub has is fetched, after saying its size, licence and memory."""
    source, usual = listing.check_source(model), ""
    if listing.kind_of(source) == "hub" and cached_folder(source) is None:
        source, usual = fetched(source, yes), source
    entry = added_models.rename(added_models.add(source, name or usual).id, name)
    say(f"{entry.name} is on the list. Ask it with: microscope ask … --model {entry.source}")


def fetched(name: str, yes: bool) -> str:
    """Return the folder of a model of a hub, fetched where the reader agrees. Raises ModelError where not."""
    from viz.workspace.models import offer_sentence

    offer = hub.offer_of(name, place_or_cpu())
    say(offer_sentence(offer))
    if not yes and not typer.confirm("Fetch it now?"):
        raise ModelError("Nothing was fetched.")
    return str(hub.fetch(offer))


@models.command("remove")
def remove_model(model: NamedModel) -> None:
    """Take a model off the list; your own folders and files stay where they are."""
    entry = added_models.entry_named(model)
    listing.take_off(entry.id)
    say(f"{entry.name} is off the list. Undo it with: microscope models restore {entry.id}")


@models.command("restore")
def restore_model(
    model: Annotated[str, typer.Argument(help="The id, name or path of a model that was removed.")],
) -> None:
    """Bring back a model that was removed."""
    entry = added_models.restore(added_models.entry_named(model, deleted=True).id)
    say(f"{entry.name} is on the list again.")


def source_of(model: str) -> str:
    """Return what a request names, of an id or name on the list, or of anything that a request may name already.

    Raises RecordError where several on the list have the name.
    """
    listed = added_models.entries()
    if model in {entry.source for entry in listed} or not all_named(model, listed):
        return model
    return added_models.entry_named(model).source


def tell(event: Event) -> None:
    """Print a stage when it begins."""
    if isinstance(event, Stage) and event.done == 0:
        say(f"  {event.name}", err=True)
