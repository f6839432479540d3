#include "fixture.h"

#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* --- Finding records --- */

record record_at(const stream *s, size_t i) {
    return s->at[i];
}

size_t nth(const stream *s, unsigned kind, uint32_t n) {
    for (size_t i = 0; i < s->num; i++)
        if (s->at[i].h.kind == kind && n-- == 0)
            return i;
    fail_msg("no such %s", karat_rec_name(kind));
    return 0;
}

/* Profile public has all rows of v2.02. */
size_t issue_of(const stream *s, uint32_t slot, const char *row, uint32_t n) {
    int want = karat_find_row(row);
    assert_int_not_equal(want, KARAT_NO_ROW);
    for (size_t i = 0; i < s->num; i++) {
        karat_insn insn;
        if (s->at[i].h.kind == KARAT_REC_ISSUE && (slot == ANY || s->at[i].h.slot == slot) &&
            karat_decode(KARAT_PUBLIC, s->at[i].issue.word, &insn) == want && n-- == 0)
            return i;
    }
    fail_msg("no such ISSUE of %s", row);
    return 0;
}

uint32_t seq_of(const record *r) {
    switch (r->h.kind) {
    case KARAT_REC_ISSUE: return r->issue.seq;
    case KARAT_REC_READ: return r->read.seq;
    case KARAT_REC_WRITE: return r->write.seq;
    case KARAT_REC_SIMT: return r->simt.seq;
    case KARAT_REC_CSR: return r->csr.seq;
    case KARAT_REC_MEM: return r->mem.seq;
    case KARAT_REC_ACCESS: return r->access.seq;
    case KARAT_REC_PAIR: return r->pair.seq;
    case KARAT_REC_BARRIER: return r->barrier.action == KARAT_BARRIER_ARRIVE ? r->barrier.seq : UINT32_MAX;
    default: return UINT32_MAX;
    }
}

static bool same_warp(const record *a, const record *b) {
    return a->h.sm == b->h.sm && a->h.slot == b->h.slot && a->h.epoch == b->h.epoch;
}

size_t of(const stream *s, size_t issue, unsigned kind, uint32_t n) {
    for (size_t i = issue + 1; i < s->num; i++)
        if (s->at[i].h.kind == kind && same_warp(&s->at[i], &s->at[issue]) &&
            seq_of(&s->at[i]) == s->at[issue].issue.seq && n-- == 0)
            return i;
    fail_msg("that instruction has no such %s", karat_rec_name(kind));
    return 0;
}

size_t after(const stream *s, size_t i, unsigned kind) {
    for (size_t k = i + 1; k < s->num; k++)
        if (s->at[k].h.kind == kind && same_warp(&s->at[k], &s->at[i]))
            return k;
    fail_msg("no %s after it", karat_rec_name(kind));
    return 0;
}

void move(stream *s, size_t i, size_t to) {
    record r = s->at[i];
    r.h.cycle = s->at[to].h.cycle;
    if (i < to) {
        stream_insert(s, to, &r);
        stream_remove(s, i);
    } else {
        stream_remove(s, i);
        stream_insert(s, to, &r);
    }
}

void cut(stream *s, size_t i) {
    s->num = i;
}

/* --- The fixture --- */

void fixture_program(program *p) {
    put_prologue(p);
    put(p, "addi", 13, 0, 7);
    put(p, "addi", 13, 13, -2); /* That register again */
    put_code(p, "addi 0 13 1; bne 13 0 8");
    put(p, "addi", 14, 0, 1); /* Jumped over */
    put_code(p, "vadd_vx 8 1 13 1; vand_vi 6 1 1 1; vmseq_vi 0 6 0 1; vmul_vv 9 8 8 1");
    put(p, "vadd_vv", 9, 8, 8, 0); /* Even lanes */
    put(p, "csrrw", 15, 0x80b, 13);
    put(p, "csrrs", 14, 0x300, 0); /* Mstatus: the launch gives it */
    put_code(p, "vsw12_v 9 0 3; vlw12_v 10 0 3; vsb12_v 8 2 3; sw 13 512 10; lh 16 512 10; vmv_v_i 7 4; "
                "vsw_v 9 4 7; vlhu_v 11 4 7");
    put(p, "vsw12_v", 8, 0, 5); /* LDS */
    put_code(p, "barrier 0; vlw12_v 12 0 5; barrier 0");
    uint32_t start = p->num;
    put(p, "auipc", 5, 0);
    put(p, "setrpc", 0, 5, 4 * 7);
    put(p, "vmv_v_i", 7, 1);
    put(p, "vblt", 1, 7, 12); /* Lane 0 goes one way */
    put_code(p, "vadd_vi 14 8 3 1; jal 0 8; vadd_vi 14 8 5 1");
    assert_int_equal(p->num, start + 7);
    put0(p, "join");
    put(p, "vbeq", 1, 1, 4); /* Uniform */
    put_code(p, "regext 0 0 0 1; vadd_vv 8 8 9 1; vsetvli 17 0 0xd1; vmv_v_i 18 3; addi 5 10 256; "
                "vse32_v 18 5 1; vle32_v 20 5 1; vsetvli 17 0 0xd0; endprg");
}

core_options fixture_options(void) {
    core_options o = core_default();
    o.num_warp = 3; /* One workgroup of two warps at a time: slots are used again */
    o.allocation = true;
    o.idle_writes = true;
    o.audit_percent = 0;
    o.uncounted = true; /* So that each rule must find what BYE's count would find as well */
    return o;
}

stream run_program(const program *p, const core_options *o) {
    stream s;
    core_run(p, o, &s, NULL);
    return s;
}

stream run_fixture(const core_options *o) {
    program p = {.num = 0};
    fixture_program(&p);
    return run_program(&p, o);
}

stream fixture(void) {
    core_options o = fixture_options();
    return run_fixture(&o);
}

/* --- Options and programs that several files of tests use --- */

core_options one_warp_options(void) {
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.uncounted = true;
    return o;
}

core_options one_workgroup_options(uint32_t wg_size) {
    core_options o = core_default();
    o.workgroups = 1;
    o.wg_size = wg_size;
    o.audit_percent = 0;
    o.uncounted = true;
    return o;
}

core_options undefined_options(void) {
    core_options o = core_default();
    o.workgroups = o.wg_size = 1;
    o.regs = KARAT_REGS_UNKNOWN;
    o.audit_percent = 0;
    o.uncounted = true;
    return o;
}

program unwritten_program(void) {
    program p = begin_program("");
    p.num--; /* Its last instruction writes v0 */
    return p;
}

stream silent(void) {
    program p = {.num = 0};
    put_code(&p, "addi 12 0 700; addi 13 13 1; addi 12 12 -1; bne 12 0 -8; endprg");
    core_options o = fixture_options();
    o.workgroups = o.wg_size = 1;
    o.idle_writes = false;
    o.gives &= ~(1u << KARAT_REC_READ | 1u << KARAT_REC_AUDIT);
    stream s = run_program(&p, &o);
    for (size_t i = s.num; i-- > 0;)
        if (s.at[i].h.kind == KARAT_REC_WRITE)
            stream_remove(&s, i);
    return s;
}
