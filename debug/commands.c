#include "commands.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { MAX_BYTES = 4096, WHY_DEPTH = 4, WHY_LINES = 24, INSN_SIZE = 160 };

typedef struct order {
    karat_debugger *d;
    karat_machine *t;
    char *args; /* without blanks at both ends */
    FILE *out;
    karat_resume *resume;
    karat_diag diag;
} order;

static command_result fail(order *o, const char *text) {
    fprintf(o->out, "%s\n", text);
    return COMMAND_FAILED;
}

static command_result fail_diag(order *o) {
    return fail(o, o->diag.text);
}

/* The first word of the arguments, cut off; "" where there is none. */
static char *word(order *o) {
    char *begin = o->args;
    o->args += strcspn(o->args, " \t");
    if (*o->args)
        *o->args++ = 0;
    o->args += strspn(o->args, " \t");
    return begin;
}

static bool number(const char *text, uint64_t *value) {
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    *value = strtoull(text, &end, 0);
    return !*end;
}

/* The selected warp; false: one line was written. */
static bool selected(order *o, uint32_t *handle) {
    if (karat_machine_find(o->t, karat_debugger_thread(o->d), handle))
        return true;
    fail(o, "no warp is live");
    return false;
}

/* The same; for device memory the warp that was launched last will do, where none is live. */
static bool selected_for(order *o, const machine_place *place, uint32_t *handle) {
    if (karat_debugger_thread(o->d) || karat_machine_of_warp(o->t, place) ||
        !karat_machine_find_ended(o->t, karat_machine_launched(o->t), handle))
        return selected(o, handle);
    return true;
}

static const karat_naming *names_of(const order *o) {
    return &karat_machine_of_kernel(o->t)->names;
}

/* Where the page tables of the kernel that runs begin: those of its last warp. */
static uint64_t ptbr_of(const order *o) {
    uint32_t handle;
    return karat_machine_find_ended(o->t, karat_machine_launched(o->t), &handle)
               ? karat_machine_warp(o->t, handle)->ptbr
               : 0;
}

/* "0x80000010 <main+0x8>  prog.S:12  vadd.vv v3, v1, v2" */
static void put_code(const order *o, uint32_t pc) {
    const karat_naming *n = names_of(o);
    uint32_t at = pc, prefix, insn;
    char text[INSN_SIZE];
    karat_put_place(o->out, n, pc);
    fputs("  ", o->out);
    karat_put_line(o->out, n, pc);
    if (!karat_fetch_insn(karat_machine_model(o->t), ptbr_of(o), &at, &prefix, &insn)) {
        fputs("no memory", o->out);
        return;
    }
    karat_disassemble(n->profile, at, prefix, insn, text, sizeof text);
    fputs(text, o->out);
}

static void put_warp(const order *o, uint32_t handle) {
    const machine_warp *w = karat_machine_warp(o->t, handle);
    fprintf(o->out, "thread %" PRIu32 ": workgroup %" PRIu32 " warp %" PRIu32, w->thread, w->workgroup,
            w->warp);
    if (w->in_slot)
        fprintf(o->out, " (sm %" PRIu32 " slot %" PRIu32 ")", w->sm, w->slot);
}

/* --- Stops --- */

static void put_reason(const order *o, const stop_reason *r) {
    switch (r->kind) {
    case REASON_START: fprintf(o->out, "at the start of the run"); break;
    case REASON_STEP: fprintf(o->out, "step"); break;
    case REASON_INTERRUPT: fprintf(o->out, "interrupted"); break;
    case REASON_ARRIVED: fprintf(o->out, "arrived"); break;
    case REASON_BEGIN: fprintf(o->out, "the run begins here: there is nothing before"); break;
    case REASON_END:
        fprintf(o->out, "the run has ended: %s",
                karat_debugger_ended(o->d) ? karat_debugger_ended(o->d) : "");
        break;
    case REASON_STOP:
        if (r->stop)
            fprintf(o->out, "stop %" PRIu32 ", %s", r->stop, r->name);
        for (unsigned bit = 0; r->of == STOP_CATCH && karat_stops_event(bit); bit++)
            if (r->caught >> bit & 1)
                fprintf(o->out, "%s%s", r->stop ? ": " : "", karat_stops_event(bit));
        if (r->text[0])
            fprintf(o->out, ": %s", r->text);
        if (r->before)
            fputs("; by the next instruction", o->out);
        break;
    }
}

