"""The model: memory, workgroups, warps, and one step at a time (golden/include/karat/model.h)."""
from __future__ import annotations

import ctypes
import dataclasses
import weakref
from typing import Any, List, Optional, Sequence, Tuple

from . import _abi
from ._arrays import to_bytes, words
from ._library import Error, lib, must, set_fields, text, to_unsigned, to_word
from .isa import disassemble, profile_name, profile_number

CSR = {name: _abi.KARAT_CSR_BASE + i for i, name in enumerate(
    ("tid", "numw", "numt", "knl", "wgid", "wid", "lds", "pds", "gdx", "gdy", "gdz", "print", "rpc"))}
TRANSLATIONS = ("none", "sv39")


def csr_number(csr: "int | str") -> int:
    """The number of a CSR that is given by it, or by the name of a custom one."""
    if isinstance(csr, str) and csr not in CSR:
        raise Error(f"{csr}: expected the number of a CSR, or one of {', '.join(CSR)}")
    return CSR[csr] if isinstance(csr, str) else to_unsigned(csr, 12, "CSR")


@dataclasses.dataclass(frozen=True)
class RegisterWrite:
    """A register that a step wrote."""

    file: str  # "x" or "v"
    number: int
    mask: int  # Lanes written; 1 for a scalar
    value: Sequence[int]  # A word of 32 bits for each lane; of a scalar one
    old: Sequence[int]


@dataclasses.dataclass(frozen=True)
class RegisterRead:
    """A register operand as a step used it."""

    file: str  # "x" or "v"
    number: int
    source: int  # 1, 2, 3: rs1/vs1, rs2/vs2, rs3/vs3/old vd; 0: v0 as mask
    value: Sequence[int]  # A word of 32 bits for each lane; of a scalar one


@dataclasses.dataclass(frozen=True)
class Access:
    """One lane's access to memory, of at most four bytes."""

    op: str  # "load", "store" or "amo"
    lane: int
    addr: int  # Byte address; physical, where there is translation
    virt: int  # The address before translation; addr where there is none
    size: int  # Bytes: 1, 2 or 4
    value: int  # Read, stored, or written by an AMO; zero-extended
    old: int  # Stores, AMOs: the bytes of memory before


class Commit:
    """All effects of one step of a warp. raw is the C structure."""

    __slots__ = ("raw", "_values", "warp", "_threads", "_profile", "_translates")

    def __init__(self, model: "Model", warp: int):
        self.raw = _abi.karat_commit()
        self._values = _abi.karat_commit_values()  # To which raw points
        self.warp = warp
        self._threads = model.threads
        self._profile = model.profile
        self._translates = model.translates

    @property
    def pc(self) -> int:
        """Byte address of the instruction itself, not of its prefix."""
        return self.raw.pc

    @property
    def next_pc(self) -> int:
        """Byte address of the warp's next instruction."""
        return self.raw.next_pc

    @property
    def word(self) -> int:
        """The instruction, 32 bits."""
        return self.raw.word

    @property
    def prefix(self) -> int:
        """The prefix word; 0: none."""
        return self.raw.prefix

    @property
    def text(self) -> str:
        """The instruction in assembly."""
        return disassemble(self.raw.word, self.raw.prefix, self.raw.pc, self._profile)

    @property
    def mask(self) -> int:
        """Threads under which it ran, bit i: thread i."""
        return self.raw.mask_before

    @property
    def mask_after(self) -> int:
        """Threads that run next."""
        return self.raw.mask_after

    @property
    def ended(self) -> bool:
        """The warp has ended."""
        return bool(self.raw.ended)

    @property
    def arrived(self) -> bool:
        """The warp has arrived at a barrier of its workgroup."""
        return self.raw.barrier in (1, 2)

    def _lanes(self, register: Any, values: Any) -> Sequence[int]:
        return words(values, 1 if register.cls == _abi.KARAT_CLASS_X else self._threads)

    @property
    def writes(self) -> List[RegisterWrite]:
        """Registers written, in ascending order."""
        return [RegisterWrite("xv"[w.cls], w.reg, w.mask, self._lanes(w, w.value), self._lanes(w, w.old))
                for w in self.raw.write[:self.raw.num_writes]]

    def sum_distance(self, write: int, lane: int, value: int) -> Tuple[float, str]:
        """Of a matrix product: how far another value of a lane of writes[write] is from the exact sum, in units (inf: farther than any bound of
        a core), rounded up to hundredths; and that sum in hexadecimal, of two 16-bit results both. See karat_sum_distance() in model.h."""
        exact = ctypes.create_string_buffer(_abi.KARAT_SUM_TEXT)
        hundredths = lib().karat_sum_distance(self.raw, write, lane, to_word(value, "value"), exact)
        return (float("inf") if hundredths == _abi.KARAT_SUM_FAR else hundredths / 100), text(exact.value)

    @property
    def reads(self) -> List[RegisterRead]:
        """Register operands."""
        return [RegisterRead("xv"[r.cls], r.reg, r.source, self._lanes(r, r.value)) for r in self.raw.read[:self.raw.num_reads]]

    @property
    def accesses(self) -> List[Access]:
        """Accesses to memory, in ascending order of lanes."""
        if not self.raw.has_mem:
            return []
        mem = self.raw.mem
        op = ("load", "store", "amo")[mem.op]
        each = [lib().karat_mem_access(mem, i) for i in range(mem.num)]
        return [Access(op, a.lane, a.addr, mem.virt[i] if self._translates else a.addr, a.bytes, a.value, a.old) for i, a in enumerate(each)]

    @property
    def csr(self) -> Optional[Tuple[int, int]]:
        """Number and new value of the CSR that was written."""
        return (self.raw.csr, self.raw.csr_value) if self.raw.csr_written else None

    @property
    def warnings(self) -> List[str]:
        """Undefined behaviour that the step is allowed: "lanes-differ", "lds-unwritten" ..."""
        return [text(lib().karat_warning_name(bit)) for bit in range(_abi.KARAT_NUM_WARNING) if self.raw.warnings >> bit & 1]

    def __repr__(self) -> str:
        return f"<karat.Commit warp {self.warp} 0x{self.pc:08x} {self.mask:0{max(1, self._threads // 4)}x} {self.text}>"


