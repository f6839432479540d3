// One streaming multiprocessor of ingot:
//
//            +----------+   +-------+   +-----------+   +-----+   ALU  1 cycle
//   host --> | dispatch |   | fetch |-->| decode, 1 |-->|issue|-> MUL  3 cycles   --> writeback: 1 scalar and
//            +----------+   +-------+   | slot/warp |   +-----+   DIV  2 to 34        1 vector result a cycle,
//                               ^       +-----------+      ^      LSU  memory         with their flags
//                               |             ^            |      CSR  1 cycle            |
//                            imem port        +-- SIMT ----+      FPU, FDIV, FMISC,       v
//                                                                 SFU, TENSOR         registers, scoreboard, CSRs
//
// Issue is in order within a warp and round robin between warps; completion is out of order.  Registers hold
// at launch what their last owner left.  README.md beside this file has the parts one by one.
//
// The ports are those of the core (ingot.sv), without the SM's number.
module ingot_sm
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,  // warp slots, 1 to 16
  parameter int unsigned NUM_THREAD = 8,  // lanes: 4, 8, 16 or 32
  parameter int unsigned NUM_LDS_PAGE = 64,  // local memory: pages of 1 KiB ...
  parameter int unsigned NUM_LDS_BANK = NUM_THREAD < 8 ? NUM_THREAD : 8,  // ... in so many banks
  // Rows of the register files.  Four warps can have all registers, more share.
  parameter int unsigned NUM_SGPR_ROW = NumX * NUM_WARP,
  parameter int unsigned NUM_VGPR_ROW = NUM_WARP <= 4 ? NumV * NUM_WARP : NUM_WARP <= 8 ? NumV * 4 : NumV / 2 * NUM_WARP,
  parameter int unsigned NUM_ICACHE_SET = 16,  // instruction cache: sets of two lines of 16 bytes
  parameter int unsigned NUM_SM = 1,  // of the core, and which of them this is: for the records
  parameter int unsigned SM_ID = 0,
  localparam int unsigned NumMiss = 4,  // instruction memory requests on their way
  localparam int unsigned NumEntry = 4,  // data memory requests on their way
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned MissW = index_width(NumMiss),
  localparam int unsigned EntryW = index_width(NumEntry)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,  // asynchronous
  // workgroups
  input  logic                        wg_shown_i,  // the host has one: ready says whether there is room
  input  logic                        wg_valid_i,  // it is for this SM, which is ready
  output logic                        wg_ready_o,
  input  logic [31:0]                 wg_index_i,
  input  logic [31:0]                 wg_warps_i,
  input  logic [31:0]                 wg_threads_i,
  input  logic [31:0]                 wg_pc_i,
  input  logic [31:0]                 wg_knl_i,
  input  logic [31:0]                 wg_wgid_i,
  input  logic [31:0]                 wg_lds_i,
  input  logic [31:0]                 wg_pds_i,
  input  logic [31:0]                 wg_gdx_i,
  input  logic [31:0]                 wg_gdy_i,
  input  logic [31:0]                 wg_gdz_i,
  input  logic [31:0]                 wg_lds_size_i,
  input  logic [31:0]                 wg_sgprs_i,  // registers that each warp uses; 0: all
  input  logic [31:0]                 wg_vgprs_i,
  output logic                        wg_done_o,
  output logic [31:0]                 wg_done_index_o,
  // printing: a warp whose CSR_PRINT is not 0, and whose earlier stores are done; it is 0 once valid and ready have met
  output logic                        print_valid_o,
  input  logic                        print_ready_i,
  output logic [WarpW-1:0]            print_warp_o,
  // instruction memory
  output logic                        imem_req_valid_o,
  input  logic                        imem_req_ready_i,
  output logic [MissW-1:0]            imem_req_id_o,
  output logic [31:0]                 imem_req_addr_o,
  input  logic                        imem_rsp_valid_i,
  input  logic [MissW-1:0]            imem_rsp_id_i,
  input  logic [LineWords-1:0][31:0]  imem_rsp_data_i,
  input  logic                        imem_rsp_error_i,
  // data memory
  output logic                        dmem_req_valid_o,
  input  logic                        dmem_req_ready_i,
  output logic [EntryW-1:0]           dmem_req_id_o,
  output logic [3:0]                  dmem_req_op_o,  // ingot_pkg::mem_op_e
  output logic [WarpW-1:0]            dmem_req_warp_o,
  output logic [NUM_THREAD-1:0]       dmem_req_lanes_o,
  output logic [NUM_THREAD-1:0][31:0] dmem_req_addr_o,
  output logic [NUM_THREAD-1:0][3:0]  dmem_req_be_o,
  output logic [NUM_THREAD-1:0][31:0] dmem_req_data_o,
  input  logic                        dmem_rsp_valid_i,
  input  logic [EntryW-1:0]           dmem_rsp_id_i,
  input  logic                        dmem_rsp_error_i,
  input  logic [NUM_THREAD-1:0][31:0] dmem_rsp_data_i
);

  if (NUM_WARP < 1 || NUM_WARP > MaxWarp) begin : g_bad_num_warp
    $error("NUM_WARP must be 1 to 16");
  end
  if (NUM_THREAD != 4 && NUM_THREAD != 8 && NUM_THREAD != 16 && NUM_THREAD != 32) begin : g_bad_num_thread
    $error("NUM_THREAD must be 4, 8, 16 or 32");
  end
  if (NUM_LDS_BANK < 2 || NUM_LDS_BANK > 128 || (NUM_LDS_BANK & (NUM_LDS_BANK - 1)) != 0) begin : g_bad_num_lds_bank
    $error("NUM_LDS_BANK must be a power of two, 2 to 128");
  end
  if (NUM_SGPR_ROW < NumX || NUM_SGPR_ROW > NumX * NUM_WARP) begin : g_bad_num_sgpr_row
    $error("NUM_SGPR_ROW must be 64 to 64 a warp slot");
  end
  if (NUM_VGPR_ROW < NumV || NUM_VGPR_ROW > NumV * NUM_WARP) begin : g_bad_num_vgpr_row
    $error("NUM_VGPR_ROW must be 256 to 256 a warp slot");
  end
  if (SM_ID >= NUM_SM || NUM_SM > 255) begin : g_bad_sm_id
    $error("SM_ID must be less than NUM_SM, and both must fit the records' 8 bits");
  end

  // --- Dispatch ----------------------------------------------------------------------------------------------------

  localparam int unsigned CountW = $clog2(NUM_WARP + 1);

  workgroup_t wg;
  assign wg = '{
    index: wg_index_i,
    warps: wg_warps_i,
    threads: wg_threads_i,
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

  logic launch;
  logic [WarpW-1:0] launch_warp;
  logic [31:0] launch_wid;
  workgroup_t launch_wg;
  logic [NUM_THREAD-1:0] launch_mask;
  logic [NUM_WARP-1:0] live, fetching;
  logic [NUM_WARP-1:0][WarpW-1:0] wg_slot;
  logic [NUM_WARP-1:0][CountW-1:0] wg_warps;
  localparam int unsigned LdsPageW = $clog2(NUM_LDS_PAGE + 1);
  logic exit, lds_free, lds_reserve;
  logic [LdsPageW-1:0] lds_available, lds_reserve_pages;
  logic [WarpW-1:0] lds_reserve_slot;
  localparam int unsigned SgprW = index_width(NUM_SGPR_ROW);
  localparam int unsigned VgprW = index_width(NUM_VGPR_ROW);
  logic [NUM_WARP-1:0][SgprW-1:0] sgpr_base;
  logic [NUM_WARP-1:0][6:0] sgprs;
  logic [NUM_WARP-1:0][VgprW-1:0] vgpr_base;
  logic [NUM_WARP-1:0][8:0] vgprs;
  logic [WarpW-1:0] lds_free_slot;

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
    .wg_i         (wg),
    .wg_done_o,
    .wg_done_index_o,
    .launch_o     (launch),
    .launch_warp_o(launch_warp),
    .launch_wid_o (launch_wid),
    .launch_wg_o  (launch_wg),
    .launch_mask_o(launch_mask),
    .live_o       (live),
    .wg_slot_o    (wg_slot),
    .wg_warps_o   (wg_warps),
    .fetching_i   (fetching),
    .exit_i       (exit),
    .exit_warp_i  (op_warp),
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

  // --- Fetch and decode --------------------------------------------------------------------------------------------

  logic [NUM_WARP-1:0][31:0] pc;
  logic [NUM_WARP-1:0] avail0, avail1;
  logic [WarpW-1:0] decode_warp;
  logic [31:0] word0, word1;
  logic error0, error1;
  logic fetch_req_valid, fetch_req_ready, fetch_rsp_valid, fetch_rsp_error;
  logic [WarpW-1:0] fetch_req_warp, fetch_rsp_warp;
  logic [31:0] fetch_req_addr;
  logic [LineWords-1:0][31:0] fetch_rsp_data;

  ingot_fetch #(
    .NUM_WARP(NUM_WARP)
  ) u_fetch (
    .clk_i,
    .rst_ni,
    .live_i       (live),
    .pc_i         (pc),
    .launch_i     (launch),
    .launch_warp_i(launch_warp),
    .busy_o       (fetching),
    .avail0_o     (avail0),
    .avail1_o     (avail1),
    .sel_i        (decode_warp),
    .word0_o      (word0),
    .word1_o      (word1),
    .error0_o     (error0),
    .error1_o     (error1),
    .req_valid_o  (fetch_req_valid),
    .req_ready_i  (fetch_req_ready),
    .req_warp_o   (fetch_req_warp),
    .req_addr_o   (fetch_req_addr),
    .rsp_valid_i  (fetch_rsp_valid),
    .rsp_warp_i   (fetch_rsp_warp),
    .rsp_data_i   (fetch_rsp_data),
    .rsp_error_i  (fetch_rsp_error)
  );

  // The host writes code only between kernels.  Every SM is idle then, so that its next workgroup finds it idle, and
  // forgets what it knows of the code before; nothing is fetched between that and the first launch but for warps that
  // have ended, whose slots' buffers a launch clears.  Code that a program writes while it runs is outside the ISA
  // (docs/isa-notes.md, code-stores).
  logic icache_flush;
  // FAULT(icache_flush_first, stale_state): wg_valid_i && wg_ready_o && wg_index_i == '0
  assign icache_flush = wg_valid_i && wg_ready_o && live == '0;

  ingot_icache #(
    .NUM_WARP(NUM_WARP),
    .NUM_SET (NUM_ICACHE_SET),
    .NUM_MISS(NumMiss)
  ) u_icache (
    .clk_i,
    .rst_ni,
    .flush_i        (icache_flush),
    .req_valid_i    (fetch_req_valid),
    .req_ready_o    (fetch_req_ready),
    .req_warp_i     (fetch_req_warp),
    .req_addr_i     (fetch_req_addr),
    .rsp_valid_o    (fetch_rsp_valid),
    .rsp_warp_o     (fetch_rsp_warp),
    .rsp_data_o     (fetch_rsp_data),
    .rsp_error_o    (fetch_rsp_error),
    .mem_req_valid_o(imem_req_valid_o),
    .mem_req_ready_i(imem_req_ready_i),
    .mem_req_id_o   (imem_req_id_o),
    .mem_req_addr_o (imem_req_addr_o),
    .mem_rsp_valid_i(imem_rsp_valid_i),
    .mem_rsp_id_i   (imem_rsp_id_i),
    .mem_rsp_data_i (imem_rsp_data_i),
    .mem_rsp_error_i(imem_rsp_error_i)
  );

  logic [NUM_WARP-1:0] vill, lmul2, slot_valid;
  logic [NUM_WARP-1:0][2:0] frm;
  uop_t slot_uop[NUM_WARP];
  logic issue, issue_more;
  logic [WarpW-1:0] issue_warp;
  /* verilator lint_off UNUSEDSIGNAL */
  uop_t issue_uop;  // most of it is used a cycle later, as op_uop
  /* verilator lint_on UNUSEDSIGNAL */
  logic jump, jump_wait;
  logic [31:0] jump_pc;
  logic [NUM_WARP-1:0] barrier_release;
  logic stop;
  logic [WarpW-1:0] stop_warp;

  ingot_front #(
    .NUM_WARP(NUM_WARP)
  ) u_front (
    .clk_i,
    .rst_ni,
    .launch_i     (launch),
    .launch_warp_i(launch_warp),
    .launch_pc_i  (launch_wg.pc),
    .live_i       (live),
    .pc_o         (pc),
    .avail0_i     (avail0),
    .avail1_i     (avail1),
    .sel_o        (decode_warp),
    .word0_i      (word0),
    .word1_i      (word1),
    .error0_i     (error0),
    .error1_i     (error1),
    .vill_i       (vill),
    .lmul2_i      (lmul2),
    .frm_i        (frm),
    .sgprs_i      (sgprs),
    .vgprs_i      (vgprs),
    .valid_o      (slot_valid),
    .uop_o        (slot_uop),
    .issue_i      (issue),
    .issue_warp_i (issue_warp),
    .issue_more_i (issue_more),
    .jump_i       (jump),
    .jump_warp_i  (op_warp),
    .jump_pc_i    (jump_pc),
    .jump_wait_i  (jump_wait),
    .release_i    (barrier_release),
    .stop_i       (stop),
    .stop_warp_i  (stop_warp)
  );

  // --- Issue -------------------------------------------------------------------------------------------------------

  logic [NUM_WARP-1:0] hazard, sb_empty;
  logic [NUM_WARP-1:0][NUM_THREAD-1:0] thread_mask;
  logic [NUM_WARP-1:0][6:0] vl;
  logic alu_ready, mul_ready, div_ready, lsu_ready, csr_ready;
  logic fpu_ready, fdiv_ready, fmisc_ready, sfu_ready, tensor_ready;
  logic [NUM_WARP-1:0] loads, stores, printing;
  logic [31:0] rf_x1, rf_x2, rf_x3;
  logic [NUM_THREAD-1:0][31:0] rf_v0, rf_v1, rf_v2, rf_v3, rf_base_high, rf_data_high;

  logic op_valid;
  logic [WarpW-1:0] op_warp;
  tag_t op_tag;
  // The port's probe reports what the units themselves do not use of these.
  /* verilator lint_off UNUSEDSIGNAL */
  uop_t op_uop;
  logic [NUM_THREAD-1:0] op_mask;
  logic [NUM_THREAD-1:0][31:0] op_v0;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [NUM_THREAD-1:0] op_active;
  logic [NUM_THREAD-1:0][31:0] op_src1, op_src2, op_src3, op_base_high, op_data_high;

  ingot_issue #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_issue (
    .clk_i,
    .rst_ni,
    .launch_i     (launch),
    .launch_warp_i(launch_warp),
    .valid_i      (slot_valid),
    .uop_i        (slot_uop),
    .hazard_i     (hazard),
    .empty_i      (sb_empty),
    .issue_o      (issue),
    .issue_warp_o (issue_warp),
    .issue_uop_o  (issue_uop),
    .issue_more_o (issue_more),
    .mask_i       (thread_mask),
    .vl_i         (vl),
    .alu_ready_i  (alu_ready),
    .mul_ready_i  (mul_ready),
    .div_ready_i  (div_ready),
    .lsu_ready_i  (lsu_ready),
    .csr_ready_i  (csr_ready),
    .fpu_ready_i  (fpu_ready),
    .fdiv_ready_i (fdiv_ready),
    .fmisc_ready_i(fmisc_ready),
    .sfu_ready_i  (sfu_ready),
    .tensor_ready_i(tensor_ready),
    .loads_i      (loads),
    .stores_i     (stores),
    .printing_i   (printing),
    .x1_i         (rf_x1),
    .x2_i         (rf_x2),
    .x3_i         (rf_x3),
    .v0_i         (rf_v0),
    .v1_i         (rf_v1),
    .v2_i         (rf_v2),
    .v3_i         (rf_v3),
    .base_high_i  (rf_base_high),
    .data_high_i  (rf_data_high),
    .op_valid_o   (op_valid),
    .op_warp_o    (op_warp),
    .op_tag_o     (op_tag),
    .op_uop_o     (op_uop),
    .op_mask_o    (op_mask),
    .op_active_o  (op_active),
    .op_src1_o    (op_src1),
    .op_src2_o    (op_src2),
    .op_src3_o    (op_src3),
    .op_v0_o      (op_v0),
    .op_base_high_o(op_base_high),
    .op_data_high_o(op_data_high)
  );

  logic wx_valid, wx_mask, wv_valid;
  logic [WarpW-1:0] wx_warp, wv_warp;
  logic [5:0] wx_reg;
  logic [7:0] wv_reg;
  logic [31:0] wx_data;
  logic [NUM_THREAD-1:0] wv_mask;
  logic [NUM_THREAD-1:0][31:0] wv_data;
  /* verilator lint_off UNUSEDSIGNAL */
  tag_t wx_tag, wv_tag;  // for the probe
  /* verilator lint_on UNUSEDSIGNAL */

  ingot_scoreboard #(
    .NUM_WARP(NUM_WARP)
  ) u_scoreboard (
    .clk_i,
    .rst_ni,
    .launch_i      (launch),
    .launch_warp_i (launch_warp),
    .uop_i         (slot_uop),
    .hazard_o      (hazard),
    .empty_o       (sb_empty),
    .set_i         (issue && (issue_uop.write_x || issue_uop.write_v)),
    .set_warp_i    (issue_warp),
    .set_v_i       (issue_uop.write_v),
    .set_reg_i     (issue_uop.rd),
    .set_pair_i    (issue_uop.mem.data_pair),
    .clear_x_i     (wx_valid),
    .clear_x_warp_i(wx_warp),
    .clear_x_reg_i (wx_reg),
    .clear_v_i     (wv_valid),
    .clear_v_warp_i(wv_warp),
    .clear_v_reg_i (wv_reg)
  );

  ingot_regfile #(
    .NUM_WARP    (NUM_WARP),
    .NUM_THREAD  (NUM_THREAD),
    .NUM_SGPR_ROW(NUM_SGPR_ROW),
    .NUM_VGPR_ROW(NUM_VGPR_ROW)
  ) u_regfile (
    .clk_i,
    .sgpr_base_i  (sgpr_base),
    .vgpr_base_i  (vgpr_base),
    .warp_i       (issue_warp),
    .rs1_i        (issue_uop.rs1),
    .rs2_i        (issue_uop.rs2),
    .rs3_i        (issue_uop.rs3),
    .part_i       (issue_uop.part),
    .base_pair_i  (issue_uop.mem.base_pair),
    .base_v_i     (issue_uop.use1 == UseV),
    .data_pair_i  (issue_uop.mem.data_pair && issue_uop.mem.op == MemStore),
    .data_v_i     (issue_uop.is_vector),
    .data_src3_i  (issue_uop.mem.data_src3),
    .x1_o         (rf_x1),
    .x2_o         (rf_x2),
    .x3_o         (rf_x3),
    .v0_o         (rf_v0),
    .v1_o         (rf_v1),
    .v2_o         (rf_v2),
    .v3_o         (rf_v3),
    .base_high_o  (rf_base_high),
    .data_high_o  (rf_data_high),
    .wx_valid_i   (wx_valid),
    .wx_warp_i    (wx_warp),
    .wx_reg_i     (wx_reg),
    .wx_mask_i    (wx_mask),
    .wx_data_i    (wx_data),
    .wv_valid_i   (wv_valid),
    .wv_warp_i    (wv_warp),
    .wv_reg_i     (wv_reg),
    .wv_mask_i    (wv_mask),
    .wv_data_i    (wv_data)
  );

  // --- Units -------------------------------------------------------------------------------------------------------

  // The operands of the arithmetic units.
  logic [NUM_THREAD-1:0][31:0] op_a, op_b;
  logic [NUM_THREAD-1:0] op_carry;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      unique case (op_uop.a_sel)
        ASrc1: op_a[l] = op_src1[l];
        ASrc2: op_a[l] = op_src2[l];
        APc: op_a[l] = op_uop.pc;
        default: op_a[l] = '0;
      endcase
      unique case (op_uop.b_sel)
        BSrc1: op_b[l] = op_src1[l];
        BSrc2: op_b[l] = op_src2[l];
        BImm: op_b[l] = op_uop.imm;
        default: op_b[l] = 32'd4;
      endcase
      op_carry[l] = op_v0[l][0];
    end
  end

  dest_t op_dest;
  logic op_has_result;
  assign op_dest = '{tag: op_tag, is_v: op_uop.write_v, rd: op_uop.rd};
  assign op_has_result = op_uop.write_x || op_uop.write_v;

  // Results in the order of these numbers.
  localparam int unsigned NumUnit = 10;
  localparam int unsigned ResAlu = 0;
  localparam int unsigned ResMul = 1;
  localparam int unsigned ResDiv = 2;
  localparam int unsigned ResLsu = 3;
  localparam int unsigned ResCsr = 4;
  localparam int unsigned ResFpu = 5;  // and all behind it raise flags
  localparam int unsigned ResFdiv = 6;
  localparam int unsigned ResFmisc = 7;
  localparam int unsigned ResSfu = 8;
  localparam int unsigned ResTensor = 9;
  logic [NumUnit-1:0] res_valid, res_ready;
  logic [WarpW-1:0] res_warp[NumUnit];
  dest_t res_dest[NumUnit];
  logic [NUM_THREAD-1:0] res_mask[NumUnit];
  logic [NUM_THREAD-1:0][31:0] res_data[NumUnit];
  fflags_t res_fflags[NumUnit];
  for (genvar u = 0; u < int'(ResFpu); u++) begin : g_no_flags
    assign res_fflags[u] = '0;
  end
  fflags_t wx_fflags, wv_fflags;

  // Fixed point: vxrm of the operation's warp, and what sets vxsat.
  logic [1:0] csr_vxrm;
  logic alu_saturated, mul_saturated;
  logic [WarpW-1:0] mul_saturated_warp;

  ingot_alu #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_alu (
    .clk_i,
    .rst_ni,
    .ready_o  (alu_ready),
    .reserve_i(issue && issue_uop.dest_unit == UnitAlu),
    .valid_i  (op_valid && op_uop.dest_unit == UnitAlu),
    .warp_i   (op_warp),
    .dest_i   (op_dest),
    .ctrl_i   (op_uop.alu),
    .vxrm_i   (csr_vxrm),
    .part_i   (op_uop.part),
    .active_i (op_active),
    .carry_i  (op_carry),
    .a_i      (op_a),
    .b_i      (op_b),
    .saturated_o(alu_saturated),
    .valid_o  (res_valid[ResAlu]),
    .ready_i  (res_ready[ResAlu]),
    .warp_o   (res_warp[ResAlu]),
    .dest_o   (res_dest[ResAlu]),
    .mask_o   (res_mask[ResAlu]),
    .data_o   (res_data[ResAlu])
  );

  ingot_mul #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_mul (
    .clk_i,
    .rst_ni,
    .ready_o  (mul_ready),
    .reserve_i(issue && issue_uop.dest_unit == UnitMul),
    .valid_i  (op_valid && op_uop.dest_unit == UnitMul),
    .warp_i   (op_warp),
    .dest_i   (op_dest),
    .ctrl_i   (op_uop.mul),
    .vxrm_i   (csr_vxrm),
    .active_i (op_active),
    .a_i      (op_a),
    .b_i      (op_b),
    .c_i      (op_src3),
    .saturated_o(mul_saturated),
    .saturated_warp_o(mul_saturated_warp),
    .valid_o  (res_valid[ResMul]),
    .ready_i  (res_ready[ResMul]),
    .warp_o   (res_warp[ResMul]),
    .dest_o   (res_dest[ResMul]),
    .mask_o   (res_mask[ResMul]),
    .data_o   (res_data[ResMul])
  );

  ingot_div #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_div (
    .clk_i,
    .rst_ni,
    .ready_o  (div_ready),
    .reserve_i(issue && issue_uop.dest_unit == UnitDiv),
    .valid_i  (op_valid && op_uop.dest_unit == UnitDiv),
    .warp_i   (op_warp),
    .dest_i   (op_dest),
    .ctrl_i   (op_uop.div),
    .active_i (op_active),
    .a_i      (op_a),
    .b_i      (op_b),
    .valid_o  (res_valid[ResDiv]),
    .ready_i  (res_ready[ResDiv]),
    .warp_o   (res_warp[ResDiv]),
    .dest_o   (res_dest[ResDiv]),
    .mask_o   (res_mask[ResDiv]),
    .data_o   (res_data[ResDiv])
  );

  ingot_fpu #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_fpu (
    .clk_i,
    .rst_ni,
    .ready_o  (fpu_ready),
    .reserve_i(issue && issue_uop.dest_unit == UnitFpu),
    .valid_i  (op_valid && op_uop.dest_unit == UnitFpu),
    .warp_i   (op_warp),
    .dest_i   (op_dest),
    .ctrl_i   (op_uop.fp.fpu),
    .rm_i     (op_uop.fp.rm),
    .active_i (op_active),
    .a_i      (op_a),
    .b_i      (op_b),
    .c_i      (op_src3),
    .valid_o  (res_valid[ResFpu]),
    .ready_i  (res_ready[ResFpu]),
    .warp_o   (res_warp[ResFpu]),
    .dest_o   (res_dest[ResFpu]),
    .mask_o   (res_mask[ResFpu]),
    .data_o   (res_data[ResFpu]),
    .fflags_o (res_fflags[ResFpu])
  );

  ingot_fdiv #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_fdiv (
    .clk_i,
    .rst_ni,
    .ready_o  (fdiv_ready),
    .reserve_i(issue && issue_uop.dest_unit == UnitFdiv),
    .valid_i  (op_valid && op_uop.dest_unit == UnitFdiv),
    .warp_i   (op_warp),
    .dest_i   (op_dest),
    .ctrl_i   (op_uop.fp.fdiv),
    .rm_i     (op_uop.fp.rm),
    .active_i (op_active),
    .a_i      (op_a),
    .b_i      (op_b),
    .valid_o  (res_valid[ResFdiv]),
    .ready_i  (res_ready[ResFdiv]),
    .warp_o   (res_warp[ResFdiv]),
    .dest_o   (res_dest[ResFdiv]),
    .mask_o   (res_mask[ResFdiv]),
    .data_o   (res_data[ResFdiv]),
    .fflags_o (res_fflags[ResFdiv])
  );

  ingot_fmisc #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_fmisc (
    .clk_i,
    .rst_ni,
    .ready_o  (fmisc_ready),
    .reserve_i(issue && issue_uop.dest_unit == UnitFmisc),
    .valid_i  (op_valid && op_uop.dest_unit == UnitFmisc),
    .warp_i   (op_warp),
    .dest_i   (op_dest),
    .op_i     (op_uop.fp.fmisc),
    .rm_i     (op_uop.fp.rm),
    .active_i (op_active),
    .a_i      (op_a),
    .b_i      (op_b),
    .valid_o  (res_valid[ResFmisc]),
    .ready_i  (res_ready[ResFmisc]),
    .warp_o   (res_warp[ResFmisc]),
    .dest_o   (res_dest[ResFmisc]),
    .mask_o   (res_mask[ResFmisc]),
    .data_o   (res_data[ResFmisc]),
    .fflags_o (res_fflags[ResFmisc])
  );

  ingot_sfu #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_sfu (
    .clk_i,
    .rst_ni,
    .ready_o  (sfu_ready),
    .reserve_i(issue && issue_uop.dest_unit == UnitSfu),
    .valid_i  (op_valid && op_uop.dest_unit == UnitSfu),
    .warp_i   (op_warp),
    .dest_i   (op_dest),
    .rm_i     (op_uop.fp.rm),
    .active_i (op_active),
    .a_i      (op_a),
    .valid_o  (res_valid[ResSfu]),
    .ready_i  (res_ready[ResSfu]),
    .warp_o   (res_warp[ResSfu]),
    .dest_o   (res_dest[ResSfu]),
    .mask_o   (res_mask[ResSfu]),
    .data_o   (res_data[ResSfu]),
    .fflags_o (res_fflags[ResSfu])
  );

  ingot_tensor #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_tensor (
    .clk_i,
    .rst_ni,
    .ready_o  (tensor_ready),
    .reserve_i(issue && issue_uop.dest_unit == UnitTensor),
    .valid_i  (op_valid && op_uop.dest_unit == UnitTensor),
    .warp_i   (op_warp),
    .dest_i   (op_dest),
    .rm_i     (op_uop.fp.rm),
    .active_i (op_active),
    .a_i      (op_a),
    .b_i      (op_b),
    .c_i      (op_src3),
    .valid_o  (res_valid[ResTensor]),
    .ready_i  (res_ready[ResTensor]),
    .warp_o   (res_warp[ResTensor]),
    .dest_o   (res_dest[ResTensor]),
    .mask_o   (res_mask[ResTensor]),
    .data_o   (res_data[ResTensor]),
    .fflags_o (res_fflags[ResTensor])
  );

  logic [31:0] csr_rpc, csr_pds, csr_tid, csr_wg_threads;

  ingot_lsu #(
    .NUM_WARP    (NUM_WARP),
    .NUM_THREAD  (NUM_THREAD),
    .NUM_ENTRY   (NumEntry),
    .NUM_LDS_PAGE(NUM_LDS_PAGE),
    .NUM_LDS_BANK(NUM_LDS_BANK)
  ) u_lsu (
    .clk_i,
    .rst_ni,
    .launch_i       (launch),
    .launch_warp_i  (launch_warp),
    .ready_o        (lsu_ready),
    .reserve_i      (issue && issue_uop.dest_unit == UnitLsu),
    .reserve_warp_i (issue_warp),
    .reserve_ordered_i(issue_uop.mem.ordered),
    .loads_o        (loads),
    .stores_o       (stores),
    .valid_i        (op_valid && op_uop.dest_unit == UnitLsu),
    .warp_i         (op_warp),
    .wg_slot_i      (wg_slot[op_warp]),
    .dest_i         (op_dest),
    .has_result_i   (op_has_result),
    .ctrl_i         (op_uop.mem),
    .imm_i          (op_uop.imm),
    .pds_i          (csr_pds),
    .tid_i          (csr_tid),
    .wg_threads_i   (csr_wg_threads),
    .part_i         (op_uop.part),
    .active_i       (op_active),
    .src1_i         (op_src1),
    .src2_i         (op_src2),
    .src3_i         (op_src3),
    .base_high_i    (op_base_high),
    .data_high_i    (op_data_high),
    .error_o        (stop),
    .error_warp_o   (stop_warp),
    .valid_o        (res_valid[ResLsu]),
    .ready_i        (res_ready[ResLsu]),
    .warp_o         (res_warp[ResLsu]),
    .dest_o         (res_dest[ResLsu]),
    .mask_o         (res_mask[ResLsu]),
    .data_o         (res_data[ResLsu]),
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
    .rsp_data_i     (dmem_rsp_data_i)
  );

  logic csr_illegal;

  ingot_csr #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_csr (
    .clk_i,
    .rst_ni,
    .launch_i     (launch),
    .launch_warp_i(launch_warp),
    .launch_wg_i  (launch_wg),
    .launch_wid_i (launch_wid),
    .vill_o       (vill),
    .lmul2_o      (lmul2),
    .frm_o        (frm),
    .vl_o         (vl),
    .sel_i        (op_warp),
    .rpc_o        (csr_rpc),
    .pds_o        (csr_pds),
    .tid_o        (csr_tid),
    .wg_threads_o (csr_wg_threads),
    .vxrm_o       (csr_vxrm),
    .alu_saturated_i(alu_saturated),
    .alu_warp_i   (op_warp),
    .mul_saturated_i(mul_saturated),
    .mul_warp_i   (mul_saturated_warp),
    .x_fflags_i   (wx_fflags),
    .x_warp_i     (wx_warp),
    .v_fflags_i   (wv_fflags),
    // FAULT(flags_to_other_warp, misrouted): op_warp
    .v_warp_i     (wv_warp),
    .printing_o   (printing),
    .print_valid_o,
    .print_ready_i,
    .print_warp_o,
    .ready_o      (csr_ready),
    .reserve_i    (issue && issue_uop.dest_unit == UnitCsr && issue_uop.write_x),
    .valid_i      (op_valid && op_uop.dest_unit == UnitCsr),
    .warp_i       (op_warp),
    .dest_i       (op_dest),
    .ctrl_i       (op_uop.csr),
    .has_result_i (op_has_result),
    .imm_i        (op_uop.imm),
    .src1_i       (op_src1[0]),
    .src2_i       (op_src2[0]),
    .illegal_o    (csr_illegal),
    .valid_o      (res_valid[ResCsr]),
    .ready_i      (res_ready[ResCsr]),
    .warp_o       (res_warp[ResCsr]),
    .dest_o       (res_dest[ResCsr]),
    .mask_o       (res_mask[ResCsr]),
    .data_o       (res_data[ResCsr])
  );

  logic arrive;

  ingot_simt #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_simt (
    .clk_i,
    .rst_ni,
    .launch_i     (launch),
    .launch_warp_i(launch_warp),
    .launch_mask_i(launch_mask),
    .mask_o       (thread_mask),
    .valid_i      (op_valid),
    .warp_i       (op_warp),
    .ctrl_i       (op_uop.ctl),
    .pc_i         (op_uop.pc),
    .imm_i        (op_uop.imm),
    .rpc_i        (csr_rpc),
    .src1_i       (op_src1),
    .src2_i       (op_src2),
    .csr_illegal_i(csr_illegal),
    .jump_o       (jump),
    .jump_pc_o    (jump_pc),
    .jump_wait_o  (jump_wait),
    .arrive_o     (arrive),
    .exit_o       (exit)
  );

  ingot_barrier #(
    .NUM_WARP(NUM_WARP)
  ) u_barrier (
    .clk_i,
    .rst_ni,
    .arrive_i  (arrive),
    .warp_i    (op_warp),
    .wg_slot_i (wg_slot[op_warp]),
    .wg_warps_i(wg_warps),
    .release_o (barrier_release)
  );

  // --- Writeback ---------------------------------------------------------------------------------------------------

  ingot_writeback #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .NUM_UNIT  (NumUnit)
  ) u_writeback (
    .clk_i,
    .rst_ni,
    .valid_i  (res_valid),
    .ready_o  (res_ready),
    .warp_i   (res_warp),
    .dest_i   (res_dest),
    .mask_i   (res_mask),
    .data_i   (res_data),
    .fflags_i (res_fflags),
    .x_valid_o(wx_valid),
    .x_warp_o (wx_warp),
    .x_tag_o  (wx_tag),
    .x_reg_o  (wx_reg),
    .x_mask_o (wx_mask),
    .x_data_o (wx_data),
    .x_fflags_o(wx_fflags),
    .v_valid_o(wv_valid),
    .v_warp_o (wv_warp),
    .v_tag_o  (wv_tag),
    .v_reg_o  (wv_reg),
    .v_mask_o (wv_mask),
    .v_data_o (wv_data),
    .v_fflags_o(wv_fflags)
  );

  // No result leaves the rows of its warp.
  AssertWriteX :
  assert property (@(posedge clk_i) disable iff (!rst_ni) wx_valid && wx_mask |-> 7'(wx_reg) < sgprs[wx_warp]);
  AssertWriteV :
  assert property (@(posedge clk_i) disable iff (!rst_ni) wv_valid |-> 9'(wv_reg) < vgprs[wv_warp]);

endmodule
