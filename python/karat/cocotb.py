"""Lockstep of a core that cocotb drives (docs/simulators.md).

Lockstep has what the other test benches have: command line (plusargs), kernels, host, device memory, retire port, checker, recording, verdict. It is
libkarat_sv, whose functions are described in testbench/sv/karat_sv_pkg.sv. The core's records come from its probe by DPI-C, where the simulator has
that, or from Python, by Probe. One run at a time in a process."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

import cocotb  # type: ignore
from cocotb.triggers import Timer  # type: ignore

from . import _abi, records
from ._library import Error, library
from .checker import Verdict

# Ports of memory, for Lockstep.ready() (karat_sv_pkg.sv).
FETCH, DATA, WALK = range(3)
_LANES = records.MAX_THREAD
_LINE_WORDS = 4


@dataclasses.dataclass(frozen=True)
class Workgroup:
    """A workgroup as the dispatch port takes it: fields of karat_sv_workgroup_t."""

    index: int  # Linear index in the grid
    warps: int
    threads: int  # Threads of a warp
    pc: int  # Byte address of the first instruction
    knl: int  # CSR of warp 0, as the next one
    wgid: int
    lds: int
    pds: int
    gdx: int
    gdy: int
    gdz: int
    lds_size: int  # Bytes
    sgprs: int  # Registers that each warp uses; 0: all
    vgprs: int
    translate: int  # 1: addresses are virtual
    ptbr: int
    asid: int
    invalidate: int  # 1: TLBs drop all entries before it begins
    starts: int  # Warps with a thread that starts
    local: Tuple[int, int, int]  # Threads that start: work-items below live of a workgroup of local x, local y, ...; live x 0: all
    live: Tuple[int, int, int]
    items: Tuple[int, int]  # Work-items of the grid in x and y
    offset: Tuple[int, int, int]  # The first global id


@dataclasses.dataclass(frozen=True)
class Edge:
    """The core's actions at a rising edge of the clock."""

    accepted: bool = False  # The core took the workgroup on offer
    done: Optional[int] = None  # The workgroup with that index has ended
    print: Optional[Tuple[int, int]] = None  # SM and slot of a warp that has written CSR_PRINT


class Core:
    """The pins of a core. A subclass has the methods below; all are called in each cycle, in this order."""

    clock: Any  # Handle of the clock

    async def reset(self) -> None:
        """Reset it; the clock is 0 before and after."""
        raise NotImplementedError

    def drive(self, run: "Lockstep") -> None:
        """The clock is 0: set the inputs, from run.offer(), run.ready(), run.fetch_answer() and so on."""
        raise NotImplementedError

    def edge(self, run: "Lockstep") -> Edge:
        """Inputs and outputs are settled, the rising edge is next: what happens at it, and requests to memory (run.fetch_request() ...)."""
        raise NotImplementedError

    def records(self, run: "Lockstep") -> Iterable[records.Record]:
        """At the same time: the records of that edge, where no probe sends them by DPI-C."""
        return ()


