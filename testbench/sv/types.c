/* Verilator's prototypes of the imports, in the types of svdpi.h, beside our functions: no object code, and a
 * compilation error where they differ. */
#include "Vkarat_ingot_sv__Dpi.h"

#include "karat_port.h"
#include "karat_sv.h"

#define DECLARE(name, NAME, kind, size) void karat_port_##name(const uint32_t *record);
KARAT_REC_EACH(DECLARE)
