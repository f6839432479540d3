/* Functional coverage: what of the ISA and of the model's state the programs of some runs have reached.
 *
 * A group is a cross of axes, such as instruction x prefix x mask x operand class; a bin is one point of it,
 * with a number of hits. The groups are in groups.def. Bins that nothing can reach are excluded by rules,
 * each with its reason (exclude.c): coverage is hit bins over bins that are not excluded.
 *
 * Whoever steps a model feeds this: karat run, karat check, a lockstep run. It looks at commits alone. */
#ifndef KARAT_COV_H
#define KARAT_COV_H

#include <stdio.h>

#include "karat/karat.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct karat_cov karat_cov;

/* Empty coverage of a device: the ISA's profile, threads per warp, warp handles 0 .. max_warp - 1. NULL where
 * memory is short. */
karat_cov *karat_cov_create(karat_profile profile, uint32_t num_thread, uint32_t max_warp);
void karat_cov_destroy(karat_cov *cov);
/* Have the groups of devices with translation as well: before the first launch. False where memory is
 * short. */
bool karat_cov_translate(karat_cov *cov);
karat_profile karat_cov_profile(const karat_cov *cov);
/* Threads per warp of the devices whose coverage it is: a set of powers of two, since files of several may be
 * merged. */
uint32_t karat_cov_devices(const karat_cov *cov);

/* --- Feeding it --- */

/* A warp is launched under that handle, in a workgroup of that many warps. */
void karat_cov_launch(karat_cov *cov, uint32_t warp, const karat_launch_desc *desc, uint32_t warps);
/* A step of that warp, taken by that model (KARAT_OK), or the one that ended it by a program error: of these
 * only page faults count. A bin is hit at once; how often, karat_cov_end() and karat_cov_merge() from it
 * settle. */
void karat_cov_step(karat_cov *cov, const karat_model *model, uint32_t warp, const karat_commit *commit);

/* Coverage of whoever steps a model: made at the first launch, which says what device it is. These two are a
 * karat_check_watch with it as their context; zero it before. */
typedef struct karat_cov_collector {
    karat_cov *cov; /* NULL: no warp has been launched, or memory is short */
    bool no_memory;
} karat_cov_collector;
void karat_cov_on_launch(void *collector, const karat_model *model, uint32_t warp,
                         const karat_launch_desc *desc, uint32_t warps);
void karat_cov_on_step(void *collector, const karat_model *model, uint32_t warp, const karat_commit *commit);
/* Write the file of that run (path NULL: none), and another, in which 'put' puts what it holds (other NULL:
 * none): both or neither; false with one line in *diag. The coverage is freed in any case. */
typedef bool karat_cov_put(const void *context, FILE *file);
bool karat_cov_finish(karat_cov_collector *collector, const char *path, const char *other, karat_cov_put *put,
                      const void *context, karat_diag *diag);

/* Add what from has, which has to be of the same profile: false, and nothing is done, where it is not, or
 * memory is short. The groups of translation are there where either has them. Hits are sums that stop at
 * UINT32_MAX, so that the order of merging makes no difference to them; merging twice counts twice. */
bool karat_cov_merge(karat_cov *cov, karat_cov *from);
/* Runs that have ended, and their steps. */
uint64_t karat_cov_runs(const karat_cov *cov);
uint64_t karat_cov_steps(const karat_cov *cov);

/* How coverage grew: after so many runs and steps, so many bins of all groups were hit. The end of a run is a
 * point, and so is each merge, whose order this depends on: of what is merged only the last point counts. */
typedef struct karat_cov_point {
    uint64_t runs, steps, hit;
} karat_cov_point;
bool karat_cov_end(karat_cov *cov);
uint32_t karat_cov_points(const karat_cov *cov, const karat_cov_point **points);

/* --- Looking at it --- */

#define KARAT_COV_AXES 5

typedef struct karat_cov_group {
    const char *name, *about;
    uint32_t num_axes;
} karat_cov_group;

uint32_t karat_cov_num_groups(void);
/* Those of its profile and devices: the others have no bins. */
#define KARAT_COV_EACH_GROUP(cov, group)                                                                     \
    for (uint32_t group = 0; group < karat_cov_num_groups(); group++)                                        \
        if (karat_cov_bins(cov, group))
const karat_cov_group *karat_cov_group_info(uint32_t group);
const char *karat_cov_axis_name(uint32_t group, uint32_t axis);
/* Bins of a group, and points of one of its axes, on that device. */
uint32_t karat_cov_bins(const karat_cov *cov, uint32_t group);
uint32_t karat_cov_axis_size(const karat_cov *cov, uint32_t group, uint32_t axis);
/* Where a bin is on its axes, and back. */
void karat_cov_at(const karat_cov *cov, uint32_t group, uint32_t bin, uint32_t at[KARAT_COV_AXES]);
uint32_t karat_cov_bin(const karat_cov *cov, uint32_t group, const uint32_t at[KARAT_COV_AXES]);
/* A point's name; of axis "class" it depends on the point of axis "instruction". The text holds while cov
 * does. */
const char *karat_cov_point_name(const karat_cov *cov, uint32_t group, const uint32_t at[KARAT_COV_AXES],
                                 uint32_t axis);
/* The table's row at that point of an axis "instruction". */
int karat_cov_row(const karat_cov *cov, uint32_t at);

uint64_t karat_cov_hits(const karat_cov *cov, uint32_t group, uint32_t bin);
/* Why nothing can reach that bin on any of its devices; NULL: something can. A bin that was hit is never
 * excluded: a rule that says so is wrong, and karat_cov_contradictions() counts such bins. */
const char *karat_cov_excluded(const karat_cov *cov, uint32_t group, uint32_t bin);
uint64_t karat_cov_contradictions(const karat_cov *cov);

typedef struct karat_cov_sum {
    uint64_t bins, excluded, hit; /* Bins that were hit, of those not excluded */
} karat_cov_sum;
karat_cov_sum karat_cov_sum_of(const karat_cov *cov, uint32_t group);
karat_cov_sum karat_cov_sum_all(const karat_cov *cov);

/* --- Files (JSON) --- */

/* Write it to a file; false with one line in *diag where that cannot be done, and no file is left half
 * written. */
bool karat_cov_save(const karat_cov *cov, const char *path, karat_diag *diag);
/* NULL with one line in *diag where the file is no coverage of this table of instructions and groups. */
karat_cov *karat_cov_load(const char *path, uint32_t max_warp, karat_diag *diag);
/* Reads the same from a file that is in memory; name is for messages. */
karat_cov *karat_cov_parse(const char *text, size_t size, const char *name, uint32_t max_warp,
                           karat_diag *diag);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
