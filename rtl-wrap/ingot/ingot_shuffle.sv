// Shuffles of profile public: each lane's operand is that of another lane, where that lane is active, else
// its own. Purely combinational: the crossbar in front of the ALU, which then moves the operand.
module ingot_shuffle
  import ingot_pkg::*;
#(
  parameter int unsigned NUM_THREAD = 8,
  localparam int unsigned LaneW = index_width(NUM_THREAD)
) (
  input  shuffle_e                    op_i,
  input  logic [31:0]                 imm_i,
  input  logic [NUM_THREAD-1:0]       active_i,
  input  logic [NUM_THREAD-1:0][31:0] a_i,
  output logic [NUM_THREAD-1:0][31:0] value_o
);

  // Lane numbers have 32 bits: one below 0 is beyond all lanes.
  function automatic logic [31:0] source(shuffle_e op, logic [31:0] lane, logic [31:0] imm);
    unique case (op)
      ShuffleXor: return lane ^ imm;
      // FAULT(shuffle_index_by_one, operand): imm + 32'd1
      ShuffleIndex: return imm;
      // FAULT(shuffle_up_wraps, operand): (lane - imm) & 32'(NUM_THREAD - 1)
      ShuffleUp: return lane - imm;
      ShuffleDown: return lane + imm;
      default: return lane;
    endcase
  endfunction

  always_comb begin
    for (int l = 0; l < int'(NUM_THREAD); l++) begin
      logic [31:0] from;
      logic exists;
      from = source(op_i, 32'(l), imm_i);
      // FAULT(shuffle_inactive_source, mask): from < 32'(NUM_THREAD)
      exists = from < 32'(NUM_THREAD) && active_i[LaneW'(from)];
      value_o[l] = exists ? a_i[LaneW'(from)] : a_i[l];
    end
  end

endmodule
