/* Logs of other simulators as record streams: the common part, with a model that runs along.
 *
 * The records have the facts of the log. The model adds only facts that a log lacks and the records need: the
 * lanes of an access without lanes, and the instructions between those that the log names. */
#ifndef KARAT_IMPORT_H
#define KARAT_IMPORT_H

#include "port.h"
#include "log_lines.h"
#include "run_session.h"

/* --- The command line --- */

/* The files of a command that takes logs, and how the kernels ran. */
typedef struct import_options {
    session_options session; /* With the kernels, in launch order */
    char **logs;             /* Files that are no kernels, in their order */
    uint32_t num_logs;
    log_rules rules;   /* For lines that are not understood */
    bool recording;    /* The one file is a recording, or has no kernel */
    bool lacks_kernel; /* The one file is a log, and has no kernel */
    char **beside;     /* Names of kernels that were found by those of the logs */
    uint32_t num_beside;
} import_options;

/* Parser for these: a child of a subcommand's parser.  Its input is an import_options, zeroed. */
extern const struct argp import_argp;
void import_options_free(import_options *options);
#define IMPORT_DOC                                                                                           \
    "A log is the register log of an instruction-set simulator, one for each kernel, or the output of the "  \
    "Chisel Ventus core, one for all. KERNEL is the program that was run: .metadata with .data in the same " \
    "folder, or ELF; several ran one after the other on one memory (default: NAME.metadata beside each "     \
    "NAME.log)."

/* Enter the files as a command's inputs. */
void import_inputs(const import_options *options, karat_outputs *outputs);

/* --- A stream --- */

/* A warp slot, and the warp in it. */
typedef struct import_slot {
    uint32_t sm, index, handle; /* The handle is the model's warp */
    bool launched, ended;       /* Ever; ENDPRG was stepped */
    uint32_t epoch, seq;        /* Epoch of the warp in it; number of its next ISSUE */
    uint32_t workgroup, warp, group;
} import_slot;

typedef struct import_group {
    bool open;
    uint32_t workgroup, sm, left;
} import_group;

/* The CSRs that identify a warp, as it has read them first. */
typedef struct reported_csrs {
    uint32_t given; /* Bit i: csr[i]; bit KARAT_LAUNCH_MSTATUS: mstatus */
    uint32_t csr[KARAT_CSR_GDZ + 1], mstatus;
} reported_csrs;
/* Those that say which warp of its workgroup it is, and which workgroup. */
#define KARAT_REPORTED_WARP (1u << KARAT_CSR_TID | 1u << KARAT_CSR_WID)
#define KARAT_REPORTED_GROUP                                                                                 \
    (1u << KARAT_CSR_PDS | 1u << KARAT_CSR_GDX | 1u << KARAT_CSR_GDY | 1u << KARAT_CSR_GDZ)

typedef struct import_format import_format;
typedef struct importer {
    const import_format *format; /* Found by the contents of the logs */
    session session;
    karat_model *model;
    log_lines *lines; /* The lines of each log; a format's open() may take them over */
    uint32_t num_logs;
    bool gave_up;              /* A warp was given up: its remaining completions are unknown */
    uint32_t withheld;         /* Records that the format provides, but not these logs */
    uint32_t num_sm, num_warp; /* SMs of the device; warp slots of each SM */
    import_slot *slots;
    import_group *groups;
    karat_port_sink *sink; /* Where the records go */
    void *context;
    uint64_t cycle;                     /* The current line of the log */
    uint32_t next_kernel;               /* To begin */
    uint64_t launched, ended, expected; /* Warps of the kernel begun last; expected: that start */
    uint64_t numbers;                   /* Of its warps, those that do not start counted too */
    uint64_t warps, records;            /* Of all kernels */
    bool interrupted;                   /* By a signal: the stream ends there */
    karat_commit commit;                /* Of the last step */
    void *parsed;                       /* The format's own */
} importer;

/* Load the kernels, read and check the logs, and say which format they have; options->session is the
 * importer's from then on. False: an error was reported.  import_close() in any case. */
bool import_open(importer *imp, import_options *options);
void import_close(importer *imp);
/* Give all records to that sink.  False: an error was reported. */
bool import_run(importer *imp, karat_port_sink *sink, void *context);
/* Every warp of every kernel has ended. */
bool import_is_complete(const importer *imp);

/* --- For formats --- */

struct import_format {
    const char *name;
    /* Whether a log of this format has such a line. */
    bool (*begins)(const char *line);
    /* Records that such a log provides, and the other fields of HELLO. */
    uint32_t gives, props;
    uint8_t mem_order;
    bool one_each; /* Each kernel has a log; else one log has all */
    /* Read and check the logs; set num_sm and num_warp.  False: an error was reported. */
    bool (*open)(importer *imp);
    /* Write the records between HELLO and BYE. False: an error was reported. */
    bool (*run)(importer *imp);
    void (*close)(importer *imp);
};

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

/* A warp begins in that slot; *desc is the model's launch, *r the fields of LAUNCH other than place and
 * number.  False: one line has been said. */
bool import_launch(importer *imp, import_slot *slot, uint32_t workgroup, uint32_t warp,
                   karat_launch_desc *desc, karat_rec_launch *r);

/* Step the model's warp into imp->commit. */
karat_status import_step(importer *imp, import_slot *slot);

/* Set *record to a MEM record of the slot, without lanes; op: KARAT_MEM_*. */
void import_mem(const importer *imp, const import_slot *slot, uint32_t seq, unsigned op,
                karat_rec_mem *record);
void import_mem_lane(karat_rec_mem *record, uint32_t lane, uint32_t addr, uint32_t data, unsigned bytes);

/* The old value of a CSR that an instruction reads into its rd: which CSR, or -1. */
int32_t import_csr_read(uint32_t word);
/* A warp has read such a value: keep it, where it is of a CSR of *reported and the first. */
void import_reported(reported_csrs *reported, uint32_t word, uint32_t value);
/* Whether those of these CSRs (bits) that were reported are that warp's. */
bool import_fits(const reported_csrs *reported, uint32_t csrs, const karat_kernel *kernel, uint32_t threads,
                 uint32_t workgroup, uint32_t warp);

#endif
