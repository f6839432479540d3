#include "verdict_streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "litmus.h"

/* --- Programs that race: all warps use the same few words --- */

static void put_fence(program *p, rng *r) {
    static const int32_t sets[] = {15, 1, 2, 3};
    put(p, "fence", rng_chance(r, 10) ? 8 : 0, sets[rng_below(r, 4)], sets[rng_below(r, 4)], 0, 0);
}

/* Whatever accesses a few words of device memory (x20, x22) or local memory (x21), by one lane or all,
 * through one register or two. */
static void put_mixed(program *p, rng *r) {
    static const char *const load[] = {"lw", "lh", "lhu", "lb", "lbu"}, *const store[] = {"sw", "sh", "sb"};
    static const char *const amo[] = {"amoadd_w", "amoswap_w", "amoxor_w", "amoor_w",
                                      "amoand_w", "amomin_w",  "amomaxu_w"};
    static const int32_t load_size[] = {4, 2, 2, 1, 1}, store_size[] = {4, 2, 1};
    put_prologue(p);
    put_code(p, "lui 20 SHARED; addi 22 20 4");
    put(p, "csrrs", 21, 0x806, 0); /* The workgroup's LDS */
    put_code(p, "vadd_vx 16 2 20 1; vand_vi 17 2 7 1");
    put(p, "vadd_vx", 17, 17, rng_chance(r, 70) ? 20 : 21, 1); /* Two words, by all lanes */
    put_code(p, "addi 13 7 5; slli 14 13 9; vadd_vx 8 1 14 1; vadd_vx 9 1 13 1");
    const uint32_t atomics = rng_below(r, 3), groups = rng_below(r, 3), fences = rng_below(r, 3);
    const bool unwritten = rng_chance(r, 25); /* x25, x26 and v25 are */
    for (uint32_t n = 4 + rng_below(r, 14); n--;) {
        const int32_t base = rng_chance(r, 60) ? 20 : rng_chance(r, 50) ? 22 : 21;
        const int32_t x = 15 + (int32_t)rng_below(r, 3), at = 4 * (int32_t)rng_below(r, 2);
        const uint32_t k = rng_below(r, 5), m = rng_below(r, 3);
        if (rng_chance(r, 15 * atomics)) {
            if (rng_chance(r, 70)) {
                put(p, amo[rng_below(r, 7)], rng_chance(r, 15) ? 0 : x, rng_chance(r, 50) ? 13 : 14, base,
                    (int32_t)rng_below(r, 4));
                continue;
            }
            if (rng_chance(r, 80))
                put(p, "lr_w", 18, base, (int32_t)rng_below(r, 4));
            if (rng_chance(r, 30))
                put(p, store[m], 14, 0, base);
            put(p, "sc_w", 19, 14, rng_chance(r, 85) ? base : 20, (int32_t)rng_below(r, 4));
            continue;
        }
        if (rng_chance(r, 10 * fences)) {
            if (rng_chance(r, 10))
                put(p, "fence", 1, 3, 3, 0, 0);
            else
                put_fence(p, r);
            continue;
        }
        if (unwritten && rng_chance(r, 20)) {
            if (rng_chance(r, 50))
                put(p, store[m], 25 + (int32_t)rng_below(r, 2), at, base);
            else
                put(p, "vsw12_v", 25, 0, 17);
            continue;
        }
        if (rng_chance(r, 12 * groups)) { /* Two registers of each lane */
            put(p, "vsetvli", 12, 0, 0xd1);
            put(p, "addi", 23, base, at);
            put(p, "addi", 24, 0, 4 * (int32_t)rng_below(r, 3));
            if (rng_chance(r, 50))
                put(p, "vsse32_v", 8, 23, 24, 1);
            else
                put(p, "vlse32_v", 10, 23, 24, 1);
            put(p, "vsetvli", 12, 0, 0xd0);
            continue;
        }
        switch (rng_below(r, 8)) {
        case 0:
        case 1:
            put(p, load[k], x, at + load_size[k] * (int32_t)rng_below(r, 4 / (uint32_t)load_size[k]), base);
            break;
        case 2:
        case 3:
            put(p, store[m], 13 + (int32_t)rng_below(r, 5),
                at + store_size[m] * (int32_t)rng_below(r, 4 / (uint32_t)store_size[m]), base);
            break;
        case 4: put(p, rng_chance(r, 60) ? "vlw12_v" : "vlb12_v", 10, 0, rng_chance(r, 50) ? 16 : 17); break;
        case 5: put(p, rng_chance(r, 70) ? "vsw12_v" : "vsb12_v", 8, 0, rng_chance(r, 50) ? 16 : 17); break;
        case 6: put(p, "addi", 13 + (int32_t)rng_below(r, 2), x, 1); break;
        default: put(p, rng_chance(r, 50) ? "barrier" : "barriersub", 0); break;
        }
    }
    put0(p, "endprg");
}

