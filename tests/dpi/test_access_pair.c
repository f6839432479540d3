/* ACCESS and PAIR say what MEMs and WRITEs say. */
#include "judge.h"
#include "retire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A MEM as an ACCESS; false where bytes of a lane are in two pages, as those of no ACCESS may be. */
static bool as_access(const record *mem, record *out) {
    const karat_rec_mem *m = &mem->mem;
    memset(out, 0, sizeof *out);
    memcpy(&out->mem, m, offsetof(karat_rec_mem, addr_hi)); /* They begin alike */
    out->h.kind = KARAT_REC_ACCESS;
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++) {
        const uint32_t bytes = m->bytes[lane / 2] >> lane % 2 * 4 & 15;
        out->access.phys[lane] = (uint64_t)m->addr_hi << 32 | m->addr[lane];
        out->access.bytes[lane] = (uint16_t)bytes;
        out->access.data[4 * lane] = m->data[lane];
        if (m->mask >> lane & 1 && bytes && (m->addr[lane] & 0xfff) + 4 > 0x1000)
            return false;
    }
    return true;
}

/* Whether the second of two WRITEs, of the next register, comes together with the first. */
static bool is_pair(const record *a, const record *b) {
    return a->h.kind == KARAT_REC_WRITE && b->h.kind == KARAT_REC_WRITE && a->h.sm == b->h.sm &&
           a->h.slot == b->h.slot && a->h.epoch == b->h.epoch && a->h.cycle == b->h.cycle &&
           a->write.seq == b->write.seq && a->write.match == b->write.match && a->write.cls == b->write.cls &&
           a->write.mask == b->write.mask && a->write.regno + 1 == b->write.regno &&
           (a->write.cls || a->write.regno);
}

static void make_pair(record *a, const record *b) {
    record pair;
    memset(&pair, 0, sizeof pair);
    memcpy(&pair.write, &a->write, offsetof(karat_rec_write, data));
    pair.h.kind = KARAT_REC_PAIR;
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++)
        pair.pair.data[lane] = a->write.data[lane] | (uint64_t)b->write.data[lane] << 32;
    *a = pair;
}

/* That run as a core with ACCESS and PAIR reports it. False: it cannot. *pairs: those that it has. */
static bool widen(stream *s, uint32_t *pairs) {
    karat_rec_hello *h = &s->at[0].hello;
    if (h->gives >> KARAT_REC_MEM & 1)
        h->gives = (h->gives & ~(1u << KARAT_REC_MEM)) | 1u << KARAT_REC_ACCESS;
    if (h->gives >> KARAT_REC_WRITE & 1)
        h->gives |= 1u << KARAT_REC_PAIR;
    s->at[s->num - 1].bye.records = 0;
    for (size_t i = 0; i < s->num; i++) {
        record wide;
        if (s->at[i].h.kind == KARAT_REC_MEM) {
            if (!as_access(&s->at[i], &wide))
                return false;
            s->at[i] = wide;
        }
        if (i + 1 < s->num && is_pair(&s->at[i], &s->at[i + 1])) {
            make_pair(&s->at[i], &s->at[i + 1]);
            stream_remove(s, i + 1);
            ++*pairs;
        }
    }
    return true;
}

/* The verdict's kind, in parentheses, or the whole line up to the counts of words. */
static void same_verdict(uint64_t seed, const stream *narrow, const stream *wide) {
    scoped_outcome a = judge(narrow), b = judge(wide);
    const char *kind_a = json_string_value(json_object_get(json_object_get(a.json, "failure"), "kind")),
               *kind_b = json_string_value(json_object_get(json_object_get(b.json, "failure"), "kind"));
    if (a.verdict != b.verdict || !kind_a != !kind_b || (kind_a && strcmp(kind_a, kind_b) != 0) ||
        (!kind_a && strcmp(a.line, b.line) != 0))
        fail_msg("seed %" PRIu64 ":\n%s\n%s\n%s", seed, a.line, b.line, b.text);
    outcome_free(&b);
}

/* One bit of a MEM or WRITE, but for its header. */
static void damage(rng *r, stream *s) {
    for (uint32_t tries = 0; tries < 1000; tries++) {
        record *x = &s->at[rng_below(r, (uint32_t)s->num)];
        if (x->h.kind != KARAT_REC_MEM && x->h.kind != KARAT_REC_WRITE)
            continue;
        const uint32_t size = (uint32_t)karat_rec_size(x->h.kind) - 16;
        ((uint8_t *)x)[16 + rng_below(r, size)] ^= (uint8_t)(1u << rng_below(r, 8));
        return;
    }
}

TEST(says_the_same) {
    uint32_t pairs = 0;
    for (uint64_t seed = 1; seed <= share_of(120); seed++) {
        rng r = {seed * 31};
        program p = {.num = 0};
        put_everything(&p, &r, 6, seed & 1);
        core_options o = core_random(seed);
        o.uncounted = true;
        scoped_stream narrow = run_program(&p, &o), wide = stream_copy(&narrow);
        assert_true(widen(&wide, &pairs));
        same_verdict(seed, &narrow, &wide);
        for (uint32_t n = 0; n < 4; n++) {
            scoped_stream broken = stream_copy(&narrow);
            damage(&r, &broken);
            stream_free(&wide);
            wide = stream_copy(&broken);
            if (widen(&wide, &pairs))
                same_verdict(seed, &broken, &wide);
        }
        stream_free(&wide);
    }
    assert_true(pairs > share_of(100)); /* Groups of two registers */
}

