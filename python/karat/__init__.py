"""Karat, the golden model of the Ventus RISC-V GPGPU, in Python: the guide is docs/python.md.

It calls the C libraries libkarat and libkarat_check, and needs no compiler. Values of lanes are numpy arrays where numpy is installed, else lists.
Addresses are byte addresses, words have 32 bits."""
from . import records
from ._library import Error
from .checker import Checker, Verdict, kernel_records, launch_record
from .coverage import Bin, Coverage, Group
from .isa import Instruction, Row, decode, disassemble, encode, find_row, rows
from .kernel import Buffer, Kernel
from .model import CSR, Access, Commit, Model, ProgramError, RegisterRead, RegisterWrite, Warp
from .recording import Objection, Recording, RecordingWriter, Tick
from .run import Print, Run
from .vectors import Vector, generate, memory_words


def version() -> str:
    """The version of the library."""
    from ._library import lib, text  # pylint: disable=import-outside-toplevel
    return text(lib().karat_version())


__all__ = [
    "Access", "Bin", "Buffer", "CSR", "Checker", "Commit", "Coverage", "Error", "Group", "Instruction", "Kernel", "Model", "Objection", "Print",
    "ProgramError", "Recording", "RecordingWriter", "RegisterRead", "RegisterWrite", "Row", "Run", "Tick", "Vector", "Verdict", "Warp", "decode",
    "disassemble", "encode", "find_row", "generate", "kernel_records", "launch_record", "memory_words", "records", "rows", "version",
]
