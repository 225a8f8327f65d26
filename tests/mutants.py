"""Mutation testing of `reading/` and `chunking/`: does a quick test notice each small change to the code?

mutmut makes the changes. They are tried here rather than by its own runner, which starts pytest anew for each: this
process imports and collects everything once, notes which tests reach which function, and then forks for every change;
the child gives the function its changed code and runs those tests until one fails, the ones that noticed a change of
the same function first. A change that no test notices must stand in `mutants.txt`, under the reason why it may.

    python tests/mutants.py [-j N] [--alive] [MODULE ...]

A module is named like `reading/lines`; if none is, all are tried. `--alive` tries only what nobody noticed last time.
"""

from __future__ import annotations
import __future__

import argparse
import difflib
import functools
import gc
import importlib
import inspect
import json
import os
import re
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType, FunctionType
from typing import Any, NamedTuple

os.environ["HYPOTHESIS_PROFILE"] = "mutants"

import libcst as cst
import pytest
from hypothesis import HealthCheck, Phase, settings
from mutmut.mutation.file_mutation import create_mutations, deep_replace

settings.register_profile(  # as in every run of the tests, but few examples, and none made small
    "mutants",
    deadline=None,
    derandomize=True,
    max_examples=10,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "headwise"
EXPLAINED = ROOT / "tests" / "mutants.txt"
KEPT = ROOT / ".mutants.jsonl"  # what was found so far, the newest last

TESTS = [
    "lines",
    "decode",
    "plain",
    "front_matter",
    "markdown",
    "outline",
    "flavours",
    "markers",
    "enclosed",
    "sentences",
    "partition",
    "sizes",
    "overlap",
    "overlap_marks",
    "passages",
    "measure",
    "tokenizer_file",
    "max_line",
    "navigation",
    "settings",
    "pieces",
    "tiny",
    "check",
    "diff",
    "metrics",
    "layout",
    "units",
    "cells",
    "graphemes",
    "word_cuts",
    "indented",
    "context",
    "split",
    "golden",
    "more_cases",
    "laws",
]
# tests that start processes, fill stores, measure time, load whole models, or need what is beside some copies only
LEFT_OUT = re.compile(r"\b(?:subprocess|run|sync|perf_counter|shared|case|load_model)\(|packaged_models|time_is_linear")
ONLY_FOR = {  # slow, and about these
    "tests/test_tokenizer_file.py": (
        "chunking/measure",
        "chunking/tokenizer_file",
        "chunking/settings",
        "chunking/split",
    ),
    "tests/test_measure.py": ("chunking/measure", "chunking/settings"),
}
SECONDS = 0.5  # of the processor for one test, beside three times what it took
MEMORY = 6 << 30

CACHED = re.compile(r"^@(?:cache|lru_cache\(.*\))\n", re.MULTILINE)  # mutmut passes over what is decorated
# what does nothing in a right program: capitals in utf-8, the type of a cast, the check of two rows for one length
IDLE = re.compile(r"(?i:\"utf-8\")|(?<=\bcast\()(?:None|\"[^\"]*\")|,\s*(?:strict=\w+)?(?=\))")
PROSE = re.compile(r"[a-z]{2,}[,;:]? [a-z]")  # the words of a message

Function = tuple[str, str]
"""Module, and the name of a function or method in it."""


class Mutant(NamedTuple):
    """One change: of which function, how it reads, and the function's source with it."""

    function: Function
    change: str
    source: str

    @property
    def name(self) -> str:
        return f"{self.function[0]} {self.function[1]}: {self.change}"


class Test(NamedTuple):
    """A collected test, the seconds it took, and the functions it reached."""

    item: pytest.Item
    seconds: float
    reached: set[Function]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="such as reading/lines; all if none is")
    parser.add_argument("-j", dest="jobs", type=int, default=1, help="how many changes to try at once")
    parser.add_argument("--alive", action="store_true", help="only the changes that nothing noticed last time")
    options = parser.parse_args()
    modules = options.modules or [
        f"{folder}/{path.stem}"
        for folder in ("reading", "chunking")
        for path in sorted((SOURCE / folder).glob("[a-z]*.py"))
    ]
    mutants = [mutant for module in modules for mutant in make_mutants(module)]
    kept = read_kept()
    tried = [mutant for mutant in mutants if not options.alive or kept.get(mutant.name, "alive") == "alive"]
    session = Session(tried, options.jobs)
    with TemporaryDirectory() as folder:
        arguments = ["-q", "-s", "--tb=line", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist"]
        tests = [f"{ROOT}/tests/test_{name}.py" for name in TESTS]
        code = pytest.main([f"--rootdir={ROOT}", f"--basetemp={folder}/tests", *arguments, *tests], plugins=[session])
    if code or not session.done:
        return int(code) or 1
    kept = read_kept()
    return report(modules, {mutant.name: kept[mutant.name] for mutant in mutants if mutant.name in kept})


def read_kept() -> dict[str, str]:
    lines = KEPT.read_text("utf-8").splitlines() if KEPT.exists() else ()
    return dict(map(json.loads, lines))


def report(modules: list[str], ends: dict[str, str]) -> int:
    """Print what became of the changes; 1 if one is alive and not explained, or explained and not alive."""
    explained = {line for line in EXPLAINED.read_text("utf-8").splitlines() if line and not line.startswith("#")}
    for module in modules:
        count = Counter(end for name, end in ends.items() if name.startswith(f"{module} "))
        known = sum(end == "alive" and name in explained for name, end in ends.items() if name.startswith(f"{module} "))
        say(
            f"{module:24}{sum(count.values()):6} mutants{count['killed']:6} killed{count['stopped']:4} stopped"
            f"{known:4} explained{count['alive'] - known:4} alive"
        )
    alive = sorted(name for name, end in ends.items() if end == "alive" and name not in explained)
    gone = sorted(name for name in explained if name.partition(" ")[0] in modules and ends.get(name) != "alive")
    for title, names in (("no test notices:", alive), (f"{EXPLAINED.name} explains what is not alive:", gone)):
        if names:
            say("\n".join((f"\n{title}", *names)))
    return 1 if alive or gone else 0


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def make_mutants(module: str) -> list[Mutant]:
    """Every change of a module that could matter, in order, each once."""
    tree, mutations, _, _ = create_mutations(module, CACHED.sub("", (SOURCE / f"{module}.py").read_text("utf-8")))
    owner = {
        member: f"{node.name.value}."
        for node in tree.body
        if isinstance(node, cst.ClassDef)
        for member in node.body.body
    }
    found: dict[str, Mutant] = {}
    seen: Counter[str] = Counter()
    for mutation in mutations:
        function = mutation.contained_by_top_level_function
        if not isinstance(function, cst.FunctionDef):
            continue
        bare = function.with_changes(leading_lines=[])
        before, after = (cst.Module([one]).code for one in (bare, deep_replace(bare, *mutation_pair(mutation))))
        idle = IDLE.sub("", before) == IDLE.sub("", after)
        prose = isinstance(mutation.original_node, cst.SimpleString) and PROSE.search(mutation.original_node.value)
        if not idle and not prose:
            name = owner.get(function, "") + function.name.value
            mutant = Mutant((module, name), read_change(before, after), after)
            seen[mutant.name] += 1
            if seen[mutant.name] > 1:
                mutant = mutant._replace(change=f"{mutant.change} #{seen[mutant.name]}")
            found[mutant.name] = mutant
    return list(found.values())


def mutation_pair(mutation: Any) -> tuple[cst.CSTNode, cst.CSTNode]:
    return mutation.original_node, mutation.mutated_node


def read_change(before: str, after: str) -> str:
    """The lines that differ as one, with `[old → new]` in them."""
    lines = before.splitlines(), after.splitlines()
    changed = [
        block for block in difflib.SequenceMatcher(None, *lines, autojunk=False).get_opcodes() if block[0] != "equal"
    ]
    old = " ".join(line.strip() for line in lines[0][changed[0][1] : changed[-1][2]])
    new = " ".join(line.strip() for line in lines[1][changed[0][3] : changed[-1][4]])
    words = [re.findall(r"\w+|\s+|[^\w\s]", text) for text in (old, new)]
    head = common(*words)
    tail = common(*(row[head:][::-1] for row in words))
    a, b = ("".join(row[head : len(row) - tail]).strip() for row in words)
    left, right = "".join(words[0][:head]), "".join(words[0][len(words[0]) - tail :])
    return f"{left[-80:]}[{a} → {b}]{right[:60]}"


def common(one: list[str], other: list[str]) -> int:
    """How many items are equal at the start."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


class Session:
    """A pytest plugin that runs the collected tests once as they are, and then against every change."""

    def __init__(self, mutants: list[Mutant], jobs: int) -> None:
        self.mutants = mutants
        self.jobs = jobs
        self.alive = 0
        self.killers: defaultdict[Function, Counter[int]] = defaultdict(Counter)
        self.failed = False
        self.done = False

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if not LEFT_OUT.search(item.nodeid + inspect.getsource(item.function))]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        tests: list[Test] = []
        ours = [cached for cached in caches() if cached.__module__.startswith("headwise.")]
        for item, following in zip(session.items, [*session.items[1:], None], strict=True):
            for cached in ours:  # or only the first test would be seen to reach what is behind one
                cached.cache_clear()
            begun = time.process_time()
            with noted() as reached:
                item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                raise session.Failed(f"{item.nodeid} fails as it is")
            tests.append(Test(item, time.process_time() - begun, reached))
        tests.sort(key=lambda test: test.seconds)
        say(f"\n{len(tests)} tests in {sum(test.seconds for test in tests):.0f} s; {len(self.mutants)} changes to try")
        forget()
        gc.collect()
        gc.freeze()
        self._try_all(tests)
        self.done = True
        return True

    def _try_all(self, tests: list[Test]) -> None:
        reaching: defaultdict[Function, list[int]] = defaultdict(list)
        for number, test in enumerate(tests):
            only = ONLY_FOR.get(test.item.nodeid.partition("::")[0])
            for function in test.reached:
                if only is None or function[0] in only:
                    reaching[function].append(number)
        running: dict[int, tuple[Mutant, int]] = {}
        begun = time.monotonic()
        for number, mutant in enumerate(self.mutants):
            killers = self.killers[mutant.function]
            own = f"/test_{mutant.function[0].rpartition('/')[2]}.py"
            order = sorted(
                reaching[mutant.function], key=lambda test: (-killers[test], own not in tests[test].item.nodeid)
            )
            while len(running) >= self.jobs:
                self._wait(running)
            reading, writing = os.pipe()
            child = os.fork()
            if not child:
                self._try(mutant, [tests[index] for index in order], order, writing)
            os.close(writing)
            running[child] = mutant, reading
            if number % 100 == 0:
                say(f"{number:6} tried, {self.alive} alive, {time.monotonic() - begun:.0f} s")
        while running:
            self._wait(running)

    def _wait(self, running: dict[int, tuple[Mutant, int]]) -> None:
        child, status = os.wait()
        mutant, reading = running.pop(child)
        with os.fdopen(reading, "rb") as pipe:
            killer = pipe.read()
        end = "alive" if os.waitstatus_to_exitcode(status) == 0 else "killed" if killer else "stopped"
        self.alive += end == "alive"
        if killer:
            self.killers[mutant.function][int(killer)] += 1
        with KEPT.open("a", encoding="utf-8") as file:
            file.write(json.dumps([mutant.name, end], ensure_ascii=False) + "\n")

    def _try(self, mutant: Mutant, tests: list[Test], numbers: list[int], pipe: int) -> None:
        """Run the tests in a child, with the change; leaves with 0 if all pass."""
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        change(mutant)
        for test, following, number in zip(tests, [*tests[1:], None], numbers, strict=False):  # maybe none at all
            signal.setitimer(signal.ITIMER_PROF, SECONDS + 3 * test.seconds)
            try:
                test.item.ihook.pytest_runtest_protocol(item=test.item, nextitem=following and following.item)
            except BaseException:  # noqa: BLE001 - whatever gets out of a test is no pass
                self.failed = True
            if self.failed:
                os.write(pipe, str(number).encode())
                os._exit(1)
        os._exit(0)


class noted:  # noqa: N801 - reads like a function
    """Notes which functions of the source are called."""

    def __enter__(self) -> set[Function]:
        self.codes: set[Any] = set()
        self.found: set[Function] = set()
        add = self.codes.add

        def note(frame: FrameType, event: str, _: object) -> None:
            if event == "call":
                add(frame.f_code)

        sys.setprofile(note)
        return self.found

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        for code in self.codes:
            if code.co_filename.startswith(f"{SOURCE}{os.sep}"):
                module = Path(code.co_filename).relative_to(SOURCE).with_suffix("").as_posix()
                self.found.add((module, code.co_qualname.partition(".<locals>")[0]))


def caches() -> Iterator[Any]:
    for thing in gc.get_objects():
        if isinstance(thing, functools._lru_cache_wrapper):
            yield thing


def forget() -> None:
    """Empty the caches that unchanged code has filled; what only loads vocabularies may stay loaded."""
    for cached in caches():
        if not cached.__module__.startswith(("hypothesis", "_pytest", "re")):
            cached.cache_clear()


def change(mutant: Mutant) -> None:
    """Give the function its changed code, wherever it is already referred to."""
    module = importlib.import_module("headwise." + mutant.function[0].replace("/", "."))
    owner, _, name = mutant.function[1].rpartition(".")
    source = f"class {owner}:\n{indented(mutant.source)}" if owner else mutant.source
    names = dict(vars(module))
    exec(compile(source, module.__file__ or "", "exec", __future__.annotations.compiler_flag), names)  # noqa: S102
    changed = plain(vars(names[owner])[name] if owner else names[name])
    function = plain(vars(getattr(module, owner))[name] if owner else vars(module)[name])
    function.__code__ = changed.__code__
    function.__defaults__, function.__kwdefaults__ = changed.__defaults__, changed.__kwdefaults__


def indented(source: str) -> str:
    return "".join(f"    {line}" for line in source.splitlines(keepends=True))


def plain(thing: Any) -> FunctionType:
    """The function itself, without what decorates it."""
    while not isinstance(thing, FunctionType):
        thing = thing.fget if isinstance(thing, property) else getattr(thing, "__wrapped__", None) or thing.__func__
    return thing


if __name__ == "__main__":
    sys.exit(main())
