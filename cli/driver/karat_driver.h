/* The vt_* interface of the public Ventus driver, as libkarat_driver.so has it: hosts open a device, allocate
 * and copy, upload an ELF file and start kernels. docs/opencl.md is the guide. The kernels run on Karat's
 * model.
 *
 * Functions return 0, or -1 after one line on standard error. Any thread may call them; calls on one device
 * are taken one after the other. Task and kernel numbers, and types of buffers, have no meaning here: a
 * device has one address space. */
#ifndef KARAT_DRIVER_H
#define KARAT_DRIVER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef void *vt_device_h;

/* Facts that vt_dev_caps() knows. */
enum {
    VT_CAPS_VERSION,
    VT_CAPS_MAX_CORES,
    VT_CAPS_MAX_WARPS,   /* Of a workgroup */
    VT_CAPS_MAX_THREADS, /* Of a warp */
    VT_CAPS_CACHE_LINE_SIZE,
    VT_CAPS_LOCAL_MEM_SIZE, /* Bytes, of a workgroup */
    VT_CAPS_ALLOC_BASE_ADDR,
    VT_CAPS_KERNEL_BASE_ADDR,
    VT_CAPS_MAX_WG_SLOTS /* Workgroups at once */
};

/* The argument of vt_start(): the fields that the structures of all versions begin with. Newer ones have
 * more, which say nothing that the metadata buffer does not say, and are not read: the structure does not
 * tell its size. */
typedef struct vt_kernel {
    uint64_t kernel_id;
    uint64_t kernel_size[3];   /* Workgroups in x, y, z */
    uint64_t wf_size, wg_size; /* Threads of a warp; warps of a workgroup */
    uint64_t metaDataBaseAddr; /* CSR_KNL */
    uint64_t ldsSize, pdsSize; /* Bytes of local memory of a workgroup, and of private memory of a thread */
    uint64_t sgprUsage, vgprUsage;
    uint64_t pdsBaseAddr;
} vt_kernel;

/* A device is as the environment says (docs/opencl.md). Closing it frees all that it has. */
int vt_dev_open(vt_device_h *device);
int vt_dev_close(vt_device_h device);

/* -1 without a line for what is not known. device is not looked at: runtimes ask before they open one. */
int vt_dev_caps(vt_device_h *device, uint64_t id, uint64_t *value);

/* There is one address space, so these have nothing to do. */
int vt_root_mem_alloc(vt_device_h device, int task);
int vt_root_mem_free(vt_device_h device, int task);

/* Memory of that many bytes, 0 at first, from 0x90000000 on in pages of 4 KiB: its address in *addr.
 * Addresses that were freed come again after all others. */
int vt_buf_alloc(vt_device_h device, uint64_t size, uint64_t *addr, int type, uint64_t task, uint64_t kernel);
/* Free the buffer at *addr, which has that size. Both functions are the same. */
int vt_buf_free(vt_device_h device, uint64_t size, uint64_t *addr, uint64_t task, uint64_t kernel);
int vt_one_buf_free(vt_device_h device, uint64_t size, uint64_t *addr, uint64_t task, uint64_t kernel);

/* Copies within one buffer, or within the image. */
int vt_copy_to_dev(vt_device_h device, uint64_t addr, const void *from, uint64_t size, uint64_t task,
                   uint64_t kernel);
int vt_copy_from_dev(vt_device_h device, uint64_t addr, void *to, uint64_t size, uint64_t task,
                     uint64_t kernel);

/* The image of the kernels that are started from now on, in place of the last one: an ELF file, or its
 * bytes. */
int vt_upload_kernel_file(vt_device_h device, const char *path, int task);
int vt_upload_kernel_bytes(vt_device_h device, const void *bytes, uint64_t size, int task);

/* Run a kernel, to its end: *kernel is a vt_kernel. -1: it cannot be started. */
int vt_start(vt_device_h device, void *kernel, uint64_t task);
/* -1 where one of the kernels since the last call has failed; what was wrong was printed then. Kernels have
 * no time, so the timeout has no meaning (KARAT_LIMIT has). The other function is the same, and does not
 * touch the list. */
int vt_ready_wait(vt_device_h device, uint64_t timeout);
int vt_finish_all_kernel(vt_device_h device, void *list);

/* One line with the kernels, and the instructions that were executed. */
int vt_dump_perf(vt_device_h device, FILE *stream);
/* Nothing is measured. */
int vt_set_perf_context(vt_device_h device, const void *context);
int vt_clear_perf_context(vt_device_h device);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
