#include "qemu.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_EMULATOR = 127 };

static const char *emulator(const char *cpu) {
    bool is_64 = strncmp(cpu, "rv64", 4) == 0;
    const char *name = getenv(is_64 ? "KARAT_QEMU_RISCV64" : "KARAT_QEMU_RISCV32");
    return name && *name ? name : is_64 ? "qemu-riscv64" : "qemu-riscv32";
}

static void give_up(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

bool qemu_can_run(const char *program) {
    if (program && access(program, R_OK) == 0)
        return true;
    printf("skipped: no guest program (building it takes clang and lld)\n");
    return false;
}

struct qemu qemu_start(const char *cpu, const char *program) {
    int to[2], from[2];
    signal(SIGPIPE, SIG_IGN);
    fflush(stdout);
    if (pipe(to) != 0 || pipe(from) != 0)
        give_up("pipe");
    pid_t pid = fork();
    if (pid < 0)
        give_up("fork");
    if (pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[0]);
        close(to[1]);
        close(from[0]);
        close(from[1]);
        execlp(emulator(cpu), emulator(cpu), "-cpu", cpu, program, (char *)NULL);
        _exit(NO_EMULATOR);
    }
    close(to[0]);
    close(from[1]);
    return (struct qemu){.pid = pid, .to = to[1], .from = from[0], .cpu = cpu};
}

bool qemu_send(struct qemu *q, const void *bytes, size_t size) {
    for (const char *at = bytes; size > 0 && !q->lost;) {
        ssize_t put = write(q->to, at, size);
        if (put <= 0) {
            q->lost = true;
            break;
        }
        at += put;
        size -= (size_t)put;
    }
    return !q->lost;
}

bool qemu_receive(struct qemu *q, void *bytes, size_t size) {
    for (char *at = bytes; size > 0 && !q->lost;) {
        ssize_t got = read(q->from, at, size);
        if (got <= 0) {
            q->lost = true;
            break;
        }
        at += got;
        size -= (size_t)got;
    }
    return !q->lost;
}

int qemu_stop(struct qemu *q) {
    int status = 0;
    close(q->to);
    close(q->from);
    waitpid(q->pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_EMULATOR) {
        printf("skipped: cannot run %s (package qemu-user)\n", emulator(q->cpu));
        return QEMU_SKIPPED;
    }
    if (q->lost || status != 0) {
        printf("the guest ended early on -cpu %s, wait status %#x\n", q->cpu, (unsigned)status);
        return 1;
    }
    return 0;
}
