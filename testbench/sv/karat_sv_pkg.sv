// A lockstep run as a SystemVerilog test bench sees it: the C side (libkarat_sv) has command line, kernels,
// host, memory, checker and verdict; the test bench has clock, reset and the core's ports. Uses only IEEE
// 1800 DPI-C.
//
//   start      karat_sv_arguments(), karat_sv_fault() and karat_sv_translates() where the core has such,
//              karat_sv_open()
//   each cycle 1. clock low: drive the core from karat_sv_offer(), _ready(), _fetch_answer(), _data_answer(),
//                 _walk_answer(), in this order
//              2. settled, before the rising edge: report _fetch_request(), _data_request(), _walk_request(),
//                 _tick(), in this order
//              3. after the rising edge and all its effects: karat_sv_after_edge(), until it returns 1
//   end        karat_sv_finish(), then karat_sv_exit() or $finish
//
// No function here is pure, for all have effects, and none calls SystemVerilog or asks for its scope, so none
// is context. karat_ingot_sv.sv makes these calls. Whoever makes the same calls has the same timing for the
// same seed. One run a process.
package karat_sv_pkg;

  localparam int unsigned KaratSvLanes = 32;  // Upper ones that the core does not have: 0
  localparam int unsigned KaratSvLineWords = 4;  // Words of a line of the fetch port

  localparam int unsigned KaratSvFetch = 0;  // Ports for karat_sv_ready()
  localparam int unsigned KaratSvData = 1;
  localparam int unsigned KaratSvWalk = 2;  // Walks of page tables

  localparam int KaratSvRuns = -1;  // Returned by karat_sv_open() where there is something to run

  // A workgroup as the dispatch port takes it (karat_workgroup in testbench/host.h).
  typedef struct packed {
    bit [31:0] offset_z, offset_y, offset_x, items_y, items_x;  // First global id, work-items of the grid
    // Threads that start: work-items below live of a workgroup of local_x, local_y, ...; live_x 0: all.
    bit [31:0] live_z, live_y, live_x, local_z, local_y, local_x;
    bit [31:0] starts;  // Warps with a thread that starts
    bit [31:0] invalidate;  // TLBs drop all entries before it begins
    bit [31:0] asid;
    bit [63:0] ptbr;
    bit [31:0] translate;  // Addresses are virtual (SV39)
    bit [31:0] vgprs, sgprs;  // Registers that each warp uses; 0: all
    bit [31:0] lds_size;
    bit [31:0] gdz, gdy, gdx, pds, lds, wgid, knl;  // CSRs of warp 0
    bit [31:0] pc;
    bit [31:0] threads, warps;
    bit [31:0] index;
  } karat_sv_workgroup_t;

  // --- Start -----------------------------------------------------------------------------------------------

  // The names of all arguments one by one: "seed=" takes a value, "quiet" does not; "": no more.
  import "DPI-C" function string karat_sv_argument_name(input int unsigned i);
  // An argument that was given, as +name or +name=value.
  import "DPI-C" function void karat_sv_argument(input string text);

  // The others of that name that the process's command line has, where it can be read: $value$plusargs shows
  // the first only.
  import "DPI-C" function void karat_sv_repeated_arguments();

  // Hands over the simulator's plusargs.
  function automatic void karat_sv_arguments();
    string name, format, value;
    int unsigned i;
    i = 0;
    name = karat_sv_argument_name(i);
    while (name.len() != 0) begin
      format = {name, "%s"};
      if (name[name.len()-1] != "=") begin
        // A name with a value begins with this one too.
        if ($test$plusargs(name) != 0 && $test$plusargs({name, "="}) == 0) karat_sv_argument({"+", name});
      end else if ($value$plusargs(format, value) != 0) begin
        karat_sv_argument({"+", name, value});
      end
      i++;
      name = karat_sv_argument_name(i);
    end
    karat_sv_repeated_arguments();
  endfunction

  // How far the core's results of an instruction that may approximate can be from the model's, in units in
  // the last place. A fault that the core has for +fault=NAME; no call: it was built without.
  import "DPI-C" function void karat_sv_fault(input string name);
  // After karat_sv_open(): whether +fault names it.
  import "DPI-C" function bit karat_sv_fault_given(input string name);
  // The core can translate: +sv39 is not refused.
  import "DPI-C" function void karat_sv_translates();
  // The core takes workgroups some of whose threads do not start: such kernels are not refused.
  import "DPI-C" function void karat_sv_starts_partial();
  // The core's properties: warps, bytes of local memory and register rows of each SM, and registers that are
  // taken together. KaratSvRuns, or the exit status of a run that does not begin (+help, bad input, which it
  // has said in one line).
  import "DPI-C" function int karat_sv_open(input int unsigned num_sm, input int unsigned num_warp,
                                            input int unsigned num_thread, input int unsigned lds_bytes,
                                            input int unsigned num_sgpr, input int unsigned num_vgpr,
                                            input int unsigned reg_granule);

  // --- Each cycle ------------------------------------------------------------------------------------------

  // The workgroup on offer; 0: none.
  import "DPI-C" function bit karat_sv_offer(output karat_sv_workgroup_t wg);
  // The word of memory at that physical address, at once: for a core whose memory has no latency, and to look
  // at results. 0: it is not mapped.
  import "DPI-C" function bit karat_sv_read(input longint unsigned addr, output int unsigned word);
  // Whether that port takes a request in this cycle.
  import "DPI-C" function bit karat_sv_ready(input int unsigned port);
  // The data access that memory performs in this cycle, and what it answers to lane 0; 0: none. The core's
  // probe sends its MEM now. A test bench that calls this does so once a cycle, before the answers; without
  // it an access is performed in the cycle of its answer.
  import "DPI-C" function bit karat_sv_data_performed(output int unsigned id, output int unsigned data);
  // An answer of the memory; 0: none in this cycle.
  import "DPI-C" function bit karat_sv_fetch_answer(output int unsigned id, output bit error,
                                                    output bit [KaratSvLineWords-1:0][31:0] data);
  import "DPI-C" function bit karat_sv_data_answer(output int unsigned id, output bit error,
                                                   output bit [KaratSvLanes-1:0][31:0] data);
  import "DPI-C" function bit karat_sv_walk_answer(output int unsigned id, output bit error,
                                                   output longint unsigned entry);

  // A request that the port takes at the coming edge. op: enum karat_ram_op in testbench/memory.h; requester:
  // a number for each warp slot of each SM, whose reservation an LR makes. Addresses are physical; addr_hi:
  // their upper halves.
  import "DPI-C" function void karat_sv_fetch_request(input int unsigned id, input longint unsigned addr);
  import "DPI-C" function void karat_sv_data_request(input int unsigned id, input int unsigned requester,
                                                     input int unsigned op,
                                                     input bit [KaratSvLanes-1:0] lanes,
                                                     input bit [KaratSvLanes-1:0][31:0] addr,
                                                     input bit [KaratSvLanes-1:0][31:0] addr_hi,
                                                     input bit [KaratSvLanes-1:0][3:0] be,
                                                     input bit [KaratSvLanes-1:0][31:0] data);
  import "DPI-C" function void karat_sv_walk_request(input int unsigned id, input longint unsigned addr);
  import "DPI-C" function void karat_sv_tick();

  // The test bench has found the core wrong: the verdict of the cycle, unless the checker has one.
  import "DPI-C" function void karat_sv_object(input string what);
  // A warp has met a page fault and has stopped; before karat_sv_after_edge().
  import "DPI-C" function void karat_sv_page_fault();
  // The core's actions at the edge: took the workgroup on offer, said that one has ended, showed a CSR_PRINT.
  // 1: the run is over.
  import "DPI-C" function bit karat_sv_after_edge(input bit accepted, input bit done,
                                                  input int unsigned done_index, input bit print,
                                                  input int unsigned print_sm, input int unsigned print_slot);

  // --- End -------------------------------------------------------------------------------------------------

  // Prints report and verdict, and returns the exit status.
  import "DPI-C" function int karat_sv_finish();
  // Ends the process with that status, which $finish cannot.
  import "DPI-C" function void karat_sv_exit(input int status);

endpackage
