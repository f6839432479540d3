"""The lockstep checker: records in, a verdict out (docs/port.md, docs/triage.md)."""
from __future__ import annotations

import ctypes
import enum
import json
import os
import weakref
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import _abi, records
from ._library import Error, check_lib, fail, free_with, lib, text
from .isa import profile_number
from .kernel import Kernel

if TYPE_CHECKING:
    from .recording import RecordingWriter


class Verdict(enum.IntEnum):
    """The outcome, which is the exit status of Karat's commands."""

    PASS = _abi.KARAT_PASS
    MISMATCH = _abi.KARAT_MISMATCH
    BAD_INPUT = _abi.KARAT_BAD_INPUT
    HANG = _abi.KARAT_HANG
    PROGRAM_ERROR = _abi.KARAT_VERDICT_PROGRAM_ERROR
    INCOMPLETE = _abi.KARAT_INCOMPLETE


_libc = ctypes.CDLL(None)
_libc.open_memstream.restype = ctypes.c_void_p
_libc.open_memstream.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t)]
_libc.fclose.argtypes = _libc.free.argtypes = [ctypes.c_void_p]


def written(put: Any, *arguments: Any) -> bytes:
    """Everything that a C function writes to the FILE that is its last argument."""
    at, size = ctypes.c_void_p(), ctypes.c_size_t()
    file = _libc.open_memstream(at, size)
    if not file:
        raise MemoryError
    put(*arguments, file)
    _libc.fclose(file)
    got = ctypes.string_at(at, size.value)
    _libc.free(at)
    return got


def strict_bits(words: Union[str, Sequence[str]]) -> int:
    """The bits of a list of words ("registers,lanes")."""
    bits = ctypes.c_uint32()
    joined = words if isinstance(words, str) else ",".join(words)
    if joined and not check_lib().karat_check_strict(joined.encode(), bits):
        known = iter(lambda: check_lib().karat_check_strict_word(len(seen)), None)
        seen: List[str] = []
        for word in known:
            seen.append(text(word))
        raise Error(f"strict={joined}: expected a list of {', '.join(seen)}")
    return bits.value


