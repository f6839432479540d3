// Writeback: one scalar and one vector result a cycle, each chosen round robin between the units that have one.
module ingot_writeback
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_UNIT = 5,
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned UnitW = index_width(NUM_UNIT)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // units
  input  logic [NUM_UNIT-1:0]         valid_i,
  output logic [NUM_UNIT-1:0]         ready_o,
  input  logic [WarpW-1:0]            warp_i[NUM_UNIT],
  input  dest_t                       dest_i[NUM_UNIT],
  input  logic [NUM_THREAD-1:0]       mask_i[NUM_UNIT],
  input  logic [NUM_THREAD-1:0][31:0] data_i[NUM_UNIT],
  input  fflags_t                     fflags_i[NUM_UNIT],
  // register file and scoreboard
  output logic                        x_valid_o,
  output logic [WarpW-1:0]            x_warp_o,
  output tag_t                        x_tag_o,
  output logic [5:0]                  x_reg_o,
  output logic                        x_mask_o,
  output logic [31:0]                 x_data_o,
  output fflags_t                     x_fflags_o,  // 0 where nothing is written
  output logic                        v_valid_o,
  output logic [WarpW-1:0]            v_warp_o,
  output tag_t                        v_tag_o,
  output logic [7:0]                  v_reg_o,
  output logic [NUM_THREAD-1:0]       v_mask_o,
  output logic [NUM_THREAD-1:0][31:0] v_data_o,
  output fflags_t                     v_fflags_o
);

  logic [NUM_UNIT-1:0] want_x, want_v;
  logic [UnitW-1:0] x_unit, v_unit;

  always_comb begin
    for (int u = 0; u < int'(NUM_UNIT); u++) begin
      want_x[u] = valid_i[u] && !dest_i[u].is_v;
      want_v[u] = valid_i[u] && dest_i[u].is_v;
    end
  end
  always_comb begin
    for (int u = 0; u < int'(NUM_UNIT); u++) begin
      ready_o[u] = (want_x[u] && int'(x_unit) == u) || (want_v[u] && int'(v_unit) == u);
    end
  end

  ingot_rr_arb #(
    .N(NUM_UNIT)
  ) u_x_arb (
    .clk_i,
    .rst_ni,
    .req_i  (want_x),
    .take_i (1'b1),
    .valid_o(x_valid_o),
    .index_o(x_unit)
  );

  ingot_rr_arb #(
    .N(NUM_UNIT)
  ) u_v_arb (
    .clk_i,
    .rst_ni,
    .req_i  (want_v),
    .take_i (1'b1),
    .valid_o(v_valid_o),
    .index_o(v_unit)
  );

  assign x_warp_o = warp_i[x_unit];
  assign x_tag_o = dest_i[x_unit].tag;
  assign x_reg_o = dest_i[x_unit].rd[5:0];
  assign x_mask_o = mask_i[x_unit][0];
  assign x_data_o = data_i[x_unit][0];
  assign x_fflags_o = x_valid_o ? fflags_i[x_unit] : '0;

  assign v_warp_o = warp_i[v_unit];
  assign v_tag_o = dest_i[v_unit].tag;
  assign v_reg_o = dest_i[v_unit].rd;
  assign v_mask_o = mask_i[v_unit];
  assign v_data_o = data_i[v_unit];
  // FAULT(flags_of_other_unit, misrouted): v_valid_o ? fflags_i[x_unit] : '0
  assign v_fflags_o = v_valid_o ? fflags_i[v_unit] : '0;

  // Every port takes one result, of a unit that has it.
  AssertTakesOffered :
  assert property (@(posedge clk_i) disable iff (!rst_ni) (ready_o & ~valid_i) == '0);
  AssertOnePerPort :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $countones(ready_o) == 32'(x_valid_o) + 32'(v_valid_o));
  // A unit keeps what it offers until it is taken.
  logic [NUM_UNIT-1:0] waits;
  assign waits = valid_i & ~ready_o;
  AssertOfferWaits :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $past(rst_ni) |-> ($past(waits) & ~valid_i) == '0);
  // Scalars are 64, each lane 0's.
  logic scalar;
  assign scalar = dest_i[x_unit].rd[7:6] == '0 && (mask_i[x_unit] & ~NUM_THREAD'(1)) == '0;
  AssertScalar :
  assert property (@(posedge clk_i) disable iff (!rst_ni) x_valid_o |-> scalar);

endmodule
