/* Printing, and what the host writes while warps run.
 *
 * Warp 0 stores a text and asks for a print; the host comes when the test says so, reads what the test
 * says, and clears the buffer's first byte. Warp 1 loads from the buffer, or writes to it. */
#include "judge.h"
#include "scene.h"

#include <string.h>

#define BLOCK  DATA_BASE /* The block that CSR_KNL names */
#define BUFFER (DATA_BASE + 0x3000)
#define SIZE   600
#define PRINT  0x80b

enum { MAX_PENDING = 32 };

typedef struct scene {
    program p;
    stream s;
    karat_model *model;
    uint64_t cycle;
    bool csr, later; /* The core provides CSR records; the test says when */
    struct {
        uint32_t seq, num;
        struct access {
            uint32_t seq;
            karat_commit commit;
        } pending[MAX_PENDING];
    } warp[2];
} scene;

static uint32_t mem_order, props;
static bool gives_csr;

static void add(scene *t, const record *r) {
    say(&t->s, &t->cycle, r);
}

static void written(scene *t, uint32_t warp, uint32_t seq, uint32_t value) {
    record r = {.csr = {.h = {.kind = KARAT_REC_CSR, .slot = (uint8_t)warp}, .seq = seq, .addr = PRINT}};
    r.csr.value = value;
    if (t->csr)
        add(t, &r);
}

static uint32_t issue(scene *t, uint32_t warp) {
    struct access a = {.seq = t->warp[warp].seq++};
    assert_int_equal(karat_step(t->model, warp, &a.commit), KARAT_OK);
    say_step(&t->s, &t->cycle, warp, a.seq, &a.commit, 3);
    if (a.commit.csr_written && !t->later)
        written(t, warp, a.seq, a.commit.csr_value);
    if (a.commit.has_mem)
        t->warp[warp].pending[t->warp[warp].num++] = a;
    return a.seq;
}

/* Up to and including the next instruction of that row; where that accesses memory, its number among
 * those. */
static uint32_t take(scene *t, uint32_t warp, const char *row) {
    const int want = karat_find_row(row);
    assert_int_not_equal(want, KARAT_NO_ROW);
    for (;;) {
        karat_warp_view view;
        karat_insn insn;
        uint32_t word;
        karat_view(t->model, warp, &view);
        assert_true(view.live);
        karat_read(t->model, view.pc, &word, 4);
        issue(t, warp);
        if (karat_decode(KARAT_V202, word, &insn) == want)
            return t->warp[warp].num - 1;
    }
}

static void perform(scene *t, uint32_t warp, uint32_t n, uint32_t stored) {
    const struct access *a = &t->warp[warp].pending[n];
    const karat_access m = karat_mem_access(&a->commit.mem, 0);
    record r = make_record(warp, KARAT_REC_MEM, a->seq);
    r.mem.op = a->commit.mem.op;
    r.mem.mask = 1;
    r.mem.addr[0] = (uint32_t)m.addr;
    r.mem.bytes[0] = (uint8_t)((1u << m.bytes) - 1);
    r.mem.data[0] = r.mem.op == KARAT_MEM_STORE ? m.value : stored;
    add(t, &r);
}

/* --- The host --- */

static void host_writes(scene *t, uint32_t addr, const void *bytes, uint32_t length) {
    record r = make_record(0, KARAT_REC_HOST, 0);
    r.host.addr = addr;
    r.host.length = length;
    memcpy(r.host.data, bytes, length);
    karat_write(t->model, addr, bytes, length);
    add(t, &r);
}

static record piece(const char *text, uint32_t length, uint32_t stop) {
    record r = {.print = {.h = {.kind = KARAT_REC_PRINT},
                          .addr = BUFFER,
                          .buffer = BUFFER,
                          .size = SIZE,
                          .length = length,
                          .stop = stop}};
    memcpy(r.print.data, text, length);
    return r;
}

