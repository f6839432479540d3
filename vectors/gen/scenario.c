#include "scenario.h"

#include "hazard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Registers. x1 to x10 and v0 to v7 are as hazard.h has them; x16 to x23 and v16 to v23 are for its results. */
enum {
    X_BASE = 1, /* the warp's own device memory */
    X_RPC = 2,
    X_TEMP = 3,
    X_WARP = 11, /* number in the workgroup */
    X_WARPS = 12,
    X_GROUP = 13,
    X_COUNT = 14,
    X_LDS = 15, /* the warp's own part of local memory */
    X_SHARED = 24,
    X_RESULT = 25,
    V_LANE = 2,
    V_ADDRESS = 3, /* X_BASE, lane by lane */
    V_SUM = 10,    /* what is stored at the end */
    V_OTHER = 11,
    V_COUNT = 12,
    V_ZERO = 13,
    V_PLACE = 14
};

enum {
    REGION = 1024, /* bytes of device memory and of local memory a warp: results, then what it likes */
    WORK = 512,
    SHARED = 4096, /* bytes of device memory that all share: the first */
    DEFAULT_WARPS = 4,
    HAZARD_DISTANCES = 5,
    KNL = 2048, /* of these, a print buffer that is empty */
    PAGE = 4096,
    CSR_FFLAGS = 1,
    CSR_FRM,
    CSR_VXSAT = 9,
    CSR_VXRM,
    CSR_TID = 0x800,
    CSR_NUMW = 0x801,
    CSR_WID = 0x805,
    CSR_LDS = 0x806,
    CSR_GDX = 0x808,
    CSR_PRINT = 0x80b
};

typedef struct scene {
    const row_table *table;
    const directed_params *params;
    prog *p;
    uint32_t depth; /* 0: the scenario's own */
    uint32_t more;  /* bytes of device memory behind the warps' regions */
} scene;

/* --- Begin and end --- */

static void launch(scene *s, uint32_t groups, uint32_t warps) {
    prog *p = s->p;
    p->launch.grid[0] = groups;
    p->launch.warps = s->params->warps ? s->params->warps : warps;
    p->launch.lds = p->launch.warps * REGION + SHARED;
    p->launch.vgprs = 64; /* so that eight warps fit where there are few */
    p->launch.knl = PROG_DATA + KNL;
}

static void begin(scene *s) {
    prog *p = s->p;
    prog_add(p, "csrrs", X_WARP, CSR_WID, 0);
    prog_add(p, "csrrs", X_WARPS, CSR_NUMW, 0);
    prog_add(p, "csrrs", X_GROUP, CSR_GDX, 0);
    prog_add(p, "csrrs", X_LDS, CSR_LDS, 0);
    prog_add(p, "mul", X_BASE, X_GROUP, X_WARPS);
    prog_add(p, "add", X_BASE, X_BASE, X_WARP);
    prog_add(p, "slli", X_BASE, X_BASE, 10); /* REGION */
    prog_li(p, X_SHARED, PROG_DATA);
    prog_li(p, X_TEMP, PROG_DATA + SHARED);
    prog_add(p, "add", X_BASE, X_BASE, X_TEMP);
    prog_add(p, "slli", X_TEMP, X_WARP, 10);
    prog_add(p, "add", X_LDS, X_LDS, X_TEMP);
    prog_li(p, X_RESULT, 0);
    hazard_begin(p);
    prog_add(p, "vid.v", V_LANE, 1);
    prog_add(p, "vsll.vi", V_ADDRESS, V_LANE, 2, 1);
    prog_add(p, "vadd.vx", V_ADDRESS, V_ADDRESS, X_BASE, 1);
    prog_add(p, "vadd.vx", V_SUM, V_LANE, X_WARP, 1);
    prog_add(p, "vmv.v.i", V_ZERO, 0);
}

static void end(scene *s) {
    prog *p = s->p;
    prog_add(p, "vsw12.v", V_SUM, 0, V_ADDRESS);
    prog_add(p, "sw", X_RESULT, 128, X_BASE);
    prog_add(p, "endprg");
}

/* Bytes of device memory, and where it ends. */
static uint32_t data_size(const scene *s) {
    const uint32_t size = SHARED + s->p->launch.grid[0] * s->p->launch.warps * REGION + s->more;
    return (size + PAGE - 1) / PAGE * PAGE;
}

static uint32_t threads(const scene *s) {
    return s->params->num_thread;
}

/* What results of hazard.h are in gets a value. */
static void clear_registers(scene *s) {
    for (int32_t i = 0; i < 8; i++) {
        prog_add(s->p, "addi", HAZARD_X + i, X_WARP, i);
        prog_add(s->p, "vadd.vi", HAZARD_V + i, V_LANE, i, 1);
    }
}

/* --- Control flow --- */

/* CSR_RPC = a place to be named by prog_lead() of what this returns. */
static int32_t set_rpc(scene *s) {
    const int32_t place = prog_la(s->p, X_RPC);
    prog_add(s->p, "setrpc", 0, X_RPC, 0);
    return place;
}

static void here(scene *s, int32_t insn) {
    prog_lead(s->p, insn, (int32_t)s->p->num);
}

/* A VBRANCH that thread number 'lane' takes alone. */
static int32_t part_with(scene *s, uint32_t lane) {
    prog_li(s->p, X_TEMP, lane);
    prog_add(s->p, "vmv.v.x", V_OTHER, X_TEMP);
    return prog_add(s->p, "vbeq", V_LANE, V_OTHER, 0);
}

static void add(scene *s, int32_t amount) {
    prog_add(s->p, "vadd.vi", V_SUM, V_SUM, amount, 1);
}

/* One thread leaves at each level, the rest goes deeper; a reconvergence point for each level. */
static void nested(scene *s) {
    enum { MOST = 64 };
    int32_t place[MOST], other[MOST];
    const uint32_t levels = s->depth ? s->depth : threads(s);
    for (uint32_t i = 0; i < levels; i++) {
        place[i] = set_rpc(s);
        other[i] = part_with(s, i);
        add(s, 1);
    }
    prog_add(s->p, "vadd.vv", V_SUM, V_SUM, V_LANE, 1);
    for (uint32_t i = levels; i-- > 0;) {
        here(s, other[i]);
        here(s, place[i]);
        prog_add(s->p, "join");
        add(s, 3);
    }
}

/* The same with one point for all levels: its JOIN takes what is left, one after the other. */
static void join_chain(scene *s) {
    enum { MOST = 64 };
    int32_t other[MOST];
    const uint32_t levels = s->depth ? s->depth : threads(s);
    const int32_t place = set_rpc(s);
    for (uint32_t i = 0; i < levels; i++) {
        other[i] = part_with(s, i);
        add(s, 1);
    }
    for (uint32_t i = 0; i < levels; i++)
        here(s, other[i]);
    here(s, place);
    prog_add(s->p, "join");
    add(s, 3);
}

/* Halves of halves: both paths diverge again, as deep as it goes. */
static void tree(scene *s, uint32_t level) {
    if (level == 0) {
        prog_add(s->p, "vadd.vv", V_SUM, V_SUM, V_LANE, 1);
        return;
    }
    const int32_t place = set_rpc(s);
    prog_li(s->p, X_TEMP, 1u << (level - 1));
    prog_add(s->p, "vand.vx", V_OTHER, V_LANE, X_TEMP, 1);
    const int32_t other = prog_add(s->p, "vbne", V_OTHER, V_ZERO, 0);
    add(s, 1);
    tree(s, level - 1);
    const int32_t out = prog_add(s->p, "jal", 0, 0);
    here(s, other);
    add(s, 2);
    tree(s, level - 1);
    here(s, out);
    here(s, place);
    prog_add(s->p, "join");
}

static void halves(scene *s) {
    uint32_t levels = s->depth;
    if (!levels)
        while (1u << levels < threads(s))
            levels++;
    tree(s, levels < 6 ? levels : 6);
}

/* Each thread in turn against all others, both ways round. */
static void comb(scene *s) {
    for (uint32_t i = 0; i < threads(s); i++) {
        const int32_t place = set_rpc(s);
        prog_li(s->p, X_TEMP, i);
        prog_add(s->p, "vmv.v.x", V_OTHER, X_TEMP);
        const int32_t other = prog_add(s->p, i % 2 ? "vbeq" : "vbne", V_LANE, V_OTHER, 0);
        add(s, 1);
        const int32_t out = prog_add(s->p, "jal", 0, 0);
        here(s, other);
        add(s, 5);
        here(s, out);
        here(s, place);
        prog_add(s->p, "join");
    }
}

/* A loop that each thread leaves one trip later than its neighbour. */
static void staggered(scene *s) {
    prog_li(s->p, X_TEMP, s->depth ? s->depth : threads(s));
    prog_add(s->p, "vminu.vx", V_COUNT, V_LANE, X_TEMP, 1);
    const int32_t top = (int32_t)s->p->num, place = set_rpc(s),
                  done = prog_add(s->p, "vbeq", V_COUNT, V_ZERO, 0);
    prog_add(s->p, "vadd.vv", V_SUM, V_SUM, V_COUNT, 1);
    prog_add(s->p, "vadd.vi", V_COUNT, V_COUNT, -1, 1);
    prog_lead(s->p, prog_add(s->p, "jal", 0, 0), top);
    here(s, done);
    here(s, place);
    prog_add(s->p, "join");
}

/* Each VBRANCH with all threads of one mind, then JOIN where nothing waits. */
static void all_alike(scene *s) {
    static const char *const names[] = {"vbeq", "vbne", "vblt", "vbge", "vbltu", "vbgeu"};
    for (uint32_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        const int32_t place = set_rpc(s),
                      other = prog_add(s->p, names[i / 2], i % 2 ? V_OTHER : V_ZERO, V_ZERO, 0);
        add(s, (int32_t)i);
        here(s, other);
        add(s, 1);
        here(s, place);
        prog_add(s->p, "join");
    }
}

