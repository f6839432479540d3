/* Bins that nothing can reach, by rule: each says what it is about and why. */
#include "karat/notes.h"
#include "private.h"
#include "row_lanes.h"

#include <string.h>

/* A bin, on a device of that many threads per warp. row and facts: of the point of an axis "instruction",
 * which is the first; else NULL. */
typedef struct place {
    const karat_cov *cov;
    uint32_t num_thread, at[KARAT_COV_AXES];
    const karat_row *row;
    const row_facts *facts;
} place;

/* Why nothing can reach it; NULL: something can. */
typedef const char *rule(const place *p);

static const char few_for_tensor[] = "illegal with fewer than four threads",
                  few_for_matrix[] = "illegal with fewer than 32 threads";

/* Of a row on a device of so many threads. */
static const char *threads_rule(const karat_row *row, uint32_t num_thread) {
    return !row || karat_row_threads(row) <= num_thread ? NULL
           : karat_row_is_matrix(row)                   ? few_for_matrix
                                                        : few_for_tensor;
}

/* --- Instructions and their operands --- */

static const char *mask_rule(uint32_t num_thread, const row_facts *f, uint32_t prefix, uint32_t mask) {
    const karat_row *row = karat_row_info(f->row);
    const bool by_element = f->vector && row->unit != KARAT_UNIT_SIMT;
    const uint32_t elements = by_element && f->groups[prefix] ? 2 * num_thread : num_thread;
    if (mask == MASK_EMPTY && !by_element)
        return "a warp never has no thread, and neither v0.t nor vl counts here";
    if (row->owes & (KARAT_OWES_BARRIER | KARAT_OWES_EXIT) && mask != MASK_FULL)
        return "an error under divergence";
    if (f->matrix && mask != MASK_FULL)
        return "illegal unless all lanes are active";
    if (elements == 1 && mask > MASK_EMPTY)
        return "one thread";
    if (elements == 2 && mask > MASK_SINGLE)
        return "two elements";
    return NULL;
}

