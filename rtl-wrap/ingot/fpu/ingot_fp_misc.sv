// The operations of one lane that take one step: comparisons, minimum and maximum, sign injection,
// classification, conversions, and the 7-bit estimates. The result is valid after the next clock edge.
module ingot_fp_misc
  import ingot_fp_pkg::*;
(
  input  logic        clk_i,
  input  logic        advance_i,
  input  fmisc_op_e   op_i,
  input  rm_e         rm_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output fp_result_t  result_o
);

  // ---- comparisons ----

  // -0 is below +0, as minimum and maximum need it.
  function automatic logic less(logic [31:0] a, logic [31:0] b);
    if (a[31] != b[31]) return a[31];
    return a[31] ? a[30:0] > b[30:0] : a[30:0] < b[30:0];
  endfunction

  function automatic fp_result_t compare(fmisc_op_e op, logic [31:0] a, logic [31:0] b);
    fp_result_t r;
    logic unordered, signaling, equal, below, holds;
    unordered = is_nan(a[30:0]) || is_nan(b[30:0]);
    signaling = is_snan(a[30:0]) || is_snan(b[30:0]);
    // FAULT(cmp_zero_signs, special_value): !unordered && a == b
    equal = !unordered && (a == b || {a[30:0], b[30:0]} == '0);
    below = !unordered && !equal && less(a, b);
    unique case (op)
      FmiscEq: holds = equal;
      FmiscNe: holds = !equal;
      FmiscLt: holds = below;
      FmiscLe: holds = below || equal;
      FmiscGt: holds = !below && !equal && !unordered;
      FmiscGe: holds = !below && !unordered;
      default: begin
        assert (1'b0);
        holds = 1'b0;
      end
    endcase
    r.value = {31'b0, holds};
    r.flags = '0;
    // A quiet NaN is invalid in an order comparison, but not in one for equality.
    // FAULT(cmp_quiet, special_value): signaling
    r.flags.nv = op == FmiscEq || op == FmiscNe ? signaling : unordered;
    return r;
  endfunction

  function automatic fp_result_t extreme(logic maximum, logic [31:0] a, logic [31:0] b);
    fp_result_t r;
    // With one NaN the result is the other operand.
    // FAULT(min_keeps_nan, special_value): FpNan
    if (is_nan(a[30:0])) r.value = is_nan(b[30:0]) ? FpNan : b;
    else if (is_nan(b[30:0])) r.value = a;
    else r.value = less(a, b) != maximum ? a : b;
    r.flags = '0;
    r.flags.nv = is_snan(a[30:0]) || is_snan(b[30:0]);
    return r;
  endfunction

  // One of ten bits: -inf, negative normal, negative subnormal, -0, +0, ..., +inf, signaling NaN, quiet NaN.
  function automatic logic [31:0] classify(logic [31:0] f);
    logic [31:0] r;
    r = '0;
    if (is_nan(f[30:0])) r[is_snan(f[30:0]) ? 8 : 9] = 1'b1;
    else if (f[30:0] == FpInf) r[f[31] ? 0 : 7] = 1'b1;
    else if (f[30:23] != '0) r[f[31] ? 1 : 6] = 1'b1;
    else if (f[22:0] != '0) r[f[31] ? 2 : 5] = 1'b1;
    else r[f[31] ? 3 : 4] = 1'b1;
    return r;
  endfunction

  // ---- conversions ----

  function automatic fp_result_t from_int(logic is_signed, rm_e rm, logic [31:0] i);
    logic sign;
    logic [31:0] magnitude;
    logic signed [9:0] exp;
    sign = is_signed && i[31];
    magnitude = sign ? -i : i;
    if (magnitude == '0) return '0;
    exp = 10'sd158;
    for (int k = 4; k >= 0; k--) begin
      if ((magnitude >> (32 - (1 << k))) == '0) begin
        magnitude <<= 1 << k;
        exp -= 10'(1 << k);
      end
    end
    // FAULT(from_int_sticky, rounding): round_pack(rm, sign, exp, {magnitude[31:6], 1'b0})
    return round_pack(rm, sign, exp, {magnitude[31:6], magnitude[5:0] != '0});
  endfunction

  function automatic fp_result_t to_int(logic is_signed, rm_e rm, logic [31:0] f);
    fp_result_t r;
    logic sign;
    logic [7:0] exp;
    logic [7:0] distance;
    logic [57:0] fixed;  // 32 integer bits
    logic [32:0] magnitude;
    logic invalid, lost;
    exp = f[30:23];
    sign = f[31] && !is_nan(f[30:0]);
    distance = 8'd158 - exp;
    // A subnormal is far below one: only its sticky bit has an effect.
    fixed = {exp != '0, f[22:0], 34'b0} >> (distance > 8'd34 ? 6'd34 : distance[5:0]);
    lost = fixed[25:0] != '0;
    magnitude = {1'b0, fixed[57:26]} + 33'(rounds_up(rm, sign, fixed[26], fixed[25], fixed[24:0] != '0));
    // No operand with a magnitude of 2^32 or more fits, infinities and NaNs included.
    if (exp > 8'd158) invalid = 1'b1;
    else if (!is_signed) invalid = sign ? magnitude != '0 : magnitude[32];
    // FAULT(to_int_limit, special_value): magnitude > 33'h80000000
    else invalid = sign ? magnitude > 33'h80000000 : magnitude > 33'h7fffffff;
    r.flags = '0;
    r.flags.nv = invalid;
    // FAULT(to_int_nx_with_nv, special_value): lost
    r.flags.nx = !invalid && lost;
    if (!invalid) r.value = sign ? -magnitude[31:0] : magnitude[31:0];
    else if (is_signed) r.value = sign ? 32'h80000000 : 32'h7fffffff;
    else r.value = sign ? '0 : '1;
    return r;
  endfunction

  // ---- estimates ----

  function automatic fp_result_t reciprocal(rm_e rm, logic [31:0] f);
    fp_result_t r;
    operand_t x;
    normal_t n;
    logic signed [9:0] exp;
    logic [23:0] sig;
    x = unpack(f);
    n = normalise(x.exp, x.sig);
    r.flags = '0;
    if (x.is_nan) begin
      r.value = FpNan;
      r.flags.nv = x.is_snan;
    end else if (x.is_inf) begin
      r.value = {x.sign, 31'b0};
    end else if (x.sig == '0) begin
      r.value = {x.sign, FpInf};
      r.flags.dz = 1'b1;
    end else if (n.exp < -10'sd1) begin
      // The reciprocal of a number below 2^-128 overflows.
      r.value = {x.sign, rounds_up(rm, x.sign, 1'b1, 1'b1, 1'b1) ? FpInf : FpMax};
      r.flags.of = 1'b1;
      r.flags.nx = 1'b1;
    end else begin
      exp = 10'sd253 - n.exp;
      // FAULT(rec7_entry, arithmetic): {1'b1, n.sig[22:16] == 7'd93 ? 7'd21 : Rec7[n.sig[22:16]], 16'b0}
      sig = {1'b1, Rec7[n.sig[22:16]], 16'b0};
      // For 2^126 and above the estimate is subnormal, and exact.
      if (exp >= 10'sd1) r.value = {x.sign, exp[7:0], sig[22:0]};
      // FAULT(rec7_subnormal, special_value): {x.sign, 8'b0, sig[23:1]}
      else r.value = {x.sign, 8'b0, exp == '0 ? sig[23:1] : {1'b0, sig[23:2]}};
    end
    return r;
  endfunction

  function automatic fp_result_t reciprocal_root(logic [31:0] f);
    fp_result_t r;
    operand_t x;
    normal_t n;
    x = unpack(f);
    n = normalise(x.exp, x.sig);
    r.flags = '0;
    if (x.is_nan || (x.sign && x.sig != '0)) begin
      r.value = FpNan;
      r.flags.nv = !x.is_nan || x.is_snan;
    end else if (x.sig == '0) begin
      r.value = {x.sign, FpInf};
      r.flags.dz = 1'b1;
    end else if (x.is_inf) begin
      r.value = '0;
    end else begin
      // FAULT(rsqrt7_entry, arithmetic): {1'b0, 8'((10'sd380 - n.exp) >>> 1),
      //     {n.exp[0], n.sig[22:17]} == 7'd77 ? 7'd104 : Rsqrt7[{n.exp[0], n.sig[22:17]}], 16'b0}
      r.value = {1'b0, 8'((10'sd380 - n.exp) >>> 1), Rsqrt7[{n.exp[0], n.sig[22:17]}], 16'b0};
    end
    return r;
  endfunction

  function automatic fp_result_t plain(logic [31:0] value);
    return {5'b0, value};
  endfunction

  function automatic fp_result_t compute(fmisc_op_e op, rm_e rm, logic [31:0] a, logic [31:0] b);
    unique case (op)
      FmiscEq, FmiscNe, FmiscLt, FmiscLe, FmiscGt, FmiscGe: return compare(op, a, b);
      FmiscMin: return extreme(1'b0, a, b);
      FmiscMax: return extreme(1'b1, a, b);
      FmiscSgnj: return plain({b[31], a[30:0]});
      FmiscSgnjn: return plain({!b[31], a[30:0]});
      FmiscSgnjx: return plain({a[31] ^ b[31], a[30:0]});
      FmiscClass: return plain(classify(a));
      FmiscFromInt: return from_int(1'b1, rm, a);
      FmiscFromUint: return from_int(1'b0, rm, a);
      FmiscToInt: return to_int(1'b1, rm, a);
      FmiscToUint: return to_int(1'b0, rm, a);
      FmiscRec7: return reciprocal(rm, a);
      FmiscRsqrt7: return reciprocal_root(a);
      FmiscConvert, FmiscNone: return '0;  // AssertOperation of ingot_fmisc
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    if (advance_i) result_o <= compute(op_i, rm_i, a_i, b_i);
  end

endmodule
