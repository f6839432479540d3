/* Results of loads and atomics that an instruction uses before their WRITE, of a core that forwards them:
 * warp 1 loads what warp 0 stores to, and has something other than the model where the store was performed
 * first. */
#include "judge.h"
#include "scene.h"

#include <stdio.h>
#include <string.h>

/* Whether the operand of what uses the result is reported: by its READ; not, by a core that provides READ,
 * and another instruction is issued before the WRITE comes, or not; by one that gives none. */
typedef enum reads { TOLD, LEFT_OUT, LEFT_OUT_AT_ONCE, NONE } reads;
enum { LOADER = 1, STORER = 0, LOADED = 27, STORED = 5, KEPT = 25 };

typedef struct early {
    program p;
    stream s;
    karat_model *model; /* As the core has it: its registers are changed where a load gets something else */
    uint64_t cycle;
    uint32_t seq[2];
    reads reads;
    uint32_t mem_order, bits; /* Bits: of a READ of v0 */
    bool interlocked, no_mem;
    bool any_lanes;  /* Of a store come in any order */
    bool unwritten;  /* Registers hold what the last owner left */
    bool keeps_part; /* The READ of v25, a group's second register, is said by say_part() */
    record part;
    size_t forget_at; /* Before that record the log of writes forgets all; 0: never */
} early;

static early begin_early(void) {
    early t = {.mem_order = KARAT_ORDER_PERFORMED};
    put_prologue(&t.p);
    put(&t.p, "lui", 20, (int32_t)(SHARED >> 12));
    put(&t.p, "addi", 22, 0, STORED);
    put_code(&t.p, "vadd_vx 4 2 20 1; vmv_v_x 9 22");
    return t;
}

static void launch(early *t) {
    put0(&t->p, "endprg");
    core_options o = core_default();
    o.workgroups = 1;
    o.num_warp = 2;
    o.audit_percent = 0;
    o.uncounted = true;
    o.regs = t->unwritten ? KARAT_REGS_UNKNOWN : o.regs;
    o.gives &= ~(1u << KARAT_REC_CSR);
    o.gives &= t->no_mem ? ~(1u << KARAT_REC_MEM) : ~0u;
    o.gives &= t->reads == NONE ? ~(1u << KARAT_REC_READ) : ~0u;
    t->model = say_launches(&t->s, &t->cycle, NULL, &t->p, &o);
    t->s.at[0].hello.mem_order = (uint8_t)t->mem_order;
    t->s.at[0].hello.props = KARAT_PROP_FLUSHED | KARAT_PROP_COHERENT |
                             (t->any_lanes ? 0 : KARAT_PROP_ASCENDING) |
                             (t->interlocked ? KARAT_PROP_INTERLOCKED : 0);
}

static karat_commit issue(early *t, uint32_t warp) {
    karat_commit m;
    assert_int_equal(karat_step(t->model, warp, &m), KARAT_OK);
    keep_values(t->model, &m);
    const uint32_t seq = t->seq[warp]++;
    const size_t at = t->s.num + 1;
    say_step(&t->s, &t->cycle, warp, seq, &m, 3);
    for (uint32_t i = 0; t->reads == TOLD && i < m.num_reads; i++) {
        record r = make_record(warp, KARAT_REC_READ, 0);
        r.h.cycle = t->s.at[at - 1].h.cycle;
        r.read.seq = seq;
        r.read.source = m.read[i].source;
        r.read.part = m.read[i].part;
        r.read.cls = m.read[i].cls;
        r.read.mask = m.read[i].cls == KARAT_CLASS_X ? 1 : 15;
        r.read.bits = m.read[i].source == 0 ? (uint8_t)t->bits : 0;
        memcpy(r.read.data, m.read[i].value, sizeof r.read.data);
        if (t->keeps_part && m.read[i].cls == KARAT_CLASS_V && m.read[i].reg == KEPT)
            t->part = r;
        else
            stream_insert(&t->s, at, &r);
    }
    return m;
}

/* Up to and including the next memory access, or the first instruction of the two parts. */
static karat_commit access_of(early *t, uint32_t warp) {
    for (;;) {
        const karat_commit m = issue(t, warp);
        if (m.has_mem)
            return m;
    }
}

