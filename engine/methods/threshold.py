"""What a threshold is: one name, its words, and the settings it stands in. Methods and policies declare their own."""

from dataclasses import dataclass
from typing import Literal

Group = Literal["Understanding", "While writing", "Evidence", "Need of a lookup"]
GROUPS: tuple[Group, ...] = ("Understanding", "While writing", "Evidence", "Need of a lookup")


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """One threshold, under one ``word`` everywhere: in the table, in fitted files, in the address of a page.

    ``fields`` are the settings it stands in, as (method, field of its config); their default is the paper's value.
    ``code_field`` and ``code_unit`` take their place in variant "code" where the released code compares another number.
    A result has it at one of the addresses ``stored``, and the numbers it is compared with at ``compared`` ("*" = every
    item); ``unmeasured`` says why there may be none. ``policy`` is the timing policy it belongs to, "" for none;
    calibration fits it where ``fitted``. A slider has ``step`` and reaches at least ``top``; ``ends`` where nothing can
    lie beyond that. ``below``: it acts on numbers below it, not above; a policy's own rule says more (``Policy.rule``).
    """

    word: str
    title: str
    unit: str
    decides: str
    paper: str
    group: Group
    fields: tuple[tuple[str, str], ...]
    stored: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    unmeasured: str = ""
    code_field: str = ""
    code_unit: str = ""
    policy: str = ""
    fitted: bool = False
    step: float = 0.05
    top: float = 2.4
    ends: bool = False
    below: bool = False

    @property
    def whole(self) -> bool:
        """Whether its values are whole numbers."""
        return self.step == 1.0

    def field_of(self, method: str, variant: str = "paper") -> str:
        """Return the field of a method's config that holds it. Raises KeyError where the method has none."""
        return self.code_field if variant == "code" and self.code_field else dict(self.fields)[method]
