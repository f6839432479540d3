#include "args.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "colour.h"
#include "meta.h"
#include "closest_name.h"
#include "array.h"

#define USAGE(id, name, plusarg, form, what, text)                                                           \
    "  +" plusarg "=" form "\n                          " text "\n"
#define LAUNCH_USAGE KARAT_LAUNCH_OPTIONS(USAGE)

/* In parts: C99 wants no more of a compiler than strings of 4095 characters. */
static const char *const usage[] = {
    "usage: karat-<core> +kernel=FILE[,FILE...] [option ...]\n"
    "Runs kernels on a Verilated core in lockstep with Karat's golden model.\n"
    "  +kernel=FILE[,FILE...]  .metadata (its .data in the same folder), ELF, or words (.vmem, .hex, .mem), "
    "run in order on one memory\n"
    " Launch of one ELF file (docs/run.md); +arg and +dump-arg take lists with commas, and may come "
    "several times:\n" LAUNCH_USAGE "  +dump-arg=N[:FILE]      Write argument N, a buffer, at the end: to "
    "FILE, or to standard output as words in hex\n",
    " Every run:\n"
    "  +seed=N                 seed of memory latency and back-pressure (1)\n"
    "  +latency=MIN[:MAX]      memory latency in cycles (4:20)\n"
    "  +stall=PERCENT          share of cycles in which a memory port refuses requests (10)\n"
    "  +init=zero|one|random   bits that no reset sets, at the start (random, from the seed)\n"
    "  +sv39[=SEED]            translate addresses by SV39 page tables: each page at its own physical "
    "address, or drawn\n"
    "                          from the seed (docs/run.md); of a core that can\n"
    "  +max-cycles=N           stop after N cycles: verdict INCOMPLETE (no limit)\n"
    "  +hang=N                 cycles without progress of a warp that make a HANG (100000); looked at\n"
    "                          every 1024 cycles\n"
    "  +checker-thread=0|1     check in a thread of its own, beside the simulation (1 where there are two "
    "processors)\n"
    "  +trace=FILE             write a waveform (FST); +trace-from=N, +trace-to=N: only those cycles\n"
    "  +wave-window=BEFORE:AFTER\n"
    "                          write the waveform of a failure alone, to +trace (karat.fst), with save files "
    "of\n"
    "                          GTKWave and Surfer: so many cycles before it and after it, from a snapshot of "
    "the run\n"
    "                          (docs/triage.md)\n"
    "  +wave-signals=NAME[,NAME...]\n"
    "                          these signals of the core, or what is in these scopes, come first in its save "
    "files\n"
    "  +snapshots=N            cycles from one snapshot to the next (the window and +hang, at least 65536)\n"
    "  +record=FILE            record the run, for `karat check`\n"
    "  +coverage=FILE          write the coverage of the run, for `karat cov`\n"
    "  +rtl-coverage=FILE      write the counters of the RTL's branches (and bits), of a core that was built "
    "with COVERAGE\n"
    "                          (docs/coverage.md)\n"
    "  +rtl-coverage-at=CYCLE[,CYCLE...]\n"
    "                          write them before these cycles as well: FILE.CYCLE\n"
    "  +core=FILE              the core's description, instead of its own (docs/your-core.md)\n"
    "  +strict=LIST            undefined behaviour that is an error, not counted: " KARAT_STRICT_WORDS "\n"
    "  +json=FILE              write verdict and report as JSON\n"
    "  +memory=FILE            write device memory at the end: pages of 4096 bytes that are not all 0, each "
    "after its "
    "address,\n"
    "                          64 bits, the low byte first\n"
    "  +fault=NAME[,NAME...]   switch on built-in faults, also by several +fault=; +faults lists them\n"
    "  +mutant=N[,M]           a core that was built with MUTABLE has its Nth mutant, and its Mth\n"
    "  +no-read, +no-audit     the probe leaves READ or AUDIT records out\n"
    "  +no-check               no records at all, to time the core alone: verdict INCOMPLETE\n"
    "  +no-assert              the core's own assertions are off: only the checker finds defects\n"
    "  +go-on                  do not stop at a verdict, but at the program's end or at +max-cycles, which "
    "it wants: a\n"
    "                          recording then holds the whole run\n"
    "  +continue               continue after a mismatch with the same warp too, with the core's value where "
    "that can be "
    "taken, and\n"
    "                          list the mismatches by their signatures\n"
    "  +debug[=COMMANDS]       stop, look and go back, by commands of standard input, or by these between "
    "';' "
    "(docs/debug.md)\n"
    "  +debug-port=N, +debug-socket=PATH\n"
    "                          the same by gdb, which is waited for\n"
    "  +describe               print the core's name, sizes and description as JSON, for scripts\n"
    "  +color=WHEN             colour: auto (on a terminal), always or never\n"
    "  +quiet                  print the verdict line only\n"
    "  +help                   this text\n"
    "SIGINT and SIGTERM end a run with its verdict, INCOMPLETE unless another stands, and with all its "
    "files.\n"
    "Exit status: 0 PASS, 1 MISMATCH, 2 bad input or usage, 3 HANG, 4 PROGRAM ERROR, 5 INCOMPLETE.\n",
};

