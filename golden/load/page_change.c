/* Changes of the page tables of one virtual address: their text, and how they are made. */
#include "karat/page_change.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

/* --- Text --- */

static const char *const names[KARAT_CHANGE_WORDS] = {[KARAT_CHANGE_OWN] = "page",
                                                      [KARAT_CHANGE_ALIAS] = "alias",
                                                      [KARAT_CHANGE_INVALID] = "invalid",
                                                      [KARAT_CHANGE_WRITE_ONLY] = "write-only",
                                                      [KARAT_CHANGE_RESERVED] = "reserved",
                                                      [KARAT_CHANGE_TABLE_FLAGS] = "table-flags",
                                                      [KARAT_CHANGE_NO_LEAF] = "no-leaf",
                                                      [KARAT_CHANGE_MISALIGNED] = "misaligned",
                                                      [KARAT_CHANGE_NO_READ] = "no-read",
                                                      [KARAT_CHANGE_NO_WRITE] = "no-write",
                                                      [KARAT_CHANGE_NO_EXEC] = "no-exec",
                                                      [KARAT_CHANGE_NOT_ACCESSED] = "not-accessed",
                                                      [KARAT_CHANGE_NOT_DIRTY] = "not-dirty",
                                                      [KARAT_CHANGE_NO_TABLE] = "no-table",
                                                      [KARAT_CHANGE_GLOBAL] = "global",
                                                      [KARAT_CHANGE_USER] = "user"};

const char *karat_page_word_name(unsigned word) {
    return word < KARAT_CHANGE_WORDS ? names[word] : NULL;
}

static bool complain(karat_diag *diag, const char *text, size_t size, const char *expected) {
    char shown[64];
    snprintf(shown, sizeof shown, "%.*s", size < 60 ? (int)size : 60, text);
    if (diag) {
        const int n = snprintf(diag->text, sizeof diag->text, "expected %s, found '", expected);
        karat_quote(shown, diag->text + n, sizeof diag->text - (size_t)n - 1);
        strcat(diag->text, "'");
    }
    return false;
}

/* A number, of so many characters. */
static bool take_number(const char *text, size_t size, uint64_t *value) {
    char digits[24], *end;
    if (!size || size >= sizeof digits || text[0] < '0' || text[0] > '9')
        return false;
    memcpy(digits, text, size);
    digits[size] = 0;
    errno = 0;
    *value = strtoull(digits, &end, 0);
    return !errno && !*end;
}

/* The length of the part of a text before one of these characters. */
static size_t part_of(const char *text, size_t size, const char *ends) {
    size_t n = 0;
    while (n < size && !(text[n] && strchr(ends, text[n])))
        n++;
    return n;
}

/* Words that set one bit of the entry: which bits those can be. */
static const struct {
    karat_page_word word;
    uint64_t bits;
} with_bit[] = {{KARAT_CHANGE_RESERVED, ~UINT64_C(0) << 54},
                {KARAT_CHANGE_TABLE_FLAGS, PTE_U | PTE_A | PTE_D},
                {KARAT_CHANGE_MISALIGNED, ((UINT64_C(1) << 2 * VPN_BITS) - 1) << 10}};

static uint64_t settable(unsigned word) {
    for (size_t i = 0; i < sizeof with_bit / sizeof *with_bit; i++)
        if (with_bit[i].word == word)
            return with_bit[i].bits;
    return 0;
}

static bool has_bit(unsigned word, uint64_t bit) {
    return bit < 64 && settable(word) >> bit & 1;
}

static bool take_bit(const char *text, size_t size, unsigned word, karat_page_change *change,
                     karat_diag *diag) {
    uint64_t bit;
    if (change->bit || !take_number(text, size, &bit) || !has_bit(word, bit))
        return complain(diag, text, size, "one BIT of those that the change sets");
    change->bit = (uint8_t)bit;
    return true;
}

static bool can_have_bit(unsigned word) {
    return settable(word) != 0;
}

