"""The scripts that run programs on cores: a broken core is never passed, and nothing is left out without being asked for and said."""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tests"))
from terminal import watch  # noqa: E402

# Faults of units that a probe could take for the absence of the unit, and the unit whose own program, or the text, that finds each.
BROKEN = {"fdiv_reverse": "fdiv", "div_digit_strict": "fdiv", "tensor_transposed": "tensor", "vsmul_truncates": None}


class Test:
    def __init__(self, args, folder):
        self.args, self.folder, self.failures, self.checks = args, pathlib.Path(folder), 0, 0

    def run(self, script, *options):
        return subprocess.run([ROOT / "scripts" / script, *map(str, options)], capture_output=True, text=True)

    def check(self, good, what, done):
        self.checks += 1
        if not good:
            self.failures += 1
            print(f"test_scripts: {what}: status {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)

    def core(self, fault):
        """A core with that fault, as a program of its own."""
        path = self.folder / fault
        path.write_text(f"#!/bin/sh\nexec {shlex.quote(self.args.core)} +fault={fault} \"$@\"\n")
        path.chmod(0o755)
        return path

    def streams(self, core, *options):
        return self.run("streams", "--karat", self.args.karat, "--keep", self.folder / "kept", *options, f"{core}={self.args.size}")

    def last(self, done):
        return (done.stdout.strip().splitlines() or [""])[-1]


def test_streams(t):
    for fault, unit in BROKEN.items():
        done = t.streams(t.core(fault), "--instructions", 20000)
        t.check(done.returncode == 1 and "MISMATCH" in done.stderr, f"streams passes {fault}", done)
        t.check(not unit or f"a program of unit {unit}: " in done.stderr, f"streams does not name the unit of {fault}", done)
        t.check("again: " in done.stderr and any((t.folder / "kept").glob("*.elf")), f"streams keeps nothing of {fault}", done)
    description = t.folder / "core.json"
    description.write_text(json.dumps({"core": "ingot", "ulp": {"vfexp.v": 1}, "absent": {"tensor": "not built in"}}))
    done = t.streams(t.core("tensor_transposed"), "--runs", 2, "--description", description)
    t.check(done.returncode == 0 and t.last(done).endswith(f"absent by {description}: tensor"), "streams: absent", done)
    for text, said in (('{"core": "ingot", "absent": {"alu": "no"}}', "expected an object of units"), ("{", "Expecting"),
                       ("[]", "expected an object")):
        description.write_text(text)
        done = t.streams(t.args.core, "--runs", 1, "--description", description)
        t.check(done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, f"streams: {text}", done)


def test_matrix(t):
    empty = t.folder / "empty"
    empty.mkdir()
    common = ("--karat", t.args.karat, "--seeds", 1, f"{t.args.core}={t.args.size}")
    few = t.folder / "few"
    few.mkdir()
    (few / "vecadd.elf").symlink_to(t.args.vectors / "vecadd.elf")
    for options, said in ((("--kernels", t.folder / "none"), "no such folder"), (("--kernels", empty), "no kernels"),
                          (("--kernels", t.folder / "none", "--only-kernels"), "no such folder"),
                          (("--no-kernels", "--vectors", empty), "no programs"), (("--no-kernels", "--only-kernels"), "leave nothing")):
        done = t.run("matrix", *common, *options)
        t.check(done.returncode == 2 and said in done.stderr, f"matrix {options}", done)
    done = t.run("matrix", *common, "--no-kernels", "--vectors", few)
    t.check(done.returncode == 0 and t.last(done) == "1 passed, 0 failed; left out: the compiled kernels", "matrix --no-kernels", done)
    done = t.run("matrix", "--karat", t.args.karat, "--seeds", 1, f"{t.core('max_unsigned')}={t.args.size}", "--no-kernels", "--vectors", few)
    t.check(done.returncode == 0, "a fault that the one program does not meet", done)  # Without it the next failure would not be the program's doing
    (few / "alu_int.elf").symlink_to(t.args.vectors / "alu_int.elf")
    done = t.run("matrix", "--karat", t.args.karat, "--seeds", 1, f"{t.folder / 'max_unsigned'}={t.args.size}", "--no-kernels", "--vectors", few)
    t.check(done.returncode == 1 and "1 passed, 1 failed" in done.stdout, "matrix on a broken core", done)
    # A kernel folder for warps of 64 threads, which no core has.
    (empty / "big").mkdir()
    (empty / "big" / "big_0.metadata").write_text("".join(f"{word:08x} 00000000\n" for word in (0, 0, 0, 0, 0, 64, 1)))
    done = t.run("matrix", *common, "--kernels", empty, "--vectors", few)
    t.check(done.returncode == 1 and t.last(done).endswith("1 kernel folders that fit none of the cores"), "matrix: unfit", done)
    done = t.run("matrix", *common, "--kernels", empty, "--vectors", few, "--partial")
    t.check(done.returncode == 0 and t.last(done).endswith("1 kernel folders that fit none of the cores"), "matrix --partial", done)


def test_interrupted(t):
    """A terminal sees the runs; SIGINT ends a script with its sums so far."""
    few = t.folder / "endless"
    few.mkdir()
    (few / "vecadd.elf").symlink_to(t.args.vectors / "vecadd.elf")
    for script, *options, last in (("regress", "--table", "--seeds", 10000, few / "vecadd.elf", r"\d+ passed, 0 failed"),
                                   ("matrix", "--seeds", 10000, "--no-kernels", "--vectors", few,
                                    r"\d+ passed, 0 failed; left out: the compiled kernels"),
                                   ("streams", "--runs", 10000, "--keep", t.folder / "kept", r"\d+ runs, \d+ instructions compared, 0 failed.*")):
        seen = watch([ROOT / "scripts" / script, "--karat", t.args.karat, "--core", t.args.core, *options], r"[0-9]+ of 10000 runs")
        if seen:
            status, out, text = seen
            t.check(status == 5 and f"\x1b[K{script}: interrupted: the results so far\n" in text and "Traceback" not in text
                    and re.fullmatch(last, out.strip().splitlines()[-1]), f"{script}: interrupted: {text!r}",
                    subprocess.CompletedProcess(script, status, out, text))


def test_bug_report(t):
    """The rest of it: rtl.bug_report."""
    done = t.run("bug_report", "--karat", t.args.karat, "--out", t.folder / "bugs", "--", "+kernel=a.elf")
    t.check(done.returncode == 2 and "expected --core FILE" in done.stderr and done.stderr.count("\n") == 1, "bug_report without a core", done)


def test_sv39(t):
    """A core without an MMU: every script has told it to translate, and how is in what it prints."""
    core = t.folder / "listens"
    log = t.folder / "heard"
    core.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(log))}\nexec {shlex.quote(t.args.core)} "$@"\n')
    core.chmod(0o755)
    program = t.args.vectors / "vecadd.elf"
    done = t.run("regress", "--karat", t.args.karat, "--core", core, "--sv39", "--seeds", 2, program)
    layouts = sorted(word for word in log.read_text().split() if word.startswith("+sv39"))  # Either run may write first
    t.check(done.returncode == 1 and len(layouts) == 2 and layouts[0] == "+sv39" and layouts[1].startswith("+sv39="), f"regress --sv39: {layouts}",
            done)
    t.check(all(f"{layout}: karat-ingot: +sv39: this core has no MMU" in done.stderr for layout in layouts),
            "regress --sv39: the layout of a failure", done)
    few = t.folder / "one"
    few.mkdir()
    (few / "vecadd.elf").symlink_to(program)
    done = t.run("matrix", "--karat", t.args.karat, "--sv39", "--seeds", 2, "--no-kernels", "--vectors", few, f"{core}={t.args.size}")
    t.check(done.returncode == 1 and "no MMU" in done.stderr and layouts[1] in done.stderr, "matrix --sv39", done)
    done = t.streams(core, "--sv39", "--runs", 1, "--seed", 2)
    t.check(done.returncode == 1 and "no MMU" in done.stderr and f"again: {core}" in done.stderr and layouts[1] in done.stderr, "streams --sv39",
            done)


