#!/usr/bin/python3
"""Mutants of a core: small changes of its sources, drawn from a seed, all switchable in one build.

Of each statement on its own (an assignment, a return, a condition of an if, what an input port gets) one change at most:

    operator   a + b as a - b, && as ||, == as !=, < as <=, << as >>, ! left out, ...
    constant   a bit of a number, an enumeration's name as another of its names
    condition  of an if or ?: negated, always or never true, one of its terms left out
    index      a bit, an element or a slice beside the right one

Left out is what is fixed when the core is built (parameters, widths, types, loop bounds, conditions of generate,
functions of which parameters are made), clocks and resets, statements with a string (options of a simulation), and
assertions.  A file's share goes by the square root of its number of statements, and each kind has the same share of it.
faults.py builds them in, as it does with markers: the mutants of a seed are m001, m002, ...

Usage: mutants.py --list FILE...                  name, place, kind, statement and change of each
       mutants.py --out DIR --top MODULE FILE...  write the mutable copies of all FILEs, and mutants.json, into DIR
"""
import argparse
import collections
import json
import pathlib
import random
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "testbench"))

import faults  # noqa: E402
import mutable  # noqa: E402

KINDS = ("operator", "constant", "condition", "index")
TOKEN = re.compile(r"""
    (?P<cast>[\w$]+'(?=\())
  | (?P<number>\d*'[sS]?[bdhoBDHO][0-9a-fA-F_]+ | '[01](?!\w) | \d+)
  | (?P<name>[A-Za-z_$][\w$]*)
  | (?P<op>'\{ | <<< | >>> | <= | >= | == | != | && | \|\| | << | >> | \+\+ | -- | \+: | -: | :: | [-+*/%&|^~!<>=?:;,.(){}\[\]@\#'])
  | (?P<space>\s+)""", re.X)
SWAPS = {**mutable.SWAPS, "&&": "||", "||": "&&", "!": ""}
# A statement does not begin with one of these.
NO_STATEMENT = re.compile(r"(import|export|localparam|parameter|typedef|genvar|logic|int|bit|string|end(?! else if \()\w*|function|initial|"
                          r"always\w*|unique case|case|default: ;|assert|Assert\w+|bind|for\s*\(.*\)\s*begin)\b|`|\$")

Token = collections.namedtuple("Token", "kind text start end")
Statement = collections.namedtuple("Statement", "line last text in_else before_else")


class Mutant(faults.Marker):
    """A marker that a seed has put there.  last: the last line of the statement."""

    def __init__(self, path, statement, code, kind, faulty, after):
        super().__init__(path, statement.line, code, "", kind, faulty)
        self.last, self.before, self.after = statement.last, statement.text, after

    def row(self):
        return {"name": self.name, "file": self.path.name, "line": self.line, "kind": self.kind, "before": self.before,
                "after": self.after}


def tokens_of(text):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            return None
        if match.lastgroup != "space":
            found.append(Token(match.lastgroup, match[0], at, match.end()))
        at = match.end()
    return found


def without_comments(text):
    """The same text with comments and what is in strings blank, lines as they were."""
    def blank(match):
        text = re.sub(r"[^\n]", " ", match[0])
        return f'"{text[2:]}"' if match[0][0] == '"' else text

    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\n])*"', blank, text, flags=re.S)


def enumerations(text):
    """Each name of an enumeration with all the names of it."""
    names = {}
    for body in re.findall(r"typedef\s+enum\b[^{]*\{(.*?)\}", text, re.S):
        group = [re.match(r"\s*(\w+)", part)[1] for part in body.split(",")]
        names.update({name: group for name in group})
    return names


def functions_of(text):
    """Each function's name, and the lines from its header to its end: (name, first, last, text)."""
    for match in re.finditer(r"\bfunction\b[^;(]*?(\w+)\s*\(.*?\bendfunction\b", text, re.S):
        yield match[1], text.count("\n", 0, match.start()) + 1, text.count("\n", 0, match.end()) + 1, match[0]


def functions_of_parameters(texts):
    """Names of the functions that parameters are made of: Verilator calls them while it builds, where no switch can be read."""
    called = lambda text: set(re.findall(r"\b(\w+)\s*\(", text))  # noqa: E731
    bodies = {name: body for text in texts for name, _, _, body in functions_of(text)}
    left = {name for text in texts for parameter in re.findall(r"\b(?:localparam|parameter)\b[^;]*", text) for name in called(parameter)}
    found = set()
    while left := {name for name in left if name in bodies} - found:
        found |= left
        left = set().union(*(called(bodies[name]) for name in left))
    return found


