/* How fast the model steps: one warp in a loop, the commit filled in full at every step.
 *
 * Usage: bench_model                           names the loops
 *        bench_model LOOP THREADS STEPS [HOW]  runs them; scripts/bench times the process, and counts its
 *                                              instructions
 *
 * HOW: 'slices' takes the steps by karat_run_slice(), 'turns' by karat_run_turns() of 8 warps, as many in
 * all.
 *
 *   integer    of 9 instructions 7 vector ALU operations, one vlw12 and one vsw12 of consecutive words
 *   float      vfadd, vfmul and vfmacc in equal parts on ordinary operands
 *   rtz        the same, rounding towards zero
 *   f16        vfadd, vfmul, and vfmacc and vfnmsac in turn, on binary16 (v2.03, SEW 16)
 *   f64        the same on binary64 (v2.03, by pair), each after its prefix
 *   convert    of 11 instructions 9 of vfdiv, vfsqrt, vfmin, vmflt, vfclass, vfsgnj and conversions, and 2
 *              that write frm: to nearest, to zero
 *   memory     of 8 instructions 7 loads and stores: consecutive words, one address for all lanes, bytes,
 *              every second word
 *   scatter    loads and stores of a word at an address of its own in each lane, in no order, on several
 *              pages
 *   divergent  a branch that splits the lanes, an addition on both paths, and the JOINs
 *   scalar     arithmetic, a load and a store of scalar registers
 *
 * Some steps of each are the loop's own addi and bne. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "karat/karat.h"

enum { TURNS = 8 /* Warps */ };
enum { FRM = 2, CODE = 0x1000, CODE_SIZE = 0x1000, DATA = 0x100000, DATA_SIZE = 0x10000 };

typedef struct insn {
    const char *name;
    int32_t value[KARAT_MAX_OPERAND];
} insn;

/* Inputs are v1 to v5; v10 has addresses of consecutive words, v11 scattered ones, v12 one address, v13 the
 * lanes' parity. x2 is the address of the data, x3 the stride, x4 an input. */
static const insn integer_mix[] = {
    {"vadd.vv", {5, 1, 2, 1}},  {"vlw12.v", {6, 0, 10}},     {"vsub.vx", {7, 5, 4, 1}},
    {"vand.vv", {8, 7, 6, 1}},  {"vsll.vi", {9, 8, 3, 1}},   {"vmul.vv", {14, 9, 3, 1}},
    {"vsw12.v", {14, 128, 10}}, {"vmax.vv", {15, 14, 5, 1}}, {"vadd12.vi", {16, 15, 77}},
};
static const insn float_mix[] = {
    {"vfadd.vv", {5, 1, 2, 1}},
    {"vfmul.vv", {6, 1, 2, 1}},
    {"vfmacc.vv", {7, 3, 4, 1}},
};
/* The sums of products stay small. Of binary64, even registers are lower words. */
static const insn f16_mix[] = {
    {"vfadd.vv", {5, 1, 2, 1}}, {"vfmul.vv", {6, 1, 2, 1}}, {"vfmacc.vv", {7, 3, 4, 1}},
    {"vfadd.vv", {5, 1, 2, 1}}, {"vfmul.vv", {6, 1, 2, 1}}, {"vfnmsac.vv", {7, 3, 4, 1}},
};
static const insn f64_mix[] = {
    {"vfadd.vv", {6, 2, 4, 1}}, {"vfmul.vv", {8, 2, 4, 1}}, {"vfmacc.vv", {10, 2, 4, 1}},
    {"vfadd.vv", {6, 2, 4, 1}}, {"vfmul.vv", {8, 2, 4, 1}}, {"vfnmsac.vv", {10, 2, 4, 1}},
};
static const insn convert_mix[] = {
    {"csrrwi", {0, FRM, 0}},    {"vfdiv.vv", {5, 1, 2, 1}},   {"vfsqrt.v", {6, 1, 1}},
    {"vfmin.vv", {7, 1, 2, 1}}, {"vmflt.vv", {8, 1, 2, 1}},   {"vfclass.v", {9, 1, 1}},
    {"csrrwi", {0, FRM, 1}},    {"vfcvt.x.f.v", {14, 1, 1}},  {"vfcvt.f.x.v", {15, 14, 1}},
    {"vfdiv.vv", {5, 2, 3, 1}}, {"vfsgnj.vv", {16, 1, 2, 1}},
};
static const insn memory_mix[] = {
    {"vlw12.v", {5, 0, 10}},  {"vadd.vv", {6, 5, 1, 1}}, {"vsw12.v", {6, 256, 10}},   {"vlw12.v", {7, 0, 12}},
    {"vlbu12.v", {8, 0, 10}}, {"vle32.v", {9, 2, 1}},    {"vlse32.v", {14, 2, 3, 1}}, {"vse32.v", {6, 2, 1}},
};
static const insn scatter_mix[] = {
    {"vlw12.v", {5, 0, 11}},
    {"vsw12.v", {5, 512, 11}},
};
/* Register x5 is the address of the first instruction. */
static const insn divergent_mix[] = {
    {"setrpc", {6, 5, 20}}, {"vbne", {0, 13, 12}},     {"vadd.vv", {5, 1, 2, 1}},
    {"beq", {0, 0, 8}},     {"vadd.vv", {5, 1, 3, 1}}, {"join", {0}},
};
static const insn scalar_mix[] = {
    {"add", {7, 4, 3}},  {"lw", {8, 0, 2}},     {"xor", {9, 7, 8}},
    {"mul", {10, 9, 4}}, {"slli", {11, 10, 3}}, {"sw", {11, 4, 2}},
};

