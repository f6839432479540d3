/* The C end of karat_sv_pkg: a session, its memory and its traffic, for a simulator's one test bench. */
#include "karat_sv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "session.h"
#include "array.h"

#define NAME "karat-sv"

/* A list that grows; its elements are copies. */
typedef struct list {
    void *items;
    uint32_t num;
} list;

static struct {
    list argv;   /* Of char *; the first takes the place of the simulator's command */
    list faults; /* Of karat_core_fault */
    bool no_memory;
    bool translates, starts_partial;
    karat_args args;
    karat_session *session;
    karat_ram *memory;
    karat_traffic *traffic;
    char *objection;
    bool failed;
    bool page_fault;
    karat_ram_req request;
} bench;

static void add(list *to, const void *item, size_t size) {
    if (!karat_grow(&to->items, to->num, size)) {
        bench.no_memory = true;
        return;
    }
    memcpy((char *)to->items + to->num++ * size, item, size);
}

/* Arguments from SystemVerilog are valid during the call only. */
static char *keep(const char *text) {
    char *copy = strdup(text);
    bench.no_memory |= !copy;
    return copy;
}

static int fail(const char *error) {
    char *quoted = error ? karat_quoted(error) : NULL; /* It may have names in it */
    fprintf(stderr, NAME ": %s\n", quoted ? quoted : "out of memory");
    free(quoted);
    return KARAT_BAD_INPUT;
}

/* --- Start --- */

const char *karat_sv_argument_name(unsigned i) {
    static char text[32];
    bool takes_value;
    const char *name = karat_args_name(i, &takes_value);
    snprintf(text, sizeof text, "%s%s", name ? name + 1 : "", name && takes_value ? "=" : "");
    return text;
}

static void add_argument(const char *text) {
    char *copy = keep(text);
    add(&bench.argv, &copy, sizeof copy);
}

void karat_sv_argument(const char *text) {
    if (!bench.argv.num)
        add_argument("SIMULATOR");
    add_argument(text);
}

/* The argument of that name, or how many there are. */
static unsigned find_name(const char *text) {
    const size_t length = text ? strcspn(text, "=") : 0;
    bool takes_value;
    const char *name;
    unsigned i = 0;
    while ((name = karat_args_name(i, &takes_value)) &&
           !(strlen(name) == length && !strncmp(name, text, length)))
        i++;
    return i;
}

void karat_sv_repeated_arguments(void) {
    const unsigned num = find_name(NULL);
    bool *seen = calloc(num, sizeof *seen); /* The first of a name is one that was handed over */
    FILE *line = seen ? fopen("/proc/self/cmdline", "rb") : NULL;
    char *word = NULL;
    size_t size = 0;
    bench.no_memory |= !seen;
    while (line && getdelim(&word, &size, '\0', line) > 0) {
        const unsigned i = find_name(word);
        if (i < num && seen[i])
            karat_sv_argument(word);
        else if (i < num)
            seen[i] = true;
    }
    free(word);
    if (line)
        fclose(line);
    free(seen);
}

void karat_sv_fault(const char *name) {
    const karat_core_fault fault = {.name = keep(name)};
    add(&bench.faults, &fault, sizeof fault);
}

unsigned char karat_sv_fault_given(const char *name) {
    for (uint32_t i = 0; i < bench.args.num_faults; i++)
        if (!strcmp(bench.args.faults[i], name))
            return 1;
    return 0;
}

void karat_sv_translates(void) {
    bench.translates = true;
}

void karat_sv_starts_partial(void) {
    bench.starts_partial = true;
}

/* The exit status of a run that only prints (+help), or KARAT_SV_RUNS. */
static int tell(const karat_core_info *core) {
    if (bench.args.help)
        karat_args_print_usage(stdout);
    else if (bench.args.list_faults)
        for (uint32_t i = 0; i < core->num_faults; i++)
            puts(core->faults[i].name);
    else if (bench.args.describe)
        karat_core_describe("ingot", core);
    else
        return KARAT_SV_RUNS;
    fflush(stdout);
    return 0;
}

/* Options that C functions cannot implement here. */
static bool refused(char **error) {
    for (uint32_t i = 1; i < bench.argv.num; i++) {
        const char *argument = ((char **)bench.argv.items)[i];
        if (!strncmp(argument, "+init=", 6)) {
            *error = karat_format("'%s': bits without a reset are set by the simulator here", argument);
            return true;
        }
        if (!strcmp(argument, "+no-assert")) {
            *error = karat_format("'%s': assertions are the simulator's matter here", argument);
            return true;
        }
    }
    return false;
}

