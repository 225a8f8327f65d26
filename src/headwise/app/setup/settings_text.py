"""Settings as the text of a `headwise.toml`, each under a comment that says why."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from textwrap import wrap

from headwise.app.setup.proposal import Setting

_WIDTH = 100
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def settings_text(settings: Sequence[Setting], seen: str) -> str:
    """The whole file.

    Args:
        settings: In order.
        seen: What was seen of the folder, in one line.
    """
    head = [
        f"Settings of Headwise for this folder, proposed by `headwise init`. It saw {seen}.",
        "Options and variables such as HEADWISE_MAX_TOKENS win over this file. A line behind # is not in force.",
    ]
    parts = ["\n".join(line for text in head for line in _comment(text))]
    parts += ["\n".join([*_comment(setting.reason), *_lines(setting)]) for setting in settings]
    return "\n\n".join(parts) + "\n"


def _lines(setting: Setting) -> Iterable[str]:
    sign = "" if setting.is_set else "# "
    if not isinstance(setting.value, tuple):
        return [f"{sign}{setting.name} = {_value(setting.value)}"]
    if not setting.value:
        return [f'{sign}{setting.name} = ["drafts/"]']
    shown = [_value(value) for value in setting.value]
    width = max(map(len, shown))
    rows = [
        f"{sign}    {value},{' ' * (width - len(value))}  # {_CONTROL.sub(' ', reason)}"
        for value, reason in zip(shown, setting.reasons, strict=True)
    ]
    return [f"{sign}{setting.name} = [", *rows, f"{sign}]"]


def _value(value: str | int) -> str:
    """*value* in TOML: JSON's strings are TOML's, but that DEL has to be escaped as well."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(text: str) -> list[str]:
    return wrap(_CONTROL.sub(" ", text), _WIDTH, initial_indent="# ", subsequent_indent="# ", break_long_words=False)
