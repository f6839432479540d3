"""ELF files that Karat's loaders take: code, data and the launch words (the macro KERNEL of karat.inc)."""
import struct

CODE, DATA, LDS, PDS = 0x80000000, 0x90000000, 0x70000000, 0xa0000000
LAUNCH_MAGIC = 0x3154524b


def write(path, words, data, launch):
    """words: the code; data: bytes at DATA; launch: warps, grid, threads, lds, pds, sgprs, vgprs."""
    code = struct.pack(f"<{len(words)}I", *words)
    knl = 0
    karat_launch = struct.pack("<14I", LAUNCH_MAGIC, CODE, *launch["grid"], launch["warps"], launch["threads"], knl, LDS,
                               launch["lds"], PDS, launch["pds"], launch["sgprs"], launch["vgprs"])
    names = b"\0.text\0.data\0.karat.launch\0.shstrtab\0"
    at = {}
    body = bytearray()

    def place(name, contents):
        body.extend(b"\0" * (-len(body) % 16))
        at[name] = 52 + 2 * 32 + len(body)
        body.extend(contents)

    place(".text", code)
    place(".data", data)
    place(".karat.launch", karat_launch)
    place(".shstrtab", names)
    body.extend(b"\0" * (-len(body) % 4))
    sections_at = 52 + 2 * 32 + len(body)
    header = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\x01\x01\x01" + b"\0" * 9, 2, 243, 1, CODE, 52, sections_at, 0,
                         52, 32, 2, 40, 5, 4)
    segment = "<IIIIIIII"
    segments = (struct.pack(segment, 1, at[".text"], CODE, CODE, len(code), len(code), 5, 4) +
                struct.pack(segment, 1, at[".data"], DATA, DATA, len(data), len(data), 6, 4))

    def section(name, kind, flags, addr, size):
        return struct.pack("<IIIIIIIIII", names.index(name.encode() + b"\0"), kind, flags, addr, at[name], size, 0, 0, 4, 0)

    sections = (b"\0" * 40 + section(".text", 1, 6, CODE, len(code)) + section(".data", 1, 3, DATA, len(data)) +
                section(".karat.launch", 1, 0, 0, len(karat_launch)) + section(".shstrtab", 3, 0, 0, len(names)))
    with open(path, "wb") as file:
        file.write(header + segments + bytes(body) + sections)
