"""Stored runs that were made from one another: what was changed, what else differs, repeats, the tree they stand in.

A repeat is the same request with another seed. Two runs may differ in more than what a person changed, as after an
update of weights or libraries; then a difference of their numbers has two causes, and ``besides`` names the other one.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.diagnosis.request import DiagnosisRequest
from engine.runs.compare import Side, installed_differences, request_facts, settings_differences
from engine.runs.store import RunSummary
from engine.runs.variants import changes, passage_changes, variant_of

# What stands in a record, and the field of the request it follows from: equal requests should give equal facts.
FOLLOWS_FROM = {
    "model": "model",
    "writer of step-by-step answers": "model",
    "model of rewordings": "model",
    "judge": "judge",
    "corpus": "corpus",
    "thresholds": "thresholds",
}
ASKED = ("model", "corpus", "seed", "profile", "thresholds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One run in the tree of variants: ``depth`` 0 is the run that all others were made from."""

    run: RunSummary
    depth: int


def run_changes(first: Side, second: Side) -> tuple[str, ...]:
    """Return what a person changed from one stored run to another; what a look-up found instead is told after it.

    The requests are to be those of ``variant_base_request``, so that a record from elsewhere is read like one made
    here.
    """
    a, b = (variant_of(side.request, side.diagnosis.hits) for side in (first, second))
    told = [*changes(a, b), *(f"{what} {new} instead of {old}" for what, old, new in other_settings(first, second))]
    if b.reading == "looked up":
        told += [f"so {one}" for one in passage_changes(a, b)]
    return tuple(told)


def other_settings(first: Side, second: Side) -> Iterator[tuple[str, str, str]]:
    """Yield what was asked otherwise beyond a variant's edits; rewordings by hand are told by their passage."""
    one, other = first.request, second.request
    for field in ASKED:
        old, new = getattr(one, field), getattr(other, field)
        if old != new:
            yield field, str(old), str(new)
    if set(one.methods) != set(other.methods):
        yield "methods", ", ".join(one.methods) or "none", ", ".join(other.methods) or "none"
    for what, was, now in settings_differences(one, other):
        if not what.endswith("dense: rewrites"):
            yield what, was, now


def unintended_differences(first: Side, second: Side) -> tuple[tuple[str, str, str], ...]:
    """Return what differs between two runs although nobody asked for it: weights, index, versions, machine.

    Each is (what, first, second). Requests as for ``run_changes``. A corpus counts where both name one.
    """
    a, b = request_facts(first), request_facts(second)
    asked = [
        (what, getattr(first.request, field), getattr(second.request, field)) for what, field in FOLLOWS_FROM.items()
    ]
    same = [what for what, old, new in asked if old == new and (what != "corpus" or old is not None)]
    facts = [(what, a[what], b[what]) for what in same]
    facts += list(installed_differences(first.diagnosis, second.diagnosis))
    return tuple(fact for fact in facts if fact[1] != fact[2])


def redraws_wanted(base: DiagnosisRequest, used: Collection[int], times: int) -> tuple[DiagnosisRequest, ...]:
    """Return the same request with the next ``times`` seeds that were not drawn with yet."""
    seeds: list[int] = []
    seed = base.seed
    while len(seeds) < times:
        seed += 1
        if seed not in used:
            seeds.append(seed)
    return tuple(replace(base, seed=one) for one in seeds)


def is_redraw(request: DiagnosisRequest, base: DiagnosisRequest) -> bool:
    """Return whether a request is ``base`` with another seed and nothing else."""
    return request.seed != base.seed and replace(request, seed=base.seed, parent=base.parent) == base


def run_tree(runs: Sequence[RunSummary], run_id: str) -> tuple[Branch, ...]:
    """Return the tree that a run belongs to, the run that all were made from first, children oldest first.

    A parent that is no longer stored ends the way up; parents that run in a circle, as a record from elsewhere may
    say, end it too. () where the run is not among ``runs``.
    """
    known = {run.id: run for run in runs}
    if run_id not in known:
        return ()
    top, seen = run_id, {run_id}
    while (above := known[top].parent) in known and above not in seen:
        top = above
        seen.add(above)
    children: dict[str, list[RunSummary]] = {}
    for run in sorted(runs, key=lambda run: run.created_at):
        children.setdefault(run.parent, []).append(run)
    return tuple(branches(known[top], children))


def branches(top: RunSummary, children: dict[str, list[RunSummary]]) -> Iterator[Branch]:
    """Yield a run and everything made from it, each once, however deep."""
    waiting, met = [Branch(run=top, depth=0)], {top.id}
    while waiting:
        branch = waiting.pop()
        yield branch
        below = [run for run in children.get(branch.run.id, []) if run.id not in met]
        met.update(run.id for run in below)
        waiting += [Branch(run=run, depth=branch.depth + 1) for run in reversed(below)]


def ancestors(tree: Sequence[Branch], run_id: str) -> tuple[str, ...]:
    """Return the runs that a run was made from, nearest first."""
    known = {branch.run.id: branch.run for branch in tree}
    found: list[str] = []
    above = known[run_id].parent if run_id in known else ""
    while above in known and above not in (run_id, *found):
        found.append(above)
        above = known[above].parent
    return tuple(found)
