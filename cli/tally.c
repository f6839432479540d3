#include "tally.h"

#include <inttypes.h>
#include <stdio.h>

void cli_tally_record(cli_tally *tally, const void *record) {
    const karat_rec_header *h = record;
    if (h->kind >= KARAT_REC_KINDS)
        return; /* the checker reports it */
    tally->came[h->kind]++;
    if (h->kind == KARAT_REC_HELLO)
        tally->hello = *(const karat_rec_hello *)record;
}

void cli_tally_launch(void *context, const karat_model *model, uint32_t warp, const karat_launch_desc *desc,
                      uint32_t warps) {
    cli_tally *tally = context;
    tally->called[KARAT_REC_LAUNCH]++;
    if (tally->next)
        tally->next->launch(tally->next->context, model, warp, desc, warps);
}

void cli_tally_step(void *context, const karat_model *model, uint32_t warp, const karat_commit *commit) {
    cli_tally *tally = context;
    uint64_t *called = tally->called;
    called[KARAT_REC_ISSUE]++;
    called[KARAT_REC_READ] += commit->num_reads > 0;
    called[KARAT_REC_WRITE] += commit->num_writes > 0;
    called[KARAT_REC_AUDIT] += commit->num_writes > 0;
    called[KARAT_REC_SIMT] += commit->simt != KARAT_SIMT_NONE;
    called[KARAT_REC_CSR] += commit->csr_written;
    called[KARAT_REC_MEM] += commit->has_mem && commit->mem.num > 0;
    called[KARAT_REC_BARRIER] += commit->barrier && !commit->ended;
    called[KARAT_REC_EXIT] += commit->ended;
    if (tally->next)
        tally->next->step(tally->next->context, model, warp, commit);
}

/* The kinds that are a record of the same as that one: one of them is enough. */
static uint32_t alike(unsigned kind) {
    static const uint32_t accesses = 1u << KARAT_REC_MEM | 1u << KARAT_REC_ACCESS,
                          results = 1u << KARAT_REC_WRITE | 1u << KARAT_REC_PAIR;
    return accesses >> kind & 1 ? accesses : results >> kind & 1 ? results : 1u << kind;
}

static uint64_t count(const uint64_t *of, uint32_t kinds) {
    uint64_t sum = 0;
    for (; kinds; kinds &= kinds - 1)
        sum += of[__builtin_ctz(kinds)];
    return sum;
}

void cli_tally_print(const cli_tally *tally) {
    /* Records of the test bench are not the core's. */
    static const unsigned bench = 1u << KARAT_REC_REGION | 1u << KARAT_REC_HOST | 1u << KARAT_REC_HOSTCSR |
                                  1u << KARAT_REC_KERNEL | 1u << KARAT_REC_BYE | 1u << KARAT_REC_CONTENTS |
                                  1u << KARAT_REC_PRINT | 1u << KARAT_REC_PAGING;
    /* The model stops at a verdict: the needs of the program after it are unknown. */
    const bool whole = tally->came[KARAT_REC_ISSUE] <= tally->called[KARAT_REC_ISSUE];
    printf("records   HELLO has it          came  instructions that require it\n");
    for (unsigned kind = KARAT_REC_HELLO; kind < KARAT_REC_KINDS; kind++) {
        const bool of_core = !(bench >> kind & 1), given = of_core && tally->hello.gives >> kind & 1;
        const uint64_t needed = count(tally->called, alike(kind));
        const bool counted = of_core && kind != KARAT_REC_HELLO;
        char called[24] = "";
        if (counted)
            snprintf(called, sizeof called, "%" PRIu64, needed);
        const char *note = "";
        if (counted && given && needed && !count(tally->came, alike(kind)))
            note = "  NEVER CAME";
        else if (counted && given && !needed && !(kind == KARAT_REC_TLB && tally->came[kind]))
            note =
                whole ? "  nothing shown: the program has none" : "  nothing shown: none until the verdict";
        else if (counted && needed && !(tally->hello.gives & alike(kind)))
            note = "  not provided: not checked";
        printf("  %-9s %-12s %12" PRIu64 "  %12s%s\n", karat_rec_name(kind),
               !of_core ? "test bench"
               : given  ? "yes"
                        : "no",
               tally->came[kind], called, note);
    }
    if (!whole)
        printf("  the verdict came first: instructions are counted until then (+continue goes on)\n");
}
