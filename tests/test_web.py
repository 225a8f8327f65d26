"""The page does in a real browser, on a real service, what people do with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support_service import Service, running, vault
from support_web import Browser, Page, Route, browser, expect, visit

from headwise.chunking.settings import Settings
from headwise.indexing.files import FileOptions
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.stores.open import open_store

WEB = Path(__file__).parent.parent / "src" / "headwise" / "app" / "web"
TOKEN = "correct-horse-battery-staple"  # noqa: S105 - of a service that lives for one test
POISONED = "<img src=x onerror=window.ran=1> & Poison.md"
POISON = """---
title: "<img src=x onerror=window.ran=1>Poison</title><script>window.ran=1</script>"
tags: ["<b>", "javascript:window.ran=1"]
---

# Poison <script>window.ran = 1</script>

<script>window.ran = 1; alert(1)</script>
<img src="x" onerror="window.ran=1"> <svg onload="window.ran=1"></svg> <style>body { display: none }</style>
<iframe src="javascript:parent.window.ran=1"></iframe> <form action="https://example.org"><button>send</button></form>
<base href="https://example.org/"> <meta http-equiv="refresh" content="0;url=https://example.org/">
<div style="position:fixed;inset:0" class="top" id="main" onclick="window.ran=1">over everything</div>

