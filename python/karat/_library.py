"""Finds and loads Karat's shared libraries."""
from __future__ import annotations

import ctypes
import functools
import operator
import os
import pathlib
import shutil
import subprocess
import weakref
from typing import Any, Iterator, List

from . import _abi


class Error(Exception):
    """Karat refuses something; the text is one line."""


_API = _abi.KARAT_API_VERSION
# libkarat_sv is for simulators, and has no version in its name.
_FILES = {"karat": f"libkarat.so.{_API}", "karat_check": f"libkarat_check.so.{_API}", "karat_sv": "libkarat_sv.so"}
_BUILD_FOLDERS = ("golden", "python", "testbench", "cli")
_PACKAGE = pathlib.Path(__file__).resolve().parent


def _named() -> List[pathlib.Path]:
    """Folders that KARAT_LIBRARY names: itself, or that of the file."""
    value = os.environ.get("KARAT_LIBRARY")
    if not value:
        return []
    path = pathlib.Path(value).resolve()
    if not path.exists():
        raise Error(f"KARAT_LIBRARY={value}: there is no such file or folder")
    return [path if path.is_dir() else path.parent]


def _pkg_config() -> List[pathlib.Path]:
    if not shutil.which("pkg-config"):
        return []
    done = subprocess.run(["pkg-config", "--variable=libdir", "karat"], capture_output=True, text=True, check=False)
    return [pathlib.Path(done.stdout.strip())] if done.returncode == 0 and done.stdout.strip() else []


def _around(folder: pathlib.Path) -> Iterator[pathlib.Path]:
    """The folders of an installation's libraries, or of a build tree's, that a folder is the root of."""
    yield from (folder, folder / "karat", folder / "lib", folder / "lib" / "karat")
    yield from sorted(folder.glob("lib/*-linux-*"))
    yield from sorted(folder.glob("lib/*-linux-*/karat"))
    yield from (folder / name for name in _BUILD_FOLDERS)


def _folders() -> Iterator[pathlib.Path]:
    named = _named()
    for folder in named or [*_PACKAGE.parents][1:4]:  # lib/python3/dist-packages of a prefix, python/ of a build tree
        yield from _around(folder)
        if named:  # In a build tree the name is the folder of one library
            yield from _around(folder.parent)
    if not named:
        for folder in _pkg_config():
            yield from _around(folder)


def find(name: str) -> str:
    """Where the shared library libNAME is: a path, or a name for the system's loader."""
    for folder in _folders():
        if (folder / _FILES[name]).is_file():
            return str(folder / _FILES[name])
    if _named():
        raise Error(f"KARAT_LIBRARY={os.environ['KARAT_LIBRARY']}: no {_FILES[name]} there")
    return _FILES[name]


def command() -> str:
    """The path of the command karat: of the same installation or build tree as the library, or in PATH."""
    for folder in _folders():
        for path in (folder / "bin" / "karat", folder / "karat", folder.parent / "bin" / "karat", folder.parents[1] / "bin" / "karat"):
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    found = shutil.which("karat")
    if not found:
        raise Error("the command karat is not installed (Debian package karat; component karat of an installation)")
    return found


@functools.lru_cache(maxsize=None)
def library(name: str = "karat") -> ctypes.CDLL:
    """A loaded library, whose functions have the types of the C headers."""
    if name == "karat_check":
        library("karat")  # The others need it, and the loader may not know where it is
    path = find(name)
    try:
        loaded = ctypes.CDLL(path)
    except OSError as error:
        raise Error(f"{path} cannot be loaded ({error}); KARAT_LIBRARY can name the library or its folder") from error
    if name == "karat":
        loaded.karat_api_version.restype = ctypes.c_uint
        if loaded.karat_api_version() != _API:
            raise Error(f"{path} has API version {loaded.karat_api_version()}, this package is for {_API}: install both from the same release")
    for function, (result, arguments) in _abi.FUNCTIONS[name].items():
        entry = getattr(loaded, function)
        entry.restype, entry.argtypes = result, arguments
    return loaded


def lib() -> ctypes.CDLL:
    """The library libkarat."""
    return library("karat")


def check_lib() -> ctypes.CDLL:
    """The library libkarat_check."""
    return library("karat_check")


def free_with(owner: object, free: Any, pointer: Any) -> None:
    """Frees what a pointer of C points to once its owner, which may be the pointer, is gone."""
    weakref.finalize(owner, _free, free, type(pointer), ctypes.addressof(pointer.contents))


def _free(free: Any, kind: Any, address: int) -> None:
    free(ctypes.cast(address, kind))


def fail(diag: _abi.karat_diag) -> Error:
    """The exception for a function's one line."""
    return Error(diag.text.decode(errors="replace"))


def text(value: "bytes | None") -> str:
    """A C string."""
    return "" if value is None else value.decode(errors="replace")


STATUS = {
    _abi.KARAT_WAITING: "waits at a barrier", _abi.KARAT_HELD: "is held", _abi.KARAT_ENDED: "has ended or was never launched",
    _abi.KARAT_PROGRAM_ERROR: "program error", _abi.KARAT_BAD_ARGUMENT: "bad argument", _abi.KARAT_NO_MEMORY: "out of memory",
    _abi.KARAT_NOT_MAPPED: "not mapped", _abi.KARAT_BAD_SNAPSHOT: "not a snapshot of this version, or damaged",
    _abi.KARAT_NO_LEVEL: "KARAT_LEVEL names no level of this machine",
}


def to_word(value: Any, what: str) -> int:
    """A 32-bit word, signed or not, as it is in memory; an error where the value has no such form."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(f"{what}: expected a number, found {value!r}") from None
    if not -0x80000000 <= number <= 0xffffffff:
        raise Error(f"{what}: {number} is no 32-bit word")
    return number & 0xffffffff


def to_unsigned(value: Any, bits: int, what: str) -> int:
    """A number of so many bits; ctypes would cut off what does not fit."""
    try:
        number = operator.index(value)
    except TypeError:
        raise Error(f"{what}: expected a number, found {value!r}") from None
    if not 0 <= number < 1 << bits:
        raise Error(f"{what}: expected 0 to 2^{bits} - 1, found {number}")
    return number


def set_fields(structure: ctypes.Structure, fields: "dict[str, Any]", what: str) -> None:
    """Set fields of a C structure by name: numbers that fit, or whole values of other types."""
    types = {name: kind for name, kind, *_ in structure._fields_}  # type: ignore[misc]
    for name, value in fields.items():
        if name not in types:
            raise Error(f"{name}: no such field of {what}")
        kind = types[name]
        if isinstance(kind, type) and issubclass(kind, ctypes._SimpleCData) and kind._type_ in "BHILQ":  # type: ignore[attr-defined]
            value = to_unsigned(value, 8 * ctypes.sizeof(kind), name)
        setattr(structure, name, value)


def must(status: int, *what: object) -> None:
    """Raises what a status says."""
    if status != _abi.KARAT_OK:
        raise Error(f"{' '.join(map(str, what))}: {STATUS[status]}")
