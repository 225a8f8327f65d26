"""Whatever stands in a note, what is shown of it runs nothing, loads nothing, and leads nowhere it should not."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("nh3", reason="the extra `service` is not installed")

from hypothesis import given, settings
from hypothesis import strategies as st
from support_service import headwise, running

from headwise.app.service.rendering import chunk_html, safe_html
from headwise.chunking.settings import Settings
from headwise.chunking.split import analyse

TAGS = frozenset(
    {
        *("p", "div", "span", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "a", "img"),
        *("ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "em"),
        *("strong", "b", "i", "u", "s", "del", "ins", "mark", "small", "sub", "sup", "kbd", "samp", "var"),
    }
)
ATTRIBUTES = {
    "a": {"href", "title", "rel"},
    "img": {"src", "alt", "title"},
    "ol": {"start"},
    "th": {"colspan", "rowspan"},
    "td": {"colspan", "rowspan"},
    "span": {"class"},
    "sup": {"class"},
    "div": {"class"},
}
CLASSES = {
    *("context", "math", "math-inline", "math-display"),
    *("footnote-reference", "footnote-definition", "footnote-definition-label"),
}


class Judge(HTMLParser):
    """Reads HTML as a browser would, and notes all that is not on the lists above."""

    def __init__(self) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.text: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.wrong.append(f"<{tag}>")
        for name, value in attrs:
            if name not in ATTRIBUTES.get(tag, set()):
                self.wrong.append(f"{tag} {name}")
            if name == "class" and not set((value or "").split()) <= CLASSES:
                self.wrong.append(f"class {value}")
            if name == "src" and not (value or "").startswith(
                (
                    "data:image/png;base64,",
                    "data:image/jpeg;base64,",
                    "data:image/gif;base64,",
                    "data:image/webp;base64,",
                )
            ):
                self.wrong.append(f"src {value}")
            if name == "href":
                self.links.append(value or "")
                if not (value or "").startswith(("http://", "https://", "mailto:", "#/document/")):
                    self.wrong.append(f"href {value}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.wrong.append(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        self.wrong.append(f"<!{decl}")

    def handle_pi(self, data: str) -> None:
        self.wrong.append(f"<?{data}")

    def unknown_decl(self, data: str) -> None:
        self.wrong.append(f"<![{data}")


def judged(html: str) -> Judge:
    judge = Judge()
    judge.feed(html)
    judge.close()
    return judge


def nowhere(_target: str) -> None:
    return None


URLS = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "\x01javascript:alert(1)",
    " javascript:alert(1)",
    "&#106;avascript:alert(1)",
    "&#x6A;&#x61;vascript:alert(1)",
    "javascript&colon;alert(1)",
    "javascript&#58;alert(1)",
    "jav&#x09;ascript:alert(1)",
    "jav&Tab;ascript:alert(1)",
    "java&NewLine;script:alert(1)",
    "%6aavascript:alert(1)",
    "vbscript:msgbox(1)",
    "livescript:x",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "data:image/svg+xml,<svg onload=alert(1)>",
    "data:image/svg+xml;base64,PHN2Zy8+",
    "data:image/png,<script>",
    "DATA:text/html,x",
    "blob:http://x/y",
    "filesystem:http://x/y",
    "file:///etc/passwd",
    "view-source:x",
    "//evil.example/x.js",
    "\\\\evil.example\\x",
    "/\\evil.example",
    "http:javascript:alert(1)//",
    "https://ok.example/javascript:alert(1)",
    "#javascript:alert(1)",
    "x'onmouseover='alert(1)",
    'x"onmouseover="alert(1)',
    "x`onmouseover=alert(1)",
    "\u2028javascript:alert(1)",
    "\x00javascript:alert(1)",
]
PLACES = [
    "[x]({})",
    "[x](<{}>)",
    '[x](ok.md "{}")',
    "[x][r]\n\n[r]: {}",
    "[x][r]\n\n[r]: <{}> 'title'",
    "<{}>",
    "![x]({})",
    "![{}](ok.png)",
    "[[{}]]",
    "[[{}|x]]",
    "![[{}]]",
    "[^1]\n\n[^1]: [x]({})",
    '<a href="{}">x</a>',
    "<a href='{}'>x</a>",
    "<a href={}>x</a>",
    '<A HREF="{}" TARGET=_blank>x</A>',
    '<img src="{}">',
    "<img src={} onerror=alert(1)>",
    '<img srcset="{} 1x">',
    '<iframe src="{}"></iframe>',
    '<embed src="{}">',
    '<object data="{}"></object>',
    '<form action="{}"><button formaction="{}">x</button></form>',
    '<input type=image src="{}">',
    '<video src="{}" poster="{}"><source src="{}"></video>',
    '<svg><a xlink:href="{}"><text>x</text></a></svg>',
    '<math><maction actiontype="statusline" xlink:href="{}">x</maction></math>',
    '<base href="{}">',
    '<link rel=stylesheet href="{}">',
    '<meta http-equiv=refresh content="0;url={}">',
    '<body background="{}">',
    '<table background="{}"><tr><td background="{}">x</td></tr></table>',
    '<div style="background:url({})">x</div>',
    '<q cite="{}">x</q>',
    '<blockquote cite="{}">x</blockquote>',
    '<del cite="{}">x</del>',
    "| a |\n|---|\n| [x]({}) |",
    "- [ ] [x]({})",
    "> [!note] [x]({})",
    "$$ \\href{{{}}}{{x}} $$",
    "# [x]({})",
    "~~[x]({})~~",
    '<a href="ok" href="{}">x</a>',
    '<img src="data:image/png;base64,AAAA" src="{}">',
]


@pytest.mark.parametrize("place", PLACES)
def test_no_address_of_a_script_survives_anywhere(place: str) -> None:
    for url in URLS:
        for resolve in (nowhere, lambda target: f"#/document/{len(target)}"):
            html = safe_html(place.replace("{}", url) if "{{" not in place else place.format(url), resolve)
            assert judged(html).wrong == [], (url, html)


MARKUP = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<script\n>alert(1)</script\n>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<<script>alert(1)//<</script>",
    "<script/xss>alert(1)</script>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><foreignObject><iframe srcdoc='<script>alert(1)</script>'></foreignObject></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
    "<img src=x onerror=alert(1)>",
    '<img src=x:x onerror="alert(1)"//>',
    "<img/src=`x`onerror=alert(1)>",
    '<IMG """><SCRIPT>alert(1)</SCRIPT>">',
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>x</details>",
    "<input autofocus onfocus=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<style>@import url(//evil.example/x.css);*{background:url(//evil.example)}</style>",
    '<div style="position:fixed;inset:0;background:red">x</div>',
    "<link rel=import href=//evil.example>",
    '<meta http-equiv="refresh" content="0;url=//evil.example">',
    "<base href=//evil.example/>",
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    "<object type=text/html data=//evil.example></object>",
    "<template><script>alert(1)</script></template>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<textarea></textarea><img src=x onerror=alert(1)></textarea>",
    "<title></title><img src=x onerror=alert(1)></title>",
    "<xmp></xmp><img src=x onerror=alert(1)></xmp>",
    "<plaintext>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<!-- --!><img src=x onerror=alert(1)> -->",
    "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "<?php echo '<script>alert(1)</script>' ?>",
    "<!DOCTYPE x [<!ENTITY y 'z'>]>",
    "<form id=x><input name=attributes><input name=innerHTML></form>",
    "<a id=token name=token>x</a>",
    '<p class="dialog token" id=q role=alert aria-live=assertive tabindex=0 accesskey=s contenteditable>x</p>',
    "<div is=x-y slot=a part=b itemscope data-x=1 draggable=true>x</div>",
    "<custom-element onclick=alert(1)>x</custom-element>",
    '<a href="#" onclick="alert(1)" onmouseover=alert(1)>x</a>',
    "<table><td><a href=x></table><script>",
    "<b <script>alert(1)</script>",
    "<div <!-- onclick=alert(1) -->>x</div>",
    "<p/onclick=alert(1)>",
    "<\x00script>alert(1)</script>",
    "<\ufeffscript>",
    "\ud800<script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<button popovertarget=x>y</button><dialog open id=x popover>z</dialog>",
]


