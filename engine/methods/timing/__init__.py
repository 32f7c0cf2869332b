"""When to retrieve: policies that judge a text as it is written, and the loop they share.

    base                 what a policy is and what is recorded
    loop                 continue, check, cut, query, retrieve, go on; all policies' loops side by side
    trace                every policy on one answer from memory
    staircase            SePer before and after every retrieval of a run
    moves                what becomes of text that was written ahead
    claims               what each policy's answer claims, and what the corpus holds of it
    replay               what another threshold leaves true of a run
    method               all policies on one question, as a method of a run
    entropy_trend …      one policy a file (ETC's file holds its ablations)
    policies             the one list of them

``engine.methods`` comes first: its list names the method "timing", which is built on this package.
"""

import engine.methods as methods  # noqa: F401  (the order of two packages that name each other)
from engine.methods.timing.policies import POLICIES as POLICIES