/* The text was taken: the byte is cleared, and CSR_PRINT. */
static void clear(scene *t) {
    host_writes(t, BUFFER, "", 1);
    record r = {.hostcsr = {.h = {.kind = KARAT_REC_HOSTCSR}, .addr = PRINT}};
    add(t, &r);
    karat_csr_write(t->model, 0, PRINT, 0);
}

static void print(scene *t, const char *text, uint32_t length) {
    const record r = piece(text, length, KARAT_PRINT_ZERO);
    add(t, &r);
    clear(t);
}

/* --- Scenes --- */

typedef void part(program *p);

/* x20 is the buffer, x21 'A', x22 'B', x23 'C'. */
static scene begin(part *first, part *second) {
    scene t = {.csr = gives_csr};
    put_prologue(&t.p);
    put(&t.p, "lui", 20, (int32_t)(BUFFER >> 12));
    for (int32_t i = 0; i < 3; i++)
        put(&t.p, "addi", 21 + i, 0, 'A' + i);
    part *const parts[] = {first, second};
    for (uint32_t warp = 0; warp < 2; warp++) {
        const uint32_t skip = put_part(&t.p, warp);
        if (parts[warp])
            parts[warp](&t.p);
        put_end_part(&t.p, skip, warp);
    }
    put0(&t.p, "endprg");
    core_options o = core_default();
    o.workgroups = 1;
    o.num_warp = 2;
    o.audit_percent = 0;
    o.uncounted = true;
    o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_AUDIT);
    if (!gives_csr)
        o.gives &= ~(1u << KARAT_REC_CSR);
    t.model = say_launches(&t.s, &t.cycle, NULL, &t.p, &o);
    t.s.at[0].hello.mem_order = (uint8_t)mem_order;
    t.s.at[0].hello.props = props;
    size_t i = 0;
    for (; t.s.at[i].h.kind != KARAT_REC_KERNEL; i++)
        if (t.s.at[i].h.kind == KARAT_REC_REGION)
            t.s.at[i].region.hash_valid = 0;
    const uint32_t named[] = {BUFFER, SIZE};
    record r = make_record(0, KARAT_REC_HOST, 0);
    r.h.cycle = t.s.at[i].h.cycle;
    r.host.addr = BLOCK + 48;
    r.host.length = sizeof named;
    memcpy(r.host.data, named, sizeof named);
    karat_write(t.model, BLOCK + 48, named, sizeof named);
    stream_insert(&t.s, i, &r);
    return t;
}

static void finish(scene *t) {
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
    record r = make_record(0, KARAT_REC_BYE, 0);
    r.bye.reason = KARAT_BYE_DONE;
    add(t, &r);
}

static void over(scene *t) {
    karat_destroy(t->model);
    stream_free(&t->s);
}

/* The stream's end must be that. */
#define END(t, want) end(t, want, __LINE__)
static void end(scene *t, const char *want, int line) {
    finish(t);
    karat_checker *c = replay(&t->s, NULL);
    if (strcmp(kind_of(c), want) != 0) {
        outcome o = conclude(c);
        fail_msg("line %d, order %u, props %u, csr %d: %s\n%s", line, mem_order, props, gives_csr, o.line,
                 o.text);
    }
    scoped_outcome o = conclude(c);
    over(t);
}

#define PROPS (KARAT_PROP_FLUSHED | KARAT_PROP_COHERENT | KARAT_PROP_ASCENDING)

static void with_all(void (*test)(void)) {
    for (mem_order = KARAT_ORDER_NONE; mem_order <= KARAT_ORDER_PERFORMED; mem_order++)
        for (int k = 0; k < 4; k++) {
            gives_csr = k & 1;
            props = PROPS & ~(uint32_t)(k & 2 ? KARAT_PROP_COHERENT : 0);
            test();
        }
    props = PROPS;
    gives_csr = true;
}

/* --- The text --- */

static void stores_ab(program *p) {
    put_code(p, "sb 21 0 20; sb 22 1 20; sb 0 2 20");
    put(p, "csrrw", 0, PRINT, 21);
}

