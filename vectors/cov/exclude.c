/* Bins that nothing can reach, by rule: each says what it is about and why. */
#include "karat/notes.h"
#include "private.h"

#include <string.h>

/* Of a device of that many threads per warp. */
typedef const char *rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at);

enum { TENSOR_THREADS = 4 };
static const char few_for_tensor[] = "illegal with fewer than four threads";

static const karat_row *row_of(const karat_cov *cov, uint32_t at) {
    return karat_row_info(cov->rows[at].row);
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
    if (elements == 1 && mask > MASK_EMPTY)
        return "one thread";
    if (elements == 2 && mask > MASK_SINGLE)
        return "two elements";
    return NULL;
}

static const char *instruction_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    const row_facts *f = &cov->rows[at[0]];
    return f->fits[at[1]] ? mask_rule(num_thread, f, at[1], at[2])
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

static const char *operand_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    const char *why = instruction_rule(cov, num_thread, at);
    const row_facts *f = &cov->rows[at[0]];
    if (!why)
        why = class_rule(f, at[3] + 1, cov_prefix_extends(at[1]), at[4]);
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
        const uint32_t operand = cov_number_operand(kind);
        const bool odd = at[2] == 2 || at[2] == 5 || at[2] == 7,
                   pair = !karat_row_follows_sew(row) &&
                          karat_operand_is_pair(kind, (karat_width)karat_row_width(row, 0, KARAT_W32));
        if (operand == at[1] && pair && odd)
            return "pairs begin at even numbers";
        if (operand == at[1] || (kind->is_read && at[1] == 3))
            return kind->cls == KARAT_CLASS_X && at[2] > 5 ? "scalar registers end at 63" : NULL;
    }
    return "no such register operand";
}

/* --- Flags --- */

enum { NX = 1u << FLAG_NX, UF = 1u << FLAG_UF, OF = 1u << FLAG_OF, DZ = 1u << FLAG_DZ, NV = 1u << FLAG_NV };

/* The operations that instructions are defined by (golden/fp/fp.h), and what IEEE 754 lets them signal; of the estimates the V
 * extension says it, 13.9 and 13.10. */
static const struct operation {
    const char *name;
    uint32_t raises;
    const char *why; /* nothing else */
} operations[] = {
    {"add(", NX | OF | NV, "a sum that is tiny is exact, and does not divide"},
    {"sub(", NX | OF | NV, "a sum that is tiny is exact, and does not divide"},
    {"mul(", NX | UF | OF | NV, "a product does not divide"},
    {"fma(", NX | UF | OF | NV, "a product does not divide"},
    {"div(", NX | UF | OF | DZ | NV, ""},
    {"sqrt(", NX | NV, "a square root is neither tiny nor too large, and does not divide"},
    {"exp(", NX | UF | OF | NV, "an exponential does not divide"},
    {"rec7(", NX | OF | DZ | NV, "an estimate that is tiny raises nothing"},
    {"rsqrt7(", DZ | NV, "an estimate of a reciprocal root is in range, and never inexact"},
    {"min(", NV, "a comparison is exact"},
    {"max(", NV, "a comparison is exact"},
    {"eq(", NV, "a comparison is exact"},
    {"lt(", NV, "a comparison is exact"},
    {"le(", NV, "a comparison is exact"},
    {"to_int(", NX | NV, "a value out of an integer's range is invalid, and nothing else"},
    {"from_int(", NX, "every integer is in range"},
    {"narrow(", NX | UF | OF | NV, "a conversion does not divide"},
    {"widen(", NV, "every number is in the wider format's range"},
};

/* The definition of the instruction: that operation is in it. A tensor row's definition is words: it sums products. */
static bool does(const karat_row *row, const char *definition, const struct operation *operation) {
    static const char prefix[] = "fp_";
    if (row->unit == KARAT_UNIT_TENSOR)
        return strcmp(operation->name, "mul(") == 0 || strcmp(operation->name, "add(") == 0;
    while (definition && (definition = strstr(definition, prefix))) {
        definition += sizeof prefix - 1;
        if (strncmp(definition, operation->name, strlen(operation->name)) == 0)
            return true;
    }
    return false;
}

