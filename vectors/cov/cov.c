/* Counting: what a step reaches. */
#include "karat/notes.h"
#include "private.h"
#include "array.h"
#include "row_lanes.h"

#include <stdlib.h>
#include <string.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE  __attribute__((noinline)) /* For rare calls: the rest has the registers */

/* --- Groups and axes --- */

#define GROUP(...)
#define AXIS(id, name, ...)                                                                                  \
    {name, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), {__VA_ARGS__}},
static const struct {
    const char *name;
    uint32_t num;
    const char *point[16];
} axes[NUM_AXIS] = {
#include "groups.def"
};
#undef AXIS
#undef GROUP

#define AXIS(...)
#define A(id) AXIS_##id
#define GROUP(id, of, about, ...)                                                                            \
    {{#id, about, sizeof((const axis_id[]){__VA_ARGS__}) / sizeof(axis_id)}, OF_##of, {__VA_ARGS__}},
#define OF(id, without) OF_##id,
enum { KARAT_FEATURES(OF) OF_EVERY, OF_TRANSLATION };
static const struct {
    karat_cov_group info;
    uint8_t of; /* A karat_feature, or one of those */
    axis_id axis[KARAT_COV_AXES];
} groups[NUM_GROUP] = {
#include "groups.def"
};
#undef OF
#undef GROUP
#undef AXIS

/* FP values have classes of their own. */
static const char *const fp_classes[NUM_CLASS] = {"+0",        "-0",           "+subnormal", "-subnormal",
                                                  "+normal",   "-normal",      "+inf",       "-inf",
                                                  "quiet NaN", "signaling NaN"};

/* Those of lanes come last. */
#define LANE_CSR CSR
static const uint16_t csrs[] = {
#define CSR(number, name, id) number,
#include "../../golden/isa/csr.def"
#undef CSR
};
#undef LANE_CSR
#define CSR(number, name, id) +1
#define LANE_CSR(...)
enum {
    NUM_CSR = sizeof csrs / sizeof *csrs,
    NUM_SCALAR_CSR = 0
#include "../../golden/isa/csr.def"
};
#undef CSR
#undef LANE_CSR

uint32_t cov_axis_points(const karat_cov *cov, axis_id axis) {
    if (axis == AXIS_PREFIX)
        axis = cov->prefixes;
    if (axis == AXIS_CSR)
        return karat_profile_has(cov->profile, KARAT_FEATURE_PUBLIC) ? NUM_CSR : NUM_SCALAR_CSR;
    return axis == AXIS_ROW ? cov->num_rows : axes[axis].num;
}

const axis_id *cov_axes(uint32_t group) {
    return groups[group].axis;
}

uint32_t cov_csr_number(uint32_t at) {
    return csrs[at];
}

uint32_t karat_cov_num_groups(void) {
    return NUM_GROUP;
}

const karat_cov_group *karat_cov_group_info(uint32_t group) {
    return group < NUM_GROUP ? &groups[group].info : NULL;
}

const char *karat_cov_axis_name(uint32_t group, uint32_t axis) {
    return axes[groups[group].axis[axis]].name;
}

uint32_t karat_cov_bins(const karat_cov *cov, uint32_t group) {
    return cov->bins[group];
}

uint32_t karat_cov_axis_size(const karat_cov *cov, uint32_t group, uint32_t axis) {
    return cov_axis_points(cov, groups[group].axis[axis]);
}

void karat_cov_at(const karat_cov *cov, uint32_t group, uint32_t bin, uint32_t at[KARAT_COV_AXES]) {
    for (uint32_t i = groups[group].info.num_axes; i-- > 0;) {
        const uint32_t size = karat_cov_axis_size(cov, group, i);
        at[i] = bin % size;
        bin /= size;
    }
}

uint32_t karat_cov_bin(const karat_cov *cov, uint32_t group, const uint32_t at[KARAT_COV_AXES]) {
    const uint32_t *stride = cov->stride[group];
    uint32_t bin = 0;
    for (uint32_t i = 0; i < KARAT_COV_AXES; i++)
        bin += stride[i] * at[i];
    return bin;
}

int karat_cov_row(const karat_cov *cov, uint32_t at) {
    return cov->rows[at].row;
}

const char *karat_cov_point_name(const karat_cov *cov, uint32_t group, const uint32_t at[KARAT_COV_AXES],
                                 uint32_t axis) {
    const axis_id id = groups[group].axis[axis];
    if (id == AXIS_ROW)
        return karat_row_info(cov->rows[at[axis]].row)->name;
    if (id == AXIS_CSR)
        return at[axis] < NUM_SCALAR_CSR ? karat_csr_name(csrs[at[axis]])
                                         : karat_lane_csr_name(csrs[at[axis]]);
    if (id == AXIS_PREFIX)
        return axes[cov->prefixes].point[at[axis]];
    const bool is_class = id == AXIS_CLASS || id == AXIS_CLASS1 || id == AXIS_CLASS2;
    const bool of_bytes = groups[group].axis[1] == AXIS_ELEMENT && at[1] == KARAT_W8;
    return is_class && cov->rows[at[0]].fp && !of_bytes ? fp_classes[at[axis]] : axes[id].point[at[axis]];
}

/* --- Making it --- */

unsigned cov_source(const karat_operand_kind *kind) {
    return kind->role == KARAT_ROLE_SRC1                    ? 1
           : kind->role == KARAT_ROLE_SRC2                  ? 2
           : kind->role == KARAT_ROLE_SRC3 || kind->is_read ? 3
           : kind->role == KARAT_ROLE_IMM                   ? kind->source
                                                            : 0;
}

bool cov_two_sources(const bool has[4], unsigned sources[2]) {
    unsigned num = 0;
    for (unsigned s = 1; s <= 3 && num < 2; s++)
        if (has[s])
            sources[num++] = s;
    return num == 2;
}

/* Addresses and jump targets are no data: group memory has them. */
static bool is_data(const karat_row *row, const bool has[4], unsigned source) {
    if (row->unit == KARAT_UNIT_AMO)
        return source == 2;
    if (row->unit == KARAT_UNIT_MEM)
        return !(row->owes & (KARAT_OWES_X | KARAT_OWES_V)) && source == (has[3] ? 3 : 2);
    return !(row->unit == KARAT_UNIT_BRANCH && row->owes & KARAT_OWES_X);
}

/* A group's first register is even, and so makes a pair after REGPAIR where words are accessed, which no
 * group may be. */
static bool works_on_groups(const karat_cov *cov, int number, const char *definition, unsigned prefix) {
    if (!karat_row_is_grouped(karat_row_info(number)) ||
        karat_row_is_single(karat_row_info(number), cov->profile))
        return false;
    return prefix < PREFIX_REGPAIR || !definition ||
           (!strstr(definition, "bytes: 4") && !strstr(definition, "bytes: SEW"));
}

/* The form of an access, by the row's operands. */
static uint8_t form_of(const karat_row *row, const row_facts *f, const bool v_source[4]) {
    if (row->unit == KARAT_UNIT_AMO)
        return FORM_ATOMIC;
    if (row->unit != KARAT_UNIT_MEM)
        return FORM_NONE;
    if (v_source[1])
        return FORM_LANE;
    if (!f->vector)
        return FORM_SCALAR;
    for (uint32_t i = 0; i < row->num_operands; i++)
        if (karat_operand_info(row->operands[i])->role == KARAT_ROLE_SRC2)
            return v_source[2] ? FORM_INDEXED : FORM_STRIDED;
    return FORM_UNIT;
}

static row_facts facts_of(const karat_cov *cov, int number, const karat_row *const prefixes[]) {
    const karat_row *row = karat_row_info(number);
    const char *definition = karat_row_definition(number).text;
    row_facts f = {.row = number, .imm = {-1, -1, -1, -1}};
    bool has[4] = {false}, v_source[4] = {false};
    for (uint32_t i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(row->operands[i]);
        f.vector |= kind->is_reg && kind->cls == KARAT_CLASS_V;
        const unsigned source = cov_source(kind);
        if (!source)
            continue;
        has[source] = true;
        v_source[source] = kind->is_reg && kind->cls == KARAT_CLASS_V;
        f.twice[source] = kind->is_reg && kind->span == KARAT_SPAN_TWICE;
        if (kind->role == KARAT_ROLE_IMM)
            f.imm[source] = (int8_t)i;
    }
    f.unit = row->unit;
    f.matrix = karat_row_is_matrix(row);
    for (unsigned s = 1; s <= 3; s++) {
        f.source[s] = has[s] && is_data(row, has, s);
        f.halves[s] = has[s] ? (uint8_t)karat_source_halves(row, cov->profile, s, &f.both[s]) : 0;
    }
    f.fp = row->unit == KARAT_UNIT_FP || row->unit == KARAT_UNIT_FDIV || row->unit == KARAT_UNIT_SFU ||
           row->unit == KARAT_UNIT_TENSOR;
    f.form = form_of(row, &f, v_source);
    const char *bytes = row->unit == KARAT_UNIT_MEM && definition ? strstr(definition, "bytes: ") : NULL;
    f.bytes = bytes ? (uint8_t)atoi(bytes + strlen("bytes: ")) : row->unit == KARAT_UNIT_MEM ? 0 : 4;
    f.stores = !(row->owes & (KARAT_OWES_X | KARAT_OWES_V));
    f.fits[PREFIX_NONE] = true;
    for (unsigned p = 0; p < NUM_PREFIX; p++)
        f.groups[p] = works_on_groups(cov, number, definition, p);
    for (unsigned p = 1; p < axes[cov->prefixes].num; p++)
        f.fits[p] = karat_prefix_fits(number, prefixes[p]->match) &&
                    (p != PREFIX_PRE_M || row->owes & KARAT_OWES_MEM);
    if (!karat_profile_has(cov->profile, KARAT_FEATURE_REGPAIR)) /* No pairs of groups there */
        for (unsigned p = 0; p < NUM_PREFIX; p++)
            f.groups[p] = karat_row_is_grouped(row);
    return f;
}

static bool make_rows(karat_cov *cov) {
    const uint32_t all = (uint32_t)karat_num_rows();
    const karat_row *prefixes[NUM_PREFIX];
    for (unsigned p = 1; p < axes[cov->prefixes].num; p++)
        prefixes[p] =
            karat_row_info(karat_find_row(p == PREFIX_PRE_M ? "pre_m_32" : axes[cov->prefixes].point[p]));
    cov->rows = malloc(all * sizeof *cov->rows);
    cov->row_at = malloc(all * sizeof *cov->row_at);
    if (!cov->rows || !cov->row_at)
        return false;
    for (uint32_t i = 0; i < all; i++) {
        const karat_row *row = karat_row_info((int)i);
        const bool runs = karat_row_is_legal(row, cov->profile) && row->unit != KARAT_UNIT_PREFIX;
        cov->row_at[i] = runs ? (int16_t)cov->num_rows : -1;
        if (runs)
            cov->rows[cov->num_rows++] = facts_of(cov, (int)i, prefixes);
    }
    return true;
}

/* The groups of devices with translation, or those of others. */
static bool make_groups(karat_cov *cov, bool translation) {
    for (uint32_t g = 0; g < NUM_GROUP; g++) {
        uint32_t bins = 1;
        const uint8_t of = groups[g].of;
        if ((of == OF_TRANSLATION) != translation ||
            (of < OF_EVERY && !karat_profile_has(cov->profile, (karat_feature)of)))
            continue;
        for (uint32_t i = groups[g].info.num_axes; i-- > 0;) {
            cov->stride[g][i] = bins;
            bins *= karat_cov_axis_size(cov, g, i);
        }
        if (!(cov->hits[g] = calloc(bins, sizeof *cov->hits[g])))
            return false;
        cov->bins[g] = bins;
    }
    return true;
}

karat_cov *karat_cov_create(karat_profile profile, uint32_t num_thread, uint32_t max_warp) {
    karat_cov *cov = calloc(1, sizeof *cov);
    if (!cov)
        return NULL;
    cov->profile = profile;
    cov->prefixes = karat_profile_has(profile, KARAT_FEATURE_PREFIX) ? AXIS_PREFIX203 : AXIS_PREFIX;
    cov->num_thread = cov->devices = num_thread;
    cov->times = 1;
    memset(cov->all, 0xff, sizeof cov->all);
    cov->max_warp = max_warp;
    cov->warps = calloc(max_warp ? max_warp : 1, sizeof *cov->warps);
    cov->barriers = calloc(max_warp ? max_warp : 1, sizeof *cov->barriers);
    if (cov->warps && cov->barriers && make_rows(cov) && make_groups(cov, false))
        return cov;
    karat_cov_destroy(cov);
    return NULL;
}

bool karat_cov_translate(karat_cov *cov) {
    if (cov->translates)
        return true;
    cov->pages = calloc(NUM_PAGES, sizeof *cov->pages);
    cov->translates = cov->pages && make_groups(cov, true);
    return cov->translates;
}

void karat_cov_destroy(karat_cov *cov) {
    if (!cov)
        return;
    for (uint32_t g = 0; g < NUM_GROUP; g++)
        free(cov->hits[g]);
    free(cov->pages);
    free(cov->rows);
    free(cov->row_at);
    free(cov->points);
    free(cov->warps);
    free(cov->barriers);
    free(cov);
}

karat_profile karat_cov_profile(const karat_cov *cov) {
    return cov->profile;
}

uint32_t karat_cov_devices(const karat_cov *cov) {
    return cov->devices;
}

uint64_t karat_cov_runs(const karat_cov *cov) {
    return cov->runs;
}

uint64_t karat_cov_steps(const karat_cov *cov) {
    return cov->steps;
}

/* --- Hits --- */

void cov_add(karat_cov *cov, uint32_t group, uint32_t bin, uint32_t hits) {
    uint32_t *count = &cov->hits[group][bin];
    cov->hit += !*count && hits;
    *count = hits > UINT32_MAX - *count ? UINT32_MAX : *count + hits;
}

static void hit(karat_cov *cov, group_id group, const uint32_t at[KARAT_COV_AXES]) {
    cov_add(cov, group, karat_cov_bin(cov, group, at), cov->times);
}

/* Of a group that the device does not have, nothing is counted. */
#define HIT(cov, group, ...)                                                                                 \
    do {                                                                                                     \
        if ((cov)->hits[GROUP_##group])                                                                      \
            hit(cov, GROUP_##group, (const uint32_t[KARAT_COV_AXES]){__VA_ARGS__});                          \
    } while (0)

/* 1, 2, 3..4, 5..8, more: for numbers from 1 on. */
static uint32_t doubling(uint32_t n, uint32_t last) {
    uint32_t at = 0;
    while (at < last && n > 1u << at)
        at++;
    return at;
}

static uint32_t mask_class(uint64_t mask, uint64_t all) {
    const uint64_t even = UINT64_C(0x5555555555555555);
    return mask == all                                     ? MASK_FULL
           : !mask                                         ? MASK_EMPTY
           : !(mask & (mask - 1))                          ? MASK_SINGLE
           : mask == (all & even) || mask == (all & ~even) ? MASK_ALTERNATING
                                                           : MASK_OTHER;
}

/* Bits of the fraction, by width. */
static const uint8_t fraction_bits[NUM_ELEMENT] = {[KARAT_W16] = 10, [KARAT_W32] = 23, [KARAT_W64] = 52};

/* The classes of num values, as bits, of words that have them at their upper end; returned are those of live
 * elements. One formula without branches for each kind, which compilers make vector code of. Each line turns
 * one bit into another one where its condition holds. Of floats: in a format of size bits, of which the
 * fraction has that many. */
#define TURN(condition, from, to) ((0u - (uint32_t)(condition)) & (1u << (from) ^ 1u << (to)))
#define CLASSES(bits)                                                                                        \
    static ALWAYS_INLINE uint32_t fp_classes_##bits(const uint##bits##_t *values, uint32_t num,              \
                                                    unsigned shift, uint32_t fraction, uint32_t size,        \
                                                    const uint32_t *live, uint32_t *restrict of) {           \
        const int##bits##_t normal = (int##bits##_t)1 << ((bits)-size + fraction),                           \
                            inf = INT##bits##_MAX - normal + 1, quiet = inf | normal >> 1;                   \
        uint32_t set = 0;                                                                                    \
        for (uint32_t i = 0; i < num; i++) {                                                                 \
            const uint##bits##_t v = values[i] << shift;                                                     \
            const int##bits##_t m = v & INT##bits##_MAX;                                                     \
            uint32_t at = 1u << FP_PLUS_ZERO;                                                                \
            at ^= TURN(m > 0, FP_PLUS_ZERO, FP_PLUS_SUBNORMAL);                                              \
            at ^= TURN(m >= normal, FP_PLUS_SUBNORMAL, FP_PLUS_NORMAL);                                      \
            at ^= TURN(m >= inf, FP_PLUS_NORMAL, FP_PLUS_INF);                                               \
            at += at & (0u - (uint32_t)((int##bits##_t)v < 0)); /* The negative one is next to it */         \
            at = m > inf ? 1u << FP_SIGNALING : at;                                                          \
            of[i] = m >= quiet ? 1u << FP_QUIET : at;                                                        \
            set |= of[i] & live[i];                                                                          \
        }                                                                                                    \
        return set;                                                                                          \
    }                                                                                                        \
    static ALWAYS_INLINE uint32_t int_classes_##bits(const uint##bits##_t *values, uint32_t num,             \
                                                     unsigned shift, const uint32_t *live,                   \
                                                     uint32_t *restrict of) {                                \
        const uint##bits##_t one = (uint##bits##_t)1 << shift, top = (uint##bits##_t)1 << ((bits)-1),        \
                             large = (uint##bits##_t)0 - (shift == (bits)-8 ? 8 : 256) * one;                \
        uint32_t set = 0;                                                                                    \
        for (uint32_t i = 0; i < num; i++) {                                                                 \
            const uint##bits##_t v = values[i] << shift;                                                     \
            uint32_t at = 1u << CLASS_POSITIVE;                                                              \
            at ^= TURN((int##bits##_t)v < 0, CLASS_POSITIVE, CLASS_NEGATIVE);                                \
            at ^= TURN((v & large) == 0, CLASS_POSITIVE, CLASS_SMALL);                                       \
            at ^= TURN(v == 0, CLASS_SMALL, CLASS_ZERO);                                                     \
            at ^= TURN(v == one, CLASS_SMALL, CLASS_ONE);                                                    \
            at ^= TURN(v == 0 - one, CLASS_NEGATIVE, CLASS_MINUS_ONE);                                       \
            at ^= TURN(v == top - one, CLASS_POSITIVE, CLASS_LARGEST);                                       \
            of[i] = at ^ TURN(v == top, CLASS_NEGATIVE, CLASS_SMALLEST);                                     \
            set |= of[i] & live[i];                                                                          \
        }                                                                                                    \
        return set;                                                                                          \
    }
CLASSES(32)
CLASSES(64)
#undef CLASSES
#undef TURN

/* Of values of whose upper words high has num or is NULL. */
static ALWAYS_INLINE uint32_t classify(const uint32_t *values, const uint32_t *high, uint32_t num, bool fp,
                                       karat_width width, const uint32_t *live, uint32_t *of) {
    const unsigned bits = 8u << width;
    if (width == KARAT_W64) {
        uint64_t v[KARAT_MAX_THREAD] = {0};
        for (uint32_t i = 0; i < num; i++)
            v[i] = values[i] | (uint64_t)(high ? high[i] : 0) << 32;
        return fp ? fp_classes_64(v, num, 0, fraction_bits[width], bits, live, of)
                  : int_classes_64(v, num, 0, live, of);
    }
    if (width == KARAT_W32) /* Most of them: without the shift */
        return fp ? fp_classes_32(values, num, 0, fraction_bits[width], bits, live, of)
                  : int_classes_32(values, num, 0, live, of);
    return fp && width != KARAT_W8
               ? fp_classes_32(values, num, 32 - bits, fraction_bits[width], bits, live, of)
               : int_classes_32(values, num, 32 - bits, live, of);
}

/* Of both halves of num words: upper halves come after all lower ones. */
static ALWAYS_INLINE void classify_halves(const uint32_t *values, uint32_t num, uint8_t halves,
                                          const uint32_t *live, uint32_t *of, uint16_t set[2]) {
    uint32_t v[KARAT_MAX_THREAD] = {0};
    const uint32_t fraction = halves == KARAT_HALVES_F16 ? 10 : 7;
    set[0] |= (uint16_t)fp_classes_32(values, num, 16, fraction, 16, live, of);
    for (uint32_t i = 0; i < num; i++)
        v[i] = values[i] & 0xffff0000u;
    set[1] |= (uint16_t)fp_classes_32(v, num, 0, fraction, 16, live, of + num);
}

/* Immediates: by their own range. */
uint32_t cov_imm_class(int64_t v, int64_t least, int64_t most) {
    return v == 0       ? CLASS_ZERO
           : v == 1     ? CLASS_ONE
           : v == -1    ? CLASS_MINUS_ONE
           : v == most  ? CLASS_LARGEST
           : v == least ? CLASS_SMALLEST
           : v < 0      ? CLASS_NEGATIVE
           : v < 8      ? CLASS_SMALL
                        : CLASS_POSITIVE;
}

void cov_imm_range(const karat_operand_kind *kind, bool extended, int64_t *least, int64_t *most) {
    const uint32_t bits = kind->extends && extended ? 11 : kind->bits;
    *least = kind->is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    *most = kind->is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
}

/* --- A step's operands --- */

static uint32_t prefix_at(const karat_cov *cov, uint32_t prefix) {
    if (!prefix)
        return PREFIX_NONE;
    karat_insn insn;
    const int row = karat_decode(cov->profile, prefix, &insn);
    if (karat_prefix_of(prefix).memory)
        return PREFIX_PRE_M;
    for (uint32_t p = 1; row != KARAT_NO_ROW && p < axes[cov->prefixes].num; p++)
        if (strcmp(karat_row_info(row)->name, axes[cov->prefixes].point[p]) == 0)
            return p;
    return PREFIX_NONE;
}

static karat_width width_of(const karat_commit *commit) {
    return commit->width ? (karat_width)__builtin_ctz(commit->width / 8u) : KARAT_W32;
}

/* The width of the values in a source. */
static karat_width source_width(const row_facts *f, unsigned source, karat_width width) {
    return width + (f->twice[source] && width < KARAT_W64);
}

/* By the class of an element in one source, those in the other. */
static NEVER_INLINE void take_pairs(const karat_cov *cov, const karat_commit *commit, uint32_t half,
                                    const uint32_t *of_a, const uint32_t *of_b, uint32_t set,
                                    uint16_t pairs[NUM_CLASS]) {
    const uint32_t num = commit->elements > cov->num_thread ? 2 * cov->num_thread : cov->num_thread;
    for (; set; set &= set - 1) {
        uint32_t with = 0;
        for (uint32_t i = 0; i < num; i++)
            with |=
                of_b[half * num + i] & cov->live[i] & (0u - (uint32_t)(of_a[half * num + i] == (set & -set)));
        pairs[__builtin_ctz(set)] |= (uint16_t)with;
    }
}

/* The class of an immediate in place of that source, as a bit; 0: there is none. */
static uint16_t imm_class_of(const row_facts *f, unsigned source, const decoded *d) {
    if (!f->source[source] || f->imm[source] < 0 || f->matrix)
        return 0;
    const unsigned operand = (unsigned)f->imm[source];
    int64_t least, most;
    const karat_operand_kind *kind = karat_operand_info(karat_row_info(f->row)->operands[operand]);
    cov_imm_range(kind, cov_prefix_extends(d->prefix_at), &least, &most);
    return (uint16_t)(1u << cov_imm_class(d->insn.value[operand], least, most));
}

/* All of an outcome that commits of one shape have in common, and where the values of the sources are. */
static void find_sources(const karat_cov *cov, const row_facts *f, const karat_commit *commit, decoded *d) {
    bool has[4] = {false}, same[4] = {false};
    d->common = (outcome){
        .row = (uint16_t)(f - cov->rows), .width = (uint16_t)width_of(commit), .mode = f->fp ? d->mode : 8};
    d->num_pieces = 0;
    for (unsigned s = 1; s <= 3; s++) {
        d->common.set[s - 1][0] = imm_class_of(f, s, d);
        has[s] = same[s] = d->common.set[s - 1][0];
    }
    for (uint32_t i = 0; i < commit->num_reads; i++) {
        const karat_reg_read *read = &commit->read[i];
        const unsigned s = read->source;
        same[s] |= read->cls == KARAT_CLASS_X;
        if (!f->source[s] || (read->part && !f->matrix && (same[s] || commit->elements <= cov->num_thread)))
            continue; /* No data, or the upper word of a pair */
        piece *p = &d->piece[d->num_pieces++];
        *p = (piece){.read = (uint8_t)i, .high = NO_READ, .source = (uint8_t)s, .width = KARAT_W32};
        p->num = (uint8_t)(same[s] ? 1 : cov->num_thread);
        p->at = f->matrix ? 0 : (uint8_t)(read->part * cov->num_thread);
        p->live = same[s] || f->matrix ? cov->all : cov->live + p->at;
        if (!f->matrix)
            p->width = (uint8_t)source_width(f, s, width_of(commit));
        for (uint32_t k = commit->num_reads; p->width == KARAT_W64 && k-- > 0;)
            if (commit->read[k].source == s && commit->read[k].cls == read->cls && commit->read[k].part == 1)
                p->high = (uint8_t)k;
        has[s] = true;
    }
    d->has_pairs = !f->matrix && cov_two_sources(has, d->two);
    d->product = d->has_pairs && (same[d->two[0]] || same[d->two[1]]);
}

/* The classes of the operands, of active elements; of matrices: of all. */
static ALWAYS_INLINE void take_operands(karat_cov *cov, uint64_t active, const karat_commit *commit,
                                        const decoded *d, outcome *o) {
    const row_facts *f = &cov->rows[o->row];
    uint32_t of[4][2 * KARAT_MAX_THREAD];
    if (active != cov->active)
        for (uint32_t i = 0; i < 2 * KARAT_MAX_THREAD; i++)
            cov->live[i] = active >> i & 1 ? UINT32_MAX : 0;
    cov->active = active;
    for (const piece *p = d->piece, *end = p + d->num_pieces; p < end; p++) {
        const uint32_t *value = commit->read[p->read].value;
        uint16_t *set = o->set[p->source - 1];
        if (f->halves[p->source]) {
            classify_halves(value, cov->num_thread, f->halves[p->source], p->live, of[p->source], set);
            set[1] = f->both[p->source] || f->matrix ? set[1] : 0;
        } else {
            const uint32_t *high = p->high == NO_READ ? NULL : commit->read[p->high].value;
            set[0] |= (uint16_t)classify(value, high, p->num, f->fp, (karat_width)p->width, p->live,
                                         of[p->source] + p->at);
        }
    }
    if (!d->has_pairs)
        return;
    const unsigned a = d->two[0], b = d->two[1];
    for (uint32_t half = 0; half <= (f->halves[a] && f->both[a]); half++) { /* Of both sources, then */
        const uint16_t set = o->set[b - 1][half];
        if (d->product || !(set & (set - 1)))
            for (uint32_t left = o->set[a - 1][half]; left; left &= left - 1)
                o->pairs[__builtin_ctz(left)] |= set;
        else
            take_pairs(cov, commit, half, of[a], of[b], o->set[a - 1][half], o->pairs);
    }
}

static void take_any(karat_cov *cov, uint64_t active, const karat_commit *commit, const decoded *d,
                     outcome *o) {
    take_operands(cov, active, commit, d, o);
}
#ifdef __x86_64__
__attribute__((target("avx2"))) /* Twice as many elements at once */
#endif
static void
take_v3(karat_cov *cov, uint64_t active, const karat_commit *commit, const decoded *d, outcome *o) {
    take_operands(cov, active, commit, d, o);
}

static void count_classes(karat_cov *cov, const outcome *o, uint32_t prefix, unsigned source) {
    const row_facts *f = &cov->rows[o->row];
    const uint16_t *set = o->set[source - 1];
    const uint32_t width = (uint32_t)source_width(f, source, (karat_width)o->width);
    for (uint32_t left = set[0] | set[1]; left; left &= left - 1) {
        const uint32_t class = (uint32_t)__builtin_ctz(left);
        HIT(cov, operand, o->row, prefix, o->mask, source - 1, class);
        if (f->imm[source] < 0)
            HIT(cov, value, o->row, width, source - 1, class);
        for (uint32_t half = 0; half < 2; half++)
            if (f->halves[source] && set[half] >> class & 1)
                HIT(cov, half, o->row, half, source - 1, class);
    }
}

static uint32_t number_at(int32_t n) {
    return n == 0 ? 0 : n < 31 ? 1 : n == 31 ? 2 : n == 32 ? 3 : n < 63 ? 4 : n == 63 ? 5 : n < 255 ? 6 : 7;
}

static void count_numbers(karat_cov *cov, uint32_t row, const karat_insn *insn, int32_t apart) {
    const karat_row *info = karat_row_info(insn->row);
    for (uint32_t i = 0; i < info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(info->operands[i]);
        if (!kind->is_reg || kind->role == KARAT_ROLE_IGNORED)
            continue;
        const uint32_t operand = cov_number_operand(kind);
        HIT(cov, number, row, operand, number_at(insn->value[i]));
        if (kind->is_read)
            HIT(cov, number, row, 3, number_at(apart));
    }
}

/* --- Floating point --- */

/* Where it rounds: a mode that is not above 4. */
static void count_rounding(karat_cov *cov, const outcome *o) {
    for (uint32_t flag = FLAG_NONE; flag <= FLAG_NV && o->mode <= 4; flag++)
        if (flag == FLAG_NONE ? !o->flags : o->flags >> (flag - FLAG_NX) & 1) {
            HIT(cov, rounding, o->row, o->mode, flag);
            HIT(cov, raised, o->row, o->width, o->mode, flag);
        }
}

/* --- Shuffles and matrix products --- */

static uint32_t shuffled_by(const row_facts *f, const karat_insn *insn) {
    return (uint32_t)insn->value[f->imm[1] < 0 ? 0 : f->imm[1]];
}

static NEVER_INLINE void count_shuffle(karat_cov *cov, const karat_model *model, uint32_t warp, uint32_t row,
                                       const karat_commit *commit, const karat_insn *insn) {
    const uint32_t by = shuffled_by(&cov->rows[row], insn);
    uint32_t vl;
    if (karat_csr_read(model, warp, 0xc20, &vl) != KARAT_OK)
        return;
    for (uint64_t m = commit->active; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(m), from = karat_shuffle_lane(insn->row, lane, by);
        HIT(cov, shuffle, row,
            from == lane                            ? TAKES_OWN
            : from >= cov->num_thread || from >= vl ? TAKES_BEYOND
            : commit->active >> from & 1            ? TAKES_OTHER
                                                    : TAKES_INACTIVE);
    }
}

static void count_product(karat_cov *cov, karat_product product) {
    HIT(cov, mma, product.shape, product.types, product.layouts);
}

/* --- CSRs and configuration --- */

static NEVER_INLINE void count_csr(karat_cov *cov, uint32_t row, const karat_commit *commit,
                                   const karat_insn *insn) {
    const karat_row *info = karat_row_info(insn->row);
    for (uint32_t i = 0; i < info->num_operands; i++)
        if (strcmp(karat_operand_info(info->operands[i])->name, "csr") == 0)
            for (uint32_t k = 0; k < NUM_CSR; k++)
                if (csrs[k] == (uint32_t)insn->value[i])
                    HIT(cov, csr, row, k,
                        !commit->csr_written                   ? EFFECT_NONE
                        : commit->csr_value == commit->csr_old ? EFFECT_SAME
                                                               : EFFECT_CHANGED);
}

static NEVER_INLINE void count_config(karat_cov *cov, const karat_model *model, uint32_t warp, uint32_t row) {
    uint32_t vl, vtype;
    if (karat_csr_read(model, warp, 0xc20, &vl) != KARAT_OK ||
        karat_csr_read(model, warp, 0xc21, &vtype) != KARAT_OK)
        return;
    if (!(vtype >> 31))
        HIT(cov, setting, row, vtype >> 3 & 7, vtype & 1);
    const uint32_t lmul = vtype >> 31 ? 2 : vtype & 1, all = cov->num_thread << (lmul == 1);
    HIT(cov, config, row, lmul, vl == 0 ? 0 : vl == all ? 3 : vl == 1 ? 1 : 2);
}

/* --- Memory --- */

static uint32_t touch_of(const karat_mem *m) {
    return m->op == KARAT_STORE     ? TOUCH_STORE
           : m->amo == KARAT_AMO_LR ? TOUCH_LR
           : m->op == KARAT_LOAD    ? TOUCH_LOAD
           : m->amo == KARAT_AMO_SC ? TOUCH_SC
                                    : TOUCH_AMO;
}

/* Of the first register's accesses: those of a group's, or pair's, second one come in another cycle. */
static uint32_t pattern_of(const karat_mem *m, uint32_t banks) {
    if (m->shape == KARAT_SHAPE_SAME || (m->shape == KARAT_SHAPE_UNIT && m->bytes == 4))
        return m->num == 1 ? PATTERN_ONE : m->shape == KARAT_SHAPE_SAME ? PATTERN_WORD : PATTERN_FREE;
    uint64_t word[KARAT_MAX_ACCESS];
    uint32_t num = 0, words = 0, most = 0, used = 0, in_bank[KARAT_MAX_THREAD] = {0};
    for (uint32_t i = 0; i < m->num; i++) {
        if (karat_mem_access(m, i).reg != karat_mem_access(m, 0).reg)
            continue;
        num++;
        const uint64_t w = karat_mem_access(m, i).addr >> 2;
        uint32_t k = 0;
        while (k < words && word[k] != w)
            k++;
        if (k < words)
            continue;
        word[words++] = w;
        const uint32_t n = ++in_bank[w % banks];
        used += n == 1;
        most = n > most ? n : most;
    }
    return num == 1                ? PATTERN_ONE
           : words == 1            ? PATTERN_WORD
           : most == 1             ? PATTERN_FREE
           : used == 1 && most > 2 ? PATTERN_BANK
           : most == 2             ? PATTERN_TWO
                                   : PATTERN_MORE;
}

static void count_memory(karat_cov *cov, const karat_commit *commit, const karat_prefix *says) {
    if (says->memory)
        return; /* Group access has it */
    const karat_mem *m = &commit->mem;
    static const uint8_t ops[] = {[TOUCH_LOAD] = OP_LOAD,
                                  [TOUCH_STORE] = OP_STORE,
                                  [TOUCH_LR] = OP_LR,
                                  [TOUCH_SC] = OP_SC,
                                  [TOUCH_AMO] = OP_AMO};
    const uint32_t touch = touch_of(m), op = touch == TOUCH_SC && !m->succeeded ? OP_SC_FAILS : ops[touch];
    if (op == OP_SC_FAILS && !m->num)
        HIT(cov, memory, op, m->space - 1u, 2, 0, PATTERN_ONE);
    if (!m->num)
        return;
    const karat_access first = karat_mem_access(m, 0);
    const uint32_t width = says->regpair && first.bytes == 4 && op <= OP_STORE ? 3 : first.bytes / 2u;
    HIT(cov, memory, op, m->space - 1u, width, (uint32_t)first.addr & 3, pattern_of(m, cov->num_thread));
}

/* --- Widths, and what prefixes do --- */

static void count_width(karat_cov *cov, const outcome *o, const decoded *d) {
    const row_facts *f = &cov->rows[o->row];
    const karat_prefix says = d->says;
    HIT(cov, width, o->row, o->width, o->mask);
    for (uint32_t s = 0; s < 3; s++) {
        const uint32_t abs = says.abs >> s & 1, neg = says.neg >> s & 1;
        if (abs | neg)
            HIT(cov, changed, o->row, o->width, s, abs + 2 * neg - 1);
    }
    if (says.memory)
        HIT(cov, access, f->form, f->form == FORM_NONE ? 0 : f->stores, says.space, says.words - 1,
            says.pair);
}

/* --- SIMT stack, barriers, hazards --- */

static NEVER_INLINE void count_simt(karat_cov *cov, const warp_state *w, const karat_commit *commit) {
    static const uint8_t event_of[] = {0, EVENT_TAKEN, EVENT_DIVERGE, EVENT_JOIN, EVENT_PASS};
    uint32_t event = event_of[commit->simt];
    if (event == EVENT_TAKEN && commit->next_pc == commit->pc + 4)
        event = EVENT_NOT_TAKEN;
    if (event == EVENT_JOIN && !(commit->mask_before & commit->mask_after))
        event = EVENT_OTHER_PATH;
    const uint32_t d = commit->depth;
    HIT(cov, simt, event, d < 5 ? d : d < 9 ? 5 : 6, mask_class(commit->mask_after, w->initial));
}

static NEVER_INLINE void count_barrier(karat_cov *cov, const warp_state *w, const karat_commit *commit) {
    barrier_state *b = &cov->barriers[w->workgroup % cov->max_warp];
    const uint64_t apart = b->arrived ? cov->steps - b->last : 0;
    const uint32_t arrival = commit->barrier == 2 ? 2 : b->arrived ? 1 : 0;
    HIT(cov, barrier, doubling(w->warps, 4), arrival, apart < 4 ? 0 : apart < 32 ? 1 : 2);
    b->last = cov->steps;
    b->arrived = commit->barrier == 2 ? 0 : b->arrived + 1;
}

static void add_register(registers *r, uint32_t cls, uint32_t reg) {
    if (cls == KARAT_CLASS_X)
        r->x |= reg ? UINT64_C(1) << (reg & 63) : 0;
    else
        r->v[reg >> 6 & 3] |= UINT64_C(1) << (reg & 63);
}

static bool meet(const registers *a, const registers *b, uint32_t cls) {
    if (cls == KARAT_CLASS_X)
        return a->x & b->x;
    return (a->v[0] & b->v[0]) | (a->v[1] & b->v[1]) | (a->v[2] & b->v[2]) | (a->v[3] & b->v[3]);
}

static void hit_hazard(karat_cov *cov, decoded *d, const recent *old, uint32_t kind, uint32_t cls,
                       uint32_t distance) {
    const uint32_t at[KARAT_COV_AXES] = {(uint32_t)old->unit, (uint32_t)d->registers.unit, kind, cls,
                                         distance};
    d->bins[d->num_bins] = (uint16_t)karat_cov_bin(cov, GROUP_hazard, at);
    cov_add(cov, GROUP_hazard, d->bins[d->num_bins++], 1);
}

/* Count the hazards of a path that came again. */
static void settle_path(karat_cov *cov, decoded *d) {
    for (uint32_t i = 0; i < d->num_bins; i++)
        cov_add(cov, GROUP_hazard, d->bins[i], d->path_again);
    d->path_again = 0;
}

/* A number that nothing has: a new one, or where there are none left, the first one anew. */
static uint16_t new_number(karat_cov *cov) {
    if (cov->last_number == UINT16_MAX) {
        for (uint32_t i = 0; i < NUM_DECODED; i++) {
            cov->decoded[i].number = 0;
            cov->decoded[i].path = (path){0};
        }
        for (uint32_t i = 0; i < cov->max_warp; i++)
            cov->warps[i].path = (path){0};
        cov->last_number = 0;
    }
    return ++cov->last_number;
}

/* All on which the registers depend that an instruction reads and writes: its elements' width and number say
 * which are groups and pairs, and the writes are in ascending order. The row may be one by a deviation. */
static uint64_t shape_of(const karat_commit *commit) {
    return (uint64_t)(uint32_t)commit->row << 48 | commit->num_reads | (uint64_t)commit->num_writes << 8 |
           (uint64_t)commit->width << 16 | (uint64_t)commit->elements << 24 |
           (uint64_t)(commit->num_writes ? commit->write[0].reg : 0) << 32;
}

/* Count the hazards of a step whose path is another one than that of the step before. */
static NEVER_INLINE void find_hazards(karat_cov *cov, const warp_state *w, decoded *d) {
    const registers *written = &d->registers.written, *read = &d->registers.read;
    settle_path(cov, d);
    d->num_bins = 0;
    d->path = w->path;
    for (uint32_t k = 1; k <= RECENT && k <= w->steps; k++) {
        const recent *old = &w->recent[(w->steps - k) % RECENT];
        const uint32_t distance = doubling(k, 3);
        for (uint32_t cls = KARAT_CLASS_X; cls <= KARAT_CLASS_V; cls++) {
            if (meet(&old->written, read, cls))
                hit_hazard(cov, d, old, HAZARD_RAW, cls, distance);
            if (meet(&old->written, written, cls))
                hit_hazard(cov, d, old, HAZARD_WAW, cls, distance);
            if (meet(&old->read, written, cls))
                hit_hazard(cov, d, old, HAZARD_WAR, cls, distance);
        }
    }
}

static void count_hazards(karat_cov *cov, warp_state *w, decoded *d) {
    path *last = &w->path;
    if (last->old >> 48 && last->recent == d->path.recent && last->old == d->path.old &&
        d->path_again < UINT32_MAX)
        d->path_again++;
    else
        find_hazards(cov, w, d);
    w->recent[w->steps++ % RECENT] = d->registers;
    last->old = last->old << 16 | last->recent >> 48;
    last->recent = last->recent << 16 | d->number;
}

/* --- Pages --- */

/* The leaf that maps an address; false: none does. */
static bool find_leaf(const karat_model *model, const warp_state *w, uint64_t virt, karat_page_use use,
                      karat_page_fault *leaf) {
    uint64_t phys;
    return karat_translate(model, w->ptbr, virt, use, &phys, leaf) == KARAT_OK;
}

/* The bits of an entry that permit a use. */
static void count_leaf(karat_cov *cov, const karat_page_fault *leaf) {
    static const uint8_t rights[] = {
        [1] = RIGHTS_R, [3] = RIGHTS_RW, [4] = RIGHTS_X, [5] = RIGHTS_RX, [7] = RIGHTS_RWX};
    const uint32_t mode = leaf->entry >> 4 & 3; /* U, G */
    HIT(cov, rights, leaf->level, leaf->use, rights[leaf->entry >> 1 & 7]);
    HIT(cov, flags, leaf->level, leaf->use, leaf->entry >> 7 & 1 ? mode : FLAGS_CLEAN);
}

static uint64_t page_of(uint64_t addr) {
    return addr >> 12;
}

static NEVER_INLINE void count_fetch(karat_cov *cov, const karat_model *model, const warp_state *w,
                                     const karat_commit *commit) {
    const uint32_t first = commit->pc - (commit->prefix ? 4 : 0);
    karat_page_fault leaf;
    if (find_leaf(model, w, first, KARAT_USE_FETCH, &leaf)) {
        HIT(cov, fetched, leaf.level, FETCH_FIRST);
        count_leaf(cov, &leaf);
    }
    if (commit->prefix && find_leaf(model, w, commit->pc, KARAT_USE_FETCH, &leaf)) {
        HIT(cov, fetched, leaf.level, page_of(first) == page_of(commit->pc) ? FETCH_SECOND : FETCH_NEXT_PAGE);
        count_leaf(cov, &leaf);
    }
}

static uint32_t by_of(const row_facts *f, const karat_mem *m) {
    return m->space == KARAT_PRIVATE ? BY_PRIVATE : f->vector ? BY_VECTOR : BY_SCALAR;
}

static void count_alias(karat_cov *cov, uint32_t warp, uint64_t phys, uint64_t virt, uint32_t touch) {
    page_state *p = &cov->pages[(page_of(phys) * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
    if (p->is_stored && p->phys == page_of(phys) && p->virt != page_of(virt))
        HIT(cov, alias, p->stored, touch, p->warp != warp);
    if (cov_touch_stores(touch))
        *p = (page_state){true, (uint8_t)(touch == TOUCH_STORE ? 0 : touch - TOUCH_SC + 1), warp,
                          page_of(phys), page_of(virt)};
}

static NEVER_INLINE void count_translated(karat_cov *cov, const karat_model *model, uint32_t warp,
                                          const row_facts *f, const karat_mem *m) {
    const warp_state *w = &cov->warps[warp % cov->max_warp];
    const karat_config *config = karat_get_config(model);
    const uint32_t touch = touch_of(m);
    const karat_page_use use = m->op == KARAT_LOAD ? KARAT_USE_LOAD : KARAT_USE_STORE;
    uint64_t pages[3];
    uint32_t by = by_of(f, m), num = 0, level = 0;
    bool local = false;
    karat_page_fault leaf = {.virt = 1}; /* Of the access before this one */
    for (uint32_t i = 0; i < m->num; i++) {
        const uint64_t virt = m->virt[i];
        if (virt - config->lds_base < config->lds_size) {
            local = true;
            continue;
        }
        if (leaf.virt != 1 && page_of(virt) == page_of(leaf.virt))
            continue;
        const karat_page_fault before = leaf;
        if (!find_leaf(model, w, virt, use, &leaf))
            return;
        if (i && karat_mem_access(m, i).lane == karat_mem_access(m, i - 1).lane &&
            karat_mem_access(m, i).reg == karat_mem_access(m, i - 1).reg + 1 && m->words > 1 &&
            before.virt != 1)
            HIT(cov, crossing, before.level, leaf.level, use == KARAT_USE_STORE);
        count_leaf(cov, &leaf);
        count_alias(cov, warp, karat_mem_access(m, i).addr, virt, touch);
        const uint64_t page = page_of(virt) >> 9 * leaf.level << 9 * leaf.level;
        uint32_t k = 0;
        while (k < num && pages[k] != page)
            k++;
        if (k == num && num < sizeof pages / sizeof *pages)
            pages[num++] = page;
        level = num == 1 ? leaf.level : level;
    }
    if (local && by == BY_VECTOR)
        by = BY_VECTOR_LOCAL;
    if (num)
        HIT(cov, translated, level, touch, by, num - 1);
}

/* A step that ended by a page fault. */
static NEVER_INLINE void count_fault(karat_cov *cov, const karat_commit *commit) {
    const karat_page_fault *fault = &commit->fault;
    const uint32_t reason = fault->reason - KARAT_FAULT_NOT_CANONICAL;
    if (fault->use == KARAT_USE_FETCH) {
        const uint64_t first = commit->error.pc;
        HIT(cov, unfetched, reason, fault->level,
            fault->virt == first                     ? FETCH_FIRST
            : page_of(fault->virt) == page_of(first) ? FETCH_SECOND
                                                     : FETCH_NEXT_PAGE);
        return;
    }
    const karat_mem *m = &commit->mem;
    const int32_t row = commit->row == KARAT_NO_ROW ? -1 : cov->row_at[commit->row];
    if (row < 0)
        return;
    HIT(cov, fault, reason, fault->level, touch_of(m), by_of(&cov->rows[row], m));
}

static void count_space(karat_cov *cov, const karat_launch_desc *desc) {
    if (cov->has_space)
        HIT(cov, space, desc->ptbr != cov->ptbr, desc->asid != cov->asid);
    cov->has_space = true;
    cov->ptbr = desc->ptbr;
    cov->asid = desc->asid;
}

/* --- Feeding it --- */

void karat_cov_launch(karat_cov *cov, uint32_t warp, const karat_launch_desc *desc, uint32_t warps) {
    warp_state *w = &cov->warps[warp % cov->max_warp];
    const uint32_t all = UINT32_MAX >> (32 - cov->num_thread);
    HIT(cov, launch, doubling(warps, 4), w->launches != 0, desc->mask != all);
    *w = (warp_state){.initial = desc->mask,
                      .warps = warps,
                      .workgroup = desc->workgroup,
                      .ptbr = desc->ptbr,
                      .launches = w->launches + 1};
    if (cov->translates)
        count_space(cov, desc);
}

/* Count an outcome so many times. */
static NEVER_INLINE void count_outcome(karat_cov *cov, const decoded *d, uint32_t times) {
    if (!times)
        return;
    const outcome *o = &d->outcome;
    const row_facts *f = &cov->rows[o->row];
    /* PRE_M_* before others has no effect. */
    const uint32_t prefix = f->fits[d->prefix_at] ? d->prefix_at : PREFIX_NONE;
    cov->times = times;
    HIT(cov, instruction, o->row, prefix, o->mask);
    for (unsigned s = 1; s <= 3; s++)
        count_classes(cov, o, prefix, s);
    for (uint32_t k = 0; k < NUM_CLASS; k++)
        for (uint32_t set = o->pairs[k]; set; set &= set - 1)
            HIT(cov, pair, o->row, k, (uint32_t)__builtin_ctz(set));
    count_numbers(cov, o->row, &d->insn, d->apart);
    count_width(cov, o, d);
    if (f->matrix)
        count_product(cov, karat_product_of(d->word));
    count_rounding(cov, o);
    cov->times = 1;
}

static void settle(karat_cov *cov, decoded *d) {
    count_outcome(cov, d, d->again);
    d->again = 0;
    settle_path(cov, d);
}

/* Its commits have another shape from this one on. */
static NEVER_INLINE void take_shape(karat_cov *cov, const karat_model *model, const karat_commit *commit,
                                    decoded *d, uint64_t shape) {
    cov->take = strcmp(karat_level(model), "x86-64-v3") >= 0 ? take_v3 : take_any;
    settle_path(cov, d);
    const int16_t row = d->row == KARAT_NO_ROW || commit->row == KARAT_NO_ROW ? -1 : cov->row_at[commit->row];
    d->path = (path){0};
    d->shape = shape;
    d->facts = row < 0 ? NULL : &cov->rows[row];
    d->number = new_number(cov);
    if (!d->facts)
        return;
    d->registers = (recent){.unit = d->facts->unit};
    for (uint32_t i = 0; i < commit->num_writes; i++)
        add_register(&d->registers.written, commit->write[i].cls, commit->write[i].reg);
    for (uint32_t i = 0; i < commit->num_reads; i++)
        add_register(&d->registers.read, commit->read[i].cls, commit->read[i].reg);
    find_sources(cov, d->facts, commit, d);
}

static NEVER_INLINE void decode(karat_cov *cov, uint32_t prefix, uint32_t word, decoded *d) {
    settle(cov, d);
    *d = (decoded){.prefix = prefix, .word = word, .mode = 7, .outcome.row = UINT16_MAX};
    d->row = karat_decode_prefixed(cov->profile, prefix, word, &d->insn, &d->apart);
    d->prefix_at = (uint8_t)prefix_at(cov, prefix);
    d->says = karat_prefix_of(prefix);
    if (d->row == KARAT_NO_ROW || cov->row_at[d->row] < 0)
        return;
    const row_facts *f = &cov->rows[cov->row_at[d->row]];
    d->shuffles = karat_shuffle_lane(d->row, 0, shuffled_by(f, &d->insn)) != KARAT_NO_LANE;
    const karat_row *info = karat_row_info(d->row);
    for (uint32_t i = 0; i < info->num_operands; i++)
        if (strcmp(karat_operand_info(info->operands[i])->name, "rm") == 0)
            d->mode = (uint8_t)d->insn.value[i];
}

static bool are_same(const outcome *a, const outcome *b) {
    uint64_t differ = 0; /* No call of memcmp() */
    for (unsigned i = 0; i < sizeof a->word / sizeof *a->word; i++)
        differ |= a->word[i] ^ b->word[i];
    return !differ;
}

static void count_outcome_of(karat_cov *cov, const karat_model *model, uint32_t warp, uint32_t initial,
                             const karat_commit *commit, const row_facts *f, decoded *d) {
    uint64_t all = initial, active = commit->mask_before;
    if (f->vector && f->unit != KARAT_UNIT_SIMT)
        active = commit->active;
    if (commit->elements > cov->num_thread)
        all |= all << cov->num_thread;
    outcome o = d->common;
    o.mask = (uint16_t)mask_class(active, all);
    o.flags = f->fp ? commit->flags_raised : 0;
    uint32_t mode;
    if (o.mode == 7)
        o.mode = karat_csr_read(model, warp, 2, &mode) == KARAT_OK ? (uint16_t)mode : 8;
    cov->take(cov, active, commit, d, &o);
    if (d->again < UINT32_MAX && are_same(&o, &d->outcome)) {
        d->again++;
        return;
    }
    count_outcome(cov, d, d->again);
    d->again = 0;
    d->outcome = o;
    count_outcome(cov, d, 1);
}

void karat_cov_step(karat_cov *cov, const karat_model *model, uint32_t warp, const karat_commit *commit) {
    warp_state *w = &cov->warps[warp % cov->max_warp];
    if (commit->error.kind != KARAT_ERR_NONE) {
        if (commit->error.kind == KARAT_ERR_PAGE && cov->translates)
            count_fault(cov, commit);
        return;
    }
    cov->steps++;
    if (cov->translates)
        count_fetch(cov, model, w, commit);
    decoded *d =
        &cov->decoded[((commit->prefix ^ commit->word) * UINT32_C(0x9e3779b9)) >> (32 - DECODED_BITS)];
    if (d->prefix != commit->prefix || d->word != commit->word)
        decode(cov, commit->prefix, commit->word, d);
    const uint64_t shape = shape_of(commit);
    if (!d->number || shape != d->shape)
        take_shape(cov, model, commit, d, shape);
    const row_facts *f = d->facts;
    if (!f)
        return;
    const uint32_t row = d->common.row;
    count_outcome_of(cov, model, warp, w->initial, commit, f, d);
    if (d->shuffles)
        count_shuffle(cov, model, warp, row, commit, &d->insn);
    if (f->unit == KARAT_UNIT_CSR)
        count_csr(cov, row, commit, &d->insn);
    if (f->unit == KARAT_UNIT_CONFIG)
        count_config(cov, model, warp, row);
    if (commit->has_mem)
        count_memory(cov, commit, &d->says);
    if (commit->has_mem && cov->translates)
        count_translated(cov, model, warp, f, &commit->mem);
    if (commit->simt != KARAT_SIMT_NONE)
        count_simt(cov, w, commit);
    if (commit->barrier && !commit->ended)
        count_barrier(cov, w, commit);
    if (commit->barrier && commit->ended)
        cov->barriers[w->workgroup % cov->max_warp].arrived = 0;
    count_hazards(cov, w, d);
}

/* Add all that came again to its bins. */
static void settle_all(karat_cov *cov) {
    for (uint32_t i = 0; cov->last_number && i < NUM_DECODED; i++)
        settle(cov, &cov->decoded[i]);
}

bool cov_add_point(karat_cov *cov, karat_cov_point point) {
    if (!karat_grow(&cov->points, cov->num_points, sizeof *cov->points))
        return false;
    cov->points[cov->num_points++] = point;
    return true;
}

bool karat_cov_end(karat_cov *cov) {
    settle_all(cov);
    cov->runs++;
    return cov_add_point(cov, (karat_cov_point){cov->runs, cov->steps, cov->hit});
}

uint32_t karat_cov_points(const karat_cov *cov, const karat_cov_point **points) {
    *points = cov->points;
    return cov->num_points;
}

bool karat_cov_merge(karat_cov *cov, karat_cov *from) {
    settle_all(from);
    if (cov->profile != from->profile || (from->translates && !karat_cov_translate(cov)))
        return false;
    for (uint32_t g = 0; g < NUM_GROUP; g++)
        for (uint32_t i = 0; i < from->bins[g]; i++)
            if (from->hits[g][i])
                cov_add(cov, g, i, from->hits[g][i]);
    cov->devices |= from->devices;
    cov->steps += from->steps;
    cov->runs += from->runs;
    return cov_add_point(cov, (karat_cov_point){cov->runs, cov->steps, cov->hit});
}

uint64_t karat_cov_hits(const karat_cov *cov, uint32_t group, uint32_t bin) {
    return cov->hits[group][bin];
}

karat_cov_sum karat_cov_sum_of(const karat_cov *cov, uint32_t group) {
    karat_cov_sum sum = {.bins = cov->bins[group]};
    for (uint32_t i = 0; i < cov->bins[group]; i++) {
        sum.hit += cov->hits[group][i] != 0;
        sum.excluded += karat_cov_excluded(cov, group, i) != NULL;
    }
    return sum;
}

karat_cov_sum karat_cov_sum_all(const karat_cov *cov) {
    karat_cov_sum all = {0};
    KARAT_COV_EACH_GROUP(cov, g) {
        const karat_cov_sum sum = karat_cov_sum_of(cov, g);
        all.bins += sum.bins;
        all.excluded += sum.excluded;
        all.hit += sum.hit;
    }
    return all;
}
