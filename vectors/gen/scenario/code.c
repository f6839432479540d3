/* Instruction addresses: code far apart, and at the end of memory. */
#include "scene.h"

/* Code at the same places of other pages, there and back. */
void play_far_jumps(scene *s) {
    static const uint32_t words[] = {1024, 1024, 2048, 512};
    prog_add(s->p, "addi", X_COUNT, 0, 3);
    const int32_t top = (int32_t)s->p->num;
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
        const int32_t out = prog_add(s->p, "jal", 0, 0);
        for (uint32_t k = 2; k < words[i]; k++)
            prog_word(s->p, 0);
        scene_here(s, out);
        scene_add(s, (int32_t)i + 1);
    }
    prog_add(s->p, "addi", X_COUNT, X_COUNT, -1);
    const int32_t done = prog_add(s->p, "beq", X_COUNT, 0, 0);
    prog_lead(s->p, prog_add(s->p, "jal", 0, 0), top);
    scene_here(s, done);
}

/* A function in the last words of device memory, which all warps call at once: nothing is mapped after it.
 * scene_finish() puts it there. */
void play_memory_end(scene *s) {
    prog *p = s->p;
    prog_add(p, "addi", X_COUNT, 0, 5);
    const int32_t top = (int32_t)p->num, place = prog_la(p, X_RPC);
    prog_li(p, X_TEMP, PROG_DATA + scene_data_size(s) - 4);
    prog_add(p, "barrier", 0);
    prog_add(p, "jalr", 0, 0, X_TEMP);
    scene_here(s, place);
    /* Lines with any place in a cache, which are still there in the next round. */
    for (int32_t i = 0; i < 110; i++)
        scene_add(s, i % 16);
    prog_add(p, "addi", X_COUNT, X_COUNT, -1);
    prog_lead(p, prog_add(p, "bne", X_COUNT, 0, 0), top);
}
