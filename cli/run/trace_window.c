#include "trace_window.h"
#include "array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_WARP = 1024, OPT_FROM, OPT_TO, OPT_PC };

static const struct argp_option options[] = {
    {"warp", OPT_WARP, "[G.]W", 0,
     "--trace: only warp W of each workgroup, or of workgroup G; may be repeated", 2},
    {"from", OPT_FROM, "N", 0,
     "--trace: from step N of the run on; the first is 1, all kernels and warps count", 2},
    {"to", OPT_TO, "N", 0, "--trace: up to step N", 2},
    {"pc", OPT_PC, "A[:B]", 0,
     "--trace: only instructions from A to B: addresses, or symbols (A alone, and B as a symbol: all of it)",
     2},
    {0},
};

static error_t add_warp(trace_window *w, const char *arg) {
    uint64_t workgroup = 0, warp;
    const char *dot = strchr(arg, '.');
    char group[32];
    const bool fits = !dot || (size_t)(dot - arg) < sizeof group;
    if (dot && fits)
        snprintf(group, sizeof group, "%.*s", (int)(dot - arg), arg);
    if (!fits || (dot && !cli_number(group, UINT32_MAX, &workgroup)) ||
        !cli_number(dot ? dot + 1 : arg, UINT32_MAX, &warp))
        return cli_bad_option("--warp: expected WARP or WORKGROUP.WARP, found '%s'", arg);
    if (!karat_grow(&w->warps, w->num_warps, sizeof *w->warps))
        return ENOMEM;
    w->warps[w->num_warps++] = (trace_warp){!dot, (uint32_t)workgroup, (uint32_t)warp};
    return 0;
}

static error_t set_step(const char *option, const char *arg, uint64_t *step) {
    if (cli_number(arg, UINT64_MAX, step) && *step)
        return 0;
    return cli_bad_option("%s: expected the number of a step, from 1, found '%s'", option, arg);
}

static error_t set_range(trace_window *w, const char *arg) {
    const char *colon = strchr(arg, ':');
    if (colon == arg || !*arg || (colon && !colon[1]))
        return cli_bad_option("--pc: expected A or A:B, addresses or symbols, found '%s'", arg);
    free(w->pc[0]);
    free(w->pc[1]);
    w->pc[0] = colon ? strndup(arg, (size_t)(colon - arg)) : strdup(arg);
    w->pc[1] = strdup(colon ? colon + 1 : arg);
    return w->pc[0] && w->pc[1] ? 0 : ENOMEM;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    trace_window *w = state->input;
    error_t error;
    switch (key) {
    case OPT_WARP: error = add_warp(w, arg); break;
    case OPT_FROM: error = set_step("--from", arg, &w->from); break;
    case OPT_TO: error = set_step("--to", arg, &w->to); break;
    case OPT_PC: error = set_range(w, arg); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    w->given = true;
    return error;
}

const struct argp trace_window_argp = {.options = options, .parser = parse};

void trace_window_free(trace_window *w) {
    free(w->warps);
    free(w->pc[0]);
    free(w->pc[1]);
}

bool trace_window_check(const trace_window *w, const session *s) {
    for (unsigned end = 0; end < 2 && w->pc[end]; end++) {
        bool found = false;
        uint32_t first, last;
        for (uint32_t i = 0; i < s->num_kernels && !found; i++)
            found = cli_find_place(s->kernels[i], w->pc[end], &first, &last);
        if (found)
            continue;
        cli_error("--pc: expected an address, or a symbol of one of the kernels, found '%s'", w->pc[end]);
        return false;
    }
    return true;
}

void trace_window_begin(trace_window *w, const karat_kernel *kernel) {
    uint32_t other;
    w->first = 0;
    w->last = UINT32_MAX;
    if (w->pc[0] && (!cli_find_place(kernel, w->pc[0], &w->first, &other) ||
                     !cli_find_place(kernel, w->pc[1], &other, &w->last))) {
        w->first = 1;
        w->last = 0;
    }
}

bool trace_window_shows(trace_window *w, const karat_sched_warp *warp, const karat_commit *commit) {
    const uint64_t step = ++w->step;
    const uint32_t pc = commit->pc;
    if (step < w->from || (w->to && step > w->to) || pc < w->first || pc > w->last)
        return false;
    bool wanted = !w->num_warps;
    for (uint32_t i = 0; i < w->num_warps && !wanted; i++)
        wanted = w->warps[i].warp == warp->warp &&
                 (w->warps[i].any_workgroup || w->warps[i].workgroup == warp->workgroup);
    w->shown += wanted;
    return wanted;
}

void trace_window_end(const trace_window *w) {
    if (w->given && !w->shown)
        cli_error("--trace: none of the %" PRIu64 " steps is one that --warp, --from, --to and --pc select",
                  w->step);
}
