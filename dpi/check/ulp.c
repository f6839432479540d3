/* Results of units that approximate: how far the core's may be from the model's, by instruction.
 *
 * Within the bound the core's number is taken for the model's, once: from the WRITE of the result, or from the
 * READ of an instruction that gets it earlier, from a bypass (undefined.c holds that one's step until then). All
 * later records have to agree with it exactly. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

static int bounded_row(const karat_ulp_bound *bound) {
    int row = karat_find_row(bound->row);
    bool approximates = row != KARAT_NO_ROW && karat_row_info(row)->policy == KARAT_ULP;
    return approximates && bound->ulp <= KARAT_MAX_ULP ? row : KARAT_NO_ROW;
}

const char *karat_check_bad_bound(const karat_check_config *config) {
    for (uint32_t i = 0; i < config->num_bounds; i++)
        if (bounded_row(&config->bounds[i]) == KARAT_NO_ROW)
            return config->bounds[i].row;
    return NULL;
}

bool karat_make_bounds(karat_checker *c) {
    c->ulp = calloc((size_t)karat_num_rows(), sizeof *c->ulp);
    if (!c->ulp || karat_check_bad_bound(&c->config))
        return false;
    for (uint32_t i = 0; i < c->config.num_bounds; i++)
        c->ulp[bounded_row(&c->config.bounds[i])] = c->config.bounds[i].ulp;
    return true;
}

/* Binary32 numbers in their order, -0 just below 0; neighbours are 1 apart, and infinity is a neighbour of the
 * largest number. */
static int64_t ordinal(uint32_t a) {
    return a >> 31 ? -1 - (int64_t)(a & 0x7fffffff) : (int64_t)a;
}

static bool is_nan(uint32_t a) {
    return (a & 0x7fffffff) > 0x7f800000;
}

uint32_t karat_within_bound(const uint32_t *core, const uint32_t *model, uint32_t lanes, uint32_t ulp) {
    uint32_t within = 0;
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++) {
        if (!(lanes >> lane & 1) || is_nan(core[lane]) || is_nan(model[lane]))
            continue;
        int64_t distance = ordinal(core[lane]) - ordinal(model[lane]);
        within |= (uint32_t)(distance <= (int64_t)ulp && -distance <= (int64_t)ulp) << lane;
    }
    return within;
}

uint32_t karat_tell_result(karat_checker *c, slot *s, unsigned cls, unsigned reg, uint32_t lanes,
                           const uint32_t *value) {
    struct {
        flight *f;
        uint32_t i;
    } writer[KARAT_MAX_THREAD] = {{0}}; /* the youngest of each lane */
    for (flight *f = s->oldest; f; f = f->next)
        for (uint32_t i = 0; i < f->commit.num_writes; i++) {
            const karat_reg_write *w = &f->commit.write[i];
            for (uint32_t m = w->cls == cls && w->reg == reg ? w->mask : 0; m; m &= m - 1) {
                writer[__builtin_ctz(m)].f = f;
                writer[__builtin_ctz(m)].i = i;
            }
        }
    uint32_t taken = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        flight *f = writer[lane].f;
        if (!f || !(f->approximate[writer[lane].i] >> lane & 1))
            continue;
        uint32_t *model = f->commit.write[writer[lane].i].value;
        if (!karat_within_bound(value, model, 1u << lane, c->ulp[f->commit.row]))
            continue;
        f->approximate[writer[lane].i] &= ~(1u << lane);
        f->approximated |= model[lane] != value[lane];
        model[lane] = value[lane];
        taken |= 1u << lane;
    }
    return taken;
}
