/* Frame of test_qemu and test_qemu64: random operands, batches of cases, the guest and the model on them, and
 * figures. */
#include "qemu_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef KARAT_TEST_SCALE
#define KARAT_TEST_SCALE 1
#endif

enum { PASSES = 16, MAX_CASES = 512, MAX_ITEMS = 1 << 12, ROOM = 2048 /* Words that one case may need */ };

static const suite *the;
static time_t begin;

struct rng rng;

uint32_t random_word(void) {
    return (uint32_t)(rng_next(&rng) >> 32);
}

uint32_t random_integer(void) {
    static const uint32_t corners[] = {
        0,      1,      2,       31,         32,         0x7f,       0x80,       0xff,       0x7fff,
        0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0xaaaaaaaa};
    uint64_t r = rng_next(&rng);
    uint32_t bits = (uint32_t)(r >> 32), n = (uint32_t)r >> 8 & 31;
    switch (r & 7) {
    case 0:
    case 1: return corners[bits % (sizeof corners / sizeof *corners)];
    case 2: return 1u << n;
    case 3: return ~0u << n;
    case 4: return (1u << n) - 1 + (bits & 1);
    case 5: return (uint32_t)((int32_t)bits >> n);
    default: return bits;
    }
}

/* --- Items: rows at widths --- */

static karat_width width_of(int item) {
    return (karat_width)(item & 3);
}

static const karat_row *row_of(int item) {
    return karat_row_info(item / 4);
}

static int num_items(void) {
    return 4 * karat_num_rows();
}

static kind kind_of(int item, const char **reason) {
    *reason = NULL;
    return the->kind_of(row_of(item), width_of(item), reason);
}

kind vector_kind(const karat_row *row) {
    uint32_t funct3 = row->match >> 12 & 7, funct6 = row->match >> 26;
    if (funct3 == 2 && funct6 >> 3 == 3)
        return MASK_LOGIC;
    bool carry_out = (funct3 == 0 || funct3 == 3 || funct3 == 4) && (funct6 == 0x11 || funct6 == 0x13);
    bool compare = funct3 != 2 && funct3 != 6 && funct6 >> 3 == 3;
    return carry_out || compare ? VECTOR_TO_MASK : VECTOR;
}

bool is_specified(const karat_row *row) {
    static const char *const chapters[] = {"rv32i", "rv32m", "rv32a", "zicsr",
                                           "zfinx", "v1.0",  "rv64i", "rv64a"};
    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++)
        if (strstr(row->section, chapters[i]))
            return true;
    return false;
}

/* --- Cases --- */

void set_operand(test_case *t, const char *name, int32_t value) {
    for (unsigned i = 0; i < t->row->num_operands; i++)
        if (strcmp(karat_operand_info(t->row->operands[i])->name, name) == 0)
            t->insn.value[i] = value;
}

void take_register(test_case *t, const karat_operand_kind *o, unsigned number) {
    bool is_vector = o->cls == KARAT_CLASS_V;
    switch (o->role) {
    case KARAT_ROLE_DEST: t->rd = number; break;
    case KARAT_ROLE_SRC1:
        t->rs1 = number;
        *(is_vector ? &t->v1 : &t->x1) = true;
        t->fp_scalar = !is_vector && t->row->rounds;
        break;
    case KARAT_ROLE_SRC2:
        t->rs2 = number;
        t->v2 = is_vector;
        break;
    default: t->rs3 = number; break;
    }
}

static void make_case(test_case *t, int item) {
    const karat_row *row = row_of(item);
    const char *reason;
    *t = (test_case){.row = row,
                     .item = item,
                     .width = width_of(item),
                     .kind = kind_of(item, &reason),
                     .frm = rng_below(&rng, 5)};
    karat_decode(the->profile, row->match | (random_word() & ~row->mask), &t->insn);
    t->fp = row->rounds || t->kind == ZFINX;
    t->fflags = rng_below(&rng, 8) ? 0 : random_word() & 31;
    t->vcsr = rng_below(&rng, 4) << 1; /* Draws vxrm */
    t->vcsr |= !rng_below(&rng, 8);    /* Draws vxsat */
    t->lmul = 1;
    for (unsigned i = 0; i < row->num_operands; i++) {
        const karat_operand_kind *o = karat_operand_info(row->operands[i]);
        if (o->role == KARAT_ROLE_VM) {
            t->skips = o->bits && !t->insn.value[i];
            t->masked = o->bits == 0 || t->skips;
        }
    }
    the->choose_registers(t);
    the->parts[t->kind]->choose(t);
    if (!karat_encode(t->insn.row, t->insn.value, &t->word))
        abort();
}

/* --- Code and operands of a batch --- */

static struct {
    struct header header;
    uint32_t code[MAX_CODE], in[MAX_DATA];
    unsigned num_cases, num_placed;
    test_case cases[MAX_CASES];
    uint32_t placed[MAX_CODE]; /* The model's code */
    uint32_t out[MAX_DATA];
} b;

struct header *header = &b.header;

void emit(uint32_t word) {
    b.code[b.header.code_words++] = word;
}

