// Round-robin arbiter for a port that several requesters share. A request that the port shows stays there
// until it is taken, and its requester must hold it for as long.
module ingot_share #(
  parameter int unsigned N = 2,  // Requesters
  parameter bit MAY_WITHDRAW = 1'b0,  // Requesters may withdraw a request
  localparam int unsigned IndexW = ingot_pkg::index_width(N)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // Requesters
  input  logic [N-1:0]      valid_i,
  output logic [N-1:0]      ready_o,  // The request of this requester is taken
  // port
  output logic              valid_o,
  input  logic              ready_i,
  output logic [IndexW-1:0] index_o  // The requester whose request the port shows
);

  if (N == 1) begin : g_one
    assign valid_o = valid_i[0];
    assign ready_o[0] = ready_i && valid_i[0];
    assign index_o = '0;
  end else begin : g_several
    logic held_q;  // The request of the last cycle was not taken
    logic [IndexW-1:0] held_index_q, next;
    logic any;

    // A grant moves the turn in the cycle in which the port first shows it.
    ingot_rr_arb #(
      .N(N)
    ) u_arb (
      .clk_i,
      .rst_ni,
      .req_i  (valid_i),
      .take_i (!held_q),
      .valid_o(any),
      .index_o(next)
    );

    assign valid_o = held_q ? valid_i[held_index_q] : any;
    assign index_o = held_q ? held_index_q : next;
    always_comb begin
      ready_o = '0;
      ready_o[index_o] = ready_i && valid_o;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) held_q <= 1'b0;
      // FAULT(share_moves, arbitration): 1'b0
      else held_q <= valid_o && !ready_i;
    end
    always_ff @(posedge clk_i) held_index_q <= index_o;
  end

  logic [N-1:0] waits;
  assign waits = valid_i & ~ready_o;

  AssertRequestWaits :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   $past(rst_ni) && !MAY_WITHDRAW |-> ($past(waits) & ~valid_i) == '0);
  AssertPortStable :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   $past(rst_ni) && $past(valid_o) && !$past(ready_i) |-> $stable(index_o));

endmodule
