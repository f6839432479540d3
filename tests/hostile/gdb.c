/* The remote protocol of gdb: bytes of a client, in pieces, packets among them with right checksums and known
 * beginnings. */
#include "hostile.h"

#include <stdlib.h>
#include <string.h>

#include "gdb.h"

enum { NUM_WARP = 4, NUM_THREAD = 4, PAGE = 4096 };
#define CODE 0x80000000u

typedef struct run {
    karat_model *model;
    karat_debugger *debugger;
} run;

/* A model with two live warps in code of zeros, and one that was never launched. */
static run make_run(void) {
    karat_config config;
    karat_config_default(&config);
    config.num_thread = NUM_THREAD;
    config.max_warp = config.max_workgroup = NUM_WARP;
    const karat_debug_config debug = {.num_warp = NUM_WARP, .source = "model", .snapshots = 2, .client = -1};
    run r = {karat_create(&config, NULL), karat_debugger_create(&debug)};
    MUST(r.model && r.debugger && karat_map(r.model, CODE, PAGE) == KARAT_OK &&
         karat_workgroup_open(r.model, 0, 2) == KARAT_OK);
    r.debugger->machine->kernel = (machine_kernel){.grid = {1, 1, 1}, .wg_size = 2, .start = CODE};
    for (uint32_t warp = 0; warp < 2; warp++) {
        const karat_launch_desc desc = {.pc = CODE, .mask = 15};
        MUST(karat_launch(r.model, warp, &desc) == KARAT_OK);
        karat_machine_launch(r.debugger->machine, r.model, warp, 0, warp);
    }
    r.debugger->machine->writable = r.model;
    return r;
}

/* Without what ends a packet, and what a client sends beside it. */
static bool is_text(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (text[i] == '$' || text[i] == '#' || text[i] == 3)
            return false;
    return true;
}

static void handle(const run *r, const char *packet, size_t length) {
    char answer[PACKET_SIZE + 1];
    size_t answered = 0;
    karat_resume resume = {.how = -1};
    const bool goes_on = karat_gdb_packet(r->debugger, packet, length, answer, &answered, &resume);
    MUST(answered <= PACKET_SIZE);
    MUST(goes_on == (resume.how != (unsigned)-1 && resume.how <= RESUME_QUIT));
    /* The bytes sent can be read */
    static char bytes[PACKET_ROOM];
    static karat_packets in;
    char back[PACKET_SIZE + 1];
    size_t got;
    in.used = karat_packet_make(answer, answered, bytes);
    MUST(in.used <= sizeof in.bytes);
    memcpy(in.bytes, bytes, in.used);
    MUST(karat_packets_take(&in, back, &got) == PACKET_CONTENTS && got == answered &&
         !memcmp(back, answer, got) && !in.used);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const beginnings[] = {"",
                                             "qSupported:",
                                             "qXfer:features:read:target.xml:",
                                             "qXfer:threads:read::",
                                             "qRcmd,",
                                             "m",
                                             "p",
                                             "Z",
                                             "z",
                                             "H",
                                             "T",
                                             "vCont;",
                                             "qThreadExtraInfo,",
                                             "b",
                                             "qXfer:memory-map:read::",
                                             "vKill;",
                                             "P",
                                             "M"};
    static karat_packets s;
    static run r;
    if (!r.model)
        r = make_run();
    memset(&s, 0, sizeof s);
    memset(&r.debugger->shared->stops, 0, sizeof(karat_stops));
    input in = {data, size};
    while (in.left) {
        char packet[300], text[PACKET_SIZE + 1], sent[PACKET_ROOM];
        const uint64_t form = take(&in, 1);
        size_t length = take(&in, 1), begin = 0;
        if (form & 16) { /* A packet as it should be */
            const char *first = beginnings[form & 15];
            begin = strlen(first);
            memcpy(packet, first, begin);
        }
        for (size_t i = 0; i < length && begin < sizeof packet; i++)
            packet[begin++] = (char)take(&in, 1);
        size_t bytes = begin;
        if (form & 16)
            bytes = karat_packet_make(packet, begin, sent);
        else
            memcpy(sent, packet, begin);
        bytes = bytes < sizeof s.bytes - s.used ? bytes : sizeof s.bytes - s.used;
        memcpy(s.bytes + s.used, sent, bytes);
        s.used += bytes;
        packet_kind kind;
        while ((kind = karat_packets_take(&s, text, &length)) != PACKET_NONE) {
            MUST(kind != PACKET_CONTENTS || (length <= PACKET_SIZE && !text[length]));
            MUST(!(form & 16) || kind != PACKET_CONTENTS || s.used || length != begin ||
                 !is_text(packet, begin) || memcmp(text, packet, begin) == 0);
            if (kind == PACKET_CONTENTS)
                handle(&r, text, length);
        }
    }
    return 0;
}
