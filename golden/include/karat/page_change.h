/* Changes of the page tables of one virtual address, on purpose: for page faults, permissions just enough,
 * aliases, and pages of a chosen size. karat_space_change() makes them (space.h). A kernel's file may have
 * some (karat_kernel.pages). */
#ifndef KARAT_PAGE_H
#define KARAT_PAGE_H

#include "karat/model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct karat_diag;

/* The words of a change: a set, 1 << word. The level is that of the entry. */
typedef enum karat_page_word {
    /* "page": a page of that level, for all accesses, where a smaller, a larger, or none is */
    KARAT_CHANGE_OWN,
    KARAT_CHANGE_ALIAS, /* "alias=ADDR": a second virtual address of the page of ADDR */
    KARAT_CHANGE_INVALID,
    KARAT_CHANGE_WRITE_ONLY,  /* W without R */
    KARAT_CHANGE_RESERVED,    /* A bit from 63 to 54 */
    KARAT_CHANGE_TABLE_FLAGS, /* A, D or U in an entry that names a table */
    KARAT_CHANGE_NO_LEAF,     /* The last level's entry names a table */
    KARAT_CHANGE_MISALIGNED,
    KARAT_CHANGE_NO_READ, /* R and W clear, X set */
    KARAT_CHANGE_NO_WRITE,
    KARAT_CHANGE_NO_EXEC,
    KARAT_CHANGE_NOT_ACCESSED,
    KARAT_CHANGE_NOT_DIRTY,
    KARAT_CHANGE_NO_TABLE, /* The entry is outside mapped memory */
    KARAT_CHANGE_GLOBAL,   /* G and U: of no effect */
    KARAT_CHANGE_USER,
    KARAT_CHANGE_WORDS
} karat_page_word;

typedef struct karat_page_change {
    uint64_t virt, to; /* Of an alias, to is the target */
    uint32_t words;    /* 1 << karat_page_word */
    int8_t level;      /* 2, 1, 0; -1: that of the page that is there */
    uint8_t bit;       /* Of reserved, table-flags or misaligned: that one of the entry; 0: any of them */
} karat_page_change;

#define KARAT_PAGE_FORM "VIRT:CHANGE[+CHANGE...][@LEVEL]"

/* The name of a word, e.g. "no-write"; NULL from KARAT_CHANGE_WORDS on. */
const char *karat_page_word_name(unsigned word);

/* Read KARAT_PAGE_FORM of so many bytes, such as "0x90001000:no-write+not-dirty@1". False and one line in
 * *diag, which names no option: it is not such a text. */
bool karat_page_parse(const char *text, size_t size, karat_page_change *change, struct karat_diag *diag);
/* Write a change in that form. */
#define KARAT_PAGE_TEXT 256
void karat_page_text(const karat_page_change *change, char text[KARAT_PAGE_TEXT]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
