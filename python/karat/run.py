"""A kernel on the model, from launch to end."""
from __future__ import annotations

import ctypes
import dataclasses
import weakref
from typing import TYPE_CHECKING, Any, Iterator, List, Optional

from . import _abi
from ._library import Error, lib, must, to_unsigned
from .isa import profile_name
from .kernel import Kernel
from .model import Commit, Memory, Model, ProgramError, Warp

if TYPE_CHECKING:
    from .coverage import Coverage

_READ = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t)
_WARP = ctypes.POINTER(_abi.karat_sched_warp)
_LAUNCH = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _WARP, ctypes.POINTER(_abi.karat_launch_desc))
_COMMIT = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, _WARP, ctypes.POINTER(_abi.karat_commit))
_PRINT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _WARP, ctypes.c_void_p, ctypes.c_size_t)


@dataclasses.dataclass(frozen=True)
class Print:
    """A text that a warp printed by CSR_PRINT."""

    workgroup: int  # Linear index in the grid
    warp: int  # Within the workgroup
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
        self.prints: List[Print] = []
        self.coverage = coverage
        self._resident = max(1, min(resident, self.kernel.workgroups))
        model.setdefault("profile", profile_name(self.kernel.raw.profile))
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
        self._commit: Optional[Commit] = None  # Commit of the last step
        self._sched = self._make_sched()
        self._result = lib().karat_sched_get(self._sched).contents
        self._check()

    def _make_space(self, seed: Optional[int]) -> int:
        status = ctypes.c_int()
        space = lib().karat_space_create(self.model.pointer, None if seed is None else ctypes.c_uint64(seed), status)
        if not space:
            must(status.value, "page tables")
        weakref.finalize(self, lib().karat_space_destroy, space)
        return space

    def _make_sched(self) -> int:
        config = _abi.karat_sched_config(model=self.model.pointer, kernel=self.kernel.pointer, resident=self._resident,
                                         max_steps=2**64 - 1)
        self._hooks = [(config.memory, "read", _READ(self._print_read)), (config.memory, "write", _READ(self._print_write)),
                       (config.hooks, "launch", _LAUNCH(self._on_launch)), (config.hooks, "commit", _COMMIT(self._on_commit)),
                       (config.hooks, "print", _PRINT(self._on_print))]
        for structure, name, function in self._hooks:
            setattr(structure, name, ctypes.cast(function, ctypes.c_void_p))
        status = ctypes.c_int()
        sched = lib().karat_sched_create(config, status)
        if not sched:
            must(status.value, self.kernel.name)
        weakref.finalize(self, lib().karat_sched_destroy, sched)
        return sched

    def _check(self) -> None:
        """Raise where the scheduler could not go on."""
        if self._result.end in (_abi.KARAT_SCHED_FAILED, _abi.KARAT_SCHED_PRINT_ERROR):
            must(self._result.status, self._result.failed.decode(), self.kernel.name)

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

    # --- Workgroups and steps ---

    def _find(self, handle: int) -> Optional[_abi.karat_sched_warp]:
        warp = _abi.karat_sched_warp()
        return warp if lib().karat_sched_find(self._sched, handle, warp, None, None) else None

    @property
    def warps(self) -> List[Warp]:
        """Warps that have not ended."""
        return [Warp(self.model, handle) for handle in range(self._resident * self.kernel.warps) if self._find(handle)]

    def workgroup(self, warp: "int | Warp") -> int:
        """The linear index in the grid of a live warp's workgroup."""
        handle = warp.handle if isinstance(warp, Warp) else warp
        found = self._find(handle)
        if not found:
            raise Error(f"warp {handle}: not live")
        return found.workgroup

    @property
    def steps(self) -> int:
        """Steps taken."""
        return self._result.steps

    @property
    def finished(self) -> bool:
        """Every warp of every workgroup has ended."""
        return self._result.end == _abi.KARAT_SCHED_DONE

    def __iter__(self) -> Iterator[Commit]:
        slots, at, idle = self._resident * self.kernel.warps, 0, 0
        while self._result.end == _abi.KARAT_SCHED_RUNS:
            commit = self.step(at)
            at = (at + 1) % slots
            idle = 0 if commit else idle + 1
            if commit:
                yield commit
            elif idle == slots:
                raise Error(f"{self.kernel.name}: all {len(self.warps)} warps wait at a barrier")

    def step(self, warp: int) -> Optional[Commit]:
        """One step of a warp; None where it waits at a barrier or has ended. Opens the next workgroup where the warp was the last of its
        own."""
        self._commit = None
        status = lib().karat_sched_step(self._sched, to_unsigned(warp, 32, "warp"))
        if status == _abi.KARAT_PROGRAM_ERROR:
            commit = self._keep(warp, self._result.commit)
            if self.coverage is not None:
                self.coverage.step(self.model, commit)
            raise ProgramError(commit)
        if status in (_abi.KARAT_WAITING, _abi.KARAT_ENDED, _abi.KARAT_HELD):
            return None
        self._check()
        must(status, "warp", warp)
        return self._commit

    def run(self, limit: Optional[int] = None) -> "Run":
        """Take all steps, or so many at most, and return self."""
        for _ in self:
            if limit is not None and self.steps >= limit:
                break
        if self.finished and self.coverage is not None:
            self.coverage.end()
        return self

    def _keep(self, warp: int, raw: _abi.karat_commit) -> Commit:
        """A commit of its own, with the values that raw points to."""
        commit = Commit(self.model, warp)
        ctypes.pointer(commit.raw)[0] = raw
        lib().karat_commit_keep(self.model.pointer, commit.raw, commit._values)
        return commit

    # --- What the scheduler calls ---

    def _on_launch(self, _context: Any, warp: Any, desc: Any) -> None:
        if self.coverage is not None:
            self.coverage.launch(warp.contents.handle, desc.contents, self.kernel.warps)

    def _on_commit(self, _context: Any, warp: Any, raw: Any) -> bool:
        self._commit = self._keep(warp.contents.handle, raw.contents)
        if self.coverage is not None:
            self.coverage.step(self.model, self._commit)
        return True

    def _on_print(self, _context: Any, warp: Any, text: int, length: int) -> None:
        self.prints.append(Print(warp.contents.workgroup, warp.contents.warp, ctypes.string_at(text, length)))

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