static void perform_stores(scene *t) {
    take(t, 0, "csrrw");
    for (uint32_t n = 0; n < 3; n++)
        perform(t, 0, n, 0);
}

static void texts(void) {
    static const struct {
        const char *text;
        const char *want;
    } read[] = {{"AB", "NONE"},  {"A", "PRINT"},  {"", "PRINT"},
                {"AA", "PRINT"}, {"CB", "PRINT"}, {"ABC", "PRINT"}};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        scene t = begin(stores_ab, NULL);
        perform_stores(&t);
        print(&t, read[i].text, (uint32_t)strlen(read[i].text));
        END(&t, read[i].want);
    }
    for (uint32_t bit = 0; bit < 64; bit++) { /* The words that name the buffer */
        scene t = begin(stores_ab, NULL);
        perform_stores(&t);
        record r = piece("AB", 2, KARAT_PRINT_ZERO);
        r.print.buffer ^= bit < 32 ? 1u << bit : 0;
        r.print.addr = r.print.buffer;
        r.print.size ^= bit < 32 ? 0 : 1u << (bit - 32);
        add(&t, &r);
        END(&t, "PRINT");
    }
}

/* CSR_PRINT overtakes the stores: the host reads what was there before them. */
static void overtaken(void) {
    for (uint32_t late = 0; late < 4; late++) { /* Bit n: store n is */
        scene t = begin(stores_ab, NULL);
        uint8_t old[3];
        karat_read(t.model, BUFFER, old, 3);
        host_writes(&t, BUFFER, "xyz", 4);
        take(&t, 0, "csrrw");
        for (uint32_t n = 0; n < 3; n++)
            if (!(late >> n & 1))
                perform(&t, 0, n, 0);
        const char text[] = {late & 1 ? 'x' : 'A', late & 2 ? 'y' : 'B'};
        const record r = piece(text, 2, KARAT_PRINT_ZERO);
        add(&t, &r);
        for (uint32_t n = 0; n < 3; n++)
            if (late >> n & 1)
                perform(&t, 0, n, 0);
        clear(&t);
        END(&t, late ? "PRINT" : "NONE");
    }
}

static void stores_c(program *p) {
    put(p, "sb", 23, 1, 20);
}

/* Another warp stores to the buffer: before the host reads it or after. */
static void of_others(void) {
    for (int done = 0; done < 2; done++)
        for (char got = 'A'; got <= 'D'; got++) {
            scene t = begin(stores_ab, stores_c);
            perform_stores(&t);
            const uint32_t other = take(&t, 1, "sb");
            if (done)
                perform(&t, 1, other, 0);
            const char text[] = {'A', got};
            const record r = piece(text, 2, KARAT_PRINT_ZERO);
            add(&t, &r);
            if (!done)
                perform(&t, 1, other, 0);
            clear(&t);
            const bool reported = mem_order == KARAT_ORDER_PERFORMED;
            const bool right = reported ? got == (done ? 'C' : 'B') : got == 'B' || got == 'C';
            END(&t, right ? "NONE" : "PRINT");
        }
}

/* In pieces, and up to the buffer's end. */
static void long_text(void) {
    char text[SIZE];
    for (uint32_t i = 0; i < SIZE; i++)
        text[i] = (char)('a' + i % 23);
    for (uint32_t wrong = 0; wrong < 7; wrong++) {
        scene t = begin(stores_ab, NULL);
        host_writes(&t, BUFFER, text, 256);
        host_writes(&t, BUFFER + 256, text + 256, 256);
        host_writes(&t, BUFFER + 512, text + 512, SIZE - 512);
        take(&t, 0, "csrrw");
        karat_write(t.model, BUFFER + 2, text + 2, 1);
        for (uint32_t n = 0; n < 3; n++)
            perform(&t, 0, n, 0);
        host_writes(&t, BUFFER + 2, text + 2, 1);
        for (uint32_t at = 0; at < SIZE; at += 256) {
            record r = piece(text + at, SIZE - at < 256 ? SIZE - at : 256,
                             SIZE - at <= 256 ? KARAT_PRINT_FULL : KARAT_PRINT_MORE);
            r.print.addr += at + (wrong == 1 && at == 256);
            if (!at)
                memcpy(r.print.data, "AB", 2);
            r.print.data[3] ^= wrong == 2 && at == 512 ? 1 : 0;
            r.print.length -= wrong == 3 && at == 512 ? 1 : 0;
            if (wrong == 4 && at == 512)
                r.print.stop = KARAT_PRINT_ZERO;
            r.print.data[7] = wrong == 5 && at == 256 ? 0 : r.print.data[7];
            r.print.length += wrong == 6 && at == 512 ? 1 : 0;
            r.print.data[88] = wrong == 6 && at == 512 ? 1 : r.print.data[88];
            add(&t, &r);
        }
        clear(&t);
        END(&t, wrong == 0 ? "NONE" : wrong == 2 ? "PRINT" : "STREAM");
    }
}

