"""The coverage of a program, counted once more: from `karat run --trace` and `karat isa --json`, without the model's commits.

Groups that a trace holds enough for are counted whole, others in part; Recount.compared() says which bins.
"""
import collections
import json
import re
import subprocess

LINE = re.compile(r"\S+ wg=(\d+) warp=(\d+) ([0-9a-f]{8}): (?:([0-9a-f]{8}) )?([0-9a-f]{8})  .*? \| mask=([0-9a-f]{8})(.*)")
SUMMARY = re.compile(r"\S+: workgroups=(\d+) warps=(\d+) threads=(\d+) ")
MODES = ("rne", "rtz", "rdn", "rup", "rmm")
FLAGS = ("NX", "UF", "OF", "DZ", "NV")
SPACES = {"global": "global", "lds": "lds", "private": "private"}
BORDERS = ((0, "0"), (30, "1..30"), (31, "31"), (32, "32"), (62, "33..62"), (63, "63"), (254, "64..254"), (255, "255"))
PLACES = {"dest": ("dest", "xd"), "src1": ("1", "x1"), "src2": ("2", "x2"), "src3": ("3", "x3")}


def ranged(n, names):
    """The name of the range that n is in: names is ((last, name), ...)."""
    return next(name for last, name in names if n <= last)


def doubling(n, names):
    return names[min(max(n - 1, 0).bit_length(), len(names) - 1)]


def mask_class(mask, every):
    even = every & 0x5555555555555555
    if mask == every:
        return "full"
    if not mask:
        return "empty"
    if mask.bit_count() == 1:
        return "single"
    return "alternating" if mask in (even, every & ~even) else "other"


def int_class(v):
    special = {0: "zero", 1: "one", 0xFFFFFFFF: "minus one", 0x7FFFFFFF: "largest", 0x80000000: "smallest"}
    return special.get(v) or ("small" if v < 256 else "negative" if v >> 31 else "positive")


class Row:
    def __init__(self, data):
        self.name, self.unit, self.owes = data["name"], data["unit"], data["owes"]
        self.match, self.mask = int(data["match"], 16), int(data["mask"], 16)
        self.fields = {f["text"]: (f["low"], f["high"] - f["low"] + 1) for f in data["fields"]}
        self.operands = data["operands"]
        self.registers = [o for o in self.operands if "class" in o]
        self.vector = any(o["class"] == "v" for o in self.registers)
        self.grouped = self.match & 0x7F in (0x57, 0x07, 0x27) and self.unit != "config" and "x" not in self.owes
        self.two = sorted((o["role"], o["class"]) for o in self.registers if o["role"] != "dest") == [("src1", "x"), ("src2", "x")]
        self.plain = self.two and (self.unit in ("alu", "mul", "div") or (self.unit == "branch" and "x" not in self.owes))

    def field(self, word, name):
        low, width = self.fields[name]
        return word >> low & (1 << width) - 1


class Table:
    def __init__(self, karat):
        rows = json.loads(subprocess.run([karat, "isa", "--json", "--profile", "v2.02"], check=True, capture_output=True, text=True).stdout)
        self.rows = {r["name"]: Row(r) for r in rows if not r["illegal"]}
        self.by_opcode = collections.defaultdict(list)
        for row in self.rows.values():
            self.by_opcode[row.match & 0x7F].append(row)

    def decode(self, word):
        return next(r for r in self.by_opcode[word & 0x7F] if word & r.mask == r.match)

    def extensions(self, prefix):
        """The prefix's row, and the upper bits of each register number."""
        if prefix is None:
            return "none", {}
        row = self.decode(prefix)
        return row.name, {name: row.field(prefix, name) for name in ("xd", "x1", "x2", "x3") if name in row.fields}


class Warp:
    def __init__(self, every, lanes):
        self.initial = self.mask = every
        self.x, self.v0 = [0] * 64, [[0] * lanes, [0] * lanes]
        self.lmul, self.vl, self.frm = 1, lanes, 0
        self.recent = collections.deque(maxlen=8)


