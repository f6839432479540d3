#!/usr/bin/python3
"""The example in examples/cocotb: the stub core under cocotb, on each simulator that is installed, with records from Python and, where the
simulator has DPI-C, from the probe in SystemVerilog. It passes, and its fault is found."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--python", required=True, help="interpreter that has cocotb")
    for name in ("clang", "lld"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    example = args.source / "examples" / "cocotb"
    if shutil.which("verilator"):  # The core is there and whole, with cocotb or without
        files = [args.source / "dpi" / "port" / "gen" / "karat_port_pkg.sv", example / "stub.sv", example / "stub_probe.sv"]
        lint = subprocess.run(["verilator", "--lint-only", "-Wno-fatal", "--top-module", "stub", *files], capture_output=True, text=True, check=False)
        if lint.returncode:
            print(f"the core of the example:\n{lint.stderr}")
            return 1
    # Before 2.0 its versions run on Debian's Verilator.
    found = subprocess.run([args.python, "-c", "import cocotb; print(cocotb.__version__)"], capture_output=True, text=True, check=False)
    if found.returncode:
        print(f"skipped: {args.python} has no cocotb (docs/simulators.md; -DKARAT_COCOTB_PYTHON=... names an interpreter that has)")
        return 77
    old = found.stdout.startswith("1.")
    ways = [("icarus",)] if shutil.which("iverilog") else []
    if shutil.which("verilator") and old:
        ways += [("verilator", "--dpi")]
    if not ways:
        print(f"skipped: no simulator for cocotb {found.stdout.strip()}: Icarus Verilog, or before cocotb 2.0 Verilator")
        return 77
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder, vectors = pathlib.Path(name), args.source / "vectors"
        subprocess.run([args.clang, "-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax", "-I", vectors, "-c",
                        args.source / "examples" / "project" / "sum.S", "-o", folder / "sum.o"], check=True)
        subprocess.run([args.lld, "-T", vectors / "karat.ld", folder / "sum.o", "-o", folder / "sum.elf"], check=True)
        for sim, *more in ways:
            for fault, status, texts in (([], 0, ["karat: PASS core=stub program=sum warps=1 instructions=4 x=3 "]),
                                         (["+fault=sum"], 1, ["karat: MISMATCH", "addi x6, x5, 35", "core 0000002b"])):
                done = subprocess.run([args.python, "-B", example / "run.py", "--sim", sim, *more,
                                       "--build", folder / sim, folder / "sum.elf", *fault], capture_output=True, text=True, check=False)
                good = done.returncode == status and all(text in done.stdout for text in texts)
                failures += not good
                print(sim, *more, *fault, "as expected" if good else f"status {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"cocotb {found.stdout.strip()}")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
