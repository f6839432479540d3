#include "pages.h"

#include "scenario/scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Registers; the even ones may be the lower halves of addresses. */
enum { X_PAIR = 16, X_AT = 26, X_HIGH = 27, X_GOT = 29, X_RESUME = 30, V_GOT = 17, V_PAIR = 18 };

/* The GiB that these pages are in is not that of code, data and private memory. */
#define FAR_GIB  0xc0000000u
#define PDS_SIZE 64u
#define GIB      (UINT64_C(1) << 30)

static uint64_t bytes_of(uint32_t level) {
    return UINT64_C(4096) << 9 * level;
}

/* --- Accesses --- */

/* As in the coverage groups. */
typedef enum touch { TOUCH_LOAD, TOUCH_STORE, TOUCH_LR, TOUCH_SC, TOUCH_AMO } touch;
typedef enum by { BY_SCALAR, BY_VECTOR, BY_PRIVATE } by;

/* Access so many words at the address in X_AT, or in V_PLACE; wide: an address of 64 bits. */
static void put_access(scene *s, touch touch, by by, uint32_t words, bool wide) {
    static const char *const names[][2] = {
        {"lw", "vlw12.v"}, {"sw", "vsw12.v"}, {"lr.w", ""}, {"sc.w", ""}, {"amoadd.w", ""}};
    prog *p = s->p;
    const bool prefixes = karat_profile_has(p->profile, KARAT_FEATURE_PREFIX), atomic = touch >= TOUCH_LR,
               vector = by == BY_VECTOR || (by == BY_PRIVATE && !atomic);
    const row_use *u =
        row_named(s->table, by == BY_PRIVATE && !prefixes ? (touch == TOUCH_LOAD ? "vlw.v" : "vsw.v")
                                                          : names[touch][vector]);
    prog_prefix prefix = PROG_PLAIN;
    if (prefixes && (words > 1 || wide || by == BY_PRIVATE))
        prefix = scene_prefix(s, by == BY_PRIVATE ? KARAT_PREFIX_PRIVATE : KARAT_PREFIX_DEFAULT, words);
    else if (words > 1 || wide)
        prefix = PROG_REGPAIR;
    /* After REGPAIR an even register has two words, and an even base has 64 bits. */
    const int32_t got = vector ? (words > 1 ? V_PAIR : V_GOT) : words > 1 ? X_PAIR : X_GOT;
    int32_t value[KARAT_MAX_OPERAND] = {0};
    if (u->dest >= 0)
        value[u->dest] = got;
    if (atomic || u->stores)
        for (int k = 2; k <= 3; k++)
            if (u->source[k] >= 0)
                value[u->source[k]] = atomic ? X_WARP : got;
    value[u->source[1]] = vector ? V_PLACE : X_AT;
    const prog_fields fields = {.pair = wide && prefixes};
    if (prog_put_with(p, u->row, value, prefix, fields, PROG_NONE) == PROG_NONE)
        prog_fail(p, "%s cannot have such an address", u->info->name);
}

/* Like the function before; what is loaded goes into the results as well. */
static void touch_words(scene *s, touch touch, by by, uint32_t words, bool wide) {
    const bool vector = by != BY_SCALAR && touch < TOUCH_LR;
    if (vector && touch == TOUCH_STORE && words > 1)
        prog_add(s->p, "vadd.vv", V_PAIR, V_SUM, V_LANE, 1);
    put_access(s, touch, by, words, wide);
    if (touch == TOUCH_STORE)
        return;
    if (vector)
        prog_add(s->p, "vadd.vv", V_SUM, V_SUM, words > 1 ? V_PAIR : V_GOT, 1);
    else
        prog_add(s->p, "add", X_RESULT, X_RESULT, words > 1 ? X_PAIR : X_GOT);
}

static void set_address(scene *s, uint64_t addr) {
    prog_li(s->p, X_AT, (uint32_t)addr);
    prog_li(s->p, X_HIGH, (uint32_t)(addr >> 32));
}

/* V_PLACE: the lower half of the lanes at good places, the others at that one and after it; one lane: there.
 * Private: before the interleaving, which keeps lanes apart. */
