"""The page of a campaign in a real browser: its script runs, a link to a bucket opens it, and it fits three widths. Screenshots stay."""
import re
import shutil
import subprocess

WIDTHS = (1280, 820, 390)
HEIGHT = 1800


def chromium(*options):
    return subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=2000",
                           "--allow-file-access-from-files", *options], capture_output=True, text=True)


def missing():
    """Why the page cannot be tried, or None."""
    return None if shutil.which("chromium") else "no chromium"


def look(page, bucket, folder):
    """What is wrong with a page that has that bucket. Leaves page-WIDTH.png in the folder."""
    wrong = []
    html = chromium("--dump-dom", f"file://{page}#bucket-{bucket}").stdout
    number = len(re.findall(r'<details class="bucket"', html))
    if f'role="status">{number} of {number}<' not in html:
        wrong.append("the page's script has not counted its buckets")
    if not re.search(rf'<details class="bucket" id="bucket-{bucket}"[^>]* open=""', html):
        wrong.append(f"the link to bucket {bucket} does not open it")
    for width in WIDTHS:
        # In a frame, for a window cannot be as narrow as a phone; its width goes into the title.
        probe = folder / "probe.html"
        probe.write_text(f'<title></title><body style="margin:0"><iframe id=f src="file://{page}#bucket-{bucket}" width={width} height={HEIGHT} '
                         'style="border:0"></iframe><script>onload = () => { const d = document.getElementById("f").contentDocument.documentElement; '
                         "document.title = d.scrollWidth }</script>")
        title = re.search(r"<title>(\d+)", chromium("--dump-dom", f"file://{probe}").stdout)
        if not title or int(title[1]) > width:
            wrong.append(f"at {width} the page is {title and title[1]} wide")
        shot = folder / f"page-{width}.png"
        chromium(f"--window-size={max(width, 500)},{HEIGHT}", f"--screenshot={shot}", f"file://{probe}")
        if not shot.exists():
            wrong.append(f"no screenshot at {width}")
        probe.unlink()
    return wrong
