"""How stored records of an older version become records of today's: one function per step, on parsed JSON.

A step takes a record or a request, both as JSON objects, and returns the object of the next version. It leaves the
given one as it is: a bundle's seal is checked on the file as it stands.
"""

from collections.abc import Callable, Mapping
from typing import Any

from engine.core.errors import RecordError
from engine.core.records import SCHEMA_VERSION

Fields = Mapping[str, Any]


def rename_imported_answer(fields: Fields) -> dict[str, Any]:
    """Return version 2: another pipeline's answer is ``imported``, before it was ``foreign``."""
    kept = {name: value for name, value in fields.items() if name != "foreign"}
    return {**kept, "imported": fields.get("foreign")}


def keep_all(fields: Fields) -> dict[str, Any]:
    """Return version 3, in which the judge may have read the answers: what is missing has its default."""
    return dict(fields)


STEPS: dict[int, Callable[[Fields], dict[str, Any]]] = {1: rename_imported_answer, 2: keep_all}


def migrate_fields(fields: Fields, kind: str) -> Fields:
    """Return the fields of a record or request in today's version; one without a version is of version 1.

    Raises RecordError where the version is newer than this program, or is not a version.
    """
    version = fields.get("schema_version", 1)
    if type(version) is not int or version < 1:
        raise RecordError(f"This {kind} has no valid version: {str(version)[:40]!r}.")
    if version > SCHEMA_VERSION:
        raise RecordError(
            f"A newer version of this program wrote this {kind} (version {version}, this program reads up to "
            f"{SCHEMA_VERSION}). Update the program."
        )
    for step in range(version, SCHEMA_VERSION):
        fields = {**STEPS[step](fields), "schema_version": step + 1}
    return fields
