#!/usr/bin/python3
"""Write a core as its owner would have it, for the tests of KARAT_DUT: ingot's sources in a folder of their own, with a
list of files, an include file that it cannot do without, a macro, and a top module of another name."""
import argparse
import pathlib
import re


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("sources", nargs="+", type=pathlib.Path, help="ingot's files, in compile order")
    args = parser.parse_args()
    files = {"include/foreign.vh": "`define FOREIGN_WARPS 8\n"}
    names = []
    for source in args.sources:
        name, text = f"rtl/{source.name}", source.read_text()
        if source.name == "ingot.sv":
            name = "rtl/top.sv"
            text, modules = re.subn(r"^module ingot$", "module `FOREIGN_TOP", text, flags=re.MULTILINE)
            text, defaults = re.subn(r"NUM_WARP = 8,", "NUM_WARP = `FOREIGN_WARPS,", text)
            assert modules == defaults == 1, f"{source}: its head has changed"
            text = '`include "foreign.vh"\n' + text
        text = re.sub(r"^bind ingot ", "bind `FOREIGN_TOP ", text, flags=re.MULTILINE)
        files[name] = text
        names.append(name)
    files["core.f"] = "// what a simulator takes with -F\n+define+UNUSED=1\n" + "\n".join(names) + "\n"
    files["missing.f"] = files["core.f"] + "rtl/missing.sv\n"
    for name, text in files.items():
        path = args.out / name
        if not path.exists() or path.read_text() != text:  # An unchanged file is not built again
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


if __name__ == "__main__":
    main()