class ProgramError(Error):
    """The program did what the ISA leaves undefined or forbids. Registers and memory are as before the step."""

    def __init__(self, commit: Commit):
        error = commit.raw.error
        self.commit = commit
        self.kind = text(lib().karat_error_name(error.kind))  # "misaligned access"
        self.warp = commit.warp
        self.pc = error.pc
        self.lane: Optional[int] = None if error.lane < 0 else error.lane
        self.addr = error.addr  # Address of an access
        place = "" if self.lane is None else f", lane {self.lane}"
        if error.kind == _abi.KARAT_ERR_ILLEGAL:
            self.kind += f": {text(lib().karat_illegal_name(error.illegal))}"
        if error.kind == _abi.KARAT_ERR_PAGE:
            self.kind = f"page fault: {text(lib().karat_fault_name(commit.raw.fault.reason))}"
        at = f", address 0x{error.addr:08x}" if commit.raw.has_mem else ""
        super().__init__(f"{self.kind} at 0x{self.pc:08x} ({commit.text}), warp {self.warp}{place}{at}")


class _Vectors:
    """The vector registers of a warp."""

    def __init__(self, warp: "Warp"):
        self._warp = warp

    def __len__(self) -> int:
        return _abi.KARAT_NUM_V

    def __getitem__(self, number: int) -> Sequence[int]:
        if not 0 <= number < len(self):
            raise IndexError(f"v{number}: there are v0 to v{len(self) - 1}")
        threads = self._warp.model.threads
        view = self._warp.view()
        return words(view.v[number], threads)


