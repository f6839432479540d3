// Assertions on the protocol of the retire port, for any core whose probe names instructions by (epoch, seq).
// Instantiate it beside the probe and connect the signals of the probe. It sends nothing.
//
//  - ISSUE numbers are gapless from 0 in each epoch, and epochs from 0 in each slot.
//  - A warp issues only while it is live, and under a mask that is not empty.
//  - A register write belongs to an instruction that has issued, in the slot's current epoch.
module karat_port_assert #(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  localparam int unsigned WarpW = NUM_WARP > 1 ? $clog2(NUM_WARP) : 1
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic [NUM_WARP-1:0]   live_i,
  input logic                  issue_i,
  input logic [WarpW-1:0]      issue_warp_i,
  input logic [31:0]           issue_epoch_i,
  input logic [31:0]           issue_seq_i,
  input logic [NUM_THREAD-1:0] issue_mask_i,
  input logic                  write_x_i,
  input logic [WarpW-1:0]      write_x_warp_i,
  input logic [31:0]           write_x_epoch_i,
  input logic [31:0]           write_x_seq_i,
  input logic                  write_v_i,
  input logic [WarpW-1:0]      write_v_warp_i,
  input logic [31:0]           write_v_epoch_i,
  input logic [31:0]           write_v_seq_i
);

  logic [NUM_WARP-1:0] live_q;
  logic [NUM_WARP-1:0][31:0] epoch_q;  // Epoch of the launch that is live
  logic [NUM_WARP-1:0][31:0] seq_q;  // The next instruction's number

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      live_q <= '0;
      epoch_q <= '1;
      seq_q <= '0;
    end else begin
      live_q <= live_i;
      for (int w = 0; w < int'(NUM_WARP); w++) begin
        if (live_i[w] && !live_q[w]) begin
          epoch_q[w] <= epoch_q[w] + 1'b1;
          seq_q[w] <= '0;
        end
      end
      if (issue_i) seq_q[issue_warp_i] <= seq_q[issue_warp_i] + 1'b1;
    end
  end

  AssertIssueLive :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   issue_i |-> live_i[issue_warp_i] && live_q[issue_warp_i]);
  AssertIssueGapless :
  assert property (@(posedge clk_i) disable iff (!rst_ni) issue_i |-> issue_seq_i == seq_q[issue_warp_i]);
  AssertIssueEpoch :
  assert property (@(posedge clk_i) disable iff (!rst_ni) issue_i |-> issue_epoch_i == epoch_q[issue_warp_i]);
  AssertIssueMask :
  assert property (@(posedge clk_i) disable iff (!rst_ni) issue_i |-> issue_mask_i != '0);
  AssertWriteXIssued :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   write_x_i |-> write_x_epoch_i == epoch_q[write_x_warp_i] &&
                   write_x_seq_i < seq_q[write_x_warp_i]);
  AssertWriteVIssued :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   write_v_i |-> write_v_epoch_i == epoch_q[write_v_warp_i] &&
                   write_v_seq_i < seq_q[write_v_warp_i]);

endmodule
