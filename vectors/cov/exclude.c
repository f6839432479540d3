/* Bins that nothing can reach, by rule: each says what it is about and why. */
#include "private.h"

#include <string.h>

/* Of a device of that many threads per warp. */
typedef const char *rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at);

static const karat_row *row_of(const karat_cov *cov, uint32_t at) {
    return karat_row_info(cov->rows[at].row);
}

/* --- Instructions and their operands --- */

static const char *mask_rule(uint32_t num_thread, const row_facts *f, uint32_t mask) {
    const karat_row *row = karat_row_info(f->row);
    if (mask == MASK_EMPTY && (!f->vector || row->unit == KARAT_UNIT_SIMT))
        return "a warp never has no thread, and neither v0.t nor vl counts here";
    if (row->owes & (KARAT_OWES_BARRIER | KARAT_OWES_EXIT) && mask != MASK_FULL)
        return "an error under divergence";
    if (num_thread == 1 && mask > MASK_EMPTY && !f->vector)
        return "one thread";
    if (num_thread <= 2 && mask > MASK_SINGLE)
        return "two threads";
    return NULL;
}

static const char *instruction_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    const row_facts *f = &cov->rows[at[0]];
    return f->fits[at[1]] ? mask_rule(num_thread, f, at[2]) : "the prefix does not fit the instruction";
}

static const char *class_rule(const row_facts *f, unsigned source, bool extended, uint32_t class) {
    if (!f->source[source])
        return "no such source, or it is an address, which group memory has";
    if (f->imm[source] < 0)
        return f->fp || class < NUM_INT_CLASS ? NULL : "integers have fewer classes";
    if (class >= NUM_INT_CLASS)
        return "integers have fewer classes";
    const karat_operand_kind *kind =
        karat_operand_info(karat_row_info(f->row)->operands[(unsigned)f->imm[source]]);
    int64_t least, most;
    cov_imm_range(kind, extended, &least, &most);
    const int64_t values[] = {least, least + 1, -2, -1, 0, 1, 2, 8, most};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i] >= least && values[i] <= most && cov_imm_class(values[i], least, most) == class)
            return NULL;
    return "the immediate has no such value";
}

static const char *operand_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    const char *why = instruction_rule(cov, num_thread, at);
    const row_facts *f = &cov->rows[at[0]];
    if (!why)
        why = class_rule(f, at[3] + 1, at[1] == PREFIX_REGEXTI || at[1] == PREFIX_REGPAIRI, at[4]);
    if (!why && at[2] == MASK_EMPTY && f->imm[at[3] + 1] < 0) {
        const karat_row *row = karat_row_info(f->row);
        for (uint32_t i = 0; i < row->num_operands; i++) {
            const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
            const unsigned source = kind->role == KARAT_ROLE_SRC1 ? 1 : kind->role == KARAT_ROLE_SRC2 ? 2 : 3;
            if (kind->is_reg && kind->cls == KARAT_CLASS_V && source == at[3] + 1)
                why = "no element is active";
        }
    }
    return why;
}

static const char *pair_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)num_thread;
    const row_facts *f = &cov->rows[at[0]];
    unsigned first = 1;
    while (first <= 3 && !f->source[first])
        first++;
    unsigned second = first + 1;
    while (second <= 3 && !f->source[second])
        second++;
    if (second > 3)
        return "fewer than two sources that are data";
    const bool extended = f->fits[PREFIX_REGEXTI];
    const char *why = class_rule(f, first, false, at[1]);
    if (why && extended)
        why = class_rule(f, first, true, at[1]);
    const char *why2 = class_rule(f, second, false, at[2]);
    if (why2 && extended)
        why2 = class_rule(f, second, true, at[2]);
    return why ? why : why2;
}

static const char *number_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)num_thread;
    const karat_row *row = row_of(cov, at[0]);
    for (uint32_t i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        if (!kind->is_reg || kind->role == KARAT_ROLE_IGNORED)
            continue;
        const uint32_t operand = kind->role == KARAT_ROLE_DEST   ? 0
                                 : kind->role == KARAT_ROLE_SRC1 ? 1
                                 : kind->role == KARAT_ROLE_SRC2 ? 2
                                                                 : 3;
        if (operand == at[1] || (kind->is_read && at[1] == 3))
            return kind->cls == KARAT_CLASS_X && at[2] > 5 ? "scalar registers end at 63" : NULL;
    }
    return "no such register operand";
}

static const char *rounding_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)num_thread;
    return cov->rows[at[0]].fp ? NULL : "no floating-point instruction";
}

/* --- Memory --- */

static const char *memory_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)cov;
    const uint32_t op = at[0], space = at[1] + 1, width = at[2], byte = at[3], pattern = at[4];
    const bool atomic = op >= OP_LR;
    if (atomic && (space == KARAT_PRIVATE || width != 2 || byte || pattern != PATTERN_ONE))
        return "an atomic accesses one aligned word that is not private";
    if ((width == 1 && byte & 1) || (width >= 2 && byte))
        return "it would be misaligned";
    if (num_thread < 2 && pattern != PATTERN_ONE)
        return "one thread";
    if (pattern == PATTERN_MORE && num_thread < 4)
        return "too few threads";
    return NULL;
}

