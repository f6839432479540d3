// The register files: 64 scalar and 256 vector registers per warp slot.
//
// Registers read 0 until written since the launch of their warp.  Instead of clearing storage, a bit per register says
// that it has been written; the first write of a vector register fills its other lanes with 0.
module ingot_regfile
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        launch_i,
  input  logic [WarpW-1:0]            launch_warp_i,
  // read
  input  logic [WarpW-1:0]            warp_i,
  input  logic [7:0]                  rs1_i,
  input  logic [7:0]                  rs2_i,
  input  logic [7:0]                  rs3_i,
  input  logic                        part_i,  // of v0 as a group
  input  logic                        base_pair_i,  // read the upper half of rs1's pair ...
  input  logic                        base_v_i,
  input  logic                        data_pair_i,  // ... and that of what is stored
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
  // write
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

  typedef logic [NUM_THREAD-1:0][31:0] row_t;

  logic [31:0] x_q[NUM_WARP][NumX];
  row_t v_q[NUM_WARP][NumV];
  logic [NumX-1:0] x_written_q[NUM_WARP];
  logic [NumV-1:0] v_written_q[NUM_WARP];

  assign x1_o = x_written_q[warp_i][rs1_i[5:0]] ? x_q[warp_i][rs1_i[5:0]] : '0;
  assign x2_o = x_written_q[warp_i][rs2_i[5:0]] ? x_q[warp_i][rs2_i[5:0]] : '0;
  assign x3_o = x_written_q[warp_i][rs3_i[5:0]] ? x_q[warp_i][rs3_i[5:0]] : '0;  // FAULT(x3_five_bits, prefix): x_written_q[warp_i][6'(rs3_i[4:0])] ? x_q[warp_i][6'(rs3_i[4:0])] : '0
  logic [7:0] mask_reg;
  assign mask_reg = {7'b0, part_i};  // FAULT(lmul2_mask_v0, lmul2): 8'd0
  assign v0_o = v_written_q[warp_i][mask_reg] ? v_q[warp_i][mask_reg] : '0;
  assign v1_o = v_written_q[warp_i][rs1_i] ? v_q[warp_i][rs1_i] : '0;
  assign v2_o = v_written_q[warp_i][rs2_i] ? v_q[warp_i][rs2_i] : '0;
  assign v3_o = v_written_q[warp_i][rs3_i] ? v_q[warp_i][rs3_i] : '0;

  // Upper halves: the registers behind the even ones.
  function automatic row_t upper(logic is_v, logic [7:0] regno);
    if (is_v) return v_written_q[warp_i][regno|8'd1] ? v_q[warp_i][regno|8'd1] : '0;
    return x_written_q[warp_i][6'(regno|8'd1)] ? {NUM_THREAD{x_q[warp_i][6'(regno|8'd1)]}} : '0;
  endfunction
  always_comb begin
    base_high_o = '0;
    data_high_o = '0;
    if (base_pair_i) base_high_o = upper(base_v_i, rs1_i);
    if (data_pair_i) data_high_o = upper(data_v_i, data_src3_i ? rs3_i : rs2_i);
  end

  row_t merged;
  always_comb begin
    merged = v_written_q[wv_warp_i][wv_reg_i] ? v_q[wv_warp_i][wv_reg_i] : '0;
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      if (wv_mask_i[l]) merged[l] = wv_data_i[l];  // FAULT(write_enable, writeback): if (wv_mask_i[l] || (l == 0 && wv_mask_i != '0)) merged[l] = wv_data_i[l];
    end
  end

  always_ff @(posedge clk_i) begin
    if (wx_valid_i && wx_mask_i && wx_reg_i != '0) x_q[wx_warp_i][wx_reg_i] <= wx_data_i;
    if (wv_valid_i) v_q[wv_warp_i][wv_reg_i] <= merged;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int w = 0; w < int'(NUM_WARP); w++) begin
        x_written_q[w] <= '0;
        v_written_q[w] <= '0;
      end
    end else begin
      if (wx_valid_i && wx_mask_i && wx_reg_i != '0) x_written_q[wx_warp_i][wx_reg_i] <= 1'b1;
      if (wv_valid_i) v_written_q[wv_warp_i][wv_reg_i] <= 1'b1;
      if (launch_i) begin
        x_written_q[launch_warp_i] <= '0;
        v_written_q[launch_warp_i] <= '0;  // FAULT(v_survives_launch, state): v_written_q[launch_warp_i]
      end
    end
  end

endmodule
