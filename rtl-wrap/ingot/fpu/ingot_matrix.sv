// Matrix products of profile public, D = A B + C: A of M x K, B of K x N elements, C and D of M x N. One at a
// time, on NUM_PIPE multiply-add lanes, 32 threads.
//
// The passes of the instruction bring its registers, one of each matrix a cycle. Then each lane has an
// element of D a cycle, all elements for one k, before the next k: the sum of an element begins with C and
// takes its products with k ascending, each rounded to binary32, as the ISA has it. There are more elements
// than stages, so that the sum before is always there. At last the registers of D are offered one after the
// other, rounded to binary16 where C is that: K M N / NUM_PIPE cycles, and some.
module ingot_matrix
  import ingot_pkg::*;
  import ingot_fp_pkg::*;
#(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_PIPE = 8,
  localparam int unsigned NumThread = 32,
  localparam int unsigned WarpW = index_width(NUM_WARP)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       ready_o,
  input  logic                       reserve_i,
  // Operation: its registers, pass by pass, and the operation itself with the last
  input  logic                       pass_i,
  input  logic [2:0]                 pass_number_i,
  input  logic                       valid_i,
  input  logic [WarpW-1:0]           warp_i,
  input  dest_t                      dest_i,
  input  matrix_ctrl_t               ctrl_i,
  input  logic [NumThread-1:0][31:0] a_i,  // Source 1
  input  logic [NumThread-1:0][31:0] b_i,
  input  logic [NumThread-1:0][31:0] c_i,
  // Result: a register after the other
  output logic                       valid_o,
  input  logic                       ready_i,
  output logic [WarpW-1:0]           warp_o,
  output dest_t                      dest_o,
  output logic [NumThread-1:0]       mask_o,
  output logic [NumThread-1:0][31:0] data_o,
  output fflags_t                    fflags_o
);

  localparam int unsigned Stages = 4;
  localparam int unsigned MaxElement = 256;
  localparam int unsigned PipeW = $clog2(NUM_PIPE);

  // The place of NUM_PIPE elements in the lanes.
  typedef struct packed {
    logic valid;
    logic [3:0] k;
    logic [7:PipeW] group;
  } place_t;

  logic busy_q;  // From issue until the last register is taken
  logic running_q;  // From the operation until then
  logic feeding_q;
  matrix_ctrl_t ctrl_q;
  // Elements are next to each other, over lanes and registers.
  logic [3:0][NumThread-1:0][31:0] a_q, b_q;
  logic [7:0][NumThread-1:0][31:0] c_q;
  logic [31:0] sum_q[MaxElement];
  logic [3:0] k_q;  // The place that is fed
  logic [7:PipeW] group_q;
  place_t feed;
  place_t place_q[Stages];  // In the stages of the lanes; the last one is done
  logic drained;
  logic [2:0] word_q;  // Register of D that is offered
  fflags_t fflags_q;
  dest_t dest_q;

  // ---- elements ----

  function automatic logic [15:0] half_of(logic [3:0][NumThread-1:0][31:0] matrix, logic [7:0] element);
    logic [31:0] pair;
    pair = matrix[element[7:6]][element[5:1]];
    return element[0] ? pair[31:16] : pair[15:0];
  endfunction

  // A factor as binary32.
  function automatic logic [31:0] factor(matrix_type_e kind, logic [3:0][NumThread-1:0][31:0] matrix,
                                         logic [7:0] element);
    unique case (kind)
      MatrixF16: return widen(FormatF16, half_of(matrix, element));
      MatrixBf16: return widen(FormatBf16, half_of(matrix, element));
      // FAULT(tf32_low_bits, arithmetic): matrix[element[6:5]][element[4:0]]
      default: return matrix[element[6:5]][element[4:0]] & 32'hffffe000;
    endcase
  endfunction

  // Number of an element of a matrix, where it stands row by row with rows of that length, or column by
  // column.
  function automatic logic [7:0] place_of(logic [3:0] major, logic [3:0] minor, logic minor_of_16);
    return minor_of_16 ? {major, minor} : {1'b0, major, minor[2:0]};
  endfunction

  logic [NUM_PIPE-1:0][31:0] factor_a, factor_b, addend;
  always_comb begin
    for (int p = 0; p < int'(NUM_PIPE); p++) begin
      logic [7:0] element;
      logic [3:0] row, column, k;
      element = {group_q, PipeW'(p)};
      row = ctrl_q.n16 ? element[7:4] : {1'(element[6]), element[5:3]};
      column = ctrl_q.n16 ? element[3:0] : {1'b0, element[2:0]};
      // FAULT(matrix_k_descending, rounding): (ctrl_q.k8 ? 4'd7 : 4'd15) - k_q
      k = k_q;
      // FAULT(matrix_fragment_transposed, operand): factor(ctrl_q.kind, a_q, place_of(row, k, !ctrl_q.k8))
      factor_a[p] = factor(ctrl_q.kind, a_q, ctrl_q.a_by_column ? place_of(k, row, ctrl_q.m16)
                                                                : place_of(row, k, !ctrl_q.k8));
      // FAULT(matrix_b_layout, operand): factor(ctrl_q.kind, b_q, place_of(k, column, ctrl_q.n16))
      factor_b[p] = factor(ctrl_q.kind, b_q, ctrl_q.b_by_row ? place_of(column, k, !ctrl_q.k8)
                                                             : place_of(k, column, ctrl_q.n16));
      addend[p] = sum_q[element];
      if (k_q == '0) begin
        addend[p] = c_q[element[7:5]][element[4:0]];
        if (ctrl_q.half) addend[p] = widen(FormatF16, half_of(c_q[3:0], element));
      end
    end
  end

  // ---- sums ----

  fp_result_t [NUM_PIPE-1:0] result;
  for (genvar p = 0; p < int'(NUM_PIPE); p++) begin : gen_pipe
    ingot_fp_fma u_fma (
      .clk_i,
      .advance_i({place_q[2].valid, place_q[1].valid, place_q[0].valid, feed.valid}),
      .op_i     ('{kind: FmaFma, negate_product: 1'b0, negate_addend: 1'b0}),
      .rm_i     (RmRne),
      .a_i      (factor_a[p]),
      .b_i      (factor_b[p]),
      .c_i      (addend[p]),
      .result_o (result[p])
    );
  end

  logic [7:PipeW] last_group;
  logic [3:0] last_k;
  logic [2:0] last_word;
  // Elements: 64, 128 or 256.
  assign last_group = (8-PipeW)'({ctrl_q.m16 && ctrl_q.n16, ctrl_q.m16 || ctrl_q.n16, 6'h3f} >> PipeW);
  assign last_k = ctrl_q.k8 ? 4'd7 : 4'd15;
  assign last_word = ctrl_q.last_word;

  always_comb begin
    drained = 1'b1;
    for (int s = 0; s < int'(Stages); s++) if (place_q[s].valid) drained = 1'b0;
  end

  // FAULT(matrix_ready_early, timing): !running_q
  assign ready_o = !busy_q;
  assign valid_o = running_q && !feeding_q && drained;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      running_q <= 1'b0;
      feeding_q <= 1'b0;
      for (int s = 0; s < int'(Stages); s++) place_q[s] <= '0;
    end else begin
      if (reserve_i) busy_q <= 1'b1;
      if (valid_i) begin
        running_q <= 1'b1;
        feeding_q <= 1'b1;
      end else if (feeding_q && k_q == last_k && group_q == last_group) begin
        feeding_q <= 1'b0;
      end
      // FAULT(matrix_last_register, lost_event): word_q + 3'd1 >= last_word
      if (valid_o && ready_i && word_q == last_word) begin
        busy_q <= 1'b0;
        running_q <= 1'b0;
      end
      place_q[0] <= feed;
      for (int s = 1; s < int'(Stages); s++) place_q[s] <= place_q[s-1];
    end
  end

  assign feed = '{valid: feeding_q, k: k_q, group: group_q};

  always_ff @(posedge clk_i) begin
    if (pass_i) begin
      a_q[pass_number_i[1:0]] <= pass_number_i[2] ? a_q[pass_number_i[1:0]] : a_i;
      b_q[pass_number_i[1:0]] <= pass_number_i[2] ? b_q[pass_number_i[1:0]] : b_i;
      c_q[pass_number_i] <= c_i;
    end
    if (valid_i) begin
      warp_o <= warp_i;
      dest_q <= dest_i;
      ctrl_q <= ctrl_i;
      k_q <= '0;
      group_q <= '0;
      word_q <= '0;
      fflags_q <= '0;
    end else begin
      if (feeding_q) begin
        group_q <= group_q == last_group ? '0 : group_q + 1'b1;
        if (group_q == last_group) k_q <= k_q + 1'b1;
      end
      if (place_q[Stages-1].valid) begin
        for (int p = 0; p < int'(NUM_PIPE); p++)
          sum_q[{place_q[Stages-1].group, PipeW'(p)}] <= result[p].value;
        fflags_q <= fflags_q | all_flags(result);
      end
      if (valid_o && ready_i) word_q <= word_q + 1'b1;
    end
  end

  function automatic fflags_t all_flags(fp_result_t [NUM_PIPE-1:0] results);
    fflags_t flags;
    flags = '0;
    for (int p = 0; p < int'(NUM_PIPE); p++) flags |= results[p].flags;
    return flags;
  endfunction

  // ---- results ----

  assign mask_o = '1;
  always_comb begin
    dest_o = dest_q;
    dest_o.rd = dest_q.rd + 8'(word_q);
    data_o = '0;
    // The flags of the sums come with each register, those of a last rounding with its own.
    fflags_o = fflags_q;
    for (int l = 0; l < int'(NumThread); l++) begin
      fp_result_t low, high;
      data_o[l] = sum_q[{word_q, 5'(l)}];
      low = '0;
      high = '0;
      if (ctrl_q.half && valid_o) begin
        low = narrow(FormatF16, sum_q[{word_q[1:0], 5'(l), 1'b0}]);
        high = narrow(FormatF16, sum_q[{word_q[1:0], 5'(l), 1'b1}]);
        // FAULT(matrix_halves_alike, lanes_bytes): {low.value[15:0], low.value[15:0]}
        data_o[l] = {high.value[15:0], low.value[15:0]};
        fflags_o |= low.flags | high.flags;
      end
    end
  end

  AssertOneAtATime :
  assert property (@(posedge clk_i) disable iff (!rst_ni)
                   valid_i |-> pass_i && busy_q && !running_q && !feeding_q && drained);
  // A result is offered until it is taken.
  AssertHeld :
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !ready_i |=> valid_o && $stable(data_o));

endmodule
