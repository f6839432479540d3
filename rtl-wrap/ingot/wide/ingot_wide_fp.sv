// Floating-point operations of one lane on binary16, binary32 and binary64, and conversions between them and
// from and to integers of 8 to 64 bits. One operation at a time:
//
//   1      what needs no rounding is done; else operands apart, product, addend aligned
//   2      sum, leading zeros shifted out; or the digits of a quotient or root, four a cycle
//   3      rounded and packed
//
// Add and multiply are multiply-adds. Product and addend are added in a window of 164 bits, as in
// ingot_fp_fma: the 53 bits of the addend start at its top, the 106 bits of the product are 55 bits below the
// top, with three more bits under them. Where the addend is so large that it would be shifted left, the
// product is less than a quarter of the last place of the addend, and its exact position has no effect.
module ingot_wide_fp
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
  import ingot_wide_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         start_i,
  input  unit_e        unit_i,  // UnitFpu, UnitFdiv or UnitFmisc
  input  fp_ctrl_t     ctrl_i,
  input  logic         round_odd_i,
  input  width_e       width_i,  // Width of the operands
  input  width_e       result_i,  // Width of the result
  input  logic [63:0]  a_i,
  input  logic [63:0]  b_i,
  input  logic [63:0]  c_i,
  output logic         done_o,
  output wide_result_t result_o  // An integer: its lower bits, as many as the width of the result says
);

  // ---- operations without a rounding of the significand ----

  /* verilator lint_off UNUSEDSIGNAL */  // Each function uses what it needs of a number

  function automatic wide_result_t plain(logic [63:0] value);
    return {5'b0, value};
  endfunction

  // -0 is below +0, as minimum and maximum need it.
  function automatic logic less(number_t x, number_t y);
    logic smaller;
    if (x.sign != y.sign) return x.sign;
    if (x.is_inf || y.is_inf) smaller = !x.is_inf;
    else smaller = x.exp < y.exp || (x.exp == y.exp && x.sig < y.sig);
    return smaller != x.sign && !same(x, y);
  endfunction

  function automatic logic same(number_t x, number_t y);
    return x.sign == y.sign && x.is_inf == y.is_inf && (x.is_inf || (x.exp == y.exp && x.sig == y.sig));
  endfunction

  function automatic wide_result_t compare(fmisc_op_e op, number_t x, number_t y);
    wide_result_t r;
    logic unordered, equal, below, holds;
    unordered = x.is_nan || y.is_nan;
    // FAULT(zeros_not_equal, special_value): !unordered && same(x, y)
    equal = !unordered && (same(x, y) || (x.is_zero && y.is_zero));
    below = !unordered && !equal && less(x, y);
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
    r = plain({63'b0, holds});
    // A quiet NaN is invalid in an order comparison, but not in one for equality.
    // FAULT(wide_cmp_quiet, special_value): x.is_snan || y.is_snan
    r.flags.nv = op inside {FmiscEq, FmiscNe} ? x.is_snan || y.is_snan : unordered;
    return r;
  endfunction

  function automatic wide_result_t extreme(logic maximum, width_e width, number_t x, number_t y,
                                           logic [63:0] a, logic [63:0] b);
    wide_result_t r;
    // With one NaN the result is the other operand.
    // FAULT(min_nan_payload, special_value): plain(b)
    if (x.is_nan) r = plain(y.is_nan ? nan_of(width) : b);
    else if (y.is_nan) r = plain(a);
    else r = plain(less(x, y) != maximum ? a : b);
    // FAULT(min_snan_second, special_value): x.is_snan
    r.flags.nv = x.is_snan || y.is_snan;
    return r;
  endfunction

  function automatic logic [63:0] with_sign(width_e width, logic sign, logic [63:0] f);
    logic [63:0] bit_of_sign;
    bit_of_sign = pack(width, 1'b1, '0, '0);
    return sign ? f | bit_of_sign : f & ~bit_of_sign;
  endfunction

  // One of ten bits: -inf, negative normal, negative subnormal, -0, +0, ..., +inf, signaling NaN, quiet NaN.
  function automatic logic [63:0] classify(number_t x);
    logic [63:0] r;
    r = '0;
    if (x.is_nan) r[x.is_snan ? 8 : 9] = 1'b1;
    else if (x.is_inf) r[x.sign ? 0 : 7] = 1'b1;
    else if (x.is_zero) r[x.sign ? 3 : 4] = 1'b1;
    else if (x.is_subnormal) r[x.sign ? 2 : 5] = 1'b1;
    else r[x.sign ? 1 : 6] = 1'b1;
    return r;
  endfunction

  function automatic wide_result_t to_int(logic is_signed, width_e width, rm_e rm, number_t x);
    wide_result_t r;
    logic sign, invalid;
    logic signed [13:0] distance;
    logic [127:0] fixed;  // 64 integer bits
    logic [64:0] magnitude, limit;
    logic [63:0] largest;
    // FAULT(to_int_nan_sign, special_value): x.sign
    sign = x.sign && !x.is_nan;
    distance = 14'sd63 - x.exp;
    // A number far below one has an effect by its sticky bit alone.
    fixed = {x.sig, 75'b0} >> (distance > 14'sd66 ? 7'd66 : distance[6:0]);
    // FAULT(to_int_round_sign, rounding): {1'b0, fixed[127:64]} +
    //     65'(rounds_up(rm, 1'b0, fixed[64], fixed[63], fixed[62:0] != '0))
    magnitude = {1'b0, fixed[127:64]} + 65'(rounds_up(rm, sign, fixed[64], fixed[63], fixed[62:0] != '0));
    largest = zero_extend(width, '1) >> is_signed;
    // FAULT(to_int_min_saturates, special_value): {1'b0, largest}
    limit = {1'b0, largest} + 65'(is_signed && sign);
    if (!is_signed && sign) limit = '0;
    // No operand with a magnitude of 2^64 or more fits.
    invalid = x.is_nan || x.is_inf || distance < 14'sd0 || magnitude > limit;
    r = plain(sign ? -magnitude[63:0] : magnitude[63:0]);
    if (invalid) begin
      r.value = sign ? (is_signed ? ~largest : '0) : largest;
      r.flags.nv = 1'b1;
    end else begin
      // FAULT(to_int_inexact, rounding): fixed[63]
      r.flags.nx = fixed[63:0] != '0;
    end
    return r;
  endfunction

  function automatic wide_result_t reciprocal(width_e width, rm_e rm, number_t x);
    wide_result_t r;
    logic signed [13:0] biased, exp;
    logic [52:0] sig;
    biased = x.exp + bias_of(width);
    exp = bias_of(width) * 14'sd2 - 14'sd1 - biased;
    sig = {1'b1, Rec7[x.sig[51:45]], 45'b0};
    r = '0;
    if (x.is_nan) begin
      r.value = nan_of(width);
      r.flags.nv = x.is_snan;
    end else if (x.is_inf) begin
      r.value = pack(width, x.sign, '0, '0);
    end else if (x.is_zero) begin
      r.value = inf_of(width, x.sign);
      r.flags.dz = 1'b1;
    end else if (biased < -14'sd1) begin
      r.value = rounds_up(rm, x.sign, 1'b1, 1'b1, 1'b1) ? inf_of(width, x.sign) : max_of(width, x.sign);
      r.flags.of = 1'b1;
      r.flags.nx = 1'b1;
    end else if (exp >= 14'sd1) begin
      r.value = pack(width, x.sign, exp[10:0], sig[51:0]);
    end else begin  // A subnormal number, and exact
      r.value = pack(width, x.sign, '0, exp == '0 ? sig[52:1] : {1'b0, sig[52:2]});
    end
    return r;
  endfunction

  function automatic wide_result_t reciprocal_root(width_e width, number_t x);
    wide_result_t r;
    logic signed [13:0] biased;
    biased = x.exp + bias_of(width);
    r = '0;
    if (x.is_nan || (x.sign && !x.is_zero)) begin
      r.value = nan_of(width);
      r.flags.nv = !x.is_nan || x.is_snan;
    end else if (x.is_zero) begin
      r.value = inf_of(width, x.sign);
      r.flags.dz = 1'b1;
    end else if (!x.is_inf) begin
      r.value = pack(width, 1'b0, 11'((bias_of(width) * 14'sd3 - 14'sd1 - biased) >>> 1),
                     {Rsqrt7[{biased[0], x.sig[51:46]}], 45'b0});
    end
    return r;
  endfunction

  // ---- operations that round ----

  typedef struct packed {
    logic is_special;  // The result is special, without rounding
    wide_result_t special;
    rm_e rm;
    logic odd;
    width_e width;  // Width of the result
    logic sign;
    logic signed [13:0] exp;  // Exponent of the leading one of sig
  } setup_t;

  typedef struct packed {
    setup_t setup;
    logic [55:0] sig;
  } rounded_t;

  typedef struct packed {
    setup_t setup;  // In it, exp is that of the top of the window
    logic sign_addend;
    logic [105:0] product;
    logic [163:0] addend;
  } aligned_t;

  typedef struct packed {
    setup_t setup;
    logic sqrt;
    logic [54:0] divisor;
    logic [55:0] left;  // Two integer bits
    logic [54:0] root;  // The root or quotient
    logic [54:0] weight;  // Weight of the next bit; 0 after the last one
  } digits_t;

  function automatic setup_t start_of(rm_e rm, logic odd, width_e width);
    setup_t s;
    s = '0;
    s.rm = rm;
    s.odd = odd;
    s.width = width;
    return s;
  endfunction

  function automatic rounded_t from_int(logic is_signed, width_e width, rm_e rm, width_e from,
                                        logic [63:0] i);
    rounded_t r;
    logic [63:0] magnitude;
    r.setup = start_of(rm, 1'b0, width);
    magnitude = is_signed ? sign_extend(from, i) : zero_extend(from, i);
    r.setup.sign = is_signed && magnitude[63];
    if (r.setup.sign) magnitude = -magnitude;
    r.setup.is_special = magnitude == '0;
    r.setup.exp = 14'sd63;
    for (int k = 5; k >= 0; k--) begin
      if ((magnitude >> (64 - (1 << k))) == '0) begin
        magnitude <<= 1 << k;
        r.setup.exp -= 14'(1 << k);
      end
    end
    // FAULT(wide_from_int_sticky, rounding): {magnitude[63:9], magnitude[8]}
    r.sig = {magnitude[63:9], magnitude[8:0] != '0};
    return r;
  endfunction

  function automatic rounded_t convert(width_e width, rm_e rm, logic odd, number_t x);
    rounded_t r;
    r.setup = start_of(rm, odd, width);
    r.setup.sign = x.sign;
    r.setup.exp = x.exp;
    r.sig = {x.sig, 3'b0};
    r.setup.is_special = x.is_nan || x.is_inf || x.is_zero;
    if (x.is_nan) r.setup.special.value = nan_of(width);
    else if (x.is_inf) r.setup.special.value = inf_of(width, x.sign);
    else r.setup.special.value = pack(width, x.sign, '0, '0);
    // FAULT(convert_snan_quiet, special_value): 1'b0
    r.setup.special.flags.nv = x.is_snan;
    return r;
  endfunction

  function automatic aligned_t align(fma_op_t op, rm_e rm, width_e width, number_t a, number_t b, number_t c);
    aligned_t r;
    number_t y, z;
    logic product_inf, inf_times_zero, sign_product, nan, invalid;
    logic signed [13:0] exp_product;
    logic [13:0] distance;
    logic [327:0] wide;
    y = b;
    z = c;
    if (op.kind == FmaAdd) begin
      y = '{sig: {1'b1, 52'b0}, default: '0};  // 1
      z = b;
    end
    sign_product = a.sign ^ y.sign ^ op.negate_product;
    // Adding a zero with the sign of the product changes no result, not even a product of zero.
    // FAULT(mul_zero_sign, special_value): '{sign: op.negate_addend, is_zero: 1'b1, exp: ZeroExp,
    //     default: '0}
    if (op.kind == FmaMul) z = '{sign: sign_product ^ op.negate_addend, is_zero: 1'b1, exp: ZeroExp,
                                 default: '0};
    r.setup = start_of(rm, 1'b0, width);
    r.sign_addend = z.sign ^ op.negate_addend;

    product_inf = a.is_inf || y.is_inf;
    inf_times_zero = (a.is_inf && y.is_zero) || (a.is_zero && y.is_inf);
    // Infinity times zero is invalid, even with a quiet NaN as addend.
    // FAULT(inf_zero_nan_quiet, special_value): a.is_snan || y.is_snan || z.is_snan ||
    //     (inf_times_zero && !z.is_nan)
    invalid = a.is_snan || y.is_snan || z.is_snan || inf_times_zero;
    nan = a.is_nan || y.is_nan || z.is_nan || inf_times_zero;
    if (!nan && product_inf && z.is_inf && sign_product != r.sign_addend) begin
      nan = 1'b1;
      invalid = 1'b1;
    end
    r.setup.is_special = nan || product_inf || z.is_inf;
    r.setup.sign = sign_product;
    r.setup.special.value = nan ? nan_of(width) : inf_of(width, product_inf ? sign_product : r.sign_addend);
    r.setup.special.flags.nv = invalid;

    // Of the top of the window, where the product is 55 bits below it.
    exp_product = a.exp + y.exp + 14'sd56;
    r.setup.exp = exp_product > z.exp ? exp_product : z.exp;
    distance = r.setup.exp - z.exp;
    wide = {z.sig, 275'b0} >> (distance > 14'd164 ? 8'd164 : distance[7:0]);
    r.addend = wide[327:164];
    // FAULT(wide_addend_sticky, rounding): r.addend[0]
    r.addend[0] |= wide[163:0] != '0;
    // FAULT(fma_product_cut, rounding): ({53'b0, a.sig} * {53'b0, y.sig}) & (op.kind == FmaMul ? '1
    //     : {54'h3fffffffffffff, 52'b0})
    r.product = {53'b0, a.sig} * {53'b0, y.sig};
    return r;
  endfunction

  function automatic rounded_t add(aligned_t in);
    rounded_t r;
    logic [163:0] product, sum;
    r.setup = in.setup;
    product = {55'b0, in.product, 3'b0};
    if (in.setup.sign == in.sign_addend) begin
      sum = product + in.addend;
    end else if (product >= in.addend) begin
      sum = product - in.addend;
    end else begin
      sum = in.addend - product;
      r.setup.sign = in.sign_addend;
    end
    if (sum == '0 && !in.setup.is_special) begin
      // An exact zero is positive, except when rounding down.
      r.setup.is_special = 1'b1;
      r.setup.special = '0;
      r.setup.special.value = pack(in.setup.width,
                                   in.setup.sign == in.sign_addend ? in.setup.sign : in.setup.rm == RmRdn, '0,
                                   '0);
    end
    for (int k = 7; k >= 0; k--) begin
      if ((sum >> (164 - (1 << k))) == '0) begin
        sum <<= 1 << k;
        r.setup.exp -= 14'(1 << k);
      end
    end
    // FAULT(wide_sum_sticky, rounding): {sum[163:109], sum[108:56] != '0}
    r.sig = {sum[163:109], sum[108:0] != '0};
    return r;
  endfunction

  function automatic digits_t set_up(logic sqrt, rm_e rm, width_e width, number_t x, number_t y);
    digits_t r;
    logic twice;  // The radicand is in [2, 4), which makes the exponent even, or the quotient at least 1
    r.setup = start_of(rm, 1'b0, width);
    r.setup.sign = !sqrt && (x.sign ^ y.sign);
    r.setup.is_special = 1'b1;
    r.setup.special.value = nan_of(width);
    if (x.is_nan || (y.is_nan && !sqrt)) begin
      r.setup.special.flags.nv = x.is_snan || (y.is_snan && !sqrt);
    end else if (sqrt) begin
      // FAULT(wide_sqrt_minus_zero, special_value): pack(width, 1'b0, '0, '0)
      if (x.is_zero) r.setup.special.value = pack(width, x.sign, '0, '0);
      else if (x.sign) r.setup.special.flags.nv = 1'b1;
      else if (x.is_inf) r.setup.special.value = inf_of(width, 1'b0);
      else r.setup.is_special = 1'b0;
    end else if ((x.is_inf && y.is_inf) || (x.is_zero && y.is_zero)) begin
      r.setup.special.flags.nv = 1'b1;
    end else if (x.is_inf || y.is_zero) begin
      r.setup.special.value = inf_of(width, r.setup.sign);
      // FAULT(wide_div_inf_by_zero, special_value): 1'b1
      r.setup.special.flags.dz = !x.is_inf;
    end else if (y.is_inf || x.is_zero) begin
      r.setup.special.value = pack(width, r.setup.sign, '0, '0);
    end else begin
      r.setup.is_special = 1'b0;
    end
    if (sqrt) begin
      // FAULT(wide_sqrt_odd, arithmetic): 1'b0
      twice = x.exp[0];
      r.setup.exp = x.exp >>> 1;
    end else begin
      twice = x.sig < y.sig;
      r.setup.exp = x.exp - y.exp - $signed({13'b0, twice});
    end
    r.sqrt = sqrt;
    r.divisor = {y.sig, 2'b0};
    // The first step doubles this value.
    r.left = twice ? {1'b0, x.sig, 2'b0} : {2'b0, x.sig, 1'b0};
    r.root = '0;
    r.weight = {1'b1, 54'b0};
    return r;
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */

  function automatic digits_t step(digits_t in);
    digits_t d;
    logic [56:0] doubled, trial;
    d = in;
    for (int i = 0; i < 4; i++) begin
      doubled = {d.left, 1'b0};
      trial = d.sqrt ? {1'b0, d.root, 1'b0} | {2'b0, d.weight} : {2'b0, d.divisor};
      if (d.weight != '0 && doubled >= trial) begin
        doubled -= trial;
        d.root |= d.weight;
      end
      if (d.weight != '0) d.left = doubled[55:0];
      d.weight >>= 1;
    end
    return d;
  endfunction

  function automatic wide_result_t round(rounded_t in);
    if (in.setup.is_special) return in.setup.special;
    return round_wide(in.setup.width, in.setup.rm, in.setup.odd, in.setup.sign, in.setup.exp, in.sig);
  endfunction

  // ---- the lane ----

  typedef enum logic [1:0] {
    Idle,
    Add,
    Digits,
    Round
  } state_e;
  state_e state_q;
  aligned_t aligned_q;
  digits_t digits_q;
  rounded_t rounded_q;

  logic rounds;  // Operations of ingot_fp_misc: the result is yet to be rounded
  logic last_digit;
  assign rounds = ctrl_i.fmisc inside {FmiscFromInt, FmiscFromUint, FmiscConvert};
  assign last_digit = digits_q.setup.is_special || digits_q.weight == '0 || digits_q.left == '0;
  assign done_o = state_q == Idle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else if (start_i)
      state_q <= unit_i == UnitFpu ? Add : unit_i == UnitFdiv ? Digits : rounds ? Round : Idle;
    else begin
      unique case (state_q)
        Add: state_q <= Round;
        Digits: if (last_digit) state_q <= Round;
        default: state_q <= Idle;
      endcase
    end
  end

  function automatic wide_result_t misc(fmisc_op_e op, rm_e rm, width_e width, width_e result, logic [63:0] a,
                                        logic [63:0] b);
    number_t x, y;
    x = unpack_wide(width, a);
    y = unpack_wide(width, b);
    unique case (op)
      FmiscEq, FmiscNe, FmiscLt, FmiscLe, FmiscGt, FmiscGe: return compare(op, x, y);
      FmiscMin: return extreme(1'b0, width, x, y, a, b);
      FmiscMax: return extreme(1'b1, width, x, y, a, b);
      FmiscSgnj: return plain(with_sign(width, y.sign, a));
      FmiscSgnjn: return plain(with_sign(width, !y.sign, a));
      FmiscSgnjx: return plain(with_sign(width, x.sign ^ y.sign, a));
      FmiscClass: return plain(classify(x));
      FmiscToInt: return to_int(1'b1, result, rm, x);
      FmiscToUint: return to_int(1'b0, result, rm, x);
      FmiscRec7: return reciprocal(width, rm, x);
      FmiscRsqrt7: return reciprocal_root(width, x);
      default: begin
        assert (1'b0);
        return '0;
      end
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      unique case (unit_i)
        UnitFpu:
        aligned_q <= align(ctrl_i.fpu.op, ctrl_i.rm, width_i,
                           unpack_wide(width_i, ctrl_i.fpu.times_src3 ? c_i : a_i), unpack_wide(width_i, b_i),
                           unpack_wide(width_i, ctrl_i.fpu.times_src3 ? a_i : c_i));
        UnitFdiv:
        digits_q <= set_up(ctrl_i.fdiv.sqrt, ctrl_i.rm, width_i,
                           unpack_wide(width_i, ctrl_i.fdiv.reverse ? b_i : a_i),
                           unpack_wide(width_i, ctrl_i.fdiv.reverse ? a_i : b_i));
        UnitFmisc: begin
          if (ctrl_i.fmisc == FmiscConvert)
            rounded_q <= convert(result_i, ctrl_i.rm, round_odd_i, unpack_wide(width_i, a_i));
          else if (rounds)
            rounded_q <= from_int(ctrl_i.fmisc == FmiscFromInt, result_i, ctrl_i.rm, width_i, a_i);
          else result_o <= misc(ctrl_i.fmisc, ctrl_i.rm, width_i, result_i, a_i, b_i);
        end
        default: assert (1'b0);
      endcase
    end
    if (state_q == Add) rounded_q <= add(aligned_q);
    if (state_q == Digits) begin
      if (!last_digit) digits_q <= step(digits_q);
      // FAULT(wide_remainder_lost, rounding): '{setup: digits_q.setup, sig: {digits_q.root, 1'b0}}
      rounded_q <= '{setup: digits_q.setup, sig: {digits_q.root, digits_q.left != '0}};
    end
    if (state_q == Round) result_o <= round(rounded_q);
  end

endmodule
