#!/usr/bin/python3
"""testbench/mutable.py: without +mutant=N[,M] a core is as it was, with it as if its source had that change, or both; each place is
right; what is fixed when the core is built has no mutants."""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path += [str(HERE.parent / "vectors")]

from checks import check, end  # noqa: E402

CORE = """package sizes;
  function automatic int width(int n);
    return n > 1 ? $clog2(n) : 1;
  endfunction
endpackage
`define BOTH(x) (x) && enable

module core #(parameter int N = 4, localparam int W = sizes::width(N)) (
  input logic clk, input logic enable, input logic [7:0] a, input logic [7:0] b,
  output logic [7:0] sum, output logic big, output logic [W-1:0] first);
  logic [7:0] q[2];
  function automatic logic [7:0] twice(logic [7:0] x);
    return x + x;
  endfunction
  always_ff @(posedge clk) if (`BOTH(a != b)) q[a[0]] <= a;
  always_comb if (b[0]) sum = twice(a) - q[1]; else sum = a | b;
  assign big = a > b ||
    $signed(a) < 0;
  always_comb begin
    first = '0;
    for (int i = N - 1; i >= 0; i--)
      if (a[i]) first = W'(i);
  end
  if (N > 8) begin : gen_wide
    assign first = '1;
  end
  assert property (@(posedge clk) N != 3);
endmodule
"""
BENCH = """module bench;
  logic clk = 0, enable, big;
  logic [7:0] a, b, sum;
  logic [1:0] first;
  core u_core (.clk(clk), .enable(enable), .a(a), .b(b), .sum(sum), .big(big), .first(first));
  initial begin
    for (int i = 0; i < 64; i++) begin
      enable = i % 3 != 0;
      a = 8'(i * 37);
      b = i % 4 == 0 ? a : 8'(i * 11);
      #1 clk = 1;
      #1 clk = 0;
      $display("%h %b %h", sum, big, first);
    end
    $finish;
  end
endmodule
"""
FIXED = (3, 21, 24, 25, 27)  # Lines: of a function of a parameter, a loop's header, a generate, an assertion
# A mutant by its kind and expression, and the same change of the source.
EDITS = (("operator", "a > b", "a > b", "a >= b"), ("never", "a[i]", "a[i]", "1'b0"), ("always", "enable", "(x) && enable", "(x)"),
         ("number", "'0", "first = '0", "first = '1"), ("zero", "x + x", "x + x", "'0"),
         ("operator", "a | b", "a | b", "a & b"))


def build(args, folder, name, *sources):
    done = subprocess.run([args.verilator, "--binary", "--assert", "-Wno-lint", "-Wno-style", "-Wno-fatal", "--top-module", "bench", "--Mdir",
                           folder / name, "-CFLAGS", "-O0", *sources], capture_output=True, text=True)
    check(done.returncode == 0, f"{name}: {done.stderr}")
    return folder / name / "Vbench"


def run(program, *plusargs):
    return subprocess.run([program, *plusargs], capture_output=True, text=True, timeout=60).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verilator", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        core, bench, out = folder / "core.sv", folder / "bench.sv", folder / "mutants.sv"
        core.write_text(CORE)
        bench.write_text(BENCH)
        done = subprocess.run([sys.executable, ROOT / "testbench" / "mutable.py", f"--out={out}", "--top=bench", f"--source={core}",
                               f"--probe={bench}", "--", args.verilator, "--cc", "--timing", "--assert", "-Wno-fatal", "--top-module", "bench"],
                              capture_output=True, text=True)
        check(done.returncode == 0 and done.stdout == str(core), f"mutable.py: {done.stdout} {done.stderr}")
        table = json.loads((folder / "mutants.sv.json").read_text())
        lines = CORE.split("\n")
        for row in table:
            check(row["file"] == str(core) and (row["before"] in lines[row["line"] - 1] or "`" in lines[row["line"] - 1]), f"place of {row}")
            check(row["line"] not in FIXED, f"fixed: {row}")
        check({row["kind"] for row in table} == {"negated", "never", "always", "operator", "number", "inverted", "zero", "bit"}, f"kinds: {table}")
        plain, mutants = build(args, folder, "plain", core, bench), build(args, folder, "mutable", out, bench)
        good = run(plain)
        check(good.count("\n") >= 64 and run(mutants) == good, "without a mutant")
        changed = sum(run(mutants, f"+mutant={n}") != good for n in range(1, len(table) + 1))
        check(changed >= 0.8 * len(table), f"{changed} of {len(table)} mutants change anything")
        for edits in [*([edit] for edit in EDITS), EDITS[-2:]]:  # Each, and two at once
            text, numbers = CORE, []
            for kind, expression, old, new in edits:
                text = text.replace(old, new)
                numbers += [str(n) for n, row in enumerate(table, 1) if (row["kind"], row["before"]) == (kind, expression)][:1]
            core.write_text(text)
            edited = run(build(args, folder, "edited", core, bench))
            check(len(numbers) == len(edits) and run(mutants, f"+mutant={','.join(numbers)}") == edited != good, f"{edits}")
    return end()


if __name__ == "__main__":
    sys.exit(main())
