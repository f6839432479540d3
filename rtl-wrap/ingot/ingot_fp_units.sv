// The floating-point units (fpu/README.md).
module ingot_fp_units
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  // These types are those of ingot_sm.
  parameter type op_t = logic,
  parameter type result_t = logic
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // Issue: reserves a place in the unit of the instruction
  output logic [ResTensor:ResFpu] ready_o,  // The unit has room
  input  logic                    issue_i,
  input  unit_e                   issue_unit_i,
  // Operation
  /* verilator lint_off UNUSEDSIGNAL */
  input  op_t                     op_i,  // Some fields are for other units
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NUM_THREAD-1:0][31:0] c_i,  // The third operand
  // results, in the order of their numbers
  output logic [ResTensor:ResFpu] valid_o,
  input  logic [ResTensor:ResFpu] ready_i,
  output result_t                 result_o[ResFpu:ResTensor]
);

  ingot_fpu #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_fpu (
    .clk_i,
    .rst_ni,
    .ready_o  (ready_o[ResFpu]),
    .reserve_i(issue_i && issue_unit_i == UnitFpu),
    .valid_i  (op_i.valid && op_i.uop.dest_unit == UnitFpu),
    .warp_i   (op_i.warp),
    .dest_i   (op_i.dest),
    .ctrl_i   (op_i.uop.fp.fpu),
    .rm_i     (op_i.uop.fp.rm),
    .active_i (op_i.active),
    .a_i      (op_i.a),
    .b_i      (op_i.b),
    .c_i,
    .valid_o  (valid_o[ResFpu]),
    .ready_i  (ready_i[ResFpu]),
    .warp_o   (result_o[ResFpu].warp),
    .dest_o   (result_o[ResFpu].dest),
    .mask_o   (result_o[ResFpu].mask),
    .data_o   (result_o[ResFpu].data),
    .fflags_o (result_o[ResFpu].fflags)
  );

  ingot_fdiv #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_fdiv (
    .clk_i,
    .rst_ni,
    .ready_o  (ready_o[ResFdiv]),
    .reserve_i(issue_i && issue_unit_i == UnitFdiv),
    .valid_i  (op_i.valid && op_i.uop.dest_unit == UnitFdiv),
    .warp_i   (op_i.warp),
    .dest_i   (op_i.dest),
    .ctrl_i   (op_i.uop.fp.fdiv),
    .rm_i     (op_i.uop.fp.rm),
    .active_i (op_i.active),
    .a_i      (op_i.a),
    .b_i      (op_i.b),
    .valid_o  (valid_o[ResFdiv]),
    .ready_i  (ready_i[ResFdiv]),
    .warp_o   (result_o[ResFdiv].warp),
    .dest_o   (result_o[ResFdiv].dest),
    .mask_o   (result_o[ResFdiv].mask),
    .data_o   (result_o[ResFdiv].data),
    .fflags_o (result_o[ResFdiv].fflags)
  );

  ingot_fmisc #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_fmisc (
    .clk_i,
    .rst_ni,
    .ready_o  (ready_o[ResFmisc]),
    .reserve_i(issue_i && issue_unit_i == UnitFmisc),
    .valid_i  (op_i.valid && op_i.uop.dest_unit == UnitFmisc),
    .warp_i   (op_i.warp),
    .dest_i   (op_i.dest),
    .op_i     (op_i.uop.fp.fmisc),
    .rm_i     (op_i.uop.fp.rm),
    .active_i (op_i.active),
    .a_i      (op_i.a),
    .b_i      (op_i.b),
    .valid_o  (valid_o[ResFmisc]),
    .ready_i  (ready_i[ResFmisc]),
    .warp_o   (result_o[ResFmisc].warp),
    .dest_o   (result_o[ResFmisc].dest),
    .mask_o   (result_o[ResFmisc].mask),
    .data_o   (result_o[ResFmisc].data),
    .fflags_o (result_o[ResFmisc].fflags)
  );

  ingot_sfu #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_sfu (
    .clk_i,
    .rst_ni,
    .ready_o  (ready_o[ResSfu]),
    .reserve_i(issue_i && issue_unit_i == UnitSfu),
    .valid_i  (op_i.valid && op_i.uop.dest_unit == UnitSfu),
    .warp_i   (op_i.warp),
    .dest_i   (op_i.dest),
    .rm_i     (op_i.uop.fp.rm),
    .active_i (op_i.active),
    .a_i      (op_i.a),
    .valid_o  (valid_o[ResSfu]),
    .ready_i  (ready_i[ResSfu]),
    .warp_o   (result_o[ResSfu].warp),
    .dest_o   (result_o[ResSfu].dest),
    .mask_o   (result_o[ResSfu].mask),
    .data_o   (result_o[ResSfu].data),
    .fflags_o (result_o[ResSfu].fflags)
  );

  ingot_tensor #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_tensor (
    .clk_i,
    .rst_ni,
    .ready_o  (ready_o[ResTensor]),
    .reserve_i(issue_i && issue_unit_i == UnitTensor),
    .valid_i  (op_i.valid && op_i.uop.dest_unit == UnitTensor),
    .warp_i   (op_i.warp),
    .dest_i   (op_i.dest),
    .rm_i     (op_i.uop.fp.rm),
    .active_i (op_i.active),
    .a_i      (op_i.a),
    .b_i      (op_i.b),
    .c_i,
    .valid_o  (valid_o[ResTensor]),
    .ready_i  (ready_i[ResTensor]),
    .warp_o   (result_o[ResTensor].warp),
    .dest_o   (result_o[ResTensor].dest),
    .mask_o   (result_o[ResTensor].mask),
    .data_o   (result_o[ResTensor].data),
    .fflags_o (result_o[ResTensor].fflags)
  );

endmodule
