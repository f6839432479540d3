#!/usr/bin/python3
"""Which folder may include which, which folders there are, and how long functions and files may be.

    cli -> testbench -> { dpi/debug, dpi/trace } -> dpi/check -> { dpi/mcm, dpi/port }
    cli, and cli/driver -> cli/session -> cli/common; cli -> cli/logs -> cli/session; dpi/timeline -> dpi/trace
    golden knows nobody; dpi/mcm knows libc alone; the rest of dpi knows golden; vectors know golden; testbench knows dpi; cli knows all

Sources in C, C++ and SystemVerilog have at most 110 columns. A row NAME(...) of a .def file, which is read across as a line of a table, has at
most 150, as have Python, CMake, scripts (by their first line), assembler and templates. A template NAME.in or NAME.j2 has the comments of NAME.
Each comment stands alone: it begins with a capital, a number or the name of something in code, not with a word of OPENERS, and it ends.

Headers that are not in PUBLIC are private: only their folder, and tests, include them. C functions of SHORT have 80 lines at most, its
files 700. Of dpi/check only memory/ includes headers of the memory model, dpi/mcm, and calls it. The folders at the top are those of TOP; each
says what it uses and what uses it in its README.md or at the head of its CMakeLists.txt, and the README.md of GROUPS names each folder below.
A folder that is not there yet has no files and breaks no rule of includes.

Usage: test_layout.py {includes|sizes|model|folders|comments} DIR | test_layout.py self-test
"""
import io
import pathlib
import re
import sys
import tempfile
import tokenize

# Folders, and whose headers they may include besides their own. Other folders include any public header.
DPI = ("dpi/mcm", "dpi/port", "dpi/check", "dpi/trace", "dpi/timeline", "dpi/debug")
CLI = ("cli/common", "cli/session", "cli/logs")  # Libraries of subcommands
ARROWS = {
    "golden": (),
    "golden/files": ("golden",),
    "dpi/mcm": (),
    "dpi/port": ("golden",),
    "dpi/check": ("dpi/mcm", "dpi/port", "golden"),
    "dpi/trace": ("dpi/check", "dpi/port", "golden", "golden/files"),
    "dpi/timeline": ("dpi/trace", "dpi/check", "dpi/port", "golden", "golden/files"),
    "dpi/debug": ("dpi/check", "dpi/port", "golden", "golden/files"),
    "vectors": ("golden", "golden/files"),
    "testbench": (*DPI, "golden", "golden/files", "vectors", "rtl-wrap"),
    "rtl-wrap": (*DPI, "golden", "testbench"),
    "cli/common": ("golden", "golden/files"),
    "cli/session": (*DPI, "golden", "golden/files", "testbench", "cli/common"),
    "cli/logs": (*DPI, "golden", "golden/files", "cli/common", "cli/session"),
    "cli/driver": (*DPI, "golden", "golden/files", "testbench", "cli/common", "cli/session"),
    "cli": (*DPI, *CLI, "golden", "golden/files", "vectors", "testbench"),
}
TOP = ("cli", "cmake", "docs", "dpi", "examples", "golden", "python", "rtl-wrap", "scripts", "testbench", "tests", "vectors")
GROUPS = ("cli", "dpi", "dpi/check", "golden", "rtl-wrap")  # Folders of folders
PUBLIC = {
    "golden": r"(include/karat|inline)/\w+\.h",  # inline/: not installed, for all folders
    "dpi/mcm": r"mcm\.h",
    "dpi/check": r"(check|core_desc|state/scalars|report/warp_places)\.h",
}
LIBC = set("assert ctype dirent dlfcn elf errno fcntl float fnmatch inttypes limits math pthread setjmp signal stdalign stdarg stdatomic "
           "stdbool stddef "
           "stdint stdio stdlib string strings sys/mman sys/resource sys/stat sys/types sys/wait time unistd".split())
