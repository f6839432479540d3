#include "snapshots.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "proc.h"

enum {
    ALIVE = 2,
    LOOK = 5 /* Milliseconds between the run's looks at a snapshot that works */
};

typedef struct snapshot {
    uint64_t cycle;
    pid_t pid;
    int orders; /* The run's end of a connection */
} snapshot;

struct karat_snapshots {
    uint64_t interval, next;
    uint64_t memory; /* Bytes for all of them */
    uint32_t num;
    snapshot at[ALIVE]; /* Oldest first */
};

karat_snapshots *karat_snapshots_create(uint64_t interval) {
    karat_snapshots *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->interval = interval ? interval : 1;
    s->memory = karat_proc_bytes("/proc/meminfo", "MemAvailable") / 2;
    return s;
}

uint64_t karat_snapshots_next(const karat_snapshots *s) {
    return s->next;
}

/* It sleeps, and has nothing to lose; or nobody wants its results. */
static void end(const snapshot *x) {
    close(x->orders);
    kill(x->pid, SIGKILL);
    while (waitpid(x->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

void karat_snapshots_destroy(karat_snapshots *s) {
    for (uint32_t i = 0; s && i < s->num; i++)
        end(&s->at[i]);
    free(s);
}

/* Signals have their own effects in a snapshot: the run's handlers would remove the run's files. */
static void default_signals(void) {
    struct sigaction action = {.sa_handler = SIG_DFL}, now;
    sigemptyset(&action.sa_mask);
    for (int i = 1; i < SIGRTMIN; i++)
        if (!sigaction(i, NULL, &now) && now.sa_handler != SIG_IGN)
            sigaction(i, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGINT, &action, NULL); /* The terminal's, which the run answers */
}

/* Its end of file is the end of the run. */
static bool read_order(int fd, void *order, size_t size) {
    size_t have = 0;
    while (have < size) {
        const ssize_t n = read(fd, (char *)order + have, size - have);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        have += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* In the child. Returns where it is woken. */
static void sleep_until_woken(karat_snapshots *s, pid_t run, const int ends[2], void *order, size_t size) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != run)
        _exit(1);
    default_signals();
    for (uint32_t i = 0; i < s->num; i++)
        close(s->at[i].orders); /* Otherwise an older snapshot would not see the end of the run */
    close(ends[1]);
    s->num = 0;
    s->next = UINT64_MAX;
    if (!read_order(ends[0], order, size))
        _exit(0);
    close(ends[0]);
}

static bool fits(const karat_snapshots *s) {
    /* Each takes at most what the run has now: what it does not share when the run has written to all of
     * it. */
    const uint64_t each = karat_proc_bytes("/proc/self/status", "RssAnon");
    return (s->num < ALIVE ? s->num + 1 : ALIVE) * each <= s->memory;
}

bool karat_snapshots_pass(karat_snapshots *s, uint64_t cycle, void *order, size_t size) {
    int ends[2];
    if (cycle < s->next)
        return false;
    s->next = cycle + s->interval;
    if (!fits(s) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return false;
    const pid_t run = getpid(), pid = fork();
    if (!pid) {
        sleep_until_woken(s, run, ends, order, size);
        return true;
    }
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return false;
    }
    if (s->num == ALIVE) {
        end(&s->at[0]);
        s->at[0] = s->at[1];
        s->num--;
    }
    s->at[s->num++] = (snapshot){cycle, pid, ends[1]};
    return false;
}

int karat_snapshots_wake(karat_snapshots *s, uint64_t cycle, uint64_t last, const void *order, size_t size,
                         int (*stop)(void), uint64_t *from) {
    const struct timespec pause = {.tv_nsec = LOOK * 1000000L};
    uint32_t i = s->num;
    while (i > 1 && s->at[i - 1].cycle > cycle)
        i--;
    if (!i || s->at[i - 1].cycle > last)
        return -1;
    const snapshot x = s->at[--i];
    *from = x.cycle;
    if (send(x.orders, order, size, MSG_NOSIGNAL) != (ssize_t)size)
        return -1;
    int status = 0;
    pid_t ended = 0;
    while (!ended && !stop()) {
        ended = waitpid(x.pid, &status, WNOHANG);
        if (!ended)
            nanosleep(&pause, NULL);
    }
    if (!ended)
        return -1; /* It ends with the others */
    close(x.orders);
    memmove(&s->at[i], &s->at[i + 1], (--s->num - i) * sizeof *s->at);
    return ended == x.pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
