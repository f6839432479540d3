// The integer units: ALU, multiplier, divider.
module ingot_int_units
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  // These types are those of ingot_sm.
  parameter type op_t = logic,
  parameter type result_t = logic,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Issue: reserves a place in the unit of the instruction
  output logic [ResDiv:ResAlu] ready_o,  // The unit has room
  input  logic                 issue_i,
  input  unit_e                issue_unit_i,
  // Operation
  /* verilator lint_off UNUSEDSIGNAL */
  input  op_t                  op_i,  // Some fields are for other units
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NUM_THREAD-1:0][31:0] c_i,  // The third operand
  input  logic [1:0]           vxrm_i,  // Rounding mode of the operation's warp
  // fixed point: an active lane has saturated
  output logic                 alu_saturated_o,  // In the operation of op_i
  output logic                 mul_saturated_o,  // In an earlier operation, of mul_saturated_warp_o
  output logic [WarpW-1:0]     mul_saturated_warp_o,
  // Results, in the order of their numbers
  output logic [ResDiv:ResAlu] valid_o,
  input  logic [ResDiv:ResAlu] ready_i,
  output result_t              result_o[ResAlu:ResDiv]
);

  for (genvar u = int'(ResAlu); u <= int'(ResDiv); u++) begin : g_no_flags
    assign result_o[u].fflags = '0;
  end

  ingot_alu #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_alu (
    .clk_i,
    .rst_ni,
    .ready_o  (ready_o[ResAlu]),
    .reserve_i(issue_i && issue_unit_i == UnitAlu),
    .valid_i  (op_i.valid && op_i.uop.dest_unit == UnitAlu),
    .warp_i   (op_i.warp),
    .dest_i   (op_i.dest),
    .ctrl_i   (op_i.uop.alu),
    .vxrm_i,
    .part_i   (op_i.uop.part),
    .active_i (op_i.active),
    .carry_i  (op_i.carry),
    .a_i      (op_i.a),
    .b_i      (op_i.b),
    .saturated_o(alu_saturated_o),
    .valid_o  (valid_o[ResAlu]),
    .ready_i  (ready_i[ResAlu]),
    .warp_o   (result_o[ResAlu].warp),
    .dest_o   (result_o[ResAlu].dest),
    .mask_o   (result_o[ResAlu].mask),
    .data_o   (result_o[ResAlu].data)
  );

  ingot_mul #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_mul (
    .clk_i,
    .rst_ni,
    .ready_o  (ready_o[ResMul]),
    .reserve_i(issue_i && issue_unit_i == UnitMul),
    .valid_i  (op_i.valid && op_i.uop.dest_unit == UnitMul),
    .warp_i   (op_i.warp),
    .dest_i   (op_i.dest),
    .ctrl_i   (op_i.uop.mul),
    .vxrm_i,
    .active_i (op_i.active),
    .a_i      (op_i.a),
    .b_i      (op_i.b),
    .c_i,
    .saturated_o(mul_saturated_o),
    .saturated_warp_o(mul_saturated_warp_o),
    .valid_o  (valid_o[ResMul]),
    .ready_i  (ready_i[ResMul]),
    .warp_o   (result_o[ResMul].warp),
    .dest_o   (result_o[ResMul].dest),
    .mask_o   (result_o[ResMul].mask),
    .data_o   (result_o[ResMul].data)
  );

  ingot_div #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_div (
    .clk_i,
    .rst_ni,
    .ready_o  (ready_o[ResDiv]),
    .reserve_i(issue_i && issue_unit_i == UnitDiv),
    .valid_i  (op_i.valid && op_i.uop.dest_unit == UnitDiv),
    .warp_i   (op_i.warp),
    .dest_i   (op_i.dest),
    .ctrl_i   (op_i.uop.div),
    .active_i (op_i.active),
    .a_i      (op_i.a),
    .b_i      (op_i.b),
    .valid_o  (valid_o[ResDiv]),
    .ready_i  (ready_i[ResDiv]),
    .warp_o   (result_o[ResDiv].warp),
    .dest_o   (result_o[ResDiv].dest),
    .mask_o   (result_o[ResDiv].mask),
    .data_o   (result_o[ResDiv].data)
  );

endmodule
