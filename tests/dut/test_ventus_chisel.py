#!/usr/bin/python3
"""The adapters of the Chisel Ventus without the core: their files are made for stubs of several sizes and pass lint there, and a
name that the core lacks is named."""
import argparse
import contextlib
import importlib
import io
import pathlib
import re
import subprocess
import sys
import tempfile

import ventus_chisel_stub as core

SIZES = [(8, 8), (32, 4), (4, 8)]
# Constants and firtool's own port may be absent.
OPTIONAL = re.compile(r"_ready$|\.clock$|_bits_inst$")
LINT = ["-Wall", "-Wno-DECLFILENAME", "-Wno-UNUSED", "-Wno-UNDRIVEN", "-Wno-PINMISSING", "-Wno-UNOPTFLAT", "-Wno-MULTITOP"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--verilator", default="verilator")
    args = parser.parse_args()
    wrap = args.source / "rtl-wrap"
    sys.path.insert(0, str(wrap / "ventus_chisel"))
    elaborated = importlib.import_module("elaborated")
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "core.f").write_text("core.sv\n")

        def make(text, top):
            (folder / "core.sv").write_text(text)
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                status = elaborated.main(["--core", str(folder / "core.f"), "--top", top, "--out", str(folder / top)])
            return status, said.getvalue().strip()

        for threads, warps in SIZES:
            for top in "GPGPU_SimTop", "sm_wrapper":
                status, output = make(core.stub(threads, warps), top)
                if status:
                    problems.append(f"{threads} threads, {warps} warps, {top}: {output}")
                    continue
                made = folder / top
                (folder / "gvm.sv").write_text(core.gvm(threads, warps))
                ways = {"probe": [wrap / "ventus/ventus_probe.sv", folder / "core.sv", made / "ventus_bind.sv"],
                        "GVM's modules": [wrap / "ventus_chisel/ventus_gvm.sv", folder / "core.sv", folder / "gvm.sv"]}
                for way, files in ways.items():
                    files = [args.source / "dpi/port/gen/karat_port_pkg.sv", made / "ventus_params.sv", *files, *made.glob("sm_wrapper.sv")]
                    done = subprocess.run([args.verilator, "--lint-only", *LINT, f"+incdir+{made}", "--top-module", top, *files],
                                          capture_output=True, text=True)
                    if done.returncode:
                        problems.append(f"{threads} threads, {warps} warps, {top}, {way}:\n{done.stderr}")

        for name in core.names(8, 8):
            if OPTIONAL.search(name):
                continue
            status, output = make(core.stub(8, 8, without=name), "GPGPU_SimTop" if name.startswith("GPGPU") else "sm_wrapper")
            named = "no pipe below" if name == "GPGPU_SimTop.SM_wrapper" else name.split(".")[1]
            if not status or named not in output or "the adapter was made for" not in output or len(output.splitlines()) != 1:
                problems.append(f"without {name}: status {status}, {output}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
