// Loads and stores.
//
//   operation --> addresses --> queue --> split by space --+--> data memory port --+--> entry --> writeback
//                                                          +--> local memory ------+
//
// Operations leave the queue in order.  Each takes an entry, which collects the pieces: one request for all lanes in
// device memory, and one access per page of local memory.  Entries complete in the order in which memory answers.
// Issue keeps accesses of one warp in order where it matters.
//
// The memory port moves aligned words with byte enables.  An answer means that the access has been performed.
module ingot_lsu
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_ENTRY = 4,
  parameter int unsigned NUM_LDS_PAGE = 64,
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned EntryW = index_width(NUM_ENTRY)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // issue
  output logic                        ready_o,
  input  logic                        reserve_i,
  input  logic [WarpW-1:0]            reserve_warp_i,
  input  logic                        reserve_store_i,
  output logic [NUM_WARP-1:0]         loads_o,  // warps with loads on their way
  output logic [NUM_WARP-1:0]         stores_o,
  // operation
  input  logic                        valid_i,
  input  logic [WarpW-1:0]            warp_i,
  input  logic [WarpW-1:0]            wg_slot_i,
  input  dest_t                       dest_i,
  input  logic                        has_result_i,
  input  mem_ctrl_t                   ctrl_i,
  input  logic [31:0]                 imm_i,
  input  logic [31:0]                 pds_i,
  input  logic [31:0]                 tid_i,
  input  logic [31:0]                 wg_threads_i,
  input  logic                        part_i,
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0][31:0] src1_i,
  input  logic [NUM_THREAD-1:0][31:0] src2_i,
  input  logic [NUM_THREAD-1:0][31:0] src3_i,
  // a misaligned or failed access: the warp stops
  output logic                        error_o,
  output logic [WarpW-1:0]            error_warp_o,
  // result
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o,
  // end of a workgroup: its local memory is free
  input  logic                        free_i,
  input  logic [WarpW-1:0]            free_slot_i,
  // data memory
  output logic                        req_valid_o,
  input  logic                        req_ready_i,
  output logic [EntryW-1:0]           req_id_o,
  output logic                        req_store_o,
  output logic [NUM_THREAD-1:0]       req_lanes_o,
  output logic [NUM_THREAD-1:0][31:0] req_addr_o,
  output logic [NUM_THREAD-1:0][3:0]  req_be_o,
  output logic [NUM_THREAD-1:0][31:0] req_data_o,
  input  logic                        rsp_valid_i,
  input  logic [EntryW-1:0]           rsp_id_i,
  input  logic                        rsp_error_i,
  input  logic [NUM_THREAD-1:0][31:0] rsp_data_i
);

  // --- Addresses ---------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic [WarpW-1:0] warp;
    logic [WarpW-1:0] wg_slot;
    dest_t dest;
    logic has_result;
    mem_ctrl_t ctrl;
    logic misaligned;
    logic [NUM_THREAD-1:0] lanes;
    logic [NUM_THREAD-1:0] local_lanes;
    logic [NUM_THREAD-1:0][31:0] addr;
    logic [NUM_THREAD-1:0][3:0] be;
    logic [NUM_THREAD-1:0][31:0] data;
  } access_t;

  // Private memory is interleaved by word (docs/isa-notes.md).
  function automatic logic [31:0] private_address(logic [31:0] pds, logic [31:0] threads, logic [31:0] thread,
                                                  logic [31:0] offset);
    return pds + {offset[31:2], 2'b00} * threads + (thread << 2) + {30'b0, offset[1:0]};  // FAULT(private_not_interleaved, lsu): pds + {offset[31:2], 2'b00} * threads + (thread << 2)
  endfunction

  // Indices are unsigned.
  function automatic logic [31:0] index(logic [1:0] width, logic [31:0] value);
    unique case (width)
      2'd0: return {24'b0, value[7:0]};  // FAULT(index8_signed, lsu): {{24{value[7]}}, value[7:0]}
      2'd1: return {16'b0, value[15:0]};  // FAULT(index16_wide, lsu): value
      default: return value;
    endcase
  endfunction

  access_t arriving;
  always_comb begin
    arriving.warp = warp_i;
    arriving.wg_slot = wg_slot_i;
    arriving.dest = dest_i;
    arriving.has_result = has_result_i;
    arriving.ctrl = ctrl_i;
    arriving.misaligned = 1'b0;
    arriving.lanes = active_i;  // FAULT(store_ignores_mask, lsu): (ctrl_i.store && ctrl_i.mode != MemScalar && active_i != '0) ? '1 : active_i
    arriving.local_lanes = '0;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      logic [31:0] addr, data, element;
      logic [3:0] be;
      element = 32'(l) + (part_i ? 32'(NUM_THREAD) : '0);
      unique case (ctrl_i.mode)
        MemPrivate: addr = private_address(pds_i, wg_threads_i, tid_i + 32'(l), src1_i[l] + imm_i);
        MemUnit: addr = src1_i[l] + (element << ctrl_i.width);  // FAULT(unit_steps_words, lsu): src1_i[l] + 32'(l * 4)
        MemStride: addr = src1_i[l] + src2_i[l] * element;  // FAULT(stride_16_bits, lsu): src1_i[l] + 32'(signed'(src2_i[l][15:0])) * 32'(l)
        MemIndex: addr = src1_i[l] + index(ctrl_i.index_width, src2_i[l]);
        default: addr = src1_i[l] + imm_i;
      endcase
      data = ctrl_i.data_src3 ? src3_i[l] : src2_i[l];  // FAULT(store_wrong_lane, lsu): ctrl_i.data_src3 ? src3_i[l] : src2_i[ctrl_i.mode == MemPrivate ? l ^ 1 : l]
      unique case (ctrl_i.width)
        2'd0: be = 4'b0001;
        2'd1: be = 4'b0011;
        default: be = 4'b1111;
      endcase
      arriving.addr[l] = addr;
      arriving.be[l] = be << addr[1:0];  // FAULT(half_byte_enable, lsu): be << {addr[1], 1'b0}
      arriving.data[l] = data << {addr[1:0], 3'b000};
      if (active_i[l]) begin
        if ((ctrl_i.width == 2'd1 && addr[0]) || (ctrl_i.width == 2'd2 && addr[1:0] != '0)) arriving.misaligned = 1'b1;
        if (addr[31:28] == LdsWindow) arriving.local_lanes[l] = 1'b1;
      end
    end
  end

  // --- Queue -------------------------------------------------------------------------------------------------------

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

  // --- Entries -----------------------------------------------------------------------------------------------------

  typedef struct packed {
    logic [WarpW-1:0] warp;
    dest_t dest;
    logic has_result;
    mem_ctrl_t ctrl;
    logic [NUM_THREAD-1:0] lanes;
    logic [NUM_THREAD-1:0][1:0] offset;  // of the lanes' bytes in their words
  } entry_t;

  logic [NUM_ENTRY-1:0] busy_q;
  logic [NUM_ENTRY-1:0] sent_q;  // all pieces have been sent
  logic [NUM_ENTRY-1:0] waiting_q;  // device memory has not answered yet
  logic [NUM_ENTRY-1:0] failed_q;
  entry_t entry_q[NUM_ENTRY];
  logic [NUM_THREAD-1:0] asked_q[NUM_ENTRY];  // lanes that device memory answers
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

  // The head of the queue: first it takes an entry, then its pieces go out.
  logic started_q;
  logic [EntryW-1:0] head_entry_q;
  logic [NUM_THREAD-1:0] device_left_q, local_left_q;
  logic start, device_sent, lds_full;
  logic [NUM_THREAD-1:0] lds_lanes;
  logic [NUM_THREAD-1:0][31:0] lds_rdata;
  logic head_valid, last_piece;

  assign head_valid = queue_full_q != '0;
  assign start = head_valid && !started_q && !head.misaligned && has_free;
  assign device_sent = req_valid_o && req_ready_i;
  assign last_piece = started_q && (device_left_q == '0 || device_sent) && (local_left_q & ~lds_lanes) == '0;
  assign pop = last_piece || (head_valid && !started_q && head.misaligned) || lds_full;

  assign req_valid_o = started_q && device_left_q != '0;
  assign req_id_o = head_entry_q;
  assign req_store_o = head.ctrl.store;
  assign req_lanes_o = device_left_q;
  assign req_be_o = head.be;
  assign req_data_o = head.data;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) req_addr_o[l] = {head.addr[l][31:2], 2'b00};
  end

  ingot_lds #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .NUM_PAGE  (NUM_LDS_PAGE)
  ) u_lds (
    .clk_i,
    .rst_ni,
    .valid_i  (started_q && local_left_q != '0),
    .wg_slot_i(head.wg_slot),
    .store_i  (head.ctrl.store),
    .lanes_i  (local_left_q),
    .addr_i   (head.addr),
    .be_i     (head.be),
    .wdata_i  (head.data),
    .lanes_o  (lds_lanes),
    .rdata_o  (lds_rdata),
    .full_o   (lds_full),
    .free_i,
    .free_slot_i
  );

  // Completion: an entry with a result goes to writeback, any other (and a failed one) is simply freed.
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
        device_left_q <= head.lanes & ~head.local_lanes;  // FAULT(mixed_drops_global, lsu): head.local_lanes != '0 ? '0 : head.lanes
        local_left_q <= head.local_lanes;
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
        waiting_q[rsp_id_i] <= 1'b0;  // FAULT(answer_lost, lsu): device_sent
        if (rsp_error_i) failed_q[rsp_id_i] <= 1'b1;
      end
      local_left_q <= start ? head.local_lanes : local_left_q & ~lds_lanes;
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
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      head_entry_q <= free_entry;
      entry_q[free_entry].warp <= head.warp;
      entry_q[free_entry].dest <= head.dest;
      entry_q[free_entry].has_result <= head.has_result;
      entry_q[free_entry].ctrl <= head.ctrl;
      entry_q[free_entry].lanes <= head.lanes;
      for (int l = 0; l < int'(NUM_THREAD); l++) entry_q[free_entry].offset[l] <= head.addr[l][1:0];
    end
    if (device_sent) asked_q[req_id_o] <= req_lanes_o;
    // An answer fills the lanes that were asked for; local memory fills the others.
    if (rsp_valid_i) begin
      for (int l = 0; l < int'(NUM_THREAD); l++) if (asked_q[rsp_id_i][l]) data_q[rsp_id_i][l] <= rsp_data_i[l];
    end
    for (int l = 0; l < int'(NUM_THREAD); l++) if (lds_lanes[l]) data_q[head_entry_q][l] <= lds_rdata[l];
  end

  // --- Results -----------------------------------------------------------------------------------------------------

  function automatic logic [31:0] extract(logic [1:0] width, logic is_unsigned, logic [1:0] offset, logic [31:0] word);
    logic [31:0] value;
    value = word >> {offset, 3'b000};
    unique case (width)
      2'd0: return {{24{!is_unsigned && value[7]}}, value[7:0]};
      2'd1: return {{16{!is_unsigned && value[15]}}, value[15:0]};  // FAULT(lh_sign, lsu): {{16{!is_unsigned && value[7]}}, value[15:0]}
      default: return value;
    endcase
  endfunction

  assign warp_o = entry_q[result].warp;
  assign dest_o = entry_q[result].dest;
  assign mask_o = entry_q[result].lanes;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      data_o[l] = extract(entry_q[result].ctrl.width, entry_q[result].ctrl.is_unsigned, entry_q[result].offset[l],
                          data_q[result][l]);
    end
  end

  // --- What is on its way, by warp ---------------------------------------------------------------------------------

  localparam int unsigned CountW = $clog2(NUM_ENTRY + QueueDepth + 2);
  logic [NUM_WARP-1:0][CountW-1:0] loads_q, stores_q;
  logic [NUM_WARP-1:0][CountW-1:0] loads_d, stores_d;

  always_comb begin
    loads_d = loads_q;
    stores_d = stores_q;
    if (reserve_i && !reserve_store_i) loads_d[reserve_warp_i] += 1'b1;
    if (reserve_i && reserve_store_i) stores_d[reserve_warp_i] += 1'b1;
    for (int e = 0; e < int'(NUM_ENTRY); e++) begin
      if (free_now[e] && !entry_q[e].ctrl.store) loads_d[entry_q[e].warp] -= 1'b1;
      if (free_now[e] && entry_q[e].ctrl.store) stores_d[entry_q[e].warp] -= 1'b1;
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

  // --- Errors ------------------------------------------------------------------------------------------------------

  always_comb begin
    error_o = 1'b0;
    error_warp_o = head.warp;
    if ((head_valid && !started_q && head.misaligned) || lds_full) error_o = 1'b1;
    else if (rsp_valid_i && rsp_error_i) begin
      error_o = 1'b1;
      error_warp_o = entry_q[rsp_id_i].warp;
    end
  end

  AssertPlaceReserved :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i |-> queue_used_q > queue_full_q);
  AssertAnswerAsked :
  assert property (@(posedge clk_i) disable iff (!rst_ni) rsp_valid_i |-> busy_q[rsp_id_i] && waiting_q[rsp_id_i]);
  // A request that waits does not change.
  AssertRequestStable :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   $past(rst_ni) && $past(req_valid_o) && !$past(req_ready_i) |->
                   req_valid_o && $stable(req_addr_o) && $stable(req_lanes_o) && $stable(req_data_o));

endmodule
