/* The warps of a register log, and its dialect. */
#include "import.h"
#include "log.h"
#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The first values that a run has read of the CSRs that identify a warp. */
typedef struct told {
    uint32_t given; /* bit i: csr[i] */
    uint32_t csr[KARAT_CSR_GDZ + 1];
} told;

static void find_told(const log_file *log, const log_run *run, told *t) {
    static const uint32_t who = 1u << KARAT_CSR_TID | 1u << KARAT_CSR_WID | 1u << KARAT_CSR_PDS |
                                1u << KARAT_CSR_GDX | 1u << KARAT_CSR_GDY | 1u << KARAT_CSR_GDZ;
    log_fields f;
    *t = (told){0};
    for (uint32_t at = run->first; at != LOG_NONE; at = log->commits[at].next) {
        const uint32_t index = (uint32_t)import_csr_read(log->commits[at].word) - KARAT_CSR_BASE;
        if (index > KARAT_CSR_GDZ || !(who >> index & 1) || t->given >> index & 1)
            continue;
        log_parse(log, &log->commits[at], &f);
        if (f.num_x != 1)
            continue;
        t->given |= 1u << index;
        t->csr[index] = f.x[0].value;
    }
}

static bool fits(const told *t, const karat_kernel *kernel, uint32_t threads, uint32_t workgroup,
                 uint32_t warp) {
    karat_launch_desc desc;
    karat_kernel_launch(kernel, threads, workgroup, warp, &desc);
    for (uint32_t i = 0; i <= KARAT_CSR_GDZ; i++)
        if (t->given >> i & 1 && t->csr[i] != desc.csr[i])
            return false;
    return true;
}

/* The first workgroup that all of the runs fit, or 0 where they fit none: the comparison will show the difference. */
static uint32_t find_workgroup(const log_file *log, const karat_kernel *kernel, uint32_t threads) {
    const uint32_t workgroups = karat_kernel_workgroups(kernel);
    uint8_t *bad = calloc(workgroups, 1);
    uint32_t found = 0;
    for (uint32_t i = 0; bad && i < log->num_runs; i++) {
        told t;
        find_told(log, &log->runs[i], &t);
        for (uint32_t g = 0; g < workgroups; g++)
            bad[g] |= !fits(&t, kernel, threads, g, log->runs[i].warp);
    }
    while (bad && found < workgroups && bad[found])
        found++;
    free(bad);
    return found < workgroups ? found : 0;
}

/* The log of one warp: core 0 may be any warp of any workgroup. */
static void find_warp(const log_file *log, log_run *run, const karat_kernel *kernel, uint32_t threads) {
    const uint32_t workgroups = karat_kernel_workgroups(kernel);
    const uint32_t core = run->warp;
    told t;
    find_told(log, run, &t);
    run->workgroup = find_workgroup(log, kernel, threads);
    if (fits(&t, kernel, threads, run->workgroup, core))
        return;
    for (uint32_t g = 0; g < workgroups; g++)
        for (uint32_t w = 0; w < kernel->wg_size; w++)
            if (fits(&t, kernel, threads, g, w)) {
                run->workgroup = g;
                run->warp = w;
                return;
            }
}

bool log_assign(log_file *log, const karat_kernel *kernel, uint32_t threads) {
    const uint32_t wg_size = kernel->wg_size, workgroups = karat_kernel_workgroups(kernel);
    bool all_first = true;
    for (uint32_t i = 0; i < log->num_runs; i++) {
        all_first = all_first && log->runs[i].index == 0;
        if (log->runs[i].core >= wg_size)
            log->forms |= LOG_THROUGH;
    }
    const bool through = log->forms & LOG_THROUGH;
    for (uint32_t i = 0; i < log->num_runs; i++) {
        log_run *run = &log->runs[i];
        run->workgroup = through ? run->core / wg_size : run->index;
        run->warp = run->core % wg_size;
        if (run->workgroup < workgroups && (!through || all_first))
            continue;
        cli_error("%s:%" PRIu32 ": expected %" PRIu32 " warps in each of %" PRIu32 " workgroups, found more",
                  log->path, run->line, wg_size, workgroups);
        return false;
    }
    if (!all_first || (uint64_t)workgroups * wg_size == log->num_runs)
        return true;
    bool same = true; /* all of one workgroup */
    for (uint32_t i = 1; i < log->num_runs; i++)
        same = same && log->runs[i].workgroup == log->runs[0].workgroup;
    if (log->num_runs == 1 && wg_size > 1) {
        log->forms |= LOG_ONE_WARP;
        if (!through)
            find_warp(log, &log->runs[0], kernel, threads);
    } else if (log->num_runs == wg_size && same) {
        log->forms |= LOG_ONE_WORKGROUP;
        const uint32_t workgroup = through ? log->runs[0].workgroup : find_workgroup(log, kernel, threads);
        for (uint32_t i = 0; i < log->num_runs; i++)
            log->runs[i].workgroup = workgroup;
    }
    return true;
}

/* --- Dialect --- */

static const char *simt_words(uint32_t forms) {
    return forms & LOG_NO_SIMT       ? "no SIMT state (unchecked)"
           : forms & LOG_SIMT_BLOCKS ? "SIMT state on lines of its own"
           : forms & LOG_SIMT_FIELDS ? "SIMT state on the commit line"
                                     : "no change of SIMT state";
}

void log_say(const log_file *log) {
    const uint32_t forms = log->forms;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    fprintf(out, "%s: register log: %s, %s%s, %s", log->path,
            forms & LOG_COMMITS_ONLY ? "commits only" : "disassembly and commits",
            forms & LOG_BOOT ? "boot ROM" : "no boot ROM", forms & LOG_WIDE ? ", values of 64 bits" : "",
            simt_words(forms));
    if (forms & LOG_BOTTOM_FIRST)
        fprintf(out, " with the oldest entry first");
    if (log->words)
        fprintf(out, ", vectors as %s of %" PRIu32 " words %s the mask",
                forms & LOG_V_NUMBER ? "one number" : "words", log->words,
                forms & LOG_V_MASK ? "with" : "without");
    if (forms & LOG_NARROW_DATA)
        fprintf(out, ", bytes of one digit");
    if (forms & LOG_SHORT_WORDS)
        fprintf(out, ", instructions of 16 bits");
    if (forms & LOG_TRAPS)
        fprintf(out, ", traps");
    if (forms & LOG_ONE_WARP)
        fprintf(out, "; one warp alone: workgroup %" PRIu32 " warp %" PRIu32, log->runs[0].workgroup,
                log->runs[0].warp);
    else if (forms & LOG_ONE_WORKGROUP)
        fprintf(out, "; one workgroup alone: workgroup %" PRIu32, log->runs[0].workgroup);
    else
        fprintf(out, "; core N is warp N of %s", forms & LOG_THROUGH ? "the grid" : "its workgroup");
    if (!fclose(out))
        results_note("%s", text);
    free(text);
}