static void set_lanes(scene *s, by by, uint64_t addr) {
    prog *p = s->p;
    uint32_t half = 0;
    while (2u << half < scene_threads(s))
        half++;
    prog_add(p, "vsrl.vi", V_OTHER, V_LANE, (int32_t)half, 1);
    if (scene_threads(s) == 1)
        prog_add(p, "vadd.vi", V_OTHER, V_OTHER, 1, 1);
    prog_li(p, X_TEMP, (uint32_t)addr - (by == BY_VECTOR ? PROG_DATA + SHARED : 0));
    prog_add(p, "vmul.vx", V_PLACE, V_OTHER, X_TEMP, 1);
    if (by == BY_VECTOR)
        prog_add(p, "vadd.vv", V_PLACE, V_PLACE, V_ADDRESS, 1);
    prog_li(p, X_TEMP, (uint32_t)(addr >> 32));
    prog_add(p, "vmul.vx", V_PLACE + 1, V_OTHER, X_TEMP, 1);
}

/* --- Faults --- */

typedef struct fault_case {
    karat_fault_reason reason;
    uint32_t level;
    bool fetch, next_page; /* With next_page: the instruction after a prefix */
    touch touch;
    by by;
    uint8_t bit; /* The only bit that is wrong; 0: any */
    bool table;  /* The wrong bit is in an entry that names a table */
} fault_case;

/* How a reason comes about. */
static const char *const causes[KARAT_FAULT_REASONS] = {[KARAT_FAULT_NO_TABLE] = "no-table",
                                                        [KARAT_FAULT_INVALID] = "invalid",
                                                        [KARAT_FAULT_RESERVED] = "reserved",
                                                        [KARAT_FAULT_NO_LEAF] = "no-leaf",
                                                        [KARAT_FAULT_MISALIGNED_SUPERPAGE] = "misaligned",
                                                        [KARAT_FAULT_NOT_READABLE] = "no-read",
                                                        [KARAT_FAULT_NOT_WRITABLE] = "no-write",
                                                        [KARAT_FAULT_NOT_EXECUTABLE] = "no-exec",
                                                        [KARAT_FAULT_NOT_ACCESSED] = "not-accessed",
                                                        [KARAT_FAULT_NOT_DIRTY] = "not-dirty"};

/* Spoil that page: what is mapped there (of level 0 where the entry that fails is above it), then the
 * change. */
static void spoil(prog *p, const fault_case *c, uint64_t virt, const char *mapped) {
    const bool through = c->bit ? c->table : c->by == BY_VECTOR && c->level, /* A table's entry */
        upper = c->reason == KARAT_FAULT_NO_TABLE ||
                (through && (c->reason == KARAT_FAULT_INVALID || c->reason == KARAT_FAULT_RESERVED));
    const bool flag = c->bit ? c->bit < 10 : through;
    const char *cause = c->reason == KARAT_FAULT_RESERVED && flag                 ? "table-flags"
                        : c->reason == KARAT_FAULT_INVALID && c->by == BY_PRIVATE ? "write-only"
                                                                                  : causes[c->reason];
    prog_page(p, "0x%" PRIx64 ":%s@%u", virt, mapped, upper ? 0 : c->level);
    if (cause && c->bit)
        prog_page(p, "0x%" PRIx64 ":%s=%u@%u", virt, cause, c->bit, c->level);
    else if (cause)
        prog_page(p, "0x%" PRIx64 ":%s@%u", virt, cause, c->level);
}

static void fault_of_access(scene *s, const fault_case *c) {
    static const uint64_t places[] = {FAR_GIB + 0x1230, FAR_GIB + 0x212340, FAR_GIB + 0x2345670};
    const bool wide = c->reason == KARAT_FAULT_NOT_CANONICAL;
    const uint64_t place = places[c->level], offset = wide ? UINT64_C(1) << 39 : 0, virt = place + offset;
    spoil(s->p, c, place, "page");
    prog *p = s->p;
    p->fault.virt = virt;
    if (c->by == BY_VECTOR) {
        set_lanes(s, c->by, virt);
        p->fault.virt += 4 * (scene_threads(s) / 2);
    } else if (c->by == BY_PRIVATE) {
        const uint64_t far = (virt - PROG_PDS) / scene_threads(s) & ~UINT64_C(3);
        const bool lane = c->touch < TOUCH_LR;
        p->fault.virt = PROG_PDS + far * scene_threads(s) + (lane ? 4 * (scene_threads(s) / 2) : 0);
        if (lane)
            set_lanes(s, c->by, far);
        else
            set_address(s, far);
    } else {
        set_address(s, virt);
    }
    touch_words(s, c->touch, c->by, 1, wide);
}

