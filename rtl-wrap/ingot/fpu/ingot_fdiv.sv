// Floating-point divide and square root: one operation at a time, all lanes in parallel. An operation is done
// when its slowest active lane is done (ingot_fp_divsqrt: 2 to 15 cycles).
module ingot_fdiv
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
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
  input  fdiv_ctrl_t                  ctrl_i,
  input  rm_e                         rm_i,
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0][31:0] a_i,
  input  logic [NUM_THREAD-1:0][31:0] b_i,
  // Result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o,
  output fflags_t                     fflags_o  // Of the active lanes
);

  logic busy_q;  // From issue until the result is taken
  logic running_q;  // From the operation until the result is taken
  logic [NUM_THREAD-1:0] done;
  fp_result_t [NUM_THREAD-1:0] result;

  // FAULT(fdiv_ready_early, timing): !running_q
  assign ready_o = !busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      running_q <= 1'b0;
    end else begin
      if (reserve_i) busy_q <= 1'b1;
      if (valid_i) running_q <= 1'b1;
      if (valid_o && ready_i) begin
        busy_q <= 1'b0;
        running_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      warp_o <= warp_i;
      dest_o <= dest_i;
      mask_o <= active_i;
    end
  end

  for (genvar l = 0; l < int'(NUM_THREAD); l++) begin : gen_lane
    ingot_fp_divsqrt u_divsqrt (
      .clk_i,
      .rst_ni,
      .start_i (valid_i && active_i[l]),
      .sqrt_i  (ctrl_i.sqrt),
      .rm_i,
      .a_i     (ctrl_i.reverse ? b_i[l] : a_i[l]),
      // FAULT(fdiv_reverse, operand): b_i[l]
      .b_i     (ctrl_i.reverse ? a_i[l] : b_i[l]),
      .done_o  (done[l]),
      .result_o(result[l])
    );
  end

  // FAULT(fdiv_first_done, timing): running_q && (mask_o == '0 || (done & mask_o) != '0)
  assign valid_o = running_q && done == '1;
  always_comb begin
    fflags_o = '0;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      data_o[l] = result[l].value;
      // FAULT(fdiv_stale_flags, mask): fflags_o |= result[l].flags;
      if (mask_o[l]) fflags_o |= result[l].flags;
    end
  end

  AssertOneAtATime :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> busy_q && !running_q);
  AssertLanesIdle :
  assert property (@(posedge clk_i) disable iff (!rst_ni) !running_q |-> done == '1);
  // A result is offered until it is taken.
  AssertHeld :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i |=> valid_o && $stable(data_o));
  AssertRoundingMode :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> rm_i <= RmRmm);

endmodule
