// Round-robin arbiter.  The search for a request begins after the requester that was granted and taken last.
module ingot_rr_arb #(
  parameter int unsigned N = 8,
  localparam int unsigned W = ingot_pkg::index_width(N)
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic [N-1:0] req_i,
  input  logic         take_i,  // The grant is used: the next search begins after it
  output logic         valid_o,
  output logic [W-1:0] index_o
);

  logic [W-1:0] next_q;

  always_comb begin
    valid_o = 1'b0;
    index_o = '0;
    // The last assignment wins: a request at or after next_q has priority over one before it.
    for (int i = int'(N) - 1; i >= 0; i--) begin
      if (req_i[i]) begin
        valid_o = 1'b1;
        index_o = W'(i);
      end
    end
    for (int i = int'(N) - 1; i >= 0; i--) begin
      if (req_i[i] && i >= int'(next_q)) index_o = W'(i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_q <= '0;
    else if (take_i && valid_o) next_q <= (int'(index_o) == int'(N) - 1) ? '0 : index_o + 1'b1;
  end

  AssertGrantsRequest :
  assert property (@(posedge clk_i) disable iff (!rst_ni) req_i != '0 |-> valid_o && req_i[index_o]);
  AssertNoRequest :
  assert property (@(posedge clk_i) disable iff (!rst_ni) req_i == '0 |-> !valid_o);
  // After a grant its requester has the lowest priority.
  AssertTurns :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   $past(rst_ni) && $past(take_i && valid_o) && (req_i & ~(N'(1) << $past(index_o))) != '0 |->
                   index_o != $past(index_o));

endmodule
