#include "writes.h"

#include <inttypes.h>
#include <string.h>

static bool make(karat_machine *t, const debug_write *write, const void *bytes) {
    const machine_warp *w = karat_machine_thread(t, write->thread);
    if (!write->is_register)
        return karat_machine_write(t, w, &write->place, bytes, write->size);
    uint32_t value[KARAT_MAX_THREAD] = {0};
    memcpy(value, bytes, write->size);
    return karat_machine_write_register(t, w, write->reg, write->mask, value);
}

bool karat_writes_make(debug_writes *s, karat_machine *t, const debug_write *write, const void *bytes,
                       karat_diag *diag) {
    diag->text[0] = 0;
    if (!t->writable)
        snprintf(diag->text, sizeof diag->text,
                 t->model ? "the model is compared with a core: it cannot be written to"
                          : "no warp was launched yet");
    else if (s->num == WRITES_MAX || write->size > WRITES_BYTES - s->used)
        snprintf(diag->text, sizeof diag->text, "there is no room for more writes: go back to drop some");
    else if (!make(t, write, bytes))
        snprintf(diag->text, sizeof diag->text,
                 write->is_register
                     ? "that register cannot be written: expected x1 to x63, v0 to v255, or a CSR that a "
                       "program may write so, of a live warp"
                     : "a byte there is not mapped");
    if (diag->text[0])
        return false;
    s->at[s->num] = *write;
    s->at[s->num++].begin = s->used;
    memcpy(s->bytes + s->used, bytes, write->size);
    s->used += write->size;
    return true;
}

void karat_writes_again(const debug_writes *s, karat_machine *t, uint64_t position) {
    for (uint32_t i = 0; i < s->num; i++)
        if (s->at[i].position == position)
            make(t, &s->at[i], s->bytes + s->at[i].begin);
}

uint32_t karat_writes_drop(debug_writes *s, uint64_t position) {
    const uint32_t before = s->num;
    while (s->num && s->at[s->num - 1].position > position)
        s->used = s->at[--s->num].begin;
    return before - s->num;
}

const debug_write *karat_writes_find(const debug_writes *s, uint32_t thread, machine_register reg,
                                     uint32_t lane, uint64_t first, uint64_t last) {
    for (uint32_t i = s->num; i-- > 0;) {
        const debug_write *w = &s->at[i];
        if (w->is_register && w->thread == thread && w->reg.cls == reg.cls && w->reg.number == reg.number &&
            w->mask >> lane & 1 && w->position >= first && w->position <= last)
            return w;
    }
    return NULL;
}

static void put_register(const debug_writes *s, const debug_write *w, FILE *out) {
    char name[32];
    uint32_t value[KARAT_MAX_THREAD];
    karat_machine_register_name(w->reg, name);
    memcpy(value, s->bytes + w->begin, w->size);
    fputs(name, out);
    if (w->reg.cls == MACHINE_V && ~w->mask)
        fprintf(out, " (lanes %08" PRIx32 ")", w->mask);
    fputs(" =", out);
    for (uint32_t lane = 0; lane < w->size / sizeof *value; lane++)
        if (w->mask >> lane & 1)
            fprintf(out, " %08" PRIx32, value[lane]);
}

void karat_writes_put(const debug_writes *s, FILE *out) {
    static const char *const spaces[] = {"", "global:", "lds:", "private"};
    for (uint32_t i = 0; i < s->num; i++) {
        const debug_write *w = &s->at[i];
        fprintf(out, "position %" PRIu64 ", thread %" PRIu32 ": ", w->position, w->thread);
        if (w->is_register) {
            put_register(s, w, out);
        } else {
            fputs(spaces[w->place.space], out);
            if (w->place.space == MACHINE_PRIVATE)
                fprintf(out, "[%" PRIu32 "]:", w->place.lane);
            fprintf(out, "0x%08" PRIx64 " =", w->place.addr);
            for (uint32_t b = 0; b < w->size; b++)
                fprintf(out, " %02x", s->bytes[w->begin + b]);
        }
        fputc('\n', out);
    }
}