/* The host writes to the same words now and then, unknown to the core. */
static void add_host(stream *s, rng *r) {
    for (uint32_t n = 1 + rng_below(r, 3); n--;) {
        const uint32_t first = (uint32_t)nth(s, KARAT_REC_KERNEL, 0) + 1;
        const uint32_t i = first + rng_below(r, (uint32_t)s->num - first);
        record host = {.host = {.h = {.kind = KARAT_REC_HOST, .cycle = s->at[i].h.cycle}}};
        host.host.addr = SHARED + rng_below(r, 12);
        host.host.length = rng_chance(r, 90) ? 1 + rng_below(r, 8) : 64;
        host.host.length *= n == 0 && host.host.length < 64 ? 2 : 1;
        for (uint32_t k = 0; k < host.host.length; k++)
            host.host.data[k] = (uint8_t)rng_next(r);
        stream_insert(s, i, &host);
    }
}

/* A value that is about in the same run: another WRITE's, or one that was stored. */
static uint32_t other_value(const stream *s, rng *r) {
    for (uint32_t tries = 0; tries < 200; tries++) {
        const record *from = &s->at[rng_below(r, (uint32_t)s->num)];
        if (from->h.kind == KARAT_REC_WRITE)
            return from->write.data[0];
        if (from->h.kind == KARAT_REC_MEM && from->mem.op != KARAT_MEM_LOAD)
            return from->mem.data[0];
    }
    return 0;
}

/* The final values of the shared words: what the model has there, and now and then something else that was
 * about. */
static void add_contents(stream *s, rng *r) {
    s->at[0].hello.props |= KARAT_PROP_FLUSHED;
    const size_t bye = s->num - 1;
    stream before = stream_copy(s);
    stream_remove(&before, bye);
    karat_checker *c = replay(&before, NULL);
    stream_free(&before);
    record left = {.contents = {.h = {.kind = KARAT_REC_CONTENTS, .cycle = s->at[bye].h.cycle}}};
    left.contents.addr = SHARED + rng_below(r, 4); /* Drawn in an order that C fixes */
    left.contents.length = 1 + rng_below(r, 12);
    const bool known =
        karat_read(model_of(c), left.contents.addr, left.contents.data, left.contents.length) == KARAT_OK;
    karat_checker_destroy(c);
    if (!known)
        return;
    for (uint32_t i = 0; i < left.contents.length; i++)
        if (rng_chance(r, 15)) {
            const uint32_t value = other_value(s, r);
            left.contents.data[i] = (uint8_t)(value >> 8 * rng_below(r, 4));
        }
    stream_insert(s, bye, &left);
}

static stream plain_stream(uint64_t seed) {
    rng r = {seed * 7919 + 5};
    program p = {.num = 0};
    core_options o = core_random(seed);
    if (seed % 3 == 0)
        fixture_program(&p);
    else {
        const bool barriers = rng_chance(&r, 70);
        put_everything(&p, &r, 3 + rng_below(&r, 6), barriers);
    }
    o.workgroups = 1 + rng_below(&r, 3);
    if (seed % 4 == 1 && o.regs != KARAT_REGS_UNKNOWN) /* An error shows late */
        o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    if (seed % 4 == 1 && o.regs == KARAT_REGS_AUDIT)
        o.regs = KARAT_REGS_CLEARED;
    if (seed % 4 == 2 || seed % 8 == 1)
        o.gives &= ~(1u << KARAT_REC_READ);
    o.num_thread = 4;
    o.wf_size = o.wf_size > 4 ? 3 : o.wf_size;
    stream s = run_program(&p, &o);
    if (seed % 5 == 2 && !o.forwards)
        s.at[0].hello.props |= KARAT_PROP_INTERLOCKED;
    if (seed % 7 == 3)
        s.at[0].hello.stack_depth = 2;
    return s;
}

