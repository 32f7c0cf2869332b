"""One model is loaded at a time.

While transformers builds a model it makes the model's number type torch's default, for the whole process, and puts back
what it found. Of two loads that overlap, one finds the other's type: bfloat16 would stay the default for good.
"""

from threading import RLock

LOADING_ALONE = RLock()
