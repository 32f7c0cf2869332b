"""The data folder as a figure."""

from viz.parts.theme import LIGHT
from viz.workspace.places import places_figure, places_sentence, places_title


def test_each_kind_has_a_bar_with_its_size_the_largest_above() -> None:
    sizes = {"Models": 272_600_000, "Runs": 57_500}
    bar = places_figure(sizes, LIGHT).data[0]
    assert list(bar.y) == ["Runs", "Models"] and list(bar.x) == [57_500, 272_600_000]
    assert "272.6 MB" in places_title(sizes) and "57.5 kB" in places_sentence(sizes)


def test_an_empty_folder_draws_a_sentence() -> None:
    assert len(places_figure({}, LIGHT).data) == 0
