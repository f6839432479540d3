/* Printing (decisions, "Registers, CSRs, launch"): a warp writes CSR_PRINT, the host takes the text and
 * writes 0 to it.
 *
 * The host may take a text only after a request, and where HELLO says so, must take each requested one.
 * The text that it has read is checked against the model as a load is: the stores of the warp before the
 * instruction that wrote CSR_PRINT are there, other writes to the buffer may have come before it or not
 * (dpi/mcm).
 *
 * A write of CSR_PRINT asks from its CSR record on; where the core provides none, from its ISSUE on.
 * Several before the host comes are one. Where the order of such a write and the host is not known, it may
 * have been taken or not. */
#include "records.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    PRINT_ADDR = KARAT_CSR_BASE + KARAT_CSR_PRINT,
    PRINT_BLOCK = 48 /* Bytes before the words that name the buffer */
};

static bool is_print(const flight *f) {
    return f->commit.csr_written && f->commit.csr == PRINT_ADDR;
}

/* The core has written CSR_PRINT as f says. */
static void ask(karat_checker *c, slot *s, const flight *f) {
    prints *p = &s->prints;
    if (!f->commit.csr_value) { /* Whatever the host has not taken yet is taken back */
        p->open = karat_gives(c, KARAT_REC_CSR) ? p->open : p->open + p->due;
        p->due = 0;
        return;
    }
    if (p->early) {
        p->early--;
        return;
    }
    if (!p->due++) {
        p->at = f->event.at;
        p->seq = f->seq;
    }
    p->cycle = c->cycle;
}

void karat_print_step(karat_checker *c, slot *s, const flight *f) {
    if (!is_print(f))
        return;
    if (!f->pending_csr)
        ask(c, s, f);
    else
        s->prints.open += f->commit.csr_value != 0;
}

void karat_print_written(karat_checker *c, slot *s, const flight *f) {
    if (!is_print(f))
        return;
    s->prints.open -= f->commit.csr_value && s->prints.open;
    ask(c, s, f);
}

bool karat_print_asked(const slot *s) {
    return s->prints.due || s->prints.open;
}

static const flight *asking(const karat_checker *c, const slot *s) {
    if (s->prints.due)
        return karat_flight_recent(s, s->epoch, s->prints.seq);
    const flight *f = karat_gives(c, KARAT_REC_CSR) ? s->oldest : NULL;
    while (f && !(f->epoch == s->epoch && f->pending_csr && is_print(f) && f->commit.csr_value))
        f = f->next;
    return f;
}

/* The host takes what is asked for. */
static void take(karat_checker *c, slot *s) {
    prints *p = &s->prints;
    if (!p->due) {
        p->early += karat_gives(c, KARAT_REC_CSR);
        p->open -= p->open != 0;
    } else if (!karat_gives(c, KARAT_REC_CSR)) {
        p->open = p->due - 1; /* Were written since, perhaps */
    } else {
        p->open += p->due > 1 && p->cycle == c->cycle;
    }
    p->due = 0;
}

static bool fail_unasked(karat_checker *c, const slot *s, const void *r) {
    return karat_fail(
        c, BLAME(FAIL_PRINT_UNEXPECTED, s, NULL, r),
        "the host takes a print, and since its last one the warp has written nothing but 0 to CSR_PRINT");
}

bool karat_print_hostcsr(karat_checker *c, slot *s, const karat_rec_hostcsr *r) {
    if (r->addr != PRINT_ADDR || r->value)
        return false;
    if (s->prints.hostcsr_due) { /* By PRINT */
        s->prints.hostcsr_due = false;
        return false;
    }
    if (!karat_print_asked(s))
        return fail_unasked(c, s, r);
    take(c, s);
    return false;
}

bool karat_print_missing(karat_checker *c, const slot *s, const char *when) {
    const uint32_t seq = s->prints.seq;
    if (!s->prints.due || s->excluded || !(c->hello.props & KARAT_PROP_PRINTS))
        return false;
    return karat_fail(c, BLAME(FAIL_PRINT_MISSING, s, karat_flight_recent(s, s->epoch, seq)),
                      "%s; the host was never shown the print that seq %" PRIu32 " asked for", when, seq);
}

/* --- The text --- */

/* Where the host finds that byte in memory, by the kernel's page tables where it has some; false: nowhere. */
static bool find(const karat_checker *c, uint64_t addr, uint64_t *phys) {
    uint8_t byte;
    *phys = addr;
    if (karat_translates(c) &&
        karat_translate(c->model, c->kernel_desc.ptbr, addr, KARAT_USE_LOAD, phys, NULL) != KARAT_OK)
        return false;
    return karat_read(c->model, *phys, &byte, 1) == KARAT_OK;
}

