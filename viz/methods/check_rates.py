"""How often checks and verdicts were right where that was measured, as ``check_rates.yaml`` has it."""

from viz.methods.baseline_rates import BASELINE_RATES
from viz.parts.data_files import read_table

CHECK_RATES: dict[str, dict[str, float]] = read_table("methods/check_rates.yaml", dict[str, dict[str, float]])
ALARMS = {"dense": "right_unstable", "entropy_trend": "right_fired", "co_occurrence": "right_without"}


def measured_writer() -> str:
    """Return which writer the rates of step-by-step answers were measured with."""
    return f"{'an earlier' if CHECK_RATES['writer']['earlier'] else 'the'} SmolLM2-135M writer"


def right_elsewhere(name: str) -> str:
    """Return of how many right answers an alarm speaks too, "not measured" where nobody counted.

    >>> right_elsewhere("sugar"), right_elsewhere("")
    ('9 of 13', 'not measured')
    """
    if name == "semantic_entropy":
        rate = BASELINE_RATES["with_passages"]["semantic_entropy/decisions"]
        return f"{rate.right_uncertain} of {rate.right}"
    if name == "sugar":
        asked = CHECK_RATES["sugar"]
        return f"{int(asked['right'] - asked['right_none'])} of {int(asked['right'])}"
    if name not in ALARMS:
        return "not measured"
    return f"{int(CHECK_RATES[name][ALARMS[name]])} of {int(CHECK_RATES[name]['right'])}"