TEST(texts_are_compared) {
    with_all(texts);
    with_all(overtaken);
    with_all(of_others);
    with_all(long_text);
}

TEST(forms) {
    mem_order = KARAT_ORDER_PERFORMED;
    for (int i = 0; i < 3; i++) {
        scene t = begin(stores_ab, NULL);
        perform_stores(&t);
        record r = piece("AB", 2, KARAT_PRINT_ZERO);
        if (i == 0)
            r.print.length = 257;
        else if (i == 1)
            r.print.stop = 4;
        else
            r = piece("", 0, KARAT_PRINT_MORE);
        add(&t, &r);
        END(&t, "STREAM");
    }
}

/* --- Asked for, or not --- */

static void asks_twice(program *p) {
    put(p, "csrrw", 0, PRINT, 21);
    put(p, "csrrw", 0, PRINT, 22);
    put(p, "csrrw", 0, PRINT, 0);
    put(p, "addi", 25, 0, 0);
}

/* So many writes of CSR_PRINT, and the host comes so often. */
static void taken(void) {
    for (uint32_t written_times = 0; written_times < 3; written_times++)
        for (uint32_t times = 0; times < 3; times++)
            for (int with_print = 0; with_print < 2; with_print++) {
                scene t = begin(asks_twice, NULL);
                host_writes(&t, BUFFER, "", 1);
                if (written_times)
                    take(&t, 0, "csrrw");
                if (written_times > 1)
                    take(&t, 0, "csrrw");
                for (uint32_t i = 0; i < times; i++) {
                    if (with_print)
                        print(&t, "", 0);
                    else
                        clear(&t);
                }
                /* Two writes may be one print; where no record says when they were done, two, too. */
                const uint32_t most = gives_csr && written_times ? 1 : written_times;
                if (times > most)
                    END(&t, "PRINT_UNEXPECTED");
                else if (times == most || (times == 1 && written_times == 2)) {
                    take(&t, 0, "addi"); /* The last write takes back what was asked for since */
                    END(&t, "NONE");
                } else {
                    over(&t);
                }
            }
}

static void asks_once(program *p) {
    put(p, "csrrw", 0, PRINT, 21);
}

static void missing(void) {
    for (int says = 0; says < 2; says++)
        for (int comes = 0; comes < 2; comes++) {
            props = (props & ~(uint32_t)KARAT_PROP_PRINTS) | (says ? KARAT_PROP_PRINTS : 0);
            scene t = begin(asks_once, NULL);
            host_writes(&t, BUFFER, "", 1);
            take(&t, 0, "csrrw");
            if (comes)
                print(&t, "", 0);
            END(&t, says && !comes ? "PRINT_MISSING" : "NONE");
        }
    scene t = begin(asks_twice, NULL); /* Taken back */
    END(&t, "NONE");
}

/* The host comes between two writes of which the second is under way: once more is right, twice more is
 * not. */
