"""From what was seen of a folder to settings for it, each with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from headwise.app.setup.languages import ENGLISH, OTHER
from headwise.app.setup.look import Look

MULTILINGUAL = frozenset(
    {
        "Arabic",
        "Chinese",
        "Dutch",
        "English",
        "French",
        "German",
        "Italian",
        "Japanese",
        "Korean",
        "Polish",
        "Portuguese",
        "Russian",
        "Spanish",
        "Thai",
        "Turkish",
    }
)
"""What the model `multilingual` knows."""
UNSPACED = frozenset({"Chinese", "Japanese", "Thai"})

_MOSTLY = 0.6
"""Share of English from which on the default model will do."""
_KNOWN = 0.5
"""Share of languages that a model knows from which on it is proposed."""
_SMALL = 0.05
_SPECIAL = re.compile(r"([\\*?\[])")


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting, and why it is so."""

    name: str
    value: str | int | tuple[str, ...]
    reason: str
    reasons: tuple[str, ...] = ()
    """Of a list, why each of its values."""
    is_set: bool = True
    """False for one that is only shown, behind a `#`."""


def propose(look: Look, *, has_multilingual: bool) -> tuple[Setting, ...]:
    """Settings for the folder that was looked at.

    Args:
        look: What was seen.
        has_multilingual: Whether the model for many languages is installed.
    """
    found = [_max_tokens(look), *_model(look, has_multilingual=has_multilingual), *_exclude(look), _editor(look)]
    if look.long_lines:
        what = "1 file has" if look.long_lines == 1 else f"{look.long_lines} files have"
        reason = f"Of those looked into, {what} lines that no reader makes sense of (data, minified code): left out."
        found.insert(1, Setting("max_line", 10_000, reason))
    return tuple(found)


def summary(look: Look) -> str:
    """What was seen, in one line."""
    what = "an Obsidian vault" if look.is_vault else f"docs for {look.site}" if look.site else "a folder of documents"
    shares = [f"{name} {share:.0%}" for name, share in look.languages.items() if share >= _SMALL][:4]
    size = f"{look.size / 1e6:,.1f} MB" if look.size >= 1e6 else f"{look.size / 1e3:,.0f} kB"
    documents = "1 document" if look.documents == 1 else f"{look.documents:,} documents"
    return f"{what}: {documents}, {size}" + (f"; {', '.join(shares)}" if shares else "")


def _max_tokens(look: Look) -> Setting:
    language = _main(look)
    if language in UNSPACED:
        amount = round(400 / max(look.tokens_per_letter, 0.05), -1)
        reason = (
            f"No chunk is larger, breadcrumb included. {language} takes {look.tokens_per_letter:.1f} tokens a "
            f"character here, so that 400 tokens are about {amount:.0f} characters."
        )
    else:
        amount = round(400 / max(look.tokens_per_word, 0.5), -1)
        reason = (
            f"No chunk is larger, breadcrumb included: about {amount:.0f} words of these documents, mostly a section "
            "or a few paragraphs."
        )
    return Setting("max_tokens", 400, f"{reason} `headwise eval` compares other sizes.")


def _model(look: Look, *, has_multilingual: bool) -> list[Setting]:
    english = look.languages.get(ENGLISH, 0.0)
    if english >= _MOSTLY or not look.languages:
        what = f"{english:.0%} of the text is English" if look.languages else "There is hardly any text"
        reason = f'{what}: the default model, wordllama, will do. "minilm" finds more and takes much longer.'
        return [Setting("model", "wordllama", reason, is_set=False)]
    shares = ", ".join(f"{name} {share:.0%}" for name, share in look.languages.items() if share >= _SMALL)
    if sum(share for name, share in look.languages.items() if name in MULTILINGUAL) < _KNOWN:
        reason = (
            f"Of the text, {shares}: no packaged model knows most of it. Words find it, meaning hardly; a model for it "
            "behind an endpoint (model_url) would help."
        )
        return [Setting("model", "a-model-of-your-endpoint", reason, is_set=False)]
    reason = f"Of the text, {shares}: this model knows sixteen languages, the default one only English."
    if not has_multilingual:
        reason += ' Not installed yet: pip install "headwise[multilingual]", then take the # away.'
    return [Setting("model", "multilingual", reason, is_set=has_multilingual)]


def _exclude(look: Look) -> list[Setting]:
    every: list[tuple[str, str]] = [
        *((_folder(name), "templates: placeholders, not notes") for name in look.templates),
        *((_folder(name), "Obsidian leaves it out of its own search, too") for name in look.hidden_in_vault),
        *((_folder(name), f"made or kept by {look.site}: the same text again") for name in look.outputs),
        *((name, "only lists what is elsewhere, or is for programs") for name in look.lists),
        *((_file(name), f"{size / 1e6:.1f} MB, written by a program, it seems") for name, size in look.generated),
    ]
    if look.attachments:
        every.append((_folder(look.attachments), "attachments"))
    if look.drawings:
        every.append(("*.excalidraw.md", f"{look.drawings} drawings, data rather than text"))
    taken = list({pattern: (pattern, reason) for pattern, reason in reversed(every)}.values())[::-1]
    folder, days = look.daily
    daily = ""
    if days >= 5 and folder:
        daily = f" The {days:,} daily notes in {folder} are read; {_folder(folder)} here would leave them out."
    if not taken:
        reason = f"Patterns as in .gitignore of what to leave out; nothing stood out.{daily}"
        return [Setting("exclude", (), reason, is_set=False)]
    return [
        Setting(
            "exclude",
            tuple(pattern for pattern, _ in taken),
            f"Patterns as in .gitignore of what not to read.{daily}",
            tuple(reason for _, reason in taken),
        )
    ]


def _editor(look: Look) -> Setting:
    if look.is_vault:
        return Setting("editor", "obsidian", "A vault: hits come with links that open the note in Obsidian.")
    reason = 'Hits come with path:line, which editors and many terminals open. "vscode" gives links for VS Code.'
    return Setting("editor", "file", reason)


def _main(look: Look) -> str:
    """The language that most is in, if that can be told."""
    return next((name for name in look.languages if name != OTHER), ENGLISH)


def _folder(name: str) -> str:
    return f"{_file(name)}/"


def _file(name: str) -> str:
    """The pattern that names *name*, from the root, and nothing else."""
    return "/" + _SPECIAL.sub(r"\\\1", name)


def values(settings: Sequence[Setting]) -> dict[str, str | int | tuple[str, ...]]:
    """The settings that are set, by name."""
    return {setting.name: setting.value for setting in settings if setting.is_set}