static void perform(early *t, uint32_t warp, uint32_t seq, const karat_commit *m) {
    record r = make_record(warp, KARAT_REC_MEM, seq);
    r.mem.op = m->mem.op;
    for (uint32_t k = 0; k < m->mem.num; k++) {
        const karat_access a = karat_mem_access(&m->mem, k);
        r.mem.mask |= 1u << a.lane;
        r.mem.addr[a.lane] = (uint32_t)a.addr;
        r.mem.bytes[a.lane / 2] |= (uint8_t)(((1u << a.bytes) - 1) << a.lane % 2 * 4);
        r.mem.data[a.lane] = m->mem.op == KARAT_LOAD ? 0 : a.value;
    }
    r.mem.no_data = m->mem.op == KARAT_AMO;
    if (!t->no_mem)
        say(&t->s, &t->cycle, &r);
}

static void result_of(early *t, uint32_t warp, uint32_t seq, const karat_commit *m, const uint32_t *value) {
    record r = make_record(warp, KARAT_REC_WRITE, seq);
    r.write.cls = m->write[0].cls;
    r.write.regno = m->write[0].reg;
    r.write.mask = m->write[0].mask;
    memcpy(r.write.data, value, sizeof r.write.data);
    say(&t->s, &t->cycle, &r);
}

static void result(early *t, uint32_t seq, const karat_commit *m, const uint32_t *value) {
    result_of(t, LOADER, seq, m, value);
}

/* Final memory, and the verdict. */
static outcome judge_early(early *t) {
    for (uint32_t warp = 0; warp < 2; warp++)
        for (karat_warp_view view; karat_view(t->model, warp, &view) == KARAT_OK && view.live;)
            issue(t, warp);
    record r = make_record(0, KARAT_REC_BYE, 0);
    r.bye.reason = KARAT_BYE_DONE;
    say(&t->s, &t->cycle, &r);
    const karat_check_config config = judge_config();
    karat_checker *c = karat_checker_create(&config);
    assert_non_null(c);
    for (size_t i = 0; i < t->s.num && !is_done(c); i++) {
        if (t->forget_at && i == t->forget_at)
            age_log(c, 5000);
        karat_checker_record(c, &t->s.at[i], karat_rec_size(t->s.at[i].h.kind));
    }
    const outcome o = conclude(c);
    karat_destroy(t->model);
    stream_free(&t->s);
    return o;
}

static const char right[] = "karat: PASS ", wrong_read[] = "karat: MISMATCH (wrong operand read)",
                  wrong_result[] = "karat: MISMATCH (wrong value written)",
                  no_verdict[] = "karat: INCOMPLETE";

static void expect(early *t, const char *what, const char *line, const char *text, int64_t unordered,
                   int at) {
    scoped_outcome o = judge_early(t);
    if (strncmp(o.line, line, strlen(line)) != 0 || (text && !strstr(o.text, text)))
        fail_msg("line %d: %s: %s\n%s\nexpected %s: %s", at, what, o.line, o.text, line, text ? text : "");
    if (unordered >= 0 && count_of(&o, "unordered") != unordered)
        fail_msg("line %d: %s: unordered %d", at, what, (int)count_of(&o, "unordered"));
}

/* --- A scalar load --- */

/* The uses of the loaded word. */
static const char *const users[] = {"addi", "twice", "beq", "sw", "address", "csrrw", "vmv_v_x", "slow"};
enum { NUM_USERS = sizeof users / sizeof *users };

static void put_user(program *p, const char *user) {
    if (strcmp(user, "addi") == 0)
        put(p, "addi", 28, LOADED, 3);
    else if (strcmp(user, "twice") == 0)
        put(p, "add", 28, LOADED, LOADED);
    else if (strcmp(user, "beq") == 0)
        put(p, "beq", LOADED, 0, 8);
    else if (strcmp(user, "sw") == 0)
        put(p, "sw", LOADED, 64, 20);
    else if (strcmp(user, "address") == 0) {
        put(p, "slli", 29, LOADED, 2);
        put_code(p, "add 29 29 20; sb 0 64 29");
    } else if (strcmp(user, "csrrw") == 0)
        put(p, "csrrw", 0, 0x340, LOADED);
    else if (strcmp(user, "vmv_v_x") == 0)
        put(p, "vmv_v_x", 8, LOADED);
    else if (strcmp(user, "slow") ==
             0) { /* Before it comes what does not use it, and what writes it anew is after */
        put(p, "vmv_v_i", LOADED, 1);
        put(p, "add", 29, LOADED, LOADED);
    }
    put_code(p, "addi 30 0 1; addi 31 0 2");
}

