// The divider: one operation at a time, all lanes in parallel, one quotient bit a cycle. Leading zeros that
// all active dividends share are skipped, so that the latency depends on the data: 2 to 34 cycles.
module ingot_div
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
  input  div_ctrl_t                   ctrl_i,
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0][31:0] a_i,
  input  logic [NUM_THREAD-1:0][31:0] b_i,
  // Result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o
);

  logic busy_q;  // From issue until the result is taken
  logic running_q;
  logic done_q;
  logic [5:0] left_q;  // Quotient bits that remain
  logic remainder_op_q;
  logic [NUM_THREAD-1:0] negative_q;  // The result is to be negated
  logic [NUM_THREAD-1:0][31:0] dividend_q, divisor_q, remainder_q, quotient_q;
  logic [NUM_THREAD-1:0] a_negative, b_negative;
  logic [31:0] all_bits;  // OR of all active dividends
  logic [5:0] bits;  // Without leading zeros

  assign ready_o = !busy_q;

  function automatic logic [31:0] magnitude(logic negative, logic [31:0] value);
    return negative ? -value : value;
  endfunction

  always_comb begin
    all_bits = '0;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      a_negative[l] = ctrl_i.is_signed && a_i[l][31];
      b_negative[l] = ctrl_i.is_signed && b_i[l][31];
      // FAULT(div_skip_lane0, lanes_bytes): if (l == 0) all_bits |= magnitude(a_negative[l], a_i[l]);
      if (active_i[l]) all_bits |= magnitude(a_negative[l], a_i[l]);
    end
    bits = '0;
    for (int i = 0; i < 32; i++) if (all_bits[i]) bits = 6'(i) + 6'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      running_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      if (reserve_i) busy_q <= 1'b1;
      if (valid_i) begin
        running_q <= bits != '0;
        done_q <= bits == '0;
      end else if (running_q && left_q == 6'd1) begin
        running_q <= 1'b0;
        done_q <= 1'b1;
      end
      if (valid_o && ready_i) begin
        busy_q <= 1'b0;
        done_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      warp_o <= warp_i;
      dest_o <= dest_i;
      mask_o <= active_i;
      left_q <= bits;
      remainder_op_q <= ctrl_i.remainder;
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        // Left-aligned, so that the remaining bits are shifted out first.
        dividend_q[l] <= magnitude(a_negative[l], a_i[l]) << (6'd32 - bits);
        divisor_q[l] <= magnitude(b_negative[l], b_i[l]);
        remainder_q[l] <= '0;
        quotient_q[l] <= '0;
        // Division by zero: a quotient of all ones for either sign, and the dividend as remainder.
        // FAULT(div_rem_sign, arithmetic): ctrl_i.remainder ? a_negative[l] != b_negative[l]
        //     : (a_negative[l] != b_negative[l]) && b_i[l] != '0
        negative_q[l] <= ctrl_i.remainder ? a_negative[l] : (a_negative[l] != b_negative[l]) && b_i[l] != '0;
      end
    end else if (running_q) begin
      left_q <= left_q - 1'b1;
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        logic [32:0] partial;
        partial = {remainder_q[l], dividend_q[l][31]};
        dividend_q[l] <= dividend_q[l] << 1;
        if (partial >= {1'b0, divisor_q[l]}) begin
          remainder_q[l] <= 32'(partial - {1'b0, divisor_q[l]});
          quotient_q[l] <= {quotient_q[l][30:0], 1'b1};
        end else begin
          remainder_q[l] <= partial[31:0];
          quotient_q[l] <= {quotient_q[l][30:0], 1'b0};
        end
      end
    end
  end

  assign valid_o = done_q;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      logic [31:0] value;
      if (remainder_op_q) value = remainder_q[l];
      else value = divisor_q[l] == '0 ? '1 : quotient_q[l];
      data_o[l] = negative_q[l] ? -value : value;
    end
  end

  AssertOneAtATime :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> busy_q && !running_q && !done_q);

endmodule
