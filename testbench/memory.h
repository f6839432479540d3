/* Device memory of the test bench: sparse bytes, and the accesses that a core's ports make to them.
 *
 * karat_ram_map() and karat_ram_write() lay it out, as the host does. The time of a request is decided
 * elsewhere (traffic.h): it is performed at once. A requester has at most one reservation, of one word
 * (atomics.h). Nothing is global.
 */
#ifndef KARAT_TESTBENCH_MEMORY_H
#define KARAT_TESTBENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KARAT_RAM_LANES      32
#define KARAT_RAM_LINE_WORDS 4

typedef struct karat_ram karat_ram;

/* The kind of a data access, numbered as at the core's data port (mem_op_e of ingot_pkg). LR, SC and AMOs
 * take whole words. */
enum karat_ram_op {
    KARAT_RAM_LOAD,
    KARAT_RAM_STORE,
    KARAT_RAM_LR,   /* A load that makes the requester's reservation, in place of the one it had */
    KARAT_RAM_SC,   /* Ends the reservation; answers 0 where it has stored, 1 where not: without the
                       reservation, or with no byte enabled */
    KARAT_RAM_SWAP, /* This and the following answer the word's old value */
    KARAT_RAM_ADD,
    KARAT_RAM_XOR,
    KARAT_RAM_AND,
    KARAT_RAM_OR,
    KARAT_RAM_MIN,
    KARAT_RAM_MAX,
    KARAT_RAM_MINU,
    KARAT_RAM_MAXU
};

#define KARAT_RAM_REQUESTERS 4096

/* A lane-vector access of aligned words with byte enables, or one line (fetch port) or page table entry
 * (walker's port): addr[0]. */
typedef struct karat_ram_req {
    uint32_t id; /* Returned with the answer */
    /* The owner of the reservation of an LR or SC: one per warp slot of each SM, less than
     * KARAT_RAM_REQUESTERS */
    uint32_t requester;
    uint8_t op; /* An enum karat_ram_op */
    uint32_t lanes;
    uint64_t addr[KARAT_RAM_LANES]; /* Physical */
    uint8_t be[KARAT_RAM_LANES];
    uint32_t data[KARAT_RAM_LANES];
} karat_ram_req;

typedef struct karat_ram_rsp {
    uint32_t id;
    bool error;          /* Some byte is not mapped: nothing was read or written */
    uint32_t error_lane; /* The first of those; 0 for a line */
    uint32_t data
        [KARAT_RAM_LANES]; /* By lane; a line: words 0 .. KARAT_RAM_LINE_WORDS - 1; an entry: words 0 and 1 */
} karat_ram_rsp;

/* Whether that operation may change memory: stores, SC and AMOs. */
static inline bool karat_ram_stores(uint8_t op) {
    return op != KARAT_RAM_LOAD && op != KARAT_RAM_LR;
}

/* Returns NULL where memory is short. */
karat_ram *karat_ram_create(void);
void karat_ram_destroy(karat_ram *memory);

/* Map [base, base + size), widened to whole 4 KiB pages; new bytes are 0, mapped ones keep their value. False
 * where it does not fit addresses of 56 bits, as SV39 has them, or memory is short. */
bool karat_ram_map(karat_ram *memory, uint64_t base, uint64_t size);

/* False, without effect, where a byte is not mapped. Writing ends the reservations on the words written. */
bool karat_ram_read(const karat_ram *memory, uint64_t addr, void *bytes, size_t size);
bool karat_ram_write(karat_ram *memory, uint64_t addr, const void *bytes, size_t size);
/* The lowest page of 4096 bytes at or above *addr, up to that of last, that may hold anything but zeros: its
 * address in *addr. False: none does. */
bool karat_ram_next_written(const karat_ram *memory, uint64_t *addr, uint64_t last);

/* Perform a fetch port's request: the aligned line that contains addr[0]. */
void karat_ram_perform_line(const karat_ram *memory, const karat_ram_req *req, karat_ram_rsp *rsp);

/* Perform a walker's request: the 8 bytes at addr[0], which is a multiple of 8. */
void karat_ram_perform_entry(const karat_ram *memory, const karat_ram_req *req, karat_ram_rsp *rsp);

/* Perform a data port's request, lanes in ascending order: of two that store to one byte, the higher one's
 * value stays. */
void karat_ram_perform_lanes(karat_ram *memory, const karat_ram_req *req, karat_ram_rsp *rsp);

#ifdef __cplusplus
}
#endif
#endif
