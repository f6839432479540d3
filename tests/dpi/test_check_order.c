/* What loads and atomics of two warps may see of each other: every legal order passes, and is counted; every other
 * one fails.
 *
 * A scene is a program for each of two warps of a workgroup and an order in which things happen: issue() takes a
 * warp's next instruction, perform() says that a memory access of it was performed, result() that its register was
 * written, with that value. */
#include "judge.h"
#include "order.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

#define SHARED      (DATA_BASE + 0x3000) /* in x20 */
#define FLAG        4
#define MAX_PENDING 96

typedef struct access {
    uint32_t seq;
    karat_commit commit;
} access;

typedef struct scene {
    uint32_t left, mask; /* what memory holds at the end, of these bits of SHARED; 0: CONTENTS does not say */
    program p;
    stream s;
    karat_model *model;
    uint64_t cycle;
    struct {
        uint32_t seq, num;
        access pending[MAX_PENDING]; /* memory instructions, in order of issue */
    } warp[2];
} scene;

static uint32_t mem_order;

#define PROPS (KARAT_PROP_FLUSHED | KARAT_PROP_COHERENT)
static uint32_t props = PROPS;

static uint32_t strict; /* KARAT_STRICT_* */
static bool without_writes;
static uint32_t failures = 1;

/* What the core tells of AMOs besides their results: MEM with what they wrote, MEM alone, nothing. */
static enum { TELLS_DATA, TELLS_MEM, TELLS_NOTHING } tells;

static void add(scene *t, const record *r) {
    say(&t->s, &t->cycle, r);
}

static void issue(scene *t, uint32_t warp) {
    access a = {.seq = t->warp[warp].seq++};
    assert_int_equal(karat_step(t->model, warp, &a.commit), KARAT_OK);
    say_step(&t->s, &t->cycle, warp, a.seq, &a.commit, 3);
    if (a.commit.has_mem) {
        assert_true(t->warp[warp].num < MAX_PENDING);
        t->warp[warp].pending[t->warp[warp].num++] = a;
    }
}

/* The nth memory instruction of a warp is performed; stored: what it writes, where it does. */
static void perform_as(scene *t, uint32_t warp, uint32_t n, uint8_t op, uint32_t stored) {
    const access *a = &t->warp[warp].pending[n];
    assert_true(n < t->warp[warp].num);
    record r = make_record(warp, KARAT_REC_MEM, a->seq);
    r.mem.op = op;
    r.mem.mask = 1;
    r.mem.addr[0] = (uint32_t)a->commit.mem.access[0].addr;
    r.mem.bytes[0] = (uint8_t)((1u << a->commit.mem.access[0].bytes) - 1);
    r.mem.data[0] = stored;
    r.mem.no_data = op == KARAT_MEM_AMO && tells != TELLS_DATA;
    if (tells != TELLS_NOTHING)
        add(t, &r);
}

static void perform(scene *t, uint32_t warp, uint32_t n) {
    const karat_mem *m = &t->warp[warp].pending[n].commit.mem;
    perform_as(t, warp, n, m->op, m->op == KARAT_LOAD ? 0 : m->access[0].value);
}

/* The nth memory instruction's result is written. */
static void result(scene *t, uint32_t warp, uint32_t n, uint32_t value) {
    const access *a = &t->warp[warp].pending[n];
    record r = make_record(warp, KARAT_REC_WRITE, a->seq);
    r.write.regno = a->commit.write[0].reg;
    r.write.mask = 1;
    r.write.data[0] = value;
    add(t, &r);
}

/* Both warps up to their parts. */
static void begin(scene *t) {
    put0(&t->p, "endprg");
    core_options o = core_default();
    o.workgroups = 1;
    o.num_warp = 2;
    o.audit_percent = 0;
    o.uncounted = true;
    o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_AUDIT | 1u << KARAT_REC_CSR);
    if (tells == TELLS_NOTHING)
        o.gives &= ~(1u << KARAT_REC_MEM);
    t->model = say_launches(&t->s, &t->cycle, NULL, &t->p, &o);
    t->s.at[0].hello.mem_order = (uint8_t)mem_order;
    t->s.at[0].hello.props = props;
}

/* Issue up to and including the next instruction of that row. Returns the number of the memory instruction. */
static uint32_t take(scene *t, uint32_t warp, const char *row) {
    const int want = karat_find_row(row);
    assert_int_not_equal(want, KARAT_NO_ROW);
    for (;;) {
        karat_warp_view view;
        karat_insn insn;
        uint32_t word;
        assert_int_equal(karat_view(t->model, warp, &view), KARAT_OK);
        assert_true(view.live);
        karat_read(t->model, view.pc, &word, 4);
        issue(t, warp);
        if (karat_decode(KARAT_V202, word, &insn) == want)
            return t->warp[warp].num - 1;
    }
}

/* The sets of a FENCE. */
enum { WRITE = 1, READ = 2 };

typedef struct wanted {
    const char *line;
    int64_t unordered, reordered, sc_failed;
} wanted;
static const wanted pass = {"karat: PASS ", 0, 0, 0}, unordered = {"karat: PASS ", 1, 0, 0};
static const wanted wrong_memory = {"karat: MISMATCH (device memory differs)", 0, 0, 0};
static const wanted wrong_value = {"karat: MISMATCH (wrong value written)", 0, 0, 0};
static const wanted out_of_order = {"karat: MISMATCH (memory access performed out of order)", 0, 0, 0};

/* The stream of a core that gives no WRITE. */
static void leave_out_writes(stream *s) {
    size_t kept = 0;
    for (size_t i = 0; i < s->num; i++)
        if (s->at[i].h.kind != KARAT_REC_WRITE)
            s->at[kept++] = s->at[i];
    s->num = kept;
    s->at[0].hello.gives &= ~(1u << KARAT_REC_WRITE);
}

/* So many other stores come before that record. */
static size_t age_at;
static uint32_t age_by;

static karat_checker *replay_aged(const stream *s, const karat_check_config *config) {
    karat_checker *c = karat_checker_create(config);
    assert_non_null(c);
    for (size_t i = 0; i < s->num && !c->done; i++) {
        if (i == age_at)
            age_log(c, age_by);
        karat_checker_record(c, &s->at[i], karat_rec_size(s->at[i].h.kind));
    }
    return c;
}

/* Whatever is left, and the verdict. */
static outcome judge_scene(scene *t) {
    for (bool live = true; live;) {
        live = false;
        for (uint32_t warp = 0; warp < 2; warp++) {
            karat_warp_view view;
            karat_view(t->model, warp, &view);
            live |= view.live;
            if (view.live && !view.waiting)
                issue(t, warp);
        }
    }
    record r = make_record(0, KARAT_REC_CONTENTS, 0);
    r.contents.addr = SHARED - 8;
    r.contents.length = 16;
    karat_read(t->model, r.contents.addr, r.contents.data, r.contents.length);
    for (uint32_t b = 0; b < 32; b++)
        if (t->mask >> b & 1)
            r.contents.data[8 + b / 8] =
                (uint8_t)((r.contents.data[8 + b / 8] & ~(1u << b % 8)) | (t->left >> b & 1) << b % 8);
    for (int times = 0; t->mask && times < 2; times++)
        add(t, &r); /* what was taken the first time is no news the second */
    r = make_record(0, KARAT_REC_BYE, 0);
    r.bye.reason = KARAT_BYE_DONE;
    add(t, &r);
    karat_check_config config = judge_config();
    config.strict = strict;
    config.max_failures = failures;
    if (without_writes)
        leave_out_writes(&t->s);
    outcome o = conclude(age_by ? replay_aged(&t->s, &config) : replay(&t->s, &config));
    karat_destroy(t->model);
    stream_free(&t->s);
    return o;
}

/* What the checker holds of the word at SHARED so far. */
static void expect_word(const scene *t, uint32_t value, uint32_t num, bool guessed, int line) {
    karat_checker *c = replay(&t->s, NULL);
    const karat_word *w = karat_order_find_word(c->order, (place){.addr = SHARED});
    if (!w || !w->serial || w->serial->value != value || w->serial->num != num ||
        w->serial->guessed != guessed)
        fail_msg("line %d: %x, %u accesses, guessed %u; not %x, %u, %u", line, w ? w->serial->value : 0,
                 w ? w->serial->num : 0, w && w->serial->guessed, value, num, guessed);
    karat_checker_destroy(c);
}

static outcome finish(scene *t, const wanted *want) {
    outcome o = judge_scene(t);
    if (strncmp(o.line, want->line, strlen(want->line)) != 0)
        fail_msg("%s\n%s\nexpected %s", o.line, o.text, want->line);
    if (o.verdict == KARAT_PASS) {
        assert_int_equal(count_of(&o, "unordered"), want->unordered);
        assert_int_equal(count_of(&o, "reordered"), want->reordered);
        assert_int_equal(count_of(&o, "sc_failed"), want->sc_failed);
    }
    return o;
}

static void end(scene *t, const wanted *want) {
    outcome o = finish(t, want);
    outcome_free(&o);
}

/* --- One stores 5 to a word that holds 1, the other loads it --- */

typedef enum between { NOTHING, BARRIERS, FENCES, AQ_RL, AQ, RL } between;

/* At the store, and at the load. */
static scene store_and_load(between how) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&t.p, "addi", 21, 0, 1);
    put(&t.p, "addi", 22, 0, 5);
    put(&t.p, "addi", 23, 20, FLAG);
    uint32_t skip = put_part(&t.p, 0);
    put(&t.p, "sw", 21, 0, 20);
    put(&t.p, "sw", 0, FLAG, 20);
    put(&t.p, "barrier", 0);
    put(&t.p, "sw", 22, 0, 20);
    if (how == FENCES)
        put(&t.p, "fence", 0, 15, 15, 0, 0);
    if (how >= FENCES)
        put(&t.p, "amoswap_w", 24, 21, 23, how == AQ_RL || how == RL ? 1 : 0);
    if (how == BARRIERS)
        put(&t.p, "barrier", 0);
    put_end_part(&t.p, skip, 0);
    skip = put_part(&t.p, 1);
    put(&t.p, "barrier", 0);
    if (how >= FENCES)
        put(&t.p, "lr_w", 25, 23, how == AQ_RL || how == AQ ? 2 : 0);
    if (how == FENCES)
        put(&t.p, "fence", 0, 15, 15, 0, 0);
    if (how == BARRIERS)
        put(&t.p, "barrier", 0);
    put(&t.p, "lw", 26, 0, 20);
    put_end_part(&t.p, skip, 1);
    begin(&t);
    perform(&t, 0, take(&t, 0, "sw"));
    perform(&t, 0, take(&t, 0, "sw"));
    take(&t, 0, "barrier");
    take(&t, 1, "barrier");
    return t;
}

/* The load is issued when the store has been, which is performed before or behind it; what the load gets. */
static void load_behind(between how, bool performed, uint32_t value, const wanted *want) {
    scene t = store_and_load(how);
    uint32_t store = take(&t, 0, "sw"), flag = 0;
    if (performed)
        perform(&t, 0, store);
    if (how >= FENCES) {
        flag = take(&t, 0, "amoswap_w");
        perform(&t, 0, flag);
        result(&t, 0, flag, 0);
        uint32_t lr = take(&t, 1, "lr_w");
        perform(&t, 1, lr);
        result(&t, 1, lr, 1);
    }
    if (how == BARRIERS) {
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
    }
    uint32_t load = take(&t, 1, "lw");
    perform(&t, 1, load);
    result(&t, 1, load, value);
    if (!performed)
        perform(&t, 0, store);
    end(&t, want);
}

static void load_of_a_store_before_it(void **state) {
    (void)state;
    static const between weak[] = {NOTHING, AQ, RL}, strong[] = {BARRIERS, FENCES, AQ_RL};
    mem_order = KARAT_ORDER_PERFORMED;
    for (size_t i = 0; i < 3; i++) {
        load_behind(weak[i], true, 5, &pass);
        load_behind(weak[i], true, 1, &wrong_value); /* it was performed before */
        load_behind(weak[i], false, 1, weak[i] == RL ? &out_of_order : &unordered);
        load_behind(weak[i], false, 2,
                    weak[i] == RL ? &out_of_order : &wrong_value); /* nobody has written that */
        load_behind(strong[i], true, 5, &pass);
        load_behind(strong[i], true, 1, &wrong_value);
        load_behind(strong[i], false, 1, &out_of_order);
    }
    mem_order = KARAT_ORDER_NONE;
    for (size_t i = 0; i < 3; i++) {
        load_behind(weak[i], true, 1, &unordered); /* nobody knows */
        load_behind(weak[i], true, 2, &wrong_value);
    }
    load_behind(BARRIERS, true, 1, &wrong_value);
}

/* A cache that nobody keeps coherent may hold what was there before, until the program orders the two. */
static void stale_in_a_cache(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    for (uint32_t value = 0; value < 6; value++) {
        props = KARAT_PROP_FLUSHED;
        load_behind(NOTHING, true, value, value == 5 ? &pass : value == 1 ? &unordered : &wrong_value);
        load_behind(BARRIERS, true, value, value == 5 ? &pass : &wrong_value);
        props = PROPS;
        load_behind(NOTHING, true, value, value == 5 ? &pass : &wrong_value);
    }
}

/* The load is issued first, performed before or behind the store; what it gets. */
static void load_ahead(bool store_first, uint32_t value, const wanted *want) {
    scene t = store_and_load(NOTHING);
    uint32_t load = take(&t, 1, "lw");
    uint32_t store = take(&t, 0, "sw");
    if (store_first)
        perform(&t, 0, store);
    perform(&t, 1, load);
    if (!store_first)
        perform(&t, 0, store);
    result(&t, 1, load, value);
    end(&t, want);
}

static void load_of_a_store_behind_it(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    load_ahead(true, 5, &unordered);
    load_ahead(true, 1, &wrong_value); /* the model's */
    load_ahead(false, 1, &pass);
    load_ahead(false, 5, &wrong_value);
    mem_order = KARAT_ORDER_NONE;
    load_ahead(false, 5, &unordered);
    load_ahead(false, 6, &wrong_value);
}

/* A load is performed behind the first of many stores, and its result comes when all have been. */
static void load_of_many_stores(void **state) {
    (void)state;
    enum { MANY = 80 };
    for (mem_order = KARAT_ORDER_NONE; mem_order <= KARAT_ORDER_PERFORMED; mem_order++)
        for (uint32_t value = 1; value <= 3; value++) {
            scene t = {.p = {.num = 0}};
            put_prologue(&t.p);
            put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
            put(&t.p, "addi", 21, 0, 1);
            put(&t.p, "addi", 22, 0, 2);
            uint32_t skip = put_part(&t.p, 0);
            put(&t.p, "sw", 21, 0, 20);
            for (uint32_t i = 0; i < MANY; i++)
                put(&t.p, "sw", 22, 0, 20);
            put_end_part(&t.p, skip, 0);
            skip = put_part(&t.p, 1);
            put(&t.p, "lw", 26, 0, 20);
            put_end_part(&t.p, skip, 1);
            begin(&t);
            const uint32_t load = take(&t, 1, "lw");
            perform(&t, 0, take(&t, 0, "sw"));
            perform(&t, 1, load);
            for (uint32_t i = 0; i < MANY; i++)
                perform(&t, 0, take(&t, 0, "sw"));
            result(&t, 1, load, value);
            const bool legal = value == 1 || (value == 2 && mem_order != KARAT_ORDER_PERFORMED);
            end(&t, legal ? &unordered : &wrong_value);
        }
}

/* A load may not get what a barrier orders behind it, wherever its result comes. */
static void load_before_a_barrier(void **state) {
    (void)state;
    for (mem_order = KARAT_ORDER_NONE; mem_order <= KARAT_ORDER_PERFORMED; mem_order++)
        for (uint32_t value = 1; value <= 5; value += 4) {
            scene t = {.p = {.num = 0}};
            put_prologue(&t.p);
            put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
            put(&t.p, "addi", 21, 0, 1);
            put(&t.p, "addi", 22, 0, 5);
            uint32_t skip = put_part(&t.p, 0);
            put(&t.p, "sw", 21, 0, 20);
            put(&t.p, "barrier", 0);
            put(&t.p, "barrier", 0);
            put(&t.p, "sw", 22, 0, 20);
            put_end_part(&t.p, skip, 0);
            skip = put_part(&t.p, 1);
            put(&t.p, "barrier", 0);
            put(&t.p, "lw", 26, 0, 20);
            put(&t.p, "barrier", 0);
            put_end_part(&t.p, skip, 1);
            begin(&t);
            perform(&t, 0, take(&t, 0, "sw"));
            take(&t, 0, "barrier");
            take(&t, 1, "barrier");
            uint32_t load = take(&t, 1, "lw");
            take(&t, 0, "barrier");
            take(&t, 1, "barrier");
            perform(&t, 0, take(&t, 0, "sw"));
            perform(&t, 1, load);
            result(&t, 1, load, value);
            const wanted *by_value = value == 1 ? &pass : &wrong_value;
            end(&t, mem_order == KARAT_ORDER_PERFORMED ? &out_of_order : by_value);
        }
}

