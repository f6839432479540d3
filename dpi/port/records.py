"""The record stream of the retire port, version 1: the one definition of every record's layout.

gen_port.py turns this into the C header and the SystemVerilog package in gen/.  A record is a packed little-endian
structure.  Fields are listed in memory order; each is naturally aligned, so that the packed SystemVerilog structure,
the C structure and the bytes on disk are the same thing.

A field is (name, bits, count, meaning).  count > 1 is an array indexed by lane (or by axis, where it says so).
"""

VERSION = 1
MAX_THREAD = 32

# Every record starts with these 16 bytes.
HEADER = [
    ("kind", 8, 1, "KARAT_REC_*"),
    ("sm", 8, 1, "streaming multiprocessor, 0 upwards; 0 in the test bench's records"),
    ("slot", 8, 1, "warp slot within the SM; 0 where no warp is meant"),
    ("flags", 8, 1, "zero in version 1"),
    ("epoch", 32, 1, "launches of that slot so far, less one: the first launch is epoch 0"),
    ("cycle", 64, 1, "clock cycles since reset"),
]

# kind number, name, sender, when, fields
RECORDS = [
    (1, "hello", "probe", "Once, before anything else: what this core is and which records it gives.", [
        ("version", 16, 1, "of the record stream: 1"),
        ("stack_depth", 16, 1, "entries that one warp's SIMT stack holds"),
        ("num_sm", 8, 1, ""),
        ("num_warp", 8, 1, "warp slots per SM"),
        ("num_thread", 8, 1, "lanes per warp"),
        ("mem_order", 8, 1, "KARAT_ORDER_*: what the order of MEM records means"),
        ("gives", 32, 1, "bit k set: the core sends records of kind k; a kind not given is named in the verdict"),
        ("props", 32, 1, "KARAT_PROP_* bits"),
        ("name", 8, 32, "core name, NUL padded"),
    ]),
    (2, "region", "bench", "Before KERNEL, one for each mapped region of device memory.", [
        ("base", 64, 1, "byte address, a multiple of 4096"),
        ("size", 64, 1, "bytes, a multiple of 4096"),
        ("hash", 64, 1, "XXH3_64bits of the region's bytes as the test bench holds them"),
        ("hash_valid", 32, 1, "0: not given (a write-back cache may hold newer bytes)"),
        ("pad0", 32, 1, ""),
    ]),
    (3, "host", "bench", "The host wrote bytes to device memory. Takes effect where it stands in the stream.", [
        ("addr", 64, 1, "byte address of data[0]"),
        ("length", 32, 1, "bytes used of data, 1 to 256"),
        ("pad0", 32, 1, ""),
        ("data", 8, 256, "bytes"),
    ]),
    (4, "hostcsr", "bench", "The host wrote a CSR of a live warp (CSR_PRINT).", [
        ("addr", 32, 1, "CSR number"),
        ("value", 32, 1, ""),
    ]),
    (5, "kernel", "bench", "A kernel starts; its REGION and HOST records came before.", [
        ("index", 32, 1, "launch number, gapless from 0"),
        ("grid", 32, 3, "workgroups in x, y, z"),
        ("wg_size", 32, 1, "warps per workgroup"),
        ("wf_size", 32, 1, "threads per warp"),
        ("pc", 32, 1, "first instruction"),
        ("knl", 32, 1, "CSR_KNL"),
        ("lds_base", 32, 1, "CSR_LDS where the dispatcher gives every workgroup the same window address"),
        ("lds_size", 32, 1, "bytes per workgroup to allocate"),
        ("pds_base", 32, 1, "private memory of workgroup 0"),
        ("pds_size", 32, 1, "private bytes per thread"),
        ("sgprs", 16, 1, "scalar registers per warp; 0: all 64"),
        ("vgprs", 16, 1, "vector registers per warp; 0: all 256"),
        ("num_region", 32, 1, "REGION records sent for this kernel"),
    ]),
    (6, "launch", "probe", "A warp became live in a slot.", [
        ("workgroup", 32, 1, "linear index x + X * (y + Y * z)"),
        ("warp", 32, 1, "warp within the workgroup"),
        ("pc", 32, 1, "first instruction"),
        ("mask", 32, 1, "initial thread mask"),
        ("csr", 32, 11, "CSRs 0x800 (tid) to 0x80a (gdz), in order of number"),
        ("csr_given", 32, 1, "bit i set: csr[i] is the core's value and is compared"),
        ("sgpr_base", 32, 1, "first physical scalar register"),
        ("sgpr_size", 32, 1, "how many; 0: allocation not given"),
        ("vgpr_base", 32, 1, "first physical vector register"),
        ("vgpr_size", 32, 1, "how many; 0: allocation not given"),
        ("lds_base", 32, 1, "the workgroup's first byte of the SM's LDS storage"),
        ("lds_size", 32, 1, "bytes; 0: allocation not given"),
        ("regs", 32, 1, "KARAT_REGS_*: what the registers hold"),
        ("pad0", 32, 1, ""),
    ]),
    (7, "issue", "probe", "An instruction left the warp's in-order front end for good: never a wrong path.", [
        ("seq", 32, 1, "gapless from 0 in each epoch"),
        ("pc", 32, 1, "of the instruction itself, not of its prefix"),
        ("word", 32, 1, "the instruction as the core decodes it"),
        ("prefix", 32, 1, "the prefix word where prefix_kind says so"),
        ("mask", 32, 1, "thread mask under which it runs"),
        ("prefix_kind", 32, 1, "KARAT_PREFIX_*"),
    ]),
    (8, "read", "probe", "Optional: an operand as the core uses it.", [
        ("seq", 32, 1, ""),
        ("source", 8, 1, "1, 2, 3: rs1/vs1, rs2/vs2, rs3/vs3/old vd; 0: v0 as mask"),
        ("cls", 8, 1, "KARAT_X or KARAT_V"),
        ("part", 8, 1, "register within an LMUL 2 group or a pair"),
        ("bits", 8, 1, "how many low bits of each value are given; 0: all 32 (cores hold v0's mask bits alone)"),
        ("mask", 32, 1, "lanes given (bit 0 for a scalar)"),
        ("pad1", 32, 1, ""),
        ("data", 32, 32, "value per lane"),
    ]),
    (9, "write", "probe", "A register write reached the register file.", [
        ("seq", 32, 1, "of its instruction, where match says so"),
        ("match", 8, 1, "KARAT_MATCH_*"),
        ("cls", 8, 1, "KARAT_X or KARAT_V"),
        ("regno", 16, 1, "architectural register number, after extension"),
        ("mask", 32, 1, "lanes written (bit 0 for a scalar); a part of the whole is allowed, parts are disjoint"),
        ("pad0", 32, 1, ""),
        ("data", 32, 32, "value per lane"),
    ]),
    (10, "audit", "probe", "Optional: one register as the file holds it after this cycle's completions.", [
        ("regno", 16, 1, "architectural register number"),
        ("cls", 8, 1, "KARAT_X or KARAT_V"),
        ("pad0", 8, 1, ""),
        ("mask", 32, 1, "lanes given: all of the core's, bit 0 for a scalar"),
        ("data", 32, 32, "value per lane"),
    ]),
    (11, "simt", "probe", "The outcome of a VBRANCH or JOIN, uniform ones too.", [
        ("seq", 32, 1, ""),
        ("mask", 32, 1, "thread mask after"),
        ("next_pc", 32, 1, ""),
        ("depth", 16, 1, "stack entries after"),
        ("top_valid", 16, 1, "1: the next three fields are given (depth is not 0)"),
        ("top_rpc", 32, 1, "top entry after: reconvergence pc"),
        ("top_next", 32, 1, "top entry after: first pc of the path that waits"),
        ("top_mask", 32, 1, "top entry after: its threads"),
        ("pad0", 32, 1, ""),
    ]),
    (12, "csr", "probe", "Optional: a CSR after the instruction that wrote it.", [
        ("seq", 32, 1, ""),
        ("addr", 32, 1, "CSR number"),
        ("value", 32, 1, "value after"),
        ("pad0", 32, 1, ""),
    ]),
    (13, "mem", "probe", "A piece of an instruction's memory accesses was performed (or requested, as HELLO says).", [
        ("seq", 32, 1, "of its instruction, where match says so"),
        ("match", 8, 1, "KARAT_MATCH_*: by seq, or by order within the warp"),
        ("op", 8, 1, "KARAT_MEM_*"),
        ("space", 8, 1, "KARAT_SPACE_*, KARAT_SPACE_UNKNOWN where the core does not say"),
        ("no_data", 8, 1, "1: the core does not show what is written (AMOs done beyond the SM)"),
        ("mask", 32, 1, "lanes in this piece (bit 0 for a scalar access)"),
        ("addr_hi", 32, 1, "bits 63:32 of every lane's address in this piece"),
        ("addr", 32, 32, "byte address per lane, bits 31:0"),
        ("bytes", 4, 32, "per lane, bit i: the byte at addr + i belongs to this piece"),
        ("data", 32, 32, "per lane, byte i: the byte stored at addr + i; AMO: the value written; not used for loads"),
    ]),
    (14, "barrier", "probe", "A warp arrived at a workgroup barrier, or a set of warps was released from one.", [
        ("seq", 32, 1, "ARRIVE: of the BARRIER instruction"),
        ("action", 32, 1, "KARAT_BARRIER_ARRIVE or KARAT_BARRIER_RELEASE"),
        ("warps", 64, 1, "RELEASE: bit s set: the warp in slot s of this SM is released"),
    ]),
    (15, "exit", "probe", "The core has declared the warp ended.", []),
    (16, "bye", "bench", "End of stream.", [
        ("reason", 32, 1, "KARAT_BYE_*"),
        ("pad0", 32, 1, ""),
        ("records", 64, 1, "records sent before this one, by all senders; 0: not counted"),
    ]),
]

