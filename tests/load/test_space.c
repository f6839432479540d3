/* Address spaces: layouts that are drawn, as the model's own translation sees them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "karat/karat.h"
#include "suite.h"

#define PAGE   4096u
#define MIB    (UINT64_C(1) << 20)
#define GIB    (UINT64_C(1) << 30)
#define WINDOW UINT64_C(0x70000000)
#define SEEDS  40
#ifdef KARAT_SANITIZED
#define FIRST_OF_GIB 4 /* A layout of 4 KiB pages only, 262,144 of them, takes minutes */
#else
#define FIRST_OF_GIB 0
#endif

static karat_model *new_model(void) {
    karat_config config;
    karat_config_default(&config);
    config.translation = KARAT_TRANSLATION_SV39;
    config.max_warp = config.max_workgroup = 1;
    config.lds_pool = PAGE;
    karat_model *model = karat_create(&config, NULL);
    assert_non_null(model);
    return model;
}

static karat_space *new_space(karat_model *model, const uint64_t *seed) {
    karat_status status = KARAT_BAD_ARGUMENT;
    karat_space *space = karat_space_create(model, seed, &status);
    assert_non_null(space);
    assert_int_equal(status, KARAT_OK);
    return space;
}

static karat_status look_up(const karat_model *model, const karat_space *space, uint64_t virt,
                            karat_page_use use, uint64_t *phys, karat_page_fault *fault) {
    return karat_translate(model, karat_space_ptbr(space), virt, use, phys, fault);
}

static uint64_t phys_of(const karat_model *model, const karat_space *space, uint64_t virt) {
    uint64_t phys;
    assert_int_equal(look_up(model, space, virt, KARAT_USE_STORE, &phys, NULL), KARAT_OK);
    return phys;
}

/* The entry that maps an address of data, from the fault of a fetch. */
static karat_page_fault leaf_of(karat_model *model, const karat_space *space, uint64_t virt) {
    karat_page_fault fault;
    uint64_t phys;
    assert_int_equal(look_up(model, space, virt, KARAT_USE_FETCH, &phys, &fault), KARAT_NOT_MAPPED);
    assert_int_equal(fault.reason, KARAT_FAULT_NOT_EXECUTABLE);
    return fault;
}

/* --- Without a seed --- */

TEST(identity) {
    karat_model *model = new_model();
    karat_space *space = new_space(model, NULL);
    assert_int_equal(karat_space_asid(space), 0);
    assert_int_equal(karat_space_ptbr(space) % PAGE, 0);
    assert_int_equal(karat_space_map(space, 0x80000010, 3 * PAGE, true), KARAT_OK); /* Four pages */
    assert_int_equal(karat_space_map(space, 0x90000000, 4 * MIB, false), KARAT_OK);
    for (uint64_t virt = 0x80000000; virt < 0x80004000; virt += PAGE)
        assert_int_equal(phys_of(model, space, virt + 8), virt + 8);
    uint64_t phys;
    assert_int_equal(look_up(model, space, 0x80003ffc, KARAT_USE_FETCH, &phys, NULL), KARAT_OK);
    assert_int_equal(look_up(model, space, 0x80004000, KARAT_USE_LOAD, &phys, NULL), KARAT_NOT_MAPPED);
    assert_int_equal(look_up(model, space, 0x7ffffffc, KARAT_USE_LOAD, &phys, NULL), KARAT_NOT_MAPPED);
    for (uint64_t virt = 0x90000000; virt < 0x90400000; virt += PAGE) {
        const karat_page_fault f = leaf_of(model, space, virt);
        assert_int_equal(f.level, 0);
        assert_int_equal(f.phys, virt);
        assert_int_equal(f.entry, virt >> 12 << 10 | 0xc7); /* V R W A D */
        assert_true(f.entry_addr >= UINT64_C(1) << 38);
    }
    uint64_t alias;
    assert_int_equal(karat_space_alias(space, 0x90001004, &alias), KARAT_OK);
    assert_int_equal(alias % PAGE, 4);
    assert_true(alias >> 32);
    assert_int_equal(phys_of(model, space, alias), 0x90001004);
    /* A page that was mapped keeps its contents; its permissions grow. */
    assert_int_equal(karat_space_write(space, 0x90000ffe, "abcd", 4), KARAT_OK);
    assert_int_equal(karat_space_map(space, 0x90000000, 2 * PAGE, true), KARAT_OK);
    char bytes[5] = {0};
    assert_int_equal(karat_space_read(space, 0x90000ffe, bytes, 4), KARAT_OK);
    assert_string_equal(bytes, "abcd");
    assert_int_equal(look_up(model, space, 0x90001000, KARAT_USE_FETCH, &phys, NULL), KARAT_OK);
    leaf_of(model, space, 0x90002000);
    assert_int_equal(karat_space_map(space, 0x80000000, PAGE, false), KARAT_OK);
    assert_int_equal(look_up(model, space, 0x80000000, KARAT_USE_FETCH, &phys, NULL), KARAT_OK);
    karat_space_destroy(space);
    karat_destroy(model);
}

/* --- Drawn layouts --- */

/* Which physical page is which virtual one's, plus 1. */
typedef struct owners {
    uint64_t phys[8192], num;
} owners;

static int compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