/* A warp sees its own stores, and in order. */
static void own_stores(void **state) {
    (void)state;
    for (mem_order = KARAT_ORDER_NONE; mem_order <= KARAT_ORDER_PERFORMED; mem_order++)
        for (uint32_t value = 0; value <= 5; value++) {
            scene t = {.p = {.num = 0}};
            put_prologue(&t.p);
            put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
            put(&t.p, "addi", 21, 0, 1);
            put(&t.p, "addi", 22, 0, 5);
            uint32_t skip = put_part(&t.p, 0);
            put(&t.p, "sw", 21, 0, 20);
            put(&t.p, "sw", 22, 0, 20);
            put(&t.p, "lw", 26, 0, 20);
            put_end_part(&t.p, skip, 0);
            begin(&t);
            uint32_t first = take(&t, 0, "sw"), second = take(&t, 0, "sw"), load = take(&t, 0, "lw");
            perform(&t, 0, first);
            perform(&t, 0, load);
            result(&t, 0, load, value);
            perform(&t, 0, second);
            end(&t, value == 5 ? &pass : &wrong_value);
        }
}

/* --- Atomics --- */

/* Each warp adds to a word that holds 1: warp 0 5, warp 1 6. */
static scene adders(const char *row) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&t.p, "addi", 21, 0, 1);
    put(&t.p, "addi", 22, 7, 5);
    put(&t.p, "bne", 7, 0, 8);
    put(&t.p, "sw", 21, 0, 20);
    put(&t.p, "barrier", 0);
    put(&t.p, row, 26, 22, 20, 0);
    put(&t.p, "barrier", 0);
    put(&t.p, "lw", 27, 0, 20);
    begin(&t);
    perform(&t, 0, take(&t, 0, "sw"));
    take(&t, 0, "barrier");
    take(&t, 1, "barrier");
    return t;
}

/* Every core that gives less than all in the order of performance has to be judged as well as it can be. */
typedef void scenes(void);

static void with_less(scenes *play) {
    for (int less = TELLS_DATA; less <= TELLS_NOTHING; less++)
        for (mem_order = KARAT_ORDER_NONE; mem_order <= KARAT_ORDER_REQUEST; mem_order++) {
            tells = less;
            play();
        }
    tells = TELLS_DATA;
    mem_order = KARAT_ORDER_PERFORMED;
    play();
}

static void two_amos(void) {
    static const struct {
        const char *row;
        uint32_t after_second, after_both; /* performed second, first */
    } ops[] = {{"amoadd_w", 7, 12}, {"amoswap_w", 6, 5}, {"amomaxu_w", 6, 6}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (unsigned wrong = 0; wrong < 6; wrong++) {
            bool lost = wrong == 1, old = wrong == 2, other = wrong == 3, last = wrong == 4;
            if (lost && tells != TELLS_DATA)
                continue;
            scene t = adders(ops[i].row);
            uint32_t first = take(&t, 0, ops[i].row), second = take(&t, 1, ops[i].row);
            perform_as(&t, 1, second, KARAT_MEM_AMO, ops[i].after_second);
            result(&t, 1, second, old ? 6 : 1);
            perform_as(&t, 0, first, KARAT_MEM_AMO, lost ? 1 : ops[i].after_both);
            result(&t, 0, first, other ? 1 : ops[i].after_second);
            take(&t, 0, "barrier");
            take(&t, 1, "barrier");
            for (uint32_t warp = 0; warp < 2; warp++) {
                uint32_t load = take(&t, warp, "lw");
                perform(&t, warp, load);
                result(&t, warp, load, last && warp ? ops[i].after_second + 1 : ops[i].after_both);
            }
            static const wanted reordered = {"karat: PASS ", 0, 2, 0},
                                wrong_data = {"karat: MISMATCH (wrong data stored)", 0, 0, 0};
            outcome o = finish(&t, lost ? &wrong_data : old || other || last ? &wrong_value : &reordered);
            assert_int_equal(strstr(o.line, "amo-data") != NULL, tells == TELLS_MEM);
            outcome_free(&o);
        }
}

static void order_of_amos(void **state) {
    (void)state;
    with_less(two_amos);
}

/* The results come in the order of issue, and only the second shows that the AMOs were performed in the other: the one
 * that came first fits both. A load that races with them gets a value that is in memory in no order, or in one. */
static void amos_that_tell_late(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_NONE;
    tells = TELLS_MEM;
    for (uint32_t value = 5; value < 14; value++)
        for (int read = 0; read < 2; read++) {
            scene t = {.p = {.num = 0}};
            put_prologue(&t.p);
            put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
            put(&t.p, "sw", 0, 0, 20);
            put(&t.p, "addi", 22, 7, 5);
            put(&t.p, "barrier", 0);
            put(&t.p, "amoadd_w", read ? 26 : 0, 22, 20, 0); /* 5 and 6 */
            put(&t.p, "lw", 27, 0, 20);
            put(&t.p, "barrier", 0);
            begin(&t);
            for (uint32_t warp = 0; warp < 2; warp++)
                perform(&t, warp, take(&t, warp, "sw"));
            take(&t, 0, "barrier");
            take(&t, 1, "barrier");
            uint32_t first = take(&t, 0, "amoadd_w"), second = take(&t, 1, "amoadd_w");
            perform_as(&t, 0, first, KARAT_MEM_AMO, 0);
            perform_as(&t, 1, second, KARAT_MEM_AMO, 0);
            if (read) {
                result(&t, 0, first, 6);
                result(&t, 1, second, 0);
            }
            uint32_t load = take(&t, 1, "lw"); /* behind its own AMO */
            perform(&t, 1, load);
            result(&t, 1, load, value);
            load = take(&t, 0, "lw");
            perform(&t, 0, load);
            result(&t, 0, load, 11);
            const wanted fits = {"karat: PASS ", value != 11, read ? 2 : 0, 0};
            end(&t, value == 11 || value == 6 ? &fits : &wrong_value);
        }
    tells = TELLS_DATA;
}

/* What was considered is in the report. */
static void report_names_the_atomics(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_NONE;
    tells = TELLS_MEM;
    scene t = adders("amoadd_w");
    uint32_t first = take(&t, 0, "amoadd_w"), second = take(&t, 1, "amoadd_w");
    perform_as(&t, 1, second, KARAT_MEM_AMO, 0);
    perform_as(&t, 0, first, KARAT_MEM_AMO, 0);
    result(&t, 1, second, 6);
    result(&t, 0, first, 3);
    outcome o = finish(&t, &wrong_value);
    static const char *const lines[] = {
        "it returned 00000003: no order of the accesses to 0x90003000, which held 00000001 before them",
        "    workgroup 0 warp 0 seq ",
        "amoadd.w x26, x22, (x20), issued in cycle ",
        ", returned 00000003\n",
        ", returned 00000006",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(o.text, lines[i]))
            fail_msg("'%s' is not in\n%s", lines[i], o.text);
    outcome_free(&o);
    tells = TELLS_DATA;
}

/* LR and SC of both on a word that holds 1. */
static int32_t sc_register = 26; /* what SCs write their outcome to */

static scene reservers(void) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&t.p, "addi", 21, 0, 1);
    put(&t.p, "addi", 22, 7, 5);
    put(&t.p, "bne", 7, 0, 8);
    put(&t.p, "sw", 21, 0, 20);
    put(&t.p, "barrier", 0);
    put(&t.p, "lr_w", 25, 20, 0);
    put(&t.p, "sc_w", sc_register, 22, 20, 0);
    put(&t.p, "barrier", 0);
    put(&t.p, "lw", 27, 0, 20);
    begin(&t);
    perform(&t, 0, take(&t, 0, "sw"));
    take(&t, 0, "barrier");
    take(&t, 1, "barrier");
    for (uint32_t warp = 0; warp < 2; warp++) {
        uint32_t lr = take(&t, warp, "lr_w");
        perform(&t, warp, lr);
        result(&t, warp, lr, 1);
    }
    return t;
}

/* The two SCs are issued in this order; which of them store in the core, the second before the first. */
static void two_scs(bool first, bool second, const wanted *want) {
    scene t = reservers();
    uint32_t a = take(&t, 0, "sc_w"), b = take(&t, 1, "sc_w");
    if (second)
        perform_as(&t, 1, b, KARAT_MEM_AMO, 6);
    result(&t, 1, b, !second);
    if (first)
        perform_as(&t, 0, a, KARAT_MEM_AMO, 5);
    result(&t, 0, a, !first);
    take(&t, 0, "barrier");
    take(&t, 1, "barrier");
    for (uint32_t warp = 0; warp < 2; warp++) {
        uint32_t load = take(&t, warp, "lw");
        perform(&t, warp, load);
        result(&t, warp, load, first ? 5 : second ? 6 : 1);
    }
    end(&t, want);
}

/* Neither SC stores. The second has found in the model what the first had stored there before it failed; no load may be
 * held to that. */
static void load_between_failures(void) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&t.p, "addi", 22, 7, 5);
    put(&t.p, "lr_w", 25, 20, 0);
    put(&t.p, "sc_w", 26, 22, 20, 0);
    put(&t.p, "lr_w", 27, 20, 0);
    begin(&t);
    uint32_t sc[2], there;
    assert_int_equal(karat_read(t.model, SHARED, &there, 4), KARAT_OK);
    for (uint32_t warp = 0; warp < 2; warp++) {
        uint32_t lr = take(&t, warp, "lr_w");
        perform(&t, warp, lr);
        result(&t, warp, lr, there);
        sc[warp] = take(&t, warp, "sc_w");
    }
    for (uint32_t warp = 0; warp < 2; warp++) {
        result(&t, warp, sc[warp], 1);
        uint32_t lr = take(&t, warp, "lr_w");
        perform(&t, warp, lr);
        result(&t, warp, lr, there);
    }
    outcome o = judge_scene(&t);
    if (o.verdict != KARAT_PASS)
        fail_msg("order %u tells %d: %s\n%s", mem_order, (int)tells, o.line, o.text);
    outcome_free(&o);
}

static void some_scs(void) {
    static const wanted other = {"karat: PASS ", 0, 1, 1}, none = {"karat: PASS ", 0, 0, 1},
                        both = {"karat: MISMATCH (memory access that no instruction owes)", 0, 0, 0};
    two_scs(true, false, &pass);
    two_scs(false, true, &other);
    two_scs(false, false, &none); /* for no reason: legal */
    two_scs(true, true, &both);
    load_between_failures();
}

/* The same where no register tells which have stored: MEM alone does. A load of each gets what that leaves. */
static void scs_without_register(void) {
    if (tells == TELLS_NOTHING)
        return;
    sc_register = 0;
    for (int stored = 0; stored < 4; stored++)
        for (uint32_t value = 0; value < 8; value++) {
            if (!stored && (value == 5 || (value == 6 && mem_order != KARAT_ORDER_PERFORMED)))
                continue; /* when the loads are looked at, MEM might still come */
            scene t = reservers();
            uint32_t sc[2] = {take(&t, 0, "sc_w"), take(&t, 1, "sc_w")};
            for (uint32_t warp = 2; warp-- > 0;)
                if (stored >> warp & 1)
                    perform_as(&t, warp, sc[warp], KARAT_MEM_AMO, 5 + warp);
            take(&t, 0, "barrier");
            take(&t, 1, "barrier");
            for (uint32_t warp = 0; warp < 2; warp++) {
                uint32_t load = take(&t, warp, "lw");
                perform(&t, warp, load);
                result(&t, warp, load, value);
            }
            const uint32_t left = stored == 1 ? 5 : stored == 2 ? 6 : 1;
            outcome o = judge_scene(&t);
            if (o.verdict != (value == left && stored != 3 ? KARAT_PASS : KARAT_MISMATCH))
                fail_msg("order %u tells %d stored %d value %u: %s\n%s", mem_order, (int)tells, stored, value,
                         o.line, o.text);
            if (o.verdict == KARAT_PASS)
                assert_int_equal(count_of(&o, "sc_failed"), stored != 1);
            outcome_free(&o);
        }
    sc_register = 26;
}

static void order_of_silent_scs(void **state) {
    (void)state;
    with_less(scs_without_register);
}

/* SCs with a register of a core that gives no WRITE: MEM alone tells, and what memory holds at the end. */
static void scs_without_writes(void) {
    if (tells == TELLS_NOTHING)
        return;
    for (int stored = 0; stored < 4; stored++)
        for (uint32_t value = 0; value < 8; value++) {
            scene t = reservers();
            uint32_t sc[2] = {take(&t, 0, "sc_w"), take(&t, 1, "sc_w")};
            for (uint32_t warp = 2; warp-- > 0;)
                if (stored >> warp & 1)
                    perform_as(&t, warp, sc[warp], KARAT_MEM_AMO, 5 + warp);
            t.left = value;
            t.mask = 0xffffffffu;
            take(&t, 0, "barrier");
            take(&t, 1, "barrier");
            for (uint32_t warp = 0; warp < 2; warp++)
                perform(&t, warp, take(&t, warp, "lw"));
            /* Both may have stored where the LR that MEM tells of first may have been performed last. */
            const bool legal = stored == 3 ? mem_order != KARAT_ORDER_PERFORMED && (value == 5 || value == 6)
                                           : value == (stored == 1   ? 5
                                                       : stored == 2 ? 6
                                                                     : 1);
            without_writes = true;
            outcome o = judge_scene(&t);
            without_writes = false;
            if (o.verdict != (legal ? KARAT_PASS : KARAT_MISMATCH))
                fail_msg("order %u tells %d stored %d value %u: %s\n%s", mem_order, (int)tells, stored, value,
                         o.line, o.text);
            outcome_free(&o);
        }
}

static void order_of_unwritten_scs(void **state) {
    (void)state;
    with_less(scs_without_writes);
}

static void order_of_scs(void **state) {
    (void)state;
    with_less(some_scs);
}

/* An SC that says it has failed, and has stored; and one without any LR. */
static void lies(void) {
    if (tells == TELLS_NOTHING)
        return; /* nobody says that it has stored */
    scene t = reservers();
    uint32_t sc = take(&t, 0, "sc_w");
    perform(&t, 0, sc);
    result(&t, 0, sc, 1);
    end(&t, &wrong_value);

    t = reservers();
    sc = take(&t, 0, "sc_w");
    result(&t, 0, sc, 0);
    result(&t, 1, take(&t, 1, "sc_w"), 1);
    take(&t, 0, "barrier");
    take(&t, 1, "barrier");
    for (uint32_t warp = 0; warp < 2; warp++) {
        uint32_t load = take(&t, warp, "lw");
        perform(&t, warp, load);
        result(&t, warp, load, 5);
    }
    static const wanted missing = {"karat: MISMATCH (memory access missing)", 0, 0, 0};
    end(&t,
        mem_order == KARAT_ORDER_PERFORMED ? &wrong_value : &missing); /* of a load: it was not there yet */
}

static void scs_that_lie(void **state) {
    (void)state;
    with_less(lies);
}

/* The host writes while warps run: where it stands in the stream, for loads and for AMOs. */
static void host_writes(void **state) {
    (void)state;
    for (mem_order = KARAT_ORDER_NONE; mem_order <= KARAT_ORDER_PERFORMED; mem_order++)
        for (uint32_t value = 5; value <= 10; value++) {
            scene t = adders("amoadd_w"); /* the word holds 1; AMOs of 5 and 6 */
            uint32_t amo = take(&t, 0, "amoadd_w");
            perform(&t, 0, amo);
            result(&t, 0, amo, 1);
            record r = make_record(0, KARAT_REC_HOST, 0);
            r.host.addr = SHARED;
            r.host.length = 1;
            r.host.data[0] = 3; /* 6 before */
            karat_write(t.model, SHARED, r.host.data, 1);
            add(&t, &r);
            amo = take(&t, 1, "amoadd_w");
            perform(&t, 1, amo);
            result(&t, 1, amo, 3);
            take(&t, 0, "barrier");
            take(&t, 1, "barrier");
            for (uint32_t warp = 0; warp < 2; warp++) {
                uint32_t load = take(&t, warp, "lw");
                perform(&t, warp, load);
                result(&t, warp, load, value);
            }
            end(&t, value == 9 ? &pass : &wrong_value);
        }
}

/* --- Stores to one byte --- */

/* Both store to one word, warp 0 first, with or without a barrier between; then both load it. */
static scene storers(bool barrier) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&t.p, "addi", 22, 7, 5);
    if (barrier) {
        put(&t.p, "bne", 7, 0, 12);
        put(&t.p, "sw", 22, 0, 20);
        put(&t.p, "sb", 22, 1, 20);
        put(&t.p, "barrier", 0);
        put(&t.p, "beq", 7, 0, 8);
    }
    put(&t.p, "sh", 22, 0, 20);
    put(&t.p, "barrier", 0);
    put(&t.p, "lhu", 27, 0, 20);
    begin(&t);
    return t;
}

