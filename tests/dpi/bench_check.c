/* The cost of a WRITE of 32 lanes from its DPI function to the end of its comparison, and how many records
 * a checker takes in a second.
 *
 * A core of 32 lanes runs vector instructions; its records come in through the retire port in batches, as
 * harnesses have it. The same run without its WRITEs costs everything else (the model's steps too): the
 * difference is theirs. Both are timed in turns, in processor time; what is printed is the median of
 * ROUNDS pairs. The stream is short, so that it stays in the cache as a simulator's does, and is repeated. */
#include "check.h"
#include "port.h"
#include "synthetic_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 41, REPEATS = 50, LANES = 32, BODY = 120, WORKGROUPS = 4, BATCH = 16 * 1024 };

/* The DPI functions, which simulators call. */
#define DECLARE(name, NAME, kind, size) void karat_port_##name(const uint32_t *record);
KARAT_REC_EACH(DECLARE)
#undef DECLARE

static void cross(const record *r) {
    const uint32_t *words = (const uint32_t *)(const void *)r;
    switch (r->h.kind) {
#define CASE(name, NAME, kind, size)                                                                         \
    case KARAT_REC_##NAME: karat_port_##name(words); break;
        KARAT_REC_EACH(CASE)
#undef CASE
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static stream make(bool writes) {
    static const char *const rows[] = {"vadd_vv", "vsub_vv", "vand_vv", "vor_vv", "vxor_vv", "vmax_vv"};
    program p = {.num = 0};
    put_prologue(&p);
    for (int i = 0; i < BODY; i++)
        put(&p, rows[i % 6], 8 + i % 16, 1 + i % 3, 2, 1);
    put0(&p, "endprg");
    core_options o = core_default();
    o.num_thread = LANES;
    o.workgroups = WORKGROUPS;
    o.audit_percent = 0;
    o.uncounted = true;
    o.gives = 1u << KARAT_REC_LAUNCH | 1u << KARAT_REC_ISSUE | 1u << KARAT_REC_EXIT |
              (writes ? 1u << KARAT_REC_WRITE : 0);
    stream s = {NULL, 0, 0};
    core_run(&p, &o, &s, NULL);
    return s;
}

/* Processor time of one run, which ends with that verdict. */
static double run(const stream *s, karat_verdict expected) {
    karat_check_config config;
    karat_check_config_default(&config);
    config.model = core_model_config();
    karat_checker *checker = karat_checker_create(&config);
    karat_port *port = karat_port_create(1);
    if (!checker || !port || !karat_port_add_sink(port, karat_checker_record, checker)) {
        fprintf(stderr, "bench_check: out of memory\n");
        exit(1);
    }
    karat_port_batch(port, BATCH);
    karat_port_attach(port);
    const double start = now();
    for (size_t i = 0; i < s->num; i++)
        cross(&s->at[i]);
    karat_port_flush(port);
    const double time = now() - start;
    if (karat_checker_verdict(checker) != expected) {
        karat_checker_report(checker, stderr);
        exit(1);
    }
    karat_port_attach(NULL);
    karat_port_destroy(port);
    karat_checker_destroy(checker);
    return time;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void) {
    stream all = make(true), less = make(false);
    size_t writes = 0;
    for (size_t i = 0; i < all.num; i++)
        writes += all.at[i].h.kind == KARAT_REC_WRITE && all.at[i].write.cls == KARAT_V;
    double cost[ROUNDS], rate[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double with = 0, without = 0;
        for (int i = 0; i < REPEATS; i++) {
            with += run(&all, KARAT_PASS);
            without += run(&less, KARAT_INCOMPLETE); /* Nothing is compared */
        }
        cost[round] = (with - without) / REPEATS / (double)(all.num - less.num) * 1e9;
        rate[round] = (double)all.num * REPEATS / with * 1e-6;
    }
    qsort(cost, ROUNDS, sizeof *cost, ascending);
    qsort(rate, ROUNDS, sizeof *rate, ascending);
    printf("%zu records, %zu of them WRITEs, %zu of %d lanes\n", all.num, all.num - less.num, writes, LANES);
    printf("crossing and comparing a WRITE  %6.1f ns median (quartiles %.1f to %.1f)\n", cost[ROUNDS / 2],
           cost[ROUNDS / 4], cost[3 * ROUNDS / 4]);
    printf("the whole, with the model       %6.2f M records/s median, %.2f best\n", rate[ROUNDS / 2],
           rate[ROUNDS - 1]);
    stream_free(&all);
    stream_free(&less);
    return 0;
}
