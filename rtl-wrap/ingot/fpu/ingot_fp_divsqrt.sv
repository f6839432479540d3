// Divide and square root of one lane, by restoring digit recurrence, BITS_PER_CYCLE result bits a cycle.
//
// Both find, from the highest bit down, the largest 26-bit Q with Q * D <= A, or Q * Q <= A. With the
// remainder doubled at each step, a new bit of weight w may be set if what is left is at least D, or 2Q + w.
// A, D and Q are in [1, 4), [1, 2) and [1, 2), with 25 fraction bits.
//
// It stops at a remainder of zero, so that exact results are early: 2 cycles for special values, otherwise 3
// to 15.
module ingot_fp_divsqrt
  import ingot_fp_pkg::*;
#(
  parameter int unsigned BITS_PER_CYCLE = 2  // 1, 2 or 13
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  logic        sqrt_i,  // The root of a; otherwise a / b
  input  rm_e         rm_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic        done_o,  // The result is valid from done until the next start
  output fp_result_t  result_o
);

  typedef struct packed {
    logic is_special;
    fp_result_t special;
    rm_e rm;
    logic sign;
    logic signed [9:0] exp;
  } setup_t;

  typedef struct packed {
    logic sqrt;
    logic [25:0] divisor;
    logic [26:0] left;  // Two integer bits
    logic [25:0] root;  // The root or quotient
    logic [25:0] weight;  // Weight of the next bit; 0 after the last one
  } digits_t;

  typedef struct packed {
    setup_t setup;
    digits_t digits;
  } begin_t;

  logic busy_q;
  setup_t setup_q;
  digits_t digits_q;
  logic finished;

  function automatic begin_t set_up(logic sqrt, rm_e rm, logic [31:0] a, logic [31:0] b);
    begin_t r;
    operand_t x, y;
    normal_t n, d;
    logic twice;  // A is in [2, 4), which makes the exponent even, or the quotient at least 1

    x = unpack(a);
    y = unpack(b);
    r.setup.rm = rm;
    r.setup.sign = !sqrt && (x.sign ^ y.sign);

    r.setup.is_special = 1'b1;
    r.setup.special.value = FpNan;
    r.setup.special.flags = '0;
    if (x.is_nan || (y.is_nan && !sqrt)) begin
      r.setup.special.flags.nv = x.is_snan || (y.is_snan && !sqrt);
    end else if (sqrt) begin
      // FAULT(sqrt_minus_zero, special_value): 32'b0
      if (x.sig == '0) r.setup.special.value = {x.sign, 31'b0};
      else if (x.sign) r.setup.special.flags.nv = 1'b1;
      else if (x.is_inf) r.setup.special.value = {1'b0, FpInf};
      else r.setup.is_special = 1'b0;
    end else if ((x.is_inf && y.is_inf) || (x.sig == '0 && y.sig == '0)) begin
      r.setup.special.flags.nv = 1'b1;
    end else if (x.is_inf || y.sig == '0) begin
      r.setup.special.value = {r.setup.sign, FpInf};
      // FAULT(div_inf_by_zero, special_value): y.sig == '0
      r.setup.special.flags.dz = !x.is_inf;
    end else if (y.is_inf || x.sig == '0) begin
      r.setup.special.value = {r.setup.sign, 31'b0};
    end else begin
      r.setup.is_special = 1'b0;
    end

    n = normalise(x.exp, x.sig);
    d = normalise(y.exp, y.sig);
    if (sqrt) begin
      twice = !n.exp[0];  // The bias is odd
      r.setup.exp = (n.exp + 10'sd127 - $signed({9'b0, twice})) >>> 1;
    end else begin
      twice = n.sig < d.sig;
      r.setup.exp = n.exp - d.exp + 10'sd127 - $signed({9'b0, twice});
    end
    r.digits.sqrt = sqrt;
    r.digits.divisor = {d.sig, 2'b0};
    // The first step doubles this value.
    r.digits.left = twice ? {1'b0, n.sig, 2'b0} : {2'b0, n.sig, 1'b0};
    r.digits.root = '0;
    r.digits.weight = {1'b1, 25'b0};
    return r;
  endfunction

  function automatic digits_t step(digits_t in);
    digits_t d;
    logic [27:0] doubled, trial;
    d = in;
    for (int i = 0; i < int'(BITS_PER_CYCLE); i++) begin
      doubled = {d.left, 1'b0};
      trial = d.sqrt ? {1'b0, d.root, 1'b0} | {2'b0, d.weight} : {2'b0, d.divisor};
      // FAULT(div_digit_strict, arithmetic): doubled > trial
      if (doubled >= trial) begin
        doubled -= trial;
        d.root |= d.weight;
      end
      d.left = doubled[26:0];
      d.weight >>= 1;
    end
    return d;
  endfunction

  function automatic fp_result_t round(setup_t s, logic [25:0] root, logic remainder);
    if (s.is_special) return s.special;
    // FAULT(div_no_remainder, rounding): shift_round_pack(s.rm, s.sign, s.exp, {root, 1'b0})
    return shift_round_pack(s.rm, s.sign, s.exp, {root, remainder});
  endfunction

  assign finished = setup_q.is_special || digits_q.weight == '0 || digits_q.left == '0;
  assign done_o = !busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (start_i) busy_q <= 1'b1;
    else if (finished) busy_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) {setup_q, digits_q} <= set_up(sqrt_i, rm_i, a_i, b_i);
    else if (busy_q && !finished) digits_q <= step(digits_q);
    else if (busy_q) result_o <= round(setup_q, digits_q.root, digits_q.left != '0);
  end

endmodule