def depth_of(text):
    return sum((c in faults.OPEN) - (c in faults.CLOSE) for c in text)


def statements_of(lines):
    """The statements that can be mutated, in order: statements with their labels and conditions, and the ports of instances."""
    found = []
    at = 0
    ports = False  # Inside an instance's list of ports

    def whole(at, done):
        """Lines from at to the first with which the text is done: the text, and the last one's index."""
        text = lines[at].strip()
        while not done(text) and at + 1 < len(lines):
            at += 1
            text = f"{text} {lines[at].strip()}".strip()
        return text, at

    def closed(end):
        return lambda text: depth_of(text) == 0 and text.endswith(end)

    while at < len(lines):
        body = lines[at].strip()
        if re.match(r"(module|package)\b", body):
            at = whole(at, closed(";"))[1]
        elif re.match(r"(typedef|localparam|parameter|import|function|(assert|cover)\b)", body):
            at = whole(at, closed(";"))[1]
        elif re.match(r"ingot\w+\s+(#|u_)", body):
            ports = True
        elif ports:
            port = re.match(r"\.[a-z]\w*_i\s*\((.*)\),?$", body)
            if port and depth_of(body) == 0:
                found.append(Statement(at + 1, at + 1, body, False, False))
            ports = body != ");"
        elif body and not NO_STATEMENT.match(body) and re.match(r"(end )?(else )?if \(", body):
            start = at
            text, at = whole(at, lambda text: depth_of(text) == 0 and re.search(r"(;|\bbegin( : \w+)?)$", text))
            if not re.search(r"begin : \w+$", text):  # Otherwise it is a condition of generate
                found.append(Statement(start + 1, at + 1, text, text.startswith(("end ", "else ")), False))
        elif body and not NO_STATEMENT.match(body) and not body.endswith(("begin", ":")):
            start = at
            text, at = whole(at, closed(";"))
            found.append(Statement(start + 1, at + 1, text, text.startswith("else "), False))
        at += 1
    for i, statement in enumerate(found):
        following = next((line.strip() for line in lines[statement.last:] if line.strip()), "")
        found[i] = statement._replace(before_else=following.startswith("else"))
    return found


def changeable(text, built):
    """The statements of a file without those of the functions that parameters are made of."""
    left_out = [range(first, last + 1) for name, first, last, _ in functions_of(text) if name in built]
    return [s for s in statements_of(text.splitlines()) if not any(s.line in lines for lines in left_out)]


def enclosing(tokens, at):
    """The nearest bracket that is open at a token: its index, or -1."""
    depth = 0
    for i in range(at - 1, -1, -1):
        last = tokens[i].text[-1]
        depth += (last in faults.CLOSE) - (last in faults.OPEN)
        if depth < 0:
            return i
    return -1


def closing_token(tokens, at):
    depth = 0
    for i in range(at, len(tokens)):
        last = tokens[i].text[-1]
        depth += (last in faults.OPEN) - (last in faults.CLOSE)
        if depth == 0:
            return i
    return len(tokens)


def fixed(tokens, at):
    """Whether a token is part of what is fixed when the core is built: bounds of a slice, a replication's count."""
    while (opener := enclosing(tokens, at)) >= 0:
        end = closing_token(tokens, opener)
        inner = [t.text for t in tokens[opener:end]]
        if tokens[opener].text == "[" and any(mark in inner for mark in (":", "+:", "-:")):
            return True
        if tokens[opener].text == "{" and "{" in inner[1:]:
            nested = 1 + inner[1:].index("{")
            if at < opener + nested and "," not in inner[1:nested]:
                return True
        at = opener
    return False


def binary(tokens, at):
    """Whether the operator at that place has an operand to its left."""
    return at > 0 and (tokens[at - 1].kind in ("number", "name") or tokens[at - 1].text in (")", "]", "}")) \
        and tokens[at - 1].text not in ("return", "inside")


def operator_changes(tokens):
    for i, token in enumerate(tokens):
        if token.kind != "op" or token.text not in SWAPS or fixed(tokens, i):
            continue
        if token.text in "!~" or token.text in "&|" or binary(tokens, i):
            yield token.start, token.end, SWAPS[token.text]


