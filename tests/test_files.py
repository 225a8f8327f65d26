import os
import subprocess
import threading
import time
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from hashlib import blake2b
from pathlib import Path
from random import Random
from shutil import which
from tempfile import TemporaryDirectory
from unicodedata import normalize

import pytest

from headwise.errors import ReadingError, SettingsError
from headwise.indexing.documents import FoundFile, document_format, read_document
from headwise.indexing.files import FileOptions, Problem, find_files, find_paths, is_obsidian

DEFAULT = FileOptions()
NOBODY = 65534


@pytest.fixture
def shared_path():
    """A folder any user may enter."""
    with TemporaryDirectory() as folder:
        path = Path(folder).resolve()
        path.chmod(0o755)
        yield path
        for entry in path.rglob("*"):
            entry.chmod(0o755)


@contextmanager
def as_a_plain_user():
    """Root may read everything, so that it has to be someone else for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def write(root: Path, *paths: str) -> None:
    """Files with some text in them."""
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# {path}\n", encoding="utf-8")


def ignore(folder: Path, *lines: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("\n".join(lines), encoding="utf-8")


def paths(root: Path, options: FileOptions = DEFAULT, below: str = "") -> list[str]:
    found = find_files(root, options, below)
    assert found.problems == ()
    return [file.path for file in found.files]


def problems(root: Path, options: FileOptions = DEFAULT) -> list[tuple[str, str, bool]]:
    return [(p.path, p.reason, p.unknown) for p in find_files(root, options).problems]


def only(root: Path) -> FoundFile:
    (file,) = find_files(root, DEFAULT).files
    return file


def test_markdown_and_text_are_found_by_their_endings_in_any_case_and_in_order(tmp_path):
    write(
        tmp_path, "todo.md", "Todo.md", "GUIDE.MD", "Plan.Md", "page.markdown", "text.TXT", "b/x.mdx", "noext", "a.png"
    )

    assert paths(tmp_path) == ["GUIDE.MD", "Plan.Md", "Todo.md", "b/x.mdx", "page.markdown", "text.TXT", "todo.md"]


def test_a_found_file_tells_what_the_disk_says(tmp_path):
    write(tmp_path, "a/note.md")
    state = (tmp_path / "a/note.md").stat()

    assert only(tmp_path) == FoundFile(
        path="a/note.md",
        location=str(tmp_path / "a/note.md"),
        size=state.st_size,
        mtime_ns=state.st_mtime_ns,
        inode=state.st_ino,
        ctime_ns=state.st_ctime_ns,
        obsidian=False,
    )


def test_hidden_things_and_node_modules_are_left_out(tmp_path):
    write(
        tmp_path,
        "note.md",
        ".obsidian/plugins/x/README.md",
        ".trash/old.md",
        ".git/description.md",
        ".headwise/x.md",
        "node_modules/p/README.md",
        "web/node_modules/p/README.md",
        ".hidden.md",
        "docs/.aidocs/plan.md",
        "docs/.aidocs/.private/plan.md",
    )

    assert paths(tmp_path) == ["note.md"]
    assert paths(tmp_path, FileOptions(hidden=(".aidocs", ".git", ".trash"))) == ["docs/.aidocs/plan.md", "note.md"]
    assert paths(tmp_path, FileOptions(exclude=("!/node_modules/",))) == ["node_modules/p/README.md", "note.md"]


def test_include_and_exclude_are_patterns_of_gitignore(tmp_path):
    write(tmp_path, "SUMMARY.md", "a/SUMMARY.md", "a/b.md", "a/c.rst", "drafts/x.md", "drafts/keep.md")

    assert paths(tmp_path, FileOptions(exclude=("SUMMARY.md",))) == ["a/b.md", "drafts/keep.md", "drafts/x.md"]
    assert paths(tmp_path, FileOptions(exclude=("/SUMMARY.md", "drafts/*", "!keep.md"))) == [
        "a/SUMMARY.md",
        "a/b.md",
        "drafts/keep.md",
    ]
    assert paths(tmp_path, FileOptions(include=("*.RST", "/drafts/**/*.md"))) == [
        "a/c.rst",
        "drafts/keep.md",
        "drafts/x.md",
    ]


@pytest.mark.parametrize("name", ["include", "exclude"])
def test_a_pattern_that_is_none_is_refused_by_name(name):
    with pytest.raises(SettingsError, match=rf"^{name} has '!', which is no pattern of \.gitignore$"):
        FileOptions(**{name: ("*.md", "!")})


def test_gitignore_files_hold_below_their_folder_and_the_last_word_counts(tmp_path):
    write(tmp_path, "a.md", "build/x.md", "docs/build/x.md", "docs/a.md", "docs/b.md", "docs/deep/b.md", "src/b.md")
    ignore(tmp_path, "/build/", "b.md", "!", "# no pattern")
    ignore(tmp_path / "docs", "a.md", "!deep/b.md")

    assert paths(tmp_path) == ["a.md", "docs/build/x.md", "docs/deep/b.md"]
    assert paths(tmp_path, FileOptions(exclude=("!b.md",))) == [
        "a.md",
        "docs/b.md",
        "docs/build/x.md",
        "docs/deep/b.md",
        "src/b.md",
    ]
    assert len(paths(tmp_path, FileOptions(gitignore=False))) == 7


def test_what_lies_in_an_ignored_folder_cannot_be_brought_back_from_inside(tmp_path):
    write(tmp_path, "out/x.md", "a.md")
    ignore(tmp_path, "out/")
    ignore(tmp_path / "out", "!x.md")

    assert paths(tmp_path) == ["a.md"]


def test_git_ignores_the_same(tmp_path):
    if which("git") is None:
        pytest.skip("git is not installed")
    run = partial(subprocess.run, cwd=tmp_path, capture_output=True, text=True, check=True, encoding="utf-8")
    run(["git", "init", "--quiet"])
    run(["git", "config", "core.excludesFile", os.devnull])
    names = ["a", "b", "a.md", "b.md", "ab.md"]
    folders = ["", "a/", "b/", "a/a/", "a/b/", "b/a/"]
    for folder in folders:
        (tmp_path / folder).mkdir(exist_ok=True)
    files = [f"{folder}{name}" for folder in folders for name in names if f"{folder}{name}/" not in folders]
    write(tmp_path, *files)
    chance = Random(20)  # noqa: S311 - the same patterns at every run
    parts = ["a", "b", "*", "**", "a*", "*.md", "?", "[ab].md", "[!a]*"]
    for _ in range(150):
        for folder in ("", "a/"):
            lines = [
                chance.choice(["", "", "!"])
                + chance.choice(["", "", "/"])
                + "/".join(chance.choices(parts, k=chance.choice([1, 1, 2, 3])))
                + chance.choice(["", "", "/"])
                for _ in range(chance.randint(0, 4))
            ]
            ignore(tmp_path / folder, *lines)
        listed = run(["git", "ls-files", "--others", "--exclude-standard", "-z"]).stdout.split("\0")

        found = paths(tmp_path, FileOptions(include=("*",)))

        assert found == sorted(f for f in listed if f and not f.endswith(".gitignore")), [
            (tmp_path / folder / ".gitignore").read_text() for folder in ("", "a")
        ]


def test_everything_ignored_but_some_is_understood(tmp_path):
    write(tmp_path, "a.md", "b.txt", "c/d.md", "c/e.txt")
    ignore(tmp_path, "*", "!*/", "!*.md")

    assert paths(tmp_path) == ["a.md", "c/d.md"]


def test_gitignore_files_above_the_root_hold_up_to_the_repository(tmp_path):
    write(tmp_path, "repo/docs/guide/a.md", "repo/docs/guide/b.md", "repo/docs/guide/c.md", "repo/docs/guide/d.md")
    (tmp_path / "repo/.git").mkdir()
    ignore(tmp_path, "a.md")
    ignore(tmp_path / "repo", "/docs/guide/b.md", "c.md")
    ignore(tmp_path / "repo/docs", "!c.md", "guide/d.md")

    assert paths(tmp_path / "repo/docs/guide") == ["a.md", "c.md"]


def test_without_a_repository_nothing_above_the_root_counts(tmp_path):
    write(tmp_path, "docs/a.md")
    ignore(tmp_path, "a.md")

    assert paths(tmp_path / "docs") == ["a.md"]


def test_an_ignored_folder_that_is_asked_for_is_read(tmp_path):
    write(tmp_path, "build/docs/a.md", "build/docs/b.md")
    (tmp_path / ".git").mkdir()
    ignore(tmp_path, "build/", "b.md")

    assert paths(tmp_path / "build/docs") == ["a.md"]


def test_only_what_is_below_a_path_is_listed_by_the_same_rules(tmp_path):
    write(tmp_path, "a.md", "sub/a.md", "sub/b.md", "sub/deep/c.md", "subway/d.md", "sub.md")
    ignore(tmp_path, "/sub/b.md")

    assert paths(tmp_path, below="sub") == ["sub/a.md", "sub/deep/c.md"]
    assert paths(tmp_path, below="sub/deep/") == ["sub/deep/c.md"]
    assert paths(tmp_path, below="sub/a.md") == ["sub/a.md"]
    assert paths(tmp_path, below="gone") == []


def test_names_are_nfc_whatever_the_disk_has(tmp_path):
    folder, name = normalize("NFD", "Überblick"), normalize("NFD", "Café.md")
    write(tmp_path, f"{folder}/{name}")
    ignore(tmp_path, normalize("NFD", "Müll.md"))
    write(tmp_path, normalize("NFC", "Müll.md"))

    file = only(tmp_path)

    assert file.path == normalize("NFC", "Überblick/Café.md")
    assert Path(file.location).read_text(encoding="utf-8").startswith("# ")
    assert paths(tmp_path, below=folder) == [file.path]


def test_of_two_names_that_are_one_in_nfc_the_first_is_read(tmp_path):
    write(tmp_path, "a\u0308.md", "\u00e4.md")
    if len(list(tmp_path.iterdir())) < 2:
        pytest.skip("this disk knows one form only")

    found = find_files(tmp_path, DEFAULT)

    assert [file.location for file in found.files] == [str(tmp_path / "a\u0308.md")]
    assert found.problems == (
        Problem("\u00e4.md", "another file has this name in another Unicode form", unknown=False),
    )


def test_a_name_that_is_not_unicode_is_a_problem(tmp_path):
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.md")).touch()
    except OSError:
        pytest.skip("this disk takes Unicode names only")
    write(tmp_path, "a.md")

    assert [f.path for f in find_files(tmp_path, DEFAULT).files] == ["a.md"]
    assert problems(tmp_path) == [("caf?.md", "the name is not Unicode; rename it", False)]


def test_links_are_followed_to_files_inside_and_end_in_loops(tmp_path):
    write(tmp_path, "root/a/real.md", "root/z.md", "outside/secret.md")
    root = tmp_path / "root"
    (root / "link.md").symlink_to("a/real.md")
    (root / "a/up").symlink_to("..", target_is_directory=True)
    (root / "again").symlink_to("a", target_is_directory=True)
    (root / "image.png").symlink_to("/nowhere.png")
    assert paths(root) == ["a/real.md", "link.md", "z.md"]

    (root / "far.md").symlink_to("../outside/secret.md")
    (root / "far").symlink_to("../outside", target_is_directory=True)
    (root / "gone.md").symlink_to("nothing.md")
    (root / "self.md").symlink_to("self.md")

    assert [f.path for f in find_files(root, DEFAULT).files] == ["a/real.md", "link.md", "z.md"]
    assert problems(root) == [
        ("far", f"a link out of the folder, to {tmp_path / 'outside'}", False),
        ("far.md", f"a link out of the folder, to {tmp_path / 'outside/secret.md'}", False),
        ("gone.md", "cannot be read (No such file or directory)", False),
        ("self.md", "cannot be read (Too many levels of symbolic links)", False),
    ]


def test_a_root_that_is_a_link_is_read(tmp_path):
    write(tmp_path, "real/a.md")
    (tmp_path / "link").symlink_to("real", target_is_directory=True)

    assert paths(tmp_path / "link") == ["a.md"]


def test_a_pipe_is_no_document(tmp_path):
    write(tmp_path, "a.md")
    os.mkfifo(tmp_path / "pipe.md")

    assert paths(tmp_path) == ["a.md"]
    with pytest.raises(ReadingError, match="is neither a file nor a folder"):
        find_paths([tmp_path / "pipe.md"], DEFAULT)


def test_an_unreadable_folder_is_one_problem_and_not_the_end(shared_path):
    write(shared_path, "a.md", "locked/b.md", "c.md")
    (shared_path / "locked").chmod(0)

    with as_a_plain_user():
        found = find_files(shared_path, DEFAULT)
        with pytest.raises(ReadingError, match=r"locked: cannot be read \(Permission denied\)$"):
            find_files(shared_path / "locked", DEFAULT)

    assert [file.path for file in found.files] == ["a.md", "c.md"]
    assert found.problems == (Problem("locked", "cannot be read (Permission denied)", unknown=True),)


def test_a_folder_whose_gitignore_cannot_be_read_is_not_guessed_at(shared_path):
    write(shared_path, "a.md", "b/c.md")
    ignore(shared_path / "b", "c.md")
    (shared_path / "b/.gitignore").chmod(0)

    with as_a_plain_user():
        found = find_files(shared_path, DEFAULT)

    assert [file.path for file in found.files] == ["a.md"]
    assert found.problems == (Problem("b", "cannot be read (Permission denied: .gitignore)", unknown=True),)


def test_a_root_that_is_no_folder_is_an_error_never_an_empty_folder(tmp_path):
    write(tmp_path, "a.md")
    (tmp_path / "empty").mkdir()

    assert paths(tmp_path / "empty") == []
    with pytest.raises(ReadingError, match=r"missing: no such folder$"):
        find_files(tmp_path / "missing", DEFAULT)
    with pytest.raises(ReadingError, match=r"a\.md: is a file, not a folder$"):
        find_files(tmp_path / "a.md", DEFAULT)


def test_named_files_are_read_whatever_they_are_called_relative_to_what_they_share(tmp_path, monkeypatch):
    write(tmp_path, "docs/a.md", "docs/b/c.md", "docs/b/.hidden.md", "docs/b/LICENSE", "notes/x.md")
    monkeypatch.chdir(tmp_path)

    def named(*given: str) -> list[str]:
        return [file.path for file in find_paths([Path(path) for path in given], DEFAULT).files]

    assert named("docs/a.md") == ["a.md"]
    assert named("docs") == ["a.md", "b/c.md"]
    assert named("docs", "docs/a.md", "docs/b/LICENSE") == ["a.md", "b/c.md", "b/LICENSE"]
    assert named("docs/b/.hidden.md", str(tmp_path / "notes")) == ["docs/b/.hidden.md", "notes/x.md"]
    with pytest.raises(ReadingError, match=r"^docs/none\.md: no such file or folder$"):
        named("docs", "docs/none.md")


def test_a_vault_is_known_by_its_folder_beside_or_above(tmp_path):
    write(tmp_path, "plain/a.md", "vault/b.md", "vault/deep/c.md")
    (tmp_path / "vault/.obsidian").mkdir()

    assert [f.obsidian for f in find_files(tmp_path, DEFAULT).files] == [False, True, True]
    assert only(tmp_path / "vault/deep").obsidian
    assert find_paths([tmp_path / "vault/deep/c.md"], DEFAULT).files[0].obsidian
    assert is_obsidian(tmp_path / "vault/deep")
    assert not is_obsidian(tmp_path / "plain")


def test_a_document_is_the_text_of_one_read_with_its_hash_and_the_state_of_the_disk(tmp_path):
    data = "\ufeff# Über\r\n\r\nText\r".encode()
    (tmp_path / "Note.MD").write_bytes(data)

    file = only(tmp_path)
    document = read_document(file)

    assert document.text == "\ufeff# Über\r\n\r\nText\r"
    assert document.content_hash == blake2b(data, digest_size=16).hexdigest()
    assert (document.format, document.warnings, document.obsidian) == ("markdown", (), False)
    for name in {field.name for field in fields(FoundFile)} - {"location"}:
        assert getattr(document, name) == getattr(file, name)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.md", "markdown"),
        ("a/B.MARKDOWN", "markdown"),
        ("a.b.Mdx", "mdx"),
        ("a.TXT", "plain"),
        ("a.rst", "plain"),
        ("md", "plain"),
        ("a.md/LICENSE", "plain"),
    ],
)
def test_the_ending_says_how_to_read_a_file(path, expected):
    assert document_format(path) == expected


@pytest.mark.parametrize("content", [b"", b" \n\t\n\n  \n", b"\n", "\u00a0\u200b\n".encode()])
def test_empty_and_blank_files_are_documents(tmp_path, content):
    (tmp_path / "a.md").write_bytes(content)

    assert read_document(only(tmp_path)).text == content.decode()


def test_what_cannot_be_read_is_one_clear_line(tmp_path):
    (tmp_path / "image.md").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    write(tmp_path, "gone.md")
    gone, image = find_files(tmp_path, DEFAULT).files
    (tmp_path / "gone.md").unlink()

    with pytest.raises(ReadingError, match=r"^gone\.md: vanished before it was read$"):
        read_document(gone)
    with pytest.raises(ReadingError, match=r"^image\.md: looks like a binary file, not text$"):
        read_document(image)


def test_an_unreadable_file_is_found_and_says_so_when_read(shared_path):
    write(shared_path, "a.md")
    (shared_path / "a.md").chmod(0)

    with as_a_plain_user(), pytest.raises(ReadingError, match=r"^a\.md: cannot be read \(Permission denied\)$"):
        read_document(only(shared_path))


def test_a_warning_about_the_encoding_stays_with_the_document(tmp_path):
    (tmp_path / "a.md").write_bytes("Das Müsli für die Größe\n".encode("cp1252"))

    document = read_document(only(tmp_path))

    assert document.text == "Das Müsli für die Größe\n"
    assert document.warnings == ("not UTF-8; read as cp1252",)


def test_an_edit_of_the_same_length_and_time_changes_hash_and_change_time(tmp_path):
    note = tmp_path / "live.md"
    note.write_text("# Live\n\nVersion one.\n", encoding="utf-8")
    file = only(tmp_path)
    before = read_document(file)
    time.sleep(0.02)  # longer than the clock of the disk ticks
    note.write_text("# Live\n\nVersion two.\n", encoding="utf-8")
    os.utime(note, ns=(file.mtime_ns, file.mtime_ns))

    again = only(tmp_path)
    after = read_document(again)

    assert (again.size, again.mtime_ns) == (file.size, file.mtime_ns)
    assert again.ctime_ns != file.ctime_ns
    assert after.content_hash != before.content_hash


def test_a_file_replaced_by_another_is_read_as_one_or_the_other(tmp_path):
    note = tmp_path / "live.md"
    texts = ["one\n" * 50_000, "a longer two\n" * 50_000]
    note.write_text(texts[0], encoding="utf-8")
    file = only(tmp_path)
    stop = threading.Event()

    def replace_again_and_again() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            (tmp_path / "new").write_text(texts[number % 2], encoding="utf-8")
            (tmp_path / "new").replace(note)

    writer = threading.Thread(target=replace_again_and_again)
    writer.start()
    try:
        for _ in range(30):
            document = read_document(file)
            assert document.text in texts
            assert document.size == len(document.text)
    finally:
        stop.set()
        writer.join()


def test_a_file_that_keeps_growing_is_read_with_a_warning_and_will_be_noticed(tmp_path):
    log = tmp_path / "log.txt"
    log.write_text("start\n" * 2_000_000, encoding="utf-8")
    file = only(tmp_path)
    stop = threading.Event()

    def grow() -> None:
        with log.open("a", encoding="utf-8", buffering=1) as handle:
            while not stop.is_set():
                handle.write("more\n")

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        documents = [read_document(file)]
        while not documents[-1].warnings and len(documents) < 100:
            documents.append(read_document(file))
    finally:
        stop.set()
        writer.join()

    for document in documents:
        assert document.content_hash == blake2b(document.text.encode(), digest_size=16).hexdigest()
        assert document.warnings == ("changed while it was read",) or document.size == len(document.text)
    assert documents[-1].warnings
    assert log.stat().st_size != documents[0].size


def test_many_files_are_listed_in_a_moment(tmp_path):
    for folder in range(40):
        (tmp_path / f"d{folder}").mkdir()
        for number in range(50):
            (tmp_path / f"d{folder}" / f"{number}.md").touch()
    ignore(tmp_path, "*.tmp", "/build/", "!keep.md")

    start = time.perf_counter()
    found = find_files(tmp_path, DEFAULT)

    assert len(found.files) == 2000
    assert time.perf_counter() - start < 2
