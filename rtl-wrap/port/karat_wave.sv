// For waveforms: of each warp slot the last instruction that was issued, by number, pc, word, thread mask and
// as text. Instantiate it in the probe. It does nothing without +trace=FILE. docs/debug.md is the guide.
module karat_wave #(
  parameter int unsigned NUM_WARP = 8,
  parameter int unsigned NUM_THREAD = 8,
  parameter logic [63:0] PROFILE = "v2.02",  // Name of the profile of the ISA
  localparam int unsigned SlotW = NUM_WARP > 1 ? $clog2(NUM_WARP) : 1
) (
  input logic                  clk_i,
  input logic                  issue_i,
  input logic [SlotW-1:0]      slot_i,
  input logic [31:0]           seq_i,
  input logic [31:0]           pc_i,
  input logic                  has_prefix_i,
  input logic [31:0]           prefix_i,
  input logic [31:0]           word_i,
  input logic [NUM_THREAD-1:0] mask_i
);
  localparam int unsigned TextBits = 8 * 48;

  // The disassembly, first character in the highest byte, with blanks at its end. No prefix: 0.
  import "DPI-C" function void karat_wave_text(input string profile, input int unsigned pc,
                                               input int unsigned prefix, input int unsigned word,
                                               output bit [TextBits-1:0] text);

  /* verilator lint_off UNUSEDSIGNAL */  // A waveform shows them
  // By warp slot.
  logic [31:0] seq[NUM_WARP];
  logic [31:0] pc[NUM_WARP];
  logic [31:0] word[NUM_WARP];
  logic [NUM_THREAD-1:0] mask[NUM_WARP];
  bit [TextBits-1:0] text[NUM_WARP];
  /* verilator lint_on UNUSEDSIGNAL */

  bit on;
  initial begin
    on = $test$plusargs("trace=") != 0;
    for (int w = 0; w < int'(NUM_WARP); w++) text[w] = '0;
  end

  always_ff @(posedge clk_i) begin
    if (on && issue_i) begin
      automatic bit [TextBits-1:0] line;
      karat_wave_text(string'(PROFILE), pc_i, has_prefix_i ? prefix_i : 32'd0, word_i, line);
      seq[slot_i] <= seq_i;
      pc[slot_i] <= pc_i;
      word[slot_i] <= word_i;
      mask[slot_i] <= mask_i;
      text[slot_i] <= line;
    end
  end
endmodule
