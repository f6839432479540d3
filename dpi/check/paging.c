/* PAGING: the address space of the next kernel. */
#include "records.h"

#include <inttypes.h>

bool karat_check_paging(karat_checker *c, const karat_rec_paging *r) {
    if (!karat_translates(c))
        return karat_fail(c, FAULT(FAIL_STREAM), "PAGING; HELLO says that the core does not translate");
    if (c->paging_seen)
        return karat_fail(c, FAULT(FAIL_STREAM), "a second PAGING before KERNEL");
    if (r->ptbr & 0xfff)
        return karat_fail(c, FAULT(FAIL_STREAM), "PAGING: ptbr 0x%" PRIx64 " is not a multiple of 4096",
                          r->ptbr);
    c->paging = *r;
    c->paging_seen = true;
    return false;
}
