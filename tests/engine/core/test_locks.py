"""A lock that cannot be made says what to do."""

from pathlib import Path

import pytest

from engine.core.errors import StorageError
from engine.core.locks import locked


def test_a_lock_that_cannot_be_made_says_where_to_write_instead(tmp_path: Path) -> None:
    (tmp_path / ".lock").mkdir()
    with (
        pytest.raises(StorageError, match="Set MICROSCOPE_HOME to a folder you may write to"),
        locked(tmp_path / ".lock"),
    ):
        raise AssertionError("the block ran without its lock")
