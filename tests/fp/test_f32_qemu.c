/* binary32 against QEMU's user mode emulation of riscv32: every scalar instruction and the two vector
 * estimates, every rounding mode, results and fflags.
 *
 * Usage: test_f32_qemu <guest program>
 * KARAT_QEMU_RISCV32 names the emulator (qemu-riscv32), KARAT_SEED repeats a run, KARAT_FP_CASES is the
 * number of random instructions. Exits with 77 (skipped) if the guest program or the emulator is missing. */
#include "f32_operands.h"
#include "f32_qemu_ops.h"
#include "fp/f32.h"
#include "qemu.h"

#define OP_NAME(name) [OP_##name] = #name,
static const char *const op_names[VECTOR_END] = {SCALAR_OPS(OP_NAME) VECTOR_OPS(OP_NAME)};

/* vlen matters to neither estimate; these CPUs exist since QEMU 7.0. */
static const char scalar_cpu[] = "rv32,f=false,d=false,zfinx=true";
static const char vector_cpu[] = "rv32,v=true,vext_spec=v1.0,vlen=128";

/* A batch is no larger than a pipe's 64 KiB and its replies are half of that, so writing everything before
 * reading anything cannot deadlock. */
static bool exchange(struct qemu *guest, const struct request *requests, struct reply *replies,
                     unsigned count) {
    return qemu_send(guest, requests, count * sizeof *requests) &&
           qemu_receive(guest, replies, count * sizeof *replies);
}

static struct reply ours(const struct request *q) {
    const uint32_t minus = KARAT_F32_SIGN;
    uint32_t a = q->a, b = q->b, c = q->c, v = 0, flags = 0;
    unsigned rm = q->op_rm & 7;
    switch (q->op_rm >> 8) {
    case OP_fadd: v = karat_f32_add(a, b, rm, &flags); break;
    case OP_fsub: v = karat_f32_sub(a, b, rm, &flags); break;
    case OP_fmul: v = karat_f32_mul(a, b, rm, &flags); break;
    case OP_fdiv: v = karat_f32_div(a, b, rm, &flags); break;
    case OP_fsqrt: v = karat_f32_sqrt(a, rm, &flags); break;
    case OP_fmadd: v = karat_f32_fma(a, b, c, rm, &flags); break;
    case OP_fmsub: v = karat_f32_fma(a, b, c ^ minus, rm, &flags); break;
    case OP_fnmadd: v = karat_f32_fma(a ^ minus, b, c ^ minus, rm, &flags); break;
    case OP_fnmsub: v = karat_f32_fma(a ^ minus, b, c, rm, &flags); break;
    case OP_fmin: v = karat_f32_min(a, b, &flags); break;
    case OP_fmax: v = karat_f32_max(a, b, &flags); break;
    case OP_feq: v = karat_f32_eq(a, b, &flags); break;
    case OP_flt: v = karat_f32_lt(a, b, &flags); break;
    case OP_fle: v = karat_f32_le(a, b, &flags); break;
    case OP_fclass: v = karat_f32_class(a); break;
    case OP_fcvt_w_s: v = (uint32_t)karat_f32_to_i32(a, rm, &flags); break;
    case OP_fcvt_wu_s: v = karat_f32_to_u32(a, rm, &flags); break;
    case OP_fcvt_s_w: v = karat_f32_from_i32((int32_t)a, rm, &flags); break;
    case OP_fcvt_s_wu: v = karat_f32_from_u32(a, rm, &flags); break;
    case OP_fsgnj: v = karat_f32_sgnj(a, b); break;
    case OP_fsgnjn: v = karat_f32_sgnjn(a, b); break;
    case OP_fsgnjx: v = karat_f32_sgnjx(a, b); break;
    case OP_vfrec7: v = karat_f32_rec7(a, rm, &flags); break;
    default: v = karat_f32_rsqrt7(a, &flags); break;
    }
    return (struct reply){v, flags};
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
        struct reply got = ours(q);
        s->compared++;
        if (got.value == replies[i].value && got.flags == replies[i].flags)
            continue;
        if (s->differences++ < 20)
            printf("%s rm=%u %08x %08x %08x: got %08x flags %02x, QEMU says %08x flags %02x\n",
                   op_names[q->op_rm >> 8], q->op_rm & 7, q->a, q->b, q->c, got.value, got.flags,
                   replies[i].value, replies[i].flags);
    }
    s->filled = 0;
}

static void submit(struct stream *s, unsigned op, uint32_t a, uint32_t b, uint32_t c) {
    s->batch[s->filled++] = (struct request){op << 8 | rng_below(s->rng, 5), a, b, c};
    if (s->filled == BATCH)
        flush(s);
}

/* Each corner with each other one; for the fused operations also with every third operand. */
static void submit_corners(struct stream *s, unsigned op) {
    bool fused = op >= OP_fmadd && op <= OP_fnmsub;
    for (unsigned i = 0; i < 2 * F32_CORNERS; i++)
        for (unsigned j = 0; j < 2 * F32_CORNERS; j++) {
            unsigned k = 0;
            do
                submit(s, op, f32_corner(i), f32_corner(j), f32_corner(k));
            while (fused && ++k < 2 * F32_CORNERS);
        }
}

static void submit_estimates(struct stream *s, unsigned op) {
    for (uint32_t n = 0; n < ESTIMATE_OPERANDS; n++)
        submit(s, op, estimate_operand(n), 0, 0);
}

static void submit_random(struct stream *s, unsigned op) {
    uint32_t x[3];
    random_operands(s->rng, x);
    if (op == OP_fcvt_s_w || op == OP_fcvt_s_wu)
        x[0] = (uint32_t)((int32_t)rng_next(s->rng) >> rng_below(s->rng, 32));
    submit(s, op, x[0], x[1], x[2]);
}

/* Instructions first to end - 1 on one CPU. */
static int run(const char *cpu, const char *program, unsigned first, unsigned end, uint64_t cases,
               struct rng *rng) {
    static struct stream s;
    s = (struct stream){.guest = qemu_start(cpu, program), .rng = rng};
    for (unsigned op = first; op < end && !s.guest.lost; op++) {
        submit_corners(&s, op);
        if (op >= VECTOR_START)
            submit_estimates(&s, op);
    }
    for (uint64_t i = 0; i < cases && !s.guest.lost; i++)
        submit_random(&s, first + rng_below(rng, end - first));
    flush(&s);
    int status = qemu_stop(&s.guest);
    if (status != 0)
        return status;
    printf("%s to %s: %llu instructions compared, %llu differences\n", op_names[first], op_names[end - 1],
           (unsigned long long)s.compared, (unsigned long long)s.differences);
    return s.differences != 0;
}

int main(int argc, char **argv) {
    if (argc != 2 || !qemu_can_run(argv[1]))
        return QEMU_SKIPPED;
    struct rng rng = {test_seed()};
    uint64_t cases = env_number("KARAT_FP_CASES", 1000000);
    int status = run(scalar_cpu, argv[1], 0, SCALAR_END, cases, &rng);
    if (status == 0)
        status = run(vector_cpu, argv[1], VECTOR_START, VECTOR_END, cases / 8, &rng);
    return status;
}