/* The store is performed before the load, or in no order that is reported. The core's value, and its WRITE
 * in the end. */
typedef struct scalar {
    const char *user;
    reads reads;
    uint32_t mem_order;
    uint32_t got, written;
    enum {
        RACING,
        ELSEWHERE,
        INTERLOCKED
    } kind; /* The store is elsewhere; the core says that it waits for WRITEs */
} scalar;

static void expect_scalar(const scalar *x, const char *line, const char *text, int64_t unordered, int at) {
    early t = begin_early();
    t.reads = x->reads;
    t.mem_order = x->mem_order;
    t.interlocked = x->kind == INTERLOCKED;
    uint32_t skip = put_part(&t.p, STORER);
    put(&t.p, "sw", 22, x->kind == ELSEWHERE ? 32 : 0, 20);
    put_end_part(&t.p, skip, STORER);
    skip = put_part(&t.p, LOADER);
    put(&t.p, "lw", LOADED, 0, 20);
    put_user(&t.p, x->user);
    put_end_part(&t.p, skip, LOADER);
    launch(&t);
    const karat_commit load = access_of(&t, LOADER);
    const uint32_t seq = t.seq[LOADER] - 1;
    const karat_commit store = access_of(&t, STORER);
    perform(&t, STORER, t.seq[STORER] - 1, &store);
    perform(&t, LOADER, seq, &load);
    const uint32_t got[KARAT_MAX_THREAD] = {x->got}, written[KARAT_MAX_THREAD] = {x->written};
    karat_adopt(t.model, LOADER, KARAT_CLASS_X, LOADED, 1, got);
    const int slow = strcmp(x->user, "slow") == 0 || strcmp(x->user, "address") == 0;
    for (int i = 0; i < 1 + slow + (x->reads == LEFT_OUT); i++) {
        const karat_commit use = issue(&t, LOADER);
        if (use.has_mem)
            perform(&t, LOADER, t.seq[LOADER] - 1, &use);
    }
    result(&t, seq, &load, written);
    const karat_commit next = issue(&t, LOADER);
    if (next.has_mem)
        perform(&t, LOADER, t.seq[LOADER] - 1, &next);
    expect(&t, x->user, line, text, unordered, at);
}
#define SCALAR(line, text, unordered, ...)                                                                   \
    expect_scalar(&(scalar){__VA_ARGS__}, line, text, unordered, __LINE__)

TEST(read_tells) {
    static const char told[] = "a READ has reported another result before this WRITE, lanes 00000001";
    for (uint32_t i = 0; i < NUM_USERS; i++) {
        const char *const user = users[i];
        SCALAR(right, NULL, 1, user, TOLD, KARAT_ORDER_PERFORMED, STORED, STORED, RACING);
        SCALAR(wrong_result, NULL, -1, user, TOLD, KARAT_ORDER_PERFORMED, 0, 0,
               RACING); /* The store was there */
        SCALAR(wrong_read, NULL, -1, user, TOLD, KARAT_ORDER_PERFORMED, 4, 4, RACING);
        SCALAR(wrong_result, told, -1, user, TOLD, KARAT_ORDER_PERFORMED, STORED, 0, RACING);
        SCALAR(right, NULL, 1, user, TOLD, KARAT_ORDER_NONE, STORED, STORED, RACING);
        SCALAR(right, NULL, 0, user, TOLD, KARAT_ORDER_NONE, 0, 0, RACING);
        SCALAR(wrong_read, NULL, -1, user, TOLD, KARAT_ORDER_NONE, 4, 4, RACING);
        SCALAR(wrong_result, told, -1, user, TOLD, KARAT_ORDER_NONE, STORED, 0, RACING); /* Either is legal */
        SCALAR(wrong_result, told, -1, user, TOLD, KARAT_ORDER_NONE, 0, STORED, RACING);
    }
    /* Where nobody else stores, nothing waits, and nothing else is legal. */
    SCALAR(right, NULL, 0, "addi", TOLD, KARAT_ORDER_NONE, 0, 0, ELSEWHERE);
    SCALAR(wrong_read, NULL, -1, "addi", TOLD, KARAT_ORDER_NONE, STORED, STORED, ELSEWHERE);
    /* It says that it waits for the WRITE, and does not. */
    SCALAR("karat: MISMATCH (register write missing)", NULL, -1, "addi", TOLD, KARAT_ORDER_NONE, STORED,
           STORED, INTERLOCKED);
}