void karat_args_print_usage(FILE *out) {
    for (size_t i = 0; i < sizeof usage / sizeof *usage; i++)
        fputs(usage[i], out);
}

char *karat_format(const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    va_start(list, format);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    return text;
}

/* Of length characters, or all up to the end. */
static bool parse_part(const char *text, size_t length, uint64_t limit, uint64_t *value) {
    if (text[0] < '0' || text[0] > '9')
        return false;
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return !errno && end == text + length && *value <= limit;
}

static bool parse_number(const char *text, uint64_t limit, uint64_t *value) {
    return parse_part(text, strlen(text), limit, value);
}

/* MIN[:MAX] */
static bool parse_latency(karat_args *args, const char *text) {
    const size_t first = strcspn(text, ":");
    const char *last = text[first] ? text + first + 1 : text;
    uint64_t min, max;
    if (!parse_part(text, first, UINT32_MAX, &min) || !parse_number(last, UINT32_MAX, &max))
        return false;
    args->latency_min = (uint32_t)min;
    args->latency_max = (uint32_t)max;
    return min >= 1 && min <= max;
}

/* BEFORE:AFTER. A bound, so that sums of cycles do not wrap. */
static bool parse_window(karat_args *args, const char *text) {
    const size_t first = strcspn(text, ":");
    args->wave_window = text[first] && parse_part(text, first, UINT32_MAX, &args->wave_before) &&
                        parse_number(text + first + 1, UINT32_MAX, &args->wave_after);
    return args->wave_window;
}

/* A copy, in a list that grows; NULL: memory is short. */
static char *keep(char ***list, uint32_t *num, const char *text, size_t length) {
    char *copy = karat_grow(list, *num, sizeof **list) ? strndup(text, length) : NULL;
    if (copy)
        (*list)[(*num)++] = copy;
    return copy;
}

/* PART[,PART...], each added to such a list. */
static bool take_parts(karat_args *args, const char *text, char ***list, uint32_t *num,
                       bool (*take)(karat_args *args, const char *part)) {
    for (bool more = true; more; text++) {
        const size_t length = strcspn(text, ",");
        const char *part = length ? keep(list, num, text, length) : NULL;
        if (!part || !take(args, part))
            return false;
        text += length;
        more = *text;
    }
    return true;
}

static bool take_as_is(karat_args *args, const char *part) {
    (void)args, (void)part; /* The list has it */
    return true;
}

static bool take_launch_arg(karat_args *args, const char *arg) {
    karat_diag diag;
    return karat_launch_take(&args->launch, KARAT_LAUNCH_ARG, arg, &diag);
}

static bool take_dump(karat_args *args, const char *text) {
    return karat_grow(&args->dumps, args->num_dumps, sizeof *args->dumps) &&
           karat_dump_arg_parse(text, &args->dumps[args->num_dumps]) && ++args->num_dumps;
}

