"""The few numbers that a method's page is about, by address; those that are not there are left out."""

from engine.catalogue.base import Place
from engine.catalogue.walk import number_at
from engine.diagnosis.record import Diagnosis
from engine.methods import METHODS


def headlines(diagnosis: Diagnosis, method: str) -> tuple[Place, ...]:
    """Return the numbers a method's page is about, most telling first; () where the method has no result."""
    outcome = diagnosis.outcome(method)
    if outcome is None or outcome.result is None:
        return ()
    addresses = METHODS[method].headlines(outcome.result)
    found = (number_at(diagnosis, f"{method}.{address}") for address in addresses)
    return tuple(place for place in found if place is not None)
