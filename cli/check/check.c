/* Command karat check: the verdict on a recorded run of a core, as the run itself gave it, or on a log of
 * another simulator. */
#include "subcommands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "colour.h"
#include "core_desc.h"
#include "cov.h"
#include "import.h"
#include "interrupt.h"
#include "meta.h"
#include "progress.h"
#include "results.h"
#include "tally.h"
#include "trace.h"

enum { OPT_COVERAGE = 256, OPT_CONTINUE, OPT_RECORDS, OPT_COLOR };

/* Parts of a recording that --without removes. */
typedef struct less {
    uint32_t kinds; /* Kinds of records, as in HELLO.gives */
    bool order, amo_data, seq;
    uint64_t dropped;
} less;

typedef struct check_options {
    import_options input;
    const char *file; /* The recording, or the first log */
    const char *json, *core, *coverage;
    bool quiet, records;
    uint64_t failures; /* 0: as in the run */
    bool keep_going;   /* Go on after a mismatch, even where the run did not */
    uint32_t strict;   /* In addition to those of the run */
    less less;
    char *without; /* All arguments of --without */
} check_options;

#define WITHOUT_WORDS                                                                                        \
    "read, write (and audit with it), audit, simt, csr, mem, barrier, exit, tlb (records), order (of MEM), " \
    "amo-data (values that AMOs "                                                                            \
    "wrote), seq "                                                                                           \
    "(of WRITE: match by register)"

static const struct argp_option options[] = {
    {"core", 'c', "FILE", 0,
     "Judge by this description of the core, not by the one that the run had (docs/your-core.md)", 0},
    {"json", 'j', "FILE", 0, "Write verdict and report as JSON", 0},
    {"coverage", OPT_COVERAGE, "FILE", 0, "Write the coverage of the run to FILE (see 'karat cov')", 0},
    {"quiet", 'q', NULL, 0, "Print the verdict line only", 0},
    {"failures", 'f', "N", 0,
     "Continue after a failure, with the other warps, until there are N (1); \"also\" in the report", 0},
    {"continue", OPT_CONTINUE, NULL, 0,
     "Continue after a failure with the same warp too, with the core's value where it can be taken, and list "
     "the mismatches by "
     "their signatures: \"defects\" in the report",
     0},
    {"records", OPT_RECORDS, NULL, 0,
     "After the verdict: the number of records of each kind, and of the instructions that require one; for "
     "the design of a "
     "core's adapter",
     0},
    {"color", OPT_COLOR, "WHEN", 0, "Colour the report: auto (default: on a terminal), always or never", 0},
    {"strict", 's', "LIST", 0,
     "Undefined behaviour of a program that is an error, and not only counted: a list "
     "of " KARAT_STRICT_WORDS,
     0},
    {"without", 'w', "LIST", 0,
     "Judge as if the core did not provide these: a list of " WITHOUT_WORDS
     "; shows the value of each for the design of a core's adapter",
     0},
    {0},
};

static bool take_away(less *l, const char *word, size_t length) {
    static const struct {
        const char *name;
        uint32_t kinds;
    } words[] = {{"read", KARAT_PORT_BIT(READ)},
                 /* The contents of registers are known only with WRITEs */
                 {"write", KARAT_PORT_BIT(WRITE) | KARAT_PORT_BIT(PAIR) | KARAT_PORT_BIT(AUDIT)},
                 {"audit", KARAT_PORT_BIT(AUDIT)},
                 {"simt", KARAT_PORT_BIT(SIMT)},
                 {"csr", KARAT_PORT_BIT(CSR)},
                 {"mem", KARAT_PORT_BIT(MEM) | KARAT_PORT_BIT(ACCESS)},
                 {"exit", KARAT_PORT_BIT(EXIT)},
                 {"barrier", KARAT_PORT_BIT(BARRIER)},
                 {"tlb", KARAT_PORT_BIT(TLB)},
                 {"order", 0},
                 {"amo-data", 0},
                 {"seq", 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].name) != length || strncmp(words[i].name, word, length) != 0)
            continue;
        l->kinds |= words[i].kinds;
        l->order |= word[0] == 'o';
        l->amo_data |= strncmp(word, "am", 2) == 0;
        l->seq |= strncmp(word, "se", 2) == 0;
        return true;
    }
    return false;
}

static error_t take_list(less *l, const char *list) {
    for (const char *word = list;; word++) {
        const size_t length = strcspn(word, ",");
        if (!take_away(l, word, length))
            return cli_bad_option("--without=%s: expected a list of " WITHOUT_WORDS, list);
        word += length;
        if (!*word)
            return 0;
    }
}