static void load_both(scene *t, uint32_t value) {
    take(t, 0, "barrier");
    take(t, 1, "barrier");
    for (uint32_t warp = 0; warp < 2; warp++) {
        uint32_t load = take(t, warp, "lhu");
        perform(t, warp, load);
        result(t, warp, load, value);
    }
}

/* Racing stores: memory keeps the last that was performed, and both see that. */
static void order_of_stores(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    for (uint32_t value = 5; value <= 7; value++)
        for (int issued_first = 0; issued_first < 2; issued_first++) {
            scene t = storers(false);
            uint32_t a = take(&t, 0, "sh"), b = take(&t, 1, "sh");
            perform(&t, issued_first ? 0 : 1, issued_first ? a : b);
            perform(&t, issued_first ? 1 : 0, issued_first ? b : a);
            load_both(&t, value);
            end(&t, value == (issued_first ? 6 : 5) ? &pass : &wrong_value);
        }
}

/* What is left in memory when the kernel has ended. */
static void left_in_memory(void **state) {
    (void)state;
    static const uint32_t orders[] = {KARAT_ORDER_NONE, KARAT_ORDER_PERFORMED};
    for (uint32_t value = 4; value <= 7; value++)
        for (int o = 0; o < 2; o++)
            for (int how = 0; how < 4;
                 how++) { /* racing, performed in both orders; with a barrier; not flushed */
                mem_order = orders[o];
                props = how == 3 ? KARAT_PROP_COHERENT : PROPS;
                scene t = storers(how == 2);
                if (how == 2) {
                    perform(&t, 0, take(&t, 0, "sw"));
                    perform(&t, 0, take(&t, 0, "sb"));
                    take(&t, 0, "barrier");
                    take(&t, 1, "barrier");
                    perform(&t, 1, take(&t, 1, "sh"));
                } else {
                    uint32_t a = take(&t, 0, "sh"), b = take(&t, 1, "sh");
                    perform(&t, how == 1, how == 1 ? b : a);
                    perform(&t, how != 1, how == 1 ? a : b);
                }
                const bool known = mem_order == KARAT_ORDER_PERFORMED;
                const uint32_t last = known && how == 1 ? 5 : 6;
                const bool either = !known && how < 2 && (value == 5 || value == 6);
                load_both(&t, last);
                t.left = value;
                t.mask = 0xff;
                end(&t, how == 3 || value == last ? &pass : either ? &unordered : &wrong_memory);
            }
    props = PROPS;
}

/* Two lanes of one store write to one word: in ascending order, where the core says that; else in any, which is counted.
 * A load and memory at the end have the value of that lane (2: of none). */
static void order_of_lanes(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    for (int says = 0; says < 2; says++)
        for (int pieces = 0; pieces < 3; pieces++) /* one MEM; two, ascending; descending */
            for (uint32_t stays = 0; stays < 3; stays++) {
                props = PROPS | (says ? KARAT_PROP_ASCENDING : 0);
                scene t = {.p = {.num = 0}};
                put_prologue(&t.p);
                put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
                put(&t.p, "vmv_v_x", 8, 20);
                put(&t.p, "vid_v", 9, 1);
                put(&t.p, "bne", 7, 0, 8);
                put(&t.p, "vsw12_v", 9, 0, 8);
                put(&t.p, "barrier", 0);
                put(&t.p, "lw", 27, 0, 20);
                begin(&t);
                uint32_t store = take(&t, 0, "vsw12_v");
                const karat_mem *m = &t.warp[0].pending[store].commit.mem;
                for (int piece = 0; piece < (pieces ? 2 : 1); piece++) {
                    record r = make_record(0, KARAT_REC_MEM, t.warp[0].pending[store].seq);
                    r.mem.op = KARAT_MEM_STORE;
                    const uint32_t high = 1u << (m->num - 1), all = 2 * high - 1;
                    r.mem.mask = !pieces ? all : (piece == 0) == (pieces == 1) ? all & ~high : high;
                    for (uint32_t k = 0; k < m->num; k++) {
                        r.mem.addr[k] = SHARED;
                        r.mem.bytes[k / 2] |= (uint8_t)(15u << k % 2 * 4);
                        r.mem.data[k] = m->access[k].value;
                    }
                    add(&t, &r);
                }
                const uint32_t highest = m->num - 1;
                const uint32_t value = stays == 0 ? highest : stays == 1 ? highest - 1 : 77;
                take(&t, 0, "barrier");
                take(&t, 1, "barrier");
                for (uint32_t warp = 0; warp < 2; warp++) {
                    uint32_t load = take(&t, warp, "lw");
                    perform(&t, warp, load);
                    result(&t, warp, load, value);
                }
                t.left = value;
                t.mask = 0xffffffffu;
                const bool last = pieces == 2 && !says ? stays == 1 : stays == 0;
                const bool legal = says ? stays == 0 : !pieces ? stays < 2 : last;
                outcome o = finish(&t, says && pieces == 2 ? &out_of_order : legal ? &pass : &wrong_value);
                if (o.verdict == KARAT_PASS)
                    assert_int_equal(count_of(&o, "lane_race") != 0, stays != 0);
                outcome_free(&o);
            }
    props = PROPS;
}

/* A store and a load on both sides of a FENCE with those sets, performed in the other order. */
static void across_fence(int32_t mode, int32_t before, int32_t behind, bool load_first, const wanted *want) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&t.p, "sw", 0, 64, 20);
    uint32_t skip = put_part(&t.p, 0);
    put(&t.p, load_first ? "lw" : "sw", load_first ? 26 : 20, 0, 20);
    put(&t.p, "fence", mode, before, behind, 0, 0);
    put(&t.p, load_first ? "sw" : "lw", load_first ? 20 : 26, 64, 20);
    put_end_part(&t.p, skip, 0);
    begin(&t);
    for (uint32_t warp = 0; warp < 2; warp++)
        perform(&t, warp, take(&t, warp, "sw"));
    uint32_t first = take(&t, 0, load_first ? "lw" : "sw");
    uint32_t second = take(&t, 0, load_first ? "sw" : "lw"), load = load_first ? first : second;
    uint32_t held = 0;
    karat_read(t.model, SHARED + (load_first ? 0 : 64), &held, 4);
    perform(&t, 0, second);
    perform(&t, 0, first);
    result(&t, 0, load, held);
    end(&t, want);
}

static void fences(void) {
    mem_order = KARAT_ORDER_PERFORMED;
    across_fence(0, 15, 15, false, &out_of_order);
    across_fence(0, 15, 15, true, &out_of_order);
    across_fence(0, WRITE, READ, false, &out_of_order);
    across_fence(0, READ, WRITE, true, &out_of_order);
    across_fence(0, READ, READ, false, &pass);
    across_fence(0, WRITE, WRITE, false, &pass);
    across_fence(0, WRITE, WRITE, true, &pass);
    across_fence(0, READ | WRITE, READ, true, &pass);
    across_fence(8, READ | WRITE, READ | WRITE, false, &pass); /* FENCE.TSO lets loads pass stores */
    mem_order = KARAT_ORDER_NONE;
    across_fence(0, 15, 15, false, &pass);
}

/* Stores that the program orders are performed in that order. */
void mem_order_kind(void) {
    fences();
    mem_order = KARAT_ORDER_PERFORMED;
    for (int wrong = 0; wrong < 3; wrong++) {
        scene t = storers(true);
        uint32_t word = take(&t, 0, "sw"), byte = take(&t, 0, "sb");
        if (wrong == 1)
            perform(&t, 0, byte);
        if (wrong != 2)
            perform(&t, 0, word);
        if (!wrong)
            perform(&t, 0, byte);
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
        perform(&t, 1, take(&t, 1, "sh"));
        if (wrong == 2)
            perform(&t, 0, word), perform(&t, 0, byte);
        load_both(&t, 6);
        end(&t, wrong ? &out_of_order : &pass);
    }
    mem_order = KARAT_ORDER_NONE; /* nobody knows */
    scene t = storers(true);
    uint32_t word = take(&t, 0, "sw"), byte = take(&t, 0, "sb");
    perform(&t, 0, byte);
    perform(&t, 0, word);
    take(&t, 0, "barrier");
    take(&t, 1, "barrier");
    perform(&t, 1, take(&t, 1, "sh"));
    load_both(&t, 6);
    end(&t, &pass);
}

/* What was considered is in the report. */
/* The load's value is none of those that the report lists. */
static void names_writes(between how, bool performed, uint32_t value, const char *const lines[], size_t num) {
    scene t = store_and_load(how);
    const uint32_t store = take(&t, 0, "sw");
    if (performed)
        perform(&t, 0, store);
    if (how == BARRIERS) {
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
    }
    const uint32_t load = take(&t, 1, "lw");
    perform(&t, 1, load);
    result(&t, 1, load, value);
    if (!performed)
        perform(&t, 0, store);
    outcome o = finish(&t, &wrong_value);
    for (size_t i = 0; i < num; i++)
        if (!strstr(o.text, lines[i]))
            fail_msg("'%s' is not in\n%s", lines[i], o.text);
    outcome_free(&o);
}

static void report_names_the_writes(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    static const char *const stale[] = {
        "byte 0x90003000: 01 in the core; considered:",
        "05  workgroup 0 warp 0 seq ",
        "01  workgroup 0 warp 0 seq ",
        "not the last before the load",
    };
    names_writes(BARRIERS, true, 1, stale, sizeof stale / sizeof *stale);
    static const char *const early[] = {
        "byte 0x90003000: 02 in the core; considered:",
        "05  workgroup 0 warp 0 seq ",
        "not performed yet; ",
        "01  workgroup 0 warp 0 seq ",
    };
    names_writes(NOTHING, false, 2, early, sizeof early / sizeof *early);
    mem_order = KARAT_ORDER_NONE;
    static const char *const hidden[] = {"01  workgroup 0 warp 0 seq ",
                                         "hidden by a later one that is ordered before the load"};
    names_writes(BARRIERS, true, 1, hidden, sizeof hidden / sizeof *hidden);
}

/* --- What the oracle of test_litmus.c has found --- */

typedef struct insn {
    const char *row;
    int32_t operand[5];
    size_t num;
} insn;
#define INSN(row, ...)                                                                                       \
    { row, {__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / 4 }
#define MAX_INSN 64

/* Two words at x20 hold 1 and 0. Then each warp does its part: x21 is 1, x22 5, x23 the second word's address; lane i has i * 0x101 in
 * v9, and the first word's address in v8. */
static scene two_parts(const insn *first, const insn *second) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&t.p, "addi", 21, 0, 1);
    put(&t.p, "addi", 22, 0, 5);
    put(&t.p, "addi", 23, 20, FLAG);
    put(&t.p, "addi", 24, 0, 0x101);
    put(&t.p, "vmv_v_x", 8, 20);
    put(&t.p, "vmul_vx", 9, 1, 24, 1);
    put(&t.p, "bne", 7, 0, 12);
    put(&t.p, "sw", 21, 0, 20);
    put(&t.p, "sw", 0, FLAG, 20);
    put(&t.p, "barrier", 0);
    for (uint32_t warp = 0; warp < 2; warp++) {
        const insn *list = warp ? second : first;
        uint32_t skip = put_part(&t.p, warp);
        for (uint32_t i = 0; i < MAX_INSN && list[i].row; i++)
            put_row(&t.p, list[i].row, list[i].operand, list[i].num);
        put_end_part(&t.p, skip, warp);
    }
    begin(&t);
    perform(&t, 0, take(&t, 0, "sw"));
    perform(&t, 0, take(&t, 0, "sw"));
    take(&t, 0, "barrier");
    take(&t, 1, "barrier");
    return t;
}

/* Some lanes of a vector store in one MEM. */
static void perform_some(scene *t, uint32_t warp, uint32_t n, uint32_t lanes) {
    const access *a = &t->warp[warp].pending[n];
    record r = make_record(warp, KARAT_REC_MEM, a->seq);
    r.mem.op = KARAT_MEM_STORE;
    for (uint32_t k = 0; k < a->commit.mem.num; k++) {
        if (!(lanes >> k & 1))
            continue;
        r.mem.mask |= 1u << k;
        r.mem.addr[k] = (uint32_t)a->commit.mem.access[k].addr;
        r.mem.bytes[k / 2] |= (uint8_t)(((1u << a->commit.mem.access[k].bytes) - 1) << k % 2 * 4);
        r.mem.data[k] = a->commit.mem.access[k].value;
    }
    add(t, &r);
}

static void perform_lanes(scene *t, uint32_t warp, uint32_t n) {
    perform_some(t, warp, n, UINT32_MAX);
}

/* A warp's older write is performed behind its younger one, and behind another's that was issued between. */
static void overtaken_by_two(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    for (int wrong = 0; wrong < 2; wrong++)
        for (int amo = 0; amo < 2; amo++) {
            const insn store = INSN("sw", 22, 0, 20), add = INSN("amoadd_w", 0, 22, 20, 0);
            const insn first[MAX_INSN] = {amo ? add : store, INSN("sw", 21, 0, 20)};
            const insn second[MAX_INSN] = {INSN("sw", 23, 0, 20)};
            scene t = two_parts(first, second);
            uint32_t old = take(&t, 0, first[0].row), other = take(&t, 1, "sw"), young = take(&t, 0, "sw");
            perform(&t, 1, other);
            if (wrong)
                perform(&t, 0, young);
            perform_as(&t, 0, old, amo ? KARAT_MEM_AMO : KARAT_MEM_STORE,
                       !amo    ? 5
                       : wrong ? 6
                               : SHARED + FLAG + 5);
            if (!wrong)
                perform(&t, 0, young);
            static const wanted reordered = {"karat: PASS ", 0, 1, 0};
            end(&t, wrong ? &out_of_order : amo ? &reordered : &pass);
        }
}

/* What overtakes, what was passed, and what a load may have got are named with their prefixes. */
static void prefixed_are_named(void **state) {
    (void)state;
    enum { OVERTAKES, PASSED, CONSIDERED };
    static const char *const said[] = {" sw x53, 0(x20)  {regext}, which the program orders behind it",
                                       " sw x53, 0(x20)  {regext}, which the FENCE",
                                       " sw x53, 0(x20)  {regext}, issued in cycle "};
    const insn none[MAX_INSN] = {{0}}, prefix = INSN("regext", 0, 1, 0, 0), store = INSN("sw", 21, 0, 20);
    mem_order = KARAT_ORDER_PERFORMED;
    for (int how = OVERTAKES; how <= CONSIDERED; how++) {
        const insn over[MAX_INSN] = {INSN("sw", 22, 0, 20), prefix, store};
        const insn under[MAX_INSN] = {prefix, store, INSN("fence", 0, READ | WRITE, READ | WRITE, 0, 0),
                                      INSN("sw", 22, FLAG, 20)};
        const insn load[MAX_INSN] = {INSN("lw", 27, 0, 20)};
        scene t = two_parts(how == OVERTAKES ? over : under, how == CONSIDERED ? load : none);
        const uint32_t old = how == OVERTAKES ? take(&t, 0, "sw") : take(&t, 0, "regext");
        if (how == CONSIDERED) {
            perform(&t, 0, old);
            const uint32_t n = take(&t, 1, "lw");
            perform(&t, 1, n);
            result(&t, 1, n, 77);
        } else {
            perform(&t, 0, take(&t, 0, how == OVERTAKES ? "regext" : "sw"));
            perform(&t, 0, old);
        }
        outcome o = finish(&t, how == CONSIDERED ? &wrong_value : &out_of_order);
        if (!strstr(o.text, said[how]))
            fail_msg("%s", o.text);
        outcome_free(&o);
    }
}

/* A warp's stores to neighbouring bytes may be performed in any order. */
static void neighbours(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    for (int32_t at = 0; at < 4; at++) {
        const insn first[MAX_INSN] = {INSN("sb", 22, 1, 20), INSN("sb", 22, at, 20)};
        const insn second[MAX_INSN] = {INSN("lw", 27, 0, 20)};
        scene t = two_parts(first, second);
        uint32_t old = take(&t, 0, "sb"), young = take(&t, 0, "sb");
        perform(&t, 0, young);
        perform(&t, 0, old);
        uint32_t load = take(&t, 1, "lw");
        perform(&t, 1, load);
        result(&t, 1, load, ((at ? 1u : 0) | 5u << 8) | 5u << 8 * at);
        end(&t, at == 1 ? &out_of_order : &pass);
    }
}

