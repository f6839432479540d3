/* karat debug check: a recorded run of a core, beside the model. */
#include "debug.h"
#include "check.h"
#include "meta.h"
#include "port.h"
#include "trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HANDLES = KARAT_PORT_SLOTS };

typedef struct follower {
    karat_debugger *d;
    karat_checker *checker;
    const karat_trace_setup *setup;
    uint32_t num_warp;              /* slots of an SM */
    uint32_t kernel;                /* that has begun; from 1 */
    const karat_rec_launch *launch; /* being taken */
    bool failed;
} follower;

static uint32_t handle_of(const follower *f, const karat_rec_header *h) {
    return (uint32_t)h->sm * f->num_warp + h->slot;
}

static void on_launch(void *context, const karat_model *model, uint32_t warp, const karat_launch_desc *desc,
                      uint32_t warps) {
    const follower *f = context;
    const karat_rec_launch *r = f->launch;
    (void)warps;
    machine_warp *w = karat_debugger_launch(f->d, model, warp, r ? r->workgroup : 0, r ? r->warp : 0, desc);
    w->in_slot = true;
    w->sm = warp / f->num_warp;
    w->slot = warp % f->num_warp;
}

static void on_step(void *context, const karat_model *model, uint32_t warp, const karat_commit *commit) {
    const follower *f = context;
    (void)model;
    karat_debugger_step(f->d, warp, commit);
}

static void begin_kernel(follower *f, const karat_rec_kernel *r) {
    const karat_check_config *c = &f->setup->config;
    const uint32_t i = f->kernel++;
    const machine_kernel kernel = {.index = i,
                                   .names = {i < c->num_kernels && c->kernels ? c->kernels[i] : NULL,
                                             i < c->num_kernels && c->lines ? c->lines[i] : NULL,
                                             c->model.profile},
                                   .grid = {r->grid[0], r->grid[1], r->grid[2]},
                                   .wg_size = r->wg_size,
                                   .start = r->pc};
    karat_debugger_kernel(f->d, &kernel);
}

/* The first line of the report. */
static void first_line(const karat_checker *checker, char text[STOPS_TEXT]) {
    char *report = NULL;
    size_t size;
    FILE *out = open_memstream(&report, &size);
    text[0] = 0;
    if (!out)
        return;
    karat_checker_report(checker, out);
    if (!fclose(out))
        snprintf(text, STOPS_TEXT, "%.*s", (int)strcspn(report, "\n"), report);
    free(report);
}

static void take(follower *f, const void *record, size_t size) {
    const karat_rec_header *h = record;
    if (h->kind == KARAT_REC_HELLO)
        f->num_warp = ((const karat_rec_hello *)record)->num_warp;
    if (h->kind == KARAT_REC_KERNEL)
        begin_kernel(f, record);
    f->launch = h->kind == KARAT_REC_LAUNCH ? record : NULL;
    const bool over = karat_checker_record(f->checker, record, size);
    const uint32_t handle = handle_of(f, h);
    if (handle < HANDLES && h->slot < f->num_warp)
        karat_debugger_record(f->d, handle, record);
    const karat_verdict verdict = karat_checker_verdict(f->checker);
    if (over && !f->failed && verdict != KARAT_PASS) {
        char text[STOPS_TEXT];
        f->failed = true;
        first_line(f->checker, text);
        karat_debugger_mismatch(f->d, handle < HANDLES ? handle : 0, text);
    }
}

static _Noreturn void follow(follower *f, karat_trace_reader *reader) {
    static char text[1024];
    karat_diag diag = {""};
    karat_debugger_begin(f->d);
    for (;;) {
        karat_trace_entry entry;
        karat_trace_next(reader, &entry, &diag);
        switch (entry.kind) {
        case KARAT_TRACE_RECORD:
            take(f, entry.record, entry.size);
            karat_debugger_event(f->d);
            break;
        case KARAT_TRACE_TICK: karat_checker_tick(f->checker, entry.cycle); break;
        case KARAT_TRACE_OBJECT: karat_checker_object(f->checker, entry.cycle, entry.text); break;
        case KARAT_TRACE_CUT:
            karat_checker_cut(f->checker,
                              "the trace was cut off: the run that wrote it did not end"); /* fall through */
        case KARAT_TRACE_END:
            karat_checker_line(f->checker, text, sizeof text);
            karat_debugger_end(f->d, (int)karat_checker_verdict(f->checker), text);
        case KARAT_TRACE_BAD: karat_debugger_end(f->d, CLI_BAD_INPUT, diag.text);
        }
    }
}

static void report(void *context, FILE *out) {
    const follower *f = context;
    if (f->failed)
        karat_checker_report(f->checker, out);
    else
        fputs("no mismatch has been found so far\n", out);
}

int debug_check(debug_options *o) {
    const char *file = o->session.files[0];
    int status = CLI_BAD_INPUT;
    karat_diag diag;
    follower f = {.num_warp = 1};
    debug_front front = {.gdb = {-1}};
    const karat_check_watch watch = {&f, on_launch, on_step};
    const karat_debug_config config = {
        .num_warp = HANDLES, .source = "core", .report = report, .context = &f};
    karat_trace_setup *setup = NULL;
    karat_trace_reader *reader = karat_trace_open(file, &diag);
    if (!reader) {
        cli_error("%s", diag.text);
    } else if (!(setup = karat_trace_setup_make(karat_trace_meta(reader), &diag))) {
        cli_error("%s: %s", file, diag.text);
    } else {
        setup->config.watch = &watch;
        f.setup = setup;
        f.checker = karat_checker_create(&setup->config);
        if (!f.checker)
            cli_error("not enough memory");
        else if (debug_open(&front, o, &config, NULL)) {
            f.d = front.debugger;
            if (karat_debugger_start(f.d, &front.front, &status))
                follow(&f, reader);
            status = debug_status(status);
        }
    }
    debug_close(&front);
    karat_checker_destroy(f.checker);
    karat_trace_setup_free(setup);
    karat_trace_reader_free(reader);
    session_options_free(&o->session);
    return status;
}
