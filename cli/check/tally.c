#include "tally.h"

#include <inttypes.h>
#include <stdio.h>

void cli_tally_record(cli_tally *tally, const void *record) {
    const karat_rec_header *h = record;
    if (h->kind >= KARAT_REC_KINDS)
        return; /* The checker reports it */
    tally->came[h->kind]++;
    if (h->kind == KARAT_REC_HELLO)
        tally->hello = *(const karat_rec_hello *)record;
}

void cli_tally_launch(void *context, const karat_model *model, uint32_t warp, const karat_launch_desc *desc,
                      uint32_t warps) {
    cli_tally *tally = context;
    tally->expected[KARAT_REC_LAUNCH]++;
    if (tally->next)
        tally->next->launch(tally->next->context, model, warp, desc, warps);
}

void cli_tally_step(void *context, const karat_model *model, uint32_t warp, const karat_commit *commit) {
    cli_tally *tally = context;
#define COUNT(NAME, calls) tally->expected[KARAT_REC_##NAME] += (calls);
    KARAT_REC_CALLS(COUNT)
#undef COUNT
    if (tally->next)
        tally->next->step(tally->next->context, model, warp, commit);
}

static uint64_t count(const uint64_t *of, uint32_t kinds) {
    uint64_t sum = 0;
    for (; kinds; kinds &= kinds - 1)
        sum += of[__builtin_ctz(kinds)];
    return sum;
}

void cli_tally_print(const cli_tally *tally) {
    /* The model stops at a verdict: the needs of the program after it are unknown. */
    const bool whole = tally->came[KARAT_REC_ISSUE] <= tally->expected[KARAT_REC_ISSUE];
    printf("records   HELLO has it          came  instructions that require it\n");
    for (uint32_t kinds = KARAT_RECS; kinds; kinds &= kinds - 1) {
        const unsigned kind = (unsigned)__builtin_ctz(kinds);
        const bool of_core = !(KARAT_RECS_OF_BENCH >> kind & 1),
                   given = of_core && tally->hello.gives >> kind & 1;
        const uint64_t needed = count(tally->expected, karat_rec_alike(kind));
        const bool counted = of_core && kind != KARAT_REC_HELLO;
        char expected[24] = "";
        if (counted)
            snprintf(expected, sizeof expected, "%" PRIu64, needed);
        const char *note = "";
        if (counted && given && needed && !count(tally->came, karat_rec_alike(kind)))
            note = "  NEVER CAME";
        else if (counted && given && !needed && (KARAT_RECS_CALLED >> kind & 1 || !tally->came[kind]))
            note =
                whole ? "  nothing shown: the program has none" : "  nothing shown: none until the verdict";
        else if (counted && needed && !(tally->hello.gives & karat_rec_alike(kind)))
            note = "  not provided: not checked";
        printf("  %-9s %-12s %12" PRIu64 "  %12s%s\n", karat_rec_name(kind),
               !of_core ? "test bench"
               : given  ? "yes"
                        : "no",
               tally->came[kind], expected, note);
    }
    if (!whole)
        printf("  the verdict came first: instructions are counted until then (+continue goes on)\n");
}