/* The selected warp's, if one is live. */
static void put_place(order *o) {
    uint32_t handle;
    karat_warp_view view;
    if (!karat_machine_find(o->t, karat_debugger_thread(o->d), &handle) ||
        !karat_machine_view(o->t, handle, &view))
        return;
    put_warp(o, handle);
    fprintf(o->out, "  mask %08" PRIx32 "  ", view.mask);
    put_code(o, view.pc);
    fputs(view.waiting ? "  (waits at a barrier)\n" : view.stopped ? "  (stopped)\n" : "\n", o->out);
}

void karat_debug_show_stop(karat_debugger *d, const stop_reason *reason, FILE *out) {
    order o = {.d = d, .t = karat_debugger_machine(d), .out = out};
    fprintf(out, "position %" PRIu64 ": ", karat_debugger_position(d));
    put_reason(&o, reason);
    fputc('\n', out);
    uint32_t handle;
    if (reason->kind == REASON_STOP && !karat_machine_find(o.t, reason->thread, &handle) &&
        karat_machine_find_ended(o.t, reason->thread, &handle)) {
        put_warp(&o, handle);
        fputs(" has ended\n", out);
    }
    put_place(&o);
}

static command_result add_stop(order *o, karat_stop *stop, const char *text) {
    snprintf(stop->text, sizeof stop->text, "%s", text);
    const karat_stop *added = karat_stops_add(karat_debugger_stops(o->d), stop);
    if (!added)
        return fail(o, "there are too many stops: delete one");
    fprintf(o->out, "stop %" PRIu32 ": %s", added->number, added->text);
    if (added->kind == STOP_BREAK) {
        fputs(" at ", o->out);
        put_code(o, added->addr);
    }
    fputc('\n', o->out);
    return COMMAND_DONE;
}

/* What follows "if". */
static bool condition(order *o, karat_stop *stop) {
    if (!*o->args)
        return true;
    if (strcmp(word(o), "if") != 0) {
        snprintf(o->diag.text, sizeof o->diag.text, "expected 'if CONDITION' at the end");
        return false;
    }
    return karat_stops_condition(karat_machine_of_kernel(o->t), o->args, stop, &o->diag);
}

static command_result breakpoint(order *o, const char *name, bool once) {
    karat_stop stop = {.kind = STOP_BREAK, .once = once};
    char text[STOPS_TEXT];
    uint32_t handle;
    karat_warp_view view;
    snprintf(text, sizeof text, "%s %.100s", name, o->args);
    const char *where = word(o);
    if (!*where) {
        if (!selected(o, &handle) || !karat_machine_view(o->t, handle, &view))
            return COMMAND_FAILED;
        stop.addr = view.pc;
    } else if (!karat_stops_location(karat_machine_of_kernel(o->t), where, &stop.addr, &o->diag)) {
        return fail_diag(o);
    }
    return condition(o, &stop) ? add_stop(o, &stop, text) : fail_diag(o);
}

static command_result do_break(order *o) {
    return breakpoint(o, "break", false);
}

static command_result do_tbreak(order *o) {
    return breakpoint(o, "tbreak", true);
}

/* MEMORY[,SIZE], or REGISTER[LANE]. */
static command_result watchpoint(order *o, const char *name, stop_kind kind) {
    karat_stop stop = {.kind = kind, .size = 4};
    char text[STOPS_TEXT];
    uint32_t handle;
    uint64_t size;
    snprintf(text, sizeof text, "%s %.100s", name, o->args);
    char *what = word(o), *comma = strchr(what, ',');
    if (comma) {
        *comma = 0;
        if (!number(comma + 1, &size) || !size || size > MAX_BYTES)
            return fail(o, "expected a number of bytes from 1 to 4096 after the comma");
        stop.size = (uint32_t)size;
    }
    if (kind == STOP_WATCH && karat_stops_register(what, &stop.reg, &stop.lanes, &o->diag)) {
        if (stop.reg.cls != MACHINE_X && stop.reg.cls != MACHINE_V && stop.reg.cls != MACHINE_CSR &&
            stop.reg.cls != MACHINE_MASK)
            return fail(o, "expected x0 to x63, v0 to v255, mask or a CSR: no other register can be watched");
        stop.kind = STOP_REGISTER;
    } else if (!karat_stops_memory(karat_machine_of_kernel(o->t), what, &stop.place, &o->diag)) {
        return fail_diag(o);
    }
    if (!(stop.kind == STOP_REGISTER ? selected(o, &handle) : selected_for(o, &stop.place, &handle)))
        return COMMAND_FAILED;
    const machine_warp *w = karat_machine_warp(o->t, handle);
    stop.workgroup = w->workgroup;
    if (stop.kind == STOP_REGISTER || stop.place.space == MACHINE_PRIVATE)
        stop.thread = w->thread;
    return condition(o, &stop) ? add_stop(o, &stop, text) : fail_diag(o);
}

