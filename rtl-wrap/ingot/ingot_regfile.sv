// The register files, one scalar and one vector file for all warps. Dispatch gives each warp a range of rows
// of each file; its registers are the rows from its base on. Decode makes an instruction illegal that names a
// register outside the range.
//
// A launch clears nothing: a register that its warp has not written holds what the last owner of the row
// left, and before the first owner a random value. x0 reads 0.
module ingot_regfile
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_SGPR_ROW = 512,
  parameter int unsigned NUM_VGPR_ROW = 1024,
  parameter int unsigned PROFILE = 202,
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned SgprW = index_width(NUM_SGPR_ROW),
  localparam int unsigned VgprW = index_width(NUM_VGPR_ROW)
) (
  input  logic                        clk_i,
  input  logic [NUM_WARP-1:0][SgprW-1:0] sgpr_base_i,  // First row of each warp slot
  input  logic [NUM_WARP-1:0][VgprW-1:0] vgpr_base_i,
  // Read
  input  logic [WarpW-1:0]            warp_i,
  input  logic [7:0]                  rs1_i,
  input  logic [7:0]                  rs2_i,
  input  logic [7:0]                  rs3_i,
  input  logic                        part_i,  // Selects the register of the group at v0
  input  logic                        base_pair_i,  // Read the upper half of the pair at rs1
  input  logic                        base_v_i,
  input  logic                        data_pair_i,  // Read the upper half of the stored pair
  input  logic                        data_v_i,
  input  logic                        data_src3_i,
  output logic [31:0]                 x1_o,
  output logic [31:0]                 x2_o,
  output logic [31:0]                 x3_o,
  output logic [NUM_THREAD-1:0][31:0] v0_o,
  output logic [NUM_THREAD-1:0][31:0] v1_o,
  output logic [NUM_THREAD-1:0][31:0] v2_o,
  output logic [NUM_THREAD-1:0][31:0] v3_o,
  output logic [NUM_THREAD-1:0][31:0] base_high_o,
  output logic [NUM_THREAD-1:0][31:0] data_high_o,
  // Write
  input  logic                        wx_valid_i,
  input  logic [WarpW-1:0]            wx_warp_i,
  input  logic [5:0]                  wx_reg_i,
  input  logic                        wx_mask_i,
  input  logic [31:0]                 wx_data_i,
  input  logic                        wv_valid_i,
  input  logic [WarpW-1:0]            wv_warp_i,
  input  logic [7:0]                  wv_reg_i,
  input  logic [NUM_THREAD-1:0]       wv_mask_i,
  input  logic [NUM_THREAD-1:0][31:0] wv_data_i
);

  localparam features_t Has = features_of(PROFILE);

  typedef logic [NUM_THREAD-1:0][31:0] row_t;

  logic [31:0] x_q[NUM_SGPR_ROW];
  row_t v_q[NUM_VGPR_ROW];

  logic [SgprW-1:0] x_base;
  logic [VgprW-1:0] v_base;
  assign x_base = sgpr_base_i[warp_i];
  assign v_base = vgpr_base_i[warp_i];

  // A register that an instruction does not use may be outside the range of the warp, or outside the file.
  function automatic logic [31:0] read_x(logic [5:0] regno);
    // FAULT(x0_not_zero, special_value): x_q[x_base+SgprW'(regno)]
    return regno == '0 ? '0 : x_q[x_base+SgprW'(regno)];
  endfunction
  assign x1_o = read_x(rs1_i[5:0]);
  // FAULT(base_missing_x2, address): rs2_i[5:0] == '0 ? '0 : x_q[SgprW'(rs2_i[5:0])]
  assign x2_o = read_x(rs2_i[5:0]);
  // FAULT(x3_five_bits, address): read_x({1'b0, rs3_i[4:0]})
  assign x3_o = read_x(rs3_i[5:0]);
  logic [7:0] mask_reg;
  // FAULT(lmul2_mask_v0, mask): 8'd0
  assign mask_reg = {7'b0, part_i};
  // FAULT(base_missing_v0, address): v_q[VgprW'(mask_reg)]
  assign v0_o = v_q[v_base+VgprW'(mask_reg)];
  assign v1_o = v_q[v_base+VgprW'(rs1_i)];
  assign v2_o = v_q[v_base+VgprW'(rs2_i)];
  // FAULT(base_or_number, address): v_q[v_base|VgprW'(rs3_i)]
  assign v3_o = v_q[v_base+VgprW'(rs3_i)];

  // Upper halves: the registers after the even ones.
  function automatic row_t upper(logic is_v, logic [7:0] regno);
    logic [7:0] second;
    second = regno | 8'd1;
    if (is_v) return v_q[v_base+VgprW'(second)];
    // FAULT(base_x0_reads_x1, address): {NUM_THREAD{x_q[x_base+SgprW'(1)]}}
    if (Has.prefix && regno == '0) return '0;  // The pair of x0 is 0
    // FAULT(base_missing_pair, address): {NUM_THREAD{x_q[SgprW'(second[5:0])]}}
    return {NUM_THREAD{x_q[x_base+SgprW'(second[5:0])]}};
  endfunction
  always_comb begin
    base_high_o = '0;
    data_high_o = '0;
    if (base_pair_i) base_high_o = upper(base_v_i, rs1_i);
    if (data_pair_i) data_high_o = upper(data_v_i, data_src3_i ? rs3_i : rs2_i);
  end

  logic [SgprW-1:0] wx_row;
  logic [VgprW-1:0] wv_row;
  // FAULT(x_write_five_bits, address): sgpr_base_i[wx_warp_i] + SgprW'(wx_reg_i[4:0])
  assign wx_row = sgpr_base_i[wx_warp_i] + SgprW'(wx_reg_i);
  // FAULT(write_at_readers_base, misrouted): v_base + VgprW'(wv_reg_i)
  assign wv_row = vgpr_base_i[wv_warp_i] + VgprW'(wv_reg_i);

  function automatic logic [31:0] next_random(logic [31:0] state);
    logic [31:0] next;
    next = state ^ state << 13;
    next ^= next >> 17;
    return next ^ next << 5;
  endfunction

  // For simulation: storage begins with random values from +seed, the same in every simulator.
  initial begin
    longint unsigned seed;
    logic [31:0] state;
    if ($value$plusargs("seed=%d", seed) == 0) seed = 64'd1;
    state = (seed[31:0] + seed[63:32]) * 32'h9e3779b1 | 32'd1;
    for (int r = 0; r < int'(NUM_SGPR_ROW); r++) begin
      state = next_random(state);
      x_q[r] = state;
    end
    for (int r = 0; r < int'(NUM_VGPR_ROW); r++) begin
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        state = next_random(state);
        v_q[r][l] = state;
      end
    end
  end

  // Not always_ff: no other process may write its variables, and the initial block does.
  always @(posedge clk_i) begin
    // FAULT(x_write_unmasked, mask): if (wx_valid_i && wx_reg_i != '0) x_q[wx_row] <= wx_data_i;
    if (wx_valid_i && wx_mask_i && wx_reg_i != '0) x_q[wx_row] <= wx_data_i;
    if (wv_valid_i) begin
      for (int l = 0; l < int'(NUM_THREAD); l++) begin
        // FAULT(write_enable, mask): if (wv_mask_i[l] || (l == 0 && wv_mask_i != '0))
        //     v_q[wv_row][l] <= wv_data_i[l];
        if (wv_mask_i[l]) v_q[wv_row][l] <= wv_data_i[l];
      end
    end
  end

endmodule
