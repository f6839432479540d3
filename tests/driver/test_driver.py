#!/usr/bin/python3
"""libkarat_driver.so: hosts in C and Python, the environment, and hosts and kernels that do what they must not. Each case is a process of its own,
which is this program with the case's name; what it prints on standard error is the library's."""
import argparse
import ctypes
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples" / "driver"))
import host  # noqa: E402

FIRST = 0x90000000


def fails(call, *arguments, **options):
    try:
        call(*arguments, **options)
    except host.Failed:
        return
    raise AssertionError(f"{call.__name__} has not failed")


class Case:
    """For the cases: the library, the files, and a device."""

    def __init__(self, args):
        self.library, self.saxpy, self.abuse, self.data = host.load(args.driver), args.saxpy, args.abuse, args.data
        self.at = host.symbols(args.abuse)
        self.device = host.Device(self.library)

    def started(self, name, *args, **options):
        self.device.upload(self.abuse)
        self.device.run(self.at[name], args, **options)


# --- Cases: lines that have to be on standard error, with * for anything, and the environment ---

CASES = {}


def case(*lines, **environment):
    def enter(function):
        CASES[function.__name__] = (function, lines, environment)
        return function
    return enter


@case()
def results(c):
    for threads, warps, groups in ((1, 1, 1), (4, 3, 5), (8, 1, 2), (12, 2, 2), (32, 8, 3)):
        assert host.saxpy(c.device, c.saxpy, groups=groups, warps=warps, threads=threads, pds=16) == 0
    c.device.must("vt_finish_all_kernel", c.device.handle, None)
    c.device.must("vt_root_mem_alloc", c.device.handle, 0)
    c.device.must("vt_set_perf_context", c.device.handle, None)
    with open(c.saxpy, "rb") as file:
        image = file.read()
    c.device.must("vt_upload_kernel_bytes", c.device.handle, image, len(image), 0)
    value = host.WORD()
    for ident, expected in ((2, 8), (3, 32), (6, FIRST), (7, 0x80000000), (8, 1)):
        c.device.must("vt_dev_caps", None, ident, ctypes.byref(value))
        assert value.value == expected
    assert c.library.vt_dev_caps(None, 99, ctypes.byref(value)) == -1
    c.device.close()


@case()
def memory_stays(c):
    """From kernel to kernel, through another width of warps; new memory is 0, and the image is as it was uploaded."""
    at = c.device.buffer(bytes(4))
    for n, threads in enumerate((16, 16, 32, 4)):
        c.started("store", at, threads=threads)
        assert c.device.read(at, 4)[0] == n + 1
    c.device.free(at, 4)
    assert c.device.read(c.device.alloc(1 << 20), 1 << 20) == bytes(1 << 20)
    entry = c.device.read(c.at["illegal"], 4)
    c.device.write(c.at["illegal"], b"\1\2\3\4")
    assert c.device.read(c.at["illegal"], 4) == b"\1\2\3\4"
    c.device.upload(c.abuse)
    assert c.device.read(c.at["illegal"], 4) == entry


@case("vt_copy_to_dev: 0x9000000e, 4 bytes: 2 beyond the end of the buffer of 16 bytes at 0x90000000",
      "vt_copy_from_dev: 0x90000000, 17 bytes: 1 beyond", "vt_copy_to_dev: 0x90001000, 1 bytes: expected an address in a buffer: it is in no buffer",
      "vt_copy_from_dev: expected memory of the host", "vt_copy_to_dev: 0x80000000, 4 bytes: expected an address in a buffer")
def copies(c):
    at = c.device.buffer(bytes(range(16)))
    fails(c.device.write, at + 14, b"abcd")
    fails(c.device.read, at, 17)
    fails(c.device.write, at + 4096, b"a")
    assert c.library.vt_copy_from_dev(c.device.handle, at, None, 4, 0, 0) == -1
    fails(c.device.write, 0x80000000, b"abcd")
    c.device.write(at, b"")
    assert c.device.read(at, 16) == bytes(range(16))


@case("vt_one_buf_free: 0x90000000: expected the address of a buffer: it is in the buffer of 16 bytes at 0x90000000 that was freed after 0 kernels",
      "vt_one_buf_free: 0x90001004, 8 bytes: expected address and size of a buffer, 0x90001000 and 8",
      "vt_one_buf_free: 0x90001000, 4097 bytes: expected address and size", "vt_buf_free: expected the address of a buffer",
      "vt_copy_to_dev: 0x90000000, 1 bytes: expected an address in a buffer: it is in the buffer of 16 bytes")