/* Of two FENCEs between two loads the first orders them; the second alone does not. */
static void any_fence_counts(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    for (int first_one = 0; first_one < 3; first_one++) {
        const insn weak = INSN("fence", 0, first_one == 2 ? 2 : 1, 1, 0, 0),
                   strong = INSN("fence", 0, 2, 2, 0, 0);
        const insn list[MAX_INSN] = {INSN("lw", 25, 0, 20), first_one ? strong : weak, weak,
                                     INSN("lw", 26, FLAG, 20)};
        const insn none[MAX_INSN] = {{0}};
        scene t = two_parts(list, none);
        uint32_t a = take(&t, 0, "lw"), b = take(&t, 0, "lw");
        perform(&t, 0, b);
        perform(&t, 0, a);
        result(&t, 0, a, 1);
        result(&t, 0, b, 0);
        outcome o = finish(&t, first_one ? &out_of_order : &pass);
        assert_true(!first_one || strstr(o.text, ", which the FENCE at 0x80000074 puts before it"));
        outcome_free(&o);
    }
}

/* Two accesses of one warp, the younger performed first, and what is between them: what the report says puts the older one before
 * it; NULL: it may. */
static void put_before(insn older, insn between, insn younger, const char *why) {
    const bool barrier = strcmp(between.row, "barrier") == 0;
    const insn first[MAX_INSN] = {older, between, younger};
    const insn second[MAX_INSN] = {between};
    scene t = two_parts(first, second);
    const uint32_t old = take(&t, 0, older.row);
    if (barrier) {
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
    }
    const uint32_t young = take(&t, 0, younger.row);
    perform(&t, 0, young);
    perform(&t, 0, old);
    for (uint32_t n = old; n <= young; n++)
        if (t.warp[0].pending[n].commit.num_writes)
            result(&t, 0, n, n == old);
    outcome o = finish(&t, why ? &out_of_order : &pass);
    char said[80];
    snprintf(said, sizeof said, ", which %s", why ? why : "");
    if (why && !strstr(o.text, said))
        fail_msg("'%s' is not in\n%s", said, o.text);
    outcome_free(&o);
}

/* Several FENCEs between a store and what is performed before it: the last that orders the two is named, and none of those behind it that do
 * not; nor any where so many come behind that it is not remembered. */
static void names_fences(const insn *between, uint32_t num, bool loads, uint32_t named) {
    insn first[MAX_INSN] = {INSN("sw", 22, 0, 20)};
    const insn none[MAX_INSN] = {{0}};
    memcpy(first + 1, between, num * sizeof *first);
    first[1 + num] = loads ? (insn)INSN("lw", 27, FLAG, 20) : (insn)INSN("sw", 21, FLAG, 20);
    scene t = two_parts(first, none);
    const uint32_t old = take(&t, 0, "sw"), young = take(&t, 0, loads ? "lw" : "sw");
    uint32_t at = 0; /* the first FENCE */
    while (at < t.p.num && (t.p.word[at] & 0x707f) != 0x0f)
        at++;
    perform(&t, 0, young);
    perform(&t, 0, old);
    outcome o = finish(&t, &out_of_order);
    char said[80] = "which a FENCE puts before it";
    if (named < num)
        snprintf(said, sizeof said, "which the FENCE at 0x%08x puts before it", CODE_BASE + 4 * (at + named));
    if (!strstr(o.text, said))
        fail_msg("'%s' is not in\n%s", said, o.text);
    outcome_free(&o);
}

static void fences_that_are_named(void **state) {
    (void)state;
    const insn all = INSN("fence", 0, READ | WRITE, READ | WRITE, 0, 0),
               reads = INSN("fence", 0, READ, READ, 0, 0),
               tso = INSN("fence", 8, READ | WRITE, READ | WRITE, 0, 0);
    mem_order = KARAT_ORDER_PERFORMED;
    names_fences((insn[]){all, reads}, 2, false, 0);
    names_fences((insn[]){reads, all}, 2, false, 1);
    names_fences((insn[]){all, tso}, 2, true, 0); /* which a load passes */
    names_fences((insn[]){all, tso}, 2, false, 1);
    insn many[10] = {all, reads, reads, reads, reads, reads, reads, reads, reads, reads};
    names_fences(many, 8, false, 0);
    names_fences(many, 9, false, 9);
    names_fences(many, 10, false, 10);
}

/* So many AMOs of warp 1, each of which one of warp 0 reads; then the scene goes on as from here. */
static void pair_up(scene *t, int32_t times) {
    const uint32_t done[2] = {t->warp[0].num, t->warp[1].num};
    while (times--) {
        perform(t, 1, take(t, 1, "amoor_w"));
        const uint32_t n = take(t, 0, "amoor_w");
        perform(t, 0, n);
        result(t, 0, n, 1);
        t->warp[0].num = done[0];
        t->warp[1].num = done[1];
    }
}

/* One warp acquires what the other has released, or only reads it, and then releases 'more' times what the other acquires. Of these
 * pairs the last 1024 are remembered; what is forgotten makes no race of what the first one ordered. */
static void many_pairs(int32_t more, bool acquires, const wanted *want) {
    enum { RELAXED, OF_RL, OF_AQ };
    const insn first[MAX_INSN] = {INSN("sw", 22, 0, 20),     INSN("amoor_w", 0, 21, 23, OF_RL),
                                  INSN("addi", 28, 0, more), INSN("amoor_w", 29, 0, 23, OF_AQ),
                                  INSN("addi", 28, 28, -1),  INSN("bne", 28, 0, -8)};
    const insn second[MAX_INSN] = {INSN("amoor_w", 29, 0, 23, acquires ? OF_AQ : RELAXED),
                                   INSN("addi", 28, 0, more),
                                   INSN("amoor_w", 0, 21, 23, OF_RL),
                                   INSN("addi", 28, 28, -1),
                                   INSN("bne", 28, 0, -8),
                                   INSN("lw", 26, 0, 20)};
    scene t = two_parts(first, second);
    perform(&t, 0, take(&t, 0, "sw"));
    perform(&t, 0, take(&t, 0, "amoor_w"));
    uint32_t n = take(&t, 1, "amoor_w");
    perform(&t, 1, n);
    result(&t, 1, n, 1);
    pair_up(&t, more);
    n = take(&t, 1, "lw");
    perform(&t, 1, n);
    result(&t, 1, n, 5);
    end(&t, want);
}

/* Behind so many pairs of a release and its acquire the last one still orders what is before it before what is behind it; without it
 * the two race. */
static void recent_pair(int32_t pairs, bool acquires) {
    enum { RELAXED, OF_RL, OF_AQ };
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    const insn first[MAX_INSN] = {INSN("addi", 28, 0, pairs),
                                  INSN("amoor_w", 29, 0, 23, OF_AQ),
                                  INSN("addi", 28, 28, -1),
                                  INSN("bne", 28, 0, -8),
                                  INSN("amoor_w", 29, 0, 23, acquires ? OF_AQ : RELAXED),
                                  INSN("lw", 26, 128, 20)};
    const insn second[MAX_INSN] = {INSN("addi", 28, 0, pairs), INSN("amoor_w", 0, 21, 23, OF_RL),
                                   INSN("addi", 28, 28, -1),   INSN("bne", 28, 0, -8),
                                   INSN("sw", 22, 128, 20),    INSN("amoor_w", 0, 21, 23, OF_RL)};
    scene t = two_parts(first, second);
    uint32_t n;
    pair_up(&t, pairs);
    perform(&t, 1, take(&t, 1, "sw"));
    perform(&t, 1, take(&t, 1, "amoor_w"));
    n = take(&t, 0, "amoor_w");
    perform(&t, 0, n);
    result(&t, 0, n, 1);
    n = take(&t, 0, "lw");
    perform(&t, 0, n);
    result(&t, 0, n, 5);
    end(&t, acquires ? &pass : &race);
}

static void pairs_are_forgotten(void **state) {
    (void)state;
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    mem_order = KARAT_ORDER_PERFORMED;
    strict = KARAT_STRICT_RACES;
    many_pairs(1, true, &pass);
    many_pairs(1, false, &race);
    many_pairs(200, true, &pass);
    many_pairs(200, false, &race);
    many_pairs(1023, true, &pass);
    many_pairs(1024, true, &pass);
    many_pairs(1024, false, &race);
    many_pairs(1025, false, &pass); /* nobody knows any more */
    recent_pair(3, true);
    recent_pair(3, false);
    recent_pair(1025, true);
    strict = 0;
}

/* Releases of several words, read one after the other and then ordered by one FENCE: the last sixteen count, and of more nothing
 * is claimed. missing: one that is none. */
static void many_acquired(uint32_t num, uint32_t missing) {
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    enum { DATA_AT = 128 };
    insn first[MAX_INSN] = {{0}}, second[MAX_INSN] = {{0}};
    uint32_t a = 0, b = 0;
    for (uint32_t k = 0; k < num; k++) {
        const int32_t at = DATA_AT + 4 * (int32_t)k;
        first[a++] = (insn)INSN("sw", 22, at, 20);
        first[a++] = (insn)INSN("amoor_w", 0, 21, 23, k != missing);
        first[a++] = (insn)INSN("addi", 23, 23, 4);
        second[b++] = (insn)INSN("amoor_w", 29, 0, 23, 0);
        second[b++] = (insn)INSN("addi", 23, 23, 4);
    }
    second[b++] = (insn)INSN("fence", 0, 3, 3, 0, 0);
    for (uint32_t k = 0; k < num; k++)
        second[b++] = (insn)INSN("lw", 26, DATA_AT + 4 * (int32_t)k, 20);
    scene t = two_parts(first, second);
    uint32_t n = 0;
    for (uint32_t k = 0; k < num; k++) {
        perform(&t, 0, take(&t, 0, "sw"));
        perform(&t, 0, take(&t, 0, "amoor_w"));
    }
    for (uint32_t k = 0; k < num; k++) {
        perform(&t, 1, n = take(&t, 1, "amoor_w"));
        result(&t, 1, n, 1);
    }
    for (uint32_t k = 0; k < num; k++) {
        perform(&t, 1, n = take(&t, 1, "lw"));
        result(&t, 1, n, 5);
    }
    /* A later release takes along what is before it; where more were acquired than fit, nothing is claimed. */
    end(&t, missing == num - 1 && num <= KARAT_NUM_ACQUIRED + 1 ? &race : &pass);
}

/* A plain store to the flag behind its release: who reads that acquires nothing. */
static void release_is_over(void) {
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    for (int over = 0; over < 2; over++) {
        const insn first[MAX_INSN] = {INSN("sw", 22, 128, 20), INSN("amoor_w", 0, 21, 23, 1),
                                      INSN("sw", 21, FLAG, 20)};
        const insn second[MAX_INSN] = {INSN("amoor_w", 29, 0, 23, 2), INSN("lw", 26, 128, 20)};
        scene t = two_parts(first, second);
        perform(&t, 0, take(&t, 0, "sw"));
        perform(&t, 0, take(&t, 0, "amoor_w"));
        if (over)
            perform(&t, 0, take(&t, 0, "sw"));
        uint32_t n;
        perform(&t, 1, n = take(&t, 1, "amoor_w"));
        result(&t, 1, n, 1);
        perform(&t, 1, n = take(&t, 1, "lw"));
        result(&t, 1, n, 5);
        if (!over)
            perform(&t, 0, take(&t, 0, "sw"));
        end(&t, over ? &race : &pass);
    }
}

/* FENCEs behind a flag's store, issued before it is performed, release nothing with it; early: what the FENCE before it does, as
 * long as it is remembered. */
static void fences_behind_a_flag(int32_t ahead, int32_t num, bool early, bool stale) {
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    insn first[MAX_INSN] = {{0}};
    for (int32_t i = 0; i < ahead; i++) /* of which nothing depends on any */
        first[i] = (insn)INSN("fence", 0, 3, 3, 0, 0);
    const insn flagged[] = {INSN("sw", 22, 128, 20), INSN("fence", 0, 3, 3, 0, 0), INSN("sw", 21, FLAG, 20),
                            INSN("sw", 22, 132, 20)};
    memcpy(&first[ahead], flagged, sizeof flagged);
    for (int32_t i = 0; i < num; i++)
        first[ahead + 4 + i] = (insn)INSN("fence", 0, 3, 3, 0, 0);
    const insn second[MAX_INSN] = {INSN("amoor_w", 29, 0, 23, 0), INSN("amoor_w", 29, 0, 23, 2),
                                   INSN("lw", 26, early ? 128 : 132, 20)};
    scene t = two_parts(first, second);
    uint32_t n, before;
    karat_read(t.model, SHARED + (early ? 128 : 132), &before, 4);
    perform(&t, 1, n = take(&t, 1, "amoor_w"));
    result(&t, 1, n, 0);
    perform(&t, 0, take(&t, 0, "sw"));
    const uint32_t flag = take(&t, 0, "sw");
    perform(&t, 0, take(&t, 0, "sw"));
    for (int32_t i = 0; i < num; i++)
        take(&t, 0, "fence");
    perform(&t, 0, flag);
    perform(&t, 1, n = take(&t, 1, "amoor_w"));
    result(&t, 1, n, 1);
    perform(&t, 1, n = take(&t, 1, "lw"));
    result(&t, 1, n, stale ? before : 5);
    if (stale) /* in a cache that nobody keeps coherent */
        end(&t, early && num < 8 ? &wrong_value : &unordered);
    else
        end(&t, early || num >= 8 ? &pass : &race);
}

/* A store, then so many loads of other words, then another warp's load of the first word: the last 4095 are looked at. */
static void far_apart(int32_t rounds, int32_t more, const wanted *want) {
    const insn first[MAX_INSN] = {INSN("sw", 22, 128, 20), INSN("addi", 28, 0, rounds),
                                  INSN("slli", 28, 28, 2), INSN("addi", 28, 28, more),
                                  INSN("lw", 26, 0, 10),   INSN("addi", 28, 28, -1),
                                  INSN("bne", 28, 0, -8)};
    const insn second[MAX_INSN] = {INSN("lw", 26, 128, 20)};
    scene t = two_parts(first, second);
    perform(&t, 0, take(&t, 0, "sw"));
    uint32_t n, held;
    karat_read(t.model, DATA_BASE, &held, 4);
    for (int32_t i = 0; i < 4 * rounds + more; i++) {
        perform(&t, 0, n = take(&t, 0, "lw"));
        result(&t, 0, n, held);
        t.warp[0].num = n;
    }
    perform(&t, 1, n = take(&t, 1, "lw"));
    result(&t, 1, n, 5);
    end(&t, want);
}

static void what_is_remembered(void **state) {
    (void)state;
    static const wanted race = {"karat: PROGRAM ERROR", 0, 0, 0};
    mem_order = KARAT_ORDER_PERFORMED;
    strict = KARAT_STRICT_RACES;
    static const uint32_t nums[] = {1, 2, 15, 16, 17, 18, 19};
    for (size_t i = 0; i < sizeof nums / sizeof *nums; i++)
        for (uint32_t missing = 0; missing <= nums[i]; missing++)
            many_acquired(nums[i], missing);
    release_is_over();
    static const int32_t fences[] = {0, 1, 2, 6, 7, 8, 9, 10, 16, 19}; /* the last eight are remembered */
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
        for (int early = 0; early < 2; early++)
            for (int32_t ahead = 0; ahead < 20; ahead += 9)
                fences_behind_a_flag(ahead, fences[i], early, false);
    far_apart(1023, 1, &race);
    far_apart(1023, 2, &race);
    far_apart(1023, 3, &pass);
    strict = 0;
    props = KARAT_PROP_FLUSHED;
    for (size_t i = 0; i < sizeof fences / sizeof *fences; i++)
        for (int early = 0; early < 2; early++)
            for (int32_t ahead = 0; ahead < 20; ahead += 9)
                fences_behind_a_flag(ahead, fences[i], early, true);
    props = PROPS;
}

/* More stores than are remembered: of a core that tells their order memory is exact all the same. */
static void memory_behind_many_stores(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    const insn first[MAX_INSN] = {INSN("addi", 28, 0, 1030), INSN("slli", 28, 28, 2), INSN("sw", 28, 0, 20),
                                  INSN("addi", 28, 28, -1), INSN("bne", 28, 0, -8)};
    const insn none[MAX_INSN] = {{0}};
    for (uint32_t left = 1; left < 3; left++) {
        scene t = two_parts(first, none);
        const uint32_t done = t.warp[0].num;
        for (uint32_t i = 0; i < 4120; i++) {
            perform(&t, 0, take(&t, 0, "sw"));
            t.warp[0].num = done;
        }
        t.left = left;
        t.mask = 0xffffffffu;
        end(&t, left == 1 ? &pass : &wrong_memory);
    }
}

/* More words of atomics than there is room for at first. */
static void so_many_words(int32_t num) {
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&p, "addi", 22, 0, num);
    put(&p, "amoadd_w", 18, 22, 20, 0);
    put(&p, "addi", 20, 20, 4);
    put(&p, "addi", 22, 22, -1);
    put(&p, "bne", 22, 0, -12);
    put0(&p, "endprg");
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    stream s = run_program(&p, &o);
    for (uint8_t order = 0; order < 3; order++) {
        s.at[0].hello.mem_order = order;
        PASSES(&s);
    }
    stream_free(&s);
}

static void many_words(void **state) {
    (void)state;
    static const int32_t nums[] = {127, 128, 129, 130, 256, 257, 600};
    for (size_t i = 0; i < sizeof nums / sizeof *nums; i++)
        so_many_words(nums[i]);
}

