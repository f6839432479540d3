// The probe of ingot for the retire port: observes one SM and sends the records of karat_port_pkg. The probe
// of SM 0 also sends HELLO, for the whole core.
//
// Each fact is taken where it takes effect: operands from the operation register, register writes at the
// register file's write ports, memory accesses at the memory ports, and thread masks, stacks, CSRs and
// audited registers from the storage itself, one cycle after the instruction that changed them.
//
// The order within a cycle: records of earlier instructions, then ISSUE and its READs, then other records of
// that instruction, then LAUNCH. Lanes of a record that the core does not have are 0.
//
// A core with an MMU, run with +sv39, sends ACCESS in the place of MEM, and TLB: what the first-level TLBs of
// the SM take and drop, and page faults. A fetch that faults is in the place of its ISSUE.
//
// Plusargs: +no-read and +no-audit leave those records out, +no-check all of them.
module ingot_probe
  import ingot_pkg::*;
  import ingot_mmu_pkg::*;
  import karat_port_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_SM = 1,
  parameter int unsigned SM_ID = 0,
  parameter int unsigned PROFILE = 202,
  parameter int unsigned MMU = 0,
  localparam int unsigned AddrW = MMU != 0 ? 64 : 32,
  localparam int unsigned NumEntry = 4,
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned EntryW = index_width(NumEntry)
) (
  input logic                                clk_i,
  input logic                                rst_ni,
  // Warps
  input logic [NUM_WARP-1:0]                 live_i,
  input logic [NUM_WARP-1:0][NUM_THREAD-1:0] mask_i,
  input logic [NUM_WARP-1:0][31:0]           pc_i,
  // Operation register
  input logic                                op_valid_i,
  input logic [WarpW-1:0]                    op_warp_i,
  input tag_t                                op_tag_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input uop_t                                op_uop_i,  // Some fields are not in any record
  /* verilator lint_on UNUSEDSIGNAL */
  input logic [NUM_THREAD-1:0]               op_mask_i,
  input logic [NUM_THREAD-1:0][31:0]         op_src1_i,
  input logic [NUM_THREAD-1:0][31:0]         op_src2_i,
  input logic [NUM_THREAD-1:0][31:0]         op_src3_i,
  input logic [NUM_THREAD-1:0][31:0]         op_v0_i,
  input logic [NUM_THREAD-1:0][31:0]         op_base_high_i,
  input logic [NUM_THREAD-1:0][31:0]         op_data_high_i,
  input logic                                arrive_i,
  input logic [NUM_WARP-1:0]                 release_i,
  // Register file write ports
  input logic                                wx_valid_i,
  input logic [WarpW-1:0]                    wx_warp_i,
  input tag_t                                wx_tag_i,
  input logic [5:0]                          wx_reg_i,
  input logic                                wx_mask_i,
  input logic [31:0]                         wx_data_i,
  input logic                                wv_valid_i,
  input logic [WarpW-1:0]                    wv_warp_i,
  input tag_t                                wv_tag_i,
  input logic [7:0]                          wv_reg_i,
  input logic [NUM_THREAD-1:0]               wv_mask_i,
  input logic [NUM_THREAD-1:0][31:0]         wv_data_i,
  // Data memory port
  input logic                                req_valid_i,
  input logic                                req_ready_i,
  input logic [EntryW-1:0]                   req_id_i,
  input mem_op_e                             req_op_i,
  input logic [NUM_THREAD-1:0]               req_lanes_i,
  input logic [NUM_THREAD-1:0][AddrW-1:0]    req_addr_i,
  input logic [NUM_THREAD-1:0][AddrW-1:0]    req_virt_i,
  input logic [NUM_THREAD-1:0][3:0]          req_be_i,
  input logic [NUM_THREAD-1:0][31:0]         req_data_i,
  // Memory performs an access that has been requested
  input logic                                performed_i,
  input logic [EntryW-1:0]                   performed_id_i,
  input logic [31:0]                         performed_data_i,  // Answer to lane 0
  // local memory port
  input logic [NUM_THREAD-1:0]               lds_lanes_i,
  input mem_op_e                             lds_op_i,
  input logic                                lds_written_i,
  input logic [NUM_THREAD-1:0][AddrW-1:0]    lds_addr_i,
  input logic [NUM_THREAD-1:0][3:0]          lds_be_i,
  input logic [NUM_THREAD-1:0][31:0]         lds_data_i,
  // The instruction at the memory ports
  input logic [WarpW-1:0]                    mem_warp_i,
  input tag_t                                mem_tag_i,
  input logic                                mem_private_i,
  // Translation
  /* verilator lint_off UNUSEDSIGNAL */  // With no MMU
  input logic [AsidW-1:0]                    asid_i,
  input invalidate_t                         invalidate_i,
  input filled_t                             fetch_filled_i,
  input filled_t                             data_filled_i,
  // Cause of a CtlPageFault in the operation register
  input found_t                              fetch_fault_i,
  input logic                                data_fault_i,  // Fault of the instruction at the memory ports
  input logic [63:0]                         data_fault_virt_i,
  input found_t                              data_fault_found_i
  /* verilator lint_on UNUSEDSIGNAL */
);

  localparam features_t Has = features_of(PROFILE);

  // The package of the core has the numbers of the records.
  if (int'(PageNotCanonical) != KARAT_PAGE_NOT_CANONICAL || int'(PageNotDirty) != KARAT_PAGE_NOT_DIRTY ||
      int'(PageFetch) != KARAT_ACCESS_FETCH || int'(PageStore) != KARAT_ACCESS_STORE) begin : g_bad_numbers
    $error("ingot_mmu_pkg and karat_port_pkg differ");
  end

  // Kinds of records that HELLO always announces.
  localparam bit [31:0] GivesAlways = 1 << KARAT_REC_HELLO | 1 << KARAT_REC_LAUNCH | 1 << KARAT_REC_ISSUE |
      1 << KARAT_REC_WRITE | 1 << KARAT_REC_SIMT | 1 << KARAT_REC_CSR | 1 << KARAT_REC_MEM |
      1 << KARAT_REC_BARRIER | 1 << KARAT_REC_EXIT;

  bit give, give_read, give_audit, translates;
  initial begin
    translates = MMU != 0 && $test$plusargs("sv39") != 0;
    give = !$test$plusargs("no-check");
    give_read = !$test$plusargs("no-read");
    give_audit = !$test$plusargs("no-audit");
  end

  longint unsigned cycle_q;
  bit hello_q;  // Sent

  function automatic karat_header_t header(int unsigned kind, logic [WarpW-1:0] warp, logic [31:0] epoch);
    return karat_header(kind, SM_ID, 32'(warp), epoch, cycle_q);
  endfunction

  // --- One function per record -----------------------------------------------------------------------------

  function automatic void send_hello();
    karat_hello_t r;
    r = '0;
    r.h = karat_header(KARAT_REC_HELLO, SM_ID, 0, 0, cycle_q);
    r.version = 16'(KaratPortVersion);
    r.stack_depth = 16'(u_control.u_simt.STACK_DEPTH);
    r.num_sm = 8'(NUM_SM);
    r.num_warp = 8'(NUM_WARP);
    r.num_thread = 8'(NUM_THREAD);
    r.mem_order = 8'(KARAT_ORDER_PERFORMED);
    r.gives = GivesAlways | 32'(give_read) << KARAT_REC_READ | 32'(give_audit) << KARAT_REC_AUDIT;
    if (translates) begin
      r.gives &= ~(32'd1 << KARAT_REC_MEM);
      r.gives |= 32'd1 << KARAT_REC_ACCESS | 32'd1 << KARAT_REC_TLB;
    end
    r.props = KARAT_PROP_COHERENT | KARAT_PROP_FLUSHED | KARAT_PROP_ASCENDING | KARAT_PROP_PRINTS;
    if (translates) r.props |= KARAT_PROP_SV39;
    r.name = karat_name("ingot");
    karat_port_hello(r);
  endfunction

  // The most frequent records are variables of the module: only fields that change are written, and all
  // others, upper lanes included, keep these values.
  /* verilator lint_off BLKSEQ */  // No other process reads these variables
  /* verilator tracing_off */
  karat_issue_t issue;
  karat_read_t read_x, read_v;
  karat_write_t write_x, write_v;
  karat_audit_t audit_x, audit_v;
  karat_mem_t mem;
  karat_access_t access;  // If it translates
  /* verilator tracing_on */
  initial begin
    issue = '0;
    issue.h = karat_header(KARAT_REC_ISSUE, SM_ID, 0, 0, 0);
    read_x = '0;
    read_x.h = karat_header(KARAT_REC_READ, SM_ID, 0, 0, 0);
    read_x.cls = 8'(KARAT_X);
    read_x.mask = 32'd1;
    read_v = '0;
    read_v.h = read_x.h;
    read_v.cls = 8'(KARAT_V);
    write_x = '0;
    write_x.h = karat_header(KARAT_REC_WRITE, SM_ID, 0, 0, 0);
    write_x.match = 8'(KARAT_MATCH_SEQ);
    write_x.cls = 8'(KARAT_X);
    write_v = write_x;
    write_v.cls = 8'(KARAT_V);
    audit_x = '0;
    audit_x.h = karat_header(KARAT_REC_AUDIT, SM_ID, 0, 0, 0);
    audit_x.cls = 8'(KARAT_X);
    audit_x.mask = 32'd1;
    audit_v = audit_x;
    audit_v.cls = 8'(KARAT_V);
    audit_v.mask = 32'({NUM_THREAD{1'b1}});
    mem = '0;
    mem.h = karat_header(KARAT_REC_MEM, SM_ID, 0, 0, 0);
    mem.match = 8'(KARAT_MATCH_SEQ);
    if (MMU != 0) begin
      /* verilator lint_off WIDTHCONCAT */  // The record is that large
      access = '0;
      /* verilator lint_on WIDTHCONCAT */
      access.h = karat_header(KARAT_REC_ACCESS, SM_ID, 0, 0, 0);
      access.match = 8'(KARAT_MATCH_SEQ);
    end
  end

  function automatic void send_issue();
    issue.h.slot = 8'(op_warp_i);
    issue.h.epoch = op_tag_i.epoch;
    issue.h.cycle = cycle_q;
    issue.seq = op_tag_i.seq;
    issue.pc = op_uop_i.pc;
    issue.word = op_uop_i.word;
    issue.prefix = op_uop_i.prefix;
    issue.prefix_kind = op_uop_i.has_prefix ? KARAT_PREFIX_WORD : KARAT_PREFIX_NONE;
    issue.mask = 32'(op_mask_i);
    karat_port_issue(issue);
  endfunction

  function automatic void send_read(logic [7:0] source, logic is_v, logic [2:0] part,
                                    logic [NUM_THREAD-1:0][31:0] data);
    if (is_v) begin
      read_v.h.slot = 8'(op_warp_i);
      read_v.h.epoch = op_tag_i.epoch;
      read_v.h.cycle = cycle_q;
      read_v.seq = op_tag_i.seq;
      read_v.source = source;
      read_v.part = 8'(part);
      // VFTTA reads all lanes, for any mask.
      read_v.mask = op_uop_i.dest_unit == UnitTensor ? 32'({NUM_THREAD{1'b1}}) : 32'(op_mask_i);
      read_v.data[NUM_THREAD-1:0] = data;
      karat_port_read(read_v);
    end else begin
      read_x.h.slot = 8'(op_warp_i);
      read_x.h.epoch = op_tag_i.epoch;
      read_x.h.cycle = cycle_q;
      read_x.seq = op_tag_i.seq;
      read_x.source = source;
      read_x.part = 8'(part);
      read_x.data[0] = data[0];
      karat_port_read(read_x);
    end
  endfunction

  function automatic void send_write_x();
    write_x.h.slot = 8'(wx_warp_i);
    write_x.h.epoch = wx_tag_i.epoch;
    write_x.h.cycle = cycle_q;
    write_x.seq = wx_tag_i.seq;
    write_x.regno = 16'(wx_reg_i);
    write_x.mask = 32'(wx_mask_i);
    write_x.data[0] = wx_data_i;
    karat_port_write(write_x);
  endfunction

  function automatic void send_write_v();
    write_v.h.slot = 8'(wv_warp_i);
    write_v.h.epoch = wv_tag_i.epoch;
    write_v.h.cycle = cycle_q;
    write_v.seq = wv_tag_i.seq;
    write_v.regno = 16'(wv_reg_i);
    write_v.mask = 32'(wv_mask_i);
    write_v.data[NUM_THREAD-1:0] = wv_data_i;
    karat_port_write(write_v);
  endfunction

  function automatic void send_audit_x(logic [WarpW-1:0] warp, logic [31:0] epoch, logic [5:0] regno);
    audit_x.h.slot = 8'(warp);
    audit_x.h.epoch = epoch;
    audit_x.h.cycle = cycle_q;
    audit_x.regno = 16'(regno);
    audit_x.data[0] = u_issue_stage.u_regfile.x_q[32'(u_dispatch.sgpr_base_q[warp])+32'(regno)];
    karat_port_audit(audit_x);
  endfunction

  function automatic void send_audit_v(logic [WarpW-1:0] warp, logic [31:0] epoch, logic [7:0] regno);
    audit_v.h.slot = 8'(warp);
    audit_v.h.epoch = epoch;
    audit_v.h.cycle = cycle_q;
    audit_v.regno = 16'(regno);
    audit_v.data[NUM_THREAD-1:0] =
        u_issue_stage.u_regfile.v_q[32'(u_dispatch.vgpr_base_q[warp])+32'(regno)];
    karat_port_audit(audit_v);
  endfunction

  function automatic void send_simt(logic [WarpW-1:0] warp, tag_t tag);
    karat_simt_t r;
    simt_entry_t top;
    r = '0;
    r.h = header(KARAT_REC_SIMT, warp, tag.epoch);
    r.seq = tag.seq;
    r.mask = 32'(mask_i[warp]);
    r.next_pc = pc_i[warp];
    r.depth = 16'(u_control.u_simt.depth_q[warp]);
    if (r.depth != '0) begin
      top = u_control.u_simt.stack_q[32'(warp)*u_control.u_simt.STACK_DEPTH+32'(r.depth)-1];
      r.top_valid = 16'd1;
      r.top_rpc = top.rpc;
      r.top_next = top.next;
      r.top_mask = top.mask;
    end
    karat_port_simt(r);
  endfunction

  function automatic void send_csr(logic [WarpW-1:0] warp, tag_t tag, logic [11:0] addr);
    karat_csr_t r;
    logic known;
    r = '0;
    r.h = header(KARAT_REC_CSR, warp, tag.epoch);
    r.seq = tag.seq;
    r.addr = 32'(addr);
    r.value = csr_read(u_control.u_csr.csr_q[warp], addr, NUM_THREAD * 4, known);
    assert (known);
    karat_port_csr(r);
  endfunction

  // Where written, data reached memory.  LR, SC and AMOs use lane 0 only.  A failed SC is not an access.
  function automatic void send_mem(logic [WarpW-1:0] warp, tag_t tag, mem_op_e op, logic written,
                                   logic [7:0] space, logic [NUM_THREAD-1:0] lanes,
                                   logic [NUM_THREAD-1:0][AddrW-1:0] virt,
                                   logic [NUM_THREAD-1:0][AddrW-1:0] addr, logic [NUM_THREAD-1:0][3:0] be,
                                   logic [NUM_THREAD-1:0][31:0] data);
    logic [7:0] what;
    if (op == MemSc && !written) return;
    what = 8'(!written ? KARAT_MEM_LOAD : op == MemStore ? KARAT_MEM_STORE : KARAT_MEM_AMO);
    if (MMU != 0 && translates) begin
      access.h.slot = 8'(warp);
      access.h.epoch = tag.epoch;
      access.h.cycle = cycle_q;
      access.seq = tag.seq;
      access.op = what;
      access.space = space;
      access.mask = 32'(lanes);
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        access.virt[l] = 64'({virt[l][AddrW-1:2], 2'b00});
        access.phys[l] = 64'(addr[l]);
        access.bytes[l] = 16'(be[l]);
        access.data[4*l] = data[l];
      end
      karat_port_access(access);
      return;
    end
    mem.h.slot = 8'(warp);
    mem.h.epoch = tag.epoch;
    mem.h.cycle = cycle_q;
    mem.seq = tag.seq;
    mem.op = what;
    mem.space = space;
    mem.mask = 32'(lanes);
    // Lanes and bytes that are not enabled have no meaning and are not cleared.
    for (int l = 0; l < int'(NUM_THREAD); l++) mem.addr[l] = addr[l][31:0];
    mem.bytes[NUM_THREAD-1:0] = be;
    mem.data[NUM_THREAD-1:0] = data;
    karat_port_mem(mem);
  endfunction

  function automatic void send_fault(logic [WarpW-1:0] warp, tag_t tag, logic [7:0] tlb, page_use_e how,
                                     logic [63:0] virt, found_t found);
    karat_tlb_t r;
    r = '0;
    r.h = header(KARAT_REC_TLB, warp, tag.epoch);
    r.seq = tag.seq;
    r.action = 8'(KARAT_TLB_FAULT);
    r.tlb = tlb;
    r.level = 8'(found.level);
    r.access = 8'(how);
    r.asid = 32'(asid_i);
    r.reason = 32'(found.reason);
    r.virt = virt;
    r.entry = found.entry;
    r.entry_addr = found.entry_addr;
    karat_port_tlb(r);
  endfunction

  // The page of an entry begins where the bits below its size are 0.
  function automatic void send_fill(logic [7:0] tlb, filled_t filled);
    karat_tlb_t r;
    logic [VpnW-1:0] first;
    if (!filled.valid) return;
    first = filled.vpn >> 9 * filled.found.level << 9 * filled.found.level;
    r = '0;
    r.h = header(KARAT_REC_TLB, '0, '0);
    r.action = 8'(KARAT_TLB_FILL);
    r.tlb = tlb;
    r.level = 8'(filled.found.level);
    r.asid = 32'(filled.asid);
    r.reason = 32'(filled.found.reason);  // None
    r.virt = {{25{first[VpnW-1]}}, first, 12'b0};
    r.phys = {8'b0, filled.found.entry[53:10], 12'b0};
    r.entry = filled.found.entry;
    r.entry_addr = filled.found.entry_addr;
    karat_port_tlb(r);
  endfunction

  function automatic void send_invalidate(logic [7:0] tlb);
    karat_tlb_t r;
    r = '0;
    r.h = header(KARAT_REC_TLB, '0, '0);
    r.action = 8'(KARAT_TLB_INVALIDATE);
    r.tlb = tlb;
    r.level = 8'(KARAT_LEVEL_ALL);
    r.asid = KARAT_ASID_ALL;
    karat_port_tlb(r);
  endfunction
  /* verilator lint_on BLKSEQ */

  function automatic void send_arrive();
    karat_barrier_t r;
    r = '0;
    r.h = header(KARAT_REC_BARRIER, op_warp_i, op_tag_i.epoch);
    r.seq = op_tag_i.seq;
    r.action = KARAT_BARRIER_ARRIVE;
    karat_port_barrier(r);
  endfunction

  function automatic void send_release();
    karat_barrier_t r;
    r = '0;
    r.h = header(KARAT_REC_BARRIER, '0, '0);
    r.action = KARAT_BARRIER_RELEASE;
    r.warps = 64'(release_i);
    karat_port_barrier(r);
  endfunction

  function automatic void send_exit(logic [WarpW-1:0] warp);
    karat_exit_t r;
    r.h = header(KARAT_REC_EXIT, warp, u_issue_stage.u_issue.tag_q[warp].epoch);
    karat_port_exit(r);
  endfunction

  function automatic void send_launch(logic [WarpW-1:0] warp);
    karat_launch_t r;
    logic known;
    r = '0;
    r.h = header(KARAT_REC_LAUNCH, warp, u_issue_stage.u_issue.tag_q[warp].epoch);
    r.workgroup = u_dispatch.index_q[u_dispatch.slot_q[warp]];
    r.warp = u_control.u_csr.csr_q[warp].wid;
    r.pc = pc_i[warp];
    r.mask = 32'(mask_i[warp]);
    for (int i = 0; i < 11; i++) begin
      r.csr[i] = csr_read(u_control.u_csr.csr_q[warp], 12'h800 + 12'(i), NUM_THREAD * 4, known);
      assert (known);
    end
    r.csr_given = 32'h7ff;
    r.sgpr_base = 32'(u_dispatch.sgpr_base_q[warp]);
    r.sgpr_size = 32'(u_dispatch.sgpr_size_q[warp]);
    r.vgpr_base = 32'(u_dispatch.vgpr_base_q[warp]);
    r.vgpr_size = 32'(u_dispatch.vgpr_size_q[warp]);
    r.regs = KARAT_REGS_UNKNOWN;
    karat_port_launch(r);
  endfunction

  // --- Effects of the last cycle, read from storage in this cycle ------------------------------------------

  logic [NUM_WARP-1:0] live_q;
  logic audit_x_q, audit_v_q, simt_q, csr_q;
  logic [WarpW-1:0] audit_x_warp_q, audit_v_warp_q, op_warp_q;
  logic [31:0] audit_x_epoch_q, audit_v_epoch_q;
  logic [5:0] audit_x_reg_q;
  logic [7:0] audit_v_reg_q;
  tag_t op_tag_q;
  logic [11:0] csr_addr_q;

  always_ff @(posedge clk_i) begin
    audit_x_q <= rst_ni && wx_valid_i && wx_reg_i != '0 && give_audit;
    audit_x_warp_q <= wx_warp_i;
    audit_x_epoch_q <= wx_tag_i.epoch;
    audit_x_reg_q <= wx_reg_i;
    audit_v_q <= rst_ni && wv_valid_i && give_audit;
    audit_v_warp_q <= wv_warp_i;
    audit_v_epoch_q <= wv_tag_i.epoch;
    audit_v_reg_q <= wv_reg_i;
    simt_q <= rst_ni && op_valid_i && op_uop_i.ctl.kind inside {CtlVbranch, CtlJoin};
    csr_q <= rst_ni && op_valid_i && op_uop_i.dest_unit == UnitCsr &&
             (op_uop_i.csr.write || op_uop_i.csr.op inside {CsrVset, CsrSetrpc});
    op_warp_q <= op_warp_i;
    op_tag_q <= op_tag_i;
    unique case (op_uop_i.csr.op)
      CsrVset: csr_addr_q <= 12'hc20;  // A record of vl covers vtype as well
      CsrSetrpc: csr_addr_q <= 12'h80c;
      default: csr_addr_q <= op_uop_i.csr.addr;
    endcase
    live_q <= rst_ni ? live_i : '0;
  end

  // Requests to device memory in flight, as they were at the port.
  logic [WarpW-1:0] sent_warp_q[NumEntry];
  tag_t sent_tag_q[NumEntry];
  mem_op_e sent_op_q[NumEntry];
  logic [NumEntry-1:0] sent_private_q;
  logic [NUM_THREAD-1:0] sent_lanes_q[NumEntry];
  logic [NUM_THREAD-1:0][31:0] sent_data_q[NumEntry];
  logic [NUM_THREAD-1:0][AddrW-1:0] sent_addr_q[NumEntry], sent_virt_q[NumEntry];
  logic [NUM_THREAD-1:0][3:0] sent_be_q[NumEntry];

  always_ff @(posedge clk_i) begin
    if (req_valid_i && req_ready_i) begin
      sent_warp_q[req_id_i] <= mem_warp_i;
      sent_tag_q[req_id_i] <= mem_tag_i;
      sent_op_q[req_id_i] <= req_op_i;
      sent_private_q[req_id_i] <= mem_private_i;
      sent_lanes_q[req_id_i] <= req_lanes_i;
      sent_addr_q[req_id_i] <= req_addr_i;
      if (MMU != 0) sent_virt_q[req_id_i] <= req_virt_i;
      sent_be_q[req_id_i] <= req_be_i;
      sent_data_q[req_id_i] <= req_data_i;
    end
  end

  // The data that the access wrote. Memory performs AMOs and answers the old value; the new value is computed
  // from it.
  mem_op_e performed_op;
  logic performed_written;
  logic [NUM_THREAD-1:0][31:0] performed_wdata;
  always_comb begin
    performed_op = sent_op_q[performed_id_i];
    performed_written = performed_op == MemStore || is_amo(performed_op) ||
                        (performed_op == MemSc && performed_data_i == '0);
    performed_wdata = sent_data_q[performed_id_i];
    if (is_amo(performed_op))
      performed_wdata[0] = amo_result(performed_op, performed_data_i, performed_wdata[0]);
  end

  // The only limit of this core that a legal program can reach. The message gives the cause of the hang that
  // follows.
  always_ff @(posedge clk_i) begin
    if (rst_ni && u_lsu.lds_full) begin
      $fwrite(32'h8000_0002, "ingot: cycle %0d: no page of local memory is left, ", cycle_q);
      $fdisplay(32'h8000_0002, "the warp in slot %0d of SM %0d stops (NUM_LDS_PAGE)", mem_warp_i, SM_ID);
    end
  end

  logic [2:0] op_part;
  assign op_part = 3'(op_uop_i.part);

  // As ISSUE: a second part or pass is the same instruction.
  logic issue_first;
  assign issue_first = op_valid_i && op_uop_i.ctl.kind != CtlPageFault && !op_uop_i.part &&
      op_uop_i.more.pass == '0;
  karat_wave #(
    .NUM_WARP  (NUM_WARP),
    .NUM_THREAD(NUM_THREAD),
    .PROFILE   (Has.name)
  ) u_wave (
    .clk_i       (clk_i),
    .issue_i     (issue_first),
    .slot_i      (op_warp_i),
    .seq_i       (op_tag_i.seq),
    .pc_i        (op_uop_i.pc),
    .has_prefix_i(op_uop_i.has_prefix),
    .prefix_i    (op_uop_i.prefix),
    .word_i      (op_uop_i.word),
    .mask_i      (op_mask_i)
  );

  // --- The records of a cycle, in order --------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cycle_q <= '0;
      hello_q <= 1'b0;
    end else begin
      cycle_q <= cycle_q + 1;
      hello_q <= 1'b1;
    end
    if (rst_ni && give) begin
      if (!hello_q && SM_ID == 0) send_hello();

      if (MMU != 0 && translates) begin
        send_fill(8'(KARAT_TLB_INSTRUCTION), fetch_filled_i);
        send_fill(8'(KARAT_TLB_DATA), data_filled_i);
        if (invalidate_i.valid) send_invalidate(8'(KARAT_TLB_INSTRUCTION));
        if (invalidate_i.valid) send_invalidate(8'(KARAT_TLB_DATA));
        if (data_fault_i)
          send_fault(mem_warp_i, mem_tag_i, 8'(KARAT_TLB_DATA),
                     req_op_i inside {MemLoad, MemLr} ? PageLoad : PageStore, data_fault_virt_i,
                     data_fault_found_i);
      end

      if (audit_x_q) send_audit_x(audit_x_warp_q, audit_x_epoch_q, audit_x_reg_q);
      if (audit_v_q) send_audit_v(audit_v_warp_q, audit_v_epoch_q, audit_v_reg_q);
      if (simt_q) send_simt(op_warp_q, op_tag_q);
      if (csr_q) send_csr(op_warp_q, op_tag_q, csr_addr_q);
      if (performed_i) begin
        send_mem(sent_warp_q[performed_id_i], sent_tag_q[performed_id_i], performed_op, performed_written,
                 8'(sent_private_q[performed_id_i] ? KARAT_SPACE_PRIVATE : KARAT_SPACE_GLOBAL),
                 sent_lanes_q[performed_id_i], sent_virt_q[performed_id_i], sent_addr_q[performed_id_i],
                 sent_be_q[performed_id_i], performed_wdata);
      end
      if (lds_lanes_i != '0) begin
        send_mem(mem_warp_i, mem_tag_i, lds_op_i, lds_written_i, 8'(KARAT_SPACE_LDS), lds_lanes_i, lds_addr_i,
                 lds_addr_i, lds_be_i, lds_data_i);
      end
      if (wx_valid_i && wx_reg_i != '0) send_write_x();
      if (wv_valid_i) send_write_v();
      // For speed: one comparison in the common case, and not one for each warp.
      if ((live_q & ~live_i) != '0) begin
        for (int w = 0; w < int'(NUM_WARP); w++) if (live_q[w] && !live_i[w]) send_exit(WarpW'(w));
      end
      if (release_i != '0) send_release();

      if (MMU != 0 && op_valid_i && op_uop_i.ctl.kind == CtlPageFault) begin
        if (translates)
          send_fault(op_warp_i, op_tag_i, 8'(KARAT_TLB_INSTRUCTION), PageFetch, 64'(op_uop_i.pc),
                     fetch_fault_i);
      end else if (op_valid_i) begin
        // A second part or pass is the same instruction.
        if (!op_uop_i.part && op_uop_i.more.pass == '0) send_issue();
        if (give_read && op_uop_i.more.pass != '0) begin
          // The next registers of pairs, or of consecutive ones.
          if (op_uop_i.more.pass <= op_uop_i.more.extra[1])
            send_read(8'd1, op_uop_i.use1 == UseV, op_uop_i.more.pass, op_src1_i);
          if (op_uop_i.more.pass <= op_uop_i.more.extra[2])
            send_read(8'd2, op_uop_i.use2 == UseV, op_uop_i.more.pass, op_src2_i);
          if (op_uop_i.more.pass <= op_uop_i.more.extra[3])
            send_read(8'd3, op_uop_i.use3 == UseV, op_uop_i.more.pass, op_src3_i);
        end else if (give_read) begin
          // A scalar has one part, which each part of the instruction reads for itself.
          if (op_uop_i.use1 != UseNone)
            send_read(8'd1, op_uop_i.use1 == UseV, op_uop_i.use1 == UseV ? op_part : '0, op_src1_i);
          if (op_uop_i.use2 != UseNone)
            send_read(8'd2, op_uop_i.use2 == UseV, op_uop_i.use2 == UseV ? op_part : '0, op_src2_i);
          if (op_uop_i.use3 != UseNone) send_read(8'd3, op_uop_i.use3 == UseV, op_part, op_src3_i);
          if (op_uop_i.use_v0) send_read(8'd0, 1'b1, op_part, op_v0_i);
          // The upper halves of pairs; under LMUL 2 only a scalar base has one. In v2.03 the pair of x0
          // is 0.
          if (op_uop_i.mem.base_pair &&
              !(Has.prefix && op_uop_i.use1 == UseX && op_uop_i.rs1 == '0))
            send_read(8'd1, op_uop_i.use1 == UseV, 3'd1, op_base_high_i);
          if (op_uop_i.mem.data_pair && op_uop_i.mem.op == MemStore)
            send_read(op_uop_i.mem.data_src3 ? 8'd3 : 8'd2, op_uop_i.is_vector, 3'd1, op_data_high_i);
        end
        if (arrive_i) send_arrive();
      end

      if ((live_i & ~live_q) != '0) begin
        for (int w = 0; w < int'(NUM_WARP); w++) if (live_i[w] && !live_q[w]) send_launch(WarpW'(w));
      end
    end
  end

endmodule
