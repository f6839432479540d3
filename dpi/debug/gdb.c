#include "gdb.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "commands.h"

/* --- Answers --- */

typedef struct request {
    karat_debugger *d;
    const karat_machine *t;
    const char *at; /* Rest of the packet that has not been read yet */
    char *answer;
    size_t used;
    karat_resume *resume;
} request;

__attribute__((format(printf, 2, 3))) static void put(request *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(r->answer + r->used, PACKET_SIZE + 1 - r->used, format, args);
    va_end(args);
    if (n > 0)
        r->used = r->used + (size_t)n < PACKET_SIZE ? r->used + (size_t)n : PACKET_SIZE;
}

static void put_hex(request *r, const void *bytes, size_t size) {
    for (size_t i = 0; i < size && r->used + 2 <= PACKET_SIZE; i++)
        put(r, "%02x", ((const uint8_t *)bytes)[i]);
}

/* An answer of that function in hex, cut off where it does not fit. Its length; 0: there is none, or
 * memory is short. */
static size_t put_text(request *r, void (*write)(const void *context, karat_debugger *d, FILE *out),
                       const void *context) {
    static const char cut[] = "\n(cut)\n";
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        write(context, r->d, out);
        size = fclose(out) ? 0 : size;
    }
    if (size > PACKET_SIZE / 2 - sizeof cut) {
        size = PACKET_SIZE / 2 - sizeof cut;
        memcpy(text + size - strlen(cut), cut, strlen(cut));
    }
    put_hex(r, text, size);
    free(text);
    return size;
}

static void error(request *r, unsigned number) {
    r->used = 0;
    put(r, "E%02x", number);
}

static void ok(request *r) {
    put(r, "OK");
}

