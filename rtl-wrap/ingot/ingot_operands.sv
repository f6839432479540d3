// Operands of profile v2.03: behind the operation register, the halves of pairs put together, each source at
// the width of its elements, and the changes of sign that a prefix asks for. The passes of an instruction
// come in consecutive cycles; the outputs are valid with the last one.
module ingot_operands
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_THREAD = 8
) (
  input  logic                        clk_i,
  input  logic                        valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  uop_t                        uop_i,  // Most fields are for the units
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NUM_THREAD-1:0][31:0] src1_i,
  input  logic [NUM_THREAD-1:0][31:0] src2_i,
  input  logic [NUM_THREAD-1:0][31:0] src3_i,
  // Sources 1 to 3, or the immediate in the place of one: sign-extended
  output logic [NUM_THREAD-1:0][63:0] wide1_o,
  output logic [NUM_THREAD-1:0][63:0] wide2_o,
  output logic [NUM_THREAD-1:0][63:0] wide3_o,
  // A op b
  output logic [NUM_THREAD-1:0][63:0] a_o,
  output logic [NUM_THREAD-1:0][63:0] b_o
);

  // The low halves, from the first pass.
  logic [NUM_THREAD-1:0][31:0] low1_q, low2_q, low3_q;
  always_ff @(posedge clk_i) begin
    if (valid_i && uop_i.more.pass == '0) begin
      low1_q <= src1_i;
      low2_q <= src2_i;
      // FAULT(pair_src3_low, operand): src2_i
      low3_q <= src3_i;
    end
  end

  // A source of that width: one register, or in the second pass the high half of a pair. The pair of x0 is 0,
  // as x0 is.
  function automatic logic [63:0] source(width_e width, logic second, logic [31:0] low, logic [31:0] now);
    logic [31:0] word;
    word = second ? low : now;
    unique case (width)
      W8: return {{56{word[7]}}, word[7:0]};
      // FAULT(sew16_sign_bit, arithmetic): {{48{word[7]}}, word[15:0]}
      W16: return {{48{word[15]}}, word[15:0]};
      W32: return {{32{word[31]}}, word};
      // FAULT(pair_low_twice, operand): {second ? low : 32'b0, word}
      default: return {second ? now : 32'b0, word};
    endcase
  endfunction

  // An immediate, sign-extended, at that width.
  function automatic logic [63:0] immediate(width_e width, logic [31:0] imm);
    unique case (width)
      W8: return {{56{imm[7]}}, imm[7:0]};
      W16: return {{48{imm[15]}}, imm[15:0]};
      // FAULT(pair_imm_unsigned, encoding): {32'b0, imm}
      default: return {{32{imm[31]}}, imm};
    endcase
  endfunction

  // ABS, then NEG.
  function automatic logic [63:0] modify(width_e width, logic is_float, logic abs, logic neg,
                                         logic [63:0] value);
    logic [63:0] v, sign;
    v = value;
    if (is_float) begin
      unique case (width)
        W8: sign = {{56{1'b1}}, 8'h80};  // All copies of the sign bit
        W16: sign = {{48{1'b1}}, 16'h8000};
        W32: sign = {{32{1'b1}}, 32'h80000000};
        // FAULT(neg_double_low_half, operand): 64'h80000000
        default: sign = {1'b1, 63'b0};
      endcase
      if (abs) v &= ~sign;
      // FAULT(neg_sets_sign, operand): if (neg) v |= sign;
      if (neg) v ^= sign;
    end else begin
      // FAULT(abs_always, arithmetic): if (abs) v = -v;
      if (abs && v[63]) v = -v;
      // FAULT(neg_ones_complement, arithmetic): ~v
      if (neg) v = -v;
      // The most negative number stays what it is.
      unique case (width)
        // FAULT(neg_min_grows, arithmetic): v
        W8: v = {{56{v[7]}}, v[7:0]};
        W16: v = {{48{v[15]}}, v[15:0]};
        W32: v = {{32{v[31]}}, v[31:0]};
        default: ;
      endcase
    end
    return v;
  endfunction

  // The width of a source.
  function automatic width_e width_of(width_e width, logic twice);
    return twice ? width_e'(width + 2'd1) : width;
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */
  more_t more;  // Some fields are for the units
  /* verilator lint_on UNUSEDSIGNAL */
  logic second, imm1, imm2;
  width_e width1, width2, width3;
  assign more = uop_i.more;
  assign second = more.pass != '0;
  assign width1 = width_of(more.width, more.twice[0]);
  assign width2 = width_of(more.width, more.twice[1]);
  assign width3 = width_of(more.width, more.twice[2]);
  // Where an immediate is the second operand, it stands for the source that is missing.
  assign imm1 = uop_i.b_sel == BImm && uop_i.a_sel == ASrc2;
  assign imm2 = uop_i.b_sel == BImm && uop_i.a_sel != ASrc2;

  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      wide1_o[l] = modify(width1, more.is_float, more.abs[0], more.neg[0],
                          imm1 ? immediate(more.width, uop_i.imm)
                              : source(width1, second, low1_q[l], src1_i[l]));
      wide2_o[l] = modify(width2, more.is_float, more.abs[1], more.neg[1],
                          imm2 ? immediate(more.width, uop_i.imm)
                              : source(width2, second, low2_q[l], src2_i[l]));
      wide3_o[l] = modify(width3, more.is_float, more.abs[2], more.neg[2],
                          source(width3, second, low3_q[l], src3_i[l]));
      unique case (uop_i.a_sel)
        ASrc1: a_o[l] = wide1_o[l];
        ASrc2: a_o[l] = wide2_o[l];
        // FAULT(auipc_pc_signed, arithmetic): {{32{uop_i.pc[31]}}, uop_i.pc}
        APc: a_o[l] = {32'b0, uop_i.pc};
        AZero: a_o[l] = '0;
      endcase
      unique case (uop_i.b_sel)
        BSrc1: b_o[l] = wide1_o[l];
        BSrc2: b_o[l] = wide2_o[l];
        BImm: b_o[l] = imm1 ? wide1_o[l] : wide2_o[l];
        BFour: b_o[l] = 64'd4;
      endcase
    end
  end

endmodule
