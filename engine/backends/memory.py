"""What was computed before is not computed again: one memory for models, judges, the embedder and the parser.

A value depends on its ``maker`` (weights, code, libraries and machine: ``engine.backends.fingerprints``) and on what it
was computed from; its key holds both. There are two levels: the values that this process used last, and the cache on
disk. What is slow to open is opened for the first value that neither has.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar

import pydantic_core
from pydantic import TypeAdapter

from engine.backends.call_cache import CallCache, array_from_bytes, array_to_bytes, key_of

Input = TypeVar("Input")
Value = TypeVar("Value")
Options = ParamSpec("Options")


@dataclass(frozen=True, slots=True, kw_only=True)
class Codec(Generic[Value]):
    """How a value is written to bytes and read back; ``read`` raises ValueError for bytes that are no such value."""

    write: Callable[[Value], bytes]
    read: Callable[[bytes], Value]


def json_codec(kind: Any) -> Codec[Any]:
    """Return the codec of a type as JSON in which every number is exact, the infinite ones as words."""
    return Codec(
        write=lambda value: pydantic_core.to_json(value, inf_nan_mode="strings"), read=TypeAdapter(kind).validate_json
    )


ARRAY = Codec(write=array_to_bytes, read=array_from_bytes)


class Memory:
    """Values by key. ``remembered`` is how many stay in this process; without a cache these are all."""

    def __init__(self, cache: CallCache | None, maker: str, remembered: int = 0) -> None:
        self._cache, self._maker, self._remembered = cache, maker, remembered
        self._known: OrderedDict[str, Any] = OrderedDict()
        self._lock = threading.Lock()

    def key(self, kind: str, *parts: object) -> str:
        """Return the key of one call of this maker."""
        return key_of(kind, self._maker, *parts)

    def each(
        self,
        kind: str,
        keys: Sequence[str],
        inputs: Sequence[Input],
        compute: Callable[[list[Input]], Iterable[Value]],
        codec: Codec[Value],
        *,
        at_once: int = 0,
        is_lasting: Callable[[Value], bool] = lambda _: True,
    ) -> list[Value]:
        """Return the value of each input, in order; only those under new keys are computed.

        ``at_once`` is how many inputs ``compute`` gets in one call, 0 = all: what was finished before a call raises is
        kept. A value that is not ``is_lasting`` is returned and not kept.
        """
        found = self._recalled(keys, codec)
        new = {key: given for key, given in zip(keys, inputs, strict=True) if key not in found}
        for first in range(0, len(new), at_once or len(new) or 1):
            part = dict(list(new.items())[first : first + (at_once or len(new))])
            made = dict(zip(part, compute(list(part.values())), strict=True))
            self._keep(kind, {key: value for key, value in made.items() if is_lasting(value)}, codec)
            found |= made
        return [found[key] for key in keys]

    def once(self, kind: str, key: str, compute: Callable[[], Value], codec: Codec[Value]) -> Value:
        """Return the value under one key, computed now where it is new."""
        return self.each(kind, [key], [key], lambda _: [compute()], codec)[0]

    def _recalled(self, keys: Sequence[str], codec: Codec[Value]) -> dict[str, Value]:
        with self._lock:
            found: dict[str, Value] = {key: self._known[key] for key in keys if key in self._known}
            for key in found:
                self._known.move_to_end(key)
        missing = list(dict.fromkeys(key for key in keys if key not in found))
        stored = self._cache.get(missing) if self._cache is not None else {}
        for key, content in stored.items():
            try:
                found[key] = codec.read(content)
            except ValueError:
                continue  # another version's entry, or damage its checksum does not show: computed anew
            self._remember(key, found[key])
        return found

    def _keep(self, kind: str, made: dict[str, Value], codec: Codec[Value]) -> None:
        for key, value in made.items():
            self._remember(key, value)
        if self._cache is not None:
            self._cache.put(kind, {key: codec.write(value) for key, value in made.items()})

    def _remember(self, key: str, value: object) -> None:
        """Keep a value in this process; the one used longest ago goes where there are too many."""
        with self._lock:
            self._known[key] = value
            if len(self._known) > self._remembered:
                self._known.popitem(last=False)


class Opener(Generic[Options, Value]):
    """The way to something slow to open: opened at the first call, once, from whichever thread."""

    def __init__(self, open_it: Callable[Options, Value]) -> None:
        self._open_it = open_it
        self._opened: list[Value] = []
        self._lock = threading.Lock()

    def __call__(self, *args: Options.args, **options: Options.kwargs) -> Value:
        """Return it, opened now where it was not."""
        with self._lock:
            if not self._opened:
                self._opened.append(self._open_it(*args, **options))
            return self._opened[0]
