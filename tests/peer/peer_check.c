/* The findings of GVM's rules of comparison in a recording, in one line: docs/proving.md.
 *
 *     peer_check TRACE
 *
 * Exit status: 0, whatever they find; 2 where the file is no recording, or damaged. */
#include <inttypes.h>
#include <stdio.h>

#include "meta.h"
#include "peer.h"
#include "trace.h"

static void report(const karat_peer_result *r) {
    printf("gvm: %s compared=%" PRIu64 " errors=%" PRIu64, r->errors ? "FOUND" : "nothing found", r->compared,
           r->errors);
    if (r->errors)
        printf(" cycle=%" PRIu64 " instructions=%" PRIu64 "; %s", r->cycle, r->issued, r->first);
    puts(r->lost ? " (the reference lost the core)" : "");
}

/* All records, as far as the recording goes. False: it is damaged. */
static bool replay(karat_trace_reader *reader, karat_peer *peer, karat_diag *diag) {
    karat_trace_entry entry;
    for (;;) {
        karat_trace_next(reader, &entry, diag);
        switch (entry.kind) {
        case KARAT_TRACE_RECORD: karat_peer_record(peer, entry.record, entry.size); break;
        case KARAT_TRACE_TICK:
        case KARAT_TRACE_BENCH_ERROR: break;
        case KARAT_TRACE_BAD: return false;
        case KARAT_TRACE_CUT:
        case KARAT_TRACE_END: return true;
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: peer_check TRACE\n", stderr);
        return 2;
    }
    karat_diag diag = {.text = "out of memory"};
    karat_trace_reader *reader = karat_trace_open(argv[1], &diag);
    karat_trace_setup *setup = reader ? karat_trace_setup_make(karat_trace_meta(reader), &diag) : NULL;
    karat_peer *peer = setup ? karat_peer_create(&setup->config) : NULL;
    const bool good = peer && replay(reader, peer, &diag);
    if (good)
        report(karat_peer_outcome(peer));
    else
        fprintf(stderr, "peer_check: %s\n", diag.text);
    karat_peer_destroy(peer);
    karat_trace_setup_free(setup);
    karat_trace_reader_free(reader);
    return good ? 0 : 2;
}
