#!/usr/bin/python3
"""The Python package against the C programs: traces, memory, disassembly, coverage, recordings and verdicts are those of the command karat.

KARAT_SEED repeats a run."""
import argparse
import ast
import collections
import ctypes
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

import karat
from karat import _arrays, _library, records

ARGS = None
SEED = int(os.environ.get("KARAT_SEED", random.SystemRandom().randrange(1 << 32)))


def command(*arguments, status=0):
    """What karat prints."""
    done = subprocess.run([ARGS.karat, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise AssertionError(f"karat {arguments}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def program(name):
    return ARGS.vectors / f"{name}.elf"


def verdict_line(text):
    return [line for line in text.splitlines() if line.startswith("karat: ") and " core=" in line][-1]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.random = random.Random(SEED)

    def record(self, name, *options):
        path = self.folder / f"{name}.ktr"
        command("run", "--threads=8", f"--record={path}", *options, program(name))
        return path


class Isa(Case):
    def test_disassembly(self):
        words = [self.random.getrandbits(32) for _ in range(200)]
        words += [row.word for row in karat.rows("v2.02")]
        # Apart from each other, so that no word is taken for another's prefix.
        (self.folder / "words").write_text("".join(f"{16 * i:x}: {word:08x}\n" for i, word in enumerate(words)))
        listed = re.findall(r"^0x([0-9a-f]{8}): [0-9a-f]{8}  (.*)$", command("disasm", self.folder / "words"), re.M)
        self.assertEqual([int(addr, 16) for addr, _ in listed], [16 * i for i in range(len(words))])
        for i, (_, text) in enumerate(listed):
            self.assertEqual(re.sub(r" +[;#].*", "", text), karat.disassemble(words[i], pc=16 * i), f"{words[i]:08x}")

    def test_encode(self):
        tried = 0
        for row in karat.rows():
            profile = row.profiles[0] if row.profiles else None
            for _ in range(4 if profile else 0):
                mask = _library.lib().karat_row_info(row.number).contents.mask
                word = row.word | self.random.getrandbits(32) & ~mask
                insn = karat.decode(word, profile=profile)
                if insn is None or insn.row != row:
                    continue
                tried += 1
                self.assertEqual(karat.encode(row.mnemonic, **insn.operands), word, row.syntax)
        self.assertGreater(tried, 500)

    def test_refused(self):
        for text, call in (("operand vd is missing", lambda: karat.encode("vadd.vi", vs2=1, simm5=1)),
                           ("there is no operand rd", lambda: karat.encode("vadd.vi", vd=1, vs2=1, simm5=1, rd=2)),
                           ("does not fit", lambda: karat.encode("vadd.vi", vd=1, vs2=1, simm5=16)),
                           ("there is no such instruction", lambda: karat.encode("vadd.xx")),
                           ("profile v9: expected", lambda: karat.disassemble(0, profile="v9"))):
            self.assertRaisesRegex(karat.Error, text, call)
        self.assertIsNone(karat.decode(0))


class Runs(Case):
    PROGRAMS = (("vecadd", {}), ("simt_nested", {}), ("barrier_lds", {}), ("printing", {}), ("private", {}), ("lmul2", {}), ("regpair", {}),
                ("vsetvl", {"resident": 2}), ("multi_wg", {"resident": 2}), ("regext", {"sv39": True, "seed": 5}),
                ("public/matmul_gelu", {"threads": 32}), ("public/softmax", {"threads": 32}))

    def test_trace(self):
        """Every step: pc, word, text, mask, registers, accesses, CSR."""
        for name, options in self.PROGRAMS:
            arguments = [f"--{k}={v}" for k, v in options.items() if k == "resident"] + (["--sv39=5"] if "sv39" in options else [])
            options = {"threads": 8, **options}
            threads, every = options["threads"], (1 << options["threads"]) - 1
            lines = command("run", f"--threads={threads}", "--trace", *arguments, program(name)).splitlines()
            steps = [line for line in lines if " | mask=" in line]
            prints = [line for line in lines if line.startswith("print ")]
            run = karat.Run(karat.Kernel(program(name)), **options)
            taken, masks = 0, {}
            for commit in run:
                line = steps[taken]
                found = re.fullmatch(r"\w+ wg=\d+ warp=(\d+) ([0-9a-f]{8}): (?:([0-9a-f]{8}) )?([0-9a-f]{8})  (.*) \| mask=([0-9a-f]{8})(.*)", line)
                self.assertTrue(found, line)
                self.assertEqual((commit.pc, commit.prefix, commit.word, commit.mask_after),
                                 tuple(int(found[i] or "0", 16) for i in (2, 3, 4, 6)), line)
                self.assertEqual((commit.warp % run.kernel.warps, commit.text), (int(found[1]), found[5]), line)
                self.assertEqual(commit.mask, masks.get(commit.warp, every), line)
                masks[commit.warp] = every if commit.ended else commit.mask_after
                self.effects(commit, found[7], line)
                taken += 1
            self.assertEqual(taken, len(steps), name)
            said = [line for p in run.prints for line in (f"print wg={p.workgroup} warp={p.warp}: {t}" for t in p.text.decode().split("\n") if t)]
            self.assertEqual(said, prints, name)
            self.assertEqual(bool(prints), name == "printing")

    def effects(self, commit, rest, line):
        scalars = {int(n): int(v, 16) for n, v in re.findall(r" x(\d+)=([0-9a-f]+)", rest)}
        vectors = {int(n): (int(m, 16), v) for n, m, v in re.findall(r" v(\d+)/([0-9a-f]+)=(\S+)", rest)}
        self.assertEqual(scalars, {w.number: int(w.value[0]) for w in commit.writes if w.file == "x"}, line)
        self.assertEqual(set(vectors), {w.number for w in commit.writes if w.file == "v"}, line)
        for write in commit.writes:
            if write.file == "v":
                mask, values = vectors[write.number]
                self.assertEqual(mask, write.mask, line)
                active = [int(write.value[lane]) for lane in range(32) if mask >> lane & 1]
                self.assertEqual([int(value, 16) for value in values.split(",")], active, line)
        listed = [(int(lane), int(virt, 16), int(phys or virt, 16), int(value, 16))
                  for lane, virt, phys, value in re.findall(r" (\d+):\[([0-9a-f]+)@?([0-9a-f]*)\]=([0-9a-f]+)", rest)]
        self.assertEqual(listed, [(a.lane, a.virt, a.addr, a.value) for a in commit.accesses], line)
        csr = re.search(r" csr\[([0-9a-f]+)\]=([0-9a-f]+)", rest)
        self.assertEqual(csr and (int(csr[1], 16), int(csr[2], 16)), commit.csr, line)

    def test_state(self):
        """Registers of warps are those that their steps wrote; snapshots continue in the same way."""
        run = karat.Run(str(program("simt_nested")), threads=8)
        written = {}
        for commit in run:
            for write in commit.writes:
                written[commit.warp, write.file, write.number] = list(write.value)
            if run.steps == 201:
                break
        self.assertGreater(len(written), 10)
        for (warp, file, number), value in written.items():
            state = run.model.warp(warp)
            self.assertEqual(list(state.v[number]) if file == "v" else [state.x[number]], value)
        self.assertEqual(commit.mask_after, run.model.warp(commit.warp).mask)
        saved = run.model.save()
        again = karat.Model.restore(saved)
        self.assertEqual(again.save(), saved)
        for model in (run.model, again):
            for warp in (0, 1) * 20:
                model.step(warp)
        self.assertEqual(again.save(), run.model.save())
        self.assertNotEqual(again.save(), saved)
        broken = bytearray(saved)
        broken[self.random.randrange(len(saved))] ^= 1
        self.assertRaisesRegex(karat.Error, "not a snapshot", karat.Model.restore, bytes(broken))

    def test_matrices(self):
        """A matrix product reads C, A and B and writes D, register by register; a shuffle reads one register and writes one."""
        seen = set()
        for commit in karat.Run(karat.Kernel(program("public/matmul_gelu")), threads=32):
            if commit.text.startswith("mma.m16n16k16") or commit.text.startswith("shuffle"):
                name, first, *more = commit.text.replace(",", "").split()
                d, places = int(first[1:]), ([(int(more[0][1:]), 4), (int(more[1][1:]), 4)] if name[:3] == "mma" else [(int(more[0][1:]), 1)])
                num = 8 if name[:3] == "mma" else 1
                self.assertEqual([w.number for w in commit.writes], list(range(d, d + num)), commit.text)
                read = {number + k for number, size in places + ([(d, 8)] if num == 8 else []) for k in range(size)}
                self.assertEqual(sorted(r.number for r in commit.reads), sorted(read), commit.text)
                self.assertTrue(all(w.mask == 0xffffffff for w in commit.writes), commit.text)
                seen.add(name.split(".")[0])
        self.assertEqual(seen, {"mma", "shuffle"})

    def test_values_that_do_not_fit(self):
        run = karat.Run(str(program("vecadd")), threads=8)
        run.step(0)
        warp = run.model.warp(0)
        for call, text in ((lambda: warp.set("x5", 1 << 40), "x5: 1099511627776 is no 32-bit word"),
                           (lambda: warp.set("v5", [1, 2]), "v5: expected 8 values, found 2"),
                           (lambda: warp.set("y1", 1), "y1: expected a register"),
                           (lambda: warp.csr("nope"), "nope: expected the number of a CSR, or one of tid"),
                           (lambda: warp.set_csr("wid", 1 << 32), "no 32-bit word"),
                           (lambda: karat.Model(threads=(1 << 32) + 4), "num_thread: expected 0 to 2.32 - 1, found 4294967300"),
                           (lambda: karat.Model(translation="sv48"), "translation: expected one of none, sv39, found 'sv48'"),
                           (lambda: karat.Model(colour=1), "colour: no such field of the model's configuration"),
                           (lambda: run.model.launch(0, (1 << 32) + 4), "pc: expected 0 to 2.32 - 1"),
                           (lambda: run.model.launch(0, 0x80000000, lds_sizes=16), "lds_sizes: no such field of a launch"),
                           (lambda: run.model.launch(0, 0x80000000, csr={0x340: 1}), "832: a launch gives custom CSRs alone"),
                           (lambda: run.model.map(-4096, 4096), "base: expected 0 to 2.64 - 1, found -4096"),
                           (lambda: run.model.read(1 << 64, 4), "address: expected 0 to 2.64 - 1"),
                           (lambda: run.model.read(0x90000000, -1), "size: expected 0 to 2.32 - 1, found -1"),
                           (lambda: run.model.write(0x90000000, [1 << 33]), "data: 8589934592 is no 32-bit word"),
                           (lambda: karat.disassemble("x"), "word: expected a number, found 'x'"),
                           (lambda: karat.Coverage(threads=9), "threads=9: expected a power of two")):
            self.assertRaisesRegex(karat.Error, text, call)

    def test_memory(self):
        kernel = karat.Kernel(program("vecadd"))
        out = kernel.symbols["out"]
        dumped = command("run", "--threads=8", f"--dump=0x{out:x},400", program("vecadd"))
        words = [int(word, 16) for line in dumped.splitlines() if re.match(r"0x[0-9a-f]{8}:", line) for word in line.split()[1:]]
        run = karat.Run(kernel, threads=8).run()
        self.assertEqual([int(word) for word in run.read_words(out, 100)], words)
        self.assertRaisesRegex(karat.Error, "not mapped", run.read, 0x1000, 4)
        self.assertRaisesRegex(karat.Error, "no-such", karat.Kernel, "no-such.elf")

    def test_launch(self):
        """A launch by options is that of karat run."""
        options = {"kernel": "scale", "grid": 2, "arg": ["f32:1.5", "u32:7", "buffer:64"]}
        words = [f"--{k}={v}" for k, many in options.items() for v in (many if isinstance(many, list) else [many])]
        kernel = karat.Kernel(ARGS.launched, launch=options, threads=8)
        run = karat.Run(kernel, threads=8).run()
        dumped = command("run", "--threads=8", *words, "--dump-arg=2", ARGS.launched)
        expected = [int(word, 16) for line in dumped.splitlines() if re.match(r"0x[0-9a-f]{8}:", line) for word in line.split()[1:]]
        self.assertEqual([int(word) for word in run.read_words(kernel.args[2], 16)], expected)
        self.assertEqual(len(set(expected)), 16)
        for text, bad in (("there is none of that name", {"colour": 1}), ("found 'x'", {"grid": "x"})):
            self.assertRaisesRegex(karat.Error, text, karat.Kernel, ARGS.launched, launch=bad)

    def test_program_error(self):
        model = karat.Model(threads=4, max_warps=1)
        model.map(0x80000000, 4096)
        model.write(0x80000000, [karat.encode("addi", rd=5, rs1=0, imm12=2), karat.encode("lw", rd=6, rs1=5, offset12=0)])
        model.open(0, 1)
        model.launch(0, 0x80000000)
        model.step(0)
        with self.assertRaises(karat.ProgramError) as caught:
            model.step(0)
        self.assertEqual((caught.exception.kind, caught.exception.pc, caught.exception.addr), ("misaligned access", 0x80000004, 2))
        self.assertIn("lw x6, 0(x5)", str(caught.exception))
        self.assertIsNone(model.step(0))
        model.unmap(0x80000000, 1)
        self.assertRaisesRegex(karat.Error, "not mapped", model.read, 0x80000004, 4)


class Checks(Case):
    def test_verdicts(self):
        """A recording, judged by the command and by the package: the same line, report and JSON, with and without a fault in it."""
        path = self.record("simt_nested")
        recording = karat.Recording(path)
        entries = list(recording)
        self.assertTrue(recording.complete)
        writes = [i for i, e in enumerate(entries) if isinstance(e, records.Write)]
        for fault in (None, self.random.choice(writes), "cut"):
            copy = self.folder / "copy.ktr"
            checker = recording.checker()
            with karat.RecordingWriter(copy, checker) as writer:
                for i, entry in enumerate(entries):
                    if i == fault:
                        entry.data[(entry.mask & -entry.mask).bit_length() - 1] ^= 1 << self.random.randrange(32)
                    if fault == "cut" and i == len(entries) - 1:
                        break
                    writer.record(entry)
                    checker.record(entry)
            if fault == "cut":
                copy.write_bytes(path.read_bytes()[:path.stat().st_size // 2])
            judged = karat.Recording(copy).check()
            status = {None: 0, "cut": 5}.get(fault, 1)
            text = command("check", f"--json={self.folder / 'report.json'}", copy, status=status)
            self.assertEqual(judged.verdict, status)
            self.assertEqual(judged.line, verdict_line(text))
            self.assertEqual(judged.json(), json.loads((self.folder / "report.json").read_text()))
            if fault is not None:
                self.assertEqual(judged.report() + judged.line + "\n", text)
            if fault != "cut":
                self.assertEqual(checker.line, judged.line)

    def test_records(self):
        """As many of each kind as `karat check --records` counts, and every one the same bytes when taken apart and put together."""
        path = self.record("barrier_lds")
        table = command("check", "--records", path)
        counted = {name: int(count) for name, count in re.findall(r"^  (\w+) +(?:yes|no|test bench) +(\d+)", table, re.M)}
        seen = dict.fromkeys(counted, 0)
        for record in karat.Recording(path):
            seen[record.kind_name] += 1
            header = {name: getattr(record.h, name) for name, _ in records.Header._fields_ if name != "kind"}
            self.assertEqual(type(record)(**header, **record.fields()), record)
        self.assertEqual(seen, counted)
        self.assertGreater(counted["mem"], 0)
        self.assertRaisesRegex(karat.Error, "there is no field colour", records.Issue, colour=1)
        self.assertRaisesRegex(karat.Error, "bytes, expected", records.parse, bytes([records.REC_ISSUE, 0]))

    def core(self, checker, fault=None):
        """A core that is the model: own records, without a recording."""
        kernel = karat.Kernel(program("vecadd"))
        model = karat.Run(kernel, threads=8)
        gives = (records.REC_HELLO, records.REC_LAUNCH, records.REC_ISSUE, records.REC_WRITE, records.REC_EXIT)
        checker.record(records.Hello(version=records.VERSION, stack_depth=14, num_sm=1, num_warp=4, num_thread=8, name="python",
                                     gives=sum(1 << kind for kind in gives), props=records.PROP_INTERLOCKED))
        for record in karat.kernel_records(kernel, 8):
            checker.record(record)
        for warp in range(4):
            checker.record(karat.launch_record(kernel, 8, 0, warp, slot=warp))
        seqs = [0] * 4
        for cycle, step in enumerate(model):
            head = {"slot": step.warp, "cycle": cycle, "seq": seqs[step.warp]}
            seqs[step.warp] += 1
            checker.record(records.Issue(**head, pc=step.pc, word=step.word, mask=step.mask))
            for write in step.writes:
                record = records.Write(**head, cls="xv".index(write.file), regno=write.number, mask=write.mask, data=write.value)
                if cycle == fault:
                    record.data[0] ^= 8
                if checker.record(record):
                    return
            if step.ended:
                checker.record(records.Exit(slot=step.warp, cycle=cycle))
        checker.record(records.Bye(cycle=cycle + 1, reason=records.BYE_DONE))

    def test_own_records(self):
        checker = karat.Checker(core={"core": "python"}, kernels=[karat.Kernel(program("vecadd"))])
        self.core(checker)
        self.assertEqual(checker.verdict, karat.Verdict.PASS, checker.report())
        self.assertIn("core=python program=vecadd warps=4 instructions=229", checker.line)
        self.assertEqual(checker.report().strip(), "")
        checker = karat.Checker(kernels=[karat.Kernel(program("vecadd"))])
        self.core(checker, fault=4)
        self.assertEqual(checker.verdict, karat.Verdict.MISMATCH)
        self.assertIn("<_start+0x4>  vid.v v1", checker.report())
        checker = karat.Checker()
        checker.object(7, "it smokes")
        self.assertEqual((checker.verdict, "it smokes" in checker.report()), (karat.Verdict.MISMATCH, True))
        self.assertRaisesRegex(karat.Error, "expected a list of registers, lanes", karat.Checker, strict="colours")
        self.assertRaisesRegex(karat.Error, "core description", karat.Checker, core={"cores": 1})


class VectorsAndCoverage(Case):
    def test_coverage(self):
        """The same file as that of karat run, the same numbers as karat cov report."""
        coverage = karat.Coverage(threads=8)
        for name in ("vecadd", "lmul2"):
            one = karat.Coverage(threads=8)
            karat.Run(karat.Kernel(program(name)), threads=8, coverage=one).run()
            one.save(self.folder / "python.json")
            command("run", "--threads=8", f"--coverage={self.folder / 'c.json'}", program(name))
            self.assertEqual((self.folder / "python.json").read_bytes(), (self.folder / "c.json").read_bytes())
            coverage.merge(karat.Coverage.load(self.folder / "c.json"))
        coverage.save(self.folder / "both.json")
        report = json.loads(command("cov", "report", "--format=json", self.folder / "both.json"))
        self.assertEqual({g.name: (g.bins, g.excluded, g.hit) for g in coverage.groups},
                         {g["name"]: (g["bins"], g["excluded"], g["hit"]) for g in report["groups"]})
        group = coverage.groups[0]
        bins = list(coverage.bins(group))
        self.assertEqual((len(bins), sum(b.hits > 0 for b in bins)), (group.bins - group.excluded, group.hit))
        self.assertEqual(len(list(coverage.holes(group))), len(bins) - group.hit)
        self.assertEqual(coverage.runs, 2)
        self.assertRaisesRegex(karat.Error, "another device", karat.Run, str(program("vecadd")), threads=4, coverage=coverage)

    def test_vectors(self):
        vectors = karat.generate("directed", self.folder / "out", row="vmul.vv", threads=8)
        self.assertGreater(len(vectors), 1)
        for vector in vectors:
            run = karat.Run(vector.program, threads=8).run()
            self.assertEqual(vector.differences(run.read), [])
            addr = self.random.choice(list(vector.expected))
            word = vector.expected[addr]
            run.write(addr, [word ^ 1])
            self.assertEqual(vector.differences(run.read), [(addr, word, word ^ 1)])
        self.assertRaisesRegex(karat.Error, "no_such", karat.generate, "directed", self.folder / "out", row="no_such", threads=8)
        self.assertRaisesRegex(karat.Error, "no vector", karat.Vector, self.folder)


class Package(Case):
    def test_syntax(self):
        """Python 3.9 can read all of it."""
        for path in (ARGS.source / "python").rglob("*.py"):
            ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
        self.assertRaises(SyntaxError, ast.parse, "match x:\n  case 1: pass", feature_version=(3, 9))

    def test_bench(self):
        """The helper for cocotb, which nothing here can load, has the workgroup and the numbers of karat_sv_pkg."""
        package = (ARGS.source / "testbench" / "sv" / "karat_sv_pkg.sv").read_text(encoding="utf-8")
        members = re.search(r"typedef struct packed \{(.*?)\} karat_sv_workgroup_t;", package, re.S)[1]
        fields = [name for names in re.findall(r"bit \[\d+:0\] ([\w, ]+);", members) for name in names.split(", ")]
        tree = ast.parse((ARGS.source / "python" / "karat" / "cocotb.py").read_text(encoding="utf-8"))
        workgroup = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Workgroup")
        members = {node.target.id: node.annotation for node in workgroup.body if isinstance(node, ast.AnnAssign)}
        sizes = collections.Counter(re.sub(r"_[xyz]$", "", name) for name in fields[::-1])  # Of live_x, live_y, live_z one tuple
        self.assertEqual([(name, len(kind.slice.elts) if isinstance(kind, ast.Subscript) else 1) for name, kind in members.items()], [*sizes.items()])
        numbers = dict(re.findall(r"localparam int unsigned KaratSv(\w+) = (\d+);", package))
        assigned = {ast.unparse(node.targets[0]): ast.unparse(node.value) for node in tree.body if isinstance(node, ast.Assign)}
        self.assertEqual(assigned["(FETCH, DATA, WALK)"], "range(3)")
        self.assertEqual([numbers[name] for name in ("Fetch", "Data", "Walk", "LineWords", "Lanes")],
                         ["0", "1", "2", assigned["_LINE_WORDS"], str(records.MAX_THREAD)])

    def python(self, code, **environment):
        return subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, check=False)

    def test_lanes(self):
        """Arrays of numpy where it is installed, else lists."""
        code = ("import sys\n{}\nimport karat\nw = karat.Run(sys.argv[1] if len(sys.argv) > 1 else '" + str(program("vecadd")) +
                "', threads=8).warps[0]\nprint(type(w.x).__name__, type(w.v[1]).__name__, len(w.v[1]), len(w.x))")
        self.assertEqual(self.python(code.format("sys.modules['numpy'] = None")).stdout, "list list 8 64\n")
        if _arrays.numpy is None:
            print("numpy is not installed: arrays are left out")
            return
        self.assertEqual(self.python(code.format("")).stdout, "ndarray ndarray 8 64\n")
        self.assertEqual(_arrays.words(b"\xff\xff\xff\xff", 1).dtype, "uint32")

    def test_library(self):
        """Where it is looked for, and what is said where it is not found or of another version."""
        code = "import karat\ntry: print(karat.version())\nexcept karat.Error as e: print(e)"
        version = command("--version").split()[1]
        for value in (ARGS.build, ARGS.build / "golden", _library.find("karat")):
            self.assertEqual(self.python(code, KARAT_LIBRARY=str(value)).stdout.strip(), version, value)
        self.assertIn("no such file or folder", self.python(code, KARAT_LIBRARY="/nowhere").stdout)
        self.assertIn("no libkarat.so", self.python(code, KARAT_LIBRARY=str(self.folder)).stdout)
        other = self.folder / pathlib.Path(_library.find("karat")).name
        (self.folder / "other.c").write_text("unsigned karat_api_version(void) { return 99; }")
        subprocess.run([ARGS.cc, "-shared", "-fPIC", "-o", other, self.folder / "other.c"], check=True)
        self.assertIn("has API version 99", self.python(code, KARAT_LIBRARY=str(other)).stdout)

    def test_memory(self):
        """Objects of C are freed with their owners, once: a thousand of each."""
        kernel = karat.Kernel(program("vecadd"))
        path = self.record("vecadd")
        for i in range(200):
            model = karat.Model(threads=4, max_warps=1, max_workgroups=1)
            karat.Model.restore(model.save())
            karat.Checker(core={"core": "x"}, kernels=[kernel])
            karat.Kernel(program("vecadd"))
            karat.Coverage(threads=4, max_warps=1)
            if i % 20 == 0:
                karat.Recording(path).checker()
        status = dict(line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
        self.assertLess(int(status["VmRSS"].split()[0]), 400 << 10)
        self.assertEqual(ctypes.sizeof(records.Exit), ctypes.sizeof(records.Header))


def main():
    global ARGS  # pylint: disable=global-statement
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("source", "build", "karat", "vectors", "launched"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    ARGS, rest = parser.parse_known_args()
    print(f"KARAT_SEED={SEED}")
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