/* Jump to the address in X_AT, to what comes next, with the return address in X_RESUME. */
static void jump(scene *s) {
    const int32_t back = prog_la(s->p, X_RESUME);
    prog_add(s->p, "jalr", 0, 0, X_AT);
    scene_here(s, back);
}

/* X_AT = the address of the instruction that prog_lead() of the returned one names, in an alias of the
 * code. */
static int32_t alias_code(scene *s, uint32_t alias) {
    const int32_t place = prog_la(s->p, X_AT);
    prog_li(s->p, X_TEMP, alias - PROG_CODE);
    prog_add(s->p, "add", X_AT, X_AT, X_TEMP);
    return place;
}

/* A prefix in the last word of a page, whose instruction is the first of the next: at a border of pages of
 * each size. */
#define BORDER FAR_GIB

static void code_at_border(scene *s) {
    prog *p = s->p;
    const int32_t around = prog_add(p, "jal", 0, 0);
    uint32_t prefix = 0;
    const int32_t none[KARAT_MAX_OPERAND] = {0};
    karat_encode(p->prefix_row[PROG_REGEXT], none, &prefix);
    while (!p->failed && (prog_address(p, p->num) & 4095) != 4092)
        prog_word(p, 0);
    prog_page(p, "0x%x:alias=0x%x@0", BORDER - 4096, prog_address(p, p->num) & ~4095u);
    prog_word(p, prefix);
    scene_here(s, around);
    prog_li(p, X_AT, BORDER - 4);
}

static void fault_of_fetch(scene *s, const fault_case *c) {
    prog *p = s->p;
    char mapped[32];
    snprintf(mapped, sizeof mapped, "alias=0x%x", PROG_CODE);
    if (c->next_page) {
        p->fault.virt = BORDER;
        spoil(p, c, BORDER, mapped);
        code_at_border(s);
        jump(s);
        return;
    }
    if (c->reason == KARAT_FAULT_NO_TABLE && c->level == 2) {
        p->fault.virt = PROG_CODE; /* There is no root: the program does not begin */
        spoil(p, c, PROG_CODE, "page");
        return;
    }
    spoil(p, c, FAR_GIB, mapped);
    const int32_t place = alias_code(s, FAR_GIB);
    prog_add(p, "jalr", 0, 0, X_AT);
    scene_here(s, place);
    p->fault.virt = FAR_GIB + (prog_address(p, p->num) - PROG_CODE);
}

/* --- Programs that end --- */

/* Lanes, in turn, on one page, two, or three of them, so far apart, from that address on; private: before the
 * interleaving. */
static void set_pages(scene *s, uint64_t from, uint64_t apart, uint32_t pages) {
    prog *p = s->p;
    prog_add(p, "vmv.v.i", V_PLACE, (int32_t)pages - 1);
    prog_add(p, "vminu.vv", V_PLACE, V_PLACE, V_LANE, 1);
    prog_li(p, X_TEMP, (uint32_t)apart);
    prog_add(p, "vmul.vx", V_PLACE, V_PLACE, X_TEMP, 1);
    prog_li(p, X_TEMP, (uint32_t)from);
    prog_add(p, "vadd.vx", V_PLACE, V_PLACE, X_TEMP, 1);
}

static void add_lanes(scene *s) {
    prog_add(s->p, "vsll.vi", V_OTHER, V_LANE, 2, 1);
    prog_add(s->p, "vadd.vv", V_PLACE, V_PLACE, V_OTHER, 1);
}