# name, value, meaning: shared by C and SystemVerilog with the prefix KARAT_
CONSTANTS = [
    ("X", 0, "scalar register class"),
    ("V", 1, "vector register class"),
    ("ORDER_NONE", 0, "MEM records come in no particular order"),
    ("ORDER_REQUEST", 1, "MEM records come in the order in which the core requested the accesses"),
    ("ORDER_PERFORMED", 2, "MEM records come in the order in which the accesses were performed"),
    ("PROP_COHERENT", 1, "caches are coherent: one thread's reads of a byte never go backwards"),
    ("PROP_FLUSHED", 2, "at BYE every store has reached the test bench's memory"),
    ("REGS_CLEARED", 0, "every register is 0"),
    ("REGS_AUDIT", 1, "AUDIT records before the first ISSUE give them"),
    ("REGS_UNKNOWN", 2, "the last owner's values; not known"),
    ("PREFIX_NONE", 0, "the instruction has no prefix"),
    ("PREFIX_WORD", 1, "the prefix field holds it"),
    ("PREFIX_UNKNOWN", 2, "the core merges prefixes in decode: the model's prefix is taken"),
    ("MATCH_SEQ", 0, "the record names its instruction"),
    ("MATCH_OTHER", 1, "no id: WRITE matches by (warp, class, register), MEM by order within the warp"),
    ("MEM_LOAD", 0, ""),
    ("MEM_STORE", 1, ""),
    ("MEM_AMO", 2, "read-modify-write, and SC that succeeded"),
    ("SPACE_UNKNOWN", 0, ""),
    ("SPACE_GLOBAL", 1, "device memory"),
    ("SPACE_LDS", 2, "the workgroup's local memory"),
    ("SPACE_PRIVATE", 3, "private memory, at its final (interleaved) address"),
    ("BARRIER_ARRIVE", 0, ""),
    ("BARRIER_RELEASE", 1, ""),
    ("BYE_DONE", 0, "all work was done"),
    ("BYE_CYCLE_LIMIT", 1, "the test bench's cycle limit was reached"),
    ("BYE_ABORT", 2, "the test bench gave up"),
]
