/* Random numbers, streams, and the programs that the synthetic core runs. */
#include "synthetic_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Random numbers (splitmix64 without its last step; verdicts.txt has streams that are drawn by them)
 * --- */

uint32_t rng_next(rng *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 32);
}

uint32_t rng_below(rng *r, uint32_t bound) {
    return bound ? rng_next(r) % bound : 0;
}

bool rng_chance(rng *r, uint32_t percent) {
    return rng_below(r, 100) < percent;
}

/* --- Streams --- */

static void make_room(stream *s) {
    if (s->num < s->room)
        return;
    s->room = s->room ? 2 * s->room : 1024;
    s->at = realloc(s->at, s->room * sizeof *s->at);
    if (!s->at)
        abort();
}

void stream_add(stream *s, const void *bytes, size_t size) {
    make_room(s);
    memset(&s->at[s->num], 0, sizeof *s->at);
    memcpy(&s->at[s->num++], bytes, size);
}

void stream_insert(stream *s, size_t i, const record *r) {
    record copy = *r; /* The record may be in the stream */
    make_room(s);
    memmove(s->at + i + 1, s->at + i, (s->num++ - i) * sizeof *s->at);
    s->at[i] = copy;
}

void stream_remove(stream *s, size_t i) {
    memmove(s->at + i, s->at + i + 1, (--s->num - i) * sizeof *s->at);
}

stream stream_copy(const stream *s) {
    stream copy = {malloc((s->num + 64) * sizeof *s->at), s->num, s->num + 64};
    if (!copy.at)
        abort();
    memcpy(copy.at, s->at, s->num * sizeof *s->at);
    return copy;
}

void stream_free(stream *s) {
    free(s->at);
    *s = (stream){0};
}

/* --- Assembling --- */

/* Programs are assembled by the thousand: where a name was found is remembered, by its place in the test. */
static int find_row(const char *place, const char *row) {
    static struct {
        const char *place;
        int index;
    } known[1024];
    const size_t at = (uintptr_t)place % 1021;
    const karat_row *info = known[at].place == place ? karat_row_info(known[at].index) : NULL;
    if (!info || strcmp(info->name, row) != 0) {
        known[at].place = place;
        known[at].index = karat_find_row(row);
    }
    return known[at].index;
}

static void put_at(program *p, const char *place, const char *row, const int32_t *operands, size_t num) {
    int index = find_row(place, row);
    const karat_row *info = karat_row_info(index);
    int32_t value[KARAT_MAX_OPERAND] = {0};
    if (num)
        memcpy(value, operands, num * sizeof *value);
    if (p->num == MAX_CODE || !info || info->num_operands != num ||
        !karat_encode(index, value, &p->word[p->num])) {
        fprintf(stderr, "word %u: cannot assemble %s with %zu operands\n", p->num, row, num);
        abort();
    }
    p->num++;
}

void put_row(program *p, const char *row, const int32_t *operands, size_t num) {
    put_at(p, row, row, operands, num);
}

void put_code(program *p, const char *text) {
    char row[64];
    int used;
    while (sscanf(text, " %63[a-z0-9_]%n", row, &used) == 1) {
        const char *place = text;
        int32_t operand[KARAT_MAX_OPERAND];
        size_t num = 0;
        for (text += used; *text == ' '; text += used) {
            char *end;
            if (strncmp(text, " SHARED", 7) == 0) {
                operand[num++] = (int32_t)(SHARED >> 12);
                used = 7;
                continue;
            }
            operand[num++] = (int32_t)strtol(text, &end, 0);
            used = (int)(end - text);
        }
        put_at(p, place, row, operand, num);
        text += strspn(text, ";");
    }
}

uint32_t put_forward(program *p) {
    put(p, "jal", 0, 0);
    return p->num - 1;
}

void put_jump(program *p, uint32_t at, uint32_t to) {
    uint32_t num = p->num;
    p->num = at;
    put(p, "jal", 0, 4 * ((int32_t)to - (int32_t)at));
    p->num = num;
}

