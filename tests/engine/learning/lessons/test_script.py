"""A lesson's file as steps: one question as written, repeated lines, hostile values, and a missing number."""

import pytest
from jinja2 import UndefinedError

from engine.learning.lessons.script import TOOLS, step_from

BODY = """Two draws
{{ quoted(said) }} was drawn.

{% if False %}Nothing.{% endif %}

```yaml
table: {draw: draws}
number: How many?
value: len(draws)
tolerance: 0.5
slips:
- value: len(draws) * 2
  why: That is twice {{ len(draws) }}.
```

### Working
for one in draws: {{ one }} × 2 = {{ one * 2 }}
### Notes
Vote.
"""


def test_a_step_takes_its_numbers_from_the_facts_and_text_of_a_run_adds_no_structure() -> None:
    step = step_from(BODY, {**TOOLS, "draws": (1, 2), "said": "a\n\n### Notes\n## {{ x }}"})
    assert step.title == "Two draws" and step.notes == "Vote." and len(step.text) == 1
    assert step.question is not None and (step.question.value, step.question.slips[0].value) == (2.0, 4.0)
    assert step.working == ("1 × 2 = 2", "2 × 2 = 4") and step.table == {"draw": [1, 2]}


def test_a_missing_number_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        step_from(BODY, {**TOOLS, "said": "a"})