TEST(drawn) {
    static owners o;
    unsigned supers = 0, small = 0, low = 0, high = 0, neighbours = 0, beyond = 0, global = 0, user = 0,
             wide = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        karat_model *model = new_model();
        karat_space *space = new_space(model, &seed);
        static const struct {
            uint64_t base, size;
        } ranges[] = {
            {0x80000000, 16 * MIB}, {0x90001000, 2 * MIB}, {0x9ffff000, 3 * PAGE}, {0xfffff000, PAGE}};
        o.num = 0;
        for (int i = 0; i < 4; i++)
            assert_int_equal(karat_space_map(space, ranges[i].base, ranges[i].size, false), KARAT_OK);
        for (int i = 0; i < 4; i++)
            for (uint64_t virt = ranges[i].base, last = 1; virt < ranges[i].base + ranges[i].size;
                 virt += PAGE) {
                const karat_page_fault f = leaf_of(model, space, virt);
                const uint64_t size = UINT64_C(4096) << 9 * f.level;
                assert_int_equal(f.phys, phys_of(model, space, virt));
                assert_true(f.phys && f.phys < UINT64_C(1) << 56);
                wide += f.phys >> 38 != 0;
                assert_true(f.phys < WINDOW || f.phys >= WINDOW + 0x10000000);
                assert_int_equal(f.phys % size, virt % size);
                assert_int_equal(f.entry & 0xcf, 0xc7); /* U and G are drawn */
                assert_int_equal(f.entry >> 54, 0);
                global += f.entry >> 5 & 1;
                user += f.entry >> 4 & 1;
                uint8_t byte;
                assert_int_equal(karat_read(model, f.phys, &byte, 1), KARAT_OK);
                supers += f.level > 0;
                small += f.level == 0;
                neighbours += f.level == 0 && f.phys == last + PAGE;
                f.phys >> 32 ? high++ : low++;
                last = f.phys;
                o.phys[o.num++] = f.phys;
            }
        /* No two share a page. */
        qsort(o.phys, o.num, sizeof *o.phys, compare);
        for (uint64_t i = 1; i < o.num; i++)
            assert_true(o.phys[i] != o.phys[i - 1]);
        /* Around the ranges there is nothing, but in wide layouts. */
        uint64_t phys;
        unsigned holes = 0;
        for (int i = 0; i < 4; i++) {
            holes += look_up(model, space, ranges[i].base - 1, KARAT_USE_LOAD, &phys, NULL) != KARAT_OK;
            holes += look_up(model, space, ranges[i].base + ranges[i].size, KARAT_USE_LOAD, &phys, NULL) !=
                     KARAT_OK;
        }
        assert_true(holes == 8 || seed % 4 == 0);
        beyond += holes < 8;
        karat_space_destroy(space);
        karat_destroy(model);
    }
    assert_true(supers > 4096 && small > 4096 && low > 4096 && high > 4096);
    assert_true(neighbours < small / 100);
    assert_true(wide > high / 4 && wide < high);
    assert_true(beyond && global && user);
}

/* Equal seeds have equal layouts, whatever was there in between; others have others. */
TEST(seeds) {
    uint64_t first = 0;
    for (int round = 0; round < 2; round++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            uint64_t roots[2], pages[2];
            uint32_t asids[2];
            for (int i = 0; i < 2; i++) {
                karat_model *model = new_model();
                karat_space *space = new_space(model, &seed);
                assert_int_equal(karat_space_map(space, 0x80000000, 64 * PAGE, true), KARAT_OK);
                roots[i] = karat_space_ptbr(space);
                asids[i] = karat_space_asid(space);
                pages[i] = phys_of(model, space, 0x8001f000);
                assert_true(asids[i] < 1u << 16);
                karat_space_destroy(space);
                karat_destroy(model);
            }
            assert_int_equal(roots[0], roots[1]);
            assert_int_equal(asids[0], asids[1]);
            assert_int_equal(pages[0], pages[1]);
            if (seed == 0)
                first = pages[0];
            else
                assert_true(first != pages[0]);
        }
}

/* 1 GiB at once; the model's memory for it is not touched. */
TEST(gigapages) {
    unsigned found[3] = {0};
    for (uint64_t seed = FIRST_OF_GIB; seed < 6; seed++) {
        karat_model *model = new_model();
        karat_space *space = new_space(model, &seed);
        const uint64_t base = 5 * GIB;
        assert_int_equal(karat_space_map(space, base, GIB, false), KARAT_OK);
        found[leaf_of(model, space, base + 0x12345678).level]++;
        assert_int_equal(karat_space_write(space, base + GIB - 4, "end", 4), KARAT_OK);
        char text[4];
        assert_int_equal(karat_read(model, phys_of(model, space, base + GIB - 4), text, 4), KARAT_OK);
        assert_string_equal(text, "end");
        karat_space_destroy(space);
        karat_destroy(model);
    }
    assert_true(found[2] && found[1] + found[0]);
}

TEST(aliases) {
    unsigned low = 0, high = 0, upper = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        karat_model *model = new_model();
        karat_space *space = new_space(model, &seed);
        assert_int_equal(karat_space_map(space, 0x80000000, 2 * MIB, true), KARAT_OK);
        uint64_t alias, phys;
        assert_int_equal(karat_space_alias(space, 0x80012344, &alias), KARAT_OK);
        assert_true(alias < 0x80000000 || alias >= 0x80200000);
        assert_true(alias < WINDOW || alias >= WINDOW + 0x10000000);
        assert_int_equal(alias % PAGE, 0x344);
        assert_int_equal(phys_of(model, space, alias), phys_of(model, space, 0x80012344));
        assert_int_equal(look_up(model, space, alias, KARAT_USE_FETCH, &phys, NULL), KARAT_OK);
        assert_int_equal(karat_space_write(space, alias, "seen", 4), KARAT_OK);
        char text[5] = {0};
        assert_int_equal(karat_space_read(space, 0x80012344, text, 4), KARAT_OK);
        assert_string_equal(text, "seen");
        alias >> 63 ? upper++ : alias >> 32 ? high++ : low++;
        /* A range takes the alias's place. */
        assert_int_equal(karat_space_map(space, alias, 1, false), KARAT_OK);
        assert_true(phys_of(model, space, alias) != phys_of(model, space, 0x80012344));
        assert_int_equal(karat_space_read(space, alias, text, 4), KARAT_OK);
        assert_memory_equal(text, "\0\0\0\0", 4);
        assert_int_equal(karat_space_alias(space, 0xd0000000, &alias), KARAT_NOT_MAPPED);
        karat_space_destroy(space);
        karat_destroy(model);
    }
    assert_true(low && high && upper);
}

