/* Command karat debug run: kernels on the model alone. */
#include "debug.h"
#include "run_where.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One kernel of the run. */
typedef struct follower {
    karat_debugger *d;
    session *s;
    bool begun;   /* The first event is ready */
    bool pending; /* A step's event is not over yet */
} follower;

static void on_launch(void *context, const karat_sched_warp *warp, karat_launch_desc *desc) {
    const follower *f = context;
    (void)desc;
    f->d->machine->writable = f->s->model;
    karat_machine_launch(f->d->machine, f->s->model, warp->handle, warp->workgroup, warp->warp);
}

static void end_event(follower *f) {
    if (!f->begun)
        karat_debugger_begin(f->d);
    else if (f->pending)
        karat_debugger_event(f->d);
    f->begun = true;
    f->pending = false;
}

/* Before each step: all that the last one has caused is done. */
static bool on_next(void *context, const karat_sched_warp *warp) {
    (void)warp;
    end_event(context);
    return true;
}

static bool on_commit(void *context, const karat_sched_warp *warp, const karat_commit *commit) {
    follower *f = context;
    karat_debugger_step(f->d, warp->handle, commit);
    f->pending = true;
    return true;
}

static void on_print(void *context, const karat_sched_warp *warp, const char *text, size_t size) {
    const follower *f = context;
    size_t n;
    for (const char *line;
         !karat_debugger_is_replay(f->d) && (line = karat_print_line(&text, &size, &n)) != NULL;) {
        printf("print wg=%" PRIu32 " warp=%" PRIu32 ": ", warp->workgroup, warp->warp);
        fwrite(line, 1, n, stdout);
        putchar('\n');
    }
}

static _Noreturn void follow(session *s, karat_debugger *d) {
    static char text[SCHED_TEXT_SIZE] = "there is no kernel";
    follower f = {.d = d, .s = s};
    const session_hooks hooks = {
        .sched = {
            .context = &f, .launch = on_launch, .goes_on = on_next, .commit = on_commit, .print = on_print}};
    bool good = true;
    for (uint32_t i = 0; good && i < s->num_kernels; i++) {
        const karat_kernel *k = s->kernels[i];
        d->machine->kernel = (machine_kernel){.index = i,
                                              .names = {k, session_lines(s, k), s->options.profile},
                                              .grid = {k->grid[0], k->grid[1], k->grid[2]},
                                              .wg_size = k->wg_size,
                                              .start = k->start_addr};
        f.pending = f.begun; /* A kernel's start is an event */
        const karat_sched_result *r = session_run(s, s->kernels[i], &hooks);
        good = r->end == KARAT_SCHED_DONE;
        if (r->end == KARAT_SCHED_PROGRAM_ERROR && r->commit.error.kind) {
            const machine_warp *w = karat_machine_in_grid(d->machine, r->at.workgroup, r->at.warp);
            if (w)
                karat_debugger_step(d, w->handle, &r->commit);
            f.pending = true;
        }
        end_event(&f);
        session_describe(s, s->kernels[i], r, text);
    }
    karat_debugger_end(d, good ? CLI_OK : CLI_PROGRAM_ERROR, text);
}

/* A file that gdb can load: the first ELF file. */
static const char *first_elf(const session_options *o) {
    char magic[4] = "";
    FILE *f = o->num_files ? fopen(o->files[0], "rb") : NULL;
    const bool is = f && fread(magic, 1, 4, f) == 4 && memcmp(magic, "\177ELF", 4) == 0;
    if (f)
        fclose(f);
    return is ? o->files[0] : NULL;
}

int debug_run(session_options *options, const karat_debug_options *how) {
    session s = {0};
    karat_debugger *d = NULL;
    karat_diag diag;
    int status = CLI_BAD_INPUT;
    if (session_open(&s, options)) {
        const karat_debug_config config = {.num_warp = karat_get_config(s.model)->max_warp,
                                           .source = "model"};
        d = karat_debug_open(how, &config, first_elf(&s.options), &diag);
        if (!d)
            cli_error("%s", diag.text);
        else if (karat_debugger_start(d, &status))
            follow(&s, d);
        else
            status = debug_status(status);
    }
    karat_debugger_destroy(d);
    session_close(&s);
    return status;
}
