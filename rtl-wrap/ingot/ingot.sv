// The core ingot, Karat's in-tree SIMT core and default device under test: one to four streaming
// multiprocessors, which share the ports to the host and to memory.
//
//              +------------+  workgroups   +------+ +------+         fetch requests   +-------+
//   host <---> | distribute |-------------->| SM 0 | | SM 1 | ...  ------------------->| share |-->
//                                                                  instruction memory
//              |            |<--- ends -----|      | |      |                          +-------+
//              +------------+               |      | |      |         data requests    +-------+
//   host <---- share <------- prints -------|      | |      |      ------------------->| share |--> data
//                                                  memory
//                                           +------+ +------+                          +-------+
//
// An SM does not depend on the others. An identifier on a shared port is the identifier of the SM with the
// number of the SM above it. By that number a response reaches its SM in the cycle in which it arrives, and
// the memory keeps one reservation for each warp slot of each SM. Memory performs one access at a time, each
// at a moment of its own between request and response, and responds in any order.
//
// Memory ports: a request is taken in a cycle with valid and ready, and does not change before. A response is
// always taken. A data response means that the access has been performed. The memory performs LR, SC and
// AMOs, each in one step. An SC without byte enables must fail.
//
// With MMU each SM translates the virtual addresses of its fetches and accesses in two TLBs (SV39), if the
// kernel asks for it. Both share a second level (ingot_l2tlb) and a walker (ingot_walker), which reads page
// tables at a port of its own. Addresses at the other two memory ports are physical.
module ingot
  import ingot_pkg::*;
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned NUM_SM = 1,  // 1 to 4
  parameter int unsigned NUM_WARP = 8,  // Warp slots of each SM, 1 to 16
  parameter int unsigned NUM_THREAD = 8,  // Lanes: 4, 8, 16 or 32
  parameter int unsigned NUM_LDS_PAGE = 64,  // Local memory of each SM: pages of 1 KiB
  parameter int unsigned NUM_LDS_BANK = NUM_THREAD < 8 ? NUM_THREAD : 8,  // Local memory of each SM: banks
  // Rows of the register files of each SM: enough for four warps with all registers
  parameter int unsigned NUM_SGPR_ROW = NumX * NUM_WARP,
  parameter int unsigned NUM_VGPR_ROW = NUM_WARP <= 4 ? NumV * NUM_WARP : NUM_WARP <= 8 ? NumV * 4
      : NumV / 2 * NUM_WARP,
  parameter int unsigned NUM_ICACHE_SET = 16,  // Instruction cache: sets of two lines of 16 bytes
  parameter int unsigned PROFILE = 202,  // Profile of the ISA: v2.02; 203: v2.03, 2026: public
  parameter int unsigned MMU = 0,  // 1: SV39 translation
  localparam int unsigned PaddrW = MMU != 0 ? 64 : 32,  // Physical addresses
  localparam int unsigned NumMiss = 4,  // Fetch requests of an SM in flight
  localparam int unsigned NumEntry = 4,  // Data requests of an SM in flight
  localparam int unsigned SmW = index_width(NUM_SM),
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned MissW = index_width(NumMiss),
  localparam int unsigned EntryW = index_width(NumEntry)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,  // Asynchronous
  // workgroups
  input  logic                        wg_valid_i,
  output logic                        wg_ready_o,
  input  logic [31:0]                 wg_index_i,
  input  logic [31:0]                 wg_warps_i,
  input  logic [31:0]                 wg_threads_i,
  input  logic [31:0]                 wg_starts_i,  // Warps with a thread that starts
  // threads that start: work-items below live of a workgroup of local x, local y, ...; live x 0: all
  input  logic [31:0]                 wg_local_x_i,
  input  logic [31:0]                 wg_local_y_i,
  input  logic [31:0]                 wg_local_z_i,
  // Of the grid: work-items, and the first global id; profile public
  input  logic [31:0]                 wg_items_x_i,
  input  logic [31:0]                 wg_items_y_i,
  input  logic [31:0]                 wg_offset_x_i,
  input  logic [31:0]                 wg_offset_y_i,
  input  logic [31:0]                 wg_offset_z_i,
  input  logic [31:0]                 wg_live_x_i,
  input  logic [31:0]                 wg_live_y_i,
  input  logic [31:0]                 wg_live_z_i,
  input  logic [31:0]                 wg_pc_i,
  input  logic [31:0]                 wg_knl_i,
  input  logic [31:0]                 wg_wgid_i,
  input  logic [31:0]                 wg_lds_i,
  input  logic [31:0]                 wg_pds_i,
  input  logic [31:0]                 wg_gdx_i,
  input  logic [31:0]                 wg_gdy_i,
  input  logic [31:0]                 wg_gdz_i,
  input  logic [31:0]                 wg_lds_size_i,
  input  logic [31:0]                 wg_sgprs_i,  // Registers that each warp uses; 0: all
  input  logic [31:0]                 wg_vgprs_i,
  // Its address space, which all workgroups of a kernel share; not used without MMU
  input  logic                        wg_translate_i,  // Addresses are virtual
  input  logic [63:0]                 wg_ptbr_i,  // Physical address of the root page table
  input  logic [15:0]                 wg_asid_i,
  // All TLB entries are dropped before the workgroup begins
  input  logic                        wg_invalidate_i,
  output logic                        wg_done_o,
  output logic [31:0]                 wg_done_index_o,
  // Printing: a warp whose CSR_PRINT is not 0 and whose earlier stores are done; taking it sets CSR_PRINT to
  // 0
  output logic                        print_valid_o,
  input  logic                        print_ready_i,
  output logic [SmW-1:0]              print_sm_o,
  output logic [WarpW-1:0]            print_warp_o,
  // Instruction memory
  output logic                        imem_req_valid_o,
  input  logic                        imem_req_ready_i,
  output logic [SmW+MissW-1:0]       imem_req_id_o,
  output logic [PaddrW-1:0]           imem_req_addr_o,
  input  logic                        imem_rsp_valid_i,
  input  logic [SmW+MissW-1:0]       imem_rsp_id_i,
  input  logic [LineWords-1:0][31:0]  imem_rsp_data_i,
  input  logic                        imem_rsp_error_i,
  // Data memory
  output logic                        dmem_req_valid_o,
  input  logic                        dmem_req_ready_i,
  output logic [SmW+EntryW-1:0]       dmem_req_id_o,
  output logic [3:0]                  dmem_req_op_o,  // A mem_op_e of ingot_pkg
  output logic [SmW+WarpW-1:0]        dmem_req_warp_o,
  output logic [NUM_THREAD-1:0]       dmem_req_lanes_o,
  output logic [NUM_THREAD-1:0][PaddrW-1:0] dmem_req_addr_o,
  output logic [NUM_THREAD-1:0][3:0]  dmem_req_be_o,
  output logic [NUM_THREAD-1:0][31:0] dmem_req_data_o,
  input  logic                        dmem_rsp_valid_i,
  input  logic [SmW+EntryW-1:0]       dmem_rsp_id_i,
  input  logic                        dmem_rsp_error_i,
  input  logic [NUM_THREAD-1:0][31:0] dmem_rsp_data_i,
  // For the probe: memory performs this access now, and answers data to lane 0
  input  logic                        dmem_performed_valid_i,
  input  logic [SmW+EntryW-1:0]       dmem_performed_id_i,
  input  logic [31:0]                 dmem_performed_data_i,
  // Page table memory: 8 bytes, aligned
  output logic                        ptw_req_valid_o,
  input  logic                        ptw_req_ready_i,
  output logic [1:0]                  ptw_req_id_o,
  output logic [63:0]                 ptw_req_addr_o,
  input  logic                        ptw_rsp_valid_i,
  input  logic [1:0]                  ptw_rsp_id_i,
  input  logic [63:0]                 ptw_rsp_data_i,
  input  logic                        ptw_rsp_error_i,  // Not mapped
  // a warp has met a page fault and has stopped
  output logic                        fault_valid_o
);

  if (NUM_SM < 1 || NUM_SM > 4) begin : g_bad_num_sm
    $error("NUM_SM must be 1 to 4");
  end
  if (MMU > 1) begin : g_bad_mmu
    $error("MMU must be 0 or 1");
  end

  logic [NUM_SM-1:0] wg_valid, wg_ready, wg_done;
  logic [NUM_SM-1:0][31:0] wg_done_index;
  logic [NUM_SM-1:0] print_valid, print_ready;
  logic [NUM_SM-1:0][WarpW-1:0] print_warp;
  logic [NUM_SM-1:0] fetch_valid, fetch_ready, fetch_answer;
  logic [NUM_SM-1:0][MissW-1:0] fetch_id;
  logic [NUM_SM-1:0][PaddrW-1:0] fetch_addr;
  logic [NUM_SM-1:0] data_valid, data_ready, data_answer;
  logic [NUM_SM-1:0][EntryW-1:0] data_id;
  logic [NUM_SM-1:0][3:0] data_op;
  logic [NUM_SM-1:0][WarpW-1:0] data_warp;
  logic [NUM_SM-1:0][NUM_THREAD-1:0] data_lanes;
  logic [NUM_SM-1:0][NUM_THREAD-1:0][PaddrW-1:0] data_addr;
  logic [NUM_SM-1:0][NUM_THREAD-1:0][31:0] data_data;
  logic [NUM_SM-1:0][NUM_THREAD-1:0][3:0] data_be;
  logic [SmW-1:0] print_sm, fetch_sm, data_sm;  // The SM whose request each port shows

  localparam int unsigned NumTlb = 2 * NUM_SM;  // Of first level: of fetches and of data, for each SM
  address_space_t space;
  invalidate_t invalidate;
  logic [NumTlb-1:0] tlb_valid, tlb_ready, tlb_answer;
  walk_t tlb_req[NumTlb];
  found_t tlb_found;
  logic [NUM_SM-1:0] page_fault;

  workgroup_t wg;
  assign wg = '{
    index: wg_index_i,
    warps: wg_warps_i,
    threads: wg_threads_i,
    starts: wg_starts_i,
    local_x: wg_local_x_i,
    local_y: wg_local_y_i,
    local_z: wg_local_z_i,
    items_x: wg_items_x_i,
    items_y: wg_items_y_i,
    offset_x: wg_offset_x_i,
    offset_y: wg_offset_y_i,
    offset_z: wg_offset_z_i,
    live_x: wg_live_x_i,
    live_y: wg_live_y_i,
    live_z: wg_live_z_i,
    pc: wg_pc_i,
    knl: wg_knl_i,
    wgid: wg_wgid_i,
    lds: wg_lds_i,
    pds: wg_pds_i,
    gdx: wg_gdx_i,
    gdy: wg_gdy_i,
    gdz: wg_gdz_i,
    lds_size: wg_lds_size_i,
    sgprs: wg_sgprs_i,
    vgprs: wg_vgprs_i
  };

  // For the probe.
  logic performed;
  logic [SmW+EntryW-1:0] performed_id;
  logic [31:0] performed_data;
  // FAULT(performed_when_answered, memory_order): {dmem_rsp_valid_i && !dmem_rsp_error_i, dmem_rsp_id_i,
  //     dmem_rsp_data_i[0]}
  assign {performed, performed_id, performed_data} =
      {dmem_performed_valid_i, dmem_performed_id_i, dmem_performed_data_i};

  for (genvar s = 0; s < int'(NUM_SM); s++) begin : g_sm
    ingot_sm #(
      .NUM_SM        (NUM_SM),
      .NUM_WARP      (NUM_WARP),
      .NUM_THREAD    (NUM_THREAD),
      .NUM_LDS_PAGE  (NUM_LDS_PAGE),
      .NUM_LDS_BANK  (NUM_LDS_BANK),
      .NUM_SGPR_ROW  (NUM_SGPR_ROW),
      .NUM_VGPR_ROW  (NUM_VGPR_ROW),
      .NUM_ICACHE_SET(NUM_ICACHE_SET),
      .PROFILE       (PROFILE),
      .MMU           (MMU),
      .SM_ID         (s)
    ) u_sm (
      .clk_i,
      .rst_ni,
      .wg_shown_i      (wg_valid_i),
      .wg_valid_i      (wg_valid[s]),
      .wg_ready_o      (wg_ready[s]),
      .wg_i            (wg),
      .wg_space_i      (space),
      .wg_done_o       (wg_done[s]),
      .wg_done_index_o (wg_done_index[s]),
      .print_valid_o   (print_valid[s]),
      // FAULT(print_taken_twice, doubled_event): print_valid[s] && print_ready_i
      .print_ready_i   (print_ready[s]),
      .print_warp_o    (print_warp[s]),
      .imem_req_valid_o(fetch_valid[s]),
      .imem_req_ready_i(fetch_ready[s]),
      .imem_req_id_o   (fetch_id[s]),
      .imem_req_addr_o (fetch_addr[s]),
      .imem_rsp_valid_i(fetch_answer[s]),
      .imem_rsp_id_i   (imem_rsp_id_i[MissW-1:0]),
      .imem_rsp_data_i,
      .imem_rsp_error_i,
      .dmem_req_valid_o(data_valid[s]),
      .dmem_req_ready_i(data_ready[s]),
      .dmem_req_id_o   (data_id[s]),
      .dmem_req_op_o   (data_op[s]),
      .dmem_req_warp_o (data_warp[s]),
      .dmem_req_lanes_o(data_lanes[s]),
      .dmem_req_addr_o (data_addr[s]),
      .dmem_req_be_o   (data_be[s]),
      .dmem_req_data_o (data_data[s]),
      .dmem_rsp_valid_i(data_answer[s]),
      .dmem_rsp_id_i   (dmem_rsp_id_i[EntryW-1:0]),
      .dmem_rsp_error_i,
      .dmem_rsp_data_i,
      .dmem_performed_valid_i(performed && int'(performed_id[EntryW+:SmW]) == s),
      .dmem_performed_id_i   (performed_id[EntryW-1:0]),
      .dmem_performed_data_i (performed_data),
      .invalidate_i    (invalidate),
      .tlb_req_valid_o (tlb_valid[2*s+:2]),
      .tlb_req_ready_i (tlb_ready[2*s+:2]),
      .tlb_req_o       (tlb_req[2*s+:2]),
      .tlb_rsp_valid_i (tlb_answer[2*s+:2]),
      .tlb_rsp_i       (tlb_found),
      .page_fault_o    (page_fault[s])
    );

    // FAULT(fetch_answer_order, misrouted): imem_rsp_valid_i && int'(fetch_sm) == s
    assign fetch_answer[s] = imem_rsp_valid_i && int'(imem_rsp_id_i[MissW+:SmW]) == s;
    assign data_answer[s] = dmem_rsp_valid_i && int'(dmem_rsp_id_i[EntryW+:SmW]) == s;
  end

  // --- Host ------------------------------------------------------------------------------------------------

  ingot_distribute #(
    .NUM_SM  (NUM_SM),
    .NUM_WARP(NUM_WARP)
  ) u_distribute (
    .clk_i,
    .rst_ni,
    .wg_valid_i,
    .wg_ready_o,
    .wg_done_o,
    .wg_done_index_o,
    .sm_valid_o     (wg_valid),
    .sm_ready_i     (wg_ready),
    .sm_done_i      (wg_done),
    .sm_done_index_i(wg_done_index)
  );

  // A warp may clear its CSR_PRINT before the host has seen it.
  ingot_share #(
    .N           (NUM_SM),
    .MAY_WITHDRAW(1'b1)
  ) u_print (
    .clk_i,
    .rst_ni,
    .valid_i(print_valid),
    .ready_o(print_ready),
    .valid_o(print_valid_o),
    .ready_i(print_ready_i),
    .index_o(print_sm)
  );

  assign print_warp_o = print_warp[print_sm];
  // FAULT(print_sm, misrouted): '0
  assign print_sm_o = print_sm;

  // --- Memory ----------------------------------------------------------------------------------------------

  ingot_share #(
    .N(NUM_SM)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .valid_i(fetch_valid),
    .ready_o(fetch_ready),
    .valid_o(imem_req_valid_o),
    .ready_i(imem_req_ready_i),
    .index_o(fetch_sm)
  );

  assign imem_req_id_o = {fetch_sm, fetch_id[fetch_sm]};
  assign imem_req_addr_o = fetch_addr[fetch_sm];

  ingot_share #(
    .N(NUM_SM)
  ) u_data (
    .clk_i,
    .rst_ni,
    .valid_i(data_valid),
    .ready_o(data_ready),
    .valid_o(dmem_req_valid_o),
    .ready_i(dmem_req_ready_i),
    .index_o(data_sm)
  );

  assign dmem_req_id_o = {data_sm, data_id[data_sm]};
  assign dmem_req_op_o = data_op[data_sm];
  // FAULT(reservation_sm, misrouted): {SmW'(0), data_warp[data_sm]}
  assign dmem_req_warp_o = {data_sm, data_warp[data_sm]};
  assign dmem_req_lanes_o = data_lanes[data_sm];
  assign dmem_req_addr_o = data_addr[data_sm];
  assign dmem_req_be_o = data_be[data_sm];
  assign dmem_req_data_o = data_data[data_sm];

  // --- Translation -----------------------------------------------------------------------------------------

  if (MMU != 0) begin : gen_mmu
    localparam int unsigned TlbW = index_width(NumTlb);
    logic walk_valid, walk_ready, done_valid;
    logic [TlbW-1:0] walk_id, done_id;
    walk_t walk, done_walk;
    found_t done;
    logic fault_q;
    logic unused_ptbr;
    assign unused_ptbr = &{1'b0, wg_ptbr_i[11:0]};  // 0
    /* verilator lint_off UNUSEDSIGNAL */
    filled_t filled;  // For the probe
    /* verilator lint_on UNUSEDSIGNAL */

    assign space = '{translate: wg_translate_i, root: wg_ptbr_i[63:12], asid: wg_asid_i};
    assign invalidate = '{valid: wg_valid_i && wg_ready_o && wg_invalidate_i, default: '0};

    ingot_l2tlb #(
      .NUM_REQ(NumTlb)
    ) u_l2tlb (
      .clk_i,
      .rst_ni,
      .invalidate_i(invalidate),
      .req_valid_i (tlb_valid),
      .req_ready_o (tlb_ready),
      .req_i       (tlb_req),
      .rsp_valid_o (tlb_answer),
      .rsp_o       (tlb_found),
      .walk_valid_o(walk_valid),
      .walk_ready_i(walk_ready),
      .walk_id_o   (walk_id),
      .walk_o      (walk),
      .done_valid_i(done_valid),
      .done_id_i   (done_id),
      .done_walk_i (done_walk),
      .done_i      (done),
      .filled_o    (filled)
    );

    ingot_walker #(
      .NUM_REQ(NumTlb)
    ) u_walker (
      .clk_i,
      .rst_ni,
      .invalidate_i   (invalidate.valid),
      .walk_valid_i   (walk_valid),
      .walk_ready_o   (walk_ready),
      .walk_id_i      (walk_id),
      .walk_i         (walk),
      .done_valid_o   (done_valid),
      .done_id_o      (done_id),
      .done_walk_o    (done_walk),
      .done_o         (done),
      .mem_req_valid_o(ptw_req_valid_o),
      .mem_req_ready_i(ptw_req_ready_i),
      .mem_req_id_o   (ptw_req_id_o),
      .mem_req_addr_o (ptw_req_addr_o),
      .mem_rsp_valid_i(ptw_rsp_valid_i),
      .mem_rsp_id_i   (ptw_rsp_id_i),
      .mem_rsp_data_i (ptw_rsp_data_i),
      .mem_rsp_error_i(ptw_rsp_error_i)
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) fault_q <= 1'b0;
      else fault_q <= fault_q || page_fault != '0;
    end
    assign fault_valid_o = fault_q;
  end else begin : gen_no_mmu
    logic unused_mmu;
    assign unused_mmu = &{1'b0, wg_translate_i, wg_ptbr_i, wg_asid_i, wg_invalidate_i, ptw_req_ready_i,
                          ptw_rsp_valid_i, ptw_rsp_id_i, ptw_rsp_data_i, ptw_rsp_error_i, tlb_valid,
                          tlb_req[0], page_fault};
    assign space = '0;
    assign invalidate = '0;
    assign tlb_ready = '0;
    assign tlb_answer = '0;
    assign tlb_found = '0;
    assign ptw_req_valid_o = 1'b0;
    assign ptw_req_id_o = '0;
    assign ptw_req_addr_o = '0;
    assign fault_valid_o = 1'b0;
  end

  // A response is for an SM that exists.
  AssertFetchAnswer :
  assert property (@(posedge clk_i) disable iff (!rst_ni) imem_rsp_valid_i |-> fetch_answer != '0);
  AssertDataAnswer :
  assert property (@(posedge clk_i) disable iff (!rst_ni) dmem_rsp_valid_i |-> data_answer != '0);

endmodule
