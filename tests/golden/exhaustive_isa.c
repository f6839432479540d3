/* The instruction table over all 2^32 words of every profile. Not part of ctest, for it takes minutes: target
 * exhaustive_isa.
 *
 * It does not decode to find out what is right: every row enumerates its own words, which are its match with
 * every value of the bits that its mask leaves open, and marks them in a bitmap. So
 *  - a word that is marked already belongs to two rows: they overlap;
 *  - karat_decode() has to give that row for each of them, and karat_encode() of what it decoded, ignored
 *    fields included, has to give the word back;
 *  - for a word that no row has marked it has to give KARAT_NO_ROW;
 *  - karat_is_prefix() has to hold for the marked words of prefix rows and for no other.
 * Every word of every prefix row is set before every row of its profile, whose operands are arbitrary:
 * karat_prefix_of(), karat_prefix_fits() and karat_decode_prefixed() have to agree with prefix_spec.c. Words
 * whose number is a multiple of an odd number (KARAT_ISA_TEXT_STEP, 1021; 1: all) are also disassembled,
 * alone and after every prefix row, into buffers that end too early: the text has to be printable, not empty,
 * cut at the buffer's end and no byte after it written.
 *
 * The words are done in 64 parts, which as many threads as there are processors share. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "karat/isa.h"
#include "prefix_spec.h"

enum {
    PART_BITS = 26,
    PARTS = 1 << (32 - PART_BITS),
    PREFIX_PARTS = 256,
    MAX_ROWS = 4096,
    MAX_THREADS = 64,
    TEXT = 128
};
enum { GUARD = 0x5a, PROFILES = KARAT_NUM_PROFILE, MAX_PREFIXES = 32, SHOWN = 20 };

static atomic_uint next_part; /* Counts on through the profiles */
static atomic_uint_fast64_t errors, words;
static uint64_t words_of_row[PROFILES][MAX_ROWS];
static uint32_t text_step = 1021;
static uint32_t prefixes[PROFILES][MAX_PREFIXES];
static unsigned num_prefixes[PROFILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct { uint64_t legal, texts, prefixed, fit; } total[PROFILES];
static row_spec specs[MAX_ROWS];

typedef struct part {
    karat_profile profile;
    uint32_t first;
    uint32_t *marked; /* A bit a word */
    uint64_t legal, texts, prefixed, fit;
    uint64_t rows[MAX_ROWS];
} part;

static void wrong(const part *p, uint32_t word, const char *what, int row) {
    if (atomic_fetch_add(&errors, 1) >= SHOWN)
        return;
    const karat_row *r = karat_row_info(row);
    printf("%s 0x%08x (%s): %s\n", karat_profile_name(p->profile), word, r ? r->name : "no row", what);
}

static void check_text(part *p, uint32_t prefix, uint32_t word, int row) {
    char whole[TEXT], text[TEXT];
    memset(whole, GUARD, sizeof whole);
    if (karat_disassemble(p->profile, word * 4u, prefix, word, whole, sizeof whole) != row)
        wrong(p, word, "disassembled as another row", row);
    size_t length = strnlen(whole, sizeof whole);
    if (length == 0 || length >= 96) {
        wrong(p, word, "its text is empty or too long", row);
        return;
    }
    for (size_t i = 0; i < length; i++)
        if (whole[i] < ' ' || whole[i] > '~')
            wrong(p, word, "its text is not printable", row);
    const size_t sizes[] = {0, 1, 1 + word % length, length, length + 1};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = sizes[i];
        memset(text, GUARD, sizeof text);
        karat_disassemble(p->profile, word * 4u, prefix, word, text, size);
        size_t kept = size > length ? length : size ? size - 1 : 0;
        bool good = memcmp(text, whole, kept) == 0 && (size == 0 || text[kept] == 0);
        for (size_t k = size; k < sizeof text; k++)
            good = good && text[k] == GUARD;
        if (!good)
            wrong(p, word, "its text does not keep to the buffer", row);
    }
    p->texts++;
}

static void check_texts(part *p, uint32_t word, int row) {
    if (word % text_step)
        return;
    check_text(p, 0, word, row);
    for (unsigned i = 0; i < num_prefixes[p->profile]; i++) {
        const uint32_t spread = word * 0x9e3779b9u; /* Some value of the prefix's operands */
        const karat_row *prefix = karat_row_info((int)prefixes[p->profile][i]);
        check_text(p, prefix->match | (spread & ~prefix->mask), word, row);
    }
}

