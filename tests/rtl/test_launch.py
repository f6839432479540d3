#!/usr/bin/python3
"""The ways to launch work on the core: `.metadata/.data` pairs, fewer threads than lanes, several kernels on one memory,
with different numbers of registers; and what the host does for a program that prints."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

from elftools.elf.elffile import ELFFile


def write_metadata(elf_path, folder, name, wf_size):
    """Write an ELF vector as a .metadata/.data pair; returns the .metadata's path."""
    with open(elf_path, "rb") as stream:
        elf = ELFFile(stream)
        launch = elf.get_section_by_name(".karat.launch").data()
        words = [int.from_bytes(launch[i:i + 4], "little") for i in range(0, len(launch), 4)]
        segments = [(s["p_vaddr"], s.data(), s["p_memsz"]) for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"]
    _, pc, x, y, z, wg_size, _, knl, _, lds_size, pds_base, pds_size, sgprs, vgprs = words[:14]
    buffers = [(base, data + bytes(-len(data) % 4), (size + 4095) & ~4095) for base, data, size in segments]
    if pds_size:
        buffers.append((pds_base, b"", x * y * z * wg_size * wf_size * pds_size))
    fields = [pc, 0, x, y, z, wf_size, wg_size, knl, lds_size, pds_size, sgprs or 64, vgprs or 256, pds_base, len(buffers)]
    fields += [b for b, _, _ in buffers] + [len(d) for _, d, _ in buffers] + [a for _, _, a in buffers]
    path = folder / f"{name}.metadata"
    path.write_text("".join(f"{f & 0xffffffff:08x}\n{f >> 32:08x}\n" for f in fields))
    data = b"".join(d for _, d, _ in buffers)
    path.with_suffix(".data").write_text(
        "".join(f"{int.from_bytes(data[i:i + 4], 'little'):08x}\n" for i in range(0, len(data), 4)))
    return path


def print_text(warp, threads):
    """The text that the host takes when a warp of print_stores writes CSR_PRINT."""
    text = bytearray(10 if i % 64 == 63 else 97 + (i + 5 * warp) % 26 for i in range(320))
    last = 66 + 2 * warp
    text[200:202] = bytes((last, last))
    text[259] |= last
    text[128 : 128 + threads] = bytes([last - 1] * threads)
    return bytes(text[: 301 if warp else 320])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--core", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("--threads", required=True, type=int)
    args = parser.parse_args()
    cases = failed = 0

    def expect_pass(what, kernels, want):
        nonlocal cases, failed
        cases += 1
        done = subprocess.run([args.core, "+kernel=" + ",".join(str(k) for k in kernels), "+seed=3", "+latency=1:30"],
                              capture_output=True, text=True)
        if done.returncode != 0 or any(w not in done.stdout for w in want):
            failed += 1
            print(f"test_launch: {what}: status {done.returncode}, expected {want}\n{done.stdout}{done.stderr}", file=sys.stderr)

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for program in ("vecadd", "barrier_lds", "private", "multi_wg", "simt_nested", "mem_widths"):
            elf = args.vectors / f"{program}.elf"
            for wf_size in (args.threads, args.threads // 2, 1):
                path = write_metadata(elf, folder, f"{program}_{wf_size}", wf_size)
                expect_pass(f"{program} with {wf_size} of {args.threads} threads", [path], ["karat: PASS", f"program={program}"])
        elves = [args.vectors / f"{p}.elf" for p in ("vecadd", "matadd", "vecadd")]
        expect_pass("three kernels in sequence", elves, ["karat: PASS", "program=vecadd,matadd,vecadd", "warps=20"])
    # Ranges of other sizes, where the last kernel's were; the whole files, too.
    names = ("reg_alloc", "warp_order", "multi_wg", "reg_alloc", "lds_banks", "lmul2", "exit_pending", "reg_alloc")
    expect_pass("kernels with different numbers of registers", [args.vectors / f"{p}.elf" for p in names],
                ["karat: PASS", "adopted=0", "warps=218"])
    texts = ["print wg=0 warp=0: warp 0 says hello\n", "print wg=0 warp=1: exactly twenty-four char\n"]
    expect_pass("printing", [args.vectors / "printing.elf"], ["karat: PASS", "".join(texts)])
    texts = [f"print wg=0 warp={warp}: {line.decode()}\n" for warp in range(2)
             for line in print_text(warp, args.threads).rstrip(b"\n").split(b"\n")]
    expect_pass("long texts, stored directly before they are printed", [args.vectors / "print_stores.elf"], ["karat: PASS", "".join(texts)])
    print(f"{cases - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