class Warp:
    """A warp of a model. Everything is a copy of its present state."""

    def __init__(self, model: "Model", handle: int):
        self.model = model
        self.handle = to_unsigned(handle, 32, "warp")

    def view(self) -> _abi.karat_warp_view:
        """The C structure, whose pointers are valid until the model changes."""
        view = _abi.karat_warp_view()
        must(lib().karat_view(self.model.pointer, self.handle, view), "warp", self.handle)
        return view

    @property
    def live(self) -> bool:
        """It was launched and has not ended."""
        return self.view().live

    @property
    def waiting(self) -> bool:
        """It waits at a barrier."""
        return self.view().waiting

    @property
    def pc(self) -> int:
        """Byte address of the next instruction."""
        return self.view().pc

    @property
    def mask(self) -> int:
        """Threads that run, bit i: thread i."""
        return self.view().mask

    @property
    def x(self) -> Sequence[int]:
        """The 64 scalar registers, 32 bits each."""
        return words(self.view().x, _abi.KARAT_NUM_X)

    @property
    def v(self) -> _Vectors:
        """The 256 vector registers: v[3] has the 32-bit words of the lanes of v3."""
        return _Vectors(self)

    @property
    def stack(self) -> List[Tuple[int, int, int]]:
        """The SIMT stack, bottom first: reconvergence pc, next pc and mask of each entry."""
        view = self.view()
        return [(view.stack[i].rpc, view.stack[i].next, view.stack[i].mask) for i in range(view.depth)]

    def csr(self, number: "int | str") -> int:
        """A CSR, by number or by the name of a custom one ("wid")."""
        value = ctypes.c_uint32()
        number = csr_number(number)
        must(lib().karat_csr_read(self.model.pointer, self.handle, number, value), "CSR", hex(number))
        return value.value

    def set_csr(self, number: "int | str", value: int) -> None:
        """Write a CSR, as the host does."""
        number = csr_number(number)
        must(lib().karat_csr_write(self.model.pointer, self.handle, number, to_word(value, hex(number))), "CSR", hex(number))

    def set(self, register: str, value: "int | Sequence[int]", mask: Optional[int] = None) -> None:
        """Give a register ("x5", "v3") a value in place of the model's: a number, or one for each lane; mask: these lanes only."""
        if register[:1] not in ("x", "v") or not register[1:].isdecimal():
            raise Error(f"{register}: expected a register such as x5 or v3")
        lanes = 1 if register[0] == "x" else self.model.threads
        values = [value] * lanes if isinstance(value, int) else list(value)
        if len(values) != lanes:
            raise Error(f"{register}: expected {lanes} values, found {len(values)}")
        array = (ctypes.c_uint32 * _abi.KARAT_MAX_THREAD)(*(to_word(number, register) for number in values))
        mask = (1 << lanes) - 1 if mask is None else mask
        must(lib().karat_adopt(self.model.pointer, self.handle, "xv".index(register[0]), to_unsigned(int(register[1:]), 32, register),
                               to_unsigned(mask, 32, "mask"), array), register)


class Memory:
    """Device memory, by the addresses that read() and store() take."""

    def read(self, addr: int, size: int) -> bytes:
        """Bytes of device memory."""
        raise NotImplementedError

    def store(self, addr: int, data: bytes) -> None:
        """Write bytes."""
        raise NotImplementedError

    def read_words(self, addr: int, count: int) -> Sequence[int]:
        """32-bit words of device memory."""
        return words(self.read(addr, 4 * count), count)

    def write(self, addr: int, data: Any) -> None:
        """Write bytes, an array, or a sequence of 32-bit words."""
        self.store(addr, to_bytes(data))


