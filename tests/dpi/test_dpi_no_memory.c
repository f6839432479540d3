/* Every allocation of the checker and of the port fails once: there is a clear verdict, or nothing is
 * made, and nothing is left allocated. Allocations are counted by --wrap.
 *
 * Private things of the checker that are used here:
 *
 *   functions: mcm_evicted_kernel(), mcm_summary_of(), mcm_may_be_evicted(), mcm_summarise(),
 *     mcm_log_add(), mcm_ring_at();
 *     karat_exclude_warp(), karat_put_in(), karat_bridge_host_writes(), karat_bridge_left()
 *   of karat_checker: done, mcm, num_failed, num_excluded, num_mismatches, slots
 *   types and sizes: karat_mcm, slot; MCM_MAX_SUMMARY, MCM_NUM_LOG */
#include "../no_memory.h"
#include "core_desc.h"
#include "inside.h"
#include "port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lack of memory is said as that, and not as a stream that is bad. */
static void expect_message(const karat_checker *c) {
    char line[1024];
    karat_checker_line(c, line, sizeof line);
    assert_int_equal(karat_checker_verdict(c), KARAT_BAD_INPUT);
    assert_non_null(strstr(line, "karat: BAD INPUT (not enough memory) "));
}

/* The stream once with allocation n failing. Returns whether there is no such one any more. */
static bool replay_without(const stream *s, long n) {
    const long before = live;
    karat_check_config config = bounded_config();
    if (s->at[0].hello.mem_order == KARAT_ORDER_PERFORMED)
        config.strict = KARAT_STRICT_RACES | KARAT_STRICT_SCALARS;
    fail_at = n;
    karat_checker *c = karat_checker_create(&config);
    for (size_t i = 0; c && i < s->num; i++)
        if (karat_checker_record(c, &s->at[i], karat_rec_size(s->at[i].h.kind)))
            break;
    const bool all = fail_at != 0;
    fail_at = 0;
    const bool compares = s->at[0].hello.gives & 1u << KARAT_REC_WRITE; /* Otherwise nothing is */
    if (all)
        assert_int_equal(karat_checker_verdict(c), compares ? KARAT_PASS : KARAT_INCOMPLETE);
    else if (c && !(c->mcm && c->mcm->evicted.lost)) /* Else some words of an earlier kernel are not known */
        expect_message(c);
    karat_checker_destroy(c);
    assert_int_equal(live, before);
    return all;
}

/* Nothing that the checker allocates is left at its end. */
TEST(blocks_of_a_checker) {
    scoped_stream s = fixture();
    karat_check_config config = judge_config();
    config.model.lds_pool = 1u << 16; /* Each byte is cleared by hand */
    guarded = true;
    karat_checker *c = karat_checker_create(&config);
    assert_non_null(c);
    for (size_t i = 0; i < s.num; i++)
        karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
    assert_int_equal(karat_checker_verdict(c), KARAT_PASS);
    karat_checker_destroy(c);
    guarded = false;
    assert_int_equal(num_blocks, 0);
}

/* Each allocation fails once where a warp is excluded. */
TEST(beyond_the_first) {
    scoped_stream s = fixture();
    s.at[of(&s, issue_of(&s, 0, "vadd_vx", 2), KARAT_REC_WRITE, 0)].write.data[1] ^= 1;
    s.at[of(&s, issue_of(&s, 1, "vadd_vx", 2), KARAT_REC_WRITE, 0)].write.data[1] ^= 1;
    bool all = false;
    for (long n = 1; !all; n++) {
        const long before = live;
        karat_check_config config = judge_config();
        config.max_failures = 3;
        fail_at = n;
        karat_checker *c = karat_checker_create(&config);
        for (size_t i = 0; c && i < s.num && !c->done; i++)
            karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
        all = fail_at != 0;
        fail_at = 0;
        assert_true(!c || karat_checker_verdict(c) == KARAT_BAD_INPUT ||
                    karat_checker_verdict(c) == KARAT_MISMATCH);
        assert_true(!all || c->num_failed > 1);
        karat_checker_destroy(c);
        assert_int_equal(live, before);
    }
}

/* Each allocation fails once where the comparison goes on after a wrong address: it ends there, with what
 * was found. */
