// The results of a pipelined floating-point unit that wait for writeback: ingot_result_fifo, with the OR of
// the flags of the active lanes as one more lane.
module ingot_fp_results
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned DEPTH = 4,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Issue side
  output logic                        ready_o,
  input  logic                        reserve_i,
  // Unit side
  input  logic                        push_i,
  input  logic [WarpW-1:0]            warp_i,
  input  dest_t                       dest_i,
  input  logic [NUM_THREAD-1:0]       mask_i,
  input  fp_result_t [NUM_THREAD-1:0] result_i,
  // Writeback side
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o,
  output fflags_t                     fflags_o
);

  logic [NUM_THREAD:0][31:0] in, out;
  logic [NUM_THREAD:0] out_mask;

  always_comb begin
    fflags_t flags;
    flags = '0;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      in[l] = result_i[l].value;
      // FAULT(flags_any_lane, mask): flags |= result_i[l].flags;
      if (mask_i[l]) flags |= result_i[l].flags;
    end
    in[NUM_THREAD] = {27'b0, flags};
  end

  ingot_result_fifo #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD + 1),
    .DEPTH     (DEPTH)
  ) u_results (
    .clk_i,
    .rst_ni,
    .ready_o,
    .reserve_i,
    .push_i,
    .warp_i,
    .dest_i,
    // FAULT(result_mask_low, mask): {|mask_i, mask_i & (mask_i - 1'b1)}
    .mask_i({|mask_i, mask_i}),
    .data_i(in),
    .valid_o,
    .ready_i,
    .warp_o,
    .dest_o,
    .mask_o(out_mask),
    .data_o(out)
  );

  assign mask_o = out_mask[NUM_THREAD-1:0];
  assign data_o = out[NUM_THREAD-1:0];
  assign fflags_o = out_mask[NUM_THREAD] ? out[NUM_THREAD][4:0] : '0;

  // A result is offered until it is taken.
  AssertHeld :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i |=> valid_o && $stable(out));
  AssertNoFlags :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o && mask_o == '0 |-> fflags_o == '0);

endmodule