TEST(nothing_tells) {
    static const char used[] = "used before", end[] = "is not the model's; it was used before this WRITE";
    for (int left_out = 0; left_out < 2; left_out++)
        for (uint32_t i = 0; i < NUM_USERS; i++) {
            const char *const user = users[i];
            const reads how = left_out ? LEFT_OUT : NONE;
            SCALAR(no_verdict, used, -1, user, how, KARAT_ORDER_PERFORMED, STORED, STORED, RACING);
            SCALAR(no_verdict, used, -1, user, how, KARAT_ORDER_NONE, STORED, STORED, RACING);
            SCALAR(right, NULL, 0, user, how, KARAT_ORDER_NONE, 0, 0, RACING);
            SCALAR(wrong_result, NULL, -1, user, how, KARAT_ORDER_PERFORMED, 0, 0, RACING);
            SCALAR(wrong_result, NULL, -1, user, how, KARAT_ORDER_NONE, 0, 4, RACING);
            SCALAR(no_verdict, end, -1, user, how, KARAT_ORDER_NONE, 0, STORED, RACING);
        }
    SCALAR(wrong_result, NULL, -1, "addi", NONE, KARAT_ORDER_NONE, STORED, 0, ELSEWHERE);
    SCALAR("karat: MISMATCH (wrong pc issued)", NULL, -1, "beq", NONE, KARAT_ORDER_NONE, STORED, 0,
           ELSEWHERE);
}

/* The step waits for the WRITE as it would for the READ: what is used has to be what is written. */
TEST(write_tells) {
    for (uint32_t i = 0; i < NUM_USERS; i++) {
        if (strcmp(users[i], "address") == 0 || strcmp(users[i], "slow") == 0)
            continue;                      /* Two steps: the second one forces the first */
        if (strcmp(users[i], "sw") == 0) { /* Its own MEM comes first: others may load that */
            SCALAR(no_verdict, "used before", -1, "sw", LEFT_OUT_AT_ONCE, KARAT_ORDER_NONE, STORED, STORED,
                   RACING);
            continue;
        }
        SCALAR(right, NULL, 1, users[i], LEFT_OUT_AT_ONCE, KARAT_ORDER_PERFORMED, STORED, STORED, RACING);
        SCALAR(right, NULL, 1, users[i], LEFT_OUT_AT_ONCE, KARAT_ORDER_NONE, STORED, STORED, RACING);
        SCALAR(right, NULL, 0, users[i], LEFT_OUT_AT_ONCE, KARAT_ORDER_NONE, 0, 0, RACING);
        if (strcmp(users[i], "csrrw") == 0)
            continue; /* No record reports what it has done */
        SCALAR("karat: MISMATCH", NULL, -1, users[i], LEFT_OUT_AT_ONCE, KARAT_ORDER_NONE, 0, STORED, RACING);
        SCALAR("karat: MISMATCH", NULL, -1, users[i], LEFT_OUT_AT_ONCE, KARAT_ORDER_NONE, STORED, 0, RACING);
    }
}

/* --- Atomics --- */

/* The loader's access: an AMO, LR, or LR and SC; and whether MEM reports it. */
typedef struct atomic {
    const char *row;
    reads reads;
    bool mem;
    uint32_t got, written;
    bool late; /* The store is issued before the atomic, which gets in the model what that stores */
} atomic;