/* Whether the destination is twice as wide as the sources. */
static bool widens(int row) {
    const karat_row *info = karat_row_info(row);
    for (uint32_t i = 0; i < info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(info->operands[i]);
        if (kind->role == KARAT_ROLE_DEST && kind->span == KARAT_SPAN_TWICE)
            return true;
    }
    return false;
}

/* Integers beyond the range of binary16: those of 32 bits that a row narrows, and unsigned ones of 16 bits where they are not rounded down. */
static bool from_int_overflows(const karat_cov *cov, int row, uint32_t mode) {
    const karat_row *info = karat_row_info(row);
    const char *from = strstr(karat_row_definition(row).text, "fp_from_int(");
    bool narrows = false;
    for (uint32_t i = 0; i < info->num_operands; i++)
        narrows |= karat_operand_info(info->operands[i])->role == KARAT_ROLE_SRC2 &&
                   karat_operand_info(info->operands[i])->span == KARAT_SPAN_TWICE;
    return karat_profile_has(cov->profile, KARAT_FEATURE_WIDTHS) && from && info->widths >> KARAT_W16 & 1 &&
           (narrows || (strstr(from, "false") && mode != MODE_RTZ && mode != MODE_RDN));
}

static const char *rounding_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    const row_facts *f = &cov->rows[at[0]];
    (void)num_thread;
    if (!f->fp)
        return "no floating-point instruction";
    if (at[2] == FLAG_NONE)
        return NULL;
    const char *definition = karat_row_definition(f->row).text,
               *why = "it moves or classifies, which raises nothing";
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (does(karat_row_info(f->row), definition, &operations[i])) {
            if (strcmp(operations[i].name, "from_int(") == 0 && widens(f->row))
                return "a wider format has every integer";
            if (operations[i].raises >> at[2] & 1)
                return NULL;
            if (at[2] == FLAG_OF && from_int_overflows(cov, f->row, at[1]))
                return NULL;
            why = operations[i].why;
        }
    return why;
}

/* --- Widths, and what prefixes do --- */

static const char no_width[] = "the instruction has no such width";

static bool has_width(const karat_cov *cov, uint32_t row, uint32_t width) {
    const karat_row *info = row_of(cov, row);
    return info->widths ? info->widths >> width & 1 : width == KARAT_W32;
}

static const char *width_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    row_facts f = cov->rows[at[0]];
    if (!has_width(cov, at[0], at[1]))
        return no_width;
    const karat_row *row = row_of(cov, at[0]);
    for (uint32_t i = 0; i < row->num_operands; i++) /* pairs are no groups */
        if (karat_operand_is_pair(karat_operand_info(row->operands[i]), (karat_width)at[1]) && row->widths)
            f.groups[PREFIX_NONE] = false;
    return mask_rule(num_thread, &f, PREFIX_NONE, at[2]);
}

static const char *value_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    const row_facts *f = &cov->rows[at[0]];
    (void)num_thread;
    if (!f->source[at[2] + 1] || f->imm[at[2] + 1] >= 0)
        return "no such source, or it is no register";
    if (at[1] < f->twice[at[2] + 1] || !has_width(cov, at[0], at[1] - f->twice[at[2] + 1]))
        return no_width;
    if (f->fp && at[1] != KARAT_W8)
        return NULL;
    return at[3] >= NUM_INT_CLASS ? "integers have fewer classes" : NULL;
}

static const char *raised_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    const uint32_t here[] = {at[0], at[2], at[3]};
    if (!has_width(cov, at[0], at[1]))
        return no_width;
    if (at[1] != KARAT_W16 && at[3] == FLAG_OF && from_int_overflows(cov, cov->rows[at[0]].row, at[2]))
        return "every integer is in range";
    return rounding_rule(cov, num_thread, here);
}

