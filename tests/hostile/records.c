/* The record stream into the checker, and by way of the port and into the peer.
 *
 * An input is a byte of switches, then either raw records or a script: which legal stream of the synthetic
 * core, and what is done to it, eight bytes each time. So that mutations of the input are mutations of a
 * stream that makes sense. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core_desc.h"
#include "hostile.h"
#include "legal.h"
#include "peer.h"
#include "port.h"

enum { RAW = 1, PORT = 2, PEER = 4, BOUNDS = 8, DEVIATES = 16, LATE = 32, GOES_ON = 64 };
enum { TICK = 0xfe, OBJECT = 0xff, CUT = 0xfd }; /* Among the kinds of records: what else reaches a checker */
enum { MAX_LEGAL = 1500, MAX_RECORDS = 3000 };

/* --- Where records go --- */

typedef struct target {
    karat_checker *checker;
    karat_peer *peer;
    karat_port *port;
} target;

static void send_one(target *t, const record *r, size_t size) {
    switch (r->h.kind) {
    case TICK:
        if (t->port)
            karat_port_flush(t->port);
        karat_checker_tick(t->checker, r->h.cycle);
        return;
    case OBJECT: karat_checker_bench_error(t->checker, r->h.cycle, "a \"test\" bench\nobjects"); return;
    case CUT: karat_checker_cut(t->checker, "cut"); return;
    default: break;
    }
    if (!t->port) {
        karat_checker_record(t->checker, r, size);
        if (t->peer && size && size == karat_rec_size(r->h.kind))
            karat_peer_record(t->peer, r, size);
    } else if (r->h.flags & 1) {
        karat_port_send(t->port, r);
    } else {
        karat_port_receive(t->port, r);
    }
}

/* --- Raw records --- */

static void send_raw(target *t, input *in) {
    for (unsigned n = 0; in->left && n < MAX_RECORDS; n++) {
        record r;
        memset(&r, 0, sizeof r);
        size_t size = karat_rec_size(*in->at);
        if (!size)
            size = sizeof r.h;
        if (size > in->left)
            size = in->left;
        memcpy(&r, in->at, size);
        in->at += size;
        in->left -= size;
        send_one(t, &r, size);
    }
}

/* --- Scripts --- */

/* A stream that is being changed: records, and the order in which they come. */
typedef struct script {
    stream records;
    uint32_t num, order[MAX_RECORDS];
} script;

static void insert(script *s, uint32_t at, uint32_t index, uint32_t times) {
    if (s->num + times > MAX_RECORDS)
        return;
    memmove(s->order + at + times, s->order + at, (s->num - at) * sizeof *s->order);
    for (uint32_t i = 0; i < times; i++)
        s->order[at + i] = index;
    s->num += times;
}

static record *copy_of(script *s, const record *r, uint32_t at) {
    const record copy = *r; /* The original may be in the stream */
    stream_add(&s->records, &copy, sizeof copy);
    insert(s, at, (uint32_t)s->records.num - 1, 1);
    return &s->records.at[s->records.num - 1];
}

static const uint32_t telling[] = {0,          1,          2,          31,         32,         63,
                                   64,         255,        256,        0xfff,      0x1000,     0x7fff,
                                   0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000100, 0x90000000,
                                   0x70000000, 0xfffff000, 0xfffffffc, 0xffffffff};

/* Another instruction in that place: in memory, and in what was issued. */
static void another_insn(script *s, uint32_t pc, uint32_t value) {
    const karat_row *row = karat_row_info((int)(value % (uint32_t)karat_num_rows()));
    const uint32_t word = row->match | (value * 0x9e3779b1u & ~row->mask);
    for (uint32_t i = 0; i < s->num; i++) {
        record *r = &s->records.at[s->order[i]];
        if (r->h.kind == KARAT_REC_REGION)
            r->region.hash_valid = 0;
        else if (r->h.kind == KARAT_REC_HOST && pc - r->host.addr <= sizeof r->host.data - 4)
            memcpy(r->host.data + (pc - r->host.addr), &word, 4);
        else if (r->h.kind == KARAT_REC_ISSUE && r->issue.pc == pc)
            r->issue.word = word;
    }
}