static void sizes(scene *s, uint32_t level) {
    prog *p = s->p;
    const uint64_t size = bytes_of(level);
    const bool prefixes = karat_profile_has(p->profile, KARAT_FEATURE_PREFIX);
    p->launch.pds = PDS_SIZE;
    prog_page(p, "0x%x:page@%u", PROG_PDS, level);
    prog_page(p, "0x%" PRIx64 ":page@%u", FAR_GIB + size, level); /* This page has a 64-bit address */
    for (uint32_t k = 0; k < 3; k++) {
        prog_page(p, "0x%x:page@%u", (uint32_t)(FAR_GIB + k * size), level);
        if (level < 2) /* At level 2 they are those */
            prog_page(p, "0x%x:page@%u", (uint32_t)(PROG_PDS + k * size), level);
    }
    for (uint32_t end = 0; end < 3; end++)
        for (touch touch = TOUCH_STORE; touch <= TOUCH_AMO + 1; touch++) { /* The load is last */
            const uint64_t word = end == 0 ? 0 : end == 1 ? size / 2 + 0xaa8 % size : size - 4;
            set_address(s, FAR_GIB + word);
            touch_words(s, touch <= TOUCH_AMO ? touch : TOUCH_LOAD, BY_SCALAR, 1, false);
        }
    prog_li(p, X_AT, 8);
    for (touch touch = TOUCH_LR; prefixes && touch <= TOUCH_AMO; touch++)
        touch_words(s, touch, BY_PRIVATE, 1, false);
    set_address(s, FAR_GIB + size - 4);
    touch_words(s, TOUCH_STORE, BY_SCALAR, 2, true);
    touch_words(s, TOUCH_LOAD, BY_SCALAR, 2, true);
    for (uint32_t pages = 1; pages <= 3; pages++)
        for (uint32_t k = 0; k < 2; k++) {
            const touch touch = k ? TOUCH_LOAD : TOUCH_STORE;
            set_pages(s, FAR_GIB + 0x40 * pages, size, pages);
            add_lanes(s);
            touch_words(s, touch, BY_VECTOR, 1, false);
            set_pages(s, 4 * pages, size / scene_threads(s), pages);
            touch_words(s, touch, BY_PRIVATE, 1, false);
            /* Even lanes in local memory. */
            set_pages(s, FAR_GIB + 0x80 * pages, size, pages);
            add_lanes(s);
            prog_add(p, "vand.vi", V_OTHER, V_LANE, 3, 1);
            prog_add(p, "vmseq.vi", 0, V_OTHER, 3, 1);
            prog_add(p, "vmerge.vxm", V_PLACE, V_PLACE, X_LDS);
            touch_words(s, touch, BY_VECTOR, 1, false);
        }
}

/* Pages with permissions and flags: those that fetches, loads and stores can use. */
static const struct permission {
    const char *change;
    bool fetch, load, store;
} permissions[] = {
    {"no-write+no-exec+not-dirty", false, true, false},
    {"no-write+no-exec", false, true, false},
    {"no-exec", false, true, true},
    {"no-exec+user", false, true, true},
    {"no-write+user", true, true, false},
    {"global", true, true, true},
    {"user+global", true, true, true},
    {"no-read", true, false, false},
    {"no-read+not-dirty", true, false, false},
};
enum { NUM_PERMISSION = sizeof permissions / sizeof *permissions };

/* An address for page k of that level, above 4 GiB: each in a GiB of its own. */
static uint64_t above_4g(uint32_t level, uint32_t k) {
    return (8 + 16 * level + k) * GIB;
}

static void loads_and_stores(scene *s, uint32_t unused) {
    (void)unused;
    for (uint32_t level = 0; level < 3; level++)
        for (uint32_t k = 0; k < NUM_PERMISSION; k++) {
            const uint64_t page = above_4g(level, k), last = page + bytes_of(level) - 4;
            if (!permissions[k].load)
                continue;
            prog_page(s->p, "0x%" PRIx64 ":page+%s@%u", page, permissions[k].change, level);
            set_address(s, last);
            prog_add(s->p, "vmv.v.x", V_PLACE, X_AT);
            prog_add(s->p, "vmv.v.x", V_PLACE + 1, X_HIGH);
            for (touch touch = TOUCH_STORE; touch <= TOUCH_AMO + 1; touch++) { /* The load is last */
                const bool store = touch == TOUCH_STORE || touch == TOUCH_SC || touch == TOUCH_AMO;
                if (store && !permissions[k].store)
                    continue;
                touch_words(s, touch <= TOUCH_AMO ? touch : TOUCH_LOAD, BY_SCALAR, 1, true);
                if (touch == TOUCH_STORE || touch > TOUCH_AMO)
                    touch_words(s, store ? touch : TOUCH_LOAD, BY_VECTOR, 1, true);
            }
        }
}

/* Run an instruction, and one with a prefix, on pages of each size, which are aliases of the code: two of the
 * permissions in each of three programs, since there are two GiB for them. */