def flipped(rng, text):
    """A number with one bit changed; None where its width is not known and not free."""
    if text in ("'0", "'1"):
        return "'1" if text == "'0" else "'0"
    match = re.fullmatch(r"(\d*)'([sS]?)([bdhoBDHO])(\w+)", text)
    if not match:
        return str(int(text) + 1)
    base = {"b": 2, "o": 8, "d": 10, "h": 16}[match[3].lower()]
    value = int(match[4].replace("_", ""), base)
    value ^= 1 << rng.randrange(min(int(match[1] or 32), max(1, value.bit_length() + 1)))
    return f"{match[1]}'{match[2]}{match[3]}" + {2: f"{value:b}", 8: f"{value:o}", 10: str(value), 16: f"{value:x}"}[base]


def constant_changes(rng, tokens, names):
    for i, token in enumerate(tokens):
        inside_index = (opener := enclosing(tokens, i)) >= 0 and tokens[opener].text == "["
        if token.text in names:
            others = [name for name in names[token.text] if name != token.text]
            if others and tokens[i - 1].text != "." and not (i + 1 < len(tokens) and tokens[i + 1].kind == "cast"):
                yield token.start, token.end, rng.choice(others)
        elif token.kind == "number" and not inside_index and not fixed(tokens, i):
            yield token.start, token.end, flipped(rng, token.text)


def index_changes(tokens):
    for i, token in enumerate(tokens):
        if token.text != "[" or not binary(tokens, i) or fixed(tokens, i):
            continue
        end = closing_token(tokens, i)
        inner = tokens[i + 1:end]
        texts = [t.text for t in inner]
        if len(inner) == 1 and inner[0].kind == "number":
            value = int(texts[0]) if texts[0].isdecimal() else None
            if value is not None:
                yield inner[0].start, inner[0].end, str(value - 1 if value else 1)
        elif len(inner) == 3 and texts[1] == ":" and texts[0].isdecimal() and texts[2].isdecimal():
            if int(texts[2]):
                yield inner[0].start, inner[2].end, f"{int(texts[0]) - 1}:{int(texts[2]) - 1}"
        elif not any(mark in texts for mark in (":", "+:", "-:")) and inner:
            yield inner[-1].end, inner[-1].end, " ^ 1"


def terms_of(tokens, operator):
    """Spans of the operands of a chain of && or ||, where the text is one."""
    depth, parts, start = 0, [], 0
    for i, token in enumerate(tokens):
        last = token.text[-1]
        depth += (last in faults.OPEN) - (last in faults.CLOSE)
        if depth == 0 and token.text == "?":
            return []
        if depth == 0 and token.text == operator:
            parts.append(tokens[start:i])
            start = i + 1
    parts.append(tokens[start:])
    return parts if len(parts) > 1 else []


def condition_changes(rng, tokens, text):
    """Changes of a whole condition."""
    start, end = tokens[0].start, tokens[-1].end
    yield start, end, f"!({text[start:end]})"
    yield start, end, rng.choice(("1'b0", "1'b1"))
    for operator in ("||", "&&"):
        parts = terms_of(tokens, operator)
        if parts:
            drop = rng.randrange(len(parts))
            yield start, end, f" {operator} ".join(text[p[0].start:p[-1].end] for i, p in enumerate(parts) if i != drop)
            return


def changes_of(rng, text, names, is_condition):
    """All changes of an expression, by kind: (start, end, new text)."""
    tokens = tokens_of(text)
    found = {kind: [] for kind in KINDS}
    if not tokens:
        return found
    found["operator"] = list(operator_changes(tokens))
    found["constant"] = list(constant_changes(rng, tokens, names))
    found["index"] = list(index_changes(tokens))
    if is_condition:
        found["condition"] = list(condition_changes(rng, tokens, text))
    else:
        question = next((i for i, t in enumerate(tokens) if t.text == "?" and enclosing(tokens, i) < 0), 0)
        if question:
            found["condition"] = list(condition_changes(rng, tokens[:question], text))
    return found


def parts_of(statement):
    """The expressions of a statement that can be changed: (start, end, whether a condition, what is switched) -- 'part' is
    the expression alone, 'whole' the statement."""
    text = statement.text
    header = re.match(r"(?:end )?(?:else )?if \(", text)
    if header and text.endswith("begin"):
        end = faults.closing(text, header.end() - 1)
        if end > 0 and text[end + 1:].strip() == "begin":
            yield header.end(), end, True, "part"
        return
    port = re.match(r"\.\w+\s*\(", text)
    if port:
        yield port.end(), text.rindex(")"), False, "part"
        return
    body_at = len("assign ") if text.startswith("assign ") else 0
    guards, rest = ("", text[body_at:]) if body_at else faults.split_guards(text)
    at = body_at + len(guards)
    if not text.endswith(";"):
        return
    if rest.startswith("return "):
        yield at + len("return "), len(text) - 1, False, "part"
    else:
        parts = faults.split_assignment(rest)
        if not parts:
            return
        left, operator, right = parts
        start = text.index(right, at + len(left) + len(operator))
        yield start, start + len(right), False, "part"
        if not body_at and not statement.in_else and not statement.before_else and re.match(r"[\w.]+\[", left):
            yield at, at + len(left), False, "whole"
    label = faults.LABEL.match(text)
    condition = re.match(r"if \(", text[label.end() if label else 0:])
    if condition and not body_at and not statement.in_else and not statement.before_else:
        start = (label.end() if label else 0) + condition.end()
        yield start, faults.closing(text, start - 1), True, "whole"


