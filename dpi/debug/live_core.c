#include "live_core.h"

#include <stdlib.h>
#include <string.h>

#include "port.h"

enum { HANDLES = KARAT_PORT_SLOTS };

struct karat_live_core {
    const karat_check_config *config;
    karat_check_watch watch;
    karat_checker *checker;
    karat_debugger *d;
    karat_rec_kernel kernel;
    uint32_t num_warp;    /* Slots of an SM */
    uint32_t num_kernels; /* Kernels that have begun */
    bool over;            /* A verdict stands */
    bool begun;           /* A warp was launched, so that there is something to look at: position 0 */
};

/* The workgroup's number is in its CSRs (section 2.3). */
static void on_launch(void *context, const karat_model *model, uint32_t warp, const karat_launch_desc *desc,
                      uint32_t warps) {
    const karat_live_core *b = context;
    const uint32_t *csr = desc->csr, *grid = b->kernel.grid;
    (void)warps;
    machine_warp *w = karat_machine_launch(b->d->machine, model, warp,
                                           csr[KARAT_CSR_GDX] +
                                               grid[0] * (csr[KARAT_CSR_GDY] + grid[1] * csr[KARAT_CSR_GDZ]),
                                           csr[KARAT_CSR_WID]);
    w->in_slot = true;
    w->sm = warp / b->num_warp;
    w->slot = warp % b->num_warp;
}

static void on_step(void *context, const karat_model *model, uint32_t warp, const karat_commit *commit) {
    const karat_live_core *b = context;
    (void)model;
    karat_debugger_step(b->d, warp, commit);
}

karat_live_core *karat_live_core_create(const karat_check_config *config) {
    karat_live_core *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->config = config;
    b->num_warp = 1;
    b->watch = (karat_check_watch){b, on_launch, on_step};
    return b;
}

void karat_live_core_destroy(karat_live_core *b) {
    free(b);
}

const karat_check_watch *karat_live_core_watch(karat_live_core *b) {
    return &b->watch;
}

static bool has_failed(const karat_live_core *b) {
    const karat_verdict verdict = karat_checker_verdict(b->checker);
    return b->over && verdict != KARAT_PASS;
}

static void report(void *context, FILE *out) {
    const karat_live_core *b = context;
    if (has_failed(b))
        karat_checker_report(b->checker, out);
    else
        fputs("no mismatch has been found so far\n", out);
}

karat_debug_config karat_live_core_config(karat_live_core *b, const char *source) {
    return (karat_debug_config){.num_warp = HANDLES, .source = source, .report = report, .context = b};
}

void karat_live_core_begin(karat_live_core *b, karat_checker *checker, karat_debugger *debugger) {
    b->checker = checker;
    b->d = debugger;
}

static void begin_kernel(karat_live_core *b, const karat_rec_kernel *r) {
    const karat_check_config *c = b->config;
    const uint32_t i = b->num_kernels++;
    b->kernel = *r;
    b->d->machine->kernel =
        (machine_kernel){.index = i,
                         .names = {i < c->num_kernels && c->kernels ? c->kernels[i] : NULL,
                                   i < c->num_kernels && c->lines ? c->lines[i] : NULL, c->model.profile},
                         .grid = {r->grid[0], r->grid[1], r->grid[2]},
                         .wg_size = r->wg_size,
                         .start = r->pc};
}

/* The first line of the report. */
static void first_line(const karat_checker *checker, char text[STOPS_TEXT]) {
    char *all = NULL;
    size_t size;
    FILE *out = open_memstream(&all, &size);
    text[0] = 0;
    if (!out)
        return;
    karat_checker_report(checker, out);
    if (!fclose(out))
        snprintf(text, STOPS_TEXT, "%.*s", (int)strcspn(all, "\n"), all);
    free(all);
}

bool karat_live_core_record(void *live, const void *record, size_t size) {
    karat_live_core *b = live;
    const karat_rec_header *h = record;
    if (b->over)
        return true;
    if (h->kind == KARAT_REC_HELLO && ((const karat_rec_hello *)record)->num_warp)
        b->num_warp = ((const karat_rec_hello *)record)->num_warp;
    if (h->kind == KARAT_REC_KERNEL)
        begin_kernel(b, record);
    b->over = karat_checker_record(b->checker, record, size);
    const uint32_t handle = (uint32_t)h->sm * b->num_warp + h->slot;
    const bool is_slot = handle < HANDLES && h->slot < b->num_warp;
    if (is_slot)
        karat_machine_record(b->d->machine, handle, record);
    if (has_failed(b)) {
        char text[STOPS_TEXT];
        uint32_t failed = is_slot ? handle : 0;
        karat_checker_failed_warp(b->checker, &failed);
        first_line(b->checker, text);
        karat_debugger_mismatch(b->d, failed, text);
    }
    if (b->begun) {
        karat_debugger_event(b->d);
    } else if (b->over || b->d->machine->launched) {
        b->begun = true;
        karat_debugger_begin(b->d);
    }
    return b->over;
}

_Noreturn void karat_live_core_end(karat_live_core *b) {
    static char text[KARAT_LINE_ROOM];
    karat_checker_line(b->checker, text, sizeof text);
    karat_debugger_end(b->d, (int)karat_checker_verdict(b->checker), text);
}
