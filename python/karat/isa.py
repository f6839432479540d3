"""The instruction table: decode, encode and disassemble. Words are 32-bit integers, one instruction each."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import Dict, List, Optional, Tuple

from . import _abi
from ._library import Error, lib, text, to_word


def profile_name(number: int) -> str:
    """The name of a profile from the number that C functions have for it."""
    return text(lib().karat_profile_name(number))


def profile_number(name: Optional[str]) -> int:
    """The number that C functions have for a profile's name; None: that of the default."""
    if name is None:
        return _abi.KARAT_DEFAULT_PROFILE
    number = ctypes.c_int()
    if not lib().karat_profile_find(name.encode(), len(name.encode()), number):
        raise Error(f"profile {name}: expected {text(lib().karat_profile_names())}")
    return number.value


@dataclasses.dataclass(frozen=True)
class Row:
    """A row of the instruction table."""

    number: int
    mnemonic: str  # "vadd.vv"
    syntax: str  # "vadd.vv vd, vs2, vs1[, v0.t]"
    operands: Tuple[str, ...]  # Names, in the order of encode() and of Instruction.operands
    profiles: Tuple[str, ...]  # In which it is legal
    unit: str  # "alu"
    section: str  # Section of the ISA manual

    @property
    def word(self) -> int:
        """The bits that all its words share; all other bits are 0."""
        return lib().karat_row_info(self.number).contents.match


@dataclasses.dataclass(frozen=True)
class Instruction:
    """A decoded word. Register numbers include the extension by a prefix, immediates are extended."""

    row: Row
    word: int
    prefix: int  # 0: none
    operands: Dict[str, int]


def _operands(row: int) -> List[_abi.karat_operand_kind]:
    info = lib().karat_row_info(row).contents
    return [lib().karat_operand_info(info.operands[i]).contents for i in range(info.num_operands)]


def _row(number: int) -> Row:
    pointer = lib().karat_row_info(number)
    info = pointer.contents
    syntax = ctypes.create_string_buffer(256)
    lib().karat_row_syntax(number, syntax, len(syntax))
    legal = tuple(profile_name(i) for i in range(_abi.KARAT_NUM_PROFILE) if lib().karat_row_is_legal(pointer, i))
    return Row(number, text(info.mnemonic), text(syntax.value), tuple(text(o.name) for o in _operands(number)), legal,
               text(lib().karat_unit_name(info.unit)), text(info.section))


def rows(profile: Optional[str] = None) -> List[Row]:
    """All rows of the table, or those that are legal in a profile."""
    every = [_row(number) for number in range(lib().karat_num_rows())]
    return [row for row in every if profile is None or row.profiles and profile in row.profiles]


def find_row(mnemonic: str) -> Row:
    """The row with that mnemonic ("vadd.vv") or identifier ("vadd_vv")."""
    number = lib().karat_find_row(mnemonic.encode())
    if number == _abi.KARAT_NO_ROW:
        raise Error(f"{mnemonic}: there is no such instruction")
    return _row(number)


def decode(word: int, prefix: int = 0, profile: Optional[str] = None) -> Optional[Instruction]:
    """Take a word apart, with the prefix word before it; None where it is no instruction of that profile."""
    insn = _abi.karat_insn()
    number = lib().karat_decode_prefixed(profile_number(profile), prefix, word, insn, None)
    if number == _abi.KARAT_NO_ROW:
        return None
    row = _row(number)
    return Instruction(row, word, prefix, dict(zip(row.operands, insn.value)))


def encode(mnemonic: str, **operands: int) -> int:
    """The word of an instruction without prefix: encode("vadd.vi", vd=1, vs2=2, simm5=-3).

    Operands have the names of Row.operands. vm is 1 (unmasked) where it is not given, and so is one that has no effect; other fields that the
    instruction ignores are 0."""
    row = find_row(mnemonic)
    value = (ctypes.c_int32 * _abi.KARAT_MAX_OPERAND)()
    for i, kind in enumerate(_operands(row.number)):
        name = row.operands[i]
        default = {_abi.KARAT_ROLE_VM: 1, _abi.KARAT_ROLE_IGNORED: kind.written}.get(kind.role)
        given = operands.pop(name, default)
        if given is None:
            raise Error(f"{row.syntax}: operand {name} is missing")
        value[i] = given
    if operands:
        raise Error(f"{row.syntax}: there is no operand {', '.join(operands)} (there are {', '.join(row.operands)})")
    word = ctypes.c_uint32()
    if not lib().karat_encode(row.number, value, word):
        raise Error(f"{row.syntax}: an operand does not fit its field")
    return word.value


def disassemble(word: int, prefix: int = 0, pc: int = 0, profile: Optional[str] = None) -> str:
    """One line of assembly; ".4byte 0x..." for a word that is no instruction. pc: byte address, for the targets of branches."""
    line = ctypes.create_string_buffer(256)
    lib().karat_disassemble(profile_number(profile), to_word(pc, "pc"), to_word(prefix, "prefix"), to_word(word, "word"), line, len(line))
    return text(line.value)