TEST(behind_a_wrong_address) {
    scoped_stream s = fixture();
    size_t mem = 0;
    while (s.at[mem].h.kind != KARAT_REC_MEM || s.at[mem].mem.op != KARAT_MEM_STORE)
        mem++;
    s.at[mem].mem.addr[__builtin_ctz(s.at[mem].mem.mask)] += 0x1000;
    bool all = false, ended = false;
    for (long n = 1; !all; n++) {
        karat_check_config config = judge_config();
        config.keep_going = true;
        fail_at = n;
        scoped_checker *c = karat_checker_create(&config);
        for (size_t i = 0; c && i < s.num && !c->done; i++) {
            const uint64_t found = c->num_mismatches;
            const bool short_before = !fail_at;
            karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
            ended |= i == mem && !short_before && !fail_at && c->done && c->num_mismatches > found;
        }
        all = fail_at != 0;
        fail_at = 0;
        assert_true(!c || karat_checker_verdict(c) == KARAT_BAD_INPUT ||
                    karat_checker_verdict(c) == KARAT_MISMATCH);
        if (c && c->num_mismatches) /* Nothing else is wrong because of it */
            assert_int_equal(c->num_mismatches, 1);
    }
    assert_true(ended);
}

static void check_all(stream *s) {
    long n = 1;
    while (!replay_without(s, n))
        n++;
    assert_true(n > 10);
    stream_free(s);
}

TEST(legal_stream) {
    stream s = fixture();
    check_all(&s);
}

TEST(translated_stream) {
    core_options o = fixture_options();
    o.sv39 = true;
    o.gives = GIVES_SV39;
    stream s = run_fixture(&o);
    check_all(&s);
}

/* No record reports the stored value. */
TEST(doubtful_memory) {
    program p = begin_program("vfexp_v 9 1 1; vsw12_v 9 0 3; endprg");
    core_options o = core_default();
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_READ | 1u << KARAT_REC_MEM);
    stream s = run_program(&p, &o);
    check_all(&s);
}

TEST(unknown_registers) {
    core_options o = fixture_options();
    o.regs = KARAT_REGS_UNKNOWN;
    o.max_delay = 4;
    stream s = run_fixture(&o);
    check_all(&s);
}

/* The next warp of a slot inherits its room for steps that wait. */
TEST(waits_over_launches) {
    program p = begin_program("");
    put(&p, "vadd_vv", 8, 20, 21, 1); /* Never written: what they hold is known by READs */
    put0(&p, "endprg");
    core_options o = core_default();
    o.regs = KARAT_REGS_UNKNOWN;
    o.uncounted = true;
    o.num_warp = o.wg_size = 1;
    o.workgroups = 3;
    scoped_stream s = run_program(&p, &o);
    for (long n = 1; !replay_without(&s, n); n++)
        ;
    const karat_check_config config = judge_config();
    const long before = live;
    karat_checker *c = karat_checker_create(&config);
    unsigned taken_over = 0;
    for (size_t i = 0; i < s.num; i++) {
        if (s.at[i].h.kind == KARAT_REC_LAUNCH)
            taken_over += c->slots[s.at[i].h.slot].waiting != NULL;
        karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind));
    }
    assert_true(taken_over > 0);
    karat_checker_destroy(c);
    assert_int_equal(live, before);
}

/* Many words of atomics, and many regions; one word is the first of the table, and another kernel begins
 * with none. */
TEST(tables_grow) {
    mcm_place first = {.addr = DATA_BASE + 0x1000};
    while (mcm_hash(&first) % 512)
        first.addr += 4;
    assert_true(first.addr < DATA_BASE + DATA_SIZE);
    for (uint32_t i = 0; i < 2; i++) {
        program p = begin_program("addi 13 7 1");
        const uint32_t page = ((uint32_t)first.addr + 0x800) >> 12;
        put(&p, "lui", 14, (int32_t)page);
        put(&p, "addi", 14, 14, (int32_t)((uint32_t)first.addr - (page << 12)));
        put(&p, "amoadd_w", 18, 13, 14, 0);
        for (unsigned k = 0; k < 130; k++) {
            put_code(&p, "amoadd_w 18 13 10 0; addi 10 10 4");
        }
        put0(&p, "endprg");
        core_options o = core_default();
        o.uncounted = true;
        o.workgroups = 1;
        o.wg_size = 1;
        o.kernels = 2;
        stream s = run_program(&p, &o);
        s.at[0].hello.mem_order = i ? KARAT_ORDER_PERFORMED : KARAT_ORDER_NONE;
        size_t kernel = nth(&s, KARAT_REC_KERNEL, 0);
        for (uint32_t k = 0; k < 20; k++) {
            record region = {.region = {.h = {.kind = KARAT_REC_REGION, .cycle = s.at[kernel].h.cycle},
                                        .base = 0xb0000000u + 0x2000 * k,
                                        .size = 0x1000}};
            stream_insert(&s, kernel, &region);
            kernel++;
        }
        s.at[kernel].kernel.num_region += 20;
        check_all(&s);
    }
}

