"""How often checks and verdicts were right where that was measured, as ``check_rates.yaml`` has it."""

from viz.data_files import read_table

CHECK_RATES: dict[str, dict[str, float]] = read_table("check_rates.yaml", dict[str, dict[str, float]])
