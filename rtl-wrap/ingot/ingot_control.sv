// The state of the warps, and the instructions that change it: CSRs, thread masks with the SIMT stacks,
// barriers.
module ingot_control
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned PROFILE = 202,
  // These types are those of ingot_sm.
  parameter type op_t = logic,
  parameter type result_t = logic,
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned CountW = $clog2(NUM_WARP + 1)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  // Launch
  input  logic                                launch_i,
  input  logic [WarpW-1:0]                    launch_warp_i,
  input  workgroup_t                          launch_wg_i,
  input  logic [31:0]                         launch_wid_i,
  input  logic [NUM_THREAD-1:0]               launch_mask_i,
  input  logic                                wg_take_i,  // As in ingot_lane_ids
  input  logic                                warp_done_i,
  // Workgroups
  input  logic [NUM_WARP-1:0][WarpW-1:0]      wg_slot_i,  // Workgroup slot of each warp slot
  input  logic [NUM_WARP-1:0][CountW-1:0]     wg_warps_i,  // Warps of the workgroup in each workgroup slot
  // state of each warp
  output logic [NUM_WARP-1:0][NUM_THREAD-1:0] mask_o,  // Thread mask
  output logic [NUM_WARP-1:0]                 vill_o,
  output logic [NUM_WARP-1:0]                 lmul2_o,
  output logic [NUM_WARP-1:0][1:0]            sew_o,
  output logic [NUM_WARP-1:0][2:0]            frm_o,
  output logic [NUM_WARP-1:0][6:0]            vl_o,
  output logic [NUM_WARP-1:0]                 printing_o,  // CSR_PRINT is not 0
  // operation
  output logic                                ready_o,  // The CSR unit has room
  input  logic                                reserve_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  op_t                                 op_i,  // Some fields are for other units
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NUM_THREAD-1:0][63:0]         wide1_i,  // In v2.03: sources 1 and 2 of a comparison
  input  logic [NUM_THREAD-1:0][63:0]         wide2_i,
  // CSRs of the warp in op_i
  output logic [31:0]                         pds_o,
  output logic [31:0]                         lds_o,
  output logic [31:0]                         tid_o,
  output logic [31:0]                         wg_threads_o,  // Threads in the workgroup
  output logic [1:0]                          vxrm_o,
  // Control flow: as in ingot_front
  output logic                                jump_o,
  output logic [31:0]                         jump_pc_o,
  output logic                                jump_wait_o,
  output logic                                arrive_o,  // A warp arrives at a barrier
  output logic [NUM_WARP-1:0]                 release_o,
  output logic                                exit_o,
  // Saturation and floating-point flags of other units: as in ingot_csr
  input  logic                                alu_saturated_i,
  input  logic                                mul_saturated_i,
  input  logic [WarpW-1:0]                    mul_saturated_warp_i,
  input  logic                                wide_saturated_i,
  input  logic [WarpW-1:0]                    wide_saturated_warp_i,
  input  fflags_t                             x_fflags_i,
  input  logic [WarpW-1:0]                    x_warp_i,
  input  fflags_t                             v_fflags_i,
  input  logic [WarpW-1:0]                    v_warp_i,
  // Printing
  output logic                                print_valid_o,
  input  logic                                print_ready_i,
  output logic [WarpW-1:0]                    print_warp_o,
  // Result
  output logic                                valid_o,
  input  logic                                ready_i,
  output result_t                             result_o
);

  localparam features_t Has = features_of(PROFILE);

  logic [31:0] rpc;
  logic csr_illegal;

  // CSRs that have a value of each lane.
  logic of_lanes;
  logic [NUM_THREAD-1:0][31:0] lane_csr;
  if (Has.toolchain) begin : gen_ids
    ingot_lane_ids #(
      .NUM_WARP  (NUM_WARP),
      .NUM_THREAD(NUM_THREAD)
    ) u_ids (
      .clk_i,
      .launch_i,
      .launch_warp_i,
      .launch_wg_i,
      .wg_take_i,
      .warp_done_i,
      .warp_i  (op_i.warp),
      .addr_i  (op_i.uop.csr.addr),
      .is_id_o (of_lanes),
      .value_o (lane_csr)
    );
  end else begin : gen_no_ids
    logic unused_ids;
    assign unused_ids = &{1'b0, wg_take_i, warp_done_i};
    assign of_lanes = 1'b0;
    assign lane_csr = '0;
  end

  ingot_csr #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .PROFILE   (PROFILE)
  ) u_csr (
    .clk_i,
    .rst_ni,
    .launch_i,
    .launch_warp_i,
    .launch_wg_i,
    .launch_wid_i,
    .vill_o,
    .lmul2_o,
    .sew_o,
    .frm_o,
    .vl_o,
    .sel_i        (op_i.warp),
    .rpc_o        (rpc),
    .pds_o,
    .lds_o,
    .tid_o,
    .wg_threads_o,
    .vxrm_o,
    .alu_saturated_i,
    .alu_warp_i   (op_i.warp),
    .mul_saturated_i,
    .mul_warp_i   (mul_saturated_warp_i),
    .wide_saturated_i,
    .wide_warp_i  (wide_saturated_warp_i),
    .x_fflags_i,
    .x_warp_i,
    .v_fflags_i,
    // FAULT(flags_to_other_warp, misrouted): op_i.warp
    .v_warp_i     (v_warp_i),
    .printing_o,
    .print_valid_o,
    .print_ready_i,
    .print_warp_o,
    .ready_o,
    .reserve_i,
    .valid_i      (op_i.valid && op_i.uop.dest_unit == UnitCsr),
    .warp_i       (op_i.warp),
    .dest_i       (op_i.dest),
    .ctrl_i       (op_i.uop.csr),
    .has_result_i (op_i.has_result),
    .active_i     (op_i.active),
    .is_lane_csr_i(of_lanes),
    .lane_csr_i   (lane_csr),
    .imm_i        (op_i.uop.imm),
    .src1_i       (op_i.src1[0]),
    .src2_i       (op_i.src2[0]),
    .illegal_o    (csr_illegal),
    .valid_o,
    .ready_i,
    .warp_o       (result_o.warp),
    .dest_o       (result_o.dest),
    .mask_o       (result_o.mask),
    .data_o       (result_o.data)
  );

  assign result_o.fflags = '0;

  ingot_simt #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .PROFILE   (PROFILE)
  ) u_simt (
    .clk_i,
    .rst_ni,
    .launch_i,
    .launch_warp_i,
    .launch_mask_i,
    .mask_o,
    .valid_i      (op_i.valid),
    .warp_i       (op_i.warp),
    .ctrl_i       (op_i.uop.ctl),
    .pc_i         (op_i.uop.pc),
    .imm_i        (op_i.uop.imm),
    .rpc_i        (rpc),
    .src1_i       (op_i.src1),
    .src2_i       (op_i.src2),
    .wide1_i,
    .wide2_i,
    .csr_illegal_i(csr_illegal),
    .jump_o,
    .jump_pc_o,
    .jump_wait_o,
    .arrive_o,
    .exit_o
  );

  ingot_barrier #(
    .NUM_WARP(NUM_WARP)
  ) u_barrier (
    .clk_i,
    .rst_ni,
    .arrive_i  (arrive_o),
    .warp_i    (op_i.warp),
    .wg_slot_i (wg_slot_i[op_i.warp]),
    .wg_warps_i,
    .release_o
  );

endmodule
