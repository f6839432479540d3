// Translates the accesses in the queue of ingot_lsu, one after the other, and keeps the page in memory of
// each word of each lane. The first word that has none yet, in order of lanes and of the words of each, is
// looked up; all others on the same page are done with it. An access is done when all its words are, and only
// then performed.
//
// A lane that is misaligned fails before it is translated. The LDS window, and a kernel without translation,
// have physical addresses.
module ingot_lsu_pages
  import ingot_pkg::*;
  import ingot_mmu_pkg::*;
#(
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned MAX_WORDS = 2,  // Words of each lane
  parameter int unsigned NUM_ENTRY = 8,  // Entries of the TLB
  localparam int unsigned WordW = $clog2(MAX_WORDS)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  address_space_t              space_i,
  input  invalidate_t                 invalidate_i,
  // The access that is translated: that of slot_o
  output logic                        slot_o,
  input  logic                        valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  mem_ctrl_t                   ctrl_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [NUM_THREAD-1:0]       lanes_i,
  input  logic [NUM_THREAD-1:0][63:0] addr_i,
  input  logic [31:0]                 step_i,
  input  logic [WordW-1:0]            last_word_i,
  // An access leaves its slot
  input  logic                        pop_i,
  input  logic                        pop_slot_i,
  // Each slot
  output logic [1:0]                  done_o,
  output logic [1:0]                  several_o,  // When done: on more than one page
  output logic [1:0]                  failed_o,  // Misaligned, or with a page fault; later accesses wait
  // of the access that has failed
  output found_t                      fault_o,  // PageFine: it is misaligned
  output logic [63:0]                 fault_virt_o,
  // The pages of one word
  input  logic                        read_slot_i,
  input  logic [WordW-1:0]            read_word_i,
  output logic [NUM_THREAD-1:0][51:0] pages_o,
  // Second-level TLB
  output logic                        tlb_req_valid_o,
  input  logic                        tlb_req_ready_i,
  output walk_t                       tlb_req_o,
  input  logic                        tlb_rsp_valid_i,
  input  found_t                      tlb_rsp_i,
  // For the probe
  output filled_t                     filled_o
);

  localparam int unsigned NumWord = NUM_THREAD * MAX_WORDS;
  localparam int unsigned IndexW = $clog2(NumWord);

  logic at_q, begun_q;
  logic [1:0] done_q, failed_q, several_q;
  logic [NumWord-1:0] todo_q;
  logic hit_once_q;  // A page has been found
  // Page of word k of lane l, of each slot.
  logic [NUM_THREAD-1:0][51:0] pages_q[2*MAX_WORDS];
  found_t fault_q;
  logic [63:0] fault_virt_q;

  // --- The words of the access -----------------------------------------------------------------------------

  logic [NUM_THREAD-1:0][MAX_WORDS-1:0][63:0] virt;
  logic [NUM_THREAD-1:0] misaligned;
  logic [NumWord-1:0] first, todo;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      misaligned[l] = (ctrl_i.width == 2'd1 && addr_i[l][0]) ||
          (ctrl_i.width == 2'd2 && addr_i[l][1:0] != '0);
      for (int k = 0; k < int'(MAX_WORDS); k++) begin
        virt[l][k] = word_address(addr_i[l], step_i, 32'(k), ctrl_i.base_pair);
        first[l*int'(MAX_WORDS)+k] = lanes_i[l] && k <= int'(last_word_i) &&
            (misaligned[l] || (space_i.translate && !in_window(virt[l][k][63:28])));
      end
    end
  end
  assign todo = begun_q ? todo_q : first;

  logic any, working;
  logic [IndexW-1:0] index;
  logic [63:0] lowest;
  logic bad;
  always_comb begin
    any = 1'b0;
    index = '0;
    for (int i = int'(NumWord) - 1; i >= 0; i--) begin
      // FAULT(fault_of_highest_lane, misrouted): todo[i] && !any
      if (todo[i]) begin
        any = 1'b1;
        index = IndexW'(i);
      end
    end
  end
  assign lowest = virt[index[IndexW-1:WordW]][index[WordW-1:0]];
  assign bad = misaligned[index[IndexW-1:WordW]];
  assign working = valid_i && !done_q[at_q] && !failed_q[at_q];

  page_use_e how;
  always_comb begin
    unique case (ctrl_i.op)
      MemLoad: how = PageLoad;
      // FAULT(lr_as_store, permission): PageStore
      MemLr: how = PageLoad;
      // FAULT(amo_as_load, permission): ctrl_i.op == MemStore ? PageStore : PageLoad
      default: how = PageStore;
    endcase
  end

  logic hit, fault;
  logic [FrameW-1:0] frame;
  found_t found;
  ingot_tlb #(
    .NUM_ENTRY(NUM_ENTRY)
  ) u_tlb (
    .clk_i,
    .rst_ni,
    .invalidate_i,
    .valid_i    (working && any && !bad),
    .page_i     (lowest[63:12]),
    .use_i      (how),
    .asid_i     (space_i.asid),
    .root_i     (space_i.root),
    .hit_o      (hit),
    .frame_o    (frame),
    .fault_o    (fault),
    .found_o    (found),
    .req_valid_o(tlb_req_valid_o),
    .req_ready_i(tlb_req_ready_i),
    .req_o      (tlb_req_o),
    .rsp_valid_i(tlb_rsp_valid_i),
    .rsp_i      (tlb_rsp_i),
    .filled_o
  );

  // The words that are on the page that is looked up.
  logic [NumWord-1:0] same, left;
  logic finish, fail;
  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      for (int k = 0; k < int'(MAX_WORDS); k++) begin
        same[l*int'(MAX_WORDS)+k] = todo[l*int'(MAX_WORDS)+k] && !misaligned[l] &&
            virt[l][k][63:12] == lowest[63:12];
      end
    end
  end
  assign left = hit ? todo & ~same : todo;
  assign fail = working && any && (bad || fault);
  assign finish = working && left == '0;

  // --- State -----------------------------------------------------------------------------------------------

  logic pop_failed;
  assign pop_failed = pop_i && failed_q[pop_slot_i];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_q <= 1'b0;
      begun_q <= 1'b0;
      done_q <= '0;
      failed_q <= '0;
    end else begin
      begun_q <= working && !finish && !fail;
      if (finish) done_q[at_q] <= 1'b1;
      if (fail) failed_q[at_q] <= 1'b1;
      if (finish || pop_failed) at_q <= !at_q;
      if (pop_i) begin
        done_q[pop_slot_i] <= 1'b0;
        failed_q[pop_slot_i] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    todo_q <= left;
    if (working) begin
      hit_once_q <= hit || (begun_q && hit_once_q);
      several_q[at_q] <= begun_q && (several_q[at_q] || (hit_once_q && hit));
      for (int k = 0; k < int'(MAX_WORDS); k++) begin
        for (int l = 0; l < int'(NUM_THREAD); l++) begin
          if (!begun_q) pages_q[32'(at_q)*MAX_WORDS+k][l] <= virt[l][k][63:12];
          if (hit && same[l*int'(MAX_WORDS)+k]) pages_q[32'(at_q)*MAX_WORDS+k][l] <= {8'b0, frame};
        end
      end
    end
    if (fail) begin
      fault_q <= found;
      if (bad) fault_q.reason <= PageFine;
      fault_virt_q <= lowest;
    end
  end

  assign slot_o = at_q;
  assign done_o = done_q;
  assign several_o = several_q;
  assign failed_o = failed_q;
  assign fault_o = fault_q;
  assign fault_virt_o = fault_virt_q;
  assign pages_o = pages_q[32'(read_slot_i)*MAX_WORDS+32'(read_word_i)];

  AssertPopTranslated :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   pop_i |-> done_q[pop_slot_i] || failed_q[pop_slot_i]);

endmodule
