#!/usr/bin/python3
"""The ctypes side of the C headers: structures, constants and functions, in the order of the headers. tests/python compares sizes, offsets and
values with what the C compiler makes of the headers.

Usage: gen_abi.py > _abi.py           structures, constants and functions
       gen_abi.py --headers LIBRARY   the library's headers, for CMake"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PUBLIC = ROOT / "golden" / "include" / "karat"
# The headers of each library. libkarat has all public ones of which no other library has the functions.
LIBRARIES = {
    "karat_check": [PUBLIC / "lines.h", *(ROOT / path for path in (
        "dpi/port/retire.h", "dpi/check/check.h", "dpi/check/core_desc.h", "dpi/trace/meta.h", "dpi/trace/trace.h", "vectors/cov/cov.h"))],
    "karat_sv": [ROOT / "testbench/sv/karat_sv.h"],
}
LIBRARIES = {"karat": sorted(set(PUBLIC.glob("*.h")) - {PUBLIC / "lines.h"}), **LIBRARIES}

SCALARS = {
    "bool": "c_bool", "char": "c_char", "int": "c_int", "unsigned": "c_uint", "size_t": "c_size_t", "float": "c_float",
    "unsigned char": "c_ubyte", "unsigned int": "c_uint", "unsigned long": "c_ulonglong",
    **{f"{u}int{bits}_t": f"c_{u}int{bits}" for u in ("u", "") for bits in (8, 16, 32, 64)},
}
UNSIGNED = ("char", "int", "long")  # "unsigned long long" is as "unsigned long" here
TOKEN = re.compile(r"[A-Za-z_]\w*|0[xX][0-9a-fA-F]+[uUlL]*|\d+[uUlL]*|\.\.\.|<<|>>|\"[^\"]*\"|\S")


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def numbers(text):
    """#define NAME EXPRESSION, of numbers and names."""
    for name, value in re.findall(r"^#define (KARAT_\w+)[ \t]+([^\n\\]+)$", text, flags=re.M):
        if not re.search(r"[\"#]|\w\(|\b[a-z]\w*\b", re.sub(r"(\d)[uUlL]+\b", r"\1", value)):
            yield name, value


def expression(tokens):
    """The same in Python."""
    return " ".join(re.sub(r"(?<=[0-9a-fA-F])[uUlL]+$", "", token) if token[0].isdigit() else "//" if token == "/" else token for token in tokens)


