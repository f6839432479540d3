/* vt_start(): a kernel from what the host gave, run on the model, and perhaps recorded. */
#include "device.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch_argp.h"
#include "run_record.h"
#include "run_strict.h"
#include "run_where.h"
#include "trace_text.h"

enum { MAX_WARPS = 1024, MAX_SLOTS = 65536, LDS_BASE = 0x70000000 };

/* Words of the metadata buffer, which all versions share. */
enum { KNL_GLOBAL = 3, KNL_LOCAL = 6, KNL_OFFSET = 9, KNL_WORDS = 12 };

typedef struct launch {
    device *device;
    karat_kernel kernel;
    karat_kernel *list[1]; /* The kernel, as the list that a session takes */
    char *file[1];
    karat_buffer *buffers;
    uint8_t *contents; /* Of the buffers, where they are recorded */
    session session;
    recorder *record;   /* NULL: none */
    run_strict *strict; /* NULL: none */
} launch;

/* Its runs are recorded, or judged by their records. */
static bool has_records(const device *d) {
    return d->record || run_strict_wants_records(d->strict);
}

/* --- The kernel --- */

static bool refuse(const char *expected, uint64_t found) {
    driver_say("vt_start: expected %s, found %" PRIu64, expected, found);
    return false;
}

static bool check(const device *d, const vt_kernel *v) {
    if (!d->image) {
        driver_say("vt_start: no image was uploaded");
        return false;
    }
    uint64_t groups = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!v->kernel_size[i] || v->kernel_size[i] > UINT32_MAX / groups)
            return refuse("1 or more workgroups in every direction, and fewer than 2^32 in all",
                          v->kernel_size[i]);
        groups *= v->kernel_size[i];
    }
    if (!v->wf_size || v->wf_size > (d->threads ? d->threads : KARAT_MAX_THREAD))
        return refuse("from 1 thread of a warp to as many as the device has (KARAT_THREADS)", v->wf_size);
    if (!v->wg_size || v->wg_size > MAX_WARPS)
        return refuse("1 to 1024 warps of a workgroup", v->wg_size);
    if (v->sgprUsage > KARAT_NUM_X)
        return refuse("at most 64 scalar registers", v->sgprUsage);
    if (v->vgprUsage > KARAT_NUM_V)
        return refuse("at most 256 vector registers", v->vgprUsage);
    if (v->metaDataBaseAddr > UINT32_MAX)
        return refuse("a metadata buffer below 4 GiB", v->metaDataBaseAddr);
    if (v->ldsSize > UINT32_MAX)
        return refuse("local memory of fewer than 2^32 bytes", v->ldsSize);
    if (v->pdsSize > UINT32_MAX)
        return refuse("private memory of fewer than 2^32 bytes a thread", v->pdsSize);
    return true;
}

/* The kernel's name: of the symbol whose address the metadata buffer begins with. */
static const char *name_of(const device *d, uint32_t knl) {
    uint8_t b[4];
    uint32_t offset;
    if (karat_read(d->model, knl, b, 4) != KARAT_OK)
        return d->image->name;
    const uint32_t entry = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    const karat_symbol *symbol = karat_kernel_symbol(d->image, entry, &offset);
    return symbol && !offset ? symbol->name : d->image->name;
}

/* Work-items, as the metadata buffer has them. Those that are none of the launch's say nothing: hosts may put
 * anything else there. */
static void take_items(launch *l) {
    karat_kernel *k = &l->kernel;
    uint8_t b[4 * KNL_WORDS];
    if (karat_read(l->device->model, k->knl, b, sizeof b) != KARAT_OK)
        return;
    uint32_t word[KNL_WORDS];
    for (int i = 0; i < KNL_WORDS; i++)
        word[i] = b[4 * i] | (uint32_t)b[4 * i + 1] << 8 | (uint32_t)b[4 * i + 2] << 16 |
                  (uint32_t)b[4 * i + 3] << 24;
    memcpy(k->global, word + KNL_GLOBAL, sizeof k->global);
    memcpy(k->local, word + KNL_LOCAL, sizeof k->local);
    memcpy(k->offset, word + KNL_OFFSET, sizeof k->offset);
    if (karat_kernel_wrong_items(k)) {
        memset(k->global, 0, sizeof k->global);
        memset(k->local, 0, sizeof k->local);
        memset(k->offset, 0, sizeof k->offset);
    }
}

