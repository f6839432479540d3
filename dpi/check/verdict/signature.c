#include "signature.h"
#include "names.h"

#include <stdio.h>
#include <string.h>

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

/* The classes of the values, as far as they distinguish defects: addresses and data of memory accesses do
 * not. */
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
static void put_operands(char *text, size_t size, const karat_commit *commit, uint32_t lanes) {
    const karat_row *row = karat_row_info(commit->row);
    const char *(*class_of)(uint32_t) = row ? classes_of(row) : NULL;
    if (!class_of)
        return;
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

/* A number of the lowest or highest binade apart: there is where rounding, underflow and overflow go
 * wrong. */
static const char *result_class(const char *(*class_of)(uint32_t), uint32_t v) {
    const uint32_t exponent = v >> 23 & 0xff;
    if (class_of == float_class && (exponent == 1 || exponent == 0xfe))
        return exponent == 1 ? "lowest binade" : "highest binade";
    return class_of(v);
}

static const char *bits_of(uint32_t x) {
    return x == 1u << 31    ? "sign"
           : !(x & (x - 1)) ? "one bit"
           : x < 8          ? "low bits"
           : x < 1u << 16   ? "low half"
           : !(x & 0xffff)  ? "high half"
                            : "many bits";
}

/* The classes of the two results, or, where these are the same, the pattern of the bits that differ. */
static void put_differing(char *text, size_t size, const karat_row *row, const karat_two_values *v) {
    const char *(*class_of)(uint32_t) = row ? classes_of(row) : NULL;
    const char *core = class_of ? result_class(class_of, v->core) : "",
               *model = class_of ? result_class(class_of, v->model) : "";
    if (strcmp(core, model) != 0)
        snprintf(text, size, "%s for %s", core, model);
    else
        snprintf(text, size, "%s%s%s", core, *core ? ", " : "", bits_of(v->core ^ v->model));
}

void karat_signature_of(const karat_commit *commit, uint32_t lanes, uint32_t all, const karat_two_values *v,
                        karat_signature *s) {
    *s = (karat_signature){.row = KARAT_NO_ROW, .lanes = ""};
    if (!commit)
        return;
    const bool scalar = !commit->num_writes || commit->write[0].cls == KARAT_CLASS_X;
    s->row = commit->row;
    put_operands(s->operands, sizeof s->operands, commit,
                 lanes & all); /* A wrong mask may have lanes that do not exist */
    s->lanes = scalar ? "" : pattern_of(lanes, commit->mask_before);
    s->producer = v->producer;
    if (v->is_known)
        put_differing(s->differs, sizeof s->differs, karat_row_info(commit->row), v);
}

bool karat_signature_same(const karat_signature *a, const karat_signature *b) {
    return a->row == b->row && a->producer == b->producer && strcmp(a->operands, b->operands) == 0 &&
           strcmp(a->lanes, b->lanes) == 0 && strcmp(a->differs, b->differs) == 0;
}

void karat_signature_text(const karat_signature *s, const char *kind, char *text, size_t size) {
    const karat_row *row = karat_row_info(s->row);
    snprintf(text, size, "%s%s%s%s%s%s%s%s%s%s%s%s", kind, row ? ", " : "", row ? row->mnemonic : "",
             s->operands[0] ? " (" : "", s->operands, s->operands[0] ? ")" : "", s->lanes[0] ? ", " : "",
             s->lanes, s->differs[0] ? ", " : "", s->differs, s->producer ? ", from " : "",
             s->producer ? s->producer->mnemonic : "");
}