class Recount:
    """hits[group][names of the points]"""

    def __init__(self, table, karat, program, lanes):
        self.table, self.lanes, self.warps = table, lanes, {}
        self.hits = collections.defaultdict(collections.Counter)
        self.steps, self.pairs = 0, False
        self.barriers = collections.defaultdict(lambda: [0, 0])  # Arrived, step of the last
        done = subprocess.run([karat, "run", f"--threads={lanes}", "--trace", program], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"{program}: {done.stderr}")
        summary = next(m for m in map(SUMMARY.match, done.stdout.splitlines()[::-1]) if m)
        self.size = int(summary[2]) // int(summary[1])
        every = (1 << int(summary[3])) - 1
        for line in done.stdout.splitlines():
            match = LINE.match(line)
            if match:
                key = match[1], match[2]
                warp = self.warps.setdefault(key, Warp(every, lanes))
                self.step(match, warp)
                if match[7].endswith(" end"):
                    del self.warps[key]

    def step(self, match, warp):
        self.steps += 1
        prefix, word, after, rest = match[4] and int(match[4], 16), int(match[5], 16), int(match[6], 16), match[7]
        row = self.table.decode(word)
        name, more = self.table.extensions(prefix)
        self.pairs |= name.startswith("regpair")
        numbers = {o["role"]: row.field(word, o["name"]) | more.get(PLACES[o["role"]][1], 0) << 5 for o in row.registers}
        writes = {(c, int(n)): (int(m or "1", 16), [int(v, 16) for v in values.split(",")])
                  for c, n, m, values in re.findall(r" ([xv])(\d+)(?:/([0-9a-f]{8}))?=([0-9a-f,]+)", rest)}
        mask = self.instruction(row, word, name, numbers, writes, rest, warp)
        self.number(row, word, numbers, more)
        if row.plain:
            self.operands(row, name, mask, numbers, warp)
        if row.unit in ("fp", "fdiv", "sfu", "tensor"):
            self.rounding(row, word, rest, warp)
        if re.search(r" (load|store|amo)\.", rest):
            self.memory(row, word, name, numbers, rest, warp)
        self.control(match, after, rest, warp)
        self.hazards(row, numbers, writes, warp)
        self.keep(row, word, numbers, writes, rest, after, warp)

    def part_masks(self, row, word, warp):
        """Active lanes of each register of a group, by thread mask, vl and v0.t."""
        masked = "vm" in row.fields and not row.field(word, "vm")
        return [sum(1 << i for i in range(self.lanes) if warp.mask >> i & 1 and p * self.lanes + i < warp.vl and
                    (not masked or warp.v0[p][i] & 1)) for p in range(warp.lmul)]

    def instruction(self, row, word, prefix, numbers, writes, rest, warp):
        active, every = warp.mask, warp.initial
        if row.vector and row.unit != "simt":
            group = row.grouped and warp.lmul == 2
            every |= every << self.lanes if group else 0
            active = 0
            for (cls, number), (lanes, _) in writes.items():
                part = number - numbers.get("dest", 0)
                if cls == "v" and (part == 0 or group):
                    active |= lanes << part * self.lanes
            if row.unit == "tensor":  # It writes fewer lanes than are active
                active = self.part_masks(row, word, warp)[0]
            elif "v" not in row.owes:  # A store: its lanes, once for each register
                part, last = 0, -1
                for lane in map(int, re.findall(r" (\d+):\[", rest)):
                    part += group and lane <= last
                    active, last = active | 1 << part * self.lanes + lane, lane
        mask = mask_class(active, every)
        self.hits["instruction"][row.name, prefix, mask] += 1
        return mask

    def number(self, row, word, numbers, more):
        for operand in row.registers:
            place, _ = PLACES[operand["role"]]
            self.hits["number"][row.name, place, ranged(numbers[operand["role"]], BORDERS)] += 1
            if operand.get("read"):
                third = row.field(word, operand["name"]) | more.get("x3", 0) << 5
                self.hits["number"][row.name, "3", ranged(third, BORDERS)] += 1

    def operands(self, row, prefix, mask, numbers, warp):
        first, second = (int_class(warp.x[numbers[source]]) for source in ("src1", "src2"))
        self.hits["operand"][row.name, prefix, mask, "1", first] += 1
        self.hits["operand"][row.name, prefix, mask, "2", second] += 1
        self.hits["pair"][row.name, first, second] += 1

    def rounding(self, row, word, rest, warp):
        mode = row.field(word, "rm") if "rm" in row.fields else 7
        mode = warp.frm if mode == 7 else mode
        raised = re.search(r" fflags\|=([0-9a-f]{2})", rest)
        bits = int(raised[1], 16) if raised else 0
        if mode < len(MODES):
            for flag in [f for i, f in enumerate(FLAGS) if bits >> i & 1] or ["none"]:
                self.hits["rounding"][row.name, MODES[mode], flag] += 1

    def memory(self, row, word, prefix, numbers, rest, warp):
        kind, space, listed = re.search(r" (load|store|amo)\.(\w+)((?: \d+:\[[0-9a-f]+\]=[0-9a-f]+)*)", rest).groups()
        accesses = [(int(lane), int(addr, 16), len(value) // 2)
                    for lane, addr, value in re.findall(r" (\d+):\[([0-9a-f]+)\]=([0-9a-f]+)", listed)]
        op = "lr" if row.name == "lr_w" else "amo" if kind == "amo" else kind
        if row.name == "sc_w":
            op = "sc, stores" if accesses else "sc, fails"
        if not accesses:
            if op == "sc, fails":
                self.hits["memory"][op, SPACES[space], "4", "0", "one access"] += 1
            return
        if row.grouped and warp.lmul == 2:
            parts = self.part_masks(row, word, warp)
            accesses = accesses[:(parts[0] or parts[1]).bit_count()]
        else:
            accesses = [a for i, a in enumerate(accesses) if a[0] not in (b[0] for b in accesses[:i])]  # A pair's first words
        width = accesses[0][2]
        if prefix.startswith("regpair") and width == 4 and op in ("load", "store"):
            width = 8
        words = {addr >> 2 for _, addr, _ in accesses}
        banks = collections.Counter(w % self.lanes for w in words)
        most = max(banks.values())
        pattern = ("one access" if len(accesses) == 1 else "one word" if len(words) == 1 else "no conflict" if most == 1 else
                   "one bank" if len(banks) == 1 and most > 2 else "2-way" if most == 2 else "3-way and more")
        self.hits["memory"][op, SPACES[space], str(width), str(accesses[0][1] & 3), pattern] += 1

    def control(self, match, after, rest, warp):
        simt = re.search(r" simt=(\w+) next=([0-9a-f]{8}) depth=(\d+)", rest)
        if simt:
            event = {"diverge": "diverge", "pass": "pass"}.get(simt[1])
            if simt[1] == "uniform":
                event = "none taken" if int(simt[2], 16) == int(match[3], 16) + 4 else "all taken"
            elif simt[1] == "pop":
                event = "to the join" if warp.mask & after else "to the other path"
            depth = ranged(int(simt[3]), (*((i, str(i)) for i in range(5)), (8, "5..8"), (1 << 16, "9 and more")))
            self.hits["simt"][event, depth, mask_class(after, warp.initial)] += 1
        barrier = re.search(r" barrier=(\w+)", rest)
        if barrier:
            state = self.barriers[match[1]]
            apart = self.steps - state[1] if state[0] else 0
            arrival = "last" if barrier[1] == "release" else "between" if state[0] else "first"
            self.hits["barrier"][doubling(self.size, ("1", "2", "3..4", "5..8", "9 and more")), arrival,
                                 ranged(apart, ((3, "0..3"), (31, "4..31"), (1 << 64, "32 and more")))] += 1
            self.barriers[match[1]] = [0 if barrier[1] == "release" else state[0] + 1, self.steps]

    def hazards(self, row, numbers, writes, warp):
        """Of scalar registers."""
        reads = {numbers[o["role"]] for o in row.registers if o["class"] == "x" and o["role"] != "dest"} - {0}
        written = {number for cls, number in writes if cls == "x"} - {0}
        for distance, (unit, old_reads, old_written) in enumerate(warp.recent, 1):
            for hazard, meets in (("RAW", old_written & reads), ("WAW", old_written & written), ("WAR", old_reads & written)):
                if meets:
                    self.hits["hazard"][unit, row.unit, hazard, "x", doubling(distance, ("1", "2", "3..4", "5..8"))] += 1
        warp.recent.appendleft((row.unit, reads, written))

    def keep(self, row, word, numbers, writes, rest, after, warp):
        if row.unit == "config":
            vtype = (row.field(word, next(n for n in row.fields if n.startswith("vtype"))) if row.name != "vsetvl" else
                     warp.x[numbers["src2"]])
            valid = vtype & ~0xC1 == 0x10  # e32, m1 or m2; tail and mask as they like
            avl = row.field(word, "avl") if row.name == "vsetivli" else warp.x[numbers["src1"]]
            if row.name != "vsetivli" and not numbers["src1"]:
                avl = 1 << 32 if numbers["dest"] else warp.vl
            warp.lmul = 2 if valid and vtype & 1 else 1
            warp.vl = min(avl, warp.lmul * self.lanes) if valid else 0
        for (cls, number), (lanes, values) in writes.items():
            if cls == "x" and number:
                warp.x[number] = values[0]
            elif cls == "v" and number < 2:
                taken = iter(values)
                for lane in range(self.lanes):
                    if lanes >> lane & 1:
                        warp.v0[number][lane] = next(taken)
        for csr, value in re.findall(r" csr\[([0-9a-f]{3})\]=([0-9a-f]{8})", rest):
            if csr in ("002", "003"):
                warp.frm = int(value, 16) >> (5 if csr == "003" else 0)
        warp.mask = after

    def compared(self, group, names):
        """Whether that bin of the model's is one of those counted here."""
        if group in ("operand", "pair"):
            return self.table.rows[names[0]].plain
        if group == "instruction":  # The sources of a scalar show no lanes
            row = self.table.rows[names[0]]
            return not (row.vector and "x" in row.owes)
        if group == "hazard":
            return names[3] == "x" and not self.pairs
        return group in ("number", "rounding", "memory", "simt", "barrier")

    def differences(self, report):
        """Lines: bins whose hits are others in a report (karat cov report --format=json --hits)."""
        wrong = []
        for group in report["groups"]:
            name = group["name"]
            theirs = {tuple(names): times for names, times in group["hits"] if self.compared(name, names)}
            ours = {names: times for names, times in self.hits[name].items() if self.compared(name, names)}
            wrong += [f"{name} {' '.join(names)}: {theirs.get(names, 0)} hits, {ours.get(names, 0)} in the trace"
                      for names in sorted(theirs.keys() | ours) if theirs.get(names, 0) != ours.get(names, 0)]
        return wrong
