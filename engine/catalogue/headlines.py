"""The few numbers that a method's page is about, by address; those that are not there are left out."""

from itertools import chain, zip_longest

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


def foremost(diagnosis: Diagnosis) -> tuple[Place, ...]:
    """Return the numbers of every method's page: first what each method is about, then what stands second on each."""
    found = [headlines(diagnosis, outcome.method) for outcome in diagnosis.outcomes]
    return tuple(place for place in chain.from_iterable(zip_longest(*found)) if place is not None)
