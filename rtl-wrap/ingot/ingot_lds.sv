// Local memory of the SM. Storage is paged: each workgroup has the whole window for itself, and gets a
// cleared page of storage on its first access to that page. (Programs use the window sparsely, with a stack
// for each warp far from the
// next.  Ranges fixed at dispatch would waste most of the storage.)  The pages of a workgroup are freed when
//        it ends.  A
// workgroup can reserve pages at dispatch: they are kept free until the workgroup uses as many. All other
// pages go to the first access that needs one.
//
// Consecutive words of a page are in consecutive banks. In each cycle the first waiting lane selects the
// page, and the lanes in that page whose bank is free are served: a bank reads one word, for all lanes with
// that word, or writes the bytes of one lane, the lowest lane first. The other lanes follow in the next
// cycles. LR, SC and AMOs use lane 0 only.
module ingot_lds
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,  // Warp slots, and also workgroup slots
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_PAGE = 64,
  parameter int unsigned NUM_BANK = 8,  // A power of two
  localparam int unsigned SlotW = index_width(NUM_WARP),
  localparam int unsigned CountW = $clog2(NUM_PAGE + 1)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Access: the lanes of lanes_o are performed in this cycle
  input  logic                        valid_i,
  input  logic [SlotW-1:0]            wg_slot_i,
  input  logic [SlotW-1:0]            warp_i,
  input  mem_op_e                     op_i,
  // The reservation of the warp, if still valid, is in local memory
  input  logic                        reserved_i,
  input  logic [NUM_THREAD-1:0]       lanes_i,
  input  logic [NUM_THREAD-1:0][31:0] addr_i,
  input  logic [NUM_THREAD-1:0][3:0]  be_i,
  input  logic [NUM_THREAD-1:0][31:0] wdata_i,
  output logic [NUM_THREAD-1:0]       lanes_o,
  output logic [NUM_THREAD-1:0][31:0] rdata_o,
  output logic                        written_o,  // The lanes write: true except where an SC fails
  output logic [NUM_THREAD-1:0][31:0] wdata_o,  // The words that they write
  output logic                        full_o,  // No page is left for this access
  // a workgroup begins: pages to reserve for it, at most as many as are available
  output logic [CountW-1:0]           available_o,
  input  logic                        reserve_i,
  input  logic [SlotW-1:0]            reserve_slot_i,
  input  logic [CountW-1:0]           reserve_pages_i,
  // End of a workgroup
  input  logic                        free_i,
  input  logic [SlotW-1:0]            free_slot_i
);

  if (NUM_BANK < 2 || NUM_BANK > 128 || (NUM_BANK & (NUM_BANK - 1)) != 0) begin : g_bad_num_lds_bank
    $error("NUM_LDS_BANK must be a power of two, 2 to 128");
  end

  localparam int unsigned OffsetW = 10;  // 1 KiB pages
  localparam int unsigned PageW = 28 - OffsetW;  // Page number within the window
  localparam int unsigned WordW = OffsetW - 2;
  localparam int unsigned PhysW = index_width(NUM_PAGE);
  localparam int unsigned BankW = $clog2(NUM_BANK);
  localparam int unsigned RowW = WordW - BankW;  // Row of a page, in each bank
  localparam int unsigned LastRow = (1 << RowW) - 1;

  logic [NUM_PAGE-1:0] used_q;
  logic [SlotW-1:0] owner_q[NUM_PAGE];
  logic [PageW-1:0] page_q[NUM_PAGE];
  logic [NUM_BANK-1:0][3:0][7:0] mem_q[NUM_PAGE << RowW];

  // Pages reserved for each workgroup and not used yet, and pages in use.
  logic [CountW-1:0] kept_q[NUM_WARP];
  logic [CountW-1:0] all_kept_q, in_use_q;
  assign available_o = CountW'(NUM_PAGE) - in_use_q - all_kept_q;

  // The page to serve, and its place in the storage.
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
      has_free = kept_q[wg_slot_i] != '0 || available_o != '0;
      for (int p = int'(NUM_PAGE) - 1; p >= 0; p--) begin
        if (!used_q[p]) begin
          free_phys = PhysW'(p);
        // FAULT(lds_owner, address): page_q[p] == page
        end else if (page_q[p] == page && owner_q[p] == wg_slot_i) begin
          hit = 1'b1;
          phys = PhysW'(p);
        end
      end
    end
  end

  // Clears a new page, one row of the banks a cycle.
  logic clearing_q;
  logic [PhysW-1:0] clear_page_q;
  logic [RowW-1:0] clear_row_q;

  logic perform, allocate;
  assign perform = valid_i && hit && !clearing_q;
  // In the cycle of a reservation only a reserved page is allocated: any other may be needed for the
  // reservation.
  assign allocate = valid_i && !hit && has_free && !clearing_q && (kept_q[wg_slot_i] != '0 || !reserve_i);
  assign full_o = valid_i && !hit && !has_free;

  // Each bank serves the lowest waiting lane that needs it.
  logic [NUM_BANK-1:0] taken;
  logic [NUM_BANK-1:0][RowW-1:0] row;
  logic [NUM_BANK-1:0][31:0] bank_rdata;
  logic is_load;
  assign is_load = op_i == MemLoad || op_i == MemLr;

  logic [NUM_THREAD-1:0][BankW-1:0] lane_bank;
  logic [NUM_THREAD-1:0][RowW-1:0] lane_row;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) {lane_row[l], lane_bank[l]} = addr_i[l][OffsetW-1:2];
  end

  always_comb begin
    taken = '0;
    row = '0;
    lanes_o = '0;
    if (perform) begin
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        // FAULT(lds_pages_alike, address): lanes_i[l] && 10'(addr_i[l][27:OffsetW]) == 10'(page)
        if (lanes_i[l] && addr_i[l][27:OffsetW] == page) begin
          if (!taken[lane_bank[l]]) begin
            // FAULT(lds_bank_shared, arbitration): !(l == int'(NUM_THREAD) - 2 && op_i == MemStore)
            taken[lane_bank[l]] = 1'b1;
            row[lane_bank[l]] = lane_row[l];
            lanes_o[l] = 1'b1;
          // FAULT(lds_conflict_dropped, address): is_load && 3'(row[lane_bank[l]]) == 3'(lane_row[l])
          end else if (is_load && row[lane_bank[l]] == lane_row[l]) begin
            lanes_o[l] = 1'b1;
          end
        end
      end
    end
  end
  always_comb begin
    bank_rdata = '0;
    rdata_o = '0;
    if (perform) begin
      for (int b = 0; b < int'(NUM_BANK); b++) bank_rdata[b] = mem_q[{phys, row[b]}][b];
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        // FAULT(lds_broadcast_lane, lanes_bytes): if (lanes_o[l]) rdata_o[l] =
        //     bank_rdata[(taken & (taken - 1'b1)) == '0 ? BankW'(l) : lane_bank[l]];
        if (lanes_o[l]) rdata_o[l] = bank_rdata[lane_bank[l]];
      end
    end
    wdata_o = wdata_i;
    // FAULT(lds_amo_swaps, arithmetic): wdata_i[0]
    if (is_amo(op_i)) wdata_o[0] = amo_result(op_i, rdata_o[0], wdata_i[0]);
    if (op_i == MemSc) rdata_o[0] = {31'b0, !succeeds};
  end

  // Reservations, by address in the storage, which no two workgroups share.
  typedef logic [PhysW+WordW-1:0] place_t;
  logic [NUM_WARP-1:0] reserved_q;
  place_t place_q[NUM_WARP];
  place_t place;
  logic succeeds;
  assign place = {phys, addr_i[0][OffsetW-1:2]};
  // FAULT(lds_reserved_word, address): reserved_i && reserved_q[warp_i] &&
  //     place_q[warp_i][WordW-1:0] == place[WordW-1:0]
  assign succeeds = reserved_i && reserved_q[warp_i] && place_q[warp_i] == place;
  assign written_o = perform && (op_i == MemStore || is_amo(op_i) || (op_i == MemSc && succeeds));

  // A write of another warp ends a reservation; a write of the same warp does not.
  logic [NUM_WARP-1:0] broken;
  always_comb begin
    broken = '0;
    // FAULT(lds_broken_by_lane0, lanes_bytes): written_o && reserved_q != '0 && lanes_o[0]
    if (written_o && reserved_q != '0) begin
      for (int w = 0; w < int'(NUM_WARP); w++) begin
        for (int l = 0; l < int'(NUM_THREAD); l++) begin
          // FAULT(lds_reservation_kept, stale_state): broken[w] = 1'b0;
          if (lanes_o[l] && SlotW'(w) != warp_i &&
              place_q[w] == {phys, addr_i[l][OffsetW-1:2]}) broken[w] = 1'b1;
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

  // Pages that the ending workgroup frees, and reserved pages that it never used.
  logic [CountW-1:0] given_back, not_touched;
  always_comb begin
    given_back = '0;
    not_touched = '0;
    if (free_i) begin
      // FAULT(lds_kept_leak, resource_limit): '0
      not_touched = kept_q[free_slot_i];
      for (int p = 0; p < int'(NUM_PAGE); p++) if (used_q[p] && owner_q[p] == free_slot_i) given_back += 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      clearing_q <= 1'b0;
      in_use_q <= '0;
      all_kept_q <= '0;
      for (int w = 0; w < int'(NUM_WARP); w++) kept_q[w] <= '0;
    end else begin
      // FAULT(lds_pages_kept, resource_limit): 1'b0
      if (free_i) begin
        for (int p = 0; p < int'(NUM_PAGE); p++) begin
          // FAULT(lds_neighbour_freed, misrouted): if ((owner_q[p] | SlotW'(1)) == (free_slot_i | SlotW'(1)))
          //     used_q[p] <= 1'b0;
          if (owner_q[p] == free_slot_i) used_q[p] <= 1'b0;
        end
      end
      if (allocate) begin
        used_q[free_phys] <= 1'b1;
        clearing_q <= 1'b1;
      // FAULT(lds_last_row_kept, stale_state): clear_row_q == RowW'(LastRow - 1)
      end else if (clear_row_q == RowW'(LastRow)) begin
        clearing_q <= 1'b0;
      end
      // FAULT(lds_count_two_ports, lost_event): in_use_q + (free_i ? '0 : CountW'(allocate)) - given_back
      in_use_q <= in_use_q + CountW'(allocate) - given_back;
      all_kept_q <= all_kept_q + (reserve_i ? reserve_pages_i : '0) -
          CountW'(allocate && kept_q[wg_slot_i] != '0) - not_touched;
      if (allocate && kept_q[wg_slot_i] != '0) kept_q[wg_slot_i] <= kept_q[wg_slot_i] - 1'b1;
      if (free_i) kept_q[free_slot_i] <= '0;
      if (reserve_i) kept_q[reserve_slot_i] <= reserve_pages_i;
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

  // A bank writes the bytes of at most one lane.
  always_ff @(posedge clk_i) begin
    if (clearing_q) begin
      mem_q[{clear_page_q, clear_row_q}] <= '0;
    end else if (written_o) begin
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        for (int b = 0; b < 4; b++) begin
          if (lanes_o[l] && be_i[l][b])
            mem_q[{phys, row[lane_bank[l]]}][lane_bank[l]][b] <= wdata_o[l][8*b+:8];
        end
      end
    end
  end

  AssertReservesAvailable :
  assert property (@(posedge clk_i) disable iff (!rst_ni) reserve_i |-> reserve_pages_i <= available_o);
  AssertKept :
  assert property (@(posedge clk_i) disable iff (!rst_ni) 32'(in_use_q) + 32'(all_kept_q) <= NUM_PAGE);

endmodule
