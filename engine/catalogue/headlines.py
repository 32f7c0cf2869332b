"""The few numbers that a method's page is about, by address; those that are not there are left out."""

from engine.catalogue.base import Place
from engine.catalogue.walk import number_at
from engine.diagnosis.record import Diagnosis
from engine.methods import METHODS


def headlines(diagnosis: Diagnosis, method: str) -> tuple[Place, ...]:
    """Return the numbers a method's page is about, most telling first; () where the method has no result."""
    result = diagnosis.result_of(method)
    if result is None:
        return ()
    found = (number_at(diagnosis, f"{method}.{address}") for address in METHODS[method].headlines(result))
    return tuple(place for place in found if place is not None)
