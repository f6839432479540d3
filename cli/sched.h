/* Dispatch of workgroups and scheduling of warps over the model. */
#ifndef KARAT_SCHED_H
#define KARAT_SCHED_H

#include "cli.h"
#include "unwritten.h"
#include "where.h"

typedef enum sched_kind {
    SCHED_ROUND_ROBIN, /* one step of every runnable warp in turn */
    SCHED_WARP,        /* the lowest runnable warp, until it ends or waits */
    SCHED_RANDOM       /* any runnable warp, by seed */
} sched_kind;

/* --- A sequence of kernels on one model --- */

/* The options of the command line; 0: the default. */
typedef struct session_options {
    uint64_t threads, warps, resident, max_steps, seed;
    sched_kind kind;
    bool single_steps;     /* --schedule=rr: no slices */
    bool has_profile;      /* --profile was given; else the kernels' files say which */
    karat_profile profile; /* once the session is open */
    karat_simt_order simt_order;
    uint32_t deviations; /* KARAT_DEV_* */
    bool sv39;           /* translate: with the identity, or, where drawn, by a layout that sv39_seed draws */
    bool drawn;
    uint64_t sv39_seed;
    karat_page_change *pages; /* of all kernels */
    uint32_t num_pages;
    karat_launch_spec launch; /* of the one file, if any */
    char **files;
    uint32_t num_files;
    bool may_lack_files; /* the parser does not ask for any */
} session_options;

/* Parser for these options and the kernel files: a child of a subcommand's parser.  Its input is a
 * session_options, zeroed. session_options_free(). */
extern const struct argp session_argp;
/* The same without the scheduling options. */
extern const struct argp device_argp;
/* Translation, beside one of them: the same input. */
extern const struct argp space_argp;
void session_options_free(session_options *options);

typedef struct session {
    session_options options;
    karat_kernel **kernels;
    uint32_t num_kernels;
    karat_model *model;
    karat_space *space;              /* of the kernel that runs; NULL: no translation */
    karat_space **spaces;            /* of all kernels so far */
    uint32_t num_spaces, num_placed; /* kernels */
    uint64_t steps;                  /* of all kernels run so far */
} session;

/* Load every kernel and make the model.  False: an error was reported.  session_close() in any case. */
bool session_open(session *s, const session_options *options);
void session_close(session *s);

/* The host's accesses to memory, by virtual address where there is translation: karat_read(), karat_write(). */
karat_status session_read(const session *s, uint64_t addr, void *bytes, size_t size);
karat_status session_write(session *s, uint64_t addr, const void *bytes, size_t size);

/* --- One kernel --- */

typedef struct sched_event {
    uint32_t workgroup, warp; /* in the grid, in the workgroup */
    uint32_t handle;          /* the model's warp handle */
    const karat_commit *commit;
} sched_event;

typedef struct sched_progress {
    uint64_t steps, workgroups,
        num_workgroups; /* of the kernel: steps taken, workgroups ended, all of them */
} sched_progress;

/* Callbacks; every function may be NULL. Without goes_on and commit the warps run in slices (karat_run_slice()), with the same results. */
typedef struct sched_hooks {
    void *context;
    unwritten *unwritten; /* counts the uses of registers never written; NULL: nobody does */
    /* The kernel's memory has been laid out; false: it cannot be run, and an error was reported. */
    bool (*placed)(void *context);
    /* Before a warp's launch under that handle of the model: may change the descriptor. */
    void (*launch)(void *context, uint32_t workgroup, uint32_t warp, uint32_t handle,
                   karat_launch_desc *desc);
    /* Before every step of a warp; false: it takes no step any more, and waits for ever. */
    bool (*goes_on)(void *context, uint32_t workgroup, uint32_t warp, uint32_t handle);
    /* After every step; false: stop here. */
    bool (*commit)(void *context, const sched_event *event);
    /* A warp printed that text. */
    void (*print)(void *context, uint32_t workgroup, uint32_t warp, const char *text, size_t size);
    /* The host has written to device memory and set that warp's CSR_PRINT to 0, for printing. */
    void (*host_write)(void *context, uint64_t addr, const void *bytes, size_t size);
    void (*host_csr)(void *context, uint32_t handle, uint32_t csr, uint32_t value);
    /* Every 65,536 steps of the kernel: how far it is. */
    void (*tick)(void *context, const sched_progress *progress);
    /* The run has not come to its end: the places of the live warps. A caller that keeps them leaves zeros. */
    void (*where)(void *context, karat_places *places);
} sched_hooks;

typedef enum sched_end {
    SCHED_DONE,          /* every warp has ended */
    SCHED_STOPPED,       /* by the commit hook */
    SCHED_PROGRAM_ERROR, /* see result.commit.error */
    SCHED_DEADLOCK,      /* every live warp waits at a barrier */
    SCHED_MAX_STEPS,     /* session_options.max_steps */
    SCHED_ENDLESS,       /* the whole state is that of an earlier step (endless.h) */
    SCHED_SIGNAL,        /* SIGINT or SIGTERM: interrupt.h */
    SCHED_PRINT_ERROR,   /* CSR_PRINT was written without a print buffer: result.failure */
    SCHED_FAILED         /* see result.failure */
} sched_end;

typedef struct sched_result {
    sched_end end;
    uint64_t steps, warps, workgroups;        /* done in this kernel: steps, warps and workgroups ended */
    uint64_t warnings[KARAT_NUM_WARNING];     /* steps that raised each */
    uint64_t deviations[KARAT_NUM_DEVIATION]; /* steps that each changed */
    karat_error flagged;                      /* the first one: karat_commit.flagged */
    uint32_t flagged_workgroup, flagged_warp;
    uint32_t workgroup, warp; /* where it ended, unless it is done */
    uint32_t waiting;         /* deadlock: warps that wait */
    uint64_t again[2];        /* endless: the steps of the kernel after which its state is the same */
    char failure[160];
    karat_commit commit; /* the last one */
} sched_result;

/* Place a kernel, in the address space if there is one, and run it to its end.  hooks may be NULL. */
void sched_run(session *on, karat_kernel *kernel, const sched_hooks *hooks, sched_result *result);

/* One line about an end other than SCHED_DONE and SCHED_STOPPED, without a newline. */
#define SCHED_TEXT_SIZE 1024
const char *sched_describe(const session *s, const karat_kernel *kernel, const sched_result *result,
                           char text[SCHED_TEXT_SIZE]);

#endif
