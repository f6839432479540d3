// Types and functions of the MMU: SV39 as docs/isa-notes.md, "Translation", has it.
package ingot_mmu_pkg;

  localparam int unsigned VpnW = 27;  // Virtual page number: three times 9 bits
  localparam int unsigned FrameW = 44;  // Physical page number, in a page table entry
  localparam int unsigned AsidW = 16;

  // Why a translation faults; the numbers are those of KARAT_PAGE_*.
  typedef enum logic [3:0] {
    PageFine,
    PageNotCanonical,
    PageNoTable,
    PageInvalid,
    PageReserved,
    PageNoLeaf,
    PageMisaligned,
    PageNotReadable,
    PageNotWritable,
    PageNotExecutable,
    PageNotAccessed,
    PageNotDirty
  } page_reason_e;

  // The use of a page; the numbers are those of KARAT_ACCESS_*.
  typedef enum logic [1:0] {
    PageFetch,
    PageLoad,
    PageStore  // SC and AMOs too
  } page_use_e;

  // The address space of a kernel.
  typedef struct packed {
    logic translate;  // Otherwise addresses are physical
    logic [51:0] root;  // Page number of the root table
    logic [AsidW-1:0] asid;
  } address_space_t;

  // Entries of a TLB that become invalid.
  typedef struct packed {
    logic valid;
    logic by_asid;  // Entries of asid alone
    logic by_page;  // Entries whose page has vpn in it
    logic [AsidW-1:0] asid;
    logic [VpnW-1:0] vpn;
  } invalidate_t;

  // A page that a TLB asks the next level for. drop: something was invalidated since; the result is not kept.
  typedef struct packed {
    logic [VpnW-1:0] vpn;
    logic [AsidW-1:0] asid;
    logic [51:0] root;
    logic drop;
  } walk_t;

  // The result: a leaf (PageFine), or the reason and place of a fault. Whether a leaf permits an access is
  // not part of it.
  typedef struct packed {
    page_reason_e reason;
    logic [1:0] level;  // 2: 1 GiB, 1: 2 MiB, 0: 4 KiB
    logic [63:0] entry;
    logic [63:0] entry_addr;  // 0: not known
  } found_t;

  // An entry that a TLB has taken, for the probe.
  typedef struct packed {
    logic valid;
    logic [AsidW-1:0] asid;
    logic [VpnW-1:0] vpn;
    found_t found;
  } filled_t;

  // Whether two pages of that size are the same.
  function automatic logic same_page(logic [1:0] level, logic [VpnW-1:0] a, logic [VpnW-1:0] b);
    unique case (level)
      2'd0: return a == b;
      // FAULT(superpage_tag_short, address): a[26:10] == b[26:10]
      2'd1: return a[26:9] == b[26:9];
      default: return a[26:18] == b[26:18];
    endcase
  endfunction

  // The page number in memory, by that of the leaf.
  function automatic logic [FrameW-1:0] frame_of(logic [1:0] level, logic [FrameW-1:0] leaf,
                                                 logic [17:0] vpn);
    unique case (level)
      2'd0: return leaf;
      // FAULT(superpage_offset_of_entry, address): leaf
      2'd1: return {leaf[43:9], vpn[8:0]};
      default: return {leaf[43:18], vpn};
    endcase
  endfunction

  // The bits of a leaf that permit accesses.
  typedef struct packed {
    logic dirty;
    logic accessed;
    logic execute;
    logic write;
    logic read;
  } rights_t;

  // Whether a leaf permits that use.
  function automatic page_reason_e permits(rights_t rights, page_use_e how);
    unique case (how)
      // FAULT(execute_ignored, permission): if (1'b0) return PageNotExecutable;
      PageFetch: if (!rights.execute) return PageNotExecutable;
      // FAULT(execute_reads, permission): if (!rights.read && !rights.execute) return PageNotReadable;
      PageLoad: if (!rights.read) return PageNotReadable;
      // FAULT(write_ignored, permission): if (!rights.read) return PageNotWritable;
      default: if (!rights.write) return PageNotWritable;
    endcase
    // FAULT(accessed_ignored, permission): if (1'b0) return PageNotAccessed;
    if (!rights.accessed) return PageNotAccessed;
    // FAULT(dirty_ignored, permission): if (1'b0) return PageNotDirty;
    if (how == PageStore && !rights.dirty) return PageNotDirty;
    return PageFine;
  endfunction

  // Whether an entry is among those that become invalid.
  function automatic logic is_invalidated(invalidate_t what, logic [1:0] level, logic [AsidW-1:0] asid,
                                          logic [VpnW-1:0] vpn);
    return what.valid && (!what.by_asid || what.asid == asid) &&
        (!what.by_page || same_page(level, what.vpn, vpn));
  endfunction

endpackage
