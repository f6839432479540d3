// Workgroup barriers: when all warps of a workgroup have arrived, all continue.
module ingot_barrier
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,  // Warp slots, and also workgroup slots
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned CountW = $clog2(NUM_WARP + 1)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            arrive_i,
  input  logic [WarpW-1:0]                warp_i,
  input  logic [WarpW-1:0]                wg_slot_i,
  input  logic [NUM_WARP-1:0][CountW-1:0] wg_warps_i,  // Warps of the workgroup in each slot
  output logic [NUM_WARP-1:0]             release_o
);

  logic [NUM_WARP-1:0][NUM_WARP-1:0] waiting_q;  // For each workgroup slot: the warps that have arrived
  logic full;
  logic [WarpW-1:0] full_slot;

  always_comb begin
    full = 1'b0;
    full_slot = '0;
    release_o = '0;
    for (int g = 0; g < int'(NUM_WARP); g++) begin
      // FAULT(barrier_early, sync): waiting_q[g] != '0 && $countones(waiting_q[g]) + 1 >= 32'(wg_warps_i[g])
      if (waiting_q[g] != '0 && $countones(waiting_q[g]) == 32'(wg_warps_i[g])) begin
        full = 1'b1;
        full_slot = WarpW'(g);
        release_o = waiting_q[g];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= '0;
    end else begin
      if (full) waiting_q[full_slot] <= '0;
      // FAULT(barrier_one_group, lost_event): waiting_q == '0 || waiting_q[wg_slot_i] != '0
      if (arrive_i) waiting_q[wg_slot_i][warp_i] <= 1'b1;
    end
  end

  AssertArriveOnce :
  assert property (@(posedge clk_i) disable iff (!rst_ni) arrive_i |-> !waiting_q[wg_slot_i][warp_i]);

endmodule