/* Where results that no record has reported yet go to: scalar registers and their stores, memory and what
 * is loaded from it. */
static void put_ulp_uses(program *p, rng *r) {
    const int32_t power = 9 + (int32_t)rng_below(r, 4);
    put(p, "lui", 20, (int32_t)(SHARED >> 12));
    for (uint32_t n = 3 + rng_below(r, 8); n--;) {
        const int32_t x = 13 + (int32_t)rng_below(r, 4),
                      v = rng_chance(r, 60) ? power : 9 + (int32_t)rng_below(r, 4),
                      at = 4 * (int32_t)rng_below(r, 4);
        switch (rng_below(r, 12)) {
        case 0: put(p, "vmv_x_s", x, v); break;
        case 1: put(p, rng_chance(r, 70) ? "sw" : "sh", x, 128 + at, 10); break;
        case 2: put(p, rng_chance(r, 70) ? "lw" : "lbu", x, 128 + at, 10); break;
        case 3: put(p, "lw", x, at, 11); break;
        case 4: put(p, "vsw12_v", v, 128, 3); break;
        case 5: put(p, "vsw12_v", v, 0, 5); break;
        case 6: put(p, "vlw12_v", v, rng_chance(r, 50) ? 128 : 132, 3); break;
        case 7: put(p, "addi", x, x, 1); break;
        case 8: put(p, "vfexp_v", v, rng_chance(r, 50) ? 1 : v, 1); break;
        case 9: /* Each lane stores two registers, and both to one place now and then */
            put_code(p, "vsetvli 13 0 0xd1; addi 23 10 128");
            put(p, "addi", 22, 0, rng_chance(r, 30) ? 64 : 4 * (int32_t)rng_below(r, 3));
            put(p, "vsse32_v", v & ~1, 23, 22, 1);
            put(p, "vsetvli", 13, 0, 0xd0);
            break;
        case 10: /* With the other warps */ put(p, rng_chance(r, 50) ? "sw" : "lw", x, at, 20); break;
        default:
            if (rng_chance(r, 10))
                put(p, "amoadd_w", x, 14, 20, 0);
            else
                put(p, "vadd_vx", v, 1, x, 1);
        }
    }
}

static stream mixed_stream(uint64_t seed) {
    rng r = {seed * 7919 + 23};
    program p = {.num = 0};
    put_mixed(&p, &r);
    core_options o = core_default();
    o.seed = seed;
    o.num_sm = rng_chance(&r, 20) ? 2 : 1;
    o.wg_size = 1 + rng_below(&r, 3);
    o.num_warp = o.wg_size + rng_below(&r, 3);
    o.workgroups = 1 + rng_below(&r, 3);
    o.kernels = rng_chance(&r, 25) ? 2 : 1;
    o.wf_size = rng_chance(&r, 15) ? 3 : 0;
    o.max_delay = rng_below(&r, 12);
    o.max_mem_delay = rng_chance(&r, 60) ? 5 + rng_below(&r, 60) : 0;
    o.forwards = rng_chance(&r, 50);
    o.write_match = rng_chance(&r, 15);
    o.mem_match = rng_chance(&r, 20);
    o.split = rng_chance(&r, 25);
    o.release_singly = rng_chance(&r, 30);
    o.audit_percent = rng_chance(&r, 20) ? 10 : 0;
    o.uncounted = true;
    if (rng_chance(&r, 15))
        o.gives &= ~(1u << KARAT_REC_MEM);
    if (rng_chance(&r, 15))
        o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    else if (rng_chance(&r, 40) && o.gives >> KARAT_REC_MEM & 1)
        o.regs = KARAT_REGS_UNKNOWN;
    if (rng_chance(&r, 20))
        o.gives &= ~(1u << KARAT_REC_READ);
    stream s = run_program(&p, &o);
    if (rng_chance(&r, 20))
        add_host(&s, &r);
    if (rng_chance(&r, 40))
        add_contents(&s, &r);
    s.at[0].hello.mem_order = rng_chance(&r, 50) ? KARAT_ORDER_PERFORMED : KARAT_ORDER_NONE;
    s.at[0].hello.props |= rng_chance(&r, 70) ? KARAT_PROP_COHERENT : 0;
    s.at[0].hello.props |= rng_chance(&r, 30) ? KARAT_PROP_ASCENDING : 0;
    return s;
}

