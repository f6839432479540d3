// Local memory of the SM.  Storage is paged: a workgroup sees the whole window as its own, and a page of storage is
// given to it when it first touches one, cleared.  (Programs use the window sparsely, a stack per warp far apart from
// the next, so that ranges fixed at dispatch would waste most of the storage.)  Its pages return when it ends.
//
// One page is served per cycle: the first waiting lane's, with all other lanes that fall into it.  LR, SC and AMOs are
// lane 0's.
module ingot_lds
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,  // also the number of workgroup slots
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_PAGE = 64,
  localparam int unsigned SlotW = index_width(NUM_WARP)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // access: lanes_o are performed in this cycle
  input  logic                        valid_i,
  input  logic [SlotW-1:0]            wg_slot_i,
  input  logic [SlotW-1:0]            warp_i,
  input  mem_op_e                     op_i,
  input  logic                        reserved_i,  // the warp's reservation is here, if it still stands
  input  logic [NUM_THREAD-1:0]       lanes_i,
  input  logic [NUM_THREAD-1:0][31:0] addr_i,
  input  logic [NUM_THREAD-1:0][3:0]  be_i,
  input  logic [NUM_THREAD-1:0][31:0] wdata_i,
  output logic [NUM_THREAD-1:0]       lanes_o,
  output logic [NUM_THREAD-1:0][31:0] rdata_o,
  output logic                        written_o,  // the lanes' words: not where an SC fails ...
  output logic [NUM_THREAD-1:0][31:0] wdata_o,  // ... and with what
  output logic                        full_o,  // no page left for this access
  // end of a workgroup
  input  logic                        free_i,
  input  logic [SlotW-1:0]            free_slot_i
);

  localparam int unsigned OffsetW = 10;  // 1 KiB pages
  localparam int unsigned PageW = 28 - OffsetW;  // page number within the window
  localparam int unsigned WordW = OffsetW - 2;
  localparam int unsigned PhysW = index_width(NUM_PAGE);
  localparam int unsigned LastRow = (1 << WordW) / NUM_THREAD - 1;

  logic [NUM_PAGE-1:0] used_q;
  logic [SlotW-1:0] owner_q[NUM_PAGE];
  logic [PageW-1:0] page_q[NUM_PAGE];
  logic [3:0][7:0] mem_q[NUM_PAGE << WordW];

  // The page to serve, and where it is.
  logic [PageW-1:0] page;
  logic hit, has_free;
  logic [PhysW-1:0] phys, free_phys;
  always_comb begin
    page = '0;
    hit = 1'b0;
    has_free = 1'b0;
    phys = '0;
    free_phys = '0;
    if (valid_i) begin
      for (int l = int'(NUM_THREAD) - 1; l >= 0; l--) if (lanes_i[l]) page = addr_i[l][27:OffsetW];
      for (int p = int'(NUM_PAGE) - 1; p >= 0; p--) begin
        if (!used_q[p]) begin
          has_free = 1'b1;
          free_phys = PhysW'(p);
        end else if (page_q[p] == page && owner_q[p] == wg_slot_i) begin  // FAULT(lds_owner, lds): page_q[p] == page
          hit = 1'b1;
          phys = PhysW'(p);
        end
      end
    end
  end

  // Clearing a new page, a row of lanes a cycle.
  logic clearing_q;
  logic [PhysW-1:0] clear_page_q;
  logic [WordW-1:0] clear_row_q;

  logic perform, allocate;
  assign perform = valid_i && hit && !clearing_q;
  assign allocate = valid_i && !hit && has_free && !clearing_q;
  assign full_o = valid_i && !hit && !has_free;

  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      lanes_o[l] = perform && lanes_i[l] && addr_i[l][27:OffsetW] == page;
      rdata_o[l] = lanes_o[l] ? mem_q[{phys, addr_i[l][OffsetW-1:2]}] : '0;
    end
    wdata_o = wdata_i;
    if (is_amo(op_i)) wdata_o[0] = amo_result(op_i, rdata_o[0], wdata_i[0]);  // FAULT(lds_amo_swaps, atomic): wdata_i[0]
    if (op_i == MemSc) rdata_o[0] = {31'b0, !succeeds};
  end

  // Reservations, by place in the storage: no two workgroups share one.
  typedef logic [PhysW+WordW-1:0] place_t;
  logic [NUM_WARP-1:0] reserved_q;
  place_t place_q[NUM_WARP];
  place_t place;
  logic succeeds;
  assign place = {phys, addr_i[0][OffsetW-1:2]};
  assign succeeds = reserved_i && reserved_q[warp_i] && place_q[warp_i] == place;
  assign written_o = perform && (op_i == MemStore || is_amo(op_i) || (op_i == MemSc && succeeds));

  // Another warp's write ends a reservation, its own do not.
  logic [NUM_WARP-1:0] broken;
  always_comb begin
    broken = '0;
    if (written_o && reserved_q != '0) begin
      for (int w = 0; w < int'(NUM_WARP); w++) begin
        for (int l = 0; l < int'(NUM_THREAD); l++) begin
          if (lanes_o[l] && SlotW'(w) != warp_i && place_q[w] == {phys, addr_i[l][OffsetW-1:2]}) broken[w] = 1'b1;  // FAULT(lds_reservation_kept, atomic): broken[w] = 1'b0;
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reserved_q <= '0;
    end else begin
      reserved_q <= reserved_q & ~broken;
      if (perform && op_i == MemLr) reserved_q[warp_i] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (perform && op_i == MemLr) place_q[warp_i] <= place;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      clearing_q <= 1'b0;
    end else begin
      if (free_i) begin  // FAULT(lds_pages_kept, lds): 1'b0
        for (int p = 0; p < int'(NUM_PAGE); p++) if (owner_q[p] == free_slot_i) used_q[p] <= 1'b0;
      end
      if (allocate) begin
        used_q[free_phys] <= 1'b1;
        clearing_q <= 1'b1;
      end else if (clear_row_q == WordW'(LastRow)) begin
        clearing_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (allocate) begin
      owner_q[free_phys] <= wg_slot_i;
      page_q[free_phys] <= page;
      clear_page_q <= free_phys;
      clear_row_q <= '0;
    end else if (clearing_q) begin
      clear_row_q <= clear_row_q + 1'b1;
    end
  end

  // Lanes write in ascending order: of two that meet, the higher one's value stays.
  always_ff @(posedge clk_i) begin
    if (clearing_q) begin
      for (int l = 0; l < int'(NUM_THREAD); l++)
        mem_q[{clear_page_q, WordW'(int'(clear_row_q) * int'(NUM_THREAD) + l)}] <= '0;
    end else if (written_o) begin
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        for (int b = 0; b < 4; b++) begin
          if (lanes_o[l] && be_i[l][b]) mem_q[{phys, addr_i[l][OffsetW-1:2]}][b] <= wdata_o[l][8*b+:8];
        end
      end
    end
  end

endmodule