void put_prologue(program *p) {
    put(p, "csrrs", 5, 0x808, 0); /* Gdx: the workgroup, whatever the hardware's own number of it is */
    put(p, "csrrs", 6, 0x801, 0); /* Numw */
    put(p, "csrrs", 7, 0x805, 0); /* Wid */
    put_code(p, "mul 5 5 6; add 5 5 7; slli 5 5 10");
    put(p, "lui", 10, DATA_BASE >> 12);
    put(p, "add", 10, 10, 5);
    put(p, "csrrs", 11, 0x806, 0); /* Lds */
    put_code(p, "slli 5 7 8; add 11 11 5; vid_v 1 1; vsll_vi 2 1 2 1; vadd_vx 3 2 10 1; vadd_vx 5 2 11 1; "
                "vmv_v_i 0 1");
}

program begin_program(const char *code) {
    program p = {.num = 0};
    put_prologue(&p);
    put_code(&p, code);
    return p;
}

/* --- Sections of the random program: each leaves x5 to x12 and v0 to v5 usable by the next --- */

static int32_t some_x(rng *r) {
    return 13 + (int32_t)rng_below(r, 8);
}

static int32_t some_v(rng *r) {
    return 8 + (int32_t)rng_below(r, 12);
}

static const char *one_of(rng *r, const char *const *names, size_t num) {
    return names[rng_below(r, (uint32_t)num)];
}
#define ONE_OF(r, ...)                                                                                       \
    one_of(r, (const char *const[]){__VA_ARGS__},                                                            \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void scalar_section(program *p, rng *r) {
    for (uint32_t n = 2 + rng_below(r, 4); n--;) {
        put(p,
            ONE_OF(r, "add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and", "mul", "mulh",
                   "divu", "rem"),
            some_x(r), some_x(r), some_x(r));
        put(p, ONE_OF(r, "addi", "xori", "ori", "andi", "slti"), some_x(r), some_x(r),
            (int32_t)rng_below(r, 4096) - 2048);
    }
    put(p, "addi", 0, 13, 1); /* x0: nothing is pending */
}

static void vector_section(program *p, rng *r, int32_t vm) {
    for (uint32_t n = 2 + rng_below(r, 4); n--;) {
        put(p,
            ONE_OF(r, "vadd_vv", "vsub_vv", "vand_vv", "vor_vv", "vxor_vv", "vsll_vv", "vmul_vv", "vmulhu_vv",
                   "vmin_vv", "vdivu_vv"),
            some_v(r), some_v(r), some_v(r), vm);
        put(p, ONE_OF(r, "vadd_vx", "vsub_vx", "vmul_vx"), some_v(r), some_v(r), some_x(r), vm);
        put(p, "vmacc_vv", some_v(r), some_v(r), some_v(r), vm);
    }
    put(p, "vadd12_vi", some_v(r), some_v(r), (int32_t)rng_below(r, 4096));
}

static void masked_section(program *p, rng *r) {
    put(p, "vand_vi", 6, 1, 1 + (int32_t)rng_below(r, 3), 1);
    put(p, "vmseq_vi", 0, 6, 0, 1);
    vector_section(p, r, 0);
    put(p, "vmerge_vvm", some_v(r), some_v(r), some_v(r), 0);
    put(p, "vse32_v", some_v(r), 10, 0);
    put(p, "vle32_v", some_v(r), 10, 0);
    put(p, "vmv_v_i", 0, 0); /* No lane is active: nothing is expected */
    put(p, "vadd_vv", some_v(r), some_v(r), some_v(r), 0);
    put(p, "vse32_v", some_v(r), 10, 0);
    put(p, "vle32_v", some_v(r), 10, 0);
    put(p, "vmv_v_i", 0, 1);
}

static void straight_section(program *p, rng *r);

/* Setrpc; branch on the lane; two sides; join.  depth: how many of them may be nested. */
static void divergent_section(program *p, rng *r, uint32_t depth) {
    uint32_t rpc_at = p->num;
    put_code(p, "auipc 5 0; setrpc 0 5 0");
    put(p, "vmv_v_i", 7, rng_chance(r, 15) ? 15 : (int32_t)rng_below(r, 4)); /* 15: uniform */
    uint32_t branch = p->num;
    put(p, "vblt", 1, 7, 0);
    straight_section(p, r);
    if (depth && rng_chance(r, 60))
        divergent_section(p, r, depth - 1);
    uint32_t over = put_forward(p);
    uint32_t other = p->num;
    straight_section(p, r);
    uint32_t join = p->num, end;
    put0(p, "join");
    put_jump(p, over, join);
    end = p->num;
    p->num = branch;
    put(p, "vblt", 1, 7, 4 * ((int32_t)other - (int32_t)branch));
    p->num = rpc_at + 1;
    put(p, "setrpc", 0, 5, 4 * ((int32_t)join - (int32_t)rpc_at));
    p->num = end;
}

static void scalar_memory_section(program *p, rng *r) {
    put(p, "sw", some_x(r), 512, 10);
    put(p, "sh", some_x(r), 516 + 2 * (int32_t)rng_below(r, 2), 10);
    put(p, "sb", some_x(r), 520 + (int32_t)rng_below(r, 4), 10);
    put(p, "lw", some_x(r), 512 + 4 * (int32_t)rng_below(r, 3), 10);
    put(p, "lh", some_x(r), 512 + 2 * (int32_t)rng_below(r, 6), 10);
    put(p, "lhu", some_x(r), 512 + 2 * (int32_t)rng_below(r, 6), 10);
    put(p, "lb", some_x(r), 512 + (int32_t)rng_below(r, 12), 10);
    put(p, "lbu", some_x(r), 512 + (int32_t)rng_below(r, 12), 10);
}

static void vector_memory_section(program *p, rng *r) {
    put(p, "vsw12_v", some_v(r), 0, 3);
    put(p, "vsh12_v", some_v(r), 2 * (int32_t)rng_below(r, 2), 3);
    put(p, "vsb12_v", some_v(r), (int32_t)rng_below(r, 4), 3);
    put(p, "vlw12_v", some_v(r), 0, 3);
    put(p, ONE_OF(r, "vlh12_v", "vlhu12_v"), some_v(r), 2 * (int32_t)rng_below(r, 2), 3);
    put(p, ONE_OF(r, "vlb12_v", "vlbu12_v"), some_v(r), (int32_t)rng_below(r, 4), 3);
    put(p, "addi", 5, 0, 4 * (int32_t)rng_below(r, 3)); /* Stride 0: all lanes one address */
    put(p, "vsse32_v", some_v(r), 10, 5, 1);
    put(p, "vlse32_v", some_v(r), 10, 5, 1);
    put(p, "vxor_vi", 6, 2, 4, 1);
    put(p, "vsuxei32_v", some_v(r), 10, 6, 1);
    put(p, "vluxei32_v", some_v(r), 10, 6, 1);
}

static void private_section(program *p, rng *r) {
    put(p, "vmv_v_i", 6, 4 * (int32_t)rng_below(r, 3));
    put(p, "vsw_v", some_v(r), 4, 6);
    put(p, "vsh_v", some_v(r), 6, 6);
    put(p, "vsb_v", some_v(r), 5, 6);
    put(p, "vlw_v", some_v(r), 4, 6);
    put(p, ONE_OF(r, "vlh_v", "vlhu_v"), some_v(r), 4, 6);
    put(p, ONE_OF(r, "vlb_v", "vlbu_v"), some_v(r), 7, 6);
}

static void group_section(program *p, rng *r) {
    put(p, "vsetvli", some_x(r), 0, 0xd1); /* e32, m2 */
    put_code(p, "vadd_vv 8 10 12 1; vmul_vv 14 8 16 1; addi 5 10 256; vse32_v 14 5 1; vle32_v 18 5 1");
    put(p, "addi", 12, 0, 4 * (int32_t)rng_below(r, 2)); /* Stride 0: a lane's two elements at one address */
    put_code(p, "vsse32_v 8 5 12 1; vlse32_v 10 5 12 1");
    put(p, "vsetivli", 0, 1 + (int32_t)rng_below(r, 12),
        0xd1); /* Some elements of the second register, or none */
    put_code(p, "vxor_vv 12 8 10 1; vle32_v 16 5 1");
    put(p, "vsetvli", some_x(r), 0, 0xd0);
}

static void prefix_section(program *p, rng *r) {
    put(p, "regext", 0, 0, 0, 1); /* v40.. */
    put(p, "vadd_vv", 8, some_v(r), some_v(r), 1);
    put(p, "regext", 0, 1, 0, 0);
    put(p, "vxor_vv", some_v(r), 8, some_v(r), 1);
    put(p, "regexti", (int32_t)rng_below(r, 64), 0, 1);
    put(p, "vadd_vi", 9, some_v(r), 3, 1);
    put(p, "regext", 0, 0, 0, 1);
    put(p, "add", 2, 13, 14); /* x34 */
    put(p, "jal", 0, 8);
    put(p, "regext", 0, 0, 0, 1); /* Jumped over: the next runs without it, and that is a warning */
    put(p, "add", 13, 13, 14);
}

static void csr_section(program *p, rng *r) {
    put(p, "csrrw", some_x(r), 0x80b, 7); /* Print */
    put(p, "csrrs", some_x(r), 0x80b, 0);
    put(p, "csrrwi", 0, 0x00a, (int32_t)rng_below(r, 4)); /* Vxrm */
    put(p, "csrrsi", some_x(r), 0x340, 1 + (int32_t)rng_below(r, 31));
    put(p, "csrrci", some_x(r), 0x340, (int32_t)rng_below(r, 32));
    put(p, "csrrs", some_x(r), 0x300, 0); /* Mstatus */
    put(p, "csrrs", some_x(r), 0x800 + (int32_t)rng_below(r, 11), 0);
}

/* AMOs, an LR with its SC, and an SC that fails, on a word of the warp's own; aq and rl at random. */
static void atomic_section(program *p, rng *r) {
    put_code(p, "addi 5 10 528; sw 6 0 5");
    put(p, ONE_OF(r, "amoswap_w", "amoadd_w", "amoxor_w", "amoor_w"), some_x(r), 7, 5,
        (int32_t)rng_below(r, 4));
    put(p, ONE_OF(r, "amoand_w", "amomin_w", "amomax_w", "amominu_w", "amomaxu_w"), some_x(r), 6, 5,
        (int32_t)rng_below(r, 4));
    put(p, "amoadd_w", 0, 7, 5, 0); /* Rd x0: MEM is all that it expects */
    put(p, "lr_w", some_x(r), 5, (int32_t)rng_below(r, 4));
    put(p, "sc_w", some_x(r), 6, 5, (int32_t)rng_below(r, 4));
    put(p, "sc_w", some_x(r), 7, 5, 0);
    put_code(p, "addi 5 11 60; sw 6 0 5");
    put(p, "amoadd_w", some_x(r), 7, 5, 0); /* In LDS */
}

/* Pairs of data after REGPAIR; the bases are odd, so addresses stay below 4 GiB. */
static void pair_section(program *p, rng *r) {
    put_code(p, "addi 23 10 536; regpair 0 0 0 0");
    put(p, "sw", 6, 0, 23); /* x6, x7 */
    put(p, "regpair", 0, 0, 0, 0);
    put(p, "lw", some_x(r) & ~1, 0, 23);
    put(p, "regpair", 0, 0, 0, 0);
    put(p, "lb", some_x(r), 5, 23);
    put_code(p, "vsll_vi 6 2 1 1; vadd_vx 7 6 10 1; regpair 0 0 0 0");
    put(p, "vsw12_v", 2, 600, 7); /* v2, v3 */
    put(p, "regpairi", 0, 0, 0);
    put(p, "vlw12_v", some_v(r) & ~1, 600, 7);
    put_code(p, "addi 23 10 600; regpair 0 0 0 0");
    put(p, "vle32_v", some_v(r) & ~1, 23, 1);
}

static void loop_section(program *p, rng *r) {
    put(p, "addi", 12, 0, 1 + (int32_t)rng_below(r, 3));
    uint32_t top = p->num;
    straight_section(p, r);
    put(p, "addi", 12, 12, -1);
    put(p, "bne", 12, 0, 4 * ((int32_t)top - (int32_t)p->num));
    put(p, "jal", some_x(r), 8);
    put(p, "addi", 13, 13, 1); /* Jumped over */
}

/* Straight-line code that may stand under divergence. */
static void straight_section(program *p, rng *r) {
    switch (rng_below(r, 5)) {
    case 0: put(p, "add", some_x(r), some_x(r), some_x(r)); break;
    case 1: put(p, "vadd_vv", some_v(r), some_v(r), some_v(r), 1); break;
    case 2: put(p, "vsw12_v", some_v(r), 128, 3); break;
    case 3: put(p, "vlw12_v", some_v(r), 128, 3); break;
    default: put(p, "vmv_x_s", some_x(r), 1); break;
    }
}

/* Every warp stores to LDS, all meet, every warp reads its neighbour's. */
static void barrier_section(program *p, rng *r) {
    put(p, "vsw12_v", some_v(r), 0, 5);
    put(p, "fence", 0, 15, 15, 0, 0);
    put(p, "barrier", (int32_t)rng_below(r, 8));
    put_code(p, "addi 5 7 1; remu 5 5 6; sub 5 5 7; slli 5 5 8; vadd_vx 6 5 5 1");
    put(p, "vlw12_v", some_v(r), 0, 6);
    put(p, "vlw12_v", some_v(r), 128, 5); /* Never written: 0, and a warning */
    put_code(p, "barriersub 0; barrier 0");
}

/* Powers of e, some of all lanes, and of each another use. */
static void power_section(program *p, rng *r) {
    const int32_t power = some_v(r);
    put(p, "vfcvt_f_x_v", 20, 1, 1);
    put(p, "vfexp_v", power, 20, 1);
    switch (rng_below(r, 7)) {
    case 0: put(p, "vadd_vv", some_v(r), power, some_v(r), 1); break;
    case 1: put(p, "vsw12_v", power, 128, 3); break;
    case 2: put(p, "vsh12_v", power, 130, 3); break;
    case 3: put(p, "vsw12_v", power, 0, 5); break; /* Local memory */
    case 4: put(p, "vfexp_v", power, power, 1); break;
    case 5:
        put(p, "vmseq_vi", 0, 1, (int32_t)rng_below(r, 4), 1);
        put(p, "vfexp_v", power, 1, 0); /* One lane anew */
        put(p, "vmv_v_i", 0, 1);
        put(p, "vsw12_v", power, 256, 3);
        break;
    default: put(p, "vmv_v_v", some_v(r), power); break;
    }
}

void put_approximate(program *p, rng *r, uint32_t sections, bool barriers) {
    put_prologue(p);
    for (uint32_t i = 0; i < sections; i++) {
        power_section(p, r);
        switch (rng_below(r, 8)) {
        case 0: vector_section(p, r, 1); break;
        case 1: masked_section(p, r); break;
        case 2: group_section(p, r); break;
        case 3: private_section(p, r); break;
        case 4: vector_memory_section(p, r); break;
        case 5: divergent_section(p, r, 1); break;
        case 6: prefix_section(p, r); break;
        default: break;
        }
        if (barriers && i % 4 == 1)
            barrier_section(p, r);
    }
    put0(p, "endprg");
}

void put_everything(program *p, rng *r, uint32_t sections, bool barriers) {
    put_prologue(p);
    for (uint32_t i = 0; i < sections; i++) {
        /* Each kind once before any comes twice, so that a short program has it all. */
        switch (i < 13 ? i : rng_below(r, 13)) {
        case 0: scalar_section(p, r); break;
        case 1: vector_section(p, r, 1); break;
        case 2: masked_section(p, r); break;
        case 3: divergent_section(p, r, 2); break;
        case 4: group_section(p, r); break;
        case 5: prefix_section(p, r); break;
        case 6: csr_section(p, r); break;
        case 7: private_section(p, r); break;
        case 8: vector_memory_section(p, r); break;
        case 9: scalar_memory_section(p, r); break;
        case 10: atomic_section(p, r); break;
        case 11: pair_section(p, r); break;
        default: loop_section(p, r); break;
        }
        if (barriers && i % 4 == 1)
            barrier_section(p, r);
    }
    put0(p, "endprg");
}