/* Where the packet goes on so: that is taken. */
static bool starts(request *r, const char *text) {
    const size_t length = strlen(text);
    if (strncmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* A hex number; false: there is none, or it is too large. */
static bool hex(request *r, uint64_t *value) {
    char *end;
    if (!strchr("0123456789abcdefABCDEF", *r->at) || !*r->at)
        return false;
    errno = 0;
    *value = strtoull(r->at, &end, 16);
    r->at = end;
    return !errno;
}

/* --- Threads --- */

/* Gdb wants a thread at all times: where no warp is live, the last one stands for the run. */
static uint32_t some_thread(const request *r) {
    const uint32_t thread = r->d->shared->selected, last = r->t->launched;
    return thread ? thread : last ? last : 1;
}

/* Threads of gdb to a warp. */
static uint32_t lanes_of(const karat_debugger *d) {
    return d->config.lanes && d->machine->model ? karat_get_config(d->machine->model)->num_thread : 1;
}

/* The number of a lane's thread of gdb, or of a warp's. */
static uint32_t gdb_thread(const request *r, uint32_t thread, uint32_t lane) {
    return (thread - 1) * lanes_of(r->d) + lane + 1;
}

static uint32_t this_thread(const request *r) {
    return gdb_thread(r, some_thread(r), r->d->config.lanes ? r->d->shared->gdb.lane : 0);
}

static const machine_warp *some_warp(const request *r) {
    return karat_machine_thread(r->t, some_thread(r));
}

/* "p1.2", "2", "-1" and "0" (any): *thread, 0 for any. One process for all kernels: gdb has no description
 * of the registers of a process that comes later. */
static bool thread_id(request *r, uint32_t *thread, uint32_t *lane) {
    uint64_t value = 0;
    *thread = *lane = 0;
    if (starts(r, "p")) {
        if (!starts(r, "-1") && !hex(r, &value))
            return false;
        if (!starts(r, "."))
            return true; /* All of that process */
    }
    if (starts(r, "-1"))
        return true;
    if (!hex(r, &value) || value > UINT32_MAX)
        return false;
    const uint32_t lanes = lanes_of(r->d);
    *thread = value ? (uint32_t)(value - 1) / lanes + 1 : 0;
    *lane = value ? (uint32_t)(value - 1) % lanes : 0;
    return true;
}

static bool is_there(const request *r, uint32_t thread, uint32_t lane) {
    karat_warp_view view;
    return (thread == some_thread(r) && gdb_thread(r, thread, lane) == this_thread(r)) ||
           (karat_machine_view(r->t, karat_machine_live(r->t, thread), &view) &&
            (lanes_of(r->d) == 1 || view.initial_mask >> lane & 1));
}

/* 'H' selects a thread. 'T' asks whether it is there: gdb does so where the user selects one. */
static void find_thread(request *r, bool selects) {
    uint32_t thread, lane;
    r->at += selects && *r->at; /* For which operations: for all */
    if (!thread_id(r, &thread, &lane) || (thread && !is_there(r, thread, lane))) {
        error(r, 1);
        return;
    }
    if (selects && thread) {
        karat_debugger_select(r->d, thread);
        r->d->shared->gdb.lane = lane;
    } else if (thread) {
        r->d->shared->gdb.focus = lane;
    }
    ok(r);
}

/* --- Registers and memory --- */

/* Pc is the selected lane's. */
static void see_as_lane(const request *r, machine_register reg, uint32_t *value) {
    karat_warp_view view;
    const uint32_t lane = r->d->shared->gdb.lane;
    if (reg.cls == MACHINE_LANE)
        *value = lane;
    else if (reg.cls == MACHINE_PC && karat_machine_view(r->t, some_warp(r), &view))
        *value = karat_machine_lane_pc(&view, lane);
}

static void put_register(request *r, unsigned i) {
    uint32_t value[KARAT_MAX_THREAD] = {0};
    const machine_register reg = karat_gdb_register(i);
    karat_machine_read_register(r->t, some_warp(r), reg, value);
    if (r->d->config.lanes)
        see_as_lane(r, reg, value);
    const uint32_t num = reg.cls == MACHINE_V && r->t->model ? karat_get_config(r->t->model)->num_thread : 1;
    for (uint32_t lane = 0; lane < num; lane++)
        for (unsigned b = 0; b < 4; b++)
            put(r, "%02x", value[lane] >> 8 * b & 255);
}

static void read_register(request *r) {
    uint64_t i;
    if (!hex(r, &i) || i >= karat_gdb_num_register())
        error(r, 1);
    else
        put_register(r, (unsigned)i);
}

/* As much as is mapped. */
static void read_memory(request *r) {
    uint64_t addr, size;
    uint8_t bytes[PACKET_SIZE / 2];
    if (!hex(r, &addr) || !starts(r, ",") || !hex(r, &size)) {
        error(r, 1);
        return;
    }
    size = size < sizeof bytes ? size : sizeof bytes;
    machine_place place = {r->d->shared->space, r->d->shared->lane, addr};
    size_t got = 0;
    if (karat_machine_read(r->t, some_warp(r), &place, bytes, size))
        got = size;
    for (; got < size && karat_machine_read(r->t, some_warp(r), &place, bytes + got, 1); got++)
        place.addr++;
    if (size && !got)
        error(r, 14);
    else
        put_hex(r, bytes, got);
}

/* Bytes in hex that end the packet; false: they are not that many. */
static bool take_bytes(request *r, uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++, r->at += 2) {
        const char digits[3] = {r->at[0], r->at[0] ? r->at[1] : 0, 0};
        if (strspn(digits, "0123456789abcdefABCDEF") != 2)
            return false;
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return !*r->at;
}

static void write_here(request *r, debug_write write, const void *bytes) {
    karat_diag diag;
    write.thread = some_thread(r);
    karat_debugger_write(r->d, write, bytes, &diag) ? ok(r) : error(r, 30);
}

/* "5=01000000" */
static void write_register(request *r) {
    uint64_t i;
    uint8_t bytes[4 * KARAT_MAX_THREAD];
    uint32_t value[KARAT_MAX_THREAD];
    debug_write write = {.is_register = true, .size = 4, .mask = 1};
    if (!hex(r, &i) || i >= karat_gdb_num_register() || !starts(r, "=") || !r->t->model) {
        error(r, 1);
        return;
    }
    write.reg = karat_gdb_register((unsigned)i);
    if (write.reg.cls == MACHINE_V) {
        write.size *= karat_get_config(r->t->model)->num_thread;
        write.mask = STOPS_ALL_LANES;
    }
    if (!take_bytes(r, bytes, write.size)) {
        error(r, 1);
        return;
    }
    for (unsigned k = 0; k < write.size / 4; k++)
        value[k] = bytes[4 * k] | (uint32_t)bytes[4 * k + 1] << 8 | (uint32_t)bytes[4 * k + 2] << 16 |
                   (uint32_t)bytes[4 * k + 3] << 24;
    write_here(r, write, value);
}

/* "90000000,4:03000000" */
static void write_memory(request *r) {
    uint64_t addr, size;
    uint8_t bytes[MACHINE_MAX_WRITE];
    if (!hex(r, &addr) || !starts(r, ",") || !hex(r, &size) || !starts(r, ":") || size > sizeof bytes ||
        !take_bytes(r, bytes, (size_t)size)) {
        error(r, 1);
        return;
    }
    write_here(
        r, (debug_write){.place = {r->d->shared->space, r->d->shared->lane, addr}, .size = (uint32_t)size},
        bytes);
}

/* --- Stops --- */

/* 'Z' and 'z': TYPE,ADDR,KIND. */
static void breakpoint(request *r, bool insert) {
    static const stop_kind kinds[] = {STOP_BREAK, STOP_BREAK, STOP_WATCH, STOP_READ_WATCH, STOP_ACCESS_WATCH};
    uint64_t type, addr, size;
    if (!hex(r, &type) || type >= sizeof kinds / sizeof *kinds || !starts(r, ",") || !hex(r, &addr) ||
        !starts(r, ",") || !hex(r, &size) || addr > UINT32_MAX || size > UINT32_MAX)
        return; /* Not supported */
    karat_stops *stops = &r->d->shared->stops;
    r->d->shared->gdb.ahead = insert ? r->d->shared->gdb.ahead : 0;
    karat_stop stop = {.kind = kinds[type],
                       .from_gdb = true,
                       .addr = (uint32_t)addr,
                       .size = (uint32_t)size,
                       .place = {r->d->shared->space, r->d->shared->lane, addr}};
    const machine_warp *w = some_warp(r);
    stop.workgroup = w ? w->workgroup : 0;
    stop.thread = w && stop.place.space == MACHINE_PRIVATE ? w->thread : 0;
    for (uint32_t i = 0; i < stops->num; i++) {
        karat_stop *old = &stops->at[i];
        if (!old->number || !old->from_gdb || old->kind != stop.kind || old->place.addr != addr)
            continue;
        old->lifted = !insert;
        if (!insert && stop.kind != STOP_BREAK)
            karat_stops_remove(stops, old->number);
        ok(r);
        return;
    }
    if (!insert || karat_stops_add(stops, &stop))
        ok(r);
    else
        error(r, 12);
}

/* The lane of the selected warp that the stop is told of: its own, else the one that the user has selected
 * last, if it runs, else the first that runs. */
static void choose_lane(karat_debugger *d, const stop_reason *reason) {
    const uint32_t focus = d->shared->gdb.focus;
    uint32_t *lane = &d->shared->gdb.lane;
    karat_warp_view view = {0};
    karat_machine_view(d->machine, karat_machine_live(d->machine, d->shared->selected), &view);
    if (reason->lane && reason->thread == d->shared->selected)
        *lane = reason->lane - 1;
    else if (view.mask >> focus & 1)
        *lane = focus;
    else if (view.mask)
        *lane = (uint32_t)__builtin_ctz(view.mask);
}

static void put_stop(request *r) {
    static const char *const words[] = {
        [STOP_WATCH] = "watch", [STOP_READ_WATCH] = "rwatch", [STOP_ACCESS_WATCH] = "awatch"};
    const stop_reason *reason = &r->d->shared->gdb.reason;
    put(r, "T%02xthread:p1.%" PRIx32 ";", reason->kind == REASON_INTERRUPT ? 2 : 5, this_thread(r));
    if (reason->kind == REASON_BEGIN || reason->kind == REASON_END)
        put(r, "replaylog:%s;", reason->kind == REASON_BEGIN ? "begin" : "end");
    else if (reason->kind == REASON_STOP && reason->from_gdb && reason->of == STOP_BREAK)
        put(r, "swbreak:;");
    else if (reason->kind == REASON_STOP && reason->from_gdb)
        put(r, "%s:%" PRIx64 ";", words[reason->of], reason->addr);
}

/* --- Going --- */

/* Gdb lifts the breakpoint where a thread is while that steps on, and expects that no other thread goes
 * on. Others do, so that the breakpoint notes those that come by; gdb has their stops when it wants the
 * run to go on. */
static void drop_lifted(const request *r, int how, const machine_warp *w) {
    karat_stops *stops = &r->d->shared->stops;
    karat_warp_view view = {0};
    const bool steps = how == RESUME_STEP && karat_machine_view(r->t, w, &view);
    for (uint32_t i = stops->num; i-- > 0;)
        if (stops->at[i].lifted && !(steps && stops->at[i].addr == view.pc))
            karat_stops_remove(stops, stops->at[i].number);
}

/* The next of these threads that is there still, if the breakpoint is, too: the answer is its stop. */
static bool stops_passed(request *r) {
    karat_stops *stops = &r->d->shared->stops;
    while (stops->num_passed) {
        const uint32_t thread = stops->passed[0].thread, addr = stops->passed[0].addr;
        karat_warp_view view;
        memmove(stops->passed, stops->passed + 1, --stops->num_passed * sizeof *stops->passed);
        if (!karat_machine_view(r->t, karat_machine_live(r->t, thread), &view) || view.pc != addr)
            continue;
        for (uint32_t i = 0; i < stops->num; i++) {
            const karat_stop *stop = &stops->at[i];
            if (!stop->number || !stop->from_gdb || stop->kind != STOP_BREAK || stop->addr != addr)
                continue;
            r->d->shared->gdb.reason =
                (stop_reason){.kind = REASON_STOP, .of = STOP_BREAK, .from_gdb = true, .thread = thread};
            karat_debugger_select(r->d, thread);
            choose_lane(r->d, &r->d->shared->gdb.reason);
            put_stop(r);
            return true;
        }
    }
    return false;
}

/* Before the step that the user asks for, gdb takes one with the thread that has come to a breakpoint.
 * Where both are lanes of one warp, that was the user's step, too: the answer is its stop. Where gdb shows
 * a stop to the user in between, it removes its breakpoints. */
static bool is_ahead(request *r, const machine_warp *w, uint32_t lane) {
    karat_warp_view view;
    debug_shared *s = r->d->shared;
    if (!karat_machine_view(r->t, w, &view))
        return false;
    const bool is = s->gdb.ahead_of == w->thread && s->gdb.ahead >> lane & 1;
    s->gdb.ahead_of = w->thread;
    s->gdb.ahead = !is && view.mask >> lane & 1 ? view.mask & ~(UINT32_C(1) << lane) : 0;
    if (is) {
        s->gdb.reason = (stop_reason){.kind = REASON_STEP, .thread = w->thread, .lane = lane + 1};
        karat_debugger_select(r->d, w->thread);
        s->gdb.lane = lane;
        put_stop(r);
    }
    return is;
}

static bool resume(request *r, int how, uint32_t thread, uint32_t lane) {
    const bool by_lane = r->d->config.lanes && (how == RESUME_STEP || how == RESUME_REVERSE_STEP);
    lane = thread ? lane : r->d->shared->gdb.lane;
    const machine_warp *w = karat_machine_live(r->t, thread ? thread : some_thread(r));
    w = w ? w : karat_machine_live(r->t, some_thread(r));
    drop_lifted(r, how, w);
    if (how == RESUME_CONTINUE && stops_passed(r))
        return false;
    if (by_lane && how == RESUME_STEP && is_ahead(r, w, lane))
        return false;
    if (how != RESUME_STEP)
        r->d->shared->gdb.ahead = 0;
    if (how != RESUME_STEP)
        r->d->shared->stops.num_passed = 0; /* Elsewhere, nobody has passed */
    *r->resume = (karat_resume){.how = how,
                                .thread = w ? w->thread : some_thread(r),
                                .count = how != RESUME_QUIT,
                                .lane = by_lane ? lane + 1 : 0};
    return true;
}

/* "vCont;s:p1.2;c": a step of one thread, or on; the others go on in any case, as the run has it. */
static bool go_on(request *r) {
    int how = RESUME_CONTINUE;
    uint32_t stepped = 0, stepped_lane = 0;
    while (starts(r, ";")) {
        const char action = *r->at ? *r->at++ : 0;
        uint32_t thread = 0, lane = 0;
        uint64_t signal;
        if ((action == 'C' || action == 'S') && !hex(r, &signal))
            break;
        if (starts(r, ":") && !thread_id(r, &thread, &lane))
            break;
        if ((action == 's' || action == 'S') && how == RESUME_CONTINUE) {
            how = RESUME_STEP;
            stepped = thread;
            stepped_lane = lane;
        }
    }
    return resume(r, how, stepped, stepped_lane);
}

/* --- Transfers --- */

/* "OFFSET,LENGTH" of that text, which is freed. */
static void put_part(request *r, char *text) {
    uint64_t offset, length;
    if (!text || !hex(r, &offset) || !starts(r, ",") || !hex(r, &length)) {
        error(r, text ? 1 : 12);
        free(text);
        return;
    }
    const size_t size = strlen(text);
    offset = offset < size ? offset : size;
    size_t part = size - (size_t)offset;
    part = part < length ? part : (size_t)length;
    part = part < PACKET_SIZE - 1 ? part : PACKET_SIZE - 1;
    put(r, "%c", offset + part == size ? 'l' : 'm');
    memcpy(r->answer + r->used, text + offset, part);
    r->used += part;
    free(text);
}

static void put_thread(const request *r, const machine_warp *w, const karat_warp_view *view, uint32_t lane,
                       FILE *out) {
    const bool by_lane = r->d->config.lanes;
    fprintf(out,
            "<thread id=\"p1.%" PRIx32 "\" core=\"%" PRIu32 "\" name=\"kernel%" PRIu32 ".wg%" PRIu32
            ".warp%" PRIu32,
            gdb_thread(r, w->thread, lane), w->sm, r->t->kernel.index, w->workgroup, w->warp);
    if (by_lane)
        fprintf(out, ".lane%" PRIu32, lane);
    fputs("\">", out);
    karat_machine_put_warp(out, w);
    if (by_lane)
        fprintf(out, " lane %" PRIu32 "%s", lane, view->mask >> lane & 1 ? "" : ", another path runs");
    fputs(view->waiting   ? ", waits at a barrier</thread>\n"
          : view->stopped ? ", stopped</thread>\n"
                          : "</thread>\n",
          out);
}

static char *threads_xml(const request *r) {
    char *text = NULL;
    size_t size;
    karat_warp_view view;
    unsigned num = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("<?xml version=\"1.0\"?>\n<threads>\n", out);
    for (uint32_t i = 0; i < r->t->num_warp; i++) {
        const machine_warp *w = &r->t->warps[i];
        if (!karat_machine_view(r->t, w, &view))
            continue;
        num++;
        for (uint32_t lane = 0; lane < lanes_of(r->d); lane++)
            if (!r->d->config.lanes || view.initial_mask >> lane & 1)
                put_thread(r, w, &view, lane, out);
    }
    if (!num)
        fprintf(out, "<thread id=\"p1.%" PRIx32 "\" name=\"ended\">no warp is live</thread>\n",
                this_thread(r));
    fputs("</threads>\n", out);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

static void carry_out(const void *command, karat_debugger *d, FILE *out) {
    karat_debug_command(d, command, out, NULL);
}

static void monitor(request *r) {
    char command[PACKET_SIZE / 2 + 1];
    size_t length = 0;
    unsigned byte;
    for (; sscanf(r->at, "%2x", &byte) == 1 && length + 1 < sizeof command; r->at += r->at[1] ? 2 : 1)
        command[length++] = (char)byte;
    command[length] = 0;
    if (!put_text(r, carry_out, command))
        ok(r);
}

static void query(request *r) {
    if (starts(r, "Supported"))
        put(r,
            "PacketSize=%x;qXfer:features:read+;qXfer:threads:read+;multiprocess+;swbreak+;"
            "ReverseStep+;ReverseContinue+;vContSupported+",
            PACKET_SIZE - 1);
    else if (starts(r, "Xfer:features:read:target.xml:"))
        put_part(r, karat_gdb_target_xml(r->t->model ? karat_get_config(r->t->model)->num_thread : 1));
    else if (starts(r, "Xfer:threads:read::"))
        put_part(r, threads_xml(r));
    else if (starts(r, "Rcmd,"))
        monitor(r);
    else if (starts(r, "Attached"))
        put(r, "1");
    else if (strcmp(r->at, "C") == 0)
        put(r, "QCp1.%" PRIx32, this_thread(r));
}

bool karat_gdb_packet(karat_debugger *d, const char *packet, size_t length, char answer[PACKET_SIZE + 1],
                      size_t *answered, karat_resume *how) {
    request r = {.d = d, .t = d->machine, .at = packet, .answer = answer, .resume = how};
    bool resumes = false;
    answer[0] = 0;
    switch (length ? *r.at++ : 0) {
    case '?': put_stop(&r); break;
    case 'q': query(&r); break;
    case 'H': find_thread(&r, true); break;
    case 'T': find_thread(&r, false); break;
    case 'g': /* x0 to x31 and pc: gdb asks for the others one by one */
        for (unsigned i = 0; i <= 32; i++)
            put_register(&r, i);
        break;
    case 'p': read_register(&r); break;
    case 'm': read_memory(&r); break;
    case 'Z': breakpoint(&r, true); break;
    case 'z': breakpoint(&r, false); break;
    case 'P': write_register(&r); break;
    case 'M': write_memory(&r); break;
    case 'G': error(&r, 30); break; /* Gdb writes one register at a time */
    case 'b':
        if (*r.at == 's' || *r.at == 'c')
            resumes = resume(&r, *r.at == 's' ? RESUME_REVERSE_STEP : RESUME_REVERSE, 0, 0);
        break;
    case 'v':
        if (starts(&r, "Cont?"))
            put(&r, "vCont;c;C;s;S");
        else if (starts(&r, "Cont"))
            resumes = go_on(&r);
        else if (starts(&r, "Kill")) {
            ok(&r);
            resumes = resume(&r, RESUME_QUIT, 0, 0);
        }
        break;
    case 'D': ok(&r); /* Fall through */
    case 'k': resumes = resume(&r, RESUME_QUIT, 0, 0); break;
    default: break; /* An empty answer: not supported */
    }
    *answered = r.used;
    return resumes;
}

/* --- The front end --- */

enum { FAREWELL = 1000 /* Milliseconds */ };

static bool send_all(int fd, const char *bytes, size_t size) {
    while (size) {
        const ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_packet(int fd, const char *contents, size_t length) {
    char packet[PACKET_ROOM];
    return send_all(fd, packet, karat_packet_make(contents, length, packet));
}

/* Wait for bytes of the client. False: it has gone, or the supervisor has. */
static bool receive(karat_debugger *d, int timeout) {
    struct pollfd wait[2] = {{d->config.client, POLLIN, 0}, {d->timeline->life[0], POLLIN, 0}};
    karat_packets *in = &d->shared->gdb.in;
    int ready;
    while ((ready = poll(wait, 2, timeout)) < 0 && errno == EINTR)
        ;
    if (ready == 0)
        return true;
    if (ready < 0 || wait[1].revents)
        return false;
    const ssize_t n = recv(d->config.client, in->bytes + in->used, sizeof in->bytes - in->used, 0);
    if (n > 0)
        in->used += (size_t)n;
    return n > 0 || (n < 0 && errno == EINTR);
}

static void show_stop(const void *reason, karat_debugger *d, FILE *out) {
    karat_debug_show_stop(d, reason, out);
}

/* Tell the client, which waits for it, that the run has stopped; where gdb would not know why, with a line
 * on its console. */
static bool send_stop(karat_debugger *d, const stop_reason *reason) {
    char text[PACKET_SIZE + 1];
    request r = {.d = d, .t = d->machine, .answer = text};
    const bool unknown = d->shared->writes.dropped || reason->kind == REASON_END ||
                         (reason->kind == REASON_STOP && !reason->from_gdb);
    put(&r, "O");
    if (unknown && put_text(&r, show_stop, reason) && !send_packet(d->config.client, text, r.used))
        return false;
    r.used = 0;
    put_stop(&r);
    return send_packet(d->config.client, text, r.used);
}

static void next(karat_debugger *d, const stop_reason *reason, karat_resume *how) {
    char packet[PACKET_SIZE + 1], text[PACKET_SIZE + 1];
    size_t length, answered;
    d->shared->gdb.reason = *reason;
    choose_lane(d, reason);
    d->shared->gdb.ahead = reason->kind == REASON_STEP ? d->shared->gdb.ahead : 0;
    bool good = !d->shared->gdb.running || send_stop(d, reason);
    d->shared->gdb.running = false;
    while (good) {
        switch (karat_packets_take(&d->shared->gdb.in, packet, &length)) {
        case PACKET_NONE: good = receive(d, -1); break;
        case PACKET_INTERRUPT: break; /* It has stopped already */
        case PACKET_REFUSED: good = send_all(d->config.client, "-", 1); break;
        case PACKET_CONTENTS: {
            const bool resumes = karat_gdb_packet(d, packet, length, text, &answered, how);
            good = send_all(d->config.client, "+", 1) &&
                   ((resumes && !answered) || send_packet(d->config.client, text, answered));
            if (resumes && good && how->how == RESUME_QUIT && answered)
                receive(
                    d, FAREWELL); /* Its acknowledgement: a socket that is closed before is an error to gdb */
            if (resumes && good) {
                d->shared->gdb.running = true;
                return;
            }
        }
        }
    }
    *how = (karat_resume){.how = RESUME_QUIT};
}

/* While the run goes on, gdb sends nothing else. */
static bool interrupted(karat_debugger *d) {
    char packet[PACKET_SIZE + 1];
    size_t length;
    return !receive(d, 0) || karat_packets_take(&d->shared->gdb.in, packet, &length) == PACKET_INTERRUPT;
}

const karat_front karat_gdb_front = {.next = next, .interrupted = interrupted, .steps_over = true};

/* --- Listening --- */

/* Remove a socket at which nobody listens: one that a killed process has left. */
static bool remove_stale(const struct sockaddr_un *addr) {
    struct stat found;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool stale = fd >= 0 && !lstat(addr->sun_path, &found) && S_ISSOCK(found.st_mode) &&
                       connect(fd, (const struct sockaddr *)addr, sizeof *addr) && errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return stale && !unlink(addr->sun_path);
}

static int listen_unix(const char *path, karat_diag *diag) {
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof addr.sun_path) {
        snprintf(diag->text, sizeof diag->text, "%.100s: too long for a socket: at most %zu bytes", path,
                 sizeof addr.sun_path - 1);
        return -1;
    }
    strcpy(addr.sun_path, path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool bound = fd >= 0 && !bind(fd, (struct sockaddr *)&addr, sizeof addr);
    int error = errno;
    if (fd >= 0 && !bound && error == EADDRINUSE && remove_stale(&addr)) {
        bound = !bind(fd, (struct sockaddr *)&addr, sizeof addr);
        error = errno;
    }
    if (bound && !listen(fd, 1))
        return fd;
    snprintf(diag->text, sizeof diag->text, "%.200s: %s", path, strerror(bound ? errno : error));
    if (fd >= 0)
        close(fd);
    return -1;
}

int karat_gdb_listen(uint16_t *port, const char *path, bool everywhere, karat_diag *diag) {
    if (path)
        return listen_unix(path, diag);
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons(*port)};
    socklen_t size = sizeof addr;
    const int yes = 1;
    addr.sin_addr.s_addr = htonl(everywhere ? INADDR_ANY : INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) &&
        !bind(fd, (struct sockaddr *)&addr, sizeof addr) && !listen(fd, 1) &&
        !getsockname(fd, (struct sockaddr *)&addr, &size)) {
        *port = ntohs(addr.sin_port);
        return fd;
    }
    snprintf(diag->text, sizeof diag->text, "port %u: %s", *port, strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}