static command_result do_watch(order *o) {
    return watchpoint(o, "watch", STOP_WATCH);
}

static command_result do_rwatch(order *o) {
    return watchpoint(o, "rwatch", STOP_READ_WATCH);
}

static command_result do_awatch(order *o) {
    return watchpoint(o, "awatch", STOP_ACCESS_WATCH);
}

static command_result do_catch(order *o) {
    karat_stop stop = {.kind = STOP_CATCH};
    char text[STOPS_TEXT];
    snprintf(text, sizeof text, "catch %.100s", o->args);
    const char *event = word(o);
    for (unsigned bit = 0; karat_stops_event(bit); bit++)
        if (strcmp(event, karat_stops_event(bit)) == 0)
            stop.caught = 1u << bit;
    if (!stop.caught) {
        fputs("expected one of:", o->out);
        for (unsigned bit = 0; karat_stops_event(bit); bit++)
            fprintf(o->out, " %s", karat_stops_event(bit));
        return fail(o, "");
    }
    return condition(o, &stop) ? add_stop(o, &stop, text) : fail_diag(o);
}

static command_result do_delete(order *o) {
    karat_stops *stops = karat_debugger_stops(o->d);
    uint64_t value;
    if (!*o->args) {
        for (uint32_t i = stops->num; i-- > 0;)
            if (stops->at[i].number && !stops->at[i].from_gdb)
                karat_stops_remove(stops, stops->at[i].number);
        return COMMAND_DONE;
    }
    if (!number(o->args, &value) || value > UINT32_MAX || !karat_stops_remove(stops, (uint32_t)value))
        return fail(o, "expected the number of a stop (see 'info stops')");
    return COMMAND_DONE;
}

/* --- Going --- */

static command_result resume(order *o, int how, uint64_t count) {
    if (!o->resume)
        return fail(o,
                    "gdb has commands of its own for this: continue, stepi, reverse-continue, reverse-stepi");
    *o->resume =
        (karat_resume){.how = how, .thread = karat_debugger_thread(o->d), .count = count, .position = count};
    if (!o->resume->thread) /* all have ended */
        o->resume->thread = KARAT_ANY_THREAD;
    return COMMAND_RESUME;
}

static command_result resume_counted(order *o, int how) {
    uint64_t count = 1;
    if (*o->args && (!number(o->args, &count) || !count))
        return fail(o, "expected a number of steps, at least 1");
    return resume(o, how, count);
}

static command_result do_continue(order *o) {
    if (karat_debugger_ended(o->d))
        return fail(o, "the run has ended; go back with reverse-continue, reverse-step or goto");
    return resume(o, RESUME_CONTINUE, 0);
}

static command_result do_step(order *o) {
    if (karat_debugger_ended(o->d))
        return fail(o, "the run has ended; go back with reverse-continue, reverse-step or goto");
    return resume_counted(o, RESUME_STEP);
}

static command_result do_reverse(order *o) {
    return resume(o, RESUME_REVERSE, 0);
}

static command_result do_reverse_step(order *o) {
    return resume_counted(o, RESUME_REVERSE_STEP);
}

static command_result do_goto(order *o) {
    uint64_t position;
    if (!number(o->args, &position))
        return fail(o, "expected a position: the number of events from the start of the run");
    return resume(o, RESUME_GO_TO, position);
}

static command_result do_quit(order *o) {
    return resume(o, RESUME_QUIT, 0);
}

/* --- Looking --- */

static command_result info_warps(order *o) {
    unsigned num = 0;
    for (uint32_t i = 0; i < karat_machine_num_warp(o->t); i++) {
        karat_warp_view view;
        if (!karat_machine_view(o->t, i, &view))
            continue;
        num++;
        fputs(karat_machine_warp(o->t, i)->thread == karat_debugger_thread(o->d) ? "* " : "  ", o->out);
        put_warp(o, i);
        fprintf(o->out, "  mask %08" PRIx32 "  depth %" PRIu32 "  ", view.mask, view.depth);
        put_code(o, view.pc);
        fputs(view.waiting ? "  (waits at a barrier)\n" : view.stopped ? "  (stopped)\n" : "\n", o->out);
    }
    return num ? COMMAND_DONE : fail(o, "no warp is live");
}

