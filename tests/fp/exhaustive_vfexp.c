/* Compares karat_f32_exp with GNU MPFR, for every operand in a range (all 2^32 of them unless told otherwise)
 * in all five modes, value and flags. Not a test of ctest: the target exhaustive_vfexp runs it.
 *
 * Every operand's five outcomes of ours are computed and compared. The oracle's come from MPFR
 * (f32_exp_oracle.h), but not by one call per operand, because e^x rises with x: in each mode, so do the
 * rounded value and whether it overflows, and whether it is tiny falls; NX is raised wherever x is finite and
 * not 0. So if MPFR's outcomes at two finite operands of one sign are equal in all five modes, then they are
 * also those of every operand between the two. Ranges are halved until that is so, or nothing is between
 * their ends. No range where the result is constant (overflow, underflow, around 1) has to be known
 * beforehand. --every does without all that, and takes some times longer. */
#include <argp.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "f32_exp_oracle.h"

/* Threads take units of so many operands. One holds both 0 and finite operands, or NaNs, infinity and nothing
 * else, but never operands of both signs. */
enum { UNIT = 1 << 16, SHOWN = 20, STEPS = 20 };

static uint64_t from = 0, to = UINT32_MAX;
static unsigned threads;
static bool every; /* MPFR at every operand */
static struct timespec start;
static atomic_uint_least64_t next_unit, inputs_done, mismatches;

struct worker {
    pthread_t thread;
    struct exp_oracle oracle;
    uint64_t inputs, comparisons;
};

static double elapsed(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) * 1e-9;
}

static void compare(struct worker *w, uint32_t a, const struct exp_outcomes *want) {
    struct exp_outcomes got;
    exp_ours(a, &got);
    w->inputs++;
    w->comparisons += MODES;
    if (exp_same(&got, want))
        return;
    for (unsigned rm = 0; rm < MODES; rm++)
        if ((got.value[rm] != want->value[rm] || got.flags[rm] != want->flags[rm]) && mismatches++ < SHOWN)
            printf("exp rm=%u %08" PRIx32 ": got %08" PRIx32 " flags %02" PRIx32 ", MPFR says %08" PRIx32
                   " flags %02" PRIx32 "\n",
                   rm, a, got.value[rm], got.flags[rm], want->value[rm], want->flags[rm]);
}

static void evaluate(struct worker *w, uint32_t a, struct exp_outcomes *want) {
    exp_oracle(&w->oracle, a, want);
    compare(w, a, want);
}

/* The values strictly between first and last, where MPFR's outcomes are those. */
static void between(struct worker *w, uint32_t first, const struct exp_outcomes *at_first, uint32_t last,
                    const struct exp_outcomes *at_last) {
    if (last - first < 2)
        return;
    if (exp_same(at_first, at_last)) {
        for (uint32_t a = first + 1; a < last; a++)
            compare(w, a, at_first);
        return;
    }
    uint32_t middle = first + (last - first) / 2;
    struct exp_outcomes at_middle;
    evaluate(w, middle, &at_middle);
    between(w, first, at_first, middle, &at_middle);
    between(w, middle, &at_middle, last, at_last);
}

static bool is_monotonic(uint32_t a) {
    a &= 0x7fffffff;
    return a != 0 && a < 0x7f800000;
}

/* First to last, of one unit. */
static void unit(struct worker *w, uint32_t first, uint32_t last) {
    struct exp_outcomes at_first, at_last;
    if (every || !is_monotonic(last)) {
        for (uint64_t a = first; a <= last; a++)
            evaluate(w, (uint32_t)a, &at_first);
        return;
    }
    if (!is_monotonic(first))
        evaluate(w, first++, &at_first);
    evaluate(w, first, &at_first);
    if (first == last)
        return;
    evaluate(w, last, &at_last);
    between(w, first, &at_first, last, &at_last);
}

