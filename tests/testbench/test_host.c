/* Which kernels the host takes for a core. */
#include <string.h>

#include "host.h"
#include "suite.h"

/* Launches of 8 threads a warp on a core that starts whole warps, and on one that starts parts of them. */
TEST(partial) {
    static const struct {
        uint32_t local[3], global[3], warps;
        bool is_partial;
    } launches[] = {
        {{0}, {0}, 2, false},               /* All threads of all warps */
        {{16, 1, 1}, {32, 1, 1}, 2, false}, /* They are all work-items */
        {{4, 2, 2}, {8, 2, 2}, 2, false},   /* In three dimensions */
        {{13, 1, 1}, {26, 1, 1}, 2, true},  /* The last warp is not full */
        {{16, 1, 1}, {31, 1, 1}, 2, true},  /* Of the last workgroup */
        {{3, 5, 1}, {6, 5, 1}, 2, true},    /* In two dimensions */
        {{4, 2, 2}, {8, 1, 2}, 2, true},    /* A warp whose mask is no prefix */
        {{16, 1, 1}, {24, 1, 1}, 2, true},  /* A warp that has no work-item */
    };
    for (unsigned i = 0; i < sizeof launches / sizeof *launches; i++) {
        karat_kernel kernel = {.name = "k", .grid = {2, 1, 1}, .wf_size = 8, .wg_size = launches[i].warps};
        memcpy(kernel.local, launches[i].local, sizeof kernel.local);
        memcpy(kernel.global, launches[i].global, sizeof kernel.global);
        assert_null(karat_kernel_wrong_items(&kernel));
        karat_kernel *const kernels[] = {&kernel};
        for (int starts = 0; starts < 2; starts++) {
            const karat_host_config config = {
                .kernels = kernels,
                .num_kernels = 1,
                .num_sm = 1,
                .num_warp = 8,
                .num_thread = 8,
                .num_sgpr = UINT32_MAX,
                .num_vgpr = UINT32_MAX,
                .reg_granule = 1,
                .starts_partial = starts,
            };
            karat_diag diag;
            karat_host *host = karat_host_create(&config, &diag);
            assert_true((host != NULL) == (starts || !launches[i].is_partial));
            if (!host)
                assert_string_equal(diag.text, "k: work-items that do not fill all warps; the core starts "
                                               "all threads of a warp");
            karat_host_destroy(host);
        }
    }
}

RUN_TESTS("host")