/* --- Several spaces --- */

/* Memory of a space, as karat_space_each() lists it. */
typedef struct listed {
    uint64_t tables, pages; /* Bytes */
    bool has_root;
    uint64_t root;
} listed;

static bool list(void *context, uint64_t phys, uint64_t size, bool is_table) {
    listed *l = context;
    *(is_table ? &l->tables : &l->pages) += size;
    l->has_root |= is_table && phys == l->root;
    return true;
}

static bool list_none(void *context, uint64_t phys, uint64_t size, bool is_table) {
    (void)phys, (void)size, (void)is_table;
    return ++*(unsigned *)context < 3;
}

/* Of three spaces, one after the other, with ranges that overlap in parts. */
TEST(successors) {
    unsigned levels_differ = 0, asids_differ = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const uint64_t base = 0x80000000;
        const bool is_wide = seed && seed % 4 == 0; /* More than the ranges is mapped */
        karat_model *model = new_model();
        karat_space *space[3] = {new_space(model, seed ? &seed : NULL)}; /* 0: the identity */
        assert_int_equal(karat_space_map(space[0], base, 6 * MIB, true), KARAT_OK);
        assert_int_equal(karat_space_map(space[0], base + 9 * MIB + PAGE, PAGE, true), KARAT_OK);
        space[1] = karat_space_create_after(space[0], NULL);
        assert_int_equal(karat_space_map(space[1], base + 8 * MIB, 4 * MIB, false), KARAT_OK);
        space[2] = karat_space_create_after(space[1], NULL);
        assert_int_equal(karat_space_map(space[2], base, 16 * MIB, false), KARAT_OK);
        for (uint64_t virt = base; virt < base + 16 * MIB; virt += PAGE) {
            const bool in[2] = {virt < base + 6 * MIB || virt == base + 9 * MIB + PAGE,
                                virt >= base + 8 * MIB && virt < base + 12 * MIB};
            const karat_page_fault f = leaf_of(model, space[2], virt);
            uint64_t phys[2] = {f.phys, f.phys};
            for (int i = 0; i < 2; i++) {
                karat_page_fault leaf;
                const bool is_there =
                    look_up(model, space[i], virt, KARAT_USE_STORE, &phys[i], &leaf) == KARAT_OK;
                assert_true(is_there == in[i] || (is_there && (is_wide || leaf.entry >> 8 & 1)));
                if (is_there && !in[i] && leaf.entry >> 8 & 1) /* An alias of another page */
                    phys[i] = f.phys;
            }
            assert_int_equal(phys[0], f.phys);
            assert_int_equal(phys[1], f.phys);
            if (in[1])
                levels_differ += leaf_of(model, space[1], virt).level != f.level;
        }
        assert_int_equal(karat_space_write(space[1], base + 9 * MIB + PAGE, "here", 4), KARAT_OK);
        char text[5] = {0};
        for (int i = 0; i < 3; i++) {
            assert_int_equal(karat_space_read(space[i], base + 9 * MIB + PAGE, text, 4), KARAT_OK);
            assert_string_equal(text, "here");
        }
        /* The first one's pages are executable as before. */
        uint64_t phys;
        assert_int_equal(look_up(model, space[0], base, KARAT_USE_FETCH, &phys, NULL), KARAT_OK);
        static const uint64_t pages[] = {6 * MIB + PAGE, 4 * MIB, 16 * MIB};
        for (int i = 0; i < 3; i++) {
            listed l = {.root = karat_space_ptbr(space[i])};
            assert_true(karat_space_each(space[i], list, &l));
            assert_true(is_wide ? l.pages >= pages[i] : l.pages == pages[i]);
            assert_true(l.has_root && l.tables >= 3 * PAGE);
            unsigned visits = 0;
            assert_false(karat_space_each(space[i], list_none, &visits));
            assert_int_equal(visits, 3);
            assert_int_equal(karat_space_find(space[i], base + 9 * MIB + PAGE + 8, PAGE, &phys), PAGE - 8);
            assert_int_equal(phys, phys_of(model, space[2], base + 9 * MIB + PAGE + 8));
            assert_int_equal(karat_space_find(space[i], base + 9 * MIB + PAGE + 8, 7, &phys), 7);
            assert_int_equal(karat_space_find(space[i], 5 * GIB, 7, &phys), 0);
        }
        asids_differ += karat_space_asid(space[1]) != karat_space_asid(space[2]);
        karat_space_set_asid(space[1], 0x1234);
        assert_int_equal(karat_space_asid(space[1]), 0x1234);
        for (int i = 2; i >= 0; i--)
            karat_space_destroy(space[i]);
        karat_destroy(model);
    }
    assert_true(levels_differ && asids_differ > SEEDS / 2);
}

