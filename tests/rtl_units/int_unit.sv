// One of ingot's integer units after its decoder, in the shape that vector.hpp drives: the operation is an
// instruction word, the operands are those of its register fields.
module int_unit
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 4,
  parameter int unsigned UNIT = 0,  // ALU, MUL, DIV
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        ready_o,
  input  logic                        reserve_i,
  // Operation
  input  logic                        valid_i,
  input  logic [WarpW-1:0]            warp_i,
  input  dest_t                       dest_i,
  input  logic [31:0]                 pc_i,
  input  logic [31:0]                 word_i,
  input  logic                        part_i,
  input  logic [2:0]                  rm_i,  // As vxrm
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0][31:0] a_i,  // Sources 1, 2, 3
  input  logic [NUM_THREAD-1:0][31:0] b_i,
  input  logic [NUM_THREAD-1:0][31:0] c_i,
  input  logic [NUM_THREAD-1:0][31:0] v0_i,
  // Result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o,
  output logic [4:0]                  fflags_o,  // As vxsat, of the result on offer
  output logic                        mine_o  // The decoder sends this instruction to this unit
);

  localparam unit_e Unit = UNIT == 0 ? UnitAlu : UNIT == 1 ? UnitMul : UnitDiv;

  uop_t uop;
  ingot_decode u_decode (
    .pc_i,
    .word_i,
    .prefix_i    ('0),
    .has_prefix_i('0),
    .error_i     ('0),
    .lmul2_i     ('0),
    .vill_i      ('0),
    .frm_i       ('0),
    .uop_o       (uop)
  );
  assign mine_o = uop.dest_unit == Unit;

  // As the core chooses them.
  logic [NUM_THREAD-1:0][31:0] a, b;
  logic [NUM_THREAD-1:0] carry;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      unique case (uop.a_sel)
        ASrc1: a[l] = a_i[l];
        ASrc2: a[l] = b_i[l];
        APc: a[l] = pc_i;
        default: a[l] = '0;
      endcase
      unique case (uop.b_sel)
        BSrc1: b[l] = a_i[l];
        BSrc2: b[l] = b_i[l];
        BImm: b[l] = uop.imm;
        default: b[l] = 32'd4;
      endcase
      carry[l] = v0_i[l][0];
    end
  end

  // Saturation shows when a result enters the unit's queue, not when it leaves.
  localparam int unsigned Depth = 8;
  logic enters, saturated;
  logic [Depth-1:0] saturated_q;
  logic [2:0] first_q, last_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      first_q <= '0;
      last_q <= '0;
    end else begin
      if (enters) begin
        saturated_q[last_q] <= saturated;
        last_q <= last_q + 1'b1;
      end
      if (valid_o && ready_i) first_q <= first_q + 1'b1;
    end
  end
  assign fflags_o = {4'b0, saturated_q[first_q]};

  if (Unit == UnitAlu) begin : gen_alu
    assign enters = valid_i;
    ingot_alu #(
      .NUM_WARP  (NUM_WARP),
      .NUM_THREAD(NUM_THREAD)
    ) u_unit (
      .ctrl_i     (uop.alu),
      .vxrm_i     (rm_i[1:0]),
      .carry_i    (carry),
      .a_i        (a),
      .b_i        (b),
      .saturated_o(saturated),
      .*
    );
  end else if (Unit == UnitMul) begin : gen_mul
    logic valid_q;
    logic [WarpW-1:0] saturated_warp, warp_q, warp2_q;
    always_ff @(posedge clk_i) begin
      valid_q <= rst_ni && valid_i;
      enters <= rst_ni && valid_q;
      warp_q <= warp_i;
      warp2_q <= warp_q;
    end
    AssertWarp :
    assert property (@(posedge clk_i) saturated |-> enters && saturated_warp == warp2_q);
    ingot_mul #(
      .NUM_WARP  (NUM_WARP),
      .NUM_THREAD(NUM_THREAD)
    ) u_unit (
      .ctrl_i          (uop.mul),
      .vxrm_i          (rm_i[1:0]),
      .a_i             (a),
      .b_i             (b),
      .saturated_o     (saturated),
      .saturated_warp_o(saturated_warp),
      .*
    );
  end else begin : gen_div
    assign enters = valid_i;
    assign saturated = 1'b0;
    ingot_div #(
      .NUM_WARP  (NUM_WARP),
      .NUM_THREAD(NUM_THREAD)
    ) u_unit (
      .ctrl_i(uop.div),
      .a_i   (a),
      .b_i   (b),
      .*
    );
  end

endmodule