static bool take_word(const char *text, size_t size, karat_page_change *change, karat_diag *diag) {
    const size_t length = part_of(text, size, "=");
    unsigned word = 0;
    while (word < KARAT_CHANGE_WORDS && (strlen(names[word]) != length || memcmp(names[word], text, length)))
        word++;
    if (word == KARAT_CHANGE_WORDS || (word != KARAT_CHANGE_ALIAS && !can_have_bit(word) && length < size)) {
        char expected[256] = "a change: ";
        for (word = 0; word < KARAT_CHANGE_WORDS; word++) {
            strcat(expected, word ? ", " : "");
            strcat(expected, names[word]);
            strcat(expected, word == KARAT_CHANGE_ALIAS ? "=ADDR" : "");
        }
        return complain(diag, text, size, expected);
    }
    if (word == KARAT_CHANGE_ALIAS &&
        (length == size || !take_number(text + length + 1, size - length - 1, &change->to)))
        return complain(diag, text, size, "alias=ADDR");
    if (can_have_bit(word) && length < size &&
        !take_bit(text + length + 1, size - length - 1, word, change, diag))
        return false;
    change->words |= 1u << word;
    return true;
}

static bool take_level(const char *text, size_t size, karat_page_change *change, karat_diag *diag) {
    const uint32_t no_leaf = 1u << KARAT_CHANGE_NO_LEAF,
                   upper = 1u << KARAT_CHANGE_MISALIGNED | 1u << KARAT_CHANGE_TABLE_FLAGS;
    if (size != 1 || *text < '0' || *text >= '0' + LEVELS)
        return complain(diag, text, size, "level 0, 1 or 2");
    change->level = (int8_t)(*text - '0');
    if (change->words & no_leaf && change->level)
        return complain(diag, text, size, "level 0 for no-leaf");
    if (change->words & upper && !change->level)
        return complain(diag, text, size, "level 1 or 2 for misaligned and table-flags");
    if (change->words & 1u << KARAT_CHANGE_MISALIGNED && change->bit >= 10 + VPN_BITS * change->level)
        return complain(diag, text, size, "level 2 for that bit of misaligned");
    return true;
}

bool karat_page_parse(const char *text, size_t size, karat_page_change *change, karat_diag *diag) {
    karat_page_change c = {.level = -1};
    const size_t virt = part_of(text, size, ":"), end = part_of(text, size, "@");
    if (virt >= end || !take_number(text, virt, &c.virt))
        return complain(diag, text, size, KARAT_PAGE_FORM);
    for (size_t at = virt + 1, length; at <= end; at += length + 1) {
        length = part_of(text + at, end - at, "+");
        if (!take_word(text + at, length, &c, diag))
            return false;
    }
    if (end < size && !take_level(text + end + 1, size - end - 1, &c, diag))
        return false;
    *change = c;
    return true;
}

void karat_page_text(const karat_page_change *change, char text[KARAT_PAGE_TEXT]) {
    int n = snprintf(text, KARAT_PAGE_TEXT, "0x%08" PRIx64, change->virt);
    char separator = ':';
    for (unsigned word = 0; word < KARAT_CHANGE_WORDS; word++) {
        if (!(change->words >> word & 1))
            continue;
        n += snprintf(text + n, KARAT_PAGE_TEXT - (size_t)n, "%c%s", separator, names[word]);
        if (word == KARAT_CHANGE_ALIAS)
            n += snprintf(text + n, KARAT_PAGE_TEXT - (size_t)n, "=0x%08" PRIx64, change->to);
        if (change->bit && has_bit(word, change->bit))
            n += snprintf(text + n, KARAT_PAGE_TEXT - (size_t)n, "=%u", (unsigned)change->bit);
        separator = '+';
    }
    if (change->level >= 0)
        snprintf(text + n, KARAT_PAGE_TEXT - (size_t)n, "@%d", change->level);
}

/* --- Pages --- */

/* Make two or more smaller pages, 512, of one. */
static karat_status split(karat_space *space, const table_place *at) {
    uint64_t table;
    const karat_status status = table_new(space, &table);
    const uint64_t size = table_bytes(at->level - 1);
    for (unsigned i = 0; status == KARAT_OK && i < ENTRIES; i++)
        table_write(space, table + 8 * i,
                    table_entry(table_phys(at->entry) + i * size, at->entry & ((1u << 10) - 1)));
    if (status == KARAT_OK)
        table_write(space, at->addr, table_entry(table, PTE_V));
    return status;
}

/* Split the pages of an address until none is of a higher level. */
static karat_status split_to(karat_space *space, uint64_t virt, int level) {
    for (;;) {
        const table_place at = table_find_at(space, virt, 0);
        if (at.level <= level || !table_is_leaf(at.entry))
            return KARAT_OK;
        const karat_status status = split(space, &at);
        if (status != KARAT_OK)
            return status;
    }
}

