"""A run as one page: everything escaped, one copy of the script, no way out, the record inside, the tables as CSV."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pandas as pd
import pytest

from engine.diagnosis.serialize import from_json, to_json
from engine.runs.bundle import read_export
from tests.pages.page_fixtures import failed_diagnosis, unmeasured_diagnosis, whole_diagnosis
from tests.viz.sample_results import HOSTILE
from viz.parts.csv_text import csv_text
from viz.parts.tables import table_html
from viz.runs.bundle import BOOT, FIGURES_OPEN, computed_on, method_exhibits, plotly_script, run_bundle

MAKES = [whole_diagnosis, failed_diagnosis, unmeasured_diagnosis]


class Tags(HTMLParser):
    """Every tag of a page with its attributes, and the scripts' texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def named(self, name: str) -> Iterator[dict[str, str | None]]:
        """Yield the attributes of every tag of a name."""
        yield from (attributes for tag, attributes in self.tags if tag == name)


@pytest.mark.parametrize("make", MAKES)
def test_a_bundle_carries_its_run_and_reads_back_whole(make) -> None:  # type: ignore[no-untyped-def]
    diagnosis = make()
    export = read_export(run_bundle(diagnosis, "r1"))
    assert (export.seal, export.run) == ("whole", "r1")
    assert to_json(export.diagnosis) == to_json(from_json(to_json(diagnosis)))


def test_plotly_stands_in_it_once_and_nothing_is_fetched_from_anywhere() -> None:
    page = run_bundle(whole_diagnosis())
    tags = Tags(page)
    assert page.count(plotly_script()) == 1
    assert [tag for tag in tags.named("script") if "src" in tag] == []
    places = [tag.get("href") or "" for name in ("a", "link") for tag in tags.named(name)]
    assert {place.split(":")[0].split("#")[0] for place in places} <= {"", "data"}
    assert not list(tags.named("img")) + list(tags.named("iframe"))


def test_its_policy_allows_two_scripts_by_hash_and_no_connection() -> None:
    policies = [tag["content"] for tag in Tags(run_bundle(whole_diagnosis())).named("meta") if "http-equiv" in tag]
    assert len(policies) == 1
    policy = policies[0] or ""
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert policy.count("sha256-") == 2
    assert "unsafe-eval" not in policy and "http" not in policy


def test_hostile_text_stays_text_everywhere() -> None:
    hostile = whole_diagnosis(HOSTILE, (HOSTILE,))
    hits = tuple(replace(hit, passage=replace(hit.passage, text=HOSTILE, title=HOSTILE)) for hit in hostile.hits)
    hostile = replace(hostile, hits=hits, answer=replace(hostile.answer, text=HOSTILE, rendered=HOSTILE))
    page = run_bundle(hostile)
    scripts = list(Tags(page).named("script"))
    assert [tag.get("type") for tag in scripts] == ["application/json", "application/json", None, None]
    assert '<script>alert("x")' not in page
    assert "<b>31 March" not in page


def test_every_figure_is_there_in_both_modes_and_has_a_place_of_its_own() -> None:
    page = run_bundle(whole_diagnosis())
    start = page.index(FIGURES_OPEN) + len(FIGURES_OPEN)
    figures = json.loads(page[start : page.index("</script>", start)])
    places = re.findall(r'class="rm-figure" id="figure-([\w-]+)"', page)
    assert sorted(figures) == sorted(places)
    assert len(places) == len(set(places)) == 8
    assert all(set(both) == {"light", "dark"} for both in figures.values())
    assert figures["dense-graph"]["dark"]["layout"]["paper_bgcolor"] == "#10151d"


def test_every_figure_has_a_sentence_beside_it() -> None:
    for _, found in method_exhibits(whole_diagnosis()):
        assert found
        assert [one.name for one in found if one.draw is not None and not one.sentence] == []


def test_a_method_that_failed_says_why_and_draws_nothing() -> None:
    page = run_bundle(failed_diagnosis())
    assert "The judge could not be loaded: &lt;b&gt;no such folder&lt;/b&gt;." in page
    assert 'id="figure-seper-change"' not in page


def test_a_method_that_was_not_reached_took_no_seconds() -> None:
    whole = whole_diagnosis()
    waiting = replace(whole, outcomes=(replace(whole.outcomes[0], status="waiting", result=None, seconds=0.0),))
    page = run_bundle(waiting, "tower")
    assert "Not reached in this run." in page and "Took 0.0 seconds" not in page
    assert "Took 2.0 seconds" in run_bundle(whole, "tower")


def test_where_it_was_computed_is_said_with_the_threads_where_they_are_known() -> None:
    origin = replace(whole_diagnosis().provenance, device="cpu")
    said = [computed_on(replace(origin, threads=count)) for count in (0, 1, 2)]
    assert said == ["the processor", "the processor, 1 thread", "the processor, 2 threads"]


def test_without_scripts_the_tables_are_still_there() -> None:
    page = run_bundle(whole_diagnosis()).replace(plotly_script(), "").replace(BOOT, "")
    assert page.count("<table>") >= 8
    assert page.count('download="') >= 8


def test_csv_keeps_numbers_and_defuses_what_a_spreadsheet_would_run() -> None:
    table = pd.DataFrame({"answer": ["=HYPERLINK(1)", "-5 °C", "Paris, France"], "nats": [0.1 + 0.2, None, -1.0]})
    assert csv_text(table).splitlines() == [
        "\ufeffanswer,nats",
        "'=HYPERLINK(1),0.30000000000000004",
        "'-5 °C,",
        '"Paris, France",-1.0',
    ]


def test_a_carriage_return_within_a_text_ends_no_row_of_a_csv_file() -> None:
    table = pd.DataFrame({"answer": ["first\rsecond", "first\nsecond"], "nats": [0.5, 1.0]})
    read = list(csv.reader(io.StringIO(csv_text(table), newline="")))
    assert read == [["\ufeffanswer", "nats"], ["first\rsecond", "0.5"], ["first\nsecond", "1.0"]]


def test_a_table_escapes_its_head_and_its_cells_and_shows_what_is_missing() -> None:
    drawn = table_html(pd.DataFrame({"<h>": ["<i>", None], "n": [1.23456789, float("nan")]}))
    assert "<i>" not in drawn and "<h>" not in drawn
    assert "1.23457" in drawn
    assert drawn.count(">–</td>") == 2
