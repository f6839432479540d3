// Writeback: one scalar and one vector result a cycle, each selected round robin between the units that offer
// one.
module ingot_writeback
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
#(
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned NUM_UNIT = 5,
  // These types are those of ingot_sm.
  parameter type result_t = logic,
  parameter type write_x_t = logic,
  parameter type write_v_t = logic,
  localparam int unsigned UnitW = index_width(NUM_UNIT)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  // Units
  input  logic [NUM_UNIT-1:0] valid_i,
  output logic [NUM_UNIT-1:0] ready_o,
  input  result_t             result_i[NUM_UNIT],
  // Register file, scoreboard and CSRs
  output write_x_t            write_x_o,  // Flags are 0 where nothing is written
  output write_v_t            write_v_o
);

  logic [NUM_UNIT-1:0] want_x, want_v;
  logic x_valid, v_valid;
  logic [UnitW-1:0] x_unit, v_unit;

  always_comb begin
    for (int u = 0; u < int'(NUM_UNIT); u++) begin
      want_x[u] = valid_i[u] && !result_i[u].dest.is_v;
      want_v[u] = valid_i[u] && result_i[u].dest.is_v;
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
    .valid_o(x_valid),
    .index_o(x_unit)
  );

  ingot_rr_arb #(
    .N(NUM_UNIT)
  ) u_v_arb (
    .clk_i,
    .rst_ni,
    .req_i  (want_v),
    .take_i (1'b1),
    .valid_o(v_valid),
    .index_o(v_unit)
  );

  fflags_t x_fflags, v_fflags;
  assign x_fflags = x_valid ? result_i[x_unit].fflags : '0;
  // FAULT(flags_of_other_unit, misrouted): v_valid ? result_i[x_unit].fflags : '0
  assign v_fflags = v_valid ? result_i[v_unit].fflags : '0;

  assign write_x_o = '{
    valid: x_valid,
    warp: result_i[x_unit].warp,
    tag: result_i[x_unit].dest.tag,
    regno: result_i[x_unit].dest.rd[5:0],
    mask: result_i[x_unit].mask[0],
    fflags: x_fflags,
    data: result_i[x_unit].data[0]
  };
  assign write_v_o = '{
    valid: v_valid,
    warp: result_i[v_unit].warp,
    tag: result_i[v_unit].dest.tag,
    regno: result_i[v_unit].dest.rd,
    mask: result_i[v_unit].mask,
    fflags: v_fflags,
    data: result_i[v_unit].data
  };

  // Each write port takes one result, of a unit that offers one.
  AssertTakesOffered :
  assert property (@(posedge clk_i) disable iff (!rst_ni) (ready_o & ~valid_i) == '0);
  AssertOnePerPort :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $countones(ready_o) == 32'(x_valid) + 32'(v_valid));
  // A unit offers a result until it is taken.
  logic [NUM_UNIT-1:0] waits;
  assign waits = valid_i & ~ready_o;
  AssertOfferWaits :
  assert property (@(posedge clk_i) disable iff (!rst_ni) $past(rst_ni) |-> ($past(waits) & ~valid_i) == '0);
  // A scalar register number is below 64, and its result is in lane 0.
  logic scalar;
  assign scalar = result_i[x_unit].dest.rd[7:6] == '0 && (result_i[x_unit].mask & ~NUM_THREAD'(1)) == '0;
  AssertScalar :
  assert property (@(posedge clk_i) disable iff (!rst_ni) x_valid |-> scalar);

endmodule
