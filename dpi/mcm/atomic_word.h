/* The words that atomics use: what memory holds there, who has written it, what its value releases. */
#ifndef KARAT_MCM_ATOMIC_WORD_H
#define KARAT_MCM_ATOMIC_WORD_H

#include "order.h"
#include "serial.h"
#include "word_table.h"

enum {
    MCM_NUM_RELEASE = 16,   /* Releases of which none is ordered before another */
    MCM_MAX_WORDS = 1 << 30 /* Of a table: as many as there is memory for */
};

/* Moments that an acquire which reads the value is ordered after. */
typedef struct mcm_releases {
    uint32_t num;
    mcm_moment at[MCM_NUM_RELEASE];
} mcm_releases;

typedef struct mcm_word {
    mcm_entry at;
    uint32_t value;             /* As performed */
    uint32_t writer;            /* Uid of who wrote last */
    uint64_t written;           /* Report of the last write; 0: none */
    uint64_t written_by_others; /* Report of the last write that is not the writer's; 0: none */
    mcm_releases releases;
    mcm_serial *serial; /* Where the order is not reported; else NULL */
} mcm_word;

typedef struct mcm_words {
    mcm_table table;
    mcm_search *search; /* Made when first needed */
} mcm_words;

void mcm_words_kernel(mcm_words *x); /* A kernel begins; or nothing any more */

/* The word that holds that byte; NULL: no atomic uses it. */
mcm_word *mcm_find_word(const karat_mcm *m, mcm_place p);
/* The word that an event accesses there: of a workgroup that has ended there is none. */
mcm_word *mcm_word_of(const karat_mcm *m, const mcm_event *e, mcm_place p);
/* An atomic is issued. False: out of memory. */
bool mcm_enter_atomic(karat_mcm *m, mcm_event *e);
/* Part a of e is performed: the word, where an atomic uses it, is that from now on. */
void mcm_perform_word(karat_mcm *m, mcm_event *e, const mcm_part *a);
/* The host writes the word. */
void mcm_perform_host(karat_mcm *m, mcm_word *w);
/* The image's word becomes what memory will hold when all that was issued is performed. */
void mcm_update_image(karat_mcm *m, const mcm_word *w);
/* The LR of a warp that an SC has its reservation from; NULL: it has none, or it is not remembered. */
mcm_reservation *mcm_reservation_of(const karat_mcm *m, const mcm_event *sc);
/* Another warp has written the word since that LR was performed. */
bool mcm_is_broken(const mcm_word *w, const mcm_reservation *lr, uint32_t uid);
/* A value stands for what is before that moment, too. */
void mcm_add_release(karat_mcm *m, mcm_releases *all, const mcm_moment *from);

/* --- Words whose order is searched (atomic_search.c) --- */

/* False: out of memory. The first atomic of a word, e; an atomic is issued; a store, perhaps to such
 * words. */
bool mcm_searched_begin(karat_mcm *m, const mcm_event *e, mcm_word *w);
bool mcm_searched_atomic(karat_mcm *m, mcm_event *e, mcm_word *w);
bool mcm_searched_store(karat_mcm *m, const mcm_event *e);
/* The part of a host's write that is in that word. */
void mcm_searched_host(karat_mcm *m, mcm_word *w, const mcm_event *e, const uint8_t *bytes, uint64_t addr,
                       uint32_t size);
/* The word of e, where its order is searched; else NULL. */
mcm_word *mcm_searched_word(const karat_mcm *m, const mcm_event *e);
/* May a load at that moment have got that byte; may memory hold it at the end? */
mcm_verdict mcm_searched_loaded(const karat_mcm *m, const mcm_word *w, const mcm_moment *at, uint64_t addr,
                                uint8_t value);
mcm_verdict mcm_searched_left(const karat_mcm *m, const mcm_word *w, uint64_t addr, uint8_t value);
/* May e have found that value in that byte, by the log (loads.c)? */
mcm_answer mcm_found_byte(const karat_mcm *m, const mcm_event *e, mcm_place p, uint8_t value, bool *lanes);
/* That write is still open in its word's search. */
bool mcm_is_open(const mcm_word *w, const mcm_event *e);
/* An SC of that word reports that it has stored. */
mcm_sc_answer mcm_searched_sc(karat_mcm *m, mcm_event *e, mcm_word *w, mcm_atomic *found);
/* An SC that stores in the image has failed. */
void mcm_searched_failed(karat_mcm *m, const mcm_event *e, mcm_word *w);
#endif