static karat_status copy(karat_space *space, uint64_t to, uint64_t from, uint64_t size) {
    const karat_space_memory *m = &space->memory;
    karat_status status = KARAT_OK;
    uint8_t bytes[4096], there[sizeof bytes];
    for (uint64_t at = 0; to != from && status == KARAT_OK && at < size; at += sizeof bytes) {
        if (!table_is_mapped(space, from + at))
            continue;
        status = m->read(m->context, from + at, bytes, sizeof bytes);
        if (status == KARAT_OK)
            status = m->read(m->context, to + at, there, sizeof there);
        if (status == KARAT_OK && memcmp(bytes, there, sizeof bytes) != 0) /* Most pages are 0 in both */
            status = m->write(m->context, to + at, bytes, sizeof bytes);
    }
    return status;
}

/* Make one page of that level of all that is at virt, in physical memory of its own; new pages are as buffers
 * are. */
static karat_status join(karat_space *space, uint64_t virt, int level) {
    const uint64_t size = table_bytes(level), base = virt & ~(size - 1);
    uint64_t phys, rights = 0;
    karat_status status = table_frame(space, base, level, &phys);
    for (uint64_t at = 0, step; status == KARAT_OK && at < size; at += step) {
        const table_place page = table_find_at(space, base + at, 0);
        step = table_bytes(page.level);
        if (!table_is_leaf(page.entry))
            continue;
        rights |= page.entry & (PTE_DATA | PTE_X);
        status = copy(space, phys + at, table_phys(page.entry), step);
    }
    if (status == KARAT_OK)
        status = split_to(space, virt, level);
    const table_place at = table_find_at(space, virt, level);
    if (status != KARAT_OK)
        return status;
    const uint64_t leaf = table_entry(phys, rights ? rights : PTE_DATA | PTE_X);
    if (at.level > level) /* Nothing is there yet, and no table */
        return table_enter(space, virt, level, leaf);
    table_write(space, at.addr, leaf);
    return KARAT_OK;
}

/* See that a page of that level is at virt; -1: of any. *at is its leaf. */
static karat_status own_page(karat_space *space, uint64_t virt, int level, table_place *at) {
    *at = table_find_at(space, virt, 0);
    const bool is_leaf = table_is_leaf(at->entry);
    if (level < 0 && is_leaf)
        return KARAT_OK;
    level = level < 0 ? 0 : level;
    const karat_status status =
        is_leaf && at->level >= level ? split_to(space, virt, level) : join(space, virt, level);
    *at = table_find_at(space, virt, level);
    return status;
}

/* The leaf of virt's page becomes that of the page of 'to' as well. */
static karat_status enter_alias(karat_space *space, const karat_page_change *c, int level) {
    table_place from = table_find_at(space, c->to, 0);
    if (!table_is_leaf(from.entry))
        return KARAT_NOT_MAPPED;
    karat_status status = from.level < level ? join(space, c->to, level) : KARAT_OK;
    from = table_find_at(space, c->to, 0);
    const uint64_t phys = (table_phys(from.entry) | (c->to & (table_bytes(from.level) - 1))) &
                          ~(table_bytes(level) - 1),
                   rights = from.entry & (PTE_DATA | PTE_X);
    if (status == KARAT_OK)
        status = split_to(space, c->virt, level);
    if (status != KARAT_OK)
        return status;
    const table_place at = table_find_at(space, c->virt, level);
    if (at.level > level)
        return table_enter(space, c->virt, level, table_entry(phys, rights | PTE_ALIAS));
    table_write(space, at.addr, table_entry(phys, rights | PTE_ALIAS));
    return KARAT_OK;
}

/* A physical page that is not mapped. */
static uint64_t nowhere(karat_space *space) {
    uint64_t page;
    do
        page = (space->drawn ? table_draw(space) >> 8 : 0) >> PAGE_BITS << PAGE_BITS | UINT64_C(1) << 55;
    while (table_is_mapped(space, page));
    return page;
}

/* --- Entries --- */

#define BIT(word) (1u << KARAT_CHANGE_##word)
#define OF_LEAF                                                                                              \
    (BIT(OWN) | BIT(NO_LEAF) | BIT(MISALIGNED) | BIT(NO_READ) | BIT(NO_WRITE) | BIT(NO_EXEC) |               \
     BIT(NOT_ACCESSED) | BIT(NOT_DIRTY) | BIT(GLOBAL) | BIT(USER))

