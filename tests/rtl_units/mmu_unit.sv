// Parts of ingot's MMU in one shape for their bench, with a number of requesters: the walker alone, the
// second-level TLB with the walker, or first-level TLBs with both.
//
// A requester shows a lookup until it is answered. Without first-level TLBs the answer is the leaf or the
// fault of the walk.
module mmu_unit
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned UNIT = 2,  // Walker, second-level TLB, first-level TLBs
  localparam int unsigned N = 3
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // TLB entries that become invalid
  input  logic               invalidate_i,
  input  logic               by_asid_i,
  input  logic               by_page_i,
  input  logic [15:0]        old_asid_i,
  input  logic [26:0]        old_vpn_i,
  // Lookups
  input  logic [N-1:0]       valid_i,
  input  logic [N-1:0][63:0] virt_i,
  input  logic [N-1:0][63:0] root_i,
  input  logic [N-1:0][31:0] asid_i,
  input  logic [N-1:0][31:0] use_i,
  output logic [N-1:0]       answered_o,
  output logic [N-1:0][31:0] reason_o,
  output logic [N-1:0][31:0] level_o,
  output logic [N-1:0][63:0] entry_o,
  output logic [N-1:0][63:0] frame_o,  // Without a fault
  // page table memory
  output logic               mem_req_valid_o,
  input  logic               mem_req_ready_i,
  output logic [1:0]         mem_req_id_o,
  output logic [63:0]        mem_req_addr_o,
  input  logic               mem_rsp_valid_i,
  input  logic [1:0]         mem_rsp_id_i,
  input  logic [63:0]        mem_rsp_data_i,
  input  logic               mem_rsp_error_i
);

  localparam int unsigned IdW = ingot_pkg::index_width(N);

  invalidate_t invalidate;
  assign invalidate = '{valid: invalidate_i, by_asid: by_asid_i, by_page: by_page_i, asid: old_asid_i,
                        vpn: old_vpn_i};

  // Requests for pages, and their responses.
  logic [N-1:0] req_valid, req_ready, rsp_valid;
  walk_t req[N];
  found_t rsp;

  logic walk_valid, walk_ready, done_valid;
  logic [IdW-1:0] walk_id, done_id;
  walk_t walk, done_walk;
  found_t done;

  if (UNIT == 2) begin : gen_tlb
    for (genvar n = 0; n < int'(N); n++) begin : g_tlb
      logic hit, fault;
      logic [FrameW-1:0] frame;
      found_t found;
      ingot_tlb #(
        .NUM_ENTRY(4)
      ) u_tlb (
        .clk_i,
        .rst_ni,
        .invalidate_i(invalidate),
        .valid_i     (valid_i[n]),
        .page_i      (virt_i[n][63:12]),
        .use_i       (page_use_e'(use_i[n][1:0])),
        .asid_i      (asid_i[n][15:0]),
        .root_i      (root_i[n][63:12]),
        .hit_o       (hit),
        .frame_o     (frame),
        .fault_o     (fault),
        .found_o     (found),
        .req_valid_o (req_valid[n]),
        .req_ready_i (req_ready[n]),
        .req_o       (req[n]),
        .rsp_valid_i (rsp_valid[n]),
        .rsp_i       (rsp),
        .filled_o    ()
      );
      assign answered_o[n] = hit || fault;
      assign reason_o[n] = fault ? 32'(found.reason) : '0;
      assign level_o[n] = 32'(found.level);
      assign entry_o[n] = found.entry;
      assign frame_o[n] = 64'(frame);
    end
  end else begin : gen_no_tlb
    // A lookup is one request.
    logic [N-1:0] asked_q;
    for (genvar n = 0; n < int'(N); n++) begin : g_request
      assign req_valid[n] = valid_i[n] && !asked_q[n];
      assign req[n] = '{vpn: virt_i[n][38:12], asid: asid_i[n][15:0], root: root_i[n][63:12], drop: 1'b0};
      assign answered_o[n] = rsp_valid[n];
      assign reason_o[n] = 32'(rsp.reason);
      assign level_o[n] = 32'(rsp.level);
      assign entry_o[n] = rsp.entry;
      assign frame_o[n] = 64'(frame_of(rsp.level, rsp.entry[53:10], virt_i[n][29:12]));
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) asked_q <= '0;
      else asked_q <= (asked_q | (req_valid & req_ready)) & ~rsp_valid;
    end
  end

  if (UNIT != 0) begin : gen_l2tlb
    ingot_l2tlb #(
      .NUM_SET(4),
      .NUM_WAY(2),
      .NUM_REQ(N)
    ) u_l2tlb (
      .clk_i,
      .rst_ni,
      .invalidate_i(invalidate),
      .req_valid_i (req_valid),
      .req_ready_o (req_ready),
      .req_i       (req),
      .rsp_valid_o (rsp_valid),
      .rsp_o       (rsp),
      .walk_valid_o(walk_valid),
      .walk_ready_i(walk_ready),
      .walk_id_o   (walk_id),
      .walk_o      (walk),
      .done_valid_i(done_valid),
      .done_id_i   (done_id),
      .done_walk_i (done_walk),
      .done_i      (done),
      .filled_o    ()
    );
  end else begin : gen_no_l2tlb
    ingot_share #(
      .N(N)
    ) u_share (
      .clk_i,
      .rst_ni,
      .valid_i(req_valid),
      .ready_o(req_ready),
      .valid_o(walk_valid),
      .ready_i(walk_ready),
      .index_o(walk_id)
    );
    assign walk = req[walk_id];
    assign rsp_valid = done_valid ? N'(1) << done_id : '0;
    assign rsp = done;
    // A walk that nothing was invalidated in is one to keep, and no other.
    logic [N-1:0] kept_q;
    always_ff @(posedge clk_i) begin
      if (walk_valid && walk_ready) kept_q[walk_id] <= 1'b1;
      if (invalidate_i) kept_q <= '0;
    end
    AssertDrop :
    assert property (@(posedge clk_i) disable iff (!rst_ni)
                     done_valid |-> done_walk.drop == (!kept_q[done_id] || invalidate_i));
  end

  ingot_walker #(
    .NUM_WALK(2),
    .NUM_REQ (N)
  ) u_walker (
    .clk_i,
    .rst_ni,
    .invalidate_i(invalidate.valid),
    .walk_valid_i(walk_valid),
    .walk_ready_o(walk_ready),
    .walk_id_i   (walk_id),
    .walk_i      (walk),
    .done_valid_o(done_valid),
    .done_id_o   (done_id),
    .done_walk_o (done_walk),
    .done_o      (done),
    .mem_req_valid_o,
    .mem_req_ready_i,
    .mem_req_id_o,
    .mem_req_addr_o,
    .mem_rsp_valid_i,
    .mem_rsp_id_i,
    .mem_rsp_data_i,
    .mem_rsp_error_i
  );

endmodule
