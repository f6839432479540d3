// The special function unit: e^x. NUM_PIPE pipelines execute the lanes in groups, one operation at a time,
// without the groups that have no active lane. Seven cycles, and one more for each group after the first.
module ingot_sfu
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_PIPE = 4,  // Divides NUM_THREAD
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned Groups = NUM_THREAD / NUM_PIPE,
  localparam int unsigned GroupW = index_width(Groups)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        ready_o,
  input  logic                        reserve_i,
  // Operation
  input  logic                        valid_i,
  input  logic [WarpW-1:0]            warp_i,
  input  dest_t                       dest_i,
  input  rm_e                         rm_i,
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

  localparam int unsigned Stages = 5;

  logic busy_q;  // From issue until the result is taken
  logic running_q;  // From the operation until the result is taken
  rm_e rm_q;
  logic [NUM_THREAD-1:0][31:0] a_q;
  logic [Groups-1:0] pending_q, active;  // Groups that remain; groups with an active lane
  logic [GroupW-1:0] group;
  logic [Stages-1:0] valid_q;  // Groups in the stages of the pipelines; the last one is done
  logic [GroupW-1:0] group_q[Stages];
  fp_result_t [NUM_PIPE-1:0] result;
  fflags_t group_flags;

  assign ready_o = !busy_q;
  // FAULT(sfu_valid_early, timing): running_q && pending_q == '0 && valid_q[Stages-2:0] == '0
  assign valid_o = running_q && pending_q == '0 && valid_q == '0;

  always_comb begin
    for (int g = 0; g < int'(Groups); g++) active[g] = |active_i[g*NUM_PIPE+:NUM_PIPE];
    group = '0;
    for (int g = int'(Groups) - 1; g >= 0; g--) if (pending_q[g]) group = GroupW'(g);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      running_q <= 1'b0;
      pending_q <= '0;
      valid_q <= '0;
    end else begin
      if (reserve_i) busy_q <= 1'b1;
      if (valid_i) begin
        running_q <= 1'b1;
        // FAULT(sfu_last_group, lanes_bytes): active & ~(active & (active - 1'b1))
        pending_q <= active;
      end else begin
        pending_q[group] <= 1'b0;
      end
      valid_q <= {valid_q[Stages-2:0], |pending_q};
      if (valid_o && ready_i) begin
        busy_q <= 1'b0;
        running_q <= 1'b0;
      end
    end
  end

  for (genvar p = 0; p < int'(NUM_PIPE); p++) begin : gen_pipe
    ingot_fp_exp u_exp (
      .clk_i,
      .advance_i({valid_q[Stages-2:0], |pending_q}),
      // FAULT(sfu_rounding_now, stale_state): rm_i
      .rm_i     (rm_q),
      .a_i      (a_q[int'(group)*NUM_PIPE+p]),
      .result_o (result[p])
    );
  end

  always_comb begin
    group_flags = '0;
    for (int p = 0; p < int'(NUM_PIPE); p++) begin
      // FAULT(sfu_flags_group0, mask): if (mask_o[p]) group_flags |= result[p].flags;
      if (mask_o[int'(group_q[Stages-1])*NUM_PIPE+p]) group_flags |= result[p].flags;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      warp_o <= warp_i;
      dest_o <= dest_i;
      mask_o <= active_i;
      // FAULT(sfu_truncates, rounding): RmRtz
      rm_q <= rm_i;
      a_q <= a_i;
      fflags_o <= '0;
    end else if (valid_q[Stages-1]) begin
      for (int p = 0; p < int'(NUM_PIPE); p++) begin
        data_o[int'(group_q[Stages-1])*NUM_PIPE+p] <= result[p].value;
      end
      fflags_o <= fflags_o | group_flags;
    end
    group_q[0] <= group;
    for (int s = 1; s < int'(Stages); s++) group_q[s] <= group_q[s-1];
  end

  AssertOneAtATime :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i |-> busy_q && !running_q && pending_q == '0);
  // A result is offered until it is taken.
  AssertHeld :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i |=> valid_o && $stable(data_o));
  AssertRoundingMode :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> rm_i <= RmRmm);

endmodule
