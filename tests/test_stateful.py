"""Whatever is done to a folder and its store, in whatever order: after a run the store is as one made from nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from support_folder import age, settle
from support_mirror import GARBAGE, CountingBag, Mirror

from headwise.chunking.settings import Settings
from headwise.indexing.records import IndexSettings

# Fewer than 20, from where on a sync asks before it deletes most of them.
NAMES = (
    *("a.md", "A.md", "b.md", "c.txt", "README.md", "u\u0308.md", "\u00fc.md"),
    *("x.md", "x/a.md", "x/b.md", "x/README.md", "x/y/a.md", "x-y/a.md", "X/a.md", "a.md/inner.md", "電/a.md"),
)
SENTENCES = (
    "Motors turn wheels.",
    "Red goes to plus, and black goes to minus, always.",
    "The arm lifts boxes of up to three kilograms from the belt to the shelf.",
    "電動機は車輪を回す。",
    "See [[a]] and [the other](x/b.md) #robot/arm.",
    "- one\n- two\n- three",
    "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
    "```python\nprint(1)\n```",
)
HEADINGS = ("# Alpha", "# Beta", "## Wiring", "## Wiring", "### Deep", "## 電動")
FRONTS = (
    "",
    "---\ntitle: Named\ntags: [robot]\nDue: 2024-05-01\nat: {pins: [4, 6]}\n---\n\n",
    "---\nheadwise: false\n---\n\n",
    "---\nbroken: [\n---\n\n",
)
IGNORING: dict[str, Callable[[str], bool]] = {
    "": lambda _: False,
    "x/\n": lambda path: path.startswith("x/"),
    "b.md\n": lambda path: path.endswith("b.md"),
    "*.txt\n/a.md\n": lambda path: path.endswith(".txt") or path == "a.md" or path.startswith("a.md/"),
}
WAYS = [
    IndexSettings(Settings(max_tokens=max_tokens), passages, CountingBag(dimensions=dims, max_tokens=reads), navigation)
    for max_tokens, passages, dims, reads, navigation in (
        (60, 128, 8, 1000, "keep"),
        (60, 128, 16, 1000, "keep"),  # another model that reads as much: its vectors only
        (20, 128, 8, 1000, "keep"),
        (60, 12, 8, 1000, "keep"),
        (60, None, 16, 12, "keep"),
        (60, 128, 8, 1000, "skip"),
    )
]

sections = st.builds(
    lambda heading, some: "\n\n".join([heading, *some]),
    st.sampled_from(HEADINGS),
    st.lists(st.sampled_from(SENTENCES), max_size=4),
)
texts = st.builds(
    lambda front, some: (front + "\n\n".join(some) + "\n").encode(),
    st.sampled_from(FRONTS),
    st.lists(sections, max_size=3),
) | st.sampled_from(
    [
        *(b"", b" \n\n", GARBAGE, "# Café\n\nDéjà vu à la crème.\n".encode("cp1252")),
        b"\xef\xbb\xbf# Alpha\r\n\r\nMotors turn wheels.\r\n",
    ]
)
names = st.sampled_from(NAMES)
indexes = st.integers(0, 99)


class History(RuleBasedStateMachine):
    """What can happen to a folder and its store."""

    def __init__(self, new_url: Callable[[], str]) -> None:
        super().__init__()
        self.mirror = Mirror(new_url, WAYS[0])

    def teardown(self) -> None:
        self.mirror.close()

    # --- the folder ---

    @initialize(some=st.dictionaries(names, texts, min_size=2, max_size=8))
    def begin(self, some: dict[str, bytes]) -> None:
        for name, text in some.items():
            self.put(name, text)

    @rule(name=names, text=texts)
    def write(self, name: str, text: bytes) -> None:
        self.put(name, text)

    @rule(pick=indexes, sentence=st.sampled_from(SENTENCES), at=indexes)
    def insert(self, pick: int, sentence: str, at: int) -> None:
        def inserted(text: str) -> str:
            parts = text.split("\n\n")
            return "\n\n".join([*parts[: at % (len(parts) + 1)], sentence, *parts[at % (len(parts) + 1) :]])

        self.edit(pick, inserted)

    @rule(pick=indexes, heading=st.sampled_from(HEADINGS))
    def rename_heading(self, pick: int, heading: str) -> None:
        self.edit(pick, lambda text: heading + text[text.index("\n") :] if text[:1] == "#" else text)

    @rule(pick=indexes)
    def append(self, pick: int) -> None:
        self.edit(pick, lambda text: text + "\nOne line more.\n")

    @rule(pick=indexes)
    def edit_without_a_trace(self, pick: int) -> None:
        """After a run that saw the file at rest: the size is as it was, and the time of the last change is set back."""
        settle()
        self.mirror.run()
        for file in self.some(pick):
            state = file.stat()
            file.write_bytes(file.read_bytes().swapcase())
            os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
        self.mirror.run()

    @rule(pick=indexes, name=names)
    def move(self, pick: int, name: str) -> None:
        for file in self.some(pick):
            text = file.with_name(f"{file.name}.tmp")
            file.rename(text)
            if target := self.way_to(name):
                text.rename(target)
            else:
                text.rename(file)

    @rule(pick=indexes, name=names)
    def copy(self, pick: int, name: str) -> None:
        for file in self.some(pick):
            self.put(name, file.read_bytes())

    @rule(pick=indexes, other=indexes)
    def swap(self, pick: int, other: int) -> None:
        for one in self.some(pick):
            for two in self.some(other):
                spare = self.mirror.place / "spare"
                one.rename(spare)
                if one != two:
                    two.rename(one)
                spare.rename(two)

    @rule(pick=indexes)
    def replace_by_rename(self, pick: int) -> None:
        """As editors do."""
        for file in self.some(pick):
            spare = self.mirror.place / "spare"
            spare.write_bytes(file.read_bytes().replace(b"\n", b"\n\nSaved.\n", 1))
            spare.replace(file)

    @rule(pick=indexes)
    def delete(self, pick: int) -> None:
        for file in self.some(pick):
            file.unlink()

    @rule(pick=indexes)
    def make_again(self, pick: int) -> None:
        for file in self.some(pick):
            text = file.read_bytes()
            file.unlink()
            file.write_bytes(text)

    @rule(pick=indexes, whole=st.booleans())
    def touch(self, pick: int, whole: bool) -> None:
        for file in self.some(pick):
            if whole:  # seconds, as archives keep them
                os.utime(file, (1_600_000_000, 1_600_000_000))
            else:
                age(file)

    @rule(names=st.sampled_from([("x", "X"), ("X", "x"), ("x", "x-y"), ("x-y", "x"), ("電", "x")]))
    def rename_folder(self, names: tuple[str, str]) -> None:
        one, two = (self.mirror.folder / name for name in names)
        if one.is_dir() and not two.exists():
            one.rename(two)

    @rule(text=st.sampled_from(sorted(IGNORING)))
    def ignore(self, text: str) -> None:
        file = self.mirror.folder / ".gitignore"
        file.unlink(missing_ok=True)
        if text:
            file.write_text(text)
        self.mirror.ignored = IGNORING[text]

    @rule(pick=indexes)
    def lock(self, pick: int) -> None:
        """A file, or a folder: more of these, since each has all that is in it. Its contents are stored before."""
        self.mirror.run()
        folders = [entry for entry in self.mirror.folder.rglob("*") if entry.is_dir() or entry.name == ".gitignore"]
        open_ones = sorted(entry for entry in folders * 2 + self.some(pick) if not self.is_shut(entry))
        # A name in two Unicode forms is one document: which of them is locked would matter.
        names = [entry for entry in open_ones if not entry.name.startswith(("u", "\u00fc"))]
        for entry in names[pick % len(names) :][:1] if names else ():
            entry.chmod(0)

    @precondition(lambda self: self.mirror.locked())
    @rule()
    def unlock(self) -> None:
        while shut := self.mirror.locked():
            for entry in shut:
                entry.chmod(0o700)

    # --- the store ---

    @rule(way=st.sampled_from(WAYS))
    def choose(self, way: IndexSettings) -> None:
        self.mirror.settings = way

    @rule(checksum=st.booleans(), quiet=st.booleans())
    def run(self, checksum: bool, quiet: bool) -> None:
        if quiet:
            settle()
        self.mirror.run(checksum=checksum)

    @rule()
    def run_and_verify(self) -> None:
        self.unlock()
        self.mirror.run()
        self.mirror.verify()

    @rule(below=st.sampled_from(["x", "x/y", "a.md", "X", "u\u0308.md", "電"]))
    def run_in_a_part(self, below: str) -> None:
        self.mirror.run(below)

    @rule(most=st.integers(0, 8))
    def embed_some(self, most: int) -> None:
        self.mirror.embed_some(most)

    @rule(what=st.sampled_from(["sync", "sync", "embed", "gc", "mend"]), pick=indexes, at=indexes, hard=st.booleans())
    def crash(self, what: str, pick: int, at: int, hard: bool) -> None:
        """With something to be done, in one of about as many steps as that takes."""
        self.append(pick)
        self.append(pick + 1)
        self.mirror.crash(what, 1 + at % {"sync": 70, "mend": 100}.get(what, 16), hard=hard)

    @rule(way=st.sampled_from(WAYS), others=st.booleans())
    def clean(self, way: IndexSettings, others: bool) -> None:
        """After a run with settings that may have another model."""
        self.mirror.settings = way
        self.mirror.run()
        self.mirror.clean(others=others)

    @rule()
    def mend(self) -> None:
        self.mirror.mend()

    # --- helpers ---

    def some(self, pick: int) -> list[Path]:
        """One of the files, if there are any that may be read."""
        found = (file for file in self.mirror.folder.rglob("*") if file.is_file() and file.name != ".gitignore")
        files = sorted(file for file in found if not self.is_shut(file))
        return [files[pick % len(files)]] if files else []

    def is_shut(self, file: Path) -> bool:
        return any(entry in (file, *file.parents) for entry in self.mirror.locked())

    def edit(self, pick: int, change: Callable[[str], str]) -> None:
        for file in self.some(pick):
            text = file.read_bytes().decode("utf-8", "surrogateescape")
            if "\0" not in text:
                file.write_bytes(change(text).encode("utf-8", "surrogateescape"))

    def put(self, name: str, text: bytes) -> None:
        if target := self.way_to(name):
            target.write_bytes(text)

    def way_to(self, name: str) -> Path | None:
        """Where *name* is to be; what stands in its way goes. None if it may not be touched."""
        target = self.mirror.folder / name
        if self.is_shut(target):
            return None
        if target.is_dir():
            if any(entry.is_relative_to(target) for entry in self.mirror.locked()):
                return None
            shutil.rmtree(target)
        for parent in target.relative_to(self.mirror.folder).parents:
            if (self.mirror.folder / parent).is_file():
                (self.mirror.folder / parent).unlink()
        target.parent.mkdir(parents=True, exist_ok=True)
        return target


def test_after_whatever_happened_the_store_is_as_one_made_from_nothing(new_url, request):
    share = 12 if "sqlite" in request.node.name else 40
    run_state_machine_as_test(
        lambda: History(new_url),
        settings=settings(
            max_examples=settings.default.max_examples // share,
            stateful_step_count=25,
            suppress_health_check=list(HealthCheck),
        ),
    )