static command_result info_stops(order *o) {
    const karat_stops *stops = karat_debugger_stops(o->d);
    unsigned num = 0;
    for (uint32_t i = 0; i < stops->num; i++)
        if (stops->at[i].number && !stops->at[i].from_gdb && ++num)
            fprintf(o->out, "stop %" PRIu32 ": %s\n", stops->at[i].number, stops->at[i].text);
    if (!num)
        fputs("no stops\n", o->out);
    return COMMAND_DONE;
}

static command_result info_position(order *o) {
    uint64_t interval;
    const unsigned snapshots = karat_timeline_snapshots(karat_debugger_timeline(o->d), &interval);
    fprintf(o->out, "position %" PRIu64 " of a run of the %s; %u snapshots, %" PRIu64 " events apart\n",
            karat_debugger_position(o->d), karat_debugger_config(o->d)->source, snapshots, interval);
    return COMMAND_DONE;
}

static command_result do_kernel(order *o) {
    const machine_kernel *k = karat_machine_of_kernel(o->t);
    if (!k->wg_size)
        return fail(o, "no kernel runs");
    fprintf(o->out,
            "kernel %" PRIu32 ": %s, grid %" PRIu32 " x %" PRIu32 " x %" PRIu32 ", %" PRIu32
            " warps a workgroup, starts at ",
            k->index, k->names.kernel ? k->names.kernel->name : "?", k->grid[0], k->grid[1], k->grid[2],
            k->wg_size);
    karat_put_place(o->out, &k->names, k->start);
    fputc('\n', o->out);
    return COMMAND_DONE;
}

static command_result do_info(order *o) {
    static const struct {
        const char *what;
        command_result (*run)(order *o);
    } all[] = {{"warps", info_warps}, {"threads", info_warps},     {"stops", info_stops},
               {"break", info_stops}, {"breakpoints", info_stops}, {"position", info_position},
               {"kernel", do_kernel}};
    const char *what = word(o);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(what, all[i].what) == 0)
            return all[i].run(o);
    return fail(o, "expected one of: warps stops position kernel");
}

static command_result do_warp(order *o) {
    uint64_t first, second;
    uint32_t handle;
    const char *a = word(o), *b = word(o);
    bool found = false;
    if (number(a, &first) && !*b)
        found = karat_machine_find(o->t, (uint32_t)first, &handle);
    else if (number(a, &first) && number(b, &second))
        found = karat_machine_find_warp(o->t, (uint32_t)first, (uint32_t)second, &handle);
    else
        return fail(o, "expected THREAD, or WORKGROUP WARP (see 'info warps')");
    if (!found)
        return fail(o, "that warp is not live (see 'info warps')");
    karat_debugger_select(o->d, karat_machine_warp(o->t, handle)->thread);
    put_warp(o, handle);
    fputc('\n', o->out);
    return COMMAND_DONE;
}

/* A register's values: as hex, signed, and float. core: the core's, which may differ. */
static void put_lanes(order *o, machine_register reg, uint32_t lanes, const uint32_t *value, uint32_t num,
                      uint32_t mask, const uint32_t *core, uint32_t core_mask) {
    char name[32];
    karat_machine_register_name(reg, name);
    for (uint32_t lane = 0; lane < num; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        float f;
        memcpy(&f, &value[lane], sizeof f);
        if (reg.cls == MACHINE_V)
            fprintf(o->out, "%s[%" PRIu32 "]%s ", name, lane, mask >> lane & 1 ? " " : "-");
        else
            fprintf(o->out, "%s ", name);
        fprintf(o->out, "0x%08" PRIx32 "  %" PRId32, value[lane], (int32_t)value[lane]);
        if (reg.cls == MACHINE_V || reg.cls == MACHINE_X)
            fprintf(o->out, "  %g", (double)f);
        if (core && core_mask >> lane & 1)
            fprintf(o->out, "  core 0x%08" PRIx32 "%s", core[lane],
                    core[lane] == value[lane] ? "" : "  differs");
        else if (core)
            fputs("  core: not reported", o->out);
        fputc('\n', o->out);
    }
}