static void uniform(scene *s) {
    prog_add(s->p, "vmv.v.i", V_OTHER, -1);
    all_alike(s);
    const int32_t place = set_rpc(s);
    prog_add(s->p, "vand.vi", V_COUNT, V_LANE, 1, 1);
    const int32_t other = prog_add(s->p, "vbne", V_COUNT, V_ZERO, 0);
    all_alike(s); /* whose points are not that of the stack's top */
    const int32_t out = prog_add(s->p, "jal", 0, 0);
    here(s, other);
    all_alike(s);
    here(s, out);
    here(s, place);
    prog_add(s->p, "join");
}

/* A tree whose branches the seed decides: one thread, a run of threads, every other thread, or those of a random set part with the
 * others, whoever of them is active; sometimes both paths go on. Between, VBRANCHes that nobody or everybody takes. */
static void grow(scene *s, uint64_t *seed, uint32_t levels) {
    prog *p = s->p;
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint32_t random = (uint32_t)(*seed >> 33), all = threads(s);
    prog_add(p, "vbne", V_ZERO, V_ZERO, 4);
    here(s, prog_add(p, "vbeq", V_ZERO, V_ZERO, 0));
    prog_add(p, "join");
    if (!levels)
        return;
    const int32_t place = set_rpc(s);
    prog_li(p, X_TEMP, random % all);
    switch (random >> 8 & 3) {
    case 0: prog_add(p, "vmseq.vx", V_OTHER, V_LANE, X_TEMP, 1); break;
    case 1: prog_add(p, "vmsltu.vx", V_OTHER, V_LANE, X_TEMP, 1); break;
    case 2: prog_add(p, "vand.vi", V_OTHER, V_LANE, 1, 1); break;
    default:
        prog_li(p, X_TEMP, random);
        prog_add(p, "vmv.v.x", V_OTHER, X_TEMP);
        prog_add(p, "vsrl.vv", V_OTHER, V_OTHER, V_LANE, 1);
        prog_add(p, "vand.vi", V_OTHER, V_OTHER, 1, 1);
        break;
    }
    const int32_t other = prog_add(p, random >> 10 & 1 ? "vbne" : "vbeq", V_OTHER, V_ZERO, 0);
    add(s, 1);
    grow(s, seed, levels - 1);
    const int32_t out = prog_add(p, "jal", 0, 0);
    here(s, other);
    add(s, 2);
    if (levels < 4 && random >> 11 & 1)
        grow(s, seed, levels - 1);
    here(s, out);
    here(s, place);
    prog_add(p, "join");
    grow(s, seed, 0);
}

/* Threads leave one after the other until, at that depth, those of the set are left: what may happen there does. */
static void peel(scene *s, uint64_t *seed, uint32_t set, uint32_t levels) {
    enum { MOST = 32 };
    prog *p = s->p;
    int32_t place[MOST], other[MOST];
    uint32_t lane = 0;
    for (uint32_t i = 0; i < levels; i++, lane++) {
        while (set >> lane % 32 & 1)
            lane++;
        place[i] = set_rpc(s);
        if (i + 1 < levels)
            other[i] = part_with(s, lane);
        else { /* all the others at once */
            prog_li(p, X_TEMP, set);
            prog_add(p, "vmv.v.x", V_OTHER, X_TEMP);
            prog_add(p, "vsrl.vv", V_OTHER, V_OTHER, V_LANE, 1);
            prog_add(p, "vand.vi", V_OTHER, V_OTHER, 1, 1);
            other[i] = prog_add(p, "vbeq", V_OTHER, V_ZERO, 0);
        }
    }
    grow(s, seed, 2);
    for (uint32_t i = levels; i-- > 0;) {
        here(s, other[i]);
        here(s, place[i]);
        prog_add(p, "join");
        add(s, 3);
    }
}