# Headers of libraries besides libc; a folder that has no entry, and no arrows, may include any.
LIBRARIES = {
    "golden/files": set(),
    "golden": {"dwarf", "elfutils/libdw", "gelf",  # load/lines.c, a library of its own
               "immintrin", "cpuid"},  # fp/lanes_block.h and core/level.c: the compiler's
    "dpi/mcm": set(),
    "dpi/port": {"xxhash"},  # page_hash.c: the hashes of REGION records
    "dpi/check": {"jansson", "xxhash"},
}
MODEL_CALLERS = r"dpi/check/memory/\w+\.[ch]"
SHORT = ("dpi/check", "dpi/mcm")
MAX_FUNCTION, MAX_FILE = 80, 700
MAX_COLUMNS, MAX_ROW = 110, 150
ROW = re.compile(r"\s*[A-Z_]+\(")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\[^\'\n]+|[^\'\\\n])\'|/\*.*?\*/|//[^\n]*(?:\n[ \t]*//[^\n]*)*', re.DOTALL)
LOWER = re.compile(r"(?!(?:clang-format|verilator|noqa|pylint|namespace|shellcheck)\b|\w+ [xv]\d|\w+ ?[=/*+-] )"  # For tools; formulas
                   r"[a-z][a-z\'-]*(?=[\s,;?!)]|\.(?!\w)|$)")  # A word; what has digits, dots, brackets or underscores is a name in code
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".cc", ".def"}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
OPENERS = re.compile(r"(The same|What|And|Or|Nor)\b")  # They carry on a sentence, or begin one that needs a second reading
CARRIED_ON = re.compile(r"(?!.*\bFAULT\().*[,;:]$", re.DOTALL)  # A FAULT has code
HASHED = {".py", ".cmake", ".sh"}  # With # before a comment
LAID_OUT = SUFFIXES | {".sv", ".svh", ".v", ".inc"}
SLASHED = LAID_OUT | {".S"}
ROOTS = ("golden", "dpi", "testbench", "cli", "vectors", "tests", "rtl-wrap", "scripts")


def files_of(root):
    return {str(p.relative_to(root)): p for top in ROOTS for p in sorted((root / top).rglob("*")) if p.suffix in SUFFIXES and p.is_file()}


def sources_of(root):
    """The files whose text is held."""
    return {str(p.relative_to(root)): p for top in TOP for p in sorted((root / top).rglob("*")) if p.is_file() and suffix_of(p) in HASHED | SLASHED}


def suffix_of(path):
    """The suffix of a file's language: without that of a template; of a script without a suffix by its first line."""
    name = pathlib.PurePath(re.sub(r"\.(in|j2)$", "", path.name))
    if name.suffix or name.name == "CMakeLists":
        return ".cmake" if name.name == "CMakeLists.txt" else name.suffix
    with path.open("rb") as file:
        first = file.readline(100)
    return "" if not first.startswith(b"#!") else ".py" if b"python" in first else ".sh"


def area_of(name):
    """The folder that a rule is about, or the top folder."""
    return next((a for a in sorted(ARROWS, key=len, reverse=True) if name.startswith(a + "/")), name.split("/")[0])


def is_private(name):
    area = area_of(name)
    return name.endswith((".h", ".hpp")) and area in PUBLIC and not re.fullmatch(PUBLIC[area], name[len(area) + 1:])


def meant(by, text, files):
    """The files that an include in quotes can mean: its neighbour, else one of its own folder, else all whose path ends so."""
    parts = []
    for part in (*by.split("/")[:-1], *text.split("/")):
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    if "/".join(parts) in files:
        return ["/".join(parts)]
    found = [f for f in files if f.endswith("/" + text.removeprefix("./"))]
    return [f for f in found if area_of(f) == area_of(by)] or found


