// The arithmetic and logic lanes: one cycle.
module ingot_alu
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        ready_o,
  input  logic                        reserve_i,
  // operation
  input  logic                        valid_i,
  input  logic [WarpW-1:0]            warp_i,
  input  dest_t                       dest_i,
  input  alu_ctrl_t                   ctrl_i,
  input  logic [1:0]                  vxrm_i,
  input  logic                        part_i,
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0]       carry_i,
  input  logic [NUM_THREAD-1:0][31:0] a_i,
  input  logic [NUM_THREAD-1:0][31:0] b_i,
  output logic                        saturated_o,  // in a lane that the operation writes
  // result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o
);

  // Whether a saturating operation saturates.
  function automatic logic saturates(alu_op_e op, logic [31:0] a, logic [31:0] b);
    /* verilator lint_off UNUSEDSIGNAL */
    logic [32:0] sum, difference;  // only the signs are used
    /* verilator lint_on UNUSEDSIGNAL */
    sum = {1'b0, a} + {1'b0, b};
    difference = {1'b0, a} - {1'b0, b};
    unique case (op)
      AluSaddu: return sum[32];
      AluSadd: return a[31] == b[31] && sum[31] != a[31];
      AluSsubu: return difference[32];
      AluSsub: return a[31] != b[31] && difference[31] != a[31];
      default: return 1'b0;
    endcase
  endfunction

  // A sum or difference of 33 bits, halved.
  function automatic logic [31:0] half(logic [32:0] value, logic [1:0] vxrm);
    return value[32:1] + 32'(round_up(vxrm, value[1], value[0], 1'b0));
  endfunction

  // The upper 32 bits of a shifted number, rounded by the lower ones.
  function automatic logic [31:0] scaled(logic [63:0] value, logic [1:0] vxrm);
    return value[63:32] + 32'(round_up(vxrm, value[32], value[31], value[30:0] != '0));
  endfunction

  function automatic logic [31:0] lane_result(alu_op_e op, logic [31:0] a, logic [31:0] b, logic carry,
                                              logic [31:0] element, logic [1:0] vxrm);
    logic [32:0] sum, difference;
    sum = {1'b0, a} + {1'b0, b} + 33'(carry);
    difference = {1'b0, a} - {1'b0, b} - 33'(carry);
    unique case (op)
      AluAdd, AluAdc: return sum[31:0];
      AluSub, AluSbc: return difference[31:0];
      AluRsub: return b - a;
      AluAnd: return a & b;
      AluOr: return a | b;
      AluXor: return a ^ b;
      AluSll: return a << b[4:0];
      // FAULT(srl_long_shift, arithmetic): a >> b[5:0]
      AluSrl: return a >> b[4:0];
      // FAULT(sra_logical, arithmetic): a >> b[4:0]
      AluSra: return $signed(a) >>> b[4:0];
      AluMin: return $signed(a) < $signed(b) ? a : b;
      AluMinu: return a < b ? a : b;
      // FAULT(max_unsigned, arithmetic): a < b ? b : a
      AluMax: return $signed(a) < $signed(b) ? b : a;
      AluMaxu: return a < b ? b : a;
      AluEq: return {31'b0, a == b};
      AluNe: return {31'b0, a != b};
      AluLt: return {31'b0, $signed(a) < $signed(b)};
      AluLtu: return {31'b0, a < b};
      // FAULT(sle_strict, arithmetic): {31'b0, $signed(a) < $signed(b)}
      AluLe: return {31'b0, $signed(a) <= $signed(b)};
      AluLeu: return {31'b0, a <= b};
      AluGt: return {31'b0, $signed(a) > $signed(b)};
      AluGtu: return {31'b0, a > b};
      AluMadc: return {31'b0, sum[32]};
      AluMsbc: return {31'b0, difference[32]};
      AluMerge: return carry ? b : a;
      AluMove: return b;
      AluAndn: return a & ~b;
      AluOrn: return a | ~b;
      AluNand: return ~(a & b);
      AluNor: return ~(a | b);
      AluXnor: return ~(a ^ b);
      AluSaddu: return saturates(op, a, b) ? '1 : sum[31:0];
      AluSsubu: return saturates(op, a, b) ? '0 : difference[31:0];
      // FAULT(vsadd_sign, arithmetic): saturates(op, a, b) ? 32'h7fffffff : sum[31:0]
      AluSadd: return saturates(op, a, b) ? {a[31], {31{!a[31]}}} : sum[31:0];
      AluSsub: return saturates(op, a, b) ? {a[31], {31{!a[31]}}} : difference[31:0];
      AluAaddu: return half(sum, vxrm);
      AluAadd: return half({a[31], a} + {b[31], b}, vxrm);
      // FAULT(vasubu_borrow, arithmetic): half({1'b0, difference[31:0]}, vxrm)
      AluAsubu: return half(difference, vxrm);
      AluAsub: return half({a[31], a} - {b[31], b}, vxrm);
      AluSsrl: return scaled({a, 32'b0} >> b[4:0], vxrm);
      AluSsra: return scaled($signed({a, 32'b0}) >>> b[4:0], vxrm);
      AluElement: return element;
      default: return a;
    endcase
  endfunction

  logic [NUM_THREAD-1:0] mask;
  logic [NUM_THREAD-1:0][31:0] data;

  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      // FAULT(lmul2_vid, lanes_bytes): lane_result(ctrl_i.op, a_i[l], b_i[l], ctrl_i.carry && carry_i[l], 32'(l), vxrm_i)
      data[l] = lane_result(ctrl_i.op, a_i[l], b_i[l], ctrl_i.carry && carry_i[l], 32'(l) + (part_i ? 32'(NUM_THREAD) : '0), vxrm_i);
    end
    saturated_o = 1'b0;
    if (valid_i && ctrl_i.op inside {AluSaddu, AluSadd, AluSsubu, AluSsub}) begin
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        // FAULT(vxsat_all_lanes, mask): if (saturates(ctrl_i.op, a_i[l], b_i[l])) saturated_o = 1'b1;
        if (active_i[l] && saturates(ctrl_i.op, a_i[l], b_i[l])) saturated_o = 1'b1;
      end
    end
    mask = active_i;
    if (ctrl_i.op == AluPick) begin
      for (int l = 0; l < int'(NUM_THREAD); l++) if (active_i[l]) data[0] = a_i[l];
      mask = NUM_THREAD'(|active_i);
    end
  end

  ingot_result_fifo #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .DEPTH     (4)
  ) u_results (
    .clk_i,
    .rst_ni,
    .ready_o,
    .reserve_i,
    .push_i(valid_i),
    .warp_i,
    .dest_i,
    .mask_i(mask),
    .data_i(data),
    .valid_o,
    .ready_i,
    .warp_o,
    .dest_o,
    .mask_o,
    .data_o
  );

  // Only operations with a carry input take v0 as a carry.
  AssertCarryUsed :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i && ctrl_i.carry |-> ctrl_i.op inside {AluAdc, AluSbc, AluMadc, AluMsbc, AluMerge});

endmodule
