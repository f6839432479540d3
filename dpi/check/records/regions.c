/* REGION and HOST: memory as the test bench lays it out and fills it. */
#include "records.h"
#include "array.h"

#include <inttypes.h>
#include <string.h>

#define MAX_LOCALS 65536u /* HOST records for the LDS of one kernel */

/* Pages that a REGION would map. */
static uint64_t new_pages(const karat_checker *c, const karat_rec_region *r) {
    uint64_t num = r->size / 4096;
    for (uint64_t addr = r->base; karat_next_page(c->model, &addr) && addr - r->base < r->size;
         addr += 4096) {
        num--;
        if (addr == UINT64_MAX - 4095)
            break; /* After it comes the first of all: again this one, where there is no other */
    }
    return num;
}

bool karat_check_region(karat_checker *c, const karat_rec_region *r) {
    if ((r->base | r->size) % 4096)
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "REGION 0x%" PRIx64 " of 0x%" PRIx64
                          " bytes; whole pages of 4096 bytes are possible",
                          r->base, r->size);
    const uint64_t pages = c->num_pages + new_pages(c, r);
    const uint32_t most = c->config.model.translation ? KARAT_PORT_PAGES_SV39 : KARAT_PORT_PAGES;
    if (pages > most || c->num_regions == most)
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "REGION 0x%" PRIx64 " of 0x%" PRIx64 " bytes: with the %" PRIu64
                          " pages and %" PRIu32 " REGIONs before it, more than the %" PRIu32
                          " that are possible",
                          r->base, r->size, c->num_pages, c->num_regions, most);
    const karat_status status = karat_map(c->model, r->base, r->size);
    if (status == KARAT_NO_MEMORY)
        return karat_no_memory(c, NULL);
    if (status != KARAT_OK)
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "REGION 0x%" PRIx64 " of 0x%" PRIx64 " bytes cannot be mapped", r->base, r->size);
    c->num_pages = pages;
    if (!karat_grow(&c->regions, c->num_regions, sizeof *c->regions))
        return karat_no_memory(c, NULL);
    c->regions[c->num_regions++] = (region){r->base, r->size, r->hash, r->hash_valid};
    return false;
}

/* The first contents of the LDS of the next kernel's workgroups. */
static bool note_local(karat_checker *c, const karat_rec_host *r) {
    if (c->num_exited != c->num_expected)
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "HOST writes 0x%" PRIx64 ", in the LDS window, while a kernel runs", r->addr);
    c->kernel_desc.num_locals = 0; /* Of the kernel before */
    if (r->length > c->config.model.lds_size - (r->addr - c->config.model.lds_base))
        return karat_fail(c, BLAME(FAIL_STREAM), "HOST writes 0x%" PRIx64 " and beyond the LDS window",
                          r->addr);
    if (c->num_locals == MAX_LOCALS)
        return karat_fail(c, BLAME(FAIL_STREAM),
                          "HOST writes 0x%" PRIx64 ": at most %u bytes of LDS are possible", r->addr,
                          (unsigned)(MAX_LOCALS * sizeof r->data));
    if (!karat_grow(&c->locals, c->num_locals, sizeof *c->locals) ||
        !karat_grow(&c->local_bytes, c->num_locals, sizeof *c->local_bytes))
        return karat_fail(c, BLAME(FAIL_STREAM), "out of memory");
    memcpy(c->local_bytes[c->num_locals], r->data, r->length);
    c->locals[c->num_locals++] = (karat_buffer){.base = (uint32_t)r->addr, .size = r->length};
    return false;
}

bool karat_check_host(karat_checker *c, const karat_rec_host *r) {
    if (r->length == 0 || r->length > sizeof r->data)
        return karat_fail(c, BLAME(FAIL_STREAM), "HOST of %" PRIu32 " bytes; 1 to %zu are possible",
                          r->length, sizeof r->data);
    if (r->addr >= c->config.model.lds_base && r->addr - c->config.model.lds_base < c->config.model.lds_size)
        return note_local(c, r);
    karat_bridge_host_writes(c, r->addr, r->data, r->length);
    if (karat_write(c->model, r->addr, r->data, r->length) != KARAT_OK)
        return karat_fail(c, BLAME(FAIL_STREAM), "HOST writes 0x%" PRIx64 ", which no REGION maps", r->addr);
    return false;
}
