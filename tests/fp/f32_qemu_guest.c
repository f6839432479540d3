/* Runs under qemu-riscv32: reads requests from stdin, executes the instruction, writes replies to stdout. */
#include "f32_qemu_ops.h"
#include "guest.h"

/* Each one sets frm and clears fflags first; the instructions use the dynamic rounding mode. The
 * pseudo-instructions fscsr and frflags would need F itself, not Zfinx, in this assembler. */
#define RUN(instruction)                                                                                     \
    __asm__ volatile("csrw fcsr, %[fcsr]\n\t" instruction "\n\tcsrr %[flags], fflags"                        \
                     : [value] "=&r"(out.value), [flags] "=&r"(out.flags)                                    \
                     : [fcsr] "r"(fcsr), [a] "r"(in->a), [b] "r"(in->b), [c] "r"(in->c))

#define RUN_VECTOR(instruction)                                                                              \
    RUN("vsetivli zero, 1, e32, m1, ta, ma\n\tvmv.v.x v8, %[a]\n\t" instruction                              \
        " v9, v8\n\tvmv.x.s %[value], v9")

#define CASE(name, instruction)                                                                              \
    case OP_##name: RUN(instruction); break

static struct reply execute(const struct request *in) {
    struct reply out = {0, 0};
    u32 fcsr = (in->op_rm & 7) << 5;
    switch (in->op_rm >> 8) {
        CASE(fadd, "fadd.s %[value], %[a], %[b]");
        CASE(fsub, "fsub.s %[value], %[a], %[b]");
        CASE(fmul, "fmul.s %[value], %[a], %[b]");
        CASE(fdiv, "fdiv.s %[value], %[a], %[b]");
        CASE(fsqrt, "fsqrt.s %[value], %[a]");
        CASE(fmadd, "fmadd.s %[value], %[a], %[b], %[c]");
        CASE(fmsub, "fmsub.s %[value], %[a], %[b], %[c]");
        CASE(fnmadd, "fnmadd.s %[value], %[a], %[b], %[c]");
        CASE(fnmsub, "fnmsub.s %[value], %[a], %[b], %[c]");
        CASE(fmin, "fmin.s %[value], %[a], %[b]");
        CASE(fmax, "fmax.s %[value], %[a], %[b]");
        CASE(feq, "feq.s %[value], %[a], %[b]");
        CASE(flt, "flt.s %[value], %[a], %[b]");
        CASE(fle, "fle.s %[value], %[a], %[b]");
        CASE(fclass, "fclass.s %[value], %[a]");
        CASE(fcvt_w_s, "fcvt.w.s %[value], %[a], dyn");
        CASE(fcvt_wu_s, "fcvt.wu.s %[value], %[a], dyn");
        CASE(fcvt_s_w, "fcvt.s.w %[value], %[a], dyn");
        CASE(fcvt_s_wu, "fcvt.s.wu %[value], %[a], dyn");
        CASE(fsgnj, "fsgnj.s %[value], %[a], %[b]");
        CASE(fsgnjn, "fsgnjn.s %[value], %[a], %[b]");
        CASE(fsgnjx, "fsgnjx.s %[value], %[a], %[b]");
    case OP_vfrec7: RUN_VECTOR("vfrec7.v"); break;
    case OP_vfrsqrt7: RUN_VECTOR("vfrsqrt7.v"); break;
    default: leave(2);
    }
    return out;
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
