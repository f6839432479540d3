// The issue stage: scoreboard, register files, and the operation register with the operands of the units.
module ingot_issue_stage
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_SGPR_ROW = 512,
  parameter int unsigned NUM_VGPR_ROW = 1024,
  parameter int unsigned PROFILE = 202,
  parameter int unsigned MMU = 0,
  parameter int unsigned NUM_UNIT = NumUnit,
  // These types are those of ingot_sm.
  parameter type op_t = logic,
  parameter type write_x_t = logic,
  parameter type write_v_t = logic,
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned SgprW = index_width(NUM_SGPR_ROW),
  localparam int unsigned VgprW = index_width(NUM_VGPR_ROW)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  // Launch
  input  logic                                launch_i,
  input  logic [WarpW-1:0]                    launch_warp_i,
  input  logic [NUM_WARP-1:0][SgprW-1:0]      sgpr_base_i,  // First row of each warp slot
  input  logic [NUM_WARP-1:0][VgprW-1:0]      vgpr_base_i,
  // The next instruction of each warp
  input  logic [NUM_WARP-1:0]                 valid_i,
  input  uop_t                                uop_i[NUM_WARP],
  // Conditions for it to issue
  input  logic [NUM_UNIT-1:0]                 unit_ready_i,  // The unit has room
  input  logic [NUM_WARP-1:0]                 loads_i,  // The warp has loads in flight
  input  logic [NUM_WARP-1:0]                 stores_i,  // The warp has stores or atomics in flight
  input  logic [NUM_WARP-1:0]                 printing_i,  // The host has not taken its last print yet
  // lanes of each warp
  input  logic [NUM_WARP-1:0][NUM_THREAD-1:0] mask_i,
  input  logic [NUM_WARP-1:0][6:0]            vl_i,
  // The instruction that issues in this cycle
  output logic                                issue_o,
  output logic [WarpW-1:0]                    issue_warp_o,
  output uop_t                                issue_uop_o,
  output logic                                issue_more_o,  // The second part is still to issue
  // the operation register: what issued in the cycle before
  output op_t                                 op_o,
  output logic [NUM_THREAD-1:0][31:0]         c_o,  // The third operand of the arithmetic units
  // v2.03: operands of 64 bits, sign-extended where they have less; with the last pass
  output logic [NUM_THREAD-1:0][63:0]         wide1_o,  // Sources
  output logic [NUM_THREAD-1:0][63:0]         wide2_o,
  output logic [NUM_THREAD-1:0][63:0]         wide3_o,
  output logic [NUM_THREAD-1:0][63:0]         wide_a_o,  // Source of the arithmetic units
  output logic [NUM_THREAD-1:0][63:0]         wide_b_o,
  // Writeback
  /* verilator lint_off UNUSEDSIGNAL */
  input  write_x_t                            write_x_i,  // Tag and flags are not used here
  input  write_v_t                            write_v_i
  /* verilator lint_on UNUSEDSIGNAL */
);

  localparam features_t Has = features_of(PROFILE);

  logic half_ready, special_ready, matrix_ready;
  if (Has.toolchain) begin : gen_ready
    assign half_ready = unit_ready_i[ResHalf];
    assign special_ready = unit_ready_i[ResSpecial];
    assign matrix_ready = unit_ready_i[ResMatrix];
  end else begin : gen_not_ready
    assign half_ready = 1'b0;
    assign special_ready = 1'b0;
    assign matrix_ready = 1'b0;
  end

  logic [NUM_WARP-1:0] hazard, empty;
  logic [31:0] x1, x2, x3;
  logic [NUM_THREAD-1:0][31:0] v0, v1, v2, v3, base_high, data_high;

  logic op_valid;
  logic [WarpW-1:0] op_warp;
  tag_t op_tag;
  uop_t op_uop;
  logic [NUM_THREAD-1:0] op_mask, op_active, op_carry;
  logic [NUM_THREAD-1:0][31:0] op_src1, op_src2, op_src3, op_v0, op_base_high, op_data_high, op_a, op_b;

  ingot_issue #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .PROFILE   (PROFILE),
    .MMU       (MMU)
  ) u_issue (
    .clk_i,
    .rst_ni,
    .launch_i,
    .launch_warp_i,
    .valid_i,
    .uop_i,
    .hazard_i      (hazard),
    .empty_i       (empty),
    .issue_o,
    .issue_warp_o,
    .issue_uop_o,
    .issue_more_o,
    .mask_i,
    .vl_i,
    .alu_ready_i   (unit_ready_i[ResAlu]),
    .mul_ready_i   (unit_ready_i[ResMul]),
    .div_ready_i   (unit_ready_i[ResDiv]),
    .lsu_ready_i   (unit_ready_i[ResLsu]),
    .csr_ready_i   (unit_ready_i[ResCsr]),
    .fpu_ready_i   (unit_ready_i[ResFpu]),
    .fdiv_ready_i  (unit_ready_i[ResFdiv]),
    .fmisc_ready_i (unit_ready_i[ResFmisc]),
    .sfu_ready_i   (unit_ready_i[ResSfu]),
    .tensor_ready_i(unit_ready_i[ResTensor]),
    .wide_ready_i  (Has.widths && unit_ready_i[NUM_UNIT-1]),
    .half_ready_i  (half_ready),
    .special_ready_i(special_ready),
    .matrix_ready_i(matrix_ready),
    .loads_i,
    .stores_i,
    .printing_i,
    .x1_i          (x1),
    .x2_i          (x2),
    .x3_i          (x3),
    .v0_i          (v0),
    .v1_i          (v1),
    .v2_i          (v2),
    .v3_i          (v3),
    .base_high_i   (base_high),
    .data_high_i   (data_high),
    .op_valid_o    (op_valid),
    .op_warp_o     (op_warp),
    .op_tag_o      (op_tag),
    .op_uop_o      (op_uop),
    .op_mask_o     (op_mask),
    .op_active_o   (op_active),
    .op_src1_o     (op_src1),
    .op_src2_o     (op_src2),
    .op_src3_o     (op_src3),
    .op_v0_o       (op_v0),
    .op_base_high_o(op_base_high),
    .op_data_high_o(op_data_high)
  );

  ingot_scoreboard #(
    .NUM_WARP(NUM_WARP),
    .PROFILE (PROFILE)
  ) u_scoreboard (
    .clk_i,
    .rst_ni,
    .launch_i,
    .launch_warp_i,
    .uop_i,
    .hazard_o      (hazard),
    .empty_o       (empty),
    .set_i         (issue_o && (issue_uop_o.write_x || issue_uop_o.write_v)),
    .set_warp_i    (issue_warp_o),
    .set_v_i       (issue_uop_o.write_v),
    .set_reg_i     (issue_uop_o.rd),
    .set_pair_i    (issue_uop_o.mem.data_pair),
    .set_extra_i   (issue_uop_o.more.extra[0]),
    .clear_x_i     (write_x_i.valid),
    .clear_x_warp_i(write_x_i.warp),
    .clear_x_reg_i (write_x_i.regno),
    .clear_v_i     (write_v_i.valid),
    .clear_v_warp_i(write_v_i.warp),
    .clear_v_reg_i (write_v_i.regno)
  );

  ingot_regfile #(
    .NUM_WARP    (NUM_WARP),
    .NUM_THREAD  (NUM_THREAD),
    .NUM_SGPR_ROW(NUM_SGPR_ROW),
    .NUM_VGPR_ROW(NUM_VGPR_ROW),
    .PROFILE     (PROFILE)
  ) u_regfile (
    .clk_i,
    .sgpr_base_i,
    .vgpr_base_i,
    .warp_i     (issue_warp_o),
    .rs1_i      (issue_uop_o.rs1),
    .rs2_i      (issue_uop_o.rs2),
    .rs3_i      (issue_uop_o.rs3),
    .part_i     (issue_uop_o.part),
    .base_pair_i(issue_uop_o.mem.base_pair),
    .base_v_i   (issue_uop_o.use1 == UseV),
    .data_pair_i(issue_uop_o.mem.data_pair && issue_uop_o.mem.op == MemStore),
    .data_v_i   (issue_uop_o.is_vector),
    .data_src3_i(issue_uop_o.mem.data_src3),
    .x1_o       (x1),
    .x2_o       (x2),
    .x3_o       (x3),
    .v0_o       (v0),
    .v1_o       (v1),
    .v2_o       (v2),
    .v3_o       (v3),
    .base_high_o(base_high),
    .data_high_o(data_high),
    .wx_valid_i (write_x_i.valid),
    .wx_warp_i  (write_x_i.warp),
    .wx_reg_i   (write_x_i.regno),
    .wx_mask_i  (write_x_i.mask),
    .wx_data_i  (write_x_i.data),
    .wv_valid_i (write_v_i.valid),
    .wv_warp_i  (write_v_i.warp),
    .wv_reg_i   (write_v_i.regno),
    .wv_mask_i  (write_v_i.mask),
    .wv_data_i  (write_v_i.data)
  );

  // The operands of the arithmetic units.
  if (Has.prefix) begin : gen_wide
    ingot_operands #(
      .NUM_THREAD(NUM_THREAD)
    ) u_operands (
      .clk_i,
      .valid_i(op_valid),
      .uop_i  (op_uop),
      .src1_i (op_src1),
      .src2_i (op_src2),
      .src3_i (op_src3),
      .wide1_o,
      .wide2_o,
      .wide3_o,
      .a_o    (wide_a_o),
      .b_o    (wide_b_o)
    );
    always_comb begin
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        op_a[l] = wide_a_o[l][31:0];
        op_b[l] = wide_b_o[l][31:0];
        c_o[l] = wide3_o[l][31:0];
      end
    end
  end else begin : gen_plain
    logic [NUM_THREAD-1:0][31:0] shuffled;
    always_comb begin
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        unique case (op_uop.a_sel)
          ASrc1: op_a[l] = op_src1[l];
          ASrc2: op_a[l] = op_src2[l];
          APc: op_a[l] = op_uop.pc;
          AZero: op_a[l] = '0;
        endcase
        unique case (op_uop.b_sel)
          BSrc1: op_b[l] = op_src1[l];
          BSrc2: op_b[l] = op_src2[l];
          BImm: op_b[l] = op_uop.imm;
          BFour: op_b[l] = 32'd4;
        endcase
      end
      if (Has.toolchain && op_uop.toolchain.shuffle != ShuffleNone) op_b = shuffled;
      if (Has.toolchain && op_uop.toolchain.extend != ExtendNone) begin
        for (int l = 0; l < int'(NUM_THREAD); l++)
          op_a[l] = extended(op_uop.toolchain.extend, op_src2[l][15:0]);
      end
    end
    function automatic logic [31:0] extended(extend_e how, logic [15:0] value);
      unique case (how)
        ExtendFloat: return widen(FormatF16, value);
        ExtendSigned: return {{16{value[15]}}, value};
        default: return {16'b0, value};
      endcase
    endfunction
    if (Has.toolchain) begin : gen_shuffle
      ingot_shuffle #(
        .NUM_THREAD(NUM_THREAD)
      ) u_shuffle (
        .op_i    (op_uop.toolchain.shuffle),
        .imm_i   (op_uop.imm),
        .active_i(op_active),
        .a_i     (op_src2),
        .value_o (shuffled)
      );
    end else begin : gen_no_shuffle
      assign shuffled = '0;
    end
    assign c_o = op_src3;
    assign wide1_o = '0;
    assign wide2_o = '0;
    assign wide3_o = '0;
    assign wide_a_o = '0;
    assign wide_b_o = '0;
  end
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) op_carry[l] = op_v0[l][0];
  end

  assign op_o = '{
    valid: op_valid,
    warp: op_warp,
    uop: op_uop,
    dest: '{tag: op_tag, is_v: op_uop.write_v, rd: op_uop.rd},
    has_result: op_uop.write_x || op_uop.write_v,
    mask: op_mask,
    active: op_active,
    carry: op_carry,
    src1: op_src1,
    src2: op_src2,
    src3: op_src3,
    v0: op_v0,
    base_high: op_base_high,
    data_high: op_data_high,
    a: op_a,
    b: op_b
  };

  // A result that no unit makes would hold back all that wait for it.
  AssertWriterHasUnit :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   op_valid && (op_uop.write_x || op_uop.write_v) |-> op_uop.dest_unit != UnitNone);

endmodule