static bool never_stops(void *context, const void *record, size_t size) {
    (void)record, (void)size;
    ++*(unsigned *)context;
    return false;
}

TEST(port) {
    for (long n = 1;; n++) {
        const long before = live;
        unsigned delivered = 0;
        fail_at = n;
        karat_port *port = karat_port_create(2);
        bool fits = port != NULL;
        if (port) {
            karat_rec_mem r;
            memset(&r, 0, sizeof r);
            r.h.kind = KARAT_REC_MEM;
            assert_true(karat_port_add_sink(port, never_stops, &delivered));
            for (unsigned i = 0; i < 300; i++)
                karat_port_receive(port, &r);
            fits = !karat_port_stopped(port);
            karat_port_flush(port);
            assert_int_equal(delivered == 300, fits);
        }
        const bool all = fail_at != 0;
        fail_at = 0;
        karat_port_destroy(port);
        assert_int_equal(live, before);
        assert_int_equal(all, fits);
        if (all)
            break;
        assert_true(n < 20);
    }
}

TEST(description) {
    static const char text[] = "{\n\"core\": \"x\", \"ulp\":\n{\"vfexp.v\": 1}}";
    char path[] = "karat_core_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    for (long n = 1;; n++) {
        const long before = live;
        karat_diag diag = {""};
        fail_at = n;
        karat_core_desc *d = karat_core_desc_load(path, &diag);
        const bool all = fail_at != 0;
        fail_at = 0;
        assert_int_equal(d != NULL, all);
        karat_core_desc_free(d);
        assert_int_equal(live, before);
        if (all)
            break;
        char text[100]; /* The bounds have a place */
        snprintf(text, sizeof text, n == 3 ? "%s:2: out of memory" : "%s: out of memory", path);
        assert_string_equal(diag.text, text);
        assert_true(n < 4);
    }
    close(fd);
    unlink(path);
    karat_core_desc_free(NULL);
}

/* Without room for what an excluded warp may have stored none is excluded. */
TEST(nothing_is_excluded) {
    scoped_stream s = fixture();
    cut(&s, nth(&s, KARAT_REC_ISSUE, 0));
    karat_check_config config = judge_config();
    config.max_failures = 3;
    scoped_checker *c = replay(&s, &config);
    fail_at = 1;
    assert_false(karat_put_in(&c->tainted_memory, DATA_BASE, 4));
    fail_at = 1;
    assert_false(karat_exclude_warp(c, &c->slots[0], NULL, NULL));
    fail_at = 0;
    assert_false(c->slots[0].excluded || c->num_excluded);
    assert_true(karat_put_in(&c->tainted_memory, DATA_BASE, 4) &&
                karat_exclude_warp(c, &c->slots[0], NULL, NULL));
    assert_true(c->slots[0].excluded && c->num_excluded == 1);
}

/* A checker in whose kernel nothing happens, of a core that does not report MEM's order. */
static karat_checker *idle(void) {
    program p = {.num = 0};
    put0(&p, "endprg");
    const core_options o = core_default();
    stream s = run_program(&p, &o);
    karat_check_config config = judge_config();
    config.model.lds_pool = 1u << 16;
    karat_checker *c = replay(&s, &config);
    stream_free(&s);
    c->mcm->core.reports_order = c->mcm->core.coherent = c->mcm->core.ascending = false;
    mcm_evicted_kernel(c->mcm, true);
    return c;
}

/* A warp's write to word n is forgotten. */
static void forget_write(karat_checker *c, uint32_t n, uint32_t uid) {
    mcm_part part = {.addr = 4 * (uint64_t)n, .old = 1, .value = 2, .bytes = 4};
    mcm_summarise(
        c->mcm, &(mcm_event){
                    .at = {.uid = uid, .step = 1 + 2 * n + uid}, .kind = MCM_STORE, .num = 1, .part = &part});
}

/* The table of forgotten writes grows when three quarters of it are used, and to its limit. Where it
 * cannot, what it held is there still, and nothing is known of other words. */