class Lockstep:
    """A run. warps: slots of each SM; lds_bytes, sgprs, vgprs: of each SM; granule: registers that are allocated together. faults: names for
    +fault. arguments: those of the command line ("+kernel=vecadd.elf"), by default the simulator's plusargs."""

    _open = False

    def __init__(self, warps: int, threads: int, lds_bytes: int = 0, sgprs: Optional[int] = None, vgprs: Optional[int] = None, granule: int = 1,
                 sms: int = 1, faults: Sequence[str] = (), translates: bool = False, starts_partial: bool = False,
                 arguments: Optional[Sequence[str]] = None):
        self._lib = library("karat_sv")
        if Lockstep._open:
            raise Error("one run at a time: finish() the last one")
        self.cycle = 0  # Rising edges since reset
        for argument in self._plusargs() if arguments is None else arguments:
            self._lib.karat_sv_argument(argument.encode())
        if arguments is None:
            self._lib.karat_sv_repeated_arguments()
        for fault in faults:
            self._lib.karat_sv_fault(fault.encode())
        if translates:
            self._lib.karat_sv_translates()
        if starts_partial:
            self._lib.karat_sv_starts_partial()
        status = self._lib.karat_sv_open(sms, warps, threads, lds_bytes, 64 * warps if sgprs is None else sgprs,
                                         256 * warps if vgprs is None else vgprs, granule)
        if status != _abi.KARAT_SV_RUNS:
            raise Error(f"there is nothing to run (status {status}; the line above says why)")
        Lockstep._open = True

    def _plusargs(self) -> List[str]:
        """Those of the simulator's plusargs that the run has."""
        found = {}
        for i in range(1000):
            name = self._lib.karat_sv_argument_name(i).decode()
            if not name:
                break
            if name.rstrip("=") in cocotb.plusargs:
                value = cocotb.plusargs[name.rstrip("=")]  # True: without a value
                found[name.rstrip("=")] = f"+{name.rstrip('=')}" + (f"={value}" if isinstance(value, str) else "")
        return list(found.values())

    # --- For Core.drive() ---

    def offer(self) -> Optional[Workgroup]:
        """The workgroup that waits to be dispatched."""
        words = (ctypes.c_uint32 * _abi.KARAT_SV_WORKGROUP_WORDS)()
        if not self._lib.karat_sv_offer(words):
            return None
        of_three = (tuple(words[at:end]) for at, end in ((20, 23), (23, 26), (26, 28), (28, 31)))
        return Workgroup(*words[:15], words[15] | words[16] << 32, *words[17:20], *of_three)

    def read(self, addr: int) -> int:
        """The 32-bit word of memory at a physical address, at once: for a core whose memory has no latency, and to look at results."""
        word = ctypes.c_uint()
        if not self._lib.karat_sv_read(addr, word):
            raise Error(f"0x{addr:x}: no word of memory")
        return word.value

    def ready(self, port: int) -> bool:
        """Whether that port (FETCH, DATA, WALK) takes a request in this cycle."""
        return bool(self._lib.karat_sv_ready(port))

    def _answer(self, function: Any, words: Any) -> Optional[Tuple[int, bool, Any]]:
        number, error = ctypes.c_uint(), ctypes.c_ubyte()
        if not function(number, error, words):
            return None
        return number.value, bool(error.value), words

    def fetch_answer(self) -> Optional[Tuple[int, bool, List[int]]]:
        """An answer of the fetch port: id, error, and the four words of a line."""
        answer = self._answer(self._lib.karat_sv_fetch_answer, (ctypes.c_uint32 * _LINE_WORDS)())
        return answer and (answer[0], answer[1], list(answer[2]))

    def data_performed(self) -> Optional[Tuple[int, int]]:
        """The data access that memory performs in this cycle, whose MEM is due now: id, and what it answers to lane 0. Called once a cycle before
        data_answer(); without it an access is performed in the cycle of its answer."""
        number, word = ctypes.c_uint(), ctypes.c_uint32()
        return (number.value, word.value) if self._lib.karat_sv_data_performed(number, word) else None

    def data_answer(self) -> Optional[Tuple[int, bool, List[int]]]:
        """An answer of the data port: id, error, and a word for each of 32 lanes."""
        answer = self._answer(self._lib.karat_sv_data_answer, (ctypes.c_uint32 * _LANES)())
        return answer and (answer[0], answer[1], list(answer[2]))

    def walk_answer(self) -> Optional[Tuple[int, bool, int]]:
        """An answer of the port for page tables: id, error, and the entry."""
        answer = self._answer(self._lib.karat_sv_walk_answer, ctypes.c_ulonglong())
        return answer and (answer[0], answer[1], answer[2].value)

    # --- For Core.edge() ---

    def fetch_request(self, number: int, addr: int) -> None:
        """The fetch port takes a request of a line at the coming edge."""
        self._lib.karat_sv_fetch_request(number, addr)

    def data_request(self, number: int, requester: int, op: int, accesses: Dict[int, Tuple[int, int, int]]) -> None:
        """The data port takes a request. requester: a number for each warp slot of each SM. op: enum karat_ram_op (testbench/memory.h).
        accesses: by lane, address of an aligned word, byte enables and data."""
        lanes = ctypes.c_uint32(sum(1 << lane for lane in accesses))
        addr, high, data = ((ctypes.c_uint32 * _LANES)() for _ in range(3))
        enables = (ctypes.c_uint32 * (_LANES // 8))()
        for lane, (where, enable, word) in accesses.items():
            addr[lane], high[lane], data[lane] = where & 0xffffffff, where >> 32, word
            enables[lane // 8] |= enable << lane % 8 * 4
        self._lib.karat_sv_data_request(number, requester, op, lanes, addr, high, enables, data)

    def walk_request(self, number: int, addr: int) -> None:
        """The port for page tables takes a request of eight bytes."""
        self._lib.karat_sv_walk_request(number, addr)

    def page_fault(self) -> None:
        """A warp has met a page fault and has stopped."""
        self._lib.karat_sv_page_fault()

    def object(self, what: str) -> None:
        """The test bench has found the core wrong: MISMATCH, unless a verdict stands."""
        self._lib.karat_sv_object(what.encode())

    def send(self, record: records.Record) -> None:
        """A record to the retire port, as a probe sends it by DPI-C."""
        function = getattr(self._lib, f"karat_port_{record.kind_name}")
        function.restype, function.argtypes = None, [ctypes.c_void_p]
        function(ctypes.byref(record))

    # --- The run ---

    def step(self, edge: Edge) -> bool:
        """After the rising edge and all its effects. True: the run is over."""
        self.cycle += 1
        sm, slot = edge.print or (0, 0)
        return bool(self._lib.karat_sv_after_edge(edge.accepted, edge.done is not None, edge.done or 0, edge.print is not None, sm, slot))

    def finish(self) -> Verdict:
        """Print the verdict, and the report of what went wrong; once, at the end."""
        Lockstep._open = False
        return Verdict(self._lib.karat_sv_finish())

    async def run(self, core: Core) -> Verdict:
        """Reset the core, clock it until the run is over, and return the verdict. A cycle is three steps of time, so that the order of processes
        within one does not matter."""
        try:
            core.clock.value = 0
            await core.reset()
            while True:
                core.clock.value = 0
                core.drive(self)
                await Timer(1, "ns")
                edge = core.edge(self)
                for record in core.records(self):
                    self.send(record)
                self._lib.karat_sv_tick()
                await Timer(1, "ns")
                core.clock.value = 1
                await Timer(1, "ns")
                if self.step(edge):
                    break
        finally:
            verdict = self.finish()
        return verdict


class Probe:
    """Makes the records of a core in Python: it counts epochs and sequence numbers of the warp slots, and fills in headers."""

    def __init__(self, run: Lockstep, sm: int = 0):
        self._run, self._sm = run, sm
        self._epochs: Dict[int, int] = {}
        self._seqs: Dict[int, int] = {}

    def hello(self, name: str, gives: Sequence[int], **fields: Any) -> records.Record:
        """The first record: gives are the kinds of records (records.REC_ISSUE ...) that the core has."""
        return records.Hello(cycle=self._run.cycle, version=records.VERSION, name=name, gives=sum(1 << kind for kind in gives), **fields)

    def launch(self, slot: int, **fields: Any) -> records.Record:
        """A warp became live in a slot."""
        self._epochs[slot] = self._epochs.get(slot, -1) + 1
        self._seqs[slot] = -1
        return self.record(records.Launch, slot, **fields)

    def issue(self, slot: int, **fields: Any) -> records.Record:
        """An instruction of the warp left its front end."""
        self._seqs[slot] += 1
        return self.record(records.Issue, slot, seq=self._seqs[slot], **fields)

    def record(self, kind: Any, slot: int, **fields: Any) -> records.Record:
        """Any other record of the warp; for seq see seq()."""
        return kind(sm=self._sm, slot=slot, epoch=self._epochs[slot], cycle=self._run.cycle, **fields)

    def seq(self, slot: int) -> int:
        """The sequence number of the warp's newest instruction."""
        return self._seqs[slot]
