#!/usr/bin/python3
"""The site of the guides: every link leads to a file and an id, nothing comes from the network, every function of the library and every
instruction is in it and in its search; in Chromium, where it is installed, no page is wider than a phone, and the search finds."""
import argparse
import functools
import html.parser
import http.server
import json
import pathlib
import re
import shutil
import sys
import tempfile
import threading
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "vectors"), str(ROOT / "golden")]

import browser  # noqa: E402
from checks import check, end, run  # noqa: E402
from gen_exports import functions  # noqa: E402

PHONE = 360
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--cmark", required=True, help="cmark-gfm; anything else: the test is skipped")
parser.add_argument("--isa", required=True, type=pathlib.Path, help="what karat isa --markdown prints")
parser.add_argument("headers", nargs="+", type=pathlib.Path, help="the public headers")
args = parser.parse_args()
if not shutil.which(args.cmark):
    print("SKIPPED: cmark-gfm is not installed (Debian package cmark-gfm)")
    sys.exit(77)


class Reader(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "a" and "href" in attrs:
            self.links.append(attrs["href"])
        elif attrs.get("href") or attrs.get("src") or attrs.get("action"):
            self.loads.append(attrs.get("href") or attrs.get("src") or attrs.get("action"))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def broken(folder):
    """One line for each link that leads nowhere, id that is there twice, and load from elsewhere."""
    pages = {path.resolve(): Reader(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        where = path.relative_to(folder.resolve())
        for name in {i for i in page.ids if page.ids.count(i) > 1}:
            yield f"{where}: the id {name} is there twice"
        for target in page.links + page.loads:
            if re.match(r"[a-z]+:|//", target):
                if target in page.loads or not target.startswith(("http:", "https:")):
                    yield f"{where}: loads {target}"
                continue
            file, _, anchor = target.partition("#")
            to = (path.parent / urllib.parse.unquote(file)).resolve() if file else path
            if not to.is_file():
                yield f"{where}: {target} is not there"
            elif anchor and anchor not in pages[to].ids:
                yield f"{where}: {target}: no such id"


with tempfile.TemporaryDirectory() as name:
    site = pathlib.Path(name) / "site"
    done = run(sys.executable, ROOT / "docs" / "site" / "build.py", f"--output={site}", f"--cmark={args.cmark}", f"--isa={args.isa}",
               *args.headers)
    check(done.returncode == 0, "build", done)
    pages = {str(path.relative_to(site)): path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    wrong = list(broken(site))
    check(not wrong and len(pages) > 50, len(pages), "pages", *wrong)

    # The check itself: each kind of what it looks for.
    bad = pathlib.Path(name) / "bad"
    bad.mkdir()
    (bad / "a.html").write_text('<p id="x"><a href="b.html#y">1</a><a href="#x">2</a><a href="b.html">3</a><a href="https://example.org">4</a>')
    (bad / "b.html").write_text('<p id="z"><b id="z"></b><a href="c.html">1</a><a href="a.html#q">2</a><img src="https://example.org/i">'
                                '<a href="#r">3</a>')
    found = sorted(broken(bad))
    check(found == ["a.html: b.html#y: no such id", "b.html: #r: no such id", "b.html: a.html#q: no such id", "b.html: c.html is not there",
                    "b.html: loads https://example.org/i", "b.html: the id z is there twice"], "broken links are found", found)

    # The site's contents.
    index = json.loads((site / "search-index.js").read_text(encoding="utf-8").removeprefix("const INDEX = ").rstrip(";\n"))
    addresses = {row[0] for row in index}
    for path in args.headers:
        page = f"docs/api/{path.stem}.html"
        for function in functions(path.read_text(encoding="utf-8")):
            check(f'<a id="{function}"></a>' in pages[page], page, "lacks", function)
            check(any(row[0].startswith(page) and function in row[3] for row in index), "the search lacks", function)
    rows = re.findall(r'^- <a id="([^"]+)"></a>', args.isa.read_text(encoding="utf-8"), re.M)
    lacking = [row for row in rows if f"docs/isa.html#{row}" not in addresses]
    check(len(rows) > 400 and not lacking, "the search lacks instructions", lacking)
    for path in (ROOT / "docs").glob("*.md"):
        target = "index.html" if path.stem == "README" else f"{path.stem}.html"
        check(f"docs/{target}" in pages, "no page of", path.name)
    check(all('<main>' in text and 'aria-label="Search"' in text for text in pages.values()), "the frame")
    done = run(sys.executable, ROOT / "docs" / "site" / "build.py", f"--output={bad}", f"--cmark={args.cmark}", f"--isa={args.isa}", *args.headers)
    check(done.returncode != 0 and (bad / "a.html").exists(), "a folder of something else is not replaced", done)

    if not browser.CHROMIUM:
        print("SKIPPED in part: width and search need chromium")
        sys.exit(end())

    # Width: all pages in frames of a phone's width, and one that is too wide.
    frames = "".join(f'<iframe src="{page}" width="{PHONE}" height="640"></iframe>' for page in [*pages, "wide.html"])
    (site / "wide.html").write_text('<!DOCTYPE html><p style="width:400px">wide</p>')
    (site / "frames.html").write_text(f"""<!DOCTYPE html>{frames}<pre id="widths"></pre><script>onload = () => {{
      document.getElementById("widths").textContent = [...document.querySelectorAll("iframe")].map(
        f => f.getAttribute("src") + " " + f.contentDocument.documentElement.scrollWidth + " " + f.clientWidth).join("\\n");
    }};</script>""")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_address[1]}"
        dom = browser.page(f"{here}/frames.html")
        widths = dict((line.split()[0], int(line.split()[1])) for line in re.search(r'<pre id="widths">(.*?)</pre>', dom, re.S)[1].splitlines())
        check(widths.pop("wide.html") == 408, "a page that is too wide is found", widths)
        check(set(widths) == set(pages) and all(0 < width <= PHONE for width in widths.values()), "wider than a phone",
              {page: width for page, width in widths.items() if width > PHONE})
        for query, target in (("vfmacc.vv", "docs/isa.html#vfmacc_vv"), ("karat_restore", "docs/api/model.html#karat_restore"),
                              ("exit status", "docs/getting-started.html#exit-status")):
            dom = browser.page(f"{here}/search.html?q={urllib.parse.quote(query)}")
            first = re.search(r'<ol id="results"[^>]*><li><a href="([^"]*)"', dom)
            check(first and first[1] == target, "search", query, first and first[1])
        server.shutdown()
    print(f"{len(pages)} pages at {PHONE} pixels, and the search, were seen in Chromium")
sys.exit(end())
