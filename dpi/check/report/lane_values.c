/* A wrong value in words: the lanes in which the core and the model differ. The files of records judge it:
 * write.c, read.c and audit.c. */
#include "records.h"
#include "names.h"

#include <inttypes.h>
#include <stdio.h>

void karat_table(char *text, size_t size, const blame *x, const uint32_t *core, const uint32_t *model) {
    unsigned shown = 0;
    text[0] = 0;
    for (uint32_t m = x->lanes; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        char lane[16] = "      ";
        if (shown++ == 8) {
            karat_append(text, size, "\n  and %d more lanes", __builtin_popcount(m));
            break;
        }
        if (x->cls != KARAT_CLASS_X)
            snprintf(lane, sizeof lane, "lane %2u", i);
        karat_append(text, size, "\n  %s  core %08" PRIx32 "  model %08" PRIx32 "  xor %08" PRIx32, lane,
                     core[i], model[i], core[i] ^ model[i]);
    }
}

bool karat_fail_values(karat_checker *c, const blame *x, const uint32_t *core, const uint32_t *model,
                       const char *more) {
    char text[700], late[400] = "";
    karat_table(text, sizeof text, x, core, model);
    const uint32_t lane = x->lanes ? (uint32_t)__builtin_ctz(x->lanes) : 0;
    blame y = *x;
    y.value.is_known = true;
    y.value.lane = lane;
    y.value.model = model[lane];
    y.value.core = core[lane];
    const bool stale = x->kind != FAIL_WRITE_VALUE && karat_gives(c, KARAT_REC_WRITE) &&
                       !karat_register_const(x->slot, x->cls, x->reg)->landed;
    if (x->kind == FAIL_WRITE_VALUE && !more[0])
        karat_late_store(c, x->slot, x->flight, late, sizeof late);
    return karat_fail(c, &y, "%s%s%s%s%s", karat_register_name(x->cls, x->reg).text,
                      stale ? ", in which no write of this warp has landed since its launch" : "", text, late,
                      more);
}
