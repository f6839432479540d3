#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "retire.h"

uint32_t put_part(program *p, uint32_t warp) {
    const uint32_t part = p->num;
    put(p, warp ? "beq" : "bne", 7, 0, 0);
    return part;
}

void put_end_part(program *p, uint32_t part, uint32_t warp) {
    put0(p, "endprg");
    const uint32_t end = p->num;
    p->num = part;
    put(p, warp ? "beq" : "bne", 7, 0, 4 * ((int32_t)end - (int32_t)part));
    p->num = end;
}

record make_record(uint32_t slot, uint8_t kind, uint32_t seq) {
    record r;
    memset(&r, 0, sizeof r);
    r.h.kind = kind;
    r.h.slot = (uint8_t)slot;
    switch (kind) { /* The fields that tests use have no one place */
    case KARAT_REC_ISSUE: r.issue.seq = seq; break;
    case KARAT_REC_WRITE: r.write.seq = seq; break;
    case KARAT_REC_MEM: r.mem.seq = seq; break;
    case KARAT_REC_BARRIER: r.barrier.seq = seq; break;
    default: break;
    }
    return r;
}

void say(stream *s, uint64_t *cycle, const record *r) {
    record copy = *r;
    copy.h.cycle = ++*cycle;
    stream_add(s, &copy, karat_rec_size(r->h.kind));
}

void keep_values(const karat_model *model, karat_commit *commit) {
    static karat_commit_values kept[KEPT_COMMITS];
    static uint32_t num;
    karat_commit_values *values = &kept[num++ % KEPT_COMMITS];
    memset(values, 0, sizeof *values);
    karat_commit_keep(model, commit, values);
}

void say_step(stream *s, uint64_t *cycle, uint32_t slot, uint32_t seq, const karat_commit *m,
              uint64_t slots) {
    record r = make_record(slot, KARAT_REC_ISSUE, seq);
    r.issue.pc = m->pc;
    r.issue.word = m->word;
    r.issue.mask = m->mask_before;
    r.issue.prefix = m->prefix;
    r.issue.prefix_kind = m->prefix ? KARAT_PREFIX_WORD : KARAT_PREFIX_NONE;
    say(s, cycle, &r);
    for (uint32_t i = 0; i < m->num_writes && !m->has_mem; i++) {
        r = make_record(slot, KARAT_REC_WRITE, seq);
        karat_retire_write(&m->write[i], seq, m->write[i].mask, &r.write);
        say(s, cycle, &r);
    }
    if (m->barrier) {
        r = make_record(slot, KARAT_REC_BARRIER, seq);
        r.barrier.action = KARAT_BARRIER_ARRIVE;
        say(s, cycle, &r);
    }
    if (m->barrier == 2) {
        r = make_record(0, KARAT_REC_BARRIER, 0);
        r.barrier.action = KARAT_BARRIER_RELEASE;
        r.barrier.warps = slots;
        say(s, cycle, &r);
    }
    if (m->ended) {
        r = make_record(slot, KARAT_REC_EXIT, 0);
        say(s, cycle, &r);
    }
}

/* Those records of a whole run. */
static stream head_of(const program *p, const core_options *o) {
    stream whole, head = {0};
    core_run(p, o, &whole, NULL);
    for (size_t i = 0; i < whole.num; i++) {
        record r = whole.at[i];
        const bool launch = r.h.kind == KARAT_REC_LAUNCH;
        if (launch)
            r.h.slot = (uint8_t)(r.launch.workgroup * o->wg_size + r.launch.warp);
        r.h.epoch = 0;
        if (launch || r.h.kind == KARAT_REC_HELLO || r.h.kind == KARAT_REC_REGION ||
            r.h.kind == KARAT_REC_HOST || r.h.kind == KARAT_REC_KERNEL)
            stream_add(&head, &r, karat_rec_size(r.h.kind));
    }
    stream_free(&whole);
    return head;
}

karat_model *say_again(stream *s, uint64_t *cycle, const stream *head, const core_options *o) {
    karat_config config = core_model_config();
    config.num_thread = o->num_thread;
    karat_model *model = karat_create(&config, NULL);
    if (!model)
        abort();
    for (uint32_t g = 0; g < o->workgroups; g++)
        karat_workgroup_open(model, g, o->wg_size);
    for (size_t i = 0; i < head->num; i++) {
        const record *r = &head->at[i];
        karat_launch_desc desc = {
            .workgroup = r->launch.workgroup, .pc = r->launch.pc, .mask = r->launch.mask};
        if (r->h.kind == KARAT_REC_REGION)
            karat_map(model, r->region.base, r->region.size);
        if (r->h.kind == KARAT_REC_HOST)
            karat_write(model, r->host.addr, r->host.data, r->host.length);
        memcpy(desc.csr, r->launch.csr,
               sizeof r->launch.csr < sizeof desc.csr ? sizeof r->launch.csr : sizeof desc.csr);
        if (r->h.kind == KARAT_REC_LAUNCH && karat_launch(model, r->h.slot, &desc) != KARAT_OK)
            abort();
        say(s, cycle, r);
    }
    return model;
}

karat_model *say_launches(stream *s, uint64_t *cycle, stream *head, const program *p, const core_options *o) {
    stream own = head_of(p, o);
    karat_model *model = say_again(s, cycle, &own, o);
    if (head)
        *head = own;
    else
        stream_free(&own);
    return model;
}
