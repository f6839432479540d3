// The special functions of profile public: one operation at a time, all lanes in parallel, of packed operands
// the lower halves and then the upper ones. A pass is done when its slowest active lane is. Reciprocals and
// square roots are exact IEEE operations, by the divider's lane; the others are ingot_fp_special's.
module ingot_special
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
  input  special_ctrl_t               ctrl_i,
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0][31:0] a_i,
  // Result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o,
  output fflags_t                     fflags_o  // Of the active lanes
);

  localparam logic [31:0] One = 32'h3f800000;

  logic busy_q;  // From issue until the result is taken
  logic running_q;  // From the operation until its last pass is done
  logic start_q;  // A pass begins
  logic upper_q;  // The pass of the upper halves
  logic offered_q;
  special_ctrl_t ctrl_q;
  logic [NUM_THREAD-1:0][31:0] a_q;
  logic packed_q, divides, last;
  rm_e rm;
  logic [NUM_THREAD-1:0] special_done, div_done;
  fp_result_t [NUM_THREAD-1:0] special, quotient;

  assign packed_q = ctrl_q.format != FormatF32;
  assign divides = ctrl_q.func inside {SpecialRcp, SpecialSqrt};
  // FAULT(special_rounded_twice, rounding): RmRne
  assign rm = packed_q ? RmOdd : RmRne;
  assign last = running_q && !start_q && special_done == '1 && div_done == '1;
  assign ready_o = !busy_q;
  assign valid_o = offered_q;

  for (genvar l = 0; l < int'(NUM_THREAD); l++) begin : gen_lane
    logic [31:0] a;
    // FAULT(special_lower_twice, lanes_bytes): packed_q ? widen(ctrl_q.format, a_q[l][15:0]) : a_q[l]
    assign a = packed_q ? widen(ctrl_q.format, upper_q ? a_q[l][31:16] : a_q[l][15:0]) : a_q[l];
    ingot_fp_special u_special (
      .clk_i,
      .rst_ni,
      .start_i   (start_q && !divides && mask_o[l]),
      .function_i(ctrl_q.func),
      .rm_i      (rm),
      .a_i       (a),
      .done_o    (special_done[l]),
      .result_o  (special[l])
    );
    ingot_fp_divsqrt u_divsqrt (
      .clk_i,
      .rst_ni,
      .start_i (start_q && divides && mask_o[l]),
      .sqrt_i  (ctrl_q.func == SpecialSqrt),
      .rm_i    (rm),
      .a_i     (ctrl_q.func == SpecialSqrt ? a : One),
      .b_i     (a),
      .done_o  (div_done[l]),
      .result_o(quotient[l])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      running_q <= 1'b0;
      start_q <= 1'b0;
      offered_q <= 1'b0;
    end else begin
      start_q <= valid_i || (last && packed_q && !upper_q);
      if (reserve_i) busy_q <= 1'b1;
      if (valid_i) running_q <= 1'b1;
      else if (last && (!packed_q || upper_q)) begin
        running_q <= 1'b0;
        offered_q <= 1'b1;
      end
      if (valid_o && ready_i) begin
        busy_q <= 1'b0;
        offered_q <= 1'b0;
      end
    end
  end

  // The result of a lane's pass.
  fp_result_t [NUM_THREAD-1:0] result;
  fflags_t pass_flags;
  always_comb begin
    pass_flags = '0;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      fp_result_t exact;
      exact = divides ? quotient[l] : special[l];
      result[l] = exact;
      if (packed_q) begin
        result[l] = narrow(ctrl_q.format, exact.value);
        result[l].flags.nv |= exact.flags.nv;
        result[l].flags.dz = exact.flags.dz;
      end
      // FAULT(special_flags_masked, mask): pass_flags |= result[l].flags;
      if (mask_o[l]) pass_flags |= result[l].flags;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      warp_o <= warp_i;
      dest_o <= dest_i;
      mask_o <= active_i;
      ctrl_q <= ctrl_i;
      a_q <= a_i;
      upper_q <= 1'b0;
      fflags_o <= '0;
    end else if (last) begin
      upper_q <= 1'b1;
      // FAULT(special_flags_upper, lost_event): pass_flags
      fflags_o <= fflags_o | pass_flags;
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        if (!packed_q) data_o[l] <= result[l].value;
        else if (upper_q) data_o[l][31:16] <= result[l].value[15:0];
        else data_o[l][15:0] <= result[l].value[15:0];
      end
    end
  end

  AssertOneAtATime :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> busy_q && !running_q && !offered_q);
  // A result is offered until it is taken.
  AssertHeld :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i |=> valid_o && $stable(data_o));

endmodule