/* Where private memory is. By workgroup, if its buffer has room for all; or else by resident slot, as
 * runtimes expect that make smaller buffers for large grids. False: the kernel cannot run; an error was
 * reported. */
static bool place_private(launch *l, const vt_kernel *v) {
    device *d = l->device;
    karat_kernel *k = &l->kernel;
    const device_buffer *b = device_find(d, v->pdsBaseAddr);
    k->pds_base = (uint32_t)v->pdsBaseAddr;
    k->pds_size = 0; /* One base */
    if (!v->pdsSize)
        return true;
    const uint64_t each = v->wf_size * v->wg_size * v->pdsSize;
    if (!b || v->pdsBaseAddr - b->base >= b->size) {
        driver_say("vt_start: %s: private memory at 0x%08" PRIx64 " lies in no buffer", k->name,
                   v->pdsBaseAddr);
        return v->pdsBaseAddr <= UINT32_MAX; /* A kernel without private memory runs */
    }
    const uint64_t room = b->size - (v->pdsBaseAddr - b->base);
    k->pds_size = (uint32_t)v->pdsSize;
    if (karat_kernel_workgroups(k) <= room / each)
        return true;
    k->pds_slots = each > room ? 1 : room / each < MAX_SLOTS ? (uint32_t)(room / each) : MAX_SLOTS;
    if (each > room) { /* Hosts declare more than kernels use, and those run */
        driver_say("vt_start: %s: private memory of a workgroup, %" PRIu64
                   " bytes, runs over its buffer, which has %" PRIu64 " from 0x%08" PRIx64 " on",
                   k->name, each, room, v->pdsBaseAddr);
    } else if (!d->shares_said) {
        driver_say("vt_start: %s: private memory: its buffer of %" PRIu64 " bytes has room for %" PRIu64
                   " of %" PRIu32 " workgroups: it goes by resident slot",
                   k->name, b->size, room / each, karat_kernel_workgroups(k));
        d->shares_said = true;
    }
    return true;
}

static bool make_kernel(launch *l, const vt_kernel *v) {
    device *d = l->device;
    l->kernel = (karat_kernel){
        .start_addr = d->image->start_addr,
        .grid = {(uint32_t)v->kernel_size[0], (uint32_t)v->kernel_size[1], (uint32_t)v->kernel_size[2]},
        .wf_size = (uint32_t)v->wf_size,
        .wg_size = (uint32_t)v->wg_size,
        .knl = (uint32_t)v->metaDataBaseAddr,
        .lds_base = LDS_BASE,
        .lds_size = (uint32_t)v->ldsSize,
        .sgprs = (uint32_t)v->sgprUsage,
        .vgprs = (uint32_t)v->vgprUsage,
        .num_symbols = d->image->num_symbols,
        .symbols = d->image->symbols,
        .names_profile = d->has_profile || d->image->names_profile,
        .profile = d->has_profile ? d->profile : d->image->profile,
    };
    karat_kernel *k = &l->kernel;
    k->name = name_of(d, k->knl);
    if (d->has_profile && d->image->names_profile && d->image->profile != d->profile) {
        driver_say("vt_start: %s: its code is for profile %s of the ISA; KARAT_PROFILE: %s", k->name,
                   karat_profile_name(d->image->profile), karat_profile_name(d->profile));
        return false;
    }
    if (!(l->buffers = device_list(d, &k->num_buffers))) {
        driver_say("vt_start: not enough memory");
        return false;
    }
    k->buffers = l->buffers;
    k->locals = d->locals;
    k->num_locals = d->num_locals;
    for (uint32_t i = 0; i < d->num_locals; i++)
        d->locals[i].number = k->num_buffers + i;
    l->list[0] = k;
    l->file[0] = d->image_path;
    take_items(l);
    return place_private(l, v);
}

