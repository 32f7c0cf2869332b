"""Settings of methods as text, as a command line gives them: ``dense.temperature=0.7``."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, get_type_hints

from pydantic import ValidationError

from engine.core.errors import InputError
from engine.core.settings import adapter_of, check_settings
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import METHODS


def with_options(request: DiagnosisRequest, options: Sequence[str]) -> DiagnosisRequest:
    """Return the request with settings of its methods changed, each as "method.setting=value".

    An empty value stands for none. Raises InputError for another form, an unknown method or setting, and a value that
    is none of the setting's or out of its range.
    """
    for option in options:
        name, equals, value = option.partition("=")
        word, dot, setting = name.strip().partition(".")
        if not equals or not dot:
            raise InputError(f"A setting is METHOD.SETTING=VALUE, such as dense.temperature=0.7; got {option!r}.")
        if word not in METHODS:
            raise InputError(f"There is no method {word!r}; there are {', '.join(METHODS)}.")
        config = getattr(request, word)
        changed = replace(config, **{setting: parsed_setting(config, METHODS[word].title, setting, value.strip())})
        check_settings(changed, METHODS[word].title)
        request = replace(request, **{word: changed})
    return request


def parsed_setting(config: Any, title: str, setting: str, value: str) -> object:
    """Return the value of a setting from its text. Raises InputError where there is no such setting or value."""
    known = setting_names(config)
    if setting not in known:
        raise InputError(f"{title} has no setting {setting!r}; it has {', '.join(known)}.")
    hint = get_type_hints(type(config), include_extras=True)[setting]
    try:
        return adapter_of(hint).validate_python(None) if not value else adapter_of(hint).validate_strings(value)
    except ValidationError as exc:
        fault = exc.errors(include_url=False)[0]["msg"]
        raise InputError(f"{title}: {setting.replace('_', ' ')} cannot be {value!r}. {fault}.") from exc


def setting_names(config: Any) -> tuple[str, ...]:
    """Return the settings of a method that are one value: no list, no settings of another method, no mark of a fit."""
    values = ((field.name, getattr(config, field.name)) for field in fields(config) if field.name != "fitted")
    return tuple(name for name, value in values if value is None or isinstance(value, bool | int | float | str))
