"""Logs of a hosted workbench: the place and kind of what went wrong, never a word that somebody wrote."""

import io
import logging

import pytest

from engine.core.quiet_logs import Plain, QuietFormatter

SECRET = "hunter2-secret-question"


@pytest.fixture
def log() -> "tuple[logging.Logger, io.StringIO]":
    """Return a logger of this program and what it writes."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(QuietFormatter())
    logger = logging.Logger("engine.test", logging.DEBUG)
    logger.addHandler(handler)
    return logger, stream


def test_text_put_into_a_message_is_hidden_and_numbers_and_ids_stay(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, stream = log
    logger.warning("run %s of %s took %.1f s: %s", Plain("abc"), SECRET, 1.25, ValueError(SECRET))
    logger.warning("%(a)s and %(b)d", {"a": SECRET, "b": 3})
    logger.warning("wrong number of places %s %s", SECRET)
    logger.warning(ValueError(SECRET))
    lines = stream.getvalue()
    assert SECRET not in lines
    assert "run abc of … took 1.2 s: …" in lines and "… and 3" in lines


def test_an_exception_is_its_kind_and_the_places_it_passed(log: tuple[logging.Logger, io.StringIO]) -> None:
    logger, stream = log
    try:
        try:
            {}[SECRET]
        except KeyError as exc:
            raise ValueError(SECRET) from exc
    except ValueError:
        logger.exception("method %s failed", Plain("dense"), stack_info=True)
    lines = stream.getvalue()
    assert SECRET not in lines
    assert "method dense failed" in lines and "ValueError" in lines and "KeyError" in lines and __file__ in lines


def test_a_message_of_another_library_may_be_put_together_and_is_hidden_whole() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(QuietFormatter())
    logger = logging.Logger("streamlit.web")
    logger.addHandler(handler)
    logger.error(f"Bad value {SECRET}")
    assert SECRET not in stream.getvalue() and "streamlit.web" in stream.getvalue()