class Headers:
    def __init__(self):
        self.constants, self.structures, self.functions = [], [], {}
        self.library, self.read = "", set()
        self.enums, self.known = set(), set()

    def c_type(self, base, stars, const, returned=False):
        """The ctypes name of a base type with so many stars."""
        if base == "void" and stars:
            return "c_void_p" if stars == 1 else f"{'POINTER(' * (stars - 1)}c_void_p{')' * (stars - 1)}"
        if base == "void":
            return "None"
        if base == "char" and stars:
            inner = "c_char_p" if const or not returned else "c_void_p"  # Not const: the caller frees it
            return "POINTER(" * (stars - 1) + inner + ")" * (stars - 1)
        if base in self.enums:
            base = "c_int"
        elif base in SCALARS:
            base = SCALARS[base]
        elif base not in self.known:
            return "c_void_p"  # A handle, a record, a function or a FILE
        return "POINTER(" * stars + base + ")" * stars

    def declarators(self, tokens, returned):
        """(name, ctypes name) of a declaration of fields or of one parameter."""
        function = "".join(tokens).find("(*")
        if function >= 0:
            return [(tokens[tokens.index("*", tokens.index("(")) + 1], "c_void_p")]
        words = [t for t in tokens if t not in ("struct", "enum", "static", "extern")]
        const = "const" in words
        words = [t for t in words if t != "const"]
        base, rest, result = words[0], words[1:], []
        if base == "unsigned" and rest and rest[0] in UNSIGNED:
            base = f"unsigned {rest[0]}"
            rest = [t for t in rest if t not in UNSIGNED]
        part, depth = [], 0
        for token in [*rest, ","]:
            depth += (token == "[") - (token == "]")
            if token != "," or depth:
                part.append(token)
                continue
            stars = part.count("*")
            names = [t for t in part if re.match(r"[A-Za-z_]", t)]
            kind = self.c_type(base, stars, const, returned)
            opening = [i for i, t in enumerate(part) if t == "["]
            for i in reversed(opening):  # The last dimension is the innermost
                kind = f"({kind})" if "*" in kind else kind
                kind += f" * ({expression(part[i + 1:part.index(']', i)])})"
            result.append((names[0] if names else "", kind))
            part = []
        return result

    def enum(self, body):
        value, last = "0", None
        item = []
        for token in [*body, ","]:
            if token != ",":
                item.append(token)
                continue
            if item:
                if len(item) > 1:
                    value = expression(item[2:])
                elif last:
                    value = f"{last} + 1"
                last = item[0]
                self.constants.append((last, value))
            item = []

    def structure(self, name, body):
        fields, item, depth = [], [], 0
        for token in body:
            depth += (token == "{") - (token == "}")
            if token == ";" and not depth:
                fields += self.declarators(item, True)
                item = []
            else:
                item.append(token)
        self.structures.append((name, fields))
        self.known.add(name)

    def function(self, tokens):
        at = tokens.index("(")
        name = tokens[at - 1]
        kind = self.declarators(tokens[:at], True)[0][1]
        arguments, item, depth = [], [], 0
        for token in [*tokens[at + 1:-1], ","]:
            depth += (token in "([") - (token in ")]")
            if token == "," and not depth:
                if item not in ([], ["void"]):
                    argument = self.declarators(item, False)[0][1]
                    array = re.fullmatch(r"(.*) \* \(.*\)", argument)  # An array is passed as a pointer
                    arguments.append(f"POINTER({array[1]})" if array and array[1] != "c_char" else "c_char_p" if array else argument)
                item = []
            else:
                item.append(token)
        self.functions.setdefault(self.library, []).append((name, kind, arguments))

    def statement(self, tokens):
        if tokens[0] == "static":
            return
        if "{" in tokens:
            opening = tokens.index("{")
            closing = len(tokens) - 1 - tokens[::-1].index("}")
            body, name = tokens[opening + 1:closing], tokens[-1]
            if "enum" in tokens[:opening]:
                if name != "}":
                    self.enums.add(name)
                self.enum(body)
            else:
                self.structure(name, body)
        elif tokens[0] == "typedef":
            pass  # A handle, or the type of a function: passed as an address
        elif "(" in tokens:
            self.function(tokens)

    def listed(self, text):
        """The enumerations that are made of a list, as KARAT_LAUNCH_OPTIONS(X): its definition, and the macro that names an item."""
        lists = dict(re.findall(r"^#define (KARAT_\w+S)\(X\b[^)]*\)((?:.*\\\n)+.*)", text, flags=re.M))
        form = re.compile(r"typedef enum (\w+) \{\s*#define \w+\([^)]*\) (\w+?)##.*?(KARAT_\w+)\(.*?#undef \w+(.*?)\} \1;", flags=re.S)
        for enum, prefix, name, more in form.findall(text):
            items = [prefix + item for item in re.findall(r"^ +X\((?:with, )?(\w+),", lists[name], flags=re.M)]
            self.enum(TOKEN.findall(", ".join([*items, more])))
            self.enums.add(enum)
        return form.sub("", text)

    def header(self, path):
        """Read a header of the library after those of the same library that it includes."""
        if path in self.read:
            return
        self.read.add(path)
        text = without_comments(path.read_text(encoding="utf-8"))
        for name in re.findall(r"#include \"(?:karat/)?(\w+\.h)\"", text):
            for other in LIBRARIES[self.library]:
                if other.name == name:
                    self.header(other)
        self.constants += [(name, expression(TOKEN.findall(value))) for name, value in numbers(text)]
        text = self.listed(text)
        text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", " ", text, flags=re.M).replace('extern "C" {', "")
        item, depth = [], 0
        for token in TOKEN.findall(text):
            depth += (token == "{") - (token == "}")
            if token == ";" and not depth:
                if item:
                    self.statement(item)
                item = []
            elif depth >= 0:
                item.append(token)
            else:
                depth = 0  # The end of extern "C"

    def values(self):
        """Every constant's number: a header may use a name before it is defined."""
        known, left = {}, list(self.constants)
        while left:
            before = len(left)
            for name, value in list(left):
                if all(word in known for word in re.findall(r"\b[A-Za-z_]\w*", re.sub(r"0[xX]\w+", "0", value))):
                    known[name] = eval(value, {}, known)  # pylint: disable=eval-used
                    left.remove((name, value))
            if len(left) == before:
                raise SystemExit(f"gen_abi.py: no numbers: {left}")
        return {name: known[name] for name, _ in self.constants}

    def text(self):
        lines = ['"""Generated by gen_abi.py from the C headers: edit those, not this."""', "# pylint: skip-file", "from ctypes import *", ""]
        lines += [f"{name} = {value}" for name, value in self.values().items()]
        for name, fields in self.structures:
            lines += ["", "", f"class {name}(Structure):", "    _fields_ = ["]
            lines += [f'        ("{field}", {kind}),' for field, kind in fields]
            lines += ["    ]"]
        lines += ["", "", "# of a library: name: (result, arguments)", "FUNCTIONS: dict = {"]
        for library, functions in self.functions.items():
            lines += [f'    "{library}": {{']
            lines += [f'        "{name}": ({kind}, [{", ".join(arguments)}]),' for name, kind, arguments in functions]
            lines += ["    },"]
        return "\n".join([*lines, "}", ""])


def text():
    headers = Headers()
    for headers.library, paths in LIBRARIES.items():
        for path in paths:
            headers.header(path)
    return headers.text()


def main():
    if sys.argv[1:2] == ["--headers"]:
        print(";".join(map(str, LIBRARIES[sys.argv[2]])), end="")
    else:
        print(text(), end="")


if __name__ == "__main__":
    main()