class Model(Memory):
    """A device: one memory, and room for warps, which are launched and stepped by handle. It has no clock and no scheduler.

    threads: of a warp, 1 to 32, a power of two. max_warps, max_workgroups: handles. profile: None is the default one.
    translation: "none" or "sv39". Further arguments are
    fields of karat_config."""

    def __init__(self, threads: int = 32, max_warps: int = 32, max_workgroups: int = 32, profile: Optional[str] = None, translation: str = "none",
                 **config: int):
        setup = _abi.karat_config()
        lib().karat_config_default(setup)
        if translation not in TRANSLATIONS:
            raise Error(f"translation: expected one of {', '.join(TRANSLATIONS)}, found {translation!r}")
        sizes = {"num_thread": threads, "max_warp": max_warps, "max_workgroup": max_workgroups}
        settings = {"profile": profile_number(profile), "translation": TRANSLATIONS.index(translation)}
        set_fields(setup, {**settings, **sizes, **config}, "the model's configuration")
        status = ctypes.c_int()
        self._own(lib().karat_create(setup, status), status.value)

    def _own(self, pointer: Optional[int], status: int) -> None:
        if not pointer:
            must(status, "model")
        self.pointer = pointer
        self.config = lib().karat_get_config(pointer).contents
        self.threads: int = self.config.num_thread
        self.profile = profile_name(self.config.profile)
        self.translates = bool(self.config.translation)
        weakref.finalize(self, lib().karat_destroy, pointer)

    @classmethod
    def restore(cls, snapshot: bytes) -> "Model":
        """A new model in the state that save() has written."""
        model = cls.__new__(cls)
        status = ctypes.c_int()
        model._own(lib().karat_restore(snapshot, len(snapshot), status), status.value)
        return model

    def save(self) -> bytes:
        """The whole state. Equal states have equal bytes on every host."""
        size = lib().karat_save_size(self.pointer)
        buffer = ctypes.create_string_buffer(size)
        must(lib().karat_save(self.pointer, buffer, size), "snapshot")
        return buffer.raw

    def map(self, base: int, size: int) -> None:
        """Make [base, base + size) memory, in whole pages of 4096 bytes; new bytes are 0."""
        base, size = to_unsigned(base, 64, "base"), to_unsigned(size, 64, "size")
        must(lib().karat_map(self.pointer, base, size), f"map 0x{base:x}, {size} bytes")

    def unmap(self, base: int, size: int) -> None:
        """The reverse of map(): no memory any more."""
        base, size = to_unsigned(base, 64, "base"), to_unsigned(size, 64, "size")
        must(lib().karat_unmap(self.pointer, base, size), f"unmap 0x{base:x}, {size} bytes")

    def read(self, addr: int, size: int) -> bytes:
        """Bytes of device memory, by physical address."""
        addr, size = to_unsigned(addr, 64, "address"), to_unsigned(size, 32, "size")
        buffer = ctypes.create_string_buffer(size)
        must(lib().karat_read(self.pointer, addr, buffer, size), f"read 0x{addr:x}, {size} bytes")
        return buffer.raw

    def store(self, addr: int, data: bytes) -> None:
        """Write bytes, by physical address."""
        addr = to_unsigned(addr, 64, "address")
        must(lib().karat_write(self.pointer, addr, data, len(data)), f"write 0x{addr:x}, {len(data)} bytes")

    def read_local(self, workgroup: int, addr: int, size: int) -> bytes:
        """Bytes of a workgroup's local memory, by address in the LDS window."""
        addr, size = to_unsigned(addr, 64, "address"), to_unsigned(size, 32, "size")
        workgroup = to_unsigned(workgroup, 32, "workgroup")
        buffer = ctypes.create_string_buffer(size)
        must(lib().karat_lds_read(self.pointer, workgroup, addr, buffer, size), f"local memory 0x{addr:x}, {size} bytes")
        return buffer.raw

    def open(self, workgroup: int, warps: int) -> None:
        """Open a workgroup of so many warps under a handle."""
        workgroup, warps = to_unsigned(workgroup, 32, "workgroup"), to_unsigned(warps, 32, "warps")
        must(lib().karat_workgroup_open(self.pointer, workgroup, warps), "workgroup", workgroup)

    def close(self, workgroup: int) -> None:
        """Close a workgroup: its local memory and its warps are gone."""
        workgroup = to_unsigned(workgroup, 32, "workgroup")
        must(lib().karat_workgroup_close(self.pointer, workgroup), "workgroup", workgroup)

    def launch(self, warp: int, pc: int, workgroup: int = 0, mask: Optional[int] = None, **fields: Any) -> Warp:
        """Launch a warp under a handle. mask: its threads, all by default. fields: others of karat_launch_desc (sgprs, vgprs, lds_size ...),
        and CSRs as csr={"wid": 1}."""
        desc = _abi.karat_launch_desc()
        for name, value in fields.pop("csr", {}).items():
            index = csr_number(name) - _abi.KARAT_CSR_BASE
            if not 0 <= index < len(desc.csr):
                raise Error(f"{name}: a launch gives custom CSRs alone, {', '.join(CSR)}")
            desc.csr[index] = to_word(value, str(name))
        mask = (1 << self.threads) - 1 if mask is None else mask
        set_fields(desc, {"workgroup": workgroup, "pc": pc, "mask": mask, **fields}, "a launch")
        return self.launch_as(warp, desc)

    def launch_as(self, warp: int, desc: _abi.karat_launch_desc) -> Warp:
        """Launch a warp with a descriptor, such as karat_kernel_launch() makes."""
        warp = to_unsigned(warp, 32, "warp")
        must(lib().karat_launch(self.pointer, warp, desc), "warp", warp)
        return Warp(self, warp)

    def warp(self, handle: int) -> Warp:
        """A warp by its handle."""
        return Warp(self, handle)

    def step(self, warp: int) -> Optional[Commit]:
        """Execute one step of a warp, a prefix and its instruction together. None where it waits at a barrier or has ended; raises ProgramError."""
        commit = Commit(self, to_unsigned(warp, 32, "warp"))
        status = lib().karat_step(self.pointer, warp, commit.raw)
        lib().karat_commit_keep(self.pointer, commit.raw, commit._values)
        if status == _abi.KARAT_PROGRAM_ERROR:
            raise ProgramError(commit)
        if status in (_abi.KARAT_WAITING, _abi.KARAT_ENDED, _abi.KARAT_HELD):
            return None
        must(status, "warp", warp)
        return commit
