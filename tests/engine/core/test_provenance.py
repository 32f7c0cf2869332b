"""A record's origin names versions and no person, machine or place."""

import getpass
import platform
from dataclasses import fields
from pathlib import Path

from engine.core.provenance import LIBRARIES, Provenance, installed_version, library_versions, machine


def test_an_installed_library_has_its_version_and_another_is_absent() -> None:
    assert installed_version("torch").startswith("2.13.0")
    assert installed_version("no-such-distribution-at-all") == "absent"


def test_every_library_that_can_change_a_number_is_listed_with_a_version() -> None:
    versions = dict(library_versions())
    assert tuple(versions) == LIBRARIES
    assert "absent" not in versions.values()


def test_the_machine_is_a_kind_and_not_a_name() -> None:
    assert machine() == f"{platform.system()} {platform.machine()}"
    named = {platform.node(), str(Path.home())} | ({getpass.getuser()} - {"root"})
    assert not [name for name in named if name and name in machine()]


def test_no_field_is_made_for_a_path_or_a_key() -> None:
    names = " ".join(field.name for field in fields(Provenance))
    assert not [word for word in ("path", "folder", "key", "token", "user", "host") if word in names]