[press me](javascript:window.ran=1) [or me](data:text/html,<script>window.ran=1</script>)
[[Poison|"><script>window.ran=1</script>]]
![remote](https://example.org/pixel.png) <a href="vbscript:x" onmouseover="window.ran=1">hover</a>
"""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return vault(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[Service]:
    with running(str(folder)) as started:
        yield started


@pytest.fixture
def page(chromium: Browser, service: Service) -> Iterator[Page]:
    with visit(chromium, base(service)) as page:
        yield page


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service of 10,000 notes without vectors, of one as long as a book, a poisoned one, and one changed since."""
    folder = tmp_path_factory.mktemp("many")
    (folder / POISONED).write_text(POISON, "utf-8")
    (folder / "changed.md").write_text("# Note\n\nAs it was.\n", "utf-8")
    for shelf in range(100):
        (folder / f"shelf {shelf:02}").mkdir()
        for note in range(100):
            file = folder / f"shelf {shelf:02}" / f"note {note:02}.md"
            file.write_text(f"# Note {shelf * 100 + note}\n\nIt stands on shelf {shelf}.\n", "utf-8")
    said = "The quick brown fox jumps over the lazy dog, and comes back, as every fox in these parts does. " * 10
    book = "".join(f"## Chapter {number}\n\n{said}\n\n- one\n- another\n\n" for number in range(1, 1001))
    (folder / "book.md").write_text(f"# Book\n\n{book}", "utf-8")
    (folder / ".headwise").mkdir()
    with open_store(f"sqlite:///{folder}/.headwise/index.db", create=True) as store:
        sync(store, folder, ".", FileOptions(), IndexSettings(Settings()), workers=1)
    (folder / "changed.md").write_text("# Note\n\nAs it is now, and longer.\n", "utf-8")
    with running(str(folder)) as started:
        yield started


def base(service: Service) -> str:
    return f"http://127.0.0.1:{service.port}"


def test_results_come_as_one_types_and_say_where_and_why(page: Page) -> None:
    page.goto("/")

    page.locator("#q").press_sequentially("motor driver pins", delay=20)

    best = page.locator(".hit").first
    expect(best.locator(".title")).to_have_text("Motor wiring")
    expect(best.locator(".trail")).to_have_text("SMARS")
    expect(best.locator(".path")).to_have_text("Robots/SMARS.md, lines 38–59")
    expect(best.locator("mark").first).to_contain_text("The motor driver takes four pins")
    expect(best.locator("mark b").first).to_have_text("motor")
    expect(page.get_by_role("status")).to_contain_text("10 hits")
    assert page.url.endswith("#/search?q=motor+driver+pins")


def test_a_hit_and_a_chunk_lead_to_where_they_are_written(page: Page, chromium: Browser, many: Service) -> None:
    page.goto("/#/search?q=motor driver pins")
    there = "obsidian://open?vault=vault&file=Robots%2FSMARS%23Motor%20wiring"
    expect(page.get_by_role("link", name="Open in Obsidian: Motor wiring")).to_have_attribute("href", there)
    page.locator(".hit").first.get_by_role("link", name="Open in document").click()
    expect(page.get_by_role("complementary").get_by_role("link")).to_have_attribute("href", there)

    with visit(chromium, base(many), permissions=["clipboard-read", "clipboard-write"]) as elsewhere:
        elsewhere.goto("/#/search?q=poison")
        elsewhere.get_by_role("button", name="Copy path").first.click()
        expect(elsewhere.get_by_role("button", name="Copied")).to_be_visible()
        assert elsewhere.evaluate("navigator.clipboard.readText()").endswith(f"/{POISONED}:6")


def test_an_answer_that_comes_late_does_not_overwrite_a_newer_one(page: Page) -> None:
    held: list[Route] = []
    page.route(re.compile(r"q=motor&"), lambda route: held.append(route))  # noqa: PLW0108 - a method has no signature it can read
    page.goto("/")

    page.locator("#q").fill("motor")
    expect(page.get_by_role("status")).to_have_text("Searching…")
    with page.expect_event("requestfailed") as failed:
        page.locator("#q").fill("sourdough bread")
    assert "q=motor" in failed.value.url

    expect(page.locator(".hit .path").first).to_contain_text("Sourdough bread.md")


def test_filters_narrow_a_search_and_nothing_found_says_what_may_help(page: Page) -> None:
    page.goto("/#/search?q=motor")
    expect(page.locator(".hit")).to_have_count(10)

    page.get_by_label("Path").fill("docs")
    expect(page.locator(".hit .path").first).to_contain_text("docs/")
    assert all(path.startswith("docs/") for path in page.locator(".hit .path").all_inner_texts())

    page.get_by_label("Tag").fill("no-such-tag")
    expect(page.get_by_role("status")).to_have_text("Nothing found")
    expect(page.locator(".notes")).to_contain_text("Fewer filters")
    page.reload()
    expect(page.get_by_label("Tag")).to_have_value("no-such-tag")


def test_all_can_be_done_with_the_keyboard(page: Page) -> None:
    page.goto("/#/documents")
    expect(page.locator(".documents li").first).to_be_visible()

    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("motor driver pins")
    page.keyboard.press("Enter")
    expect(page.locator(".hit").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".hit").first.locator(".title a")).to_be_focused()

    page.keyboard.press("Enter")
    chunk = page.get_by_role("article", name="Chunk 3, lines 38–59")
    expect(chunk).to_be_focused()
    expect(chunk).to_be_in_viewport()
    expect(page.locator(".panel h2")).to_have_text("Chunk 3 of 8")
    page.keyboard.press("End")
    expect(page.get_by_role("article", name=re.compile("Chunk 8"))).to_be_focused()
    page.keyboard.press("PageUp")
    expect(page.get_by_role("article", name=re.compile("Chunk 7"))).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".panel h2")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("article", name=re.compile("Chunk 7"))).to_be_focused()

    page.keyboard.press("Escape")
    expect(page.locator(".hit").first.locator(".title a")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#q")).to_have_value("")
    expect(page.locator(".hit")).to_have_count(0)


def test_the_skip_link_leads_past_the_head_of_the_page(page: Page) -> None:
    page.goto("/#/documents")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("#filter")).to_be_focused()
    assert page.url.endswith("#/documents")


