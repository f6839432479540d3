// The special functions of profile public. NUM_PIPE lanes execute one operation at a time, in passes: group
// by group, of packed operands first all lower halves and then the upper ones. A pass is done when its
// slowest active lane is. Reciprocals and square roots are exact IEEE operations, by the divider's lane; the
// others are ingot_fp_special's.
module ingot_special
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_PIPE = 4,  // Divides NUM_THREAD
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned Groups = NUM_THREAD / NUM_PIPE,
  localparam int unsigned GroupW = index_width(Groups),
  localparam int unsigned LaneW = index_width(NUM_THREAD)
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
  logic upper_q;  // A pass of upper halves
  logic [GroupW-1:0] group_q;
  logic offered_q;
  special_ctrl_t ctrl_q;
  logic [NUM_THREAD-1:0][31:0] a_q;
  logic packed_q, divides, pass_done, last_group, last_pass;
  rm_e rm;
  logic [NUM_PIPE-1:0] special_done, div_done;
  fp_result_t [NUM_PIPE-1:0] special, quotient;

  assign packed_q = ctrl_q.format != FormatF32;
  assign divides = ctrl_q.func inside {SpecialRcp, SpecialSqrt};
  // FAULT(special_rounded_twice, rounding): RmRne
  assign rm = packed_q ? RmOdd : RmRne;
  assign pass_done = running_q && !start_q && special_done == '1 && div_done == '1;
  // FAULT(special_last_group, lanes_bytes): Groups == 1 || group_q == GroupW'(Groups - 2)
  assign last_group = group_q == GroupW'(Groups - 1);
  assign last_pass = last_group && (!packed_q || upper_q);
  assign ready_o = !busy_q;
  assign valid_o = offered_q;

  function automatic logic [LaneW-1:0] lane_of(logic [GroupW-1:0] group, int pipe);
    return LaneW'(int'(group) * NUM_PIPE + pipe);
  endfunction

  for (genvar p = 0; p < int'(NUM_PIPE); p++) begin : gen_pipe
    logic active;
    logic [31:0] operand, a;
    assign active = mask_o[lane_of(group_q, p)];
    assign operand = a_q[lane_of(group_q, p)];
    // FAULT(special_lower_twice, lanes_bytes): packed_q ? widen(ctrl_q.format, operand[15:0]) : operand
    assign a = packed_q ? widen(ctrl_q.format, upper_q ? operand[31:16] : operand[15:0]) : operand;
    ingot_fp_special u_special (
      .clk_i,
      .rst_ni,
      .start_i   (start_q && !divides && active),
      .function_i(ctrl_q.func),
      .rm_i      (rm),
      .a_i       (a),
      .done_o    (special_done[p]),
      .result_o  (special[p])
    );
    ingot_fp_divsqrt u_divsqrt (
      .clk_i,
      .rst_ni,
      .start_i (start_q && divides && active),
      .sqrt_i  (ctrl_q.func == SpecialSqrt),
      .rm_i    (rm),
      .a_i     (ctrl_q.func == SpecialSqrt ? a : One),
      .b_i     (a),
      .done_o  (div_done[p]),
      .result_o(quotient[p])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      running_q <= 1'b0;
      start_q <= 1'b0;
      offered_q <= 1'b0;
    end else begin
      start_q <= valid_i || (pass_done && !last_pass);
      if (reserve_i) busy_q <= 1'b1;
      if (valid_i) running_q <= 1'b1;
      else if (pass_done && last_pass) begin
        running_q <= 1'b0;
        offered_q <= 1'b1;
      end
      if (valid_o && ready_i) begin
        busy_q <= 1'b0;
        offered_q <= 1'b0;
      end
    end
  end

  // The results of a pass.
  fp_result_t [NUM_PIPE-1:0] result;
  fflags_t pass_flags;
  always_comb begin
    pass_flags = '0;
    for (int p = 0; p < int'(NUM_PIPE); p++) begin
      fp_result_t exact;
      exact = divides ? quotient[p] : special[p];
      result[p] = exact;
      if (packed_q) begin
        result[p] = narrow(ctrl_q.format, exact.value);
        result[p].flags.nv |= exact.flags.nv;
        result[p].flags.dz = exact.flags.dz;
      end
      // FAULT(special_flags_masked, mask): pass_flags |= result[p].flags;
      if (mask_o[lane_of(group_q, p)]) pass_flags |= result[p].flags;
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
      group_q <= '0;
      fflags_o <= '0;
    end else if (pass_done) begin
      group_q <= last_group ? '0 : group_q + 1'b1;
      upper_q <= upper_q || last_group;
      // FAULT(special_flags_last_pass, lost_event): pass_flags
      fflags_o <= fflags_o | pass_flags;
      for (int p = 0; p < int'(NUM_PIPE); p++) begin
        if (!packed_q) data_o[lane_of(group_q, p)] <= result[p].value;
        else if (upper_q) data_o[lane_of(group_q, p)][31:16] <= result[p].value[15:0];
        else data_o[lane_of(group_q, p)][15:0] <= result[p].value[15:0];
      end
    end
  end

  AssertOneAtATime :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> busy_q && !running_q && !offered_q);
  // A result is offered until it is taken.
  AssertHeld :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i |=> valid_o && $stable(data_o));

endmodule
