#include "legal.h"

enum { NUM_STREAMS = 64, TRANSLATED = 192 /* From there on: with translation */ };

const stream *legal_stream(uint8_t which) {
    static stream made[2][NUM_STREAMS];
    const bool wide = which >= TRANSLATED;
    which %= NUM_STREAMS;
    stream *s = &made[wide][which];
    if (!s->num) {
        rng r = {which};
        core_options o = core_random(which);
        o.workgroups = o.workgroups > 2 ? 2 : o.workgroups;
        o.audit_percent /= 4;
        if (wide) {
            o.sv39 = true;
            o.layout = 4u * which + 1; /* None with superpages that hold more than a range */
            o.gives = (o.gives & ~(1u << KARAT_REC_MEM)) | (GIVES_SV39 & ~GIVES_ALL);
        }
        program p = {.num = 0};
        put_everything(&p, &r, 1 + which % 3, rng_chance(&r, 70));
        core_run(&p, &o, s, NULL);
    }
    return s;
}