def mutants_of(rng, path, statement, names):
    """Every change of a statement, by kind."""
    found = {kind: [] for kind in KINDS}
    if any(word in statement.text for word in ("rst_ni", "clk_i", '"')):
        return found  # A reset, a clock; or with a string, which is for who simulates it
    text = statement.text
    for first, last, is_condition, how in parts_of(statement):
        expression = text[first:last]
        for kind, changes in changes_of(rng, expression, names, is_condition).items():
            for start, end, new in changes:
                if how == "whole" and not is_condition and kind != "index":
                    continue  # In an assignment's target the index alone is mutated
                changed = expression[:start] + new + expression[end:]
                after = text[:first] + changed + text[last:]
                label = faults.LABEL.match(text)
                faulty = after[label.end() if label and how == "whole" else 0:] if how == "whole" else changed.strip()
                found[kind].append(Mutant(path, statement, text, kind, faulty, after))
    return found


def shares(weights, total):
    """The total in parts as the weights are, each at least 1."""
    whole = sum(weights)
    exact = [total * w / whole for w in weights]
    parts = [max(1, int(e)) for e in exact]
    order = sorted(range(len(weights)), key=lambda i: (int(exact[i]) - exact[i], i))
    for i in order * 2:
        if sum(parts) >= total:
            break
        parts[i] += 1
    return parts


def draw(files, seed, count, without=()):
    """The mutants of a seed, in files of other names than those."""
    texts = {path: without_comments(path.read_text(encoding="utf-8")) for path in files}
    names = {}
    for text in texts.values():
        names.update(enumerations(text))
    built = functions_of_parameters(texts.values())
    sites = {}
    files = [path for path in files if path.name not in without]
    for path in files:
        ordinals = collections.Counter()
        sites[path] = []
        for statement in changeable(texts[path], built):
            # Each statement has numbers of its own: what changes elsewhere in the file does not change its mutants.
            rng = random.Random(f"{seed} {path.name} {statement.text} {ordinals[statement.text]}")
            options = mutants_of(rng, path, statement, names)
            ordinals[statement.text] += 1
            if any(options.values()):
                sites[path].append((rng.random(), options, rng))
    files = [path for path in files if sites[path]]
    chosen = []
    for path, share in zip(files, shares([len(sites[path]) ** 0.5 for path in files], count)):
        left = sorted(sites[path], key=lambda site: site[0])
        first = random.Random(f"{seed} {path.name}").randrange(len(KINDS))
        for i in range(first, first + share):
            for kind in (KINDS * 2)[i % len(KINDS):][:len(KINDS)]:
                at = next((k for k, site in enumerate(left) if site[1][kind]), None)
                if at is not None:
                    _, options, rng = left.pop(at)
                    chosen.append(rng.choice(options[kind]))
                    break
    order = {path: i for i, path in enumerate(files)}
    chosen.sort(key=lambda m: (order[m.path], m.line))
    for i, mutant in enumerate(chosen, 1):
        mutant.name = f"m{i:03}"
    return chosen


def main():
    parser = argparse.ArgumentParser(description="Draw mutants of a core from a seed, and build them into copies of the sources.")
    parser.add_argument("--list", action="store_true", help="print every mutant")
    parser.add_argument("--out", type=pathlib.Path, help="folder for the copies and mutants.json")
    parser.add_argument("--top", default="ingot", help="module that gets the selector")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=240, help="how many (240)")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="no mutants in files of that name")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    if not args.list and not args.out:
        parser.error("nothing to do: --list or --out DIR")
    chosen = draw(args.files, args.seed, args.count, args.without)
    if args.list:
        for m in chosen:
            print(f"{m.name} {m.path.name}:{m.line} {m.kind}\n    {m.before}\n    {m.after}")
    if args.out:
        faults.generate(args.files, chosen, args.out, args.top)
        faults.write_if_changed(args.out / "mutants.json", json.dumps({"seed": args.seed, "mutants": [m.row() for m in chosen]}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
