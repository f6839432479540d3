// Numbers of every width, for the units of profile v2.03: integers of 8 to 64 bits, and binary16, binary32
// and binary64, which share one datapath that is wide enough for binary64.
//
// A significand before rounding has 56 bits: 55 bits from the leading one on, and a sticky bit, which is the
// OR of all bits further right.
package ingot_wide_pkg;

  import ingot_pkg::*;
  import ingot_fp_pkg::*;

  typedef struct packed {
    fflags_t flags;
    logic [63:0] value;
  } wide_result_t;

  // ---- integers ----

  function automatic logic [63:0] zero_extend(width_e width, logic [63:0] value);
    unique case (width)
      W8: return {56'b0, value[7:0]};
      W16: return {48'b0, value[15:0]};
      W32: return {32'b0, value[31:0]};
      default: return value;
    endcase
  endfunction

  function automatic logic [63:0] sign_extend(width_e width, logic [63:0] value);
    unique case (width)
      W8: return {{56{value[7]}}, value[7:0]};
      W16: return {{48{value[15]}}, value[15:0]};
      W32: return {{32{value[31]}}, value[31:0]};
      default: return value;
    endcase
  endfunction

  function automatic logic [6:0] bits_of(width_e width);
    return 7'd8 << width;
  endfunction

  // ---- formats ----

  function automatic logic signed [13:0] bias_of(width_e width);
    return width == W16 ? 14'sd15 : width == W32 ? 14'sd127 : 14'sd1023;
  endfunction

  // Bits of binary64's fraction that the format does not have.
  function automatic logic [5:0] dropped_of(width_e width);
    return width == W16 ? 6'd42 : width == W32 ? 6'd29 : 6'd0;
  endfunction

  // The exponent of infinities and NaNs.
  function automatic logic [10:0] exp_max(width_e width);
    return width == W16 ? 11'h01f : width == W32 ? 11'h0ff : 11'h7ff;
  endfunction

  // The fraction has the bits of binary64's, those from the right of it 0.
  function automatic logic [63:0] pack(width_e width, logic sign, logic [10:0] exp, logic [51:0] fraction);
    unique case (width)
      W16: return {48'b0, sign, exp[4:0], fraction[51:42]};
      W32: return {32'b0, sign, exp[7:0], fraction[51:29]};
      default: return {sign, exp, fraction};
    endcase
  endfunction

  function automatic logic [63:0] nan_of(width_e width);
    // FAULT(nan_negative, special_value): pack(width, 1'b1, exp_max(width), {1'b1, 51'b0})
    return pack(width, 1'b0, exp_max(width), {1'b1, 51'b0});
  endfunction

  function automatic logic [63:0] inf_of(width_e width, logic sign);
    return pack(width, sign, exp_max(width), '0);
  endfunction

  function automatic logic [63:0] max_of(width_e width, logic sign);
    return pack(width, sign, exp_max(width) - 11'd1, '1);
  endfunction

  // A finite number other than zero is sig * 2^(exp - 52), with the leading one of sig at bit 52. A zero has
  // sig 0, and an exponent below all others.
  typedef struct packed {
    logic sign;
    logic is_zero;
    logic is_subnormal;
    logic is_inf;
    logic is_nan;
    logic is_snan;
    logic signed [13:0] exp;
    logic [52:0] sig;
  } number_t;

  localparam logic signed [13:0] ZeroExp = -14'sd3000;

  function automatic number_t unpack_wide(width_e width, logic [63:0] f);
    number_t x;
    logic [10:0] exp;
    logic [51:0] fraction;
    logic low, high;
    unique case (width)
      W16: {x.sign, exp, fraction} = {f[15], 6'b0, f[14:10], f[9:0], 42'b0};
      W32: {x.sign, exp, fraction} = {f[31], 3'b0, f[30:23], f[22:0], 29'b0};
      default: {x.sign, exp, fraction} = f;
    endcase
    low = exp == '0;
    high = exp == exp_max(width);
    x.is_zero = low && fraction == '0;
    x.is_subnormal = low && fraction != '0;
    x.is_inf = high && fraction == '0;
    x.is_nan = high && fraction != '0;
    // FAULT(wide_snan, special_value): x.is_nan
    x.is_snan = x.is_nan && !fraction[51];
    // FAULT(subnormal_exponent, special_value): $signed({3'b0, exp}) - bias_of(width)
    x.exp = $signed({3'b0, low ? 11'd1 : exp}) - bias_of(width);
    x.sig = {!low, fraction};
    if (x.is_subnormal) begin
      for (int k = 5; k >= 0; k--) begin
        if ((x.sig >> (53 - (1 << k))) == '0) begin
          x.sig <<= 1 << k;
          x.exp -= 14'(1 << k);
        end
      end
    end
    if (x.is_zero) x.exp = ZeroExp;
    return x;
  endfunction

  // ---- rounding ----

  // Rounds and packs sig, whose bit 55, the leading one, has the weight 2^exp. odd: to odd, in the place of
  // rm.
  function automatic wide_result_t round_wide(width_e width, rm_e rm, logic odd, logic sign,
                                              logic signed [13:0] exp, logic [55:0] sig);
    wide_result_t r;
    logic signed [13:0] exp_min, below;
    logic [111:0] shifted;
    logic [52:0] kept;
    logic guard, sticky, up, normal, inexact;
    logic [6:0] distance;
    logic [13:0] biased;
    logic [10:0] exponent;  // Without the increment that the leading one makes
    logic [63:0] magnitude, limit;
    exp_min = 14'sd1 - bias_of(width);
    below = exp_min - exp;  // Places below the smallest normal number

    // Tininess after rounding: a result is not tiny if, with an unbounded exponent, it rounds to the smallest
    // normal number.
    shifted = {sig, 56'b0} >> dropped_of(width);
    kept = shifted[111:59];
    normal = below == 14'sd1 && (kept & (kept + 1'b1)) == '0 && !odd &&
             rounds_up(rm, sign, 1'b1, shifted[58], shifted[57:0] != '0);

    distance = {1'b0, dropped_of(width)};
    if (below > 14'sd0) distance = below > 14'sd56 ? 7'd56 : distance + below[6:0];
    if (distance > 7'd56) distance = 7'd56;
    shifted = {sig, 56'b0} >> distance;
    kept = shifted[111:59];
    guard = shifted[58];
    sticky = shifted[57:0] != '0;
    inexact = guard || sticky;
    // FAULT(wide_ties, rounding): !odd && rounds_up(rm, sign, 1'b0, guard, sticky)
    up = !odd && rounds_up(rm, sign, kept[0], guard, sticky);
    // FAULT(round_odd_guard_only, rounding): if (odd && guard) kept[0] = 1'b1;
    if (odd && inexact) kept[0] = 1'b1;

    // The addition lets the leading one increment the exponent, and a carry out of the fraction as well.
    biased = below > 14'sd0 ? 14'd1 : exp + bias_of(width);
    limit = inf_of(width, 1'b0);
    exponent = biased[10:0] - 11'd1;
    magnitude = ({53'b0, exponent} << (6'd52 - dropped_of(width))) + 64'(kept) + 64'(up);
    r.flags = '0;
    if (biased >= {3'b0, exp_max(width)} || magnitude >= limit) begin
      // FAULT(overflow_always_inf, rounding): inf_of(width, sign)
      r.value = !odd && rounds_up(rm, sign, 1'b1, 1'b1, 1'b1) ? inf_of(width, sign) : max_of(width, sign);
      r.flags.of = 1'b1;
      r.flags.nx = 1'b1;
    end else begin
      r.value = magnitude | pack(width, sign, '0, '0);
      // FAULT(wide_tiny_before_rounding, special_value): below > 14'sd0 && inexact
      r.flags.uf = below > 14'sd0 && !normal && inexact;
      r.flags.nx = inexact;
    end
    return r;
  endfunction

endpackage
