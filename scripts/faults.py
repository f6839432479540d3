#!/usr/bin/python3
"""Faults as markers: build one core in which each of many design mistakes can be switched on.

A marker is a comment directly above the line of SystemVerilog that it is for:

    // FAULT(name, kind): bad
    assign x = good;

    // FAULT(name, kind): bad
    AluSrl: return good;

    // FAULT(name, kind): bad
    if (good) begin

    // FAULT(name, kind): bad
    .port(good),

    // FAULT(name, kind): row[l] = new;
    if (mask[l]) row[l] = new;

Its text replaces the line's expression or, where it ends in a semicolon, the whole statement.  Text that is too long for
one line continues in the comment lines below it, and code in the lines below it where a bracket is open or an operator
ends the line.  Code has at most one marker.  The source itself is not touched: this script writes copies in which the
faulty text takes effect while karat_fault_pkg::selected is that marker's number, with karat_fault_pkg.sv, which reads
+fault=NAME, and karat_faults.h, the table of markers for the harness.  Lines keep their numbers.

Usage: faults.py --list FILE...                       name, place, kind and faulty text of every marker
       faults.py --out DIR --top MODULE FILE...       write the faulty copies of all FILEs into DIR
"""
import argparse
import pathlib
import re
import sys

MARKER = re.compile(r"\s*//\s*FAULT\((?P<name>\w+),\s*(?P<kind>[\w ]+)\):\s*(?P<faulty>.*\S)\s*$")
COMMENT = re.compile(r"\s*//\s*(?P<text>.*?)\s*$")
LABELLED = r"(?:[\w$']+|\[[\w$']+\s*:\s*[\w$']+\])"
LABEL = re.compile(rf"^{LABELLED}(?:\s*,\s*{LABELLED})*\s*:(?!:)\s*")
# The statements that switch are no code of the design: coverage does not count them.
UNCOUNTED, COUNTED = "/*verilator coverage_off*/", "/*verilator coverage_on*/"
OPEN, CLOSE = "([{", ")]}"


class Marker:
    """The line is that of the code, which is where the faulty copies have the fault."""

    def __init__(self, path, line, code, name, kind, faulty):
        self.path, self.line, self.code = path, line, code
        self.name, self.kind, self.faulty = name, kind, faulty
        self.last = line  # Last line of its code

    def fail(self, why):
        sys.exit(f"{self.path}:{self.line}: FAULT({self.name}): {why}")


def goes_on(code):
    """Whether code ends in the next line."""
    depth = sum((char in OPEN) - (char in CLOSE) for char in code)
    return depth > 0 or re.search(r"(&&|\|\||[-+?&|^]|<=|=)$", code) is not None


def find_markers(path):
    marker = None  # Waits for its line of code
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = MARKER.match(text)
        if match:
            if marker:
                marker.fail(f"no code between it and FAULT({match['name']})")
            marker = Marker(path, number, "", match["name"], match["kind"], match["faulty"])
        elif "FAULT(" in text:
            sys.exit(f"{path}:{number}: not a marker, which is alone on its line: // FAULT(name, kind): faulty text")
        elif marker:
            comment = COMMENT.match(text)
            if comment and not marker.code:
                marker.faulty = f"{marker.faulty} {comment['text']}".rstrip()
                continue
            if not text.strip():
                marker.fail("no code in the line below it")
            part = re.sub(r"\s*//.*$", "", text)
            if not marker.code:
                marker.line = number
            marker.code = f"{marker.code} {part.lstrip()}" if marker.code else part
            marker.last = number
            if goes_on(marker.code):
                continue
            yield marker
            marker = None
    if marker:
        marker.fail("no code in the line below it")


