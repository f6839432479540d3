/* Beyond mismatches with the same warp (config.keep_going): one run lists many.
 *
 * Where a value is wrong the core's is taken: it is compared with itself from there on, so that what follows from it is not
 * wrong again. Where that cannot be done (another pc, another stack, something missing) the warp is frozen (freeze.c).
 * Each mismatch is entered in a list by its signature: kind, instruction, classes of the operands, lanes. The first of
 * that signature is remembered with its place, the others are counted. */
#include "state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool karat_defects_init(karat_checker *c) {
    c->defects = calloc(NUM_DEFECT, sizeof *c->defects);
    return c->defects;
}

void karat_keep(karat_checker *c, uint32_t lanes) {
    c->keeps = c->config.keep_going;
    c->kept_lanes = lanes;
}

bool karat_kept(karat_checker *c) {
    const bool kept = c->config.keep_going && !c->done;
    if (kept && c->num_failed == 1)
        karat_report_first(c);
    return kept;
}

static const char *float_class(uint32_t v) {
    const uint32_t exponent = v >> 23 & 0xff, fraction = v & 0x7fffff;
    if (exponent == 0xff)
        return !fraction ? "inf" : fraction >> 22 ? "qnan" : "snan";
    return exponent ? "normal" : fraction ? "subnormal" : "zero";
}

static const char *integer_class(uint32_t v) {
    return v == 0           ? "zero"
           : v == INT32_MAX ? "largest"
           : v == 1u << 31  ? "smallest"
           : v >> 31        ? "negative"
                            : "positive";
}

/* What the values are of, as far as it tells one defect from another: addresses and data of memory accesses do not. */
static const char *(*classes_of(const karat_row *row))(uint32_t) {
    switch (row->unit) {
    case KARAT_UNIT_FP:
    case KARAT_UNIT_FDIV:
    case KARAT_UNIT_SFU:
    case KARAT_UNIT_TENSOR: return float_class;
    case KARAT_UNIT_ALU:
    case KARAT_UNIT_MUL:
    case KARAT_UNIT_DIV:
    case KARAT_UNIT_BRANCH: return integer_class;
    default: return NULL;
    }
}

/* Of the first lane that differs, or that is active: "normal, inf"; text is empty before. */
static void put_operands(const karat_checker *c, char *text, size_t size, const karat_commit *commit) {
    const karat_row *row = karat_row_info(commit->row);
    const char *(*class_of)(uint32_t) = row ? classes_of(row) : NULL;
    if (!class_of)
        return;
    uint32_t lanes = c->kept_lanes & karat_all_lanes(c); /* a wrong mask may have lanes that do not exist */
    if (!lanes)
        lanes = commit->mask_before ? commit->mask_before : 1;
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    for (uint32_t i = 0; i < commit->num_reads; i++) {
        const karat_reg_read *read = &commit->read[i];
        if (read->source == 0 || read->part != 0)
            continue; /* v0 as mask; the second register of a group is of the same class, mostly */
        karat_append(text, size, "%s%s", *text ? ", " : "",
                     class_of(read->value[read->cls == KARAT_CLASS_X ? 0 : lane]));
    }
}

static const char *pattern_of(uint32_t lanes, uint32_t active) {
    if (!lanes)
        return "";
    return lanes == active ? "every active lane" : lanes & (lanes - 1) ? "some lanes" : "one lane";
}

void karat_note_defect(karat_checker *c, failure_kind kind, const slot *s, const flight *f,
                       const char *detail) {
    c->num_mismatches++;
    defect new = {.row = KARAT_NO_ROW, .lanes = ""};
    karat_describe_further(c, &new.first, kind, s, f, detail);
    if (f) {
        const bool scalar = !f->commit.num_writes || f->commit.write[0].cls == KARAT_CLASS_X;
        new.row = f->commit.row;
        put_operands(c, new.operands, sizeof new.operands, &f->commit);
        new.lanes = scalar ? "" : pattern_of(c->kept_lanes, f->commit.mask_before);
    }
    for (uint32_t i = 0; i < c->num_defects; i++) {
        defect *d = &c->defects[i];
        if (d->first.kind != kind || d->row != new.row || strcmp(d->operands, new.operands) != 0 ||
            d->lanes != new.lanes)
            continue;
        d->count++;
        return;
    }
    if (c->num_defects == NUM_DEFECT) {
        c->defects_lost++;
        return;
    }
    new.count = 1;
    c->defects[c->num_defects++] = new;
}