/* --- SIMT stack, barriers --- */

static const char *simt_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)cov;
    const uint32_t event = at[0], depth = at[1], mask = at[2];
    if (mask == MASK_EMPTY)
        return "a warp never has no thread";
    if (num_thread == 1 && (event == EVENT_DIVERGE || depth || mask != MASK_FULL))
        return "one thread never diverges";
    if (num_thread <= 2 && mask > MASK_SINGLE)
        return "two threads";
    if (event == EVENT_DIVERGE && (depth < 2 || mask == MASK_FULL))
        return "a divergence leaves two entries, and some threads only";
    const uint32_t deepest = 2 * (num_thread - 1), least[] = {0, 1, 2, 3, 4, 5, 9};
    if (least[depth] > deepest)
        return "no divergence is as deep with so few threads";
    return NULL;
}

static const char *barrier_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)cov, (void)num_thread;
    if (at[0] == 0 && at[1] != 2)
        return "the only warp is the last one";
    if (at[0] == 1 && at[1] == 1)
        return "of two warps none is between";
    if ((at[0] == 0 || at[1] == 0) && at[2])
        return "nobody has arrived before it";
    return NULL;
}

/* --- Hazards --- */

static bool unit_has(const karat_cov *cov, uint32_t unit, uint32_t cls, bool dest) {
    for (uint32_t r = 0; r < cov->num_rows; r++) {
        const karat_row *row = row_of(cov, r);
        for (uint32_t i = 0; row->unit == unit && i < row->num_operands; i++) {
            const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
            if (kind->is_reg && kind->cls == cls && kind->role != KARAT_ROLE_IGNORED &&
                (kind->role == KARAT_ROLE_DEST) == dest)
                return true;
            if (!dest && cls == KARAT_CLASS_V && kind->role == KARAT_ROLE_VM)
                return true;
            if (!dest && kind->is_read && kind->cls == cls)
                return true;
        }
    }
    return false;
}

static const char *hazard_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)num_thread;
    if (!unit_has(cov, at[0], at[3], at[2] != HAZARD_WAR))
        return "the older unit has no such register";
    if (!unit_has(cov, at[1], at[3], at[2] != HAZARD_RAW))
        return "the younger unit has no such register";
    return NULL;
}

/* --- CSRs, configuration, launches --- */

static const char *csr_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)num_thread;
    const uint32_t number = cov_csr_number(at[1]);
    const karat_row *row = row_of(cov, at[0]);
    if (row->unit != KARAT_UNIT_CSR)
        return "no CSR instruction";
    const bool swaps = strncmp(row->name, "csrrw", 5) == 0;
    /* As the model has it: a warp of a small model of its own would say the same, at a higher price. */
    const bool constant = number >> 10 == 3 || number == 8 || (number >= 0x800 && number < 0x80b);
    if (constant && at[2] == EFFECT_CHANGED)
        return "the CSR never changes";
    if (constant && number != 8 && at[2] != EFFECT_NONE)
        return "read-only: a write is an illegal instruction";
    if (swaps && at[2] == EFFECT_NONE)
        return "csrrw always writes";
    if (swaps && constant && number != 8)
        return "read-only: a write is an illegal instruction";
    return NULL;
}

static const char *config_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    if (row_of(cov, at[0])->unit != KARAT_UNIT_CONFIG)
        return "no vset*";
    if (at[1] == 2 && at[2])
        return "an unsupported setting has vl = 0";
    if (num_thread == 1 && at[1] == 0 && (at[2] == 1 || at[2] == 2))
        return "one element";
    return NULL;
}

static const char *launch_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)cov;
    return num_thread == 1 && at[2] ? "one thread" : NULL;
}

const char *karat_cov_excluded(const karat_cov *cov, uint32_t group, uint32_t bin) {
    static rule *const rules[NUM_GROUP] = {
#define AXIS(...)
#define GROUP(id, ...) [GROUP_##id] = id##_rule,
#include "groups.def"
#undef GROUP
#undef AXIS
    };
    uint32_t at[KARAT_COV_AXES];
    karat_cov_at(cov, group, bin, at);
    const char *why = NULL;
    for (uint32_t n = KARAT_MAX_THREAD; n; n /= 2)
        if (cov->devices & n) {
            const char *here = rules[group](cov, n, at);
            if (!here)
                return NULL;
            why = why ? why : here;
        }
    return why;
}

uint64_t karat_cov_contradictions(const karat_cov *cov) {
    uint64_t num = 0;
    for (uint32_t g = 0; g < NUM_GROUP; g++)
        for (uint32_t i = 0; i < cov->bins[g]; i++)
            num += cov->hits[g][i] && karat_cov_excluded(cov, g, i);
    return num;
}