def test_a_document_shows_its_chunks_and_what_is_known_of_each(page: Page, service: Service) -> None:
    stored = service.get("/documents/Robots/SMARS.md")["chunks"]
    page.goto("/#/document/Robots/SMARS.md")
    expect(page.get_by_role("heading", level=1, name="SMARS").first).to_be_visible()
    expect(page.locator(".chunk")).to_have_count(len(stored))
    expect(page.locator(".chunk .rendered table").first).to_contain_text("DRV8833 breakout")

    page.locator(".chunk").nth(1).hover()

    panel = page.get_by_role("complementary")
    expect(panel).to_contain_text(f"Chunk 2 of {len(stored)}")
    expect(panel).to_contain_text(f"{stored[1]['tokens']} of 400 tokens")
    expect(panel).to_contain_text("lines 23–36 · heading, table, paragraph")
    expect(panel.locator(".trail")).to_have_text("SMARS › What it is made of")
    expect(panel.locator(".passages li")).to_have_count(len(stored[1]["passages"]))
    expect(panel.locator(".id code")).to_have_text(stored[1]["id"])
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel.get_by_role("button", name="Copy").click()
    expect(panel.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == stored[1]["id"]

    panel.get_by_role("button", name="Next").click()
    expect(panel).to_contain_text(f"Chunk 3 of {len(stored)}")
    expect(page.locator(".chunk").nth(2)).to_be_focused()
    page.get_by_role("navigation", name="Outline").get_by_role("link", name="Firmware").click()
    expect(page.get_by_role("article", name=re.compile(r"Chunk 6"))).to_be_focused()
    page.get_by_role("link", name="Motor notes").first.click()
    expect(page).to_have_url(re.compile("#/document/Robots/Motor%20notes.md"))


@pytest.mark.parametrize("path", ["Robots/Parts inventory.md", "Recipes/味噌汁.md", "docs/api-reference.mdx"])
def test_the_source_is_shown_word_for_word(page: Page, service: Service, path: str) -> None:
    found = service.get(f"/documents/{path}")
    page.goto(f"/#/document/{path}")
    expect(page.locator(".chunk")).to_have_count(len(found["chunks"]))

    page.get_by_text("Source", exact=True).click()

    expect(page.locator(".chunk .body > .source")).to_have_count(len(found["chunks"]))
    shown = page.locator(".chunk .body > .source").evaluate_all("all => all.map(one => one.textContent)")
    assert shown == [chunk["text"] for chunk in found["chunks"]]
    contexts = page.locator(".chunk .added .source").evaluate_all("all => all.map(one => one.textContent)")
    wanted = [text.strip("\n") for c in found["chunks"] for text in (c["context"], c["context_after"])]
    assert contexts == [text for text in wanted if text]
    dropped = page.locator(".dropped summary").all_inner_texts()
    assert len(dropped) == len(found["dropped"])


def test_sliders_cut_anew_and_show_sizes_before_and_after(page: Page) -> None:
    cuts: list[str] = []
    page.on("request", lambda request: cuts.append(request.url) if request.method == "POST" else None)
    page.goto("/#/document/Robots/SMARS.md")
    expect(page.locator(".chunk")).to_have_count(8)
    status = page.locator(".cutting").get_by_role("status")

    page.get_by_label("Maximum, in tokens").fill("120")

    expect(status).to_have_text(re.compile(r"^8 chunks became \d+\.$"))
    many = page.locator(".chunk").count()
    assert many > 8
    sizes = page.locator(".chunk").evaluate_all("all => all.map(one => one.chunk.tokens)")
    assert max(sizes) <= 120
    expect(page.locator(".sizes tbody tr").nth(1)).to_contain_text(f"now{many}")
    expect(page.locator(".histogram svg")).to_have_accessible_name(re.compile(rf"stored: 8 chunks.*now: {many} chunks"))
    expect(page.locator(".keep pre")).to_have_text("max_tokens = 120")

    page.get_by_label("Overlap").fill("30")
    expect(page.locator(".keep pre")).to_have_text("max_tokens = 120\noverlap = 30")
    page.get_by_text("Source", exact=True).click()
    expect(page.locator(".added .what", has_text="repeated from above").first).to_be_visible()
    page.get_by_label("Cut at").select_option("fixed")
    expect(page.locator(".keep pre")).to_contain_text('strategy = "fixed"')
    page.get_by_text("Rendered", exact=True).click()
    expect(page.locator(".chunk .rendered").first).to_contain_text("Screwless")

    before = len(cuts)
    page.get_by_role("button", name="As stored").click()
    expect(page.locator(".chunk")).to_have_count(8)
    expect(page.get_by_label("Overlap")).to_have_value("0")
    assert len(cuts) == before


def test_a_file_that_has_changed_is_shown_as_the_store_knows_it(chromium: Browser, many: Service) -> None:
    with visit(chromium, base(many)) as page:
        page.goto("/#/document/changed.md")

        expect(page.locator(".notice").first).to_contain_text("not as it was")
        expect(page.locator(".chunk")).to_contain_text("As it was.")
        expect(page.get_by_label("Maximum, in tokens")).to_be_disabled()
        page.get_by_text("Source", exact=True).click()
        expect(page.locator(".chunk .source")).to_contain_text("As it was.")


def test_what_cannot_be_done_is_said_in_the_page(chromium: Browser, service: Service) -> None:
    with visit(chromium, base(service), expected=("404", "ERR_CONNECTION_REFUSED")) as page:
        page.goto("/#/document/no/such.md")
        expect(page.get_by_role("main")).to_contain_text("There is no document no/such.md in the store")
        page.goto("/#/search")
        page.route("**/search?*", lambda route: route.abort("connectionrefused"))
        page.locator("#q").fill("motor")
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
        page.unroute("**/search?*")
        page.locator("#q").fill("motor driver")
        expect(page.locator(".hit").first).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)


