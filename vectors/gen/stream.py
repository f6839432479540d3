#!/usr/bin/python3
"""A random program: an instruction stream over all rows of the table that a core runs.

Programs have no race (each warp has a region of device memory and of local memory, and reads its neighbour's only between
barriers), end all their warps with ENDPRG, read no register that they have not written, and do nothing undefined or
forbidden: `karat run` runs them. The same arguments give the same program.

With races, all warps also load, store and do atomics on a few shared words, in nobody's order; what they find goes wherever
results go, branches too, so that the model alone may take another way.
"""
import argparse
import dataclasses
import random
import struct
import sys

import elf
import isa

FLOATING = ("fp", "fdiv", "sfu", "tensor")
PLAIN = ("alu", "mul", "div") + FLOATING
REGION = 8192  # bytes of device memory a warp; its base register points at the middle
LDS_REGION = 1024
PDS = 2560  # bytes of private memory a thread
SHARED = 32  # bytes that all warps share, in device memory and in each workgroup's local memory
CORNERS = (0, 1, 2, 3, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x7f800000, 0xff800000, 0x7fc00000,
           0x7f800001, 0x00800000, 0x007fffff, 0x7f7fffff, 0x3f800000, 0xbf800000, 0x4b000000, 0xcf000000, 0x33800000)


@dataclasses.dataclass
class Context:
    """Where in a program: what may stand there."""
    uniform: bool = True     # all warps come here equally often, with all threads: barriers may
    vset: bool = True        # vl and vtype may change
    stores: bool = True
    arms: int = 0            # divergent regions around
    loops: int = 0


