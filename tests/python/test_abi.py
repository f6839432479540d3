#!/usr/bin/python3
"""The ctypes side of the C headers is what the C compiler makes of them: size of each structure, offset and size of each field, value of each
constant, and the prototype of each function; and the records are those of karat_port.h."""
import argparse
import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile

from karat import _abi, records

POINTERS = (ctypes.c_char_p, ctypes.c_void_p)


def structures():
    """C name of each structure, its class, and the C names of the fields."""
    for name, kind in vars(_abi).items():
        if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and kind is not ctypes.Structure and kind.__module__ == _abi.__name__:
            yield name, kind
    for kind in records.KINDS.values():
        yield f"karat_rec_{kind.kind_name}", kind
    yield "karat_rec_header", records.Header


def constants():
    found = {name: value for name, value in vars(_abi).items() if name.startswith("KARAT_") and isinstance(value, int)}
    found.update({f"KARAT_REC_{kind.kind_name.upper()}": number for number, kind in records.KINDS.items()})
    found.update({f"KARAT_{name}": value for name, value in records.CONSTANTS.items()})
    return {**found, "KARAT_PORT_VERSION": records.VERSION, "KARAT_PORT_MAX_THREAD": records.MAX_THREAD}


def of_python():
    found = {}
    for name, kind in structures():
        found[f"sizeof {name}"] = ctypes.sizeof(kind)
        for field, *_ in kind._fields_:
            at = getattr(kind, field)
            found[f"{name}.{field}"] = (at.offset, at.size)
    found.update((name, value) for name, value in constants().items())
    return found


def of_c(headers, cc, folder, includes):
    lines = ['#include <stddef.h>', '#include <stdio.h>', *(f'#include "{header}"' for header in headers), "int main(void) {"]
    for name, kind in structures():
        lines.append(f'printf("sizeof {name} = %zu\\n", sizeof({name}));')
        for field, *_ in kind._fields_:
            lines.append(f'printf("{name}.{field} = %zu %zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
    lines += [f'printf({name} < 0 ? "{name} = %lld\\n" : "{name} = %llu\\n", (long long){name});' for name in constants()]
    (folder / "abi.c").write_text("\n".join([*lines, "}"]))
    subprocess.run([cc, *includes, "-o", folder / "abi", folder / "abi.c", "-aux-info", folder / "declared"], check=True)
    printed = subprocess.run([folder / "abi"], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in printed.splitlines():
        name, _, numbers = line.partition(" = ")
        numbers = tuple(map(int, numbers.split()))
        found[name] = numbers if len(numbers) == 2 else numbers[0]
    return found, prototypes((folder / "declared").read_text())


SIZES = {"void": 0, "char": 1, "_Bool": 1, "uint8_t": 1, "unsigned char": 1, "int32_t": 4, "uint32_t": 4, "int": 4, "unsigned int": 4, "unsigned": 4,
         "uint64_t": 8, "size_t": 8, "long long unsigned int": 8, "unsigned long long": 8}


def words(text):
    """A type of C as "pointer" or its bytes; structures and enumerations by their name."""
    text = text.strip()
    if "*" in text or "[" in text:
        return "pointer"
    text = re.sub(r"\b(const|extern|enum|struct|static)\b", "", text).strip()
    kind = getattr(_abi, text, None)
    return SIZES.get(text, ctypes.sizeof(kind) if kind else 4)  # An enumeration has 4


def prototypes(text):
    found = {}
    for line in text.splitlines():
        match = re.match(r"extern (.*?)\b(karat_\w+) \((.*)\);$", line.partition("*/ ")[2])
        if match:
            parameters, depth, part = [], 0, ""
            for letter in match[3] + ",":
                depth += (letter == "(") - (letter == ")")
                if letter == "," and not depth:
                    parameters.append(part)
                    part = ""
                else:
                    part += letter
            found[match[2]] = (words(match[1]), [] if parameters == ["void"] else [words(p) for p in parameters])
    return found


def of_ctypes(kind):
    if kind is None:
        return 0
    return "pointer" if kind in POINTERS or issubclass(kind, ctypes._Pointer) else ctypes.sizeof(kind)


def differences(python, c):
    return sorted(f"{name}: {python.get(name)} in Python, {c.get(name)} in C" for name in python.keys() | c.keys() if python.get(name) != c.get(name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    args = parser.parse_args()
    sys.path.insert(0, str(args.source / "python"))
    import gen_abi  # pylint: disable=import-error,import-outside-toplevel
    headers = [path for paths in gen_abi.LIBRARIES.values() for path in paths]
    includes = [f"-I{args.source / folder}" for folder in ("golden/include", "dpi/port", "dpi/port/gen", "dpi/check", "dpi/trace", "vectors/cov")]
    with tempfile.TemporaryDirectory() as folder:
        c, declared = of_c([*headers, "karat_port.h"], args.cc, pathlib.Path(folder), includes)
    python = of_python()
    wrong = differences(python, c)
    functions = {name: (of_ctypes(result), [of_ctypes(a) for a in arguments])
                 for library in _abi.FUNCTIONS.values() for name, (result, arguments) in library.items()}
    wrong += differences(functions, {name: declared[name] for name in functions if name in declared})
    # Everything that the headers declare is there: the compiler lists what gen_abi.py reads.
    listed = {name for name in declared if not name.startswith("karat_port_")}
    wrong += [f"{name}: declared, and not in Python" for name in sorted(listed - functions.keys())]
    print(f"{len(python)} sizes, offsets and values, {len(functions)} functions compared")
    if len(python) < 800 or len(functions) < 200:
        wrong.append("too few")
    # A field of another size is found.
    class Other(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint64 if name == "mask_before" else kind) for name, kind in _abi.karat_commit._fields_]
    original, _abi.karat_commit = _abi.karat_commit, Other
    Other.__module__ = _abi.__name__
    found = differences(of_python(), c)
    _abi.karat_commit = original
    if not any(line.startswith("karat_commit.mask_before:") for line in found):
        wrong.append("a wrong field is not noticed")
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
