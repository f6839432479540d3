// Fused multiply-add of one lane, also used for add and multiply: four register stages, one operation a
// cycle.
//
//   1  product of the significands; addend aligned to it
//   2  sum, and its sign
//   3  leading zeros shifted out, as far as the exponent allows
//   4  rounded and packed
//
// Product and addend are added in a window of 77 bits. The 24 bits of the addend start at its top. The 48
// bits of the product are fixed, 26 bits below the top, with three more bits under them:
//
//   76            53 52  50              3 2 0
//   | addend  >>>   |      | product      |   |
//
// The top of the window has the weight of the larger of the two, so that only the addend is shifted, and only
// to the right. Where the addend is so large that it would be shifted left, the product is less than a
// quarter of the last place of the addend, and its exact position has no effect. Bits of the addend that are
// shifted out at the right are or-ed into bit 0: the product is then normal, and at least three bits of the
// window are below the guard bit of the result, even after cancellation.
module ingot_fp_fma
  import ingot_fp_pkg::*;
(
  input  logic        clk_i,
  input  logic [3:0]  advance_i,  // Stages that take a new value at the next edge
  input  fma_op_t     op_i,
  input  rm_e         rm_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [31:0] c_i,
  output fp_result_t  result_o
);

  localparam logic [31:0] One = 32'h3f800000;

  typedef struct packed {
    rm_e rm;
    logic nan;  // The result is NaN
    logic invalid;  // The operation raises NV
    logic inf;  // The result is an infinity
    logic sign;
    logic [9:0] exp;  // Exponent of the top of the window
  } common_t;

  typedef struct packed {
    common_t x;
    logic sign_addend;
    logic [47:0] product;
    logic [76:0] addend;
  } aligned_t;

  typedef struct packed {
    common_t x;
    logic [76:0] sum;
  } summed_t;

  typedef struct packed {
    common_t x;
    logic [26:0] sig;
  } normalised_t;

  aligned_t aligned_q;
  summed_t summed_q;
  normalised_t normalised_q;

  function automatic aligned_t align(fma_op_t op, rm_e rm, logic [31:0] a, logic [31:0] b, logic [31:0] c);
    aligned_t r;
    operand_t x, y, z;
    logic inf_times_zero, product_inf, sign_product;
    logic signed [10:0] exp_product;
    logic [9:0] distance;
    logic [100:0] wide;

    x = unpack(a);
    y = unpack(op.kind == FmaAdd ? One : b);
    sign_product = x.sign ^ y.sign ^ op.negate_product;
    unique case (op.kind)
      FmaAdd: z = unpack(b);
      // Adding a zero with the sign of the product changes no result, not even a product of zero.
      FmaMul: z = unpack({sign_product ^ op.negate_addend, 31'b0});
      FmaFma: z = unpack(c);
      FmaNone: z = '0;  // AssertOperation of ingot_fpu
    endcase
    r.sign_addend = z.sign ^ op.negate_addend;

    product_inf = x.is_inf || y.is_inf;
    inf_times_zero = (x.is_inf && y.sig == '0) || (x.sig == '0 && y.is_inf);
    r.x.rm = rm;
    // Infinity times zero is invalid, even with a quiet NaN as addend.
    // FAULT(fma_zero_inf_quiet, special_value): x.is_snan || y.is_snan || z.is_snan ||
    //     (inf_times_zero && !z.is_nan)
    r.x.invalid = x.is_snan || y.is_snan || z.is_snan || inf_times_zero;
    r.x.nan = x.is_nan || y.is_nan || z.is_nan || inf_times_zero;
    if (!r.x.nan && product_inf && z.is_inf && sign_product != r.sign_addend) begin
      r.x.nan = 1'b1;
      r.x.invalid = 1'b1;
    end
    r.x.inf = product_inf || z.is_inf;
    r.x.sign = z.is_inf && !product_inf ? r.sign_addend : sign_product;

    // The top bit of the product, 26 below the top of the window, has the weight 2^(exp_x + exp_y - 126 -
    // 127).
    exp_product = $signed({3'b0, x.exp}) + $signed({3'b0, y.exp}) - 11'sd100;
    if (x.sig == '0 || y.sig == '0 || exp_product < $signed({3'b0, z.exp})) r.x.exp = {2'b0, z.exp};
    else r.x.exp = exp_product[9:0];
    distance = r.x.exp - {2'b0, z.exp};
    wide = {z.sig, 77'b0} >> (distance > 10'd77 ? 7'd77 : distance[6:0]);
    r.addend = wide[100:24];
    // FAULT(fma_addend_sticky, rounding): r.addend[0]
    r.addend[0] |= wide[23:0] != '0;
    r.product = {24'b0, x.sig} * {24'b0, y.sig};
    return r;
  endfunction

  function automatic summed_t add(aligned_t in);
    summed_t r;
    logic [76:0] product;
    logic subtract;
    r.x = in.x;
    product = {26'b0, in.product, 3'b0};
    subtract = in.x.sign != in.sign_addend;
    if (!subtract) r.sum = product + in.addend;
    else if (product >= in.addend) r.sum = product - in.addend;
    else r.sum = in.addend - product;
    if (!in.x.inf && subtract) begin
      // An exact zero is positive, except when rounding down.
      // FAULT(fma_zero_sign, special_value): 1'b0
      if (product == in.addend) r.x.sign = in.x.rm == RmRdn;
      else if (product < in.addend) r.x.sign = in.sign_addend;
    end
    return r;
  endfunction

  function automatic normalised_t normalise_sum(summed_t in);
    normalised_t r;
    logic [76:0] sum;
    logic [9:0] room;
    r.x = in.x;
    sum = in.sum;
    room = in.x.exp - 10'd1;
    for (int k = 6; k >= 0; k--) begin
      if ((sum >> (77 - (1 << k))) == '0 && room >= 10'(1 << k)) begin
        sum <<= 1 << k;
        room -= 10'(1 << k);
      end
    end
    r.x.exp = in.sum == '0 ? 10'd1 : room + 10'd1;
    // FAULT(fma_low_product, rounding): {sum[76:51], sum[50:24] != '0}
    r.sig = {sum[76:51], sum[50:0] != '0};
    return r;
  endfunction

  function automatic fp_result_t round(normalised_t in);
    fp_result_t r;
    r = round_pack(in.x.rm, in.x.sign, $signed(in.x.exp), in.sig);
    if (in.x.nan || in.x.inf) begin
      r.value = in.x.nan ? FpNan : {in.x.sign, FpInf};
      r.flags = '0;
      r.flags.nv = in.x.invalid;
    end
    return r;
  endfunction

  always_ff @(posedge clk_i) begin
    if (advance_i[0]) aligned_q <= align(op_i, rm_i, a_i, b_i, c_i);
    if (advance_i[1]) summed_q <= add(aligned_q);
    if (advance_i[2]) normalised_q <= normalise_sum(summed_q);
    if (advance_i[3]) result_o <= round(normalised_q);
  end

endmodule
