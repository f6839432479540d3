/* Changed RECORDING...: each is PASS as it is, with every record kind that cores give compared; and MISMATCH
 * with one record of any of these kinds changed, or left out. All kinds occur in some of them. */
#include "meta.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
static bool met[KARAT_REC_KINDS];

typedef union record {
    karat_rec_header h;
#define DO(name, NAME, kind, size) karat_rec_##name name;
    KARAT_REC_EACH(DO)
#undef DO
    uint64_t words[KARAT_REC_MAX_SIZE / 8];
} record;

/* Change a record so that it says something else. False: it is to be left out. */
static bool change(record *r) {
    const uint32_t lane = r->h.kind == KARAT_REC_WRITE    ? (uint32_t)__builtin_ctz(r->write.mask)
                          : r->h.kind == KARAT_REC_READ   ? (uint32_t)__builtin_ctz(r->read.mask)
                          : r->h.kind == KARAT_REC_MEM    ? (uint32_t)__builtin_ctz(r->mem.mask)
                          : r->h.kind == KARAT_REC_ACCESS ? (uint32_t)__builtin_ctz(r->access.mask)
                                                          : 0;
    switch (r->h.kind) {
    case KARAT_REC_LAUNCH: r->launch.csr[KARAT_CSR_NUMT] ^= 1; return true;
    case KARAT_REC_ISSUE: r->issue.mask ^= 1; return true;
    case KARAT_REC_READ: r->read.data[lane] ^= 0x100; return true;
    case KARAT_REC_WRITE: r->write.data[lane] ^= 0x80000000; return true;
    case KARAT_REC_AUDIT: r->audit.data[0] ^= 1; return true;
    case KARAT_REC_SIMT: r->simt.next_pc ^= 4; return true;
    case KARAT_REC_CSR: r->csr.value ^= 2; return true;
    case KARAT_REC_MEM: r->mem.addr[lane] ^= 4; return true;
    case KARAT_REC_ACCESS: r->access.phys[lane] ^= 0x1000; return true;
    case KARAT_REC_TLB: r->tlb.phys ^= 0x1000; return true; /* The last one is a FILL */
    case KARAT_REC_CONTENTS: r->contents.data[0] ^= 1; return true;
    default: return false;
    }
}

/* The verdict where the nth record of that kind is another; kind 0: on all as they are. *num: how many of
 * that kind came. */
static karat_verdict judge(const char *path, unsigned kind, uint64_t nth, uint64_t *num, char line[1024]) {
    karat_diag diag;
    karat_trace_reader *reader = karat_trace_open(path, &diag);
    karat_trace_setup *setup = reader ? karat_trace_setup_make(karat_trace_meta(reader), &diag) : NULL;
    if (!setup) {
        fprintf(stderr, "%s\n", diag.text);
        exit(2);
    }
    karat_checker *checker = karat_checker_create(&setup->config);
    karat_trace_entry entry;
    uint64_t left_out = 0;
    *num = 0;
    for (;;) {
        karat_trace_next(reader, &entry, &diag);
        if (entry.kind != KARAT_TRACE_RECORD)
            break;
        record r;
        memcpy(&r, entry.record, entry.size);
        if (r.h.kind == kind && (*num)++ == nth && !change(&r)) {
            left_out++;
            continue;
        }
        if (r.h.kind == KARAT_REC_BYE)
            r.bye.records -= left_out;
        karat_checker_record(checker, &r, entry.size);
    }
    const karat_verdict verdict = karat_checker_verdict(checker);
    karat_checker_line(checker, line, 1024);
    karat_checker_destroy(checker);
    karat_trace_setup_free(setup);
    karat_trace_reader_free(reader);
    return verdict;
}

static void expect(bool good, const char *path, unsigned kind, const char *line) {
    failures += !good;
    if (!good)
        fprintf(stderr, "%s: %s: %s\n", path, kind ? karat_rec_name(kind) : "as it is", line);
}

int main(int argc, char **argv) {
    static const unsigned kinds[] = {
        KARAT_REC_LAUNCH,   KARAT_REC_ISSUE,  KARAT_REC_READ, KARAT_REC_WRITE, KARAT_REC_AUDIT,
        KARAT_REC_SIMT,     KARAT_REC_CSR,    KARAT_REC_MEM,  KARAT_REC_EXIT,  KARAT_REC_BARRIER,
        KARAT_REC_CONTENTS, KARAT_REC_ACCESS, KARAT_REC_TLB};
    char line[1024];
    uint64_t num, none;
    unsigned tried = 0;
    for (int i = 1; i < argc; i++) {
        const karat_verdict whole = judge(argv[i], 0, 0, &none, line);
        expect(whole == KARAT_PASS && strstr(line, " unchecked=none "), argv[i], 0, line);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            judge(argv[i], kinds[k], UINT64_MAX, &num, line);
            if (!num)
                continue;
            met[kinds[k]] = true;
            tried++;
            const karat_verdict changed = judge(argv[i], kinds[k], num - 1, &none, line);
            expect(changed == KARAT_MISMATCH, argv[i], kinds[k], line);
        }
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        expect(met[kinds[k]], "no recording", kinds[k], "has any");
    printf("%d recordings, %u changes, %d failed\n", argc - 1, tried, failures);
    return failures || argc < 2;
}
