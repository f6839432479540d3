/* The host with address spaces: a model that knows nothing but the host's records has every kernel where its
 * workgroups look for it, and no address space comes with TLB entries of another one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "host.h"
#include "karat/karat.h"
#include "memory.h"
#include "paging.h"
#include "suite.h"

#define KERNELS 24
#define SEEDS   12

typedef struct listener {
    karat_model *model; /* Made by the records */
    karat_ram *ram;     /* Memory of the device */
    karat_rec_paging paging;
    unsigned regions, kernels, pagings, contents;
    uint64_t last_contents;
    bool any_store; /* CONTENTS of the page that was stored to */
    uint64_t stored;
} listener;

static void hear_region(listener *l, const karat_rec_region *r) {
    assert_int_equal(r->base % 4096, 0);
    assert_int_equal(karat_map(l->model, r->base, r->size), KARAT_OK);
    uint8_t *bytes = malloc(r->size);
    assert_true(r->hash_valid && karat_ram_read(l->ram, r->base, bytes, r->size));
    assert_int_equal(r->hash, XXH3_64bits(bytes, r->size));
    free(bytes);
    l->regions++;
}

static bool hear(void *context, const void *record, size_t size) {
    (void)size;
    listener *l = context;
    switch (((const karat_rec_header *)record)->kind) {
    case KARAT_REC_REGION: hear_region(l, record); break;
    case KARAT_REC_HOST: {
        const karat_rec_host *r = record;
        assert_int_equal(karat_write(l->model, r->addr, r->data, r->length), KARAT_OK);
        break;
    }
    case KARAT_REC_PAGING:
        l->paging = *(const karat_rec_paging *)record;
        l->pagings++;
        break;
    case KARAT_REC_KERNEL:
        assert_int_equal(((const karat_rec_kernel *)record)->num_region, l->regions);
        assert_int_equal(l->pagings, ++l->kernels);
        l->regions = 0;
        break;
    case KARAT_REC_CONTENTS: {
        const karat_rec_contents *r = record;
        l->any_store |= l->stored - r->addr < r->length;
        l->contents++;
        break;
    }
    default: break;
    }
    return false;
}

/* The contents of the kernel's file are at its addresses in the model, by the model's own walk. */
static void look(const listener *l, const karat_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->num_buffers; i++)
        for (uint32_t at = 0; at < kernel->buffers[i].size; at++) {
            const uint64_t virt = (uint64_t)kernel->buffers[i].base + at;
            uint64_t phys;
            uint8_t byte;
            assert_int_equal(karat_translate(l->model, l->paging.ptbr, virt, KARAT_USE_FETCH, &phys, NULL),
                             KARAT_OK);
            assert_int_equal(karat_read(l->model, phys, &byte, 1), KARAT_OK);
            assert_int_equal(byte, kernel->buffers[i].data[at]);
        }
}

static karat_model *new_model(void) {
    karat_config config;
    karat_config_default(&config);
    config.translation = KARAT_TRANSLATION_SV39;
    config.max_warp = config.max_workgroup = 1;
    config.lds_pool = 4096;
    karat_model *model = karat_create(&config, NULL);
    assert_non_null(model);
    return model;
}

typedef struct seen {
    unsigned same_space, new_space, back, invalidated, kept_asid, new_asid, moved, kept_place;
} seen;

