// Issue: selects one warp a cycle whose next instruction has its operands and a unit with room, and loads the
// operation register. An instruction in the operation register is never cancelled; its unit takes it in that
// cycle.
module ingot_issue
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned PROFILE = 202,
  parameter int unsigned MMU = 0,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic                                launch_i,
  input  logic [WarpW-1:0]                    launch_warp_i,
  // The next instruction of each warp
  input  logic [NUM_WARP-1:0]                 valid_i,
  input  uop_t                                uop_i[NUM_WARP],
  input  logic [NUM_WARP-1:0]                 hazard_i,  // A register is pending
  input  logic [NUM_WARP-1:0]                 empty_i,  // No register pending
  output logic                                issue_o,
  output logic [WarpW-1:0]                    issue_warp_o,
  output uop_t                                issue_uop_o,
  output logic                                issue_more_o,  // The second part is still to issue
  // lanes of each warp
  input  logic [NUM_WARP-1:0][NUM_THREAD-1:0] mask_i,
  input  logic [NUM_WARP-1:0][6:0]            vl_i,
  // The units have room
  input  logic                                alu_ready_i,
  input  logic                                mul_ready_i,
  input  logic                                div_ready_i,
  input  logic                                lsu_ready_i,
  input  logic                                csr_ready_i,
  input  logic                                fpu_ready_i,
  input  logic                                fdiv_ready_i,
  input  logic                                fmisc_ready_i,
  input  logic                                sfu_ready_i,
  input  logic                                tensor_ready_i,
  input  logic                                wide_ready_i,  // Profile v2.03
  // Profile public
  input  logic                                half_ready_i,
  input  logic                                special_ready_i,
  input  logic                                matrix_ready_i,
  // Memory order within a warp: only loads may overtake, and only other loads
  input  logic [NUM_WARP-1:0]                 loads_i,  // The warp has loads in flight
  input  logic [NUM_WARP-1:0]                 stores_i,  // The warp has stores or atomics in flight
  // the host has not taken the last print of the warp yet
  input  logic [NUM_WARP-1:0]                 printing_i,
  // Register file
  input  logic [31:0]                         x1_i,
  input  logic [31:0]                         x2_i,
  input  logic [31:0]                         x3_i,
  input  logic [NUM_THREAD-1:0][31:0]         v0_i,
  input  logic [NUM_THREAD-1:0][31:0]         v1_i,
  input  logic [NUM_THREAD-1:0][31:0]         v2_i,
  input  logic [NUM_THREAD-1:0][31:0]         v3_i,
  input  logic [NUM_THREAD-1:0][31:0]         base_high_i,
  input  logic [NUM_THREAD-1:0][31:0]         data_high_i,
  // Operation
  output logic                                op_valid_o,
  output logic [WarpW-1:0]                    op_warp_o,
  output tag_t                                op_tag_o,
  output uop_t                                op_uop_o,
  output logic [NUM_THREAD-1:0]               op_mask_o,  // Thread mask
  // Lanes that write a register or access memory; bit 0 for a scalar
  output logic [NUM_THREAD-1:0]               op_active_o,
  output logic [NUM_THREAD-1:0][31:0]         op_src1_o,
  output logic [NUM_THREAD-1:0][31:0]         op_src2_o,
  output logic [NUM_THREAD-1:0][31:0]         op_src3_o,
  output logic [NUM_THREAD-1:0][31:0]         op_v0_o,
  output logic [NUM_THREAD-1:0][31:0]         op_base_high_o,  // Upper halves of pairs
  output logic [NUM_THREAD-1:0][31:0]         op_data_high_o
);

  localparam features_t Has = features_of(PROFILE);

  logic lsu_locked;  // For the second part of an access of this warp
  logic [WarpW-1:0] lsu_warp;
  logic [NUM_WARP-1:0] ready, wanted;
  logic grant;
  logic [WarpW-1:0] warp;
  uop_t uop;

  for (genvar w = 0; w < int'(NUM_WARP); w++) begin : g_ready
    logic unit_ready, order_ok;

    always_comb begin
      unit_ready = 1'b0;
      if (valid_i[w]) begin
        unique case (uop_i[w].dest_unit)
          UnitNone: unit_ready = 1'b1;
          UnitAlu: unit_ready = alu_ready_i;
          UnitMul: unit_ready = mul_ready_i;
          UnitDiv: unit_ready = div_ready_i;
          UnitLsu: unit_ready = lsu_ready_i && !(lsu_locked && w != int'(lsu_warp));
          UnitCsr: unit_ready = csr_ready_i;
          UnitFpu: unit_ready = fpu_ready_i;
          UnitFdiv: unit_ready = fdiv_ready_i;
          UnitFmisc: unit_ready = fmisc_ready_i;
          // FAULT(sfu_ready_of_tensor, arbitration): tensor_ready_i
          UnitSfu: unit_ready = sfu_ready_i;
          UnitTensor: unit_ready = tensor_ready_i;
          UnitWide: unit_ready = wide_ready_i;
          UnitHalf: unit_ready = half_ready_i;
          UnitSpecial: unit_ready = special_ready_i;
          UnitMatrix: unit_ready = matrix_ready_i;
        endcase
      end
    end

    always_comb begin
      order_ok = 1'b1;
      // FAULT(load_overtakes_store, memory_order): !(uop_i[w].mem.ordered && loads_i[w])
      if (uop_i[w].dest_unit == UnitLsu) order_ok = !stores_i[w] && !(uop_i[w].mem.ordered && loads_i[w]);
      // Both parts of an access are translated before the first is performed: it waits for the second.
      if (MMU != 0 && uop_i[w].dest_unit == UnitLsu && uop_i[w].part) order_ok = 1'b1;
      // FAULT(barrier_ignores_stores, sync): order_ok = order_ok;
      if (uop_i[w].drain_mem && stores_i[w] && uop_i[w].dest_unit != UnitCsr) order_ok = 1'b0;
      // The host reads the print buffer as soon as CSR_PRINT is written.
      // FAULT(print_overtakes_stores, memory_order): order_ok = order_ok;
      if (uop_i[w].drain_mem && stores_i[w] && uop_i[w].dest_unit == UnitCsr) order_ok = 1'b0;
      // FAULT(barrier_ignores_loads, sync): order_ok = order_ok;
      if (uop_i[w].drain_mem && loads_i[w]) order_ok = 1'b0;
      // FAULT(print_overwritten, lost_event): order_ok = order_ok;
      if (printing_i[w] && uop_i[w].drain_mem && uop_i[w].dest_unit == UnitCsr) order_ok = 1'b0;
      if (printing_i[w] && uop_i[w].drain_all) order_ok = 1'b0;
      // FAULT(vxsat_early, hazard): order_ok = order_ok;
      if (uop_i[w].drain_regs && !empty_i[w]) order_ok = 1'b0;
      // FAULT(exit_ignores_stores, memory_order): order_ok = order_ok;
      if (uop_i[w].drain_all && stores_i[w]) order_ok = 1'b0;
      // FAULT(exit_early, timing): if (uop_i[w].drain_all && loads_i[w]) order_ok = 1'b0;
      if (uop_i[w].drain_all && (loads_i[w] || !empty_i[w])) order_ok = 1'b0;
    end

    // FAULT(store_overtakes_load, memory_order): valid_i[w] && !hazard_i[w] && unit_ready &&
    //     (order_ok || (uop_i[w].dest_unit == UnitLsu && uop_i[w].mem.ordered && !stores_i[w]))
    assign ready[w] = valid_i[w] && !hazard_i[w] && unit_ready && order_ok;
  end

  ingot_rr_arb #(
    .N(NUM_WARP)
  ) u_arb (
    .clk_i,
    .rst_ni,
    .req_i  (wanted),
    .take_i (1'b1),
    .valid_o(grant),
    .index_o(warp)
  );

  assign uop = uop_i[warp];
  assign issue_o = grant;
  assign issue_warp_o = warp;

  // The passes of an instruction follow each other without one of another warp in between: the operands that
  // they read are put together behind the operation register. Only the last pass has an effect.
  logic more_passes;
  if (Has.passes) begin : gen_passes
    logic locked_q, locked;
    logic [WarpW-1:0] locked_warp_q;
    // FAULT(passes_apart, hazard): 1'b0
    assign locked = locked_q && valid_i[locked_warp_q];  // Not if the warp has stopped
    assign more_passes = uop.more.pass != uop.more.passes;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) locked_q <= 1'b0;
      else locked_q <= grant && more_passes;
    end
    always_ff @(posedge clk_i) if (grant) locked_warp_q <= warp;
    assign wanted = locked ? ready & NUM_WARP'(1) << locked_warp_q : ready;
    always_comb begin
      issue_uop_o = uop;
      if (more_passes) begin
        issue_uop_o.dest_unit = UnitNone;
        // FAULT(branch_on_first_pass, control_flow): uop.ctl.kind
        issue_uop_o.ctl.kind = CtlNone;
        issue_uop_o.write_x = 1'b0;
        issue_uop_o.write_v = 1'b0;
      end
    end
    AssertLocked :
    assert property (@(posedge clk_i) disable iff (!rst_ni) locked |-> grant);
  end else begin : gen_one
    assign more_passes = 1'b0;
    assign wanted = ready;
    assign issue_uop_o = uop;
  end

  // Lanes below vl, of this part and of the second one.
  logic [NUM_THREAD-1:0] below_vl, below_vl_second, active;
  logic issue_second;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      below_vl_second[l] = l + int'(NUM_THREAD) < int'(vl_i[warp]);
      below_vl[l] = uop.part ? below_vl_second[l] : l < int'(vl_i[warp]);
      // FAULT(mask_ignores_vl, mask): uop.is_vector ? mask_i[warp][l] && (!uop.masked || v0_i[l][0]) : l == 0
      active[l] = uop.is_vector ? mask_i[warp][l] && below_vl[l] && (!uop.masked || v0_i[l][0]) : l == 0;
    end
  end

  // A second part without an active lane is left out.
  // FAULT(lmul2_part_dropped, lost_event): grant && uop.two_parts && !uop.part && mask_i[warp] == '1 &&
  //     below_vl_second != '0
  assign issue_second = grant && uop.two_parts && !uop.part && (mask_i[warp] & below_vl_second) != '0;
  assign issue_more_o = issue_second || (grant && more_passes);

  if (MMU != 0) begin : gen_mmu
    logic locked_q;
    logic [WarpW-1:0] warp_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) locked_q <= 1'b0;
      else if (grant && uop.dest_unit == UnitLsu && issue_second) locked_q <= 1'b1;
      else if (grant && warp == warp_q) locked_q <= 1'b0;
    end
    always_ff @(posedge clk_i) if (grant && uop.dest_unit == UnitLsu && issue_second) warp_q <= warp;
    assign lsu_locked = locked_q && valid_i[warp_q];  // Not if the warp has stopped
    assign lsu_warp = warp_q;
  end else begin : gen_no_mmu
    assign lsu_locked = 1'b0;
    assign lsu_warp = '0;
  end

  // Instruction numbers.  Both parts have the same number.
  tag_t tag_q[NUM_WARP];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int w = 0; w < int'(NUM_WARP); w++) tag_q[w] <= '{epoch: '1, seq: '0};
    end else begin
      if (grant && !issue_more_o) tag_q[warp].seq <= tag_q[warp].seq + 1'b1;
      if (launch_i) begin
        tag_q[launch_warp_i].epoch <= tag_q[launch_warp_i].epoch + 1'b1;
        tag_q[launch_warp_i].seq <= '0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) op_valid_o <= 1'b0;
    else op_valid_o <= grant;
  end

  always_ff @(posedge clk_i) begin
    if (grant) begin
      op_warp_o <= warp;
      op_tag_o <= tag_q[warp];
      op_uop_o <= issue_uop_o;
      op_mask_o <= mask_i[warp];
      op_active_o <= active;
      op_src1_o <= uop.use1 == UseV ? v1_i : {NUM_THREAD{x1_i}};
      op_src2_o <= uop.use2 == UseV ? v2_i : {NUM_THREAD{x2_i}};
      // FAULT(src3_scalar, operand): uop.use3 == UseX ? {NUM_THREAD{x1_i}} : v3_i
      op_src3_o <= uop.use3 == UseX ? {NUM_THREAD{x3_i}} : v3_i;
      op_v0_o <= v0_i;
      if (uop.mem.base_pair) op_base_high_o <= base_high_i;
      if (uop.mem.data_pair) op_data_high_o <= data_high_i;
    end
  end

  AssertUnitReady :
  assert property (@(posedge clk_i) disable iff (!rst_ni) grant |-> !hazard_i[warp]);

endmodule
