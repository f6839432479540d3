// Instruction cache of an SM, between the line buffers of the warps (ingot_fetch) and the fetch port. It has
// two ways and replaces the least recently used one.
//
// Each warp has at most one request. One request a cycle is looked up, round robin between the warps. A hit
// is answered in the same cycle. A miss goes to memory, unless another warp has already requested the line:
// then the warp waits for that request. Memory responds in any order. The line goes to the warp that missed
// first, and the warps that waited for it look it up again. Nothing is looked up in the cycle of a memory
// response: the storage and the response port to the warps are used once a cycle.
//
// A line with an error response goes to the warp and is not kept.
module ingot_icache
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_SET = 16,  // Sets of two lines; a power of 2
  parameter int unsigned NUM_MISS = 4,  // Lines in flight
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned MissW = index_width(NUM_MISS)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        flush_i,  // All lines become invalid, those in flight as well
  // warps
  input  logic                        req_valid_i,
  output logic                        req_ready_o,
  input  logic [WarpW-1:0]            req_warp_i,
  input  logic [31:0]                 req_addr_i,
  output logic                        rsp_valid_o,
  output logic [WarpW-1:0]            rsp_warp_o,
  output logic [LineWords-1:0][31:0]  rsp_data_o,
  output logic                        rsp_error_o,
  // Memory
  output logic                        mem_req_valid_o,
  input  logic                        mem_req_ready_i,
  output logic [MissW-1:0]            mem_req_id_o,
  output logic [31:0]                 mem_req_addr_o,
  input  logic                        mem_rsp_valid_i,
  input  logic [MissW-1:0]            mem_rsp_id_i,
  input  logic [LineWords-1:0][31:0]  mem_rsp_data_i,
  input  logic                        mem_rsp_error_i
);

  if (NUM_SET < 2 || (NUM_SET & (NUM_SET - 1)) != 0) begin : g_bad_num_set
    $error("NUM_SET must be a power of 2");
  end

  localparam int unsigned OffsetW = $clog2(LineWords * 4);
  localparam int unsigned LineW = 32 - OffsetW;
  localparam int unsigned SetW = $clog2(NUM_SET);
  localparam int unsigned TagW = LineW - SetW;

  // The warps' requests.
  logic [NUM_WARP-1:0] look_q;  // Waits to be looked up
  logic [NUM_WARP-1:0] join_q;  // Waits for a line that another warp requested
  logic [MissW-1:0] joined_q[NUM_WARP];  // Entry of that line
  logic [LineW-1:0] line_q[NUM_WARP];

  // Lines in flight.
  logic [NUM_MISS-1:0] miss_q;
  logic [NUM_MISS-1:0] sent_q;  // Memory has taken the request
  logic [NUM_MISS-1:0] stale_q;  // Flushed after the request: the line is not kept
  logic [WarpW-1:0] owner_q[NUM_MISS];
  logic [NUM_MISS-1:0][LineW-1:0] miss_line_q;

  // The lines in the cache.
  logic [NUM_SET-1:0][1:0] valid_q;
  logic [NUM_SET-1:0] oldest_q;  // The way that was used less recently
  logic [TagW-1:0] tag_q[2*NUM_SET];
  logic [LineWords-1:0][31:0] data_q[2*NUM_SET];

  // --- Lookup ----------------------------------------------------------------------------------------------

  logic any, look;
  logic [WarpW-1:0] look_warp;
  logic [LineW-1:0] look_line;
  logic [SetW-1:0] look_set;
  logic [TagW-1:0] look_tag;
  logic [1:0] match;
  logic hit, hit_way;

  ingot_rr_arb #(
    .N(NUM_WARP)
  ) u_arb (
    .clk_i,
    .rst_ni,
    .req_i  (look_q),
    .take_i (!mem_rsp_valid_i),
    .valid_o(any),
    .index_o(look_warp)
  );

  // The request that is looked up does not depend on a memory response; the response only cancels the lookup.
  // FAULT(icache_answer_collides, arbitration): any
  assign look = any && !mem_rsp_valid_i;
  assign look_line = line_q[look_warp];
  assign {look_tag, look_set} = look_line;
  assign match[0] = valid_q[look_set][0] && tag_q[{look_set, 1'b0}] == look_tag;
  // FAULT(icache_tag_bit, address): valid_q[look_set][1] &&
  //     ((tag_q[{look_set, 1'b1}] ^ look_tag) & ~TagW'(16)) == '0
  assign match[1] = valid_q[look_set][1] && tag_q[{look_set, 1'b1}] == look_tag;
  assign hit = look && match != '0;
  assign hit_way = match[1];

  // --- Misses ----------------------------------------------------------------------------------------------

  logic comes, has_free, miss, joins;
  logic [MissW-1:0] coming, free_miss;
  always_comb begin
    comes = 1'b0;
    coming = '0;
    has_free = 1'b0;
    free_miss = '0;
    for (int m = int'(NUM_MISS) - 1; m >= 0; m--) begin
      if (miss_q[m] && !stale_q[m] && miss_line_q[m] == look_line) begin
        comes = 1'b1;
        coming = MissW'(m);
      end
      if (!miss_q[m]) begin
        has_free = 1'b1;
        free_miss = MissW'(m);
      end
    end
  end
  assign joins = look && match == '0 && comes;
  assign miss = look && match == '0 && !comes && has_free;  // With no free entry the warp looks again

  logic [NUM_MISS-1:0] to_send, send;
  assign to_send = miss_q & ~sent_q;

  ingot_share #(
    .N(NUM_MISS)
  ) u_send (
    .clk_i,
    .rst_ni,
    .valid_i(to_send),
    .ready_o(send),
    .valid_o(mem_req_valid_o),
    .ready_i(mem_req_ready_i),
    .index_o(mem_req_id_o)
  );

  assign mem_req_addr_o = {miss_line_q[mem_req_id_o], OffsetW'(0)};

  // --- Responses -------------------------------------------------------------------------------------------

  assign req_ready_o = 1'b1;
  assign rsp_valid_o = hit || mem_rsp_valid_i;
  assign rsp_warp_o = mem_rsp_valid_i ? owner_q[mem_rsp_id_i] : look_warp;
  // FAULT(icache_newest_way, address): mem_rsp_valid_i ? mem_rsp_data_i
  //     : data_q[{look_set, !oldest_q[look_set]}]
  assign rsp_data_o = mem_rsp_valid_i ? mem_rsp_data_i : data_q[{look_set, hit_way}];
  assign rsp_error_o = mem_rsp_valid_i && mem_rsp_error_i;

  logic fill, fill_way;
  logic [SetW-1:0] fill_set;
  logic [TagW-1:0] fill_tag;
  assign {fill_tag, fill_set} = miss_line_q[mem_rsp_id_i];
  // FAULT(icache_stale_kept, stale_state): mem_rsp_valid_i && !mem_rsp_error_i
  assign fill = mem_rsp_valid_i && !mem_rsp_error_i && !stale_q[mem_rsp_id_i] && !flush_i;
  assign fill_way = &valid_q[fill_set] ? oldest_q[fill_set] : valid_q[fill_set][0];

  logic [NUM_WARP-1:0] wake;  // Waited for the line of this response
  always_comb begin
    for (int w = 0; w < int'(NUM_WARP); w++) begin
      // FAULT(icache_error_alone, lost_event): mem_rsp_valid_i && !mem_rsp_error_i && join_q[w] &&
      //     joined_q[w] == mem_rsp_id_i
      wake[w] = mem_rsp_valid_i && join_q[w] && joined_q[w] == mem_rsp_id_i;
    end
  end

  // --- State -----------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      look_q <= '0;
      join_q <= '0;
      miss_q <= '0;
      sent_q <= '0;
      stale_q <= '0;
      valid_q <= '0;
      oldest_q <= '0;
    end else begin
      look_q <= look_q | wake;
      join_q <= join_q & ~wake;
      // FAULT(icache_full_lost, lost_event): look
      if (hit || joins || miss) look_q[look_warp] <= 1'b0;
      if (joins) join_q[look_warp] <= 1'b1;
      if (req_valid_i) look_q[req_warp_i] <= 1'b1;

      sent_q <= sent_q | send;
      if (miss) begin
        miss_q[free_miss] <= 1'b1;
        sent_q[free_miss] <= 1'b0;
        stale_q[free_miss] <= 1'b0;
      end
      if (mem_rsp_valid_i) miss_q[mem_rsp_id_i] <= 1'b0;

      if (hit) oldest_q[look_set] <= !hit_way;
      if (fill) begin
        // FAULT(icache_valid_neighbour, stale_state): valid_q[fill_set ^ SetW'(1)][fill_way] <= 1'b1;
        valid_q[fill_set][fill_way] <= 1'b1;
        oldest_q[fill_set] <= !fill_way;
      end
      if (flush_i) begin
        // FAULT(icache_flush_way, stale_state): valid_q & {NUM_SET{2'b10}}
        valid_q <= '0;
        stale_q <= '1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (req_valid_i) line_q[req_warp_i] <= req_addr_i[31:OffsetW];
    if (joins) joined_q[look_warp] <= coming;
    // FAULT(icache_owner, misrouted): if (miss || joins) owner_q[miss ? free_miss : coming] <= look_warp;
    if (miss) owner_q[free_miss] <= look_warp;
    if (miss) miss_line_q[free_miss] <= look_line;
    if (fill) tag_q[{fill_set, fill_way}] <= fill_tag;
    // FAULT(icache_error_data, stale_state): if (mem_rsp_valid_i)
    //     data_q[{fill_set, fill_way}] <= mem_rsp_data_i;
    if (fill) data_q[{fill_set, fill_way}] <= mem_rsp_data_i;
  end

  AssertOneRequest :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   req_valid_i |-> !look_q[req_warp_i] && !join_q[req_warp_i]);
  AssertLineStart :
  assert property (@(posedge clk_i) disable iff (!rst_ni) req_valid_i |-> req_addr_i[OffsetW-1:0] == '0);
  AssertAnswerAsked :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   mem_rsp_valid_i |-> miss_q[mem_rsp_id_i] && sent_q[mem_rsp_id_i]);
  AssertOneWay :
  assert property (@(posedge clk_i) disable iff (!rst_ni) look |-> match != 2'b11);

endmodule
