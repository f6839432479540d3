#include "cov_rank.h"
#include "array.h"
#include "cli.h"

#include <stdlib.h>

enum { WORD = 64 };

/* Groups that the file does not have take no room: those of translation are the last ones, so that the bins
 * of the others keep their places. */
bool cov_ranks_add(cov_ranks *ranks, const char *path, const karat_cov *cov) {
    size_t bins = 0;
    KARAT_COV_EACH_GROUP(cov, g)
    bins += karat_cov_bins(cov, g);
    const size_t words = (bins + WORD - 1) / WORD;
    if (!karat_grow(&ranks->files, ranks->num, sizeof *ranks->files))
        return false;
    cov_rank *files = ranks->files;
    if (words > ranks->words) { /* Files before it have fewer groups */
        for (uint32_t i = 0; i < ranks->num; i++) {
            uint64_t *bits = realloc(files[i].bits, words * sizeof *bits);
            if (!bits)
                return false;
            files[i].bits = bits;
            for (size_t w = ranks->words; w < words; w++)
                bits[w] = 0;
        }
        ranks->words = words;
    }
    cov_rank *file = &files[ranks->num];
    *file = (cov_rank){.path = path, .bits = calloc(ranks->words, sizeof *file->bits)};
    if (!file->bits)
        return false;
    ranks->num++;
    size_t at = 0;
    KARAT_COV_EACH_GROUP(cov, g)
    for (uint32_t i = 0; i < karat_cov_bins(cov, g); i++, at++)
        if (karat_cov_hits(cov, g, i)) {
            file->bits[at / WORD] |= UINT64_C(1) << at % WORD;
            file->hit++;
        }
    return true;
}

static uint64_t added_by(const cov_rank *file, const uint64_t *seen, size_t words) {
    uint64_t added = 0;
    for (size_t w = 0; w < words; w++)
        added += (uint64_t)__builtin_popcountll(file->bits[w] & ~seen[w]);
    return added;
}

/* Counts of earlier rounds are upper bounds, since a file adds less the later it comes. So a count is made
 * again only for a file whose bound is the largest. */
void cov_ranks_sort(cov_ranks *ranks) {
    uint64_t *seen = cli_alloc(ranks->words * sizeof *seen);
    cov_rank *sorted = cli_alloc(ranks->num * sizeof *sorted);
    uint32_t *round = cli_alloc(
        ranks->num * sizeof *round); /* The round in which a count was made; 0: the file is sorted */
    for (uint32_t i = 0; i < ranks->num; i++) {
        ranks->files[i].added = ranks->files[i].hit;
        round[i] = 1;
    }
    uint64_t total = 0;
    for (uint32_t now = 1; now <= ranks->num; now++) {
        uint32_t best;
        for (;;) {
            best = UINT32_MAX;
            for (uint32_t i = 0; i < ranks->num; i++)
                if (round[i] && (best == UINT32_MAX || ranks->files[i].added > ranks->files[best].added))
                    best = i;
            if (round[best] == now)
                break;
            ranks->files[best].added = added_by(&ranks->files[best], seen, ranks->words);
            round[best] = now;
        }
        cov_rank *file = &ranks->files[best];
        for (size_t w = 0; w < ranks->words; w++)
            seen[w] |= file->bits[w];
        file->total = total += file->added;
        round[best] = 0;
        sorted[now - 1] = *file;
    }
    for (uint32_t i = 0; i < ranks->num; i++)
        ranks->files[i] = sorted[i];
    free(seen);
    free(sorted);
    free(round);
}

void cov_ranks_free(cov_ranks *ranks) {
    for (uint32_t i = 0; i < ranks->num; i++)
        free(ranks->files[i].bits);
    free(ranks->files);
    *ranks = (cov_ranks){0};
}
