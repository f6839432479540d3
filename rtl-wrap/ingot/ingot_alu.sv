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
  // Operation
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
  output logic                        saturated_o,  // In a lane that the operation writes
  // result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o
);

  typedef struct packed {
    logic saturated;
    logic [31:0] value;
  } outcome_t;

  // A sum or difference of 33 bits, halved.
  function automatic logic [31:0] half(logic [32:0] value, logic [1:0] vxrm);
    return value[32:1] + 32'(round_up(vxrm, value[1], value[0], 1'b0));
  endfunction

  // The upper 32 bits of a shifted number, rounded by the lower ones.
  function automatic logic [31:0] scaled(logic [63:0] value, logic [1:0] vxrm);
    return value[63:32] + 32'(round_up(vxrm, value[32], value[31], value[30:0] != '0));
  endfunction

  // Each operation has its case: lint refuses one that is missing.
  function automatic outcome_t lane_result(alu_op_e op, logic [31:0] a, logic [31:0] b, logic carry,
                                           logic [31:0] element, logic [1:0] vxrm);
    outcome_t r;
    logic [32:0] sum, difference;
    sum = {1'b0, a} + {1'b0, b} + 33'(carry);
    difference = {1'b0, a} - {1'b0, b} - 33'(carry);
    r.saturated = 1'b0;
    unique case (op)
      AluAdd, AluAdc: r.value = sum[31:0];
      AluSub, AluSbc: r.value = difference[31:0];
      AluRsub: r.value = b - a;
      AluAnd: r.value = a & b;
      AluOr: r.value = a | b;
      AluXor: r.value = a ^ b;
      AluSll: r.value = a << b[4:0];
      // FAULT(srl_long_shift, arithmetic): a >> b[5:0]
      AluSrl: r.value = a >> b[4:0];
      // FAULT(sra_logical, arithmetic): a >> b[4:0]
      AluSra: r.value = $signed(a) >>> b[4:0];
      AluMin: r.value = $signed(a) < $signed(b) ? a : b;
      AluMinu: r.value = a < b ? a : b;
      // FAULT(max_unsigned, arithmetic): a < b ? b : a
      AluMax: r.value = $signed(a) < $signed(b) ? b : a;
      AluMaxu: r.value = a < b ? b : a;
      AluEq: r.value = {31'b0, a == b};
      AluNe: r.value = {31'b0, a != b};
      AluLt: r.value = {31'b0, $signed(a) < $signed(b)};
      AluLtu: r.value = {31'b0, a < b};
      // FAULT(sle_strict, arithmetic): {31'b0, $signed(a) < $signed(b)}
      AluLe: r.value = {31'b0, $signed(a) <= $signed(b)};
      AluLeu: r.value = {31'b0, a <= b};
      AluGt: r.value = {31'b0, $signed(a) > $signed(b)};
      AluGtu: r.value = {31'b0, a > b};
      AluMadc: r.value = {31'b0, sum[32]};
      AluMsbc: r.value = {31'b0, difference[32]};
      AluMerge: r.value = carry ? b : a;
      AluMove: r.value = b;
      AluAndn: r.value = a & ~b;
      AluOrn: r.value = a | ~b;
      AluNand: r.value = ~(a & b);
      AluNor: r.value = ~(a | b);
      AluXnor: r.value = ~(a ^ b);
      AluSaddu: begin
        r.saturated = sum[32];
        r.value = r.saturated ? '1 : sum[31:0];
      end
      AluSsubu: begin
        r.saturated = difference[32];
        r.value = r.saturated ? '0 : difference[31:0];
      end
      AluSadd: begin
        r.saturated = a[31] == b[31] && sum[31] != a[31];
        // FAULT(vsadd_sign, arithmetic): r.saturated ? 32'h7fffffff : sum[31:0]
        r.value = r.saturated ? {a[31], {31{!a[31]}}} : sum[31:0];
      end
      AluSsub: begin
        r.saturated = a[31] != b[31] && difference[31] != a[31];
        r.value = r.saturated ? {a[31], {31{!a[31]}}} : difference[31:0];
      end
      AluAaddu: r.value = half(sum, vxrm);
      AluAadd: r.value = half({a[31], a} + {b[31], b}, vxrm);
      // FAULT(vasubu_borrow, arithmetic): half({1'b0, difference[31:0]}, vxrm)
      AluAsubu: r.value = half(difference, vxrm);
      AluAsub: r.value = half({a[31], a} - {b[31], b}, vxrm);
      AluSsrl: r.value = scaled({a, 32'b0} >> b[4:0], vxrm);
      AluSsra: r.value = scaled($signed({a, 32'b0}) >>> b[4:0], vxrm);
      AluElement: r.value = element;
      AluPick: r.value = a;
      AluNone: r.value = '0;  // AssertOperation
    endcase
    return r;
  endfunction

  logic [NUM_THREAD-1:0] mask;
  logic [NUM_THREAD-1:0][31:0] data;

  outcome_t [NUM_THREAD-1:0] outcome;

  always_comb begin
    outcome = '0;
    if (valid_i) begin
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        // FAULT(lmul2_vid, lanes_bytes): lane_result(ctrl_i.op, a_i[l], b_i[l], ctrl_i.carry && carry_i[l],
        //     32'(l), vxrm_i)
        outcome[l] = lane_result(ctrl_i.op, a_i[l], b_i[l], ctrl_i.carry && carry_i[l],
                                 32'(l) + (part_i ? 32'(NUM_THREAD) : '0), vxrm_i);
      end
    end
    saturated_o = 1'b0;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      data[l] = outcome[l].value;
      // FAULT(vxsat_all_lanes, mask): if (outcome[l].saturated) saturated_o = 1'b1;
      if (active_i[l] && outcome[l].saturated) saturated_o = 1'b1;
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

  AssertOperation :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> ctrl_i.op != AluNone);
  // Only operations with a carry input take v0 as a carry.
  AssertCarryUsed :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i && ctrl_i.carry |-> ctrl_i.op inside {AluAdc, AluSbc, AluMadc, AluMsbc, AluMerge});

endmodule
