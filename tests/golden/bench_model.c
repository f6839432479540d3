/* How fast the model steps: one warp of 32 threads in a loop, the commit filled in full at every step.
 *
 * Usage: bench_model [STEPS]  steps of one run (default 5 million for integers, 1 million for floating point)
 *
 *   integer  of 9 instructions 7 vector ALU operations, one vlw12 and one vsw12 by all lanes
 *   float    vfadd, vfmul and vfmacc in equal parts on ordinary operands
 *
 * Two of every 74 (integer) or 62 (float) steps are the loop's own addi and bne. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "karat/karat.h"

enum { RUNS = 5, CODE = 0x1000, DATA = 0x100000, LANES = 32 };

typedef struct insn {
    const char *name;
    int32_t value[KARAT_MAX_OPERAND];
} insn;

/* v1 to v4 are inputs, v10 addresses. */
static const insn integer_mix[] = {
    {"vadd.vv", {5, 1, 2, 1}},  {"vlw12.v", {6, 0, 10}},     {"vsub.vx", {7, 5, 2, 1}},
    {"vand.vv", {8, 7, 6, 1}},  {"vsll.vi", {9, 8, 3, 1}},   {"vmul.vv", {11, 9, 3, 1}},
    {"vsw12.v", {11, 128, 10}}, {"vmax.vv", {12, 11, 5, 1}}, {"vadd12.vi", {13, 12, 77}},
};
static const insn float_mix[] = {
    {"vfadd.vv", {5, 1, 2, 1}},
    {"vfmul.vv", {6, 1, 2, 1}},
    {"vfmacc.vv", {7, 3, 4, 1}},
};

static uint32_t encode(const char *name, const int32_t value[KARAT_MAX_OPERAND]) {
    uint32_t word;
    if (!karat_encode(karat_find_row(name), value, &word)) {
        fprintf(stderr, "bench_model: no instruction '%s' with these operands\n", name);
        exit(1);
    }
    return word;
}

static void put(karat_model *model, uint32_t addr, uint32_t word) {
    const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                              (uint8_t)(word >> 24)};
    karat_write(model, addr, bytes, 4);
}

/* The mix `times` over, then a loop that does not end. */
static void load(karat_model *model, const insn *mix, unsigned num, unsigned times) {
    uint32_t pc = CODE;
    for (unsigned i = 0; i < num * times; i++, pc += 4)
        put(model, pc, encode(mix[i % num].name, mix[i % num].value));
    put(model, pc, encode("addi", (const int32_t[KARAT_MAX_OPERAND]){1, 1, 1}));
    put(model, pc + 4, encode("bne", (const int32_t[KARAT_MAX_OPERAND]){1, 0, (int32_t)(CODE - pc - 4)}));
}

static void launch(karat_model *model, bool is_float) {
    static uint32_t v[KARAT_NUM_V * LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        for (unsigned reg = 1; reg <= 4; reg++) {
            /* 1.0 to 1.999, one mantissa for each lane and register */
            uint32_t fraction = (lane * 37 + reg * 101) * 15013 & 0x7fffff;
            v[reg * LANES + lane] = is_float ? 0x3f800000 | fraction : fraction * 2654435761u;
        }
        v[10 * LANES + lane] = DATA + 4 * lane;
    }
    const karat_launch_desc desc = {.pc = CODE, .mask = 0xffffffffu, .v = v};
    karat_workgroup_close(model, 0);
    karat_workgroup_open(model, 0, 1);
    karat_launch(model, 0, &desc);
}

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int bench(const char *name, const insn *mix, unsigned num, unsigned times, bool is_float,
                 unsigned long steps) {
    static karat_commit commit;
    karat_config config;
    karat_config_default(&config);
    karat_model *model = karat_create(&config, NULL);
    if (!model || karat_map(model, CODE, 0x1000) != KARAT_OK || karat_map(model, DATA, 0x1000) != KARAT_OK)
        return 1;
    load(model, mix, num, times);
    double rate[RUNS];
    for (int run = 0; run < RUNS; run++) {
        launch(model, is_float);
        double start = now();
        for (unsigned long i = 0; i < steps; i++)
            if (karat_step(model, 0, &commit) != KARAT_OK) {
                fprintf(stderr, "bench_model: %s at 0x%08x\n", karat_error_name(commit.error.kind),
                        commit.pc);
                return 1;
            }
        rate[run] = (double)steps / (now() - start) * 1e-6;
    }
    qsort(rate, RUNS, sizeof *rate, ascending);
    double vector = (double)(num * times) / (num * times + 2); /* of the steps */
    double lanes = rate[RUNS / 2] * vector * LANES;
    printf("%-8s %7.2f M warp-instructions/s best of %d, %7.2f median, %8.1f M lane operations/s median\n",
           name, rate[RUNS - 1], RUNS, rate[RUNS / 2], lanes);
    karat_destroy(model);
    return 0;
}

int main(int argc, char **argv) {
    unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
    return bench("integer", integer_mix, 9, 8, false, steps ? steps : 5000000) ||
           bench("float", float_mix, 3, 20, true, steps ? steps : 1000000);
}
