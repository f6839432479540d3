/* A device: memory, image, settings. Private to driver/. */
#ifndef KARAT_DRIVER_DEVICE_H
#define KARAT_DRIVER_DEVICE_H

#include <pthread.h>

#include "karat_driver.h"
#include "run_session.h"

enum { DEVICE_PAGE = 4096 };
#define DEVICE_FIRST UINT64_C(0x90000000)  /* Of the buffers */
#define DEVICE_END   UINT64_C(0x100000000) /* Of the address space */

typedef struct device_buffer {
    uint64_t base, size;
    uint64_t kernels; /* Of one that was freed: kernels that had run then */
} device_buffer;

typedef struct device {
    struct device *next; /* Of all that are open */
    pthread_mutex_t lock;
    uint32_t users; /* Calls that have it, or wait for it */
    bool closed;

    /* The environment */
    uint32_t threads; /* 0: as the kernel wants */
    bool has_profile;
    karat_profile profile;
    uint32_t strict;    /* KARAT_STRICT_* */
    uint64_t limit;     /* Instructions of a kernel; 0: none */
    char *record;       /* Folder; NULL: none */
    char *core;         /* Command of the harness that kernels run on; NULL: the model */
    char *strict_words; /* For it */
    char folder[512];   /* For its files, where they are not recorded; empty: none */
    FILE *trace;        /* All devices have the same; NULL: none */

    karat_model *model; /* Memory is its memory */
    device_buffer *buffers, *freed;
    uint32_t num_buffers, num_freed; /* Ascending; in the order in which they were freed */
    uint64_t next_base;
    karat_buffer *locals; /* Local memory that hosts have written to, for the kernel that starts next */
    uint32_t num_locals;
    karat_kernel *image; /* NULL: nothing was uploaded */
    char *image_path;
    uint64_t kernels, steps;
    bool failed;      /* A kernel, since the last wait */
    bool shares_said; /* One line about private memory that workgroups share */
} device;

/* One line on standard error. */
void driver_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Standard error and the files of the process are this thread's alone until driver_unlock(): for functions of
 * the command, which report by themselves. */
void driver_lock(void);
void driver_unlock(void);

/* NULL: an error was reported. */
device *device_create(void);
void device_destroy(device *d);

/* False: an error was reported, which begins with the function's name. */
bool device_alloc(device *d, const char *function, uint64_t size, uint64_t *addr);
bool device_free(device *d, const char *function, uint64_t addr, uint64_t size);
/* Whether it is local memory, all of it; and such memory that a host writes to: the next kernel's workgroups
 * have it, cleared. */
bool device_is_local(const device *d, uint64_t addr, uint64_t size);
void device_drop_locals(device *d);
bool device_take_local(device *d, const char *function, uint64_t addr, uint64_t size);
bool device_may_copy(const device *d, const char *function, uint64_t addr, uint64_t size);
bool device_upload(device *d, const char *function, const char *path, const void *bytes, size_t size);

/* The buffer with that byte; NULL: none has. The one that had it and was freed last. */
const device_buffer *device_find(const device *d, uint64_t addr);
const device_buffer *device_find_freed(const device *d, uint64_t addr);
/* All memory as a list: the image's segments, and the buffers. free(). NULL: memory is short. */
karat_buffer *device_list(const device *d, uint32_t *num);
/* The device's memory in a new model of that configuration. NULL, with one line in *diag, where there is
 * none; is_empty: nothing is mapped in it. */
karat_model *device_move(const device *d, const karat_config *config, bool is_empty, karat_status *status);

typedef struct core_files {
    const char *metadata, *recording, *memory;
} core_files;
/* Run the kernel of that .metadata on the core, record it, and take the memory that it leaves (core.c).
 * False: it did not pass, or cannot be run; an error was reported. */
bool core_run(device *d, const char *kernel, const core_files *files);

/* Run a kernel (launch.c). False: it cannot be started; an error was reported. */
bool device_start(device *d, const vt_kernel *kernel);

#endif