static bool set_launch(karat_args *args, karat_launch_option option, const char *value) {
    karat_diag diag;
    if (option == KARAT_LAUNCH_ARG)
        return take_parts(args, value, &args->parts, &args->num_parts, take_launch_arg);
    return karat_launch_take(&args->launch, option, value, &diag);
}

static bool set_kernels(karat_args *args, const char *value) {
    return take_parts(args, value, &args->kernels, &args->num_kernels, take_as_is);
}

static bool set_faults(karat_args *args, const char *value) {
    return take_parts(args, value, &args->faults, &args->num_faults, take_as_is);
}

static bool set_wave_signals(karat_args *args, const char *value) {
    return take_parts(args, value, &args->wave_signals, &args->num_wave_signals, take_as_is);
}

static bool set_dumps(karat_args *args, const char *value) {
    return take_parts(args, value, &args->parts, &args->num_parts, take_dump);
}

static bool take_cycle(karat_args *args, const char *part) {
    uint64_t cycle;
    const uint32_t num = args->num_rtl_cycles;
    if (!parse_number(part, UINT64_MAX, &cycle) || (num && cycle <= args->rtl_cycles[num - 1]) ||
        !karat_grow(&args->rtl_cycles, num, sizeof *args->rtl_cycles))
        return false;
    args->rtl_cycles[args->num_rtl_cycles++] = cycle;
    return true;
}

static bool set_cycles(karat_args *args, const char *value) {
    return take_parts(args, value, &args->parts, &args->num_parts, take_cycle);
}

static bool set_stall(karat_args *args, const char *value) {
    uint64_t number;
    const bool good = parse_number(value, 99, &number);
    args->stall_percent = good ? (uint32_t)number : 0;
    return good;
}

/* The core itself reads them, as $sscanf does. */
static bool check_mutants(karat_args *args, const char *value) {
    enum { MAX_DIGITS = 9 };
    (void)args;
    for (unsigned i = 0; i < 2; i++) {
        const size_t num = strspn(value, "0123456789");
        if (!num || num > MAX_DIGITS)
            return false;
        value += num;
        if (*value++ != ',')
            return !value[-1];
    }
    return false;
}

static bool set_checker_thread(karat_args *args, const char *value) {
    uint64_t number;
    const bool good = parse_number(value, 1, &number);
    args->checker_thread = good ? (int)number : -1;
    return good;
}

static bool set_init(karat_args *args, const char *value) {
    args->init = !strcmp(value, "zero") ? 0 : !strcmp(value, "one") ? 1 : 2;
    return args->init < 2 || !strcmp(value, "random");
}

static bool set_layout(karat_args *args, const char *seed) {
    args->sv39 = args->drawn = true;
    return parse_number(seed, UINT64_MAX, &args->sv39_seed);
}

static bool set_strict(karat_args *args, const char *value) {
    return karat_check_strict(value, &args->strict);
}

static bool set_debug_port(karat_args *args, const char *value) {
    uint64_t number;
    args->debug_serve = parse_number(value, UINT16_MAX, &number);
    args->debug_port = args->debug_serve ? (uint16_t)number : 0;
    return args->debug_serve;
}

static bool set_colour(karat_args *args, const char *value) {
    (void)args;
    return karat_colour_take(value);
}

/* --- The arguments --- */

/* How a value is taken: as a text that is not empty; as a number; by take(); as an option of the launch.
 * Without a value: a flag is set, which may be for the core's probe alone. */
typedef enum how { TEXT, NUMBER, OWN, LAUNCH, FLAG, OF_CORE } how;

typedef struct argument {
    const char *name, *expected; /* A NULL in expected: it takes no value */
    how how;
    size_t to;         /* Offset in karat_args of its const char *, uint64_t or bool; LAUNCH: the option */
    uint64_t min, max; /* NUMBER */
    bool (*take)(karat_args *args, const char *value); /* OWN */
    /* Of the rerun command: files that it would overwrite, and arguments that shorten the report or let the
     * run continue after the verdict. */
    bool is_left_out;
} argument;

