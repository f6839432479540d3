#include "legal.h"

const stream *legal_stream(uint8_t which) {
    static stream made[64];
    which %= 64;
    if (!made[which].num) {
        rng r = {which};
        core_options o = core_random(which);
        o.workgroups = o.workgroups > 2 ? 2 : o.workgroups;
        o.audit_percent /= 4;
        program p = {.num = 0};
        put_everything(&p, &r, 1 + which % 3, rng_chance(&r, 70));
        core_run(&p, &o, &made[which], NULL);
    }
    return &made[which];
}
