/* Units: hazards between each two, and results that collide at the register file. */
#include "scene.h"

enum { HAZARD_DISTANCES = 5 };

void units_hazards(scene *s, karat_unit younger) {
    const hazards h = scene_hazards(s);
    uint32_t variant = 0;
    scene_clear_registers(s);
    for (uint32_t older = 0; older < KARAT_NUM_UNIT; older++)
        for (uint32_t kind = 0; kind < NUM_HAZARD_KIND; kind++)
            for (uint32_t cls = KARAT_CLASS_X; cls <= KARAT_CLASS_V; cls++)
                for (uint32_t distance = 1; distance <= HAZARD_DISTANCES; distance++)
                    hazard_put(&h, older, younger, kind, cls, distance, variant++);
    scene_fold_registers(s);
}

void units_collisions(scene *s, karat_unit slow) {
    const hazards h = scene_hazards(s);
    uint32_t variant = 0;
    scene_clear_registers(s);
    for (uint32_t cls = KARAT_CLASS_X; cls <= KARAT_CLASS_V; cls++)
        for (uint32_t fast = 0; fast < KARAT_NUM_UNIT; fast++)
            for (uint32_t between = 0; between < 12 && fast != KARAT_UNIT_CONFIG; between++, variant++) {
                const int32_t first = cls == KARAT_CLASS_X ? HAZARD_X : HAZARD_V;
                if (!hazard_write(&h, slow, cls, first, variant) ||
                    !hazard_write(&h, KARAT_UNIT_DIV, cls, first + 1, variant))
                    continue;
                for (uint32_t i = 0; i < between; i++)
                    hazard_write(&h, KARAT_UNIT_ALU, i % 2, (i % 2 ? HAZARD_V : HAZARD_X) + 2, variant);
                hazard_write(&h, fast, cls, first + 3, variant);
                hazard_write(&h, fast, cls, first + 4, variant + 1);
            }
    scene_fold_registers(s);
}