/* The store is issued after the atomic, or between LR and SC, and no order is reported. */
static void expect_atomic(const atomic *x, const char *line, const char *text, int at) {
    early t = begin_early();
    t.reads = x->reads;
    t.mem_order = x->mem ? KARAT_ORDER_REQUEST : KARAT_ORDER_NONE;
    t.no_mem = !x->mem;
    uint32_t skip = put_part(&t.p, STORER);
    put(&t.p, "sw", 22, 0, 20);
    put_end_part(&t.p, skip, STORER);
    skip = put_part(&t.p, LOADER);
    const bool sc = strcmp(x->row, "sc_w") == 0, lr = strcmp(x->row, "lr_w") == 0;
    if (sc)
        put(&t.p, "lr_w", 26, 20, 0);
    if (lr)
        put(&t.p, "lr_w", LOADED, 20, 0);
    else
        put(&t.p, x->row, LOADED, 22, 20, 0);
    put_user(&t.p, "addi");
    put_end_part(&t.p, skip, LOADER);
    launch(&t);
    karat_commit store;
    if (x->late)
        store = access_of(&t, STORER);
    karat_commit first = access_of(&t, LOADER);
    if (x->late) {
        perform(&t, LOADER, t.seq[LOADER] - 1, &first);
    } else if (sc) {
        store = access_of(&t, STORER);
        perform(&t, STORER, t.seq[STORER] - 1, &store);
        perform(&t, LOADER, t.seq[LOADER] - 1, &first);
        result(&t, t.seq[LOADER] - 1, &first, (uint32_t[KARAT_MAX_THREAD]){STORED});
        first = access_of(&t, LOADER);
        if (x->got == 0) { /* It has stored, and has failed in the model */
            first.mem.num = 1;
            first.mem.access[0] = (karat_access){.addr = SHARED, .bytes = 4, .value = STORED};
            perform(&t, LOADER, t.seq[LOADER] - 1, &first);
        }
    } else {
        store = access_of(&t, STORER);
        perform(&t, STORER, t.seq[STORER] - 1, &store);
        perform(&t, LOADER, t.seq[LOADER] - 1, &first);
    }
    const uint32_t seq = t.seq[LOADER] - 1;
    const uint32_t got[KARAT_MAX_THREAD] = {x->got}, written[KARAT_MAX_THREAD] = {x->written};
    karat_adopt(t.model, LOADER, KARAT_CLASS_X, LOADED, 1, got);
    issue(&t, LOADER);
    result(&t, seq, &first, written);
    if (x->late)
        perform(&t, STORER, t.seq[STORER] - 1, &store);
    issue(&t, LOADER);
    expect(&t, x->row, line, text, -1, at);
}
#define ATOMIC(line, text, ...) expect_atomic(&(atomic){__VA_ARGS__}, line, text, __LINE__)

TEST(atomics) {
    static const char told[] = "a READ has reported another result before this WRITE, lanes 00000001";
    for (int mem = 0; mem < 2; mem++) {
        static const char *const rows[] = {"amoadd_w", "lr_w"};
        for (uint32_t i = 0; i < 2; i++) {
            for (uint32_t got = 0; got <= STORED; got += STORED) {
                ATOMIC(right, NULL, rows[i], TOLD, mem, got, got, false);
                ATOMIC(wrong_result, told, rows[i], TOLD, mem, got, STORED - got, false);
            }
            ATOMIC(wrong_read, NULL, rows[i], TOLD, mem, 4, 4, false);
            ATOMIC(right, NULL, rows[i], NONE, mem, 0, 0, false);
            ATOMIC(no_verdict, "used before", rows[i], NONE, mem, STORED, STORED, false);
            ATOMIC(no_verdict, "used before", rows[i], NONE, mem, 0, STORED, false);
            ATOMIC(wrong_result, NULL, rows[i], NONE, mem, 0, 4, false);
            for (uint32_t got = 0; got <= STORED; got += STORED) {
                ATOMIC(right, NULL, rows[i], TOLD, mem, got, got, true);
                ATOMIC(got ? right : no_verdict, NULL, rows[i], NONE, mem, got, got, true);
            }
        }
        for (uint32_t got = 0; got <= 1; got++) {
            ATOMIC(right, NULL, "sc_w", TOLD, mem, got, got, false);
            ATOMIC(wrong_result, told, "sc_w", TOLD, mem, got, 1 - got, false);
        }
        ATOMIC(wrong_read, NULL, "sc_w", TOLD, mem, 2, 2, false);
    }
}

