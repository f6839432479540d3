// Special functions of profile public: the numbers that ingot_fp_special computes with, and its programs.
//
// A number has a significand of 40 bits, which is truncated, and a sign and an exponent that are wide enough
// for everything on the way.
package ingot_special_pkg;

  import ingot_fp_pkg::*;

  // This is (-1)^sign sig 2^(exp - 39), with the leading one of sig at bit 39, or 0 where sig is 0.
  typedef struct packed {
    logic sign;
    logic signed [11:0] exp;
    logic [39:0] sig;
  } number_t;

  localparam number_t Nothing = '{sign: 1'b0, exp: -12'sd1500, sig: '0};

  function automatic number_t multiply(number_t a, number_t b);
    number_t r;
    logic [79:0] product;
    product = {40'b0, a.sig} * {40'b0, b.sig};
    if (product == '0) return Nothing;
    r.sign = a.sign ^ b.sign;
    r.exp = a.exp + b.exp + 12'(product[79]);
    r.sig = product[79] ? product[79:40] : product[78:39];
    return r;
  endfunction

  // The number sig 2^(exp - 47): its leading one at any place.
  function automatic number_t normal(logic sign, logic signed [11:0] exp, logic [48:0] sig);
    number_t r;
    logic [48:0] left;
    if (sig == '0) return Nothing;
    left = sig;
    r.sign = sign;
    r.exp = exp + 12'sd1;
    for (int k = 5; k >= 0; k--) begin
      if ((left >> (49 - (1 << k))) == '0) begin
        left <<= 1 << k;
        r.exp -= 12'(1 << k);
      end
    end
    r.sig = left[48:9];
    return r;
  endfunction

  // With eight bits more below the last place of the larger one.
  function automatic number_t sum(number_t a, number_t b);
    number_t big, little;
    logic [11:0] distance;
    logic [48:0] shifted;
    if (a.sig == '0) return b;
    if (b.sig == '0) return a;
    big = a;
    little = b;
    if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) begin
      big = b;
      little = a;
    end
    distance = big.exp - little.exp;
    shifted = {1'b0, little.sig, 8'b0} >> (distance > 12'd48 ? 6'd48 : distance[5:0]);
    return normal(big.sign, big.exp,
                  big.sign == little.sign ? {1'b0, big.sig, 8'b0} + shifted
                                          : {1'b0, big.sig, 8'b0} - shifted);
  endfunction

  // An integer.
  function automatic number_t from_integer(logic signed [10:0] n);
    logic [10:0] magnitude;
    magnitude = n[10] ? -n : n;
    return normal(n[10], 12'sd47, {38'b0, magnitude});
  endfunction

  // ---- programs ----

  typedef enum logic [3:0] {
    Fma,  // Is a b + c, or c - a b
    Poly,  // A polynomial of a, by Horner's rule: a coefficient a cycle
    Split,  // The number n is the integer next to a, the result what is left
    Scale,  // Is a 2^n
    AddN,  // Is a + n
    Negative,  // -|a|
    Seed,  // 1 / a to 7 bits
    SeedRoot,  // 1 / sqrt(a) to 7 bits, for a from 1 to 4
    Done
  } kind_e;

  typedef enum logic [3:0] {
    R0,  // Registers: this one has x at first, and the result at the end
    R1,  // It has x at first
    R2,
    R3,
    R4,
    R5,
    Zero,
    PlusOne,
    MinusOne,
    Half,
    Log2E,
    TwoLog2E,
    HalfPi,
    GeluCubic,
    GeluLinear
  } source_e;

  function automatic number_t constant(source_e source);
    unique case (source)
      PlusOne: return '{sign: 1'b0, exp: 12'sd0, sig: 40'h8000000000};
      MinusOne: return '{sign: 1'b1, exp: 12'sd0, sig: 40'h8000000000};
      Half: return '{sign: 1'b0, exp: -12'sd1, sig: 40'h8000000000};
      Log2E: return '{sign: 1'b0, exp: 12'sd0, sig: 40'hb8aa3b295c};
      TwoLog2E: return '{sign: 1'b0, exp: 12'sd1, sig: 40'hb8aa3b295c};
      HalfPi: return '{sign: 1'b0, exp: 12'sd0, sig: 40'hc90fdaa221};
      // FAULT(gelu_cubic_short, arithmetic): '{sign: 1'b0, exp: -12'sd5, sig: 40'hb727100000}
      GeluCubic: return '{sign: 1'b0, exp: -12'sd5, sig: 40'hb727136a40};
      GeluLinear: return '{sign: 1'b0, exp: 12'sd0, sig: 40'hcc42299ea2};
      default: return Nothing;
    endcase
  endfunction

  typedef enum logic [2:0] {
    PolyExp,  // 2^x from -1/2 to 1/2
    PolyLog,  // Of t^2: log2((1 + t) / (1 - t)) / t, for log2 m with m from sqrt(1/2) to sqrt(2)
    PolyTanh,  // Of x^2: tanh(x) / x to 1/4
    PolySin,  // Of x^2: sin(x) / x to pi/4
    PolyCos  // Of x^2: cos(x) to pi/4
  } poly_e;

  // Their coefficients, the highest first. Each polynomial is off by less than 2^-43.
  localparam int unsigned NumCoefficient = 36;
  localparam number_t Coefficients[NumCoefficient] = '{
    // PolyExp
    '{sign: 1'b0, exp: -12'sd24, sig: 40'hdb1c405187},
    '{sign: 1'b0, exp: -12'sd20, sig: 40'hb1e89b1b37},
    '{sign: 1'b0, exp: -12'sd17, sig: 40'hffe5ca8ad4},
    '{sign: 1'b0, exp: -12'sd13, sig: 40'ha1845642d5},
    '{sign: 1'b0, exp: -12'sd10, sig: 40'haec3ff437f},
    '{sign: 1'b0, exp: -12'sd7, sig: 40'h9d955b8c0e},
    '{sign: 1'b0, exp: -12'sd5, sig: 40'he35846b824},
    '{sign: 1'b0, exp: -12'sd3, sig: 40'hf5fdeffc12},
    '{sign: 1'b0, exp: -12'sd1, sig: 40'hb17217f7d2},
    '{sign: 1'b0, exp: 12'sd0, sig: 40'h8000000000},
    // PolyLog
    '{sign: 1'b0, exp: -12'sd2, sig: 40'h90e125c64e},
    '{sign: 1'b0, exp: -12'sd2, sig: 40'ha3ca1b0b3b},
    '{sign: 1'b0, exp: -12'sd2, sig: 40'hd30d1a98c6},
    '{sign: 1'b0, exp: -12'sd1, sig: 40'h93bb614600},
    '{sign: 1'b0, exp: -12'sd1, sig: 40'hf6384ee2a1},
    '{sign: 1'b0, exp: 12'sd1, sig: 40'hb8aa3b295c},
    // PolyTanh
    '{sign: 1'b0, exp: -12'sd9, sig: 40'hd79eca2346},
    '{sign: 1'b1, exp: -12'sd7, sig: 40'h90cc2252a4},
    '{sign: 1'b0, exp: -12'sd6, sig: 40'hb32561ab28},
    '{sign: 1'b1, exp: -12'sd5, sig: 40'hdd0dca9084},
    '{sign: 1'b0, exp: -12'sd3, sig: 40'h8888888458},
    '{sign: 1'b1, exp: -12'sd2, sig: 40'haaaaaaaaa9},
    '{sign: 1'b0, exp: 12'sd0, sig: 40'h8000000000},
    // PolySin
    '{sign: 1'b1, exp: -12'sd26, sig: 40'hd4a83f9b89},
    '{sign: 1'b0, exp: -12'sd19, sig: 40'hb8eb98bdc7},
    '{sign: 1'b1, exp: -12'sd13, sig: 40'hd00cfc5104},
    '{sign: 1'b0, exp: -12'sd7, sig: 40'h88888885ef},
    '{sign: 1'b1, exp: -12'sd3, sig: 40'haaaaaaaaa8},
    '{sign: 1'b0, exp: 12'sd0, sig: 40'h8000000000},
    // PolyCos
    '{sign: 1'b0, exp: -12'sd29, sig: 40'h8dc57aaa6a},
    '{sign: 1'b1, exp: -12'sd22, sig: 40'h93efa0051e},
    '{sign: 1'b0, exp: -12'sd16, sig: 40'hd00cfbfec4},
    '{sign: 1'b1, exp: -12'sd10, sig: 40'hb60b60b1e3},
    '{sign: 1'b0, exp: -12'sd5, sig: 40'haaaaaaaaa7},
    '{sign: 1'b1, exp: -12'sd1, sig: 40'h8000000000},
    '{sign: 1'b0, exp: 12'sd0, sig: 40'h8000000000}
  };

  // Places of the first and the last one of a polynomial.
  function automatic logic [5:0] first_of(poly_e poly);
    unique case (poly)
      PolyExp: return 6'd0;
      PolyLog: return 6'd10;
      PolyTanh: return 6'd16;
      PolySin: return 6'd23;
      default: return 6'd29;
    endcase
  endfunction
  function automatic logic [5:0] last_of(poly_e poly);
    unique case (poly)
      // FAULT(poly_short, arithmetic): 6'd8
      PolyExp: return 6'd9;
      PolyLog: return 6'd15;
      PolyTanh: return 6'd22;
      PolySin: return 6'd28;
      default: return 6'd35;
    endcase
  endfunction

  typedef struct packed {
    kind_e kind;
    source_e d, a, b, c;
    logic minus;  // Fma: c - a b
    logic if_negative;  // Without effect for an x above 0
    poly_e poly;
  } step_t;

  function automatic step_t fma(source_e d, source_e a, source_e b, source_e c, logic minus,
                                logic if_negative);
    return '{kind: Fma, d: d, a: a, b: b, c: c, minus: minus, if_negative: if_negative, poly: PolyExp};
  endfunction
  function automatic step_t plain(kind_e kind, source_e d, source_e a);
    return '{kind: kind, d: d, a: a, b: Zero, c: Zero, minus: 1'b0, if_negative: 1'b0, poly: PolyExp};
  endfunction
  function automatic step_t poly(source_e d, source_e a, poly_e of);
    return '{kind: Poly, d: d, a: a, b: Zero, c: Zero, minus: 1'b0, if_negative: 1'b0, poly: of};
  endfunction

  // Where each program begins.
  localparam logic [6:0] AtEx2 = 7'd0;
  localparam logic [6:0] AtLg2 = 7'd4;
  localparam logic [6:0] AtRsqrt = 7'd19;
  localparam logic [6:0] AtSin = 7'd34;
  localparam logic [6:0] AtSinSmall = 7'd35;
  localparam logic [6:0] AtCos = 7'd39;
  localparam logic [6:0] AtCosSmall = 7'd40;
  localparam logic [6:0] AtTanhSmall = 7'd43;
  localparam logic [6:0] AtTanh = 7'd47;
  localparam logic [6:0] AtGelu = 7'd63;
  localparam logic [6:0] AtSilu = 7'd67;

  function automatic step_t step_at(logic [6:0] at);
    unique case (at)
      // 2^x
      AtEx2: return plain(Split, R1, R0);
      7'd1: return poly(R2, R1, PolyExp);
      7'd2: return plain(Scale, R0, R2);
      7'd3: return plain(Done, R0, R0);
      // log2 m + n: 2 atanh(t) / ln 2 with t = (m - 1) / (m + 1)
      AtLg2: return fma(R1, R0, PlusOne, PlusOne, 1'b0, 1'b0);
      7'd5: return fma(R2, R0, PlusOne, MinusOne, 1'b0, 1'b0);
      7'd6: return plain(Seed, R4, R1);
      7'd7: return fma(R5, R1, R4, PlusOne, 1'b1, 1'b0);
      7'd8: return fma(R4, R4, R5, R4, 1'b0, 1'b0);
      7'd9: return fma(R5, R1, R4, PlusOne, 1'b1, 1'b0);
      7'd10: return fma(R4, R4, R5, R4, 1'b0, 1'b0);
      7'd11: return fma(R5, R1, R4, PlusOne, 1'b1, 1'b0);
      7'd12: return fma(R4, R4, R5, R4, 1'b0, 1'b0);
      7'd13: return fma(R2, R2, R4, Zero, 1'b0, 1'b0);
      7'd14: return fma(R1, R2, R2, Zero, 1'b0, 1'b0);
      7'd15: return poly(R3, R1, PolyLog);
      7'd16: return fma(R0, R3, R2, Zero, 1'b0, 1'b0);
      7'd17: return plain(AddN, R0, R0);
      7'd18: return plain(Done, R0, R0);
      // 1 / sqrt(x), by y + y (1 - x y^2) / 2
      AtRsqrt: return plain(SeedRoot, R1, R0);
      7'd20: return fma(R2, R0, R1, Zero, 1'b0, 1'b0);
      7'd21: return fma(R3, R2, R1, PlusOne, 1'b1, 1'b0);
      7'd22: return fma(R3, R3, Half, Zero, 1'b0, 1'b0);
      7'd23: return fma(R1, R1, R3, R1, 1'b0, 1'b0);
      7'd24: return fma(R2, R0, R1, Zero, 1'b0, 1'b0);
      7'd25: return fma(R3, R2, R1, PlusOne, 1'b1, 1'b0);
      7'd26: return fma(R3, R3, Half, Zero, 1'b0, 1'b0);
      7'd27: return fma(R1, R1, R3, R1, 1'b0, 1'b0);
      7'd28: return fma(R2, R0, R1, Zero, 1'b0, 1'b0);
      7'd29: return fma(R3, R2, R1, PlusOne, 1'b1, 1'b0);
      7'd30: return fma(R3, R3, Half, Zero, 1'b0, 1'b0);
      7'd31: return fma(R1, R1, R3, R1, 1'b0, 1'b0);
      7'd32: return plain(Scale, R0, R1);
      7'd33: return plain(Done, R0, R0);
      // The part of a quadrant as an angle
      AtSin: return fma(R0, R0, HalfPi, Zero, 1'b0, 1'b0);
      // An angle
      AtSinSmall: return fma(R1, R0, R0, Zero, 1'b0, 1'b0);
      7'd36: return poly(R2, R1, PolySin);
      7'd37: return fma(R0, R0, R2, Zero, 1'b0, 1'b0);
      7'd38: return plain(Done, R0, R0);
      // As for a sine
      AtCos: return fma(R0, R0, HalfPi, Zero, 1'b0, 1'b0);
      // An angle
      AtCosSmall: return fma(R1, R0, R0, Zero, 1'b0, 1'b0);
      7'd41: return poly(R0, R1, PolyCos);
      7'd42: return plain(Done, R0, R0);
      // Below 1/4
      AtTanhSmall: return fma(R1, R0, R0, Zero, 1'b0, 1'b0);
      7'd44: return poly(R2, R1, PolyTanh);
      7'd45: return fma(R0, R0, R2, Zero, 1'b0, 1'b0);
      7'd46: return plain(Done, R0, R0);
      // (1 - e^-2x) / (1 + e^-2x), its sign apart
      AtTanh: return plain(Negative, R1, R0);
      7'd48: return fma(R1, R1, TwoLog2E, Zero, 1'b0, 1'b0);
      7'd49: return plain(Split, R1, R1);
      7'd50: return poly(R2, R1, PolyExp);
      7'd51: return plain(Scale, R2, R2);
      7'd52: return fma(R3, R2, PlusOne, PlusOne, 1'b0, 1'b0);
      7'd53: return plain(Seed, R4, R3);
      7'd54: return fma(R5, R3, R4, PlusOne, 1'b1, 1'b0);
      7'd55: return fma(R4, R4, R5, R4, 1'b0, 1'b0);
      7'd56: return fma(R5, R3, R4, PlusOne, 1'b1, 1'b0);
      7'd57: return fma(R4, R4, R5, R4, 1'b0, 1'b0);
      7'd58: return fma(R5, R3, R4, PlusOne, 1'b1, 1'b0);
      7'd59: return fma(R4, R4, R5, R4, 1'b0, 1'b0);
      7'd60: return fma(R5, R2, PlusOne, PlusOne, 1'b1, 1'b0);
      7'd61: return fma(R0, R4, R5, Zero, 1'b0, 1'b0);
      7'd62: return plain(Done, R0, R0);
      // y = 2 sqrt(2/pi) (x + 0.044715 x^3), then as silu
      AtGelu: return fma(R1, R0, R0, Zero, 1'b0, 1'b0);
      7'd64: return fma(R1, R1, GeluCubic, PlusOne, 1'b0, 1'b0);
      7'd65: return fma(R1, R1, R0, Zero, 1'b0, 1'b0);
      7'd66: return fma(R1, R1, GeluLinear, Zero, 1'b0, 1'b0);
      // x / (1 + e^-y), where y is x; with e^-|y|, which a negative x has above as well
      AtSilu: return plain(Negative, R1, R1);
      7'd68: return fma(R1, R1, Log2E, Zero, 1'b0, 1'b0);
      7'd69: return plain(Split, R1, R1);
      7'd70: return poly(R2, R1, PolyExp);
      7'd71: return plain(Scale, R2, R2);
      7'd72: return fma(R3, R2, PlusOne, PlusOne, 1'b0, 1'b0);
      7'd73: return plain(Seed, R4, R3);
      7'd74: return fma(R5, R3, R4, PlusOne, 1'b1, 1'b0);
      7'd75: return fma(R4, R4, R5, R4, 1'b0, 1'b0);
      7'd76: return fma(R5, R3, R4, PlusOne, 1'b1, 1'b0);
      7'd77: return fma(R4, R4, R5, R4, 1'b0, 1'b0);
      7'd78: return fma(R5, R3, R4, PlusOne, 1'b1, 1'b0);
      7'd79: return fma(R4, R4, R5, R4, 1'b0, 1'b0);
      7'd80: return fma(R4, R4, R2, Zero, 1'b0, 1'b1);
      7'd81: return fma(R0, R0, R4, Zero, 1'b0, 1'b0);
      7'd82: return plain(Done, R0, R0);
      default: return plain(Done, R0, R0);
    endcase
  endfunction

endpackage
