/* The table itself: ventus.def and operands.def as constant arrays. */
#include "isa.h"

enum { CLASS_X = KARAT_CLASS_X, CLASS_V = KARAT_CLASS_V, CLASS_N = 0 };
enum { IS_REG_X = 1, IS_REG_V = 1, IS_REG_N = 0 };

#define PIECE(word_bit, value_bit, width) {word_bit, value_bit, width},
#define STRIP(...)                        __VA_ARGS__
const karat_operand_def karat_operand_defs[KARAT_OP_KINDS] = {
#define OPERAND(kind, name, role, cls, span, bits, sign, shift, slot, ext5, syntax, pieces)                  \
    [KARAT_OP_##kind] = {{name, KARAT_ROLE_##role, CLASS_##cls, bits, IS_REG_##cls, sign, shift, ext5, slot, \
                          KARAT_OP_##kind >= KARAT_OP_VDA && KARAT_OP_##kind <= KARAT_OP_VDAR8,              \
                          KARAT_SPAN_##span, KARAT_OP_##kind == KARAT_OP_VMI},                               \
                         ext5,                                                                               \
                         KARAT_SYN_##syntax,                                                                 \
                         {STRIP pieces}},
#include "operands.def"
#undef OPERAND
};

/* The columns of ventus.def: first, the profiles that leave the rows of a set out by name. */
_Static_assert(SET_ALL <= UINT8_MAX, "karat_row has a bit for each profile");
enum {
    WITHOUT_UNKNOWN = 0,
    WITHOUT_LEFT_OUT = SET_ALL,
    LEFT_OUT_ALL = 0,
#define SET(id, without) LEFT_OUT_##id = WITHOUT_##without & SET_NO_##id,
    KARAT_FEATURES(SET)
#undef SET
};
enum {
    W8 = 1 << KARAT_W8,
    W16 = 1 << KARAT_W16,
    W32 = 1 << KARAT_W32,
    W64 = 1 << KARAT_W64,
    W_PLAIN = 0,
    W_WORD = W32,
    W_PAIR = W32 | W64,
    W_DOUBLE = W64,
    W_SEW = W8 | W16 | W32 | W64,
    W_SEWF = W16 | W32 | W64,
    W_DOUBLED = W8 | W16 | W32,
    W_DOUBLEDF = W16 | W32,
    W_A8 = 0,
    W_A16 = 0,
    W_A32 = 0,
    W_X8 = 0,
    W_X16 = 0,
    W_X32 = 0
};
enum { /* In place of widths: bytes of an access, those of an index above bit 4 */
       BY_INDEX = 4,
       A_PLAIN = 0,
       A_WORD = 0,
       A_PAIR = 0,
       A_DOUBLE = 0,
       A_SEW = 0,
       A_SEWF = 0,
       A_DOUBLED = 0,
       A_DOUBLEDF = 0,
       A_A8 = 1,
       A_A16 = 2,
       A_A32 = 4,
       A_X8 = 1 << BY_INDEX,
       A_X16 = 2 << BY_INDEX,
       A_X32 = 4 << BY_INDEX
};
enum {
    OWES_NOTHING = 0,
    OWES_LEFT_OUT = 0,
    OWES_X = KARAT_OWES_X,
    OWES_V = KARAT_OWES_V,
    OWES_V_FP = KARAT_OWES_V,
    OWES_X_MEM = KARAT_OWES_X | KARAT_OWES_MEM,
    OWES_V_MEM = KARAT_OWES_V | KARAT_OWES_MEM,
    OWES_MEM = KARAT_OWES_MEM,
    OWES_X_FP = KARAT_OWES_X,
    OWES_X_CSR = KARAT_OWES_X | KARAT_OWES_CSR,
    OWES_SIMT = KARAT_OWES_SIMT,
    OWES_BARRIER = KARAT_OWES_BARRIER,
    OWES_EXIT = KARAT_OWES_EXIT
};
enum {
    OUT_NOTHING,
    OUT_X,
    OUT_V,
    OUT_V_FP,
    OUT_X_MEM,
    OUT_V_MEM,
    OUT_MEM,
    OUT_X_FP,
    OUT_X_CSR,
    OUT_SIMT,
    OUT_BARRIER,
    OUT_EXIT,
    OUT_LEFT_OUT
};

/* Operand lists: (A, B, C) becomes {KARAT_OP_A, KARAT_OP_B, KARAT_OP_C} and its length; NONE counts as none.
 */
#define OPS_1(a)                                  KARAT_OP_##a
#define OPS_2(a, b)                               KARAT_OP_##a, KARAT_OP_##b
#define OPS_3(a, b, c)                            OPS_2(a, b), KARAT_OP_##c
#define OPS_4(a, b, c, d)                         OPS_3(a, b, c), KARAT_OP_##d
#define OPS_5(a, b, c, d, e)                      OPS_4(a, b, c, d), KARAT_OP_##e
#define OPS_6(a, b, c, d, e, f)                   OPS_5(a, b, c, d, e), KARAT_OP_##f
#define OPS_7(a, b, c, d, e, f, g)                OPS_6(a, b, c, d, e, f), KARAT_OP_##g
#define OPS_N(_1, _2, _3, _4, _5, _6, _7, n, ...) n
#define OPS_COUNT(...)                            OPS_N(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0)
#define OPS_PICK(n, ...)                          OPS_PASTE(n, __VA_ARGS__)
#define OPS_PASTE(n, ...)                         OPS_##n(__VA_ARGS__)
#define OPS_LIST(...)                             OPS_PICK(OPS_COUNT(__VA_ARGS__), __VA_ARGS__)
#define OPS_FIRST(...)                            OPS_HEAD(__VA_ARGS__, NONE)
#define OPS_HEAD(a, ...)                          KARAT_OP_##a

const karat_row karat_rows[KARAT_ROWS] = {
#define ROW(id, mnemonic, match, mask, ops, sem, owes, policy, unit, widths, set, section)                   \
    {#id,                                                                                                    \
     mnemonic,                                                                                               \
     match,                                                                                                  \
     mask,                                                                                                   \
     SET_##set | LEFT_OUT_##set,                                                                             \
     OWES_##owes,                                                                                            \
     KARAT_##policy,                                                                                         \
     KARAT_UNIT_##unit,                                                                                      \
     OPS_FIRST ops == KARAT_OP_NONE ? 0 : OPS_COUNT ops,                                                     \
     {OPS_LIST ops},                                                                                         \
     OUT_##owes == OUT_V_FP || OUT_##owes == OUT_X_FP,                                                       \
     OUT_##owes == OUT_LEFT_OUT,                                                                             \
     OUT_##owes == OUT_LEFT_OUT ? SET_##set : LEFT_OUT_##set,                                                \
     W_##widths,                                                                                             \
     A_##widths & ((1 << BY_INDEX) - 1),                                                                     \
     A_##widths >> BY_INDEX,                                                                                 \
     section},
#include "ventus.def"
#undef ROW
};