static void run(karat_kernel *const *kernels, const uint64_t *seed, seen *s) {
    listener l = {.model = new_model(), .ram = karat_ram_create()};
    karat_port *port = karat_port_create(1);
    karat_port_add_sink(port, hear, &l);
    const karat_host_memory memory = karat_host_ram(l.ram);
    karat_paging *paging = karat_paging_create(&memory.bytes, 8, true, seed);
    assert_non_null(paging);
    const karat_host_config config = {
        .kernels = kernels,
        .num_kernels = KERNELS,
        .num_sm = 1,
        .num_warp = 8,
        .num_thread = 8,
        .lds_bytes = 1 << 16,
        .num_sgpr = UINT32_MAX,
        .num_vgpr = UINT32_MAX,
        .reg_granule = 1,
        .memory = memory,
        .paging = paging,
        .port = port,
    };
    karat_diag diag;
    karat_host *host = karat_host_create(&config, &diag);
    assert_non_null(host);
    uint64_t roots[KERNELS], places[KERNELS];
    uint32_t asids[KERNELS], clean = 0; /* The first kernel whose TLB entries there may be */
    for (unsigned k = 0; k < KERNELS; k++) {
        assert_true(karat_host_step(host, k, &diag));
        look(&l, kernels[k]);
        if (k) /* The store of the kernel before is reported, though it has not changed memory */
            assert_true(l.any_store);
        const karat_workgroup *wg = karat_host_offer(host);
        assert_true(wg->translate && wg->ptbr == l.paging.ptbr && wg->asid == l.paging.asid);
        roots[k] = wg->ptbr;
        asids[k] = wg->asid;
        clean = wg->invalidate ? k : clean;
        s->invalidated += wg->invalidate;
        for (unsigned i = clean; i < k; i++)
            assert_true(asids[i] != asids[k]);
        if (k) {
            bool known = false;
            for (unsigned i = 0; i < k; i++)
                known |= roots[i] == roots[k];
            s->same_space += roots[k] == roots[k - 1];
            s->back += known && roots[k] != roots[k - 1];
            s->new_space += !known;
            s->kept_asid += asids[k] == asids[k - 1];
            s->new_asid += asids[k] != asids[k - 1];
        }
        /* A buffer of two kernels is one memory in one address space; in another one it may have moved, where
         * layouts are drawn. */
        assert_int_equal(karat_translate(l.model, wg->ptbr, 0x90000000, KARAT_USE_STORE, &places[k], NULL),
                         KARAT_OK);
        for (unsigned i = 0; i < k; i++)
            assert_true(places[i] == places[k] || (seed && roots[i] != roots[k]));
        s->moved += k && places[k] != places[k - 1];
        s->kept_place += k && roots[k] != roots[k - 1] && places[k] == places[k - 1];
        l.stored = places[k];
        l.any_store = false;
        karat_host_stored(host, places[k]);
        for (const karat_workgroup *w; (w = karat_host_offer(host));) {
            const uint32_t index = w->index;
            assert_true(!index || !w->invalidate);
            karat_host_accepted(host);
            assert_true(karat_host_workgroup_done(host, index));
        }
    }
    karat_host_destroy(host);
    karat_paging_destroy(paging);
    karat_port_destroy(port);
    karat_ram_destroy(l.ram);
    karat_destroy(l.model);
}

TEST(kernels) {
    static const char *const files[] = {VECTORS "/vecadd.elf", VECTORS "/matadd.elf",
                                        VECTORS "/printing.elf"};
    karat_kernel *list[KERNELS];
    karat_diag diag;
    for (unsigned k = 0; k < KERNELS; k++)
        assert_non_null(list[k] = karat_kernel_load(files[k % 3], NULL, &diag));
    seen s = {0};
    run(list, NULL, &s);
    assert_int_equal(s.same_space, KERNELS - 1);
    assert_int_equal(s.invalidated, KERNELS);
    assert_int_equal(s.new_asid, 0);
    s = (seen){0};
    for (uint64_t i = 0, seed; i < SEEDS; i++) {
        seed = 4 * i / 3 + 1; /* No multiple of 4, which may have pages of 1 GiB to hash */
        run(list, &seed, &s);
    }
    /* All ways from one kernel to the next. */
    assert_true(s.same_space > SEEDS && s.back > SEEDS && s.new_space > SEEDS);
    assert_true(s.invalidated > SEEDS && s.invalidated < SEEDS * (KERNELS - 1));
    assert_true(s.kept_asid > SEEDS && s.new_asid > SEEDS);
    assert_true(s.moved > SEEDS && s.kept_place > SEEDS);
    for (unsigned k = 0; k < KERNELS; k++)
        karat_kernel_free(list[k]);
}

RUN_TESTS("paging")
