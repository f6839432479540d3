/* The profiles of the ISA, a row each. All that depends on the profile asks for a feature, or for rows of the
 * instruction table: they name the feature that they come with (golden/isa/ventus.def). A further profile is
 * one more row here. */
#ifndef KARAT_PROFILES_H
#define KARAT_PROFILES_H

/* The features, in which profiles differ: X(ID, without).
 *
 *  ID        KARAT_FEATURE_<ID>
 *  without   its rows in a profile that does not have it: UNKNOWN no instructions, LEFT_OUT illegal by name
 *
 *  REGPAIR   REGPAIR and REGPAIRI (section 4.2.3): an even register of a memory access is a pair
 *  PRIVATE   private memory has instructions of its own (section 4.2.7)
 *  PREFIX    PREFIX, PREFIXI and PRE_M_* (v2.03): pairs, ABS and NEG; accesses of up to four words, of any
 *            space, at 64-bit addresses
 *  WIDTHS    elements of 8 and 16 bits by SEW (v2.03), and the instructions that widen and narrow
 *  WIDEN     the floating-point conversions that widen: by SEW with WIDTHS, else from 16 to 32 bits
 *  OFFSET64  loads and stores with a 12-bit offset at 64-bit addresses (v2.03)
 *  RV64      a part of RV64I and RV64A, on pairs (v2.03)
 *  PUBLIC    the instructions of the public toolchain of 2026: shuffles, 16-bit floats, special functions,
 *            matrix products, lanes' CSRs
 */
#define KARAT_FEATURES(X)                                                                                    \
    X(REGPAIR, UNKNOWN)                                                                                      \
    X(PRIVATE, UNKNOWN)                                                                                      \
    X(PREFIX, UNKNOWN)                                                                                       \
    X(WIDTHS, LEFT_OUT)                                                                                      \
    X(WIDEN, LEFT_OUT)                                                                                       \
    X(OFFSET64, UNKNOWN)                                                                                     \
    X(RV64, UNKNOWN)                                                                                         \
    X(PUBLIC, UNKNOWN)

/* The profiles: X(with, ID, name, features). The first one is the default.
 *
 *  with      handed on from the argument; may be empty
 *  ID        KARAT_<ID>
 *  name      as options, ELF notes, .metadata files, core descriptions and reports have it
 *  features  KARAT_WITH(ID) of each
 */
#define KARAT_PROFILES(X, with)                                                                              \
    X(with, V202, "v2.02", KARAT_WITH(REGPAIR) | KARAT_WITH(PRIVATE))                                        \
    X(with, V203, "v2.03",                                                                                   \
      KARAT_WITH(PREFIX) | KARAT_WITH(WIDTHS) | KARAT_WITH(WIDEN) | KARAT_WITH(OFFSET64) | KARAT_WITH(RV64)) \
    X(with, PUBLIC, "public",                                                                                \
      KARAT_WITH(REGPAIR) | KARAT_WITH(PRIVATE) | KARAT_WITH(WIDEN) | KARAT_WITH(PUBLIC))

#define KARAT_WITH(feature) (1u << KARAT_FEATURE_##feature)

typedef enum karat_feature {
#define KARAT_FEATURE_ID(id, without) KARAT_FEATURE_##id,
    KARAT_FEATURES(KARAT_FEATURE_ID)
#undef KARAT_FEATURE_ID
        KARAT_NUM_FEATURE
} karat_feature;

typedef enum karat_profile {
#define KARAT_PROFILE_ID(with, id, name, features) KARAT_##id,
    KARAT_PROFILES(KARAT_PROFILE_ID, )
#undef KARAT_PROFILE_ID
        KARAT_NUM_PROFILE,
    KARAT_DEFAULT_PROFILE = 0
} karat_profile;

#endif