/* --- The model --- */

/* Bytes from the buffer's beginning to the last page that was written. */
static uint32_t used_bytes(const karat_model *model, const karat_buffer *b) {
    uint64_t used = 0;
    const uint64_t last = (uint64_t)b->base + b->alloc_size - 1;
    for (uint64_t at = b->base; b->alloc_size && at <= last && karat_next_written_page(model, &at, last);
         at = (at | (DEVICE_PAGE - 1)) + 1)
        used = (at | (DEVICE_PAGE - 1)) + 1 - b->base;
    return used < b->alloc_size ? (uint32_t)used : b->alloc_size;
}

/* Copies what memory holds into the kernel, for a recording. */
static bool take_contents(launch *l) {
    const karat_model *model = l->device->model;
    size_t size = 0;
    for (uint32_t i = 0; i < l->kernel.num_buffers; i++)
        size += l->buffers[i].size = used_bytes(model, &l->buffers[i]);
    uint8_t *to = l->contents = malloc(size + 1);
    for (uint32_t i = 0; to && i < l->kernel.num_buffers; i++) {
        karat_buffer *b = &l->buffers[i];
        if (karat_read(model, b->base, to, b->size) != KARAT_OK)
            return false;
        b->data = to;
        while (b->size && !to[b->size - 1])
            b->size--;
        to += b->size;
    }
    return to;
}

/* A model that the kernel fits, with the device's memory; of a kernel that is recorded an empty one, where it
 * is placed again. */
static karat_model *fit(const launch *l, karat_status *status) {
    const device *d = l->device;
    const karat_kernel *k = &l->kernel;
    const karat_config *has = karat_get_config(d->model);
    karat_config wants = *has;
    wants.profile = k->profile;
    wants.num_thread = d->threads ? d->threads : 1;
    while (wants.num_thread < k->wf_size)
        wants.num_thread *= 2;
    if (wants.max_warp < k->wg_size)
        wants.max_warp = k->wg_size;
    *status = KARAT_OK;
    if (!has_records(d) && wants.profile == has->profile && wants.num_thread == has->num_thread &&
        wants.max_warp == has->max_warp)
        return d->model;
    return device_move(d, &wants, has_records(d), status);
}

/* --- Recording --- */

static char *record_name(const launch *l, unsigned number, const char *suffix) {
    const char *name = l->kernel.name;
    const char *folder = l->device->record ? l->device->record : l->device->folder;
    const size_t size = strlen(folder) + strlen(name) + 32;
    char *path = malloc(size);
    if (!path)
        return NULL;
    char *at = path + snprintf(path, size, "%s/%03u-", folder, number);
    for (; *name; name++)
        *at++ = isalnum((unsigned char)*name) || *name == '_' || *name == '.' ? *name : '_';
    snprintf(at, 16, "%s", suffix);
    return path;
}

static unsigned next_number(void) {
    static unsigned kernels; /* Of the process */
    return kernels++;
}

/* The kernel on the core. Files that are not asked for go where it has passed. */
static bool run_on_core(launch *l) {
    device *d = l->device;
    driver_lock();
    const unsigned number = next_number();
    char *metadata = record_name(l, number, ".metadata"), *data = record_name(l, number, ".data"),
         *recording = record_name(l, number, ".ktr"), *memory = record_name(l, number, ".memory");
    bool good = metadata && data && recording && memory;
    if (!good)
        cli_error("vt_start: not enough memory");
    good = good && launch_write(&l->kernel, l->kernel.wf_size, metadata, data);
    driver_unlock();
    good = good && core_run(d, l->kernel.name, &(core_files){metadata, recording, memory});
    if (good && !d->record) {
        unlink(metadata);
        unlink(data);
        unlink(recording);
    }
    free(metadata);
    free(data);
    free(recording);
    free(memory);
    return good;
}

static bool open_record(launch *l, const char *path) {
    run_strict *strict = run_strict_wants_records(l->device->strict) ? l->strict : NULL;
    return (l->record = recorder_open(&l->session, path, strict)) && recorder_kernel(l->record, 0);
}

