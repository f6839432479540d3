#!/usr/bin/python3
"""README.md quotes the example platform's sc_main() as it is."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main():
    example = (ROOT / "testbench" / "systemc" / "platform.cpp").read_text(encoding="utf-8")
    _, begin, rest = example.partition("// README: begin\n")
    quoted, end, _ = rest.partition("// README: end\n")
    if not begin or not end or "sc_main" not in quoted:
        print("test_readme: platform.cpp: no sc_main() between the README marks", file=sys.stderr)
        return 1
    if f"```cpp\n{quoted}```\n" not in (ROOT / "README.md").read_text(encoding="utf-8"):
        print("test_readme: README.md does not quote this part of platform.cpp:\n" + quoted, file=sys.stderr)
        return 1
    print("1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