/* To place what is placed changes nothing, tables included. */
TEST(again) {
    for (uint64_t seed = 0; seed < 4; seed++) {
        karat_model *model = new_model();
        karat_space *space = new_space(model, seed ? &seed : NULL);
        listed l[2] = {0};
        for (int i = 0; i < 2; i++) {
            assert_int_equal(karat_space_map(space, 0x80000000, 4 * MIB, true), KARAT_OK);
            assert_true(karat_space_each(space, list, &l[i]));
        }
        assert_int_equal(l[0].tables, l[1].tables);
        assert_int_equal(l[0].pages, l[1].pages);
        karat_space_destroy(space);
        karat_destroy(model);
    }
}

/* --- Host accesses, arguments --- */

TEST(accesses) {
    const uint64_t seed = 5;
    karat_model *model = new_model();
    karat_space *space = new_space(model, &seed);
    assert_int_equal(karat_space_map(space, 0x90000000, 8 * PAGE, false), KARAT_OK);
    static uint8_t out[8 * PAGE], in[8 * PAGE];
    for (size_t i = 0; i < sizeof out; i++)
        out[i] = (uint8_t)(i * 7 + i / 256);
    assert_int_equal(karat_space_write(space, 0x90000000, out, sizeof out), KARAT_OK);
    for (size_t from = 0; from < sizeof in; from += 1021)
        for (size_t size = 0; from + size <= sizeof in; size = 3 * size + 1) {
            memset(in, 0, sizeof in);
            assert_int_equal(karat_space_read(space, 0x90000000 + from, in, size), KARAT_OK);
            assert_memory_equal(in, out + from, size);
            assert_true(size == sizeof in || !in[size]);
        }
    for (uint64_t page = 0; page < 8; page++) { /* In memory, page by page */
        assert_int_equal(karat_read(model, phys_of(model, space, 0x90000000 + page * PAGE), in, PAGE),
                         KARAT_OK);
        assert_memory_equal(in, out + page * PAGE, PAGE);
    }
    /* Nothing is written where a byte is not mapped. */
    assert_int_equal(karat_space_write(space, 0x90000000 + 7 * PAGE, in, PAGE + 1), KARAT_NOT_MAPPED);
    assert_int_equal(karat_space_read(space, 0x8fffffff, in, 2), KARAT_NOT_MAPPED);
    assert_int_equal(karat_space_read(space, UINT64_MAX, in, 2), KARAT_NOT_MAPPED);
    assert_int_equal(karat_space_read(space, WINDOW, in, 1), KARAT_NOT_MAPPED);
    assert_int_equal(karat_space_read(space, 0x90000000 + 7 * PAGE, in, PAGE), KARAT_OK);
    assert_memory_equal(in, out + 7 * PAGE, PAGE);
    /* The last page of all. */
    assert_int_equal(karat_space_map(space, UINT64_MAX, 1, false), KARAT_OK);
    assert_int_equal(karat_space_write(space, UINT64_MAX - 3, "last", 4), KARAT_OK);
    assert_int_equal(karat_space_read(space, UINT64_MAX - 3, in, 4), KARAT_OK);
    assert_memory_equal(in, "last", 4);
    karat_space_destroy(space);
    karat_destroy(model);
}