def closing(text, start):
    """Index of the bracket that closes the one at start, or -1."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] in OPEN) - (text[i] in CLOSE)
        if depth == 0:
            return i
    return -1


def split_guards(text):
    """Split leading 'label:', 'if (...)', 'else', 'for (...)' from a statement."""
    at = 0
    label = LABEL.match(text)
    if label:
        at = label.end()
    while True:
        word = re.match(r"(if|for)\s*\(|else\b\s*", text[at:])
        if not word:
            return text[:at], text[at:]
        if word[1]:
            end = closing(text, at + word.end() - 1)
            if end < 0:
                return text[:at], text[at:]
            at = end + 1
        else:
            at += word.end()
        at += len(text[at:]) - len(text[at:].lstrip())


def split_assignment(text):
    """Split 'left = right;' at its operator.  Returns (left, operator, right) or None."""
    depth = 0
    for i, char in enumerate(text):
        depth += (char in OPEN) - (char in CLOSE)
        if depth == 0:
            match = re.match(r"<=|=(?!=)", text[i:])
            if match and text[i - 1] not in "=!<>":
                return text[:i], match[0], text[i + len(match[0]):].strip().removesuffix(";")
    return None


def switch(marker, number):
    """The line of code with the fault built in."""
    code = marker.code
    indent = code[:len(code) - len(code.lstrip())]
    body = code.strip()
    selected = f"karat_fault_pkg::on[{number}]"

    if marker.faulty.endswith(";"):  # A whole statement
        label = LABEL.match(body)
        head = label[0] if label else ""
        if not body.endswith(";") or body.startswith("assign "):
            marker.fail("a faulty statement can only replace a procedural statement of one line")
        return f"{indent}{head}{UNCOUNTED}if ({selected}) begin {marker.faulty} end else begin {body[len(head):]} end{COUNTED}"

    condition = re.match(r"((?:end )?(?:else )?if )\(", body)
    if condition and (body.endswith("begin") or closing(body, condition.end() - 1) == len(body) - 1):
        end = closing(body, condition.end() - 1)
        good = body[condition.end():end]
        return f"{indent}{condition[1]}(({selected}) ? ({marker.faulty}) : ({good})){body[end + 1:]}"

    port = re.match(r"(\.\w+\s*)\((.*)\)(,?)$", body)
    if port:
        return f"{indent}{port[1]}(({selected}) ? ({marker.faulty}) : ({port[2]})){port[3]}"

    # Two statements rather than 'selected ? bad : good', which would make a signed expression unsigned where the other
    # one is.
    if not body.endswith(";"):
        marker.fail("this kind of line cannot be switched")
    if body.startswith("assign "):
        parts = split_assignment(body.removeprefix("assign "))
        if not parts:
            marker.fail("no assignment found")
        left, _, right = parts
        return f"{indent}{UNCOUNTED}always_comb if ({selected}) {left}= {marker.faulty}; else {left}= {right};{COUNTED}"
    guards, statement = split_guards(body)
    if statement.startswith("return "):
        good = statement.removeprefix("return ").removesuffix(";")
        return f"{indent}{guards}begin {UNCOUNTED}if ({selected}) return {marker.faulty}; else return {good};{COUNTED} end"
    parts = split_assignment(statement)
    if not parts:
        marker.fail("no assignment found")
    left, operator, right = parts
    return (f"{indent}{guards}begin {UNCOUNTED}if ({selected}) {left}{operator} {marker.faulty}; "
            f"else {left}{operator} {right};{COUNTED} end")


def package_text(markers, top):
    names = "\n".join(f'      {i}: return "{m.name}";' for i, m in enumerate(markers, 1))
    return f"""// Generated by scripts/faults.py.
{UNCOUNTED}
package karat_fault_pkg;
  localparam int unsigned NumFault = {len(markers)};
  bit [NumFault:1] on = '0;

  function automatic string name(int unsigned fault);
    case (fault)
{names}
      default: return "";
    endcase
  endfunction
endpackage

module karat_fault_select;
  string given;

  function automatic bit has(string list, string name);
    for (int i = 0; i + name.len() < list.len(); i++)
      if (list.substr(i, i + name.len() + 1) == {{",", name, ","}}) return 1'b1;
    return 1'b0;
  endfunction

  initial begin  // +fault=NAME[,NAME...]
    if ($value$plusargs("fault=%s", given) != 0) begin
      for (int unsigned i = 1; i <= karat_fault_pkg::NumFault; i++)
        if (has({{",", given, ","}}, karat_fault_pkg::name(i))) karat_fault_pkg::on[i] = 1'b1;
    end
  end
endmodule

bind {top} karat_fault_select u_fault_select ();
"""


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def header_text(markers):
    rows = "\n".join(f"    {{{quote(m.name)}, {quote(m.kind)}, {quote(m.path.name)}, {m.line}, {quote(m.faulty)}}},"
                     for m in markers)
    return f"""/* Generated by scripts/faults.py: the faults that can be switched on in this core. */
#ifndef KARAT_FAULTS_H
#define KARAT_FAULTS_H

typedef struct karat_fault {{
    const char *name, *kind, *file;
    int line;
    const char *faulty;
}} karat_fault;

static const karat_fault karat_faults[] = {{
{rows}
}};

#endif
"""


def write_if_changed(path, text):
    """Leave files alone that are right, so that nothing is rebuilt for nothing."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def generate(files, markers, out, top):
    out.mkdir(parents=True, exist_ok=True)
    number = {id(m): i for i, m in enumerate(markers, 1)}
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        for m in markers:
            if m.path == path:
                lines[m.line - 1 : m.last] = [switch(m, number[id(m)])] + [""] * (m.last - m.line)
        # Messages name the source, not the copy.
        write_if_changed(out / path.name, f'`line 1 "{path}" 0\n' + "\n".join(lines) + "\n")
    write_if_changed(out / "karat_fault_pkg.sv", package_text(markers, top))
    write_if_changed(out / "karat_faults.h", header_text(markers))


def main():
    parser = argparse.ArgumentParser(description="List fault markers, or build them into copies of the sources.")
    parser.add_argument("--list", action="store_true", help="print every marker")
    parser.add_argument("--out", type=pathlib.Path, help="folder for the faulty copies")
    parser.add_argument("--top", default="ingot", help="module that gets the fault selector")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()

    markers = [m for path in args.files for m in find_markers(path)]
    seen = {}
    for m in markers:
        if m.name in seen:
            m.fail(f"the name is taken by {seen[m.name].path}:{seen[m.name].line}")
        seen[m.name] = m
    if args.list:
        for m in markers:
            print(f"{m.name:26} {m.path.name + ':' + str(m.line):28} {m.kind:12} {m.faulty}")
    if args.out:
        generate(args.files, markers, args.out, args.top)
    if not args.list and not args.out:
        parser.error("nothing to do: --list or --out DIR")
    return 0


if __name__ == "__main__":
    sys.exit(main())
