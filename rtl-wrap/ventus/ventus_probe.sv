// The probe of the public Ventus for the retire port: observes the pipeline of one SM and sends the records
// of karat_port_pkg. The Verilog core and the Chisel core share it: ventus_params has the sizes,
// ventus_storage.svh reads the storage, and the bind connects the ports.
//
// Each fact is taken where it takes effect: operands and thread mask where an instruction leaves the operand
// collector for its unit, register writes at the register file's write ports, memory accesses where the
// load-store unit sends them to the data cache or to local memory, thread masks, stacks, CSRs and audited
// registers from the storage itself, one cycle after the instruction that changed them. README.md lists the
// facts that the core does not have.
//
// The order within a cycle: records of earlier instructions, then ISSUE and its READs, then other records of
// that instruction, then LAUNCH. Lanes of a record that the core does not have are 0.
//
// Plusargs: +no-read and +no-audit leave those records out, +no-check all of them.
module ventus_probe
  import ventus_params::*;
  import karat_port_pkg::*;
#(
  localparam int unsigned WarpW = WARP_BITS,
  localparam int unsigned RegW = REG_BITS
) (
  input logic                                  clk_i,
  input logic                                  rst_ni,
  // Launch of warps
  input logic                                  launch_i,
  input logic [WarpW-1:0]                      launch_warp_i,
  input logic [31:0]                           launch_pc_i,
  input logic [31:0]                           launch_workgroup_i,
  // Instructions that enter the operand collector, one port for each pipeline behind it
  input logic [NUM_ISSUE-1:0]                  collect_i,
  input logic [NUM_ISSUE-1:0][WarpW-1:0]       collect_warp_i,
  input logic [NUM_ISSUE-1:0][1:0]             collect_sel1_i,
  input logic [NUM_ISSUE-1:0][1:0]             collect_sel2_i,
  input logic [NUM_ISSUE-1:0][1:0]             collect_sel3_i,
  input logic [NUM_ISSUE-1:0]                  collect_isvec_i,
  input logic [NUM_ISSUE-1:0]                  collect_readmask_i,
  input logic [NUM_ISSUE-1:0]                  collect_mask_i,
  input logic [NUM_ISSUE-1:0][RegW-1:0]        collect_reg1_i,
  // Instructions that leave it for a unit
  input logic [NUM_ISSUE-1:0]                  issue_i,
  input logic [NUM_ISSUE-1:0][WarpW-1:0]       issue_warp_i,
  input logic [NUM_ISSUE-1:0][31:0]            issue_word_i,
  input logic [NUM_ISSUE-1:0][31:0]            issue_pc_i,
  input logic [NUM_ISSUE-1:0]                  issue_setrpc_i,
  input logic [NUM_ISSUE-1:0]                  issue_isvec_i,
  input logic [NUM_ISSUE-1:0]                  issue_tensor_i,
  input logic [NUM_ISSUE-1:0][NUM_THREAD-1:0]  issue_v0_i,
  input logic [NUM_ISSUE-1:0][NUM_THREAD-1:0][31:0] issue_src1_i,
  input logic [NUM_ISSUE-1:0][NUM_THREAD-1:0][31:0] issue_src2_i,
  input logic [NUM_ISSUE-1:0][NUM_THREAD-1:0][31:0] issue_src3_i,
  input logic                                  lsu_take_i,  // From port LSU_ISSUE
  input logic                                  csr_take_i,  // From port CSR_ISSUE
  // outcomes of VBRANCH and JOIN
  input logic                                  simt_i,
  input logic [WarpW-1:0]                      simt_warp_i,
  input logic                                  simt_jump_i,
  input logic [31:0]                           simt_target_i,
  // Barriers and ends
  input logic                                  control_i,
  input logic                                  control_ends_i,
  input logic [WarpW-1:0]                      control_warp_i,
  // Register file write ports
  input logic                                  wx_valid_i,
  input logic [WarpW-1:0]                      wx_warp_i,
  input logic [RegW-1:0]                       wx_reg_i,
  input logic [31:0]                           wx_data_i,
  input logic                                  wv_valid_i,
  input logic [WarpW-1:0]                      wv_warp_i,
  input logic [RegW-1:0]                       wv_reg_i,
  input logic [NUM_THREAD-1:0]                 wv_mask_i,
  input logic [NUM_THREAD-1:0][31:0]           wv_data_i,
  // Requests of the load-store unit
  input logic                                  address_take_i,
  input logic                                  dcache_i,
  input logic [2:0]                            dcache_op_i,
  input logic [3:0]                            dcache_param_i,
  input logic [TAG_BITS+SET_BITS-1:0]          dcache_line_i,
  input logic [NUM_THREAD-1:0]                 dcache_lanes_i,
  input logic [NUM_THREAD-1:0][OFFSET_BITS-1:0] dcache_offset_i,
  input logic [NUM_THREAD-1:0][3:0]            dcache_be_i,
  input logic [NUM_THREAD-1:0][31:0]           dcache_data_i,
  input logic                                  shared_i,
  input logic                                  shared_write_i,
  input logic [TAG_BITS+SET_BITS-1:0]          shared_line_i,
  input logic [NUM_THREAD-1:0]                 shared_lanes_i,
  input logic [NUM_THREAD-1:0][OFFSET_BITS-1:0] shared_offset_i,
  input logic [NUM_THREAD-1:0][3:0]            shared_be_i,
  input logic [NUM_THREAD-1:0][31:0]           shared_data_i
);

  // Facts that the pipeline does not have: the number of this SM, and what the dispatcher has allocated for
  // each warp of a workgroup and for the whole workgroup. known: the index of the workgroup, all ones where
  // none runs.
  import "DPI-C" function int unsigned karat_ventus_sm(input string path);
  import "DPI-C" function void karat_ventus_workgroup(input int unsigned index, output int unsigned known,
                                                      output int unsigned sgprs, output int unsigned vgprs,
                                                      output int unsigned lds);

  localparam bit [31:0] Gives = 1 << KARAT_REC_HELLO | 1 << KARAT_REC_LAUNCH | 1 << KARAT_REC_ISSUE |
      1 << KARAT_REC_WRITE | 1 << KARAT_REC_SIMT | 1 << KARAT_REC_CSR | 1 << KARAT_REC_MEM |
      1 << KARAT_REC_BARRIER | 1 << KARAT_REC_EXIT;

  // Operand selections of the decoder (define.v).
  localparam logic [1:0] SelScalar = 2'b01, SelVector = 2'b10;                        // Operands 1 and 2
  localparam logic [1:0] SelOld = 2'b01, SelThird = 2'b10, SelStored = 2'b11;         // Operand 3

  // LR, SC and AMO as requests to the data cache.
  localparam logic [2:0] OpWrite = 3'd1, OpAmo = 3'd2, OpFlush = 3'd3;
  localparam logic [3:0] ParamReserved = 4'd1;

  bit give, give_read, give_audit;
  int unsigned sm_id;
  initial begin
    sm_id = karat_ventus_sm($sformatf("%m"));
    give = !$test$plusargs("no-check");
    give_read = !$test$plusargs("no-read");
    give_audit = !$test$plusargs("no-audit");
  end

  longint unsigned cycle_q;
  bit hello_q;  // Sent

  // --- Warps: launches of each slot, and instructions that it has issued -----------------------------------

  logic [31:0] epoch_q[NUM_WARP];
  logic [31:0] seq_q[NUM_WARP];
  logic [31:0] pc_q[NUM_WARP];  // Address of the last instruction

  // Operand selections of the one instruction of each warp that is in the collector.
  typedef struct packed {
    logic [1:0] sel1, sel2, sel3;
    logic isvec, readmask, mask;
    logic [RegW-1:0] reg1;
  } operands_t;
  operands_t operands_q[NUM_WARP];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int w = 0; w < NUM_WARP; w++) begin
        epoch_q[w] <= '1;
        seq_q[w] <= '0;
      end
    end else begin
      for (int p = 0; p < NUM_ISSUE; p++)
        if (issue_i[p]) seq_q[issue_warp_i[p]] <= seq_q[issue_warp_i[p]] + 1;
      if (launch_i) begin
        epoch_q[launch_warp_i] <= epoch_q[launch_warp_i] + 1;
        seq_q[launch_warp_i] <= '0;
      end
    end
    for (int p = 0; p < NUM_ISSUE; p++) begin
      if (collect_i[p])
        operands_q[collect_warp_i[p]] <= '{collect_sel1_i[p], collect_sel2_i[p], collect_sel3_i[p],
                                           collect_isvec_i[p], collect_readmask_i[p], collect_mask_i[p],
                                           collect_reg1_i[p]};
      if (issue_i[p]) pc_q[issue_warp_i[p]] <= issue_pc_i[p];
    end
  end

  // --- The instruction of each load-store request: the unit works in order ---------------------------------

  typedef struct packed {
    logic [WarpW-1:0] warp;
    logic [31:0] epoch, seq;
  } tag_t;
  tag_t lsu_q[$], lsu_tag_q;
  logic [WarpW-1:0] lsu_warp;
  assign lsu_warp = issue_warp_i[LSU_ISSUE];

  // --- CSRs, stacks, masks and registers, from storage -----------------------------------------------------

  typedef struct packed {
    logic [31:0] mstatus, mie, mtvec, mscratch, mepc, mcause, mtval, mip;
    logic [31:0] fflags, frm, fcsr, print, rpc;
  } csrs_t;
  csrs_t csrs[NUM_WARP];
  logic [10:0][31:0] launch_csr[NUM_WARP];
  logic [31:0] depth[NUM_WARP];
  logic [2:0][31:0] top[NUM_WARP];  // Words rpc, next and mask
  logic [31:0] sgpr_base[NUM_WARP], vgpr_base[NUM_WARP];
  logic [NUM_THREAD-1:0] thread_masks[NUM_WARP];
  logic [NUM_WARP-1:0] waiting;  // At a barrier
  // Row of a register in its bank.
  logic [NUM_BANK-1:0][31:0] bank_x;
  logic [NUM_BANK-1:0][NUM_THREAD-1:0][31:0] bank_v;

