#!/usr/bin/python3
"""karat campaign on ingot: a campaign that is killed or interrupted ends as one that is not; what has to be refused is refused; buckets,
comparison, bisection and the files for other tools say what the runs' fault markers say."""
import html.parser
import json
import os
import pathlib
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as tree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "cli" / "campaign"), str(ROOT / "scripts")]

import arguments  # noqa: E402
import buckets  # noqa: E402
import causes  # noqa: E402
import looks  # noqa: E402
import signature  # noqa: E402

FAULTS = {"barrier_early": "barrier_lds", "tie_if_first": "simt_nested", "csrrc_inverts": "csr_ops"}  # The program that each fails in, too


class Test:
    def __init__(self, args, folder):
        self.args, self.folder, self.failures, self.checks = args, pathlib.Path(folder), 0, 0

    def check(self, good, what, more=""):
        self.checks += 1
        if not good:
            self.failures += 1
            print(f"{sys.argv[0]}: {what}\n{more}", file=sys.stderr)

    def plan(self, name, **more):
        path = self.folder / f"{name}.json"
        core = {"core": f"{self.args.core}={self.args.size}", "options": ["+hang=2000"]}
        programs = [f"{self.args.vectors}/{program}.elf" for program in FAULTS.values()]
        path.write_text(json.dumps({"cores": [core], "programs": programs, "timings": 3, "faults": list(FAULTS), "max-cycles": 100000, "recheck": 2,
                                    **more}))
        return path

    def command(self, plan, out, *options):
        return [self.args.karat, "campaign", plan, "-o", out, *options]

    def karat(self, *words):
        return subprocess.run([self.args.karat, "campaign", *map(str, words)], capture_output=True, text=True)

    def script(self, name, text):
        """A core that is a script."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return {"core": f"{path}={self.args.size}"}


def results(folder):
    """What has to be the same however a campaign got there."""
    db = sqlite3.connect(folder / "results.db")
    return (db.execute("select run, verdict, kind, instructions, records, cycles from runs order by run").fetchall(),
            db.execute("select run, bucket, apart, instruction, defects from failures order by run").fetchall(),
            db.execute("select bucket, name, leader, members from buckets order by bucket").fetchall())


def running(folder):
    """Processes that have to do with that folder."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                text = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if os.fsencode(folder) in text:
                found.append(text.replace(b"\0", b" ").decode(errors="replace"))
    return found


