/* The exact sums of matrix products, for cores that add in another order than the model. */
#include "karat/model.h"

#include <stdio.h>

#include "fp/dot.h"
#include "mma.h"

_Static_assert(KARAT_SUM_TEXT >= 2 * KARAT_DOT_TEXT, "room for two");
_Static_assert(KARAT_SUM_FAR == KARAT_DOT_FAR, "the same");

/* A word and its operands. */
typedef struct product {
    karat_mma f;
    karat_matrix a, b, c;
} product;

/* A source of the step. False: the commit does not have it. */
static bool find_matrix(const karat_commit *commit, unsigned source, uint32_t num, bool half,
                        karat_matrix *m) {
    uint32_t found = 0;
    m->half = half;
    for (uint32_t i = 0; i < commit->num_reads && i < KARAT_MAX_READ; i++) {
        const karat_reg_read *read = &commit->read[i];
        if (read->source != source || read->part >= num)
            continue;
        m->reg[read->part] = read->value;
        found++;
    }
    return found == num;
}

static bool find_product(const karat_commit *commit, product *p) {
    const karat_row *row = commit ? karat_row_info(commit->row) : NULL;
    if (!row || row->policy != KARAT_SUM)
        return false;
    p->f = karat_mma_fields(commit->word);
    const bool halves = p->f.type != MMA_TF32;
    return find_matrix(commit, 1, p->f.m / 4, halves, &p->a) &&
           find_matrix(commit, 2, p->f.n / 4, halves, &p->b) &&
           find_matrix(commit, 3, p->f.words, p->f.half, &p->c);
}

/* Element number i of C, and the products that are added to it. */
static karat_dot sum_of(const product *p, uint32_t i) {
    const karat_mma *f = &p->f;
    const uint32_t row = i / f->n, column = i % f->n, one = 0x3f800000, c = karat_element(&p->c, i);
    uint32_t flags = 0;
    karat_dot dot = {.nan = false};
    karat_dot_add(&dot, f->half ? karat_f32_from_f16((uint16_t)c, KARAT_RNE, &flags) : c, one);
    for (uint32_t k = 0; k < f->k; k++) {
        const uint32_t a = karat_element(&p->a, f->a_by_column ? k * f->m + row : row * f->k + k),
                       b = karat_element(&p->b, f->b_by_row ? column * f->k + k : k * f->n + column);
        karat_dot_add(&dot, karat_factor(a, f->type, &flags), karat_factor(b, f->type, &flags));
    }
    return dot;
}

uint64_t karat_sum_distance(const karat_commit *commit, uint32_t write, uint32_t lane, uint32_t value,
                            char exact[KARAT_SUM_TEXT]) {
    product p;
    char text[2][KARAT_DOT_TEXT];
    if (exact)
        exact[0] = 0;
    if (!find_product(commit, &p) || write >= p.f.words || lane >= MMA_LANES)
        return KARAT_SUM_FAR;
    const uint32_t at = write * MMA_LANES + lane;
    const karat_dot low = sum_of(&p, p.f.half ? 2 * at : at), high = sum_of(&p, p.f.half ? 2 * at + 1 : at);
    karat_dot_text(&low, text[0]);
    karat_dot_text(&high, text[1]);
    if (exact)
        snprintf(exact, KARAT_SUM_TEXT, p.f.half ? "%s, %s" : "%s", text[0], text[1]);
    if (!p.f.half)
        return karat_dot_distance(&low, value, KARAT_DOT_F32);
    const uint64_t of_low = karat_dot_distance(&low, value & 0xffff, KARAT_DOT_F16),
                   of_high = karat_dot_distance(&high, value >> 16, KARAT_DOT_F16);
    return of_low > of_high ? of_low : of_high;
}