/* The kernel's launch as files, and the recording begun; or the records for those who want them. False: an
 * error was reported. */
static bool begin_record(launch *l) {
    if (!l->device->record)
        return !has_records(l->device) || open_record(l, NULL);
    driver_lock();
    const unsigned number = next_number();
    char *metadata = record_name(l, number, ".metadata"), *data = record_name(l, number, ".data"),
         *recording = record_name(l, number, ".ktr");
    bool good = false;
    if (!metadata || !data || !recording)
        cli_error("vt_start: not enough memory");
    else if (launch_write(&l->kernel, (uint32_t)l->session.options.threads, metadata, data))
        good = open_record(l, recording);
    driver_unlock();
    free(metadata);
    free(data);
    free(recording);
    return good;
}

static bool end_record(launch *l) {
    driver_lock();
    const bool good = recorder_close(l->record);
    driver_unlock();
    return good;
}

/* --- The run --- */

static void on_launch(void *context, const karat_sched_warp *warp, karat_launch_desc *desc) {
    launch *l = context;
    if (l->record)
        recorder_launch(l->record, warp, desc);
    if (l->strict)
        run_strict_launch(l->strict, warp->handle);
}

static bool on_commit(void *context, const karat_sched_warp *warp, const karat_commit *commit) {
    launch *l = context;
    if (l->record)
        recorder_step(l->record, warp, commit);
    if (l->device->trace) {
        flockfile(l->device->trace);
        trace_step(l->device->trace, &l->session, l->kernel.name, warp, commit);
        funlockfile(l->device->trace);
    }
    return !l->strict || run_strict_step(l->strict, warp, commit);
}

static void on_print(void *context, const karat_sched_warp *warp, const char *text, size_t length) {
    (void)context, (void)warp;
    fwrite(text, 1, length, stdout);
    fflush(stdout);
}

static bool on_placed(void *context) {
    const launch *l = context;
    return !l->record || recorder_placed(l->record);
}

static void on_host_write(void *context, uint64_t addr, const void *bytes, size_t size) {
    const launch *l = context;
    if (l->record)
        recorder_host_write(l->record, addr, bytes, size);
}

static void on_host_csr(void *context, const karat_sched_warp *warp, uint32_t csr, uint32_t value) {
    const launch *l = context;
    if (l->record)
        recorder_host_csr(l->record, warp->handle, csr, value);
}

/* The process's signals are its own. */
static bool on_tick(void *context, const karat_sched_progress *progress) {
    (void)context, (void)progress;
    return true;
}

/* The buffer that an access without memory would have been in, or that it is behind. */
static void say_history(const launch *l, const karat_sched_result *r) {
    const karat_error *e = &r->commit.error;
    if (r->end != KARAT_SCHED_PROGRAM_ERROR || e->kind != KARAT_ERR_UNMAPPED)
        return;
    const device_buffer *freed = device_find_freed(l->device, e->addr);
    if (freed)
        driver_say("%s: 0x%08" PRIx64 " is in the buffer of %" PRIu64 " bytes at 0x%08" PRIx64
                   " that was freed after %" PRIu64 " kernels",
                   l->kernel.name, e->addr, freed->size, freed->base, freed->kernels);
    for (uint32_t i = 0; !freed && i < l->device->num_buffers; i++) {
        const device_buffer *b = &l->device->buffers[i];
        if (e->addr >= b->base + b->size && e->addr < b->base + b->size + 2 * DEVICE_PAGE)
            driver_say("%s: 0x%08" PRIx64 " is %" PRIu64 " bytes beyond the end of the buffer of %" PRIu64
                       " bytes at 0x%08" PRIx64,
                       l->kernel.name, e->addr, e->addr - b->base - b->size, b->size, b->base);
    }
}

