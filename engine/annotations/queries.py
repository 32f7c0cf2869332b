"""The store's queries: which items pass a filter, which come next."""

import time
from collections.abc import Sequence

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, or_, select, true

from engine.annotations.records import Filter
from engine.annotations.rows import WITHDRAWN
from engine.annotations.schema import ADJUDICATIONS, ASSIGNMENTS, CLAIMS, ITEMS, LABELS, PROJECTS
from engine.core.allowed import acting_person
from engine.core.hosting import hosting

CLAIM_SECONDS = 1800.0
Condition = ColumnElement[bool]


def labelling_person() -> str | None:
    """Return the person whose projects this thread may see and change; None for everybody's.

    They are everybody's for the owner, and where the owner lets visitors share them.
    """
    stated = hosting()
    return None if stated is not None and stated.labels == "shared" else acting_person()


def of_own_projects(project: ColumnElement[str]) -> Condition:
    """Return the condition that a column names a project that this thread may see."""
    person = labelling_person()
    return true() if person is None else project.in_(select(PROJECTS.c.id).where(PROJECTS.c.person == person))


def passing(project: str, where: Filter) -> Condition:
    """Return the condition that a project's item passes a filter."""
    conditions: list[Condition] = [ITEMS.c.project == project, of_own_projects(ITEMS.c.project)]
    conditions += [
        column.in_(wanted)
        for column, wanted in (
            (ITEMS.c.kind, where.kinds),
            (ITEMS.c.policy, where.policies),
            (ITEMS.c.run_id, where.runs),
        )
        if wanted
    ]
    words = where.search.replace("\0", " ").strip().casefold()
    if words:
        conditions.append(ITEMS.c.searchable.contains(words, autoescape=True))
    if where.states:
        conditions.append(in_states(where))
    if where.disagreed:
        conditions.append(several_values())
    if where.adjudicated is not None:
        settled = exists().where(ADJUDICATIONS.c.item == ITEMS.c.id, ADJUDICATIONS.c.by != WITHDRAWN)
        conditions.append(settled if where.adjudicated else ~settled)
    return and_(*conditions)


def in_states(where: Filter) -> Condition:
    """Return the condition that a person's label of the item has one of the wanted states."""
    own = and_(LABELS.c.item == ITEMS.c.id, LABELS.c.annotator == where.annotator)
    conditions: list[Condition] = [exists().where(own, LABELS.c.state.in_(where.states))]
    if "untouched" in where.states:
        conditions.append(~exists().where(own))
    return or_(*conditions)


def several_values() -> Condition:
    """Return the condition that two submitted labels of the item differ."""
    different = (
        select(func.count(LABELS.c.values_json.distinct()))
        .where(LABELS.c.item == ITEMS.c.id, LABELS.c.state == "submitted")
        .scalar_subquery()
    )
    return different > 1


def can_be_given(annotator: str, overlap: int) -> Condition:
    """Return the condition that a person may get an item: not done, meant for them, and not full."""
    own = and_(LABELS.c.item == ITEMS.c.id, LABELS.c.annotator == annotator)
    done = exists().where(own, LABELS.c.state.in_(("submitted", "discarded")))
    begun = exists().where(own, LABELS.c.state == "draft")
    meant = or_(
        ~exists().where(ASSIGNMENTS.c.item == ITEMS.c.id),
        exists().where(ASSIGNMENTS.c.item == ITEMS.c.id, ASSIGNMENTS.c.annotator == annotator),
    )
    return and_(~done, or_(begun, and_(meant, taken_by_others(annotator) < overlap)))


def taken_by_others(annotator: str) -> ColumnElement[int]:
    """Return how many other people label or claim an item; a label ends the claim, so nobody counts twice."""
    labelled = select(func.count()).where(
        LABELS.c.item == ITEMS.c.id, LABELS.c.annotator != annotator, LABELS.c.state != "untouched"
    )
    moment = time.time()  # a claim far ahead of it is older than the last setting of the clock
    claimed = select(func.count()).where(
        CLAIMS.c.item == ITEMS.c.id,
        CLAIMS.c.annotator != annotator,
        CLAIMS.c.claimed_at.between(moment - CLAIM_SECONDS, moment + CLAIM_SECONDS),
    )
    return labelled.scalar_subquery() + claimed.scalar_subquery()


def next_for(
    project: str, annotator: str, overlap: int, where: Filter, count: int, besides: Sequence[str]
) -> Select[tuple[str]]:
    """Return the ids of a person's next items: their drafts, their claims, then one of each run in turn.

    Items of one question ask for the same reading, so that a row of them tires and one answer colours the next.
    """
    own = and_(LABELS.c.item == ITEMS.c.id, LABELS.c.annotator == annotator, LABELS.c.state == "draft")
    held = and_(CLAIMS.c.item == ITEMS.c.id, CLAIMS.c.annotator == annotator)
    begun_first = case((exists().where(own), 0), (exists().where(held), 1), else_=2)
    turn = func.row_number().over(partition_by=ITEMS.c.run_id, order_by=ITEMS.c.number)
    turns = select(ITEMS.c.id, turn.label("turn")).where(ITEMS.c.project == project).subquery()
    return (
        select(ITEMS.c.id)
        .join(turns, turns.c.id == ITEMS.c.id)
        .where(passing(project, where), can_be_given(annotator, overlap), ITEMS.c.id.not_in(list(besides)))
        .order_by(begun_first, turns.c.turn, ITEMS.c.number)
        .limit(count)
    )
