#include "rows.h"

#include <stdlib.h>
#include <string.h>

static void use_operand(row_use *u, int8_t i, const karat_operand_kind *kind) {
    const bool v = kind->is_reg && kind->cls == KARAT_CLASS_V;
    switch (kind->role) {
    case KARAT_ROLE_DEST:
        u->dest = i;
        u->dest_x = kind->cls == KARAT_CLASS_X;
        u->dest_read = kind->is_read;
        break;
    case KARAT_ROLE_SRC1:
    case KARAT_ROLE_SRC2:
    case KARAT_ROLE_SRC3: {
        const unsigned source = kind->role - KARAT_ROLE_SRC1 + 1u;
        u->source[source] = i;
        u->source_v[source] = v;
        break;
    }
    case KARAT_ROLE_VM: u->vm = i; break;
    case KARAT_ROLE_IMM:
        if (kind->extends)
            u->wide = i;
        if (strncmp(kind->name, "offset", 6) == 0) {
            u->offset = i;
            u->private = kind->bits < 12; /* Section 4.2.7 */
        } else if (strncmp(kind->name, "target", 6) == 0)
            u->target = i;
        else if (strncmp(kind->name, "vtype", 5) == 0)
            u->vtype = i;
        else if (strcmp(kind->name, "avl") == 0)
            u->avl = i;
        else if (strcmp(kind->name, "csr") == 0)
            u->csr = i;
        else if (strcmp(kind->name, "rm") == 0)
            u->rm = i;
        break;
    default: break;
    }
}

static row_use use_of(const prog *empty, int row, karat_profile profile) {
    const karat_row *info = karat_row_info(row);
    row_use u = {.row = row, .info = info, .bytes = 4};
    u.dest = u.vm = u.rm = u.csr = u.offset = u.target = u.avl = u.vtype = u.wide = -1;
    for (unsigned s = 0; s < 4; s++)
        u.source[s] = -1;
    for (uint32_t i = 0; i < info->num_operands; i++)
        use_operand(&u, (int8_t)i, karat_operand_info(info->operands[i]));
    u.own = karat_row_uses_vtype(info);
    u.grouped = karat_row_is_grouped(info);
    if (info->unit == KARAT_UNIT_MEM) {
        if (info->access_bytes) /* Others go by SEW, here of 32 */
            u.bytes = info->access_bytes;
        u.index_bytes = info->index_bytes;
        u.stores = !(info->owes & (KARAT_OWES_X | KARAT_OWES_V));
    }
    u.takes_prefix[PROG_PLAIN] = true;
    for (unsigned p = PROG_REGEXT; p < empty->num_prefix; p++)
        u.takes_prefix[p] = karat_prefix_fits(row, karat_row_info(empty->prefix_row[p])->match);
    u.single = karat_row_is_single(info, profile);
    const bool narrow = karat_row_follows_sew(info) && !karat_profile_has(profile, KARAT_FEATURE_WIDTHS);
    for (uint32_t i = 0; i < info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(info->operands[i]);
        u.pairs |= !narrow && karat_operand_is_pair(kind, (karat_width)karat_row_width(info, 0, KARAT_W32));
    }
    u.matrix = karat_row_is_matrix(info);
    u.threads = (uint8_t)karat_row_threads(info);
    u.registers[0] = (uint8_t)karat_row_registers(info, KARAT_ROLE_DEST);
    for (unsigned s = 1; s <= 3; s++)
        u.registers[s] = (uint8_t)karat_row_registers(info, (karat_role)(KARAT_ROLE_SRC1 + s - 1));
    return u;
}

/* The rows of a unit, or all matrices; false: memory is short. */
static bool make_list(const row_table *t, int num, unsigned unit, bool matrix, row_list *list) {
    if (!(list->at = malloc((size_t)num * sizeof *list->at)))
        return false;
    for (int row = 0; row < num; row++) {
        const row_use *u = &t->use[row];
        if (u->info && u->matrix == matrix && (matrix || u->info->unit == unit))
            list->at[list->num++] = u;
    }
    return true;
}

row_table *row_table_create(karat_profile profile) {
    const int num = karat_num_rows();
    row_table *t = calloc(1, sizeof *t);
    if (!t || !(t->use = calloc((size_t)num, sizeof *t->use))) {
        row_table_free(t);
        return NULL;
    }
    prog empty;
    prog_init(&empty, profile);
    t->profile = profile;
    t->num_prefix = empty.num_prefix;
    t->num_general = empty.num_general;
    for (int row = 0; row < num; row++) {
        const karat_row *info = karat_row_info(row);
        if (karat_row_is_legal(info, profile))
            t->use[row] = use_of(&empty, row, profile);
    }
    bool ok = make_list(t, num, KARAT_NUM_UNIT, true, &t->matrices);
    for (unsigned unit = 0; unit < KARAT_NUM_UNIT; unit++)
        ok &= make_list(t, num, unit, false, &t->units[unit]);
    if (ok)
        return t;
    row_table_free(t);
    return NULL;
}

void row_table_free(row_table *t) {
    if (!t)
        return;
    for (unsigned unit = 0; unit < KARAT_NUM_UNIT; unit++)
        free(t->units[unit].at);
    free(t->matrices.at);
    free(t->use);
    free(t);
}

const row_use *row_named(const row_table *t, const char *name) {
    const int row = karat_find_row(name);
    return row == KARAT_NO_ROW || !t->use[row].info ? NULL : &t->use[row];
}

bool row_is_splat(const row_use *u) {
    return u->dest_x && (u->source_v[1] || u->source_v[2]);
}

bool row_is_memory(const row_use *u) {
    return u->info->unit == KARAT_UNIT_MEM || u->info->unit == KARAT_UNIT_AMO;
}

bool row_swaps_csr(const row_use *u) {
    return strncmp(u->info->name, "csrrw", 5) == 0;
}

bool unit_is_fp(uint32_t unit) {
    return unit == KARAT_UNIT_FP || unit == KARAT_UNIT_FDIV || unit == KARAT_UNIT_SFU ||
           unit == KARAT_UNIT_TENSOR;
}
