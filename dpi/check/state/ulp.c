/* Results of units that approximate: how far the core's may be from the model's, by instruction.
 *
 * Within the bound the core's number is taken for the model's, once: from the WRITE of the result, or from
 * the READ of an instruction that gets it earlier, from a bypass (wait_for_reads.c holds that one's step
 * until then). All later records have to agree with it exactly.
 *
 * Of a core that provides no WRITE the register keeps its bound until a READ of it, or the MEM of a store
 * of it, reports it.  A READ comes before the step that it belongs to, as for a register never written
 * (values.c), and where it does not, what the step computes is not known any more: nobody can say what
 * that bound does to its result. */
#include "records.h"
#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_bound_of(const karat_ulp_bound *bound, int row) {
    const uint8_t policy = karat_row_info(row)->policy;
    return policy == KARAT_SUM ? bound->row && strcmp(bound->row, KARAT_BOUND_OF_SUMS) == 0
                               : policy == KARAT_ULP && karat_find_row(bound->row) == row;
}

/* Enter a bound where there is room. Returns whether it is one of any row. */
static bool take_bound(const karat_ulp_bound *bound, uint32_t *ulp) {
    bool any = false;
    for (int row = 0; row < karat_num_rows() && bound->ulp <= KARAT_MAX_ULP; row++)
        if (is_bound_of(bound, row)) {
            any = true;
            if (ulp)
                ulp[row] = bound->ulp;
        }
    return any;
}

const char *karat_check_bad_bound(const karat_check_config *config) {
    for (uint32_t i = 0; config && config->bounds && i < config->num_bounds; i++)
        if (!take_bound(&config->bounds[i], NULL))
            return config->bounds[i].row;
    return NULL;
}

bool karat_make_bounds(karat_checker *c) {
    c->ulp = calloc((size_t)karat_num_rows(), sizeof *c->ulp);
    if (!c->ulp || karat_check_bad_bound(&c->config))
        return false;
    for (uint32_t i = 0; i < c->config.num_bounds; i++)
        take_bound(&c->config.bounds[i], c->ulp);
    return true;
}

bool karat_bounds_sums(const karat_checker *c) {
    for (uint32_t i = 0; i < c->config.num_bounds; i++)
        if (c->config.bounds[i].ulp && strcmp(c->config.bounds[i].row, KARAT_BOUND_OF_SUMS) == 0)
            return true;
    return false;
}

/* Binary32 numbers in their order, -0 just below 0; neighbours are 1 apart, and infinity is a neighbour of
 * the largest number. */
static int64_t ordinal(uint32_t a) {
    return a >> 31 ? -1 - (int64_t)(a & 0x7fffffff) : (int64_t)a;
}

/* Whether two patterns, which hold a number in their upper bits alone, are numbers that many units apart at
 * most; inf: of the format. */
static bool is_near(uint32_t core, uint32_t model, uint32_t inf, unsigned unused, uint32_t ulp) {
    if ((core & 0x7fffffff) > inf || (model & 0x7fffffff) > inf)
        return unused && core == model; /* A half, where the other one differs */
    const int64_t distance = ordinal(core) - ordinal(model), most = (int64_t)ulp << unused;
    return distance <= most && -distance <= most;
}

uint32_t karat_within_bound(const uint32_t *core, const uint32_t *model, uint32_t lanes, uint32_t ulp,
                            karat_halves halves) {
    const uint32_t inf = halves == KARAT_HALVES_F16 ? 0x7c000000 : 0x7f800000;
    uint32_t within = 0;
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        const bool near = halves ? is_near(core[lane] & 0xffff0000, model[lane] & 0xffff0000, inf, 16, ulp) &&
                                       is_near(core[lane] << 16, model[lane] << 16, inf, 16, ulp)
                                 : is_near(core[lane], model[lane], inf, 0, ulp);
        within |= (uint32_t)near << lane;
    }
    return within;
}

uint32_t karat_within_bound_of(const karat_checker *c, int32_t row, const uint32_t *core,
                               const uint32_t *model, uint32_t lanes) {
    return karat_within_bound(core, model, lanes, c->ulp[row], karat_row_halves(karat_row_info(row)));
}

