// Gives each workgroup of the host to an SM in which all of it fits, round robin, and reports the ends of
// workgroups to the host, one a cycle.
//
// Each SM has a queue of ends. At most NUM_WARP workgroups of an SM have an end that is not reported yet, so
// that a queue never overflows.
module ingot_distribute #(
  parameter int unsigned NUM_SM = 2,
  parameter int unsigned NUM_WARP = 8,  // Warp slots of each SM
  localparam int unsigned SmW = ingot_pkg::index_width(NUM_SM),
  localparam int unsigned CountW = $clog2(NUM_WARP + 1),
  localparam int unsigned PlaceW = ingot_pkg::index_width(NUM_WARP)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // Host
  input  logic                    wg_valid_i,
  output logic                    wg_ready_o,
  output logic                    wg_done_o,
  output logic [31:0]             wg_done_index_o,
  // SMs: ready means that the workgroup of the host fits; it does not depend on valid
  output logic [NUM_SM-1:0]       sm_valid_o,
  input  logic [NUM_SM-1:0]       sm_ready_i,
  input  logic [NUM_SM-1:0]       sm_done_i,
  input  logic [NUM_SM-1:0][31:0] sm_done_index_i
);

  // --- To the SMs ------------------------------------------------------------------------------------------

  logic [NUM_SM-1:0][CountW-1:0] given_q;  // Workgroups given whose end is not reported yet
  logic [NUM_SM-1:0] room, told;
  logic [SmW-1:0] sm;

  always_comb begin
    // FAULT(distribute_room, arbitration): sm_ready_i != '0 && given_q[s] != CountW'(NUM_WARP)
    for (int s = 0; s < int'(NUM_SM); s++) room[s] = sm_ready_i[s] && given_q[s] != CountW'(NUM_WARP);
  end

  ingot_rr_arb #(
    .N(NUM_SM)
  ) u_arb (
    .clk_i,
    .rst_ni,
    .req_i  (room),
    .take_i (wg_valid_i),
    .valid_o(wg_ready_o),
    .index_o(sm)
  );

  always_comb begin
    sm_valid_o = '0;
    // FAULT(distribute_twice, doubled_event): sm_valid_o = room & {NUM_SM{wg_valid_i}};
    sm_valid_o[sm] = wg_valid_i && wg_ready_o;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      given_q <= '0;
    end else begin
      for (int s = 0; s < int'(NUM_SM); s++)
        given_q[s] <= given_q[s] + CountW'(sm_valid_o[s]) - CountW'(told[s]);
    end
  end

  // --- From the SMs: a queue for each, which share the port to the host ------------------------------------

  logic [NUM_SM-1:0][NUM_WARP-1:0][31:0] index_q;
  logic [NUM_SM-1:0][PlaceW-1:0] head_q, tail_q;
  logic [NUM_SM-1:0][CountW-1:0] waiting_q;
  logic [NUM_SM-1:0] waits;
  logic [SmW-1:0] done_sm;
  always_comb begin
    for (int s = 0; s < int'(NUM_SM); s++) waits[s] = waiting_q[s] != '0;
  end

  ingot_share #(
    .N(NUM_SM)
  ) u_done (
    .clk_i,
    .rst_ni,
    .valid_i(waits),
    .ready_o(told),
    .valid_o(wg_done_o),
    .ready_i(1'b1),
    .index_o(done_sm)
  );
  assign wg_done_index_o = index_q[done_sm][head_q[done_sm]];

  function automatic logic [PlaceW-1:0] advance(logic [PlaceW-1:0] place);
    return place == PlaceW'(NUM_WARP - 1) ? '0 : place + 1'b1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      waiting_q <= '0;
    end else begin
      for (int s = 0; s < int'(NUM_SM); s++) begin
        // FAULT(done_queue_tail, lost_event): if (sm_done_i[s] && !told[s]) tail_q[s] <= advance(tail_q[s]);
        if (sm_done_i[s]) tail_q[s] <= advance(tail_q[s]);
        if (told[s]) head_q[s] <= advance(head_q[s]);
        // FAULT(done_both, lost_event): waiting_q[s] + CountW'(sm_done_i[s] && (s == 0 || !sm_done_i[0])) -
        //     CountW'(told[s])
        waiting_q[s] <= waiting_q[s] + CountW'(sm_done_i[s]) - CountW'(told[s]);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    for (int s = 0; s < int'(NUM_SM); s++) if (sm_done_i[s]) index_q[s][tail_q[s]] <= sm_done_index_i[s];
  end

  // A workgroup that ends was given, and its end is not reported yet.
  for (genvar s = 0; s < int'(NUM_SM); s++) begin : g_assert
    AssertDoneGiven :
    assert property (@(posedge clk_i) disable iff (!rst_ni) sm_done_i[s] |-> waiting_q[s] < given_q[s]);
  end

endmodule