/* An LR reserves its own word: an SC to another one does not store. */
static void sc_to_another_word(void) {
    static const wanted unexpected = {"karat: MISMATCH (memory access that no instruction owes)", 0, 0, 0};
    for (int32_t other = 0; other < 2; other++) {
        const insn first[MAX_INSN] = {INSN("lr_w", 25, 20, 0), INSN("sc_w", 26, 22, other ? 23 : 20, 0)};
        const insn none[MAX_INSN] = {{0}};
        scene t = two_parts(first, none);
        uint32_t n = take(&t, 0, "lr_w");
        perform(&t, 0, n);
        result(&t, 0, n, 1);
        n = take(&t, 0, "sc_w");
        perform_as(&t, 0, n, KARAT_MEM_AMO, 5);
        result(&t, 0, n, 0);
        outcome o = judge_scene(&t);
        const char *line = other ? tells == TELLS_NOTHING ? "karat: MISMATCH" : unexpected.line : pass.line;
        if (strncmp(o.line, line, strlen(line)) != 0)
            fail_msg("order %u tells %d: %s\n%s", mem_order, (int)tells, o.line, o.text);
        outcome_free(&o);
    }
}

/* Nor does one behind another warp's AMO, whose place is known before the SC says that it has stored. */
static void sc_behind_a_write(void) {
    const insn first[MAX_INSN] = {INSN("lr_w", 25, 20, 0), INSN("sc_w", 26, 22, 20, 0)};
    const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 22, 20, 0), INSN("amoadd_w", 27, 22, 20, 0)};
    scene t = two_parts(first, second);
    uint32_t n = take(&t, 0, "lr_w");
    perform(&t, 0, n);
    result(&t, 0, n, 1);
    n = take(&t, 1, "amoadd_w");
    perform_as(&t, 1, n, KARAT_MEM_AMO, 6);
    result(&t, 1, n, 1);
    const uint32_t sc = take(&t, 0, "sc_w");
    n = take(&t, 1, "amoadd_w");
    perform_as(&t, 1, n, KARAT_MEM_AMO, 11);
    result(&t, 1, n, 6);
    perform_as(&t, 0, sc, KARAT_MEM_AMO, 5);
    result(&t, 0, sc, 0);
    static const wanted unexpected = {"karat: MISMATCH (memory access that no instruction owes)", 0, 0, 0};
    outcome o = finish(&t, &unexpected);
    if (!strstr(o.text, "that word has been written since its LR"))
        fail_msg("order %u tells %d: %s", mem_order, (int)tells, o.text);
    outcome_free(&o);
}

/* Who has written the word since the LR, and when: of an SC that has stored, and of one that says so. */
static void who_has_written(void **state) {
    (void)state;
    enum { STORE, AMO, BYTE, TWO, HOST_WRITES, BEFORE, NUM };
    static const char *const rows[] = {"sw", "amoadd_w", "sb", "sw", "sw", "sw"};
    mem_order = KARAT_ORDER_PERFORMED;
    tells = TELLS_DATA;
    for (int by = 0; by < NUM; by++)
        for (int stores = 0; stores < 2; stores++) {
            const insn first[MAX_INSN] = {INSN("lr_w", 25, 20, 0), INSN("sc_w", 26, 22, 20, 0)};
            insn second[MAX_INSN] = {INSN("sw", 22, 0, 20), INSN("sw", 21, 0, 20)};
            if (by == AMO)
                second[0] = (insn)INSN("amoadd_w", 26, 22, 20, 0);
            if (by == BYTE)
                second[0] = (insn)INSN("sb", 22, 2, 20);
            scene t = two_parts(first, second);
            uint32_t lr, n;
            if (by == BEFORE)
                perform(&t, 1, take(&t, 1, "sw"));
            lr = take(&t, 0, "lr_w");
            perform(&t, 0, lr);
            result(&t, 0, lr, by == BEFORE ? 5 : 1);
            for (int k = 0; k < (by == HOST_WRITES || by == BEFORE ? 0 : 1 + (by == TWO)); k++) {
                n = take(&t, 1, rows[by]);
                perform(&t, 1, n);
                if (by == AMO)
                    result(&t, 1, n, 1);
            }
            if (by == HOST_WRITES) {
                record r = make_record(0, KARAT_REC_HOST, 0);
                r.host.addr = SHARED;
                r.host.length = 4;
                r.host.data[0] = 9;
                add(&t, &r);
                karat_write(t.model, SHARED, r.host.data, 4);
            }
            n = take(&t, 0, "sc_w");
            if (stores)
                perform_as(&t, 0, n, KARAT_MEM_AMO, 5);
            else
                result(&t, 0, n, by == BEFORE ? 2 : 0);
            char since[60];
            snprintf(since, sizeof since, "; since its LR, seq %u issued in cycle ",
                     t.warp[0].pending[lr].seq);
            outcome o = judge_scene(&t);
            const bool named = by != BEFORE;
            if (named != (strstr(o.text, since) != NULL))
                fail_msg("by %d stores %d:\n%s", by, stores, o.text);
            static const char *const who[] = {
                " sw x22, 0(x20) has written that word, issued in cycle ",
                " amoadd.w x26, x22, (x20) has written that word, issued in cycle ",
                " sb x22, 2(x20) has written that word, issued in cycle ",
                ", and 1 more writes have come behind that", ", the host has written that word in cycle "};
            if (named && !strstr(o.text, who[by]))
                fail_msg("by %d stores %d, no '%s':\n%s", by, stores, who[by], o.text);
            outcome_free(&o);
        }
}

/* An SC that cannot store any more, whichever slot it is in: what comes behind the other warp's write does not find it in the
 * model. Where so many LRs came behind that its own is forgotten, nobody knows, and it fails all the same. */
static void sc_is_doomed(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    for (uint32_t with_sc = 0; with_sc < 2; with_sc++)
        for (int forgotten = 0; forgotten < 2; forgotten++) {
            const uint32_t other = !with_sc;
            insn sc_part[MAX_INSN] = {INSN("lr_w", 25, 20, 0), INSN("sc_w", 26, 22, 20, 0)};
            for (uint32_t n = 0; n < KARAT_NUM_RESERVATION && forgotten; n++)
                sc_part[2 + n] = (insn)INSN("lr_w", 27, 23, 0);
            const insn part[MAX_INSN] = {INSN("amoadd_w", 26, 22, 20, 0), INSN("amoadd_w", 27, 22, 20, 0),
                                         INSN("lw", 28, 0, 20)};
            scene t = with_sc ? two_parts(part, sc_part) : two_parts(sc_part, part);
            uint32_t n = take(&t, with_sc, "lr_w");
            perform(&t, with_sc, n);
            result(&t, with_sc, n, 1);
            const uint32_t sc = take(&t, with_sc, "sc_w");
            for (uint32_t k = 0; k < KARAT_NUM_RESERVATION && forgotten; k++) {
                n = take(&t, with_sc, "lr_w");
                perform(&t, with_sc, n);
                result(&t, with_sc, n, 0);
            }
            n = take(&t, other, "amoadd_w");
            perform_as(&t, other, n, KARAT_MEM_AMO, 6);
            result(&t, other, n, 1);
            n = take(&t, other, "amoadd_w");
            perform_as(&t, other, n, KARAT_MEM_AMO, 11);
            result(&t, other, n, 6);
            n = take(&t, other, "lw");
            perform(&t, other, n);
            result(&t, other, n, 11);
            result(&t, with_sc, sc, 1);
            t.left = 11;
            t.mask = 0xffffffffu;
            outcome o = judge_scene(&t);
            if (o.verdict != KARAT_PASS || count_of(&o, "unordered") != forgotten)
                fail_msg("slot %u, forgotten %d: %s\n%s", with_sc, forgotten, o.line, o.text);
            outcome_free(&o);
        }
}

/* FENCEs of stores alone release beside each other: more of them than a word remembers. */
static void many_releases(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    strict = KARAT_STRICT_RACES;
    insn first[MAX_INSN] = {{0}};
    const insn second[MAX_INSN] = {INSN("amoor_w", 29, 0, 23, 0), INSN("fence", 0, 3, 3, 0, 0),
                                   INSN("lw", 26, 128, 20)};
    uint32_t num = 0;
    first[num++] = (insn)INSN("sw", 22, 128, 20);
    for (uint32_t n = 0; n < 4; n++) {
        for (uint32_t k = 0; k < KARAT_NUM_FENCE; k++)
            first[num++] = (insn)INSN("fence", 0, WRITE, WRITE, 0, 0);
        first[num++] = (insn)INSN("amoadd_w", 25, 21, 23, 0);
    }
    scene t = two_parts(first, second);
    perform(&t, 0, take(&t, 0, "sw"));
    for (uint32_t n = 0; n < 4; n++) {
        const uint32_t amo = take(&t, 0, "amoadd_w");
        perform(&t, 0, amo);
        result(&t, 0, amo, n);
    }
    uint32_t n = take(&t, 1, "amoor_w");
    perform(&t, 1, n);
    result(&t, 1, n, 4);
    perform(&t, 1, n = take(&t, 1, "lw"));
    result(&t, 1, n, 5);
    end(&t, &pass);
    strict = 0;
}

/* An AMO of a word whose order is searched, at the wrong place. */
static void amo_elsewhere(void **state) {
    (void)state;
    static const wanted wrong_place = {"karat: MISMATCH (wrong memory address)", 0, 0, 0};
    mem_order = KARAT_ORDER_NONE;
    for (uint32_t off = 0; off < 8; off++) {
        const insn first[MAX_INSN] = {INSN("amoadd_w", 25, 21, 20, 0)}, none[MAX_INSN] = {{0}};
        scene t = two_parts(first, none);
        const uint32_t amo = take(&t, 0, "amoadd_w");
        t.warp[0].pending[amo].commit.mem.access[0].addr += off;
        perform(&t, 0, amo);
        result(&t, 0, amo, 1);
        if (off % 4) {
            outcome o = judge_scene(&t);
            assert_int_equal(o.verdict, KARAT_MISMATCH);
            outcome_free(&o);
        } else {
            end(&t, off ? &wrong_place : &pass);
        }
    }
}

/* What another warp has returned says that the SC has stored, and then it says that it has not. */
static void sc_that_was_seen(void) {
    const insn first[MAX_INSN] = {INSN("lr_w", 25, 20, 0), INSN("sc_w", 26, 22, 20, 0)};
    const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 22, 20, 0)};
    for (uint32_t failed = 0; failed < 2 && mem_order != KARAT_ORDER_PERFORMED; failed++) {
        scene t = two_parts(first, second);
        uint32_t n = take(&t, 0, "lr_w");
        perform(&t, 0, n);
        result(&t, 0, n, 1);
        const uint32_t sc = take(&t, 0, "sc_w");
        n = take(&t, 1, "amoadd_w");
        perform_as(&t, 1, n, KARAT_MEM_AMO, 10);
        result(&t, 1, n, 5);
        if (!failed)
            perform_as(&t, 0, sc, KARAT_MEM_AMO, 5);
        result(&t, 0, sc, failed);
        t.left = 10;
        t.mask = 0xffffffffu;
        outcome o = finish(&t, failed ? &wrong_value : &pass);
        const json_t *lanes = json_object_get(json_object_get(o.json, "failure"), "lanes");
        if (failed && (!strstr(o.text, "it returned 00000001: no order of the accesses") || !lanes))
            fail_msg("order %u tells %d: %s", mem_order, (int)tells, o.text);
        outcome_free(&o);
    }
}

static void scs_to_other_words(void **state) {
    (void)state;
    with_less(sc_that_was_seen);
    with_less(sc_behind_a_write);
    with_less(sc_to_another_word);
}

static void what_comes_first(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    const insn load = INSN("lw", 25, 0, 20), store = INSN("sw", 21, 0, 20),
               next_load = INSN("lw", 26, FLAG, 20), next_store = INSN("sw", 22, FLAG, 20),
               nothing = INSN("addi", 28, 0, 0), barrier = INSN("barrier", 0),
               tso = INSN("fence", 8, READ | WRITE, READ | WRITE, 0, 0),
               reads = INSN("fence", 0, READ, READ | WRITE, 0, 0), loads = INSN("fence", 0, READ, READ, 0, 0);
    static const char *const fence = "the FENCE at 0x80000074 puts before it";
    put_before(load, nothing, next_load, NULL);
    put_before(load, loads, next_load, fence);
    put_before(load, loads, next_store, NULL);
    put_before(store, reads, next_load, NULL);
    put_before(load, reads, next_store, fence);
    put_before(store, tso, next_load, NULL);
    put_before(store, tso, next_store, fence);
    put_before(load, tso, next_load, fence);
    put_before(load, tso, next_store, fence);
    put_before(store, barrier, next_load, "a BARRIER puts before it");
    put_before(load, barrier, next_store, "a BARRIER puts before it");
    enum { RELAXED, OF_RL, OF_AQ };
    static const char *const older[] = {NULL, NULL, "its .aq puts before it"},
                             *const younger[] = {NULL, "the younger one's .rl puts before it", NULL};
    for (int32_t bits = RELAXED; bits <= OF_AQ; bits++) {
        const insn amo = INSN("amoor_w", 27, 0, 20, bits), next_amo = INSN("amoor_w", 27, 0, 23, bits);
        put_before(amo, nothing, next_load, older[bits]);
        put_before(amo, nothing, next_store, older[bits]);
        put_before(load, nothing, next_amo, younger[bits]);
        put_before(store, nothing, next_amo, younger[bits]);
    }
}

/* What a warp that has failed still owes puts nothing first. */
static void frozen_puts_nothing_first(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    failures = 2;
    for (int fails = 0; fails < 2; fails++) {
        const insn first[MAX_INSN] = {INSN("lw", 25, FLAG, 20), INSN("sw", 22, 0, 20), INSN("barrier", 0)};
        const insn second[MAX_INSN] = {INSN("barrier", 0), INSN("lw", 26, FLAG, 20)};
        scene t = two_parts(first, second);
        uint32_t load = take(&t, 0, "lw");
        perform(&t, 0, load);
        result(&t, 0, load, fails ? 77 : 0);
        const uint32_t store = take(&t, 0, "sw");
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
        load = take(&t, 1, "lw");
        perform(&t, 1, load);
        result(&t, 1, load, 0);
        perform(&t, 0, store);
        outcome o = finish(&t, fails ? &wrong_value : &out_of_order);
        if (strstr(o.text, "\n  also "))
            fail_msg("%s", o.text);
        outcome_free(&o);
    }
    failures = 1;
}

/* An SC that fails is no access: what comes behind a FENCE need not wait for it. */
static void failing_sc_and_fence(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    const insn list[MAX_INSN] = {INSN("lr_w", 25, 20, 0), INSN("sc_w", 26, 22, 20, 0),
                                 INSN("fence", 0, 15, 15, 0, 0), INSN("lw", 27, FLAG, 20)};
    const insn none[MAX_INSN] = {{0}};
    scene t = two_parts(list, none);
    uint32_t lr = take(&t, 0, "lr_w"), sc = take(&t, 0, "sc_w"), load = take(&t, 0, "lw");
    perform(&t, 0, lr);
    result(&t, 0, lr, 1);
    perform(&t, 0, load);
    result(&t, 0, load, 0);
    result(&t, 0, sc, 1);
    static const wanted failed = {"karat: PASS ", 0, 0, 1};
    end(&t, &failed);
}

/* SCs that only MEM would tell of, and that have failed in the model: another warp's stores, which the core performs later, were issued
 * before them. The last ones may all have stored. */
static void many_failed_scs(void **state) {
    (void)state;
    enum { NUM = NUM_FAILED_SC + 1 };
    mem_order = KARAT_ORDER_PERFORMED;
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&t.p, "addi", 22, 0, 5);
    uint32_t skip = put_part(&t.p, 0);
    for (int32_t n = 0; n < NUM; n++) {
        put(&t.p, "addi", 23, 20, 4 * n);
        put(&t.p, "lr_w", 25, 23, 0);
        put(&t.p, "sc_w", 0, 22, 23, 0);
    }
    put(&t.p, "xor", 24, 22, 22);
    put_end_part(&t.p, skip, 0);
    skip = put_part(&t.p, 1);
    for (int32_t n = 0; n < NUM; n++)
        put(&t.p, "sw", 22, 4 * n, 20);
    put_end_part(&t.p, skip, 1);
    begin(&t);
    uint32_t sc[NUM], store[NUM];
    for (uint32_t n = 0; n < NUM; n++) {
        uint32_t there;
        assert_int_equal(karat_read(t.model, SHARED + 4 * n, &there, 4), KARAT_OK);
        const uint32_t lr = take(&t, 0, "lr_w");
        perform(&t, 0, lr);
        result(&t, 0, lr, there);
        store[n] = take(&t, 1, "sw");
        sc[n] = take(&t, 0, "sc_w");
    }
    take(&t, 0, "xor");
    for (uint32_t n = 1; n < NUM; n++)
        perform_as(&t, 0, sc[n], KARAT_MEM_AMO, 5);
    for (uint32_t n = 0; n < NUM; n++)
        perform(&t, 1, store[n]);
    static const wanted reordered = {"karat: PASS ", 0, NUM - 1, 0};
    end(&t, &reordered);
}

