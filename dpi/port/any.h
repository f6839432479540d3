/* Any record: h.kind says which it is. */
#ifndef KARAT_PORT_ANY_H
#define KARAT_PORT_ANY_H

#include "port.h"

typedef union karat_any {
    karat_rec_header h;
#define FIELD(name, NAME, kind, bytes) karat_rec_##name name;
    KARAT_REC_EACH(FIELD)
#undef FIELD
} karat_any;

#endif