static stream ulp_stream(uint64_t seed) {
    rng r = {seed * 7919 + 17};
    program p = {.num = 0};
    put_approximate(&p, &r, 1 + rng_below(&r, 4), rng_chance(&r, 30));
    p.num--; /* ENDPRG */
    put_ulp_uses(&p, &r);
    put0(&p, "endprg");
    core_options o = core_random(seed);
    o.num_thread = 4;
    o.wf_size = o.wf_size > 4 ? 3 : o.wf_size;
    o.workgroups = 1 + rng_below(&r, 2);
    o.lds_size = 0x1000;
    o.noise = 2;
    o.regs = KARAT_REGS_CLEARED;
    if (!rng_chance(&r, 20))
        o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    else if (rng_chance(&r, 50))
        o.gives &= ~(1u << KARAT_REC_AUDIT);
    if (rng_chance(&r, 40))
        o.gives &= ~(1u << KARAT_REC_READ);
    if (rng_chance(&r, 30))
        o.gives &= ~(1u << KARAT_REC_MEM);
    if (rng_chance(&r, 40))
        o.max_mem_delay = 5 + rng_below(&r, 60);
    return run_program(&p, &o);
}

/* --- Edits --- */

/* A byte of that record that means something more often than not. */
static size_t some_byte(const record *r, rng *random, uint32_t num_thread) {
    const uint32_t lane = rng_below(random, num_thread);
    const size_t word = 4 * lane + rng_below(random, 4), size = karat_rec_size(r->h.kind);
    if (rng_chance(random, 50))
        switch (r->h.kind) {
        case KARAT_REC_READ: return offsetof(karat_rec_read, data) + word;
        case KARAT_REC_WRITE: return offsetof(karat_rec_write, data) + word;
        case KARAT_REC_AUDIT: return offsetof(karat_rec_audit, data) + word;
        case KARAT_REC_MEM:
            switch (rng_below(random, 3)) {
            case 0: return offsetof(karat_rec_mem, addr) + word;
            case 1: return offsetof(karat_rec_mem, data) + word;
            default: return offsetof(karat_rec_mem, bytes) + lane / 2;
            }
        default: break;
        }
    if (r->h.kind == KARAT_REC_REGION) /* Not its size: gigabytes would be hashed */
        return offsetof(karat_rec_region, hash) + rng_below(random, 9);
    const size_t head = sizeof(karat_rec_header), scalars = size - head > 16 && size > 100 ? 16 : size - head;
    return rng_chance(random, 15) || !scalars ? rng_below(random, (uint32_t)head)
                                              : head + rng_below(random, (uint32_t)scalars);
}

static bool is_load_result(const stream *s, size_t i) {
    for (size_t k = i; k-- > 0;) {
        const record *r = &s->at[k];
        if (r->h.kind == KARAT_REC_MEM && r->h.sm == s->at[i].h.sm && r->h.slot == s->at[i].h.slot &&
            r->h.epoch == s->at[i].h.epoch && r->mem.seq == s->at[i].write.seq)
            return true;
    }
    return false;
}

/* The access of the instruction that has written that. */
static record *mem_of(const stream *s, const record *write) {
    for (size_t k = 0; k < s->num; k++) {
        record *r = &s->at[k];
        if (r->h.kind == KARAT_REC_MEM && r->h.sm == write->h.sm && r->h.slot == write->h.slot &&
            r->h.epoch == write->h.epoch && r->mem.seq == write->write.seq)
            return r;
    }
    return NULL;
}

