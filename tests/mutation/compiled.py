"""Whether a compiler makes the same code of a mutant as of the original: then no run can distinguish the two ("trivial compiler
equivalence"). Slow, and so asked only of what has lived through the tests.
"""
import json
import pathlib
import re
import shlex
import subprocess
import tempfile

COMPILERS = (("gcc", "-O2"), ("gcc", "-O3"), ("clang", "-O2"))


def flags_of(entry):
    """The options in an entry of compile_commands.json that change its file's meaning."""
    return [w for w in shlex.split(entry["command"]) if re.match(r"-(I|D|std=|isystem)", w)] + ["-w"]


def mutated(text, mutant):
    """The text with that mutant; no line moves, for assertions say theirs."""
    start, end, new = (mutant[k] for k in ("start", "end", "new"))
    new = "" if new is None else f"({new})"
    return text[:start] + new + "\n" * max(0, text.count("\n", start, end) - new.count("\n")) + text[end:]


class Compiled:
    def __init__(self, source, commands):
        self.source, self.flags, self.originals, self.includes = source, {}, {}, {}
        for entry in json.loads(commands.read_text(encoding="utf-8")):
            path = pathlib.Path(entry["directory"], entry["file"]).resolve()
            if path.is_relative_to(source) and path.suffix == ".c":
                self.flags.setdefault(path, flags_of(entry) + ["-UNDEBUG"]) # With the assertions, as the tests run it

    def units_with(self, path):
        """The files that a change of that one changes."""
        if path.suffix == ".c":
            return [path]
        for unit, flags in self.flags.items():
            if unit not in self.includes and unit.relative_to(self.source).parts[0] in ("golden", "dpi"):
                made = subprocess.run(["gcc", *flags, "-MM", str(unit)], capture_output=True, text=True, check=True)
                self.includes[unit] = {pathlib.Path(w).resolve() for w in made.stdout.replace("\\\n", " ").split()[1:]}
        return [unit for unit, included in self.includes.items() if path in included]

    def compile(self, compiler, unit, path, text):
        """The object file of a unit in which that file, itself or a header, has that text; None where it is an error."""
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder, path.name)
            copy.write_text(text, encoding="utf-8")
            out = pathlib.Path(folder, "out.o")
            # A header comes first, and its guard leaves it out where the unit includes it.
            what = ["-include", str(copy), str(unit)] if path != unit else [str(copy)]
            command = [*compiler, *self.flags[unit], "-g0", "-iquote", str(path.parent), "-c", "-o", str(out), *what]
            made = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            return out.read_bytes() if made.returncode == 0 else None

    def proves(self, mutant):
        """The compiler to which that mutant is the original; None: no one."""
        path = self.source / mutant["file"]
        text = path.read_text(encoding="utf-8")
        for compiler in COMPILERS:
            for unit in self.units_with(path):
                key = compiler, unit, path
                if key not in self.originals:
                    self.originals[key] = self.compile(compiler, unit, path, text)
                original = self.originals[key]
                if original is None or self.compile(compiler, unit, path, mutated(text, mutant)) != original:
                    break
            else:
                return " ".join(compiler)
        return None
