// Allocates to each workgroup slot one contiguous range of the rows of a register file, first fit. A range
// can begin at row 0 or at the end of a range in use.
module ingot_alloc
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_SLOT = 8,
  parameter int unsigned NUM_ROW = 1024,
  localparam int unsigned SlotW = index_width(NUM_SLOT),
  localparam int unsigned RowW = index_width(NUM_ROW)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Request for rows, at least 1: whether they fit in this cycle, and at which row
  input  logic             valid_i,
  input  logic [31:0]      rows_i,
  output logic             fits_o,
  output logic [RowW-1:0]  base_o,
  // The range is taken for this slot, which has none
  input  logic             take_i,
  input  logic [SlotW-1:0] slot_i,
  // The slot returns its range
  input  logic             free_i,
  input  logic [SlotW-1:0] free_slot_i
);

  logic [NUM_SLOT-1:0] used_q;
  logic [31:0] begin_q[NUM_SLOT];
  logic [31:0] end_q[NUM_SLOT];  // The row after the range

  logic [31:0] place, from, room;
  logic ok;
  always_comb begin
    fits_o = 1'b0;
    place = '0;
    from = '0;
    room = '0;
    ok = 1'b0;
    if (valid_i) begin
      for (int c = 0; c <= int'(NUM_SLOT); c++) begin
        from = '0;
        ok = 1'b1;
        if (c > 0) begin
          from = end_q[c-1];
          ok = used_q[c-1];
        end
        // FAULT(alloc_beyond_end, resource_limit): NUM_ROW
        room = NUM_ROW - from;
        // FAULT(alloc_last_rows, resource_limit): if (rows_i >= room) ok = 1'b0;
        if (rows_i > room) ok = 1'b0;
        for (int s = 0; s < int'(NUM_SLOT); s++) begin
          if (used_q[s] && from < end_q[s] && begin_q[s] < from + rows_i) ok = 1'b0;
        end
        if (ok && (!fits_o || from < place)) begin
          fits_o = 1'b1;
          place = from;
        end
      end
    end
  end
  assign base_o = RowW'(place);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
    end else begin
      if (free_i) used_q[free_slot_i] <= 1'b0;
      if (take_i) used_q[slot_i] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (take_i) begin
      begin_q[slot_i] <= place;
      // FAULT(alloc_one_short, resource_limit): place + rows_i - 32'd1
      end_q[slot_i] <= place + rows_i;
    end
  end

  AssertTakesWhatFits :
  assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> fits_o && !used_q[slot_i]);
  AssertFreesUsed :
  assert property (@(posedge clk_i) disable iff (!rst_ni) free_i |-> used_q[free_slot_i]);

endmodule