static error_t take_without(check_options *o, const char *list) {
    const error_t error = take_list(&o->less, list);
    char *more = NULL;
    if (error)
        return error;
    if (!o->without)
        return (o->without = strdup(list)) ? 0 : ENOMEM;
    const size_t length = strlen(o->without);
    if (!(more = realloc(o->without, length + strlen(list) + 2)))
        return ENOMEM;
    sprintf(more + length, ",%s", list);
    o->without = more;
    return 0;
}

/* A recording has its device and its kernels in it. */
static error_t take_file(check_options *o) {
    const session_options *s = &o->input.session;
    const bool told = s->threads || s->deviations || s->has_profile || s->launch.given ||
                      o->input.rules.partial || o->input.rules.strict;
    o->file = o->input.logs[0];
    if (o->input.recording && told)
        return cli_bad_option("%s: no log with its kernel, which the options of logs are for", o->file);
    if (o->input.recording && strcmp(o->file, "-") == 0)
        o->file = "/dev/stdin";
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    check_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        cli_one_line(state);
        state->child_inputs[0] = &o->input;
        return 0;
    case 'c': o->core = arg; return 0;
    case 'j': o->json = arg; return 0;
    case OPT_COVERAGE: o->coverage = arg; return 0;
    case OPT_CONTINUE: o->keep_going = true; return 0;
    case OPT_RECORDS: o->records = true; return 0;
    case OPT_COLOR:
        return karat_colour_take(arg) ? 0 : cli_bad_option("--color=%s: expected " KARAT_COLOUR_WORDS, arg);
    case 'q': o->quiet = true; return 0;
    case 'f':
        return cli_number(arg, 1000, &o->failures) && o->failures
                   ? 0
                   : cli_bad_option("--failures=%s: expected 1 to 1000", arg);
    case 's':
        return karat_check_strict(arg, &o->strict)
                   ? 0
                   : cli_bad_option("--strict=%s: expected a list of " KARAT_STRICT_WORDS, arg);
    case 'w': return take_without(o, arg);
    case ARGP_KEY_END: return take_file(o);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&import_argp, 0, "Logs:", 1}, {0}};

const struct argp cmd_check_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "RECORDING\nLOG... [KERNEL...]",
    .doc =
        "Judge a run of a core that was recorded with +record=FILE, or standard input (-): the same verdict, "
        "report and JSON as the run itself. Or judge the log of another simulator. " IMPORT_DOC
        "\vA recording or log that was cut off is judged as far as it goes; INCOMPLETE, unless it holds a "
        "mismatch, or the run's end; SIGINT and SIGTERM end the judgement in the same way. Before the "
        "verdict "
        "on a log a line says of which kind it is; a cycle is a line of it. Exit status: that of the verdict "
        "(docs/triage.md); 2 where the file is neither, or damaged.",
    .children = children,
};

/* The record of a core that provides less; NULL: none. */
static const void *without(less *l, const void *record, size_t size, uint64_t *room) {
    const karat_rec_header *h = record;
    const unsigned held = h->kind == KARAT_REC_AUDIT ? ((const karat_rec_audit *)record)->cls : KARAT_X;
    const unsigned as = held == KARAT_CSR ? KARAT_REC_CSR : held == KARAT_STACK ? KARAT_REC_SIMT : h->kind;
    if (l->kinds >> as & 1 || l->kinds >> h->kind & 1) {
        l->dropped++;
        return NULL;
    }
    memcpy(room, record, size);
    if (h->kind == KARAT_REC_HELLO) {
        karat_rec_hello *hello = (karat_rec_hello *)room;
        hello->gives &= ~l->kinds;
        if (l->order)
            hello->mem_order = KARAT_ORDER_NONE;
    }
    if (h->kind == KARAT_REC_BYE) {
        karat_rec_bye *bye = (karat_rec_bye *)room;
        bye->records -= bye->records ? l->dropped : 0;
    }
    if (karat_is_mem(h->kind) && l->amo_data) {
        karat_rec_mem *mem = (karat_rec_mem *)room; /* An ACCESS has these fields, too */
        mem->no_data |= mem->op == KARAT_MEM_AMO;
    }
    if (karat_is_write(h->kind) && l->seq)
        ((karat_rec_write *)room)->match = KARAT_MATCH_OTHER;
    return room;
}

/* Whom the records of a run go to. */
typedef struct judge {
    karat_checker *checker;
    cli_tally *tally; /* NULL: nobody counts them */
    less *less;
    bool all;    /* Nothing is taken away */
    bool stands; /* Where the verdict comes */
    uint64_t room[KARAT_REC_MAX_SIZE / 8];
} judge;

/* A karat_port_sink. */
static bool take_record(void *context, const void *record, size_t size) {
    judge *j = context;
    if (!j->all && !(record = without(j->less, record, size, j->room)))
        return j->stands;
    if (j->tally)
        cli_tally_record(j->tally, record);
    return j->stands = karat_checker_record(j->checker, record, size);
}

