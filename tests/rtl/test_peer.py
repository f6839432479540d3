#!/usr/bin/python3
"""peer_check and +go-on: what GVM's rules find and what they do not, on faults of which that is known.

The faults are chosen by the rules (docs/proving.md): a result of a listed instruction is found; what memory, masks, branches
inside a divergence, synchronisation or unlisted instructions get wrong is not, nor what a tolerance or a NaN hides.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import peer_table

# Faults that GVM's rules find, with the words of the first error; and faults that they do not, with the reason.
FOUND = {
    "sra_logical": "v4 lane 1",  # A listed vector result
    "csrrc_inverts": "x6 =",  # A CSR, where it is read
    "blt_unsigned": "pc;",  # A scalar branch to the wrong place
    "rec7_entry": "v10 lane 4",  # vfrec7, by more than the tolerance
}
MISSED = {
    "join_ignores_rpc": "what JOIN makes of the mask is not compared, and each path has the same results",
    "lds_store_twice": "memory is not compared",
    "div_rem_sign": "rem is not listed",
    "round_ties_up": "a tolerance of 1e-3 hides it",
    "min_keeps_nan": "a NaN is never an error",
    "answer_lost": "a result that never comes is no error",
    "done_never": "nor is a core that does not end",
}
CLEAN = ["vecadd", "simt_nested", "fp_arith", "fp_convert", "atomics", "barrier_lds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    peer_table.add_arguments(parser)
    args = parser.parse_args()
    problems = []
    faults = peer_table.marker_faults(args, [*FOUND, *MISSED])
    rows, left_out = peer_table.compare(args, faults)
    problems += left_out
    by_name = {row["name"]: row for row in rows}
    for name in [*FOUND, *MISSED]:
        row = by_name.get(name)
        if not row:
            problems.append(f"{name}: no such row")
            continue
        print(f"{name:20} Karat: {row['karat_kind']:32} GVM: {row['gvm_first'] or 'nothing found'}")
        if not peer_table.found_by_karat(row):
            problems.append(f"{name}: Karat says {row['karat']}")
        if row["gvm"] != (name in FOUND):
            problems.append(f"{name}: GVM's rules {'find it' if row['gvm'] else 'find nothing'}")
        elif row["gvm"] and FOUND[name] not in row["gvm_first"]:
            problems.append(f"{name}: GVM's first error is '{row['gvm_first']}', expected '{FOUND[name]}'")
    for program in CLEAN:
        data, match = peer_table.judge(args, peer_table.Run(args.core, str(args.vectors / f"{program}.elf"), []), 2_000_000)
        print(f"{program:20} {data['verdict']}, {match[0]}")
        if data["verdict"] != "PASS" or match[1] == "FOUND" or not int(match[2]):
            problems.append(f"{program} without a fault: {data['verdict']}, {match[0]}")

    def expect(what, command, status, words):
        done = subprocess.run(command, capture_output=True, text=True)
        said = done.stdout + done.stderr
        if done.returncode != status or any(word not in said for word in words):
            problems.append(f"{what}: status {done.returncode}, expected {status} and {words}: {said.strip()}")
        return said

    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "run.ktr"
        run = [args.core, f"+kernel={args.vectors / 'alu_int.elf'}", "+quiet", f"+record={trace}", "+fault=sra_logical"]
        # A run that goes on has the verdict of one that stops, and records more.
        stops = expect("a run that stops", run, 1, ["MISMATCH (wrong value written)"])
        short = trace.stat().st_size
        goes_on = expect("a run that goes on", [*run, "+go-on", "+max-cycles=200000"], 1, ["MISMATCH (wrong value written)"])
        if stops.split(" cycles=")[0] != goes_on.split(" cycles=")[0]:
            problems.append(f"+go-on changes the verdict:\n{stops}{goes_on}")
        if trace.stat().st_size <= short:
            problems.append("+go-on does not record more")
        expect("one line", [args.peer, trace], 0, ["gvm: FOUND"])
        trace.write_bytes(trace.read_bytes()[:-1])
        expect("a recording that was cut off", [args.peer, trace], 0, ["gvm: FOUND"])
        trace.write_bytes(b"KARATTR")
        expect("no recording", [args.peer, trace], 2, ["peer_check: "])
        expect("+go-on without a limit", [*run, "+go-on"], 2, ["+go-on requires +max-cycles=N"])
        expect("+go-on with a value", [*run, "+go-on=1", "+max-cycles=9"], 2, ["bad argument '+go-on=1': expected +go-on alone"])
    for problem in problems:
        print(f"test_peer: {problem}", file=sys.stderr)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
