#include "compare.h"
#include "memory.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>

/* Lanes of mask in which a and b differ in these bits. */
uint32_t karat_differing(const karat_checker *c, const uint32_t *a, const uint32_t *b, uint32_t mask,
                         uint32_t bits) {
    uint32_t any = 0, different = 0;
    for (uint32_t i = 0; i < c->hello.num_thread; i++)
        any |= a[i] ^ b[i];
    if (!(any & bits))
        return 0; /* nearly always: not a branch for each lane */
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if ((a[lane] ^ b[lane]) & bits)
            different |= 1u << lane;
    }
    return different;
}

/* What differs, as a table of at most eight lanes: lane, core, model, xor. */
void karat_table(char *text, size_t size, const uint32_t *core, const uint32_t *model, uint32_t lanes,
                 bool scalar) {
    unsigned shown = 0;
    text[0] = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        if (shown++ == 8) {
            karat_append(text, size, "\n  and %d more lanes", __builtin_popcount(m));
            break;
        }
        char lane[16] = "      ";
        if (!scalar)
            snprintf(lane, sizeof lane, "lane %2u", i);
        karat_append(text, size, "\n  %s  core %08" PRIx32 "  model %08" PRIx32 "  xor %08" PRIx32, lane,
                     core[i], model[i], core[i] ^ model[i]);
    }
}

bool karat_fail_values(karat_checker *c, failure_kind kind, slot *s, const flight *f, const void *r,
                       unsigned cls, unsigned reg, const uint32_t *core, const uint32_t *model,
                       uint32_t lanes, const char *order) {
    char text[700];
    karat_table(text, sizeof text, core, model, lanes, cls == KARAT_CLASS_X);
    bool stale = (kind == FAIL_READ || kind == FAIL_AUDIT) && karat_gives(c, KARAT_REC_WRITE) &&
                 !karat_register(s, cls, reg)->landed;
    char late[400] = "";
    if (kind == FAIL_WRITE_VALUE && !order[0])
        karat_late_store(c, s, f, late, sizeof late);
    return karat_fail(c, kind, s, f, r, "%c%u%s%s%s%s", cls == KARAT_CLASS_X ? 'x' : 'v', reg,
                      stale ? ", in which no write of this warp has landed since its launch" : "", text, late,
                      order) &&
           karat_fail_lanes(c, cls, reg, lanes);
}