/* An SC is tried again and again, and each time a READ reports that it has failed before its WRITE does. */
TEST(read_as_failed) {
    for (uint32_t tries = 63; tries <= 66; tries++) {
        early t = begin_early();
        uint32_t skip = put_part(&t.p, STORER);
        put_end_part(&t.p, skip, STORER);
        skip = put_part(&t.p, LOADER);
        put(&t.p, "lr_w", 26, 20, 0);
        put(&t.p, "sc_w", LOADED, 0, 20, 0);
        put(&t.p, "bne", LOADED, 0, -8);
        put_end_part(&t.p, skip, LOADER);
        launch(&t);
        for (uint32_t i = 0; i < tries; i++) {
            const karat_commit lr = access_of(&t, LOADER);
            perform(&t, LOADER, t.seq[LOADER] - 1, &lr);
            result(&t, t.seq[LOADER] - 1, &lr, (uint32_t[KARAT_MAX_THREAD]){0});
            const karat_commit sc = issue(&t, LOADER);
            const uint32_t seq = t.seq[LOADER] - 1, failed[KARAT_MAX_THREAD] = {i + 1 < tries};
            karat_adopt(t.model, LOADER, KARAT_CLASS_X, LOADED, 1, failed);
            if (!failed[0])
                perform(&t, LOADER, seq, &sc);
            issue(&t, LOADER);
            result(&t, seq, &sc, failed);
            t.cycle += HANG_CYCLES / 32;
        }
        scoped_outcome o = judge_early(&t);
        assert_int_equal(o.verdict, tries < 65 ? KARAT_PASS : KARAT_HANG);
        if (o.verdict == KARAT_PASS)
            assert_int_equal(count_of(&o, "sc_failed"), tries - 1);
    }
}

/* --- Lanes --- */

/* The field got has lanes that have what is stored. told: those that the READ reports. lies: of the WRITE,
 * and of the READ. bits: of the READ. */
typedef struct vector {
    int32_t reg;
    reads reads;
    uint32_t got, told, written, bits;
    uint32_t wrong; /* Lanes that have what nobody has stored */
    bool performed; /* MEM reports the order: the store comes before the load */
} vector;

static void expect_vector(const vector *x, const char *line, const char *text, int64_t unordered, int at) {
    early t = begin_early();
    t.reads = x->reads;
    t.mem_order = x->performed ? KARAT_ORDER_PERFORMED : KARAT_ORDER_NONE;
    t.bits = x->bits;
    uint32_t skip = put_part(&t.p, STORER);
    put(&t.p, "vsw12_v", 9, 0, 4);
    put_end_part(&t.p, skip, STORER);
    skip = put_part(&t.p, LOADER);
    put(&t.p, "vmv_v_i", 6, 0);
    put(&t.p, "vlw12_v", x->reg, 0, 4);
    put(&t.p, "vadd_vi", 8, x->reg ? x->reg : 1, 3, x->reg != 0); /* v0 is its mask */
    put(&t.p, "addi", 30, 0, 1);
    put_end_part(&t.p, skip, LOADER);
    launch(&t);
    const karat_commit load = access_of(&t, LOADER), store = access_of(&t, STORER);
    const uint32_t seq = t.seq[LOADER] - 1;
    perform(&t, STORER, t.seq[STORER] - 1, &store);
    perform(&t, LOADER, seq, &load);
    uint32_t got[KARAT_MAX_THREAD] = {0}, written[KARAT_MAX_THREAD] = {0};
    for (uint32_t lane = 0; lane < 4; lane++) {
        got[lane] = x->wrong >> lane & 1 ? 4 : x->got >> lane & 1 ? STORED : 0;
        written[lane] = x->written >> lane & 1 ? STORED : 0;
    }
    karat_adopt(t.model, LOADER, KARAT_CLASS_V, (unsigned)x->reg, 15, got);
    const size_t first = t.s.num;
    issue(&t, LOADER);
    for (size_t i = first; i < t.s.num; i++)
        if (t.s.at[i].h.kind == KARAT_REC_READ && t.s.at[i].read.source == (x->reg ? 2 : 0))
            t.s.at[i].read.mask = x->told;
    result(&t, seq, &load, written);
    char what[64];
    snprintf(what, sizeof what, "v%d got %x told %x written %x", x->reg, x->got, x->told, x->written);
    expect(&t, what, line, text, unordered, at);
}
#define VECTOR(line, text, unordered, ...)                                                                   \
    expect_vector(&(vector){__VA_ARGS__}, line, text, unordered, __LINE__)