#define TO(field) .to = offsetof(karat_args, field)

static const argument arguments[] = {
    {"+kernel", "FILE[,FILE...]", OWN, .take = set_kernels},
    {"+seed", "a number", NUMBER, TO(seed), 0, UINT64_MAX},
    {"+latency", "MIN[:MAX], 1 <= MIN <= MAX", OWN, .take = parse_latency},
    {"+stall", "0 to 99", OWN, .take = set_stall},
    {"+init", "zero, one or random", OWN, .take = set_init},
    {"+trace", "FILE", TEXT, TO(trace), .is_left_out = true},
    {"+trace-from", "a cycle", NUMBER, TO(trace_from), 0, UINT64_MAX, .is_left_out = true},
    {"+trace-to", "a cycle", NUMBER, TO(trace_to), 0, UINT64_MAX, .is_left_out = true},
    {"+wave-window", "BEFORE:AFTER, numbers of cycles", OWN, .take = parse_window, .is_left_out = true},
    {"+wave-signals", "NAME[,NAME...]", OWN, .take = set_wave_signals, .is_left_out = true},
    {"+snapshots", "a number of cycles, 1 or more", NUMBER, TO(snapshots), 1, UINT32_MAX,
     .is_left_out = true},
    {"+fault", "NAME[,NAME...], that +faults lists", OWN, .take = set_faults},
    {"+sv39", "a number, the seed of the layout", OWN, .take = set_layout},
    {"+max-cycles", "a number of cycles, 1 or more", NUMBER, TO(max_cycles), 1, UINT64_MAX},
    {"+hang", "a number of cycles, 1 or more", NUMBER, TO(hang), 1, UINT64_MAX},
    {"+checker-thread", "0 or 1", OWN, .take = set_checker_thread, .is_left_out = true},
    {"+record", "FILE", TEXT, TO(record), .is_left_out = true},
    {"+coverage", "FILE", TEXT, TO(coverage), .is_left_out = true},
    {"+rtl-coverage", "FILE", TEXT, TO(rtl_coverage), .is_left_out = true},
    {"+rtl-coverage-at", "CYCLE[,CYCLE...], in ascending order", OWN, .take = set_cycles,
     .is_left_out = true},
    {"+core", "FILE", TEXT, TO(core)},
    {"+strict", "a list of " KARAT_STRICT_WORDS, OWN, .take = set_strict},
    {"+json", "FILE", TEXT, TO(json), .is_left_out = true},
    {"+memory", "FILE", TEXT, TO(memory), .is_left_out = true},
    {"+debug", "COMMANDS, between ';'", TEXT, TO(debug_batch), .is_left_out = true},
    {"+debug-port", "a port, below 65536", OWN, .take = set_debug_port, .is_left_out = true},
    {"+debug-socket", "PATH", TEXT, TO(debug_socket), .is_left_out = true},
    {"+color", KARAT_COLOUR_WORDS, OWN, .take = set_colour, .is_left_out = true},
#define LAUNCH_ARGUMENT(id, name, plusarg, form, what, text)                                                 \
    {"+" plusarg, what, LAUNCH, .to = KARAT_LAUNCH_##id},
    KARAT_LAUNCH_OPTIONS(LAUNCH_ARGUMENT)
#undef LAUNCH_ARGUMENT
        {"+dump-arg", KARAT_DUMP_ARG_EXPECTED, OWN, .take = set_dumps, .is_left_out = true},
    {"+quiet", NULL, FLAG, TO(quiet), .is_left_out = true},
    {"+help", NULL, FLAG, TO(help)},
    {"+faults", NULL, FLAG, TO(list_faults)},
    {"+describe", NULL, FLAG, TO(describe)},
    {"+mutant", "one or two numbers, between ','", OWN, .take = check_mutants},
    {"+no-read", .how = OF_CORE},
    {"+no-audit", .how = OF_CORE},
    {"+no-check", NULL, FLAG, TO(no_check)},
    {"+no-assert", NULL, FLAG, TO(no_assert)},
    {"+go-on", NULL, FLAG, TO(go_on), .is_left_out = true},
    {"+continue", NULL, FLAG, TO(keep_going)},
    {"+sv39", NULL, FLAG, TO(sv39)},
    {"+debug", NULL, FLAG, TO(debug), .is_left_out = true},
};
enum { ARGUMENTS = sizeof arguments / sizeof *arguments };

const char *karat_args_name(unsigned i, bool *takes_value) {
    *takes_value = i < ARGUMENTS && arguments[i].expected;
    return i < ARGUMENTS ? arguments[i].name : NULL;
}

/* The value of one that takes one, or NULL. */
static bool set(karat_args *args, const argument *of, const char *value) {
    void *to = (char *)args + of->to;
    switch (of->how) {
    case TEXT: *(const char **)to = value; return *value;
    case NUMBER: return parse_number(value, of->max, to) && *(uint64_t *)to >= of->min;
    case OWN: return of->take(args, value);
    case LAUNCH: return set_launch(args, (karat_launch_option)of->to, value);
    case FLAG: *(bool *)to = true; break;
    case OF_CORE: break;
    }
    return true;
}

static bool has_name(const argument *of, const char *name, size_t length) {
    return strlen(of->name) == length && !strncmp(of->name, name, length);
}

/* Lists, to which each time adds, and arguments without a value. Of any other one, a second value would hide
 * the first. */
static bool may_repeat(const argument *of) {
    return !of->expected || of->take == set_kernels || of->take == set_faults || of->take == set_dumps ||
           (of->how == LAUNCH && of->to == KARAT_LAUNCH_ARG);
}

/* False: see *error. given: of each argument. */
static bool take(karat_args *args, bool *given, const char *arg, char **error) {
    if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
        args->help = true;
        return true;
    }
    const size_t length = strcspn(arg, "=");
    const char *value = arg[length] ? arg + length + 1 : NULL;
    const argument *of = NULL; /* The one of that name, with a value or without, if both are there */
    for (const argument *a = arguments; a < arguments + ARGUMENTS; a++)
        if (has_name(a, arg, length) && (!of || !value == !a->expected))
            of = a;
    if (!of) {
        karat_closest_name near = {.word = arg, .length = length};
        for (unsigned i = 0; i < ARGUMENTS; i++)
            karat_closest_offer(&near, arguments[i].name);
        *error = near.name ? karat_format("unknown argument '%s': did you mean '%s'?", arg, near.name)
                           : karat_format("unknown argument '%s' (+help lists them)", arg);
        return false;
    }
    for (unsigned i = 0; i < ARGUMENTS; i++)
        if (given[i] && has_name(&arguments[i], arg, length) && (&arguments[i] != of || !may_repeat(of))) {
            *error = karat_format("'%s': expected %s once, found it twice", arg, of->name);
            return false;
        }
    given[of - arguments] = true;
    if (!value != !of->expected || !set(args, of, value)) {
        *error = of->expected
                     ? karat_format("bad argument '%s': expected %s=, and %s", arg, of->name, of->expected)
                     : karat_format("bad argument '%s': expected %s alone", arg, of->name);
        return false;
    }
    return true;
}