/* A FENCE of writes releases no loads: one before it may get what is stored behind the acquire. A FENCE of both does. */
static void fence_releases_its_set(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    for (int reads = 0; reads < 2; reads++) {
        const insn first[MAX_INSN] = {INSN("lw", 25, 0, 20), INSN("fence", 0, reads ? 3 : 1, 1, 0, 0),
                                      INSN("amoswap_w", 0, 21, 23, 0)};
        const insn second[MAX_INSN] = {INSN("amoswap_w", 26, 21, 23, 2), INSN("sw", 22, 0, 20)};
        scene t = two_parts(first, second);
        uint32_t load = take(&t, 0, "lw"), flag = take(&t, 0, "amoswap_w");
        if (reads)
            perform(&t, 0, load);
        perform(&t, 0, flag);
        uint32_t got = take(&t, 1, "amoswap_w");
        perform(&t, 1, got);
        result(&t, 1, got, 1);
        perform(&t, 1, take(&t, 1, "sw"));
        if (!reads)
            perform(&t, 0, load);
        result(&t, 0, load, 5);
        end(&t, reads ? &wrong_value : &unordered);
    }
}

/* What orders a store before another warp's load, for strict=races: .rl or a FENCE with these sets before the flag is set, .aq or a
 * FENCE behind its being read, which is issued before the flag's value is known or after. */
static void release_and_acquire(void **state) {
    (void)state;
    enum { WRITE = 1, READ = 2, BOTH = 3 };
    mem_order = KARAT_ORDER_PERFORMED;
    strict = KARAT_STRICT_RACES;
    for (int32_t rl = 0; rl < 2; rl++)
        for (int32_t aq = 0; aq < 2; aq++)
            for (int32_t sets = 0; sets < 256; sets++) {
                const int32_t b1 = sets & 3, a1 = sets >> 2 & 3, b2 = sets >> 4 & 3, a2 = sets >> 6;
                if ((rl && sets & 15 && (sets & 15) != 5) || (aq && sets >> 4 && sets >> 4 != 5) ||
                    (share_of(5) < 5 && sets % 5 > 1))
                    continue;
                for (int late = 0; late < 2; late++) {
                    const insn first[MAX_INSN] = {INSN("sw", 22, 64, 20), INSN("fence", 0, b1, a1, 0, 0),
                                                  INSN("amoswap_w", 0, 21, 23, rl)};
                    const insn second[MAX_INSN] = {INSN("amoor_w", 26, 0, 23, aq << 1),
                                                   INSN("fence", 0, b2, a2, 0, 0), INSN("lw", 27, 64, 20)};
                    scene t = two_parts(first, second);
                    perform(&t, 0, take(&t, 0, "sw"));
                    perform(&t, 0, take(&t, 0, "amoswap_w"));
                    uint32_t got = take(&t, 1, "amoor_w");
                    if (late)
                        take(&t, 1, "fence");
                    perform(&t, 1, got);
                    result(&t, 1, got, 1);
                    uint32_t load = take(&t, 1, "lw"), held;
                    karat_read(t.model, SHARED + 64, &held, 4);
                    perform(&t, 1, load);
                    result(&t, 1, load, held);
                    const bool released = rl || (b1 & WRITE && a1 & WRITE);
                    const bool acquired = aq || (b2 & READ && a2 & READ);
                    static const wanted race = {"karat: PROGRAM ERROR (undefined", 0, 0, 0};
                    end(&t, released && acquired ? &pass : &race);
                }
            }
    strict = 0;
}

/* Lanes of one store before an AMO, of a core that does not say in which order. */
static void lanes_before_an_amo(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    for (int ascends = 0; ascends < 2; ascends++)
        for (int data = 0; data < 2; data++)
            for (uint32_t old = 0; old < 0x505; old += 0x101) {
                props = PROPS | (ascends ? KARAT_PROP_ASCENDING : 0);
                tells = data ? TELLS_DATA : TELLS_MEM;
                const insn first[MAX_INSN] = {INSN("vsw12_v", 9, 0, 8)};
                const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 22, 20, 0), INSN("lw", 27, 0, 20)};
                scene t = two_parts(first, second);
                perform_lanes(&t, 0, take(&t, 0, "vsw12_v"));
                uint32_t amo = take(&t, 1, "amoadd_w");
                perform_as(&t, 1, amo, KARAT_MEM_AMO, old + 5);
                result(&t, 1, amo, old);
                uint32_t load = take(&t, 1, "lw");
                perform(&t, 1, load);
                result(&t, 1, load, old + 5);
                static const wanted wrong_data = {"karat: MISMATCH (wrong data stored)", 0, 0, 0};
                const bool right = ascends ? old == 0x303 : old < 0x404;
                outcome o = judge_scene(&t);
                const wanted *want = right ? &pass : data ? &wrong_data : &wrong_value;
                if (strncmp(o.line, want->line, strlen(want->line)) != 0)
                    fail_msg("%s\n%s\nold %x, expected %s", o.line, o.text, old, want->line);
                assert_true(!right || (count_of(&o, "lane_race") != 0) == (old != 0x303));
                assert_true(!right || count_of(&o, "unordered") == 0); /* memory follows */
                outcome_free(&o);
            }
    props = PROPS;
    tells = TELLS_DATA;
}

/* A load that is performed behind an AMO and issued before the AMO's result is known gets what that makes of any lane's value; and the
 * AMO behind that works on with it. */
static void load_before_the_result(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    tells = TELLS_MEM;
    for (uint32_t old = 0; old < 0x404; old += 0x101)
        for (uint32_t more = 0; more <= 0x10; more += 0x10) {
            const insn first[MAX_INSN] = {INSN("vsw12_v", 9, 0, 8)};
            const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 22, 20, 0), INSN("lw", 27, 0, 20),
                                           INSN("amoadd_w", 28, 21, 20, 0)};
            scene t = two_parts(first, second);
            perform_lanes(&t, 0, take(&t, 0, "vsw12_v"));
            const uint32_t amo = take(&t, 1, "amoadd_w");
            perform(&t, 1, amo);
            const uint32_t load = take(&t, 1, "lw");
            perform(&t, 1, load);
            result(&t, 1, amo, old);
            result(&t, 1, load, old + 5 + more);
            const uint32_t last = take(&t, 1, "amoadd_w");
            perform(&t, 1, last);
            result(&t, 1, last, old + 5);
            t.left = old + 6;
            t.mask = UINT32_MAX;
            outcome o = judge_scene(&t);
            if (o.verdict != (more ? KARAT_MISMATCH : KARAT_PASS))
                fail_msg("old %x, %u more: %s\n%s", old, more, o.line, o.text);
            outcome_free(&o);
        }
    tells = TELLS_DATA;
}

/* Lanes that write some bytes of a word that nobody else has written: the others hold what was there before. */
static void lanes_beside_what_was_there(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    for (uint32_t last = 0; last < 4; last++) {
        const insn first[MAX_INSN] = {INSN("addi", 25, 20, 64), INSN("vmv_v_x", 8, 25),
                                      INSN("vsb12_v", 9, 0, 8)};
        const insn second[MAX_INSN] = {INSN("addi", 25, 20, 64), INSN("amoadd_w", 26, 22, 25, 0)};
        scene t = two_parts(first, second);
        uint32_t there;
        karat_read(t.model, SHARED + 64, &there, 4);
        perform_lanes(&t, 0, take(&t, 0, "vsb12_v"));
        const uint32_t amo = take(&t, 1, "amoadd_w"), old = (there & ~0xffu) | last;
        perform_as(&t, 1, amo, KARAT_MEM_AMO, old + 5);
        result(&t, 1, amo, old);
        outcome o = judge_scene(&t);
        assert_int_equal(o.verdict, KARAT_PASS);
        assert_int_equal(count_of(&o, "lane_race"), last != 3);
        outcome_free(&o);
    }
}

/* The first atomic of a word, where MEM's order does not tell: what of the stores before it may still come behind others, and what the
 * word held before these. */
static void begin_word(insn a0, insn a1, insn b0, bool barrier, uint32_t value, uint32_t num, int line) {
    const insn amo = INSN("amoadd_w", 26, 22, 20, 0), wait = INSN("barrier", 0),
               nothing = INSN("addi", 28, 0, 0);
    const insn first[MAX_INSN] = {a0, a1, barrier ? wait : nothing, amo};
    const insn second[MAX_INSN] = {b0, barrier ? wait : nothing};
    scene t = two_parts(first, second);
    if (b0.row && strcmp(b0.row, "addi") != 0)
        take(&t, 1, b0.row);
    if (barrier) {
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
    }
    take(&t, 0, "amoadd_w");
    expect_word(&t, value, num, false, line);
    karat_destroy(t.model);
    stream_free(&t.s);
}
#define BEGINS(...) begin_word(__VA_ARGS__, __LINE__)

static void what_a_word_begins_with(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_NONE;
    const insn nothing = INSN("addi", 28, 0, 0), five = INSN("sw", 22, 0, 20), one = INSN("sb", 21, 1, 20),
               other = INSN("sw", 22, FLAG, 20), lanes = INSN("vsw12_v", 9, 0, 8),
               apart = INSN("vsw12_v", 9, 0, 3), to = INSN("vadd_vx", 3, 2, 20, 1);
    for (int ascends = 0; ascends < 2; ascends++) {
        props = PROPS | (ascends ? KARAT_PROP_ASCENDING : 0);
        BEGINS(nothing, nothing, nothing, false, 1, 1);
        BEGINS(five, nothing, nothing, false, 1, 2); /* the other warp has still much to do */
        BEGINS(five, nothing, nothing, true, 5, 1);
        BEGINS(five, one, nothing, false, 1, 3);
        BEGINS(five, one, nothing, true, 0x105, 1); /* in the warp's own order */
        BEGINS(other, nothing, nothing, false, 1, 1);
        BEGINS(other, five, nothing, true, 5, 1);
        BEGINS(five, nothing, one, true, 1, 3); /* two warps': in either */
        BEGINS(one, nothing, five, true, 1, 3);
        BEGINS(nothing, nothing, five, true, 5, 1);
        BEGINS(nothing, nothing, five, false, 1, 2);
        BEGINS(lanes, nothing, nothing, true, ascends ? 0x303 : 1, ascends ? 1 : 5);
        BEGINS(lanes, five, nothing, true, ascends ? 5 : 1, ascends ? 1 : 6);
        BEGINS(lanes, nothing, nothing, false, 1, 5);
        BEGINS(to, apart, nothing, true, 0, 1);
        BEGINS(to, apart, nothing, false, 1, 2);
    }
    props = PROPS;
    for (uint32_t num = 30; num < 34; num++) { /* so many stores are looked at, and the one in front */
        insn first[MAX_INSN] = {{0}};
        for (uint32_t i = 0; i < num; i++)
            first[i] = five;
        first[num] = (insn)INSN("barrier", 0);
        first[num + 1] = (insn)INSN("amoadd_w", 26, 22, 20, 0);
        const insn second[MAX_INSN] = {INSN("barrier", 0)};
        scene t = two_parts(first, second);
        take(&t, 0, "barrier");
        take(&t, 1, "barrier");
        take(&t, 0, "amoadd_w");
        expect_word(&t, 5, 1, num > 30, __LINE__);
        karat_destroy(t.model);
        stream_free(&t.s);
    }
}

/* What an AMO has written tells which lane was the last before it: its result is that one's. */
static void lane_that_was_told(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    for (uint32_t told = 0; told < 0x404; told += 0x101)
        for (uint32_t old = 0; old < 0x404; old += 0x101) {
            const insn first[MAX_INSN] = {INSN("vsw12_v", 9, 0, 8)};
            const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 22, 20, 0)};
            scene t = two_parts(first, second);
            perform_lanes(&t, 0, take(&t, 0, "vsw12_v"));
            uint32_t amo = take(&t, 1, "amoadd_w");
            perform_as(&t, 1, amo, KARAT_MEM_AMO, told + 5);
            result(&t, 1, amo, old);
            outcome o = judge_scene(&t);
            if (o.verdict != (old == told ? KARAT_PASS : KARAT_MISMATCH))
                fail_msg("told %x, returned %x: %s\n%s", told, old, o.line, o.text);
            outcome_free(&o);
        }
}

/* Lanes of one store, all or some at once, to places and of sizes drawn at random; then an AMO of another warp, with an old value
 * drawn from what they may have left or near it. Each byte is that of any lane that was among the last to write it (of an ascending core:
 * the highest of them), or what was there before. */
static void amo_behind_any_lanes(void **state) {
    (void)state;
    static const char *const store[] = {"vsb12_v", "vsh12_v", "vsw12_v"};
    static const char *const amo[] = {"amoadd_w", "amoxor_w", "amoand_w", "amomaxu_w", "amoswap_w"};
    const uint32_t num = share_of(5) < 5 ? 120 : 1000;
    mem_order = KARAT_ORDER_PERFORMED;
    uint32_t passed = 0;
    for (uint32_t draw = 0; draw < num + (num == 120 ? 2 : 0); draw++) {
        const uint32_t seed = draw < num    ? draw
                              : draw == num ? 294
                                            : 259; /* bytes of unlike numbers of lanes */
        rng r = {seed * 7919 + 3};
        const uint32_t size = rng_below(&r, 4) % 3, which = rng_below(&r, 5);
        const bool ascends = rng_chance(&r, 25), told = rng_chance(&r, 70),
                   two = !ascends && rng_chance(&r, 40);
        const int32_t factor = (int32_t)rng_below(&r, 8), flip = (int32_t)rng_below(&r, 4);
        const int32_t of = (int32_t)rng_below(&r, 0x80000), more = (int32_t)rng_below(&r, 2048);
        const uint32_t first_lanes = two ? 1 + rng_below(&r, 14) : 15;
        props = PROPS | (ascends ? KARAT_PROP_ASCENDING : 0);
        tells = told ? TELLS_DATA : TELLS_MEM;
        const insn first[MAX_INSN] = {
            INSN("addi", 25, 0, factor),    INSN("vmul_vx", 8, 1, 25, 1),
            INSN("vxor_vi", 8, 8, flip, 1), INSN("vand_vi", 8, 8, 4 - (1 << size), 1),
            INSN("vadd_vx", 8, 8, 20, 1),   INSN("lui", 26, of),
            INSN("addi", 26, 26, more),     INSN("vmul_vx", 9, 1, 26, 1),
            INSN("vadd_vx", 9, 9, 26, 1),   INSN(store[size], 9, 0, 8)};
        const insn second[MAX_INSN] = {INSN("lui", 22, (int32_t)rng_below(&r, 0x1000) << 8),
                                       INSN(amo[which], 26, 22, 20, 0), INSN("lw", 27, 0, 20)};
        scene t = two_parts(first, second);
        const uint32_t n = take(&t, 0, store[size]);
        const karat_mem *m = &t.warp[0].pending[n].commit.mem;
        uint8_t may[4][4];
        uint32_t num_may[4] = {1, 1, 1, 1};
        for (uint32_t b = 0; b < 4; b++)
            may[b][0] = b == 0; /* there before */
        for (uint32_t part = 0; part < 1u + two; part++) {
            const uint32_t lanes = part ? 15 & ~first_lanes : first_lanes;
            perform_some(&t, 0, n, lanes);
            for (uint32_t b = 0; b < 4; b++) {
                uint32_t found = 0;
                for (uint32_t k = 0; k < 4; k++) {
                    const uint32_t at = (uint32_t)m->access[k].addr - SHARED;
                    if (!(lanes >> k & 1) || b - at >= 1u << size)
                        continue;
                    found = ascends ? 0 : found;
                    may[b][found++] = (uint8_t)(m->access[k].value >> 8 * (b - at));
                }
                num_may[b] = found ? found : num_may[b];
            }
        }
        const uint32_t a = take(&t, 1, amo[which]);
        const karat_commit *commit = &t.warp[1].pending[a].commit;
        uint32_t operand = 0, old = 0;
        for (uint32_t i = 0; i < commit->num_reads; i++)
            if (commit->read[i].source == 2)
                operand = commit->read[i].value[0];
        for (uint32_t b = 0; b < 4; b++)
            old |= (uint32_t)may[b][rng_below(&r, num_may[b])] << 8 * b;
        if (rng_chance(&r, 30)) /* what another lane has written, or none */
            old ^= rng_chance(&r, 50)
                       ? 1u << rng_below(&r, 32)
                       : (old ^ m->access[rng_below(&r, 4)].value) & 0xffu << 8 * rng_below(&r, 4);
        static const uint8_t funct[] = {0x00, 0x04, 0x0c, 0x1c, 0x01};
        uint32_t says = karat_amo_result(funct[which], old, operand);
        if (told && rng_chance(&r, 10))
            says ^= 1u << rng_below(&r, 32);
        bool legal = true, sayable = false;
        for (uint32_t b = 0; b < 4; b++) {
            bool some = false;
            for (uint32_t k = 0; k < num_may[b]; k++)
                some |= may[b][k] == (uint8_t)(old >> 8 * b);
            legal &= some;
        }
        const uint32_t words = num_may[0] * num_may[1] * num_may[2] * num_may[3];
        for (uint32_t w = 0; w < words; w++) {
            uint32_t value = 0, rest = w;
            for (uint32_t b = 0; b < 4; b++, rest /= num_may[b - 1])
                value |= (uint32_t)may[b][rest % num_may[b]] << 8 * b;
            sayable |= karat_amo_result(funct[which], value, operand) == says;
        }
        perform_as(&t, 1, a, KARAT_MEM_AMO, says);
        result(&t, 1, a, old);
        const uint32_t load = take(&t, 1, "lw"), left = karat_amo_result(funct[which], old, operand);
        perform(&t, 1, load);
        result(&t, 1, load, left);
        t.left = left;
        t.mask = UINT32_MAX;
        outcome o = judge_scene(&t);
        const bool right = legal && (!told || says == left);
        const char *want = right              ? "karat: PASS "
                           : told && !sayable ? "karat: MISMATCH (wrong data stored)"
                                              : "karat: MISMATCH (wrong value written)";
        if (strncmp(o.line, want, strlen(want)) != 0)
            fail_msg("seed %u: %s\n%s\nold %x, written %x, expected %s", seed, o.line, o.text, old, says,
                     want);
        passed += right;
        outcome_free(&o);
    }
    assert_in_range(passed, num / 3, num - num / 10);
    props = PROPS;
    tells = TELLS_DATA;
}

