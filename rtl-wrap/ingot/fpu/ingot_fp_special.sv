// Special functions of one lane: 2^x, log2 x, 1 / sqrt(x), sin, cos, tanh, gelu and silu, by a program of
// steps, one a cycle, on numbers with significands of 40 bits (ingot_special_pkg).
//
// What needs no program is done at the start: zeros, infinities, NaNs, the exponent of x, the quadrant of an
// angle. Before the last rounding the result is off by less than 2^-9 of a last place of binary32, so that it
// is the correctly rounded one or a neighbour (1 ulp). Flags are exact: NX for every result that is not
// exact, OF and UF by the significand before rounding.
module ingot_fp_special
  import ingot_fp_pkg::*;
  import ingot_special_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  special_e    function_i,  // Not SpecialRcp, SpecialSqrt: those are quotients and roots
  input  rm_e         rm_i,  // RmOdd for a result that is rounded once more
  input  logic [31:0] a_i,
  output logic        done_o,  // The result is valid from done until the next start
  output fp_result_t  result_o
);

  localparam logic [31:0] OneF32 = 32'h3f800000;
  // Fraction bits of 2 / pi.
  localparam logic [255:0] TwoOverPi =
      256'ha2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561;

  typedef struct packed {
    logic is_special;
    fp_result_t special;
    rm_e rm;
    logic exact;
    logic negate;  // The result of the program
    logic negative;  // The operand
  } setup_t;

  typedef struct packed {
    setup_t setup;
    logic [6:0] at;
    logic signed [10:0] n;
    number_t x;
  } begin_t;

  // Of x 2 / pi = n + t with t from -1/2 to 1/2, for |x| from 1/2 on: n modulo 4. The bits of 2 / pi that
  // make multiples of 4 are left out.
  typedef struct packed {
    logic [1:0] n;
    number_t t;
  } quadrant_t;
  function automatic quadrant_t quadrant(logic [23:0] sig, logic signed [9:0] exp);
    quadrant_t r;
    logic [7:0] skipped;
    logic [119:0] window;
    logic [143:0] product;
    logic [117:0] fraction;
    skipped = exp > 10'sd25 ? 8'(exp - 10'sd25) : '0;
    // FAULT(sin_window, arithmetic): 120'((TwoOverPi << {skipped[7:1], 1'b0}) >> 136)
    window = 120'((TwoOverPi << skipped) >> 136);
    product = {120'b0, sig} * {24'b0, window};
    if (exp < 10'sd25) product = product >> (10'sd25 - exp);
    r.n = product[119:118] + {1'b0, product[117]};
    fraction = product[117] ? -product[117:0] : product[117:0];
    r.t.sign = product[117];
    r.t.exp = -12'sd1;
    for (int k = 6; k >= 0; k--) begin
      if ((fraction >> (118 - (1 << k))) == '0) begin
        fraction <<= 1 << k;
        r.t.exp -= 12'(1 << k);
      end
    end
    r.t.sig = fraction[117:78];
    return r;
  endfunction

  function automatic begin_t set_up(special_e f, rm_e rm, logic [31:0] a);
    begin_t r;
    operand_t o;
    normal_t m;
    logic signed [9:0] exp;
    quadrant_t q;
    logic root_of_two;  // The significand is more than sqrt(2)
    o = unpack(a);
    m = normalise(o.exp, o.sig);
    exp = m.exp - 10'sd127;
    q = quadrant(m.sig, exp);
    r = '0;
    r.setup.rm = rm;
    r.setup.negative = o.sign;
    r.setup.special.value = FpNan;
    r.x = '{sign: o.sign, exp: 12'(exp), sig: {m.sig, 16'b0}};
    root_of_two = m.sig > 24'hb504f3;

    if (o.is_nan) begin
      r.setup.is_special = 1'b1;
      r.setup.special.flags.nv = o.is_snan;
    end else if (o.is_inf || o.sig == '0) begin
      r.setup.is_special = 1'b1;
      unique case (f)
        SpecialEx2: r.setup.special.value = !o.is_inf ? OneF32 : o.sign ? '0 : {1'b0, FpInf};
        SpecialLg2: begin
          r.setup.special.flags.nv = o.is_inf && o.sign;
          // FAULT(lg2_zero_quiet, special_value): 1'b0
          r.setup.special.flags.dz = !o.is_inf;
          if (!o.is_inf) r.setup.special.value = {1'b1, FpInf};
          else if (!o.sign) r.setup.special.value = {1'b0, FpInf};
        end
        SpecialRsqrt: begin
          r.setup.special.flags.nv = o.is_inf && o.sign;
          r.setup.special.flags.dz = !o.is_inf;
          if (!o.is_inf) r.setup.special.value = {o.sign, FpInf};
          else if (!o.sign) r.setup.special.value = '0;
        end
        SpecialSin, SpecialCos: begin
          r.setup.special.flags.nv = o.is_inf;
          if (!o.is_inf) r.setup.special.value = f == SpecialCos ? OneF32 : a;
        end
        SpecialTanh: r.setup.special.value = {o.sign, o.is_inf ? OneF32[30:0] : 31'b0};
        // Gelu and silu of minus infinity are -0.
        // FAULT(silu_minus_inf_nan, special_value): o.is_inf && o.sign ? FpNan : a
        default: r.setup.special.value = o.is_inf && o.sign ? 32'h80000000 : a;
      endcase
    end else begin
      unique case (f)
        SpecialEx2: begin
          r.at = AtEx2;
          // An integer.
          r.setup.exact = exp >= 10'sd23 || (exp >= 10'sd0 && 23'(m.sig << exp[4:0]) == '0);
        end
        SpecialLg2: begin
          r.at = AtLg2;
          r.setup.is_special = o.sign;
          r.setup.special.flags.nv = o.sign;
          r.x.exp = root_of_two ? -12'sd1 : 12'sd0;
          r.n = 11'(exp) + 11'(root_of_two);
          r.setup.exact = m.sig[22:0] == '0;
          if (a == OneF32) begin
            r.setup.is_special = 1'b1;
            r.setup.special.value = '0;
          end
        end
        SpecialRsqrt: begin
          r.at = AtRsqrt;
          r.setup.is_special = o.sign;
          r.setup.special.flags.nv = o.sign;
          // FAULT(rsqrt_parity, arithmetic): 12'sd0
          r.x.exp = 12'(exp[0]);
          r.n = 11'(exp);
          r.n = -(r.n >>> 1);
          if (m.sig[22:0] == '0 && !exp[0] && !o.sign) begin  // A power of 4
            r.setup.is_special = 1'b1;
            r.setup.special.value = {1'b0, 8'(10'sd127 - (exp >>> 1)), 23'b0};
          end
        end
        SpecialSin, SpecialCos: begin
          logic cosine;
          cosine = f == SpecialCos;
          if (exp >= -10'sd1) begin
            r.at = cosine ^ q.n[0] ? AtCos : AtSin;
            // A sine is negative in the second half of the turn, a cosine in the middle of it. sin(-x) is
            // -sin(x).
            // FAULT(cos_sign, arithmetic): q.n[1] ^ (o.sign && !cosine)
            r.setup.negate = q.n[1] ^ (cosine ? q.n[0] : o.sign);
            r.x = q.t;
          end else begin
            r.at = cosine ? AtCosSmall : AtSinSmall;
          end
        end
        SpecialTanh: begin
          r.at = exp < -10'sd2 ? AtTanhSmall : AtTanh;
          r.setup.negate = r.at == AtTanh && o.sign;
        end
        SpecialGelu: r.at = AtGelu;
        default: r.at = AtSilu;
      endcase
    end
    return r;
  endfunction

  // ---- steps ----

  localparam int unsigned NumR = 6;

  logic busy_q, more_q;  // More: within a polynomial
  setup_t setup_q;
  logic [6:0] at_q;
  logic [5:0] coefficient_q;
  logic signed [10:0] n_q;
  number_t r_q[NumR];

  step_t step;
  /* verilator lint_off UNUSEDSIGNAL */
  step_t next_step;  // Its polynomial counts
  /* verilator lint_on UNUSEDSIGNAL */
  number_t a, b, c, product, outcome;
  logic signed [10:0] n;
  assign step = step_at(at_q);
  assign next_step = step_at(at_q + 1'b1);
  assign done_o = !busy_q;

  always_comb begin
    a = step.a < Zero ? r_q[step.a[2:0]] : constant(step.a);
    b = step.b < Zero ? r_q[step.b[2:0]] : constant(step.b);
    c = step.c < Zero ? r_q[step.c[2:0]] : constant(step.c);
    if (step.kind == Poly) begin
      // Two terms more from the right in each cycle.
      b = more_q ? r_q[step.d[2:0]] : Nothing;
      // FAULT(poly_coefficients_swapped, arithmetic): Coefficients[coefficient_q ^ 6'd1]
      c = Coefficients[coefficient_q];
    end
    product = multiply(a, b);
    // FAULT(newton_sign, arithmetic): product.sign
    product.sign ^= step.minus;
  end

  // The integer next to a, and what is left. From 2^10 on any large number will do, and no rest.
  logic [49:0] fixed;  // 40 fraction bits
  logic [9:0] whole;
  always_comb begin
    fixed = a.exp < -12'sd1 ? '0 : {10'b0, a.sig} << (a.exp + 12'sd1);
    whole = fixed[49:40] + 10'(fixed[39]);
    n = n_q;
    unique case (step.kind)
      Fma, Poly: outcome = sum(product, c);
      Split: begin
        if (a.exp >= 12'sd9) begin
          n = a.sign ? -11'sd1000 : 11'sd1000;
          outcome = Nothing;
        end else begin
          // FAULT(split_sign, arithmetic): $signed({1'b0, whole})
          n = a.sign ? -$signed({1'b0, whole}) : $signed({1'b0, whole});
          outcome = a.exp < -12'sd1 ? a
              : normal(a.sign ^ fixed[39], 12'sd7, {9'b0, fixed[39] ? -fixed[39:0] : fixed[39:0]});
        end
      end
      Scale: begin
        outcome = a;
        outcome.exp = a.exp + 12'(n_q);
      end
      AddN: outcome = sum(a, from_integer(n_q));
      Negative: begin
        outcome = a;
        outcome.sign = 1'b1;
      end
      Seed: outcome = '{sign: 1'b0, exp: -12'sd1 - a.exp, sig: {1'b1, Rec7[a.sig[38:32]], 32'b0}};
      SeedRoot: outcome = '{sign: 1'b0, exp: -12'sd1, sig: {1'b1, Rsqrt7[{!a.exp[0], a.sig[38:33]}], 32'b0}};
      default: outcome = a;
    endcase
  end

  // Exponents beyond all formats are equal.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic fp_result_t round(setup_t s, number_t r);
    /* verilator lint_on UNUSEDSIGNAL */
    logic signed [9:0] exp;
    if (s.is_special) return s.special;
    exp = r.exp > 12'sd300 ? 10'sd300 : r.exp < -12'sd300 ? -10'sd300 : 10'(r.exp);
    // FAULT(special_exact, rounding): shift_round_pack(s.rm, r.sign ^ s.negate, exp + 10'sd127,
    //     {r.sig[39:14], r.sig[13:0] != '0})
    return shift_round_pack(s.rm, r.sign ^ s.negate, exp + 10'sd127,
                            {r.sig[39:14], r.sig[13:0] != '0 || !s.exact});
  endfunction

  logic finished;
  assign finished = setup_q.is_special || step.kind == Done;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else if (start_i) busy_q <= 1'b1;
    else if (finished) busy_q <= 1'b0;
  end

  begin_t beginning;
  assign beginning = start_i ? set_up(function_i, rm_i, a_i) : '0;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      setup_q <= beginning.setup;
      at_q <= beginning.at;
      n_q <= beginning.n;
      r_q[0] <= beginning.x;
      r_q[1] <= beginning.x;
      more_q <= 1'b0;
      coefficient_q <= '0;
    end else if (busy_q && finished) begin
      result_o <= round(setup_q, r_q[0]);
    end else if (busy_q) begin
      n_q <= n;
      if (!step.if_negative || setup_q.negative) r_q[step.d[2:0]] <= outcome;
      more_q <= step.kind == Poly && coefficient_q != last_of(step.poly);
      if (step.kind == Poly && coefficient_q != last_of(step.poly)) begin
        coefficient_q <= coefficient_q + 1'b1;
      end else begin
        at_q <= at_q + 1'b1;
        coefficient_q <= first_of(next_step.poly);
      end
    end
  end

endmodule