/* The error in the launch; NULL: none, or memory is short. */
static char *check_launch(const karat_args *args) {
    karat_diag diag;
    if (!karat_launch_check(&args->launch, &diag))
        return karat_format("+entry: %s", diag.text);
    if (args->launch.given && args->num_kernels != 1)
        return karat_format("+entry: expected one file to launch in +kernel=, found %u (karat launch makes a "
                            "file of each launch)",
                            args->num_kernels);
    for (uint32_t i = 0; i < args->num_dumps; i++)
        if (!karat_dump_arg_check(&args->dumps[i], &args->launch, &diag))
            return karat_format("+dump-arg: %s", diag.text);
    return NULL;
}

bool karat_args_parse(karat_args *args, int argc, char *const *argv, char **error) {
    *args = (karat_args){.seed = 1,
                         .latency_min = 4,
                         .latency_max = 20,
                         .stall_percent = 10,
                         .init = 2,
                         .trace_to = UINT64_MAX,
                         .hang = 100000,
                         .checker_thread = -1};
    const char *wrong = NULL;
    bool given[ARGUMENTS] = {false};
    for (int i = 1; i < argc; i++)
        if (!take(args, given, argv[i], error))
            return false;
    args->debug |= args->debug_batch || args->debug_serve || args->debug_socket;
    const bool prints = args->help || args->list_faults || args->describe; /* It prints and runs nothing */
    if (!args->num_kernels && !prints)
        wrong = "no kernel: expected +kernel=FILE (+help lists the arguments)";
    else if (args->go_on && !args->max_cycles)
        wrong = "+go-on requires +max-cycles=N: a core that has failed may never end";
    else if (args->no_check && args->record)
        wrong = "+no-check produces no records for +record=FILE";
    else if (args->no_check && args->coverage)
        wrong = "+no-check runs no steps of the model for +coverage=FILE";
    else if (args->debug && (args->trace || args->record || args->coverage || args->json || args->memory ||
                             args->num_dumps || args->no_check || args->go_on))
        wrong = "+debug: expected no +trace, +record, +coverage, +json, +memory, +dump-arg, +no-check and "
                "+go-on, too";
    else if (args->memory && args->sv39)
        wrong = "+memory: expected no +sv39, too";
    else if ((args->debug_batch != NULL) + args->debug_serve + (args->debug_socket != NULL) > 1)
        wrong = "expected one of +debug=COMMANDS, +debug-port and +debug-socket";
    else if (args->wave_window && (args->debug || args->no_check || args->go_on || args->trace_from ||
                                   args->trace_to != UINT64_MAX))
        wrong = "+wave-window: expected no +debug, +no-check, +go-on, +trace-from and +trace-to, too";
    else if (args->snapshots && !args->wave_window)
        wrong = "+snapshots=N: expected +wave-window=BEFORE:AFTER, too";
    else if (args->num_wave_signals && !args->wave_window)
        wrong = "+wave-signals=NAME: expected +wave-window=BEFORE:AFTER, too";
    else if (args->num_rtl_cycles && !args->rtl_coverage)
        wrong = "+rtl-coverage-at=CYCLE: expected +rtl-coverage=FILE, too";
    else if (args->rtl_coverage && (args->debug || args->wave_window))
        wrong = "+rtl-coverage: expected no +debug and +wave-window, too";
    *error = wrong ? strdup(wrong) : prints ? NULL : check_launch(args);
    return !wrong && !*error;
}

