#include "trace_text.h"

#include <inttypes.h>

enum { CSR_VL = 0xc20, CSR_VTYPE = 0xc21 };

static void trace_write(FILE *f, const karat_reg_write *w) {
    if (w->cls == KARAT_CLASS_X) {
        fprintf(f, " x%u=%08" PRIx32, w->reg, w->value[0]);
        return;
    }
    fprintf(f, " v%u/%08" PRIx32 "=", w->reg, w->mask);
    const char *comma = "";
    for (uint32_t lane = 0; lane < KARAT_MAX_THREAD; lane++)
        if (w->mask >> lane & 1) {
            fprintf(f, "%s%08" PRIx32, comma, w->value[lane]);
            comma = ",";
        }
}

static void trace_mem(FILE *f, const karat_mem *mem, bool is_translated) {
    static const char *const ops[] = {"load", "store", "amo"};
    static const char *const spaces[] = {"", "global", "lds", "private"};
    fprintf(f, " %s.%s", ops[mem->op], spaces[mem->space & 3]);
    for (uint32_t i = 0; i < mem->num; i++) {
        const karat_access a = karat_mem_access(mem, i);
        fprintf(f, " %u:[%08" PRIx64, a.lane, is_translated ? mem->virt[i] : a.addr);
        if (is_translated && mem->virt[i] != a.addr)
            fprintf(f, "@%08" PRIx64, a.addr);
        fprintf(f, "]=%0*" PRIx32, 2 * a.bytes, a.value);
    }
}

static void trace_simt(FILE *f, const karat_commit *c) {
    static const char *const kinds[] = {"", "uniform", "diverge", "pop", "pass"};
    fprintf(f, " simt=%s next=%08" PRIx32 " depth=%u", kinds[c->simt], c->next_pc, c->depth);
    if (c->depth)
        fprintf(f, " top=%08" PRIx32 ":%08" PRIx32 ":%08" PRIx32, c->top.rpc, c->top.next, c->top.mask);
}

void trace_step(FILE *f, const session *s, const char *name, const karat_sched_warp *warp,
                const karat_commit *c) {
    char insn[CLI_INSN_SIZE];
    fprintf(f, "%s wg=%" PRIu32 " warp=%" PRIu32 " %08" PRIx32 ": %s | mask=%08" PRIx32, name,
            warp->workgroup, warp->warp, c->pc, cli_insn(s->options.profile, c->pc, c->prefix, c->word, insn),
            c->mask_after);
    for (uint32_t i = 0; i < c->num_writes; i++)
        trace_write(f, &c->write[i]);
    if (c->csr_written)
        fprintf(f, " csr[%03" PRIx32 "]=%08" PRIx32, c->csr, c->csr_value);
    uint32_t vtype; /* vset* sets it with vl */
    if (c->csr_written && c->csr == CSR_VL &&
        karat_csr_read(s->model, warp->handle, CSR_VTYPE, &vtype) == KARAT_OK)
        fprintf(f, " vtype=%08" PRIx32, vtype);
    if (c->flags_raised)
        fprintf(f, " fflags|=%02x", c->flags_raised);
    if (c->vxsat_raised)
        fputs(" vxsat|=1", f);
    if (c->has_mem)
        trace_mem(f, &c->mem, s->options.sv39);
    if (c->simt != KARAT_SIMT_NONE)
        trace_simt(f, c);
    if (c->barrier)
        fputs(c->barrier == 1 ? " barrier=arrive" : " barrier=release", f);
    if (c->ended)
        fputs(" end", f);
    for (unsigned i = 0; i < KARAT_NUM_WARNING; i++)
        if (c->warnings >> i & 1)
            fprintf(f, " warning=%s", karat_warning_name(i));
    if (c->flagged.kind)
        fprintf(f, " lane=%" PRId32, c->flagged.lane);
    for (unsigned i = 0; i < KARAT_NUM_DEVIATION; i++)
        if (c->deviated >> i & 1)
            fprintf(f, " deviation=%s", karat_deviation_name(i));
    fputc('\n', f);
}
