"""The page of a campaign in a real browser: its script runs, a link to a bucket opens it, it fits three widths, and keys alone suffice.
Screenshots stay."""
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

from browser import CHROMIUM, Tab, page  # noqa: E402

WIDTHS = (1280, 820, 390)
HEIGHT = 1800
FOCUS = "(e => e.id || e.tagName)(document.activeElement)"
ORDER = "[...document.getElementById('list').children].map(b => b.dataset.number).join()"


def missing():
    """Why the page cannot be tried, or None."""
    return None if CHROMIUM else "no chromium"


def look(path, bucket, folder):
    """What is wrong with a page that has that bucket. Leaves page-WIDTH.png in the folder."""
    wrong = []
    html = page(path, f"#bucket-{bucket}")
    number = len(re.findall(r'<details class="bucket"', html))
    if f'role="status">{number} of {number}<' not in html:
        wrong.append("the page's script has not counted its buckets")
    if not re.search(rf'<details class="bucket" id="bucket-{bucket}"[^>]* open=""', html):
        wrong.append(f"the link to bucket {bucket} does not open it")
    for width in WIDTHS:
        # In a frame, for a window cannot be as narrow as a phone; its width goes into the title.
        probe = folder / "probe.html"
        probe.write_text(f'<title></title><body style="margin:0"><iframe id=f src="{path.as_uri()}#bucket-{bucket}" width={width} height={HEIGHT} '
                         'style="border:0"></iframe><script>onload = () => { const d = document.getElementById("f").contentDocument.documentElement; '
                         "document.title = d.scrollWidth }</script>")
        title = re.search(r"<title>(\d+)", page(probe, options=["--allow-file-access-from-files"]))
        if not title or int(title[1]) > width:
            wrong.append(f"at {width} the page is {title and title[1]} wide")
        shot = folder / f"page-{width}.png"
        page(probe, width=max(width, 500), height=HEIGHT, picture=shot, options=["--hide-scrollbars"])
        if not shot.exists():
            wrong.append(f"no screenshot at {width}")
        probe.unlink()
    return wrong


def keys(path, word):
    """What cannot be done with keys alone, on a page of which a part of the buckets has that word."""
    tab, wrong = Tab(path), []

    def expect(expression, good, what):
        value = tab.ask(expression)
        if not good(value):
            wrong.append(f"{what}: {value}")
        return value

    def shows_focus(what):
        expect("getComputedStyle(document.activeElement).outlineStyle", "solid".__eq__, f"no outline around {what}")

    tab.press("Tab")
    expect("document.activeElement.className", "skip".__eq__, "the first stop is not the link to the buckets")
    shows_focus("the link to the buckets")
    tab.press("Enter", "Tab")
    expect(FOCUS, "filter".__eq__, "after the link to the buckets comes")
    shows_focus("the filter")
    every = tab.ask("document.getElementById('list').children.length")
    tab.press(word)
    expect("[...document.getElementById('list').children].filter(b => b.checkVisibility()).length", lambda n: 0 < n < every,
           "buckets after the filter")
    tab.press(*["Backspace"] * len(word), "Tab")
    expect(FOCUS, "order".__eq__, "after the filter comes")
    before = tab.ask(ORDER)
    tab.press("End")
    expect("document.getElementById('order').value", "size".__eq__, "the last order is not chosen")
    expect(ORDER, lambda order: sorted(order) == sorted(before), "order of buckets")
    tab.press("ArrowUp")
    names = "[...document.getElementById('list').children].map(b => b.dataset.name)"
    expect(f"(n => n.join() === n.sort((a, b) => a.localeCompare(b)).join())({names})", True.__eq__, "buckets by name")
    tab.press("Tab")
    first = "document.getElementById('list').firstElementChild"
    expect(f"document.activeElement === {first}.querySelector('summary')", True.__eq__, "after the order comes not the first bucket")
    shows_focus("a bucket")
    for key, opened in (("Enter", True), ("Enter", False), (" ", True)):
        tab.press(key)
        expect(f"{first}.open && {first}.querySelector('.first').checkVisibility()", opened.__eq__, f"the bucket after '{key}'")
    for _ in range(100):
        tab.press("Tab")
        if tab.ask("document.activeElement.tagName === 'BUTTON'"):
            break
    tab.press("Enter")
    expect("document.activeElement.parentElement.getAttribute('aria-sort')", "ascending".__eq__, "a table's column is not sorted")
    tab.press("Enter")
    expect("document.activeElement.parentElement.getAttribute('aria-sort')", "descending".__eq__, "a table's column is not sorted again")
    tab.close()
    return wrong