static void *work(void *argument) {
    struct worker *w = argument;
    exp_oracle_open(&w->oracle);
    uint64_t total = to - from + 1, number;
    while ((number = next_unit++) <= to / UNIT) {
        uint64_t first = number * UNIT, last = first + UNIT - 1;
        first = first < from ? from : first;
        last = last > to ? to : last;
        unit(w, (uint32_t)first, (uint32_t)last);
        uint64_t size = last - first + 1, done = inputs_done += size;
        if (done * STEPS / total != (done - size) * STEPS / total) {
            printf("%3" PRIu64 "%% after %.0f s, %" PRIu64 " mismatches\n", done * 100 / total, elapsed(),
                   (uint64_t)mismatches);
            fflush(stdout);
        }
    }
    exp_oracle_close(&w->oracle);
    return NULL;
}

static const struct argp_option options[] = {
    {"every", 'e', NULL, 0, "Call MPFR for every operand, without regard to monotonicity", 0},
    {"threads", 't', "N", 0, "Number of threads; all cores by default", 0},
    {"from", 'f', "BITS", 0, "First operand's bit pattern (0)", 0},
    {"to", 'l', "BITS", 0, "Last operand's bit pattern (0xffffffff)", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    if (key == 'e') {
        every = true;
        return 0;
    }
    if (key != 't' && key != 'f' && key != 'l')
        return ARGP_ERR_UNKNOWN;
    char *end;
    unsigned long long number = strtoull(arg, &end, 0);
    if (end == arg || *end != '\0' || *arg == '-' || number > (key == 't' ? 1024 : UINT32_MAX) ||
        (key == 't' && number == 0))
        argp_failure(state, 2, 0, "-%c: '%s' is out of range or no number", key, arg);
    else if (key == 't')
        threads = (unsigned)number;
    else
        *(key == 'f' ? &from : &to) = number;
    return 0;
}

int main(int argc, char **argv) {
    static const struct argp argp = {
        options, parse, NULL, "Compare karat_f32_exp with MPFR, all operands, modes and flags.",
        NULL,    NULL,  NULL};
    threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    argp_err_exit_status = 2;
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    if (from > to || !mpfr_buildopt_tls_p()) {
        fprintf(stderr, "exhaustive_vfexp: %s\n",
                from > to ? "--from is after --to" : "MPFR is not thread-safe");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    next_unit = from / UNIT;
    struct worker *workers = calloc(threads, sizeof *workers);
    if (workers == NULL) {
        fprintf(stderr, "exhaustive_vfexp: out of memory\n");
        return 2;
    }
    unsigned running = 0;
    while (running < threads && pthread_create(&workers[running].thread, NULL, work, &workers[running]) == 0)
        running++;
    if (running == 0) {
        fprintf(stderr, "exhaustive_vfexp: no thread can be started\n");
        return 2;
    }
    uint64_t inputs = 0, comparisons = 0, evaluations = 0;
    double closest[2] = {0, 0};
    uint32_t operand[2] = {0, 0};
    for (unsigned i = 0; i < running; i++) {
        const struct worker *w = &workers[i];
        pthread_join(w->thread, NULL);
        inputs += w->inputs;
        comparisons += w->comparisons;
        evaluations += w->oracle.evaluations;
        for (int j = 0; j < 2; j++)
            if (w->oracle.closest[j] < closest[j]) {
                closest[j] = w->oracle.closest[j];
                operand[j] = w->oracle.closest_operand[j];
            }
    }
    free(workers);
    for (int j = 0; j < 2; j++)
        if (closest[j] < 0)
            printf("closest to a rounding boundary, %s: operand %08" PRIx32 ", 2^%.2f of the result\n",
                   j == 0 ? "2^-26 <= |x| < 2^-9" : "|x| >= 2^-9", operand[j], closest[j]);
    printf("vfexp: %" PRIu64 " inputs, %" PRIu64 " comparisons (value and flags), %" PRIu64
           " MPFR evaluations, %" PRIu64 " mismatches, %.1f s, %u threads\n",
           inputs, comparisons, evaluations, (uint64_t)mismatches, elapsed(), running);
    return mismatches != 0 || inputs != to - from + 1;
}
