/* karat debug check: a recorded run of a core, beside the model. */
#include "beside.h"
#include "debug.h"
#include "meta.h"
#include "trace.h"

#include <sys/stat.h>

static _Noreturn void follow(karat_beside *beside, karat_checker *checker, karat_debugger *d,
                             karat_trace_reader *reader) {
    karat_diag diag = {""};
    karat_beside_begin(beside, checker, d);
    for (;;) {
        karat_trace_entry entry;
        karat_trace_next(reader, &entry, &diag);
        switch (entry.kind) {
        case KARAT_TRACE_RECORD: karat_beside_record(beside, entry.record, entry.size); break;
        case KARAT_TRACE_TICK: karat_checker_tick(checker, entry.cycle); break;
        case KARAT_TRACE_OBJECT: karat_checker_object(checker, entry.cycle, entry.text); break;
        case KARAT_TRACE_CUT:
            karat_checker_cut(checker,
                              "the trace was cut off: the run that wrote it did not end"); /* fall through */
        case KARAT_TRACE_END: karat_beside_end(beside);
        case KARAT_TRACE_BAD: karat_debugger_end(d, CLI_BAD_INPUT, diag.text);
        }
    }
}

/* False: a line in *diag. */
static bool run(const debug_options *o, karat_trace_reader *reader, karat_trace_setup *setup, int *status,
                karat_diag *diag) {
    karat_beside *beside = karat_beside_create(&setup->config);
    karat_debug_session session = {.gdb = {-1}};
    karat_checker *checker = NULL;
    bool good = false;
    snprintf(diag->text, sizeof diag->text, "not enough memory");
    if (beside) {
        const karat_debug_config config = karat_beside_config(beside, "recording");
        setup->config.watch = karat_beside_watch(beside);
        checker = karat_checker_create(&setup->config);
        good = checker && karat_debug_open(&session, &o->how, &config, NULL, diag);
    }
    if (good && karat_debugger_start(session.debugger, &session.front, status))
        follow(beside, checker, session.debugger, reader);
    karat_debug_close(&session);
    karat_checker_destroy(checker);
    karat_beside_destroy(beside);
    return good;
}

int debug_check(debug_options *o) {
    const char *file = o->session.files[0];
    int status = CLI_BAD_INPUT;
    karat_diag diag;
    struct stat about;
    /* a pipe cannot be read again, for the way back */
    const bool is_stream = !stat(file, &about) && !S_ISREG(about.st_mode);
    snprintf(diag.text, sizeof diag.text, "%s: expected a file, not a pipe or a folder", file);
    karat_trace_reader *reader = is_stream ? NULL : karat_trace_open(file, &diag);
    karat_trace_setup *setup = reader ? karat_trace_setup_make(karat_trace_meta(reader), &diag) : NULL;
    if (!reader)
        cli_error("%s", diag.text);
    else if (!setup)
        cli_error("%s: %s", file, diag.text);
    else if (run(o, reader, setup, &status, &diag))
        status = debug_status(status);
    else
        cli_error("%s", diag.text);
    karat_trace_setup_free(setup);
    karat_trace_reader_free(reader);
    session_options_free(&o->session);
    return status;
}