def interrupted(t, plan, out, number):
    """Send that signal to a campaign that has some of its results: its status."""
    child = subprocess.Popen(t.command(plan, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    done = 0
    while child.poll() is None and done < 3:
        time.sleep(0.02)
        try:
            done = sqlite3.connect(f"file:{out}/results.db?mode=ro", uri=True).execute("select count(*) from timings").fetchone()[0]
        except sqlite3.Error:
            pass
    child.send_signal(number)
    return child.wait()


def test_resume(t):
    """The same results whole, killed and gone on with, and interrupted and gone on with; nothing is left running."""
    plan, whole = t.plan("resume", shrink=0), t.folder / "whole"
    done = t.karat(plan, "-o", whole, "-j", 1)
    t.check(done.returncode == 1 and "9 of 9 runs" in done.stdout, "whole", done.stdout + done.stderr)
    for name, number, status in (("killed", signal.SIGKILL, -signal.SIGKILL), ("interrupted", signal.SIGINT, 5)):
        out = t.folder / name
        got = interrupted(t, plan, out, number)
        for _ in range(200):
            left = running(out)
            if not left:
                break
            time.sleep(0.05)
        t.check(got == status, f"{name}: status {got}")
        t.check(not left, f"{name}: still running", "\n".join(left))
        done = t.karat(plan, "-o", out)
        t.check("resumed: " in done.stdout and "resumed: 0 " not in done.stdout, f"{name}: not resumed", done.stdout + done.stderr)
        t.check(results(out) == results(whole), f"{name}: other results", f"{results(out)}\n{results(whole)}")
    done = t.karat(t.plan("other", seed=2), "-o", whole)
    t.check(done.returncode == 2 and "results of another plan" in done.stderr, "another plan", done.stderr)
    return whole


def test_random(t):
    """Random programs differ in the warps of a workgroup, up to the core's, and each run in its timing."""
    out, summary = t.folder / "random", t.folder / "random-run.json"
    done = t.karat(t.plan("random", programs=[], faults=[], timings=2, random={"count": 6, "length": 30}), "-o", out)
    t.check(done.returncode == 0, "random", done.stdout + done.stderr)
    rows = sqlite3.connect(out / "results.db").execute("select distinct file, seed from runs").fetchall()
    t.check(len({seed for _, seed in rows}) == 12, f"random: timing seeds {rows}")
    warps = set()
    for file, _ in rows:
        threads = t.args.size.split(":")[1]
        subprocess.run([t.args.karat, "run", f"--threads={threads}", f"--json={summary}", file], check=True, stdout=subprocess.DEVNULL)
        warps |= {kernel["warps"] // kernel["workgroups"] for kernel in json.loads(summary.read_text())["kernels"]}
    t.check(len(warps) > 2 and max(warps) > 2, f"random: workgroups of {warps} warps")


class Links(html.parser.HTMLParser):
    """What a page would load, and its elements that are not closed."""
    VOID = {"meta", "input", "br", "link", "img"}

    def __init__(self):
        super().__init__()
        self.loads, self.open, self.details = [], [], 0

    def handle_starttag(self, tag, attrs):
        self.loads += [value for name, value in attrs if name in ("src", "href") and not value.startswith("#")]
        self.details += tag == "details" and ("class", "bucket") in attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()


def test_outputs(t, folder):
    """The files for other tools say what the database says."""
    db = sqlite3.connect(folder / "results.db")
    failures, count = (db.execute(f"select count(*) from {name}").fetchone()[0] for name in ("failures", "buckets"))
    suite = tree.parse(folder / "junit.xml").getroot().find("testsuite")
    t.check(int(suite.get("tests")) == 9 and int(suite.get("failures")) == len(suite.findall("testcase/failure")) == failures, "junit.xml")
    links = Links()
    links.feed((folder / "index.html").read_text())
    t.check(not links.loads and not links.open and links.details == count, f"index.html: {links.loads} {links.open} {links.details}")
    if looks.missing():
        print(f"test_campaign: the page is not tried by keys: {looks.missing()}")
    else:
        wrong = looks.keys(folder / "index.html", "csrrc")
        t.check(not wrong, "keys", "\n".join(wrong))
        worse = folder / "worse.html"
        worse.write_text((folder / "index.html").read_text().replace("<summary>", '<summary tabindex="-1">').replace("3px solid", "0 none"))
        wrong = "\n".join(looks.keys(worse, "csrrc"))
        t.check("no outline around the filter" in wrong and "after the order comes not the first bucket" in wrong, "keys on a bad page", wrong)
        worse.unlink()
    t.check((folder / "summary.md").read_text().count("\n| ") == count + 1, "summary.md", (folder / "summary.md").read_text())
    done = t.karat("query", folder, "select count(*) as n from failures")
    t.check(done.stdout.split() == ["n", str(failures)], "query", done.stdout + done.stderr)
    done = t.karat("query", folder, "delete from failures")
    t.check(done.returncode == 2 and "readonly" in done.stderr, "query that writes", done.stderr)


def test_buckets(t, folder):
    """Each fault has a bucket of its own; purity and split are those of a count by hand."""
    db = sqlite3.connect(folder / "results.db")
    pairs = db.execute("select bucket, fault from failures join runs using (run)").fetchall()
    t.check(pairs and len({b for b, _ in pairs}) == len({f for _, f in pairs}) == len(set(pairs)), f"buckets {pairs}")
    wrong = [(p, f) for p, f in db.execute("select program, fault from failures join runs using (run)") if FAULTS[f] != p]
    lost = [(p, f) for p, f in db.execute("select program, fault from runs where verdict = 'PASS'") if FAULTS[f] == p]
    t.check(not wrong and not lost, f"failures {wrong}, passes {lost}")
    got = buckets.quality([(1, "a"), (1, "a"), (1, "b"), (2, "a")])
    t.check(got == {"failures": 4, "buckets": 2, "faults": 2, "purity": 0.75, "split": 1.5}, f"quality {got}")
    one = {name: [] if name in buckets.LISTS else "" for name in buckets.WEIGHTS}
    two = {**one, "kind": "hang", "instruction": "vadd.vv", "defects": ["x"]}
    apart = {"kind": 4.0, "instruction": 1.0, "defects": 2.0}
    t.check(buckets.parts(one, two) == buckets.parts(two, one) == apart, f"parts {buckets.parts(one, two)}")
    defect = {"kind": "wrong value written", "instruction": "vlhu12.v", "operands": "", "differs": "many bits", "producer": "vsb12.v", "count": 1}
    failure = {"kind": defect["kind"], "detail": "v9", "instruction": {"text": "vlhu12.v v9, 0(v1)"}}
    result = {"verdict": "MISMATCH", "kind": defect["kind"], "problem": "", "report": {"failure": failure, "defects": [defect]}}
    isa = signature.Isa(t.args.karat)
    stored = signature.signature_of(result, isa)
    other = {**defect, "differs": "low half"}
    conflict = signature.signature_of({**result, "report": {"failure": failure, "defects": [{**other, "producer": "vsw12.v"}]}}, isa)
    again = signature.signature_of({**result, "report": {"failure": failure, "defects": [{**defect, "differs": "one bit"}]}}, isa)
    sorter = buckets.Sorter()
    got = [sorter.add(run, a)[0].number for run, a in enumerate((stored, conflict, again))]
    t.check(got == [1, 2, 1], f"two bugs of one instruction, by the store before and the bits: buckets {got}", str(buckets.parts(stored, conflict)))
    t.check(buckets.parts(two, {**two, "instruction": "vadd.vi"}) == {"instruction": 0.5}, "parts of one stem")
    asserts = [{**one, "assertion": f"a.sv:{line}"} for line in (1, 1, 2)]
    sorter = buckets.Sorter()
    t.check([sorter.add(run, a)[0].number for run, a in enumerate(asserts)] == [1, 1, 2], "assertions of two lines in one bucket")


def test_smallest(t):
    """Smallest programs: their part of a distance, and buckets that they make one."""
    empty = {name: [] if name in buckets.LISTS else "" for name in buckets.WEIGHTS}
    one, other = ({**empty, "kind": "k", "smallest": names} for names in (["addi", "vfdiv"], ["vfdiv"]))
    t.check(buckets.parts(one, other) == {"smallest": 0.5} and not buckets.parts(one, empty | {"kind": "k"}), "distance of smallest programs")
    apart = {**one, "unit": "mem"}
    got = causes.join([[1, 4], [2], [3], [5]], {1: one, 2: apart, 3: other})
    t.check(got == [[1, 3, 4], [2], [5]], f"buckets of smallest programs: {got}")


HANG = """workgroup 0 warp 1 (sm 0 slot 1, last heard of in cycle 9): {}
workgroup 0 warp 0 (sm 0 slot 0, last heard of in cycle 20): waits at a barrier for 1 of its workgroup's 2 warps"""
WAITS = {  # By the text of a report on a warp: state, and the instruction, or None for that of the failure
    "seq 5 0x80000014 lw x6, 0(x5) waits for the write of x6, lanes 00000001; its memory accesses were performed, the last in cycle 7":
        ("a write, memory has answered", None),
    "seq 5 0x80000014 lw x6, 0(x5) waits for the write of x6, lanes 00000001, and memory for 4 bytes of its memory accesses, lanes 00000001, "
    "first lane 0 at 0x90000000": ("memory", None),
    "seq 5 0x80000014 lw x6, 0(x5) waits for the write of x6, lanes 00000001, and memory for 4 bytes of its memory accesses, lanes 00000001, "
    "first lane 0 at 0x70000000": ("local memory", None),
    "seq 5 0x80000014 div x6, x5, x7 waits for the write of x6, lanes 00000001; next is seq 6 0x80000018 endprg": ("a write", None),
    "has nothing pending and could issue seq 6 0x80000018 addi x5, x0, 1, whose registers have no write pending": ("issue", ""),
    "has nothing pending and could issue seq 6 0x80000018 vsw12.v v5, 0(v1), whose registers have no write pending": ("issue to memory", "")}


def test_hangs(t):
    """The signature of a hang says what its warps wait for."""
    isa = signature.Isa(t.args.karat)
    for line, (state, instruction) in WAITS.items():
        got = signature.hang_of(HANG.format(line), isa)
        t.check(got == (state, instruction, sorted([state, "others at a barrier"])), f"{line}: {got}")


def test_refused(t):
    """What would prove nothing, or cannot be kept, is a failure of one line."""
    exec_core = f"exec {shlex.quote(t.args.core)}"
    silent = t.script("silent", "exit 0")
    # It says PASS in every way but one: nothing is counted.
    report = json.dumps({"verdict": "PASS", "line": "karat: PASS core=empty", "counts": {"instructions": 0, "records": 0}, "cycles": 9})
    write = f"echo {shlex.quote(report)} > \"${{w#+json=}}\""
    empty = t.script("empty", f"for w; do case $w in +json=*) {write} ;; esac; done; echo 'karat: PASS core=empty'")
    deaf = t.script("deaf", f"for w; do shift; case $w in +fault=*) ;; *) set -- \"$@\" \"$w\" ;; esac; done; {exec_core} \"$@\"")
    check = {"program": f"{t.args.vectors}/simt_nested.elf", "options": ["+fault=tie_if_first"]}
    one = {"programs": [f"{t.args.vectors}/simt_nested.elf"], "timings": 1, "faults": []}
    for name, plan, said in (("silent", {"cores": [silent], **one}, "nothing was compared in 1 runs"),
                             ("empty", {"cores": [empty], **one}, "nothing was compared in 1 runs"),
                             ("half-empty", {"cores": [empty, {"core": f"{t.args.core}={t.args.size}"}], **one}, "that ended well compared nothing"),
                             ("silent-check", {"cores": [silent], **one, "check": check}, "core silent: the plan's check compares nothing"),
                             ("deaf", {"cores": [deaf], **one, "check": check},
                              "core deaf passes the plan's check, which has to fail (+fault=tie_if_first)"),
                             ("unknown", {"cors": []}, 'unknown key "cors"'),
                             ("sizeless", {"cores": [{"core": "/bin/true"}], **one}, "cores: /bin/true: does not say its size (+describe)"),
                             ("nameless", {"cores": [{}], **one}, 'cores: expected "core": "FILE[='),
                             ("none", {**one, "programs": ["/nonexistent/*.elf"]}, "no such file"),
                             ("row", {**one, "directed": ["vadd.vv", "../x"]},
                              "directed: ../x: core karat-ingot: karat gen: no programs can be made"),
                             ("number", {"timings": "4"}, '"timings": expected a number from 0, found "4"'),
                             ("below", {"timings": -1}, '"timings": expected a number from 0, found -1'),
                             ("check", {**one, "check": {}}, 'check: expected "program"'),
                             ("size", {"cores": [{"core": "/bin/true=4:9"}]}, "up to 16 warps, and 4, 8, 16 or 32 threads"),
                             ("refused", {"cores": [{"core": f"{t.args.core}={t.args.size}", "options": ["+nonsense=3"]}], **one},
                              "nothing was compared in 1 runs: simt_nested: "),
                             ("nothing", {**one, "timings": 0}, '"timings": expected a number from 1'),
                             ("two-profiles", {"cores": [{"core": f"{t.args.core}={t.args.size}"},
                                                         {"core": f"{t.args.core}={t.args.size}/203", "name": "other"}], **one, "coverage": True},
                              "cores of two profiles")):
        done = t.karat(t.plan(name, **plan), "-o", t.folder / f"out-{name}")
        written = (t.folder / f"out-{name}" / "index.html").exists()
        t.check(done.returncode == 2 and said in done.stderr and not written, name, done.stdout + done.stderr)
    for text, said in (('{"timings": 1, "name": "a", "timings": 2}', ': "timings" is there twice'),
                       ("", ":1: expected a plan in JSON: the file is empty"),
                       ("\n{\n", ":3: expected a plan in JSON: expecting property name")):
        path = t.folder / "no-plan.json"
        path.write_text(text)
        done = t.karat(path, "-o", t.folder / "out-no-plan")
        t.check(done.returncode == 2 and f"{path}{said}" in done.stderr and done.stderr.count("\n") == 1, f"plan {text!r}", done.stderr)
    good = t.plan("good", **one, check=check, coverage=True)
    good.write_text("\ufeff" + good.read_text())
    done = t.karat(good, "-o", t.folder / "good")
    t.check(done.returncode == 0 and "1 of 1 runs, 0 failed" in done.stdout, "good", done.stdout + done.stderr)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(t.command(good, t.folder / "unsaid"), stdout=full, stderr=subprocess.PIPE, text=True)
    t.check(done.returncode == 2 and done.stderr.endswith("karat campaign: standard output: cannot be written: No space left on device\n"),
            "output to a full disk", done.stderr)
    asked = t.plan("asked", cores=[{"core": str(t.args.core)}], **one)
    done = t.karat(asked, "-o", t.folder / "asked")
    t.check(done.returncode == 0 and "1 of 1 runs, 0 failed" in done.stdout, "asked", done.stdout + done.stderr)
    torn = t.script("torn", f'for w; do case $w in +coverage=*) echo "{{" > "${{w#+coverage=}}"; exit 1 ;; esac; done; {exec_core} "$@"')
    done = t.karat(t.plan("torn", cores=[torn, {"core": f"{t.args.core}={t.args.size}"}], **one, coverage=True, shrink=0), "-o",
                   t.folder / "torn-out")
    t.check(done.returncode == 1 and "coverage left out: karat cov: " in done.stderr and "2 of 2 runs, 1 failed" in done.stdout,
            "a torn coverage file",
            done.stdout + done.stderr)
    hit = sqlite3.connect(t.folder / "good" / "results.db").execute("select total(hit) from coverage").fetchone()[0]
    report = subprocess.run([t.args.karat, "cov", "report", "--format=json", t.folder / "good" / "coverage.json"], capture_output=True)
    t.check(hit == json.loads(report.stdout)["all"]["hit"] > 0, f"coverage {hit}")
    taken = t.folder / "taken"
    (taken / "results.db").mkdir(parents=True)
    done = t.karat(good, "-o", taken)
    t.check(done.returncode == 2 and "results.db: unable to open database file" in done.stderr, "unwritable", done.stderr)
    small, full = t.folder / "small", t.plan("full", shrink=0)
    small.mkdir()
    mount, command = f"mount -t tmpfs {{}} {shlex.quote(str(small))} || exit 77; ", shlex.join(map(str, t.command(full, small)))
    for what, script, said in (("full disk", mount.format("-o size=96k none") + command, ("full", "No space left")),
                               ("read-only folder", mount.format("-o ro none") + command, ("Read-only file system",))):
        done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script], capture_output=True, text=True)
        if done.returncode == 77 or "unshare" in done.stderr:
            print(f"test_campaign: {what}: not tried: no mount in a namespace here")
            continue
        last = done.stderr.strip().splitlines()[-1]
        t.check(done.returncode == 2 and any(word in last for word in said), what, done.stdout + done.stderr)


def test_compare(t, whole):
    """New, gone and still there against an earlier campaign."""
    out = t.folder / "later"
    done = t.karat(t.plan("later", shrink=0, faults=["barrier_early", "tie_if_first", "sle_strict"], programs=[
        f"{t.args.vectors}/{name}.elf" for name in ("barrier_lds", "simt_nested", "compare_merge")]), "-o", out, "--against", whole)
    rows = dict(sqlite3.connect(out / "results.db").execute("select state, bucket from changes").fetchall())
    states = sqlite3.connect(out / "results.db").execute("select state, bucket from changes").fetchall()
    t.check({"new", "gone"} <= set(rows) and ("still", "wrong SIMT outcome, vbne") in states, f"changes {states}", done.stdout + done.stderr)
    t.check(any(state == "new" and "vmsle" in name for state, name in states), f"new {states}")
    t.check(any(state == "gone" and "csrrc" in name for state, name in states), f"gone {states}")
    done = t.karat("compare", out, whole)
    t.check(done.returncode == 0 and done.stdout.count("\n") == len(states) + 1, "compare", done.stdout + done.stderr)


def test_shrinks(t):
    """A folder of any name shrinks; a core's options may have several faults; what takes its time after the last run is said, and that one
    configuration does not settle buckets."""
    core = {"core": f"{t.args.core}={t.args.size}", "options": ["+hang=2000", "+fault=tie_if_first", "+fault=csrrc_inverts"]}
    programs = [f"{t.args.vectors}/{name}.elf" for name in ("simt_nested", "csr_ops")]
    out = t.folder / "two words \u00fc"
    done = t.karat(t.plan("shrinks", cores=[core], programs=programs, faults=[], timings=1), "-o", out)
    rows = sqlite3.connect(out / "results.db").execute("select name, instructions, why from buckets order by name").fetchall()
    names = [name.partition(", ")[2] for name, _, _ in rows]
    t.check(names == ["csrrc", "vbne"] and all(left for _, left, _ in rows), f"shrunk {rows}", done.stderr)
    t.check("1 configuration, too few to settle the buckets" in done.stdout, "too few configurations", done.stdout)
    said = done.stderr.splitlines()
    for text in ('; shrinking simt_nested of "wrong SIMT outcome, vbne", ', "; settling 2 buckets", "; checking 2 buckets again"):
        t.check(sum(text in line for line in said) == 1, f"progress: {text}", done.stderr)
    t.check(said[-1].startswith("2 of 2 runs, 2 failed, 2 buckets, 2 new; checking") and "2 failed, 2 buckets, 2 new," not in done.stderr,
            "progress", done.stderr)


def test_known(t):
    """Mismatches of a bug that the core's description lists fail no run, and the summary counts them; others do."""
    description = t.folder / "core.json"
    known = {"sra": "wrong value written, vsra.v[vxi] (*", "none": "wrong value written, vfdiv.vv *"}
    description.write_text(json.dumps({"core": "ingot", "known": known}))
    core = {"core": f"{t.args.core}={t.args.size}", "options": ["+hang=2000", "+fault=sra_logical", f"+core={description}"]}
    plan = {"cores": [core], "programs": [f"{t.args.vectors}/alu_int.elf"], "timings": 1, "shrink": 0}
    done = t.karat(t.plan("known", **plan, faults=[]), "-o", t.folder / "known")
    row = sqlite3.connect(t.folder / "known" / "results.db").execute("select mismatches from known where name = 'sra'").fetchone()
    lines = (f"known bug sra: {row[0]} mismatches in 1 runs", "known bug none: 0 mismatches in 0 runs") if row else ()
    told = row and all(line in done.stdout for line in lines)
    t.check(done.returncode == 0 and told and row[0] > 0, "known", done.stdout + done.stderr)


def test_flaky(t):
    """A core that fails now and then, with the same seed: flaky, where it has the bucket on both sides."""
    text = (f'[ -e {t.folder}/odd ] && case "$*" in *seed=1\\ *) set -- "$@" +fault=tie_if_first ;; esac\n'
            f'[ -e {t.folder}/odd ] || case "$*" in *seed=2\\ *) set -- "$@" +fault=tie_if_first ;; esac\nexec {shlex.quote(t.args.core)} "$@"')
    plan = t.plan("flaky", shrink=0, cores=[t.script("flaky-core", text)], programs=[f"{t.args.vectors}/simt_nested.elf"], timings=2, faults=[])
    t.karat(plan, "-o", t.folder / "even")
    (t.folder / "odd").touch()
    done = t.karat(plan, "-o", t.folder / "odd-run", "--against", t.folder / "even")
    states = sqlite3.connect(t.folder / "odd-run" / "results.db").execute("select state, here, there from changes").fetchall()
    t.check(states == [("flaky", 1, 1)], f"flaky {states}", done.stdout + done.stderr)


def test_bisect(t):
    """The commit that brings a fault into a core, found by building each revision."""
    source = t.folder / "source"
    source.mkdir()

    def git(*words):
        command = ["git", "-C", source, "-c", "user.name=t", "-c", "user.email=t@t", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "--quiet")
    hashes = []
    for number in range(6):
        (source / "fault").write_text("+fault=tie_if_first" if number >= 3 else "")
        (source / "number").write_text(str(number))
        git("add", "fault", "number")
        git("commit", "--quiet", "-m", f"change {number}")
        hashes.append(git("rev-parse", "--short", "HEAD"))
    core = source / "core"
    build = f"printf '#!/bin/sh\\nexec %s \"$@\" %s\\n' {shlex.quote(t.args.core)} \"$(cat fault)\" > core; chmod +x core"
    subprocess.run(["sh", "-c", build], check=True, cwd=source)
    out = t.folder / "bisect"
    plan = t.plan("bisect", cores=[{"core": f"{core}={t.args.size}"}], programs=[f"{t.args.vectors}/simt_nested.elf"], timings=1, faults=[])
    done = t.karat(plan, "-o", out)
    t.check(done.returncode == 1 and (out / "reports" / "1" / "vector.elf").exists(), "no report", done.stdout + done.stderr)
    smallest = json.loads(sqlite3.connect(out / "results.db").execute("select smallest from failures").fetchone()[0])
    t.check("vbne" in smallest and "endprg" not in smallest, f"smallest program: {smallest}")
    page = (out / "index.html").read_text()
    t.check("First failing instruction" in page and "vbne" in page and 'class="at"' in page, "page of a shrunk program")
    t.check(page.count('class="time"') == 1 and ' fault" style="left: ' in page and 'title="' in page and ": vbne v" in page, "timeline of a report")
    done = t.karat("bisect", out, 1, "--source", source, "--build", build, "--good", hashes[0])
    t.check(done.returncode == 0 and f"first bad revision: {hashes[3]} change 3" in done.stdout, f"bisect, {hashes}", done.stdout + done.stderr)
    t.check(git("rev-parse", "--short", "HEAD") == hashes[-1], "bisect leaves another revision")
    done = t.karat("bisect", out, 9, "--source", source, "--build", build, "--good", hashes[0])
    t.check(done.returncode == 2 and "bucket 9: there is none" in done.stderr, "bisect of no bucket", done.stderr)
    for good, bad, said in ((hashes[0], hashes[1], "is not bad"), (hashes[4], hashes[5], "is not good"), ("nonesuch", hashes[5], "nonesuch")):
        done = t.karat("bisect", out, 1, "--source", source, "--build", build, "--good", good, "--bad", bad)
        t.check(done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, f"bisect: {said}", done.stdout + done.stderr)
    git("bisect", "start")
    done = t.karat("bisect", out, 1, "--source", source, "--build", build, "--good", hashes[0])
    t.check(done.returncode == 2 and "is being bisected" in done.stderr, "a bisection of the user's", done.stderr)


def test_odd_cores(t):
    """A core that dies while it writes its report costs that run; two programs of one name; programs that come later."""
    dying = t.script("dying", 'for w; do case $w in +json=*) printf "{\\"verdict" > "${w#+json=}" ;; esac; done; kill -9 $$')
    strange = t.script("strange", 'for w; do case $w in +json=*) echo "{\\"verdict\\": \\"PASS\\"}" > "${w#+json=}" ;; esac; done')
    mistyped = {"core": f"{t.args.core}={t.args.size}", "options": ["+nonsense=3"], "name": "mistyped"}
    programs = t.folder / "named"
    for folder in ("one", "two"):
        (programs / folder).mkdir(parents=True)
        shutil.copy(f"{t.args.vectors}/simt_nested.elf", programs / folder / "same.elf")
    plan = t.plan("odd-cores", cores=[dying, strange, mistyped, {"core": f"{t.args.core}={t.args.size}", "name": "good"}], shrink=0, faults=[],
                  programs=[f"{programs}/*/*.elf"], timings=1)
    out = t.folder / "odd-cores"
    done = t.karat(plan, "-o", out)
    rows = sqlite3.connect(out / "results.db").execute("select core, program, verdict, kind from runs order by 1, 2").fetchall()
    expected = [(core, program, verdict, kind) for core, verdict, kind in (
        ("dying", "CRASH", "no report"), ("good", "PASS", ""), ("mistyped", "CRASH", "bad input"),
        ("strange", "CRASH", "no report of Karat's harnesses")) for program in ("one/same", "two/same")]
    t.check(done.returncode == 1 and rows == expected, f"odd cores {rows}", done.stdout + done.stderr)
    why = dict(sqlite3.connect(out / "results.db").execute("select name, why from buckets where name like 'bad input%'").fetchall())
    t.check(list(why.values()) == ["the core refuses it"] and "+nonsense" in next(iter(why)), f"what a core refuses is named, and not shrunk: {why}")
    (programs / "three").mkdir()
    shutil.copy(f"{t.args.vectors}/vecadd.elf", programs / "three" / "same.elf")
    done = t.karat(plan, "-o", out)
    t.check(done.returncode == 2 and "has the results of another plan" in done.stderr and not (out / "work").exists(), "a program that came later",
            done.stderr)


def main():
    args = arguments.parser(__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory(prefix="karat-campaign-") as folder:
        t = Test(args, folder)
        whole = test_resume(t)
        test_outputs(t, whole)
        test_buckets(t, whole)
        test_smallest(t)
        test_hangs(t)
        test_refused(t)
        test_compare(t, whole)
        test_shrinks(t)
        test_known(t)
        test_flaky(t)
        test_bisect(t)
        test_odd_cores(t)
        test_random(t)
    print(f"{t.checks} checks, {t.failures} failed")
    return 1 if t.failures else 0


if __name__ == "__main__":
    sys.exit(main())
