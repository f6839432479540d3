#!/usr/bin/python3
"""The guides, the instruction table and the reference of the C interface as static HTML, without anything from the network.

Markdown is rendered by cmark-gfm, the frame of the pages by jinja2 (both of Debian)."""
import argparse
import dataclasses
import html
import json
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys

import jinja2

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGES = ("README.md", "CHANGELOG.md", "docs/*.md", "vectors/README.md", "rtl-wrap/**/README.md")
ISA = posixpath.join("docs", "isa.md")  # Where karat isa --markdown has its place among them
ASSETS = ("site.css", "site.js", "search.js")


@dataclasses.dataclass
class Page:
    title: str
    body: str
    scripts: tuple = ()


# --- Markdown -----------------------------------------------------------------------------------------------

def address(path):
    """Of the page that a file becomes."""
    folder, name = posixpath.split(path)
    if name == "README.md":
        return posixpath.join(folder, "index.html")
    return posixpath.splitext(path)[0] + ".html" if name.endswith(".md") else path + ".html"


def plain(text):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", text)).split())


def slug(text):
    """The id that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", plain(text).lower()).strip().replace(" ", "-")


class Site:
    def __init__(self, cmark, version, isa):
        self.cmark, self.version = cmark, version
        self.pages = {}  # By address
        self.api = {}    # The address of each name of the C interface
        self.texts = {str(p.relative_to(ROOT)): p for pattern in PAGES for p in sorted(ROOT.glob(pattern))} | {ISA: isa}
        self.sources = set()

    def link(self, page, target):
        """The target of a link in a file, as seen from its page; None: nothing that the site has."""
        if re.match(r"[a-z]+:|#", target):
            return target
        path, mark, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if (ROOT / path).is_dir():
            path = posixpath.join(path, "README.md")
        if path not in self.texts:
            if not (ROOT / path).is_file():
                return None
            self.sources.add(path)
        return posixpath.relpath(address(path), posixpath.dirname(address(page)) or ".") + mark + anchor

    def render(self, name, text):
        body = subprocess.run([self.cmark, "--unsafe", "-e", "table", "-e", "strikethrough"], input=text, capture_output=True, text=True,
                              check=True).stdout
        seen = set(re.findall(r'<a id="([^"]+)"', body))  # A heading after an anchor of its own name needs none
        own_ids = frozenset(seen)

        def heading(match):
            own = slug(match[2])
            if own in own_ids:
                return match[0]
            number = next(n for n in range(1000) if (f"{own}-{n}" if n else own) not in seen)
            own = f"{own}-{number}" if number else own
            seen.add(own)
            return f'<h{match[1]} id="{own}">{match[2]}</h{match[1]}>'

        def anchor(match):
            target = self.link(name, html.unescape(match[1]))
            return f'<a href="{html.escape(target)}">{match[2]}</a>' if target else match[2]

        def code(match):
            word = re.fullmatch(r"(karat_\w+)(\(\))?", match[1])
            target = word and self.api.get(word[1])
            up = posixpath.relpath(".", posixpath.dirname(address(name)) or ".")
            return f'<a href="{up}/{target}">{match[0]}</a>' if target else match[0]

        body = re.sub(r"<h([1-6])>(.*?)</h\1>", heading, body, flags=re.S)
        body = re.sub(r'<a href="([^"]*)">(.*?)</a>', anchor, body, flags=re.S)
        # No script of a site far away draws the diagrams.
        body = re.sub(r'<pre><code class="language-mermaid">(.*?)</code></pre>',
                      r"<details><summary>Diagram (source in Mermaid)</summary><pre><code>\1</code></pre></details>", body, flags=re.S)
        parts = re.split(r"(<pre>.*?</pre>|<a .*?</a>)", body, flags=re.S)
        body = "".join(part if n % 2 else re.sub(r"<code>([^<]*)</code>", code, part) for n, part in enumerate(parts))
        body = body.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
        title = re.search(r"<h1[^>]*>(.*?)</h1>", body, re.S)
        self.pages[address(name)] = Page(plain(title[1]) if title else name, body)

    def render_source(self, path):
        text = (ROOT / path).read_text(encoding="utf-8")
        self.pages[address(path)] = Page(path, f"<h1>{html.escape(path)}</h1><pre><code>{html.escape(text)}</code></pre>")

    # --- The C interface ------------------------------------------------------------------------------------

    def read_headers(self, headers):
        """A page for each header: its comments, and the declarations that they describe, with an id for each name."""
        contents = []
        for path in headers:
            text = path.read_text(encoding="utf-8")
            target = f"docs/api/{path.stem}.html"
            about, entries = declarations(text)
            out = [f'<h1 id="{path.stem}">karat/{path.name}</h1>', paragraphs(about)]
            for comment, source in entries:
                names = list(dict.fromkeys(names_in(source)))
                for name in names:
                    self.api.setdefault(name, f"{target}#{name}")
                marks = "".join(f'<a id="{name}"></a>' for name in names)
                title = f"{names[0]} ... {names[-1]}" if len(names) > 1 and names[0].isupper() else names[0] if names else ""
                out.append(f'<div class="api">{marks}' + (f"<h3>{title}</h3>" if title else "") + paragraphs(comment)
                           + f"<pre><code>{html.escape(source)}</code></pre></div>")
            self.pages[target] = Page(f"karat/{path.name}", "\n".join(out))
            contents.append((path.name, plain(paragraphs(about))))
        rows = "".join(f'<li><a href="{pathlib.Path(name).stem}.html">karat/{name}</a>: {html.escape(text)}</li>' for name, text in contents)
        every = "".join(f'<li><a href="{self.api[name][len("docs/api/"):]}"><code>{name}</code></a></li>' for name in sorted(self.api))
        self.pages["docs/api/index.html"] = Page(
            "The C interface", '<h1>The C interface</h1><p>From the comments of the public headers. <a href="../library.html">The model as a '
            f'library</a> is the guide.</p><ul>{rows}</ul><h2 id="names">Names</h2><ul>{every}</ul>')

    # --- Search -----------------------------------------------------------------------------------------------

    def index(self):
        """A row for each heading, and for each entry of a list that has an id: address, title, page, text."""
        rows = []
        for target, page in sorted(self.pages.items()):
            if target == "search.html" or target.endswith((".c.html", ".json.html", "LICENSE.html")):
                continue
            parts = re.split(r'(?=<h[1-6] id=)|(?=<li>\s*(?:<p>)?<a id=)|(?=<div class="api">)', page.body)
            for part in parts:
                own = re.search(r'(?:^<h[1-6]|^<li>\s*(?:<p>)?<a|^<div class="api"><a) id="([^"]+)"', part)
                heading = re.match(r"<h[1-6] id=[^>]*>(.*?)</h[1-6]>|<li>\s*(?:<p>)?<a id=[^>]*></a>\s*<code>(.*?)</code>|<div.*?<h3>(.*?)</h3>",
                                   part, re.S)
                text = plain(part)
                if text:
                    title = plain(next(g for g in heading.groups() if g)) if heading else page.title
                    rows.append([target + (f"#{own[1]}" if own else ""), title, page.title, text])
        return rows

    def navigation(self, text):
        """Groups and links of the index of guides, and the reference."""
        groups = []
        for row in re.findall(r"^\| (.*?) \|", text, re.M):
            if group := re.fullmatch(r"\*\*(.*)\*\*", row):
                groups.append({"name": group[1], "links": []})
            elif link := re.fullmatch(r"\[.*\]\((.*)\)", row):
                groups[-1]["links"].append(address(posixpath.normpath(posixpath.join("docs", link[1]))))
        groups.append({"name": "Reference", "links": [address(ISA), "docs/api/index.html"]})
        for group in groups:
            group["links"] = [{"title": self.pages[target].title, "target": target} for target in group["links"]]
        return groups

    def write(self, out, nav):
        frame = jinja2.Environment(trim_blocks=True).from_string((HERE / "frame.html").read_text(encoding="utf-8"))
        self.pages["search.html"] = Page("Search", '<h1>Search</h1><p><input id="query" type="search" size="40" aria-label="Search" autofocus> '
                                         '<span id="count"></span></p><ol id="results" class="results"></ol>', ("search-index.js", "search.js"))
        if out.exists():
            if not (out / "search-index.js").exists() and any(out.iterdir()):
                sys.exit(f"{out}: not a folder that this command has written")
            shutil.rmtree(out)
        out.mkdir(parents=True)
        for target, page in self.pages.items():
            up = posixpath.relpath(".", posixpath.dirname(target) or ".")
            path = out / target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(frame.render(title=page.title, body=page.body, scripts=page.scripts, nav=nav, path=target, version=self.version,
                                         up="" if up == "." else up + "/"), encoding="utf-8")
        for name in ASSETS:
            shutil.copyfile(HERE / name, out / name)
        shutil.copytree(ROOT / "docs" / "images", out / "docs" / "images")
        (out / "search-index.js").write_text("const INDEX = " + json.dumps(self.index(), ensure_ascii=False, separators=(",", ":")) + ";\n",
                                             encoding="utf-8")


# --- Headers ------------------------------------------------------------------------------------------------

def paragraphs(comment):
    return "".join(f"<p>{html.escape(' '.join(part.split()))}</p>" for part in re.split(r"\n\s*\n", comment) if part.strip())


def uncomment(text):
    return "\n".join(re.sub(r"^\s*\* ?", "", line) for line in text[2:-2].splitlines())


def declarations(text):
    """The comment at the top of a header, and its entries: a comment at the top level, and what follows up to the next one or a blank
    line at the top level."""
    about, entries, comment, source, depth = None, [], "", [], 0

    def end():
        nonlocal comment
        if source:
            entries.append((comment, "\n".join(source)))
            comment = ""
            source.clear()

    text = re.sub(r'^#ifdef __cplusplus\n.*?^#endif\n', "", text, flags=re.M | re.S)
    text = re.sub(r"^#(?:include|ifndef|endif|pragma|if|else).*\n|^#define KARAT_\w+_H\n", "", text, flags=re.M)
    lines = iter(text.splitlines())
    for line in lines:
        if depth == 0 and line.startswith("/*"):
            end()
            whole = [line]
            while "*/" not in whole[-1]:
                whole.append(next(lines))
            words = uncomment("\n".join(whole).strip())
            if about is None:
                about = words
            else:
                comment = words.strip(" -") if re.match(r"\s*---", words) else words
        elif depth == 0 and not line.strip():
            end()
        else:
            source.append(line)
            code = re.sub(r"/\*.*?\*/", "", line)
            depth += code.count("{") - code.count("}")
    end()
    return about or "", entries


def names_in(source):
    """Types, functions, macros and enumerators that an entry declares, the most important ones first."""
    code = re.sub(r"/\*.*?\*/", " ", source, flags=re.S)
    yield from re.findall(r"^\}\s*(\w+);", code, re.M)
    yield from re.findall(r"^typedef\s[^;{(]*?(\w+);", code, re.M)
    yield from re.findall(r"^typedef\s[^;{]*?\b(karat_\w+)\([^;]*;", code, re.M)
    yield from re.findall(r"\benum\s+(\w+)\s*\{", code)
    yield from re.findall(r"^(?!typedef|static|#)[\w\s*]*?\b(karat_\w+)\s*\(", code, re.M)
    yield from re.findall(r"^#define (\w+)", code, re.M)
    for body in re.findall(r"\benum\b[^{;]*\{(.*?)\}", code, re.S):
        yield from re.findall(r"\b(KARAT_\w+)\s*(?=[,=]|$)", body, re.M)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", required=True, type=pathlib.Path, help="a folder; one that this command has written is replaced")
    parser.add_argument("--cmark", default="cmark-gfm")
    parser.add_argument("--version", default="", help="of the release, at the foot of the pages")
    parser.add_argument("--isa", required=True, type=pathlib.Path, help="what karat isa --markdown prints")
    parser.add_argument("headers", nargs="+", type=pathlib.Path, help="the public headers")
    args = parser.parse_args()
    if not shutil.which(args.cmark):
        sys.exit(f"{args.cmark}: not found (Debian package cmark-gfm)")
    site = Site(args.cmark, args.version, args.isa)
    site.read_headers(sorted(args.headers))
    for name, path in site.texts.items():
        site.render(name, path.read_text(encoding="utf-8"))
    for path in sorted(site.sources):
        site.render_source(path)
    site.write(args.output, site.navigation((ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    print(f"{len(site.pages)} pages, {len(site.api)} names of the C interface")


if __name__ == "__main__":
    main()