@pytest.mark.parametrize("markup", MARKUP)
def test_no_markup_of_a_note_is_more_than_text(markup: str) -> None:
    wraps = (
        "{}",
        "a {} b",
        "> {}",
        "- {}",
        "| a |\n|---|\n| {} |",
        "# {}",
        "<div>\n\n{}\n\n</div>",
        "<b>{}",
        "[{}](x.md)",
        "{}{}",
        "```\n{}\n```",
        "`{}`",
    )
    for wrap in wraps:
        judge = judged(safe_html(wrap.replace("{}", markup), nowhere))
        assert judge.wrong == [], (wrap, judge.wrong)


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [*MARKUP, *PLACES, *URLS, "\n", "\n\n", "> ", "- ", "`", "```\n", "<b>", "</b>", "|", "<", ">", '"']
        ),
        max_size=6,
    ).map("".join)
)
def test_nor_do_they_become_more_when_they_are_mixed(text: str) -> None:
    assert judged(safe_html(text, nowhere)).wrong == []


def test_what_is_harmless_is_shown() -> None:
    html = safe_html(
        "# Head\n\n**bold** ~~gone~~ `code` <kbd>K</kbd> [out](https://example.com/ 'T') <me@example.com> x[^1]\n\n"
        "| a | b |\n|--:|---|\n| 1 | $x^2$ |\n\n- [x] done\n- [ ] not\n\n```python\nx = 1 < 2\n```\n\n"
        "![chart](data:image/png;base64,AAAA) ![far](https://example.com/x.png)\n\n[^1]: note\n\n"
        "<details><summary>More</summary>\n\ntext\n\n</details>\n",
        nowhere,
    )

    for part in (
        "<h1>Head</h1>",
        "<strong>bold</strong> <del>gone</del> <code>code</code> <kbd>K</kbd>",
        '<a href="https://example.com/" title="T" rel="noopener noreferrer nofollow">out</a>',
        '<a href="mailto:me@example.com"',
        "<th>a</th>",
        '<span class="math math-inline">x^2</span>',
        "\u2611\ndone",
        "\u2610\nnot",
        "x = 1 &lt; 2",
        '<img src="data:image/png;base64,AAAA" alt="chart">',
        '<img alt="far">',
        "<details><summary>More</summary>",
    ):
        assert part in html, (part, html)


