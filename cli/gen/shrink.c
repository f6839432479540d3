/* Command karat shrink: the smallest program that still fails. */
#include "shrink.h"
#include "gen.h"
#include "output.h"
#include "interrupt.h"
#include "progress.h"
#include "results.h"
#include "run_session.h"
#include "subcommands.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { OPT_TEST = 256, OPT_THREADS, OPT_TIMEOUT, OPT_RESUME, OPT_PROFILE, OPT_JSON };

typedef struct shrink_options {
    const char *program, *test, *out;
    uint64_t threads, timeout;
    karat_profile profile;
    bool resume;
} shrink_options;

static const struct argp_option options[] = {
    {"test", OPT_TEST, "COMMAND", 0,
     "Decides by its exit status whether a program fails; {} is the program's file, quoted for the shell", 0},
    {"output", 'o', "FILE", 0, "The ELF file to write; it always holds the smallest program so far", 0},
    {"threads", OPT_THREADS, "N", 0, "Threads per warp of the device: 1, 2, 4, 8, 16 or 32 (32)", 0},
    CLI_PROFILE_OPTION(OPT_PROFILE, "ISA profile (the first)", 0),
    {"timeout", OPT_TIMEOUT, "S", 0, "A test that takes longer does not count as failing (60 seconds)", 0},
    {"resume", OPT_RESUME, NULL, 0,
     "Continue an earlier run with the same arguments that was interrupted or killed", 0},
    RESULTS_OPTION(OPT_JSON, 0),
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    shrink_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: cli_one_line(state); return 0;
    case OPT_TEST: o->test = arg; return 0;
    case 'o': o->out = arg; return 0;
    case OPT_RESUME: o->resume = true; return 0;
    case OPT_JSON: results_as_json(); return 0;
    case OPT_PROFILE: return cli_profile(arg, &o->profile);
    case OPT_THREADS: return cli_threads(arg, &o->threads);
    case OPT_TIMEOUT:
        return cli_number(arg, 86400, &o->timeout) && o->timeout
                   ? 0
                   : cli_bad_option("--timeout: expected 1 to 86400, found '%s'", arg);
    case ARGP_KEY_ARG:
        if (o->program)
            return cli_bad_option("unexpected argument '%s'", arg);
        o->program = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->program || !o->test || !o->out)
            return cli_bad_option("expected a program, --test=COMMAND and --output=FILE");
        if (!strstr(o->test, "{}"))
            return cli_bad_option("--test: expected a command with {} for the program's file");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cmd_shrink_argp = {
    .options = options,
    .parser = parse,
    .args_doc = "PROGRAM",
    .doc = "Make a failing program small: fewer workgroups, warps, threads and instructions, simpler "
           "operands, less data.\v"
           "PROGRAM fails where COMMAND ends with a status other than 0; a smaller one counts where COMMAND "
           "ends with the same "
           "status, and where it still runs on the model: it ends, does nothing forbidden, and reads no "
           "register or local memory that it has not "
           "written, unless PROGRAM does. The result of each test is in FILE.journal until the end, for "
           "--resume. "
           "Exit status: 0 done, 2 bad input, 5 interrupted. Example: karat shrink bad.elf -o small.elf "
           "--threads 8 --test "
           "'karat-ingot +kernel={} "
           "+hang=2000 +quiet'",
};

/* --- Running the test --- */

/* The test's command with the file's name in place of each {}, quoted as the shell has it there: outside of
 * quotes, within double ones, or within single ones. NULL: memory is short. Free it. */
static char *command_on(const char *test, const char *file) {
    char *command = NULL, quote = 0;
    size_t size;
    FILE *out = open_memstream(&command, &size);
    if (!out)
        return NULL;
    for (const char *at = test; *at; at++) {
        if (at[0] == '{' && at[1] == '}') {
            if (!quote)
                fputc('\'', out);
            for (const char *c = file; *c; c++)
                if (quote != '"' && *c == '\'')
                    fputs("'\\''", out);
                else
                    fprintf(out, "%s%c", quote == '"' && strchr("\\\"$`", *c) ? "\\" : "", *c);
            if (!quote)
                fputc('\'', out);
            at++;
            continue;
        }
        if (at[0] == '\\' && at[1] && quote != '\'')
            fputc(*at++, out);
        else if ((*at == '\'' || *at == '"') && (!quote || quote == *at))
            quote = quote ? 0 : *at;
        fputc(*at, out);
    }
    if (!fclose(out))
        return command;
    free(command);
    return NULL;
}

/* Exit status of the command on that file; -1: it took too long, was interrupted, or cannot be run. */
static int run_test(const shrink_options *o, const char *file) {
    char *command = command_on(o->test, file);
    if (!command)
        return -1;
    sigset_t child, old;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &old);
    const pid_t pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &old, NULL);
        setpgid(0, 0);
        if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr))
            execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    free(command);
    int status = -1;
    if (pid > 0) {
        const struct timespec limit = {.tv_sec = (time_t)o->timeout};
        pid_t ended = 0;
        while ((ended = waitpid(pid, &status, WNOHANG)) == 0)
            if (karat_interrupted() || (sigtimedwait(&child, NULL, &limit) < 0 && errno == EAGAIN)) {
                kill(-pid, SIGKILL);
                waitpid(pid, &status, 0);
                break;
            }
        status = ended == pid ? (WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)) : -1;
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    return status;
}

