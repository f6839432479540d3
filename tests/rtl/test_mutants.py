#!/usr/bin/python3
"""scripts/mutants.py: a seed's mutants are what its header says, the same each time, and Verilator takes all of them."""
import argparse
import collections
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

import mutants  # noqa: E402

# Where nothing but the lines with CHANGE may be changed.
SAMPLE = """
package p;
  localparam int unsigned A = 1 + 2;
  typedef enum logic [1:0] {One = 2'd1, Two = 2'd2} e;
  function automatic int unsigned halved(int unsigned n);
    return n / 2;
  endfunction
  function automatic int unsigned width(int unsigned n);
    if (n > 4) return halved(n);
    return n > 1 ? $clog2(n) : 1;
  endfunction
  function automatic logic same(logic a);
    return a && a;  // CHANGE
  endfunction
endpackage
module m #(
  parameter int unsigned N = 8 + 1,
  localparam int unsigned W = p::width(N)
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [N-1:0] a_i,
  output logic [N-1:0] b_o
);
  typedef struct packed {
    logic [N+1:0] x;
  } t;
  logic [N-1:0] q[4];
  if (N < 2) begin : g_bad
    $error("N < 2");
  end
  initial if (!$value$plusargs("q=%d", q[3])) q[3] = 4;
  always_comb begin
    if ($test$plusargs("many") == 1) d = 1;
    case (a_i) inside
      [1 : 2], 3: if (a_i[1]) d = p::same(a_i[0]);  // CHANGE
      default: ;
    endcase
  end
  assign b_o = q[1] + {3'(a_i), {4{a_i[0]}}};  // CHANGE 1 < 2
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      q[0] <= '0;  // CHANGE
    end else if (a_i[0] &&
                 a_i[1]) begin  // CHANGE (the line before)
      for (int i = 0; i < 3; i++) q[i] <= a_i;  // CHANGE
    end
  end
  AssertIt :
  assert property (@(posedge clk_i) a_i == '0 |-> b_o == '0);
  ingot_other #(
    .N(N + 1)
  ) u_other (
    .x_i(a_i[0] && a_i[1]),  // CHANGE
    .y_o(q[2])
  );
endmodule
"""


def check_sample(problems):
    text = mutants.without_comments(SAMPLE)
    allowed = {i for i, line in enumerate(SAMPLE.splitlines(), 1) if "CHANGE" in line}
    names = mutants.enumerations(SAMPLE)
    seen = set()
    for statement in mutants.changeable(text, mutants.functions_of_parameters([text])):
        options = mutants.mutants_of(mutants.random.Random(1), pathlib.Path("m.sv"), statement, names)
        for mutant in (m for group in options.values() for m in group):
            seen.add(statement.last)
            if statement.last not in allowed:
                problems.append(f"sample: line {statement.line} is changed to '{mutant.after}'")
            if any(word not in mutant.after for word in ("{4{", "3'(") if word in mutant.before):
                problems.append(f"sample: a width is changed: '{mutant.after}'")
    problems += [f"sample: line {line} is never changed" for line in sorted(allowed - seen)]
    if names != {"One": ["One", "Two"], "Two": ["One", "Two"]}:
        problems.append(f"sample: enumerations {names}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verilator", required=True)
    parser.add_argument("--lint", nargs="+", required=True, help="Verilator's arguments before the copies: .vlt, packages")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    problems = []
    check_sample(problems)
    chosen = mutants.draw(args.files, 1, 240)
    if [m.row() for m in chosen] != [m.row() for m in mutants.draw(args.files, 1, 240)]:
        problems.append("a seed gives other mutants the second time")
    if [m.row() for m in chosen] == [m.row() for m in mutants.draw(args.files, 2, 240)]:
        problems.append("another seed gives the same mutants")
    kinds = collections.Counter(m.kind for m in chosen)
    files = collections.Counter(m.path.name for m in chosen)
    print(f"{len(chosen)} mutants: " + ", ".join(f"{kind} {kinds[kind]}" for kind in mutants.KINDS) + f"; {len(files)} files")
    if len(chosen) < 200 or any(kinds[kind] < 30 for kind in mutants.KINDS):
        problems.append(f"too few: {dict(kinds)}")
    for mutant in chosen:
        if mutant.after == mutant.before:
            problems.append(f"{mutant.path.name}:{mutant.line}: nothing is changed: {mutant.before}")
    # A mutant of every statement that can have one, not of those alone that a seed has drawn.
    every = mutants.draw(args.files, 1, 100_000)
    print(f"{len(every)} statements with mutants")
    if len(every) < 5 * len(chosen):
        problems.append(f"{len(every)} statements with mutants")
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name)
        mutants.faults.generate(args.files, every, out, "ingot")
        done = subprocess.run([args.verilator, "--lint-only", "-Wno-lint", "-Wno-style", "-Wno-SELRANGE", "--top-module", "ingot", "-GNUM_SM=2",
                               *args.lint, out / "karat_fault_pkg.sv", *(out / path.name for path in args.files)], capture_output=True, text=True)
        if done.returncode:
            problems.append(f"Verilator does not take them:\n{done.stderr}")
    for problem in problems:
        print(f"test_mutants: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
