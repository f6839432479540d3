/* The common part of the importers of foreign logs: a recording being written, and a model that runs along.
 *
 * The records have the facts of the log. The model adds only facts that a log lacks and the records need: the lanes of an
 * access without lanes, and the instructions between those that the log names. */
#ifndef KARAT_IMPORT_H
#define KARAT_IMPORT_H

#include "karat_port.h"
#include "sched.h"
#include "trace.h"

/* A warp slot, and the warp in it. */
typedef struct import_slot {
    uint32_t sm, index, handle; /* handle: the model's warp */
    bool launched, ended;       /* ever; ENDPRG was stepped */
    uint32_t epoch, seq;        /* of the warp in it; of its next ISSUE */
    uint32_t workgroup, warp, group;
} import_slot;

typedef struct import_group {
    bool open;
    uint32_t workgroup, sm, left;
} import_group;

typedef struct importer {
    session *session;
    karat_model *model;
    char **logs;
    uint32_t num_logs;
    bool gave_up;              /* on a warp: its remaining completions are unknown */
    bool partial;              /* the first line that is not understood ends a log */
    uint32_t withheld;         /* records that the format provides, but not these logs */
    uint32_t num_sm, num_warp; /* of the device; warp slots of each SM */
    import_slot *slots;
    import_group *groups;
    karat_trace_writer *writer;
    uint64_t cycle;                     /* the current line of the log */
    uint32_t next_kernel;               /* to begin */
    uint64_t launched, ended, expected; /* warps of the kernel begun last */
    uint64_t warps, records;            /* of all kernels */
    bool interrupted;                   /* by a signal: the trace ends there */
    karat_commit commit;                /* of the last step */
    void *parsed;                       /* the format's own */
} importer;

/* A log format. */
typedef struct import_format {
    const char *name;
    /* Records that such a log provides, and the other fields of HELLO. */
    uint32_t gives, props;
    uint8_t mem_order;
    bool one_each; /* one log for each kernel, by default beside it; else one log for all */
    /* Read and check the logs; set num_sm and num_warp.  False: an error was reported. */
    bool (*open)(importer *imp);
    /* Write the records between HELLO and BYE. False: an error was reported. */
    bool (*run)(importer *imp);
    void (*close)(importer *imp);
} import_format;

extern const import_format import_log, import_chisel;

/* A record's header, of that slot (NULL: none) and the current line. */
karat_rec_header import_header(const importer *imp, unsigned kind, const import_slot *slot);
void import_put(importer *imp, const void *record);
/* Before each line of a log: true where a signal has ended the import, which is noted. */
bool import_stops(importer *imp);

/* The session's next kernel begins: REGION, HOST, KERNEL.  False: an error was reported. */
bool import_kernel(importer *imp);
/* The kernel that was begun last. */
const karat_kernel *import_current(const importer *imp);

/* A warp begins in that slot; *desc is the model's launch, *r the fields of LAUNCH other than place and number.  False: one
 * line has been said. */
bool import_launch(importer *imp, import_slot *slot, uint32_t workgroup, uint32_t warp,
                   karat_launch_desc *desc, karat_rec_launch *r);

/* Step the model's warp into imp->commit. */
karat_status import_step(importer *imp, import_slot *slot);

/* Set *record to a MEM record of the slot for the access in *mem (NULL: not known), without lanes. */
void import_mem(const importer *imp, const import_slot *slot, uint32_t seq, const karat_mem *mem, unsigned op,
                karat_rec_mem *record);
void import_mem_lane(karat_rec_mem *record, uint32_t lane, uint32_t addr, uint32_t data, unsigned bytes);

/* The old value of a CSR that an instruction reads into its rd: which CSR, or -1. */
int32_t import_csr_read(uint32_t word);

#endif