TEST(arguments) {
    karat_config config;
    karat_config_default(&config);
    karat_model *plain = karat_create(&config, NULL), *model = new_model();
    karat_status status = KARAT_OK;
    assert_null(karat_space_create(plain, NULL, &status));
    assert_int_equal(status, KARAT_BAD_ARGUMENT);
    assert_null(karat_space_create(NULL, NULL, NULL));
    const uint64_t seed = 1;
    for (int is_drawn = 0; is_drawn < 2; is_drawn++) {
        karat_space *space = new_space(model, is_drawn ? &seed : NULL);
        char byte = 0;
        uint64_t alias;
        assert_int_equal(karat_space_map(space, 0x1000, 0, false), KARAT_OK);
        assert_int_equal(karat_space_map(space, WINDOW - 1, 2, false), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_space_map(space, WINDOW + 0x0ffff000, 1, false), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_space_map(space, (UINT64_C(1) << 38) - 1, 2, false), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_space_map(space, UINT64_C(1) << 40, 1, false), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_space_map(space, UINT64_MAX, 2, false), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_space_map(space, 0, UINT64_MAX, false), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_space_map(space, UINT64_MAX, 1, false),
                         is_drawn ? KARAT_OK : KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_space_alias(space, 0x1000, NULL), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_space_alias(space, 0x1000, &alias), KARAT_NOT_MAPPED);
        assert_int_equal(karat_space_read(space, 0x1000, NULL, 1), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_space_write(space, 0x1000, NULL, 1), KARAT_BAD_ARGUMENT);
        assert_int_equal(karat_space_write(space, 0x1000, NULL, 0), KARAT_OK);
        assert_int_equal(karat_space_read(space, 0x1000, &byte, 1), KARAT_NOT_MAPPED);
        assert_int_equal(karat_space_place(space, NULL), KARAT_BAD_ARGUMENT);
        karat_space_destroy(space);
    }
    uint64_t alias;
    char byte = 0;
    assert_int_equal(karat_space_map(NULL, 0, 1, false), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_space_alias(NULL, 0, &alias), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_space_read(NULL, 0, &byte, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_space_write(NULL, 0, &byte, 1), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_space_ptbr(NULL), 0);
    assert_int_equal(karat_space_asid(NULL), 0);
    assert_null(karat_space_create_in(NULL, NULL, &status));
    assert_int_equal(status, KARAT_BAD_ARGUMENT);
    assert_null(karat_space_create_after(NULL, NULL));
    assert_int_equal(karat_space_find(NULL, 0, 1, &alias), 0);
    karat_space_set_asid(NULL, 1);
    karat_space_destroy(NULL);
    karat_destroy(plain);
    karat_destroy(model);
}

/* --- Changes --- */

static void change(karat_space *space, const char *text) {
    karat_page_change c;
    karat_diag diag = {""};
    if (!karat_page_parse(text, strlen(text), &c, &diag) || karat_space_change(space, &c, &diag) != KARAT_OK)
        fail_msg("%s: %s", text, diag.text);
}

/* The effect of each word at each level on fetches, loads and stores of a page of data that is executable, as
 * the privileged specification has it. */
static const struct {
    const char *change;
    karat_fault_reason fetch, load, store;
    int least, most; /* Levels */
} faults[] = {
    {"page", KARAT_FAULT_NONE, KARAT_FAULT_NONE, KARAT_FAULT_NONE, 0, 2},
    {"invalid", KARAT_FAULT_INVALID, KARAT_FAULT_INVALID, KARAT_FAULT_INVALID, 0, 2},
    {"write-only", KARAT_FAULT_INVALID, KARAT_FAULT_INVALID, KARAT_FAULT_INVALID, 0, 2},
    {"reserved", KARAT_FAULT_RESERVED, KARAT_FAULT_RESERVED, KARAT_FAULT_RESERVED, 0, 2},
    {"page+reserved", KARAT_FAULT_RESERVED, KARAT_FAULT_RESERVED, KARAT_FAULT_RESERVED, 0, 2},
    {"table-flags", KARAT_FAULT_RESERVED, KARAT_FAULT_RESERVED, KARAT_FAULT_RESERVED, 1, 2},
    {"no-leaf", KARAT_FAULT_NO_LEAF, KARAT_FAULT_NO_LEAF, KARAT_FAULT_NO_LEAF, 0, 0},
    {"misaligned", KARAT_FAULT_MISALIGNED_SUPERPAGE, KARAT_FAULT_MISALIGNED_SUPERPAGE,
     KARAT_FAULT_MISALIGNED_SUPERPAGE, 1, 2},
    {"no-read", KARAT_FAULT_NONE, KARAT_FAULT_NOT_READABLE, KARAT_FAULT_NOT_WRITABLE, 0, 2},
    {"no-write", KARAT_FAULT_NONE, KARAT_FAULT_NONE, KARAT_FAULT_NOT_WRITABLE, 0, 2},
    {"no-exec", KARAT_FAULT_NOT_EXECUTABLE, KARAT_FAULT_NONE, KARAT_FAULT_NONE, 0, 2},
    {"not-accessed", KARAT_FAULT_NOT_ACCESSED, KARAT_FAULT_NOT_ACCESSED, KARAT_FAULT_NOT_ACCESSED, 0, 2},
    {"not-dirty", KARAT_FAULT_NONE, KARAT_FAULT_NONE, KARAT_FAULT_NOT_DIRTY, 0, 2},
    {"no-table", KARAT_FAULT_NO_TABLE, KARAT_FAULT_NO_TABLE, KARAT_FAULT_NO_TABLE, 0, 2},
    {"global+user", KARAT_FAULT_NONE, KARAT_FAULT_NONE, KARAT_FAULT_NONE, 0, 2},
    {"no-write+not-dirty+no-exec", KARAT_FAULT_NOT_EXECUTABLE, KARAT_FAULT_NONE, KARAT_FAULT_NOT_WRITABLE, 0,
     2},
    {"no-read+not-dirty", KARAT_FAULT_NONE, KARAT_FAULT_NOT_READABLE, KARAT_FAULT_NOT_WRITABLE, 0, 2},
};

/* In each layout, the page that was there: none, of 4 KiB, 2 MiB, 1 GiB. */
static void change_one(const uint64_t *seed, size_t which, int level, int there) {
    const uint64_t virt = 5 * GIB + 0x12345ff8, keep = 9 * GIB;
    karat_model *model = new_model();
    karat_space *space = new_space(model, seed);
    char text[80];
    assert_int_equal(karat_space_map(space, keep, PAGE, true), KARAT_OK);
    if (there >= 0) {
        snprintf(text, sizeof text, "0x%" PRIx64 ":page@%d", virt, there);
        change(space, text);
        assert_int_equal(karat_space_write(space, virt, "contents", 8), KARAT_OK);
    }
    snprintf(text, sizeof text, "0x%" PRIx64 ":%s@%d", virt, faults[which].change, level);
    change(space, text);
    const karat_fault_reason expected[] = {faults[which].fetch, faults[which].load, faults[which].store};
    for (int use = KARAT_USE_FETCH; use <= KARAT_USE_STORE; use++) {
        karat_page_fault fault;
        uint64_t phys = 0;
        look_up(model, space, virt, (karat_page_use)use, &phys, &fault);
        if (fault.reason != expected[use] || fault.level != level)
            fail_msg("%s, use %d, page of level %d before: %s, level %d", text, use, there,
                     karat_fault_name(fault.reason), fault.level);
        char bytes[8];
        if (fault.reason == KARAT_FAULT_NONE && there >= 0) {
            assert_int_equal(karat_read(model, phys, bytes, 8), KARAT_OK);
            assert_memory_equal(bytes, "contents", 8);
        }
    }
    uint64_t phys;
    const bool no_root = strcmp(faults[which].change, "no-table") == 0 && level == 2;
    assert_int_equal(look_up(model, space, keep, KARAT_USE_STORE, &phys, NULL),
                     no_root ? KARAT_NOT_MAPPED : KARAT_OK);
    karat_space_destroy(space);
    karat_destroy(model);
}

TEST(changes) {
    const uint64_t seeds_of[] = {3, 4};
    int layout = 0; /* In turn */
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        for (int level = faults[i].least; level <= faults[i].most; level++)
            for (int there = -1; there <= 2; there++, layout = (layout + 1) % 3)
                change_one(layout ? &seeds_of[layout - 1] : NULL, i, level, there);
}

/* Bits that an entry must not have: each alone, and no other bit changes. */
TEST(single_bits) {
    static const struct {
        const char *word;
        unsigned first, last;
        int level;
        karat_fault_reason reason;
    } bits[] = {{"reserved", 54, 63, 0, KARAT_FAULT_RESERVED},
                {"table-flags", 6, 7, 1, KARAT_FAULT_RESERVED},
                {"table-flags", 4, 4, 2, KARAT_FAULT_RESERVED},
                {"misaligned", 10, 18, 1, KARAT_FAULT_MISALIGNED_SUPERPAGE},
                {"misaligned", 10, 27, 2, KARAT_FAULT_MISALIGNED_SUPERPAGE}};
    const uint64_t seed = 3, virt = 5 * GIB;
    karat_model *model = new_model();
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        for (unsigned bit = bits[i].first; bit <= bits[i].last; bit++) {
            karat_space *space = new_space(model, bit % 2 ? &seed : NULL);
            char text[80];
            snprintf(text, sizeof text, "0x%" PRIx64 ":page@%d", virt,
                     strcmp(bits[i].word, "table-flags") ? bits[i].level : 0);
            change(space, text);
            snprintf(text, sizeof text, "0x%" PRIx64 ":%s=%u@%d", virt, bits[i].word, bit, bits[i].level);
            change(space, text);
            karat_page_fault fault;
            uint64_t phys;
            look_up(model, space, virt, KARAT_USE_LOAD, &phys, &fault);
            assert_int_equal(fault.reason, bits[i].reason);
            assert_int_equal(fault.level, bits[i].level);
            assert_true(fault.entry >> bit & 1);
            if (bit > 7) { /* The others of its kind are clear */
                const uint64_t kind = bit > 53 ? ~UINT64_C(0) << 54 : (UINT64_C(1) << 28) - (1 << 10);
                const uint64_t high =
                    bit > 53 ? kind : kind & ((UINT64_C(1) << (10 + 9 * bits[i].level)) - 1);
                assert_int_equal(fault.entry & high, UINT64_C(1) << bit);
            }
            karat_space_destroy(space);
        }
    karat_destroy(model);
}

/* Pages of another size keep what was there: their neighbours, too; aliases of each size. */
TEST(sizes) {
    for (uint64_t seed = 0; seed < 5; seed++) {
        karat_model *model = new_model();
        karat_space *space = new_space(model, seed ? &seed : NULL);
        char bytes[4];
        assert_int_equal(karat_space_map(space, 0x90000000, 3 * PAGE, true), KARAT_OK);
        assert_int_equal(karat_space_map(space, 0x98000000, PAGE, true), KARAT_OK);
        assert_int_equal(karat_space_write(space, 0x90000ffe, "abcd", 4), KARAT_OK);
        assert_int_equal(karat_space_write(space, 0x98000000, "efgh", 4), KARAT_OK);
        static const char *const texts[] = {"0x90000000:page@0", "0x90001000:page@1", "0x90001000:page@2",
                                            "0x90001000:page@0", "0x90001000:page@1"};
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            change(space, texts[i]);
            assert_int_equal(karat_space_read(space, 0x90000ffe, bytes, 4), KARAT_OK);
            assert_memory_equal(bytes, "abcd", 4);
            assert_int_equal(karat_space_read(space, 0x98000000, bytes, 4), KARAT_OK);
            assert_memory_equal(bytes, "efgh", 4);
        }
        for (int level = 2; level >= 0; level--) {
            const uint64_t virt = level == 2 ? 6 * GIB : level == 1 ? 7 * GIB : 7 * GIB + 3 * MIB;
            char text[80];
            snprintf(text, sizeof text, "0x%" PRIx64 ":alias=0x90001000@%d", virt + 0x123, level);
            change(space, text);
            const uint64_t size = (uint64_t)PAGE << 9 * level,
                           alias = (virt & ~(size - 1)) | (0x90001000 & (size - 1));
            karat_page_fault leaf;
            uint64_t phys;
            assert_int_equal(look_up(model, space, alias, KARAT_USE_STORE, &phys, &leaf), KARAT_OK);
            assert_int_equal(leaf.level, level);
            assert_int_equal(phys, phys_of(model, space, 0x90001000));
            assert_int_equal(karat_space_write(space, alias + 4, text, 4), KARAT_OK);
            assert_int_equal(karat_space_read(space, 0x90001004, bytes, 4), KARAT_OK);
            assert_memory_equal(bytes, text, 4);
        }
        karat_space_destroy(space);
        karat_destroy(model);
    }
}

