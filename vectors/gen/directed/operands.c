/* Operands of a row: each class of values, groups and numbers of registers. */
#include "dir.h"

#include "../hazard.h"

/* --- Classes --- */

bool operands_source(const row_use *u, unsigned s, int8_t *imm) {
    *imm = -1;
    for (uint32_t i = 0; i < u->info->num_operands; i++)
        if (karat_operand_info(u->info->operands[i])->source == s &&
            karat_operand_info(u->info->operands[i])->role == KARAT_ROLE_IMM)
            *imm = (int8_t)i;
    return u->source[s] >= 0 || *imm >= 0 || (s == 3 && u->dest_read);
}

bool operands_immediate(const karat_operand_kind *kind, bool wide, uint32_t class, int64_t *value) {
    const uint32_t bits = kind->extends && wide ? 11 : kind->bits;
    const int64_t least = kind->is_signed ? -(INT64_C(1) << (bits - 1)) : 0,
                  most = kind->is_signed ? (INT64_C(1) << (bits - 1)) - 1 : (INT64_C(1) << bits) - 1;
    const int64_t values[INT_CLASSES] = {0, 1, -1, most, least, 2, most > 9 ? 9 : most - 1, -2};
    *value = values[class % INT_CLASSES];
    return *value >= least && *value <= most;
}

/* The value of source s, which is not an immediate; upper: from the registers with an extension. */
static void give_source(dir *d, const row_use *u, insn *x, unsigned s, uint32_t at, bool upper,
                        bool high_dest) {
    if (u->source[s] < 0) { /* The destination is read as well */
        prog_add(d->p, "vmv.v.v", high_dest ? V_DEST_HIGH : V_DEST, V_TABLE + d->apart * at);
    } else if (u->source_v[s] && row_is_splat(u)) {
        prog_add(d->p, "vmv.v.x", V_SPLAT, X_TABLE + at);
        give(x, u->source[s], V_SPLAT);
    } else if (u->source_v[s])
        give(x, u->source[s], (upper ? V_TABLE_HIGH : V_TABLE) + d->apart * at);
    else
        give(x, u->source[s], (upper ? X_TABLE_HIGH : X_TABLE) + at);
}

int64_t operands_any_immediate(const karat_operand_kind *kind, bool wide, uint32_t class) {
    int64_t value = 0;
    for (uint32_t k = 0; k < INT_CLASSES && !operands_immediate(kind, wide, class + k, &value); k++)
        ;
    return value;
}

void operands_put(dir *d, const row_use *u, prog_prefix prefix, const uint32_t class[4]) {
    const bool high_imm = prog_prefix_info(d->p, prefix).has_imm, high_dest = prefix != PROG_PLAIN,
               high = high_dest && !high_imm;
    insn x = masked(d, u);
    for (unsigned s = 1; s <= 3; s++) {
        int8_t imm;
        if (!operands_source(u, s, &imm))
            continue;
        const uint32_t at = class[s] % d->classes;
        if (imm >= 0)
            give(&x, imm, operands_any_immediate(karat_operand_info(u->info->operands[imm]), high_imm, at));
        else
            give_source(d, u, &x, s, at, high || (high_imm && s == 2), high_dest);
    }
    give_dest(&x, u, high_dest);
    if (row_is_splat(u)) /* Unlike the value that it reads: it stays where nobody is active */
        prog_li(d->p, high_dest ? X_DEST_HIGH : X_DEST, 0x555);
    give(&x, u->rm, class[1] % 5);
    give(&x, u->target, 4); /* Taken or not, it goes to the next instruction */
    dir_put_result(d, u, &x, prefix);
}

static bool is_vector(const row_use *u, unsigned s) {
    return u->source_v[s] || (s == 3 && u->dest_read);
}

void operands_put_all(dir *d, const row_use *u, prog_prefix prefix, bool pairs) {
    unsigned first = 1, second;
    int8_t imm;
    while (first <= 3 && !operands_source(u, first, &imm))
        first++;
    for (second = first + 1; second <= 3 && !operands_source(u, second, &imm); second++)
        ;
    const uint32_t n = d->classes, lanes = d->params->num_thread < n ? d->params->num_thread : n;
    const bool splat = row_is_splat(u);
    if (!pairs || second > 3) {
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t class[4] = {0, i, 3 * i + 1, 7 * i + 2};
            operands_put(d, u, prefix, class);
        }
        return;
    }
    const uint32_t step = is_vector(u, first) && !splat ? lanes : 1,
                   step2 = !is_vector(u, first) && is_vector(u, second) && !splat ? lanes : 1;
    for (uint32_t i = 0; i < n; i += step)
        for (uint32_t k = 0; k < n; k += step2) {
            uint32_t class[4] = {0, i + k, i + 3 * k, i + 3 * k + 2};
            class[first] = i;
            class[second] = step > 1 ? i + k : k;
            operands_put(d, u, prefix, class);
        }
}

bool operands_unit(const row_use *u) {
    switch (u->info->unit) {
    case KARAT_UNIT_ALU:
    case KARAT_UNIT_MUL:
    case KARAT_UNIT_DIV:
    case KARAT_UNIT_FP:
    case KARAT_UNIT_FDIV:
    case KARAT_UNIT_SFU:
    case KARAT_UNIT_TENSOR: return true;
    case KARAT_UNIT_BRANCH: return u->source[2] >= 0;
    default: return false;
    }
}