static void run_pages(scene *s, uint32_t part) {
    static const uint32_t gibs[] = {0, 0x40000000};
    static const uint8_t begins[] = {0, 2, 3, 5};
    const uint32_t first = begins[part], num = begins[part + 1] - first;
    prog *p = s->p;
    uint32_t at = 0;
    for (uint32_t k = 0; k < NUM_PERMISSION; k++) {
        if (!permissions[k].fetch || at++ < first || at > first + num)
            continue;
        for (uint32_t level = 0; level < 3; level++) {
            const uint32_t virt =
                level == 2 ? gibs[at - 1 - first] : FAR_GIB + 0x8000000 * level + 0x400000 * at;
            prog_page(p, "0x%x:alias=0x%x@%u", virt, PROG_CODE, level);
            prog_page(p, "0x%x:%s@%u", virt, permissions[k].change, level);
            const int32_t place = alias_code(s, virt);
            const int32_t back = prog_la(p, X_RESUME);
            prog_add(p, "jalr", 0, 0, X_AT);
            scene_here(s, place);
            prog_add(p, "addi", X_RESULT, X_RESULT, (int32_t)at);
            const int32_t value[KARAT_MAX_OPERAND] = {40, X_RESULT, 3};
            prog_put(p, ROW_addi, value, PROG_REGEXT, PROG_NONE);
            prog_add(p, "jalr", 0, 0, X_RESUME);
            scene_here(s, back);
        }
    }
    prog_add(p, "add", X_RESULT, X_RESULT, 40);
}

static void prefix_at(scene *s, uint32_t level) {
    prog *p = s->p;
    prog_page(p, "0x%x:alias=0x%x@%u", BORDER, PROG_CODE, level);
    code_at_border(s);
    jump(s);
    prog_add(p, "add", X_RESULT, X_RESULT, X_GOT);
}

/* A lane's words on two pages, of all pairs of sizes. */
static void crossing(scene *s, uint32_t unused) {
    (void)unused;
    prog *p = s->p;
    const uint32_t most = karat_profile_has(p->profile, KARAT_FEATURE_PREFIX) ? 4 : 2;
    for (uint32_t pair = 0; pair < 9; pair++) {
        const uint32_t low = pair / 3, high = pair % 3;
        const uint64_t border = (8 + 3 * pair) * GIB;
        prog_page(p, "0x%" PRIx64 ":page@%u", border - 4, low);
        prog_page(p, "0x%" PRIx64 ":page@%u", border, high);
        for (uint32_t words = 2; words <= most; words++) {
            set_address(s, border - 4 * (words / 2));
            touch_words(s, TOUCH_STORE, BY_SCALAR, words, true);
            touch_words(s, TOUCH_LOAD, BY_SCALAR, words, true);
            prog_add(p, "vmv.v.x", V_PLACE, X_AT);
            prog_add(p, "vmv.v.x", V_PLACE + 1, X_HIGH);
            touch_words(s, TOUCH_STORE, BY_VECTOR, words, true);
            touch_words(s, TOUCH_LOAD, BY_VECTOR, words, true);
        }
    }
}

/* The second word of a lane faults. */
static void cross_fault(scene *s, uint32_t level, touch touch) {
    const uint64_t border = 8 * GIB;
    prog_page(s->p, "0x%" PRIx64 ":page@%u", border - 4, level);
    s->p->fault = (prog_fault){.reason = KARAT_FAULT_INVALID, .level = 2, .virt = border};
    s->p->fault.use = touch == TOUCH_STORE ? KARAT_USE_STORE : KARAT_USE_LOAD;
    set_address(s, border - 4);
    touch_words(s, touch, BY_SCALAR, 2, true);
}

static void cross_load(scene *s, uint32_t level) {
    cross_fault(s, level, TOUCH_LOAD);
}
static void cross_store(scene *s, uint32_t level) {
    cross_fault(s, level, TOUCH_STORE);
}

/* A store, SC or AMO by one address, then each access by the other, of the same warp and of another one. The
 * second address has 32 bits, or more, also in the upper half. */
