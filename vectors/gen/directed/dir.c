#include "dir.h"

#include <string.h>

bool dir_put(dir *d, const row_use *u, const insn *x, prog_prefix prefix) {
    return !d->p->failed && prog_put(d->p, u->row, x->value, prefix, x->apart) != PROG_NONE;
}

/* A core without the retire port shows its results by a sum: each result is added to it, lane by lane. */
void dir_sum(dir *d, const row_use *u, int32_t result) {
    if (u->dest >= 0 && u->dest_x)
        prog_add(d->p, "add", X_SUM, X_SUM, result);
    else if (u->dest >= 0)
        prog_add(d->p, "vadd.vv", V_SUM, V_SUM, result, 1);
}

bool dir_put_result(dir *d, const row_use *u, const insn *x, prog_prefix prefix) {
    if (!dir_put(d, u, x, prefix))
        return false;
    dir_sum(d, u, x->value[u->dest < 0 ? 0 : u->dest]);
    return true;
}

void dir_add_flags(dir *d, const row_use *u) {
    const bool is_fixed = strstr(u->info->section, "v1.0-12"); /* Fixed point */
    if (!is_fixed && !unit_is_fp(u->info->unit))
        return;
    prog_add(d->p, "csrrwi", X_SCRATCH, is_fixed ? CSR_VXSAT : CSR_FFLAGS, 0);
    prog_add(d->p, "add", X_SUM, X_SUM, X_SCRATCH);
}

void dir_set_words(dir *d, uint32_t reg) {
    prog_add(d->p, "vid.v", reg, 1);
    prog_add(d->p, "vsll.vi", reg, reg, 2, 1);
    prog_add(d->p, "vadd.vx", reg, reg, X_TEMP, 1);
}

void dir_set_length(dir *d, int32_t length) {
    prog_add(d->p, "addi", X_TEMP, 0, length);
    prog_add(d->p, "vsetvli", X_SCRATCH, X_TEMP, d->apart == 2 ? 0x11 : 0x10);
}