def frees(c):
    at, other = c.device.alloc(16), c.device.alloc(8)
    c.device.free(at, 16)
    fails(c.device.free, at, 16)
    fails(c.device.free, other + 4, 8)
    fails(c.device.free, other, 4097)
    assert c.library.vt_buf_free(c.device.handle, 8, None, 0, 0) == -1
    fails(c.device.write, at, b"a")
    c.device.free(other, 8)


@case("store: program error: access to an unmapped address in workgroup 0 warp 0 lane 0 at pc 0x800000* <store+0x4> (0002a303  lw x6, 0(x5)), address"
      " 0x90000000",
      "store: 0x90000000 is in the buffer of 4 bytes at 0x90000000 that was freed after 1 kernels")
def use_after_free(c):
    at = c.device.buffer(bytes(4))
    c.started("store", at)
    c.device.free(at, 4)
    fails(c.started, "store", at)
    c.device.wait()  # The error was told once


@case("store: program error: access to an unmapped address * address 0x90001000",
      "store: 0x90001000 is 4092 bytes beyond the end of the buffer of 4 bytes at 0x90000000")
def beyond(c):
    at_args = c.device.buffer(struct.pack("<I", FIRST + 4096))
    c.device.upload(c.abuse)
    # CSR_KNL may be in the image: so there is no second buffer
    knl = c.at["spin"] + 0x1000
    c.device.write(knl, struct.pack("<2I", c.at["store"], at_args))
    kernel = host.Kernel(kernel_size=(1, 1, 1), wf_size=4, wg_size=1, metaDataBaseAddr=knl, vgprUsage=32, sgprUsage=32)
    c.device.must("vt_start", c.device.handle, ctypes.byref(kernel), 0)
    fails(c.device.wait)


@case("vt_start: no image was uploaded", "vt_upload_kernel_file: *no-such-file: cannot be opened",
      "vt_upload_kernel_bytes: (bytes): expected an ELF file", "vt_start: expected a kernel", "vt_start: expected 1 or more workgroups * found 0",
      "vt_start: expected from 1 thread of a warp to as many as the device has * found 33", "vt_start: expected 1 to 1024 warps * found 0",
      "vt_start: expected at most 64 scalar registers, found 65", "private memory at 0x12345000 lies in no buffer",
      "private memory of a workgroup, 4096 bytes, runs over its buffer, which has 64 from 0x9000*000 on")
def starts(c):
    fails(c.device.start, 0x80000000)
    fails(c.device.upload, "/no-such-file")
    assert c.library.vt_upload_kernel_bytes(c.device.handle, b"no ELF file", 11, 0) == -1
    c.device.upload(c.saxpy)
    assert c.library.vt_start(c.device.handle, None, 0) == -1
    entry = host.symbols(c.saxpy)["saxpy"]
    fails(c.device.start, entry, groups=0)
    fails(c.device.start, entry, threads=33)
    fails(c.device.start, entry, warps=0)
    fails(c.device.start, entry, sgprUsage=65)
    c.device.wait()  # No kernel of these ran
    c.device.upload(c.abuse)
    c.device.run(c.at["say"] + 4, pdsSize=256, pdsBaseAddr=0x12345000)
    c.device.run(c.at["say"] + 4, pdsSize=256, pdsBaseAddr=c.device.alloc(64))


@case("vt_dev_close: expected a device that is open", "vt_buf_alloc: expected a device that is open", "vt_dev_open: expected a place")
def handles(c):
    other = host.Device(c.library)
    other.close()
    fails(other.close)
    other.handle = ctypes.c_void_p(12345)
    fails(other.alloc, 4)
    assert c.library.vt_dev_open(None) == -1
    c.device.alloc(4)


@case("vt_buf_alloc: no room for 1879048193 bytes in a piece",
      "vt_buf_alloc: no room for 1879044097 bytes in a piece: 1 buffers have 4096 of 1879048192",
      "vt_buf_alloc: expected a size of 1 byte or more")
