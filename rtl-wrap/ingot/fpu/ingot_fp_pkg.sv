// Binary32 for the floating-point units of ingot: operations, classification, rounding and packing.
//
// A significand before rounding has 27 bits: 24 bits of the result, the guard bit, one more bit, and a sticky
// bit, which is the OR of all bits further right. Tininess after rounding needs the bit after the guard bit:
// it rounds the value with one more bit of precision.
package ingot_fp_pkg;

  localparam logic [31:0] FpNan = 32'h7fc00000;  // The canonical NaN
  localparam logic [30:0] FpInf = 31'h7f800000;
  localparam logic [30:0] FpMax = 31'h7f7fffff;

  // As encoded in frm.
  typedef enum logic [2:0] {
    RmRne = 3'd0,  // To nearest, ties to even
    RmRtz = 3'd1,  // Towards zero
    RmRdn = 3'd2,  // Down
    RmRup = 3'd3,  // Up
    RmRmm = 3'd4,  // To nearest, ties away from zero
    RmOdd = 3'd5  // Not in frm: to odd, for a result that is rounded once more, to fewer bits
  } rm_e;

  // Formats of 16 bits beside binary32 (profile public).
  typedef enum logic [1:0] {
    FormatF32,
    FormatF16,  // binary16
    FormatBf16  // The upper half of binary32
  } format_e;

  // As encoded in fflags.
  typedef struct packed {
    logic nv;
    logic dz;
    logic of;
    logic uf;
    logic nx;
  } fflags_t;

  typedef struct packed {
    fflags_t flags;
    logic [31:0] value;
  } fp_result_t;

  // ---- operations of the units ----

  typedef enum logic [1:0] {
    FmaAdd,  // A + b
    FmaMul,  // A * b
    FmaFma,  // A * b + c
    FmaNone  // The decoder's: no operation was chosen
  } fma_kind_e;

  // The rows vfsub to vfnmsac are these operations with the signs of operands changed.
  typedef struct packed {
    fma_kind_e kind;
    logic negate_product;  // FmaAdd: of a
    logic negate_addend;  // FmaAdd: of b
  } fma_op_t;

  typedef struct packed {
    fma_op_t op;
    logic times_src3;  // Computes b * src3 + a (vfmadd) instead of a * b + src3 (vfmacc)
  } fpu_ctrl_t;

  // Operations on both 16-bit halves of a lane, or a conversion, where the formats differ.
  typedef struct packed {
    fma_kind_e kind;
    format_e from;
    format_e to;
  } half_ctrl_t;

  // The special functions of profile public, as their instructions number them.
  typedef enum logic [3:0] {
    SpecialEx2,
    SpecialLg2,
    SpecialRcp,
    SpecialSqrt,
    SpecialRsqrt,
    SpecialSin,
    SpecialCos,
    SpecialTanh,
    SpecialGelu,
    SpecialSilu
  } special_e;

  typedef struct packed {
    special_e func;
    format_e format;  // Packed, if of 16 bits
  } special_ctrl_t;

  // Types of the factors of a matrix product, as its instructions number them.
  typedef enum logic [1:0] {
    MatrixTf32,
    MatrixF16,
    MatrixBf16
  } matrix_type_e;

  // A matrix product: D = A B + C, all of C and D binary32 but where half is set.
  typedef struct packed {
    logic m16;  // Rows of A and C, else 8
    logic n16;  // Columns of B and C, else 8
    logic k8;  // Columns of A, else 16
    logic a_by_column;  // A stands column by column
    logic b_by_row;  // B stands column by column of B, K next to each other
    logic half;
    matrix_type_e kind;
    logic [2:0] last_word;  // The last register of C
  } matrix_ctrl_t;

  typedef struct packed {
    logic sqrt;
    logic reverse;  // Computes b / a (vfrdiv)
  } fdiv_ctrl_t;

  typedef enum logic [4:0] {
    FmiscEq,
    FmiscNe,
    FmiscLt,
    FmiscLe,
    FmiscGt,
    FmiscGe,
    FmiscMin,
    FmiscMax,
    FmiscSgnj,
    FmiscSgnjn,
    FmiscSgnjx,
    FmiscClass,
    FmiscFromInt,
    FmiscFromUint,
    FmiscToInt,
    FmiscToUint,
    FmiscRec7,
    FmiscRsqrt7,
    FmiscConvert,  // Between formats: ingot_wide alone
    FmiscNone
  } fmisc_op_e;

  // The floating-point fields of a decoded instruction, for whichever unit executes it.
  typedef struct packed {
    rm_e rm;  // Resolved: never 5 to 7
    fpu_ctrl_t fpu;
    fdiv_ctrl_t fdiv;
    fmisc_op_e fmisc;
  } fp_ctrl_t;

  // ---- estimates ----

  // The tables of the V extension: the highest seven fraction bits of 1/x and of 1/sqrt(x).
  localparam logic [6:0] Rec7[128] = '{
    7'd127, 7'd125, 7'd123, 7'd121, 7'd119, 7'd117, 7'd116, 7'd114,
    7'd112, 7'd110, 7'd109, 7'd107, 7'd105, 7'd104, 7'd102, 7'd100,
    7'd99, 7'd97, 7'd96, 7'd94, 7'd93, 7'd91, 7'd90, 7'd88,
    7'd87, 7'd85, 7'd84, 7'd83, 7'd81, 7'd80, 7'd79, 7'd77,
    7'd76, 7'd75, 7'd74, 7'd72, 7'd71, 7'd70, 7'd69, 7'd68,
    7'd66, 7'd65, 7'd64, 7'd63, 7'd62, 7'd61, 7'd60, 7'd59,
    7'd58, 7'd57, 7'd56, 7'd55, 7'd54, 7'd53, 7'd52, 7'd51,
    7'd50, 7'd49, 7'd48, 7'd47, 7'd46, 7'd45, 7'd44, 7'd43,
    7'd42, 7'd41, 7'd40, 7'd40, 7'd39, 7'd38, 7'd37, 7'd36,
    7'd35, 7'd35, 7'd34, 7'd33, 7'd32, 7'd31, 7'd31, 7'd30,
    7'd29, 7'd28, 7'd28, 7'd27, 7'd26, 7'd25, 7'd25, 7'd24,
    7'd23, 7'd23, 7'd22, 7'd21, 7'd21, 7'd20, 7'd19, 7'd19,
    7'd18, 7'd17, 7'd17, 7'd16, 7'd15, 7'd15, 7'd14, 7'd14,
    7'd13, 7'd12, 7'd12, 7'd11, 7'd11, 7'd10, 7'd9, 7'd9,
    7'd8, 7'd8, 7'd7, 7'd7, 7'd6, 7'd5, 7'd5, 7'd4,
    7'd4, 7'd3, 7'd3, 7'd2, 7'd2, 7'd1, 7'd1, 7'd0
  };
  localparam logic [6:0] Rsqrt7[128] = '{
    7'd52, 7'd51, 7'd50, 7'd48, 7'd47, 7'd46, 7'd44, 7'd43,
    7'd42, 7'd41, 7'd40, 7'd39, 7'd38, 7'd36, 7'd35, 7'd34,
    7'd33, 7'd32, 7'd31, 7'd30, 7'd30, 7'd29, 7'd28, 7'd27,
    7'd26, 7'd25, 7'd24, 7'd23, 7'd23, 7'd22, 7'd21, 7'd20,
    7'd19, 7'd19, 7'd18, 7'd17, 7'd16, 7'd16, 7'd15, 7'd14,
    7'd14, 7'd13, 7'd12, 7'd12, 7'd11, 7'd10, 7'd10, 7'd9,
    7'd9, 7'd8, 7'd7, 7'd7, 7'd6, 7'd6, 7'd5, 7'd4,
    7'd4, 7'd3, 7'd3, 7'd2, 7'd2, 7'd1, 7'd1, 7'd0,
    7'd127, 7'd125, 7'd123, 7'd121, 7'd119, 7'd118, 7'd116, 7'd114,
    7'd113, 7'd111, 7'd109, 7'd108, 7'd106, 7'd105, 7'd103, 7'd102,
    7'd100, 7'd99, 7'd97, 7'd96, 7'd95, 7'd93, 7'd92, 7'd91,
    7'd90, 7'd88, 7'd87, 7'd86, 7'd85, 7'd84, 7'd83, 7'd82,
    7'd80, 7'd79, 7'd78, 7'd77, 7'd76, 7'd75, 7'd74, 7'd73,
    7'd72, 7'd71, 7'd70, 7'd70, 7'd69, 7'd68, 7'd67, 7'd66,
    7'd65, 7'd64, 7'd63, 7'd63, 7'd62, 7'd61, 7'd60, 7'd59,
    7'd59, 7'd58, 7'd57, 7'd56, 7'd56, 7'd55, 7'd54, 7'd53
  };

  // ---- taking operands apart ----

  // A finite operand is sig * 2^(exp - 150). Subnormals have exp 1 and no hidden bit, so that they need no
  // path of their own. A zero has sig 0.
  typedef struct packed {
    logic sign;
    logic [7:0] exp;
    logic [23:0] sig;
    logic is_inf;
    logic is_nan;
    logic is_snan;
  } operand_t;

  function automatic logic is_nan(logic [30:0] magnitude);
    return magnitude > FpInf;
  endfunction

  function automatic logic is_snan(logic [30:0] magnitude);
    return magnitude > FpInf && !magnitude[22];
  endfunction

  function automatic operand_t unpack(logic [31:0] f);
    operand_t x;
    logic low;
    low = f[30:23] == '0;
    x.sign = f[31];
    x.exp = low ? 8'd1 : f[30:23];
    x.sig = {!low, f[22:0]};
    x.is_inf = f[30:0] == FpInf;
    x.is_nan = is_nan(f[30:0]);
    x.is_snan = is_snan(f[30:0]);
    return x;
  endfunction

  // A finite number with its leading one at bit 23; its exponent may be below 1.  Not for zero.
  typedef struct packed {
    logic signed [9:0] exp;
    logic [23:0] sig;
  } normal_t;

  function automatic normal_t normalise(logic [7:0] exp, logic [23:0] sig);
    normal_t n;
    n.exp = $signed({2'b0, exp});
    n.sig = sig;
    for (int k = 4; k >= 0; k--) begin
      if ((n.sig >> (24 - (1 << k))) == '0) begin
        n.sig <<= 1 << k;
        n.exp -= 10'(1 << k);
      end
    end
    return n;
  endfunction

  // ---- rounding ----

  // Whether a magnitude is rounded up, by the last bit kept, the first bit dropped, and the OR of the others
  // dropped.
  function automatic logic rounds_up(rm_e rm, logic sign, logic last, logic guard, logic sticky);
    unique case (rm)
      // FAULT(round_ties_up, rounding): guard
      RmRne: return guard && (sticky || last);
      RmRdn: return sign && (guard || sticky);
      RmRup: return !sign && (guard || sticky);
      // FAULT(round_rmm_as_rne, rounding): guard && (sticky || last)
      RmRmm: return guard;
      RmOdd: return !last && (guard || sticky);
      default: return 1'b0;
    endcase
  endfunction

  // Rounds and packs sig, whose bit 26 has the weight 2^(exp - 127). exp is at least 1. With exp 1, bit 26
  // may be zero: a subnormal number.
  function automatic fp_result_t round_pack(rm_e rm, logic sign, logic signed [9:0] exp, logic [26:0] sig);
    fp_result_t r;
    logic up, normal, tiny, inexact;
    logic [32:0] magnitude;
    up = rounds_up(rm, sign, sig[3], sig[2], sig[1:0] != '0);
    inexact = sig[2:0] != '0;
    // Tininess after rounding: a result is not tiny if, with an unbounded exponent, it rounds to the smallest
    // normal number.
    // FAULT(tiny_guard_only, rounding): sig[25:2] == '1 && rounds_up(rm, sign, 1'b1, sig[1], 1'b0)
    normal = sig[25:2] == '1 && rounds_up(rm, sign, 1'b1, sig[1], sig[0]);
    // FAULT(tiny_before_rounding, rounding): !sig[26]
    tiny = !sig[26] && !normal;
    // The addition lets the hidden bit increment the exponent, and a carry out of the fraction as well.
    magnitude = {exp - 10'sd1, 23'b0} + 33'(sig[26:3]) + 33'(up);
    r.flags = '0;
    if (magnitude[32:23] >= 10'd255) begin
      // Overflow: infinity in the rounding modes that round up here.
      // FAULT(overflow_to_inf, rounding): {sign, FpInf}
      r.value = {sign, rounds_up(rm, sign, 1'b1, 1'b1, 1'b1) ? FpInf : FpMax};
      r.flags.of = 1'b1;
      r.flags.nx = 1'b1;
    end else begin
      r.value = {sign, magnitude[30:0]};
      r.flags.uf = tiny && inexact;
      r.flags.nx = inexact;
    end
    return r;
  endfunction

  // Rounds and packs with any exponent: a significand (leading one at bit 26) below the normal range is first
  // shifted right.
  function automatic fp_result_t shift_round_pack(rm_e rm, logic sign, logic signed [9:0] exp,
                                                  logic [26:0] sig);
    logic [53:0] wide;
    logic [9:0] distance;
    if (exp >= 10'sd1) return round_pack(rm, sign, exp, sig);
    distance = 10'sd1 - exp;
    wide = {sig, 27'b0} >> (distance > 10'd27 ? 5'd27 : distance[4:0]);
    // FAULT(denormal_sticky, rounding): wide[27]
    wide[27] |= wide[26:0] != '0;
    return round_pack(rm, sign, 10'sd1, wide[53:27]);
  endfunction

  // ---- formats of 16 bits ----

  // A number of that format as binary32: exact, and a signaling NaN stays one. Not for FormatF32.
  function automatic logic [31:0] widen(format_e from, logic [15:0] h);
    logic [7:0] exp;
    logic [10:0] sig;
    // FAULT(widen_format, encoding): {h[15], 8'd112 + {3'b0, h[14:10]}, h[9:0], 13'b0}
    if (from != FormatF16) return {h, 16'b0};
    exp = 8'd112 + {3'b0, h[14:10]};
    sig = {1'b1, h[9:0]};
    if (h[14:10] == '1) exp = '1;
    if (h[14:10] == '0) begin  // A subnormal number of binary16 is a normal one of binary32
      exp = 8'd113;
      sig = {1'b0, h[9:0]};
      for (int k = 3; k >= 0; k--) begin
        if ((sig >> (11 - (1 << k))) == '0) begin
          sig <<= 1 << k;
          // FAULT(widen_subnormal, special_value): exp -= 8'd1;
          exp -= 8'(1 << k);
        end
      end
      if (sig == '0) exp = '0;
    end
    return {h[15], exp, sig[9:0], 13'b0};
  endfunction

  // A number of binary32, rounded to nearest even to that format, in the lower half of the result. Not for
  // FormatF32.
  function automatic fp_result_t narrow(format_e to, logic [31:0] f);
    fp_result_t r;
    operand_t x;
    logic [47:0] shifted;  // The bits that are dropped are in the lower half
    logic [7:0] below;  // Places below the smallest normal number
    logic [4:0] dropped;
    logic up, normal, inexact;
    logic [15:0] inf, magnitude;
    x = unpack(f);
    inf = to == FormatF16 ? 16'h7c00 : 16'h7f80;
    dropped = to == FormatF16 ? 5'd13 : 5'd16;
    below = to == FormatF16 && x.exp < 8'd113 ? 8'd113 - x.exp : 8'd0;
    // Tininess after rounding: a result is not tiny if, with an unbounded exponent, it rounds to the smallest
    // normal number.
    normal = to == FormatF16 ? x.exp == 8'd112 && x.sig[23:12] == '1 : x.exp == 8'd1 && x.sig[22:14] == '1;
    shifted = {x.sig, 24'b0} >> dropped;
    shifted = shifted >> (below > 8'd24 ? 5'd24 : below[4:0]);
    // FAULT(narrow_sticky, rounding): |shifted[22:13]
    inexact = shifted[23:0] != '0 || (below > 8'd24 && x.sig != '0);
    // FAULT(narrow_ties_up, rounding): shifted[23]
    up = rounds_up(RmRne, 1'b0, shifted[24], shifted[23], shifted[22:0] != '0);
    // The addition lets the leading one increment the exponent, and a carry out of the fraction as well.
    if (to == FormatF16) magnitude = {below == '0 ? 6'(x.exp - 8'd113) : 6'd0, 10'b0};
    else magnitude = {1'b0, x.exp - 8'd1, 7'b0};
    magnitude += shifted[39:24] + 16'(up);
    r.flags = '0;
    if (x.is_nan) begin
      // FAULT(narrow_nan_of_f16, special_value): {16'b0, inf} | 32'h200
      r.value = {16'b0, inf} | (to == FormatF16 ? 32'h200 : 32'h40);
      r.flags.nv = x.is_snan;
    end else if (x.is_inf) begin
      r.value = {16'b0, x.sign, inf[14:0]};
    end else if ((to == FormatF16 && x.exp > 8'd142) || magnitude >= inf) begin
      // FAULT(narrow_overflow_max, rounding): {16'b0, x.sign, inf[14:0] - 15'd1}
      r.value = {16'b0, x.sign, inf[14:0]};
      r.flags.of = 1'b1;
      r.flags.nx = 1'b1;
    end else begin
      r.value = {16'b0, x.sign, magnitude[14:0]};
      // FAULT(narrow_tiny_before_rounding, special_value): !magnitude[10] && inexact
      r.flags.uf = (below != '0 || !x.sig[23]) && !normal && inexact;
      r.flags.nx = inexact;
    end
    return r;
  endfunction

endpackage
