"""The records of a recording, by the documents alone: the file format of dpi/trace/trace.h, the layouts of dpi/port/records.py."""
import ctypes
import ctypes.util
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "dpi" / "port"))
from records import CONSTANTS, HEADER, RECORDS  # noqa: E402

CONSTANT = {name: value for name, value, _ in CONSTANTS}
_zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
_zstd.ZSTD_decompress.restype = ctypes.c_size_t


def _layout(fields):
    """Of each field its name, first bit, bits of an element, and elements; and the bytes of all."""
    at, layout = 0, []
    for name, bits, count, _ in fields:
        layout.append((name, at, bits, count))
        at += bits * count
    return layout, (at + 63) // 64 * 8


KINDS = {number: (name, *_layout(HEADER + fields)) for number, name, _, _, fields in RECORDS}


def _unpack(frame, size):
    out = ctypes.create_string_buffer(size or 1)
    got = _zstd.ZSTD_decompress(out, ctypes.c_size_t(size), frame, ctypes.c_size_t(len(frame)))
    assert got == size, "a frame of zstd"
    return out.raw[:size]


def blocks(data):
    """Kind, bytes in the file, and contents of each block."""
    assert data[:8] == b"KARATTR\n"
    at = 16
    while at < len(data):
        assert data[at:at + 4] == b"KBLK"
        kind, packed, size = (int.from_bytes(data[at + i:at + i + 4], "little") for i in (4, 8, 12))
        end = at + 32 + packed
        yield kind, data[at:end], _unpack(data[at + 32:end], size)
        at = end


def _record(kind, raw):
    name, layout, _ = KINDS[kind]
    value = int.from_bytes(raw, "little")
    record = {"record": name}
    for field, at, bits, count in layout:
        if count == 1:
            record[field] = value >> at & (1 << bits) - 1
    return record


def read(path):
    """Each record as {"record": name, field: value}, without arrays; and {"record": "tick" or "object", "cycle"}."""
    for kind, _, block in blocks(pathlib.Path(path).read_bytes()):
        at = 0
        while kind == 2 and at < len(block):
            what = block[at]
            at += 1
            if what >= 0xfe:
                entry = {"record": "tick" if what == 0xfe else "object", "cycle": int.from_bytes(block[at:at + 8], "little")}
                at += 8
                if what == 0xff:
                    at += 2 + int.from_bytes(block[at:at + 2], "little")
                yield entry
                continue
            words = KINDS[what][2] // 8
            bits = int.from_bytes(block[at:at + (words + 7) // 8], "little")
            at += (words + 7) // 8
            raw = bytearray()
            for word in range(words):
                if bits >> word & 1:
                    raw += block[at:at + 8]
                    at += 8
                else:
                    raw += bytes(8)
            yield _record(what, bytes(raw))
