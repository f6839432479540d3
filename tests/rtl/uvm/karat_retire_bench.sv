// Puts karat_retire_if and its monitor in a test bench as docs/simulators.md describes it, with a scoreboard
// of its own, on the C side that any simulator can have (karat_sv_pkg). The core is played: one warp that
// takes every instruction for addi until endprg.
/* verilator lint_off DECLFILENAME */
package karat_retire_bench_pkg;
  /* verilator lint_on DECLFILENAME */
  import karat_port_pkg::*;
  import karat_retire_monitor_pkg::*;

  // A scoreboard gets what the checker gets.
  /* verilator lint_off DECLFILENAME */
  class scoreboard extends karat_retire_monitor;
    /* verilator lint_on DECLFILENAME */
    /* verilator lint_off UNUSEDSIGNAL */
    int unsigned instructions, writes;
    bit [31:0] last;  // Value of the last write
    /* verilator lint_on UNUSEDSIGNAL */

    function new(virtual karat_retire_if signals, int unsigned number);
      super.new(signals, number);
      instructions = 0;
      writes = 0;
      last = '0;
    endfunction

    virtual function void on_issue(karat_issue_t r);
      instructions++;
      super.on_issue(r);
    endfunction

    virtual function void on_write(karat_write_t r);
      writes++;
      last = r.data[0];
      super.on_write(r);
    endfunction
  endclass
endpackage

module karat_retire_bench
  import karat_port_pkg::*;
  import karat_sv_pkg::*;
  import karat_retire_bench_pkg::*;
;
  localparam int unsigned Lanes = 4;

  logic clk, rst_n;
  karat_retire_if retire (
    .clk  (clk),
    .rst_n(rst_n)
  );

  // --- The core --------------------------------------------------------------------------------------------

  /* verilator lint_off UNUSEDSIGNAL */
  karat_sv_workgroup_t wg;  // More than this core has
  /* verilator lint_on UNUSEDSIGNAL */
  logic wg_valid, req_ready, rsp_valid;
  logic [KaratSvLineWords-1:0][31:0] rsp_data;
  logic live_q, asked_q;
  logic [31:0] pc_q, x_q[32];

  logic [31:0] insn;
  logic endprg;
  assign insn = rsp_data[pc_q[3:2]];
  assign endprg = insn == 32'h0000400b;
  logic accept, request, done;
  assign accept = wg_valid && !live_q;
  assign request = live_q && !asked_q && req_ready;
  assign done = rsp_valid && endprg;

  always_ff @(posedge clk) begin
    live_q <= rst_n && (live_q ? !done : wg_valid);
    asked_q <= rst_n && (asked_q ? !rsp_valid : request);
    if (accept) pc_q <= wg.pc;
    else if (rsp_valid) pc_q <= pc_q + 4;
    x_q[0] <= '0;
    if (rsp_valid && insn[11:7] != '0) x_q[insn[11:7]] <= x_q[insn[19:15]] + {{20{insn[31]}}, insn[31:20]};
  end

  // The records, one cycle after their events.
  always_ff @(posedge clk) begin
    retire.launch_valid <= {3'b0, rst_n && accept};
    retire.launch[0] <= '0;
    retire.launch[0].pc <= wg.pc;
    retire.launch[0].mask <= 32'({Lanes{1'b1}});
    retire.launch[0].regs <= KARAT_REGS_UNKNOWN;
    retire.issue_valid <= {3'b0, rst_n && rsp_valid};
    retire.issue[0] <= '0;
    retire.issue[0].pc <= pc_q;
    retire.issue[0].word <= insn;
    retire.issue[0].mask <= 32'({Lanes{1'b1}});
    retire.exit_valid <= {3'b0, rst_n && done};
    retire.exit[0] <= '0;
    // A write comes with its record in the next cycle: after its ISSUE.
    retire.write_valid <= retire.issue_valid &
        {3'b0, retire.issue[0].word[11:7] != '0 && !retire.exit_valid[0]};
    retire.write[0] <= '0;
    retire.write[0].match <= 8'(KARAT_MATCH_OTHER);
    retire.write[0].mask <= 1;
    retire.write[0].regno <= 16'(retire.issue[0].word[11:7]);
    retire.write[0].data[0] <= x_q[retire.issue[0].word[11:7]];
    retire.audit_valid <= '0;
    retire.simt_valid <= '0;
    retire.csr_valid <= '0;
    retire.mem_valid <= '0;
    retire.access_valid <= '0;
    retire.pair_valid <= '0;
    retire.tlb_valid <= '0;
    retire.read_valid <= '0;
    retire.barrier_valid <= '0;
  end

  // --- The test bench --------------------------------------------------------------------------------------

  scoreboard monitor;

  task automatic cycle(output bit over);
    bit accepted, ended, error;
    int unsigned id;
    bit [KaratSvLineWords-1:0][31:0] line;
    karat_sv_workgroup_t offered;
    clk = 1'b0;
    wg_valid = karat_sv_offer(offered);
    if (wg_valid) wg = offered;
    req_ready = karat_sv_ready(KaratSvFetch);
    rsp_valid = karat_sv_fetch_answer(id, error, line);
    if (rsp_valid) rsp_data = line;
    #1;
    accepted = accept;
    ended = done;
    if (rsp_valid && (error || id != 0)) karat_sv_object("no memory at that address");
    if (request) karat_sv_fetch_request(0, 64'({pc_q[31:4], 4'b0}));
    karat_sv_tick();
    #1 clk = 1'b1;
`ifdef VERILATOR
    if (rst_n) monitor.sample();  // 5.006 does not wake run() by an edge of a virtual interface
`endif
    #1 over = karat_sv_after_edge(accepted, ended, 0, 1'b0, 0, 0);
  endtask

  int status;
  bit over;

  initial begin
    karat_sv_arguments();
    status = karat_sv_open(1, 1, Lanes, 0, 64, 256, 1);
    if (status == KaratSvRuns) begin
      monitor = new(retire, 0);
      monitor.hello.num_sm = 1;
      monitor.hello.num_warp = 1;
      monitor.hello.num_thread = 8'(Lanes);
      monitor.hello.gives = 1 << KARAT_REC_HELLO | 1 << KARAT_REC_LAUNCH | 1 << KARAT_REC_ISSUE |
          1 << KARAT_REC_WRITE | 1 << KARAT_REC_EXIT;
      monitor.hello.name = karat_name("played");
`ifndef VERILATOR
      fork
        monitor.run();
      join_none
`endif
      {clk, rst_n, wg_valid, req_ready, rsp_valid} = '0;
      repeat (3) begin
        #1 clk = 1'b1;
        #1 clk = 1'b0;
      end
      rst_n = 1'b1;
      over = 1'b0;
      while (!over) cycle(over);
      status = karat_sv_finish();
      $display("scoreboard: %0d instructions, %0d writes, the last of %h", monitor.instructions,
               monitor.writes, monitor.last);
    end
    karat_sv_exit(status);
  end
endmodule