static void plant(scene *s, uint64_t seed) {
    static const uint32_t sets[] = {0x55555555, 0xaaaaaaaa, 0x00000001, 0x0000000b};
    static const uint8_t levels[] = {1, 2, 3, 4, 5, 7, 10, 16};
    for (uint32_t i = 0; i < 16; i++)
        grow(s, &seed, 1 + i);
    for (uint32_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (uint32_t k = 0; k < sizeof levels; k++) {
            const uint32_t set = sets[i] & UINT32_MAX >> (32 - threads(s));
            if (levels[k] + (uint32_t)__builtin_popcount(set) <= threads(s))
                peel(s, &seed, set, levels[k]);
        }
}

static void forest(scene *s) {
    plant(s, 1);
}

/* --- Warps and workgroups --- */

/* X_COUNT rounds of a loop; none where it is 0. */
static void delay(scene *s) {
    const int32_t top = (int32_t)s->p->num, done = prog_add(s->p, "beq", X_COUNT, 0, 0);
    prog_add(s->p, "addi", X_COUNT, X_COUNT, -1);
    prog_add(s->p, "addi", X_RESULT, X_RESULT, 1);
    prog_lead(s->p, prog_add(s->p, "jal", 0, 0), top);
    here(s, done);
}

/* Workgroups of different lengths, far more than there are slots: each slot's registers, stack and CSRs are used again. */
static void slots(scene *s) {
    prog_add(s->p, "andi", X_COUNT, X_GROUP, 7);
    prog_add(s->p, "add", X_COUNT, X_COUNT, X_WARP);
    delay(s);
    const int32_t place = set_rpc(s);
    const int32_t other = part_with(s, 1);
    prog_add(s->p, "csrrwi", 0, 2, 3); /* frm, which the next one has to find 0 */
    add(s, 7);
    here(s, other);
    here(s, place);
    prog_add(s->p, "join");
    prog_add(s->p, "csrrs", X_TEMP, 2, 0);
    prog_add(s->p, "add", X_RESULT, X_RESULT, X_TEMP);
}

/* A warp stores, all meet, and it loads what its neighbour has stored. */
static void exchange(scene *s) {
    prog *p = s->p;
    prog_add(p, "vsw12.v", V_SUM, WORK, V_ADDRESS);
    prog_add(p, "barrier", 0);
    prog_add(p, "addi", X_TEMP, X_WARP, 1);
    prog_add(p, "remu", X_TEMP, X_TEMP, X_WARPS);
    prog_add(p, "sub", X_TEMP, X_TEMP, X_WARP);
    prog_add(p, "slli", X_TEMP, X_TEMP, 10);
    prog_add(p, "vadd.vx", V_PLACE, V_ADDRESS, X_TEMP, 1);
    prog_add(p, "vlw12.v", V_OTHER, WORK, V_PLACE);
    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_add(p, "barrier", 0);
}

static void barriers(scene *s) {
    prog *p = s->p;
    static const int32_t steps[] = {0, 1, 3, 12, 40};
    for (uint32_t i = 0; i < 2 * sizeof steps / sizeof *steps; i++) {
        prog_add(p, "addi", X_COUNT, X_WARP, 0);
        if (i % 2) { /* the last warp first */
            prog_add(p, "sub", X_COUNT, X_WARPS, X_WARP);
            prog_add(p, "addi", X_COUNT, X_COUNT, -1);
        }
        prog_li(p, X_TEMP, (uint32_t)steps[i / 2]);
        prog_add(p, "mul", X_COUNT, X_COUNT, X_TEMP);
        delay(s);
        exchange(s);
    }
}

/* While loads are on their way and nothing else waits for them, all meet; then one stores where the others have loaded. */
static void barrier_loads(scene *s) {
    enum { WORDS = 512 }; /* in what all share */
    prog *p = s->p;
    clear_registers(s);
    prog_add(p, "addi", X_COUNT, 0, 24);
    const int32_t top = (int32_t)p->num;
    prog_add(p, "remu", X_TEMP, X_COUNT, X_WARPS);
    prog_add(p, "sub", X_TEMP, X_TEMP, X_WARP);
    prog_add(p, "sltu", X_TEMP, 0, X_TEMP); /* 0: this one stores */
    const int32_t stores = prog_add(p, "beq", X_TEMP, 0, 0);
    for (int32_t i = 0; i < 4; i++)
        prog_add(p, "lw", HAZARD_X + i, WORDS + 64 * i, X_SHARED);
    here(s, stores);
    prog_add(p, "barrier", 0);
    const int32_t others = prog_add(p, "bne", X_TEMP, 0, 0);
    for (int32_t i = 4; i-- > 0;)
        prog_add(p, "sw", X_COUNT, WORDS + 64 * i, X_SHARED);
    here(s, others);
    prog_add(p, "barrier", 24); /* of scope all_svm_devices */
    for (int32_t i = 0; i < 4; i++)
        prog_add(p, "add", X_RESULT, X_RESULT, HAZARD_X + i);
    prog_add(p, "addi", X_COUNT, X_COUNT, -1);
    prog_lead(p, prog_add(p, "bne", X_COUNT, 0, 0), top);
}

/* Workgroups end with loads, stores and slow results on their way; the next ones find local memory 0 and registers as they set them. */
static void exits(scene *s) {
    prog *p = s->p;
    prog_add(p, "vsll.vi", V_PLACE, V_LANE, 2, 1);
    prog_add(p, "vadd.vx", V_PLACE, V_PLACE, X_LDS, 1);
    prog_add(p, "vlw12.v", V_OTHER, 0, V_PLACE);
    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_add(p, "lw", X_RESULT, WORK, X_LDS);
    prog_add(p, "vsw12.v", V_SUM, 0, V_ADDRESS);
    prog_add(p, "sw", X_RESULT, 128, X_BASE);
    prog_add(p, "addi", X_TEMP, 0, -1);
    prog_add(p, "vmv.v.x", V_COUNT, X_TEMP);
    prog_add(p, "andi", X_COUNT, X_GROUP, 3);
    for (int32_t kind = 0; kind < 3; kind++) {
        prog_add(p, "addi", X_COUNT, X_COUNT, -1);
        const int32_t other = prog_add(p, "bne", X_COUNT, 0, 0);
        prog_add(p, "lw", HAZARD_X, WORK, X_BASE);
        prog_add(p, "vlw12.v", HAZARD_V, WORK, V_ADDRESS);
        if (kind == 0) {
            prog_add(p, "vsw12.v", V_COUNT, 0, V_PLACE);
            prog_add(p, "sw", X_TEMP, WORK, X_LDS);
        } else if (kind == 1) {
            prog_add(p, "vsw12.v", V_COUNT, 0, V_PLACE);
            prog_add(p, "vsw12.v", V_COUNT, WORK, V_ADDRESS);
        } else {
            prog_add(p, "vdiv.vv", V_SUM, V_COUNT, V_LANE, 1);
            prog_add(p, "div", X_RESULT, X_TEMP, X_GROUP);
            prog_add(p, "fdiv.s", X_LDS, X_TEMP, X_GROUP, 0);
        }
        prog_add(p, "endprg");
        here(s, other);
    }
}

/* Workgroups that need so many registers and so much local memory that few of them fit. */
static void resources(scene *s) {
    s->p->launch.lds = 24 * 1024;
    s->p->launch.sgprs = 32;
    s->p->launch.vgprs = 120;
    prog_add(s->p, "vmv.v.x", 119, X_GROUP);
    prog_add(s->p, "vadd.vv", V_SUM, V_SUM, 119, 1);
    prog_add(s->p, "vmv.v.x", 117, X_WARP);
    prog_add(s->p, "vmacc.vv", 117, V_LANE, 119, 1);
    prog_add(s->p, "vadd.vv", V_SUM, V_SUM, 117, 1);
    prog_add(s->p, "andi", X_COUNT, X_GROUP, 3);
    delay(s);
}

/* Three of four workgroups end with their first instructions. */
static void end_at_once(scene *s) {
    prog_add(s->p, "csrrs", X_TEMP, CSR_GDX, 0);
    prog_add(s->p, "andi", X_TEMP, X_TEMP, 3);
    const int32_t stay = prog_add(s->p, "beq", X_TEMP, 0, 0);
    prog_add(s->p, "endprg");
    here(s, stay);
}

/* Most workgroups have nothing to do: they end cycle by cycle, on several SMs at once. The others have fewer vector registers than scalar
 * ones, and use the last of these. */
static void ends(scene *s) {
    s->p->launch.sgprs = KARAT_NUM_X;
    s->p->launch.vgprs = HAZARD_V + 8;
    prog_add(s->p, "andi", X_TEMP, X_GROUP, 7);
    const int32_t stay = prog_add(s->p, "beq", X_TEMP, 0, 0);
    prog_add(s->p, "endprg");
    here(s, stay);
    prog_add(s->p, "addi", KARAT_NUM_X - 1, X_GROUP, 5);
    prog_add(s->p, "add", X_RESULT, X_RESULT, KARAT_NUM_X - 1);
    add(s, 7);
}

/* Workgroups of one warp with as many registers as there are, in numbers that have to be rounded up. */
static void registers(scene *s) {
    s->p->launch.sgprs = 45;
    s->p->launch.vgprs = 249;
    prog_add(s->p, "vmv.v.x", 248, X_GROUP);
    prog_add(s->p, "addi", 44, X_GROUP, 3);
    prog_add(s->p, "andi", X_COUNT, X_GROUP, 7);
    prog_add(s->p, "slli", X_COUNT, X_COUNT, 2);
    delay(s);
    prog_add(s->p, "vadd.vv", V_SUM, V_SUM, 248, 1);
    prog_add(s->p, "add", X_RESULT, X_RESULT, 44);
    prog_add(s->p, "addi", 42, X_GROUP, 1);
    prog_add(s->p, "addi", 43, X_GROUP, 2);
    const row_use *u = row_named(s->table, "sw"); /* two registers at once */
    int32_t value[KARAT_MAX_OPERAND] = {0};
    value[u->source[1]] = X_BASE;
    value[u->source[2]] = 42;
    value[u->offset] = WORK;
    if (prog_put(s->p, u->row, value, PROG_REGPAIR, PROG_NONE) == PROG_NONE)
        prog_fail(s->p, "a pair cannot be stored");
}

/* Each page of the warp's half of local memory is 0, and then is not; one workgroup in four stays on the first. */
static void local_memory(scene *s) {
    enum { BYTES = 16 * 1024 + 400, PAGES = 8, LOCAL_PAGE = 1024 };
    prog *p = s->p;
    p->launch.lds = BYTES;
    prog_add(p, "csrrs", X_LDS, CSR_LDS, 0);
    prog_add(p, "andi", X_TEMP, X_WARP, 1);
    prog_add(p, "slli", X_TEMP, X_TEMP, 13);
    prog_add(p, "add", X_LDS, X_LDS, X_TEMP);
    prog_add(p, "slli", X_TEMP, X_WARP, 2);
    prog_add(p, "add", X_LDS, X_LDS, X_TEMP); /* words of their own */
    prog_add(p, "addi", X_COUNT, 0, 1);
    prog_add(p, "andi", X_TEMP, X_GROUP, 3);
    const int32_t one = prog_add(p, "beq", X_TEMP, 0, 0);
    prog_add(p, "addi", X_COUNT, 0, PAGES);
    here(s, one);
    prog_add(p, "addi", HAZARD_X, X_LDS, 0);
    const int32_t top = (int32_t)p->num;
    prog_add(p, "lw", X_TEMP, 0, HAZARD_X);
    prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
    prog_add(p, "lw", X_TEMP, LOCAL_PAGE - 64, HAZARD_X);
    prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
    prog_add(p, "addi", X_TEMP, X_COUNT, 7);
    prog_add(p, "sw", X_TEMP, 0, HAZARD_X);
    prog_add(p, "sw", X_TEMP, LOCAL_PAGE - 64, HAZARD_X);
    prog_add(p, "addi", HAZARD_X, HAZARD_X, LOCAL_PAGE);
    prog_add(p, "addi", X_COUNT, X_COUNT, -1);
    prog_lead(p, prog_add(p, "bne", X_COUNT, 0, 0), top);
    prog_add(p, "andi", X_TEMP, X_GROUP, 3);
    const int32_t first_only = prog_add(p, "beq", X_TEMP, 0, 0);
    prog_li(p, X_TEMP, PAGES * LOCAL_PAGE); /* what is behind the halves */
    prog_add(p, "csrrs", HAZARD_X, CSR_LDS, 0);
    prog_add(p, "add", HAZARD_X, HAZARD_X, X_TEMP);
    prog_add(p, "add", HAZARD_X, HAZARD_X, X_TEMP);
    prog_add(p, "slli", X_TEMP, X_WARP, 2);
    prog_add(p, "add", HAZARD_X, HAZARD_X, X_TEMP);
    prog_add(p, "sw", X_COUNT, 0, HAZARD_X);
    here(s, first_only);
    prog_add(p, "andi", X_COUNT, X_GROUP, 7); /* so that others come and go meanwhile */
    prog_add(p, "slli", X_COUNT, X_COUNT, 3);
    delay(s);
    prog_add(p, "lw", X_TEMP, 0, X_LDS);
    prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
}

/* Warps that end with other settings than they began with; the next one in the slot must not have them. */
static void settings(scene *s) {
    static const int32_t vtypes[] = {0x10, 0x11, 0x300};
    prog *p = s->p;
    for (int32_t i = 0; i < 3; i++) {
        prog_add(p, "addi", X_TEMP, 0, i);
        prog_add(p, "andi", X_COUNT, X_GROUP, 3);
        const int32_t other = prog_add(p, "bne", X_COUNT, X_TEMP, 0);
        prog_add(p, "addi", X_COUNT, 0, 1);
        prog_add(p, "vsetvli", 0, X_COUNT, vtypes[i]);
        prog_add(p, "csrrwi", 0, CSR_FRM, 1 + i);
        prog_add(p, "csrrwi", 0, CSR_VXRM, 1 + i);
        here(s, other);
    }
}

/* Groups of two behind masks that differ by element and by warp, just written by a slow instruction; what is masked off would saturate. */
static void group_masks(scene *s) {
    enum { MASK = 0, ONE = HAZARD_V, VALUE = HAZARD_V + 2, DONE = HAZARD_V + 4, NEXT = HAZARD_V + 6 };
    prog *p = s->p;
    prog_add(p, "addi", X_COUNT, 0, 64); /* more than VLMAX */
    prog_add(p, "vsetvli", 0, X_COUNT, 0x11);
    prog_add(p, "vmv.v.i", ONE, 1);
    for (int32_t i = 0; i < 6; i++) {
        prog_add(p, "vid.v", NEXT, 1); /* (element + warp + i) / 2 in v0 and v1: bit 0 is the mask */
        prog_add(p, "vadd.vx", NEXT, NEXT, X_WARP, 1);
        prog_add(p, "vadd.vi", NEXT, NEXT, i, 1);
        prog_add(p, "vsrl.vi", NEXT, NEXT, i % 2, 1);
        prog_add(p, "vand.vi", VALUE, NEXT, 1, 1); /* the largest number where the mask is 0, else 0 */
        prog_add(p, "vadd.vi", VALUE, VALUE, -1, 1);
        prog_add(p, "vsrl.vi", VALUE, VALUE, 1, 1);
        prog_add(p, "csrrwi", 0, CSR_VXSAT, 0);
        prog_add(p, "vdivu.vv", MASK, NEXT, ONE, 1);
        if (i % 3 == 0)
            prog_add(p, "vmerge.vvm", DONE, VALUE, NEXT);
        else if (i % 3 == 1)
            prog_add(p, "vadc.vvm", DONE, VALUE, NEXT);
        else
            prog_add(p, "vadd.vv", DONE, NEXT, NEXT, 0);
        prog_add(p, "vsadd.vv", DONE, VALUE, VALUE, 0);
        prog_add(p, "csrrs", X_TEMP, CSR_VXSAT, 0);
        prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
        prog_add(p, "vxor.vv", NEXT, NEXT, DONE, 1);
        prog_add(p, "vdivu.vv", MASK, NEXT, ONE, 1); /* and a mask that is on its way */
        prog_add(p, "vmerge.vvm", NEXT, DONE, VALUE);
        prog_add(p, "vadd.vv", DONE, DONE, NEXT, 0);
    }
    prog_add(p, "vsetvli", 0, X_COUNT, 0x10);
    prog_add(p, "vxor.vv", V_SUM, V_SUM, DONE, 1);
    prog_add(p, "vxor.vv", V_SUM, V_SUM, DONE + 1, 1);
}

/* v0 is on its way where it chooses, or is a carry. */
static void late_masks(scene *s) {
    enum { MASK = 0, ONE = HAZARD_V, VALUE, DONE, NEXT };
    prog *p = s->p;
    prog_add(p, "vmv.v.i", ONE, 1);
    prog_add(p, "vadd.vx", NEXT, V_LANE, X_WARP, 1);
    for (int32_t i = 0; i < 8; i++) {
        prog_add(p, "vadd.vi", NEXT, NEXT, i, 1);
        prog_add(p, "vmv.v.i", VALUE, 2 * i, 1);
        prog_add(p, i % 2 ? "vmul.vv" : "vdivu.vv", MASK, NEXT, ONE, 1);
        if (i % 4 < 2)
            prog_add(p, "vmerge.vvm", DONE, VALUE, NEXT);
        else
            prog_add(p, "vadc.vvm", DONE, VALUE, NEXT);
        prog_add(p, "vxor.vv", V_SUM, V_SUM, DONE, 1);
    }
}

/* A result on its way as the third operand; the flags of one, by each of the CSRs that have them. */
static void late_scalars(scene *s) {
    enum { A = HAZARD_X, B, C, D };
    static const int32_t csrs[] = {CSR_FFLAGS, 3, CSR_FFLAGS, 3}; /* 3: fcsr */
    prog *p = s->p;
    prog_li(p, A, 0x40490fdb);
    prog_li(p, B, 0x3fb504f3);
    for (int32_t i = 0; i < 8; i++) {
        prog_add(p, "csrrwi", 0, CSR_FFLAGS, 0);
        prog_add(p, i % 2 ? "fdiv.s" : "fmul.s", C, A, B, 7);
        if (i < 4)
            prog_add(p, "fmadd.s", D, A, B, C, 7);
        prog_add(p, "csrrs", X_TEMP, csrs[i % 4], 0);
        prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
        prog_add(p, "xor", X_RESULT, X_RESULT, i < 4 ? D : C);
        prog_add(p, "sw", C, 64, X_BASE);
        prog_add(p, "lw", C, 64, X_BASE);
        prog_add(p, "fnmsub.s", A, A, B, C, 7);
        prog_add(p, "addi", B, B, 3);
    }
}

/* Append an instruction with that prefix; operands by their order in the row. */
static void put_prefixed(scene *s, const char *name, prog_prefix prefix, int32_t a, int32_t b, int32_t c) {
    const int32_t value[KARAT_MAX_OPERAND] = {a, b, c, 1};
    if (prog_put(s->p, row_named(s->table, name)->row, value, prefix, PROG_NONE) == PROG_NONE)
        prog_fail(s->p, "%s cannot have that prefix", name);
}

/* Pairs as addresses with offsets below 0, and immediates behind REGEXTI beside registers from 32 on. */
static void prefixes(scene *s) {
    enum { LOW = HAZARD_X, HIGH, X_HERE, V_HERE = 50 };
    prog *p = s->p;
    prog_add(p, "addi", HIGH, 0, 0);
    prog_add(p, "vadd.vx", V_HERE, V_LANE, X_WARP, 1);
    for (int32_t i = 0; i < 4; i++) {
        prog_add(p, "addi", LOW, X_BASE, WORK + 64 * i);
        prog_add(p, "sw", X_BASE, WORK - 60, X_BASE);
        put_prefixed(s, "lw", PROG_REGPAIR, X_HERE, -60 * i, LOW);
        prog_add(p, "xor", X_RESULT, X_RESULT, X_HERE);
        put_prefixed(s, "vadd.vi", PROG_REGEXTI, V_HERE - 8 + i, V_HERE, 100 * i - 150);
        prog_add(p, "vxor.vv", V_SUM, V_SUM, V_HERE - 8 + i, 1);
    }
}

/* Fewer threads than there are lanes: what counts threads, and private memory, which they share out. */
static void few_threads(scene *s) {
    prog *p = s->p;
    p->launch.threads = threads(s) > 2 ? threads(s) / 2 + 1 : 1;
    prog_add(p, "csrrs", X_TEMP, CSR_TID, 0);
    prog_add(p, "vadd.vx", V_SUM, V_SUM, X_TEMP, 1);
    prog_add(p, "vsll.vi", V_PLACE, V_LANE, 2, 1);
    for (int32_t i = 0; i < 4; i++) {
        prog_add(p, "vsw.v", V_SUM, 4 * i, V_PLACE);
        prog_add(p, "vlw.v", V_OTHER, 4 * i, V_PLACE);
        prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    }
}

/* Append an instruction behind REGPAIR: a load to reg, or a store of it; V_PLACE has the addresses' lower halves, the register behind it
 * the upper ones. */
static void put_pair(scene *s, const char *name, int32_t reg, int32_t offset) {
    const row_use *u = row_named(s->table, name);
    int32_t value[KARAT_MAX_OPERAND] = {0};
    value[u->source[1]] = V_PLACE;
    value[u->stores ? u->source[u->source[3] >= 0 ? 3 : 2] : u->dest] = reg;
    value[u->offset] = offset;
    if (prog_put(s->p, u->row, value, PROG_REGPAIR, PROG_NONE) == PROG_NONE)
        prog_fail(s->p, "%s cannot have pairs", name);
}

/* Private memory from its beginning to its end, by addresses of 64 bits, too: those of the first workgroup are from 0 on, those of the
 * others below 0, where it is the memory of the one before, which leaves that half alone. */
static void private_memory(scene *s) {
    enum { HALF = 1024 };
    static const char *const names[] = {"vsw.v", "vsh.v", "vsb.v"}, *const loads[] = {"vlw.v", "vlh.v",
                                                                                      "vlbu.v"};
    prog *p = s->p;
    p->launch.pds = 2 * HALF;
    clear_registers(s);
    prog_add(p, "sltu", X_COUNT, 0, X_GROUP);
    prog_add(p, "sub", X_COUNT, 0, X_COUNT);
    for (int32_t at = 0; at < 4; at++) {
        static const int32_t places[] = {0, 4, HALF / 2, HALF - 16};
        prog_li(p, X_TEMP, (uint32_t)-HALF);
        prog_add(p, "and", X_TEMP, X_TEMP, X_COUNT);
        prog_add(p, "addi", X_TEMP, X_TEMP, places[at]);
        for (int32_t far = 0; far < 2; far++) {
            prog_add(p, "vmv.v.x", V_PLACE + 1, X_COUNT);
            prog_add(p, "vmv.v.x", V_PLACE, X_TEMP);
            if (!far) {
                prog_add(p, "vand.vi", V_PLACE + 1, V_PLACE + 1, 0, 1);
                prog_li(p, HAZARD_X, HALF - 1);
                prog_add(p, "vand.vx", V_PLACE, V_PLACE, HAZARD_X, 1);
            }
            prog_add(p, "vand.vi", V_OTHER, V_LANE, 1, 1); /* lanes at one place and at the next one */
            prog_add(p, "vsll.vi", V_OTHER, V_OTHER, 2, 1);
            prog_add(p, "vadd.vv", V_PLACE, V_PLACE, V_OTHER, 1);
            for (int32_t i = 0; i < 3; i++) {
                static const int32_t offsets[] = {0, 2, 3};
                put_pair(s, names[i], HAZARD_V, offsets[i]);
                put_pair(s, loads[i], HAZARD_V + 2, offsets[i]);
                prog_add(p, "vadd.vv", V_SUM, V_SUM, HAZARD_V + 2, 1);
                if (!far) {
                    prog_add(p, names[i], V_SUM, offsets[i], V_PLACE);
                    prog_add(p, loads[i], V_OTHER, offsets[i], V_PLACE);
                    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
                }
            }
        }
    }
}

/* Loads and stores on their way, one to four of them; a FENCE; loads and stores of other lines. */
static void fences(scene *s) {
    prog *p = s->p;
    static const int32_t sets[][2] = {{15, 15}, {2, 2}, {3, 1}, {1, 2}};
    clear_registers(s);
    prog_add(p, "sw", X_WARP, 64, X_LDS);
    for (int32_t round = 0; round < 16; round++) {
        const int32_t *set = sets[round % 4];
        for (int32_t i = 0; i <= round / 4; i++)
            if (round % 3 == 2)
                prog_add(p, "sw", X_WARP, WORK + 64 * i, X_BASE);
            else
                prog_add(p, "lw", HAZARD_X + i, WORK + 64 * i, X_BASE);
        if (round % 2)
            prog_add(p, "vlw12.v", HAZARD_V, WORK, V_ADDRESS);
        prog_add(p, "fence", set[0], set[1]);
        prog_add(p, "lw", HAZARD_X + 4, WORK + 256, X_BASE);
        prog_add(p, "sw", X_WARP, WORK + 300, X_BASE);
        prog_add(p, "lw", HAZARD_X + 5, 64, X_LDS);
        for (int32_t i = 0; i < 6; i++)
            prog_add(p, "add", X_RESULT, X_RESULT, HAZARD_X + i);
        prog_add(p, "vadd.vv", V_SUM, V_SUM, HAZARD_V, 1);
    }
}

/* All write CSR_PRINT at once, and again before the host has come round to them. */
static void prints(scene *s) {
    for (int32_t i = 0; i < 12; i++)
        prog_add(s->p, "csrrwi", 0, CSR_PRINT, 1 + i);
}

/* Results of two units that raise flags, more and more instructions apart, of one warp and of others. */
static void flags(scene *s) {
    prog *p = s->p;
    prog_li(p, HAZARD_X, 0x40490fdb);
    prog_li(p, HAZARD_X + 1, 3);
    prog_add(p, "vmv.v.x", HAZARD_V, HAZARD_X);
    prog_add(p, "vmv.v.x", HAZARD_V + 1, HAZARD_X + 1);
    prog_li(p, X_TEMP, 0x80000000);
    prog_add(p, "vmv.v.x", V_OTHER, X_TEMP);
    prog_add(p, "andi", HAZARD_X + 3, X_WARP, 1);
    prog_add(p, "addi", HAZARD_X + 4, 0, 0);
    for (int32_t kind = 0; kind < 5; kind++)
        for (int32_t between = 0; between < 10; between++) {
            prog_add(p, "csrrwi", 0, kind < 3 ? CSR_FFLAGS : CSR_VXSAT, 0);
            if (kind < 2)
                prog_add(p, "fdiv.s", HAZARD_X + 2, HAZARD_X, 0, 0);
            else if (kind == 2)
                prog_add(p, "fadd.s", 0, HAZARD_X, HAZARD_X + 1, 0);
            else if (kind == 3)
                prog_add(p, "vsmul.vv", HAZARD_V + 2, V_OTHER, V_OTHER, 1);
            else { /* odd warps in one unit, even ones in the other */
                const int32_t odd = prog_add(p, "bne", HAZARD_X + 3, 0, 0);
                prog_add(p, "vsadd.vv", HAZARD_V + 2, V_OTHER, V_OTHER, 1);
                const int32_t out = prog_add(p, "jal", 0, 0);
                here(s, odd);
                prog_add(p, "vsmul.vv", HAZARD_V + 2, V_OTHER, V_OTHER, 1);
                here(s, out);
            }
            for (int32_t i = 0; i < between; i++)
                prog_add(p, "addi", HAZARD_X + 4, HAZARD_X + 4, 1);
            for (int32_t i = 0; i < 30 && kind == 0; i++)
                prog_add(p, "vfadd.vv", HAZARD_V + 2 + i % 4, HAZARD_V, HAZARD_V + 1, 1);
            if (kind == 1)
                prog_add(p, "csrrs", HAZARD_X + 5, CSR_WID, 0);
            prog_add(p, "csrrs", X_TEMP, kind < 3 ? CSR_FFLAGS : CSR_VXSAT, 0);
            prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
        }
}

/* Flags of a vector's result and of a scalar's that come back together, one of another than the other. */
static void two_flags(scene *s) {
    enum { NAN_X = HAZARD_X, MOST_X, PI_X, RESULT_X, FILL_X, NAN_V = HAZARD_V, MOST_V, PI_V, RESULT_V };
    prog *p = s->p;
    prog_li(p, NAN_X, 0x7f800001); /* signaling */
    prog_li(p, MOST_X, 0x7f7fffff);
    prog_li(p, PI_X, 0x40490fdb);
    prog_li(p, FILL_X, 0);
    prog_add(p, "vmv.v.x", NAN_V, NAN_X);
    prog_add(p, "vmv.v.x", MOST_V, MOST_X);
    prog_add(p, "vmv.v.x", PI_V, PI_X);
    for (int32_t kind = 0; kind < 4; kind++)
        for (int32_t between = 0; between < 12; between++) {
            prog_add(p, "csrrwi", 0, CSR_FFLAGS, 0);
            switch (kind) {
            case 0: prog_add(p, "vfmul.vv", RESULT_V, PI_V, PI_V, 1); break;
            case 1: prog_add(p, "fmul.s", RESULT_X, PI_X, PI_X, 0); break;
            case 2: prog_add(p, "vfdiv.vv", RESULT_V, PI_V, MOST_V, 1); break;
            default: prog_add(p, "fdiv.s", RESULT_X, PI_X, MOST_X, 0); break;
            }
            for (int32_t i = 0; i < (kind < 2 ? between : 2 * between); i++)
                prog_add(p, "addi", FILL_X, FILL_X, 1);
            switch (kind) {
            case 0: prog_add(p, "fcvt.w.s", RESULT_X, NAN_X, 0); break;
            case 1: prog_add(p, "vfmin.vv", RESULT_V, NAN_V, PI_V, 1); break;
            case 2: prog_add(p, "fadd.s", RESULT_X, MOST_X, MOST_X, 0); break;
            default: prog_add(p, "vfadd.vv", RESULT_V, MOST_V, MOST_V, 1); break;
            }
            prog_add(p, "csrrs", X_TEMP, CSR_FFLAGS, 0);
            prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
        }
}

/* Warps whose rounding modes differ, at work in the same units at once; then each changes its own behind what it has begun. */
static void modes(scene *s) {
    static const char *const names[] = {"vsmul.vv", "vaadd.vv", "vssra.vv",
                                        "vfmul.vv", "vfadd.vv", "vfdiv.vv"};
    prog *p = s->p;
    clear_registers(s);
    prog_li(p, X_TEMP, 0x3fb504f3); /* an odd fraction, and a number with many digits */
    prog_add(p, "vadd.vx", HAZARD_V, V_LANE, X_TEMP, 1);
    prog_li(p, X_TEMP, 0x400fffff);
    prog_add(p, "vadd.vx", HAZARD_V + 1, V_LANE, X_TEMP, 1);
    prog_li(
        p, X_TEMP,
        0x36fffffe); /* exponentials near 1: a unit that is nearly right has them right in its own mode alone */
    prog_add(p, "vadd.vx", HAZARD_V + 6, V_LANE, X_TEMP, 1);
    prog_li(p, X_TEMP, 0xb6fffffe);
    prog_add(p, "vadd.vx", HAZARD_V + 7, V_LANE, X_TEMP, 1);
    prog_add(p, "andi", X_COUNT, X_WARP, 3);
    for (int32_t round = 0; round < 4; round++) {
        prog_add(p, "csrrw", 0, CSR_VXRM, X_COUNT);
        prog_add(p, "csrrw", 0, CSR_FRM, X_COUNT);
        for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
            for (int32_t k = 0; k < 4; k++)
                if (names[i][1] == 'f')
                    prog_add(p, names[i], HAZARD_V + 2 + k, HAZARD_V + k % 2, HAZARD_V + 1 - k % 2, 1);
                else
                    prog_add(p, names[i], HAZARD_V + 2 + k, HAZARD_V + 1 - k % 2, HAZARD_V + k % 2, 1);
            if (round % 2)
                prog_add(p, "csrrwi", 0, i < 3 ? CSR_VXRM : CSR_FRM, (int32_t)(round + (int32_t)i) % 4);
            for (int32_t k = 0; k < 4; k++)
                prog_add(p, "vxor.vv", V_SUM, V_SUM, HAZARD_V + 2 + k, 1);
        }
        /* Long ones of some warps, short ones of the others. */
        prog_add(p, "andi", X_TEMP, X_WARP, 1);
        const int32_t others = prog_add(p, "beq", X_TEMP, 0, 0);
        for (int32_t k = 0; k < 4; k++)
            prog_add(p, "vfexp.v", HAZARD_V + 2 + k, HAZARD_V + 6 + k % 2, 1);
        prog_add(p, "csrrwi", 0, CSR_FRM, round % 4);
        const int32_t join = prog_add(p, "jal", 0, 0);
        here(s, others);
        for (int32_t k = 0; k < 24; k++)
            prog_add(p, k % 2 ? "vfadd.vv" : "vfmul.vv", HAZARD_V + 2 + k % 4, HAZARD_V, HAZARD_V + 1, 1);
        here(s, join);
        for (int32_t k = 0; k < 4; k++)
            prog_add(p, "vxor.vv", V_SUM, V_SUM, HAZARD_V + 2 + k, 1);
        prog_add(p, "addi", X_COUNT, X_COUNT, 1);
        prog_add(p, "andi", X_COUNT, X_COUNT, 3);
    }
}