TEST(change_texts) {
    static const struct {
        const char *text, *why; /* Why NULL: the same text again */
    } texts[] = {
        {"0x90001000:no-write", NULL},
        {"0x90001000:no-write+not-dirty@1", NULL},
        {"0x400000000:alias=0x90001000@2", NULL},
        {"0xffffffffffffffff:invalid@0", NULL},
        {"0x00001000:reserved=54", NULL},
        {"0x00001000:table-flags=4@2", NULL},
        {"0x00001000:page+misaligned=27@2", NULL},
        {"0x1000:reserved=53", "expected one BIT of those that the change sets, found '53'"},
        {"0x1000:reserved=64", "expected one BIT of those that the change sets, found '64'"},
        {"0x1000:reserved=", "expected one BIT of those that the change sets, found ''"},
        {"0x1000:table-flags=5", "expected one BIT of those that the change sets, found '5'"},
        {"0x1000:misaligned=9", "expected one BIT of those that the change sets, found '9'"},
        {"0x1000:reserved=54+table-flags=4", "expected one BIT of those that the change sets, found '4'"},
        {"0x1000:misaligned=19@1", "expected level 2 for that bit of misaligned, found '1'"},
        {"", "expected VIRT:CHANGE[+CHANGE...][@LEVEL], found ''"},
        {"0x90001000", "expected VIRT:CHANGE[+CHANGE...][@LEVEL], found '0x90001000'"},
        {"x:invalid", "expected VIRT:CHANGE[+CHANGE...][@LEVEL], found 'x:invalid'"},
        {"0x10000000000000000:invalid", "expected VIRT:"},
        {"0x1000:", "expected a change: page, alias=ADDR, invalid, write-only, "},
        {"0x1000:sound", ", global, user, found 'sound'"},
        {"0x1000:invalid+", ", global, user, found ''"},
        {"0x1000:invalid=1", "found 'invalid=1'"},
        {"0x1000:alias", "expected alias=ADDR, found 'alias'"},
        {"0x1000:alias=", "expected alias=ADDR, found 'alias='"},
        {"0x1000:alias=x", "expected alias=ADDR, found 'alias=x'"},
        {"0x1000:invalid@", "expected level 0, 1 or 2, found ''"},
        {"0x1000:invalid@3", "expected level 0, 1 or 2, found '3'"},
        {"0x1000:invalid@11", "expected level 0, 1 or 2, found '11'"},
        {"0x1000:no-leaf@1", "expected level 0 for no-leaf, found '1'"},
        {"0x1000:misaligned@0", "expected level 1 or 2 for misaligned and table-flags, found '0'"},
        {"0x1000:table-flags@0", "expected level 1 or 2 for misaligned and table-flags, found '0'"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        karat_page_change c = {.virt = 77};
        karat_diag diag = {""};
        char text[KARAT_PAGE_TEXT];
        const bool ok = karat_page_parse(texts[i].text, strlen(texts[i].text), &c, &diag);
        assert_int_equal(ok, !texts[i].why);
        assert_int_equal(karat_page_parse(texts[i].text, strlen(texts[i].text), &c, NULL), ok);
        if (ok) {
            karat_page_text(&c, text);
            assert_string_equal(text, texts[i].text);
        } else if (!strstr(diag.text, texts[i].why)) {
            fail_msg("%s: %s", texts[i].text, diag.text);
        } else {
            assert_int_equal(c.virt, 77);
        }
    }
    karat_model *model = new_model();
    karat_space *space = new_space(model, NULL);
    karat_page_change c = {.virt = WINDOW, .level = -1};
    karat_diag diag;
    assert_int_equal(karat_space_change(space, &c, &diag), KARAT_BAD_ARGUMENT);
    assert_non_null(strstr(diag.text, "it is in the LDS window"));
    c.virt = UINT64_C(1) << 38;
    assert_int_equal(karat_space_change(space, &c, NULL), KARAT_BAD_ARGUMENT);
    c = (karat_page_change){.virt = 0x1000, .to = 0x2000, .words = 1u << KARAT_CHANGE_ALIAS, .level = -1};
    assert_int_equal(karat_space_change(space, &c, &diag), KARAT_NOT_MAPPED);
    assert_string_equal(diag.text, "0x00001000:alias=0x00002000: ADDR of alias=ADDR is not mapped");
    assert_int_equal(karat_space_change(NULL, &c, NULL), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_space_change(space, NULL, NULL), KARAT_BAD_ARGUMENT);
    karat_space_destroy(space);
    karat_destroy(model);
}

/* --- Kernels --- */

TEST(kernels) {
    static const uint8_t code[] = {0x93, 0, 0, 0, 1, 2, 3, 4}, data[] = {5, 6, 7, 8};
    const karat_buffer buffers[] = {
        {.base = 0x80000000, .size = sizeof code, .alloc_size = 4 * MIB, .data = code, .cleared = 2 * PAGE},
        {.base = 0x90000ffe, .size = sizeof data, .alloc_size = 3 * PAGE, .data = data},
        {.base = 0x90010000, .size = 4, .alloc_size = 8, .data = data}};
    karat_kernel kernel = {.name = "k",
                           .start_addr = 0x80000000,
                           .grid = {2, 1, 1},
                           .wg_size = 1,
                           .pds_base = 0xa0000000,
                           .pds_size = 64,
                           .maps_private = true,
                           .num_buffers = 3,
                           .buffers = buffers};
    const uint64_t seed = 11;
    karat_model *model = new_model();
    karat_space *space = new_space(model, &seed);
    karat_launch_desc desc;
    karat_kernel_launch(&kernel, 32, 1, 0, &desc);
    assert_int_equal(desc.ptbr, 0);
    assert_int_equal(karat_kernel_place(&kernel, model), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_space_place(space, &kernel), KARAT_OK);
    karat_kernel_launch(&kernel, 32, 1, 0, &desc);
    assert_int_equal(desc.ptbr, karat_space_ptbr(space));
    assert_int_equal(desc.asid, karat_space_asid(space));
    uint8_t bytes[8];
    assert_int_equal(karat_space_read(space, 0x80000000, bytes, 8), KARAT_OK);
    assert_memory_equal(bytes, code, 8);
    assert_int_equal(karat_space_read(space, 0x90000ffe, bytes, 4), KARAT_OK);
    assert_memory_equal(bytes, data, 4);
    uint64_t phys = phys_of(model, space, 0x80001000); /* Zeros, which are not written */
    assert_null(karat_next_written_page(model, &phys, phys));
    assert_int_equal(look_up(model, space, 0x803ffffc, KARAT_USE_FETCH, &phys, NULL), KARAT_OK);
    assert_int_equal(look_up(model, space, 0x803ffffc, KARAT_USE_STORE, &phys, NULL), KARAT_OK);
    assert_int_equal(look_up(model, space, 0x90010000, KARAT_USE_FETCH, &phys, NULL), KARAT_OK);
    assert_int_equal(look_up(model, space, 0x90000ffe, KARAT_USE_FETCH, &phys, NULL), KARAT_OK);
    leaf_of(model, space, 0xa0000000); /* Private memory: 64 threads of 64 bytes */
    assert_int_equal(look_up(model, space, 0xa0001000, KARAT_USE_LOAD, &phys, NULL), KARAT_NOT_MAPPED);
    /* Placed again, what is to be cleared is; the rest stays. */
    assert_int_equal(karat_space_write(space, 0x80001000, "x", 1), KARAT_OK);
    assert_int_equal(karat_space_write(space, 0x80100000, "y", 1), KARAT_OK);
    assert_int_equal(karat_space_place(space, &kernel), KARAT_OK);
    assert_int_equal(karat_space_read(space, 0x80001000, bytes, 1), KARAT_OK);
    assert_int_equal(bytes[0], 0);
    assert_int_equal(karat_space_read(space, 0x80100000, bytes, 1), KARAT_OK);
    assert_int_equal(bytes[0], 'y');
    /* One that does not fit leaves its launches where they are. */
    karat_kernel other = kernel;
    other.ptbr = 0;
    other.pds_base = 0xfffff800;
    other.pds_size = 1024;
    assert_int_equal(karat_space_place(space, &other), KARAT_BAD_ARGUMENT);
    assert_int_equal(other.ptbr, 0);
    /* Changes of pages: after the contents; the next kernel is placed without them. */
    static const karat_page_change pages[] = {
        {.virt = 0x90000000, .words = 1u << KARAT_CHANGE_NO_WRITE, .level = 0},
        {.virt = 0x80000000, .words = 1u << KARAT_CHANGE_NO_TABLE, .level = 2},
    };
    other = kernel;
    other.pages = pages;
    other.num_pages = 2;
    karat_config plain;
    karat_config_default(&plain);
    karat_model *untranslated = karat_create(&plain, NULL);
    assert_int_equal(karat_kernel_place(&other, untranslated), KARAT_BAD_ARGUMENT);
    assert_int_equal(karat_kernel_place(&kernel, untranslated), KARAT_OK);
    karat_destroy(untranslated);
    assert_int_equal(karat_space_place(space, &other), KARAT_OK);
    assert_int_equal(other.ptbr, karat_space_ptbr(space));
    assert_int_equal(look_up(model, space, 0x80000000, KARAT_USE_LOAD, &phys, NULL), KARAT_NOT_MAPPED);
    assert_int_equal(karat_space_read(space, 0x90000ffe, bytes, 2), KARAT_OK);
    assert_memory_equal(bytes, data, 2);
    assert_int_equal(karat_space_place(space, &kernel), KARAT_OK);
    assert_int_equal(look_up(model, space, 0x90000000, KARAT_USE_STORE, &phys, NULL), KARAT_OK);
    karat_space_destroy(space);
    karat_destroy(model);
}

/* Kernels of one family of spaces have one memory: each finds the buffers of the earlier ones, whichever
 * space they were placed in. */
TEST(family) {
    for (uint64_t seed = 0; seed < 8; seed++) {
        karat_model *model = new_model();
        karat_space *space[2] = {new_space(model, &seed)};
        space[1] = karat_space_create_after(space[0], NULL);
        const uint32_t base[3] = {0x90000000, 0x90400000, 0xa0000000};
        for (int k = 0; k < 3; k++) { /* In the first, the second, and the first again */
            karat_buffer buffer = {.base = base[k], .alloc_size = 3 * PAGE};
            karat_kernel kernel = {.start_addr = 0x80000000,
                                   .grid = {1, 1, 1},
                                   .wg_size = 1,
                                   .num_buffers = 1,
                                   .buffers = &buffer};
            assert_int_equal(karat_space_place(space[k & 1], &kernel), KARAT_OK);
            const char text[3][6] = {"first", "next", "last"};
            assert_int_equal(karat_space_write(space[k & 1], base[k] + 2 * PAGE - 3, text[k], 6), KARAT_OK);
            for (int i = 0; i <= k; i++) {
                char found[6] = {0};
                uint64_t phys;
                assert_int_equal(look_up(model, space[k & 1], base[i], KARAT_USE_FETCH, &phys, NULL),
                                 KARAT_OK);
                assert_int_equal(karat_space_read(space[k & 1], base[i] + 2 * PAGE - 3, found, 6), KARAT_OK);
                assert_string_equal(found, text[i]);
            }
        }
        karat_space_destroy(space[0]); /* In any order */
        karat_space_destroy(space[1]);
        karat_destroy(model);
    }
}

RUN_TESTS("space")