def include_problems(root):
    files = files_of(root)
    for name, path in files.items():
        area = area_of(name)
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            include = INCLUDE.match(line)
            if not include:
                continue
            kind, text = include.groups()
            where = f"{name}:{number}: {area} includes {text}"
            if kind == "<":
                library = text.removesuffix(".h")
                if area in LIBRARIES and library not in LIBC | LIBRARIES[area]:
                    yield f"{where}: neither libc nor a library of that folder"
                continue
            found = meant(name, text, files)
            if not found and area in LIBRARIES:
                yield f"{where}: there is no such file"
            for target in found[:1] if len({area_of(f) for f in found}) == 1 else found:
                other = area_of(target)
                if other == area:
                    continue
                if area in ARROWS and other not in ARROWS[area]:
                    yield f"{where}: {other} is not below it"
                elif area != "tests" and is_private(target):
                    yield f"{where}: a private header of {other}"


def functions(lines):
    """(first line, name, number of lines) of each function of a file that clang-format has laid out: its brace is in column 1."""
    first = None
    for number, line in enumerate(lines, 1):
        if first is None:
            head = re.match(r"[A-Za-z_].*", line) and not re.match(r"(typedef|enum|struct \w+ \{|union \w+ \{|extern|#)", line)
            if head and "(" in line and not line.rstrip().endswith((";", "}")) and "= {" not in line:
                first = number, re.search(r"(\w+)\(", line)
        elif line.startswith("}"):
            if first[1]:
                yield first[0], first[1].group(1), number - first[0] + 1
            first = None
        elif line.rstrip().endswith(";") and not line.startswith((" ", "\t")):
            first = None


def size_problems(root):
    for name, path in files_of(root).items():
        if area_of(name) not in SHORT:
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        if len(lines) > MAX_FILE:
            yield f"{name}: {len(lines)} lines, {MAX_FILE} are allowed"
        for number, function, length in functions(lines):
            if length > MAX_FUNCTION:
                yield f"{name}:{number}: {function}() has {length} lines, {MAX_FUNCTION} are allowed"


def model_problems(root):
    files = files_of(root)
    for name, path in files.items():
        if area_of(name) != "dpi/check" or re.fullmatch(MODEL_CALLERS, name):
            continue
        text = path.read_text(encoding="utf-8")
        code = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
        for number, line in enumerate(code.splitlines(), 1):
            include = INCLUDE.match(line)
            if include and any(area_of(f) == "dpi/mcm" for f in meant(name, include[2], files)):
                yield f"{name}:{number}: includes {include[2]} of dpi/mcm; {MODEL_CALLERS} alone may"
            for call in re.findall(r"\b(mcm_\w+)\s*\(", line):
                yield f"{name}:{number}: calls {call}(); {MODEL_CALLERS} alone may"