static void aliases(scene *s, uint32_t unused) {
    (void)unused;
    static const uint64_t others[] = {0xd0000000, UINT64_C(0x1234567000), UINT64_C(0xffffffc765432000)};
    static const touch stores[] = {TOUCH_STORE, TOUCH_SC, TOUCH_AMO};
    prog *p = s->p;
    for (uint32_t i = 0; i < 3; i++)
        prog_page(p, "0x%" PRIx64 ":alias=0x%x@0", others[i], PROG_DATA);
    for (uint32_t other = 0; other < 2; other++)
        for (uint32_t i = 0; i < 3; i++)
            for (touch younger = TOUCH_LOAD; younger <= TOUCH_AMO; younger++) {
                const uint32_t at = (younger + i) % 3;
                int32_t around = prog_add(p, "bne", X_WARP, 0, 0);
                set_address(s, PROG_DATA + 0x100 * (1 + other) + 16 * i);
                if (stores[i] == TOUCH_SC)
                    touch_words(s, TOUCH_LR, BY_SCALAR, 1, false);
                touch_words(s, stores[i], BY_SCALAR, 1, false);
                scene_here(s, around);
                prog_add(p, "barrier", 0);
                prog_add(p, "xori", X_TEMP, X_WARP, other);
                around = prog_add(p, "bne", X_TEMP, 0, 0);
                set_address(s, others[at] + 0x100 * (1 + other) + 16 * i);
                if (younger == TOUCH_SC)
                    touch_words(s, TOUCH_LR, BY_SCALAR, 1, at != 0);
                touch_words(s, younger, BY_SCALAR, 1, at != 0);
                scene_here(s, around);
                prog_add(p, "barrier", 0);
            }
}

/* Stores of several words by two addresses of one page of memory: the later words of a lane are the first
 * ones of the lanes after it, by virtual addresses that do not meet. Lanes take turns, one, two, or four at a
 * time. */
static void aliased_words(scene *s, uint32_t unused) {
    (void)unused;
    prog *p = s->p;
    const uint32_t other = 0xd0000000, at = PROG_DATA + SHARED,
                   most = karat_profile_has(p->profile, KARAT_FEATURE_PREFIX) ? 4 : 2;
    prog_page(p, "0x%x:alias=0x%x@0", other, at & ~4095u);
    for (uint32_t words = 2; words <= most; words++)
        for (uint32_t turn = 0; turn < 3; turn++)
            for (touch touch = TOUCH_STORE;; touch = TOUCH_LOAD) {
                prog_add(p, "vsrl.vi", V_OTHER, V_LANE, (int32_t)turn, 1);
                prog_add(p, "vand.vi", V_OTHER, V_OTHER, 1, 1);
                prog_li(p, X_TEMP, other - (at & ~4095u));
                prog_add(p, "vmul.vx", V_PLACE, V_OTHER, X_TEMP, 1);
                prog_add(p, "vsll.vi", V_OTHER, V_LANE, 2, 1);
                prog_add(p, "vadd.vv", V_PLACE, V_PLACE, V_OTHER, 1);
                prog_li(p, X_TEMP, at);
                prog_add(p, "vadd.vx", V_PLACE, V_PLACE, X_TEMP, 1);
                prog_add(p, "vmv.v.i", V_PLACE + 1, 0);
                for (int32_t k = 1; touch == TOUCH_STORE && k < (int32_t)words; k++) {
                    prog_li(p, X_TEMP, 0x1000 * (uint32_t)k + 0x100 * turn);
                    prog_add(p, "vadd.vx", V_PAIR + k, V_LANE, X_TEMP, 1);
                }
                touch_words(s, touch, BY_VECTOR, words, true);
                if (touch == TOUCH_LOAD)
                    break;
            }
}

/* Pages on both sides of the LDS window, and local memory itself, in turn. */
static void beside_local(scene *s, uint32_t unused) {
    (void)unused;
    static const uint32_t places[] = {0x6ffffffc, PROG_LDS, 0x7ffffffc, 0x80010000, 0x6ffff000};
    prog *p = s->p;
    prog_page(p, "0x6ffff000:page@0");
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < sizeof places / sizeof *places; i++) {
            set_address(s, places[i]);
            touch_words(s, round ? TOUCH_LOAD : TOUCH_STORE, BY_SCALAR, 1, false);
            prog_add(p, "addi", X_GOT, X_GOT, (int32_t)i);
        }
}

/* --- The list --- */

