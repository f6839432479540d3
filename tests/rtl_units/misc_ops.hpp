// The results of ingot_fp_misc, by the model's functions.
#ifndef KARAT_TESTS_RTL_UNITS_MISC_OPS_HPP
#define KARAT_TESTS_RTL_UNITS_MISC_OPS_HPP

#include "unit.hpp"

// In the order of fmisc_op_e.
enum MiscOp : unsigned {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Min,
    Max,
    Sgnj,
    Sgnjn,
    Sgnjx,
    Class,
    FromInt,
    FromUint,
    ToInt,
    ToUint,
    Rec7,
    Rsqrt7,
    MiscOps
};

inline const char *misc_name(unsigned op) {
    static const char *const names[MiscOps] = {
        "eq",    "ne",    "lt",    "le",       "gt",        "ge",     "min",     "max",  "sgnj",
        "sgnjn", "sgnjx", "class", "from_int", "from_uint", "to_int", "to_uint", "rec7", "rsqrt7"};
    return names[op];
}

inline Result misc_expect(unsigned op, unsigned rm, uint32_t a, uint32_t b) {
    uint32_t f = 0, v = 0;
    switch (op) {
    case Eq: v = karat_f32_eq(a, b, &f); break;
    case Ne: v = !karat_f32_eq(a, b, &f); break;
    case Lt: v = karat_f32_lt(a, b, &f); break;
    case Le: v = karat_f32_le(a, b, &f); break;
    case Gt: v = karat_f32_lt(b, a, &f); break;
    case Ge: v = karat_f32_le(b, a, &f); break;
    case Min: v = karat_f32_min(a, b, &f); break;
    case Max: v = karat_f32_max(a, b, &f); break;
    case Sgnj: v = karat_f32_sgnj(a, b); break;
    case Sgnjn: v = karat_f32_sgnjn(a, b); break;
    case Sgnjx: v = karat_f32_sgnjx(a, b); break;
    case Class: v = karat_f32_class(a); break;
    case FromInt: v = karat_f32_from_i32(static_cast<int32_t>(a), rm, &f); break;
    case FromUint: v = karat_f32_from_u32(a, rm, &f); break;
    case ToInt: v = static_cast<uint32_t>(karat_f32_to_i32(a, rm, &f)); break;
    case ToUint: v = karat_f32_to_u32(a, rm, &f); break;
    case Rec7: v = karat_f32_rec7(a, rm, &f); break;
    default: v = karat_f32_rsqrt7(a, &f); break;
    }
    return {v, f};
}

#endif
