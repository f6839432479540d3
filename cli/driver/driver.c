/* The functions of the interface. */
#include "device.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- Devices --- */

static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
static device *devices;

/* The device of that handle, for this call alone. NULL: an error was reported. */
static device *enter(vt_device_h handle, const char *function) {
    pthread_mutex_lock(&all);
    device *d = devices;
    while (d && (d != handle || d->closed))
        d = d->next;
    if (d)
        d->users++;
    pthread_mutex_unlock(&all);
    if (!d) {
        driver_say("%s: expected a device that is open", function);
        return NULL;
    }
    pthread_mutex_lock(&d->lock);
    return d;
}

static int leave(device *d, bool good) {
    pthread_mutex_unlock(&d->lock);
    pthread_mutex_lock(&all);
    const bool last = --d->users == 0 && d->closed;
    for (device **link = &devices; last && *link; link = *link ? &(*link)->next : link)
        if (*link == d)
            *link = d->next;
    pthread_mutex_unlock(&all);
    if (last)
        device_destroy(d);
    return good ? 0 : -1;
}

int vt_dev_open(vt_device_h *handle) {
    if (!handle) {
        driver_say("vt_dev_open: expected a place for the device");
        return -1;
    }
    device *d = device_create();
    if (!d)
        return -1;
    pthread_mutex_lock(&all);
    d->next = devices;
    devices = d;
    pthread_mutex_unlock(&all);
    *handle = d;
    return 0;
}

/* Calls of other threads that have begun end first. */
int vt_dev_close(vt_device_h handle) {
    device *d = enter(handle, "vt_dev_close");
    if (!d)
        return -1;
    pthread_mutex_lock(&all);
    const bool again = d->closed; /* By another thread, which came first */
    d->closed = true;
    pthread_mutex_unlock(&all);
    return leave(d, !again);
}

int vt_dev_caps(vt_device_h *handle, uint64_t id, uint64_t *value) {
    (void)handle;
    uint64_t threads;
    const char *text = getenv("KARAT_THREADS");
    if (!value)
        return -1;
    switch (id) {
    case VT_CAPS_VERSION: *value = KARAT_API_VERSION; return 0;
    case VT_CAPS_MAX_CORES: *value = 1; return 0;
    case VT_CAPS_MAX_WARPS: *value = 8; return 0; /* As the public cores */
    case VT_CAPS_MAX_THREADS:
        *value = text && cli_number(text, KARAT_MAX_THREAD, &threads) && threads ? threads : KARAT_MAX_THREAD;
        return 0;
    case VT_CAPS_LOCAL_MEM_SIZE: *value = 128 << 10; return 0; /* As the public cores */
    case VT_CAPS_ALLOC_BASE_ADDR: *value = DEVICE_FIRST; return 0;
    case VT_CAPS_KERNEL_BASE_ADDR: *value = 0x80000000; return 0;
    case VT_CAPS_MAX_WG_SLOTS: *value = 1; return 0; /* One after the other */
    default: return -1;
    }
}

int vt_root_mem_alloc(vt_device_h handle, int task) {
    (void)task;
    device *d = enter(handle, __func__);
    return d ? leave(d, true) : -1;
}

int vt_root_mem_free(vt_device_h handle, int task) {
    (void)task;
    device *d = enter(handle, __func__);
    return d ? leave(d, true) : -1;
}

/* --- Memory --- */

int vt_buf_alloc(vt_device_h handle, uint64_t size, uint64_t *addr, int type, uint64_t task,
                 uint64_t kernel) {
    (void)type, (void)task, (void)kernel;
    device *d = enter(handle, __func__);
    return d ? leave(d, device_alloc(d, __func__, size, addr)) : -1;
}

static int free_buffer(vt_device_h handle, const char *function, uint64_t size, const uint64_t *addr) {
    device *d = enter(handle, function);
    if (!d)
        return -1;
    if (!addr)
        driver_say("%s: expected the address of a buffer", function);
    return leave(d, addr && device_free(d, function, *addr, size));
}

