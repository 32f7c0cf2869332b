"""What can go wrong, as one tree. A third-party failure becomes one of these where it enters, ``from exc``.

    MicroscopeError                 everything this package raises on purpose; its text is one clear sentence
    ├── InputError                  what the user gave cannot be used
    │   ├── QuestionError           empty, too long
    │   ├── CorpusError             missing, empty, unreadable, nothing retrieved
    │   └── RecordError             a stored or uploaded record that cannot be read
    ├── ModelError                  a model cannot be loaded or gave nonsense
    │   └── CapabilityError         the backend cannot give what a method needs
    ├── StorageError                disk full, read-only folder, broken database
    ├── ConflictError               somebody changed the same thing since it was seen
    ├── NotMeasured                 a method has no number for this question, and says why
    └── Cancelled                   the reporter stopped the run between two units of work

``Cancelled`` and ``NotMeasured`` are outcomes rather than faults: a method is recorded with the reason they carry.
"""


class MicroscopeError(Exception):
    """Base of every error raised on purpose; ``str(error)`` is a sentence a user can act on."""


class InputError(MicroscopeError):
    """What the user gave cannot be used."""


class QuestionError(InputError):
    """The question is empty or too long."""


class CorpusError(InputError):
    """The corpus or the passages are missing, empty or unreadable."""


class RecordError(InputError):
    """A stored or uploaded record cannot be read."""


class ModelError(MicroscopeError):
    """A model cannot be loaded, or its output cannot be used."""


class CapabilityError(ModelError):
    """The backend cannot give what a method needs (for example attentions over a plain API)."""


class StorageError(MicroscopeError):
    """Something could not be written or read back; ``fault`` names a database's fault (``engine.core.database``)."""

    def __init__(self, sentence: str = "", fault: str = "") -> None:
        super().__init__(sentence)
        self.fault = fault


class ConflictError(MicroscopeError):
    """Somebody changed the same thing since it was seen; nothing was overwritten."""


class NotMeasured(MicroscopeError):
    """A method has no number for this question; the text is the reason."""


class Cancelled(MicroscopeError):
    """The run was stopped between two units of work."""