static void under_way(void) {
    if (!gives_csr)
        return;
    for (uint32_t more = 0; more < 3; more++) {
        props |= KARAT_PROP_PRINTS;
        scene t = begin(asks_twice, NULL);
        host_writes(&t, BUFFER, "", 1);
        take(&t, 0, "csrrw");
        t.later = true;
        const uint32_t seq = t.warp[0].seq;
        take(&t, 0, "csrrw");
        print(&t, "", 0);
        t.later = false;
        written(&t, 0, seq, 'B');
        for (uint32_t i = 0; i < more; i++)
            print(&t, "", 0);
        if (!more)
            over(&t);
        else
            END(&t, more > 1 ? "PRINT_UNEXPECTED" : "NONE");
    }
}

TEST(every_print_is_asked_for) {
    with_all(taken);
    with_all(missing);
    with_all(under_way);
}

/* --- No print buffer --- */

TEST(no_buffer) {
    mem_order = KARAT_ORDER_PERFORMED;
    for (int how = 0; how < 6; how++) {
        scene t = begin(asks_once, NULL);
        record r = piece("", 0, KARAT_PRINT_NO_BUFFER);
        const uint32_t nowhere[] = {0x12340000, 16}, edge[] = {DATA_BASE + DATA_SIZE - 2, 16};
        uint32_t knl = 0x10;
        switch (how) {
        case 0: /* An address where there is no memory */
        case 1:
            host_writes(&t, BLOCK + 48, nowhere, 8);
            r.print.addr = r.print.buffer = nowhere[0];
            r.print.size = how ? 0 : 16; /* Not what memory holds */
            break;
        case 2: /* A buffer whose end is not there */
        case 3:
            host_writes(&t, BLOCK + 48, edge, 8);
            host_writes(&t, edge[0], "AB", 2);
            r = piece(how == 2 ? "AB" : "AC", 2, KARAT_PRINT_NO_BUFFER);
            r.print.addr = r.print.buffer = edge[0];
            r.print.size = 16;
            break;
        case 4: /* CSR_KNL names nothing */
            for (size_t i = 0; i < t.s.num; i++) {
                if (t.s.at[i].h.kind == KARAT_REC_KERNEL)
                    t.s.at[i].kernel.knl = knl;
                if (t.s.at[i].h.kind == KARAT_REC_LAUNCH)
                    t.s.at[i].launch.csr[3] = knl;
            }
            r.print.addr = r.print.buffer = r.print.size = 0;
            break;
        default: break; /* There is one */
        }
        take(&t, 0, "csrrw");
        add(&t, &r);
        static const char *const want[] = {"PROGRAM", "STREAM", "PROGRAM", "PRINT", "PROGRAM", "STREAM"};
        END(&t, want[how]);
    }
}

/* --- Races with writes of the host --- */

static void loads(program *p) {
    put_code(p, "lbu 25 0 20; lbu 26 0 20");
}

/* --- Reports --- */

static void report(scene *t, const char *want) {
    finish(t);
    karat_checker *c = replay(&t->s, NULL);
    assert_string_equal(kind_of(c), want);
    scoped_outcome o = conclude(c);
    assert_non_null(strstr(o.line, text_of_kind(want)));
    assert_non_null(strstr(o.text, "workgroup 0 warp 0"));
    over(t);
}

TEST(print_kind) {
    mem_order = KARAT_ORDER_PERFORMED;
    props = PROPS;
    gives_csr = true;
    scene t = begin(stores_ab, NULL);
    perform_stores(&t);
    print(&t, "AC", 2);
    report(&t, "PRINT");
}

TEST(print_unexpected_kind) {
    mem_order = KARAT_ORDER_PERFORMED;
    props = PROPS;
    gives_csr = true;
    scene t = begin(loads, NULL);
    take(&t, 0, "lbu");
    print(&t, "", 0);
    report(&t, "PRINT_UNEXPECTED");
}

TEST(print_missing_kind) {
    mem_order = KARAT_ORDER_PERFORMED;
    props = PROPS | KARAT_PROP_PRINTS;
    gives_csr = true;
    scene t = begin(asks_once, NULL);
    report(&t, "PRINT_MISSING");
    props = PROPS;
}

RUN_TESTS("print")