class Checker:
    """Compares the records of a core with the model.

    core: the core's description (docs/your-core.md), a file's name or a mapping. kernels: for the symbols of reports, in the order of
    their KERNEL records. program: for the verdict line. strict: undefined behaviour of the program that is an error. failures: continue
    until so many warps have failed. keep_going: continue with the same warp, too. record: writes every record to that recording."""

    def __init__(self, core: "None | str | os.PathLike[str] | Mapping[str, Any]" = None, kernels: Sequence[Kernel] = (), program: str = "",
                 profile: Optional[str] = None, strict: Union[str, Sequence[str]] = "", failures: int = 1, keep_going: bool = False,
                 hang_cycles: Optional[int] = None, record: "Optional[RecordingWriter]" = None):
        config = _abi.karat_check_config()
        check_lib().karat_check_config_default(config)
        kernels = tuple(kernels)
        array = (ctypes.POINTER(_abi.karat_kernel) * max(1, len(kernels)))(*(kernel.pointer for kernel in kernels))
        config.kernels, config.num_kernels = array, len(kernels)
        config.program = (program or (kernels[0].name if kernels else "")).encode() or None
        if profile is not None:
            config.model.profile = profile_number(profile)
        config.strict = strict_bits(strict)
        config.max_failures, config.keep_going = failures, keep_going
        if hang_cycles is not None:
            config.hang_cycles = hang_cycles
        self._use(config, record, _description(core), kernels, array)

    def _use(self, config: _abi.karat_check_config, record: "Optional[RecordingWriter]", description: Any, *keep: Any) -> None:
        """Make the checker. The configuration points into what is kept."""
        if description is not None:
            check_lib().karat_core_desc_use(description, config)
        self.config = config
        self._record = record
        self._keep = (config, description, *keep)
        self.pointer = check_lib().karat_checker_create(config)
        if not self.pointer:
            bound = check_lib().karat_check_bad_bound(config)
            raise Error(f"{text(bound)}: no instruction that may have a bound in ulp" if bound else "out of memory")
        # Kernels and description are freed after it.
        weakref.finalize(self, _destroy, self.pointer, self._keep)

    @classmethod
    def of(cls, config: _abi.karat_check_config, *keep: Any) -> "Checker":
        """A checker with a C configuration, which points into what is kept."""
        checker = cls.__new__(cls)
        checker._use(config, None, None, *keep)
        return checker

    def record(self, record: records.Record) -> bool:
        """Take the next record. True where there is nothing more to compare."""
        if self._record is not None:
            self._record.record(record)
        return check_lib().karat_checker_record(self.pointer, ctypes.byref(record), ctypes.sizeof(record))

    def tick(self, cycle: int) -> bool:
        """Time has passed without records: look for warps that hang. To be called every thousand cycles or so."""
        if self._record is not None:
            self._record.tick(cycle)
        return check_lib().karat_checker_tick(self.pointer, cycle)

    def object(self, cycle: int, what: str) -> bool:
        """The test bench has found the core wrong by itself: MISMATCH, unless a verdict stands."""
        if self._record is not None:
            self._record.object(cycle, what)
        return check_lib().karat_checker_bench_error(self.pointer, cycle, what.encode())

    def cut(self, why: str) -> None:
        """The stream ends here without BYE: INCOMPLETE, unless a verdict stands."""
        check_lib().karat_checker_cut(self.pointer, why.encode())

    @property
    def verdict(self) -> Verdict:
        """Final after BYE, or once a call returned True."""
        return Verdict(check_lib().karat_checker_verdict(self.pointer))

    @property
    def line(self) -> str:
        """The verdict line."""
        line = ctypes.create_string_buffer(_abi.KARAT_LINE_ROOM)
        check_lib().karat_checker_line(self.pointer, line, len(line))
        return text(line.value)

    def report(self) -> str:
        """What went wrong, on one screen; empty for PASS."""
        return written(check_lib().karat_checker_report, self.pointer).decode(errors="replace")

    def json(self) -> Dict[str, Any]:
        """Verdict and report as data (docs/report.schema.json)."""
        return json.loads(written(check_lib().karat_checker_report_json, self.pointer))


def _destroy(pointer: int, _keep: Any) -> None:
    check_lib().karat_checker_destroy(pointer)


def _description(core: Any) -> Any:
    if core is None:
        return None
    diag = _abi.karat_diag()
    if isinstance(core, Mapping):
        data = json.dumps(core).encode()
        found = check_lib().karat_core_desc_parse(data, len(data), b"core description", diag)
    else:
        found = check_lib().karat_core_desc_load(os.fsencode(core), diag)
    if not found:
        raise fail(diag)
    free_with(found, check_lib().karat_core_desc_free, found)
    return found


def kernel_records(kernel: Kernel, threads: int, index: int = 0, cycle: int = 0) -> Iterator[records.Record]:
    """The records that a test bench sends when it starts a kernel (without translation): a REGION for each range of memory, HOSTs with its
    contents, and KERNEL. REGIONs are without hashes."""
    regions = kernel.regions(threads)
    for base, size in regions:
        yield records.Region(cycle=cycle, base=base, size=size)
    for buffer in (*kernel.buffers, *kernel.locals):
        for at in range(0, len(buffer.data), 256):
            piece = buffer.data[at:at + 256]
            yield records.Host(cycle=cycle, addr=buffer.base + at, length=len(piece), data=piece)
    start = records.Kernel(cycle=cycle)
    check_lib().karat_retire_kernel(kernel.pointer, threads, index, len(regions), ctypes.byref(start))
    yield start


def launch_record(kernel: Kernel, threads: int, workgroup: int, warp: int, **header: int) -> records.Record:
    """The LAUNCH of a core that gives a warp of the kernel what the ISA says; registers begin as zeros."""
    desc = _abi.karat_launch_desc()
    lib().karat_kernel_launch(kernel.pointer, threads, workgroup, warp, desc)
    record = records.Launch(workgroup=workgroup, warp=warp, regs=records.REGS_CLEARED, **header)
    check_lib().karat_retire_launch(desc, ctypes.byref(record))
    return record
