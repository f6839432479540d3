// Instruction fetch. Each warp has two line buffers, selected by the lowest bit of the line address: for the
// line of its pc and the next line. The buffers are looked up by address, so that a branch needs no flush.
//
// A line with an error response is kept with its error: prefetching it is legal, executing from it is not.
module ingot_fetch
  import ingot_pkg::*;
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned MMU = 0,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Warps
  input  logic [NUM_WARP-1:0]         live_i,
  input  logic [NUM_WARP-1:0][31:0]   pc_i,
  input  logic                        launch_i,  // The line buffers of this slot become invalid
  input  logic [WarpW-1:0]            launch_warp_i,
  output logic [NUM_WARP-1:0]         busy_o,  // The slot has a fetch in flight
  // the words at pc and pc + 4 of each warp, and those of warp sel_i
  output logic [NUM_WARP-1:0]         avail0_o,
  output logic [NUM_WARP-1:0]         avail1_o,
  input  logic [WarpW-1:0]            sel_i,
  output logic [31:0]                 word0_o,
  output logic [31:0]                 word1_o,
  output logic                        error0_o,
  output logic                        error1_o,
  output found_t                      fault0_o,  // Cause of an error: PageFine if it is none of translation
  output found_t                      fault1_o,
  // Instruction memory
  output logic                        req_valid_o,
  input  logic                        req_ready_i,
  output logic [WarpW-1:0]            req_warp_o,
  output logic [31:0]                 req_addr_o,
  input  logic                        rsp_valid_i,
  input  logic [WarpW-1:0]            rsp_warp_i,
  input  logic [LineWords-1:0][31:0]  rsp_data_i,
  input  logic                        rsp_error_i,
  input  found_t                      rsp_fault_i
);

  localparam int unsigned OffsetW = $clog2(LineWords * 4);
  localparam int unsigned LineW = 32 - OffsetW;

  logic [1:0] valid_q[NUM_WARP];
  logic [1:0][LineW-1:0] line_q[NUM_WARP];
  logic [1:0] error_q[NUM_WARP];
  logic [1:0][LineWords-1:0][31:0] data_q[NUM_WARP];
  logic [NUM_WARP-1:0] busy_q;
  logic [LineW-1:0] asked_q[NUM_WARP];

  logic [LineW-1:0] want_line[NUM_WARP];
  logic [NUM_WARP-1:0] want;
  logic grant_valid;

  assign busy_o = busy_q;

  always_comb begin
    for (int w = 0; w < int'(NUM_WARP); w++) begin
      logic [LineW-1:0] line, next;
      logic hit, hit_next;
      line = pc_i[w][31:OffsetW];
      next = line + 1'b1;
      // FAULT(fetch_tag_short, address): valid_q[w][line[0]] && line_q[w][line[0]][7:0] == line[7:0]
      hit = valid_q[w][line[0]] && line_q[w][line[0]] == line;
      hit_next = valid_q[w][next[0]] && line_q[w][next[0]] == next;
      avail0_o[w] = hit;
      // FAULT(prefix_line_end, timing): hit
      avail1_o[w] = (&pc_i[w][OffsetW-1:2]) ? hit_next : hit;
      want[w] = live_i[w] && !busy_q[w] && !(hit && hit_next);
      want_line[w] = hit ? next : line;
    end
  end

  logic [31:0] sel_pc, sel_pc1;
  assign sel_pc = pc_i[sel_i];
  assign sel_pc1 = sel_pc + 32'd4;
  assign word0_o = data_q[sel_i][sel_pc[OffsetW]][sel_pc[OffsetW-1:2]];
  assign word1_o = data_q[sel_i][sel_pc1[OffsetW]][sel_pc1[OffsetW-1:2]];
  assign error0_o = error_q[sel_i][sel_pc[OffsetW]];
  assign error1_o = error_q[sel_i][sel_pc1[OffsetW]];

  if (MMU != 0) begin : gen_mmu
    found_t [1:0] fault_q[NUM_WARP];
    always_ff @(posedge clk_i) if (rsp_valid_i) fault_q[rsp_warp_i][asked_q[rsp_warp_i][0]] <= rsp_fault_i;
    assign fault0_o = fault_q[sel_i][sel_pc[OffsetW]];
    assign fault1_o = fault_q[sel_i][sel_pc1[OffsetW]];
  end else begin : gen_no_mmu
    logic unused_fault;
    assign unused_fault = &{1'b0, rsp_fault_i};
    assign fault0_o = '0;
    assign fault1_o = '0;
  end

  ingot_rr_arb #(
    .N(NUM_WARP)
  ) u_arb (
    .clk_i,
    .rst_ni,
    .req_i  (want),
    .take_i (req_ready_i),
    .valid_o(grant_valid),
    .index_o(req_warp_o)
  );

  assign req_valid_o = grant_valid;
  assign req_addr_o = {want_line[req_warp_o], OffsetW'(0)};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
      for (int w = 0; w < int'(NUM_WARP); w++) valid_q[w] <= '0;
    end else begin
      if (req_valid_o && req_ready_i) busy_q[req_warp_o] <= 1'b1;
      if (rsp_valid_i) begin
        busy_q[rsp_warp_i] <= 1'b0;
        valid_q[rsp_warp_i][asked_q[rsp_warp_i][0]] <= 1'b1;
      end
      // FAULT(fetched_before_launch, stale_state): valid_q[launch_warp_i] & 2'b10
      if (launch_i) valid_q[launch_warp_i] <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (req_valid_o && req_ready_i) asked_q[req_warp_o] <= want_line[req_warp_o];
    if (rsp_valid_i) begin
      line_q[rsp_warp_i][asked_q[rsp_warp_i][0]] <= asked_q[rsp_warp_i];
      data_q[rsp_warp_i][asked_q[rsp_warp_i][0]] <= rsp_data_i;
      error_q[rsp_warp_i][asked_q[rsp_warp_i][0]] <= rsp_error_i;
    end
  end

  AssertAnswerAsked :
  assert property (@(posedge clk_i) disable iff (!rst_ni) rsp_valid_i |-> busy_q[rsp_warp_i]);
  AssertLaunchIdle :
  assert property (@(posedge clk_i) disable iff (!rst_ni) launch_i |-> !busy_q[launch_warp_i]);

endmodule
