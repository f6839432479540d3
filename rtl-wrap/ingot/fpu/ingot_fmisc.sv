// Floating-point comparisons, conversions and other operations of ingot_fp_misc: two cycles to the result,
// one operation a cycle.
module ingot_fmisc
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
  input  fmisc_op_e                   op_i,
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

  logic valid_q;
  logic [WarpW-1:0] warp_q;
  dest_t dest_q;
  logic [NUM_THREAD-1:0] mask_q;
  fp_result_t [NUM_THREAD-1:0] result;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      warp_q <= warp_i;
      dest_q <= dest_i;
      mask_q <= active_i;
    end
  end

  for (genvar l = 0; l < int'(NUM_THREAD); l++) begin : gen_lane
    ingot_fp_misc u_misc (
      .clk_i,
      // FAULT(fmisc_lane0_hold, stale_state): l == 0 ? valid_i && active_i[1] : valid_i
      .advance_i(valid_i),
      .op_i,
      .rm_i,
      .a_i      (a_i[l]),
      // FAULT(fmisc_scalar_b, operand): b_i[0]
      .b_i      (b_i[l]),
      .result_o (result[l])
    );
  end

  ingot_fp_results #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .DEPTH     (4)
  ) u_results (
    .clk_i,
    .rst_ni,
    .ready_o,
    .reserve_i,
    .push_i  (valid_q),
    .warp_i  (warp_q),
    .dest_i  (dest_q),
    .mask_i  (mask_q),
    .result_i(result),
    .valid_o,
    .ready_i,
    .warp_o,
    .dest_o,
    .mask_o,
    .data_o,
    .fflags_o
  );

  AssertRoundingMode :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> rm_i <= RmRmm);
  AssertOperation :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> op_i <= FmiscRsqrt7);

endmodule
