// Sends the records of the stub: what it has done at a rising edge.
module stub_probe
  import karat_port_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        launch_i,
  input logic [31:0] launch_pc_i,
  input logic        issue_i,
  input logic        endprg_i,
  input logic [31:0] pc_i,
  input logic [31:0] insn_i,
  input logic [31:0] sum_i
);
  bit hello_q;
  int unsigned epoch_q, seq_q;
  longint unsigned cycle_q;
  localparam bit [31:0] Lanes = 32'hf;

  function automatic void hello();
    karat_hello_t r = '0;
    r.h = karat_header(KARAT_REC_HELLO, 0, 0, 0, cycle_q);
    r.version = 16'(KaratPortVersion);
    r.stack_depth = 1;
    r.num_sm = 1;
    r.num_warp = 1;
    r.num_thread = 4;
    r.gives = 1 << KARAT_REC_HELLO | 1 << KARAT_REC_LAUNCH | 1 << KARAT_REC_ISSUE | 1 << KARAT_REC_WRITE |
        1 << KARAT_REC_EXIT;
    r.name = karat_name("stub");
    karat_port_hello(r);
  endfunction

  function automatic void launch();
    karat_launch_t r = '0;
    r.h = karat_header(KARAT_REC_LAUNCH, 0, 0, epoch_q, cycle_q);
    r.pc = launch_pc_i;
    r.mask = Lanes;
    r.regs = KARAT_REGS_CLEARED;
    karat_port_launch(r);
  endfunction

  function automatic void issue();
    karat_issue_t r = '0;
    karat_write_t w = '0;
    karat_exit_t e = '0;
    r.h = karat_header(KARAT_REC_ISSUE, 0, 0, epoch_q - 1, cycle_q);
    r.seq = seq_q;
    r.pc = pc_i;
    r.word = insn_i;
    r.mask = Lanes;
    karat_port_issue(r);
    w.h = karat_header(KARAT_REC_WRITE, 0, 0, epoch_q - 1, cycle_q);
    w.seq = seq_q;
    w.regno = 16'(insn_i[11:7]);
    w.mask = 1;
    w.data[0] = sum_i;
    e.h = karat_header(KARAT_REC_EXIT, 0, 0, epoch_q - 1, cycle_q);
    if (endprg_i) karat_port_exit(e);
    else if (w.regno != 0) karat_port_write(w);
  endfunction

  always @(posedge clk_i)
    if (rst_ni) begin
      cycle_q <= cycle_q + 1;
      hello_q <= 1;
      if (!hello_q) hello();
      if (launch_i) begin
        launch();
        epoch_q <= epoch_q + 1;
        seq_q <= 0;
      end
      if (issue_i) begin
        issue();
        seq_q <= seq_q + 1;
      end
    end
endmodule

bind stub stub_probe u_probe (
  .clk_i      (clk_i),
  .rst_ni     (rst_ni),
  .launch_i   (wg_valid_i && wg_ready_o),
  .launch_pc_i(wg_pc_i),
  .issue_i    (live_q),
  .endprg_i   (endprg),
  .pc_i       (pc_o),
  .insn_i     (insn_i),
  .sum_i      (sum)
);
