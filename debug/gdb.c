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

size_t karat_gdb_shared_size(void) {
    return sizeof(gdb_session);
}

/* --- Answers --- */

typedef struct answer {
    char *text;
    size_t used;
} answer;

__attribute__((format(printf, 2, 3))) static void put(answer *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(a->text + a->used, PACKET_SIZE + 1 - a->used, format, args);
    va_end(args);
    if (n > 0)
        a->used = a->used + (size_t)n < PACKET_SIZE ? a->used + (size_t)n : PACKET_SIZE;
}

static void put_hex(answer *a, const void *bytes, size_t size) {
    for (size_t i = 0; i < size && a->used + 2 <= PACKET_SIZE; i++)
        put(a, "%02x", ((const uint8_t *)bytes)[i]);
}

typedef struct request {
    karat_debugger *d;
    karat_machine *t;
    gdb_session *s;
    const char *at; /* the rest of the packet */
    answer *a;
    karat_resume *resume;
} request;

static void error(request *r, unsigned number) {
    r->a->used = 0;
    put(r->a, "E%02x", number);
}

static void ok(request *r) {
    put(r->a, "OK");
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

/* gdb wants a thread at all times: where no warp is live, the last one stands for the run. */
static uint32_t some_thread(const request *r) {
    const uint32_t thread = karat_debugger_thread(r->d), last = karat_machine_launched(r->t);
    return thread ? thread : last ? last : 1;
}

/* One process for all kernels: gdb has no description of the registers of a process that comes later. */
static void put_thread(request *r, uint32_t thread) {
    put(r->a, "p1.%" PRIx32, thread);
}

/* "p1.2", "2", "-1" and "0" (any): *thread, 0 for any. */
static bool thread_id(request *r, uint32_t *thread) {
    uint64_t value;
    if (*r->at == 'p') {
        r->at++;
        if (!starts(r, "-1") && !hex(r, &value))
            return false;
        if (*r->at != '.') {
            *thread = 0; /* all of that kernel */
            return true;
        }
        r->at++;
    }
    if (starts(r, "-1")) {
        *thread = 0;
        return true;
    }
    if (!hex(r, &value) || value > UINT32_MAX)
        return false;
    *thread = (uint32_t)value;
    return true;
}

static bool handle_of(const request *r, uint32_t thread, uint32_t *handle) {
    return karat_machine_find_ended(r->t, thread ? thread : some_thread(r), handle);
}

static void set_thread(request *r) {
    const char which = *r->at ? *r->at++ : 0;
    uint32_t thread, handle;
    if (!thread_id(r, &thread)) {
        error(r, 1);
        return;
    }
    if (thread && !karat_machine_find(r->t, thread, &handle) && thread != some_thread(r)) {
        error(r, 1);
        return;
    }
    if (which == 'g') {
        r->s->thread = thread;
        if (thread)
            karat_debugger_select(r->d, thread);
    }
    ok(r);
}

static void list_threads(request *r) {
    unsigned num = 0;
    put(r->a, "m");
    for (uint32_t i = 0; i < karat_machine_num_warp(r->t); i++) {
        const machine_warp *w = karat_machine_warp(r->t, i);
        if (!w->thread || w->ended)
            continue;
        if (num++)
            put(r->a, ",");
        put_thread(r, w->thread);
    }
    if (!num)
        put_thread(r, some_thread(r));
}

/* "workgroup 3 warp 1 (sm 0 slot 5)" */
static void describe_thread(const request *r, uint32_t thread, char text[80]) {
    uint32_t handle;
    karat_warp_view view;
    if (!karat_machine_find(r->t, thread, &handle) || !karat_machine_view(r->t, handle, &view)) {
        snprintf(text, 80, "no warp is live");
        return;
    }
    const machine_warp *w = karat_machine_warp(r->t, handle);
    int n = snprintf(text, 80, "workgroup %" PRIu32 " warp %" PRIu32, w->workgroup, w->warp);
    if (w->in_slot)
        n += snprintf(text + n, 80 - (size_t)n, " (sm %" PRIu32 " slot %" PRIu32 ")", w->sm, w->slot);
    snprintf(text + n, 80 - (size_t)n, "%s",
             view.waiting   ? ", waits at a barrier"
             : view.stopped ? ", stopped"
                            : "");
}

/* --- Registers and memory --- */

static void put_register(request *r, uint32_t handle, bool live, unsigned i) {
    uint32_t value[KARAT_MAX_THREAD];
    const machine_register reg = karat_gdb_register(i);
    const uint32_t lanes =
        karat_machine_model(r->t) ? karat_get_config(karat_machine_model(r->t))->num_thread : 1;
    const uint32_t wanted = reg.cls == MACHINE_V ? lanes : 1;
    const uint32_t num = live ? karat_machine_read_register(r->t, handle, reg, value) : 0;
    for (uint32_t lane = 0; lane < wanted; lane++)
        for (unsigned b = 0; b < 4; b++)
            put(r->a, "%02x", num ? value[lane] >> 8 * b & 255 : 0);
}

/* x0 to x31 and pc: gdb asks for the others one by one. */
static void read_registers(request *r) {
    uint32_t handle = 0;
    const bool live = handle_of(r, r->s->thread, &handle);
    for (unsigned i = 0; i <= 32; i++)
        put_register(r, handle, live, i);
}

static void read_register(request *r) {
    uint64_t i;
    uint32_t handle = 0;
    if (!hex(r, &i) || i >= karat_gdb_num_register()) {
        error(r, 1);
        return;
    }
    const bool live = handle_of(r, r->s->thread, &handle);
    put_register(r, handle, live, (unsigned)i);
}

/* As much as is mapped. */
static void read_memory(request *r) {
    uint64_t addr, size;
    uint32_t handle;
    uint8_t bytes[PACKET_SIZE / 2];
    if (!hex(r, &addr) || !starts(r, ",") || !hex(r, &size) || !handle_of(r, r->s->thread, &handle)) {
        error(r, 1);
        return;
    }
    size = size < sizeof bytes ? size : sizeof bytes;
    machine_place place = {r->s->space, r->s->lane, addr};
    size_t got = 0;
    if (karat_machine_read(r->t, handle, &place, bytes, size))
        got = size;
    for (; got < size && karat_machine_read(r->t, handle, &place, bytes + got, 1); got++)
        place.addr++;
    if (size && !got)
        error(r, 14);
    else
        put_hex(r->a, bytes, got);
}

/* --- Stops --- */

/* 'Z' and 'z': TYPE,ADDR,KIND. */
static void breakpoint(request *r, bool insert) {
    static const stop_kind kinds[] = {STOP_BREAK, STOP_BREAK, STOP_WATCH, STOP_READ_WATCH, STOP_ACCESS_WATCH};
    uint64_t type, addr, size;
    uint32_t handle;
    if (!hex(r, &type) || type >= sizeof kinds / sizeof *kinds || !starts(r, ",") || !hex(r, &addr) ||
        !starts(r, ",") || !hex(r, &size) || addr > UINT32_MAX || size > UINT32_MAX) {
        r->a->used = 0; /* not supported */
        return;
    }
    karat_stops *stops = karat_debugger_stops(r->d);
    karat_stop stop = {.kind = kinds[type],
                       .from_gdb = true,
                       .addr = (uint32_t)addr,
                       .size = (uint32_t)size,
                       .place = {r->s->space, r->s->lane, addr}};
    if (handle_of(r, r->s->thread, &handle)) {
        stop.workgroup = karat_machine_warp(r->t, handle)->workgroup;
        stop.thread = stop.place.space == MACHINE_PRIVATE ? karat_machine_warp(r->t, handle)->thread : 0;
    }
    for (uint32_t i = 0; i < stops->num; i++) {
        const karat_stop *old = &stops->at[i];
        const bool same = old->number && old->from_gdb && old->kind == stop.kind && old->place.addr == addr;
        if (same && stop.kind == STOP_BREAK)
            stops->at[i].lifted = !insert;
        else if (same && !insert)
            karat_stops_remove(stops, old->number);
        if (same) {
            ok(r);
            return;
        }
    }
    if (!insert || karat_stops_add(stops, &stop))
        ok(r);
    else
        error(r, 12);
}

static bool is_from_gdb(const karat_debugger *d, uint32_t number) {
    const karat_stops *stops = karat_debugger_stops(d);
    for (uint32_t i = 0; i < stops->num; i++)
        if (number && stops->at[i].number == number)
            return stops->at[i].from_gdb;
    return false;
}

static void put_stop(request *r) {
    const stop_reason *reason = &r->s->reason;
    put(r->a, "T%02xthread:", reason->kind == REASON_INTERRUPT ? 2 : 5);
    put_thread(r, some_thread(r));
    put(r->a, ";");
    if (reason->kind == REASON_BEGIN)
        put(r->a, "replaylog:begin;");
    else if (reason->kind == REASON_END)
        put(r->a, "replaylog:end;");
    else if (reason->kind == REASON_STOP && is_from_gdb(r->d, reason->stop))
        switch (reason->of) {
        case STOP_BREAK: put(r->a, "swbreak:;"); break;
        case STOP_WATCH: put(r->a, "watch:%" PRIx64 ";", reason->addr); break;
        case STOP_READ_WATCH: put(r->a, "rwatch:%" PRIx64 ";", reason->addr); break;
        case STOP_ACCESS_WATCH: put(r->a, "awatch:%" PRIx64 ";", reason->addr); break;
        default: break;
        }
}

/* --- Going --- */

/* gdb lifts the breakpoint where a thread is while that steps on, and expects that no other thread goes on. Others do, so that the breakpoint
 * notes those that come by; gdb has their stops when it wants the run to go on. */
static void drop_lifted(request *r, int how, uint32_t thread) {
    karat_stops *stops = karat_debugger_stops(r->d);
    karat_warp_view view = {0};
    uint32_t handle;
    const bool steps = how == RESUME_STEP && karat_machine_find(r->t, thread, &handle) &&
                       karat_machine_view(r->t, handle, &view);
    for (uint32_t i = stops->num; i-- > 0;)
        if (stops->at[i].number && stops->at[i].lifted && !(steps && stops->at[i].addr == view.pc))
            karat_stops_remove(stops, stops->at[i].number);
}

/* The next of these threads that is there still, if the breakpoint is, too: the answer is its stop. */
static bool stops_passed(request *r) {
    karat_stops *stops = karat_debugger_stops(r->d);
    while (stops->num_passed) {
        const stop_passed p = stops->passed[0];
        uint32_t handle;
        karat_warp_view view;
        memmove(stops->passed, stops->passed + 1, --stops->num_passed * sizeof p);
        if (!karat_machine_find(r->t, p.thread, &handle) || !karat_machine_view(r->t, handle, &view) ||
            view.pc != p.addr)
            continue;
        for (uint32_t i = 0; i < stops->num; i++) {
            const karat_stop *stop = &stops->at[i];
            if (!stop->number || !stop->from_gdb || stop->kind != STOP_BREAK || stop->addr != p.addr)
                continue;
            r->s->reason = (stop_reason){
                .kind = REASON_STOP, .stop = stop->number, .of = STOP_BREAK, .thread = p.thread};
            r->s->thread = 0;
            karat_debugger_select(r->d, p.thread);
            put_stop(r);
            return true;
        }
    }
    return false;
}

static bool resume(request *r, int how, uint32_t thread) {
    uint32_t handle;
    thread = thread && karat_machine_find(r->t, thread, &handle) ? thread : some_thread(r);
    drop_lifted(r, how, thread);
    if (how == RESUME_CONTINUE && stops_passed(r))
        return false;
    if (how != RESUME_STEP)
        karat_debugger_stops(r->d)->num_passed = 0; /* elsewhere, nobody has passed */
    *r->resume = (karat_resume){.how = how, .thread = thread, .count = how != RESUME_QUIT};
    return true;
}

/* "vCont;s:p1.2;c": a step of one thread, or on; the others go on in any case, as the run has it. */
static bool go_on(request *r) {
    bool step = false;
    uint32_t stepped = 0;
    while (starts(r, ";")) {
        const char action = *r->at ? *r->at++ : 0;
        uint32_t thread = 0;
        uint64_t signal;
        if ((action == 'C' || action == 'S') && !hex(r, &signal))
            break;
        if (starts(r, ":") && !thread_id(r, &thread))
            break;
        if ((action == 's' || action == 'S') && !step) {
            step = true;
            stepped = thread;
        }
    }
    return resume(r, step ? RESUME_STEP : RESUME_CONTINUE, stepped);
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
    put(r->a, "%c", offset + part == size ? 'l' : 'm');
    memcpy(r->a->text + r->a->used, text + offset, part);
    r->a->used += part;
    free(text);
}

static char *threads_xml(const request *r) {
    char *text = NULL, about[80];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    unsigned num = 0;
    fputs("<?xml version=\"1.0\"?>\n<threads>\n", out);
    for (uint32_t i = 0; i < karat_machine_num_warp(r->t); i++) {
        const machine_warp *w = karat_machine_warp(r->t, i);
        if (!w->thread || w->ended)
            continue;
        num++;
        describe_thread(r, w->thread, about);
        fprintf(out,
                "<thread id=\"p1.%" PRIx32 "\" core=\"%" PRIu32 "\" name=\"kernel%" PRIu32 ".wg%" PRIu32
                ".warp%" PRIu32 "\">%s</thread>\n",
                w->thread, w->sm, karat_machine_of_kernel(r->t)->index, w->workgroup, w->warp, about);
    }
    if (!num)
        fprintf(out, "<thread id=\"p1.%" PRIx32 "\" name=\"ended\">no warp is live</thread>\n",
                some_thread(r));
    fputs("</threads>\n", out);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

static const char memory_map[] =
    "<?xml version=\"1.0\"?>\n<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" "
    "\"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n<memory-map>\n"
    "<memory type=\"ram\" start=\"0x0\" length=\"0x100000000\"/>\n</memory-map>\n";

/* `monitor space WORD`: the space of addresses of 'm' and 'Z'. */
static bool set_space(request *r, const char *command) {
    unsigned lane = 0;
    char word[16] = "";
    if (sscanf(command, " space %15s %u", word, &lane) < 1)
        return false;
    static const char *const words[] = {"auto", "global", "lds", "private"};
    for (unsigned i = 0; i < 4; i++)
        if (strcmp(word, words[i]) == 0 && lane < KARAT_MAX_THREAD) {
            r->s->space = (machine_space)i;
            r->s->lane = lane;
            return true;
        }
    return false;
}

static void monitor(request *r) {
    char command[PACKET_SIZE / 2 + 1];
    size_t length = 0;
    for (; r->at[0] && r->at[1] && length + 1 < sizeof command; r->at += 2) {
        unsigned byte;
        if (sscanf(r->at, "%2x", &byte) != 1) {
            error(r, 1);
            return;
        }
        command[length++] = (char)byte;
    }
    command[length] = 0;
    if (set_space(r, command)) {
        ok(r);
        return;
    }
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        error(r, 12);
        return;
    }
    if (strncmp(command, "space", 5) == 0)
        fputs("expected space auto, space global, space lds or space private LANE\n", out);
    else
        karat_debug_command(r->d, command, out, NULL);
    if (fclose(out)) {
        free(text);
        error(r, 12);
        return;
    }
    if (size > PACKET_SIZE / 2 - 64) /* in one packet: the rest is cut off */
        strcpy(text + PACKET_SIZE / 2 - 64, "\n(cut)\n");
    if (*text)
        put_hex(r->a, text, strlen(text));
    else
        ok(r);
    free(text);
}

static void query(request *r) {
    uint32_t thread;
    char about[80];
    if (starts(r, "Supported"))
        put(r->a,
            "PacketSize=%x;qXfer:features:read+;qXfer:threads:read+;qXfer:memory-map:read+;QStartNoAckMode+;"
            "multiprocess+;swbreak+;"
            "ReverseStep+;ReverseContinue+;vContSupported+",
            PACKET_SIZE - 1);
    else if (starts(r, "Xfer:features:read:target.xml:"))
        put_part(r, karat_gdb_target_xml(karat_machine_model(r->t)
                                             ? karat_get_config(karat_machine_model(r->t))->num_thread
                                             : 1));
    else if (starts(r, "Xfer:threads:read::"))
        put_part(r, threads_xml(r));
    else if (starts(r, "Xfer:memory-map:read::"))
        put_part(r, strdup(memory_map));
    else if (starts(r, "Rcmd,"))
        monitor(r);
    else if (starts(r, "fThreadInfo"))
        list_threads(r);
    else if (starts(r, "sThreadInfo"))
        put(r->a, "l");
    else if (starts(r, "ThreadExtraInfo,")) {
        if (thread_id(r, &thread)) {
            describe_thread(r, thread, about);
            put_hex(r->a, about, strlen(about));
        } else
            error(r, 1);
    } else if (starts(r, "Attached"))
        put(r->a, "1");
    else if (strcmp(r->at, "C") == 0) {
        put(r->a, "QC");
        put_thread(r, some_thread(r));
    } else if (starts(r, "Symbol::"))
        ok(r);
}

bool karat_gdb_packet(karat_debugger *d, gdb_session *s, const char *packet, size_t length,
                      char text[PACKET_SIZE + 1], size_t *answered, karat_resume *how) {
    answer a = {text, 0};
    request r = {d, karat_debugger_machine(d), s, packet, &a, how};
    uint32_t thread, handle;
    bool resumes = false;
    text[0] = 0;
    const char kind = length ? *r.at++ : 0;
    switch (kind) {
    case '?': put_stop(&r); break;
    case 'q': query(&r); break;
    case 'Q':
        if (starts(&r, "StartNoAckMode")) {
            s->no_ack = true;
            ok(&r);
        }
        break;
    case 'H': set_thread(&r); break;
    case 'T':
        if (thread_id(&r, &thread) && (karat_machine_find(r.t, thread, &handle) || thread == some_thread(&r)))
            ok(&r);
        else
            error(&r, 1);
        break;
    case 'g': read_registers(&r); break;
    case 'p': read_register(&r); break;
    case 'm': read_memory(&r); break;
    case 'Z': breakpoint(&r, true); break;
    case 'z': breakpoint(&r, false); break;
    case 'G':
    case 'P':
    case 'M':
    case 'X': error(&r, 30); break; /* read only */
    case 'c': resumes = resume(&r, RESUME_CONTINUE, 0); break;
    case 's': resumes = resume(&r, RESUME_STEP, s->thread); break;
    case 'b':
        if (*r.at == 's' || *r.at == 'c')
            resumes = resume(&r, *r.at == 's' ? RESUME_REVERSE_STEP : RESUME_REVERSE, s->thread);
        break;
    case 'v':
        if (starts(&r, "Cont?"))
            put(&a, "vCont;c;C;s;S");
        else if (starts(&r, "Cont"))
            resumes = go_on(&r);
        else if (starts(&r, "Kill")) {
            ok(&r);
            resumes = resume(&r, RESUME_QUIT, 0);
        }
        break;
    case 'D':
        ok(&r);
        resumes = resume(&r, RESUME_QUIT, 0);
        break;
    case 'k': resumes = resume(&r, RESUME_QUIT, 0); break;
    default: break; /* an empty answer: not supported */
    }
    *answered = a.used;
    return resumes;
}

/* --- The front end --- */

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
static bool receive(const karat_gdb *g, gdb_session *s, int life, int timeout) {
    struct pollfd wait[2] = {{g->client, POLLIN, 0}, {life, POLLIN, 0}};
    size_t room;
    int ready;
    while ((ready = poll(wait, 2, timeout)) < 0 && errno == EINTR)
        ;
    if (ready == 0)
        return true;
    if (ready < 0 || wait[1].revents)
        return false;
    char *at = karat_packets_room(&s->in, &room);
    const ssize_t n = recv(g->client, at, room, 0);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    karat_packets_came(&s->in, (size_t)n);
    return true;
}

/* A line on gdb's console. */
static bool send_console(const karat_gdb *g, karat_debugger *d, const stop_reason *reason) {
    char *text = NULL, packet[PACKET_SIZE + 1] = "O";
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return true;
    karat_debug_show_stop(d, reason, out);
    fclose(out);
    answer a = {packet, 1};
    if (text)
        put_hex(&a, text, strlen(text) < PACKET_SIZE / 2 - 1 ? strlen(text) : PACKET_SIZE / 2 - 1);
    free(text);
    return send_packet(g->client, packet, a.used);
}

static void next(void *context, karat_debugger *d, const stop_reason *reason, karat_resume *how) {
    const karat_gdb *g = context;
    gdb_session *s = karat_debugger_shared(d);
    char packet[PACKET_SIZE + 1], text[PACKET_SIZE + 1];
    size_t length, answered;
    bool good = true;
    s->reason = *reason;
    s->thread = 0;
    if (s->running) {
        const bool own =
            reason->kind == REASON_END || (reason->kind == REASON_STOP && !is_from_gdb(d, reason->stop));
        if (own)
            good = send_console(g, d, reason);
        if (good) {
            karat_gdb_packet(d, s, "?", 1, text, &answered, how);
            good = send_packet(g->client, text, answered);
        }
        s->running = false;
    }
    while (good) {
        switch (karat_packets_take(&s->in, packet, &length)) {
        case PACKET_NONE: good = receive(g, s, karat_timeline_life(karat_debugger_timeline(d)), -1); break;
        case PACKET_INTERRUPT: break; /* it has stopped already */
        case PACKET_RESEND: break;    /* the connection does not lose bytes */
        case PACKET_REFUSED: good = s->no_ack || send_all(g->client, "-", 1); break;
        case PACKET_CONTENTS: {
            const bool acks = !s->no_ack;
            const bool resumes = karat_gdb_packet(d, s, packet, length, text, &answered, how);
            if (acks)
                good = send_all(g->client, "+", 1);
            if (!resumes || answered)
                good = good && send_packet(g->client, text, answered);
            if (resumes && good) {
                s->running = true;
                return;
            }
        }
        }
    }
    *how = (karat_resume){.how = RESUME_QUIT};
}

static bool interrupted(void *context, karat_debugger *d) {
    const karat_gdb *g = context;
    gdb_session *s = karat_debugger_shared(d);
    return !receive(g, s, karat_timeline_life(karat_debugger_timeline(d)), 0) ||
           karat_packets_take_interrupt(&s->in);
}

karat_front karat_gdb_front(karat_gdb *gdb) {
    return (karat_front){.context = gdb, .next = next, .interrupted = interrupted, .steps_over = true};
}

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
