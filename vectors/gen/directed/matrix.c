/* Matrix products, in all threads of the warp: they read and write groups of registers. */
#include "dir.h"

enum {
    V_A = 8,
    V_B = V_A + KARAT_MATRIX_REGISTERS / 2,
    V_CD = V_B + KARAT_MATRIX_REGISTERS / 2,
    V_HIGHER = 64, /* So much higher are registers with an extension */
    V_END = 256
};

/* First registers: of the destination, which is the third source, of A and of B. */
typedef struct places {
    int32_t cd, source[4];
} places;

static places places_of(const dir *d, prog_prefix prefix) {
    const int32_t all = prefix == PROG_PLAIN ? 0 : V_HIGHER,
                  first = prog_prefix_info(d->p, prefix).has_imm ? 0 : all; /* REGEXTI does not extend it */
    return (places){V_CD + all, {0, V_A + first, V_B + all, V_CD + all}};
}

static karat_halves halves_of(const dir *d, const row_use *u, unsigned source) {
    bool both;
    return karat_source_halves(u->info, d->table->profile, source, &both);
}

/* Load that source: rows of a table of numbers that all differ, or of one by class. */
static void load(dir *d, const row_use *u, const places *at, unsigned source, bool classes,
                 uint32_t variant) {
    const karat_halves halves = halves_of(d, u, source);
    for (uint32_t k = 0; k < u->registers[source]; k++)
        tables_vector(d, (uint32_t)at->source[source] + k,
                      classes ? tables_of_classes(halves, variant) : FINITE + halves,
                      classes ? (3 * k + variant) % FP_CLASSES : (3 * source + k + 5 * variant) % TABLE_ROWS);
}

/* Load all of them. */
static void load_all(dir *d, const row_use *u, const places *at, uint32_t variant) {
    for (unsigned source = 1; source <= 3; source++)
        load(d, u, at, source, false, variant);
}

static void put_apart(dir *d, const row_use *u, const places *at, prog_prefix prefix, int32_t apart) {
    insn x = blank(u);
    x.apart = apart;
    give(&x, u->source[1], at->source[1]);
    give(&x, u->source[2], at->source[2]);
    give(&x, u->dest, at->cd);
    if (!dir_put(d, u, &x, prefix))
        return;
    for (int32_t k = 0; k < u->registers[0]; k++)
        dir_sum(d, u, at->cd + k);
}

static void put(dir *d, const row_use *u, const places *at, prog_prefix prefix) {
    put_apart(d, u, at, prefix, PROG_NONE);
}

/* With each prefix: numbers, whose result is added to once more; then each class of value in one register of
 * each source, because a NaN takes a row or a column of the result. */
void matrix_operands(dir *d, const row_use *u) {
    enum { SETS = 3 };
    for (prog_prefix prefix = PROG_PLAIN; prefix < d->p->num_general; prefix++) {
        if (!u->takes_prefix[prefix])
            continue;
        const places at = places_of(d, prefix);
        load_all(d, u, &at, prefix);
        put(d, u, &at, prefix);
        put(d, u, &at, prefix);
        for (uint32_t set = 0; set < (prefix == PROG_PLAIN ? SETS : 1); set++)
            for (unsigned source = 1; source <= 3; source++) {
                places one = at;
                load_all(d, u, &at, set);
                one.source[source] += u->registers[source] - 1;
                tables_vector(d, (uint32_t)one.source[source],
                              tables_of_classes(halves_of(d, u, source), set), source);
                put(d, u, &at, prefix);
            }
    }
}

/* The first register of each operand at the borders of the extensions, and such that the last one is the last
 * there is. */
void matrix_numbers(dir *d, const row_use *u) {
    static const uint8_t numbers[] = {0, 20, 31, 32, 40, 63, 64, 95, 255};
    for (unsigned source = 1; source <= 3; source++)
        for (uint32_t k = 0; k < sizeof numbers; k++) {
            places at = places_of(d, numbers[k] < V_CD + KARAT_MATRIX_REGISTERS ? PROG_REGEXT : PROG_PLAIN);
            at.source[source] =
                numbers[k] + u->registers[source] > V_END ? V_END - u->registers[source] : numbers[k];
            at.cd = at.source[3];
            load_all(d, u, &at, k);
            put(d, u, &at, PROG_AUTO);
            if (source == 3) { /* Field x3 names other registers, which are not read */
                const int32_t n = at.cd;
                put_apart(d, u, &at, PROG_REGEXT, (n & 31) + (n == 31 ? 224 : n >> 5 == 1 ? 64 : 32));
            }
        }
    shape_mask(d, ALTERNATING); /* It was register 0 */
}

/* The number of that class in all elements of a source. */
static void fill(dir *d, const row_use *u, const places *at, unsigned source, uint32_t word) {
    prog_li(d->p, X_TEMP, word);
    for (uint32_t k = 0; k < u->registers[source]; k++)
        prog_add(d->p, "vmv.v.x", at->source[source] + (int32_t)k, X_TEMP);
}

/* In each mode, which has no effect: sums that are exact, rounded, tiny, too large and invalid. */
void matrix_rounding(dir *d, const row_use *u) {
    static const struct numbers {
        uint32_t one, most, least, inf; /* least: 13 low bits of a binary32 are dropped */
    } formats[] = {{0x3f800000, 0x7f7fffff, 0x00800000, 0x7f800000},
                   [KARAT_HALVES_F16] = {0x3c003c00, 0x7bff7bff, 0x00010001, 0x7c007c00},
                   [KARAT_HALVES_BF16] = {0x3f803f80, 0x7f7f7f7f, 0x00010001, 0x7f807f80}};
    const struct numbers *n = &formats[halves_of(d, u, 1)];
    const uint32_t pairs[][2] = {{n->one, n->one}, {n->least, n->least}, {n->most, n->most}, {n->inf, 0}};
    const places at = places_of(d, PROG_PLAIN);
    for (int32_t mode = 0; mode < 5; mode++) {
        prog_add(d->p, "csrrwi", 0, CSR_FRM, mode);
        dir_add_flags(d, u);
        for (uint32_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
            fill(d, u, &at, 1, pairs[k][0]);
            fill(d, u, &at, 2, pairs[k][1]);
            fill(d, u, &at, 3, 0);
            put(d, u, &at, PROG_PLAIN);
            dir_add_flags(d, u);
        }
        load_all(d, u, &at, (uint32_t)mode);
        put(d, u, &at, PROG_PLAIN);
        dir_add_flags(d, u);
        load(d, u, &at, 3, true, (uint32_t)mode);
        put(d, u, &at, PROG_PLAIN);
        dir_add_flags(d, u);
    }
    prog_add(d->p, "csrrwi", 0, CSR_FRM, 0);
}
