// Control flow: scalar jumps and branches, VBRANCH and JOIN with the SIMT stacks, barrier arrival, the end of
// a warp. An instruction is resolved in the cycle in which it is in the operation register.
module ingot_simt
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned STACK_DEPTH = NUM_THREAD,
  parameter int unsigned PROFILE = 202,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  // Launch
  input  logic                                launch_i,
  input  logic [WarpW-1:0]                    launch_warp_i,
  input  logic [NUM_THREAD-1:0]               launch_mask_i,
  // Thread masks
  output logic [NUM_WARP-1:0][NUM_THREAD-1:0] mask_o,
  // Operation
  input  logic                                valid_i,
  input  logic [WarpW-1:0]                    warp_i,
  input  ctl_ctrl_t                           ctrl_i,
  input  logic [31:0]                         pc_i,
  input  logic [31:0]                         imm_i,
  input  logic [31:0]                         rpc_i,
  input  logic [NUM_THREAD-1:0][31:0]         src1_i,
  input  logic [NUM_THREAD-1:0][31:0]         src2_i,
  // In v2.03, the sources, sign-extended where they have 32 bits
  input  logic [NUM_THREAD-1:0][63:0]         wide1_i,
  input  logic [NUM_THREAD-1:0][63:0]         wide2_i,
  input  logic                                csr_illegal_i,
  // Outcome
  output logic                                jump_o,
  output logic [31:0]                         jump_pc_o,
  output logic                                jump_wait_o,
  output logic                                arrive_o,
  output logic                                exit_o
);

  localparam features_t Has = features_of(PROFILE);

  localparam int unsigned DepthW = $clog2(STACK_DEPTH + 1);

  logic [NUM_WARP-1:0][NUM_THREAD-1:0] mask_q;
  assign mask_o = mask_q;

  // Values of funct3 of BRANCH and VBRANCH: the lowest bit negates.
  function automatic logic holds(logic [2:0] cond, logic [31:0] a, logic [31:0] b);
    logic result;
    unique case (cond[2:1])
      // FAULT(blt_unsigned, arithmetic): a < b
      2'b10: result = $signed(a) < $signed(b);
      2'b11: result = a < b;
      2'b00, 2'b01: result = a == b;  // AssertCondition: not 2'b01
    endcase
    return result ^ cond[0];
  endfunction

  // Sign extension keeps the order of unsigned numbers.
  function automatic logic holds_wide(logic [2:0] cond, logic [63:0] a, logic [63:0] b);
    logic result;
    unique case (cond[2:1])
      // FAULT(wide_blt_unsigned, arithmetic): a < b
      2'b10: result = $signed(a) < $signed(b);
      // FAULT(wide_bltu_low, arithmetic): a[31:0] < b[31:0]
      2'b11: result = a < b;
      // FAULT(wide_beq_low, arithmetic): a[31:0] == b[31:0]
      2'b00, 2'b01: result = a == b;
    endcase
    return result ^ cond[0];
  endfunction

  // Whether a scalar branch is taken.
  logic taken;
  if (Has.prefix) begin : gen_wide
    // FAULT(branch_ignores_prefix, control_flow): holds(ctrl_i.cond, src1_i[0], src2_i[0])
    assign taken = holds_wide(ctrl_i.cond, wide1_i[0], wide2_i[0]);
  end else begin : gen_plain
    logic unused_wide;
    assign unused_wide = &{1'b0, wide1_i, wide2_i, holds_wide('0, '0, '0)};
    assign taken = holds(ctrl_i.cond, src1_i[0], src2_i[0]);
  end

  // The comparison is vs2 op vs1.  Threads for which it is true take the else path.
  logic [NUM_THREAD-1:0] mask, else_mask, if_mask;
  always_comb begin
    mask = mask_q[warp_i];
    // FAULT(vbranch_operands, operand): for (int l = 0; l < int'(NUM_THREAD); l++)
    //     else_mask[l] = mask[l] && holds(ctrl_i.cond, src1_i[l], src2_i[l]);
    for (int l = 0; l < int'(NUM_THREAD); l++) else_mask[l] = mask[l] &&
        holds(ctrl_i.cond, src2_i[l], src1_i[l]);
    if (Has.prefix) begin
      // FAULT(vbranch_ignores_prefix, control_flow): mask[l] && holds(ctrl_i.cond, src2_i[l], src1_i[l])
      for (int l = 0; l < int'(NUM_THREAD); l++) else_mask[l] = mask[l] &&
          holds_wide(ctrl_i.cond, wide2_i[l], wide1_i[l]);
    end
    if_mask = mask & ~else_mask;
  end

  // The path with fewer threads runs first; on a tie, the else path.
  logic diverges, else_first;
  assign diverges = else_mask != '0 && if_mask != '0;
  // FAULT(tie_if_first, control_flow): $countones(else_mask) < $countones(if_mask)
  assign else_first = $countones(else_mask) <= $countones(if_mask);

  logic [31:0] target, fall_through;
  assign target = pc_i + imm_i;
  assign fall_through = pc_i + 32'd4;

  // The stack.
  logic push, pop;
  simt_entry_t top, merge, wait_entry;
  logic [DepthW-1:0] depth_q[NUM_WARP];
  simt_entry_t stack_q[NUM_WARP*STACK_DEPTH];

  function automatic int unsigned place(logic [WarpW-1:0] warp, logic [DepthW-1:0] depth);
    return 32'(warp) * STACK_DEPTH + 32'(depth);
  endfunction

  logic [DepthW-1:0] depth;
  assign depth = depth_q[warp_i];
  assign top = depth == '0 ? '0 : stack_q[place(warp_i, depth - 1'b1)];
  assign push = valid_i && ctrl_i.kind == CtlVbranch && diverges;
  // FAULT(join_ignores_rpc, control_flow): valid_i && ctrl_i.kind == CtlJoin && depth != '0 &&
  //     top.rpc[3:0] == pc_i[3:0]
  assign pop = valid_i && ctrl_i.kind == CtlJoin && depth != '0 && top.rpc == pc_i;
  assign merge = '{rpc: rpc_i, next: rpc_i, mask: 32'(mask)};
  assign wait_entry = '{rpc: rpc_i, next: else_first ? fall_through : target,
                        mask: else_first ? 32'(if_mask) : 32'(else_mask)};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mask_q <= '0;
      for (int w = 0; w < int'(NUM_WARP); w++) depth_q[w] <= '0;
    end else begin
      if (push) begin
        mask_q[warp_i] <= else_first ? else_mask : if_mask;
        depth_q[warp_i] <= depth + DepthW'(2);
      end
      if (pop) begin
        mask_q[warp_i] <= top.mask[NUM_THREAD-1:0];
        depth_q[warp_i] <= depth - 1'b1;
      end
      if (launch_i) begin
        mask_q[launch_warp_i] <= launch_mask_i;
        // FAULT(launch_clears_next, misrouted): depth_q[launch_warp_i ^ WarpW'(1)] <= '0;
        depth_q[launch_warp_i] <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) begin
      // FAULT(merge_mask, mask): '{rpc: rpc_i, next: rpc_i, mask: 32'(if_mask)}
      stack_q[place(warp_i, depth)] <= merge;
      stack_q[place(warp_i, depth + 1'b1)] <= wait_entry;
    end
  end

  always_comb begin
    jump_o = valid_i;
    jump_pc_o = fall_through;
    jump_wait_o = 1'b0;
    arrive_o = 1'b0;
    exit_o = 1'b0;
    if (valid_i) begin
      unique case (ctrl_i.kind)
        CtlBranch: if (taken) jump_pc_o = target;
        CtlJal: jump_pc_o = target;
        CtlJalr: jump_pc_o = (src1_i[0] + imm_i) & ~32'd1;
        CtlVbranch: if (diverges ? else_first : else_mask != '0) jump_pc_o = target;
        CtlJoin: if (pop) jump_pc_o = top.next;
        CtlBarrier: begin
          jump_wait_o = 1'b1;
          arrive_o = valid_i;
        end
        CtlExit: begin
          jump_o = 1'b0;
          exit_o = valid_i;
        end
        CtlCsr: jump_o = valid_i && !csr_illegal_i;
        CtlNone, CtlIllegal, CtlPageFault: jump_o = 1'b0;
      endcase
    end
  end

  AssertCondition :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i && ctrl_i.kind inside {CtlBranch, CtlVbranch} |-> ctrl_i.cond[2:1] != 2'b01);
  AssertRoom :
  assert property (@(posedge clk_i) disable iff (!rst_ni) push |-> 32'(depth) + 2 <= STACK_DEPTH);

endmodule
