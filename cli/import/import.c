/* Command karat import: the log of another simulator as a recording. */
#include "import.h"
#include "interrupt.h"
#include "meta.h"
#include "progress.h"
#include "results.h"
#include "subcommands.h"
#include "trace.h"
#include "staged_file.h"

#include <stdlib.h>

enum { OPT_JSON = 768 };

typedef struct command_options {
    import_options input;
    const char *out;
} command_options;

static const struct argp_option options[] = {
    {"output", 'o', "TRACE", 0, "Write the recording to this file", 2},
    RESULTS_OPTION(OPT_JSON, 2),
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    command_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        cli_one_line(state);
        state->child_inputs[0] = &o->input;
        return 0;
    case 'o': o->out = arg; return 0;
    case OPT_JSON: results_as_json(); return 0;
    case ARGP_KEY_END:
        if (o->input.recording)
            return cli_bad_option("%s: expected a log, and its kernel after it or beside it",
                                  o->input.logs[0]);
        return o->out ? 0 : cli_bad_option("expected the recording to write (-o TRACE)");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&import_argp, 0, NULL, 0}, {0}};
const struct argp cmd_import_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "LOG... [KERNEL...]",
    .doc =
        "Make a recording of the log of another simulator, as karat check judges such a log. " IMPORT_DOC
        "\vIn the report of karat check, a cycle is a line of the log; where there is a log for each kernel, "
        "the lines of the next continue at the next full million. Information that a format lacks is named "
        "in "
        "the verdict as unchecked. Exit status: 0; 2 where an input cannot be used, and no recording is "
        "written; 5 at SIGINT or SIGTERM, and the recording has the lines up to there.",
    .children = children,
};

static bool write_trace(importer *imp, const char *out) {
    char *meta = session_meta(&imp->session), *end = karat_trace_end_make(NULL);
    karat_diag diag = {.text = "not enough memory"};
    karat_staged_file whole;
    karat_trace_writer *writer = NULL;
    bool good = meta && end && karat_staged_reserve(&whole, out, &diag);
    if (good && !(writer = karat_trace_create_as(whole.next, out, meta, &diag))) {
        karat_staged_drop(&whole);
        good = false;
    }
    if (!good)
        cli_error("%s", diag.text);
    if (writer) {
        good = import_run(imp, karat_trace_record, writer);
        const bool closed = karat_trace_close(writer, end, &diag);
        const bool done = good && closed && karat_staged_end(&whole, &diag);
        if (good && !done)
            cli_error("%s", diag.text);
        if (!good || !closed)
            karat_staged_drop(&whole);
        good = done;
    }
    free(meta);
    free(end);
    return good;
}

static int report(const importer *imp, const char *out) {
    const int status = imp->interrupted ? CLI_INCOMPLETE : CLI_OK;
    karat_progress_hide();
    if (!results_are_json())
        return status;
    return results_put(json_pack("{s:s, s:o, s:I, s:I, s:I, s:b}", "format", imp->format->name, "trace",
                                 results_name(out), "kernels", (json_int_t)imp->next_kernel, "warps",
                                 (json_int_t)imp->warps, "records", (json_int_t)imp->records, "complete",
                                 import_is_complete(imp)))
               ? status
               : CLI_BAD_INPUT;
}

int cmd_import(int argc, char **argv) {
    command_options o = {0};
    karat_outputs outputs = {0};
    importer imp = {0};
    int status = CLI_BAD_INPUT;
    if (cli_parse(&cmd_import_argp, argc, argv, &o)) {
        karat_outputs_write(&outputs, o.out);
        import_inputs(&o.input, &outputs);
        if (cli_begin_outputs(&outputs)) {
            karat_interrupt_catch();
            if (import_open(&imp, &o.input) && write_trace(&imp, o.out))
                status = report(&imp, o.out);
        }
    }
    import_close(&imp);
    import_options_free(&o.input);
    return status;
}
