/* A program under QEMU's user mode emulation of riscv32 or riscv64, with pipes to its standard input and
 * output. KARAT_QEMU_RISCV32 and KARAT_QEMU_RISCV64 name the emulators (qemu-riscv32, qemu-riscv64). */
#ifndef KARAT_TESTS_QEMU_QEMU_H
#define KARAT_TESTS_QEMU_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { QEMU_SKIPPED = 77 }; /* A test's exit code where something that it needs is missing */

struct qemu {
    pid_t pid;
    int to, from;
    const char *cpu;
    bool lost; /* The guest is gone */
};

/* Whether the guest program was built; says so where not. */
bool qemu_can_run(const char *program);

/* The cpu is the emulator's -cpu, and starts with rv32 or rv64: which of the two emulators. */
struct qemu qemu_start(const char *cpu, const char *program);

/* False if the guest is gone. Neither waits for the other direction: guests have to read all of a request
 * before they answer, or requests and answers have to fit a pipe (64 KiB). */
bool qemu_send(struct qemu *q, const void *bytes, size_t size);
bool qemu_receive(struct qemu *q, void *bytes, size_t size);

/* Closes the pipes and waits. 0, or what the test has to exit with: QEMU_SKIPPED where there is no emulator,
 * 1 where the guest did not end by itself. Says which. */
int qemu_stop(struct qemu *q);

#endif
