"""All that is written beside the results: the page, JUnit XML, and Markdown. Each file appears whole."""
from junit import junit
from markdown import markdown
from page import page


def write_whole(path, text):
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
    except OSError as error:
        error.filename = str(part)  # A full disk names none
        raise
    part.rename(path)


def write_outputs(store, folder, karat):
    for name, text in (("index.html", page(store, folder, karat)), ("junit.xml", junit(store)), ("summary.md", markdown(store))):
        write_whole(folder / name, text)