/* Everything in the trace goes to the judge, also what comes after the verdict. Returns false where the trace
 * is damaged. */
static bool replay(karat_trace_reader *reader, karat_trace_setup *setup, judge *j, karat_diag *diag) {
    karat_trace_entry entry;
    uint64_t entries = 0;
    karat_trace_read_ahead(reader);
    for (;;) {
        karat_trace_next(reader, &entry, diag);
        if (++entries % 1024 == 0 && karat_progress_due())
            karat_progress_show("%" PRIu64 " records", entries);
        if ((entries % 64 == 0 || entry.kind != KARAT_TRACE_RECORD) && karat_interrupted()) {
            char text[80];
            snprintf(text, sizeof text, "ended by %s before the trace had been read", karat_interrupt_name());
            karat_checker_cut(j->checker, text);
            return true;
        }
        switch (entry.kind) {
        case KARAT_TRACE_RECORD: take_record(j, entry.record, entry.size); break;
        case KARAT_TRACE_TICK: j->stands = karat_checker_tick(j->checker, entry.cycle); break;
        case KARAT_TRACE_BENCH_ERROR:
            j->stands = karat_checker_bench_error(j->checker, entry.cycle, entry.text);
            break;
        case KARAT_TRACE_CUT:
            karat_checker_cut(j->checker, "the trace was cut off: the run that wrote it did not end");
            if (karat_checker_verdict(j->checker) == KARAT_PASS)
                results_note("the trace was cut off behind the end of the run's records");
            return true;
        case KARAT_TRACE_BAD: return false;
        case KARAT_TRACE_END: return karat_trace_end_take(setup, entry.text, diag);
        }
        if (j->stands && !j->tally)
            karat_trace_skip(reader);
    }
}

/* By that description, or by the one in the recording. */
static karat_checker *make_checker(karat_trace_setup *setup, const karat_core_desc *core,
                                   const karat_check_watch *watch) {
    setup->config.watch = watch;
    if (core)
        karat_core_desc_use(core, &setup->config);
    return karat_checker_create(&setup->config);
}

static void report(const check_options *o, const karat_checker *checker) {
    char line[KARAT_LINE_ROOM];
    karat_coloured text;
    FILE *out = karat_colour_begin(&text, stdout);
    if (!o->quiet && karat_checker_verdict(checker) != KARAT_PASS)
        karat_checker_report(checker, out);
    karat_checker_line(checker, line, sizeof line);
    fprintf(out, "%s\n", line);
    karat_colour_end(&text);
}

static bool put_json(const void *checker, FILE *file) {
    return karat_checker_report_json(checker, file);
}

/* Further options of the command line, with that prefix. */
static void put_options(const check_options *o, const char *begin, FILE *out) {
    if (o->core) {
        fprintf(out, " %score=", begin);
        karat_trace_put_word(out, o->core);
    }
    if (o->keep_going)
        fprintf(out, " %scontinue", begin);
    const char *separator = "", *word;
    for (unsigned i = 0; (word = karat_check_strict_word(i)); i++)
        if (o->strict >> i & 1) {
            if (!*separator)
                fprintf(out, " %sstrict=", begin);
            fprintf(out, "%s%s", separator, word);
            separator = ",";
        }
}

/* The command that judges the recording again: the run itself has no --without. */
static void put_command(const check_options *o, FILE *out) {
    fputs("karat check", out);
    put_options(o, "--", out);
    if (o->failures)
        fprintf(out, " --failures=%" PRIu64, o->failures);
    fprintf(out, " --without=%s%s ", o->without, o->file[0] == '-' ? " --" : "");
    karat_trace_put_word(out, o->file);
}

/* The command that repeats the verdict: the run with further options, or this command. Of a log there is
 * none. */
static bool set_rerun(const check_options *o, karat_trace_setup *setup) {
    char *text = NULL;
    size_t size;
    if (!o->input.recording)
        return true;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    if (o->without)
        put_command(o, out);
    else
        put_options(o, "+", out);
    const bool good = !fclose(out) && (o->without ? karat_trace_setup_replace(setup, text)
                                                  : karat_trace_setup_add(setup, text));
    free(text);
    return good;
}

/* The run's own settings are no options of this command. */
static karat_trace_setup *set_up(check_options *o, const char *meta, karat_diag *diag) {
    karat_trace_setup *setup = karat_trace_setup_make(meta, diag);
    if (setup && o->failures)
        setup->config.max_failures = (uint32_t)o->failures;
    if (setup) {
        o->strict &= ~setup->config.strict;
        o->keep_going = o->keep_going && !setup->config.keep_going;
        setup->config.strict |= o->strict;
        setup->config.keep_going |= o->keep_going;
    }
    return setup;
}