static int start(const karat_core_info *core) {
    const karat_session_config config = {
        .name = NAME,
        .wave = "karat.vcd",
        .argc = (int)bench.argv.num,
        .argv = bench.argv.items,
        .args = &bench.args,
        .simulator_traces = true,
        .core = *core,
    };
    char *error;
    bench.session = karat_session_create(&config, &error);
    if (!bench.session) {
        fail(error);
        free(error);
        return KARAT_BAD_INPUT;
    }
    bench.memory = karat_ram_create();
    bench.traffic = karat_session_traffic(bench.session);
    if (!bench.memory || !bench.traffic)
        return fail(NULL);
    const karat_host_memory memory = karat_host_ram(bench.memory);
    if (!karat_session_connect(bench.session, &memory))
        return fail(karat_session_error(bench.session));
    return KARAT_SV_RUNS;
}

static void end(void) {
    karat_session_destroy(bench.session);
    karat_traffic_destroy(bench.traffic);
    karat_ram_destroy(bench.memory);
    karat_args_free(&bench.args);
    for (uint32_t i = 0; i < bench.argv.num; i++)
        free(((char **)bench.argv.items)[i]);
    for (uint32_t i = 0; i < bench.faults.num; i++)
        free((char *)((karat_core_fault *)bench.faults.items)[i].name);
    free(bench.argv.items);
    free(bench.faults.items);
    free(bench.objection);
    memset(&bench, 0, sizeof bench);
}

int karat_sv_open(unsigned num_sm, unsigned num_warp, unsigned num_thread, unsigned lds_bytes,
                  unsigned num_sgpr, unsigned num_vgpr, unsigned reg_granule) {
    const karat_core_info core = {
        .num_sm = num_sm,
        .num_warp = num_warp,
        .num_thread = num_thread,
        .lds_bytes = lds_bytes,
        .num_sgpr = num_sgpr,
        .num_vgpr = num_vgpr,
        .reg_granule = reg_granule,
        .has_faults = bench.faults.num,
        .faults = bench.faults.items,
        .num_faults = bench.faults.num,
        .translates = bench.translates,
        .starts_partial = bench.starts_partial,
    };
    char *error = NULL;
    int status;
    if (bench.no_memory || !karat_args_parse(&bench.args, (int)bench.argv.num, bench.argv.items, &error) ||
        refused(&error))
        status = fail(error);
    else if ((status = tell(&core)) == KARAT_SV_RUNS)
        status = start(&core);
    free(error);
    if (status != KARAT_SV_RUNS)
        end();
    return status;
}

/* --- Each cycle --- */

unsigned char karat_sv_offer(uint32_t *wg) {
    const karat_workgroup *offer = karat_session_offer(bench.session);
    if (!offer)
        return 0;
    const uint32_t *csr = offer->csr;
    const uint32_t words[] = {offer->index,
                              offer->warps,
                              offer->threads,
                              offer->pc,
                              csr[KARAT_CSR_KNL],
                              csr[KARAT_CSR_WGID],
                              csr[KARAT_CSR_LDS],
                              csr[KARAT_CSR_PDS],
                              csr[KARAT_CSR_GDX],
                              csr[KARAT_CSR_GDY],
                              csr[KARAT_CSR_GDZ],
                              offer->lds_size,
                              offer->sgprs,
                              offer->vgprs,
                              offer->translate,
                              (uint32_t)offer->ptbr,
                              (uint32_t)(offer->ptbr >> 32),
                              offer->asid,
                              offer->invalidate,
                              offer->starts,
                              offer->local[0],
                              offer->local[1],
                              offer->local[2],
                              offer->live[0],
                              offer->live[1],
                              offer->live[2],
                              offer->items[0],
                              offer->items[1],
                              offer->offset[0],
                              offer->offset[1],
                              offer->offset[2]};
    _Static_assert(sizeof words == 4 * KARAT_SV_WORKGROUP_WORDS, "the port's words");
    memcpy(wg, words, sizeof words);
    return 1;
}

unsigned char karat_sv_read(unsigned long long addr, unsigned *word) {
    return karat_ram_read(bench.memory, addr, word, sizeof *word);
}

unsigned char karat_sv_ready(unsigned port) {
    return port < KARAT_TRAFFIC_PORTS && karat_traffic_ready(bench.traffic, port);
}

unsigned char karat_sv_fetch_answer(unsigned *id, unsigned char *error, uint32_t *data) {
    const karat_ram_req *req;
    karat_ram_rsp *rsp;
    while ((req = karat_traffic_perform(bench.traffic, KARAT_TRAFFIC_FETCH, &rsp)) != NULL)
        karat_ram_perform_line(bench.memory, req, rsp);
    if (!(req = karat_traffic_due(bench.traffic, KARAT_TRAFFIC_FETCH)))
        return 0;
    rsp = karat_traffic_answer(req);
    *id = rsp->id;
    *error = rsp->error;
    memcpy(data, rsp->data, KARAT_RAM_LINE_WORDS * sizeof *data);
    return 1;
}