static const struct entry {
    const char *name, *about;
    void (*make)(scene *s, uint32_t level);
    uint32_t level, warps; /* The level is that of pages, or which part */
    bool at_border;        /* The program's first instruction runs at the border, too */
} entries[] = {
    {"sizes-4k", "each access on pages of 4 KiB, lanes on one, two and three of them, and in local memory",
     sizes, 0, 1, false},
    {"sizes-2m", "the same on pages of 2 MiB", sizes, 1, 1, false},
    {"sizes-1g", "the same on pages of 1 GiB", sizes, 2, 1, false},
    {"permissions", "every access where the page permits just that, by 64-bit addresses", loads_and_stores, 0,
     1, false},
    {"code-pages", "code on pages of each size, with permissions just enough, and more", run_pages, 0, 1,
     false},
    {"code-pages-any", "the same on pages that permit all", run_pages, 1, 1, false},
    {"code-pages-only", "the same on pages that are only executable", run_pages, 2, 1, false},
    {"prefix-4k", "a prefix and its instruction on two pages; the second one of 4 KiB", prefix_at, 0, 1,
     true},
    {"prefix-2m", "the same, of 2 MiB", prefix_at, 1, 1, true},
    {"prefix-1g", "the same, of 1 GiB", prefix_at, 2, 1, true},
    {"crossing", "words of one lane on two pages, of each pair of sizes", crossing, 0, 1, false},
    {"aliases", "accesses by a second address, of the same warp and of another one", aliases, 0, 2, false},
    {"aliased-words", "words of neighbouring lanes on one page of memory, by two addresses", aliased_words, 0,
     1, false},
    {"beside-local", "pages on both sides of local memory", beside_local, 0, 1, false},
    {"cross-load-4k", "a load whose second word faults, after a page of 4 KiB", cross_load, 0, 1, false},
    {"cross-load-2m", "the same after 2 MiB", cross_load, 1, 1, false},
    {"cross-load-1g", "the same after 1 GiB", cross_load, 2, 1, false},
    {"cross-store-4k", "a store whose second word faults, after a page of 4 KiB", cross_store, 0, 1, false},
    {"cross-store-2m", "the same after 2 MiB", cross_store, 1, 1, false},
    {"cross-store-1g", "the same after 1 GiB", cross_store, 2, 1, false},
};
enum { NUM_ENTRIES = sizeof entries / sizeof *entries };

static bool is_group(uint32_t group, const char *name) {
    return strcmp(karat_cov_group_info(group)->name, name) == 0;
}

/* Fault number 'index' among the bins that can be reached; false: there are only *num. */
static bool find_fault(const karat_cov *cov, uint32_t index, uint32_t *num, fault_case *c, char *name) {
    *num = 0;
    KARAT_COV_EACH_GROUP(cov, g) {
        const bool fetch = is_group(g, "unfetched");
        if (!fetch && !is_group(g, "fault"))
            continue;
        for (uint32_t bin = 0; bin < karat_cov_bins(cov, g); bin++) {
            if (karat_cov_excluded(cov, g, bin) || (*num)++ != index)
                continue;
            uint32_t at[KARAT_COV_AXES];
            karat_cov_at(cov, g, bin, at);
            *c = (fault_case){.reason = (karat_fault_reason)(at[0] + KARAT_FAULT_NOT_CANONICAL),
                              .level = at[1],
                              .fetch = fetch,
                              .next_page = fetch && at[2] != 0,
                              .touch = fetch ? TOUCH_LOAD : (touch)at[2],
                              .by = fetch ? BY_SCALAR : (by)at[3]};
            snprintf(name, DIRECTED_NAME, "fault-%s-%s-%s-%s", karat_cov_point_name(cov, g, at, 0),
                     karat_cov_point_name(cov, g, at, 1),
                     fetch ? "fetch" : karat_cov_point_name(cov, g, at, 2),
                     fetch ? (c->next_page ? "next-page" : "first") : karat_cov_point_name(cov, g, at, 3));
            for (char *space; (space = strchr(name, ' ')) != NULL;)
                *space = '-';
            return true;
        }
    }
    return false;
}

/* Bits that an entry must not have: each alone, in a leaf and in an entry that names a table, of the levels
 * in turn. */
static const struct bits {
    const char *name;
    karat_fault_reason reason;
    uint8_t first, last;
    bool table;
    uint32_t least, most; /* Levels */
} bits[] = {{"reserved", KARAT_FAULT_RESERVED, 54, 63, false, 0, 2},
            {"table-reserved", KARAT_FAULT_RESERVED, 54, 63, true, 1, 2},
            {"table-user", KARAT_FAULT_RESERVED, 4, 4, true, 1, 2},
            {"table-flag", KARAT_FAULT_RESERVED, 6, 7, true, 1, 2},
            {"misaligned-2m", KARAT_FAULT_MISALIGNED_SUPERPAGE, 10, 18, false, 1, 1},
            {"misaligned-1g", KARAT_FAULT_MISALIGNED_SUPERPAGE, 10, 27, false, 2, 2}};
