/* The warps of a register log, and its dialect. */
#include "import.h"
#include "log.h"
#include "results.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool fits(const log_run *run, const karat_kernel *kernel, uint32_t threads, uint32_t workgroup,
                 uint32_t warp) {
    return import_fits(&run->reported, KARAT_REPORTED_WARP | KARAT_REPORTED_GROUP, kernel, threads, workgroup,
                       warp);
}

/* The first workgroup that all of the runs fit, or 0 where they fit none: the comparison will show the
 * difference. */
static uint32_t find_workgroup(const log_file *log, const karat_kernel *kernel, uint32_t threads) {
    const uint32_t workgroups = karat_kernel_workgroups(kernel);
    uint8_t *bad = cli_alloc(workgroups);
    uint32_t found = 0;
    for (uint32_t i = 0; i < log->num_runs; i++)
        for (uint32_t g = 0; g < workgroups; g++)
            bad[g] |= !fits(&log->runs[i], kernel, threads, g, log->runs[i].warp);
    while (found < workgroups && bad[found])
        found++;
    free(bad);
    return found < workgroups ? found : 0;
}

/* The log of one warp: core 0 may be any warp of any workgroup. */
static void find_warp(const log_file *log, log_run *run, const karat_kernel *kernel, uint32_t threads) {
    const uint32_t workgroups = karat_kernel_workgroups(kernel);
    const uint32_t core = run->warp;
    run->workgroup = find_workgroup(log, kernel, threads);
    if (fits(run, kernel, threads, run->workgroup, core))
        return;
    for (uint32_t g = 0; g < workgroups; g++)
        for (uint32_t w = 0; w < kernel->wg_size; w++)
            if (fits(run, kernel, threads, g, w)) {
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
                  log->lines.path, run->line, wg_size, workgroups);
        return false;
    }
    if (!all_first || (uint64_t)workgroups * wg_size == log->num_runs)
        return true;
    bool same = true; /* All are of one workgroup */
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

/* --- Private memory --- */

/* CSR_PDS of the run's workgroup: as it has read it; or by the distance from the same access of workgroup
 * 0's. */
static bool find_base(const log_file *log, const log_run *run, const karat_kernel *kernel, uint32_t *base) {
    if (run->reported.given >> KARAT_CSR_PDS & 1) {
        *base = run->reported.csr[KARAT_CSR_PDS];
        return true;
    }
    for (uint32_t i = 0; run->has_private && i < log->num_runs; i++) {
        const log_run *first = &log->runs[i];
        if (first->workgroup || first->warp != run->warp || !first->has_private ||
            first->private_pc != run->private_pc)
            continue;
        *base = kernel->pds_base + run->private_addr - first->private_addr;
        return true;
    }
    return false;
}

void log_find_private(log_file *log, karat_kernel *kernel, uint32_t threads) {
    const uint64_t each =
        (uint64_t)karat_kernel_wf_size(kernel, threads) * kernel->wg_size * kernel->pds_size;
    uint32_t slots = 0, base;
    bool by_workgroup = true;
    if (kernel->pds_slots || !each || log->forms & (LOG_ONE_WARP | LOG_ONE_WORKGROUP))
        return;
    for (uint32_t i = 0; i < log->num_runs; i++) {
        const log_run *run = &log->runs[i];
        if (!find_base(log, run, kernel, &base))
            continue;
        const uint64_t slot = (uint32_t)(base - kernel->pds_base) / each;
        if ((uint32_t)(base - kernel->pds_base) % each || slot >= karat_kernel_workgroups(kernel))
            return; /* elsewhere: the comparison will show it */
        by_workgroup &= slot == run->workgroup;
        slots = slot >= slots ? (uint32_t)slot + 1 : slots;
    }
    if (by_workgroup)
        return;
    for (uint32_t i = 0; i < log->num_runs; i++)
        if (find_base(log, &log->runs[i], kernel, &base)) {
            log->runs[i].reported.given |= 1u << KARAT_CSR_PDS;
            log->runs[i].reported.csr[KARAT_CSR_PDS] = base;
        }
    kernel->pds_slots = slots;
    if (slots == 1)
        results_note("%s: private memory: one base for all workgroups", log->lines.path);
    else
        results_note("%s: private memory by resident slot, of %" PRIu32, log->lines.path, slots);
}

/* --- Dialect --- */

/* Words for the forms that a log has: those of a row where it has one of any, and none of not. */
static const struct {
    uint32_t any, not ;
    const char *words; /* NULL: the number of a vector's words */
} dialect[] = {
    {0, LOG_COMMITS_ONLY, "disassembly and commits"},
    {LOG_COMMITS_ONLY, 0, "commits only"},
    {LOG_BOOT, 0, ", boot ROM"},
    {0, LOG_BOOT, ", no boot ROM"},
    {LOG_WIDE, 0, ", values of 64 bits"},
    {LOG_NO_SIMT, 0, ", no SIMT state (unchecked)"},
    {LOG_SIMT_BLOCKS, 0, ", SIMT state on lines of its own"},
    {LOG_SIMT_FIELDS, LOG_SIMT_BLOCKS, ", SIMT state on the commit line"},
    {0, LOG_NO_SIMT | LOG_SIMT_BLOCKS | LOG_SIMT_FIELDS, ", no change of SIMT state"},
    {LOG_BOTTOM_FIRST, 0, " with the oldest entry first"},
    {LOG_V_NUMBER, 0, ", vectors as one number"},
    {LOG_V_WORDS, LOG_V_NUMBER, ", vectors as words"},
    {LOG_V_NUMBER | LOG_V_WORDS, 0, NULL},
    {LOG_V_MASK, 0, " with the mask"},
    {LOG_V_BARE, LOG_V_MASK, " without the mask"},
    {LOG_NARROW_DATA, 0, ", bytes of one digit"},
    {LOG_SHORT_WORDS, 0, ", instructions of 16 bits"},
    {LOG_TRAPS, 0, ", traps"},
};

void log_say(const log_file *log) {
    const uint32_t forms = log->forms;
    const log_run *first = log->runs;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    fprintf(out, "%s: register log: ", log->lines.path);
    for (size_t i = 0; i < sizeof dialect / sizeof *dialect; i++) {
        if ((dialect[i].any && !(forms & dialect[i].any)) || forms & dialect[i].not )
            continue;
        if (dialect[i].words)
            fputs(dialect[i].words, out);
        else
            fprintf(out, " of %" PRIu32 " words", log->words);
    }
    if (forms & LOG_ONE_WARP)
        fprintf(out, "; one warp alone: workgroup %" PRIu32 " warp %" PRIu32, first->workgroup, first->warp);
    else if (forms & LOG_ONE_WORKGROUP)
        fprintf(out, "; one workgroup alone: workgroup %" PRIu32, first->workgroup);
    else
        fprintf(out, "; core N is warp N of %s", forms & LOG_THROUGH ? "the grid" : "its workgroup");
    if (!fclose(out))
        results_note("%s", text);
    free(text);
    log_lines_say_foreign(&log->lines);
}