TEST(lanes_of_vectors) {
    for (uint32_t got = 0; got < 16; got++) {
        VECTOR(right, NULL, got != 0, 6, TOLD, got, 15, got, 0, 0, false);
        VECTOR(right, NULL, got != 0, 0, TOLD, got, 15, got, 0, 0, false);
        VECTOR(right, NULL, got != 0, 6, LEFT_OUT_AT_ONCE, got, 15, got, 0, 0, false);
        VECTOR(got ? no_verdict : right, got ? "used before" : NULL, got ? -1 : 0, 6, NONE, got, 15, got, 0,
               0, false);
        /* A lane that the store came before has what it stored: its WRITE is looked at anyway. */
        VECTOR(got == 15 ? right : wrong_result, NULL, -1, 6, TOLD, got, 15, got, 0, 0, true);
        /* A part of v0 shows the bits that the step needs, and not the register's contents. */
        VECTOR(got ? no_verdict : right, got ? "used before" : NULL, got ? -1 : 0, 0, TOLD, got, 15, got, 1,
               0, false);
        for (uint32_t lane = 0; lane < 4; lane++) {
            const uint32_t bit = 1u << lane;
            char lanes[32];
            snprintf(lanes, sizeof lanes, "lanes %08x", bit);
            VECTOR(wrong_read, NULL, -1, 6, TOLD, got, 15, got, 0, bit, false);
            VECTOR(wrong_result, lanes, -1, 6, TOLD, got, 15, got ^ bit, 0, 0, false);
            /* That lane is used as the model has it. */
            VECTOR(got & bit ? no_verdict : right, got & bit ? "used before" : NULL,
                   got & bit ? -1 : (got & ~bit) != 0, 6, TOLD, got, 15 & ~bit, got, 0, 0, false);
        }
    }
}

/* --- Groups, of which the second register is read later --- */

static void say_part(early *t) {
    t->part.h.cycle = ++t->cycle;
    stream_add(&t->s, &t->part, karat_rec_size(KARAT_REC_READ));
}

/* The accesses of a group's first register, or its second, are performed. */
static void perform_part(early *t, uint32_t warp, uint32_t seq, const karat_commit *m, uint32_t part) {
    karat_commit some = *m;
    some.mem.num = 0;
    some.mem.shape = KARAT_SHAPE_EACH;
    for (uint32_t k = 0; k < m->mem.num; k++)
        if (karat_mem_access(&m->mem, k).reg == part)
            some.mem.access[some.mem.num++] = karat_mem_access(&m->mem, k);
    perform(t, warp, seq, &some);
}

/* A group is stored, of which the second register was never written. Others may load its first register's
 * data before the second one has been read; where no MEM reports it, the data of its lanes is not known. */