def test_ventus_defects(t):
    common = (t.args.core, "--vectors", t.args.vectors / "ventus")
    done = t.run("ventus_defects", *common)
    t.check(done.returncode == 2 and "--one-sm" in done.stderr, "ventus_defects without the whole GPGPU", done)
    done = t.run("ventus_defects", *common, "12", "no_such")
    t.check(done.returncode == 2 and "no such vector: no_such" in done.stderr, "ventus_defects: unknown name", done)
    # By kind and instruction, and by the core's first wrong value where the source states it.
    own = t.folder / "own"
    own.mkdir()
    (own / "99-div.elf").symlink_to(t.args.vectors / "fp_div.elf")
    for value, status in (("", 0), (", core 3f800000", 0), (", core 3f800001", 1)):
        (own / "99-div.S").write_text(f"// defect: wrong value written, vfrdiv.vf{value}\n")
        done = t.run("ventus_defects", t.core("fdiv_reverse"), "--one-sm", "--vectors", own, "--sources", own)
        t.check(done.returncode == status and (t.last(done) == f"{1 - status} of 1 vectors show their defect"), f"ventus_defects: {value}", done)
    # As the second kernel of a run, after another vector.
    (own / "98-first.elf").symlink_to(t.args.vectors / "fp_div.elf")
    (own / "99-second.elf").symlink_to(t.args.vectors / "alu_int.elf")
    (own / "99-second.S").write_text("// defect: wrong value written, vfrdiv.vf\n// after: 98-first\n")
    done = t.run("ventus_defects", t.core("fdiv_reverse"), "--one-sm", "--vectors", own, "--sources", own, "second")
    t.check(done.returncode == 0, "ventus_defects: a second kernel", done)
    whole = next(p for p in sorted((ROOT / "vectors" / "ventus").glob("*.S")) if "// core: the whole GPGPU" in p.read_text())
    done = t.run("ventus_defects", *common, "12", whole.stem, "--one-sm")
    t.check(done.returncode == 1 and t.last(done) == "0 of 1 vectors show their defect; 1 of the whole GPGPU are left out (--one-sm)",
            "ventus_defects --one-sm", done)
    done = t.run("ventus_defects", *common, "--chisel", "C07")
    t.check(done.returncode == 1 and t.last(done) == "0 of 2 vectors show their defect" and "wrong value written, mulhsu" in done.stdout,
            "ventus_defects --chisel", done)


