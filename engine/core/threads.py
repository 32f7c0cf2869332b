"""How the threads of a matrix product wait for each other, said before torch is imported.

GNU OpenMP, which torch brings along, lets a waiting thread spin. Where another program wants the same core, the
spinning thread keeps it from the one it waits for: on two busy cores a product of twelve rows took 6.7 ms, not 0.35 ms.
A short spin keeps most of what spinning gains on a quiet machine: ten answers took 0.96 s with it, 0.93 s with endless
spinning and 1.10 s with threads that sleep at once (medians, which differ by 5 % from run to run).
"""

import os

WAITING_VARIABLES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
SPINS = "1000"


def wait_briefly() -> None:
    """Let a waiting thread spin briefly, then sleep, unless the environment says how threads wait.

    It counts only before torch is imported.
    """
    if not any(name in os.environ for name in WAITING_VARIABLES):
        os.environ["GOMP_SPINCOUNT"] = SPINS
