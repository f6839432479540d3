#!/usr/bin/python3
"""cmake --install into empty folders: every file is of one component and names neither the source tree nor the build tree; the library shows the
functions of its headers and no others; a program and a core (examples/project) are built against the installed files alone and run."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

COMPONENTS = ("library", "driver", "headers", "karat", "harness", "port", "dpi", "adapters", "vectors", "python", "examples", "docs")


class Test:
    def __init__(self, args, folder):
        self.args, self.folder, self.failures = args, folder, 0

    def check(self, good, *what):
        if not good:
            self.failures += 1
            print("FAILED:", *what)

    def run(self, *command, status=0, **options):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=self.folder, **options)
        self.check(done.returncode == status, f"status {done.returncode}:", " ".join(map(str, command)), "\n" + done.stdout + done.stderr)
        return done.stdout + done.stderr

    def install(self, root, *components):
        for component in components or [None]:
            self.run(self.args.cmake, "--install", self.args.build, "--prefix", root / "usr", *(["--component", component] if component else []))
        return {path.relative_to(root) for path in root.rglob("*") if not path.is_dir()}

    def stub(self):
        """The stub core of the guide."""
        text = (self.args.source / "docs" / "adapter.md").read_text()
        return re.search(r"^```systemverilog\n(module stub\b.*?^endmodule\n)```", text, re.M | re.S)[1]

    def project(self, text, root):
        """Configures a project; its folder and what was printed."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(self.folder / "root" / EXAMPLES / "project", folder, dirs_exist_ok=True)
        if text:
            (folder / "CMakeLists.txt").write_text(text)
        else:
            # A warning of Verilator, which stops nothing.
            (folder / "stub.sv").write_text(self.stub().replace("  wire issue", "  wire [3:0] untidy = pc_o;\n  wire issue"))
            if (root / NEW_ADAPTER).exists():
                self.run(root / NEW_ADAPTER, "stub", "--out", folder / "adapter")
        options = [f"-DCMAKE_C_COMPILER={self.args.cc}", f"-DCMAKE_CXX_COMPILER={self.args.cxx}", f"-DCMAKE_PREFIX_PATH={root / 'usr'}"]
        if self.args.launcher:
            options += [f"-DCMAKE_{language}_COMPILER_LAUNCHER={self.args.launcher}" for language in ("C", "CXX")]
        done = subprocess.run([self.args.cmake, "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *options],
                              capture_output=True, text=True)
        return folder, done.returncode, done.stdout + done.stderr


def test_components(t, root):
    everything = t.install(root)
    seen = {}
    for component in COMPONENTS:
        for file in t.install(t.folder / component, component):
            t.check(file not in seen, f"{file} is of {component} and of {seen.get(file)}")
            seen[file] = component
        t.check(component in seen.values(), f"component {component} is empty")
    t.check(set(seen) == everything, "no component has", sorted(map(str, everything ^ set(seen))))
    for file in everything:
        for tree in (t.args.source, t.args.build):
            t.check(str(tree).encode() not in (root / file).read_bytes(), f"{file} names {tree}")


def test_library(t, root):
    library = root / "usr" / "lib" / "libkarat.so"
    include = root / "usr" / "include"
    headers = sorted(p for p in (include / "karat").glob("*.h") if p.name != "lines.h")
    api = re.search(r"KARAT_API_VERSION (\d+)", (include / "karat" / "model.h").read_text())[1]
    t.api = api
    t.check(f"Library soname: [libkarat.so.{api}]" in t.run("readelf", "-d", library), "the soname is not of API", api)
    # The compiler lists what the headers declare.
    (t.folder / "all.c").write_text("".join(f"#include <karat/{p.name}>\n" for p in headers))
    t.run(t.args.cc, "-fsyntax-only", "-aux-info", t.folder / "declared", "-I", include, t.folder / "all.c")
    declared = {found[1] for line in (t.folder / "declared").read_text().splitlines()
                if f"{include}/karat/" in line and (found := re.search(r"\b(\w+) \(", line.partition("*/")[2]))}
    shown = {line.split()[2].partition("@")[0] for line in t.run("nm", "-D", "--defined-only", library).splitlines() if line.split()[1] != "A"}
    t.check(len(declared) > 50 and declared == shown, "declared or shown alone:", sorted(declared ^ shown))
    # Of pkg-config, and the same versions everywhere.
    environment = {**os.environ, "PKG_CONFIG_PATH": str(root / "usr" / "lib" / "pkgconfig"), "LD_LIBRARY_PATH": str(library.parent)}
    flags = t.run("pkg-config", "--cflags", "--libs", "karat", env=environment).split()
    version = t.run("pkg-config", "--modversion", "karat", env=environment).strip()
    t.run(t.args.cc, "-std=c11", root / EXAMPLES / "project" / "model.c", "-o", t.folder / "model", *flags)
    t.check(t.run(root / "usr" / "bin" / "karat", "--version").split()[1] == version, "karat --version is not that of pkg-config,", version)
    t.check(t.run(t.folder / "model", t.folder / "sum.elf", env=environment) == SUM, "the program of pkg-config")
    # As docs/install.md has it for a prefix of one's own: an rpath, and no LD_LIBRARY_PATH
    plain = {key: value for key, value in environment.items() if key != "LD_LIBRARY_PATH"}
    libdir = t.run("pkg-config", "--variable=libdir", "karat", env=plain).strip()
    t.run(t.args.cc, "-std=c11", root / "usr" / "share" / "karat" / "examples" / "project" / "model.c", "-o", t.folder / "model-rpath", *flags,
          f"-Wl,-rpath,{libdir}")
    t.check(t.run(t.folder / "model-rpath", t.folder / "sum.elf", env=plain) == SUM, "the program with an rpath")
    # The driver's library, and a host that is built against it.
    flags = t.run("pkg-config", "--cflags", "--libs", "karat-driver", env=plain).split()
    t.run(t.args.cc, "-std=c11", root / EXAMPLES / "driver" / "host.c", "-o", t.folder / "host", *flags, f"-Wl,-rpath,{libdir}")
    t.check("expected an ELF file with the kernel saxpy" in t.run(t.folder / "host", status=2, env=plain), "the host of the driver")
    doctor = subprocess.run([root / "usr" / "bin" / "karat", "doctor", "python"], capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    t.check(f"{root}/usr/lib/python3/dist-packages in PYTHONPATH" in doctor.stdout, "karat doctor names the installed Python package", doctor.stdout)


def test_new_adapter(t, root):
    """The records that the skeleton leaves as comments are right, too: with all marks taken away it is free of warnings."""
    program = root / NEW_ADAPTER
    t.run(program, "stub", "--out", t.folder / "kit")
    (t.folder / "stub.sv").write_text(t.stub())
    lint = (t.args.verilator, "--lint-only", "-Wall", "--top-module", "stub", root / PORT / "karat_port_pkg.sv", t.folder / "stub.sv",
            t.folder / "kit" / "stub_probe.sv", t.folder / "kit" / "stub_bind.sv")
    probe = t.folder / "kit" / "stub_probe.sv"
    t.run(*lint)
    t.check(len(re.findall(r"^ *//: ", probe.read_text(), re.M)) > 50, "the probe has no records in comments")
    probe.write_text(re.sub(r"^( *)//: ", r"\1", probe.read_text(), flags=re.M))
    t.run(*lint)
    names = set(re.findall(r"import \"DPI-C\" function void karat_port_(\w+)", (root / PORT / "karat_port_pkg.sv").read_text()))
    bench = set(re.findall(r"^  // (\w+) \(from the bench\)", (root / PORT / "karat_port_pkg.sv").read_text(), re.M))
    called = set(re.findall(r"^    karat_port_(\w+)\(r\);", probe.read_text(), re.M))
    t.check(called == names - {name.lower() for name in bench}, "records of the skeleton:", sorted(called))
    probe.write_text(probe.read_text().replace("r.depth = ", "r.depths = "))
    t.run(*lint, status=1)
    t.check("exists already" in t.run(program, "stub", "--out", t.folder / "kit", status=2), "a folder is written over")
    t.check("is no name" in t.run(program, "9stub", status=2), "a bad name")


NEW_ADAPTER = pathlib.Path("usr/share/karat/scripts/new_adapter")
EXAMPLES = pathlib.Path("usr/share/karat/examples")
PORT = pathlib.Path("usr/share/karat/dpi/port/gen")
SUM = "0x80000000 x5=7\n0x80000004 x6=42\n0x80000008 x5=40\n"
LIBRARY_ALONE = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(Karat REQUIRED)
add_executable(model model.c)
target_link_libraries(model PRIVATE Karat::karat)
"""


def test_python(t, root):
    """The package finds the libraries and the command of its own installation."""
    t.check(f"[libkarat_check.so.{t.api}]" in t.run("readelf", "-d", root / "usr" / "lib" / f"libkarat_check.so.{t.api}"), "libkarat_check: soname")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(root / "usr" / "lib" / "python3" / "dist-packages"), "PYTHONDONTWRITEBYTECODE": "1"}
    code = """import sys, karat
from karat import _library
run = karat.Run(sys.argv[1], threads=4)
for step in run:
    print(*(f"0x{step.pc:08x} {w.file}{w.number}={w.value[0]}" for w in step.writes), sep="\\n", end="\\n" if step.writes else "")
print(karat.Checker().verdict.name, *(_library.find(name) for name in ("karat", "karat_check", "karat_sv")), _library.command(), file=sys.stderr)"""
    done = subprocess.run([sys.executable, "-c", code, t.folder / "sum.elf"], env=environment, capture_output=True, text=True)
    t.check(done.stdout == SUM, "the program of Python:", done.stdout, done.stderr)
    found = done.stderr.split()
    t.check(found[:1] == ["INCOMPLETE"] and len(found) == 5 and all(path.startswith(str(root)) for path in found[1:]), "found:", found)


def test_examples(t, root):
    """Every file of the tree's examples is installed. The core that cocotb drives has the port's package where run.py looks for it."""
    there = {path.relative_to(root / EXAMPLES) for path in (root / EXAMPLES).rglob("*")}
    tracked = {path.relative_to(t.args.source / "examples") for path in (t.args.source / "examples").rglob("*") if "__pycache__" not in path.parts}
    t.check(there == tracked, "examples:", sorted(map(str, there ^ tracked)))
    cocotb = root / EXAMPLES / "cocotb"
    t.run(t.args.verilator, "--lint-only", "-Wno-fatal", "--top-module", "stub", cocotb.parents[1] / "dpi" / "port" / "gen" / "karat_port_pkg.sv",
          cocotb / "stub.sv", cocotb / "stub_probe.sv")


def test_cmake(t, root):
    folder, status, text = t.project("", root)
    t.check(status == 0, "the project is not configured:", text)
    t.run(t.args.cmake, "--build", folder / "build", "-j", "2")
    for file in (folder / "build").rglob("*"):
        if file.suffix in (".ninja", ".txt", ".cmake", ".d", ".hpp", ".json", ".cpp", ".h") or os.access(file, os.X_OK) and file.is_file():
            t.check(str(t.args.source).encode() not in file.read_bytes(), f"{file.name} names the source tree")
    t.check(str(t.args.source) not in t.run("ninja", "-C", folder / "build", "-t", "deps"), "a dependency in the source tree")
    t.check(t.run(folder / "build" / "model", t.folder / "sum.elf") == SUM, "the program of find_package()")
    core = folder / "build" / "karat-stub"
    t.check("karat: PASS core=stub program=sum warps=1 instructions=4 x=3 " in t.run(core, f"+kernel={t.folder / 'sum.elf'}"), "no PASS of the core")
    text = t.run(core, f"+kernel={t.folder / 'xor.elf'}", status=1)
    t.check("xori x6, x5, 35" in text and "karat: MISMATCH" in text, "that it takes every instruction for addi is not found:", text)
    t.check("core 0000002a  model 00000024" in text, "the sum of the core:", text)
    text = t.run(root / "usr" / "bin" / "karat", "locate", "--json", f"--core={core}", f"--wave={folder}/xor.fst",
                 f"+kernel={t.folder / 'xor.elf'}")
    first = json.loads(text)["suspects"][:3]
    t.check(any(s["text"].startswith("sum_q <= ") for s in first), "the line that adds is none of the first suspects:", text)
    t.check("sum_q[31:0]" in (folder / "xor.gtkw").read_text().split("-named signals")[1], "the suspect's signals")

    alone = t.folder / "alone"
    t.install(alone, "library", "headers")
    folder, status, text = t.project(LIBRARY_ALONE, alone)
    t.check(status == 0, "the library alone is not found:", text)
    t.run(t.args.cmake, "--build", folder / "build")
    folder, status, text = t.project("", alone)
    t.check(status and "the component harness of Karat's installation" in re.sub(r"\s+", " ", text), "without the harness:", text)


def arguments(about):
    parser = argparse.ArgumentParser(description=about)
    for name in ("source", "build"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    for name in ("cmake", "cc", "cxx", "launcher", "clang", "lld", "verilator"):
        parser.add_argument(f"--{name}", required=True)
    return parser.parse_args()


def main():
    with tempfile.TemporaryDirectory() as folder:
        t = Test(arguments(__doc__), pathlib.Path(folder))
        root = t.folder / "root"
        test_components(t, root)
        vectors = root / "usr" / "share" / "karat" / "vectors"
        source = (root / EXAMPLES / "project" / "sum.S").read_text()
        for name, text in (("sum", source), ("xor", source.replace("addi t1, t0, 35", "xori t1, t0, 35"))):
            (t.folder / f"{name}.S").write_text(text)
            t.run(t.args.clang, "-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax", "-I", vectors, "-c",
                  t.folder / f"{name}.S", "-o", t.folder / f"{name}.o")
            t.run(t.args.lld, "-T", vectors / "karat.ld", t.folder / f"{name}.o", "-o", t.folder / f"{name}.elf")
        test_new_adapter(t, root)
        test_library(t, root)
        test_python(t, root)
        test_examples(t, root)
        test_cmake(t, root)
    return bool(t.failures)


if __name__ == "__main__":
    sys.exit(main())