typedef struct loop {
    const char *name;
    const insn *mix;
    unsigned num, times; /* Instructions of the mix, and how often it stands in the loop */
    unsigned float_bits; /* Width of the inputs, where they are numbers */
    uint32_t frm;
} loop;
#define MIX(mix) mix, sizeof mix / sizeof *mix
static const loop loops[] = {
    {"integer", MIX(integer_mix), 8, 0, 0},     {"float", MIX(float_mix), 20, 32, 0},
    {"rtz", MIX(float_mix), 20, 32, 1},         {"f16", MIX(f16_mix), 10, 16, 0},
    {"f64", MIX(f64_mix), 10, 64, 0},           {"convert", MIX(convert_mix), 6, 32, 0},
    {"memory", MIX(memory_mix), 8, 0, 0},       {"scatter", MIX(scatter_mix), 30, 0, 0},
    {"divergent", MIX(divergent_mix), 1, 0, 0}, {"scalar", MIX(scalar_mix), 10, 0, 0},
};
enum { NUM_LOOPS = sizeof loops / sizeof *loops };

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

/* SEW 16 where the mix wants it, then the mix some times over, in a loop that does not end. */
static void load(karat_model *model, const loop *l) {
    uint32_t pc = CODE;
    if (l->float_bits == 16) {
        put(model, pc, encode("vsetvli", (const int32_t[KARAT_MAX_OPERAND]){6, 0, 1 << 3}));
        pc += 4;
    }
    const uint32_t start = pc;
    for (unsigned i = 0; i < l->num * l->times; i++, pc += 4) {
        if (l->float_bits == 64) {
            put(model, pc, encode("prefix", (const int32_t[KARAT_MAX_OPERAND]){[4] = 1}));
            pc += 4;
        }
        put(model, pc, encode(l->mix[i % l->num].name, l->mix[i % l->num].value));
    }
    put(model, pc, encode("addi", (const int32_t[KARAT_MAX_OPERAND]){1, 1, 1}));
    put(model, pc + 4, encode("bne", (const int32_t[KARAT_MAX_OPERAND]){1, 0, (int32_t)(start - pc - 4)}));
}

/* An input of that register: 1.0 to 1.999, one mantissa for each lane and register, or an integer. */
static uint32_t input(const loop *l, uint32_t lane, unsigned reg) {
    const uint32_t fraction = (lane * 37 + reg * 101) * 15013 & 0x7fffff;
    switch (l->float_bits) {
    case 16: return 0xffff3c00 | fraction >> 13;
    case 32: return 0x3f800000 | fraction;
    case 64: return reg & 1 ? 0x3ff00000 | fraction >> 3 : fraction * 2654435761u;
    default: return fraction * 2654435761u;
    }
}

