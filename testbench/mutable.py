#!/usr/bin/python3
"""A core with mutants: small mistakes in its expressions, each of which +mutant=N switches on, and +mutant=N,M two, for karat locate.

    mutable.py --out FILE --top MODULE --front FILE... --source FILE... --probe FILE... -- verilator ARGUMENT...

The sources, or -F and a list of them, are between what is read in front of them and the probe. FILE is what Verilator's preprocessor makes of
the sources, with the mutants in it; FILE.json has their places, the Nth first. Where the expressions are, Verilator says, by the places in its
XML: whatever is fixed when the core is built (parameters, widths, conditions of generate) has no mutants. Nor have clocks, assertions, and what
Verilator refuses to build. The sources' names go to standard output, as CMake wants them.

    negated, never, always   an operand of && and ||, a condition
    operator, number         a + b as a - b, == as !=, < as <=, ...; a number with its lowest bit changed
    inverted, zero, bit      the value of any other expression; of one with a call its lowest bit
"""
import argparse
import bisect
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

TOKEN = re.compile(r"""
    (?P<space>\s+|/\*.*?\*/)
  | (?P<string>"(?:\\.|[^"\\])*")
  | (?P<cast>[\w$]+'(?=\())
  | (?P<number>\d*'[sS]?[bdhoBDHO][0-9a-fA-F_xzXZ?]+ | '[01xz](?!\w) | \d+)
  | (?P<name>[A-Za-z_$`\\][\w$]*)
  | (?P<op>'\{ | \|=> | \|-> | <<< | >>> | [=!]=[=?] | [-+*/%&|^<>=!]= | && | \|\| | << | >> | \+\+ | -- | \+: | -: | :: | .)
""", re.X | re.S)
SWAPS = {"+": "-", "-": "+", "*": "+", "&": "|", "|": "&", "^": "|", "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
         "<<": ">>", ">>": "<<", ">>>": ">>", "~": ""}
OPEN, CLOSE = ("(", "[", "{", "'{"), (")", "]", "}")
SITES = {"if": ("if",), "port": None, "assign": ("=", "return", "|=", "&=", "^=", "+=", "-="), "assigndly": ("<=",), "contassign": ("=",)}
SHOWN = {"negated": "!({})", "never": "1'b0", "always": "1'b1", "bit": "({}) ^ 1'b1"}  # Of those that are no copies
LONGEST = 400  # Characters of an expression that is written once more for a mutant
ROUNDS = 8
PACKAGE = """package karat_mutant_pkg;
  bit [{most}:0] on = '0;
endpackage
module karat_mutant_select;
  string given;
  int unsigned first = 0, second = 0;
  initial
    if ($value$plusargs("mutant=%s", given) != 0 && $sscanf(given, "%d,%d", first, second) > 0) begin
      if (first <= {most}) karat_mutant_pkg::on[first] = 1'b1;
      if (second <= {most}) karat_mutant_pkg::on[second] = 1'b1;
    end
endmodule
bind {top} karat_mutant_select u_karat_mutant_select ();
"""

Token = collections.namedtuple("Token", "kind text start end")
Leaf = collections.namedtuple("Leaf", "start end changes function")  # changes: (kind, text)


class Source:
    """Preprocessed text: its tokens and brackets, and where the lines of each file are in it."""

    def __init__(self, text):
        self.text, self.tokens, self.pairs, self.parents = text, [], {}, []
        for match in TOKEN.finditer(text):
            if match.lastgroup != "space":
                self.tokens.append(Token(match.lastgroup, match[0], match.start(), match.end()))
        self.at_start = {t.start: i for i, t in enumerate(self.tokens)}
        stack = []
        for i, token in enumerate(self.tokens):
            self.parents.append(stack[-1] if stack else -1)
            if token.text in OPEN:
                stack.append(i)
            elif token.text in CLOSE and stack:
                self.pairs[stack.pop()] = i
        self.lines, offset, place = {}, 0, None
        for line in text.splitlines(keepends=True):
            match = re.match(r'`line (\d+) "(.*)" \d', line)
            if match:
                place = match[2], int(match[1])
            elif place:
                self.lines.setdefault(place, offset)
                place = place[0], place[1] + 1
            offset += len(line)
        self.starts = sorted((offset, place) for place, offset in self.lines.items())

    def place(self, offset):
        return self.starts[bisect.bisect_right(self.starts, (offset, ("\uffff", 0))) - 1][1]

    def outer(self, first, end):
        """The tokens that are in no inner bracket."""
        while first < end:
            yield first
            first = self.pairs.get(first, first) + 1

    def parts(self, first, end, *marks):
        """The spans between those tokens."""
        found = []
        for i in self.outer(first, end):
            if self.tokens[i].text in marks:
                found.append((first, i))
                first = i + 1
        return [*found, (first, end)]

    def end(self, first):
        """The end of an expression that begins there."""
        return next((i for i in self.outer(first, len(self.tokens)) if self.tokens[i].text in (";", ",", *CLOSE)), first)


