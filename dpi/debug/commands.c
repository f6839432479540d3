#include "commands.h"
#include "closest_name.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { MAX_BYTES = 4096, WHY_DEPTH = 4, WHY_LINES = 24, INSN_SIZE = 160 };

typedef struct order {
    karat_debugger *d;
    const karat_machine *t;
    FILE *out;
    karat_resume *resume;
    int how;               /* Of the command's row */
    char text[STOPS_TEXT]; /* The command, of a stop */
    char *args;            /* Without blanks at both ends */
    /* The selected warp where one is live, and its state; else the last one, whose device memory and
     * tables are there still. */
    const machine_warp *w;
    karat_warp_view view;
    bool live;
    karat_diag diag;
} order;

static command_result fail(order *o, const char *text) {
    fprintf(o->out, "%s\n", text);
    return COMMAND_FAILED;
}

static command_result fail_diag(order *o) {
    return fail(o, o->diag.text);
}

static command_result not_live(order *o) {
    return fail(o, "no warp is live");
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

static const karat_naming *names_of(const order *o) {
    return &o->t->kernel.names;
}

/* An instruction of the kernel that runs: its last warp has its page tables. */
static bool fetch(const order *o, uint32_t *pc, uint32_t *prefix, uint32_t *insn) {
    const machine_warp *last = karat_machine_thread(o->t, o->t->launched);
    karat_warp_view view;
    return last && karat_view(o->t->model, last->handle, &view) == KARAT_OK &&
           karat_fetch_insn(o->t->model, view.ptbr, pc, prefix, insn);
}

/* "0x80000010 <main+0x8>  prog.S:12  " */
static void put_place(const order *o, uint32_t pc) {
    karat_put_place(o->out, names_of(o), pc);
    fputs("  ", o->out);
    karat_put_line(o->out, names_of(o), pc);
}

/* An instruction with its text "vadd.vv v3, v1, v2", and what comes after it. */
static void put_code(const order *o, uint32_t pc, const char *after) {
    uint32_t at = pc, prefix, insn;
    char text[INSN_SIZE] = "no memory";
    put_place(o, pc);
    if (fetch(o, &at, &prefix, &insn))
        karat_disassemble(names_of(o)->profile, at, prefix, insn, text, sizeof text);
    fprintf(o->out, "%s%s", text, after);
}

static void put_warp(const order *o, const machine_warp *w) {
    fprintf(o->out, "thread %" PRIu32 ": ", w->thread);
    karat_machine_put_warp(o->out, w);
}

/* Where a live warp is, and what it does there. */
static void put_state(const order *o, const machine_warp *w, const karat_warp_view *view, bool with_depth) {
    put_warp(o, w);
    fprintf(o->out, "  mask %08" PRIx32 "  ", view->mask);
    if (with_depth)
        fprintf(o->out, "depth %" PRIu32 "  ", view->depth);
    put_code(o, view->pc,
             view->waiting   ? "  (waits at a barrier)\n"
             : view->stopped ? "  (stopped)\n"
                             : "\n");
}

/* --- Stops --- */

static void put_reason(const order *o, const stop_reason *r) {
    static const char *const kinds[] = {[REASON_START] = "at the start of the run",
                                        [REASON_STEP] = "step",
                                        [REASON_INTERRUPT] = "interrupted",
                                        [REASON_ARRIVED] = "arrived",
                                        [REASON_BEGIN] = "the run begins here: there is nothing before",
                                        [REASON_END] = "the run has ended: "};
    fputs(r->kind == REASON_STOP ? "" : kinds[r->kind], o->out);
    if (r->kind == REASON_END)
        fputs(o->d->ended, o->out);
    if (r->kind != REASON_STOP)
        return;
    if (r->from_gdb)
        fputs("a stop of gdb", o->out);
    else if (r->stop)
        fprintf(o->out, "stop %" PRIu32 ", %s", r->stop, r->name);
    for (unsigned bit = 0; r->of == STOP_CATCH && karat_stops_event(bit); bit++)
        if (r->caught >> bit & 1)
            fprintf(o->out, "%s%s", r->stop ? ": " : "", karat_stops_event(bit));
    fprintf(o->out, "%s%s%s", r->text[0] ? ": " : "", r->text, r->before ? "; by the next instruction" : "");
    for (uint32_t i = 0; i < r->num_also; i++)
        fprintf(o->out, "%s %" PRIu32, i ? "," : "; also stop", r->also[i]);
}

static order make_order(karat_debugger *d, FILE *out) {
    order o = {.d = d, .t = d->machine, .out = out};
    o.w = karat_machine_live(o.t, d->shared->selected);
    o.live = karat_machine_view(o.t, o.w, &o.view);
    if (!o.live)
        o.w = karat_machine_thread(o.t, o.t->launched);
    return o;
}

void karat_debug_show_stop(karat_debugger *d, const stop_reason *reason, FILE *out) {
    const order o = make_order(d, out);
    const debug_writes *writes = &d->shared->writes;
    const machine_warp *by = karat_machine_thread(o.t, reason->thread);
    fprintf(out, "position %" PRIu64, d->timeline->position);
    if (writes->num)
        fprintf(out, ", after %" PRIu32 " write%s", writes->num, writes->num > 1 ? "s" : "");
    fputs(": ", out);
    put_reason(&o, reason);
    fputc('\n', out);
    if (writes->dropped)
        fprintf(out, "dropped: %" PRIu32 " write%s after this position\n", writes->dropped,
                writes->dropped > 1 ? "s" : "");
    if (reason->kind == REASON_STOP && by && by->ended) {
        put_warp(&o, by);
        fputs(" has ended\n", out);
    }
    if (o.live)
        put_state(&o, o.w, &o.view, false);
}

/* A stop with what follows "if". */
static command_result add_stop(order *o, karat_stop *stop) {
    const bool conditional = *o->args;
    if (conditional && strcmp(word(o), "if") != 0)
        return fail(o, "expected 'if CONDITION' at the end");
    if (conditional && !karat_stops_condition(&o->t->kernel, o->args, stop, &o->diag))
        return fail_diag(o);
    memcpy(stop->text, o->text, sizeof stop->text);
    const karat_stop *added = karat_stops_add(&o->d->shared->stops, stop);
    if (!added)
        return fail(o, "there are too many stops: delete one");
    fprintf(o->out, "stop %" PRIu32 ": %s", added->number, added->text);
    fputs(added->kind == STOP_BREAK ? " at " : "\n", o->out);
    if (added->kind == STOP_BREAK)
        put_code(o, added->addr, "\n");
    return COMMAND_DONE;
}

/* The parameter how says whether it is for once. */
static command_result do_break(order *o) {
    karat_stop stop = {.kind = STOP_BREAK, .once = o->how, .addr = o->view.pc};
    const char *where = word(o);
    if (!*where && !o->live)
        return not_live(o);
    if (*where && !karat_stops_location(&o->t->kernel, where, &stop.addr, &o->diag))
        return fail_diag(o);
    return add_stop(o, &stop);
}

/* A place in memory, of which the selected warp must be live where it is of a warp. */
static command_result place_of(order *o, const char *text, machine_place *place) {
    *place = (machine_place){.space = o->d->shared->space, .lane = o->d->shared->lane};
    if (!karat_stops_memory(&o->t->kernel, text, place, &o->diag))
        return fail_diag(o);
    return o->live || (o->w && !karat_machine_of_warp(o->t, place)) ? COMMAND_DONE : not_live(o);
}

/* MEMORY[,SIZE], or REGISTER[LANE]. how: the kind of memory access. */
static command_result do_watch(order *o) {
    karat_stop stop = {.kind = o->how, .size = 4};
    uint64_t size;
    char *what = word(o), *comma = strchr(what, ',');
    if (comma) {
        *comma = 0;
        if (!karat_stops_number(comma + 1, &size) || !size || size > MAX_BYTES)
            return fail(o, "expected a number of bytes from 1 to 4096 after the comma");
        stop.size = (uint32_t)size;
    }
    if (stop.kind == STOP_WATCH &&
        karat_stops_register(&o->t->kernel, what, &stop.reg, &stop.lanes, &o->diag)) {
        if (stop.reg.cls > MACHINE_CSR && stop.reg.cls != MACHINE_MASK)
            return fail(o, "expected x0 to x63, v0 to v255, mask or a CSR: no other register can be watched");
        if (comma)
            return fail(o, "expected no number of bytes after a register");
        if (!o->live)
            return not_live(o);
        stop.kind = STOP_REGISTER;
    } else if (place_of(o, what, &stop.place) == COMMAND_FAILED) {
        return COMMAND_FAILED;
    }
    stop.workgroup = o->w->workgroup;
    if (stop.kind == STOP_REGISTER || stop.place.space == MACHINE_PRIVATE)
        stop.thread = o->w->thread;
    return add_stop(o, &stop);
}

static command_result do_catch(order *o) {
    karat_stop stop = {.kind = STOP_CATCH};
    const char *event = word(o);
    for (unsigned bit = 0; karat_stops_event(bit); bit++)
        if (strcmp(event, karat_stops_event(bit)) == 0)
            stop.caught = 1u << bit;
    if (stop.caught)
        return add_stop(o, &stop);
    fputs("expected one of:", o->out);
    for (unsigned bit = 0; karat_stops_event(bit); bit++)
        fprintf(o->out, " %s", karat_stops_event(bit));
    return fail(o, "");
}

static command_result do_delete(order *o) {
    karat_stops *stops = &o->d->shared->stops;
    uint64_t value;
    for (uint32_t i = *o->args ? 0 : stops->num; i-- > 0;)
        if (!stops->at[i].from_gdb)
            karat_stops_remove(stops, stops->at[i].number);
    if (*o->args && (!karat_stops_number(o->args, &value) || value > UINT32_MAX ||
                     !karat_stops_remove(stops, (uint32_t)value)))
        return fail(o, "expected the number of a stop (see 'info stops')");
    return COMMAND_DONE;
}

static command_result do_stops(order *o) {
    const karat_stops *stops = &o->d->shared->stops;
    unsigned num = 0;
    for (uint32_t i = 0; i < stops->num; i++)
        if (stops->at[i].number && !stops->at[i].from_gdb && ++num)
            fprintf(o->out, "stop %" PRIu32 ": %s\n", stops->at[i].number, stops->at[i].text);
    if (!num)
        fputs("no stops\n", o->out);
    return COMMAND_DONE;
}

/* --- Going --- */

/* The parameter how is that of karat_resume. */
static command_result do_resume(order *o) {
    uint64_t count = 0;
    if (o->how == RESUME_GO_TO && !karat_stops_number(o->args, &count))
        return fail(o, "expected a position: the number of events from the start of the run");
    if ((o->how == RESUME_STEP || o->how == RESUME_REVERSE_STEP) && *o->args &&
        (!karat_stops_number(o->args, &count) || !count || count > UINT32_MAX))
        return fail(o, "expected a number of steps, from 1 to 4294967295");
    *o->resume =
        (karat_resume){.how = o->how, .thread = o->live ? o->w->thread : KARAT_ANY_THREAD, .count = count};
    return COMMAND_RESUME;
}

/* --- Looking --- */

static command_result do_position(order *o) {
    uint64_t interval;
    const unsigned snapshots = karat_timeline_snapshots(o->d->timeline, &interval);
    fprintf(o->out, "position %" PRIu64 " of a run of the %s; %u snapshots, %" PRIu64 " events apart\n",
            o->d->timeline->position, o->d->config.source, snapshots, interval);
    return COMMAND_DONE;
}

static command_result do_where(order *o) {
    fprintf(o->out, "position %" PRIu64 "\n", o->d->timeline->position);
    if (o->live)
        put_state(o, o->w, &o->view, false);
    return COMMAND_DONE;
}

static command_result do_kernel(order *o) {
    const machine_kernel *k = &o->t->kernel;
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

static command_result do_warps(order *o) {
    karat_warp_view view;
    for (uint32_t i = 0; i < o->t->num_warp; i++) {
        const machine_warp *w = &o->t->warps[i];
        if (!karat_machine_view(o->t, w, &view))
            continue;
        fputs(w == o->w ? "* " : "  ", o->out);
        put_state(o, w, &view, true);
    }
    return COMMAND_DONE;
}

static command_result do_warp(order *o) {
    uint64_t first, second = 0;
    const machine_warp *w;
    const char *a = word(o), *b = word(o);
    if (!karat_stops_number(a, &first) || (*b && !karat_stops_number(b, &second)) ||
        (first | second) > UINT32_MAX || *o->args)
        return fail(o, "expected THREAD, or WORKGROUP WARP (see 'info warps')");
    w = *b ? karat_machine_in_grid(o->t, (uint32_t)first, (uint32_t)second)
           : karat_machine_live(o->t, (uint32_t)first);
    if (!w)
        return fail(o, "that warp is not live (see 'info warps')");
    karat_debugger_select(o->d, w->thread);
    put_warp(o, w);
    fputc('\n', o->out);
    return COMMAND_DONE;
}

/* A binary16, or the upper half of a binary32. */
static double half_value(uint32_t half, bool is_bfloat) {
    const uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff;
    uint32_t bits = is_bfloat || !exponent ? half << 16
                    : exponent == 31       ? sign | 0x7f800000 | fraction << 13
                                           : sign | (exponent + 112) << 23 | fraction << 13;
    float f;
    memcpy(&f, &bits, sizeof f);
    return is_bfloat || exponent ? (double)f : (sign ? -0x1p-24 : 0x1p-24) * fraction;
}

/* How: whether the core's value is shown, too. Profile public computes on halves, the lower one first. */
static void put_lane(const order *o, machine_register reg, uint32_t lane, uint32_t value, uint32_t core,
                     bool reported) {
    char name[32];
    float f;
    karat_machine_register_name(reg, name);
    memcpy(&f, &value, sizeof f);
    fputs(name, o->out);
    if (reg.cls == MACHINE_V)
        fprintf(o->out, "[%" PRIu32 "]%s", lane, o->view.mask >> lane & 1 ? " " : "-");
    fprintf(o->out, " 0x%08" PRIx32 "  %" PRId32, value, (int32_t)value);
    if (reg.cls <= MACHINE_V)
        fprintf(o->out, "  %g", (double)f);
    if (reg.cls == MACHINE_V && karat_profile_has(names_of(o)->profile, KARAT_FEATURE_PUBLIC))
        fprintf(o->out, "  f16 %g %g  bf16 %g %g", half_value(value & 0xffff, false),
                half_value(value >> 16, false), half_value(value & 0xffff, true),
                half_value(value >> 16, true));
    if (o->how && reported)
        fprintf(o->out, "  core 0x%08" PRIx32 "%s", core, core == value ? "" : "  differs");
    fputs(o->how && !reported ? "  core: not reported\n" : "\n", o->out);
}

static command_result do_lanes(order *o) {
    machine_register reg;
    uint32_t lanes, value[KARAT_MAX_THREAD], core[KARAT_MAX_THREAD] = {0};
    if (!*o->args)
        return fail(o, "expected a register: x5, v3, v3[2], vl, pc, mask, simt_depth");
    while (*o->args) {
        if (!karat_stops_register(&o->t->kernel, word(o), &reg, &lanes, &o->diag))
            return fail_diag(o);
        const uint32_t num = karat_machine_read_register(o->t, o->w, reg, value),
                       reported = karat_machine_reported(o->w, reg, core);
        if (!num)
            return fail(o, "the register cannot be read");
        for (uint32_t lane = 0; lane < num; lane++)
            if (lanes >> lane & 1)
                put_lane(o, reg, lane, value[lane], core[lane], reported >> lane & 1);
    }
    return COMMAND_DONE;
}

static command_result do_regs(order *o) {
    for (unsigned i = 0; i < KARAT_NUM_X; i++)
        fprintf(o->out, "x%-2u %08" PRIx32 "%s", i, o->view.x[i], i % 8 == 7 ? "\n" : "  ");
    fprintf(o->out, "pc  %08" PRIx32 "  mask %08" PRIx32 "  simt_depth %" PRIu32 "\n", o->view.pc,
            o->view.mask, o->view.depth);
    return COMMAND_DONE;
}

/* [/N[w|h|b]] MEMORY */
static command_result do_x(order *o) {
    uint64_t count = 8;
    unsigned size = 4;
    machine_place place;
    uint8_t bytes[MAX_BYTES];
    if (*o->args == '/') {
        char *form = word(o), *end;
        count = strtoull(form + 1, &end, 10);
        size = *end == 'b' ? 1 : *end == 'h' ? 2 : 4;
        if (!count || (*end && (!strchr("bhw", *end) || end[1])) || count > sizeof bytes / size)
            return fail(o, "expected /N, /Nb, /Nh or /Nw, at most 4096 bytes");
    }
    if (place_of(o, o->args, &place) == COMMAND_FAILED)
        return COMMAND_FAILED;
    if (!karat_machine_read(o->t, o->w, &place, bytes, (size_t)count * size))
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

/* REGISTER[LANE] or MEMORY[,SIZE], then VALUE with or without '=' before it. */
static command_result do_set(order *o) {
    debug_write write = {.thread = o->w ? o->w->thread : 0, .size = 4, .mask = 1};
    uint32_t value[KARAT_MAX_THREAD];
    uint64_t number;
    char *what = word(o), *comma = strchr(what, ','), *equal = strchr(what, '=');
    const char *text = o->args + (*o->args == '=');
    if (equal) { /* Without a blank in front of it */
        *equal = 0;
        text = equal[1] ? equal + 1 : text;
    }
    text += strspn(text, " \t");
    write.is_register = karat_stops_register(&o->t->kernel, what, &write.reg, &write.mask, &o->diag);
    if (comma && !write.is_register) {
        *comma = 0;
        if (!karat_stops_number(comma + 1, &number) || (number != 1 && number != 2 && number != 4))
            return fail(o, "expected 1, 2 or 4 bytes after the comma");
        write.size = (uint32_t)number;
    }
    if (!write.is_register && place_of(o, what, &write.place) == COMMAND_FAILED)
        return COMMAND_FAILED;
    if (!karat_stops_value(text, 8 * write.size, &number))
        return fail(o, "expected REGISTER[LANE] = VALUE, or MEMORY[,SIZE] = VALUE, and a value that fits");
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++)
        value[lane] = (uint32_t)number;
    const uint8_t bytes[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                              (uint8_t)(number >> 24)};
    if (write.is_register && write.reg.cls == MACHINE_V && o->t->model)
        write.size *= karat_get_config(o->t->model)->num_thread;
    else if (write.is_register)
        write.mask = 1;
    const void *from = write.is_register ? (const void *)value : bytes;
    return karat_debugger_write(o->d, write, from, &o->diag) ? COMMAND_DONE : fail_diag(o);
}

static command_result do_writes(order *o) {
    karat_writes_put(&o->d->shared->writes, o->out);
    if (!o->d->shared->writes.num)
        fputs("no writes\n", o->out);
    return COMMAND_DONE;
}

/* The space of addresses without one: those of gdb, too. */
static command_result do_space(order *o) {
    static const char *const spaces[] = {"auto", "global", "lds", "private"};
    const char *name = word(o);
    uint64_t lane = 0;
    for (unsigned i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strcmp(name, spaces[i]) == 0 &&
            (i == MACHINE_PRIVATE ? karat_stops_number(o->args, &lane) : !*o->args)) {
            if (!karat_stops_lane(&o->t->kernel, o->args, lane, &o->diag))
                return fail_diag(o);
            o->d->shared->space = (machine_space)i;
            o->d->shared->lane = (uint32_t)lane;
            return COMMAND_DONE;
        }
    return fail(o, "expected space auto, space global, space lds or space private LANE");
}

static command_result do_disas(order *o) {
    uint64_t count = 8;
    uint32_t pc = o->view.pc, prefix, insn;
    const char *where = word(o);
    if (*where && !karat_stops_location(&o->t->kernel, where, &pc, &o->diag))
        return fail_diag(o);
    if (*o->args && (!karat_stops_number(o->args, &count) || !count || count > MAX_BYTES / 4))
        return fail(o, "expected a number of instructions, at most 1024");
    for (uint64_t i = 0; i < count; i++, pc += 4) {
        fputs(pc == o->view.pc ? "=> " : "   ", o->out);
        put_code(o, pc, "\n");
        if (!fetch(o, &pc, &prefix, &insn))
            break;
    }
    return COMMAND_DONE;
}

/* --- Divergence and barriers --- */

static command_result do_simt(order *o) {
    const karat_warp_view *view = &o->view;
    put_warp(o, o->w);
    fprintf(o->out, "  mask %08" PRIx32 " of %08" PRIx32 ", %" PRIu32 " entries, the top one first\n",
            view->mask, view->initial_mask, view->depth);
    for (uint32_t i = view->depth; i-- > 0;) {
        const karat_simt_entry *e = &view->stack[i];
        fprintf(o->out, "  %2" PRIu32 ": threads %08" PRIx32 "  next ", i, e->mask);
        karat_put_place(o->out, names_of(o), e->next);
        fputs("  reconverge at ", o->out);
        karat_put_place(o->out, names_of(o), e->rpc);
        fputc('\n', o->out);
    }
    return COMMAND_DONE;
}

/* The paths of the warp as a tree: the threads that run, and those that wait, each under the branch that
 * parted them. */
static command_result do_divergence(order *o) {
    int indent = 2;
    fprintf(o->out, "%08" PRIx32 " all threads of the warp\n", o->view.initial_mask);
    for (uint32_t i = 0; i < o->view.depth; i++) {
        const karat_simt_entry *e = &o->view.stack[i];
        const bool is_join = e->next == e->rpc; /* The threads that wait begin where the paths meet */
        fprintf(o->out, "%*s%s %08" PRIx32 " wait to run from ", indent, "", is_join ? "+" : "|", e->mask);
        put_code(o, e->next, "\n");
        indent += is_join ? 2 : 0;
    }
    fprintf(o->out, "%*s> %08" PRIx32 " run at ", indent, "", o->view.mask);
    put_code(o, o->view.pc, "\n");
    return COMMAND_DONE;
}

static command_result do_barriers(order *o) {
    unsigned num = 0;
    for (uint32_t i = 0; i < o->t->num_warp; i++) {
        karat_warp_view view;
        const machine_warp *w = &o->t->warps[i];
        if (!karat_machine_view(o->t, w, &view) || !view.waiting)
            continue;
        num++;
        put_warp(o, w);
        fputs("  waits at the barrier at ", o->out);
        put_code(o, w->last_pc, "\n");
    }
    if (!num)
        fputs("no warp waits at a barrier\n", o->out);
    return COMMAND_DONE;
}

/* --- Producers --- */

/* A value of a warp's lane, and its producers before that instruction. */
typedef struct lane_value {
    machine_register reg;
    uint32_t lane;
    uint64_t before, until; /* Number of that instruction; the position before it */
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

static void put_producer(order *o, const lane_value *v, int depth, shown *s) {
    char text[INSN_SIZE];
    uint64_t number = 0;
    bool all;
    if (s->lines >= WHY_LINES)
        return;
    if (++s->lines == WHY_LINES) {
        fprintf(o->out, "%*sand more\n", 2 * depth, "");
        return;
    }
    const uint32_t lane = v->reg.cls == MACHINE_X ? 0 : v->lane;
    const machine_producer *p = karat_machine_producer(o->w, v->before, v->reg, lane, &number, &all);
    const debug_write *written =
        karat_writes_find(&o->d->shared->writes, o->w->thread, v->reg, lane, p ? p->position : 0, v->until);
    karat_machine_register_name(v->reg, text);
    fprintf(o->out, "%*s%s ", 2 * depth, "", text);
    if (written) {
        fprintf(o->out, "was written to by the user at position %" PRIu64 "\n", written->position);
        return;
    }
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
    put_place(o, p->pc);
    fputs(text, o->out);
    if (p->is_load)
        fprintf(o->out, "  (memory from 0x%08" PRIx64 ")", p->addr[lane]);
    fputc('\n', o->out);
    for (uint32_t i = 0; depth < WHY_DEPTH && i < p->num_source; i++) {
        const lane_value source = {p->source[i].reg, v->lane, number, p->position - 1};
        if (source.reg.cls != MACHINE_X || source.reg.number)
            put_producer(o, &source, depth + 1, s);
    }
}

static command_result do_why(order *o) {
    machine_register reg;
    uint32_t lanes, value[KARAT_MAX_THREAD];
    uint64_t lane = 0;
    if (!karat_stops_register(&o->t->kernel, word(o), &reg, &lanes, &o->diag))
        return fail_diag(o);
    if (reg.cls > MACHINE_V)
        return fail(o, "expected x0 to x63 or v0 to v255");
    if (lanes != STOPS_ALL_LANES)
        lane = (uint64_t)__builtin_ctz(lanes);
    else if (*o->args && !karat_stops_number(o->args, &lane))
        return fail(o, "expected a lane after the register");
    if (!karat_stops_lane(&o->t->kernel, o->args, lane, &o->diag))
        return fail_diag(o);
    if (lane >= karat_machine_read_register(o->t, o->w, reg, value))
        return fail(o, "a scalar register has no lanes");
    fprintf(o->out, "lane %" PRIu64 ": 0x%08" PRIx32 "\n", lane, value[lane]);
    put_producer(o, &(lane_value){reg, (uint32_t)lane, 0, UINT64_MAX}, 0, &(shown){0});
    return COMMAND_DONE;
}

/* The whole state of the model as one number. */
static command_result do_hash(order *o) {
    const karat_model *model = o->t->model;
    if (!model)
        return fail(o, "no warp was launched yet");
    const size_t size = karat_save_size(model);
    void *bytes = malloc(size);
    if (!bytes || karat_save(model, bytes, size) != KARAT_OK) {
        free(bytes);
        return fail(o, "not enough memory");
    }
    fprintf(o->out, "state %016" PRIx64 " at position %" PRIu64 "\n", (uint64_t)XXH3_64bits(bytes, size),
            o->d->timeline->position);
    free(bytes);
    return COMMAND_DONE;
}

static command_result do_report(order *o) {
    o->d->config.report(o->d->config.context, o->out);
    return COMMAND_DONE;
}

static command_result do_help(order *o);

/* --- The commands --- */

enum {
    NEEDS_WARP = 1, /* A live one */
    NEEDS_CORE = 2, /* Beside the model */
    NEEDS_MORE = 4, /* The run has not ended */
    RESUMES = 8     /* Not by gdb's monitor, which has its own */
};

static const struct command {
    const char *name, *other; /* Other: a short name, or NULL */
    command_result (*run)(order *o);
    int how, needs;
    const char *args, *help;
} commands[] = {
    {"break", "b", do_break, false, 0, "[LOCATION] [if CONDITION]",
     "stop where a warp's next instruction is there: FILE:LINE, a symbol, an address"},
    {"tbreak", NULL, do_break, true, 0, "[LOCATION] [if CONDITION]", "the same, once"},
    {"watch", NULL, do_watch, STOP_WATCH, 0, "MEMORY[,SIZE] or REGISTER[LANE] [if CONDITION]",
     "stop where a warp changes it"},
    {"rwatch", NULL, do_watch, STOP_READ_WATCH, 0, "MEMORY[,SIZE] [if CONDITION]",
     "stop where a warp loads it"},
    {"awatch", NULL, do_watch, STOP_ACCESS_WATCH, 0, "MEMORY[,SIZE] [if CONDITION]",
     "stop where a warp loads or stores it"},
    {"catch", NULL, do_catch, 0, 0, "EVENT [if CONDITION]",
     "stop at an event: diverge, reconverge, barrier, release, launch, end, error, mismatch"},
    {"stops", NULL, do_stops, 0, 0, "", "all stops"},
    {"delete", "d", do_delete, 0, 0, "[STOP]", "remove a stop, or all"},
    {"continue", "c", do_resume, RESUME_CONTINUE, RESUMES | NEEDS_MORE, "", "run to the next stop"},
    {"step", "s", do_resume, RESUME_STEP, RESUMES | NEEDS_MORE, "[COUNT]",
     "run until the selected warp has taken COUNT instructions"},
    {"reverse-continue", "rc", do_resume, RESUME_REVERSE, RESUMES, "", "go back to the stop before"},
    {"reverse-step", "rs", do_resume, RESUME_REVERSE_STEP, RESUMES, "[COUNT]",
     "go back to before the selected warp's last COUNT instructions"},
    {"goto", NULL, do_resume, RESUME_GO_TO, RESUMES, "POSITION", "go to that position, in either direction"},
    {"warp", "w", do_warp, 0, 0, "THREAD or WORKGROUP WARP", "select a warp"},
    {"warps", NULL, do_warps, 0, NEEDS_WARP, "", "all live warps"},
    {"kernel", NULL, do_kernel, 0, 0, "", "the kernel that runs"},
    {"position", NULL, do_position, 0, 0, "", "the position, and the snapshots of the run"},
    {"where", NULL, do_where, 0, 0, "", "the position, and the selected warp's place"},
    {"regs", NULL, do_regs, 0, NEEDS_WARP, "", "scalar registers"},
    {"lanes", "l", do_lanes, false, NEEDS_WARP, "REGISTER...",
     "values, lane by lane; '-' after the lane: its thread does not run"},
    {"core", NULL, do_lanes, true, NEEDS_CORE | NEEDS_WARP, "REGISTER...",
     "the same, beside the values that the core has reported last"},
    {"why", NULL, do_why, 0, NEEDS_WARP, "REGISTER [LANE]",
     "the instructions that made the value, back through their operands"},
    {"report", NULL, do_report, 0, NEEDS_CORE, "", "the report of the mismatch that has been found"},
    {"simt", NULL, do_simt, 0, NEEDS_WARP, "", "the SIMT stack"},
    {"divergence", NULL, do_divergence, 0, NEEDS_WARP, "",
     "threads that run and threads that wait, as a tree"},
    {"barriers", NULL, do_barriers, 0, 0, "", "warps that wait at a barrier"},
    {"x", NULL, do_x, 0, 0, "[/N[b|h|w]] [global:|lds:|private[LANE]:]ADDRESS", "memory"},
    {"set", NULL, do_set, 0, 0, "REGISTER[LANE] = VALUE or MEMORY[,SIZE] = VALUE",
     "write; what follows is a branch of the run, which going back to before it drops"},
    {"writes", NULL, do_writes, 0, 0, "", "the writes of this branch of the run"},
    {"space", NULL, do_space, 0, 0, "auto, global, lds or private LANE",
     "where an address is that does not say so; auto: the LDS window is local memory"},
    {"disas", NULL, do_disas, 0, NEEDS_WARP, "[LOCATION] [COUNT]", "instructions"},
    {"hash", NULL, do_hash, 0, 0, "", "one number of the model's whole state"},
    {"help", "h", do_help, 0, 0, "[COMMAND]", "this list; 'info' before a command has no effect"},
    {"quit", "q", do_resume, RESUME_QUIT, RESUMES, "", "end"},
};
enum { NUM_COMMAND = sizeof commands / sizeof *commands };

/* The command of that name, of its short name, or the only one that begins so; NULL: there is none, and the
 * nearest, or all that begin so, are named. */
static const struct command *find_command(FILE *out, const char *name) {
    karat_closest_name near = {.word = name, .length = strlen(name)};
    const struct command *found = NULL;
    unsigned num = 0;
    for (unsigned i = 0; i < NUM_COMMAND; i++) {
        const struct command *c = &commands[i];
        if (strcmp(name, c->name) == 0 || (c->other && strcmp(name, c->other) == 0))
            return c;
        if (strncmp(name, c->name, strlen(name)) == 0 && ++num)
            found = c;
        karat_closest_offer(&near, c->name);
    }
    if (num == 1)
        return found;
    fprintf(out, "'%.100s' is %s", name, num ? "the beginning of several commands:" : "no command");
    for (unsigned i = 0; num && karat_debug_complete(name, i); i++)
        fprintf(out, " %s", karat_debug_complete(name, i));
    num         ? fputc('\n', out)
    : near.name ? fprintf(out, ": did you mean '%s'?\n", near.name)
                : fprintf(out, " (see 'help')\n");
    return NULL;
}

static command_result do_help(order *o) {
    const struct command *only = *o->args ? find_command(o->out, o->args) : NULL;
    if (*o->args && !only)
        return COMMAND_FAILED;
    for (const struct command *c = commands; c < commands + NUM_COMMAND; c++)
        if (!only || c == only)
            fprintf(o->out, "%s%s%s %s\n    %s\n", c->name, c->other ? ", " : "", c->other ? c->other : "",
                    c->args, c->help);
    return COMMAND_DONE;
}

const char *karat_debug_complete(const char *begin, unsigned i) {
    for (unsigned k = 0; k < NUM_COMMAND; k++)
        if (strncmp(commands[k].name, begin, strlen(begin)) == 0 && !i--)
            return commands[k].name;
    return NULL;
}

static command_result carry_out(order *o, const struct command *c) {
    if (c->needs & RESUMES && !o->resume)
        return fail(o,
                    "gdb has commands of its own for this: continue, stepi, reverse-continue, reverse-stepi");
    if (c->needs & NEEDS_MORE && o->d->ended)
        return fail(o, "the run has ended; go back with reverse-continue, reverse-step or goto");
    if (c->needs & NEEDS_CORE && !o->d->config.report)
        return fail(o, "the model runs alone: there is no core, and nothing is compared");
    if (c->needs & NEEDS_WARP && !o->live)
        return not_live(o);
    if (*o->args && !*c->args)
        return fail(o, "expected nothing after this command");
    snprintf(o->text, sizeof o->text, "%s %.100s", c->name, o->args);
    o->how = c->how;
    return c->run(o);
}

command_result karat_debug_command(karat_debugger *d, const char *line, FILE *out, karat_resume *resume) {
    order o = make_order(d, out);
    char name[64], *copy = strdup(line);
    o.resume = resume;
    if (!copy)
        return fail(&o, "not enough memory");
    for (size_t n = strlen(copy); n && isspace((unsigned char)copy[n - 1]);)
        copy[--n] = 0;
    o.args = copy + strspn(copy, " \t");
    if (strncmp(o.args, "info ", 5) == 0)
        o.args += 5 + strspn(o.args + 5, " \t");
    command_result result = COMMAND_DONE;
    if (*o.args && *o.args != '#') {
        const size_t length = strcspn(o.args, " \t/"); /* x/8w is x with /8w */
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), o.args);
        o.args += length + strspn(o.args + length, " \t");
        const struct command *c = find_command(out, name);
        result = c ? carry_out(&o, c) : COMMAND_FAILED;
    }
    free(copy);
    return result;
}
