/* Runs under qemu-riscv64: reads requests from stdin, executes the instruction, writes replies to stdout. */
#include "fp_qemu_ops.h"
#include "guest.h"

/* Each one sets frm and clears fflags first; the instructions use the dynamic rounding mode. in is the suffix
 * that moves a format between the registers: h, w or d. */
#define RUN(in, instruction)                                                                                 \
    __asm__ volatile("csrw fcsr, %[fcsr]\n\t"                                                                \
                     "fmv." in ".x ft0, %[a]\n\tfmv." in ".x ft1, %[b]\n\tfmv." in                           \
                     ".x ft2, %[c]\n\t" instruction "\n\tcsrr %[flags], fflags"                              \
                     : [value] "=&r"(out.value), [flags] "=&r"(out.flags)                                    \
                     : [fcsr] "r"((uint64_t)q->rm << 5), [a] "r"(q->a), [b] "r"(q->b), [c] "r"(q->c)         \
                     : "ft0", "ft1", "ft2", "ft3")

#define RUN_TO_FLOAT(in, instruction, to) RUN(in, instruction "\n\tfmv.x." to " %[value], ft3")

/* A vector instruction on elements of from bits, where SEW is sew: a wider source, or a wider result, has two
 * registers. */
#define RUN_VECTOR(from, sew, to, instruction)                                                               \
    RUN("w", "vsetivli zero, 1, e" from ", m1, ta, ma\n\tvmv.v.x v8, %[a]\n\t"                               \
             "vsetivli zero, 1, e" sew ", m1, ta, ma\n\t" instruction " v10, v8\n\t"                         \
             "vsetivli zero, 1, e" to ", m1, ta, ma\n\tvmv.x.s %[value], v10")

#define CASE(name, run)                                                                                      \
    case OP_##name: run; break

/* Operations that all formats have. s is the suffix of the format, sew its width. */
#define CASES(s, in, sew)                                                                                    \
    CASE(fadd, RUN_TO_FLOAT(in, "fadd." s " ft3, ft0, ft1", in));                                            \
    CASE(fsub, RUN_TO_FLOAT(in, "fsub." s " ft3, ft0, ft1", in));                                            \
    CASE(fmul, RUN_TO_FLOAT(in, "fmul." s " ft3, ft0, ft1", in));                                            \
    CASE(fdiv, RUN_TO_FLOAT(in, "fdiv." s " ft3, ft0, ft1", in));                                            \
    CASE(fsqrt, RUN_TO_FLOAT(in, "fsqrt." s " ft3, ft0", in));                                               \
    CASE(fmadd, RUN_TO_FLOAT(in, "fmadd." s " ft3, ft0, ft1, ft2", in));                                     \
    CASE(fmsub, RUN_TO_FLOAT(in, "fmsub." s " ft3, ft0, ft1, ft2", in));                                     \
    CASE(fnmadd, RUN_TO_FLOAT(in, "fnmadd." s " ft3, ft0, ft1, ft2", in));                                   \
    CASE(fnmsub, RUN_TO_FLOAT(in, "fnmsub." s " ft3, ft0, ft1, ft2", in));                                   \
    CASE(fmin, RUN_TO_FLOAT(in, "fmin." s " ft3, ft0, ft1", in));                                            \
    CASE(fmax, RUN_TO_FLOAT(in, "fmax." s " ft3, ft0, ft1", in));                                            \
    CASE(feq, RUN(in, "feq." s " %[value], ft0, ft1"));                                                      \
    CASE(flt, RUN(in, "flt." s " %[value], ft0, ft1"));                                                      \
    CASE(fle, RUN(in, "fle." s " %[value], ft0, ft1"));                                                      \
    CASE(fclass, RUN(in, "fclass." s " %[value], ft0"));                                                     \
    CASE(fsgnj, RUN_TO_FLOAT(in, "fsgnj." s " ft3, ft0, ft1", in));                                          \
    CASE(fsgnjn, RUN_TO_FLOAT(in, "fsgnjn." s " ft3, ft0, ft1", in));                                        \
    CASE(fsgnjx, RUN_TO_FLOAT(in, "fsgnjx." s " ft3, ft0, ft1", in));                                        \
    CASE(from_w, RUN_TO_FLOAT(in, "fcvt." s ".w ft3, %[a]", in));                                            \
    CASE(from_wu, RUN_TO_FLOAT(in, "fcvt." s ".wu ft3, %[a]", in));                                          \
    CASE(from_l, RUN_TO_FLOAT(in, "fcvt." s ".l ft3, %[a]", in));                                            \
    CASE(from_lu, RUN_TO_FLOAT(in, "fcvt." s ".lu ft3, %[a]", in));                                          \
    CASE(to_w, RUN(in, "fcvt.w." s " %[value], ft0, dyn"));                                                  \
    CASE(to_wu, RUN(in, "fcvt.wu." s " %[value], ft0, dyn"));                                                \
    CASE(to_l, RUN(in, "fcvt.l." s " %[value], ft0, dyn"));                                                  \
    CASE(to_lu, RUN(in, "fcvt.lu." s " %[value], ft0, dyn"));                                                \
    CASE(vfrec7, RUN_VECTOR(sew, sew, sew, "vfrec7.v"));                                                     \
    CASE(vfrsqrt7, RUN_VECTOR(sew, sew, sew, "vfrsqrt7.v"))

