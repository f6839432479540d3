// The smallest core that can be checked: one warp, the instructions addi and endprg, one each cycle, from a
// memory that answers at once. +fault=sum: it adds one too much to 35.
module stub (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        wg_valid_i,
  output logic        wg_ready_o,
  input  logic [31:0] wg_pc_i,
  output logic        wg_done_o,
  output logic [31:0] pc_o,
  input  logic [31:0] insn_i
);
  bit broken;
  initial broken = $test$plusargs("fault=sum");

  logic live_q;
  logic [31:0] x_q[32];

  wire endprg = insn_i == 32'h0000400b;
  wire [4:0] rd = insn_i[11:7];
  wire [31:0] imm = {{20{insn_i[31]}}, insn_i[31:20]};
  wire [31:0] sum = x_q[insn_i[19:15]] + imm + 32'(broken && imm == 35);

  assign wg_ready_o = !live_q;
  assign wg_done_o = live_q && endprg;

  always_ff @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) live_q <= 0;
    else if (!live_q) begin
      live_q <= wg_valid_i;
      pc_o <= wg_pc_i;
      for (int i = 0; i < 32; i++) x_q[i] <= 0;
    end else begin
      live_q <= !endprg;
      pc_o <= pc_o + 4;
      if (!endprg && rd != 0) x_q[rd] <= sum;
    end
endmodule