static command_result lanes_of(order *o, bool with_core) {
    machine_register reg;
    uint32_t lanes, handle, value[KARAT_MAX_THREAD], core[KARAT_MAX_THREAD] = {0}, core_mask = 0;
    karat_warp_view view;
    if (!*o->args)
        return fail(o, "expected a register: x5, v3, v3[2], vl, pc, mask, simt_depth");
    while (*o->args) {
        const char *name = word(o);
        if (!karat_stops_register(name, &reg, &lanes, &o->diag))
            return fail_diag(o);
        if (!selected(o, &handle) || !karat_machine_view(o->t, handle, &view))
            return COMMAND_FAILED;
        const uint32_t num = karat_machine_read_register(o->t, handle, reg, value);
        if (!num)
            return fail(o, "the register cannot be read");
        if (with_core && !karat_machine_core_value(o->t, handle, reg, core, &core_mask))
            core_mask = 0;
        put_lanes(o, reg, lanes, value, num, view.mask, with_core ? core : NULL, core_mask);
    }
    return COMMAND_DONE;
}

static command_result do_lanes(order *o) {
    return lanes_of(o, false);
}

static command_result do_core(order *o) {
    if (!karat_debugger_config(o->d)->report)
        return fail(o, "the model runs alone: there is no core");
    return lanes_of(o, true);
}

static command_result do_regs(order *o) {
    uint32_t handle;
    karat_warp_view view;
    if (!selected(o, &handle) || !karat_machine_view(o->t, handle, &view))
        return COMMAND_FAILED;
    for (unsigned i = 0; i < KARAT_NUM_X; i++)
        fprintf(o->out, "x%-2u %08" PRIx32 "%s", i, view.x[i], i % 8 == 7 ? "\n" : "  ");
    fprintf(o->out, "pc  %08" PRIx32 "  mask %08" PRIx32 "  simt_depth %" PRIu32 "\n", view.pc, view.mask,
            view.depth);
    return COMMAND_DONE;
}

/* [/N[w|h|b]] MEMORY */
static command_result do_x(order *o) {
    uint64_t count = 8;
    unsigned size = 4;
    uint32_t handle;
    machine_place place;
    uint8_t bytes[MAX_BYTES];
    if (*o->args == '/') {
        char *form = word(o), *end;
        count = strtoull(form + 1, &end, 10);
        size = *end == 'b' ? 1 : *end == 'h' ? 2 : 4;
        if (!count || (*end && (!strchr("bhw", *end) || end[1])) || count * size > sizeof bytes)
            return fail(o, "expected /N, /Nb, /Nh or /Nw, at most 4096 bytes");
    }
    if (!karat_stops_memory(karat_machine_of_kernel(o->t), o->args, &place, &o->diag))
        return fail_diag(o);
    if (!selected_for(o, &place, &handle))
        return COMMAND_FAILED;
    if (!karat_machine_read(o->t, handle, &place, bytes, (size_t)count * size))
        return fail(o, "a byte there is not mapped");
    for (uint64_t i = 0; i < count; i++) {
        uint32_t value = 0;
        for (unsigned b = 0; b < size; b++)
            value |= (uint32_t)bytes[i * size + b] << 8 * b;
        if (i * size % 16 == 0)
            fprintf(o->out, "%s0x%08" PRIx64 ":", i ? "\n" : "", place.addr + i * size);
        fprintf(o->out, " %0*" PRIx32, (int)(2 * size), value);
    }
    fputc('\n', o->out);
    return COMMAND_DONE;
}

static command_result do_disas(order *o) {
    uint64_t count = 8;
    uint32_t handle, prefix, insn, pc;
    karat_warp_view view;
    if (!selected(o, &handle) || !karat_machine_view(o->t, handle, &view))
        return COMMAND_FAILED;
    pc = view.pc;
    const char *where = word(o);
    if (*where && !karat_stops_location(karat_machine_of_kernel(o->t), where, &pc, &o->diag))
        return fail_diag(o);
    if (*o->args && (!number(o->args, &count) || !count || count > MAX_BYTES / 4))
        return fail(o, "expected a number of instructions, at most 1024");
    for (uint64_t i = 0; i < count; i++) {
        fputs(pc == view.pc ? "=> " : "   ", o->out);
        put_code(o, pc);
        fputc('\n', o->out);
        if (!karat_fetch_insn(karat_machine_model(o->t), ptbr_of(o), &pc, &prefix, &insn))
            break;
        pc += 4;
    }
    return COMMAND_DONE;
}

/* --- Divergence and barriers --- */