/* Reports an end other than the kernel's own, and where the warps are. */
static void say_why(const launch *l, const karat_sched_result *r) {
    const session *s = &l->session;
    char text[SCHED_TEXT_SIZE];
    if (r->end == KARAT_SCHED_STOPPED || r->end == KARAT_SCHED_DONE)
        run_strict_describe(l->strict, s, &l->kernel, r, text);
    else if (r->end == KARAT_SCHED_MAX_STEPS)
        snprintf(text, sizeof text, "%.200s: not finished after %" PRIu64 " steps (KARAT_LIMIT)",
                 l->kernel.name, l->device->limit);
    else
        session_describe(s, &l->kernel, r, text);
    driver_say("%s", text);
    say_history(l, r);
    karat_places places;
    session_places(s, &l->kernel, &places);
    driver_lock();
    if (places.num)
        json_decref(run_where(s, &l->kernel, &places, stderr));
    driver_unlock();
    karat_places_free(&places);
}

/* True: it has ended without an error. */
static bool run(launch *l) {
    device *d = l->device;
    char text[SCHED_TEXT_SIZE];
    const bool sees_all = l->record || l->strict || d->trace;
    const session_hooks hooks = {.sched = {.context = l,
                                           .launch = on_launch,
                                           .commit = sees_all ? on_commit : NULL,
                                           .print = on_print,
                                           .host_csr = on_host_csr,
                                           .tick = on_tick},
                                 .placed = on_placed,
                                 .host_write = on_host_write};
    const karat_sched_result *r = session_run(&l->session, &l->kernel, &hooks);
    if (l->record) {
        recorder_end(l->record, r);
        recorder_bye(l->record);
    }
    if (d->trace)
        fflush(d->trace);
    d->steps += r->steps;
    if (session_flagged(&l->session, &l->kernel, r, text))
        driver_say("%s", text);
    const bool good = r->end == KARAT_SCHED_DONE && !run_strict_stands(l->strict);
    if (!good)
        say_why(l, r);
    return good;
}

/* The kernel on that model, which is the device's from the moment on at which the memory is in it. */
static bool run_on(launch *l, karat_model *model) {
    device *d = l->device;
    session *s = &l->session;
    const karat_space_memory memory = karat_space_of_model(model);
    const uint32_t threads = karat_get_config(model)->num_thread;
    *s = (session){.options = {.threads = threads,
                               .max_steps = d->limit,
                               .profile = karat_get_config(model)->profile,
                               .files = l->file,
                               .num_files = 1},
                   .kernels = l->list,
                   .num_kernels = 1,
                   .model = model,
                   .paging = karat_paging_create(&memory, threads, false, NULL)};
    bool good = s->paging && (!d->strict || (l->strict = run_strict_create(d->strict, s)));
    if (!good)
        driver_say("vt_start: not enough memory");
    good = good && begin_record(l) && run(l);
    if (l->record && !end_record(l))
        good = false;
    run_strict_destroy(l->strict);
    if (d->model != model && (s->sched || !has_records(d))) {
        karat_destroy(d->model);
        d->model = model;
    } else if (d->model != model) {
        karat_destroy(model); /* The kernel was not placed in it */
    }
    karat_workgroup_close(d->model, 0); /* Open after a kernel that has not come to its end */
    karat_sched_destroy(s->sched);
    karat_paging_destroy(s->paging);
    return good;
}

bool device_start(device *d, const vt_kernel *v) {
    launch l = {.device = d};
    karat_status status;
    bool good = check(d, v) && make_kernel(&l, v);
    if (good && (has_records(d) || d->core) && !take_contents(&l)) {
        driver_say("vt_start: not enough memory");
        good = false;
    }
    if (good && d->core) {
        d->failed |= !run_on_core(&l);
        d->kernels++;
        free(l.contents);
        free(l.buffers);
        device_drop_locals(d);
        return true;
    }
    karat_model *model = good ? fit(&l, &status) : NULL;
    if (good && !model)
        driver_say("vt_start: %s: cannot make a model of its %" PRIu32 " warps: %s", l.kernel.name,
                   l.kernel.wg_size, cli_status_name(status));
    if (model && !run_on(&l, model))
        d->failed = true;
    d->kernels += model != NULL;
    device_drop_locals(d);
    free(l.contents);
    free(l.buffers);
    return model != NULL;
}
