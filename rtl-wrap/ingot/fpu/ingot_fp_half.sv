// 16-bit floats of one lane: add, multiply and multiply-add of both halves, and conversions of its lower half
// from and to binary32. Five register stages, one operation a cycle, to nearest even.
//
// Each half is a multiply-add of binary32, of numbers that are exact there, rounded to odd; the last stage
// rounds it once more, to the 16 bits. A result that is rounded to odd with two bits more than are needed
// keeps all that the last rounding must know, so that the result is the exact one, rounded once. A conversion
// adds -0, which changes nothing.
module ingot_fp_half
  import ingot_fp_pkg::*;
(
  input  logic        clk_i,
  input  logic [4:0]  advance_i,  // Stages that take a new value at the next edge
  input  half_ctrl_t  ctrl_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [31:0] c_i,
  output fp_result_t  result_o
);

  localparam logic [31:0] MinusZero = 32'h80000000;

  logic converts;
  assign converts = ctrl_i.from != ctrl_i.to;

  fma_op_t op;
  logic [1:0][31:0] a, b, c;
  always_comb begin
    op = '{kind: ctrl_i.kind, negate_product: 1'b0, negate_addend: 1'b0};
    for (int h = 0; h < 2; h++) begin
      // FAULT(half_of_low_twice, lanes_bytes): widen(ctrl_i.from, a_i[15:0])
      a[h] = widen(ctrl_i.from, a_i[16*h+:16]);
      // FAULT(half_swapped, lanes_bytes): widen(ctrl_i.from, b_i[16*(1-h)+:16])
      b[h] = widen(ctrl_i.from, b_i[16*h+:16]);
      c[h] = widen(ctrl_i.from, c_i[16*h+:16]);
    end
    if (converts) begin
      op.kind = FmaAdd;
      if (ctrl_i.from == FormatF32) a[0] = a_i;
      // FAULT(convert_adds_plus_zero, special_value): '0
      b[0] = MinusZero;
    end
  end

  rm_e rm;
  // FAULT(half_rounded_twice, rounding): RmRne
  assign rm = RmOdd;
  fp_result_t [1:0] result;
  for (genvar h = 0; h < 2; h++) begin : gen_half
    ingot_fp_fma u_fma (
      .clk_i,
      .advance_i(advance_i[3:0]),
      .op_i     (op),
      .rm_i     (rm),
      .a_i      (a[h]),
      .b_i      (b[h]),
      .c_i      (c[h]),
      .result_o (result[h])
    );
  end

  typedef struct packed {
    format_e to;
    logic both;
  } format_t;
  format_t format_q[4];

  function automatic fp_result_t join_halves(format_t format, fp_result_t [1:0] halves);
    fp_result_t r;
    fp_result_t [1:0] rounded;
    if (format.to == FormatF32) return halves[0];
    for (int h = 0; h < 2; h++) begin
      rounded[h] = narrow(format.to, halves[h].value);
      rounded[h].flags.nv |= halves[h].flags.nv;
    end
    r = rounded[0];
    if (format.both) begin
      r.value[31:16] = rounded[1].value[15:0];
      // FAULT(half_flags_low, lanes_bytes): rounded[0].flags
      r.flags = rounded[0].flags | rounded[1].flags;
    end
    return r;
  endfunction

  always_ff @(posedge clk_i) begin
    if (advance_i[0]) format_q[0] <= '{to: ctrl_i.to, both: !converts};
    for (int s = 1; s < 4; s++) if (advance_i[s]) format_q[s] <= format_q[s-1];
    if (advance_i[4]) result_o <= join_halves(format_q[3], result);
  end

endmodule
