// The multiply lanes: multiply, multiply-add of the lower half, multiply fractions.  Pipelined, three cycles.
module ingot_mul
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        ready_o,
  input  logic                        reserve_i,
  // Operation
  input  logic                        valid_i,
  input  logic [WarpW-1:0]            warp_i,
  input  dest_t                       dest_i,
  input  mul_ctrl_t                   ctrl_i,
  input  logic [1:0]                  vxrm_i,
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0][31:0] a_i,
  input  logic [NUM_THREAD-1:0][31:0] b_i,
  input  logic [NUM_THREAD-1:0][31:0] c_i,  // Source 3
  output logic                        saturated_o,  // In a lane that an operation writes
  output logic [WarpW-1:0]            saturated_warp_o,  // The warp of that operation
  // result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o
);

  // First stage: choose operands.
  logic valid1_q;
  logic [WarpW-1:0] warp1_q;
  dest_t dest1_q;
  logic a_signed1_q, b_signed1_q, sum1_q, negate1_q, high1_q, fraction1_q;
  logic [1:0] vxrm1_q;
  logic [NUM_THREAD-1:0] mask1_q;
  logic [NUM_THREAD-1:0][31:0] a1_q, b1_q, add1_q;

  // Second stage: products.
  logic valid2_q;
  logic [WarpW-1:0] warp2_q;
  dest_t dest2_q;
  logic sum2_q, negate2_q, high2_q, fraction2_q;
  logic [1:0] vxrm2_q;
  logic [NUM_THREAD-1:0] mask2_q;
  logic [NUM_THREAD-1:0][63:0] product2_q;
  logic [NUM_THREAD-1:0][31:0] add2_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
    end else begin
      valid1_q <= valid_i;
      valid2_q <= valid1_q;
    end
  end

  function automatic logic [63:0] product(logic a_signed, logic [31:0] a, logic b_signed, logic [31:0] b);
    logic signed [63:0] wide_a, wide_b;
    wide_a = {{32{a_signed && a[31]}}, a};
    wide_b = {{32{b_signed && b[31]}}, b};
    return wide_a * wide_b;
  endfunction

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      warp1_q <= warp_i;
      dest1_q <= dest_i;
      a_signed1_q <= ctrl_i.a_signed;
      b_signed1_q <= ctrl_i.b_signed;
      sum1_q <= ctrl_i.add;
      negate1_q <= ctrl_i.negate;
      high1_q <= ctrl_i.high;
      fraction1_q <= ctrl_i.fraction;
      vxrm1_q <= vxrm_i;
      mask1_q <= active_i;
      a1_q <= ctrl_i.times_src3 ? c_i : a_i;
      b1_q <= b_i;
      // FAULT(vmadd_addend, operand): c_i
      add1_q <= ctrl_i.times_src3 ? a_i : c_i;
    end
    if (valid1_q) begin
      warp2_q <= warp1_q;
      dest2_q <= dest1_q;
      sum2_q <= sum1_q;
      negate2_q <= negate1_q;
      high2_q <= high1_q;
      fraction2_q <= fraction1_q;
      vxrm2_q <= vxrm1_q;
      mask2_q <= mask1_q;
      add2_q <= add1_q;
      for (int l = 0; l < int'(NUM_THREAD); l++)
        product2_q[l] <= product(a_signed1_q, a1_q[l], b_signed1_q, b1_q[l]);
    end
  end

  // Third stage: select and add, into the result queue.
  function automatic logic [31:0] lane_result(logic add, logic negate, logic high, logic [63:0] prod,
                                              logic [31:0] addend);
    if (add) return (negate ? -prod[31:0] : prod[31:0]) + addend;
    return high ? prod[63:32] : prod[31:0];
  endfunction

  // Only -1 * -1 saturates.
  localparam logic [63:0] Two = 64'h4000_0000_0000_0000;
  function automatic logic [31:0] fraction_result(logic [63:0] prod, logic [1:0] vxrm);
    if (prod == Two) return 32'h7fffffff;
    // FAULT(vsmul_truncates, rounding): prod[62:31]
    return prod[62:31] + 32'(round_up(vxrm, prod[31], prod[30], prod[29:0] != '0));
  endfunction

  logic [NUM_THREAD-1:0][31:0] data;
  always_comb begin
    saturated_o = 1'b0;
    saturated_warp_o = warp2_q;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      if (fraction2_q) begin
        // FAULT(vsmul_next_vxrm, hazard): fraction_result(product2_q[l], vxrm1_q)
        data[l] = fraction_result(product2_q[l], vxrm2_q);
        if (valid2_q && mask2_q[l] && product2_q[l] == Two) saturated_o = 1'b1;
      end else begin
        data[l] = lane_result(sum2_q, negate2_q, high2_q, product2_q[l], add2_q[l]);
      end
    end
  end

  ingot_result_fifo #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .DEPTH     (4)
  ) u_results (
    .clk_i,
    .rst_ni,
    .ready_o,
    .reserve_i,
    .push_i(valid2_q),
    .warp_i(warp2_q),
    .dest_i(dest2_q),
    .mask_i(mask2_q),
    .data_i(data),
    .valid_o,
    .ready_i,
    .warp_o,
    .dest_o,
    .mask_o,
    .data_o
  );

  // The forms of a product exclude each other, and only multiply-add has the options of multiply-add.
  AssertOneForm :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i |-> $onehot0({ctrl_i.add, ctrl_i.high, ctrl_i.fraction}));
  AssertAddsOnly :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i && (ctrl_i.negate || ctrl_i.times_src3) |-> ctrl_i.add);

endmodule
