// Loads, stores and atomics.
//
//   operation --> addresses --> queue --> split by space --+--> data memory port --+--> entry --> writeback
//                                                          +--> local memory ------+
//
// Operations leave the queue in order. Each takes an entry, which collects the responses to its requests: one
// request for all lanes in device memory, and as many accesses to local memory as its pages and banks need.
// Entries complete in the order in which memory responds. Issue keeps accesses of one warp in order where
// necessary.
//
// An operation on pairs takes two passes, one for each word, each with an entry. Lanes must store in
// ascending order, the low word of a lane first. Where the low word of a lane overlaps the high word of a
// lower lane, each lane has passes of its own, and a pass of a store waits for the pass before it. In v2.03 a
// lane has up to four words, whose data arrives in as many cycles.
//
// The memory port moves aligned words with byte enables. A response means that the access has been performed.
//
// A warp has one reservation. This module knows whether it is in device or in local memory; the memory knows
// whether it is still valid.
//
// With MMU all addresses of an operation are translated in the queue (ingot_lsu_pages) before the first of
// its accesses is performed, those of both parts under LMUL 2 as well. A page fault stops the warp. Accesses
// of a warp that has stopped are dropped. Words are compared for overlap by virtual address, so a store of
// several words to more than one page goes lane by lane, since two pages may be one in memory.
module ingot_lsu
  import ingot_pkg::*;
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_ENTRY = 4,
  parameter int unsigned NUM_LDS_PAGE = 64,
  parameter int unsigned NUM_LDS_BANK = 8,
  parameter int unsigned PROFILE = 202,
  parameter int unsigned MMU = 0,
  localparam int unsigned AddrW = MMU != 0 ? 64 : 32,  // Virtual and physical addresses
  localparam features_t Has = features_of(PROFILE),
  localparam int unsigned MaxWords = Has.prefix ? 4 : 2,  // Words of each lane
  localparam int unsigned WordW = $clog2(MaxWords),
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned EntryW = index_width(NUM_ENTRY),
  localparam int unsigned PageW = $clog2(NUM_LDS_PAGE + 1)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        launch_i,
  input  logic [WarpW-1:0]            launch_warp_i,
  // Issue
  output logic                        ready_o,
  input  logic                        reserve_i,
  input  logic [WarpW-1:0]            reserve_warp_i,
  input  logic                        reserve_ordered_i,
  output logic [NUM_WARP-1:0]         loads_o,  // Warps with loads in flight
  output logic [NUM_WARP-1:0]         stores_o,  // Warps with stores or atomics in flight
  // operation
  input  logic                        valid_i,
  input  logic [WarpW-1:0]            warp_i,
  input  logic [WarpW-1:0]            wg_slot_i,
  input  dest_t                       dest_i,
  input  logic                        has_result_i,
  input  mem_ctrl_t                   ctrl_i,
  input  logic [31:0]                 imm_i,
  input  logic [31:0]                 pds_i,
  input  logic [31:0]                 lds_i,  // CSR_LDS
  input  logic [31:0]                 tid_i,
  input  logic [31:0]                 wg_threads_i,
  input  logic                        part_i,
  input  logic                        follows_i,  // The second part of this access is still to issue
  // In v2.03, a store's earlier pass, with the next of its words
  input  logic                        gather_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  more_t                       more_i,  // Some fields are for other modules
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0][31:0] src1_i,
  input  logic [NUM_THREAD-1:0][31:0] src2_i,
  input  logic [NUM_THREAD-1:0][31:0] src3_i,
  input  logic [NUM_THREAD-1:0][31:0] base_high_i,
  input  logic [NUM_THREAD-1:0][31:0] data_high_i,
  // Address space, and TLB entries that become invalid
  input  address_space_t              space_i,
  input  invalidate_t                 invalidate_i,
  // A misaligned or failed access: the warp stops
  output logic                        error_o,
  output logic [WarpW-1:0]            error_warp_o,
  output logic                        page_fault_o,  // The error is a page fault
  // result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o,
  // A workgroup begins: local memory to reserve for it
  output logic [PageW-1:0]            lds_available_o,
  input  logic                        lds_reserve_i,
  input  logic [WarpW-1:0]            lds_reserve_slot_i,
  input  logic [PageW-1:0]            lds_reserve_pages_i,
  // A workgroup ends: its local memory becomes free
  input  logic                        free_i,
  input  logic [WarpW-1:0]            free_slot_i,
  // Data memory
  output logic                        req_valid_o,
  input  logic                        req_ready_i,
  output logic [EntryW-1:0]           req_id_o,
  output logic [3:0]                  req_op_o,
  output logic [WarpW-1:0]            req_warp_o,
  output logic [NUM_THREAD-1:0]       req_lanes_o,
  output logic [NUM_THREAD-1:0][AddrW-1:0] req_addr_o,
  output logic [NUM_THREAD-1:0][3:0]  req_be_o,
  output logic [NUM_THREAD-1:0][31:0] req_data_o,
  input  logic                        rsp_valid_i,
  input  logic [EntryW-1:0]           rsp_id_i,
  input  logic                        rsp_error_i,
  input  logic [NUM_THREAD-1:0][31:0] rsp_data_i,
  // Second-level TLB
  output logic                        tlb_req_valid_o,
  input  logic                        tlb_req_ready_i,
  output walk_t                       tlb_req_o,
  input  logic                        tlb_rsp_valid_i,
  input  found_t                      tlb_rsp_i,
  output filled_t                     tlb_filled_o  // For the probe
);

  // --- Addresses -------------------------------------------------------------------------------------------

  typedef struct packed {
    logic [WarpW-1:0] warp;
    logic [WarpW-1:0] wg_slot;
    dest_t dest;
    logic has_result;
    mem_ctrl_t ctrl;
    logic bad;  // Misaligned, or beyond 4 GiB; ingot_lsu_pages decides with MMU
    logic one_by_one;
    logic is_private;
    logic [NUM_THREAD-1:0] lanes;
    logic [31:0] step;  // Bytes from one word of a lane to the next
    logic [WordW-1:0] last_word;
    logic [NUM_THREAD-1:0][AddrW-1:0] addr;
    logic [NUM_THREAD-1:0][3:0] be;
    logic [NUM_THREAD-1:0][31:0] data;
    logic [MaxWords-2:0][NUM_THREAD-1:0][31:0] data_more;  // Data of the words after the first
  } access_t;

  // Private memory is interleaved by word (docs/isa-notes.md).
  function automatic logic [63:0] private_address(logic [31:0] pds, logic [31:0] threads, logic [31:0] thread,
                                                  logic [63:0] offset);
    logic [63:0] stripes;
    // FAULT(private_32_bits, address): 64'(32'({offset[31:2], 2'b00} * threads))
    stripes = {offset[63:2], 2'b00} * 64'(threads);
    // FAULT(private_not_interleaved, address): 64'(pds) + stripes + (64'(thread) << 2)
    return 64'(pds) + stripes + (64'(thread) << 2) + {62'b0, offset[1:0]};
  endfunction

  // Indices are unsigned.
  function automatic logic [63:0] index(logic [1:0] width, logic [31:0] value);
    unique case (width)
      // FAULT(index8_signed, address): {{56{value[7]}}, value[7:0]}
      2'd0: return {56'b0, value[7:0]};
      // FAULT(index16_wide, address): {32'b0, value}
      2'd1: return {48'b0, value[15:0]};
      default: return {32'b0, value};
    endcase
  endfunction

  // Bytes between the elements of a unit-stride access.
  logic [4:0] unit;
  // The words of a store: the first three arrive before the operation.
  logic [NUM_THREAD-1:0][31:0] store_word;
  logic [2:0][NUM_THREAD-1:0][31:0] words_q;
  assign store_word = ctrl_i.data_src3 ? src3_i : src2_i;
  if (Has.prefix) begin : gen_spaces
    // FAULT(words_unit_step, address): 5'd1 << ctrl_i.width
    assign unit = (5'd1 << ctrl_i.width) * (5'(more_i.words) + 5'd1);
    always_ff @(posedge clk_i) if (gather_i) words_q[more_i.pass] <= store_word;
  end else begin : gen_plain
    logic unused_more;
    assign unused_more = &{1'b0, more_i, lds_i, gather_i, store_word, words_q};
    // FAULT(pair_unit_step, address): 5'd1 << ctrl_i.width
    assign unit = 5'd1 << (ctrl_i.width + 2'(ctrl_i.data_pair));
    assign words_q = '0;
  end
  logic interleaved;
  assign interleaved = ctrl_i.mode == MemPrivate || (Has.prefix && more_i.space == SpacePrivate);

  // An address has 64 bits with a 64-bit base.  With any other base the upper half of the sum is ignored.
  access_t arriving;
  logic mode_known;
  always_comb begin
    mode_known = 1'b1;
    arriving = '0;
    arriving.warp = warp_i;
    arriving.wg_slot = wg_slot_i;
    arriving.dest = dest_i;
    arriving.has_result = has_result_i;
    arriving.ctrl = ctrl_i;
    // FAULT(store_ignores_mask, mask): (ctrl_i.op == MemStore && ctrl_i.mode != MemScalar && active_i != '0)
    //     ? '1 : active_i
    arriving.lanes = active_i;
    arriving.is_private = interleaved;
    // FAULT(pair_private_step, address): 32'd4
    arriving.step = interleaved ? wg_threads_i << 2 : 32'd4;
    arriving.last_word = Has.prefix ? WordW'(more_i.words) : WordW'(ctrl_i.data_pair);
    if (valid_i) begin
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        logic [63:0] base, addr;
        logic [31:0] data, element;
        logic [3:0] be;
        base = {ctrl_i.base_pair ? base_high_i[l] : 32'b0, src1_i[l]};
        element = 32'(l) + (part_i ? 32'(NUM_THREAD) : '0);
        unique case (ctrl_i.mode)
          MemPrivate: addr = private_address(pds_i, wg_threads_i, tid_i + 32'(l), base + 64'(signed'(imm_i)));
          // FAULT(unit_steps_words, address): base + 64'(element) * 64'd4
          MemUnit: addr = base + 64'(element) * 64'(unit);
          // FAULT(stride_16_bits, address): base + 64'(signed'(src2_i[l][15:0])) * 64'(element)
          MemStride: addr = base + 64'(signed'(src2_i[l])) * 64'(element);
          MemIndex: addr = base + index(ctrl_i.index_width, src2_i[l]);
          // FAULT(pair_offset_unsigned, address): base + 64'(imm_i)
          MemScalar, MemLane: addr = base + 64'(signed'(imm_i));
          default: begin
            mode_known = 1'b0;
            addr = '0;
          end
        endcase
        if (Has.prefix) begin
          // The space of the prefix, for the address that the access computes by itself.
          // FAULT(private_base_low, address): if (!ctrl_i.base_pair || more_i.space == SpacePrivate)
          //     addr[63:32] = '0;
          if (!ctrl_i.base_pair) addr[63:32] = '0;
          // FAULT(space_private_lane, address): private_address(pds_i, wg_threads_i, 32'(l), addr)
          if (more_i.space == SpacePrivate) addr = private_address(pds_i, wg_threads_i, tid_i + 32'(l), addr);
          // FAULT(space_local_atomics, address): if (more_i.space == SpaceLocal &&
          //     ctrl_i.op inside {MemLoad, MemStore}) addr += 64'(lds_i);
          if (more_i.space == SpaceLocal) addr += 64'(lds_i);
        end
        if (MMU != 0 && !ctrl_i.base_pair) addr[63:32] = '0;
        // FAULT(store_wrong_lane, lanes_bytes): ctrl_i.data_src3 ? src3_i[l]
        //     : src2_i[ctrl_i.mode == MemPrivate ? l ^ 1 : l]
        data = ctrl_i.data_src3 ? src3_i[l] : src2_i[l];
        unique case (ctrl_i.width)
          2'd0: be = 4'b0001;
          2'd1: be = 4'b0011;
          default: be = 4'b1111;  // A word: AssertOperation
        endcase
        arriving.addr[l] = addr[AddrW-1:0];
        // FAULT(half_byte_enable, lanes_bytes): be << {addr[1], 1'b0}
        arriving.be[l] = be << addr[1:0];
        arriving.data[l] = data << {addr[1:0], 3'b000};
        if (MMU == 0 && active_i[l]) begin
          if ((ctrl_i.width == 2'd1 && addr[0]) || (ctrl_i.width == 2'd2 && addr[1:0] != '0))
            arriving.bad = 1'b1;
          if (ctrl_i.base_pair && addr[63:32] != '0) arriving.bad = 1'b1;
          if (Has.regpair && ctrl_i.base_pair && ctrl_i.data_pair && addr[31:0] > ~arriving.step)
            arriving.bad = 1'b1;
          if (Has.prefix && ctrl_i.base_pair &&
              {2'b0, addr[31:0]} + 34'(more_i.words) * 34'(arriving.step) > 34'hffffffff)
            arriving.bad = 1'b1;
        end
      end
      if (Has.prefix && more_i.words != '0 && ctrl_i.op == MemStore) begin
        for (int k = 1; k < int'(MaxWords); k++) begin
          // FAULT(words_swapped, lanes_bytes): words_q[3-k]
          if (k < int'(more_i.words)) arriving.data_more[k-1] = words_q[k];
          else arriving.data_more[k-1] = store_word;
        end
        arriving.data = words_q[0];
        for (int l = 0; l < int'(NUM_THREAD); l++) begin
          for (int h = l + 1; h < int'(NUM_THREAD); h++) begin
            for (int k = 1; k < int'(MaxWords); k++) begin
              if (active_i[l] && active_i[h] && k <= int'(more_i.words) &&
                  arriving.addr[l] + AddrW'(arriving.step * 32'(k)) == arriving.addr[h])
                // FAULT(words_overlap_first, memory_order): if (k == 1) arriving.one_by_one = 1'b1;
                arriving.one_by_one = 1'b1;
            end
          end
        end
      end
      if (Has.regpair && ctrl_i.data_pair && ctrl_i.op == MemStore) begin
        arriving.data_more[0] = data_high_i;
        for (int l = 0; l < int'(NUM_THREAD); l++) begin
          for (int h = l + 1; h < int'(NUM_THREAD); h++) begin
            // FAULT(pair_next_lane, memory_order): active_i[l] && active_i[h] && h == l + 1 &&
            //     arriving.addr[l] + AddrW'(arriving.step) == arriving.addr[h]
            if (active_i[l] && active_i[h] && arriving.addr[l] + AddrW'(arriving.step) == arriving.addr[h])
              // FAULT(pair_lane_order, memory_order): 1'b0
              arriving.one_by_one = 1'b1;
          end
        end
      end
    end
  end

  // --- Queue -----------------------------------------------------------------------------------------------

  localparam int unsigned QueueDepth = 2;
  access_t queue_q[QueueDepth];
  logic queue_head_q, queue_tail_q;
  logic [1:0] queue_used_q, queue_full_q;
  logic pop;
  access_t head;

  assign ready_o = queue_used_q < 2'(QueueDepth);
  assign head = queue_q[queue_head_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      queue_head_q <= '0;
      queue_tail_q <= '0;
      queue_used_q <= '0;
      queue_full_q <= '0;
    end else begin
      if (valid_i) queue_tail_q <= !queue_tail_q;
      if (pop) queue_head_q <= !queue_head_q;
      queue_used_q <= queue_used_q + 2'(reserve_i) - 2'(pop);
      queue_full_q <= queue_full_q + 2'(valid_i) - 2'(pop);
    end
  end
  always_ff @(posedge clk_i) if (valid_i) queue_q[queue_tail_q] <= arriving;

  // --- Entries ---------------------------------------------------------------------------------------------

  typedef struct packed {
    logic [WarpW-1:0] warp;
    dest_t dest;
    logic has_result;
    mem_ctrl_t ctrl;
    logic [NUM_THREAD-1:0] lanes;
    logic [NUM_THREAD-1:0][1:0] offset;  // Byte offset of each lane in its word
  } entry_t;

  logic [NUM_ENTRY-1:0] busy_q;
  logic [NUM_ENTRY-1:0] sent_q;  // All its requests have been sent
  logic [NUM_ENTRY-1:0] waiting_q;  // Device memory has not responded yet
  logic [NUM_ENTRY-1:0] failed_q;
  entry_t entry_q[NUM_ENTRY];
  logic [NUM_THREAD-1:0] asked_q[NUM_ENTRY];  // Lanes of the request to device memory
  logic [NUM_THREAD-1:0][31:0] data_q[NUM_ENTRY];

  logic has_free;
  logic [EntryW-1:0] free_entry;
  always_comb begin
    has_free = 1'b0;
    free_entry = '0;
    for (int e = int'(NUM_ENTRY) - 1; e >= 0; e--) begin
      if (!busy_q[e]) begin
        has_free = 1'b1;
        free_entry = EntryW'(e);
      end
    end
  end

  // The head of the queue, pass by pass.  Each pass takes an entry, then sends its requests.
  logic started_q, resumed_q;  // Resumed means not the first pass
  logic [WordW-1:0] word_q;  // Word of this pass
  logic high_q, last_word;  // The pass is not of the first word; it is of the last word
  logic [NUM_THREAD-1:0] left_q;  // Where resumed, lanes of this pass and later ones
  logic [NUM_THREAD-1:0] left, pass, local_lanes;
  logic [NUM_THREAD-1:0][AddrW-1:0] addr;
  logic [NUM_THREAD-1:0][31:0] data;
  logic [EntryW-1:0] head_entry_q;
  logic [NUM_THREAD-1:0] device_left_q, local_left_q;
  logic start, device_sent, lds_refused, lds_full;
  logic [NUM_THREAD-1:0] lds_lanes;
  logic [NUM_THREAD-1:0][31:0] lds_rdata;
  /* verilator lint_off UNUSEDSIGNAL */
  logic lds_written;  // For the probe
  logic [NUM_THREAD-1:0][31:0] lds_wdata;
  /* verilator lint_on UNUSEDSIGNAL */
  logic head_valid, last_piece;
  logic head_ready, head_failed, head_drop;  // Translated; it has failed; it is left out
  logic head_second;  // The head is the second part of an access
  logic head_several;  // A store of several words to several pages
  logic [NUM_THREAD-1:0][31:0] local_addr;

  assign head_valid = queue_full_q != '0;
  assign high_q = word_q != '0;
  assign last_word = word_q == head.last_word;
  always_comb begin
    left = resumed_q ? left_q : head.lanes;
    pass = left;
    if (head.one_by_one || head_several) pass = left & -left;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      addr[l] = high_q ? head.addr[l] + AddrW'(head.step) : head.addr[l];
      // FAULT(pair_words_swapped, lanes_bytes): high_q || !head.ctrl.data_pair ? head.data[l]
      //     : head.data_more[0][l]
      data[l] = high_q ? head.data_more[0][l] : head.data[l];
      if (Has.prefix) begin
        // FAULT(words_private_step, address): head.addr[l] + 32'd4 * 32'(word_q)
        addr[l] = head.addr[l] + AddrW'(head.step * 32'(word_q));
        // FAULT(words_last_lost, lanes_bytes): head.data_more[1][l]
        for (int k = 2; k < int'(MaxWords); k++) if (int'(word_q) == k) data[l] = head.data_more[k-1][l];
      end
      if (MMU != 0)
        addr[l] = AddrW'(word_address(64'(head.addr[l]), head.step, 32'(word_q), head.ctrl.base_pair));
      local_lanes[l] = pass[l] && AddrW'(addr[l]) >> 28 == AddrW'(LdsWindow);
    end
  end

  // A later pass of a store waits for the entry of the pass before it.
  logic pass_ready, last_pass, more;
  // FAULT(pair_pass_early, memory_order): 1'b1
  assign pass_ready = !(resumed_q || head_second) || head.ctrl.op != MemStore || !busy_q[head_entry_q];
  assign start = head_valid && !started_q && !head.bad && head_ready && pass_ready && has_free;
  assign device_sent = req_valid_o && req_ready_i;
  assign last_piece = started_q && (device_left_q == '0 || device_sent) && (local_left_q & ~lds_lanes) == '0;
  assign last_pass = last_word && left == pass;
  assign more = last_piece && !last_pass && !lds_full;
  assign pop = (last_piece && last_pass) || (head_valid && !started_q && (head.bad || head_drop)) || lds_full;

  // A request at the port stays there until it is taken.
  assign lds_full = lds_refused && device_left_q == '0;

  assign req_valid_o = started_q && device_left_q != '0;
  assign req_id_o = head_entry_q;
  assign req_op_o = head.ctrl.op;
  assign req_warp_o = head.warp;
  assign req_lanes_o = device_left_q;
  assign req_be_o = (head.ctrl.op == MemSc && reservation_q[head.warp] != InDevice) ? '0 : head.be;
  assign req_data_o = data;
  if (MMU == 0) begin : gen_physical
    always_comb begin
      for (int l = 0; l < int'(NUM_THREAD); l++) req_addr_o[l] = {addr[l][31:2], 2'b00};
    end
  end

  // Location of the reservation of each warp. An LR is the only access of its warp in flight, so that the
  // last one is valid.
  typedef enum logic [1:0] {
    Nowhere,
    InDevice,
    InLocal
  } reservation_e;
  reservation_e reservation_q[NUM_WARP];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int w = 0; w < int'(NUM_WARP); w++) reservation_q[w] <= Nowhere;
    end else begin
      if (rsp_valid_i && entry_q[rsp_id_i].ctrl.op == MemLr)
        reservation_q[entry_q[rsp_id_i].warp] <= InDevice;
      if (lds_lanes != '0 && head.ctrl.op == MemLr) reservation_q[head.warp] <= InLocal;
      // FAULT(sc_keeps_reservation, stale_state): if (last_piece && head.ctrl.op == MemSc &&
      //     lds_rdata[0] != '0) reservation_q[head.warp] <= Nowhere;
      if (last_piece && head.ctrl.op == MemSc) reservation_q[head.warp] <= Nowhere;
      if (launch_i) reservation_q[launch_warp_i] <= Nowhere;
    end
  end

  ingot_lds #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .NUM_PAGE  (NUM_LDS_PAGE),
    .NUM_BANK  (NUM_LDS_BANK)
  ) u_lds (
    .clk_i,
    .rst_ni,
    .valid_i  (started_q && local_left_q != '0),
    .wg_slot_i(head.wg_slot),
    .warp_i   (head.warp),
    .op_i     (head.ctrl.op),
    .reserved_i(reservation_q[head.warp] == InLocal),
    .lanes_i  (local_left_q),
    .addr_i   (local_addr),
    .be_i     (head.be),
    .wdata_i  (data),
    .lanes_o  (lds_lanes),
    .rdata_o  (lds_rdata),
    .written_o(lds_written),
    .wdata_o  (lds_wdata),
    .full_o   (lds_refused),
    .available_o    (lds_available_o),
    .reserve_i      (lds_reserve_i),
    .reserve_slot_i (lds_reserve_slot_i),
    .reserve_pages_i(lds_reserve_pages_i),
    .free_i,
    .free_slot_i
  );

  // Completion: an entry with a result goes to writeback.  An entry without one, or with an error, is freed.
  logic [NUM_ENTRY-1:0] complete, wants_writeback;
  logic [EntryW-1:0] result;
  logic [NUM_ENTRY-1:0] free_now;
  always_comb begin
    for (int e = 0; e < int'(NUM_ENTRY); e++) begin
      complete[e] = busy_q[e] && sent_q[e] && !waiting_q[e];
      wants_writeback[e] = complete[e] && entry_q[e].has_result && !failed_q[e];
    end
  end
  always_comb begin
    for (int e = 0; e < int'(NUM_ENTRY); e++) begin
      free_now[e] = complete[e] && (!wants_writeback[e] || (ready_i && int'(result) == e));
    end
  end

  ingot_rr_arb #(
    .N(NUM_ENTRY)
  ) u_result_arb (
    .clk_i,
    .rst_ni,
    .req_i  (wants_writeback),
    .take_i (ready_i),
    .valid_o(valid_o),
    .index_o(result)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= 1'b0;
      resumed_q <= 1'b0;
      word_q <= '0;
      device_left_q <= '0;
      local_left_q <= '0;
      busy_q <= '0;
      sent_q <= '0;
      waiting_q <= '0;
      failed_q <= '0;
    end else begin
      busy_q <= busy_q & ~free_now;
      if (start) begin
        started_q <= 1'b1;
        // FAULT(mixed_drops_global, lost_event): local_lanes != '0 ? '0 : pass
        device_left_q <= pass & ~local_lanes;
        local_left_q <= local_lanes;
        busy_q[free_entry] <= 1'b1;
        sent_q[free_entry] <= 1'b0;
        waiting_q[free_entry] <= 1'b0;
        failed_q[free_entry] <= 1'b0;
      end
      if (device_sent) begin
        device_left_q <= '0;
        waiting_q[head_entry_q] <= 1'b1;
      end
      if (rsp_valid_i) begin
        // FAULT(answer_lost, lost_event): device_sent
        waiting_q[rsp_id_i] <= 1'b0;
        if (rsp_error_i) failed_q[rsp_id_i] <= 1'b1;
      end
      // FAULT(lds_store_twice, doubled_event): start ? local_lanes
      //     : local_left_q & ~(head.ctrl.op == MemStore &&
      //     lds_lanes != local_left_q ? lds_lanes & -lds_lanes : lds_lanes)
      local_left_q <= start ? local_lanes : local_left_q & ~lds_lanes;
      if (last_piece) begin
        started_q <= 1'b0;
        sent_q[head_entry_q] <= 1'b1;
      end
      if (lds_full) begin
        started_q <= 1'b0;
        device_left_q <= '0;
        local_left_q <= '0;
        sent_q[head_entry_q] <= 1'b1;
        failed_q[head_entry_q] <= 1'b1;
      end
      if (more) begin
        resumed_q <= 1'b1;
        word_q <= last_word ? '0 : word_q + 1'b1;
      end
      if (pop) begin
        resumed_q <= 1'b0;
        word_q <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      head_entry_q <= free_entry;
      entry_q[free_entry].warp <= head.warp;
      entry_q[free_entry].dest <= head.dest;
      // The high word goes to the register after the even one.  A write of x0 is dropped.
      entry_q[free_entry].dest.rd[0] <= head.dest.rd[0] || high_q;
      // FAULT(words_rd_or, misrouted): head.dest.rd | 8'(word_q)
      if (Has.prefix) entry_q[free_entry].dest.rd <= head.dest.rd + 8'(word_q);
      entry_q[free_entry].has_result <= head.has_result && (head.dest.is_v || head.dest.rd != '0 || high_q);
      entry_q[free_entry].ctrl <= head.ctrl;
      entry_q[free_entry].lanes <= pass;
      for (int l = 0; l < int'(NUM_THREAD); l++) entry_q[free_entry].offset[l] <= head.addr[l][1:0];
    end
    if (more) left_q <= last_word ? left & ~pass : left;
    if (device_sent) asked_q[req_id_o] <= req_lanes_o;
    // A response fills the lanes of its request; local memory fills the others.
    if (rsp_valid_i) begin
      for (int l = 0; l < int'(NUM_THREAD); l++)
        if (asked_q[rsp_id_i][l]) data_q[rsp_id_i][l] <= rsp_data_i[l];
    end
    for (int l = 0; l < int'(NUM_THREAD); l++) if (lds_lanes[l]) data_q[head_entry_q][l] <= lds_rdata[l];
  end

  // --- Results ---------------------------------------------------------------------------------------------

  function automatic logic [31:0] extract(logic [1:0] width, logic is_unsigned, logic [1:0] offset,
                                          logic [31:0] word);
    logic [31:0] value;
    value = word >> {offset, 3'b000};
    unique case (width)
      2'd0: return {{24{!is_unsigned && value[7]}}, value[7:0]};
      // FAULT(lh_sign, lanes_bytes): {{16{!is_unsigned && value[7]}}, value[15:0]}
      2'd1: return {{16{!is_unsigned && value[15]}}, value[15:0]};
      default: return value;
    endcase
  endfunction

  assign warp_o = entry_q[result].warp;
  assign dest_o = entry_q[result].dest;
  assign mask_o = entry_q[result].lanes;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      data_o[l] = extract(entry_q[result].ctrl.width, entry_q[result].ctrl.is_unsigned,
                          entry_q[result].offset[l], data_q[result][l]);
    end
  end

  // --- Accesses in flight, for each warp -------------------------------------------------------------------

  localparam int unsigned CountW = $clog2(NUM_ENTRY + QueueDepth + 2);
  logic [NUM_WARP-1:0][CountW-1:0] loads_q, stores_q;
  logic [NUM_WARP-1:0][CountW-1:0] loads_d, stores_d;

  always_comb begin
    loads_d = loads_q;
    stores_d = stores_q;
    // A later pass counts from the cycle in which the pass before it has been sent.
    if (reserve_i && !reserve_ordered_i) loads_d[reserve_warp_i] += 1'b1;
    if (reserve_i && reserve_ordered_i) stores_d[reserve_warp_i] += 1'b1;
    if (more && !head.ctrl.ordered) loads_d[head.warp] += 1'b1;
    if (more && head.ctrl.ordered) stores_d[head.warp] += 1'b1;
    for (int e = 0; e < int'(NUM_ENTRY); e++) begin
      if (free_now[e] && !entry_q[e].ctrl.ordered) loads_d[entry_q[e].warp] -= 1'b1;
      if (free_now[e] && entry_q[e].ctrl.ordered) stores_d[entry_q[e].warp] -= 1'b1;
    end
    for (int w = 0; w < int'(NUM_WARP); w++) begin
      loads_o[w] = loads_q[w] != '0;
      stores_o[w] = stores_q[w] != '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      loads_q <= '0;
      stores_q <= '0;
    end else begin
      loads_q <= loads_d;
      stores_q <= stores_d;
    end
  end

  // --- Translation -----------------------------------------------------------------------------------------

  // For the probe: the lowest word that has faulted.
  /* verilator lint_off UNUSEDSIGNAL */
  logic [63:0] fault_virt;
  found_t fault;
  /* verilator lint_on UNUSEDSIGNAL */
  if (MMU != 0) begin : gen_mmu
    logic [1:0] follows_q, second_q;  // A bit for each place in the queue
    logic [NUM_WARP-1:0] stopped_q;
    logic at;
    logic [1:0] translated, failed, several;
    logic [NUM_THREAD-1:0][51:0] pages;
    /* verilator lint_off UNUSEDSIGNAL */
    access_t looked;
    /* verilator lint_on UNUSEDSIGNAL */

    always_ff @(posedge clk_i) begin
      if (valid_i) follows_q[queue_tail_q] <= follows_i;
      if (valid_i) second_q[queue_tail_q] <= part_i;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        stopped_q <= '0;
      end else begin
        if (error_o) stopped_q[error_warp_o] <= 1'b1;
        if (launch_i) stopped_q[launch_warp_i] <= 1'b0;
      end
    end

    assign looked = queue_q[at];
    ingot_lsu_pages #(
      .NUM_THREAD(NUM_THREAD),
      .MAX_WORDS (MaxWords)
    ) u_pages (
      .clk_i,
      .rst_ni,
      .space_i,
      .invalidate_i,
      .slot_o      (at),
      .valid_i     (queue_full_q == 2'd2 || (queue_full_q == 2'd1 && at == queue_head_q)),
      .ctrl_i      (looked.ctrl),
      .lanes_i     (looked.lanes),
      .addr_i      (looked.addr),
      .step_i      (looked.step),
      .last_word_i (looked.last_word),
      .pop_i       (pop),
      .pop_slot_i  (queue_head_q),
      .done_o      (translated),
      .several_o   (several),
      .failed_o    (failed),
      .fault_o     (fault),
      .fault_virt_o(fault_virt),
      .read_slot_i (queue_head_q),
      .read_word_i (word_q),
      .pages_o     (pages),
      .tlb_req_valid_o,
      .tlb_req_ready_i,
      .tlb_req_o,
      .tlb_rsp_valid_i,
      .tlb_rsp_i,
      .filled_o    (tlb_filled_o)
    );

    // The second part of the head is the access after it: no other comes between.
    logic second_ready, second_failed;
    // FAULT(second_part_late, permission): 1'b1
    assign second_ready = !follows_q[queue_head_q] || translated[!queue_head_q];
    assign second_failed = follows_q[queue_head_q] && failed[!queue_head_q];
    assign head_drop = stopped_q[head.warp] && (translated[queue_head_q] || failed[queue_head_q]);
    // A response with an error goes first.
    assign head_failed = head_valid && !started_q && !stopped_q[head.warp] && !(rsp_valid_i && rsp_error_i) &&
                         (failed[queue_head_q] || (translated[queue_head_q] && second_failed));
    assign head_ready = translated[queue_head_q] && second_ready && !stopped_q[head.warp];
    assign head_second = second_q[queue_head_q];
    // FAULT(several_pages_at_once, address): 1'b0
    assign head_several = head.ctrl.op == MemStore && head.last_word != '0 && several[queue_head_q];
    // FAULT(page_fault_lost, lost_event): 1'b0
    assign page_fault_o = head_failed && fault.reason != PageFine;

    always_comb begin
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        local_addr[l] = addr[l][31:0];
        // FAULT(upper_physical_bits, address): {32'b0, pages[l][19:0], addr[l][11:2], 2'b00}
        req_addr_o[l] = {pages[l], addr[l][11:2], 2'b00};
      end
    end
  end else begin : gen_no_mmu
    logic unused_mmu;
    assign unused_mmu = &{1'b0, follows_i, space_i, invalidate_i, tlb_req_ready_i, tlb_rsp_valid_i,
                          tlb_rsp_i};
    assign head_ready = 1'b1;
    assign head_failed = 1'b0;
    assign head_drop = 1'b0;
    assign head_second = 1'b0;
    assign head_several = 1'b0;
    assign page_fault_o = 1'b0;
    assign local_addr = addr;
    assign fault_virt = '0;
    assign fault = '0;
    assign tlb_req_valid_o = 1'b0;
    assign tlb_req_o = '0;
    assign tlb_filled_o = '0;
  end

  // --- Errors ----------------------------------------------------------------------------------------------

  always_comb begin
    error_o = 1'b0;
    error_warp_o = head.warp;
    if ((head_valid && !started_q && head.bad) || head_failed || lds_full) error_o = 1'b1;
    else if (rsp_valid_i && rsp_error_i) begin
      error_o = 1'b1;
      error_warp_o = entry_q[rsp_id_i].warp;
    end
  end

  AssertPlaceReserved :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> queue_used_q > queue_full_q);
  AssertAnswerAsked :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   rsp_valid_i |-> busy_q[rsp_id_i] && waiting_q[rsp_id_i]);
  // A request that waits does not change. Its addresses are compared in halves: Verilator 5.006 cannot sample
  // a signal of 64 words, which those of 32 lanes with MMU are.
  logic [NUM_THREAD-1:0][AddrW/2-1:0] addr_upper, addr_lower;
  always_comb for (int l = 0; l < int'(NUM_THREAD); l++) {addr_upper[l], addr_lower[l]} = req_addr_o[l];
  AssertRequestStable :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   $past(rst_ni) && $past(req_valid_o) && !$past(req_ready_i) |->
                   req_valid_o && $stable(addr_upper) && $stable(addr_lower) && $stable(req_lanes_o) &&
                   $stable(req_data_o));

  AssertMode :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> mode_known);
  AssertOperation :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i |-> ctrl_i.op != MemNone && ctrl_i.width != 2'd3 && ctrl_i.index_width != 2'd3);

endmodule