TEST(part_of_a_store) {
    for (uint32_t k = 0; k < 4; k++) {
        early t = begin_early();
        t.no_mem = k & 1;
        t.mem_order = t.no_mem ? KARAT_ORDER_NONE : KARAT_ORDER_PERFORMED;
        t.unwritten = t.keeps_part = true;
        const bool wrong = k & 2;
        put(&t.p, "vmv_v_x", 24, 22);
        uint32_t skip = put_part(&t.p, STORER);
        put_code(&t.p, "vsetvli 13 0 0xd1; vse32_v 24 20 1");
        put_end_part(&t.p, skip, STORER);
        skip = put_part(&t.p, LOADER);
        put(&t.p, "lw", 26, 0, 20);
        put_end_part(&t.p, skip, LOADER);
        launch(&t);
        const uint32_t left[KARAT_MAX_THREAD] = {7, 8, 9, 10};
        karat_adopt(t.model, STORER, KARAT_CLASS_V, 25, 15, left);
        const karat_commit store = access_of(&t, STORER);
        const uint32_t seq = t.seq[STORER] - 1;
        perform_part(&t, STORER, seq, &store, 0);
        const karat_commit load = access_of(&t, LOADER);
        perform(&t, LOADER, t.seq[LOADER] - 1, &load);
        result(&t, t.seq[LOADER] - 1, &load, (uint32_t[KARAT_MAX_THREAD]){STORED - wrong});
        say_part(&t);
        perform_part(&t, STORER, seq, &store, 1);
        expect(&t, "a group is stored", wrong && !t.no_mem ? wrong_result : right, NULL, -1, (int)k);
    }
}

/* A group of indices that has been loaded: no address of the second register is known before that is read.
 * MEMs that come before wait, and where others come meanwhile nothing is known of their order. */
TEST(part_of_an_index) {
    enum { BEFORE, MEANWHILE, BEHIND };
    for (uint32_t when = BEFORE; when <= BEHIND; when++)
        for (uint32_t k = 0; k < 4; k++) {
            const bool wrong = k & 1, stores = k & 2;
            early t = begin_early();
            t.keeps_part = true;
            put_code(&t.p, "addi 21 0 8; addi 23 20 128");
            uint32_t skip = put_part(&t.p, STORER);
            put(&t.p, "sw", 21, 20, 20); /* The index of lane 1 in the second register */
            put_code(&t.p, "sw 22 64 20; addi 28 0 1");
            put_end_part(&t.p, skip, STORER);
            skip = put_part(&t.p, LOADER);
            put_code(&t.p, "vsetvli 13 0 0xd1; vle32_v 24 20 1");
            put(&t.p, stores ? "vsuxei32_v" : "vluxei32_v", 26, stores ? 23 : 20, 24, 1);
            put_end_part(&t.p, skip, LOADER);
            launch(&t);
            const karat_commit indices = access_of(&t, LOADER);
            const uint32_t first = t.seq[LOADER] - 1;
            const karat_commit index = access_of(&t, STORER);
            perform(&t, STORER, t.seq[STORER] - 1, &index);
            perform_part(&t, LOADER, first, &indices, 0);
            perform_part(&t, LOADER, first, &indices, 1);
            const uint32_t got[KARAT_MAX_THREAD] = {0, 8, 0, 0};
            karat_adopt(t.model, LOADER, KARAT_CLASS_V, 25, 15, got);
            karat_commit other;
            if (when == BEFORE) {
                other = access_of(&t, STORER);
                perform(&t, STORER, t.seq[STORER] - 1, &other);
            }
            const karat_commit load = access_of(&t, LOADER);
            const uint32_t seq = t.seq[LOADER] - 1;
            perform_part(&t, LOADER, seq, &load, 0);
            if (when == MEANWHILE) {
                other = access_of(&t, STORER);
                perform(&t, STORER, t.seq[STORER] - 1, &other);
            }
            say_part(&t);
            perform_part(&t, LOADER, seq, &load, 1);
            if (when == BEHIND) {
                other = access_of(&t, STORER);
                perform(&t, STORER, t.seq[STORER] - 1, &other);
            }
            for (uint32_t i = 0; i < (stores ? 2 : 4); i++) {
                karat_commit one = i < 2 ? indices : load;
                one.write[0] = one.write[i % 2];
                result(&t, i < 2 ? first : seq, &one, i == 1 ? got : one.write[0].value);
            }
            issue(&t, STORER);
            t.s.at[t.s.num - 1].write.data[0] ^= wrong;
            expect(&t, "a group of indices",
                   !wrong              ? right
                   : when == MEANWHILE ? no_verdict
                                       : wrong_result,
                   wrong && when == MEANWHILE ? "the order of memory accesses is not known" : NULL, -1,
                   (int)(4 * when + k));
        }
}

RUN_TESTS("forwarding")