TEST(as_hello_says) {
    FIXTURE;
    const size_t mem = nth(&s, KARAT_REC_MEM, 0);
    record access;
    assert_true(as_access(&s.at[mem], &access));
    s.at[mem] = access;
    SAYS(&s, STREAM, "access, which HELLO says the core does not provide");
    s.at[0].hello.gives |= 1u << KARAT_REC_ACCESS;
    PASSES(&s);
    s.at[0].hello.gives &= ~(1u << KARAT_REC_MEM);
    SAYS(&s, STREAM, "mem, which HELLO says the core does not provide");
}

/* A core that provides ACCESS and PAIR alone is asked for the same as one with MEM and WRITE. */
TEST(pending) {
    uint32_t pairs = 0;
    FIXTURE;
    assert_true(widen(&s, &pairs));
    PASSES(&s);
    scoped_outcome o = judge(&s);
    assert_non_null(strstr(o.line, "=audit,mem-order,final-memory "));
    assert_true(count_of(&o, "mem") > 0);
    outcome_free(&o);
    size_t issue = issue_of(&s, 0, "vlw12_v", 0), access = of(&s, issue, KARAT_REC_ACCESS, 0);
    record was = s.at[access];
    stream_remove(&s, access);
    FAILS(&s, MEM_MISSING, &s.at[issue]);
    stream_insert(&s, access, &was);
    s.at[access].access.phys[1] ^= 64;
    FAILS(&s, MEM_ADDRESS, &s.at[issue]);
    o = judge(&s);
    assert_string_equal(json_string_value(json_object_get(
                            json_object_get(json_object_get(o.json, "failure"), "record"), "kind")),
                        "access"); /* As the core has sent it */
    s.at[access] = was;
    s.at[access].access.bytes[1] = 0;
    FAILS(&s, MEM_LANES, &s.at[issue]);
    s.at[access] = was;
    s.at[access].access.phys[1] = DATA_BASE + 0xffd; /* Four bytes from there on are in two pages */
    SAYS(&s, STREAM, "access: field bytes is out of range");
    s.at[access] = was;
    stream_insert(&s, access, &was);
    FAILS(&s, MEM_DUPLICATE, &s.at[issue]);
}

/* Results of a group: two registers in one record, of which either may be wrong. */
TEST(pair_registers) {
    program p = begin_program("vsetvli 17 0 0xd1; vmv_v_i 18 3; endprg");
    core_options o = one_warp_options();
    o.gives |= 1u << KARAT_REC_PAIR;
    o.audit_percent = 0;
    scoped_stream s = run_program(&p, &o);
    PASSES(&s);
    const size_t issue = issue_of(&s, 0, "vmv_v_i", 1), pair = of(&s, issue, KARAT_REC_PAIR, 0);
    const record was = s.at[pair];
    assert_int_equal(was.pair.regno, 18);
    s.at[pair].pair.data[2] ^= 1;
    FAILS(&s, WRITE_VALUE, &s.at[issue]);
    SAYS(&s, WRITE_VALUE, "v18");
    s.at[pair] = was;
    s.at[pair].pair.data[2] ^= UINT64_C(1) << 32;
    SAYS(&s, WRITE_VALUE, "v19");
    s.at[pair] = was;
    s.at[pair].pair.regno = 17;
    FAILS(&s, WRITE_REGISTER, &s.at[issue]);
    s.at[pair].pair.regno = KARAT_NUM_V - 1;
    SAYS(&s, WRITE_REGISTER, "class 1 register 256 does not exist");
    s.at[pair] = was;
    s.at[pair].pair.mask ^= 1;
    FAILS(&s, WRITE_MISSING, &s.at[issue]);
    s.at[pair] = was;
    stream_insert(&s, pair, &was);
    FAILS(&s, WRITE_DUPLICATE, &s.at[issue]);
}

/* An ACCESS takes further bytes of a lane from its first one on, and none below it. */
TEST(bytes_of_a_lane) {
    static const struct {
        uint64_t addr;
        bool fits;
    } second[] = {{0x90000104, true},  {0x9000010c, true},  {0x90000110, false}, {0x90000100, false},
                  {0x900000fc, false}, {0x900000f0, false}, {0x90000ffc, false}};
    for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
        static karat_mem mem = {.op = KARAT_STORE, .shape = KARAT_SHAPE_EACH, .num = 2};
        mem.access[0] = (karat_access){.addr = 0x90000100, .value = 0x01020304, .lane = 3, .bytes = 4};
        mem.access[1] = (karat_access){.addr = second[i].addr, .value = 0x05060708, .lane = 3, .bytes = 4};
        karat_rec_access r, before;
        memset(&r, 0, sizeof r);
        assert_true(karat_retire_wide(&mem, 0, 0, 4, false, &r));
        before = r;
        assert_int_equal(karat_retire_wide(&mem, 1, 0, 4, false, &r), second[i].fits);
        assert_int_equal(memcmp(&r, &before, sizeof r) != 0, second[i].fits);
    }
}

RUN_TESTS("access_pair")
