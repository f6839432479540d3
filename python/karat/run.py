"""A kernel on the model, from launch to end."""
from __future__ import annotations

import ctypes
import dataclasses
import weakref
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Set

from . import _abi
from ._library import Error, lib, must
from .kernel import Kernel
from .model import CSR, Commit, Memory, Model, ProgramError, Warp

if TYPE_CHECKING:
    from .coverage import Coverage

_READ = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)


@dataclasses.dataclass(frozen=True)
class Print:
    """A text that a warp printed by CSR_PRINT."""

    workgroup: int  # linear index in the grid
    warp: int  # within the workgroup
    text: bytes


class Run(Memory):
    """A kernel on a model of its own. Iterate to take all steps one by one, each warp in turn, or call run().

    threads: of a warp (default: as many as the kernel has). resident: workgroups that run at the same time. sv39: with translation;
    seed: of the layout of its page tables, None for physical addresses that are the virtual ones. coverage: collect into it. Further
    arguments are those of Model."""

    def __init__(self, kernel: "Kernel | str", threads: Optional[int] = None, resident: int = 1, sv39: bool = False,
                 seed: Optional[int] = None, coverage: "Optional[Coverage]" = None, **model: Any):
        self.kernel = kernel if isinstance(kernel, Kernel) else Kernel(kernel)
        if threads is None:
            threads = 1 << ((self.kernel.threads or 32) - 1).bit_length()
        self.steps = 0
        self.prints: List[Print] = []
        self.coverage = coverage
        self._resident = max(1, min(resident, self.kernel.workgroups))
        model.setdefault("profile", self.kernel.profile or "v2.02")
        model.setdefault("max_warps", self._resident * self.kernel.warps)
        if sv39 or self.kernel.needs_translation:
            model["translation"] = "sv39"
        self.model = Model(threads=threads, max_workgroups=self._resident, **model)
        if coverage is not None and not (coverage.profile == self.model.profile and coverage.devices & threads):
            raise Error(f"the coverage is of another device: this one has {threads} threads and profile {self.model.profile}")
        self._space = self._make_space(seed) if self.model.translates else None
        if self._space:
            must(lib().karat_space_place(self._space, self.kernel.pointer), self.kernel.name)
        else:
            must(lib().karat_kernel_place(self.kernel.pointer, self.model.pointer), self.kernel.name)
        self._next = 0  # workgroup to open
        self._groups: Dict[int, int] = {}  # handle of an open workgroup: its index in the grid
        self._live: Set[int] = set()  # warp handles
        self._reads = (_READ(self._print_read), _READ(self._print_write))
        self._print_memory = _abi.karat_print_memory(None, *(ctypes.cast(f, ctypes.c_void_p) for f in self._reads))
        for handle in range(self._resident):
            self._open(handle)

    def _make_space(self, seed: Optional[int]) -> int:
        status = ctypes.c_int()
        space = lib().karat_space_create(self.model.pointer, None if seed is None else ctypes.c_uint64(seed), status)
        if not space:
            must(status.value, "page tables")
        weakref.finalize(self, lib().karat_space_destroy, space)
        return space

    # --- Memory, as the kernel addresses it ---

    def read(self, addr: int, size: int) -> bytes:
        """Bytes of device memory."""
        if not self._space:
            return self.model.read(addr, size)
        buffer = ctypes.create_string_buffer(size)
        must(lib().karat_space_read(self._space, addr, buffer, size), f"read 0x{addr:x}, {size} bytes")
        return buffer.raw

    def store(self, addr: int, data: bytes) -> None:
        """Write bytes."""
        if not self._space:
            self.model.store(addr, data)
        else:
            must(lib().karat_space_write(self._space, addr, data, len(data)), f"write 0x{addr:x}, {len(data)} bytes")

    # --- Workgroups ---

    def _open(self, handle: int) -> None:
        """The next workgroup, if there is one, with all its warps."""
        if self._next >= self.kernel.workgroups:
            return
        must(lib().karat_kernel_open(self.kernel.pointer, self.model.pointer, handle), "workgroup", self._next)
        desc = _abi.karat_launch_desc()
        for i in range(self.kernel.warps):
            warp = handle * self.kernel.warps + i
            lib().karat_kernel_launch(self.kernel.pointer, self.model.threads, self._next, i, desc)
            desc.workgroup = handle
            self.model.launch_as(warp, desc)
            if self.coverage is not None:
                self.coverage.launch(warp, desc, self.kernel.warps)
            self._live.add(warp)
        self._groups[handle] = self._next
        self._next += 1

    def _ended(self, warp: int) -> None:
        self._live.remove(warp)
        handle = warp // self.kernel.warps
        if not any(other // self.kernel.warps == handle for other in self._live):
            self.model.close(handle)
            del self._groups[handle]
            self._open(handle)

    @property
    def warps(self) -> List[Warp]:
        """Warps that have not ended."""
        return [Warp(self.model, handle) for handle in sorted(self._live)]

    def workgroup(self, warp: "int | Warp") -> int:
        """The linear index in the grid of a live warp's workgroup."""
        handle = warp.handle if isinstance(warp, Warp) else warp
        return self._groups[handle // self.kernel.warps]

    @property
    def finished(self) -> bool:
        """Every warp of every workgroup has ended."""
        return not self._live

    # --- Steps ---

    def __iter__(self) -> Iterator[Commit]:
        slots, at, idle = self._resident * self.kernel.warps, 0, 0
        while self._live:
            commit = self.step(at) if at in self._live else None
            at = (at + 1) % slots
            idle = 0 if commit else idle + 1
            if commit:
                yield commit
            elif idle == slots:
                raise Error(f"{self.kernel.name}: all {len(self._live)} warps wait at a barrier")

    def step(self, warp: int) -> Optional[Commit]:
        """One step of a warp; None where it waits at a barrier. Opens the next workgroup where the warp was the last of its own."""
        try:
            commit = self.model.step(warp)
        except ProgramError as error:
            if self.coverage is not None:
                self.coverage.step(self.model, error.commit)
            raise
        if commit is None:
            return None
        self.steps += 1
        if self.coverage is not None:
            self.coverage.step(self.model, commit)
        if commit.csr and commit.csr[0] == CSR["print"] and commit.csr[1]:
            self._print(warp)
        if commit.ended:
            self._ended(warp)
        return commit

    def run(self, limit: Optional[int] = None) -> "Run":
        """Take all steps, or so many at most, and return self."""
        for _ in self:
            if limit is not None and self.steps >= limit:
                break
        if self.finished and self.coverage is not None:
            self.coverage.end()
        return self

    # --- Print ---

    def _print_read(self, _context: Any, addr: int, to: int, size: int) -> bool:
        try:
            ctypes.memmove(to, self.read(addr, size), size)
        except Error:
            return False
        return True

    def _print_write(self, _context: Any, addr: int, source: int, size: int) -> bool:
        try:
            self.write(addr, ctypes.string_at(source, size))
        except Error:
            return False
        return True

    def _print(self, warp: int) -> None:
        taken = _abi.karat_print()
        knl = Warp(self.model, warp).csr("knl")
        status = lib().karat_print_take(self._print_memory, knl, taken)
        said = ctypes.string_at(taken.text, taken.length) if taken.length else b""
        _free(taken.text)
        must(status, "print buffer of", self.kernel.where(Warp(self.model, warp).pc))
        self.prints.append(Print(self.workgroup(warp), warp % self.kernel.warps, said))
        Warp(self.model, warp).set_csr("print", 0)


_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]
_free.restype = None