/* One edit; *tick: no BYE comes, but so much time passes. */
static void edit(stream *s, rng *r, bool racing, char *done, uint64_t *tick) {
    const uint32_t num = (uint32_t)s->num, num_thread = s->at[0].hello.num_thread;
    uint32_t i = rng_below(r, num);
    /* Every kind that these streams have as often, or every record. */
    const uint32_t kind = 1 + rng_below(r, KARAT_REC_CONTENTS);
    for (uint32_t k = rng_chance(r, 50) ? num : 0; k-- && s->at[i].h.kind != kind;)
        i = (i + 1) % num;
    *tick = 0;
    uint32_t how = rng_below(r, racing ? 20 : 8);
    if (how >= 14) { /* Two results change places; or an access comes much later */
        uint32_t found[2] = {i, i};
        for (uint32_t n = 0; n < 2; n++, i = (i + 1 + rng_below(r, 40)) % num) {
            for (uint32_t k = 0; k < num; k++, i = (i + 1) % num)
                if (how == 14
                        ? s->at[i].h.kind == KARAT_REC_MEM && s->at[i].mem.op != KARAT_MEM_LOAD
                        : s->at[i].h.kind == KARAT_REC_WRITE && !s->at[i].write.cls && is_load_result(s, i))
                    break;
            found[n] = i;
        }
        record *a = &s->at[found[0]], *b = &s->at[found[1]];
        if (how == 14) {
            const uint32_t to = found[0] + 150 < num ? found[0] + 150 : num - 1;
            sprintf(done, "%u %s much later", found[0], karat_rec_name(a->h.kind));
            move(s, found[0], to);
            return;
        }
        const uint32_t value = a->write.data[0];
        if (a->h.kind == KARAT_REC_WRITE && b->h.kind == KARAT_REC_WRITE) {
            a->write.data[0] = b->write.data[0];
            b->write.data[0] = value;
            record *first = mem_of(s, a), *second = mem_of(s, b);
            if (first && second && rng_chance(r, 60)) { /* The values stored are swapped, too */
                const uint32_t stored = first->mem.data[0];
                first->mem.data[0] = second->mem.data[0];
                second->mem.data[0] = stored;
            }
        }
        sprintf(done, "%u and %u change results", found[0], found[1]);
        return;
    }
    if (how == 13)
        for (uint32_t k = 0; k < num; k++)
            if (s->at[k].h.kind == KARAT_REC_MEM && s->at[k].mem.op == KARAT_MEM_AMO)
                s->at[k].mem.no_data = 1; /* The AMO's value is changed below */
    if (how >= 8) {                       /* Another order of the warps, or one that is none */
        for (uint32_t k = 0; k < num; k++, i = (i + 1) % num)
            if (how == 8 ? s->at[i].h.kind == KARAT_REC_MEM
                         : s->at[i].h.kind == KARAT_REC_WRITE && is_load_result(s, i))
                break;
    }
    record *at = &s->at[i];
    const char *name = karat_rec_name(at->h.kind);
    if (how >= 9 && at->h.kind == KARAT_REC_WRITE) {
        const uint32_t lane = at->write.cls ? rng_below(r, num_thread) : 0;
        at->write.data[lane] = how == 9 ? rng_below(r, 2) : how == 10 ? 0 : other_value(s, r);
        sprintf(done, "%u %s takes another value", i, name);
        return;
    }
    switch (how) {
    case 0:
    case 1:
    case 2:
    case 3: {
        const size_t byte = some_byte(at, r, num_thread);
        const uint32_t bit = rng_chance(r, 40) ? 0 : rng_below(r, 8);
        ((uint8_t *)at)[byte] ^= (uint8_t)(1u << bit);
        sprintf(done, "%u %s byte %zu bit %u", i, name, byte, bit);
        return;
    }
    case 4:
        sprintf(done, "%u %s left out", i, name);
        stream_remove(s, i);
        return;
    case 5: {
        record copy = *at;
        sprintf(done, "%u %s twice", i, name);
        stream_insert(s, i + 1, &copy);
        return;
    }
    case 6:
        cut(s, i ? i : 1);
        *tick = s->at[s->num - 1].h.cycle + 1 + (rng_chance(r, 80) ? HANG_CYCLES : rng_below(r, HANG_CYCLES));
        sprintf(done, "%u %s and all behind it left out", i, name);
        return;
    default: {
        const uint32_t by = 1 + rng_below(r, 30), to = i + by < num ? i + by : num - 1;
        sprintf(done, "%u %s moved to %u", i, name, to);
        move(s, i, to);
        return;
    }
    }
}

