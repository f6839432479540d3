// The units of profile public (fpu/README.md).
module ingot_public_units
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  // These types are those of ingot_sm.
  parameter type op_t = logic,
  parameter type result_t = logic
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  // Issue: reserves a place in the unit of the instruction
  output logic [NumUnitPublic-1:ResHalf]     ready_o,  // The unit has room
  input  logic                               issue_i,
  input  unit_e                              issue_unit_i,
  // Operation
  /* verilator lint_off UNUSEDSIGNAL */
  input  op_t                                op_i,  // Some fields are for other units
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NUM_THREAD-1:0][31:0]        c_i,  // The third operand
  // results, in the order of their numbers
  output logic [NumUnitPublic-1:ResHalf]     valid_o,
  input  logic [NumUnitPublic-1:ResHalf]     ready_i,
  output result_t                            result_o[ResHalf:NumUnitPublic-1]
);

  ingot_half #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_half (
    .clk_i,
    .rst_ni,
    .ready_o  (ready_o[ResHalf]),
    .reserve_i(issue_i && issue_unit_i == UnitHalf),
    .valid_i  (op_i.valid && op_i.uop.dest_unit == UnitHalf),
    .warp_i   (op_i.warp),
    .dest_i   (op_i.dest),
    .ctrl_i   (op_i.uop.toolchain.half),
    .active_i (op_i.active),
    .a_i      (op_i.a),
    .b_i      (op_i.b),
    .c_i,
    .valid_o  (valid_o[ResHalf]),
    .ready_i  (ready_i[ResHalf]),
    .warp_o   (result_o[ResHalf].warp),
    .dest_o   (result_o[ResHalf].dest),
    .mask_o   (result_o[ResHalf].mask),
    .data_o   (result_o[ResHalf].data),
    .fflags_o (result_o[ResHalf].fflags)
  );

  ingot_special #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_special (
    .clk_i,
    .rst_ni,
    .ready_o  (ready_o[ResSpecial]),
    .reserve_i(issue_i && issue_unit_i == UnitSpecial),
    .valid_i  (op_i.valid && op_i.uop.dest_unit == UnitSpecial),
    .warp_i   (op_i.warp),
    .dest_i   (op_i.dest),
    .ctrl_i   (op_i.uop.toolchain.special),
    .active_i (op_i.active),
    .a_i      (op_i.a),
    .valid_o  (valid_o[ResSpecial]),
    .ready_i  (ready_i[ResSpecial]),
    .warp_o   (result_o[ResSpecial].warp),
    .dest_o   (result_o[ResSpecial].dest),
    .mask_o   (result_o[ResSpecial].mask),
    .data_o   (result_o[ResSpecial].data),
    .fflags_o (result_o[ResSpecial].fflags)
  );

  if (NUM_THREAD == MatrixThreads) begin : gen_matrix
    ingot_matrix #(
      .NUM_WARP(NUM_WARP)
    ) u_matrix (
      .clk_i,
      .rst_ni,
      .ready_o      (ready_o[ResMatrix]),
      .reserve_i    (issue_i && issue_unit_i == UnitMatrix),
      // No other instruction has passes.
      .pass_i       (op_i.valid && op_i.uop.more.passes != '0),
      .pass_number_i(op_i.uop.more.pass),
      .valid_i      (op_i.valid && op_i.uop.dest_unit == UnitMatrix),
      .warp_i       (op_i.warp),
      .dest_i       (op_i.dest),
      .ctrl_i       (op_i.uop.toolchain.matrix),
      .a_i          (op_i.src1),
      .b_i          (op_i.src2),
      .c_i          (op_i.src3),
      .valid_o      (valid_o[ResMatrix]),
      .ready_i      (ready_i[ResMatrix]),
      .warp_o       (result_o[ResMatrix].warp),
      .dest_o       (result_o[ResMatrix].dest),
      .mask_o       (result_o[ResMatrix].mask),
      .data_o       (result_o[ResMatrix].data),
      .fflags_o     (result_o[ResMatrix].fflags)
    );
  end else begin : gen_no_matrix
    assign ready_o[ResMatrix] = 1'b0;
    assign valid_o[ResMatrix] = 1'b0;
    assign result_o[ResMatrix] = '0;
  end

endmodule
