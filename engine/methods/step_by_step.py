"""The one request for a closed-book step-by-step answer, which ETC and QuCo-RAG both read.

Both papers look at an answer that the model writes sentence by sentence from memory (DRAGIN's few-shot format). The
request is the same down to seed and stop strings, so that a cached model writes it once.
"""

from engine.backends.language_models.base import Request
from engine.methods.base import Backends, Case, Foreseen
from engine.methods.cost import Load, Plan, tokens_of
from engine.methods.profiles import Profile, step_by_step_prompt

NEXT_QUESTION = "Question:"
STEP_BY_STEP_STOP = (f"\n{NEXT_QUESTION}", "\n")


def step_by_step_request(question: str, profile: Profile) -> Request:
    """Return the greedy request for the closed-book step-by-step answer, at most ``profile.step_tokens`` tokens.

    It ends at the line's end: the next line of the few-shot format would be another question.
    """
    return Request(
        prompt=step_by_step_prompt(question),
        max_tokens=profile.step_tokens,
        stop=STEP_BY_STEP_STOP,
        seed=0,
    )


def step_by_step_foreseen(case: Case, config: object, backends: Backends) -> Foreseen:
    """Return the request that every method which looks at the step-by-step answer begins with."""
    return Foreseen(writer=(step_by_step_request(case.question, case.profile),))


def step_by_step_load(plan: Plan) -> Load:
    """Return the load of one step-by-step answer without passages."""
    return Load(
        model_calls=1,
        prompt_tokens=tokens_of(step_by_step_prompt("").text) + plan.question_tokens,
        new_tokens=plan.profile.step_tokens,
    )
