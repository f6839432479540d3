"""A small program, and its register log in every dialect in which the instruction-set simulator has printed."""
import dataclasses

import kernelfile

START = kernelfile.CODE
LANES = 4

# lui x10; csrr x5, wid; csrr x6, gdx; li x7, 5; sb x7, 0(x10); vid.v v1; vmv.v.x v2, x0; auipc x8; setrpc x0, x8, 16; vbeq v1, v2, +8;
# li x9, 1; join; vadd.vi v3, v1, 1; endprg
CODE = [0x90000537, 0x805022F3, 0x80802373, 0x00500393, 0x00750023, 0x5208A0D7, 0x5E004157, 0x00000417, 0x0104305B, 0x0011045B,
        0x00100493, 0x0000205B, kernelfile.vadd_vi(3, 1, 1), kernelfile.ENDPRG]
RPC = START + 4 * 11
STEPS = 16  # Steps of a warp: the JOIN is executed three times


@dataclasses.dataclass
class Simt:
    mask: int
    npc: int
    stack: list  # (r_pc, else_pc, else_mask), the top first


@dataclasses.dataclass
class Step:
    pc: int
    word: int
    x: tuple = ()       # (register, value)
    v: tuple = ()       # (register, values by lane)
    csr: str = ""       # Name
    csr_value: int = 0
    config: bool = False
    simt: Simt = None
    mask: int = 0xF     # The mask of a vector write
    stored: tuple = ()  # (address, value, bytes)


def steps_of(wid, workgroup):
    """The steps of a warp of the program."""
    at = [START + 4 * i for i in range(len(CODE))]
    bottom = (RPC, RPC, 0xF)
    plan = [
        Step(at[0], CODE[0], x=(10, 0x90000000)), Step(at[1], CODE[1], x=(5, wid)), Step(at[2], CODE[2], x=(6, workgroup)),
        Step(at[3], CODE[3], x=(7, 5)), Step(at[4], CODE[4], stored=(0x90000000, 5, 1)),
        Step(at[5], CODE[5], v=(1, [0, 1, 2, 3]), config=True), Step(at[6], CODE[6], v=(2, [0] * 4), config=True),
        Step(at[7], CODE[7], x=(8, at[7])),
        Step(at[8], CODE[8], csr="c2060_rpc", csr_value=RPC, simt=Simt(0xF, 0, [])),
        Step(at[9], CODE[9], config=True, simt=Simt(0x1, RPC, [(RPC, at[10], 0xE), bottom])),
        Step(at[11], CODE[11], simt=Simt(0xE, at[10], [bottom])),
        Step(at[10], CODE[10], x=(9, 1)),
        Step(at[11], CODE[11], simt=Simt(0xF, RPC, [])),
        Step(at[11], CODE[11], simt=Simt(0xF, RPC, [])),
        Step(at[12], CODE[12], v=(3, [1, 2, 3, 4]), config=True), Step(at[13], CODE[13]),
    ]
    assert len(plan) == STEPS
    return plan


class Printer:
    """simt: line, block, none; vectors: words, number; mask: with vectors; bits: of values; top: the stack's top comes first;
    narrow: a byte below 16 has one digit; disassembly, boot."""

    def __init__(self, simt="line", vectors="words", mask=True, bits=32, top=True, narrow=True, disassembly=True, boot=True):
        self.simt, self.vectors, self.mask, self.bits, self.top = simt, vectors, mask, bits, top
        self.narrow, self.disassembly, self.boot = narrow, disassembly, boot
        self.lines = []

    def value(self, value):
        return f"0x{value:0{self.bits // 4}x}"

    def vector(self, lanes):
        words = [f"{v:08x}" for v in reversed(lanes)]
        return "0x" + ("".join(words) if self.vectors == "number" else "".join(w + " " for w in words))

    def fields(self, s):
        text = f" {s.csr} {self.value(s.csr_value)}" if s.csr else ""
        if s.config:
            text += f" c8_vstart {self.value(0)} e32 m1 l{LANES}"
        if s.x:
            text += f" x{s.x[0]:<2d} {self.value(s.x[1])}"
        if s.v:
            text += f" v{s.v[0]:<2d} " + (f"{s.mask:08x} " if self.mask else "") + self.vector(s.v[1])
        return text

    def state(self, simt):
        parts = [f"current mask:\t{simt.mask:08x}", f"current npc:\t{simt.npc:08x}", f"stack size: {len(simt.stack):x}"]
        stack = [f"[r_pc] {a:08x} [else_pc] {b:08x} [else_mask] {c:08x} " for a, b, c in simt.stack]
        if not self.top:
            stack.reverse()
        if self.simt == "line":
            self.lines[-1] += " " + " ".join(parts)
            self.lines += stack
        elif self.simt == "block":
            self.lines += [*parts, *stack, ""]

    def commit(self, core, s):
        if self.disassembly:
            self.lines.append(f"core{core:4d}: {self.value(s.pc)} (0x{s.word:08x}) some text")
        text = f"core{core:4d}: 3 {self.value(s.pc)} (0x{s.word:08x}){self.fields(s)}"
        if s.stored:
            addr, data, size = s.stored
            digits = 1 if self.narrow and size == 1 and data < 16 else 2 * size
            text += f" mem {self.value(addr)} 0x{data:0{digits}x}"
        self.lines.append(text)
        if s.simt:
            self.state(s.simt)

    def rom(self, core):
        """The boot ROM."""
        for pc, word, reg, value in ((0x1000, 0x297, 5, 0x1000), (0x1004, 0x02028593, 11, 0x1020), (0x1008, 0xF1402573, 10, core),
                                     (0x100C, 0x0182A283, 5, START), (0x1010, 0x28067, 0, 0)):
            self.commit(core, Step(pc, word, x=(reg, value) if reg else ()))

    def run(self, warps, plans=None):
        """Interleaved step by step; warps: (core, wid, workgroup)."""
        plans = plans or [steps_of(wid, workgroup) for _, wid, workgroup in warps]
        for core, _, _ in warps:
            if self.boot:
                self.rom(core)
        for i in range(max(map(len, plans))):
            for (core, _, _), plan in zip(warps, plans):
                if i < len(plan):
                    self.commit(core, plan[i])
        return self


def program(path, *, wg_size=2, grid=(2, 1, 1), code=None):
    return kernelfile.write_elf(path, code or CODE, wf_size=LANES, wg_size=wg_size, grid=grid)


def whole(**dialect):
    """Of two workgroups of two warps, one after the other."""
    p = Printer(**dialect)
    for workgroup in range(2):
        p.run([(0, 0, workgroup), (1, 1, workgroup)])
    return p