uint32_t karat_within_bound_of_result(const karat_checker *c, const flight *f, uint32_t i,
                                      const uint32_t *core, uint32_t lanes) {
    const int32_t row = f->commit.row;
    uint32_t within = 0;
    if (karat_row_info(row)->policy != KARAT_SUM)
        return karat_within_bound_of(c, row, core, f->commit.write[i].value, lanes);
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        within |= (uint32_t)(karat_sum_distance(&f->commit, i, lane, core[lane], NULL) <=
                             100 * (uint64_t)c->ulp[row])
                  << lane;
    }
    return within;
}

/* A distance in units. */
static void print_units(char text[24], uint64_t hundredths) {
    if (hundredths >= 1000000000)
        snprintf(text, 24, "far");
    else
        snprintf(text, 24, "%" PRIu64 ".%02u units", hundredths / 100, (unsigned)(hundredths % 100));
}

void karat_explain_sums(const karat_checker *c, const flight *f, uint32_t i, const uint32_t *core,
                        uint32_t lanes, char *text, size_t size) {
    enum { MOST = 4 };
    char exact[KARAT_SUM_TEXT], of_core[24], of_model[24];
    if (karat_row_info(f->commit.row)->policy != KARAT_SUM)
        return;
    for (uint32_t shown = 0; lanes && shown < MOST; shown++, lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes), model = f->commit.write[i].value[lane];
        print_units(of_core, karat_sum_distance(&f->commit, i, lane, core[lane], exact));
        print_units(of_model, karat_sum_distance(&f->commit, i, lane, model, NULL));
        karat_append(text, size, "\nlane %2u: exact sum %s; distance of the core %s, of the model %s", lane,
                     exact, of_core, of_model);
    }
    if (c->ulp[f->commit.row])
        karat_append(text, size, "\nthe core's description permits %" PRIu32 " units", c->ulp[f->commit.row]);
}

/* The core's number of a register that the model holds: which lanes are within its bound. */
static uint32_t tell_register(karat_checker *c, const slot *s, unsigned reg, uint32_t lanes,
                              const uint32_t *value) {
    karat_warp_view view;
    karat_view(c->model, s->handle, &view);
    const uint32_t *model = view.v[reg];
    const uint32_t within =
        karat_within_bound_of(c, karat_register_const(s, KARAT_CLASS_V, reg)->ulp_row, value, model, lanes);
    c->counts.ulp += karat_differing(c, KARAT_CLASS_V, value, model, within, 0xffffffffu) != 0;
    return within;
}

void karat_take_stored_result(karat_checker *c, slot *s, flight *f, const karat_rec_mem *r) {
    const karat_mem *mem = &f->commit.mem;
    for (uint32_t k = 0; k < mem->num; k++) {
        const karat_access *a = &mem->access[k];
        const uint32_t bit = 1u << a->lane, core = r->data[a->lane];
        if (!(f->ulp_lanes[a->reg] & r->mask & bit) || karat_bytes_of(r, a->lane) != 15 ||
            karat_addr_of(r, a->lane) != a->addr)
            continue;
        const bool within = karat_within_bound_of(c, f->ulp_row[a->reg], &core, &a->value, 1);
        if (!within) {
            f->result.unreported &= ~bit; /* It is wrong: it is compared exactly */
            continue;
        }
        c->counts.ulp += core != a->value && !f->approximated;
        f->approximated |= core != a->value;
        const unsigned reg = f->ulp_reg[a->reg];
        if (f->epoch == s->epoch && karat_register(s, KARAT_CLASS_V, reg)->wrote_seq < f->seq)
            karat_adopt_value(c, s, NULL, KARAT_CLASS_V, reg, bit, r->data);
    }
}

uint32_t karat_take_early_result(karat_checker *c, slot *s, unsigned cls, unsigned reg, uint32_t lanes,
                                 const uint32_t *value) {
    if (!karat_gives(c, KARAT_REC_WRITE))
        return tell_register(c, s, reg, lanes, value);
    uint32_t taken = 0, rest = lanes, i;
    for (flight *f; (f = karat_youngest_writer(s, cls, reg, rest, &i)); rest &= ~f->commit.write[i].mask) {
        uint32_t *model = f->values.value[i];
        const uint32_t within = karat_within_bound_of_result(c, f, i, value, rest & f->approximate[i]);
        f->approximated |= karat_differing(c, cls, value, model, within, 0xffffffffu) != 0;
        karat_copy_lanes(model, value, within);
        f->approximate[i] &= ~within;
        taken |= within;
    }
    return taken;
}
