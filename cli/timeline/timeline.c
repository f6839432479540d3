/* Command karat timeline: a stretch of a recording, for viewers of timelines and pipelines. */
#include "recorded_timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "subcommands.h"
#include "packed.h"
#include "staged_file.h"

enum { OPT_CYCLES = 256, OPT_SEQ, OPT_WARP };

static const timeline_format *const formats[] = {&timeline_chrome, &timeline_kanata};
enum { NUM_FORMATS = sizeof formats / sizeof *formats };

typedef struct timeline_options {
    const char *file, *out;
    unsigned format;
    timeline_window window;
} timeline_options;

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "perfetto (default): JSON for Perfetto and Chrome; or kanata, for Konata",
     0},
    {"output", 'o', "FILE", 0,
     "Write to FILE, packed where it ends with .gz or .zst (default: standard output)", 0},
    {"cycles", OPT_CYCLES, "A:B", 0, "Only instructions that are issued from cycle A to cycle B", 0},
    {"seq", OPT_SEQ, "A:B", 0, "Only instructions of these numbers, of each warp", 0},
    {"warp", OPT_WARP, "G.W", 0, "Only warp W of workgroup G", 0},
    {0},
};

/* Two numbers with that character between them. */
static bool take_two(const char *text, char between, uint64_t max, uint64_t *a, uint64_t *b) {
    const char *at = strchr(text, between);
    char first[32];
    if (!at || (size_t)(at - text) >= sizeof first)
        return false;
    snprintf(first, sizeof first, "%.*s", (int)(at - text), text);
    return cli_number(first, max, a) && cli_number(at + 1, max, b);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    timeline_options *o = state->input;
    uint64_t a, b;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case 'o': o->out = arg; return 0;
    case 'f':
        for (o->format = 0; o->format < NUM_FORMATS; o->format++)
            if (!strcmp(arg, formats[o->format]->name))
                return 0;
        return cli_bad_option("--format=%s: expected perfetto or kanata", arg);
    case OPT_CYCLES:
        if (!take_two(arg, ':', UINT64_MAX - 1, &a, &b) || a > b)
            return cli_bad_option("--cycles=%s: expected A:B, two cycles in order", arg);
        o->window.from = a;
        o->window.to = b;
        return 0;
    case OPT_SEQ:
        if (!take_two(arg, ':', UINT32_MAX, &a, &b) || a > b)
            return cli_bad_option("--seq=%s: expected A:B, two numbers in order", arg);
        o->window.seq_from = (uint32_t)a;
        o->window.seq_to = (uint32_t)b;
        return 0;
    case OPT_WARP:
        if (!take_two(arg, '.', UINT32_MAX, &a, &b))
            return cli_bad_option("--warp=%s: expected WORKGROUP.WARP", arg);
        o->window.one_warp = true;
        o->window.workgroup = (uint32_t)a;
        o->window.warp = (uint32_t)b;
        return 0;
    default: return cli_one_trace(key, arg, &o->file);
    }
}

const struct argp cmd_timeline_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "TRACE",
    .doc = "Write a recording as a timeline: warp slots, the instructions of each from issue to completion, "
           "memory, barriers, and the depth "
           "of the SIMT stack.\v"
           "A trace that was cut off is shown as far as it goes. Exit status: 0, or 2 where the file is not "
           "a trace, or damaged "
           "(docs/debug.md).",
};

static bool put(const timeline_options *o, timeline *t, karat_trace_reader *reader, FILE *out) {
    karat_diag diag;
    const bool good = timeline_write(t, formats[o->format], reader, out, &diag);
    if (!good)
        cli_error("%s", diag.text);
    return good;
}

/* The file is whole or not there. */
static bool put_file(const timeline_options *o, timeline *t, karat_trace_reader *reader) {
    karat_staged_file file;
    karat_diag diag;
    if (!karat_staged_begin(&file, o->out, &diag)) {
        cli_error("%s", diag.text);
        return false;
    }
    FILE *packed = packed_open(file.file, o->out);
    bool good = packed && put(o, t, reader, packed);
    if (packed && packed_close(packed, file.file))
        good = ferror(file.file) && good; /* Then karat_staged_end() says why */
    if (!good) {
        karat_staged_drop(&file);
        return false;
    }
    good = karat_staged_end(&file, &diag);
    if (!good)
        cli_error("%s", diag.text);
    return good;
}

/* Nothing of a damaged recording: it goes through a temporary file. */
static bool put_stdout(const timeline_options *o, timeline *t, karat_trace_reader *reader) {
    char piece[1 << 16];
    size_t size;
    FILE *whole = tmpfile();
    if (!whole) {
        cli_error("a temporary file cannot be made: %s", strerror(errno));
        return false;
    }
    bool good = put(o, t, reader, whole);
    if (good && (fflush(whole) || fseek(whole, 0, SEEK_SET))) {
        cli_error("a temporary file cannot be written: %s", strerror(errno));
        good = false;
    }
    while (good && (size = fread(piece, 1, sizeof piece, whole)) && fwrite(piece, 1, size, stdout) == size)
        continue;
    fclose(whole);
    return good && cli_close_output(stdout, "standard output");
}

/* One line for what an empty timeline, or a gap in one, would leave open. */
static void note(const timeline *t) {
    if (!t->num_insns)
        fprintf(
            stderr,
            "karat timeline: note: no instruction is in the window; the recording has cycles 0 to %" PRIu64
            "\n",
            t->end);
    if (t->late)
        fprintf(stderr,
                "karat timeline: note: %" PRIu64
                " results came long after the last result of their instructions, which end before them\n",
                t->late);
    if (t->unnamed)
        fprintf(stderr,
                "karat timeline: note: %" PRIu64
                " results do not name their instructions, which end before them\n",
                t->unnamed);
}

int cmd_timeline(int argc, char **argv) {
    timeline_options o = {.window = {.to = UINT64_MAX - 1, .seq_to = UINT32_MAX}};
    karat_outputs outputs = {0};
    karat_diag diag;
    int status = CLI_BAD_INPUT;
    if (!cli_parse(&cmd_timeline_argp, argc, argv, &o))
        return CLI_BAD_INPUT;
    karat_outputs_write(&outputs, o.out);
    karat_outputs_read(&outputs, o.file);
    if (!cli_begin_outputs(&outputs))
        return CLI_BAD_INPUT;
    timeline t = {.window = o.window};
    karat_trace_setup *setup = NULL;
    karat_trace_reader *reader = karat_trace_open(o.file, &diag);
    if (!reader) {
        cli_error("%s", diag.text);
    } else if (!(setup = karat_trace_setup_make(karat_trace_meta(reader), &diag))) {
        cli_error("%s: %s", o.file, diag.text);
    } else {
        t.config = &setup->config;
        if (o.out ? put_file(&o, &t, reader) : put_stdout(&o, &t, reader)) {
            note(&t);
            status = CLI_OK;
        }
    }
    karat_trace_setup_free(setup);
    karat_trace_reader_free(reader);
    return status;
}