def test_the_context_of_a_part_stands_before_it_and_what_was_reopened_is_whole() -> None:
    rows = "\n".join(f"| {n} | value of the number {n} |" for n in range(60))
    text = (
        f"# Title\n\n## Table\n\n| key | value |\n|---|---|\n{rows}\n\n## Code\n\n```python\n"
        + "x = 1\n" * 200
        + "```\n"
    )
    chunks = analyse(text, settings=Settings(max_tokens=150)).chunks
    table = [chunk for chunk in chunks if "table" in chunk.kinds][1]
    code = [chunk for chunk in chunks if "code_block" in chunk.kinds][1]

    shown = chunk_html(table, "markdown", nowhere)
    assert shown.startswith('<div class="context"><p>Title &gt; Table</p>')
    assert shown.count("<table>") == 1
    assert "<th>key</th>" in shown.partition("</div>")[2]
    assert "<pre><code>x = 1\n" in chunk_html(code, "markdown", nowhere)


def test_plain_text_stays_text() -> None:
    (chunk,) = analyse("<b>not bold</b>\n*nor this* <script>x</script>\n\nsecond", document_format="plain").chunks

    html = chunk_html(chunk, "plain", nowhere)
    judge = judged(html)
    assert judge.wrong == []
    assert "<b>not bold</b>\n*nor this* <script>x</script>" in "".join(judge.text)
    assert html.count("<p>") == 2


def test_a_poisoned_vault_is_shown_without_its_poison(tmp_path: Path) -> None:
    notes = tmp_path / "vault"
    notes.mkdir()
    (notes / ".obsidian").mkdir()
    (notes / "Target.md").write_text("# Target\n\nHere.\n\n## Part two\n\nThere.\n", "utf-8")
    poison = "\n\n".join(MARKUP).replace("\ud800", "").replace("\x00", "").replace("<plaintext>", "")
    links = "\n\n".join(
        place.replace("{}", url)
        for place, url in product(PLACES[:12], URLS[:12])
        if "\x00" not in url and "\x01" not in url
    )
    (notes / "Poison <img src=x onerror=alert(1)>.md").write_text(
        '---\ntitle: "<script>alert(1)</script>"\ntags: ["<b>x"]\n---\n# <img src=x onerror=alert(1)> head\n\n'
        f"{poison}\n\n## More\n\n{links}\n",
        "utf-8",
    )
    (notes / "Links.md").write_text(
        "# Links\n\n[[Target]] [[Target#Part two|two]] [t](Target.md) [u](Target.md#part-two) "
        "[[Nowhere]] [n](no.md) [s](#links)\n",
        "utf-8",
    )
    headwise("index", str(notes))
    with running(str(notes)) as service:
        for listed in service.get("/documents")["documents"]:
            document = service.get(f"/documents/{listed['path']}")
            assert document["chunks"]
            for chunk in document["chunks"]:
                assert judged(chunk["html"]).wrong == [], chunk["html"]
                one = service.get("/chunk", id=chunk["id"])
                assert one["html"] == chunk["html"]
            cut = service.post("/chunk", {"text": document["text"], "path": listed["path"], "html": True}).json()
            assert all(judged(chunk["html"]).wrong == [] for chunk in cut["chunks"])
        links = judged(service.get("/documents/Links.md")["chunks"][0]["html"]).links
        answer = service.client.get("/documents")

    target = "#/document/Target.md"
    assert links == [
        target,
        f"{target}?section=Part%20two",
        target,
        f"{target}?section=part-two",
        "#/document/Links.md?section=links",
    ]
    assert answer.headers["content-type"] == "application/json"
