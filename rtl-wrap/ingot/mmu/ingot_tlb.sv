// First-level TLB: fully associative, of pages of all three sizes, with address space identifiers. It answers
// a lookup in the same cycle, or asks the second level for the page and answers when that has responded. One
// request is under way at a time. Its owner shows the lookup until it is answered; one that is withdrawn is
// no error.
//
// An entry is kept whatever it permits: that is checked at each lookup. What was asked for before an
// invalidation is not kept, and does not answer a lookup.
module ingot_tlb
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned NUM_ENTRY = 8,
  localparam int unsigned IndexW = ingot_pkg::index_width(NUM_ENTRY)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  invalidate_t       invalidate_i,
  // Lookup
  input  logic              valid_i,
  input  logic [51:0]       page_i,  // Bits 63 to 12 of the virtual address
  input  page_use_e         use_i,
  input  logic [AsidW-1:0]  asid_i,
  input  logic [51:0]       root_i,  // Page number of the root table
  output logic              hit_o,
  output logic [FrameW-1:0] frame_o,  // Page number in memory
  output logic              fault_o,
  output found_t            found_o,  // Cause of the fault
  // second level
  output logic              req_valid_o,
  input  logic              req_ready_i,
  output walk_t             req_o,
  input  logic              rsp_valid_i,
  input  found_t            rsp_i,
  // For the probe
  output filled_t           filled_o
);

  logic [NUM_ENTRY-1:0] valid_q;
  logic [VpnW-1:0] vpn_q[NUM_ENTRY];
  logic [AsidW-1:0] asid_q[NUM_ENTRY];
  logic [1:0] level_q[NUM_ENTRY];
  logic [53:0] entry_q[NUM_ENTRY];
  logic [IndexW-1:0] next_q;  // The entry to replace when all are valid

  // The request under way.
  logic miss_q, sent_q;
  walk_t miss_walk_q;

  // --- Lookup ----------------------------------------------------------------------------------------------

  logic [VpnW-1:0] vpn;
  logic canonical;
  logic [NUM_ENTRY-1:0] match;
  logic [IndexW-1:0] index;
  page_reason_e reason;
  assign vpn = page_i[VpnW-1:0];
  // FAULT(canonical_bit, address): page_i[51:VpnW+1] == {25{page_i[VpnW-1]}} >> 1
  assign canonical = page_i[51:VpnW] == {25{page_i[VpnW-1]}};
  always_comb begin
    index = '0;
    for (int e = 0; e < int'(NUM_ENTRY); e++) begin
      // FAULT(tlb_asid_ignored, stale_state): valid_q[e] && same_page(level_q[e], vpn_q[e], vpn)
      match[e] = valid_q[e] && asid_q[e] == asid_i && same_page(level_q[e], vpn_q[e], vpn);
      if (match[e]) index = IndexW'(e);
    end
  end
  // D, A, X, W and R.
  assign reason = permits({entry_q[index][7:6], entry_q[index][3:1]}, use_i);

  // A response to the lookup that is shown, and not out of date.
  logic answered;
  assign answered = rsp_valid_i && !miss_walk_q.drop && !invalidate_i.valid && miss_walk_q.vpn == vpn &&
      miss_walk_q.asid == asid_i;

  assign hit_o = valid_i && canonical && match != '0 && reason == PageFine;
  assign frame_o = frame_of(level_q[index], entry_q[index][53:10], vpn[17:0]);
  always_comb begin
    fault_o = 1'b0;
    found_o = rsp_i;
    if (valid_i && !canonical) begin
      fault_o = 1'b1;
      found_o = '{reason: PageNotCanonical, level: 2'd2, entry: '0, entry_addr: '0};
    end else if (valid_i && match != '0) begin
      fault_o = reason != PageFine;
      found_o = '{reason: reason, level: level_q[index], entry: {10'b0, entry_q[index]}, entry_addr: '0};
    end else if (valid_i && answered) begin
      fault_o = rsp_i.reason != PageFine;
    end
  end

  // --- Requests --------------------------------------------------------------------------------------------

  logic miss, fill;
  logic [IndexW-1:0] place;
  assign miss = valid_i && canonical && match == '0 && !miss_q;
  // FAULT(tlb_fills_late, stale_state): rsp_valid_i && rsp_i.reason == PageFine
  assign fill = rsp_valid_i && rsp_i.reason == PageFine && !miss_walk_q.drop && !invalidate_i.valid;
  assign req_valid_o = miss_q && !sent_q;
  assign req_o = miss_walk_q;

  always_comb begin
    place = next_q;
    for (int e = int'(NUM_ENTRY) - 1; e >= 0; e--) if (!valid_q[e]) place = IndexW'(e);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      miss_q <= 1'b0;
      sent_q <= 1'b0;
    end else begin
      if (miss) miss_q <= 1'b1;
      if (rsp_valid_i) miss_q <= 1'b0;
      sent_q <= miss_q && !rsp_valid_i && (sent_q || req_ready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (miss) miss_walk_q <= '{vpn: vpn, asid: asid_i, root: root_i, drop: invalidate_i.valid};
    else if (invalidate_i.valid) miss_walk_q.drop <= 1'b1;
  end

  // --- Entries ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      next_q <= '0;
    end else begin
      if (fill) begin
        valid_q[place] <= 1'b1;
        if (valid_q == '1) next_q <= int'(next_q) == int'(NUM_ENTRY) - 1 ? '0 : next_q + 1'b1;
      end
      for (int e = 0; e < int'(NUM_ENTRY); e++) begin
        // FAULT(tlb_not_invalidated, stale_state): 1'b0
        if (is_invalidated(invalidate_i, level_q[e], asid_q[e], vpn_q[e])) begin
          valid_q[e] <= 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (fill) begin
      vpn_q[place] <= miss_walk_q.vpn;
      asid_q[place] <= miss_walk_q.asid;
      // FAULT(tlb_level_lost, address): 2'd0
      level_q[place] <= rsp_i.level;
      entry_q[place] <= rsp_i.entry[53:0];
    end
  end

  assign filled_o = '{valid: fill, asid: miss_walk_q.asid, vpn: miss_walk_q.vpn, found: rsp_i};

  AssertOneMatch :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(match));
  AssertAnswerAsked :
  assert property (@(posedge clk_i) disable iff (!rst_ni) rsp_valid_i |-> miss_q && sent_q);

endmodule
