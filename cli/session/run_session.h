/* Kernels of the command line on one model: options, address spaces, and runs by the library's scheduler
 * (karat/sched.h). */
#ifndef KARAT_CLI_RUN_SESSION_H
#define KARAT_CLI_RUN_SESSION_H

#include "cli.h"
#include "paging.h"
#include "warp_places.h"

/* The options of the command line; 0: the default. */
typedef struct session_options {
    uint64_t threads, warps, resident, max_steps, seed;
    karat_schedule schedule;
    bool single_steps;     /* --schedule=rr: no slices */
    bool has_profile;      /* --profile was given; else the kernels' files say which */
    karat_profile profile; /* Known once the session is open */
    karat_simt_order simt_order;
    uint32_t deviations; /* KARAT_DEV_* */
    bool sv39;           /* Translate: with the identity, or, where drawn, by a layout that sv39_seed draws */
    bool drawn;
    uint64_t sv39_seed;
    karat_page_change *pages; /* Page changes of all kernels */
    uint32_t num_pages;
    karat_launch_spec launch; /* Launch of the one file, if any */
    char **files;
    uint32_t num_files;
    bool may_lack_files; /* The parser does not ask for any */
} session_options;

/* Parser for these options and the kernel files: a child of a subcommand's parser.  Its input is a
 * session_options, zeroed. session_options_free(). */
extern const struct argp session_argp;
/* Parser like session_argp, without the scheduling options. */
extern const struct argp device_argp;
/* Translation, beside one of them: the same input. */
extern const struct argp space_argp;
void session_options_free(session_options *options);

typedef struct session {
    session_options options;
    karat_kernel **kernels;
    uint32_t num_kernels;
    karat_model *model;
    karat_paging *paging; /* Address spaces of the kernels */
    uint64_t steps;       /* Steps of all kernels run so far */
    karat_sched *sched;   /* The scheduler of the kernel that ran last */
    const struct session_hooks *hooks;
    karat_diag failure;          /* Why it could not be placed */
    karat_sched_result unplaced; /* Result of such a kernel */
} session;

/* Load every kernel and make the model.  False: an error was reported.  session_close() in any case. */
bool session_open(session *s, const session_options *options);
void session_close(session *s);

/* The host's accesses to memory, by virtual address where there is translation: karat_read(),
 * karat_write(). */
karat_status session_read(const session *s, uint64_t addr, void *bytes, size_t size);
karat_status session_write(session *s, uint64_t addr, const void *bytes, size_t size);

/* The scheduler's, and two of the session, which may be NULL. Without a tick hook SIGINT and SIGTERM
 * interrupt the run all the same. */
typedef struct session_hooks {
    karat_sched_hooks sched;
    /* The kernel's memory has been laid out; false: memory is short. */
    bool (*placed)(void *context);
    /* The host has written to device memory, for printing. */
    void (*host_write)(void *context, uint64_t addr, const void *bytes, size_t size);
} session_hooks;

/* Place a kernel, in the address space if there is one, and run it to its end. The result is valid until the
 * next run of the session. hooks must live until then. */
const karat_sched_result *session_run(session *s, karat_kernel *kernel, const session_hooks *hooks);

/* The places of the warps of the kernel that ran last, where its end concerns all of them; none otherwise.
 * karat_places_free(). */
void session_places(const session *s, const karat_kernel *kernel, karat_places *places);

/* One line about an end other than KARAT_SCHED_DONE and KARAT_SCHED_STOPPED, without a newline. */
#define SCHED_TEXT_SIZE 1024
const char *session_describe(const session *s, const karat_kernel *kernel, const karat_sched_result *result,
                             char text[SCHED_TEXT_SIZE]);

/* One line about behaviour that is undefined and with which the run went on; NULL: there was none. */
const char *session_flagged(const session *s, const karat_kernel *kernel, const karat_sched_result *result,
                            char text[SCHED_TEXT_SIZE]);

/* META of a recording of a run on the session's model, with its kernels; NULL: memory is short. The caller
 * frees it. */
char *session_meta(const session *s);

#endif
