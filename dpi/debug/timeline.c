#include "timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc.h"

enum {
    MAX_SNAPSHOT = 64,
    MAX_FILE = 256, /* Descriptors that are looked through for files that the run reads */
    LOOK = 100      /* Milliseconds between the supervisor's looks at the run */
};

/* In shared memory. */
typedef struct timeline_common {
    uint32_t num, room; /* Snapshots, by position */
    uint64_t interval;
    uint64_t memory; /* Bytes for all of them */
    struct entry {
        uint64_t position;
        pid_t pid;
    } at[MAX_SNAPSHOT];
    pid_t run; /* 0: handed over at the moment */
    pid_t supervisor;
    bool over;
    int status;
} common;

karat_timeline *karat_timeline_create(unsigned snapshots, uint64_t first_interval, size_t size) {
    karat_timeline *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    const size_t offset = (sizeof *t->common + 63) & ~(size_t)63;
    t->size = offset + size;
    sigset_t wake;
    sigemptyset(&wake);
    sigaddset(&wake, SIGUSR1);
    t->wake = signalfd(-1, &wake, SFD_CLOEXEC);
    t->life[0] = t->life[1] = -1;
    void *map = mmap(NULL, t->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    t->common = map == MAP_FAILED ? NULL : map;
    if (!t->common || t->wake < 0 || pipe2(t->life, O_CLOEXEC)) {
        karat_timeline_destroy(t);
        return NULL;
    }
    t->shared = (uint8_t *)map + offset;
    t->common->room = snapshots < 2 ? 2 : snapshots > MAX_SNAPSHOT ? MAX_SNAPSHOT : snapshots;
    t->common->interval = first_interval ? first_interval : 1;
    t->common->memory = karat_proc_bytes("/proc/meminfo", "MemAvailable") / 2;
    return t;
}

void karat_timeline_destroy(karat_timeline *t) {
    if (!t)
        return;
    const int descriptors[] = {t->wake, t->life[0], t->life[1]};
    for (unsigned i = 0; i < 3; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
    if (t->common)
        munmap(t->common, t->size);
    free(t);
}

unsigned karat_timeline_snapshots(const karat_timeline *t, uint64_t *interval) {
    *interval = t->common->interval;
    return t->common->num;
}

/* --- Supervisor --- */

static void supervise(karat_timeline *t) {
    const volatile common *c = t->common;
    const struct timespec pause = {.tv_nsec = LOOK * 1000000L};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    while (!c->over) {
        sigtimedwait(&child, NULL, &pause);
        while (waitpid(-1, NULL, WNOHANG) > 0) /* Also of those whose parents have ended */
            ;
        const pid_t run = c->run;
        if (run && kill(run, 0) && run == c->run && !c->over)
            break; /* It went away without a word */
    }
    close(t->life[1]); /* All others end now */
    t->life[1] = -1;
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
}

_Noreturn void karat_timeline_end(karat_timeline *t, int status) {
    fflush(NULL);
    t->common->status = status;
    t->common->over = true;
    kill(t->common->supervisor, SIGCHLD); /* It is no parent of this process */
    _exit(0);
}

/* --- Snapshots --- */

/* Every other one ends; the first stays. */
static void thin(karat_timeline *t) {
    common *c = t->common;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->num; i++)
        if (i % 2)
            kill(c->at[i].pid, SIGKILL); /* It sleeps, and has nothing to lose */
        else
            c->at[kept++] = c->at[i];
    c->num = kept;
    c->interval *= 2;
}

/* Where a process reads files: it shares the places with all that it forks. */
typedef struct places {
    off_t at[MAX_FILE];
} places;

static bool is_input(int fd) {
    struct stat s;
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && !fstat(fd, &s) && S_ISREG(s.st_mode);
}

static void note_places(places *p) {
    for (int fd = STDERR_FILENO + 1; fd < MAX_FILE; fd++)
        p->at[fd] = is_input(fd) ? lseek(fd, 0, SEEK_CUR) : -1;
}

static void restore_places(const places *p) {
    for (int fd = STDERR_FILENO + 1; fd < MAX_FILE; fd++)
        if (p->at[fd] >= 0)
            lseek(fd, p->at[fd], SEEK_SET);
}

/* The snapshot's sleep. Returns in each child that is the run from then on. */
static void sleep_until_woken(const karat_timeline *t, const places *files) {
    for (;;) {
        struct pollfd wait[2] = {{t->life[0], POLLIN, 0}, {t->wake, POLLIN, 0}};
        struct signalfd_siginfo signal;
        if (poll(wait, 2, -1) < 0)
            continue;
        if (wait[0].revents)
            _exit(0);
        if (!(wait[1].revents & POLLIN) || read(t->wake, &signal, sizeof signal) != sizeof signal)
            continue;
        const pid_t pid = fork();
        if (!pid) {
            restore_places(files);
            t->common->run = getpid();
            return;
        }
        if (pid < 0) { /* No process can be made: the run cannot go on */
            t->common->status = -1;
            t->common->over = true;
        }
    }
}

/* True in a process that comes from that snapshot. */
static bool take_snapshot(karat_timeline *t) {
    common *c = t->common;
    /* Each needs at most what the run has now: that is what it does not share with the others when the run
     * has written to all of it. */
    const uint64_t each = karat_proc_bytes("/proc/self/status", "RssAnon");
    while (c->num == c->room || (c->num > 2 && (c->num + 1) * each > c->memory))
        thin(t);
    fflush(NULL);
    places files;
    note_places(&files);
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0)
        return false; /* One less */
    if (pid) {
        const struct sigaction ignore = {.sa_handler = SIG_IGN};
        struct sigaction interrupt, child;
        sigaction(SIGINT, &ignore, &interrupt); /* Of the terminal: the run's business */
        sigaction(SIGCHLD, &ignore, &child);    /* Nobody waits for the processes that it forks */
        sleep_until_woken(t, &files);
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGCHLD, &child, NULL);
        return true;
    }
    c->at[c->num++] = (struct entry){t->position, parent};
    c->run = getpid();
    return false;
}

