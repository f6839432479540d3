"""Lanes and words: numpy arrays where numpy is installed, else lists."""
from __future__ import annotations

import array
import ctypes
from typing import Any, Sequence

from ._library import to_word

try:
    import numpy  # type: ignore
except ImportError:
    numpy = None


def words(source: Any, count: int) -> "Sequence[int]":
    """A copy of the first words of a ctypes array of, or pointer to, 32-bit words."""
    taken = ctypes.string_at(source, 4 * count)
    if numpy is not None:
        return numpy.frombuffer(taken, dtype="<u4").copy()
    return array.array("I", taken).tolist()


def to_bytes(data: Any) -> bytes:
    """Bytes as they are, numpy arrays as in memory, and other sequences as 32-bit words, little-endian."""
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    if hasattr(data, "tobytes"):
        return data.tobytes()
    return b"".join(to_word(value, "data").to_bytes(4, "little") for value in data)
