#!/usr/bin/python3
"""Prints, as C, what defines each semantic in golden/exec: an expression in one of its macros, or a function.

    gen_definitions.py FILE.c ...

A macro counts when its body defines karat_sem_##name, or hands its first argument on to one that does. What is found in
no file is simply not there: karat_row_definition() returns NULL for it, and a test says so."""
import pathlib
import re
import sys

# How a definition in that macro reads. {0} is its expression; any other macro is shown with its parameters' names, and
# an enumerator with a comment behind it as that comment.
FORMS = {
    "SCALAR": "rd = {0}",
    "SCALAR_FP": "rd = {0}",
    "ELEMENTS": "vd[i] = {0}",
    "ELEMENTS_PAIR": "vd[i] = {0}",
    "ELEMENTS_WORD": "vd[i] = {0}",
    "ELEMENTS_M": "vd[i] = {0}",
    "ELEMENTS_FP": "vd[i] = {0}",
    "ELEMENTS_FP_WORD": "vd[i] = {0}",
    "SPECIAL": "vd[i] = {0}(s2)",
    "SPECIAL_F16": "both halves: {0}(s2)",
    "SPECIAL_BF16": "both halves: {0}(s2)",
    "SHUFFLE": "vd[i] = s2 of lane {0}, where it is active, else its own",
    "ELEMENTS_FP_INT": "vd[i] = {0}",
    "ELEMENTS_FP_BITS": "vd[i] = {0}",
    "ELEMENTS_FP_LANES": "vd[i] = {1}",
    "ELEMENTS_FP_INT_LANES": "vd[i] = {1}",
    "ELEMENTS_FIXED": "vd[i] = {0}",
    "WIDENING": "vd[i] = {0}",
    "WIDENING_WV": "vd[i] = {0}",
    "WIDENING_WX": "vd[i] = {0}",
    "WIDEN_FROM_FLOAT": "vd[i] = {1}",
    "WIDEN_FROM_INT": "vd[i] = {0}",
    "NARROW_TO_FLOAT": "vd[i] = {0}",
    "NARROW_TO_INT": "vd[i] = {0}",
    "BRANCH": "if ({0}) jump",
    "VBRANCH": "lane i takes the else path if {0}",
    "AMO": "s1 = memory; memory = {1}; rd = s1",
}
LONG = 200  # Characters of a function's body; a longer one is only named


def macros(sources):
    """The parameters, by name, of the macros that define semantics."""
    found, bodies = {}, {}
    for text in sources.values():
        for match in re.finditer(r"^#define (\w+)\(([^)]*)\)((?:.*\\\n)*.*\n)", text, re.M):
            bodies[match[1]] = ([p.strip() for p in match[2].split(",")], match[3])
    while True:
        more = {name: parameters for name, (parameters, body) in bodies.items() if name not in found
                and any(re.search(pattern, body) for pattern in [
                    rf"\bkarat_sem_##{parameters[0]}\b", *[rf"\b{known}\({parameters[0]}\s*[,)]" for known in found]])}
        if not more:
            return found
        found.update(more)


def arguments(text, at):
    """The arguments of the call whose "(" is at text[at], and where it ends."""
    depth, parts, start = 0, [], at + 1
    for i in range(at, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
        if (text[i] == "," and depth == 1) or depth == 0:
            parts.append(" ".join(text[start:i].split()))
            start = i + 1
        if depth == 0:
            return parts, i
    raise SystemExit(f"gen_definitions.py: no end of '{text[at - 20:at + 20]}'")


def spaced(expression):
    """The expression as people write it: clang-format takes "a & b" and "a * b" at the end of an argument for
    declarations. The selection of a format by an operand's
    type is left out: karat_fp(s1, add)(s1, s2, rm, &flags) reads fp_add(s1, s2, rm, &flags)."""
    expression = re.sub(r"karat_fp\(.*?, (\w+)\)\(", r"fp_\1(", expression)
    expression = re.sub(r"karat_(fp_\w+)\(s2\)\(", r"\1(", expression)
    return re.sub(r"(?<=\w) ([&*])(?=\w)", r" \1 ", expression)


def definitions(sources):
    known = macros(sources)
    meaning = dict(pair for text in sources.values() for pair in re.findall(r"^ +([A-Z]\w+),? +/\* (.*) \*/$", text, re.M))
    for path, text in sources.items():
        for match in re.finditer(r"^ *([A-Z]\w*)\(", text, re.M):
            if match[1] not in known or match[1] in ("SEMANTIC", "KARAT_SEMANTIC"):
                continue
            (name, *rest), _ = arguments(text, match.end() - 1)
            rest = [spaced(argument) for argument in rest]
            form = FORMS.get(match[1], "")
            shown = form.format(*rest) if form else match[1] + "; " + "; ".join(
                f"{p}: {meaning.get(a, a)}" for p, a in zip(known[match[1]][1:], rest))
            yield name, shown, "expression" if form else "macro", path
        for match in re.finditer(r"^/\* ((?:(?!\*/).)*) \*/\n(?:ELEMENTS_FP_AT.*\n)?KARAT_SEMANTIC\((\w+),", text, re.M | re.S):
            yield match[2], " ".join(line.strip(" *") for line in match[1].splitlines()), "comment", path
        for match in re.finditer(r"^((?:/\*(?:(?!\*/).)*\*/\n)?)SEMANTIC\((\w+)\) \{", text,
                                 re.M | re.S):
            parts, _ = arguments(text, match.end() - 1)
            body = re.sub(r"/\*.*?\*/", "", ", ".join(parts), flags=re.S)
            comment = " ".join(line.strip(" */") for line in match[1].splitlines()).strip()
            body = " ".join(body.split())
            if comment:
                yield match[2], comment, "comment", path
            else:
                yield match[2], body if len(body) <= LONG else f"karat_sem_{match[2]}()", "function", path


def main():
    sources = {pathlib.Path(path).name: pathlib.Path(path).read_text() for path in sys.argv[1:]}
    quoted = lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    print("/* Generated by gen_definitions.py from golden/exec. */")
    print('#include "definitions.h"\n')
    print("const karat_definition karat_definitions[] = {")
    for name, text, kind, path in sorted(set(definitions(sources))):
        print(f"    {{{quoted(name)}, {quoted(text)}, {quoted(kind)}, {quoted(path)}}},")
    print("    {0, 0, 0, 0},\n};")


main()