def test_regress(t):
    programs = [t.args.vectors / f"{name}.elf" for name in ("alu_int", "vecadd")]
    common = ("--karat", t.args.karat, "--threads", t.args.size.rpartition(":")[2])
    plain = t.run("regress", "--core", t.args.core, *common, *programs)
    wanted = {}  # Figures of the verdict lines
    for line in plain.stdout.splitlines():
        values = dict(re.findall(r"(\w+)=(\S+)", line))
        if values:
            wanted[values["program"]] = [values["instructions"], values["cycles"], "PASS"]
    done = t.run("regress", "--core", t.args.core, *common, "--table", *programs)
    rows = [line.split() for line in done.stdout.splitlines()]
    t.check(done.returncode == 0 and rows[0] == ["program", "instructions", "records", "cycles", "verdict"]
            and {row[0]: [row[1], row[3], row[4]] for row in rows[1:3]} == wanted, f"regress --table, {wanted}", done)
    t.check(rows[3] == ["all", "2", "runs", *(str(sum(int(row[i]) for row in rows[1:3])) for i in (1, 2, 3)), "2", "PASS"], "regress: sum", done)
    most = max(rows[1:3], key=lambda row: int(row[2]))
    done = t.run("regress", "--core", t.args.core, *common, "--table", "--rows", 1, *programs)
    t.check([line.split() for line in done.stdout.splitlines()][1:3] == [most, rows[3]], "regress --rows", done)
    done = t.run("regress", "--core", t.args.core, *common, t.folder / "nosuch.elf")
    t.check(done.returncode == 2 and "nosuch.elf: cannot be opened" in done.stderr and done.stderr.count("\n") == 1, "regress: no such program", done)
    done = t.run("regress", "--core", f"/bin/true={t.args.size}", *common, programs[0])
    t.check(done.returncode == 1 and "/bin/true is no core with Karat's harness" in done.stderr and "Traceback" not in done.stderr,
            "regress: no core", done)
    # Who reads the output has gone: it ends at once, and without a word.
    ended = subprocess.Popen([ROOT / "scripts" / "regress", "--core", t.args.core, *common, "--seeds", "200", programs[0]], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    first = ended.stdout.readline()
    ended.stdout.close()
    error = ended.stderr.read()
    t.check(first.startswith("karat: PASS") and ended.wait() == 141 and not error, "regress | head -1",
            subprocess.CompletedProcess([], ended.returncode, first, error))
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([ROOT / "scripts" / "regress", "--core", t.args.core, *common, programs[0]], stdout=full,
                              stderr=subprocess.PIPE, text=True)
    t.check(done.returncode == 2 and done.stderr == "regress: standard output: cannot be written: No space left on device\n",
            "regress on a full disk", done)
    done = t.run("regress", "--core", t.core("max_unsigned"), *common, "--table", *programs)
    t.check(done.returncode == 1 and "karat: MISMATCH" in done.stdout and "1 PASS" in done.stdout, "regress --table on a broken core", done)


def test_arguments(t):
    """The same arguments name a core in every script; without a size it is asked for it."""
    few = t.folder / "arguments"
    few.mkdir()
    (few / "vecadd.elf").symlink_to(t.args.vectors / "vecadd.elf")
    program = few / "vecadd.elf"
    done = subprocess.run([t.args.core, "+describe"], capture_output=True, text=True)
    about = json.loads(done.stdout)
    size = ":".join(str(about[key]) for key in ("sms", "warps", "threads"))
    t.check(size == t.args.size and about["core"] == about["description"]["core"] == "ingot", f"+describe: {about}", done)
    mute = t.folder / "mute"
    mute.write_text(f'#!/bin/sh\n[ "$1" = +describe ] && exit 2\nexec {shlex.quote(t.args.core)} "$@"\n')
    mute.chmod(0o755)
    karat = ("--karat", t.args.karat)
    scripts = {"regress": (*karat, program), "streams": (*karat, "--runs", 1, "--length", 50, "--keep", t.folder / "kept"),
               "matrix": (*karat, "--seeds", 1, "--no-kernels", "--vectors", few), "bench_lockstep": ("--rounds", 2, "--cycles", 100, program),
               "bug_report": (*karat, "--out", t.folder / "bugs", "--", f"+kernel={program}")}
    for script, options in scripts.items():
        done = t.run(script, "--core", mute, *options)
        t.check(done.returncode == 2 and f"{mute}: does not say its size (+describe)" in done.stderr, f"{script} on a core that does not answer",
                done)
        jobs = () if script == "bench_lockstep" else ("--jobs", 1)
        for core in (t.args.core, f"{mute}={t.args.size}")[:1 if script == "streams" else 2]:
            done = t.run(script, "--core", core, *jobs, *options)
            t.check(done.returncode == (2 if script == "bug_report" else 0) and (script != "bug_report" or "shows no defect" in done.stderr),
                    f"{script} {core}", done)
    (few / "true.elf").symlink_to("/bin/true")  # Not a program of a core
    done = t.run("bench_lockstep", "--core", t.args.core, "--rounds", 1, "--cycles", 100, "--vectors", few)
    t.check(done.returncode == 0 and len(done.stdout.splitlines()) == 4, "bench_lockstep takes the programs of a folder", done)
    (few / "true.elf").unlink()
    for option, last in (("--clock", "processor"), ("--record", "MB")):
        done = t.run("bench_lockstep", "--core", t.args.core, option, "--jobs", 2, program)
        t.check(done.returncode == 2 and "--jobs 2: expected 1 by the clock" in done.stderr, f"bench_lockstep {option} --jobs", done)
        done = t.run("bench_lockstep", "--core", t.args.core, option, "--rounds", 2, "--cycles", 100, program)
        lines = done.stdout.splitlines()
        t.check(done.returncode == 0 and len(lines) == 3 and lines[0].split()[-1] == last, f"bench_lockstep {option}", done)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--core", required=True)
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--size", required=True, help="of the core, SMS:WARPS:THREADS")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        t = Test(args, folder)
        test_arguments(t)
        test_regress(t)
        test_streams(t)
        test_matrix(t)
        test_interrupted(t)
        test_bug_report(t)
        test_sv39(t)
        test_ventus_defects(t)
    print(f"{t.checks - t.failures} of {t.checks} checks pass")
    return 1 if t.failures else 0


if __name__ == "__main__":
    sys.exit(main())