int vt_buf_free(vt_device_h handle, uint64_t size, uint64_t *addr, uint64_t task, uint64_t kernel) {
    (void)task, (void)kernel;
    return free_buffer(handle, __func__, size, addr);
}

int vt_one_buf_free(vt_device_h handle, uint64_t size, uint64_t *addr, uint64_t task, uint64_t kernel) {
    (void)task, (void)kernel;
    return free_buffer(handle, __func__, size, addr);
}

/* Whether a copy of that many bytes can be made; none are none. */
static bool may_copy(const device *d, const char *function, uint64_t addr, const void *host, uint64_t size) {
    if (!size)
        return false;
    if (host && size <= SIZE_MAX)
        return device_may_copy(d, function, addr, size);
    driver_say("%s: expected memory of the host", function);
    return false;
}

int vt_copy_to_dev(vt_device_h handle, uint64_t addr, const void *from, uint64_t size, uint64_t task,
                   uint64_t kernel) {
    (void)task, (void)kernel;
    device *d = enter(handle, __func__);
    if (!d)
        return -1;
    if (from && size && device_is_local(d, addr, size))
        return leave(d, device_take_local(d, __func__, addr, size));
    const bool may = may_copy(d, __func__, addr, from, size);
    return leave(d, may ? karat_write(d->model, addr, from, (size_t)size) == KARAT_OK : !size);
}

int vt_copy_from_dev(vt_device_h handle, uint64_t addr, void *to, uint64_t size, uint64_t task,
                     uint64_t kernel) {
    (void)task, (void)kernel;
    device *d = enter(handle, __func__);
    if (!d)
        return -1;
    const bool may = may_copy(d, __func__, addr, to, size);
    return leave(d, may ? karat_read(d->model, addr, to, (size_t)size) == KARAT_OK : !size);
}

/* --- Kernels --- */

int vt_upload_kernel_file(vt_device_h handle, const char *path, int task) {
    (void)task;
    device *d = enter(handle, __func__);
    if (!d)
        return -1;
    if (!path)
        driver_say("%s: expected a file's name", __func__);
    return leave(d, path && device_upload(d, __func__, path, NULL, 0));
}

int vt_upload_kernel_bytes(vt_device_h handle, const void *bytes, uint64_t size, int task) {
    (void)task;
    device *d = enter(handle, __func__);
    if (!d)
        return -1;
    if (!bytes || size > SIZE_MAX)
        driver_say("%s: expected the bytes of an ELF file", __func__);
    return leave(d, bytes && size <= SIZE_MAX && device_upload(d, __func__, "(bytes)", bytes, (size_t)size));
}

int vt_start(vt_device_h handle, void *kernel, uint64_t task) {
    (void)task;
    device *d = enter(handle, __func__);
    if (!d)
        return -1;
    if (!kernel)
        driver_say("%s: expected a kernel", __func__);
    return leave(d, kernel && device_start(d, kernel));
}

static int wait_for_all(vt_device_h handle, const char *function) {
    device *d = enter(handle, function);
    if (!d)
        return -1;
    const bool failed = d->failed;
    d->failed = false;
    return leave(d, !failed);
}

int vt_ready_wait(vt_device_h handle, uint64_t timeout) {
    (void)timeout;
    return wait_for_all(handle, __func__);
}

int vt_finish_all_kernel(vt_device_h handle, void *list) {
    (void)list;
    return wait_for_all(handle, __func__);
}

int vt_dump_perf(vt_device_h handle, FILE *stream) {
    device *d = enter(handle, __func__);
    if (!d)
        return -1;
    if (stream)
        fprintf(stream, "karat driver: kernels=%" PRIu64 " instructions=%" PRIu64 "\n", d->kernels, d->steps);
    return leave(d, stream != NULL);
}

int vt_set_perf_context(vt_device_h handle, const void *context) {
    (void)context;
    device *d = enter(handle, __func__);
    return d ? leave(d, true) : -1;
}

int vt_clear_perf_context(vt_device_h handle) {
    device *d = enter(handle, __func__);
    return d ? leave(d, true) : -1;
}