def flipped(text):
    """A number with its lowest bit changed; None of one with x and z."""
    if text in ("'0", "'1"):
        return "'1" if text == "'0" else "'0"
    match = re.fullmatch(r"(\d*)'([sS]?)([bdhoBDHO])([0-9a-fA-F_]+)", text)
    if not match:
        return str(int(text) ^ 1) if text.isdecimal() else None
    base, form = {"b": (2, "b"), "o": (8, "o"), "d": (10, "d"), "h": (16, "x")}[match[3].lower()]
    return f"{match[1]}'{match[2]}{match[3]}{int(match[4].replace('_', ''), base) ^ 1:{form}}"


class Mutator:
    """The expressions without inner conditions, their leaves, and the changes of each."""

    def __init__(self, source, operators, clocks):
        self.source, self.operators, self.clocks, self.leaves, self.seen = source, operators, clocks, [], set()

    def expression(self, first, end, is_condition, function):
        tokens, pairs = self.source.tokens, self.source.pairs
        if first >= end or first in self.seen:
            return
        question = self.source.parts(first, end, "?")
        if len(question) > 1:
            depth = 0
            for i in self.source.outer(question[0][1], end):
                depth += (tokens[i].text == "?") - (tokens[i].text == ":")
                if depth == 0:
                    break
            self.expression(*question[0], True, function)
            self.expression(question[0][1] + 1, i, is_condition, function)
            self.expression(i + 1, end, is_condition, function)
            return
        for operator in ("||", "&&"):
            parts = self.source.parts(first, end, operator)
            if len(parts) > 1:
                for part in parts:
                    self.expression(*part, True, function)
                return
        if tokens[first].text == "(" and pairs.get(first) == end - 1:
            self.expression(first + 1, end - 1, is_condition, function)
        elif tokens[first].text == "!" and tokens[first + 1].text == "(" and pairs.get(first + 1) == end - 1:
            self.expression(first + 2, end - 1, True, function)
        elif tokens[first].text in ("{", "'{") and pairs.get(first) == end - 1:
            for a, b in self.source.parts(first + 1, end - 1, ","):
                label = self.source.parts(a, b, ":")  # Of a member
                if tokens[b - 1].text != "}":  # A replication
                    self.expression(label[-1][0], b, False, function)
        else:
            self.seen.add(first)
            self.leaf(first, end, is_condition, function)

    def leaf(self, first, end, is_condition, function):
        tokens = self.source.tokens[first:end]
        start, stop = tokens[0].start, tokens[-1].end
        text = self.source.text[start:stop]
        # The switch of a fault marker is none of the core's: to negate it would mend each fault.
        if any(t.kind == "string" or t.text == "karat_fault_pkg" for t in tokens) or (len(tokens) == 1 and text in self.clocks):
            return
        calls = any(t.kind == "name" and after.text == "(" for t, after in zip(tokens, tokens[1:]))
        changes = []
        if not calls and len(text) <= LONGEST:
            changes = [(kind, text[:a - start] + new + text[b - start:]) for kind, a, b, new in self.changes(first, end)]
        if is_condition:
            changes += [(kind, "") for kind in ("negated", "never", "always")]
        elif calls:
            changes = [("bit", "")]
        elif len(text) <= LONGEST and not (len(tokens) == 1 and tokens[0].kind == "number"):
            changes += [("inverted", f"~({text})"), ("zero", f"(({text}) & 1'sb0)")]
        if changes:
            self.leaves.append(Leaf(start, stop, changes, function))

    def changes(self, first, end):
        """Of operators and numbers, those in inner brackets as well, but not of bounds."""
        source = self.source
        for i in source.outer(first, end):
            token = source.tokens[i]
            if token.text in OPEN and i in source.pairs:
                inner = source.tokens[i + 1:source.pairs[i]]
                if token.text != "{" and not any(t.text in (":", "+:", "-:") for t in inner):
                    yield from self.changes(i + 1, source.pairs[i])
            elif token.text in SWAPS and token.start in self.operators:
                yield "operator", token.start, token.end, SWAPS[token.text]
            elif token.kind == "number" and flipped(token.text):
                yield "number", token.start, token.end, flipped(token.text)


def switched(text, changes, number):
    """An expression with its changes, the first of which has that number; of two that are on the later one counts, but conditions have both. No
    call is written twice: functions are inlined."""
    def on(first, count=1):
        return f"(|karat_mutant_pkg::on[{first} +: {count}])" if count > 1 else f"karat_mutant_pkg::on[{first}]"

    at = {kind: number + i for i, (kind, _) in enumerate(changes)}
    if "bit" in at:
        return f"(({text}) ^ ({on(at['bit'])} ? 1'sb1 : 1'sb0))"
    copies = [(number + i, new) for i, (_, new) in enumerate(changes) if new]
    whole = f"({text})"
    for i, new in copies:
        whole = f"({on(i)} ? ({new}) : {whole})"
    if len(copies) > 1:
        whole = f"({on(number, len(copies))} ? {whole} : ({text}))"
    if "never" in at:
        whole = f"(({whole} && !{on(at['never'])} || {on(at['always'])}) != {on(at['negated'])})"
    return whole.replace("\n", " ")