static command_result do_simt(order *o) {
    uint32_t handle;
    karat_warp_view view;
    if (!selected(o, &handle) || !karat_machine_view(o->t, handle, &view))
        return COMMAND_FAILED;
    put_warp(o, handle);
    fprintf(o->out, "  mask %08" PRIx32 " of %08" PRIx32 ", %" PRIu32 " entries, the top one first\n",
            view.mask, view.initial_mask, view.depth);
    for (uint32_t i = view.depth; i-- > 0;) {
        const karat_simt_entry *e = &view.stack[i];
        fprintf(o->out, "  %2" PRIu32 ": threads %08" PRIx32 "  next ", i, e->mask);
        karat_put_place(o->out, names_of(o), e->next);
        fputs("  reconverge at ", o->out);
        karat_put_place(o->out, names_of(o), e->rpc);
        fputc('\n', o->out);
    }
    return COMMAND_DONE;
}

/* The paths of the warp as a tree: the threads that run, and those that wait, each under the branch that parted them. */
static command_result do_divergence(order *o) {
    uint32_t handle;
    karat_warp_view view;
    if (!selected(o, &handle) || !karat_machine_view(o->t, handle, &view))
        return COMMAND_FAILED;
    fprintf(o->out, "%08" PRIx32 " all threads of the warp\n", view.initial_mask);
    uint32_t indent = 1;
    for (uint32_t i = 0; i < view.depth; i++) {
        const karat_simt_entry *e = &view.stack[i];
        const bool is_join = e->next == e->rpc; /* what waits begins where the paths meet */
        fprintf(o->out, "%*s%s %08" PRIx32 " wait to run from ", (int)(2 * indent), "", is_join ? "+" : "|",
                e->mask);
        put_code(o, e->next);
        fputc('\n', o->out);
        indent += is_join;
    }
    fprintf(o->out, "%*s> %08" PRIx32 " run at ", (int)(2 * indent), "", view.mask);
    put_code(o, view.pc);
    fputc('\n', o->out);
    return COMMAND_DONE;
}

static command_result do_barriers(order *o) {
    unsigned num = 0;
    for (uint32_t i = 0; i < karat_machine_num_warp(o->t); i++) {
        karat_warp_view view;
        if (!karat_machine_view(o->t, i, &view) || !view.waiting)
            continue;
        num++;
        put_warp(o, i);
        fputs("  waits at the barrier at ", o->out);
        put_code(o, karat_machine_warp(o->t, i)->last_pc);
        fputc('\n', o->out);
    }
    if (!num)
        fputs("no warp waits at a barrier\n", o->out);
    return COMMAND_DONE;
}

/* --- Producers --- */

/* A value of a warp's lane, and its producers before that instruction. */
typedef struct lane_value {
    uint32_t handle, lane;
    unsigned cls, reg;
    uint64_t before;
} lane_value;

/* The instructions that have been shown. */
typedef struct shown {
    unsigned lines, num;
    uint64_t number[WHY_LINES];
} shown;

static bool is_shown(const shown *s, uint64_t number) {
    for (unsigned i = 0; i < s->num; i++)
        if (s->number[i] == number)
            return true;
    return false;
}

static void put_producer(order *o, const lane_value *v, unsigned depth, shown *s) {
    char text[INSN_SIZE];
    uint64_t number = 0;
    bool all;
    if (s->lines >= WHY_LINES)
        return;
    if (++s->lines == WHY_LINES) {
        fprintf(o->out, "%*sand more\n", (int)(2 * depth), "");
        return;
    }
    const uint32_t lane = v->cls == KARAT_CLASS_X ? 0 : v->lane;
    const machine_producer *p =
        karat_machine_producer(o->t, v->handle, v->before, v->cls, v->reg, lane, &number, &all);
    fprintf(o->out, "%*s%c%u ", (int)(2 * depth), "", v->cls == KARAT_CLASS_X ? 'x' : 'v', v->reg);
    if (!p) {
        all ? fputs("has the value of the launch\n", o->out)
            : fprintf(o->out, "was written more than %d instructions ago, or never\n", KARAT_MACHINE_TRAIL);
        return;
    }
    if (is_shown(s, number)) {
        fprintf(o->out, "by position %" PRIu64 ", as above\n", p->position);
        return;
    }
    s->number[s->num++] = number;
    karat_disassemble(names_of(o)->profile, p->pc, p->prefix, p->word, text, sizeof text);
    fprintf(o->out, "by position %" PRIu64 "  ", p->position);
    karat_put_place(o->out, names_of(o), p->pc);
    fputs("  ", o->out);
    karat_put_line(o->out, names_of(o), p->pc);
    fputs(text, o->out);
    if (p->is_load)
        fprintf(o->out, "  (memory from 0x%08" PRIx64 ")", p->addr[lane]);
    fputc('\n', o->out);
    for (uint32_t i = 0; depth < WHY_DEPTH && i < p->num_source; i++) {
        const lane_value source = {v->handle, v->lane, p->source[i].cls, p->source[i].reg, number};
        if (source.cls != KARAT_CLASS_X || source.reg)
            put_producer(o, &source, depth + 1, s);
    }
}

