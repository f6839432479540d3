"""The Chisel Ventus core's output for a run, made of `karat run --trace`: results of loads, and some others, as late
as an instruction that uses them allows."""
import random
import re
import subprocess

STEP = re.compile(r"(\S+) wg=(\d+) warp=(\d+) ([0-9a-f]{8}): ((?:[0-9a-f]{8} )*)([0-9a-f]{8})  (.*?) \| mask=([0-9a-f]{8})(.*)")
SIMT = 0x5B
JOIN, SETRPC = 0x205B, 0x305B


class Step:
    def __init__(self, m):
        self.kernel, self.wg, self.warp = m[1], int(m[2]), int(m[3])
        self.pc, self.prefixed, self.word = int(m[4], 16), bool(m[5]), int(m[6], 16)
        self.text, self.mask, self.rest = m[7], int(m[8], 16), m[9]
        self.fetch = self.pc - 4 * self.prefixed
        self.next = None
        names = re.findall(r"\b([xv])(\d+)", self.text) + re.findall(r" ([xv])(\d+)[=/]", self.rest)
        # Groups and pairs name their first register only; masks are v0.
        self.regs = {(c, int(n) + d) for c, n in names for d in (-1, 0, 1)} | {("v", 0)}


def run(karat, files, *options):
    done = subprocess.run([karat, "run", "--trace", *options, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    steps, last = [], {}
    for line in done.stdout.splitlines():
        m = STEP.match(line)
        if m:
            s = Step(m)
            before = last.get((s.kernel, s.wg, s.warp))
            if before:
                before.next = s.fetch
            last[s.kernel, s.wg, s.warp] = s
            steps.append(s)
    return steps


class Printer:
    """sm: lines name it. old: accesses of vectors are printed as BASE+OFFSET, stores as late as younger accesses allow, and JOINs and
    the links of jumps again while they wait."""

    def __init__(self, threads, seed=1, sms=2, sm=True, old=False):
        self.threads, self.sms, self.sm, self.old = threads, sms, sm, old
        self.values = {}  # old: what the warps' registers hold, by lane
        self.random = random.Random(seed)
        self.lines, self.slots, self.late, self.free = [], {}, {}, {}

    def vector(self, by_lane):
        return " ".join(f"{by_lane.get(lane, 0xdeadbeef):08x}" for lane in reversed(range(self.threads)))

    def line(self, s, text, late=()):
        sm, slot = self.slots[s.kernel, s.wg, s.warp]
        where = f"sm {sm:3d} warp {slot}" if self.sm else f"warp {slot}"
        line = f"{where} 0x{s.pc:08x} 0x{s.word:08x}{text}"
        if late:
            self.late.setdefault((sm, slot), []).append((set(late), line))
        else:
            self.lines.append(line)

    def flush(self, where, regs=None):
        """Print what waits, where an instruction uses these registers (None: all)."""
        waiting = self.late.pop(where, [])
        for late, line in waiting:
            if regs is None or late & regs or self.random.random() < 0.2:
                self.lines.append(line)
            else:
                self.late.setdefault(where, []).append((late, line))

    def place(self, s, wg_size):
        used = [[slot for m, slot in self.slots.values() if m == sm] for sm in range(self.sms)]
        sm = min(range(self.sms), key=lambda sm: len(used[sm]))
        used = used[sm]
        free = [slot for slot in range(64) if slot not in used]
        for warp in range(wg_size):
            self.slots[s.kernel, s.wg, warp] = sm, free[warp]
            self.flush((sm, free[warp]))

    def accesses(self, s):
        m = re.search(r" (load|store|amo)\.(\w+)((?: \d+:\[\w+\]=\w+)*)", s.rest)
        return m and (m[1], [(int(a), int(b, 16), int(c, 16)) for a, b, c in
                             re.findall(r" (\d+):\[(\w+)\]=(\w+)", m[3])])

    def operand(self, s, name):
        """A register's values by lane."""
        known = self.values.get((s.kernel, s.wg, s.warp, name), {})
        return {lane: known.get(lane if name[0] == "v" else 0, 0) for lane in range(self.threads)}

    def sums(self, s):
        """The operands of an access, which the core adds up for most."""
        m = re.search(r"(-?\w+)?\(([xv]\d+)\)(?:, ([xv]\d+))?", s.text)
        base = self.operand(s, m[2])
        offset = {lane: int(m[1], 0) if m[1] else 0xabcdef01 for lane in base} if not m[3] else self.operand(s, m[3])
        return " ".join(f"{base[lane]:08x}+{offset[lane] & 0xFFFFFFFF:08x}" for lane in reversed(range(self.threads)))

    def memory(self, s, op, accesses):
        vector = bool(re.match(r"v", s.text))
        name = "lsu.r" if op == "load" else "lsu.w"
        words = {("memory", addr >> 2) for _, addr, _ in accesses}
        if self.old:
            self.flush(self.slots[s.kernel, s.wg, s.warp], words)
        late = words if self.old and op == "store" and self.random.random() < 0.6 else ()
        if not vector:
            addr, data = accesses[0][1], accesses[0][2]
            off = self.random.randrange(4096) if s.word & 0x7F != 0x2F else 0
            if s.word & 0x7F == 0x2F and op == "amo":
                off, data = 0x1234567, 0xabcdef01  # Both are its operand
                base = addr
            else:
                base = (addr - off) & 0xFFFFFFFF
            stored = f"{data:08x} " if op != "load" else ""
            self.line(s, f" {name} x {7:3d} op 3 {stored}@ {base:08x}+{off:08x}", late)
        else:
            addrs = self.sums(s) if self.old else self.vector({lane: addr for lane, addr, _ in accesses})
            stored = ""
            if op != "load":
                mask = sum({1 << lane for lane, _, _ in accesses})
                stored = f"mask {mask:0{self.threads}b} {self.vector({l: d for l, _, d in accesses})} "
            self.line(s, f" {name} v{9:3d} op 3 {stored}@ {addrs}", late)
        if op != "load":
            self.line(s, " lsu.w fin", {("fin", 0)})

    def control(self, s):
        opcode, kind = s.word & 0x7F, s.word & 0x707F
        following = s.next if s.next is not None else s.pc + 4
        if kind == SETRPC:
            for _ in range(self.random.choice((1, 1, 3))):
                self.line(s, f"  setrpc 0x{int(re.search(r'=([0-9a-f]{8})', s.rest)[1], 16):08x} ")
        elif kind == JOIN:
            popped = " simt=pop" in s.rest
            mask, pc = (s.mask, following) if popped else (0, 0xdead0000)
            join = f" join    mask and npc:    {mask:0{self.threads}b} 0x{pc:08x} pop stack ? {int(popped)}"
            for _ in range(self.random.choice((0, 1, 2) if self.old else (1, 1, 2))):
                self.line(s, join)
            self.line(s, f" Jump? {int(popped)}  {following if popped else 0:08x}")
            for _ in range(self.random.choice((1, 1, 2)) if self.old else 0):
                self.line(s, join)
        elif opcode == SIMT:
            if following != s.pc + 4:
                self.line(s, f" Jump? 1  {following:08x}")
            elif self.random.random() < 0.8:
                self.line(s, f" vbranch     current mask and npc:   {s.mask:0{self.threads}b}    0x{following:08x}")
        elif opcode in (0x63, 0x6F, 0x67):
            taken = opcode != 0x63 or following != s.pc + 4
            link = re.search(r" x([1-9]\d*)=([0-9a-f]{8})", s.rest)
            if self.old and link:  # Written while it waits, and again, and not after it
                for _ in range(self.random.choice((1, 2))):
                    self.line(s, f" x{int(link[1]):3d}  {link[2]}")
            self.line(s, f" Jump? {int(taken)}  {following if taken else s.pc + 64:08x}")

    def step(self, s, wg_size):
        if (s.kernel, s.wg, s.warp) not in self.slots:
            self.place(s, wg_size)
        where = self.slots[s.kernel, s.wg, s.warp]
        self.flush(where, s.regs)
        access = self.accesses(s)
        if access and access[1]:
            self.memory(s, *access)
        if self.old and (" barrier=" in s.rest or s.word & 0x7F in (0x0F, 0x2F)):
            self.flush(where)
        self.control(s)
        written = self.old and s.word & 0x7F in (0x6F, 0x67)
        slow = bool(access) or self.random.random() < 0.3
        for reg, value in re.findall(r" x(\d+)=([0-9a-f]{8})", s.rest):
            if not written:
                self.line(s, f" x{int(reg):3d}  {value}", {("x", int(reg))} if slow else ())
            self.values[s.kernel, s.wg, s.warp, f"x{int(reg)}"] = {0: int(value, 16)}
        for reg, mask, values in re.findall(r" v(\d+)/([0-9a-f]{8})=([0-9a-f,]+)", s.rest):
            mask = int(mask, 16)
            lanes = [lane for lane in range(32) if mask >> lane & 1]
            by_lane = dict(zip(lanes, (int(v, 16) for v in values.split(","))))
            self.values.setdefault((s.kernel, s.wg, s.warp, f"v{int(reg)}"), {}).update(by_lane)
            self.line(s, f" v{int(reg):3d} {mask:0{self.threads}b} {self.vector(by_lane)} ",
                      {("v", int(reg))} if slow else ())
        if s.word & 0x7F == 0x6F and not s.word >> 7 & 31:
            self.line(s, f" x  0  {s.pc + 4:08x}")
        if " barrier=" in s.rest:
            self.line(s, " barrier")
        if s.rest.endswith(" end") or " end " in s.rest:
            self.line(s, " endprg")
            del self.slots[s.kernel, s.wg, s.warp]
            self.slots[s.kernel, s.wg, s.warp, "was"] = (None, None)

    def finish(self):
        for where in list(self.late):
            self.flush(where)


def make(karat, files, threads, *options, seed=1, sms=2, sm=True, old=False):
    """The lines of such a log; extra options go to karat run."""
    steps = run(karat, files, *options)
    sizes = {}
    for s in steps:
        sizes[s.kernel] = max(sizes.get(s.kernel, 0), s.warp + 1)
    p = Printer(threads, seed, sms, sm, old)
    kernel = None
    for s in steps:
        if s.kernel != kernel:
            p.finish()
            kernel = s.kernel
            p.lines.append(f"[bench] kernel {kernel}")
        p.step(s, sizes[s.kernel])
    p.finish()
    return p.lines