/* Exponentials from near 1/4 to near 4 in steps of about 1/370: whatever table and polynomials they are made of, all parts of
 * them. */
static void exponentials(scene *s) {
    enum { VALUES = 1024 };
    prog *p = s->p;
    prog_li(p, X_TEMP, 0x3b31d3a3); /* a binary32: 0.0027134 */
    prog_li(p, X_COUNT, 0u - VALUES / 2);
    const int32_t top = (int32_t)p->num;
    prog_add(p, "vadd.vx", V_OTHER, V_LANE, X_COUNT, 1);
    prog_add(p, "vfcvt.f.x.v", V_OTHER, V_OTHER, 1);
    prog_add(p, "vfmul.vf", V_OTHER, V_OTHER, X_TEMP, 1);
    prog_add(p, "vfexp.v", V_OTHER, V_OTHER, 1);
    prog_add(p, "vxor.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_add(p, "addi", X_COUNT, X_COUNT, (int32_t)threads(s));
    prog_li(p, X_RPC, VALUES / 2);
    prog_lead(p, prog_add(p, "blt", X_COUNT, X_RPC, 0), top);
}

/* Estimates of numbers with any leading digits, and of either parity of exponent: the whole of their tables. */
static void estimates(scene *s) {
    prog *p = s->p;
    prog_li(p, X_COUNT, 0x3f000000 >> 16);
    const int32_t top = (int32_t)p->num;
    prog_add(p, "vadd.vx", V_OTHER, V_LANE, X_COUNT, 1);
    prog_add(p, "vsll.vi", V_OTHER, V_OTHER, 16, 1);
    prog_add(p, "vfrec7.v", V_COUNT, V_OTHER, 1);
    prog_add(p, "vfrsqrt7.v", V_OTHER, V_OTHER, 1);
    prog_add(p, "vxor.vv", V_SUM, V_SUM, V_COUNT, 1);
    prog_add(p, "vxor.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_add(p, "addi", X_COUNT, X_COUNT, (int32_t)threads(s));
    prog_li(p, X_RPC, 0x40000000 >> 16);
    prog_lead(p, prog_add(p, "blt", X_COUNT, X_RPC, 0), top);
}

/* A conversion of what X_TEMP holds, and the flags that it alone raises. */
static void convert(scene *s, const row_use *u) {
    prog *p = s->p;
    int32_t value[KARAT_MAX_OPERAND] = {0};
    for (unsigned i = 1; i <= 3; i++)
        if (u->source[i] >= 0)
            value[u->source[i]] = u->source_v[i] ? V_OTHER : X_TEMP;
    if (u->vm >= 0)
        value[u->vm] = 1;
    if (u->rm >= 0)
        value[u->rm] = 7;
    value[u->dest] = u->dest_x ? HAZARD_X : HAZARD_V;
    prog_add(p, "csrrwi", 0, CSR_FFLAGS, 0);
    if (prog_put(p, u->row, value, PROG_AUTO, PROG_NONE) == PROG_NONE)
        prog_fail(p, "%s cannot be encoded", u->info->name);
    prog_add(p, "csrrs", X_RPC, CSR_FFLAGS, 0);
    prog_add(p, "add", X_RESULT, X_RESULT, X_RPC);
    if (u->dest_x)
        prog_add(p, "xor", X_RESULT, X_RESULT, HAZARD_X);
    else
        prog_add(p, "vxor.vv", V_SUM, V_SUM, HAZARD_V, 1);
}

/* Numbers at the ends of the integers' ranges, and just beyond; half an integer; in each mode. */
static void conversions(scene *s) {
    static const uint32_t values[] = {0x4effffff, 0x4f000000, 0x4f000001, 0xcf000000, 0xcf000001, 0x4f7fffff,
                                      0x4f800000, 0x3effffff, 0x3f000000, 0xbf000000, 0xbf7fffff, 0xbf800000,
                                      0x3fc00000, 0x40200000, 0x4b7fffff, 0x01000001, 0x7fffffc0};
    const row_list rows = s->table->units[KARAT_UNIT_FP];
    for (int32_t mode = 0; mode < 5; mode++) {
        prog_add(s->p, "csrrwi", 0, CSR_FRM, mode);
        for (uint32_t i = 0; i < sizeof values / sizeof *values; i++) {
            prog_li(s->p, X_TEMP, values[i]);
            prog_add(s->p, "vmv.v.x", V_OTHER, X_TEMP);
            for (uint32_t k = 0; k < rows.num; k++)
                if (strstr(rows.at[k]->info->name, "cvt"))
                    convert(s, rows.at[k]);
        }
    }
}

/* Two registers of each lane to places that overlap those of lanes near and far: the last lane's are what stays. */
static void overlaps(scene *s) {
    static const int32_t steps[] = {0, 1, 2, 3, 5, 7};
    prog *p = s->p;
    clear_registers(s);
    for (uint32_t i = 0; i < 2 * sizeof steps / sizeof *steps; i++) {
        prog_li(p, X_TEMP, (uint32_t)steps[i / 2]);
        prog_add(p, "vmul.vx", V_OTHER, V_LANE, X_TEMP, 1);
        prog_add(p, "vand.vi", V_OTHER, V_OTHER, 7, 1); /* words, as if shuffled */
        prog_add(p, "vsll.vi", V_OTHER, V_OTHER, 2, 1);
        prog_add(p, "vadd.vx", V_PLACE, V_OTHER, i % 2 ? X_LDS : X_BASE, 1);
        prog_add(p, "vmv.v.i", V_PLACE + 1, 0);
        put_pair(s, "vsw12.v", HAZARD_V, WORK);
        put_pair(s, "vlw12.v", HAZARD_V + 2, WORK);
        prog_add(p, "vadd.vv", V_SUM, V_SUM, HAZARD_V + 2, 1);
        prog_add(p, "vxor.vv", V_SUM, V_SUM, HAZARD_V + 3, 1);
        prog_add(p, "vadd.vv", HAZARD_V, HAZARD_V, V_SUM, 1);
    }
}

/* The code at the same places of other pages, there and back. */
static void far_jumps(scene *s) {
    static const uint32_t words[] = {1024, 1024, 2048, 512};
    prog_add(s->p, "addi", X_COUNT, 0, 3);
    const int32_t top = (int32_t)s->p->num;
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
        const int32_t out = prog_add(s->p, "jal", 0, 0);
        for (uint32_t k = 2; k < words[i]; k++)
            prog_word(s->p, 0);
        here(s, out);
        add(s, (int32_t)i + 1);
    }
    prog_add(s->p, "addi", X_COUNT, X_COUNT, -1);
    const int32_t done = prog_add(s->p, "beq", X_COUNT, 0, 0);
    prog_lead(s->p, prog_add(s->p, "jal", 0, 0), top);
    here(s, done);
}

/* A function in the last words of device memory, which all warps call at once: what is fetched ahead of it is not there. */
static void memory_end(scene *s) {
    prog *p = s->p;
    prog_add(p, "addi", X_COUNT, 0, 5);
    const int32_t top = (int32_t)p->num, place = prog_la(p, X_RPC);
    prog_li(p, X_TEMP, PROG_DATA + data_size(s) - 4);
    prog_add(p, "barrier", 0);
    prog_add(p, "jalr", 0, 0, X_TEMP);
    here(s, place);
    /* Lines that have any place in a cache, and are there again in the next round. */
    for (int32_t i = 0; i < 110; i++)
        add(s, i % 16);
    prog_add(p, "addi", X_COUNT, X_COUNT, -1);
    prog_lead(p, prog_add(p, "bne", X_COUNT, 0, 0), top);
}

/* --- Memory --- */

/* V_PLACE = X_TEMP + lane * bytes */
static void spread(scene *s, uint32_t base, int32_t bytes) {
    prog_li(s->p, X_TEMP, (uint32_t)bytes);
    prog_add(s->p, "vmul.vx", V_PLACE, V_LANE, X_TEMP, 1);
    prog_add(s->p, "vadd.vx", V_PLACE, V_PLACE, (int32_t)base, 1);
}

/* Lanes so many words apart, in local memory. */
static void banks(scene *s) {
    static const int32_t widths[] = {0, 1, 2, 3, 4, 7, 8, 16, 32};
    for (uint32_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if ((uint32_t)widths[i] * 4 * threads(s) > REGION && i > 1)
            continue;
        spread(s, X_LDS, 4 * widths[i]);
        prog_add(s->p, "vsw12.v", V_SUM, 0, V_PLACE);
        prog_add(s->p, "vlw12.v", V_OTHER, 0, V_PLACE);
        prog_add(s->p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
        prog_add(s->p, "vsb12.v", V_SUM, 1, V_PLACE);
        prog_add(s->p, "vlhu12.v", V_OTHER, 0, V_PLACE);
        prog_add(s->p, "vxor.vv", V_SUM, V_SUM, V_OTHER, 1);
    }
}

/* All lanes, some lanes, and half the lanes at one address: stores, then loads of it and of its bytes. */
static void same_address(scene *s) {
    for (uint32_t i = 0; i < 6; i++) {
        prog_add(s->p, "vsrl.vi", V_PLACE, V_LANE, (int32_t)(i < 3 ? 5 : i - 3), 1);
        prog_add(s->p, "vsll.vi", V_PLACE, V_PLACE, 2, 1);
        prog_add(s->p, "vadd.vx", V_PLACE, V_PLACE, i % 2 ? X_LDS : X_BASE, 1);
        prog_add(s->p, "vsw12.v", V_SUM, WORK, V_PLACE);
        prog_add(s->p, "vlw12.v", V_OTHER, WORK, V_PLACE);
        prog_add(s->p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
        prog_add(s->p, "vsh12.v", V_LANE, WORK + 2, V_PLACE);
        prog_add(s->p, "vsb12.v", V_SUM, WORK, V_PLACE);
        prog_add(s->p, "vlw12.v", V_OTHER, WORK, V_PLACE);
        prog_add(s->p, "vxor.vv", V_SUM, V_SUM, V_OTHER, 1);
        prog_add(s->p, "lw", X_TEMP, WORK, i % 2 ? X_LDS : X_BASE);
        prog_add(s->p, "add", X_RESULT, X_RESULT, X_TEMP);
    }
}

/* All warps at a few words: sums and the like, whose end does not depend on the order; what they return is not used. */
static void atomics(scene *s) {
    static const char *const names[] = {"amoadd.w", "amoxor.w", "amoand.w",  "amoor.w",
                                        "amomin.w", "amomax.w", "amominu.w", "amomaxu.w"};
    prog *p = s->p;
    prog_add(p, "csrrs", X_TEMP, CSR_LDS, 0);
    prog_add(p, "slli", X_LDS, X_WARPS, 10);
    prog_add(p, "add", X_LDS, X_LDS, X_TEMP);                /* behind the warps' own */
    const int32_t around = prog_add(p, "bne", X_WARP, 0, 0); /* the first warp makes them 0 */
    for (int32_t i = 0; i <= 64; i += 4)
        prog_add(p, "sw", 0, i, X_LDS);
    here(s, around);
    prog_add(p, "barrier", 0);
    prog_add(p, "slli", HAZARD_X, X_WARP, 3);
    prog_add(p, "addi", HAZARD_X, HAZARD_X, -9);
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
            prog_add(p, "addi", X_TEMP, X_SHARED, (int32_t)(4 * i));
            prog_add(p, names[i], HAZARD_X + 1, HAZARD_X, X_TEMP, (int32_t)round);
            prog_add(p, "addi", X_TEMP, X_LDS, (int32_t)(4 * i));
            prog_add(p, names[i], 0, HAZARD_X, X_TEMP, (int32_t)round);
        }
    for (uint32_t i = 0; i < 2; i++) { /* counts, by LR and SC */
        prog_add(p, "addi", X_TEMP, i ? X_LDS : X_SHARED, 64);
        const int32_t again = (int32_t)p->num;
        prog_add(p, "lr.w", HAZARD_X + 1, X_TEMP, 2);
        prog_add(p, "addi", HAZARD_X + 1, HAZARD_X + 1, 1);
        prog_add(p, "sc.w", HAZARD_X + 2, HAZARD_X + 1, X_TEMP, 1);
        prog_lead(p, prog_add(p, "bne", HAZARD_X + 2, 0, 0), again);
    }
    prog_add(p, "barrier", 0);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        prog_add(p, "lw", X_TEMP, (int32_t)(4 * i), X_LDS);
        prog_add(p, "xor", X_RESULT, X_RESULT, X_TEMP);
    }
}

/* A warp reserves a word; another one stores to it or does not, in several ways, before it goes on to SC, there and elsewhere. */
static void reserved(scene *s) {
    prog *p = s->p;
    const int32_t place = HAZARD_X, value = HAZARD_X + 1, result = HAZARD_X + 2;
    prog_add(p, "vmsne.vi", 0, V_LANE, 0, 1);
    for (int32_t round = 0; round < 10; round++) {
        if (round % 2) /* local memory */
            prog_add(p, "csrrs", place, CSR_LDS, 0);
        else {
            prog_add(p, "slli", X_TEMP, X_WARP, 10); /* REGION */
            prog_add(p, "sub", place, X_BASE, X_TEMP);
        }
        prog_add(p, "addi", place, place, WORK);
        prog_add(p, "addi", value, X_WARP, round);
        const int32_t others = prog_add(p, "bne", X_WARP, 0, 0);
        prog_add(p, "sw", value, 0, place);
        prog_add(p, "lr.w", result, place, 0);
        here(s, others);
        prog_add(p, "barrier", 0);
        prog_add(p, "addi", X_TEMP, X_WARP, -1);
        const int32_t not_second = prog_add(p, "bne", X_TEMP, 0, 0);
        prog_add(p, "addi", X_TEMP, place, -4);
        switch (round / 2) {
        case 0: break;
        case 1: prog_add(p, "sw", value, 0, place); break;
        case 2: prog_add(p, "vse32.v", V_SUM, X_TEMP, 0); break; /* not by the first thread */
        case 3: prog_add(p, "amoadd.w", result, value, place, 0); break;
        default: prog_add(p, "sc.w", result, value, place, 0); break;
        }
        here(s, not_second);
        prog_add(p, "barrier", 0);
        const int32_t done = prog_add(p, "bne", X_WARP, 0, 0);
        if (round % 4 == 0) {
            prog_add(p, "addi", X_TEMP, place, REGION);
            prog_add(p, "sc.w", result, value, X_TEMP, 0);
            prog_add(p, "add", X_RESULT, X_RESULT, result);
            prog_add(p, "lr.w", result, place, 0);
        }
        for (int32_t i = 0; i < 2; i++) {
            prog_add(p, "sc.w", result, value, place, 0);
            prog_add(p, "add", X_RESULT, X_RESULT, result);
        }
        prog_add(p, "lr.w", result, place, 0);
        prog_add(p, "addi", X_TEMP, place, REGION);
        prog_add(p, "sc.w", result, value, X_TEMP, 0);
        prog_add(p, "add", X_RESULT, X_RESULT, result);
        here(s, done);
        prog_add(p, "barrier", 0);
        prog_add(p, "lw", X_TEMP, 0, place);
        prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
        prog_add(p, "barrier", 0);
    }
}

/* Threads in local memory and others in device memory; rows of one bank apart; strides and indices of more than 16 bits. */
static void far_apart(scene *s) {
    enum { STRIDE = 0x10004 };
    prog *p = s->p;
    s->more = STRIDE + REGION;
    p->launch.lds = 8 * 32 * threads(s) + 1024;
    prog_add(p, "csrrs", X_LDS, CSR_LDS, 0);
    spread(s, X_LDS, 4);
    prog_add(p, "vand.vi", 0, V_LANE, 1, 1);
    prog_add(p, "vmsne.vi", 0, 0, 0, 1);
    prog_add(p, "vmerge.vvm", V_PLACE, V_ADDRESS, V_PLACE);
    for (int32_t i = 0; i < 3; i++) {
        prog_add(p, "vsw12.v", V_SUM, WORK + 256 * (i - 1), V_PLACE);
        prog_add(p, "vlw12.v", V_OTHER, WORK + 256 * (i - 1), V_PLACE);
        prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    }
    prog_li(p, X_TEMP, 8 * 4 * threads(s)); /* eight rows of all banks */
    prog_add(p, "vand.vi", V_OTHER, V_LANE, 7, 1);
    prog_add(p, "vmul.vx", V_PLACE, V_OTHER, X_TEMP, 1);
    prog_add(p, "vadd.vx", V_PLACE, V_PLACE, X_LDS, 1);
    prog_add(p, "vsw12.v", V_OTHER, 0, V_PLACE);
    prog_add(p, "vlw12.v", V_OTHER, 0, V_PLACE);
    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_li(p, X_TEMP, 0xabcd0000); /* whatever stands above an index of 16 bits */
    prog_add(p, "vsll.vi", V_PLACE, V_LANE, 2, 1);
    prog_add(p, "vor.vx", V_PLACE, V_PLACE, X_TEMP, 1);
    prog_add(p, "vluxei16.v", V_OTHER, X_BASE, V_PLACE, 1);
    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_li(p, X_COUNT, 2);
    prog_add(p, "vsetvli", 0, X_COUNT, 0x10);
    prog_li(p, X_TEMP, STRIDE);
    prog_add(p, "addi", HAZARD_X, X_BASE, WORK);
    prog_add(p, "vsse32.v", V_SUM, HAZARD_X, X_TEMP, 1);
    prog_add(p, "vlse32.v", V_OTHER, HAZARD_X, X_TEMP, 1);
    prog_add(p, "vadd.vv", V_SUM, V_SUM, V_OTHER, 1);
    prog_li(p, X_COUNT, 64);
    prog_add(p, "vsetvli", 0, X_COUNT, 0x10);
}

/* Threads whose addresses in the window of local memory differ in one bit above those of a page: each in turn, as vectors and by one
 * thread alone. */
static void lds_window(scene *s) {
    enum { PAGE_BITS = 10, WINDOW_BITS = 28 };
    prog *p = s->p;
    prog_add(p, "vand.vi", V_OTHER, V_LANE, 1, 1);
    for (int32_t bit = PAGE_BITS; bit < WINDOW_BITS; bit++) {
        prog_li(p, X_TEMP, 1u << bit);
        prog_add(p, "vmul.vx", V_PLACE, V_OTHER, X_TEMP, 1);
        prog_add(p, "vadd.vx", V_PLACE, V_PLACE, X_LDS, 1);
        prog_add(p, "vadd.vi", V_SUM, V_SUM, 1, 1); /* another value than at the places before */
        prog_add(p, "vsw12.v", V_SUM, 0, V_PLACE);
        prog_add(p, "vlw12.v", V_PLACE, 0, V_PLACE);
        prog_add(p, "vadd.vv", V_SUM, V_SUM, V_PLACE, 1);
        prog_add(p, "add", HAZARD_X, X_LDS, X_TEMP);
        prog_add(p, "lw", X_TEMP, 0, X_LDS);
        prog_add(p, "sub", X_RESULT, X_RESULT, X_TEMP);
        prog_add(p, "lw", X_TEMP, 0, HAZARD_X);
        prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
    }
}

/* Short workgroups that take all local memory over and over, and end at all distances from the others' first touches of a page; some end
 * without one. */
static void lds_turnover(scene *s) {
    enum { PAGES = 16, LOCAL_PAGE = 1024 };
    prog *p = s->p;
    p->launch.lds = PAGES * LOCAL_PAGE;
    prog_add(p, "andi", X_COUNT, X_GROUP, 3);
    const int32_t none = prog_add(p, "beq", X_COUNT, 0, 0);
    prog_li(p, X_COUNT, PAGES);
    const int32_t top = (int32_t)p->num;
    prog_add(p, "sw", X_COUNT, 0, X_LDS);
    prog_add(p, "addi", X_LDS, X_LDS, LOCAL_PAGE);
    prog_add(p, "addi", X_COUNT, X_COUNT, -1);
    prog_lead(p, prog_add(p, "bne", X_COUNT, 0, 0), top);
    prog_add(p, "lw", X_TEMP, -LOCAL_PAGE, X_LDS);
    prog_add(p, "add", X_RESULT, X_RESULT, X_TEMP);
    here(s, none);
    prog_add(p, "andi", X_COUNT, X_GROUP, 15);
    delay(s);
}

/* --- Units --- */

static bool usable(const scene *s, uint32_t unit) {
    return unit != KARAT_UNIT_TENSOR || threads(s) >= 4;
}

static void fold_registers(scene *s) {
    for (int32_t i = 0; i < 8; i++) {
        prog_add(s->p, "xor", X_RESULT, X_RESULT, HAZARD_X + i);
        prog_add(s->p, "vxor.vv", V_SUM, V_SUM, HAZARD_V + i, 1);
    }
}

/* This unit behind every other, all dependences. */
static void hazards_of(scene *s, karat_unit younger) {
    uint32_t variant = 0;
    clear_registers(s);
    for (uint32_t older = 0; older < KARAT_NUM_UNIT; older++)
        for (uint32_t kind = 0; kind < NUM_HAZARD_KIND && usable(s, older) && usable(s, younger); kind++)
            for (uint32_t cls = KARAT_CLASS_X; cls <= KARAT_CLASS_V; cls++)
                for (uint32_t distance = 1; distance <= HAZARD_DISTANCES; distance++)
                    hazard_put(s->table, s->p, older, younger, kind, cls, distance, variant++);
    fold_registers(s);
}

/* Results of slow units, then those of faster ones, so many instructions later that some of them come back together. */
static void collisions_of(scene *s, karat_unit slow) {
    uint32_t variant = 0;
    clear_registers(s);
    for (uint32_t cls = KARAT_CLASS_X; cls <= KARAT_CLASS_V; cls++)
        for (uint32_t fast = 0; fast < KARAT_NUM_UNIT && usable(s, slow); fast++)
            for (uint32_t between = 0; between < 12 && usable(s, fast) && fast != KARAT_UNIT_CONFIG;
                 between++, variant++) {
                const int32_t first = cls == KARAT_CLASS_X ? HAZARD_X : HAZARD_V;
                if (!hazard_write(s->table, s->p, slow, cls, first, variant) ||
                    !hazard_write(s->table, s->p, KARAT_UNIT_DIV, cls, first + 1, variant))
                    continue;
                for (uint32_t i = 0; i < between; i++)
                    hazard_write(s->table, s->p, KARAT_UNIT_ALU, i % 2, (i % 2 ? HAZARD_V : HAZARD_X) + 2,
                                 variant);
                hazard_write(s->table, s->p, fast, cls, first + 3, variant);
                hazard_write(s->table, s->p, fast, cls, first + 4, variant + 1);
            }
    fold_registers(s);
}

/* --- The list --- */

#define SCENARIOS(DO)                                                                                        \
    DO(nested, "nested divergence, one thread leaving at each level (--depth levels)", 1, 1)                 \
    DO(join_chain, "the same with one reconvergence point for all levels (--depth levels)", 1, 1)            \
    DO(halves, "nested divergence of both paths (--depth levels, up to 6)", 1, 1)                            \
    DO(forest, "trees of divergence of many shapes, with uniform VBRANCHes in them", 1, 1)                   \
    DO(comb, "each thread in turn against the rest", 1, 1)                                                   \
    DO(staggered, "a loop that threads leave one after the other (--depth trips)", 1, 1)                     \
    DO(uniform, "VBRANCH with all active threads of one mind, JOIN where nothing waits", 1, 1)               \
    DO(slots, "slots used again behind ENDPRG: many workgroups of different lengths", 40, 2)                 \
    DO(barriers, "barriers to which warps come early and late, and what they exchange there", 2,             \
       DEFAULT_WARPS)                                                                                        \
    DO(barrier_loads, "barriers to which warps come with loads on their way", 1, DEFAULT_WARPS)              \
    DO(exits, "workgroups that end with loads, stores and results on their way", 48, 2)                      \
    DO(fences, "FENCE with loads and stores on their way", 2, DEFAULT_WARPS)                                 \
    DO(private_memory, "private memory of this workgroup and of the one before", 3, 2)                       \
    DO(resources, "workgroups that registers and local memory limit", 12, 2)                                 \
    DO(ends, "workgroups that end as soon as they have begun", 96, 1)                                        \
    DO(registers, "workgroups that take whole register files", 12, 1)                                        \
    DO(local_memory, "workgroups that take all local memory, and leave some of it alone", 24, 2)             \
    DO(few_threads, "fewer threads than the device has", 2, 2)                                               \
    DO(prints, "all warps write CSR_PRINT at once", 16, DEFAULT_WARPS)                                       \
    DO(two_flags, "flags of a vector and of a scalar at once", 1, 3)                                         \
    DO(modes, "rounding modes of warps that differ", 2, DEFAULT_WARPS)                                       \
    DO(exponentials, "VFEXP all over a period of its mantissa", 1, 1)                                        \
    DO(settings, "warps that end with other settings than they began with", 40, 2)                           \
    DO(group_masks, "masks of groups, by element and by warp, just written", 1, DEFAULT_WARPS)               \
    DO(late_masks, "masks and carries that are on their way", 1, 2)                                          \
    DO(late_scalars, "third operands and flags that are on their way", 1, 2)                                 \
    DO(prefixes, "addresses of pairs below their base, wide immediates beside high registers", 1, 2)         \
    DO(estimates, "VFREC7 and VFRSQRT7 all over their tables", 1, 1)                                         \
    DO(conversions, "conversions at the ends of the integers' ranges", 1, 1)                                 \
    DO(overlaps, "lanes that store two registers where others do", 1, 2)                                     \
    DO(flags, "flags of several units at once", 2, DEFAULT_WARPS)                                            \
    DO(far_jumps, "code that is pages apart", 2, DEFAULT_WARPS)                                              \
    DO(memory_end, "code in the last words of memory", 2, DEFAULT_WARPS)                                     \
    DO(banks, "conflicts of banks in local memory", 2, DEFAULT_WARPS)                                        \
    DO(same_address, "lanes that store to one address and load from it", 2, DEFAULT_WARPS)                   \
    DO(atomics, "atomics of all warps at the same words", 2, DEFAULT_WARPS)                                  \
    DO(reserved, "LR, what other warps do to the word, and SC", 2, DEFAULT_WARPS)                            \
    DO(far_apart, "threads in both memories, in one bank, and far apart", 1, 1)                              \
    DO(lds_window, "threads whose places in local memory differ in one high bit of the address", 1, 1)       \
    DO(lds_turnover, "short workgroups that take all local memory, over and over", 400, 1)

typedef struct entry {
    const char *name, *about;
    void (*make)(scene *s);
    uint32_t groups, warps;
} entry;

static const entry entries[] = {
#define DO(name, about, groups, warps) {#name, about, name, groups, warps},
    SCENARIOS(DO)
#undef DO
};

/* Then two for each unit that writes or reads registers. */
static const struct family {
    const char *name, *about;
    void (*make)(scene *s, karat_unit unit);
} families[] = {{"hazards",
                 "dependences of this unit's instructions on those of each, 1 to 5 instructions apart",
                 hazards_of},
                {"collisions", "results of this unit and of others that come back together", collisions_of}};

static const uint8_t units[][14] = {
    {KARAT_UNIT_ALU, KARAT_UNIT_MUL, KARAT_UNIT_DIV, KARAT_UNIT_BRANCH, KARAT_UNIT_CSR, KARAT_UNIT_MEM,
     KARAT_UNIT_AMO, KARAT_UNIT_FP, KARAT_UNIT_FDIV, KARAT_UNIT_SFU, KARAT_UNIT_TENSOR, KARAT_UNIT_SIMT,
     KARAT_UNIT_CONFIG, KARAT_NUM_UNIT},
    {KARAT_UNIT_DIV, KARAT_UNIT_MUL, KARAT_UNIT_MEM, KARAT_UNIT_AMO, KARAT_UNIT_FP, KARAT_UNIT_FDIV,
     KARAT_UNIT_SFU, KARAT_UNIT_TENSOR, KARAT_NUM_UNIT}};

enum { NUM_ENTRIES = sizeof entries / sizeof *entries, NUM_FAMILIES = sizeof families / sizeof *families };

/* The family and unit of a scenario that is none of the entries; false: there is none. */
static bool find_family(uint32_t index, const struct family **family, karat_unit *unit) {
    index -= NUM_ENTRIES;
    for (uint32_t f = 0; f < NUM_FAMILIES; f++)
        for (uint32_t i = 0; units[f][i] != KARAT_NUM_UNIT; i++, index--)
            if (!index) {
                *family = &families[f];
                *unit = units[f][i];
                return true;
            }
    return false;
}

uint32_t scenario_num(void) {
    const struct family *family;
    karat_unit unit;
    uint32_t num = NUM_ENTRIES;
    while (find_family(num, &family, &unit))
        num++;
    return num;
}

const char *scenario_about(uint32_t index, char name[DIRECTED_NAME]) {
    const struct family *family;
    karat_unit unit;
    if (index < NUM_ENTRIES) {
        snprintf(name, DIRECTED_NAME, "%s", entries[index].name);
        return entries[index].about;
    }
    if (!find_family(index, &family, &unit))
        return NULL;
    snprintf(name, DIRECTED_NAME, "%s-%s", family->name, karat_unit_name(unit));
    return family->about;
}

uint32_t scenario_find(const char *name) {
    char other[DIRECTED_NAME];
    uint32_t index = 0;
    while (scenario_about(index, other) && strcmp(other, name) != 0)
        index++;
    return index;
}

static bool finish(scene *s) {
    prog *p = s->p;
    end(s);
    if (!p->launch.threads)
        p->launch.threads = s->params->threads;
    p->data_size = data_size(s);
    if (!(p->data = calloc(1, p->data_size)))
        prog_fail(p, "out of memory");
    for (uint32_t i = SHARED; !p->failed && i < p->data_size; i++)
        p->data[i] = (uint8_t)(i * 167 >> 3);
    const int32_t back[KARAT_MAX_OPERAND] = {0, 0, X_RPC}; /* jalr x0, 0(X_RPC): for memory_end */
    uint32_t word;
    if (!p->failed && karat_encode(karat_find_row("jalr"), back, &word))
        for (uint32_t i = 0; i < 4; i++)
            p->data[p->data_size - 4 + i] = (uint8_t)(word >> 8 * i);
    return !p->failed;
}

bool scenario_make(const row_table *table, const directed_params *params, uint32_t index, prog *p) {
    scene s = {table, params, p, params->depth, 0};
    const struct family *family;
    karat_unit unit;
    const bool single = index < NUM_ENTRIES;
    launch(&s, single ? entries[index].groups : 1, single ? entries[index].warps : 2);
    if (single && entries[index].make == ends)
        end_at_once(&s);
    if (single && entries[index].make == settings)
        prog_add(p, "vid.v", V_OTHER, 1); /* wants vl and vtype as they are at launch; begin() sets them */
    begin(&s);
    if (single)
        entries[index].make(&s);
    else if (find_family(index, &family, &unit))
        family->make(&s, unit);
    return finish(&s);
}

bool scenario_hazards(const row_table *table, const directed_params *params, const scenario_hazard *list,
                      uint32_t num, prog *p) {
    enum { VARIANTS = 6 };
    scene s = {table, params, p, 0, 0};
    launch(&s, 1, 1);
    begin(&s);
    clear_registers(&s);
    for (uint32_t i = 0; i < num; i++)
        for (uint32_t variant = 0;
             variant < VARIANTS && usable(&s, list[i].older) && usable(&s, list[i].younger); variant++)
            hazard_put(table, p, list[i].older, list[i].younger, list[i].kind, list[i].cls, list[i].distance,
                       variant);
    fold_registers(&s);
    return finish(&s);
}

bool scenario_forest(const row_table *table, const directed_params *params, uint64_t seed, prog *p) {
    scene s = {table, params, p, 0, 0};
    launch(&s, 1, 1);
    begin(&s);
    plant(&s, seed);
    return finish(&s);
}