static const char *instruction_rule(const place *p) {
    return p->facts->fits[p->at[1]] ? mask_rule(p->num_thread, p->facts, p->at[1], p->at[2])
                                    : "the prefix does not fit the instruction";
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

static const char *operand_rule(const place *p) {
    const unsigned source = p->at[3] + 1;
    const char *why = instruction_rule(p);
    if (!why)
        why = class_rule(p->facts, source, cov_prefix_extends(p->at[1]), p->at[4]);
    for (uint32_t i = 0; !why && p->at[2] == MASK_EMPTY && i < p->row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(p->row->operands[i]);
        if (kind->is_reg && kind->cls == KARAT_CLASS_V && cov_source(kind) == source)
            why = "no element is active";
    }
    return why;
}

static const char *pair_rule(const place *p) {
    unsigned sources[2];
    if (p->facts->matrix)
        return "each element of a matrix meets those of a row or column";
    if (!cov_two_sources(p->facts->source, sources))
        return "fewer than two sources that are data";
    for (unsigned i = 0; i < 2; i++) {
        const char *why = class_rule(p->facts, sources[i], false, p->at[1 + i]);
        if (why && p->facts->fits[PREFIX_REGEXTI])
            why = class_rule(p->facts, sources[i], true, p->at[1 + i]);
        if (why)
            return why;
    }
    return NULL;
}

static const char *number_rule(const place *p) {
    const uint32_t number = p->at[2];
    for (uint32_t i = 0; i < p->row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(p->row->operands[i]);
        if (!kind->is_reg || kind->role == KARAT_ROLE_IGNORED)
            continue;
        const uint32_t operand = cov_number_operand(kind);
        const bool odd = number == 2 || number == 5 || number == 7,
                   pair = !karat_row_follows_sew(p->row) &&
                          karat_operand_is_pair(kind, (karat_width)karat_row_width(p->row, 0, KARAT_W32));
        if (operand == p->at[1] && pair && odd)
            return "pairs begin at even numbers";
        if (operand == p->at[1] && karat_operand_registers(kind) > 1 && number == 7)
            return "the last register of a matrix is at most v255";
        if (operand == p->at[1] || (kind->is_read && p->at[1] == 3))
            return kind->cls == KARAT_CLASS_X && number > 5 ? "scalar registers end at 63" : NULL;
    }
    return "no such register operand";
}

/* --- Flags --- */

enum { NX = 1u << FLAG_NX, UF = 1u << FLAG_UF, OF = 1u << FLAG_OF, DZ = 1u << FLAG_DZ, NV = 1u << FLAG_NV };

/* The operations that instructions are defined by (golden/fp/fp.h), and what IEEE 754 lets them signal; of
 * the estimates the V extension says it, 13.9 and 13.10. */
static const struct operation {
    const char *name;
    uint32_t raises;
    const char *why; /* Nothing else */
} operations[] = {
    {"fp_add(", NX | OF | NV, "a sum that is tiny is exact, and does not divide"},
    {"fp_sub(", NX | OF | NV, "a sum that is tiny is exact, and does not divide"},
    {"fp_mul(", NX | UF | OF | NV, "a product does not divide"},
    {"fp_fma(", NX | UF | OF | NV, "a product does not divide"},
    {"fp_div(", NX | UF | OF | DZ | NV, ""},
    {"fp_sqrt(", NX | NV, "a square root is neither tiny nor too large, and does not divide"},
    {"fp_exp(", NX | UF | OF | NV, "an exponential does not divide"},
    {"fp_rec7(", NX | OF | DZ | NV, "an estimate that is tiny raises nothing"},
    {"fp_rsqrt7(", DZ | NV, "an estimate of a reciprocal root is in range, and never inexact"},
    {"fp_min(", NV, "a comparison is exact"},
    {"fp_max(", NV, "a comparison is exact"},
    {"fp_eq(", NV, "a comparison is exact"},
    {"fp_lt(", NV, "a comparison is exact"},
    {"fp_le(", NV, "a comparison is exact"},
    {"fp_to_int(", NX | NV, "a value out of an integer's range is invalid, and nothing else"},
    {"fp_from_int(", NX, "every integer is in range"},
    {"fp_narrow(", NX | UF | OF | NV, "a conversion does not divide"},
    {"fp_widen(", NV, "every number is in the wider format's range"},
    {"f16_add", NX | OF | NV, "a sum that is tiny is exact, and does not divide"},
    {"f16_mul", NX | UF | OF | NV, "a product does not divide"},
    {"fma_", NX | UF | OF | NV, "a product does not divide"},
    {"f16_from_f32", NX | UF | OF | NV, "a conversion does not divide"},
    {"to_bf16(", NX | UF | OF | NV, "a conversion does not divide"},
    {"f32_from_f16", NV, "every number is in the wider format's range"},
    {"from_bf16(", NV, "every number is in the wider format's range"},
    {"KARAT_EX2(", NX | UF | OF | NV, "an exponential does not divide"},
    {"KARAT_LG2(", NX | DZ | NV, "a logarithm is neither tiny nor too large"},
    {"KARAT_RCP(", NX | UF | OF | DZ | NV, ""},
    {"KARAT_SQRT(", NX | NV, "a square root is neither tiny nor too large, and does not divide"},
    {"KARAT_RSQRT(", NX | DZ | NV, "a reciprocal root is neither tiny nor too large"},
    {"KARAT_SIN(", NX | UF | NV, "a sine is not too large, and does not divide"},
    {"KARAT_COS(", NX | NV, "a cosine is neither tiny nor too large, and does not divide"},
    {"KARAT_TANH(", NX | UF | NV, "it is not too large, and does not divide"},
    {"KARAT_GELU(", NX | UF | NV, "it is not larger than its operand, and does not divide"},
    {"KARAT_SILU(", NX | UF | NV, "it is not larger than its operand, and does not divide"},
};

/* The definition of the instruction: that operation is in it. A tensor row's definition is words: it sums
 * products. */
static bool does(const karat_row *row, const char *definition, const struct operation *operation) {
    if (row->unit == KARAT_UNIT_TENSOR)
        return strcmp(operation->name, "fp_mul(") == 0 || strcmp(operation->name, "fp_add(") == 0;
    return definition && strstr(definition, operation->name);
}

/* Whether an operand of that role is twice as wide as the instruction's elements. */
static bool has_wide(const karat_row *row, uint8_t role) {
    for (uint32_t i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        if (kind->role == role && kind->span == KARAT_SPAN_TWICE)
            return true;
    }
    return false;
}

/* Integers beyond the range of binary16: those of 32 bits that a row narrows, and unsigned ones of 16 bits
 * where they are not rounded down. */
static bool from_int_overflows(const place *p, uint32_t mode) {
    const char *from = strstr(karat_row_definition(p->facts->row).text, "fp_from_int(");
    return karat_profile_has(p->cov->profile, KARAT_FEATURE_WIDTHS) && from &&
           p->row->widths >> KARAT_W16 & 1 &&
           (has_wide(p->row, KARAT_ROLE_SRC2) ||
            (strstr(from, "false") && mode != MODE_RTZ && mode != MODE_RDN));
}

static const char *flag_rule(const place *p, uint32_t mode, uint32_t flag) {
    const row_facts *f = p->facts;
    if (!f->fp)
        return "no floating-point instruction";
    if (flag == FLAG_NONE)
        return NULL;
    if (f->matrix && karat_product_of(p->row->match).types == KARAT_F16_TO_F32 &&
        (flag == FLAG_UF || flag == FLAG_OF))
        return "products of binary16, and sums of some, are neither tiny nor too large in binary32";
    const char *definition = karat_row_definition(f->row).text,
               *why = "it moves or classifies, which raises nothing";
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (does(p->row, definition, &operations[i])) {
            if (strcmp(operations[i].name, "fp_from_int(") == 0 && has_wide(p->row, KARAT_ROLE_DEST))
                return "a wider format has every integer";
            if (operations[i].raises >> flag & 1 || (flag == FLAG_OF && from_int_overflows(p, mode)))
                return NULL;
            why = operations[i].why;
        }
    return why;
}

static const char *rounding_rule(const place *p) {
    return flag_rule(p, p->at[1], p->at[2]);
}

/* --- Widths, and what prefixes do --- */

static const char no_width[] = "the instruction has no such width";

static bool has_width(const karat_row *row, uint32_t width) {
    return row->widths ? row->widths >> width & 1 : width == KARAT_W32;
}

static const char *width_rule(const place *p) {
    row_facts f = *p->facts;
    if (!has_width(p->row, p->at[1]))
        return no_width;
    for (uint32_t i = 0; i < p->row->num_operands; i++) { /* Pairs are no groups */
        const karat_operand_kind *kind = karat_operand_info(p->row->operands[i]);
        if (karat_operand_is_pair(kind, (karat_width)p->at[1]) && p->row->widths)
            f.groups[PREFIX_NONE] = false;
    }
    return mask_rule(p->num_thread, &f, PREFIX_NONE, p->at[2]);
}

static const char *value_rule(const place *p) {
    const row_facts *f = p->facts;
    const uint32_t width = p->at[1], source = p->at[2] + 1;
    if (!f->source[source] || f->imm[source] >= 0)
        return "no such source, or it is no register";
    if (width < f->twice[source] || !has_width(p->row, width - f->twice[source]))
        return no_width;
    return (!f->fp || width == KARAT_W8) && p->at[3] >= NUM_INT_CLASS ? "integers have fewer classes" : NULL;
}

static const char *raised_rule(const place *p) {
    if (!has_width(p->row, p->at[1]))
        return no_width;
    if (p->at[1] != KARAT_W16 && p->at[3] == FLAG_OF && from_int_overflows(p, p->at[2]))
        return "every integer is in range";
    return flag_rule(p, p->at[2], p->at[3]);
}

static const char *changed_rule(const place *p) {
    unsigned sources = 0;
    for (uint32_t i = 0; i < p->row->num_operands; i++)
        sources |= 1u << cov_source(karat_operand_info(p->row->operands[i]));
    if (!p->row->widths || !(sources >> (p->at[2] + 1) & 1))
        return "the prefix does not fit the instruction";
    return has_width(p->row, p->at[1]) ? NULL : no_width;
}

static const char *access_rule(const place *p) {
    return (p->at[0] == FORM_NONE || p->at[0] == FORM_ATOMIC) && p->at[1] ? "no store" : NULL;
}

static const char *setting_rule(const place *p) {
    return p->row->unit != KARAT_UNIT_CONFIG       ? "no vset*"
           : p->at[1] == KARAT_W64 || p->at[2] > 1 ? "no such setting"
                                                   : NULL;
}

/* --- 16-bit floats, shuffles, matrix products --- */

static const char *half_rule(const place *p) {
    const row_facts *f = p->facts;
    const uint32_t half = p->at[1], source = p->at[2] + 1;
    return !f->source[source] || !f->halves[source] ? "the source has no 16-bit floats"
           : half && !f->both[source]               ? "it reads the lower half"
                                                    : NULL;
}

static const char *shuffle_rule(const place *p) {
    if (karat_shuffle_lane(p->facts->row, 0, 0) == KARAT_NO_LANE)
        return "no shuffle";
    return p->num_thread == 1 && (p->at[1] == TAKES_OTHER || p->at[1] == TAKES_INACTIVE) ? "one thread"
                                                                                         : NULL;
}

static const char *mma_rule(const place *p) {
    enum { K8 = 4 };
    return p->num_thread < KARAT_MATRIX_THREADS             ? few_for_matrix
           : p->at[1] == KARAT_TF32_TO_F32 && p->at[0] < K8 ? "tf32 has k8 alone"
                                                            : NULL;
}

/* --- Memory --- */

static const char *memory_rule(const place *p) {
    const uint32_t op = p->at[0], space = p->at[1] + 1, width = p->at[2], byte = p->at[3], pattern = p->at[4],
                   num_thread = p->num_thread;
    if ((width == 3 && !karat_profile_has(p->cov->profile, KARAT_FEATURE_REGPAIR)) ||
        (space == KARAT_PRIVATE && !karat_profile_has(p->cov->profile, KARAT_FEATURE_PRIVATE)))
        return "only after PRE_M_*, which group access has";
    if (op >= OP_LR && (space == KARAT_PRIVATE || width != 2 || byte || pattern != PATTERN_ONE))
        return "an atomic accesses one aligned word that is not private";
    if ((width == 1 && byte & 1) || (width >= 2 && byte))
        return "it would be misaligned";
    if (num_thread < 2 && pattern != PATTERN_ONE)
        return "one thread";
    if ((pattern == PATTERN_MORE && num_thread < 4) || (pattern == PATTERN_BANK && num_thread < 3))
        return "too few threads";
    /* Private memory gives each thread of the launch a word in turn. Where they are as many as the device
     * has, the words of all are in banks of their own, but for neighbours' bytes and halves where the memory
     * begins within a word. */
    if (space == KARAT_PRIVATE && pattern == PATTERN_MORE && num_thread < 8)
        return "private memory: two of all threads meet in a bank at most, and fewer are too few";
    if (space == KARAT_PRIVATE && pattern != PATTERN_ONE && pattern != PATTERN_FREE && width >= 2 &&
        num_thread < 4)
        return "private memory: words of all threads are in banks of their own";
    return NULL;
}

/* --- SIMT stack, barriers --- */

/* How often threads can have parted where the mask has that shape: each time at least one has been lost. */
static uint32_t most_partings(uint32_t num_thread, uint32_t mask) {
    return mask == MASK_SINGLE                     ? num_thread - 1
           : mask == MASK_ALTERNATING              ? num_thread / 2
           : mask == MASK_OTHER && num_thread >= 2 ? num_thread - 2
                                                   : 0;
}

static const char *simt_rule(const place *p) {
    static const uint32_t least[] = {0, 1, 2, 3, 4, 5, 9};
    const uint32_t event = p->at[0], depth = p->at[1], mask = p->at[2],
                   deepest = 2 * most_partings(p->num_thread, mask);
    if (mask == MASK_EMPTY)
        return "a warp never has no thread";
    if ((mask == MASK_FULL) != (depth == 0))
        return "the stack is empty when all threads run, and only then";
    if (event == EVENT_DIVERGE && depth < 2)
        return "a divergence leaves two entries";
    if (event == EVENT_OTHER_PATH && depth < 1)
        return "the join follows the other path";
    if (event == EVENT_JOIN && mask == MASK_SINGLE)
        return "where paths meet there are two threads";
    if (p->num_thread == 1 && (event == EVENT_OTHER_PATH || event == EVENT_JOIN))
        return "one thread never diverges";
    if (mask == MASK_ALTERNATING && p->num_thread < 4)
        return "every other one of so few threads is a single one";
    if (least[depth] + (event == EVENT_OTHER_PATH) > deepest && depth)
        return "so many threads cannot have parted as often";
    return NULL;
}

static const char *barrier_rule(const place *p) {
    const uint32_t warps = p->at[0], arrival = p->at[1];
    return warps == 0 && arrival != 2                 ? "the only warp is the last one"
           : warps == 1 && arrival == 1               ? "of two warps none is between"
           : (warps == 0 || arrival == 0) && p->at[2] ? "no warp has arrived before it"
                                                      : NULL;
}

/* --- Hazards --- */

static bool unit_has(const karat_cov *cov, uint32_t unit, uint32_t cls, bool dest) {
    for (uint32_t r = 0; r < cov->num_rows; r++) {
        const karat_row *row = karat_row_info(cov->rows[r].row);
        for (uint32_t i = 0; row->unit == unit && i < row->num_operands; i++) {
            const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
            const bool is = kind->is_reg && kind->cls == cls && kind->role != KARAT_ROLE_IGNORED &&
                            (kind->role == KARAT_ROLE_DEST) == dest,
                       is_read = (kind->is_read && kind->cls == cls) ||
                                 (kind->role == KARAT_ROLE_VM && cls == KARAT_CLASS_V);
            if (is || (is_read && !dest))
                return true;
        }
    }
    return false;
}

static const char *hazard_rule(const place *p) {
    const uint32_t older = p->at[0], younger = p->at[1], hazard = p->at[2], cls = p->at[3];
    if (p->num_thread < KARAT_TENSOR_THREADS && (older == KARAT_UNIT_TENSOR || younger == KARAT_UNIT_TENSOR))
        return few_for_tensor;
    return !unit_has(p->cov, older, cls, hazard != HAZARD_WAR)     ? "the older unit has no such register"
           : !unit_has(p->cov, younger, cls, hazard != HAZARD_RAW) ? "the younger unit has no such register"
                                                                   : NULL;
}

/* --- CSRs, configuration, launches --- */

static const char *csr_rule(const place *p) {
    const uint32_t number = cov_csr_number(p->at[1]), effect = p->at[2];
    if (p->row->unit != KARAT_UNIT_CSR)
        return "no CSR instruction";
    if (p->facts->vector)
        return effect != EFFECT_NONE ? "it never writes a CSR" : NULL;
    if (karat_lane_csr_name(number))
        return "csrr.v alone reads a CSR of lanes";
    const bool swaps = strncmp(p->row->name, "csrrw", 5) == 0, sets = strncmp(p->row->name, "csrrs", 5) == 0;
    /* As the model has it: a warp of a small model of its own would say the same, at a higher price. */
    const bool is_vstart = number == 8, read_only = number >> 10 == 3 || (number >= 0x800 && number < 0x80b);
    if ((is_vstart || read_only) && effect == EFFECT_CHANGED)
        return "the CSR never changes";
    if (read_only && effect != EFFECT_NONE)
        return "read-only: a write is an illegal instruction";
    if (is_vstart && effect == EFFECT_SAME && sets && p->facts->imm[1] >= 0)
        return "vstart accepts only 0, so no bit is ever set";
    if (swaps && effect == EFFECT_NONE)
        return "csrrw always writes";
    return NULL;
}

static const char *config_rule(const place *p) {
    const uint32_t lmul = p->at[1], length = p->at[2], all = p->num_thread << (lmul == 1);
    return p->row->unit != KARAT_UNIT_CONFIG                      ? "no vset*"
           : lmul == 2 && length                                  ? "an unsupported setting has vl = 0"
           : (length == 1 && all < 2) || (length == 2 && all < 3) ? "too few elements"
                                                                  : NULL;
}

static const char *launch_rule(const place *p) {
    return p->num_thread == 1 && p->at[2] ? "one thread" : NULL;
}

/* --- Translation --- */

/* Whether so may be accessed, apart from pages. */
static const char *touch_rule(const karat_cov *cov, uint32_t touch, uint32_t by) {
    if (touch < TOUCH_LR || by == BY_SCALAR)
        return NULL;
    if (by != BY_PRIVATE)
        return "an atomic is scalar";
    return karat_profile_has(cov->profile, KARAT_FEATURE_PREFIX) ? NULL : "no atomic accesses private memory";
}

static const char *translated_rule(const place *p) {
    const uint32_t touch = p->at[1], by = p->at[2], pages = p->at[3] + 1;
    if (touch >= TOUCH_LR && pages > 1)
        return "an atomic accesses one word";
    if (by == BY_SCALAR && pages > 2)
        return "four words are on two pages at most";
    if (p->num_thread == 1 && (pages > 2 || (pages > 1 && by == BY_VECTOR_LOCAL)))
        return "one thread";
    return touch_rule(p->cov, touch, by);
}

/* Groups of which each bin can be reached. */
#define fetched_rule  NULL
#define crossing_rule NULL
#define alias_rule    NULL
#define space_rule    NULL

static const char *rights_rule(const place *p) {
    static const uint8_t needed[] = {[KARAT_USE_FETCH] = 1 << RIGHTS_X | 1 << RIGHTS_RX | 1 << RIGHTS_RWX,
                                     [KARAT_USE_LOAD] =
                                         1 << RIGHTS_R | 1 << RIGHTS_RW | 1 << RIGHTS_RX | 1 << RIGHTS_RWX,
                                     [KARAT_USE_STORE] = 1 << RIGHTS_RW | 1 << RIGHTS_RWX};
    return needed[p->at[1]] >> p->at[2] & 1 ? NULL : "the page does not permit it";
}

static const char *flags_rule(const place *p) {
    return p->at[1] == KARAT_USE_STORE && p->at[2] == FLAGS_CLEAN ? "a store to a page with D clear faults"
                                                                  : NULL;
}

/* Levels and uses of a fault; touch -1: a fetch. */
static const char *reason_rule(karat_fault_reason reason, uint32_t level, int touch) {
    const bool stores = touch >= 0 && cov_touch_stores((uint32_t)touch);
    switch (reason) {
    case KARAT_FAULT_NOT_CANONICAL:
        return touch < 0    ? "a pc has 32 bits"
               : level != 2 ? "before the walk, which begins at level 2"
                            : NULL;
    case KARAT_FAULT_NO_TABLE:
        return level == 2 && touch >= 0 ? "without a root table the first fetch has faulted" : NULL;
    case KARAT_FAULT_NO_LEAF: return level ? "an entry of an upper level may name a table" : NULL;
    case KARAT_FAULT_MISALIGNED_SUPERPAGE: return level ? NULL : "a page of 4 KiB is aligned";
    case KARAT_FAULT_NOT_READABLE: return touch < 0 || stores ? "only loads and LR need R" : NULL;
    case KARAT_FAULT_NOT_WRITABLE: return stores ? NULL : "only stores, SC and AMOs need W";
    case KARAT_FAULT_NOT_EXECUTABLE: return touch < 0 ? NULL : "only fetches need X";
    case KARAT_FAULT_NOT_DIRTY: return stores ? NULL : "only stores, SC and AMOs need D";
    default: return NULL;
    }
}

static const char *fault_rule(const place *p) {
    const karat_fault_reason reason = (karat_fault_reason)(p->at[0] + KARAT_FAULT_NOT_CANONICAL);
    const char *why = reason_rule(reason, p->at[1], (int)p->at[2]);
    return why ? why : touch_rule(p->cov, p->at[2], p->at[3]);
}

static const char *unfetched_rule(const place *p) {
    const karat_fault_reason reason = (karat_fault_reason)(p->at[0] + KARAT_FAULT_NOT_CANONICAL);
    if (p->at[2] == FETCH_SECOND)
        return "the first word on that page has faulted";
    if (p->at[2] == FETCH_NEXT_PAGE && reason == KARAT_FAULT_NO_TABLE && p->at[1] == 2)
        return "without a root table the first fetch has faulted";
    return reason_rule(reason, p->at[1], -1);
}

const char *karat_cov_excluded(const karat_cov *cov, uint32_t group, uint32_t bin) {
    static rule *const rules[NUM_GROUP] = {
#define AXIS(...)
#define GROUP(id, ...) [GROUP_##id] = id##_rule,
#include "groups.def"
#undef GROUP
#undef AXIS
    };
    place p = {.cov = cov};
    karat_cov_at(cov, group, bin, p.at);
    if (*cov_axes(group) == AXIS_ROW) {
        p.facts = &cov->rows[p.at[0]];
        p.row = karat_row_info(p.facts->row);
    }
    const char *why = NULL;
    for (p.num_thread = KARAT_MAX_THREAD; p.num_thread; p.num_thread /= 2)
        if (cov->devices & p.num_thread) {
            const char *here = threads_rule(p.row, p.num_thread);
            if (!here && rules[group])
                here = rules[group](&p);
            if (!here)
                return NULL;
            why = why ? why : here;
        }
    return why;
}

uint64_t karat_cov_contradictions(const karat_cov *cov) {
    uint64_t num = 0;
    KARAT_COV_EACH_GROUP(cov, g)
    for (uint32_t i = 0; i < cov->bins[g]; i++)
        num += cov->hits[g][i] && karat_cov_excluded(cov, g, i);
    return num;
}
