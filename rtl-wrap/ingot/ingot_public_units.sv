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

endmodule
