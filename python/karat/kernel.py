"""Kernels on disk."""
from __future__ import annotations

import ctypes
import dataclasses
import os
import weakref
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from . import _abi
from ._library import Error, fail, lib, text
from .isa import profile_name

Path = Union[str, "os.PathLike[str]"]


@dataclasses.dataclass(frozen=True)
class Buffer:
    """Bytes that a kernel's file has for memory."""

    base: int  # Byte address
    data: bytes
    size: int  # Bytes to map, at least len(data)


class Kernel:
    """A kernel: an ELF file for the model, or a .metadata file with its .data beside it.

    launch is for ELF files without a launch of their own, with the names of the options of `karat run` (docs/run.md):
    {"kernel": "vecadd", "grid": 4, "arg": ["buffer:256", "u32:7"]}. threads is the number of threads of a warp that its private memory
    is laid out for."""

    def __init__(self, path: Path, data: Optional[Path] = None, launch: Optional[Mapping[str, Any]] = None, threads: int = 32):
        self.path = os.fspath(path)
        diag = _abi.karat_diag()
        self._spec = _abi.karat_launch_spec(threads=threads)
        self._values: List[bytes] = []  # The specification points into these
        weakref.finalize(self, lib().karat_launch_spec_free, self._spec)
        if launch:
            for name, value in launch.items():
                self._take(name, value, diag)
            if not lib().karat_launch_check(self._spec, diag):
                raise fail(diag)
            self.pointer = lib().karat_kernel_load_launched(os.fsencode(path), self._spec, diag)
        else:
            self.pointer = lib().karat_kernel_load(os.fsencode(path), None if data is None else os.fsencode(data), diag)
        if not self.pointer:
            raise fail(diag)
        weakref.finalize(self, lib().karat_kernel_free, self.pointer)
        self.raw = self.pointer.contents

    def _take(self, name: str, value: Any, diag: _abi.karat_diag) -> None:
        option = getattr(_abi, f"KARAT_LAUNCH_{name.upper()}", None)
        if option is None or name == "num_option":
            raise Error(f"launch option {name}: there is none of that name")
        for one in value if isinstance(value, list) else [value]:
            words = ",".join(map(str, one)) if isinstance(one, tuple) else str(one)
            self._values.append(words.encode())
            if not lib().karat_launch_take(self._spec, option, self._values[-1], diag):
                raise Error(f"launch option {name}: {text(diag.text)}")

    def __repr__(self) -> str:
        return f"<karat.Kernel {self.name}, {self.workgroups} workgroups of {self.warps} warps>"

    @property
    def name(self) -> str:
        """The file's name without folder and suffix."""
        return text(self.raw.name)

    @property
    def pc(self) -> int:
        """Byte address of the first instruction."""
        return self.raw.start_addr

    @property
    def grid(self) -> Tuple[int, int, int]:
        """Workgroups in x, y and z."""
        return tuple(self.raw.grid)  # type: ignore[return-value]

    @property
    def workgroups(self) -> int:
        """Workgroups of the grid."""
        return lib().karat_kernel_workgroups(self.pointer)

    @property
    def warps(self) -> int:
        """Warps of a workgroup."""
        return self.raw.wg_size

    @property
    def threads(self) -> int:
        """Threads of a warp; 0: as many as the device has."""
        return self.raw.wf_size

    @property
    def profile(self) -> Optional[str]:
        """The ISA's profile that its code is for, where its file says so."""
        return profile_name(self.raw.profile) if self.raw.names_profile else None

    @property
    def needs_translation(self) -> bool:
        """Its file changes page tables: it runs with SV39 translation."""
        return self.raw.num_pages > 0

    @property
    def buffers(self) -> Tuple[Buffer, ...]:
        """Contents of device memory."""
        return tuple(self._buffer(self.raw.buffers[i]) for i in range(self.raw.num_buffers))

    @property
    def locals(self) -> Tuple[Buffer, ...]:
        """First contents of each workgroup's local memory, at addresses in the LDS window."""
        return tuple(self._buffer(self.raw.locals[i]) for i in range(self.raw.num_locals))

    @staticmethod
    def _buffer(buffer: _abi.karat_buffer) -> Buffer:
        return Buffer(buffer.base, ctypes.string_at(buffer.data, buffer.size) if buffer.size else b"", buffer.alloc_size)

    def regions(self, threads: int) -> Tuple[Tuple[int, int], ...]:
        """The ranges of device memory that it maps on a device with so many threads in a warp: byte address and bytes."""
        found = []
        base, size = ctypes.c_uint64(), ctypes.c_uint64()
        for i in range(lib().karat_kernel_num_regions(self.pointer)):
            lib().karat_kernel_region(self.pointer, i, threads, base, size)
            found.append((base.value, size.value))
        return tuple(found)

    @property
    def symbols(self) -> Dict[str, int]:
        """Byte addresses by name; empty for .metadata files."""
        return {text(self.raw.symbols[i].name): self.raw.symbols[i].addr for i in range(self.raw.num_symbols)}

    @property
    def args(self) -> Tuple[int, ...]:
        """With launch: byte address of each argument that is a buffer; of a word, of its place in the argument buffer."""
        return tuple(self._spec.args[i].addr for i in range(self._spec.num_args))

    def where(self, addr: int) -> str:
        """An address as text: "0x80000040 <loop+0x8>"."""
        offset = ctypes.c_uint32()
        symbol = lib().karat_kernel_symbol(self.pointer, addr, offset)
        if not symbol:
            return f"0x{addr:08x}"
        return f"0x{addr:08x} <{text(symbol.contents.name)}{f'+0x{offset.value:x}' if offset.value else ''}>"
