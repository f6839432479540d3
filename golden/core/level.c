/* Which level of the host's processor a model uses (exec/level.h). */
#include "core.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"portable", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
_Static_assert(sizeof names / sizeof *names == 1 + KARAT_NUM_LEVEL, "names go by level");

#ifdef KARAT_LEVELS
#include <cpuid.h>

/* The registers that the operating system keeps, as XCR0 has them. */
static uint32_t kept_registers(void) {
    uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* Features by the bits of cpuid: what each level needs beyond the one below it (x86-64 psABI,
 * "Micro-Architecture Levels"). */
enum {
    V2 = bit_SSE3 | bit_SSSE3 | bit_CMPXCHG16B | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT,
    V2_EXTENDED = bit_LAHF_LM,
    V3 = bit_FMA | bit_MOVBE | bit_OSXSAVE | bit_AVX | bit_F16C,
    V3_EXTENDED = bit_LZCNT,
    V3_SEVEN = bit_BMI | bit_AVX2 | bit_BMI2,
    V4_SEVEN = bit_AVX512F | bit_AVX512DQ | bit_AVX512CD | bit_AVX512BW,
    YMM = 0x06, /* XMM and the upper halves of YMM */
    ZMM = 0xe6  /* YMM's, the masks, and ZMM */
};

/* The highest level that the processor has. */
static unsigned find_highest(void) {
    uint32_t a, b, one = 0, seven = 0, extended = 0, d;
    if (!__get_cpuid(1, &a, &b, &one, &d) || !__get_cpuid(0x80000001, &a, &b, &extended, &d) ||
        (one & V2) != V2 || (extended & V2_EXTENDED) != V2_EXTENDED)
        return 0;
    if (!__get_cpuid_count(7, 0, &a, &seven, &b, &d) || (one & V3) != V3 ||
        (extended & V3_EXTENDED) != V3_EXTENDED || (seven & V3_SEVEN) != V3_SEVEN ||
        (kept_registers() & YMM) != YMM)
        return 1;
    return (seven & V4_SEVEN) == V4_SEVEN && seven & bit_AVX512VL && (kept_registers() & ZMM) == ZMM ? 3 : 2;
}
#else
static unsigned find_highest(void) {
    return 0;
}
#endif

/* Asked once: in a virtual machine each cpuid takes as long as thousands of instructions. */
static unsigned highest(void) {
    static _Atomic unsigned known; /* One more than it */
    if (!known)
        known = 1 + find_highest();
    return known - 1;
}

const char *karat_level_name(unsigned index) {
    return index <= highest() ? names[index] : NULL;
}

/* The level of that name, NULL for the highest; 1 + KARAT_NUM_LEVEL where there is none. */
static unsigned find(const char *name) {
    unsigned level = highest();
    while (name && strcmp(name, names[level]) != 0)
        if (level-- == 0)
            return 1 + KARAT_NUM_LEVEL;
    return level;
}

static const char *default_name(void) {
    const char *name = getenv("KARAT_LEVEL");
    return name && *name ? name : NULL;
}

const char *karat_level(const karat_model *model) {
    const unsigned level = model ? model->level : find(default_name());
    return level <= KARAT_NUM_LEVEL ? names[level] : NULL;
}

static karat_status use(karat_model *model, const char *name) {
    const unsigned level = find(name);
    if (level > KARAT_NUM_LEVEL)
        return KARAT_NO_LEVEL;
    model->level = level;
    return KARAT_OK;
}

karat_status karat_set_level(karat_model *model, const char *name) {
    if (!model)
        return KARAT_BAD_ARGUMENT;
    const karat_status status = use(model, name);
    if (status == KARAT_OK)
        karat_drop_all_code(model); /* The code has the semantics of another level */
    return status;
}

karat_status karat_default_level(karat_model *model) {
    return use(model, default_name());
}