void place(uint32_t word) {
    b.placed[b.num_placed++] = word;
}

void emit_flags(const test_case *t) {
    EMIT("csrrwi", 0, FRM, (int32_t)t->frm);
    EMIT("csrrwi", 0, FFLAGS, (int32_t)t->fflags);
}

void emit_mask(const test_case *t) {
    if (t->masked)
        emit(0x02b00007 | IN << 15);
    EMIT("addi", IN, IN, 8);
}

static bool has_room(void) {
    return b.num_cases < MAX_CASES && b.header.code_words + ROOM / 8 < MAX_CODE &&
           (b.header.in_words + ROOM) * PASSES < MAX_DATA && (b.header.out_words + ROOM) * PASSES < MAX_DATA;
}

/* Items in turn, so that each is compared as often as the others. */
static void make_batch(const int *items, unsigned num, unsigned *next, uint64_t wanted) {
    const part *const *parts = the->parts;
    b.header = (struct header){.passes = PASSES};
    b.num_cases = b.num_placed = 0;
    while (has_room() && (uint64_t)b.num_cases * PASSES < wanted) {
        test_case *t = &b.cases[b.num_cases++];
        make_case(t, items[(*next)++ % num]);
        t->in = b.header.in_words;
        t->out = b.header.out_words;
        parts[t->kind]->emit(t);
    }
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (unsigned i = 0; i < b.num_cases; i++)
            parts[b.cases[i].kind]->operands(b.in + pass * b.header.in_words + b.cases[i].in, &b.cases[i]);
}

/* The guest reads a whole batch before it writes anything, so this cannot deadlock. */
static bool exchange(struct qemu *guest) {
    const struct header *h = &b.header;
    return qemu_send(guest, h, sizeof *h) && qemu_send(guest, b.code, 4 * h->code_words) &&
           qemu_send(guest, b.in, 4 * h->in_words * h->passes) &&
           qemu_receive(guest, b.out, 4 * h->out_words * h->passes);
}

/* --- The model on the same cases --- */

karat_model *model;
karat_commit commit;
static uint64_t compared[MAX_ITEMS], elements[MAX_ITEMS], differences;

bool step_model(const test_case *t) {
    if (karat_step(model, 0, &commit) == KARAT_OK) {
        rows_executed(commit.row);
        return true;
    }
    printf("%s: the model says %s\n", t->row->mnemonic, karat_error_name(commit.error.kind));
    differences++;
    return false;
}

void set_scalar(unsigned reg, uint32_t value) {
    const uint32_t lanes[KARAT_MAX_THREAD] = {value};
    karat_adopt(model, 0, KARAT_CLASS_X, reg, 1, lanes);
}

uint32_t get_scalar(unsigned reg) {
    karat_warp_view view;
    karat_view(model, 0, &view);
    return view.x[reg];
}

uint32_t get_csr_value(uint32_t csr) {
    uint32_t value = 0;
    karat_csr_read(model, 0, csr, &value);
    return value;
}

void adopt_v(unsigned reg, uint32_t lmul, const uint32_t *value) {
    for (uint32_t part = 0; part < lmul; part++)
        karat_adopt(model, 0, KARAT_CLASS_V, reg + part, ~0u, value + LANES * part);
}

void adopt_mask(uint32_t lmul, const uint32_t *packed) {
    uint32_t mask[MAX_ELEMENT];
    for (uint32_t i = 0; i < LANES * lmul; i++)
        mask[i] = (random_word() & ~1u) | (packed[i / 32] >> i % 32 & 1);
    adopt_v(0, lmul, mask);
}

const uint32_t *vector(unsigned reg) {
    static uint32_t group[MAX_ELEMENT];
    karat_warp_view view;
    karat_view(model, 0, &view);
    for (uint32_t i = 0; i < MAX_ELEMENT && reg + i / LANES < KARAT_NUM_V; i++)
        group[i] = view.v[reg + i / LANES][i % LANES];
    return group;
}

void report(const test_case *t, const char *what, unsigned element, uint64_t got, uint64_t expected,
            const uint32_t *in) {
    if (differences++ >= 20)
        return;
    char text[80];
    karat_disassemble(the->profile, 0, t->prefix, t->word, text, sizeof text);
    printf(
        "%s (%u bits, lmul %u, frm %u, fflags 0x%02x, vcsr %u): %s %u is 0x%08llx, QEMU says 0x%08llx; input",
        text, 8u << t->width, t->lmul, t->frm, t->fflags, t->vcsr, what, element, (unsigned long long)got,
        (unsigned long long)expected);
    const part *p = the->parts[t->kind];
    if (p->describe) {
        p->describe(t, element, in);
        return;
    }
    uint32_t end = t - b.cases + 1 < b.num_cases ? t[1].in : b.header.in_words;
    for (uint32_t i = 0; i < 6 && i < end - t->in; i++)
        printf(" 0x%08x", in[i]);
    putchar('\n');
}

void expect(const test_case *t, const char *what, unsigned element, uint64_t got, uint64_t expected,
            const uint32_t *in) {
    if (got != expected)
        report(t, what, element, got, expected, in);
}