static void perform_data(const karat_ram_req *req, karat_ram_rsp *rsp) {
    karat_ram_perform_lanes(bench.memory, req, rsp);
    karat_session_performed(bench.session, req);
}

unsigned char karat_sv_data_performed(unsigned *id, uint32_t *data) {
    karat_ram_rsp *rsp;
    const karat_ram_req *req = karat_traffic_perform(bench.traffic, KARAT_TRAFFIC_DATA, &rsp);
    if (!req)
        return 0;
    perform_data(req, rsp);
    *id = rsp->id;
    *data = rsp->data[0];
    return !rsp->error;
}

unsigned char karat_sv_data_answer(unsigned *id, unsigned char *error, uint32_t *data) {
    const karat_ram_req *req = karat_traffic_due(bench.traffic, KARAT_TRAFFIC_DATA);
    if (!req)
        return 0;
    karat_ram_rsp now, *rsp = karat_traffic_answer(req);
    if (!rsp)
        perform_data(req, rsp = &now);
    if (rsp->error)
        karat_session_bad_access(bench.session, karat_ram_stores(req->op), rsp->error_lane,
                                 req->addr[rsp->error_lane]);
    *id = rsp->id;
    *error = rsp->error;
    memcpy(data, rsp->data, KARAT_RAM_LANES * sizeof *data);
    return 1;
}

unsigned char karat_sv_walk_answer(unsigned *id, unsigned char *error, unsigned long long *entry) {
    const karat_ram_req *req;
    karat_ram_rsp *rsp;
    while ((req = karat_traffic_perform(bench.traffic, KARAT_TRAFFIC_WALK, &rsp)) != NULL)
        karat_ram_perform_entry(bench.memory, req, rsp);
    if (!(req = karat_traffic_due(bench.traffic, KARAT_TRAFFIC_WALK)))
        return 0;
    rsp = karat_traffic_answer(req);
    *id = rsp->id;
    *error = rsp->error;
    *entry = rsp->data[0] | (unsigned long long)rsp->data[1] << 32;
    return 1;
}

static void request(enum karat_traffic_port port, unsigned id, unsigned long long addr) {
    bench.request.id = id;
    bench.request.addr[0] = addr;
    karat_traffic_request(bench.traffic, port, &bench.request);
}

void karat_sv_fetch_request(unsigned id, unsigned long long addr) {
    request(KARAT_TRAFFIC_FETCH, id, addr);
}

void karat_sv_walk_request(unsigned id, unsigned long long addr) {
    request(KARAT_TRAFFIC_WALK, id, addr);
}

void karat_sv_data_request(unsigned id, unsigned requester, unsigned op, const uint32_t *lanes,
                           const uint32_t *addr, const uint32_t *addr_hi, const uint32_t *be,
                           const uint32_t *data) {
    karat_ram_req *req = &bench.request;
    req->id = id;
    req->requester = requester;
    req->op = (uint8_t)op;
    req->lanes = *lanes;
    for (unsigned lane = 0; lane < KARAT_RAM_LANES; lane++) {
        req->addr[lane] = addr[lane] | (uint64_t)addr_hi[lane] << 32;
        req->be[lane] = be[lane / 8] >> lane % 8 * 4 & 15;
        req->data[lane] = data[lane];
    }
    karat_traffic_request(bench.traffic, KARAT_TRAFFIC_DATA, req);
}

void karat_sv_tick(void) {
    karat_traffic_tick(bench.traffic);
}

void karat_sv_object(const char *what) {
    if (!bench.objection)
        bench.objection = strdup(what);
}

void karat_sv_page_fault(void) {
    bench.page_fault = true;
}

unsigned char karat_sv_after_edge(unsigned char accepted, unsigned char done, unsigned done_index,
                                  unsigned char print, unsigned print_sm, unsigned print_slot) {
    const karat_edge edge = {.accepted = accepted,
                             .done = done,
                             .done_index = done_index,
                             .print = print,
                             .print_sm = print_sm,
                             .print_slot = print_slot,
                             .fault = bench.page_fault,
                             .objection = bench.objection};
    const karat_session_state state =
        karat_session_after_edge(bench.session, &edge, karat_traffic_idle(bench.traffic));
    bench.failed = state == KARAT_SESSION_FAILED;
    return state != KARAT_SESSION_RUNS;
}

/* --- End --- */

int karat_sv_finish(void) {
    karat_verdict verdict;
    if (bench.failed || !karat_session_finish(bench.session, &verdict))
        verdict = fail(karat_session_error(bench.session));
    end();
    return (int)verdict;
}

void karat_sv_exit(int status) {
    exit(status);
}