/* Of an ascending core one lane's value is there in all its bytes. */
static void lanes_leave_one_value(void **state) {
    (void)state;
    props = PROPS | KARAT_PROP_ASCENDING;
    mem_order = KARAT_ORDER_PERFORMED;
    for (uint32_t byte = 0; byte < 4; byte += 1 + (byte == 0)) { /* 1 is the model's */
        const insn first[MAX_INSN] = {INSN("vsh12_v", 9, 0, 8)}, second[MAX_INSN] = {INSN("lhu", 27, 0, 20)};
        scene t = two_parts(first, second);
        uint32_t load = take(&t, 1, "lhu");
        perform_lanes(&t, 0, take(&t, 0, "vsh12_v"));
        perform(&t, 1, load);
        result(&t, 1, load, 0x300 | byte);
        end(&t, byte == 3 ? &unordered : &wrong_value);
    }
    props = PROPS;
}

/* Where MEM's order does not tell. A store before the first atomic of a word, by the same warp: another warp's atomic may have
 * come before it all the same. */
static void atomic_before_an_older_store(void) {
    if (mem_order == KARAT_ORDER_PERFORMED)
        return;
    const insn first[MAX_INSN] = {INSN("sw", 22, 0, 20), INSN("amoadd_w", 25, 21, 20, 0)};
    const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 21, 20, 0)};
    scene t = two_parts(first, second);
    perform(&t, 0, take(&t, 0, "sw"));
    uint32_t a = take(&t, 0, "amoadd_w"), b = take(&t, 1, "amoadd_w");
    perform_as(&t, 1, b, KARAT_MEM_AMO, 2);
    result(&t, 1, b, 1);
    perform_as(&t, 0, a, KARAT_MEM_AMO, 6);
    result(&t, 0, a, 5);
    static const wanted reordered = {"karat: PASS ", 0, 1, 0};
    end(&t, &reordered);
}

/* A load gets nothing of its own warp's later AMO; nor what that shows not to have been there, though the model has it. */
static void load_before_an_amo(void) {
    if (mem_order == KARAT_ORDER_PERFORMED)
        return;
    for (uint32_t value = 0; value < 8; value++)
        for (int stored = 0; stored < 2; stored++) {
            const insn first[MAX_INSN] = {INSN("lw", 25, 0, 20), INSN("amoadd_w", 26, 22, 20, 0)};
            const insn second[MAX_INSN] = {INSN("sw", 22, 0, 20)};
            scene t = two_parts(first, second);
            if (stored)
                perform(&t, 1, take(&t, 1, "sw"));
            uint32_t load = take(&t, 0, "lw"), amo = take(&t, 0, "amoadd_w");
            perform(&t, 0, load);
            perform_as(&t, 0, amo, KARAT_MEM_AMO, 6);
            result(&t, 0, amo, 1);
            result(&t, 0, load, value);
            if (!stored)
                perform(&t, 1, take(&t, 1, "sw"));
            outcome o = judge_scene(&t);
            if (o.verdict != (value == 1 ? KARAT_PASS : KARAT_MISMATCH))
                fail_msg("value %u, stored %d: %s\n%s", value, stored, o.line, o.text);
            outcome_free(&o);
        }
}

/* Nor what another's AMO writes that has found what this warp's later AMO wrote. */
static void load_before_two_amos(void) {
    if (mem_order == KARAT_ORDER_PERFORMED)
        return;
    static const uint32_t values[] = {1, 6, 7, 9};
    for (size_t i = 0; i < 2 * sizeof values / sizeof *values; i++) {
        const bool behind = i & 1; /* the other is issued behind the first one's answer: both are settled */
        const uint32_t value = values[i / 2];
        const insn first[MAX_INSN] = {INSN("lw", 25, 0, 20), INSN("amoadd_w", 26, 22, 20, 0)};
        const insn second[MAX_INSN] = {INSN("amoadd_w", 27, 21, 20, 0)};
        scene t = two_parts(first, second);
        const uint32_t load = take(&t, 0, "lw"), amo = take(&t, 0, "amoadd_w");
        uint32_t other = behind ? 0 : take(&t, 1, "amoadd_w");
        perform(&t, 0, load);
        perform_as(&t, 0, amo, KARAT_MEM_AMO, 6);
        if (behind) {
            result(&t, 0, amo, 1);
            other = take(&t, 1, "amoadd_w");
        }
        perform_as(&t, 1, other, KARAT_MEM_AMO, 7);
        if (!behind)
            result(&t, 0, amo, 1);
        result(&t, 1, other, 6);
        result(&t, 0, load, value);
        end(&t, value == 1 ? &pass : &wrong_value);
    }
}

/* The order of a warp's accesses is one of each byte: a load of one byte may come behind a store to another. */
static void load_behind_another_byte(void) {
    if (mem_order == KARAT_ORDER_PERFORMED)
        return;
    const insn first[MAX_INSN] = {INSN("lbu", 25, 0, 20), INSN("sb", 22, 1, 20)};
    const insn second[MAX_INSN] = {INSN("amoswap_w", 26, 22, 20, 0)};
    scene t = two_parts(first, second);
    uint32_t load = take(&t, 0, "lbu"), store = take(&t, 0, "sb"), amo = take(&t, 1, "amoswap_w");
    perform(&t, 0, store);
    perform(&t, 1, amo);
    result(&t, 1, amo, 0x501);
    perform(&t, 0, load);
    result(&t, 0, load, 5);
    end(&t, &unordered);
}

/* Lanes of one store around an AMO, and the load behind it: the lanes are in ascending order where the core says so. */
static void lanes_around_an_amo(void) {
    if (mem_order == KARAT_ORDER_PERFORMED)
        return;
    for (int ascends = 0; ascends < 2; ascends++)
        for (uint32_t value = 0; value < 0x404; value += 0x101) {
            props = PROPS | (ascends ? KARAT_PROP_ASCENDING : 0);
            const insn first[MAX_INSN] = {INSN("vsw12_v", 9, 0, 8)};
            const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 0, 20, 0), INSN("lw", 27, 0, 20)};
            scene t = two_parts(first, second);
            uint32_t store = take(&t, 0, "vsw12_v"), amo = take(&t, 1, "amoadd_w");
            if (tells != TELLS_NOTHING)
                perform_lanes(&t, 0, store);
            perform_as(&t, 1, amo, KARAT_MEM_AMO, 0x101);
            result(&t, 1, amo, 0x101);
            uint32_t load = take(&t, 1, "lw");
            perform(&t, 1, load);
            result(&t, 1, load, value);
            outcome o = judge_scene(&t);
            if (o.verdict != (value || !ascends ? KARAT_PASS : KARAT_MISMATCH))
                fail_msg("ascending %d, value %x: %s\n%s", ascends, value, o.line, o.text);
            outcome_free(&o);
        }
    props = PROPS;
}

static void orders_that_mem_does_not_tell(void **state) {
    (void)state;
    with_less(atomic_before_an_older_store);
    with_less(load_before_an_amo);
    with_less(load_before_two_amos);
    with_less(load_behind_another_byte);
    with_less(lanes_around_an_amo);
}

/* The host writes some bytes of two words behind one AMO and before another. */
static void say_host(scene *t, uint64_t addr, const uint8_t *bytes, uint32_t length) {
    record r = make_record(0, KARAT_REC_HOST, 0);
    r.host.addr = addr;
    r.host.length = length;
    memcpy(r.host.data, bytes, length);
    karat_write(t->model, addr, bytes, length);
    add(t, &r);
}

static void host_between_amos(void) {
    static const uint8_t bytes[] = {0x22, 0x33, 0x44, 0x55};
    const uint32_t right[2] = {0x44332206, 0x55}; /* what the second finds in each word */
    for (uint32_t word = 0; word < 2; word++)
        for (uint32_t wrong = 0; wrong < 5; wrong++) {
            const int32_t at = word ? 23 : 20;
            const insn first[MAX_INSN] = {INSN("amoadd_w", 25, 22, 20, 0)};
            const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 21, at, 0), INSN("lw", 27, 0, at)};
            scene t = two_parts(first, second);
            uint32_t amo = take(&t, 0, "amoadd_w");
            perform_as(&t, 0, amo, KARAT_MEM_AMO, 6);
            result(&t, 0, amo, 1);
            say_host(&t, SHARED + 1, bytes, 4);
            const uint32_t old = right[word] ^ (wrong ? 1u << 8 * (wrong - 1) : 0);
            amo = take(&t, 1, "amoadd_w");
            perform_as(&t, 1, amo, KARAT_MEM_AMO, old + 1);
            result(&t, 1, amo, old);
            uint32_t load = take(&t, 1, "lw");
            perform(&t, 1, load);
            result(&t, 1, load, old + 1);
            outcome o = judge_scene(&t);
            if (o.verdict != (wrong ? KARAT_MISMATCH : KARAT_PASS))
                fail_msg("order %u, tells %d, word %u, wrong %u: %s\n%s", mem_order, (int)tells, word, wrong,
                         o.line, o.text);
            outcome_free(&o);
        }
}

static void host_and_amos(void **state) {
    (void)state;
    with_less(host_between_amos);
}

/* A load that races with a store, and is behind what the host has written: what may be there, and what the report says. */
static void report_names_the_host(void **state) {
    (void)state;
    static const uint8_t byte = 9;
    for (mem_order = KARAT_ORDER_NONE; mem_order <= KARAT_ORDER_PERFORMED; mem_order++)
        for (uint32_t value = 0; value < 12; value++) {
            const insn first[MAX_INSN] = {INSN("sw", 22, 0, 20)}, second[MAX_INSN] = {INSN("lw", 27, 0, 20)};
            scene t = two_parts(first, second);
            say_host(&t, SHARED, &byte, 1);
            uint32_t load = take(&t, 1, "lw"), store = take(&t, 0, "sw");
            perform(&t, 1, load);
            perform(&t, 0, store);
            result(&t, 1, load, value);
            outcome o = judge_scene(&t);
            const bool right = value == 9 || (value == 5 && mem_order != KARAT_ORDER_PERFORMED);
            assert_int_equal(o.verdict, right ? KARAT_PASS : KARAT_MISMATCH);
            if (!right && !strstr(o.text, "    09  the host, in cycle "))
                fail_msg("%s", o.text);
            if (!right && !strstr(o.text, "    01  workgroup 0 warp 0 seq "))
                fail_msg("%s", o.text);
            outcome_free(&o);
        }
}

/* What an order was looked for of, and is in none: the host's writes, too, and how many are not shown. */
static void report_lists_all_kinds(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_NONE;
    tells = TELLS_NOTHING;
    for (uint8_t hosts = 1; hosts < 8; hosts++) {
        const insn first[MAX_INSN] = {INSN("regext", 0, 0, 0, 1), INSN("amoadd_w", 25, 22, 20, 0)};
        const insn second[MAX_INSN] = {INSN("amoadd_w", 26, 21, 20, 0)};
        scene t = two_parts(first, second);
        take(&t, 0, "regext");
        for (uint8_t n = 0; n < hosts; n++)
            say_host(&t, SHARED, &n, 1);
        uint32_t amo = take(&t, 1, "amoadd_w");
        result(&t, 1, amo, 4711);
        outcome o = finish(&t, &wrong_value);
        uint32_t named = 0;
        for (const char *at = o.text; (at = strstr(at, "\n                the host, in cycle ")); at++)
            named++;
        char more[40];
        snprintf(more, sizeof more, "and %u more\n", hosts + 2u - 6u);
        /* An AMO, the host's writes and an AMO: of these the first six. */
        if (named != (hosts < 5 ? hosts : 5u) ||
            !strstr(o.text, "x57, x22, (x20)  {regext}, issued in cycle ") ||
            (strstr(o.text, " more\n") != NULL) != (hosts > 4) || (hosts > 4 && !strstr(o.text, more)))
            fail_msg("%u: %s", hosts, o.text);
        outcome_free(&o);
    }
    tells = TELLS_DATA;
}

/* More accesses to one word than a search takes: nothing is claimed of an AMO, a load and memory at the end, and the report says
 * which was the first. */
static void nothing_is_claimed(void **state) {
    (void)state;
    static const char *const texts[] = {
        "results could not be judged, the first of workgroup 0 warp 0 seq ",
        "too many accesses of other warps to that word are under way",
        "results could not be judged, the first of workgroup 0 warp 1 seq ",
        "too many accesses of other warps to a word that it loads are under way",
        "the first of memory at 0x90003000: ",
        "too many accesses of several warps to that word",
    };
    mem_order = KARAT_ORDER_NONE;
    tells = TELLS_NOTHING;
    for (int which = 0; which < 3; which++) {
        const insn first[MAX_INSN] = {INSN("amoadd_w", 25, 22, 20, 0)};
        const insn second[MAX_INSN] = {INSN("lbu", 27, 0, 20)};
        scene t = two_parts(first, second);
        uint32_t amo = take(&t, 0, "amoadd_w");
        uint32_t load = which == 1 ? take(&t, 1, "lbu") : 0;
        if (which == 2)
            result(&t, 0, amo, 1);
        for (uint8_t n = 0; n < 70; n++)
            say_host(&t, SHARED, &n, 1);
        result(&t, 1, which == 1 ? load : take(&t, 1, "lbu"), which == 1 ? 200 : 69);
        if (which != 2)
            result(&t, 0, amo, which == 0 ? 0x12345 : 1);
        t.left = 200;
        t.mask = which == 2 ? 0xff : 0;
        outcome o = judge_scene(&t);
        if (o.verdict != KARAT_INCOMPLETE || !strstr(o.text, texts[2 * which]) ||
            !strstr(o.text, texts[2 * which + 1]))
            fail_msg("%d: %s\n%s", which, o.line, o.text);
        assert_true(count_of(&o, "unjudged") > 0 && count_of(&o, "unjudged") < 4);
        outcome_free(&o);
    }
    tells = TELLS_DATA;
}

/* Of accesses that are issued when there are more than a search takes, nothing is claimed either: what an AMO has written, and
 * whether an SC has stored. */
static void nothing_is_claimed_of_later_ones(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_NONE;
    for (int data_first = 0; data_first < 2; data_first++)
        for (int sc = 0; sc < 2; sc++) {
            const insn first[MAX_INSN] = {INSN("amoadd_w", 25, 22, 20, 0)};
            const insn amos[MAX_INSN] = {INSN("amoadd_w", 27, 22, 20, 0)};
            const insn pair[MAX_INSN] = {INSN("lr_w", 27, 20, 0), INSN("sc_w", 28, 22, 20, 0)};
            const insn *second = sc ? pair : amos;
            scene t = two_parts(first, second);
            const uint32_t amo = take(&t, 0, "amoadd_w");
            for (uint8_t n = 0; n < 70; n++)
                say_host(&t, SHARED, &n, 1);
            uint32_t late = take(&t, 1, second[0].row);
            if (sc) {
                perform(&t, 1, late);
                result(&t, 1, late, 69);
                late = take(&t, 1, "sc_w");
            }
            if (!data_first)
                result(&t, 1, late, sc ? 0 : 0x4711);
            perform_as(&t, 1, late, KARAT_MEM_AMO, sc ? 5 : 0x4716);
            if (data_first)
                result(&t, 1, late, sc ? 0 : 0x4711);
            perform_as(&t, 0, amo, KARAT_MEM_AMO, 6);
            result(&t, 0, amo, 1);
            t.left = 200;
            t.mask = 0;
            outcome o = judge_scene(&t);
            if (o.verdict != KARAT_INCOMPLETE || !count_of(&o, "unjudged"))
                fail_msg("data first %d, sc %d: %s\n%s", data_first, sc, o.line, o.text);
            outcome_free(&o);
        }
}

