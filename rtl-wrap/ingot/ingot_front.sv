// The warps' front ends: program counters, and one decoded instruction per warp that waits to issue.
//
// One instruction a cycle is decoded, round robin between the warps. An instruction that may change the
// control flow, or state that decode depends on, holds its warp until it is resolved. So every decoded
// instruction executes.
module ingot_front
  import ingot_pkg::*;
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned PROFILE = 202,
  parameter int unsigned MMU = 0,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  // Launch
  input  logic                      launch_i,
  input  logic [WarpW-1:0]          launch_warp_i,
  input  logic [31:0]               launch_pc_i,
  input  logic [NUM_WARP-1:0]       live_i,
  // Fetch
  output logic [NUM_WARP-1:0][31:0] pc_o,
  input  logic [NUM_WARP-1:0]       avail0_i,
  input  logic [NUM_WARP-1:0]       avail1_i,
  output logic [WarpW-1:0]          sel_o,
  input  logic [31:0]               word0_i,
  input  logic [31:0]               word1_i,
  input  logic                      error0_i,
  input  logic                      error1_i,
  input  found_t                    fault0_i,
  input  found_t                    fault1_i,
  input  logic [NUM_WARP-1:0]       vill_i,
  input  logic [NUM_WARP-1:0]       lmul2_i,
  input  logic [NUM_WARP-1:0][1:0]  sew_i,  // As log2 of the bytes
  input  logic [NUM_WARP-1:0][2:0]  frm_i,
  input  logic [NUM_WARP-1:0]       full_i,  // A matrix product may be executed: all lanes are active
  input  logic [NUM_WARP-1:0][6:0]  sgprs_i,  // Registers that the warp has
  input  logic [NUM_WARP-1:0][8:0]  vgprs_i,
  // Issue
  output logic [NUM_WARP-1:0]       valid_o,
  output uop_t                      uop_o[NUM_WARP],
  output found_t                    fault_o[NUM_WARP],  // Cause of a CtlPageFault, whose pc is the address
  input  logic                      issue_i,
  input  logic [WarpW-1:0]          issue_warp_i,
  input  logic                      issue_more_i,  // The instruction stays in its slot, for its second part
  // control flow
  // The held instruction of jump_warp is resolved: continue at jump_pc
  input  logic                      jump_i,
  input  logic [WarpW-1:0]          jump_warp_i,
  input  logic [31:0]               jump_pc_i,
  input  logic                      jump_wait_i,  // The jump waits for the release of the warp
  input  logic [NUM_WARP-1:0]       release_i,
  input  logic                      stop_i,  // This warp never issues again
  input  logic [WarpW-1:0]          stop_warp_i
);

  localparam features_t Has = features_of(PROFILE);

  logic [NUM_WARP-1:0][31:0] pc_q;
  logic [NUM_WARP-1:0] hold_q;
  logic [NUM_WARP-1:0] valid_q;
  logic [NUM_WARP-1:0] stopped_q;
  uop_t uop_q[NUM_WARP];

  logic [NUM_WARP-1:0] ready;
  logic sel_valid, decode;
  logic is_prefix;
  uop_t named, bounded, decoded;

  assign pc_o = pc_q;
  assign valid_o = valid_q & ~stopped_q;
  assign uop_o = uop_q;

  always_comb begin
    for (int w = 0; w < int'(NUM_WARP); w++) begin
      ready[w] = live_i[w] && !hold_q[w] && avail0_i[w] &&
          (!valid_q[w] || (issue_i && !issue_more_i && int'(issue_warp_i) == w));
    end
  end

  ingot_rr_arb #(
    .N(NUM_WARP)
  ) u_arb (
    .clk_i,
    .rst_ni,
    .req_i  (ready),
    .take_i (1'b1),
    .valid_o(sel_valid),
    .index_o(sel_o)
  );

  if (Has.prefix) begin : gen_v203
    logic unused_full;
    assign unused_full = &{1'b0, full_i};
    // REGEXT, REGEXTI, PRE_M_*, PREFIX, PREFIXI.
    assign is_prefix = !error0_i &&
        ((word0_i & 32'h000fefff) == 32'h0000200b || (word0_i & 32'h00007f87) == 32'h00000006 ||
         (word0_i & 32'h00001ff7) == 32'h00000002);
    ingot_decode203 u_decode (
      // FAULT(pre_m_pc, control_flow): is_prefix && word0_i[2:0] != 3'b110 ? pc_q[sel_o] + 32'd4
      //     : pc_q[sel_o]
      .pc_i        (is_prefix ? pc_q[sel_o] + 32'd4 : pc_q[sel_o]),
      .word_i      (is_prefix ? word1_i : word0_i),
      // FAULT(prefix_kept, stale_state): uop_q[sel_o].has_prefix ? uop_q[sel_o].prefix : word0_i
      .prefix_i    (word0_i),
      // FAULT(prefix_lost_at_line, lost_event): is_prefix && pc_q[sel_o][3:2] != 2'b11
      .has_prefix_i(is_prefix),
      .error_i     (is_prefix ? error1_i : error0_i),
      .vill_i      (vill_i[sel_o]),
      .lmul2_i     (lmul2_i[sel_o]),
      // FAULT(sew_of_other_warp, misrouted): width_e'(sew_i[issue_warp_i])
      .sew_i       (width_e'(sew_i[sel_o])),
      .frm_i       (frm_i[sel_o]),
      .uop_o       (named)
    );
  end else begin : gen_v202
    // REGEXT, REGEXTI, REGPAIR, REGPAIRI.
    assign is_prefix = !error0_i && ((word0_i & 32'h000fefff) == 32'h0000200b ||
                                     (word0_i & 32'h000fdfff) == 32'h0000500b);
    logic unused_sew;
    assign unused_sew = &{1'b0, sew_i};
    ingot_decode_public #(
      .PROFILE(PROFILE)
    ) u_decode (
      // FAULT(prefix_pc, control_flow): pc_q[sel_o]
      .pc_i        (is_prefix ? pc_q[sel_o] + 32'd4 : pc_q[sel_o]),
      .word_i      (is_prefix ? word1_i : word0_i),
      .prefix_i    (word0_i),
      .has_prefix_i(is_prefix),
      .error_i     (is_prefix ? error1_i : error0_i),
      .vill_i      (vill_i[sel_o]),
      .lmul2_i     (lmul2_i[sel_o]),
      .frm_i       (frm_i[sel_o]),
      .full_i      (full_i[sel_o]),
      .uop_o       (named)
    );
  end
  assign decode = sel_valid && (!is_prefix || avail1_i[sel_o]);

  ingot_bounds #(
    .PROFILE(PROFILE)
  ) u_bounds (
    .uop_i  (named),
    .sgprs_i(sgprs_i[sel_o]),
    .vgprs_i(vgprs_i[sel_o]),
    .uop_o  (bounded)
  );

  // A fetch that faults takes the place of its instruction, and waits for accesses before it, which may fault
  // as well.
  if (MMU != 0) begin : gen_mmu
    found_t fault;
    found_t fault_q[NUM_WARP];
    logic failed;
    assign fault = is_prefix ? fault1_i : fault0_i;
    assign failed = (is_prefix ? error1_i : error0_i) && fault.reason != PageFine;
    always_comb begin
      decoded = bounded;
      if (failed) begin
        decoded.ctl.kind = CtlPageFault;
        decoded.drain_mem = 1'b1;
      end
    end
    always_ff @(posedge clk_i) if (decode) fault_q[sel_o] <= fault;
    assign fault_o = fault_q;
  end else begin : gen_no_mmu
    logic unused_fault;
    assign unused_fault = &{1'b0, fault0_i, fault1_i};
    assign decoded = bounded;
    always_comb for (int w = 0; w < int'(NUM_WARP); w++) fault_o[w] = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pc_q <= '0;
      hold_q <= '0;
      valid_q <= '0;
      stopped_q <= '0;
    end else begin
      hold_q <= hold_q & ~release_i;
      if (issue_i && !issue_more_i) valid_q[issue_warp_i] <= 1'b0;
      if (decode) begin
        valid_q[sel_o] <= 1'b1;
        pc_q[sel_o] <= decoded.pc + 32'd4;
        if (decoded.ctl.kind != CtlNone) hold_q[sel_o] <= 1'b1;
      end
      if (jump_i) begin
        pc_q[jump_warp_i] <= jump_pc_i;
        if (!jump_wait_i) hold_q[jump_warp_i] <= 1'b0;
      end
      if (stop_i) stopped_q[stop_warp_i] <= 1'b1;
      if (launch_i) begin
        stopped_q[launch_warp_i] <= 1'b0;
        pc_q[launch_warp_i] <= launch_pc_i;
        hold_q[launch_warp_i] <= 1'b0;
        valid_q[launch_warp_i] <= 1'b0;
      end
    end
  end

  // The sources that have a register in the next pass.
  logic [3:1] reads_on;
  always_comb begin
    for (int s = 1; s <= 3; s++)
      reads_on[s] = uop_q[issue_warp_i].more.pass < uop_q[issue_warp_i].more.extra[s];
  end

  always_ff @(posedge clk_i) begin
    if (decode) uop_q[sel_o] <= decoded;
    // The next register of each pair, or of consecutive ones.
    if (Has.passes && issue_more_i && uop_q[issue_warp_i].more.passes != '0) begin
      uop_q[issue_warp_i].more.pass <= uop_q[issue_warp_i].more.pass + 1'b1;
      // FAULT(pair_src1_low_twice, operand): uop_q[issue_warp_i].rs1
      if (reads_on[1]) uop_q[issue_warp_i].rs1 <= uop_q[issue_warp_i].rs1 + 1'b1;
      // FAULT(pair_src2_after_src1, operand): uop_q[issue_warp_i].rs1 + 1'b1
      if (reads_on[2]) uop_q[issue_warp_i].rs2 <= uop_q[issue_warp_i].rs2 + 1'b1;
      // FAULT(words_src3_or, operand): uop_q[issue_warp_i].rs3 | 8'd1
      if (reads_on[3]) uop_q[issue_warp_i].rs3 <= uop_q[issue_warp_i].rs3 + 1'b1;
    end else if (issue_more_i) begin
      // The second register of each group; scalars are the same for both parts.
      uop_q[issue_warp_i].part <= 1'b1;
      // FAULT(lmul2_scalar_moves, operand): 1'b1
      uop_q[issue_warp_i].rs1[0] <= uop_q[issue_warp_i].rs1[0] || uop_q[issue_warp_i].use1 == UseV;
      uop_q[issue_warp_i].rs2[0] <= uop_q[issue_warp_i].rs2[0] || uop_q[issue_warp_i].use2 == UseV;
      uop_q[issue_warp_i].rs3[0] <= 1'b1;
      uop_q[issue_warp_i].rd[0] <= 1'b1;
    end
  end

  // A decoded instruction has at most one destination, and a unit that writes it. It writes x0 only for flags
  // or as half of a pair.
  AssertOneDestination :
  assert property (@(posedge clk_i) disable iff (!rst_ni) decode |-> !(decoded.write_x && decoded.write_v));
  AssertHasUnit :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   decode && (decoded.write_x || decoded.write_v) |-> decoded.dest_unit != UnitNone);
  AssertWriteX0 :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   decode && decoded.write_x && decoded.rd == '0 |->
                   decoded.mem.data_pair || decoded.more.words != '0 || is_fp_unit(decoded.dest_unit));
  AssertMaskedVector :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   decode && decoded.masked |-> decoded.is_vector && decoded.use_v0);
  AssertGroups :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   decode && decoded.two_parts |-> decoded.is_vector && !decoded.write_x);
  // An illegal instruction only stops its warp.
  AssertIllegalInert :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   decode && decoded.ctl.kind == CtlIllegal |->
                   decoded.dest_unit == UnitNone && !decoded.write_x && !decoded.write_v &&
                       !decoded.two_parts &&
                   !decoded.drain_mem && !decoded.drain_regs && !decoded.drain_all);
  // Only a held warp jumps.
  AssertJumpHeld :
  assert property (@(posedge clk_i) disable iff (!rst_ni) jump_i |-> hold_q[jump_warp_i]);
  AssertIssueValid :
  assert property (@(posedge clk_i) disable iff (!rst_ni) issue_i |-> valid_q[issue_warp_i]);

endmodule
