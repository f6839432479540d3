// Sizes of the core, from its own definitions: for the probe, and as constants for the test bench (Verilator
// writes public ones to Vkarat_dut_ventus_params.h).
`include "define.v"
package ventus_params;

  // SMs of the top module, and SMs of a cluster.
`ifdef KARAT_VENTUS_GPGPU
  localparam int NUM_SM /*verilator public*/ = `NUM_SM;
  localparam int NUM_SM_IN_CLUSTER /*verilator public*/ = `NUM_SM_IN_CLUSTER;
`else
  localparam int NUM_SM /*verilator public*/ = 1;
  localparam int NUM_SM_IN_CLUSTER /*verilator public*/ = 1;
`endif
  localparam int NUM_L2 /*verilator public*/ = `NUM_L2CACHE;
  // Bits of a workgroup at the port of the host
  localparam int WG_ID_BITS /*verilator public*/ = `WG_ID_WIDTH;
  localparam int GRID_BITS /*verilator public*/ = `WG_SIZE_X_WIDTH;
  localparam int NUM_WARP /*verilator public*/ = int'(`NUM_WARP);
  localparam int NUM_THREAD /*verilator public*/ = `NUM_THREAD;
  localparam int NUM_SGPR /*verilator public*/ = `NUM_SGPR;
  localparam int NUM_VGPR /*verilator public*/ = `NUM_VGPR;
  // Register addresses count groups of this many registers
  localparam int NUM_BANK /*verilator public*/ = `NUM_BANK;
  localparam int NUM_BLOCK /*verilator public*/ = int'(`NUM_BLOCK);
  localparam int LINE_WORDS /*verilator public*/ = `DCACHE_BLOCKWORDS;
  localparam int LDS_BYTES /*verilator public*/ = `NUMBER_LDS_SLOTS;
  // Bits of a warp tag; the slot of its workgroup is above them
  localparam int TAG_WARP_BITS /*verilator public*/ = `WF_COUNT_WIDTH_PER_WG;
  // Pipelines behind the operand collector, and those with the load-store unit and the CSR unit.
  localparam int NUM_ISSUE = 1;
  localparam int LSU_ISSUE = 0;
  localparam int CSR_ISSUE = 0;
  localparam bit LDS_APART = 0;  // Local addresses of the ISA go through the data cache
  localparam string CORE_NAME = "ventus";
  // Entries of the SIMT stack of a warp (the memories of branch_join_stack).
  localparam int STACK_DEPTH = `DEPTH_THREAD + 22;

  localparam int BANK_BITS = `DEPTH_BANK;
  localparam int ROW_BITS = `DEPTH_REGBANK;
  localparam int WARP_BITS = `DEPTH_WARP;
  localparam int REG_BITS = `REGIDX_WIDTH + `REGEXT_WIDTH;
  localparam int OFFSET_BITS = `DCACHE_BLOCKOFFSETBITS;
  localparam int SET_BITS = `DCACHE_SETIDXBITS;
  localparam int TAG_BITS = `DCACHE_TAGBITS;

endpackage