/* All words of that row in the part. */
static void enumerate(part *p, int index) {
    const karat_row *row = karat_row_info(index);
    const uint32_t inside = (1u << PART_BITS) - 1;
    if ((p->first ^ row->match) & row->mask & ~inside)
        return;
    const uint32_t open = ~row->mask & inside, base = p->first | (row->match & inside);
    const bool is_prefix = row->unit == KARAT_UNIT_PREFIX;
    uint32_t bits = 0;
    do {
        const uint32_t word = base | bits, at = word & inside;
        uint32_t *marks = &p->marked[at / 32], again;
        if (*marks >> at % 32 & 1)
            wrong(p, word, "another row has it as well", index);
        *marks |= 1u << at % 32;
        karat_insn insn;
        if (karat_decode(p->profile, word, &insn) != index || insn.row != index || insn.word != word)
            wrong(p, word, "decoded as another row", index);
        else if (!karat_encode(index, insn.value, &again) || again != word)
            wrong(p, word, "its operands do not encode to it", index);
        if (karat_is_prefix(p->profile, word) != is_prefix)
            wrong(p, word, "is it a prefix?", index);
        check_texts(p, word, index);
        p->rows[index]++;
        p->legal++;
        bits = (bits - open) & open; /* The next subset of the open bits */
    } while (bits);
}

static void check_unmarked(part *p) {
    karat_insn insn;
    for (uint32_t at = 0; at < 1u << PART_BITS; at++) {
        if (p->marked[at / 32] >> at % 32 & 1)
            continue;
        const uint32_t word = p->first | at;
        if (karat_decode(p->profile, word, &insn) != KARAT_NO_ROW || insn.row != KARAT_NO_ROW)
            wrong(p, word, "no row has it, and it is decoded", insn.row);
        if (karat_is_prefix(p->profile, word))
            wrong(p, word, "no row has it, and it is a prefix", KARAT_NO_ROW);
        check_texts(p, word, KARAT_NO_ROW);
    }
}

static bool same_prefix(const karat_prefix *a, const karat_prefix *b) {
    return a->x3 == b->x3 && a->x2 == b->x2 && a->x1 == b->x1 && a->xd == b->xd && a->imm == b->imm &&
           a->has_imm == b->has_imm && a->regpair == b->regpair && a->memory == b->memory &&
           a->pair == b->pair && a->abs == b->abs && a->neg == b->neg && a->space == b->space &&
           a->words == b->words && a->hint == b->hint;
}

/* A prefix before every row. */
static void check_prefix(part *p, uint32_t prefix) {
    const karat_prefix fields = fields_of(prefix), got = karat_prefix_of(prefix);
    if (!same_prefix(&fields, &got))
        wrong(p, prefix, "taken apart wrongly", KARAT_NO_ROW);
    for (int index = 0; index < karat_num_rows(); index++) {
        const karat_row *row = karat_row_info(index);
        if (!(row->profiles >> p->profile & 1))
            continue;
        const uint32_t word = row->match | ((prefix * 0x9e3779b9u + (uint32_t)index) & ~row->mask);
        karat_insn plain, insn;
        int32_t apart = -1;
        karat_decode(p->profile, word, &plain);
        const bool fits = spec_fits(&specs[index], &fields), is_prefix = row->unit == KARAT_UNIT_PREFIX;
        if (karat_prefix_fits(index, prefix) != (fits && !is_prefix))
            wrong(p, prefix, fits ? "fits, and is refused" : "does not fit, and is taken", index);
        if (karat_decode_prefixed(p->profile, prefix, word, &insn, &apart) != (fits ? index : KARAT_NO_ROW))
            wrong(p, prefix, "decoded as another row with it", index);
        p->prefixed++;
        if (!fits)
            continue;
        const expected x = expect_behind(&specs[index], row, fields, &plain);
        if (memcmp(insn.value, x.value, row->num_operands * sizeof *x.value) != 0 || apart != x.apart)
            wrong(p, prefix, "other operands after it", index);
        p->fit++;
    }
}

/* Every PREFIX_PARTS-th prefix of the profile. */
static void check_prefixes(part *p, uint32_t n) {
    for (unsigned i = 0; i < num_prefixes[p->profile]; i++) {
        const karat_row *row = karat_row_info((int)prefixes[p->profile][i]);
        const uint32_t open = ~row->mask;
        uint32_t bits = 0, count = 0;
        do {
            if (count++ % PREFIX_PARTS == n)
                check_prefix(p, row->match | bits);
            bits = (bits - open) & open; /* The next subset of the open bits */
        } while (bits);
    }
}