static void plan_next(karat_timeline *t) {
    const common *c = t->common;
    const uint64_t last = c->num ? c->at[c->num - 1].position : 0;
    t->next = (last > t->position ? last : t->position) + c->interval;
}

bool karat_timeline_start(karat_timeline *t, int *status) {
    *status = -1;
    sigset_t child, wake, before;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigemptyset(&wake);
    sigaddset(&wake, SIGUSR1);
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) || sigprocmask(SIG_BLOCK, &child, &before))
        return false;
    fflush(NULL);
    t->common->supervisor = getpid();
    const pid_t pid = fork();
    if (pid < 0)
        return false;
    if (pid) {
        struct sigaction ignore = {.sa_handler = SIG_IGN}, was;
        t->common->run = t->common->run ? t->common->run : pid;
        sigaction(SIGINT, &ignore, &was); /* The run's business */
        supervise(t);
        *status = t->common->over ? t->common->status : -1;
        sigaction(SIGINT, &was, NULL);
        sigprocmask(SIG_SETMASK, &before, NULL);
        return false;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigprocmask(SIG_BLOCK, &wake, NULL);
    close(t->life[1]);
    t->life[1] = -1;
    t->common->run = getpid();
    take_snapshot(t);
    plan_next(t);
    return true;
}

bool karat_timeline_pass(karat_timeline *t) {
    const common *c = t->common;
    t->position++;
    if (t->position < t->next)
        return false;
    const bool woken = (!c->num || t->position > c->at[c->num - 1].position) && take_snapshot(t);
    plan_next(t);
    return woken;
}

uint64_t karat_timeline_before(const karat_timeline *t, uint64_t position) {
    const common *c = t->common;
    uint64_t found = c->num ? c->at[0].position : 0;
    for (uint32_t i = 0; i < c->num && c->at[i].position <= position; i++)
        found = c->at[i].position;
    return found;
}

_Noreturn void karat_timeline_seek(karat_timeline *t, uint64_t position) {
    common *c = t->common;
    uint32_t i = 0;
    while (i + 1 < c->num && c->at[i + 1].position <= position)
        i++;
    fflush(NULL);
    c->run = 0;
    while (kill(c->at[i].pid, SIGUSR1)) { /* Memory was short, and it was ended */
        if (!i)
            karat_timeline_end(t, -1);
        memmove(&c->at[i], &c->at[i + 1], (--c->num - i) * sizeof *c->at);
        i--;
    }
    _exit(0);
}

void karat_timeline_forget(karat_timeline *t) {
    common *c = t->common;
    while (c->num > 1 && c->at[c->num - 1].position > t->position)
        kill(c->at[--c->num].pid, SIGKILL);
    plan_next(t);
}
