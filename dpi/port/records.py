"""The record stream of the retire port, version 1: the one definition of every record's layout, and of what else is the same for all that handle
records: who a record is about, since which version it exists, which values its fields may have.

gen_port.py turns this into the C header and the SystemVerilog package in gen/.  A record is a packed little-endian
structure.  Fields are listed in memory order; each is naturally aligned, so that the packed SystemVerilog structure,
the C structure and the bytes on disk are the same thing.

"""
from typing import List, NamedTuple, Optional, Tuple, Union

VERSION = 1
MAX_THREAD = 32
RETIRE_WAYS = 4  # Records of a kind in a cycle, in karat_retire_if
# Order of a probe's records within a cycle (docs/port.md); those that are not named are of earlier instructions.
CYCLE_ORDER = {"hello": 0, "issue": 2, "read": 3, "barrier": 4, "exit": 5, "launch": 6}
CYCLE_EARLIER = 1


class Field(NamedTuple):
    """count > 1 is an array indexed by lane (or by axis, where noted)."""
    name: str
    bits: int
    count: int
    meaning: str
    # Legal values: those of a family of FAMILIES, 0 to that number, or those for which that condition in C (of r, the record) does not hold.
    legal: Union[str, int, None] = None
    only: Optional[str] = None  # Condition in C under which the field means anything; None: always


# Senders, and subjects: who a record is about. A RUN's records say that a kernel starts or has ended; a HOST's are of its memory before that.
PROBE, BENCH = "probe", "bench"
CORE, HOST, RUN, SM, WARP = "core", "host", "run", "sm", "warp"


class Record(NamedTuple):
    kind: int
    name: str
    sender: str
    subject: Union[str, Tuple[str, str, str, str]]  # A tuple (subject, field, constant, other): by the value of that field
    when: str
    fields: List[Field]
    since: int = 1  # The version of the stream that it came with
    required: bool = False  # Nothing can be compared without it
    like: str = ""  # A record of the same as that kind, with the same fields up to the mask
    calls: str = ""  # How many a step of the model calls for, in C, of its commit; empty: it says nothing of that


def record(kind, name, sender, subject, when, fields, **more):
    return Record(kind, name, sender, subject, when, [Field(*f) for f in fields], **more)


# Every record starts with these 16 bytes.
HEADER = [Field(*f) for f in [
    ("kind", 8, 1, "KARAT_REC_*"),
    ("sm", 8, 1, "streaming multiprocessor, from 0; 0 where the record concerns none"),
    ("slot", 8, 1, "warp slot within the SM; 0 where the record concerns no warp"),
    ("flags", 8, 1, "zero"),
    ("epoch", 32, 1, "number of earlier launches of that slot: the first launch is epoch 0"),
    ("cycle", 64, 1, "clock cycles since reset"),
]]