enum { NUM_BITS = sizeof bits / sizeof *bits };

/* Program number 'index' about one bit; false: there are only *num. */
static bool find_bit(uint32_t index, uint32_t *num, fault_case *c, char *name) {
    static const touch touches[] = {TOUCH_LOAD, TOUCH_STORE, TOUCH_LR, TOUCH_AMO};
    *num = 0;
    for (uint32_t i = 0; i < NUM_BITS; i++) {
        const struct bits *b = &bits[i];
        for (uint8_t bit = b->first; bit <= b->last; bit++) {
            if ((*num)++ != index)
                continue;
            *c = (fault_case){.reason = b->reason,
                              .level = b->least + bit % (b->most - b->least + 1),
                              .touch = touches[bit % 4],
                              .by = BY_SCALAR,
                              .bit = bit,
                              .table = b->table};
            snprintf(name, DIRECTED_NAME, "fault-bit-%s-%u", b->name, (unsigned)bit);
            return true;
        }
    }
    return false;
}

/* Number 'index' of the programs that end in a fault. */
static bool find_case(const karat_cov *cov, uint32_t index, uint32_t *num, fault_case *c, char *name) {
    uint32_t faults, single;
    if (find_fault(cov, index, &faults, c, name) || find_bit(index - faults, &single, c, name))
        return true;
    *num = faults + single;
    return false;
}

uint32_t pages_num(const karat_cov *cov) {
    fault_case c;
    char name[DIRECTED_NAME];
    uint32_t num = 0;
    find_case(cov, UINT32_MAX, &num, &c, name);
    return NUM_ENTRIES + num;
}

const char *pages_about(const karat_cov *cov, uint32_t index, char name[DIRECTED_NAME]) {
    fault_case c;
    uint32_t num;
    if (index < NUM_ENTRIES) {
        snprintf(name, DIRECTED_NAME, "%s", entries[index].name);
        return entries[index].about;
    }
    find_case(cov, index - NUM_ENTRIES, &num, &c, name);
    return NULL;
}

/* The first instructions of code that also runs at the border: what comes there after the prefix, and the way
 * back. */
static void begin_at_border(scene *s) {
    prog *p = s->p;
    prog_add(p, "auipc", X_GOT, 0);
    prog_add(p, "slli", X_TEMP, X_GOT, 1);
    const int32_t begin = prog_add(p, "beq", X_TEMP, 0, 0); /* It is at PROG_CODE */
    prog_add(p, "jalr", 0, 0, X_RESUME);
    scene_here(s, begin);
}

bool pages_make(const row_table *table, const directed_params *params, const karat_cov *cov, uint32_t index,
                prog *p) {
    scene s = {table, params, p, 0, 0};
    fault_case c = {0};
    char name[DIRECTED_NAME];
    uint32_t num;
    prog_init(p, table->profile);
    const struct entry *entry = index < NUM_ENTRIES ? &entries[index] : NULL;
    if (!entry && !find_case(cov, index - NUM_ENTRIES, &num, &c, name)) {
        prog_fail(p, "no such program");
        return false;
    }
    scene_launch(&s, 1, entry ? entry->warps : 1);
    if (entry ? entry->at_border : c.next_page)
        begin_at_border(&s);
    scene_begin(&s);
    prog_li(p, X_GOT, 0);
    prog_add(p, "vmv.v.i", V_GOT, 1);
    for (int32_t i = 0; i < 4; i++) {
        prog_li(p, X_PAIR + (uint32_t)i, (uint32_t)i);
        prog_add(p, "vmv.v.i", V_PAIR + i, i);
    }
    if (entry) {
        entry->make(&s, entry->level);
        return scene_finish(&s);
    }
    p->launch.pds = PDS_SIZE;
    p->fault = (prog_fault){.reason = c.reason,
                            .level = (uint8_t)c.level,
                            .use = c.fetch                                        ? KARAT_USE_FETCH
                                   : c.touch == TOUCH_LOAD || c.touch == TOUCH_LR ? KARAT_USE_LOAD
                                                                                  : KARAT_USE_STORE};
    (c.fetch ? fault_of_fetch : fault_of_access)(&s, &c);
    return scene_finish(&s);
}