TEST(forgotten_without_room) {
    enum { WORDS = 5000 };
    scoped_checker *c = idle();
    karat_mcm *o = c->mcm;
    const mcm_moment other = {.uid = 2, .step = 1000000};
    uint32_t room = 0;
    for (uint32_t n = 0; n < WORDS; n++) {
        const bool grows = 4 * (n + 1) > 3 * room;
        fail_at = 1;
        forget_write(c, n, 0);
        assert_int_equal(fail_at, !grows);
        fail_at = 0;
        assert_int_equal(o->evicted.lost, grows);
        if (grows) {
            assert_int_equal(o->evicted.words.room, room);
            assert_int_equal(o->evicted.words.used, n);
            assert_int_equal(mcm_may_be_evicted(o, (mcm_place){.addr = 4 * WORDS}, &other, 1), MCM_UNKNOWN);
            o->evicted.lost = false;
            forget_write(c, n, 0);
            room = room ? 2 * room : 256;
        }
        assert_false(o->evicted.lost);
        assert_int_equal(o->evicted.words.room, room);
        assert_int_equal(o->evicted.words.used, n + 1);
    }
    for (uint32_t n = 0; n < WORDS; n++)
        assert_int_equal(mcm_may_be_evicted(o, (mcm_place){.addr = 4 * (uint64_t)n}, &other, 1), MCM_ALLOWED);

    mcm_evicted_kernel(o, true);
    uint32_t num = 0; /* Which of them was the last is not known: the next kernel has them still */
    for (; num < 700 || !((mcm_summary *)o->evicted.words.at)->bytes; num++) {
        forget_write(c, num, 0);
        forget_write(c, num, 1);
    }
    assert_true(num <= 768);
    mcm_evicted_kernel(o, false);
    assert_int_equal(o->evicted.words.used, num);
    assert_false(o->evicted.lost);
    fail_at = 1;
    mcm_evicted_kernel(o, false);
    assert_int_equal(fail_at, 0);
    assert_int_equal(o->evicted.words.used, 0);
    assert_true(o->evicted.lost);
    mcm_evicted_kernel(o, true);
    assert_false(o->evicted.lost);

    o->evicted.words.room = MCM_MAX_SUMMARY / 2;
    o->evicted.words.used = 3 * (MCM_MAX_SUMMARY / 8);
    o->evicted.words.at = calloc(o->evicted.words.room, sizeof(mcm_summary));
    assert_non_null(o->evicted.words.at);
    forget_write(c, 1, 0);
    assert_int_equal(o->evicted.words.room, MCM_MAX_SUMMARY);
    assert_false(o->evicted.lost);
    o->evicted.words.used = 3 * (MCM_MAX_SUMMARY / 4);
    forget_write(c, 2, 0);
    assert_int_equal(o->evicted.words.room, MCM_MAX_SUMMARY);
    assert_int_equal(o->evicted.words.used, 3 * (MCM_MAX_SUMMARY / 4));
    assert_true(o->evicted.lost);
    assert_null(mcm_summary_of(o, (mcm_place){.addr = 8}));
}

/* All that the log holds are writes to one byte, by all lanes twice; and its last entry is the host's. */
TEST(log_of_one_byte) {
    guarded = true;
    karat_checker *c = idle();
    karat_mcm *o = c->mcm;
    mcm_ring *r = &o->log.writes;
    char text[400];
    bool lanes;
    r->first = r->num;
    for (uint32_t n = 0; n < MCM_NUM_LOG; n++) {
        mcm_part part[2 * KARAT_MAX_THREAD];
        for (uint32_t k = 0; k < r->room_part; k++)
            part[k] = (mcm_part){.addr = DATA_BASE, .value = n == MCM_NUM_LOG - 1, .bytes = 1};
        mcm_event e = {.at = {.step = 1 + n},
                       .kind = MCM_STORE,
                       .num = r->room_part,
                       .low = DATA_BASE,
                       .high = DATA_BASE + 1,
                       .part = part};
        mcm_log_add(o, &e);
    }
    assert_true(karat_bridge_left(c, DATA_BASE, 1, &lanes, text, sizeof text));
    uint8_t bytes[2 * KARAT_MAX_THREAD] = {0};
    const uint64_t last = r->num + r->mask - (r->num & r->mask); /* Of the ring's places */
    r->first = r->num = last;
    karat_bridge_host_writes(c, DATA_BASE, bytes, r->room_part);
    assert_int_equal(r->num, last + 1);
    assert_int_equal(mcm_ring_at(r, last)->num, r->room_part);
    karat_checker_destroy(c);
    guarded = false;
    assert_int_equal(num_blocks, 0);
}

TEST(nothing_to_destroy) {
    karat_checker_destroy(NULL);
    karat_port_destroy(NULL);
    mcm_destroy(NULL);
}

RUN_TESTS("no memory")