/* --- Running the model --- */

typedef struct shrinking {
    const shrink_options *o;
    char *candidate, *journal_path; /* Files */
    FILE *journal;                  /* One character for each candidate: the result of fails() */
    bool replays;                   /* An earlier run's */
    int status;                     /* The status that counts as failing */
    uint64_t steps;                 /* Steps of the program on the model */
    unsigned unwritten;             /* GEN_UNWRITTEN: of the program itself */
    struct {
        uint32_t num, warps, workgroups;
    } smallest; /* Program so far */
    uint64_t tests;
    karat_diag diag;
    bool broken; /* A file cannot be written: diag */
} shrinking;

static uint64_t model_steps(const shrinking *s, prog *p, uint64_t limit, unsigned *uncertain) {
    const gen_limits limits = {s->o->profile, (uint32_t)s->o->threads, limit, 0};
    return gen_model_steps(p, s->candidate, &limits, uncertain);
}

/* --- The journal --- */

enum { REFUSED = '-', PASSED = '0', FAILED = '1' }; /* Refused by the model */

/* Its first line: a journal of other arguments is none of this run. */
static void journal_head(const shrink_options *o, const prog *p, char line[64]) {
    XXH3_state_t *state = XXH3_createState();
    uint64_t hash = 0;
    if (state && XXH3_64bits_reset(state) != XXH_ERROR) {
        for (uint32_t i = 0; i < p->num; i++) {
            const uint32_t words[] = {p->insn[i].prefix, p->insn[i].word};
            XXH3_64bits_update(state, words, sizeof words);
        }
        XXH3_64bits_update(state, p->data, p->data_size);
        XXH3_64bits_update(state, &p->launch, sizeof p->launch);
        XXH3_64bits_update(state, &o->threads, sizeof o->threads);
        XXH3_64bits_update(state, o->test, strlen(o->test));
        hash = XXH3_64bits_digest(state);
    }
    XXH3_freeState(state);
    snprintf(line, 64, "karat shrink " KARAT_VERSION " %016" PRIx64 "\n", hash);
}

static bool journal_open(shrinking *s, const prog *p) {
    char head[64], found[64];
    journal_head(s->o, p, head);
    s->replays = s->o->resume;
    s->journal = fopen(s->journal_path, s->o->resume ? "r+" : "w");
    if (!s->journal)
        cli_error("%s: %s: %s", s->journal_path, s->o->resume ? "nothing to resume" : "cannot be written",
                  strerror(errno));
    else if (s->o->resume && !(fgets(found, sizeof found, s->journal) && strcmp(found, head) == 0))
        cli_error("%s: the journal of another program, test or version", s->journal_path);
    else if (!s->o->resume && (fputs(head, s->journal) < 0 || fflush(s->journal)))
        cli_error("%s: cannot be written: %s", s->journal_path, strerror(errno));
    else
        return true;
    return false;
}

/* Its result for the next candidate; EOF: no more. */
static int journal_next(shrinking *s) {
    if (!s->replays)
        return EOF;
    const int result = fgetc(s->journal);
    if (result == EOF)
        s->replays = fseek(s->journal, 0, SEEK_END) != 0; /* A seek ends reading and begins writing */
    return result;
}

static bool break_off(shrinking *s, const char *what) {
    snprintf(s->diag.text, sizeof s->diag.text, "%.200s: %s", s->journal_path, what);
    return !(s->broken = true);
}

static bool journal_put(shrinking *s, int result) {
    return (fputc(result, s->journal) != EOF && fflush(s->journal) == 0) || break_off(s, "cannot be written");
}

/* --- Candidates --- */

static int judge(shrinking *s, prog *p) {
    unsigned unwritten = 0;
    if (!output_elf(p, s->candidate, &s->diag)) {
        s->broken |= !p->failed;
        return REFUSED;
    }
    const uint64_t steps = model_steps(s, p, 2 * s->steps + 1000, &unwritten);
    if (!steps || unwritten & ~s->unwritten & GEN_UNWRITTEN)
        return REFUSED;
    return run_test(s->o, s->candidate) == s->status ? FAILED : PASSED;
}

static shrink_outcome fails(void *context, prog *p) {
    shrinking *s = context;
    if (karat_progress_due())
        karat_progress_show("%" PRIu32 " instructions, %" PRIu32 " warps of %" PRIu32 " workgroups, %" PRIu64
                            " tests",
                            s->smallest.num, s->smallest.warps, s->smallest.workgroups, s->tests);
    int result = journal_next(s);
    if (result == EOF) {
        result = judge(s, p);
        if (karat_interrupted() || s->broken || !journal_put(s, result))
            return SHRINK_STOP;
    } else if (result != REFUSED && result != PASSED && result != FAILED) {
        break_off(s, "damaged");
        return SHRINK_STOP;
    }
    s->tests += result != REFUSED;
    return result == FAILED ? SHRINK_FAILS : SHRINK_PASSES;
}