void count_elements(const test_case *t, uint32_t num) {
    elements[t->item] += num;
}

static bool compare_batch(void) {
    static const uint32_t base = 0x80000000u;
    static uint8_t bytes[4 * MAX_CODE];
    for (unsigned i = 0; i < 4 * b.num_placed; i++)
        bytes[i] = (uint8_t)(b.placed[i / 4] >> 8 * (i % 4));
    karat_write(model, base, bytes, 4 * b.num_placed);
    for (unsigned pass = 0; pass < PASSES; pass++) {
        karat_launch_desc desc = {.pc = base, .mask = ~0u};
        karat_workgroup_close(model, 0);
        if (karat_workgroup_open(model, 0, 1) != KARAT_OK || karat_launch(model, 0, &desc) != KARAT_OK)
            return false;
        const uint32_t *in = b.in + pass * b.header.in_words, *out = b.out + pass * b.header.out_words;
        for (unsigned i = 0; i < b.num_cases; i++) {
            const test_case *t = &b.cases[i];
            if (!the->parts[t->kind]->compare(t, in + t->in, out + t->out))
                return false; /* The warp has stopped */
            compared[t->item]++;
        }
    }
    return true;
}

/* --- All of it --- */

static const char *item_name(int item) {
    static char text[64];
    if (the->profile == KARAT_V202)
        return row_of(item)->mnemonic;
    snprintf(text, sizeof text, "%s/%u", row_of(item)->mnemonic, 8u << width_of(item));
    return text;
}

/* Each reason once, with its items. */
static void print_left_out(void) {
    const char *reason, *other, *printed[16];
    unsigned num = 0;
    for (int i = 0; i < num_items(); i++) {
        bool again = kind_of(i, &reason) != LEFT_OUT || !reason;
        for (unsigned k = 0; k < num; k++)
            again = again || printed[k] == reason;
        if (again || num == sizeof printed / sizeof *printed)
            continue;
        printed[num++] = reason;
        printf("left out, %s:", reason);
        for (int k = i; k < num_items(); k++)
            if (kind_of(k, &other) == LEFT_OUT && other == reason)
                printf(" %s", item_name(k));
        putchar('\n');
    }
}

bool run_begin(const suite *s, uint32_t deviations) {
    the = s;
    rng.state = test_seed();
    karat_config config;
    karat_config_default(&config);
    config.profile = s->profile;
    config.deviations = deviations;
    model = karat_create(&config, NULL);
    if (!model || num_items() > MAX_ITEMS || karat_map(model, 0x80000000u, 1 << 16) != KARAT_OK)
        return false;
    print_left_out();
    begin = time(NULL);
    return true;
}

void run(struct qemu *guest, kind first, kind last, const char *count, uint64_t fallback) {
    static int items[MAX_ITEMS];
    const uint64_t target = env_number(count, fallback / KARAT_TEST_SCALE);
    unsigned num = 0;
    const char *reason;
    for (int i = 0; i < num_items(); i++) {
        kind k = kind_of(i, &reason);
        if (k != LEFT_OUT && k >= first && k <= last)
            items[num++] = i;
    }
    unsigned next = num ? rng_below(&rng, num) : 0;
    for (uint64_t done = 0; num && done < target; done += (uint64_t)PASSES * b.num_cases) {
        make_batch(items, num, &next, target - done);
        if (!exchange(guest) || !compare_batch())
            return;
    }
}

/* Counts of comparisons; items that should have been and were not are failures. */
static void summarize(void) {
    const bool each = env_number("KARAT_QEMU_ROWS", 0) != 0;
    for (const group *g = the->groups; g->name; g++) {
        uint64_t sum = 0, sum_elements = 0, least = UINT64_MAX;
        unsigned items = 0, never = 0;
        const char *reason;
        for (int i = 0; i < num_items(); i++) {
            kind k = kind_of(i, &reason);
            if (k == LEFT_OUT || k < g->first || k > g->last)
                continue;
            items++;
            sum += compared[i];
            sum_elements += elements[i];
            least = compared[i] < least ? compared[i] : least;
            never += compared[i] == 0;
            if (each)
                printf("  %-24s %10llu %12llu\n", item_name(i), (unsigned long long)compared[i],
                       (unsigned long long)elements[i]);
        }
        printf("%s: %llu instructions of %u rows%s, each at least %llu times", g->name,
               (unsigned long long)sum, items, the->profile == KARAT_V202 ? "" : " and widths",
               (unsigned long long)(items ? least : 0));
        if (sum_elements)
            printf("; %llu element results", (unsigned long long)sum_elements);
        putchar('\n');
        if (never && sum) { /* A count of 0 leaves a group out */
            printf("%u of these were never compared\n", never);
            differences++;
        }
    }
}

int run_end(int status, const char *rows_file) {
    karat_destroy(model);
    if (status != 0)
        return status;
    summarize();
    printf("%llu differences, %.0f s\n", (unsigned long long)differences, difftime(time(NULL), begin));
    if (rows_file && differences == 0 && rows_save(rows_file) != 0)
        return 1;
    return differences != 0;
}
