// Computes e^x of one lane: five register stages, one operation a cycle.  Faithful, not correctly rounded.
//
//   1  x * log2 e, and special values
//   2  made fixed point, t = n + j/64 + g: integer n, table index j, -1/128 <= g < 1/128
//   3  2^g - 1 by a polynomial of degree 2, 2^(j/64) from a table
//   4  their product: the significand
//   5  rounded and packed with exponent n
//
// Bound: in every rounding mode the result is the correctly rounded one or one of its two neighbours (1 ulp).
// Errors relative to the result: 2^-27.2 from the cubic term, which the polynomial does not have, and
// together less than 2^-27.5 from truncations. So the error of the significand before rounding is less than a
// quarter of an ulp. Flags: NX for every finite operand but zero (none of their results is exact), OF and UF
// by the significand before rounding, NV for a signaling NaN. e^0 = 1, e^inf = inf and e^-inf = 0 are exact.
module ingot_fp_exp
  import ingot_fp_pkg::*;
(
  input  logic        clk_i,
  input  logic [4:0]  advance_i,  // Stages that take a new value at the next edge
  input  rm_e         rm_i,
  input  logic [31:0] a_i,
  output fp_result_t  result_o
);

  localparam logic [31:0] One = 32'h3f800000;
  localparam logic [36:0] Log2E = 37'h171547652c;  // Unit: 2^-36
  // 2^g - 1 = g ln2 + g^2 ln2^2/2 + g^3 ln2^3/6 + ... On -G <= g < G, G = 2^-7, g^3 is 3/4 G^2 g to within
  // G^3/4.
  localparam logic [25:0] C1 = 26'd46516490;  // This is ln2 + 3/4 G^2 ln2^3/6, unit: 2^-26
  localparam logic [15:0] C2 = 16'd15743;  // This is ln2^2/2, unit: 2^-16

  // 2^(j/64), unit: 2^-30.
  localparam logic [30:0] Exp2[64] = '{
    31'h40000000, 31'h40b268fa, 31'h4166c34c, 31'h421d1462,
    31'h42d561b4, 31'h438fb0cb, 31'h444c0740, 31'h450a6abb,
    31'h45cae0f2, 31'h468d6fae, 31'h47521cc6, 31'h4818ee22,
    31'h48e1e9ba, 31'h49ad1598, 31'h4a7a77d4, 31'h4b4a169c,
    31'h4c1bf829, 31'h4cf022ca, 31'h4dc69cdd, 31'h4e9f6cd4,
    31'h4f7a9930, 31'h50582888, 31'h51382182, 31'h521a8ad7,
    31'h52ff6b55, 31'h53e6c9da, 31'h54d0ad5a, 31'h55bd1cdb,
    31'h56ac1f75, 31'h579dbc57, 31'h5891fac1, 31'h5988e209,
    31'h5a82799a, 31'h5b7ec8f2, 31'h5c7dd7a4, 31'h5d7fad59,
    31'h5e8451d0, 31'h5f8bccdb, 31'h60962665, 31'h61a3666d,
    31'h62b39509, 31'h63c6ba64, 31'h64dcdec3, 31'h65f60a7f,
    31'h6712460b, 31'h683199ed, 31'h69540ec9, 31'h6a79ad56,
    31'h6ba27e65, 31'h6cce8ae1, 31'h6dfddbcc, 31'h6f307a41,
    31'h70666f76, 31'h719fc4b9, 31'h72dc8374, 31'h741cb528,
    31'h75606374, 31'h76a7980f, 31'h77f25cce, 31'h7940bb9e,
    31'h7a92be8b, 31'h7be86fba, 31'h7d41d96e, 31'h7e9f0606
  };

  typedef struct packed {
    rm_e rm;
    logic is_special;
    fp_result_t special;
  } common_t;

  typedef struct packed {
    common_t x;
    logic sign;
    logic [7:0] exp;
    logic [60:0] product;
  } scaled_t;

  typedef struct packed {
    common_t x;
    logic signed [8:0] n;
    logic [5:0] j;
    logic signed [23:0] g;  // Unit: 2^-30
  } split_t;

  typedef struct packed {
    common_t x;
    logic signed [8:0] n;
    logic [30:0] base;  // 2^(j/64), unit: 2^-30
    logic signed [25:0] more;  // 2^g - 1, unit: 2^-32
  } factors_t;

  typedef struct packed {
    common_t x;
    logic signed [8:0] n;
    logic [30:0] sig;  // Unit: 2^-30
  } power_t;

  scaled_t scaled_q;
  split_t split_q;
  factors_t factors_q;
  power_t power_q;

  function automatic scaled_t scale(rm_e rm, logic [31:0] f);
    scaled_t r;
    operand_t x;
    x = unpack(f);
    r.x.rm = rm;
    r.x.is_special = 1'b1;
    r.x.special = '0;
    if (x.is_nan) begin
      r.x.special.value = FpNan;
      // FAULT(exp_nan_invalid, special_value): 1'b1
      r.x.special.flags.nv = x.is_snan;
    end else if (x.is_inf) begin
      // FAULT(exp_minus_inf, special_value): {x.sign, FpInf}
      r.x.special.value = x.sign ? '0 : {1'b0, FpInf};
    // FAULT(exp_minus_zero, special_value): f == '0
    end else if (x.sig == '0) begin
      r.x.special.value = One;
    end else begin
      r.x.is_special = 1'b0;
    end
    r.sign = x.sign;
    r.exp = x.exp;
    r.product = {37'b0, x.sig} * {24'b0, Log2E};
    return r;
  endfunction

  function automatic split_t split(scaled_t in);
    split_t r;
    logic [7:0] distance;
    logic [37:0] magnitude;  // Magnitude of t, with 30 fraction bits
    logic signed [38:0] t;
    // The unit of the product is 2^(exp - 150 - 36).
    distance = 8'd156 - in.exp;
    if (in.exp >= 8'd134) magnitude = {8'd192, 30'b0};  // |x| >= 128: any value out of range
    else magnitude = 38'(in.product >> (distance > 8'd61 ? 6'd61 : distance[5:0]));
    // One's complement: for negative x, truncation makes t slightly too small, and never 0.
    t = in.sign ? ~$signed({1'b0, magnitude}) : $signed({1'b0, magnitude});
    // Half a step of j, which centres g at 0.
    // FAULT(exp_step_centre, arithmetic): t + 39'sh400000
    t = t + 39'sh800000;
    r.x = in.x;
    r.n = t[38:30];
    r.j = t[29:24];
    r.g = $signed({!t[23], t[22:0]});
    return r;
  endfunction

  function automatic factors_t evaluate(split_t in);
    factors_t r;
    logic signed [25:0] linear;  // Unit: 2^-32
    logic [19:0] quadratic;  // Unit: 2^-32
    logic signed [15:0] g;  // Unit: 2^-22
    linear = 26'((50'(in.g) * $signed({24'b0, C1})) >>> 24);
    g = in.g[23:8];
    // FAULT(exp_quadratic, arithmetic): 20'(({16'b0, 32'(g) * 32'(g)} * {32'b0, C2 - 16'd128}) >> 28)
    quadratic = 20'(({16'b0, 32'(g) * 32'(g)} * {32'b0, C2}) >> 28);
    r.x = in.x;
    r.n = in.n;
    // FAULT(exp_table_entry, arithmetic): in.j == 6'd41 ? Exp2[41] ^ 31'h400 : Exp2[in.j]
    r.base = Exp2[in.j];
    r.more = linear + $signed({6'b0, quadratic});
    return r;
  endfunction

  function automatic power_t multiply(factors_t in);
    power_t r;
    r.x = in.x;
    r.n = in.n;
    r.sig = in.base + 31'((58'(in.more) * $signed({27'b0, in.base})) >>> 32);
    return r;
  endfunction

  function automatic fp_result_t round(power_t in);
    if (in.x.is_special) return in.x.special;
    // The significand is below 1 only for j = 0 and g < 0.  The result is never exact: the sticky bit is 1.
    if (!in.sig[30]) return shift_round_pack(in.x.rm, 1'b0, 10'(in.n) + 10'sd126, {in.sig[29:4], 1'b1});
    // FAULT(exp_exact, rounding): shift_round_pack(in.x.rm, 1'b0, 10'(in.n) + 10'sd127, {in.sig[30:5], 1'b0})
    return shift_round_pack(in.x.rm, 1'b0, 10'(in.n) + 10'sd127, {in.sig[30:5], 1'b1});
  endfunction

  always_ff @(posedge clk_i) begin
    if (advance_i[0]) scaled_q <= scale(rm_i, a_i);
    if (advance_i[1]) split_q <= split(scaled_q);
    if (advance_i[2]) factors_q <= evaluate(split_q);
    if (advance_i[3]) power_q <= multiply(factors_q);
    if (advance_i[4]) result_o <= round(power_q);
  end

endmodule
