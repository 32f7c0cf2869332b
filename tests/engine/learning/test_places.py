"""What the data folder holds, kind by kind."""

from pathlib import Path

from engine.learning.places import stored_sizes


def test_sizes_count_every_file_below_and_a_databases_journal_the_largest_first(tmp_path: Path) -> None:
    (tmp_path / "models" / "reader").mkdir(parents=True)
    (tmp_path / "models" / "reader" / "weights").write_bytes(b"x" * 50)
    (tmp_path / "models" / "card").write_bytes(b"x" * 10)
    (tmp_path / "runs.sqlite").write_bytes(b"x" * 70)
    (tmp_path / "runs.sqlite-wal").write_bytes(b"x" * 5)
    (tmp_path / "note.md").write_bytes(b"x" * 999)
    assert list(stored_sizes(tmp_path).items()) == [("Runs", 75), ("Models", 60)]


def test_an_empty_folder_has_no_sizes(tmp_path: Path) -> None:
    assert stored_sizes(tmp_path) == {}
