// One streaming multiprocessor of ingot:
//
//            +----------+   +-------+   +-----------+   +-----+   ALU  1 cycle
//   host --> | dispatch |   | fetch |-->| decode, 1 |-->|issue|-> MUL  3 cycles   --> writeback: 1 scalar and
//            +----------+   +-------+   | slot/warp |   +-----+   DIV  2 to 34        1 vector result a
//                           cycle,
//                               ^       +-----------+      ^      LSU  memory         with their flags
//                               |             ^            |      CSR  1 cycle            |
//                            imem port        +-- SIMT ----+      FPU, FDIV, FMISC,       v
//                                                                 SFU, TENSOR         registers, scoreboard,
//                                                                                     CSRs
//
// Each part is a module: ingot_dispatch; ingot_frontend (fetch, instruction cache, decode); ingot_issue_stage
// (issue, scoreboard, register files); the units in ingot_int_units, ingot_fp_units and ingot_lsu;
// ingot_control (CSRs, SIMT stacks, barriers); ingot_writeback.
//
// Issue is in order within a warp and round robin between warps; completion is out of order. At launch
// registers hold what their last owner left. README.md in this folder describes each part.
//
// The memory ports are those of the core (ingot.sv), with identifiers that are unique within the SM.
module ingot_sm
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,  // Warp slots, 1 to 16
  parameter int unsigned NUM_THREAD = 8,  // Lanes: 4, 8, 16 or 32
  parameter int unsigned NUM_LDS_PAGE = 64,  // Local memory: pages of 1 KiB
  parameter int unsigned NUM_LDS_BANK = NUM_THREAD < 8 ? NUM_THREAD : 8,  // Local memory: banks
  // Rows of the register files: enough for four warps with all registers.
  parameter int unsigned NUM_SGPR_ROW = NumX * NUM_WARP,
  parameter int unsigned NUM_VGPR_ROW = NUM_WARP <= 4 ? NumV * NUM_WARP : NUM_WARP <= 8 ? NumV * 4
      : NumV / 2 * NUM_WARP,
  parameter int unsigned NUM_ICACHE_SET = 16,  // Instruction cache: sets of two lines of 16 bytes
  parameter int unsigned NUM_SM = 1,  // SMs of the core, for the records of the retire port
  parameter int unsigned SM_ID = 0,  // Number of this SM
  parameter int unsigned PROFILE = 202,  // Profile of the ISA: a row of features_of() in ingot_pkg
  parameter int unsigned MMU = 0,  // 1: SV39 translation
  localparam int unsigned PaddrW = MMU != 0 ? 64 : 32,  // Physical addresses
  localparam features_t Has = features_of(PROFILE),
  localparam int unsigned NumUnits = Has.widths ? NumUnit + 1 : Has.toolchain ? NumUnitPublic : NumUnit,
  localparam int unsigned NumMiss = 4,  // Instruction memory requests in flight
  localparam int unsigned NumEntry = 4,  // Data memory requests in flight
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned MissW = index_width(NumMiss),
  localparam int unsigned EntryW = index_width(NumEntry)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,  // Asynchronous
  // workgroups
  // The host offers a workgroup, to any SM: ready means that it fits
  input  logic                        wg_shown_i,
  input  logic                        wg_valid_i,  // This SM, which is ready, takes it
  output logic                        wg_ready_o,
  input  workgroup_t                  wg_i,
  input  address_space_t              wg_space_i,
  output logic                        wg_done_o,
  output logic [31:0]                 wg_done_index_o,
  // Printing: a warp whose CSR_PRINT is not 0 and whose earlier stores are done; taking it sets CSR_PRINT to
  // 0
  output logic                        print_valid_o,
  input  logic                        print_ready_i,
  output logic [WarpW-1:0]            print_warp_o,
  // Instruction memory
  output logic                        imem_req_valid_o,
  input  logic                        imem_req_ready_i,
  output logic [MissW-1:0]            imem_req_id_o,
  output logic [PaddrW-1:0]           imem_req_addr_o,
  input  logic                        imem_rsp_valid_i,
  input  logic [MissW-1:0]            imem_rsp_id_i,
  input  logic [LineWords-1:0][31:0]  imem_rsp_data_i,
  input  logic                        imem_rsp_error_i,
  // Data memory
  output logic                        dmem_req_valid_o,
  input  logic                        dmem_req_ready_i,
  output logic [EntryW-1:0]           dmem_req_id_o,
  output logic [3:0]                  dmem_req_op_o,  // A mem_op_e of ingot_pkg
  output logic [WarpW-1:0]            dmem_req_warp_o,
  output logic [NUM_THREAD-1:0]       dmem_req_lanes_o,
  output logic [NUM_THREAD-1:0][PaddrW-1:0] dmem_req_addr_o,
  output logic [NUM_THREAD-1:0][3:0]  dmem_req_be_o,
  output logic [NUM_THREAD-1:0][31:0] dmem_req_data_o,
  input  logic                        dmem_rsp_valid_i,
  input  logic [EntryW-1:0]           dmem_rsp_id_i,
  input  logic                        dmem_rsp_error_i,
  input  logic [NUM_THREAD-1:0][31:0] dmem_rsp_data_i,
  // For the probe: memory performs this access now, and answers data to lane 0
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic                        dmem_performed_valid_i,
  input  logic [EntryW-1:0]           dmem_performed_id_i,
  input  logic [31:0]                 dmem_performed_data_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // Second-level TLB: of the instruction TLB and of the data TLB
  input  invalidate_t                 invalidate_i,
  output logic [1:0]                  tlb_req_valid_o,
  input  logic [1:0]                  tlb_req_ready_i,
  output walk_t                       tlb_req_o[2],
  input  logic [1:0]                  tlb_rsp_valid_i,
  input  found_t                      tlb_rsp_i,
  output logic                        page_fault_o  // A warp has met a page fault and stops
);

  if (NUM_WARP < 1 || NUM_WARP > MaxWarp) begin : g_bad_num_warp
    $error("NUM_WARP must be 1 to 16");
  end
  if (NUM_THREAD != 4 && NUM_THREAD != 8 && NUM_THREAD != 16 && NUM_THREAD != 32) begin : g_bad_num_thread
    $error("NUM_THREAD must be 4, 8, 16 or 32");
  end
  if (SM_ID >= NUM_SM || NUM_SM > 255) begin : g_bad_sm_id
    $error("SM_ID must be less than NUM_SM, and both must fit the records' 8 bits");
  end

  if (Has.name == '0) begin : g_bad_profile
    $error("PROFILE must be one that features_of() of ingot_pkg knows");
  end

  localparam int unsigned CountW = $clog2(NUM_WARP + 1);
  localparam int unsigned LdsPageW = $clog2(NUM_LDS_PAGE + 1);
  localparam int unsigned SgprW = index_width(NUM_SGPR_ROW);
  localparam int unsigned VgprW = index_width(NUM_VGPR_ROW);

  // The operation register: the instruction that issued in the last cycle, with its operands.
  typedef struct packed {
    logic valid;
    logic [WarpW-1:0] warp;
    uop_t uop;
    dest_t dest;
    logic has_result;
    logic [NUM_THREAD-1:0] mask;  // Thread mask
    logic [NUM_THREAD-1:0] active;  // Lanes that write a register or access memory; bit 0 for a scalar
    logic [NUM_THREAD-1:0] carry;  // Bits of v0
    // Whole words come last: a simulator finds them aligned.
    logic [NUM_THREAD-1:0][31:0] src1, src2, src3, v0;
    logic [NUM_THREAD-1:0][31:0] base_high, data_high;  // Upper halves of pairs
    logic [NUM_THREAD-1:0][31:0] a, b;  // Operands of the arithmetic units
  } op_t;
  op_t op;

  // A result that a unit offers to writeback.
  typedef struct packed {
    logic [WarpW-1:0] warp;
    dest_t dest;
    fflags_t fflags;
    logic [NUM_THREAD-1:0] mask;
    logic [NUM_THREAD-1:0][31:0] data;
  } result_t;

  // The write ports of the register files.
  typedef struct packed {
    logic valid;
    logic [WarpW-1:0] warp;
    tag_t tag;
    logic [5:0] regno;
    logic mask;
    fflags_t fflags;
    logic [31:0] data;
  } write_x_t;
  typedef struct packed {
    logic valid;
    logic [WarpW-1:0] warp;
    tag_t tag;
    logic [7:0] regno;
    fflags_t fflags;
    logic [NUM_THREAD-1:0] mask;
    logic [NUM_THREAD-1:0][31:0] data;
  } write_v_t;

  // --- Dispatch --------------------------------------------------------------------------------------------

  logic launch, wg_take, warp_done;
  logic [WarpW-1:0] launch_warp;
  logic [31:0] launch_wid;
  workgroup_t launch_wg;
  logic [NUM_THREAD-1:0] launch_mask;
  logic [NUM_WARP-1:0] live, fetching;
  logic [NUM_WARP-1:0][WarpW-1:0] wg_slot;
  logic [NUM_WARP-1:0][CountW-1:0] wg_warps;
  logic [NUM_WARP-1:0][SgprW-1:0] sgpr_base;
  logic [NUM_WARP-1:0][6:0] sgprs;
  logic [NUM_WARP-1:0][VgprW-1:0] vgpr_base;
  logic [NUM_WARP-1:0][8:0] vgprs;
  logic exit, lds_reserve, lds_free;
  logic [LdsPageW-1:0] lds_available, lds_reserve_pages;
  logic [WarpW-1:0] lds_reserve_slot, lds_free_slot;

  ingot_dispatch #(
    .NUM_WARP    (NUM_WARP),
    .NUM_THREAD  (NUM_THREAD),
    .NUM_LDS_PAGE(NUM_LDS_PAGE),
    .NUM_SGPR_ROW(NUM_SGPR_ROW),
    .NUM_VGPR_ROW(NUM_VGPR_ROW)
  ) u_dispatch (
    .clk_i,
    .rst_ni,
    .wg_shown_i,
    .wg_valid_i,
    .wg_ready_o,
    .wg_i,
    .wg_done_o,
    .wg_done_index_o,
    .launch_o     (launch),
    .launch_warp_o(launch_warp),
    .launch_wid_o (launch_wid),
    .launch_wg_o  (launch_wg),
    .take_o       (wg_take),
    .warp_done_o  (warp_done),
    .launch_mask_o(launch_mask),
    .live_o       (live),
    .wg_slot_o    (wg_slot),
    .wg_warps_o   (wg_warps),
    .fetching_i   (fetching),
    .exit_i       (exit),
    .exit_warp_i  (op.warp),
    .sgpr_base_o  (sgpr_base),
    .sgprs_o      (sgprs),
    .vgpr_base_o  (vgpr_base),
    .vgprs_o      (vgprs),
    .lds_available_i(lds_available),
    .lds_reserve_o(lds_reserve),
    .lds_reserve_slot_o(lds_reserve_slot),
    .lds_reserve_pages_o(lds_reserve_pages),
    .free_o       (lds_free),
    .free_slot_o  (lds_free_slot)
  );

  // --- Fetch and decode ------------------------------------------------------------------------------------

  // The host writes code only between kernels, when every SM is idle. So the cache is flushed when an idle SM
  // gets a workgroup. Between that and the first launch only warps that have ended can fetch, and a launch
  // clears the line buffers of its slot. Code that a program writes while it runs is outside the ISA
  // (docs/isa-notes.md, code-stores).
  logic icache_flush;
  // FAULT(icache_flush_first, stale_state): wg_valid_i && wg_ready_o && wg_i.index == '0
  assign icache_flush = wg_valid_i && wg_ready_o && live == '0;

  // All workgroups that an SM has at a time are in one address space: kernels follow each other.
  address_space_t space;
  /* verilator lint_off UNUSEDSIGNAL */
  filled_t fetch_filled, data_filled;  // For the probe
  /* verilator lint_on UNUSEDSIGNAL */
  if (MMU != 0) begin : gen_mmu
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) space <= '0;
      else if (wg_valid_i && wg_ready_o) begin
        // FAULT(root_of_first_kernel, stale_state): '{translate: wg_space_i.translate,
        //     root: space.translate ? space.root : wg_space_i.root, asid: wg_space_i.asid}
        space <= wg_space_i;
      end
    end
    AssertOneSpace :
    assert property (@(posedge clk_i) disable iff (!rst_ni)
                     wg_valid_i && wg_ready_o && live != '0 |-> wg_space_i == space);
  end else begin : gen_no_mmu
    logic unused_space;
    assign unused_space = &{1'b0, wg_space_i};
    assign space = '0;
  end

  logic [NUM_WARP-1:0] vill, lmul2, full, slot_valid;
  logic [NUM_WARP-1:0][1:0] sew;
  logic [NUM_WARP-1:0][2:0] frm;
  logic [NUM_WARP-1:0][31:0] pc;
  uop_t slot_uop[NUM_WARP];
  /* verilator lint_off UNUSEDSIGNAL */
  found_t slot_fault[NUM_WARP];  // For the probe
  /* verilator lint_on UNUSEDSIGNAL */
  logic issue, issue_more, jump, jump_wait, stop;
  logic [WarpW-1:0] issue_warp, stop_warp;
  logic [31:0] jump_pc;
  logic [NUM_WARP-1:0] barrier_release;

  ingot_frontend #(
    .NUM_WARP      (NUM_WARP),
    .NUM_ICACHE_SET(NUM_ICACHE_SET),
    .NUM_MISS      (NumMiss),
    .PROFILE       (PROFILE),
    .MMU           (MMU)
  ) u_frontend (
    .clk_i,
    .rst_ni,
    .launch_i     (launch),
    .launch_warp_i(launch_warp),
    .launch_pc_i  (launch_wg.pc),
    .live_i       (live),
    .fetching_o   (fetching),
    .flush_i      (icache_flush),
    .space_i      (space),
    .invalidate_i,
    .vill_i       (vill),
    .lmul2_i      (lmul2),
    .sew_i        (sew),
    .frm_i        (frm),
    .full_i       (full),
    .sgprs_i      (sgprs),
    .vgprs_i      (vgprs),
    .pc_o         (pc),
    .valid_o      (slot_valid),
    .uop_o        (slot_uop),
    .fault_o      (slot_fault),
    .issue_i      (issue),
    .issue_warp_i (issue_warp),
    .issue_more_i (issue_more),
    .jump_i       (jump),
    .jump_warp_i  (op.warp),
    .jump_pc_i    (jump_pc),
    .jump_wait_i  (jump_wait),
    .release_i    (barrier_release),
    .stop_i       (stop),
    .stop_warp_i  (stop_warp),
    .imem_req_valid_o,
    .imem_req_ready_i,
    .imem_req_id_o,
    .imem_req_addr_o,
    .imem_rsp_valid_i,
    .imem_rsp_id_i,
    .imem_rsp_data_i,
    .imem_rsp_error_i,
    .tlb_req_valid_o(tlb_req_valid_o[0]),
    .tlb_req_ready_i(tlb_req_ready_i[0]),
    .tlb_req_o    (tlb_req_o[0]),
    .tlb_rsp_valid_i(tlb_rsp_valid_i[0]),
    .tlb_rsp_i,
    .tlb_filled_o (fetch_filled)
  );

  // --- Issue -----------------------------------------------------------------------------------------------

  logic [NUM_WARP-1:0][NUM_THREAD-1:0] thread_mask;
  logic [NUM_WARP-1:0][6:0] vl;
  always_comb begin
    for (int w = 0; w < int'(NUM_WARP); w++)
      full[w] = NUM_THREAD == MatrixThreads && thread_mask[w] == '1 && vl[w] == 7'(NUM_THREAD);
  end
  logic [NumUnits-1:0] unit_ready;
  logic [NUM_THREAD-1:0][31:0] op_c;
  logic [NUM_THREAD-1:0][63:0] op_wide1, op_wide2, op_wide3, op_wide_a, op_wide_b;
  logic [NUM_WARP-1:0] loads, stores, printing;
  /* verilator lint_off UNUSEDSIGNAL */
  uop_t issue_uop;  // Most fields are used in the next cycle, as op.uop
  /* verilator lint_on UNUSEDSIGNAL */
  write_x_t write_x;
  write_v_t write_v;

  ingot_issue_stage #(
    .NUM_WARP    (NUM_WARP),
    .NUM_THREAD  (NUM_THREAD),
    .NUM_SGPR_ROW(NUM_SGPR_ROW),
    .NUM_VGPR_ROW(NUM_VGPR_ROW),
    .PROFILE     (PROFILE),
    .MMU         (MMU),
    .NUM_UNIT    (NumUnits),
    .op_t        (op_t),
    .write_x_t   (write_x_t),
    .write_v_t   (write_v_t)
  ) u_issue_stage (
    .clk_i,
    .rst_ni,
    .launch_i     (launch),
    .launch_warp_i(launch_warp),
    .sgpr_base_i  (sgpr_base),
    .vgpr_base_i  (vgpr_base),
    .valid_i      (slot_valid),
    .uop_i        (slot_uop),
    .unit_ready_i (unit_ready),
    .loads_i      (loads),
    .stores_i     (stores),
    .printing_i   (printing),
    .mask_i       (thread_mask),
    .vl_i         (vl),
    .issue_o      (issue),
    .issue_warp_o (issue_warp),
    .issue_uop_o  (issue_uop),
    .issue_more_o (issue_more),
    .op_o         (op),
    .c_o          (op_c),
    .wide1_o      (op_wide1),
    .wide2_o      (op_wide2),
    .wide3_o      (op_wide3),
    .wide_a_o     (op_wide_a),
    .wide_b_o     (op_wide_b),
    .write_x_i    (write_x),
    .write_v_i    (write_v)
  );

  // --- Units -----------------------------------------------------------------------------------------------

  logic [NumUnits-1:0] result_valid, result_ready;
  result_t result[NumUnits];
  logic [1:0] vxrm;
  logic alu_saturated, mul_saturated;
  logic [WarpW-1:0] mul_saturated_warp;
  logic wide_saturated;
  logic [WarpW-1:0] wide_saturated_warp;
  logic [31:0] pds, lds, tid, wg_threads;
  logic arrive;

  ingot_int_units #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .op_t      (op_t),
    .result_t  (result_t)
  ) u_int (
    .clk_i,
    .rst_ni,
    .ready_o        (unit_ready[ResDiv:ResAlu]),
    .issue_i        (issue),
    .issue_unit_i   (issue_uop.dest_unit),
    .op_i           (op),
    .c_i            (op_c),
    .vxrm_i         (vxrm),
    .alu_saturated_o(alu_saturated),
    .mul_saturated_o(mul_saturated),
    .mul_saturated_warp_o(mul_saturated_warp),
    .valid_o        (result_valid[ResDiv:ResAlu]),
    .ready_i        (result_ready[ResDiv:ResAlu]),
    .result_o       (result[ResAlu:ResDiv])
  );

  ingot_fp_units #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .op_t      (op_t),
    .result_t  (result_t)
  ) u_fp (
    .clk_i,
    .rst_ni,
    .ready_o     (unit_ready[ResTensor:ResFpu]),
    .issue_i     (issue),
    .issue_unit_i(issue_uop.dest_unit),
    .op_i        (op),
    .c_i         (op_c),
    .valid_o     (result_valid[ResTensor:ResFpu]),
    .ready_i     (result_ready[ResTensor:ResFpu]),
    .result_o    (result[ResFpu:ResTensor])
  );

  if (Has.widths) begin : gen_wide
    ingot_wide #(
      .NUM_WARP  (NUM_WARP),
      .NUM_THREAD(NUM_THREAD)
    ) u_wide (
      .clk_i,
      .rst_ni,
      .ready_o         (unit_ready[ResWide]),
      .reserve_i       (issue && issue_uop.dest_unit == UnitWide),
      .valid_i         (op.valid && op.uop.dest_unit == UnitWide),
      .warp_i          (op.warp),
      .dest_i          (op.dest),
      .uop_i           (op.uop),
      .vxrm_i          (vxrm),
      .active_i        (op.active),
      .carry_i         (op.carry),
      .a_i             (op_wide_a),
      .b_i             (op_wide_b),
      .c_i             (op_wide3),
      .saturated_o     (wide_saturated),
      .saturated_warp_o(wide_saturated_warp),
      .valid_o         (result_valid[ResWide]),
      .ready_i         (result_ready[ResWide]),
      .warp_o          (result[ResWide].warp),
      .dest_o          (result[ResWide].dest),
      .mask_o          (result[ResWide].mask),
      .data_o          (result[ResWide].data),
      .fflags_o        (result[ResWide].fflags)
    );
  end else begin : gen_plain
    logic unused_wide;
    assign unused_wide = &{1'b0, op_wide3, op_wide_a, op_wide_b};
    assign wide_saturated = 1'b0;
    assign wide_saturated_warp = '0;
  end

  if (Has.toolchain) begin : gen_public
    ingot_public_units #(
      .NUM_WARP  (NUM_WARP),
      .NUM_THREAD(NUM_THREAD),
      .op_t      (op_t),
      .result_t  (result_t)
    ) u_public (
      .clk_i,
      .rst_ni,
      .ready_o     (unit_ready[NumUnits-1:NumUnit]),
      .issue_i     (issue),
      .issue_unit_i(issue_uop.dest_unit),
      .op_i        (op),
      .c_i         (op_c),
      .valid_o     (result_valid[NumUnits-1:NumUnit]),
      .ready_i     (result_ready[NumUnits-1:NumUnit]),
      .result_o    (result[NumUnit:NumUnits-1])
    );
  end

  logic op_follows;  // The operation's second part is still to issue
  logic data_fault;
  if (MMU != 0) begin : gen_follows
    always_ff @(posedge clk_i) op_follows <= issue_more;
  end else begin : gen_no_follows
    assign op_follows = 1'b0;
  end

  ingot_lsu #(
    .NUM_WARP    (NUM_WARP),
    .NUM_THREAD  (NUM_THREAD),
    .NUM_ENTRY   (NumEntry),
    .NUM_LDS_PAGE(NUM_LDS_PAGE),
    .NUM_LDS_BANK(NUM_LDS_BANK),
    .PROFILE     (PROFILE),
    .MMU         (MMU)
  ) u_lsu (
    .clk_i,
    .rst_ni,
    .launch_i       (launch),
    .launch_warp_i  (launch_warp),
    .ready_o        (unit_ready[ResLsu]),
    .reserve_i      (issue && issue_uop.dest_unit == UnitLsu),
    .reserve_warp_i (issue_warp),
    .reserve_ordered_i(issue_uop.mem.ordered),
    .loads_o        (loads),
    .stores_o       (stores),
    .valid_i        (op.valid && op.uop.dest_unit == UnitLsu),
    .warp_i         (op.warp),
    .wg_slot_i      (wg_slot[op.warp]),
    .dest_i         (op.dest),
    .has_result_i   (op.has_result),
    .ctrl_i         (op.uop.mem),
    .imm_i          (op.uop.imm),
    .pds_i          (pds),
    .lds_i          (lds),
    .tid_i          (tid),
    .wg_threads_i   (wg_threads),
    .part_i         (op.uop.part),
    .follows_i      (op_follows),
    .gather_i       (Has.prefix && op.valid && op.uop.more.words != '0 &&
                     op.uop.more.pass != op.uop.more.passes),
    .more_i         (op.uop.more),
    .active_i       (op.active),
    .src1_i         (op.src1),
    .src2_i         (op.src2),
    .src3_i         (op.src3),
    .base_high_i    (op.base_high),
    .data_high_i    (op.data_high),
    .space_i        (space),
    .invalidate_i,
    .error_o        (stop),
    .error_warp_o   (stop_warp),
    .page_fault_o   (data_fault),
    .valid_o        (result_valid[ResLsu]),
    .ready_i        (result_ready[ResLsu]),
    .warp_o         (result[ResLsu].warp),
    .dest_o         (result[ResLsu].dest),
    .mask_o         (result[ResLsu].mask),
    .data_o         (result[ResLsu].data),
    .lds_available_o(lds_available),
    .lds_reserve_i  (lds_reserve),
    .lds_reserve_slot_i(lds_reserve_slot),
    .lds_reserve_pages_i(lds_reserve_pages),
    .free_i         (lds_free),
    .free_slot_i    (lds_free_slot),
    .req_valid_o    (dmem_req_valid_o),
    .req_ready_i    (dmem_req_ready_i),
    .req_id_o       (dmem_req_id_o),
    .req_op_o       (dmem_req_op_o),
    .req_warp_o     (dmem_req_warp_o),
    .req_lanes_o    (dmem_req_lanes_o),
    .req_addr_o     (dmem_req_addr_o),
    .req_be_o       (dmem_req_be_o),
    .req_data_o     (dmem_req_data_o),
    .rsp_valid_i    (dmem_rsp_valid_i),
    .rsp_id_i       (dmem_rsp_id_i),
    .rsp_error_i    (dmem_rsp_error_i),
    .rsp_data_i     (dmem_rsp_data_i),
    .tlb_req_valid_o(tlb_req_valid_o[1]),
    .tlb_req_ready_i(tlb_req_ready_i[1]),
    .tlb_req_o      (tlb_req_o[1]),
    .tlb_rsp_valid_i(tlb_rsp_valid_i[1]),
    .tlb_rsp_i,
    .tlb_filled_o   (data_filled)
  );

  assign page_fault_o = data_fault || (op.valid && op.uop.ctl.kind == CtlPageFault);

  assign result[ResLsu].fflags = '0;

  ingot_control #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .PROFILE   (PROFILE),
    .op_t      (op_t),
    .result_t  (result_t)
  ) u_control (
    .clk_i,
    .rst_ni,
    .launch_i       (launch),
    .launch_warp_i  (launch_warp),
    .launch_wg_i    (launch_wg),
    .launch_wid_i   (launch_wid),
    .launch_mask_i  (launch_mask),
    .wg_take_i      (wg_take),
    .warp_done_i    (warp_done),
    .wg_slot_i      (wg_slot),
    .wg_warps_i     (wg_warps),
    .mask_o         (thread_mask),
    .vill_o         (vill),
    .lmul2_o        (lmul2),
    .sew_o          (sew),
    .frm_o          (frm),
    .vl_o           (vl),
    .printing_o     (printing),
    .ready_o        (unit_ready[ResCsr]),
    .reserve_i      (issue && issue_uop.dest_unit == UnitCsr &&
                      (issue_uop.write_x || issue_uop.write_v)),
    .op_i           (op),
    .wide1_i        (op_wide1),
    .wide2_i        (op_wide2),
    .pds_o          (pds),
    .lds_o          (lds),
    .tid_o          (tid),
    .wg_threads_o   (wg_threads),
    .vxrm_o         (vxrm),
    .jump_o         (jump),
    .jump_pc_o      (jump_pc),
    .jump_wait_o    (jump_wait),
    .arrive_o       (arrive),
    .release_o      (barrier_release),
    .exit_o         (exit),
    .alu_saturated_i(alu_saturated),
    .mul_saturated_i(mul_saturated),
    .mul_saturated_warp_i(mul_saturated_warp),
    .wide_saturated_i(wide_saturated),
    .wide_saturated_warp_i(wide_saturated_warp),
    .x_fflags_i     (write_x.fflags),
    .x_warp_i       (write_x.warp),
    .v_fflags_i     (write_v.fflags),
    .v_warp_i       (write_v.warp),
    .print_valid_o,
    .print_ready_i,
    .print_warp_o,
    .valid_o        (result_valid[ResCsr]),
    .ready_i        (result_ready[ResCsr]),
    .result_o       (result[ResCsr])
  );

  // --- Writeback -------------------------------------------------------------------------------------------

  ingot_writeback #(
    .NUM_THREAD(NUM_THREAD),
    .NUM_UNIT  (NumUnits),
    .result_t  (result_t),
    .write_x_t (write_x_t),
    .write_v_t (write_v_t)
  ) u_writeback (
    .clk_i,
    .rst_ni,
    .valid_i  (result_valid),
    .ready_o  (result_ready),
    .result_i (result),
    .write_x_o(write_x),
    .write_v_o(write_v)
  );

  // A register write stays within the rows of its warp.
  AssertWriteX :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   write_x.valid && write_x.mask |-> 7'(write_x.regno) < sgprs[write_x.warp]);
  AssertWriteV :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   write_v.valid |-> 9'(write_v.regno) < vgprs[write_v.warp]);

endmodule
