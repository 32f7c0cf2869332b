"""A record inside a page: it comes back unchanged, no text in it can leave its tag, a changed page is known."""

import gzip
import json
import tracemalloc
from dataclasses import replace

import pytest

from engine.core.errors import RecordError
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.serialize import to_json
from engine.runs import bundle
from engine.runs.bundle import (
    BUNDLE_VERSION,
    KIND,
    bundle_json,
    import_record,
    read_export,
    record_script,
    seal_line,
    seal_of,
    seal_page,
)

ESCAPES = '</script><script>alert(1)</script><!-- <script> \u2028 & "'


def page(diagnosis: Diagnosis, run: str = "abc") -> str:
    """Return the smallest sealed page that carries a diagnosis."""
    return seal_page(f"<html><head>{seal_line()}</head>{record_script(bundle_json(diagnosis, run))}</html>")


def test_a_bundle_comes_back_as_the_very_record_with_its_run(example_diagnosis: Diagnosis) -> None:
    export = read_export(page(example_diagnosis, "suez"))
    assert to_json(export.diagnosis) == to_json(example_diagnosis)
    assert (export.run, export.container, export.seal) == ("suez", "bundle", "whole")


def test_a_plain_record_and_bytes_are_read_too_and_have_no_seal(example_diagnosis: Diagnosis) -> None:
    export = read_export(to_json(example_diagnosis).encode())
    assert (export.container, export.seal) == ("record", "none")
    assert to_json(import_record(page(example_diagnosis).encode())) == to_json(example_diagnosis)


def test_a_byte_order_mark_in_front_is_no_part_of_a_record_or_a_bundle(example_diagnosis: Diagnosis) -> None:
    for written, seal in ((to_json(example_diagnosis), "none"), (page(example_diagnosis), "whole")):
        for content in (written.encode("utf-8-sig"), "\ufeff" + written):
            assert read_export(content).seal == seal
            assert to_json(import_record(content)) == to_json(example_diagnosis)


def test_a_gzipped_record_or_bundle_is_unpacked_and_keeps_its_seal(example_diagnosis: Diagnosis) -> None:
    for written, seal in ((to_json(example_diagnosis), "none"), (page(example_diagnosis), "whole")):
        packed = gzip.compress(written.encode())
        assert read_export(packed).seal == seal
        assert to_json(import_record(packed)) == to_json(example_diagnosis)
        with pytest.raises(RecordError, match="is damaged"):
            read_export(packed[:-20])
    with pytest.raises(RecordError, match="content hash does not match"):
        import_record(gzip.compress(page(example_diagnosis).replace("Vesper", "Vespex").encode()))


def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "LARGEST_BUNDLE", 2**20)
    bomb = gzip.compress(b"[" * 2**26)
    assert len(bomb) < 2**17
    tracemalloc.start()
    try:
        for content in (bomb, gzip.compress(b"[" * 2**20) * 64):
            with pytest.raises(RecordError, match="unpacks to more than 1 MiB"):
                read_export(content)
        assert tracemalloc.get_traced_memory()[1] < 2**23
    finally:
        tracemalloc.stop()


def test_the_record_names_its_raw_and_its_derived_part(example_diagnosis: Diagnosis) -> None:
    fields = json.loads(bundle_json(example_diagnosis))
    assert (fields["kind"], fields["bundle_version"]) == (KIND, BUNDLE_VERSION)
    assert {"dense.entropy", "seper.delta_soft", "entropy_trend.triggers"} <= set(fields["parts"]["derived"])
    assert "tokens" in fields["parts"]["raw"]


def test_no_text_in_a_record_can_close_its_tag(example_diagnosis: Diagnosis) -> None:
    hostile = replace(example_diagnosis, question=ESCAPES, golds=(ESCAPES,))
    written = page(hostile)
    assert written.count("</script>") == 1
    assert written.count("<script") == 1
    assert read_export(written).diagnosis.question == ESCAPES


def test_one_changed_letter_anywhere_breaks_the_seal_and_is_not_imported(example_diagnosis: Diagnosis) -> None:
    written = page(example_diagnosis)
    for changed in (written.replace("Vesper", "Vespex"), written.replace("<html>", "<html> ")):
        assert read_export(changed).seal == "broken"
        with pytest.raises(RecordError, match="content hash does not match"):
            import_record(changed)


def test_a_seal_is_put_once_and_the_same_page_has_the_same_one(example_diagnosis: Diagnosis) -> None:
    assert page(example_diagnosis) == page(example_diagnosis)
    assert seal_of("<p>nothing</p>") == "none"
    with pytest.raises(ValueError, match="one open seal"):
        seal_page("<p>nothing</p>")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<html><p>a page</p></html>", "does not carry exactly one record"),
        (record_script("{}") * 2, "does not carry exactly one record"),
        (record_script("{}"), "record is of another kind"),
        (record_script("{").removesuffix("</script>"), "was cut off"),
        (record_script("{"), "is not JSON"),
        (record_script(f'{{"kind":"{KIND}","bundle_version":9}}'), "has format 9; this version reads format 1"),
        (record_script(f'{{"kind":"{KIND}","bundle_version":1}}'), "diagnosis: a JSON object is needed"),
        (record_script(f'{{"kind":"{KIND}","bundle_version":1,"diagnosis":{{}}}}'), "is not a run record"),
        ('{"kind":"something"}', "is not a run record"),
        ("[]", "list"),
    ],
)
def test_what_is_no_bundle_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(RecordError, match=sentence):
        read_export(text)


def test_bytes_of_another_encoding_are_refused() -> None:
    with pytest.raises(RecordError, match="not UTF-8"):
        read_export(b"\xff\xfe<\x00h\x00")


def test_a_file_over_the_limit_is_refused_before_it_is_parsed(
    monkeypatch: pytest.MonkeyPatch, example_diagnosis: Diagnosis
) -> None:
    whole = page(example_diagnosis)
    monkeypatch.setattr(bundle, "LARGEST_RECORD", 10)
    with pytest.raises(RecordError, match="This run record is too large: 11 characters, at most 10"):
        read_export("[" * 11)
    with pytest.raises(RecordError, match=r"This run bundle is too large: [\d,]+ characters, at most 10"):
        read_export(whole)
    monkeypatch.setattr(bundle, "LARGEST_BUNDLE", 20)
    with pytest.raises(RecordError, match=r"This bundle is too large: [\d,]+ characters, at most 20"):
        read_export(whole)
