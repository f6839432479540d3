#!/usr/bin/env python3
"""Builds the stub core with cocotb's runner and runs a kernel on it in lockstep: run.py --sim verilator --dpi KERNEL [+ARGUMENT ...]

--sim icarus|verilator; --dpi: the records come from the probe in SystemVerilog, by DPI-C (Verilator), else from Python."""
import argparse
import pathlib
import sys

try:
    from cocotb_tools.runner import get_results, get_runner
except ImportError:  # Before cocotb 2.0
    from cocotb.runner import get_results, get_runner

from karat._library import find

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]  # The root of the tree, or share/karat of an installation


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sim", choices=("icarus", "verilator"), default="verilator")
    parser.add_argument("--dpi", action="store_true", help="records from the probe in SystemVerilog (Verilator)")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("sim_build"), help="folder for the simulation (sim_build)")
    parser.add_argument("kernel", type=pathlib.Path)
    parser.add_argument("plusargs", nargs="*", help="arguments of the run, as +seed=7")
    args = parser.parse_args()
    sources, options = [HERE / "stub.sv"], {"icarus": ["-g2012"], "verilator": ["--timing", "-Wno-fatal"]}[args.sim]
    if args.dpi:
        if args.sim == "icarus":
            parser.error("Icarus Verilog has no DPI-C: run without --dpi")
        library = pathlib.Path(find("karat_sv")).resolve()
        sources = [ROOT / "dpi" / "port" / "gen" / "karat_port_pkg.sv", *sources, HERE / "stub_probe.sv"]
        options += ["-LDFLAGS", f"{library} -Wl,-rpath,{library.parent}"]
    runner = get_runner(args.sim)
    runner.build(verilog_sources=sources, hdl_toplevel="stub", build_args=options, build_dir=args.build, timescale=("1ns", "1ps"), always=True)
    results = runner.test(hdl_toplevel="stub", test_module="stub_lockstep", build_dir=args.build, test_dir=args.build,
                          plusargs=[f"+kernel={args.kernel.resolve()}", *(["+dpi"] if args.dpi else []), *args.plusargs],
                          extra_env={"PYTHONPATH": ":".join([str(HERE), *sys.path])})
    return bool(get_results(results)[1])


if __name__ == "__main__":
    sys.exit(main())
