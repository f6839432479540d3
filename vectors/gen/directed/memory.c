/* Memory accesses: spaces, prefixes, shapes, strides, alignment; reservations. */
#include "dir.h"

enum { LDS_BYTES = 8192, PDS_BYTES = 8192 };

/* X_ADDRESS = the middle of that space's area, plus an offset. */
static void set_address(dir *d, karat_mem_space space, int32_t offset) {
    switch (space) {
    case KARAT_GLOBAL: prog_li(d->p, X_ADDRESS, PROG_DATA + AREA_AT + AREA / 2 + (uint32_t)offset); break;
    case KARAT_LDS:
        prog_add(d->p, "csrrs", X_ADDRESS, CSR_LDS, 0);
        prog_li(d->p, X_TEMP, LDS_BYTES / 2 + (uint32_t)offset);
        prog_add(d->p, "add", X_ADDRESS, X_ADDRESS, X_TEMP);
        break;
    case KARAT_PRIVATE: prog_li(d->p, X_ADDRESS, PDS_BYTES / 2 + (uint32_t)offset); break;
    }
}

/* Set v = lane * stride; based: plus X_ADDRESS. */
static void set_lanes(dir *d, uint32_t v, int32_t stride, bool based) {
    prog_add(d->p, "vid.v", v, 1);
    prog_li(d->p, X_TEMP, (uint32_t)stride);
    prog_add(d->p, "vmul.vx", v, v, X_TEMP, 1);
    if (based)
        prog_add(d->p, "vadd.vx", v, v, X_ADDRESS, 1);
}

/* The access, from X_ADDRESS on, lanes 'stride' bytes apart where the row allows it. */
static void put_access(dir *d, const row_use *u, prog_prefix prefix, uint32_t class, int32_t stride) {
    insn x = masked(d, u);
    give(&x, u->source[1], u->source_v[1] ? V_LANES : X_ADDRESS);
    const unsigned data = u->source[3] >= 0 ? 3 : 2;
    for (unsigned s = 2; s <= 3; s++)
        if (s == data && (u->stores || u->info->unit == KARAT_UNIT_AMO))
            give(&x, u->source[s],
                 u->source_v[s] ? V_TABLE + d->apart * (class % d->classes) : X_TABLE + class % d->classes);
        else if (u->source[s] >= 0 && u->source_v[s])
            give(&x, u->source[s], V_INDEX);
        else if (u->source[s] >= 0) {
            prog_li(d->p, X_SCRATCH, (uint32_t)stride);
            give(&x, u->source[s], X_SCRATCH);
        }
    const karat_prefix says = prog_prefix_info(d->p, prefix);
    give_dest(&x, u, prefix != PROG_PLAIN && !says.regpair && !says.memory);
    dir_put_result(d, u, &x, prefix);
}

static int32_t stride(const dir *d, uint32_t k) {
    const int32_t lanes = (int32_t)d->params->num_thread,
                  strides[] = {4, 0, 8, 16, (d->apart == 2 && lanes > 1 ? 2 : 4) * lanes};
    return d->params->threads ? 4 * (int32_t)k : strides[k];
}

/* Accesses with all shapes and classes of data, masked and not. */
static void accesses(dir *d, const row_use *u, prog_prefix prefix, karat_mem_space space, bool scalar) {
    const bool data = u->stores || u->info->unit == KARAT_UNIT_AMO;
    for (shape s = FULL; s < NUM_SHAPE; s++) {
        if (s == EMPTY && scalar)
            continue;
        set_address(d, space, 0);
        set_lanes(d, V_LANES, 4, true);
        set_lanes(d, V_INDEX, 4, false);
        const region r = shape_enter(d, s);
        for (uint32_t class = 0; class < (data ? d->classes : 1); class ++)
            put_access(d, u, prefix, class, 4);
        d->masked = u->vm >= 0;
        if (d->masked && s == FULL)
            put_access(d, u, prefix, 0, 4);
        d->masked = false;
        shape_leave(d, r);
    }
}

/* Accesses with all strides and offsets in a word; the last ones with one lane alone. */
static void strides(dir *d, const row_use *u, prog_prefix prefix, karat_mem_space space, bool scalar) {
    /* Private memory is interleaved by the workgroup's threads: with few threads, any stride may conflict. */
    const uint32_t num = scalar ? 1 : d->params->threads ? 16 : 5;
    for (uint32_t k = 0; k <= num; k++)
        for (int32_t byte = 0; byte < 4 && (!scalar || !k); byte += u->bytes) {
            const int32_t apart = k < num ? stride(d, k) : 4;
            set_address(d, space, byte);
            set_lanes(d, V_LANES, apart, true);
            set_lanes(d, V_INDEX, apart & (u->index_bytes == 1 ? 127 : -1), false);
            const region r = shape_enter(d, k < num ? FULL : SINGLE);
            put_access(d, u, prefix, (uint32_t)byte + 2 * k, apart);
            shape_leave(d, r);
        }
}

/* LR and SC, in all ways to succeed and to fail. */
static void reservations(dir *d) {
    for (karat_mem_space space = KARAT_GLOBAL; space <= KARAT_LDS; space++) {
        set_address(d, space, 0);
        prog_add(d->p, "sc.w", X_DEST, X_TABLE, X_ADDRESS, 0);
        prog_add(d->p, "lr.w", X_DEST, X_ADDRESS, 0);
        prog_add(d->p, "sc.w", X_DEST, X_TABLE + 1, X_ADDRESS, 0);
        prog_add(d->p, "sc.w", X_DEST, X_TABLE + 2, X_ADDRESS, 3);
    }
}

void part_memory(dir *d, const row_use *u) {
    const bool amo = u->info->unit == KARAT_UNIT_AMO, scalar = !u->source_v[1] && (u->offset >= 0 || amo);
    d->p->launch.lds = LDS_BYTES;
    d->p->launch.pds = PDS_BYTES;
    if (d->apart == 1)
        prog_add(d->p, "vmv.v.i", V_LANES + 1, 0);
    for (karat_mem_space space = KARAT_GLOBAL; space <= KARAT_PRIVATE; space++) {
        if (u->private != (space == KARAT_PRIVATE))
            continue;
        for (prog_prefix prefix = PROG_PLAIN; prefix < d->p->num_prefix; prefix++) {
            const karat_prefix says = prog_prefix_info(d->p, prefix);
            if (!u->takes_prefix[prefix] || (says.regpair && d->apart == 2 && u->bytes == 4) ||
                (says.memory && (says.words > 1 || says.space != KARAT_PREFIX_DEFAULT)))
                continue; /* All others are in part_long() */
            accesses(d, u, prefix, space, scalar);
            if (prefix == PROG_PLAIN || (says.regpair && !says.has_imm))
                strides(d, u, prefix, space, scalar);
        }
    }
    if (amo)
        reservations(d);
}
