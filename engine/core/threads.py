"""How the threads of a matrix product wait for each other, said before torch is imported.

GNU OpenMP, which torch brings along, lets a waiting thread spin. Where another program wants the same core, the
spinning thread keeps it from the one it waits for: on two busy cores a product of twelve rows took 6.7 ms, not 0.35 ms.
"""

import os

WAITING_VARIABLES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")


def wait_asleep() -> None:
    """Let waiting threads sleep, unless the environment says how they wait. It counts only before torch is imported."""
    if not any(name in os.environ for name in WAITING_VARIABLES):
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
