// Integer operations of one lane on elements of 8 to 64 bits. One operation at a time: the result is valid
// one cycle after it starts, that of a division when its last bit has been found.
module ingot_wide_int
  import ingot_pkg::*;
  import ingot_wide_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  unit_e       unit_i,  // UnitAlu, UnitMul or UnitDiv
  input  alu_op_e     alu_i,
  input  mul_ctrl_t   mul_i,
  input  div_ctrl_t   div_i,
  input  width_e      width_i,  // Width of the result
  input  width_e      width_a_i,  // Width of the operands, which are sign-extended
  input  width_e      width_b_i,
  input  logic [1:0]  vxrm_i,
  input  logic        carry_i,
  input  logic [31:0] element_i,
  input  logic [63:0] a_i,
  input  logic [63:0] b_i,
  input  logic [63:0] c_i,
  output logic        done_o,
  output logic        saturated_o,
  output logic [63:0] value_o  // The result in the lower bits, as many as the width says
);

  typedef struct packed {
    logic saturated;
    logic [63:0] value;
  } outcome_t;

  // ---- arithmetic and logic ----

  // A sum or difference of 65 bits, halved.
  function automatic logic [63:0] half(logic [64:0] value, logic [1:0] vxrm);
    return value[64:1] + 64'(round_up(vxrm, value[1], value[0], 1'b0));
  endfunction

  // The upper 64 bits of a shifted number, rounded by the lower ones.
  function automatic logic [63:0] scaled(logic [127:0] value, logic [1:0] vxrm);
    return value[127:64] + 64'(round_up(vxrm, value[64], value[63], value[62:0] != '0));
  endfunction

  function automatic outcome_t alu(alu_op_e op, width_e width, logic [63:0] a, logic [63:0] b, logic carry,
                                   logic [31:0] element, logic [1:0] vxrm);
    outcome_t r;
    logic [63:0] ua, ub, sa, sb, largest;  // Unsigned and signed
    logic [64:0] sum, difference, signed_sum, signed_difference;
    logic [5:0] amount;
    ua = zero_extend(width, a);
    ub = zero_extend(width, b);
    sa = sign_extend(width, a);
    sb = sign_extend(width, b);
    largest = zero_extend(width, '1) >> 1;
    sum = {1'b0, ua} + {1'b0, ub} + 65'(carry);
    difference = {1'b0, ua} - {1'b0, ub} - 65'(carry);
    signed_sum = {sa[63], sa} + {sb[63], sb};
    signed_difference = {sa[63], sa} - {sb[63], sb};
    // FAULT(sew_shift_amount, arithmetic): b[5:0]
    amount = b[5:0] & 6'(bits_of(width) - 7'd1);
    r.saturated = 1'b0;
    unique case (op)
      AluAdd, AluAdc: r.value = sum[63:0];
      AluSub, AluSbc: r.value = difference[63:0];
      AluRsub: r.value = ub - ua;
      AluAnd: r.value = ua & ub;
      AluOr: r.value = ua | ub;
      AluXor: r.value = ua ^ ub;
      AluSll: r.value = ua << amount;
      // FAULT(sew_srl_signed, arithmetic): a >> amount
      AluSrl: r.value = ua >> amount;
      AluSra: r.value = $signed(sa) >>> amount;
      AluMin: r.value = $signed(sa) < $signed(sb) ? sa : sb;
      AluMinu: r.value = ua < ub ? ua : ub;
      AluMax: r.value = $signed(sa) < $signed(sb) ? sb : sa;
      // FAULT(wide_maxu_signed, arithmetic): $signed(sa) < $signed(sb) ? sb : sa
      AluMaxu: r.value = ua < ub ? ub : ua;
      // FAULT(wide_eq_low, arithmetic): {63'b0, ua[31:0] == ub[31:0]}
      AluEq: r.value = {63'b0, ua == ub};
      AluNe: r.value = {63'b0, ua != ub};
      AluLt: r.value = {63'b0, $signed(sa) < $signed(sb)};
      // FAULT(wide_ltu_low, arithmetic): {63'b0, ua[31:0] < ub[31:0]}
      AluLtu: r.value = {63'b0, ua < ub};
      AluLe: r.value = {63'b0, $signed(sa) <= $signed(sb)};
      AluLeu: r.value = {63'b0, ua <= ub};
      AluGt: r.value = {63'b0, $signed(sa) > $signed(sb)};
      AluGtu: r.value = {63'b0, ua > ub};
      // FAULT(wide_carry, arithmetic): {63'b0, sum[64]}
      AluMadc: r.value = {63'b0, sum[bits_of(width)]};
      AluMsbc: r.value = {63'b0, difference[64]};
      AluMerge: r.value = carry ? ub : ua;
      AluMove: r.value = ub;
      AluSaddu: begin
        // FAULT(saddu_sew_carry, arithmetic): sum[64]
        r.saturated = sum[bits_of(width)];
        r.value = r.saturated ? '1 : sum[63:0];
      end
      AluSsubu: begin
        r.saturated = difference[64];
        r.value = r.saturated ? '0 : difference[63:0];
      end
      AluSadd: begin
        // FAULT(sadd64_no_overflow, arithmetic): signed_sum[63:0] != sign_extend(width, signed_sum[63:0])
        r.saturated = signed_sum[64] != signed_sum[63] ||
            signed_sum[63:0] != sign_extend(width, signed_sum[63:0]);
        r.value = r.saturated ? (sa[63] ? ~largest : largest) : signed_sum[63:0];
      end
      AluSsub: begin
        r.saturated = signed_difference[64] != signed_difference[63] ||
                      signed_difference[63:0] != sign_extend(width, signed_difference[63:0]);
        r.value = r.saturated ? (sa[63] ? ~largest : largest) : signed_difference[63:0];
      end
      AluAaddu: r.value = half(sum, vxrm);
      // FAULT(aadd64_carry_lost, arithmetic): half({signed_sum[63], signed_sum[63:0]}, vxrm)
      AluAadd: r.value = half(signed_sum, vxrm);
      AluAsubu: r.value = half(difference, vxrm);
      AluAsub: r.value = half(signed_difference, vxrm);
      AluSsrl: r.value = scaled({ua, 64'b0} >> amount, vxrm);
      AluSsra: r.value = scaled($signed({sa, 64'b0}) >>> amount, vxrm);
      AluElement: r.value = {32'b0, element};
      AluPick: r.value = ua;
      default: begin
        assert (1'b0);
        r.value = '0;
      end
    endcase
    return r;
  endfunction

  // ---- multiply ----

  function automatic outcome_t multiply(mul_ctrl_t ctrl, width_e width, width_e width_a, width_e width_b,
                                        logic [63:0] a, logic [63:0] b, logic [63:0] c, logic [1:0] vxrm);
    outcome_t r;
    logic [63:0] x;
    logic [127:0] wide_x, wide_b, product;
    /* verilator lint_off UNUSEDSIGNAL */
    logic [127:0] above;  // The upper bits are lost
    /* verilator lint_on UNUSEDSIGNAL */
    logic [6:0] bits;
    bits = bits_of(width);
    x = ctrl.times_src3 ? c : a;
    // FAULT(vwmulu_source_width, arithmetic): ctrl.a_signed ? {{64{x[63]}}, x}
    //     : {64'b0, zero_extend(width, x)}
    wide_x = ctrl.a_signed ? {{64{x[63]}}, x} : {64'b0, zero_extend(width_a, x)};
    // FAULT(wide_mul_sign, arithmetic): {64'b0, zero_extend(width_b, b)}
    wide_b = ctrl.b_signed ? {{64{b[63]}}, b} : {64'b0, zero_extend(width_b, b)};
    product = wide_x * wide_b;
    r.saturated = 1'b0;
    if (ctrl.fraction) begin
      above = product >> (bits - 7'd3);  // Down to the highest bits that are dropped
      // Only -1 * -1 saturates.
      // FAULT(smul_never_saturates, arithmetic): 1'b0
      r.saturated = product == 128'd1 << (8'(bits) * 2 - 8'd2);
      r.value = r.saturated ? zero_extend(width, '1) >> 1 :
                above[65:2] + 64'(round_up(vxrm, above[2], above[1],
                                           above[0] || (product & ((128'd1 << (bits - 7'd2)) - 1)) != '0));
    end else if (ctrl.add) begin
      r.value = (ctrl.negate ? -product[63:0] : product[63:0]) + (ctrl.times_src3 ? a : c);
    end else if (ctrl.high) begin
      // FAULT(sew_mulh_shift, arithmetic): product >> (bits | 7'd32)
      above = product >> bits;
      r.value = above[63:0];
    end else begin
      r.value = product[63:0];
    end
    return r;
  endfunction

  // ---- divide: one bit a cycle, without the leading zeros of the dividend ----

  logic running_q, remainder_op_q, negative_q;
  logic [6:0] left_q;
  logic [63:0] dividend_q, divisor_q, remainder_q, quotient_q;

  logic a_negative, b_negative;
  logic [63:0] dividend, divisor, magnitude;
  logic [6:0] bits;
  logic [64:0] partial;
  always_comb begin
    dividend = div_i.is_signed ? sign_extend(width_i, a_i) : zero_extend(width_i, a_i);
    divisor = div_i.is_signed ? sign_extend(width_i, b_i) : zero_extend(width_i, b_i);
    a_negative = div_i.is_signed && dividend[63];
    b_negative = div_i.is_signed && divisor[63];
    magnitude = a_negative ? -dividend : dividend;
    bits = '0;
    if (start_i) begin
      for (int i = 0; i < 64; i++) if (magnitude[i]) bits = 7'(i) + 7'd1;
    end
    partial = {remainder_q, dividend_q[63]};
  end

  logic [63:0] quotient_value;
  outcome_t outcome_q;
  logic divides_q;
  // FAULT(div64_zero_test, special_value): divisor_q[31:0] == '0 ? '1 : quotient_q
  assign quotient_value = divisor_q == '0 ? '1 : quotient_q;
  assign done_o = !running_q;
  assign saturated_o = !divides_q && outcome_q.saturated;
  always_comb begin
    value_o = outcome_q.value;
    if (divides_q) begin
      value_o = remainder_op_q ? remainder_q : quotient_value;
      if (negative_q) value_o = -value_o;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) running_q <= 1'b0;
    else if (start_i) running_q <= unit_i == UnitDiv && bits != '0;
    else if (left_q == 7'd1) running_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      divides_q <= unit_i == UnitDiv;
      if (unit_i == UnitAlu) outcome_q <= alu(alu_i, width_i, a_i, b_i, carry_i, element_i, vxrm_i);
      if (unit_i == UnitMul)
        outcome_q <= multiply(mul_i, width_i, width_a_i, width_b_i, a_i, b_i, c_i, vxrm_i);
      left_q <= bits;
      remainder_op_q <= div_i.remainder;
      dividend_q <= magnitude << (7'd64 - bits);
      // FAULT(wide_div_sign, arithmetic): divisor
      divisor_q <= b_negative ? -divisor : divisor;
      remainder_q <= '0;
      quotient_q <= '0;
      // Division by zero: a quotient of all ones for either sign, and the dividend as remainder.
      // FAULT(wide_div_zero_sign, special_value): div_i.remainder ? a_negative : a_negative != b_negative
      negative_q <= div_i.remainder ? a_negative : a_negative != b_negative && divisor != '0;
    end else if (running_q) begin
      left_q <= left_q - 1'b1;
      dividend_q <= dividend_q << 1;
      if (partial >= {1'b0, divisor_q}) begin
        remainder_q <= 64'(partial - {1'b0, divisor_q});
        quotient_q <= {quotient_q[62:0], 1'b1};
      end else begin
        remainder_q <= partial[63:0];
        quotient_q <= {quotient_q[62:0], 1'b0};
      end
    end
  end

endmodule
