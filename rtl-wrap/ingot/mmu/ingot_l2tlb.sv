// Second-level TLB, which all first-level TLBs share: set associative, of pages of all three sizes. It serves
// one request after the other: a lookup takes a cycle for each size, the smallest first. A page that it does
// not have goes to the walker, and the next request is looked up while the walk is under way.
//
// A requester has one request under way. The result of a walk goes to it in the cycle in which it arrives,
// and has priority over a lookup.
module ingot_l2tlb
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned NUM_SET = 8,  // A power of 2
  parameter int unsigned NUM_WAY = 4,  // A power of 2
  parameter int unsigned NUM_REQ = 2,  // Requesters
  localparam int unsigned ReqW = ingot_pkg::index_width(NUM_REQ)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  invalidate_t        invalidate_i,
  // Requesters
  input  logic [NUM_REQ-1:0] req_valid_i,
  output logic [NUM_REQ-1:0] req_ready_o,
  input  walk_t              req_i[NUM_REQ],
  output logic [NUM_REQ-1:0] rsp_valid_o,
  output found_t             rsp_o,
  // Walker
  output logic               walk_valid_o,
  input  logic               walk_ready_i,
  output logic [ReqW-1:0]    walk_id_o,
  output walk_t              walk_o,
  input  logic               done_valid_i,
  input  logic [ReqW-1:0]    done_id_i,
  /* verilator lint_off UNUSEDSIGNAL */  // The root
  input  walk_t              done_walk_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  found_t             done_i,
  // For the probe
  output filled_t            filled_o
);

  if (NUM_WAY < 2 || (NUM_WAY & (NUM_WAY - 1)) != 0 || NUM_SET < 2 || NUM_SET > 512 ||
      (NUM_SET & (NUM_SET - 1)) != 0) begin : g_bad_num_set
    $error("NUM_SET and NUM_WAY must be powers of 2");
  end

  localparam int unsigned SetW = $clog2(NUM_SET);
  localparam int unsigned WayW = ingot_pkg::index_width(NUM_WAY);
  localparam int unsigned PlaceW = SetW + WayW;

  logic [NUM_SET-1:0][NUM_WAY-1:0] valid_q;
  logic [VpnW-1:0] vpn_q[NUM_SET*NUM_WAY];
  logic [AsidW-1:0] asid_q[NUM_SET*NUM_WAY];
  logic [1:0] level_q[NUM_SET*NUM_WAY];
  logic [63:0] entry_q[NUM_SET*NUM_WAY];
  logic [63:0] entry_addr_q[NUM_SET*NUM_WAY];
  logic [WayW-1:0] next_q;  // The way to replace in a full set

  // Pages of each size are spread by the lowest bits of their number.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [SetW-1:0] set_of(logic [1:0] level, logic [VpnW-1:0] vpn);
    unique case (level)
      2'd0: return vpn[SetW-1:0];
      2'd1: return vpn[9+:SetW];
      default: return vpn[18+:SetW];
    endcase
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */


  // --- Lookup ----------------------------------------------------------------------------------------------

  logic look_q;  // A request is looked up
  logic [ReqW-1:0] look_id_q;
  walk_t look_walk_q;
  logic [1:0] look_level_q;

  logic any, take;
  logic [ReqW-1:0] id;
  ingot_share #(
    .N(NUM_REQ)
  ) u_share (
    .clk_i,
    .rst_ni,
    .valid_i(req_valid_i),
    .ready_o(req_ready_o),
    .valid_o(any),
    .ready_i(!look_q),
    .index_o(id)
  );
  assign take = any && !look_q;

  logic [SetW-1:0] look_set;
  logic [NUM_WAY-1:0] match;
  logic [WayW-1:0] way;
  assign look_set = set_of(look_level_q, look_walk_q.vpn);
  always_comb begin
    match = '0;
    way = '0;
    for (int unsigned w = 0; w < NUM_WAY; w++) begin
      // FAULT(l2tlb_asid_ignored, stale_state): valid_q[look_set][w] &&
      //     level_q[{look_set, WayW'(w)}] == look_level_q &&
      //     same_page(look_level_q, vpn_q[{look_set, WayW'(w)}], look_walk_q.vpn)
      match[w] = valid_q[look_set][w] &&
          is_page({look_set, WayW'(w)}, look_level_q, look_walk_q.asid, look_walk_q.vpn);
      if (match[w]) way = WayW'(w);
    end
  end

  function automatic logic is_page(logic [PlaceW-1:0] place, logic [1:0] level, logic [AsidW-1:0] asid,
                                   logic [VpnW-1:0] vpn);
    // FAULT(l2tlb_level_mixed, address): asid_q[place] == asid && same_page(level, vpn_q[place], vpn)
    return asid_q[place] == asid && level_q[place] == level && same_page(level, vpn_q[place], vpn);
  endfunction

  logic hit, missed, walks;
  assign hit = look_q && match != '0 && !done_valid_i;
  assign missed = look_q && match == '0;
  assign walks = missed && look_level_q == 2'd2;

  assign walk_valid_o = walks;
  assign walk_id_o = look_id_q;
  always_comb begin
    walk_o = look_walk_q;
    walk_o.drop = look_walk_q.drop || invalidate_i.valid;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) look_q <= 1'b0;
    else if (take) look_q <= 1'b1;
    else if (hit || (walks && walk_ready_i)) look_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      look_id_q <= id;
      look_walk_q <= req_i[id];
      look_level_q <= '0;
    end else if (missed && !walks) begin
      look_level_q <= look_level_q + 1'b1;
    end
    if (invalidate_i.valid) look_walk_q.drop <= 1'b1;
  end

  // --- Responses -------------------------------------------------------------------------------------------

  always_comb begin
    rsp_valid_o = '0;
    if (done_valid_i) rsp_valid_o[done_id_i] = 1'b1;
    // FAULT(l2tlb_answers_next, misrouted): rsp_valid_o[NUM_REQ > 2
    //     ? look_id_q ^ ReqW'(1) : look_id_q] = 1'b1;
    if (hit) rsp_valid_o[look_id_q] = 1'b1;
    if (done_valid_i) rsp_o = done_i;
    else begin
      rsp_o = '{
        reason: PageFine,
        level: look_level_q,
        entry: entry_q[{look_set, way}],
        entry_addr: entry_addr_q[{look_set, way}]
      };
    end
  end

  // --- Fill ------------------------------------------------------------------------------------------------

  // Two requesters may have had the same page walked: there is one entry of it.
  logic fill, present, full;
  logic [SetW-1:0] fill_set;
  logic [WayW-1:0] fill_way;
  logic [PlaceW-1:0] fill_place;
  // FAULT(l2tlb_fills_late, stale_state): done_valid_i && done_i.reason == PageFine
  assign fill = done_valid_i && done_i.reason == PageFine && !done_walk_i.drop && !invalidate_i.valid;
  assign fill_set = set_of(done_i.level, done_walk_i.vpn);
  assign full = valid_q[fill_set] == '1;
  assign fill_place = {fill_set, fill_way};
  always_comb begin
    present = 1'b0;
    fill_way = next_q;
    for (int unsigned w = 0; w < NUM_WAY; w++) if (!valid_q[fill_set][w]) fill_way = WayW'(w);
    for (int unsigned w = 0; w < NUM_WAY; w++) begin
      if (valid_q[fill_set][w] && is_page({fill_set, WayW'(w)}, done_i.level, done_walk_i.asid,
                                          done_walk_i.vpn)) begin
        present = 1'b1;
        fill_way = WayW'(w);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      next_q <= '0;
    end else begin
      if (fill) begin
        valid_q[fill_set][fill_way] <= 1'b1;
        if (full && !present) next_q <= int'(next_q) == int'(NUM_WAY) - 1 ? '0 : next_q + 1'b1;
      end
      for (int unsigned s = 0; s < NUM_SET; s++) begin
        for (int unsigned w = 0; w < NUM_WAY; w++) begin
          // FAULT(invalidate_misses_way, stale_state): w != 1 &&
          //     is_invalidated(invalidate_i, level_q[s*NUM_WAY+w], asid_q[s*NUM_WAY+w], vpn_q[s*NUM_WAY+w])
          if (is_invalidated(invalidate_i, level_q[s*NUM_WAY+w], asid_q[s*NUM_WAY+w],
                             vpn_q[s*NUM_WAY+w])) begin
            valid_q[s][w] <= 1'b0;
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (fill) begin
      vpn_q[fill_place] <= done_walk_i.vpn;
      asid_q[fill_place] <= done_walk_i.asid;
      level_q[fill_place] <= done_i.level;
      entry_q[fill_place] <= done_i.entry;
      entry_addr_q[fill_place] <= done_i.entry_addr;
    end
  end

  assign filled_o = '{valid: fill, asid: done_walk_i.asid, vpn: done_walk_i.vpn, found: done_i};

  AssertOneMatch :
  assert property (@(posedge clk_i) disable iff (!rst_ni) look_q |-> $onehot0(match));

endmodule