def exhausted(c):
    fails(c.device.alloc, 0x70000001)
    small = c.device.alloc(1)
    fails(c.device.alloc, 0x70000000 - 4095)
    rest = c.device.alloc(0x70000000 - 4096)
    c.device.free(small, 1)
    assert c.device.alloc(4096) == small  # An address comes again when there are no others
    c.device.free(rest, 0x70000000 - 4096)
    fails(c.device.alloc, 0)


@case()
def two_devices(c):
    other = host.Device(c.library)
    a, b = c.device.buffer(b"abcd"), other.buffer(b"efgh")
    assert a == b == FIRST and c.device.read(a, 4) + other.read(b, 4) == b"abcdefgh"
    assert host.saxpy(other, c.saxpy) == 0
    other.close()
    assert c.device.read(a, 4) == b"abcd" and host.saxpy(c.device, c.saxpy) == 0


@case()
def two_threads(c):
    """On one device, and on one each."""
    wrong = []

    def work(device):
        for _ in range(20):
            at = device.buffer(bytes(64))
            wrong.append(device.read(at, 64) != bytes(64))
            device.free(at, 64)
            value = device.buffer(bytes(4))
            device.run(c.at["store"], (value,))
            wrong.append(device.read(value, 4) != b"\1\0\0\0")

    devices = [c.device, c.device, host.Device(c.library), host.Device(c.library)]
    for device in devices:
        device.upload(c.abuse)
    threads = [threading.Thread(target=work, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wrong) == 160 and not any(wrong)


@case("spin: it never ends: all registers and memory after step * are what they were after step")
def endless(c):
    fails(c.started, "spin")
    assert host.saxpy(c.device, c.saxpy) == 0


@case("count: not finished after 100000 steps (KARAT_LIMIT)", KARAT_LIMIT="100000")
def limit(c):
    fails(c.started, "count")


@case("illegal: program error: illegal instruction * <illegal>")
def illegal_instruction(c):
    at = c.device.buffer(bytes(4))
    fails(c.started, "illegal")
    c.started("store", at)
    assert c.device.read(at, 4)[0] == 1
    assert host.saxpy(c.device, c.saxpy) == 0


@case("lanes: undefined: * first in workgroup 0 warp 0 lane ")
def undefined(c):
    c.started("lanes")


@case("lanes: program error by --strict in workgroup 0 warp 0 at pc 0x800000* <lanes+0x4>", KARAT_STRICT="lanes")
def strict(c):
    fails(c.started, "lanes")


@case("say: program error: ")
def prints(c):
    text = c.device.buffer(b"from the kernel\n\0")
    c.started("say", knl_more=(text, 17))
    assert c.device.read(text, 2) == b"\0r"
    fails(c.started, "say", knl_more=(4096, 17))


@case("own: private memory: its buffer of 64 bytes has room for 1 of 3 workgroups: it goes by resident slot")
def private(c):
    at = c.device.buffer(bytes(4))
    c.started("own", at, groups=3, pds=4)
    assert c.device.read(at, 4)[0] == 0  # Each workgroup has its own
    c.started("own", at, groups=3, pdsSize=4, pdsBaseAddr=c.device.alloc(64))
    assert c.device.read(at, 4)[0] == 2


@case(KARAT_STRICT="lds,lds-size")
def local_buffers(c):
    """As runtimes clear local buffers; of the kernel that starts next alone."""
    at = c.device.buffer(bytes(4))
    for n in range(2):
        c.device.write(0x7FFFF000, b"\5" * 4096)
        c.started("local", at, 0x7FFFF000, groups=2, threads=4)
        assert c.device.read(at, 4)[0] == 1


@case("local: program error by --strict * it loads local memory that nothing has written", KARAT_STRICT="lds")
def no_local_buffer(c):
    fails(c.started, "local", c.device.buffer(bytes(4)), 0x7FFFF000, threads=4)


@case()
def host_dies(c):
    c.started("store", c.device.buffer(bytes(4)))
    c.device.alloc(1 << 20)
    if "KARAT_RECORD" in os.environ:
        os._exit(9)


@case()
def data_first(c):
    """An image whose data is where the buffers begin: they are clear of it, and it is there."""
    c.device.upload(c.data)
    at = c.device.buffer(bytes(4))
    assert at == FIRST + 0x1000 and c.device.read(FIRST, 8) == b"the data"
    c.device.run(host.symbols(c.data)["copy"], (at,), threads=4)
    assert c.device.read(at, 4) == b"the "


@case()
def one_print(c):
    c.started("say", threads=4, knl_more=(c.device.buffer(b"from the kernel\n\0"), 17))


@case()
def core_kernels(c):
    """What fits a small core: memory stays from kernel to kernel, and threads without a work-item do not run."""
    assert host.saxpy(c.device, c.saxpy, groups=3, warps=2, threads=8, pds=64) == 0
    at = c.device.buffer(bytes(4))
    for n in range(3):
        c.started("store", at, threads=4)
        assert c.device.read(at, 4)[0] == n + 1
    items, (x, y) = 13, (c.device.buffer(struct.pack("<16f", *[2.0] * 16)) for _ in range(2))
    c.device.upload(c.saxpy)
    c.device.run(host.symbols(c.saxpy)["saxpy"], (0x40000000, x, y), warps=2, threads=8, items=items)
    assert struct.unpack("<16f", c.device.read(y, 64)) == (6.0,) * items + (2.0,) * (16 - items)


@case()
def core_saxpy(c):
    c.device.upload(c.saxpy)
    assert host.saxpy(c.device, c.saxpy, groups=2, warps=2, threads=4) == 0


@case("KARAT_THREADS: expected 1, 2, 4, 8, 16 or 32, found '3'", KARAT_THREADS="3")
def bad_setting(c):
    raise AssertionError("it was opened")


# --- The test ---

class Test:
    def __init__(self, args, folder):
        self.args, self.folder, self.failures = args, folder, 0
        for name in ("driver", "karat", "harness"):
            if getattr(args, name):
                setattr(args, name, str(pathlib.Path(getattr(args, name)).resolve()))

    def check(self, good, *what):
        if not good:
            self.failures += 1
            print("FAILED:", *what)

    def run(self, *command, status=0, **environment):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=self.folder, env={**os.environ, **environment})
        self.check(done.returncode == status, f"status {done.returncode}:", " ".join(map(str, command)), "\n" + done.stdout + done.stderr)
        return done

    def assemble(self, source):
        elf = self.folder / (source.stem + ".elf")
        self.run(self.args.clang, "-target", "riscv32", "-march=rv32ima_zfinx_zve32f", "-mno-relax", "-I", ROOT / "vectors", "-c", source, "-o",
                 self.folder / "o.o")
        self.run(self.args.lld, "-T", ROOT / "vectors" / "karat.ld", self.folder / "o.o", "-o", elf)
        return elf

    def cases(self):
        for name, (_, lines, environment) in CASES.items():
            status = 1 if name == "bad_setting" else 0
            done = self.run(sys.executable, __file__, "--driver", self.args.driver, "--saxpy", self.saxpy, "--abuse", self.abuse, "--data", self.data,
                            "--case", name,
                            status=status, **environment)
            said = [line for line in done.stderr.splitlines() if line.startswith("karat driver: ")]
            for line in lines:
                pattern = re.escape(line).replace(r"\*", ".*")
                self.check(any(re.search(pattern, s) for s in said), f"{name}: expected '{line}', found", "\n".join(said) or "nothing")
            self.check(lines or not said, f"{name}: unexpected", "\n".join(said))
            self.check(name != "prints" or done.stdout == "from the kernel\n", "prints:", done.stdout)

    def hosts(self, **environment):
        self.run(self.args.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "cli" / "driver", ROOT / "examples" / "driver" / "host.c",
                 "-o",
                 self.folder / "host", self.args.driver, f"-Wl,-rpath,{pathlib.Path(self.args.driver).parent}")
        self.check(self.run(self.folder / "host", self.saxpy, **environment).stdout == "saxpy: 0 of 128 results are wrong\n", "the host in C")
        python = self.run(sys.executable, ROOT / "examples" / "driver" / "host.py", self.saxpy, KARAT_DRIVER=self.args.driver, **environment)
        self.check(python.stdout == "saxpy: 0 results are wrong\n", "the host in Python")

    def records(self):
        """A recording passes, and karat run makes the same of the files, step by step."""
        self.run(self.folder / "host", self.saxpy, KARAT_RECORD="recorded", KARAT_TRACE="trace.txt")
        self.run(sys.executable, ROOT / "examples" / "driver" / "host.py", self.saxpy, KARAT_DRIVER=self.args.driver, KARAT_RECORD="recorded2")
        names = sorted(path.name for path in (self.folder / "recorded").iterdir())
        self.check(names == ["000-saxpy.data", "000-saxpy.ktr", "000-saxpy.metadata"], "files:", names)
        for folder in ("recorded", "recorded2"):
            base = self.folder / folder / "000-saxpy"
            checked = self.run(self.args.karat, "check", base.with_suffix(".ktr"))
            self.check("PASS" in checked.stdout and "warps=8" in checked.stdout, "karat check:", checked.stdout)
        base = self.folder / "recorded" / "000-saxpy"
        ran = self.run(self.args.karat, "run", "--trace", "--dump", "0x90001000,512", base.with_suffix(".metadata"))
        steps = [line.partition(" wg=")[2] for line in ran.stdout.splitlines() if " wg=" in line]
        traced = [line.partition(" wg=")[2] for line in (self.folder / "trace.txt").read_text().splitlines()]
        strip = [re.sub(r" <[^>]*>", "", line) for line in traced]
        self.check(steps and strip == [re.sub(r" <[^>]*>", "", line) for line in steps], "the trace is another one:", traced[:2], steps[:2])
        self.check("0x90001000: 43000000 43018000" in ran.stdout, "what it computes:", ran.stdout[-400:])

    def needs(self):
        """Records of every version, damaged ones, and none."""
        known = "vgprs=3 sgprs=4 lds=5 pds=6"
        done = self.run(self.args.karat, "launch", "--info", self.assemble(pathlib.Path(__file__).parent / "needs.S"), status=2)
        self.check(done.stdout.splitlines() == [
            f"first: {known} lds-stack=0 pds-stack=0 (record of version 0)", f"one: {known} lds-stack=0 pds-stack=0 (record of version 1)",
            f"two: {known} lds-stack=unknown pds-stack=unknown (record of version 2)",
            "three: vgprs=3 sgprs=4 lds=5 pds=unknown lds-stack=7 pds-stack=8 (record of version 3)",
            "bound: vgprs=unknown sgprs=unknown lds=5 pds=6 lds-stack=unknown pds-stack=unknown (record of version 3)",
            "four: vgprs=3 sgprs=4 lds=5 pds=600 lds-stack=7 pds-stack=8 (record of version 4)",
            "few: vgprs=2 sgprs=4 lds=5 pds=6 lds-stack=0 pds-stack=0 (record of version 0)"],
            "needs:", done.stdout)
        self.check("found 12 bytes that begin with 0x00000009" in done.stderr, "needs:", done.stderr)
        done = self.run(self.args.karat, "launch", "--info", self.abuse, status=2)
        self.check("found none" in done.stderr and not done.stdout, "no needs:", done.stderr)
        done = self.run(self.args.karat, "launch", "--info", self.saxpy)
        self.check(done.stdout.startswith("saxpy: vgprs=6 sgprs=32 lds=0 pds=0 "), "needs of saxpy:", done.stdout)
        self.run(self.args.karat, "launch", "--info", "-o", "x.metadata", self.saxpy, status=2)
        needs = self.folder / "needs.elf"
        # The defaults of a launch: lds, pds, sgprs, vgprs; or which of them is to be given.
        for kernel, options, expected in (("first", (), (0x1000, 0x1000, 4, 3)), ("two", ("--lds", "0x2000"), (0x2000, 0x1000, 4, 3)),
                                          ("three", ("--pds", "16"), (12, 16, 4, 3)), ("three", (), "pds"), ("bound", (), "lds"),
                                          ("bound", ("--lds=1", "--pds=4", "--sgprs=8"), "vgprs"),
                                          ("bound", ("--lds=1", "--pds=4", "--sgprs=8", "--vgprs=9"), (1, 4, 8, 9)),
                                          ("four", (), (12, 608, 4, 3))):
            refused = isinstance(expected, str)
            done = self.run(self.args.karat, "launch", "--kernel", kernel, *options, "-o", "n.metadata", needs, status=2 if refused else 0)
            if refused:
                self.check(f"does not say how much it needs: expected {expected}" in done.stderr, kernel, done.stderr)
            else:
                fields = [int(line, 16) for line in (self.folder / "n.metadata").read_text().splitlines()[::2]]
                self.check(tuple(fields[8:12]) == expected, kernel, options, fields)
        self.run(self.args.karat, "run", "--kernel", "first", needs)
        done = self.run(self.args.karat, "run", "--kernel", "few", needs, status=4)
        self.check("register number beyond the kernel's register usage" in done.stderr, "a record with too few registers:", done.stderr)
        for kernel, text in (("wrong", "found 12 bytes"), ("ends", "up to the end of its continuations, found 599 bytes")):
            done = self.run(self.args.karat, "launch", "--kernel", kernel, "-o", "w.metadata", needs, status=2)
            self.check(text in done.stderr and not (self.folder / "w.metadata").exists(), "a damaged record:", done.stderr)

    def dies(self):
        """A host that ends in the middle: what was recorded before is whole, and nothing else is left."""
        host = [sys.executable, __file__, "--driver", self.args.driver, "--saxpy", self.saxpy, "--abuse", self.abuse, "--data", self.data, "--case"]
        self.run(*host, "host_dies", status=9, KARAT_RECORD="died")
        names = sorted(path.name for path in (self.folder / "died").iterdir())
        self.check(names == ["000-store.data", "000-store.ktr", "000-store.metadata"], "files:", names)
        self.check("PASS" in self.run(self.args.karat, "check", "died/000-store.ktr").stdout, "the recording of a host that died")

    def whole(self):
        """All kernels of a host are test vectors: each recording passes, and each kernel does on a core."""
        host = [sys.executable, __file__, "--driver", self.args.driver, "--saxpy", self.saxpy, "--abuse", self.abuse, "--data", self.data, "--case"]
        self.run(*host, "core_kernels", KARAT_RECORD="whole")
        kernels = sorted((self.folder / "whole").glob("*.metadata"))
        self.check(len(kernels) == 5, "kernels:", kernels)
        for kernel in kernels:
            for done in (self.run(self.args.karat, "check", kernel.with_suffix(".ktr")), self.run(self.args.harness, f"+kernel={kernel}")):
                self.check("karat: PASS" in done.stdout, kernel.name, done.stdout, done.stderr)

    def core(self):
        """Kernels on a core: memory stays from kernel to kernel, and a mismatch is the report, and its files."""
        on = {"KARAT_CORE": f"{self.args.harness} +seed=3"}
        self.hosts(KARAT_THREADS="4", **on)
        host = [sys.executable, __file__, "--driver", self.args.driver, "--saxpy", self.saxpy, "--abuse", self.abuse, "--data", self.data, "--case"]
        for name, texts in (("core_kernels", ("karat: PASS",)), ("one_print", ())):
            done = self.run(*host, name, **on)
            self.check(all(text in done.stderr for text in texts) and (name != "one_print" or "from the kernel" in done.stdout), name, done.stdout,
                       done.stderr)
        done = self.run(*host, "core_saxpy", status=1, KARAT_CORE=f"{self.args.harness} +fault={self.args.fault}", KARAT_RECORD="failed")
        names = sorted(path.name for path in (self.folder / "failed").iterdir())
        self.check("MISMATCH" in done.stderr and "saxpy: the core's run ended with status 1: again by " in done.stderr, "a fault:", done.stderr)
        self.check(names == ["000-saxpy.data", "000-saxpy.ktr", "000-saxpy.metadata"], "files:", names)
        done = self.run(self.args.karat, "check", "--quiet", "failed/000-saxpy.ktr", status=1)
        self.check("MISMATCH" in done.stdout, "its recording:", done.stdout)
        done = self.run(*host, "core_saxpy", status=1, KARAT_CORE="/no/such/harness", KARAT_RECORD="none")
        self.check("KARAT_CORE: /no/such/harness: cannot be run" in done.stderr, "no harness:", done.stderr)

    def all(self):
        self.saxpy = self.assemble(ROOT / "examples" / "driver" / "saxpy.S")
        self.abuse, self.data = (self.assemble(pathlib.Path(__file__).parent / name) for name in ("abuse.S", "data.S"))
        self.hosts()
        self.cases()
        self.records()
        self.needs()
        self.dies()
        if self.args.harness:
            self.core()
            self.whole()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("driver", "karat", "harness", "fault", "cc", "clang", "lld", "saxpy", "abuse", "data", "case"):
        parser.add_argument(f"--{name}")
    args = parser.parse_args()
    if args.case:
        CASES[args.case][0](Case(args))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        test = Test(args, pathlib.Path(folder))
        test.all()
    print("passed" if not test.failures else f"{test.failures} failures")
    return test.failures != 0


if __name__ == "__main__":
    sys.exit(main())
