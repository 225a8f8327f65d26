"""The page can be read and used by everybody: in light and dark, on a phone, with a screen reader, in any script."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.resources import files

import pytest
from support_service import Service, running, vault
from support_web import Browser, Page, browser, expect, visit

Show = Callable[[Page], None]

TOKEN = "correct-horse-battery-staple"  # noqa: S105 - of a service that lives for one test


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(str(vault(tmp_path_factory.mktemp("web")))) as started:
        yield started


def base(service: Service) -> str:
    return f"http://127.0.0.1:{service.port}"


def start(page: Page) -> None:
    page.goto("/#/search")
    expect(page.locator(".tips")).to_be_visible()


def hits(page: Page) -> None:
    page.goto("/#/search?q=motor driver pins")
    expect(page.locator(".hit").first).to_be_visible()


def nothing(page: Page) -> None:
    page.goto("/#/search?q=motor&tag=nowhere")
    expect(page.get_by_role("status")).to_have_text("Nothing found")


def documents(page: Page) -> None:
    page.goto("/#/documents")
    expect(page.locator(".documents li").first).to_be_visible()


def document(page: Page) -> None:
    page.goto("/#/document/Robots/SMARS.md?line=38")
    expect(page.locator(".chunk").nth(2)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".panel .passages")).to_be_visible()
    page.get_by_text("Related documents").click()
    expect(page.locator(".related a").first).to_be_visible()


def source(page: Page) -> None:
    page.goto("/#/document/Robots/Parts inventory.md?line=40")
    expect(page.locator(".chunk").first).to_be_visible()
    page.get_by_text("Source", exact=True).click()
    expect(page.locator(".chunk .added").first).to_be_visible()
    if not page.get_by_label("Cut at").is_visible():
        page.get_by_text("Cut", exact=True).click()
    page.get_by_label("Cut at").select_option("fixed")
    expect(page.locator(".keep pre")).to_be_visible()
    page.locator(".chunk").nth(2).focus()


def health(page: Page) -> None:
    page.goto("/#/health")
    expect(page.locator(".figures")).to_be_visible()


PAGES: list[Show] = [start, hits, nothing, documents, document, source, health]


def serious(page: Page) -> list[str]:
    """What axe-core finds that is serious or critical, in the theme that is on."""
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")
    return [
        f"{one['id']}: {json.dumps([node['html'] for node in one['nodes']])[:500]}"
        for one in found["violations"]
        if one["impact"] in {"serious", "critical"}
    ]


@pytest.fixture(scope="module")
def axe() -> str:
    pytest.importorskip("axe_playwright_python", reason="axe-core is not installed")
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_serious_in_light_and_dark(chromium: Browser, service: Service, axe: str, width: int) -> None:
    # The policy forbids scripts from elsewhere, axe among them: it is off in this context only.
    options = {"bypass_csp": True, "reduced_motion": "reduce", "viewport": {"width": width, "height": 800}}
    with visit(chromium, base(service), **options) as page:
        page.goto("/")
        page.add_script_tag(content=axe)
        for show in PAGES:
            show(page)
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert serious(page) == [], f"{show.__name__}, {scheme}"


def test_axe_finds_nothing_serious_where_a_token_is_asked_for(
    chromium: Browser, axe: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with (
        running(str(tmp_path_factory.mktemp("empty")), HEADWISE_TOKEN=TOKEN) as service,
        visit(chromium, base(service), expected=("401",), bypass_csp=True, reduced_motion="reduce") as page,
    ):
        page.goto("/#/health")
        page.add_script_tag(content=axe)
        expect(page.get_by_role("dialog")).to_be_visible()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert serious(page) == [], scheme


@pytest.mark.parametrize("show", PAGES, ids=lambda show: show.__name__)
def test_a_phone_scrolls_one_way_only(chromium: Browser, service: Service, show: Show) -> None:
    with visit(chromium, base(service), viewport={"width": 360, "height": 640}, has_touch=True) as page:
        show(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_phone_shows_a_chunk_as_a_sheet_that_can_be_put_away(chromium: Browser, service: Service) -> None:
    with visit(chromium, base(service), viewport={"width": 360, "height": 640}, has_touch=True) as page:
        page.goto("/#/document/Garden/Watering controller.md?line=12")
        expect(page.locator(".chunk").nth(1)).to_be_focused()
        panel = page.get_by_role("complementary")
        expect(panel).to_be_hidden()

        page.locator(".chunk").nth(1).tap()

        expect(panel).to_contain_text("Chunk 2 of 5")
        box = panel.bounding_box()
        assert box
        assert (box["x"], box["width"], box["y"] + box["height"]) == (0, 360, 640)
        panel.get_by_role("button", name="Next").tap()
        expect(panel).to_contain_text("Chunk 3 of 5")
        panel.get_by_role("button", name="Close").tap()
        expect(panel).to_be_hidden()


def test_the_theme_is_the_systems_until_another_is_chosen_which_is_kept(chromium: Browser, service: Service) -> None:
    def background(page: Page) -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    with visit(chromium, base(service), color_scheme="dark") as page:
        start(page)
        dark = background(page)
        page.emulate_media(color_scheme="light")
        light = background(page)
        assert dark != light

        page.get_by_role("button", name="Colour theme: as the system").click()
        page.get_by_role("button", name="Colour theme: light").click()
        expect(page.get_by_role("button", name="Colour theme: dark")).to_be_visible()
        assert background(page) == dark
        page.reload()
        assert background(page) == dark
        documents(page)
        assert background(page) == dark


def test_chunks_are_told_apart_by_more_than_colour(chromium: Browser, service: Service) -> None:
    with visit(chromium, base(service)) as page:
        page.goto("/#/document/Robots/SMARS.md")
        expect(page.locator(".chunk")).to_have_count(8)
        edges = page.locator(".chunk").evaluate_all("all => all.map(one => getComputedStyle(one).borderLeftStyle)")
        assert edges == ["solid", "double"] * 4
        numbers = page.locator(".chunk .label b").all_text_contents()
        assert numbers == [str(number) for number in range(1, 9)]


def test_a_screen_reader_hears_where_it_is_and_what_changes(chromium: Browser, service: Service) -> None:
    with visit(chromium, base(service)) as page:
        page.goto("/#/document/Robots/SMARS.md")
        expect(page.get_by_role("region", name="Chunks of the document").get_by_role("article")).to_have_count(8)
        first = page.get_by_role("article").first
        expect(first).to_have_accessible_name("Chunk 1, lines 15–21, 120 tokens")
        expect(first).to_have_attribute("aria-setsize", "8")
        expect(page.get_by_role("link", name="Documents")).to_have_attribute("aria-current", "page")
        assert page.title() == "SMARS · Headwise"

        page.get_by_role("link", name="Health").click()
        expect(page.get_by_role("heading", level=1, name="Health")).to_be_focused()
        assert page.title() == "Health · Headwise"
        hits(page)
        expect(page.get_by_role("search").get_by_label("Search", exact=True)).to_have_value("motor driver pins")
        expect(page.get_by_role("list", name="Hits").get_by_role("listitem").first).to_be_visible()


def test_text_runs_its_own_way_in_every_script(chromium: Browser, service: Service) -> None:
    with visit(chromium, base(service)) as page:
        page.goto("/#/document/Garden/أعشاب الشرفة.md")
        expect(page.locator(".chunk").first).to_be_visible()
        ways = page.locator(".chunk .rendered").evaluate_all("all => all.map(one => getComputedStyle(one).direction)")
        assert set(ways) == {"rtl"}
        assert page.evaluate("getComputedStyle(document.body).direction") == "ltr"


def test_nothing_moves_where_that_is_not_wanted(chromium: Browser, service: Service) -> None:
    with visit(chromium, base(service), reduced_motion="reduce") as page:
        health(page)
        times = page.locator("*").evaluate_all("all => all.map(one => getComputedStyle(one).transitionDuration)")
        assert set(times) == {"0s"}
