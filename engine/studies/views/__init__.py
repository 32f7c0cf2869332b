"""The papers' tables and figures, made from any study that has their numbers. ``VIEWS`` is the list."""

from typing import Any

VIEWS: tuple[Any, ...] = ()