static bool smaller(void *context, prog *p) {
    shrinking *s = context;
    if (!output_elf(p, s->o->out, &s->diag)) {
        s->broken = true;
        return false;
    }
    s->smallest.num = p->num;
    s->smallest.warps = p->launch.warps;
    s->smallest.workgroups = p->launch.grid[0] * p->launch.grid[1] * p->launch.grid[2];
    return true;
}

/* Files of an earlier run are removed, unless this one resumes it. False: an error was reported. */
static bool begin_outputs(const shrinking *s) {
    karat_outputs outputs = {0};
    karat_outputs_read_kernel(&outputs, s->o->program);
    karat_outputs_write(&outputs, s->candidate);
    (s->o->resume ? karat_outputs_continue : karat_outputs_write)(&outputs, s->o->out);
    (s->o->resume ? karat_outputs_continue : karat_outputs_write)(&outputs, s->journal_path);
    return cli_begin_outputs(&outputs);
}

/* Returns the status. */
static int report(const shrinking *s, const prog *p, uint32_t before, int status) {
    if (!results_are_json()) {
        if (status == CLI_OK)
            printf("%s: %" PRIu32 " instructions of %" PRIu32 ", status %d, %" PRIu64 " tests\n", s->o->out,
                   p->num, before, s->status, s->tests);
        return status;
    }
    return results_put(json_pack("{s:o, s:I, s:I, s:i, s:I, s:b}", "program", results_name(s->o->out),
                                 "instructions", (json_int_t)p->num, "before", (json_int_t)before,
                                 "test_status", s->status, "tests", (json_int_t)s->tests, "finished",
                                 status == CLI_OK))
               ? status
               : CLI_BAD_INPUT;
}

static int run_with(shrinking *s, prog *p) {
    const uint32_t before = p->num;
    if (!output_elf(p, s->candidate, &s->diag)) {
        cli_error("%s", s->diag.text);
        return CLI_BAD_INPUT;
    }
    s->steps = model_steps(s, p, UINT64_C(1000000000), &s->unwritten);
    s->status = s->steps ? run_test(s->o, s->candidate) : 0;
    if (!karat_interrupted() &&
        (!s->steps || s->status <= 0 || s->status == 126 || s->status == 127 || s->status == CLI_BAD_INPUT)) {
        const bool absent = s->steps && (s->status == 126 || s->status == 127);
        cli_error("%s: %s", absent ? s->o->test : s->o->program,
                  !s->steps ? "does not run on the model, so there is nothing to compare with"
                  : absent  ? "the test cannot be run"
                  : s->status == CLI_BAD_INPUT
                      ? "the test ends with status 2: karat and its harnesses report bad usage so, "
                        "and not that a program fails"
                  : s->status < 0 ? "the test takes too long"
                                  : "the test does not fail");
        return CLI_BAD_INPUT;
    }
    if (!karat_interrupted() && !journal_open(s, p))
        return CLI_BAD_INPUT;
    const shrink_hooks hooks = {s, fails, smaller};
    bool ok = !karat_interrupted() && smaller(s, p) && shrink(p, &hooks);
    karat_progress_hide();
    if (karat_interrupted()) {
        cli_error("interrupted at %" PRIu32 " instructions of %" PRIu32 "; --resume goes on", p->num, before);
        return report(s, p, before, CLI_INCOMPLETE);
    }
    if (!ok || s->broken) {
        cli_error("%s", s->broken ? s->diag.text : "not enough memory");
        return CLI_BAD_INPUT;
    }
    if (s->o->resume && judge(s, p) != FAILED) { /* The journal is not trusted for the rest */
        cli_error("%s: does not fail: %s is damaged, or the result of the test changes", s->o->out,
                  s->journal_path);
        return CLI_BAD_INPUT;
    }
    remove(s->journal_path);
    return report(s, p, before, CLI_OK);
}

static int run(const shrink_options *o) {
    shrinking s = {.o = o};
    const size_t room = strlen(o->out) + 16;
    prog p;
    int status = CLI_BAD_INPUT;
    s.candidate = cli_alloc(room);
    s.journal_path = cli_alloc(room);
    snprintf(s.candidate, room, "%s.try.elf", o->out);
    snprintf(s.journal_path, room, "%s.journal", o->out);
    karat_interrupt_catch();
    if (begin_outputs(&s) && gen_take_program(o->program, o->profile, &p)) {
        status = run_with(&s, &p);
        remove(s.candidate);
        prog_free(&p);
    }
    if (s.journal)
        fclose(s.journal);
    free(s.candidate);
    free(s.journal_path);
    return status;
}

int cmd_shrink(int argc, char **argv) {
    shrink_options o = {.threads = 32, .timeout = 60};
    return cli_parse(&cmd_shrink_argp, argc, argv, &o) ? run(&o) : CLI_BAD_INPUT;
}