class Program:
    def __init__(self, table, seed, threads, max_warps, units=(), max_vgprs=None, races=False):
        self.table, self.races = table, races
        self.rng = random.Random(f"{seed} {threads} {max_warps} {max_vgprs} {sorted(units)}" + (" races" if races else ""))
        rng = self.rng
        self.words, self.lmul, self.used = [], 1, set()
        self.warps = rng.randint(1, max_warps)
        self.groups = rng.randint(1, 4) if self.warps > 2 else rng.randint(1, 12)
        self.threads = rng.randint(1, threads) if rng.random() < 0.2 else 0
        if self.threads:
            units = [u for u in units if u != "tensor"]  # it reads lanes that the warp does not have
        self.plain = [r for unit in PLAIN if unit not in FLOATING or unit in units for r in table.units(unit)]
        self.memory, self.atomic = table.units("mem"), table.units("amo")
        self.csr_rows = table.units("csr")
        self.branches = [r for r in table.units("branch") if r.operand("src2")]
        self.vbranches = [r for r in table.units("simt") if r.operand("src2")]
        self.syncs = [r for r in table.units("sync") if not r.owes]
        self.vsets = table.units("config")
        self.all_vgprs = (max_vgprs or 256 * max_warps) // self.warps
        self.choose_registers()
        self.begin()
        self.block(rng.randint(60, 160), Context())
        self.end()

    # --- Registers ---------------------------------------------------------------------------------------------------

    def choose_registers(self):
        rng = self.rng
        self.num_x, self.num_v = rng.choice((48, 64, 64)), rng.choice([n for n in (64, 96, 128, 160, 256, 256) if n <= self.all_vgprs])
        x, v = list(range(1, self.num_x)), list(range(2, self.num_v))

        def take(free, odd=None, pair=False):
            fits = [r for r in free if (odd is None or r % 2 == odd) and (not pair or (r % 2 == 0 and r + 1 in free))]
            r = rng.choice(fits)
            free.remove(r)
            if pair:
                free.remove(r + 1)
            return r

        # An even register before REGPAIR is the low half of an address: its upper half is kept 0.
        self.address_pair = take(x, pair=True)
        self.base = {space: take(x, odd=1) for space in ("global", "lds", "neighbour", "lds_neighbour")}
        if self.races:
            self.base |= {space: take(x, odd=1) for space in ("shared", "lds_shared")}
        self.address, self.stride, self.sink = take(x, odd=1), take(x), take(x)
        self.mask = {"global": take(x), "lds": take(x)}
        self.counters, self.rpc = [take(x) for _ in range(3)], take(x)
        self.vbase = {space: (take(v, pair=True), take(v, odd=1)) for space in ("global", "lds", "private")}
        self.index, self.zero = take(v, pair=True), take(v)
        self.vcounters = [take(v) for _ in range(3)]
        self.x = sorted(rng.sample(x, min(len(x), 24)))
        pool = {0, 1}
        for _ in range(10):
            pair = take(v, pair=True) if any(r % 2 == 0 and r + 1 in v for r in v) else 0
            pool |= {pair, pair + 1}
        for r in rng.sample(sorted(pool), 8):  # numbers that differ in the extension alone
            pool |= {n for n in [r + 32 * rng.randint(1, 7)] if n in v}
        self.v = sorted(pool)
        self.x_hot, self.v_hot = rng.sample(self.x, 6), [0] + rng.sample(self.v, 7)

    def scalar(self, pair=False):
        """A scalar register; pair: one whose upper half may be read or written with it."""
        rng = self.rng
        if pair:
            return rng.choice([r for r in self.x if r % 2 or r + 1 in self.x])
        return 0 if rng.random() < 0.06 else rng.choice(self.x_hot if rng.random() < 0.6 else self.x)

    def vector(self, group=False, pair=False):
        rng = self.rng
        pool = self.v_hot if rng.random() < 0.6 else self.v
        if group:
            fits = [r for r in pool if r % 2 == 0 and r + 1 in self.v]
            return rng.choice(fits or [0])
        if pair:
            return rng.choice([r for r in pool if r % 2 or r + 1 in self.v] or [1])
        return rng.choice(pool)

    # --- Instructions ------------------------------------------------------------------------------------------------

    def number(self, bits):
        rng = self.rng
        return rng.choice((0, 1, (1 << bits) - 1, 1 << bits - 1, rng.getrandbits(bits), rng.getrandbits(bits)))

    def value(self, row, operand, pair=False):
        """A random value of an operand that the caller leaves open."""
        if operand.cls == "x":
            return self.scalar(pair)
        if operand.cls == "v":
            return self.vector(row.grouped and self.lmul == 2, pair)
        if operand.name == "rm":
            return self.rng.choice((0, 1, 2, 3, 4, 7))
        if operand.role == "vm":
            return self.rng.random() < 0.65
        return self.number(operand.bits) if operand.bits else 0

    def put(self, name, pair=False, **values):
        """Append an instruction, behind a prefix where its registers need one or by chance. Returns its place."""
        rng = self.rng
        row = self.table.rows[name] if isinstance(name, str) else name
        self.used.add(row.name)
        data_pair = pair and row.bytes == 4
        for o in row.operands:
            if o.name not in values:
                values[o.name] = self.value(row, o, data_pair)
        ext = {"x1": 0, "x2": 0, "x3": 0, "xd": 0}
        for o in row.operands:
            key = {"src1": "x1", "src2": "x2", "src3": "x3", "dest": "xd"}.get(o.role)
            if key and o.cls:
                ext[key] = values[o.name] >> 5
        dest = row.operand("dest")
        if dest and dest.read:  # vd is the third operand, too: another of the same low bits may be read
            low = values[dest.name] & 31
            same = [r >> 5 for r in self.v if r & 31 == low and not (row.grouped and self.lmul == 2 and r + 1 not in self.v)]
            ext["x3"] = rng.choice(same) if rng.random() < 0.5 and same else ext["xd"]
        extended = next((o for o in row.operands if o.extends), None)
        narrow = not ext["x1"] and not ext["x3"]
        if dest and dest.read and narrow and ext["xd"] and values[dest.name] & 31 not in self.v:
            narrow = False
        prefix = None
        if pair:
            prefix = "regpairi" if narrow and rng.random() < 0.2 else "regpair"
        elif narrow and (rng.random() < 0.04 or (any(ext.values()) and rng.random() < 0.3) or
                         (extended and rng.random() < 0.15 and f"{extended.name}_fixed" not in values)):
            prefix = "regexti"
        elif any(ext.values()) or rng.random() < 0.04:
            prefix = "regext"
        if prefix:
            head = dict(ext)
            if prefix.endswith("i"):
                high = 0
                if extended and f"{extended.name}_fixed" in values:  # the same value in eleven bits
                    high = values[extended.name] >> 5 & 63
                elif extended and prefix == "regexti":
                    high = rng.getrandbits(6)
                head = {"imm10_5": high, "x2": ext["x2"], "xd": ext["xd"]}
            self.used.add(prefix)
            self.words.append(self.table.rows[prefix].encode(head))
        self.words.append(row.encode(values))
        return len(self.words) - 1

    def patch(self, at, row, values, target):
        """Give the branch at that place its target, a place."""
        offset = 4 * (target - at)
        operand = row.immediate("target")
        limit = 1 << operand.bits - 1
        if not -limit <= offset < limit:
            raise RuntimeError(f"branch of {offset} bytes")
        self.words[at] = row.encode({**values, operand.name: offset})

    def branch(self, name, **values):
        """A branch whose target comes later: returns what patch() needs."""
        row = self.table.rows[name] if isinstance(name, str) else name
        for o in row.operands:
            if o.role != "imm":
                values.setdefault(o.name, self.value(row, o))
        target = row.immediate("target").name
        return self.put(row, **{**values, target: 0}), row, values

    def bind(self, branch, target=None):
        self.patch(*branch, len(self.words) if target is None else target)

    def li(self, reg, value):
        low = value & 0xfff
        high = (value + 0x800) >> 12 & 0xfffff
        self.put("lui", rd=reg, uimm20=high)
        self.put("addi", rd=reg, rs1=reg, imm12=low)

    def csr_read(self, reg, name):
        self.put("csrrs", rd=reg, csr=self.table.csr[name], rs1=0)

    def here(self, reg):
        """reg = the address of a place that comes later; returns what land() needs."""
        at = self.put("auipc", rd=reg, uimm20=0)
        return at, self.put("addi", rd=reg, rs1=reg, imm12=0), reg

    def land(self, place, target):
        at, add, reg = place
        offset = 4 * (target - at)
        if not 0 <= offset < 2048:
            raise RuntimeError(f"address of {offset} bytes")
        self.words[add] = self.table.rows["addi"].encode({"rd": reg, "rs1": reg, "imm12": offset})

    # --- Begin and end -----------------------------------------------------------------------------------------------

    def begin(self):
        rng, base = self.rng, self.base
        temp, temp2 = self.address, self.stride
        self.csr_read(temp, "gdx")
        self.csr_read(temp2, "numw")
        self.put("mul", rd=temp, rs1=temp, rs2=temp2)
        self.csr_read(self.sink, "wid")
        self.put("addi", rd=base["neighbour"], rs1=self.sink, imm12=1)
        self.put("remu", rd=base["neighbour"], rs1=base["neighbour"], rs2=temp2)
        self.csr_read(base["lds"], "lds")
        for reg, warp, lds in ((base["global"], self.sink, base["lds"]), (base["neighbour"], base["neighbour"], base["lds_neighbour"])):
            self.put("slli", rd=self.counters[0], rs1=warp, shamt=LDS_REGION.bit_length() - 1, shamt_fixed=1)
            self.put("add", rd=base["lds_neighbour"] if lds != base["lds"] else self.counters[1], rs1=self.counters[0], rs2=base["lds"])
            self.put("add", rd=reg, rs1=warp, rs2=temp)
            self.put("slli", rd=reg, rs1=reg, shamt=REGION.bit_length() - 1, shamt_fixed=1)
            self.li(self.counters[2], elf.DATA + REGION // 2)
            self.put("add", rd=reg, rs1=reg, rs2=self.counters[2])
        self.put("addi", rd=base["lds"], rs1=self.counters[1], imm12=LDS_REGION // 2)
        self.put("addi", rd=base["lds_neighbour"], rs1=base["lds_neighbour"], imm12=LDS_REGION // 2)
        if self.races:
            self.li(base["shared"], elf.DATA + self.warps * self.groups * REGION)
            self.csr_read(base["lds_shared"], "lds")
            self.li(temp, self.warps * LDS_REGION)
            self.put("add", rd=base["lds_shared"], rs1=base["lds_shared"], rs2=temp)
            for offset in range(0, SHARED, 4):
                self.put("sw", rs2=0, rs1=base["lds_shared"], offset12s=offset)
            self.put("barrier")
        self.put("addi", rd=self.address_pair, rs1=0, imm12=0)
        self.put("addi", rd=self.address_pair + 1, rs1=0, imm12=0)
        self.li(self.mask["global"], 0x7fc)
        self.li(self.mask["lds"], 0x1fc)
        for reg in self.x:
            self.li(reg, rng.choice(CORNERS) if rng.random() < 0.4 else rng.getrandbits(32))
        # Vector bases: lanes apart by a few words.
        self.put("addi", rd=temp, rs1=base["lds"], imm12=-256)
        self.put("addi", rd=self.sink, rs1=0, imm12=1024)
        for space, start, widest in (("global", base["global"], 15), ("lds", temp, 2), ("private", self.sink, 4)):
            for reg in self.vbase[space]:
                self.put("vid_v", vd=reg, vm=1)
                self.put("addi", rd=temp2, rs1=0, imm12=4 * rng.randint(0, widest))
                self.put("vmul_vx", vd=reg, vs2=reg, rs1=temp2, vm=1)
                self.put("vadd_vx", vd=reg, vs2=reg, rs1=start, vm=1)
            self.put("vmv_v_i", vd=self.vbase[space][0] + 1, simm5=0, simm5_fixed=1)
        self.put("vmv_v_i", vd=self.zero, simm5=0, simm5_fixed=1)
        for reg in self.vcounters:
            self.put("vmv_v_i", vd=reg, simm5=0, simm5_fixed=1)
        for reg in self.v + [self.index, self.index + 1]:
            self.put("vlw12_v", vd=reg, offset12=4 * rng.randint(-512, 508), vs1=self.vbase["global"][0])
        for reg in (self.index, self.index + 1):
            self.put("vand_vx", vd=reg, vs2=reg, rs1=self.mask["global"], vm=1)

    def end(self):
        self.vset(1)
        for reg in self.rng.sample(self.v, 4):
            self.put("vsw12_v", vs2=reg, offset12s=4 * self.rng.randint(-512, 508), vs1=self.vbase["global"][0])
        self.put("endprg")

    # --- Blocks ------------------------------------------------------------------------------------------------------

    def block(self, items, context):
        rng = self.rng
        kinds = [(self.any_plain, 46), (self.any_memory, 20), (self.any_csr, 4), (self.any_sync, 2), (self.skip, 4),
                 (self.jump, 1), (self.splat, 2), (self.any_setrpc, 1)]
        if context.stores:
            kinds.append((self.any_atomic, 4))
            if self.races:
                kinds.append((self.race, 12))
        if context.vset:
            kinds += [(self.any_vset, 4), (self.vill, 1), (self.diverge_loop, 1)]
        if self.lmul == 1:
            kinds.append((self.new_addresses, 2))
        if context.arms < 3:
            kinds.append((self.diamond, 3))
        if context.loops < 2 and context.arms < 2:
            kinds.append((self.loop, 1.5))
        if context.uniform:
            kinds += [(self.barrier, 1), (self.neighbour, 0.7 if context.stores else 0)]
        for _ in range(items):
            kind = rng.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
            if kind == self.new_addresses and self.lmul != 1:
                continue
            kind(context)

    def any_plain(self, context):
        row = self.rng.choice(self.plain)
        if row.operand("dest", "x") and (row.operand("src2", "v") or row.operand("src1", "v")):
            self.splat(context, row)
        else:
            self.put(row)

    def splat(self, context, row=None):
        """A vector element into a scalar register: all lanes hold the same there."""
        row = row or self.table.rows["vmv_x_s"]
        reg = self.vector(group=self.lmul == 2)
        self.put("vmv_v_x", vd=reg)
        self.put(row, **{next(o.name for o in row.operands if o.cls == "v"): reg})

    def any_setrpc(self, context):
        self.put("setrpc")

    def any_sync(self, context):
        self.put(self.rng.choice(self.syncs))

    def any_csr(self, context):
        rng, row = self.rng, self.rng.choice(self.csr_rows)
        name = rng.choice(sorted(self.table.csr))
        number = self.table.csr[name]
        fixed = number >> 10 == 3 or 0x800 <= number <= 0x80a
        zero = {"rs1": 0} if row.operand("src1") else {"zimm": 0, "zimm_fixed": 1}
        if fixed and row.mnemonic.startswith("csrrw"):
            return
        values = zero if fixed or name in ("vstart", "print") else {}
        if name in ("wgid", "lds", "pds"):
            values["rd"] = self.sink  # the dispatcher's own numbers: nothing may depend on them
        self.put(row, csr=number, **values)
        if name in ("frm", "fcsr") and values is not zero:
            self.put("csrrwi", rd=0, csr=self.table.csr["frm"], zimm=rng.randint(0, 4), zimm_fixed=1)

    def vset(self, lmul, full=True, row=None):
        """Set vl and vtype: a legal vtype of that LMUL."""
        rng = self.rng
        row = row or rng.choice(self.vsets)
        vtype = 2 << 3 | {1: 0, 2: 1}[lmul] | rng.getrandbits(2) << 6
        self.configure(row, vtype, full)
        self.lmul = lmul

    def configure(self, row, vtype, full):
        rng, values = self.rng, {}
        imm = row.immediate("vtype")
        avl = row.immediate("avl")
        if imm:
            values[imm.name] = vtype
        if avl:  # five bits, or eleven behind REGEXTI: 31 may be fewer than all elements
            if full:
                row = self.table.rows["vsetvli"]
                values = {"vtype11": vtype}
            else:
                values[avl.name] = rng.getrandbits(5)
        if row.operand("src1"):
            if full:
                self.put("addi", rd=self.address, rs1=0, imm12=rng.choice((64, 65, 2047, -1)))
                values["rs1"] = self.address
            elif rng.random() < 0.6:
                self.put("addi", rd=self.address, rs1=0, imm12=rng.randint(0, 40))
                values["rs1"] = self.address
        if row.operand("src2"):
            self.put("addi", rd=self.stride, rs1=0, imm12=vtype)
            values["rs2"] = self.stride
        self.put(row, **values)

    def any_vset(self, context):
        self.vset(self.rng.choice((1, 1, 2)), full=self.rng.random() < 0.4)

    def vill(self, context):
        """An unsupported setting: vl = 0, and what does not depend on vtype."""
        rng, lmul = self.rng, self.lmul
        vtype = rng.choice([t for t in range(64) if t not in (0x10, 0x11)] + [0x100, 0x3ff])
        self.configure(rng.choice(self.vsets), vtype, full=rng.random() < 0.5)
        rows = [r for r in self.plain if not r.own and r.unit not in FLOATING]
        for _ in range(rng.randint(0, 4)):
            self.put(rng.choice(rows))
        self.vset(lmul, full=rng.random() < 0.5)

    def new_addresses(self, context):
        rng = self.rng
        space = rng.choice(("global", "lds", "private", "index"))
        mask = self.mask["global" if space in ("global", "index") else "lds"]
        reg = self.index if space == "index" else self.vbase[space][1]
        self.put("vand_vx", vd=reg, vs2=self.vector(), rs1=mask, vm=1)
        if space == "global":
            self.put("vadd_vx", vd=reg, vs2=reg, rs1=self.base["global"], vm=1)
        elif space == "lds":
            self.put("addi", rd=self.address, rs1=self.base["lds"], imm12=-256)
            self.put("vadd_vx", vd=reg, vs2=reg, rs1=self.address, vm=1)
        elif space == "private":
            self.put("vadd12_vi", vd=reg, vs1=reg, uimm12=1024)

    # --- Memory ------------------------------------------------------------------------------------------------------

    def any_memory(self, context):
        rng = self.rng
        row = rng.choice(self.memory)
        if row.stores and not context.stores:
            return
        pair = rng.random() < 0.15 and not (row.own and self.lmul == 2 and row.bytes == 4)
        if not row.operand("src1", "x"):
            self.lane_memory(row, pair)
            return
        space = rng.choice(("global", "global", "lds"))
        if not context.stores and context.uniform and rng.random() < 0.7:
            space = rng.choice(("neighbour", "lds_neighbour"))
        self.scalar_memory(row, pair, space) if row.immediate("offset") else self.element_memory(row, pair, space)

    def at(self, low, high, size):
        """A random multiple of size from low up to high."""
        return self.rng.randint(-(-low // size), high // size) * size

    def lane_memory(self, row, pair):
        space = "private" if row.private else self.rng.choice(("global", "lds"))
        low, high = {"global": (-2048, 2032), "lds": (-256, 248), "private": (-1024, 1016)}[space]
        self.put(row, pair=pair, vs1=self.rng.choice(self.vbase[space]), **{row.immediate("offset").name: self.at(low, high, row.bytes)})

    def base_address(self, space, low, high, size, pair):
        """A register that holds an address of that space."""
        reg = self.address_pair if pair and self.rng.random() < 0.6 else self.address
        self.put("addi", rd=reg, rs1=self.base[space], imm12=self.at(max(low, -2048), min(high, 2047), size))
        return reg

    def scalar_memory(self, row, pair, space):
        half = 2048 if not space.startswith("lds") else LDS_REGION // 2
        offset = self.at(-half, half - 8, row.bytes)
        base = self.base[space]  # odd: 32 bits, behind REGPAIR as well
        if pair and self.rng.random() < 0.6:
            base, offset = self.base_address(space, -256, 240, 4, True), self.at(-256, 240, row.bytes)
        self.put(row, pair=pair, rs1=base, **{row.immediate("offset").name: offset})

    def element_memory(self, row, pair, space):
        lds = space.startswith("lds")
        half = (LDS_REGION if lds else REGION) // 2
        lanes, size, values = 32 * (self.lmul if row.own else 1), row.bytes, {}
        width = 8 if pair and size == 4 else size
        low, high = -half, half - lanes * width
        if row.operand("src2", "x"):
            stride = self.at(-4 if lds else -28, 4 if lds else 28, size)
            self.put("addi", rd=self.stride, rs1=0, imm12=stride)
            values["rs2"] = self.stride
            low, high = -half + max(0, -stride) * (lanes - 1), half - 8 - max(0, stride) * (lanes - 1)
        elif row.operand("src2", "v"):
            values["vs2"] = self.index
            high = half - 8 - (252 if row.index_bytes == 1 else 0x7fc)
            if lds and row.index_bytes != 1:
                return
        self.put(row, pair=pair, base=self.base_address(space, low, high, size, pair), **values)

    def any_atomic(self, context):
        rng, row = self.rng, self.rng.choice(self.atomic)
        pair = rng.random() < 0.15
        space = rng.choice(("global", "lds"))
        half = (REGION if space == "global" else LDS_REGION) // 2
        base = self.base_address(space, -half, half - 8, 4, pair)
        self.put(row, pair=pair, base=base)
        if not row.operand("src2"):  # LR: mostly its SC, too
            for _ in range(rng.randint(0, 2)):
                self.any_plain(context)
            if rng.random() < 0.8:
                self.put("sc_w", pair=pair, base=base)

    def race(self, context):
        """An access to a word that all warps use."""
        rng = self.rng
        space = rng.choice(("shared", "shared", "lds_shared"))
        if rng.random() < 0.3:
            row = rng.choice([r for r in self.memory if r.operand("src1", "x") and r.immediate("offset")])
            self.put(row, rs1=self.base[space], **{row.immediate("offset").name: self.at(0, SHARED - 8, row.bytes)})
            return
        row, base = rng.choice(self.atomic), self.base_address(space, 0, SHARED - 4, 4, False)
        self.put(row, base=base)
        if not row.operand("src2") and rng.random() < 0.9:
            self.put("sc_w", base=base)

    # --- Control flow ------------------------------------------------------------------------------------------------

    def inner(self, context, **changes):
        return dataclasses.replace(context, **{"uniform": False, **changes})

    def keeping(self, context):
        """Whether a region that may not run may change vl and vtype; then they are set anew behind it."""
        return context.vset and self.rng.random() < 0.3

    def skip(self, context):
        """A branch over a few instructions."""
        lmul, keeps = self.lmul, self.keeping(context)
        around = self.branch(self.rng.choice(self.branches))
        self.block(self.rng.randint(1, 6), self.inner(context, vset=keeps, arms=context.arms + 1, loops=2))
        self.bind(around)
        if keeps:
            self.vset(lmul, full=self.rng.random() < 0.5)

    def jump(self, context):
        """jal or jalr over words that never run."""
        rng = self.rng
        dead = rng.randint(0, 3)
        if rng.random() < 0.5:
            around = self.branch("jal")
        else:
            place = self.here(self.address)
            off = rng.choice((0, 4, -4, 2044))
            self.put("jalr", rs1=self.address, offset12=off)
            around = None
        for _ in range(dead):
            self.words.append(rng.getrandbits(32))
        if around:
            self.bind(around)
            return
        target = len(self.words) - off // 4
        at, add, reg = place
        self.words[add] = self.table.rows["addi"].encode({"rd": reg, "rs1": reg, "imm12": 4 * (target - at)})

    def loop(self, context):
        """A bounded loop with a scalar counter."""
        rng, counter = self.rng, self.counters[context.loops]
        self.put("addi", rd=counter, rs1=0, imm12=rng.randint(1, 5 if context.loops else 8))
        top = len(self.words)
        keeps, lmul = context.vset and rng.random() < 0.5, self.lmul
        if keeps:
            self.vset(lmul, full=rng.random() < 0.5)
        self.block(rng.randint(3, 14), dataclasses.replace(context, vset=keeps, loops=context.loops + 1))
        self.put("addi", rd=counter, rs1=counter, imm12=-1)
        if len(self.words) - top < 900:
            self.bind(self.branch("bne", rs1=counter, rs2=0), top)
        else:
            out = self.branch("beq", rs1=counter, rs2=0)
            self.bind(self.branch("jal", rd=0), top)
            self.bind(out)

    def condition(self):
        """Two vector registers to compare: often some lanes differ and some do not."""
        if self.rng.random() < 0.4 or self.lmul != 1:
            return {}
        reg = self.vector()
        self.put("vand_vi", vd=reg, vs2=self.vector(), simm5=self.rng.choice((1, 1, 3)), simm5_fixed=1, vm=1)
        return {"vs2": reg, "vs1": self.zero}

    def reconverge(self):
        """Set CSR_RPC to a place that comes later."""
        place = self.here(self.rpc)
        if self.rng.random() < 0.2:
            self.put("csrrw", rd=0, csr=self.table.csr["rpc"], rs1=self.rpc)
        elif self.rng.random() < 0.2:
            self.put("setrpc", rd=self.rpc, rs1=self.rpc, imm12=0)
        else:
            self.put("setrpc", rd=0, rs1=self.rpc, imm12=0)
        return place

    def diamond(self, context):
        rng, lmul, keeps = self.rng, self.lmul, self.keeping(context)
        size = (10, 6, 4)[context.arms]
        arm = self.inner(context, vset=keeps, arms=context.arms + 1)
        condition = self.condition()
        place = self.reconverge()
        other = self.branch(rng.choice(self.vbranches), **condition)
        if keeps:
            self.vset(lmul, full=rng.random() < 0.5)  # the other path may have run before
        self.block(rng.randint(0, size), arm)
        if rng.random() < 0.75:
            join = self.branch("jal", rd=0)
            self.bind(other)
            if keeps:
                self.vset(lmul, full=rng.random() < 0.5)
            self.block(rng.randint(0, size), arm)
            self.bind(join)
        else:
            self.bind(other)
        self.land(place, len(self.words))
        self.put_bare("join")
        if keeps:
            self.vset(lmul, full=rng.random() < 0.5)

    def put_bare(self, name):
        """Without a prefix: others jump here."""
        self.used.add(name)
        self.words.append(self.table.rows[name].encode({}))

    def diverge_loop(self, context):
        """A loop whose trips differ by thread."""
        if context.arms > 1:
            return
        rng, counter = self.rng, self.vcounters[context.arms]
        self.vset(1)  # VBRANCH does not care for vl: every thread has to count
        self.put("vand_vi", vd=counter, vs2=self.vector(), simm5=rng.choice((1, 3, 7)), simm5_fixed=1, vm=1)
        top = len(self.words)
        place = self.reconverge()
        done = self.branch("vbeq", vs2=counter, vs1=self.zero)
        self.block(rng.randint(0, 5), self.inner(context, vset=False, arms=context.arms + 1, loops=2))
        self.put("vadd_vi", vd=counter, vs2=counter, simm5=-1, simm5_fixed=1, vm=1)
        self.bind(self.branch("jal", rd=0), top)
        self.bind(done)
        self.land(place, len(self.words))
        self.put_bare("join")

    def barrier(self, context):
        self.put("barrier")

    def neighbour(self, context):
        """Between two barriers nobody stores, and warps read what their neighbours have written."""
        self.put("barrier")
        self.block(self.rng.randint(2, 8), dataclasses.replace(context, stores=False, loops=2, arms=3, vset=False))
        self.put("barrier")

    # --- File --------------------------------------------------------------------------------------------------------

    def write(self, path, limit=None):
        """limit: whether the launch says how many registers there are; None: by chance."""
        rng = self.rng
        words = self.warps * self.groups * REGION // 4 + (SHARED // 4 if self.races else 0)
        data = [rng.choice(CORNERS) if rng.random() < 0.3 else rng.getrandbits(32) for _ in range(words)]
        if limit is None:
            limit = self.all_vgprs < 256 or rng.random() < 0.5
        elf.write(path, self.words, struct.pack(f"<{words}I", *data), {
            "warps": self.warps, "grid": (self.groups, 1, 1), "threads": self.threads, "lds": self.warps * LDS_REGION + (SHARED if self.races else 0), "pds": PDS,
            "sgprs": self.num_x if limit else 0, "vgprs": self.num_v if limit else 0})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--karat", required=True, help="the karat command: it prints the instruction table")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=int, default=8, help="threads per warp of the core")
    parser.add_argument("--warps", type=int, default=8, help="warp slots of the core")
    parser.add_argument("--vgprs", type=int, help="vector registers that a workgroup can have (256 for each warp)")
    parser.add_argument("--units", default="", help=f"floating-point units to use, of {','.join(FLOATING)}")
    parser.add_argument("--races", action="store_true", help="let the warps race on a few words")
    parser.add_argument("--out", required=True, help="the ELF file to write")
    args = parser.parse_args()
    units = [u for u in args.units.split(",") if u]
    if any(u not in FLOATING for u in units) or not 1 <= args.threads <= 32 or not 1 <= args.warps <= 16 or \
            (args.vgprs is not None and args.vgprs < 64 * args.warps):
        parser.error("unknown unit, or threads, warps or vgprs out of range")
    program = Program(isa.Table(args.karat), args.seed, args.threads, args.warps, units, args.vgprs, args.races)
    program.write(args.out)
    print(f"{args.out}: seed {args.seed}, {len(program.words)} words, {program.groups} workgroups of {program.warps} warps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