def test_health_tells_how_the_store_is_and_a_sync_what_it_did(page: Page, folder: Path, service: Service) -> None:
    before = service.get("/health")["documents"]
    (folder / "New.md").write_text("---\ntitle: [not closed\n---\n\n# New\n\nJust written.\n", "utf-8")
    try:
        page.goto("/#/health")
        figures = page.locator(".figures div")
        expect(figures.filter(has_text="Documents").locator("dd")).to_have_text(str(before))
        expect(page.locator(".verdict")).to_have_text("The store is well.")
        expect(page.locator(".histogram svg")).to_have_accessible_name(re.compile(r"Smallest \d+, median \d+"))

        page.get_by_role("button", name="Sync now").click()

        expect(page.get_by_role("progressbar", name="Sync")).to_be_visible()
        expect(page.locator(".card", has_text="Sync").last).to_contain_text("1 added", timeout=60_000)
        expect(page.locator(".problems")).to_contain_text("New.md")
        expect(figures.filter(has_text="Documents").locator("dd")).to_have_text(str(before + 1))
        expect(page.get_by_role("button", name="Sync now")).to_be_enabled()
    finally:
        (folder / "New.md").unlink()


def test_a_poisoned_note_runs_nothing_and_loads_nothing(chromium: Browser, many: Service) -> None:
    with visit(chromium, base(many)) as page:
        page.goto("/")
        page.locator("#q").fill("poison press me")
        expect(page.locator(".hit").first).to_contain_text("Poison")
        page.goto("/#/documents?path=poison")
        page.locator("#filter").fill("Poison")
        page.locator(".documents a").click()
        expect(page.locator(".chunk .rendered").first).to_contain_text("press me")
        for link in page.locator(".chunk a").all():
            target = link.get_attribute("href")
            assert target is None or target.startswith(("#/", "https:")), target
            if target is None:
                link.click()
        page.locator(".chunk").first.hover()
        page.get_by_text("Source", exact=True).click()
        expect(page.locator(".chunk .source", has_text="<script>window.ran = 1").first).to_be_visible()
        page.get_by_label("Maximum, in tokens").fill("60")
        page.get_by_text("Rendered", exact=True).click()
        expect(page.locator(".cutting").get_by_role("status")).to_contain_text("became")
        page.get_by_text("Related documents").click()
        page.wait_for_timeout(200)

        assert page.evaluate("window.ran") is None
        assert page.locator(".chunk :is(script, style, iframe, form, svg, [style], [id], [onclick])").count() == 0
        assert page.url.startswith(f"{base(many)}/#/document/")