/* MEM and WRITE of a vector load, of the lanes that go into the nth register that it writes. */
static void load_lanes(scene *t, uint32_t warp, const access *x, uint32_t n) {
    record r = make_record(warp, KARAT_REC_MEM, x->seq);
    const uint32_t part = x->commit.write[n].reg % 2;
    r.mem.op = KARAT_MEM_LOAD;
    for (uint32_t k = 0; k < x->commit.mem.num; k++)
        if (x->commit.mem.access[k].reg == part) {
            const uint32_t lane = x->commit.mem.access[k].lane;
            r.mem.mask |= 1u << lane;
            r.mem.addr[lane] = (uint32_t)x->commit.mem.access[k].addr;
            r.mem.bytes[lane / 2] |= (uint8_t)(15u << lane % 2 * 4);
        }
    add(t, &r);
}

/* lanes: those that get value, the others what the model has. */
static void give_lanes(scene *t, uint32_t warp, const access *x, uint32_t n, uint32_t lanes, uint32_t value) {
    record r = make_record(warp, KARAT_REC_WRITE, x->seq);
    r.write.cls = KARAT_V;
    r.write.regno = x->commit.write[n].reg;
    r.write.mask = x->commit.write[n].mask;
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++)
        r.write.data[lane] = lanes >> lane & 1 ? value : x->commit.write[n].value[lane];
    add(t, &r);
}

/* A load of a group of registers races with stores to what goes into both; or into the second, where v0 masks all lanes of the first. */
static void groups_of_registers(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_NONE;
    tells = TELLS_DATA;
    for (uint32_t from = 0; from < 2; from++)
        for (uint32_t reg = from; reg < 2; reg++)
            for (uint32_t value = 0; value < 7; value++) {
                const insn first[MAX_INSN] = {INSN("sw", 22, 0, 20), INSN("sw", 21, 16, 20)};
                const insn second[MAX_INSN] = {INSN("vmv_v_i", 0, 0), INSN("vmv_v_i", 1, 1),
                                               INSN("vsetvli", 24, 0, 0xd1),
                                               INSN("vle32_v", 20, 20, from ? 0 : 1)};
                scene t = two_parts(first, second);
                const uint32_t load = take(&t, 1, "vle32_v");
                const uint32_t a = take(&t, 0, "sw"), b = take(&t, 0, "sw");
                perform(&t, 0, a);
                perform(&t, 0, b);
                const access *x = &t.warp[1].pending[load];
                assert_int_equal(x->commit.num_writes, 2 - from);
                for (uint32_t n = 0; n < x->commit.num_writes; n++)
                    load_lanes(&t, 1, x, n);
                for (uint32_t n = 0; n < x->commit.num_writes; n++)
                    give_lanes(&t, 1, x, n, 1, n + from == reg ? value : x->commit.write[n].value[0]);
                const uint32_t before = x->commit.write[reg - from].value[0], other = reg ? 1 : 5;
                end(&t, value == before ? &pass : value == other ? &unordered : &wrong_value);
            }
}

/* Of a coherent core, what was performed before a load of a group is what either register gets. */
static void stale_in_a_group(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    tells = TELLS_DATA;
    for (uint32_t reg = 0; reg < 2; reg++)
        for (uint32_t value = 0; value < 7; value++) {
            const insn first[MAX_INSN] = {INSN("sw", 22, 0, 20), INSN("sw", 21, 16, 20)};
            const insn second[MAX_INSN] = {INSN("vsetvli", 24, 0, 0xd1), INSN("vle32_v", 20, 20, 1)};
            scene t = two_parts(first, second);
            const uint32_t load = take(&t, 1, "vle32_v");
            const uint32_t a = take(&t, 0, "sw"), b = take(&t, 0, "sw");
            perform(&t, 0, a);
            perform(&t, 0, b);
            const access *x = &t.warp[1].pending[load];
            for (uint32_t n = 0; n < 2; n++)
                load_lanes(&t, 1, x, n);
            for (uint32_t n = 0; n < 2; n++)
                give_lanes(&t, 1, x, n, 1, n == reg ? value : n ? 1 : 5);
            static const wanted both = {"karat: PASS ", 2, 0, 0};
            end(&t, value == (reg ? 1 : 5) ? &both : &wrong_value);
        }
}

/* With a stride of 0 a lane loads one word into both registers of a group, and MEM does not say for which: of two, with a store between
 * them, each register may have either; behind the store, neither what was there before. */
static void one_word_in_both_registers(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    tells = TELLS_DATA;
    for (uint32_t at = 0; at < 3; at++) /* how many MEMs come before the store */
        for (uint32_t values = 0; values < 9; values++)
            for (uint32_t order = 0; order < 2; order++) {
                const insn first[MAX_INSN] = {INSN("sw", 22, 0, 20)};
                const insn second[MAX_INSN] = {INSN("vsetvli", 24, 0, 0xd1), INSN("vlse32_v", 20, 20, 0, 1)};
                scene t = two_parts(first, second);
                const uint32_t load = take(&t, 1, "vlse32_v"), store = take(&t, 0, "sw");
                const access *x = &t.warp[1].pending[load];
                const uint32_t before = x->commit.write[0].value[0], behind = 5;
                const uint32_t got[] = {before, behind, 77};
                for (uint32_t n = 0; n < 3; n++) {
                    if (n == at)
                        perform(&t, 0, store);
                    if (n < 2)
                        load_lanes(&t, 1, x, n ^ order);
                }
                const uint32_t value[2] = {got[values % 3], got[values / 3]};
                bool good = true;
                wanted legal = pass;
                for (uint32_t n = 0; n < 2; n++) {
                    give_lanes(&t, 1, x, n, UINT32_MAX, value[n]);
                    good &= at == 0 ? value[n] == behind : at == 2 ? value[n] == before : value[n] != 77;
                    legal.unordered += value[n] != before;
                }
                end(&t, good ? &legal : &wrong_value);
            }
}

/* A load is under way when another warp stores to what one of its lanes loads, and more stores come than are remembered, before its MEM or
 * behind it, or nearly so many: which lanes may have got what nobody remembers. */
static void loads_that_wait_for_long(void **state) {
    (void)state;
    mem_order = KARAT_ORDER_PERFORMED;
    tells = TELLS_DATA;
    for (uint32_t n = 0; n < 2 * 3 * 2 * 3; n++) {
        const bool coherent = n & 1, before = n / 2 & 1; /* MEM */
        const uint32_t lane = 1 + n / 4 % 3, age = NUM_LOG - 1 + n / 12 % 3 % 2;
        const bool told = n / 12 == 2; /* the value that was stored */
        const insn first[MAX_INSN] = {INSN("sw", 22, 8, 20)};
        const insn second[MAX_INSN] = {INSN("vsetvli", 24, 0, 0xd0), INSN("vle32_v", 20, 20, 1)};
        props = coherent ? PROPS : KARAT_PROP_FLUSHED;
        scene t = two_parts(first, second);
        const uint32_t load = take(&t, 1, "vle32_v"), store = take(&t, 0, "sw");
        perform(&t, 0, store);
        const access *x = &t.warp[1].pending[load];
        age_at = before ? t.s.num : t.s.num + 1;
        age_by = age;
        load_lanes(&t, 1, x, 0);
        give_lanes(&t, 1, x, 0, 1u << lane, told ? 5 : 77);
        const bool forgotten = age == NUM_LOG, raced = lane == 2 || before;
        const bool stored = told && lane == 2 && !forgotten;
        outcome o = judge_scene(&t);
        const karat_verdict want = coherent && forgotten && raced               ? KARAT_INCOMPLETE
                                   : stored || (told && lane == 2 && !coherent) ? KARAT_PASS
                                                                                : KARAT_MISMATCH;
        if (o.verdict != want || count_of(&o, "unjudged") != (want == KARAT_INCOMPLETE))
            fail_msg("%u: %s\n%s", n, o.line, o.text);
        if (want == KARAT_PASS)
            assert_int_equal(count_of(&o, "unordered"), 1);
        outcome_free(&o);
    }
    age_by = 0;
    props = PROPS;
}

/* Of a core that gives no WRITE: what a load or an atomic has returned is not told where warps race; elsewhere it is the
 * model's. */
static void untold_race(const char *what, karat_verdict want) {
    program p = {.num = 0};
    put_prologue(&p);
    put(&p, "lui", 20, (DATA_BASE + 0x3000) >> 12);
    put(&p, "sub", 21, 20, 10);
    put(&p, "mul", 21, 21, 7);
    put(&p, "add", 21, 21, 10); /* the same in warp 1, own data in warp 0 */
    if (strcmp(what, "store") == 0) {
        put(&p, "sw", 7, 0, 20);
        put(&p, "lw", 13, 0, 20);
    } else if (strcmp(what, "own") == 0) {
        put(&p, "sw", 7, 0, 10);
        put(&p, "lw", 13, 0, 10);
    } else if (strcmp(what, "barrier") == 0) {
        put(&p, "sw", 7, 0, 21);
        put(&p, "barrier", 0);
        put(&p, "lw", 13, 0, 20);
    } else if (strcmp(what, "amo") == 0) {
        put(&p, "amoadd_w", 13, 7, 20, 0);
    } else if (strcmp(what, "lds") == 0) { /* at the same addresses, of another workgroup */
        put(&p, "sw", 7, 0, 11);
        put(&p, "lw", 13, 0, 11);
    } else if (strncmp(what, "lanes", 5) ==
               0) { /* of warp 1 from the last lane of warp 0 on, or from behind it */
        put(&p, "addi", 22, 0, what[5] - '0');
        put(&p, "mul", 22, 22, 7);
        put(&p, "add", 22, 22, 20);
        put(&p, "vadd_vx", 4, 2, 22, 1);
        put(&p, "vsw12_v", 1, 0, 4);
        put(&p, "vlw12_v", 6, 0, 4);
        put(&p, "vmv_x_s", 13, 1);
    } else if (strcmp(what, "loads") == 0) {
        put(&p, "lw", 13, 0, 20);
    } else { /* the load is issued before the store */
        put(&p, "lw", 13, 0, 20);
        put(&p, "sw", 7, strcmp(what, "behind") == 0 ? 0 : 4, 21);
    }
    put(&p, "barrier", 0); /* whatever it is, it has happened */
    put(&p, "addi", 14, 13, 1);
    put0(&p, "endprg");
    for (int mem = 0; mem < 2; mem++) {
        core_options o = core_default();
        o.audit_percent = 0;
        o.workgroups = strcmp(what, "lds") == 0 ? 2 : 1;
        o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
        o.gives &= mem ? ~0u : ~(1u << KARAT_REC_MEM);
        stream s = run_program(&p, &o);
        PASSES(&s);
        s.at[of(&s, issue_of(&s, 0, "addi", strncmp(what, "lanes", 5) == 0), KARAT_REC_READ, 0)]
            .read.data[0] ^= 4;
        outcome out = judge(&s);
        if (out.verdict != want || !strstr(out.text, "this may come of a value") != (want == KARAT_MISMATCH))
            fail_msg("%s: %s\n%s", what, out.line, out.text);
        assert_null(strstr(out.text, "has landed")); /* none is told */
        outcome_free(&out);
        stream_free(&s);
    }
}

static void untold_races(void **state) {
    (void)state;
    untold_race("store", KARAT_INCOMPLETE);
    untold_race("amo", KARAT_INCOMPLETE);
    untold_race("behind", KARAT_INCOMPLETE);
    untold_race("beside", KARAT_MISMATCH);
    untold_race("loads", KARAT_MISMATCH);
    untold_race("own", KARAT_MISMATCH);
    untold_race("barrier", KARAT_MISMATCH);
    untold_race("lds", KARAT_MISMATCH);
    untold_race("lanes<", KARAT_INCOMPLETE); /* 12 */
    untold_race("lanes@", KARAT_MISMATCH);   /* 16 */
}

/* Races of one kernel are none of the next where all of memory is known to be the model's. */
static void untold_before_a_kernel(void **state) {
    (void)state;
    core_options o = fixture_options();
    o.kernels = 2;
    o.gives &= ~(1u << KARAT_REC_WRITE | 1u << KARAT_REC_AUDIT);
    stream s = run_fixture(&o);
    const size_t kernel = nth(&s, KARAT_REC_KERNEL, 1);
    size_t first = kernel;
    while (s.at[first - 1].h.kind == KARAT_REC_REGION)
        first--;
    assert_true(kernel - first >= 2);
    for (uint32_t hashed = 0; hashed < 1u << (kernel - first); hashed++)
        for (uint32_t flushed = 0; flushed < 2; flushed++) {
            s.at[0].hello.props = flushed ? KARAT_PROP_FLUSHED : 0;
            for (size_t i = first; i < kernel; i++)
                s.at[i].region.hash_valid = hashed >> (i - first) & 1;
            karat_checker *c = karat_checker_create(&(karat_check_config){.model = judge_config().model});
            assert_non_null(c);
            for (size_t i = 0; i <= kernel; i++) {
                assert_false(karat_checker_record(c, &s.at[i], karat_rec_size(s.at[i].h.kind)));
                c->raced |= i < kernel;
                c->late_mem |= i < kernel;
            }
            assert_int_equal(c->raced, !flushed || hashed + 1 != 1u << (kernel - first));
            assert_int_equal(c->late_mem, c->raced);
            karat_checker_destroy(c);
        }
    stream_free(&s);
}

int run_order_tests(void) {
    const struct CMUnitTest list[] = {
        cmocka_unit_test(load_of_a_store_before_it),
        cmocka_unit_test(load_of_a_store_behind_it),
        cmocka_unit_test(load_of_many_stores),
        cmocka_unit_test(load_before_a_barrier),
        cmocka_unit_test(own_stores),
        cmocka_unit_test(order_of_amos),
        cmocka_unit_test(amos_that_tell_late),
        cmocka_unit_test(report_names_the_atomics),
        cmocka_unit_test(order_of_scs),
        cmocka_unit_test(who_has_written),
        cmocka_unit_test(order_of_silent_scs),
        cmocka_unit_test(order_of_unwritten_scs),
        cmocka_unit_test(scs_that_lie),
        cmocka_unit_test(host_writes),
        cmocka_unit_test(order_of_stores),
        cmocka_unit_test(left_in_memory),
        cmocka_unit_test(order_of_lanes),
        cmocka_unit_test(stale_in_a_cache),
        cmocka_unit_test(report_names_the_writes),
        cmocka_unit_test(overtaken_by_two),
        cmocka_unit_test(prefixed_are_named),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(any_fence_counts),
        cmocka_unit_test(pairs_are_forgotten),
        cmocka_unit_test(what_comes_first),
        cmocka_unit_test(what_is_remembered),
        cmocka_unit_test(memory_behind_many_stores),
        cmocka_unit_test(many_words),
        cmocka_unit_test(scs_to_other_words),
        cmocka_unit_test(sc_is_doomed),
        cmocka_unit_test(many_releases),
        cmocka_unit_test(amo_elsewhere),
        cmocka_unit_test(frozen_puts_nothing_first),
        cmocka_unit_test(failing_sc_and_fence),
        cmocka_unit_test(many_failed_scs),
        cmocka_unit_test(fence_releases_its_set),
        cmocka_unit_test(release_and_acquire),
        cmocka_unit_test(lanes_before_an_amo),
        cmocka_unit_test(lane_that_was_told),
        cmocka_unit_test(what_a_word_begins_with),
        cmocka_unit_test(load_before_the_result),
        cmocka_unit_test(lanes_beside_what_was_there),
        cmocka_unit_test(amo_behind_any_lanes),
        cmocka_unit_test(lanes_leave_one_value),
        cmocka_unit_test(orders_that_mem_does_not_tell),
        cmocka_unit_test(host_and_amos),
        cmocka_unit_test(report_names_the_host),
        cmocka_unit_test(report_lists_all_kinds),
        cmocka_unit_test(nothing_is_claimed),
        cmocka_unit_test(nothing_is_claimed_of_later_ones),
        cmocka_unit_test(groups_of_registers),
        cmocka_unit_test(stale_in_a_group),
        cmocka_unit_test(one_word_in_both_registers),
        cmocka_unit_test(fences_that_are_named),
        cmocka_unit_test(loads_that_wait_for_long),
        cmocka_unit_test(untold_races),
        cmocka_unit_test(untold_before_a_kernel),
    };
    return _cmocka_run_group_tests("races", list, sizeof list / sizeof *list, NULL, NULL);
}