static void launch(karat_model *model, const loop *l) {
    static uint32_t v[KARAT_NUM_V * KARAT_MAX_THREAD];
    static const uint32_t x[KARAT_NUM_X] = {[2] = DATA, [3] = 8, [4] = 12345, [5] = CODE};
    const uint32_t num_thread = karat_get_config(model)->num_thread;
    for (uint32_t lane = 0; lane < num_thread; lane++) {
        for (unsigned reg = 1; reg <= 5; reg++)
            v[reg * num_thread + lane] = input(l, lane, reg);
        if (l->float_bits)
            continue;
        v[10 * num_thread + lane] = DATA + 4 * lane;
        v[11 * num_thread + lane] = DATA + (lane * 2654435761u >> 16 & 0xeffc);
        v[12 * num_thread + lane] = DATA + 64;
        v[13 * num_thread + lane] = lane & 1;
    }
    const karat_launch_desc desc = {.pc = CODE, .mask = 0xffffffffu >> (32 - num_thread), .x = x, .v = v};
    const uint32_t warps = karat_get_config(model)->max_warp;
    karat_workgroup_close(model, 0);
    karat_workgroup_open(model, 0, warps);
    for (uint32_t warp = 0; warp < warps; warp++) {
        karat_launch(model, warp, &desc);
        karat_csr_write(model, warp, FRM, l->frm);
    }
}

static karat_model *prepare(const loop *l, uint32_t num_thread, uint32_t warps) {
    karat_config config;
    karat_config_default(&config);
    config.num_thread = num_thread;
    config.max_warp = warps;
    config.max_workgroup = 1;
    if (l->float_bits == 16 || l->float_bits == 64)
        config.profile = KARAT_V203;
    karat_model *model = karat_create(&config, NULL);
    if (!model || karat_map(model, CODE, CODE_SIZE) != KARAT_OK ||
        karat_map(model, DATA, DATA_SIZE) != KARAT_OK) {
        fprintf(stderr, "bench_model: no model with %u threads\n", (unsigned)num_thread);
        exit(1);
    }
    load(model, l);
    return model;
}

static karat_status take(karat_model *model, const char *how, uint64_t max, uint64_t *steps,
                         karat_commit *commit) {
    static karat_slice slices[TURNS];
    static karat_turn turns[TURNS];
    static uint32_t next;
    if (!how) {
        *steps = 1;
        return karat_step(model, 0, commit);
    }
    if (strcmp(how, "slices") == 0) {
        slices[0].max = max;
        const karat_status status = karat_run_slice(model, 0, &slices[0], commit);
        *steps = slices[0].steps;
        return status;
    }
    for (uint32_t warp = 0; warp < TURNS; warp++)
        turns[warp] = (karat_turn){warp, &slices[warp]};
    const karat_status status = karat_run_turns(model, turns, TURNS, &next, max, steps, commit);
    next = (next + 1) % TURNS;
    return status;
}

static void run(karat_model *model, const loop *l, const char *how, uint64_t left) {
    static karat_commit commit;
    launch(model, l);
    for (uint64_t steps; left; left -= steps)
        if (take(model, how, left, &steps, &commit) != KARAT_OK) {
            fprintf(stderr, "bench_model: %s: %s at 0x%08x\n", l->name, karat_error_name(commit.error.kind),
                    (unsigned)commit.pc);
            exit(1);
        }
}

int main(int argc, char **argv) {
    const char *how = argc > 4 ? argv[4] : NULL;
    if (argc < 4 || (how && strcmp(how, "slices") != 0 && strcmp(how, "turns") != 0)) {
        for (unsigned i = 0; i < NUM_LOOPS; i++)
            printf("%s\n", loops[i].name);
        return 0;
    }
    unsigned i = 0;
    while (i < NUM_LOOPS && strcmp(loops[i].name, argv[1]) != 0)
        i++;
    if (i == NUM_LOOPS) {
        fprintf(stderr, "bench_model: no loop '%s'\n", argv[1]);
        return 1;
    }
    const uint32_t warps = how && strcmp(how, "turns") == 0 ? TURNS : 1;
    karat_model *model = prepare(&loops[i], (uint32_t)strtoul(argv[2], NULL, 0), warps);
    run(model, &loops[i], how, strtoul(argv[3], NULL, 0));
    karat_destroy(model);
    return 0;
}
