"""Files written by version 1 are read by today's version, each with the step that brings it there."""

import json
from pathlib import Path

from engine.annotations.tasks import run_hash
from engine.catalogue.verify import verify
from engine.core.folders import sample_data
from engine.core.records import SCHEMA_VERSION
from engine.diagnosis.migrations import STEPS, migrate_fields
from engine.diagnosis.serialize import from_json, request_from_json, to_json
from engine.runs.bundle import read_export
from engine.runs.store import RunStore

REFERENCE = Path(__file__).resolve().parents[2] / "reference"
RECORD = (REFERENCE / "record_v1.json").read_text(encoding="utf-8")
REQUEST = (REFERENCE / "request_v1.json").read_text(encoding="utf-8")
WRITER = "SmolLM2-135M-Instruct"


def test_there_is_a_step_from_every_older_version() -> None:
    assert list(STEPS) == list(range(1, SCHEMA_VERSION))


def test_step_1_renames_the_imported_answer_and_leaves_the_given_fields() -> None:
    fields = json.loads(RECORD)
    new = migrate_fields(fields, "record")
    assert (new["schema_version"], fields["schema_version"]) == (SCHEMA_VERSION, 1)
    assert new["imported"] == fields["foreign"] and "foreign" not in new
    assert migrate_fields(new, "record") is new
    # The first records of version 1 had no such field.
    assert migrate_fields({"schema_version": 1}, "record")["imported"] is None


def test_a_record_of_version_1_is_read_verified_and_written_in_todays_version() -> None:
    diagnosis = from_json(RECORD)
    assert diagnosis.schema_version == SCHEMA_VERSION
    assert diagnosis.imported is not None and diagnosis.imported.written_by == WRITER
    assert verify(diagnosis).whole
    assert to_json(from_json(to_json(diagnosis))) == to_json(diagnosis)


def test_a_request_of_version_1_is_read() -> None:
    request = request_from_json(REQUEST)
    assert (request.schema_version, request.methods) == (SCHEMA_VERSION, ("quco_rag",))
    assert request.imported is not None and request.imported.written_by == WRITER
    assert request_from_json(to_json(request)) == request


def test_the_seal_of_a_bundle_of_version_1_is_checked_on_the_file_as_it_stands(tmp_store: RunStore) -> None:
    page = (REFERENCE / "bundle_v1.html").read_text(encoding="utf-8")
    export = read_export(page)
    assert (export.seal, export.container, export.run) == ("whole", "bundle", "s1")
    assert to_json(export.diagnosis) == to_json(from_json(RECORD))
    assert read_export(page.replace("1869", "1870", 1)).seal == "broken"
    stored = tmp_store.get(tmp_store.import_json(page)).diagnosis
    assert stored is not None and to_json(stored) == to_json(export.diagnosis)


def test_a_migrated_run_keeps_the_hash_that_its_labels_name() -> None:
    shipped = (sample_data() / "diagnoses" / "suez-empress.json").read_text(encoding="utf-8")
    assert run_hash(from_json(RECORD)) == "56fa38298ede24d3ddf09390d07e4a7b7a4c74b5216cf6f1ff29aecc2e183935"
    assert run_hash(from_json(shipped)) == "fe28c37898fc2c11e5610fbf44385760b4c80648d58f01c281df5aa6183333dd"
