"""All that is written beside the results: the page, JUnit XML, and Markdown. Each file appears whole."""
from junit import junit
from markdown import markdown
from page import page


def write_outputs(store, folder, karat):
    for name, text in (("index.html", page(store, folder, karat)), ("junit.xml", junit(store)), ("summary.md", markdown(store))):
        part = folder / f"{name}.part"
        part.write_text(text, encoding="utf-8")
        part.rename(folder / name)
