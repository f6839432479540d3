/* The CSRs by the names of golden/isa/csr.def: CSR_FRM. All generators use it. */
#ifndef KARAT_GEN_CSR_H
#define KARAT_GEN_CSR_H

#include <stdbool.h>
#include <stdint.h>

enum {
#define CSR(number, text, name) CSR_##name = number,
#include "../../golden/isa/csr.def"
#undef CSR
};

/* No instruction may write it. */
static inline bool csr_is_fixed(uint32_t csr) {
    return csr >> 10 == 3 || (csr >= CSR_TID && csr <= CSR_GDZ);
}

#endif