static const char *changed_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    const karat_row *row = row_of(cov, at[0]);
    const unsigned bit = 1u << at[2];
    unsigned sources = 0;
    (void)num_thread;
    for (uint32_t i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        sources |= kind->role >= KARAT_ROLE_SRC1 && kind->role <= KARAT_ROLE_SRC3
                       ? 1u << (kind->role - KARAT_ROLE_SRC1)
                   : kind->is_read ? 4u
                                   : kind->source;
    }
    if (!row->widths || !(sources & bit))
        return "the prefix does not fit the instruction";
    return has_width(cov, at[0], at[1]) ? NULL : no_width;
}

static const char *access_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)cov, (void)num_thread;
    return (at[0] == FORM_NONE || at[0] == FORM_ATOMIC) && at[1] ? "no store" : NULL;
}

static const char *setting_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)num_thread;
    if (row_of(cov, at[0])->unit != KARAT_UNIT_CONFIG)
        return "no vset*";
    return at[1] == KARAT_W64 || at[2] > 1 ? "no such setting" : NULL;
}

/* --- Memory --- */

static const char *memory_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    const uint32_t op = at[0], space = at[1] + 1, width = at[2], byte = at[3], pattern = at[4];
    const bool atomic = op >= OP_LR;
    if ((width == 3 && !karat_profile_has(cov->profile, KARAT_FEATURE_REGPAIR)) ||
        (space == KARAT_PRIVATE && !karat_profile_has(cov->profile, KARAT_FEATURE_PRIVATE)))
        return "only after PRE_M_*, which group access has";
    if (atomic && (space == KARAT_PRIVATE || width != 2 || byte || pattern != PATTERN_ONE))
        return "an atomic accesses one aligned word that is not private";
    if ((width == 1 && byte & 1) || (width >= 2 && byte))
        return "it would be misaligned";
    if (num_thread < 2 && pattern != PATTERN_ONE)
        return "one thread";
    if ((pattern == PATTERN_MORE && num_thread < 4) || (pattern == PATTERN_BANK && num_thread < 3))
        return "too few threads";
    /* Private memory gives each thread of the launch a word in turn. Where they are as many as the device has, the words of all are in
     * banks of their own, but for neighbours' bytes and halves where the memory begins within a word. */
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
    switch (mask) {
    case MASK_SINGLE: return num_thread - 1;
    case MASK_ALTERNATING: return num_thread / 2;
    case MASK_OTHER: return num_thread < 2 ? 0 : num_thread - 2;
    default: return 0;
    }
}

static const char *simt_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)cov;
    static const uint32_t least[] = {0, 1, 2, 3, 4, 5, 9};
    const uint32_t event = at[0], depth = at[1], mask = at[2];
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
    if (num_thread == 1 && (event == EVENT_OTHER_PATH || event == EVENT_JOIN))
        return "one thread never diverges";
    if (mask == MASK_ALTERNATING && num_thread < 4)
        return "every other one of so few threads is a single one";
    const uint32_t deepest = 2 * most_partings(num_thread, mask);
    if (least[depth] + (event == EVENT_OTHER_PATH) > deepest && depth)
        return "so many threads cannot have parted as often";
    return NULL;
}

