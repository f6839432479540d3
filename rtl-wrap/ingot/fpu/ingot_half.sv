// Operations on 16-bit floats, and conversions between them and binary32 (profile public). Pipelined, one
// operation a cycle, six cycles to the result.
module ingot_half
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
  input  half_ctrl_t                  ctrl_i,
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0][31:0] a_i,
  input  logic [NUM_THREAD-1:0][31:0] b_i,
  input  logic [NUM_THREAD-1:0][31:0] c_i,  // Source 3
  // result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o,
  output fflags_t                     fflags_o  // Of the active lanes
);

  localparam int unsigned Stages = 5;

  // The operations in the stages of the lanes; the last one is done.
  logic [Stages-1:0] valid_q;
  logic [WarpW-1:0] warp_q[Stages];
  dest_t dest_q[Stages];
  logic [NUM_THREAD-1:0] mask_q[Stages];
  fp_result_t [NUM_THREAD-1:0] result;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Stages-2:0], valid_i};
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      warp_q[0] <= warp_i;
      dest_q[0] <= dest_i;
      mask_q[0] <= active_i;
    end
    for (int s = 1; s < int'(Stages); s++) begin
      if (valid_q[s-1]) begin
        warp_q[s] <= warp_q[s-1];
        dest_q[s] <= dest_q[s-1];
        // FAULT(half_mask_early, timing): s == 3 ? mask_q[0] : mask_q[s-1]
        mask_q[s] <= mask_q[s-1];
      end
    end
  end

  for (genvar l = 0; l < int'(NUM_THREAD); l++) begin : gen_lane
    ingot_fp_half u_half (
      .clk_i,
      .advance_i({valid_q[Stages-2:0], valid_i}),
      .ctrl_i,
      .a_i      (a_i[l]),
      // FAULT(half_next_lane, misrouted): b_i[(l + 1) % NUM_THREAD]
      .b_i      (b_i[l]),
      .c_i      (c_i[l]),
      .result_o (result[l])
    );
  end

  ingot_fp_results #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .DEPTH     (8)
  ) u_results (
    .clk_i,
    .rst_ni,
    .ready_o,
    .reserve_i,
    .push_i  (valid_q[Stages-1]),
    .warp_i  (warp_q[Stages-1]),
    .dest_i  (dest_q[Stages-1]),
    .mask_i  (mask_q[Stages-1]),
    .result_i(result),
    .valid_o,
    .ready_i,
    .warp_o,
    .dest_o,
    .mask_o,
    .data_o,
    .fflags_o
  );

  AssertOperation :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i |-> ctrl_i.from != ctrl_i.to || ctrl_i.kind != FmaNone);

endmodule