/* That byte was read by the host as it prints. True after a failure: by what, which byte of how many. */
static bool check_byte(karat_checker *c, slot *s, const flight *f, const karat_rec_print *r, uint64_t addr,
                       uint8_t value, const char *what) {
    reasons why = {0};
    uint8_t model = 0;
    uint64_t phys;
    if (!find(c, addr, &phys))
        return karat_fail(c, BLAME(FAIL_STREAM, s, NULL, r),
                          "PRINT reads 0x%08" PRIx64 ", which no REGION maps", addr);
    karat_read(c->model, phys, &model, 1);
    if (c->tainted_memory || karat_bridge_host_read(c, &s->prints.taken, phys, value, &why))
        return false;
    return karat_fail(c, BLAME(FAIL_PRINT, s, f, r, .rules = why.rules),
                      "%s, byte 0x%08" PRIx64 ": host %02x  model %02x%s", what, addr, value, model,
                      why.text);
}

static bool is_mapped(const karat_checker *c, uint64_t addr, uint32_t bytes) {
    uint64_t phys;
    for (uint32_t i = 0; i < bytes; i++)
        if (!find(c, addr + i, &phys))
            return false;
    return true;
}

/* The host has found nothing to print: what it has read is right up to there. */
static bool no_buffer(karat_checker *c, slot *s, const flight *f, const karat_rec_print *r) {
    const uint64_t block = (uint64_t)c->kernel.knl + PRINT_BLOCK, next = r->addr + r->length;
    const bool named = is_mapped(c, block, 8);
    if (r->size ? is_mapped(c, next, 1) : named)
        return karat_fail(c, BLAME(FAIL_STREAM, s, NULL, r),
                          "PRINT cannot read 0x%08" PRIx64 ", which a REGION maps", r->size ? next : block);
    if (!named)
        return karat_fail(c, BLAME(FAIL_PROGRAM, s, f, r),
                          "it asks the host to print, and there is no print buffer: CSR_KNL is 0x%08" PRIx32
                          ", and no memory at 0x%08" PRIx64,
                          c->kernel.knl, block);
    return karat_fail(c, BLAME(FAIL_PROGRAM, s, f, r),
                      "it asks the host to print, and there is no print buffer: it is named at 0x%08" PRIx64
                      " as %" PRIu32 " bytes at 0x%08" PRIx32 ", and no memory at 0x%08" PRIx64,
                      block, r->size, r->buffer, next);
}

/* The first piece: the host has come. */
static bool begin(karat_checker *c, slot *s, const karat_rec_print *r) {
    prints *p = &s->prints;
    if (!karat_print_asked(s))
        return fail_unasked(c, s, r);
    const flight *f = asking(c, s);
    p->taken_seq = f ? f->seq : p->seq;
    p->taken = karat_bridge_host_reads(c, p->due ? &p->at : f ? &f->event.at : NULL);
    p->next = r->buffer;
    p->reads = true;
    const uint64_t block = (uint64_t)c->kernel.knl + PRINT_BLOCK;
    for (unsigned i = 0; i < 8 && (r->size || r->stop != KARAT_PRINT_NO_BUFFER); i++) {
        const uint32_t word = i < 4 ? r->buffer : r->size;
        if (check_byte(c, s, f, r, block + i, (uint8_t)(word >> 8 * (i & 3)),
                       i < 4 ? "address of the print buffer" : "size of the print buffer"))
            return true;
    }
    return false;
}

/* Whether a piece says what the host can have done. */
static const char *wrong_form(const slot *s, const karat_rec_print *r) {
    const uint64_t done = r->addr + r->length - r->buffer;
    return r->length > sizeof r->data                                      ? "length"
           : r->addr != s->prints.next                                     ? "addr"
           : memchr(r->data, 0, r->length)                                 ? "data"
           : done > r->size || (r->stop == KARAT_PRINT_MORE && !r->length) ? "length"
           : (r->stop == KARAT_PRINT_ZERO && done == r->size) ||
                   (r->stop == KARAT_PRINT_FULL && done != r->size)
               ? "stop"
               : NULL;
}

static bool check_text(karat_checker *c, slot *s, const flight *f, const karat_rec_print *r) {
    const uint32_t bytes = r->length + (r->stop == KARAT_PRINT_ZERO);
    for (uint32_t i = 0; i < bytes; i++) {
        char what[48];
        snprintf(what, sizeof what, "character %" PRIu64 " of the text", r->addr + i - r->buffer);
        if (check_byte(c, s, f, r, r->addr + i, i < r->length ? r->data[i] : 0, what))
            return true;
    }
    return false;
}

bool karat_check_print(karat_checker *c, const karat_rec_print *r) {
    slot *s = karat_slot_of(c, &r->h, true);
    if (!s || (!s->prints.reads && begin(c, s, r)))
        return true;
    const char *field = wrong_form(s, r);
    if (field)
        return karat_fail(c, BLAME(FAIL_STREAM, s, NULL, r),
                          "PRINT: field %s has a value that is not possible here", field);
    const flight *f = karat_flight_recent(s, s->epoch, s->prints.taken_seq);
    if (check_text(c, s, f, r))
        return true;
    s->prints.next += r->length;
    if (r->stop == KARAT_PRINT_MORE)
        return false;
    if (r->stop == KARAT_PRINT_NO_BUFFER)
        return no_buffer(c, s, f, r);
    s->prints.reads = false;
    s->prints.hostcsr_due = true;
    take(c, s);
    return false;
}
