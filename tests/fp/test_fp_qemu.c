/* One of the formats against QEMU's user mode emulation of riscv64: F, D and Zfh, every scalar instruction,
 * and what the V extension adds: the estimates, conversions to narrow integers and to odd. Every rounding
 * mode, results and fflags. QEMU 7.2 knows vectors of binary16 as well.
 *
 * Usage: test_fp_qemu <guest program> <16, 32 or 64>
 * KARAT_QEMU_RISCV64 names the emulator (qemu-riscv64), KARAT_SEED repeats a run, KARAT_FP_CASES is the
 * number of random instructions. Exits with 77 (skipped) if the guest program or the emulator is missing. */
#include "fp/fp.h"
#include "fp_qemu_ops.h"
#include "operands.h"
#include "qemu.h"

#define OP_NAME(name) [OP_##name] = #name,
static const char *const op_names[OPS] = {INSTRUCTIONS(OP_NAME)};

static const char cpu[] = "rv64,Zfh=true,v=true,vext_spec=v1.0,vlen=128";

static struct format format;

/* A batch is no larger than a pipe's 64 KiB and its replies are half of that, so writing everything before
 * reading anything cannot deadlock. */
static bool exchange(struct qemu *guest, const struct request *requests, struct reply *replies,
                     unsigned count) {
    return qemu_send(guest, requests, count * sizeof *requests) &&
           qemu_receive(guest, replies, count * sizeof *replies);
}

static bool is_to_integer(unsigned op) {
    return op >= OP_to_b && op <= OP_to_lu;
}

static unsigned integer_bits(unsigned op) {
    return 8u << (op - OP_to_b) / 2;
}

/* The V extension has conversions to integers of half the width of the format, but none to narrower ones. */
static bool exists(unsigned op) {
    switch (op) {
    case OP_widen: return format.bits != 64;
    case OP_narrow:
    case OP_narrow_rod: return format.bits != 16;
    default: return !is_to_integer(op) || integer_bits(op) >= (unsigned)format.bits / 2;
    }
}

static unsigned result_bits(unsigned op) {
    switch (op) {
    case OP_feq:
    case OP_flt:
    case OP_fle:
    case OP_fclass: return 64;
    case OP_widen: return (unsigned)format.bits * 2;
    case OP_narrow:
    case OP_narrow_rod: return (unsigned)format.bits / 2;
    default: return is_to_integer(op) ? integer_bits(op) : (unsigned)format.bits;
    }
}

/* One definition for three widths. convert(rm) is the conversion between formats. */
#define OURS(type, convert)                                                                                  \
    static struct reply ours_##type(const struct request *q) {                                               \
        const type a = (type)q->a, b = (type)q->b, c = (type)q->c;                                           \
        const unsigned op = q->op, rm = op == OP_narrow_rod ? KARAT_ROD : q->rm;                             \
        uint64_t v = 0;                                                                                      \
        uint32_t flags = 0;                                                                                  \
        switch (op) {                                                                                        \
        case OP_fadd: v = karat_fp(a, add)(a, b, rm, &flags); break;                                         \
        case OP_fsub: v = karat_fp(a, sub)(a, b, rm, &flags); break;                                         \
        case OP_fmul: v = karat_fp(a, mul)(a, b, rm, &flags); break;                                         \
        case OP_fdiv: v = karat_fp(a, div)(a, b, rm, &flags); break;                                         \
        case OP_fsqrt: v = karat_fp(a, sqrt)(a, rm, &flags); break;                                          \
        case OP_fmadd: v = karat_fp(a, fma)(a, b, c, rm, &flags); break;                                     \
        case OP_fmsub: v = karat_fp(a, fma)(a, b, karat_fp_neg(c), rm, &flags); break;                       \
        case OP_fnmadd: v = karat_fp(a, fma)(karat_fp_neg(a), b, karat_fp_neg(c), rm, &flags); break;        \
        case OP_fnmsub: v = karat_fp(a, fma)(karat_fp_neg(a), b, c, rm, &flags); break;                      \
        case OP_fmin: v = karat_fp(a, min)(a, b, &flags); break;                                             \
        case OP_fmax: v = karat_fp(a, max)(a, b, &flags); break;                                             \
        case OP_feq: v = karat_fp(a, eq)(a, b, &flags); break;                                               \
        case OP_flt: v = karat_fp(a, lt)(a, b, &flags); break;                                               \
        case OP_fle: v = karat_fp(a, le)(a, b, &flags); break;                                               \
        case OP_fclass: v = karat_fp(a, class)(a); break;                                                    \
        case OP_fsgnj: v = karat_fp(a, sgnj)(a, b); break;                                                   \
        case OP_fsgnjn: v = karat_fp(a, sgnjn)(a, b); break;                                                 \
        case OP_fsgnjx: v = karat_fp(a, sgnjx)(a, b); break;                                                 \
        case OP_from_w: v = karat_fp(a, from_int)((uint64_t)(int32_t)q->a, true, rm, &flags); break;         \
        case OP_from_wu: v = karat_fp(a, from_int)((uint32_t)q->a, false, rm, &flags); break;                \
        case OP_from_l: v = karat_fp(a, from_int)(q->a, true, rm, &flags); break;                            \
        case OP_from_lu: v = karat_fp(a, from_int)(q->a, false, rm, &flags); break;                          \
        case OP_widen:                                                                                       \
        case OP_narrow:                                                                                      \
        case OP_narrow_rod: v = convert; break;                                                              \
        case OP_vfrec7: v = karat_fp(a, rec7)(a, rm, &flags); break;                                         \
        case OP_vfrsqrt7: v = karat_fp(a, rsqrt7)(a, &flags); break;                                         \
        default: v = karat_fp(a, to_int)(a, integer_bits(op), (op - OP_to_b) % 2 == 0, rm, &flags); break;   \
        }                                                                                                    \
        return (struct reply){v, flags};                                                                     \
    }
