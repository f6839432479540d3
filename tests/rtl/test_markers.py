#!/usr/bin/python3
"""scripts/faults.py: which line a marker is for, the faulty copy, and what it says of markers that it cannot use."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

GOOD = """module m (
  // Why.
  // FAULT(assign_one, timing): !a_i
  assign b_o = a_i;  // a comment
  // FAULT(folded, two words): c_i == 2'd1 ? a_i :
  //     b_i
  assign d_o = a_i;
  u_x (
    // FAULT(port, operand): 1'b0
    .x_i(a_i),
  );
  always_ff @(posedge clk_i) begin
    if (b_i &&
        c_i) q <= b_i;
    // FAULT(whole, mask): q <= b_i;
    if (a_i) q <= a_i;
    // FAULT(begins, mask): a_i[0]
    if (a_i) begin
    end
    // FAULT(over_lines, hazard): !e_i
    e_q <= f(a_i,
             b_i) &&
        c_i;  // Why.
  end
endmodule
"""
# Lines of GOOD as the copy has them, where N is the marker's number.
OFF, ON = "/*verilator coverage_off*/", "/*verilator coverage_on*/"
COPY = {4: f"  {OFF}always_comb if (N) b_o = !a_i; else b_o = a_i;{ON}",
        7: f"  {OFF}always_comb if (N) d_o = c_i == 2'd1 ? a_i : b_i; else d_o = a_i;{ON}",
        10: "    .x_i((N) ? (1'b0) : (a_i)),",
        16: f"    {OFF}if (N) begin q <= b_i; end else begin if (a_i) q <= a_i; end{ON}",
        18: "    if ((N) ? (a_i[0]) : (a_i)) begin",
        21: f"    begin {OFF}if (N) e_q <= !e_i; else e_q <= f(a_i, b_i) && c_i;{ON} end", 22: "", 23: ""}
BAD = {
    "assign b_o = a_i;  // FAULT(x, timing): !a_i\n": ":1: not a marker, which is alone on its line: // FAULT(name, kind): faulty text",
    "// FAULT(x): !a_i\nassign b_o = a_i;\n": ":1: not a marker, which is alone on its line: // FAULT(name, kind): faulty text",
    "// FAULT(x, timing):\nassign b_o = a_i;\n": ":1: not a marker, which is alone on its line: // FAULT(name, kind): faulty text",
    "// FAULT(x, timing): !a_i\n\nassign b_o = a_i;\n": ":1: FAULT(x): no code in the line below it",
    "assign b_o = a_i;\n// FAULT(x, timing): !a_i\n": ":2: FAULT(x): no code in the line below it",
    "// FAULT(x, timing): a_i\n// FAULT(y, timing): b_i\nassign c_o = 0;\n": ":1: FAULT(x): no code between it and FAULT(y)",
    "// FAULT(x, timing): a_i\nassign c_o = 0;\n// FAULT(x, timing): b_i\nassign d_o = 0;\n": ":4: FAULT(x): the name is taken by {}:2",
    "// FAULT(x, timing): a_i\nassign c_o\n    = 0;\n": ":2: FAULT(x): this kind of line cannot be switched",
    "// FAULT(x, timing): c_o = a_i;\nassign c_o = 0;\n": ":2: FAULT(x): a faulty statement can only replace a procedural statement of one line",
    "// FAULT(x, timing): a_i\n$display;\n": ":2: FAULT(x): no assignment found"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--script", required=True)
    args = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as name:
        source, out = pathlib.Path(name) / "m.sv", pathlib.Path(name) / "out"

        def run(text):
            source.write_text(text)
            return subprocess.run([sys.executable, "-B", args.script, "--list", "--out", out, "--top", "m", source], capture_output=True, text=True)

        done = run(GOOD)
        if done.returncode:
            problems.append(f"the sample: {done.stderr}")
        else:
            found = [line.split()[:2] for line in done.stdout.splitlines()]
            expected = [["assign_one", "m.sv:4"], ["folded", "m.sv:7"], ["port", "m.sv:10"], ["whole", "m.sv:16"], ["begins", "m.sv:18"],
                    ["over_lines", "m.sv:21"]]
            if found != expected:
                problems.append(f"--list: {found}")
            numbers = {line: i for i, line in enumerate(COPY, 1)}
            want = [COPY[i].replace("(N)", f"(karat_fault_pkg::on[{numbers[i]}])") if i in COPY else line
                    for i, line in enumerate(GOOD.splitlines(), 1)]
            copy = (out / "m.sv").read_text().splitlines()
            if copy[0] != f'`line 1 "{source}" 0':
                problems.append(f"first line of the copy: {copy[0]}")
            problems += [f"line {i}: '{is_}' instead of '{must}'" for i, (is_, must) in enumerate(zip(copy[1:], want, strict=True), 1) if is_ != must]
            table = (out / "karat_faults.h").read_text()
            row = '{"folded", "two words", "m.sv", 7, "c_i == 2\'d1 ? a_i : b_i"}'
            if row not in table:
                problems.append(f"karat_faults.h: no {row}")
        for text, message in BAD.items():
            done = run(text)
            message = f"{source}{message.format(source)}"
            if done.returncode != 1 or done.stderr.strip() != message:
                problems.append(f"{text!r}: status {done.returncode}, '{done.stderr.strip()}' instead of '{message}'")
    for problem in problems:
        print(f"test_markers: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