static struct reply execute_16(const struct request *q) {
    struct reply out = {0, 0};
    switch (q->op) {
        CASES("h", "h", "16");
        CASE(widen, RUN_TO_FLOAT("h", "fcvt.s.h ft3, ft0", "w"));
        CASE(to_b, RUN_VECTOR("16", "8", "8", "vfncvt.x.f.w"));
        CASE(to_bu, RUN_VECTOR("16", "8", "8", "vfncvt.xu.f.w"));
        CASE(to_h, RUN_VECTOR("16", "16", "16", "vfcvt.x.f.v"));
        CASE(to_hu, RUN_VECTOR("16", "16", "16", "vfcvt.xu.f.v"));
    default: leave(2);
    }
    return out;
}

static struct reply execute_32(const struct request *q) {
    struct reply out = {0, 0};
    switch (q->op) {
        CASES("s", "w", "32");
        CASE(widen, RUN_TO_FLOAT("w", "fcvt.d.s ft3, ft0", "d"));
        CASE(narrow, RUN_TO_FLOAT("w", "fcvt.h.s ft3, ft0, dyn", "h"));
        CASE(narrow_rod, RUN_VECTOR("32", "16", "16", "vfncvt.rod.f.f.w"));
        CASE(to_h, RUN_VECTOR("32", "16", "16", "vfncvt.x.f.w"));
        CASE(to_hu, RUN_VECTOR("32", "16", "16", "vfncvt.xu.f.w"));
    default: leave(2);
    }
    return out;
}

static struct reply execute_64(const struct request *q) {
    struct reply out = {0, 0};
    switch (q->op) {
        CASES("d", "d", "64");
        CASE(narrow, RUN_TO_FLOAT("d", "fcvt.s.d ft3, ft0, dyn", "w"));
        CASE(narrow_rod, RUN_VECTOR("64", "32", "32", "vfncvt.rod.f.f.w"));
    default: leave(2);
    }
    return out;
}

static struct reply execute(const struct request *q) {
    return q->bits == 16 ? execute_16(q) : q->bits == 32 ? execute_32(q) : execute_64(q);
}

static union {
    struct request requests[BATCH];
    char bytes[BATCH * sizeof(struct request)];
} input;

static struct reply replies[BATCH];

void _start(void) {
    u32 filled = 0;
    for (;;) {
        long got =
            system_call(SYS_READ, 0, (long)(input.bytes + filled), sizeof input.bytes - filled, 0, 0, 0);
        if (got <= 0)
            leave(got == 0 && filled == 0 ? 0 : 1);
        filled += (u32)got;
        u32 count = filled / sizeof(struct request), used = count * sizeof(struct request);
        for (u32 i = 0; i < count; i++)
            replies[i] = execute(&input.requests[i]);
        put(replies, count * sizeof(struct reply));
        /* Keep the part of a request that a short read may have left. */
        for (u32 i = used; i < filled; i++)
            input.bytes[i - used] = input.bytes[i];
        filled -= used;
    }
}
