#!/usr/bin/python3
"""The linker's version script of a shared library: the functions that its public headers declare.

Usage: gen_exports.py VERSION HEADER..."""
import pathlib
import re
import sys


def functions(text):
    """Names of the functions that a header declares at its top level."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^\s*#(?:\\\n|.)*", "", text, flags=re.M)
    text = text.replace('extern "C" {', "")
    while True:  # Bodies of structures and enumerations
        shorter = re.sub(r"\{[^{}]*\}", " ", text)
        if shorter == text:
            break
        text = shorter
    for statement in text.split(";"):
        found = re.match(r"(?!typedef\b|static\b)[\w\s*]*?\b((?:karat|vt)_\w+)\s*\(", statement.strip())
        if found:
            yield found[1]


def main():
    version, *headers = sys.argv[1:]
    names = sorted({name for header in headers for name in functions(pathlib.Path(header).read_text(encoding="utf-8"))})
    print(f"{version} {{\n  global:")
    for name in names:
        print(f"    {name};")
    print("  local:\n    *;\n};")


if __name__ == "__main__":
    main()