def test_what_a_search_did_without_is_said(chromium: Browser, many: Service) -> None:
    with visit(chromium, base(many)) as page:
        page.goto("/#/search?q=shelf 42")
        expect(page.locator(".hit").first).to_contain_text("42")
        expect(page.locator(".notes")).to_contain_text("vector")


def test_a_token_is_asked_for_once_and_kept_by_the_tab(chromium: Browser, folder: Path) -> None:
    service_and_page = running(str(folder), HEADWISE_TOKEN=TOKEN)
    with service_and_page as service, visit(chromium, base(service), expected=("401",)) as page:
        page.goto("/#/documents")
        dialog = page.get_by_role("dialog", name="This server asks for a token")
        expect(dialog).to_be_visible()
        page.get_by_label("Token", exact=True).fill("wrong")
        page.keyboard.press("Enter")
        expect(dialog).to_contain_text("not the right one")
        page.get_by_label("Token", exact=True).fill(TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator(".documents li").first).to_be_visible()
        page.reload()
        expect(page.locator(".documents li").first).to_be_visible()
        expect(dialog).to_be_hidden()


def test_ten_thousand_documents_are_listed_page_by_page(chromium: Browser, many: Service) -> None:
    with visit(chromium, base(many)) as page:
        page.goto("/#/documents")
        expect(page.locator(".count")).to_have_text("200 of 10,003 documents")

        page.locator(".more").scroll_into_view_if_needed()

        expect(page.locator(".count")).to_have_text(re.compile(r"^[4-9]00 of 10,003 documents$"))
        page.locator("#filter").fill("shelf 4*/note 42.md")
        expect(page.locator(".count")).to_have_text("10 documents")
        page.locator("#filter").fill("note 77")
        expect(page.locator(".count")).to_have_text("100 documents")
        page.get_by_role("link", name="Note 9977").click()
        expect(page.locator(".chunk")).to_contain_text("It stands on shelf 99.")


def test_a_document_as_long_as_a_book_stays_usable(chromium: Browser, many: Service) -> None:
    with visit(chromium, base(many)) as page:
        page.goto("/#/document/book.md")
        expect(page.locator(".chunk")).to_have_count(1000)
        expect(page.locator(".chunk .rendered").first).to_be_visible()
        filled = page.locator(".chunk .rendered").count()
        assert filled < 1000  # in slices: the page can be used before all is there

        page.get_by_role("link", name="Chapter 700", exact=True).click()
        chunk = page.get_by_role("article", name=re.compile("^Chunk 700,"))
        expect(chunk).to_be_focused()
        expect(chunk.locator(".rendered")).to_contain_text("Chapter 700")
        expect(chunk).to_be_in_viewport()

        posts: list[str] = []
        page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
        for size in range(600, 200, -20):
            page.get_by_label("Maximum, in tokens").fill(str(size))
        page.get_by_label("Maximum, in tokens").fill("100")
        expect(page.locator(".keep pre")).to_have_text("max_tokens = 100", timeout=60_000)
        expect(page.locator(".cutting").get_by_role("status")).to_have_text(
            re.compile("^1,000 chunks became"), timeout=60_000
        )
        assert len(posts) <= 4  # one at a time, and only the last wish waits


def test_the_files_of_the_page_are_small_and_ask_nobody_else() -> None:
    files = sorted(WEB.iterdir())
    assert {"index.html", "style.css", "app.js", "icon.svg"} <= {file.name for file in files}
    assert sum(file.stat().st_size for file in files) < 120_000
    for file in files:
        text = file.read_text("utf-8")
        assert not re.search(r"\sstyle=|\son\w+=\"|<script>|\beval\(|new Function|setAttribute\(\"style\"", text), (
            file.name
        )
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), file.name
