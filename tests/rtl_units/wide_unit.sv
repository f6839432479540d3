// A unit ingot_wide behind the decoder of v2.03 and the operands that it makes of an instruction's registers:
// as the core has them.
module wide_unit
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 4
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        reserve_i,
  // Instruction
  input  logic [31:0]                 pc_i,
  input  logic [31:0]                 word_i,
  input  logic [31:0]                 prefix_i,
  input  logic                        has_prefix_i,
  input  logic [1:0]                  sew_i,
  input  logic [2:0]                  frm_i,
  input  logic [1:0]                  vxrm_i,
  output logic                        mine_o,  // The decoder sends it to this unit
  output logic                        second_o,  // The instruction reads pairs: a second pass follows
  // one pass of it
  input  logic                        valid_i,
  input  logic                        pass_i,
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0][31:0] a_i,  // Sources 1, 2, 3
  input  logic [NUM_THREAD-1:0][31:0] b_i,
  input  logic [NUM_THREAD-1:0][31:0] c_i,
  input  logic [NUM_THREAD-1:0][31:0] v0_i,
  // Result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [7:0]                  rd_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o,
  output logic [4:0]                  fflags_o,
  output logic                        saturated_o  // Since the last reset or operation
);

  uop_t decoded, uop;
  ingot_decode203 u_decode (
    .pc_i,
    .word_i,
    .prefix_i,
    .has_prefix_i,
    .error_i('0),
    .lmul2_i('0),
    .vill_i ('0),
    .sew_i  (width_e'(sew_i)),
    .frm_i,
    .uop_o  (decoded)
  );
  assign mine_o = decoded.dest_unit == UnitWide;
  assign second_o = decoded.more.passes != '0;
  always_comb begin
    uop = decoded;
    uop.more.pass = {2'b0, pass_i};
  end

  logic [NUM_THREAD-1:0][63:0] wide1, wide2, wide3, a, b;
  ingot_operands #(
    .NUM_THREAD(NUM_THREAD)
  ) u_operands (
    .clk_i,
    .valid_i,
    .uop_i  (uop),
    .src1_i (a_i),
    .src2_i (b_i),
    .src3_i (c_i),
    .wide1_o(wide1),
    .wide2_o(wide2),
    .wide3_o(wide3),
    .a_o    (a),
    .b_o    (b)
  );

  logic [NUM_THREAD-1:0] carry;
  always_comb for (int l = 0; l < int'(NUM_THREAD); l++) carry[l] = v0_i[l][0];

  dest_t dest;
  logic starts, saturates;
  assign starts = valid_i && pass_i == second_o;
  ingot_wide #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD)
  ) u_wide (
    .clk_i,
    .rst_ni,
    .ready_o         (),
    .reserve_i,
    .valid_i         (starts),
    .warp_i          ('0),
    .dest_i          ('{tag: '0, is_v: decoded.write_v, rd: decoded.rd}),
    .uop_i           (uop),
    .vxrm_i,
    .active_i,
    .carry_i         (carry),
    .a_i             (a),
    .b_i             (b),
    .c_i             (wide3),
    .saturated_o     (saturates),
    .saturated_warp_o(),
    .valid_o,
    .ready_i,
    .warp_o          (),
    .dest_o          (dest),
    .mask_o,
    .data_o,
    .fflags_o
  );
  assign rd_o = dest.rd;
  always_ff @(posedge clk_i) saturated_o <= rst_ni && !starts && (saturated_o || saturates);

endmodule
