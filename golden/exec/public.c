/* The instructions of the public toolchain of 2026 (profile public). All round to nearest even, whatever frm
 * holds. */
#include "exec.h"
#include "mma.h"

#include "fp/special.h"

/* --- Shuffles --- */

/* Each lane takes the value of lane `from`; where that one does not exist or is not active, its own. */
static inline uint32_t shuffled(const karat_exec *e, uint32_t i, uint32_t from) {
    return e->v2[from < KARAT_MAX_THREAD && e->active >> from & 1 ? from : i];
}

#define SHUFFLE(name, from)                                                                                  \
    static inline uint32_t lane_of_##name(uint32_t i, uint32_t s1) {                                         \
        (void)i;                                                                                             \
        return from;                                                                                         \
    }                                                                                                        \
    static void name##_32(karat_exec *e) {                                                                   \
        for (uint32_t i = 0; i < e->n; i++)                                                                  \
            e->r[i] = shuffled(e, i, lane_of_##name(i, (uint32_t)e->x1));                                    \
    }                                                                                                        \
    KARAT_SEMANTIC(name, NULL, NULL, name##_32, NULL)
SHUFFLE(shuffle_bfly, i ^ s1)
SHUFFLE(shuffle_idx, s1)
SHUFFLE(shuffle_up, i - s1)
SHUFFLE(shuffle_down, i + s1)

uint32_t karat_shuffle_lane(int row, uint32_t lane, uint32_t by) {
    switch (row) {
    case KARAT_ROW_shuffle_bfly: return lane_of_shuffle_bfly(lane, by);
    case KARAT_ROW_shuffle_idx: return lane_of_shuffle_idx(lane, by);
    case KARAT_ROW_shuffle_up: return lane_of_shuffle_up(lane, by);
    case KARAT_ROW_shuffle_down: return lane_of_shuffle_down(lane, by);
    default: return KARAT_NO_LANE;
    }
}

/* --- CSRs --- */

/* vd = the lane's value of a CSR: its id, or the warp's value of a scalar CSR. */
SEMANTIC(csrr_v) {
    const uint32_t csr = (uint32_t)e->insn->imm[0];
    uint32_t value;
    if (karat_csr_get(e->model, e->warp, csr, &value)) {
        e->commit->deviated |= karat_csr_deviates(e->model, e->warp, csr);
        for (uint32_t i = 0; i < e->n; i++)
            e->r[i] = value;
    } else if (!karat_is_lane_csr(csr)) {
        karat_set_illegal(e, KARAT_ILLEGAL_CSR);
    } else {
        e->error = karat_lane_csr_get(e->model, e->warp, csr, e->r, e->commit);
    }
}

/* --- 16-bit floats --- */

#define ELEMENTS_FP_WORD(name, expr)                                                                         \
    ELEMENTS_FP_AT(name, 32, PUT_FP, expr)                                                                   \
    KARAT_SEMANTIC(name, NULL, NULL, name##_32, NULL)

static inline uint32_t pack(uint16_t low, uint16_t high) {
    return low | (uint32_t)high << 16;
}

static inline uint16_t high(uint32_t value) {
    return (uint16_t)(value >> 16);
}

/* Operations on both halves. */
#define HALVES_1(op, function, a) pack(op(function, (uint16_t)(a), &flags), op(function, high(a), &flags))
#define HALVES_2(op, a, b)                                                                                   \
    pack(op((uint16_t)(a), (uint16_t)(b), KARAT_RNE, &flags), op(high(a), high(b), KARAT_RNE, &flags))
#define HALVES_3(op, a, b, c)                                                                                \
    pack(op(e, (uint16_t)(a), (uint16_t)(b), (uint16_t)(c), &flags), op(e, high(a), high(b), high(c), &flags))

/* The result, or under that deviation the other one. */
static uint32_t deviating(karat_exec *e, uint32_t deviation, uint32_t result, uint32_t other) {
    if (!(e->model->config.deviations & deviation) || result == other)
        return result;
    e->commit->deviated |= deviation;
    return other;
}

/* As the public simulator has it: the upper half after the last bit of it and 0x7fff have been added. */
static uint32_t upper_half(uint32_t a) {
    return (a + 0x7fff + (a >> 16 & 1)) >> 16;
}

static uint32_t to_bf16(karat_exec *e, uint32_t a, uint32_t *flags) {
    const uint32_t result = karat_bf16_from_f32(a, KARAT_RNE, flags);
    return (a & ~KARAT_F32_SIGN) > KARAT_F32_INF
               ? deviating(e, KARAT_DEV_BF16_NAN_KEPT, result, upper_half(a))
               : result;
}

static uint32_t from_bf16(karat_exec *e, uint16_t a, uint32_t *flags) {
    return deviating(e, KARAT_DEV_BF16_NAN_KEPT, karat_f32_from_bf16(a, flags), (uint32_t)a << 16);
}

/* The sum a b + c in steps of binary32. */
static uint32_t in_steps(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t flags = 0;
    return karat_f32_add(karat_f32_mul(a, b, KARAT_RNE, &flags), c, KARAT_RNE, &flags);
}

static uint16_t fma_f16(karat_exec *e, uint16_t a, uint16_t b, uint16_t c, uint32_t *flags) {
    uint32_t other = 0;
    const uint32_t sum =
        in_steps(karat_f32_from_f16(a, KARAT_RNE, &other), karat_f32_from_f16(b, KARAT_RNE, &other),
                 karat_f32_from_f16(c, KARAT_RNE, &other));
    return (uint16_t)deviating(e, KARAT_DEV_PACKED_FMA_TWICE, karat_f16_fma(a, b, c, KARAT_RNE, flags),
                               karat_f16_from_f32(sum, KARAT_RNE, &other));
}

static uint16_t fma_bf16(karat_exec *e, uint16_t a, uint16_t b, uint16_t c, uint32_t *flags) {
    uint32_t other = 0;
    const uint32_t sum = in_steps((uint32_t)a << 16, (uint32_t)b << 16, (uint32_t)c << 16);
    return (uint16_t)deviating(e, KARAT_DEV_PACKED_FMA_TWICE, karat_bf16_fma(a, b, c, KARAT_RNE, flags),
                               karat_bf16_from_f32(sum, KARAT_RNE, &other));
}

ELEMENTS_FP_WORD(vcvt_fp32_fp16, karat_f32_from_f16((uint16_t)s2, KARAT_RNE, &flags))
ELEMENTS_FP_WORD(vcvt_fp16_fp32, karat_f16_from_f32(s2, KARAT_RNE, &flags))
ELEMENTS_FP_WORD(vcvt_fp32_bf16, from_bf16(e, (uint16_t)s2, &flags))
ELEMENTS_FP_WORD(vcvt_bf16_fp32, to_bf16(e, s2, &flags))
ELEMENTS_FP_WORD(vadd_f16x2, HALVES_2(karat_f16_add, s2, s1))
ELEMENTS_FP_WORD(vmul_f16x2, HALVES_2(karat_f16_mul, s2, s1))
ELEMENTS_FP_WORD(vfma_f16x2, HALVES_3(fma_f16, s2, s1, d))
ELEMENTS_FP_WORD(vadd_bf16x2, HALVES_2(karat_bf16_add, s2, s1))
ELEMENTS_FP_WORD(vmul_bf16x2, HALVES_2(karat_bf16_mul, s2, s1))
ELEMENTS_FP_WORD(vfma_bf16x2, HALVES_3(fma_bf16, s2, s1, d))

/* --- Special functions --- */

#define SPECIAL(name, function)      ELEMENTS_FP_WORD(name, karat_f32_special(function, s2, &flags))
#define SPECIAL_F16(name, function)  ELEMENTS_FP_WORD(name, HALVES_1(karat_f16_special, function, s2))
#define SPECIAL_BF16(name, function) ELEMENTS_FP_WORD(name, HALVES_1(karat_bf16_special, function, s2))
SPECIAL(vex2_f32, KARAT_EX2)
SPECIAL(vlg2_f32, KARAT_LG2)
SPECIAL(vrcp_f32, KARAT_RCP)
SPECIAL(vsqrt_f32, KARAT_SQRT)
SPECIAL(vrsqrt_f32, KARAT_RSQRT)
SPECIAL(vsin_f32, KARAT_SIN)
SPECIAL(vcos_f32, KARAT_COS)
SPECIAL(vtanh_f32, KARAT_TANH)
SPECIAL(vgelu_f32, KARAT_GELU)
SPECIAL(vsilu_f32, KARAT_SILU)
SPECIAL_F16(vex2_f16x2, KARAT_EX2)
SPECIAL_F16(vrcp_f16x2, KARAT_RCP)
SPECIAL_F16(vsqrt_f16x2, KARAT_SQRT)
SPECIAL_F16(vrsqrt_f16x2, KARAT_RSQRT)
SPECIAL_F16(vtanh_f16x2, KARAT_TANH)
SPECIAL_F16(vgelu_f16x2, KARAT_GELU)
SPECIAL_F16(vsilu_f16x2, KARAT_SILU)
SPECIAL_BF16(vex2_bf16x2, KARAT_EX2)
SPECIAL_BF16(vrcp_bf16x2, KARAT_RCP)
SPECIAL_BF16(vsqrt_bf16x2, KARAT_SQRT)
SPECIAL_BF16(vrsqrt_bf16x2, KARAT_RSQRT)
SPECIAL_BF16(vtanh_bf16x2, KARAT_TANH)
SPECIAL_BF16(vgelu_bf16x2, KARAT_GELU)
SPECIAL_BF16(vsilu_bf16x2, KARAT_SILU)

/* --- Matrix products --- */

/* The registers of a source, the first of which the step has read. */
static karat_matrix take_matrix(karat_exec *e, unsigned source, uint32_t reg, const uint32_t *first,
                                uint32_t num, bool half) {
    karat_matrix m = {.reg = {first}, .half = half};
    for (uint32_t part = 1; part < num && !e->held; part++)
        m.reg[part] = karat_read_v(e, source, part, reg + part);
    return m;
}

/* D = A B + C: from C on, k ascending, a fused multiply-add of binary32 each; binary16 results are rounded
 * once more at the end. C and D are in the registers from vd on, A from vs1, B from vs2. */
SEMANTIC(mma) {
    const karat_decoded *d = e->insn;
    const karat_mma f = karat_mma_fields(d->word);
    const uint32_t m = f.m, n = f.n, k = f.k;
    if (e->stride != MMA_LANES || (uint32_t)e->active != UINT32_MAX) {
        karat_set_illegal(e, e->stride != MMA_LANES ? KARAT_ILLEGAL_THREADS : KARAT_ILLEGAL_LANES);
        return;
    }
    const karat_matrix a = take_matrix(e, 1, d->rs1, e->v1, m / 4, f.type != MMA_TF32),
                       b = take_matrix(e, 2, d->rs2, e->v2, n / 4, f.type != MMA_TF32),
                       c = take_matrix(e, 3, d->rs3, e->v3, f.words, f.half);
    if (e->held)
        return;
    uint32_t flags = 0, left[MMA_MAX * MMA_MAX], right[MMA_MAX * MMA_MAX];
    for (uint32_t i = 0; i < m * k; i++)
        left[f.a_by_column ? i % m * k + i / m : i] = karat_factor(karat_element(&a, i), f.type, &flags);
    for (uint32_t i = 0; i < n * k; i++)
        right[f.b_by_row ? i : i % n * k + i / n] = karat_factor(karat_element(&b, i), f.type, &flags);
    e->r = e->result;
    e->words = (uint8_t)f.words;
    for (uint32_t i = 0; i < m * n; i++) {
        const uint32_t *row = left + i / n * k, *column = right + i % n * k;
        uint32_t sum = f.half ? karat_f32_from_f16((uint16_t)karat_element(&c, i), KARAT_RNE, &flags)
                              : karat_element(&c, i);
        for (uint32_t j = 0; j < k; j++)
            sum = karat_f32_fma(row[j], column[j], sum, KARAT_RNE, &flags);
        if (!f.half)
            e->r[i] = sum;
        else if (i % 2)
            e->r[i / 2] |= (uint32_t)karat_f16_from_f32(sum, KARAT_RNE, &flags) << 16;
        else
            e->r[i / 2] = karat_f16_from_f32(sum, KARAT_RNE, &flags);
    }
    e->commit->flags_raised |= (uint8_t)flags;
}
