/* The register logs of the instruction-set simulator (format: docs/import.md), in all the dialects that it
 * has printed. */
#ifndef KARAT_LOG_H
#define KARAT_LOG_H

#include "import.h"
#include "text.h"

#define LOG_NONE UINT32_MAX

/* A trap that the simulator has taken. */
typedef struct log_trap {
    uint32_t line; /* 0: there is none */
    uint32_t pc, value;
    bool has_value;
    char name[48];
} log_trap;

/* One warp's life: from the boot ROM to its ENDPRG, or to a trap. */
typedef struct log_run {
    uint32_t core, index;     /* The core's index-th run */
    uint32_t workgroup, warp; /* The warp of the kernel that it is (log_assign) */
    uint32_t line;            /* Where it begins */
    log_trap trap;
    uint32_t x[KARAT_NUM_X]; /* Registers after the boot ROM */
    uint64_t x_given;        /* Bit i: the boot ROM wrote x[i] */
    reported_csrs reported;
    /* The first access to private memory: its instruction's pc, and the first lane's address. */
    bool has_private;
    uint32_t private_pc, private_addr;
} log_run;

/* The dialect of a log, among the forms of the simulator over time. */
typedef enum log_form {
    LOG_COMMITS_ONLY = 1 << 0, /* No disassembly lines */
    LOG_BOOT = 1 << 1,         /* Instructions of the boot ROM come first */
    LOG_SIMT_FIELDS = 1 << 2,  /* SIMT state on the commit line */
    LOG_SIMT_BLOCKS = 1 << 3,  /* SIMT state is on lines of its own */
    LOG_BOTTOM_FIRST = 1 << 4, /* The stack's oldest entry is printed first */
    LOG_NO_SIMT = 1 << 5,      /* SIMT state is nowhere, though there are instructions that change it */
    LOG_V_WORDS = 1 << 6,      /* Vectors are printed as words */
    LOG_V_NUMBER = 1 << 7,     /* Vectors are printed as one number */
    LOG_V_MASK = 1 << 8,       /* Vectors have the thread mask */
    LOG_V_BARE = 1 << 9,       /* Vectors have no thread mask */
    LOG_WIDE = 1 << 10,        /* Values have 64 bits */
    LOG_NARROW_DATA = 1 << 11, /* Bytes may have one hex digit */
    LOG_SHORT_WORDS = 1 << 12, /* Some instructions have 16 bits */
    LOG_TRAPS = 1 << 13,
    LOG_THROUGH = 1 << 14,      /* The N of core N counts through all workgroups */
    LOG_ONE_WARP = 1 << 15,     /* The log has one warp of several */
    LOG_ONE_WORKGROUP = 1 << 16 /* The log has one workgroup of several */
} log_form;

typedef struct log_file log_file;

#define LOG_MAX_WRITE 8
#define LOG_MAX_CSR   8

typedef struct log_x {
    uint32_t reg, value;
} log_x;
typedef struct log_v {
    uint32_t reg, mask;
    bool has_mask;
    uint32_t value[KARAT_MAX_THREAD]; /* Values by lane */
} log_v;
typedef struct log_csr {
    uint32_t csr, value;
} log_csr;
typedef struct log_access {
    uint32_t addr, value;
    uint8_t stored; /* Bytes stored; 0: it has no data */
} log_access;

/* The fields of a commit line. */
typedef struct log_fields {
    const log_file *log;
    uint32_t num_x, num_v, num_csr, num_mem;
    log_x x[LOG_MAX_WRITE];
    log_v v[LOG_MAX_WRITE];
    log_csr csr[LOG_MAX_CSR];
    log_access mem[2 * KARAT_MAX_ACCESS];
    bool has_config; /* The line has sew, lmul and vl */
    uint32_t sew, vl;
    uint32_t lmul, fraction; /* LMUL, or one part of fraction (then lmul is 0) */
    bool has_simt;           /* The line has mask, npc, depth, and entries in log_commit.stack */
    uint32_t mask, npc, depth;
    uint32_t forms;     /* Bits of log_form that the fields have */
    uint32_t num_words; /* Words of the vectors */
} log_fields;

/* A commit line, with the lines of SIMT state that follow it. */
typedef struct log_commit {
    uint32_t line, pc, word;
    uint32_t run; /* The run whose commit it is */
    bool is_trap; /* The run ends in a trap here, without a commit (log_run.trap) */
    log_fields fields;
    bool has_block;          /* SIMT state on lines of its own */
    karat_simt_entry *stack; /* SIMT stack entries as they are printed: log_entry() */
    uint32_t num_stack;
} log_commit;

struct log_file {
    log_lines lines;
    uint32_t lanes, words; /* Lanes of a vector, and words that the log prints of one (0: none seen) */
    uint32_t forms;        /* Bits of log_form */
    uint64_t num_commits;
    log_run *runs;
    uint32_t num_runs;
};

/* Takes a commit.  False: no further ones. */
typedef bool log_sink(void *context, const log_commit *commit);

/* Read the lines that were opened, and are the log's from now on, once: dialect, runs and their CSRs. Vectors
 * have that many lanes.  False: an error was reported.  log_close() in any case. */
bool log_open(log_file *log, const log_lines *lines, uint32_t lanes);
/* Read a log that was opened once more, commit by commit.  False: an error was reported, or the sink wanted
 * no more. */
bool log_read(log_file *log, log_sink *sink, void *context);
void log_close(log_file *log);

/* Take a commit line's fields apart.  False: the cursor is at the field that is none. */
bool log_take_fields(const log_file *log, text_cursor *cursor, log_fields *fields);

/* Whether that is a line of a core, and where it begins: a program's output or a time may stand before it. */
bool log_begins(const char *line, text_cursor *at);

/* A value as the simulator prints it: 0x and 8 hex digits, or 16 with the upper ones a sign or zero. */
bool log_take_value(text_cursor *cursor, uint32_t *value, uint32_t *forms);
/* A part of a SIMT state: its name, and hex digits (8 or 16 of them, but of "stack size:", which has as many
 * as it needs). */
bool log_take_part(text_cursor *cursor, const char *name, uint32_t *value);

/* The entry i of the SIMT stack after a commit, the top being 0. */
const karat_simt_entry *log_entry(const log_file *log, const log_commit *commit, uint32_t i);

/* Which warps of the kernel the log's runs are: log_run.workgroup and warp, and the forms that show it.
 * False: they are not the kernel's: an error was reported. */
bool log_assign(log_file *log, const karat_kernel *kernel, uint32_t threads);

/* Where private memory of the kernel's workgroups is, as their warps have read or used it: by workgroup, or
 * by resident slot, which the kernel and the runs' CSR_PDS then say. Call it after log_assign(). */
void log_find_private(log_file *log, karat_kernel *kernel, uint32_t threads);

/* One line on stdout: the dialect; one more where lines of other programs were passed over. */
void log_say(const log_file *log);

#endif
