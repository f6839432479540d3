"""Kernel files for the tests: ELF32 executables with a .karat.launch section, and .metadata/.data pairs, made of
words. No assembler is needed."""
import pathlib
import struct

ENDPRG = 0x0000400B
BARRIER = 0x0400400B
JOIN = 0x0000205B


def addi(rd, rs1, imm):
    return (imm & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0x13


def lui(rd, imm20):
    return imm20 << 12 | rd << 7 | 0x37


def lw(rd, rs1, imm):
    return (imm & 0xFFF) << 20 | rs1 << 15 | 2 << 12 | rd << 7 | 0x03


def sw(rs2, rs1, imm):
    return (imm >> 5 & 0x7F) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | (imm & 0x1F) << 7 | 0x23


def csrr(rd, csr):
    return csr << 20 | 2 << 12 | rd << 7 | 0x73


def csrw(csr, rs1):
    return csr << 20 | rs1 << 15 | 1 << 12 | 0x73


def branch(funct3, rs1, rs2, offset):
    o = offset & 0x1FFF
    return ((o >> 12 & 1) << 31 | (o >> 5 & 0x3F) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (o >> 1 & 0xF) << 8
            | (o >> 11 & 1) << 7 | 0x63)


def bne(rs1, rs2, offset):
    return branch(1, rs1, rs2, offset)


def beq(rs1, rs2, offset):
    return branch(0, rs1, rs2, offset)


def vadd_vi(vd, vs2, imm):
    return 1 << 25 | vs2 << 20 | (imm & 0x1F) << 15 | 3 << 12 | vd << 7 | 0x57


def vadd_vv(vd, vs2, vs1):
    return 1 << 25 | vs2 << 20 | vs1 << 15 | vd << 7 | 0x57


CODE = 0x80000000
DATA = 0x90000000


def elf(code, *, data=bytes(4096), grid=(1, 1, 1), wg_size=1, wf_size=0, knl=DATA, lds=(0x70000000, 0), pds=(0, 0),
        regs=(0, 0), symbols=(), machine=243, kind=2, magic=0x3154524B, entry=CODE, launch=True, profile=None):
    """Bytes of an ELF32 executable: code words at CODE, data bytes at DATA. profile: that a note names."""
    text = b"".join(struct.pack("<I", w) for w in code)
    words = struct.pack("<14I", magic, entry, *grid, wg_size, wf_size, knl, *lds, *pds, *regs)
    names = b"\0.text\0.data\0.karat.launch\0.symtab\0.strtab\0.shstrtab\0.note.karat\0"
    note = struct.pack("<3I8s8s", 6, len(profile), 1, b"Karat", profile.encode()) if profile else b""
    strings = b"\0"
    table = bytes(16)
    for name, addr, size in symbols:
        table += struct.pack("<IIIBBH", len(strings), addr, size, 0x12 if size else 0x10, 0, 1)
        strings += name.encode() + b"\0"
    head = 52 + 2 * 32
    blobs = [text, data, words, table, strings, names, note]
    offsets = []
    at = head
    for blob in blobs:
        offsets.append(at)
        at += len(blob)
    o = offsets
    out = b"\x7fELF\x01\x01\x01" + bytes(9)
    out += struct.pack("<HHIIIIIHHHHHH", kind, machine, 1, entry, 52, at, 0, 52, 32, 2, 40, 7 + bool(profile), 6)
    out += struct.pack("<8I", 1, o[0], CODE, CODE, len(text), len(text), 5, 4)
    out += struct.pack("<8I", 1, o[1], DATA, DATA, len(data), len(data), 6, 4)
    out += b"".join(blobs)

    def section(name, kind, addr, i, link=0, entry_size=0):
        return struct.pack("<10I", names.index(name) if name else 0, kind, 0, addr, o[i] if name else 0,
                           len(blobs[i]) if name else 0, link, 0, 4, entry_size)

    out += section(b"", 0, 0, 0)
    out += section(b".text", 1, CODE, 0)
    out += section(b".data", 1, DATA, 1)
    out += section(b".karat.launch" if launch else b".data", 1, 0, 2)
    out += section(b".symtab", 2, 0, 3, 5, 16)
    out += section(b".strtab", 3, 0, 4)
    out += section(b".shstrtab", 3, 0, 5)
    out += section(b".note.karat", 7, 0, 6) if profile else b""
    return out


def write_elf(path, code, **options):
    path = pathlib.Path(path)
    path.write_bytes(elf(code, **options))
    return path


def metadata_fields(*, buffers, start=CODE, grid=(1, 1, 1), wf_size=4, wg_size=1, knl=DATA, lds_size=0x1000,
                    pds_size=0, sgprs=64, vgprs=64, pds_base=0):
    """The fields of a .metadata file; buffers: (base, words, alloc_size)."""
    fields = [start, 0, *grid, wf_size, wg_size, knl, lds_size, pds_size, sgprs, vgprs, pds_base, len(buffers)]
    fields += [b[0] for b in buffers]
    fields += [4 * len(b[1]) for b in buffers]
    fields += [b[2] for b in buffers]
    return fields


def write_metadata(path, *, buffers, end="\n", profile=None, **options):
    path = pathlib.Path(path)
    fields = metadata_fields(buffers=buffers, **options)
    first = f"// ISA profile {profile}{end}" if profile else ""
    path.write_text(first + "".join(f"{f & 0xFFFFFFFF:08x}{end}{f >> 32:08x}{end}" for f in fields), newline="")
    path.with_suffix(".data").write_text("".join(f"{w:08x}{end}" for b in buffers for w in b[1]), newline="")
    return path


def dumps(path):
    """--dump of all that an ELF file has in memory."""
    if path.suffix != ".elf":
        return []
    image = path.read_bytes()
    offset, = struct.unpack_from("<I", image, 28)
    size, num = struct.unpack_from("<HH", image, 42)
    segments = [struct.unpack_from("<6I", image, offset + i * size) for i in range(num)]
    return [f"--dump={addr:#x},{length}" for kind, _, addr, _, _, length in segments if kind == 1 and length]
