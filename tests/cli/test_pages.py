#!/usr/bin/python3
"""The pages: every link leads to a file and an anchor, no line is over 150 columns, README is a page and the glossary short, the guides are
few and the index has each, no source names a page that is not there, the chapter on the checker has every file of it, and CHANGELOG and
CITATION have the version of the headers."""
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WIDTH, README_LINES, TERMS, GUIDES, GUIDE_LINES = 150, 150, 40, 30, 5000
SOURCES = (".c", ".h", ".cpp", ".hpp", ".py", ".sv", ".S", ".def", ".cmake", ".txt", ".json", ".inc")
failures = 0


def fail(where, what):
    global failures
    failures += 1
    print(f"FAILED: {where}: {what}")


def own(path):
    return not {"build", ".git"} & set(path.relative_to(ROOT).parts)


@functools.cache
def anchors(text):
    """Ids of a page: its own, and those that a viewer makes of headings."""
    found = set(re.findall(r'<a id="([^"]+)"></a>', text))
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        words = re.sub(r"<[^>]*>|`|\*", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)).lower()
        found.add(re.sub(r"[^\w -]", "", words).strip().replace(" ", "-"))
    return found


pages = {str(p.relative_to(ROOT)): p.read_text(encoding="utf-8") for p in sorted(ROOT.rglob("*.md")) if own(p)}
links = 0
for name, text in pages.items():
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > WIDTH:
            fail(f"{name}:{number}", f"{len(line)} columns")
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"https?:", target):
            continue
        links += 1
        file, _, anchor = target.partition("#")
        path = (ROOT / name).parent / file if file else ROOT / name
        if not path.exists():
            fail(name, f"a link to {target}, which is not there")
        elif anchor:
            page = str(path.resolve().relative_to(ROOT))
            if page not in pages or anchor not in anchors(pages[page]):
                fail(name, f"a link to {target}: no such heading or anchor")

lines = len(pages["README.md"].splitlines())
if lines > README_LINES:
    fail("README.md", f"{lines} lines")
terms = re.findall(r"^\| (?!term \||---)([^|]+) \|", pages["docs/glossary.md"], re.M)
if not 0 < len(terms) <= TERMS or terms != sorted(terms):
    fail("docs/glossary.md", f"{len(terms)} terms, {'sorted' if terms == sorted(terms) else 'not sorted'}")
for name in pages:
    if name.startswith("docs/") and name != "docs/README.md" and f"]({name[5:]})" not in pages["docs/README.md"]:
        fail("docs/README.md", f"the index lacks {name}")

guides = [text for name, text in pages.items() if name.startswith("docs/")]
guide_lines = sum(len(text.splitlines()) for text in guides)
if len(guides) > GUIDES or guide_lines > GUIDE_LINES:
    fail("docs", f"{len(guides)} pages of {guide_lines} lines; at most {GUIDES} of {GUIDE_LINES}")

named = 0
for path in sorted(ROOT.rglob("*")):
    if own(path) and path.is_file() and path.suffix in SOURCES and path.name != pathlib.Path(__file__).name:
        for page in re.findall(r"\bdocs/[\w-]+\.md\b", path.read_text(encoding="utf-8", errors="replace")):
            named += 1
            if page not in pages:
                fail(path.relative_to(ROOT), f"names {page}, which is not there")

# The chapter on the checker has every one of its files, and no other.
chapter = pages.get("docs/how-it-checks.md", "")
sources = [path.relative_to(ROOT / "dpi" / folder) for folder in ("check", "mcm") for path in (ROOT / "dpi" / folder).rglob("*.c")]
in_chapter = set(re.findall(r"`((?:\w+/)*\w+\.c)`", chapter))
for path in sources:
    if not {path.name, str(path)} & in_chapter:
        fail("docs/how-it-checks.md", f"lacks {path}")
for name in in_chapter - {str(path) for path in sources} - {path.name for path in sources}:
    fail("docs/how-it-checks.md", f"names {name}, which is not there")

numbers = re.findall(r"^#define KARAT_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$",
                     (ROOT / "golden" / "include" / "karat" / "version.h").read_text(encoding="utf-8"), re.M)
version = ".".join(numbers)
for name, form in (("CHANGELOG.md", r"^## ([\d.]+)"), ("CITATION.cff", r"^version: (.*)$")):
    found = re.search(form, (ROOT / name).read_text(encoding="utf-8"), re.M)
    if len(numbers) != 3 or not found or found[1] != version:
        fail(name, f"expected version {version} first, found {found and found[1]}")

if links < 100 or named < 20:
    fail("test_pages.py", f"only {links} links and {named} pages named in sources were found")
print(f"{len(pages)} pages, {links} links, {len(terms)} terms, {named} pages named in sources")
print("failures:", failures)
sys.exit(failures != 0)
