/* Walks of page tables. The model walks; this adds the entries on the way. */
#include "page_walk.h"
#include "names.h"

#include <inttypes.h>
#include <string.h>

bool karat_found_leaf(const page_walk *w) {
    return w->end.reason == KARAT_FAULT_NONE || w->end.reason >= KARAT_FAULT_NOT_READABLE;
}

void karat_walk_page(const karat_model *model, uint64_t ptbr, uint64_t virt, karat_page_use use,
                     page_walk *w) {
    *w = (page_walk){.ptbr = ptbr, .virt = virt};
    karat_translate(model, ptbr, virt, use, &w->phys, &w->end);
    w->phys = w->end.phys;
    if (w->end.reason == KARAT_FAULT_NOT_CANONICAL)
        return;
    uint64_t table = ptbr;
    for (unsigned level = WALK_LEVELS; level-- > w->end.level; w->num++) {
        const uint64_t addr = table + (virt / karat_page_size(level) & 511) * 8;
        uint8_t bytes[8] = {0};
        karat_read(model, addr, bytes, sizeof bytes); /* 0 where nothing is mapped: the walk ends there */
        uint64_t entry = 0;
        for (unsigned i = sizeof bytes; i-- > 0;)
            entry = entry << 8 | bytes[i];
        w->step[w->num].addr = addr;
        w->step[w->num].entry = entry;
        table = entry >> 10 << 12;
    }
}

/* "RWX AD", of a leaf */
static void put_rights(uint64_t entry, char *text, size_t size) {
    static const char names[] = "VRWXUGAD";
    for (unsigned i = 1; i < 8; i++)
        if (entry >> i & 1)
            karat_append(text, size, "%c", names[i]);
}

void karat_put_walk(const page_walk *w, char *text, size_t size) {
    karat_append(text, size, "\nthe model's walk, from 0x%" PRIx64, w->ptbr);
    for (uint32_t i = 0; i < w->num; i++) {
        const bool last = i + 1 == w->num;
        karat_append(text, size, "\n  level %u: entry 0x%016" PRIx64 " at 0x%" PRIx64, WALK_LEVELS - 1 - i,
                     w->step[i].entry, w->step[i].addr);
        if (!last)
            karat_append(text, size, ", a table");
        else if (karat_found_leaf(w)) {
            karat_append(text, size, ", a page with ");
            put_rights(w->step[i].entry, text, size);
        }
    }
    if (w->end.reason == KARAT_FAULT_NONE)
        karat_append(text, size, ": 0x%" PRIx64, w->phys);
    else
        karat_append(text, size, ": %s", karat_fault_name(w->end.reason));
}
