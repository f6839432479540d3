// VFTTA: for every row i and column j of a small matrix product, with N = NUM_THREAD / M,
//
//     vd[i*M + j] += sum over n < N of vs1[i*N + n] * vs2[j*N + n]
//
// One operation at a time, on N multiply-add lanes, in passes over the M * M elements, one element a cycle.
// The first pass computes the N products of each element. The next passes add neighbours: N/2 sums, N/4, ...
// until one is left. The last pass adds vd. So every product and sum is rounded, and the tree is balanced. A
// pass is at least as long as the latency of a lane, so that the next pass has its results: (log2 N + 2)
// passes of 5 or M * M cycles.
module ingot_tensor
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
  input  rm_e                         rm_i,
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0][31:0] a_i,  // Operand vs2
  input  logic [NUM_THREAD-1:0][31:0] b_i,  // Operand vs1
  input  logic [NUM_THREAD-1:0][31:0] c_i,  // Operand vd
  // result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o,
  output fflags_t                     fflags_o  // Of the active lanes
);

  localparam int unsigned LogM = $clog2(NUM_THREAD) / 2;
  localparam int unsigned M = 1 << LogM;
  localparam int unsigned N = NUM_THREAD / M;
  localparam int unsigned Elements = M * M;
  localparam int unsigned Stages = 4;
  localparam int unsigned Slots = Elements > Stages + 1 ? Elements : Stages + 1;  // Cycles of a pass
  localparam int unsigned LastPass = $clog2(N) + 1;
  localparam int unsigned SlotW = $clog2(Slots);
  localparam int unsigned PassW = $clog2(LastPass + 1);
  localparam int unsigned ElementW = $clog2(Elements);
  localparam int unsigned LaneW = $clog2(NUM_THREAD);

  // The place of an element in a pass.
  typedef struct packed {
    logic valid;
    logic [PassW-1:0] pass;
    logic [ElementW-1:0] element;
  } place_t;

  logic busy_q;  // From issue until the result is taken
  logic running_q;  // From the operation until the result is taken
  logic feeding_q;  // Elements are still fed into the lanes
  logic [PassW-1:0] pass_q;
  logic [SlotW-1:0] slot_q;
  rm_e rm_q;
  logic [NUM_THREAD-1:0][31:0] a_q, b_q, c_q;
  place_t feed;
  place_t place_q[Stages];  // In the stages of the lanes; the last one is done
  logic [N-1:0][31:0] partial_q[Elements];  // The terms of each element that are not added yet
  fma_op_t op;
  logic [N-1:0][31:0] lane_a, lane_b;
  fp_result_t [N-1:0] result;
  fflags_t pass_flags;
  logic drained;

  // FAULT(tensor_ready_early, timing): !running_q
  assign ready_o = !busy_q;
  assign valid_o = running_q && !feeding_q && drained;

  always_comb begin
    drained = 1'b1;
    for (int s = 0; s < int'(Stages); s++) if (place_q[s].valid) drained = 1'b0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      running_q <= 1'b0;
      feeding_q <= 1'b0;
      for (int s = 0; s < int'(Stages); s++) place_q[s] <= '0;
    end else begin
      if (reserve_i) busy_q <= 1'b1;
      if (valid_i) begin
        running_q <= 1'b1;
        feeding_q <= 1'b1;
      end else if (pass_q == PassW'(LastPass) && slot_q == SlotW'(Slots - 1)) begin
        feeding_q <= 1'b0;
      end
      if (valid_o && ready_i) begin
        busy_q <= 1'b0;
        running_q <= 1'b0;
      end
      place_q[0] <= feed;
      for (int s = 1; s < int'(Stages); s++) place_q[s] <= place_q[s-1];
    end
  end

  // The operands of the lanes in this cycle.
  assign feed.valid = feeding_q && int'(slot_q) < int'(Elements);
  assign feed.pass = pass_q;
  assign feed.element = ElementW'(slot_q);

  always_comb begin
    logic [LogM-1:0] row, column;
    {row, column} = feed.element;
    op = '{kind: FmaAdd, negate_product: 1'b0, negate_addend: 1'b0};
    lane_a = '0;
    lane_b = '0;
    if (pass_q == '0) begin
      op.kind = FmaMul;
      for (int n = 0; n < int'(N); n++) begin
        // FAULT(tensor_transposed, operand): b_q[int'(column)*N+n]
        lane_a[n] = b_q[int'(row)*N+n];
        lane_b[n] = a_q[int'(column)*N+n];
      end
    end else if (pass_q != PassW'(LastPass)) begin
      for (int n = 0; n < int'(N) / 2; n++) begin
        lane_a[n] = partial_q[feed.element][2*n];
        lane_b[n] = partial_q[feed.element][2*n+1];
      end
    end else begin
      lane_a[0] = c_q[LaneW'(feed.element)];
      lane_b[0] = partial_q[feed.element][0];
    end
  end

  for (genvar n = 0; n < int'(N); n++) begin : gen_lane
    ingot_fp_fma u_fma (
      .clk_i,
      .advance_i({place_q[2].valid, place_q[1].valid, place_q[0].valid, feed.valid}),
      .op_i     (op),
      .rm_i     (rm_q),
      .a_i      (lane_a[n]),
      .b_i      (lane_b[n]),
      .c_i      ('0),
      .result_o (result[n])
    );
  end

  // Each pass uses half as many lanes as the pass before it.
  always_comb begin
    pass_flags = '0;
    for (int n = 0; n < int'(N); n++) begin
      // FAULT(tensor_flags_lane0, lanes_bytes): if (n == 0) pass_flags |= result[n].flags;
      if (n == 0 || n < (int'(N) >> place_q[Stages-1].pass)) pass_flags |= result[n].flags;
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      warp_o <= warp_i;
      dest_o <= dest_i;
      // FAULT(tensor_mask_all, mask): active_i
      mask_o <= active_i & NUM_THREAD'((64'd1 << Elements) - 64'd1);
      rm_q <= rm_i;
      a_q <= a_i;
      b_q <= b_i;
      c_q <= c_i;
      fflags_o <= '0;
      pass_q <= '0;
      slot_q <= '0;
    end else begin
      if (slot_q == SlotW'(Slots - 1)) begin
        slot_q <= '0;
        pass_q <= pass_q + 1'b1;
      end else begin
        slot_q <= slot_q + 1'b1;
      end
      if (place_q[Stages-1].valid) begin
        for (int n = 0; n < int'(N); n++) partial_q[place_q[Stages-1].element][n] <= result[n].value;
        // FAULT(tensor_flags_masked, mask): fflags_o <= fflags_o | pass_flags;
        if (mask_o[LaneW'(place_q[Stages-1].element)]) fflags_o <= fflags_o | pass_flags;
      end
    end
  end

  always_comb begin
    data_o = '0;
    for (int e = 0; e < int'(Elements); e++) data_o[e] = partial_q[e][0];
  end

  AssertOneAtATime :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i |-> busy_q && !running_q && !feeding_q && drained);
  // A result is offered until it is taken.
  AssertHeld :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i |=> valid_o && $stable(data_o));
  AssertRoundingMode :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> rm_i <= RmRmm);

endmodule