static void free_parts(char **list, uint32_t num) {
    for (uint32_t i = 0; i < num; i++)
        free(list[i]);
    free(list);
}

void karat_args_free(karat_args *args) {
    free_parts(args->kernels, args->num_kernels);
    free_parts(args->faults, args->num_faults);
    free_parts(args->wave_signals, args->num_wave_signals);
    free_parts(args->parts, args->num_parts);
    free(args->dumps);
    free(args->rtl_cycles);
    karat_launch_spec_free(&args->launch);
    *args = (karat_args){0};
}

static bool is_left_out(const char *arg) {
    const size_t length = strcspn(arg, "=");
    for (size_t i = 0; i < ARGUMENTS; i++)
        if (arguments[i].is_left_out && has_name(&arguments[i], arg, length))
            return true;
    return false;
}

char *karat_args_rerun(int argc, char *const *argv, const char *wave, uint64_t cycle) {
    char *command = NULL;
    size_t size;
    FILE *out = open_memstream(&command, &size);
    if (!out)
        return NULL;
    karat_trace_put_word(out, argv[0]);
    for (int i = 1; i < argc; i++)
        if (!is_left_out(argv[i])) {
            fputc(' ', out);
            karat_trace_put_word(out, argv[i]);
        }
    karat_trace_put_window(out, wave, cycle);
    if (fclose(out)) {
        free(command);
        return NULL;
    }
    return command;
}
