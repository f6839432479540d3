// The results of one unit that wait for writeback. A place is reserved when an instruction issues, so that
// the unit never has to stall.
module ingot_result_fifo
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter int unsigned DEPTH = 4,
  localparam int unsigned WarpW = index_width(NUM_WARP),
  localparam int unsigned IndexW = index_width(DEPTH)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // Issue side
  output logic                        ready_o,
  input  logic                        reserve_i,
  // Unit side
  input  logic                        push_i,
  input  logic [WarpW-1:0]            warp_i,
  input  dest_t                       dest_i,
  input  logic [NUM_THREAD-1:0]       mask_i,
  input  logic [NUM_THREAD-1:0][31:0] data_i,
  // Writeback side
  output logic                        valid_o,
  input  logic                        ready_i,
  output logic [WarpW-1:0]            warp_o,
  output dest_t                       dest_o,
  output logic [NUM_THREAD-1:0]       mask_o,
  output logic [NUM_THREAD-1:0][31:0] data_o
);

  localparam int unsigned CountW = $clog2(DEPTH + 1);

  logic [WarpW-1:0] warp_q[DEPTH];
  dest_t dest_q[DEPTH];
  logic [NUM_THREAD-1:0] mask_q[DEPTH];
  logic [NUM_THREAD-1:0][31:0] data_q[DEPTH];
  logic [IndexW-1:0] head_q, tail_q;
  logic [CountW-1:0] used_q, full_q;
  logic pop;

  assign ready_o = used_q < CountW'(DEPTH);
  assign valid_o = full_q != '0;
  assign pop = valid_o && ready_i;
  assign warp_o = warp_q[head_q];
  assign dest_o = dest_q[head_q];
  assign mask_o = mask_q[head_q];
  assign data_o = data_q[head_q];

  function automatic logic [IndexW-1:0] advance(logic [IndexW-1:0] index);
    return index == IndexW'(DEPTH - 1) ? '0 : index + 1'b1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      used_q <= '0;
      full_q <= '0;
    end else begin
      if (push_i) tail_q <= advance(tail_q);
      if (pop) head_q <= advance(head_q);
      used_q <= used_q + CountW'(reserve_i) - CountW'(pop);
      full_q <= full_q + CountW'(push_i) - CountW'(pop);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) begin
      warp_q[tail_q] <= warp_i;
      dest_q[tail_q] <= dest_i;
      mask_q[tail_q] <= mask_i;
      data_q[tail_q] <= data_i;
    end
  end

  // No more places are reserved than exist.
  AssertRoom :
  assert property (@(posedge clk_i) disable iff (!rst_ni) reserve_i |-> ready_o);
  // Each result has a reserved place of its own.
  AssertReserved :
  assert property (@(posedge clk_i) disable iff (!rst_ni) push_i |-> used_q > full_q);

endmodule
