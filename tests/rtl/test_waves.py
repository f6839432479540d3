"""Waveforms: time is the cycle, and the probe shows the last instruction of each warp, as the report and the disassembler have it."""
import argparse
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

CYCLE = 10  # Units of time of a cycle
FROM, TO = 150, 168  # To that of the ISSUE that the report is about


def header(file):
    """First and last time, and the exponent of the unit in seconds, as FST has them."""
    data = file.read_bytes()[:74]
    return (*struct.unpack(">QQ", data[9:25]), struct.unpack("b", data[73:74])[0])


def changes(vcd):
    """(time, name, value) of the signals of karat_wave, names with their index."""
    names, scopes, time, found = {}, [], 0, []
    for line in vcd.splitlines():
        word = line.split()
        if line.startswith("$scope"):
            scopes.append(word[2])
        elif line.startswith("$upscope"):
            scopes.pop()
        elif line.startswith("$var") and scopes[-1] == "u_wave" and re.fullmatch(r"\w+\[\d+\]", word[4]):
            names[word[3]] = word[4]
        elif line.startswith("#"):
            time = int(line[1:])
        elif line.startswith("b") and word[1] in names:
            found.append((time, names[word[1]], int(word[0][1:].replace("x", "0"), 2)))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--karat", required=True)
    parser.add_argument("--vectors", required=True, type=pathlib.Path)
    parser.add_argument("cores", nargs="+")
    args = parser.parse_args()
    elf, problems = args.vectors / "simt_nested.elf", []
    listing = subprocess.run([args.karat, "disasm", elf], check=True, capture_output=True, text=True).stdout
    code = {int(line[1], 16): re.sub(" <.*", "", line[2]) for line in re.finditer(r"^(0x\w+): [0-9a-f ]+  (\w.*)$", listing, re.M)}
    with tempfile.TemporaryDirectory() as folder:
        wave = pathlib.Path(folder) / "run.fst"
        for core in args.cores:
            done = subprocess.run([core, f"+kernel={elf}", "+fault=tie_if_first", f"+trace={wave}", f"+trace-from={FROM}", f"+trace-to={TO}"],
                                  capture_output=True, text=True)
            at = re.search(r"seq (\d+), found.*\n +at +(0x\w+) <[^>]*>  (.*?)  \(word \w+, issued in cycle (\d+)\)", done.stdout)
            mask = re.search(r"\n +mask +([0-9a-f]+) before", done.stdout)
            if not at or int(at[4]) != TO:
                sys.exit(f"{core}: another report than expected:\n{done.stdout}{done.stderr}")
            if header(wave) != (FROM * CYCLE, TO * CYCLE + CYCLE // 2, -10):
                problems.append(f"{core}: times {header(wave)}")
            if not shutil.which("fst2vcd"):
                print("no fst2vcd (Debian: gtkwave): the signals are not looked at")
                continue
            found = changes(subprocess.run(["fst2vcd", wave], check=True, capture_output=True, text=True).stdout)
            last = {name: value for time, name, value in found if time == TO * CYCLE + CYCLE // 2}
            text = last.get("text[0]", 0).to_bytes(48, "big").decode()
            wanted = {"seq[0]": int(at[1]), "pc[0]": int(at[2], 16)}
            if {name: last.get(name) for name in wanted} != wanted or text.rstrip() != at[3] or last.get("mask[0]",
                                                                                                         int(mask[1], 16)) != int(mask[1], 16):
                problems.append(f"{core}: at the ISSUE {last}, '{text}', expected {wanted}, {at[3]}")
            now = {}
            for i, (time, name, value) in enumerate(found):
                now[name] = value
                if i + 1 < len(found) and found[i + 1][0] == time:
                    continue
                for slot in range(2):
                    pc, text = now[f"pc[{slot}]"], now[f"text[{slot}]"].to_bytes(48, "big").decode().rstrip()
                    if text != code[pc]:
                        problems.append(f"{core}: time {time}: '{text}' at {pc:#x}, expected '{code[pc]}'")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
