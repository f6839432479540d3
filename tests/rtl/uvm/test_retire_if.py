#!/usr/bin/python3
"""The monitor of karat_retire_if: its records pass, a wrong one is found, and a class that extends it sees all of them."""
import argparse
import pathlib
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("bench", "source", "clang", "lld"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    vectors = pathlib.Path(args.source) / "vectors"
    text = (pathlib.Path(args.source) / "examples" / "project" / "sum.S").read_text()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        # The core that is played takes xori for addi.
        for instruction, status, wanted in (("addi", 0, ("karat: PASS core=played program=sum warps=1 instructions=4 x=3 ", " exit=1 ")),
                                            ("xori", 1, ("karat: MISMATCH: wrong value written", "core 0000002a  model 00000024",
                                                         "xori x6, x5, 35"))):
            source, elf = pathlib.Path(folder) / "sum.S", pathlib.Path(folder) / "sum.elf"
            source.write_text(text.replace("addi t1, t0, 35", f"{instruction} t1, t0, 35"))
            subprocess.run([args.clang, "-target", "riscv32", "-march=rv32im", "-mno-relax", "-I", vectors, "-c", source, "-o", f"{elf}.o"],
                           check=True)
            subprocess.run([args.lld, "-T", vectors / "karat.ld", f"{elf}.o", "-o", elf], check=True)
            done = subprocess.run([args.bench, f"+kernel={elf}"], capture_output=True, text=True)
            if done.returncode != status or any(part not in done.stdout for part in wanted):
                failures += 1
                print(f"{instruction}: status {done.returncode}, expected {status} and {wanted}:\n{done.stdout}{done.stderr}")
            if "scoreboard: 4 instructions, 3 writes, the last of 00000028\n" not in done.stdout:
                failures += 1
                print(f"{instruction}: the scoreboard has not seen all records:\n{done.stdout}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
