"""The records of the retire port (docs/port.md) as ctypes structures, made of the one definition of their layouts, dpi/port/records.py.

karat.records.Issue, Write ... have the fields of the definition; their header's fields (kind, sm, slot, flags, epoch, cycle) are in h.
Constants are here without the prefix KARAT_: PROP_COHERENT, MEM_STORE ..."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Dict, List, Type, Union

from . import _layouts
from ._library import Error

_UNSIGNED = {4: ctypes.c_uint8, 8: ctypes.c_uint8, 16: ctypes.c_uint16, 32: ctypes.c_uint32, 64: ctypes.c_uint64}
VERSION = _layouts.VERSION
MAX_THREAD = _layouts.MAX_THREAD


def _field(name: str, bits: int, count: int) -> Any:
    kind = _UNSIGNED[bits]
    return (name, kind) if count == 1 else (name, kind * (count // 2 if bits == 4 else count))


class Header(ctypes.LittleEndianStructure):
    """The first 16 bytes of every record."""

    _fields_ = [_field(*field[:3]) for field in _layouts.HEADER]


class Record(ctypes.LittleEndianStructure):
    """A record. Keyword arguments are fields, also those of the header: Issue(slot=2, cycle=7, seq=0, pc=0x80000000). Sequences, bytes and
    text are taken for arrays, one element each also where an element has four bits."""

    kind = 0  # Kind of record of the class
    kind_name = ""  # "issue"
    layout: "List[_layouts.Field]" = []  # Fields after the header

    def __init__(self, **fields: Any):
        super().__init__()
        self.h.kind = self.kind
        header = {name for name, *_ in Header._fields_}
        for name, value in fields.items():
            owner = self.h if name in header else self
            if not hasattr(owner, name):
                raise Error(f"{self.kind_name}: there is no field {name}")
            current = getattr(owner, name)
            if isinstance(current, ctypes.Array):
                value = value.encode() if isinstance(value, str) else value
                nibbles = any(field.name == name and field.bits == 4 for field in self.layout)
                for i, one in enumerate(value):
                    if nibbles:
                        set_nibble(current, i, int(one))
                    else:
                        current[i] = int(one)
            else:
                setattr(owner, name, value)

    def __bytes__(self) -> bytes:
        return ctypes.string_at(ctypes.addressof(self), ctypes.sizeof(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and bytes(self) == bytes(other)

    __hash__ = None  # type: ignore[assignment]

    def fields(self) -> Dict[str, Any]:
        """Its fields without the header, arrays as lists; of nibbles ("bytes" of MEM) one number each."""
        found = {}
        for name, bits, count, *_ in self.layout:
            if not name.startswith("pad"):
                value = getattr(self, name)
                if bits == 4:
                    value = [value[i // 2] >> 4 * (i % 2) & 15 for i in range(count)]
                elif count > 1:
                    value = list(value)
                found[name] = value
        return found

    def __repr__(self) -> str:
        head = f"cycle={self.h.cycle} sm={self.h.sm} slot={self.h.slot} epoch={self.h.epoch}"
        return f"<{self.kind_name} {head} " + " ".join(f"{k}={v:#x}" if isinstance(v, int) else f"{k}=..." for k, v in self.fields().items()) + ">"


if TYPE_CHECKING:
    def __getattr__(name: str) -> Any:
        """Classes and constants that are made here."""

KINDS: Dict[int, Type[Record]] = {}
for _record in _layouts.RECORDS:
    KINDS[_record.kind] = type(_record.name.capitalize(), (Record,), {
        "__doc__": f"{_record.when}\n\n" + "\n".join(f"{name}: {bits} bits{f' * {count}' if count > 1 else ''}. {meaning}"
                                                    for name, bits, count, meaning, *_ in _record.fields if not name.startswith("pad")),
        "kind": _record.kind, "kind_name": _record.name, "layout": _record.fields, "__module__": __name__,
        "_fields_": [("h", Header)] + [_field(*field[:3]) for field in _record.fields]})
    globals()[_record.name.capitalize()] = KINDS[_record.kind]
    globals()[f"REC_{_record.name.upper()}"] = _record.kind
CONSTANTS: Dict[str, int] = {name: value for name, value, _ in _layouts.CONSTANTS}
globals().update(CONSTANTS)


def set_nibble(array: Any, lane: int, value: int) -> None:
    """Set a lane's four bits of an array such as Mem.bytes."""
    shift = 4 * (lane % 2)
    array[lane // 2] = array[lane // 2] & ~(15 << shift) | value << shift


def parse(data: Union[bytes, bytearray, memoryview]) -> Record:
    """A record from its bytes: one byte of them says of which kind it is."""
    if not data or data[0] not in KINDS:
        raise Error("the bytes begin with no kind of record")
    kind = KINDS[data[0]]
    if len(data) != ctypes.sizeof(kind):
        raise Error(f"{kind.kind_name}: {len(data)} bytes, expected {ctypes.sizeof(kind)}")
    return kind.from_buffer_copy(data)
