/* karat check: the verdict on a recorded run of a core, as the run itself gave it. */
#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core_desc.h"
#include "meta.h"
#include "peer.h"
#include "trace.h"

typedef struct check_options {
    const char *file, *json, *core;
    bool quiet, peer;
} check_options;

static const struct argp_option options[] = {
    {"core", 'c', "FILE", 0,
     "Judge by this description of the core, not by the one that the run had (docs/core-description.md)", 0},
    {"json", 'j', "FILE", 0, "Write verdict and report as JSON", 0},
    {"quiet", 'q', NULL, 0, "Print the verdict line only", 0},
    {"peer", 'p', NULL, 0,
     "Say in a further line what GVM's rules of comparison would have found in the whole recording (see "
     "+go-on)",
     0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    check_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case 'c': o->core = arg; return 0;
    case 'j': o->json = arg; return 0;
    case 'q': o->quiet = true; return 0;
    case 'p': o->peer = true; return 0;
    case ARGP_KEY_ARG:
        if (o->file)
            return cli_bad_option("%s: one trace at a time", arg);
        o->file = arg;
        return 0;
    case ARGP_KEY_END: return o->file ? 0 : cli_bad_option("expected a trace file");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "TRACE",
    .doc = "Judge a run of a core that was recorded with +record=FILE: the same verdict, report and JSON as "
           "the run "
           "itself gave."
           "\vA trace that was cut off is judged as far as it goes; INCOMPLETE, unless it holds a mismatch. "
           "Exit "
           "status: that of the verdict; 2 where the file is no trace, or damaged.",
};

/* Everything in the trace goes to the checker. Returns false where the trace is damaged. */
static bool replay(karat_trace_reader *reader, karat_trace_setup *setup, karat_checker *checker,
                   karat_peer *peer, karat_diag *diag) {
    karat_trace_entry entry;
    for (;;) {
        karat_trace_next(reader, &entry, diag);
        switch (entry.kind) {
        case KARAT_TRACE_RECORD:
            karat_checker_record(checker, entry.record, entry.size);
            if (peer)
                karat_peer_record(peer, entry.record, entry.size);
            break;
        case KARAT_TRACE_TICK: karat_checker_tick(checker, entry.cycle); break;
        case KARAT_TRACE_OBJECT: karat_checker_object(checker, entry.cycle, entry.text); break;
        case KARAT_TRACE_CUT:
            karat_checker_cut(checker, "the trace was cut off: the run that wrote it did not end");
            return true;
        case KARAT_TRACE_BAD: return false;
        case KARAT_TRACE_END: return karat_trace_end_take(setup, entry.text, diag);
        }
    }
}

/* By that description, where there is one, or by what the trace says. */
static karat_checker *make_checker(karat_trace_setup *setup, const karat_core_desc *core) {
    if (core)
        karat_core_desc_use(core, &setup->config);
    return karat_checker_create(&setup->config);
}

static bool report(const check_options *o, const karat_checker *checker) {
    char line[1024];
    if (!o->quiet && karat_checker_verdict(checker) != KARAT_PASS)
        karat_checker_report(checker, stdout);
    karat_checker_line(checker, line, sizeof line);
    puts(line);
    if (!o->json)
        return true;
    FILE *file = fopen(o->json, "w");
    bool ok = file && karat_checker_report_json(checker, file);
    if (!file)
        cli_error("%s: cannot be written", o->json);
    return file && cli_close_output(file, o->json) && ok;
}

static void report_peer(const karat_peer *peer) {
    const karat_peer_result *r = karat_peer_outcome(peer);
    printf("gvm: %s compared=%" PRIu64 " errors=%" PRIu64, r->errors ? "FOUND" : "nothing found", r->compared,
           r->errors);
    if (r->errors)
        printf(" cycle=%" PRIu64 " instructions=%" PRIu64 "; %s", r->cycle, r->issued, r->first);
    puts(r->lost ? " (the reference lost the core)" : "");
}

int cmd_check(int argc, char **argv) {
    check_options o = {0};
    if (!cli_parse(&argp, argc, argv, &o))
        return CLI_BAD_INPUT;
    karat_diag diag;
    int status = CLI_BAD_INPUT;
    karat_trace_setup *setup = NULL;
    karat_checker *checker = NULL;
    karat_peer *peer = NULL;
    karat_core_desc *core = NULL;
    karat_trace_reader *reader = karat_trace_open(o.file, &diag);
    if (!reader) {
        cli_error("%s", diag.text);
    } else if (!(setup = karat_trace_setup_make(karat_trace_meta(reader), &diag))) {
        cli_error("%s: %s", o.file, diag.text);
    } else if (o.core && !(core = karat_core_desc_load(o.core, &diag))) {
        cli_error("%s", diag.text);
    } else if (!(checker = make_checker(setup, core)) ||
               (o.peer && !(peer = karat_peer_create(&setup->config)))) {
        cli_error("not enough memory");
    } else if (!replay(reader, setup, checker, peer, &diag)) {
        cli_error("%s", diag.text);
    } else {
        status = (int)karat_checker_verdict(checker);
        if (!report(&o, checker))
            status = CLI_BAD_INPUT;
        if (peer)
            report_peer(peer);
    }
    karat_peer_destroy(peer);
    karat_checker_destroy(checker);
    karat_core_desc_free(core);
    karat_trace_setup_free(setup);
    karat_trace_reader_free(reader);
    return status;
}
