"""Test vectors: folders that `karat gen` makes (docs/vectors.md)."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
from typing import Any, Callable, Dict, List, Tuple

from ._library import Error, command
from .kernel import Kernel, Path


def memory_words(path: Path) -> Dict[int, int]:
    """The 32-bit words of a file for $readmemh, by byte address."""
    found, at = {}, 0
    for line in pathlib.Path(path).read_text(encoding="ascii").splitlines():
        for token in line.partition("//")[0].split():
            if token.startswith("@"):
                at = int(token[1:], 16)
            else:
                found[4 * at] = int(token, 16)
                at += 1
    return found


class Vector:
    """A vector: its program, and memory as the model leaves it."""

    def __init__(self, folder: Path):
        self.folder = pathlib.Path(folder)
        manifest = self.folder / "manifest.json"
        if not manifest.is_file():
            raise Error(f"{self.folder}: no vector (there is no manifest.json)")
        self.manifest: Dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))

    def __repr__(self) -> str:
        return f"<karat.Vector {self.folder.name}>"

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def program(self) -> Kernel:
        """The program."""
        return Kernel(self.folder / "program.elf")

    @property
    def expected(self) -> Dict[int, int]:
        """Words of memory at the end, by byte address; empty where the core's timing decides (--races)."""
        file = self.folder / "expected.hex"
        return memory_words(file) if file.is_file() else {}

    def differences(self, read: Callable[[int, int], bytes]) -> List[Tuple[int, int, int]]:
        """Words of memory that are not as expected: byte address, expected, found. read(addr, size) has the bytes of memory."""
        found = []
        for addr, word in self.expected.items():
            value = int.from_bytes(read(addr, 4), "little")
            if value != word:
                found.append((addr, word, value))
        return found


def generate(kind: str, folder: Path, *arguments: str, **options: Any) -> List[Vector]:
    """Make vectors in a folder by `karat gen KIND`: generate("directed", "out", row="vfmacc.vv", threads=8).

    options are those of the command with _ for -, True for one without a value; arguments come before them, such as the file of holes. Needs
    the command karat."""
    words = [command(), "gen", kind, *map(str, arguments), "-o", os.fspath(folder)]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        words += [option] if value is True else [f"{option}={value}"]
    before = set(pathlib.Path(folder).glob("*/manifest.json"))
    stamps = {path: path.stat().st_mtime_ns for path in before}
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Error(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"karat gen: status {done.returncode}")
    made = [path for path in pathlib.Path(folder).glob("*/manifest.json") if path.stat().st_mtime_ns != stamps.get(path)]
    return [Vector(path.parent) for path in sorted(made)]
