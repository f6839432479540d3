/* For programs that run under qemu-riscv32 or qemu-riscv64. There is no C library for these here, so system
 * calls are made by hand. */
#ifndef KARAT_TESTS_QEMU_GUEST_H
#define KARAT_TESTS_QEMU_GUEST_H

#include <stdint.h>

typedef uint32_t u32;

/* Linux' numbers on both */
enum { SYS_READ = 63, SYS_WRITE = 64, SYS_EXIT = 93, SYS_MMAP = 222 };

static inline long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a3 __asm__("a3") = d;
    register long a4 __asm__("a4") = e;
    register long a5 __asm__("a5") = f;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7) : "memory");
    return a0;
}

static inline void leave(int code) {
    system_call(SYS_EXIT, code, 0, 0, 0, 0, 0);
}

/* All of size bytes from stdin. Its end before the first byte is the end of the program. */
static inline void get(void *to, u32 size) {
    for (char *at = to; size > 0;) {
        long got = system_call(SYS_READ, 0, (long)at, (long)size, 0, 0, 0);
        if (got <= 0)
            leave(got == 0 && at == to ? 0 : 1);
        at += got;
        size -= (u32)got;
    }
}

/* All of size bytes to stdout. */
static inline void put(const void *from, u32 size) {
    for (const char *at = from; size > 0;) {
        long sent = system_call(SYS_WRITE, 1, (long)at, (long)size, 0, 0, 0);
        if (sent <= 0)
            leave(1);
        at += sent;
        size -= (u32)sent;
    }
}

#endif