static const char *barrier_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)cov, (void)num_thread;
    if (at[0] == 0 && at[1] != 2)
        return "the only warp is the last one";
    if (at[0] == 1 && at[1] == 1)
        return "of two warps none is between";
    if ((at[0] == 0 || at[1] == 0) && at[2])
        return "no warp has arrived before it";
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
    if (num_thread < TENSOR_THREADS && (at[0] == KARAT_UNIT_TENSOR || at[1] == KARAT_UNIT_TENSOR))
        return few_for_tensor;
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
    const bool swaps = strncmp(row->name, "csrrw", 5) == 0, sets = strncmp(row->name, "csrrs", 5) == 0;
    /* As the model has it: a warp of a small model of its own would say the same, at a higher price. */
    const bool constant = number >> 10 == 3 || number == 8 || (number >= 0x800 && number < 0x80b);
    if (constant && at[2] == EFFECT_CHANGED)
        return "the CSR never changes";
    if (constant && number != 8 && at[2] != EFFECT_NONE)
        return "read-only: a write is an illegal instruction";
    if (number == 8 && at[2] == EFFECT_SAME && sets && cov->rows[at[0]].imm[1] >= 0)
        return "vstart accepts only 0, so no bit is ever set";
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
    const uint32_t all = num_thread << (at[1] == 1);
    if ((at[2] == 1 && all < 2) || (at[2] == 2 && all < 3))
        return "too few elements";
    return NULL;
}

static const char *launch_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)cov;
    return num_thread == 1 && at[2] ? "one thread" : NULL;
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

static const char *translated_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    const uint32_t touch = at[1], by = at[2], pages = at[3] + 1;
    if (touch >= TOUCH_LR && pages > 1)
        return "an atomic accesses one word";
    if (by == BY_SCALAR && pages > 2)
        return "four words are on two pages at most";
    if (num_thread == 1 && (pages > 2 || (pages > 1 && by == BY_VECTOR_LOCAL)))
        return "one thread";
    return touch_rule(cov, touch, by);
}

static const char *fetched_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)cov, (void)num_thread, (void)at;
    return NULL;
}

#define crossing_rule fetched_rule
#define alias_rule    fetched_rule
#define space_rule    fetched_rule

static const char *rights_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    static const uint8_t needed[] = {[KARAT_USE_FETCH] = 1 << RIGHTS_X | 1 << RIGHTS_RX | 1 << RIGHTS_RWX,
                                     [KARAT_USE_LOAD] =
                                         1 << RIGHTS_R | 1 << RIGHTS_RW | 1 << RIGHTS_RX | 1 << RIGHTS_RWX,
                                     [KARAT_USE_STORE] = 1 << RIGHTS_RW | 1 << RIGHTS_RWX};
    (void)cov, (void)num_thread;
    return needed[at[1]] >> at[2] & 1 ? NULL : "the page does not permit it";
}

static const char *flags_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)cov, (void)num_thread;
    return at[1] == KARAT_USE_STORE && at[2] == FLAGS_CLEAN ? "a store to a page with D clear faults" : NULL;
}

/* Levels and uses of a fault; touch -1: a fetch. */
static const char *reason_rule(karat_fault_reason reason, uint32_t level, int touch) {
    const bool stores = touch == TOUCH_STORE || touch == TOUCH_SC || touch == TOUCH_AMO;
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

static const char *fault_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)num_thread;
    const char *why = reason_rule((karat_fault_reason)(at[0] + KARAT_FAULT_NOT_CANONICAL), at[1], (int)at[2]);
    return why ? why : touch_rule(cov, at[2], at[3]);
}

static const char *unfetched_rule(const karat_cov *cov, uint32_t num_thread, const uint32_t *at) {
    (void)cov, (void)num_thread;
    const karat_fault_reason reason = (karat_fault_reason)(at[0] + KARAT_FAULT_NOT_CANONICAL);
    if (at[2] == FETCH_SECOND)
        return "the first word on that page has faulted";
    if (at[2] == FETCH_NEXT_PAGE && reason == KARAT_FAULT_NO_TABLE && at[1] == 2)
        return "without a root table the first fetch has faulted";
    return reason_rule(reason, at[1], -1);
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
    const bool tensor = *cov_axes(group) == AXIS_ROW && row_of(cov, at[0])->unit == KARAT_UNIT_TENSOR;
    for (uint32_t n = KARAT_MAX_THREAD; n; n /= 2)
        if (cov->devices & n) {
            const char *here = tensor && n < TENSOR_THREADS ? few_for_tensor : rules[group](cov, n, at);
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
