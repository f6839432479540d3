#!/usr/bin/python3
"""What programs from the field do that --strict calls by name, on the model and on cores: a scalar register of another path, message
passing by a plain flag, a CSR that an instruction has set wrong.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

MARCH = ["-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax"]
FENCES = ["-DPRED=rw,w", "-DSUCC=r,rw"]
# How warp 1 reads the flag, how warp 0 sets it: what races and flags say. None: nothing.
PLAIN = "synchronisation by plain accesses to byte 0x"
MESSAGES = [
    ([], None, PLAIN), (["-DVFLAG"], None, PLAIN), (["-DBFLAG"], None, PLAIN), (["-DACQA"], None, None), (["-DACQLR"], None, None),
    (["-DRELA"], None, None), (["-DRELA", "-DACQA"], None, None), (["-DRELA", "-DACQLR"], None, None), (["-DRELA", "-DBFLAG"], None, None),
    (["-DRELA", "-DVFLAG"], None, PLAIN), (["-UPRED", "-DPRED=r,r"], "a race on byte 0x", None),
    (["-USUCC", "-DSUCC=w,w"], "a race on byte 0x", None),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--karat", required=True)
    parser.add_argument("--field", required=True, type=pathlib.Path, help="folder of the programs")
    parser.add_argument("--vectors", required=True, type=pathlib.Path, help="folder of karat.inc and karat.ld")
    parser.add_argument("--clang", default="clang")
    parser.add_argument("--lld", default="ld.lld")
    parser.add_argument("cores", nargs="*", help="Verilated cores; none: on the model alone")
    args = parser.parse_args()
    if not args.field.is_dir():
        print(f"skipped: no folder of inputs from the field at {args.field}")
        return 77
    folder = tempfile.TemporaryDirectory()
    here = pathlib.Path(folder.name)
    problems = []

    def expect(what, command, status, text=""):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
        if done.returncode != status or text not in done.stdout + done.stderr:
            problems.append(f"{what}: {' '.join(map(str, command))}: status {done.returncode}, not {status}, or no '{text}':\n"
                            f"{done.stdout}{done.stderr}")

    def assemble(source, name, *flags):
        out = here / f"{name}.elf"
        subprocess.run([args.clang, *MARCH, *flags, "-I", args.vectors, "-c", args.field / source, "-o", f"{out}.o"], check=True)
        subprocess.run([args.lld, "--discard-locals", "-T", args.vectors / "karat.ld", f"{out}.o", "-o", out], check=True)
        return out

    said = ("it reads x5 = 00000007 of seq 7 0x80000024 addi x5, x0, 7, which is on another path of the divergence of seq 6 "
            "0x80000018 vbeq v1, v2, 0x80000024")
    sgpr = assemble("sgpr.S", "sgpr")
    expect("legal", [args.karat, "run", sgpr], 0)
    expect("an error by policy", [args.karat, "run", "--strict=scalars", sgpr], 4, said)
    expect("the other order", [args.karat, "run", "--strict=scalars", "--simt-order=if-first", sgpr], 0)
    clear = assemble("self_clear/clear.S", "clear")
    expect("cleared registers", [args.karat, "run", clear], 0)
    if "undefined=" in subprocess.run([args.karat, "run", clear], capture_output=True, text=True).stdout:
        problems.append("clear.S: a cleared register counts as undefined")
    trace = here / "run.ktr"
    for core in args.cores:
        expect("cleared registers on a core", [core, f"+kernel={clear}", "+strict=registers"], 0, "PASS")
        expect("legal on a core", [core, f"+kernel={sgpr}", f"+record={trace}"], 0)
        expect("an error of a recording", [args.karat, "check", "--strict=scalars", trace], 4, said)
        expect("an error of a run", [core, f"+kernel={sgpr}", "+strict=scalars"], 4, said)
        for flags, race, flag in MESSAGES:
            elf = assemble("mp.S", "mp", *FENCES, *flags)
            for seed in (1, 2, 3):
                what = f"mp {' '.join(flags)} seed {seed}"
                expect(what, [core, f"+kernel={elf}", f"+seed={seed}", f"+latency={4 * seed}:{30 * seed}", f"+record={trace}"], 0)
                expect(what, [args.karat, "check", "--strict=races", trace], 4 if race else 0, race or "")
                expect(what, [args.karat, "check", "--strict=flags", trace], 4 if flag else 0, flag or "")
        if pathlib.Path(core).name == "karat-ingot":  # That core has the fault
            blame = assemble("csrblame.S", "csrblame")
            expect("csrblame", [core, f"+kernel={blame}", "+fault=csrrc_inverts", "+go-on", "+max-cycles=3000", f"+record={trace}"], 1)
            expect("csrblame", [args.karat, "check", "--without=csr", trace], 1,
                   "cause     seq 3 or 6: the last one reads mscratch, the others may have set it since seq 3, where it was last read or written")
    for problem in problems:
        print(f"test_field_strict: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
