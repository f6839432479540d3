#!/usr/bin/python3
"""A host of the vt_* interface in Python: host.py FILE runs the kernel saxpy of an ELF file, and compares its results with its own. KARAT_DRIVER
names the library, libkarat_driver.so by default."""
import ctypes
import os
import struct
import sys

WORD, HANDLE = ctypes.c_uint64, ctypes.c_void_p
FUNCTIONS = {
    "vt_dev_open": [ctypes.POINTER(HANDLE)], "vt_dev_close": [HANDLE], "vt_dev_caps": [ctypes.POINTER(HANDLE), WORD, ctypes.POINTER(WORD)],
    "vt_root_mem_alloc": [HANDLE, ctypes.c_int], "vt_root_mem_free": [HANDLE, ctypes.c_int],
    "vt_buf_alloc": [HANDLE, WORD, ctypes.POINTER(WORD), ctypes.c_int, WORD, WORD], "vt_buf_free": [HANDLE, WORD, ctypes.POINTER(WORD), WORD, WORD],
    "vt_one_buf_free": [HANDLE, WORD, ctypes.POINTER(WORD), WORD, WORD], "vt_copy_to_dev": [HANDLE, WORD, ctypes.c_char_p, WORD, WORD, WORD],
    "vt_copy_from_dev": [HANDLE, WORD, ctypes.c_void_p, WORD, WORD, WORD], "vt_upload_kernel_file": [HANDLE, ctypes.c_char_p, ctypes.c_int],
    "vt_upload_kernel_bytes": [HANDLE, ctypes.c_char_p, WORD, ctypes.c_int], "vt_start": [HANDLE, ctypes.c_void_p, WORD],
    "vt_ready_wait": [HANDLE, WORD], "vt_finish_all_kernel": [HANDLE, ctypes.c_void_p], "vt_dump_perf": [HANDLE, ctypes.c_void_p],
    "vt_set_perf_context": [HANDLE, ctypes.c_void_p], "vt_clear_perf_context": [HANDLE],
}


class Kernel(ctypes.Structure):
    _fields_ = [("kernel_id", WORD), ("kernel_size", WORD * 3), ("wf_size", WORD), ("wg_size", WORD), ("metaDataBaseAddr", WORD), ("ldsSize", WORD),
                ("pdsSize", WORD), ("sgprUsage", WORD), ("vgprUsage", WORD), ("pdsBaseAddr", WORD)]


class Failed(Exception):
    pass


def load(path=None):
    library = ctypes.CDLL(path or os.environ.get("KARAT_DRIVER", "libkarat_driver.so"))
    for name, arguments in FUNCTIONS.items():
        getattr(library, name).argtypes = arguments
    return library


class Device:
    """A device. A call that fails is an exception of its name."""

    def __init__(self, library):
        self.library, self.handle = library, HANDLE()
        self.must("vt_dev_open", ctypes.byref(self.handle))

    def must(self, name, *arguments):
        if getattr(self.library, name)(*arguments) != 0:
            raise Failed(name)

    def close(self):
        self.must("vt_dev_close", self.handle)

    def threads(self):
        """Of a warp, at most."""
        value = WORD()
        self.must("vt_dev_caps", ctypes.byref(self.handle), 3, ctypes.byref(value))
        return value.value

    def alloc(self, size):
        addr = WORD()
        self.must("vt_buf_alloc", self.handle, size, ctypes.byref(addr), 0, 0, 0)
        return addr.value

    def free(self, addr, size):
        self.must("vt_one_buf_free", self.handle, size, ctypes.byref(WORD(addr)), 0, 0)

    def write(self, addr, data):
        self.must("vt_copy_to_dev", self.handle, addr, data, len(data), 0, 0)

    def read(self, addr, size):
        data = ctypes.create_string_buffer(size)
        self.must("vt_copy_from_dev", self.handle, addr, data, size, 0, 0)
        return data.raw

    def buffer(self, data):
        addr = self.alloc(len(data))
        self.write(addr, data)
        return addr

    def upload(self, path):
        self.must("vt_upload_kernel_file", self.handle, os.fsencode(path), 0)

    def start(self, entry, args=(), groups=1, warps=1, threads=16, pds=0, knl_more=(0, 0), items=None, **fields):
        """A kernel of one dimension with arguments of one word each; its private memory has a buffer of its own. items: of a workgroup, where they
        do not fill its warps."""
        at_args = self.buffer(struct.pack(f"<{len(args)}I", *args)) if args else 0
        at_private = self.alloc(pds * threads * warps * groups) if pds else 0
        items = items or threads * warps
        words = (entry, at_args, 1, items * groups, 1, 1, items, 1, 1, 0, 0, 0, *knl_more, 0, 0)
        kernel = Kernel(kernel_size=(groups, 1, 1), wf_size=threads, wg_size=warps, metaDataBaseAddr=self.buffer(struct.pack("<16I", *words)),
                        ldsSize=0x1000, pdsSize=pds, sgprUsage=32, vgprUsage=32, pdsBaseAddr=at_private)
        for name, value in fields.items():
            setattr(kernel, name, value)
        self.must("vt_start", self.handle, ctypes.byref(kernel), 0)

    def wait(self):
        self.must("vt_ready_wait", self.handle, 1000)

    def run(self, *args, **options):
        self.start(*args, **options)
        self.wait()


def symbols(path):
    """Names and addresses of an ELF file's symbols."""
    with open(path, "rb") as file:
        data = file.read()
    (offset,), (number,) = struct.unpack_from("<I", data, 32), struct.unpack_from("<H", data, 48)
    sections = [struct.unpack_from("<10I", data, offset + 40 * i) for i in range(number)]
    found = {}
    for section in sections:
        if section[1] == 2:  # SHT_SYMTAB
            strings = sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], 16):
                name, value = struct.unpack_from("<II", data, at)
                found[data[strings + name:data.index(b"\0", strings + name)].decode()] = value
    return found


def saxpy(device, path, groups=4, warps=2, threads=16, **options):
    """How many results are wrong."""
    items = groups * warps * threads
    x, y = [float(i) for i in range(items)], [float(items - i) for i in range(items)]
    at_x, at_y = (device.buffer(struct.pack(f"<{items}f", *values)) for values in (x, y))
    device.upload(path)
    a, = struct.unpack("<I", struct.pack("<f", 2.5))
    device.run(symbols(path)["saxpy"], (a, at_x, at_y), groups=groups, warps=warps, threads=threads, **options)
    result = struct.unpack(f"<{items}f", device.read(at_y, 4 * items))
    return sum(result[i] != 2.5 * x[i] + y[i] for i in range(items))


def main():
    device = Device(load())
    wrong = saxpy(device, sys.argv[1], threads=min(device.threads(), 16), pds=256)
    device.close()
    print(f"saxpy: {wrong} results are wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