static void add_up(const part *p) {
    pthread_mutex_lock(&lock);
    total[p->profile].legal += p->legal;
    total[p->profile].texts += p->texts;
    total[p->profile].prefixed += p->prefixed;
    total[p->profile].fit += p->fit;
    for (int row = 0; row < karat_num_rows(); row++)
        words_of_row[p->profile][row] += p->rows[row];
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused) {
    (void)unused;
    part *p = calloc(1, sizeof *p);
    uint32_t *marked = malloc((1u << PART_BITS) / 8);
    if (!p || !marked) {
        atomic_fetch_add(&errors, 1);
        printf("out of memory\n");
        free(marked);
        free(p);
        return NULL;
    }
    for (unsigned n; (n = atomic_fetch_add(&next_part, 1)) < PROFILES * (PARTS + PREFIX_PARTS);) {
        memset(p, 0, sizeof *p);
        if (n >= PROFILES * PARTS) {
            n -= PROFILES * PARTS;
            p->profile = (karat_profile)(n / PREFIX_PARTS);
            check_prefixes(p, n % PREFIX_PARTS);
            add_up(p);
            continue;
        }
        memset(marked, 0, (1u << PART_BITS) / 8);
        p->profile = (karat_profile)(n / PARTS);
        p->first = n % PARTS << PART_BITS;
        p->marked = marked;
        for (int row = 0; row < karat_num_rows(); row++)
            if (karat_row_info(row)->profiles >> p->profile & 1)
                enumerate(p, row);
        check_unmarked(p);
        atomic_fetch_add(&words, UINT64_C(1) << PART_BITS);
        add_up(p);
    }
    free(marked);
    free(p);
    return NULL;
}

/* Every row has as many words as its mask has open bits, in its profiles; none in the others. */
static void check_counts(void) {
    for (int row = 0; row < karat_num_rows(); row++) {
        const karat_row *r = karat_row_info(row);
        uint64_t expected = 1;
        for (uint32_t open = ~r->mask; open; open &= open - 1)
            expected *= 2;
        for (unsigned profile = 0; profile < PROFILES; profile++)
            if (words_of_row[profile][row] != (r->profiles >> profile & 1 ? expected : 0)) {
                printf("%s: %" PRIu64 " words in profile %u\n", r->name, words_of_row[profile][row], profile);
                atomic_fetch_add(&errors, 1);
            }
    }
}

int main(void) {
    const char *step = getenv("KARAT_ISA_TEXT_STEP");
    if (step && *step)
        text_step = (uint32_t)strtoul(step, NULL, 0) | 1u;
    const int rows = karat_num_rows();
    if (rows > MAX_ROWS)
        return 1;
    for (int row = 0; row < rows; row++) {
        specs[row] = spec_of(karat_row_info(row));
        for (unsigned profile = 0; profile < PROFILES; profile++)
            if (karat_row_info(row)->unit == KARAT_UNIT_PREFIX &&
                karat_row_info(row)->profiles >> profile & 1 && num_prefixes[profile] < MAX_PREFIXES)
                prefixes[profile][num_prefixes[profile]++] = (uint32_t)row;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned num = processors < 1 ? 1 : processors > MAX_THREADS ? MAX_THREADS : (unsigned)processors;
    pthread_t threads[MAX_THREADS];
    unsigned started = 0;
    while (started < num && pthread_create(&threads[started], NULL, work, NULL) == 0)
        started++;
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    check_counts();
    for (unsigned profile = 0; profile < PROFILES; profile++) {
        unsigned num_rows = 0;
        for (int row = 0; row < rows; row++)
            num_rows += karat_row_info(row)->profiles >> profile & 1;
        printf("%s: %" PRIu64 " words are instructions (%u rows), %" PRIu64
               " texts in 5 buffer sizes, %" PRIu64 " pairs of a prefix and a row, %" PRIu64
               " of which fit\n",
               karat_profile_name((karat_profile)profile), total[profile].legal, num_rows,
               total[profile].texts, total[profile].prefixed, total[profile].fit);
    }
    printf("%" PRIu64 " words, %" PRIu64 " errors, %u threads, %.1f s\n", (uint64_t)atomic_load(&words),
           (uint64_t)atomic_load(&errors), started,
           (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
    return atomic_load(&errors) != 0 || atomic_load(&words) != (uint64_t)PROFILES << 32;
}