/* Impossible combinations of files and options: an error was reported. */
static bool refuse(const check_options *o, const karat_trace_setup *setup) {
    const bool order = !o->less.order && !(o->less.kinds >> KARAT_REC_MEM & 1);
    if (setup->config.keep_going && o->failures)
        cli_error("--failures ends at a number of failed warps; --continue, or the run's +continue, goes "
                  "on to the end: one of the two");
    else if (setup->config.strict & KARAT_STRICT_ORDER && !order)
        cli_error("--strict=%s requires MEM in the order of performance, which --without removes",
                  setup->config.strict & KARAT_STRICT_RACES ? "races" : "flags");
    else
        return false;
    return true;
}

/* False: an error was reported. */
static bool begin_outputs(const check_options *o) {
    karat_outputs outputs = {0};
    karat_outputs_text(&outputs, o->json);
    karat_outputs_write(&outputs, o->coverage);
    import_inputs(&o->input, &outputs);
    karat_outputs_read(&outputs, o->core);
    return cli_begin_outputs(&outputs);
}

/* The subject of the verdict: a recording, or a log as it is imported. */
typedef struct source {
    karat_trace_reader *reader; /* NULL: a log */
    importer importer;
    char *meta; /* Of a log */
} source;

/* False: an error was reported. */
static bool open_source(check_options *o, source *from, karat_diag *diag) {
    if (o->quiet)
        results_as_json(); /* Lines about the input are kept, and not printed */
    if (!o->input.recording)
        return import_open(&from->importer, &o->input) &&
               (from->meta = session_meta(&from->importer.session));
    from->reader = karat_trace_open(o->file, diag);
    if (!from->reader)
        cli_error("%s%s", diag->text,
                  o->input.lacks_kernel ? " (a log needs its kernel, named after it)" : "");
    return from->reader;
}

static void close_source(source *from) {
    karat_trace_reader_free(from->reader);
    import_close(&from->importer);
    free(from->meta);
}

/* False: the source cannot be used, and an error was reported. */
static bool judge_all(source *from, karat_trace_setup *setup, judge *j, karat_diag *diag) {
    if (!from->reader)
        return import_run(&from->importer, take_record, j);
    const bool good = replay(from->reader, setup, j, diag);
    if (!good)
        cli_error("%s", diag->text); /* The message takes the line of progress away */
    return good;
}

int cmd_check(int argc, char **argv) {
    check_options o = {0};
    if (!cli_parse(&cmd_check_argp, argc, argv, &o) || !begin_outputs(&o)) {
        import_options_free(&o.input);
        free(o.without);
        return CLI_BAD_INPUT;
    }
    karat_diag diag;
    int status = CLI_BAD_INPUT;
    source from = {0};
    karat_trace_setup *setup = NULL;
    karat_core_desc *core = NULL;
    karat_cov_collector coverage = {0};
    const karat_check_watch cover = {&coverage, karat_cov_on_launch, karat_cov_on_step};
    cli_tally tally = {.next = o.coverage ? &cover : NULL};
    const karat_check_watch count = {&tally, cli_tally_launch, cli_tally_step};
    const less *l = &o.less;
    judge j = {.tally = o.records ? &tally : NULL,
               .less = &o.less,
               .all = !l->kinds && !l->order && !l->amo_data && !l->seq};
    karat_interrupt_catch();
    if (!open_source(&o, &from, &diag)) {
        /* It was reported */
    } else if (!(setup = set_up(&o, from.reader ? karat_trace_meta(from.reader) : from.meta, &diag))) {
        cli_error("%s: %s", o.file, diag.text);
    } else if (refuse(&o, setup)) {
        /* It was reported */
    } else if (o.core && !(core = karat_core_desc_load(o.core, &diag))) {
        cli_error("%s", diag.text);
    } else if (!set_rerun(&o, setup) ||
               !(j.checker = make_checker(setup, core, o.records ? &count : tally.next))) {
        cli_error("not enough memory");
    } else if (!judge_all(&from, setup, &j, &diag)) {
        /* It was reported */
    } else if (!karat_trace_setup_look_at(setup, karat_checker_look_at(j.checker))) {
        cli_error("not enough memory");
    } else {
        karat_progress_hide();
        status = (int)karat_checker_verdict(j.checker);
        report(&o, j.checker);
        if (!karat_cov_finish(&coverage, o.coverage, o.json, put_json, j.checker, &diag)) {
            cli_error("%s", diag.text);
            status = CLI_BAD_INPUT;
        }
        if (o.records)
            cli_tally_print(&tally);
    }
    karat_cov_destroy(coverage.cov);
    karat_checker_destroy(j.checker);
    karat_core_desc_free(core);
    karat_trace_setup_free(setup);
    close_source(&from);
    import_options_free(&o.input);
    free(o.without);
    return status;
}