/* --- Parts --- */

bool operands_maskable(const row_use *u) {
    return u->vm >= 0 && karat_operand_info(u->info->operands[u->vm])->bits;
}

/* Masked by v0.t: each pattern, and no lane at all. */
static void operands_masked(dir *d, const row_use *u) {
    if (!operands_maskable(u))
        return;
    d->masked = true;
    for (shape s = SINGLE; s < NUM_SHAPE; s++) {
        shape_mask(d, s);
        for (prog_prefix prefix = PROG_PLAIN; prefix < d->p->num_general; prefix++)
            if (u->takes_prefix[prefix])
                operands_put_all(d, u, prefix, false);
    }
    d->masked = false;
    shape_mask(d, ALTERNATING);
}

bool operands_vector(const row_use *u) {
    return (u->dest >= 0 && !u->dest_x) || u->source_v[1] || u->source_v[2] || u->source_v[3];
}

/* Rows whose lanes read one another, where vl is less: it ends before some lanes that others name. */
static void operands_across(dir *d, const row_use *u) {
    if (!karat_row_crosses_lanes(u->info) || u->info->unit == KARAT_UNIT_TENSOR)
        return;
    dir_set_length(d, (int32_t)(d->params->num_thread + 1) / 2);
    operands_put_all(d, u, PROG_PLAIN, false);
    dir_set_length(d, 64);
}

void part_operands(dir *d, const row_use *u) {
    if (u->matrix) {
        matrix_operands(d, u);
        return;
    }
    for (shape s = FULL; s < NUM_SHAPE; s++) {
        if (s == EMPTY && !operands_vector(u))
            continue;
        for (prog_prefix prefix = PROG_PLAIN; prefix < d->p->num_general; prefix++) {
            if (!u->takes_prefix[prefix])
                continue;
            const region r = shape_enter(d, s);
            operands_put_all(d, u, prefix, s == FULL && prefix == PROG_PLAIN);
            shape_leave(d, r);
        }
    }
    operands_masked(d, u);
    operands_across(d, u);
}

/* Rows that work on groups, under LMUL 2: all elements, some threads, some mask bits, and vl within the
 * second register. */
void part_groups(dir *d, const row_use *u) {
    d->apart = 2;
    dir_set_length(d, 64);
    tables_load(d, u, 0);
    if (u->info->unit == KARAT_UNIT_MEM)
        part_memory(d, u);
    else {
        part_operands(d, u);
        dir_set_length(d, (int32_t)d->params->num_thread + 1);
        operands_put_all(d, u, PROG_PLAIN, false);
    }
    d->apart = 1;
    dir_set_length(d, 64);
}

/* --- Register numbers --- */

/* Append the instruction with number n in operand i. */
static void put_number(dir *d, const row_use *u, uint32_t i, uint32_t n, bool v) {
    insn x = blank(u);
    for (unsigned s = 1; s <= 3; s++)
        give(&x, u->source[s], u->source_v[s] ? V_TABLE : X_TABLE);
    give_dest(&x, u, false);
    if (v)
        prog_add(d->p, "vmv.v.x", n, X_TABLE + 1);
    else
        prog_add(d->p, "addi", n, X_TABLE + 1, 0);
    if (row_is_splat(u))
        prog_add(d->p, "vmv.v.x", V_TABLE, X_TABLE + 1);
    give(&x, (int8_t)i, n);
    give(&x, u->target, 4);
    if (karat_operand_info(u->info->operands[i])
            ->is_read) { /* Field x3 names another register, which is not read */
        x.apart = (int32_t)(n & 31) + (n == 31 ? 224 : n >> 5 == 1 ? 64 : 32);
        prog_add(d->p, "vmv.v.x", x.apart, X_TABLE + 2);
        dir_put_result(d, u, &x, PROG_REGEXT);
        x.apart = PROG_NONE;
    }
    dir_put_result(d, u, &x, PROG_AUTO);
}

void operands_numbers(dir *d, const row_use *u) {
    static const uint32_t v_numbers[] = {0, 20, 31, 32, 40, 63, 64, 255},
                          x_numbers[] = {0, 22, 31, 32, 33, 63};
    for (uint32_t i = 0; i < u->info->num_operands; i++) {
        const karat_operand_kind *kind = karat_operand_info(u->info->operands[i]);
        if (!kind->is_reg || kind->role == KARAT_ROLE_IGNORED)
            continue;
        const bool v = kind->cls == KARAT_CLASS_V;
        for (uint32_t k = 0; k < (v ? 8u : 6u); k++)
            put_number(d, u, i, v ? v_numbers[k] : x_numbers[k], v);
    }
}

void part_numbers(dir *d, const row_use *u) {
    if (!operands_unit(u)) {
        hazard_numbers(d->p, u);
        tables_load(d, NULL, 0);
        return;
    }
    (u->matrix ? matrix_numbers : operands_numbers)(d, u);
    tables_load(d, u, 0);
}
