/* Any record: h.kind says which it is. */
#ifndef KARAT_CHECK_ANY_H
#define KARAT_CHECK_ANY_H

#include <stdbool.h>

#include "port.h"

typedef union karat_any {
    karat_rec_header h;
#define FIELD(name, NAME, kind, bytes) karat_rec_##name name;
    KARAT_REC_EACH(FIELD)
#undef FIELD
} karat_any;

/* An ACCESS begins as a MEM does, and a PAIR as a WRITE: of either, the first fields are those of MEM and WRITE. */
#define SAME_PLACE(a, b, field)                                                                              \
    _Static_assert(offsetof(karat_rec_##a, field) == offsetof(karat_rec_##b, field), "fields of both")
SAME_PLACE(access, mem, seq);
SAME_PLACE(access, mem, match);
SAME_PLACE(access, mem, op);
SAME_PLACE(access, mem, space);
SAME_PLACE(access, mem, no_data);
SAME_PLACE(access, mem, mask);
SAME_PLACE(pair, write, seq);
SAME_PLACE(pair, write, match);
SAME_PLACE(pair, write, cls);
SAME_PLACE(pair, write, regno);
SAME_PLACE(pair, write, mask);
#undef SAME_PLACE

/* Of a kind that exists: each record of a stream is asked. */
static inline bool karat_is_mem(unsigned kind) {
    return (1u << KARAT_REC_MEM | 1u << KARAT_REC_ACCESS) >> kind & 1;
}

static inline bool karat_is_write(unsigned kind) {
    return (1u << KARAT_REC_WRITE | 1u << KARAT_REC_PAIR) >> kind & 1;
}

#endif
