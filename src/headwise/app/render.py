"""What people see: chunks, outlines, hits and figures as plain, readable lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

from headwise.app.editor_links import Opening
from headwise.app.places import Place
from headwise.app.visible import one_line, visible
from headwise.chunking.measure import Tokenizer
from headwise.chunking.settings import Settings
from headwise.chunking.split import Analysis
from headwise.indexing.embed import EmbedReport
from headwise.indexing.marks import marks, matched_words, passage_lines
from headwise.indexing.plan import Plan
from headwise.indexing.prompt import SEPARATOR, trail
from headwise.indexing.related import Related
from headwise.indexing.sync import SyncEvent, SyncReport
from headwise.indexing.verify import VerifyReport
from headwise.model import Chunk, Hit
from headwise.reading.lines import line_number
from headwise.stores.store import Space, Unused

NAMED = 20
"""Documents named one by one after indexing; the rest are counted."""

_SIGNS = {"added": "+", "changed": "~", "moved": ">", "deleted": "-"}


def console() -> Console:
    """Where people read: colours only on a terminal and without NO_COLOR, lines never wrapped or cut."""
    return Console(soft_wrap=True, highlight=False, markup=False, emoji=False)


def place(path: str, start_line: int, end_line: int) -> Text:
    """`path:12-30`, or `path:12`."""
    lines = str(start_line) if start_line == end_line else f"{start_line}-{end_line}"
    return Text.assemble((one_line(path), "bold"), (f":{lines}", "bold"))


def breadcrumb(title: str, headings: Sequence[str]) -> str:
    """Title and trail as one line, repeats collapsed."""
    return one_line(SEPARATOR.join(trail(title, headings)))


def chunk_view(path: str, chunk: Chunk, settings: Settings) -> Text:
    """A chunk under a line that says where it is, what it belongs to, and how big it is.

    What it repeats of the chunk before is dim; what its context reopens (a table's header, a fence) is marked `┆`.
    """
    head = Text.assemble(("── ", "dim"))
    head += place(path, chunk.start_line, chunk.end_line)
    if crumb := breadcrumb(chunk.title, chunk.headings):
        head.append(f"  {crumb}", "cyan")
    over = chunk.tokens > settings.max_tokens
    head.append(f"  {chunk.tokens}/{settings.max_tokens} {unit(settings.tokenizer)}", "red" if over else "dim")
    if chunk.navigation:
        head.append("  navigation", "dim")
    repeated = chunk.own_start - chunk.start
    body = Text.assemble((visible(chunk.text[:repeated]), "dim"), visible(chunk.text[repeated:]))
    reopened = chunk.context.partition("\n\n")[2].splitlines()
    closed = chunk.context_after.strip("\n").splitlines()
    parts = [head, *map(_context_line, reopened), body, *map(_context_line, closed), Text()]
    return Text("\n").join(parts)


def _context_line(line: str) -> Text:
    return Text(f"┆ {visible(line)}", "dim")


def unit(tokenizer: Tokenizer) -> str:
    """What a measure counts, as a word."""
    return tokenizer if isinstance(tokenizer, str) and tokenizer in {"chars", "words"} else "tokens"


def outline_view(path: str, found: Analysis, sizes: Sequence[int], tokenizer: Tokenizer) -> Text:
    """The title, and a line for each section: its lines, the size of its own text, its heading by depth."""
    lines = found.tree.lines
    head = Text.assemble((one_line(path), "bold"), (f"  {one_line(found.title)}", "cyan"))
    head.append(f"  {len(found.sections)} sections, {sum(sizes):,} {unit(tokenizer)}", "dim")
    rows = [
        (
            f"{line_number(lines, section.start)}-{line_number(lines, section.end - 1)}",
            f"{size:,}",
            "  " * (section.level - 1) + "#" * section.level + " " + section.title,
        )
        for section, size in zip(found.sections, sizes, strict=True)
    ]
    return Text("\n").join([head, *map(Text, columns(rows, right=frozenset({0, 1})))])


def columns(rows: Iterable[Sequence[str]], right: frozenset[int]) -> list[str]:
    """*rows* with their cells side by side, two blanks between, those in the columns *right* aligned so."""
    table = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    lines: list[str] = []
    for row in table:
        cells: list[str] = []
        for n, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (width - cell_len(cell))
            cells.append(blanks + cell if n in right else cell + blanks)
        lines.append("  ".join(cells).rstrip())
    return lines


def hit_view(hit: Hit, asked: str, opening: Opening | None = None, *, explain: bool = False) -> Text:
    """A hit: where it is and how well it matches, its text with what matched marked, its link, and where else it is.

    What opens it, if that is known, stands under its link, and a terminal that can opens it by a click on the place.

    The matched words are coloured, and the lines of the passage that matched by meaning have a bar before them, if
    there are others.
    """
    where = place(hit.path, hit.start_line, hit.end_line)
    if opening:
        where.stylize(Style(link=one_line(opening.uri)))
    head = Text.assemble((f"{hit.rank}. ", "dim"), where)
    if crumb := breadcrumb(hit.title, hit.headings):
        head.append(f"  {crumb}", "cyan")
    head.append(f"  {hit.score:.3f}", "dim")
    text = visible(hit.text)
    body = Text(text)
    for start, end in marks(text, asked):
        body.stylize("bold yellow", start, end)
    rows = body.split("\n")
    first, last = _marked_lines(hit)
    lines = [
        Text.assemble((" ┃ ", "yellow"), line) if first <= number <= last else Text("   ") + line if line else line
        for number, line in enumerate(rows, hit.start_line)
    ]
    for line in lines:
        line.rstrip()
    below = [Text(f"   → {one_line(hit.link)}", "dim")]
    if opening:
        below.append(Text(f"   ↗ {one_line(opening.shown)}", "dim"))
    if hit.also:
        below.append(Text(f"   also in {', '.join(one_line(copy.path) for copy in hit.also)}", "dim"))
    if explain:
        below += [Text(f"   {line}", "dim") for line in _explanation(hit, asked)]
    return Text("\n").join([head, *lines, *below, Text()])


def _marked_lines(hit: Hit) -> tuple[int, int]:
    """The lines of the passage that matched, none if all others are blank."""
    first, last = passage_lines(hit) or (1, 0)
    others = (
        line for number, line in enumerate(visible(hit.text).split("\n"), hit.start_line) if not first <= number <= last
    )
    return (first, last) if any(line.strip() for line in others) else (1, 0)


def _explanation(hit: Hit, asked: str) -> list[str]:
    """How a hit came by its score, in lines."""
    scores = hit.scores
    if scores is None:
        return ["listed, not ranked"]
    words, meaning = "none found", "none near"
    if scores.words:
        matched = ", ".join(one_line(word) for word in matched_words(hit.text, asked))
        words = f"rank {scores.words.rank}, {scores.words.score:.3f}: {matched or 'in title or headings'}"
    if scores.vectors:
        meaning = f"rank {scores.vectors.rank}, {scores.vectors.score:.3f}"
        if lines := passage_lines(hit):
            meaning += f": lines {lines[0]}-{lines[1]}"
    mixed = f"{scores.mixed:.3f} mixed (meaning counts {scores.weight:.2f})"
    gained = f"{scores.headings:.3f} from headings, {scores.neighbours:.3f} from neighbours, "
    return [
        f"words      {words}",
        f"meaning    {meaning}",
        f"score      {mixed}, {gained}{scores.document:.3f} from its document",
    ]


def related_view(found: Related) -> Text:
    """Links both ways with the parts they name, and near documents with how near they are."""
    lines = [Text(one_line(f"{found.path}#{found.anchor}" if found.anchor else found.path), "bold")]
    for name, links in (("links to", found.links), ("linked from", found.backlinks)):
        lines.append(Text(name if links else f"{name} nothing", "dim"))
        rows = [(one.path, one.title, one.fragment and f"#{one.fragment}") for one in links]
        lines += [Text(f"  {row}") for row in columns(rows, right=frozenset())]
    if found.near:
        lines.append(Text("near", "dim"))
        rows = [(f"{one.score:.3f}", one.path, one.title) for one in found.near]
        lines += [Text(f"  {row}") for row in columns(rows, right=frozenset({0}))]
    return Text("\n").join(lines)


def index_view(
    place: Place, events: Sequence[SyncEvent], synced: SyncReport, embedded: EmbedReport, model: str
) -> Text:
    """What became of the documents, by name for the first of them, and what the store now holds."""
    return Text("\n").join(
        [
            *_documents(events, synced),
            Text.assemble(("stored     ", "bold"), f"{synced.chunks:,} chunks, {synced.passages:,} passages"),
            embed_view(embedded, model),
            Text(f"{synced.seconds + embedded.seconds:.1f} s, {one_line(place.shown)}", "dim"),
        ]
    )


def plan_view(events: Sequence[SyncEvent], plan: Plan, model: str, tokenizer: Tokenizer, price: float | None) -> Text:
    """What would become of the documents, what the store would then hold, and what embedding would take."""
    report = plan.report
    chunks = ", ".join(f"{count:,} {what}" for what, count in asdict(report.changes).items() if count) or "none"
    size = f"{plan.tokens:,} {unit(tokenizer)}"
    cost = "" if price is None else f", {plan.cost(price):,.4f} at {price:g} a million"
    by = f" by {one_line(model)}" if model else ""
    return Text("\n").join(
        [
            *_documents(events, report),
            Text.assemble(("chunks     ", "bold"), chunks),
            Text.assemble(("then       ", "bold"), f"{report.chunks:,} chunks, {report.passages:,} passages"),
            Text.assemble(("to embed   ", "bold"), f"{plan.to_embed:,} passages{by}, {size}{cost}"),
            Text("nothing was written", "dim"),
        ]
    )


def _documents(events: Sequence[SyncEvent], report: SyncReport) -> list[Text]:
    """The first documents by name, and how many had which outcome."""
    counts = asdict(report.documents)
    named = [Text(_event_line(event)) for event in events[:NAMED]]
    more = sum(counts[name] for name in _SIGNS) - len(named)
    if more > 0:
        named.append(Text(f"… and {more:,} more", "dim"))
    outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.items() if count) or "none"
    if report.recut:
        outcomes += f" ({report.recut:,} only cut anew, since settings changed)"
    return [*named, Text.assemble(("documents  ", "bold"), outcomes)]


def _event_line(event: SyncEvent) -> str:
    return f"{_SIGNS[event.outcome]} {one_line(event.path)}" + (
        f"  (was {one_line(event.moved_from)})" if event.outcome == "moved" else ""
    )


def embed_view(report: EmbedReport, model: str) -> Text:
    """What embedding with *model* did; without one (`""`), what waits."""
    made = f"{report.embedded:,} new, {report.reused:,} there before, {report.pending:,} pending"
    made = f"{one_line(model)}: {made}" if model else made
    return Text.assemble(("vectors    ", "bold"), made)


def watch_line(clock: str, synced: SyncReport, embedded: EmbedReport) -> str:
    """What a run did, in one line."""
    documents = ", ".join(f"{count:,} {outcome}" for outcome, count in asdict(synced.documents).items() if count)
    vectors = f"; {embedded.embedded:,} vectors made" if embedded.embedded else ""
    pending = f", {embedded.pending:,} pending" if embedded.pending else ""
    return f"{clock}  {documents or 'no documents'}{vectors}{pending}, {synced.seconds + embedded.seconds:.1f} s"


def verify_view(place: Place, report: VerifyReport) -> Text:
    """What differs, a line each, and what that means for the store."""
    lines = [
        Text(f"{one_line(found.path or place.shown)}: {one_line(found.what)}{', mended' if found.mended else ''}")
        for found in report.differences
    ]
    left = sum(not found.mended for found in report.differences)
    mended = len(report.differences) - left
    verdict = "as they should be" if not report.differences else f"{mended:,} faults mended"
    if left:
        verdict = f"{left:,} differences; `headwise verify --fix` mends them"
    lines.append(Text.assemble(("documents  ", "bold"), f"{report.documents:,} compared, {verdict}"))
    pending, unused = report.pending, report.unused.vectors
    also = f"{pending:,} pending, {unused:,} that nothing uses (`headwise gc`)"
    lines.append(Text.assemble(("vectors    ", "bold"), also if report.with_vectors else f"not looked at; {also}"))
    return Text("\n").join([*lines, Text(f"{report.seconds:.1f} s, {one_line(place.shown)}", "dim")])


def gc_view(dropped: Unused, space: Space) -> Text:
    """How many vectors were dropped, and what the store takes on disk now."""
    return Text.assemble(
        ("vectors    ", "bold"),
        f"{dropped.vectors:,} dropped, {size_of(dropped.bytes)}\n",
        ("store      ", "bold"),
        f"{size_of(space.after)}, {size_of(space.before)} before",
    )


def size_of(number: int) -> str:
    """Bytes as people say them: `712 B`, `3.4 kB`, `12.0 MB`."""
    size, units = float(number), ["B", "kB", "MB", "GB", "TB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{number} B" if units[0] == "B" else f"{size:.1f} {units[0]}"
