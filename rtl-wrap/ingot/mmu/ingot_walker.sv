// Page table walker: several walks at once, each of which reads one entry of up to three tables after the
// other. Memory responds to the walks in any order. A walk that an invalidation has overtaken is finished,
// and its result is marked as one that nobody keeps.
module ingot_walker
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned NUM_WALK = 2,  // 1 to 4
  parameter int unsigned NUM_REQ = 2,  // Requesters
  localparam int unsigned ReqW = ingot_pkg::index_width(NUM_REQ),
  localparam int unsigned WalkW = ingot_pkg::index_width(NUM_WALK)
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            invalidate_i,  // Something is invalidated
  // walks
  input  logic            walk_valid_i,
  output logic            walk_ready_o,
  input  logic [ReqW-1:0] walk_id_i,
  input  walk_t           walk_i,
  output logic            done_valid_o,
  output logic [ReqW-1:0] done_id_o,
  output walk_t           done_walk_o,
  output found_t          done_o,
  // Memory: 8 bytes, aligned
  output logic            mem_req_valid_o,
  input  logic            mem_req_ready_i,
  output logic [1:0]      mem_req_id_o,
  output logic [63:0]     mem_req_addr_o,
  input  logic            mem_rsp_valid_i,
  input  logic [1:0]      mem_rsp_id_i,
  input  logic [63:0]     mem_rsp_data_i,
  input  logic            mem_rsp_error_i  // Not mapped
);

  if (NUM_WALK < 1 || NUM_WALK > 4) begin : g_bad_num_walk
    $error("NUM_WALK must be 1 to 4");
  end

  logic [NUM_WALK-1:0] busy_q, sent_q;
  logic [ReqW-1:0] id_q[NUM_WALK];
  walk_t walk_q[NUM_WALK];
  logic [1:0] level_q[NUM_WALK];
  logic [51:0] table_q[NUM_WALK];  // Page number of the table that is read

  // --- Walks -----------------------------------------------------------------------------------------------

  logic take;
  logic [WalkW-1:0] free;
  always_comb begin
    free = '0;
    for (int w = int'(NUM_WALK) - 1; w >= 0; w--) if (!busy_q[w]) free = WalkW'(w);
  end
  assign walk_ready_o = busy_q != '1;
  assign take = walk_valid_i && walk_ready_o;

  // --- Requests --------------------------------------------------------------------------------------------

  logic [NUM_WALK-1:0] send;
  logic [WalkW-1:0] shown;
  ingot_share #(
    .N(NUM_WALK)
  ) u_share (
    .clk_i,
    .rst_ni,
    .valid_i(busy_q & ~sent_q),
    .ready_o(send),
    .valid_o(mem_req_valid_o),
    .ready_i(mem_req_ready_i),
    .index_o(shown)
  );

  function automatic logic [63:0] entry_addr(logic [51:0] page, logic [1:0] level, logic [VpnW-1:0] vpn);
    logic [8:0] index;
    unique case (level)
      2'd0: index = vpn[8:0];
      // FAULT(walk_index_level, address): vpn[8:0]
      2'd1: index = vpn[17:9];
      default: index = vpn[26:18];
    endcase
    return {page, index, 3'b000};
  endfunction

  assign mem_req_id_o = 2'(shown);
  assign mem_req_addr_o = entry_addr(table_q[shown], level_q[shown], walk_q[shown].vpn);

  // --- Responses -------------------------------------------------------------------------------------------

  logic [WalkW-1:0] at;
  logic [63:0] entry;
  logic leaf, aligned, invalid, ends;
  logic [1:0] no_entry, no_table;  // Bits that no entry may have, and those that no table may have
  page_reason_e reason;
  assign at = mem_rsp_id_i[WalkW-1:0];
  assign entry = mem_rsp_error_i ? '0 : mem_rsp_data_i;
  assign leaf = entry[1] || entry[3];
  // FAULT(write_without_read, permission): !entry[0]
  assign invalid = !entry[0] || (entry[2] && !entry[1]);
  // FAULT(napot_bits_ignored, permission): 1'b0
  assign no_entry[0] = entry[63:61] != '0;
  // FAULT(reserved_ignored, permission): 1'b0
  assign no_entry[1] = entry[60:54] != '0;
  // FAULT(table_bits_ignored, permission): 1'b0
  assign no_table[0] = entry[7:6] != '0;
  // FAULT(table_user_ignored, permission): 1'b0
  assign no_table[1] = entry[4];
  always_comb begin
    unique case (level_q[at])
      2'd0: aligned = 1'b1;
      // FAULT(misaligned_2m_low, permission): entry[14:10] == '0
      2'd1: aligned = entry[18:10] == '0;
      // FAULT(misaligned_1g_low, permission): entry[18:10] == '0
      default: aligned = entry[27:10] == '0;
    endcase
    ends = 1'b1;
    if (mem_rsp_error_i) reason = PageNoTable;
    else if (invalid) reason = PageInvalid;
    else if (no_entry != '0) reason = PageReserved;
    else if (leaf) reason = aligned ? PageFine : PageMisaligned;
    else if (no_table != '0) reason = PageReserved;
    else if (level_q[at] == '0) reason = PageNoLeaf;
    else begin
      reason = PageFine;
      ends = 1'b0;
    end
  end

  assign done_valid_o = mem_rsp_valid_i && ends;
  assign done_id_o = id_q[at];
  always_comb begin
    done_walk_o = walk_q[at];
    done_walk_o.drop = walk_q[at].drop || invalidate_i;
  end
  assign done_o = '{
    reason: reason,
    level: level_q[at],
    entry: entry,
    entry_addr: entry_addr(table_q[at], level_q[at], walk_q[at].vpn)
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
      sent_q <= '0;
    end else begin
      sent_q <= sent_q | send;
      if (take) begin
        busy_q[free] <= 1'b1;
        sent_q[free] <= 1'b0;
      end
      if (mem_rsp_valid_i && ends) busy_q[at] <= 1'b0;
      if (mem_rsp_valid_i && !ends) sent_q[at] <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (mem_rsp_valid_i) begin
      level_q[at] <= level_q[at] - 1'b1;
      // FAULT(table_upper_bits, address): {26'b0, entry[35:10]}
      table_q[at] <= {8'b0, entry[53:10]};
    end
    if (take) begin
      id_q[free] <= walk_id_i;
      walk_q[free] <= walk_i;
      level_q[free] <= 2'd2;
      // FAULT(root_upper_bits, address): {26'b0, walk_i.root[25:0]}
      table_q[free] <= walk_i.root;
    end
    // FAULT(walk_not_dropped, stale_state): if (1'b0) for (int w = 0; w < int'(NUM_WALK); w++)
    //     walk_q[w].drop <= 1'b1;
    if (invalidate_i) for (int w = 0; w < int'(NUM_WALK); w++) walk_q[w].drop <= 1'b1;
  end

  AssertAnswerAsked :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   mem_rsp_valid_i |-> 32'(mem_rsp_id_i) < NUM_WALK && busy_q[at] && sent_q[at]);

endmodule