def sites_of(root, source, probes):
    """Where Verilator has an expression at run time: (kind, token, function); and where operators are, and names of clocks and resets."""
    files = {f.get("id"): f.get("filename") for f in root.iter("file")}

    def token_at(element):
        file, line, column = (element.get("loc") or ",0,0").split(",")[:3]
        offset = source.lines.get((files.get(file), int(line)))
        return None if offset is None else source.at_start.get(offset + int(column) - 1)

    arrays = {t.get("id") for t in root.iter("unpackarraydtype")}
    sites, operators, called = {}, set(), set()

    def walk(element, function):
        at = token_at(element)
        if element.tag in ("func", "task"):
            function = element.get("name")
        if element.tag in ("funcref", "taskref"):
            called.add(element.get("name"))
        if element.tag == "always" and at is not None and not source.tokens[at].text.startswith("always"):
            return  # Of an assertion
        values = [child for child in element if child.get("dtype_id")]
        if at is not None:
            operators.add(source.tokens[at].start)
            if element.tag in SITES and values and values[0].get("dtype_id") not in arrays and element.get("direction") != "out":
                sites.setdefault(at, (element.tag, function))
        for child in element:
            walk(child, function)

    for module in root.find("netlist"):
        if module.tag in ("module", "package") and files.get(module.get("loc", "").split(",")[0]) not in probes:
            walk(module, None)
    clocks = {reference.get("name") for item in root.iter("senitem") for reference in item.iter("varref")}
    return [(kind, at, function) for at, (kind, function) in sorted(sites.items()) if function is None or function in called], operators, clocks


def leaves_of(root, source, probes):
    sites, operators, clocks = sites_of(root, source, probes)
    mutator = Mutator(source, operators, clocks)
    for kind, at, function in sites:
        text, after = source.tokens[at].text, source.tokens[at + 1].text
        parent = source.parents[at]
        if kind in ("if", "port"):
            if after == "(" and (text == "if" if kind == "if" else source.tokens[at - 1].text == "."):
                mutator.expression(at + 2, source.pairs[at + 1], kind == "if", function)
        elif text in SITES[kind] and not (parent > 0 and source.tokens[parent - 1].text == "for"):
            mutator.expression(at + 1, source.end(at + 1), False, function)
    return sorted(mutator.leaves)


def written(source, leaves, top):
    """The text with these leaves' mutants, and their table."""
    parts, table, at = [], [], 0
    for leaf in leaves:
        if leaf.start < at:
            continue
        text = source.text[leaf.start:leaf.end]
        if "`line" in text:
            continue
        file, line = source.place(leaf.start)
        parts += [source.text[at:leaf.start], switched(text, leaf.changes, len(table) + 1), "\n" * text.count("\n")]
        table += [{"file": file, "line": line, "kind": kind, "before": text, "after": new or SHOWN[kind].format(text)} for kind, new in leaf.changes]
        at = leaf.end
    return "".join([PACKAGE.format(top=top, most=len(table)), *parts, source.text[at:]]), table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--front", action="append", default=[])
    parser.add_argument("--source", action="append", default=[])
    parser.add_argument("--probe", action="append", default=[])
    parser.add_argument("--top", required=True)
    parser.add_argument("command", nargs="+", help="verilator ARGUMENT...")
    args = parser.parse_args()

    def verilator(*more):
        return subprocess.run([*args.command, *more], capture_output=True, text=True)

    with tempfile.TemporaryDirectory() as folder:
        design = f"{folder}/design.xml"
        whole = [*args.front, *args.source, *args.probe]
        # Without counters Verilator makes one assignment of the two of an if and its else.
        for done in (verilator("--xml-only", "--coverage-line", "--xml-output", design, "--Mdir", folder, *whole), verilator("-E", *args.source)):
            if done.returncode:
                sys.exit(f"{args.out}: no mutants: {done.stderr.strip()}")
        source = Source(done.stdout)
        leaves = leaves_of(xml.parse(design).getroot(), source, set(args.probe))
    for _ in range(ROUNDS):
        text, table = written(source, leaves, args.top)
        args.out.write_text(text, encoding="utf-8")
        done = verilator("--lint-only", *args.front, str(args.out), *args.probe)
        errors = re.findall(r"^%Error\S*: (\S+):(\d+):(.*)", done.stderr, re.M)
        if not errors:
            break
        refused = {(file, int(line)) for file, line, _ in errors}
        constant = {name for _, _, why in errors for name in re.findall(r"FUNCREF '(\w+)'", why)}
        leaves = [leaf for leaf in leaves if source.place(leaf.start) not in refused and leaf.function not in constant]
    if done.returncode:
        sys.exit(f"{args.out}: {done.stderr.strip()}")
    args.out.with_name(args.out.name + ".json").write_text(json.dumps(table), encoding="utf-8")
    print(";".join(sorted({file for _, (file, _) in source.starts})), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