OURS(uint16_t, karat_fp_widen(a)(a, rm, &flags))
OURS(uint32_t, op == OP_widen ? karat_fp_widen(a)(a, rm, &flags) : karat_fp_narrow(a)(a, rm, &flags))
OURS(uint64_t, karat_fp_narrow(a)(a, rm, &flags))

static struct reply ours(const struct request *q) {
    switch (format.bits) {
    case 16: return ours_uint16_t(q);
    case 32: return ours_uint32_t(q);
    default: return ours_uint64_t(q);
    }
}

/* Requests on their way to one guest. */
struct stream {
    struct qemu guest;
    struct rng *rng;
    struct request batch[BATCH];
    unsigned filled;
    uint64_t compared, differences;
};

static void flush(struct stream *s) {
    static struct reply replies[BATCH];
    exchange(&s->guest, s->batch, replies, s->filled);
    for (unsigned i = 0; i < s->filled && !s->guest.lost; i++) {
        const struct request *q = &s->batch[i];
        struct reply got = ours(q), want = replies[i];
        uint64_t mask = UINT64_MAX >> (64 - result_bits(q->op));
        s->compared++;
        if (((got.value ^ want.value) & mask) == 0 && got.flags == want.flags)
            continue;
        if (s->differences++ < 20)
            printf("%s of binary%d, rm=%u %016llx %016llx %016llx: got %016llx flags %02x, QEMU says %016llx "
                   "flags %02x\n",
                   op_names[q->op], format.bits, q->rm, (unsigned long long)q->a, (unsigned long long)q->b,
                   (unsigned long long)q->c, (unsigned long long)(got.value & mask), (unsigned)got.flags,
                   (unsigned long long)(want.value & mask), (unsigned)want.flags);
    }
    s->filled = 0;
}

static void submit(struct stream *s, unsigned op, uint64_t a, uint64_t b, uint64_t c) {
    uint16_t bits = (uint16_t)format.bits, rm = (uint16_t)rng_below(s->rng, 5);
    s->batch[s->filled++] = (struct request){op, bits, rm, a, b, c};
    if (s->filled == BATCH)
        flush(s);
}

/* Each corner with each other one; for the fused operations also with every fourth third operand. */
static void submit_corners(struct stream *s, unsigned op) {
    bool fused = op >= OP_fmadd && op <= OP_fnmsub;
    for (unsigned i = 0; i < 2 * CORNERS; i++)
        for (unsigned j = 0; j < 2 * CORNERS; j++) {
            unsigned k = (i + j + op) % 4;
            do
                submit(s, op, format_corner(format, i), format_corner(format, j), format_corner(format, k));
            while (fused && (k += 4) < 2 * CORNERS);
        }
}

static void submit_estimates(struct stream *s, unsigned op) {
    for (uint32_t n = 0; n < estimate_operands(format); n++)
        submit(s, op, format_estimate_operand(format, n), 0, 0);
}

static void submit_random(struct stream *s, unsigned op) {
    uint64_t x[3];
    format_random_operands(format, s->rng, x);
    if (op >= OP_from_w && op <= OP_from_lu)
        x[0] = format_random_integer(format, s->rng);
    if (is_to_integer(op) && (x[1] & 3) != 0)
        x[0] = format_random_near_integer(format, s->rng);
    submit(s, op, x[0], x[1], x[2]);
}

int main(int argc, char **argv) {
    switch (argc == 3 ? atoi(argv[2]) : 0) {
    case 16: format = binary16; break;
    case 32: format = binary32; break;
    case 64: format = binary64; break;
    default: fprintf(stderr, "usage: %s <guest program> 16|32|64\n", argv[0]); return 2;
    }
    if (!qemu_can_run(argv[1]))
        return QEMU_SKIPPED;
    struct rng rng = {test_seed()};
    uint64_t cases = env_number("KARAT_FP_CASES", 1000000);
    static struct stream s;
    s = (struct stream){.guest = qemu_start(cpu, argv[1]), .rng = &rng};
    for (unsigned op = 0; op < OPS && !s.guest.lost; op++) {
        if (!exists(op))
            continue;
        submit_corners(&s, op);
        if (op == OP_vfrec7 || op == OP_vfrsqrt7)
            submit_estimates(&s, op);
    }
    for (uint64_t i = 0; i < cases && !s.guest.lost;) {
        unsigned op = rng_below(&rng, OPS);
        if (!exists(op))
            continue;
        submit_random(&s, op);
        i++;
    }
    flush(&s);
    int status = qemu_stop(&s.guest);
    if (status != 0)
        return status;
    printf("binary%d: %llu instructions compared, %llu differences\n", format.bits,
           (unsigned long long)s.compared, (unsigned long long)s.differences);
    return s.differences != 0;
}