/* Change one record, or the order of them. */
static void change(script *s, uint8_t op, uint32_t at, uint8_t where, uint32_t value) {
    at %= s->num;
    const uint32_t other = value % s->num;
    record *r = &s->records.at[s->order[at]];
    uint8_t *bytes = (uint8_t *)r;
    size_t size = karat_rec_size(r->h.kind), word = 16 + 4u * where;
    size = size ? size : sizeof r->h;
    switch (op % 16) {
    case 0: memcpy(bytes + word % size, &value, size - word % size < 4 ? size - word % size : 4); return;
    case 1: bytes[where % size] = (uint8_t)value; return;
    case 2: bytes[(where + (value & 256)) % size] ^= (uint8_t)(1u << (value & 7)); return;
    case 3:
        memcpy(bytes + word % (size - 3), &telling[value % (sizeof telling / sizeof *telling)], 4);
        return;
    case 4: /* Lost */
        if (s->num > 1)
            memmove(s->order + at, s->order + at + 1, (--s->num - at) * sizeof *s->order);
        return;
    case 5: /* Twice */
        r = copy_of(s, r, other);
        r->h.kind = where & 1 ? (uint8_t)value : r->h.kind;
        return;
    case 6: insert(s, at, s->order[at], where); return;
    case 7: /* Exchanged */
        s->order[at] = s->order[other];
        s->order[other] = (uint32_t)(r - s->records.at);
        return;
    case 8: r->h.cycle = where & 1 ? UINT64_MAX - value : r->h.cycle + value; return;
    case 9:
        copy_of(s, &(record){.h = {.kind = (uint8_t)(TICK + (where & 1)), .cycle = r->h.cycle + value}},
                other);
        return;
    case 10: /* In another warp, or launch */
        r->h.slot = (uint8_t)value;
        r->h.sm = (uint8_t)(value >> 8);
        r->h.epoch = where & 1 ? r->h.epoch : value >> 16;
        return;
    case 11: s->num = at + 1; return;
    case 12: r->h.kind = (uint8_t)value; return;
    case 13: memcpy((uint8_t *)s->records.at + 16 + 4u * (where % 4), &value, 4); return; /* HELLO */
    case 14: /* A part of another record */
        word %= KARAT_REC_MAX_SIZE - 4;
        memcpy(bytes + word, (const uint8_t *)&s->records.at[s->order[other]] + word, 4);
        return;
    default:
        while (at < s->num && s->records.at[s->order[at]].h.kind != KARAT_REC_ISSUE)
            at++;
        if (at < s->num)
            another_insn(s, s->records.at[s->order[at]].issue.pc, value);
    }
}

static void send_script(target *t, input *in) {
    static script s;
    const stream *legal = legal_stream((uint8_t)take(in, 1));
    s.records = stream_copy(legal);
    s.num = legal->num < MAX_LEGAL ? (uint32_t)legal->num : MAX_LEGAL;
    for (uint32_t i = 0; i < s.num; i++)
        s.order[i] = i;
    for (unsigned n = 0; in->left && n < 64; n++) {
        const uint8_t op = (uint8_t)take(in, 1), where = (uint8_t)take(in, 1);
        const uint32_t at = (uint32_t)take(in, 2), value = (uint32_t)take(in, 4);
        change(&s, op, at, where, value);
    }
    for (uint32_t i = 0; i < s.num; i++) {
        const record *r = &s.records.at[s.order[i]];
        const size_t size = karat_rec_size(r->h.kind);
        send_one(t, r, size ? size : sizeof r->h);
    }
    stream_free(&s.records);
}

/* --- The verdict --- */

static void conclude(const karat_checker *c) {
    static FILE *nowhere;
    char line[1024];
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    MUST(nowhere);
    MUST(karat_checker_verdict(c) <= KARAT_INCOMPLETE);
    karat_checker_line(c, line, sizeof line);
    MUST(strncmp(line, "karat: ", 7) == 0 && !strchr(line, '\n'));
    karat_checker_report(c, nowhere);
    MUST(karat_checker_report_json(c, nowhere));
    (void)karat_checker_look_at(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const karat_ulp_bound bound = {"vfexp.v", 2};
    input in = {data, size};
    const uint8_t switches = (uint8_t)take(&in, 1);
    karat_check_config config;
    karat_check_config_default(&config);
    config.hang_cycles = 1000;
    if (switches & BOUNDS) {
        config.bounds = &bound;
        config.num_bounds = 1;
    }
    config.keep_going = switches & GOES_ON;
    if (switches & DEVIATES) {
        config.model.deviations = KARAT_DEV_SIMT_ORDER | KARAT_DEV_VADD12_SIGNED;
        config.model.simt_order = KARAT_IF_FIRST;
    }
    target t = {.checker = karat_checker_create(&config)};
    MUST(t.checker);
    if (switches & PEER)
        MUST(t.peer = karat_peer_create(&config));
    if (switches & PORT) {
        MUST(t.port = karat_port_create(1 + (switches >> 6)));
        MUST(karat_port_add_sink(t.port, karat_checker_record, t.checker));
        if (t.peer)
            MUST(karat_port_add_sink(t.port, karat_peer_record, t.peer));
        karat_port_batch(t.port, switches & LATE ? 8192 : 0);
    }
    if (switches & RAW)
        send_raw(&t, &in);
    else
        send_script(&t, &in);
    if (t.port)
        karat_port_flush(t.port);
    conclude(t.checker);
    if (t.peer)
        MUST(karat_peer_outcome(t.peer));
    karat_port_destroy(t.port);
    karat_peer_destroy(t.peer);
    karat_checker_destroy(t.checker);
    return 0;
}