static uint64_t any_of(karat_space *space, unsigned num) {
    return space->drawn ? table_draw(space) % num : 0;
}

/* The bit that the change names for that word, or the other one. */
static uint64_t one_bit(const karat_page_change *c, karat_page_word word, uint64_t other) {
    return UINT64_C(1) << (c->bit && has_bit(word, c->bit) ? c->bit : other);
}

static uint64_t changed(karat_space *space, uint64_t entry, const karat_page_change *c, int level) {
    static const uint8_t flags[] = {7, 6, 4}; /* D, A and U */
    const uint32_t words = c->words;
    static const struct {
        uint32_t word, clear, set;
    } simple[] = {{BIT(OWN), 0, PTE_DATA | PTE_X},
                  {BIT(INVALID), PTE_V, 0},
                  {BIT(WRITE_ONLY), PTE_R | PTE_X, PTE_W},
                  {BIT(NO_LEAF), PTE_RIGHTS | PTE_A | PTE_D | PTE_U, 0},
                  {BIT(NO_READ), PTE_R | PTE_W, PTE_X},
                  {BIT(NO_WRITE), PTE_W, 0},
                  {BIT(NO_EXEC), PTE_X, 0},
                  {BIT(NOT_ACCESSED), PTE_A, 0},
                  {BIT(NOT_DIRTY), PTE_D, 0},
                  {BIT(GLOBAL), 0, PTE_G},
                  {BIT(USER), 0, PTE_U}};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (words & simple[i].word)
            entry = (entry & ~(uint64_t)simple[i].clear) | simple[i].set;
    if (words & BIT(RESERVED))
        entry |= one_bit(c, KARAT_CHANGE_RESERVED, 63 - any_of(space, 10));
    if (words & BIT(TABLE_FLAGS))
        entry |= one_bit(c, KARAT_CHANGE_TABLE_FLAGS, flags[any_of(space, sizeof flags)]);
    if (words & BIT(MISALIGNED))
        entry |= one_bit(c, KARAT_CHANGE_MISALIGNED, 10 + any_of(space, VPN_BITS * (unsigned)level));
    return entry;
}

static karat_status change_entry(karat_space *space, const karat_page_change *c) {
    const uint32_t words = c->words;
    int level = words & BIT(NO_LEAF)                                           ? 0
                : c->level < 0 && words & (BIT(TABLE_FLAGS) | BIT(MISALIGNED)) ? 1
                                                                               : c->level;
    table_place at = table_find_at(space, c->virt, 0);
    karat_status status = KARAT_OK;
    if (words & BIT(ALIAS))
        status = enter_alias(space, c, level < 0 ? 0 : level);
    else if (words & OF_LEAF || !table_is_leaf(at.entry))
        status = own_page(space, c->virt, words & BIT(TABLE_FLAGS) ? level - 1 : level, &at);
    if (status == KARAT_OK && level >= 0)
        status = split_to(space, c->virt, words & BIT(TABLE_FLAGS) ? level - 1 : level);
    if (status != KARAT_OK)
        return status;
    at = table_find_at(space, c->virt, level < 0 ? 0 : level);
    const uint64_t entry = changed(space, at.entry, c, at.level);
    if (entry != at.entry)
        table_write(space, at.addr, entry);
    if (!(words & BIT(NO_TABLE)))
        return KARAT_OK;
    if (at.level == LEVELS - 1) {
        space->ptbr = nowhere(space);
        return KARAT_OK;
    }
    at = table_find_at(space, c->virt, at.level + 1);
    table_write(space, at.addr, table_entry(nowhere(space), PTE_V));
    return KARAT_OK;
}

karat_status karat_space_change(karat_space *space, const karat_page_change *change, karat_diag *diag) {
    const char *why = NULL;
    karat_status status = KARAT_BAD_ARGUMENT;
    char text[KARAT_PAGE_TEXT];
    if (!space || !change)
        return status;
    if (!table_can_map(space, change->virt, change->virt))
        why = "no page can be there: it is in the LDS window, or not canonical";
    else if ((status = change_entry(space, change)) == KARAT_NOT_MAPPED)
        why = "ADDR of alias=ADDR is not mapped";
    else if (status != KARAT_OK)
        why = "no physical memory for it";
    if (why && diag) {
        karat_page_text(change, text);
        snprintf(diag->text, sizeof diag->text, "%s: %s", text, why);
    }
    return status;
}
