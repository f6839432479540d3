/* Runs under qemu-riscv32 or qemu-riscv64: executes batches of code from stdin and writes what it leaves to
 * stdout. */
#include "guest.h"
#include "qemu_batch.h"

#if __riscv_xlen == 64
#define SAVE    "sd"
#define RESTORE "ld"
#else
#define SAVE    "sw"
#define RESTORE "lw"
#endif
/* Callee-saved registers at t0. */
#define REGISTER(op, reg, slot) op " " #reg ", 8*" #slot "(t0)\n"
#define REGISTERS(op)                                                                                        \
    REGISTER(op, ra, 0)                                                                                      \
    REGISTER(op, sp, 1)                                                                                      \
    REGISTER(op, gp, 2)                                                                                      \
    REGISTER(op, tp, 3)                                                                                      \
    REGISTER(op, s0, 4)                                                                                      \
    REGISTER(op, s1, 5)                                                                                      \
    REGISTER(op, s2, 6)                                                                                      \
    REGISTER(op, s3, 7)                                                                                      \
    REGISTER(op, s4, 8)                                                                                      \
    REGISTER(op, s5, 9)                                                                                      \
    REGISTER(op, s6, 10)                                                                                     \
    REGISTER(op, s7, 11)                                                                                     \
    REGISTER(op, s8, 12)                                                                                     \
    REGISTER(op, s9, 13)                                                                                     \
    REGISTER(op, s10, 14)                                                                                    \
    REGISTER(op, s11, 15)

/* Calls code that keeps no register at all: not even the stack pointer. */
void run(u32 *code, const u32 *in, u32 *out);
void run_return(void);
__asm__("    .bss\n"
        "    .balign 8\n"
        "saved: .space 128\n"
        "    .text\n"
        "    .option norelax\n"
        "run:\n"
        "    la t0, saved\n" REGISTERS(SAVE) "    mv x30, a1\n    mv x31, a2\n"
                                             "    jr a0\n"
                                             "run_return:\n"
                                             "    la t0, saved\n" REGISTERS(RESTORE) "    ret\n");

static _Alignas(8) u32 in[MAX_DATA], out[MAX_DATA];

void _start(void) {
    enum { READ_WRITE_EXECUTE = 7, PRIVATE_ANONYMOUS = 0x22 };
    long area = system_call(SYS_MMAP, 0, 4 * (MAX_CODE + 2), READ_WRITE_EXECUTE, PRIVATE_ANONYMOUS, -1, 0);
    if (area < 0 && area > -4096)
        leave(2);
    u32 *code = (u32 *)area;
    for (;;) {
        struct header h;
        get(&h, sizeof h);
        if (h.code_words > MAX_CODE || h.in_words * h.passes > MAX_DATA || h.out_words * h.passes > MAX_DATA)
            leave(3);
        get(code, 4 * h.code_words);
        get(in, 4 * h.in_words * h.passes);
        /* The way back, by way of x30: lui x30, high; jalr x0, low(x30). */
        u32 back = (u32)(uintptr_t)run_return;
        code[h.code_words] = ((back + 0x800) & 0xfffff000) | 30 << 7 | 0x37;
        code[h.code_words + 1] = back << 20 | 30 << 15 | 0x67;
        __asm__ volatile("fence.i" ::: "memory");
        for (u32 pass = 0; pass < h.passes; pass++)
            run(code, in + pass * h.in_words, out + pass * h.out_words);
        put(out, 4 * h.out_words * h.passes);
    }
}