static command_result do_why(order *o) {
    machine_register reg;
    uint32_t lanes, handle, value[KARAT_MAX_THREAD];
    uint64_t lane = 0;
    karat_warp_view view;
    const char *name = word(o);
    if (!karat_stops_register(name, &reg, &lanes, &o->diag))
        return fail_diag(o);
    if (reg.cls != MACHINE_X && reg.cls != MACHINE_V)
        return fail(o, "expected x0 to x63 or v0 to v255");
    if (!selected(o, &handle) || !karat_machine_view(o->t, handle, &view))
        return COMMAND_FAILED;
    const uint32_t num = karat_machine_read_register(o->t, handle, reg, value);
    if (lanes != 0xffffffffu)
        lane = (uint64_t)__builtin_ctz(lanes);
    else if (*o->args ? !number(o->args, &lane) : 0)
        return fail(o, "expected a lane after the register");
    if (lane >= num)
        return fail(o, "the warp has no such lane");
    fprintf(o->out, "lane %" PRIu64 ": 0x%08" PRIx32 "\n", lane, value[lane]);
    const lane_value asked = {handle, (uint32_t)lane, reg.cls == MACHINE_X ? KARAT_CLASS_X : KARAT_CLASS_V,
                              reg.number, 0};
    shown s = {0};
    put_producer(o, &asked, 0, &s);
    return COMMAND_DONE;
}

/* The whole state of the model as one number. */
static command_result do_hash(order *o) {
    const karat_model *model = karat_machine_model(o->t);
    if (!model)
        return fail(o, "no warp was launched yet");
    const size_t size = karat_save_size(model);
    void *bytes = malloc(size);
    if (!bytes || karat_save(model, bytes, size) != KARAT_OK) {
        free(bytes);
        return fail(o, "not enough memory");
    }
    fprintf(o->out, "state %016" PRIx64 " at position %" PRIu64 "\n", (uint64_t)XXH3_64bits(bytes, size),
            karat_debugger_position(o->d));
    free(bytes);
    return COMMAND_DONE;
}

static command_result do_report(order *o) {
    const karat_debug_config *c = karat_debugger_config(o->d);
    if (!c->report)
        return fail(o, "the model runs alone: nothing is compared");
    c->report(c->context, o->out);
    return COMMAND_DONE;
}

static command_result do_where(order *o) {
    fprintf(o->out, "position %" PRIu64 "\n", karat_debugger_position(o->d));
    put_place(o);
    return COMMAND_DONE;
}

static command_result do_help(order *o);

