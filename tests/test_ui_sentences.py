"""Every sentence of the interface: short, and said once in its file."""

from collections import Counter
from pathlib import Path

from scripts.ui_sentences import (
    MOST_WORDS,
    PROJECT,
    READERS,
    said_in_errors,
    said_in_script,
    said_in_template,
    sentences_of,
    sources,
    too_long,
    words_in,
)

# Titles of papers are as long as they are.
CITED = "engine/learning/guide/sections/papers.md"


def test_no_sentence_of_the_interface_is_longer_than_twenty_words() -> None:
    found = sources(PROJECT)
    assert [(path, one) for path, one in too_long(found) if path != CITED] == []
    assert {"pages/annotating/queue/keys.js", "viz/templates/bundle.html.j2", "engine/annotations/store.py"} <= set(
        found
    )
    assert sum(map(len, found.values())) > 3000


def test_every_pattern_of_files_to_read_finds_some() -> None:
    assert [pattern for pattern in READERS if not any(PROJECT.glob(pattern))] == []


def test_what_a_template_a_script_and_an_error_say_is_read_and_their_code_is_not(tmp_path: Path) -> None:
    template, script, module = (tmp_path / name for name in ("a.html.j2", "a.js", "a.py"))
    template.write_text(
        '<p class="x" title="On hover">{% if a %}{{ n }} read{% endif %}</p><style>p {color:red}</style>'
    )
    script.write_text(
        '// Not this comment\nmake("div", { class: "rm-a" }, `Item ${n} of the list`); go("Press a key.");'
    )
    module.write_text('GONE = "It is gone."\nraise RecordError(GONE)\nraise ModelError(f"No {x} here.")\n')
    assert [one.strip() for one in said_in_template(template)] == ["On hover", "n read"]
    assert list(said_in_script(script)) == ["Item n of the list", "Press a key."]
    assert list(said_in_errors(module)) == ["It is gone.", "No n here."]


def test_no_text_says_a_sentence_twice() -> None:
    texts = {path: told for path, told in sources(PROJECT).items() if Path(path).parts[:2] == ("pages", "text")}
    assert [
        one for told in texts.values() for one, times in Counter(told).items() if times > 1 and words_in(one) > 4
    ] == []


def test_a_sentence_is_cut_at_its_end_and_formulas_are_no_words() -> None:
    assert list(sentences_of("**Bold.** One $$x+y$$ two: see `code` now!\n\n- a point")) == [
        "Bold.", "One x two: see x now!", "a point",
    ]  # fmt: skip
    assert words_in("word " * (MOST_WORDS + 1)) == MOST_WORDS + 1