/* The result of the access in record i is another, too. */
static void damage_result(stream *s, size_t i) {
    for (size_t k = i + 1; k < s->num; k++) {
        record *at = &s->at[k];
        if (at->h.kind == KARAT_REC_WRITE && at->h.sm == s->at[i].h.sm && at->h.slot == s->at[i].h.slot &&
            at->h.epoch == s->at[i].h.epoch && at->write.seq == s->at[i].mem.seq) {
            at->write.data[0] ^= 1;
            at->write.data[1] ^= 0x100;
            return;
        }
    }
}

/* Bits of values, all over the stream: where it goes on after each, one run meets many mismatches. Returns
 * how many. */
static uint32_t damage(stream *s, rng *r) {
    uint32_t num = 0;
    const uint32_t num_thread = s->at[0].hello.num_thread, percent = 1 + rng_below(r, 15);
    for (size_t i = nth(s, KARAT_REC_LAUNCH, 0); i < s->num; i++) {
        record *at = &s->at[i];
        if (!rng_chance(r, percent))
            continue;
        size_t byte;
        const size_t lane = rng_below(r, num_thread), word = 4 * lane + rng_below(r, 4);
        switch (at->h.kind) {
        case KARAT_REC_READ: byte = offsetof(karat_rec_read, data) + word; break;
        case KARAT_REC_WRITE: byte = offsetof(karat_rec_write, data) + word; break;
        case KARAT_REC_AUDIT: byte = offsetof(karat_rec_audit, data) + word; break;
        case KARAT_REC_CSR: byte = offsetof(karat_rec_csr, value) + word % 4; break;
        case KARAT_REC_MEM:
            byte = offsetof(karat_rec_mem, data) + word;
            if (rng_chance(r, 60))
                break;
            byte = offsetof(karat_rec_mem, addr) + word;
            if (rng_chance(r, 50))
                damage_result(s, i);
            break;
        default: continue;
        }
        ((uint8_t *)at)[byte] ^= (uint8_t)(1u << rng_below(r, 8));
        num++;
    }
    return num;
}

/* --- By name --- */

const char *const families[] = {"plain", "damaged", "ulp", "mixed", "litmus", "crowded", "aged"};

static enum family family_of(const char *name) {
    unsigned k = 0;
    while (k < NUM_FAMILIES && (strncmp(name, families[k], strlen(families[k])) != 0))
        k++;
    if (k == NUM_FAMILIES)
        fail_msg("%s is of no family", name);
    return (enum family)k;
}

uint32_t num_edits(const char *family) {
    const enum family of = family_of(family);
    return of == PLAIN ? 10 : of == NEAR ? 4 : 0;
}

void put_between(const drawn *d, karat_checker *c) {
    age_log(c, d->stores);
    for (uint32_t n = 0; n < d->writes; n++) {
        record host = {.host = {.h = {.kind = KARAT_REC_HOST, .cycle = d->s.at[d->at].h.cycle}}};
        host.host.addr = d->addr + n % 3;
        host.host.length = n % 3 ? 4 - n % 3 : 1 + n % 4;
        karat_read(model_of(c), host.host.addr, host.host.data, host.host.length);
        feed(c, &host);
    }
}

static uint32_t num_atomics(const litmus *l, uint32_t *num_sc) {
    uint32_t num = 0;
    *num_sc = 0;
    for (uint32_t w = 0; w < l->num_warp; w++)
        for (uint32_t i = 0; i < l->warp[w].num; i++) {
            num += op_is_atomic(&l->warp[w].at[i]);
            *num_sc += l->warp[w].at[i].kind == OP_SC;
        }
    return num;
}

/* A tiny program, played right or wrong (litmus.h). */
static void draw_play(drawn *d, uint64_t seed) {
    rng r = {seed * 7919 + 13};
    litmus l;
    play p;
    litmus_draw(&l, &r);
    const wrong what = (wrong)rng_below(&r, NUM_WRONG);
    litmus_play(&l, &p, &r, what);
    snprintf(d->done, sizeof d->done, "wrong %u", (unsigned)what);
    d->s = p.s;
    litmus_free(&l);
}

/* One whose accesses are too many, or forgotten. */
static void draw_long_play(drawn *d, uint64_t seed, enum family of) {
    rng r = {seed * 7919 + (of == AGED ? 23 : 22)};
    litmus l;
    play p;
    uint32_t num_sc = 0;
    for (bool fits = false; !fits;) {
        litmus_draw(&l, &r);
        fits = of == AGED ? l.mem_order != KARAT_ORDER_PERFORMED || rng_chance(&r, 60)
                          : l.mem_order != KARAT_ORDER_PERFORMED && num_atomics(&l, &num_sc) > 2;
        if (!fits)
            litmus_free(&l);
    }
    const wrong what = rng_chance(&r, 60) ? WRONG_NOTHING : (wrong)rng_below(&r, NUM_WRONG);
    litmus_play(&l, &p, &r, what);
    if (of == AGED && seed % 2) /* Caches may hold what was there before */
        p.s.at[0].hello.props &= ~(uint32_t)KARAT_PROP_COHERENT;
    d->at = p.at[rng_below(&r, p.num)].record;
    if (of == CROWDED && seed % 4 == 1 && !num_sc) { /* Results are not reported */
        p.s.at[0].hello.gives &= ~(1u << KARAT_REC_WRITE);
        for (size_t i = p.s.num; i-- > 0;)
            if (p.s.at[i].h.kind == KARAT_REC_WRITE) {
                stream_remove(&p.s, i);
                d->at -= d->at > i;
            }
    }
    d->stores = of == AGED ? remembered.accesses - rng_below(&r, 12) : 0;
    d->writes = of == CROWDED ? 45 + rng_below(&r, 40) : 0;
    d->addr = LITMUS_BASE + 4 * rng_below(&r, 2);
    snprintf(d->done, sizeof d->done, "wrong %u", (unsigned)what);
    d->s = p.s;
    litmus_free(&l);
}

/* A program that mixes all that warps can race by, broken or not, with the log of writes as it is or
 * nearly full. */
static void draw_mixed(drawn *d, uint64_t seed) {
    rng r = {seed + 177};
    d->s = mixed_stream(seed);
    const uint32_t first = (uint32_t)nth(&d->s, KARAT_REC_KERNEL, 0) + 1;
    if (rng_chance(&r, 60))
        edit(&d->s, &r, true, d->done, &d->tick);
    if (rng_chance(&r, 30) && d->s.num > first) {
        d->at = first + rng_below(&r, (uint32_t)d->s.num - first);
        d->stores = remembered.accesses - rng_below(&r, 30);
    }
}

/* A longer program, and after so many edits of copies of it the last such copy. */
static void draw_edited(drawn *d, uint64_t seed, enum family of, uint32_t edits) {
    rng r = {seed + 77};
    stream s = of == NEAR ? ulp_stream(seed) : plain_stream(seed);
    if (of == DAMAGED)
        snprintf(d->done, sizeof d->done, "%" PRIu32 " bits", damage(&s, &r));
    for (uint32_t k = 1; k <= edits; k++) {
        stream copy = stream_copy(&s);
        edit(&copy, &r, false, d->done, &d->tick);
        if (k == edits)
            d->s = copy;
        else
            stream_free(&copy);
    }
    if (edits)
        stream_free(&s);
    else
        d->s = s;
}

drawn draw_named(const char *name) {
    const enum family of = family_of(name);
    drawn d = {.done = "as it is"};
    unsigned long long seed = 0;
    unsigned edits = 0;
    sscanf(name + strlen(families[of]), ".%llu.%u", &seed, &edits);
    switch (of) {
    case LITMUS: draw_play(&d, seed); break;
    case CROWDED:
    case AGED: draw_long_play(&d, seed, of); break;
    case MIXED: draw_mixed(&d, seed); break;
    default: draw_edited(&d, seed, of, edits);
    }
    return d;
}