RECORDS = [
    record(1, "hello", PROBE, CORE, "Once, before all other records: the core and the records that it provides.", [
        ("version", 16, 1, "of the record stream: KARAT_PORT_VERSION"),
        ("stack_depth", 16, 1, "entries that one warp's SIMT stack holds"),
        ("num_sm", 8, 1, ""),
        ("num_warp", 8, 1, "warp slots per SM"),
        ("num_thread", 8, 1, "lanes per warp"),
        ("mem_order", 8, 1, "KARAT_ORDER_*: the meaning of the order of MEM records", "ORDER"),
        ("gives", 32, 1, "bit k set: the core sends records of kind k; the verdict names the other kinds",
         "r->gives & ~KARAT_RECS"),
        ("props", 32, 1, "KARAT_PROP_* bits", "PROP"),
        ("name", 8, 32, "core name, NUL padded"),
    ]),
    record(2, "region", BENCH, HOST, "Before KERNEL, one for each mapped region of device memory; before BYE, pages of it in their final state.", [
        ("base", 64, 1, "byte address, a multiple of 4096"),
        ("size", 64, 1, "bytes, a multiple of 4096"),
        ("hash", 64, 1, "XXH3_64bits of the region's bytes as the test bench holds them"),
        ("hash_valid", 32, 1, "0: no hash (a write-back cache may hold newer bytes)"),
        ("pad0", 32, 1, ""),
    ]),
    record(3, "host", BENCH, HOST,
           "The host wrote bytes to memory here in the stream; in the LDS window: first contents of the next kernel's LDS.", [
        ("addr", 64, 1, "byte address of data[0]"),
        ("length", 32, 1, "bytes used of data, 1 to 256"),
        ("pad0", 32, 1, ""),
        ("data", 8, 256, "bytes"),
    ]),
    record(4, "hostcsr", BENCH, WARP, "The host wrote a CSR of a live warp (CSR_PRINT).", [
        ("addr", 32, 1, "CSR number"),
        ("value", 32, 1, ""),
    ]),
    record(5, "kernel", BENCH, RUN, "A kernel starts; its REGION and HOST records came before.", [
        ("index", 32, 1, "launch number, gapless from 0"),
        ("grid", 32, 3, "workgroups in x, y, z"),
        ("wg_size", 32, 1, "warps per workgroup"),
        ("wf_size", 32, 1, "threads per warp"),
        ("pc", 32, 1, "first instruction"),
        ("knl", 32, 1, "CSR_KNL"),
        ("lds_base", 32, 1, "CSR_LDS where every workgroup gets the same window address"),
        ("lds_size", 32, 1, "bytes per workgroup to allocate"),
        ("pds_base", 32, 1, "private memory of workgroup 0"),
        ("pds_size", 32, 1, "private bytes per thread"),
        ("sgprs", 16, 1, "scalar registers per warp; 0: all 64"),
        ("vgprs", 16, 1, "vector registers per warp; 0: all 256"),
        ("num_region", 32, 1, "REGION records sent for this kernel"),
    ]),
    record(6, "launch", PROBE, WARP, "A warp became live in a slot.", [
        ("workgroup", 32, 1, "linear index x + X * (y + Y * z)"),
        ("warp", 32, 1, "warp within the workgroup"),
        ("pc", 32, 1, "first instruction"),
        ("mask", 32, 1, "initial thread mask"),
        ("csr", 32, 11, "CSRs 0x800 (tid) to 0x80a (gdz), in order of number"),
        ("csr_given", 32, 1, "bit i set: csr[i] is the core's value and is compared; bit 11: mstatus is valid", 0xfff),
        ("sgpr_base", 32, 1, "first physical scalar register"),
        ("sgpr_size", 32, 1, "number of scalar registers; 0: allocation unknown"),
        ("vgpr_base", 32, 1, "first physical vector register"),
        ("vgpr_size", 32, 1, "number of vector registers; 0: allocation unknown"),
        ("lds_base", 32, 1, "the workgroup's first byte of the SM's LDS storage"),
        ("lds_size", 32, 1, "bytes; 0: allocation unknown"),
        ("regs", 32, 1, "KARAT_REGS_*: the contents of the registers", "REGS"),
        ("mstatus", 32, 1, "contents of mstatus: it has no effect, and cores reset it to values of their own"),
    ], required=True, calls="0"),
    record(7, "issue", PROBE, WARP, "An instruction left the warp's in-order front end for good: never a wrong path.", [
        ("seq", 32, 1, "gapless from 0 in each epoch"),
        ("pc", 32, 1, "of the instruction itself, not of its prefix"),
        ("word", 32, 1, "the instruction as the core decodes it"),
        ("prefix", 32, 1, "the prefix word, with KARAT_PREFIX_WORD"),
        ("mask", 32, 1, "thread mask under which it runs"),
        ("prefix_kind", 32, 1, "KARAT_PREFIX_*", "PREFIX"),
    ], required=True, calls="1"),
    record(8, "read", PROBE, WARP, "Optional: an operand as the core uses it.", [
        ("seq", 32, 1, ""),
        ("source", 8, 1, "1, 2, 3: rs1/vs1, rs2/vs2, rs3/vs3/old vd; 0: v0 as mask", 3),
        ("cls", 8, 1, "KARAT_X or KARAT_V", "CLASS"),
        ("part", 8, 1, "register within an LMUL 2 group or a pair"),
        ("bits", 8, 1, "number of valid low bits of each value; 0: all 32 (some cores hold only the mask bits of v0)", 32),
        ("mask", 32, 1, "valid lanes (bit 0 for a scalar)"),
        ("pad1", 32, 1, ""),
        ("data", 32, 32, "value per lane"),
    ], calls="commit->num_reads > 0"),
    record(9, "write", PROBE, WARP, "A register write reached the register file.", [
        ("seq", 32, 1, "of its instruction, with KARAT_MATCH_SEQ"),
        ("match", 8, 1, "KARAT_MATCH_*", "MATCH"),
        ("cls", 8, 1, "KARAT_X or KARAT_V", "CLASS"),
        ("regno", 16, 1, "architectural register number, after extension"),
        ("mask", 32, 1, "lanes written (bit 0 for a scalar); a part of the whole is allowed, parts are disjoint"),
        ("pad0", 32, 1, ""),
        ("data", 32, 32, "value per lane"),
    ], calls="commit->num_writes > 0"),
    record(10, "audit", PROBE, WARP,
           "Optional: one register as the file holds it after this cycle's completions; or a CSR, or an entry of the SIMT stack, after "
           "everything that was issued.", [
        ("regno", 16, 1, "architectural register number; address of a CSR; entry of the SIMT stack, from the top"),
        ("cls", 8, 1, "KARAT_X, KARAT_V, KARAT_CSR or KARAT_STACK", "CLASS"),
        ("pad0", 8, 1, ""),
        ("mask", 32, 1, "valid lanes: all of the core's, bit 0 for a scalar; valid bits of a CSR; valid words of an entry"),
        ("data", 32, 32, "value per lane; of a CSR the first; of an entry: its rpc, its next pc, its threads, the stack's depth, the thread mask"),
    ], calls="commit->num_writes > 0"),
    record(11, "simt", PROBE, WARP, "The outcome of a VBRANCH or JOIN, uniform ones too.", [
        ("seq", 32, 1, ""),
        ("mask", 32, 1, "thread mask after"),
        ("next_pc", 32, 1, ""),
        ("depth", 16, 1, "stack entries after"),
        ("top_valid", 16, 1, "1: the next three fields are valid (depth is not 0)", 1),
        ("top_rpc", 32, 1, "top entry after: reconvergence pc"),
        ("top_next", 32, 1, "top entry after: first pc of the path that waits"),
        ("top_mask", 32, 1, "top entry after: its threads"),
        ("pad0", 32, 1, ""),
    ], calls="commit->simt != KARAT_SIMT_NONE"),
    record(12, "csr", PROBE, WARP, "Optional: a CSR after the instruction that wrote it.", [
        ("seq", 32, 1, ""),
        ("addr", 32, 1, "CSR number"),
        ("value", 32, 1, "value after"),
        ("pad0", 32, 1, ""),
    ], calls="commit->csr_written"),
    record(13, "mem", PROBE, WARP, "A piece of an instruction's memory accesses was performed (or requested, by HELLO.mem_order).", [
        ("seq", 32, 1, "of its instruction, with KARAT_MATCH_SEQ"),
        ("match", 8, 1, "KARAT_MATCH_*: by seq, or by order within the warp", "MATCH"),
        ("op", 8, 1, "KARAT_MEM_*", "MEM"),
        ("space", 8, 1, "KARAT_SPACE_*, KARAT_SPACE_UNKNOWN where the core does not know", "SPACE"),
        ("no_data", 8, 1, "1: the core does not show the value written (AMOs performed outside of the SM)",
         "r->no_data > (r->op == KARAT_MEM_AMO)"),
        ("mask", 32, 1, "lanes in this piece (bit 0 for a scalar access)"),
        ("addr_hi", 32, 1, "bits 63:32 of every lane's address in this piece"),
        ("addr", 32, 32, "byte address per lane, bits 31:0"),
        ("bytes", 4, 32, "per lane, bit i: the byte at addr + i belongs to this piece"),
        ("data", 32, 32, "per lane, byte i: the byte stored at addr + i; AMO: the value written; not used for loads"),
    ], calls="commit->has_mem && commit->mem.num > 0"),
    record(14, "barrier", PROBE, (WARP, "action", "BARRIER_ARRIVE", SM),
           "A warp arrived at a workgroup barrier, or a set of warps was released from one.", [
        ("seq", 32, 1, "ARRIVE: of the BARRIER instruction"),
        ("action", 32, 1, "KARAT_BARRIER_ARRIVE or KARAT_BARRIER_RELEASE", "BARRIER"),
        ("warps", 64, 1, "RELEASE: bit s set: the warp in slot s of this SM is released"),
    ], calls="commit->barrier && !commit->ended"),
    record(15, "exit", PROBE, WARP, "The core has declared the warp ended.", [], calls="commit->ended"),
    record(16, "bye", BENCH, RUN, "End of stream.", [
        ("reason", 32, 1, "KARAT_BYE_*", "BYE"),
        ("pad0", 32, 1, ""),
        ("records", 64, 1, "records sent before this one, by all senders; 0: not counted"),
    ]),
    record(17, "contents", BENCH, RUN, "Bytes of device memory after the end of a kernel: before the next one's REGIONs, or those before BYE.", [
        ("addr", 64, 1, "byte address of data[0]"),
        ("length", 32, 1, "bytes used of data, 1 to 256"),
        ("pad0", 32, 1, ""),
        ("data", 8, 256, "bytes"),
    ]),
    record(18, "print", BENCH, WARP, "Optional: text that the host has read after a write of CSR_PRINT: before the HOST that clears the buffer.", [
        ("addr", 64, 1, "byte address of data[0], in the print buffer; pieces follow each other"),
        ("buffer", 32, 1, "the print buffer's address as the host has read it from the block that CSR_KNL names"),
        ("size", 32, 1, "bytes of the print buffer"),
        ("length", 32, 1, "bytes used of data, 0 to 256"),
        ("stop", 32, 1, "KARAT_PRINT_*: why the text ends after these bytes", "PRINT"),
        ("data", 8, 256, "bytes"),
    ]),
    record(19, "access", PROBE, WARP, "A MEM with virtual and physical addresses, and up to 16 bytes of a lane; the two may be mixed.", [
        ("seq", 32, 1, "of its instruction, with KARAT_MATCH_SEQ"),
        ("match", 8, 1, "KARAT_MATCH_*: as in MEM", "MATCH"),
        ("op", 8, 1, "KARAT_MEM_*", "MEM"),
        ("space", 8, 1, "KARAT_SPACE_*: as in MEM; by the prefix, where there is one", "SPACE"),
        ("no_data", 8, 1, "as in MEM", "r->no_data > (r->op == KARAT_MEM_AMO)"),
        ("mask", 32, 1, "lanes in this piece (bit 0 for a scalar access)"),
        ("pad0", 32, 1, ""),
        ("virt", 64, 32, "per lane: address before translation; not used without KARAT_PROP_SV39"),
        ("phys", 64, 32, "per lane: address of data's first byte in memory, or in the LDS window"),
        ("bytes", 16, 32, "per lane, bit i: the byte at phys + i belongs to this piece; all are in one page"),
        ("data", 32, 128, "four words per lane, word w of lane l at 4 * l + w: its byte i is the one at phys + 4 * w + i; as MEM.data"),
    ], like="mem"),
    record(20, "pair", PROBE, WARP, "A WRITE of two consecutive registers at once; the two may be mixed.", [
        ("seq", 32, 1, "of its instruction, with KARAT_MATCH_SEQ"),
        ("match", 8, 1, "KARAT_MATCH_*", "MATCH"),
        ("cls", 8, 1, "KARAT_X or KARAT_V", "CLASS"),
        ("regno", 16, 1, "architectural number of the lower register, after extension"),
        ("mask", 32, 1, "lanes written, as in WRITE"),
        ("pad0", 32, 1, ""),
        ("data", 64, 32, "value per lane: the lower register has bits 31:0"),
    ], like="write"),
    record(21, "tlb", PROBE, (WARP, "action", "TLB_FAULT", SM),
           "Optional: a TLB entry was filled, TLB entries were invalidated, or a translation of an access or fetch faulted.", [
        ("seq", 32, 1, "FAULT of a load, store or AMO: its instruction; of a fetch: the warp's next ISSUE would have it"),
        ("action", 8, 1, "KARAT_TLB_FILL, KARAT_TLB_INVALIDATE or KARAT_TLB_FAULT", "TLB"),
        ("tlb", 8, 1, "KARAT_TLB_INSTRUCTION, KARAT_TLB_DATA or KARAT_TLB_SHARED (header's sm is 0 for a TLB of all SMs)", "TLB_OF"),
        ("level", 8, 1, "of the entry: 2 is 1 GiB, 1 is 2 MiB, 0 is 4 KiB; INVALIDATE: or KARAT_LEVEL_ALL",
         "r->level > KARAT_LEVEL_ALL - (r->action != KARAT_TLB_INVALIDATE)"),
        ("access", 8, 1, "FAULT: KARAT_ACCESS_*", "ACCESS", "r->action == KARAT_TLB_FAULT"),
        ("asid", 32, 1, "address space; INVALIDATE: KARAT_ASID_ALL for all"),
        ("reason", 32, 1, "FAULT: KARAT_PAGE_*", "PAGE", "r->action == KARAT_TLB_FAULT"),
        ("virt", 64, 1, "FILL: first byte of the page; FAULT: address that was translated; INVALIDATE: a byte of the page"),
        ("phys", 64, 1, "FILL: first byte of the page in memory"),
        ("entry", 64, 1, "FILL: the page table entry; FAULT: the one that failed, 0 where there is none"),
        ("entry_addr", 64, 1, "where the entry is in memory, 0 where the core does not know"),
    ]),
    record(22, "paging", BENCH, HOST, "The address space of the next kernel: once before each KERNEL, with KARAT_PROP_SV39.", [
        ("ptbr", 64, 1, "physical address of the root page table, a multiple of 4096"),
        ("asid", 32, 1, ""),
        ("pad0", 32, 1, ""),
    ]),
    record(23, "items", BENCH, HOST, "Work-items and private memory of the next kernel, where they are none of the usual; "
           "at most once before each KERNEL.", [
        ("group_items", 32, 3, "work-items of a workgroup in x, y, z; 0: all threads of all warps start"),
        ("grid_items", 32, 3, "work-items of the grid; threads outside of it or of the workgroup start inactive"),
        ("first_id", 32, 3, "the first global id"),
        ("pds_slots", 32, 1, "private memory goes by resident slot, of so many; 0: by workgroup"),
    ]),
]

