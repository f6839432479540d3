#!/usr/bin/python3
"""The use of a recording when the run, the disk or the file is not whole: one line, a status, and as much of a verdict
as can be had."""
import argparse
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", required=True)
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    args = parser.parse_args()
    failed = []

    def expect(what, command, status, text, stream="stdout"):
        done = subprocess.run(command, capture_output=True, text=True)
        said = getattr(done, stream)
        if done.returncode != status or text not in said or (stream == "stderr" and len(said.splitlines()) != 1):
            failed.append(what)
            print(f"test_record: {what}: status {done.returncode}, expected {status} and '{text}'\n{done.stdout}{done.stderr}",
                  file=sys.stderr)
        else:
            print(f"{what}: {said.strip().splitlines()[-1][:110]}")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace = folder / "run.ktr"
        check = [args.karat, "check"]
        run = [args.core, f"+kernel={args.vectors / 'vecadd.elf'}"]
        expect("a run is recorded", [*run, f"+record={trace}"], 0, "karat: PASS")
        whole = trace.read_bytes()

        def broken(content):
            path = folder / "broken.ktr"
            path.write_bytes(content)
            return [*check, str(path)]

        expect("the whole file", [*check, str(trace)], 0, "karat: PASS")
        expect("its verdict line alone", [*check, "--quiet", str(trace)], 0, "karat: PASS")
        expect("the last byte is missing, BYE is there", broken(whole[:-1]), 0,
               "the trace was cut off behind the end of the run's records\nkarat: PASS")
        expect("only META is there", broken(whole[:len(whole) // 8]), 5, "INCOMPLETE (ended early)")
        expect("half a header", broken(whole[:20]), 2, "block 0: the file ends in it", "stderr")
        expect("empty", broken(b""), 2, "not a Karat recording", "stderr")
        expect("a bit is wrong", broken(whole[:-99] + bytes([whole[-99] ^ 4]) + whole[-98:]), 2, "checksum", "stderr")
        expect("another version", broken(whole[:8] + b"\4" + whole[9:]), 2, "a recording of version 4; this karat reads version 1", "stderr")
        expect("no such file", [*check, str(folder / "none")], 2, "No such file", "stderr")
        expect("no file", check, 2, "expected a recording or a log", "stderr")
        expect("two files", [*check, str(trace), str(trace)], 2, "a recording: expected no further file", "stderr")
        expect("JSON that cannot be written", [*check, "--json=/nowhere/x", "--quiet", str(trace)], 2, "/nowhere/x", "stderr")
        expect("a full disk", [*run, "+record=/dev/full"], 2, "No space left", "stderr")
        expect("no such folder", [*run, f"+record={folder}/none/x"], 2, "No such file", "stderr")

        # By another description of the core: offline, live, and what was recorded under it. Its exponentials are not exact.
        description = folder / "core.json"
        run = [args.core, f"+kernel={args.vectors / 'fp_exp.elf'}"]
        expect("a core that approximates", [*run, f"+record={trace}"], 0, " ulp=")
        description.write_text('{"core": "ingot"}')
        wrong = "karat: MISMATCH (wrong value written)"
        expect("no approximation is described", [*check, "--core", description, str(trace)], 1, wrong)
        expect("the same, live", [*run, f"+core={description}", f"+record={trace}"], 1, wrong)
        expect("the same, recorded", [*check, str(trace)], 1, wrong)
        description.write_text('{"core": "ingot", "ulp": {"vfexp.v": 2}, "deviations": {"vadd12-signed": "a test"}}')
        expect("two ulp, and a deviation", [*run, f"+core={description}", f"+record={trace}"], 0, " deviation:vadd12-signed=0 ulp=")
        expect("the same, recorded", [*check, str(trace)], 0, " deviation:vadd12-signed=0 ulp=")
        for less, status, text in (("write", 0, " ulp="), ("write,read", 0, " ulp="), ("write,mem", 0, " ulp="),
                                   ("write,read,mem", 5, "no record reports")):
            expect(f"the same without {less}", [*check, f"--without={less}", str(trace)], status, text)
        description.write_text('{"core": "ingot"}')
        for less, wrong in (("write", "wrong operand read"), ("write,read", "wrong data stored")):
            expect(f"exact without {less}", [*check, "--core", description, f"--without={less}", str(trace)], 1, wrong)
        description.write_text('{"core": "other"}')
        of_other = "HELLO is of core ingot; the description is of core other"
        expect("of another core", [*check, "--core", description, str(trace)], 2, of_other)
        expect("the same, live", [*run, f"+core={description}"], 2, of_other)
        description.write_text('{"core": "ingot",\n "cor": 1}')
        expect("no description", [*check, "--core", description, str(trace)], 2, "core.json:2: unknown key 'cor'", "stderr")

        # Records that a core does not provide, and others that depend on them.
        expect("once more", [args.core, f"+kernel={args.vectors / 'vecadd.elf'}", f"+record={trace}"], 0, " unchecked=none ")
        for less, unchecked in (("order", "mem-order"), ("seq,order", "mem-order,seq"), ("read,mem", "read,mem")):
            expect(f"without {less}", [*check, f"--without={less}", str(trace)], 0, f" unchecked={unchecked} ")
        expect("without WRITE", [*check, "--without=write", str(trace)], 0, " unchecked=write,audit ")
        # The number of each kind.
        expect("the records", [*check, "--records", str(trace)], 0, "  issue     yes                   229           229\n")
        expect("no barrier in the program", [*check, "--records", str(trace)], 0, "nothing shown: the program has none")
        expect("no READ, by HELLO", [*check, "--records", "--without=read", str(trace)], 0, "not provided: not checked")

        for less in ("order", "mem"):
            expect(f"races without {less}", [*check, "--strict=races", f"--without={less}", str(trace)], 2,
                   "--strict=races requires MEM in the order of performance", "stderr")
        expect("two ways to go on", [*check, "--continue", "--failures=3", str(trace)], 2, "--failures ends at a number of failed warps", "stderr")
        expect("JSON over the recording", [*check, "--json", str(trace), str(trace)], 2, "named as an output and for another purpose", "stderr")
        expect("the recording is as it was", [*check, str(trace)], 0, "karat: PASS")

        # A run that stopped at its mismatch, judged again by what allows that: as far as it goes.
        run = [args.core, f"+kernel={args.vectors / 'simt_nested.elf'}", "+fault=tie_if_first", f"+record={trace}"]
        description.write_text('{"core": "ingot", "ulp": {"vfexp.v": 1}, "deviations": {"simt-order": "a test"}, "simt_order": "if-first"}')
        of_ingot = folder / "ingot.json"
        of_ingot.write_text('{"core": "ingot"}')
        expect("a run that stops", run, 1, "karat: MISMATCH (wrong SIMT outcome)")
        expect("the same, recorded", [*check, str(trace)], 1, "karat: MISMATCH (wrong SIMT outcome)")
        expect("records until the verdict", [*check, "--records", str(trace)], 1, "  the verdict came first")
        expect("under the deviation", [*check, "--core", description, str(trace)], 5, "INCOMPLETE (ended early)")
        expect("the command is that of this verdict", [*check, "--core", description, "--strict=lanes,lds", str(trace)], 5,
               f" +core={description} +strict=lanes,lds +trace=karat.fst +trace-from=")
        # Not shown by the run itself: the command judges the recording again, and is the same again.
        spaced = folder / "my run.ktr"
        spaced.write_bytes(trace.read_bytes())
        for options, file, wanted in (
                (["--without=read"], trace, f"--without=read {trace}"),
                (["--failures=3", "--without=read", "--strict=lds", f"--core={of_ingot}", "--strict=lanes", "--without=mem,order"],
                 spaced, f"--core={of_ingot} --strict=lanes,lds --failures=3 --without=read,mem,order '{spaced}'"),
                (["--without=audit", "--continue"], trace, f"--continue --without=audit {trace}")):
            command = f"karat check {wanted}"
            expect("what is not given", [*check, *options, str(file)], 1, f"\n  rerun     {command}\n")
            again = shlex.split(command)
            expect("its command", [args.karat, *again[1:]], 1, f"\n  rerun     {command}\n")
        expect("its JSON", [*check, "--without=csr", "--json=/dev/stdout", str(trace)], 1, f'"rerun": "karat check --without=csr {trace}"')
        expect("a recording cut off", broken(trace.read_bytes()[:-40]) + ["--without=csr"], 1, f"--without=csr {folder / 'broken.ktr'}\n")
        expect("the whole run", [*run, "+go-on", "+max-cycles=200000"], 1, "karat: MISMATCH (wrong SIMT outcome)")
        expect("under the deviation", [*check, "--core", description, str(trace)], 0, " deviation:simt-order=")

        # A run that is killed leaves whole blocks after.
        trace.unlink()
        endless = subprocess.Popen([args.core, f"+kernel={args.vectors / 'bench' / 'loop_alu.elf'}", f"+record={trace}", "+quiet"])
        while endless.poll() is None and (not trace.exists() or trace.stat().st_size < 100_000):
            time.sleep(0.01)
        endless.send_signal(signal.SIGKILL)
        endless.wait()
        expect("a run that was killed", [*check, str(trace)], 5, "INCOMPLETE (ended early)")

    print(f"{len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
