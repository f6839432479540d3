/* A launch as `.metadata` and `.data`, as the public driver writes them. */
#include "launch_argp.h"

#include <inttypes.h>

#include "staged_file.h"

/* The next buffer in the order of their numbers, of device memory or not; NULL: no more. */
static const karat_buffer *next_buffer(const karat_kernel *k, uint32_t *buffer, uint32_t *local) {
    const karat_buffer *b = *buffer < k->num_buffers ? &k->buffers[*buffer] : NULL;
    const karat_buffer *l = *local < k->num_locals ? &k->locals[*local] : NULL;
    if (l && (!b || l->number < b->number)) {
        ++*local;
        return l;
    }
    *buffer += b != NULL;
    return b;
}

#define EACH_BUFFER(k, b)                                                                                    \
    for (uint32_t at_ = 0, local_ = 0, once_ = 1; once_; once_ = 0)                                          \
        for (const karat_buffer *b; (b = next_buffer(k, &at_, &local_)) != NULL;)

static void put_field(FILE *f, uint32_t value) {
    fprintf(f, "%08" PRIx32 "\n00000000\n", value);
}

/* Dimensions, work-items of the grid and of a workgroup, first ids. */
static void put_items(FILE *f, const karat_kernel *k) {
    uint32_t dims = 1;
    for (uint32_t i = 1; i < 3; i++)
        if (k->global[i] > 1)
            dims = i + 1;
    put_field(f, dims);
    for (int i = 0; i < 3; i++)
        put_field(f, k->global[i]);
    for (int i = 0; i < 3; i++)
        put_field(f, k->local[i]);
    for (int i = 0; i < 3; i++)
        put_field(f, k->offset[i]);
}

static void put_metadata(FILE *f, const karat_kernel *k, uint32_t threads) {
    const uint32_t fields[] = {k->start_addr, 0, /* The kernel_id */
                               k->grid[0],    k->grid[1], k->grid[2],  karat_kernel_wf_size(k, threads),
                               k->wg_size,    k->knl,     k->lds_size, k->pds_size,
                               k->sgprs,      k->vgprs,   k->pds_base};
    /* Private memory that no buffer has is one of its own, the last. */
    const bool has_private = karat_kernel_num_regions(k) > k->num_buffers;
    uint64_t base, size;
    karat_kernel_region(k, k->num_buffers, threads, &base, &size);
    if (k->names_profile)
        fprintf(f, KARAT_PROFILE_LINE "%s\n", karat_profile_name(k->profile));
    for (uint32_t i = 0; i < k->num_pages; i++) {
        char text[KARAT_PAGE_TEXT];
        karat_page_text(&k->pages[i], text);
        fprintf(f, KARAT_PAGE_LINE "%s\n", text);
    }
    if (k->pds_slots)
        fprintf(f, KARAT_SLOTS_LINE "%" PRIu32 "\n", k->pds_slots);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        put_field(f, fields[i]);
    /* Readers of the older form, which has no work-items, start all threads. */
    if (karat_kernel_is_partial(k, threads) || k->offset[0] || k->offset[1] || k->offset[2])
        put_items(f, k);
    put_field(f, k->num_buffers + k->num_locals + has_private);
    EACH_BUFFER(k, b) put_field(f, b->base);
    if (has_private)
        put_field(f, (uint32_t)base);
    EACH_BUFFER(k, b) put_field(f, b->size + b->cleared);
    if (has_private)
        put_field(f, 0);
    EACH_BUFFER(k, b) put_field(f, b->alloc_size);
    if (has_private)
        put_field(f, (uint32_t)size);
}

static void put_data(FILE *f, const karat_kernel *k, uint32_t threads) {
    (void)threads;
    EACH_BUFFER(k, b) {
        const uint64_t size = (uint64_t)b->size + b->cleared;
        for (uint64_t at = 0; at < size; at += 4) {
            uint32_t word = 0;
            for (uint32_t i = 0; i < 4 && at + i < b->size; i++)
                word |= (uint32_t)b->data[at + i] << 8 * i;
            fprintf(f, "%08" PRIx32 "\n", word);
        }
    }
}

bool launch_write(const karat_kernel *k, uint32_t threads, const char *metadata, const char *data) {
    karat_staged_file first, second;
    karat_diag diag;
    if (!karat_staged_begin(&first, data, &diag)) {
        cli_error("%s", diag.text);
        return false;
    }
    if (!karat_staged_begin(&second, metadata, &diag)) {
        karat_staged_drop(&first);
        cli_error("%s", diag.text);
        return false;
    }
    put_data(first.file, k, threads);
    put_metadata(second.file, k, threads);
    if (!karat_staged_end(&first, &diag)) {
        karat_staged_drop(&second);
        cli_error("%s", diag.text);
        return false;
    }
    if (karat_staged_end(&second, &diag))
        return true;
    cli_error("%s", diag.text);
    return false;
}