static const struct command {
    const char *name, *other; /* other: a short name, or NULL */
    command_result (*run)(order *o);
    const char *args, *help;
} commands[] = {
    {"break", "b", do_break, "LOCATION [if CONDITION]",
     "stop where a warp's next instruction is there: FILE:LINE, a symbol, an address"},
    {"tbreak", NULL, do_tbreak, "LOCATION [if CONDITION]", "the same, once"},
    {"watch", NULL, do_watch, "MEMORY[,SIZE] or REGISTER[LANE] [if CONDITION]",
     "stop where a warp changes it"},
    {"rwatch", NULL, do_rwatch, "MEMORY[,SIZE] [if CONDITION]", "stop where a warp loads it"},
    {"awatch", NULL, do_awatch, "MEMORY[,SIZE] [if CONDITION]", "stop where a warp loads or stores it"},
    {"catch", NULL, do_catch, "EVENT [if CONDITION]",
     "stop at an event: diverge, reconverge, barrier, release, launch, end, error, mismatch"},
    {"delete", "d", do_delete, "[STOP]", "remove a stop, or all"},
    {"continue", "c", do_continue, "", "run to the next stop"},
    {"step", "s", do_step, "[COUNT]", "run until the selected warp has taken COUNT instructions"},
    {"reverse-continue", "rc", do_reverse, "", "go back to the stop before"},
    {"reverse-step", "rs", do_reverse_step, "[COUNT]",
     "go back to before the selected warp's last COUNT instructions"},
    {"goto", NULL, do_goto, "POSITION", "go to that position, in either direction"},
    {"warp", "w", do_warp, "THREAD or WORKGROUP WARP", "select a warp"},
    {"warps", NULL, info_warps, "", "all live warps"},
    {"info", "i", do_info, "warps, stops, position or kernel", "list them"},
    {"kernel", NULL, do_kernel, "", "the kernel that runs"},
    {"where", NULL, do_where, "", "the position, and the selected warp's place"},
    {"regs", NULL, do_regs, "", "scalar registers"},
    {"lanes", "l", do_lanes, "REGISTER...",
     "values, lane by lane; '-' after the lane: its thread does not run"},
    {"core", NULL, do_core, "REGISTER...", "the same, beside the values that the core has reported last"},
    {"why", NULL, do_why, "REGISTER [LANE]",
     "the instructions that made the value, back through their operands"},
    {"report", NULL, do_report, "", "the report of the mismatch that has been found"},
    {"simt", NULL, do_simt, "", "the SIMT stack"},
    {"divergence", NULL, do_divergence, "", "threads that run and threads that wait, as a tree"},
    {"barriers", NULL, do_barriers, "", "warps that wait at a barrier"},
    {"x", NULL, do_x, "[/N[b|h|w]] [global:|lds:|private[LANE]:]ADDRESS", "memory"},
    {"disas", NULL, do_disas, "[LOCATION] [COUNT]", "instructions"},
    {"hash", NULL, do_hash, "", "one number of the model's whole state"},
    {"help", "h", do_help, "[COMMAND]", "this list"},
    {"quit", "q", do_quit, "", "end"},
};
enum { NUM_COMMAND = sizeof commands / sizeof *commands };

/* The command of that name, of its short name, or the only one that begins so. */
static const struct command *find_command(const char *name) {
    const struct command *found = NULL;
    for (unsigned i = 0; i < NUM_COMMAND; i++) {
        if (strcmp(name, commands[i].name) == 0 ||
            (commands[i].other && strcmp(name, commands[i].other) == 0))
            return &commands[i];
        if (strncmp(name, commands[i].name, strlen(name)) == 0)
            found = found ? &commands[NUM_COMMAND - 1] + 1 : &commands[i];
    }
    return found == &commands[NUM_COMMAND - 1] + 1 ? NULL : found;
}

static command_result do_help(order *o) {
    const struct command *c = *o->args ? find_command(o->args) : NULL;
    for (unsigned i = 0; i < NUM_COMMAND; i++)
        if (!c || c == &commands[i])
            fprintf(o->out, "%s%s%s %s\n    %s\n", commands[i].name, commands[i].other ? ", " : "",
                    commands[i].other ? commands[i].other : "", commands[i].args, commands[i].help);
    return COMMAND_DONE;
}

const char *karat_debug_complete(const char *begin, unsigned i) {
    for (unsigned k = 0; k < NUM_COMMAND; k++)
        if (strncmp(commands[k].name, begin, strlen(begin)) == 0 && !i--)
            return commands[k].name;
    return NULL;
}

command_result karat_debug_command(karat_debugger *d, const char *line, FILE *out, karat_resume *resume) {
    char *copy = strdup(line);
    if (!copy) {
        fputs("not enough memory\n", out);
        return COMMAND_FAILED;
    }
    order o = {.d = d, .t = karat_debugger_machine(d), .args = copy, .out = out, .resume = resume};
    for (size_t n = strlen(copy); n && isspace((unsigned char)copy[n - 1]);)
        copy[--n] = 0;
    o.args += strspn(o.args, " \t");
    command_result result = COMMAND_DONE;
    if (*o.args && *o.args != '#') {
        char *const begin = o.args;
        char name[64];
        const size_t length = strcspn(begin, " \t/"); /* x/8w is x with /8w */
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), begin);
        o.args = begin + length + strspn(begin + length, " \t");
        const struct command *c = find_command(name);
        if (c)
            result = c->run(&o);
        else {
            fprintf(out, "'%.100s' is no command (see 'help')\n", name);
            result = COMMAND_FAILED;
        }
    }
    free(copy);
    return result;
}