`include "ventus_storage.svh"

  function automatic logic [31:0] thread_mask(logic [WarpW-1:0] warp);
    return 32'(thread_masks[warp]);
  endfunction

  // --- One function per record -----------------------------------------------------------------------------

  function automatic karat_header_t header(int unsigned kind, logic [WarpW-1:0] warp);
    return karat_header(kind, sm_id, 32'(warp), epoch_q[warp], cycle_q);
  endfunction

  function automatic void send_hello();
    karat_hello_t r;
    r = '0;
    r.h = karat_header(KARAT_REC_HELLO, sm_id, 0, 0, cycle_q);
    r.version = 16'(KaratPortVersion);
    r.stack_depth = 16'(STACK_DEPTH);
    r.num_sm = 8'(NUM_SM);
    r.num_warp = 8'(NUM_WARP);
    r.num_thread = 8'(NUM_THREAD);
    r.mem_order = 8'(KARAT_ORDER_REQUEST);
    r.gives = Gives | (give_read ? 1 << KARAT_REC_READ : 0) | (give_audit ? 1 << KARAT_REC_AUDIT : 0);
    r.props = KARAT_PROP_FLUSHED | KARAT_PROP_INTERLOCKED | KARAT_PROP_READS_MORE;
    r.name = karat_name(CORE_NAME);
    karat_port_hello(r);
  endfunction

  function automatic void send_issue(int p);
    karat_issue_t r;
    r = '0;
    r.h = header(KARAT_REC_ISSUE, issue_warp_i[p]);
    r.seq = seq_q[issue_warp_i[p]];
    r.pc = issue_pc_i[p];
    r.word = issue_word_i[p];
    r.prefix_kind = KARAT_PREFIX_UNKNOWN;  // Merged in the decoder
    r.mask = thread_mask(issue_warp_i[p]);
    karat_port_issue(r);
  endfunction

  // Lanes that the instruction uses: those of its threads, and all lanes for a matrix.
  function automatic void send_read(int p, logic [7:0] source, logic is_v, logic [NUM_THREAD-1:0][31:0] data);
    karat_read_t r;
    r = '0;
    r.h = header(KARAT_REC_READ, issue_warp_i[p]);
    r.seq = seq_q[issue_warp_i[p]];
    r.source = source;
    r.cls = is_v ? 8'(KARAT_V) : 8'(KARAT_X);
    r.mask = !is_v ? 32'd1 : issue_tensor_i[p] ? 32'({NUM_THREAD{1'b1}}) : thread_mask(issue_warp_i[p]);
    if (is_v) r.data[NUM_THREAD-1:0] = data;
    else r.data[0] = data[0];
    karat_port_read(r);
  endfunction

  // The copy of v0 is one bit for each lane.
  function automatic void send_read_mask(int p);
    karat_read_t r;
    r = '0;
    r.h = header(KARAT_REC_READ, issue_warp_i[p]);
    r.seq = seq_q[issue_warp_i[p]];
    r.cls = 8'(KARAT_V);
    r.bits = 8'd1;
    r.mask = thread_mask(issue_warp_i[p]);
    for (int i = 0; i < NUM_THREAD; i++) r.data[i] = 32'(issue_v0_i[p][i]);
    karat_port_read(r);
  endfunction

  // Operands that are register values as read. The first of SETRPC and the third of JALR have the immediate
  // added.
  function automatic void send_reads(int p);
    operands_t o;
    o = operands_q[issue_warp_i[p]];
    if (o.sel1 inside {SelScalar, SelVector} && !issue_setrpc_i[p])
      send_read(p, 8'd1, o.sel1 == SelVector, issue_src1_i[p]);
    if (o.sel2 inside {SelScalar, SelVector}) send_read(p, 8'd2, o.sel2 == SelVector, issue_src2_i[p]);
    unique case (o.sel3)
      SelOld: send_read(p, 8'd3, 1'b1, issue_src3_i[p]);
      SelThird: send_read(p, 8'd3, 1'b0, issue_src3_i[p]);
      SelStored: send_read(p, o.isvec && !o.readmask ? 8'd3 : 8'd2, o.isvec, issue_src3_i[p]);
      default: ;
    endcase
    if (o.mask) send_read_mask(p);
  endfunction

  function automatic void send_write_x();
    karat_write_t r;
    r = '0;
    r.h = header(KARAT_REC_WRITE, wx_warp_i);
    r.match = 8'(KARAT_MATCH_OTHER);
    r.cls = 8'(KARAT_X);
    r.regno = 16'(wx_reg_i);
    r.mask = 32'd1;
    r.data[0] = wx_data_i;
    karat_port_write(r);
  endfunction

  function automatic void send_write_v();
    karat_write_t r;
    r = '0;
    r.h = header(KARAT_REC_WRITE, wv_warp_i);
    r.match = 8'(KARAT_MATCH_OTHER);
    r.cls = 8'(KARAT_V);
    r.regno = 16'(wv_reg_i);
    r.mask = 32'(wv_mask_i);
    r.data[NUM_THREAD-1:0] = wv_data_i;
    karat_port_write(r);
  endfunction

  // Registers go to the banks in turn, with another first bank for each warp.
  function automatic logic [BANK_BITS-1:0] bank_of(logic [WarpW-1:0] warp, logic [RegW-1:0] regno);
    return BANK_BITS'(warp) + BANK_BITS'(regno);
  endfunction

  function automatic void send_audit_x();
    karat_audit_t r;
    r = '0;
    r.h = header(KARAT_REC_AUDIT, audit_x_warp_q);
    r.cls = 8'(KARAT_X);
    r.regno = 16'(audit_x_reg_q);
    r.mask = 32'd1;
    r.data[0] = bank_x[bank_of(audit_x_warp_q, audit_x_reg_q)];
    karat_port_audit(r);
  endfunction

  function automatic void send_audit_v();
    karat_audit_t r;
    r = '0;
    r.h = header(KARAT_REC_AUDIT, audit_v_warp_q);
    r.cls = 8'(KARAT_V);
    r.regno = 16'(audit_v_reg_q);
    r.mask = 32'({NUM_THREAD{1'b1}});
    r.data[NUM_THREAD-1:0] = bank_v[bank_of(audit_v_warp_q, audit_v_reg_q)];
    karat_port_audit(r);
  endfunction

  function automatic void send_simt();
    karat_simt_t r;
    r = '0;
    r.h = header(KARAT_REC_SIMT, simt_warp_q);
    r.seq = seq_q[simt_warp_q] - 1;  // The warp waits for this instruction
    r.mask = thread_mask(simt_warp_q);
    r.next_pc = simt_jump_q ? simt_target_q : pc_q[simt_warp_q] + 4;
    r.depth = 16'(depth[simt_warp_q]);
    if (depth[simt_warp_q] != 0) begin
      r.top_valid = 16'd1;
      {r.top_rpc, r.top_next, r.top_mask} = top[simt_warp_q];
    end
    karat_port_simt(r);
  endfunction

  function automatic logic [31:0] csr_value(csrs_t c, logic [11:0] addr);
    unique case (addr)
      12'h001: return c.fflags;
      12'h002: return c.frm;
      12'h003: return c.fcsr;
      12'h300: return c.mstatus;
      12'h304: return c.mie;
      12'h305: return c.mtvec;
      12'h340: return c.mscratch;
      12'h341: return c.mepc;
      12'h342: return c.mcause;
      12'h343: return c.mtval;
      12'h344: return c.mip;
      12'h80b: return c.print;
      12'h80c: return c.rpc;
      12'hc20: return NUM_THREAD;  // The core has no vl: every element takes part
      default: return '0;          // A program cannot write it
    endcase
  endfunction

  function automatic void send_csr();
    karat_csr_t r;
    r = '0;
    r.h = header(KARAT_REC_CSR, csr_warp_q);
    r.h.epoch = csr_epoch_q;
    r.seq = csr_seq_q;
    r.addr = 32'(csr_addr_q);
    r.value = csr_value(csrs[csr_warp_q], csr_addr_q);
    karat_port_csr(r);
  endfunction

  // Data at its place in the word, as the cache places it.
  function automatic logic [31:0] in_place(logic [31:0] data, logic [3:0] be);
    return be[0] ? data : be[1] ? data << 8 : be[2] ? data << 16 : data << 24;
  endfunction

  function automatic void send_mem(int unsigned op, int unsigned space, logic [TAG_BITS+SET_BITS-1:0] line,
                                   logic [NUM_THREAD-1:0] lanes,
                                   logic [NUM_THREAD-1:0][OFFSET_BITS-1:0] offset,
                                   logic [NUM_THREAD-1:0][3:0] be, logic [NUM_THREAD-1:0][31:0] data);
    karat_mem_t r;
    r = '0;
    r.h = karat_header(KARAT_REC_MEM, sm_id, 32'(lsu_tag_q.warp), lsu_tag_q.epoch, cycle_q);
    r.seq = lsu_tag_q.seq;
    r.op = 8'(op);
    r.space = 8'(space);
    r.no_data = 8'(op == KARAT_MEM_AMO);
    r.mask = 32'(lanes);
    for (int i = 0; i < NUM_THREAD; i++) begin
      r.addr[i] = {line, offset[i], 2'b00};
      r.bytes[i] = be[i];
      r.data[i] = in_place(data[i], be[i]);
    end
    karat_port_mem(r);
  endfunction

  function automatic void send_dcache();
    int unsigned op;
    logic [31:0] addr;
    op = dcache_op_i == OpAmo ? KARAT_MEM_AMO : dcache_op_i == OpWrite ? KARAT_MEM_STORE : KARAT_MEM_LOAD;
    // A request without lanes is not an access.  The request of an SC does not show whether it succeeds.
    if (dcache_op_i == OpFlush || dcache_lanes_i == '0 ||
        (dcache_op_i == OpWrite && dcache_param_i == ParamReserved))
      return;
    // Global and private memory look alike. A lane with an address of the ISA's local window is wrong where
    // local memory is elsewhere.
    addr = {dcache_line_i, (OFFSET_BITS + 2)'(0)};
    send_mem(op, LDS_APART && addr[31:28] == 4'h7 ? KARAT_SPACE_GLOBAL : KARAT_SPACE_UNKNOWN, dcache_line_i,
             dcache_lanes_i, dcache_offset_i, dcache_be_i, dcache_data_i);
  endfunction

  function automatic void send_barrier(logic [WarpW-1:0] warp, int unsigned action, logic [63:0] warps);
    karat_barrier_t r;
    r = '0;
    r.h = header(KARAT_REC_BARRIER, warp);
    r.seq = seq_q[warp];
    r.action = action;
    r.warps = warps;
    karat_port_barrier(r);
  endfunction

  function automatic void send_control();
    karat_exit_t r;
    if (control_ends_i) begin
      r.h = header(KARAT_REC_EXIT, control_warp_i);
      karat_port_exit(r);
    end else send_barrier(control_warp_i, KARAT_BARRIER_ARRIVE, '0);
  endfunction

  // The last warp to arrive never waits.
  function automatic void send_release();
    logic [NUM_WARP-1:0] released;
    released = waiting_q & ~waiting;
    if (arrived_q && !waiting[arrived_warp_q]) released[arrived_warp_q] = 1'b1;
    if (released != '0) send_barrier('0, KARAT_BARRIER_RELEASE, 64'(released));
  endfunction

  function automatic void send_launch();
    karat_launch_t r;
    int unsigned known, sgprs, vgprs, lds;
    r = '0;
    r.h = header(KARAT_REC_LAUNCH, launch_warp_q);
    for (int i = 0; i < 11; i++) r.csr[i] = launch_csr[launch_warp_q][i];
    karat_ventus_workgroup(launch_workgroup_q, known, sgprs, vgprs, lds);
    r.workgroup = known;
    r.warp = r.csr[5];
    r.pc = launch_pc_q;
    r.mask = thread_mask(launch_warp_q);
    r.csr_given = 32'h7ff | 1 << KARAT_LAUNCH_MSTATUS;
    r.mstatus = csrs[launch_warp_q].mstatus;
    r.sgpr_base = sgpr_base[launch_warp_q];
    r.sgpr_size = sgprs;
    r.vgpr_base = vgpr_base[launch_warp_q];
    r.vgpr_size = vgprs;
    r.lds_base = r.csr[6] & 32'h0fff_ffff;
    r.lds_size = lds;
    r.regs = KARAT_REGS_UNKNOWN;
    karat_port_launch(r);
  endfunction

  // --- Effects of the last cycle, read from storage in this cycle ------------------------------------------

  logic audit_x_q, audit_v_q, launch_q, simt_q, simt_jump_q, csr_q;
  logic [WarpW-1:0] audit_x_warp_q, audit_v_warp_q;
  logic [RegW-1:0] audit_x_reg_q, audit_v_reg_q;
  logic [ROW_BITS-1:0] audit_x_row_q, audit_v_row_q;
  logic [WarpW-1:0] launch_warp_q, simt_warp_q, csr_warp_q;
  logic [31:0] launch_pc_q, launch_workgroup_q, simt_target_q, csr_epoch_q, csr_seq_q;
  logic [11:0] csr_addr_q;
  logic csr_setrpc, csr_isvec;
  logic [31:0] csr_word;
  logic [WarpW-1:0] csr_warp;
  assign csr_setrpc = issue_setrpc_i[CSR_ISSUE];
  assign csr_isvec = issue_isvec_i[CSR_ISSUE];
  assign csr_word = issue_word_i[CSR_ISSUE];
  assign csr_warp = issue_warp_i[CSR_ISSUE];
  logic arrived_q;
  logic [WarpW-1:0] arrived_warp_q;
  logic [NUM_WARP-1:0] waiting_q;

  always_ff @(posedge clk_i) begin
    audit_x_q <= rst_ni && wx_valid_i && give_audit;
    audit_x_warp_q <= wx_warp_i;
    audit_x_reg_q <= wx_reg_i;
    audit_x_row_q <= ROW_BITS'(sgpr_base[wx_warp_i] >> BANK_BITS) + ROW_BITS'(32'(wx_reg_i) >> BANK_BITS);
    audit_v_q <= rst_ni && wv_valid_i && give_audit;
    audit_v_warp_q <= wv_warp_i;
    audit_v_reg_q <= wv_reg_i;
    audit_v_row_q <= ROW_BITS'(vgpr_base[wv_warp_i] >> BANK_BITS) + ROW_BITS'(32'(wv_reg_i) >> BANK_BITS);

    launch_q <= rst_ni && launch_i;
    launch_warp_q <= launch_warp_i;
    launch_pc_q <= launch_pc_i;
    launch_workgroup_q <= launch_workgroup_i;

    simt_q <= rst_ni && simt_i;
    simt_warp_q <= simt_warp_i;
    simt_jump_q <= simt_jump_i;
    simt_target_q <= simt_target_i;

    arrived_q <= rst_ni && control_i && !control_ends_i;
    arrived_warp_q <= control_warp_i;
    waiting_q <= rst_ni ? waiting : '0;

    // Instructions that write a CSR: CSRRW; CSRRS and CSRRC, unless their source is x0 (by its whole number)
    // or 0; SETRPC; VSET*.
    csr_q <= rst_ni && csr_take_i &&
             (csr_setrpc || csr_isvec || csr_word[13:12] == 2'b01 || csr_word[19:15] != '0 ||
              (!csr_word[14] && operands_q[csr_warp].reg1 != '0));
    csr_warp_q <= csr_warp;
    csr_epoch_q <= epoch_q[csr_warp];
    csr_seq_q <= seq_q[csr_warp];
    csr_addr_q <= csr_setrpc ? 12'h80c : csr_isvec ? 12'hc20 : csr_word[31:20];
  end

  // --- The records of a cycle, in order --------------------------------------------------------------------

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      cycle_q <= '0;
      hello_q <= 1'b0;
      lsu_q.delete();
    end else begin
      cycle_q <= cycle_q + 1;
      hello_q <= 1'b1;
    end
    if (rst_ni && give) begin
      if (!hello_q && sm_id == 0) send_hello();

      if (audit_x_q) send_audit_x();
      if (audit_v_q) send_audit_v();
      if (simt_q) send_simt();
      if (csr_q) send_csr();
      send_release();
      if (dcache_i) send_dcache();
      if (shared_i && shared_lanes_i != '0)
        send_mem(shared_write_i ? KARAT_MEM_STORE : KARAT_MEM_LOAD, KARAT_SPACE_LDS, shared_line_i,
                 shared_lanes_i, shared_offset_i, shared_be_i, shared_data_i);
      if (wx_valid_i) send_write_x();
      if (wv_valid_i) send_write_v();

      for (int p = 0; p < NUM_ISSUE; p++) begin
        if (issue_i[p]) begin
          send_issue(p);
          if (give_read) send_reads(p);
        end
      end
      if (control_i) send_control();

      if (launch_q) send_launch();

      if (address_take_i) lsu_tag_q = lsu_q.pop_front();
      if (lsu_take_i) lsu_q.push_back({lsu_warp, epoch_q[lsu_warp], seq_q[lsu_warp]});
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule
