/* Races, where they are errors by policy: two accesses of different warps to one byte, one of which writes, that the program
 * does not order, and that are not both atomic. Found whatever values they have, and in whatever order they are performed; but
 * only among the accesses that are remembered.
 *
 * A scalar access to a word that atomics use counts as atomic: locks are let go by a store. Accesses to a word that is a flag of plain
 * accesses (flags.c) are synchronisation, which has a policy of its own. Whether a word is one of these is known at the kernel's end only,
 * whatever the order in which the core came to them: what scalar accesses to other words do is judged then, and what vector accesses
 * do to a word that a release was stored to. */
#include "checker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    NUM_SEEN = 4096, /* accesses that are remembered: instructions */
    NUM_SUSPECT = 16 /* words of which the first race is */
};

typedef struct seen {
    karat_moment at;
    uint64_t low, high; /* all of it is in [low, high) */
    uint64_t local;     /* bit i: access i is to the workgroup's local memory */
    uint32_t seq, pc, word, prefix, workgroup;
    uint32_t num;
    uint8_t bytes;
    bool writes;
    uint64_t addr[KARAT_MAX_ACCESS];
} seen;

/* A race, unless that word is one of synchronisation. */
typedef struct suspect {
    uint64_t word;
    uint32_t lds; /* 1 + workgroup; 0: device memory */
    bool scalar;  /* both accesses are: none where atomics use that word */
    failure what;
} suspect;

struct karat_races {
    uint64_t num; /* ever */
    seen at[NUM_SEEN];
    uint32_t num_suspects;
    suspect suspects[NUM_SUSPECT];
};

karat_races *karat_races_create(void) {
    return calloc(1, sizeof(karat_races));
}

void karat_races_destroy(karat_races *r) {
    free(r);
}

void karat_races_kernel(karat_races *r) {
    r->num = 0;
    r->num_suspects = 0;
}

typedef enum judgement { NO_RACE, RACE, FLAG } judgement;

static judgement judge(const karat_checker *c, const suspect *x) {
    if (x->scalar && karat_order_is_atomic(c, x->word, x->lds))
        return NO_RACE;
    return karat_flags_synchronises(c->flags, x->word, x->lds) ? FLAG : RACE;
}

/* The first one that is of that kind. */
static bool fail_first(karat_checker *c, judgement kind, const char *before, const char *behind) {
    karat_races *r = c->races;
    for (uint32_t i = 0; i < r->num_suspects; i++) {
        failure *x = &r->suspects[i].what;
        if (judge(c, &r->suspects[i]) != kind)
            continue;
        char text[400];
        snprintf(text, sizeof text, "%s%.200s%s", before, x->detail, behind);
        snprintf(x->detail, sizeof x->detail, "%s", text);
        return karat_fail_as(c, x);
    }
    return false;
}

bool karat_races_end(karat_checker *c) {
    const uint32_t strict = c->config.strict;
    return (strict & KARAT_STRICT_RACES &&
            fail_first(c, RACE, "a race on ", ", and nothing orders the two")) ||
           (strict & KARAT_STRICT_FLAGS &&
            fail_first(c, FLAG, "synchronisation by plain accesses to ",
                       ": a flag, by whose value and FENCEs warps order what they do"));
}

/* 1 + workgroup, whose local memory it is; 0: device memory. */
static uint32_t lds_of(const seen *a, uint32_t i) {
    return a->local >> i & 1 ? 1 + a->workgroup : 0;
}

/* The first byte of access i of a that b accesses, too; UINT64_MAX: none. */
static uint64_t common_byte(const seen *a, uint32_t i, const seen *b) {
    for (uint32_t k = 0; k < b->num; k++)
        if (lds_of(a, i) == lds_of(b, k) && a->addr[i] < b->addr[k] + b->bytes &&
            b->addr[k] < a->addr[i] + a->bytes)
            return a->addr[i] > b->addr[k] ? a->addr[i] : b->addr[k];
    return UINT64_MAX;
}

static bool is_atomic(const karat_checker *c, const seen *a) {
    return a->num == 1 && karat_order_is_atomic(c, a->addr[0], lds_of(a, 0));
}

static void note_suspect(const karat_checker *c, const slot *s, const flight *f, uint64_t byte, uint32_t lds,
                         bool scalar, const char *text) {
    karat_races *r = c->races;
    const bool wants_flags = c->config.strict & KARAT_STRICT_FLAGS;
    uint32_t kept = 0;
    bool known = false;
    for (uint32_t i = 0; i < r->num_suspects; i++) {
        const suspect *x = &r->suspects[i];
        const judgement now = judge(c, x);
        if (now == NO_RACE || (now == FLAG && !wants_flags))
            continue;
        known |= x->word == (byte & ~UINT64_C(3)) && x->lds == lds && x->scalar <= scalar;
        r->suspects[kept++] = *x;
    }
    r->num_suspects = kept;
    if (known || kept == NUM_SUSPECT)
        return;
    suspect *x = &r->suspects[r->num_suspects++];
    x->word = byte & ~UINT64_C(3);
    x->lds = lds;
    x->scalar = scalar;
    karat_suspect(c, &x->what, FAIL_PROGRAM, s, f, text);
}

static seen describe(const karat_checker *c, const flight *f) {
    const karat_mem *m = &f->commit.mem;
    seen now = {.at = f->at,
                .seq = f->seq,
                .pc = f->commit.pc,
                .word = f->commit.word,
                .prefix = f->commit.prefix,
                .workgroup = f->workgroup,
                .low = UINT64_MAX,
                .num = m->num,
                .bytes = m->access[0].bytes,
                .writes = m->op != KARAT_LOAD};
    for (uint32_t k = 0; k < m->num; k++) {
        now.addr[k] = m->access[k].addr;
        if (karat_is_lds(c, now.addr[k]))
            now.local |= UINT64_C(1) << k;
        now.low = now.addr[k] < now.low ? now.addr[k] : now.low;
        now.high = now.addr[k] + now.bytes > now.high ? now.addr[k] + now.bytes : now.high;
    }
    return now;
}

/* The two accesses have bytes in common, and nothing orders them: what that is, word by word. True after a failure. */
static bool meet(karat_checker *c, slot *s, const flight *f, const seen *old, const seen *now) {
    const bool scalar = old->num == 1 && now->num == 1;
    char insn[96], text[256];
    karat_disassemble(c->config.model.profile, old->pc, old->prefix, old->word, insn, sizeof insn);
    for (uint32_t i = 0; i < old->num; i++) {
        const uint64_t byte = common_byte(old, i, now);
        if (byte == UINT64_MAX)
            continue;
        snprintf(text, sizeof text,
                 "byte 0x%08" PRIx64 ": workgroup %" PRIu32 " warp %" PRIu32 " seq %" PRIu32 " 0x%08" PRIx32
                 " %s accesses it too",
                 byte, old->at.uid / c->kernel.wg_size, old->at.uid % c->kernel.wg_size, old->seq, old->pc,
                 insn);
        if (scalar || karat_flags_released(c->flags, byte, lds_of(old, i)))
            note_suspect(c, s, f, byte, lds_of(old, i), scalar, text);
        else if (c->config.strict & KARAT_STRICT_RACES)
            return karat_fail(c, FAIL_PROGRAM, s, f, NULL, "a race on %s, and nothing orders the two", text);
    }
    return false;
}

bool karat_races_performed(karat_checker *c, slot *s, const flight *f) {
    karat_races *r = c->races;
    seen *now = &r->at[r->num % NUM_SEEN];
    *now = describe(c, f);
    const uint64_t first = r->num > NUM_SEEN - 1 ? r->num - (NUM_SEEN - 1) : 0;
    for (uint64_t n = r->num++; n > first; n--) {
        const seen *old = &r->at[(n - 1) % NUM_SEEN];
        if (old->at.step <= karat_order_horizon(c) || old->at.uid == now->at.uid || old->low >= now->high ||
            now->low >= old->high || !(old->writes || now->writes) ||
            (is_atomic(c, old) && is_atomic(c, now)))
            continue;
        bool common = false;
        for (uint32_t i = 0; i < now->num && !common; i++)
            common = common_byte(now, i, old) != UINT64_MAX;
        if (common && !karat_order_before(c, &old->at, &now->at) && meet(c, s, f, old, now))
            return true;
    }
    return false;
}
