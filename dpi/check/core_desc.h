/* The description of a core: its name, and what the checker lets it do otherwise than the model
 * (docs/your-core.md). */
#ifndef KARAT_CORE_DESC_H
#define KARAT_CORE_DESC_H

#include "check.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct karat_core_desc {
    const char *core; /* As HELLO names it */
    uint32_t num_bounds;
    karat_ulp_bound *bounds;
    uint32_t deviations; /* KARAT_DEV_* */
    uint32_t bugs;       /* Deviations that are defects of the core, switched on to get past them */
    karat_simt_order simt_order;
    karat_known_bug *known; /* Bugs that are counted, and are no failures */
    uint32_t num_known;
    bool has_profile;
    karat_profile profile; /* Of the ISA, that the core has */
} karat_core_desc;

/* Return NULL with one line in *diag (file, line, what was expected) where it is no description. Free with
 * karat_core_desc_free(). */
karat_core_desc *karat_core_desc_load(const char *path, karat_diag *diag);
/* Of a text; name is for messages. */
karat_core_desc *karat_core_desc_parse(const char *text, size_t size, const char *name, karat_diag *diag);
void karat_core_desc_free(karat_core_desc *desc);

/* Judge that core: *config points into the description from then on. */
void karat_core_desc_use(const karat_core_desc *desc, karat_check_config *config);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