# Constants by family: name, value, meaning; shared by C and SystemVerilog with the prefix KARAT_.
FAMILIES = {
    "CLASS": [
        ("X", 0, "scalar register class"),
        ("V", 1, "vector register class"),
        ("CSR", 2, "AUDIT: a CSR"),
        ("STACK", 3, "AUDIT: an entry of the SIMT stack"),
    ],
    "ORDER": [
        ("ORDER_NONE", 0, "MEM records come in no particular order"),
        ("ORDER_REQUEST", 1, "MEM records come in the order in which the core requested the accesses"),
        ("ORDER_PERFORMED", 2, "MEM records come in the order in which the accesses were performed"),
    ],
    "PROP": [
        ("PROP_COHERENT", 1, "caches are coherent: one thread's reads of a byte never go backwards"),
        ("PROP_FLUSHED", 2, "at BYE every store has reached the test bench's memory"),
        ("PROP_INTERLOCKED", 4, "an instruction issues when no register that it reads or writes has a write pending"),
        ("PROP_ASCENDING", 8, "the lanes of one instruction reach memory in ascending order"),
        ("PROP_READS_MORE", 16, "the core reads registers for which the instruction has no operand: such a READ is ignored"),
        ("PROP_PRINTS", 32, "a requested print is shown to the host, before the slot's next launch and the kernel's end"),
        ("PROP_SV39", 64, "SV39 translation: addresses in MEM, REGION and HOST are physical; pc and CSRs are virtual"),
    ],
    "LAUNCH": [
        ("LAUNCH_MSTATUS", 11, "bit of LAUNCH.csr_given: mstatus is valid"),
    ],
    "REGS": [
        ("REGS_CLEARED", 0, "every register is 0"),
        ("REGS_AUDIT", 1, "AUDIT records before the first ISSUE have them"),
        ("REGS_UNKNOWN", 2, "the last owner's values; not known"),
    ],
    "PREFIX": [
        ("PREFIX_NONE", 0, "the instruction has no prefix"),
        ("PREFIX_WORD", 1, "the prefix field holds it"),
        ("PREFIX_UNKNOWN", 2, "the core merges prefixes in decode: the model's prefix is taken"),
    ],
    "MATCH": [
        ("MATCH_SEQ", 0, "the record names its instruction"),
        ("MATCH_OTHER", 1, "no id: WRITE matches by (warp, class, register), MEM by order within the warp"),
    ],
    "MEM": [
        ("MEM_LOAD", 0, ""),
        ("MEM_STORE", 1, ""),
        ("MEM_AMO", 2, "read-modify-write, and SC that succeeded"),
    ],
    "SPACE": [
        ("SPACE_UNKNOWN", 0, ""),
        ("SPACE_GLOBAL", 1, "device memory"),
        ("SPACE_LDS", 2, "the workgroup's local memory"),
        ("SPACE_PRIVATE", 3, "private memory, at its final (interleaved) address"),
    ],
    "TLB": [
        ("TLB_FILL", 0, "an entry was written"),
        ("TLB_INVALIDATE", 1, "entries were removed"),
        ("TLB_FAULT", 2, "an access or a fetch was refused: never one of a wrong path, and once for each instruction"),
    ],
    "TLB_OF": [
        ("TLB_INSTRUCTION", 0, "of one SM, for fetches"),
        ("TLB_DATA", 1, "of one SM, for loads, stores and AMOs"),
        ("TLB_SHARED", 2, "second level"),
    ],
    "ASID": [
        ("ASID_ALL", 0xffffffff, "INVALIDATE: of every address space"),
    ],
    "LEVEL": [
        ("LEVEL_ALL", 3, "INVALIDATE: every page; virt is not used"),
    ],
    "ACCESS": [
        ("ACCESS_FETCH", 0, "TLB.access"),
        ("ACCESS_LOAD", 1, ""),
        ("ACCESS_STORE", 2, "stores, SC and AMOs"),
    ],
    "PAGE": [
        ("PAGE_UNKNOWN", 0, "the core does not show why"),
        ("PAGE_NOT_CANONICAL", 1, "bits 63 to 39 of the address differ from bit 38"),
        ("PAGE_NO_TABLE", 2, "the entry is outside mapped memory"),
        ("PAGE_INVALID", 3, "V is clear, or W is set without R"),
        ("PAGE_RESERVED", 4, "a reserved bit is set"),
        ("PAGE_NO_LEAF", 5, "the last level's entry names a table"),
        ("PAGE_MISALIGNED", 6, "a superpage is not aligned"),
        ("PAGE_NOT_READABLE", 7, ""),
        ("PAGE_NOT_WRITABLE", 8, ""),
        ("PAGE_NOT_EXECUTABLE", 9, ""),
        ("PAGE_NOT_ACCESSED", 10, "A is clear"),
        ("PAGE_NOT_DIRTY", 11, "D is clear, for a store"),
    ],
    "BARRIER": [
        ("BARRIER_ARRIVE", 0, ""),
        ("BARRIER_RELEASE", 1, ""),
    ],
    "PRINT": [
        ("PRINT_MORE", 0, "it continues: another PRINT follows"),
        ("PRINT_ZERO", 1, "a byte that is 0"),
        ("PRINT_FULL", 2, "the buffer's end"),
        ("PRINT_NO_BUFFER", 3, "the next byte, or (size is 0) CSR_KNL's block, is not mapped: nothing printed or cleared"),
    ],
    "BYE": [
        ("BYE_DONE", 0, "all work was done"),
        ("BYE_CYCLE_LIMIT", 1, "the test bench's cycle limit was reached"),
        ("BYE_ABORT", 2, "the test bench gave up"),
    ],
}
CONSTANTS = [constant for family in FAMILIES.values() for constant in family]
FLAGS = {"PROP"}  # Families whose values are bits of a field
# A class that does not exist is a register that does not exist: the core's error, and no malformed record. A run that has ended for a reason
# of a test bench's own is not done, as with the others.
NOT_CHECKED = {"CLASS", "BYE"}


def of_probe():
    """The records of a probe, in the order of a cycle."""
    return sorted((r for r in RECORDS if r.sender == PROBE), key=lambda r: CYCLE_ORDER.get(r.name, CYCLE_EARLIER))
