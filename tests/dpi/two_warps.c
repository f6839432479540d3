#include "two_warps.h"

#include <string.h>

uint32_t mem_order;
uint32_t props = PROPS;
uint32_t strict;
bool without_writes;
uint32_t failures = 1;
int tells;
size_t age_at;
uint32_t age_by;

void add(scene *t, const record *r) {
    say(&t->s, &t->cycle, r);
}

void issue(scene *t, uint32_t warp) {
    access a = {.seq = t->warp[warp].seq++};
    assert_int_equal(karat_step(t->model, warp, &a.commit), KARAT_OK);
    keep_values(t->model, &a.commit);
    say_step(&t->s, &t->cycle, warp, a.seq, &a.commit, 3);
    if (a.commit.has_mem) {
        assert_true(t->warp[warp].num < MAX_PENDING);
        t->warp[warp].pending[t->warp[warp].num++] = a;
    }
}

/* Of an SC that failed as well, which has no access. */
static karat_access first_access(const karat_mem *mem) {
    return mem->num ? karat_mem_access(mem, 0) : mem->access[0];
}

void perform_as(scene *t, uint32_t warp, uint32_t n, uint8_t op, uint32_t stored) {
    const access *a = &t->warp[warp].pending[n];
    assert_true(n < t->warp[warp].num);
    record r = make_record(warp, KARAT_REC_MEM, a->seq);
    r.mem.op = op;
    r.mem.mask = 1;
    const karat_access first = first_access(&a->commit.mem);
    r.mem.addr[0] = (uint32_t)first.addr;
    r.mem.bytes[0] = (uint8_t)((1u << first.bytes) - 1);
    r.mem.data[0] = stored;
    r.mem.no_data = op == KARAT_MEM_AMO && tells != TELLS_DATA;
    if (tells != TELLS_NOTHING)
        add(t, &r);
}

void perform(scene *t, uint32_t warp, uint32_t n) {
    const karat_mem *m = &t->warp[warp].pending[n].commit.mem;
    perform_as(t, warp, n, m->op, m->op == KARAT_LOAD ? 0 : first_access(m).value);
}

void result(scene *t, uint32_t warp, uint32_t n, uint32_t value) {
    const access *a = &t->warp[warp].pending[n];
    record r = make_record(warp, KARAT_REC_WRITE, a->seq);
    r.write.regno = a->commit.write[0].reg;
    r.write.mask = 1;
    r.write.data[0] = value;
    add(t, &r);
}

void begin(scene *t) {
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

uint32_t take(scene *t, uint32_t warp, const char *row) {
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

const wanted pass = {"karat: PASS ", 0, 0, 0}, unordered = {"karat: PASS ", 1, 0, 0};
const wanted wrong_memory = {"karat: MISMATCH (device memory differs)", 0, 0, 0};
const wanted wrong_value = {"karat: MISMATCH (wrong value written)", 0, 0, 0};
const wanted out_of_order = {"karat: MISMATCH (memory access performed out of order)", 0, 0, 0};

/* The stream of a core that provides no WRITE. */
static void leave_out_writes(stream *s) {
    size_t kept = 0;
    for (size_t i = 0; i < s->num; i++)
        if (s->at[i].h.kind != KARAT_REC_WRITE)
            s->at[kept++] = s->at[i];
    s->num = kept;
    s->at[0].hello.gives &= ~(1u << KARAT_REC_WRITE);
}

static karat_checker *replay_aged(const stream *s, const karat_check_config *config) {
    karat_checker *c = karat_checker_create(config);
    assert_non_null(c);
    for (size_t i = 0; i < s->num && !is_done(c); i++) {
        if (i == age_at)
            age_log(c, age_by);
        karat_checker_record(c, &s->at[i], karat_rec_size(s->at[i].h.kind));
    }
    return c;
}

outcome judge_scene(scene *t) {
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
        add(t, &r); /* A record that was taken the first time is no news the second */
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

outcome finish(scene *t, const wanted *want) {
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

void ends(scene *t, const wanted *want) {
    outcome o = finish(t, want);
    outcome_free(&o);
}

void with_less(scenes *play) {
    for (int less = TELLS_DATA; less <= TELLS_NOTHING; less++)
        for (mem_order = KARAT_ORDER_NONE; mem_order <= KARAT_ORDER_REQUEST; mem_order++) {
            tells = less;
            play();
        }
    tells = TELLS_DATA;
    mem_order = KARAT_ORDER_PERFORMED;
    play();
}

scene adders(const char *row) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put_code(&t.p, "lui 20 SHARED; addi 21 0 1; addi 22 7 5; bne 7 0 8; sw 21 0 20; barrier 0");
    put(&t.p, row, 26, 22, 20, 0);
    put_code(&t.p, "barrier 0; lw 27 0 20");
    begin(&t);
    perform(&t, 0, take(&t, 0, "sw"));
    take(&t, 0, "barrier");
    take(&t, 1, "barrier");
    return t;
}

scene two_parts(const insn *first, const insn *second) {
    scene t = {.p = {.num = 0}};
    put_prologue(&t.p);
    put_code(&t.p, "lui 20 SHARED; addi 21 0 1; addi 22 0 5");
    put(&t.p, "addi", 23, 20, FLAG);
    put_code(&t.p, "addi 24 0 0x101; vmv_v_x 8 20; vmul_vx 9 1 24 1; bne 7 0 12; sw 21 0 20");
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

void perform_some(scene *t, uint32_t warp, uint32_t n, uint32_t lanes) {
    const access *a = &t->warp[warp].pending[n];
    record r = make_record(warp, KARAT_REC_MEM, a->seq);
    r.mem.op = KARAT_MEM_STORE;
    for (uint32_t k = 0; k < a->commit.mem.num; k++) {
        if (!(lanes >> k & 1))
            continue;
        r.mem.mask |= 1u << k;
        r.mem.addr[k] = (uint32_t)karat_mem_access(&a->commit.mem, k).addr;
        r.mem.bytes[k / 2] |= (uint8_t)(((1u << karat_mem_access(&a->commit.mem, k).bytes) - 1) << k % 2 * 4);
        r.mem.data[k] = karat_mem_access(&a->commit.mem, k).value;
    }
    add(t, &r);
}

void perform_lanes(scene *t, uint32_t warp, uint32_t n) {
    perform_some(t, warp, n, UINT32_MAX);
}

void say_host(scene *t, uint64_t addr, const uint8_t *bytes, uint32_t length) {
    record r = make_record(0, KARAT_REC_HOST, 0);
    r.host.addr = addr;
    r.host.length = length;
    memcpy(r.host.data, bytes, length);
    karat_write(t->model, addr, bytes, length);
    add(t, &r);
}