def comments_of(path, text):
    """(line, words) of each comment; lines of // or # that follow one another are one."""
    suffix = suffix_of(path)
    if suffix in SLASHED:
        if path.suffix != suffix:
            text = re.sub(r"\{[{%].*?[%}]\}", lambda tag: "X" + "\n" * tag[0].count("\n"), text, flags=re.DOTALL)
        for found in COMMENT.finditer(text):
            if re.match(r"/\*|// |//$", found[0], re.M):  # Without a space it is a line of a template
                yield text.count("\n", 0, found.start()) + 1, found[0].strip("/*< \t\n")
        return
    if suffix == ".py":
        marks = [(t.start, t.string) for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    else:
        marks = [((number, found.start(1)), found[1]) for number, line in enumerate(text.splitlines(), 1)
                 for found in [re.match(r"""(?:[^"'#]|"(?:\\.|[^"\\])*"|'[^']*'|\S#)*?(?<!\S)(#(?![\[!]).*)""", line)] if found]
    lines, alone, block = text.splitlines(), 0, None
    for (number, column), words in marks:
        goes_on, is_alone = alone == number - 1, not lines[number - 1][:column].strip()
        alone = number if is_alone else 0
        if block and goes_on and is_alone:
            block[1] += "\n" + words
            continue
        if block:
            yield block[0], block[1].strip("# \t\n")
        block = [number, words]
    if block:
        yield block[0], block[1].strip("# \t\n")


def comment_problems(root):
    for name, path in sources_of(root).items():
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            row = path.suffix == ".def" and ROW.match(line)
            allowed = MAX_COLUMNS if path.suffix in LAID_OUT and not row else MAX_ROW
            if len(line) > allowed:
                yield f"{name}:{number}: {len(line)} columns, {allowed} are allowed"
        for number, words in comments_of(path, text):
            if LOWER.match(words) or OPENERS.match(words):
                yield f"{name}:{number}: the comment '{words[:30]}' begins in lower case, or does not stand alone"
            elif CARRIED_ON.match(words):
                yield f"{name}:{number}: the comment '{words[-30:]}' does not end"


def folder_problems(root):
    """A folder of the tree has a README.md or a CMakeLists.txt: folders that a user has made beside them are none of them."""
    texts = {}
    for folder in sorted(p for p in root.iterdir() if p.is_dir()):
        heads = [folder / name for name in ("README.md", "CMakeLists.txt") if (folder / name).is_file()]
        if heads and folder.name not in TOP:
            yield f"{folder.name}: this folder is not one of the top level: {', '.join(TOP)}"
        elif heads:
            texts[folder.name] = ["\n".join(h.read_text(encoding="utf-8").splitlines()[:12]) for h in heads]
    for name in TOP:
        if name not in texts:
            yield f"{name}: neither README.md nor CMakeLists.txt there"
        elif not any(re.search(r"^(# )?Uses: .+\n(# )?Used by: .+", text, re.M) for text in texts[name]):
            yield f"{name}: no lines 'Uses: ...' and 'Used by: ...' at the head of its README.md or CMakeLists.txt"
    for name in GROUPS:
        readme = root / name / "README.md"
        text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
        for below in sorted(p.name for p in (root / name).iterdir() if p.is_dir() and p.name != "__pycache__"):
            if f"`{below}/`" not in text:
                yield f"{name}/README.md: does not name `{below}/`"


CHECKS = {"includes": include_problems, "sizes": size_problems, "model": model_problems, "comments": comment_problems, "folders": folder_problems}

# --- The rules find what breaks them ---

GOOD = {
    "golden/include/karat/karat.h": "#include <stdint.h>\n",
    "golden/core/core.h": '#include "karat/karat.h"\n',
    "golden/core/step.c": '#include "core.h"\n#include <string.h>\n',
    "dpi/port/port.h": '#include "karat/karat.h"\n',
    "dpi/check/check.h": '#include "port.h"\n',
    "dpi/check/state/state.h": '#include "check.h"\n',
    "dpi/debug/debugger.h": '#include "check.h"\n',
    "dpi/check/check.c": '#include "state.h"\n#include <jansson.h>\n',
    "golden/files/staged_file.h": "#include <stdio.h>\n",
    "vectors/cov/cov.c": '#include "staged_file.h"\n#include "karat/karat.h"\n',
    "cli/common/cli.h": '#include "staged_file.h"\n',
    "cli/session/run.h": '#include "cli.h"\n#include "check.h"\n',
    "cli/subcommands.h": '#include "cli.h"\n',
    "cli/driver/driver.c": '#include "run.h"\n',
    "cli/debug/debug.c": '#include "cli.h"\n#include "debugger.h"\n',
    "testbench/common/session.cpp": '#include "debugger.h"\n#include "check.h"\n#include <vector>\n',
    "tests/dpi/judge.c": '#include "state.h"\n#include "core.h"\n',
}
MCM = {"dpi/mcm/mcm.h": "#include <stdint.h>\n", "dpi/mcm/log.h": '#include "mcm.h"\n', "dpi/mcm/log.c": '#include "log.h"\n'}
BAD_INCLUDES = {
    "dpi/check/up.c": '#include "session.hpp"\n',
    "golden/core/up.c": '#include "check.h"\n',
    "golden/files/up.c": '#include "check.h"\n',
    "golden/core/out.c": '#include "staged_file.h"\n',
    "dpi/port/debug.c": '#include "debugger.h"\n',
    "vectors/gen/up.c": '#include "check.h"\n',
    "dpi/debug/up.c": '#include "cli.h"\n',
    "testbench/common/up.c": '#include "cli.h"\n',
    "golden/core/library.c": "#include <jansson.h>\n",
    "dpi/mcm/model.c": '#include "karat/karat.h"\n',
    "dpi/mcm/checker.c": '#include "check.h"\n',
    "dpi/mcm/library.c": "#include <xxhash.h>\n",
    "dpi/port/up.c": '#include "../check/check.h"\n',
    "cli/common/up.c": '#include "run.h"\n',
    "cli/session/up.c": '#include "subcommands.h"\n',
    "cli/driver/up.c": '#include "subcommands.h"\n',
    "cli/check.c": '  #  include "state.h"\n',
    "testbench/common/core.cpp": '#include "../../golden/core/core.h"\n',
    "dpi/check/log.c": '#include "log.h"\n',
    "dpi/check/gone.c": '#include "gone.h"\n',
}


def body(lines):
    return "static int f(int a) {\n" + "    a++;\n" * (lines - 2) + "}\n"


GOOD_SIZES = {"dpi/check/a.c": body(80), "dpi/mcm/b.c": "\n" * 700, "golden/core/c.c": body(900),
              "dpi/check/table.c": "static const int t[] = {\n" + "    1,\n" * 90 + "};\n"}
BAD_SIZES = {
    "dpi/check/long.c": body(81),
    "dpi/mcm/wrapped.c": "static int f(int a,\n             int b) {\n" + "    a++;\n" * 79 + "}\n",
    "dpi/mcm/file.h": "\n" * 701,
}
GOOD_MODEL = {**MCM, "dpi/check/memory/shared_races.c": '#include "mcm.h"\nbool f(void) {\n    return mcm_raced(m);\n}\n',
              "dpi/check/state/slot.h": "/* As mcm_step() has it,\n * and mcm_end(). */\nmcm_event event;\n"}
BAD_MODEL = {
    "dpi/check/records/early.c": "void f(void) {\n    g(), mcm_released (m, 1);\n}\n",
    "dpi/check/state/flight.h": '#include "mcm.h"\n',
    "dpi/check/order.c": '#include "../mcm/log.h"\n',
}
GOOD_COMMENTS = {
    "dpi/check/a.c": "/* A text.\n * over lines. */\nint a; /* x5 is it. */\n// Text that\n// goes on.\nconst char *s = \"/* no comment\";\n"
                     + "//" + "X" * 108 + "\n/* mcm_step() has it. */\n/* 1: one */\n",
    "golden/isa/b.def": "ROW(" + "x" * 130 + ")\n",
    "rtl-wrap/b.sv": "assign a = '0;  // Nothing: b'\nassign c = b'(0);\n/* verilator lint_off WIDTH */\n",
    "scripts/a.py": "# " + "X" * 140 + "\nimport a  # noqa: E402\n",
    "cmake/a.cmake": "# Why it\n# goes on.\nset(a \"# b\")  # Of it\n",
    "cmake/b.pc.in": "# lower case\n",
    "rtl-wrap/b.sv.in": "//for it in all of them\n  x x();  // Why\n//end\n",
    "rtl-wrap/c.sv": "// FAULT(a, b): if (c) d = 1;\nassign d = 0;\n",
    "scripts/b": "#!/bin/sh\n# Why: it\necho '# no' \"${x#y}\" $#  # Of it\n" + "x" * 150 + "\n",
    "scripts/c": "// no script\n# no script\n",
    "vectors/a.S": "#define A 1  // Of it\n" + "x" * 150 + "\n"}
BAD_COMMENTS = {
    "dpi/mcm/small.c": "int a; /* of the warp */\n",
    "dpi/mcm/line.c": "\n// goes on\n",
    "dpi/mcm/more.c": "/* wrong.\n * It is. */\n",
    "tests/dpi/same.c": "/* The same once more. */\n",
    "tests/dpi/wide.h": "/* A" + "x" * 110 + " */\n",
    "golden/isa/wide.def": "ROW(" + "x" * 150 + ")\n",
    "dpi/port/gen/words.h": "/* Generated by c.py. */\n/* small */\n",
    "rtl-wrap/small.sv": "assign a = '0;  // no value\n",
    "scripts/small.py": "\n# Why it\n# goes on.\na = '# b'  # of it\n",
    "cmake/wide.cmake": "x" * 151 + "\n",
    "cmake/small.cmake.in": "set(a b)  # of it\n",
    "scripts/python": "#!/usr/bin/python3\na = \"# b\"  # of it\n",
    "scripts/shell": "#!/bin/sh\necho $# # of it\n",
    "scripts/b.hpp.j2": "int a; // {{ b }}\nint c; // of it\n",
    "vectors/small.S": "addi x1, x0, 1  // of it\n",
    "vectors/wide.S": "x" * 151 + "\n",
    "tests/dpi/what.c": "int a; /* What it is */\n",
    "tests/dpi/and.c": "int a; /* And so on */\n",
    "tests/dpi/more.h": "int a; /* Bytes of it; */\nint b; /* Of that, words */\n",
    "tests/dpi/list.py": "# Why it\n# goes on:\na = 1\n",
}
HEAD = "# {}\n# Uses: nothing\n# Used by: all\n"
GOOD_FOLDERS = {**{f"{name}/CMakeLists.txt": HEAD.format(name) for name in TOP}, "testbench/common/session.hpp": "", "build/CMakeCache.txt": "",
                **{f"{name}/README.md": "`a/` `mcm/` `check/`" for name in GROUPS}, **{f"{name}/a/a.c": "" for name in GROUPS}}
BAD_FOLDERS = {
    "common/CMakeLists.txt": HEAD.format("common"),
    "golden/CMakeLists.txt": "# golden\n",
    "cli/README.md": "No folder.",
    "dpi/check/b/b.c": "",
}


def problems_of(check, tree):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**tree, "testbench/common/session.hpp": ""}.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(CHECKS[check](pathlib.Path(folder)))


def self_test():
    wrong = []
    for check, goods, bads in (("includes", (GOOD, {**GOOD, **MCM}), BAD_INCLUDES), ("sizes", ({}, GOOD_SIZES), BAD_SIZES),
                               ("model", (GOOD, GOOD_MODEL), BAD_MODEL),
                               ("comments", ({}, GOOD_COMMENTS), BAD_COMMENTS),
                               ("folders", (GOOD_FOLDERS,), BAD_FOLDERS)):
        for good in goods:
            wrong += [f"{check}: refused: {p}" for p in problems_of(check, good)]
        for name, text in bads.items():
            found = problems_of(check, {**goods[-1], name: text})
            folder = name.rsplit("/", 1)[0] if check == "folders" else name
            if len(found) != 1 or not found[0].startswith(folder.removesuffix("/b")):
                wrong.append(f"{check}: {name} alone is wrong, found: {found}")
    return wrong


def main():
    if sys.argv[1:] == ["self-test"]:
        found = self_test()
    elif len(sys.argv) == 3 and sys.argv[1] in CHECKS:
        if not files_of(pathlib.Path(sys.argv[2])):
            sys.exit(f"test_layout: {sys.argv[2]} has no sources")
        found = list(CHECKS[sys.argv[1]](pathlib.Path(sys.argv[2])))
    else:
        sys.exit(__doc__)
    for problem in found:
        print(f"test_layout: {problem}", file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
